/*
 * Beginnings and ends: whatever ends a call or the program, every process of
 * every box is dead afterwards, and the next call works.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test, { describe as together } from 'node:test';
import { Gate, roles } from './support/gate.mjs';
import {
  childless, childrenEver, clock, descendants, describe, engines, gone,
  inNamespace, lives, memory, opened, owners, processOf, workersSince,
} from './support/processes.mjs';
import {
  campaign, contained, once, patiently, root, rounds, uid, withoutPool,
} from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { assertServes, hostile, withServers } from './support/servers.mjs';
import { until, within } from './support/wait.mjs';

withoutPool();
patiently();

/* The next call works, and afterwards no process is left. */
async function assertRecovered(raw) {
  assert.equal((await raw.run('print("next")')).content[0].text, 'next');
  await childless(raw.pid);
}

/* Lets some time pass, so that what follows meets each stage of a start. */
function passes(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/* Waits until a call stands at its gate; one that ends before tells how. */
async function assertReached(raw, id, gate) {
  await Promise.race([gate.reached(), raw.result(id).then((result) =>
    assert.fail(`ended before its gate: ${JSON.stringify(result)}`))]);
}

/* What a call that its deadline ends is told; returns the result. */
async function assertTimedOut(raw, id) {
  const result = await raw.result(id);

  assert.equal(result.structuredContent.status, 'timeout',
    JSON.stringify(result));
  assert.equal(result.isError, true);
  return result.structuredContent;
}

/* No process of the box that this gate stood in. */
async function assertBoxGone(gate) {
  const now = clock();

  await until(() => inNamespace(gate.namespace, now).length === 0 &&
    gate.find().length === 0, 'the end of the box');
}

/* What code may leave behind; each ends where the code goes on. */
const remainders = {
  'many children': (gate) => `
import subprocess
for i in range(30):
    ${gate.start}`,

  'a daemon': (gate) => `
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 1024)
        os.execv("/bin/sleep", ["sleep", "${gate.seconds}"])
    os._exit(0)
os.wait()`,

  'a child that ignores signals': (gate) => `
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
import subprocess
subprocess.Popen(["sleep", "${gate.seconds}"], restore_signals=False)`,

  'a stopped child': (gate) => `
import os, signal, subprocess
child = subprocess.Popen(["sleep", "${gate.seconds}"])
os.kill(child.pid, signal.SIGSTOP)`,

  'a child in a session and group of its own': (gate) => `
import subprocess
subprocess.Popen(["sleep", "${gate.seconds}"], start_new_session=True)`,

  'a thread': (gate) => `
import threading
threading.Thread(target=lambda: ${gate.wait}, daemon=True).start()`,
};

/* These wait for deadlines, each with a program of its own: side by side. */
together('what ends at a deadline', { concurrency: true }, () => {
  for (const [what, code] of Object.entries(remainders).slice(rounds(-1, 0)))
    test(`it ends what the code has left: ${what}`, async (t) => {
      const raw = await Raw.open(t);
      const gate = new Gate();
      const id = raw.postCall(
        `${code(gate)}\nimport time\ntime.sleep(600)`, { timeout: 6 });

      await assertReached(raw, id, gate);
      assert.equal((await assertTimedOut(raw, id)).timeoutSeconds, 6);
      await assertBoxGone(gate);
      await assertRecovered(raw);
      await raw.finish();
    });

  test('it ends code that cannot be interrupted by signals', async (t) => {
    const raw = await Raw.open(t);
    const { stdout } = await assertTimedOut(raw, raw.postCall(`
import signal
for number in range(1, 65):
    try: signal.signal(number, lambda *args: None)
    except (OSError, ValueError): pass
print("deaf")
while True: signal.pause()`, { timeout: 10 }));

    assert.deepEqual(stdout, ['deaf']);
    await assertRecovered(raw);
    await raw.finish();
  });

  test('it ends code that stops itself', async (t) => {
    const raw = await Raw.open(t);

    await assertTimedOut(raw, raw.postCall(
      'import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)',
      { timeout: 1 }));
    await assertRecovered(raw);
    await raw.finish();
  });

  test('a relay that is stopped costs its own call only', campaign,
    async (t) => {
    const raw = await Raw.open(t);
    const gate = new Gate();
    const id = raw.postCall(gate.wait, { timeout: 6 });

    await assertReached(raw, id, gate);
    const [relay] = roles(descendants(raw.pid), gate).relay;

    process.kill(relay.pid, 'SIGSTOP');
    assert.equal((await raw.run('print("beside")')).content[0].text, 'beside');
    const { isError, structuredContent } = await raw.result(id);

    assert.equal(isError, true);
    assert.ok(structuredContent.error.length > 10);
    await assertBoxGone(gate);
    await assertRecovered(raw);
    await raw.finish();
  });

  test('the time in the queue does not count for the deadline', once,
    async (t) => {
    const raw = await Raw.open(t, {
      env: { CAISSON_MAX_CONCURRENT: '1', CAISSON_QUEUE_TIMEOUT: '2m' },
    });
    const slow = raw.postCall('import time\ntime.sleep(600)', { timeout: 7 });
    const quick = raw.postCall('print("quick")', { timeout: 6 });

    await assertTimedOut(raw, slow);
    assert.equal((await raw.result(quick)).content[0].text, 'quick');
    await raw.finish();
  });
});

test('a fork bomb ends at its deadline', async (t) => {
  const raw = await Raw.open(t);
  const gate = new Gate();
  const id = raw.postCall(`
import os
${gate.start}
while True:
    try: os.fork()
    except OSError: pass`, { timeout: 6 });

  await assertReached(raw, id, gate);
  const other = raw.postCall('print("beside the bomb")');

  assert.equal((await raw.result(other)).content[0].text,
    'beside the bomb');
  await assertTimedOut(raw, id);
  await assertBoxGone(gate);
  await assertRecovered(raw);
  await raw.finish();
});

test('what is left when the code ends is ended too', async (t) => {
  const raw = await Raw.open(t);

  for (const [what, code] of Object.entries(remainders)) {
    await t.test(what, async () => {
      const gate = new Gate();
      const result = await raw.run(`${code(gate)}\nprint("done")`);

      assert.equal(result.isError, false, JSON.stringify(result));
      assert.deepEqual(result.structuredContent.stdout, ['done']);
      await until(() => gate.find().length === 0, 'the end of what was left');
      await childless(raw.pid);
    });
  }
  await raw.finish();
});

test('a cancelled call ends at once, unanswered', async (t) => {
  const raw = await Raw.open(t);

  for (const [what, code] of Object.entries(remainders)) {
    await t.test(what, async () => {
      const gate = new Gate();
      const id = raw.postCall(`${code(gate)}\nimport time\ntime.sleep(600)`,
        { timeout: 120 });

      await gate.reached();
      raw.cancel(id);
      await assertBoxGone(gate);
      await childless(raw.pid);
      await assertRecovered(raw);
      assert.ok(!raw.has(id));
    });
  }

  await t.test('right after it was sent, or while its box is built',
    async () => {
      const ids = [];

      for (let i = 0; i < rounds(12, 60); i++) {
        ids.push(raw.postCall('import time\ntime.sleep(600)'));
        await raw.ping();
        await passes(i % 30);
        raw.cancel(ids.at(-1));
        if (i % 6 === 5)
          await childless(raw.pid);
      }
      await assertRecovered(raw);
      for (const id of ids)
        assert.ok(!raw.has(id));
    });

  await t.test('after it was answered', async () => {
    const id = raw.postCall('print(1)');

    await raw.response(id);
    raw.cancel(id);
    await assertRecovered(raw);
  });

  await t.test('an id that is a string', async () => {
    const gate = new Gate();

    raw.post('tools/call',
      { name: 'run_python', arguments: { code: gate.wait } }, 'a "name"');
    await gate.reached();
    raw.cancel('another');
    raw.cancel('a "name"');
    await assertBoxGone(gate);
    await assertRecovered(raw);
    assert.ok(!raw.has('a "name"'));
  });

  await raw.finish();
});

test('the end of input ends everything at once', async (t) => {
  const raw = await Raw.open(t);
  const gates = Object.values(remainders).slice(0, 3)
    .map((code) => ({ gate: new Gate(), code }));
  const ids = gates.map(({ gate, code }) => raw.postCall(
    `${code(gate)}\nimport time\ntime.sleep(600)`, { timeout: 120 }));

  await Promise.all(gates.map(({ gate }) => gate.reached()));
  const family = descendants(raw.pid);

  await raw.finish();
  await gone(family);
  for (const { gate } of gates)
    await assertBoxGone(gate);
  for (const id of ids)
    assert.ok(!raw.has(id));
});

test('the end of input while boxes are built', async (t) => {
  for (let i = 0; i < 40; i += rounds(8, 1)) {
    const raw = await Raw.open(t);

    for (let call = 0; call < 3; call++)
      raw.postCall('import time\ntime.sleep(600)');
    await raw.ping();
    await passes(i);
    const family = descendants(raw.pid);

    await raw.finish();
    await gone(family);
    assert.equal(raw.errors, '', 'it had to wait for nobody');
  }
});

test('SIGTERM and SIGINT answer every call and end', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    const raw = await Raw.open(t, { env: { CAISSON_MAX_CONCURRENT: '2' } });
    const gates = [new Gate(), new Gate()];
    const ids = gates.map((gate) => raw.postCall(
      `print("begun")\n${gate.wait}`, { timeout: 120 }));

    await Promise.all(gates.map((gate) => gate.reached()));
    ids.push(raw.postCall('print("never")')); /* it waits for a place */
    await raw.ping();
    const family = descendants(raw.pid);

    process.kill(raw.pid, signal);
    assert.deepEqual(await raw.wait(), { code: 0, signal: null });
    for (const id of ids) {
      const { isError, structuredContent } = await raw.result(id);

      assert.equal(isError, true);
      assert.equal(structuredContent.status, 'cancelled');
      assert.match(structuredContent.error, /shutting down/);
    }
    assert.deepEqual((await raw.result(ids[0])).structuredContent.stdout,
      ['begun']);
    await gone(family);
  }
});

test('a second SIGTERM does not wait', async (t) => {
  const raw = await Raw.open(t);
  const gate = new Gate();

  raw.postCall(gate.wait, { timeout: 120 });
  await gate.reached();
  const family = descendants(raw.pid);

  process.kill(raw.pid, 'SIGTERM');
  process.kill(raw.pid, 'SIGTERM');
  assert.deepEqual(await raw.wait(), { code: 0, signal: null });
  await gone(family);
  await assertBoxGone(gate);
});

test('when the supervisor is killed everything dies', async (t) => {
  const raw = await Raw.open(t,
    withServers(t, { h: hostile('deaf', 'orphan=600') }));

  await assertServes(raw, 'h');
  const gates = Object.values(remainders).slice(0, 4)
    .map((code) => ({ gate: new Gate(), code }));

  for (const { gate, code } of gates)
    raw.postCall(`${code(gate)}\nimport time\ntime.sleep(600)`,
      { timeout: 120 });
  await Promise.all(gates.map(({ gate }) => gate.reached()));
  const family = descendants(raw.pid);

  assert.ok(family.some((entry) => entry.name.startsWith('relay')));
  /* The kernel ends them: none needs to notice anything itself. */
  for (const { pid, name } of family)
    if (!name.startsWith('keeper'))
      process.kill(pid, 'SIGSTOP');
  process.kill(raw.pid, 'SIGKILL');
  await within(raw.exited, 'the end of the program');
  await gone(family);
  for (const { gate } of gates)
    await assertBoxGone(gate);
});

test('when the supervisor is killed while boxes are built everything dies',
  async (t) => {
    let first;

    /* What outlives its supervisor must not outlive the test. */
    t.after(() => workersSince(first).forEach((entry) =>
      root && process.kill(entry.pid, 'SIGKILL')));
    for (let i = 0; i < rounds(10, 150); i++) {
      const raw = Raw.start(t);

      first ??= processOf(raw.pid);
      raw.initialize().catch(() => {}); /* it may not come to answer */
      for (let call = 0; call < 4; call++)
        raw.postCall('import time\ntime.sleep(600)', { timeout: 120 });
      await passes(5 + i * rounds(3, 1) % 30);
      process.kill(raw.pid, 'SIGKILL');
      /* No process may hold the log of an ended program open either. */
      await within(raw.ended, 'the end of all that held its log');
    }
    await until(() => workersSince(first).length === 0,
      () => `the end of ${describe(workersSince(first))}`);
  });

/* Kills one process of a running call and returns its result. */
async function killOne(raw, choose) {
  const gate = new Gate();
  const id = raw.postCall(`print("begun")\n${gate.wait}`, { timeout: 60 });

  await gate.reached();
  const chosen = choose(roles(descendants(raw.pid), gate));

  assert.ok(chosen && lives(chosen), 'the process to be killed is there');
  process.kill(chosen.pid, 'SIGKILL');
  const result = await raw.result(id);

  assert.equal(result.isError, true);
  assert.equal(result.structuredContent.status, 'error');
  await assertBoxGone(gate);
  await assertRecovered(raw);
  return result.structuredContent;
}

test('a worker that is killed costs its own call only', async (t) => {
  const raw = await Raw.open(t);
  const other = new Gate();
  const otherId = raw.postCall(`${other.wait}\nprint("unhurt")`,
    { timeout: 120 });

  await other.reached();
  /* Its launcher may not have ended yet. */
  const unhurt = descendants(raw.pid).filter(({ name }) => name !== 'box');
  const beside = (family) => family.filter((entry) =>
    !unhurt.some((known) => known.pid === entry.pid));

  await t.test('the relay', async () => {
    const gate = new Gate();
    const id = raw.postCall(`print("begun")\n${gate.wait}`);

    await gate.reached();
    const [relay] = roles(beside(descendants(raw.pid)), gate).relay;

    process.kill(relay.pid, 'SIGKILL');
    const { isError, structuredContent } = await raw.result(id);

    assert.equal(isError, true);
    assert.equal(structuredContent.status, 'error');
    assert.match(structuredContent.error, /relay/);
    await assertBoxGone(gate);
  });

  assert.ok(unhurt.every(lives), 'the other call goes on');
  other.open();
  assert.equal((await raw.result(otherId)).content[0].text, 'unhurt');
  await childless(raw.pid);

  await t.test('the first process of the box', async () => {
    const { error, stdout } = await killOne(raw, ({ init }) => init);

    assert.ok(error.length > 10, error);
    assert.deepEqual(stdout, ['begun']);
  });

  await t.test('the code', async () => {
    const { error, signal, stdout } = await killOne(raw, ({ code }) => code);

    assert.equal(signal, 'SIGKILL');
    assert.equal(error, 'Sandbox was killed by SIGKILL');
    assert.deepEqual(stdout, ['begun']);
  });

  await raw.finish();
});

/* The pipes and sockets of a process. */
function lines(pid) {
  return opened(pid).filter((target) => /^(pipe|socket):/.test(target));
}

/* What starts the code of a call. */
function launchers(pid) {
  const family = descendants(pid);

  return contained ? engines(family) : family.filter(({ command }) =>
    command.startsWith('caisson: box['));
}

test('no descriptor of the supervisor leads to a running box', {
  skip: root ? false : 'the descriptors of other users are not readable',
}, async (t) => {
  const raw = await Raw.open(t);
  const gate = new Gate();
  const id = raw.postCall(gate.wait);

  await gate.reached();
  /* It may still have had to close what it passed on. */
  await raw.ping();
  const family = descendants(raw.pid);
  const { relay, code } = roles(family, gate);
  const ours = new Set(lines(raw.pid));
  const box = lines(code.pid);
  /* Those of a container end at its engine, which may copy what they carry. */
  const ends = contained ? engines(family).flatMap(({ pid }) => lines(pid)) :
    box;

  /* Two streams and two control pipes; their other ends are the relay's. */
  assert.ok(new Set(box).size >= 4);
  assert.ok(lines(relay[0].pid).some((line) => ends.includes(line)));
  assert.deepEqual([...box, ...ends].filter((line) => ours.has(line)), []);
  gate.open();
  await raw.result(id);
  await raw.finish();
});

test('a launcher that is killed costs its own call only', campaign, async (t) => {
  const raw = await Raw.open(t);
  let killed = 0;
  let hurt = 0;

  /* More often where we are too slow to meet one in time. */
  for (let i = 0; i < 40 || (hurt === 0 && i < 1000); i++) {
    const id = raw.postCall('print("unhurt")');

    /* Any of its processes: the launcher lives for some milliseconds. */
    for (let look = 0; look < 400 && !raw.has(id); look++) {
      const [launcher] = launchers(raw.pid);

      if (launcher) {
        try {
          process.kill(launcher.pid, 'SIGKILL');
          killed++;
        } catch {
          /* it has ended by itself */
        }
        break;
      }
      await new Promise(setImmediate);
    }
    const { isError, structuredContent } = await raw.result(id);

    if (isError) {
      hurt++;
      assert.equal(structuredContent.status, 'error');
      assert.ok(structuredContent.error.length > 10);
    } else {
      assert.deepEqual(structuredContent.stdout, ['unhurt']);
    }
  }
  t.diagnostic(`${killed} were hit, ${hurt} of them in time`);
  assert.ok(hurt > 0, 'no launcher was killed in time');
  await assertRecovered(raw);
  await raw.finish();
});

test('a full house refuses with a sentence', once, async (t) => {
  const raw = await Raw.open(t, {
    env: { CAISSON_MAX_CONCURRENT: '1', CAISSON_QUEUE: '0' } });
  const gate = new Gate();
  const id = raw.postCall(`${gate.wait}\nprint("first")`);

  await gate.reached();
  const { isError, structuredContent } = await raw.run('print("second")');

  assert.equal(isError, true);
  assert.equal(structuredContent.status, 'error');
  assert.match(structuredContent.error, /busy/);
  assert.match(structuredContent.error, /CAISSON_MAX_CONCURRENT/);
  gate.open();
  assert.equal((await raw.result(id)).content[0].text, 'first');
  await assertRecovered(raw);
  await raw.finish();
});

test('a flood of calls: each is answered once', once, async (t) => {
  const raw = await Raw.open(t, { env: { CAISSON_MAX_CONCURRENT: '4',
    CAISSON_QUEUE: '50', CAISSON_QUEUE_TIMEOUT: '5m' } });
  const ids = Array.from({ length: rounds(200, 3000) },
    (_, i) => raw.postCall(`print(${i})`));
  const results = await Promise.all(ids.map((id) => raw.result(id)));
  let done = 0;

  for (const [i, { isError, structuredContent }] of results.entries()) {
    if (isError) {
      assert.match(structuredContent.error, /^busy/);
    } else {
      assert.deepEqual(structuredContent.stdout, [String(i)]);
      done++;
    }
  }
  t.diagnostic(`${done} of ${ids.length} were done`);
  assert.ok(done >= 54, 'as many as there are places and seats');
  assert.equal(raw.messages.length, ids.length + 1);
  await assertRecovered(raw);
  await raw.finish();
});

test('a call waits for a place only so long', once, async (t) => {
  const raw = await Raw.open(t, {
    env: { CAISSON_MAX_CONCURRENT: '1', CAISSON_QUEUE_TIMEOUT: '1' } });
  const gate = new Gate();
  const id = raw.postCall(`${gate.wait}\nprint("first")`,
    { timeout: 120 });

  await gate.reached();
  const { isError, structuredContent } = await raw.run('print("second")');

  assert.equal(isError, true);
  assert.equal(structuredContent.status, 'error');
  assert.match(structuredContent.error, /CAISSON_QUEUE_TIMEOUT/);
  assert.match(structuredContent.error, /\b1 ?s/);
  assert.equal(gate.find().length, 1, 'the first goes on');
  gate.open();
  assert.equal((await raw.result(id)).content[0].text, 'first');
  await assertRecovered(raw);
  await raw.finish();
});

test('those that wait come in their order, without the cancelled', once,
  async (t) => {
    const raw = await Raw.open(t, {
      env: { CAISSON_MAX_CONCURRENT: '1', CAISSON_QUEUE_TIMEOUT: '2m' },
    });
    const gate = new Gate();
    const first = raw.postCall(`${gate.wait}\nprint("first")`,
      { timeout: 120 });

    await gate.reached();
    const ids = ['a', 'b', 'c', 'd'].map((name) =>
      raw.postCall(`print("${name}")`));

    raw.cancel(ids[1]);
    await raw.ping();
    assert.equal(descendants(raw.pid).filter((entry) =>
      entry.name.startsWith('relay')).length, 1, 'only one runs');
    const before = raw.messages.length;

    gate.open();
    await raw.result(ids[3]);
    await assertRecovered(raw);
    assert.deepEqual(raw.messages.slice(before).map((message) => message.id),
      [first, ids[0], ids[2], ids[3], raw.lastId]);
    assert.ok(!raw.has(ids[1]));
    await raw.finish();
  });

test('no output goes to another call', once, async (t) => {
  const raw = await Raw.open(t, {
    env: { CAISSON_MAX_CONCURRENT: '8', CAISSON_QUEUE_TIMEOUT: '5m' },
  });
  const nonces = Array.from({ length: rounds(20, 50) },
    (_, i) => `nonce-${i}-${Math.random().toString(36).slice(2)}`);
  const ids = nonces.map((nonce, i) => raw.postCall(`
import sys, time
for part in range(20):
    print("${nonce}", part)
    print("${nonce}", part, file=sys.stderr)
    time.sleep(${(i % 5) / 1000})
sys.exit(${i % 3})`));
  const results = await Promise.all(ids.map((id) => raw.result(id)));

  for (const [i, { isError, structuredContent }] of results.entries()) {
    const lines = Array.from({ length: 20 }, (_, n) => `${nonces[i]} ${n}`);

    assert.deepEqual(structuredContent.stdout, lines);
    assert.deepEqual(structuredContent.stderr, lines);
    assert.equal(isError, i % 3 !== 0);
    assert.equal(structuredContent.exitCode, i % 3 || undefined);
  }
  await childless(raw.pid);
  await raw.finish();
});

test('a client that does not read its answers', campaign, async (t) => {
  const raw = await Raw.open(t, {
    env: { CAISSON_MAX_OUTPUT: '2m', CAISSON_QUEUE: '1000',
      CAISSON_QUEUE_TIMEOUT: '10m' } });
  const ids = [];
  const before = childrenEver(raw.pid);

  raw.child.stdout.pause();
  for (let i = 0; i < 40; i++)
    ids.push(raw.postCall('print("x" * 2_000_000)'));
  /*
   * They begin when the program reads them; they are over without us, perhaps
   * before we look.
   */
  await until(() => descendants(raw.pid).length > 0 ||
    childrenEver(raw.pid) !== before, 'the first call');
  for (let quiet = 0; quiet < 5;) {
    await until(() => descendants(raw.pid).length === 0, 'the last call');
    await new Promise((resolve) => setTimeout(resolve, 50));
    quiet = descendants(raw.pid).length === 0 ? quiet + 1 : 0;
  }
  const late = Array.from({ length: 20 },
    () => raw.postCall('print("x" * 2_000_000)'));

  await within(raw.write('\n'), 'the program to read on');
  await childless(raw.pid);
  const peak = memory(raw.pid, 'VmHWM');

  t.diagnostic(`supervisor ${peak} KiB at most`);
  raw.child.stdout.resume();
  const all = await Promise.all([...ids, ...late].map(
    (id) => raw.result(id)));
  const refused = all.filter((result) => result.isError);

  for (const { structuredContent } of refused)
    assert.match(structuredContent.error, /answers/);
  for (const { isError, structuredContent } of all)
    assert.ok(isError || structuredContent.stdout[0].length === 2_000_000);
  assert.ok(refused.length > 0, 'some were refused');
  /* It allows itself 256 MiB of answers, and a buffer doubles. */
  assert.ok(peak < 640 * 1024, `${peak} KiB`);
  await assertRecovered(raw);
  await raw.finish();
});

test('relays run as another user when we are root', async (t) => {
  if (uid !== 0) {
    t.skip('the program does not run as root');
    return;
  }
  const raw = await Raw.open(t);
  const gate = new Gate();
  const id = raw.postCall(gate.wait);

  await gate.reached();
  const { relay, init, code } = roles(descendants(raw.pid), gate);

  for (const entry of [...relay, init, code])
    assert.ok(owners(entry.pid).every((owner) => owner !== 0),
      `${entry.name} runs as ${owners(entry.pid)}`);
  assert.notDeepEqual(owners(relay[0].pid), owners(code.pid));
  if (contained)
    assert.ok(owners(code.pid).every((owner) => owner === 65534));
  gate.open();
  await raw.result(id);
  await raw.finish();
});

test('several programs of root give no two boxes the same user', {
  skip: uid === 0 ? false : 'an ordinary user has no other users to give',
}, async (t) => {
  const users = [];

  for (let i = 0; i < 4; i++) {
    const raw = await Raw.open(t);
    const gate = new Gate();

    raw.postCall(gate.wait, { timeout: 100 });
    await gate.reached();
    const { relay, code } = roles(descendants(raw.pid), gate);

    users.push(owners(relay[0].pid)[0]);
    if (contained)
      assert.equal(owners(code.pid)[0], 65534, 'that of all containers');
    else
      users.push(owners(code.pid)[0]);
  }
  assert.equal(new Set(users).size, users.length, users.join(' '));
});
