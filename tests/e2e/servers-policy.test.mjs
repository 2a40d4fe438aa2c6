/*
 * What calls of tools may do, and for how long: tools that are not allowed,
 * calls that end or are ended before they are answered, executions that take
 * turns, and the lines that tell of all of it.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { describe as together } from 'node:test';
import { contained, folder } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import {
  assertServes, attempt, configure, heard, hears, hostile, prelude, served,
  serving, withServers,
} from './support/servers.mjs';
import { until } from './support/wait.mjs';

const one = { servers: ['h'], timeout: 100 };

/* A program with one server, which writes down what it hears. */
async function open(t, { tools, env } = {}) {
  const log = path.join(folder(t), 'heard');
  const entry = { ...hostile(`log=${log}`), tools };
  const options = withServers(t, { h: entry }, { env });
  const raw = await Raw.open(t, options);

  return { raw, log, entry, place: options.place };
}

/* Code that asks for a tool as forged frames do: past all checks of ours. */
const forged = (tool) => `
from mcp import _ask, _call, _request, runtime
request = _request.Request(rb"""{"type": "call_tool", "server": "h",
    "tool": "${tool}", "arguments": {}}""".replace(b"\\n", b""), "x")
def steps():
    yield _call.Together((request,))
    return _ask.answer_of(request)
try:
    print(_call.Call("x", steps()).result())
except runtime.MCPError as error:
    print(error.message)`;

const names = 'print(*[tool["tool"] for tool in runtime.list_tools_sync("h")])';

test('only tools that are allowed can be seen and called', async (t) => {
  const { raw, log, entry, place } = await open(t,
    { tools: { allow: ['echo', 'c*', 'absent'], deny: ['cha*'] } });

  assert.deepEqual(await raw.printed(names, one), ['echo counter']);
  assert.deepEqual(await raw.printed(
    'print([d["tool"] for d in runtime.search_tool_docs_sync("chatter")])',
    one), ['[]']);
  assert.match((await attempt(raw, 'h', 'chatter', { bytes: 1 })).error,
    /no such tool/);
  assert.deepEqual(await raw.printed(forged('chatter'), one),
    ['server "h": its tool "chatter" may not be used: "deny" of "tools" in ' +
      'the configuration of the server names it']);
  assert.deepEqual(await raw.printed(forged('sl\\u0065ep'), one),
    ['server "h": its tool "sleep" may not be used: "allow" of "tools" in ' +
      'the configuration of the server does not name it']);
  assert.deepEqual(heard(log).filter(({ method }) => method === 'tools/call'),
    []);
  await assertServes(raw, 'h');

  /* Another list takes effect at once, and needs no other process. */
  const before = await served(entry);

  configure(place, { h: { ...entry, tools: { deny: ['*e*'] } } });
  assert.deepEqual(await raw.printed(names, one),
    ['raw fail stray flood log grow half ask shut orphan input']);
  assert.match((await raw.printed(forged('echo'), one))[0], /may not be used/);
  assert.equal((await served(entry)).pid, before.pid);
  await raw.finish();
});

test('the name of a tool that is denied does not pass to another',
  async (t) => {
    const entry = { ...hostile('tools=odd'), tools: { deny: ['Read_File'] } };
    const raw = await Raw.open(t, withServers(t, { h: entry }));

    assert.deepEqual(await raw.printed(`
print(*[tool["tool"] + "=" + tool["toolAlias"]
        for tool in runtime.list_tools_sync("h") if "ead" in tool["tool"]])
print(hasattr(mcp_h, "read_file"), hasattr(mcp_h, "Read_File"))
try:
    await mcp_h.read_file()
except AttributeError as error:
    print(str(error).partition(";")[0])
print((await mcp_h.read_file_3()).data[0])`, one),
    ['read-file=read_file_2 read.file=read_file_3', 'False False',
      "server h has no tool 'read_file'", 'read.file']);
    await raw.finish();
  });

/*
 * These wait for the times that pass, each with a program of its own: side by
 * side.
 */
together('what takes its time', { concurrency: true }, () => {
  test('a server that is silent about a call loses it', async (t) => {
    const { raw, log } = await open(t,
      { env: { CAISSON_TOOL_TIMEOUT: '6' } });
    const lost = await attempt(raw, 'h', 'never');

    assert.equal(lost.error, 'h.never: server "h" did not answer the call of ' +
      'its tool "never" within 6 seconds (CAISSON_TOOL_TIMEOUT); the call ' +
      'was sent and may have run');
    const { id, params } = heard(log).find(
      ({ method }) => method === 'tools/call');
    const { params: cancelled } = await hears(log,
      ({ method }) => method === 'notifications/cancelled', 'the cancel');

    assert.equal(cancelled.requestId, id);
    assert.equal(params._meta.progressToken, id);
    /* With progress it may take longer. */
    assert.equal((await attempt(raw, 'h', 'progress',
      { times: 28, ms: 250 })).text, 'done');
    await assertServes(raw, 'h');
    await raw.finish();
  });

  test('what the code does not wait for any more is cancelled', async (t) => {
    const { raw, log } = await open(t);
    const cancels = () => heard(log).filter(
      ({ method }) => method === 'notifications/cancelled')
      .map(({ params }) => params.requestId);
    const calls = () => heard(log).filter(({ params }) =>
      params?.name === 'never').map(({ id }) => id);

    assert.deepEqual(await raw.printed(`${prelude}
await mcp_h.echo()
call = mcp_h.never()
try:
    await asyncio.wait_for(call, 3)
except asyncio.TimeoutError:
    print("late")
print((await mcp_h.echo(a=1)).data)
try:
    await call
except runtime.MCPError as error:
    print(error.message)`, one),
    ['late', "{'a': 1}", 'it was cancelled before it was answered; the call ' +
      'was sent and may have run']);
    await until(() => cancels().length === 1, 'the cancel');

    /* And what it still waits for when it ends. */
    await raw.printed(`
import asyncio
task = asyncio.ensure_future(mcp_h.never())
await mcp_h.echo()
import os
os._exit(0)`, one);
    await until(() => cancels().length === 2, 'the cancel');
    assert.deepEqual(cancels(), calls());
    await assertServes(raw, 'h');
    await raw.finish();
  });

  test('code that failed says which calls it made', async (t) => {
    const { raw } = await open(t,
      { env: { CAISSON_ARGUMENTS: 'code,servers,timeout,session' } });
    const ask = `${prelude}
for n in range(3): await mcp_h.echo(n=n)
try: await mcp_h.error(code=5, message="no")
except runtime.MCPError: pass
asyncio.ensure_future(mcp_h.never())
await mcp_h.counter()
`;
    const made = 'h.echo ×3, h.error, h.counter; h.never without an answer';

    await assertServes(raw, 'h');
    for (const [end, more] of [
      ['1 / 0', one], ['', one], ['import os; os.kill(os.getpid(), 9)', one],
      ['x = bytearray(1 << 30); x[:] = b"x" * (1 << 30)', one],
      ['await asyncio.sleep(600)', { servers: ['h'], timeout: 9 }],
      ...contained ? [] : [['1 / 0', { ...one, session: 'a' }]],
    ]) {
      const { isError, structuredContent, content } =
        await raw.run(ask + end, more);

      assert.equal(isError, end !== '', end);
      assert.equal(structuredContent.calls, end === '' ? undefined : made);
      assert.equal(content[0].text.includes(`calls made: ${made}`), isError);
    }
    await raw.finish();
  });

  test('calls that the server has read nothing of are never sent',
    async (t) => {
      const { raw, log, entry } = await open(t);
      const called = () => heard(log).filter(({ params }) =>
        params?.name === 'echo').map(({ params }) => params.arguments.n);

      await assertServes(raw, 'h');
      const { pid } = await served(entry);

      process.kill(pid, 'SIGSTOP');
      /* Of the first one a part lies in the pipe of the server. */
      assert.equal((await raw.run(`${prelude}
text = "x" * 200_000
await asyncio.gather(*[mcp_h.echo(n=n, text=text) for n in range(20)])`,
      { servers: ['h'], timeout: 10 })).structuredContent.status, 'timeout');
      const [words] = await raw.printed(`${prelude}
call = mcp_h.echo(n=20)
try:
    await asyncio.wait_for(call, 1)
except asyncio.TimeoutError:
    pass
try:
    await call
except runtime.MCPError as error:
    print(error.message)`, one);

      process.kill(pid, 'SIGCONT');
      assert.equal((await attempt(raw, 'h', 'echo', { n: 21 })).text,
        '{"n":21}');
      assert.deepEqual(called().filter((n) => n !== undefined), [0, 21]);
      assert.match(words, /; the call was not sent$/);
      await raw.finish();
    });

  test('progress extends a call up to the ceiling', async (t) => {
    const { raw } = await open(t,
      { env: { CAISSON_TOOL_TIMEOUT: '2', CAISSON_TOOL_CEILING: '4' } });
    const worked = (times) => attempt(raw, 'h', 'progress', { times, ms: 100 });

    assert.equal((await worked(25)).text, 'done');
    assert.match((await worked(1000)).error,
      /"progress" within 4 s.*, the maximum even with .*CAISSON_TOOL_CEILING/);
    await raw.finish();
  });

  test('a server that hangs is replaced', async (t) => {
    const { raw, entry } = await open(t,
      { env: { CAISSON_TOOL_TIMEOUT: '8' } });

    await assertServes(raw, 'h');
    const { pid } = await served(entry);

    process.kill(pid, 'SIGSTOP');
    const lost = JSON.parse((await raw.printed(`${prelude}
print(json.dumps(await asyncio.gather(
    *[attempt("h", "echo", {"n": n}) for n in range(3)])))`, one))[0]);

    for (const { error } of lost)
      assert.match(error, /did not answer .*; the call was sent and may have/);
    await until(() => serving(entry).every((other) => other.pid !== pid),
      'the end of the process that hangs');
    await assertServes(raw, 'h');
    assert.notEqual((await served(entry)).pid, pid);
    /* All of the log has come when it is over. */
    await raw.finish();
    assert.equal(raw.errors.split('\n').filter((line) =>
      line.includes('server h was stopped')).length, 1);
  });

  test('each call has a line in the audit file', async (t) => {
    const audit = path.join(folder(t), 'audit');
    const { raw } = await open(t, { tools: { deny: ['die'] },
      env: { CAISSON_AUDIT_FILE: audit } });

    await raw.printed(`${prelude}
await attempt("h", "echo", {"a": "secret"})
await attempt("h", "fail", {"words": "secret"})
await attempt("h", "error", {"code": 1, "message": "secret"})
try:
    await asyncio.wait_for(mcp_h.never(), 3)
except asyncio.TimeoutError:
    pass
${forged('die')}`, one);
    await raw.finish();
    const written = fs.readFileSync(audit, 'utf8');
    const lines = written.trimEnd().split('\n').map((line) => JSON.parse(line));

    assert.doesNotMatch(written, /secret/);
    assert.deepEqual(lines.map(({ tool, outcome }) => [tool, outcome]),
      [['echo', 'ok'], ['fail', 'tool_error'], ['error', 'error'],
        ['never', 'cancelled'], ['die', 'refused']]);
    for (const line of lines) {
      assert.deepEqual(Object.keys(line), ['time', 'execution', 'server',
        'tool', 'argument_bytes', 'result_bytes', 'milliseconds', 'sent',
        'outcome']);
      assert.equal(line.sent, line.outcome !== 'refused');
      assert.ok(Math.abs(Date.parse(line.time) - Date.now()) < 600_000);
      assert.match(line.execution, /^[0-9a-f]{16}$/); // the id of the call
      assert.equal(line.execution, lines[0].execution);
      assert.equal(line.server, 'h');
    }
    assert.equal(lines[0].argument_bytes, '{"a": "secret"}'.length - 1);
    assert.ok(lines[0].result_bytes > 40);
    assert.ok(lines[3].milliseconds >= 900);
    assert.equal(fs.statSync(audit).mode & 0o777, 0o600);
  });
});

test('ten thousand calls of one execution do not hold up another',
  async (t) => {
    const { raw, log } = await open(t);
    const many = raw.postCall(`
import asyncio
await asyncio.gather(*[mcp_h.sleep(ms=1000) for n in range(10_000)])`,
    { ...one, timeout: 110 });

    await until(() => heard(log).filter(
      ({ method }) => method === 'tools/call').length >= 128,
    'the server to be busy');
    await assertServes(raw, 'h');
    await assertServes(raw, 'h');
    assert.equal(raw.has(many), false, 'the many are still under way');
    raw.cancel(many);
    await assertServes(raw, 'h');
    await raw.finish();
  });

test('calls that never end leave places for the calls of others',
  async (t) => {
    const { raw, log } = await open(t,
      { env: { CAISSON_TOOL_TIMEOUT: '300' } });
    const never = raw.postCall(`
import asyncio
await asyncio.gather(*[mcp_h.never() for n in range(200)])`, one);

    await until(() => heard(log).filter(
      ({ params }) => params?.name === 'never').length === 128,
    'the server to have as many as an execution may make');
    assert.deepEqual(await raw.printed(`
import asyncio
results = await asyncio.gather(*[mcp_h.echo(n=n) for n in range(60)])
print(len({result.text for result in results}))`, one), ['60']);
    assert.equal(raw.has(never), false, 'the others are still under way');
    raw.cancel(never);
    await assertServes(raw, 'h');
    await raw.finish();
  });
