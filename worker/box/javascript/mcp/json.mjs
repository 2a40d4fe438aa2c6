/*
 * JSON as values of JavaScript, and back, without changing any of them.
 *
 * An integer that a number cannot hold exactly becomes a BigInt, and a number
 * beyond the range of numbers the text that it came as. What JSON.stringify()
 * drops or alters is refused, with its place.
 */
const DEPTH_MAX = 250; // the relay accepts 256, with what stands around
/* What numbers look like that may need it; strings may, too. */
const INEXACT = /(?:^|[[:,\s])-?(?:[0-9.]{16}|[0-9.]+[eE])/;
const INTEGER = /^-?[0-9]+$/;
const ZERO = /^-?0?[.0]*(?:[eE].*)?$/;

const { parse, rawJSON, stringify } = JSON;
const { isSafeInteger, isFinite } = Number;

/* Returns what was read as JSON again, also integers that are a BigInt. */
export const shown = (value, space) => stringify(value, (key, each) =>
  typeof each === 'bigint' ? rawJSON(String(each)) : each, space);

/* A part of a value that JSON cannot hold; path leads to it, reversed. */
class Unfit extends Error {
  path = [];
}

/* Returns what a number means whose text is known. */
function exact(value, text) {
  if (INTEGER.test(text))
    return isSafeInteger(value) ? value : BigInt(text);
  return isFinite(value) && (value !== 0 || ZERO.test(text)) ? value : text;
}

/* Returns the JSON value that a text is; throws SyntaxError. */
export function read(text) {
  if (!INEXACT.test(text))
    return parse(text);
  return parse(text, (key, value, about) =>
    typeof value === 'number' ? exact(value, about.source) : value);
}

/* Returns what an object is called: the name of its class. */
const kindOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

/* What to write instead of objects that JSON cannot hold. */
const INSTEAD = {
  Map: 'use Object.fromEntries(map)',
  Set: 'use [...set]',
  Promise: "write 'await' before it",
  ArrayBuffer: 'use Buffer.from(it).toString("base64")',
  Uint8Array: 'use Buffer.from(it).toString("base64")',
};

/* Returns a class instance as its own toJSON() says; other values as is. */
function plain(value) {
  if (value instanceof Date && Number.isNaN(value.getTime()))
    throw new Unfit('is an invalid Date');
  if (ArrayBuffer.isView(value) || typeof value.toJSON !== 'function')
    return value;
  return value.toJSON();
}

/* Returns an array as JSON. */
function arrayText(value, depth, replace) {
  const parts = [];
  for (let at = 0; at < value.length; at++)
    parts.push(within(at, () => textOf(value[at], depth, replace)));
  return `[${parts.join(',')}]`;
}

/* Returns an object as JSON; members that are undefined are left out. */
function objectText(value, depth, replace) {
  const parts = [];
  for (const key of Object.keys(value))
    if (value[key] !== undefined)
      parts.push(within(key, () => `${stringText(key)}:${
        textOf(value[key], depth, replace)}`));
  return `{${parts.join(',')}}`;
}

/* Returns what make() makes; notes where a part is that cannot be. */
function within(key, make) {
  try {
    return make();
  } catch (error) {
    if (error instanceof Unfit)
      error.path.push(key);
    throw error;
  }
}

/* Returns a string as JSON; half of a character cannot be sent. */
function stringText(value) {
  if (!value.isWellFormed())
    throw new Unfit('has a lone surrogate, which is no character');
  return stringify(value);
}

/* Returns a number as JSON. */
function numberText(value) {
  if (!isFinite(value))
    throw new Unfit(`is ${value}, which JSON cannot hold`);
  return stringify(value);
}

/* Returns the text of a value, or throws Unfit. */
function textOf(given, depth, replace) {
  const value = replace(given);
  switch (typeof value) {
  case 'string':
    return stringText(value);
  case 'number':
    return numberText(value);
  case 'bigint':
  case 'boolean':
    return String(value);
  case 'object':
    break;
  default:
    throw new Unfit(`is ${value === undefined ? 'undefined' :
      `a ${typeof value}`}, which JSON cannot hold`);
  }
  if (value === null)
    return 'null';
  if (depth === DEPTH_MAX)
    throw new Unfit(`is nested more than ${DEPTH_MAX} deep`);
  const other = plain(value);
  if (other !== value)
    return textOf(other, depth + 1, replace);
  if (Array.isArray(value))
    return arrayText(value, depth + 1, replace);
  const kind = kindOf(value);
  if (kind !== 'Object')
    throw new Unfit(`is of type ${kind}, which JSON cannot hold${
      Object.hasOwn(INSTEAD, kind) ? `: ${INSTEAD[kind]}` : ''}`);
  return objectText(value, depth + 1, replace);
}

/*
 * Returns a value as JSON on one line. name is what the user calls it, and
 * replace(part) returns what is written for a part. Throws TypeError with a
 * sentence that names the part that cannot be written.
 */
export function write(value, name, replace = (part) => part) {
  try {
    return textOf(value, 0, replace);
  } catch (error) {
    if (!(error instanceof Unfit))
      throw error;
    const place = error.path.reverse().map((key) =>
      `[${stringify(key)}]`).join('');
    throw new TypeError(`${name}${place} ${error.message}`);
  }
}
