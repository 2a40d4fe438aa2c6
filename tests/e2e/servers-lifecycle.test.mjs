/*
 * Starts and ends of servers and of the processes between them and the code:
 * when one ends, the calls that depended on it fail with a clear error, the
 * next ones work, and nothing is left when the program has ended.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import {
  descendants, describe, engines, gone, hasTemplateToCome, lives,
  namespacePids, opened, orphans, processOf, reaped,
} from './support/processes.mjs';
import {
  contained, folder, once, root, rounds, withoutWaiting,
} from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import {
  assertFailed, assertServes, attempt, configure, heard, hears, hostile,
  prelude, python, served, serving, unserved, withServers,
} from './support/servers.mjs';
import { until, within } from './support/wait.mjs';

withoutWaiting();

/* Code that makes a server stand at this gate, and prints what came of it. */
const standing = (server, gate) => `${prelude}
print("begun")
print(json.dumps(await attempt(${python(server)}, "gate",
                               {"seconds": "${gate.seconds}"})))`;

/* Sends it; returns the id when the server stands there. */
async function stand(raw, server, gate, more = {}) {
  const id = raw.postCall(standing(server, gate),
    { servers: [server], timeout: 100, ...more });

  await gate.reached();
  return id;
}

/* The same of keepers and boxes where those are containers. */
function containedParts(family) {
  const servers = family.filter(({ command }) =>
    command.includes('hostile.py'));
  const inside = family.filter(({ pid }) => namespacePids(pid).length > 1);

  return {
    /* Each container has a keeper, too. */
    keeper: family.filter(({ name, pid }) => name.startsWith('keeper') &&
      servers.some(({ parent }) => parent === pid)),
    box: [...engines(family), ...inside],
    init: inside.filter(({ pid }) => namespacePids(pid).at(-1) === 1),
  };
}

/* The processes of a program by what they are. */
function parts(raw) {
  const family = descendants(raw.pid);
  const named = (name) => family.filter((entry) =>
    entry.name.startsWith(name) ||
    entry.command.startsWith(`caisson: ${name}`));

  return { family, broker: named('broker'), relay: named('relay'),
    ...(contained ? containedParts(family) : { keeper: named('keeper'),
      box: named('box'), init: named('box-init') }) };
}

/* Everything has ended in order and no process is left. */
async function finish(raw, ...entries) {
  const { family } = parts(raw);

  await raw.finish();
  await gone(family);
  await unserved(...entries);
}

const counted = async (raw, server = 'h') =>
  JSON.parse((await attempt(raw, server, 'counter')).text);

test('an unknown server refuses the call before anything runs', async (t) => {
  const entry = hostile();
  const raw = await Raw.open(t, withServers(t, { files: entry }));

  for (const name of ['flies', 'nothing-like-it', '', 'FILE']) {
    const result = await raw.run('print("it ran")',
      { servers: ['files', name] });

    assert.equal(result.isError, true);
    assert.equal(result.structuredContent.status, 'validation_error');
    assert.doesNotMatch(JSON.stringify(result), /it ran/);
    assert.ok(result.content[0].text.includes(`"${name}"`) || name === '',
      result.content[0].text);
  }
  assert.match((await raw.run('1', { servers: ['flies'] })).content[0].text,
    /files/, 'what would be right is said');
  assert.deepEqual(serving(entry), [], 'none was started');
  await assertServes(raw, 'files');
  await finish(raw, entry);
});

test('a command that does not exist refuses the call and tells no PATH',
  async (t) => {
    const raw = await Raw.open(t, withServers(t, {
      missing: { command: 'no-such-command-anywhere' },
      gone: { command: '/no/such/place/server' },
      mapped: { command: 'no-such-command-anywhere',
        env: { PATH: '/only/here:/and/there' } },
      good: hostile(),
    }));
    const refused = async (name) => {
      const result = await raw.run('print("it ran")',
        { servers: ['good', name] });

      assert.equal(result.isError, true, name);
      assert.notEqual(result.structuredContent.status, 'success');
      assert.doesNotMatch(JSON.stringify(result), /it ran/);
      assert.match(result.content[0].text, new RegExp(name));
      return result.content[0].text;
    };

    assert.match(await refused('missing'), /no-such-command-anywhere/);
    assert.doesNotMatch(await refused('missing'), /\/usr\/|\/bin/);
    assert.match(await refused('gone'), /\/no\/such\/place\/server/);
    assert.doesNotMatch(await refused('mapped'), /\/only\/here/);
    await assertServes(raw, 'good');
    await finish(raw);
  });

test('a server that dies between two calls is started again', async (t) => {
  const entry = hostile();
  const raw = await Raw.open(t, withServers(t, { h: entry }));

  for (let i = 0; i < 3; i++) {
    await assertServes(raw, 'h');
    const process_ = await served(entry);

    process.kill(process_.pid, 'SIGKILL');
    await gone([process_]);
  }
  await assertServes(raw, 'h');
  await finish(raw, entry);
});

/*
 * Kills whom choose picks while a server works; what the call came to. The
 * server goes on when that is known, and when before() is over.
 */
async function killDuringCall(raw, choose, before = () => {}) {
  const gate = new Gate();
  const id = await stand(raw, 'h', gate);
  /* Those of the call before may be there for a moment. */
  const chosen = await until(() => {
    const found = choose(parts(raw)).filter(lives);

    return found.length === 1 && found[0];
  }, () => `one process to be killed, of ${describe(parts(raw).family)}`);

  process.kill(chosen.pid, 'SIGKILL');
  const result = await raw.result(id);

  await (chosen.parent === raw.pid ? reaped : gone)([chosen]);
  await before();
  gate.open();
  return { ...result, ...result.structuredContent };
}

/* The code lived on and saw an error that names the server. */
function assertSeen({ isError, stdout, stderr }, words) {
  assert.equal(isError, false, JSON.stringify([stdout, stderr]));
  assert.equal(stdout[0], 'begun');
  assertFailed(JSON.parse(stdout[1]), 'h', words);
}

test('the broker is killed', async (t) => {
  const entry = hostile();
  const raw = await Raw.open(t, withServers(t, { h: entry }));

  for (let i = 0; i < 3; i++) {
    const before = await counted(raw);

    assertSeen(await killDuringCall(raw, ({ broker }) => broker));
    assert.notEqual((await counted(raw)).pid, before.pid,
      'a server without a broker is ended');
    await until(() => serving(entry).length === 1, 'the end of the first');
  }
  await finish(raw, entry);
});

test('the relay is killed', async (t) => {
  const entry = hostile();
  const raw = await Raw.open(t, withServers(t, { h: entry }));
  const before = await counted(raw);
  const { isError, error, calls } =
    await killDuringCall(raw, ({ relay }) => relay);

  assert.equal(isError, true);
  assert.match(calls, /^unknown, as the process that counts them exited$/);
  assert.match(error, /relay/);
  assert.deepEqual(await counted(raw), { pid: before.pid, count: 2 });
  await finish(raw, entry);
});

test('the keeper of a server is killed', async (t) => {
  const entry = hostile();
  const raw = await Raw.open(t, withServers(t, { h: entry }));
  const gate = new Gate();

  await attempt(raw, 'h', 'orphan', { seconds: gate.seconds });
  await gate.reached();
  assertSeen(await killDuringCall(raw, ({ keeper }) => keeper));
  await assertServes(raw, 'h');
  await until(() => serving(entry).length === 1, 'the end of the first');
  await until(() => gate.find().length === 0, 'the end of what it started');
  await finish(raw, entry);
});

test('the box is killed', async (t) => {
  const log = path.join(folder(t), 'heard');
  const entry = hostile(`log=${log}`);
  const raw = await Raw.open(t, withServers(t, { h: entry }));
  const before = await counted(raw);
  const { isError, stdout } = await killDuringCall(raw, ({ init }) => init,
    () => hears(log, ({ method }) => method === 'notifications/cancelled',
      'the server to receive the cancellation'));

  assert.equal(isError, true);
  assert.deepEqual(stdout, ['begun']);
  assert.deepEqual(await counted(raw), { pid: before.pid, count: 2 });
  await finish(raw, entry);
});

/* Workers and servers of a program that was killed; none may be left. */
async function nobody(entries, first) {
  const left = () => [...entries.flatMap(serving),
    ...orphans().filter((entry) => entry.started >= first.started &&
      entry.size > 0 &&
      /^caisson: (broker|keeper|relay|box)/.test(entry.command))];

  await until(() => left().length === 0,
    () => `the end of ${describe(left())}`);
}

test('the supervisor is killed at any moment', async (t) => {
  let first;

  for (let i = 0; i < 60; i += rounds(10, 1)) {
    const entries = [hostile(), hostile('deaf'), hostile('exit=1')];
    const raw = Raw.start(t, withServers(t,
      { a: entries[0], b: entries[1], c: entries[2] }));

    first ??= processOf(raw.pid);
    raw.initialize().catch(() => {}); /* it may not come to answer */
    raw.postCall(`${prelude}\nwhile True: await attempt("a", "echo", {})`,
      { servers: ['a', 'b', 'c'], timeout: 100 });
    /* Each stage of a start is met, from the first fork to the first call. */
    await new Promise((resolve) => setTimeout(resolve, 5 + i * 5));
    process.kill(raw.pid, 'SIGKILL');
    await within(raw.ended, 'the end of all that held its log');
    await nobody(entries, first);
  }
});

test('workers and servers are killed at any moment', async (t) => {
  const entry = hostile();
  const raw = await Raw.open(t, withServers(t, { h: entry }));
  const victims = ['broker', 'relay', 'keeper', 'box'];

  for (let i = 0; i < 40; i += rounds(5, 1)) {
    const id = raw.postCall(`${prelude}
for n in range(20):
    outcome = await attempt("h", "echo", {"n": n})
    assert "h" in outcome.get("error", "h")
print("over")`, { servers: ['h'], timeout: 60 });

    await new Promise((resolve) => setTimeout(resolve, i * 7 % 250));
    const found = parts(raw)[victims[i % 4]];

    for (const victim of found) {
      try {
        process.kill(victim.pid, 'SIGKILL');
      } catch (error) {
        assert.match(error.code, /^(ESRCH|EPERM)$/);
      }
    }
    const { isError, structuredContent } = await raw.result(id);

    assert.ok(!isError || structuredContent.error.length > 10,
      JSON.stringify(structuredContent));
    if (['broker', 'keeper'].includes(victims[i % 4]))
      assert.equal(isError, false, JSON.stringify(structuredContent));
  }
  await assertServes(raw, 'h');
  await finish(raw, entry);
});

test('SIGTERM ends servers in order, and answers calls', async (t) => {
  const log = path.join(folder(t), 'heard');
  const entry = hostile(`log=${log}`);
  const raw = await Raw.open(t, withServers(t, { h: entry }));
  const gate = new Gate();
  const id = await stand(raw, 'h', gate);
  const { family } = parts(raw);

  process.kill(raw.pid, 'SIGTERM');
  assert.deepEqual(await raw.wait(), { code: 0, signal: null });
  assert.equal((await raw.result(id)).structuredContent.status, 'cancelled');
  await gone(family);
  await until(() => gate.find().length === 0, 'the end of what it started');
  assert.equal(heard(log).at(-1), 'EOF');
});

test('a configuration that changes takes effect at the next call',
  async (t) => {
    const entries = { a: hostile(), b: hostile() };
    const options = withServers(t, entries);
    const raw = await Raw.open(t, options);
    const names = async () => JSON.parse((await raw.printed(
      'import json\nprint(json.dumps(runtime.discovered_servers()))'))[0]);
    const first = await counted(raw, 'a');
    const kept = await counted(raw, 'b');

    /* a becomes another program, b stays, c is new. */
    const changed = { a: hostile(), b: entries.b, c: hostile() };

    configure(options.place, changed);
    assert.deepEqual(await names(), ['a', 'b', 'c']);
    assert.notEqual((await counted(raw, 'a')).pid, first.pid);
    assert.deepEqual(await counted(raw, 'b'), { pid: kept.pid, count: 2 });
    await assertServes(raw, 'c');
    await unserved(entries.a);

    configure(options.place, { b: entries.b });
    assert.deepEqual(await names(), ['b']);
    assert.equal((await raw.run('1', { servers: ['c'] }))
      .structuredContent.status, 'validation_error');
    await unserved(changed.a, changed.c);
    await assertServes(raw, 'b');

    /* A file that is broken for a moment takes nothing away for ever. */
    fs.writeFileSync(options.place, '{');
    await raw.ping();
    await raw.run('1');
    configure(options.place, entries);
    await assertServes(raw, 'a');
    await assertServes(raw, 'b');
    await finish(raw, ...Object.values(entries));
  });

test('an execution ends while its calls are under way', once, async (t) => {
  const log = path.join(folder(t), 'heard');
  const entry = hostile(`log=${log}`);
  const raw = await Raw.open(t, withServers(t, { h: entry }));
  const before = await counted(raw);
  const gate = new Gate();
  const end = new Gate();
  const id = raw.postCall(`
import asyncio
task = asyncio.create_task(runtime.call_tool("h", "gate",
                                             {"seconds": "${gate.seconds}"}))
await asyncio.to_thread(lambda: ${end.wait})
print("enough")`, { servers: ['h'], timeout: 100 });

  await gate.reached();
  end.open();
  const result = await raw.result(id);

  assert.deepEqual(result.structuredContent.stdout, ['enough']);
  await hears(log, ({ method }) => method === 'notifications/cancelled',
    'the server to receive the cancellation');
  gate.open();
  assert.equal((await counted(raw)).pid, before.pid);
  await finish(raw, entry);
});

/* Every file of /proc of this process that could show a secret. */
function shown(pid) {
  return ['cmdline', 'environ', 'comm'].map((name) => {
    try {
      return fs.readFileSync(`/proc/${pid}/${name}`, 'latin1');
    } catch (error) {
      return ''; /* not ours to read, or over */
    }
  }).join('\n');
}

test('no secret of a server is in a log, a process of ours, or a box',
  async (t) => {
    const log = path.join(folder(t), 'log');
    const secret = `secret-${Math.random().toString(36).slice(2)}`;
    const entry = { ...hostile(), env: { TOKEN: secret } };
    const broken = { ...hostile('exit=1'), env: { TOKEN: secret } };
    const raw = await Raw.open(t, withServers(t, { h: entry, broken },
      { env: { CAISSON_LOG_LEVEL: 'debug', CAISSON_LOG_FILE: log } }));
    const gate = new Gate();

    assert.ok((await attempt(raw, 'h', 'environment')).text.includes(secret));
    assertFailed(await attempt(raw, 'broken', 'echo'), 'broken');
    const id = await stand(raw, 'h', gate);
    const { family } = parts(raw);
    const server = await served(entry);
    const inside = new Set([server, ...gate.find()].map(({ pid }) => pid));

    for (const { pid, command } of [processOf(raw.pid), ...family])
      assert.ok(inside.has(pid) || !shown(pid).includes(secret), command);
    const lines = await raw.printed(`
import glob, os
print(dict(os.environ))
for name in glob.glob("/proc/[0-9]*/environ"):
    try:
        print(open(name, "rb").read())
    except OSError:
        pass
print(mcp_h, repr(vars(mcp_h)), runtime.describe_server("h"))`,
    { servers: ['h'] });

    assert.doesNotMatch(lines.join('\n'), /secret/);
    gate.open();
    await raw.result(id);
    await finish(raw, entry);
    assert.ok(!raw.errors.includes(secret), 'standard error');
    assert.ok(!(fs.existsSync(log) ? fs.readFileSync(log, 'latin1') : '')
      .includes(secret), 'the log');
  });

test('servers belong to who started the program, workers do not', {
  skip: root ? false : 'the owners of processes are of interest to root',
}, async (t) => {
  const raw = await Raw.open(t, withServers(t, { h: hostile() }));
  const gate = new Gate();
  const id = await stand(raw, 'h', gate);
  const uidOf = (pid) => /^Uid:\s*(\d+)/m.exec(
    fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1];
  const { broker, relay } = parts(raw);
  const [{ parent }] = gate.find();

  assert.equal(uidOf(parent), uidOf(raw.pid));
  if (uidOf(raw.pid) === '0') {
    for (const worker of [...broker, ...relay])
      assert.notEqual(uidOf(worker.pid), '0', worker.command);
  }
  gate.open();
  await raw.result(id);
  await finish(raw);
});

test('the supervisor holds no pipe of a server', {
  skip: root ? false : 'the descriptors of other users are not readable',
}, async (t) => {
  const entry = hostile();
  const raw = await Raw.open(t, withServers(t, { h: entry }));

  await assertServes(raw, 'h');
  const { pid: serverPid } = await served(entry);
  const own = [0, 1, 2].map((fd) =>
    fs.readlinkSync(`/proc/${serverPid}/fd/${fd}`));
  const { broker, keeper } = parts(raw);

  for (const pipe of own)
    assert.ok(opened(broker[0].pid).includes(pipe), 'the broker has them');
  /* Its keeper may still have to close what it has passed on. */
  for (const { pid } of keeper)
    await until(() => !opened(pid).some((line) => own.includes(line)),
      'the keeper to hold none of them');
  assert.deepEqual(opened(raw.pid).filter((line) => own.includes(line)), []);
  await finish(raw, entry);
});

test('calls with servers leave nothing in the supervisor', {
  skip: root ? once.skip : 'the descriptors of other users are not readable',
}, async (t) => {
  const entry = hostile();
  const raw = await Raw.open(t, withServers(t, { h: entry }));
  const count = (pid) => fs.readdirSync(`/proc/${pid}/fd`).length;
  /* A container that is being removed still has a keeper: not that of h. */
  const settled = async () => {
    await until(() => {
      const { family, relay, box } = parts(raw);

      return relay.length + box.length === 0 && !hasTemplateToCome(family) &&
        family.filter(({ name }) => name.startsWith('keeper')).length === 1;
    }, 'the end of relays, boxes and keepers of containers, and a template');
    await raw.ping();
    return [count(raw.pid), count(parts(raw).broker[0].pid)];
  };

  await assertServes(raw, 'h');
  const before = await settled();

  for (let i = 0; i < rounds(20, 100); i++)
    await assertServes(raw, 'h');
  for (let i = 0; i < 3; i++) {
    await attempt(raw, 'h', 'die', { code: 1 });
    await assertServes(raw, 'h');
  }
  await until(async () => (await settled()).every((n, i) => n <= before[i]),
    'no more descriptors than before');
  await finish(raw, entry);
});
