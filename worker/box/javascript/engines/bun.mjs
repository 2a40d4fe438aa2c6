/*
 * bun: what it does otherwise than the other engines.
 */
import * as fs from 'node:fs';

const parser = new Bun.Transpiler({ loader: 'ts', target: 'bun' });

/* Returns why this version cannot run code, or null. */
export const refusal = () => null;

/*
 * Returns why TypeScript cannot be parsed, with its line and column, or null.
 */
export function fault(code) {
  try {
    parser.transformSync(code);
    return null;
  } catch (error) {
    return placed(error.errors?.[0] ?? error);
  }
}

/* Returns an error of the parser with its place as numbers. */
const placed = ({ message, position }) =>
  ({ message, line: position?.line, column: position?.column });

/*
 * Has imports find the program, which is no file: main has its path and its
 * text, then.
 */
export function install(main) {
  Bun.plugin({
    name: 'caisson',
    setup(build) {
      build.onResolve({ filter: main.filter }, ({ path }) =>
        path === main.path ? { path, namespace: 'file' } : undefined);
      build.onLoad({ filter: main.filter }, ({ path }) => ({ loader: 'ts',
        contents: path === main.path ? main.text :
          fs.readFileSync(path, 'utf8') }));
    },
  });
}

/*
 * Makes main what was started, which can import the modules of the library:
 * files, by their names. Returns what is to be imported.
 */
export function begin({ path, modules }) {
  Bun.main = path; // import.meta.main and require.main follow it
  if (modules.size > 0)
    Bun.plugin({
      name: 'caisson-library',
      setup(build) {
        for (const [name, file] of modules)
          build.module(name, () =>
            ({ contents: fs.readFileSync(file, 'utf8'), loader: 'js' }));
      },
    });
  return path;
}
