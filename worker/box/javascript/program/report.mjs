/*
 * Errors that end a program, as the engine would print them, but without frames
 * of ours, and with the line of the code.
 */
import * as fs from 'node:fs';
import { complain, inspect } from './output.mjs';

const OURS = new URL('..', import.meta.url).pathname;
/* What engines name the program where they have changed it. */
const STRIPPED = 'file:///stripTypeScriptTypes.ts';
const ENGINE = /\(?(?:node:|ext:|native:|bun:|internal:|\[native|native\b)/;
const PLACE = /(\(?)((?:file:\/\/)?\/[^()]*?):(\d+):(\d+)\)?$/;
/* How engines refuse what is not in the box: by its name, or its address. */
const PACKAGE = new RegExp("^(?:Error: )?Cannot find (?:package|module) '[^./]|" +
  '^ENOENT reading "https?:|^Only URLs with a scheme|--no-remote|' +
  '^Could not find a matching package');
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
  '^fetch failed$|^error sending request|^(?:E\\w+: )?Unable to connect', 'i');
const OFFLINE = 'there is no network here: only tools of MCP servers reach ' +
  'outside; await runtime.searchToolDocs("...") finds them';
/* How engines refuse to open a port. */
const LISTEN = /^listen E(?:PERM|ACCES)\b|^EPERM: .*, listen$/;
const NO_PORT = 'nothing can connect to the sandbox: export the app as ' +
  'default, and call it by the argument request';
/* How engines refuse code that starts itself again. */
const ITSELF = /^(?:Cannot find module|Module not found) .*\/run_javascript\.ts/;
const NO_FILE = 'the code is no file: have a worker thread run a text, by new ' +
  'Worker(text, { eval: true }) of node:worker_threads';
/* How V8 refuses the mark of a decorator, and a line with one. */
const MARK = /^Invalid or unexpected token/;
const DECORATOR = /^(?:[^*/'"`]*[\s{;])?@\w/;
const NO_DECORATORS = 'only bun runs decorators (CAISSON_JAVASCRIPT): call ' +
  'them as functions';
/* How deno ends the message of code that it cannot compile. */
const UNCOMPILED = /\s+at (file:\S+):(\d+):(\d+)$/;
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

/* Returns which packages there are, for code that has imported another. */
function packages() {
  try {
    const names = fs.readdirSync(PACKAGES).filter((name) => !/^\./.test(name));
    return `no other package can be installed here; in ${PACKAGES} are ${
      names.length > PACKAGES_SHOWN ? `${names.length} packages` :
        names.join(', ')}`;
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
  return LISTEN.test(message) ? NO_PORT : ITSELF.test(message) ? NO_FILE :
    PACKAGE.test(message) ? packages() :
    NETWORK.test(message) ? OFFLINE : FOREIGN.test(message) ? NO_FILES :
    BIGINT.test(message) ? WRITE_BIGINT : null;
}

/* What the errors of one program are told with. */
export class Reporter {
  #main;
  #path;
  #lines;
  #shifts;
  #about;

  constructor({ main, code, shifts, about }) {
    this.#main = main;
    this.#path = main.path;
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
      this.#compiled(error);
    return `${first ? this.#excerpt(first.line, first.column) : ''}` +
      `${this.#described(error, frames, 0)}\n${this.#hint(error)}`;
  }

  /*
   * Returns where code was not compiled: it begins the stack of Node.js, and ends
   * the message of deno, which is told a place in what the types were taken from.
   */
  #compiled({ message, stack }) {
    const [, path, line, column] = /^(\S+):(\d+)\n/.exec(stack) ??
      UNCOMPILED.exec(message) ?? [];
    return path && this.#pathOf(path) === this.#path &&
      !(column && this.#main.moved) ?
      { line, column: this.#column(Number(line), Number(column)) } : undefined;
  }

  /* Returns the hint at what the error is about. */
  #hint(error) {
    const { message } = error;
    const hint = RETURN.test(message) ? NO_RETURN :
      MARK.test(message) && this.#lines.some((line) => DECORATOR.test(line)) ?
        NO_DECORATORS : this.#about(error) ?? hintOf(error);
    return hint === null ? '' : `hint: ${hint}\n`;
  }

  /* An error, its frames, and what caused it. */
  #described(error, frames, depth) {
    const parts = [this.#head(error), ...frames.map((frame) => frame.text)];
    if (depth < CAUSES_MOST && isArray(error.errors))
      for (const each of error.errors.slice(0, CAUSES_MOST))
        parts.push(`  [error]: ${this.#inner(each, depth)}`);
    if (depth < CAUSES_MOST && error.cause !== undefined)
      parts.push(`  [cause]: ${this.#inner(error.cause, depth)}`);
    return parts.join('\n');
  }

  /* The first lines of an error, without a place that is told above them. */
  #head(error) {
    const head = headOf(error);
    const [place, path] = UNCOMPILED.exec(head) ?? [];
    return place && this.#pathOf(path) === this.#path ?
      head.slice(0, -place.length) : head;
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
      const called = text.slice(0, found.index).replace(/ <anonymous>\s*$/,
        ' ');
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
