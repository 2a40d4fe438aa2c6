/*
 * Every wrong argument of run_python: refused as a result with isError, in a
 * sentence that says what is wrong and what would be right, and nothing is
 * executed: the kernel knows of no child process.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { childrenEver, descendants } from './support/processes.mjs';
import { usually, withoutPool } from './support/program.mjs';
import { Raw } from './support/raw.mjs';

usually();

withoutPool();

const good = 'print(1)';

/* [what, the arguments as JSON, words the sentence must have] */
const wrong = [
  ['no arguments', undefined, /code/],
  ['arguments an array', `["${good}"]`, /object/],
  ['code a number', '{"code":1}', /code.*string/],
  ['code with a lone high surrogate', '{"code":"print(\'\\ud800\')"}',
    /code.*surrogate/],
  ['code above the limit',
    JSON.stringify({ code: `print(1)#${'x'.repeat(4096)}` }),
    /4105.*4096.*CAISSON_MAX_CODE/],
  ['timeout 0', `{"code":"${good}","timeout":0}`, /timeout.*1 to 120/],
  ['an unknown server', `{"code":"${good}","servers":["github"]}`,
    /unknown server.*github/],
  ['a misspelt argument', `{"cod":"${good}"}`, /cod\b/],
  ['an argument with an endless name',
    `{"${'n'.repeat(3000)}":1,"code":"${good}"}`, /argument/],
  ['an argument with an awkward name', `{"\\u0000\\ud800\\n":1}`,
    /argument/],
];

/* [what, the arguments as JSON, what is printed] */
const right = [
  ['timeout null', `{"code":"${good}","timeout":null}`, '1'],
  ['an escaped letter in the name', `{"c\\u006fde":"${good}"}`, '1'],
  ['timeout 3e1', `{"code":"${good}","timeout":3e1}`, '1'],
  ...['121', '1e99', '18446744073709551646'].map((seconds) => [
    `timeout ${seconds}`, `{"code":"${good}","timeout":${seconds}}`,
    `1\nnote: timeout was lowered from ${seconds} to 120 seconds, the most ` +
    'that is allowed']),
  ['no servers', `{"code":"${good}","servers":[]}`, '1'],
  ['code of just the limit',
    JSON.stringify({ code: `print(1)#${'x'.repeat(4087)}` }), '1'],
  ['every escape',
    '{"code":"print(\\"\\\\u00e9\\u00e9é\\ud83d\\ude00\\u002f\\/\\")"}',
    'ééé😀//'],
];

function post(raw, args) {
  const id = ++raw.lastId;
  const member = args === undefined ? '' : `,"arguments":${args}`;

  raw.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call",` +
    `"params":{"name":"run_python"${member}}}`);
  return id;
}

async function assertRefused(raw, args, words) {
  const before = childrenEver(raw.pid);
  const result = await raw.result(post(raw, args));
  const { status, summary, error } = result.structuredContent;

  assert.equal(result.isError, true);
  assert.equal(status, 'validation_error');
  assert.equal(summary, error, 'the summary is the message');
  assert.match(error, words);
  assert.ok(error.length < 400, 'a sentence, not a page');
  assert.doesNotMatch(error, /\n/);
  assert.equal(result.content.length, 1);
  assert.ok(result.content[0].text.includes(error));
  assert.deepEqual(descendants(raw.pid), [], 'nothing was started');
  assert.equal(childrenEver(raw.pid), before, 'nothing had been started');
}

test('wrong arguments are refused and nothing runs', async (t) => {
  const raw = await Raw.open(t, { env: { CAISSON_MAX_CODE: '4k' } });

  for (const [what, args, words] of wrong)
    await t.test(what, () => assertRefused(raw, args, words));
  /* That count is worth something: a call that runs changes it. */
  const before = childrenEver(raw.pid);

  assert.equal((await raw.run(good)).content[0].text, '1');
  await t.test('whereas a good call does start something', () => {
    assert.ok(childrenEver(raw.pid) > before ||
      descendants(raw.pid).length > 0);
  });
  await raw.finish();
});

test('right arguments are accepted', async (t) => {
  const raw = await Raw.open(t, { env: { CAISSON_MAX_CODE: '4k' } });

  for (const [what, args, text] of right)
    await t.test(what, async () => {
      const result = await raw.result(post(raw, args));

      assert.equal(result.content[0].text, text);
      assert.equal(result.isError, false);
    });
  await raw.finish();
});

test('the deadline that is asked for bounds the one by default',
  async (t) => {
    const raw = await Raw.open(t, {
      env: { CAISSON_TIMEOUT: '1', CAISSON_MAX_TIMEOUT: '2' } });

    await assertRefused(raw, `{"code":"${good}","timeout":2.5}`, /1 to 2\b/);
    const result = await raw.run('import time; time.sleep(600)');

    assert.equal(result.structuredContent.timeoutSeconds, 1);
    await raw.finish();
  });
