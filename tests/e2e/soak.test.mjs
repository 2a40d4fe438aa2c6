/*
 * Fifty executions (in the campaign five hundred), half of them ended by error, timeout or cancel: afterwards there is no process,
 * descriptor, mount or file more than before the first. The program gets a view
 * of the machine in which no other process mounts anything or writes to /tmp
 * and /dev/shm.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import {
  childless, descendants, descriptors, memory, mounts,
} from './support/processes.mjs';
import { contained, root, rounds, withoutPool } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { until } from './support/wait.mjs';

withoutPool();

/* Everything below a folder to which only the program writes. */
function files(folder) {
  const found = [];

  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);

    found.push(full);
    if (entry.isDirectory())
      found.push(...files(full));
  }
  return found.sort();
}

/* What an execution must leave as it was. */
function state(raw) {
  const view = `/proc/${raw.pid}/root`;

  return {
    processes: descendants(raw.pid).length,
    descriptors: descriptors(raw.pid),
    mounts: mounts(raw.pid),
    /* Of a machine that is not ours others may change them. */
    hostMounts: root && mounts('self'),
    tmp: files(`${view}/tmp`),
    shm: files(`${view}/dev/shm`),
  };
}

/* One kind of end each; run resolves when the call is over. */
const kinds = {
  success: async (raw, n) => {
    assert.deepEqual(await raw.printed(`print(${n})`), [String(n)]);
  },
  files: async (raw, n) => {
    assert.deepEqual(await raw.printed(`
import tempfile, threading
for folder in ("/tmp", "/workspace", "/dev/shm"):
    with open(folder + "/left-behind", "wb") as file:
        file.write(b"x" * 100_000)
kept = tempfile.mkdtemp()
threading.Thread(target=print, args=(${n},)).start()`), [String(n)]);
  },
  error: async (raw) => {
    const { structuredContent } = await raw.run('raise ValueError("soak")');

    assert.equal(structuredContent.exitCode, 1);
  },
  killed: async (raw) => {
    const { structuredContent } = await raw.run(
      'import os, subprocess\nsubprocess.Popen(["sleep", "600"])\n' +
      'os.kill(os.getpid(), 9)');

    assert.equal(structuredContent.signal, 'SIGKILL');
  },
  timeout: async (raw) => {
    const { structuredContent } = await raw.run(
      'import time\ntime.sleep(600)', { timeout: 1 });

    assert.equal(structuredContent.status, 'timeout', structuredContent.error);
  },
  cancelled: async (raw) => {
    const gate = new Gate();
    const id = raw.postCall(gate.wait);

    await gate.reached();
    raw.cancel(id);
  },
  cancelledEarly: async (raw) => {
    raw.cancel(raw.postCall('print("never")'));
  },
};

/* The campaign has all of a kind; containers, and each run, a tenth. */
const share = contained ? 10 : rounds(10, 1);

/* Runs count executions of a kind, or that share, width of them at a time. */
async function repeat(raw, kind, count, width) {
  let next = 0;
  const lane = async () => {
    while (next * share < count)
      await kinds[kind](raw, next++);
  };

  await Promise.all(Array.from({ length: width }, lane));
}

test('hundreds of executions leave nothing behind', async (t) => {
  const raw = await Raw.open(t, {
    privateTmp: true,
    env: { CAISSON_MAX_CONCURRENT: '8', CAISSON_QUEUE: '1000',
      CAISSON_QUEUE_TIMEOUT: '10m' },
  });

  /* What the start needed, an engine for example, has an end of its own. */
  await childless(raw.pid);
  const before = state(raw);

  /* Nothing has run yet, so there can be nothing. */
  assert.equal(before.processes, 0);
  await repeat(raw, 'success', 150, 4);
  const early = memory(raw.pid, 'VmRSS');

  await repeat(raw, 'files', 100, 4);
  await repeat(raw, 'error', 60, 4);
  await repeat(raw, 'killed', 50, 4);
  await repeat(raw, 'timeout', 60, 8);
  await repeat(raw, 'cancelled', 50, 4);
  await repeat(raw, 'cancelledEarly', 30, 10);
  /* Calls that were cancelled before they had a box may still get one. */
  await raw.ping();
  await childless(raw.pid);
  /* What was held of the last one is closed a moment after its end. */
  await until(() => descriptors(raw.pid) <= before.descriptors,
    () => `${before.descriptors} descriptors, not ${descriptors(raw.pid)}`);

  assert.deepEqual(state(raw), before);
  const growth = memory(raw.pid, 'VmRSS') - early;

  t.diagnostic(`${growth} KiB more memory after ${350 / share | 0} more executions`);
  assert.ok(growth < 4 * 1024, `${growth} KiB more memory`);
  await kinds.success(raw, 1);
  await raw.finish();
});
