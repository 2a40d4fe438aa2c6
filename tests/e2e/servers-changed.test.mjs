/*
 * What an execution that runs keeps while the configuration changes: the
 * servers that it has loaded, as they were, until it ends; new executions get
 * what the files say now. What is no longer trusted ends at once, for all.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { descendants, gone } from './support/processes.mjs';
import { folder, withoutPool } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import {
  assertFailed, assertServes, attempt, configure, hostile, prelude, python,
  serving, unserved, withServers,
} from './support/servers.mjs';
import { until } from './support/wait.mjs';

withoutPool();

const counted = async (raw, server = 'h') =>
  JSON.parse((await attempt(raw, server, 'counter')).text);

const discovered = async (raw) => JSON.parse((await raw.printed(
  'import json\nprint(json.dumps(runtime.discovered_servers()))'))[0]);

/*
 * An execution that uses a server, waits at each of its gates, and then uses
 * the server again: what it printed is what attempt() gave each time.
 */
class Running {
  constructor(raw, count = 1, more = 'pass', options = { servers: ['h'] }) {
    this.raw = raw;
    this.gates = Array.from({ length: count }, () => new Gate());
    this.id = raw.postCall(`${prelude}
async def use():
    print(json.dumps(await attempt("h", "counter", {})))
await use()
${this.gates.map((gate) => `${gate.wait}\nawait use()`).join('\n')}
${more}`, { timeout: 100, ...options });
  }

  /* Waits until it stands at a gate: it has used the server by then. */
  async stands(n = 0) {
    await this.gates[n].reached();
    return this;
  }

  go(n = 0) {
    this.gates[n].open();
  }

  /* Waits for its end; returns the lines that it printed, as values. */
  async lines() {
    const result = await this.raw.result(this.id);

    assert.equal(result.isError, false, JSON.stringify(result));
    return result.structuredContent.stdout.map((line) => JSON.parse(line));
  }
}

const values = (outcomes) =>
  outcomes.map(({ text, error }) => error ?? JSON.parse(text));

/* The calls were answered one after the other by one process. */
function assertKept(outcomes) {
  const [{ pid, count }] = values(outcomes);

  assert.deepEqual(values(outcomes),
    outcomes.map((_, n) => ({ pid, count: count + n })));
  return pid;
}

/* What takes a server away from its name, each with what replaces it. */
const edits = {
  'its entry is removed': (place) => {
    configure(place, {});
    return undefined;
  },
  'its entry is changed': (place) => {
    const entry = hostile();

    configure(place, { h: entry });
    return entry;
  },
  'its entry is changed twice': (place) => {
    const entry = hostile();

    configure(place, { h: hostile() });
    return [entry, () => configure(place, { h: entry })];
  },
  'its entry is removed and comes back': (place, entry) => {
    configure(place, {});
    return [entry, () => configure(place, { h: entry })];
  },
  'its file is replaced by an empty list': (place) => {
    fs.writeFileSync(place, '{"mcpServers":{}}');
    return undefined;
  },
};

for (const [what, edit] of Object.entries(edits))
  test(`an execution keeps its server when ${what}`, async (t) => {
    const entry = hostile();
    const options = withServers(t, { h: entry });
    const raw = await Raw.open(t, options);
    const running = await new Running(raw, 2).stands();
    const [first] = serving(entry);
    const [next, again] = [edit(options.place, entry)].flat();

    await discovered(raw);
    running.go();
    await running.stands(1);
    again?.();
    assert.deepEqual(await discovered(raw), next ? ['h'] : []);
    assert.ok(serving(entry).some(({ pid }) => pid === first.pid));
    if (next) {
      assert.notEqual((await counted(raw)).pid, first.pid);
      assert.ok(serving(entry).some(({ pid }) => pid === first.pid));
    } else {
      const { structuredContent } =
        await raw.run('print("it ran")', { servers: ['h'] });

      assert.equal(structuredContent.status, 'validation_error');
    }
    running.go(1);
    assert.equal(assertKept(await running.lines()), first.pid);
    await gone([first]);
    if (next)
      await assertServes(raw, 'h');
    await raw.finish();
    await unserved(entry, ...next ? [next] : []);
  });

test('a kept server that ends is followed by what is configured',
  async (t) => {
    const [entry, next] = [hostile(), hostile()];
    const options = withServers(t, { h: entry });
    const raw = await Raw.open(t, options);
    const running = await new Running(raw, 2, 'await use()').stands();
    const [first] = serving(entry);

    configure(options.place, {});
    await discovered(raw);
    process.kill(first.pid, 'SIGKILL');
    await gone([first]);
    running.go();
    await running.stands(1);
    configure(options.place, { h: next });
    await discovered(raw);
    running.go(1);
    const [before, without, after, more] = values(await running.lines());

    assert.equal(before.pid, first.pid);
    assert.match(without, /"h" is no longer configured|"h" ended before/);
    assert.equal(after.count, 1);
    assert.deepEqual(more, { pid: after.pid, count: 2 });
    assert.equal(serving(next).length, 1);
    await raw.finish();
    await unserved(next);
  });

test('the broker is killed while an execution keeps a server', async (t) => {
  const entry = hostile();
  const options = withServers(t, { h: entry });
  const raw = await Raw.open(t, options);
  const running = await new Running(raw).stands();

  configure(options.place, { h: hostile() });
  await discovered(raw);
  const broker = descendants(raw.pid).find(({ name }) =>
    name.startsWith('broker'));

  process.kill(broker.pid, 'SIGKILL');
  await unserved(entry);
  running.go();
  const [, after] = await running.lines();

  assertFailed(after, 'h', /connection to the servers/);
  await assertServes(raw, 'h');
  await raw.finish();
});

/* Revocation */

/* A project whose files are trusted, with this entry in one of them. */
function project(t, entries, env = {}) {
  const work = folder(t);
  const place = path.join(work, '.mcp.json');

  configure(place, entries);
  return { place, cwd: work,
    env: { CAISSON_TRUST_PROJECT_FILES: 'on', ...env } };
}

const distrusts = {
  'its mode': { change: (place) => fs.chmodSync(place, 0o666),
    words: /can be written by every user of this machine.*chmod o-w/ },
  'its owner': { change: (place) => fs.chownSync(place, 4242, 4242),
    words: /belongs to another user/, root: true },
  'its place': { change: (place, elsewhere) => {
    fs.copyFileSync(place, path.join(elsewhere, 'same.json'));
    fs.unlinkSync(place);
    fs.symlinkSync(path.join(elsewhere, 'same.json'), place);
  }, words: /is a link that leads out/ },
  'its kind': { change: (place) => {
    fs.unlinkSync(place);
    fs.mkdirSync(place);
  }, words: /is not a regular file/ },
};

/* Says what was stopped, why, and what would put it right. */
const stopped = (place, words) => new RegExp('server "h" was stopped: its ' +
  `configuration file ${place} is no longer trusted: it ${words.source}.*; ` +
  'correct the file to use the server again', 's');

for (const [what, { change, words, root }] of Object.entries(distrusts))
  test(`calls end at the next look when a file loses trust: ${what}`, {
    skip: root && process.getuid() !== 0 ? 'only root can do that' : false,
  }, async (t) => {
    const audit = path.join(folder(t), 'audit');
    const entry = hostile();
    const options = project(t, { h: entry },
      { CAISSON_AUDIT_FILE: audit });
    const raw = await Raw.open(t, options);
    const gate = new Gate();
    const id = raw.postCall(`${prelude}
print(json.dumps(await attempt("h", "gate", ${python(
    { seconds: gate.seconds })})))
print(json.dumps(await attempt("h", "counter", {})))`,
    { servers: ['h'], timeout: 100 });

    await gate.reached();
    change(options.place, folder(t));
    await discovered(raw);
    /* The gate stays closed. */
    const { structuredContent } = await raw.result(id);
    const [during, later] = structuredContent.stdout.map(JSON.parse);

    assertFailed(during, 'h', stopped(options.place, words));
    assert.match(during.error, /the call was sent and may have run/);
    assertFailed(later, 'h', stopped(options.place, words));
    await unserved(entry);
    await until(() => gate.find().length === 0, 'the end of its child');
    await until(() => /broker.*server h was stopped: its config/
      .test(raw.errors), 'a line in the log');
    await raw.finish();
    assert.deepEqual(
      fs.readFileSync(audit, 'utf8').trim().split('\n').map(JSON.parse)
        .map(({ server, tool, sent, outcome }) =>
          [server, tool, sent, outcome]),
      [['h', 'gate', true, 'error'], ['h', 'counter', false, 'refused']]);
  });

test('a server that is kept ends when its file loses trust', async (t) => {
  const [entry, next] = [hostile(), hostile()];
  const options = project(t, { h: entry });
  const raw = await Raw.open(t, options);
  const running = await new Running(raw, 2).stands();

  configure(options.place, { h: next });
  await assertServes(raw, 'h');
  running.go();
  await running.stands(1);
  assert.equal(serving(entry).length, 1);
  fs.chmodSync(options.place, 0o666);
  assert.deepEqual(await discovered(raw), []);
  await unserved(entry, next);
  running.go(1);
  const lines = await running.lines();

  assertFailed(lines.pop(), 'h', stopped(options.place,
    /can be written by every user/));
  assertKept(lines);
  await raw.finish();
});
