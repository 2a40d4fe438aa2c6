/*
 * The tools of servers as TypeScript: the compiler accepts what is made of any
 * schemas, and finds the mistakes of a program by it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { file, folder, settings } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { official, withServers } from './support/servers.mjs';
import { until } from './support/wait.mjs';

settings.CAISSON_TOOLS = 'run_python,run_code';

const modules = path.join(path.dirname(fileURLToPath(import.meta.url)),
  'node_modules');
const compiler = path.join(modules, 'typescript/bin/tsc');
const engine = path.join(modules, `node-linux-${process.arch}/bin/node`);
const there = [compiler, engine].every((each) => fs.existsSync(each)) ? {} :
  { skip: "typescript or node is not installed: run 'npm ci' in tests/e2e" };

/* What the compiler says of these files, of which all but one are types. */
function compile(t, files) {
  const place = folder(t);

  for (const [name, text] of Object.entries(files))
    fs.writeFileSync(path.join(place, name), text);
  return spawnSync(process.execPath, [compiler, '--noEmit', '--strict',
    '--target', 'es2022', '--module', 'es2022', ...Object.keys(files)],
  { cwd: place, encoding: 'utf8' }).stdout;
}

const object = (properties, more = {}) =>
  ({ type: 'object', properties, ...more });
const ref = (name) => ({ $ref: `#/$defs/${name}` });
const evil = '*/ } /* \u0000\u202e\u2028\r\n " \' ` ${x} \\';

/* Names and schemas that would end a comment, a string, or the compiler. */
const hostile = [
  ...['delete', 'await', 'eval', 'undefined', 'require', 'Promise', 'Result',
    'any', 'constructor', '__proto__', 'odd.name', 'odd-name', 'readFile',
    'read_file', '1st', '日本', evil].map((name) => ({ name,
    description: evil, inputSchema: object({}) })),
  { name: 'names', inputSchema: object(Object.fromEntries([evil, '', '1',
    '[key: string]', '日本', 'a b', 'constructor'].map((name) =>
    [name, { type: 'string', description: evil, default: evil }]))) },
  { name: 'values', inputSchema: object({ a: { enum: [evil, 1e300, -0.5, true,
    null, {}, [1]] }, b: { const: evil }, c: { enum: [...Array(300).keys()] },
  d: { type: 'string', enum: [], nullable: true } }) },
  { name: 'loops', inputSchema: object({ self: { $ref: '#' }, a: ref('A'),
    u: ref('U'), j: ref('J'), no: ref('no') }, { required: ['a'], $defs: {
    A: ref('B'), B: ref('A'), U: { anyOf: [ref('U'), { type: 'null' }] },
    J: { anyOf: [{ type: 'string' }, { type: 'array', items: ref('J') },
      { type: 'object', additionalProperties: ref('J') }] } } }),
  outputSchema: object({ a: ref('A') }, { $defs: { A: object({ a:
    { type: 'array', items: ref('A') } }) } }) },
  { name: 'rules', inputSchema: object({ a: { allOf: [{ oneOf: [object({ x: {}
  }), { type: ['string', 'null'] }] }, object({ y: {} })] }, b: { prefixItems:
    [{ type: 'number' }], items: false }, c: { type: 'array', items:
    { anyOf: [{ type: 'boolean' }, object({ z: {} }, { required: ['z', 'w'],
      additionalProperties: { type: 'number' } })] } } }) },
  { name: 'wide', inputSchema: object(Object.fromEntries([...Array(300).keys()]
    .map((n) => [`p${n}`, object({ [`q${n}`]: {} })]))) },
  { name: 'deep', inputSchema: JSON.parse(
    `${'{"items":{"properties":{"a":'.repeat(60)}{}${'}}}'.repeat(60)}`) },
];

/* A server that has these tools and nothing else. */
const lister = (t, tools) => ({ command: process.execPath, args: ['-e', `
require('readline').createInterface({ input: process.stdin }).on('line', (l) => {
  const { id, method } = JSON.parse(l);
  if (id !== undefined)
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result: method ===
      'initialize' ? { protocolVersion: '2025-06-18', capabilities:
      { tools: {} }, serverInfo: { name: 'x', version: '1' } } :
      { tools: require(process.argv[1]) } }));
})`, file(t, 'tools.json', JSON.stringify(tools))] });

test('the compiler accepts the types of servers', there, async (t) => {
  const raw = await Raw.open(t, withServers(t, {
    every: official('everything'), files: official('filesystem', ['/tmp']),
    hostile: lister(t, hostile) }, { env: { CAISSON_JAVASCRIPT: engine } }));
  /* On a slow machine a server that is asked for its tools is still starting. */
  let result;
  await until(async () => {
    result = await raw.run(`
import json
print(json.dumps({n: runtime.types(n) for n in ("every", "files", "hostile")}))`,
    { timeout: 100 });
    return !result.isError;
  }, () => `the types of all servers: ${result.content[0].text}`);
  const types = JSON.parse(result.structuredContent.stdout[0]);
  const files = Object.fromEntries(Object.entries(types)
    .map(([name, text]) => [`${name}.d.ts`, text]));
  const program = (call) => ({ ...files, 'main.ts': `
import { readTextFile } from "mcp/files";
import * as files from "mcp/files";
const one: string = (await readTextFile({ path: "a", head: 1 })).data.content;
await files.edit_file({ path: one, edits: [{ oldText: "", newText: "" }] });
${call}` });

  assert.equal(compile(t, program('')), '');
  assert.match(compile(t, program('await files.read_file({ path: 1 });')),
    /^main\.ts\(6,25\): error TS2322: Type 'number'.*'string'/);
  assert.match(compile(t, program('await files.read_file({ pth: "" });')),
    /^main\.ts\(6,25\): error TS2561: .*'path'\?/);
  for (const { name } of hostile.slice(0, -2))
    assert.ok(name === evil || types.hostile.includes(`${name.replace(
      /\W+/g, '_').replace(/^(\d)/, '_$1')}(args`), name);

  /* The same by other ways, and of one tool. */
  const [python, one, none] = (await raw.printed(`
print(await runtime.query_tool_docs("files", detail="types") ==
      runtime.types("files"))
print(runtime.types("files", "read-file").count("export function"))
try:
    runtime.types("files", "none")
except runtime.MCPError as error:
    print(error)
`, { timeout: 100 }));
  const run = (language, code) => raw.result(raw.post('tools/call',
    { name: 'run_code', arguments: { language, code, timeout: 100 } }));
  const shell = await run('shell', 'mcp types files; mcp types nothing');
  const script = await run('javascript', `
console.log(await runtime.types('files') === ${JSON.stringify(types.files)},
  (await runtime.types('files', 'readFile')).length);
await mcp_files.readFile({ pth: '' });`);

  assert.deepEqual([python, one], ['True', '1']);
  assert.match(none, /^files\.none: there is no such tool/);
  assert.equal(shell.structuredContent.stdout.join('\n'),
    types.files.trimEnd());
  assert.match(shell.structuredContent.stderr[0], /there is no server nothing/);

  assert.match(script.structuredContent.stdout[0], /^true \d{3}$/);

  /* An error of arguments shows all of them. */
  assert.match(script.structuredContent.stderr.join(' '),
    /did you mean "path"\?; .*; the tool takes path: string, tail\?: number/);
  assert.match((await raw.run(
    'await mcp_files.edit_file(path=1)', { timeout: 100 }))
    .structuredContent.stderr.at(-1), /missing argument "edits"; argument "path" is 1, and must be a string; the tool takes path: string, edits: \{ oldText: string; newText: string \}\[\], dryRun\?: boolean/);
  await raw.finish();
});
