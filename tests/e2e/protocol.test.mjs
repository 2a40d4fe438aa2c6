/*
 * The protocol, line by line: what a client may send, what it must not, and
 * that the program answers either way and lives on.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { commandLine, folder } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { within } from './support/wait.mjs';

const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

const parseError = -32700;
const invalidRequest = -32600;
const methodNotFound = -32601;
const invalidParams = -32602;
/* The message must be one sentence a person can use. */
function assertError(answer, code, words) {
  assert.ok(answer.error, `an error, not ${JSON.stringify(answer)}`);
  assert.equal(answer.error.code, code, answer.error.message);
  assert.ok(answer.error.message.length > 5);
  assert.doesNotMatch(answer.error.message, /\n/);
  if (words)
    assert.match(answer.error.message, words);
}

/* The answer whose id is null, the n-th such (from 0). */
async function unnamed(raw, n = 0) {
  const nulls = () => raw.messages.filter((message) => message.id === null);

  await raw.message(() => nulls().length > n, 'an answer without an id');
  return nulls()[n];
}

test('versions that are known are echoed', async (t) => {
  for (const version of versions) {
    const raw = Raw.start(t);
    const result = await raw.initialize(version);

    assert.equal(result.protocolVersion, version);
    assert.equal(result.serverInfo.name, 'caisson');
    assert.equal((await raw.request('tools/list')).result.tools.length, 1);
    await raw.finish();
  }
});

test('versions that are unknown get the newest', async (t) => {
  for (const version of ['2026-07-28', '1999-01-01', '', 'x'.repeat(1000)]) {
    const raw = Raw.start(t);

    assert.equal((await raw.initialize(version)).protocolVersion,
      '2025-11-25');
    await raw.finish();
  }
});

test('before initialize only ping is answered', async (t) => {
  const raw = Raw.start(t);

  for (const method of ['tools/list', 'tools/call', 'resources/list',
    'resources/read', 'resources/templates/list'])
    assertError(await raw.request(method, {}), invalidRequest, /initialize/);
  await raw.ping();
  /* Half a request of the other era gets its error, and no session. */
  assertError(await raw.request('server/discover', {
    _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
  }), invalidParams, /clientCapabilities/);
  assertError(await raw.request('server/discover', {}), methodNotFound);
  await raw.initialize();
  assert.equal((await raw.request('tools/list')).result.tools.length, 1);
  await raw.finish();
});

test('lines may come in any pieces', async (t) => {
  const raw = await Raw.open(t);

  await raw.write('\n\r\n   \n\t\n');
  await raw.write('{"jsonrpc":"2.0","id":"crlf","method":"ping"}\r\n');
  assert.deepEqual((await raw.response('crlf')).result, {});

  for (const byte of Buffer.from(
    ' {"jsonrpc":"2.0","id":"bäte","method":"ping"} \n'))
    await raw.write(Buffer.from([byte]));
  assert.deepEqual((await raw.response('bäte')).result, {});

  await raw.write('{"jsonrpc":"2.0","id":"a","method":"ping"}\n' +
    '{"jsonrpc":"2.0","id":"b","method":"ping"}\n' +
    '{"jsonrpc":"2.0","id":"c","method":"pi');
  await raw.response('a');
  await raw.response('b');
  assert.ok(!raw.has('c'));
  await raw.write('ng"}\n');
  await raw.response('c');
  assert.equal(raw.messages.length, 6, 'blank lines are not answered');
  await raw.finish();
});

test('a last line without a newline is a line', async (t) => {
  const raw = await Raw.open(t);

  raw.child.stdin.end('{"jsonrpc":"2.0","id":"last","method":"ping"}');
  assert.deepEqual((await raw.response('last')).result, {});
  assert.deepEqual(await raw.wait(), { code: 0, signal: null });
});

test('garbage is answered and survived', async (t) => {
  const raw = await Raw.open(t);
  const garbage = ['garbage', '{', '{"jsonrpc":"2.0","id":1,', '{}{}',
    '{"a":1,}', 'NaN', '"open', '/* c */ {}', '\0', '\ud800',
    '"' + 'x'.repeat(100_000), '{"jsonrpc":"2.0","id":1,"id":1'];
  const none = ['1', 'null', '[]', '{}', '{"jsonrpc":"2.0","id":null,' +
    '"method":"ping"}', `{"jsonrpc":"2.0","id":"${'a'.repeat(65_535)}",` +
    '"method":"ping"}'];

  for (const [n, line] of [...garbage, ...none].entries()) {
    await raw.write(`${line}\n`);
    assertError(await unnamed(raw, n),
      ...n < garbage.length ? [parseError, /Parse error/] : [invalidRequest]);
    await raw.write(' \t\r\n');
    await raw.ping();
  }
  for (const [method, params] of [['tools/list', { cursor: 'x' }],
    ['resources/list', { cursor: 7 }], ['resources/read', { uri: 1 }],
    ['tools/list', []]])
    assertError(await raw.request(method, params), invalidParams);
  await raw.finish();
});

test('batches are for the one version that has them', async (t) => {
  const batch = (...messages) => `[${messages.join(',')}]`;
  const ping = (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
  const call = (id, code) => JSON.stringify({ jsonrpc: '2.0', id,
    method: 'tools/call',
    params: { name: 'run_python', arguments: { code } } });
  const note = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

  for (const version of versions.filter((name) => name !== '2025-03-26')) {
    const raw = Raw.start(t);

    await raw.initialize(version);
    await raw.send(batch(ping(5), ping(6)));
    assertError(await unnamed(raw), invalidRequest);
    await raw.ping();
    assert.ok(!raw.has(5) && !raw.has(6));
    await raw.finish();
  }

  const raw = Raw.start(t, { batches: true });

  await raw.initialize('2025-03-26');
  await t.test('all answers come in one', async () => {
    await raw.send(batch(ping(11), note, call(12, 'print("twelve")'),
      ping('"13"'), '5', '{"jsonrpc":"2.0","id":14,"method":"nothing"}',
      call(15, '1/0')));
    await raw.response(15);
    const [answers] = raw.batches;
    const answer = (id) => answers.find((message) => message.id === id);

    assert.equal(answers.length, 6);
    assert.deepEqual(answer(11).result, {});
    assert.equal(answer(12).result.content[0].text, 'twelve');
    assert.deepEqual(answer('13').result, {});
    assertError(answer(null), invalidRequest);
    assertError(answer(14), methodNotFound);
    assert.equal(answer(15).result.structuredContent.exitCode, 1);
  });

  await t.test('a call outside of it does not wait for it', async () => {
    const gate = new Gate();

    await raw.send(batch(ping(21), call(22, gate.wait)));
    await gate.reached();
    assert.equal((await raw.run('print("beside")')).content[0].text,
      'beside');
    assert.ok(!raw.has(21));
    gate.open();
    await raw.response(22);
    assert.ok(raw.has(21));
  });

  await t.test('a cancelled call of it is left out', async () => {
    const gate = new Gate();
    const before = raw.batches.length;

    await raw.send(batch(ping(31), call(32, gate.wait)));
    await gate.reached();
    raw.cancel(32);
    await raw.response(31);
    assert.deepEqual(raw.batches[before].map((message) => message.id), [31]);
  });

  await t.test('what cannot be in one', async () => {
    await raw.send('[]');
    assertError(await unnamed(raw, 1), invalidRequest);
    await raw.send(batch(...Array.from({ length: 101 }, () => note)));
    assertError(await unnamed(raw, 2), invalidRequest, /too many messages/);
    await raw.send(batch(ping(41), batch(ping(42)),
      '{"jsonrpc":"2.0","id":43,"method":"initialize","params":' +
      '{"protocolVersion":"2025-06-18"}}'));
    assertError(await raw.response(43), invalidRequest, /batch/);
    await raw.send(batch(JSON.stringify({ jsonrpc: '2.0', id: 44,
      method: 'ping', params: { _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {} } } })));
    assertError(await raw.response(44), invalidRequest, /batch/);
    assertError(await unnamed(raw, 3), invalidRequest);
    assert.ok(!raw.has(42));
  });

  await raw.finish();
});

test('ids come back byte by byte', async (t) => {
  const raw = await Raw.open(t);
  const ids = [
    '0', '-1', '-0', '18446744073709551616', '-9223372036854775809',
    '123456789012345678901234567890', '""', '"a b"', '"\\u00e9"', '"é"',
    '"\\n\\t\\\\\\"\\/"', '"\\ud83d\\ude00"', '"\\ud800"', '"\\u0000"',
    '"null"', `"${'x'.repeat(20_000)}"`,
  ];

  for (const id of ids) {
    const before = raw.lines.length;

    await raw.send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    await raw.nth(before);
    assert.equal(raw.lines[before],
      `{"jsonrpc":"2.0","id":${id},"result":{}}`);
  }
  /* The same through a whole execution, and white space does not matter. */
  const before = raw.lines.length;

  await raw.send('{ "params" : {"name":"run_python","arguments":' +
    '{"code":"print(1)"}}, "method":"tools/call",' +
    ' "id" : 18446744073709551617 , "jsonrpc":"2.0" }');
  await raw.nth(before);
  assert.ok(raw.lines[before].startsWith(
    '{"jsonrpc":"2.0","id":18446744073709551617,"result":{'));
  await raw.finish();
});

test('unknown methods are refused by name of the error', async (t) => {
  const raw = await Raw.open(t);

  for (const method of ['', 'tools/run', 'tools/List', 'prompts/list',
    'resources/subscribe',
    'notifications/cancelled', 'x'.repeat(10_000)])
    assertError(await raw.request(method, {}), methodNotFound);
  await raw.finish();
});

test('notifications and answers of the client are not answered',
  async (t) => {
    const raw = await Raw.open(t);

    raw.notify('notifications/no-such-thing', { a: 1 });
    raw.notify('notifications/roots/list_changed');
    raw.notify('notifications/cancelled');
    raw.notify('notifications/cancelled', {});
    raw.notify('notifications/cancelled', { requestId: 999 });
    raw.notify('notifications/cancelled', { requestId: { a: [] } });
    raw.notify('tools/call', { name: 'run_python' });
    raw.send({ jsonrpc: '2.0', id: 77, result: {} });
    raw.send({ jsonrpc: '2.0', id: 78, error: { code: 1, message: 'no' } });
    raw.send({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'no' } });
    await raw.ping();
    assert.equal(raw.messages.filter((m) => m.id === 77 || m.id === 78)
      .length, 0);
    await raw.finish();
  });

test('tools/call needs the name of the tool', async (t) => {
  const raw = await Raw.open(t);

  for (const name of ['', 'run_pythonx', 'RUN_PYTHON', 'sandbox.run_code',
    'run_python\0'])
    assertError(await raw.request('tools/call',
      { name, arguments: { code: 'print(1)' } }), invalidParams,
    /run_python/);
  for (const params of [undefined, {}, { name: null }, { name: 5 },
    { name: ['run_python'] }])
    assertError(await raw.request('tools/call', params), invalidParams,
      /name/);
  await raw.finish();
});

test('an id that is still running cannot be used again', async (t) => {
  const raw = await Raw.open(t);
  const gate = new Gate();
  const id = raw.postCall(`${gate.wait}\nprint("first")`);

  await gate.reached();
  raw.post('tools/call',
    { name: 'run_python', arguments: { code: 'print("second")' } }, id);
  assertError(await raw.response(id), invalidRequest, /id/);
  gate.open();
  await raw.message((message) => message.id === id && message.result,
    'the first call');
  /* Now the id is free again. */
  const before = raw.messages.length;

  raw.post('tools/call',
    { name: 'run_python', arguments: { code: 'print("third")' } }, id);
  assert.equal((await raw.nth(before)).result.content[0].text, 'third');
  await raw.finish();
});

test('lines above the limit', async (t) => {
  const raw = await Raw.open(t, { env: { CAISSON_MAX_CODE: '64k' } });
  const code = 'x'.repeat(2_000_000);
  const call = (rest) => JSON.stringify(
    { method: 'tools/call', ...rest });
  const params = { name: 'run_python', arguments: { code } };
  const words = /CAISSON_MAX_CODE/;

  /* Where the id is certain it is echoed, */
  await raw.send(`{"jsonrpc":"2.0","id":"first","method":"tools/call",` +
    `"params":${JSON.stringify(params)}}`);
  assertError(await raw.response('first'), invalidRequest, words);
  await raw.send(call({ params, jsonrpc: '2.0', id: 'last' }));
  assertError(await raw.response('last'), invalidRequest, words);

  /* and where it is not, it is null. */
  await raw.send(`{"method":"tools/call","id":"hidden","params":` +
    `${JSON.stringify(params)},"jsonrpc":"2.0"}`);
  const answer = await raw.message((message) => message.error &&
    (message.id === null || message.id === 'hidden'), 'the hidden id');

  assertError(answer, invalidRequest, words);

  assert.equal((await raw.run('print("alive")')).content[0].text, 'alive');
  await raw.finish();
});

test('a line above the limit that never ends costs no memory', async (t) => {
  const raw = await Raw.open(t, { env: { CAISSON_MAX_CODE: '1k' } });
  const chunk = Buffer.alloc(1 << 20, 'z');

  for (let i = 0; i < 100; i++)
    await raw.write(chunk);
  await raw.write('\n');
  assertError(await unnamed(raw), invalidRequest, /CAISSON_MAX_CODE/);

  const status = fs.readFileSync(`/proc/${raw.pid}/status`, 'latin1');
  const peak = Number(/VmHWM:\s*(\d+)/.exec(status)[1]);

  assert.ok(peak < 32 * 1024, `${peak} KiB at most`);
  await raw.finish();
});

/*
 * Answers fill their pipe while requests still come, and a few bytes of them
 * are read, so that there is room for less than one: no side may wait.
 */
test('both sides may write at once', async (t) => {
  const child = spawn('/usr/bin/python3', ['-c', `
import json, os, subprocess, sys
program = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE)
program.stdin.write(sys.argv[1].encode())
for n in range(60):
    request = {"jsonrpc": "2.0", "id": "%d %060000d" % (n, 0), "method": "ping"}
    program.stdin.write(json.dumps(request).encode() + b"\\n")
    program.stdin.flush()
    if n == 2:
        os.read(program.stdout.fileno(), 20_000)
program.stdin.close()
ids = [line.split(b'"id":"')[1].split()[0] for line in program.stdout
       if b'"id":"' in line]
sys.exit(program.wait() or ids[-50:] != [b"%d" % n for n in range(10, 60)])
`, session, ...commandLine({ home: folder(t) })], { stdio: 'ignore' });
  const code = await within(new Promise((resolve) => {
    child.on('exit', resolve);
  }), 'the program to read on');

  assert.equal(code, 0);
});

/* Runs the program with these as standard input and output. */
function plain(t, stdio) {
  const [command, ...args] = commandLine({ home: folder(t) });
  const child = spawn(command, args, { stdio });

  t.after(() => child.kill('SIGKILL'));
  return within(new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal }));
  }), 'the end of the program');
}

const session = [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params: {
    protocolVersion: '2025-11-25', capabilities: {},
    clientInfo: { name: 'file', version: '1' } } },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'ping' },
].map((message) => `${JSON.stringify(message)}\n`).join('');

test('regular files serve as input and output', async (t) => {
  const place = folder(t);
  const input = path.join(place, 'input');
  const output = path.join(place, 'output');

  fs.writeFileSync(input, session);
  const end = await plain(t, [fs.openSync(input, 'r'),
    fs.openSync(output, 'w'), 'ignore']);

  assert.deepEqual(end, { code: 0, signal: null });
  const lines = fs.readFileSync(output, 'utf8').trim().split('\n')
    .map((line) => JSON.parse(line).id);

  assert.deepEqual(lines, [1, 2]);
});

test('pipes that others have, too, are left as they were', async (t) => {
  const place = folder(t);
  const input = path.join(place, 'input');

  fs.writeFileSync(input, session);
  const child = spawn('/usr/bin/python3', ['-c', [
    'import fcntl, os, subprocess, sys',
    '(read, theirs), (answers, write) = os.pipe(), os.pipe()',
    'os.write(theirs, open(sys.argv[1], "rb").read())',
    'os.close(theirs)',
    'subprocess.run(sys.argv[2:], stdin=read, stdout=write, check=True)',
    'flags = [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in (read, write)]',
    'sys.exit(any(each & os.O_NONBLOCK for each in flags))',
  ].join('\n'), input, ...commandLine({ home: place })], { stdio: 'ignore' });
  const code = await within(new Promise((resolve) => {
    child.on('exit', resolve);
  }), 'the end of the program');

  assert.equal(code, 0);
});

test('a client that never reads is disconnected', async (t) => {
  const raw = await Raw.open(t);
  const read = '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":' +
    '{"uri":"resource://caisson/capabilities"}}\n';

  raw.child.stdout.pause();
  raw.child.stdin.on('error', () => {});
  raw.child.stdin.write(read.repeat(50_000));
  assert.deepEqual(await within(raw.exited, 'the end of the program'),
    { code: 0, signal: null });
  assert.match(raw.errors, /does not read its answers/);
});

test('an output without a reader ends the program', async (t) => {
  const raw = await Raw.open(t);
  const gate = new Gate();

  raw.postCall(gate.wait);
  await gate.reached();
  raw.child.stdout.destroy();
  /* The next answer finds out. */
  raw.post('ping');
  assert.deepEqual(
    await within(raw.exited, 'the end of the program'),
    { code: 0, signal: null });
  assert.deepEqual(gate.find(), []);
});
