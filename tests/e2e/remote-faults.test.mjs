/*
 * Remote servers that are wrong in some way: what commands and calls say of
 * each is one sentence, and it costs that server alone.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import zlib from 'node:zlib';
import { serveAuthority } from './support/authority.mjs';
import { text } from './support/files.mjs';
import { ended, folder } from './support/program.mjs';
import { serveRemote } from './support/remote.mjs';
import { connect, run } from './support/sdk.mjs';
import { withServers } from './support/servers.mjs';
import { until } from './support/wait.mjs';

const json = { 'content-type': 'application/json' };
const stream = { 'content-type': 'text/event-stream' };
const answer = ({ message, value = '' }) => JSON.stringify({ jsonrpc: '2.0',
  id: message.id, result: { content: [{ type: 'text', text: value }] } });
const bomb = zlib.gzipSync(Buffer.alloc(200 << 20, ' '));
const large = (mib) => 'x'.repeat(mib << 20);
const note = `data: ${JSON.stringify({ jsonrpc: '2.0', method:
  'notifications/message', params: { level: 'info', data: 'x' } })}\n\n`;

/* Writes the same until the connection ends. */
function endlessly(response, head, piece) {
  const more = () => {
    while (!response.destroyed && response.write(piece))
      ;
  };

  response.writeHead(200, head).on('drain', more);
  more();
}

/* What becomes of a call: the answer to it, and what the code is told. */
const late = /did not answer .*"echo" within 2 s.*\(CAISSON_TOOL_TIMEOUT\)/;
const limit = /sent a message above the limit of 17 MiB/;
const faults = {
  'slow-head': [() => {}, late],
  'slow-body': [({ response }) => response.writeHead(200, json).write('{'),
    late],
  'cut-event': [({ response }) => {
    response.writeHead(200, stream).write('data: {"jsonrpc":');
    setImmediate(() => response.socket.destroy());
  }, /ended the connection: /],
  'cut-json': [({ response }) => response.writeHead(200, json).end('{"jso'),
    /ended its answer without a response/],
  'no-event': [({ response }) => response.writeHead(200, stream).end(note),
    /ended its answer without a response/],
  'login': [({ response }) => response.writeHead(401).end(),
    /answered 401: it wants a login: log in by 'caisson servers login login'/],
  'refused': [({ response }) => response.writeHead(403).end(), /answered 403/],
  'broken': [({ response }) => response.writeHead(500).end(), /answered 500/],
  'elsewhere': [({ response }) => response.writeHead(307,
    { location: 'http://127.0.0.1:1/mcp' }).end(), /redirects to http:.*:1, /],
  'fits': [({ response, message }) => response.writeHead(200, json)
    .end(answer({ message, value: large(15) })), /^15728640$/],
  'large': [({ response, message }) => response.writeHead(200, stream)
    .end(`data: ${answer({ message, value: large(18) })}\n\n`), limit],
  'bomb': [({ response }) => response.writeHead(200,
    { ...json, 'content-encoding': 'gzip' }).end(bomb), limit],
  'endless': [({ response }) => endlessly(response, stream,
    `data: ${'x'.repeat(60_000)}\n`),
    limit],
  'comments': [({ response }) => endlessly(response, stream,
    `: ${'x'.repeat(60_000)}\n`), late],
  'flood': [({ response, message }) => response.writeHead(200, stream)
    .end(`${note.repeat(20_000)}data: ${answer({ message })}\n\n`), /^0$/],
};

for (const [what, env, among] of [
  ['takes too long', { CAISSON_TOOL_TIMEOUT: '2' }, (wanted) => wanted === late],
  ['is wrong', {}, (wanted) => wanted !== late]])
  test(`an answer that ${what} is one sentence, and the next call works`,
    async (t) => {
      const rows = Object.entries(faults).filter(([, row]) => among(row[1]));
      const bad = new Set(rows.map(([name]) => name));
      const faulty = [];
      const remote = await serveRemote(t, { odd: Object.fromEntries(
        rows.map(([name, [fault]]) => [`/${name}`, (request) => {
          if (request.message?.method !== 'tools/call' || !bad.delete(name))
            return false;
          fault(request);
          faulty.push(request.response);
          return true;
        }])) });
      const { client } = await connect(t, withServers(t, Object.fromEntries(
        rows.map(([name]) => [name, { url: `${remote.origin}/${name}` }])),
      { env }));
      const call = async () => JSON.parse(text(await run(client, `import asyncio, json
async def call(server):
    try:
        return str(len((await runtime.call_tool(server, "echo", {})).text))
    except runtime.MCPError as error:
        return str(error)
print(json.dumps(await asyncio.gather(*map(call, ${
  JSON.stringify(rows.map(([name]) => name))}))))`, { timeout: 100 })));

      for (const [n, one] of (await call()).entries()) {
        assert.match(one, rows[n][1][1], rows[n][0]);
        assert.doesNotMatch(one, /\n/);
      }
      await until(() => faulty.every(({ destroyed, writableEnded }) =>
        destroyed || writableEnded), 'the end of the wrong answers');
      assert.deepEqual(await call(), rows.map(() => '2'));
    });

test('a server that restarts fails the calls under way, once each',
  async (t) => {
    const held = [];
    const remote = await serveRemote(t, { odd: { '/mcp': ({ message,
      response }) => {
      if (message?.method !== 'tools/call' || held.length >= 64)
        return false;
      held.push(response);
      return true;
    } } });
    const { client } = await connect(t, withServers(t,
      { far: { url: `${remote.origin}/mcp` } }));
    const calls = run(client, `import asyncio
said = await asyncio.gather(*(mcp_far.echo(n=n) for n in range(64)),
                            return_exceptions=True)
print(len(said), {str(each).split(": ", 2)[-1] for each in said})`,
    { timeout: 100 });

    await until(() => held.length === 64, 'the calls');
    remote.sessions.clear();
    held.forEach((each) => each.socket.destroy());
    assert.match(text(await calls),
      /^64 \{(.[^'"]* ended the connection: [^'"]*.(, )?)+\}$/);
    assert.equal(remote.heard.filter(({ message }) =>
      message?.method === 'tools/call').length, 64, 'none is sent again');
    assert.equal(text(await run(client,
      'print((await mcp_far.echo(n=1)).text)')), '{"n":1}');
    assert.equal(remote.number, 2);
  });

test('commands say what is wrong with a URL, and move it', async (t) => {
  const status = (code, type = 'text/plain') => ({ response }) =>
    response.writeHead(code, { 'content-type': type }).end();
  const remote = await serveRemote(t, { odd: { '/404': status(404),
    '/html': status(200, 'text/html'), '/405': status(405) } });
  const authority = await serveAuthority(t);
  const { origin } = remote;
  const oauth = { clientId: 'us', scopes: 'a b', callbackPort: '1' };
  const home = folder(t);
  const own = { clientId: 'us', grant: 'client_credentials' };
  const rows = {
    plain: [{ url: `${origin}/mcp` }, 'ok'],
    header: [{ url: `${origin}/mcp`, headers: { A: 'b' }, oauth }, 'ok'],
    login: [{ url: authority.url }, `${authority.remote.origin} answered 401: `
      + "it wants a login: log in by 'caisson servers login login'"],
    key: [{ url: authority.url, headers: { Authorization: 'x' } },
      'answered 401 Unauthorized: it refuses the header Authorization of'],
    nothing: [{ url: `${origin}/404` }, 'there is no MCP server at this path'],
    page: [{ url: `${origin}/html` },
      'answered with text/html instead of MCP: is its path right?'],
    silent: [{ type: 'sse', url: `${origin}/mcp` }, 'it has named no address ' +
      'for messages (its type is sse; http may be right)'],
    post: [{ type: 'sse', url: `${origin}/405` },
      '(its type is sse; http may be right)'],
    tls: [{ url: `https://127.0.0.1:${remote.port}/mcp` },
      'if it has no TLS, its URL begins with http://'],
    grant: [{ url: `${origin}/mcp`, oauth: { grant: 'password' } },
      'its oauth: "grant" must be client_credentials, jwt-bearer or auth'],
    path: [{ url: `${origin}/mcp`, oauth: { privateKeyFile: 'key.pem' } },
      'its oauth: "privateKeyFile" must be an absolute path, or begin with ~/'],
    file: [{ url: `${origin}/mcp`, oauth: { idTokenFile: '~/none' } },
      `its oauth: read idTokenFile ${home}/none: No such file`],
    pem: [{ url: authority.url, oauth: { ...own, privateKey: 'x' } },
      'its privateKey cannot be read: it must be the PEM of one key, with its '],
    bearer: [{ url: authority.url, oauth: { ...own, grant: 'jwt-bearer' } },
      'the grant jwt-bearer needs assertion or idToken, or a file of one'],
    idp: [{ url: authority.url, oauth: { ...own, grant: 'jwt-bearer',
      idToken: 'x', idpClientId: 'x', idpTokenEndpoint: 'http://idp.test/' } },
    'also needs idpClientId, and idpTokenEndpoint, which begins with https://'],
    name: [{ url: 'https://nowhere.invalid/mcp' },
      'cannot be reached: Could not resolve host: nowhere.invalid'],
  };
  const place = path.join(home, '.cursor/mcp.json');
  const run = (...args) => ended(t, { home, args });
  const judge = (out, but) => Object.keys(rows).forEach((name) => {
    const line = new RegExp(`^(ok|FAILED) +${name}: .*`, 'm').exec(out)?.[0];

    assert.ok(name === but || line?.includes(rows[name][1]),
      `${name}: ${line ?? out}`);
  });

  fs.mkdirSync(path.dirname(place));
  const write = () => fs.writeFileSync(place, JSON.stringify({ mcpServers:
    Object.fromEntries(Object.entries(rows).map(([name, [entry]]) =>
      [name, entry])) }));

  write();
  judge((await run('servers', 'test')).out);
  /* One that says nothing is waited for by each command. */
  delete rows.silent;
  delete rows.grant;
  delete rows.path;
  write();

  const moved = await run('adopt', 'cursor', '--yes', '--keep', 'plain');

  assert.equal(moved.code, 1, moved.errors);
  judge(moved.out, 'plain');
  assert.deepEqual(Object.keys(JSON.parse(
    fs.readFileSync(place)).mcpServers).sort(), ['caisson', 'plain']);
  const { header } = JSON.parse(fs.readFileSync(path.join(home,
    '.config/caisson/servers/cursor.json'))).mcpServers;

  assert.deepEqual([header.headers, header.oauth], [{ A: 'b' }, oauth]);
  assert.equal((await run('adopt', 'cursor', '--undo', '--yes')).code, 0);
  assert.match((await run('servers', 'import', 'cursor', '--yes')).out,
    /^Copied 13 servers to /m);
  assert.match((await run('servers', 'list')).out,
    /^ {4}headers +A, oauth:clientId, oauth:scopes, oauth:callbackPort$/m);
  assert.match((await run('servers', 'list', '--json')).out,
    /"headers": \["A", "oauth:clientId", /);
  await run('servers', 'add', 'more', `${origin}/mcp`, '--header', 'A=b',
    '--header', 'B: c');
  assert.match((await run('servers', 'test')).out, /^ok +more: 1 tool$/m);
  assert.ok(remote.heard.some(({ headers }) => headers.a === 'b' &&
    headers.b === 'c'));
});
