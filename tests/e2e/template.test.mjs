/*
 * Boxes that are forked from a template: they are what boxes are that start an
 * interpreter of their own, each differs from the others where chance is
 * involved, and a template that dies costs no more than what it was doing.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { descendants, gone, owners } from './support/processes.mjs';
import { folder, once, rounds, uid } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { hostile, withServers } from './support/servers.mjs';
import { until } from './support/wait.mjs';

/* How many lists of system calls a box is under: two where it was forked. */
const LISTS = `
print(*[line.split()[1] for line in open("/proc/self/status")
        if line.startswith("Seccomp_filters")])`;

const off = { env: { CAISSON_POOL: '0', CAISSON_TEMPLATE: 'off' } };

function on(more = {}) {
  return { env: { CAISSON_POOL: '0', CAISSON_LOG_LEVEL: 'info', ...more } };
}

async function isForked(raw) {
  return (await raw.printed(LISTS))[0] === '2';
}

/* Returns when boxes are forked. */
async function warm(raw) {
  await until(() => isForked(raw), 'a box that was forked');
}

async function warmed(t, more) {
  const raw = await Raw.open(t, on(more));

  await warm(raw);
  return raw;
}

function processesOf(raw, name) {
  return descendants(raw.pid).filter((entry) => entry.name === name);
}

/* The interpreters of templates; and of boxes, if one is just ending. */
function templates(raw) {
  return descendants(raw.pid).filter(
    (entry) => entry.command.includes('bootstrap.py'));
}

/* That of the template, when no box that was not forked is there any more. */
async function template(raw) {
  return until(() => {
    const found = templates(raw);

    return found.length === 1 && found[0];
  }, 'a template alone');
}

/* What code can find out about its box, that must not depend on its kind. */
const FACTS = `
import gc, locale, os, resource, signal, sys, threading
def status():
    # Those who count what is mapped, or signals on their way (SigQ), and who
    # was there before, do not matter.
    for line in open("/proc/self/status"):
        if line.startswith(("Name", "Umask", "Pid", "PPid", "Uid", "Gid",
                "Groups", "NS", "Threads", "SigP", "SigB", "SigI", "SigC",
                "Shd", "Cap", "NoNew", "Seccomp:", "Cpus")):
            print(line.split())
status()
print(sorted(os.listdir("/proc/self/fd")), sorted(os.listdir("/proc")))
print([os.readlink("/proc/self/fd/%d" % n).split(":")[0] for n in range(3)])
print(open("/proc/self/cmdline").read().split("\\0"))
print(sorted(os.environ.items()), open("/proc/self/environ").read().count("="))
print([(name, resource.getrlimit(getattr(resource, name)))
       for name in sorted(dir(resource)) if name.startswith("RLIMIT")])
print(os.getcwd(), os.getsid(0), os.getpgrp(), os.uname().nodename)
print(sorted(os.listdir("/")), sorted(os.listdir("/dev")), os.listdir("/tmp"))
print(sys.argv, sys.path, sys.flags, sys.executable, sys.prefix)
print([(f.name, f.mode, f.encoding, f.errors, f.line_buffering, f.newlines,
        f.seekable(), f.write_through, f.buffer.raw.name)
       for f in (sys.stdin, sys.stdout, sys.stderr)])
print([(int(n), str(signal.getsignal(n))) for n in signal.valid_signals()
       if signal.getsignal(n) is not None and n != signal.SIGINT])
print(gc.isenabled(), gc.get_threshold(), threading.stack_size(),
      sys.getrecursionlimit(), threading.active_count(), os.cpu_count(),
      threading.current_thread() is threading.main_thread(),
      threading.main_thread().native_id == os.getpid())
print(locale.getlocale(), sys.getswitchinterval(), __name__, sorted(globals()))
print([type(m).__name__ for m in sys.meta_path], len(sys.path_hooks))`;

/* The same in a box that has a holder: a process more, and leave for it. */
function withHolder(facts) {
  return facts.map((line) => line
    .replace("['2', 'self',", "['2', '3', 'self',")
    .replace(/'RLIMIT_NPROC', \((\d+), (\d+)\)/, (all, soft, hard) =>
      `'RLIMIT_NPROC', (${+soft + 1}, ${+hard + 1})`));
}

test('a box is the same whether it was forked or not', async (t) => {
  const forked = await warmed(t);
  const executed = await Raw.open(t, off);

  assert.deepEqual(await forked.printed(FACTS),
    withHolder(await executed.printed(FACTS)));
  assert.deepEqual(await executed.printed(LISTS), ['1']);
  await forked.finish();
  await executed.finish();
});

/*
 * The network namespace of a box, and whether the kernel counts and lists more
 * sockets in it than the two that its launcher and its init may still have.
 */
const NET = `
import os
print(os.readlink("/proc/self/ns/net"))
print(int(open("/proc/self/net/sockstat").readline().split()[2]) > 2,
      len(open("/proc/self/net/unix").readlines()) - 1 > 2)`;

test('boxes have network namespaces of their own, lent to one after another',
  async (t) => {
    const raw = await warmed(t);
    const gate = new Gate();
    const id = raw.postCall(`
import socket
pairs = [socket.socketpair() for _ in range(20)]
${NET}
${gate.wait}`);

    await gate.reached();
    const others = new Set();

    const calls = rounds(15, 40);

    for (let i = 0; i < calls; i++) {
      const [net, sockets] = await raw.printed(NET);

      assert.equal(sockets, 'False False');
      others.add(net);
    }
    gate.open();
    const { structuredContent } = await raw.result(id);
    const [net, sockets] = structuredContent.stdout;

    assert.equal(sockets, 'True True');
    assert.ok(!others.has(net));
    assert.ok(others.size < calls, 'none was used again');
    await raw.finish();
  });

test('the holder of a box holds no more than its memory', async (t) => {
  const raw = await warmed(t);

  assert.deepEqual(await raw.printed(`
import os, signal, subprocess, time
def status(pid):
    return [line for line in open("/proc/%d/status" % pid)
            if line.startswith(("Uid", "Gid", "Cap", "NoNew", "Seccomp"))]
def fields(pid):
    return open("/proc/%d/stat" % pid).read().split()
while fields(3)[1] != "(box-holder)":
    time.sleep(0.001)  # it may not have run yet
print(fields(3)[1], fields(3)[3], os.listdir("/proc/3/fd"))
print(status(3) == status(2))
try:
    print(os.wait())
except ChildProcessError as error:
    print("no child:", error.errno)
def waiting(pid, number):
    return [int(line.split()[1], 16) >> number - 1 & 1
            for line in open("/proc/%d/status" % pid) if line[:6] == "ShdPnd"]
# It is none that a signal to the group would do anything to: it keeps it.
signal.signal(signal.SIGUSR1, lambda *_: print("once"))
os.killpg(0, signal.SIGUSR1)
print(waiting(3, signal.SIGUSR1), subprocess.run(["true"]).returncode)
while fields(3)[2] not in "SI":
    time.sleep(0.001)  # it is as far as to do nothing
os.kill(3, signal.SIGKILL)
while fields(3)[2] != "Z":
    time.sleep(0.001)
print("lives on")`), ["(box-holder) 2 []", 'True', 'no child: 10', 'once',
    '[1] 0', 'lives on']);
  await raw.finish();
});

test('the memory goes when the code becomes another program', async (t) => {
  const raw = await warmed(t, { CAISSON_MEMORY: '128m' });

  assert.deepEqual(await raw.printed(`
import os, sys
much = b"x" * (90 << 20)
os.execv(sys.executable, [sys.executable, "-Ic", """
import time
def ended():
    return open("/proc/3/stat").read().split()[2] == "Z"
while not ended():
    time.sleep(0.001)
much = b"x" * (90 << 20)
time.sleep(0.3)
print(len(much) >> 20)"""])`), ['90']);
  await raw.finish();
});

test('a forked box has the modules that a call of a tool takes', once,
  async (t) => {
    const raw = await warmed(t, withServers(t, { h: hostile() }).env);
    const lines = await raw.printed(`
import inspect, sys
print((await mcp_h.echo(a=1)).data)
print(*sorted({type(module.__spec__.loader).__name__
               for name, module in sys.modules.items()
               if name.startswith("mcp") and module.__spec__}))
print(inspect.getsource(sys.modules["mcp._call"])[:3])`, { servers: ['h'] });

    assert.deepEqual(lines, ["{'a': 1}", 'Loaded', '"""']);
    await raw.finish();
  });

test('numpy draws other numbers in every box', once, async (t) => {
  if (spawnSync('/usr/bin/python3', ['-I', '-c', 'import numpy']).status) {
    t.skip('numpy is not installed');
    return;
  }
  const raw = await warmed(t, {
    CAISSON_PRELOAD: 'numpy', CAISSON_MEMORY: '512m',
  });
  const seen = new Set();

  for (let i = 0; i < rounds(4, 20); i++) {
    const [loaded, ...lines] = await raw.printed(`
import sys
print("numpy" in sys.modules)
import numpy as np
print(np.random.random())
print(np.random.default_rng().random())
print(float(np.ones((200, 200)).dot(np.ones((200, 200))).sum()) == 8e6)`);

    assert.equal(loaded, 'True');
    assert.equal(lines[2], 'True');
    seen.add(lines[0]).add(lines[1]);
  }
  assert.equal(seen.size, 2 * rounds(4, 20));
  await raw.finish();
});

/* Handlers of forks that boxes themselves are forked without. */
const HANDLERS = `
import logging, os, threading
def forked(told):
    pid = os.fork()
    if pid == 0:
        os._exit(told())
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
held = threading.Event()
def hold():
    with threading._active_limbo_lock:
        held.set()
        threading.Event().wait()
threading.Thread(target=hold, daemon=True).start()
held.wait()
def told():
    thread = threading.Thread(target=print, args=("thread",))
    thread.start()
    thread.join()
    logging.getLogger().error("told")
    return threading.active_count()
print(forked(told), flush=True)
os._exit(0)`;

test('locks that a thread of the code held are free after a fork', async (t) => {
  const forked = await warmed(t);
  const executed = await Raw.open(t, off);
  const expected = ['thread', '1'];

  assert.deepEqual(await forked.printed(HANDLERS), expected);
  assert.deepEqual(await executed.printed(HANDLERS), expected);
  await forked.finish();
  await executed.finish();
});

test('a module that cannot be loaded is named, and boxes go on', async (t) => {
  for (const [preload, words] of [
    ['json,nunpy', /'nunpy' cannot be imported: ModuleNotFoundError/],
    ['antigravity.x', /'antigravity.x' cannot be imported/],
  ]) {
    const raw = await Raw.open(t, on({ CAISSON_PRELOAD: preload }));

    await until(async () => {
      assert.deepEqual(await raw.printed('print(1)'), ['1']);
      return words.test(raw.errors);
    }, () => `a sentence, not: ${raw.errors}`);
    assert.equal(await isForked(raw), false);
    raw.errors = '';
    await raw.finish();
  }
});

test('a template that is killed is replaced; its boxes live on', async (t) => {
  const raw = await warmed(t);
  const before = await template(raw);
  const gate = new Gate();
  const id = raw.postCall(`${gate.wait}\nprint("alive")`, { timeout: 100 });

  await gate.reached();
  process.kill(before.pid, 'SIGKILL');
  await gone([before]);
  assert.deepEqual(await raw.printed('print(1)'), ['1']);
  await warm(raw);
  gate.open();
  assert.match((await raw.result(id)).content[0].text, /alive/);
  await raw.finish();
});

test('a template that is stopped is replaced, and no call waits long for it',
  async (t) => {
    const raw = await warmed(t);
    const before = await template(raw);

    process.kill(before.pid, 'SIGSTOP');
    for (const printed of await Promise.all([1, 2, 3, 4, 5, 6].map(
      (value) => raw.printed(`print(${value})`, { timeout: 100 }))))
      assert.equal(printed.length, 1);
    await gone([before]);
    await warm(raw);
    await raw.finish();
  });

/* What ends the process group of one box must not end any other process. */
test('no box is in the process group of another, or of the template',
  async (t) => {
    const raw = await warmed(t);
    const shared = [
      await template(raw), ...processesOf(raw, 'template-init')];
    const gates = [new Gate(), new Gate()];
    const ids = gates.map((gate) => raw.postCall(gate.wait, { timeout: 100 }));

    await Promise.all(gates.map((gate) => gate.reached()));
    await until(() => processesOf(raw, 'box-init').length === 2,
      'the end of the boxes before');
    const boxes = processesOf(raw, 'box-init');
    const group = ({ pid }) => fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/.*\) /, '').split(' ')[2];

    assert.equal(new Set(boxes.map(group)).size, 2);
    assert.ok(boxes.every((box) =>
      shared.every((other) => group(other) !== group(box))));
    gates.forEach((gate) => gate.open());
    await Promise.all(ids.map((id) => raw.result(id)));
    await raw.finish();
  });

test('with the init of a template its boxes end, each with an error',
  async (t) => {
    const raw = await warmed(t);
    const gate = new Gate();
    const id = raw.postCall(gate.wait, { timeout: 100 });

    // A box that has no code yet would only be replaced.
    await gate.reached();
    process.kill(processesOf(raw, 'template-init')[0].pid, 'SIGKILL');
    const result = await raw.result(id);

    assert.equal(result.isError, true);
    assert.match(result.content[0].text, /SIGKILL/);
    assert.deepEqual(await raw.printed('print(1)'), ['1']);
    await warm(raw);
    await raw.finish();
  });

test('a template may be killed at any moment', async (t) => {
  const raw = await warmed(t);

  for (let i = 0; i < 20; i += rounds(3, 1)) {
    const calls = Array.from({ length: 4 }, () => raw.run('print("here")'));
    const victims = [...processesOf(raw, 'template-init'), ...templates(raw)];

    await new Promise((resolve) => setTimeout(resolve, i % 10));
    if (victims.length > 0)
      try {
        process.kill(victims[i % victims.length].pid, 'SIGKILL');
      } catch (error) {
        assert.equal(error.code, 'ESRCH');
      }
    for (const result of await Promise.all(calls)) {
      if (result.isError)
        assert.match(result.content[0].text, /killed|box|exited/);
      else
        assert.equal(result.content[0].text, 'here');
    }
  }
  assert.deepEqual(await raw.printed('print(1)'), ['1']);
  await raw.finish();
});

/* A virtual environment in a folder that everybody can read. */
function environment(t, above) {
  const python = path.join(above, 'venv');

  fs.mkdirSync(path.join(python, 'bin'), { recursive: true });
  fs.chmodSync(above, 0o755);
  fs.symlinkSync('/usr/bin/python3', path.join(python, 'bin', 'python3'));
  fs.writeFileSync(path.join(python, 'pyvenv.cfg'), 'home = /usr/bin\n');
  return python;
}

test('an interpreter in a place of the box has no template', async (t) => {
  const python = environment(t, folder(t));
  const raw = await Raw.open(t, on({ CAISSON_PYTHON: python }));

  await until(async () => {
    assert.deepEqual(await raw.printed('import sys; print(sys.prefix)'),
      [python]);
    return /lies in \/tmp, as .*venv does/.test(raw.errors);
  }, () => `a sentence, not: ${raw.errors}`);
  assert.equal(await isForked(raw), false);
  raw.errors = '';
  await raw.finish();
});

test('another interpreter on disk is another template', once, async (t) => {
  const above = fs.mkdtempSync('/var/tmp/caisson-e2e-');
  t.after(() => fs.rmSync(above, { recursive: true, force: true }));
  const python = environment(t, above);
  const raw = await warmed(t, { CAISSON_PYTHON: python });
  const before = await template(raw);

  assert.deepEqual(await raw.printed('import sys; print(sys.prefix)'),
    [python]);
  fs.appendFileSync(path.join(python, 'pyvenv.cfg'), 'prompt = new\n');
  assert.equal(await isForked(raw), false);
  await gone([before]);
  await warm(raw);
  await raw.finish();
});

/* The memory that code can write to, searched for its user on the host. */
const SEARCH = `
import array, re
def found(first, after):
    memory = open("/proc/self/mem", "rb", 0)
    numbers = set()
    for line in open("/proc/self/maps"):
        place, mode = line.split()[:2]
        if mode.startswith("rw"):
            start, end = (int(part, 16) for part in place.split("-"))
            memory.seek(start)
            part = memory.read(end - start)
            texts = map(int, re.findall(rb"\\b[0-9]{10}\\b", part))
            for values in texts, array.array("I", part):
                numbers.update(n for n in values if first <= n < after)
    return numbers
`;

test('code does not find its user on the host in its memory', {
  skip: uid === 0 ? false : 'boxes of an ordinary user have no other users',
}, async (t) => {
  const raw = await warmed(t, { CAISSON_MAX_OUTPUT: '16m' });
  const gate = new Gate();
  /* All numbers in which users of boxes are: its own is not known here. */
  const id = raw.postCall(`${SEARCH}
${gate.wait}
print(*found(0x7000 << 16, 0x8000 << 16))`);

  const { parent } = await gate.reached();
  const [user] = owners(parent);

  assert.ok(user >= 0x7000 << 16 && user < 0x7fffffff, `${user}`);
  gate.open();
  const result = await raw.result(id);
  const numbers = result.content[0].text.split(' ');

  assert.ok(!result.isError && !result.structuredContent.truncated);
  assert.ok(!numbers.includes(`${user}`), `${user} among ${numbers.length}`);
  await raw.finish();
});
