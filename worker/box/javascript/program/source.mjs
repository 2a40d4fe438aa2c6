/*
 * The text of a program: what is repaired where it does not parse, and its last
 * expression, whose value is shown where nothing is printed. It runs no code.
 */
const TAGS = 'javascript|typescript|js|ts|mjs|mts|jsx|tsx|node';
const FENCE = new RegExp(`^((?:[^\`]*\\n)?)[ \\t]*(\`{3,})[ \\t]*(?:${TAGS})?` +
  '[ \\t]*\\r?\\n([^]*?)\\r?\\n?[ \\t]*\\2([^`]*)$', 'i');
/* What is in code, and not in a sentence about it. */
const CODE = /[=([{"\\;]|^[ \t]*(?:import|export)\b/m;
/* More lines than this are not looked through for the last statement. */
const LINES_MOST = 200;
const BYTES_MOST = 1 << 18;
/* How an expression may begin behind a statement without a semicolon. */
const BEGINS = /^[\p{L}\d_$"'!~]/u;
/* And where nothing before it can go on. */
const BEGINS_ANEW = /^[([`]/;
/* What begins no expression; the parser would say so, and take longer. */
const NO_EXPRESSION = new RegExp('^(?:(?:function|class|async\\s+function|const|' +
  'let|var|if|for|while|do|switch|try|throw|return|export)(?![\\w$])|console\\s*\\.)');
const END = /;?[ \t]*(?:\/\/[^\n]*)?\s*$/;

/* The function that the last expression is given to. */
export const KEEP = '$caisson_last';

/*
 * Returns the code within the only Markdown fence, or null. Three backquotes
 * parse: as a text that is called, which always fails. With sentences around
 * them nothing may parse; fault() tells what does not.
 */
export function unfenced(code, fault) {
  if (!code.includes('```'))
    return null;
  const [, before, mark, inner, after] = FENCE.exec(code) ?? [];
  const around = `${before}${after}`;
  if (mark === undefined || inner.includes(mark))
    return null;
  return around.trim() === '' || !CODE.test(around) && fault(code) !== null ?
    inner : null;
}

/* Returns where statements may begin in a line: after its semicolons, last. */
function starts(line) {
  const found = [line.length - line.trimStart().length];
  for (let at = line.lastIndexOf(';'); at !== -1;
    at = at === 0 ? -1 : line.lastIndexOf(';', at - 1)) {
    const rest = line.slice(at + 1);
    if (rest.trim() !== '')
      found.push(at + 1 + rest.length - rest.trimStart().length);
  }
  return found;
}

/*
 * Whether the code is an expression from here on, and what is before it a
 * program by itself; fault() tells what does not parse. An assignment is none,
 * as nothing can be assigned to a sum.
 */
function isLast(head, tail, fault) {
  if (NO_EXPRESSION.test(tail))
    return false;
  const anew = /(?:^|;)\s*$/.test(head);
  if (!BEGINS.test(tail) && !(anew && BEGINS_ANEW.test(tail)))
    return false;
  const body = tail.replace(END, '');
  return fault(`(1 +\n${body}\n)`) === null && fault(head) === null;
}

/*
 * Returns where the last expression begins and ends, or null where the last
 * statement is none, or where that is not certain.
 */
function lastExpression(code, fault) {
  const end = code.trimEnd().length;
  let from = end;
  if (code.length > BYTES_MOST)
    return null;
  for (let lines = 0; from > 0 && lines < LINES_MOST; lines++) {
    const begin = code.lastIndexOf('\n', from - 1) + 1;
    for (const skip of starts(code.slice(begin, from))) {
      const at = begin + skip;
      const tail = code.slice(at, end);
      if (isLast(code.slice(0, at), tail, fault))
        return fault(code) === null ?
          { at, end: at + tail.replace(END, '').length } : null;
    }
    from = begin - 1;
  }
  return null;
}

/* Returns the number of a line, from 1, and of a column, at a place. */
function position(code, at) {
  const before = code.slice(0, at);
  const line = before.split('\n').length;
  return { line, column: at - before.lastIndexOf('\n') };
}

/*
 * Returns the text that runs, and what was put into its lines: columns behind
 * these are further right than in the code. A program is a module, whatever it
 * looks like; it is that which was started.
 */
export function prepared(code, fault, { echo, main }) {
  const shifts = [];
  let text = code.startsWith('#!') ? `//${code.slice(2)}` : code;
  const last = echo ? lastExpression(text, fault) : null;
  if (last !== null) {
    const put = `${KEEP}((`;
    shifts.push({ ...position(text, last.at), by: put.length });
    text = `${text.slice(0, last.at)}${put}${text.slice(last.at, last.end)}` +
      `\n))${text.slice(last.end)}`;
  }
  if (main !== '' && text.includes('import.meta.main')) {
    shifts.push({ line: 1, column: 1, by: main.length });
    text = main + text;
  }
  return { text: `${text}\nexport {};\n`, shifts };
}
