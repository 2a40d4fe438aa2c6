/*
 * The two control pipes, as each engine can use them.
 *
 * A read must not keep a program alive that waits for nothing, and must not
 * hold up its exit. In bun a read of fs does neither. Node.js joins the thread
 * of such a read before it exits, and deno does not know descriptors that it
 * has not opened, so both get a socket of node:net for the pipe.
 */
import * as fs from 'node:fs';

const CHUNK = 1 << 16; // what a pipe holds
const { bun } = process.versions;
const { deno } = process.versions;
const net = bun ? null : await import('node:net');

/* Reads by a read of fs at a time, and only while it was told to listen. */
class Reads {
  #fd;
  #take;
  #listens = false;
  #reads = false;

  constructor(fd, take) {
    this.#fd = fd;
    this.#take = take;
  }

  /* Sets whether the program waits for what comes. */
  listen(on) {
    this.#listens = on;
    if (on && !this.#reads)
      this.#read();
  }

  #read() {
    const data = Buffer.allocUnsafe(CHUNK);
    this.#reads = true;
    fs.read(this.#fd, data, 0, CHUNK, null, (error, count) => {
      this.#reads = false;
      this.#take(error || !count ? null : data.subarray(0, count));
      this.listen(this.#listens && count > 0);
    });
  }
}

/* Reads by a socket, which the event loop waits for only when told. */
class Stream {
  #socket;

  constructor(fd, take) {
    const socket = new net.Socket({ fd, readable: true, writable: false });
    this.#socket = socket;
    socket.on('data', take);
    socket.on('end', () => take(null));
    socket.on('error', () => take(null));
    socket.unref();
  }

  /* Sets whether the program waits for what comes. */
  listen(on) {
    this.#socket[on ? 'ref' : 'unref']();
  }
}

/*
 * Returns what reads from fd, and gives each chunk to take(); null is the end.
 */
export const reading = (fd, take) =>
  bun ? new Reads(fd, take) : new Stream(fd, take);

/* Writes the whole text, in order. */
const writeSync = (fd, text) => {
  let data = Buffer.from(text);
  while (data.length > 0)
    data = data.subarray(fs.writeSync(fd, data));
};

/*
 * Returns the function that writes a text to fd, whole and in order. It throws
 * when nothing reads there any more.
 */
export function writing(fd) {
  if (!deno)
    return (text) => writeSync(fd, text);
  const socket = new net.Socket({ fd, readable: false, writable: true });
  let broken = null;
  socket.on('error', (error) => {
    broken = error;
  });
  socket.unref();
  return (text) => {
    if (broken)
      throw broken;
    socket.write(text);
  };
}
