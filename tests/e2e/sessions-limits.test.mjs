/*
 * How sessions end, what is refused, and what a call of a session has beside
 * the state: limits, time-outs, turns, files and servers.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { text } from './support/files.mjs';
import { Gate } from './support/gate.mjs';
import { descendants, namespacePids, reaped } from './support/processes.mjs';
import { folder, once, settings, unpooled } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { connect, run } from './support/sdk.mjs';
import { toolServer, withServers } from './support/servers.mjs';
import { until, untilLate } from './support/wait.mjs';

settings.CAISSON_STRUCTURED = 'off';
settings.CAISSON_TOOLS = 'run_python,run_code';
settings.CAISSON_ARGUMENTS = 'code,servers,timeout,conversationId,session';

const said = (result) => text(result).replace(/\n?session: .*$/, '');
const about = (result) => result._meta['caisson/session'];
const say = async (client, session, code, more = {}) =>
  said(await run(client, code, { session, ...more }));

/* Whether a session is new, so that nothing is left of an earlier one. */
const isNew = async (client, session) =>
  about(await run(client, '1', { session })).fresh;

test('wrong names, and what has no sessions, are refused', once, async (t) => {
  const { client } = await connect(t);

  const long = 'session has 65 bytes; it must have 1 to 64';
  const control = 'session must have no control character, and not be "." or ".."';
  const kind = 'session must be a string of 1 to 64 bytes';

  for (const [session, told] of [
    ['', 'session has 0 bytes; it must have 1 to 64'],
    ['x'.repeat(65), long], ['a\nb', control], ['a\0', control], [1, kind],
    [{}, kind], [['a'], kind]]) {
    const result = await run(client, 'print(1)', { session });

    assert.equal(result.isError, true);
    assert.equal(text(result), `status: validation_error\nerror: ${told}`);
  }
  assert.match(text(await run(client, '1', { session: 'x'.repeat(64) })),
    /\nsession: new, as there was none of this name since Caisson started$/);
  assert.equal(await say(client, '\u00fc/../x', 'print(1)'), '1');
  assert.match(text(await run(client, 'print(1)',
    { session: 'a', conversationId: 'b' })),
  /pass either session or conversationId: a session keeps variables/);
  assert.match(text(await client.callTool({ name: 'run_code', arguments: {
    code: 'echo 1', language: 'shell', session: 'a' } })),
  /shell has no sessions: leave out the argument session/);
  assert.equal(said(await client.callTool({ name: 'run_code', arguments: {
    code: 'print(1)', language: 'python', session: 'a' } })), '1');
});

test('with reduced isolation there are no sessions', async (t) => {
  const { client } = await connect(t, { withoutNamespaces: true,
    env: { CAISSON_ALLOW_WEAK_ISOLATION: 'on', CAISSON_POOL: '0' } });
  const result = await run(client, 'print(1)', { session: 'a' });

  assert.equal(result.isError, true);
  assert.match(text(result), /have no sessions: leave out the argument session/);
  assert.match(text(await run(client, 'print(1)')), /^1\n/);
});

test('code that takes too long is interrupted, which may leave the state',
  async (t) => {
    const { client } = await connect(t);

    await Promise.all([say(client, 's', 'x = [1]'), say(client, 'deaf', 'x = 1')]);
    const [result, lost] = await Promise.all([untilLate((timeout) => run(client, `
import time
x = [1, 2]
time.sleep(600)`, { session: 's', timeout }),
    async () => await say(client, 's', 'x') === '[1, 2]'),
    untilLate((timeout) => run(client, `
import time
while True:
    try:
        time.sleep(600)
    except KeyboardInterrupt:
        pass`, { session: 'deaf', timeout }),
    (answer) => about(answer).kept === false)]);

    assert.equal(result.isError, true);
    assert.match(text(result), /^status: timeout\n[^]*\nsession: call \d+, (under )?\d+ s old; the code was interrupted, [^\n]*kept$/);
    assert.equal(about(result).kept, true);
    assert.equal(await say(client, 's', 'x'), '[1, 2]');
    assert.match(text(lost), /^status: timeout\n[^]*\nsession: call \d+, \d+ s old; it has ended: its code did not react to an interrupt; its state is lost, and the next call of this name begins a new one$/);
    assert.equal(about(lost).kept, false);
    assert.equal(text(await run(client, '"x" in globals()',
      { session: 'deaf' })), 'False\nsession: new, as the one before has ' +
      'ended: its code did not react to an interrupt');
  });

test('a cancelled call leaves the state', async (t) => {
  const { client } = await connect(t);
  const gate = new Gate();
  const cancel = new AbortController();

  await say(client, 's', 'x = [1]');
  const running = run(client, `x.append(2)\n${gate.wait}`, { session: 's' },
    { signal: cancel.signal });

  await gate.reached();
  cancel.abort();
  await assert.rejects(running);
  await until(() => gate.find().length === 0, 'the end of what was cancelled');
  assert.equal(await say(client, 's', 'x'), '[1, 2]');
});

test('a call that gives up its turn changes nothing', once, async (t) => {
  const { client } = await connect(t,
    { env: { CAISSON_QUEUE_TIMEOUT: '1', CAISSON_MAX_CONCURRENT: '4' } });
  const gate = new Gate();
  const cancel = new AbortController();
  const first = run(client, `x = [1]\n${gate.wait}\nNone`, { session: 's' });

  await gate.reached();
  const second = run(client, 'x.append(2)', { session: 's' },
    { signal: cancel.signal });
  const third = run(client, 'x.append(3)', { session: 's' });

  cancel.abort();
  await assert.rejects(second);
  assert.match(text(await third),
    /an earlier call of this session is still running after 1s: calls of a session take turns \(CAISSON_QUEUE_TIMEOUT\)/);
  gate.open();
  await first;
  assert.equal(await say(client, 's', 'x'), '[1]');
});

test('code that exceeds the memory limit loses the state', async (t) => {
  const { client } = await connect(t, { env: { CAISSON_MEMORY: '128m' } });

  await say(client, 's', 'x = 1');
  const result = await run(client, `
import os
for number in range(3):
    if os.fork() == 0:
        data = b"x" * (60 << 20)
        import time
        time.sleep(600)
time.sleep(600) if "time" in globals() else os.wait()`,
  { session: 's', timeout: 60 });

  assert.equal(result.isError, true);
  assert.match(text(result), /memory/i);
  assert.match(text(result), /\nsession: [^\n]*it has ended: it ran out of memory; its state is lost, and the next call/);
  assert.match(text(await run(client, '"x" in globals()', { session: 's' })),
    /^False\nsession: new, as the one before has ended: it ran out of memory/);
});

test('code can end its session', async (t) => {
  const { client } = await connect(t);

  await say(client, 's', 'x = 1');
  const result = await run(client, `
from mcp import runtime
import atexit
atexit.register(print, "at exit")
runtime.end_session()
print("still here")
raise SystemExit(3)`, { session: 's' });

  assert.match(text(result), /^status: error\nexit: 3\nstill here/);
  assert.equal(about(result).kept, false);
  assert.match(text(result), /\nsession: call 2, (under )?\d+ s old; it has ended: its code called runtime\.end_session\(\)/);
  assert.equal(await say(client, 's', '"x" in globals()'), 'False');
  assert.match(text(await run(client, `
from mcp import runtime
runtime.end_session()`)), /RuntimeError: [^\n]*no session/);
});

test('a further session ends the one that was idle longest', once, async (t) => {
  const { client } = await connect(t, { env: { CAISSON_SESSIONS: '2' } });

  for (const name of ['a', 'b', 'a', 'c'])
    await say(client, name, 'x = 1');
  assert.equal(await isNew(client, 'a'), false);
  assert.equal(await isNew(client, 'c'), false);
  assert.match(text(await run(client, '1', { session: 'b' })),
    /^1\nsession: new, as the one before has ended: [^\n]*CAISSON_SESSIONS/);
});

test('a further session is refused while all others run code', once, async (t) => {
  const { client } = await connect(t, { env: { CAISSON_SESSIONS: '1' } });
  const gate = new Gate();
  const running = run(client, gate.wait, { session: 'a' });

  await gate.reached();
  const result = await run(client, 'print(1)', { session: 'b' });

  assert.equal(result.isError, true);
  assert.match(text(result), /all 1 sessions are running code: end one, or raise CAISSON_SESSIONS/);
  gate.open();
  await running;
  assert.equal(await say(client, 'b', 'print(1)'), '1');
});

/* The processes of boxes that are kept, or run code. */
const boxed = (pid) => descendants(pid).filter(
  (entry) => namespacePids(entry.pid).length > 1);

/* Each is asked again when its processes have ended by themselves. */
test('a session that is idle, old or large ends, and the next answer says why',
  once, async (t) => {
    await Promise.all([
      [{ CAISSON_SESSION_IDLE: '1' }, /CAISSON_SESSION_IDLE/],
      [{ CAISSON_SESSION_AGE: '1' }, /CAISSON_SESSION_AGE/],
      [{ CAISSON_SESSION_MEMORY: '64m' }, /CAISSON_SESSION_MEMORY/],
    ].map(async ([env, why]) => {
      const { client, pid } = await connect(t,
        { env: { ...unpooled.env, ...env } });

      await say(client, 's', 'x = b"x" * (80 << 20)\nNone');
      await reaped(boxed(pid));
      const result = await run(client, '"x" in globals()', { session: 's' });

      assert.equal(said(result), 'False');
      assert.equal(about(result).fresh, true);
      assert.match(text(result),
        /session: new, as the one before has ended: /);
      assert.match(text(result), why);
    }));
  });

test('a session has so many calls', once, async (t) => {
  const { client } = await connect(t, { env: { CAISSON_SESSION_CALLS: '2' } });

  assert.equal(await isNew(client, 's'), true);
  const result = await run(client, '1', { session: 's' });

  assert.equal(about(result).fresh, false);
  assert.equal(about(result).kept, false);
  assert.match(text(result), /it has ended: [^\n]*CAISSON_SESSION_CALLS/);
  assert.match(text(await run(client, '1', { session: 's' })),
    /^1\nsession: new, as the one before has ended: [^\n]*CAISSON_SESSION_CALLS/);
});

test('calls of a session take turns; idle ones leave their place', once,
  async (t) => {
    const { client } = await connect(t,
      { env: { CAISSON_MAX_CONCURRENT: '2', CAISSON_QUEUE: '20' } });

    for (const name of ['a', 'b', 'c'])
      await say(client, name, 'x = 0');
    assert.equal(text(await run(client, 'print(1)')), '1');
    const answers = await Promise.all(Array.from({ length: 10 }, () =>
      say(client, 'a', 'was = x\nx += 1\nimport time\ntime.sleep(0.01)\n' +
        'print(x - was, x)')));

    assert.deepEqual(answers, answers.map((_, n) => `1 ${n + 1}`));
  });

test('each call has its own files that come back', async (t) => {
  const { client } = await connect(t);
  const files = (result) => text(result).split('\n')
    .filter((line) => line.startsWith('file: '));
  let result = await run(client, `
open("/workspace/out/one", "w").write("1")
open("/tmp/kept", "w").write("2")
None`, { session: 's' });

  assert.deepEqual(files(result), ['file: one (1 byte)']);
  result = await run(client, 'print(open("/tmp/kept").read())',
    { session: 's' });
  assert.equal(said(result), '2');
  result = await run(client, `
open("/workspace/out/two", "w").write("22")
None`, { session: 's' });
  assert.deepEqual(files(result), ['file: two (2 bytes)']);
});

test('a session uses servers in each of its calls', async (t) => {
  const starts = path.join(folder(t), 'starts');
  const { client, pid } = await connect(t,
    withServers(t, { tools: toolServer(0, 4, starts) }));
  const look = `
from mcp import runtime
print([tool.name for tool in await runtime.list_tools("tools")][:1])`;
  const before = said(await run(client, look));

  assert.match(before, /^\['\w+'\]$/);
  for (let n = 0; n < 3; n++)
    assert.equal(await say(client, 's', look), before);
  assert.equal(await say(client, 's', `${look}\n`, { servers: ['tools'] }),
    before);
  assert.equal(await say(client, 's', 'print(LOADED_MCP_SERVERS)'),
    "('tools',)", 'those of earlier calls, too');
  /* The broker of a later call is another one. */
  const brokers = descendants(pid).filter(
    (entry) => entry.name.startsWith('broker'));

  for (const entry of brokers)
    process.kill(entry.pid, 'SIGKILL');
  /* A process that has no memory left may still hold its sockets. */
  await reaped(brokers);
  assert.equal(await say(client, 's', look), before);
});

/*
 * Between two calls, a thread fills the memory and the disk of its box: when
 * the process that it waits for is killed, the first one is over.
 */
test('a thread that exceeds the memory limit ends its session', async (t) => {
  const { client, pid } = await connect(t,
    { env: { ...unpooled.env, CAISSON_MEMORY: '128m',
      CAISSON_SESSION_THREADS: 'on' } });

  await say(client, 's', `
import subprocess, threading
def fill(process):
    process.wait()
    x = b"x" * (70 << 20)
    for folder in "/tmp", "/dev/shm", "/workspace":
        open(folder + "/x", "wb").write(x[:30 << 20])
    threading.Event().wait()
process = subprocess.Popen(["sleep", "3600"])
threading.Thread(target=fill, args=[process], daemon=True).start()`);
  await reaped(boxed(pid));
  assert.match(text(await run(client, '"fill" in globals()',
    { session: 's' })), /^False\nsession: new, as the one before has ended: it ran out of memory/);
});

/* Nobody asks the code to end then, so nothing is said of that. */
test('a call that the end of the program cancels is told so', async (t) => {
  const raw = await Raw.open(t);
  const gate = new Gate();
  const id = raw.postCall(gate.wait, { session: 'a' });

  await gate.reached();
  process.kill(raw.pid, 'SIGTERM');
  assert.equal(text(await raw.result(id)), 'status: cancelled\n' +
    'error: Caisson is shutting down\n' +
    'session: new, as there was none of this name since Caisson started; it has ended: Caisson is shutting down; its state is ' +
    'lost, and the next call of this name begins a new one');
  await raw.wait();
});
