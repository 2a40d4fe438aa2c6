/*
 * The connection to the relay: newline-delimited JSON frames on two pipes, as
 * the head of relay/frames.c describes them.
 *
 * The event loop is kept alive by the pipe only while a request waits for its
 * answer, so a program ends when nothing is left to do.
 */
import { read } from './json.mjs';
import { reading, readingFirst, writing } from './pipes.mjs';

const MOST = 128; // requests under way; the relay refuses more
const ENDED = 'the connection to the servers has ended';
const MORE = { stream: true };

const { stringify } = JSON;

/*
 * What a request came to when it was no answer. error is the JSON-RPC error
 * object of the server, if there is one; unfit says that the arguments do not
 * fit the schema of the tool.
 */
export class Refused extends Error {
  constructor(message, error, unfit) {
    super(message);
    this.error = error ?? {};
    this.unfit = unfit === true;
  }
}

/* Both pipes, and every request under way. */
export class Wire {
  #decoder = new TextDecoder();
  #begun = []; // parts of the line that is read
  #lines = []; // before the program runs: frames that wait for readFrame()
  #waiting = new Map(); // by number: what to do with the answer
  #requests = new WeakMap(); // by the promise of the answer
  #queue = []; // requests for which there is no room yet
  #last = 0;
  #broken = false;
  #frame = null; // the caller of readFrame()
  #source = null; // once something is waited for
  #first; // what reads the first frame
  #reading; // what makes the source
  #write;

  /* Has the pipes of the box, or what a rehearsal has in their place. */
  constructor({ first = readingFirst(3), write = writing(4),
    from = reading } = {}) {
    this.#first = first;
    this.#reading = from;
    this.#write = write;
  }

  /*
   * Returns whether the next frame has begun to come, for which it waits so
   * many milliseconds.
   */
  hasFrame(most) {
    return this.#first.soon(most);
  }

  /* Has what writes loaded. */
  rehearse() {
    this.#write('');
  }

  /* Returns the first frame, or null. */
  async readFrame() {
    while (this.#first.next && this.#lines.length === 0 && !this.#broken)
      this.#take(await this.#first.next());
    this.#first.end();
    return this.#lines.shift() ?? new Promise((resolve) => {
      this.#frame = resolve;
      this.#listen();
      this.#deliver();
    });
  }

  /* Sends a frame that has no answer, such as a note. */
  send(frame) {
    this.#put(`${stringify(frame)}\n`);
  }

  /*
   * Sends a request, an object or its JSON text, and returns a promise of the
   * payload of its answer. Rejects with Refused.
   */
  request(payload) {
    const text = typeof payload === 'string' ? payload : stringify(payload);
    const { promise, resolve, reject } = Promise.withResolvers();
    const request = { text, resolve, reject };
    this.#requests.set(promise, request);
    if (this.#broken)
      request.reject(new Refused(ENDED));
    else
      this.#queue.push(request);
    this.#sendQueued();
    return promise;
  }

  /* Says that nothing needs the answer to a request that was sent any more. */
  cancel(answer) {
    const { number } = this.#requests.get(answer);
    if (this.#waiting.has(number))
      this.send({ type: 'cancel', id: number });
  }

  /* Sends what is queued, as far as the relay takes it. */
  #sendQueued() {
    while (this.#queue.length > 0 && this.#waiting.size < MOST &&
        !this.#broken) {
      const request = this.#queue.shift();
      this.#waiting.set(++this.#last, request);
      request.number = this.#last;
      this.#put(`{"type":"rpc_request","id":${this.#last},` +
        `"payload":${request.text}}\n`);
    }
    this.#listen();
  }

  /* Waits for the pipe, or not. */
  #listen() {
    const on = !this.#broken &&
      (this.#waiting.size > 0 || this.#frame !== null);
    if (on)
      this.#source ??= this.#reading(this.#first.fd, (data) => this.#take(data));
    this.#source?.listen(on);
  }

  #put(text) {
    try {
      this.#write(text);
    } catch {
      this.#giveUp();
    }
  }

  /* Takes a chunk of the pipe, which may end lines; null is its end. */
  #take(data) {
    if (data === null)
      return this.#giveUp();
    const [last, ...next] = this.#decoder.decode(data, MORE).split('\n');
    this.#begun.push(last);
    for (const text of next) {
      const line = this.#begun.join('');
      this.#begun = [text];
      this.#takeLine(line);
    }
    return this.#sendQueued();
  }

  /* Gives an answer to the request that it is for, and keeps other frames. */
  #takeLine(line) {
    let frame;
    try {
      frame = read(line);
    } catch { /* the code has closed the pipe, and opened something */
      return this.#giveUp();
    }
    if (frame.type !== 'rpc_response') {
      this.#lines.push(frame);
      return this.#deliver();
    }
    const request = this.#waiting.get(frame.id);
    this.#waiting.delete(frame.id);
    if (frame.success)
      return request?.resolve(frame.payload);
    const { message, error, unfit } = frame.error;
    return request?.reject(new Refused(message, error, unfit));
  }

  /* Gives a frame to the caller of readFrame(). */
  #deliver() {
    const resolve = this.#frame;
    if (resolve === null || (this.#lines.length === 0 && !this.#broken))
      return;
    this.#frame = null;
    this.#listen();
    resolve(this.#lines.shift() ?? null);
  }

  /* Nothing more will come: fails all that is under way. */
  #giveUp() {
    this.#broken = true;
    const left = [...this.#waiting.values(), ...this.#queue];
    this.#waiting.clear();
    this.#queue = [];
    for (const request of left)
      request.reject(new Refused(ENDED));
    this.#listen();
    this.#deliver();
  }
}
