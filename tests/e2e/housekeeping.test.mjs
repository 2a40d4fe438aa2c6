/*
 * What a server that runs for years needs: limits of single tokens, what is
 * removed with time, and a state directory that is full or away for a while.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { contained, folder, root, uid } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { serveTcp } from './support/serve.mjs';
import { add, caisson, clientOf, last, run, said } from './support/tokens.mjs';
import { until } from './support/wait.mjs';

const state = (home) => path.join(home, '.local/state/caisson');

/* A client with a token that was made with these flags. */
const clientWith = (t, { url, home }, name, ...flags) =>
  clientOf(t, url, add(home, name, ...flags));

/* A file of holes costs its box nothing. */
const leave = (client, name, bytes) => client.text(
  `open("out/${name}", "wb").truncate(${bytes})\nNone`);

test('a token has its own limit of files', async (t) => {
  const served = await serveTcp(t);
  const small = clientWith(t, served, 'small', '--files-max', '2m');
  const other = clientWith(t, served, 'other');

  assert.match(caisson(served.home, 'token', 'list'), /^small .*; files of 2m$/m);
  assert.match(await leave(small, 'x', 3 << 20), /x was not kept: it is larger than all files of this owner may be \(2\.0 MiB, by its token\): the operator can make another token with a larger --files-max/);
  assert.match(await leave(small, 'x', 1 << 20), /file: x/);
  assert.match(await leave(small, 'y', 3 << 19), /y was not kept: this owner keeps 1 files of 1\.0 MiB, and may keep 2\.0 MiB, by its token: remove some \('caisson files remove --owner small'\), or let the operator make another token/);
  assert.match(await leave(other, 'x', 3 << 20), /file: x/);

  /* Commands know it, too. */
  fs.writeFileSync(path.join(served.home, 'big'), Buffer.alloc(3 << 19));
  assert.match(run(served.home, 'files', 'add', '--owner', 'small',
    path.join(served.home, 'big')).stderr, /may keep 2\.0 MiB, by its token/);
  assert.equal(JSON.parse(caisson(served.home, 'files', 'usage', '--json'))
    .owners.find(({ owner }) => owner === 'small').bytes_max, 2 << 20);
  assert.match(caisson(served.home, 'files', 'list', '--owner', 'small'),
    /\n +1048576 +2097152 .* small$/);
  assert.match(caisson(served.home, 'files', 'list'),
    /^No files of the user are kept in .* \('caisson files usage' lists all /);
  caisson(served.home, 'token', 'revoke', 'small');
  assert.match(await leave(clientWith(t, served, 'small'), 'y', 3 << 19),
    /file: y/);
});

/* Code that saves a memory, and prints its key or why that failed. */
const keeps = (key, bytes) => `
try:
    print(save_memory("${key}", "x" * ${bytes})["key"])
except runtime.MCPError as error:
    print(error)`;

test('a token has its own limit of memories', async (t) => {
  const served = await serveTcp(t);
  const small = clientWith(t, served, 'small', '--memories-max', '64k');
  const other = clientWith(t, served, 'other');

  assert.match(caisson(served.home, 'token', 'list'), /^small .*; memories of 64k$/m);
  assert.equal(await small.text(keeps('a', 40_000)), 'a');
  assert.match(await small.text(keeps('b', 40_000)), /would take 80\d{3} bytes, and its token allows 65536: remove some memories \(.*\), or let the operator make another token with a larger --memories-max/);
  assert.equal(await small.text(keeps('a', 100)), 'a');
  assert.equal(await small.text(keeps('b', 40_000)), 'b');
  assert.equal(await other.text(keeps('b', 80_000)), 'b');
  for (const value of ['0', 'x', '17g'])
    assert.match(run(served.home, 'token', 'add', 'x', '--memories-max', value)
      .stderr, /--memories-max must be a size, such as 8m, from 1 to/);
});

test('a token has its own seconds of processor time a day', async (t) => {
  let served = await serveTcp(t);
  const token = add(served.home, 'small', '--cpu-seconds', '1');
  let small = clientOf(t, served.url, token);
  const other = clientWith(t, served, 'other');
  assert.match(caisson(served.home, 'token', 'list'), /^small .*; 1 s of processor time a day$/m);
  const spends = await last(await small.call(contained ?
    'import time\nwhile time.process_time() < 2: pass' : 'while True: pass',
  { timeout: 500 }));

  /* It is counted while it runs, and so it ends; in a container, at its end. */
  if (!contained)
    assert.match(JSON.stringify(spends), /have taken 1 s of processor time today/);
  assert.match(JSON.stringify(await last(await small.call('print(2)'))), /have taken 1 s of processor time today, and its token allows 1 s: try again after 0:00 UTC, or let the operator make another token with a larger --cpu-seconds/);
  assert.equal(await other.text('print(2)'), '2');

  /* It is kept within a second, also of a program that is killed. */
  await until(() => /^\d+ \d+ small\n$/.test(fs.readFileSync(
    path.join(state(served.home), 'spent'), { flag: 'a+', encoding: 'utf8' })),
  'the file');
  served.child.kill('SIGKILL');
  await served.ended;
  served = await serveTcp(t, { home: served.home });
  small = clientOf(t, served.url, token);
  assert.match(JSON.stringify(await last(await small.call('print(2)'))),
    /have taken 1 s of processor time today/);
  caisson(served.home, 'token', 'revoke', 'small');
  assert.equal(await clientWith(t, served, 'small', '--cpu-seconds', '60')
    .text('print(2)'), '2');
});

/* Files of a program that has ended become two days older. */
function age(home) {
  const then = Math.floor(Date.now() / 1000) - 2 * 24 * 60 * 60;
  const kept = path.join(state(home), 'files');

  for (const name of fs.readdirSync(kept).filter((each) =>
    /^[0-9a-f]{16}$/.test(each))) {
    const bytes = fs.readFileSync(path.join(kept, name));

    bytes.writeBigUInt64LE(BigInt(then), 24);
    fs.writeFileSync(path.join(kept, name), bytes);
    fs.utimesSync(path.join(kept, name), then, then);
  }
}

test('files and conversations expire, which the log says', async (t) => {
  const home = folder(t);
  const first = await serveTcp(t, { home,
    env: { CAISSON_ARGUMENTS: 'code,conversationId' } });
  const token = add(home, 'one');
  const one = clientOf(t, first.url, token);

  assert.match(await leave(one, 'old', 1), /file: old/);
  await one.text('open("/data/old.txt", "w").write("x")',
    { conversationId: 'talk' });
  await one.text('open("/data/more.txt", "w").write("x")',
    { conversationId: 'talk' });
  first.child.kill('SIGTERM');
  await first.ended;
  age(home);

  const { url, log } = await serveTcp(t, { home,
    args: ['--files-days', '1d', '--log-level', 'info'] });

  assert.match(await leave(clientOf(t, url, token), 'new', 1), /file: new/);
  await said(log, /removed old, version 1, of one: files-days \(1d\) are over/);
  await said(log, /removed files of the conversation talk, of one: files-days/);
  assert.equal(log().match(/removed/g).length, 2);
  assert.deepEqual(JSON.parse(caisson(home, 'files', 'list', '--owner', 'one',
    '--json')).files.map(({ name }) => name), ['new']);
});

test('a full disk costs what is kept there only, until it has room', {
  skip: root && uid === 0 ? false : 'mounts a file system',
}, async (t) => {
  const home = folder(t);
  const disk = state(home);
  const raw = await Raw.open(t, { home });

  fs.mkdirSync(disk, { recursive: true, mode: 0o700 });
  assert.equal(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=700',
    'none', disk]).status, 0);
  const unmount = () => spawnSync('umount', ['--lazy', disk]);

  process.on('exit', unmount);
  assert.deepEqual(await raw.printed(keeps('a', 9)), ['a']);
  add(home, 'one');
  add(home, 'two');
  assert.equal(spawnSync('dd', ['if=/dev/zero', `of=${disk}/fill`]).status, 1);
  assert.match((await raw.printed(keeps('b', 200_000)))[0],
    /the disk is full or its quota is used up: free some space/);
  assert.deepEqual(await raw.printed('print(load_memory("a"))'),
    ['x'.repeat(9)]);

  /* What must not stay valid needs no room. */
  caisson(home, 'token', 'revoke', 'one');
  assert.match(caisson(home, 'token', 'list'), /^two [^\n]*$/);
  fs.unlinkSync(path.join(disk, 'fill'));
  assert.deepEqual(await raw.printed(keeps('b', 200_000)), ['b']);
  unmount();
});

test('what is kept while the state directory is moved is there when it is back',
  async (t) => {
    const home = folder(t);
    const raw = await Raw.open(t, { home });
    const leaves = async () => JSON.stringify(await raw.run(
      'open("out/x", "w").write("y")'));

    assert.deepEqual(await raw.printed(keeps('a', 9)), ['a']);
    fs.renameSync(state(home), `${state(home)}.away`);
    assert.deepEqual(await raw.printed(keeps('b', 9)), ['b']);

    /* What is not open yet is not made anew. */
    assert.match(await leaves(), /not kept: files are unavailable: the state directory cannot be used: the log/);
    assert.match(raw.errors, /the state directory \S+ was moved or replaced: move it back, or start Caisson again/);
    assert.equal(fs.existsSync(state(home)), false);
    fs.renameSync(`${state(home)}.away`, state(home));
    assert.deepEqual(await raw.printed('print(load_memory("b"))'),
      ['x'.repeat(9)]);
    assert.match(await leaves(), /file: x/);
  });
