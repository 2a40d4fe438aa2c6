/*
 * Settings: by flag, by environment, by file; what is wrong with one is said
 * at the start, in one sentence, and nothing else happens.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { write } from './support/home.mjs';
import { childrenEver, descendants } from './support/processes.mjs';
import {
  commandLine, contained, file, folder, nativeOnly, once, ran, root, rounds,
  uid, usually, withoutPool,
} from './support/program.mjs';
import { Raw } from './support/raw.mjs';

usually();

withoutPool();

const hosts = nativeOnly('interpreters of the host');

/* Runs the program to its end, with no input. */
function program(t, options) {
  const done = ran({ ...options, home: options.home ?? folder(t) });

  assert.equal(done.error, undefined);
  return done;
}

/* A home folder with this configuration file. */
function homeWith(t, content) {
  const home = folder(t);

  write(home, '.config/caisson/config.json',
    typeof content === 'string' ? content : JSON.stringify(content), 0o644);
  return home;
}

/* Refused at start: status 2, one sentence with all of these in it. */
function assertRefused(t, options, ...words) {
  const { status, stdout, stderr } = program(t, options);

  assert.equal(status, 2, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, /^caisson: [^\n]+\n$/, 'one sentence');
  for (const word of words) {
    assert.ok(word instanceof RegExp ? word.test(stderr) :
      stderr.includes(word), `${JSON.stringify(stderr)} names ${word}`);
  }
}

/* [option, a wrong value, what the sentence says is allowed] */
const wrong = [
  ['RUNTIME', 'nativ', 'native'], ['IMAGE', 'a b', 'without blanks'],
  ['CONTAINER_USER', '0:1', 'two numbers'],
  ['RUNTIME_IDLE_TIMEOUT', '-1', '0 to'], ['TIMEOUT', '30 s', /1s to/],
  ['MAX_TIMEOUT', '25h', /1s to/], ['MEMORY', '15m', /16m to/],
  ['PIDS', '7', /8 to 32768/],
  ['CPUS', '1.234', /at most two decimal places from 0 to 1024/],
  ['MAX_OUTPUT', '17m', /1k to 16m/], ['MAX_CODE', '1023', /1k to 16m/],
  ['MAX_CONCURRENT', '0', /1 to 1024/], ['QUEUE', '-1', /0 to 10000/],
  ['QUEUE_TIMEOUT', '2d', /1s to/], ['PYTHON', './python3', /absolute path/],
  ['OUTPUT_MODE', 'xml', /compact, toon, json/],
  ['LOG_LEVEL', 'verbose', /error, warn, info, debug/],
  ['TOOL_TIMEOUT', '0', /1s to/], ['AUDIT_FILE', '../x', /absolute path/],
  ['LOG_FILE', 'caisson.log', /absolute path/],
];

test('wrong values are refused, however they are set', once, async (t) => {
  for (const [i, [name, value, allowed]] of wrong.entries()) {
    const key = name.toLowerCase();
    const flag = `--${key.replace(/_/g, '-')}`;
    const forms = [
      [{ env: { [`CAISSON_${name}`]: value } }, `CAISSON_${name}`],
      [{ args: [flag, value] }, flag], [{ args: [`${flag}=${value}`] }, flag],
      [{ home: homeWith(t, { [key]: value }) }, 'config.json'],
      [{ args: ['--check'], env: { [`CAISSON_${name}`]: value } },
        `CAISSON_${name}`],
    ];

    /* Each by one form, and each form for some. */
    for (const [options, as] of i === 0 ? forms : [forms[i % forms.length]])
      assertRefused(t, options, as, value, allowed);
  }
  assertRefused(t, { args: ['--timeout'] }, '--timeout', /1s to/);
});

test('unknown names are refused, the near ones with a hint', async (t) => {
  assertRefused(t, { env: { CAISSON_TIMOUT: '30' } },
    'CAISSON_TIMOUT', 'CAISSON_TIMEOUT');
  assertRefused(t, { args: ['--timout', '30'] }, '--timout', '--timeout');
  assertRefused(t, { args: ['selftes'] }, 'selftes', "'caisson selftest'");
  assertRefused(t, { home: homeWith(t, { timout: 30 }) }, 'timout',
    'timeout', 'config.json');
});

test('variables of earlier systems are accepted with a warning', (t) => {
  const { status, stderr } = program(t,
    { args: ['--check'], env: { MCP_BRIDGE_SOMETHING_ELSE: 'python:3.14-slim' } });

  assert.equal(status, 0, stderr);
  assert.match(stderr, /MCP_BRIDGE_SOMETHING_ELSE/);
  assertRefused(t, { env: { CAISSON_SOMETHING_ELSE: 'python:3.14-slim' } },
    'CAISSON_SOMETHING_ELSE');
});

test('bad configuration files are refused', (t) => {
  const table = [
    ['{"timeout": 30,}', /line 1/], ['[]', /object/],
    ['{"timeout": null}', /timeout/], ['', /JSON/],
    ['{"timeout": 30, "timeout": 31}', /duplicate/i],
    [`{"timeout": 30}${' '.repeat(2_000_000)}`, /large/],
  ];

  for (const [content, words] of table)
    assertRefused(t, { home: homeWith(t, content) }, 'config.json', words);
});

/* By the start, and by --check. */
function assertFileRefused(t, name, place, ...words) {
  for (const args of [[], ['--check']])
    assertRefused(t, { args, env: { [name]: place } }, place, ...words);
}

test('a log file that cannot be opened is refused', (t) => {
  const pipe = path.join(folder(t), 'pipe');

  execFileSync('mkfifo', ['-m', '666', pipe]);
  for (const place of ['/no/such/folder/log', folder(t), '/proc/log', pipe])
    assertFileRefused(t, 'CAISSON_LOG_FILE', place, 'CAISSON_LOG_FILE');
});

test('--check refuses the limits that the start refuses', (t) => {
  for (const [limit, words] of [['--nofile=64:64', /descriptors/],
    ['--fsize=0:0', /RLIMIT_FSIZE/]])
    for (const args of [[], ['--check']])
      assertRefused(t, { args, under: ['/usr/bin/prlimit', limit] }, words);
  /* With a delegated cgroup both are content. */
  const ends = [[], ['--check']].map((args) =>
    program(t, { args: [...args, '--cpus', '1.5'] }));

  assert.equal(ends[1].status, ends[0].status, ends[1].stderr);
  assert.equal(ends[1].stderr, ends[0].stderr);
});

test('an audit file that others write to, or lead to, is refused', (t) => {
  const audit = file(t, 'audit', '');
  const link = path.join(folder(t), 'link');

  fs.chownSync(audit, uid, uid === process.getuid() ? process.getgid() : uid);
  fs.chmodSync(audit, 0o620);
  fs.symlinkSync('/tmp/audit', link);
  assertFileRefused(t, 'CAISSON_AUDIT_FILE', audit,
    'can be written by other users');
  assertFileRefused(t, 'CAISSON_AUDIT_FILE', link, 'is a symbolic link');
});

test('--help, --version and --check', async (t) => {
  await t.test('--help lists every option', (s) => {
    const { status, stdout, stderr } = program(s, { args: ['--help'] });

    assert.equal(status, 0);
    assert.equal(stderr, '');
    for (const [name] of wrong)
      assert.ok(stdout.includes(`--${name.toLowerCase().replace(/_/g, '-')}`),
        name);
    assert.match(stdout, /^  --servers-config PATH$/m);
    for (const action of ['--help', '--version', '--check', '--selftest'])
      assert.ok(stdout.includes(action));
    for (const line of stdout.split('\n'))
      assert.ok(line.length < 80, line);
  });

  await t.test('--help comes whatever else is wrong', (s) => {
    assert.equal(program(s, { args: ['--help'],
      env: { CAISSON_TIMEOUT: 'x' } }).status, 0);
  });

  await t.test('commands', (s) => {
    const home = homeWith(s, { memory: '256m' });

    for (const [words, look] of [
      [['help'], /^ {2}selftest +Test/m], [['-h'], /^ {2}selftest +Test/m],
      [['-h'], /^ {2}memory list\|show\|remove\|clear$/m],
      [['--help'], /^What code keeps:\n {2}memory list /m],
      [['--help'], /^Languages:\n {2}--python PATH$/m],
      [['--help'], /^Examples:\n {2}caisson selftest/m],
      [['--help'], /^Exit status: 0 .* 1 .* 2 /m],
      [['help', 'output-mode'], /^ {2}--output-mode WORD\n.*compact/s],
      [['help', 'listen'], /^ +--listen ADDRESS.*unix:PATH/ms],
      [['help', 'serve'], /^ {2}serve .*^ {2}--allow-host NAME/ms],
      [['config', 'show', '--listen', 'unix:/a', '--listen=[::1]:0'],
        /^listen +unix:\/a,\[::1\]:0 +flag$/m],
      [['help', 'dry-run'], /^ +--dry-run .*^ {2}adopt CLIENT/ms],
      [['help', 'memory'], /^ {2}memory show KEY/m],
      [['files', '-h'], /^ {2}files save NAME \[PATH\]/m],
      [['version'], /^caisson \d/], [['-V'], /^caisson \d/],
      [['client'], /^cursor$/m], [['client', 'Cursor'], /mcpServers/],
      [['config'], /^memory +256m +file$/m],
      [['config', 'show', '--pids=9'], /^pids +9 +flag$/m],
      [['config', 'check'], /^memory +256m +file$/m],
      [['servers'], /^No servers\. 'caisson servers add' [^\n]*\n$/],
      [['servers', 'list'], /^No servers\. 'caisson servers add' [^\n]*\n$/],
      [['servers', 'test'], /^No servers are configured/],
    ]) {
      const { status, stdout, stderr } = program(s, { home, args: words });

      assert.equal(status, 0, stderr);
      assert.match(stdout, look, words.join(' '));
    }
  });

  await t.test('--check says what holds and where it comes from', (s) => {
    const home = homeWith(s, { memory: '256m', pids: 64 });
    const { status, stdout } = program(s, { home,
      args: ['--check', '--timeout', '7'], env: { CAISSON_PIDS: '32' } });

    assert.equal(status, 0);
    assert.match(stdout, /^timeout +7s? +flag$/m);
    assert.match(stdout, /^pids +32 +CAISSON_PIDS$/m);
    assert.match(stdout, /^memory +256m +file$/m);
    assert.match(stdout, /^max-output +64k +default$/m);
    assert.ok(stdout.includes(path.join(home, '.config/caisson/config.json')));
  });
});

test('config set writes one checked member, and config show shows it', (t) => {
  const home = homeWith(t, { memory: '256m', pids: 64, cpus: 1.1 });
  const place = path.join(home, '.config/caisson/config.json');
  const set = (...args) => program(t, { home, args: ['config', 'set', ...args],
    env: { CAISSON_PIDS: '32' } });

  assert.equal(set('max-output', '8k').stdout,
    `${place}: max_output is "8k"\n`);
  assert.match(set('pids', '50').stderr, /^caisson: CAISSON_PIDS is set, too/m);
  assert.equal(set('memory', 'x').status, 2);
  /* What config check would refuse. */
  for (const [key, value] of [['log_file', '/nope/log'],
    ...contained ? [] : [['python', '/nope']]])
    assert.match(set(key, value).stderr, /^caisson: config set: .*\/nope/);
  assert.deepEqual(JSON.parse(fs.readFileSync(place, 'utf8')),
    { memory: '256m', pids: '50', cpus: 1.1, max_output: '8k' });

  const { stdout } = program(t, { home, args: ['config', 'show'],
    env: { XDG_RUNTIME_DIR: '/run/me' } });
  const lines = stdout.trimEnd().split('\n');

  assert.match(stdout, /^max-output +8k +file$/m);
  assert.ok(lines.some((line) =>
    /^state-dir +(\S+) +default$/.exec(line)?.[1] ===
      path.join(home, '.local/state/caisson')));
  assert.match(stdout, /^listen +unix:\/run\/me\/caisson\/mcp.sock +default$/m);
  assert.match(lines.at(-1), new RegExp(`^config.json +${place} read$`));
  /* All values begin in the same column. */
  assert.deepEqual(lines.filter((line) => !/^\S+ +\S/.test(line) ||
    line.match(/^\S+ +/)[0].length !== lines[0].match(/^\S+ +/)[0].length),
  []);

  const fresh = folder(t);

  assert.equal(program(t, { home: fresh,
    args: ['config', 'set', 'timeout', '9'] }).status, 0);
  assert.match(program(t, { home: fresh, args: ['config'] }).stdout,
    /^timeout +9s +file$/m);
});

test('config set replaces a wrong value of any type', (t) => {
  for (const [before, key, value] of [
    [{ timeout: '99x' }, 'timeout', '30'], [{ runtime: 'oci' }, 'runtime',
      'native'], [{ timeout: 300 }, 'max-timeout', '400'],
    [{ pids: {} }, 'pids', '64']]) {
    const { status, stderr } = program(t, { home: homeWith(t, before),
      args: ['config', 'set', key, value] });

    assert.equal(status, 0, stderr);
  }
  const { status, stderr } = program(t, { home: homeWith(t,
    { timeout: '99x' }), args: ['config', 'set', 'pids', '64'] });

  assert.equal(status, 2);
  assert.match(stderr, /:timeout is "99x", but must be /);
});

test('a flag wins over the environment, that over the file', async (t) => {
  const home = homeWith(t, { timeout: '9s', max_timeout: 90 });
  const table = [
    [{ home }, 9, 90],
    [{ home, env: { CAISSON_TIMEOUT: '8' } }, 8, 90],
    [{ home, env: { CAISSON_TIMEOUT: '8' }, args: ['--timeout=7'] }, 7,
      90],
    [{ home, env: { MCP_BRIDGE_TIMEOUT: '8' } }, 8, 90],
    [{ home, env: { MCP_BRIDGE_TIMEOUT: '5', CAISSON_TIMEOUT: '8' } }, 8, 90],
    [{ home, args: ['--timeout', '6', '--max-timeout', '1m'] }, 6, 60],
    [{ env: { XDG_CONFIG_HOME: path.join(home, '.config') } }, 9, 90],
    [{}, 30, 120],
  ];

  for (const [options, preset, longest] of table) {
    const raw = await Raw.open(t, options);
    const { result } = await raw.request('tools/list');
    const { timeout } = result.tools[0].inputSchema.properties;

    assert.equal(timeout.default, preset);
    assert.equal(timeout.maximum, longest);
    await raw.finish();
  }
});

test('initialize and lists are answered before any process is started',
  async (t) => {
    const raw = await Raw.open(t);
    /* An engine is tried before the program answers. */
    const before = contained ? childrenEver(raw.pid) : 0;

    await raw.request('tools/list');
    await raw.request('resources/list');
    await raw.ping();
    assert.deepEqual(descendants(raw.pid), []);
    assert.equal(childrenEver(raw.pid), before);
    await raw.finish();
  });

test('output that cannot be written is an error', (t) => {
  const lost = (args, to) => {
    const [command, ...rest] = commandLine({ args, home: folder(t) });

    return spawnSync('/bin/sh', ['-c', `"$@" ${to}; echo $? >&2`, 'sh', command,
      ...rest], { encoding: 'utf8' }).stderr;
  };

  for (const args of [['--help'], ['version'], ['config', 'show'],
    ['memory', 'list'], ['completion', 'zsh']]) {
    assert.match(lost(args, '> /dev/full'),
      /^caisson: standard output could not be written[^\n]*\n1\n$/);
    /* A reader that has enough is not told. */
    assert.doesNotMatch(lost(args, '| :'), /could not be written/);
  }
});

test('an interpreter that is not there is refused', hosts, async (t) => {
  for (const args of [[], ['config', 'check'], ['selftest']])
    assertRefused(t, { args, env: { CAISSON_PYTHON: '/no/such/python3' } },
      'CAISSON_PYTHON is /no/such/python3, which does not exist');
});

/* What settings may be, good and bad, some only together with others. */
const choices = {
  TIMEOUT: ['5', '1m', '25h', '300'], MAX_TIMEOUT: ['1m', '1h', '0'],
  MEMORY: ['64m', '1GiB', '1m'], PIDS: ['16', '7'], CPUS: ['0', '1.5', 'x'],
  PYTHON: ['/usr/bin/python3', '/no/python', 'python3'],
  TOOLS: ['run_python', 'run_code', 'run'], PRELOAD: ['', 'json', '1x'],
  SHELL: ['/bin/sh', 'sh'], POOL: ['0', 'auto', '-1'],
  LOG_FILE: ['', '/dev/null', '/proc/none/x', 'x'],
  AUDIT_FILE: ['', '/proc/none/x'], STATE_DIR: ['', 'x', '/no/dir'],
  LOG_LEVEL: ['error', 'warning', 'all'], ECHO: ['on', 'maybe'],
  /* One that is not there refuses a check, and warns at the start. */
  SERVERS_CONFIG: ['', '/dev/null'], FRILL: ['', '1'],
};

/* The same in every run. */
function* settings(count) {
  let state = 1;
  const below = (most) => {
    state = (state * 48271) % 2147483647;
    return state % most;
  };

  for (let n = 0; n < count; n++) {
    const env = {};

    for (const [name, values] of Object.entries(choices))
      if (below(6) === 0)
        env[`CAISSON_${name}`] = values[below(values.length)];
    yield env;
  }
}

test('what config check passes, starts, and nothing else does', once,
  async (t) => {
    let passed = 0;
    const count = rounds(20, 150);

    for (const env of settings(count)) {
      const check = program(t, { args: ['config', 'check'], env });
      const start = program(t, { env });

      assert.equal(start.status, check.status,
        `${JSON.stringify(env)} ${check.stderr} ${start.stderr}`);
      assert.ok([0, 2].includes(check.status), check.stderr);
      if (check.status === 0)
        passed++;
    }
    assert.ok(passed > 0 && passed < count, `${passed}`);
  });

test('an interpreter that is none fails the call', hosts, async (t) => {
  const raw = await Raw.open(t, {
    env: { CAISSON_PYTHON: '/usr/bin/true' } });
  const { isError, structuredContent } = await raw.run('print(1)');

  assert.equal(isError, true);
  assert.equal(structuredContent.status, 'error');
  assert.ok(structuredContent.error.length > 10);
  await raw.ping();
  await raw.finish();
});

test('the log', async (t) => {
  await t.test('is silent when all is well', async (s) => {
    const raw = await Raw.open(s);

    await raw.run('print(1)');
    await raw.run('1/0');
    await raw.finish();
    assert.equal(raw.errors, '');
  });

  await t.test('tells more when asked, in lines with a prefix',
    async (s) => {
      const raw = await Raw.open(s, { env: { CAISSON_LOG_LEVEL: 'debug' } });

      await raw.run('print(1)');
      await raw.finish();
      assert.match(raw.errors, /^caisson: /m);
      for (const line of raw.errors.trimEnd().split('\n'))
        assert.match(line, /^[a-z]+(\[\d+\])?: [\x20-\x7e]+$/);
    });

  await t.test('goes to a file, and is appended there', async (s) => {
    const place = folder(s);
    const log = path.join(place, 'caisson.log');
    const env = { CAISSON_LOG_LEVEL: 'debug', CAISSON_LOG_FILE: log };
    let size = 0;

    for (let i = 0; i < 2; i++) {
      const raw = await Raw.open(s, { env });

      await raw.run('print(1)');
      await raw.finish();
      assert.equal(raw.errors, '');
      assert.ok(fs.statSync(log).size > size);
      size = fs.statSync(log).size;
    }
    assert.equal(fs.statSync(log).mode & 0o077, 0, 'for its user only');
    assert.equal(fs.statSync(log).uid, uid);
  });

  await t.test('is that of serving: commands tell their user', (s) => {
    const log = path.join(folder(s), 'log');
    const env = { CAISSON_LOG_FILE: log };

    for (const args of [['memory', 'show', 'none'], ['servers', 'test']])
      program(s, { args, env });
    assert.ok(!fs.existsSync(log));
    assert.match(program(s, { args: ['memory', 'show', 'none'], env }).stderr,
      /^caisson: memory "none": there is no memory[^\n]*\n$/);
    /* A container has the interpreter of its image. */
    const setting = contained ? '--runtime' : '--python';

    assertRefused(s, { args: [setting, '/none'], env }, setting, '/none');
    assert.match(fs.readFileSync(log, 'utf8'), contained ?
      /^caisson: \/none is not podman/ : /^caisson: --python is \/none/);
  });
});

test('secrets of our environment stay where they are', async (t) => {
  const secret = 'secret-4f1a7c93';
  const raw = await Raw.open(t, { env: {
    API_TOKEN: secret, CAISSON_LOG_LEVEL: 'debug',
    PYTHONPATH: `/${secret}`, LD_LIBRARY_PATH: `/${secret}`,
    HTTPS_PROXY: `http://user:${secret}@localhost` } });
  const gate = new Gate();
  const id = raw.postCall(gate.wait);

  await gate.reached();
  const family = descendants(raw.pid);

  assert.ok(family.length > 2);
  for (const { pid, name } of family) {
    let environment = '';

    try {
      environment = fs.readFileSync(`/proc/${pid}/environ`, 'latin1');
    } catch (error) {
      assert.ok(!root && error.code === 'EACCES', `${name}: ${error.message}`);
    }
    assert.ok(!environment.includes(secret), `${name} knows the secret`);
  }
  gate.open();
  await raw.result(id);
  await raw.finish();
  assert.ok(raw.errors.length > 0);
  assert.ok(!raw.errors.includes(secret));
});

test('code is in no command line and in no log', async (t) => {
  const raw = await Raw.open(t, { env: { CAISSON_LOG_LEVEL: 'debug' } });
  const gate = new Gate();
  const id = raw.postCall(
    `password = "hunter2-9c41"\n${gate.wait}\nprint(password)\n1/0`);

  await gate.reached();
  for (const { command } of descendants(raw.pid))
    assert.doesNotMatch(command, /hunter2/);
  gate.open();
  await raw.result(id);
  await raw.finish();
  assert.doesNotMatch(raw.errors, /hunter2/);
});

test('limits presets other settings, but not those that are set', (t) => {
  const home = folder(t);
  const show = (env) => Object.fromEntries(JSON.parse(program(t, { home,
    args: ['config', 'show', '--json'], env }).stdout).settings
    .map(({ name, value, source }) => [name, [value, source]]));
  const strict = show({ CAISSON_LIMITS: 'strict', CAISSON_PIDS: '64' });
  const permissive = show({ CAISSON_LIMITS: 'permissive' });

  assert.deepEqual(strict.pids, ['64', 'CAISSON_PIDS']);
  assert.deepEqual(strict.memory, ['128m', 'limits strict']);
  assert.deepEqual(strict.max_timeout, ['30s', 'limits strict']);
  assert.deepEqual(permissive.timeout, ['2m', 'limits permissive']);
  assert.deepEqual(permissive.queue, ['64', 'default']);
  assert.deepEqual(show({ CAISSON_LIMITS: 'default' }).memory,
    ['512m', 'default']);
  /* Of these, only the longest is set: the other follows. */
  assert.deepEqual(show({ CAISSON_LIMITS: 'strict',
    CAISSON_MAX_TIMEOUT: '5' }).timeout, ['5s', 'limits strict']);

  const done = program(t, { home, env: { CAISSON_LIMITS: 'strict' },
    args: ['exec', file(t, 'p.py', 'print(1); x = bytearray(200 << 20)')] });

  assert.match(done.stdout, /^1\n$/);
  assert.match(done.stderr, /MemoryError|ran out of memory \(limit 128 MiB\)/);
});
