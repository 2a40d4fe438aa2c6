/*
 * What is known of the servers of this execution, loaded or not, and the
 * requests to the relay.
 */
import { MCPError, ArgumentError } from './result.mjs';
import { alike, didYouMean, listed, plain } from './names.mjs';
import { Refused } from './wire.mjs';

/* What the bootstrap hands over, and what runtime.configure() sets. */
export const box = {
  wire: null, memory: false, progress: false, source: '', raiseOnError: true,
  failure: null, // why the servers could not be listed before the code
  manual: null, // what makes the manual, if the code names it
};
const KNOWN = new Map(); // by name: Server

/*
 * Returns the answer that is promised; refusals become MCPError. about has the
 * server and the tool, if there are any.
 */
async function answered(answer, about) {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Refused))
      throw error;
    const { code, data } = error.error;
    throw new (error.unfit ? ArgumentError : MCPError)(
      error.message, { ...about, code, data });
  }
}

/* Sends a request, an object or its JSON text, and returns the answer. */
export const ask = (payload, about) =>
  answered(box.wire.request(payload), about);

/* A server, and its tools once they are asked for. */
export class Server {
  entries = null; // of tools, by name; null: not asked for
  failed = false; // whether a search went on without it
  #aliases = new Map();
  #fetch = null;

  constructor({ name, alias, description, loaded }) {
    Object.assign(this, { name, alias, loaded });
    this.description = description ?? '';
  }

  /* Returns what list_servers says of it. */
  told() {
    const { name, alias, description, loaded } = this;
    return { name, alias, description, loaded };
  }

  /* Loads the server if it is not yet. */
  async load() {
    if (!this.loaded)
      await ask({ type: 'load_server', server: this.name },
        { server: this.name });
    this.loaded = true;
  }

  /*
   * Asks for the tools; callers at the same time share one request. Where a
   * remembered list will do, the server need not be started for it.
   */
  async list(remembered = false) {
    if (this.#fetch === null || this.#fetch.remembered && !remembered) {
      const answer = box.wire.request({ type: 'list_tools', server: this.name,
        remembered });
      const fetch = { remembered, answer, callers: 0 };
      this.#fetch = fetch;
      fetch.kept = answered(answer, { server: this.name }).then((list) =>
        this.#keep(list)).finally(() => {
        this.#fetch = this.#fetch === fetch ? null : this.#fetch;
      });
    }
    this.#fetch.callers++;
    await this.#fetch.kept;
    return this;
  }

  /* The caller of list() does not wait any more. */
  giveUp() {
    if (this.#fetch !== null && --this.#fetch.callers === 0)
      box.wire.cancel(this.#fetch.answer);
  }

  #keep({ tools, aliases, shapes = {}, ...about }) {
    this.entries = new Map();
    this.#aliases = new Map();
    Object.assign(this, { unusable: {}, cut: undefined }, about);
    tools.forEach((tool, at) => {
      const entry = { name: tool.name, server: this.name,
        serverAlias: this.alias, tool: tool.name, toolAlias: aliases[at] };
      for (const key of ['title', 'description', 'inputSchema',
        'outputSchema'])
        if (tool[key] !== undefined)
          entry[key] = tool[key];
      if (shapes[tool.name] && typeof tool.outputSchema !== 'object')
        entry.seen = shapes[tool.name];
      if (!this.#aliases.has(aliases[at]))
        this.#aliases.set(aliases[at], entry);
      if (!this.entries.has(tool.name))
        this.entries.set(tool.name, entry);
    });
  }

  /* Returns the entries of the tools that have an alias of their own. */
  tools() {
    return [...this.#aliases.values()];
  }

  /*
   * Returns the entry of a tool: by its own name, its alias, or else the one
   * name that is spelled alike.
   */
  find(name) {
    return this.entries?.get(name) ?? this.#aliases.get(name) ??
      alike(name, [...this.entries?.values() ?? []], (entry) => [entry.tool]);
  }

  /* Returns the sentence about a tool that there is not. */
  missing(name) {
    const why = Object.entries(this.unusable).find(([tool]) =>
      plain(tool) === plain(name))?.[1] ?? this.cut;
    if (why)
      return `the tool ${name} cannot be used: ${why}`;
    const names = [...this.entries.keys()];
    return `there is no such tool${didYouMean(name, names) ||
      `; it has: ${listed(names.sort())}`}`;
  }

  /* Returns the entry of a tool, for which the list is asked for if needed. */
  async tool(name) {
    if (!this.find(name))
      await this.list();
    const entry = this.find(name);
    if (!entry)
      throw new MCPError(this.missing(name), { server: this.name, tool: name });
    return entry;
  }
}

/* Makes what is told of a server known, and returns the server. */
export function learn(told) {
  if (!KNOWN.has(told.name))
    KNOWN.set(told.name, new Server(told));
  return KNOWN.get(told.name);
}

/* Returns all permitted servers, as the broker tells of them. */
export const listServers = async () =>
  (await ask({ type: 'list_servers' })).map(learn);

/* Returns the servers that are known already. */
export const knownServers = () => [...KNOWN.values()];

/* Returns the one known server that a name means, or undefined. */
export function findServer(name) {
  const all = knownServers();
  const names = (each) => [each.name, each.alias];
  return KNOWN.get(name) ?? all.find((each) => each.alias === name) ??
    alike(name, all, names) ?? alike(name.replace(/^mcp_/i, ''), all, names);
}

/* Returns the sentence about a server that there is not. */
export function noServer(name) {
  if (box.failure)
    return `the servers cannot be listed: ${box.failure.message}`;
  const names = knownServers().map((server) => server.name);
  return `there is no such server${didYouMean(name, names)}; there are: ${
    listed(names)}`;
}

/* Returns a permitted server by its name or alias. */
export async function serverOf(name) {
  if (typeof name !== 'string')
    throw new TypeError('a server is given by its name, not by a value of ' +
      `type ${typeof name}`);
  if (!findServer(name))
    await listServers();
  const server = findServer(name);
  if (!server)
    throw new MCPError(noServer(name), { server: name });
  return server;
}
