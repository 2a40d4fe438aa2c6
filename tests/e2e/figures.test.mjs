/*
 * What operators are told at a socket of its own: whether the program answers,
 * whether a box can be had, and figures in the format of Prometheus; and what
 * 'caisson status' prints.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport }
  from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  commandLine, contained, folder, nativeOnly,
} from './support/program.mjs';
import { run } from './support/sdk.mjs';
import { fetchAt, serve } from './support/serve.mjs';
import { official, withServers } from './support/servers.mjs';
import { add, caisson, clientOf } from './support/tokens.mjs';
import { until } from './support/wait.mjs';

const at = (name) => `http://localhost${name}`;

/* Serves at a socket and at two of figures. */
async function serveFigures(t, options = {}) {
  const home = options.home ?? folder(t);
  const figures = path.join(home, 'figures.sock');
  const served = await serve(t, { home, sockets: 3, ...options, args: [
    '--metrics-listen', `unix:${figures},127.0.0.1:0`,
    ...options.args ?? []] });

  return { ...served, fetch: fetchAt(t, figures) };
}

/* The official client, at the socket for clients. */
async function connect(t, socket) {
  const client = new Client({ name: 'caisson-tests', version: '1.0.0' });

  t.after(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(at('/mcp')),
    { fetch: fetchAt(t, socket) }));
  return client;
}

/* The value of each line of /metrics, by its name and labels. */
async function read(fetch) {
  const answer = await fetch(at('/metrics'));
  const text = await answer.text();

  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'),
    'text/plain; version=0.0.4; charset=utf-8');
  for (const line of text.trimEnd().split('\n'))
    assert.match(line, /^(# (HELP|TYPE) caisson_\w+ .+|caisson_\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [\d.]+)$/);
  return Object.fromEntries(text.split('\n').filter((line) =>
    line.startsWith('caisson_')).map((line) => line.split(/ (?=[\d.]+$)/))
    .map(([name, value]) => [name, Number(value)]));
}

test('figures count calls, their times, tools and servers', async (t) => {
  const { socket, fetch } = await serveFigures(t, withServers(t, {
    every: official('everything') }));
  const client = await connect(t, socket);
  const before = await read(fetch);

  assert.equal(before['caisson_call_run_seconds_count'], 0);
  await run(client, 'print(await mcp_every.echo(message="x"))');
  await run(client, '1 / 0');
  await run(client, 'while True: pass', { timeout: 1 });

  /* Code that has ended before it is known to run. */
  for (let n = 0; n < 20; n++)
    await Promise.all([1, 2, 3].map(() => run(client, '1')));

  const after = await read(fetch);
  const calls = (outcome) => after[`caisson_calls_total{outcome="${outcome}"` +
    ',language="python",owner=""}'];

  assert.deepEqual(['success', 'error', 'timeout'].map(calls), [61, 1, 1]);
  for (const time of ['wait', 'start', 'run']) {
    assert.equal(after[`caisson_call_${time}_seconds_count`], 63);
    assert.equal(after[`caisson_call_${time}_seconds_bucket{le="+Inf"}`], 63);
  }
  assert(after['caisson_call_run_seconds_sum'] >= 1);
  assert(after['caisson_call_run_seconds_bucket{le="0.5"}'] <= 62);
  assert.equal(after['caisson_tool_calls_total'], 1);
  assert.equal(after['caisson_server_starts_total{server="every"}'], 1);
  assert(after['caisson_output_bytes_total'] > 0);
  assert.equal(after['caisson_clients'], 1);
  assert.equal(after['caisson_calls_running'], 0);
});

test('nothing but figures is answered at their socket', async (t) => {
  const { socket, fetch, home, log } = await serveFigures(t);
  const [, other] = log().match(/serving at (\S+)\/metrics\n/);
  const mcp = fetchAt(t, socket);
  const post = { method: 'POST', headers: { 'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream' }, body: '{}' };

  for (const [method, text] of [['GET', 'ok\n'], ['HEAD', '']]) {
    const answer = await fetch(at('/healthz'), { method });

    assert.deepEqual([answer.status, answer.headers.get('content-length'),
      await answer.text()], [200, '3', text]);
  }
  assert.equal(await (await globalThis.fetch(`${other}/healthz`)).text(),
    'ok\n');
  assert.equal((await globalThis.fetch(`${other}/mcp`)).status, 404);
  for (const [ask, name, more, status] of [[fetch, '/mcp', post, 404],
    [fetch, '/files/x', {}, 404], [fetch, '/metrics', post, 405],
    [fetch, '/', {}, 404], [mcp, '/metrics', {}, 404],
    [mcp, '/healthz', {}, 404], [mcp, '/readyz?x', {}, 404]]) {
    const answer = await ask(at(name), more);

    assert.equal(answer.status, status, name);
    assert.match((await answer.json()).error.message, status === 405 ?
      /only GET and HEAD are understood/ : ask === fetch ?
        /only paths here are \/healthz, \/readyz and \/metrics/ :
        /only paths here are \/mcp, /);
  }
  for (const [value, fault] of [['0.0.0.0:0', /other machines could reach/],
    ['127.0.0.1:0,[::]:0', /other machines could reach \[::\]:/],
    ['nowhere', /ADDRESS/]]) {
    const [command, ...args] = commandLine({ home, args: ['serve', '--listen',
      `unix:${path.join(home, 'other')}`, '--metrics-listen', value] });
    const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });

    assert.notEqual(status, 0);
    assert.match(stderr, /metrics.listen/);
    assert.match(stderr, fault);
  }
});

test('readiness is known from a box that was tried', async (t) => {
  for (const [pool, python] of [['1'], ['0'],
    ...contained ? [] : [['0', '/bin/false']]]) {
    const home = folder(t);

    /* No client needs a token: a file with a fault refuses none of them. */
    add(home, 'ada');
    fs.chmodSync(path.join(home, '.local/state/caisson/tokens.json'), 0o644);

    const { fetch } = await serveFigures(t, { home,
      args: ['--pool', pool, ...python ? ['--python', python] : []] });
    const ready = async () => (await fetch(at('/readyz'))).text();

    assert.match(await ready(), /^the first box starts: none was tried/);
    assert.equal((await fetch(at('/readyz'), { method: 'HEAD' })).status, 503);
    await until(async () => (python ? /^the last box failed: ./ : /^ok\n$/)
      .test(await ready()), 'a box');
    if (pool === '0')
      await until(async () => (await read(fetch))['caisson_boxes'] === 0,
        'its end');
  }
});

test('a program that cannot give a box says why', async (t) => {
  const { socket, fetch } = await serveFigures(t, {
    args: ['--max-concurrent', '1', '--queue', '0'] });
  const client = await connect(t, socket);
  const stop = new AbortController();
  const running = run(client, 'import time\ntime.sleep(60)', {},
    { signal: stop.signal });

  await until(async () => await (await fetch(at('/readyz'))).text() ===
    'every place is taken, and 0 calls wait\n', 'a full place');
  await run(client, '1').catch(() => {});
  assert.equal((await read(fetch))['caisson_refusals_total{reason="queue"}'],
    1);
  stop.abort();
  await assert.rejects(running);
  await until(async () => (await fetch(at('/readyz'))).status === 200,
    'a free place');
});

test('refused tokens are counted, and owners have names', async (t) => {
  const { fetch, home, log } = await serveFigures(t, {
    listen: '127.0.0.1:0', args: ['--log-level', 'info'] });
  const url = log().match(/serving at (http:\S+\/mcp)/)[1];
  const token = add(home, 'ada').trim();

  assert.equal(await clientOf(t, url, token).text('print(1)'), '1');
  const answer = await globalThis.fetch(url, { method: 'POST', body: '{}',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json',
      Authorization: `Bearer ${'x'.repeat(72)}` } });

  assert.equal(answer.status, 401);
  const figures = await read(fetch);

  assert.equal(figures['caisson_calls_total{outcome="success",' +
    'language="python",owner="ada"}'], 1);
  assert.equal(figures['caisson_refusals_total{reason="token"}'], 1);
  assert.doesNotMatch(log(), /client of the user/);

  /* Clients with a token are refused while it is away. */
  const state = path.join(home, '.local/state/caisson');
  const ready = async () => (await fetch(at('/readyz'))).text();

  await until(async () => await ready() === 'ok\n', 'a box');
  fs.renameSync(state, `${state}.away`);
  assert.match(await ready(), /^the state directory \S+ was moved/);
  fs.renameSync(`${state}.away`, state);
  assert.equal(await ready(), 'ok\n');
});

test('status names calls, sessions and servers, and whose they are',
  nativeOnly('sessions'), async (t) => {
    const options = withServers(t, { every: official('everything') });
    const { socket, home, child } = await serve(t, { ...options, env: {
      ...options.env, CAISSON_ARGUMENTS: 'session' } });
    const client = await connect(t, socket);
    const stop = new AbortController();
    const status = (...args) => JSON.parse(caisson(
      home, 'status', '--json', ...args)).processes;

    assert.deepEqual(status().map(({ process, calls, sessions, servers }) =>
      [process, calls, sessions, servers]), [[child.pid, [], [], []]]);
    await run(client, 'x = await mcp_every.echo(message="x")',
      { session: 'long' });
    const running = run(client, 'import time\ntime.sleep(60)', {},
      { signal: stop.signal });

    await until(() => status()[0].calls[0]?.status === 'running', 'the call');
    const [{ since, clients, calls, sessions, servers }] = status();

    assert.match(since, /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal(clients, 1);
    assert.deepEqual(calls.map(({ owner, language }) => [owner, language]),
      [[null, 'python']]);
    assert.deepEqual(sessions.map(({ owner, name, calls: count }) =>
      [owner, name, count]), [[null, 'long', 1]]);
    assert.deepEqual(servers, [{ owner: null, name: 'every' }]);
    assert.match(caisson(home, 'status'), new RegExp(`^process ${child.pid}, ` +
      'since \\S+: clients 1, boxes \\d+, calls 1, waiting 0\n' +
      `  call ${calls[0].id}, python, running since \\S+, for -\n` +
      '  session long, python, calls 1, for -\n  server every, for -$'));
    stop.abort();
    await assert.rejects(running);
    assert.match(caisson(folder(t), 'status'), /^No Caisson of this user/);
  });

test('a trace is kept with its call, and lines of the log are objects',
  async (t) => {
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { socket, home, log } = await serve(t, {
      args: ['--log-format', 'json', '--log-level', 'info'] });
    const client = await connect(t, socket);

    for (const [traceparent, tracestate] of [[trace, 'a=1,b="2"'],
      [trace.toUpperCase(), 'a=1'], [`${trace}-1`], [7], [trace, 'a=\n']])
      await client.callTool({ name: 'run_python', arguments: {
        code: 'print(1)' }, _meta: { traceparent, tracestate } });
    await until(() => log().endsWith('\n') &&
      log().split(', trace ').length === 6, 'what is logged of each');
    const lines = log().trimEnd().split('\n')
      .map((line) => JSON.parse(line));
    const begun = lines.map(({ message }) => message.match(
      /^call (\w+): owner "", language python, trace (.*)$/))
      .filter(Boolean);

    assert.deepEqual(begun.map((one) => one[2]),
      [`${trace}, state a=1,b="2"`, 'none', 'none', 'none', trace]);
    for (const line of lines)
      assert.deepEqual(Object.keys(line),
        ['time', 'level', 'process', 'message']);
    assert(lines.some(({ message }) => /^serving at unix:/.test(message)));
    assert(lines.some(({ message }) =>
      message.startsWith(`call ${begun[0][1]} has box `)));
    await until(() => JSON.parse(caisson(home, 'calls', 'list', '--json'))
      .calls.length === 5, 'the kept calls');
    const kept = JSON.parse(caisson(home, 'calls', 'show', '--json',
      begun[0][1]));

    assert.deepEqual([kept.traceparent, kept.tracestate],
      [trace, 'a=1,b="2"']);
  });
