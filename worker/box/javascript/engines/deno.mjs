/*
 * deno: what it does otherwise than the other engines.
 */
import { complete, stripped } from './hooks.mjs';

export { begin, install } from './hooks.mjs';

/* Returns why this version cannot run code, or null. */
export const refusal = () => complete() ? null :
  `deno ${Deno.version.deno} is too old: install deno 2.9 or later, or bun, ` +
  'or set CAISSON_JAVASCRIPT';

/*
 * Returns why TypeScript cannot be parsed, with its line and column, or null.
 * The message ends with the line, a mark below it, and the place.
 */
export function fault(code) {
  try {
    stripped(code);
    return null;
  } catch ({ message }) {
    const [, line, column] = /:(\d+):(\d+)\s*$/.exec(message) ?? [];
    return { message: message.split('\n')[0].replace(/^SyntaxError: /, ''),
      line: Number(line), column: Number(column) };
  }
}
