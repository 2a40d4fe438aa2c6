/*
 * Links: what code has left is served to anyone who has the link to it, and
 * nothing else; each part of a link is signed, it expires, and all can be
 * revoked. A link for sending takes one file.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import { file, folder, settings } from './support/program.mjs';
import { fetchAt, raw, serve, serveTcp } from './support/serve.mjs';
import { add, caisson, clientOf, last, run } from './support/tokens.mjs';
import { until } from './support/wait.mjs';

const base = 'https://box.example/caisson';
const invalid = [403, 'this link is not valid: it was altered, is for ' +
  'another method, was revoked, or its file was removed'];

settings.CAISSON_ARGUMENTS = 'code,conversationId';
settings.CAISSON_PUBLIC_URL = base;

/* A server, and how a client with a link asks it. */
async function served(t, options = {}) {
  const home = folder(t);
  const token = add(home, 'one');
  const server = await serveTcp(t, { ...options, home });
  const origin = server.url.replace(/\/mcp$/, '');
  const fetch = fetchAt(t);
  const ask = (link, more) => fetch(link.replace(base, origin), more);
  const told = async (link, more) => {
    const answer = await ask(link, more);

    return [answer.status, (await answer.json()).error.message];
  };

  return { ...server, home, token, origin, ask, told,
    client: clientOf(t, server.url, token),
    link: (...args) => caisson(home, 'files', 'link', '--owner', 'one',
      ...args) };
}

const kept = (home) => fs.readdirSync(
  path.join(home, '.local/state/caisson/files'))
  .filter((name) => /^t?[0-9a-f]{16}$/.test(name)).length;

test('what code leaves has a link, which needs no token', async (t) => {
  const { ask, client, home, link } = await served(t,
    { env: { CAISSON_STRUCTURED: 'on' } });
  const page = '<script>alert(1)</script>';
  const { content, structuredContent: { files } } = await client.run(
    `open("/workspace/out/a b.html", "w").write("${page}")
open("/workspace/out/x.svg", "w").write(
    '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')`);
  const [first, second] = content[0].text.match(/https:\S+/g);

  assert.deepEqual([files[1], files[3]], [first, second]);
  assert.match(first, new RegExp(`^${base}/files/one/-/a%20b\\.html` +
    '\\?v=1&exp=[0-9]+&sig=[0-9a-f]{64}$'));
  for (const [method, body] of [['GET', page], ['HEAD', '']]) {
    const answer = await ask(first, { method,
      headers: { Host: 'box.example', Authorization: 'Bearer wrong' } });

    assert.equal(answer.status, 200);
    assert.equal(await answer.text(), body);
    for (const [name, value] of [['content-length', `${page.length}`],
      ['etag', '"1"'], ['content-disposition', 'attachment'],
      ['content-security-policy', "sandbox; default-src 'none'"],
      ['x-content-type-options', 'nosniff'], ['cache-control', 'no-store']])
      assert.equal(answer.headers.get(name), value, name);
  }

  assert.equal((await ask(first, { headers: { 'If-None-Match': '"1"' } }))
    .status, 304);

  const drawing = await ask(second, { headers: { Range: 'bytes=0-3' } });

  assert.deepEqual([drawing.status, drawing.headers.get('content-type'),
    await drawing.text()], [206, 'application/xml', '<svg']);

  /* Ids that look like none, or like paths, and files of the local user. */
  for (const conversationId of ['-', '--', 'a/b', '../x', 'ü %'])
    assert.equal(await (await ask((await client.text(
      `open("/data/n", "w").write(${JSON.stringify(conversationId)})`,
      { conversationId })).match(/https:\S+/)[0])).text(), conversationId);
  caisson(home, 'files', 'add', file(t, 'mine', 'own'), 'mine');

  const own = caisson(home, 'files', 'link', 'mine', '--expires', '48h');
  const [, expires] = /\/files\/-\/-\/mine\?v=1&exp=(\d+)&/.exec(own);

  assert.equal(Math.round((expires - Date.now() / 1000) / 86400), 2);
  assert.equal(await (await ask(own)).text(), 'own');
  assert.equal(await (await ask(link('n', '--conversation', '-'))).text(),
    '-');
  assert.equal(fs.statSync(path.join(home,
    '.local/state/caisson/files/secret')).mode & 0o777, 0o600);
});

test('a link is for what it names only, and tells no names', async (t) => {
  const { ask, client, home, link, origin, told, token } = await served(t);

  add(home, 'two');
  await client.run(`for n in "ab":
  open("/workspace/out/" + n, "w").write(n)`);

  const good = link('a');
  const { port } = new URL(origin);

  for (const [from, to] of [['/a?', '/b?'], ['/a?', '/none?'],
    ['/one/', '/two/'], ['/one/', '/-/'], ['/-/', '/talk/'], ['v=1', 'v=2'],
    ['v=1', 'v=0'], ['v=1', 'v=-1'], ['v=1', 'v=99999999999999999999'],
    ['v=1', 'v=01'], ['v=1', 'v=+1'], ['exp=', 'exp=0'], ['exp=', 'exp= '],
    [/exp=(\d+)/, (_, exp) => `exp=${Number(exp) + 1}`],
    [/exp=\d+/, 'exp=0'], [/exp=\d+/, 'exp=-1'], [/exp=\d+&/, ''],
    [/sig=.*/, `sig=${'0'.repeat(64)}`], [/sig=.*/, 'sig='],
    [/.$/, (last) => last === '0' ? '1' : '0'], [/$/, '0'], [/$/, '&x=1'],
    [/\?(.*)&(sig.*)/, '?$2&$1'], [/\/a/, '/%00'], [/\/a/, '/a%0A'],
    [/\/a/, '/'], [/one\/-\//, '']])
    assert.deepEqual(await told(good.replace(from, to)), invalid, `${to}`);
  assert.deepEqual(await told(good, { method: 'PUT', body: 'x' }), invalid);
  for (const method of ['DELETE', 'POST', 'PATCH'])
    assert.ok([405, 501].includes((await ask(good, { method })).status),
      method);

  /* As bytes, because clients shorten such addresses. */
  for (const place of ['one/-/../../secret', 'one/-/%2e%2e%2fsecret',
    '../-/a', '%2e%2e/-/a', 'one/%2e%2e/a', 'one/%2e%2e%2f-/a', '//a',
    'one/-//etc/passwd']) {
    const answer = await raw({ port }, `GET /files/${place}?${
      good.split('?')[1]} HTTP/1.1\r\nHost: localhost:${port}\r\n` +
      'Connection: close\r\n\r\n');

    assert.match(answer, /^HTTP\/1\.1 403 /, place);
    assert.ok(answer.includes(invalid[1]), place);
  }

  /* A token is no link, and a link no token. */
  for (const [headers, status] of [[{}, 401],
    [{ Authorization: `Bearer ${token}` }, 404]])
    assert.equal((await ask(good.replace(/\?.*/, ''), { headers })).status,
      status);
  for (const headers of [{ Host: 'evil.example' },
    { Origin: 'https://evil.example' }])
    assert.equal((await ask(good, { headers })).status, 403);
  assert.equal((await ask(good, { headers: { Host: 'box.example',
    Origin: 'https://box.example' } })).status, 200);

  const short = link('a', '--expires', '1s');

  assert.deepEqual(await until(async () => {
    const answer = await ask(short);

    return answer.status !== 200 && answer.json();
  }, 'the end of a link'), { jsonrpc: '2.0', id: null, error: { code: -32000,
    message: 'this link has expired: ask for another one' } });

  caisson(home, 'files', 'remove', 'a', '--owner', 'one');
  assert.deepEqual(await told(good), invalid);
  for (const value of ['0', 'x', '9999h'])
    assert.match(run(home, 'files', 'link', 'b', '--owner', 'one',
      '--expires', value).stderr, /--expires must be a time from 1s to 8784h/);
});

test('what clients store, and lists of it, have links', async (t) => {
  const { ask, client, token } = await served(t, { env: {
    CAISSON_TOOLS: 'run_python,upload_file' } });
  const result = async (...request) =>
    (await last(await client.ask(...request))).result;
  const put = await (await ask(`${base}/files/put`, { method: 'PUT',
    body: 'put', headers: { Authorization: `Bearer ${token}` } })).json();
  const { content: [text, link] } = await result('tools/call', {
    name: 'upload_file', arguments: { name: 'up', content: 'up' } });
  const { resources } = await result('resources/list');
  const listed = (name) => resources.find((one) => one.name === name)._meta;

  assert.equal(link._meta['caisson/url'], text.text.match(/https:\S+/)[0]);
  for (const [url, content] of [[put.url, 'put'],
    [link._meta['caisson/url'], 'up'], [listed('put')['caisson/url'], 'put']])
    assert.equal(await (await ask(url)).text(), content);
});

test('a link for sending takes this file, as a whole', async (t) => {
  const { ask, client, home, link, origin, told } = await served(t,
    { env: { CAISSON_FILES_MAX: '1m' } });
  const to = link('sub/in.txt', '--conversation', 'talk', '--upload');
  const put = (body, more) => ask(to, { method: 'PUT', body, ...more });
  const answer = await put('sent');

  assert.equal(answer.status, 201);
  assert.deepEqual(await answer.json(), { size: 4, version: 1,
    uri: 'resource://caisson/conversations/talk/sub/in.txt?version=1',
    name: 'sub/in.txt', mimeType: 'text/plain' });
  assert.match(await client.text('print(open("/data/sub/in.txt").read())',
    { conversationId: 'talk' }), /^sent/);
  for (const method of ['GET', 'HEAD'])
    assert.equal((await ask(to, { method })).status, 403);
  for (const [from, by] of [['in.txt', 'other'], ['talk', 'others'],
    ['v=1', 'v=2']])
    assert.deepEqual(await told(to.replace(from, by),
      { method: 'PUT', body: 'x' }), invalid);
  assert.deepEqual(await told(to, { method: 'PUT',
    body: Buffer.alloc(2 << 20) }),
  [413, 'sub/in.txt: it is larger than all files of this owner may be beside ' +
    'those of others (0.5 of 1 MiB): raise CAISSON_FILES_MAX']);
  assert.equal((await put('x', { headers: { 'Content-Length': '1',
    'Content-Range': 'bytes 0-0/2' } })).status, 400);

  /* A client that leaves has sent nothing. */
  const { port } = new URL(origin);
  const line = net.connect(port);

  line.write(`PUT ${to.replace(base, '')} HTTP/1.1\r\nHost: localhost:${port
  }\r\nContent-Length: 100\r\n\r\nhalf`);
  await until(() => kept(home) === 2, 'the beginning of the file');
  line.destroy();
  await until(() => kept(home) === 1, 'its end');

  /* Nor do those who send too much at a time keep other owners from it. */
  const many = Array.from({ length: 9 }, () => net.connect(port));
  const refused = Promise.any(many.map((each) => new Promise((resolve) =>
    each.once('data', (data) => resolve(String(data))))));

  for (const each of many)
    each.write(`PUT ${to.replace(base, '')} HTTP/1.1\r\nHost: localhost:${
      port}\r\nContent-Length: 100\r\n\r\nhalf`);
  assert.match(await refused, /^HTTP\/1.1 429 [^]*files of this owner are/);
  assert.equal((await ask(caisson(home, 'files', 'link', 'mine', '--upload'),
    { method: 'PUT', body: 'x' })).status, 201);
  for (const each of many)
    each.destroy();
  await until(() => kept(home) === 2, 'their end');
  assert.equal((await (await put('')).json()).version, 2);
});

test('all links are revoked at once, and without an address there are none',
  async (t) => {
    const { ask, client, home, link, told } = await served(t);

    await client.run('open("/workspace/out/a", "w").write("a")');

    const links = [link('a'), link('a', '--expires', '9h')];

    for (const each of links)
      assert.equal((await ask(each)).status, 200);
    caisson(home, 'links', 'revoke');
    for (const each of links)
      assert.deepEqual(await told(each), invalid);
    assert.equal((await ask((await client.text(
      'open("/workspace/out/b", "w").write("b")')).match(/https:\S+/)[0]))
      .status, 200);

    /* A secret that is cut: the fix is told. */
    const after = link('a');

    fs.truncateSync(path.join(home, '.local/state/caisson/files/secret'), 5);
    assert.deepEqual(await told(after),
      [503, 'links do not work now: the log of the server says why']);
    assert.match(run(home, 'files', 'link', 'a', '--owner', 'one').stderr,
      /it is cut; 'caisson links revoke' makes another one/);
    caisson(home, 'links', 'revoke');
    assert.equal((await ask(link('a'))).status, 200);

    const without = await serve(t, { home: folder(t),
      env: { CAISSON_PUBLIC_URL: '' } });

    assert.match(await raw(without.socket, `GET ${links[0].replace(base, '')
    } HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
    /^HTTP\/1\.1 403 [^]*this link is not valid/);
  });

test('the secret and the address of an earlier service sign links',
  async (t) => {
    delete settings.CAISSON_PUBLIC_URL;

    const secret = 'of an earlier service, '.replaceAll(' ', '-').repeat(4);
    const env = { CAISSON_COMPAT: 'b', CAISSON_TOOLS: 'run_python',
      PUBLIC_BASE_URL: 'http://old.example:8080/',
      FILE_SECRET_FILE: file(t, 'secret', `${secret}\n`) };
    const { client, home, origin } = await served(t, { env });
    const link = (await client.run('open("/data/ü", "w").write("")',
      { conversationId: 'talk' })).content[0].text.match(/http:\S+/)[0];
    const [, exp, sig] = /exp=(\d+)&sig=(\w+)/.exec(link);

    assert.match(link, /^http:..old.example:8080.files.one.talk.%C3%BC\?/);
    assert.equal(sig, createHmac('sha256', secret)
      .update(`GET\none\ntalk\nü\n1\n${exp}\n`).digest('hex'));
    assert.equal((await fetch(link.replace('http://old.example:8080',
      origin))).status, 200);
    assert.ok(!fs.existsSync(path.join(home,
      '.local/state/caisson/files/secret')));
  });
