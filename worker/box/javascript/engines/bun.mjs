/*
 * bun: what it does otherwise than the other engines.
 */
import * as fs from 'node:fs';

const parser = new Bun.Transpiler({ loader: 'ts', target: 'bun' });
const FILE = /^\//;

export const version = `bun ${Bun.version}`;

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
 * Has imports find the program, which is no file, and the modules of the
 * library; main has its path, its text and the files of these modules, by their
 * names.
 */
export function install(main) {
  const { path } = main;
  Bun.main = path; // import.meta.main and require.main follow it
  Bun.plugin({
    name: 'caisson',
    setup(build) {
      for (const [name, file] of main.modules)
        build.module(name, () =>
          ({ contents: fs.readFileSync(file, 'utf8'), loader: 'js' }));
      build.onResolve({ filter: FILE }, ({ path: name }) =>
        name === path ? { path, namespace: 'file' } : undefined);
      build.onLoad({ filter: new RegExp(`^${RegExp.escape(path)}$`) }, () =>
        ({ contents: main.text, loader: 'ts' }));
    },
  });
  return path;
}
