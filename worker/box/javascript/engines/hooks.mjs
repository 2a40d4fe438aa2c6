/*
 * What deno and Node.js have in common: hooks for imports, and a parser that
 * takes the types out of TypeScript.
 */
import * as modules from 'node:module';
import { pathToFileURL } from 'node:url';

const {
  createRequire, isBuiltin, registerHooks, stripTypeScriptTypes,
} = modules;
const UNSUPPORTED = 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';

/* Whether the engine has these functions, which came with Node.js 22.15. */
export const complete = () =>
  Boolean(registerHooks && stripTypeScriptTypes);

/* Returns what more than removing types makes of code, or throws error. */
function transformed(code, error) {
  try {
    modules.setSourceMapsSupport?.(true);
    return stripTypeScriptTypes(code, { mode: 'transform', sourceMap: true });
  } catch (other) {
    if (other.code !== 'ERR_INVALID_ARG_VALUE')
      throw other;
    error.message += ', all that this version of Node.js has: write it ' +
      'otherwise, or use bun or deno (CAISSON_JAVASCRIPT)';
    throw error;
  }
}

/*
 * Returns TypeScript as JavaScript: places stay where nothing but types has to
 * go, otherwise a source map has them.
 */
export function stripped(code) {
  const { emitWarning } = process;
  process.emitWarning = () => {}; // that this is new
  try {
    return stripTypeScriptTypes(code, { mode: 'strip' });
  } catch (error) {
    if (error.code !== UNSUPPORTED)
      throw error;
    return transformed(code, error);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/* Whether a name is that of a package, or of a module of the engine. */
const isBare = (name) => !/^(?:[./]|[a-z]+:)/.test(name);

/* Returns what deno has by a name, which it takes for a file if for no other. */
function bare(name, context, next) {
  if (isBuiltin(name))
    return next(`node:${name}`, context);
  const found = next(name, context);
  const from = new URL(context.parentURL ?? '/', 'file:///'); // or a path
  if (found.url !== new URL(name, from).href)
    return found;
  throw Object.assign(new Error(`Cannot find package '${name}'`),
    { code: 'ERR_MODULE_NOT_FOUND' });
}

/* Has imports find the program, which is no file: see engines/bun.mjs. */
export function install(main) {
  registerHooks({
    resolve(name, context, next) {
      const { url, modules: ours } = main;
      if (name === url)
        return { url, format: 'module', shortCircuit: true };
      if (ours.has(name))
        return { url: pathToFileURL(ours.get(name)).href, format: 'module',
          shortCircuit: true };
      if (process.versions.deno && isBare(name))
        return bare(name, context, next);
      return next(name, context);
    },
  });
}

/*
 * Has the program loaded. Below such a hook, deno cannot read all packages, nor
 * JSON: it goes when it has done that.
 */
function load(main) {
  const hook = registerHooks({
    load(name, context, next) {
      if (name !== main.url)
        return next(name, context);
      hook.deregister();
      const source = stripped(main.text);
      main.moved = source.length !== main.text.length;
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

/* Makes main what was started: see engines/bun.mjs. */
export function begin(main) {
  const { path, folder } = main;
  main.url = pathToFileURL(path).href;
  load(main);
  globalThis.require = createRequire(path);
  globalThis.__filename = path;
  globalThis.__dirname = folder;
  return main.url;
}
