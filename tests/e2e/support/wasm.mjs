/*
 * Modules of WebAssembly, made of bytes: functions of WASI that are called one
 * after the other.
 */
const WASI = 'wasi_snapshot_preview1';
/* Their parameters: i is of 32 bits, I of 64. All but proc_exit return i. */
const kinds = { args_get: 'ii', args_sizes_get: 'ii', fd_read: 'iiii',
  fd_write: 'iiii', path_open: 'iiiiiIIii', path_symlink: 'iiiii',
  path_unlink_file: 'iii', proc_exit: 'i' };
const DATA = 1024; // where the data is
const ROOM = 4096; // where bytes are read to
const [LENGTH, COUNT, OPENED, ERROR] = [4, 8, 512, 600]; // what is kept where

const unsigned = (n) => n < 128 ? [n] : [n % 128 + 128, ...unsigned(n >> 7)];
const signed = (n) => n >= -64 && n < 64 ? [n & 127] :
  [n & 127 | 128, ...signed(n >> 7)];
const vector = (items) => [...unsigned(items.length), ...items.flat()];
const text = (name) => vector([...Buffer.from(name)]);
const section = (id, bytes) => [id, ...unsigned(bytes.length), ...bytes];

export const number = (n) => [0x41, ...signed(n)];
export const trap = [0x00];
export const loop = (...inner) => [0x03, 0x40, ...inner.flat(), 0x0c, 0, 0x0b];
/* Grows the memory by 64 MiB, and fills all of it. */
export const grow = [...number(1024), 0x40, 0, 0x1a, ...number(0), ...number(1),
  0x3f, 0, ...number(16), 0x74, 0xfc, 11, 0];
const load = (at) => [...number(at), 0x28, 2, 0];
const store = (at, value) => [...number(at), ...value, 0x36, 2, 0];

/* A function of WASI, which the module imports. */
const call = (name, ...values) => ({ name, values: values.flat(2) });
export const exit = (value) => call('proc_exit', value);
/* An error of the step ends the module, with its number. */
const must = (step) => [{ ...step, kept: ERROR }, load(ERROR), [0x04, 0x40],
  exit(load(ERROR)), [0x0b]];

const write = (fd, at, length) => [store(0, number(at)), store(LENGTH, length),
  ...must(call('fd_write', fd, number(0), number(1), number(COUNT)))];
export const print = (length) => write(number(1), DATA, number(length));
const transfer = (from) => [store(0, number(ROOM)), store(LENGTH, number(1 << 15)),
  ...must(call('fd_read', from, number(0), number(1), number(COUNT))),
  ...write(number(1), ROOM, load(COUNT))];
export const echo = transfer(number(0));
export const tell = [call('args_sizes_get', number(16), number(20)),
  call('args_get', number(2048), number(ROOM)),
  ...write(number(1), ROOM, load(20))];

const at = (place, offset = 0) =>
  [number(DATA + offset), number(place.length)];
const open = (base, place, flags, rights) => must(call('path_open',
  number(base), number(1), ...at(place), number(flags), [0x42, rights],
  [0x42, 0], number(0), number(OPENED)));
/* These begin with the place, which is the data of the module. */
export const read = (base, place) =>
  [...open(base, place, 0, 2), ...transfer(load(OPENED))];
export const create = (base, place) =>
  [...open(base, place, 1, [0xc0, 0]), ...write(load(OPENED), DATA, number(3))];
export const unlink = (base, place) =>
  must(call('path_unlink_file', number(base), ...at(place)));
/* The data is both, one after the other. */
export const link = (base, target, place) => must(call('path_symlink',
  ...at(target), number(base), ...at(place, target.length)));

/* Returns a module that does this, with some data. */
export function assemble(steps, data = '', from = WASI, start = '_start') {
  const names = [...new Set(steps.map((step) => step.name).filter(Boolean))];
  const code = steps.flatMap((step) => !step.name ? step : [
    ...step.kept ? number(step.kept) : [], ...step.values,
    0x10, names.indexOf(step.name),
    ...step.kept ? [0x36, 2, 0] : step.name in kinds &&
      step.name !== 'proc_exit' ? [0x1a] : []]);
  const body = [0, ...code, 0x0b];
  return Buffer.from([0, ...Buffer.from('asm'), 1, 0, 0, 0,
    ...section(1, vector([[0x60, 0, 0], ...names.map((name) => [0x60,
      ...vector([...kinds[name] ?? ''].map((kind) =>
        [kind === 'i' ? 0x7f : 0x7e])),
      ...name in kinds && name !== 'proc_exit' ? [1, 0x7f] : [0]])])),
    ...section(2, vector(names.map((name, i) =>
      [...text(from), ...text(name), 0, i + 1]))),
    ...section(3, [1, 0]), ...section(5, [1, 0, 1]),
    ...section(7, vector([[...text('memory'), 2, 0],
      [...text(start), 0, names.length]])),
    ...section(10, vector([[...unsigned(body.length), ...body]])),
    ...section(11, vector([[0, ...number(DATA), 0x0b, ...text(data)]]))]);
}
