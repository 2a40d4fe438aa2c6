/*
 * The language javascript through run_code, with each engine that 'npm ci' has
 * installed: what a program can expect, how it ends, and what the user is told
 * where there is no engine.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { engines, modules } from './support/engines.mjs';
import {
  contained, file, folder, nativeOnly, once, settings, withoutWaiting,
} from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { hostile, official, withServers } from './support/servers.mjs';

withoutWaiting();
settings.CAISSON_TOOLS = 'run_code,list_runners';
settings.CAISSON_ARGUMENTS = 'all';
settings.CAISSON_MAX_OUTPUT = '4m';

/* Runs code; returns its result. */
const run = async (raw, code, more) => (await raw.result(raw.post('tools/call', {
  name: 'run_code', arguments: { language: 'javascript', code, ...more },
}))).structuredContent;

/*
 * [what, code, lines printed], or with an exit code, and what standard error
 * is, its lines joined by "|"; arguments of the call.
 */
const AT = '/workspace/run_javascript.ts';
const programs = [
  ['types, enums and namespaces',
    'enum A { B = 4, C }\nnamespace N { export const n: number = 1 }\n' +
    'class P { constructor(private x: number) {} get() { return this.x } }\n' +
    'console.log(A.C, N.n, new P(3).get())', ['5 1 3']],
  ['await at top level, and imports with and without node:',
    'import fs from "fs/promises"; import { join } from "node:path";\n' +
    'const got = await Promise.all([fs.readdir("."), import("os")]);\n' +
    'console.log(got[0], join("a", "b"), typeof got[1].cpus)',
    [/^\[ ["']out["'] \] a\/b function$/]],
  ['what CommonJS has', 'const fs = require("fs");\n' +
    'if (require.main === module) console.log(__dirname, typeof exports);\n' +
    'module.exports = { a: fs.existsSync(".") };', ['/workspace object']],
  ['it is what was started', 'console.log(import.meta.main, ' +
    'process.argv[1] === import.meta.filename, process.argv.length)',
  ['true true 2']],
  ['modules and data beside it', 'import { writeFileSync } from "fs";\n' +
    'writeFileSync("a.ts", "export const a: number = 2");\n' +
    'writeFileSync("b.json", "[3]");\n' +
    'const { a } = await import("./a.ts");\n' +
    'console.log(a, require("./b.json")[0])', ['2 3']],
  ['the last expression', 'const a = [1, 2]\n\na.map((x) => x * 2) // twice\n',
    ['[ 2, 4 ]']],
  ['a long one', '"x".repeat(5000)',
    [/^["']x+ \.\.\. \(5002 bytes in all: print what is needed\)$/]],
  ['over lines, of a promise', 'async function main() { return { a: 1 } }\n' +
    'main()\n  .then((r) => r.a)\n', ['1']],
  ['not where something is printed', 'console.log(1); 2', ['1']],
  ['variables of the call leave the library its places',
    'import { saveFile } from "mcp/runtime";\n' +
    'console.log(saveFile(Buffer.from("a"), "b"), process.env.HOME)',
    ['/workspace/out/b /x'], 0, '',
    { environment: { HOME: '/x', TMPDIR: '/x' } }],
  ['nor where the code hears of the end', 'process.on("beforeExit", () => ' +
    'console.log(1)); 2', ['1']],
  ['nor where it is none', 'const a = 1\nfor (const b of [a])\n  b', []],
  ['nor where what begins it goes on with the line before',
    'const a = () => (x) => x\nconst b = a\n(5)', []],
  ['a text in backquotes stays what it is',
    'const a = `x\n${1}\n`;\nconsole.log(a.length)', ['4']],
  ['an exit', 'console.log(1); process.exit(7)', ['1'], 7],
  ['all output before one',
    'process.stdout.write(`${"x".repeat(3e6)}end`); process.exit()',
    [/^x+end$/]],
  ['an exit code', 'process.exitCode = 4', [], 4],
  ['an error, at its place', 'const f = (x: any) => x.a.b;\n' +
    'console.log(1); f({})', ['1'], 1,
  new RegExp(`^${AT}:1:(25|27)\\|const f = .*\\| +\\^\\|\\|TypeError: .*\\|` +
    ` +at f \\(${AT}:1:\\d+\\)\\| +at ${AT}:2:\\d+$`)],
  ['before any event', 'process.nextTick(() => { throw new Error("x") })', [],
    1, /Error: x\|/],
  ['in a transformed line', 'enum A { B }\nthrow new Error("x")', [], 1,
    new RegExp(`Error: x\\| +at ${AT}:2:\\d+$`)],
  ['in the last expression', '[1].map((x: any) => x.a.b)', [], 1,
    /^[^|]*:1:\d+\|[^|]*\| {21,25}\^\|/],
  ['with its cause', 'throw new Error("a", { cause: new TypeError("b") })', [],
    1, /Error: a\|.*\[cause\]: TypeError: b\|/],
  ['anything that is thrown', 'throw { code: 3 }', [], 1,
    /^Uncaught { code: 3 }$/],
  ['a rejection that nothing handles', 'Promise.reject(new Error("no"));\n' +
    'setTimeout(() => console.log("not this"), 1e4)', [], 1, /Error: no\|/],
  ['one that the code handles',
    'process.on("unhandledRejection", (e) => console.log(`got ${e.message}`));' +
    'Promise.reject(new Error("no"))', ['got no']],
  ['an error of the module that the code handles',
    'process.on("uncaughtException", (e) => console.log(`got ${e.message}`));' +
    'setTimeout(() => console.log("later"));\nthrow new Error("no")',
    ['got no', 'later']],
  ['one of that handler', 'process.on("uncaughtException", (e) => { ' +
    'throw new Error(`b${e.message}`) });\nthrow new Error("a")', [], 7,
  /:1:\d+\|.*Error: ba\| +at [^|]*:1:\d+\)?$/],
  ['a name that is declared twice', 'const a: number = 1;\nlet a = 2;', [], 1,
    /^[^|]*:2:5\|let a = 2;\| {4}\^\|\|SyntaxError: [^|]*declared$/],
  ['code that does not parse', 'const a = 1;\nconst b = ;', [], 1,
    new RegExp(`^${AT}:2:11\\|const b = ;\\| {10}\\^\\|\\|SyntaxError: `)],
  ['JSX', 'const a = () => (\n<b c="d">x</b>);', [], 1,
    /SyntaxError: .*\|hint: JSX is not read: call functions/],
  ['what is none', 'const a = new Map<string>("</b>") + ;',
    [], 1, /^(?!.*hint).*SyntaxError/],
  ['a return outside of a function', 'const a = 1;\nreturn a;', [], 1,
    /return.*\|hint: outside of a function, print the value/i],
  ['an address', 'await fetch("https://example.com/")', [], 1,
    /\|hint: there is no network here: only tools/],
  ['a port', 'await fetch("http://localhost:3000/")', [], 1,
    /\|hint: there is no network here/],
  ['a module of an address', 'import a from "https://esm.sh/a";\na()', [], 1,
    /\|hint: no (?:packages are installed|other package can be installed) here/],
  ['a thread of this code', 'import { Worker } from "worker_threads";\n' +
    'new Worker(import.meta.filename).on("error", (e) => { throw e })', [], 1,
  /\|hint: the code is no file/],
  ['a server', 'require("http").createServer().listen(8080)', [], 1,
    /\|hint: nothing can connect to the sandbox: export the app as default/],
  ['a file of the user', 'require("fs").readFileSync("/home/me/a.txt")', [], 1,
    /\|hint: the sandbox has no files of the user: use tools/],
  ['an integer that is too large', 'JSON.stringify({ a: 1n })', [], 1,
    /\|hint: an integer that a number cannot hold is a BigInt: take Number/],
  ['a file that the code lacks', 'require("fs").readFileSync("a.txt")', [], 1,
    /^(?!.*hint:).*ENOENT/],
  ['a module without an import', 'fs.readdirSync(".")', [], 1,
    /\|hint: write: import fs from "node:fs"/],
  ['standard input, variables', 'console.log(process.env.A, ' +
    'require("fs").readFileSync(0, "utf8"));', ['1 in'], 0, '',
  { stdin: 'in', environment: { A: '1' } }],
  ['an input stream', 'for await (const c of process.stdin) ' +
    'console.log(String(c))', ['in'], 0, '', { stdin: 'in' }],
  ['an empty one', 'for await (const c of process.stdin) console.log(1)', []],
  ['programs', 'import { execFileSync } from "child_process";\n' +
    'console.log(String(execFileSync("ls", ["/proc/self/fd"])).split("\\n")' +
    '.slice(0, 4).join())', ['0,1,2,3']],
  ['the holder of its memory as its child, and no variable of that',
    'import fs from "fs";\nconst parents = fs.readdirSync("/proc").filter(Number)' +
    '.map((pid) => fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[3]);\n' +
    'console.log(parents.filter((pid) => pid === String(process.pid)).length,' +
    ' process.env.LD_PRELOAD)', [`${contained ? 0 : 1} undefined`]],
  ['no network', 'try { await fetch("http://127.0.0.1:1") } catch (e) { ' +
    'console.log("refused") }', ['refused']],
  ['nothing of the host', 'console.log(require("fs").existsSync("/etc/shadow"),' +
    ' Object.keys(process.env).some((k) => /KEY|TOKEN|CAISSON/.test(k)))',
  ['false false']],
  ['a prototype that it breaks is its own', 'Array.prototype.map = ' +
    'Array.prototype.slice = String.prototype.split = RegExp.prototype.exec = ' +
    'Promise.prototype.then = JSON.stringify = () => { throw 1 };\n' +
    'console.log("still")', ['still']],
];

for (const [name, engine, there] of engines) {
  const open = (t, more) => Raw.open(t, { ...more,
    env: { ...engine, ...more?.env } });

  test(`${name}: programs run as they are written`, {
    skip: there.skip || once.skip,
  }, async (t) => {
    const raw = await open(t);

    for (const [what, code, out, exit = 0, errors = '', more] of programs) {
      const seen = await run(raw, code, more);
      const told = `${what}: ${JSON.stringify(seen)}`;

      assert.equal(seen.exitCode ?? 0, exit, told);
      assert.equal(seen.stdout?.length ?? 0, out.length, told);
      out.forEach((line, i) => line instanceof RegExp ?
        assert.match(seen.stdout[i], line, told) :
        assert.equal(seen.stdout[i], line, told));
      assert.match((seen.stderr ?? []).join('|'),
        errors instanceof RegExp ? errors : /^$/, told);
    }
    for (const [before, after] of [['', ''], ['Here it is:\n', 'It is one.']]) {
      const fenced = await run(raw,
        `${before}\`\`\`ts\nconsole.log(1)\n\`\`\`\n${after}`);
      assert.deepEqual([fenced.stdout, fenced.notes],
        [['1'], ['the code ran without its Markdown fence']]);
    }
    await raw.finish();
  });

  test(`${name}: it ends at its limits`, there, async (t) => {
    const raw = await open(t, { env: { CAISSON_MEMORY: '256m' } });
    const bombs = ['const a = []; for (;;) a.push(new Array(1e6).fill(1))',
      'const a = []; for (;;) a.push(Buffer.alloc(1 << 24, 1))'];

    /* What an engine only reserves is not counted. */
    assert.deepEqual((await run(raw, 'const m = new WebAssembly.Memory(' +
      '{ initial: 1, maximum: 65536 });\nconsole.log(m.buffer.byteLength)'))
      .stdout, ['65536']);
    for (const bomb of bombs)
      assert.match((await run(raw, bomb)).error,
        /^Sandbox ran out of memory \(limit 256 MiB\)/);
    for (const loop of once.skip ? [] : ['for (;;);', 'const f = () => ' +
      '{ Promise.resolve().then(f); }; f(); await new Promise(() => {})'])
      assert.match((await run(raw, loop, { timeout: 1 })).error,
        /^Execution timed out after 1s/);
    await raw.finish();
  });

  test(`${name}: files and tools`, there, async (t) => {
    const { env } = withServers(t, { odd: hostile() });
    /* By its name, where npm has links to scripts that start it. */
    const raw = await open(t, { env: { ...env, CAISSON_JAVASCRIPT: name,
      PATH: `${path.join(modules, '.bin')}:/usr/bin:/bin` } });
    const kept = await run(raw, 'require("fs").writeFileSync(' +
      '"/workspace/out/a.txt", "x"); require("fs").writeFileSync("/data/b", "y")',
    { conversationId: 'c' });
    const told = (await raw.result(raw.post('tools/call',
      { name: 'list_runners', arguments: {} }))).structuredContent;

    assert.match(kept.files.join(), /\/files\/a\.txt\?.*\/c\/b\?/);
    assert.deepEqual((await run(raw, 'console.log(' +
      'require("fs").readFileSync("/data/b", "utf8"))', { conversationId: 'c' })).stdout, ['y']);
    assert.deepEqual((await run(raw, 'const r = await Promise.all([1, 2].map(' +
      '(n) => mcp_odd.echo({ text: `${n}` })));\n' +
      'console.log(r.map((each) => each.data.text).join())')).stdout, ['1,2']);
    assert.deepEqual((await run(raw, 'try { await mcp_odd.nothing() } ' +
      'catch (e) { console.log(e instanceof MCPError) }')).stdout, ['true']);
    assert.match((await run(raw, 'await mcp_odd.echo({ text: "1" });\n' +
      'const { closeSync, openSync } = require("fs");\n' +
      'try { closeSync(3); openSync("/proc/self/status") } catch {}\n' +
      'await mcp_odd.echo({ text: "2" })'))[name === 'bun' ? 'stderr' : 'stdout']
      .join(), name === 'bun' ? /connection to the servers has ended/ : /2/);
    assert.match(told.languages.find((each) =>
      each.language === 'javascript').version, new RegExp(`^${name} \\d`));
    await raw.finish();
  });

  test(`${name}: two servers at once, and types of their tools`, {
    skip: there.skip || once.skip,
  }, async (t) => {
    const made = folder(t);
    const raw = await open(t, withServers(t, {
      files: official('filesystem', [made]), memory: official('memory', [],
        { env: { MEMORY_FILE_PATH: path.join(made, 'memory.jsonl') } }),
    }));
    assert.deepEqual((await run(raw, summary(made), { language: 'typescript',
      servers: ['files', 'memory'], timeout: 100 })).stdout,
    ['3 words, kept of a,b']);
    assert.deepEqual((await run(raw, declared(made))).stdout,
      ['true true', 'a,b 2']);
    await raw.finish();
  });
}

/* Asks for the types of a tool, imports it, and calls two servers at once. */
const declared = (place) => `
import { listDirectory } from "mcp/files";
const types = await runtime.types("files", "list_directory");
console.log(types.includes("path: string"), types ===
  await runtime.query_tool_docs("files", "listDirectory", "types"));
const [{ text }, { data }] = await Promise.all([
  listDirectory("${place}"), mcp_memory.readGraph()]);
console.log(text.match(/(?<=E\\] )\\w$/gm).sort().join(),
  data.entities.length);`;

/* Calls two servers at once, and sums up what they have. */
const summary = (place) => `
interface Entity { name: string; observations: string[] }
enum Word { a = "alpha beta", b = "gamma" }
const names = Object.keys(Word) as (keyof typeof Word)[];
await Promise.all([...names.map((name) =>
  mcp_files.writeFile({ path: "${place}/" + name, content: Word[name] })),
mcp_memory.create_entities({ entities: names.map((name) =>
  ({ name, entityType: "word", observations: [Word[name]] })) })]);
const [texts, graph] = await Promise.all([
  Promise.all(names.map((name) =>
    mcp_files.read_text_file({ path: "${place}/" + name }))),
  mcp_memory.readGraph()]);
const words = texts.flatMap(({ text }) => text.split(" ")).length;
const kept = (graph.data.entities as Entity[]).map(({ name }) => name).sort();
console.log(\`\${words} words, kept of \${kept}\`);`;

test('it is the first of bun, deno and node that is on the PATH', {
  skip: engines.find(([, , { skip }]) => skip)?.[2].skip || once.skip ||
    nativeOnly('engines of the host').skip,
}, async (t) => {
  const PATH = folder(t);

  for (const [name, { CAISSON_JAVASCRIPT: place }] of [...engines].reverse()) {
    fs.symlinkSync(place, path.join(PATH, name));
    const raw = await Raw.open(t, { env: { PATH } });
    assert.deepEqual((await run(raw, 'const { bun, deno } = process.versions;' +
      'console.log(bun ? "bun" : deno ? "deno" : "node")')).stdout, [name]);
    await raw.finish();
  }
});

test('without an engine it is said which there are',
  nativeOnly('engines of the host'), async (t) => {
    const script = file(t, 'bun', '#!/bin/sh\n');
    fs.chmodSync(script, 0o755);
    for (const [setting, said] of [
      ['deno', /there is no deno on the PATH\); install bun/],
      [script, /is a script, and the program bun that it starts is unknown/],
      [file(t, 'node', '\x7fELF'), /\/node is not a program/],
      ['/bin/sh', /does not begin with bun, deno or node/],
      ['/no/bun', /\/no\/bun: No such file/]]) {
      const raw = await Raw.open(t, { env: { CAISSON_JAVASCRIPT: setting } });
      const seen = await run(raw, '1');

      assert.match(seen.error, said);
      assert.match(seen.error, /could not start a JavaScript engine/);
      await raw.finish();
    }
    const none = await Raw.open(t,
      { env: { CAISSON_JAVASCRIPT_PACKAGES: '/nowhere' } });
    assert.match((await run(none, '1')).error, new RegExp('could not show the ' +
      'packages .*No such file.*; install them there with npm, or correct'));
    assert.equal((await run(none, '1', { language: 'wasm' })).exitCode, 126);
    await none.finish();
  });

test('an image without an engine says what to do',
  { skip: contained ? false : 'only of containers' }, async (t) => {
    const raw = await Raw.open(t);
    const { missing } = (await raw.result(raw.post('tools/call',
      { name: 'list_runners', arguments: {} }))).structuredContent;

    assert.deepEqual(missing.map(({ language }) => language),
      ['javascript', 'wasm']);
    for (const { error } of [...missing, await run(raw, '1')])
      assert.match(error, /the image has no bun, deno or node: .*CAISSON_IMAGE/);
    await raw.finish();
  });
