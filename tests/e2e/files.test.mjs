/*
 * Files that code leaves, as the official client receives them: links in the
 * answer, bytes through resources/read, whatever else lies there refused by
 * name; and the commands for their user.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { kept, links, prefix, put, read, text } from './support/files.mjs';
import { Gate } from './support/gate.mjs';
import { descendants } from './support/processes.mjs';
import { file, folder, ran, settings, unpooled } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { connect, run } from './support/sdk.mjs';
import { until, untilLate } from './support/wait.mjs';

/* Answers as models see them. */
settings.CAISSON_STRUCTURED = 'off';

const sha = (bytes) => createHash('sha256').update(bytes).digest('hex');

/* The names of all files that are listed. */
async function listed(client) {
  const { resources } = await client.listResources();

  return resources.filter(({ uri }) => uri.startsWith(prefix))
    .map(({ name }) => name);
}

/* Runs a command with the home of a client. */
function command(home, args, more = {}) {
  return ran({ home, args, ...more }, more);
}

const leave = 'from pathlib import Path\nout = Path("/workspace/out")\n';

/* From the pool; in a box that has an interpreter of its own; from a shell. */
for (const [how, options] of [['from the pool', {}],
  ['without a template', unpooled]])
  test(`what lies in /workspace/out comes back, ${how}`, async (t) => {
    const { client } = await connect(t, options);
    const result = await run(client, `${leave}
import hashlib, os
data = os.urandom(3_000_000)
(out / "report 1.xlsx").write_bytes(data)
(out / "-\u00fc.csv").write_text("a,b\\n1,2\\n")
print(hashlib.sha256(data).hexdigest())`);
    const [csv, xlsx] = links(result);

    assert.equal(result.isError, false);
    assert.match(text(result), /\nfile: -ü\.csv \(8 bytes\)\nfile: report 1\.xlsx \(3\.0 MB\)$/);
    assert.deepEqual(csv, { type: 'resource_link',
      uri: `${prefix}-%C3%BC.csv?version=1`, name: '-ü.csv',
      mimeType: 'text/csv', size: 8 });
    assert.equal(xlsx.size, 3_000_000);
    assert.equal(sha(await read(client, xlsx.uri)), text(result).split('\n')[0]);
    assert.equal((await read(client, `${prefix}-%C3%BC.csv`)).toString(),
      'a,b\n1,2\n');
    assert.deepEqual(await listed(client), ['-ü.csv', 'report 1.xlsx']);
  });

test('save_file keeps files and bytes', async (t) => {
  const { client } = await connect(t);
  const result = await run(client, `
import io
open("/tmp/x.bin", "wb").write(b"one")
print(runtime.save_file("/tmp/x.bin"))
print(runtime.save_file("/tmp/x.bin", "y"))
print(runtime.save_file(b"two", name="z"))
print(runtime.save_file(io.BytesIO(b"three"), "a/b/w"))
for wrong in ((b"x",), (b"x", "a//b"), (b"x", ".."), (b"x", "a\\nb"),
              (b"x", "x" * 256), (b"x", "\\ud800"), (7, "a"), ("/none",)):
    try:
        runtime.save_file(*wrong)
    except (TypeError, ValueError, OSError) as error:
        print(type(error).__name__, end=" ")`);

  assert.match(text(result), /^\/workspace\/out\/x\.bin\n\/workspace\/out\/y\n\/workspace\/out\/z\n\/workspace\/out\/a\/b\/w\nTypeError ValueError ValueError ValueError ValueError ValueError TypeError FileNotFoundError \nfile: a\/b\/w \(5 bytes\)\n/);
  assert.deepEqual(await listed(client), ['a/b/w', 'x.bin', 'y', 'z']);
});

test('save_file takes what can mean one thing only', async (t) => {
  const { client } = await connect(t);
  const [files, said] = await kept(client, `${put}
import io
put("d/x.txt", "x")
runtime.save_file("a.txt", b"a")
runtime.save_file(io.StringIO("b\u00fc"), "b.txt")
runtime.save_file(b"c", "/workspace/out/c.txt")
runtime.save_file(b"d", "out/d.txt")
for folder in ("d", "d/", os.path.abspath("d")):
    print(runtime.save_file(folder, None if folder != "d/" else "e"))
for wrong, name in ((".", "f"), ("/workspace", None), ({}, "x.json")):
    try:
        runtime.save_file(wrong, name)
    except (TypeError, ValueError) as error:
        print(error)`);

  assert.deepEqual(Object.keys(files), ['a.txt', 'b.txt', 'c.txt', 'd.txt',
    'd/x.txt', 'e/x.txt']);
  assert.equal(files['b.txt'], 'bü');
  assert.equal(files['c.txt'], 'c');
  assert.match(said, /^\/workspace\/out\/d\n\/workspace\/out\/e\n/);
  assert.match(said, /'\.' has the files .*\n'\/workspace' has the files/);
  assert.match(said, /type dict: write that to a file in \/workspace\/out\n/);
});

test('no picture with a side of 0 or above 2,000 is passed on as one',
  async (t) => {
    const { client } = await connect(t);
    const sizes = [[0, 1], [1, 2000], [60000, 60000], [1, 2001]];
    const result = await run(client, `
import struct
for n, (width, height) in enumerate(${JSON.stringify(sizes)}):
    open(f"out/{n}.png", "wb").write(b"\\x89PNG\\r\\n\\x1a\\n\\0\\0\\0\\rIHDR" +
        struct.pack(">II5BI", width, height, 8, 2, 0, 0, 0, 0) +
        b"\\0\\0\\0\\0IEND\\xae\\x42\\x60\\x82")
    open(f"out/{n}.svg", "w").write(f"<svg width='{width}' height='{height}'/>")
open("out/4.gif", "wb").write(b"GIF89a" + struct.pack("<HHBBB", 1, 2001, 0,
    0, 0))
open("out/5.bmp", "wb").write(b"BM" + bytes(60))`);
    const types = { gif: 'application/octet-stream',
      bmp: 'application/octet-stream', png: 'application/octet-stream',
      svg: 'application/xml', '1.png': 'image/png', '1.svg': 'image/svg+xml' };

    assert.equal(result.isError, false, text(result));
    assert.equal(links(result).length, 10);
    for (const { uri, name, mimeType } of links(result)) {
      const [content] = (await client.readResource({ uri })).contents;
      const type = types[name] ?? types[name.slice(2)];

      assert.deepEqual([mimeType, content.mimeType], [type, type], name);
    }
    for (const { name, mimeType } of (await client.listResources()).resources)
      if (/^[02-5]/.test(name))
        assert.equal(mimeType, types[name.slice(2)], name);
  });

test('the same name makes versions', async (t) => {
  const { client } = await connect(t);

  for (const [n, content] of [[1, 'one'], [2, 'two'], [3, 'three']]) {
    const result = await run(client,
      `open("out/a.txt", "w").write("${content}")`);

    assert.equal(links(result)[0].uri, `${prefix}a.txt?version=${n}`);
    if (n > 1)
      assert.match(text(result), new RegExp(`version ${n}\\)$`));
  }
  for (const [n, content] of [[1, 'one'], [3, 'three']])
    assert.equal((await read(client,
      `${prefix}a.txt?version=${n}`)).toString(), content);
  assert.equal((await read(client, `${prefix}a.txt`)).toString(), 'three');
  assert.deepEqual(await listed(client), ['a.txt']);
  for (const uri of ['a.txt?version=4', 'b.txt', 'a.txt?version=x', '%zz',
    '..%2F..%2Fetc%2Fpasswd', '%00'])
    await assert.rejects(client.readResource({ uri: prefix + uri }),
      /-32002.*Resource not found/);
});

test('what is no regular file with one name is refused by name',
  async (t) => {
    const { client } = await connect(t);
    const result = await run(client, `
import os
os.chdir("/workspace/out")
open("plain", "w").write("x")
os.mkdir("folder")
os.mkfifo("folder/inside")
os.symlink("/etc/passwd", "link")
os.symlink("folder", "to folder")
open("two", "w").write("x"); os.link("two", "names")
os.mkfifo("pipe")
open("a\\nb", "w"); open(b"\\xff", "w"); open("\\x1b[31m", "w")
open("x" * 255, "w")
open("...", "w")
open("hidden", "w").write("x"); os.chmod("hidden", 0)
print("ok")`);
    const notes = text(result).split('\n')
      .filter((line) => line.startsWith('note: '));
    const names = links(result).map(({ name }) => name);

    assert.equal(result.isError, false);
    assert.deepEqual(names.sort(),
      ['...', 'hidden', 'plain', 'x'.repeat(255)].filter(
        (name) => names.includes('hidden') || name !== 'hidden').sort());
    for (const [name, why] of [['folder/inside', 'named pipe'],
      ['link', 'symbolic link'], ['to folder', 'symbolic link'],
      ['two', 'more than one name'], ['names', 'more than one name'],
      ['pipe', 'named pipe'], ['a\\x0ab', 'its name'],
      ['\\xff', 'its name'], ['\\x1b[31m', 'its name']])
      assert.ok(notes.some((note) =>
        note.startsWith(`note: /workspace/out/${name} was not kept: `) &&
        note.includes(why)), `${name}: ${notes.join('\n')}`);
    assert.deepEqual((await listed(client)).sort(), names);
  });

test('files are bounded together, and what does not fit is named',
  async (t) => {
    const { client } = await connect(t,
      { env: { CAISSON_FILES_MAX: '1m' } });
    let result = await run(client, `
import os
open("out/a", "wb").write(bytes(600_000))
open("out/b", "wb").write(bytes(600_000))
open("out/c", "wb").write(bytes(400_000))
open("out/giant", "wb").truncate(100 << 20)
try:
    open("out/larger", "wb").truncate(1 << 30)
except OSError as error:
    os.unlink("out/larger")
    print(error.strerror)`);

    assert.deepEqual(links(result).map(({ name }) => name), ['a', 'c']);
    assert.match(text(result), /^File too large\n/);
    assert.match(text(result), /note: \/workspace\/out\/b was not kept: all files together may take 1 MiB, and this owner keeps 1 of 0\.6 MiB: remove some \('caisson files remove'\), or raise CAISSON_FILES_MAX\n/);
    assert.match(text(result), /note: \/workspace\/out\/giant was not kept: it is larger than all files together may be \(1 MiB\): raise CAISSON_FILES_MAX$/);
    /* The box has room for a quarter of its memory there. */
    result = await run(client, `
try:
    with open("out/full", "wb") as file:
        for n in range(1024):
            file.write(bytes(1 << 20))
except OSError as error:
    print(error.strerror)
import os
os.unlink("out/full")`);
    assert.equal(text(result), 'No space left on device');
  });

test('files of a directory that was full are told as perhaps incomplete',
  async (t) => {
    const { client, log } = await connect(t,
      { env: { CAISSON_MEMORY: '64m', CAISSON_LOG_LEVEL: 'info' } });
    const gate = new Gate();
    const fill = `
open("out/whole", "w").write("x" * 5000)
try:
    with open("out/cut", "wb") as file:
        for n in range(64):
            file.write(bytes([n]) * (1 << 20))
except OSError:
    `;
    const note = /note: files in \/workspace\/out may be incomplete: the directory was full \(16 MiB\): write less, or raise CAISSON_MEMORY$/;

    for (const end of ['pass', 'raise']) {
      const said = text(await run(client, fill + end));

      assert.match(said, /file: cut \(16\.8 MB(, version 2)?\) may be incomplete\n/);
      assert.match(said, /file: whole \(5 kB(, version 2)?\)(\n|$)/);
      assert.match(said, note);
    }
    /* There is room at the end, and no file tells what was lost before. */
    const freed = run(client, `${fill}${gate.wait}
import os
os.unlink("out/cut")`);

    await gate.reached();
    /* Each call tells once. */
    await until(() => log().split('/workspace/out is full').length === 4,
      'a look');
    gate.open();
    assert.match(text(await freed), /file: whole \(5 kB, version 3\)\n/);
    assert.match(text(await freed), note);
    assert.doesNotMatch(text(await run(client,
      'open("out/page", "wb").write(bytes(4096))')), /incomplete/);
  });

test('files come back after a time-out, and not after a cancel',
  async (t) => {
    const { client } = await connect(t);
    const result = await untilLate((timeout) => run(client, 'import time\n' +
      'open("out/late", "w").write("x")\nprint("written", flush=True)\n' +
      'time.sleep(600)', { timeout }), (answer) => /^written$/m.test(text(answer)));

    assert.match(text(result), /^status: timeout\n/);
    assert.deepEqual(links(result).map(({ name }) => name), ['late']);

    const controller = new AbortController();
    const call = run(client, 'import time\nfor n in range(600):\n' +
      '    open("out/cancelled%d" % n, "w").write("x")\n' +
      '    time.sleep(0.1)', {}, { signal: controller.signal });

    controller.abort();
    await assert.rejects(call);
    await run(client, 'print(1)');
    assert.deepEqual(await listed(client), ['late']);
  });

test('a call that is cancelled while its files are kept has none',
  async (t) => {
    const { client, pid } = await connect(t);
    const family = (name) => descendants(pid).find(
      (entry) => entry.name.startsWith(name));

    let n = 0;
    const name = await until(async () => {
      await run(client, 'open("out/a", "w").write("1")');
      const keeper = family('files');
      const controller = new AbortController();
      const gate = new Gate();
      let over = false;
      const call = run(client,
        `${gate.wait}\nopen("out/b${++n}", "w").write("1")`, {},
        { signal: controller.signal }).then(() => { over = true; });

      await gate.reached();
      process.kill(keeper.pid, 'SIGSTOP');
      gate.open();
      /* On a slow machine the keeper may be given up before. */
      await until(() => over || family('porter'), 'a porter');
      if (over)
        return false;
      controller.abort();
      await assert.rejects(call);
      await client.ping(); /* answered behind the cancel */
      await until(() => !family('porter'), 'its end');
      try {
        process.kill(keeper.pid, 'SIGCONT');
      } catch (error) {
        assert.equal(error.code, 'ESRCH');
      }
      return `b${n}`;
    }, 'a call to cancel');

    await run(client, 'open("out/c", "w").write("1")');
    const names = await listed(client);

    assert.ok(names.includes('c') && !names.includes(name), names.join());
  });

test('what a child of the code still writes is not waited for', async (t) => {
  const { client } = await connect(t);
  const result = await run(client, `
import os
open("out/a", "w").write("whole")
if os.fork() == 0:
    os.setsid()
    while True:
        open("out/b", "w").write("x" * 100_000)
os._exit(0)`);

  assert.equal(links(result)[0].name, 'a');
  assert.equal((await read(client, links(result)[0].uri)).toString(), 'whole');
});

test('a keeper that is killed costs only what it was asked for', async (t) => {
  const { client, pid } = await connect(t);
  const keeper = () => descendants(pid).find(
    (entry) => entry.name.startsWith('files'));
  let result = await run(client, 'open("out/a", "w").write("1")');

  assert.equal(links(result).length, 1);
  /* It may be gone since we looked. */
  const kill = (entry) => {
    try {
      process.kill(entry.pid, 'SIGKILL');
    } catch (error) {
      assert.equal(error.code, 'ESRCH');
    }
  };

  for (let n = 0; n < 3; n++) {
    kill(keeper());
    await until(() => keeper() === undefined, 'its end');
    result = await run(client, 'open("out/a", "w").write("2")');
    assert.equal(links(result).length, 1, text(result));
  }
  assert.equal((await read(client, `${prefix}a?version=1`)).toString(), '1');
  assert.deepEqual(await listed(client), ['a']);

  /* While it is at work: what was linked to is there, the rest is noted. */
  const calls = Array.from({ length: 8 }, (_, n) => run(client,
    `open("out/n${n}", "wb").write(bytes(2_000_000))`));
  const killed = [];
  const killer = setInterval(() => {
    const found = keeper();

    if (found !== undefined && killed.length < 4) {
      kill(found);
      killed.push(found.pid);
    }
  }, 5);
  const results = await Promise.all(calls);

  clearInterval(killer);
  await until(() => descendants(pid).every((entry) =>
    !killed.includes(entry.pid)), 'the end of the last one');
  for (const each of results) {
    assert.equal(each.isError, false, text(each));
    for (const link of links(each))
      assert.equal((await read(client, link.uri)).length, 2_000_000);
    if (links(each).length === 0)
      assert.match(text(each), /note: files in \/workspace\/out were not kept: |was not kept: /);
  }
});

test('a keeper that is stopped costs only what it was asked for', async (t) => {
  const { client, pid } = await connect(t);
  const leave = (content) => run(client,
    `open("out/a", "w").write("${content}")`);

  assert.equal(links(await leave('1')).length, 1);
  process.kill(descendants(pid).find(
    ({ name }) => name.startsWith('files')).pid, 'SIGSTOP');
  const hung = leave('2');

  assert.equal(text(await run(client, 'print("hi")')), 'hi');
  /* It may have been replaced before it was asked. */
  assert.match(text(await hung),
    /\nfile: a |note: files in \/workspace\/out were not kept: the files process exited/);
  assert.equal(links(await leave('3')).length, 1);
});

/* A porter waits while there are many files: so it can be met. */
test('a porter that is killed costs only the files of its call', async (t) => {
  const { client, pid } = await connect(t);
  const porters = () => descendants(pid).filter(
    (entry) => entry.name.startsWith('porter'));
  const met = new Set();
  const killer = setInterval(() => {
    for (const entry of porters()) {
      met.add(entry.pid);
      try {
        process.kill(entry.pid, 'SIGKILL');
      } catch (error) {
        assert.equal(error.code, 'ESRCH');
      }
    }
  }, 1);
  let kept = [];

  for (let n = 0; n < 10 && met.size === 0; n++) {
    const result = await run(client, `${leave}
for n in range(60):
    (out / f"{n:02}").write_bytes(b"x" * 300_000)`);

    assert.equal(result.isError, false);
    kept = links(result);
    assert.ok(kept.length === 60 || /note: .*not (all )?kept/.test(text(result)),
      text(result));
  }
  clearInterval(killer);
  assert.ok(met.size > 0, 'no porter was met');
  for (const { uri } of kept)
    assert.equal((await read(client, uri)).length, 300_000);
  /* Each call has a porter of its own. */
  assert.equal(links(await run(client,
    'open("out/a", "w").write("1")')).length, 1);
});

test('the user lists, shows, saves, adds and removes files', async (t) => {
  const home = folder(t);
  const { client } = await connect(t, { home });
  const put = path.join(folder(t), 'saved');
  const mine = file(t, 'mine.txt', 'from outside');

  assert.equal(command(home, ['files']).stdout,
    `No files are kept in ${path.join(home, '.local/state/caisson')}.\n`);
  await run(client, 'open("out/a.txt", "w").write("one")');
  await run(client, 'open("out/a.txt", "w").write("two\\x1b[31m")');
  assert.match(command(home, ['files', 'list']).stdout,
    /^\S+Z +3 +1 text\/plain a\.txt\n\S+Z +8 +2 \S+ a\.txt\n\n +bytes +limit .*\n +11 +\d+ +2 +\d+ +1  -\n$/);
  assert.equal(command(home, ['files', 'show', 'a.txt']).stdout, 'two\x1b[31m');
  assert.equal(command(home,
    ['files', 'show', `${prefix}a.txt?version=1`]).stdout, 'one');
  assert.equal(command(home, ['files', 'save', 'a.txt', put]).status, 0);
  assert.equal(fs.readFileSync(put, 'utf8'), 'two\x1b[31m');

  const again = command(home, ['files', 'save', 'a.txt', put]);

  assert.equal(again.status, 1);
  assert.match(again.stderr, /^caisson: .*saved exists already, and is left as it is: name another path, behind the name of the file\n$/);

  /* Into a directory it goes by its own name. */
  const place = folder(t);

  assert.equal(command(home, ['files', 'save', 'a.txt', place]).status, 0);
  assert.ok(fs.existsSync(path.join(place, 'a.txt')));
  assert.match(command(home, ['files', 'add', mine]).stdout,
    /^\S+Z +12 +1 text\/plain mine\.txt\n$/);
  assert.equal(command(home, ['files', 'add', mine, 'other name']).status, 0);
  assert.deepEqual(await listed(client), ['a.txt', 'mine.txt', 'other name']);
  assert.equal((await read(client, `${prefix}other%20name`)).toString(),
    'from outside');
  for (const [args, why] of [
    [['show', 'none'], /there is no file of this name.*, or not this version/],
    [['remove', 'none'], /there is no file of this name.*, or not this version/],
    [['save', `${prefix}%zz`, put], /there is no file of this name/],
    [['add', '/none'], /\/none cannot be opened: No such file/],
    [['add', '/dev'], /\/dev is no regular file/],
    [['add', mine, 'a/../b'], /its name must be UTF-8 without control/],
    [['add', mine, 'x'.repeat(256)], /cannot be the name of a file/],
  ]) {
    const { status, stderr } = command(home, ['files', ...args]);

    assert.equal(status, 1, args.join(' '));
    assert.match(stderr, why);
  }
  assert.equal(command(home, ['files', 'save']).status, 2);
  assert.match(command(home, ['files', 'frobnicate']).stderr,
    /'caisson files' takes one of list, usage, show NAME, save NAME \[PATH\], add PATH \[NAME\], remove NAME, clear/);
  assert.equal(command(home, ['files', 'remove', 'a.txt']).status, 0);
  assert.deepEqual(await listed(client), ['mine.txt', 'other name']);
  assert.equal(command(home, ['files', 'clear', '--yes']).stdout, '2 removed\n');
  assert.deepEqual(await listed(client), []);
});

const given = { env: { CAISSON_ARGUMENTS: 'code,servers,timeout,files',
  CAISSON_TOOLS: 'run_python,upload_file' } };

test('a call gets earlier files', async (t) => {
  const { client } = await connect(t, given);
  const { tools } = await client.listTools();

  assert.ok(tools[0].inputSchema.properties.files);
  await run(client, 'open("out/a b.csv", "w").write("1,2")');
  await run(client, 'open("out/a b.csv", "w").write("3,4")');
  for (const files of [['a b.csv'], 'a b.csv', ['a b.csv', 'a b.csv']]) {
    const result = await run(client, 'import os\n' +
      'print(os.listdir("/workspace/in"), open("in/a b.csv").read())',
    { files });

    assert.equal(text(result), "['a b.csv'] 3,4");
  }
  /* An address is that of a version. */
  assert.equal(text(await run(client, 'print(open("in/a b.csv").read())',
    { files: [`${prefix}a%20b.csv?version=1`] })), '1,2');
  assert.match(text(await run(client, 'print(1)',
    { files: ['a b.csv', `${prefix}a%20b.csv?version=1`] })),
  /a b.csv: the box already has something of this name/);
  assert.match(text(await run(client, 'print(1)',
    { files: [`${prefix}a%2`] })), /no file has the URI/);
  /* What the code does there changes nothing of what is kept. */
  const changed = await run(client, 'open("in/a b.csv", "a").write("more")',
    { files: ['a b.csv'] });

  assert.equal(text(changed), '4\nnote: in/a b.csv (7 bytes) is gone ' +
    'with the sandbox: to keep it, write it to /workspace/out');
  assert.equal((await read(client, `${prefix}a%20b.csv`)).toString(), '3,4');
  for (const [files, why] of [
    [['none'], 'files cannot be put into the box: none: there is no file of ' +
      "this name, or not this version of it ('caisson files list' shows all; one of " +
      "a conversation is in its /data, or named by its address)"]]) {
    const result = await run(client, 'print(1)', { files });

    assert.equal(result.isError, true);
    assert.equal(text(result), `status: error\nerror: ${why}`);
  }
  for (const [files, why] of [[7, 'files must be an array of names of earlier files'],
    [[7], 'files must contain only strings, the names of earlier files'],
    [[''], 'unknown file "": a name has from 1 to 255 bytes and no NUL'],
    [Array.from({ length: 33 }, (_, n) => `${n}`),
      'files has more than 32 names']]) {
    const result = await run(client, 'print(1)', { files });

    assert.equal(text(result), `status: validation_error\nerror: ${why}`);
  }
});

test('a file that is given, changed and printed is a new version',
  async (t) => {
    const { client } = await connect(t, given);

    await run(client, 'open("out/a.csv", "w").write("1,2")');
    await run(client, 'open("out/b.csv", "w").write("1,2")');
    for (const end of ['', '\n1 / 0']) {
      const result = await run(client, `open("in/a.csv", "w").write("3,4")
print("changed /workspace/in/a.csv, not in/b.csv")${end}`,
      { files: ['a.csv', 'b.csv'] });

      assert.deepEqual(links(result).map(({ name }) => name), ['a.csv']);
      assert.doesNotMatch(text(result), /note/);
      assert.equal((await read(client, links(result)[0].uri)).toString(),
        '3,4');
    }
    /* Where it is not closed, either. */
    const result = await run(client, `file = open("in/b.csv", "a")
file.write(",3")
print("b.csv")`, { files: 'b.csv' });

    assert.equal((await read(client, links(result)[0].uri)).toString(),
      '1,2,3');
  });

/* What is told below an error. */
const hint = (result) => text(result).match(/\nhint: (.*)$/m)?.[1];

test('errors of files tell where files come from, and where they go',
  async (t) => {
    const { client } = await connect(t, given);
    const write = 'write it to /workspace/out: files there come back with ' +
      'the answer; other folders of this machine cannot be written';
    const folderOf = (name) => `the folder ${name} does not exist: create ` +
      'it, or write to /workspace/out, whose files come back with the answer';
    const name = '/workspace/in has the files that the call names: name it ' +
      'in the argument files, if run_python has that';

    await run(client, 'open("out/data.csv", "w").write("1,2")');
    for (const [code, told] of [
      ['open("/report.csv", "w")', write],
      ['open("sub/a.txt", "w")', folderOf('sub')],
      ['open("data.csv")', 'the file is /workspace/in/data.csv'],
      ['open("/workspace/in/other.csv")', name]]) {
      const result = await run(client,
        `import os, shutil\nfrom pathlib import Path\n${code}`,
        { files: ['data.csv'] });

      assert.equal(result.isError, true, code);
      assert.equal(hint(result), told, code);
    }
    /* A path to where nothing can be; others may be names of anything. */
    for (const [path, note] of [['data.csv', ''], ['/mnt/data/data.csv',
      '\nnote: /mnt/data/data.csv is not here: the file is ' +
      '/workspace/in/data.csv']])
      assert.equal(text(await run(client,
        `import os; print(os.path.exists("${path}"))`,
        { files: ['data.csv'] })), `False${note}`);
    assert.equal(text(await run(client,
      'import os; print(os.path.exists("in/data.csv"))',
      { files: ['data.csv'] })), 'True');
    assert.equal(hint(await run(client, 'open("in/data.csv")')), name);
    assert.match(hint(await run(client, 'open("data.csv")')),
      /^each call begins with an empty working directory: /);
    assert.match(hint(await run(client, 'open("/home/u/data.csv")')),
      /^the sandbox has no files of the user: .*; write files of the code to \/workspace\/out$/);
    assert.equal(hint(await run(client, 'import os; os.listdir("in")')), name);
  });

test('upload_file keeps what a client brings', async (t) => {
  const { client } = await connect(t, given);
  const upload = (args) => client.callTool(
    { name: 'upload_file', arguments: args });
  let result = await upload({ name: 'ü.txt', content: 'grüße' });

  assert.equal(text(result), 'file: ü.txt (7 bytes)');
  assert.equal(links(result)[0].uri, `${prefix}%C3%BC.txt?version=1`);
  result = await upload({ name: 'ü.txt', content: 'AAEC', encoding: 'base64' });
  assert.equal(text(result), 'file: ü.txt (3 bytes, version 2)');
  assert.deepEqual([...await read(client, links(result)[0].uri)], [0, 1, 2]);
  result = await run(client, 'print(open("in/ü.txt", "rb").read())',
    { files: 'ü.txt' });
  assert.equal(text(result), "b'\\x00\\x01\\x02'");
  for (const [args, why] of [
    [{}, 'name is missing: upload_file needs name and content'],
    [{ name: 'a' }, 'content is missing: upload_file needs name and content'],
    [{ name: 7, content: '' }, 'name must be a string'],
    [{ name: '', content: '' }, 'name must have from 1 to 255 bytes and no NUL'],
    [{ name: 'a', content: 'x', encoding: 'hex' },
      'encoding must be "utf-8" or "base64"'],
    [{ name: 'a', content: 'x!', encoding: 'base64' },
      'content is not base64 (RFC 4648)'],
    [{ name: 'a', content: 'x', path: '/etc' },
      'unknown argument "path": upload_file takes name, content and encoding'],
  ])
    assert.equal(text(await upload(args)),
      `status: validation_error\nerror: ${why}`);
  assert.match(text(await upload({ name: '../a', content: '' })),
    /^status: error\nerror: \.\.\/a: its name must be UTF-8/);
});

/* Another process has the directory, so a file cannot be kept yet. */
test('an end leaves no half of a file', async (t) => {
  const home = folder(t);
  const directory = path.join(home, '.local/state/caisson/files');
  const halves = () => fs.readdirSync(directory)
    .filter((name) => name.startsWith('t'));

  command(home, ['files', 'add', file(t, 'b', 'whole')]);
  const other = spawn('/usr/bin/python3', ['-c', `import fcntl, sys
lock = open(sys.argv[1])
fcntl.flock(lock, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.read()`, path.join(directory, 'lock')]);

  t.after(() => other.kill());
  await once(other.stdout, 'data');
  for (const end of [(raw) => raw.finish(), (raw) => {
    process.kill(raw.pid, 'SIGTERM');
    return raw.wait();
  }]) {
    const raw = await Raw.open(t, { home, ...given });

    raw.post('tools/call', { name: 'upload_file',
      arguments: { name: 'a', content: 'half' } });
    await until(() => halves().length === 1, 'half of a file');
    await end(raw);
    assert.deepEqual(halves(), []);
  }
});

test('reads wait for their turn, and cost no other call its files',
  async (t) => {
    const raw = await Raw.open(t);

    await raw.run('open("out/a.txt", "w").write("hi")');
    const ids = Array.from({ length: 3000 }, () =>
      raw.post('resources/read', { uri: `${prefix}a.txt` }));
    const { content } = await raw.run('open("out/b.txt", "w").write("hi")');

    assert.equal(content[1].name, 'b.txt');
    for (const id of ids) {
      const { result, error } = await raw.response(id);

      assert.equal(result?.contents[0].text ?? error.message, result ? 'hi' :
        'too many requests for files are waiting: send fewer at once');
    }
    await raw.finish();
  });

test('answers of a batch are bounded', async (t) => {
  const raw = Raw.start(t, { batches: true });

  await raw.initialize('2025-03-26');
  await raw.run('open("out/a", "wb").truncate(30_000_000)');
  const batch = Array.from({ length: 20 }, (_, n) => ({ jsonrpc: '2.0',
    id: `read ${n}`, method: 'resources/read',
    params: { uri: `${prefix}a` } }));

  raw.send(batch);
  let read = 0;

  for (const { id } of batch) {
    const { result, error } = await raw.response(id);

    read += result !== undefined;
    if (error !== undefined)
      assert.equal(error.message,
        'too many answers are waiting to be read by the client');
  }
  assert.ok(read >= 1 && read < 5, `${read} were read`);
  await raw.ping();
});
