/*
 * A process that may open no more descriptors: whichever it lacks, that costs
 * only the requests that needed it, which are told why; the next ones work.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { descendants, family, owners } from './support/processes.mjs';
import { root, settings, unpooled } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { raw as written, serve } from './support/serve.mjs';
import { example, withServers } from './support/servers.mjs';
import { until } from './support/wait.mjs';

const skip = { skip: !root && 'needs root' };

settings.CAISSON_ARGUMENTS = 'code,servers,conversationId';
Object.assign(settings, unpooled.env);

/* Lets a process open so many more; returns what ends that. Its user may. */
function limit(pid, room) {
  const used = new Set(fs.readdirSync(`/proc/${pid}/fd`).map(Number));
  const [, before] = fs.readFileSync(`/proc/${pid}/limits`, 'latin1')
    .match(/Max open files +(\d+)/);
  const [own] = owners(pid);
  const set = (most) => spawnSync('setpriv', [`--reuid=${own}`,
    `--regid=${own}`, '--clear-groups', 'prlimit', `--pid=${pid}`,
    `--nofile=${most}:`]).status;
  let most = 0;

  for (let free = 0; used.has(most) || free < room; most++)
    free += !used.has(most);
  assert.equal(set(most), 0);
  return () => set(before); /* it may have ended */
}

/* What it asks for is given or fails with a sentence. */
const asks = (first) => `${first}
async def told(what):
    try:
        print("ok", await what)
    except Exception as error:
        print("failed:", error)
async def memory():
    return save_memory("k", 1)["key"]
await told(mcp_gh.read_file(path="x"))
await told(memory())
open("out/a", "w").write("1")`;

const lacks = /Too many open files|cannot be used: the log|ended|exited/;

for (const role of ['supervisor', 'broker', 'store', 'files', 'relay'])
  for (const begins of role === 'supervisor' ? [true, false] : [false])
    test(`${role} has none left${begins ? ' when a call begins' : ''}`,
      skip, async (t) => {
        const raw = await Raw.open(t, withServers(t, { gh: example() }));
        const pid = () => role === 'supervisor' ? raw.pid :
          family(raw.pid).find(({ name }) => name.startsWith(role)).pid;
        const call = (first) => raw.postCall(asks(first),
          { servers: ['gh'], conversationId: 'talk' });
        let failed = true;

        for (let room = 0; failed; room++) {
          assert.ok(room < 40, `it lacks ${room} descriptors`);

          const gate = new Gate();

          /* A worker that has ended is there again. */
          if (role !== 'supervisor')
            await raw.result(call('None'));

          const id = begins ? undefined : call(gate.wait);

          if (!begins)
            await gate.reached();
          const undo = limit(pid(), room);
          gate.open();
          const { content: [{ text }] } =
            await raw.result(id ?? call('None'));
          undo();
          failed = /failed: |not kept|^status: /.test(text);
          if (failed)
            assert.match(text, lacks);
          assert.equal(await raw.printed('print(2)').then(String), '2');
        }
        await raw.finish();
      });

test('gateway has none left', skip, async (t) => {
  const { socket, child, log } = await serve(t);
  const { pid } = descendants(child.pid)
    .find(({ name }) => name.startsWith('gateway'));
  const undo = limit(pid, 0);
  const waits = [];

  /* One that ends makes room: so many come until one waits. */
  await until(() => {
    waits.push(net.connect(socket));
    return /cannot accept clients: too many open files/.test(log());
  }, 'a client that waits');
  undo();
  waits.forEach((one) => one.destroy());
  assert.match(await written(socket,
    'GET /other HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
  /^HTTP\/1\.1 404 /);
});
