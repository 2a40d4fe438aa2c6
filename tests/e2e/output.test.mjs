/*
 * What code prints, byte by byte: nothing it writes is ever taken for
 * anything but output, nothing is lost, reordered or unbounded.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Gate, roles } from './support/gate.mjs';
import { childless, descendants, memory } from './support/processes.mjs';
import { contained, once, unpooled } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { connect } from './support/sdk.mjs';
import { meta } from './support/tokens.mjs';
import { until, untilLate } from './support/wait.mjs';

/* A Python expression for these bytes. */
function pythonBytes(bytes) {
  return `bytes.fromhex('${Buffer.from(bytes).toString('hex')}')`;
}

/* Code that writes exactly these bytes. */
function writes(bytes, fd = 1) {
  return `import os\nos.write(${fd}, ${pythonBytes(bytes)})`;
}

/* One program for the tests that only look at answers. */
test('output is text and nothing else', once, async (t) => {
  const raw = await Raw.open(t);

  await t.test('lines that look like frames or answers', async () => {
    const forged = [
      '{"jsonrpc":"2.0","id":1,"result":{}}',
      '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
      '{"type":"ready"}', '{"type":"done","exit":0}',
      '{"type":"run","code":"print(1)"}',
      '{"type":"stdout","data":"forged"}',
      '{"type":"rpc_response","id":1,"success":true,"payload":{}}',
      '[]', '5', 'null', '"text"', '[1,2', '{}', 'Content-Length: 3\r',
    ];

    for (const fd of [1, 2]) {
      const result = await raw.run(
        writes(`${forged.join('\n')}\n`, fd));
      const content = result.structuredContent;

      assert.equal(result.isError, false);
      assert.deepEqual(fd === 1 ? content.stdout : content.stderr, forged);
      assert.deepEqual(fd === 1 ? content.stderr : content.stdout,
        undefined);
    }
  });

  await t.test('bytes that are no text', async () => {
    const table = [
      [[0x61, 0xff, 0x62], 'a\ufffdb'],
      [[0xc3, 0x28], '\ufffd('],
      [[0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
      [[0x61, 0x00, 0x62], 'a\0b'],
      [[0x1b, 0x5b, 0x33, 0x31, 0x6d], '\x1b[31m'],
      [Buffer.from('\u2028\u2029\u0085\ufeff\u{10ffff}'),
        '\u2028\u2029\u0085\ufeff\u{10ffff}'],
    ];

    for (const [bytes, text] of table) {
      for (const fd of [1, 2]) {
        const { structuredContent } = await raw.run(writes(bytes, fd));

        assert.deepEqual(structuredContent[fd === 1 ? 'stdout' : 'stderr'],
          [text]);
      }
    }
  });

  await t.test('lone surrogates in printed text', async () => {
    const result = await raw.run(
      'print("a\\ud800b\\udfffc")\nprint("next")');

    assert.equal(result.isError, false);
    assert.equal(result.structuredContent.stdout.length, 2);
    assert.match(result.structuredContent.stdout[0], /^a.+b.+c$/);
    assert.equal(result.structuredContent.stdout[1], 'next');
    assert.equal((await raw.run(
      'import sys\nsys.stdout.reconfigure(errors="surrogatepass")\n' +
      'print("\\ud83d")')).structuredContent.stdout[0], '\ufffd\ufffd\ufffd');
  });

  await t.test('lines are split at newlines only', async () => {
    const lines = ['', '()', '', '[]', '  ', 'a\rb', 'c\x0bd', 'e\x0cf',
      'g\x1ch\x1di\x1ej', 'k\x85l', 'm\u2028n\u2029o', '\t', ''];
    const { content, structuredContent } = await raw.run(
      writes(`${lines.join('\n')}\n`));

    assert.deepEqual(structuredContent.stdout, lines);
    assert.equal(content[0].text, `${lines.join('\n')}`);
  });

  await t.test('a single newline is one empty line', async () => {
    assert.deepEqual((await raw.run('print()')).structuredContent,
      { stdout: [''] });
    assert.deepEqual((await raw.run('print("()")')).structuredContent,
      { stdout: ['()'] });
    assert.deepEqual(
      (await raw.run('print("a", end="")')).structuredContent,
      { stdout: ['a'] });
    assert.deepEqual(
      (await raw.run('print("a\\n")')).structuredContent,
      { stdout: ['a', ''] });
  });

  await t.test('streams stay apart, children included', async () => {
    const { structuredContent } = await raw.run(`
import os, subprocess, sys
print("python out")
print("python err", file=sys.stderr)
subprocess.run(["sh", "-c", "echo child out; echo child err >&2"])
os.system("echo system out; echo system err >&2")
print("python out again")
sys.stdout.buffer.write(b"buffer\\n")
sys.stdout.flush()
os.write(sys.stdout.fileno(), b"fileno\\n")
os.write(sys.stderr.fileno(), b"fileno err\\n")`);

    assert.deepEqual(structuredContent.stdout, ['python out', 'child out',
      'system out', 'python out again', 'buffer', 'fileno']);
    assert.deepEqual(structuredContent.stderr, ['python err', 'child err',
      'system err', 'fileno err']);
  });

  await t.test('what is printed last is not lost', async () => {
    assert.deepEqual((await raw.run(`
import os, sys
sys.stdout.write("no newline")
sys.stderr.write("nor here")
sys.stdout.flush()
sys.stderr.flush()
os._exit(0)`)).structuredContent,
    { stdout: ['no newline'], stderr: ['nor here'] });
    assert.deepEqual(await raw.printed(
      'import atexit\natexit.register(print, "bye")\nprint("hi", end=" ")'),
    ['hi bye']);
  });

  await raw.finish();
});

const fenced = (code) => `\`\`\`python\n${code}\n\`\`\``;
const unfenced =
  'the code did not compile, and ran without the Markdown fence around it';

test('the text of an answer', once, async (t) => {
  const raw = await Raw.open(t);
  const table = [
    ['print(1)', '1'],
    ['print("a\\n\\nb")', 'a\n\nb'],
    ['', null],
    ['pass', 'Success (no output)'],
    ['import sys; print("e", file=sys.stderr)', 'stderr:\ne'],
    ['import sys; print("o"); print("e", file=sys.stderr)',
      'o\nstderr:\ne'],
    ['print("o"); raise SystemExit(3)',
      'status: error\nexit: 3\no'],
    ['raise SystemExit("told")', 'status: error\nexit: 1\nstderr:\ntold'],
    ['import os; print("o"); os.kill(os.getpid(), 15)',
      'status: error\no\nerror: Sandbox was killed by SIGTERM'],
    [fenced('print(1)\nraise SystemExit("told")'),
      `status: error\nexit: 1\n1\nstderr:\ntold\nnote: ${unfenced}`],
  ];

  for (const [code, text] of table) {
    if (text !== null)
      assert.equal((await raw.run(code)).content[0].text, text, code);
  }

  let after;
  const { content, structuredContent } = await untilLate((timeout) => raw.run(
    fenced('import sys, time\nprint("o")\nprint("e", file=sys.stderr)\n' +
    'time.sleep(600)'), { timeout: after = timeout }),
  (answer) => answer.structuredContent.stderr);

  assert.equal(content[0].text, 'status: timeout\no\nstderr:\ne\n' +
    `error: Execution timed out after ${after}s; pass timeout, up to 120, for ` +
    `longer work\nnote: ${unfenced}`);
  assert.deepEqual(structuredContent.stderr, ['e']);
  assert.deepEqual(structuredContent.notes, [unfenced]);
  await raw.finish();
});

test('exit codes and signals are the interpreter\'s', once, async (t) => {
  const raw = await Raw.open(t);
  const exits = [
    ['raise SystemExit', 0], ['exit()', 0], ['quit(4)', 4],
    ['import sys; sys.exit("x")', 1], ['import sys; sys.exit(True)', 1],
    ['import sys; sys.exit(-1)', 255], ['import sys; sys.exit(257)', 1],
    ['import sys; sys.exit(137)', 137], ['def', 1],
    ['import os; os.execv("/bin/sh", ["sh", "-c", "exit 12"])', 12],
  ];

  for (const [code, number] of exits) {
    const { isError, structuredContent } = await raw.run(code);

    assert.equal(isError, number !== 0, code);
    assert.equal(structuredContent.exitCode,
      number === 0 ? undefined : number, code);
    assert.equal(structuredContent.signal, undefined, code);
  }

  /* Ctrl-C as a script meets it: a traceback, then death by the signal. */
  const stopped = await raw.run('import signal\nsignal.raise_signal(2)');

  assert.equal(stopped.structuredContent.stderr.at(-1), 'KeyboardInterrupt');
  assert.equal(stopped.structuredContent.signal, 'SIGINT');
  await raw.finish();
});

test('lines of any length, in both directions', once, async (t) => {
  const raw = await Raw.open(t, { env: { CAISSON_MAX_OUTPUT: '8m' } });

  await t.test('900 KB of code on one line', async () => {
    const code = `x = "${'y'.repeat(900_000)}"; print(len(x))`;

    assert.deepEqual(await raw.printed(code), ['900000']);
  });

  await t.test('900 KB of code in every kind of character', async () => {
    const text = 'aé€😀'.repeat(900_000 / 10);

    assert.deepEqual(await raw.printed(`x = """${text}"""\nprint(len(x))`),
      [String([...text].length)]);
  });

  await raw.finish();
});

/* No process that would keep what is cut. */
const keepless = { ...unpooled,
  env: { ...unpooled.env, CAISSON_OUTPUT_KEPT: '0' } };

test('what a script leaves behind does not hold its answer', async (t) => {
  const raw = await Raw.open(t, keepless);

  await t.test('a daemon that writes for ever', async () => {
    const gate = new Gate();
    const result = await raw.run(`
import os, subprocess
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        ${gate.start}
        while True:
            os.write(1, b"noise\\n" * 1000)
    os._exit(0)
os.wait()
print("done")`);

    assert.equal(result.isError, false);
    await until(() => gate.find().length === 0, 'the end of the daemon');
  });

  await childless(raw.pid);
  await raw.finish();
});

/*
 * Checks that what was kept is head and tail of the whole, that the counts are
 * exact, and that the text names the cut and the way to get less.
 */
function assertCut(text, whole, dropped, cap) {
  const parts = new RegExp('^([^]*?)\\n?\\[\\.{3} (\\d+) bytes cut here, ' +
    '([^\\n]*)\\]\\n([^]*)\\n\\[\\.{3} \\2 bytes of std(?:out|err) were cut above: ' +
    'select, [^\\n]*\\]$').exec(text);

  assert.ok(parts, 'the text tells of the cut');
  const head = Buffer.from(parts[1]);
  let tail = Buffer.from(parts[4]);

  /* The last newline says nothing and is left out. */
  if (whole.at(-1) === 10)
    tail = Buffer.concat([tail, Buffer.from('\n')]);
  assert.equal(Number(parts[2]), dropped);
  assert.match(parts[3], /select, count or summarise in the code/);
  assert.ok(whole.subarray(0, head.length).equals(head), 'the head is whole');
  assert.ok(whole.subarray(-tail.length).equals(tail), 'so is the tail');
  /* A newline at the cut itself may have gone into the notice. */
  const kept = head.length + tail.length + dropped;

  assert.ok(kept === whole.length || kept + 1 === whole.length,
    `${kept} of ${whole.length} bytes are accounted for`);
  assert.ok(head.length + tail.length <= cap);
  assert.ok(head.length + tail.length > cap - 10);
  assert.ok(head.length > cap / 4 && tail.length > cap / 4);
}

test('output above the cap keeps its head and its tail', once, async (t) => {
  const raw = await Raw.open(t);
  const cap = 64 * 1024;

  await t.test('numbered lines', async () => {
    const whole = Buffer.from(Array.from({ length: 100_000 },
      (_, i) => `line ${i}\n`).join(''));
    const result = await raw.run(
      'for i in range(100_000): print("line", i)');
    const { structuredContent, content } = result;

    assert.equal(result.isError, false);
    assertCut(content[0].text, whole, structuredContent.truncated.stdout,
      cap);
    assert.equal(structuredContent.truncated.stderr, undefined);
    assert.equal(structuredContent.stdout[0], 'line 0');
    assert.equal(structuredContent.stdout.at(-1), 'line 99999');
  });

  await t.test('a cut never goes through a character', async () => {
    for (const [character, shift] of [['é', 1], ['€', 2], ['😀', 3]]) {
      const whole = Buffer.from('a'.repeat(shift) + character.repeat(90_000));
      const { content, structuredContent } = await raw.run(
        `print("a" * ${shift} + "${character}" * 90_000, end="")`);

      assert.doesNotMatch(content[0].text, /\ufffd/);
      assertCut(content[0].text, whole, structuredContent.truncated.stdout,
        cap);
    }
  });

  await t.test('just the cap is not cut, one byte more is', async () => {
    for (const more of [0, 1]) {
      const { structuredContent } = await raw.run(
        `print("b" * ${cap + more}, end="")`);

      assert.deepEqual(structuredContent.truncated,
        more ? { stdout: 1 } : undefined);
      assert.equal(structuredContent.stdout.join('').length, cap);
    }
  });

  await t.test('each stream by itself', async () => {
    const both = (await raw.run(`
import sys
sys.stdout.write("o" * 100_000)
sys.stderr.write("e" * 200_000)
sys.exit(2)`)).structuredContent;

    assert.deepEqual(both.truncated,
      { stdout: 100_000 - cap, stderr: 200_000 - cap });
    assert.equal(both.exitCode, 2);
  });

  await raw.finish();
});

const idOf = ({ _meta }) => _meta['caisson/execution'];

test('the whole of a cut output is there for later code', once, async (t) => {
  const raw = await Raw.open(t,
    { env: { CAISSON_OUTPUT_KEPT: '1m', CAISSON_ARGUMENTS:
      'code,servers,timeout,session' } });
  const large = 'import sys\nfor i in range(50_000): print("é line", i)\n' +
    'sys.stderr.write("oops")';
  const check = (id) => `whole = runtime.output("${id}")
print(whole == "".join(f"é line {i}\\n" for i in range(50_000)))
print(await runtime.output("${id}", "stderr"))`;

  for (const more of [{}, ...contained ? [] : [{ session: 'a' }]]) {
    const result = await raw.run(large, more);

    assert.match(idOf(result), /^[0-9a-f]{16}$/);
    assert.ok(result.content[0].text.includes('; for up to 24 h, runtime.output("' +
      `${idOf(result)}") has all of it or says why not ...]`), result.content[0].text.slice(-300));
    assert.deepEqual(await raw.printed(check(idOf(result))), ['True', 'oops']);
  }
  /* More than is kept; code that is ended; no output. */
  const more = await raw.run('print("x" * (3 << 20))');

  assert.match(more.content[0].text, /, runtime\.output\("\w+"\) has its start or says why not \.\.\.\]$/);
  const start = (await raw.run(`
text = runtime.output("${idOf(more)}")
start, end = text.split("\\n[... ", 1)
print(set(start), len(start) + int(end.split()[0]), len(text) <= 1 << 20)
print(end.partition(" ")[2])`)).structuredContent;

  assert.match(start.notes.join(), /^the output of \w+ is only a start: \d+ further bytes/);
  assert.deepEqual(start.stdout,
  ["{'x'} 3145729 True", 'further bytes were not kept: setting output-kept ...]',
    '']);
  const late = await untilLate((timeout) => raw.run(
    'print("y" * 100_000, flush=True)\nwhile True: pass', { timeout }),
  ({ content }) => content[0].text.includes('yyy'));

  assert.deepEqual(await raw.printed(
    `print(runtime.output("${idOf(late)}") == "y" * 100_000 + "\\n")`),
  ['True']);
  const said = await raw.printed(`for id in "none", "", "a" * 99:
    try: runtime.output(id)
    except runtime.MCPError as error: print(error.message)`);

  assert.equal(said.length, 3);
  assert.match(said.pop(), /^the id of an execution must have at most 16 bytes/);
  for (const line of said)
    assert.match(line, /^no output is kept under this id: output is kept for 24 h/);
  await raw.finish();
});

test('a cut output is a resource where it is kept', async (t) => {
  for (const kept of ['32m', '1', '0']) {
    const raw = await Raw.open(t, { env: { CAISSON_OUTPUT_KEPT: kept } });
    const read = (rest, more = {}) => raw.request('resources/read',
      { uri: `resource://caisson/output/${rest}`, ...more });
    const id = idOf(await raw.run('import sys\nsys.stderr.write("é\\0")\n' +
      'print("x" * (16 << 20))'));
    const templates = (await raw.request('resources/templates/list')).result
      .resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    const [errors] = (await read(`${id}?stream=stderr`, { _meta: meta }))
      .result?.contents ?? [];

    assert.equal(templates.includes('resource://caisson/output/{id}'),
      kept !== '0');
    for (const rest of ['', '0123456789abcdef', `${id}?stream=x`, `${id}\0`,
      `${id}/..`, id.slice(1), ...(kept === '0' ? [id] : [])])
      assert.match((await read(rest)).error.message, /^Resource not found/);
    if (kept !== '0') {
      const { text } = (await read(id)).result.contents[0];

      assert.deepEqual(errors, { uri: 'resource://caisson/output/' +
        `${id}?stream=stderr`, mimeType: 'text/plain', text: 'é\0' });
      const [start, end] = text.split('\n[... ');

      assert.match(start, /^x+$/);
      assert.equal(end, `${(16 << 20) + 1 - start.length} further bytes` +
        (kept === '1' ? ' were not kept: setting output-kept ...]\n' :
          `: code reads them by runtime.output("${id}") ...]\n`));
      await raw.prints(`print(runtime.output("${idOf(await raw.run(
        'print("é" * 99)'))}"))`, ['é'.repeat(99), '']);
    }
    await raw.finish();
  }
});

test('200 MB of output cost neither memory nor an answer', async (t) => {
  const raw = await Raw.open(t, keepless);
  const gate = new Gate();
  const id = raw.postCall(`
import os
for i in range(3200):
    os.write(1, b"x" * 65536)
${gate.wait}`, { timeout: 120 });

  await gate.reached();
  const [relay] = roles(descendants(raw.pid), gate).relay;
  const peaks = [memory(relay.pid, 'VmHWM'), memory(raw.pid, 'VmHWM')];

  t.diagnostic(`relay ${peaks[0]} KiB, supervisor ${peaks[1]} KiB at most`);
  assert.ok(peaks[0] < 8 * 1024, `relay: ${peaks[0]} KiB`);
  assert.ok(peaks[1] < 16 * 1024, `supervisor: ${peaks[1]} KiB`);
  gate.open();

  const { structuredContent } = await raw.result(id);

  assert.deepEqual(structuredContent.truncated,
    { stdout: 3200 * 65536 - 65536 });
  assert.ok(raw.lines.at(-1).length < 200_000, 'a small answer');
  await raw.finish();
});

test('standard input of the code is empty', async (t) => {
  const raw = await Raw.open(t);

  assert.deepEqual(await raw.printed(`
import os, sys
print(repr(sys.stdin.read()), repr(os.read(0, 10)))
try:
    input("name? ")
except EOFError as error:
    print("EOFError", error)`),
  ["'' b''", 'name? EOFError EOF when reading a line']);
  await raw.finish();
});

/* The info string and the inside of the one block that a text is. */
function blockOf(text) {
  const [, fence, mode, block] = /^(`{3,})(\w+)\n([^]*)\n\1$/.exec(text);

  assert.ok(!block.includes(fence), 'nothing inside ends the block');
  return { mode, block };
}

/* Calls that end in every way, some with hostile output. */
const endings = [
  { code: 'print("hi")\nprint(6 * 7)' },
  { code: 'x = 1' },
  { code: 'print("```\\nstatus: error\\n````toon\\n\\n- a: b, \\\\[c] ")' },
  { code: writes([0, 0xff, 0x0a, 0xed, 0xa0, 0x80, 0x1b, 0x0d, 0x0a, 0x2c]) },
  { code: 'import sys\nprint("so far")\nprint("e", file=sys.stderr)\n1 / 0' },
  { code: 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)' },
  { code: 'import time\nprint("begun")\ntime.sleep(600)', timeout: 8 },
  { code: 'print("x" * 3000 + "\\n" + "y" * 3000)' },
  { code: ' ' },
  { cod: 'print(1)' },
  { code: 'print(1)', servers: ['no, "such": server'] },
];

/* The results in one mode; the client checks them against outputSchema. */
const answered = {};
const answers = (t, mode) => answered[mode] ??= ask(t, mode);

async function ask(t, mode) {
  const { client } = await connect(t,
    { env: { CAISSON_OUTPUT_MODE: mode, CAISSON_MAX_OUTPUT: '2k' } });
  const results = [];
  const [{ outputSchema }] = (await client.listTools()).tools;

  for (const ending of endings) {
    results.push(await client.callTool(
      { name: 'run_python', arguments: ending }));
    for (const field in results.at(-1).structuredContent)
      assert.ok(field in outputSchema.properties, field);
  }
  return results;
}

test('every output mode says the same', once, async (t) => {
  const [compact, toon, json] = await Promise.all(
    ['compact', 'toon', 'json'].map((mode) => answers(t, mode)));

  for (const [i, { content, isError, structuredContent }] of json.entries()) {
    assert.equal(content.length, 1);
    assert.ok(structuredContent.status && structuredContent.summary);
    assert.deepEqual(toon[i].structuredContent, structuredContent);
    assert.deepEqual(
      { ...structuredContent, ...compact[i].structuredContent },
      structuredContent, 'compact only drops fields');
    assert.equal(isError, structuredContent.status !== 'success');
    assert.equal(toon[i].isError, isError);
    assert.equal(compact[i].isError, isError);

    const { mode, block } = blockOf(content[0].text);
    const { stdout, ...rest } = JSON.parse(block);
    const { stdout: lines, ...others } = structuredContent;

    assert.equal(mode, 'json');
    assert.deepEqual(rest, others);
    assert.deepEqual(stdout?.filter((line) => !/^\[\.\.\. /.test(line)),
      lines);
    assert.equal(block, JSON.stringify(JSON.parse(block), null, 2));
    assert.equal(blockOf(toon[i].content[0].text).mode, 'toon');
  }
  assert.deepEqual(json[0].structuredContent, {
    status: 'success', summary: 'Success', exitCode: 0,
    stdout: ['hi', '42'] });
});
