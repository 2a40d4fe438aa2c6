/*
 * bun: what it does otherwise than the other engines.
 */
import * as fs from 'node:fs';

const NEWLINE = 10;

let parser; // once something is parsed

/* Returns why this version cannot run code, or null. */
export const refusal = () => null;

/* Returns what is read from a pipe, which is nothing at its end; it blocks. */
function readOf(fd) {
  const room = new Uint8Array(1 << 16);
  return room.subarray(0, fs.readSync(fd, room));
}

/*
 * Returns what reads the first frame, as a Wire does, but without node:fs, whose
 * loading takes longer than most code. A box that waits has it loaded, and
 * blocks: the stream would have garbage collected when the code comes. Without
 * /proc it blocks at once.
 */
export function first(fd) {
  const reader = Bun.file(`/proc/self/fd/${fd}`).stream().getReader();
  const coming = reader.read();
  const dataOf = (read) =>
    read.then(({ value }) => value ?? readOf(fd), () => readOf(fd));
  return {
    async hasFrame(most) {
      let timer;
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, most, false);
      });
      const came = () => true;
      const has = await Promise.race([coming.then(came, came), late]);
      clearTimeout(timer);
      if (!has)
        await reader.cancel();
      return has;
    },
    async readFrame() {
      const decoder = new TextDecoder();
      let text = '';
      let data = await dataOf(coming);
      for (; data?.at(-1) !== NEWLINE; data = await dataOf(reader.read())) {
        if (!data?.length)
          return null;
        text += decoder.decode(data, { stream: true });
      }
      reader.cancel().catch(() => {});
      return JSON.parse(text + decoder.decode(data));
    },
  };
}

/*
 * Returns why TypeScript cannot be parsed, with its line and column, or null.
 */
export function fault(code) {
  parser ??= new Bun.Transpiler({ loader: 'ts', target: 'bun' });
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
