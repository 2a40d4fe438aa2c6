/*
 * Notes at the end of the code on results that were only a part: the result
 * says so, or its count is larger than its list. There is none if the code
 * asked for exactly so many, or names the member that tells of more.
 */
import { read } from './json.mjs';
import { missed } from './misread.mjs';
import { plain, words } from './names.mjs';
import { unshown } from './result.mjs';
import { isObject } from './schema.mjs';
import { box } from './servers.mjs';

const SEEN_MAX = 64; // tools of which the last result counts
const KEPT_MAX = 64 << 10; // characters of one that is kept for this alone
const NOTED_MAX = 3; // that the note tells of
const WITHIN = /^(?:pagination|paging|pageinfo|meta|metadata|links)$/;
const MORE = /^(?:hasmore|hasnext|hasnextpage|istruncated|incompleteresults)$/;
const NEXT = /^next(?:cursor|pagetoken|token|page)$/;
const TOTAL = /^total(?:count|items|results|hits)?$/;
const MOST = new Set(('limit size count first last max maximum top take per ' +
  'results n num k').split(' '));
const BEGINS = new Set('page offset cursor after before skip start token'
  .split(' '));
const SEEN = new Map(); // by name of the tool: its last result, arguments

/* Returns the name of the member that tells of more, or undefined. */
function keyOf(data, inner = false) {
  for (const [name, value] of Object.entries(data)) {
    const bare = plain(name);
    if (MORE.test(bare) && value === true || NEXT.test(bare) && value &&
        ['string', 'number'].includes(typeof value))
      return name;
    if (!inner && WITHIN.test(bare) && isObject(value) && keyOf(value, true))
      return `${name}.${keyOf(value, true)}`;
  }
  return undefined;
}

/* Returns what a result does not have, as [sentence, member], or null. */
function moreOf(data, args) {
  const lists = Array.isArray(data) ? [data] :
    Object.values(isObject(data) ? data : {}).filter(Array.isArray);
  const count = lists.length === 0 ? null :
    Math.max(...lists.map((each) => each.length));
  const names = Object.keys(args);
  const isOf = (name, some) => words(name).some((word) => some.has(word));
  if (!isObject(data) || names.some((name) =>
    args[name] === count && isOf(name, MOST)))
    return null;
  let key = keyOf(data);
  if (!key && count && !names.some((name) => isOf(name, BEGINS)))
    key = Object.keys(data).filter((name) => TOTAL.test(plain(name)) &&
      Number.isInteger(data[name]) && data[name] > count)
      .map((name) => `${name}: ${data[name]}`)[0];
  return key ? [`there is more than ${count === null ? 'its last result' :
    `the ${count} of its last result`} (${key})`,
  key.split(':')[0].split('.').at(-1)] : null;
}

/* Takes the result of a tool, which was given these arguments, as JSON. */
export function seen(tool, result, args) {
  const kept = result.text.length <= KEPT_MAX;
  SEEN.delete(tool);
  SEEN.set(tool, { args, strong: kept ? result : null,
    weak: kept ? null : new WeakRef(result) });
  if (SEEN.size > SEEN_MAX)
    SEEN.delete(SEEN.keys().next().value);
}

/* Returns the note at the end of code, or null. */
export function note(failed) {
  const told = [], all = [];
  for (const [tool, { args, strong, weak }] of SEEN) {
    const result = strong ?? weak.deref();
    if (!result || result.isError)
      continue;
    all.push(result.data);
    const more = failed ? null : moreOf(result.data, read(args));
    if (more && !box.source.includes(more[1]))
      told.push(`${tool}: ${more[0]}`);
  }
  const notes = [missed(box.source, all), ...failed ? [] : unshown(), ...told]
    .filter(Boolean);
  return notes.length > 0 ? notes.slice(0, NOTED_MAX).join('; ') : null;
}
