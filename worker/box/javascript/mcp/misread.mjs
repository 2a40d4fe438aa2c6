/*
 * Data of results that says when code looks for what it does not have.
 *
 * In JavaScript that is undefined, which a program may print, count or compare
 * without an error. So the lists and objects of a result inherit from a proxy,
 * which is asked for no member that they have: of a list what is there for no
 * list throws; of an object it is remembered for a note, as it may be optional.
 */
import { listed, plain, words } from './names.mjs';

const GUARDED_MAX = 1000; // lists and objects of a result that tell
const LOOKED_MAX = 10000; // those that are searched for a key
const MISSES_MAX = 8;
const TOLD_MAX = 5; // keys in the note
const OPTIONAL = /error|warning|next|cursor|more|page|token|prev/i;
/* What engines and libraries look for in any value. */
const PROBED = new Set(['then', 'toJSON', 'nodeType', 'inspect', '$$typeof',
  'asymmetricMatch', '__esModule', 'default']);
const MISSES = new Map(); // by key: the keys that there were instead

/* Has deno show a value as it is, as the others do, without what it inherits. */
const SHOWN = process.versions.deno ?
  { [Symbol.for('nodejs.util.inspect.custom')]: { value() {
    return Array.isArray(this) ? [...this] : { ...this };
  } } } : {};

/* Returns what inherits from base, and gives other members by missing(). */
const heir = (base, missing) => new Proxy(Object.create(base, SHOWN), {
  get: (target, key, whole) => key in target || typeof key === 'symbol' ||
    PROBED.has(key) ? Reflect.get(target, key, whole) : missing(key, whole),
});

const LIST = heir(Array.prototype, (key, list) => {
  if (/^-?[0-9]+$/.test(key))
    return undefined;
  throw new TypeError(`a list of a result has no ${key}: it has ${
    list.length} items${typeof list[0] === 'object' && list[0] !== null ?
    `, and its first one the keys ${listed(Object.keys(list[0]))}` : ''}`);
});

const OBJECT = heir(Object.prototype, (key, object) => {
  if (MISSES.size < MISSES_MAX && !MISSES.has(key))
    MISSES.set(key, Object.keys(object));
  return undefined;
});

/* Calls look() for the lists and objects in a value, but not for too many. */
function walk(value, most, look) {
  const left = [value];
  for (let looked = 0; left.length > 0 && looked < most; looked++) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null)
      continue;
    look(next);
    for (const inner of Object.values(next))
      if (typeof inner === 'object' && inner !== null)
        left.push(inner);
  }
}

/* Returns data whose lists and objects say what they do not have. */
export function guarded(data) {
  walk(data, GUARDED_MAX, (value) =>
    Object.setPrototypeOf(value, Array.isArray(value) ? LIST : OBJECT));
  return data;
}

/* Whether an object is as JSON makes them. */
export const isMade = (value) =>
  [null, Object.prototype, OBJECT].includes(Object.getPrototypeOf(value));

/*
 * Returns the sentence about a key that code has looked for and that no result
 * has, unless the code names a key that comes close; or null. Where a key may
 * well be missing, there must be one that comes close.
 */
export function missed(code, results) {
  for (const [key, names] of MISSES) {
    const close = names.filter((name) => plain(name) === plain(key) ||
      words(key).every((word) => words(name).includes(word)) ||
      words(name).every((word) => words(key).includes(word)));
    let isThere = close.some((name) => code.includes(name)) ||
      close.length !== 1 && OPTIONAL.test(key);
    for (const data of results)
      walk(data, LOOKED_MAX, (value) => {
        isThere ||= Object.hasOwn(value, key);
      });
    if (!isThere)
      return `.${key} was undefined, as there is no such key: the object has ${
        (close.length > 0 ? close : names).slice(0, TOLD_MAX).join(', ')}`;
  }
  return null;
}
