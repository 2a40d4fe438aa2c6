/*
 * Python as a script knows it, through the real box; and what the box
 * promises: nothing of the host, nothing of another call.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import test from 'node:test';
import { Gate, roles } from './support/gate.mjs';
import { descendants, owners } from './support/processes.mjs';
import { contained, patiently, uid } from './support/program.mjs';
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

patiently();
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
