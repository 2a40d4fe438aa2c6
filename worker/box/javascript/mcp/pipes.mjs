/*
 * The two control pipes, as each engine can use them.
 *
 * Node.js reads the first frame by blocking, which costs least. deno has to load
 * node:fs, which takes longer than most code; bun, too: see engines/bun.mjs. A
 * read must not keep a program alive that waits for nothing, and must not hold up
 * its exit. In bun and deno a read that is only begun when an answer is waited
 * for does neither. Node.js joins the thread of such a read before it exits, so
 * it gets a socket of node:net for the pipe. deno does not know descriptors that
 * it has not opened, so it opens the pipes again; where there is no /proc it gets
 * sockets, too.
 */
import * as fs from 'node:fs';

const CHUNK = 1 << 16; // what a pipe holds
/* Of all reads: a new one takes deno longer than a call of a tool. */
const room = new Uint8Array(CHUNK);
const { bun } = process.versions;
const { deno } = process.versions;
/* Loaded where it is used only, which is later than the code begins. */
const net = () => process.getBuiltinModule('node:net');

/* Returns the pipe at a descriptor as deno can use it, or null. */
function opened(fd, options) {
  try {
    return deno ? Deno.openSync(`/proc/self/fd/${fd}`, options) : null;
  } catch {
    return null;
  }
}

/* Opens a pipe again; returns null where there is no /proc. */
function again(fd, flags) {
  try {
    return fs.openSync(`/proc/self/fd/${fd}`, flags);
  } catch {
    return null;
  }
}

/* Returns what fs reads from a descriptor at once. */
function readOf(fd) {
  const count = fs.readSync(fd, room, 0, CHUNK, null);
  return count ? room.subarray(0, count) : null;
}

/* Reads what a file of deno has next, or null at its end. */
async function readFile(file) {
  const count = await file.read(room).catch(() => null);
  return count ? room.subarray(0, count) : null;
}

/*
 * Reads the first frame: soon() tells whether some of it comes within so many
 * milliseconds, next() gives a chunk of it, or null at the end of the pipe, and
 * end() is called after its last chunk. fd is the descriptor for reading().
 */
class First {
  fd;
  #once;
  #coming = null;

  constructor(fd, once, end) {
    Object.assign(this, { fd, end });
    this.#once = once;
  }

  #read() {
    return this.#coming ??= this.#once();
  }

  async soon(most) {
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, most, false);
    });
    const came = await Promise.race([this.#read().then(() => true), late]);
    clearTimeout(timer);
    return came;
  }

  async next() {
    const data = await this.#read();
    this.#coming = null;
    return data;
  }
}

/*
 * The same by node:fs, which Node.js has loaded. fd is another one, as a socket
 * whose descriptor the code closes never ends. Without /proc deno cannot block:
 * next is null.
 */
function firstOf(fd) {
  const { O_RDONLY, O_NONBLOCK } = fs.constants;
  const there = again(fd, O_RDONLY | O_NONBLOCK);
  let data;
  const soon = (most) => {
    const cell = new Int32Array(new SharedArrayBuffer(4));
    for (let ms = 0; data === undefined && there !== null && ms <= most; ms++)
      try {
        data = readOf(there);
      } catch {
        Atomics.wait(cell, 0, 0, 1);
      }
    return data !== undefined;
  };
  const next = () => {
    const found = data === undefined ? readOf(fd) : data;
    data = undefined;
    return found;
  };
  return { fd: there ?? fd, soon, next: deno ? null : next, end() {} };
}

/* Returns what reads the first frame from fd: see First. */
export function readingFirst(fd) {
  const file = opened(fd, { read: true });
  return file === null ? firstOf(fd) :
    new First(fd, () => readFile(file), () => {});
}

/* Reads once: gives take() the bytes, or null at the end. */
function readOnce(fd, take) {
  fs.read(fd, room, 0, CHUNK, null, (error, count) =>
    take(error || !count ? null : room.subarray(0, count)));
}

/* Reads only while it was told to listen, by once(), once at a time. */
class Reads {
  #once;
  #take;
  #listens = false;
  #reads = false;

  constructor(once, take) {
    this.#once = once;
    this.#take = take;
  }

  /* Sets whether the program waits for what comes. */
  listen(on) {
    this.#listens = on;
    if (on && !this.#reads)
      this.#read();
  }

  #read() {
    this.#reads = true;
    this.#once((data) => {
      this.#reads = false;
      this.#take(data);
      this.listen(this.#listens && data !== null);
    });
  }
}

/* Reads by a socket, which the event loop waits for only when told. */
class Stream {
  #socket;

  constructor(fd, take) {
    const socket = new (net().Socket)({ fd, readable: true, writable: false });
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
export function reading(fd, take) {
  const file = opened(fd, { read: true });
  if (file !== null)
    return new Reads((taken) => readFile(file).then(taken), take);
  return bun ? new Reads((taken) => readOnce(fd, taken), take) :
    new Stream(fd, take);
}

/* Writes the whole text, in order, by what writes once. */
const writeAll = (writeOnce, text) => {
  let data = Buffer.from(text);
  for (let count; (count = writeOnce(data)) < data.length;)
    data = data.subarray(count);
};

/*
 * Returns the function that writes a text to fd, whole and in order. It throws
 * when nothing reads there any more.
 */
export function writing(fd) {
  const file = opened(fd, { write: true });
  if (file !== null)
    return (text) => writeAll((data) => file.writeSync(data), text);
  if (!deno)
    return (text) => writeAll((data) => fs.writeSync(fd, data), text);
  const socket = new (net().Socket)({ fd, readable: false, writable: true });
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
