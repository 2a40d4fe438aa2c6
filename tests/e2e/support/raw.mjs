/*
 * The raw client: lines to the program, lines from it, nothing understood
 * that a test does not ask for. Whatever the program writes to its standard
 * output must be a JSON-RPC message, or the test fails.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { commandLine, folder } from './program.mjs';
import { within } from './wait.mjs';

const decoder = new TextDecoder('utf-8', { fatal: true });

/* Why this is no JSON-RPC answer, or undefined when it is one. */
function flaw(message) {
  if (message === null || typeof message !== 'object' ||
      Array.isArray(message))
    return 'not an object';
  if (message.jsonrpc !== '2.0')
    return 'not "jsonrpc":"2.0"';
  if (!('id' in message))
    return 'no id';
  if (('result' in message) === ('error' in message))
    return 'not exactly one of result and error';
  return undefined;
}

/* One client: lines from the program, and lines to it through input. */
class Client {
  constructor({ batches, notes, answers } = {}) {
    this.lines = [];
    this.messages = [];
    this.flaws = [];
    this.partial = [];
    this.batches = batches ? [] : undefined;
    this.notes = notes ? [] : undefined;
    this.answers = answers;
    this.asked = [];
    this.waiting = new Set();
    this.lastId = 0;
  }

  take(data) {
    let start = 0;
    let newline;

    while ((newline = data.indexOf(10, start)) !== -1) {
      this.partial.push(data.subarray(start, newline));
      this.takeLine(Buffer.concat(this.partial));
      this.partial = [];
      start = newline + 1;
    }
    if (start < data.length)
      this.partial.push(data.subarray(start));
    this.settle();
  }

  takeLine(bytes) {
    let line;
    let value;

    try {
      line = decoder.decode(bytes);
      value = JSON.parse(line);
    } catch (error) {
      this.flaws.push([error.message, bytes.toString('latin1', 0, 200)]);
      return;
    }
    if (this.notes && value?.method && !('id' in value)) {
      this.notes.push({ ...value, answers: this.messages.length });
      return;
    }
    if (this.answers && value?.method) {
      this.asked.push(value);
      Promise.resolve(this.answers(value)).then((answer) => answer &&
        this.send({ jsonrpc: '2.0', id: value.id, ...answer }));
      return;
    }
    const batch = this.batches && Array.isArray(value) && value.length > 0;
    const messages = batch ? value : [value];
    const wrong = messages.map(flaw).find((text) => text !== undefined);

    if (wrong !== undefined) {
      this.flaws.push([wrong, line.slice(0, 200)]);
      return;
    }
    this.lines.push(line);
    this.messages.push(...messages);
    if (batch)
      this.batches.push(messages);
  }

  settle() {
    for (const waiter of [...this.waiting]) {
      const found = this.messages.find(waiter.match);

      if (found === undefined && this.end === undefined)
        continue;
      this.waiting.delete(waiter);
      if (found !== undefined)
        waiter.resolve(found);
      else
        waiter.reject(new Error(`the program has ended: ${this.story()}`));
    }
  }

  story() {
    return `${JSON.stringify(this.end ?? 'it still runs')}, ` +
      `last answers ${JSON.stringify(this.lines.slice(-3)).slice(0, 600)}, ` +
      `log ${JSON.stringify(this.errors.slice(-1500))}`;
  }

  /* The first message that matches, now or when it comes. */
  message(match, what = 'a message') {
    const promise = new Promise((resolve, reject) => {
      this.waiting.add({ match, resolve, reject });
    });

    this.settle();
    return within(promise, () => `${what}: ${this.story()}`);
  }

  /* The answer to the request with this id. */
  response(id) {
    return this.message((message) => message.id === id,
      `the answer to ${JSON.stringify(id)}`);
  }

  /* The answer that comes as number n (from 0), whichever it is. */
  async nth(n) {
    await this.message(() => this.messages.length > n, `answer ${n}`);
    return this.messages[n];
  }

  has(id) {
    return this.messages.some((message) => message.id === id);
  }

  /* Writes bytes or text as they are; resolves when they have left us. */
  write(bytes) {
    return new Promise((resolve) => {
      this.input.write(bytes, () => resolve());
    });
  }

  /* Writes a message as a line. */
  send(message) {
    const text = typeof message === 'string' ? message :
      JSON.stringify(message);

    return this.write(`${text}\n`);
  }

  /* Sends a request without waiting; returns its id. */
  post(method, params, id = ++this.lastId) {
    this.send({ jsonrpc: '2.0', id, method, params });
    return id;
  }

  /* Sends a request and returns the answer, result or error. */
  request(method, params) {
    return this.response(this.post(method, params));
  }

  notify(method, params) {
    this.send({ jsonrpc: '2.0', method, params });
  }

  async initialize(protocolVersion = '2025-11-25', capabilities = {}) {
    const answer = await this.request('initialize', {
      protocolVersion,
      capabilities,
      clientInfo: { name: 'raw', version: '1' },
    });

    this.notify('notifications/initialized');
    return answer.result;
  }

  async ping() {
    assert.deepEqual((await this.request('ping')).result, {});
  }

  /* Sends a call; returns its id. */
  postCall(code, more = {}) {
    return this.post('tools/call',
      { name: 'run_python', arguments: { code, ...more } });
  }

  /* Waits for the result of a call. */
  async result(id) {
    const answer = await this.response(id);

    assert.ok(answer.result, `no result: ${JSON.stringify(answer)}`);
    return answer.result;
  }

  /* Runs code and returns the result of the call. */
  run(code, more) {
    return this.result(this.postCall(code, more));
  }

  /* Runs code that must succeed; returns the lines it printed. */
  async printed(code, more) {
    const result = await this.run(code, more);

    assert.equal(result.isError, false, JSON.stringify(result));
    return result.structuredContent.stdout ?? [];
  }

  /* Runs code that must succeed and print just these lines, or patterns. */
  async prints(code, lines) {
    const result = await this.run(code, { timeout: 100 });
    const { stdout, stderr } = result.structuredContent;
    const told = JSON.stringify(result);

    assert.equal(result.isError, false, told);
    assert.equal(stderr, undefined, told);
    assert.equal(stdout.length, lines.length, told);
    lines.forEach((line, i) => line instanceof RegExp ?
      assert.match(stdout[i], line) : assert.equal(stdout[i], line));
  }

  cancel(id) {
    this.notify('notifications/cancelled',
      { requestId: id, reason: 'test' });
  }

  check() {
    assert.deepEqual(this.flaws, [],
      'standard output carries nothing but JSON-RPC messages');
    assert.deepEqual(this.partial, [], 'the last line is whole');
  }
}

export class Raw extends Client {
  /*
   * Starts the program for a test, which ends it. options: args, env, home,
   * privateTmp (see program.mjs), cwd, batches: lines may be batches too,
   * notes: notifications are kept, with how many answers came before,
   * answers: gives the rest of the answer to a request of the program, or
   * nothing, now or later; the requests are kept.
   */
  static start(t, options = {}) {
    return new Raw(t, options);
  }

  /* The same, and says initialize. */
  static async open(t, options = {}) {
    const raw = new Raw(t, options);

    await raw.initialize(undefined, options.capabilities);
    return raw;
  }

  constructor(t, options) {
    super(options);
    const home = options.home ?? folder(t);
    const [command, ...args] = commandLine({ ...options, home });

    this.errors = '';
    this.child = spawn(command, args, { cwd: options.cwd,
      stdio: ['pipe', 'pipe', 'pipe'] });
    this.input = this.child.stdin;
    this.pid = this.child.pid;
    this.ended = new Promise((resolve, reject) => {
      this.child.on('error', reject);
      this.child.on('close', (code, signal) => {
        this.end = { code, signal };
        this.settle();
        resolve(this.end);
      });
    });
    this.exited = new Promise((resolve) => {
      this.child.on('exit', (code, signal) => resolve({ code, signal }));
    });
    this.child.stdin.on('error', () => {}); /* it may end before we do */
    this.child.stderr.on('data', (data) => {
      this.errors += data.toString('latin1');
    });
    this.child.stdout.on('data', (data) => this.take(data));
    t.after(() => this.destroy());
  }

  /* Ends the input; returns how the program ended. */
  async finish() {
    this.child.stdin.end();
    const end = await this.wait();

    assert.deepEqual(end, { code: 0, signal: null }, this.story());
    return end;
  }

  /* Waits for the end of the program and checks all that it wrote. */
  async wait() {
    const end = await within(this.ended,
      () => `the end of the program: ${this.story()}`);

    this.check();
    return end;
  }

  async destroy() {
    if (this.end === undefined) {
      this.child.kill('SIGKILL');
      this.child.stdout.resume();
      await this.exited;
    }
    assert.deepEqual(this.flaws, [],
      'standard output carries nothing but JSON-RPC messages');
  }
}
