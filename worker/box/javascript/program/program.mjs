/*
 * One program, from its start to its end. The event loop decides when it ends;
 * its exit status is the engine's.
 */
import '../mcp/places.mjs'; // before the variables of the call are set
import { takeInput } from './input.mjs';
import * as output from './output.mjs';
import * as report from './report.mjs';
import { KEEP, prepared, unfenced } from './source.mjs';

const NAME = 'run_javascript.ts';
/*
 * Code that names nothing of the library, nor what it may be mistaken for, and
 * no file or text that could, does not have it loaded, which takes longer than
 * most code.
 */
const LIBRARY = new RegExp('mcp|modelcontext|runtime|call_?tool|client|session|tools|' +
  'functions|default_api|globalThis|eval|[\'"`]\\.{0,2}/', 'i');
const SAMPLE = 'interface A { b: number }\nconst a: A = await { b: 1 };\n' +
  '[a]\n  .at(0)';
const MAIN = 'import.meta.main=true;'; // where the engine has it otherwise
const UNSETTLED = 13; // as in Node.js, also where a handler of errors fails
const HANDLER = 7;
const UNFENCED = 'the code ran without its Markdown fence';
const FAILURES = ['uncaughtException', 'unhandledRejection'];
const PENDING = Symbol('pending');
const { getOwnPropertyDescriptor, defineProperty } = Object;
const { exit } = process;

/* What imports find in place of a file: see engines/. */
const main = { filter: /\/run_javascript\.ts$/, path: '', folder: '', text: '',
  modules: new Map(), moved: false };

/* Sets what is run. Returns what is to be imported. */
function become(engine, folder, text, modules) {
  const path = `${folder === '/' ? '' : folder}/${NAME}`;
  Object.assign(main, { path, folder, text, modules });
  return engine.begin(main);
}

/*
 * Runs a sample, as all takes longer at first: where no code has come yet, this
 * is what the engine does meanwhile. The code that comes sets anew all that this
 * has set.
 */
export async function rehearse(engine, wire) {
  try {
    await (await import('../mcp/library.mjs')).rehearse();
    wire().rehearse();
    const program = new Program(engine, wire,
      { code: SAMPLE, environment: {}, directory: '.', echo: true });
    await program.prepare();
    await program.start('/rehearsal');
    output.inspect([]);
  } catch {
    // the code tells what does not work
  }
  for (const event of [...FAILURES, 'beforeExit'])
    process.removeAllListeners(event);
}

/* Has imports find programs. */
export const install = (engine) => engine.install(main);

/* Whether it is an object with fetch(), which no getter is asked for. */
const isWorker = (main) => main !== null && typeof main === 'object' &&
  typeof getOwnPropertyDescriptor(main, 'fetch')?.value === 'function';

/*
 * A program, which is given the engine, what returns the connection, and its run
 * frame.
 */
export class Program {
  #engine;
  #wire;
  #frame;
  #code;
  #about; // what errors are told with
  #worker; // what answers the request of the call, if it has one
  #value; // of the last expression, once it has one
  #state = 'running';

  constructor(engine, wire, frame) {
    this.#engine = engine;
    this.#wire = wire;
    this.#frame = frame;
    takeInput(frame);
    this.#code = this.#repaired(frame.code);
  }

  /* Reads the request, before anything runs. Throws what is wrong with it. */
  async prepare() {
    const { request, environment: env = {} } = this.#frame;
    if (request === undefined)
      return;
    const { answer, requestOf } = await import('./worker.mjs');
    const given = { request: requestOf(request), env,
      tell: (error) => this.#reporter().tell(error) };
    this.#worker = (main) => answer(this.#wire(), main, given);
  }

  /* Runs it, to the end of its module. */
  async start(folder = process.cwd()) {
    const { fault } = this.#engine;
    const { text, shifts } = prepared(this.#code, fault, {
      echo: this.#frame.echo === true && !this.#worker,
      main: process.versions.bun ? '' : MAIN });
    const library = await this.#library();
    const url = become(this.#engine, folder, text, library.modules);
    this.#about = { main, code: this.#code, shifts, about: library.about };
    this.#define(library.globals);
    this.#listen();
    if (!process.versions.bun || this.#code.includes('std'))
      output.completeStreams(this.#code);
    await this.#run(url);
  }

  /* Returns the names, the modules and the hints that the code is to have. */
  async #library() {
    // the constructor makes code of a text, the word "function" does not
    if (!LIBRARY.test(this.#code) && !this.#code.includes('Function'))
      return { globals: {}, modules: new Map(), about: () => null };
    const { hintOf: about, open } = await import('../mcp/library.mjs');
    return { about, ...await open(this.#wire(), this.#frame, this.#code) };
  }

  /* Returns what tells its errors. */
  #reporter() {
    return new report.Reporter(this.#about);
  }

  async #run(url) {
    try {
      const { default: exported } = await import(url);
      if (this.#worker) {
        await this.#worker(exported);
        exit(); // as workers do, whatever else is under way
      }
      this.#tellUncalled(exported);
      this.#state = 'done';
    } catch (error) {
      if (!this.#worker && process.listenerCount(FAILURES[0]) > 1) {
        this.#handle(error);
        return;
      }
      // that it parses takes longer to see than that it runs
      const wrong = this.#engine.fault(this.#code) ??
        this.#engine.uncompiled?.(error, this.#code);
      if (wrong)
        this.#reporter().tellFault(wrong);
      else
        this.#reporter().tell(error);
      this.#fail();
    }
  }

  /* Has the code handle an error that ends its module. */
  #handle(error) {
    this.#state = 'done';
    try {
      for (const handler of process.rawListeners(FAILURES[0]))
        handler.call(process, error, FAILURES[0]);
    } catch (other) { // of which emit() of bun would tell
      this.#reporter().tell(other);
      exit(HANDLER);
    }
  }

  /* Notes that the code exports a worker, or a function that it never calls. */
  #tellUncalled(main) {
    if (isWorker(main) && !/\.(?:fetch|request)\s*\(/.test(this.#code))
      this.#wire().send({ type: 'note', text: 'nothing has called fetch() of ' +
        'the default export: with the argument request, as {"url": "/"}, a ' +
        'call has it answer' });
    const name = typeof main === 'function' ? main.name : null;
    if (name !== null && /^\w+$/.test(name) && !/^class\b/.test(main) &&
        this.#code.match(new RegExp(`\\b${name}\\b`, 'g'))?.length === 1)
      this.#wire().send({ type: 'note', text: `nothing has called ${name}(), ` +
        `the default export: end the code with await ${name}()` });
  }

  /* Returns the code, without a fence where it cannot run with it. */
  #repaired(code) {
    const inner = unfenced(code, this.#engine.fault);
    if (inner === null)
      return code;
    this.#wire().send({ type: 'note', text: UNFENCED });
    return inner;
  }

  /* Gives the code the names that it expects. */
  #define(globals) {
    const { path, folder } = main;
    const module = { id: '.', path: folder, filename: path, exports: {},
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
    for (const event of FAILURES)
      process.on(event, (error, promise) => {
        if (promise === this.#value?.value)
          this.#value = undefined; // it has none
        if (process.listenerCount(event) > 1)
          return; // the code handles it
        this.#reporter().tell(error);
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
      output.complain('Error: the program waits for a promise that nothing ' +
        `settles (${this.#worker ? 'in fetch()' : 'await at top level'})\n`);
      exit(UNSETTLED);
    }
    const kept = this.#value;
    this.#value = undefined;
    // what it shows is sent, after which code that hears of the end would again
    if (kept !== undefined && process.listenerCount('beforeExit') === 1)
      this.#echo(kept.value);
  }

  /* Shows the value of the last expression, if nothing was printed. */
  async #echo(promised) {
    const value = promised instanceof Promise ?
      await Promise.race([promised, PENDING]) : promised;
    if (value === undefined || value === PENDING)
      return;
    if (await this.#wire().request({ type: 'echo' }) === true)
      await this.#wire().request({ type: 'echo', text: output.shown(value) });
  }
}
