/*
 * Servers that misbehave, one way each: what the code sees is one clear
 * error that names the server, at most its own call fails, the next one works.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { describe as together } from 'node:test';
import { Gate } from './support/gate.mjs';
import { descendants, gone, memory } from './support/processes.mjs';
import {
  campaign, contained, folder, withoutWaiting,
} from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import {
  assertFailed, assertServes, attempt, heard, hears, hostile, prelude, python,
  served, unserved, withServers,
} from './support/servers.mjs';

withoutWaiting();

const mebi = 1024 * 1024;
const generous = { timeout: 100 };

/* Programs side by side; an engine starts few containers at once. */
const beside = { concurrency: contained ? 3 : true };

/* A program with this server h and one that is well-behaved, good. */
const withServer = (t, entry) =>
  Raw.open(t, withServers(t, { h: entry, good: hostile() }));

/* The same with our odd server. */
const withOdd = (t, ...options) => withServer(t, hostile(...options));

/* What a server may do at its start, and what is said of it then. */
const starts = {
  'exits at once': [['exit=3'], /the database is locked/],
  'refuses initialize': [['initialize=error'], /no token was given/],
  'answers initialize with nonsense': [['initialize=wrong'], /initialize/],
  'answers with an unknown version': [['initialize=version'],
    /1999-01-01|version/],
};

/*
 * All of these wait until the program gives a server up, each with a program of
 * its own, and so side by side.
 */
function waiting() {
  test('a server that does not start fails alone', beside, async (t) => {
    await Promise.all(Object.entries(starts).map(([what, [options, words]]) =>
      t.test(what, async (s) => {
        const raw = await withOdd(s, ...options);
        const [line, other, again] = (await raw.printed(`${prelude}
both = await asyncio.gather(attempt("h", "echo", {}),
                            attempt("good", "echo", {}))
print(json.dumps(both[0]))
print(json.dumps(both[1]))
print(json.dumps(await attempt("h", "echo", {})))`,
        { servers: ['h', 'good'], ...generous })).map((text) =>
          JSON.parse(text));

        assertFailed(line, 'h', words);
        assert.deepEqual(other, { text: '{}' });
        assertFailed(again, 'h', words);
        await assertServes(raw, 'good');
        await raw.finish();
      })));
    });

  test('a program that is no server fails alone', beside, async (t) => {
    const programs = {
      cat: [{ command: 'cat' }, /./],
      true: [{ command: 'true' }, /exited|ended/],
      /* It goes on while it is given up. */
      yes: [{ command: '/bin/sh', args: ['-c', 'trap "" TERM; exec yes'] },
        /100000 lines or 32 MiB before it was ready; it wrote .y. instead/],
      'a folder': [{ command: '/usr/bin' }, /\/usr\/bin/],
      'a script without a line': [{ command: '/etc/passwd' }, /\/etc\/passwd/],
      'a folder that is not there': [
        { ...hostile(), cwd: '/no/such/folder' }, /cannot enter its folder: No such/],
    };

    await Promise.all(Object.entries(programs).map(([what, [entry, words]]) =>
      t.test(what, async (s) => {
        const raw = await withServer(s, entry);
        const { isError, content } = await raw.run(
          `await runtime.call_tool("h", "echo", {})`,
          { servers: ['h'], timeout: 60 });

        /* It may be known before anything runs, or when it is touched. */
        assert.equal(isError, true);
        assert.match(content[0].text, /\bh\b/);
        assert.match(content[0].text, words);
        await assertServes(raw, 'good');
        await raw.finish();
      })));
    });

  test('a server that starts too late for one call serves the next',
    async (t) => {
      const mark = path.join(folder(t), 'ready');
      const raw = await withOdd(t, `initialize=until:${mark}`);

      assertFailed(await attempt(raw, 'h', 'echo'), 'h',
        /still starting after .*waits for a login at https:\/\/h\.example/);
      fs.writeFileSync(mark, '');
      await assertServes(raw, 'h');
      await raw.finish();
    });
}

function atOnce() {
  test('what a server writes instead of MCP, or refuses with, has no secrets',
    async (t) => {
      const env = { H: '{"Authorization":"Bearer ntn_4f8A","v":"2022-06-28"}' };
      const entry = (line, secret = '"$k"4f8A') => ({ command: '/bin/sh',
        args: ['-c', `read -r any; k=ntn_; printf ${line} ${secret}`], env });
      const refusal = (message) => `'{"jsonrpc":"2.0","id":1,"error":` +
        `{"code":-1,"message":"${message}"}}\\n'`;
      const list = `'{"jsonrpc":"2.0","id":1,"result":{"capabilities":` +
        `{"tools":{}},"protocolVersion":"2025-06-18","serverInfo":` +
        `{"name":"l","version":"1"}}}\\n{"jsonrpc":"2.0","id":2,"error":` +
        `{"code":-2,"message":"no list","data":{"of %s":1}}}\\n'`;
      const servers = {
        banner: entry(`'%0193d %s\\n' 0`),
        refused: entry(refusal('not %s')),
        /* Cut within the secret, by us or by what is kept of the output. */
        long: entry(refusal('%02044d%s'), '1 "$k"4f8A'),
        tail: entry(`'%s%016380d' >&2`, '"$k"4f8A 2'),
        listed: entry(list),
        escaped: entry(list, `"$k"4f8'\\u0041'`),
      };
      const raw = await Raw.open(t, withServers(t, servers));
      const { structuredContent } = await raw.run(`
for server in ${python(Object.keys(servers))}:
    try:
        await runtime.call_tool(server, "echo", {})
    except runtime.MCPError as error:
        print(error, error.data)`, { servers: Object.keys(servers) });

      await raw.finish();
      assert.match(JSON.stringify(structuredContent), new RegExp(
        'it wrote ..0{193} \\*\\*\\*.. instead.*initialize..: not \\*\\*\\*.*' +
        'says: 0{9}.*no list .code -2. None.*no list .code -2. None', 's'));
      assert.doesNotMatch(JSON.stringify(structuredContent) + raw.errors,
        /ntn_|4f8A/);
    });

  /*
   * What a server may do while it is called. Each: the tool, its arguments,
   * what the error must say, or undefined when the call must work.
   */
  const reply = '"jsonrpc":"2.0","id":@ID@';
  const calls = {
    'it dies with last words':
      ['die', { code: 1, words: 'out of coffee' }, /out of coffee/],
    'it is killed': ['die', { signal: 'SIGKILL' }, /SIGKILL|killed/],
    'it dies in the middle of its answer': ['half', {}, /exited|ended|died/],
    'its answer is unreadable': ['line',
      { text: `{${reply},"result":{"content":[}}` }, /cannot be used/],
    'its answer is not UTF-8': ['bytes', { hex: Buffer.from(
      `{${reply},"result":{"content":[{"type":"text","text":"\u00ff"}]}}\n`,
      'latin1').toString('hex').replace(Buffer.from('@ID@').toString('hex'),
      '@ID@') }, /cannot be used/],
    'its answer has a result and an error': ['line',
      { text: `{${reply},"result":{},"error":{"code":1,"message":"m"}}` }],
    'its error is large': ['error',
      { code: -1, message: 'more of it ', times: mebi }, /more of it/],
    'it refuses': ['error', { code: -32000, message: 'the disk is full' },
      /the disk is full/],
    'the tool fails': ['fail', { words: 'no such table' }, /no such table/],
    'the tool does not exist': ['no_such_tool', {}, /no_such_tool/],
    'its result is too large': ['huge', { bytes: 17 * mebi }, /MiB|at most/],
  };

  test('what goes wrong in a call costs that call', async (t) => {
    const raw = await withOdd(t);

    for (const [what, [tool, args, words]] of Object.entries(calls)) {
      await t.test(what, async () => {
        assertFailed(await attempt(raw, 'h', tool, args), 'h', words);
        await assertServes(raw, 'h');
      });
    }
    await assertServes(raw, 'good');
    await raw.finish();
  });

  /* Results that are odd but for the code to judge. */
  const results = ['{}', '{"content":null}', '{"content":"text"}',
    '{"content":[5,null,{"type":"unknown"},{"type":"text"},{"text":7}]}',
    '{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}',
    '{"structuredContent":[1]}', '{"structuredContent":null,"isError":"yes"}',
    '{"isError":0,"content":[]}', '{"_meta":{"a":1},"content":[]}',
    '{"content":[{"type":"text","text":"{\\"a\\":1"}]}'];

  test('odd results are given to the code', async (t) => {
    const raw = await withOdd(t);

    assert.deepEqual(await raw.printed(`
from mcp import runtime
runtime.configure(raise_on_error=False)
for text in ${python(results)}:
    try:
        result = await mcp_h.raw(result=text)
    except runtime.MCPError as error:
        result = error.result
    result.text, result.data
    print(isinstance(result, dict))`, { servers: ['h'] }),
    results.map(() => 'True'));
    await raw.finish();
  });

  test('garbage between answers is skipped', async (t) => {
    const raw = await withOdd(t, 'noise');

    for (let i = 0; i < 3; i++)
      await assertServes(raw, 'h');
    assert.match((await attempt(raw, 'h', 'huge', { bytes: 50_000 })).text,
      /^x+$/);
    await raw.finish();
  });

  test('answers twice, to an unknown id, and out of order', async (t) => {
    const raw = await withOdd(t);

    for (let i = 0; i < 3; i++) {
      assert.equal((await attempt(raw, 'h', 'stray')).text, 'for you');
      assert.equal((await attempt(raw, 'h', 'twice')).text, '1');
    }
    assert.deepEqual(await raw.printed(`
import asyncio
print(*[result.text for result in await asyncio.gather(
    *(mcp_h.reversed(n=n, of=50) for n in range(50)))])`,
    { servers: ['h'] }), [Array.from({ length: 50 }, (_, n) => n).join(' ')]);
    await assertServes(raw, 'h');
    await raw.finish();
  });

  test('requests and notifications of a server, in floods', async (t) => {
    const log = path.join(folder(t), 'heard');
    const raw = await withOdd(t, `log=${log}`);

    for (const kind of ['request', 'notification']) {
      assert.equal((await attempt(raw, 'h', 'flood', { kind, count: 20_000 }))
        .text, 'after the flood');
      await assertServes(raw, 'h');
    }
    await hears(log, ({ id }) => id === 'h0', 'an answer to its ping');
    const answers = heard(log).filter(({ id, method }) =>
      method === undefined && /^h\d/.test(id));
    const of = (n) => answers.find(({ id }) => id === `h${n}`);

    assert.deepEqual(of(0).result, {}, 'ping is answered');
    assert.deepEqual(of(1).result, { roots: [] });
    for (const [n, code] of [[2, -32603], [3, -32603], [4, -32601]])
      assert.equal(of(n).error.code, code, 'what we do not offer is refused');
    await raw.finish();
  });

  test('a server that writes while it does not read', async (t) => {
    const raw = await withOdd(t);

    assert.deepEqual(await raw.printed(`
import asyncio
text = "y" * 1_000_000
results = await asyncio.gather(
    mcp_h.flood(kind="request", count=50_000),
    *(mcp_h.echo(v=text) for _ in range(30)))
print(results[0].text, {len(result.data["v"]) for result in results[1:]})`,
    { servers: ['h'], timeout: 100 }), ['after the flood {1000000}']);
    await assertServes(raw, 'h');
    await raw.finish();
  });

  test('a server that says much on standard error', async (t) => {
    const raw = await withOdd(t, `chatter=${mebi}`);

    assert.equal((await attempt(raw, 'h', 'chatter', { bytes: mebi })).text,
      'said');
    const failed = await attempt(raw, 'h', 'die',
      { code: 1, words: 'because of this' });

    assertFailed(failed, 'h', /because of this/);
    assert.ok(failed.error.length < 10_000, 'only the end of it is told');
    await assertServes(raw, 'h');
    await raw.finish();
  });

  test('a server that closes its output is started again', async (t) => {
    const log = path.join(folder(t), 'heard');
    const entries = { h: hostile(`log=${log}`) };
    const raw = await Raw.open(t, withServers(t, entries));

    await assertServes(raw, 'h');
    const first = await served(entries.h);

    assertFailed(await attempt(raw, 'h', 'mute', {}, { timeout: 60 }), 'h');
    await gone([first]);
    await assertServes(raw, 'h');
    await raw.finish();
  });

  test('a server that closes its input is started again', async (t) => {
    const raw = await withOdd(t);

    assert.equal((await attempt(raw, 'h', 'shut')).text, 'shut');
    assertFailed(await attempt(raw, 'h', 'echo'), 'h',
      /closed its standard input/);
    await assertServes(raw, 'h');
    await raw.finish();
  });

  /* Ends the program and waits until none of its processes is left. */
  async function finishWithout(raw, ...entries) {
    const family = descendants(raw.pid);

    await raw.finish();
    await gone(family);
    await unserved(...entries);
  }

  test('a server that is deaf is ended all the same', async (t) => {
    const gate = new Gate();
    const entry = hostile('deaf', `orphan=${gate.seconds}`);
    const raw = await Raw.open(t, withServers(t, { h: entry }));

    await assertServes(raw, 'h');
    await gate.reached();
    await finishWithout(raw, entry);
    assert.deepEqual(gate.find(), []);
  });

  test('a server that outlives its input is asked to end', async (t) => {
    const asked = path.join(folder(t), 'asked');
    const { command, args, ...rest } = hostile();
    const entry = { ...rest, command: 'sh', args: ['-c',
      'trap \'echo yes > "$0"; exit\' TERM; "$@"; exec 2> /dev/null; ' +
      'while :; do sleep 1; done',
      asked, command, ...args] };
    const raw = await Raw.open(t, withServers(t, { h: entry }));

    await assertServes(raw, 'h');
    await finishWithout(raw, { command, args });
    assert.equal(fs.readFileSync(asked, 'utf8'), 'yes\n');
  });

  test('what a server has started ends with it', async (t) => {
    const entry = hostile();
    const gates = [new Gate(), new Gate()];
    const raw = await Raw.open(t, withServers(t, { h: entry }));

    for (const gate of gates) {
      await attempt(raw, 'h', 'orphan', { seconds: gate.seconds });
      await gate.reached();
    }
    await attempt(raw, 'h', 'die', { code: 0 });
    for (const gate of gates)
      await gone(gate.find());
    await attempt(raw, 'h', 'orphan', { seconds: gates[0].seconds });
    await gates[0].reached();
    await finishWithout(raw, entry);
    assert.deepEqual(gates[0].find(), []);
  });

  /* The names of the tools of h, as a call sees them. */
  async function toolNames(raw) {
    const [line] = await raw.printed(`
import json
names = [tool["tool"] for tool in await runtime.list_tools("h")]
print(json.dumps([len(names), names[:1], names[-1:]]))`,
    { servers: ['h'], ...generous });

    return JSON.parse(line);
  }

  test('lists of tools that are long, or come in pages', async (t) => {
    for (const [options, count] of [['tools=9999', 9999],
      ['tools=paged:95', 95], ['tools=none', 0]]) {
      await t.test(options, async (s) => {
        const raw = await withOdd(s, options);
        const [length, first, last] = await toolNames(raw);

        assert.equal(length, count);
        assert.deepEqual([...first, ...last],
          count ? ['tool_0', `tool_${count - 1}`] : []);
        if (count) {
          assert.deepEqual(await raw.printed(
            `print((await mcp_h.tool_${count - 1}()).data[0])`,
            { servers: ['h'], ...generous }), [`tool_${count - 1}`]);
        }
        await raw.finish();
      });
    }
  });

  /* Lists that cannot be had; what is said. */
  const lists = {
    'tools=250000': /tools|large|MiB/,
    'tools=error': /the list of tools is not to be had/,
      'tools=endless': undefined,
      'tools=wrong': undefined,
      'tools=same': undefined,
  };

  test('lists of tools that cannot be had', async (t) => {
    for (const [options, words] of Object.entries(lists)) {
      await t.test(options, async (s) => {
        const raw = await withOdd(s, options);
        const [line, called] = await raw.printed(`${prelude}
try:
    tools = await runtime.list_tools("h")
    print(json.dumps({"names": [tool["tool"] for tool in tools]}))
except runtime.MCPError as error:
    print(json.dumps({"error": str(error), "server": error.server}))
print(json.dumps(await attempt("h", "echo", {})))`,
        { servers: ['h'], ...generous });
        const outcome = JSON.parse(line);

        /* What is well-formed is kept. */
        if (words === undefined)
          assert.ok(outcome.names.includes('echo') &&
            !outcome.names.includes('wrong_schema'), line);
        else
          assertFailed(outcome, 'h', words);
        /* A tool can be called by its name whatever the list says. */
        assert.ok(JSON.parse(called).text === '{}' ||
          JSON.parse(called).error.includes('h'), called);
        await assertServes(raw, 'good');
        const broker = descendants(raw.pid).find((entry) =>
          entry.name.startsWith('broker'));

        assert.ok(memory(broker.pid, 'VmHWM') < 512 * 1024,
          'the broker stays small');
        await raw.finish();
      });
    }
  });

  test('a tool is not called whose schema was not read', async (t) => {
    for (const [options, tool, words] of [
      ['tools=10050', 'tool_10049', /only a part of its list was read/],
      ['tools=wrong', 'wrong_schema', /its inputSchema is not an object/],
    ]) {
      const raw = await withOdd(t, options);

      assertFailed(await attempt(raw, 'h', tool), 'h', words);
      assertFailed(await attempt(raw, 'h', tool), 'h', words);
      /* Also if the code has the list. */
      assert.match((await raw.run(`await mcp_h.${tool}()`,
        { servers: ['h'], ...generous })).structuredContent.stderr.join(' '),
      words);
      await raw.finish();
    }
  });

  test('a list of tools that never comes blocks no other call', campaign,
    async (t) => {
    const raw = await withOdd(t, 'tools=silent');
    /* Many boxes start beside it, on a machine that may be slow. */
    const id = raw.postCall(
      'print("begun")\nawait runtime.list_tools("h")', { servers: ['h'],
        timeout: contained ? 30 : 15 });

    await assertServes(raw, 'good');
    const { isError, structuredContent } = await raw.result(id);

    assert.equal(isError, true);
    assert.deepEqual(structuredContent.stdout, ['begun'],
      JSON.stringify(structuredContent));
    await raw.finish();
  });

  test('a server that dies at its first start serves at its second',
    async (t) => {
      const mark = path.join(folder(t), 'once');

      fs.writeFileSync(mark, '');
      const raw = await withOdd(t, `initialize=first:${mark}`);
      const outcome = await attempt(raw, 'h', 'echo');

      /* It may have been started for the second time before it was called. */
      if (outcome.text === undefined)
        assertFailed(outcome, 'h', /not the first time/);
      await assertServes(raw, 'h');
      assert.ok(!fs.existsSync(mark));
      await raw.finish();
    });

  test('what one call does to a server hurts no other server', async (t) => {
    const raw = await withOdd(t);
    const lines = await raw.printed(`${prelude}
outcomes = await asyncio.gather(
    attempt("good", "sleep", {"ms": 300}),
    attempt("h", "never", {}), attempt("h", "sleep", {"ms": 60_000}),
    attempt("h", "die", {"code": 1, "words": "all at once"}),
    attempt("good", "echo", {}))
for outcome in outcomes:
    print(json.dumps(outcome))`, { servers: ['h', 'good'], ...generous });
    const outcomes = lines.map((line) => JSON.parse(line));

    assert.equal(outcomes[0].text, '300');
    assert.equal(outcomes[4].text, '{}');
    for (const outcome of outcomes.slice(1, 4))
      assertFailed(outcome, 'h', /all at once/);
    await assertServes(raw, 'h');
    await raw.finish();
  });
}

/* Those that wait do so beside the others, which come one after another. */
together('servers', beside, () => {
  together('what is waited for', beside, waiting);
  together('what happens at once', { concurrency: 1 }, atOnce);
});
