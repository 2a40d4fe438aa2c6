/*
 * What earlier systems of this kind got wrong between code and servers. Each
 * test has the name of its lesson.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { describe as together } from 'node:test';
import { Gate } from './support/gate.mjs';
import {
  childless, clock, descendants, gone, inNamespace, memory, pidNamespace,
  processes,
} from './support/processes.mjs';
import {
  contained, folder, patiently, withoutWaiting,
} from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import {
  assertServes, attempt, heard, hears, hostile, prelude, python,
  served, unserved, withServers,
} from './support/servers.mjs';
import { until } from './support/wait.mjs';

withoutWaiting();
patiently();

const one = { servers: ['h'], timeout: 100 };

/* Programs side by side, but for containers: one test fills all pipes. */
const beside = { concurrency: !contained };

/* podman copies what passes its pipes in small pieces: there, less passes. */
const share = contained === 'podman' ? 5 : 1;

/* A program with one server h, and what that has heard. */
async function withLog(t, ...options) {
  const log = path.join(folder(t), 'heard');
  const entry = hostile(`log=${log}`, ...options);
  /* On a slow machine much takes longer than an answer usually may. */
  const raw = await Raw.open(t, withServers(t, { h: entry },
    { env: { CAISSON_TOOL_TIMEOUT: '300' } }));

  return { raw, log, entry };
}

/* Without the token that lets a server tell of progress. */
const called = (log) => heard(log)
  .filter(({ method }) => method === 'tools/call')
  .map(({ params: { _meta: token, ...params } }) => params);

/* These wait, each in a program of its own, and so side by side. */
function waiting() {
  test('lifecycle: a time-out ends the box and leaves the server',
    async (t) => {
    const { raw, log, entry } = await withLog(t);

    await assertServes(raw, 'h');
    const server = await served(entry);
    const gate = new Gate();
    const inside = new Gate();
    const id = raw.postCall(`${inside.start}
await mcp_h.gate(seconds="${gate.seconds}")`, { servers: ['h'],
      timeout: contained ? 40 : 10 });

    await inside.reached();
    await gate.reached();
    assert.equal((await raw.result(id)).structuredContent.status, 'timeout');
    const now = clock();

    await until(() => inNamespace(inside.namespace, now).length === 0,
      'the end of the box');
    await hears(log, ({ method }) => method === 'notifications/cancelled',
      'the server to receive the cancellation');
    gate.open();
    await assertServes(raw, 'h');
    assert.equal((await served(entry)).pid, server.pid);
    await raw.finish();
  });

  test('lifecycle: the answers that code does not read are bounded',
    async (t) => {
      const { raw } = await withLog(t);
      const id = raw.postCall(`${prelude}
tasks = [asyncio.ensure_future(attempt("h", "huge", {"bytes": 15_000_000}))
         for n in range(40)]
await asyncio.sleep(0)
import time
time.sleep(5)
await asyncio.wait(tasks, timeout=5, return_when=asyncio.FIRST_COMPLETED)`,
      { servers: ['h'], timeout: 40 });
      const watched = new Map();
      const look = () => {
        for (const { pid, name } of descendants(raw.pid)) {
          if (!/^(relay|broker)/.test(name))
            continue;
          try {
            watched.set(name, memory(pid, 'VmHWM'));
          } catch (error) { /* it has ended meanwhile */ }
        }
        return raw.has(id);
      };

      await until(look, 'the result');
      t.diagnostic(JSON.stringify([...watched]));
      for (const [name, peak] of watched)
        assert.ok(peak < 400 * 1024, `${name}: ${peak} KiB`);
      await assertServes(raw, 'h');
      await raw.finish();
    });
}

function atOnce() {
  test('pipe: user code forging frames through fd 1', async (t) => {
    const { raw, log } = await withLog(t);
    const forged = ['{"type":"rpc_request","id":1,"payload":{"type":' +
      '"call_tool","server":"h","tool":"echo","arguments":{"forged":1}}}',
    '{"type":"rpc_response","id":1,"success":true,"payload":{"content":[]}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}'];
    const { structuredContent } = await raw.run(`
import os, subprocess
lines = ${python(forged)}
for line in lines:
    print(line)
    subprocess.run(["echo", line])
    os.write(1, (line + "\\n").encode())
print((await mcp_h.echo(real=1)).data)`, one);

    assert.deepEqual(structuredContent.stdout,
      [...forged.flatMap((line) => [line, line, line]), "{'real': 1}"]);
    assert.deepEqual(called(log),
      [{ name: 'echo', arguments: { real: 1 } }]);
    await raw.finish();
  });

  test('pipe: a frame that code forges gets what a call gets', async (t) => {
    const entries = { h: hostile(), secret: hostile() };
    const raw = await Raw.open(t, withServers(t, entries));
    const garbage = ['{}', '[]', '5', 'null', 'garbage', '{"type":"ready"}',
      '{"type":"rpc_request"}', '{"type":"rpc_request","id":"x","payload":{}}',
      '{"type":"rpc_request","id":1,"payload":{"type":"no such"}}',
      '{"type":"rpc_request","id":-1,"payload":{"type":"list_servers"}}',
      '{"type":"rpc_request","id":1,"payload":{"type":"call_tool"}}',
      '{"type":"rpc_response","id":1,"success":true,"payload":{}}',
      '{"type":"done"}', '{"type":"DONE","status":0}', '\u0000',
      'x'.repeat(1e6)];

    for (const frame of garbage) {
      const result = await raw.run(`
import os, stat, time
pipes = sorted(fd for fd in map(int, os.listdir("/proc/self/fd"))
               if fd > 2 and os.path.exists("/proc/self/fd/%d" % fd)
               and stat.S_ISFIFO(os.fstat(fd).st_mode))
line = ${python(frame)}.encode() + b"\\n"
print("forged")
while line:
    line = line[os.write(pipes[-1], line):]
time.sleep(${frame.includes('rpc_request') ? 1 : 60})`, one);

      /* It ends its own box at most, and says nothing but output and error. */
      assert.deepEqual(result.structuredContent.stdout, ['forged']);
      assert.ok(!result.isError || result.structuredContent.error.length > 10);
    }
    await assertServes(raw, 'h');
    await unserved(entries.secret);
    await raw.finish();
  });

  test('pipe: a line that is JSON but not an object kills no reader',
    async (t) => {
      const raw = await Raw.open(t, withServers(t, { h: hostile() }));

      for (const text of ['[]', '[1,2]', '5', 'null', 'true', '"text"', '1e400',
        '[{"jsonrpc":"2.0","id":@ID@,"result":{}}]']) {
        assert.deepEqual(await raw.printed(`
import asyncio
line = asyncio.create_task(mcp_h.line(text=${python(text)}))
print((await mcp_h.echo(after=1)).data)
line.cancel()`, one), ["{'after': 1}"], text);
      }
      await assertServes(raw, 'h');
      await raw.finish();
    });

  test('pipe: no limit of 64 KiB on a line, in either direction', async (t) => {
    const { raw } = await withLog(t);

    assert.deepEqual(await raw.printed(`
for size in (65_000, 65_536, 70_000, 1_000_000, ${5_000_000 / share}):
    text = "\\u00e4" * size
    assert (await mcp_h.echo(v=text)).data["v"] == text
    print(size)`, one), ['65000', '65536', '70000', '1000000',
      `${5_000_000 / share}`]);
    await raw.finish();
  });

  test('pipe: a lone surrogate blocks no call', async (t) => {
    const { raw } = await withLog(t);
    const { isError, structuredContent } = await raw.run(`
result = await mcp_h.raw(
    result='{"content":[{"type":"text","text":"a\\\\ud800b"}]}')
print(result.text)
try:
    await mcp_h.echo(v="a\\ud800b")
except Exception as error:
    print(type(error).__name__, error)
print((await mcp_h.echo(v="next")).data["v"])`, one);

    assert.equal(isError, false, JSON.stringify(structuredContent));
    assert.match(structuredContent.stdout[0], /^a.+b$/);
    assert.match(structuredContent.stdout[1], /\bv\b/);
    assert.equal(structuredContent.stdout[2], 'next');
    await raw.finish();
  });

  test('pipe: calls are not served one after another', async (t) => {
    const { raw } = await withLog(t);
    const gates = Array.from({ length: 6 }, () => new Gate());
    const code = (some) => `
import asyncio
for result in await asyncio.gather(*(
        mcp_h.gate(seconds=seconds) for seconds in ${
  python(some.map(({ seconds }) => seconds))})):
    print(result.text)`;
    const ids = [raw.postCall(code(gates.slice(0, 3)), one),
      raw.postCall(code(gates.slice(3)), one)];

    /* All six are under way at the same time, of two executions. */
    await Promise.all(gates.map((gate) => gate.reached()));
    await assertServes(raw, 'h');
    for (const gate of gates.reverse())
      gate.open();
    for (const id of ids) {
      assert.deepEqual((await raw.result(id)).structuredContent.stdout,
        ['open', 'open', 'open']);
    }
    await raw.finish();
  });

  test('pipe: full pipes do not block both sides', async (t) => {
    const { raw } = await withLog(t);

    const count = 100 / share;

    /* The code reads no answer before it has written all of its calls. */
    assert.deepEqual(await raw.printed(`
import asyncio
text = "x" * 500_000
tasks = [asyncio.ensure_future(mcp_h.echo(v=text, n=n)) for n in range(${count})]
await asyncio.sleep(0)
import time
time.sleep(1)
results = await asyncio.gather(*tasks)
print(all(result.data["v"] == text for result in results))
print([result.data["n"] for result in results] == list(range(${count})))`, one),
    ['True', 'True']);
    await raw.finish();
  });

  test('pipe: a child that holds the output open keeps no call', async (t) => {
    const { raw } = await withLog(t);
    const gate = new Gate();
    const result = await raw.run(`
import subprocess
child = subprocess.Popen(["sleep", "${gate.seconds}"])
print((await mcp_h.echo(v=1)).data)`, one);

    assert.deepEqual(result.structuredContent.stdout, ["{'v': 1}"]);
    await until(() => gate.find().length === 0, 'the end of the child');
    await assertServes(raw, 'h');
    await raw.finish();
  });

  test('pipe: what a server says on standard error is no output', async (t) => {
    const { raw } = await withLog(t);
    const { structuredContent } = await raw.run(
      'print((await mcp_h.chatter(bytes=100_000)).text)', one);

    assert.deepEqual(structuredContent, { servers: ['h'], stdout: ['said'] });
    await raw.finish();
  });

  test('lifecycle: a cancelled call leaves no process and no request',
    async (t) => {
      const { raw, log, entry } = await withLog(t);
      const gate = new Gate();
      const id = raw.postCall(`await mcp_h.gate(seconds="${gate.seconds}")`,
        one);

      await gate.reached();
      const server = await served(entry);
      const relays = descendants(raw.pid).filter(({ name }) =>
        name.startsWith('relay'));

      raw.cancel(id);
      await gone(relays);
      const { params } = await hears(log,
        ({ method }) => method === 'notifications/cancelled',
        'the server to hear of it');
      const call = heard(log).find(({ method }) => method === 'tools/call');

      assert.equal(params.requestId, call.id);
      gate.open();
      await assertServes(raw, 'h');
      assert.equal((await served(entry)).pid, server.pid);
      assert.ok(!raw.has(id));
      await raw.finish();
      await childless(raw.pid);
    });

  test('lifecycle: calls under way are bounded', async (t) => {
    const { raw, log } = await withLog(t);
    const [line] = await raw.printed(`${prelude}
tasks = [asyncio.ensure_future(attempt("h", "never", {"n": n}))
         for n in range(1000)]
done, pending = await asyncio.wait(tasks, timeout=3)
words = {task.result()["error"] for task in done}
print(json.dumps([len(pending), sorted(words)]))
for task in pending:
    task.cancel()`, one);
    const [pending, words] = JSON.parse(line);

    assert.ok(called(log).length <= 128, 'no more than 128 at the server');
    assert.ok(pending >= 128);
    for (const sentence of words)
      assert.match(sentence, /128/);
    await assertServes(raw, 'h');
    await raw.finish();
  });

  test('state: an error of a server is no success', async (t) => {
    const { raw } = await withLog(t);

    for (const code of ['await mcp_h.fail(words="no")',
      'await mcp_h.error(code=-1, message="no")',
      'await mcp_h.die(code=1, words="no")', 'await mcp_h.no_such_tool()']) {
      const { isError, structuredContent } = await raw.run(code, one);

      assert.equal(isError, true, code);
      assert.equal(structuredContent.status, 'error');
      assert.equal(structuredContent.exitCode, 1);
      assert.match(structuredContent.stderr.join('\n'), /Error: .*\bno\b/s);
    }
    await raw.finish();
  });

  test('state: answers of one call never reach another', async (t) => {
    const raw = await Raw.open(t, withServers(t, { h: hostile() }, {
      env: { CAISSON_MAX_CONCURRENT: '8',
        CAISSON_QUEUE_TIMEOUT: '5m' } }));
    const nonces = Array.from({ length: 40 },
      (_, i) => `nonce-${i}-${Math.random().toString(36).slice(2)}`);
    const ids = nonces.map((nonce, i) => raw.postCall(`
import asyncio
async def one(n):
    text = f"${nonce} {n}"
    await mcp_h.sleep(ms=(n * 7 + ${i}) % 20)
    return (await mcp_h.echo(v=text)).data["v"] == text
print("${nonce}", all(await asyncio.gather(*(one(n) for n in range(20)))))`,
    one));

    for (const [i, id] of ids.entries()) {
      assert.deepEqual((await raw.result(id)).structuredContent.stdout,
        [`${nonces[i]} True`]);
    }
    await raw.finish();
  });

  test('state: servers that are requested later are not ignored', async (t) => {
    const raw = await Raw.open(t, withServers(t, { a: hostile(), b: hostile(),
      c: hostile() }));

    for (const servers of [['a'], ['a', 'b'], ['c'], ['b', 'a', 'c']]) {
      assert.deepEqual(await raw.printed(`
for name in LOADED_MCP_SERVERS:
    print(name, (await mcp_servers[name].echo(of=name)).data["of"])`,
      { servers, timeout: 100 }), servers.map((name) => `${name} ${name}`));
    }
    await raw.finish();
  });

  test('state: blank lines in results are kept', async (t) => {
    const { raw } = await withLog(t);
    const text = 'a\n\n()\n \r\n\nb\n';

    assert.deepEqual(await raw.printed(`
result = await mcp_h.echo(v=${python(text)})
print(result.data["v"] == ${python(text)})
print(result.data["v"], end="")`, one),
    ['True', ...text.split('\n').slice(0, -1)]);
    await raw.finish();
  });

  test('state: 600 tools, and 60 servers with them', async (t) => {
    const names = Array.from({ length: 60 }, (_, n) => `server-${100 + n}`);
    const entries = Object.fromEntries(names.map((name, n) =>
      [name, { ...hostile(...n === 0 ? ['tools=600'] : []),
        description: 'd'.repeat(4000) }]));
    const raw = await Raw.open(t, withServers(t, entries));

    assert.deepEqual(await raw.printed(`
print(len(await runtime.list_tools("server-100")))
print((await mcp_server_100.tool_599(n=1)).data[0])
print(len(runtime.discovered_servers()))`,
    { servers: ['server-100'], timeout: 100 }), ['600', 'tool_599', '60']);
    assert.deepEqual(await raw.printed(
      'print(len(LOADED_MCP_SERVERS), len(mcp_servers))',
      { servers: names, timeout: 100 }), ['60 60']);
    await raw.finish();
    await unserved(...Object.values(entries));
  });

  test('state: a description of a tool breaks nothing', async (t) => {
    const description = '"""\'\'\'\\" \\\n {0} %s \u0001 \u2028\n#]]>\n' +
      'import os; os._exit(7)';
    const raw = await Raw.open(t, withServers(t,
      { 'o"dd': { ...hostile('tools=odd'), description } }));

    assert.deepEqual(await raw.printed(`
import inspect
name = LOADED_MCP_SERVERS[0]
print(name, [entry["description"] for entry in
             runtime.discovered_servers(detailed=True)] ==
      [${python(description)}])
for tool in await runtime.list_tools(name):
    function = mcp_servers[name][tool["tool"]]
    inspect.getdoc(function), inspect.signature(function), repr(function)
import pydoc
print(len(pydoc.render_doc(mcp_servers[name])) > 0)`,
    { servers: ['o"dd'], timeout: 100 }), ['o"dd True', 'True']);
    await raw.finish();
  });

  test('state: what is passed is not in any command line', async (t) => {
    const raw = await Raw.open(t, withServers(t, { h: { ...hostile(),
      description: 'described-uniquely',
      env: { KEY: 'variable-uniquely' } } }));
    const gate = new Gate();
    const id = raw.postCall(`
argument = "argument-" "uniquely"
import asyncio
await asyncio.gather(mcp_h.echo(v=argument),
                     mcp_h.gate(seconds="${gate.seconds}"))`, one);

    await gate.reached();
    const told = processes().filter(({ pid, command }) => pid !== process.pid &&
      /(described|variable|argument)-uniquely/.test(command));

    assert.deepEqual(told, []);
    gate.open();
    assert.equal((await raw.result(id)).isError, false);
    await raw.finish();
  });

  test('state: servers are outside the box, and it cannot see them',
    async (t) => {
      const { raw, entry } = await withLog(t);
      const gate = new Gate();
      const id = raw.postCall(`
await mcp_h.counter()
${gate.wait}
import os
print(sorted(name for name in os.listdir("/proc") if name.isdigit()))
print(any(name.endswith("hostile.py")
          for folder in ("/tmp", "/workspace") for name in
          os.listdir(folder)))`, one);

      await gate.reached();
      assert.equal(pidNamespace((await served(entry)).pid),
        pidNamespace(raw.pid));
      assert.notEqual(gate.namespace, pidNamespace(raw.pid));
      gate.open();
      const { stdout } = (await raw.result(id)).structuredContent;

      assert.ok(JSON.parse(stdout[0].replaceAll("'", '"')).length < 5);
      assert.equal(stdout[1], 'False');
      await raw.finish();
    });
}

/* Those that wait do so beside the others, which come one after another. */
together('servers', beside, () => {
  together('what is waited for', beside, waiting);
  together('what happens at once', { concurrency: 1 }, atOnce);
});
