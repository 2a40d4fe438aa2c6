/*
 * A module of WebAssembly: whether it can run here, and its run.
 */
const WASI = 'wasi_snapshot_preview1';
const COMPONENT = 0x0d; // of the version, where a module has 1
const NAMED = 5; // missing imports, at most
const { Module, Instance, RuntimeError } = WebAssembly;

/* Why a module cannot be run, for people. */
export class Unfit extends Error {}

/* Returns the module of these bytes. */
export function compiled(bytes) {
  if (bytes.subarray(0, 4).toString('latin1') === '\0asm' &&
      bytes[4] === COMPONENT && bytes[6] === 1)
    throw new Unfit('it is a component: build it as a module of WASI ' +
      'preview 1, such as by the target wasm32-wasip1');
  try {
    return new Module(bytes);
  } catch (error) {
    throw new Unfit(`it does not validate: ${error.message
      .replace(/^WebAssembly\.Module[^:]*: /, '')
      .replace(/ \(evaluating .*\)$/, '')}`);
  }
}

/* Returns what the module imports, all of which functions has. */
export function imported(module, functions) {
  const missing = Module.imports(module).filter(({ module: from, name, kind }) =>
    from !== WASI || kind !== 'function' || !Object.hasOwn(functions, name) ||
    typeof functions[name] !== 'function').map(({ module: from, name }) =>
    `${from}.${name}`);
  if (missing.length > 0)
    throw new Unfit(`it imports ${missing.slice(0, NAMED).join(', ')}` +
      `${missing.length > NAMED ? ` and ${missing.length - NAMED} more` : ''}` +
      `, which is not here: there are the functions of ${WASI} only`);
  const exported = new Map(Module.exports(module)
    .map(({ name, kind }) => [name, kind]));
  if (exported.get('_start') !== 'function' ||
      exported.get('memory') !== 'memory')
    throw new Unfit('it does not export a function _start and a memory called ' +
      'memory: build it as a command, not as a library');
  return { [WASI]: functions };
}

/* Makes an instance and gives it to start(). Returns what that returns. */
export function entered(module, imports, start) {
  let instance;
  try {
    instance = new Instance(module, imports);
  } catch (error) {
    if (error instanceof RuntimeError)
      throw error;
    throw new Unfit(`it cannot be linked: ${error.message}`);
  }
  return start(instance);
}
