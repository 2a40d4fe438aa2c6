/*
 * Files over HTTP: /files/CONVERSATION/NAME is put, read in whole or in part,
 * and removed by the owner of the token only; its bytes are in no memory.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { folder, settings } from './support/program.mjs';
import { descendants, memory } from './support/processes.mjs';
import { serveTcp } from './support/serve.mjs';
import { add, caisson, clientOf } from './support/tokens.mjs';
import { until, within } from './support/wait.mjs';

settings.CAISSON_ARGUMENTS = 'code,conversationId';

/* A server with a token, and a function that sends a request about a file. */
async function served(t, options = {}) {
  const home = options.home ?? folder(t);
  const token = options.token ?? add(home, 'one');
  const server = await serveTcp(t, { ...options, home });
  const origin = server.url.replace(/\/mcp$/, '');
  const ask = (method, name, { body, headers = {}, as = token } = {}) =>
    fetch(`${origin}/files/${name}`, { method, body, duplex: 'half',
      headers: { Authorization: `Bearer ${as}`, ...headers } });

  return { ...server, home, token, origin, ask };
}

function kept(home) {
  const folder = path.join(home, '.local/state/caisson/files');

  return fs.existsSync(folder) ? fs.readdirSync(folder)
    .filter((name) => /^t?[0-9a-f]{16}$/.test(name)) : [];
}

const failed = async (answer) => (await answer.json()).error.message;

test('a file is put, read, read in part, replaced and removed', async (t) => {
  const { ask } = await served(t);
  const bytes = Buffer.from(Array.from({ length: 100000 }, (_, n) => n % 251));
  const put = await ask('PUT', 'talk/a%20b.bin', { body: bytes });
  const part = async (range, headers = {}) => {
    const answer = await ask('GET', 'talk/a%20b.bin',
      { headers: { Range: range, ...headers } });

    return [answer.status, answer.headers.get('content-range'),
      answer.status === 416 ? await failed(answer) :
        Buffer.from(await answer.arrayBuffer())];
  };

  assert.equal(put.status, 201);
  assert.deepEqual(await put.json(), {
    uri: 'resource://caisson/conversations/talk/a%20b.bin?version=1',
    name: 'a b.bin', mimeType: 'application/octet-stream', size: 100000,
    version: 1 });

  const whole = await ask('GET', 'talk/a%20b.bin');

  assert.equal(whole.status, 200);
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), bytes);
  for (const [name, value] of [['content-length', '100000'],
    ['content-type', 'application/octet-stream'], ['etag', '"1"'],
    ['content-disposition', 'attachment'], ['accept-ranges', 'bytes'],
    ['content-security-policy', "sandbox; default-src 'none'"],
    ['x-content-type-options', 'nosniff']])
    assert.equal(whole.headers.get(name), value, name);

  for (const [range, from, to] of [['bytes=0-0', 0, 1],
    ['bytes=99990-', 99990, 100000], ['bytes=-5', 99995, 100000],
    ['bytes=70000-999999', 70000, 100000], ['bytes=-200000', 0, 100000]])
    assert.deepEqual(await part(range), [206,
      `bytes ${from}-${to - 1}/100000`, bytes.subarray(from, to)], range);
  assert.deepEqual(await part('bytes=100000-'),
    [416, 'bytes */100000', 'the file ends before this range: ' +
      'Content-Range has its size']);

  /* The same connection goes on, as no body is sent. */
  for (const [name, status, size] of [['a%20b.bin', 200, '100000'],
    ['none', 404, /^[1-9]/]]) {
    const head = await ask('HEAD', `talk/${name}`,
      { headers: { Range: 'bytes=0-0' } });

    assert.equal(head.status, status);
    assert.match(head.headers.get('content-length'), new RegExp(size));
    assert.equal(await head.text(), '');
  }
  for (const range of ['bytes=5-1', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=x'])
    assert.deepEqual(await part(range), [200, null, bytes], range);
  assert.equal((await part('bytes=0-0', { 'If-Range': '"1"' }))[0], 206);
  assert.equal((await part('bytes=0-0', { 'If-Range': '"2"' }))[0], 200);
  for (const [known, status] of [['"1"', 304], ['"2", W/"1"', 304], ['*', 304],
    ['"2"', 200], ['1', 200]])
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask(method, 'talk/a%20b.bin',
        { headers: { 'If-None-Match': known } });

      assert.deepEqual([answer.status, answer.headers.get('etag'),
        (await answer.arrayBuffer()).byteLength], [status, '"1"',
        status === 200 && method === 'GET' ? 100000 : 0], known);
    }

  assert.equal((await (await ask('PUT', 'talk/a%20b.bin', { body: '' }))
    .json()).version, 2);

  const empty = await ask('GET', 'talk/a%20b.bin');

  assert.equal(empty.headers.get('etag'), '"2"');
  assert.equal(await empty.text(), '');

  /* A printed address names a version, and so may a path. */
  const one = await ask('GET', 'talk/a%20b.bin?version=1');

  assert.deepEqual(Buffer.from(await one.arrayBuffer()), bytes);
  for (const [method, query, status] of [['GET', '?version=7', 404],
    ['GET', '?version=x', 404], ['DELETE', '?all=1', 404],
    ['PUT', '?version=1', 400], ['DELETE', '?version=1', 204],
    ['GET', '?version=1', 404], ['GET', '?version=2', 200]])
    assert.equal((await ask(method, `talk/a%20b.bin${query}`,
      method === 'PUT' ? { body: 'x' } : {})).status, status, method + query);
  assert.equal((await ask('DELETE', 'talk/a%20b.bin')).status, 204);
  for (const method of ['GET', 'DELETE'])
    assert.equal((await ask(method, 'talk/a%20b.bin')).status, 404);
});

test('code finds in /data what was put, and what it leaves is read',
  async (t) => {
    const { ask, url, token } = await served(t);
    const client = clientOf(t, url, token);

    await ask('PUT', 'talk/n.txt', { body: '20' });
    await client.text(
      'n = int(open("/data/n.txt").read()); open("/data/m.txt", "w").write(str(n + 1))',
      { conversationId: 'talk' });
    assert.equal(await (await ask('GET', 'talk/m.txt')).text(), '21');
    assert.equal((await ask('GET', 'm.txt')).status, 404);
    await ask('PUT', 'own.txt', { body: 'mine' });
    assert.equal(await (await ask('GET', 'own.txt')).text(), 'mine');
  });

test('a file has folders, which are those of /data', async (t) => {
  const { ask, url, token } = await served(t);
  const client = clientOf(t, url, token);
  const put = await ask('PUT', 'talk/sub/a%20b/n.txt', { body: '20' });

  assert.equal((await put.json()).uri,
    'resource://caisson/conversations/talk/sub/a%20b/n.txt?version=1');
  assert.match(await client.text(`import os
print(open("/data/sub/a b/n.txt").read())
open("/data/sub/x.csv", "w").write("x"); os.remove("/data/sub/a b/n.txt")`,
  { conversationId: 'talk' }), /^20\nfile: \/data\/sub\/x\.csv/m);
  assert.equal(await (await ask('GET', 'talk/sub%2Fx.csv')).text(), 'x');
  assert.equal((await ask('GET', 'talk/sub/a%20b/n.txt')).status, 404);

  const clash = await ask('PUT', 'talk/sub', { body: 'file' });

  assert.equal(clash.status, 409);
  assert.match(await failed(clash), /has the name of a folder in it/);
  assert.equal((await ask('PUT', 'talk/sub/x.csv/y', { body: '' })).status,
    409);
  assert.equal((await ask('DELETE', 'talk/sub/x.csv')).status, 204);
  assert.equal((await ask('PUT', 'talk/sub', { body: 'file' })).status, 201);
});

test('what is removed or put during a call stays, unless the call changed it',
  async (t) => {
    const { ask, url, token } = await served(t);
    const client = clientOf(t, url, token);
    const gate = new Gate();
    const names = ['gone', 'changed', 'newer', 'sub/gone', 'sub/kept'];
    const left = async () => Object.fromEntries(await Promise.all(
      [...names, 'taken', 'taken/x', 'y'].map(async (name) => {
        const answer = await ask('GET', `talk/${name}`);

        return [name, answer.status === 200 ? await answer.text() : null];
      })));

    for (const name of names)
      await ask('PUT', `talk/${name}`, { body: 'old' });

    const answer = client.text(`import os
open("/data/changed", "w").write("new")
os.mkdir("/data/taken")
open("/data/taken/x", "w").close(); open("/data/y", "w").close()
${gate.wait}`, { conversationId: 'talk' });

    await gate.reached();
    for (const name of ['gone', 'changed', 'sub/gone'])
      assert.equal((await ask('DELETE', `talk/${name}`)).status, 204);
    for (const name of ['newer', 'taken'])
      assert.equal((await ask('PUT', `talk/${name}`, { body: 'put' })).status,
        201);
    gate.open();
    assert.match(await answer, /note: \/data\/taken\/x was not kept: a file of the conversation has the name of a folder/);

    const files = { gone: null, changed: 'new', newer: 'put',
      'sub/gone': null, 'sub/kept': 'old', taken: 'put', 'taken/x': null,
      y: '' };

    assert.deepEqual(await left(), files);
    assert.match(await client.text(`import os
print(sorted(os.listdir("/data"))); os.remove("/data/taken")
os.mkdir("/data/taken"); open("/data/taken/x", "w").close()`,
    { conversationId: 'talk' }),
    /^\['changed', 'newer', 'sub', 'taken', 'y'\]\nfile: \/data\/taken\/x/);
    assert.deepEqual(await left(), { ...files, taken: null, 'taken/x': '' });
  });

test('a full conversation takes no more, and its calls go on', async (t) => {
  const { ask, url, token } = await served(t);
  const client = clientOf(t, url, token);
  const put = (name) => ask('PUT', `talk/${name}`, { body: 'x' });

  for (let n = 0; n < 100; n++)
    assert.equal((await put(`f${n}`)).status, 201);

  const over = await put('more');

  assert.equal(over.status, 507);
  assert.match(await failed(over), /^more: a conversation has at most 100 files: remove some in a call, by DELETE over HTTP, or with 'caisson files remove --owner one' and --conversation$/);
  assert.equal((await put('f0')).status, 201);
  assert.match(await client.text(`import os
os.remove("/data/f1"); os.rename("/data/f2", "/data/moved")
open("/data/zzz", "w").close()`, { conversationId: 'talk' }),
  /^[^\n]*\nfile: \/data\/moved [^\n]*\nfile: \/data\/zzz [^\n]*$/);
  assert.equal((await put('more')).status, 507);
  assert.equal((await ask('DELETE', 'talk/zzz')).status, 204);
  assert.equal((await put('more')).status, 201);
});

test('60 MB go in and out with flat memory', async (t) => {
  const { ask, child } = await served(t);
  const chunk = Buffer.alloc(1000000, 'caisson');
  const workers = () => descendants(child.pid)
    .filter(({ command }) => /^caisson: (gateway|files)/.test(command));
  let out = 0;

  assert.equal((await ask('PUT', 'talk/small', { body: 'x' })).status, 201);

  const before = new Map(workers().map(({ pid }) =>
    [pid, memory(pid, 'VmHWM')]));
  const put = await ask('PUT', 'talk/large', {
    headers: { 'Content-Length': '60000000' },
    body: await fs.openAsBlob((() => {
      const file = path.join(folder(t), 'large');

      for (let n = 0; n < 60; n++)
        fs.appendFileSync(file, chunk);
      return file;
    })()) });

  assert.equal((await put.json()).size, 60000000);
  for await (const piece of (await ask('GET', 'talk/large')).body) {
    for (let at = 0; at < piece.length; at += 4096)
      assert.equal(piece[at], chunk[(out + at) % chunk.length]);
    out += piece.length;
  }
  assert.equal(out, 60000000);
  assert.equal(before.size, 2);
  for (const { pid, command } of workers()) {
    assert.ok(before.has(pid), `${command} was started again`);
    assert.ok(memory(pid, 'VmHWM') - before.get(pid) < 2048,
      `${command}: ${before.get(pid)} to ${memory(pid, 'VmHWM')} KiB`);
  }
});

/* Sends the head of a request; resolves with the status and what follows. */
const send = (url, { token }, method, name, headers) =>
  within(new Promise((resolve, reject) => {
    const request = http.request(`${url}/files/${name}`, { method,
      headers: { Authorization: `Bearer ${token}`, ...headers } });

    request.once('continue', () => resolve('continue'));
    request.once('error', reject);
    request.once('response', async (answer) =>
      resolve([answer.statusCode, Buffer.concat(await answer.toArray())
        .toString()]));
    request.flushHeaders();
  }), 'an answer');

test('what is too large is refused before it is sent', async (t) => {
  const { origin, token, ask } = await served(t,
    { env: { CAISSON_FILES_MAX: '2m' } });
  const [status, text] = await send(origin, { token }, 'PUT', 'talk/a',
    { 'Content-Length': 3000000, Expect: '100-continue' });

  assert.equal(status, 413);
  assert.match(text, /a: it is larger than all files of this owner may be beside those of others \(1\.0 of 2 MiB\): raise CAISSON_FILES_MAX/);
  assert.equal(await send(origin, { token }, 'PUT', 'talk/a',
    { 'Content-Length': 10, Expect: '100-continue' }), 'continue');

  /* A token may have half of what others leave. */
  const shared = await ask('PUT', 'talk/a', { body: Buffer.alloc(1500000) });

  assert.equal(shared.status, 413);
  assert.equal((await ask('PUT', 'talk/a',
    { body: Buffer.alloc(900000) })).status, 201);

  const full = await ask('PUT', 'talk/b', { body: Buffer.alloc(500000) });

  assert.equal(full.status, 507);
  assert.match(await failed(full), /: this owner keeps 1 files of 0\.9 MiB, and may keep 1000 of 1\.0 MiB beside others: remove some \('caisson files remove --owner one'\), or .* CAISSON_FILES_MAX, which is 2 MiB /);
  /* The version before gives way. */
  assert.equal((await ask('PUT', 'talk/a',
    { body: Buffer.alloc(1000000) })).status, 201);

  const chunked = await ask('PUT', 'talk/a', { body: new ReadableStream({
    start: (controller) => {
      controller.enqueue(Buffer.from('a'));
      controller.close();
    } }) });

  assert.equal(chunked.status, 411);
  assert.match(await failed(chunked), /with Content-Length/);
});

test('files of others are not there, and no name leads elsewhere',
  async (t) => {
    const { ask, home, origin } = await served(t);
    const other = add(home, 'two');

    await ask('PUT', 'talk/mine', { body: 'secret' });
    for (const method of ['GET', 'DELETE'])
      assert.equal((await ask(method, 'talk/mine', { as: other })).status, 404);
    assert.equal((await ask('GET', 'talk/mine', { as: `${other}0` })).status,
      401);
    assert.equal(await (await ask('GET', 'talk/mine')).text(), 'secret');
    for (const name of ['talk/..%2f..%2fetc%2fpasswd', 'talk/%2e%2e',
      'talk/%00', 'talk/%zz', 'talk/', '', 'talk/a%0ab', 'talk//a', 'talk/a//b',
      'talk/a/..%2f..%2fb', 'talk/a/',
      'talk/1/2/3/4/5/6/7/8/9']) {
      const put = await send(origin, { token: other }, 'PUT', name,
        { 'Content-Length': 1, Expect: '100-continue' });

      assert.ok([400, 404].includes(put[0]), `${name}: ${put}`);
      assert.equal((await ask('GET', name)).status, 404, name);
    }
    for (const headers of [{ 'Content-Encoding': 'gzip' },
      { 'Content-Range': 'bytes 0-0/2' }, { 'If-Match': '"1"' },
      { 'If-None-Match': '*' }])
      assert.ok([400, 415].includes(
        (await ask('PUT', 'talk/b', { body: 'b', headers })).status));
    assert.equal((await ask('DELETE', 'talk/mine',
      { headers: { 'If-Match': '"9"' } })).status, 400);
    assert.equal(kept(home).length, 1);
  });

/* Sends a request and some of its body; returns the connection. */
function begin(origin, token, name, length, body) {
  const { hostname, port } = new URL(origin);
  const connection = net.connect(port, hostname);

  connection.on('error', () => {});
  connection.write(`PUT /files/${name} HTTP/1.1\r\nHost: ${hostname}\r\n` +
    `Authorization: Bearer ${token}\r\nContent-Length: ${length}\r\n\r\n`);
  connection.write(body);
  return connection;
}

test('a file without a length is not taken', async (t) => {
  const { ask, origin, token } = await served(t);
  const { hostname, port } = new URL(origin);
  const put = net.connect(port, hostname);

  put.write(`PUT /files/talk/a HTTP/1.1\r\nHost: ${hostname}\r\n` +
    `Authorization: Bearer ${token}\r\n\r\n`);
  const [answer] = await once(put, 'data');

  put.destroy();
  assert.match(String(answer), /^HTTP\/1\.1 411 /);
  assert.equal((await ask('GET', 'talk/a')).status, 404);
});

test('a file that is cut in the middle leaves nothing', async (t) => {
  const { ask, home, origin, token } = await served(t,
    { env: { CAISSON_FILES_MAX: '8m' } });
  const half = Buffer.alloc(2000000, 1);
  const cut = begin(origin, token, 'talk/cut', 4000000, half);
  const stored = () => {
    const file = kept(home).find((name) => name.startsWith('t'));

    return file && fs.statSync(
      path.join(home, '.local/state/caisson/files', file)).size;
  };

  await until(() => kept(home).length === 1 && stored() > 1900000,
    'the first half');
  cut.destroy();
  await until(() => kept(home).length === 0, 'it is removed');
  assert.equal((await ask('GET', 'talk/cut')).status, 404);
  /* Its room is free again. */
  assert.equal((await ask('PUT', 'talk/b',
    { body: Buffer.alloc(4000000) })).status, 201);
});

test('a file gives way to a folder that a call has left meanwhile',
  async (t) => {
    const { ask, home, origin, token, url } = await served(t);
    const client = clientOf(t, url, token);
    const put = begin(origin, token, 'talk/taken', 2, 'a');

    await until(() => kept(home).length === 1, 'the first half');
    assert.match(await client.text(`import os
os.mkdir("/data/taken"); open("/data/taken/x", "w").close()`,
    { conversationId: 'talk' }), /file: \/data\/taken\/x/);
    put.write('b');
    assert.match(String((await once(put, 'data'))[0]), /^HTTP\/1\.1 409 /);
    put.destroy();
    assert.equal((await ask('GET', 'talk/taken')).status, 404);
    assert.equal((await ask('GET', 'talk/taken/x')).status, 200);
  });

test('a client that resets while its file waits is gone at once', async (t) => {
  const { ask, child, origin, token } = await served(t);
  const worker = (start) => descendants(child.pid)
    .find(({ name }) => name.startsWith(start))?.pid;
  const sockets = () => fs.readdirSync(`/proc/${worker('gateway')}/fd`).length;

  assert.equal((await ask('PUT', 'talk/a', { body: 'a' })).status, 201);
  const files = worker('files');
  const before = sockets();

  process.kill(files, 'SIGSTOP');
  const cut = begin(origin, token, 'talk/b', 60000000, Buffer.alloc(50000000));

  await until(() => sockets() > before, 'the upload');
  await until(() => cut.writableLength > 0, 'it waits');
  cut.resetAndDestroy();
  await until(() => sockets() <= before, 'it is gone');
  /* On a slow machine the stopped worker has been replaced by now. */
  if (worker('files') === files)
    process.kill(files, 'SIGCONT');
  assert.equal((await ask('GET', 'talk/a')).status, 200);
});

test('files being sent count for their owner, who may send a few',
  async (t) => {
    const { ask, home, origin, token } = await served(t,
      { env: { CAISSON_FILES_MAX: '8m' } });
    const other = add(home, 'two');
    const all = [];

    for (let n = 1; n <= 8; n++) {
      all.push(begin(origin, token, `talk/${n}`, n === 1 ? 3000000 : 2, 'a'));
      await until(() => kept(home).length === n, `file ${n}`);
    }
    assert.equal((await ask('PUT', 'talk/c', { body: 'c' })).status, 429);
    assert.equal((await ask('PUT', 'talk/c', { as: other,
      body: Buffer.alloc(3500000) })).status, 201);
    all[1].write('b');
    await until(async () =>
      (await ask('GET', 'talk/2')).status === 200, 'the second file');
    /* Of 8 MiB it may have half of what the other leaves. */
    assert.equal((await ask('PUT', 'talk/c',
      { body: Buffer.alloc(500000) })).status, 507);
    all.forEach((connection) => connection.destroy());
    await until(() => kept(home).length === 2, 'the rest is removed');
  });

test('what was acknowledged is there after kill -9', async (t) => {
  const home = folder(t);
  const { ask, child, ended, token, origin } = await served(t, { home });
  const body = Buffer.alloc(300000, 'k');

  for (let n = 0; n < 5; n++)
    assert.equal((await ask('PUT', `talk/${n}`, { body })).status, 201);
  begin(origin, token, 'talk/half', 600000, body);
  await until(() => kept(home).length === 6, 'half a file');
  for (const { pid } of descendants(child.pid))
    process.kill(pid, 'SIGKILL');
  child.kill('SIGKILL');
  await ended;

  const again = await served(t, { home, token });

  for (let n = 0; n < 5; n++)
    assert.deepEqual(Buffer.from(await (await again.ask('GET', `talk/${n}`))
      .arrayBuffer()), body);
  assert.equal((await again.ask('GET', 'talk/half')).status, 404);
  assert.equal(kept(home).length, 5);
});

test('a revoked token gets no more of a file, and stores none', async (t) => {
  const { ask, home, origin, token } = await served(t);
  const size = 60000000;

  assert.equal((await ask('PUT', 'talk/a', { body: Buffer.alloc(size) })).status,
    201);

  const up = begin(origin, token, 'talk/b', size, Buffer.alloc(1000, 1));
  const { hostname, port } = new URL(origin);
  const down = net.connect(port, hostname);
  let got = 0;

  down.write(`GET /files/talk/a HTTP/1.1\r\nHost: ${hostname}\r\n` +
    `Connection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await once(down, 'readable');
  await until(() => kept(home).length === 2, 'the upload');
  caisson(home, 'token', 'revoke', 'one');
  await until(async () => (await ask('GET', 'talk/a')).status === 401,
    'it is not valid');
  down.on('data', (data) => {
    got += data.length;
  });
  await Promise.all([once(down, 'close'), once(up.resume(), 'close')]);
  assert.ok(got < size, `${got} bytes`);
  await until(() => kept(home).length === 1, 'the upload is forgotten');
});
