/*
 * What comes back besides text: pictures, files and progress.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';

import { home } from './places.mjs';
import { dataOf, Result } from './result.mjs';
import { ask, box } from './servers.mjs';

const MOST = 8; // pictures of an answer; the relay refuses more
const ROOM_MAX = (1 << 20) / 4 * 3; // bytes of one, of which base64 has more
const ALL_MAX = 4 << 20; // characters of all of them, as base64
const TITLE_MAX = 200; // characters
const NAME_MAX = 255; // bytes of the name of a file
const PAUSE = 50; // ms between two reports of progress
const THOUSANDTHS_MAX = 1e15; // the relay takes no more
const KINDS = { png: /^\x89PNG\r\n\x1a\n/, jpeg: /^\xff\xd8\xff/,
  gif: /^GIF8[79]a/, webp: /^RIFF[^]{4}WEBP/ };
const PICTURE = /\.(?:png|jpe?g|gif|webp|svg)$/i;

const shown = { sent: 0, size: 0, more: 0 };
const told = { last: '', waits: null, at: 0 };

/* Returns the bytes of what may be a picture, or null. */
function bytesOf(value) {
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer)
    return Buffer.from(value);
  if (value?.type === 'image' && typeof value.data === 'string')
    return Buffer.from(value.data, 'base64');
  return value instanceof URL || typeof value === 'string' &&
    PICTURE.test(value) && !value.includes('\n') ? fs.readFileSync(value) :
    null;
}

/* Sends a picture, or counts it where there is no room. */
async function send(data, title) {
  const begins = data.subarray(0, 16).toString('latin1');
  const kind = Object.keys(KINDS).find((each) => KINDS[each].test(begins));
  if (!kind)
    throw new TypeError(`${title ?? 'the bytes'}: not a PNG, JPEG, WebP or ` +
      'GIF: save the picture as one of these');
  if (data.length > ROOM_MAX)
    throw new RangeError(`a picture has at most ${Math.floor(ROOM_MAX / 1000)
    } kB here, and this one ${Math.floor(data.length / 1000)
    } kB: make it smaller`);
  const text = data.toString('base64');
  if (shown.sent === MOST || shown.size + text.length > ALL_MAX) {
    shown.more++;
    return;
  }
  shown.sent++;
  shown.size += text.length;
  await ask({ type: 'show', kind, data: text, ...title === undefined ? {} :
    { title: String(title).slice(0, TITLE_MAX).toWellFormed()
      .replace(/\0/g, ' ') } });
}

/*
 * Shows a picture: the bytes of a PNG, JPEG, WebP or GIF, the path of such a
 * file, or the result of a tool; other values are printed.
 */
export async function show(value, title) {
  const given = await value;
  if (given instanceof Result &&
      given.blocks.some((block) => block?.type === 'image')) {
    for (const block of given.blocks)
      await show(block?.type === 'text' ? block.text : block, title);
    return;
  }
  if (typeof given === 'string' && given.trimStart().startsWith('<svg'))
    throw new TypeError('SVG cannot be shown: save it to /workspace/out as a ' +
      'file, or draw a PNG');
  const data = bytesOf(given);
  if (data === null)
    console.log(...title === undefined ? [] : [`${title}:`], dataOf(given));
  else
    await send(data, title ?? (typeof given === 'string' ?
      path.basename(given) : undefined));
}

/* Returns the note on pictures for which there was no room, or null. */
export const morePictures = () => shown.more === 0 ? null :
  `${shown.more} more picture${shown.more === 1 ? ' was' : 's were'} not ` +
  `shown: an answer has at most ${MOST} pictures and ${ALL_MAX >> 20} MB of ` +
  'them; show fewer';

/* Returns a number in thousandths, or raises what it cannot be. */
function thousandths(number, name) {
  if (typeof number !== 'number' || !(number >= 0 && number < Infinity))
    throw new TypeError(`${name} must be a number from 0 on, not ${number}`);
  return Math.min(Math.round(number * 1000), THOUSANDTHS_MAX);
}

/* Sends what was told last of the progress. */
function flush() {
  const { waits } = told;
  told.waits = null;
  told.at = Date.now();
  return waits === null ? null : ask(waits).catch(() => null);
}

/*
 * Tells the user how far the code is: 3 of 10, or 0.3; it must increase. If
 * the client shows no progress, nothing happens.
 */
export async function progress(done, total, text) {
  if (typeof total === 'string')
    return progress(done, undefined, total);
  const payload = { type: 'progress', done: thousandths(done, 'done') };
  if (total !== undefined && total !== null)
    payload.total = thousandths(total, 'total');
  if (text !== undefined && text !== null)
    payload.text = String(text).slice(0, TITLE_MAX).toWellFormed()
      .replace(/\0/g, ' ');
  const key = JSON.stringify(payload);
  if (!box.progress || key === told.last)
    return undefined;
  told.last = key;
  told.waits = payload;
  if (Date.now() - told.at >= PAUSE || payload.done === payload.total)
    await flush();
  return undefined;
}

/* Sends the last progress that was held back, at the end of the code. */
export const lastProgress = flush;

/* The folder for files that are kept; it may not be there. */
const PLACE = `${home}/out`;

/* Returns the paths of all files that were given, or are kept. */
export function listFiles() {
  return [`${home}/in`, '/data', PLACE].filter((top) => fs.existsSync(top))
    .flatMap((top) => fs.readdirSync(top, { recursive: true,
      withFileTypes: true }).filter((each) => !each.isDirectory())
      .map((each) => path.join(each.parentPath, each.name))).sort();
}

/* Returns a name that a kept file can have, or raises. */
function checked(name) {
  const text = String(name).replace(`${PLACE}/`, '').replace(/^out\//, '');
  const size = Buffer.byteLength(text);
  if (size === 0 || size > NAME_MAX || /\p{Cc}/u.test(text) ||
      text.split('/').some((part) => ['', '.', '..'].includes(part)))
    throw new TypeError(`${JSON.stringify(name)} cannot be the name of a ` +
      'file that is kept: use 1 to 255 bytes of UTF-8, without control ' +
      'characters, below /workspace/out');
  return text;
}

/*
 * Has a file come back with the answer, and keeps it; returns its path. source
 * is the path of a file or folder, or bytes, for which a name is needed.
 */
export function saveFile(source, name) {
  const isPath = typeof source === 'string' || source instanceof URL;
  const isBytes = ArrayBuffer.isView(source) || source instanceof ArrayBuffer;
  if (!isPath && !isBytes)
    throw new TypeError('saveFile() takes the path of a file, or bytes: for ' +
      'text, saveFile(Buffer.from(text), name)');
  if (isBytes && name === undefined)
    throw new TypeError('saveFile(bytes, name): the name is missing');
  if (isPath && !fs.existsSync(source))
    throw new Error(`${source}: there is no such file; for text: ` +
      'saveFile(Buffer.from(text), name)');
  const target = path.join(PLACE,
    checked(name ?? path.basename(String(source))));
  if (!fs.existsSync(PLACE) || fs.statSync(PLACE).dev ===
      fs.statSync(path.dirname(PLACE)).dev)
    throw new Error('files cannot be kept here: this machine runs code with ' +
      'reduced isolation; print what is needed');
  fs.mkdirSync(path.dirname(target), { recursive: true });
  if (isBytes)
    fs.writeFileSync(target, ArrayBuffer.isView(source) ? source :
      new Uint8Array(source));
  else if (path.resolve(String(source)) !== target)
    fs.cpSync(source, target, { recursive: true });
  return target;
}
