/*
 * What Python code keeps at its end by itself: files and folders of which it
 * has told, and archives of folders; and what is noted of those that go.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { gunzipSync } from 'node:zlib';
import { kept, links, put, read, text } from './support/files.mjs';
import { folder, once, settings } from './support/program.mjs';
import { connect, run } from './support/sdk.mjs';

/* Answers as models see them. */
settings.CAISSON_STRUCTURED = 'off';

test('files whose names were printed come back, others are noted',
  async (t) => {
    const { client } = await connect(t);
    let result = await run(client, `
import os
os.mkdir("charts")
open("charts/a.csv", "w").write("1")
open("b.csv", "w").write("2")
open("word", "w").write("3")
print("Saved to charts/a.csv, in a word")`);

    assert.deepEqual(links(result).map(({ name }) => name), ['a.csv']);
    assert.match(text(result), /note: b\.csv \(1 byte\) and word \(1 byte\) are gone with the sandbox: to keep them, write them to \/workspace\/out/);
    /* Code that fails later has told of it all the same. */
    result = await run(client,
      'open("c.csv", "w").write("1"); print("c.csv"); 1 / 0');
    assert.equal(result.isError, true);
    assert.deepEqual(links(result).map(({ name }) => name), ['c.csv']);
    result = await run(client, 'import sys\nopen("d.csv", "w").write("1")\n' +
      'print("d.csv", file=sys.stderr)\nsys.exit(3)');
    assert.deepEqual(links(result).map(({ name }) => name), ['d.csv']);
    /* What lies in out by that name is the one that is meant. */
    result = await run(client, 'open("e.csv", "w").write("x")\n' +
      'open("out/e.csv", "w").write("meant")\nprint("e.csv")');
    assert.equal((await read(client, links(result)
      .find(({ name }) => name === 'e.csv').uri)).toString(), 'meant');
  });

test('the file whose path was printed comes back, not its namesake', once,
  async (t) => {
    const { client } = await connect(t);
    const two = `${put}put("a/r.csv", "A"); put("b/r.csv", "B")\n`;
    let [files, said] = await kept(client, `${two}print("Saved b/r.csv")`);

    assert.deepEqual(files, { 'r.csv': 'B' });
    assert.match(said, /note: a\/r\.csv \(1 byte\) is gone/);
    for (const told of ['"a/r.csv, b/r.csv"', '*map(os.path.abspath, ' +
      '("a/r.csv", "b/r.csv"))', '"./a/r.csv and ~/b/r.csv."']) {
      [files, said] = await kept(client, `${two}print(${told})`);
      assert.deepEqual(files, { 'b-r.csv': 'B', 'r.csv': 'A' });
      assert.match(said, /note: \/workspace\/b\/r\.csv came back as b-r\.csv/);
      assert.doesNotMatch(said, /gone/);
    }
    [files] = await kept(client, `${put}put("r.csv", "C"); put("b/r.csv", "B")
os.chdir("b")
print("r.csv")`);
    assert.deepEqual(files, { 'b-r.csv': 'B', 'r.csv': 'C' });
    /* The name alone is enough where one file has it. */
    [files] = await kept(client, `${put}put("a/b/r.csv", "A"); print("r.csv")`);
    assert.deepEqual(files, { 'r.csv': 'A' });
  });

test('folders in out come back, and as archives where they have too much', once,
  async (t) => {
    const { client } = await connect(t);

    for (const end of ['', '1 / 0', 'raise SystemExit(3)']) {
      const [files, said] = await kept(client, `${put}
put("out/plots/a.txt", "a")
put("out/plots/b/c d.txt", "abc")
put("out/\u00fc/.x", "x")
${end}`);

      assert.deepEqual(files, { 'plots/a.txt': 'a', 'plots/b/c d.txt': 'abc',
        'ü/.x': 'x' });
      assert.match(said, /^file: plots\/b\/c d\.txt \(3 bytes/m);
      assert.doesNotMatch(said, /not kept|zip/);
    }
    const result = await run(client, `${put}
for n in range(98):
    put(f"out/few/{n}", "x")
for n in range(3):
    put(f"out/many/b/{n}", "abc" * 33333 + "a")
os.utime("out/many/b/1", (0, 0))
put("out/deep/2/3/4/5/6/7/8/9", "x")`);
    const [deep, many] = ['deep.zip', 'many.zip'].map((zip) =>
      links(result).find(({ name }) => name === zip));
    const file = path.join(folder(t), 'many.zip');

    assert.ok(deep && many, text(result));
    assert.equal(links(result).length, 100);
    assert.match(text(result), /note: \/workspace\/out\/many came back as many\.zip/);
    fs.writeFileSync(file, await read(client, many.uri));
    const { stdout } = spawnSync('/usr/bin/python3', ['-c',
      'import sys, zipfile\n' +
      'z = zipfile.ZipFile(sys.argv[1]); print(z.namelist())\n' +
      'sys.stdout.write(z.read("many/b/1").decode())', file],
    { encoding: 'utf8' });

    assert.equal(stdout, "['many/b/0', 'many/b/1', 'many/b/2']\n" +
      `${Buffer.alloc(100_000, 'abc')}`);
  });

test('folders come back whose path was printed', async (t) => {
  const { client } = await connect(t);
  const make = `${put}put("plots/a.txt", "a"); put("plots/b/c.txt", "c")
put("tmp/scratch.txt", "x")
`;
  const told = ['print("Saved 2 charts to plots/")',
    'print("They are in", os.path.abspath("plots"))',
    'print("See ./plots.")', 'from pathlib import Path\n' +
    'print(f"wrote {Path.home() / \'plots\'}")', 'print("plots/"); 1 / 0'];

  for (const code of told) {
    const [files, said] = await kept(client, make + code);

    assert.deepEqual(Object.keys(files), ['plots.zip'], code);
    assert.match(said, /note: \/workspace\/plots came back as plots\.zip/);
    assert.doesNotMatch(said, /plots\S* .*gone/);
    assert.ok(said.includes('tmp/scratch.txt (1 byte) is gone') ||
      code.endsWith('1 / 0'), said);
  }
  /* A word is none, nor is the path of a file below it. */
  for (const code of ['print("plots are done")',
    'print(os.path.abspath("plots/a.txt"), "in", os.getcwd())']) {
    const [files, said] = await kept(client, make + code);

    assert.ok(!('plots.zip' in files));
    assert.match(said, /plots\/b\/c\.txt .*gone/);
  }
  const [files, said] = await kept(client, `${put}import tempfile
folder = tempfile.mkdtemp(prefix="made")
put(folder + "/a.txt", "a"); put("deep/er/b.txt", "b"); put("deep/c.txt", "c")
print("Results:", folder, "and deep/er")`);

  assert.deepEqual(Object.keys(files).map((name) => name.replace(/\d.*|_.*|(?<=^made).*/, '')),
    ['er.zip', 'made']);
  assert.match(said, /note: deep\/c\.txt \(1 byte\) is gone/);
});

test('a folder in out stays where it cannot be read or packed', async (t) => {
  const { client } = await connect(t);
  const deep = 'out/p/2/3/4/5/6/7/8/9';
  let result;

  /* What the code has packed is the same, or it is told. */
  for (const [now, lost] of [['1', false], ['2', true]]) {
    result = await run(client, `${put}import shutil
put("${deep}", "1"); shutil.make_archive("out/p", "zip", "out/p")
put("${deep}", "${now}")`);
    assert.deepEqual(links(result).map(({ name }) => name), ['p.zip']);
    assert.equal(/out\/p\/2\/.*\/8 was not kept: it is a directory/.test(
      text(result)), lost, text(result));
  }
  /* There is no room for both. */
  result = await run(client, `
import os
os.makedirs("out/big/2/3/4/5/6/7/8")
with open("out/big/2/3/4/5/6/7/8/x", "wb") as file:
    for _ in range(100):
        file.write(os.urandom(1 << 20))`);
  assert.deepEqual(links(result), []);
  assert.match(text(result), /out\/big\/2\/.* was not kept: it is a directory/);
  assert.doesNotMatch(text(result), /zip/);
  /* A folder that cannot be read holds up no other. */
  result = await run(client, `${put}put("out/c/d/e.txt", "1")
put("out/f/g.txt", "1"); os.chmod("out/c/d", 0)`);
  assert.deepEqual(links(result).map(({ name }) => name), ['f/g.txt']);
  assert.match(text(result), /out\/c\/d was not kept: it is a directory/);
});

test('files in /tmp come back where their paths were printed', async (t) => {
  const { client } = await connect(t);

  for (const end of ['', '1 / 0', 'raise SystemExit(3)']) {
    const [files, said] = await kept(client, `${put}
import tempfile
from pathlib import Path
one = Path("/tmp") / "one.csv"
one.write_text("1")
two = tempfile.mkdtemp() + "/two.csv"
put(two, "2")
with tempfile.NamedTemporaryFile(suffix=".csv", delete=False) as three:
    three.write(b"3")
put("/tmp/" + "other/four.csv", "4")
print(one, two)
print("Saved", three.name)
${end}`);

    assert.deepEqual(Object.values(files).sort(), ['1', '2', '3']);
    assert.equal(files['two.csv'], '2');
    assert.doesNotMatch(said, /gone/);
  }
});

test('files that the code has not closed come back whole', async (t) => {
  const { client } = await connect(t);
  const code = `${put}
import csv, gzip, zipfile
plain = open("plain.txt", "w"); plain.write("plain")
csv.writer(open("rows.csv", "w", newline="")).writerow([1, 2])
rows = open("more.csv", "w", newline=""); csv.writer(rows).writerow([3, 4])
packed = gzip.open("packed.gz", "wt"); packed.write("packed")
archive = zipfile.ZipFile("archive.zip", "w"); archive.writestr("a", "zip")
os.mkdir("out/folder")
inside = open("out/folder/in.txt", "w"); inside.write("inside")
saved = open("saved.txt", "w"); saved.write("saved")
runtime.save_file("saved.txt"); saved.write(", and more")
print("plain.txt rows.csv more.csv packed.gz archive.zip")
`;
  const names = ['archive.zip', 'folder/in.txt', 'more.csv', 'packed.gz',
    'plain.txt', 'rows.csv', 'saved.txt'];

  for (const end of ['', '1 / 0', 'raise SystemExit(3)']) {
    const result = await run(client, code + end);
    const bytes = {};

    for (const { name, uri } of links(result))
      bytes[name] = await read(client, uri);
    assert.deepEqual(Object.keys(bytes), names);
    assert.equal(bytes['plain.txt'].toString(), 'plain');
    assert.equal(bytes['rows.csv'].toString(), '1,2\r\n');
    assert.equal(bytes['more.csv'].toString(), '3,4\r\n');
    assert.equal(bytes['saved.txt'].toString(), 'saved');
    assert.equal(gunzipSync(bytes['packed.gz']).toString(), 'packed');
    assert.equal(bytes['folder/in.txt'].toString(), 'inside');

    /* An archive ends with a list of what is in it, with its size. */
    const zip = bytes['archive.zip'];

    assert.equal(zip.readUInt32LE(zip.indexOf('PK\x01\x02') + 24), 3);
  }
});
