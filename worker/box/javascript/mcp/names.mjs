/*
 * Names of servers and tools in all spellings that code uses, and the names
 * that come close to an unknown one, which the code is told of.
 */
const TOLD_MAX = 3;
const COMPARED_MAX = 3000; // names that a name is compared with
const NAME_MAX = 100; // characters of a name that is compared
const LISTED_MAX = 20; // names in a sentence
const ALIKE = 0.6; // of likeness(): how alike names are at least
const HUMP = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
const ODD = /[^\p{L}\p{N}]+/u;
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const RESERVED = new Set(('await break case catch class const continue ' +
  'debugger default delete do else enum export extends false finally for ' +
  'function if implements import in instanceof interface let new null ' +
  'package private protected public return static super switch this throw ' +
  'true try typeof var void while with yield arguments eval').split(' '));

/* Returns the parts of a name between marks, without its humps. */
const parts = (name) => name.split(ODD).filter(Boolean);

/* Returns a name as JavaScript writes it: read_file is readFile. */
export function camel(name) {
  const [first = '', ...rest] = parts(name);
  const lower = first === first.toUpperCase() ? first.toLowerCase() :
    first[0].toLowerCase() + first.slice(1);
  return lower + rest.map((part) =>
    part[0].toUpperCase() + part.slice(1)).join('');
}

/* Returns a name as Python writes it: readFile is read_file. */
export const snake = (name) =>
  parts(name).flatMap((part) => part.split(HUMP)).join('_').toLowerCase();

/* Returns the words of a name or a text, in lower case. */
export const words = (text) => text.split(ODD).flatMap((part) =>
  part.split(HUMP)).filter(Boolean).map((word) => word.toLowerCase());

/* Returns whether a name can be exported, or stand behind a dot. */
export const isIdentifier = (name) =>
  IDENTIFIER.test(name) && !RESERVED.has(name);

/* Returns what a tool is called by: its own name, if it can be written. */
export const called = (name) => isIdentifier(name) ? name : camel(name);

/* Returns a name without what differs between habits of writing names. */
export const plain = (name) =>
  name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/*
 * Returns a name without marks but for those between digits: 1_2 is not 12,
 * though plain() makes them the same.
 */
const spelled = (name) => name.toLowerCase().replace(
  /(?<![-_0-9])[-_]+|(?<![-_])[-_]+(?![-_0-9])/g, '');

/*
 * Returns the one of known that a name is spelled like, or undefined; of(each)
 * are its names.
 */
export function alike(name, known, of) {
  const found = known.filter((each) =>
    of(each).some((own) => plain(own) === plain(name)));
  return found.length === 1 && spelled(name) && of(found[0]).some((own) =>
    spelled(own) === spelled(name)) ? found[0] : undefined;
}

/* Returns how many characters two texts have in common, block by block. */
function common(one, two) {
  let best = 0, from = 0, to = 0;
  for (let at = 0; at < one.length; at++)
    for (let there = 0; there < two.length; there++) {
      let size = 0;
      while (at + size < one.length && one[at + size] === two[there + size])
        size++;
      if (size > best)
        [best, from, to] = [size, at, there];
    }
  return best && best + common(one.slice(0, from), two.slice(0, to)) +
    common(one.slice(from + best), two.slice(to + best));
}

/* Returns how alike two texts are, from 0 to 1. */
export function likeness(one, two) {
  const all = one.length + two.length;
  return all === 0 ? 1 : 2 * common(one, two) / all;
}

/* Returns whether all words of one name are in the other. */
function isPart(one, two) {
  const [few, many] = [words(one), words(two)].sort(
    (first, second) => first.length - second.length);
  return few.length > 0 && few.every((word) => many.includes(word));
}

/* Returns a hint at the names that come close, to be put behind a sentence. */
export function didYouMean(name, known) {
  const low = String(name).slice(0, NAME_MAX).toLowerCase();
  const names = [...known].slice(0, COMPARED_MAX).filter((each) =>
    each.length <= NAME_MAX);
  const close = names.map((each) => [likeness(low, each.toLowerCase()), each])
    .filter(([value]) => value >= ALIKE).sort((one, two) => two[0] - one[0])
    .map(([, each]) => each);
  const within = names.filter((each) => isPart(name, each));
  const told = [...new Set([...(within.length === 1 ? within : []), ...close])];
  return told.length === 0 ? '' :
    `; did you mean ${told.slice(0, TOLD_MAX).join(' or ')}?`;
}

/* Returns names as the end of a sentence. */
export function listed(names) {
  const all = [...names];
  return (all.slice(0, LISTED_MAX).join(', ') || 'none') +
    (all.length > LISTED_MAX ? ', ...' : '');
}

/*
 * Returns the server and the tool of a name that has both, as
 * mcp__fs__read_file, fs.read_file or fs/read_file; else no tool.
 */
export function apart(name) {
  const rest = name.replace(/^mcp__/, '');
  for (const mark of ['__', '.', '/', ':']) {
    const at = rest.indexOf(mark);
    if (at > 0 && at + mark.length < rest.length)
      return [rest.slice(0, at), rest.slice(at + mark.length)];
  }
  return [rest, undefined];
}
