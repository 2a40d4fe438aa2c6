/*
 * Python as a script knows it, through the real box; and what the box
 * promises: nothing of the host, nothing of another call.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Raw } from './support/raw.mjs';

/*
 * [what, code, lines printed], which may be patterns: what a box could do
 * otherwise. tests/cpython/ordinary.txt has what any interpreter does.
 */
const language = [
  ['top-level await', `
import asyncio
async def double(x):
    await asyncio.sleep(0)
    return 2 * x
print(await double(21))
print(await asyncio.gather(double(1), double(2)))`, ['42', '[2, 4]']],

  ['only a script\'s own names are there, and ours', `
print(sorted(globals()))`,
  [/^\['LOADED_MCP_SERVERS', '__annotations__', '__builtins__', '__cached__', '__doc__', '__file__', '__loader__', '__name__', '__package__', '__spec__', 'delete_memory', 'get_memory_info', 'list_memories', 'load_memory', 'mcp_servers', 'memory_exists', 'runtime', 'save_memory', 'save_tool', 'update_memory'\]$/]],

  ['what code begins with', `
import os, signal
print(os.getcwd(), oct(os.umask(0)), os.getenv("HOME"))
print([s for s in signal.valid_signals() if s not in (2, 13, 25) and
    signal.getsignal(s) not in (signal.SIG_DFL, None)], signal.pthread_sigmask(0, []))`,
  ['/workspace 0o22 /workspace', '[] set()']],

  ['ctypes and mmap', `
import ctypes, mmap
libc = ctypes.CDLL(None)
print(libc.abs(-5))
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda n: n + 1)
print(compare(4))
area = mmap.mmap(-1, 4096)
area[:3] = b"abc"
print(area[:3])`, ['5', '5', "b'abc'"]],

  ['bytes by sendmsg, no descriptors', `
import array, asyncio, os, socket
a, b = socket.socketpair()
print(a.sendmsg([b"he", b"llo"]), b.recv(10))
try:
    a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1]))])
except PermissionError as error:
    print(error)
data = os.urandom(2 << 20)
reader, writer = await asyncio.open_connection(sock=a)
other, sender = await asyncio.open_connection(sock=b)
sender.write(data)
sender.writelines([b"ab", b"c"])
print(await reader.readexactly(len(data) + 3) == data + b"abc")`,
  ["5 b'hello'", '[Errno 1] descriptors cannot be sent in the sandbox, only bytes',
    'True']],

  ['unicode names, strings and source', `
größe = "naïve 😀 \\u2028".encode()
print(größe.decode().strip(), len("😀"))
print("\\N{GREEK SMALL LETTER PI}")`, ['naïve 😀 1', 'π']],

  ['line ends of other systems', 'print(1)\r\nif True:\r\n    print(2)\r\n',
    ['1', '2']],
];

test('the language and its library', async (t) => {
  const raw = await Raw.open(t);

  for (const [what, code, lines] of language) {
    await t.test(what, () => raw.prints(code, lines));
  }
  await raw.finish();
});

/* [what, code, all of standard error, exit code] */
const failures = [
  ['an exception', 'x = 1\n\ndef f(a):\n    return a / 0\n\nprint(f(x))', [
    'Traceback (most recent call last):',
    '  File "FILE", line 6, in <module>',
    '    print(f(x))',
    '          ^^^^',
    '  File "FILE", line 4, in f',
    '    return a / 0',
    '           ~~^~~',
    'ZeroDivisionError: division by zero'], 1],

  ['a mistake of syntax', 'print(1)\nif True\n    pass', [
    '  File "FILE", line 2',
    '    if True',
    '           ^',
    'SyntaxError: expected \':\''], 1],

  ['a name that does not exist', 'pritn(1)', [
    'Traceback (most recent call last):',
    '  File "FILE", line 1, in <module>',
    '    pritn(1)',
    '    ^^^^^',
    'NameError: name \'pritn\' is not defined. Did you mean: \'print\'?'], 1],

  ['an exception of a thread is told, and is no failure', `
import threading
thread = threading.Thread(target=lambda: 1 / 0, name="worker")
thread.start()
thread.join()`.trim(), null, 0],

  ['sys.exit with a text', 'import sys\nsys.exit("told")', ['told'], 1],
];

/* Lines that only newer interpreters print. */
function comparable(lines) {
  return lines?.filter((line) => !/^ +[\^~]+ *$/.test(line))
    .map((line) => line.replace(/"\/[^"]*"/, '"FILE"'));
}

test('what goes wrong is told as the interpreter tells it', async (t) => {
  const raw = await Raw.open(t);

  for (const [what, code, lines, exit] of failures) {
    await t.test(what, async () => {
      const { structuredContent, isError } = await raw.run(code);

      assert.equal(isError, exit !== 0);
      assert.equal(structuredContent.exitCode, exit || undefined);
      if (lines === null)
        assert.match(structuredContent.stderr.join('\n'), /worker.*\n[^]*Zero/);
      else
        assert.deepEqual(comparable(structuredContent.stderr),
          comparable(lines));
      assert.doesNotMatch(structuredContent.stderr?.join('\n') ?? '',
        /bootstrap\.py|caisson|asyncio\/(runners|base_events)/);
    });
  }

  await t.test('where it stands in a long script', async () => {
    const { structuredContent } = await raw.run(
      `${'pass\n'.repeat(4999)}raise KeyError("here")`);

    assert.match(structuredContent.stderr[1], /line 5000, in <module>/);
    assert.equal(structuredContent.stderr[2].trim(),
      'raise KeyError("here")');
  });

  await t.test('a call that was never awaited', async () => {
    const { structuredContent } = await raw.run(
      'async def f(): pass\nf()\nx = 1');

    assert.match(structuredContent.stderr.join('\n'), /never awaited/);
  });

  await raw.finish();
});

test('the streams can be opened by their names in /dev', async (t) => {
  const raw = await Raw.open(t);
  const { structuredContent } = await raw.run(`
import subprocess
subprocess.run(["sh", "-c", "echo out >/dev/stdout; echo err >/dev/stderr"])
`);

  assert.deepEqual(structuredContent,
    { stdout: ['out'], stderr: ['err'] });
  await raw.finish();
});
