/*
 * Pictures that code shows, as the official client receives them: as image
 * blocks among the text, in order, bounded, and kept whatever comes later.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { decode, encode } from './support/png.mjs';
import { settings, unpooled } from './support/program.mjs';
import { connect, run } from './support/sdk.mjs';
import { official, withServers } from './support/servers.mjs';

/* Answers as models see them. */
settings.CAISSON_STRUCTURED = 'off';

const red = encode(30, 20, [255, 0, 0]);
const green = encode(8, 9, [0, 255, 0]);
const literal = (bytes) =>
  `bytes.fromhex("${bytes.toString('hex')}")`;
const start = `red = ${literal(red)}\ngreen = ${literal(green)}\n`;

const without = (name) => spawnSync('/usr/bin/python3',
  ['-I', '-c', `import ${name}`]).status === 0 ? false :
  `/usr/bin/python3 has no ${name}`;
const plots = { skip: without('matplotlib') };

/* What an answer has, in short: texts, and images as PNG or their type. */
function pieces(result) {
  return result.content.map((block) => block.type === 'text' ? block.text :
    { type: block.type, mimeType: block.mimeType,
      bytes: Buffer.from(block.data, 'base64') });
}

const image = (bytes) => ({ type: 'image', mimeType: 'image/png', bytes });

/* Runs code that must succeed. */
async function shown(client, code, more) {
  const result = await run(client, code, more);

  assert.equal(result.isError, false, JSON.stringify(result.content[0]));
  return pieces(result);
}

test('pictures come among the text, in order', async (t) => {
  const { client } = await connect(t);
  const found = await shown(client, `${start}
import sys
sys.stdout.write("one")
runtime.show(red, "Red")
print("two")
display(green, "three")
print("four")`);

  assert.match(found[0], /^one\n\[picture 1: Red \(PNG, 30 x 20, \d+ bytes\)\]$/);
  assert.deepEqual(found[1], image(red));
  assert.match(found[2], /^two\n\[picture 2 \(PNG, 8 x 9, \d+ bytes\)\]$/);
  assert.deepEqual(found[3], image(green));
  assert.equal(found[4], 'three\nfour');
  assert.equal(found.length, 5);
  assert.deepEqual(decode(found[1].bytes).pixel(29, 19), [255, 0, 0]);
  assert.deepEqual(decode(found[3].bytes).pixel(0, 0), [0, 255, 0]);
});

/* The first bytes of pictures, of any size. */
const bytes = (text, ...parts) => Buffer.concat(
  [Buffer.from(text, 'latin1'), ...parts.map((part) => Buffer.from(part))]);
test('pictures of tools pass through', async (t) => {
  const { client } = await connect(t,
    withServers(t, { everything: official('everything') }));
  const [, { bytes, mimeType }] = await shown(client,
    'runtime.show(await mcp_everything.get_tiny_image())', { timeout: 100 });

  assert.equal(mimeType, 'image/png');
  assert.equal(bytes.toString('latin1', 1, 4), 'PNG');
});

test('ten thousand pictures', async (t) => {
  const { client } = await connect(t);
  const found = await shown(client, `${start}
for n in range(10000): runtime.show(red, str(n))
print("end")`, { timeout: 100 });

  assert.deepEqual(found.filter((piece) => piece.type === 'image'),
    Array(8).fill(image(red)));
  assert.match(found.at(-1), new RegExp('^end\nnote: 9,992 more ' +
    'pictures were not shown: an answer has at most 8 pictures and 4 MB of ' +
    'them; show fewer'));
});

test('an error keeps what was shown before', async (t) => {
  const { client } = await connect(t);

  for (const [end, look] of [
    ['1 / 0', /ZeroDivisionError/],
    ['import os; os.kill(os.getpid(), 9)', /SIGKILL/],
    ['import os; os.abort()', /SIGABRT/],
    ['x = []\nwhile True: x.append(bytearray(1 << 20))', /Memory|memory/],
  ]) {
    const result = await run(client,
      `${start}print("before")\nruntime.show(red, "Red")\n${end}`);
    const found = pieces(result);
    const text = found.filter((piece) => typeof piece === 'string').join('\n');

    assert.equal(result.isError, true, end);
    assert.deepEqual(found.filter((piece) => piece.type === 'image'),
      [image(red)], end);
    assert.match(text, /before\n\[picture 1: Red \(PNG, 30 x 20, /, end);
    assert.match(text, look);
  }
});

/* Imported once: by code it takes a second, most of it to look for fonts. */
const warm = { env: { CAISSON_PRELOAD: 'matplotlib.pyplot' } };

test('a plot is an image that decodes', plots, async (t) => {
  const code = `
import logging
logging.getLogger("matplotlib").setLevel("ERROR")  # it tells when it is slow
import matplotlib.pyplot as plt
plt.figure(figsize=(2, 1), facecolor=(0, 0, 1))
plt.axes((0, 0, 1, 1)).axis("off")
plt.fill([0, 1, 1, 0], [0, 0, 1, 1], color=(1, 0, 0))
plt.axis((0, 2, 0, 1))
plt.title("Sales")
print("before")
plt.show()
print("after")`;

  for (const [what, options, calls] of [['started for it', unpooled, 1],
    ['where it is preloaded', warm, 2]]) {
    await t.test(what, async (s) => {
      const { client } = await connect(s, options);

      for (let n = 0; n < calls; n++) {
        const found = await shown(client, code, { timeout: 100 });

        assert.match(found[0],
          /^before\n\[picture 1: Sales \(PNG, \d+ x \d+, \d+ (bytes|kB)\)\]$/);
        assert.equal(found[2], 'after');
        assert.equal(found[1].mimeType, 'image/png');
        const { width, height, pixel } = decode(found[1].bytes);

        assert.deepEqual(pixel(width >> 2, height >> 1).slice(0, 3),
          [255, 0, 0]);
        assert.deepEqual(pixel(width - (width >> 2), height >> 1).slice(0, 3),
          [0, 0, 255]);
      }
    });
  }
});

test('scripts of the shell show files', async (t) => {
  const { client } = await connect(t,
    { env: { CAISSON_TOOLS: 'run_code' } });
  const script = async (code) => pieces(await client.callTool(
    { name: 'run_code', arguments: { language: 'shell', code } }));
  const files = `
base64 -d > red.png <<< ${red.toString('base64')}
base64 -d > 'a b.png' <<< ${green.toString('base64')}
`;
  const found = await script(`${files}
echo one
show red.png
mcp show 'a b.png' Green && echo two
show - < red.png
echo end`);

  assert.match(found[0], /^one\n\[picture 1: red\.png \(PNG, 30 x 20, \d+ bytes\)\]$/);
  assert.deepEqual(found[1], image(red));
  assert.match(found[2], /^\[picture 2: Green \(PNG, 8 x 9, \d+ bytes\)\]$/);
  assert.deepEqual(found[3], image(green));
  assert.match(found[4], /^two\n\[picture 3 \(PNG, 30 x 20, \d+ bytes\)\]$/);
  assert.deepEqual(found[5], image(red));
  assert.equal(found[6], 'end');
  assert.equal(found.length, 7);
});
