/*
 * What a serving program does when its tokens change, and what the clients of
 * one token do not feel of others: wrong tokens, batches, saved memories.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { write } from './support/home.mjs';
import { serveTcp } from './support/serve.mjs';
import { add, caisson, clientOf, found, last, run, said }
  from './support/tokens.mjs';
import { until } from './support/wait.mjs';

const state = (home) => path.join(home, '.local/state/caisson');
const file = (home) => path.join(state(home), 'tokens.json');

test('each message of a batch counts', async (t) => {
  const { url, home } = await serveTcp(t);
  const fetchOf = clientOf(t, url, add(home, 'slow', '--rate', '20'));
  const headers = { 'Mcp-Session-Id': (await fetchOf.post({
    method: 'initialize', params: { protocolVersion: '2025-03-26',
      capabilities: {}, clientInfo: { name: 'test', version: '1' } } }))
    .headers.get('mcp-session-id') };
  const batch = (count) => fetchOf.postAll(Array.from({ length: count },
    (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })), headers);
  const never = await batch(21);
  const statuses = [(await batch(10)).status];

  assert.equal(never.status, 400);
  assert.match((await last(never)).error.message,
    /more messages than this token may send in a minute/);
  assert.equal(statuses[0], 200);
  /* On a slow machine the first ones are forgotten meanwhile. */
  while (statuses.at(-1) !== 429 && statuses.length < 6)
    statuses.push((await batch(10)).status);
  assert.equal(statuses.at(-1), 429);
  assert.match((await last(await batch(10))).error.message,
    /each one of a batch counts/);
});

test('what a token has kept is shown and removed by its name', async (t) => {
  const { url, home } = await serveTcp(t);
  const one = clientOf(t, url, add(home, 'one'));
  const list = (...words) => JSON.parse(caisson(home, ...words, '--json'));
  const own = ['--owner', 'one'];

  await one.text('save_memory("k", [1])\n' +
    'def f(x):\n    "Doubles."\n    return 2 * x\nruntime.save_tool(f)\n' +
    'open("out/a.txt", "w").write("hello")');
  assert.equal(list('memory', 'list', ...own).memories[0].key, 'k');
  assert.equal(caisson(home, 'memory', 'show', 'k', ...own), '[1]');
  assert.equal(list('saved-tools', 'list', ...own).tools[0].name, 'f');
  assert.match(caisson(home, 'saved-tools', 'show', 'f', ...own), /Doubles/);
  assert.equal(list('files', 'list', ...own).files[0].name, 'a.txt');
  assert.equal(caisson(home, 'files', 'show', 'a.txt', ...own), 'hello');
  assert.match(caisson(home, 'files', 'usage'),
    /^ *5 +\d+ +1 +\d+ +0  one$/m);

  /* The local user has none of it, and keeps what is its own. */
  for (const [word, what] of [['memory', 'memories'], ['saved-tools', 'tools'],
    ['files', 'files']])
    for (const more of [[], ['--owner', '-']])
      assert.deepEqual(list(word, 'list', ...more)[what], []);
  caisson(home, 'files', 'add', file(home), 'mine.json');
  caisson(home, 'token', 'revoke', 'one');
  caisson(home, 'files', 'add', file(home), 'b.json', ...own);
  assert.equal(caisson(home, 'saved-tools', 'prune', ...own), '0 removed');
  for (const [word, count] of [['memory', 1], ['saved-tools', 1], ['files', 2]])
    assert.equal(caisson(home, word, 'clear', '--yes', ...own),
      `${count} removed`);
  for (const word of ['memory', 'saved-tools', 'files'])
    assert.match(run(home, word, 'list', ...own).stderr,
      /^caisson: owner "one": no token has this name/);
  /* That of MCP_API_TOKEN is in no file. */
  assert.equal(run(home, 'files', 'list', '--owner', 'api').stderr, '');
  assert.equal(list('files', 'list').files.length, 1);
});

test('other rights of a token hold for its next request', async (t) => {
  const gate = new Gate();
  const { url, home, log } = await serveTcp(t,
    { args: ['--log-level', 'info'] });
  const one = clientOf(t, url, add(home, 'one'));
  const headers = { 'Mcp-Session-Id': await one.begin() };
  const tools = async () => (await last(await one.ask('tools/list'))).result
    .tools.map(({ name }) => name);
  /* In one step: a file that is half written is refused as invalid. */
  const set = (more) => {
    fs.renameSync(write(home, 'new', fs.readFileSync(file(home), 'utf8')
      .replace(/("name":"one"[^}]*"created":"[^"]*")[^}]*/, `$1${more}`)),
    file(home));
  };

  assert.deepEqual(await tools(), ['run_python']);

  const running = await one.call(gate.wait);

  await gate.reached();
  for (const calls of [1, 2, 3, 4]) {
    set(`,"calls":${calls}`);
    assert.equal((await one.ask(found)).status, 200);
  }
  await until(() => gate.find().length === 0, 'the end of the code');
  assert.match((await last(running)).error.message, /the rights of this token/);
  assert.equal((await one.post({ method: 'tools/list' }, headers)).status,
    404);
  set(',"tools":["run_code"]');
  assert.deepEqual(await tools(), []);
  await said(log, /the rights of token one have changed/);
});

test('no token is accepted while the state directory is moved',
  async (t) => {
    const { url, home, log } = await serveTcp(t);
    const one = clientOf(t, url, add(home, 'one'));

    assert.equal((await one.ask(found)).status, 200);
    fs.renameSync(state(home), `${state(home)}.away`);
    assert.equal((await one.ask(found)).status, 503);
    await said(log, /the state directory \S+ was moved or replaced: move it/);
    fs.renameSync(`${state(home)}.away`, state(home));
    assert.equal((await one.ask(found)).status, 200);
  });
