/*
 * A server that is killed at any moment of an upload or a call: what it has
 * acknowledged is there after the next start, and whole; so is what it has not,
 * if it is there at all.
 */
import assert from 'node:assert/strict';
import http from 'node:http';
import test from 'node:test';
import { folder, settings } from './support/program.mjs';
import { serveTcp } from './support/serve.mjs';
import { add, caisson, clientOf } from './support/tokens.mjs';

settings.CAISSON_ARGUMENTS = 'code,conversationId';

const chunk = 64 << 10;
const chunks = 6;
const content = (round, n) =>
  Buffer.alloc(chunk * chunks, `${round} ${n} of what is kept\n`);

/*
 * Puts files one after the other until the server is gone; step() after each
 * event. Returns how many were acknowledged.
 */
async function upload(origin, token, round, step) {
  for (let n = 0; ; n++) {
    const bytes = content(round, n);

    try {
      await new Promise((resolve, reject) => {
        const request = http.request(`${origin}/files/talk/${round}-${n}`, {
          method: 'PUT', headers: { Authorization: `Bearer ${token}`,
            'Content-Length': bytes.length } }, (answer) => {
          answer.resume();
          (answer.statusCode === 201 ? resolve : reject)();
        });
        const write = (at) => {
          step();
          if (at === bytes.length)
            request.end();
          else
            request.write(bytes.subarray(at, at + chunk),
              () => write(at + chunk));
        };

        request.once('error', reject);
        write(0);
      });
    } catch {
      return n;
    }
    step();
  }
}

test('a kill loses nothing of an upload that was acknowledged', async (t) => {
  const home = folder(t);
  const token = add(home, 'one');

  for (let round = 0; round < 2 * (chunks + 2); round++) {
    const { url, child, ended } = await serveTcp(t, { home });
    const origin = url.replace(/\/mcp$/, '');
    let steps = 0;
    const done = await upload(origin, token, round,
      () => steps++ === round && child.kill('SIGKILL'));

    await ended;

    const next = await serveTcp(t, { home });
    const read = (name) => fetch(
      `${next.url.replace(/\/mcp$/, '')}/files/talk/${name}`,
      { headers: { Authorization: `Bearer ${token}` } });

    for (let n = 0; n <= done; n++) {
      const answer = await read(`${round}-${n}`);

      assert.ok(answer.status === 200 || (n === done && answer.status === 404),
        `${round}-${n}: ${answer.status}`);
      if (answer.status === 200)
        assert.ok(Buffer.from(await answer.arrayBuffer())
          .equals(content(round, n)), `${round}-${n} is not whole`);
    }
    next.child.kill('SIGTERM');
    await next.ended;
  }
});

/* What a call changes, all with one number. */
const code = (n) => `
open("/data/n", "w").write("${n}")
await runtime.progress(1, 2)
save_memory("n", ${n})
open("out/n-${n}", "w").write("${n}")
print(${n})`;

test('a kill loses nothing of a call that was acknowledged', async (t) => {
  const home = folder(t);
  const token = add(home, 'one');
  const acknowledged = [0];
  let n = 0;

  for (let round = 0; round < 9; round++) {
    const { url, child, ended } = await serveTcp(t, { home });
    const client = clientOf(t, url, token);
    let steps = 0;
    const step = () => steps++ === round && child.kill('SIGKILL');

    /* A step when it is sent, is begun to be answered, tells, and is over. */
    try {
      for (;;) {
        const sent = client.call(code(++n), {}, { conversationId: 'talk' });
        let said = '';

        step();
        for await (const part of (await sent).body) {
          said += Buffer.from(part);
          step();
        }
        /* Nothing is said of its token, nor that it did not run. */
        if ((await sent).status === 503) {
          assert.match(said, /may have been carried out/);
          break;
        }
        assert.match(said, new RegExp(`"text":"${n}\\\\nfile`));
        acknowledged.push(n);
        step();
      }
    } catch (error) {
      if (error.code === 'ERR_ASSERTION')
        throw error;
    }
    await ended;

    const next = await serveTcp(t, { home });
    const found = await clientOf(t, next.url, token).text(
      'print(open("/data/n").read() if __import__("os").path.exists(' +
      '"/data/n") else 0, load_memory("n", default=0))',
      { conversationId: 'talk' });
    const names = JSON.parse(caisson(home, 'files', 'list', '--owner', 'one',
      '--json')).files.map(({ name }) => name);

    for (const kept of found.split(' ').map(Number))
      assert.ok(kept >= acknowledged.at(-1) && kept <= n,
        `${found}, but ${acknowledged} of ${n}`);
    for (const each of acknowledged.slice(1))
      assert.ok(names.includes(`n-${each}`), `${each} of ${names}`);
    next.child.kill('SIGTERM');
    await next.ended;
  }
});
