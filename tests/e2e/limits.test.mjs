/*
 * Memory of a box as a whole: whatever way code takes too much of it, its call
 * ends with a sentence that says so, and nothing else ends; code that only
 * seems to take too much is left alone.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { childless } from './support/processes.mjs';
import { contained, once, withoutPool } from './support/program.mjs';
import { connect, run } from './support/sdk.mjs';

withoutPool();

const imports = 'import mmap, os, select, socket, subprocess, sys, time\n';

/*
 * In a container the kernel kills one process of a box that takes too much, and
 * not always that of the code, which then prints this.
 */
const KILLED = 'one was killed';

/* Children that do something and then wait for ever; so does their parent. */
const children = (count, what) => `
ends = []
for i in range(${count}):
    ends.append(os.pipe())
    if os.fork() == 0:
        ${what}
        time.sleep(600)
    os.close(ends[-1][1])
${contained ? `
select.select([end for end, _ in ends], [], [])
print('${KILLED}')` : 'time.sleep(600)'}
`;

const outOfMemory = (limit) => `Sandbox ran out of memory (limit ${limit}): ` +
  'keep less at a time, or raise CAISSON_MEMORY';

/* Ended for its memory, and said so once. */
function assertEnded(result, limit) {
  const { structuredContent: answer, content, isError } = result;

  assert.equal(answer.error, outOfMemory(limit), JSON.stringify(answer));
  assert.equal(answer.status, 'error');
  assert.equal(answer.summary, `Sandbox error: ${outOfMemory(limit)}`);
  assert.equal(answer.signal, undefined);
  assert.equal(answer.exitCode, undefined);
  assert.equal(isError, true);
  assert.ok(content[0].text.endsWith(`error: ${outOfMemory(limit)}`));
}

/*
 * The same, or in a container a process of it was killed; printed is what it
 * printed before.
 */
function assertStopped(result, limit, printed = []) {
  const { structuredContent: answer } = result;

  if (contained && answer.stdout?.includes(KILLED)) {
    assert.deepEqual(answer, { stdout: [...printed, KILLED] });
    return;
  }
  assertEnded(result, limit);
  assert.deepEqual(answer.stdout ?? [], printed);
}

/* A program with this memory limit; skips where there is no watchdog. */
async function watched(t, memory) {
  const program = await connect(t,
    { env: memory ? { CAISSON_MEMORY: memory } : {} });
  const { _meta: meta } = await run(program.client, 'pass');
  const { proc, limits } = meta['caisson/isolation'];

  if (contained) {
    assert.equal(limits, 'cgroup');
    return { ...program, skipped: false };
  }
  assert.equal(limits, proc ? 'rlimit+watchdog' : 'rlimit');
  if (!proc)
    t.skip('the box has no /proc here, so it has no watchdog');
  return { ...program, skipped: !proc };
}

const greedy = [
  ['children that are large', children(6, 'b = bytearray(60 << 20)')],
  ['children that are small', children(60, 'b = bytearray(4 << 20)')],
  ['files and a heap', `
for place in '/tmp', '/workspace', '/dev/shm':
    with open(place + '/x', 'wb') as file:
        for i in range(30):
            file.write(bytes(1 << 20))
print('written', flush=True)
b = bytearray(90 << 20)
time.sleep(600)
`],
  ['copies that are written to', `
b = bytearray(80 << 20)
${children(4, 'for k in range(0, len(b), 4096): b[k] = 1')}`],
  ['unread bytes', `
def fill(keep=[]):
    try:
        while True:
            keep.extend(socket.socketpair())
            keep[-1].setblocking(False)
            try:
                keep[-1].send(bytes(1 << 20))
            except BlockingIOError:
                pass
    except OSError:
        pass
${children(16, 'fill()')}`],
];

test('too much memory ends the call', async (t) => {
  const { client, pid, skipped } = await watched(t, '128m');

  if (skipped)
    return;
  /* How memory is counted depends on the user; of what it is, does not. */
  for (const [name, code] of once.skip ? greedy.slice(0, 3) : greedy) {
    await t.test(name, async () => {
      const result = await run(client, imports + code);

      assertStopped(result, '128 MiB',
        code.includes('written') ? ['written'] : []);
      await childless(pid);
    });
  }
  assert.deepEqual((await run(client, 'print("hi")')).content,
    [{ type: 'text', text: 'hi' }]);
});

const modest = [
  ['copies that are only read', `
b = bytearray(90 << 20)
for i in range(4):
    if os.fork() == 0:
        b[::4096].count(1)
        time.sleep(0.5)
        os._exit(0)
print([os.wait()[1] for i in range(4)])
`, '[0, 0, 0, 0]'],
  ['files that several have mapped', `
maps = []
for place in '/tmp', '/workspace', '/dev/shm':
    with open(place + '/x', 'w+b') as file:
        file.truncate(30 << 20)
        maps.append(mmap.mmap(file.fileno(), 0))
    for i in range(30):
        maps[-1].write(bytes(1 << 20))
for i in range(3):
    if os.fork() == 0:
        sum(sum(one[::4096]) for one in maps)
        time.sleep(0.5)
        os._exit(0)
print([os.wait()[1] for i in range(3)])
os.unlink('/workspace/x') # the memory stays: it is mapped
`, '[0, 0, 0]'],
  ['programs started by a large one', `
b = bytearray(110 << 20)
for i in range(100):
    subprocess.run(['/bin/true'], check=True)
print('done')
`, 'done'],
  ['one process that is told so', `
b = []
try:
    while True:
        b.append(bytearray(1 << 20))
except MemoryError:
    print('MemoryError')
`, 'MemoryError'],
  ['more shared memory than there may be', `
try:
    mmap.mmap(-1, 65 << 19)
except OSError as error:
    print(error)
`, '[Errno 28] No space left on device'],
  ['memory that is given back', `
for i in range(12):
    b = bytearray(100 << 20)
    del b
print('done')
`, 'done'],
];

test('less than the limit is left alone', once, async (t) => {
  const { client } = await watched(t, '128m');

  for (const [name, code, printed] of modest) {
    await t.test(name, async () => {
      const result = await run(client, imports + code);

      /* A container has a limit on all of its processes only. */
      if (contained && printed === 'MemoryError') {
        assertEnded(result, '128 MiB');
        return;
      }
      assert.deepEqual(result.content, [{ type: 'text', text: printed }]);
      assert.equal(result.isError, false);
    });
  }
});

test('who kills itself was not ended for its memory', async (t) => {
  const { client } = await watched(t, '128m');
  const { structuredContent: answer } = await run(client,
    `${imports}b = bytearray(90 << 20)\nos.kill(os.getpid(), 9)`);

  assert.equal(answer.error, 'Sandbox was killed by SIGKILL');
  assert.equal(answer.signal, 'SIGKILL');
});

/*
 * Programs with many processes: the watchdog stops all of them now and then,
 * and each runs on.
 */
const crowds = [
  ['shells that are busy, and killed', '128m', '128', once, `
for _ in range(2):
    busy = [subprocess.Popen(['/bin/sh', '-c', 'while :; do :; done'])
            for _ in range(20)]
    time.sleep(0.2)
    for one in busy:
        one.kill()
    for one in busy:
        one.wait()
print('done')`],
];

for (const [what, memory, pids, when, code] of crowds)
  test(`${what} run as elsewhere`, when, async (t) => {
    const { client } = await connect(t,
      { env: { CAISSON_MEMORY: memory, CAISSON_PIDS: pids,
        CAISSON_MAX_TIMEOUT: '300' } });
    const { structuredContent: answer } = await run(client, imports + code,
      { timeout: 300 });

    assert.equal(answer.error, undefined, JSON.stringify(answer));
    assert.deepEqual(answer.stdout, ['done']);
  });
