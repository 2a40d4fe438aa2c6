/*
 * caisson exec: a program runs as the call of a client, its output and its exit
 * status are passed on, pictures and files go to a folder.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { encode } from './support/png.mjs';
import {
  commandLine, file, folder, nativeOnly, ran, usually,
} from './support/program.mjs';
import { example, withServers } from './support/servers.mjs';
import { until } from './support/wait.mjs';

usually();

function run(t, args, input = '', options = {}) {
  const home = options.home ?? folder(t);
  const [command, ...rest] =
    commandLine({ ...options, args: ['exec', ...args], home });

  return spawnSync(command, rest,
    { cwd: home, input, encoding: 'utf8', timeout: 300_000,
      stdio: [options.stdin ?? 'pipe', 'pipe', 'pipe'] });
}

const programs = [
  ['print(6 * 7)', [], 0, /^42\n$/, /^$/],
  ['6 * 7', ['-'], 0, /^42\n?$/, /^$/],
  ['import sys; print(1); print(2, file=sys.stderr); sys.exit(3)', [], 3,
    /^1\n$/, /^2\n$/],
  ['1 / 0', [], 1, /^$/, /ZeroDivisionError/],
  ['echo hi; exit 4', ['--language', 'bash'], 4, /^hi\n$/, /^$/],
  ['print("\\x1b[31m")', [], 0, /^\x1b\[31m\n$/, /^$/],
  ['print(1)\nwhile True: pass', ['--timeout', '1'], 124, /^1\n$/,
    /^caisson: Execution timed out after 1s; set --timeout, up to \d+/],
  ['import os; os.abort()', [], 134, /^$/, /^caisson: .*SIGABRT/],
  ['print("x" * 99999)', ['--max-output', '4k'], 0, /^x{99999}\n$/, /^$/],
  ['1', ['--servers', 'nope,other'], 2, /^$/, /^caisson: .*"nope"/],
  ['1', ['--out', ''], 2, /^$/, /^caisson: --out is "", but must be a folder/],
  ['print(1)', ['--timeout', '50'], 0, /^1\n$/,
    /^note: timeout was lowered from 50 to 30 seconds/,
    { CAISSON_LANGUAGE_LIMITS: 'python3:strict' }],
  ['1', [], 2, /^$/,
    /^caisson: CAISSON_LANGUAGE_LIMITS .* "pyhton", which .*: did you mean python\?/,
    { CAISSON_LANGUAGE_LIMITS: 'bash:default,pyhton:strict' }],
  ['2', ['--runtime', 'native'], 2, /^$/,
    /^caisson: .* "ruby", .*: the languages are python, .*; one that is an im/m,
    { CAISSON_LANGUAGE_LIMITS: 'ruby:strict' }],
  ['x', ['--language', 'klingon', '--runtime', 'native'], 2, /^$/,
    /^caisson: unknown language "klingon": .* an image needs --runtime podman or/m],
  ['\xff', [], 2, /^$/, /^caisson: the program standard input is not UTF-8/],
];

/* Debian's own Node.js, which starts and then refuses the code. */
if (Number.parseInt(process.versions.node, 10) < 22)
  programs.push(['1', ['--language', 'js', '--runtime', 'native'], 1, /^$/,
    /^caisson: the code was not run: Node\.js [\d.]+ is too old[^\n]*\n$/m,
    { CAISSON_JAVASCRIPT: process.execPath }]);

for (const [code, args, status, out, error, env] of programs)
  test(`${code} ${args.join(' ')}`, (t) => {
    const done = run(t, args, code === '\xff' ? Buffer.from([0xff]) : code,
      { env });

    assert.equal(done.status, status, done.stderr);
    assert.match(done.stdout, out);
    assert.match(done.stderr, error);
  });

test('a program in a file gets standard input', (t) => {
  const program = file(t, 'p.py',
    'import sys; print(sys.stdin.buffer.read()[-4:])');

  assert.equal(run(t, [program], Buffer.from('1\n\xff\0', 'latin1')).stdout,
    "b'1\\n\\xff\\x00'\n");
  assert.equal(run(t, [program], '').status, 0);
  assert.match(run(t, [program], Buffer.alloc(2 << 20)).stderr,
    /standard input has more than the 1 MiB that a program is given/);
  assert.match(run(t, [program], '', { stdin: fs.openSync('/') }).stderr,
    /standard input cannot be read: Is a directory; /);
  assert.match(run(t, [file(t, 'l.py', '€'.repeat(4e5))]).stderr,
    /l\.py has more than the 1048576 bytes allowed/);
});

test('a program is of the shell by its name', (t) => {
  for (const name of ['p.sh', 'p.bash'])
    assert.equal(run(t, [file(t, name, 'echo "$((6 * 7))"')]).stdout, '42\n');
});

test('servers are there, and end with it', (t) => {
  const done = run(t, ['--servers', 'example',
    file(t, 'p.py', 'print(LOADED_MCP_SERVERS, dir(mcp_example)[0])')], '', withServers(t, { example: example() }));

  assert.match(done.stdout, /^\('example',\) \w+\n$/, done.stderr);
  assert.equal(done.status, 0);
});

/* A program that runs; left is its end. */
function begun(t, code, options = {}) {
  const [command, ...rest] = commandLine({ home: folder(t), ...options,
    args: ['exec', file(t, 'p.py', code)] });
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });

  t.after(() => child.kill('SIGKILL'));
  child.left = once(child, 'close');
  return child;
}

test('both streams come while the program runs', async (t) => {
  const gate = new Gate();
  const child = begun(t, `import sys
print("x" * 5000 + "first", end="", flush=True)
print("told", file=sys.stderr)
${gate.wait}
print("end")`);
  let out = '';

  child.stdout.on('data', (data) => out += data);
  assert.equal(`${(await once(child.stderr, 'data'))[0]}`, 'told\n');
  await gate.reached();
  await until(() => out === `${'x'.repeat(5000)}first`, 'the part of a line');
  gate.open();
  assert.deepEqual(await child.left, [0, null]);
  assert.match(out, /xfirstend\n$/);
});

test('all output comes, byte for byte, at the pace of its reader', async (t) => {
  const child = begun(t, `import hashlib, os, sys
data = os.urandom(1 << 20) * 10
sys.stdout.buffer.write(data)
print(hashlib.sha256(data).hexdigest(), file=sys.stderr)`);
  const sum = createHash('sha256');
  let told = '';

  child.stderr.on('data', (data) => told += data);
  /* Until here nothing is read. */
  await once(child.stdout, 'readable');
  for await (const data of child.stdout)
    sum.update(data);
  await child.left;
  assert.equal(told, `${sum.digest('hex')}\n`);
});

test('a program whose reader has gone ends as by SIGPIPE', async (t) => {
  const child = begun(t, 'while True: print("x" * 100)');

  await once(child.stdout, 'data');
  child.stdout.destroy();
  child.stderr.resume();
  assert.deepEqual(await child.left, [141, null]);
});

test('output that cannot be written is an error', (t) => {
  const [command, ...rest] = commandLine({ home: folder(t),
    args: ['exec', file(t, 'p.py', 'print(1)')] });
  const done = spawnSync(command, rest, { encoding: 'utf8',
    stdio: ['ignore', fs.openSync('/dev/full', 'w'), 'pipe'] });

  assert.match(done.stderr, /^caisson: the output .* be written: No space left/);
  assert.equal(done.status, 1);
});

for (const [how, status, told] of [
  ['calls cancel', 1, /was cancelled with 'caisson calls cancel'/],
  ['SIGINT', 130, /the program was stopped by a signal/]])
  test(`a program is a call that is listed, and ends by ${how}`, async (t) => {
    const home = folder(t);
    const calls = (...args) => ran({ home, args: ['calls', ...args] }).stdout;
    const listed = () => JSON.parse(calls('list', '--json')).calls;
    const child = begun(t,
      'print("first", flush=True)\nwhile True: pass', { home });
    let errors = '';

    child.stderr.on('data', (data) => errors += data);
    await once(child.stdout, 'data');

    const [{ id, status: running }] = listed();

    assert.equal(running, 'running');
    if (how === 'SIGINT')
      child.kill(how);
    else
      assert.equal(calls('cancel', id), '1 cancelled\n');
    assert.deepEqual(await child.left, [status, null]);
    assert.match(errors, told);
    assert.deepEqual(listed().map((call) => [call.id, call.status]),
      [[id, 'cancelled']]);
  });

test('under nohup a program goes on after SIGHUP', async (t) => {
  const gate = new Gate();
  const child = spawn('nohup', commandLine({ home: folder(t), args: ['exec',
    file(t, 'p.py', `print("first", flush=True)\n${gate.wait}`)] }),
  { stdio: ['ignore', 'pipe', 'inherit'] });
  const left = once(child, 'close');

  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  await gate.reached();
  child.kill('SIGHUP');
  gate.open();
  assert.deepEqual(await left, [0, null]);
});

test('pictures and files', nativeOnly('files of containers'), (t) => {
  const home = folder(t);
  const place = path.join(home, 'made');
  const picture = encode(2, 2, [1, 2, 3]);
  const made = file(t, 'p.py', `open("/workspace/out/a.txt", "w").write("kept")
runtime.save_file(b"below", "sub/b.txt")
print("before")
runtime.show(bytes.fromhex("${picture.toString('hex')}"))
print("behind")`);
  let done = run(t, [made], '', { home });

  assert.equal(done.stdout, 'before\nbehind\n');
  assert.match(done.stderr, /kept a\.txt: 'caisson files save a\.txt'/);
  assert.match(done.stderr, /1 picture: --out DIR writes/);
  done = run(t, ['--out', place, made], '', { home });
  assert.equal(done.status, 0, done.stderr);
  assert.equal(fs.readFileSync(path.join(place, 'a.txt'), 'utf8'), 'kept');
  assert.equal(fs.readFileSync(path.join(place, 'sub/b.txt'), 'utf8'), 'below');
  assert.ok(fs.readFileSync(path.join(place, 'picture-1.png'))
    .equals(picture));
  done = run(t, ['--out', place, made], '', { home });
  assert.equal(done.status, 1);
  assert.match(done.stderr, /a\.txt exists already, and is left as it is/);
  /* Folders above are made; causes are the true ones. */
  done = run(t, ['--out', `${home}/x/y`, made], '', { home });
  assert.equal(done.status, 0, done.stderr);
  fs.mkdirSync(`${home}/taken`);
  fs.writeFileSync(`${home}/taken/sub`, '');
  done = run(t, ['--out', `${home}/taken`, made], '', { home });
  assert.match(done.stderr,
    /taken\/sub\/b\.txt cannot be made: Not a directory; name/);
  done = run(t, ['--out', '/proc/x/y', made], '', { home });
  assert.match(done.stderr, /the folder \/proc\/x cannot be made: No such/);
});

test('a file that a full disk cuts is removed, and not told as written', {
  skip: process.getuid() !== 0 && 'mounts a file system' }, (t) => {
  const full = path.join(folder(t), 'full');

  fs.mkdirSync(full);
  assert.equal(spawnSync('mount',
    ['-t', 'tmpfs', '-o', 'size=16k', 'none', full]).status, 0);

  const done = run(t, ['--out', full, file(t, 'p.py',
    'runtime.save_file(b"x" * 99999, "a")\nruntime.save_file(b"b", "b")')]);
  const left = fs.readdirSync(full);

  spawnSync('umount', [full]);
  assert.equal(done.status, 1);
  assert.match(done.stderr, /full\/a: it cannot be written: No space left/);
  assert.match(done.stderr, /wrote \S+full\/b$/m);
  assert.doesNotMatch(done.stderr, /wrote \S+full\/a$/m);
  assert.deepEqual(left, ['b']);
});
