/*
 * Clients that have a token, and the commands of the program that make and
 * revoke them.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { ran } from './program.mjs';
import { fetchAt } from './serve.mjs';
import { until } from './wait.mjs';

export const modern = '2026-07-28';
export const meta = {
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/* Runs a command of the program to its end. */
export function run(home, ...args) {
  return ran({ args, home });
}

/* The same, which must succeed; returns what it has printed. */
export function caisson(home, ...args) {
  const done = run(home, ...args);

  assert.equal(done.status, 0, done.stderr);
  return done.stdout.trim();
}

export const add = (home, ...args) => caisson(home, 'token', 'add', ...args);

/* The clients that have a token, or none. */
export function clientOf(t, url, token, from = {}) {
  const fetch = fetchAt(t, undefined, { token, ...from });
  const postAll = (message, headers = {}, options = {}) => fetch(url, {
    method: 'POST', body: JSON.stringify(message),
    headers: { 'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream', ...headers },
    ...options,
  });
  const post = (message, ...more) =>
    postAll({ jsonrpc: '2.0', id: 1, ...message }, ...more);
  const ask = (method, params = {}, headers = {}, options = {}) =>
    post({ method, params: { ...params, _meta: meta } }, {
      'MCP-Protocol-Version': modern, 'Mcp-Method': method,
      ...(params.name ?? params.uri ?
        { 'Mcp-Name': params.name ?? params.uri } : {}), ...headers,
    }, options);
  const call = (code, options, more = {}) => ask('tools/call',
    { name: 'run_python', arguments: { code, ...more } }, {}, options);
  const begin = async () => (await post({ method: 'initialize', params: {
    protocolVersion: '2025-11-25', capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  } })).headers.get('mcp-session-id');

  return { post, postAll, ask, call, begin,
    run: async (code, more) =>
      (await last(await call(code, {}, more))).result,
    text: async (code, more) =>
      (await last(await call(code, {}, more))).result.content[0].text };
}

/* The last message of an answer, whatever its form. */
export async function last(answer) {
  const text = await answer.text();

  return JSON.parse(answer.headers.get('content-type') ===
    'application/json' ? text : text.split('\n')
      .filter((line) => line.startsWith('data: ')).at(-1).slice(6));
}

export const found = 'server/discover';

/* The log has such a line, or gets it. */
export const said = (log, line) => until(() => line.test(log()), `${line}`);
