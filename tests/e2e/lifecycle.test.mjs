/*
 * Beginnings and ends: whatever ends a call or the program, every process of
 * every box is dead afterwards, and the next call works.
 */
import assert from 'node:assert/strict';
import test, { describe as together } from 'node:test';
import { Gate, roles } from './support/gate.mjs';
import {
  childless, clock, descendants, describe, engines, gone, inNamespace, lives,
  opened, owners, processOf,
} from './support/processes.mjs';
import {
  contained, folder, limit, once, ran, root, rounds, uid, withoutPool,
} from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { assertServes, hostile, withServers } from './support/servers.mjs';
import { until, within } from './support/wait.mjs';

withoutPool();

/* The next call works, and afterwards no process is left. */
async function assertRecovered(raw) {
  assert.equal((await raw.run('print("next")')).content[0].text, 'next');
  await childless(raw.pid);
}

/* Lets some time pass, so that what follows meets each stage of a start. */
function passes(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/* Waits until a call stands at its gate, or ends before; whether it stands. */
const reaches = (raw, id, gate) => Promise.race([
  gate.reached().then(() => true), raw.result(id).then(() => false)]);

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
  'a daemon': (gate) => gate.daemon,

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

  'a thread': (gate) => `
import threading
threading.Thread(target=lambda: ${gate.wait}, daemon=True).start()`,
};

/* These wait for deadlines, each with a program of its own: side by side. */
together('what ends at a deadline', { concurrency: true }, () => {
  for (const [what, code] of Object.entries(remainders).slice(rounds(-1, 0)))
    test(`it ends what the code has left: ${what}`, async (t) => {
      const raw = await Raw.open(t);
      let timeout = 6;
      let gate, id;

      /* On a slow machine the code needs longer to come there. */
      do {
        gate = new Gate();
        id = raw.postCall(`${code(gate)}\nimport time\ntime.sleep(600)`,
          { timeout });
      } while (!await reaches(raw, id, gate) && (timeout *= 4) < 100);
      assert.equal((await assertTimedOut(raw, id)).timeoutSeconds, timeout);
      await assertBoxGone(gate);
      await assertRecovered(raw);
      await raw.finish();
    });

  test('the time in the queue does not count for the deadline', once,
    async (t) => {
    const raw = await Raw.open(t, { env: { CAISSON_MAX_CONCURRENT: '1' } });
    const slow = raw.postCall('import time\ntime.sleep(600)', { timeout: 21 });
    const quick = raw.postCall('print("quick")', { timeout: 20 });

    await assertTimedOut(raw, slow);
    assert.equal((await raw.result(quick)).content[0].text, 'quick');
    await raw.finish();
  });
});

test('a cancelled call ends at once, unanswered', async (t) => {
  const raw = await Raw.open(t);

  for (const [what, code] of Object.entries(remainders).slice(0, 2)) {
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

test('input that ends while servers are read ends it', (t) => {
  const { status, stdout, stderr } = ran({ home: folder(t),
    ...withServers(t, { hostile: hostile() }) }, {
    input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {},
        clientInfo: { name: 'caisson-tests', version: '1' } } })}\n`,
  });

  assert.equal(status, 0, stderr);
  assert.match(stdout, /"serverInfo"/);
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
  /* Exited ones wait for process 1 of the machine, keepers for engines. */
  if (!contained)
    await until(() => !family.some((entry) => lives(entry) &&
      !processOf(entry.pid)?.exiting), () => 'the end of what runs: ' +
      describe(family.filter(lives)), limit('SUPERVISOR_KILLED_MS') / 1000);
  await within(raw.exited, 'the end of the program');
  await gone(family);
  for (const { gate } of gates)
    await assertBoxGone(gate);
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

test('those that wait come in their order, without the cancelled', once,
  async (t) => {
    const raw = await Raw.open(t, { env: { CAISSON_MAX_CONCURRENT: '1' } });
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
