/*
 * PNG files of eight bits a colour, made and decoded with nothing but zlib, so
 * that tests can look at the pixels of a picture.
 */
import assert from 'node:assert/strict';
import zlib from 'node:zlib';

const magic = Buffer.from('89504e470d0a1a0a', 'hex');
const channels = { 0: 1, 2: 3, 6: 4 };

/* What stands in a row before a filter took it away. */
function predicted(filter, left, up, corner) {
  const near = left + up - corner;
  const far = [left, up, corner].map((value) => Math.abs(near - value));

  if (filter === 4) {
    if (far[0] <= far[1] && far[0] <= far[2])
      return left;
    return far[1] <= far[2] ? up : corner;
  }
  return [0, left, up, (left + up) >> 1][filter];
}

/* The rows of pixels in what was compressed: undoes the filters. */
function unfiltered(data, stride, bytes) {
  const rows = [];

  for (let at = 0; at < data.length; at += stride + 1) {
    const row = Buffer.from(data.subarray(at + 1, at + 1 + stride));
    const above = rows.at(-1) ?? Buffer.alloc(stride);

    assert.ok(data[at] <= 4, 'a filter that exists');
    for (let n = 0; n < stride; n++) {
      row[n] += predicted(data[at], row[n - bytes] ?? 0, above[n],
        above[n - bytes] ?? 0);
    }
    rows.push(row);
  }
  return rows;
}

/* Decodes a PNG: its sides, and pixel(x, y), an array of its colours. */
export function decode(file) {
  const parts = [];
  let header;

  assert.deepEqual(file.subarray(0, 8), magic);
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    const name = file.toString('latin1', at + 4, at + 8);
    const data = file.subarray(at + 8, at + 8 + length);

    if (name === 'IHDR')
      header = data;
    if (name === 'IDAT')
      parts.push(data);
    at += length + 12;
  }
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const bytes = channels[header[9]];

  assert.equal(header[8], 8, 'eight bits a colour');
  assert.ok(bytes, 'gray or colours');
  const rows = unfiltered(zlib.inflateSync(Buffer.concat(parts)),
    width * bytes, bytes);

  assert.equal(rows.length, height);
  return { width, height,
    pixel: (x, y) => [...rows[y].subarray(x * bytes, (x + 1) * bytes)] };
}

/* A part of a PNG; what decodes it here looks at no checksum, others do. */
function chunk(name, data) {
  const table = [...Array(256).keys()].map((n) => {
    let c = n;

    for (let bit = 0; bit < 8; bit++)
      c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const sum = body.reduce(
    (c, byte) => (table[(c ^ byte) & 255] ^ (c >>> 8)) >>> 0, 0xffffffff);
  const part = Buffer.alloc(body.length + 8);

  part.writeUInt32BE(data.length, 0);
  body.copy(part, 4);
  part.writeUInt32BE((sum ^ 0xffffffff) >>> 0, body.length + 4);
  return part;
}

/* A PNG of one colour, an array of three bytes. */
export function encode(width, height, colour) {
  const header = Buffer.alloc(13);
  const row = Buffer.alloc(1 + width * 3);

  for (let n = 0; n < width * 3; n++)
    row[n + 1] = colour[n % 3];
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  return Buffer.concat([magic, chunk('IHDR', header),
    chunk('IDAT', zlib.deflateSync(Buffer.concat(Array(height).fill(row)))),
    chunk('IEND', Buffer.alloc(0))]);
}
