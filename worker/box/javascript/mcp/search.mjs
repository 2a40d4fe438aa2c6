/*
 * Ranks tools for a search by comparing words, as the box of Python does.
 *
 * A whole word counts more than the beginning of one, that more than a part,
 * and a word with a slip in it least; a name counts more than what is said
 * about it, and a rare word more than a common one.
 */
import { likeness, words as wordsOf } from './names.mjs';
import { parameters } from './schema.mjs';

const QUERY_MAX = 32; // words
const WORD_MAX = 40; // characters
const TEXT_MAX = 1000; // characters of a description
const PARAMETERS_MAX = 50; // of a tool
const ABOUT_MAX = 3000; // characters of what is said about these
const LEAST = 0.1; // of the best score; less is noise
const WEIGHTS = [1, 0.9, 0.5, 0.45, 0.4, 0.3, 0.25, 0.2]; // of fields()
const NUMBER = 0.95; // what another number of a word is worth
const SLIPS = 0.4; // what a word with slips is worth
const SPELLED_MAX = 5; // words that a word with slips may be
const SPELLED = 0.74; // how alike words with slips are at least
const MISSING = 0.45; // what is left where almost all words are missing
const COMMON = new Set(('a an and any are as at be by can do does for from ' +
  'how i in into is it me my need of on or please some that the these this ' +
  'to tool tools use using want what when which with').split(' '));

const words = (all) => wordsOf(all).map((word) => word.slice(0, WORD_MAX));
const text = (value) => typeof value === 'string' ? value : '';

/*
 * Returns the texts of an entry, one for each of WEIGHTS: its name, that in
 * other spellings, its server, its title, the first line of its description,
 * the rest, the names of its parameters, what is said about these.
 */
function fields(entry) {
  const found = parameters(entry).slice(0, PARAMETERS_MAX);
  const [first, ...rest] = text(entry.description).slice(0, TEXT_MAX).trim()
    .split('\n');
  return [entry.tool, `${entry.toolAlias} ${entry.tool.replace(/_/g, '')}`,
    `${entry.server} ${entry.serverAlias}`,
    text(entry.title).slice(0, TEXT_MAX), first, rest.join(' '),
    found.map(({ name }) => name.slice(0, WORD_MAX)).join(' '),
    found.map(({ schema }) => text(schema?.description)).filter(Boolean)
      .join(' ').slice(0, ABOUT_MAX)];
}

/* Returns what may be the plural of a word, or the singular. */
const numbers = (word) => [`${word}s`, `${word}es`,
  ...word.endsWith('y') ? [`${word.slice(0, -1)}ies`] : [],
  ...word.length > 3 && /[^su]s$/.test(word) ? [word.slice(0, -1),
    ...word.endsWith('es') ? [word.slice(0, -2)] : [],
    ...word.endsWith('ies') ? [`${word.slice(0, -3)}y`] : []] : []];

/* Returns what another word is worth that one begins, or is a part of. */
function worth(word, other) {
  if (word === other)
    return 1;
  if (numbers(word).includes(other))
    return NUMBER;
  if (other.startsWith(word) && word.length >= 2)
    return 0.55 + 0.35 * word.length / other.length;
  if (word.startsWith(other) && other.length >= 3)
    return 0.85 * other.length / word.length;
  if (other.includes(word) && word.length >= 3)
    return 0.2 + 0.25 * word.length / other.length;
  return 0;
}

/* Returns the words that a word with slips may be, the most alike first. */
const spelled = (word, known) => [...known].filter((other) =>
  Math.abs(other.length - word.length) <= 2 && [...new Set(word + other)]
    .filter((each) => word.includes(each) !== other.includes(each)).length <= 4)
  .map((other) => [likeness(other, word), other])
  .filter(([value]) => value >= SPELLED)
  .sort(([one, first], [two, second]) => two - one || (first < second ? 1 : -1))
  .slice(0, SPELLED_MAX).map(([, other]) => other);

/* Returns the words of entries: by word, by entry, their largest weight. */
function indexOf(entries) {
  const known = new Map();
  for (const entry of entries)
    fields(entry).forEach((field, at) => {
      for (const word of words(field)) {
        const places = known.get(word) ?? new Map();
        known.set(word, places);
        if (!places.has(entry))
          places.set(entry, WEIGHTS[at]);
      }
    });
  return known;
}

/* Returns what a word is worth in each entry that has one like it. */
function find(word, known) {
  const best = new Map();
  const add = (other, value) => {
    for (const [entry, weight] of value ? known.get(other) : [])
      best.set(entry, Math.max(best.get(entry) ?? 0, value * weight));
  };
  for (const other of known.keys())
    add(other, worth(word, other));
  if (word.length >= 4 && ![word, ...numbers(word)].some((each) =>
    known.has(each)))
    for (const other of spelled(word, known.keys()))
      add(other, SLIPS);
  return best;
}

/* Returns [entry, score from 0 to 1] of the entries that fit, best first. */
export function rank(query, entries, isLast) {
  const all = [...new Set(words(query))];
  const some = all.filter((word) => !COMMON.has(word));
  const asked = (some.length > 0 ? some : all).slice(0, QUERY_MAX);
  const known = indexOf(entries);
  const found = new Map();
  let most = 0;
  for (const word of asked) {
    const best = find(word, known);
    const rarity = Math.log(2 + entries.length / (1 + best.size));
    most += rarity;
    for (const [entry, value] of best) {
      const [score, share] = found.get(entry) ?? [0, 0];
      found.set(entry, [score + rarity * value, share + rarity]);
    }
  }
  const forms = new Set(asked.flatMap((word) => [word, ...numbers(word)]));
  const scored = [...found].map(([entry, [score, share]]) => {
    const names = words(entry.tool);
    const named = names.filter((word) => forms.has(word)).length /
      (names.length || 1);
    return [entry, score / most * (MISSING + (1 - MISSING) * share / most) *
      (0.9 + 0.1 * named)];
  });
  const least = Math.max(0, ...scored.map(([, score]) => score)) * LEAST;
  const exact = new Set([query.trim(), ...query.split(/[\s.]+/)]);
  const said = ` ${words(query).join(' ')} `;
  const key = ([entry, score]) => [isLast(entry) ? 1 : 0, -score.toFixed(9),
    exact.has(entry.tool) ? 0 : 1,
    said.includes(` ${words(entry.tool).join(' ')} `) ? 0 : 1,
    entry.server, entry.tool];
  return scored.filter(([, score]) => score >= least).sort((one, two) => {
    const [first, second] = [key(one), key(two)];
    const at = first.findIndex((each, index) => each !== second[index]);
    return at === -1 ? 0 : first[at] < second[at] ? -1 : 1;
  }).map(([entry, score]) => [entry, Number(score.toFixed(3))]);
}
