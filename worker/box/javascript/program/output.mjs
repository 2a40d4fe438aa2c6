/*
 * Output that is complete when it has been written. Node.js and bun leave what
 * a pipe does not take at once to the event loop, which an exit ends.
 */
import * as fs from 'node:fs';

const { bun, deno } = process.versions;
const SHOWN = 1900; // bytes of a value, of the 2048 that the relay takes
const { getOwnPropertyDescriptor, defineProperty } = Object;

/*
 * Writes once. deno may be about to load node:fs when code fails, and cannot
 * load it again then.
 */
const writeOnce = (fd, data) => deno ?
  (fd === 1 ? Deno.stdout : Deno.stderr).writeSync(data) :
  fs.writeSync(fd, data);

/*
 * Writes all bytes to descriptor 1 or 2, whatever its pipe takes at a time.
 */
export function writeAll(fd, bytes) {
  let data = bytes;
  while (data.length > 0)
    try {
      data = data.subarray(writeOnce(fd, data));
    } catch (error) {
      if (error.code !== 'EAGAIN')
        throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
}

/* Returns the text of a value; util is loaded where one is shown only. */
export const inspect = (...args) =>
  process.getBuiltinModule('node:util').inspect(...args);

/* Writes a text to standard error, all of it, before anything else happens. */
export function complain(text) {
  try {
    writeAll(2, Buffer.from(text));
  } catch {
    // nothing reads it
  }
}

/* Has a stream write at once. */
function complete(stream, fd) {
  stream.write = (chunk, encoding, done) => {
    const [code, then] = typeof encoding === 'function' ?
      [undefined, encoding] : [encoding, done];
    writeAll(fd, typeof chunk === 'string' ? Buffer.from(chunk, code) : chunk);
    if (then)
      process.nextTick(then);
    return true;
  };
  return stream;
}

/*
 * Has the streams of the code write at once, when it first uses them. In bun
 * that must be known before, as its console does not use them, and to make them
 * takes longer than most code.
 */
export function completeStreams(code) {
  if (deno || (bun && !/std(?:out|err)/.test(code)))
    return;
  for (const [name, fd] of [['stdout', 1], ['stderr', 2]]) {
    const found = getOwnPropertyDescriptor(process, name);
    let stream = null;
    defineProperty(process, name, { configurable: true, enumerable: true,
      get: () => {
        stream ??= complete(found.get ? found.get.call(process) : found.value,
          fd);
        return stream;
      } });
  }
}

/* Returns the text of a value, cut: that of several lines as it is. */
export function shown(value) {
  const isText = typeof value === 'string' && value.includes('\n');
  const text = isText ? value : inspect(value, { depth: 4, maxArrayLength: 100,
    maxStringLength: typeof value === 'string' ? null : SHOWN,
    breakLength: 80 });
  const data = Buffer.from(text);
  return data.length <= SHOWN ? text :
    `${data.subarray(0, SHOWN).toString().replace(/\uFFFD+$/, '')} ... ` +
    `(${data.length} bytes in all: print what is needed)`;
}
