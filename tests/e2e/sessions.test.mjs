/*
 * Sessions: what the calls of one session share, and that no other call sees
 * any of it, whatever the code leaves behind and whichever process ends.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';
import { text } from './support/files.mjs';
import { Gate } from './support/gate.mjs';
import { descendants, gone, namespacePids, reaped }
  from './support/processes.mjs';
import {
  folder, once, ran, rounds, settings, unpooled,
} from './support/program.mjs';
import { connect, run } from './support/sdk.mjs';
import { until, untilLate } from './support/wait.mjs';

settings.CAISSON_STRUCTURED = 'off';
settings.CAISSON_ARGUMENTS = 'code,timeout,session';

/* Threads run on between the calls of a session. */
const threaded = { env: { CAISSON_SESSION_THREADS: 'on' } };

/* What code has printed, without the line that tells of its session. */
const said = (result) => text(result).replace(/\n?session: .*$/, '');

const say = async (client, session, code, more = {}) =>
  said(await run(client, code, { session, ...more }));

/* What an answer tells of its session. */
const about = (result) => result._meta['caisson/session'];

test('the calls of a session share what they define', once, async (t) => {
  const { client } = await connect(t);

  assert.equal(await say(client, 's', `
import math
x = [1]
def double(n):
    return 2 * n
None`), 'Success (no output)');
  assert.equal(await say(client, 's', 'x.append(2)\nprint(x, double(3))'),
    '[1, 2] 6');
  assert.equal(await say(client, 's', 'math.floor(x[-1] + 0.5)'), '2');
  /* A failure, or an exit code, ends the code and not the session. */
  assert.match(await say(client, 's', 'x.append(3)\n1 / 0'),
    /status: error\nexit: 1\n[^]*ZeroDivisionError/);
  assert.match(await say(client, 's', 'x.append(4)\nraise SystemExit(5)'),
    /status: error\nexit: 5/);
  assert.equal(await say(client, 's', 'x'), '[1, 2, 3, 4]');
  for (const other of ['S', 's ', 't'])
    assert.equal(await say(client, other, '"x" in globals()'), 'False');
  assert.equal(text(await run(client, '"x" in globals()')), 'False');
});

test('each answer tells whether its box was fresh, and of its session', once,
  async (t) => {
    const { client } = await connect(t);
    const results = [];

    for (let n = 0; n < 3; n++)
      results.push(await run(client, '1', { session: 's' }));
    assert.deepEqual(results.map((result) => {
      const { name, fresh, call, kept, threads } = about(result);

      return [name, fresh, call, kept, threads];
    }), [1, 2, 3].map((n) => ['s', n === 1, n, true, 0]));
    assert.ok(about(results[2]).ageMs >= about(results[1]).ageMs);
    assert.match(text(results[0]), /^1\nsession: new, as there was none of this name since Caisson started$/);
    assert.match(text(results[2]), /^1\nsession: call 3, (under )?\d+ s old$/);
    const alone = await run(client, '1');

    assert.deepEqual(about(alone), { fresh: true });
    assert.equal(text(alone), '1');
    /* The memory of one call is known only if its processes end with it. */
    assert.ok(alone._meta['caisson/peakMemoryKiB'] > 0);
    assert.equal(results[2]._meta['caisson/peakMemoryKiB'], undefined);
  });

/*
 * Lanes of calls, each with a number that no other has. Those of a session
 * know all of their own numbers, the others none.
 */
test('nothing crosses between two sessions and twenty fresh calls',
  async (t) => {
    const { client } = await connect(t, { env: {
      CAISSON_MAX_CONCURRENT: '4', CAISSON_QUEUE: '64' } });
    const most = rounds(60, 2000);
    const all = [];
    let sent = 0;

    async function lane(session) {
      const mine = [];

      while (sent < most) {
        const nonce = `<${sent++} ${Math.random()}>`;
        const result = await run(client, `
import builtins, os, sys
known = globals().get("known", "") + "${nonce}"
os.environ["KNOWN"] = os.environ.get("KNOWN", "") + "${nonce}"
builtins.known_too = getattr(builtins, "known_too", "") + "${nonce}"
print(known == os.environ["KNOWN"] == known_too, known)
print("${nonce}", file=sys.stderr)`, session ? { session } : {});

        if (session)
          mine.push(nonce);
        all.push(nonce);
        assert.equal(said(result), `True ${session ? mine.join('') : nonce}` +
          `\nstderr:\n${nonce}`);
        assert.equal(about(result)?.call, session ? mine.length : undefined);
        assert.equal(about(result)?.lateBytes ?? 0, 0);
      }
    }

    await Promise.all([lane('one'), lane('two'),
      ...Array.from({ length: 20 }, () => lane())]);
    assert.equal(new Set(all).size, all.length);
    assert.ok(all.length >= most);
  });

test('each call of a session is given the files that it names', async (t) => {
  const { client } = await connect(t, {
    env: { CAISSON_ARGUMENTS: 'code,files,session' } });
  const look = `import os
print({name: open(f"in/{name}").read() for name in sorted(os.listdir("in"))})`;

  for (const name of ['a', 'b'])
    await run(client, `open("out/${name}", "w").write("${name}")`);
  assert.equal(await say(client, 's', `${look}
open("in/a", "w").write("changed")`, { files: ['a'] }), "{'a': 'a'}");
  assert.equal(await say(client, 's', look, { files: ['b'] }),
    "{'a': 'changed', 'b': 'b'}");
  assert.equal(await say(client, 's', `${look}
os.rename("in", "elsewhere")
os.symlink("elsewhere", "in")`, { files: ['a'] }), "{'a': 'a', 'b': 'b'}");
  assert.match(await say(client, 's', look, { files: ['a'] }),
    /already has something of this name/);
});

test('a file that the user removes stays away, unless it changes again',
  async (t) => {
    const home = folder(t);
    const { client } = await connect(t, { home });

    await say(client, 's',
      'for name in "ab": print(name, file=open(f"out/{name}", "w"))');
    for (const name of ['a', 'b'])
      assert.equal(ran({ home, args: ['files', 'remove', name] }).status, 0);
    assert.match(await say(client, 's', 'print("c", file=open("out/b", "w"))'),
      /file: b \(2 bytes, version 2\)$/);
    assert.doesNotMatch(ran({ home, args: ['files', 'list'] }).stdout, /^a /m);
  });

test('no process stays but the one of the code', async (t) => {
  const { client } = await connect(t);
  const ways = [(gate) => gate.start, (gate) => `
import subprocess
subprocess.Popen(["setsid", "sleep", "${gate.seconds}"])`, (gate) => `
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3):
            os.close(fd)
        os.execvp("sleep", ["sleep", "${gate.seconds}"])
    os._exit(0)
os.wait()`, (gate) => `
import os, signal
if os.fork() == 0:
    for number in signal.SIGTERM, signal.SIGHUP, signal.SIGINT:
        signal.signal(number, signal.SIG_IGN)
    while True:
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", "${gate.seconds}"])
        os.wait()`];

  for (const way of ways) {
    const gate = new Gate();

    await say(client, 's', `x = 1\n${way(gate)}\nNone`);
    await until(() => gate.find().length === 0, 'the end of what was left');
    assert.equal(await say(client, 's', 'x'), '1');
  }
});

test('a process that a thread starts between two calls does not stay',
  async (t) => {
    const { client } = await connect(t, threaded);
    const gate = new Gate();

    await say(client, 's', `
import threading
def start():
    while not over.is_set():
        ${gate.wait}
over = threading.Event()
threading.Thread(target=start, daemon=True).start()`);
    await gone([await gate.reached()]);
    await say(client, 's', 'over.set()');
    await until(() => gate.find().length === 0, 'the end of the last');
  });

test('a thread stays, and is told of; its output between calls is counted',
  async (t) => {
    const { client } = await connect(t, threaded);
    let result = await run(client, `
import threading
go, done = threading.Event(), threading.Event()
def print_late():
    go.wait()
    print("late")
    done.set()
threading.Thread(target=print_late, daemon=True).start()`, { session: 's' });

    assert.equal(about(result).threads, 1);
    assert.match(text(result), /; 1 thread still runs$/);
    /* What it prints while code runs is output of that code. */
    assert.equal(await say(client, 's', 'go.set()\nprint(done.wait())'),
      'late\nTrue');
    result = await run(client, `
go.clear()
def print_later():
    while not go.is_set():
        print("later")
threading.Thread(target=print_later, daemon=True).start()
None`, { session: 's' });
    assert.equal(about(result).lateBytes, 0);
    for (let n = 0; n < 10; n++)
      assert.equal(text(await run(client, 'print(1)')), '1');
    /* Though it never pauses, a call ends with its code. */
    result = await run(client, 'None', { session: 's' });
    assert.equal(about(result).threads, 1);
    /* It may have no turn between two calls. */
    result = await until(async () => {
      const next = await run(client, 'None', { session: 's' });

      return about(next).lateBytes > 0 ? next : undefined;
    }, 'output between two calls');
    assert.match(text(result),
      /; output between two calls was dropped \(\d+ bytes?\)$/);
  });

test('what threads use between two calls is counted with the next', once,
  async (t) => {
    const { client, pid } = await connect(t, { env:
      { ...threaded.env, ...unpooled.env } });

    await say(client, 's', `
import threading
over = False
def turn():
    while not over:
        pass
threading.Thread(target=turn, daemon=True).start()`);
    const { pid: code } = parts(pid).code;
    /* Hundredths of a second, of all its threads. */
    const used = () => fs.readFileSync(`/proc/${code}/stat`, 'latin1')
      .split(') ').at(-1).split(' ').slice(11, 13).map(Number)
      .reduce((sum, one) => sum + one);
    const before = used();

    await until(() => used() >= before + 100, 'a second of work');
    const { _meta: meta } = await run(client, 'over = True', { session: 's' });

    assert.ok(meta['caisson/cpuMs'] >= 950, `${meta['caisson/cpuMs']} ms`);
    const next = await run(client, 'None', { session: 's' });

    assert.ok(next._meta['caisson/cpuMs'] < 500);
  });

/* Processes that end */

/* Those of all boxes. */
const boxed = (pid) => descendants(pid)
  .filter((entry) => namespacePids(entry.pid).length > 1);

/* The processes of the only box. */
function parts(pid) {
  const family = descendants(pid);

  return {
    relay: family.find(({ name }) => name.startsWith('relay')),
    init: family.find((entry) => namespacePids(entry.pid).length > 1 &&
      namespacePids(entry.pid).at(-1) === 1),
    code: family.find((entry) => namespacePids(entry.pid).length > 1 &&
      namespacePids(entry.pid).at(-1) === 2),
  };
}

for (const part of ['relay', 'init', 'code'])
  test(`kill -9 of its ${part} ends a session, and no other`, async (t) => {
    const { client, pid } = await connect(t, unpooled);
    const gate = new Gate();

    /* Between two calls. */
    assert.equal(await say(client, 's', 'x = 1'), 'Success (no output)');
    let all = parts(pid);

    process.kill(all[part].pid, 'SIGKILL');
    await reaped(Object.values(all));
    let result = await run(client, '"x" in globals()', { session: 's' });

    assert.equal(said(result), 'False');
    assert.equal(about(result).fresh, true);
    assert.match(text(result), /session: new, as the one before has ended: /);
    /* While a call runs. */
    await say(client, 's', 'x = 2');
    all = parts(pid);
    const running = run(client, `y = 1\n${gate.wait}`, { session: 's' });

    await gate.reached();
    process.kill(all[part].pid, 'SIGKILL');
    result = await running;
    assert.equal(result.isError, true);
    assert.equal(about(result).kept, false);
    assert.match(text(result), /\nsession: .*its state is lost/);
    await gone(Object.values(all));
    assert.equal(await say(client, 's', '"x" in globals()'), 'False');
    assert.equal(await say(client, 's', 'x = 3\nx'), '3');
    assert.equal(await say(client, 's', 'x'), '3');
  });

test('a relay that ends while files are kept takes no result along',
  async (t) => {
    const { client, pid } = await connect(t, unpooled);
    const running = run(client, `
import os
for n in range(60):
    with open(f"/workspace/out/{n}", "wb") as file:
        file.write(os.urandom(1 << 20))
print("made")`, { session: 's' });

    await until(() => descendants(pid).some(({ name }) =>
      name.startsWith('porter')), 'the porter');
    process.kill(parts(pid).relay.pid, 'SIGKILL');
    const result = await running;

    assert.equal(result.isError ?? false, false, text(result));
    assert.match(text(result), /^made\nfile: 0 /);
    assert.match(text(await run(client, 'None', { session: 's' })),
      /session: new, as the one before has ended: /);
  });

test('code that ends its process ends its session', async (t) => {
  const { client } = await connect(t);

  const killed = /^False\nsession: new, as the one before has ended: a signal killed its process$/;

  for (const [code, told, why] of [
    ['import os\nos._exit(3)', /^status: error\nexit: 3\n/,
      /^False\nsession: new, as the one before has ended: its code called runtime\.end_session\(\) or ended its process$/],
    ['import os\nos.kill(os.getpid(), 9)', /SIGKILL/, killed],
    ['import ctypes\nctypes.string_at(0)', /SIGSEGV/, killed],
  ]) {
    await say(client, 's', 'x = 1');
    const result = await run(client, code, { session: 's' });

    assert.match(text(result), told);
    assert.match(text(result), /\nsession: call \d+, (under )?\d+ s old; it has ended: /);
    assert.equal(about(result).kept, false);
    assert.match(text(await run(client, '"x" in globals()', { session: 's' })),
      why);
  }
});

test('code that forges its end answers no later call', async (t) => {
  const { client } = await connect(t);
  const forged = `
import os, threading
from mcp._wire import WIRE
os.write(WIRE.target,
         b'{"type":"ended","program":1,"exit":0,"threads":0}\\n')
threading.Event().wait()`;

  await say(client, 's', forged);
  /* It runs still, in the place of this, until it is interrupted. */
  const result = await run(client, 'print("second")',
    { session: 's', timeout: 1 });

  assert.match(text(result), /^status: timeout\n/);
  assert.equal(about(result).kept, false);
  assert.equal(await say(client, 's', 'print("third")'), 'third');
});

/* Until it is stopped it could be, by what it has left, continued. */
const busy = {
  'leaves threads and processes': `
import os, signal, subprocess, threading
for n in range(3):
    if os.fork() == 0:
        while True:
            os.kill(os.getppid(), signal.SIGCONT)
turns = 0
def turn():
    global turns
    while True:
        turns += 1
threading.Thread(target=turn, daemon=True).start()
None`,
  'forges its end': `
import os
from mcp._wire import WIRE
os.write(WIRE.target,
         b'{"type":"ended","program":1,"exit":0,"threads":0}\\n')
while True:
    pass`,
};

for (const [what, code] of Object.entries(busy))
  test(`a session has no processor between two calls if code ${what}`,
    async (t) => {
      const { client, pid } = await connect(t, unpooled);
      const result = await run(client, code, { session: 's' });

      assert.equal(result.isError ?? false, false, text(result));
      await until(() => boxed(pid).map(({ state }) => state)
        .filter((state) => state !== 'Z').toSorted().join('') === 'ST',
      'the stop of the code, beside its process 1');
      const stays = what.startsWith('leaves');
      const next = await run(client, 'turns > 0',
        { session: 's', timeout: stays ? 60 : 2 });

      if (stays)
        assert.match(text(next), /^True\nsession: [^\n]*; 1 thread is stopped until the next call$/);
      else
        assert.equal(about(next).kept, false);
    });

test('a thread that closes the pipes of its box ends its session',
  async (t) => {
    const { client, pid } = await connect(t, { env:
      { ...threaded.env, ...unpooled.env } });

    /* The process that it waits for is ended between two calls. */
    await say(client, 's', `
import os, threading
def give_away():
    ${new Gate().wait}
    for end in os.listdir("/proc/self/fd"):
        try:
            os.dup2(mine, int(end))
        except OSError:
            pass
    threading.Event().wait()
mine = os.pipe()[0]
threading.Thread(target=give_away, daemon=True).start()`);
    await until(() => boxed(pid).length === 0, 'the end of the box');
    assert.match(text(await run(client, 'None', { session: 's' })),
      /its process ended between two calls$/);
  });

test('code that is stopped goes on with the next call', async (t) => {
  const { client, pid } = await connect(t, unpooled);

  await say(client, 's', 'x = 1');
  /* A thread of it could do that, too. */
  process.kill(parts(pid).code.pid, 'SIGSTOP');
  await until(() => parts(pid).code.state === 'T', 'the stop');
  assert.equal(await say(client, 's', 'x'), '1');
  /* The same while a call runs. */
  const result = await untilLate((timeout) => run(client, `
import os, signal
x = 2
os.kill(os.getpid(), signal.SIGSTOP)
while True:
    pass`, { session: 's', timeout }),
  async () => await say(client, 's', 'x') === '2');

  assert.match(text(result), /^status: timeout\n[^]*state is kept$/);
  assert.equal(await say(client, 's', 'x'), '2');
});

/* What code does to that which keeps its box ends its own session at most. */
const abuses = {
  'sends process 1 every signal': `
import os, signal
for number in signal.valid_signals():
    try:
        os.kill(1, number)
    except OSError:
        pass`,
  'forks between two calls': `
import os, threading, time
def fork():
    while True:
        try:
            if os.fork() == 0:
                time.sleep(1000)
        except OSError:
            pass
threading.Thread(target=fork, daemon=True).start()
None`,
};

test('what code does to its box is no matter to others', async (t) => {
  const { client } = await connect(t);

  for (const [what, code] of Object.entries(abuses)) {
    await t.test(`code that ${what}`, async () => {
      await say(client, 'other', 'x = 1');
      await run(client, code, { session: what, timeout: 5 });
      assert.equal(await say(client, 'other', 'x'), '1');
      assert.equal(text(await run(client, 'print(1)')), '1');
      await run(client, '1', { session: what, timeout: 5 });
      assert.equal(await say(client, 'other', 'x'), '1');
      await run(client, 'import os\nos._exit(0)', { session: what });
      assert.equal(await say(client, what, '1'), '1');
    });
  }
});
