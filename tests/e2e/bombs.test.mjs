/*
 * Bombs of every kind, at once, in boxes of their own: meanwhile other calls go
 * on being answered, and afterwards there is no process more than before.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { childless, memory } from './support/processes.mjs';
import { withoutPool } from './support/program.mjs';
import { Raw } from './support/raw.mjs';

withoutPool();

/* How long each of them may go on: they come to their limits in the second. */
const seconds = 6;
const bombs = {
  processes: `
import os
while True:
    try:
        os.fork()
    except OSError:
        pass`,
  memory: `
import os, time
for i in range(20):
    if os.fork() == 0:
        b = bytearray(100 << 20)
        time.sleep(600)
time.sleep(600)`,
  disk: `
import itertools
for place in itertools.cycle(["/tmp", "/workspace", "/dev/shm"]):
    try:
        with open(place + "/full", "ab") as file:
            file.write(bytes(1 << 20))
    except OSError:
        pass`,
  inodes: `
import itertools
for n in itertools.count():
    try:
        open("/tmp/%d" % n, "x").close()
    except OSError:
        pass`,
  descriptors: `
import os
held = []
while True:
    try:
        held.append(os.pipe())
    except OSError:
        pass`,
  output: `
import os
while True:
    os.write(1, b"x" * 65536)
    os.write(2, b"y" * 65536)`,
};

/* Whatever a bomb comes to, it is told of as what it is. */
function assertEnded(name, { isError, structuredContent: answer }) {
  assert.equal(isError, true, name);
  assert.match(answer.error, name === 'memory' ?
    /ran out of memory|timed out/ : /timed out|ran out of memory/, name);
}

test('bombs in their boxes stop no other call', async (t) => {
  const names = Object.keys(bombs);
  const raw = await Raw.open(t, { env: {
    CAISSON_MAX_CONCURRENT: String(names.length + 2),
  } });

  assert.deepEqual(await raw.printed('print(1)'), ['1']);
  await childless(raw.pid);
  const before = memory(raw.pid, 'VmRSS');
  const ids = names.map((name) =>
    raw.postCall(bombs[name], { timeout: seconds }));

  /* As long as one of them goes on, others are served. */
  let served = 0;

  while (ids.some((id) => !raw.has(id))) {
    assert.deepEqual(await raw.printed(`print(${served})`, { timeout: 60 }),
      [String(served)]);
    served++;
  }
  assert.ok(served > 0);
  for (const [i, id] of ids.entries())
    assertEnded(names[i], await raw.result(id));
  await childless(raw.pid);
  t.diagnostic(`${served} calls were answered meanwhile; the supervisor's ` +
    `memory grew from ${before} to ${memory(raw.pid, 'VmRSS')} KiB`);
  await raw.finish();
});
