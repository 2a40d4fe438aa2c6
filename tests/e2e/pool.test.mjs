/*
 * Boxes that wait for a call: each is used once, none is used that is not as
 * it should be, and none outlives the program.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import {
  childless, childrenEver, descendants, describe, engines, family, gone,
  namespacePids, processOf,
} from './support/processes.mjs';
import {
  contained, folder, nativeOnly, once, reduced, root, rounds,
} from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { hostile, withServers } from './support/servers.mjs';
import { until } from './support/wait.mjs';

/* The processes of boxes where those are containers. */
function containedParts(family) {
  const bootstraps = new Map(family
    .filter(({ command }) => /^python3 .*\/three\.py$/.test(command))
    .map((entry) => [entry.pid, entry]));

  return {
    keeper: family.filter(({ name }) => name.startsWith('keeper')),
    engine: engines(family),
    init: family.filter(({ pid }) => namespacePids(pid).length > 1 &&
      namespacePids(pid).at(-1) === 1),
    /* The bootstrap starts the code as another process of its kind. */
    code: [...bootstraps.values()]
      .filter(({ parent }) => bootstraps.has(parent)),
  };
}

/* The processes of boxes that stand, by what they are. */
function waiting(pid) {
  const family = descendants(pid).filter((entry) => entry.size > 0);

  return {
    relay: family.filter((entry) => entry.command.startsWith('caisson: relay')),
    ...(contained ? containedParts(family) : {
      init: family.filter((entry) => entry.name === 'box-init'),
      code: family.filter((entry) => entry.command.includes('bootstrap.py')),
    }),
    all: family,
  };
}

/* Whether these are boxes and nothing else; of containers, at most more. */
function areWhole({ keeper, all }, count) {
  return contained ? keeper.length === count : all.length === 3 * count;
}

/* Waits until exactly so many boxes wait, and nothing else is there. */
async function filled(raw, count) {
  return until(() => {
    const parts = waiting(raw.pid);
    const { relay, init, code } = parts;

    return relay.length === count && init.length === count &&
      code.length === count && areWhole(parts, count) &&
      code.every((entry) => entry.state === 'S') && parts;
  }, () => `${count} boxes to wait, not ${describe(descendants(raw.pid))}`);
}

/* Waits until the program has taken note of their ends. */
async function reaped(entries) {
  await until(() => entries.every(({ pid, started }) =>
    processOf(pid)?.started !== started), 'ends to be noticed');
}

/* One may end with another one. */
function killAll(entries) {
  for (const { pid } of entries) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      assert.equal(error.code, 'ESRCH');
    }
  }
}

function pool(size, more = {}) {
  return {
    ...more,
    env: {
      CAISSON_POOL: String(size), CAISSON_TEMPLATE: 'off', ...more.env,
    },
  };
}

test('the pool begins when a client is there', async (t) => {
  const raw = Raw.start(t, pool('auto'));

  await raw.ping();
  /* A container was tried at the start. */
  if (contained) {
    await childless(raw.pid);
  } else {
    assert.deepEqual(descendants(raw.pid), []);
    assert.equal(childrenEver(raw.pid), 0);
  }
  await raw.initialize();
  await filled(raw, 1);
  await raw.finish();
});

test('every call has a box of its own', async (t) => {
  const raw = await Raw.open(t, pool(3));
  const seen = new Set();

  for (let i = 0; i < rounds(4, 12); i++) {
    const { code } = await filled(raw, 3);
    const [found, identity] = await raw.printed(`
import builtins, glob, os, sys, tempfile
places = ["/tmp", "/workspace", "/dev/shm"]
print([glob.glob(place + "/left*") for place in places],
    hasattr(builtins, "left"), "left" in os.environ, len(sys.path))
for place in places:
    open(place + "/left", "w").close()
builtins.left = os.environ["left"] = "behind"
sys.path.append("/left")
print(os.stat("/tmp").st_dev, os.stat("/proc/self/ns/pid").st_ino)`);

    seen.add(identity);
    seen.first ??= found;
    assert.match(found, /^\[\[\], \[\], \[\]\] False False/);
    assert.equal(found, seen.first);
    /* One of those that waited is gone, the others wait on. */
    await filled(raw, 3);
    const left = waiting(raw.pid).code.map((entry) => entry.pid);

    assert.equal(code.filter((entry) => left.includes(entry.pid)).length, 2);
  }
  await raw.finish();
});

test('a language in use has a share', nativeOnly('the shell'), async (t) => {
  const raw = await Raw.open(t, pool(2, {
    env: { CAISSON_TOOLS: 'run_python,run_code' },
  }));
  const shell = () => raw.result(raw.post('tools/call', {
    name: 'run_code', arguments: { language: 'shell', code: 'echo it' },
  }));
  const { init } = await filled(raw, 2);

  await shell();
  const box = await until(() => {
    const parts = waiting(raw.pid);

    return parts.relay.length === 2 && parts.code.length === 1 &&
      areWhole(parts, 2) && parts.init.find(({ pid }) =>
      !init.some((entry) => entry.pid === pid));
  }, 'a box of each language to wait');

  assert.deepEqual((await shell()).structuredContent.stdout, ['it']);
  await gone([box]);
  await raw.finish();
});

test('a box that ended while it waited is not used', {
  skip: root ? false : 'only root can end processes of other users',
}, async (t) => {
  const raw = await Raw.open(t, pool(2));

  for (const role of ['relay', 'init', 'code',
    ...(contained ? ['keeper', 'engine'] : [])]) {
    await t.test(`the ${role} of all`, async () => {
      const family = await filled(raw, 2);

      killAll(family[role]);
      /*
       * The kernel ends the code with its init, a moment later. The end of code
       * in a container is known when it has passed the engine.
       */
      await reaped(contained ? [...family[role], ...family.keeper] :
        role === 'init' ? [...family.init, ...family.code] : family[role]);
      assert.deepEqual(await raw.printed('print("unhurt")'), ['unhurt']);
      await gone(family.all);
    });
    await t.test(`the ${role} of all, while a call comes`, async () => {
      const family = await filled(raw, 2);

      killAll(family[role]);
      for (let i = 0; i < 2; i++) {
        const { isError, structuredContent } =
          await raw.run('print("unhurt")');

        /* It may have been alive still, and had the code. */
        if (isError)
          assert.match(structuredContent.error,
            /SIGKILL|the relay .* exited/);
      }
      assert.deepEqual(await raw.printed('print("next")'), ['next']);
      await gone(family.all);
    });
  }
  await t.test('a launcher', nativeOnly('launchers'), async () => {
    for (let i = 0; i < rounds(3, 10); i++) {
      const id = raw.postCall('print("first")');
      const launcher = await until(() => descendants(raw.pid).find((entry) =>
        entry.command.startsWith('caisson: box[') &&
        entry.name !== 'box-init') ?? raw.has(id), 'a launcher');

      if (launcher !== true)
        killAll([launcher]);
      const { isError, structuredContent } = await raw.result(id);

      /* Unless it was that of this call. */
      if (isError)
        assert.match(structuredContent.error,
          new RegExp('while it was built|its launcher was killed by SIGKILL|' +
            'before it received the code'));
      assert.deepEqual(await raw.printed('print("next")'), ['next']);
    }
  });
  await filled(raw, 2);
  await raw.finish();
});

test('another interpreter on disk needs other boxes', {
  skip: once.skip || nativeOnly('an interpreter of the host').skip,
}, async (t) => {
  const place = folder(t);
  const venv = path.join(place, 'venv');
  const write = (version) => {
    const config = path.join(venv, 'pyvenv.cfg');

    fs.writeFileSync(`${config}.new`,
      `home = /usr/bin\nversion = ${version}\n`);
    fs.chmodSync(`${config}.new`, 0o644);
    fs.renameSync(`${config}.new`, config);
  };

  fs.chmodSync(place, 0o755);
  fs.mkdirSync(path.join(venv, 'bin'), { recursive: true });
  fs.symlinkSync('/usr/bin/python3', path.join(venv, 'bin/python3'));
  fs.symlinkSync('python3', path.join(venv, 'bin/python'));
  write('first');
  const raw = await Raw.open(t, pool(2, { env: { CAISSON_PYTHON: venv } }));
  const show = 'import sys\nprint(open(sys.prefix + "/pyvenv.cfg").read())';
  const before = await filled(raw, 2);

  assert.match((await raw.printed(show)).join('\n'), /version = first/);
  await filled(raw, 2);
  write('second');
  assert.match((await raw.printed(show)).join('\n'), /version = second/);
  await gone(before.all);
  await filled(raw, 2);
  await raw.finish();
});

test('calls that run do not use up the pool for the next', once, async (t) => {
  const raw = await Raw.open(t, pool(1));
  const gate = new Gate();
  const id = raw.postCall(`${gate.wait}\nprint("through")`, { timeout: 100 });

  await gate.reached();
  await until(() => waiting(raw.pid).relay.length === 2, 'another box');
  assert.deepEqual(await raw.printed('print("beside")'), ['beside']);
  gate.open();
  assert.equal((await raw.result(id)).content[0].text, 'through');
  await raw.finish();
});

test('a relay that is stopped costs the call that it was for', async (t) => {
  const raw = await Raw.open(t, pool(1));
  const { relay: [relay] } = await filled(raw, 1);

  process.kill(relay.pid, 'SIGSTOP');
  const { error } = (await raw.run('print("hi")')).structuredContent;

  assert.match(error, /^the relay of this execution exited, and it is unknown/);
  assert.deepEqual(await raw.printed('print("hi")'), ['hi']);
  await raw.finish();
});

test('workers that are stopped are ended, whether or not a call waits',
  async (t) => {
    const raw = await Raw.open(t, pool(3,
      withServers(t, { h: hostile() })));
    const both = `save_memory("k", 1)
print(load_memory("k"), (await mcp_h.echo(x=1)) is not None)`;

    assert.deepEqual(await raw.printed(both, { servers: ['h'] }), ['1 True']);
    await until(() => waiting(raw.pid).relay.length === 3, 'three boxes');
    const stopped = family(raw.pid)
      .filter(({ command }) => /^caisson: (relay|store|broker)/.test(command));

    assert.equal(stopped.length, 5);
    for (const { pid } of stopped)
      process.kill(pid, 'SIGSTOP');
    await gone(stopped);
    assert.deepEqual(await raw.printed(both, { servers: ['h'] }), ['1 True']);
    await raw.finish();
  });

test('boxes that cannot be started cost only the pool', reduced, async (t) => {
  const raw = await Raw.open(t, pool(2, { withoutNamespaces: true }));

  await until(() => /waiting box \d+ exited: the box cannot be built/
    .test(raw.errors), 'a line in the log');
  const { isError, structuredContent } = await raw.run('print(1)');

  assert.equal(isError, true);
  assert.match(structuredContent.error,
    /^the box cannot be built: .*CAISSON_ALLOW_WEAK_ISOLATION=on/);
  await raw.ping();
  await raw.finish();
  assert.ok(raw.errors.split('\n').length < 20, 'it does not try all the time');
});

test('boxes that wait end with the program', async (t) => {
  const ends = {
    'the end of input': (raw) => raw.finish(),
    SIGTERM: (raw) => {
      process.kill(raw.pid, 'SIGTERM');
      return raw.wait();
    },
    SIGKILL: (raw) => {
      process.kill(raw.pid, 'SIGKILL');
      return raw.exited;
    },
  };

  for (const [what, end] of Object.entries(ends)) {
    await t.test(what, async () => {
      const raw = await Raw.open(t, pool(3));
      const { all } = await filled(raw, 3);

      await end(raw);
      await gone(all);
      assert.equal(raw.errors, '');
    });
    await t.test(`${what} while they are built`, async () => {
      for (let i = 0; i < 15; i += rounds(7, 1)) {
        const raw = await Raw.open(t, pool(4));

        await new Promise((resolve) => setTimeout(resolve, 3 * i));
        const family = descendants(raw.pid);

        await end(raw);
        await gone(family);
        if (what !== 'SIGKILL')
          assert.equal(raw.errors, '', 'it had to wait for nobody');
      }
    });
  }
});
