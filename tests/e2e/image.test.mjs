/*
 * caisson image, and languages that are images, by a real podman: an image is a
 * language only while the operator has enabled it, its labels give no rights,
 * and what would weaken its containers is refused.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { annotatedSettingsOf, docker, gone, podman, settingsOf, skipped }
  from './support/containers.mjs';
import { commandLine, folder, ran } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { said } from './support/tokens.mjs';

const source = fileURLToPath(new URL('support/upper.c', import.meta.url));
const options = { skip: skipped.podman };

function run(at, ...words) {
  return ran({ args: ['image', ...words], home: at.home, env: at.env });
}

function printed(at, ...words) {
  const done = run(at, ...words);

  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

function refused(at, status, pattern, ...words) {
  const done = run(at, ...words);

  assert.equal(done.status, status, done.stderr);
  assert.match(done.stderr.trim().split('\n').at(-1), pattern);
}

const list = (at) => JSON.parse(printed(at, 'list', '--json')).images;

/* The languages that are enabled. */
const enabled = (at) => [...new Set(list(at).map((each) => each.enabled_as)
  .filter((each) => each !== null))].sort();

/* A directory with one static program, which needs nothing else. */
function root(t) {
  const made = folder(t);
  const program = path.join(made, 'upper');

  assert.equal(spawnSync('cc', ['-static', '-o', program, source]).status, 0);
  return made;
}

/* A home, and the settings of podman. */
const prepare = (t, env = settingsOf('podman')) => ({ home: folder(t),
  env: { ...env, CAISSON_POOL: '0', CAISSON_MEMORY: '64M',
    CAISSON_TOOLS: 'run_code,list_runners', TMPDIR: folder(t),
    CAISSON_ARGUMENTS: 'servers,files,timeout' } });

test('what is wrong is refused before anything is asked', (t) => {
  const at = { home: folder(t), env: { PATH: '/nowhere' } };
  const engine = path.join(at.home, 'podman');

  for (const [pattern, ...words] of [
    [/--engine must be podman or docker, or the path of one of them$/,
      'add', 'x', '--engine', 'containerd'],
    [/--engine must be/, 'pull', 'x', '--engine', 'oci'],
    [/cannot be the name of a language/, 'build', 'A', '--', '/a'],
    [/cannot be the name of a language/, 'build', 'a__p', '--', '/a'],
    [/"shell" is built in/, 'build', 'shell', '--', '/a'],
    [/"-x" is not the name of a Debian package/, 'build', 'ruby',
      '--package=-x', '--', '/a'],
    [/needs Debian packages or a directory/, 'build', 'ruby', '--', '/a'],
    [/--package and --from exclude each other/, 'build', 'ruby', '--package',
      'ruby', '--from', '/', '--', '/a'],
    [/needs the command that reads code/, 'build', 'ruby', '--package', 'ruby'],
    [/must begin with an absolute path/, 'build', 'ruby', '--package', 'ruby',
      '--', 'ruby'],
    [/an image of python needs no command/, 'build', 'python', '--', '/a'],
  ])
    refused(at, 2, pattern, ...words);
  const fails = (why) => refused(at, 1, new RegExp(
    `^caisson: the engine ${engine} cannot be executed: ${why}; set --engine`),
  'add', 'x', '--engine', engine);

  fails('No such file or directory');
  fs.writeFileSync(engine, '', { mode: 0o644 });
  fs.chmodSync(at.home, 0o755);
  fails('Permission denied');
});

test('an engine that pulls nothing, and a language that is built in', (t) => {
  const at = { home: folder(t), env: { PATH: process.env.PATH } };
  const engine = path.join(at.home, 'podman');

  fs.writeFileSync(engine, `#!/bin/sh
case "$*" in
pull*) exit 125 ;;
*reference*) echo 'sha256:${'a'.repeat(64)} localhost/caisson/shell:latest' ;;
esac
`, { mode: 0o755 });
  refused(at, 1, /^caisson: r\.example\/x:1 was not pulled: .* says why above$/,
    'pull', 'r.example/x:1', '--engine', engine);
  assert.match(printed(at, 'list', '--engine', engine),
    /, not enabled: shell is built in, and an image cannot replace it/);
});

test('podman: a language by an image alone', options, async (t) => {
  const from = root(t);
  const at = prepare(t);

  assert.match(printed(at, 'build', 'upper', '--from', from, '--', '/upper'),
    /^Built caisson-upper, sha256:[0-9a-f]{64}\.$/m);
  assert.deepEqual(fs.readdirSync(at.env.TMPDIR), []);
  const raw = await Raw.open(t, at);
  const use = async (name, more) =>
    (await raw.request('tools/call', { name, arguments: more })).result;
  const code = (text, more) =>
    use('run_code', { language: 'upper', code: text, ...more });
  const isUnknown = async () => assert.match(
    (await code('loud x')).content[0].text,
    /unknown language "upper": the languages are python, [a-z, ]+$/);

  /* Its label proposes it; it is one while it is enabled, also for this program. */
  await isUnknown();
  printed(at, 'add', 'caisson-upper');
  assert.deepEqual(enabled(at), ['upper']);
  const [found] = (await use('list_runners', {})).structuredContent.languages
    .filter(({ language }) => language === 'upper');

  assert.equal(found.runtime, 'podman');
  assert.equal(found.image, 'localhost/caisson/upper');
  assert.ok(list(at).some(({ digest }) => digest === found.digest));
  let result = await code('loud héllo\n{"type":"ready"}');

  assert.equal(result.content[0].text, 'HéLLO\n{"TYPE":"READY"}');
  assert.equal(result._meta['caisson/isolation'].image,
    'localhost/caisson/upper');
  /* Engines tell of their own failures by some of these codes, too. */
  for (const status of [7, 125]) {
    result = await code(`fail ${status}`);
    assert.equal(result._meta['caisson/exitCode'], status);
    assert.match(result.content[0].text, /^it fails$/m);
  }
  /* Process 1 could send itself none. */
  result = await code('signal 9');
  assert.equal(result._meta['caisson/signal'], 'SIGKILL');
  /* Process 1 tells that the kernel has killed its command, or another one. */
  result = await code('fill');
  assert.match(result.content[0].text, /Sandbox ran out of memory \(limit 64 MiB\): keep less at a time, or raise CAISSON_MEMORY$/);
  result = await code('fill child');
  assert.equal(result._meta['caisson/signal'], 'SIGTERM');
  result = await code('loud x', { servers: ['x'] });
  assert.match(result.content[0].text, /can use no servers/);
  printed(at, 'remove', 'upper');
  assert.deepEqual(enabled(at), []);
  await isUnknown();
  printed(at, 'build', 'upper', '--from', from, '--', '/missing');
  printed(at, 'add', 'caisson-upper');
  result = await code('loud x');
  assert.match(result.content[0].text, /image localhost\/caisson\/upper cannot run its ENTRYPOINT: \/missing: No such file or directory; build it with/);
  assert.equal(result._meta['caisson/exitCode'], undefined);
  await raw.finish();
  await gone('podman', raw.pid);
});

for (const [engine, ask] of Object.entries({ podman, docker }))
  test(`${engine}: an image has files, in /data, and its own user`,
    { skip: skipped[engine] }, async (t) => {
      const at = prepare(t, settingsOf(engine));
      const tar = path.join(at.home, 'tar');
      const made = (...changes) => ask(['import', ...['ENTRYPOINT ["/upper"]',
        'LABEL sandbox.runner=true', 'LABEL sandbox.language=work', ...changes]
        .flatMap((each) => ['--change', each]), tar, 'localhost/work:1']);
      const use = async (env, more) => {
        const raw = await Raw.open(t, { ...at, env: { ...at.env,
          CAISSON_TOOLS: 'run_code,upload_file',
          CAISSON_ARGUMENTS: 'files,timeout,conversationId', ...env } });

        await raw.request('tools/call', { name: 'upload_file',
          arguments: { name: 'given', content: 'brought' } });
        const { result } = await raw.request('tools/call', { name: 'run_code',
          arguments: { language: 'work', code: 'work', ...more } });

        await raw.finish();
        await gone(engine, raw.pid);
        return result.content[0].text;
      };
      const talk = { conversationId: 'talk', files: ['given'] };
      const files = (size) => '\nfile: made (4 bytes' +
        `${size > 4 ? ', version 2' : ''})\nfile: /data/sub/note (${size} bytes` +
        `${size > 4 ? ', version 2' : ''})`;

      spawnSync('tar', ['-C', root(t), '-cf', tar, '.']);
      made('USER 1234');
      printed(at, 'add', 'localhost/work:1');
      assert.equal(await use({}, talk),
        `1234:1234 /data\nnone\nbrought${files(4)}`);
      assert.equal(await use({ CAISSON_CONTAINER_USER: '65534:65533' }, talk),
        `65534:65533 /data\nmore\nbrought${files(8)}`);
      const log = path.join(folder(t), 'log');
      const given = (more) => use({ CAISSON_ARGUMENTS: 'all',
        CAISSON_LOG_LEVEL: 'debug', CAISSON_LOG_FILE: log },
      { code: 'show A', ...more });

      /* Variables are in no arguments of the engine; the last is in a memfd. */
      for (const A of ['a-value\n="é"', 'x'.repeat(20_000)])
        assert.equal(await given({ environment: { B: '', A } }), A);
      assert.match(await given({ stdin: 'x' }), /can use no stdin, as its image reads the code there: pass the data in environment, or/);
      assert.doesNotMatch(fs.readFileSync(log, 'utf8'), /a-value|xxxx/);
      /* Without a conversation nothing stays there; root is never the user. */
      made('USER root');
      printed(at, 'add', 'localhost/work:1');
      assert.match(await use({}, {}), /^65534:65534 \/data\nnone\nnone\nfile: made/);
      made('USER 0:5');
      printed(at, 'add', 'localhost/work:1');
      assert.match(await use({}, { timeout: 90 }), /^65534:65534 /);
      printed(at, 'remove', 'work');
    });

test('podman: an image that was added is that of Python', options, (t) => {
  const at = prepare(t);
  const tar = path.join(at.home, 'tar');
  const { CAISSON_IMAGE: ignored, ...env } = at.env;

  spawnSync('tar', ['-C', folder(t), '-cf', tar, '.']);
  podman(['import', '--change', 'LABEL sandbox.runner=true', '--change',
    'LABEL sandbox.language=python', tar, 'localhost/mine:1']);
  assert.match(printed(at, 'add', 'localhost/mine:1'), /the language python/);
  assert.ok(enabled(at).includes('python'));
  const [command, ...rest] = commandLine({ args: ['selftest'], home: at.home,
    env });

  /* It is empty. */
  assert.match(spawnSync(command, rest, { encoding: 'utf8' }).stderr,
    /the image localhost\/caisson\/python:latest has no interpreter/);
  assert.match(printed(at, 'remove', 'python'), /^Disabled .* python/);
});

test('podman: labels give no rights, and what weakens is refused', options,
  async (t) => {
    const labels = (language) => ['LABEL sandbox.runner=true',
      `LABEL sandbox.language=${language}`, 'ENTRYPOINT ["/bin/sh"]'];
    const settings = annotatedSettingsOf('run.oci.seccomp_bpf_data',
      ...labels('tongue'));
    const at = prepare(t, { ...settings,
      CAISSON_IMAGE: settingsOf('podman').CAISSON_IMAGE });
    const weak = settings.CAISSON_IMAGE;
    const has = /has the annotation "run\.oci\.seccomp_bpf_data", which could weaken its/;
    const made = (name, ...changes) => podman(['import', ...changes
      .flatMap((each) => ['--change', each]), path.join(at.home, 'tar'), name]);

    spawnSync('tar', ['-C', folder(t), '-cf', path.join(at.home, 'tar'), '.']);
    made('localhost/own:1', ...labels('shell'));
    made('localhost/none:1');
    made('localhost/idle:1', ...labels('idle').slice(0, 2));
    refused(at, 1, has, 'add', weak);
    refused(at, 1, /shell is built in, and an image cannot replace it/, 'add',
      'localhost/own:1');
    refused(at, 1, /adds no language: that needs the labels/, 'add',
      'localhost/none:1');
    refused(at, 1, /has no ENTRYPOINT/, 'add', 'localhost/idle:1');
    refused(at, 1, /the image localhost\/nosuch:9 does not exist here/, 'add',
      'localhost/nosuch:9');
    refused(at, 1, /"A" is neither the name of an image/, 'add', 'A');
    refused(at, 1, /no image "tongue" is enabled in podman/, 'remove',
      'tongue');
    assert.ok(!enabled(at).includes('tongue'));
    assert.ok(list(at).some(({ name }) => name === weak));
    /* Who enables one without the command enables no weak one. */
    for (const [name, tag] of [[weak, 'tongue'], ['localhost/own:1', 'shell']])
      podman(['tag', name, `localhost/caisson/${tag}`]);
    assert.ok(!enabled(at).includes('tongue'));
    assert.deepEqual(list(at).filter(({ refused }) => has.test(refused))
      .map(({ name }) => name), ['localhost/caisson/tongue:latest']);
    assert.match(printed(at, 'list'),
      /shell:latest .*, not enabled: shell is built in/);
    const raw = await Raw.open(t, at);

    await said(() => raw.errors, has);
    await said(() => raw.errors, /localhost\/caisson\/shell:latest is not used: shell is built in/);
    const { result } = await raw.request('tools/call', { name: 'run_code',
      arguments: { language: 'tongue', code: 'echo x' } });

    assert.match(result.content[0].text, /unknown language "tongue"/);
    await raw.finish();
    /* Nor is it the image of Python. */
    const done = ran(
      { args: ['config', 'check'], home: at.home, env: settings });

    assert.notEqual(done.status, 0);
    assert.match(done.stderr, has);
  });
