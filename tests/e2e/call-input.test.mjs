/*
 * What a call gives its code: standard input, and variables. They hold for that
 * call only, and their values are in no log.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { folder, nativeOnly, settings } from './support/program.mjs';
import { Raw } from './support/raw.mjs';

settings.CAISSON_ARGUMENTS = 'all';
settings.CAISSON_TOOLS = 'all';

const run = async (raw, code, more = {}) => (await raw.result(
  raw.post('tools/call', { name: 'run_code',
    arguments: { language: 'python', code, ...more } }))).structuredContent;

const secret = 'value-7f3a';
const READ = 'import os, sys\nprint(sys.stdin.read(), os.environ.get("A"))';

test('the code reads both', async (t) => {
  const log = path.join(folder(t), 'log');
  const audit = path.join(folder(t), 'audit');
  const raw = await Raw.open(t, { env: { CAISSON_LOG_LEVEL: 'debug',
    CAISSON_LOG_FILE: log, CAISSON_AUDIT_FILE: audit } });
  const given = { stdin: 'é\nb', environment: { A: secret, TZ: 'XYZ-5' } };

  assert.deepEqual((await run(raw, READ, given)).stdout,
    ['é', `b ${secret}`]);
  assert.deepEqual((await run(raw, 'import time\nprint(input(), input(), ' +
    'time.localtime(0).tm_hour)\ninput()', given)).stdout, ['é b 5']);
  assert.deepEqual((await run(raw, 'cat; echo " $A"; mcp --help | head -c 1 | ' +
    'wc -c', { language: 'shell', ...given })).stdout,
  ['é', `b ${secret}`, '1']);
  assert.deepEqual((await run(raw, 'import sys\nprint(sys.stdin.buffer.read())',
    { stdin: { base64: 'AP8=' } })).stdout, ["b'\\x00\\xff'"]);
  /* The most that is taken, and a byte more. */
  assert.deepEqual((await run(raw, 'import sys\nprint(len(sys.stdin.read()))',
    { stdin: 'x'.repeat(1 << 20) })).stdout, ['1048576']);
  assert.match((await run(raw, READ, { stdin: 'x'.repeat(1 + (1 << 20)) }))
    .error, /^stdin has 1048577 bytes, more than the 1048576 allowed: keep it/);
  assert.match((await run(raw, READ, { network: ['a.org'] })).error,
    /^boxes have no network/);
  /* As without: empty. */
  assert.deepEqual((await run(raw, READ)).stdout, [' None']);
  await raw.finish();
  for (const file of [log, audit].filter(fs.existsSync))
    assert.doesNotMatch(fs.readFileSync(file, 'utf8'), new RegExp(secret));
});

test('in a session they hold for one call', nativeOnly('sessions'), async (t) => {
  const raw = await Raw.open(t);
  const say = async (code, more) =>
    (await run(raw, code, { session: 's', ...more })).stdout;

  assert.deepEqual(await say('import os, sys\nos.environ["B"] = "own"\n' +
    'print(input(), sys.stdin.readline())', { stdin: 'a\nb\nrest' }),
  ['a b', '']);
  assert.deepEqual(await say(`${READ}\nprint(os.environ["B"])`,
    { stdin: 'two', environment: { A: '1', B: 'call' } }), ['two 1', 'call']);
  assert.deepEqual(await say(`${READ}\nprint(os.environ["B"])`),
    [' None', 'own']);
  await raw.finish();
});
