/*
 * What the host keeps: memories, which are values that later calls can load,
 * and outputs that were cut in their answers.
 */
import { write } from './json.mjs';
import { dataOf, MCPError } from './result.mjs';
import { isObject } from './schema.mjs';
import { ask, box } from './servers.mjs';

const VALUE_MAX = 4 << 20; // bytes, as JSON; the relay refuses more
const TRIES = 200; // of an update, where others update the same memory
const PAUSE = 20; // ms between two tries, at most
/* The last line of what is kept of a stream that has more. */
const MORE = /\[\.\.\. (\d+ further bytes were not kept).* \.\.\.\]\n$/;

/* Asks the store; fields are written as JSON. */
const store = (type, fields = {}) =>
  ask(write({ type, ...fields }, 'request', dataOf));

/* Returns a key, or raises what it cannot be. */
function checked(key) {
  if (typeof key !== 'string' || key === '')
    throw new TypeError('key must be a string that is not empty, not ' +
      (key === '' ? 'an empty one' : `a value of type ${typeof key}`));
  return key;
}

/* Saves a value, if it is small enough. */
async function save(key, value, fields) {
  const text = write(value, 'value', dataOf);
  const size = Buffer.byteLength(text);
  if (size > VALUE_MAX)
    throw new MCPError(`the value has ${size} bytes as JSON; ${VALUE_MAX} ` +
      'are allowed: keep less, or in parts');
  const head = write({ type: 'save_memory', key: checked(key), ...fields },
    'request', dataOf);
  return ask(`${head.slice(0, -1)},"value":${text}}`);
}

/* Keeps a value by a key, and returns what is known of it then. */
export async function saveMemory(key, value, metadata = {}) {
  if (!isObject(metadata))
    throw new TypeError('metadata must be an object');
  return save(key, value, { metadata });
}

/* Returns the value that is kept by a key, or the default. */
export async function loadMemory(key, missing = null) {
  const found = await store('load_memory', { whole: true, key: checked(key) });
  return found === null ? missing : found.value;
}

/*
 * Replaces a value by updater(value), and returns the new one. updater is
 * called again if another call has changed the memory meanwhile.
 */
export async function updateMemory(key, updater) {
  if (typeof updater !== 'function')
    throw new TypeError('updater must be a function of the old value, not a ' +
      `value of type ${typeof updater}`);
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await store('load_memory',
      { whole: true, key: checked(key) });
    const value = dataOf(await updater(found?.value ?? null));
    if (value === undefined || value === null)
      throw new TypeError(`updater returned ${value}: it must return the new ` +
        'value; to remove the memory: deleteMemory()');
    if (await save(key, value,
      { compared: true, version: found?.version ?? 0 }))
      return value;
    await new Promise((resolve) => {
      setTimeout(resolve, PAUSE * Math.random());
    });
  }
  throw new MCPError(`the memory was not updated: each of ${TRIES} times ` +
    'another call had changed it first');
}

/* Forgets a memory, and returns whether it was there. */
export const deleteMemory = async (key) =>
  store('delete_memory', { key: checked(key) });

/* Returns what is known of all memories, in the order of their keys. */
export async function listMemories() {
  const found = [];
  for (let page = { more: true }; page.more;) {
    page = await store('list_memories', found.length > 0 ?
      { after: found.at(-1).key } : {});
    found.push(...page.entries);
  }
  return found;
}

/* Returns what is known of a memory, or null. */
export const getMemoryInfo = async (key) =>
  store('load_memory', { key: checked(key) });

/* Returns whether there is a memory of this key. */
export const memoryExists = async (key) => await getMemoryInfo(key) !== null;

/* Returns the whole text of an output that was cut in its answer. */
export async function output(execution, stream = 'stdout') {
  if (typeof execution !== 'string' || !['stdout', 'stderr'].includes(stream))
    throw new TypeError('output(id, stream): the id is that of an execution, ' +
      'as its answer has it, and the stream "stdout" or "stderr"');
  let text = '';
  for (let start = 0; start !== null;) {
    const part = await store('load_output', { from: start, execution,
      ...stream === 'stderr' ? { errors: true } : {} });
    text += part.text;
    start = part.next;
  }
  const more = MORE.exec(text.slice(text.lastIndexOf('\n', text.length - 2)));
  if (more)
    box.wire.send({ type: 'note', text: `the output of ${execution} is only ` +
      `a start: ${more[1]}, as its last line says` });
  return text;
}
