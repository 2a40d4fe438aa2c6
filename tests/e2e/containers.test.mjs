/*
 * Calls in containers by a real podman, in short: they are as those in native
 * boxes, and no container is left. containers-all has the rest, and docker.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { docker, gone, hideLocks, named, podman, rootFolder, settingsOf, skipped }
  from './support/containers.mjs';
import { links, text } from './support/files.mjs';
import { notKept } from './support/kept.mjs';
import { descendants, processes } from './support/processes.mjs';
import { file, folder, ran } from './support/program.mjs';
import { archive, serve } from './support/registry.mjs';
import { connect, run } from './support/sdk.mjs';
import { configure, withServers } from './support/servers.mjs';
import { until } from './support/wait.mjs';

hideLocks();

const options = { skip: skipped.podman };
const meta = (result, name) => result._meta[`caisson/${name}`];
const open = (t, env = {}) => connect(t, { env: { CAISSON_POOL: '0',
  ...settingsOf('podman'), ...env } });

test('podman: calls', options, async (t) => {
  const { client, pid } = await open(t,
    { CAISSON_ARGUMENTS: 'code,timeout,conversationId' });
  let result = await run(client, `
import os, sys
print("out", os.getuid(), flush=True)
os.system("echo child")
print("err", file=sys.stderr)
open("/workspace/out/a.txt", "w").write("kept")
sys.exit(3)`);

  assert.equal(meta(result, 'exitCode'), 3);
  assert.equal(meta(result, 'isolation').runtime, 'podman');
  assert.deepEqual(meta(result, 'isolation').missing, notKept());
  assert.deepEqual(result.structuredContent.stdout, ['out 65534', 'child']);
  assert.deepEqual(result.structuredContent.stderr, ['err']);
  assert.equal(links(result)[0].size, 4);
  result = await run(client, 'while True: pass', { timeout: 1 });
  assert.equal(meta(result, 'status'), 'timeout');
  result = await run(client, 'x = bytearray(1 << 30)');
  assert.match(text(result), /ran out of memory/);
  result = await run(client, 'import os\nos.kill(os.getpid(), 11)');
  assert.equal(meta(result, 'signal'), 'SIGSEGV');
  await run(client, 'open("/data/a.txt", "w").write("one")',
    { conversationId: 'talk' });
  for (const [conversationId, files] of [['talk', "['a.txt']"],
    ['other', '[]']])
    assert.equal(text(await run(client,
      'import os\nprint(os.listdir("/data"))', { conversationId })), files);
  await client.close();
  await gone('podman', pid);
});

/* An engine that has no image of Python, and a registry that may have it. */
const fetched = 'docker.io/library/python:3.14-slim';

function withRegistry(t, runtime, host) {
  const env = { MCP_BRIDGE_RUNTIME: runtime,
    ...settingsOf(runtime, [`--registry-mirror=http://${host}`]),
    CONTAINERS_REGISTRIES_CONF: file(t, 'registries.conf', `[[registry]]
prefix = "docker.io/library"\nlocation = "${host}/library"\ninsecure = true
`) };

  delete env.CAISSON_RUNTIME;
  delete env.CAISSON_IMAGE;
  if (runtime === 'podman')
    podman(['rmi', '--force', '--ignore', fetched]);
  return env;
}

for (const runtime of ['podman', 'docker'])
test(`${runtime}: the first call fetches an image`,
  { skip: skipped[runtime] }, async (t) => {
    const tar = spawnSync('tar', ['-C', rootFolder(), '-c', '.'],
      { maxBuffer: 2 ** 30 }).stdout;
    const registry = await serve(t, 'library/python', '3.14-slim', tar);
    const { client, pid } =
      await connect(t, { env: withRegistry(t, runtime, registry.host) });
    const told = [];
    const both = await Promise.all(['1', '2'].map((code) => client.callTool(
      { name: 'run_python', arguments: { code, timeout: 100 } }, undefined,
      { timeout: 300_000, resetTimeoutOnProgress: true,
        onprogress: ({ message }) => told.push(message) })));

    assert.deepEqual(both.map(text), ['1', '2']);
    assert.ok(told.includes(`fetching the image ${fetched}`), `${told}`);
    assert.equal(registry.asked.filter((url) => url.includes('/blobs/')).length,
      2);
    await client.close();
    await gone(runtime, pid);
  });

test('podman: an image that cannot be fetched', options, async (t) => {
  const registry = await serve(t, 'library/other', '1', archive([]));
  const env = withRegistry(t, 'podman', registry.host);
  const checked = ran({ args: ['config', 'check', '--runtime', 'podman'],
    home: folder(t), env });
  const { client } = await connect(t,
    { env: { ...env, CAISSON_TOOLS: 'run_python,list_runners',
      CAISSON_ARGUMENTS: 'code,session' } });
  const why = new RegExp(`the image ${fetched} was not fetched: .*; 'caisson ` +
    "image build python --engine podman' makes one without a registry$");

  const listed = await client.callTool({ name: 'list_runners' });

  assert.deepEqual(listed.structuredContent.languages, []);
  for (const { error } of listed.structuredContent.missing)
    assert.equal(error, `the image ${fetched} is not here yet`);
  assert.match(text(await run(client, '1', { session: 'one' })), /session/);
  assert.deepEqual(registry.asked, []);
  for (let n = 0; n < 2; n++)
    assert.match(text(await run(client, '1')), why);
  assert.equal(checked.status, 0);
  assert.match(checked.stderr, new RegExp(`the image ${fetched} is not here ` +
    `yet: .* '\\S*podman pull ${fetched}'; 'caisson image build python`));
});

test('podman: what a killed program leaves is removed', options, async (t) => {
  const killed = await open(t);
  const result = run(killed.client,
    'import subprocess\nsubprocess.run(["sleep", "987"])').catch(() => {});

  await until(() => processes()
    .some(({ command }) => command === 'sleep 987'), 'its code');
  const [keeper] = descendants(killed.pid)
    .filter(({ name }) => name.startsWith('keeper'));

  /* Otherwise it would remove the container. */
  process.kill(keeper.pid, 'SIGSTOP');
  process.kill(killed.pid, 'SIGKILL');
  process.kill(keeper.pid, 'SIGKILL');
  await result;
  assert.ok(await named('podman', killed.pid));
  const done = ran(
    { args: ['selftest'], home: folder(t), env: settingsOf('podman') });

  assert.equal(done.status, 0, done.stderr);
  await gone('podman', killed.pid);
});

/* The containers of servers that an engine has, in any state. */
const ofServers = (runtime) => (runtime === 'podman' ? podman : docker)(
  ['ps', '--all', '--quiet', '--filter', 'label=caisson.server']);

for (const runtime of ['podman', 'docker'])
  test(`${runtime}: servers in containers leave none`,
    { skip: skipped[runtime] }, async (t) => {
      const { CAISSON_RUNTIME: command, CAISSON_IMAGE: image, ...env } =
        settingsOf(runtime);
      const here = path.dirname(fileURLToPath(import.meta.url));
      const entry = (n, ...options) => ({ e: { command, env, args: ['run',
        '-i', ...options, '--network', 'none', '--pull', 'never',
        '--ulimit', 'nofile=256:256', '--ulimit', 'nproc=256:256', '--volume',
        `${here}/support:/server:ro`, image, 'python3', '-IS',
        '/server/hostile.py', `mark=${n}`] } });
      const servers = withServers(t, entry(0, '--rm'));
      /* On a busy machine its start takes longer than a call waits for it. */
      const counted = ({ client }) => until(async () => {
        const told = text(await run(client,
          'print((await mcp_e.counter()).data["count"])', { timeout: 100 }));

        return !/is still starting after/.test(told) && told;
      }, 'its start');
      const killed = await connect(t, servers);

      assert.equal(await counted(killed), '1');
      assert.notEqual(ofServers(runtime), '');
      process.kill(killed.pid, 'SIGKILL');
      await until(() => ofServers(runtime) === '', 'none after SIGKILL');
      const other = await connect(t, servers);
      for (let n = 1; n <= (process.env.CAISSON_CAMPAIGN ? 20 : 2); n++) {
        configure(servers.place, entry(n));
        assert.equal(await counted(other), '1');
      }
      configure(servers.place, entry('last'));
      const late = new AbortController();
      const call = run(other.client, 'await mcp_e.counter()', {},
        { signal: late.signal }).catch(() => {});
      await until(() => processes().some(({ command: line }) =>
        line.includes('mark=last')), 'its client');
      late.abort();
      await call;
      await other.client.close();
      await until(() => ofServers(runtime) === '', 'none after the end');
    });
