/*
 * What docker and podman are asked for, and what becomes of a call when the
 * engine fails at each step. No engine runs here: a script stands in for both,
 * and records its command lines. containers.test.mjs has real ones.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { text } from './support/files.mjs';
import { descendants } from './support/processes.mjs';
import { notKept, toldMissing } from './support/kept.mjs';
import { binary, commandLine, folder, installedWith, once } from
  './support/program.mjs';
import { connect, run } from './support/sdk.mjs';
import { until } from './support/wait.mjs';

const script = path.join(path.dirname(fileURLToPath(import.meta.url)),
  'support/fake_engine.sh');

/* A program with such an engine, and the folder of that. */
async function open(t, env = {}, { name = 'docker', home, added,
  at: more = {} } = {}) {
  const at = folder(t);
  const engine = path.join(at, name);

  fs.copyFileSync(script, engine);
  fs.chmodSync(engine, 0o755);
  env = { CAISSON_RUNTIME: engine, CAISSON_IMAGE: 'some/image:1',
    CAISSON_POOL: '0', SECRET_TOKEN: 'hidden-value', DOCKER_HOST: 'unix:///x',
    ...env };
  if (home !== undefined) {
    const [command, ...words] = commandLine({ args: ['image', 'add', 'tongue'],
      home, env });
    const done = spawnSync(command, words, { encoding: 'utf8' });

    assert.equal(done.status, 0, done.stderr);
    added?.();
  }
  const opened = await connect(t, { env, home, ...more });

  return { ...opened, at, said: opened.log,
    log: () => fs.readFileSync(path.join(at, 'LOG'), 'utf8').trim().split('\n'),
    set: (what) => fs.writeFileSync(path.join(at, 'RUN'), what) };
}

test('a call runs, and its command line has every limit', once, async (t) => {
  const { client, at, log, said } = await open(t);
  const result = await run(client, 'print("in", 1 + 1)');

  assert.equal(text(result), 'in 2');
  assert.equal(result._meta['caisson/isolation'].runtime, 'docker');
  /* Nothing says where it runs. */
  assert.equal(result._meta['caisson/isolation'].files, 'none');
  assert.deepEqual(result._meta['caisson/isolation'].missing,
    notKept());
  const line = log().findLast((each) => each.startsWith('run '));

  for (const words of ['run --name caisson-', ' --rm ', ' --network none ',
    ' --read-only ', ' --cap-drop ALL ', ' --security-opt no-new-privileges ',
    ' --memory 536870912 ', ' --memory-swap 536870912 ', ' --user 65534:65534 ',
    ' --pull never ', ' --entrypoint python3 some/image:1 -I '])
    assert.ok(line.includes(words), `${words} in ${line}`);
  await until(() => /docker keep no files: .* \/workspace\/out is lost/
    .test(said()), 'a line in the log');
  const environment = fs.readFileSync(path.join(at, 'ENVIRONMENT'), 'utf8');

  assert.ok(!environment.includes('hidden-value'));
  assert.ok(environment.includes('DOCKER_HOST=unix:///x'));
  assert.ok(!log().join().includes('hidden-value'));
});

for (const [what, sentence] of [
  ['daemon', /cannot reach its daemon: start it/],
  ['image', /image some\/image:1 does not exist here/],
  ['command', /image some\/image:1 has no interpreter/],
  ['garbage', /protocol violation by the code/],
  ['died', /cannot be built/],
])
  test(`an engine that fails: ${what}`, once, async (t) => {
    const { client, pid, log, set } = await open(t);

    set(what);
    const result = await run(client, 'print(1)').catch((error) => error);

    assert.match(result.message ?? text(result), sentence);
    /* Then the container may exist: it is removed by name. */
    const made = log().findLast((line) => line.startsWith('run '))
      .match(/--name (\S+)/)[1];

    if (what !== 'command')
      await until(() => log().includes(`rm --force --volumes ${made}`),
        'its removal');
    set('');
    assert.equal(text(await run(client, 'print(2)')), '2');
    await until(() => descendants(pid)
      .every(({ command }) => !command.includes('sleep')), 'its processes');
  });

test('a client that exits long after the code loses no result', once,
  async (t) => {
    const { client, set } = await open(t);

    set('slow');
    const result = await run(client, 'print("in")\nraise SystemExit(3)');

    assert.equal(result._meta['caisson/exitCode'], 3, text(result));
    assert.match(text(result), /^in$/m);
  });

test('an engine that fails behind the code', once, async (t) => {
  const { client, at, pid, set } = await open(t);

  set('late');
  let result = await run(client, 'print("in")\nraise SystemExit(3)');

  assert.equal(result._meta['caisson/exitCode'], 3);
  assert.match(text(result), /^in$/m);
  assert.equal(text(await run(client, 'print("in")')), 'in');
  /* If its status is not one of a failure, the code may have done it. */
  for (const [status, pattern] of [
    [125, /docker has failed while the code ran, and exited with status 125: check it with '.*docker ps'/],
    [3, /the container ended with status 3 while the code ran, and its process 1 did not report how the code ended: either the code ended process 1, or .*docker failed; check it with '.*docker ps'/],
  ]) {
    fs.rmSync(path.join(at, 'LOSE'), { force: true });
    set(`lost ${status}`);
    result = await run(client, `print("in", flush=True)
open(${JSON.stringify(path.join(at, 'LOSE'))}, "w").close()
import time
time.sleep(1000)`);
    assert.match(text(result), pattern);
    assert.equal(result._meta['caisson/exitCode'], undefined);
  }
  set('');
  assert.equal(text(await run(client, 'print(2)')), '2');
  await until(() => descendants(pid)
    .every(({ command }) => !command.includes('three.py')), 'its processes');
});

for (const [what, pattern] of [
  ['noisy', /^in$/],
  ['endless', /protocol violation by the code/],
])
  test(`an engine that writes without an end: ${what}`, once, async (t) => {
    const { client, pid, set } = await open(t);

    set(what);
    assert.match(text(await run(client, 'print("in")')), pattern);
    set('');
    assert.equal(text(await run(client, 'print(2)')), '2');
    await until(() => descendants(pid).every(({ command }) =>
      command !== 'yes'), 'its processes');
  });

/* docker fails to remove what it is removing already, and is asked then. */
test('no container is left whose removal has begun', once, async (t) => {
  const { client, pid, at, log, said, set } = await open(t);

  fs.writeFileSync(path.join(at, 'BEGUN'), '');
  set('daemon');
  assert.match(text(await run(client, 'print(1)')), /cannot reach its daemon/);
  const name = log().findLast((line) => line.startsWith('run '))
    .match(/--name (\S+)/)[1];

  await until(() => log().includes(
    `ps --all --quiet --filter name=^/${name}$`), 'the question');
  await until(() => descendants(pid)
    .every((each) => !each.name.startsWith('keeper')), 'the end of keepers');
  assert.doesNotMatch(said(), /may be left/);
});

/* Nothing else would remove the container before the next start. */
test('a container is removed though the keepers that do it are killed', once,
  async (t) => {
    const { client, pid, at, log } = await open(t);
    const result = run(client, 'import time\ntime.sleep(1000)')
      .catch((error) => error);
    const name = await until(() => log().findLast((line) =>
      line.startsWith('run ') && !line.includes('trial.py')), 'its container')
      .then((line) => line.match(/--name (\S+)/)[1]);
    /* By its words: that of the trial may not have ended yet. */
    const keepers = () => descendants(pid)
      .filter(({ command }) => command.startsWith('caisson: keeper[') &&
        command.includes(name));
    const removals = () => log()
      .filter((line) => line === `rm --force --volumes ${name}`).length;

    fs.writeFileSync(path.join(at, 'HOLD'), '');
    for (let n = 0; n < 4; n++) {
      const { pid: keeper } = await until(() => {
        const found = keepers();

        return removals() === n && found.length === 1 && found[0];
      }, () => `removal ${n}: ${JSON.stringify(keepers())}`);

      process.kill(keeper, 'SIGKILL');
    }
    await until(() => removals() === 4, 'the last removal');
    fs.rmSync(path.join(at, 'HOLD'));
    await result;
    await until(() => keepers().length === 0, 'the end of the keepers');
    assert.equal(removals(), 4);
  });

test('podman is used as it is connected, and no machine is changed', once,
  async (t) => {
    const { client, at, log, set } = await open(t, {
      CONTAINER_CONNECTION: 'podman-machine-default' }, { name: 'podman' });
    const result = await run(client, 'print("in")');

    assert.equal(text(result), 'in');
    assert.equal(result._meta['caisson/isolation'].files, 'none');
    assert.match(fs.readFileSync(path.join(at, 'ENVIRONMENT'), 'utf8'),
      /^CONTAINER_CONNECTION=podman-machine-default$/m);
    set('machine');
    assert.match(text(await run(client, 'print("in")')),
      /podman cannot reach its service: check it with '.*podman ps'/);
    /* Neither "machine set --rootful" nor another connection. */
    for (const line of log()) {
      assert.match(line, /^(ps|image inspect|run|rm) /);
      assert.doesNotMatch(line, /rootful|--(connection|remote|url|identity)/);
    }
  });

/* Process 1 of podman's is ours, and tells how the code has ended. */
for (const name of ['podman', 'docker'])
  test(`${name}: codes of a language that is an image`, once, async (t) => {
    const { client, at, set } = await open(t, { CAISSON_TOOLS: 'run_code' },
      { name, home: folder(t) });
    const use = (code) => client.callTool({ name: 'run_code',
      arguments: { language: 'tongue', code } });
    const exitCode = (result) => result._meta['caisson/exitCode'];
    const both = (code) => new RegExp(`^error: exit status ${code}: either ` +
      '.*docker failed, or the code exited with it .*; use another exit ' +
      'code, or the runtime podman$', 'm');

    assert.equal(text(await use('echo in')), 'in');
    for (const code of [125, 126, 127, 1])
      for (const line of ['', 'echo it fails >&2;']) {
        const result = await use(`echo in; ${line} exit ${code}`);

        /* The client of docker exits so, too, when it loses its daemon. */
        if (name === 'docker' && code === 125) {
          assert.equal(exitCode(result), undefined);
          assert.match(text(result), both(code));
        } else {
          assert.equal(exitCode(result), code);
          assert.match(text(result), /^in$/m);
        }
      }
    for (const code of [125, 126, 127]) {
      set(`fails ${code}`);
      const result = await use('echo in');

      assert.equal(exitCode(result), undefined, text(result));
      assert.match(text(result), name === 'docker' ?
        /; last line of the errors: / : code === 125 ?
          /could not run a container: / :
          /could not start a container of the image tongue: /);
      assert.match(text(result), /it is broken/);
      assert.equal(both(code).test(text(result)), name === 'docker');
    }
    set('lost');
    const lost = await use(`echo in; > '${path.join(at, 'LOSE')}'; sleep 1000`);

    assert.equal(exitCode(lost), undefined);
    assert.match(text(lost), name === 'docker' ? both(125) :
      /podman has failed while the code ran, and exited with status 125: /);
    if (name === 'podman') {
      set('late');
      for (const code of [0, 3, 125, 127])
        assert.equal(exitCode(await use(`echo in; exit ${code}`)), code);
      /* Only the last mark is that of process 1. */
      const forged = await use(`printf '\\001caisson: exit 000\n'; exit 4`);

      assert.equal(exitCode(forged), 4);
      assert.match(text(forged), /caisson: exit 000$/m);
      /* What we have ended reports no end. A busy machine needs longer. */
      let killed;

      for (const timeout of [1, 10, 100]) {
        killed = await client.callTool({ name: 'run_code', arguments: {
          language: 'tongue', timeout,
          code: `printf 'in\n\\001caisson: kill 009\n'; exec sleep 1000` } });
        assert.equal(killed._meta['caisson/status'], 'timeout');
        if (/^in$/m.test(text(killed)))
          break;
      }
      assert.match(text(killed), /^in\n\u0001caisson: kill 009$/m);
      set('fails 1');
      assert.match(text(await use('echo in')),
        /exited with status 1 before it was ready for code: .* broken/);
      set('missing');
      assert.match(text(await use('echo in')),
        /image tongue cannot run its ENTRYPOINT: \/missing: No such file/);
    }
  });

/*
 * Process 1 of docker's tells only of SIGKILL: docker is asked for the cause.
 * The names of other containers may begin like this one.
 */
test('docker: memory of a language that is an image', once, async (t) => {
  const { client, at, log, said } = await open(t, {
    CAISSON_TOOLS: 'run_code', CAISSON_MEMORY: '64M' }, { home: folder(t) });
  const use = (code) => client.callTool({ name: 'run_code',
    arguments: { language: 'tongue', code } });
  const ends = async (filled, code) => {
    fs.writeFileSync(path.join(at, 'FILLED'), filled);
    const result = await use(`echo in; ${code}`);

    assert.match(text(result), /^in$/m);
    return result;
  };
  const asked = () => log().filter((each) => each.startsWith('events '));
  const told = await ends('yes', 'exit 137');

  assert.match(text(told), /Sandbox ran out of memory \(limit 64 MiB\): keep less at a time, or raise CAISSON_MEMORY$/);
  assert.equal(told._meta['caisson/signal'], undefined);
  const ran = log().findLast((each) => each.startsWith('run '));
  const [, name] = / --name (\S+) /.exec(ran);

  assert.match(asked()[0], new RegExp('^events --since 0 --until ' +
    '\\d+\\.\\d{9} --filter event=oom --filter ' +
    `container=${name} --format {{.Actor.Attributes.name}}$`));
  for (const [filled, cause] of [[''], ['other'],
    ['hang', 'it did not answer within 5 s'],
    ['fails', 'it exited with status 1: cannot reach its daemon'],
    ['floods', 'it printed more than 1 MiB']]) {
    assert.equal((await ends(filled, 'exit 137'))._meta['caisson/signal'],
      'SIGKILL');
    const container = log().findLast((each) => each.startsWith('run '))
      .split(' ')[2];
    const engine = path.join(at, 'docker');

    if (cause === undefined)
      assert.doesNotMatch(said(), /ran out of memory: /);
    else
      await until(() => said().includes(`${engine} cannot tell whether the ` +
        `container ${container} ran out of memory: ${cause}; ` +
        `check it with '${engine} ps'\n`), `in the log: ${cause}`);
  }
  assert.equal(asked().length, 6);
  for (const code of [0, 3, 126, 143])
    await ends('yes', `exit ${code}`);
  assert.equal(asked().length, 6);
});

/* The question ends in time, although the keeper of its command does not. */
test('docker: memory is asked for, and the keeper of that hangs', once,
  async (t) => {
    const { client, pid, at } = await open(t, { CAISSON_TOOLS: 'run_code' },
      { home: folder(t) });

    fs.writeFileSync(path.join(at, 'FILLED'), 'hang');
    const began = performance.now();
    const result = client.callTool({ name: 'run_code',
      arguments: { language: 'tongue', code: 'echo in; exit 137' } });
    const { parent } = await until(() => descendants(pid)
      .find(({ command }) => command === 'sleep 1000'), 'the question');
    const asked = performance.now();

    process.kill(parent, 'SIGSTOP');
    const told = await result;

    process.kill(parent, 'SIGCONT');
    assert.match(text(told), /^in$/m);
    assert.equal(told._meta['caisson/signal'], 'SIGKILL');
    /* The code had ended before the question. */
    assert.ok(told._meta['caisson/durationMs'] <= asked - began);
    await until(() => descendants(pid)
      .every(({ command }) => command !== 'sleep 1000'), 'its end');
  });

/*
 * Nobody is told how a cancelled call ended, so neither the next call nor the
 * end of the program waits for the answer of the engine.
 */
test('docker: memory is not asked for when its call is cancelled', once,
  async (t) => {
    const { client, pid, at, said } = await open(t, {
      CAISSON_TOOLS: 'run_code', CAISSON_MAX_CONCURRENT: '1' },
    { home: folder(t) });
    const use = (code, options) => client.callTool({ name: 'run_code',
      arguments: { language: 'tongue', code } }, undefined, options)
      .catch((error) => error);
    const asks = () => descendants(pid)
      .some(({ command }) => command === 'sleep 1000');
    const controller = new AbortController();

    fs.writeFileSync(path.join(at, 'FILLED'), 'hang');
    const first = use('exit 137', { signal: controller.signal });

    await until(asks, 'the question');
    controller.abort();
    assert.equal(text(await use('echo two')), 'two');
    await first;
    await until(() => !asks(), 'the end of the question');
    const last = use('exit 137');

    await until(asks, 'the last question');
    await client.close();
    await last;
    await until(() => !fs.existsSync(`/proc/${pid}`), 'the end');
    assert.doesNotMatch(said(), /did not answer within/);
  });

/* Its image is for one runtime: others say so. */
test('a language that another runtime has is listed as missing', once,
  async (t) => {
    const home = folder(t);
    const tools = { CAISSON_TOOLS: 'run_code,list_runners',
      CAISSON_STRUCTURED: 'on' };
    const list = async ({ client }) => (await client.callTool({
      name: 'list_runners', arguments: {} })).structuredContent;
    const names = ({ languages }) => languages.map(({ language }) => language);
    const absent = ({ missing = [] }) =>
      missing.filter(({ language }) => language !== 'shell');
    const docker = await list(await open(t, tools, { home }));

    assert.ok(names(docker).includes('tongue'));
    assert.deepEqual(absent(docker), []);
    for (const [runtime, env] of [['podman', { ...tools }],
      ['native', { ...tools, CAISSON_RUNTIME: 'native' }]]) {
      const opened = await open(t, env, { name: 'podman', at: { home } });
      const found = await list(opened);

      assert.ok(!names(found).includes('tongue'));
      const [{ language, runtime: needed, error, fix }] = absent(found);

      assert.deepEqual([language, needed], ['tongue', 'docker']);
      assert.match(error, new RegExp(
        `^the image tongue is for the runtime docker, .* is .*${runtime}$`));
      assert.equal(fix, 'set the setting runtime to docker');
    }
  });

/* The records of an earlier version do not say that the engine was asked. */
test('an image that was added before images were checked', once, async (t) => {
  const home = folder(t);
  const images = path.join(home, '.local/state/caisson/images');
  const { client, said } = await open(t, { CAISSON_TOOLS: 'run_code' },
    { home, added: () => {
      const [name] = fs.readdirSync(images)
        .filter((each) => each.startsWith('sha256-'));
      const record = path.join(images, name, 'image.json');
      const text = fs.readFileSync(record, 'utf8');

      assert.match(text, /,"checked":true/);
      fs.writeFileSync(record, text.replace(',"checked":true', ''));
    } });

  assert.match(text(await client.callTool({ name: 'run_code',
    arguments: { language: 'tongue', code: 'x' } })), /unknown language/);
  await until(() => /the image tongue, sha256:0{12}, is not used: it was added before .* checked; .*'caisson image add --engine docker tongue'/
    .test(said()), 'a line in the log');
});

/* A selftest with such an engine, whose files have these contents. */
function selftest(t, name, files,
  { program, args = ['selftest', '-v'] } = {}) {
  const at = folder(t);
  const engine = path.join(at, name);

  fs.copyFileSync(script, engine);
  fs.chmodSync(engine, 0o755);
  for (const [each, content] of Object.entries(files))
    fs.writeFileSync(path.join(at, each), content);
  const [command, ...words] = commandLine({ program, args,
    env: { CAISSON_RUNTIME: engine, CAISSON_IMAGE: 'some/image:1' } });
  const done = spawnSync(command, words, { encoding: 'utf8' });
  const log = path.join(at, 'LOG');

  return { ...done,
    log: fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : '' };
}

/* Such programs are built only where they need no library. */
test('no engine is used without our programs for containers', once, (t) => {
  const program = installedWith(t, binary);
  const sentence = (name) => new RegExp(`^caisson: the program ${name}, .* ` +
    'is missing .*: build Caisson with a static C library, and install it ' +
    'again\n$');

  for (const [name, engine] of [['first', 'podman'], ['trial', 'docker']]) {
    fs.rmSync(path.join(path.dirname(program), 'box', name));
    const { status, stderr, log } = selftest(t, engine, {}, { program });

    assert.equal(status, 2);
    assert.match(stderr, sentence(name));
    assert.equal(log, '');
  }
});

test('podman: an image with annotations of runtimes is refused', once, (t) => {
  const { stderr, log } = selftest(t, 'podman',
    { WANTS: `"run.oci.${'x'.repeat(200)}"\n` });

  assert.match(stderr, /image some\/image:1 has the annotation "run\.oci\.x{151}\.\.\., which could weaken its containers/);
  assert.doesNotMatch(log, /^run /m);
});

/* Code that tries it judges them: it may be unable to write to them. */
test('docker: volumes of the image are not refused by name', once, (t) => {
  const { stderr, log } = selftest(t, 'docker', { WANTS: '"/volume"\n' });

  assert.doesNotMatch(stderr, /volumes/);
  /* By our program, and by none of the image. */
  assert.match(log, /^run .* --entrypoint \/run\/caisson\/trial some\/image:1 python3 .*\/trial\.py$/m);
});

/* An engine may be installed on this machine, but none has this image. */
test('an image that is not used is told, with the reason', once, (t) => {
  const at = folder(t);
  const said = (...args) => {
    const [command, ...words] = commandLine({ args: ['selftest', ...args],
      env: { PATH: `${at}:${process.env.PATH}` } });

    return spawnSync(command, words, { encoding: 'utf8' }).stderr;
  };

  fs.copyFileSync(script, path.join(at, 'podman'));
  fs.chmodSync(path.join(at, 'podman'), 0o755);
  fs.writeFileSync(path.join(at, 'RUN'), 'down');
  assert.match(said('--runtime', 'auto', '--image', 'absent/image:1'),
    /native boxes, as no engine can use the image absent\/image:1: \S*podman cannot reach its daemon/);
  for (const runtime of [[], ['--runtime', 'native']])
    assert.match(said('--image', 'absent/image:1', ...runtime),
      /--image has no effect in native boxes: set (--runtime|CAISSON_RUNTIME) to podman, /);
});

/* The statuses are those of common/trial.h. */
for (const [status, sentence] of [
  [89, 'docker does not isolate a container here: its memory is not limited; run Caisson as root'],
  [109, 'docker could not be checked for "limit on memory": it is broken; use another engine'],
  [120, 'image some/image:1 has no interpreter for the code; use an image'],
  [121, 'python3 of the image some/image:1 cannot run a box: it is broken; use another image'],
  [122, 'python3 of the image some/image:1 did not end within 30 s; use another image'],
])
  test(`docker: a trial that ends with ${status}`, once, (t) => {
    const done = selftest(t, 'docker', { TRIAL: `${status}` });

    assert.equal(done.status, 2);
    assert.ok(done.stderr.includes(sentence), done.stderr);
  });

test('docker: the selftest lists what only native boxes keep', once, (t) => {
  const { status, stdout, stderr } = selftest(t, 'docker', {});

  assert.equal(status, 0, stderr);
  assert.deepEqual(toldMissing(stdout), notKept());
});

test('more containers are listed than one start examines', once, (t) => {
  const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  /* Of a process that there cannot be. */
  const label = `${boot}.${fs.statSync('/proc/self/ns/pid').ino}.${1 << 22}.1`;
  const line = (number) => `${label} caisson-${label}.${number}\n`;
  const others = 'another one\n'.repeat(1 << 17);
  const { status, stderr, log } = selftest(t, 'podman',
    { LIST: line(1) + others + line(2) });

  assert.equal(status, 0, stderr);
  assert.match(stderr, /lists more containers than are examined at one start/);
  assert.deepEqual(log.split('\n').filter((each) => each.startsWith('rm ') &&
    each.includes(label)), [`rm --force --volumes --time 0 caisson-${label}.1`]);
});

/* No container was asked for, so none may be left. */
test('docker: a daemon that does not answer at the start', once, (t) => {
  for (const args of [['selftest'], ['config', 'check']]) {
    const { status, stderr, log } = selftest(
      t, 'docker', { RUN: 'down' }, { args });

    assert.equal(status, 2);
    assert.match(stderr, /^caisson: \S+ cannot reach its daemon: start it, and check that you may use it with '\S+ ps'\n$/);
    assert.doesNotMatch(log, /^(run|rm) /m);
  }
});

test('podman: config check refuses what an image wants, and runs none', once,
  (t) => {
    const check = (files) =>
      selftest(t, 'podman', files, { args: ['config', 'check'] });
    const refused = check({ WANTS: '"run.x"\n' });

    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /has the annotation "run\.x"/);
    const { status, log } = check({});

    assert.deepEqual([status, log.split(' ', 2).join(' ')],
      [0, 'image inspect']);
    assert.equal(log.split('\n').length, 2);
  });

test('an engine that hangs does not hold up the end', once, async (t) => {
  const { client, pid, log, set } = await open(t);

  set('hang');
  const result = run(client, 'print(1)').catch((error) => error);

  await until(() => descendants(pid).some(({ command }) =>
    command === 'sleep 1000'), 'the engine');
  const made = log().findLast((each) => each.startsWith('run ')).match(/--name (\S+)/)[1];

  await client.close();
  await result;
  await until(() => log().includes(`rm --force --volumes ${made}`),
    'the removal of its container');
  await until(() => !fs.existsSync(`/proc/${pid}`), 'the end');
});
