/*
 * How far code is, as the official client hears of it: what increases, the last
 * of it always, and nothing where no token was given or after the answer.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { unpooled } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { connect, run } from './support/sdk.mjs';

/*
 * Runs code, which does not end before this has been heard of it; returns its
 * answer and all that was heard. A client may miss what comes with the answer.
 */
async function heard(client, code, last, more = {}) {
  const gate = new Gate();
  const told = [];
  const result = await run(client, `${code}\n${gate.wait}\n${more.end ?? ''}`,
    more.arguments, { onprogress: async (progress) => {
      told.push(progress);
      if (progress.progress !== last)
        return;
      await gate.reached();
      gate.open();
    } });

  return { result, told };
}

/* Connects, with a client that must not be sent anything it did not ask for. */
async function strict(t, options) {
  const connected = await connect(t, options);
  const wrong = [];

  connected.client.onerror = (error) => wrong.push(error.message);
  t.after(() => assert.deepEqual(wrong, []));
  return connected;
}

function increases(told) {
  for (let n = 1; n < told.length; n++)
    assert.ok(told[n].progress > told[n - 1].progress, JSON.stringify(told));
}

test('code tells how far it is', async (t) => {
  for (const [what, options] of [['from the pool', {}],
    ['started for it', unpooled]]) {
    await t.test(what, async (s) => {
      const { client } = await strict(s, options);
      const { told, result } = await heard(client, `
runtime.progress(0, 2.5, "begun")
print("one")
await runtime.progress(2.5, 2.5, text="dön€")`, 2.5);

      assert.deepEqual(result.content, [{ type: 'text', text: 'one' }]);
      assert.deepEqual(told, [
        { progress: 0, total: 2.5, message: 'begun' },
        { progress: 2.5, total: 2.5, message: 'dön€' }]);
      /* Its own output may be shown, where it is slow to end. */
      assert.deepEqual((await run(client, 'print(2)', {}, { onprogress:
        ({ message }) => assert.equal(message, '2') })).content[0].text, '2');
    });
  }
});

test('a hundred thousand steps are few messages, and the last', async (t) => {
  const { client } = await strict(t);
  const { told } = await heard(client,
    'for n in range(100001): runtime.progress(n, 100000)', 100000);

  increases(told);
  assert.ok(told.length < 1000, `${told.length}`);
  assert.equal(told[0].progress, 0);
  assert.deepEqual(told.at(-1), { progress: 100000, total: 100000 });
});

test('the last is told before the answer, and nothing behind it', async (t) => {
  const raw = await Raw.open(t, { notes: true });

  for (const [end, last] of [['', 999], ['1 / 0', 999],
    ['runtime.progress(1000, 1000)\nimport os; os._exit(0)', 1000]]) {
    const before = raw.messages.length;

    raw.notes.length = 0;
    await raw.request('tools/call', { name: 'run_python',
      arguments: {
        code: `for n in range(1000): runtime.progress(n)\n${end}` },
      _meta: { progressToken: `a${end}` } });
    assert.ok(raw.notes.every((note) => note.answers === before &&
      note.method === 'notifications/progress' &&
      note.params.progressToken === `a${end}`), JSON.stringify(raw.notes));
    assert.equal(raw.notes.at(-1).params.progress, last);
  }
  raw.notes.length = 0;
  assert.deepEqual(await raw.printed('runtime.progress(1)\nprint(2)'), ['2']);
  assert.deepEqual(raw.notes, []);
  await raw.finish();
});

test('code that does not tell it has its output shown', async (t) => {
  const { client } = await strict(t);
  const [first, second, last] = [new Gate(), new Gate(), new Gate()];
  const told = [];
  const result = await run(client, `print("one")\n${first.wait}\n` +
    `print("x" * 5000 + "end")\n${second.wait}\nruntime.progress(0, 1)\n` +
    `print("last")\nruntime.progress(1, 1)\n${last.wait}`, {}, {
    onprogress: async (progress) => {
      const gate = progress.progress === 1 ? last : [first, second][told.length];

      told.push(progress);
      await gate?.reached();
      gate?.open();
    } });

  increases(told);
  assert.equal(told[0].message, 'one');
  assert.match(told[1].message,
    /^one\nx{1020}\n\[\d+ bytes not shown\]\nx{3068}end$/);
  assert.ok(told[1].progress < 0.001);
  assert.deepEqual(told.slice(2).map(({ total, message }) =>
    [total, message]), [[1, undefined], [1, undefined]]);
  assert.equal(told.at(-1).progress, 1);
  assert.match(result.content[0].text, /last$/);
});

test('so is its standard error', async (t) => {
  const { client } = await strict(t);
  const gate = new Gate();
  const told = [];

  await run(client, `import sys; print("warn", file=sys.stderr)\n${gate.wait}`, {}, {
    onprogress: async (progress) => {
      told.push(progress.message);
      await gate.reached();
      gate.open();
    } });
  assert.equal(told[0], 'stderr:\nwarn');
});

/* The raw client takes a message that is no answer for a fault. */
test('nothing is sent without a token', async (t) => {
  const raw = await Raw.open(t);

  assert.deepEqual(await raw.printed(
    'for n in range(9): runtime.progress(n, 8)\nprint("end")'), ['end']);
  await raw.finish();
});
