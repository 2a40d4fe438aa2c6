/*
 * Both eras of the protocol on one connection: sessions, and requests that
 * carry their version themselves, as raw lines and with the official client.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { Raw } from './support/raw.mjs';
import { connect, missing } from './support/sdk2.mjs';
import { until } from './support/wait.mjs';

const NEW = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': NEW,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const SERVER = 'io.modelcontextprotocol/serverInfo';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

/* The params of a request that carries its version. */
const modern = (params = {}, meta = {}) =>
  ({ ...params, _meta: { ...META, ...meta } });

/* Both ways in which a client of the new version begins, and the old one. */
const modes = [['auto', NEW], [{ pin: NEW }, NEW], ['legacy', '2025-11-25']];

for (const [mode, version] of modes) {
  test(`the official client runs code: ${JSON.stringify(mode)}`,
    { skip: missing }, async (t) => {
      const { client, wrong } = await connect(t, mode);
      const { tools } = await client.listTools();
      const told = [];
      const result = await client.callTool({ name: 'run_python', arguments:
        { code: 'runtime.progress(1, 2)\nopen("out/a", "w").write("x")\n' +
          'print(6 * 7)' } }, { onprogress: (each) => told.push(each) });

      assert.equal(client.getNegotiatedProtocolVersion(), version);
      assert.equal(client.getServerVersion().name, 'caisson');
      assert.match(client.getInstructions(), /run_python/);
      assert.deepEqual(tools.map((tool) => tool.name), ['run_python']);
      assert.equal(result.isError, false, JSON.stringify(result));
      assert.match(result.content[0].text, /^42\n/);
      assert.deepEqual(result.structuredContent.stdout, ['42']);
      assert.deepEqual(told, [{ progress: 1, total: 2 }]);
      const { resources } = await client.listResources();
      const { contents } = await client.readResource(
        { uri: result.content[1].uri });

      assert.equal(resources.length, 2);
      assert.equal(contents[0].text, 'x');
      await assert.rejects(client.readResource(
        { uri: 'resource://caisson/no-such' }), /Resource not found/);
      await assert.rejects(client.callTool(
        { name: 'no_such', arguments: {} }), /Unknown tool/);
      assert.deepEqual(wrong, []);
    });
}

test('a subscription tells of new files, until the program ends',
  { skip: missing }, async (t) => {
    const { client, transport, wrong } = await connect(t, { pin: NEW });
    const changed = [];

    assert.equal(client.getServerCapabilities().resources.listChanged, true);
    client.setNotificationHandler('notifications/resources/list_changed',
      (note) => changed.push(note.params._meta[SUBSCRIPTION]));
    const subscription = await client.listen(
      { resourcesListChanged: true, toolsListChanged: true });
    const leave = () => client.callTool({ name: 'run_python',
      arguments: { code: 'open("out/a", "w").write("x")' } });

    assert.deepEqual(subscription.honoredFilter,
      { resourcesListChanged: true });
    await leave();
    await until(() => changed.length === 1, 'the change');
    process.kill(transport.pid, 'SIGTERM');
    assert.equal(await subscription.closed, 'graceful');
    assert.deepEqual(wrong, []);
  });

/* Files that one answer lists to old clients are pages for new ones. */
test('lists and completes the names of many files', async (t) => {
  const raw = await Raw.open(t);
  const names = Array.from({ length: 120 },
    (_, n) => `${n % 2 ? 'odd' : 'even'}-${String(n).padStart(3, '0')}`);
  const leave = (some) => raw.run(
    `for name in ${JSON.stringify(some)}: open("out/" + name, "w").write("x")`);
  const listed = ({ result }) => result.resources.slice(
    result.resources[0].name === 'capabilities' ? 1 : 0)
    .map((each) => each.name);
  const complete = async (value) => {
    const params = { ref: { type: 'ref/resource',
      uri: 'resource://caisson/files/{name}' },
    argument: { name: 'name', value } };
    const [old, { resultType, _meta, ...result }] = await Promise.all(
      [params, modern(params)].map(async (each) =>
        (await raw.request('completion/complete', each)).result));

    assert.deepEqual(old, result);
    return result.completion;
  };

  await leave(names.slice(0, 60));
  await leave(names.slice(60));
  names.sort();
  assert.deepEqual(listed(await raw.request('resources/list')), names);

  const first = await raw.request('resources/list', modern());
  const second = await raw.request('resources/list',
    modern({ cursor: first.result.nextCursor }));

  assert.deepEqual(listed(first), names.slice(0, 100));
  assert.deepEqual(listed(second), names.slice(100));
  assert.equal(second.result.nextCursor, undefined);

  assert.deepEqual(await complete('odd-'), { total: 60, hasMore: false,
    values: names.filter((name) => name.startsWith('odd')) });
  assert.deepEqual(await complete(''), { total: 120, hasMore: true,
    values: names.slice(0, 100) });
  assert.deepEqual(await complete('x'),
    { total: 0, hasMore: false, values: [] });
  await raw.finish();
});

test('each request decides its era', async (t) => {
  const raw = Raw.start(t, { notes: true });
  const run = modern({ name: 'run_python',
    arguments: { code: 'print(6 * 7)' } }, { progressToken: 7 });
  const found = (await raw.request('server/discover', modern())).result;

  assert.deepEqual(found.supportedVersions, [NEW]);
  assert.equal(found.resultType, 'complete');
  assert.equal(found.cacheScope, 'private');
  assert.ok(found.ttlMs > 0);
  assert.equal(found._meta[SERVER].name, 'caisson');
  /* There is no session yet; then there is one, and both go on. */
  assert.match((await raw.request('tools/list')).error.message,
    /not initialized/);
  const early = (await raw.request('tools/call', run)).result;

  await raw.initialize('2025-06-18');
  const old = await raw.run('print(6 * 7)');
  const late = (await raw.request('tools/call', run)).result;

  for (const result of [early, late]) {
    assert.equal(result.resultType, 'complete');
    assert.deepEqual(result.structuredContent, old.structuredContent);
    /* In full with the first answer without a session. */
    assert.equal(result._meta['caisson/isolation'].network,
      result === early ? 'none' : undefined);
    assert.equal(result._meta[SERVER].name, 'caisson');
  }
  assert.ok(!('resultType' in old) && !(SERVER in old._meta));
  await raw.ping();
  assert.equal((await raw.request('ping', modern())).error.code, -32601);
  assert.equal((await raw.request('server/discover')).error.code, -32601);
  await raw.finish();
});

test('a cancelled call is not answered', async (t) => {
  const raw = Raw.start(t);
  const gate = new Gate();
  const id = raw.post('tools/call', modern({ name: 'run_python',
    arguments: { code: gate.wait } }));

  await gate.reached();
  raw.notify('notifications/cancelled', modern({ requestId: id }));
  await until(() => gate.find().length === 0, 'the end of the code');
  assert.ok((await raw.request('tools/list', modern())).result);
  assert.equal(raw.has(id), false);
  await raw.finish();
});
