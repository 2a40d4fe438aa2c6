/*
 * The directory /data, which the calls of a conversation share: what one call
 * writes there, the next finds, also after a restart, and no other sees it.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { links, read, text } from './support/files.mjs';
import { Gate } from './support/gate.mjs';
import { descendants } from './support/processes.mjs';
import {
  contained, folder, once, ran, settings, unpooled,
} from './support/program.mjs';
import { connect, run } from './support/sdk.mjs';
import { until, untilLate } from './support/wait.mjs';

settings.CAISSON_STRUCTURED = 'off';
settings.CAISSON_ARGUMENTS = 'code,timeout,conversationId';

const prefix = 'resource://caisson/conversations/';
const look = `
import os
for name in sorted(os.listdir("/data")):
    print(name, open("/data/" + name).read())`;

/* Writes files, by name. */
const write = (files) => Object.entries(files).map(([name, content]) =>
  `open("/data/${name}", "w").write(${JSON.stringify(content)})`).join('\n') +
  '\nNone';

const say = async (client, conversationId, code, more = {}) =>
  text(await run(client, code, { conversationId, ...more }));

function command(home, args) {
  return ran({ home, args });
}

test('a client brings a file into a conversation, and code of another gets it',
  async (t) => {
    const { client } = await connect(t, { env: {
      CAISSON_TOOLS: 'run_python,upload_file',
      CAISSON_ARGUMENTS: 'code,files,conversationId' } });
    const upload = (more) => client.callTool({ name: 'upload_file',
      arguments: { name: 'a.txt', content: 'brought', ...more } });
    const result = await upload({ conversationId: 'a/b' });

    assert.equal(text(result), 'file: /data/a.txt (7 bytes)');
    assert.equal(await say(client, 'a/b',
      'print(open("/data/a.txt").read())'), 'brought');
    assert.equal(await say(client, 'other',
      'import os; print(os.listdir("/data"), open("in/a.txt").read())',
      { files: [links(result)[0].uri] }), '[] brought');
    assert.match(text(await upload({ conversationId: '' })),
      /conversationId has 0 bytes; it must have 1 to 128/);
    assert.ok((await client.listResourceTemplates()).resourceTemplates
      .some(({ uriTemplate }) =>
        uriTemplate === `${prefix}{conversation}/{name}`));
  });

for (const [how, options] of [['from the pool', {}],
  ['without a template', unpooled]])
  test(`what a call writes, the next one finds, ${how}`, async (t) => {
    const { client } = await connect(t, options);
    let result = await run(client, write({ 'a b': 'one', same: 'still' }),
      { conversationId: 'talk' });

    assert.match(text(result),
      /^Success \(no output\)\nfile: \/data\/a b \(3 bytes\)\nfile: \/data\/same \(5 bytes\)$/);
    assert.deepEqual(links(result).map(({ name, uri }) => [name, uri]),
      [['a b', `${prefix}talk/a%20b?version=1`],
        ['same', `${prefix}talk/same?version=1`]]);
    /* Only what is new or changed is kept again. */
    result = await run(client, `${look}\nopen("/data/a b", "w").write("two")
os.utime("/data/same", (0, 0))
open("/data/new", "w").close()`, { conversationId: 'talk' });
    assert.match(text(result), /^a b one\nsame still\nfile: \/data\/a b \(3 bytes, version 2\)\nfile: \/data\/new \(0 bytes\)$/);
    assert.equal((await read(client, `${prefix}talk/a%20b?version=1`))
      .toString(), 'one');
    assert.equal((await read(client, `${prefix}talk/a%20b`)).toString(),
      'two');
    /* What the code removes is gone. */
    assert.equal(await say(client, 'talk', 'import os; os.remove("/data/new")'),
      'Success (no output)');
    assert.equal(await say(client, 'talk', look), 'a b two\nsame still');
  });

test('folders stay, and change as files do', async (t) => {
  const { client } = await connect(t,
    { env: { CAISSON_ARGUMENTS: 'code,files,conversationId' } });
  const tree = `
import os
os.chdir("/data")
print(*sorted(os.path.join(path, name)[2:] + "=" +
    open(os.path.join(path, name)).read()
    for path, _, names in os.walk(".") for name in names))`;
  let result = await run(client, `
import os
os.makedirs("/data/sub/b c"); os.mkdir("/data/empty")
${write({ 'sub/x.csv': 'one', 'sub/b c/y': 'two', plain: 'three' })}`,
  { conversationId: 'tree' });

  assert.match(text(result), /^Success \(no output\)\nfile: \/data\/plain \(5 bytes\)\nfile: \/data\/sub\/b c\/y \(3 bytes\)\nfile: \/data\/sub\/x\.csv \(3 bytes\)$/);
  assert.deepEqual(links(result).map(({ uri }) => uri.slice(prefix.length)),
    ['tree/plain?version=1', 'tree/sub/b%20c/y?version=1',
      'tree/sub/x.csv?version=1']);
  assert.equal((await read(client, links(result)[1].uri)).toString(), 'two');
  assert.equal(await say(client, 'other', 'print(open("in/sub/b c/y").read())',
    { files: [links(result)[1].uri] }), 'two');
  /* A file takes the place of a folder, and the reverse. */
  result = await say(client, 'tree', `${tree}
import shutil
shutil.rmtree("/data/sub"); os.remove("/data/plain"); os.mkdir("/data/plain")
${write({ 'plain/z': 'four', sub: 'five' })}`);
  assert.equal(result, 'plain=three sub/b c/y=two sub/x.csv=one\n' +
    'file: /data/plain/z (4 bytes)\nfile: /data/sub (4 bytes)');
  assert.equal(await say(client, 'tree', tree), 'plain/z=four sub=five');
  /* Links, and what is too deep, are named. */
  result = await say(client, 'tree', `
import os
deep = "/data" + "/d" * 7
os.makedirs(deep + "/e"); os.symlink("/etc", "/data/etc")
os.symlink("plain", "/data/link")
open(deep + "/last", "w"); open(deep + "/e/more", "w").close()
os.mkdir("/data/shut"); open("/data/shut/x", "w").close()
os.chmod("/data/shut", 0)`);
  assert.match(result, /^file: \/data\/d\/d\/d\/d\/d\/d\/d\/last/m);
  assert.match(result, /\/d\/e was not kept: it is a directory that cannot/);
  assert.match(result, /data\/shut was not kept: it is a directory that/);
  for (const name of ['etc', 'link'])
    assert.match(result, RegExp(`data/${name} was not kept: it is a symbolic`));
});

test('what the code itself removed is no file of the user', async (t) => {
  const { client } = await connect(t);

  for (const folder of ['/data/a', '/tmp/a'])
    assert.equal(await say(client, 'talk', `import os
os.mkdir("${folder}"); os.rmdir("${folder}")
os.path.exists("${folder}/b")`), 'False');
});

test('a file beside it is told to be lost, and how to keep it', async (t) => {
  const { client } = await connect(t);

  assert.match(await say(client, 'c', 'open("a", "w").write("x"); None'),
    /a \(1 byte\) is gone with .*: to keep it, write it to \/workspace\/out, or to \/data for later calls/);
});

test('no other call has its files', async (t) => {
  const { client } = await connect(t);

  for (const id of ['a', 'A', '../a', 'a/b', '\u00fc', '.a'])
    assert.match(await say(client, id, write({ f: id })), /file: \/data\/f /);
  for (const id of ['a', 'A', '../a', 'a/b', '\u00fc', '.a'])
    assert.equal(await say(client, id, look), `f ${id}`);
  assert.equal(await say(client, 'b', `${look}\nprint("none")`), 'none');
  assert.equal(text(await run(client, `${look}\nprint("none")`)), 'none');
});

test('files are kept when the code fails, or takes too long', once,
  async (t) => {
    const { client } = await connect(t);

    assert.match(await say(client, 'f', `${write({ a: '1' })}\n1 / 0`),
      /file: \/data\/a/);
    const kept = /file: \/data\/b/;

    assert.match(await untilLate((timeout) => say(client, 'f', `${write(
      { b: '2' })}\nimport time\ntime.sleep(600)`, { timeout }),
    (answer) => kept.test(answer)), kept);
    assert.equal(await say(client, 'f', look), 'a 1\nb 2');
  });

test('a place of its own, without programs, as large as the others',
  async (t) => {
    const { client } = await connect(t, { env: { CAISSON_MEMORY: '128m' } });

    assert.equal(await say(client, 'p', `
import os, subprocess
status = os.statvfs("/data")
print(status.f_frsize * status.f_blocks >> 20)
for flag in os.ST_NOEXEC, os.ST_NOSUID, os.ST_NODEV:
    print(bool(status.f_flag & flag), end=" ")
open("/data/x", "w").write("#!/bin/sh\\n")
os.chmod("/data/x", 0o755)
try:
    subprocess.run(["/data/x"])
except PermissionError as error:
    print(error.strerror)
try:
    open("/data/y", "wb").write(bytes(33 << 20))
except OSError as error:
    print(error.strerror)
os.remove("/data/x")
os.remove("/data/y")`),
    '32\nTrue True True Permission denied\nNo space left on device');
  });

test('files that no longer fit into the box are named', async (t) => {
  const home = folder(t);
  const large = await connect(t, { home, env: { CAISSON_MEMORY: '256m' } });

  assert.match(await say(large.client, 'l',
    'open("/data/x", "wb").write(b"x" * (60 << 20)); None'), /file: \/data\/x /);
  const small = await connect(t, { home, env: { CAISSON_MEMORY: '128m' } });

  assert.match(await say(small.client, 'l', 'print(1)'),
    /the file x cannot be put into the box: .*: remove files of the conversation \('caisson files remove'\), or raise CAISSON_MEMORY/);
});

test('too many files do not end a conversation', once, async (t) => {
  const { client } = await connect(t);
  const renew = (letter, count) => `
import os
for name in os.listdir("/data"):
    os.remove("/data/" + name)
for n in range(${count}):
    open(f"/data/${letter}{n:03}", "w").close()
None`;
  const count = 'import os\nlen(os.listdir("/data"))';

  await say(client, 'm', renew('a', 100));
  await say(client, 'm', renew('b', 100));
  assert.equal(await say(client, 'm', count), '100');
  assert.match(await say(client, 'm', renew('a', 101)),
    /note: 1 new file more in \/data was not kept: a conversation has at most 100/);
  /* Removals hold, and make room, whatever the names of the new files. */
  assert.match(await say(client, 'm', `import os
os.remove("/data/a000"); os.remove("/data/a099")
${write({ 0: '', zz: 'z', zzz: '' })}`), new RegExp('/zzz was not kept: ' +
  'a conversation has at most 100 files: remove some in a call, by DELETE'));
  assert.equal(await say(client, 'm', `${count}, *(name for name in
("0", "a000", "a099", "zz") if os.path.exists("/data/" + name))`),
  "(100, '0', 'zz')");
  /* What was moved is not lost. */
  assert.match(await say(client, 'm',
    'import os; os.rename("/data/zz", "/data/\\n"); os.remove("/data/0")'),
  /data\/zz was not removed: it was moved to a file that could not be kept/);
  assert.equal(await say(client, 'm', count), '99');
  assert.equal(await say(client, 'm', renew('c', 0)), 'Success (no output)');
  await say(client, 'm', renew('c', 2));
  assert.equal(await say(client, 'm', look), 'c000 \nc001 ');
});

test('programs of one state directory keep changes of each other',
  async (t) => {
    const home = folder(t);
    const one = await connect(t, { home });
    const two = await connect(t, { home });
    const gate = new Gate();

    await say(one.client, 's', write({ a: '1', b: '1', c: '1', e: '1' }));
    const slow = say(one.client, 's', `${gate.wait}
import os; os.remove("/data/e")
${write({ c: '2' })}`);

    await gate.reached();
    await say(two.client, 's', `${write({ a: '2', d: '2', e: '2' })}
import os; os.remove("/data/b")`);
    gate.open();
    await slow;
    assert.match(await say(two.client, 's', look),
      /^a 2\n(b 1\n)?c 2\nd 2\ne 2$/);
  });

test('calls of one conversation take turns', once, async (t) => {
  const { client } = await connect(t,
    { env: { CAISSON_MAX_CONCURRENT: '8', CAISSON_QUEUE_TIMEOUT: '5m' } });
  const add = `
import os
path = "/data/count"
count = int(open(path).read()) if os.path.exists(path) else 0
open(path, "w").write(str(count + 1))
None`;

  for (const result of await Promise.all(Array.from({ length: 12 },
    (_, n) => run(client, add, { conversationId: `t${n % 2}` }))))
    assert.equal(result.isError, false, text(result));
  assert.equal(await say(client, 't0', look), 'count 6');
  assert.equal(await say(client, 't1', look), 'count 6');
});

test('its files survive a restart and kill -9 at any moment', async (t) => {
  const home = folder(t);
  let least = 0;

  for (let n = 1; n <= 6; n++) {
    const { client, pid } = await connect(t, { home });
    const found = await say(client, 'k', look);

    if (least > 0)
      assert.match(found, new RegExp(`^n (${least}|${least + 1})$`));
    assert.match(await say(client, 'k', write({ n: `${10 * n}` })),
      /file: \/data\/n/);
    least = 10 * n;
    if (n === 1) {
      process.kill(pid, 'SIGKILL');
      continue;
    }
    /* It ends somewhere in the next call, which is not answered. */
    const lost = say(client, 'k', write({ n: `${least + 1}` }))
      .catch(() => undefined);

    await setTimeout(8 * n);
    process.kill(pid, 'SIGKILL');
    await lost;
  }
});

/* They are asked for as soon as a call starts, and are killed while it runs. */
test('a worker that is killed loses no file that was acknowledged',
  async (t) => {
    const { client, pid } = await connect(t);
    const killed = new Set();
    let number = 0;

    await say(client, 'k', write({ n: '0', other: 'still' }));
    for (const name of ['files', 'porter'])
      for (const pause of [0, 2, 5, 10, 20]) {
        const next = number + 1;
        const running = run(client, `${look}\n${write({ n: `${next}` })}`,
          { conversationId: 'k' });

        await setTimeout(pause);
        for (const entry of descendants(pid))
          if (entry.name.startsWith(name)) {
            killed.add(name);
            try {
              process.kill(entry.pid, 'SIGKILL');
            } catch (error) {
              assert.equal(error.code, 'ESRCH');
            }
          }
        const result = await running;

        /* The code had all files, or did not run. */
        if (!result.isError)
          assert.match(text(result), new RegExp(`^n ${number}\nother still`));
        const found = await until(async () =>
          /^n (\d+)\nother still$/.exec(await say(client, 'k', look)),
        'a worker that is started again', 60);

        assert.ok(Number(found[1]) === next ||
          (Number(found[1]) === number && links(result).length === 0),
        `${found[0]} after ${text(result)}`);
        number = Number(found[1]);
      }
    assert.ok(killed.has('files'));
  });

test('commands show, save and remove them', async (t) => {
  const home = folder(t);
  const { client } = await connect(t, { home });

  await say(client, 'one two', write({ a: 'x' }));
  await say(client, 'other', write({ a: 'y', b: 'z' }));
  await run(client, 'open("/workspace/out/a", "w").write("plain"); None');
  let ran = command(home, ['files', 'list']);

  assert.equal(ran.status, 0, ran.stderr);
  assert.deepEqual(ran.stdout.split('\n').slice(0, 5).map((line) =>
    line.split(' ').slice(1).join(' ').trim()),
  ['5   1 text/plain a', '1   1 text/plain a of conversation one two',
    '1   1 text/plain a of conversation other',
    '1   1 text/plain b of conversation other', '']);
  ran = command(home, ['files', 'list', '--json', '--conversation', 'other']);
  assert.deepEqual(JSON.parse(ran.stdout).files.map(
    ({ name, conversation }) => [name, conversation]),
  [['a', 'other'], ['b', 'other']]);
  for (const [args, out] of [[['a'], 'plain'],
    [['a', '--conversation', 'one two'], 'x'],
    [['/data/a', '--conversation', 'one two'], 'x'],
    [[`${prefix}other/a?version=1`], 'y']]) {
    ran = command(home, ['files', 'show', ...args]);
    assert.equal(ran.stdout, out, ran.stderr);
  }
  for (const args of [['show', 'b'], ['show', '/data/b'], ['save', 'b'],
    ['remove', 'b']]) {
    ran = command(home, ['files', ...args]);
    assert.deepEqual([ran.status, ran.stdout], [1, '']);
    assert.match(ran.stderr, /^caisson: file "(?:\/data\/)?b": there is no file of this name outside conversations \(--conversation ID\), or not/);
  }
  ran = command(home, ['files', 'show', 'b', '--conversation', 'one two']);
  assert.match(ran.stderr, /^caisson: file "[^"]+": there is no file of this name, or not/);
  ran = command(home, ['files', 'list', '--conversation', 'no"pe']);
  assert.deepEqual([ran.status, ran.stdout],
    [0, 'Conversation "no\\"pe" has no files.\n']);
  assert.equal(command(home, ['files', 'save', 'b', path.join(home, 'saved'),
    '--conversation', 'other']).status, 0);
  assert.equal(command(home,
    ['files', 'remove', 'a', '--conversation', 'other']).status, 0);
  assert.equal(await say(client, 'other', look), 'b z');
  ran = command(home, ['files', 'clear', '--yes', '--conversation', 'one two']);
  assert.equal(ran.stdout, '1 removed\n');
  assert.equal(command(home, ['files', 'show', 'a']).stdout, 'plain');
  ran = command(home, ['files', 'list', '--conversation', 'x'.repeat(129)]);
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /^caisson: "x+\.\.\." cannot be the id of a conversation: it has 1 to 128 bytes/);
  assert.equal(command(home, ['files', 'clear', '-y']).stdout, '2 removed\n');
});

test('usage tells what each conversation keeps and may keep', once, async (t) => {
  const home = folder(t);
  const { client } = await connect(t, { home });

  await say(client, 'a b', write({ x: '1', y: '22' }));
  await say(client, 'a b', write({ x: '333' }));
  assert.match(command(home, ['files', 'usage']).stdout,
    /^ +bytes +limit +files +limit +versions  owner\n +6 +\d+ +3 +1000 +1  -\n +6 +\d+ +2 +100 +1  - of conversation a b\n$/);
  assert.match(command(home, ['files', 'list', '--conversation', 'a b']).stdout,
    /y of conversation a b\n\n +bytes +limit .*\n.* -\n +6 +\d+ +2 +100 +1  - of conversation a b\n$/);

  const { owners } = JSON.parse(
    command(home, ['files', 'usage', '--json']).stdout);

  assert.deepEqual(owners.map(({ conversation, bytes, files, versions }) =>
    [conversation, bytes, files, versions]),
  [[undefined, 6, 3, 1], ['a b', 6, 2, 1]]);
});

test('wrong ids are refused, and none where it is not an argument', once,
  async (t) => {
    const { client } = await connect(t);

    for (const [id, told] of [['', /has 0 bytes; it must have 1 to 128/],
      ...['a\nb', '.', '..'].map((id) =>
        [id, /must have no control character, and not be "\." or "\.\."$/]),
      ['x'.repeat(129), /has 129 bytes; it must have 1 to 128/],
      [7, /must be a string of 1 to 128 bytes/],
      [['a'], /must be a string of 1 to 128 bytes/],
      ['\ud800', /must be text: the string has U\+D800 alone/]]) {
      const answer = await say(client, id, 'print(1)');

      assert.match(answer, /^status: validation_error\nerror: conversationId /);
      assert.match(answer, told);
    }
    assert.equal(await say(client, null, 'print(1)'), '1');
    const other = await connect(t, { env: { CAISSON_ARGUMENTS: 'code' } });

    assert.match(await say(other.client, 'a', 'print(1)'),
      /conversationId is not switched on: .*; CAISSON_ARGUMENTS=code,conversationId adds it/);
    /* In containers the directory exists, but is read-only. */
    assert.equal(text(await run(other.client, `import os
print(os.path.exists("/data"), os.access("/data", os.W_OK))`)),
    contained ? 'True False' : 'False False');
  });
