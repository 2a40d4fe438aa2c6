/*
 * Owners, of whom each token is one: each has its share of what there is, and
 * none ends what is another's. What they do not see of each other is in
 * tokens.test.mjs.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { folder } from './support/program.mjs';
import { serveTcp } from './support/serve.mjs';
import { toolServer, withServers } from './support/servers.mjs';
import { add, caisson, clientOf, last } from './support/tokens.mjs';
import { until } from './support/wait.mjs';

/* Two clients of a program, each with a token of its own. */
async function two(t, options) {
  const { url, home, ...rest } = await serveTcp(t, options);

  return { ...rest, home, clients: ['one', 'two']
    .map((name) => clientOf(t, url, add(home, name))) };
}

test('a cancel ends the call of its own session only', async (t) => {
  const { clients } = await two(t);
  const gates = clients.map(() => new Gate());
  const sessions = await Promise.all(clients.map((client) => client.begin()));
  const sent = clients.map((client, i) => client.post({ id: 7,
    method: 'tools/call', params: { name: 'run_python', arguments: {
      code: `${gates[i].wait}\nprint(${i})` } } },
  { 'Mcp-Session-Id': sessions[i] }));

  await Promise.all(gates.map((gate) => gate.reached()));
  await clients[0].postAll({ jsonrpc: '2.0', params: { requestId: 7 },
    method: 'notifications/cancelled' }, { 'Mcp-Session-Id': sessions[0] });
  await until(() => gates[0].find().length === 0, 'the end of the first');
  assert.equal(gates[1].find().length, 1);
  gates[1].open();
  assert.equal((await last(await sent[1])).result.content[0].text, '1');
});

/* A file of holes costs its box nothing. */
test('one cannot take the room for files of all', async (t) => {
  const { home, clients: [one, other] } = await two(t,
    { args: ['--files-max', '4m'] });
  const leave = (client, name, bytes) => client.text(
    `open("out/${name}", "wb").truncate(${bytes})\nNone`);

  assert.match(await leave(other, 'x', 3 << 20), /x was not kept: it is larger than all files of this owner may be beside those of others \(2\.0 of 4 MiB\): raise CAISSON_FILES_MAX/);
  assert.match(await leave(other, 'x', 1 << 20), /file: x/);
  assert.match(await leave(one, 'x', 1 << 20), /file: x/);
  assert.deepEqual(JSON.parse(caisson(home, 'files', 'usage', '--json')).owners
    .filter(({ owner }) => owner !== null)
    .map(({ owner, bytes }) => [owner, bytes]).toSorted(),
  [['one', 1 << 20], ['two', 1 << 20]]);
});

test('a server has a process for each, unless it is shared', async (t) => {
  const starts = path.join(folder(t), 'starts');
  const audit = path.join(folder(t), 'audit');
  const entries = { own: toolServer(0, 4, starts),
    all: toolServer(1, 4, starts, [], { shared: true }) };
  const { clients: [one, other] } = await two(t, withServers(t, entries,
    { args: ['--audit-file', audit] }));
  const lists = (client, name) => client.text(`
print("calibrate_sundial" in [tool["name"]
                              for tool in await runtime.list_tools("${name}")])`,
  { servers: [name] });

  /* The tool "change" has the server list one tool more from then on. */
  for (const name of ['own', 'all'])
    await one.text(`await mcp_${name}.change()`, { servers: [name] });
  assert.equal(await lists(one, 'own'), 'True');
  assert.equal(await lists(other, 'own'), 'False');
  assert.equal(await lists(other, 'all'), 'True');
  assert.deepEqual(fs.readFileSync(starts, 'utf8').trim().split('\n')
    .map((line) => line.split(' ')[0]).toSorted(), ['0', '0', '1']);
  assert.deepEqual(fs.readFileSync(audit, 'utf8').trim().split('\n')
    .map((line) => JSON.parse(line).owner), ['one', 'one']);
});
