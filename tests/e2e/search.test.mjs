/*
 * Searching the tools of many servers: what is found without starting any of
 * them, and when a list that is remembered is asked for again.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import test, { describe as together } from 'node:test';
import { Gate } from './support/gate.mjs';
import { descendants } from './support/processes.mjs';
import { folder } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import {
  configure, hostile, toolServer, unserved, withServers,
} from './support/servers.mjs';
import { until, within } from './support/wait.mjs';

const SERVERS = 12;
const TOOLS = 34; /* of each, and one more: 420 in all */

/* Twelve servers, and how often which of them was started. */
function many(t, count = SERVERS) {
  const starts = path.join(folder(t), 'starts');
  const entries = {};

  for (let n = 0; n < count; n++)
    entries[`s${n}`] = toolServer(n, TOOLS, starts);
  return {
    starts,
    entries,
    started() {
      return fs.existsSync(starts) ?
        fs.readFileSync(starts, 'utf8').trim().split('\n')
          .map((line) => Number(line.split(' ')[0])) : [];
    },
    forget() {
      fs.rmSync(starts, { force: true });
    },
  };
}

/* Code that prints "server.tool" of what is found. */
const searching = (query, limit = 3) => `
for doc in await runtime.search_tool_docs(${JSON.stringify(query)},
                                          limit=${limit}):
    print(doc["server"] + "." + doc["tool"])`;

/*
 * Searches and returns "server.tool" of what is found, the best first, once all
 * servers have started.
 */
async function search(raw, query, limit) {
  for (;;) {
    const { structuredContent: { stdout, notes } } =
      await raw.run(searching(query, limit));

    if (!/ not yet started: /.test(notes))
      return stdout ?? [];
  }
}

/* Ends the program, waits for its servers, and starts it again. */
async function again(t, raw, options, entries) {
  await raw.finish();
  await unserved(...Object.values(entries));
  return Raw.open(t, options);
}

test('a client sees the same, whatever there is to search', async (t) => {
  const none = await Raw.open(t);
  const all = await Raw.open(t, withServers(t, many(t).entries));
  const answers = [];

  for (const raw of [none, all]) {
    await raw.request('tools/list');
    answers.push(raw.lines.at(-1).replace(/"id":\d+/, ''));
    await raw.finish();
  }
  assert.equal(answers[0], answers[1]);
});

test('one program searches, reads and calls, and starts what it calls',
  async (t) => {
    const servers = many(t);
    const home = folder(t);
    const options = withServers(t, servers.entries, { home });
    let raw = await Raw.open(t, options);

    /* Nothing is remembered: each is started, once. */
    assert.deepEqual((await search(raw, 'create an invoice'))[0],
      's0.create_invoice');
    assert.deepEqual(servers.started().sort((a, b) => a - b),
      [...Array(SERVERS).keys()]);
    raw = await again(t, raw, options, servers.entries);
    servers.forget();

    const lines = await raw.printed(`
found = await runtime.search_tool_docs("merge two vehicles", limit=3)
print(found[0]["server"], found[0]["tool"], found[0]["score"] > 0.3)
[doc] = await runtime.query_tool_docs(found[0]["server"], found[0]["tool"],
                                      detail="full")
print(sorted(doc["inputSchema"]["properties"]))
server = await runtime.load_server(doc["server"])
for n in range(3):
    result = await getattr(server, doc["toolAlias"])(id=str(n))
    print(result.data["id"])
print(LOADED_MCP_SERVERS == (doc["server"],))`, { timeout: 100 });

    assert.deepEqual(lines, [
      's3 merge_vehicle True', '[\'dryRun\', \'fields\', \'id\', \'page\']',
      '0', '1', '2', 'True']);
    assert.deepEqual(servers.started(), [3]);
    await raw.finish();
  });

/* As another Caisson may, or a disk that is slow, but for as long as we want. */
async function lock(t, database) {
  const child = spawn('/usr/bin/python3', ['-c', `
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()`, database], { stdio: ['pipe', 'pipe', 'inherit'] });

  t.after(() => child.kill('SIGKILL'));
  await within(once(child.stdout, 'data'), 'a lock');
  return () => {
    child.stdin.end();
    return within(once(child, 'exit'), 'the end of a lock');
  };
}

test('what changed last is kept, though the program ends', async (t) => {
  const servers = many(t, 2);
  const home = folder(t);
  const options = withServers(t, servers.entries, { home });
  let raw = await Raw.open(t, options);

  await search(raw, 'sundial');
  const [change, look] = [new Gate(), new Gate()];
  const changed = raw.printed(`${change.wait}\nawait mcp_s1.change()`,
    { servers: ['s1'] });
  const found = raw.printed(`${look.wait}${searching('sundial')}`);

  await change.reached();
  await look.reached();
  const unlock = await lock(t, path.join(home,
    '.local/state/caisson/caisson.db'));

  /* From here on there is little time: the store waits for a few seconds. */
  change.open();
  await changed;
  look.open();
  assert.deepEqual(await found, ['s1.calibrate_sundial']);
  const end = raw.finish();

  await until(() => descendants(raw.pid).every(({ command }) =>
    !command.startsWith('caisson: broker')), 'the end of the broker');
  await unlock();
  await end;
  raw = await Raw.open(t, options);
  servers.forget();
  assert.deepEqual(await search(raw, 'sundial'), ['s1.calibrate_sundial']);
  assert.deepEqual(servers.started(), []);
  await raw.finish();
});

test('without what was kept everything works', async (t) => {
  const servers = many(t, 3);
  const home = folder(t);
  const state = path.join(home, '.local/state/caisson');
  const options = withServers(t, servers.entries, { home });
  let raw = await Raw.open(t, options);

  await search(raw, 'invoice');
  raw = await again(t, raw, options, servers.entries);
  for (const name of fs.readdirSync(state).filter((each) => each !== 'running'))
    fs.writeFileSync(path.join(state, name), 'not what it was '.repeat(99));
  for (const [what, more] of Object.entries({
    damaged: {},
    'not a directory': { env: { ...options.env,
      CAISSON_STATE_DIR: '/dev/null' } },
    'not writable': { env: { ...options.env, CAISSON_STATE_DIR: '/proc' } },
  })) {
    raw = await again(t, raw, { ...options, ...more }, servers.entries);
    servers.forget();
    assert.equal((await search(raw, 'export a contract'))[0],
      's1.export_contract', what);
    assert.deepEqual(servers.started().sort(), [0, 1, 2], what);
    /* In this run it is remembered all the same. */
    assert.equal((await search(raw, 'export a contract'))[0],
      's1.export_contract', what);
    await until(() => /tools|damaged/.test(raw.errors),
      () => `a line in the log: ${what}`);
  }
  await raw.finish();
});

const late = (name) => 'the search has left out: not yet started: ' +
  `${name}; search again for them`;

/* What a search says that it leaves out. */
async function leavesOut(raw) {
  const { structuredContent } = await raw.run(`
print(len(await runtime.search_tool_docs("create an invoice")))`,
  { timeout: 100 });

  assert.deepEqual(structuredContent.stdout, ['5']);
  assert.equal(structuredContent.stderr, undefined);
  return structuredContent.notes;
}

test('one that cannot start is named once, and its pause is not waited for',
  async (t) => {
    const servers = many(t, 1);
    const raw = await Raw.open(t, withServers(t,
      { ...servers.entries, dead: hostile('exit=3') }));

    await search(raw, 'invoice');
    /* Each start that is tried makes the next pause twice as long. */
    for (let n = 0; n < 6; n++)
      assert.equal(await leavesOut(raw), undefined);
    await raw.finish();

    const other = await Raw.open(t, withServers(t, { dead: hostile('exit=3') }));
    const dead = 'runtime.search_tool_docs_sync("x")';
    const told = [];

    for (let n = 0; n < 3; n++)
      told.push((await other.run(dead)).structuredContent.notes);
    assert.match(told.join(), /^the search has left out: dead \(server "dead" [^,]*\),,$/);
    await other.finish();
  });

/* These wait for servers that say nothing: side by side. */
together('servers that are silent', { concurrency: true }, () => {
  test('one that hangs costs the others nothing', async (t) => {
    const servers = many(t, 3);
    const options = withServers(t, servers.entries, { home: folder(t) });
    let raw = await Raw.open(t, options);

    await search(raw, 'invoice');
    raw = await again(t, raw, options, servers.entries);
    servers.entries.s1 = toolServer(1, TOOLS, servers.starts, ['hang=1']);
    configure(options.place, servers.entries);
    servers.forget();
    const { structuredContent } = await raw.run(`
print((await runtime.search_tool_docs("create an invoice"))[0]["tool"])`,
    { timeout: 100 });

    assert.deepEqual(structuredContent.stdout, ['create_invoice']);
    assert.deepEqual(structuredContent.notes, [late('s1')]);
    assert.deepEqual(servers.started(), [1]);
    assert.deepEqual(await leavesOut(raw), [late('s1')]);
    await raw.finish();
  });
});

test('what a tool has returned is told later, and marked', async (t) => {
  for (const [api, told] of [['on', '{a: int, b: list of str}'], ['off', '']]) {
    const options = withServers(t, { h: hostile() });
    const raw = await Raw.open(t,
      { ...options, env: { ...options.env, CAISSON_MEMORY_API: api } });

    await raw.printed('print((await mcp_h.echo(a=1, b=["secret"])).data)',
      { servers: ['h'] });
    const lines = await raw.printed(`
import inspect
print(inspect.getdoc(mcp_h.echo))
print((await runtime.query_tool_docs("h", "echo"))[0].get("seen", ""))`,
    { servers: ['h'] });

    assert.equal(lines.at(-1), told);
    assert.equal(lines.some((line) => line === `    .data: ${told}`),
      told !== '');
    assert.doesNotMatch(lines.join(''), /secret/);
    await raw.finish();
  }
});
