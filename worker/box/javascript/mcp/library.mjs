/*
 * The library for the code, which sees the user's MCP servers by it: its global
 * names, and the modules that it can import.
 */
import {
  box, findServer, knownServers, learn, listServers, noServer, Server,
} from './servers.mjs';
import { makeRuntime, proxyOf, servers } from './runtime.mjs';
import { note } from './seen.mjs';
import { lastProgress, morePictures } from './shown.mjs';
import { Wire } from './wire.mjs';

const REHEARSED = 2; // calls
const CALL = 'write await mcp_<alias>.<tool>({...}), or await ' +
  'runtime.callTool(server, tool, {...})';
const CLIENTS = /^(?:client|session|tools|functions|default_api)$/;
/* How the engines say that a name is not defined, or a module not there. */
const UNDEFINED = /^(\w+) is not defined|^Can't find variable: (\w+)/;
const SDK = /(?:package|module)[:']? .*(?:@modelcontextprotocol|fastmcp)/;

/*
 * Returns the names that the code is to have, and the files of the modules that
 * it can import, by their names. frame is the run frame.
 */
export async function open(wire, frame, code) {
  Object.assign(box, { wire, memory: frame.memory === true,
    progress: frame.progress === true, source: code });
  for (const told of frame.servers ?? [])
    learn({ ...told, loaded: true });
  if (/\bmcp|discovered_?servers|capability_?summary/i.test(code))
    await listServers().catch((error) => {
      box.failure = error;
    });
  if (/capability_?summary/i.test(code))
    box.manual = await (await import('./docs.mjs')).manualMaker();
  const runtime = makeRuntime();
  const globals = { runtime, mcp: servers, mcp_servers: servers,
    MCPError: runtime.MCPError };
  for (const server of knownServers())
    globals[`mcp_${server.alias}`] ??= proxyOf(server);
  process.on('exit', (status) => finish(status !== 0));
  if (!/['"`]mcp\b/.test(code))
    return { globals, modules: new Map() };
  const { writeModules } = await import('./modules.mjs');
  return { globals, modules: await writeModules(code, runtime, servers) };
}

/* Calls a tool of no server, as everything takes longer at first. */
export async function rehearse() {
  const answers = { call_tool: { content: [{ type: 'text', text: '{}' }] },
    list_tools: { tools: [{ name: 'a', inputSchema: {} }], aliases: ['a'] } };
  let take;
  const write = (text) => {
    const { id, payload: { type } } = JSON.parse(text);
    setImmediate(() => take(new TextEncoder().encode(`${JSON.stringify({
      type: 'rpc_response', id, success: true, payload: answers[type] })}\n`)));
  };
  const from = (fd, taken) => {
    take = taken;
    return { listen() {} };
  };
  box.wire = new Wire({ first: {}, write, from });
  const server = proxyOf(new Server({ name: '', alias: '', loaded: true }));
  for (let call = 0; call < REHEARSED; call++)
    await server.a({ a: call });
}

/* Sends the notes at the end of the code, and the progress held back. */
function finish(failed) {
  lastProgress();
  for (const text of [morePictures(), note(failed)])
    if (text !== null)
      box.wire.send({ type: 'note', text });
}

/* Returns the sentence about a name that is not defined, or null. */
function aboutName(name) {
  if (CLIENTS.test(name))
    return `there is no ${name} here: ${CALL}`;
  const alias = /^mcp_(\w+)$/.exec(name)?.[1];
  if (!alias)
    return null;
  if (knownServers().length === 0)
    return 'no servers are configured';
  const server = findServer(alias);
  if (server)
    return `the server ${server.name} is mcp_${server.alias}`;
  const joined = knownServers().find((each) =>
    alias.startsWith(`${each.alias}_`));
  return joined ? `the server ${joined.name} is mcp_${joined.alias}, and its ` +
    `tools are called as mcp_${joined.alias}.tool({...})` : noServer(alias);
}

/* Returns the hint at what has ended the code, or null. */
export function hintOf({ message }) {
  const name = UNDEFINED.exec(message)?.slice(1).find(Boolean);
  return name ? aboutName(name) : SDK.test(message) ?
    `the servers are here already: ${CALL}` : null;
}
