/*
 * Calls of tools, and what servers have besides them. The broker compares the
 * arguments of a call with the schema of its tool.
 */
import { read, write } from './json.mjs';
import { isMade } from './misread.mjs';
import { apart, called, camel, listed } from './names.mjs';
import {
  ArgumentError, Call, dataOf, faultOf, MCPError, parsed, Result, textOf,
} from './result.mjs';
import { parameters, flat, isObject, takesObject } from './schema.mjs';
import { ask, box, serverOf } from './servers.mjs';
import { seen } from './seen.mjs';

const ARGUMENTS_MAX = 16 << 20; // bytes, as JSON

/* Whether a value is an object that names its members, such as arguments. */
const isPlain = (value) => isObject(value) && !(value instanceof Result) &&
  isMade(value);

/*
 * Returns what a call was given, as JSON, since the code may change its
 * objects: the object of arguments, and the list of those without names.
 */
function given(args) {
  const last = args.findLastIndex((each) => each !== undefined);
  const used = args.slice(0, last + 1);
  if (used.length === 0 || used.length === 1 && isPlain(used[0]))
    return { named: write(used[0] ?? {}, 'arguments', dataOf), placed: [] };
  return { named: '{}', placed: used.map((each, at) => ({
    isPlain: isPlain(each),
    text: each === undefined ? undefined :
      write(each, `arguments[${at}]`, dataOf) })) };
}

/*
 * Returns the names that so many arguments may be for, in order. Parameters
 * have the order of the schema where the required ones come first in it; else
 * it is used only for exactly the required ones. If none is required, only the
 * first may be without a name.
 */
function order({ inputSchema }, count) {
  const { properties, required } = flat(inputSchema, inputSchema);
  const names = Object.keys(properties);
  const needed = names.filter((name) => required.includes(name));
  if (required.every((name, at) => names[at] === name))
    return required.length > 0 ? names : names.slice(0, 1);
  return count === needed.length && needed.join() === required.join() ?
    needed : [];
}

/* Returns the arguments of a call, as JSON, or throws ArgumentError. */
function fill(entry, { named, placed }) {
  if (placed.length === 0)
    return named;
  const refuse = (reason) => {
    throw new ArgumentError(`${reason}; it takes ${listed(parameters(entry)
      .map(({ name, required }) => name + (required ? ' (required)' : '')))}`,
    entry);
  };
  const { properties } = flat(entry.inputSchema, entry.inputSchema);
  const options = placed.at(-1).isPlain ? read(placed.at(-1).text) : null;
  const keys = Object.keys(options ?? {});
  const isKnown = keys.length > 0 &&
    keys.every((key) => Object.hasOwn(properties, key));
  const names = order(entry, placed.length);
  const mayBe = placed.length <= names.length && takesObject(
    properties[names[placed.length - 1]], entry.inputSchema);
  if (isKnown && mayBe)
    refuse('the last argument may be a value or the named arguments: write ' +
      `all by name, as ${called(entry.tool)}({${names[0]}: ...})`);
  const values = isKnown ? placed.slice(0, -1) : placed;
  const places = order(entry, values.length);
  if (values.length > places.length)
    refuse(`${values.length === 1 ? 'an argument has no name' :
      `${values.length} arguments have no names`}: write ${
      called(entry.tool)}({name: value})`);
  const found = new Map(values.map(({ text }, at) => [places[at], text]));
  for (const key of isKnown ? keys : []) {
    if (found.get(key) !== undefined)
      refuse(`argument "${key}" is given twice: in its place, and by name`);
    found.set(key, write(options[key], key));
  }
  return `{${[...found].filter(([, text]) => text !== undefined).map(
    ([key, text]) => `${write(key, 'name')}:${text}`).join(',')}}`;
}

/* Calls a tool that is known to exist. */
async function callEntry(server, entry, args) {
  const about = { server: server.name, tool: entry.tool };
  const text = fill(entry, args);
  if (text.length > ARGUMENTS_MAX)
    throw new MCPError(`the arguments have ${text.length} characters as ` +
      `JSON; ${ARGUMENTS_MAX} bytes are allowed`, about);
  const answer = await ask(`{"type":"call_tool","server":${
    write(server.name, 'server')},"tool":${write(entry.tool, 'tool')},` +
    `"arguments":${text}}`, about);
  const fault = faultOf(answer);
  if (fault)
    throw new MCPError(fault, { ...about, result: answer });
  linked(answer.content, server.name, 'resource_link');
  const result = new Result(answer, entry.outputSchema);
  if (result.isError && box.raiseOnError)
    throw new MCPError(result.text.trim() || (result.structuredContent ?
      write(result.structuredContent, 'data') :
      'the tool failed and did not say why'), { ...about, result });
  seen(`${server.alias}.${entry.tool}`, result, text);
  return result;
}

/* What a server has besides tools, where no tool is called so. */
const BESIDES = { __proto__: null };

/* Returns the call of a tool of a server by its name. */
export const callTool = (server, name, args) =>
  Call.of(`${server.alias}.${name}`, async () => {
    const values = given(args);
    if (!server.loaded)
      await server.load();
    const other = server.find(name) ? undefined : BESIDES[camel(name)];
    if (other)
      await server.list();
    const entry = server.find(name);
    return other && !entry ? other(server.name, ...args) :
      callEntry(server, entry ?? await server.tool(name), values);
  });

/*
 * Calls a tool by the names of its server and itself: callTool("fs",
 * "read_file", {...}), callTool("fs.read_file", {...}), or one object with
 * server, tool and arguments.
 */
export async function callByName(server, tool, ...args) {
  if (isPlain(server))
    return callByName(server.server ?? server.serverName,
      server.tool ?? server.toolName ?? server.name, server.arguments);
  if (typeof server === 'string' && typeof tool !== 'string') {
    const [first, second] = apart(server);
    return callByName(first, second ?? '', tool, ...args);
  }
  if (typeof tool !== 'string' || tool === '')
    throw new TypeError('a tool is given by its name: callTool("server", ' +
      '"tool", {...})');
  return callTool(await serverOf(server), tool, args);
}

/* Makes what can be read of the links among the parts of an answer. */
function linked(parts, server, kind) {
  for (const part of Array.isArray(parts) ? parts : [])
    if (typeof part?.uri === 'string' && (!kind || part.type === kind))
      Object.defineProperty(part, 'read', { value: () =>
        BESIDES.readResource(server, part.uri) });
  return parts;
}

/* Returns a resource or a prompt, with its text and its data. */
function withText(answer) {
  const blocks = [...(answer.contents ?? []).map((resource) =>
    ({ type: 'resource', resource })),
  ...(answer.messages ?? []).map((message) => message?.content)];
  return Object.defineProperties(answer, {
    blocks: { value: blocks },
    text: { get: () => textOf(blocks) },
    data: { get: () => parsed(textOf(blocks)) },
  });
}

/* Asks a server for something besides its tools. */
async function asked(name, what, about, given_ = {}) {
  const server = await serverOf(name);
  await server.load();
  const fields = { type: 'ask_server', server: server.name, what };
  if (about !== undefined && typeof about !== 'string')
    throw new TypeError(`${what} needs a name, not a value of type ${
      typeof about}`);
  if (about !== undefined)
    fields.name = about;
  const text = write(fields, 'payload');
  return ask(`${text.slice(0, -1)},"arguments":${
    write(given_, 'arguments', dataOf)}}`, { server: server.name });
}

/* Returns what lists something of a server, whose answer has it as key. */
const listing = (what, key) => async (server) => {
  const answer = await asked(server, what);
  if (answer.cut)
    box.wire.send({ type: 'note', text: `only the first ${
      answer[key].length} ${what.replace('_', ' ')} of the server ${
      server} came: ${answer.cut}` });
  return linked(answer[key], server);
};

export const resources = listing('resources', 'resources');
export const resourceTemplates = listing('resource_templates',
  'resourceTemplates');
export const prompts = listing('prompts', 'prompts');

/* Reads a resource: the answer of the server, also with text and data. */
export async function readResource(server, uri) {
  return withText(await asked(server, 'read_resource', uri?.uri ?? uri ?? ''));
}

/* Fills in a prompt: the answer of the server, also with text. */
export async function getPrompt(server, name, values) {
  const [prompt, filled] = isPlain(name) ? [name.name, name.arguments] :
    [name, values];
  const answer = await asked(server, 'get_prompt', prompt ?? '', filled);
  for (const message of answer.messages ?? [])
    linked([message?.content], server, 'resource_link');
  return withText(answer);
}

/*
 * Returns how the value of an argument may go on: of a prompt, given by its
 * name, or of the template of URIs. values: those that are known already.
 */
export async function complete(server, argument, value,
  { prompt, template, arguments: values } = {}) {
  if ((prompt === undefined) === (template === undefined))
    throw new TypeError('complete() needs either prompt or template: ' +
      'complete(server, argument, value, {prompt: name})');
  const what = prompt === undefined ? 'complete_resource' : 'complete_prompt';
  const answer = await asked(server, what, prompt ?? template, {
    argument: { name: argument, value: value ?? '' },
    ...values ? { context: { arguments: values } } : {} });
  if (!Array.isArray(answer?.completion?.values))
    throw new MCPError('its answer has no list of values', { server });
  return answer.completion.values;
}

/* Returns the entries of the tools of a server. */
export async function listTools(name) {
  const server = await serverOf(name);
  await server.list(!server.loaded);
  return server.tools();
}

Object.assign(BESIDES, { resources, listResources: resources, prompts,
  listPrompts: prompts, resourceTemplates,
  listResourceTemplates: resourceTemplates, readResource, getPrompt, complete,
  listTools, invoke: callByName,
  callTool: (server, tool, ...args) => isPlain(tool) ?
    callByName(server, tool.name, tool.arguments) :
    callByName(server, tool, ...args) });
