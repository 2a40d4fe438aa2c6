/*
 * The language wasm through run_code and caisson exec, with each engine of
 * JavaScript: what a module can do, how it ends, and what is refused.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { engines } from './support/engines.mjs';
import {
  file, folder, ran, settings, withoutWaiting,
} from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import {
  assemble, create, echo, exit, grow, link, loop, number, print, read, tell,
  trap, unlink,
} from './support/wasm.mjs';

withoutWaiting();
settings.CAISSON_TOOLS = 'run_code,list_runners';
settings.CAISSON_ARGUMENTS = 'all';
settings.CAISSON_MEMORY = '256m';

const [WORKSPACE, HERE, DATA] = [3, 4, 5]; // the directories
const wide = '../'.repeat(9);

/* Runs a module, or code; returns its result. */
const run = async (raw, code, more) => (await raw.result(raw.post('tools/call', {
  name: 'run_code', arguments: { language: 'wasm',
    code: typeof code === 'string' ? code : code.toString('base64'), ...more },
}))).structuredContent;

/*
 * [what, module or code, arguments of the call, what is printed], or with an
 * exit code, and what standard error is.
 */
const modules = [
  ['prints', assemble(print(6), 'hello\n'), {}, 'hello\n'],
  ['reads standard input', assemble(echo), { stdin: 'in' }, 'in'],
  ['has none', assemble(echo), {}, ''],
  ['has arguments', assemble(tell), { arguments: ['a b', 'ü', ''] },
    'module.wasm\0a b\0ü\0\0'],
  ['leaves files', assemble(create(WORKSPACE, 'out/a'), 'out/a'), {}, ''],
  ['keeps files', assemble(create(DATA, 'b.c'), 'b.c'),
    { conversationId: 'c' }, ''],
  ['reads files', assemble(read(DATA, 'b.c'), 'b.c'),
    { conversationId: 'c' }, 'b.c'],
  ['has the exit code of the module', assemble([exit(number(3))]), {}, '', 3],
  ['is told of what is not there', assemble(read(HERE, 'a'), 'a'), {}, '', 44],
  ['traps', assemble([trap]), {}, '', 134,
    /^caisson: the module was ended: unreachable/i],
  ['recurs', assemble([[0x10, 0]]), {}, '', 134, /was ended: .*call stack/i],
  ['is given a program', 'print(1)', {}, '', 126, /a module in base64, or the/],
  ['is given a text', '(module)', {}, '', 126, /is the text of a module/],
  ['is cut', assemble(echo).toString('base64').slice(0, -1), {}, '', 126,
    /is not base64, or is cut/],
  ['is invalid', assemble(echo).subarray(0, 40), {}, '', 126,
    /was not run: it does not validate: /],
  ['is a component', Buffer.from([0, 97, 115, 109, 13, 0, 1, 0]), {}, '', 126,
    /is a component: .* wasm32-wasip1/],
  ['imports what is unknown', assemble([{ name: 'odd', values: [] }]), {}, '',
    126, /imports wasi_snapshot_preview1\.odd, which is not here/],
  ['imports from elsewhere', assemble(print(1), '', 'env'), {}, '', 126,
    /imports env\.fd_write, env\.proc_exit, which is not here/],
  ['is a library', assemble([], '', undefined, 'f'), {}, '', 126,
    /does not export a function _start/],
  ['is nowhere', 'a.wasm', {}, '', 126, /there is no file a\.wasm: /],
];

for (const [name, engine, there] of engines) {
  const open = (t) => Raw.open(t, { env: engine });

  test(`${name}: a module`, there, async (t) => {
    const raw = await open(t);

    for (const [what, code, more, out, status = 0, errors = /^$/] of modules) {
      const seen = await run(raw, code, more);
      const told = `${what}: ${JSON.stringify(seen)}`;

      assert.equal(seen.exitCode ?? 0, status, told);
      assert.equal((seen.stdout ?? []).join('\n'), out.trimEnd(), told);
      assert.match((seen.stderr ?? []).join('\n'), errors, told);
      assert.equal(Boolean(seen.files), / files$/.test(what) &&
        !/^reads/.test(what), told);
    }
    await raw.finish();
  });

  test(`${name}: no way leads out of its directories`, there, async (t) => {
    const raw = await open(t);
    const ways = [...['/bin/sh', `${wide}bin/sh`, `out/${wide}bin/sh`]
      .map((place) => assemble(read(HERE, place), place)),
    ...['/bin/sh', `${wide}bin/sh`].map((target) => assemble(
      [...link(HERE, target, 'a'), ...read(HERE, 'a')], `${target}a`)),
    assemble(unlink(DATA, '../workspace/a'), '../workspace/a')];

    for (const way of ways) {
      const seen = await run(raw, way, { conversationId: 'c' });

      assert.ok(seen.exitCode > 0 && seen.exitCode < 126 && !seen.stdout,
        JSON.stringify(seen));
    }
    await raw.finish();
  });

  test(`${name}: its limits`, there, async (t) => {
    const raw = await open(t);

    assert.match((await run(raw, assemble([loop()]), { timeout: 1 })).error,
      /^Execution timed out after 1s/);
    assert.match((await run(raw, assemble([loop(grow)]))).error,
      /^Sandbox ran out of memory \(limit 256 MiB\)/);
    await raw.finish();
  });

  test(`${name}: a module in a file`, there, async (t) => {
    const raw = await open(t);
    const save = (file) => run(raw, 'require("fs").writeFileSync(' +
      `"${file}", Buffer.from("${assemble(tell).toString('base64')}", "base64"))`,
    { language: 'javascript', conversationId: 'd' });

    await save('/workspace/out/a.wasm');
    await save('/data/b.wasm');
    for (const [code, more, told] of [
      ['a.wasm', { files: ['a.wasm'] }, 'a.wasm'],
      ['/workspace/in/a.wasm', { files: ['a.wasm'] }, 'a.wasm'],
      ['b.wasm', { conversationId: 'd' }, 'b.wasm'],
      ['/data/b.wasm', { conversationId: 'd' }, 'b.wasm']])
      assert.deepEqual((await run(raw, code, more)).stdout, [`${told}\0`]);
    await save('/data/a.wasm');
    assert.match((await run(raw, 'a.wasm', { files: ['a.wasm'],
      conversationId: 'd' })).stderr.join(), /in \/workspace\/in and \/data: /);
    await raw.finish();
  });

  test(`${name}: caisson exec passes on words`, there, (t) => {
    const got = ran({ home: folder(t), env: { ...engine,
      CAISSON_ARGUMENTS: 'code' }, args: ['exec',
      file(t, 'a.wasm', assemble(tell)), '--', '-x', 'b c'] });

    assert.deepEqual([got.stdout, got.stderr, got.status],
      ['module.wasm\0-x\0b c\0', '', 0]);
  });

  test(`${name}: list_runners tells its version`, there, async (t) => {
    const raw = await open(t);
    const { languages } = (await raw.result(raw.post('tools/call',
      { name: 'list_runners', arguments: {} }))).structuredContent;

    assert.match(languages.find((each) => each.language === 'wasm').version,
      new RegExp(`^${name} \\d`));
    await raw.finish();
  });
}

test('servers and invalid arguments are refused', engines[0][2], async (t) => {
  const raw = await Raw.open(t);
  const code = assemble([]);

  assert.match((await run(raw, code, { servers: ['a'] })).error,
    /code of wasm can use no servers/);
  assert.match((await run(raw, code, { arguments: ['a', 3] })).error,
    /arguments\[1\] must be a string without NUL/);
  await raw.finish();
});
