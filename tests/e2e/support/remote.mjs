/*
 * A remote MCP server of ours, in this process: Streamable HTTP as the versions
 * with sessions have it, and what goes wrong with it, by the path.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { folder } from './program.mjs';

const tool = (name) => ({ name, description: name,
  inputSchema: { type: 'object' } });

/* Reads a body as JSON. */
async function read(request) {
  let text = '';

  for await (const part of request.setEncoding('utf8'))
    text += part;
  return text === '' ? null : JSON.parse(text);
}

const event = (id, message) => `id: ${id}\r\nevent: message\r\n` +
  `data: ${message === undefined ? '' : JSON.stringify(message)}\r\n\r\n`;

/* A key and its certificate, signed by itself, for these names. */
export function certificate(t, names, days = '2', name = 'x') {
  const place = folder(t);
  const openssl = (...args) => {
    const done = spawnSync('openssl', args, { cwd: place });

    assert.equal(done.status, 0, String(done.stderr));
  };

  openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt',
    'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key', '-out', 'first',
    '-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`);
  openssl('x509', '-in', 'first', '-signkey', 'key', '-days', days, '-out',
    'cert');
  return { key: fs.readFileSync(`${place}/key`),
    cert: fs.readFileSync(`${place}/cert`) };
}

/*
 * Starts it. heard has each request (method, path, headers, message); odd, by
 * name of a path, answers it in its own way and returns true. tls has a key and
 * a certificate.
 */
export async function serveRemote(t, { odd = {}, tls, tools = ['echo'] } = {}) {
  const heard = [];
  const state = { heard, sessions: new Set(), streams: new Set(), tools,
    number: 0 };
  const result = (message) => ({
    'initialize': { protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true }, logging: {} },
      serverInfo: { name: 'remote', version: '1' } },
    'tools/list': { tools: state.tools.map(tool) },
    'tools/call': { content: [{ type: 'text',
      text: JSON.stringify(message.params?.arguments) }] },
  })[message.method] ?? {};
  const server = (tls ? https : http).createServer(tls ?? {},
    async (request, response) => {
      const { method, url, headers } = request;
      const message = await read(request);
      const session = headers['mcp-session-id'];
      const json = (value, more = {}) => response.writeHead(200,
        { 'content-type': 'application/json', ...more })
        .end(JSON.stringify(value));

      heard.push({ method, url, headers, message });
      if (await odd[url]?.({ request, response, message, state, json, result,
        event }))
        return;
      if (method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': hello\n\n');
        state.streams.add(response);
      } else if (method === 'DELETE') {
        state.sessions.delete(session);
        response.writeHead(200).end();
      } else if (message.method !== 'initialize' &&
        !state.sessions.has(session)) {
        response.writeHead(404).end();
      } else if (message.id === undefined) {
        response.writeHead(202).end();
      } else {
        const more = {};

        if (message.method === 'initialize') {
          more['mcp-session-id'] = `session-${++state.number}`;
          state.sessions.add(more['mcp-session-id']);
        }
        json({ jsonrpc: '2.0', id: message.id, result: result(message) }, more);
      }
    });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  state.origin = `${tls ? 'https' : 'http'}://127.0.0.1:${
    server.address().port}`;
  state.port = server.address().port;
  /* Sends a message unasked. */
  state.send = (message) => state.streams.forEach((each) =>
    each.write(event(1, { jsonrpc: '2.0', ...message })));
  return state;
}
