/*
 * What deno and Node.js have in common: hooks for imports, and a parser that
 * takes the types out of TypeScript.
 */
import * as modules from 'node:module';
import * as fs from 'node:fs';
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

/* Has require() read JSON itself, which deno does not below hooks. */
function withJson(require) {
  const reading = (name) => {
    const file = name.endsWith('.json') ? require.resolve(name) : null;
    return file === null ? require(name) :
      JSON.parse(fs.readFileSync(file, 'utf8'));
  };
  return Object.assign(reading, require);
}

/* Whether a name is that of a package, or of a module of the engine. */
const isBare = (name) => !/^(?:[./]|[a-z]+:)/.test(name);

/* Returns the name that deno knows a module by; it takes others for files. */
function builtin(name) {
  if (isBuiltin(name))
    return `node:${name}`;
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
        return next(builtin(name), context);
      return next(name, context);
    },
    load(name, context, next) {
      return name === main.url ?
        { format: 'module', source: stripped(main.text), shortCircuit: true } :
        next(name, context);
    },
  });
}

/* Makes main what was started: see engines/bun.mjs. */
export function begin(main) {
  const { path, folder } = main;
  const require = createRequire(path);
  main.url = pathToFileURL(path).href;
  globalThis.require = process.versions.deno ? withJson(require) : require;
  globalThis.__filename = path;
  globalThis.__dirname = folder;
  return main.url;
}
