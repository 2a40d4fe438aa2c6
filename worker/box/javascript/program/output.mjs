/*
 * Output that is complete when it has been written. Node.js and bun leave what
 * a pipe does not take at once to the event loop, which an exit ends.
 */
import * as fs from 'node:fs';

const { bun, deno } = process.versions;
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
