/*
 * What the code sees: runtime, mcp and a proxy for each server.
 *
 * Every function of runtime has the name that JavaScript would give it, and
 * the one that the library for Python has.
 */
import * as calls from './calls.mjs';
import { didYouMean, snake } from './names.mjs';
import { ArgumentError, Call, MCPError, Result } from './result.mjs';
import {
  box, findServer, knownServers, noServer, serverOf,
} from './servers.mjs';
import * as shown from './shown.mjs';

const INSPECT = Symbol.for('nodejs.util.inspect.custom');
/*
 * What engines call unasked, so that a tool of this name has none here, and
 * what engines and libraries look for in any object.
 */
const UNASKED = ['then', 'toJSON', 'toString', 'valueOf'];
const PROBED = new Set([...UNASKED, 'constructor', 'prototype', 'default',
  '__esModule', '$$typeof', 'nodeType', 'asymmetricMatch', 'hasOwnProperty',
  'isPrototypeOf', '__proto__']);
const MEMBERS = {}; // of runtime
const PROXIES = new Map(); // by name of the server

const docs = () => import('./docs.mjs');
const stored = () => import('./stored.mjs');

/* Returns a member that an object itself has, or its prototype. */
const own = (target, key) => Reflect.get(target, key, target);

/* Returns what shows itself as this text. */
const showing = (text) => Object.defineProperties({}, {
  [INSPECT]: { configurable: true, value: () => text },
  toString: { configurable: true, value: () => text },
});

/*
 * Returns what the code has of a server: its tools, by all their names. Which
 * there are is asked for when one is called.
 */
export function proxyOf(server) {
  if (PROXIES.has(server.name))
    return PROXIES.get(server.name);
  const tools = new Map();
  const tool = (name) => {
    if (!tools.has(name))
      tools.set(name, Object.defineProperty((...args) =>
        calls.callTool(server, name, args), 'name', { value: name }));
    return tools.get(name);
  };
  const proxy = new Proxy(showing(`[MCP server ${server.name}]`), {
    get: (target, key) => typeof key === 'symbol' ||
      PROBED.has(key) && (UNASKED.includes(key) || !server.find(key)) ?
      own(target, key) : tool(key),
    has: (target, key) => typeof key === 'string' &&
      server.find(key) !== undefined,
    ownKeys() {
      if (server.entries === null)
        throw new TypeError(`the tools of ${server.name} were not asked for: ` +
          `write await runtime.listTools("${server.name}")`);
      return server.tools().map((entry) => entry.tool);
    },
    getOwnPropertyDescriptor: (target, key) => server.find(key) &&
      { value: tool(key), enumerable: true, configurable: true },
    set() {
      throw new TypeError(`the tools of ${server.name} cannot be changed`);
    },
  });
  PROXIES.set(server.name, proxy);
  return proxy;
}

/* The object mcp: the servers, by their names and aliases, then runtime. */
export const servers = new Proxy(MEMBERS, {
  get(target, key) {
    if (typeof key === 'symbol')
      return own(target, key);
    const server = findServer(key);
    if (server)
      return proxyOf(server);
    if (PROBED.has(key) || key in target)
      return own(target, key);
    throw new MCPError(`mcp has no ${key}: ${noServer(key)}`);
  },
  has: (target, key) => typeof key === 'string' &&
    findServer(key) !== undefined,
  ownKeys: () => knownServers().map(({ name }) => name),
  getOwnPropertyDescriptor: (target, key) => findServer(String(key)) &&
    { value: proxyOf(findServer(key)), enumerable: true, configurable: true },
});

/* Returns the options of a call that may be in their places, too. */
const options = (values, names) => {
  const last = values.findLast((each) => each !== undefined);
  const named = typeof last === 'object' && last !== null ? last : {};
  return Object.fromEntries(names.map((name, at) => [name,
    typeof values[at] === 'object' || values[at] === undefined ?
      named[name] : values[at]]));
};

/* Functions that answer with a promise. */
const ASKING = {
  callTool: calls.callByName,

  /* Lists the tools of a server, with their schemas. */
  async listTools(server) {
    if (server === undefined)
      throw new MCPError(`listTools() needs the name of a server; ${
        noServer('').split('; ').at(-1)}`);
    const entries = await calls.listTools(server);
    return (await docs()).toolsOf(entries);
  },

  describeServer: async (name) => (await docs()).describe(name),

  /* Describes the tools of a server, or one: (server, tool, detail). */
  async queryToolDocs(server, ...more) {
    const { tool, detail = 'summary' } = options(more, ['tool', 'detail']);
    const { checkDetail, query, types } = await docs();
    checkDetail(detail);
    return detail === 'types' ? types(server, tool) :
      query(server, tool, detail);
  },

  /* Searches the tools of all servers: (text, {limit, detail}). */
  async searchToolDocs(text, ...more) {
    const { limit = 5, detail = 'summary' } =
      options(more, ['limit', 'detail']);
    const { checkDetail, search } = await docs();
    checkDetail(detail);
    if (typeof text !== 'string' || !Number.isInteger(limit) || limit < 1)
      throw new TypeError('searchToolDocs(text, {limit: 5}): text is a ' +
        'string of words, and limit an integer of at least 1');
    return search(text, limit, detail);
  },

  /* Loads a server, and returns it. */
  async loadServer(name) {
    const server = await serverOf(name);
    await server.load();
    return proxyOf(server);
  },

  types: async (server, tool) => (await docs()).types(server, tool),

  show: shown.show,
  progress: shown.progress,
  resources: calls.resources,
  resourceTemplates: calls.resourceTemplates,
  readResource: calls.readResource,
  prompts: calls.prompts,
  getPrompt: calls.getPrompt,
  complete: calls.complete,
};

/* The same, of the store, where the code may use it. */
const STORED = ['saveMemory', 'loadMemory', 'updateMemory', 'deleteMemory',
  'listMemories', 'memoryExists', 'getMemoryInfo', 'output'];

/* What answers at once. */
const AT_ONCE = {
  /* Returns the names of all servers, or what is known of them. */
  discoveredServers(detailed = false) {
    if (box.failure)
      throw box.failure;
    return knownServers().map(({ name, description }) =>
      detailed ? { name, description } : name);
  },

  capabilitySummary: (detail = 'summary') => box.manual(detail),

  /* Returns the names of the loaded servers. */
  listServers: () => knownServers().filter(({ loaded }) => loaded)
    .map(({ name }) => name),

  listLoadedServerMetadata: () => knownServers().filter(({ loaded }) => loaded)
    .map((server) => server.told()),

  /* Changes how calls behave, and returns how they do. */
  configure({ raiseOnError, raise_on_error: other } = {}) {
    box.raiseOnError = raiseOnError ?? other ?? box.raiseOnError;
    return { raiseOnError: box.raiseOnError };
  },

  saveFile: shown.saveFile,
  listFiles: shown.listFiles,
};

/* Returns the object runtime. */
export function makeRuntime() {
  const members = Object.assign(MEMBERS, { MCPError, ArgumentError, Result });
  const add = (name, value) => {
    members[name] = value;
    members[snake(name)] = value;
  };
  for (const [name, run] of Object.entries(ASKING))
    add(name, (...args) => Call.of(`runtime.${name}`, async () =>
      run(...args)));
  for (const name of box.memory ? STORED : [])
    add(name, (...args) => Call.of(`runtime.${name}`, async () =>
      (await stored())[name](...args)));
  for (const [name, run] of Object.entries(AT_ONCE))
    add(name, run);
  return new Proxy(members, {
    get(target, key) {
      if (key in target || typeof key === 'symbol' || PROBED.has(key))
        return own(target, key);
      const server = findServer(key);
      if (server)
        return proxyOf(server);
      throw new TypeError(`runtime has no ${key}${
        didYouMean(key, Object.keys(members).filter((name) =>
          name.includes('_') === key.includes('_')))}`);
    },
  });
}
