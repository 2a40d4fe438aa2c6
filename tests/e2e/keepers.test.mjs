/*
 * What keepers have in their memory: they are forked from the program, but hold
 * nothing of it that could be a secret once their server runs.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import test from 'node:test';
import { descendants, describe, opened } from './support/processes.mjs';
import { folder } from './support/program.mjs';
import { connect, run } from './support/sdk.mjs';
import { official, withServers } from './support/servers.mjs';
import { until } from './support/wait.mjs';

/* The memory of a process that it can write to. */
function memory(pid) {
  const fd = fs.openSync(`/proc/${pid}/mem`);
  const found = [];

  for (const line of fs.readFileSync(`/proc/${pid}/maps`, 'latin1').split('\n')) {
    const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) .w/.exec(line) ?? [];

    if (from === undefined)
      continue;
    const size = parseInt(to, 16) - parseInt(from, 16);
    const data = Buffer.alloc(size);

    fs.readSync(fd, data, 0, size, parseInt(from, 16));
    found.push(data);
  }
  fs.closeSync(fd);
  return Buffer.concat(found);
}

test('the keeper of a server has no secret of another', async (t) => {
  const secrets = ['environment', 'configuration', 'code'].map((name) =>
    `${name}-${randomBytes(16).toString('hex')}`);
  const place = folder(t);
  const one = official('filesystem', [place]);
  const servers = withServers(t, {
    one: { ...one, env: { ...one.env, TOKEN: secrets[1] } },
    two: official('filesystem', [place]) },
  { env: { CAISSON_POOL: '0', CAISSON_TEMPLATE: 'off', TOKEN: secrets[0] } });
  const { client, pid } = await connect(t, servers);

  const result = await run(client, `"${secrets[2]}"
await mcp_one.list_allowed_directories()
await mcp_two.list_allowed_directories()`, { servers: ['one', 'two'] });

  assert.equal(result.isError ?? false, false, JSON.stringify(result));
  /* For a moment, that of the program is executed by one again. */
  const own = () => descendants(pid).filter(({ command }) =>
    /^caisson: keeper\[\d+\] /.test(command));
  const keepers = await until(() => own().length === 2 && own(),
    () => `their own command line: ${describe(descendants(pid))}`);

  /* A pipe that another process holds does not end with its server. */
  for (const keeper of keepers) {
    const log = fs.readlinkSync(`/proc/${keeper.pid}/fd/2`);

    assert.deepEqual(opened(keeper.pid).filter((target) =>
      target !== log && /^(pipe|socket|anon_inode)/.test(target)), []);
  }

  /* That the search finds what is there. */
  for (const secret of secrets.slice(0, 2))
    assert.ok(memory(pid).includes(secret), secret);
  for (const keeper of keepers)
    for (const secret of secrets)
      assert.ok(!memory(keeper.pid).includes(secret), secret);
});
