/*
 * Python as a script knows it, through the real box; and what the box
 * promises: nothing of the host, nothing of another call.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import test from 'node:test';
import { Gate, roles } from './support/gate.mjs';
import { descendants, owners } from './support/processes.mjs';
import { contained, uid } from './support/program.mjs';
import { Raw } from './support/raw.mjs';

/*
 * [what, code, lines printed], or with an exit code and lines of standard
 * error instead. Lines may be patterns.
 */
const language = [
  ['top-level await', `
import asyncio
async def double(x):
    await asyncio.sleep(0)
    return 2 * x
print(await double(21))
print(await asyncio.gather(double(1), double(2)))`, ['42', '[2, 4]']],

  ['async for and async with', `
import contextlib
async def numbers():
    for i in range(3):
        yield i
@contextlib.asynccontextmanager
async def place():
    print("in")
    yield "here"
    print("out")
async for n in numbers():
    print(n)
async with place() as where:
    print(where)
print([n async for n in numbers() if n])`,
  ['0', '1', '2', 'in', 'here', 'out', '[1, 2]']],

  ['await in every corner', `
import asyncio
async def one():
    return 1
x = [await one() for _ in range(2)]
if await one():
    print(x, f"{await one()}")
class Holder:
    value = 5
def plain():
    return x
print(plain(), Holder.value)
try:
    await asyncio.wait_for(asyncio.Event().wait(), 0.01)
except asyncio.TimeoutError:
    print("timeout")`, ['[1, 1] 1', '[1, 1] 5', 'timeout']],

  ['tasks that outlive an await', `
import asyncio
async def ticker():
    for i in range(3):
        print("tick", i)
        await asyncio.sleep(0)
task = asyncio.create_task(ticker())
await task
print("done", task.done())`, ['tick 0', 'tick 1', 'tick 2', 'done True']],

  ['asyncio.run', `
import asyncio
async def main():
    await asyncio.sleep(0)
    print("in main")
    return 5
print(asyncio.run(main()))
if __name__ == "__main__":
    asyncio.run(main())`, ['in main', '5', 'in main']],

  ['asyncio subprocesses and threads', `
import asyncio
child = await asyncio.create_subprocess_exec(
    "echo", "from a child", stdout=asyncio.subprocess.PIPE)
out, _ = await child.communicate()
print(out.decode().strip(), child.returncode)
print(await asyncio.to_thread(lambda: "from a thread"))`,
  ['from a child 0', 'from a thread']],

  ['the module is __main__', `
import sys, __main__
print(__name__, sys.modules["__main__"] is __main__)
x = 5
print(__main__.x, __main__.__dict__ is globals())
def f(): pass
class C: pass
print(f.__module__, C.__module__, C.__qualname__)
print(__doc__, __package__, __spec__)`,
  ['__main__ True', '5 True', '__main__ __main__ C', 'None None None']],

  ['only a script\'s own names are there, and ours', `
print(sorted(globals()))`,
  [/^\['LOADED_MCP_SERVERS', '__annotations__', '__builtins__', '__cached__', '__doc__', '__file__', '__loader__', '__name__', '__package__', '__spec__', 'delete_memory', 'get_memory_info', 'list_memories', 'load_memory', 'mcp_servers', 'memory_exists', 'runtime', 'save_memory', 'save_tool', 'update_memory'\]$/]],

  ['dataclasses with future annotations', `
from __future__ import annotations
import dataclasses, typing
@dataclasses.dataclass
class Point:
    x: int
    y: list[Point] | None = None
    kind: typing.ClassVar[str] = "point"
print(Point(1, [Point(2)]))
print(typing.get_type_hints(Point)["x"], [f.name for f in dataclasses.fields(Point)])`,
  ['Point(x=1, y=[Point(x=2, y=None)])', "<class 'int'> ['x', 'y']"]],

  ['pickle of user classes', `
import copy, pickle
class Thing:
    def __init__(self, n): self.n = n
def helper(): return 7
thing = pickle.loads(pickle.dumps(Thing(3)))
print(type(thing) is Thing, thing.n, pickle.loads(pickle.dumps(helper))())
print(copy.deepcopy(thing).n)`, ['True 3 7', '3']],

  ['typing introspection', `
import enum, typing, inspect
class Colour(enum.Enum):
    RED = 1
class Row(typing.NamedTuple):
    name: str
    colour: "Colour"
def f(row: "Row", *, n: "int" = 3) -> "list[Row]": ...
print(typing.get_type_hints(f))
print(inspect.signature(f))
print(Colour["RED"], Row("a", Colour.RED).name)`,
  ["{'row': <class '__main__.Row'>, 'n': <class 'int'>, 'return': list[__main__.Row]}",
    "(row: 'Row', *, n: 'int' = 3) -> 'list[Row]'", 'Colour.RED a']],

  ['inspect.getsource', `
import inspect
def shown(a):
    return a + 1
print(inspect.getsource(shown), end="")`,
  ['def shown(a):', '    return a + 1']],

  ['input() ends at once', `
try:
    input()
except EOFError as error:
    print("EOFError:", error)
import sys
print(sys.stdin.readlines(), list(sys.stdin))`,
  ['EOFError: EOF when reading a line', '[] []']],

  ['multiprocessing', `
import multiprocessing as mp
def square(n):
    return n * n
if __name__ == "__main__":
    for method in ("fork", "spawn"):
        with mp.get_context(method).Pool(2) as pool:
            print(method, pool.map(square, range(4)))
    queue = mp.Queue()
    child = mp.Process(target=queue.put, args=("hello",))
    child.start()
    print(queue.get())
    child.join()
    value = mp.Value("i", 5)
    print(value.value, child.exitcode)`,
  ['fork [0, 1, 4, 9]', 'spawn [0, 1, 4, 9]',
    'hello', '5 0']],

  ['concurrent.futures', `
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
for kind in (ThreadPoolExecutor, ProcessPoolExecutor):
    with kind(3) as pool:
        print(list(pool.map(abs, [-1, -2, 3])))`, ['[1, 2, 3]', '[1, 2, 3]']],

  ['shared memory', `
from multiprocessing import shared_memory
block = shared_memory.SharedMemory(create=True, size=1000)
block.buf[:5] = b"hello"
again = shared_memory.SharedMemory(name=block.name)
print(bytes(again.buf[:5]))
again.close(); block.close(); block.unlink()`, ["b'hello'"]],

  ['the order of output and that of children', `
import os, subprocess, sys
for i in range(5):
    print("parent", i)
    subprocess.run(["echo", "child", str(i)])
    sys.stdout.write(f"again {i}\\n")
os.system("echo last")`,
  [0, 1, 2, 3, 4].flatMap((i) => [`parent ${i}`, `child ${i}`, `again ${i}`])
    .concat('last')],

  ['subprocesses and pipes', `
import subprocess, sys
print(subprocess.check_output(["sh", "-c", "tr a-z A-Z | sort -r"], input=b"a\\nb\\n"))
print(subprocess.run([sys.executable, "-c", "import sys; sys.exit(4)"]).returncode)
print(subprocess.run("echo $HOME; pwd", shell=True, capture_output=True, text=True).stdout.split())
print(subprocess.run(["sh", "-c", "kill -9 $$"]).returncode)`,
  ["b'B\\nA\\n'", '4', "['/workspace', '/workspace']", '-9']],

  ['sqlite3', `
import sqlite3
for place in (":memory:", "/workspace/test.db"):
    db = sqlite3.connect(place)
    db.execute("create table t (a integer, b text)")
    with db:
        db.executemany("insert into t values (?, ?)", [(i, str(i)) for i in range(100)])
    print(db.execute("select sum(a), max(b) from t").fetchone())
    db.close()
db = sqlite3.connect("/workspace/test.db")
db.execute("pragma journal_mode=wal")
print(db.execute("select count(*) from t").fetchone())`,
  ["(4950, '99')", "(4950, '99')", '(100,)']],

  ['tempfile', `
import os, tempfile
with tempfile.NamedTemporaryFile("w+") as file:
    file.write("x"); file.flush()
    print(os.path.dirname(file.name), os.path.getsize(file.name))
with tempfile.TemporaryDirectory() as folder:
    open(os.path.join(folder, "a"), "w").close()
    print(os.listdir(folder))
with tempfile.TemporaryFile() as file:
    file.write(b"abc"); file.seek(0); print(file.read())
with tempfile.SpooledTemporaryFile(10) as file:
    file.write(b"x" * 100); print(file.tell())`,
  ['/tmp 1', "['a']", "b'abc'", '100']],

  ['threads', `
import queue, threading
lock, total, results = threading.Lock(), 0, queue.Queue()
def work(n):
    global total
    for _ in range(1000):
        with lock: total += 1
    results.put(n)
threads = [threading.Thread(target=work, args=(n,)) for n in range(20)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(total, sorted(results.queue) == list(range(20)))
timer = threading.Timer(0.01, print, ["timer"])
timer.start()`, ['20000 True', 'timer']],

  ['signals', `
import os, signal
def handler(number, frame): print("got", signal.Signals(number).name)
for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, handler)
    os.kill(os.getpid(), number)
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.pause()
print(signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN,
      signal.getsignal(signal.SIGCHLD) is signal.SIG_DFL)`,
  ['got SIGUSR1', 'got SIGTERM', 'got SIGINT', 'got SIGHUP', 'got SIGALRM',
    'True True']],

  ['atexit, in order, and after threads', `
import atexit, threading, time
atexit.register(print, "second")
atexit.register(print, "first")
threading.Thread(target=lambda: (time.sleep(0.05), print("thread"))).start()
print("end")`, ['end', 'thread', 'first', 'second']],

  ['__del__ and finally at the end', `
class Loud:
    def __del__(self): print("gone")
x = Loud()
try:
    raise SystemExit
finally:
    print("finally")`, ['finally', 'gone']],

  ['recursion and large numbers', `
import sys
def deep(n): return 0 if n == 0 else 1 + deep(n - 1)
print(deep(900), len(str(2 ** 10000)), sys.getrecursionlimit())`,
  ['900 3011 1000']],

  ['ctypes and mmap', `
import ctypes, mmap
libc = ctypes.CDLL(None)
print(libc.abs(-5))
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda n: n + 1)
print(compare(4))
area = mmap.mmap(-1, 4096)
area[:3] = b"abc"
print(area[:3])`, ['5', '5', "b'abc'"]],

  ['select, sockets in pairs, event loops', `
import select, socket
a, b = socket.socketpair()
a.send(b"hi")
print(select.select([b], [], [], 5)[0] == [b], b.recv(10))
poll = select.epoll()
poll.register(a, select.EPOLLOUT)
print(len(poll.poll(5)))`, ["True b'hi'", '1']],

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

  ['randomness and time', `
import datetime, os, random, secrets, time, uuid
print(len(os.urandom(8)), 0 <= random.random() < 1, len(secrets.token_hex(4)))
print(datetime.datetime.now().year >= 2024, time.monotonic() > 0, len(str(uuid.uuid4())))`,
  ['8 True 8', 'True True 36']],

  ['the standard library', `
import base64, bz2, calendar, collections, csv, ctypes, decimal, difflib, email, fractions
import functools, gzip, hashlib, heapq, html, http.client, io, ipaddress, itertools, json
import locale, logging, lzma, math, operator, pathlib, platform, pprint, re, shutil, ssl
import statistics, string, struct, tarfile, textwrap, tomllib, unicodedata, unittest
import urllib.parse, xml.etree.ElementTree, zipfile, zlib, zoneinfo
print(hashlib.sha256(b"x").hexdigest()[:8], json.dumps({"a": [1, 2.5, None]}))
print(decimal.Decimal("0.1") * 3, zoneinfo.ZoneInfo("Europe/Vienna").key)`,
  ['2d711642 {"a": [1, 2.5, null]}', '0.3 Europe/Vienna']],

  ['CSV into a table', `
import csv, io
rows = list(csv.DictReader(io.StringIO("name,n\\nb,2\\na,1\\n")))
for row in sorted(rows, key=lambda row: row["name"]):
    print(f"{row['name']:<3}{int(row['n']):>3}")`, ['a    1', 'b    2']],

  ['unicode names, strings and source', `
größe = "naïve 😀 \\u2028".encode()
print(größe.decode().strip(), len("😀"))
print("\\N{GREEK SMALL LETTER PI}")`, ['naïve 😀 1', 'π']],

  ['a declared encoding that is not the one it came in',
    '# -*- coding: latin-1 -*-\nprint("é", len("é"))', ['é 1']],

  ['line ends of other systems', 'print(1)\r\nif True:\r\n    print(2)\r\n',
    ['1', '2']],

  ['a multi-line string keeps its lines',
    's = """a\n\n  b\n"""\nprint(repr(s))', ["'a\\n\\n  b\\n'"]],

  ['assertions and warnings', `
import warnings
assert __debug__
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    warnings.warn("careful")
print(seen[0].message)
try:
    assert 1 == 2, "no"
except AssertionError as error:
    print("assert:", error)`, ['careful', 'assert: no']],

  ['exec, eval and compile', `
exec("y = 3")
print(y, eval("y + 1"), eval(compile("y * 2", "<here>", "eval")))`,
  ['3 4 6']],

  ['files in the working directory', `
import os, pathlib, shutil
pathlib.Path("data/deep").mkdir(parents=True)
pathlib.Path("data/deep/file.txt").write_text("content")
os.symlink("deep/file.txt", "data/link")
os.rename("data/deep/file.txt", "data/deep/other.txt")
print(os.getcwd(), sorted(os.listdir("data")), os.path.islink("data/link"))
shutil.copytree("data/deep", "copy")
print(pathlib.Path("copy/other.txt").read_text(), os.environ["HOME"], os.path.expanduser("~"))
open("module_of_mine.py", "w").write("value = 11")
import module_of_mine
print(module_of_mine.value)`,
  ["/workspace ['deep', 'link'] True", 'content /workspace /workspace',
    '11']],
];

test('the language and its library', async (t) => {
  const raw = await Raw.open(t);

  for (const [what, code, lines] of language) {
    await t.test(what, async () => {
      const { isError, content, structuredContent } = await raw.run(
        code, { timeout: 60 });

      assert.equal(isError, false, content[0].text);
      assert.equal(structuredContent.stderr, undefined, content[0].text);
      const { stdout } = structuredContent;

      assert.equal(stdout.length, lines.length, content[0].text);
      for (const [i, line] of lines.entries()) {
        if (line instanceof RegExp)
          assert.match(stdout[i], line);
        else
          assert.equal(stdout[i], line);
      }
    });
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

  ['an exception behind an await',
    'import asyncio\nasync def f():\n    raise ValueError("v")\nawait f()', [
      'Traceback (most recent call last):',
      '  File "FILE", line 4, in <module>',
      '    await f()',
      '  File "FILE", line 3, in f',
      '    raise ValueError("v")',
      'ValueError: v'], 1],

  ['a chain of exceptions', `try:
    {}["k"]
except KeyError as error:
    raise RuntimeError("r") from error`, [
    'Traceback (most recent call last):',
    '  File "FILE", line 2, in <module>',
    '    {}["k"]',
    '    ~~^^^^^',
    'KeyError: \'k\'',
    '',
    'The above exception was the direct cause of the following exception:',
    '',
    'Traceback (most recent call last):',
    '  File "FILE", line 4, in <module>',
    '    raise RuntimeError("r") from error',
    'RuntimeError: r'], 1],

  ['a mistake of syntax', 'print(1)\nif True\n    pass', [
    '  File "FILE", line 2',
    '    if True',
    '           ^',
    'SyntaxError: expected \':\''], 1],

  ['a mistake of indentation', 'if True:\npass', [
    '  File "FILE", line 2',
    '    pass',
    '    ^',
    'IndentationError: expected an indented block after \'if\' statement ' +
      'on line 1'], 1],

  ['an unfinished string', 'x = "abc', [
    '  File "FILE", line 1',
    '    x = "abc',
    '        ^',
    'SyntaxError: unterminated string literal (detected at line 1)'], 1],

  ['await where it cannot be', 'class F:\n    await x', [
    '  File "FILE", line 2',
    '    await x',
    '    ^^^^^^^',
    'SyntaxError: \'await\' outside function'], 1],

  ['a name that does not exist', 'pritn(1)', [
    'Traceback (most recent call last):',
    '  File "FILE", line 1, in <module>',
    '    pritn(1)',
    '    ^^^^^',
    'NameError: name \'pritn\' is not defined. Did you mean: \'print\'?'], 1],

  ['a module that does not exist', 'import json.no_such_module', [
    'Traceback (most recent call last):',
    '  File "FILE", line 1, in <module>',
    '    import json.no_such_module',
    'ModuleNotFoundError: No module named \'json.no_such_module\''], 1],

  ['an exception of a thread is told, and is no failure', `
import threading
thread = threading.Thread(target=lambda: 1 / 0, name="worker")
thread.start()
thread.join()`.trim(), null, 0],

  ['sys.exit with a text', 'import sys\nsys.exit("told")', ['told'], 1],

  ['sys.exit in a function', 'import sys\ndef f(): sys.exit(5)\nf()',
    undefined, 5],

  ['sys.exit behind an await',
    'import asyncio, sys\nawait asyncio.sleep(0)\nsys.exit(6)', undefined, 6],

  ['sys.exit with an object', 'raise SystemExit({"a": 1})', ["{'a': 1}"], 1],

  ['sys.exit in a finally', 'try:\n    1/0\nfinally:\n    raise SystemExit(7)',
    undefined, 7],
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

test('each call starts afresh', async (t) => {
  const raw = await Raw.open(t);

  assert.deepEqual(await raw.printed(`
import builtins, json, os, sys
for folder in ("/tmp", "/workspace", "/workspace/out", "/dev/shm"):
    open(folder + "/mine", "w").close()
os.environ["MINE"] = "1"
builtins.mine = json.mine = sys.mine = 1
open("json.py", "w").write("broken = True")
print("left")`), ['left']);
  assert.deepEqual(await raw.printed(`
import builtins, json, os, sys
print([folder for folder in ("/tmp", "/workspace", "/workspace/out",
                              "/dev/shm")
       if os.path.exists(folder + "/mine")])
print(os.listdir("/workspace"), os.listdir("/dev/shm"))
print("MINE" in os.environ, hasattr(builtins, "mine"), hasattr(json, "mine"))
print("mine" in globals(), os.getpid() < 10)`),
  ['[]', "['out'] []", 'False False False', 'False True']);

  /* Nor do two calls at the same time see each other. */
  const gates = [new Gate(), new Gate()];
  const ids = gates.map((gate, i) => raw.postCall(`
import os
open("/tmp/same", "x").write("${i}")
open("/dev/shm/same", "x").write("${i}")
${gate.wait}
print(open("/tmp/same").read(), open("/dev/shm/same").read())
print(sum(name.isdigit() for name in os.listdir("/proc")) <= 3)`));

  await Promise.all(gates.map((gate) => gate.reached()));
  assert.notEqual(gates[0].namespace, gates[1].namespace);
  gates.forEach((gate) => gate.open());
  for (const [i, id] of ids.entries()) {
    assert.deepEqual((await raw.result(id)).structuredContent.stdout,
      [`${i} ${i}`, 'True']);
  }
  await raw.finish();
});

test('who the code is', async (t) => {
  const raw = await Raw.open(t);
  const gate = new Gate();
  const id = raw.postCall(`
import os, pwd, grp, socket
print(os.getuid(), os.geteuid(), os.getgid(), os.getgroups())
print(pwd.getpwuid(os.getuid()).pw_dir, grp.getgrgid(os.getgid()).gr_name != "root")
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines())
print([status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")])
print(status["NoNewPrivs"], status["Seccomp"])
print(socket.gethostname() != "${os.hostname()}")
${gate.wait}`);
  /* The user of a container is a setting, and its name and home the image's. */
  const [user, home] = contained ? [65534, '/'] : [1000, '/workspace'];

  await gate.reached();
  const { code } = roles(descendants(raw.pid), gate);
  const outside = new Set(owners(code.pid));

  if (uid === 0)
    assert.ok(!outside.has(0),
      `outside it is ${[...outside]}`);
  else
    assert.deepEqual([...outside], [uid]);
  gate.open();
  const { stdout, stderr } = (await raw.result(id)).structuredContent;

  assert.equal(stderr, undefined);
  assert.match(stdout[0], new RegExp(`^${user} ${user} ${user} `));
  assert.equal(stdout[1], `${home} True`);
  assert.equal(stdout[2], JSON.stringify(
    Array(5).fill('0000000000000000')).replace(/"/g, '\'')
    .replace(/,/g, ', '));
  assert.equal(stdout[3], '1 2');
  assert.equal(stdout[4], 'True');
  await raw.finish();
});

test('there is no network', async (t) => {
  const raw = await Raw.open(t);
  const lines = await raw.printed(`
import socket, urllib.request
def attempt(what, do):
    try:
        do()
        print(what, "WORKED")
    except OSError as error:
        print(what, "refused")
attempt("tcp", lambda: socket.create_connection(("127.0.0.1", 80), 2))
attempt("tcp6", lambda: socket.create_connection(("::1", 80), 2))
attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 53)))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
attempt("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\\0/tmp/.X11-unix/X0"))
attempt("name", lambda: socket.getaddrinfo("example.com", 80))
attempt("http", lambda: urllib.request.urlopen("http://example.com", timeout=2))
attempt("server", lambda: socket.create_server(("0.0.0.0", 0)))`);

  assert.deepEqual(lines, ['tcp', 'tcp6', 'udp', 'raw', 'packet', 'netlink',
    'abstract', 'name', 'http', 'server'].map((what) => `${what} refused`));
  await raw.finish();
});

test('what can be written, and that nothing there can be run', async (t) => {
  const raw = await Raw.open(t);
  const lines = await raw.printed(`
import os, subprocess
def writable(folder):
    try:
        with open(folder + "/probe", "w"): pass
        os.unlink(folder + "/probe")
        return True
    except OSError:
        return False
everywhere = [folder for folder, _, _ in os.walk("/") if not folder.startswith("/proc")]
print(sorted(folder for folder in everywhere if writable(folder)))
for folder in ("/tmp", "/workspace", "/workspace/out", "/dev/shm"):
    path = folder + "/program"
    for content in (b"#!/bin/sh\\necho RAN\\n", open("/usr/bin/true", "rb").read()):
        with open(path, "wb") as file: file.write(content)
        os.chmod(path, 0o755)
        try:
            subprocess.run([path])
            print(path, "RAN")
        except OSError as error:
            print(path, type(error).__name__)
    try:
        fd = os.open(path, os.O_RDONLY)
        os.execve(fd, ["x"], {})
    except OSError as error:
        print("by descriptor", type(error).__name__)
    try:
        import ctypes
        ctypes.CDLL(path)
        print("LOADED")
    except OSError as error:
        print("as library", type(error).__name__)
try:
    fd = os.memfd_create("x", 0)
    os.write(fd, open("/usr/bin/true", "rb").read())
    os.execve(fd, ["x"], {})
except OSError as error:
    print("memfd", "refused")`, { timeout: 60 });

  assert.deepEqual(JSON.parse(lines[0].replace(/'/g, '"'))
    .filter((place) => !place.startsWith('/dev/shm/')),
  ['/dev/shm', '/tmp', '/workspace', '/workspace/out']);
  for (const [i, place] of ['/tmp', '/workspace', '/workspace/out',
    '/dev/shm'].entries()) {
    assert.deepEqual(lines.slice(1 + 4 * i, 5 + 4 * i), [
      `${place}/program PermissionError`, `${place}/program PermissionError`,
      'by descriptor PermissionError', 'as library OSError']);
  }
  assert.equal(lines[17], 'memfd refused');
  await raw.finish();
});

/* podman cannot limit how many there are: see the table of caisson-box(7). */
const uncounted = contained === 'podman';

test('files in the box are bounded', async (t) => {
  const raw = await Raw.open(t, { env: { CAISSON_MEMORY: '256m' } });

  for (const place of ['/tmp', '/workspace', '/workspace/out', '/dev/shm']) {
    const { isError, structuredContent } = await raw.run(`
import errno
written = 0
try:
    with open("${place}/large", "wb", buffering=0) as file:
        while written < 1 << 30:
            written += file.write(b"x" * (1 << 20))
except OSError as error:
    print(errno.errorcode[error.errno])
count = 0
try:
    import os
    os.unlink("${place}/large")
    for count in range(${uncounted ? 2_000_000 : 200_000}):
        open(f"${place}/{count}", "x").close()
except OSError as error:
    print(errno.errorcode[error.errno])
print(written <= 256 << 20, count < 100_000)`, { timeout: 100 });

    assert.deepEqual(structuredContent.stdout, uncounted ? ['ENOSPC'] :
      ['ENOSPC', 'ENOSPC', 'True True']);
    assert.equal(isError, uncounted, JSON.stringify(structuredContent));
    if (uncounted)
      assert.match(structuredContent.error, /ran out of memory/);
  }
  await raw.finish();
});

test('nothing of the host is there', async (t) => {
  const raw = await Raw.open(t);
  const marker = fs.mkdtempSync('/tmp/caisson-host-');

  t.after(() => fs.rmdirSync(marker));
  const places = ['/root', '/home', '/var', '/srv', '/mnt', '/media', '/boot',
    '/sys', '/run', marker, process.cwd(), os.homedir(), '/etc/shadow',
    '/etc/machine-id', '/etc/ssh', '/proc/kcore', '/proc/sysrq-trigger',
    '/proc/net/tcp', '/proc/1/root/etc/shadow', '/dev/sda', '/dev/mem',
    '/dev/kmsg', '/dev/fuse', '/dev/kvm'];
  const lines = await raw.printed(`
import os
def readable(path):
    try:
        if os.path.isdir(path):
            return os.listdir(path) != []
        with open(path, "rb") as file:
            return file.read(1) != b""
    except OSError:
        return False
print([path for path in ${JSON.stringify(places)} if readable(path)])
print(sorted(os.listdir("/")))
print(sorted(os.listdir("/dev")))
print(os.listdir("/proc/self/fd")[:3] if os.path.isdir("/proc/self") else [])
print(open("/etc/passwd").read().count("\\n") < 5)
print([name for name in os.environ.values() if ${JSON.stringify(marker)} in name])
print(sum(name.isdigit() for name in os.listdir("/proc")))
print(open("/proc/self/mountinfo").read().count("${marker}"))
print(sorted(os.listdir("/run")) if os.path.isdir("/run") else None,
      readable("/proc/net/tcp") and len(open("/proc/net/tcp").readlines()))`);

  if (contained) {
    /* These are its own: see the table of caisson-box(7). */
    assert.equal(lines[0], "['/sys', '/run', '/proc/net/tcp']");
    assert.equal(lines[8], contained === 'podman' ?
      "['.containerenv', 'caisson', 'podman-init'] 1" : "['caisson'] 1");
  } else {
    assert.equal(lines[0], '[]');
    assert.equal(lines[8], 'None False');
  }
  assert.doesNotMatch(lines[1], contained ?
    /'(root|home|srv|mnt|media|boot)'/ :
    /'(root|home|var|srv|mnt|media|boot|run)'/);
  assert.match(lines[2], /'null', .*'urandom', 'zero'/);
  assert.doesNotMatch(lines[2], /sd|nvme|loop|mem|kmsg|tty\d/);
  assert.equal(lines[4], 'True');
  assert.equal(lines[5], '[]');
  assert.ok(Number(lines[6]) <= 3, `${lines[6]} processes are seen`);
  assert.equal(lines[7], '0');
  await raw.finish();
});

test('only the standard descriptors are open', async (t) => {
  const raw = await Raw.open(t);

  assert.deepEqual(await raw.printed(`
import os, subprocess
print(os.open("/dev/null", os.O_RDONLY))
print([os.readlink(f"/proc/self/fd/{fd}")[:4] for fd in (0, 1, 2)])
print(subprocess.run(["sh", "-c", "ls /proc/$$/fd"], capture_output=True, text=True, close_fds=False).stdout.split())
if os.fork() == 0:
    print([name for name in os.listdir("/proc/self/fd") if int(name) > 4])
    os._exit(0)
os.wait()`),
  ['3', "['/dev', 'pipe', 'pipe']", "['0', '1', '2']", '[]']);
  await raw.finish();
});

/* What the host's Python has, that of the box has; an image has its own. */
test('packages of the host\'s interpreter can be imported', async (t) => {
  const raw = await Raw.open(t);

  for (const name of ['numpy', 'pandas', 'matplotlib', 'PIL', 'yaml']) {
    const here = spawnSync('/usr/bin/python3', ['-I', '-c', `import ${name}`]);

    if (here.status !== 0) {
      await t.test(name, (s) => s.skip('the host does not have it'));
      continue;
    }
    await t.test(name, async () => {
      if (contained) {
        assert.match((await raw.run(`import ${name}`)).content[0].text,
          new RegExp(`${name} is not installed, and nothing can be installed`));
        return;
      }
      assert.deepEqual(await raw.printed(
        `import ${name}\nprint(${name}.__name__)`, { timeout: 60 }), [name]);
    });
  }
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
