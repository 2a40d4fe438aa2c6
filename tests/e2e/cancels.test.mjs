/*
 * Two owners of one program, who cancel calls at each moment of the life of a
 * box, from before it is started until its files are stored. No call of one
 * ends or answers a call of the other, or shows its files, and nothing is left.
 *
 *   CAISSON_TWO_DOORS  path of that program (see tests/doors/)
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { descendants, describe } from './support/processes.mjs';
import { binary, installedWith } from './support/program.mjs';
import { Guest, Raw } from './support/raw.mjs';
import { until } from './support/wait.mjs';

const twoDoors = path.resolve(process.env.CAISSON_TWO_DOORS ??
  path.join(path.dirname(binary), 'tests/doors/caisson-two-doors'));
const one = { conversationId: 'one' };

const isOfBox = ({ name }) => /^(relay|keeper|box)/.test(name);

/* Waits for a moment of a call with this id, which stands at the gate. */
const moments = {
  'at once': () => {},
  'while boxes are built': ({ pid }) =>
    until(() => descendants(pid).some(isOfBox), 'a box'),
  'while its code runs': ({ gate }) => gate.reached(),
  'while its code ends': async ({ gate }) => {
    await gate.reached();
    gate.open();
  },
  'behind its end': async ({ gate, client, id }) => {
    await gate.reached();
    gate.open();
    await client.result(id);
  },
};

/* Calls of one owner, each beside one that is cancelled. */
async function live(client, name, pid) {
  for (const [moment, wait] of Object.entries(moments)) {
    const gate = new Gate();
    const id = client.postCall(`
for place in "/workspace/out", "/data":
    open(f"{place}/${name}", "wb").write(b"${name}" * 100_000)
${gate.wait}`, one);
    const kept = client.printed(`print("${name}", ${JSON.stringify(moment)})`);

    await wait({ gate, client, id, pid });
    client.cancel(id);
    assert.deepEqual(await kept, [`${name} ${moment}`]);
  }
  const [names] = await client.printed(
    'import os\nprint(*os.listdir("/data"))', one);

  /* That of the last call was stored; the other owner has its own. */
  assert.equal(names, name);
}

for (const pool of ['0', '2'])
  test(`calls that two owners cancel, with a pool of ${pool}`, async (t) => {
    const raw = await Raw.open(t, { doors: true,
      program: installedWith(t, twoDoors), env: { CAISSON_POOL: pool,
        CAISSON_ARGUMENTS: 'code,timeout,conversationId',
        CAISSON_MAX_CONCURRENT: '8' } });
    const guest = await Guest.open(raw);

    await Promise.all([live(raw, 'user', raw.pid),
      live(guest, 'guest', raw.pid)]);
    raw.check();
    guest.check();
    if (pool === '0')
      await until(() => !descendants(raw.pid).some(isOfBox),
        () => `the end of all boxes: ${describe(descendants(raw.pid))}`);
    await raw.finish();
  });
