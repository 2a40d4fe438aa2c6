/*
 * The documentation of tools: of one server, of a search, and the manual.
 */
import * as fs from 'node:fs';

import { shown } from './json.mjs';
import { called, listed } from './names.mjs';
import { parameters, typeOf } from './schema.mjs';
import { ask, box, knownServers, listServers, serverOf } from './servers.mjs';

const PATIENCE = 12000; // ms for lists; the broker waits 10 s for a start
const SEARCH_PATIENCE = 2000; // for those that a search wants
const IMPATIENCE = 1000; // for those that a search went on without before
const SUMMARY_MAX = 300; // characters of a description, or of a reason
const LINE_MAX = 120; // characters about a tool
const FAILED_MAX = 5; // servers that a note names
const LATE = 'it has not answered yet';
const SHOWN = Symbol.for('nodejs.util.inspect.custom');
/* How descriptions say so; other tools may be about deprecated things. */
const DEPRECATED = [/^\W*deprecated\b/i, /\bDEPRECATED\b/, /[([]deprecated\b/i,
  /(?:^|[.!?]\s+)\W*\w+\W*(?: \w+)? is (?:now )?deprecated\b/i,
  /\bdeprecated (?:in favou?r|since|and will)\b/i];

/* Returns a text on one line, cut. */
function onOneLine(text, most) {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most)}...`;
}

/* Returns the first paragraph of a description. */
const summary = (text) => onOneLine(text.trim().replace(/\r/g, '')
  .split('\n\n')[0], SUMMARY_MAX);

/* Returns whether a tool is said to be on its way out. */
const isDeprecated = ({ inputSchema, description }) =>
  inputSchema?.deprecated === true || typeof description === 'string' &&
    DEPRECATED.some((each) => each.test(description.slice(0, 500)));

/* Returns a tool as it is called, with types, and what it does. */
function line(entry) {
  const given = parameters(entry).map(({ name, required, schema }) =>
    `${name}${required ? '' : '?'}: ${typeOf(schema, entry.inputSchema)}`);
  const call = `mcp_${entry.serverAlias}.${called(entry.tool)}(${
    given.length > 0 ? `{${given.join(', ')}}` : ''})`;
  const about = typeof entry.description === 'string' ?
    summary(entry.description).split('. ')[0] : '';
  const told = (isDeprecated(entry) ? '(deprecated) ' : '') +
    (entry.seen ? `seen ${entry.seen}; ` : '') + about;
  return onOneLine(told === '' ? call : `${call}: ${told}`,
    Math.max(LINE_MAX, call.length));
}

/* Returns a list of descriptions, which is printed as this text. */
const printed = (docs, text) =>
  Object.defineProperty(docs, SHOWN, { value: text });

/* Returns a line for each tool. */
const lines = (entries) => entries.map(line).join('\n') || '[]';

/* Raises where there is no such detail. */
export function checkDetail(detail) {
  if (!['summary', 'full', 'types'].includes(detail))
    throw new TypeError('detail is "summary", "full" or "types", not ' +
      `${JSON.stringify(detail)}`);
}

/* Returns what is told of a tool. */
function docOf(entry, detail, score) {
  const { title, inputSchema, outputSchema, description, ...told } = entry;
  if (detail === 'full')
    Object.assign(told, Object.fromEntries(Object.entries({ description,
      inputSchema, outputSchema }).filter(([, value]) => value !== undefined)));
  else if (typeof description === 'string' && description.trim())
    told.description = summary(description);
  return { ...told, ...score === undefined ? {} : { score },
    ...isDeprecated(entry) ? { deprecated: true } : {} };
}

/* Returns descriptions of tools, printed as lines, or with all of it. */
const docsOf = (entries, detail, scores = []) => {
  const docs = entries.map((entry, at) => docOf(entry, detail, scores[at]));
  return printed(docs, () => detail === 'full' ?
    shown(docs, 1) : lines(entries));
};

/* Returns the whole entries, which are printed as lines. */
export const toolsOf = (entries) => printed(entries.map((entry) =>
  ({ ...entry })), () => lines(entries));

/* Returns what is told of the tools of a server, or of one of them. */
export async function query(name, tool, detail) {
  const server = await serverOf(name);
  await server.list(!server.loaded);
  return docsOf(tool === undefined ? server.tools() :
    [await server.tool(tool)], detail);
}

/* Fetches the lists that are missing; returns [server, why] of each failure. */
async function listAll(servers, patience) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, patience, LATE);
  });
  const failures = await Promise.all(servers.filter((server) =>
    server.entries === null).map(async (server) => {
    const why = await Promise.race([late, server.list(true).then(() => null,
      (error) => error.message.replace(`${server.name}: `, ''))]);
    if (why === LATE)
      server.giveUp(); // or the program would wait for it at its end
    return [server, why];
  }));
  clearTimeout(timer);
  return failures.filter(([, why]) => why !== null);
}

/* Notes which servers could not be searched, and why. */
function tellSkipped(failures) {
  const fresh = failures.filter(([server]) => !server.failed);
  const late = fresh.filter(([, why]) => why === LATE);
  const failed = fresh.filter(([, why]) => why !== LATE);
  for (const [server] of failures)
    server.failed = true;
  const parts = [failed.slice(0, FAILED_MAX).map(([server, why]) =>
    `${server.name} (${onOneLine(why, SUMMARY_MAX / 2)})`).join(', '),
  late.length > 0 ? `not yet started: ${listed(late.map(([server]) =>
    server.name))}; search again for them` : ''].filter(Boolean);
  const once = failed.map(([server]) => server.name).join(', ');
  if (parts.length > 0)
    box.wire.send({ type: 'note', text: `the search has left out: ${
      parts.join('; ')}`, ...late.length > 0 || once.length > 100 ? {} :
      { once } });
}

/* Returns what is told of the tools that fit a text best. */
export async function search(text, limit, detail) {
  const servers = await listServers();
  const missing = servers.filter((server) => server.entries === null);
  const isKnown = missing.length > 0 && missing.every(({ failed }) => failed);
  tellSkipped(await listAll(servers, isKnown ? IMPATIENCE : SEARCH_PATIENCE));
  const entries = servers.flatMap((server) => server.tools());
  if (text.trim() === '')
    return docsOf(entries.slice(0, limit), detail);
  const { rank } = await import('./search.mjs');
  const found = rank(text, entries, isDeprecated).slice(0, limit);
  return docsOf(found.map(([entry]) => entry), detail,
    found.map(([, score]) => score));
}

/* Returns what describes a server: its instructions, its tools if loaded. */
export async function describe(name) {
  const server = await serverOf(name);
  const [failure] = server.loaded ? [await server.list()] :
    await listAll([server], SEARCH_PATIENCE);
  const { instructions, capabilities } = server;
  return { ...server.told(), ...instructions ? { instructions } : {},
    ...capabilities ? { capabilities } : {},
    ...Array.isArray(failure) ? { error: failure[1] } : {},
    ...server.loaded ? { tools: toolsOf(server.tools()) } : {} };
}

/* Returns the line of the manual about a loaded server. */
function serverLine(server, failures) {
  const failure = failures.find(([failed]) => failed === server);
  const entry = server.tools()[0];
  return `${server.name}: mcp_${server.alias}, ${failure ?
    `cannot be used: ${onOneLine(failure[1], SUMMARY_MAX)}` :
    `${server.tools().length} tools${entry ? `, such as ${
      line({ ...entry, description: '' })}` : ''}`}${
    server.description ? `. ${summary(server.description)}` : ''}`;
}

/*
 * Returns the function that returns the manual, and what there is in this
 * execution; the lists of the loaded servers are asked for before.
 */
export async function manualMaker() {
  const loaded = knownServers().filter((server) => server.loaded);
  const failures = await listAll(loaded, PATIENCE);
  const others = knownServers().filter((server) => !server.loaded);
  return (detail) => {
    checkDetail(detail);
    const names = ['manual', ...box.memory ? ['manual_memory'] : [],
      ...detail === 'full' ? ['manual_more'] : []];
    return `${names.map((name) => fs.readFileSync(new URL(`${name}.md`,
      import.meta.url), 'utf8')).join('')}
**In this call**
- loaded: ${loaded.map((server) => serverLine(server, failures))
    .join('\n  ') || 'none; each loads when it is first used'}
- load when they are first used: ${listed(others.map(({ name }) => name))}
`;
  };
}

/* Returns the tools of a server, or one, as TypeScript declares them. */
export async function types(name, tool) {
  const server = await serverOf(name);
  const only = tool === undefined ? {} :
    { tool: (await server.tool(tool)).tool };
  return ask({ type: 'list_tools', server: server.name,
    remembered: !server.loaded, types: true, ...only },
  { server: server.name });
}
