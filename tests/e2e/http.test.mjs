/*
 * MCP over HTTP at a Unix socket: both eras, sessions, clients that leave, and
 * how serving begins and ends.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport }
  from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Gate } from './support/gate.mjs';
import { commandLine, folder, ran, root, uid } from './support/program.mjs';
import { serveRemote } from './support/remote.mjs';
import { run } from './support/sdk.mjs';
import { missing } from './support/sdk2.mjs';
import { fetchAt, raw, serve } from './support/serve.mjs';
import { configure, hostile, python, withServers } from './support/servers.mjs';
import { until, within } from './support/wait.mjs';

const url = 'http://localhost/mcp';
const json = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};
const modern = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/* Posts a message. */
const post = (fetch, message, headers = {}, more = {}) => fetch(url, {
  method: 'POST', headers: { ...json, ...headers },
  body: typeof message === 'string' ? message : JSON.stringify(message),
  ...more,
});

/* A message without a session, with the fields that it needs. */
const ask = (fetch, method, params = {}, headers = {}, more = {}) =>
  post(fetch, {
    jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta },
  }, {
    'MCP-Protocol-Version': modern, 'Mcp-Method': method,
    ...(params.name ? { 'Mcp-Name': params.name } : {}), ...headers,
  }, more);

const code = (text, more = {}) =>
  ({ name: 'run_python', arguments: { code: text, ...more } });

/* The messages of an answer, whatever its form. */
async function messages(answer) {
  const text = await answer.text();

  return answer.headers.get('content-type') === 'application/json' ?
    [JSON.parse(text)] : text.split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)));
}

const last = async (answer) => (await messages(answer)).at(-1);

/* Begins a session; returns its name. */
async function begin(fetch, protocolVersion = '2025-11-25',
  capabilities = {}) {
  const answer = await post(fetch, {
    jsonrpc: '2.0', id: 0, method: 'initialize', params: {
      protocolVersion, capabilities,
      clientInfo: { name: 'test', version: '1' },
    },
  });

  assert.equal(answer.status, 200);
  return answer.headers.get('mcp-session-id');
}

test('the official client of versions with sessions works', async (t) => {
  const { socket } = await serve(t);
  const client = new Client({ name: 'caisson-tests', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(url),
    { fetch: fetchAt(t, socket) });

  t.after(() => client.close());
  await client.connect(transport);
  assert.match(transport.sessionId, /^[0-9a-f]{40}$/);
  assert.equal((await client.listTools()).tools[0].name, 'run_python');

  const done = await Promise.all([1, 2, 3, 4, 5].map((n) =>
    run(client, `print(${n} * 7)`)));

  assert.deepEqual(done.map(({ content }) => content[0].text),
    ['7', '14', '21', '28', '35']);
  await transport.terminateSession();
});

test('initialize that waits for the configuration names its session',
  async (t) => {
    const options = withServers(t, { asker: hostile() });
    const { socket } = await serve(t, options);
    const fetch = fetchAt(t, socket);

    for (const name of ['asker', 'other', 'third']) {
      configure(options.env.CAISSON_SERVERS_CONFIG, { [name]: hostile() });

      const session = await begin(fetch);

      assert.match(session ?? 'none', /^[0-9a-f]{40}$/);
      assert.equal((await last(await post(fetch,
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        { 'Mcp-Session-Id': session }))).result.tools[0].name, 'run_python');
    }
  });

test('the official client of later versions works', { skip: missing },
  async (t) => {
    const { Client: Later, StreamableHTTPClientTransport: Transport } =
      await import('@modelcontextprotocol/client');
    const { socket } = await serve(t);

    for (const mode of ['auto', { pin: modern }]) {
      const client = new Later({ name: 'caisson-tests', version: '2.0.0' },
        { versionNegotiation: { mode } });

      await client.connect(
        new Transport(new URL(url), { fetch: fetchAt(t, socket) }));
      assert.equal((await client.callTool(code('print(6 * 7)')))
        .content[0].text, '42');
      await client.close();
    }
  });

test('the head of an answer leaves while its call runs', async (t) => {
  const { socket } = await serve(t);
  const fetch = fetchAt(t, socket);
  const session = { 'Mcp-Session-Id': await begin(fetch) };

  for (const begins of [(call) => ask(fetch, 'tools/call', call),
    (call) => post(fetch, { jsonrpc: '2.0', id: 1, method: 'tools/call',
      params: call }, session)]) {
    const gate = new Gate();
    const answer = await begins(code(`${gate.wait}; print(1)`));

    assert.equal(answer.headers.get('content-type'), 'text/event-stream');
    await gate.reached();
    gate.open();
    assert.equal((await last(answer)).result.content[0].text, '1');
  }
});

test('an answer that the kernel does not take at once is whole', async (t) => {
  const { socket } = await serve(t, { env: { CAISSON_MAX_OUTPUT: '4m' } });
  const fetch = fetchAt(t, socket);
  const { result } = await last(await ask(fetch, 'tools/call',
    code('print("x" * 3_000_000)')));

  assert.equal(result.content[0].text, 'x'.repeat(3_000_000));
});

test('a session has a name, which ends with it', async (t) => {
  const home = folder(t);
  const { socket, child, ended } = await serve(t, { home });
  const fetch = fetchAt(t, socket);
  const name = await begin(fetch);
  const with_ = { 'Mcp-Session-Id': name };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  assert.equal((await post(fetch,
    { jsonrpc: '2.0', method: 'notifications/initialized' }, with_)).status,
  202);
  assert.equal((await last(await post(fetch, list, with_)))
    .result.tools[0].name, 'run_python');
  assert.equal((await post(fetch, list)).status, 400);
  assert.equal((await post(fetch, list,
    { ...with_, 'MCP-Protocol-Version': '1999-01-01' })).status, 400);
  assert.equal((await fetch(url,
    { method: 'DELETE', headers: with_ })).status, 200);

  const gone = async (why, id = name) => {
    const answer = await post(fetchAt(t, socket), list,
      { 'Mcp-Session-Id': id });

    assert.equal(answer.status, 404);
    assert.match((await last(answer)).error.message, why);
  };

  await gone(/^this session has ended: send initialize again$/);
  child.kill('SIGTERM');
  await ended;
  await serve(t, { home });
  await gone(/server was restarted since it began: send initialize again$/);
  for (const id of ['deadbeef', 'none'])
    await gone(/^there is no such session: send initialize again$/, id);
});

test('errors of versions without sessions have a status', async (t) => {
  const { socket } = await serve(t);
  const fetch = fetchAt(t, socket);
  const rows = [
    [await ask(fetch, 'no/such'), 404, -32601],
    [await ask(fetch, 'tools/call', { name: 'nope', arguments: {} }),
      200, -32602],
    [await post(fetch, 'not json'), 400, -32700],
    [await post(fetch, '{"jsonrpc":"2.0","id":1}'), 400, -32600],
    [await post(fetch, { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { 'MCP-Protocol-Version': modern }), 400, -32602],
  ];

  for (const [answer, status, error] of rows) {
    assert.equal(answer.status, status);
    assert.equal((await last(answer)).error.code, error);
  }
});

test('progress arrives in the answer that it belongs to', async (t) => {
  const text = (id) => `half of ${id}`;
  const { socket } = await serve(t);
  const fetch = fetchAt(t, socket);
  const headers = { 'Mcp-Session-Id': await begin(fetch) };
  const call = (id) => post(fetch, {
    jsonrpc: '2.0', id, method: 'tools/call', params: {
      ...code(`runtime.progress(1, 2, "${text(id)}")\nprint("end")`),
      _meta: { progressToken: id },
    },
  }, headers);
  const answers = await Promise.all(['a', 'b'].map(call));

  for (const [index, id] of ['a', 'b'].entries()) {
    const got = await messages(answers[index]);

    assert.equal(got.at(-1).id, id);
    assert.equal(got.at(-1).result.content[0].text, 'end');
    for (const { method, params } of got.slice(0, -1)) {
      assert.equal(method, 'notifications/progress');
      assert.equal(params.progressToken, id);
    }
    assert.ok(got.some(({ params }) => params?.progress === 1 &&
      params.total === 2 && params.message === text(id)),
    JSON.stringify(got));
  }
});

test('a client that accepts JSON alone is asked at its stream, or not at all',
  async (t) => {
    const { socket } = await serve(t, withServers(t, { asker: hostile() }));
    const fetch = fetchAt(t, socket);
    const session = { 'Mcp-Session-Id':
      await begin(fetch, '2025-11-25', { elicitation: {} }) };
    const given = { method: 'elicitation/create', params: { message: 'Who?',
      requestedSchema: { type: 'object', properties: {} } } };
    const call = async () => JSON.stringify(await last(await post(fetch, {
      jsonrpc: '2.0', id: 1, method: 'tools/call', params: code(
        `print((await mcp_asker.ask(**${python(given)})).text)`,
        { servers: ['asker'] }),
    }, { ...session, Accept: 'application/json' })));

    assert.match(await within(call(), 'the answer'), /no GET stream open/);

    const stream = async () =>
      (await fetch(url, { headers: { ...json, ...session } })).body;
    const question = async (body) => {
      const answer = call();
      let text = '';

      for await (const bytes of body.values({ preventCancel: true })) {
        text += Buffer.from(bytes);
        if (/^data: .+\n\n/m.test(text))
          break;
      }
      return { answer, ...JSON.parse(text.match(/^data: (.+)$/m)[1]) };
    };
    let body = await stream();

    for (const [answer, said] of [[{ result: { action: 'decline' } },
      /decline/], [{}, /answered the question with an error/]]) {
      const asked = await question(body);

      assert.equal(asked.method, given.method);
      /* A stream that takes the place of another does not end its questions. */
      body = await stream();
      assert.equal((await post(fetch, { jsonrpc: '2.0', id: asked.id,
        ...answer }, session)).status, 202);
      assert.match(await asked.answer, said);
    }
    assert.equal((await post(fetch, { jsonrpc: '2.0', id: 9 }, session)).status,
      400);

    const lost = await question(body);

    await body.cancel();
    assert.match(await within(lost.answer, 'the answer'),
      /the client has closed the stream of the question/);
  });

test('a question on the stream of a call is for the client of that call',
  async (t) => {
    const calls = [];
    const say = (response, message) => response.write(
      `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
    const odd = { '/mcp': ({ message, response }) => {
      if (message?.method === 'tools/call') {
        calls.push({ id: message.id, response: response.writeHead(200,
          { 'content-type': 'text/event-stream' }) });
        if (calls.length === 2)
          calls.forEach((call, n) => say(call.response, { id: `q${n}`,
            method: 'elicitation/create', params: { message: 'Who?',
              requestedSchema: { type: 'object', properties: {
                name: { type: 'string' } } } } }));
      } else if (message?.result) {
        const call = calls[message.id.slice(1)];

        say(call.response, { id: call.id, result: { content: [{ type: 'text',
          text: message.result.content.name }] } });
        call.response.end();
        response.writeHead(202).end();
      }
      return message?.method === 'tools/call' || Boolean(message?.result);
    } };
    const remote = await serveRemote(t, { odd });
    const { socket } = await serve(t, withServers(t,
      { far: { type: 'http', url: `${remote.origin}/mcp` } }));
    const named = async (name) => {
      const client = new Client({ name, version: '1' },
        { capabilities: { elicitation: {} } });

      t.after(() => client.close());
      client.setRequestHandler(ElicitRequestSchema, () =>
        ({ action: 'accept', content: { name } }));
      await client.connect(new StreamableHTTPClientTransport(new URL(url),
        { fetch: fetchAt(t, socket) }));
      return (await run(client, 'print((await mcp_far.echo()).text)',
        { servers: ['far'] })).content[0].text;
    };

    assert.deepEqual(await Promise.all([named('Ann'), named('Bob')]),
      ['Ann', 'Bob']);
  });

test('a client that leaves cancels its call, without a session',
  async (t) => {
    const gate = new Gate();
    const { socket } = await serve(t);
    const fetch = fetchAt(t, socket);
    const leave = new AbortController();
    const answer = await ask(fetch, 'tools/call', code(gate.wait), {},
      { signal: leave.signal });

    assert.equal(answer.status, 200);
    await gate.reached();
    leave.abort();
    await assert.rejects(answer.text());
    await until(() => gate.find().length === 0, 'the end of the code');
  });

test('invalid requests are refused, and later ones are served', async (t) => {
  const { socket } = await serve(t);
  const fetch = fetchAt(t, socket);
  const head = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\n' +
    'Content-Type: application/json\r\n';

  for (const bytes of [
    'nonsense\r\n\r\n',
    `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    `${head}Transfer-Encoding: chunked\r\n\r\n2;x\r\n{}\r\n0\r\n\r\n`,
    `${head}X: a\r\n folded\r\n\r\n`,
    `${head}X: a\rb\r\n\r\n`,
    'GET /mcp HTTP/1.1\nHost: localhost\n\n',
  ])
    assert.match(await raw(socket, bytes), /^HTTP\/1\.1 400 /);
  for (const [fields, status] of [['Transfer-Encoding: identity', 501],
    ['Content-Length: 999999999999', 413], [`X: ${'a'.repeat(20000)}`, 431],
    [Array.from({ length: 200 }, (_, i) => `X${i}: a`).join('\r\n'), 431]])
    assert.match(await raw(socket, `${head}${fields}\r\n\r\n`),
      new RegExp(`^HTTP/1\\.1 ${status} `));
  for (const [bytes, status] of [['GET /other', 404], ['PUT /mcp', 405]])
    assert.match(await raw(socket,
      `${bytes} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
    new RegExp(`^HTTP/1\\.1 ${status} `));
  assert.match(await raw(socket, `${head}Expect: 100-continue\r\n` +
    'Connection: close\r\nContent-Length: 2\r\n\r\n', '{}'),
  /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /);
  assert.equal((await ask(fetch, 'server/discover')).status, 200);
});

test('other users cannot connect', { skip: !root && 'needs root' },
  async (t) => {
    const { socket } = await serve(t);

    assert.equal(fs.statSync(socket).mode & 0o777, 0o600);
    /* Even where the file lets them. */
    fs.chmodSync(socket, 0o666);
    fs.chmodSync(path.dirname(socket), 0o755);

    const done = spawnSync('setpriv', ['--reuid=12345', '--clear-groups',
      process.execPath, '-e', `
        require('http').request({ socketPath: '${socket}', path: '/mcp',
          method: 'POST', headers: { 'Content-Type': 'application/json' } },
          (answer) => { console.log(answer.statusCode); process.exit(); })
          .end('{}');`], { encoding: 'utf8' });

    assert.equal(done.stdout, '401\n', done.stderr);
  });

test('a killed gateway is restarted each time, and sessions stay', async (t) => {
  const { socket, child, log } = await serve(t);
  const headers = { 'Mcp-Session-Id': await begin(fetchAt(t, socket)) };
  const gateway = () => Number(spawnSync('pgrep', ['-P', String(child.pid),
    '-x', 'gateway'], { encoding: 'utf8' }).stdout);

  for (let i = 1; i <= 3; i++) {
    process.kill(await until(gateway, 'one gateway'), 'SIGKILL');
    await until(() => log().split('gateway process exited; what it was asked ' +
      'has failed; it restarts\n').length === i + 1, 'a line in the log');
    await until(async () => {
      const answer = await post(fetchAt(t, socket),
        { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
        .catch(() => undefined);

      return answer?.status === 200;
    }, 'the gateway');
  }
});

test('a signal ends it in order: answers first, then the socket',
  async (t) => {
    const gate = new Gate();
    const { socket, child, ended } = await serve(t);
    const answer = await ask(fetchAt(t, socket), 'tools/call',
      code(gate.wait));

    await gate.reached();
    child.kill('SIGTERM');
    assert.equal((await last(answer)).result.isError, true);
    assert.deepEqual(await within(ended, 'the end'), [0, null]);
    assert.equal(fs.existsSync(socket), false);
  });

/* Ends the program at once: nothing is served. */
function refused(t, args, env = {}) {
  const done = ran({ args: ['serve', ...args], env, home: folder(t) });

  assert.equal(done.status, 2, done.stderr);
  assert.match(done.stderr, /^caisson: [^\n]+\n$/);
  return done.stderr;
}

test('a socket that cannot be is refused with a sentence', async (t) => {
  const { socket } = await serve(t);
  const mine = folder(t);

  assert.match(refused(t, ['--listen', `unix:${socket}`]),
    /is in use, by a program that serves there or as another file/);
  fs.writeFileSync(path.join(mine, 'notes.txt'), 'mine');
  fs.chownSync(path.join(mine, 'notes.txt'), uid, -1 >>> 0);
  assert.match(refused(t, ['--listen', `unix:${mine}/notes.txt`]),
    /is in use, .* as another file/);
  assert.equal(fs.readFileSync(path.join(mine, 'notes.txt'), 'utf8'), 'mine');
  assert.match(refused(t, []), /XDG_RUNTIME_DIR is not set/);
  assert.match(refused(t, [], { XDG_RUNTIME_DIR: `${mine}/no` }),
    /XDG_RUNTIME_DIR: cannot make .*: No such file.*--listen unix:PATH/);

  const runtime = folder(t);

  fs.mkdirSync(`${runtime}/caisson`);
  fs.chownSync(`${runtime}/caisson`, uid, process.getgid());
  fs.chmodSync(`${runtime}/caisson`, 0o777);
  assert.match(refused(t, [], { XDG_RUNTIME_DIR: runtime }),
    /caisson must be a directory of yours that only you can write to/);

  fs.mkdirSync(`${mine}/open/deep`, { recursive: true });
  fs.chownSync(`${mine}/open`, uid, -1 >>> 0);
  fs.chownSync(`${mine}/open/deep`, uid, -1 >>> 0);
  fs.chmodSync(`${mine}/open`, 0o777);
  assert.match(refused(t, ['--listen', `unix:${mine}/open/deep/mcp.sock`]),
    /another user can change the directory .*\/open and with it the socket/);

  /* One that a killed program has left is replaced. */
  const left = path.join(mine, 'left.sock');
  const python = spawnSync('/usr/bin/python3', ['-c', `import socket, os
s = socket.socket(socket.AF_UNIX)
s.bind(${JSON.stringify(left)})
os.chown(${JSON.stringify(left)}, ${uid}, -1)`], { encoding: 'utf8' });

  assert.equal(python.status, 0, python.stderr);

  const { socket: again } = await serve(t, { socket: left });

  assert.equal((await ask(fetchAt(t, again), 'server/discover')).status, 200);
});

test('without --listen it serves in the runtime directory', async (t) => {
  const runtime = folder(t);
  const [command, ...rest] = commandLine({ args: ['serve'], home: runtime,
    env: { XDG_RUNTIME_DIR: runtime } });
  const child = spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'] });

  t.after(() => child.kill());
  await within(new Promise((resolve) => child.stderr.once('data', resolve)),
    'the start');
  assert.equal((await ask(fetchAt(t, `${runtime}/caisson/mcp.sock`),
    'server/discover')).status, 200);
});

/* Comparing each id with all before would take minutes. */
test('a batch of too many messages is refused before its ids are compared',
  async (t) => {
    const { socket } = await serve(t);
    const fetch = fetchAt(t, socket);
    const answer = await post(fetch, Array.from({ length: 100_000 },
      (_, id) => ({ jsonrpc: '2.0', id, method: 'x' })),
    { 'Mcp-Session-Id': await begin(fetch, '2025-03-26') });

    assert.equal(answer.status, 400);
    assert.match((await last(answer)).error.message,
      /too many messages in one batch: send them in several/);
  });

for (const accept of [undefined, 'application/json'])
  test(`a subscription is a stream if the client accepts ${accept}`,
    async (t) => {
      const { socket } = await serve(t);
      const method = 'subscriptions/listen';
      const over = new AbortController();
      const answer = await within(fetchAt(t, socket)(url, {
        method: 'POST', signal: over.signal,
        headers: { 'Content-Type': 'application/json',
          'MCP-Protocol-Version': modern, 'Mcp-Method': method,
          ...accept && { Accept: accept } },
        body: JSON.stringify({ jsonrpc: '2.0', id: 's', method,
          params: { notifications: {}, _meta: meta } }),
      }), 'the answer to a subscription');
      const { value } = await answer.body.getReader().read();

      assert.equal(answer.headers.get('content-type'), 'text/event-stream');
      assert.match(Buffer.from(value).toString(), /acknowledged/);
      over.abort();
    });
