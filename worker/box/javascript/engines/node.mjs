/*
 * Node.js: what it does otherwise than the other engines.
 */
import { complete, stripped } from './hooks.mjs';

export { begin, install } from './hooks.mjs';

/* Returns why this version cannot run code, or null. */
export function refusal() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return complete() && (major > 22 || (major === 22 && minor >= 18)) ? null :
    `Node.js ${process.versions.node} is too old for TypeScript: use ` +
    'Node.js 22.18 or later, bun or deno (CAISSON_JAVASCRIPT, or in a ' +
    'container CAISSON_IMAGE)';
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
    const [, line, mark] = /^.*:(\d+)\n[^]*?\n( *\^)/.exec(error.stack) ?? [];
    return { message: error.message, line: Number(line),
      column: mark?.length };
  }
}
