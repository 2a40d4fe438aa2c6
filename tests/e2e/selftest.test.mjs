/*
 * What the selftest and the start say of an installation that is broken, and
 * of limits that are too low: which file or limit it is, and the command that
 * mends it, which is tried.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import {
  binary, commandLine, folder, once, uid, usually,
} from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { hostile, withServers } from './support/servers.mjs';
import { until } from './support/wait.mjs';

usually();

/* The folder in which the workers lie. */
const workers = ['.', '../libexec/caisson']
  .map((place) => path.resolve(path.dirname(binary), place))
  .find((place) => fs.existsSync(path.join(place, 'caisson-relay')));

/* A copy of the program with its workers, as its user would have built it. */
function copied(t) {
  const place = folder(t);

  fs.copyFileSync(binary, path.join(place, 'caisson'));
  for (const name of fs.readdirSync(workers))
    if (name === 'box' || (/^caisson-[a-z.3]+$/.test(name) &&
      fs.statSync(path.join(workers, name)).isFile()))
      fs.cpSync(path.join(workers, name), path.join(place, name),
        { recursive: true });
  for (const name of fs.readdirSync(place, { recursive: true }))
    fs.chownSync(path.join(place, name), uid, uid);
  return place;
}

/* Runs that copy, or the program itself, to its end. */
function program(t, args, { place, ...more } = {}) {
  const [command, ...rest] = commandLine({ ...more, args, home: folder(t) });
  const own = place === undefined ? rest : rest.map((word) =>
    word === binary ? path.join(place, 'caisson') : word);

  return spawnSync(command, own,
    { input: '', encoding: 'utf8', timeout: 300_000 });
}

/* The lines of the selftest that begin so, and its status. */
function selftest(t, options) {
  const { status, stdout, stderr } = program(t, ['--selftest', '-v'], options);

  return { status, stderr, lines: stdout.trimEnd().split('\n') };
}

/* Each with a library that it loads, and no other worker. */
const libraries = { relay: undefined, reader: /libyaml-0\.so\.2/,
  store: /libsqlite3\.so\.0/, broker: /libevent_core-2\.1\.so\.7/ };

test('the selftest starts every worker', (t) => {
  const { lines } = selftest(t, { place: copied(t) });

  for (const name of Object.keys(libraries))
    assert.ok(lines.some((line) =>
      new RegExp(`^ok +process ${name} +starts`).test(line)), name);
  assert.deepEqual(lines.filter((line) => line.includes('language')), []);
});

/* Has it lose its library, or be no program. Returns what is said of it. */
function broken(place, name) {
  const library = libraries[name];
  const file = path.join(place, `caisson-${name}`);
  const bytes = fs.readFileSync(file);
  const at = library === undefined ? -1 :
    bytes.indexOf(library.source.replaceAll('\\', ''));

  if (at === -1) {
    fs.writeFileSync(file, 'no program');
    return /Exec format error/;
  }
  bytes.write('none', at + 3);
  fs.writeFileSync(file, bytes);
  return /libnone\S+: cannot open shared object file: No such file/;
}

/* Without a relay there is no box: whatever needs one fails with it. */
for (const names of [['relay'], ['reader', 'store', 'broker']]) {
  const what = names.join(', ');

  test(`what cannot be loaded fails the selftest: ${what}`, once, (t) => {
    const place = copied(t);
    const said = names.map((name) => [name, broken(place, name)]);
    const { status, lines } = selftest(t, { place });

    assert.equal(status, 1);
    for (const [name, words] of said) {
      const line = lines.find((one) => one.includes(`process ${name}`));

      assert.match(line, /^FAIL/);
      assert.match(line, words);
      assert.match(line, /install Caisson again, or build it again/);
    }
    if (!names.includes('relay'))
      assert.equal(lines.filter((one) => one.startsWith('FAIL')).length,
        names.length, lines.join('\n'));
  });
}

test('the selftest runs each language that clients may name', once, (t) => {
  const lines = (env) => selftest(t, { env }).lines
    .filter((line) => line.includes('language'));
  const tools = { CAISSON_TOOLS: 'run_code' };

  const told = lines(tools).join('\n');

  assert.match(told, /^ok +language shell +(bash \d|a plain sh)/m);
  assert.match(lines({ ...tools, CAISSON_SHELL: '/no/shell' }).join('\n'),
    /^FAIL +language shell .*\/no\/shell.*set CAISSON_SHELL/m);
  /* Without a setting that names an engine, none need be there. */
  assert.match(told, /^(ok|note) +language javascript /m);
  assert.match(lines({ ...tools, CAISSON_JAVASCRIPT: '/no/bun' }).join('\n'),
    /^FAIL +language javascript .*\/no\/bun/m);
});

test('the selftest says what reduced isolation lacks', (t) => {
  const { status, lines } = selftest(t, { withoutNamespaces: true,
    env: { CAISSON_ALLOW_WEAK_ISOLATION: 'on' } });

  assert.equal(status, 1);
  assert.ok(lines.some((line) => /^weak +box /.test(line)), lines.join('\n'));
  assert.match(lines.at(-1), /supports only reduced isolation/,
    lines.join('\n'));
});

test('what the users of boxes may not execute is named', (t) => {
  const place = copied(t);

  for (const name of fs.readdirSync(place))
    fs.chmodSync(path.join(place, name), 0o700);
  if (uid !== 0) {
    /* All of it runs as the user who may. */
    assert.equal(selftest(t, { place }).lines.filter((line) =>
      line.includes('process relay') && line.startsWith('ok')).length, 1);
    return;
  }
  const { status, stderr } = program(t, ['--selftest'], { place });

  assert.equal(status, 2);
  assert.ok(stderr.includes(`${place}/caisson-relay`), stderr);
  assert.match(stderr, /mode 0700/);
  const [, fix] = /'(chmod [^']*)'/.exec(stderr);

  assert.equal(spawnSync('sh', ['-c', fix]).status, 0);
  assert.ok(selftest(t, { place }).lines.some((line) =>
    /^ok +box /.test(line)));
});

/* Runs what follows with a limit, soft and hard. */
const limited = (limit) => ['prlimit', `--${limit}`, '--'];

const single = { CAISSON_MAX_CONCURRENT: '1', CAISSON_POOL: '0' };

test('the number of descriptors that is asked for is enough', async (t) => {
  const few = { under: limited('nofile=70:70') };
  const { status, stderr } = program(t, [], { ...few, env: single });

  assert.equal(status, 2);
  assert.match(stderr, /only 70 descriptors are allowed/);
  /* There is nothing left to lower. */
  assert.doesNotMatch(stderr, /lower/);
  const [, needed] = / needs (\d+):/.exec(stderr);
  const raw = await Raw.open(t, withServers(t, { h: hostile() },
    { env: single, under: limited(`nofile=${needed}:${needed}`) }));

  for (let calls = 0; calls < 5; calls++)
    assert.deepEqual(await raw.printed(
      'print((await mcp_h.echo(a="x")).text)', { servers: ['h'] }),
    ['{"a":"x"}']);
  await raw.finish();
});

test('a limit on the size of files is named', async (t) => {
  for (const limit of ['fsize=0:0', 'fsize=1000000:1000000']) {
    const { status, stdout, stderr } =
      program(t, ['--selftest'], { under: limited(limit) });

    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /'ulimit -f unlimited'/);
  }
  /* The soft one we can raise, but not for servers. */
  const raw = await Raw.open(t, withServers(t, { h: hostile() },
    { under: limited('fsize=4096:') }));

  assert.deepEqual(await raw.printed(`
import json
limits = json.loads((await mcp_h.environment()).text)["limits"]
print(*[line.split()[3] for line in limits.split("\\n")
        if line.startswith("Max file size")])
print(len((await mcp_h.huge(bytes=9_000_000)).text) > 8_000_000)`,
  { servers: ['h'] }), ['4096', 'True']);
  await raw.finish();
});

/*
 * The user has room for so many processes more, in a user namespace of the
 * test's, until the gate is opened.
 */
function crowded(gate, room) {
  const script = `
    for i in $(seq 20); do (sleep ${gate.seconds} &); done
    exec prlimit --nproc=$((21 + ${room})) -- "$@"`;

  return ['unshare', '--user', '--map-current-user', 'sh', '-c', script, 'sh'];
}

for (const room of [0, 3]) {
  test(`a call waits while its user may have ${room} processes`, async (t) => {
    if (uid === 0)
      return t.skip('the kernel gives root no such limit');
    const gate = new Gate();

    t.after(() => gate.open());
    const raw = await Raw.open(t, { under: crowded(gate, room),
      env: { ...single, CAISSON_TEMPLATE: 'off',
        CAISSON_LOG_LEVEL: 'info', CAISSON_QUEUE_TIMEOUT: '60' } });
    const id = raw.postCall('print("hi")');

    await until(() => /waits for a box \(/.test(raw.errors),
      `a call that waits: ${raw.story()}`);
    gate.open();
    assert.deepEqual((await raw.result(id)).structuredContent.stdout, ['hi']);
    await raw.finish();
  });
}

test('a call does not wait for processes without end', async (t) => {
  if (uid === 0)
    return t.skip('the kernel gives root no such limit');
  const gate = new Gate();

  t.after(() => gate.open());
  const raw = await Raw.open(t, { under: crowded(gate, 1),
    env: { ...single, CAISSON_TEMPLATE: 'off',
      CAISSON_QUEUE_TIMEOUT: '1' } });
  const { structuredContent: answer } = await raw.run('print("hi")');

  assert.equal(answer.status, 'error');
  assert.match(answer.error, /Resource temporarily unavailable/);
  assert.match(answer.error, /'ulimit -u'.*CAISSON_QUEUE_TIMEOUT/);
  /* It is not lost for those that come later. */
  gate.open();
  assert.deepEqual(await raw.printed('print("hi")'), ['hi']);
  await raw.finish();
});
