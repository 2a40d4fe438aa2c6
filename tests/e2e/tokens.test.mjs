/*
 * Tokens: serving by TCP always needs one. Each is an owner, who neither sees
 * nor slows the others; it ends when it is revoked.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import {
  contained, folder, nativeOnly, once, ran,
} from './support/program.mjs';
import { serveTcp } from './support/serve.mjs';
import { example } from './support/servers.mjs';
import {
  add, caisson, clientOf, found, last, said,
} from './support/tokens.mjs';
import { until } from './support/wait.mjs';

test('the first start by TCP makes a token, which clients need',
  async (t) => {
    const home = folder(t);
    const { url, log, child, ended } = await serveTcp(t, { home });
    const file = log().match(/made a token for clients, in the file (\S+)/)[1];
    const token = fs.readFileSync(file, 'utf8').trim();
    const none = await clientOf(t, url).ask(found);
    const wrong = await clientOf(t, url, `${token}0`).ask(found);

    assert.match(token, /^caisson_[0-9a-f]{64}$/);
    assert.equal(fs.statSync(file).mode & 0o777, 0o600);
    assert.equal(none.status, 401);
    assert.equal(none.headers.get('www-authenticate'), 'Bearer');
    assert.match((await last(none)).error.message, /a token is required/);
    assert.equal(wrong.status, 401);
    assert.equal(wrong.headers.get('www-authenticate'),
      'Bearer error="invalid_token"');
    assert.equal(await clientOf(t, url, token).text('print(6 * 7)'), '42');

    child.kill();
    await ended;

    const again = await serveTcp(t, { home });

    assert.doesNotMatch(again.log(), /made a token/);
    assert.equal((await clientOf(t, again.url, token).ask(found)).status, 200);
  });

test('several addresses are served, also by IPv6', async (t) => {
  const { url, log, home } = await serveTcp(t,
    { sockets: 2, args: ['--listen', '[::1]:0'] });
  const token = add(home, 'one');

  for (const [, each] of log().matchAll(/serving at (http:\S+)/g))
    assert.equal((await clientOf(t, each, token).ask(found)).status, 200);
  assert.match(log(), /http:\/\/\[::1\]:\d+\/mcp/);
  assert.ok(url);
});

test('where to serve is a setting as others are; beyond this machine it warns',
  async (t) => {
    const home = folder(t);

    fs.mkdirSync(path.join(home, '.config/caisson'), { recursive: true });
    fs.writeFileSync(path.join(home, '.config/caisson/config.json'),
      '{"allow_host": ["mcp.example.org", "b"], "listen": "127.0.0.1:1"}');

    const token = add(home, 'one');
    const { url, log } = await serveTcp(t, { home, listen: null,
      env: { CAISSON_LISTEN: '0.0.0.0:0' } });
    const ask = (host) => clientOf(t, url.replace('0.0.0.0', '127.0.0.1'),
      token).ask(found, {}, { Host: host });

    assert.equal((await ask('mcp.example.org')).status, 200);
    assert.equal((await ask('c')).status, 403);
    assert.match(log(), /other machines can reach 0\.0\.0\.0:\d+.*TLS/);
    assert.doesNotMatch((await serveTcp(t, { home, args: [] })).log(),
      /other machines/);
  });

/* Defines these servers in a file of the home. */
function withFile(home, ...names) {
  const place = path.join(home, '.config/caisson/servers');

  fs.mkdirSync(place, { recursive: true });
  fs.writeFileSync(path.join(place, 'own.json'), JSON.stringify({ mcpServers:
    Object.fromEntries(names.map((name) => [name, example()])) }));
}

test('tokens are listed without their secrets', (t) => {
  const home = folder(t);

  assert.equal(caisson(home, 'token', 'list'), 'There are no tokens.');
  assert.deepEqual(fs.readdirSync(home), []);

  withFile(home, 'gh', 'fs');

  const secret = add(home, 'laptop', '--server', 'gh', '--tool', 'run_python',
    '--calls', '2', '--rate', '60');

  add(home, 'phone', '--no-servers');
  assert.match(caisson(home, 'token', 'list'), new RegExp('^laptop \\(\\S+Z\\):' +
    ' servers gh; tools run_python; 2 calls at once; 60 requests a minute\\n' +
    'phone \\(\\S+Z\\): no servers; all tools$'));

  const shown = JSON.parse(caisson(home, 'token', 'list', '--json'));

  assert.deepEqual(shown.tokens.map(({ created, ...rest }) => rest), [
    { name: 'laptop', servers: ['gh'], tools: ['run_python'], calls: 2,
      rate: 60 },
    { name: 'phone', servers: [] }]);

  add(home, 'tablet', '--server', 'gh', '--server', 'fs', '--server', 'gh',
    '--calls', '1', '--rate', '1');
  assert.match(caisson(home, 'token', 'list'), new RegExp('^tablet .*: ' +
    'servers gh, fs; all tools; 1 call at once; 1 request a minute$', 'm'));

  const state = path.join(home, '.local/state/caisson');

  assert.deepEqual(fs.readdirSync(state), ['tokens.json']);

  const { status, stderr } = ran(
    { home, args: ['token', 'add', 'x', '--server', 'gh', '--server', 'ghj'] });

  assert.deepEqual([status, stderr], [2, 'caisson: --server "ghj": there ' +
    'is no such server: did you mean "gh"? \'caisson servers list\' lists ' +
    'all\n']);
  assert.equal(fs.statSync(path.join(state, 'tokens.json')).mode & 0o777,
    0o600);
  assert.ok(!fs.readFileSync(path.join(state, 'tokens.json'), 'utf8')
    .includes(secret.slice(8)));
});

test('a token for a tool that is not served is made with a warning', (t) => {
  const home = folder(t);
  const make = (...args) => {
    return ran({ args: ['token', 'add', ...args], home });
  };
  const done = make('one', '--tool', 'run_python', '--tool', 'run_code');

  assert.equal(done.status, 0);
  assert.match(done.stdout, /^caisson_[0-9a-f]{64}\n$/);
  assert.match(done.stderr, /the setting tools lacks run_code:/);
  assert.doesNotMatch(make('two', '--tool', 'run_code', '--tools', 'run_code')
    .stderr, /lacks/);
  assert.match(make('two').stderr,
    /^caisson: token "two": there is one already: choose another name/);
});

test('neither owner sees what the other one has', async (t) => {
  const home = folder(t);

  withFile(home, 'gh', 'fs');

  const { url } = await serveTcp(t, { home,
    args: ['--tools', 'run_python,list_runners', '--arguments',
      'code,servers,timeout,files,conversationId'] });
  const one = clientOf(t, url, add(home, 'one', '--server', 'gh'));
  const two = clientOf(t, url,
    add(home, 'two', '--no-servers', '--tool', 'run_python'));
  const names = async (client) => (await last(await client.ask('tools/list')))
    .result.tools.map(({ name }) => name);

  /* Servers */
  for (const [client, tells] of [[one, true], [two, false]])
    assert.equal((await last(await client.ask(found))).result.instructions
      .includes('MCP servers'), tells);
  assert.equal(await one.text('print(runtime.discovered_servers())'),
    "('gh',)");
  assert.equal(await two.text('print(runtime.discovered_servers())'), '()');
  assert.match(JSON.stringify(await last(await two.ask('tools/call',
    { name: 'run_python', arguments: { code: '1', servers: ['gh'] } }))),
  /gh/);

  /* Tools of Caisson */
  assert.deepEqual(await names(one), ['run_python', 'list_runners']);
  assert.deepEqual(await names(two), ['run_python']);
  assert.match((await last(await two.ask('tools/call',
    { name: 'list_runners', arguments: {} }))).error.message, /Unknown tool/);

  /* Memories and saved tools */
  await one.run('save_memory("k", 1)\ndef f():\n    "d"\n    return 1\n' +
    'save_tool(f)');
  assert.equal(await one.text('print(load_memory("k"), list_memories())')
    .then((text) => text.startsWith('1 ')), true);
  assert.match(await two.text('print(load_memory("k"))'), /None/);
  assert.equal((await two.run('from user_tools import f')).isError, true);
  assert.equal(await one.text('from user_tools import f\nprint(f())'), '1');

  /* Output that was cut: in every session of its owner */
  const cut = await one.run('print("x" * 100_000)');
  const read = (id) => `try: print(len(runtime.output("${id}")))
except runtime.MCPError as error: print(error.message)`;
  const whole = read(cut._meta['caisson/execution']);
  const sent = async () => (await last(await one.post({ method: 'tools/call',
    params: { name: 'run_python', arguments: { code: whole } } },
  { 'Mcp-Session-Id': await one.begin() }))).result.content[0].text;
  const unknown = await two.text(read('0123456789abcdef'));

  assert.deepEqual([await sent(), await sent()], ['100001', '100001']);
  assert.match(unknown, /^no output is kept under this id: /);
  assert.equal(await two.text(whole), unknown);

  const taken = async (client, id) => (await last(await client.ask(
    'resources/read', { uri: `resource://caisson/output/${id}` })));
  const { error } = await taken(two, cut._meta['caisson/execution']);

  assert.equal((await taken(one, cut._meta['caisson/execution']))
    .result.contents[0].text, `${'x'.repeat(100_000)}\n`);
  assert.deepEqual({ ...error, data: 0 },
    { ...(await taken(two, '0123456789abcdef')).error, data: 0 });

  /* Files */
  await one.run('open("/workspace/out/a.txt", "w").write("mine")');

  const list = async (client) => (await last(await client.ask(
    'resources/list'))).result.resources.map(({ name }) => name);
  const uri = (await last(await one.ask('resources/list'))).result.resources
    .find(({ name }) => name === 'a.txt').uri;

  assert.ok(!(await list(two)).includes('a.txt'));
  assert.ok((await last(await one.ask('resources/read', { uri }))).result);
  assert.ok((await last(await two.ask('resources/read', { uri }))).error);

  /* Conversations */
  const same = { conversationId: 'same' };
  const look = 'import os; print(sorted(os.listdir("/data")))';

  await one.run('open("/data/one", "w").close()', same);
  assert.equal(await two.text(look, same), '[]');
  await two.run('open("/data/two", "w").close()', same);
  assert.equal(await one.text(look, same), "['one']");
  assert.equal(await two.text(look, same), "['two']");

  /* Sessions of the protocol */
  const session = { 'Mcp-Session-Id': await one.begin() };

  assert.equal((await one.post({ method: 'tools/list' }, session)).status,
    200);
  assert.equal((await two.post({ method: 'tools/list' }, session)).status,
    404);
});

test('neither owner sees sessions of the code of the other one',
  nativeOnly('sessions'), async (t) => {
    const { url, home } = await serveTcp(t,
      { args: ['--arguments', 'code,session'] });
    const one = clientOf(t, url, add(home, 'one'));
    const two = clientOf(t, url, add(home, 'two'));
    const code = 'print("mine" in globals())\nmine = 1';
    const known = async (client) =>
      (await client.text(code, { session: 'same' })).split('\n')[0];

    assert.deepEqual([await known(one), await known(two), await known(one),
      await known(two)], ['False', 'False', 'True', 'True']);
  });

test('the load of an owner leaves others their turn', async (t) => {
  const gates = Array.from({ length: 4 }, () => new Gate());
  const { url, home } = await serveTcp(t,
    { args: ['--max-concurrent', '2', '--queue', '8'] });
  const one = clientOf(t, url, add(home, 'one'));
  const two = clientOf(t, url, add(home, 'two'));
  const standing = () => gates.filter((gate) => gate.find().length > 0);
  const leave = new AbortController();

  /* One has all places and wants more; the next that is free is the other's. */
  const calls = gates.map((gate) => one.call(gate.wait,
    { signal: leave.signal }, { timeout: 120 }));

  await until(() => standing().length === 2, 'two calls');
  const other = two.text('print(6 * 7)');

  await two.ask(found);
  const [first, second] = standing();

  first.open();
  assert.equal(await other, '42');
  assert.equal(second.find().length, 1, 'one end was enough');
  leave.abort();
  await Promise.allSettled(calls);
  await until(() => standing().length === 0, 'the end of the code');
});

test('a token may have few calls and few requests', async (t) => {
  const { url, home } = await serveTcp(t);
  const slow = clientOf(t, url, add(home, 'slow', '--rate', '3'));
  const other = clientOf(t, url, add(home, 'other'));
  const statuses = [];

  /* On a slow machine the first ones are forgotten meanwhile. */
  while (statuses.at(-1)?.status !== 429 && statuses.length < 20)
    statuses.push(await slow.ask(found));
  assert.deepEqual(statuses.slice(0, 3).map(({ status }) => status),
    [200, 200, 200]);
  assert.equal(statuses.at(-1).status, 429);
  assert.match(statuses.at(-1).headers.get('retry-after'), /^(1?\d|20|21)$/);

  const { code, message } = (await last(statuses.at(-1))).error;

  assert.equal(code, -32000);
  assert.match(message, /too many requests with this token/);
  assert.equal((await other.ask(found)).status, 200);

  const gates = [new Gate(), new Gate()];
  const single = clientOf(t, url, add(home, 'single', '--calls', '1'));
  const leave = new AbortController();
  const calls = gates.map((gate) => single.call(gate.wait,
    { signal: leave.signal }));

  await until(() => gates.some((gate) => gate.find().length > 0), 'a call');
  assert.equal(await other.text('print(6 * 7)'), '42');
  assert.equal(gates.filter((gate) => gate.find().length > 0).length, 1);
  leave.abort();
  await Promise.allSettled(calls);
  await until(() => gates.every((gate) => gate.find().length === 0),
    'the end of the code');
});

test('limits of a token and of a language: the stricter ones', async (t) => {
  const { url, home } = await serveTcp(t, { env: { CAISSON_MEMORY: '256m',
    CAISSON_TOOLS: 'run_python,run_code',
    CAISSON_LANGUAGE_LIMITS: 'bash:permissive,python:default' } });
  const clients = {
    all: clientOf(t, url, add(home, 'all')),
    few: clientOf(t, url, add(home, 'few', '--limits', 'strict')),
    much: clientOf(t, url, add(home, 'much', '--limits', 'permissive')),
  };
  /* A quarter of the memory is the room of a folder, in MiB. */
  const code = { shell: 'echo $(( $(stat -f -c "%S*%b" .) >> 20 ))', python:
    'import os; s = os.statvfs("."); print(s.f_frsize * s.f_blocks >> 20)' };
  const use = async (name, language, more) => (await last(
    await clients[name].ask('tools/call', { name: 'run_code',
      arguments: { language, code: code[language], ...more } })))
    .result.content[0].text;

  for (const [name, python, shell] of [['all', '128', '512'],
    ['few', '32', '32'], ['much', '128', '512']]) {
    assert.equal(await use(name, 'python'), python, name);
    assert.equal(await use(name, 'shell'), shell, name);
  }
  code.shell = 'for n in 1 2 3 4; do tail /dev/zero & done; wait';
  /* An engine says only that the code itself was killed. */
  const killed = await use('few', 'shell');

  assert.match(killed, contained ? /Killed/ :
    /\(limit 128 MiB\).* let the operator make another token with larger --l/);
  assert.match(await use('few', 'python', { timeout: 100 }),
    /note: timeout was lowered from 100 to 30 seconds/);
  assert.match(await use('few', 'python', { code: 'x = b"x" * (1 << 28)' }),
    /ran out of memory \(limit 128 MiB\)|MemoryError/);
  assert.match(caisson(home, 'token', 'list'), /^few .*; limits strict$/m);
  assert.match(caisson(home, 'config', 'show'),
    /^limits +strict +token few$/m);
  assert.match(ran({ home,
    args: ['token', 'add', 'x', '--limits', 'loose'] }).stderr,
    /--limits is "loose", but must be one of /);
});

test('a revoked token ends its sessions and calls', async (t) => {
  /* Containers have no sessions of the code: each call begins anew. */
  const named = (session) => contained ? {} : { session };
  const kept = contained ? 'False' : 'True';
  const gate = new Gate();
  const { url, home } = await serveTcp(t,
    { args: ['--arguments', 'code,session', '--max-concurrent', '8'] });
  const one = clientOf(t, url, add(home, 'one'));
  const two = clientOf(t, url, add(home, 'two'));
  const look = 'print("x" in globals())\nx = 1';
  const known = async (client, session) =>
    (await client.text(look, named(session))).split('\n')[0];
  const headers = { 'Mcp-Session-Id': await one.begin() };
  const message = { method: 'tools/call', params: {
    name: 'run_python', arguments: { code: gate.wait } } };

  await one.run('save_memory("k", 1)');
  for (const client of [one, two])
    assert.equal(await known(client, 'idle'), 'False');

  const busy = one.run(`x = 1\n${gate.wait}`, named('busy'));
  const running = await one.post({ id: 7, ...message }, headers);
  const plain = one.post({ id: 8, ...message },
    { ...headers, Accept: 'application/json' });
  const other = await one.call(gate.wait);

  await until(() => gate.find().length === 4, 'four calls');
  caisson(home, 'token', 'revoke', 'one');
  await until(() => gate.find().length === 0, 'the end of the code');
  await busy;

  /* No client waits for an answer that does not come. */
  for (const [answer, id, status] of [[running, 7, 200],
    [await plain, 8, 401], [other, 1, 200]]) {
    const { error, ...rest } = await last(answer);

    assert.equal(answer.status, status);
    assert.deepEqual([rest.id, error],
      [id, { code: -32000, message: 'this token was revoked' }]);
  }
  assert.equal((await one.ask(found)).status, 401);
  assert.equal((await two.ask(found)).status, 200);

  /* The name is the owner: it has its memories again, but no session. */
  const again = clientOf(t, url, add(home, 'one'));

  assert.equal((await again.post({ method: 'tools/list' }, headers)).status,
    404);
  assert.equal(await again.text('print(load_memory("k"))'), '1');
  assert.equal(await known(again, 'idle'), 'False');
  assert.equal(await known(again, 'busy'), 'False');
  assert.equal(await known(two, 'idle'), kept);
  assert.equal((await one.ask(found)).status, 401);
});

test('a file of tokens with a fault accepts no token, until it is mended',
  async (t) => {
    const { url, home, log } = await serveTcp(t);
    const token = add(home, 'one');
    const client = clientOf(t, url, token);
    const file = path.join(home, '.local/state/caisson/tokens.json');
    const good = fs.readFileSync(file);

    assert.equal((await client.ask(found)).status, 200);
    fs.writeFileSync(file, '{"version":1,');
    assert.equal((await client.ask(found)).status, 503);
    assert.equal((await clientOf(t, url, 'x').ask(found)).status, 503);
    await said(log, /the file of tokens, .* is not valid JSON: repair it/);
    fs.writeFileSync(file, '{"version":1,"tokens":[{"nam":1}]}');
    await said(log, /an entry that is not valid, number 1 \(its member "nam"\)/);
    fs.writeFileSync(file, good);
    assert.equal((await client.ask(found)).status, 200);

    fs.chmodSync(file, 0o644);
    assert.equal((await client.ask(found)).status, 503);
  });

test('wrong tokens of an address wait, and valid ones do not', async (t) => {
  const { url, home } = await serveTcp(t);
  const before = clientOf(t, url, add(home, 'one'), { from: '127.0.0.2' });
  const guess = (n) => clientOf(t, url, `x${n}`, { from: '127.0.0.2' })
    .ask(found);
  const statuses = [];

  assert.equal((await before.ask(found)).status, 200);
  /* On a slow machine the first pauses end meanwhile; later ones are longer. */
  while (statuses.at(-1)?.status !== 429 && statuses.length < 12)
    statuses.push(await guess(statuses.length));
  assert.deepEqual(statuses.slice(0, 5).map(({ status }) => status),
    [401, 401, 401, 401, 401]);
  assert.equal(statuses.at(-1).status, 429);
  assert.match(statuses.at(-1).headers.get('retry-after'), /^\d+$/);
  /* Valid tokens of this address go on and begin, as at other addresses. */
  assert.equal((await before.ask(found)).status, 200);
  for (const from of ['127.0.0.2', undefined])
    assert.equal((await clientOf(t, url, add(home, `at-${from}`), { from })
      .ask(found)).status, 200);
});

test('requests of other hosts and pages are refused', async (t) => {
  const { url, home, log } = await serveTcp(t, { args: ['--allow-host',
    'mcp.example.org', '--allow-origin', 'https://page.example'] });
  const client = clientOf(t, url, add(home, 'one'));
  const { port } = new URL(url);
  const rows = [
    [{ Host: 'evil.example' }, 403],
    [{ Host: `evil.example:${port}` }, 403],
    [{ Host: `127.0.0.1.evil.example:${port}` }, 403],
    [{ Host: `localhost:${port}` }, 200],
    [{ Host: 'mcp.example.org' }, 200],
    [{ Host: 'mcp.example.org:443' }, 200],
    [{ Host: '192.0.2.1' }, 200],
    [{ Origin: 'http://evil.example' }, 403],
    [{ Origin: 'null' }, 403],
    [{ Origin: `http://127.0.0.1:${port}.evil.example` }, 403],
    [{ Origin: 'http://127.0.0.1:1' }, 403],
    [{ Origin: `http://127.0.0.1:${port}` }, 200],
    [{ Origin: 'https://page.example' }, 200],
    [{ Host: 'mcp.example.org', Origin: 'https://mcp.example.org' }, 200],
  ];

  for (const [headers, status] of rows)
    assert.equal((await client.ask(found, {}, headers)).status, status,
      JSON.stringify(headers));
  /* Further ones are counted in the next line. */
  await said(log, /one of this server: --allow-host "evil\.example" would al/);
  await said(log, /requests here: --allow-origin "http:\/\/evil\.example" wo/);
});

test('idle connections of some addresses leave room for others',
  once, async (t) => {
    const { url, home } = await serveTcp(t);
    const { hostname: host, port } = new URL(url);
    const token = add(home, 'one');
    const idle = [];

    t.after(() => idle.forEach((one) => one.destroy()));
    for (const localAddress of ['127.0.0.2', '127.0.0.3'])
      await Promise.all(Array.from({ length: 1000 }, () =>
        new Promise((resolve, reject) => {
          const one = net.connect({ host, port, localAddress }, resolve);

          one.on('error', reject);
          idle.push(one);
        })));
    assert.equal((await clientOf(t, url, token).ask(found)).status, 200);
  });

test('an address is believed only from the proxy that is named',
  async (t) => {
    const home = folder(t);
    const { url, log } = await serveTcp(t, { home,
      args: ['--trust-proxy', '127.0.0.2', '--log-level', 'info'] });
    const ask = (token, from, forwarded) => clientOf(t, url, token, { from })
      .ask(found, {}, { 'X-Forwarded-For': forwarded });
    const token = add(home, 'one');

    await ask('wrong', '127.0.0.3', '192.0.2.7');
    await ask('wrong', '127.0.0.2', '192.0.2.9, 192.0.2.8');
    await ask(token, '127.0.0.2', '192.0.2.6');
    await said(log, /127\.0\.0\.3 has sent a token that is not valid/);
    await said(log, /192\.0\.2\.8 has sent a token that is not valid/);
    await said(log, /192\.0\.2\.6 has sent token one/);
    assert.doesNotMatch(log(), /192\.0\.2\.[79]/);
  });

test('without a valid token it does not start', async (t) => {
  const home = folder(t);
  const start = (...args) => {
    const done = ran(
      { home, args: ['serve', '--listen', '127.0.0.1:0', ...args] });

    assert.equal(done.status, 2, done.stderr);
    return done.stderr;
  };

  add(home, 'one');
  caisson(home, 'token', 'revoke', 'one');
  assert.match(start(), /all were revoked: make one with 'caisson token add/);
  fs.writeFileSync(path.join(home, '.local/state/caisson/tokens.json'), '');
  assert.match(start(), /tokens\.json in the state directory, is not valid/);
  assert.match(start('--listen', 'nonsense'), /is "127.0.0.1:0,nonsense", but/);
  assert.match(start('--trust-proxy', 'localhost'), /is "localhost", but must be/);
});
