/*
 * Servers that are reached by a URL: code calls them as it calls those that are
 * processes, and what goes wrong is one sentence.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once as happens } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import zlib from 'node:zlib';
import { text } from './support/files.mjs';
import { descendants } from './support/processes.mjs';
import { file, folder, once } from './support/program.mjs';
import { certificate, serveRemote } from './support/remote.mjs';
import { Raw } from './support/raw.mjs';
import { connect, run } from './support/sdk.mjs';
import { attempt as tried, official, withServers } from './support/servers.mjs';
import { until } from './support/wait.mjs';

const secret = 'tok-9f8e7d6c5b4a';
const call = (args = '') => `print((await mcp_far.echo(${args})).text)`;
const attempt = `try:
    ${call()}
except runtime.MCPError as error:
    print(error)`;
const open = (t, url, more = {}, options = {}) => connect(t, withServers(t,
  { far: { type: 'http', url, ...more } }, options));

/* Starts server-everything; returns its origin. */
async function everything(t, transport) {
  const { command, args } = official('everything');
  const free = net.createServer().listen(0);

  /* It says that it listens even where another program has the port. */
  await happens(free, 'listening');
  const port = free.address().port;
  free.close();
  await happens(free, 'close');
  const server = spawn(command, [...args, transport], { env: { ...process.env,
    PORT: String(port) }, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';

  t.after(() => server.kill('SIGKILL'));
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (data) => {
      said += data;
    });
  await until(() => /listening|running/.test(said), 'the server');
  return `http://127.0.0.1:${port}`;
}

test('server-everything is the same however it is reached', async (t) => {
  const http = await everything(t, 'streamableHttp');
  const sse = await everything(t, 'sse');
  const { client } = await connect(t, withServers(t, {
    local: official('everything'),
    far: { type: 'streamable-http', url: `${http}/mcp` },
    old: { type: 'sse', url: `${sse}/sse` },
    unknown: { url: `${sse}/sse` } }));
  const answer = text(await run(client, `
import asyncio
async def all_of(server):
    tools = [tool["name"] for tool in await runtime.list_tools(server)]
    results = await asyncio.gather(
        runtime.call_tool(server, "echo", {"message": "é\\n"}),
        runtime.call_tool(server, "get-sum", {"a": 1, "b": 2}),
        runtime.call_tool(server, "get-structured-content",
                          {"location": "Chicago"}),
        runtime.call_tool(server, "trigger-long-running-operation",
                          {"duration": 1, "steps": 3}))
    return sorted(tools), [dict(each) for each in results]
for name in ("local", "far", "old", "unknown"):
    print(await all_of(name))`, { timeout: 60 }));
  const [first, ...others] = answer.split('\n');

  assert.match(first, /Echo: é/, answer);
  assert.deepEqual(others, [first, first, first]);
});

test('a server without sessions is spoken to as it wants', once, async (t) => {
  const prefix = 'io.modelcontextprotocol/';
  const open_ = new Set();
  let stopped = false;
  const odd = { '/mcp': ({ request, response, message, json, result }) => {
    const { method, params, id } = message;
    const meta = params?._meta ?? {};

    if (meta[`${prefix}protocolVersion`] !== '2026-07-28' ||
      !meta[`${prefix}clientCapabilities`] || request.method !== 'POST' ||
      request.headers['mcp-method'] !== method ||
      request.headers['mcp-protocol-version'] !== '2026-07-28') {
      response.writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: null, error: {
          code: -32602, message: 'not of this version' } }));
    } else if (method === 'server/discover') {
      json({ jsonrpc: '2.0', id, result: { resultType: 'complete',
        supportedVersions: ['2026-07-28'], ttlMs: 0, cacheScope: 'private',
        capabilities: { tools: { listChanged: true } },
        _meta: { [`${prefix}serverInfo`]: { name: 'new', version: '1' } } } });
    } else if (method === 'subscriptions/listen') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
        .write(': here\n\n');
      open_.add(response);
    } else if (params.name === 'slow') {
      response.on('close', () => {
        stopped = true;
      });
    } else if (params.name === 'ask') {
      json({ jsonrpc: '2.0', id, result: { resultType: 'input_required',
        requestState: 'x', inputRequests: { a: { method: 'roots/list' },
          b: { method: 'elicitation/create', params: {} } } } });
    } else {
      json({ jsonrpc: '2.0', id, result: method === 'tools/list' ?
        { tools: [...['é', 'slow', 'ask', ...remote.tools].map((name) =>
          ({ name, inputSchema: { type: 'object', properties: { place:
            { type: 'string', 'x-mcp-header': 'Place' } } } })),
        { name: 'wrong', inputSchema: { type: 'object', properties: { a:
          { type: 'number', 'x-mcp-header': 'A' } } } }] } :
        { ...result(message), resultType: 'complete' } });
    }
    return true;
  } };
  const remote = await serveRemote(t, { odd, tools: [] });
  const { client } = await open(t, `${remote.origin}/mcp`, {},
    { env: { CAISSON_TOOL_TIMEOUT: '3' } });

  assert.equal(text(await run(client,
    'print((await runtime.call_tool("far", "é", {"place": "ü"})).text)')),
  '{"place":"ü"}');
  assert.equal(remote.heard.at(-1).headers['mcp-param-place'],
    `=?base64?${Buffer.from('ü').toString('base64')}?=`);
  assert.equal(Buffer.from(remote.heard.at(-1).headers['mcp-name']
    .match(/^=\?base64\?(.*)\?=$/)[1], 'base64').toString(), 'é');
  assert.match(text(await run(client, `try:
    await mcp_far.slow()
except runtime.MCPError as error:
    print(error)
try:
    await mcp_far.ask()
except runtime.MCPError as error:
    print(error)`)), /far.slow: .*\nfar.ask: .*: it asks for something first, and got no answer: no one can/);
  await until(() => stopped, 'the end of the request that took too long');
  await until(() => open_.size === 1, 'its stream');
  remote.tools.push('later');
  open_.forEach((each) => each.write('data: {"jsonrpc":"2.0","method":' +
    '"notifications/tools/list_changed"}\n\n'));
  await until(async () => text(await run(client,
    'print(len(await runtime.list_tools("far")))')) === '4', 'the new list');
});

test('a server without sessions asks first', once, async (t) => {
  const meta = [];
  const asks = { elicitation: { form: {} } };
  const odd = { '/mcp': ({ message: { method, params, id }, json }) => {
    const { requestState, inputResponses } = params;

    meta.push(params._meta);
    json({ jsonrpc: '2.0', id, result: method === 'server/discover' ?
      { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } :
      method === 'tools/list' ? { tools: [{ name: 'ask',
        inputSchema: { type: 'object' } }] } :
      requestState === 'x' ? { content: [{ type: 'text',
        text: JSON.stringify([params.arguments, inputResponses]) }] } :
      { resultType: 'input_required', requestState: 'x', inputRequests: {
        who: { method: 'elicitation/create', params: { message: 'Who?',
          requestedSchema: { type: 'object', properties: {
            name: { type: 'string' } } } } } } } });
    return true;
  } };
  const remote = await serveRemote(t, { odd });
  const raw = await Raw.open(t, { ...withServers(t, { far: {
    type: 'http', url: `${remote.origin}/mcp` } }), capabilities: asks,
  answers: () => ({ result: { action: 'accept', content: { name: 'é' } } }) });

  assert.deepEqual((await tried(raw, 'far', 'ask', { a: 1 })).text,
    JSON.stringify([{ a: 1 }, { who: { action: 'accept',
      content: { name: 'é' } } }]));
  assert.equal(raw.asked[0].params.message, 'far asks: Who?');
  assert.deepEqual(meta.at(-1)['io.modelcontextprotocol/clientCapabilities'],
    asks);
});

test('how a server is spoken to is remembered', once, async (t) => {
  let stream, old = true;
  const odd = { '/old': ({ request, response }) => {
    if (!old)
      return false;
    if (old && request.method === 'GET')
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
    else
      response.writeHead(405).end();
    stream?.write('event: endpoint\ndata: /post\n\n');
    return true;
  }, '/post': ({ response, message, result }) => {
    response.writeHead(202).end();
    if (message.id !== undefined)
      stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id,
        result: result(message) })}\n\n`);
    return true;
  } };
  const remote = await serveRemote(t, { odd });
  const home = folder(t);
  const begins = async (place) => {
    const { client } = await open(t, `${remote.origin}${place}`, {}, { home });
    const from = remote.heard.length;

    assert.equal(text(await run(client, call(), { timeout: 90 })), '{}');
    await client.close();
    return remote.heard.slice(from).slice(0, 3).map(({ method, message }) =>
      message?.method ?? method);
  };
  const [ask, first] = ['server/discover', 'initialize'];

  assert.deepEqual(await begins('/mcp'),
    [ask, first, 'notifications/initialized']);
  assert.equal((await begins('/mcp'))[0], first);
  assert.deepEqual(await begins('/old'), [ask, first, 'GET']);
  assert.deepEqual((await begins('/old')).slice(0, 2), ['GET', first]);
  old = false;
  remote.sessions.clear();
  assert.equal((await begins('/old'))[0], 'GET');
});

test('headers reach the server alone, and its session is ended', async (t) => {
  const remote = await serveRemote(t);
  const log = path.join(folder(t), 'log');
  const { client, pid } = await open(t, `${remote.origin}/mcp`,
    { headers: { 'Authorization': 'Bearer ${TOKEN}', 'X-Plain': 'a' } },
    { env: { TOKEN: secret, CAISSON_LOG_LEVEL: 'debug',
      CAISSON_LOG_FILE: log } });

  assert.equal(text(await run(client, call('a=1'))), '{"a": 1}'
    .replace(' ', ''));
  assert.equal(text(await run(client,
    'import os\nprint(dict(os.environ), runtime.describe_server("far"))'))
    .includes(secret), false);
  const connector = descendants(pid).find(({ name }) => /connector/.test(name));

  assert.ok(connector);
  if (process.getuid() === 0)
    assert.doesNotMatch(fs.readFileSync(
      `/proc/${connector.pid}/environ`, 'utf8') + fs.readFileSync(
      `/proc/${connector.pid}/cmdline`, 'utf8'), new RegExp(secret));
  await client.close();
  await until(() => remote.heard.some(({ method }) => method === 'DELETE'),
    'the end of the session');
  for (const { headers, message, method } of remote.heard) {
    assert.equal(headers.authorization, `Bearer ${secret}`);
    assert.equal(headers['x-plain'], 'a');
    if (method === 'POST' &&
      !['initialize', 'server/discover'].includes(message.method)) {
      assert.equal(headers['mcp-protocol-version'], '2025-11-25');
      assert.equal(headers['mcp-session-id'], 'session-1');
    }
  }
  assert.doesNotMatch(fs.readFileSync(log, 'utf8'), new RegExp(secret));
});

test('a connector that is killed costs one server, once', async (t) => {
  const remote = await serveRemote(t);
  const { client, pid } = await open(t, `${remote.origin}/mcp`);

  await run(client, call());
  process.kill(descendants(pid).find(({ name }) => /connector/.test(name)).pid,
    'SIGKILL');
  await until(async () => text(await run(client, attempt)) === '{}',
    'another connector');
});

test('a redirect keeps headers, method and body, but leads not elsewhere', once,
  async (t) => {
    const other = await serveRemote(t);
    const to = (place) => ({ response }) =>
      response.writeHead(307, { location: place }).end();
    const odd = { '/old': to('/mcp'), '/out': to(`${other.origin}/mcp`),
      '/round': to('/round') };
    const remote = await serveRemote(t, { odd });
    const headers = { 'X-Key': secret };

    assert.equal(text(await run((await open(t, `${remote.origin}/old`,
      { headers })).client, call('a=2'))), '{"a":2}');
    for (const [place, why] of [['out', `redirects to ${other.origin}, which`],
      ['round', 'redirects more than 5 times']])
      assert.ok(text(await run((await open(t, `${remote.origin}/${place}`,
        { headers })).client, attempt)).startsWith(
        `far: server "far" did not start: ${remote.origin} ${why}`));
    assert.equal(other.heard.length, 0);
  });

test('a stream that is cut is resumed, and its answer comes once', once,
  async (t) => {
    const cut = ({ response, message, request, event, result }) => {
      const at = Number(request.headers['last-event-id'] ?? 0);

      if (at === 0 && message?.method !== 'tools/call')
        return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (at === 0)
        response.write(`retry: 1\n${event(1)}`);
      else if (at === 1)
        response.write(event(2, { jsonrpc: '2.0', method:
          'notifications/progress', params: { progressToken: 0 } }));
      else
        response.end(event(3, { jsonrpc: '2.0', id: cut.id,
          result: result({ method: 'tools/call', params:
            { arguments: 'once' } }) }));
      cut.id ??= message.id;
      response.destroySoon?.();
      response.socket?.destroySoon();
      return true;
    };
    const remote = await serveRemote(t, { odd: { '/mcp': cut } });
    const { client } = await open(t, `${remote.origin}/mcp`);

    assert.equal(text(await run(client, call())), '"once"');
    assert.deepEqual(remote.heard.filter(({ headers }) =>
      headers['last-event-id']).map(({ method, headers }) =>
      [method, headers['last-event-id']]), [['GET', '1'], ['GET', '2']]);
    assert.equal(remote.heard.filter(({ message }) =>
      message?.method === 'tools/call').length, 1);
  });

test('a session that the server has forgotten is begun again', once, async (t) => {
  const remote = await serveRemote(t);
  const { client } = await open(t, `${remote.origin}/mcp`);

  await client.setLoggingLevel('error');
  await run(client, call());
  remote.sessions.clear();
  assert.deepEqual(text(await run(client, `import asyncio
print([r.text for r in await asyncio.gather(
    *[mcp_far.echo(a=n) for n in range(8)])])`)),
  `[${[...Array(8).keys()].map((n) => `'{"a":${n}}'`).join(', ')}]`);
  assert.equal(remote.number, 2);
  assert.deepEqual(remote.heard.filter(({ message }) =>
    message?.method === 'logging/setLevel').map(({ headers, message }) =>
    [headers['mcp-session-id'], message.params.level]),
  [['session-1', 'error'], ['session-2', 'error']]);
});

test('a session that begins and fails is ended', once, async (t) => {
  const odd = Object.fromEntries(['cut', 'error'].map((name) => [`/${name}`,
    ({ request, response, message, json }) => {
      if (message?.method !== 'initialize')
        return request.method !== 'DELETE' && !!response.writeHead(404).end();
      if (name === 'error')
        json({ jsonrpc: '2.0', id: message.id, error: { code: 1,
          message: 'no' } }, { 'mcp-session-id': name });
      else
        response.writeHead(200, { 'content-type': 'text/event-stream',
          'mcp-session-id': name }).write(': x\n\n', () =>
          setImmediate(() => response.socket.destroy()));
      return true;
    }]));
  const remote = await serveRemote(t, { odd });

  for (const [name, why] of [['cut', /ended the connection: /],
    ['error', /it refused "initialize": no/]]) {
    assert.match(text(await run((await open(t,
      `${remote.origin}/${name}`)).client, attempt)), why);
    await until(() => remote.heard.some(({ method, headers }) =>
      method === 'DELETE' && headers['mcp-session-id'] === name), 'its end');
  }
});

test('a request without effects is sent again where a connection broke', once,
  async (t) => {
    const broken = new Set(['initialize', 'tools/call']);
    const remote = await serveRemote(t, { odd: { '/mcp': ({ response,
      message }) => broken.delete(message?.method) &&
      response.socket.destroy() } });
    const { client } = await open(t, `${remote.origin}/mcp`);
    const count = (name) => remote.heard.filter(({ message }) =>
      message?.method === name).length;

    assert.match(text(await run(client, attempt)), /ended the connection: /);
    assert.deepEqual([count('initialize'), count('tools/call')], [2, 1]);
    assert.equal(text(await run(client, call())), '{}');
  });

test('what a server sends unasked arrives', once, async (t) => {
  const remote = await serveRemote(t);
  const { client } = await open(t, `${remote.origin}/mcp`);

  await run(client, call());
  await until(() => remote.streams.size === 1, 'its stream');
  remote.tools.push('later');
  remote.send({ method: 'notifications/tools/list_changed' });
  await until(async () => text(await run(client,
    'print([t["name"] for t in await runtime.list_tools("far")])')) ===
    "['echo', 'later']", 'the new list');
});

test('what goes wrong is one sentence', once, async (t) => {
  const status = (code, type, body = '') => ({ response }) =>
    response.writeHead(code, { 'content-type': type ?? 'text/plain' })
      .end(body);
  const large = Buffer.alloc(18 << 20, ' ');
  const odd = {
    '/401': status(401), '/403': status(403), '/404': status(404),
    '/503': status(503), '/html': status(200, 'text/html', '<html>'),
    '/error': status(400, 'application/json', JSON.stringify({ jsonrpc: '2.0',
      id: null, error: { code: -32000, message: 'not today' } })),
    '/said': status(422, 'text/plain', 'no tenant\nin it'),
    '/json': status(200, 'application/json', '{"status":"ok"}'),
    '/odd': ({ response }) => response.writeHead(302,
      { location: 'http://u:secret@h.example:99999/x' }).end(),
    '/large': status(200, 'application/json', large),
    '/bomb': ({ response }) => response.writeHead(200, { 'content-encoding':
      'gzip', 'content-type': 'application/json' })
      .end(zlib.gzipSync(large)),
    '/cut': ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json',
        'content-length': '9' }).write('{');
      response.socket.destroySoon();
      return true;
    },
  };
  const remote = await serveRemote(t, { odd });
  const at = `${remote.origin} `;
  const rows = [
    ['/401', `${at}answered 401: it wants a login: log in by 'caisson servers `
      + "login s0'"],
    ['/403', `${at}answered 403 Forbidden: give its entry the header`],
    ['/404', `${at}answered 404 Not Found: there is no MCP server`],
    ['/503', `${at}answered 503 Service Unavailable: call it again later`],
    ['/html', `${at}answered with text/html instead of MCP`],
    ['/error', 'it refused "initialize": not today (code -32000)'],
    ['/large', `${at}sent a message above the limit of 17 MiB`],
    ['/bomb', `${at}sent a message above the limit of 17 MiB`],
    ['/cut', `${at}ended the connection: `],
    ['/said', `${at}answered 422; it says "no tenant in it"`],
    ['/json', `${at}ended its answer without a response: is its path right?`],
    ['/odd', `${at}redirects to h.example:99999, `],
  ];
  const places = Object.fromEntries(rows.map(([place], n) =>
    [`s${n}`, { url: `${remote.origin}${place}` }]));

  rows.push(['', 'https://nowhere.invalid:443 cannot be reached: Could not ' +
    'resolve host'], ['', 'http://127.0.0.1:1 cannot be reached: Failed to']);
  places.s12 = { url: 'https://nowhere.invalid/mcp' };
  places.s13 = { url: 'http://127.0.0.1:1/mcp' };
  const { client } = await connect(t, withServers(t, places));
  const said = text(await run(client, `for n in range(${rows.length}):
    try:
        await runtime.list_tools(f"s{n}")
    except runtime.MCPError as error:
        print(error)`, { timeout: 60 })).split('\n');

  rows.forEach(([, why], n) => assert.ok(said[n].startsWith(
    `s${n}: server "s${n}" did not start: ${why}`), said[n]));
});

test('without landlock a remote server is refused', async (t) => {
  const remote = await serveRemote(t);
  const { client } = await open(t, `${remote.origin}/mcp`, {},
    { refused: ['landlock_create_ruleset'] });

  assert.match(text(await run(client, attempt)),
    /could not be started: remote servers need landlock, which .*: if it .*/);
  assert.equal(remote.heard.length, 0);
});

test('certificates decide', async (t) => {
  const right = certificate(t, 'IP:127.0.0.1');
  const named = certificate(t, 'DNS:other.example');
  const expired = certificate(t, 'IP:127.0.0.1', '-1');
  const trusted = file(t, 'ca.pem', `${right.cert}${named.cert}${
    expired.cert}`);
  const tell = async (tls, env) => {
    const remote = await serveRemote(t, { tls });

    return text(await run((await open(t, `${remote.origin}/mcp`, {},
      { env })).client, attempt));
  };

  assert.equal(await tell(right, { CAISSON_CA_FILE: trusted }), '{}');
  assert.match(await tell(right, {}), /reached: SSL certificate .*: CAISSON_CA_FILE names a file/);
  assert.match(await tell(expired, { CAISSON_CA_FILE: trusted }),
    /cannot be reached: SSL certificate problem: certificate has expired/);
  assert.match(await tell(named, { CAISSON_CA_FILE: trusted }),
    /cannot be reached: SSL: .*(does not match|no alternative)/);
  assert.match(await tell(right, { CAISSON_CA_FILE: '/nowhere/none' }),
    /could not be started: open the certificates .*none: No such/);
  fs.truncateSync(trusted, 4 * 1024 * 1024 + 1);
  assert.match(await tell(right, { CAISSON_CA_FILE: trusted }),
    /the certificates .*ca.pem are no regular file of at most 4 MiB/);
});

/* The system trusts the server: by its file, and by its folder. */
test('a file of certificates takes the place of the folder, too', {
  skip: !process.env.CAISSON_OWN_NAMESPACES && 'mounts a folder' },
async (t) => {
  const tls = certificate(t, 'IP:127.0.0.1');
  const other = file(t, 'ca.pem', certificate(t, 'DNS:x', '2', 'other').cert);
  const place = folder(t);
  const { origin } = await serveRemote(t, { tls });
  const tell = async (env) => text(await run((await open(t, `${origin}/mcp`,
    {}, { env })).client, attempt));

  fs.writeFileSync(`${place}/ca-certificates.crt`, tls.cert);
  fs.chmodSync(place, 0o755);
  assert.equal(spawnSync('openssl', ['rehash', place]).status, 0);
  assert.equal(spawnSync('mount', ['--bind', place, '/etc/ssl/certs']).status,
    0);
  t.after(() => spawnSync('umount', ['/etc/ssl/certs']));
  assert.equal(await tell({}), '{}');
  assert.match(await tell({ CAISSON_CA_FILE: other }), /SSL certificate/);
});
