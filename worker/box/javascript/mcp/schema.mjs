/*
 * Reads the schema of a tool, as far as it names and types parameters. It comes
 * from a server and may be any JSON; an unknown rule allows everything.
 */
import { shown } from './json.mjs';

const PARTS_MAX = 64; // schemas that are merged into one
const DEPTH_MAX = 2; // of objects in the text of a type
const CHOICES_MAX = 10; // alternatives, or members, in the text of a type
const KINDS = { __proto__: null, integer: 'number', array: 'unknown[]' };

export const isObject = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/* Returns what a reference into the same schema refers to. */
function resolve(root, reference) {
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference))
    return undefined;
  return reference.split('/').slice(1).reduce((found, part) => {
    const key = part.replace(/~1/g, '/').replace(/~0/g, '~');
    return found !== null && typeof found === 'object' &&
      Object.hasOwn(found, key) ? found[key] : undefined;
  }, root);
}

/* Returns a schema with its $ref and allOf merged in. */
export function flat(schema, root) {
  const merged = { properties: {}, required: [] };
  const parts = [schema];
  for (let seen = 0; seen < parts.length && seen < PARTS_MAX; seen++) {
    const part = parts[seen];
    if (!isObject(part) || parts.indexOf(part) < seen)
      continue;
    const { properties, required, allOf, ...rest } = part;
    if (isObject(properties))
      merged.properties = { ...merged.properties, ...properties,
        ...merged.properties };
    if (Array.isArray(required))
      merged.required.push(...required.filter((each) =>
        typeof each === 'string'));
    Object.assign(rest, { ...rest, ...merged });
    Object.assign(merged, rest);
    parts.push(resolve(root, part.$ref),
      ...Array.isArray(allOf) ? allOf : []);
  }
  merged.required = [...new Set(merged.required)];
  return merged;
}

/* Returns { name, schema, required } of each parameter, required first. */
export function parameters({ inputSchema }) {
  const { properties, required } = flat(inputSchema, inputSchema);
  const names = [...new Set([...Object.keys(properties), ...required])];
  const all = names.map((name) => ({ name, required: required.includes(name),
    schema: properties[name] ?? {} }));
  return [...all.filter((each) => each.required),
    ...all.filter((each) => !each.required)];
}

/* Returns whether a parameter takes objects, as far as its type says. */
export function takesObject(schema, root) {
  const whole = flat(schema, root);
  const types = [whole.type ?? 'object'].flat();
  return whole.enum === undefined && whole.const === undefined &&
    types.includes('object');
}

/* Returns the type that a schema allows, as TypeScript writes it. */
export function typeOf(schema, root, depth = 0) {
  const whole = flat(schema, root);
  const some = whole.enum ?? (whole.const === undefined ? null :
    [whole.const]);
  if (Array.isArray(some))
    return some.slice(0, CHOICES_MAX).map((each) => shown(each))
      .join(' | ');
  const choices = whole.anyOf ?? whole.oneOf;
  if (Array.isArray(choices) && depth < DEPTH_MAX)
    return [...new Set(choices.slice(0, CHOICES_MAX).map((each) =>
      typeOf(each, root, depth + 1)))].join(' | ');
  const names = Object.keys(whole.properties);
  const types = [whole.type ?? (names.length > 0 ? 'object' : 'unknown')];
  return types.flat().map((type) => {
    if (type === 'array' && isObject(whole.items) && depth < DEPTH_MAX) {
      const item = typeOf(whole.items, root, depth + 1);
      return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
    }
    if (type === 'object' && names.length > 0 && depth < DEPTH_MAX)
      return `{${names.slice(0, CHOICES_MAX).map((name) =>
        `${name}${whole.required.includes(name) ? '' : '?'}: ${
          typeOf(whole.properties[name], root, depth + 1)}`).join(', ')}}`;
    return typeof type === 'string' ? KINDS[type] ?? type : 'unknown';
  }).join(' | ');
}
