/*
 * The user's MCP servers inside the box: real servers, every way of calling
 * them, and what the code is told about them.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import {
  ended, folder, folderWith, once, withoutPool,
} from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { connect, run } from './support/sdk.mjs';
import {
  heard, hostile, official, prelude, python, unserved, withServers,
} from './support/servers.mjs';

withoutPool();

test('one call works with two servers and prints a summary', async (t) => {
  const files = folderWith(t, { 'a.txt': 'alpha alpha', 'b.txt': 'beta',
    'c.txt': 'gamma '.repeat(1000) });
  const store = path.join(folder(t), 'memory.jsonl');
  const { client } = await connect(t, withServers(t, {
    files: official('filesystem', [files]),
    memory: official('memory', [], { env: { MEMORY_FILE_PATH: store } }),
  }));

  await client.listTools(); /* so that the client knows the output schema */
  const result = await run(client, `
import asyncio
root = ${python(files)}
listing = await mcp_files.list_directory(path=root)
names = [line.split()[-1] for line in listing.text.splitlines()]
texts = await asyncio.gather(*(
    mcp_files.read_text_file(path=f"{root}/{name}") for name in sorted(names)))
words = {name: len(text.text.split())
         for name, text in zip(sorted(names), texts)}
await mcp_memory.create_entities(entities=[
    {"name": name, "entityType": "file", "observations": [f"{count} words"]}
    for name, count in words.items()])
graph = await mcp_memory.read_graph()
stored = graph["structuredContent"]["entities"]
print(len(stored), "entities,", sum(words.values()), "words:",
      " ".join(entity["observations"][0] for entity in stored))`,
  { servers: ['files', 'memory'], timeout: 100 });

  assert.equal(result.isError, false, JSON.stringify(result));
  assert.equal(result.content[0].text,
    '3 entities, 1003 words: 2 words 1 words 1000 words');
  assert.deepEqual(result.structuredContent.servers, ['files', 'memory']);
  assert.equal(result._meta['caisson/toolCalls'], 6);
  assert.equal(fs.readFileSync(store, 'utf8').trim().split('\n').length, 3);
});

test('load_server adds a server to the execution', once, async (t) => {
  const raw = await Raw.open(t, withServers(t, { a: hostile(),
    'b-two': hostile() }));

  assert.deepEqual(await raw.printed(`
import inspect, json
from mcp import runtime
async def settle(value):
    return await value if inspect.isawaitable(value) else value
print("b-two" in LOADED_MCP_SERVERS)
await runtime.call_tool("b-two", "counter")
print("b-two" in LOADED_MCP_SERVERS)
await settle(runtime.load_server("b-two"))
print((await runtime.call_tool("b-two", "echo", {"x": 1})).data)
print((await mcp_servers["b-two"].echo(x=2)).data)
from mcp.servers.b_two import echo
print((await echo(x=3)).data)
try:
    await settle(runtime.load_server("nowhere"))
except runtime.MCPError as error:
    assert "nowhere" in str(error), error
    print("unknown")`, { servers: ['a'], timeout: 100 }),
  ['False', 'True', "{'x': 1}", "{'x': 2}", "{'x': 3}", 'unknown']);

  /* It was that execution's; the next one starts without. */
  assert.deepEqual(await raw.printed(
    'print(LOADED_MCP_SERVERS, sorted(mcp_servers))', { servers: ['a'] }),
  ["('a',) ['a', 'b-two']"]);
  assert.deepEqual(await raw.printed(`
import inspect
loaded = runtime.load_server("a")
if inspect.isawaitable(loaded):
    await loaded
print((await runtime.call_tool("a", "echo", {})).text)`), ['{}']);
  await raw.finish();
});

test('wrong arguments are caught in the box', once, async (t) => {
  const raw = await Raw.open(t,
    withServers(t, { every: official('everything') }));
  const result = await raw.run(`
from mcp import runtime
for call in (lambda: mcp_every.get_sum(a=1),
             lambda: mcp_every.get_sum(a=1, b=2, message=3),
             lambda: mcp_every.echo(mesage="x"),
             lambda: mcp_every.get_sum(a=1, b="2.5"),
             lambda: mcp_every.get_annotated_message(messageType="eror"),
             lambda: mcp_every.echo("x", "y")):
    try:
        print(call().result())
    except (TypeError, runtime.MCPError) as error:
        print(str(error).replace("\\n", " "))
print((await mcp_every.get_sum(a="2", b=3)).text)
r = await mcp_every.get_annotated_message(messageType="error", includeImage=None)
print(len(r.content))`,
  { servers: ['every'], timeout: 100 });
  const [missing, unknown, slip, type, choice, positional, sum, blocks] =
    result.structuredContent.stdout;

  assert.match(missing, /\bb\b/);
  assert.match(unknown, /\bmessage\b/);
  assert.match(slip, /mesage.*did you mean.*message/i);
  assert.match(type, /argument "b" is "2.5", and must be a number; the tool takes a: number/);
  assert.match(choice, /"eror", and must be .*; did you mean "error"\?; the tool/);
  assert.match(positional, /echo\(\) takes 1 at most: message \(required\)/);
  assert.match(sum, /\b5\b/);
  assert.equal(blocks, '1');
  assert.equal(result._meta['caisson/toolCalls'], 2);
  await raw.finish();
});

test('errors of tools and of the protocol are one class', once, async (t) => {
  const raw = await Raw.open(t, withServers(t, { h: hostile() }));
  const servers = { servers: ['h'], timeout: 100 };

  assert.deepEqual(await raw.printed(`
import mcp
from mcp import runtime
from mcp.runtime import MCPError
assert issubclass(MCPError, Exception) and MCPError is runtime.MCPError
for tool, arguments in (("fail", {"words": "no such file"}),
                        ("error", {"code": -32099, "message": "no luck",
                                   "data": '{"why":1}'}),
                        ("no such tool", {})):
    try:
        await runtime.call_tool("h", tool, arguments)
    except MCPError as error:
        print(error.server, "/", error.tool, "/", "no" in str(error))`,
  servers), ['h / fail / True', 'h / error / True',
    'h / no such tool / True']);

  assert.deepEqual(await raw.printed(`
from mcp import runtime
runtime.configure(raise_on_error=False)
result = await mcp_h.fail(words="quiet")
print(result["isError"], result.text)
try:
    await runtime.call_tool("h", "error", {"code": -1, "message": "loud"})
except runtime.MCPError as error:
    print("loud" in str(error))`, servers), ['True quiet', 'True']);

  /* It was that execution's wish only. */
  const { isError, structuredContent } = await raw.run(
    'await mcp_h.fail(words="of the file system")', servers);

  assert.equal(isError, true);
  assert.equal(structuredContent.status, 'error');
  assert.equal(structuredContent.exitCode, 1);
  assert.match(structuredContent.stderr.join(' '),
    /MCPError: .*of the file system/);
  assert.ok(structuredContent.stderr.every((line) =>
    !/File "(?!\/tmp\/run_python)/.test(line)), 'only frames of the user');
  await raw.finish();
});

test('tools with odd names and schemas can be called', once, async (t) => {
  const raw = await Raw.open(t,
    withServers(t, { odd: hostile('tools=odd') }));
  const lines = await raw.printed(`
import inspect, json
tools = await runtime.list_tools("odd")
for tool in tools:
    function = mcp_servers["odd"][tool["tool"]]
    inspect.signature(function), inspect.getdoc(function)
    required = tool["inputSchema"].get("required", [])
    result = await runtime.call_tool("odd", tool["tool"],
                                     {name: "x" for name in required})
    assert result.data[0] == tool["tool"], result
print(len(tools))
print((await mcp_odd.read_file(**{"path-name": "x"})).data[0])
print((await mcp_odd.class_()).data[0], (await mcp_odd._1st()).data[0])
quotes = [tool for tool in tools if tool["tool"] == "quotes"][0]
print(ascii(quotes["description"]))`, { servers: ['odd'], timeout: 100 });

  assert.equal(lines[0], '14');
  assert.match(lines[1], /^(read-file|Read_File|read\.file)$/);
  assert.equal(lines[2], 'class 1st');
  assert.ok(lines[3].includes('\\x00'));
  assert.ok(lines[3].includes('\\ud800'));
  await raw.finish();
});

test('servers of a call are loaded once, in their order', once, async (t) => {
  const raw = await Raw.open(t,
    withServers(t, { a: hostile(), b: hostile(), c: hostile() }));
  const result = await raw.run('print(LOADED_MCP_SERVERS)',
    { servers: ['c', 'a', 'c'] });

  assert.deepEqual(result.structuredContent,
    { servers: ['c', 'a'], stdout: ["('c', 'a')"] });
  assert.deepEqual((await raw.run('print(LOADED_MCP_SERVERS)',
    { servers: [] })).structuredContent, { stdout: ['()'] });
  await raw.finish();
});

test('a server gets its own arguments, variables and folder', async (t) => {
  const cwd = folder(t);
  const entry = { ...hostile('two words', 'q="\'$HOME'),
    env: { OWN: 'a "b" = $c', PATH: '/usr/bin:/bin' }, cwd };
  const gone = { command: 'true', cwd: path.join(cwd, 'gone') };
  const raw = await Raw.open(t, withServers(t, { h: entry, gone },
    { env: { OF_CALLER: 'inherited', OWN: 'replaced' } }));
  const lines = await raw.printed(`
seen = (await mcp_h.environment()).data
import json
print(json.dumps(seen))
told = [runtime.describe_server("gone"), runtime.list_loaded_server_metadata(),
        dict(runtime.describe_server("h"))]
told[2]["tools"] = list(told[2]["tools"])
print(told)`, { servers: ['h'] });
  const seen = JSON.parse(lines[0]);

  assert.equal(seen.environment.OWN, 'a "b" = $c');
  assert.match(seen.environment.PATH, /^\/usr\/bin:\/bin(:|$)/);
  assert.equal(seen.environment.OF_CALLER, 'inherited');
  assert.deepEqual(Object.keys(seen.environment).filter((name) =>
    /^(CAISSON_|MCP_)/.test(name)), [], 'none of our settings');
  assert.deepEqual(seen.arguments, entry.args.slice(2));
  assert.equal(seen.folder, cwd);
  assert.match(lines[1], /'server "gone" did not start: .* cannot enter its folder: No such/);
  assert.ok(!lines[1].includes(cwd), 'no path of the host is told');
  assert.match(seen.status, /^SigBlk:\t0+$/m, 'no signal is blocked');
  await raw.finish();
});

test('a server inherits nothing but its three descriptors', async (t) => {
  const seen = path.join(folder(t), 'seen');
  const { command, args } = hostile();
  const raw = await Raw.open(t, withServers(t, { h: { command: 'sh', args: [
    '-c', 'ls /proc/$$/fd > "$0"; grep Sig /proc/$$/status >> "$0"; ' +
    'ps -o pid= -o sid= -p $$ >> "$0"; exec "$@"', seen, command, ...args] },
  }));

  assert.deepEqual(await raw.printed(
    `${prelude}\nprint((await attempt("h", "echo", {}))["text"])`,
    { servers: ['h'] }), ['{}']);
  const text = fs.readFileSync(seen, 'utf8');

  /* In 10 this shell keeps what it will need again. */
  assert.match(text, /^0\n1\n(10\n)?2\nSig/);
  assert.match(text, /SigIgn:\t0+\n/, 'no signal is ignored');
  const [pid, session] = text.trim().split('\n').at(-1).trim().split(/\s+/);

  assert.equal(session, pid, 'it has a session of its own');
  await raw.finish();
});

test('a server is spoken to as the protocol wants', async (t) => {
  const log = path.join(folder(t), 'heard');
  const raw = await Raw.open(t,
    withServers(t, { h: hostile(`log=${log}`) }));

  await raw.printed(`
import asyncio
await asyncio.gather(*(mcp_h.echo(n=n) for n in range(20)))`,
  { servers: ['h'] });
  await raw.finish();
  const lines = heard(log);
  const [first, second] = lines;
  const requests = lines.filter(({ id }) => id !== undefined);

  assert.equal(first.method, 'initialize');
  assert.equal(first.params.protocolVersion, '2025-11-25');
  assert.deepEqual(first.params.capabilities,
    { roots: { listChanged: true }, elicitation: { form: {}, url: {} } });
  assert.equal(first.params.clientInfo.name, 'caisson');
  assert.equal(typeof first.params.clientInfo.version, 'string');
  assert.equal(second.method, 'notifications/initialized');
  assert.ok(!('id' in second));
  for (const message of lines.slice(0, -1))
    assert.equal(message.jsonrpc, '2.0');
  assert.equal(new Set(requests.map(({ id }) => id)).size, requests.length,
    'no id is used twice');
  assert.deepEqual(lines.filter(({ method }) => method === 'tools/call')
    .map(({ params }) => params.arguments.n).sort((a, b) => a - b),
  Array.from({ length: 20 }, (_, n) => n));
  assert.equal(lines.at(-1), 'EOF');
});

test('two programs have servers of their own', async (t) => {
  const entry = hostile();
  const options = withServers(t, { h: entry });
  const both = [await Raw.open(t, options), await Raw.open(t, options)];
  const pids = await Promise.all(both.map((raw) => raw.printed(
    'print((await mcp_h.counter()).data["pid"])', { servers: ['h'] })));

  assert.notDeepEqual(pids[0], pids[1]);
  await both[0].finish();
  assert.deepEqual(await both[1].printed(
    'print((await mcp_h.counter()).data["pid"])', { servers: ['h'] }),
  pids[1]);
  await both[1].finish();
  await unserved(entry);
});

/* The lines at its end: how many work, and what their tools come to. */
const sized = (count, tools) => new RegExp(`^${count}\n${tools}, ` +
  '\\d+\\.\\d kB of definitions: 0\\.\\d kB for a client of Caisson\n$');

/* Runs caisson servers test; returns how it ended and what it printed. */
const tryServers = (t, options, ...names) => ended(t,
  { ...options, args: ['servers', 'test', ...names], home: folder(t) });

/* What is printed of each server: from its line to the next one's. */
function told(out) {
  const parts = out.split(/^(?=\S)(?!\d+ tools?, )/m);

  return Object.fromEntries(parts.map((part) =>
    [/^\S+ +([^ :]+):/.exec(part)?.[1], part]));
}

/* Fails as servers do whose token is missing, with a long stack. */
const noisy = { command: process.execPath, args: ['-e', `
Error.stackTraceLimit = 60;
const deeper = (n) => n ? deeper(n - 1) : JSON.parse("");
try { deeper(50); } catch (error) {
  error.message = 'GITHUB_TOKEN is required';
  throw error;
}`] };

test('caisson servers test shows the tools of each, or its error',
  async (t) => {
    const entries = {
      refusing: hostile('initialize=error'),
      everything: official('everything'),
      nowhere: { command: 'no-such-command-anywhere' },
      odd: hostile('tools=odd'),
      noisy,
      'données': hostile('tools=paged:35'),
      dead: hostile('exit=3'),
    };
    const { code, out, errors } = await tryServers(t,
      withServers(t, entries));
    const of = told(out);

    assert.deepEqual(Object.keys(of),
      [...Object.keys(entries), 'servers'], out);
    assert.match(of.everything, /^ok .*\b16 tools\n/);
    assert.match(of.everything, /^ +get-sum$/m);
    assert.match(of['données'], /^ok .*\b35 tools\n/);
    assert.match(of.odd, /^ok .*\b14 tools\n/);
    assert.match(of.dead, /^FAILED .*the database is locked/s);
    assert.match(of.refusing, /^FAILED .*no token was given/s);
    assert.match(of.nowhere, /^FAILED .*not found.*\/usr\/bin/s);
    assert.match(of.noisy,
      /^FAILED .*code 1; .* says: SyntaxError: GITHUB_TOKEN is required\n$/);
    assert.match(of.servers,
      sized('7 servers: 3 work, 4 failed; .*', '65 tools'));
    assert.equal(code, 1, `not all could be used: ${errors}`);
    assert.match(of.odd, /^ +日本$/m);
    assert.doesNotMatch(out, /[\0-\x09\x0b-\x1f\x7f-\x9f]/);
    await unserved(...Object.values(entries));
  });

test('the stack of a server that fails is in the log only', async (t) => {
  const { errors } = await tryServers(t, withServers(t, { noisy },
    { env: { CAISSON_LOG_LEVEL: 'debug' } }));

  assert.match(errors, /broker.* server "noisy" wrote: +at deeper/);
  const raw = await Raw.open(t, withServers(t, { noisy }));
  const { structuredContent } = await raw.run('await mcp_noisy.any()',
    { servers: ['noisy'] });
  const said = structuredContent.stderr.filter((line) =>
    /GITHUB_TOKEN|at deeper/.test(line));

  assert.equal(said.length, 1);
  assert.match(said[0], /"noisy" did not start: .*GITHUB_TOKEN is required$/);
  await raw.finish();
  assert.doesNotMatch(raw.errors, /at deeper/);
});

test('caisson servers test fails where a configuration was refused',
  async (t) => {
    const entries = {
      h: hostile(),
      unset: { command: '${NOPE_NOT_SET}' },
      remote: { url: 'http://127.0.0.1:1/mcp' },
      off: { command: 'true', disabled: true },
    };
    const { code, out } = await tryServers(t, withServers(t, entries));
    const of = told(out);

    assert.equal(code, 1, out);
    assert.deepEqual(Object.keys(of), [...Object.keys(entries), 'servers']);
    assert.match(of.unset, /^FAILED .*NOPE_NOT_SET.* is not set/);
    assert.match(of.remote, /^FAILED .*cannot be reached/);
    assert.match(of.off, /^skipped /);
    assert.match(of.servers,
      sized('3 servers: 1 works, 2 failed; 1 skipped; .*', '\\d+ tools'));
    for (const [name, exit, words] of [['h', 0, /^ok +h: .*\n1 server: 1 w/s],
      ['unset', 1, /^FAILED +unset: .*\n1 server: 0 work/s],
      ['off', 1, /^skipped +off: .*disabled.*\n0 servers/s],
      ['of', 1, /^caisson: server "of": .* did you mean "off"\?/m]]) {
      const one = await tryServers(t, withServers(t, entries), name);

      assert.equal(one.code, exit, name);
      assert.match(one.out + one.errors, words);
    }
    for (const text of ['{"mcpServers":{', '', '[]']) {
      const options = withServers(t, {});

      fs.writeFileSync(options.env.CAISSON_SERVERS_CONFIG, text);
      const refused = await tryServers(t, options);

      assert.equal(refused.code, 1, refused.out);
      assert.match(refused.out, /^REFUSED .*: line 1, column \d+: .*\n/);
      assert.match(refused.out, /^0 servers: 0 work; 1 file refused$/m);
    }
  });
