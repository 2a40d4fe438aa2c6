/*
 * What passes between the code and a server passes as it is: awkward values
 * byte by byte, in both directions, and sizes up to the limits.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Raw } from './support/raw.mjs';
import {
  assertFailed, assertServes, attempt, hostile, prelude, python, withServers,
} from './support/servers.mjs';

const mebi = 1024 * 1024;

/* JSON as a server writes it, and what Python must then have (as ascii). */
const values = [
  ['18446744073709551617', '18446744073709551617'],
  ['-99999999999999999999999999', '-99999999999999999999999999'],
  ['9007199254740993', '9007199254740993'],
  ['0.1', '0.1'],
  ['0.30000000000000004', '0.30000000000000004'],
  ['1e400', '1e400'],
  ['-1e400', '-1e400'],
  ['1e-400', '1e-400'],
  ['1E2', '100.0'],
  ['5e-324', '5e-324'],
  ['-0', '0'],
  ['-0.0', '-0.0'],
  ['"\\u0000"', "'\\x00'"],
  ['"\\ud800"', "'\\ud800'"],
  ['"\\udfff\\ud800"', "'\\udfff\\ud800'"],
  ['"\\ud83d\\ude00"', "'\\U0001f600'"],
  ['"😀"', "'\\U0001f600'"],
  ['"\\u2028\\/\\u007f"', "'\\u2028/\\x7f'"],
  ['"\u2028\u0085\ufeff"', "'\\u2028\\x85\\ufeff'"],
  ['{"a":1,"a":2}', "{'a': 2}"],
  ['{"b":1,"a":2,"":3,"\\u0000":4}', "{'b': 1, 'a': 2, '': 3, '\\x00': 4}"],
  ['[ 1 ,\t2\r,{ } ]', '[1, 2, {}]'],
  ['null', 'None'], ['true', 'True'], ['""', "''"], ['{}', '{}'],
];

test('values of a server arrive in Python as they were', async (t) => {
  const raw = await Raw.open(t, withServers(t, { h: hostile() }));
  const lines = await raw.printed(`
for text in ${python(values.map(([text]) => text))}:
    result = await mcp_h.raw(result='{"content":[],"structuredContent":{"v":'
                             + text + "}}")
    print(ascii(result["structuredContent"]["v"]))`, { servers: ['h'] });

  assert.deepEqual(lines, values.map(([, shown]) => shown));
  await raw.finish();
});

test('texts of resources arrive, and a line for all else', async (t) => {
  const raw = await Raw.open(t, withServers(t, { h: hostile() },
    { env: { CAISSON_TOOLS: 'run_python,run_code' } }));
  const resource = (more) => ({ type: 'resource',
    resource: { uri: 'a:b', ...more } });
  const content = [resource({ text: '{"a": 1}' }),
    { type: 'image', mimeType: 'image/png', data: 'A'.repeat(16000) },
    resource({ mimeType: 'application/pdf', blob: 'AAAA' })];
  const result = JSON.stringify({ content });

  assert.deepEqual(await raw.printed(`
r = await mcp_h.raw(result=${python(result)})
print(r.text, r.data, r.a, len(r.blocks), sep="\\n")`, { servers: ['h'] }),
  ['{"a": 1}', '[image image/png 12 kB]', '[resource application/pdf 3 bytes]',
    "{'a': 1}", '1', '3']);
  const shell = await raw.result(raw.post('tools/call', { name: 'run_code',
    arguments: { language: 'shell', servers: ['h'],
      code: `mcp call h raw - <<'E'\n${JSON.stringify({ result })}\nE` } }));

  assert.deepEqual(shell.structuredContent.stdout, ['{"a": 1}']);
  assert.match(shell.structuredContent.stderr.join(),
    /parts of the result are not text \(2\)/);
  await raw.finish();
});

test('values of the code arrive at the server as they were', async (t) => {
  const raw = await Raw.open(t, withServers(t, { h: hostile() }));
  const lines = await raw.printed(`
import json
class Text(str): pass
for value in (2 ** 64 + 1, -10 ** 30, 9007199254740993, 0.1, 1e300, 5e-324,
              -0.0, 0, "\\0\\x1f\\x7f\\x85\\u2028\\ufeff", "\\U0001f600",
              "\\"\\\\/\\n", Text("x"), [1, [2, {}]], (1, 2),
              {"b": 1, "a": 2, "": 3, "\\0": 4}, True, None, ""):
    text = (await mcp_h.echo(v=value)).text
    read = json.loads(text)["v"]
    same = read == (list(value) if type(value) is tuple else value)
    print(same, repr(read) == repr(value), "\\n" in text, ascii(value)
          if not same else "")
text = (await mcp_h.echo(z=1, a=2, m=3)).text
print(list(json.loads(text)))`, { servers: ['h'] });
  const strange = lines.slice(0, -1).filter((line) =>
    !/^True (True|False) False/.test(line));

  assert.deepEqual(strange, []);
  assert.equal(lines.length, 19);
  assert.equal(lines.filter((line) => /^True False/.test(line)).length, 1,
    'only the tuple is another type afterwards');
  assert.equal(lines.at(-1), "['z', 'a', 'm']");
  await raw.finish();
});

/*
 * Python that speaks the box protocol by itself, so that every byte of a
 * frame is its own: exchange(server, tool, arguments as text) gives the frame
 * that answers.
 */
const frames = `
import json, os, stat
pipes = sorted(fd for fd in map(int, os.listdir("/proc/self/fd"))
               if fd > 2 and os.path.exists("/proc/self/fd/%d" % fd)
               and stat.S_ISFIFO(os.fstat(fd).st_mode))
control_in, control_out = pipes[-2:]
number = 0
def exchange(server, tool, arguments):
    global number
    number += 1
    frame = ('{"type":"rpc_request","id":%d,"payload":{"type":"call_tool",'
             '"server":%s,"tool":%s,"arguments":%s}}\\n' % (number,
             json.dumps(server), json.dumps(tool), arguments)).encode()
    while frame:
        frame = frame[os.write(control_out, frame):]
    answer = b""
    while not answer.endswith(b"\\n"):
        answer += os.read(control_in, 1 << 16)
    return answer.decode()
`;

/* Objects as text, none of which a JSON library gives back. */
const awkward = [
  '{"a" : 1e400, "b":-0,"a":18446744073709551617}',
  '{"":{"x":0.10, "x":0.1,"x":1E+02}}',
  '{"s":"\\u0000\\ud800\\/\\u0041\u2028"}',
  '{ }', '{"z":[ ] , "a":[ 1,\t2 ]}',
  `{"n":${'1234567890'.repeat(500)}}`,
  `{"deep":${'['.repeat(200)}${']'.repeat(200)}}`,
];

test('not a byte of arguments and results is changed', async (t) => {
  const raw = await Raw.open(t, withServers(t, { h: hostile() }));
  const [sent, got] = (await raw.printed(`${frames}
sent, got = [], []
for text in ${python(awkward)}:
    answer = json.loads(exchange("h", "echo", text))
    assert answer["success"] is True, answer
    sent.append(answer["payload"]["content"][0]["text"])
    got.append(exchange("h", "raw", json.dumps({"result": text})))
print(json.dumps(sent))
print(json.dumps(got))`, { servers: ['h'] })).map((line) =>
    JSON.parse(line));

  assert.deepEqual(sent, awkward);
  for (const [n, frame] of got.entries())
    assert.ok(frame.includes(awkward[n]),
      `${frame.slice(0, 300)} has ${awkward[n].slice(0, 100)}`);
  await raw.finish();
});

test('results as large as the limit pass, larger ones fail', async (t) => {
  const raw = await Raw.open(t, withServers(t, { h: hostile() }));
  const length = (bytes) => attemptLength(raw, bytes);
  const around = '{"content":[{"type":"text","text":""}]}'.length;

  for (const bytes of [64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1, mebi,
    16 * mebi - 1024, 16 * mebi])
    assert.deepEqual(await length(bytes), { text: bytes - around });
  for (const bytes of [16 * mebi + 1, 17 * mebi, 40 * mebi]) {
    assertFailed(await length(bytes), 'h',
      /16 ?MiB|16777216|at most/);
    await assertServes(raw, 'h');
  }
  await raw.finish();
});

/* Lets a tool answer so many bytes; gives the length of their text. */
async function attemptLength(raw, bytes) {
  const [line] = await raw.printed(`${prelude}
outcome = await attempt("h", "huge", {"bytes": ${bytes}})
if "text" in outcome:
    outcome["text"] = len(outcome["text"])
print(json.dumps(outcome))`, { servers: ['h'], timeout: 100 });

  return JSON.parse(line);
}

test('arguments as large as the limit pass, larger ones fail', async (t) => {
  const raw = await Raw.open(t, withServers(t, { h: hostile() }));
  const lines = await raw.printed(`${prelude}
for size in (65535, 65536, 65537, 1 << 20, (16 << 20) - 2048):
    result = await mcp_h.echo(v="x" * size)
    assert len(result.data["v"]) == size
    print(size)
for size in ((16 << 20) + 1, 40 << 20):
    try:
        await mcp_h.echo(v="x" * size)
        print("nothing was raised")
    except (TypeError, ValueError, runtime.MCPError) as error:
        print(error)
print((await mcp_h.echo(v=1)).data)`, { servers: ['h'], timeout: 100 });

  assert.deepEqual(lines.slice(0, 5).map(Number),
    [65535, 65536, 65537, mebi, 16 * mebi - 2048]);
  for (const line of lines.slice(5, 7))
    assert.match(line, /16 ?MiB|16777216|too (large|long)/);
  assert.equal(lines[7], "{'v': 1}");
  await raw.finish();
});

test('nesting that is too deep fails its own call', async (t) => {
  const raw = await Raw.open(t, withServers(t, { h: hostile() }));

  assert.equal((await attempt(raw, 'h', 'deep', { depth: 200 })).error,
    undefined);
  for (const depth of [300, 2000, 200_000, 4_000_000]) {
    assertFailed(await attempt(raw, 'h', 'deep', { depth }), 'h');
    await assertServes(raw, 'h');
  }
  await raw.finish();
});
