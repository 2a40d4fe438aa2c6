/*
 * caisson sessions: what it shows of the sessions of running programs, which
 * one it ends, and that programs which do not answer, or were killed, do no
 * harm.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { text } from './support/files.mjs';
import { Gate } from './support/gate.mjs';
import { descendants, gone, opened, processOf } from './support/processes.mjs';
import { folder, ran, root, settings } from './support/program.mjs';
import { connect, run } from './support/sdk.mjs';
import { serve } from './support/serve.mjs';
import { withServers, toolServer } from './support/servers.mjs';
import { until } from './support/wait.mjs';

settings.CAISSON_STRUCTURED = 'off';
settings.CAISSON_ARGUMENTS = 'code,timeout,session';

/* Runs the command with the home of a program. */
function command(home, ...args) {
  return ran({ home, args: ['sessions', ...args] });
}

/* The sessions that are shown. */
function shown(home) {
  const { status, stdout, stderr } = command(home, 'list', '--json');

  assert.deepEqual([status, stderr], [0, '']);
  return JSON.parse(stdout).sessions;
}

const names = (home) => shown(home).map(({ name }) => name).sort();

/* The command ends one session. */
function end(home, ...args) {
  const { status, stdout, stderr } = command(home, 'end', ...args);

  assert.deepEqual([status, stdout, stderr], [0, '1 ended\n', '']);
}

/* The command fails with this message. */
function refuses(home, args, message, code = 1) {
  const { status, stdout, stderr } = command(home, ...args);

  assert.deepEqual([status, stdout], [code, '']);
  assert.match(stderr, message);
}

const place = (home) => path.join(home, '.local/state/caisson/running');
const sockets = (home) => fs.readdirSync(place(home));

test('what sessions there are is shown, and nothing is created for it',
  async (t) => {
    const home = folder(t);

    assert.equal(command(home).stdout, 'There are no sessions.\n');
    assert.equal(command(home, '--json').stdout, '{"sessions": []}\n');
    refuses(home, ['end', 'a'], /^caisson: session "a": there is no such session \('caisson sessions list' shows all\)/);
    for (const pid of ['abc', '', '0', '-1', '1x'])
      refuses(home, ['end', 'a', `--process=${pid}`],
        new RegExp(`^caisson: --process "${pid}" is no process id: `), 2);
    refuses(home, ['end', ''], /^caisson: "" cannot be the name of a session: it has 1 to 64 bytes\n/, 2);
    assert.deepEqual(fs.readdirSync(home), []);
    const { client, pid } = await connect(t, { home });

    assert.deepEqual(shown(home), []);
    for (const session of ['a', 'a', 'b\u202e "ü'])
      await run(client, 'x = 1', { session });
    const [first, second] = shown(home);

    assert.deepEqual({ ...first, age_ms: 0, idle_ms: 0, bytes: 0 }, {
      name: 'a', owner: null, process: pid, language: 'python', busy: false,
      calls: 2, age_ms: 0, idle_ms: 0, bytes: 0 });
    assert.ok(first.age_ms >= first.idle_ms);
    assert.ok(first.bytes > 1e6, `${first.bytes}`);
    assert.deepEqual([second.name, second.calls], ['b\u202e "ü', 1]);
    assert.match(ran({ home, args: ['status'] }).stdout, /: clients 1, /);
    /* For people, without characters that a terminal would obey. */
    const lines = command(home, 'list').stdout.split('\n');

    assert.match(lines[0], /^process owner +language +calls +age +idle +memory {2}name$/);
    assert.match(lines[1], new RegExp(
      `^ *${pid} - +python +2 +\\d+ s +\\d+ s +\\d+\\.\\d MB {2}a$`));
    assert.match(lines[2], / {2}b\\u202e "ü$/);
    const mode = (name) => fs.statSync(name).mode & 0o777;

    assert.equal(mode(place(home)), 0o700);
    assert.equal(mode(path.join(place(home), sockets(home)[0])), 0o600);
  });

test('one that is idle ends at once; its next call is told', async (t) => {
  const home = folder(t);
  const { client } = await connect(t, { home });

  for (const session of ['a', 'b'])
    await run(client, 'x = 1', { session });
  const ended = command(home, 'end', 'a', '--json');

  assert.deepEqual([ended.status, JSON.parse(ended.stdout)],
    [0, { ended: 1 }]);
  assert.deepEqual(names(home), ['b']);
  assert.match(text(await run(client, '"x" in globals()', { session: 'a' })),
    /^False\nsession: new, as the one before has ended: it was ended with 'caisson sessions end'$/);
  assert.match(text(await run(client, 'x', { session: 'b' })), /^1\n/);
});

test('one that is busy ends with its call; calls behind it go on', async (t) => {
  const home = folder(t);
  const { client, pid } = await connect(t, { home });
  const gate = new Gate();

  await run(client, 'x = 1', { session: 'a' });
  const running = run(client, `
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
${gate.wait}`, { session: 'a' });

  await gate.reached();
  const behind = run(client, '"x" in globals()', { session: 'a' });
  const [{ busy, calls, idle_ms: idle }] = shown(home);

  assert.deepEqual([busy, calls, idle], [true, 2, 0]);
  assert.match(command(home).stdout, / busy +\d+\.\d MB {2}a\n/);
  end(home, 'a');
  const result = await running;

  assert.equal(result._meta['caisson/status'], 'cancelled');
  assert.equal(result._meta['caisson/session'].kept, false);
  assert.equal(text(result).replace(/(under )?\d+ s/, 'N s'),
    'status: cancelled\n' +
    'error: the session was ended with \'caisson sessions end\'\n' +
    'session: call 2, N s old; it has ended: it was ended with ' +
    '\'caisson sessions end\'; its state is lost, and the next call of this ' +
    'name begins a new one');
  await until(() => gate.find().length === 0, 'the end of its processes');
  assert.match(text(await behind), /^False\nsession: new, as the one before has ended: it was ended with 'caisson sessions end'$/);
  assert.ok(processOf(pid) !== undefined);
});

test('a program that was killed, or has ended, leaves nothing', async (t) => {
  const home = folder(t);
  const { client, pid } = await connect(t, { home });
  const { client: other } = await connect(t, { home });
  const { child, ended } = await serve(t, { home });

  assert.equal(sockets(home).length, 3);
  await run(client, 'x = 1', { session: 'a' });
  await run(other, 'x = 1', { session: 'b' });
  const all = [processOf(pid), ...descendants(pid)];

  process.kill(pid, 'SIGKILL');
  await gone(all);
  child.kill('SIGTERM');
  await ended;
  assert.deepEqual(names(home), ['b']);
  /* What it has left is removed when it can only have been left. */
  assert.equal(sockets(home).length, 2);
  for (const name of sockets(home))
    fs.lutimesSync(path.join(place(home), name), 1, 1);
  assert.deepEqual(names(home), ['b']);
  assert.equal(sockets(home).length, 1);
});

test('no other process holds the socket', { skip: !root }, async (t) => {
  const home = folder(t);
  const { client, pid } = await connect(t,
    { ...withServers(t, { tools: toolServer(0, 1, '/dev/null') }), home });

  const listed = await run(client, `
from mcp import runtime
await runtime.list_tools("tools")`, { session: 'a' });

  assert.equal(listed.isError, false, text(listed));
  await run(client, 'import subprocess\nsubprocess.run("true")',
    { session: 'a' });
  const name = path.join(place(home), sockets(home)[0]);
  const line = fs.readFileSync(`/proc/${pid}/net/unix`, 'utf8').split('\n')
    .find((each) => each.endsWith(`/${path.basename(name)}`));
  const socket = `socket:[${line.split(/\s+/)[6]}]`;

  assert.ok(opened(pid).includes(socket));
  const family = descendants(pid);

  assert.ok(family.filter((entry) => opened(entry.pid).length > 0).length > 4);
  /* One that was being started has all that the program has, for a moment. */
  for (const { pid: other, command: what } of family)
    await until(() => opened(other).every((link) => link !== socket &&
      !link.startsWith(place(home))), `the socket not to be held by ${what}`);
});
