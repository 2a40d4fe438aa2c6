/*
 * Two hundred clients of HTTP at once: those that behave get their answers,
 * whatever the others do; and when all have left, nothing is held for them.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import test from 'node:test';
import { descendants, hasTemplateToCome } from './support/processes.mjs';
import { contained, folder, ran } from './support/program.mjs';
import { serveTcp } from './support/serve.mjs';
import { until, within } from './support/wait.mjs';

const modern = '2026-07-28';
const MIB = 2 ** 20;
/* podman starts few containers in a second. */
const clients = contained === 'podman' ? 60 : 180;
/* Seconds for which a client may wait for its place. */
const patience = 500;
/* What supervisor and gateway may have grown by at their largest. */
const growth = 16 * MIB;

/* The program, and a token for its clients. */
async function begin(t) {
  const home = folder(t);
  /* On a slow machine, or in containers, some wait long for their place. */
  const env = { CAISSON_POOL: '0', CAISSON_QUEUE: '400',
    CAISSON_QUEUE_TIMEOUT: '10m' };
  const token = ran({ args: ['token', 'add', 'crowd'], home }).stdout.trim();
  const served = await serveTcp(t, { home, env });
  /* It may not have its name yet. */
  const gateway = await until(() => Number(spawnSync('pgrep',
    ['-P', String(served.child.pid), '-x', 'gateway'],
    { encoding: 'utf8' }).stdout), 'the gateway');

  return { ...served, token, gateway,
    port: Number(new URL(served.url).port) };
}

const body = (method, params) => JSON.stringify({ jsonrpc: '2.0', id: 1, method,
  params: { ...params, _meta: {
    'io.modelcontextprotocol/protocolVersion': modern,
    'io.modelcontextprotocol/clientCapabilities': {},
  } } });

const call = (code) =>
  body('tools/call', { name: 'run_python', arguments: { code } });

/* The head of a request, as bytes; fields replace or add to the usual ones. */
function head({ port, token }, fields = [], method = 'tools/call') {
  return ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`, 'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${modern}`, `Mcp-Method: ${method}`,
    ...(method === 'tools/call' ? ['Mcp-Name: run_python'] : []), ...fields,
    '', ''].join('\r\n');
}

const whole = (at, text, method) =>
  head(at, [`Content-Length: ${Buffer.byteLength(text)}`], method) + text;

/* A connection that keeps what it hears. */
function connect({ port }) {
  const socket = net.connect(port, '127.0.0.1');
  const client = { socket, heard: '' };

  client.closed = new Promise((resolve) => socket.once('close', resolve));
  socket.setEncoding('latin1').on('data', (data) => {
    client.heard += data;
  }).on('error', () => {});
  return client;
}

/* The clients: each resolves when it has done what it came for. */

/* Three calls on one connection. */
async function behaves(at, n) {
  const client = connect(at);

  for (let turn = 0; turn < 3; turn++) {
    client.heard = '';
    client.socket.write(whole(at, call(`print(${n} * 1000 + ${turn})`)));
    await until(() => client.heard.endsWith('0\r\n\r\n'), 'an answer',
      patience);
    assert.match(client.heard, /^HTTP\/1\.1 200 /);
    assert.match(client.heard, new RegExp(`"text":"${n * 1000 + turn}"`));
  }
  client.socket.destroy();
}

/* Sends its request in forty pieces, and is answered as well. */
async function isSlow(at, n) {
  const client = connect(at);
  const text = whole(at, call(`print(${n} * 7)`));
  const size = Math.ceil(text.length / 40);

  for (let i = 0; i < text.length; i += size) {
    client.socket.write(text.slice(i, i + size));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await until(() => client.heard.includes(`"text":"${n * 7}"`), 'its answer',
    patience);
  client.socket.destroy();
}

/* Leaves in the middle of an answer, or resets the connection. */
async function drops(at, n) {
  const client = connect(at);

  client.socket.write(whole(at, call('import time; time.sleep(600)')));
  await until(() => client.heard.startsWith('HTTP/1.1 200'), 'an answer',
    patience);
  if (n % 3 === 0)
    client.socket.write(whole(at, call('print(1)')));
  if (n % 2 === 0)
    client.socket.resetAndDestroy();
  else
    client.socket.destroy();
}

/* Sends what is no request; the connection ends after the answer. */
async function misbehaves(at) {
  const client = connect(at);

  client.socket.write('nonsense\r\n\r\n');
  await within(client.closed, 'the end of a connection');
  assert.match(client.heard, /^HTTP\/1\.1 400 /);
}

/* Sends half of a request, and nothing more. */
function isHalf(at, n) {
  const client = connect(at);
  const text = whole(at, call('print(1)'));

  client.socket.write(text.slice(0, (n + 1) * 20));
  return client;
}

const descriptors = (pid) => fs.readdirSync(`/proc/${pid}/fd`).length;

/* The most memory that it has had, in bytes. */
const peak = (pid) => 1024 * Number(
  fs.readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmHWM:\s+(\d+)/)[1]);

test('two hundred clients at once do not disturb each other', async (t) => {
  const at = await begin(t);
  const both = [at.child.pid, at.gateway];

  /* What the first call starts stays. */
  await behaves(at, 0);
  await until(() => !hasTemplateToCome(descendants(at.child.pid)),
    'a template');
  const had = both.map(descriptors);
  const before = both.map(peak);
  const half = Array.from({ length: 20 }, (_, n) => isHalf(at, n));
  const crowd = [];

  for (let n = 0; n < clients; n++)
    crowd.push([behaves, isSlow, drops, misbehaves, behaves][n % 5](at, n));
  await Promise.all(crowd);
  for (const client of half)
    client.socket.destroy();

  const grown = both.map((pid, i) => peak(pid) - before[i]);

  t.diagnostic(`grown by ${grown.map((n) => Math.round(n / 1024))} KiB`);
  assert.ok(grown[0] + grown[1] < growth, String(grown));
  await behaves(at, 500);
  await until(() => both.every((pid, i) => descriptors(pid) <= had[i]),
    () => `descriptors: ${had}, now ${both.map(descriptors)}`);
});
