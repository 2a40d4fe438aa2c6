/*
 * One program, from its start to its end. The event loop decides when it ends;
 * its exit status is the engine's.
 */
import { inspect } from 'node:util';
import { takeInput } from './input.mjs';
import { complain, Reporter } from './report.mjs';
import { KEEP, prepared, unfenced } from './source.mjs';
import { open } from '../mcp/library.mjs';

const NAME = 'run_javascript.ts';
const MAIN = 'import.meta.main=true;'; // where the engine has it otherwise
const UNSETTLED = 13; // as in Node.js
const SHOWN = 1900; // bytes of a value, of the 2048 that the relay takes
const UNFENCED = 'the code ran without its Markdown fence';
const PENDING = Symbol('pending');
const { defineProperty } = Object;
const { exit } = process;

/* A program, which is given the engine, the connection and its run frame. */
export class Program {
  #engine;
  #wire;
  #frame;
  #code;
  #reporter;
  #value; // of the last expression, once it has one
  #state = 'running';

  constructor(engine, wire, frame) {
    this.#engine = engine;
    this.#wire = wire;
    this.#frame = frame;
    takeInput(frame);
    this.#code = this.#repaired(frame.code);
  }

  /* Runs it: returns when it has begun. */
  async start() {
    const folder = process.cwd();
    const path = `${folder === '/' ? '' : folder}/${NAME}`;
    const { fault } = this.#engine;
    const wrong = fault(this.#code);
    const { text, shifts } = wrong ? { text: '', shifts: [] } :
      prepared(this.#code, fault, { echo: this.#frame.echo === true,
        main: process.versions.bun ? '' : MAIN });
    this.#reporter = new Reporter({ path, code: this.#code, shifts });
    if (wrong) {
      this.#reporter.tellFault(wrong);
      this.#fail();
    }
    const library = await open(this.#wire, this.#frame, this.#code);
    const url = this.#engine.install(
      { path, folder, text, modules: library.modules });
    this.#define(path, library.globals);
    this.#listen();
    this.#run(url);
  }

  async #run(url) {
    try {
      this.#tellUncalled((await import(url)).default);
      this.#state = 'done';
    } catch (error) {
      this.#reporter.tell(error);
      this.#fail();
    }
  }

  /* Notes that the code exports a function by default which it never calls. */
  #tellUncalled(main) {
    const { name = '' } = typeof main === 'function' ? main : {};
    if (/^\w+$/.test(name) && !/^class\b/.test(main) &&
        this.#code.match(new RegExp(`\\b${name}\\b`, 'g'))?.length === 1)
      this.#wire.send({ type: 'note', text: `nothing has called ${name}(), ` +
        `the default export: end the code with await ${name}()` });
  }

  /* Returns the code, without a fence where it cannot run with it. */
  #repaired(code) {
    const inner = unfenced(code);
    if (inner === null)
      return code;
    this.#wire.send({ type: 'note', text: UNFENCED });
    return inner;
  }

  /* Gives the code the names that it expects. */
  #define(path, globals) {
    const module = { id: '.', path, filename: path, exports: {},
      loaded: false, children: [], paths: [] };
    const names = { module, exports: module.exports, ...globals };
    for (const [name, value] of Object.entries(names))
      defineProperty(globalThis, name,
        { value, configurable: true, enumerable: false, writable: true });
    if (globalThis.require)
      globalThis.require.main = module;
    defineProperty(globalThis, KEEP, { configurable: true,
      value: (value) => {
        delete globalThis[KEEP];
        this.#value = { value };
      } });
    process.argv = [process.execPath, path];
  }

  /* Hears of what ends the program. */
  #listen() {
    for (const event of ['uncaughtException', 'unhandledRejection'])
      process.on(event, (error, promise) => {
        if (promise === this.#value?.value)
          this.#value = undefined; // it has none
        if (process.listenerCount(event) > 1)
          return; // the code handles it
        this.#reporter.tell(error);
        this.#fail();
      });
    process.on('beforeExit', () => this.#end());
  }

  #fail() {
    this.#state = 'failed';
    exit(1);
  }

  /* Nothing is left to do. */
  #end() {
    if (this.#state === 'running') {
      complain('Error: the program waits for a promise that nothing settles ' +
        '(await at top level)\n');
      exit(UNSETTLED);
    }
    const kept = this.#value;
    this.#value = undefined;
    if (kept !== undefined)
      this.#echo(kept.value);
  }

  /* Shows the value of the last expression, if nothing was printed. */
  async #echo(promised) {
    const value = promised instanceof Promise ?
      await Promise.race([promised, PENDING]) : promised;
    if (value === undefined || value === PENDING)
      return;
    if (await this.#wire.request({ type: 'echo' }) === true)
      await this.#wire.request({ type: 'echo', text: shown(value) });
  }
}

/* Returns the text of a value, cut. */
function shown(value) {
  const text = inspect(value, { depth: 4, maxArrayLength: 100,
    maxStringLength: SHOWN, breakLength: 80 });
  const data = Buffer.from(text);
  return data.length <= SHOWN ? text :
    `${data.subarray(0, SHOWN).toString().replace(/\uFFFD+$/, '')} ... ` +
    `(${data.length} bytes in all: print what is needed)`;
}
