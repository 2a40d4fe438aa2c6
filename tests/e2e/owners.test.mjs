/*
 * Two owners of executions on one program: our user, and a guest that comes in
 * through a second door, which only a program of the tests has. Each has its
 * share, and neither sees anything of the other.
 *
 *   CAISSON_TWO_DOORS  path of that program (see tests/doors/)
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { binary, commandLine, contained, folder, installedWith, nativeOnly,
  settings } from './support/program.mjs';
import { Guest, Raw } from './support/raw.mjs';
import { toolServer, withServers } from './support/servers.mjs';

const twoDoors = path.resolve(process.env.CAISSON_TWO_DOORS ??
  path.join(path.dirname(binary), 'tests/doors/caisson-two-doors'));

const sessions = nativeOnly('sessions');

/* A container may need long to begin beside others. */
if (contained)
  Object.assign(settings,
    { CAISSON_TIMEOUT: '100', CAISSON_QUEUE_TIMEOUT: '10m' });

async function open(t, options = {}) {
  const raw = await Raw.open(t,
    { ...options, doors: true, program: installedWith(t, twoDoors) });

  return { raw, guest: await Guest.open(raw) };
}

/* Options for a program that knows a server, and the file of its starts. */
function withTools(t, env = {}) {
  const starts = path.join(folder(t), 'starts');

  return { starts, ...withServers(t, { tools: toolServer(0, 4, starts),
    more: toolServer(1, 4, starts) }, { env }) };
}

test('a guest is served as our user is', async (t) => {
  const { raw, guest } = await open(t);

  assert.deepEqual(await Promise.all([raw.printed('print(1)'),
    guest.printed('print(2)')]), [['1'], ['2']]);
  await raw.finish();
});

test('they do not share a conversation of one id', async (t) => {
  const { raw, guest } = await open(t,
    { env: { CAISSON_ARGUMENTS: 'code,conversationId' } });
  const more = { conversationId: 'one' };
  const look = `import os
print(os.listdir("/data"))`;

  await raw.run('open("/data/user", "w").close()', more);
  await guest.run('open("/data/guest", "w").close()', more);
  assert.deepEqual(await raw.printed(look, more), ["['user']"]);
  assert.deepEqual(await guest.printed(look, more), ["['guest']"]);
  await raw.finish();
});

test('they do not share a session of one name', sessions, async (t) => {
  const { raw, guest } = await open(t,
    { env: { CAISSON_ARGUMENTS: 'code,session', CAISSON_SESSIONS: '2' } });
  const more = { session: 'one' };
  const add = (name) => `known = globals().get("known", "") + "${name}"
print(known)`;

  for (let n = 1; n <= 3; n++) {
    assert.deepEqual(await raw.printed(add('user '), more),
      ['user '.repeat(n)]);
    assert.deepEqual(await guest.printed(add('guest '), more),
      ['guest '.repeat(n)]);
  }
  await raw.finish();
});

test('the sessions of one do not end all of another', sessions, async (t) => {
  const { raw, guest } = await open(t,
    { env: { CAISSON_ARGUMENTS: 'code,session', CAISSON_SESSIONS: '3' } });
  const look = 'print("x" in globals())\nx = 1';
  const told = async (client, session) =>
    (await client.run(look, { session })).content[0].text.split('\n')[0];

  assert.equal(await told(guest, 'one'), 'False');
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    assert.equal(await told(raw, name), 'False');
  assert.equal(await told(guest, 'one'), 'True');
  assert.equal(await told(raw, 'e'), 'True');
  assert.equal(await told(raw, 'a'), 'False');
  await raw.finish();
});

test('one that floods the queue delays another by its share only',
  async (t) => {
    const { raw, guest } = await open(t,
      { env: { CAISSON_MAX_CONCURRENT: '2', CAISSON_QUEUE: '40' } });
    const gate = new Gate();
    const flood = Array.from({ length: 42 },
      () => raw.postCall(gate.wait, { timeout: 100 }));

    const refused = await raw.run('print(0)');

    assert.equal(refused.isError, true);
    assert.match(refused.content[0].text, /busy: 2 executions are running; waiting: 40; try again later,/);
    await gate.reached();
    /* The next free place is the guest's, for all that it asks. */
    const calls = [1, 2, 3].map((n) => guest.postCall(`print(${n})`));

    await guest.request('ping');
    gate.open();
    for (const [n, id] of calls.entries())
      assert.equal((await guest.result(id)).content[0].text, `${n + 1}`);
    assert.ok(flood.filter((id) => raw.has(id)).length <= 2);
    for (const id of flood)
      raw.cancel(id);
    await raw.finish();
  });

test('memories and saved tools are their owner\'s', async (t) => {
  const { raw, guest } = await open(t);
  const save = (word) => `
def where():
    return "${word}"
save_tool(where)
save_memory("place", "${word}")
`;

  await raw.printed(save('home'));
  assert.deepEqual(await guest.printed(
    'print([m["key"] for m in list_memories()])\n' +
    'print(memory_exists("place"))\nimport user_tools\n' +
    'print(hasattr(user_tools, "where"))'), ['[]', 'False', 'False']);
  await guest.printed(save('abroad'));
  const both = 'import user_tools\n' +
    'print(load_memory("place"), user_tools.where())';

  assert.deepEqual(await raw.printed(both), ['home home']);
  assert.deepEqual(await guest.printed(both), ['abroad abroad']);
  await guest.printed('delete_memory("place")');
  assert.deepEqual(await raw.printed(both), ['home home']);
  await raw.finish();
});

test('files are their owner\'s', async (t) => {
  const { raw, guest } = await open(t,
    { env: { CAISSON_ARGUMENTS: 'code,servers,timeout,files' } });
  const uri = 'resource://caisson/files/';
  const read = (client, name) => client.request('resources/read',
    { uri: uri + name });
  const listed = async (client) => (await client.request('resources/list'))
    .result.resources.map((resource) => resource.uri)
    .filter((each) => each.startsWith(uri));
  const given = async (client) => (await client.run(
    'print(open("in/x").read())', { files: ['x'] })).isError;

  await raw.printed('open("out/x", "w").write("home")');
  await raw.printed('open("out/x", "w").write("home again")');
  assert.deepEqual(await listed(guest), []);
  for (const name of ['x', 'x?version=1', 'x?version=2', '%2e%2e/x'])
    assert.ok((await read(guest, name)).error, name);
  assert.equal(await given(guest), true);
  /* The versions of one say nothing of the other's. */
  const { content } = await guest.run('open("out/x", "w").write("abroad")');

  assert.deepEqual(content.filter(({ type }) => type === 'resource_link')
    .map((link) => link.uri), [`${uri}x?version=1`]);
  assert.deepEqual(await guest.printed('print(open("in/x").read())',
    { files: ['x'] }), ['abroad']);
  assert.deepEqual(await raw.printed('print(open("in/x").read())',
    { files: ['x'] }), ['home again']);
  assert.ok((await read(guest, 'x?version=2')).error);
  assert.equal((await listed(raw)).length, 1);
  await raw.finish();
});

/* A file of holes costs its box nothing. */
test('one cannot take the room for files of all', async (t) => {
  const home = folder(t);
  const env = { CAISSON_FILES_MAX: '4m' };
  const { raw, guest } = await open(t, { home, env });
  const leave = async (client, name, bytes) => (await client.run(
    `open("out/${name}", "wb").truncate(${bytes})\nNone`)).content[0].text;

  assert.match(await leave(guest, 'x', 3 << 20), /x was not kept: this client keeps as much as it may beside others: remove some files, /);
  assert.match(await leave(guest, 'x', 2 << 20), /file: x/);
  assert.match(await leave(guest, 'y', 1), /y was not kept: this client /);
  assert.match(await leave(raw, 'x', 2 << 20), /file: x/);
  await raw.finish();
  const [program, ...args] = commandLine({ home, env,
    args: ['files', 'usage', '--json'] });
  const { stdout } = spawnSync(program, args, { encoding: 'utf8' });

  assert.deepEqual(JSON.parse(stdout).owners
    .map(({ owner, bytes, bytes_max: most }) => [owner, bytes, most])
    .toSorted(), [[null, 2 << 20, 2 << 20], ['guest', 2 << 20, 1 << 20]]);
});

/* The tool "change" has the server list one tool more from then on. */
const CHANGE = 'await mcp_tools.change()';
const LISTS = `
tools = [tool["name"] for tool in await runtime.list_tools("tools")]
print("calibrate_sundial" in tools)`;

test('a server has a process for each of them, and so its state',
  async (t) => {
    const { starts, ...options } = withTools(t);
    const { raw, guest } = await open(t, options);
    const asks = { servers: ['tools'] };
    const lines = () => fs.readFileSync(starts, 'utf8').trim().split('\n');

    await raw.printed(CHANGE, asks);
    assert.deepEqual(await raw.printed(LISTS, asks), ['True']);
    assert.deepEqual(await guest.printed(LISTS, asks), ['False']);
    assert.equal(lines().length, 2);
    /* Both are warm now, each for its own. */
    await guest.printed(CHANGE, asks);
    assert.deepEqual(await guest.printed(LISTS, asks), ['True']);
    assert.equal(new Set(lines()).size, 2);
    await raw.finish();
  });

test('a server that is shared has one process for all', async (t) => {
  const starts = path.join(folder(t), 'starts');
  const { raw, guest } = await open(t, withServers(t,
    { tools: toolServer(0, 4, starts, [], { shared: true }) }));
  const asks = { servers: ['tools'] };

  await raw.printed(CHANGE, asks);
  assert.deepEqual(await guest.printed(LISTS, asks), ['True']);
  assert.equal(fs.readFileSync(starts, 'utf8').trim().split('\n').length, 1);
  await raw.finish();
});

test('what a guest may not use is unknown to it', async (t) => {
  const { starts, ...options } = withTools(t, { GUEST_MAY: 'more' });
  const { raw, guest } = await open(t, options);
  const refused = await guest.run('print(1)', { servers: ['tools'] });

  assert.equal(refused.isError, true);
  assert.equal(refused.content[0].text,
    'status: validation_error\nerror: unknown server "tools": configured: "more"');
  assert.deepEqual(await guest.printed(`
from mcp import runtime
try:
    await runtime.load_server("tools")
except runtime.MCPError as error:
    print(error)`), ['tools: there is no such server; there are: more']);
  assert.equal(fs.existsSync(starts), false);
  assert.deepEqual(await raw.printed(LISTS, { servers: ['tools'] }),
    ['False']);
  await raw.finish();
});

test('lines about calls of tools say whose they are', async (t) => {
  const audit = path.join(folder(t), 'audit');
  const { starts, ...options } = withTools(t, { CAISSON_AUDIT_FILE: audit });
  const { raw, guest } = await open(t, options);
  const asks = { servers: ['tools'] };

  assert.ok(starts);
  await raw.printed(CHANGE, asks);
  await guest.printed(CHANGE, asks);
  await raw.finish();
  assert.deepEqual(fs.readFileSync(audit, 'utf8').trim().split('\n')
    .map((line) => JSON.parse(line).owner), [undefined, 'guest']);
});
