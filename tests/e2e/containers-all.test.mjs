/*
 * Calls in containers, by a real podman and a real docker: they are as those in
 * native boxes, and whatever ends first, no container is left.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { gone, goneNamed, hideLocks, isListed, isThere, named, nameOf,
  oddSettingsOf, program, rootFolder, settingsOf, skipped, volumeSettingsOf }
  from './support/containers.mjs';
import { links, text } from './support/files.mjs';
import { notKept, toldMissing } from './support/kept.mjs';
import { descendants, processes } from './support/processes.mjs';
import { commandLine, folder, ran, usually } from './support/program.mjs';
import { connect, run } from './support/sdk.mjs';
import { said } from './support/tokens.mjs';
import { until } from './support/wait.mjs';

usually();

hideLocks();

const meta = (result, name) => result._meta[`caisson/${name}`];

/* A program with that runtime, whose containers are gone when it has ended. */
async function open(t, runtime, env = {}, more = {}) {
  /* Beside other work an engine and what it starts are slow. */
  const settings = { CAISSON_POOL: '0', CAISSON_TIMEOUT: '100',
    ...settingsOf(runtime), ...env };

  return connect(t, { ...more, env: { ...more.env, ...settings } });
}

/* Runs a command of the program. */
function command(t, env, ...args) {
  return ran({ args, env, home: folder(t) });
}

/* What the program says that does not start with these settings. */
function refusal(t, env, more = {}) {
  const done = ran({ ...more, env, home: folder(t) });

  assert.notEqual(done.status, 0, done.stderr);
  return done.stderr;
}

/* The keepers of containers below the program. */
const keepers = (pid) => descendants(pid)
  .filter(({ name }) => name.startsWith('keeper'));

/* Code that runs until it is killed, in one of these programs. */
const sleeping = (n) => `import subprocess
open("/workspace/out/a", "w").write("x")
subprocess.run(["sleep", "98${n}"])`;

/* Whether that code has begun: docker's is not below the program. */
const sleeps = (n) => processes()
  .some(({ command }) => command === `sleep 98${n}`);

/* Starts that code. Returns how to wait for its end, whatever that is. */
async function sleepIn(client, n) {
  const result = run(client, sleeping(n)).catch((error) => error);

  await until(() => sleeps(n), 'its code');
  return () => result;
}

/* An engine whose client goes on after its container while it is held. */
function slowEngine(t, runtime) {
  const place = folder(t);
  const name = path.join(place, runtime);
  const held = path.join(place, 'held');

  fs.writeFileSync(name, `#!/bin/sh
${program(runtime)} "$@"
status=$?
case " $* " in
*" run "*) while [ -e ${held} ]; do sleep 0.1; done ;;
esac
exit $status
`, { mode: 0o755 });
  return { path: name, hold: () => fs.writeFileSync(held, ''),
    release: () => fs.rmSync(held) };
}

for (const runtime of ['podman', 'docker']) {
  const options = { skip: skipped[runtime] };

  /*
   * Each start of a program costs containers, so one has all these calls; some
   * at once, as they wait for deadlines.
   */
  test(`${runtime}: calls`, { ...options, concurrency: true }, async (t) => {
    const { client, pid } = await open(t, runtime,
      { CAISSON_ARGUMENTS: 'code,timeout,files,conversationId' });

    /* The first answer tells what is missing. */
    await t.test('output, status, files and isolation', async () => {
      let result = await run(client, `
import os, sys
print("out", os.getuid(), flush=True)
os.system("echo child")
print("err", file=sys.stderr)
open("/workspace/out/a.txt", "w").write("kept")
sys.exit(3)`);

      assert.equal(result.isError, true);
      assert.equal(meta(result, 'exitCode'), 3);
      assert.equal(meta(result, 'isolation').runtime, runtime);
      assert.deepEqual(meta(result, 'isolation').missing, notKept());
      assert.deepEqual(result.structuredContent.stdout,
        ['out 65534', 'child']);
      assert.deepEqual(result.structuredContent.stderr, ['err']);
      assert.equal(links(result)[0].size, 4);
      result = await run(client, 'import os\nos.kill(os.getpid(), 11)');
      assert.equal(meta(result, 'signal'), 'SIGSEGV');
    });
    await Promise.all([
      t.test('earlier files are its own, and only it can read them',
        async () => {
          const result = await run(client, `
import os
open("/workspace/out/own.txt", "w").write("kept")
os.chmod("/workspace/out/own.txt", 0o600)`);

          assert.equal(links(result)[0].size, 4);
          assert.equal(text(await run(client, `
import os
given = os.stat("in/own.txt")
print(given.st_uid == os.getuid(), open("in/own.txt").read())
open("in/own.txt", "a").write("!")`, { files: ['own.txt'] })).split('\n')[0],
          'True kept');
        }),

      t.test('limits of time and memory', async () => {
        let result = await run(client, 'while True: pass', { timeout: 1 });

        assert.equal(meta(result, 'status'), 'timeout');
        result = await run(client, 'x = bytearray(1 << 30)', { timeout: 100 });
        assert.match(text(result), /ran out of memory/);
      }),

      t.test('conversations find their files', async () => {
        const of = (conversationId, more) => ({ conversationId, ...more });
        let result = await run(client, `
import os
with open("/data/a.txt", "w") as file: file.write("one")
with open("/data/run", "w") as file: file.write("#!/bin/sh")
os.chmod("/data/a.txt", 0o600)
os.chmod("/data/run", 0o755)
try: os.execv("/data/run", ["run"])
except PermissionError: print("noexec")`, of('talk'));

        assert.equal(text(result), 'noexec\nfile: /data/a.txt (3 bytes)\n' +
          'file: /data/run (9 bytes)');
        result = await run(client, `
import os, time
print(sorted(os.listdir("/data")), open("/data/a.txt").read())
os.remove("/data/run")
open("/data/a.txt", "a").write("two")
time.sleep(100)`,
        of('talk', { timeout: 15 }));
        assert.equal(meta(result, 'status'), 'timeout');
        assert.match(text(result), /\['a.txt', 'run'\] one/);
        assert.match(text(result),
          /file: \/data\/a.txt \(6 bytes, version 2\)/);
        for (const [id, files] of [['talk', "['a.txt']"], ['other', '[]'],
          [undefined, '[]']])
          assert.equal(text(await run(client,
            'import os\nprint(os.listdir("/data"))', of(id))), files);
      }),
    ]);
    await until(() => keepers(pid).length === 0, 'the end of all calls');
    const ofContainers = () => keepers(pid);
    const relays = () => descendants(pid)
      .filter(({ name }) => name.startsWith('relay'));

    for (const [n, whose, victims] of [
      [5, 'the keeper of a container', ofContainers],
      [6, 'the relay', relays],
    ])
      await t.test(`no container outlives ${whose}`, async () => {
        const result = await sleepIn(client, n);
        const [victim] = await until(() => ofContainers().length === 1 &&
          victims().length === 1 && victims(), 'its keeper and relay');

        process.kill(victim.pid, 'SIGKILL');
        await result();
        await until(() => ofContainers().length === 0, 'its end');
        await gone(runtime, pid);
      });

    /* Process 1 ends by itself, with a status of its own, without its pipes. */
    await t.test('its client is killed while the code prints', async () => {
      let result;

      await new Promise((prints) => {
        result = run(client, `import time
while True:
    print("on", flush=True)
    time.sleep(0.001)`, { timeout: 100 }, { onprogress: prints });
      });
      /* One of an earlier container may not have ended yet. */
      const [found] = await until(() => {
        const all = descendants(pid)
          .filter(({ name }) => name === runtime);

        return all.length === 1 && all;
      }, () => `one client: ${JSON.stringify(descendants(pid))}`);

      process.kill(found.pid, 'SIGKILL');
      result = await result;
      assert.equal(meta(result, 'exitCode'), undefined, text(result));
      assert.match(text(result), /SIGKILL/);
    });
    await client.close();
    await gone(runtime, pid);
  });

  test(`${runtime}: directories are empty and writable in any image`, options,
    async (t) => {
      const { client } = await open(t, runtime, { ...oddSettingsOf(runtime),
        CAISSON_ARGUMENTS: 'code,conversationId' });
      let result = await run(client, `
import os
for place in "/tmp", "/workspace", "/workspace/out", "/data":
    print(sorted(os.listdir(place)))
    open(place + "/new", "w").close()`, { conversationId: 'odd' });

      assert.equal(text(result), "['run_python.py']\n['out']\n[]\n[]\n" +
        'file: new (0 bytes)\nfile: /data/new (0 bytes)');
      if (runtime !== 'podman')
        return;
      /* It would be a directory of the host, without a limit. */
      result = await run(client, `
import os
print(os.path.ismount("/volume"))
open("/volume/a", "w")`);
      assert.deepEqual(result.structuredContent.stdout, ['False']);
      assert.match(text(result), /Read-only file system/);
    });

  test(`${runtime}: a result does not wait for the client of the engine`,
    options, async (t) => {
      const slow = slowEngine(t, runtime);
      const { client, pid } = await open(t, runtime,
        { CAISSON_RUNTIME: slow.path });

      slow.hold();
      let result = await run(client,
        'print("kept")\nopen("/workspace/out/a", "w").write("file")');

      assert.deepEqual(result.structuredContent.stdout, ['kept']);
      assert.equal(links(result)[0].size, 4);
      result = await run(client, 'raise SystemExit(7)');
      assert.equal(meta(result, 'exitCode'), 7);
      slow.release();
      for (const [code, signal] of [['os.kill(os.getpid(), 11)', 'SIGSEGV'],
        ['os.kill(os.getpid(), 9)', 'SIGKILL'],
        ['os.kill(os.getppid(), 9)', 'SIGKILL']]) {
        result = await run(client, `import os\n${code}`);
        assert.equal(meta(result, 'signal'), signal);
      }
      /* The last one was process 1, or its report. */
      assert.match(text(result), /SIGKILL, and nothing tells why: it may have run out of memory \(limit 512 MiB/);
      await client.close();
      await gone(runtime, pid);
      await until(() => keepers(pid).length === 0, 'the end of the keepers');
    });

  /*
   * Three programs end so that something of them is left, one goes on with a
   * container that waits, and then another one is started.
   */
  test(`${runtime}: what other programs leave and use`, options, async (t) => {
    const one = await open(t, runtime, { CAISSON_POOL: '1' });
    const waits = await named(runtime, one.pid);
    const killed = await open(t, runtime);
    /* docker's container is not in the namespace of its client. */
    const inside = await open(t, runtime, {}, { under: ['unshare', '--pid',
      '--fork', '--mount-proc'] });
    const ends = [await sleepIn(killed.client, 7),
      await sleepIn(inside.client, 8)];

    const keeper = await until(() => {
      const found = keepers(killed.pid);

      return found.length === 1 && found[0];
    }, 'its keeper');
    const family = descendants(inside.pid);
    /* In there it is process 1, and all others die with it. */
    const first = family.find(({ parent }) => parent === inside.pid);
    const [name] = family.map(({ command: line }) =>
      /caisson-[0-9a-f-]{36}\.\d+\.1\.\d+\.\d+/.exec(line)?.[0])
      .filter((found) => found !== undefined);

    assert.ok(isThere(runtime, name), name);
    process.kill(keeper.pid, 'SIGSTOP');
    process.kill(killed.pid, 'SIGKILL');
    process.kill(keeper.pid, 'SIGKILL');
    process.kill(first.pid, 'SIGKILL');
    for (const end of ends)
      await end();
    assert.ok(isThere(runtime, name), name);
    const left = await named(runtime, killed.pid);

    assert.ok(isListed(runtime, left));
    const other = await open(t, runtime);

    await t.test('the next program removes what was left',
      () => gone(runtime, killed.pid));
    await t.test('also what was left in a namespace of processes',
      () => goneNamed(runtime, name));
    await t.test('it leaves what is in use alone', async () => {
      assert.equal(text(await run(other.client, 'print(2)')), '2');
      assert.ok(isListed(runtime, waits));
      assert.equal(text(await run(one.client, 'print(3)')), '3');
    });
    await t.test('no container outlives the program', async () => {
      const end = await sleepIn(other.client, 9);

      process.kill(other.pid, 'SIGKILL');
      await end();
      await gone(runtime, other.pid);
    });
  });

  test(`${runtime}: isolation is never reduced`, options, async (t) => {
    const weak = { CAISSON_ALLOW_WEAK_ISOLATION: 'on' };
    const without = { withoutNamespaces: true };

    /* The daemon of docker is not below the program, and makes them. */
    if (runtime !== 'docker') {
      const settings = { ...settingsOf(runtime), ...weak };

      /* podman makes its storage when it is first asked: that must not fail. */
      assert.ok(!isListed(runtime, 'none'));
      assert.match(refusal(t, settings, without),
        /could not (run a container|describe the image [^ ]+): .*not permitted/);
      return;
    }
    const { client } = await open(t, runtime, weak, without);

    assert.equal(meta(await run(client, '1'), 'isolation').level, 'full');
  });

  test(`${runtime}: the selftest says what containers keep`, options, (t) => {
    const done = command(t, settingsOf(runtime), 'selftest', '-v');

    assert.equal(done.status, 0, done.stderr);
    for (const name of ['no network', 'seccomp', 'limit on memory'])
      assert.match(done.stdout, new RegExp(`^ok    ${name} `, 'm'));
    assert.match(done.stdout,
      new RegExp(`containers of ${runtime} keep.*Native boxes keep more`));
    assert.deepEqual(toldMissing(done.stdout), notKept());
  });

  test(`${runtime}: an image that is not there`, options, (t) => {
    const settings = { ...settingsOf(runtime),
      CAISSON_IMAGE: 'localhost/nosuch:9' };
    const said = refusal(t, settings);

    assert.match(said, /the image localhost\/nosuch:9 does not exist here: /);
    assert.equal(refusal(t, settings, { args: ['config', 'check'] })
      .replace(/ in \S+: /, ' in X: '), said.replace(/ in \S+: /, ' in X: '));
  });
}

test('docker: an image with a volume that code can write to is refused', {
  skip: skipped.docker,
}, async (t) => {
  assert.match(ran(
    { args: ['--selftest'], env: volumeSettingsOf(), home: folder(t) }).stderr,
    /its volumes are writable; use an image without volumes/);
});

/* Runs as an ordinary user, who exists and has a range of users only here. */
const asOrdinary = `
at=$1; shift
for each in passwd group subuid subgid; do
    mount --bind "$at/$each" "/etc/$each" || exit 99
done
exec setpriv --reuid 61234 --regid 61234 --clear-groups "$@"`;

test('podman of an ordinary user: limits that it ignores are refused', {
  skip: skipped.podman ||
    (spawnSync('sh', ['-c', 'command -v newuidmap && command -v newgidmap'])
      .status === 0 ? false : 'needs newuidmap') ||
    (fs.existsSync('/sys/fs/cgroup/cgroup.controllers') ?
      'cgroups of version 2 can be delegated' : false),
}, (t) => {
  const at = folder(t);
  const put = (name, words) =>
    fs.writeFileSync(path.join(at, name), words, { mode: 0o644 });
  const env = { ...settingsOf('podman'), PATH: process.env.PATH,
    HOME: path.join(at, 'home'), XDG_RUNTIME_DIR: path.join(at, 'run'),
    CONTAINERS_STORAGE_CONF: path.join(at, 'storage.conf') };
  const use = (...words) => spawnSync('unshare', ['--mount', 'sh', '-c',
    asOrdinary, 'sh', at, ...words], { encoding: 'utf8', env, input: '' });

  fs.chmodSync(at, 0o755);
  for (const name of ['home', 'run']) {
    fs.mkdirSync(path.join(at, name), { mode: 0o700 });
    fs.chownSync(path.join(at, name), 61234, 61234);
  }
  put('passwd', `tester:x:61234:61234::${env.HOME}:/bin/sh\n`);
  put('group', 'tester:x:61234:\n');
  put('subuid', 'tester:200000:65536\n');
  put('subgid', 'tester:200000:65536\n');
  put('storage.conf', `[storage]\ndriver="vfs"\n` +
    `runroot="${env.XDG_RUNTIME_DIR}/c"\ngraphroot="${env.HOME}/graph"\n`);
  spawnSync('tar', ['-C', rootFolder(), '-cf',
    path.join(at, 'tar'), '.']);
  const imported = use('podman', 'import', path.join(at, 'tar'),
    env.CAISSON_IMAGE);

  if (imported.status !== 0) {
    t.skip(`podman of an ordinary user does not run: ${imported.stderr}`);
    return;
  }
  if (use(...commandLine({ args: ['--version'], env })).status !== 0) {
    t.skip('the user cannot start the program');
    return;
  }
  assert.match(use(...commandLine({ env, home: env.HOME })).stderr,
    /podman does not isolate a container here: the number of its processes is not limited; run Caisson as root, or, with version 2 of cgroups, delegate/);
});

test('podman: waiting containers are removed when no call comes', {
  skip: skipped.podman,
}, async (t) => {
  const { client, pid } = await open(t, 'podman', { CAISSON_POOL: 'auto',
    CAISSON_RUNTIME_IDLE_TIMEOUT: '1' });

  /* It may be removed before it is seen: then another call has one made. */
  await until(async () => {
    await run(client, 'print(1)');
    return nameOf('podman', pid);
  }, 'a container');
  await gone('podman', pid);
  /* The next call has one all the same. */
  assert.equal(text(await run(client, 'print(2)')), '2');
});

test('podman: there are no sessions', { skip: skipped.podman }, async (t) => {
  const { client, log } = await open(t, 'podman',
    { CAISSON_ARGUMENTS: 'code,session' });

  await said(log, /containers have no sessions: calls with .* are refused/);
  assert.match(text(await run(client, 'print(1)', { session: 'a' })),
    /containers have no sessions: leave out the argument session, or set CAISSON_RUNTIME=native/);
  assert.equal(text(await run(client, 'print(1)')), '1');
});

test('podman: settings that a container cannot have are named', {
  skip: skipped.podman,
}, async (t) => {
  const { client, log } = await open(t, 'podman', { CAISSON_SHELL: '/no/shell',
    CAISSON_PRELOAD: 'json', CAISSON_PYTHON: '/no/python',
    CAISSON_TOOLS: 'run_code' });

  for (const [language, code] of [['shell', 'echo $0'],
    ['python', 'print("a")']])
    assert.equal((await client.callTool({ name: 'run_code',
      arguments: { language, code } })).isError, false);
  for (const name of ['SHELL', 'PRELOAD', 'PYTHON'])
    await said(log, new RegExp(`CAISSON_${name} has no effect in containers`));
});

/* The program must not block this process, which serves the registry. */
function imageCommand(t, env, ...args) {
  const [name, ...rest] = commandLine({ args: ['image', ...args], env,
    home: folder(t) });
  const program = spawn(name, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';

  program.stdout.on('data', (bytes) => { said += bytes; });
  return new Promise((resolve) => {
    program.once('close', (status) => resolve({ status, said }));
  });
}

const packages = spawnSync('mmdebstrap', ['--version']).status === 0 ? false :
  'needs mmdebstrap';

test('podman: an image of Python is built from packages', {
  skip: skipped.podman || packages,
}, async (t) => {
  const env = { ...settingsOf('podman'), PATH: process.env.PATH };
  const done = await imageCommand(t, env, 'build', 'python', '--package',
    'python3-numpy');

  assert.equal(done.status, 0);
  const { client } = await open(t, 'podman',
    { CAISSON_IMAGE: 'caisson-python' });

  assert.equal(text(await run(client,
    'import numpy\nprint(numpy.dot([1, 2], [3, 4]))')), '11');
});
