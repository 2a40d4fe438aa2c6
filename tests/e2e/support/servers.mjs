/*
 * Downstream servers for the program under test: those of the MCP project,
 * and the odd one of ours; the configuration that names them, and Python that
 * calls them.
 *
 *   CAISSON_SERVERS  a copy of this folder's parent that the user of the
 *                    program can read, where this one is not readable
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { processes } from './processes.mjs';
import { file } from './program.mjs';
import { until } from './wait.mjs';

const place = process.env.CAISSON_SERVERS ??
  path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/* The entry of a server of the MCP project. */
export function official(name, args = [], more = {}) {
  return {
    command: process.execPath,
    args: [path.join(place, 'node_modules/@modelcontextprotocol',
      `server-${name}/dist/index.js`), ...args],
    ...more,
  };
}

/* The entry of our odd server (see hostile.py), unlike any other. */
export function hostile(...options) {
  return {
    command: '/usr/bin/python3',
    args: ['-IS', path.join(place, 'support/hostile.py'), ...options,
      `mark=${randomInt(2 ** 40)}`],
  };
}

/* The entry of the server that the manual's examples call. */
export function example() {
  return { command: process.execPath,
    args: [path.join(place, 'support/example.mjs')] };
}

/*
 * The entry of our server with so many tools (see tools.py): number tells which
 * ones, starts is the file into which it writes a line when it starts.
 */
export function toolServer(number, count, starts, options = [], more = {}) {
  return {
    command: '/usr/bin/python3',
    args: ['-I', path.join(place, 'support/tools.py'), `${number}`,
      `${count}`, starts, ...options],
    ...more,
  };
}

/* The processes of the server of this entry, with any parent. */
export function serving({ command, args = [] }) {
  const whole = [command, ...args].join(' ');

  return processes().filter((entry) =>
    entry.state !== 'Z' && entry.command === whole);
}

/* The one process of the server of this entry, now or soon. */
export async function served(entry) {
  return (await until(() => serving(entry), 'the server to run'))[0];
}

/* Waits until no process of these entries is left. */
export async function unserved(...entries) {
  await until(() => entries.every((entry) => serving(entry).length === 0),
    'the end of the servers');
}

/* Replaces the file at once, as editors do. */
export function configure(place, entries) {
  fs.writeFileSync(`${place}.new`, JSON.stringify({ mcpServers: entries }));
  fs.chmodSync(`${place}.new`, 0o644);
  fs.renameSync(`${place}.new`, place);
}

/* Options for Raw and connect: the program knows these servers. */
export function withServers(t, entries, { env = {}, ...more } = {}) {
  const place = file(t, 'servers.json', '');

  configure(place, entries);
  return { place, env: { CAISSON_SERVERS_CONFIG: place, ...env }, ...more };
}

/* A Python expression for a value that JSON can carry. */
export const python = (value) =>
  `__import__("json").loads(${JSON.stringify(JSON.stringify(value))})`;

/* Gives attempt(): what a call came to, error or not, as plain values. */
export const prelude = `
import asyncio, json
from mcp import runtime
async def attempt(server, tool, arguments):
    try:
        result = await runtime.call_tool(server, tool, arguments)
    except runtime.MCPError as error:
        return {"error": str(error), "server": error.server,
                "tool": error.tool}
    return {"text": result.text}
`;

/* One call of one tool in an execution of its own; what attempt() gave. */
export async function attempt(raw, server, tool, args = {}, more = {}) {
  const lines = await raw.printed(`${prelude}
print(json.dumps(await attempt(${python(server)}, ${python(tool)},
    ${python(args)})))`, { servers: [server], timeout: 100, ...more });

  return JSON.parse(lines.at(-1));
}

/* The call failed, with one sentence that names the server and says this. */
export function assertFailed(outcome, server, words = /./) {
  assert.equal(outcome.text, undefined, JSON.stringify(outcome));
  assert.equal(outcome.server, server);
  assert.ok(outcome.error.includes(server),
    `${JSON.stringify(outcome.error)} names ${server}`);
  assert.match(outcome.error, words);
  assert.doesNotMatch(outcome.error, /Traceback|\[object|undefined/);
}

/* Calls of the well-behaved server with this name work. */
export async function assertServes(raw, server) {
  const args = { text: `still there? ${randomInt(2 ** 40)}` };
  const outcome = await attempt(raw, server, 'echo', args);

  assert.equal(outcome.error, undefined);
  assert.deepEqual(JSON.parse(outcome.text), args);
}

/* The lines that a server with log=FILE has read up to now. */
export function heard(log) {
  const text = fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : '';

  return text.split('\n').slice(0, -1)
    .map((line) => line === 'EOF' ? line : JSON.parse(line));
}

/* Waits until the server has read something like this; returns it. */
export async function hears(log, match, what) {
  return until(() => heard(log).find(match), what);
}
