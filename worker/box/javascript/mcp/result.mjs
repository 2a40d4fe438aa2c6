/*
 * The outcome of a call: a promise, a result, or an error of one class.
 */
import { read, write } from './json.mjs';
import { guarded } from './misread.mjs';
import { listed } from './names.mjs';
import { isObject } from './schema.mjs';

const SHOWN_MAX = 2000; // characters of a message
const UNSHOWN_MAX = 64; // errors that are remembered
const UNSHOWN = new Map(); // errors that no code has shown: their messages
const WRAPPER = 'result'; // the key by which SDKs wrap what is no object
const MARK = 'x-fastmcp-wrap-result'; // in the output schema of such a tool
const HERE = new URL('..', import.meta.url).pathname;
const OURS = [HERE, '<anonymous>', 'native code', 'node:internal'];
const SHOWN = Symbol.for('nodejs.util.inspect.custom');
/* What libraries and habits look for, and a result does not have. */
const ABSENT = new Set(['catch', 'toJSON', 'error', '_meta', 'content',
  'structuredContent', 'nodeType', '$$typeof', 'asymmetricMatch', 'inspect']);
/* What results and lists have, and promises have not. */
const OF_RESULTS = ['text', 'data', 'blocks', 'content', 'structuredContent',
  'isError', 'length', 'map', 'filter', 'forEach', 'find', 'slice', 'join',
  'contents', 'messages', 'toJSON', Symbol.iterator, Symbol.toPrimitive];

/*
 * A server, a tool or a call could not be used, or failed. message names the
 * server and the tool before the reason. result is the result of a tool that
 * reported an error itself; code and data are those of a JSON-RPC error.
 */
export class MCPError extends Error {
  static { this.prototype.name = 'MCPError'; }

  constructor(reason, { server, tool, result, code, data } = {}) {
    const text = String(reason).toWellFormed();
    const named = [server, tool].filter(Boolean).join('.');
    super((named ? `${named}: ` : '') + (text.length <= SHOWN_MAX ? text :
      `${text.slice(0, SHOWN_MAX)}... (${text.length} characters)`));
    Object.assign(this, { server, tool, result, code, data });
    for (const key of ['server', 'tool', 'result', 'code', 'data'])
      if (this[key] === undefined)
        delete this[key];
  }
}

/* Shows an error without our part of its stack, and its members. */
Object.defineProperty(MCPError.prototype, SHOWN, { value() {
  return [`${this.name}: ${this.message}`, ...codeOf(this)].join('\n');
} });

/* A tool has no such argument, or lacks one. Nothing was sent. */
export class ArgumentError extends MCPError {
  static { this.prototype.name = 'ArgumentError'; }
}

/* Returns the lines of a stack that are calls. */
const framesOf = ({ stack }) => String(stack).split('\n').filter((line) =>
  /^\s+at /.test(line));

/* Returns those of the code. */
const codeOf = (error) => framesOf(error).filter((line) =>
  !OURS.some((each) => line.includes(each)));

/*
 * Returns an error of ours with the stack of the code that has made the call.
 * deno makes an error whose stack was set another one, without its class.
 */
function placed(error, site) {
  if (!(error instanceof Error) || !framesOf(error)[0]?.includes(HERE))
    return error;
  Object.setPrototypeOf(site, Object.getPrototypeOf(error));
  Object.assign(site, error);
  const { message } = error;
  const frames = codeOf(site);
  if (!process.versions.deno)
    site.stack = [`${error.name}: ${message}`, ...frames].join('\n');
  const isTold = error instanceof ArgumentError && UNSHOWN.size < UNSHOWN_MAX;
  if (isTold)
    UNSHOWN.set(site, message);
  Object.defineProperty(site, 'message', isTold ? { get() {
    UNSHOWN.delete(site);
    return message;
  } } : { value: message });
  return site;
}

/* Returns what the errors say that code has caught and not looked at. */
export const unshown = () => [...new Set(UNSHOWN.values())].map((text) =>
  `the code caught an error and did not show it: ${text}`);

/* What a call returns: a promise that says so where code takes it for more. */
export class Call extends Promise {
  static get [Symbol.species]() {
    return Promise;
  }

  /*
   * Returns the call that an async function carries out; name is what the code
   * has called.
   */
  static of(name, run) {
    const site = new Error(name);
    const call = new Call((resolve, reject) => {
      run().then(resolve, (error) => reject(placed(error, site)));
    });
    Object.defineProperty(call, 'called', { value: name });
    return call;
  }
}

/* Refuses what only the result of a call has. */
function refuse() {
  throw new TypeError(`${this.called}() returns a Promise: write 'await' ` +
    'before it');
}
for (const name of OF_RESULTS)
  Object.defineProperty(Call.prototype, name, { get: refuse });
Object.defineProperty(Call.prototype, SHOWN, { value: refuse });

/* Returns the text of a block, also of a resource in it, or undefined. */
function sent(block) {
  const part = block?.type === 'resource' ? block.resource : block;
  const has = part === block ? (block?.type ?? 'text') === 'text' : true;
  return has && typeof part?.text === 'string' ? part.text : undefined;
}

/* Returns how much a text in base64 stands for. */
function sizeOf(data) {
  const size = Math.max(Math.floor(data.length * 3 / 4) -
    data.slice(-2).split('=').length + 1, 0);
  if (size < 1000)
    return `${size} byte${size === 1 ? '' : 's'}`;
  return size < 999500 ? `${Math.floor((size + 500) / 1000)} kB` :
    `${(size / 1e6).toFixed(1)} MB`;
}

/* Returns the text of a block, or a line that says what it is. */
function lineOf(block) {
  const text = sent(block);
  if (text !== undefined)
    return text;
  const kind = block?.type;
  const part = kind === 'resource' ? block.resource : block;
  const data = kind === 'resource' ? part?.blob : part?.data;
  const said = typeof data === 'string' ? [part.mimeType, sizeOf(data)] :
    [part?.name, part?.uri];
  return `[${[kind ?? 'block', ...said].filter((each) =>
    typeof each === 'string').join(' ').replace(/\s+/g, ' ')}]`;
}

/* Returns all text in blocks, and a line for each other one. */
export const textOf = (blocks) => blocks.map(lineOf).join('\n');

/* Returns the object or array that a text is in JSON, or else the text. */
export function parsed(text) {
  if (!/^[ \t\r\n]*[[{]/.test(text))
    return text;
  try {
    return read(text);
  } catch {
    return text;
  }
}

/* Returns whether an output schema declares an object that only wraps. */
function isWrapper(schema) {
  const members = schema?.properties;
  return isObject(members) && Object.keys(members).join() === WRAPPER &&
    (schema[MARK] === true || members[WRAPPER]?.type !== 'object' &&
      members[WRAPPER]?.$ref === undefined);
}

/* Returns what a value is, in a few words. */
function shapeOf(value) {
  if (Array.isArray(value))
    return `a list of ${value.length}${isObject(value[0]) ?
      `; its first item is ${shapeOf(value[0])}` : ''}`;
  if (isObject(value))
    return `an object with the keys ${listed(Object.keys(value))}`;
  return value === null ? 'null' : `a ${typeof value}`;
}

/*
 * The result of a tool: the object that MCP defines, with text, data and
 * blocks. What it has no member for is looked up in its data, by exactly that
 * name; what is not there either throws, with the names that there are.
 */
export class Result {
  #data;
  #schema;
  #read = false;

  constructor(answer, schema) {
    for (const key of Object.keys(answer))
      if (key in this)
        Object.defineProperty(this, key, { value: answer[key], writable: true,
          enumerable: true, configurable: true });
      else // takes less time
        this[key] = answer[key];
    guarded(answer.structuredContent);
    this.#schema = schema;
    return new Proxy(this, LOOKS);
  }

  /* The blocks of its content. */
  get blocks() {
    return Array.isArray(this.content) ? this.content : [];
  }

  /* All text, that of resources too, and a line for each other block. */
  get text() {
    return textOf(this.blocks);
  }

  /*
   * The structured content, or what is wrapped in it; else the JSON object or
   * array that the text is; else the text.
   */
  get data() {
    if (!this.#read) {
      this.#data = this.#find();
      this.#read = true;
    }
    return this.#data;
  }

  #find() {
    const found = this.structuredContent;
    if (found === undefined || found === null) {
      const value = parsed(this.blocks.map(sent).filter((text) =>
        text !== undefined).join('\n'));
      return typeof value === 'string' ? this.text : guarded(value);
    }
    return isObject(found) && Object.keys(found).join() === WRAPPER &&
      isWrapper(this.#schema) ? found[WRAPPER] : found;
  }

  /* Shows the fields alone. */
  [SHOWN]() {
    return Object.fromEntries(Object.entries(this));
  }

  /* Returns the text; without any, the data as JSON. */
  toString() {
    return this.text || (this.structuredContent ?
      write(this.structuredContent, 'data') : '');
  }
}

/* Returns the objects among the data of a result in which names are. */
const within = (result) => [result.structuredContent, result.data].filter(
  isObject);

/* How a result is looked into. */
const LOOKS = {
  get(result, key) {
    if (key in Result.prototype || typeof key === 'symbol' &&
        key !== Symbol.iterator || Object.hasOwn(result, key))
      return Reflect.get(result, key, result);
    if (key === 'isError' || key === 'is_error')
      return result.isError === true;
    if (key === 'then') // await asks for it, of any value
      return undefined;
    const part = within(result).find((each) => Object.hasOwn(each, key));
    if (part)
      return part[key];
    const { data } = result;
    if (Array.isArray(data) && (key in data || /^[0-9]+$/.test(key))) {
      const value = data[key];
      return typeof value === 'function' ? value.bind(data) : value;
    }
    if (ABSENT.has(key))
      return undefined;
    throw new TypeError(`the result has no ${String(key)}: write r.data or ` +
      `r.text; r.data is ${shapeOf(data)}`);
  },

  has(result, key) {
    return Reflect.has(result, key) || within(result).some((part) =>
      Object.hasOwn(part, key));
  },
};

/* Returns why an answer is no result of a tool, or null. */
export function faultOf(answer) {
  if (!isObject(answer))
    return 'the answer is no result of a tool';
  const { content = [], isError = false } = answer;
  const others = Object.keys(answer).filter((key) =>
    key !== 'isError' && key !== '_meta');
  const wrong = !Array.isArray(content) ? 'its "content" is no list' :
    typeof isError !== 'boolean' ? 'its "isError" is no boolean' :
      others.length > 0 && answer.content === undefined &&
        answer.structuredContent === undefined ? 'it has no "content"' : null;
  return wrong && `the answer is no result of a tool, as ${wrong}; ` +
    'error.result has it';
}

/* Returns the data of the result of a tool, and all else as it is. */
export const dataOf = (value) => value instanceof Result ? value.data : value;
