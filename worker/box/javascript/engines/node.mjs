/*
 * Node.js: what it does otherwise than the other engines.
 */
import { complete, stripped } from './hooks.mjs';

export { begin, install } from './hooks.mjs';

/* Returns why this version cannot run code, or null. */
export function refusal() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return complete() && (major > 22 || (major === 22 && minor >= 18)) ? null :
    `Node.js ${process.versions.node} is too old: use Node.js 22.18 or ` +
    'later, bun or deno (CAISSON_JAVASCRIPT, or in a container ' +
    'CAISSON_IMAGE)';
}

/*
 * Returns why TypeScript cannot be parsed, with its line and column, or null.
 * The place is told by the stack only: ":LINE", the code up to that line, and a
 * mark below it.
 */
export function fault(code) {
  try {
    stripped(code);
    return null;
  } catch (error) {
    return placed(error.message, error.stack);
  }
}

/* Returns a fault with the place that a text begins with. */
function placed(message, text) {
  const [, line, mark] = /^.*:(\d+)\n[^]*?\n( *\^)/.exec(text) ?? [];
  return { message, line: Number(line), column: mark?.length };
}

/*
 * Returns why code that parses was not compiled, or null for any other error.
 * Node.js tells the place only where that ends it.
 */
export function uncompiled({ message, stack }, code) {
  const js = /^SyntaxError: .*\n +at compileSource/.test(stack) ?
    stripped(code) : '';
  const { stderr } = js.length !== code.length ? {} :
    process.getBuiltinModule('node:child_process').spawnSync(process.execPath,
      ['--check', '--input-type=module', '-'], { input: js, encoding: 'utf8' });
  return stderr ? placed(message, stderr) : null;
}
