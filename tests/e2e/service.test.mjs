/*
 * Caisson as a service of a user, by a real systemd --user: installed by the
 * command, called, killed, reloaded, drained, started by its socket, removed;
 * what keeps it going, and a scope of its own.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { family } from './support/processes.mjs';
import { binary, folder, once, usually } from './support/program.mjs';
import { fetchAt } from './support/serve.mjs';
import { userManager } from './support/user_manager.mjs';
import { until } from './support/wait.mjs';

usually();

const units = ['.config/systemd/user/caisson.service',
  '.config/systemd/user/caisson.socket'];

/* A client with a token, which the tests need as they are another user. */
function client(t, manager) {
  const token = manager.caisson('token', 'add', 'test').stdout.match(
    /caisson_[0-9a-f]{64}/)[0];

  /* Each at a connection of its own: one that is kept ends with the service. */
  return async (method, params) => {
    const ask = fetchAt(t, manager.socket, { token });
    const answer = await ask('http://localhost/mcp', { method: 'POST',
      headers: { 'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });

    return JSON.parse((await answer.text()).replace(/^[^{]*/, '')
      .split('\n')[0]);
  };
}

const python = (code) => ['tools/call',
  { name: 'run_python', arguments: { code } }];

test('a service of a user', async (t) => {
  const manager = await userManager(t);

  if (!manager)
    return;

  const { home, caisson, systemctl } = manager;
  const status = () => JSON.parse(caisson('service', 'status', '--json').stdout);
  const set = (settings) => Object.entries(settings).forEach((pair) =>
    assert.equal(caisson('config', 'set', ...pair).stderr, ''));
  const log = path.join(home, 'log');

  /* Installed, and the second time nothing is done. */
  set({ timeout: '90', log_level: 'info', log_file: log });
  const first = caisson('service', 'install');

  assert.equal(first.status, 0, first.stderr);
  assert.match(first.stdout,
    /^wrote .*socket\nwrote .*service\ncaisson.socket and .* are enabled and started\n/);
  const begun = status();

  assert.doesNotMatch(caisson('service', 'install').stdout, /wrote/);
  assert.equal(status().MainPID, begun.MainPID);
  assert.equal(begun.ActiveState, 'active');
  assert.equal(begun.UnitFileState, 'enabled');
  assert.equal(begun.Linger, false);
  assert.match(begun.StatusText, /^serving: clients 0, boxes \d+, calls 0/);
  assert.match(caisson('service', 'status').stdout,
    /lingering is off: .*loginctl enable-linger/);
  for (const unit of units)
    assert.equal(manager.run('/usr/bin/systemd-analyze', ['--user', '--man=no',
      'verify', path.join(home, unit)]).stderr, '');

  /* Killed: a request waits at the socket until it has started again. */
  const ask = client(t, manager);

  assert.match(JSON.stringify(await ask(...python('print(6 * 7)'))), /42/);
  process.kill(Number(begun.MainPID), 'SIGKILL');
  await until(() => status().MainPID !== begun.MainPID, 'its end');
  assert.match(JSON.stringify(await ask(...python('print(6 * 7)'))), /42/);
  assert.equal(status().NRestarts, '1');

  /* Reloaded: what can change has changed, and the rest is told. */
  set({ timeout: '91', memory: '256m' });
  const { MainPID: pid } = status();

  assert.equal(systemctl('reload', 'caisson.service').status, 0);
  await until(() => /read again/.test(fs.readFileSync(log, 'utf8')),
    'the end of reading');
  assert.match(fs.readFileSync(log, 'utf8'), /when Caisson is restarted: memory/);
  assert.match(JSON.stringify(await ask('tools/list', {})), /default.{0,20}91/);
  assert.equal(status().MainPID, pid);
  assert.equal(status().ActiveState, 'active');

  /* A setting with a fault changes none. */
  fs.writeFileSync(path.join(home, '.config/caisson/config.json'),
    '{"timeout": "never"}');
  systemctl('reload', 'caisson.service');
  await until(() => /settings stay as they were[^]*\btokens and servers have been/
    .test(fs.readFileSync(log, 'utf8')), 'the end of reading');
  assert.doesNotMatch(fs.readFileSync(log, 'utf8'), /as they were[^]*settings, t/);
  set({ timeout: '91' });

  /* Stopped: a call that runs is answered. The socket starts it again. */
  const running = ask(...python('import time\ntime.sleep(90)'));

  await until(() => /calls 1/.test(status().StatusText), 'the call');
  assert.equal(systemctl('stop', 'caisson.service').status, 0);
  assert.match(JSON.stringify(await running), /Caisson is shutting down/);
  assert.equal(status().ActiveState, 'inactive');
  assert.match(JSON.stringify(await ask(...python('print(6 * 7)'))), /42/);
  assert.equal(status().ActiveState, 'active');

  /* Without a manager, nothing is written that only it could remove. */
  const elsewhere = folder(t);

  assert.match(manager.run(binary, ['service', 'install'], { HOME: elsewhere,
    XDG_RUNTIME_DIR: '/nowhere', DBUS_SESSION_BUS_ADDRESS: '' }).stderr,
  /Failed to connect to bus/);
  assert.deepEqual(fs.readdirSync(elsewhere), []);

  /* A unit of the user stays, and nothing else is done. */
  const [, own] = units.map((unit) => path.join(home, unit));
  const ours = fs.readFileSync(own, 'utf8');

  for (const verb of ['install', 'remove']) {
    fs.writeFileSync(own, '[Socket]\n');
    assert.match(caisson('service', verb).stderr,
      /caisson.socket was not written by 'caisson service install'/);
    assert.equal(fs.readFileSync(own, 'utf8'), '[Socket]\n');
    assert.ok(manager.exists(units[0]));
  }
  fs.writeFileSync(own, ours);

  /* Without a manager, files are removed, and what may run is told. */
  const unmanaged = manager.run(binary, ['service', 'remove'],
    { XDG_RUNTIME_DIR: '/nowhere', DBUS_SESSION_BUS_ADDRESS: '' });

  assert.match(unmanaged.stdout, /^removed .*service\n$/);
  assert.match(unmanaged.stderr,
    /service was not stopped, if it runs .*: Failed to connect to bus/);
  assert.deepEqual(fs.readdirSync(path.join(home, '.config/systemd/user'),
    { recursive: true }), ['default.target.wants', 'sockets.target.wants']);
  assert.equal(caisson('service', 'install').status, 0);

  /* Removed, and the second time nothing is done. */
  assert.match(caisson('service', 'remove').stdout, /^removed .*service\n/);
  assert.match(caisson('service', 'remove').stdout, /^there is no .*service\n/);
  assert.deepEqual(units.filter(manager.exists), []);
  assert.equal(status().ActiveState, 'inactive');
});

const source = (name) => fs.readFileSync(
  new URL(`../../${name}`, import.meta.url), 'utf8');
const page = source('man/caisson-serve.7.in');

test('what keeps a service going', once, async (t) => {
  const manager = await userManager(t);

  if (!manager)
    return;

  const { home, caisson, systemctl } = manager;
  const show = (name) => systemctl('show', '--value', '--property', name,
    'caisson.service').stdout.trim();
  const again = (pid) => until(() => show('MainPID') !== pid &&
    show('ActiveState') === 'active', 'another process');
  const stricter = page.match(/edit caisson.service\n(\[Service\]\nNo[^]*?)\.Ed/)[1];

  /* In the stricter unit of the page. The default counts starts in a minute. */
  const drop = (more) => {
    const drops = path.join(home, '.config/systemd/user/caisson.service.d');

    fs.mkdirSync(drops, { recursive: true });
    fs.writeFileSync(path.join(drops, 'test.conf'), `[Unit]
StartLimitIntervalSec=1h\n${stricter}WatchdogSec=10\n${more}`);
    assert.equal(systemctl('daemon-reload').stderr, '');
  };

  assert.equal(caisson('service', 'install').stderr, '');
  drop('');
  systemctl('restart', 'caisson.service');

  const ask = client(t, manager);

  assert.match(JSON.stringify(await ask(...python('print(6 * 7)'))), /42/);

  /* Its loop hangs. */
  const hung = show('MainPID');

  process.kill(Number(hung), 'SIGSTOP');
  await again(hung);
  assert.equal(show('NRestarts'), '1');

  /* All below it hangs: it ends by itself, before it would be killed. */
  ask(...python('import time\ntime.sleep(900)')).catch(() => null);
  await until(() => /calls 1/.test(show('StatusText')), 'the call');
  for (const { pid } of family(Number(show('MainPID'))))
    process.kill(pid, 'SIGSTOP');
  systemctl('stop', 'caisson.socket', 'caisson.service');
  assert.equal(show('Result'), 'success');

  /* A setting with a fault: it is not started again. */
  drop('Environment=CAISSON_TIMEOUT=never\n');
  assert.notEqual(systemctl('start', 'caisson.service').status, 0);
  assert.equal(show('ActiveState'), 'failed');
  assert.equal(show('ExecMainStatus'), '2');

  /* But for a client, until both stay ended. */
  ask(...python('1')).catch(() => null);
  await until(() => systemctl('is-failed', 'caisson.socket').status === 0,
    'their failure');

  /* One that fails again and again is not, either, until that is forgotten. */
  drop('');
  systemctl('reset-failed', 'caisson.socket', 'caisson.service');
  assert.equal(systemctl('start', 'caisson.service').status, 0);
  for (let n = 1; n <= 5; n++) {
    const pid = show('MainPID');

    process.kill(Number(pid), 'SIGKILL');
    await (n === 5 || again(pid));
  }
  await until(() => systemctl('is-failed', 'caisson.socket').status === 0,
    'their failure');
  systemctl('reset-failed', 'caisson.socket', 'caisson.service');
  systemctl('start', 'caisson.socket', 'caisson.service');
  assert.match(JSON.stringify(await ask(...python('print(6 * 7)'))), /42/);
});

test('times of the unit, and reasons for what its exposure counts', (t) => {
  const at = folder(t);
  const unit = path.join(at, 'caisson.service');
  const text = source('supervisor/command/service/caisson.service.in');
  const limit = (name) => Number(source('common/limits.h').match(
    `define ${name} (\\d+)`)[1]);

  /* It ends by itself before it would be killed. */
  assert.ok(limit('BOX_DRAIN_MS') < limit('SHUTDOWN_DRAIN_MS'));
  assert.ok(limit('SHUTDOWN_DRAIN_MS') + limit('SHUTDOWN_REAP_MS') + 1000 <
    1000 * Number(text.match(/TimeoutStopSec=(\d+)/)[1]));
  fs.writeFileSync(unit, text.replace('@CAISSON@', '/bin/true'));

  const done = spawnSync('systemd-analyze', ['--user', 'security',
    '--offline=true', '--json=short', unit],
  { env: { ...process.env, XDG_RUNTIME_DIR: at }, encoding: 'utf8' });

  if (done.status !== 0)
    return t.skip(`no systemd-analyze: ${done.stderr}`);

  const reasons = page.match(/\.Ss Exposure[^]*/)[0];
  const counted = JSON.parse(done.stdout).filter(({ set }) => set === false)
    .map(({ name }) => name.split('=')[0]);

  assert.ok(counted.length > 50);
  assert.deepEqual(counted.filter((name) => !reasons.match(
    `\n\\.It Cm.* ${name}[ \n]`)), []);
});

test('a scope of its own', async (t) => {
  const manager = await userManager(t);

  if (!manager)
    return;

  const file = path.join(manager.home, 'print.py');
  const offered = /memory/.test(manager.run('/bin/cat',
    [`${manager.group}/cgroup.controllers`]).stdout);
  const exec = (cgroup) => manager.run(binary, ['exec', file],
    { CAISSON_CGROUP: cgroup });

  fs.writeFileSync(file, 'print(6 * 7)');

  /* A program that runs alone gets a scope of its own. */
  const scoped = exec('required');

  if (offered)
    assert.equal(scoped.status, 0, scoped.stderr);
  else
    assert.match(scoped.stderr,
      /required .*caisson-\d+-\d+\.scope: the controller memory is not enabled/);

  /*
   * systemd-run fails or hangs: a start for a client goes on without, after one
   * warning; where the scope would limit nothing, it is not tried.
   */
  const fake = path.join(manager.home, 'systemd-run');

  for (const [script, why] of [['exec sleep 900', 'no answer'],
    ['echo Failed to start transient scope unit: no >&2; exit 1',
      'Failed to start transient scope unit: no']]) {
    fs.writeFileSync(fake, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    manager.replace('/usr/bin/systemd-run', fake);

    const { status, stderr } = manager.caisson('run');

    assert.equal(status, 0);
    assert.match(stderr, !offered ? /^$/ :
      new RegExp(`^[^\n]*no scope, .*run: ${why}[^\n]*\n$`));
    assert.match(exec('required').stderr,
      new RegExp(`required .*makes no scope: .*run: ${why}`));
    assert.equal(exec('auto').stderr, '');
  }
});
