/*
 * A language that is an image and nothing else: built from a directory with one
 * static program, enabled, listed, and run by a real podman.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { gone, settingsOf, skipped } from './support/containers.mjs';
import { commandLine, folder } from './support/program.mjs';
import { Raw } from './support/raw.mjs';

const source = fileURLToPath(new URL('support/upper.c', import.meta.url));

/* A directory with the program, which needs nothing else. */
function root(t) {
  const made = folder(t);
  const program = path.join(made, 'upper');
  const compiled = spawnSync('cc', ['-static', '-o', program, source],
    { encoding: 'utf8' });

  return compiled.status === 0 ? made : undefined;
}

function image(home, env, ...words) {
  const [command, ...rest] = commandLine({ args: ['image', ...words],
    home, env });
  const done = spawnSync(command, rest, { encoding: 'utf8' });

  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

for (const runtime of ['podman'])
  test(`${runtime}: a language by an image alone`, { skip: skipped[runtime] },
    async (t) => {
      const from = root(t);
      const home = folder(t);
      const env = { ...settingsOf(runtime), CAISSON_POOL: '0',
        CAISSON_MEMORY: '64M', CAISSON_TOOLS: 'run_code,list_runners',
        CAISSON_ARGUMENTS: 'servers,files,timeout' };

      if (from === undefined) {
        t.skip('there is no static C library');
        return;
      }
      image(home, env, 'build', 'upper', '--from', from, '--', '/upper');
      let raw;
      const use = (name, more) =>
        raw.request('tools/call', { name, arguments: more });
      const run = async (code, more) => {
        const { result } = await use('run_code',
          { language: 'upper', code, ...more });

        return result;
      };
      const status = (result) => result._meta['caisson/status'];

      const isUnknown = async () => assert.match(
        (await run('loud x')).content[0].text,
        /unknown language "upper": the languages are python, shell$/);

      /* It is a language while it is enabled, also for this program. */
      raw = await Raw.open(t, { home, env });
      await isUnknown();
      image(home, env, 'add', 'caisson-upper');

      const listed = (await use('list_runners', {})).result;
      const [found] = listed.structuredContent.languages
        .filter(({ language }) => language === 'upper');
      const held = JSON.parse(image(home, env, 'list', '--json')).images
        .filter(({ enabled }) => enabled);

      assert.equal(found.runtime, runtime);
      assert.equal(found.image, 'caisson-upper');
      assert.ok(held.some(({ digest }) => digest === found.digest));

      let result = await run('loud héllo\n{"type":"ready"}');

      assert.equal(result.content[0].text, 'HéLLO\n{"TYPE":"READY"}');
      assert.equal(result._meta['caisson/isolation'].image, 'caisson-upper');
      result = await run('fail 7');
      assert.equal(result._meta['caisson/exitCode'], 7);
      assert.match(result.content[0].text, /^it fails$/m);
      /* Engines tell of their own failures by these codes, too. */
      for (const code of [125, 126, 127, 1]) {
        result = await run(`fail ${code}`);
        assert.equal(result._meta['caisson/exitCode'], code);
        assert.match(result.content[0].text, /^it fails$/m);
      }
      /* Process 1 could send itself none, and would have to reap them. */
      for (const [number, name] of [[9, 'SIGKILL'], [15, 'SIGTERM'],
        [6, 'SIGABRT']]) {
        result = await run(`signal ${number}`);
        assert.equal(result._meta['caisson/signal'], name);
      }
      /* The kernel kills it: no other process of the container. */
      result = await run('fill');
      assert.match(result.content[0].text, /Sandbox ran out of memory \(limit 64 MiB\): keep less at a time, or raise CAISSON_MEMORY$/);
      assert.equal(result._meta['caisson/signal'], undefined);
      result = await run('fill child');
      assert.equal(result._meta['caisson/signal'], 'SIGTERM');
      assert.equal((await run('orphans 400')).content[0].text, '400');
      /* A busy machine needs longer for the start. */
      for (const timeout of [2, 20, 100]) {
        result = await run('wait', { timeout });
        assert.equal(status(result), 'timeout');
        if (/^waiting$/m.test(result.content[0].text))
          break;
      }
      assert.match(result.content[0].text, /^waiting\n\u0001caisson: exit 137$/m);
      for (const more of [{ servers: ['x'] }, { files: ['x'] }]) {
        result = await run('loud x', more);
        assert.equal(status(result), 'validation_error');
        assert.match(result.content[0].text, /can use no (servers|files)/);
      }
      image(home, env, 'remove', 'caisson-upper');
      await isUnknown();
      image(home, env, 'build', 'upper', '--from', from, '--', '/missing');
      image(home, env, 'add', 'caisson-upper');
      result = await run('loud x');
      assert.match(result.content[0].text, /image caisson-upper cannot run its ENTRYPOINT: \/missing: No such file or directory; build it with/);
      assert.equal(result._meta['caisson/exitCode'], undefined);
      const { pid } = raw;

      await raw.finish();
      await gone(runtime, pid);
    });

/* The daemon is asked for the cause of a SIGKILL. */
test('docker: memory of a language by an image alone', {
  skip: skipped.docker,
}, async (t) => {
  const from = root(t);
  const home = folder(t);
  const env = { ...settingsOf('docker'), CAISSON_POOL: '0',
    CAISSON_MEMORY: '64M', CAISSON_TOOLS: 'run_code' };

  if (from === undefined) {
    t.skip('there is no static C library');
    return;
  }
  image(home, env, 'build', 'upper', '--from', from, '--', '/upper');
  image(home, env, 'add', 'caisson-upper');
  const raw = await Raw.open(t, { home, env });
  const run = async (code) => {
    const { result } = await raw.request('tools/call', { name: 'run_code',
      arguments: { language: 'upper', code } });

    return result;
  };
  let result = await run('fill');

  assert.match(result.content[0].text, /Sandbox ran out of memory \(limit 64 MiB\): keep less at a time, or raise CAISSON_MEMORY$/);
  assert.equal(result._meta['caisson/signal'], undefined);
  result = await run('signal 9');
  assert.equal(result._meta['caisson/signal'], 'SIGKILL');
  result = await run('fill child');
  assert.equal(result._meta['caisson/signal'], 'SIGTERM');
  const { pid } = raw;

  await raw.finish();
  await gone('docker', pid);
});
