/*
 * Errors that end a program, as the engine would print them, but without frames
 * of ours, and with the line of the code.
 */
import * as fs from 'node:fs';
import { writeAll } from './output.mjs';

const OURS = new URL('..', import.meta.url).pathname;
/* What engines name the program where they have changed it. */
const STRIPPED = 'file:///stripTypeScriptTypes.ts';
const ENGINE = /\(?(?:node:|ext:|native:|bun:|internal:|\[native|native\b)/;
const PLACE = /(\(?)((?:file:\/\/)?\/[^()]*?):(\d+):(\d+)\)?$/;
const PACKAGE = /^(?:Error: )?Cannot find (?:package|module) '[^./]/;
const PACKAGES = '/node_modules';
const PACKAGES_SHOWN = 20;
const NO_PACKAGE = 'no packages are installed here, and none can be: there ' +
  'are built-in modules (node:fs, node:path, ...) and the tools of servers';
/* How engines refuse a return outside of a function. */
const RETURN = /top-level return|illegal return|return statement is not/i;
const NO_RETURN = 'outside of a function, print the value instead, or have it ' +
  'as the last expression';
/* A line of JSX, texts aside, which no engine is told to read. */
const QUOTED = /(["'`]).*?\1/g;
const JSX = /<\/[A-Za-z>]|\/>|<[A-Za-z][\w.-]*\s+[\w-]+=["{]/;
const NO_JSX = 'JSX is not read: call functions, or write template strings, ' +
  'such as html`...` of "hono/html"';
/* How engines say that there is no network. */
const NETWORK = new RegExp('\\bENOTFOUND\\b|\\bEAI_AGAIN\\b|^connect E[A-Z]+|' +
  '^fetch failed$|^error sending request|^Unable to connect', 'i');
const OFFLINE = 'there is no network here: only tools of MCP servers reach ' +
  'outside; await runtime.searchToolDocs("...") finds them';
/* How engines refuse to open a port. */
const LISTEN = /^listen E(?:PERM|ACCES)\b|^EPERM: .*, listen$/;
const NO_PORT = 'nothing can connect to the sandbox: export the app as ' +
  'default, and call it by the argument request';
/* Files that the code can have neither written nor been given. */
const FOREIGN = /^(?:ENOENT|EACCES|No such file).* '\/(?!workspace\/|data\/)/;
const NO_FILES = 'the sandbox has no files of the user: use tools of ' +
  'servers; write files of the code to /workspace/out';
/* How engines refuse a BigInt, which large integers of results are. */
const BIGINT = /\bBigInt\b/;
const WRITE_BIGINT = 'an integer that a number cannot hold is a BigInt: take ' +
  'Number(x), which rounds it, or String(x); in JSON.stringify(value, ' +
  '(key, x) => typeof x === "bigint" ? String(x) : x)';
const CAUSES_MOST = 5;
const LINE_MOST = 160;
const { isArray } = Array;

/* Returns the text of a value; util is loaded where one is shown only. */
export const inspect = (...args) =>
  process.getBuiltinModule('node:util').inspect(...args);

/* Writes a text to standard error, all of it, before anything else happens. */
export function complain(text) {
  try {
    writeAll(2, Buffer.from(text));
  } catch {
    // nothing reads it
  }
}

/* Returns which packages there are, for code that has imported another. */
function packages() {
  try {
    const names = fs.readdirSync(PACKAGES).filter((name) => !/^\./.test(name));
    return `no other package can be installed here; in ${PACKAGES} are ${
      names.length > PACKAGES_SHOWN ? names.length : names.join(', ')}`;
  } catch {
    return NO_PACKAGE;
  }
}

/* Returns the hint at an error that the sandbox explains, or null. */
function hintOf({ message, server }) {
  if (server !== undefined) // of a tool, which ran outside
    return null;
  const name = /^(\w+) is not defined$/.exec(message)?.[1];
  if (name && process.getBuiltinModule(`node:${name}`))
    return `write: import ${name} from "node:${name}"`;
  return LISTEN.test(message) ? NO_PORT : PACKAGE.test(message) ? packages() :
    NETWORK.test(message) ? OFFLINE : FOREIGN.test(message) ? NO_FILES :
    BIGINT.test(message) ? WRITE_BIGINT : null;
}

/* What the errors of one program are told with. */
export class Reporter {
  #path;
  #lines;
  #shifts;
  #about;

  constructor({ path, code, shifts, about }) {
    this.#path = path;
    this.#lines = code.split('\n');
    this.#shifts = shifts;
    this.#about = about;
  }

  /* Prints an error that ends the program, whatever was thrown. */
  tell(error) {
    let text;
    try {
      text = this.#text(error);
    } catch {
      text = 'Uncaught error, which cannot be shown\n';
    }
    complain(text);
  }

  /* Prints why the code does not parse, with the place. */
  tellFault({ message, line, column }) {
    complain(`${this.#excerpt(line, column)}SyntaxError: ${message}\n` +
      (JSX.test(this.#lines[line - 1]?.replace(QUOTED, '""')) ?
        `hint: ${NO_JSX}\n` : this.#hint({ message })));
  }

  #text(error) {
    if (!(error instanceof Error) && typeof error?.stack !== 'string')
      return `Uncaught ${inspect(error)}\n`;
    const frames = this.#frames(error.stack);
    const first = frames.find((frame) => frame.path === this.#path) ??
      this.#compiled(error.stack);
    return `${first ? this.#excerpt(first.line, first.column) : ''}` +
      `${this.#described(error, frames, 0)}\n${this.#hint(error)}`;
  }

  /* Returns where code was not compiled, which begins the stack of Node.js. */
  #compiled(stack) {
    const [, path, line] = /^(\S+):(\d+)\n/.exec(stack) ?? [];
    return path && this.#pathOf(path) === this.#path ? { line } : undefined;
  }

  /* Returns the hint at what the error is about. */
  #hint(error) {
    const hint = RETURN.test(error.message) ? NO_RETURN : this.#about(error) ??
      hintOf(error);
    return hint === null ? '' : `hint: ${hint}\n`;
  }

  /* An error, its frames, and what caused it. */
  #described(error, frames, depth) {
    const parts = [headOf(error), ...frames.map((frame) => frame.text)];
    if (depth < CAUSES_MOST && isArray(error.errors))
      for (const each of error.errors.slice(0, CAUSES_MOST))
        parts.push(`  [error]: ${this.#inner(each, depth)}`);
    if (depth < CAUSES_MOST && error.cause !== undefined)
      parts.push(`  [cause]: ${this.#inner(error.cause, depth)}`);
    return parts.join('\n');
  }

  #inner(error, depth) {
    return typeof error?.stack === 'string' ?
      this.#described(error, this.#frames(error.stack), depth + 1) :
      inspect(error);
  }

  /* Returns the frames of the code and of its modules. */
  #frames(stack) {
    const frames = [];
    for (const text of String(stack).split('\n')) {
      const found = PLACE.exec(text);
      if (!/^\s+at /.test(text) || found === null || ENGINE.test(text))
        continue;
      const path = this.#pathOf(found[2]);
      if (path.startsWith(OURS))
        continue;
      const line = Number(found[3]);
      const column = path === this.#path ?
        this.#column(line, Number(found[4])) : Number(found[4]);
      const place = `${path}:${line}:${column}`;
      const called = text.slice(0, found.index).replace(/<anonymous>\s*$/, '');
      frames.push({ path, line, column,
        text: called.trim() === 'at' || found[1] === '' ?
          `${called}${place}` : `${called}(${place})` });
    }
    return frames;
  }

  #pathOf(name) {
    if (name === STRIPPED)
      return this.#path;
    return name.startsWith('file://') ? decodeURI(new URL(name).pathname) :
      name;
  }

  /* Returns where a column of the text that runs is in the code. */
  #column(line, column) {
    let real = column;
    for (const shift of this.#shifts)
      if (shift.line === line && real >= shift.column + shift.by)
        real -= shift.by;
    return real;
  }

  /* Returns a line of the code with a mark below a column, or nothing. */
  #excerpt(line, column) {
    const text = this.#lines[line - 1];
    if (text === undefined)
      return '';
    if (!(column > 0))
      return `${this.#path}:${line}\n${text.slice(0, LINE_MOST)}\n\n`;
    const place = `${this.#path}:${line}:${column}\n`;
    if (text.length > LINE_MOST)
      return place;
    const before = text.slice(0, column - 1).replace(/[^\t]/g, ' ');
    return `${place}${text}\n${before}^\n\n`;
  }
}

/* Returns the first lines of an error: its name and its message. */
function headOf(error) {
  const stack = String(error.stack);
  const at = stack.search(/^\s+at /m);
  const head = `${error.name}: ${error.message}`;
  const told = (at === -1 ? stack : stack.slice(0, at)).trimEnd();
  return told.endsWith(error.message) && told.startsWith(error.name) &&
    told !== '' ? told : head;
}
