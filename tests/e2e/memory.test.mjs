/*
 * What is kept between calls: memories and saved tools, in the box, across
 * calls and programs, at their bounds, when their keeper is killed, and for the
 * user at a terminal.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { family } from './support/processes.mjs';
import { folder, once, ran, uid } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { until } from './support/wait.mjs';

const NAMES = ['save_tool', 'save_memory', 'load_memory', 'update_memory',
  'delete_memory', 'list_memories', 'memory_exists', 'get_memory_info'];

/* The file in which everything is, of a program with this home. */
const database = (home) => path.join(home, '.local/state/caisson/caisson.db');

/* caisson memory and caisson saved-tools, in the home of a program. */
function caisson(home, args, env = {}) {
  return ran({ args, env, home });
}

/* The same where it must go well: what it printed, line by line. */
function listed(home, args) {
  const done = caisson(home, args);

  assert.equal(done.status, 0, done.stderr);
  assert.equal(done.stderr, '');
  return done.stdout.split('\n').slice(0, -1);
}

test('a later call finds what an earlier one saved', async (t) => {
  const home = folder(t);
  const raw = await Raw.open(t, { home });
  const awkward = `{"n": 2 ** 70, "f": 0.1, "t": [True, None, "é\\0\\u2028"]}`;

  assert.deepEqual(await raw.printed(`
info = save_memory("k", ${awkward}, metadata={"from": "test"})
print(sorted(info))
print((await save_memory("k2", 1))["key"], info["metadata"])`),
  ["['bytes', 'created_at', 'key', 'metadata', 'updated_at', 'version']",
    "k2 {'from': 'test'}"]);
  assert.deepEqual(await raw.printed(`
print(load_memory("k") == ${awkward}, load_memory("none"))
print(load_memory("none", default=[]), memory_exists("k"), memory_exists("x"))
print([each["key"] for each in list_memories()], get_memory_info("x"))
print(get_memory_info("k")["metadata"], delete_memory("k"), delete_memory("k"))
print(update_memory("k2", lambda n: n + 1), update_memory("new", lambda n: [n]))
import mcp, mcp.runtime
print(mcp.runtime.load_memory("new"), runtime.load_memory is mcp.load_memory)
`), ['True None', '[] True False', "['k', 'k2'] None",
    "{'from': 'test'} True False", '2 [None]', '[None] True']);
  await raw.finish();
  assert.equal(fs.statSync(path.dirname(database(home))).mode & 0o777, 0o700);
  assert.equal(fs.statSync(database(home)).mode & 0o777, 0o600);
  assert.equal(fs.statSync(database(home)).uid, uid);

  /* And so does another program. */
  const other = await Raw.open(t, { home });

  assert.deepEqual(await other.printed('print(load_memory("k2"))'), ['2']);
});

test('nothing is started before something is asked for', async (t) => {
  const home = folder(t);
  const raw = await Raw.open(t, { home, env: { CAISSON_CALLS_DAYS: '0' } });
  const keeper = () => family(raw.pid)
    .filter((entry) => entry.name === 'store').length;

  await raw.printed('print(1)');
  assert.equal(keeper(), 0);
  assert.equal(fs.existsSync(path.join(home, '.local')), false);
  await raw.printed('print(load_memory("k"))');
  assert.equal(keeper(), 1);
  await raw.printed('print(load_memory("k"))');
  assert.equal(keeper(), 1);
  await raw.finish();
});

test('what cannot be kept is refused in one sentence', once, async (t) => {
  const raw = await Raw.open(t);
  const said = await raw.printed(`
import math
def attempt(function, *args, **more):
    try:
        print(function(*args, **more))
    except Exception as error:
        print(type(error).__name__, error)
attempt(save_memory, 1, 1)
attempt(save_memory, "", 1)
attempt(save_memory, "\\ud800", 1)
attempt(save_memory, "x" * 4097, 1)
attempt(save_memory, "k", {"a": [1, {2}]})
attempt(save_memory, "k", math.nan)
attempt(save_memory, "k", {1: 2})
attempt(save_memory, "k", "x" * (4 << 20))
attempt(save_memory, "k", 1, metadata=[])
attempt(save_memory, "k", 1, metadata={"x": "y" * 20000})
attempt(update_memory, "k", 1)
attempt(update_memory, "k", lambda old: None)
attempt(load_memory, None)
print(list_memories())`);

  assert.match(said[0], /^TypeError key must be a string, not .* int$/);
  assert.match(said[1], /^ValueError key must not be empty$/);
  assert.match(said[2], /^ValueError key has a lone surrogate/);
  assert.match(said[3], /^MCPError a key must have 1 to 4096 bytes/);
  assert.match(said[4], /^TypeError value\["a"\]\[1\] is of type set/);
  assert.match(said[5], /^ValueError value is nan/);
  assert.match(said[6], /^TypeError value has a key of type int/);
  assert.match(said[7], /^MCPError the value has 4194306 bytes as JSON/);
  assert.match(said[8], /^TypeError metadata must be a dict/);
  assert.match(said[9], /^MCPError metadata may have at most 16 KiB/);
  assert.match(said[10], /^TypeError updater must be a function/);
  assert.match(said[11], /^ValueError updater returned None/);
  assert.match(said[12], /^TypeError key must be a string/);
  assert.equal(said[13], '[]');
});

test('a full quota says so, and how to make room', once, async (t) => {
  const home = folder(t);
  const raw = await Raw.open(t,
    { home, env: { CAISSON_STATE_MAX: '1m' } });
  const [said, again] = await raw.printed(`
save_memory("a", "x" * 600_000)
try:
    save_memory("b", "x" * 600_000)
except runtime.MCPError as error:
    print(error)
delete_memory("a")
print(save_memory("b", "x" * 600_000)["key"], memory_exists("a"))`);

  assert.match(said, /would take \d+ bytes, and the limit is 1048576:/);
  assert.match(said, /caisson memory remove KEY/);
  assert.match(said, /CAISSON_STATE_MAX/);
  assert.equal(again, 'b False');
});

test('switched off, no name is there and nothing speaks of it', async (t) => {
  const raw = await Raw.open(t, { env: { CAISSON_MEMORY_API: 'off' } });
  const read = await raw.request('resources/read',
    { uri: 'resource://caisson/capabilities' });

  assert.doesNotMatch(JSON.stringify(read), /memor(y|ies)"?\(|user_tools/);
  assert.deepEqual(await raw.printed(`
names = ${JSON.stringify(NAMES)}
print([name for name in names if name in globals()])
print([name for name in names if hasattr(runtime, name)])
print([name for name in names if name in dir(runtime)])
print("memory(" in runtime.capability_summary())
try:
    import user_tools
except ModuleNotFoundError as error:
    print(error)`),
  ['[]', '[]', '[]', 'False', "No module named 'user_tools'"]);
});

test('the keeper is there for each call, killed before it or not', async (t) => {
  const raw = await Raw.open(t, {});

  for (let i = 0; i < 4; i++) {
    assert.deepEqual(await raw.printed(`
print(update_memory("n", lambda n: (n or 0) + 1))`), [String(i + 1)]);
    process.kill(family(raw.pid)
      .find((entry) => entry.name === 'store').pid, 'SIGKILL');
  }
  await until(() => raw.errors.split('store process exited; what it was asked' +
    ' has failed; it restarts on the next request\n').length === 5,
  'a line in the log for each');
});

test('the keeper may be killed in the middle of it', async (t) => {
  const home = folder(t);
  const raw = await Raw.open(t, { home });
  const call = raw.postCall(`
failed = []
def attempt(function, *args):
    try:
        return function(*args)
    except runtime.MCPError as error:
        failed.append(str(error))
save_memory("before", 1)
number = 0
while not attempt(memory_exists, "stop"):
    number += 1
    attempt(save_memory, "n", number)
print(number, load_memory("before"))
print(*failed, sep="\\n")`, { timeout: 60 });
  const keeper = () => family(raw.pid)
    .find((entry) => entry.name === 'store')?.pid;

  await until(() => keeper() !== undefined &&
    fs.existsSync(`${database(home)}-wal`) &&
    fs.statSync(`${database(home)}-wal`).size > 100_000,
  'the call saves something');
  const killed = keeper();

  process.kill(killed, 'SIGKILL');
  /* The same call goes on with a new one. */
  await until(() => keeper() !== undefined && keeper() !== killed,
    'the call has another keeper');
  await raw.printed('save_memory("stop", 1)');
  const result = await raw.result(call);
  const [told, ...failed] = result.structuredContent.stdout;

  /*
   * What was under way at that moment, if anything was, failed; and what came
   * next, if it was still given to the one that was about to end.
   */
  assert.equal(result.isError, false, JSON.stringify(result));
  assert.match(told, /^\d+ 1$/);
  assert.ok(failed.length <= 2, failed.join());
  for (const words of failed)
    assert.match(words, /^(the connection to the store was lost|$)/);
  assert.deepEqual(await raw.printed('print(load_memory("n"))'),
    [told.split(' ')[0]]);
  await raw.finish();
});

test('two programs share a state directory', async (t) => {
  const home = folder(t);
  const programs = [await Raw.open(t, { home }), await Raw.open(t, { home })];
  const code = `
for _ in range(20):
    update_memory("n", lambda n: (n or 0) + 1)`;
  const calls = programs.flatMap((raw) =>
    [0, 1].map(() => [raw, raw.postCall(code, { timeout: 100 })]));

  for (const [raw, call] of calls)
    assert.equal((await raw.result(call)).isError, false);
  for (const raw of programs)
    assert.deepEqual(await raw.printed('print(load_memory("n"))'), ['80']);
});

test('a state directory that cannot be used is refused with its cause',
  async (t) => {
    const home = folder(t);
    const open = path.join(home, 'open');
    const raw = await Raw.open(t, { home,
      env: { CAISSON_STATE_DIR: open } });

    fs.mkdirSync(open);
    fs.chmodSync(open, 0o777);
    fs.chownSync(open, uid, uid === process.getuid() ? process.getgid() : uid);
    const code = `
try:
    save_memory("k", 1)
except runtime.MCPError as error:
    print(error)`;

    const [said] = await raw.printed(code);

    assert.match(said, /the state directory cannot be used: the log/);
    assert.ok(!said.includes(open), said);
    await until(() => raw.errors.includes(`state directory ${open} can be ` +
      "written by other users: run 'chmod 700'"), 'the log to say why');
    fs.chmodSync(open, 0o700);
    assert.deepEqual(await raw.printed(code), []);
  });

test('that there is no home is said when something needs it', async (t) => {
  const home = path.join(folder(t), 'gone');
  const raw = await Raw.open(t, { home });

  for (const code of ['print(1)', 'print(2)'])
    await raw.printed(code);
  assert.equal(raw.errors, '');
  await raw.printed('try: save_memory("k", 1)\nexcept Exception: pass');
  await until(() => raw.errors.includes(
    `no state directory: the home ${home} does not exist; `), 'the log');
});

test('a file that is no database is refused and stays', async (t) => {
  const home = folder(t);
  const raw = await Raw.open(t, { home });

  fs.mkdirSync(path.dirname(database(home)), { recursive: true, mode: 0o700 });
  fs.writeFileSync(database(home), 'my shopping list');
  for (const name of ['.local', '.local/state', '.local/state/caisson',
    '.local/state/caisson/caisson.db'])
    fs.chownSync(path.join(home, name), uid,
      uid === process.getuid() ? process.getgid() : uid);
  const [said] = await raw.printed(`
try:
    load_memory("k")
except runtime.MCPError as error:
    print(error)`);

  assert.match(said, /^caisson.db: it is damaged or not a database/);
  assert.ok(raw.errors.includes(path.dirname(database(home)) + '/' + said));
  assert.equal(fs.readFileSync(database(home), 'utf8'), 'my shopping list');
  assert.equal(caisson(home, ['memory', 'list']).stderr,
    `caisson: ${path.dirname(database(home))}/${said}\n`, 'it is said once');
});

test('a saved tool is imported by a later call', once, async (t) => {
  const raw = await Raw.open(t);

  assert.deepEqual(await raw.printed(`
def total(numbers, factor=2):
    """Add them up.

    And multiply."""
    import math
    return factor * math.fsum(numbers)

async def twice(n):
    await runtime_sleep()
    return 2 * n

def runtime_sleep():
    import asyncio
    return asyncio.sleep(0)

def count():
    return update_memory("count", lambda n: (n or 0) + 1)

print(save_tool(total)["description"])
save_tool(runtime_sleep)
save_tool(twice)
save_tool(count)
`), ['Add them up.']);
  assert.deepEqual(await raw.printed(`
from user_tools import total
import inspect, user_tools
print(total([1, 2]), total([1], factor=3), user_tools.total is total)
print(await user_tools.twice(4), user_tools.count(), user_tools.count())
print(dir(user_tools), inspect.signature(total), total.__module__)
print(inspect.getsource(total).splitlines()[0])
from user_tools import *
print(count())
try:
    total(None)
except TypeError:
    import traceback
    print([line.strip() for line in traceback.format_exc().splitlines()
           if "math.fsum" in line])`),
  ['6.0 3.0 True', '8 1 2',
    "['count', 'runtime_sleep', 'total', 'twice'] (numbers, factor=2) " +
    'user_tools',
    'def total(numbers, factor=2):', '3',
    "['return factor * math.fsum(numbers)']"]);
  assert.deepEqual(await raw.printed(`
import user_tools
try:
    user_tools.totl
except AttributeError as error:
    print(error)
try:
    from user_tools import nothing
except ImportError as error:
    print(error)`),
  ["no tool 'totl' has been saved; did you mean total?; there are: count, " +
    'runtime_sleep, total, twice',
  "cannot import name 'nothing': no tool 'nothing' has been saved; there " +
    'are: count, runtime_sleep, total, twice']);
});

test('a broken tool breaks only itself', once, async (t) => {
  const home = folder(t);
  const raw = await Raw.open(t, { home });

  await raw.printed(`
def good():
    return 1
def helper():
    return 2
save_tool(good)
save_tool(helper)
def needy(value=helper()):
    return value
save_tool(needy)`);
  assert.equal(caisson(home, ['saved-tools', 'remove', 'helper']).status, 0);
  assert.deepEqual(await raw.printed(`
import user_tools
try:
    user_tools.needy
except ImportError as error:
    print(error)
print(user_tools.good())`),
  ['the saved tool needy cannot be used (NameError: name \'helper\' is not ' +
    'defined); save it again, or have it removed with \'caisson ' +
    'saved-tools remove needy\'', '1']);
});

const badNames = ['a b', '__all__', 'mcp_files', 'class', 'None', '', '1a',
  '\u001b[2Jx', '\u202ex', 'runtime', 'mcp_servers', 'LOADED_MCP_SERVERS',
  ...NAMES];

/* Puts tools into the database as they are, past all checks. */
function insertTools(home, tools) {
  const done = spawnSync('/usr/bin/python3', ['-c', `
import json, sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    for name, source in json.loads(sys.argv[2]).items():
        database.execute("INSERT INTO tools VALUES ('', ?, 5, 'then', '', ?)",
                         (name, source.encode()))
`, database(home), JSON.stringify(tools)], { encoding: 'utf8' });

  assert.equal(done.status, 0, done.stderr);
}

test('bad tools that were stored cost only themselves', once, async (t) => {
  const home = folder(t);
  const first = await Raw.open(t, { home });
  const bad = badNames.filter((name) => name !== '');

  await first.printed('def good():\n    return 1\nsave_tool(good)');
  await first.finish();
  insertTools(home, {
    ...Object.fromEntries(bad.map((name) => [name, 'x = 1'])),
    broken: 'def broken(:', leaves: 'import sys\nsys.exit(5)', none: 'x = 1',
    odd: 'class E(BaseException):\n    def __str__(self):\n' +
      '        raise E()\nraise E()', été: 'def été():\n    return 3',
  });
  const raw = await Raw.open(t, { home });
  const result = await raw.run(`
from user_tools import *
import user_tools
print(good(), été(), dir(user_tools), callable(runtime.call_tool))`);

  assert.deepEqual(result.structuredContent.stdout,
    ["1 3 ['broken', 'good', 'leaves', 'none', 'odd', 'été'] True"],
    JSON.stringify(result));
  assert.deepEqual(result.structuredContent.notes.map((line) =>
    / leaves out (\w+):/.exec(line)?.[1]), ['broken', 'leaves', 'none', 'odd']);
  const all = listed(home, ['saved-tools']);

  assert.equal(all.length, bad.length + 6);
  assert.equal(all.filter((line) => line.includes(' (ignored: ')).length,
    bad.length);
  assert.ok(all.some((line) => line.includes('\\u001b[2Jx (ignored')));
  assert.ok(all.every((line) => !/[\u001b\u202e]/.test(line)));
  assert.deepEqual(listed(home, ['saved-tools', 'remove', 'a b']), []);
  assert.deepEqual(listed(home, ['saved-tools', 'prune']),
    [`${bad.length - 1} removed`]);
  assert.equal(listed(home, ['saved-tools', 'list']).length, 6);
  await raw.finish();
});

test('what is no tool is refused when it is saved', once, async (t) => {
  const raw = await Raw.open(t);
  const said = await raw.printed(`
import json
def attempt(function):
    try:
        print(save_tool(function))
    except Exception as error:
        print(type(error).__name__, error)
def maker(n):
    def made():
        return n
    return made
class Thing:
    def method(self):
        return 1
namespace = {}
exec("def unseen(): return 1", namespace)
def uses():
    return json.dumps(helper(1))
def helper(n):
    return n
attempt(3)
attempt(lambda: 1)
attempt(Thing().method)
attempt(maker(1))
attempt(namespace["unseen"])
attempt(uses)
import user_tools
print(dir(user_tools))`);

  assert.match(said[0], /^TypeError .*'def' .* not an object of type int$/);
  assert.match(said[1], /^ValueError a lambda has no name/);
  assert.match(said[2], /^TypeError .*not a method$/);
  assert.match(said[3], /^ValueError made .*it uses n of the function around/);
  assert.match(said[4], /^ValueError unseen .*its source was not found/);
  assert.match(said[5], /^ValueError uses .*it uses helper, which/);
  assert.equal(said[6], '[]');
});

test('the user sees what is kept, and removes it', async (t) => {
  const home = folder(t);
  const raw = await Raw.open(t, { home });

  assert.deepEqual(listed(home, ['memory', 'list']),
    ['No memories of the user are kept.']);
  await raw.printed(`
save_memory("a b", {"x": "\\x1b[2J\\u009b"})
save_memory("\\x1b[31m", 1)
def greet():
    """Say hello."""
    return "hello"
save_tool(greet)`);
  const memories = listed(home, ['memory', 'list']);

  assert.equal(memories.length, 2);
  assert.match(memories[0],
    /^20\d\d-\d\d-\d\dT[0-9:.]+Z +\d+ "\\u001b\[31m"$/);
  assert.match(memories[1], / "a b"$/);
  assert.deepEqual(listed(home, ['memory', 'show', 'a b']),
    ['{"x":"\\u001b[2J\\u009b"}']);
  assert.deepEqual(listed(home, ['memory', 'remove', 'a b']), []);
  assert.equal(caisson(home, ['memory', 'show', 'a b']).status, 1);
  assert.match(caisson(home, ['memory', 'remove', 'a b']).stderr,
    /there is no memory of this key/);
  assert.deepEqual(listed(home, ['memory', 'clear', '--yes']), ['1 removed']);
  assert.deepEqual(listed(home, ['memory']),
    ['No memories of the user are kept.']);

  assert.match(listed(home, ['saved-tools'])[0], /Z +\d+ greet: Say hello\.$/);
  assert.deepEqual(listed(home, ['saved-tools', 'show', 'greet']),
    ['def greet():', '    """Say hello."""', '    return "hello"']);
  assert.deepEqual(listed(home, ['saved-tools', 'remove', 'greet']), []);
  assert.match(caisson(home, ['saved-tools', 'remove', 'greet']).stderr,
    /there is no saved tool of this name/);
  /* What is running sees it, too. */
  assert.deepEqual(await raw.printed('print(list_memories())'), ['[]']);
});
