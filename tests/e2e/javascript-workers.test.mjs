/*
 * Workers in JavaScript, with each engine that 'npm ci' has installed: what
 * answers the request of a call, what the answer is, and the packages that
 * code can import.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { engines, modules } from './support/engines.mjs';
import {
  folder, nativeOnly, ran, settings, withoutWaiting,
} from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { until } from './support/wait.mjs';

withoutWaiting();
settings.CAISSON_TOOLS = 'run_code,run_python';
settings.CAISSON_ARGUMENTS = 'all';
settings.CAISSON_JAVASCRIPT_PACKAGES = modules;

const HONO = `import { Hono } from "hono";
type Env = { Bindings: { NAME: string } };
const app = new Hono<Env>();
app.get("/", (c) => c.text(\`hello \${c.env.NAME}\`));
app.post("/items", async (c) => {
  const item = await c.req.json();
  console.log("got", item.name);
  c.header("set-cookie", "a=1");
  c.header("set-cookie", "b=2", { append: true });
  return c.json({ id: 1, ...item }, 201);
});
export default app;
`;
const answering = (body) => `export default { async fetch(req: Request, ` +
  `env, ctx) { ${body} } }`;
const POST = { method: 'POST', url: '/' };
const PNG = [0x89, 0x50, 0x4e, 0x47, 0xff];

/* [what, code, request, response, other fields of the call or the answer] */
const workers = [
  ['an app of Hono', HONO, {}, { status: 200, body: 'hello box' },
    { call: { environment: { NAME: 'box' } } }],
  ['its other method', HONO, { method: 'POST', url: 'https://x.example/items',
    headers: { 'content-type': 'application/json' }, body: '{"name":"é"}' },
  { status: 201, body: '{"id":1,"name":"é"}', headers: {
    'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] } },
  { stdout: ['got é'] }],
  ['a path that it lacks', HONO, { url: '/no' }, { status: 404 }],
  ['an object', answering('return new Response(`${req.method} ${req.url} ` + ' +
    'req.headers.get("x-a") + (await req.text()))'),
  { ...POST, headers: { 'X-A': '1' }, body: 'b' },
  { status: 200, body: 'POST http://localhost/ 1b' }],
  ['a function', 'export default (req) => new Response(null, {status: 204})',
    {}, { status: 204, headers: {}, body: '' }],
  ['bytes', answering('return new Response(await req.arrayBuffer())'),
    { ...POST, body: { base64: Buffer.from(PNG).toString('base64') } },
    { status: 200, body: { base64: Buffer.from(PNG).toString('base64') } }],
  ['many bytes', answering('return new Response(new Uint8Array(9999)' +
    '.fill(255), { headers: { "content-type": "image/png" } })'), {},
  { status: 200, body: { file: 'response.png' } },
  { files: /\/files\/response\.png\?/ }],
  ['a long text beside a file of its name', 'import fs from "fs";' +
    answering('fs.writeFileSync("out/response.txt", "x"); return ' +
    'new Response("y".repeat(70000))'), {},
  { status: 200, body: { file: 'response-2.txt' } },
  { files: /response-2\.txt/ }],
  ['what it waits for', answering('ctx.waitUntil((async () => { await ' +
    'new Promise((done) => setTimeout(done, 20)); console.log("later"); ' +
    'ctx.waitUntil(Promise.reject(new Error("late"))) })()); ' +
    'setInterval(() => {}, 1000); return new Response("a")'), {},
  { status: 200, body: 'a' }, { stdout: ['later'], stderr: /Error: late/ }],
];

/* [what, code, what standard error says, request] */
const wrong = [
  ['no export', 'const a = 1', /there is no default export to answer the request: it must/],
  ['a class', 'export default class { fetch() {} }', /answers no request/],
  ['a number', 'export default 1', /answers no request: it must be an object/],
  ['an error', answering('throw new Error("no")'), /run_javascript\.ts:1:\d+/],
  ['an exit before the answer', answering('process.exit()'),
    /exited without answering the request/],
  ['nothing returned', answering(''),
    /fetch\(\) returned a value of type undefined.*a return may be missing/],
  ['a text returned', 'export default () => "a"',
    /fetch\(\) returned a value of type string, and must return a Response/],
  ['no status', 'export default () => Response.error()', /with status 0/],
  ['an origin', answering('ctx.passThroughOnException()'),
    /there is no origin here/],
  ['waiting for nothing', answering('await new Promise(() => {})'),
    /a promise that nothing settles \(in fetch\(\)\)/],
  ['a package that is not there', 'import "no-such-package"',
    /hint: no other package can be installed here; in \/node_modules are \d+/],
  ['a body of GET', HONO, /request: GET has no body/, { body: 'a' }],
  ['a URL', HONO, /the code was not run: request: .*URL/, { url: 'http://' }],
  ['a header', HONO, /request: the header a is no string/, { headers: { a: 1 } }],
];

const run = async (raw, code, request, more) => {
  const result = await raw.result(raw.post('tools/call', { name: 'run_code',
    arguments: { language: 'ts', code, request, ...more } }));
  return { ...result.structuredContent, text: result.content[0].text };
};

for (const [name, engine, there] of engines) {
  test(`${name}: workers answer requests`, there, async (t) => {
    const raw = await Raw.open(t, { env: engine });

    await Promise.all(workers.map(async (
      [what, code, request, response, more = {}]) => {
      const { call, stderr = /^$/, files = /^$/, stdout = [] } = more;
      const seen = await run(raw, code, request, call);
      const told = `${what}: ${JSON.stringify(seen)}`;

      for (const [member, value] of Object.entries(response))
        assert.deepEqual(seen.response?.[member], value, told);
      assert.deepEqual(seen.stdout ?? [], stdout, told);
      assert.match((seen.stderr ?? []).join('\n'), stderr, told);
      assert.match((seen.files ?? []).join('\n'), files, told);
      assert.match(seen.text, new RegExp(`^HTTP ${response.status}$`, 'm'), told);
    }));
    await Promise.all(wrong.map(async ([what, code, says, request = {}]) => {
      const seen = await run(raw, code, request);

      assert.match((seen.stderr ?? []).join('\n'), says, what);
      assert.equal(seen.status, 'error', what);
      assert.equal(seen.response, undefined, what);
    }));
    assert.match((await run(raw, HONO)).notes[0], /with the argument request/);
    await raw.finish();
  });

  test(`${name}: packages`, there, async (t) => {
    const home = folder(t);
    const raw = await Raw.open(t, { env: engine, home });
    await run(raw, 'export default () => new Response(null, {status: 204})', {});
    await until(() => /"response_status": ?204/.test(ran({ home,
      args: ['calls', 'list', '--json'] }).stdout), 'the status in the record');
    const seen = await run(raw, 'import { z } from "zod";\n' +
      'import { Client } from "@modelcontextprotocol/client";\n' +
      'import parser from "body-parser"; const { Hono } = require("hono");\n' +
      'import { writeFileSync } from "fs";\n' +
      'console.log(typeof z.object, typeof Client, typeof parser, typeof Hono);' +
      'try { writeFileSync("/node_modules/a", "") } catch { console.log("ro") }');

    assert.deepEqual(seen.stdout, ['function function function function', 'ro'],
      JSON.stringify(seen));
    await raw.finish();
  });
}

test('a request is refused where nothing answers it', async (t) => {
  const raw = await Raw.open(t);
  const python = await raw.result(raw.post('tools/call',
    { name: 'run_python', arguments: { code: '1', request: {} } }));

  assert.match(python.content[0].text, /code of python answers no request/);
  for (const [request, says] of [
    ['/', /request must be an object such as/],
    [{ path: '/' }, /request has a member that is unknown: it has method, url/],
    [{ method: 1 }, /method of request must be a string/],
    [{ body: [] }, /body of request must be a string, or an object/],
    [{ headers: [] }, /headers of request must be one object/],
    [{ body: 'a'.repeat(1 << 20) }, /more than the 1048576 allowed/]])
    assert.match((await run(raw, 'a', request)).text, says);
  await raw.finish();
});

test('packages are looked for when settings are checked',
  nativeOnly('packages of the host'), async (t) => {
    const own = folder(t);
    const check = (place) => ran({ args: ['config', 'check'],
      env: { CAISSON_JAVASCRIPT_PACKAGES: place } });

    assert.match(check(own).stderr, new RegExp('the packages for ' +
      `JavaScript ${own}/node_modules cannot be used: No such file`));
    fs.mkdirSync(path.join(own, 'node_modules'), { mode: 0o755 });
    for (const place of [own, `${own}/node_modules/`])
      assert.equal(check(place).status, 0);
    fs.chmodSync(path.join(own, 'node_modules'), 0);
    assert.match(check(own).stderr, /cannot read it; install/);
  });
