/*
 * Real libraries in a real box: those of Debian, those that the standard
 * library brings for processes, threads and files, and virtual environments.
 * A library that the machine does not have is skipped.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import {
  commandLine, contained, folder, nativeOnly, once, patiently, uid,
} from './support/program.mjs';
import { Raw } from './support/raw.mjs';

const python = '/usr/bin/python3';

/* Why a case cannot be run here, or undefined. */
function missing(modules) {
  return modules.map((name) => [name,
    spawnSync(python, ['-I', '-c', `import ${name}`])])
    .filter(([, { status }]) => status !== 0)
    .map(([name]) => `${python} has no ${name}`)[0];
}

/* The same for containers, whose images have libraries of their own. */
async function missingIn(raw, modules) {
  const [line] = await raw.printed(`
import importlib.util, json
print(json.dumps([name for name in ${JSON.stringify(modules)}
                  if importlib.util.find_spec(name) is None]))`);

  return JSON.parse(line).map((name) => `the image has no ${name}`)[0];
}

/* What only native boxes keep, of which these cases are. */
const ofNative = {
  'more memory than there is': 'MemoryError at the memory limit',
};

/* An image names the user of the code, and may have no such file. */
const user = contained ? 'nobody' : 'box';
const named = contained ? '/tmp/name' : '/etc/hostname';

/* [what, libraries, code, lines printed, which may be patterns] */
const installed = [
  ['numpy computes', ['numpy'], `
import numpy as np
a = np.arange(12.0).reshape(3, 4)
print(a.mean(), (a @ a.T).trace(), np.linalg.det(np.eye(3) * 2))
print(np.linalg.eigvalsh([[2, 0], [0, 3]]), abs(np.fft.fft([1, 0, 0, 0])))
x = np.random.default_rng(7).random((300, 300))
print(np.allclose(x @ np.linalg.inv(x), np.eye(300), atol=1e-6))
np.save("a.npy", a); print(np.load("a.npy", mmap_mode="r").sum())
np.savetxt("a.txt", a); print(np.loadtxt("a.txt").shape)`,
  [/^5\.5 506\.0 (8\.0|7\.99)/, '[2. 3.] [1. 1. 1. 1.]', 'True', '66.0',
    '(3, 4)']],

  ['numpy in children and in threads', ['numpy'], `
import numpy as np, multiprocessing as mp
from concurrent.futures import ThreadPoolExecutor
def work(n):
    return float((np.ones((200, 200)) @ np.full((200, 200), n)).sum())
if __name__ == "__main__":
    want = [work(n) for n in range(4)]
    for method in "fork", "spawn":
        with mp.get_context(method).Pool(2) as pool:
            print(method, pool.map(work, range(4)) == want)
    with ThreadPoolExecutor(8) as pool:
        print("threads", list(pool.map(work, range(4))) == want)`,
  ['fork True', 'spawn True', 'threads True']],

  ['the threads of libraries leave room', ['numpy'], `
import os, numpy as np
blas, omp = (int(os.environ[name + "_NUM_THREADS"]) for name in ("OPENBLAS", "OMP"))
have = len(os.sched_getaffinity(0))
print(1 <= blas <= have and blas <= 3, 1 <= omp <= min(have, 8))
a = np.ones((800, 800)); a @ a
held = [int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmData")]
print(held[0] < 300 << 10)`, ['True True', 'True']],

  ['more memory than there is', ['numpy'], `
import numpy as np
try:
    np.ones(1 << 28)
except MemoryError as error:
    print(type(error).__name__)
print(np.ones(1 << 20).sum())`, [/MemoryError$/, '1048576.0']],

  ['pandas reads, groups, joins and writes', ['pandas'], `
import pandas as pd, sqlite3
a = pd.DataFrame({"k": ["x", "y", "x"], "n": [1, 2, 3]})
print(a.groupby("k").n.sum().to_dict())
print(a.merge(pd.DataFrame({"k": ["x"], "m": [9]}), on="k").to_csv(index=False).split())
a.to_csv("a.csv"); print(pd.read_csv("a.csv", index_col=0).equals(a))
with sqlite3.connect(":memory:") as db:
    a.to_sql("a", db); print(pd.read_sql("select sum(n) s from a", db).s[0])
s = pd.Series(range(3), pd.date_range("2024-03-30", periods=3, tz="Europe/Vienna"))
print(s.tz_convert("UTC").index[2], s.resample("2D").sum().tolist())
a.to_pickle("a.pkl"); a.to_json("a.json"); print(pd.read_json("a.json").shape)`,
  ["{'x': 4, 'y': 2}", "['k,n,m', 'x,1,9', 'x,3,9']", 'True', '6',
    '2024-03-31 22:00:00+00:00 [1, 2]', '(3, 2)']],

  ['matplotlib draws into files', ['matplotlib', 'numpy', 'fontTools'], `
import os, matplotlib.pyplot as plt, numpy as np
print(plt.get_backend().lower())
x = np.linspace(0, 6, 100)
figure, axes = plt.subplots(2, 2)
axes[0, 0].plot(x, np.sin(x), label="$\\\\sin \\\\alpha_1$"); axes[0, 0].legend()
axes[0, 1].hist(np.random.default_rng(1).normal(size=500))
axes[1, 0].imshow(np.arange(9).reshape(3, 3)); axes[1, 1].bar(["ä", "ß"], [1, 2])
for kind in "png", "svg", "pdf":
    figure.savefig("/workspace/plot." + kind)
print(open("plot.png", "rb").read(8), os.path.getsize("plot.png") > 10000)
print(open("plot.pdf", "rb").read(5), "<svg" in open("plot.svg").read())
print(sorted(n for n in os.listdir("/workspace") if n != "out"))`,
  ['module://caisson_plots', "b'\\x89PNG\\r\\n\\x1a\\n' True", "b'%PDF-' True",
    "['plot.pdf', 'plot.png', 'plot.svg']"]],

  ['pillow draws, converts and reads', ['PIL'], `
from PIL import Image, ImageDraw, ImageFilter
image = Image.new("RGB", (64, 48), "white")
ImageDraw.Draw(image).ellipse((8, 8, 40, 40), fill="red")
image = image.filter(ImageFilter.BLUR).rotate(90, expand=True)
for kind in "png", "jpeg", "gif", "bmp":
    image.save("/workspace/image." + kind)
    with Image.open("image." + kind) as again:
        again.load(); print(again.format, again.size)`,
  ['PNG (48, 64)', 'JPEG (48, 64)', 'GIF (48, 64)', 'BMP (48, 64)']],
];

const standard = [
  ['sixty threads, and one hundred', [], `
import threading
for n in 60, 100:
    gate = threading.Barrier(n + 1)
    threads = [threading.Thread(target=gate.wait) for _ in range(n)]
    for thread in threads: thread.start()
    gate.wait()
    for thread in threads: thread.join()
    print(n)
def deep(n): return 0 if n == 0 else 1 + max(map(deep, [n - 1]))
thread = threading.Thread(target=lambda: print(deep(300))); thread.start(); thread.join()`,
  ['60', '100', '300']],

  ['multiprocessing: what children share', [], `
import multiprocessing as mp, ctypes
from multiprocessing import shared_memory
def fill(name, lock, total, queue, event, array):
    block = shared_memory.SharedMemory(name)
    with lock:
        block.buf[0] += 1; total.value += 10
    array[0] = 2.5; block.close(); event.wait(); queue.put(mp.current_process().name)
if __name__ == "__main__":
    for method in "fork", "spawn":
        c = mp.get_context(method)
        block = shared_memory.SharedMemory(create=True, size=1 << 20)
        lock, total, queue, event = c.Lock(), c.Value("i", 0), c.Queue(), c.Event()
        array = c.Array(ctypes.c_double, 4)
        children = [c.Process(target=fill, args=(block.name, lock, total, queue, event, array), name="c%d" % n) for n in range(3)]
        for child in children: child.start()
        event.set(); names = sorted(queue.get() for _ in children)
        for child in children: child.join()
        print(method, names, block.buf[0], total.value, array[0], [child.exitcode for child in children])
        block.close(); block.unlink()`,
  ["fork ['c0', 'c1', 'c2'] 3 30 2.5 [0, 0, 0]",
    "spawn ['c0', 'c1', 'c2'] 3 30 2.5 [0, 0, 0]"]],

  ['sqlite3: WAL, locks, many processes, full text', [], `
import sqlite3, multiprocessing as mp
def add(n):
    with sqlite3.connect("t.db", timeout=30) as db:
        for i in range(20): db.execute("insert into t values (?)", (n,)); db.commit()
if __name__ == "__main__":
    db = sqlite3.connect("t.db"); print(db.execute("pragma journal_mode=wal").fetchone())
    db.execute("create table t (a)"); db.commit()
    with mp.Pool(4) as pool: pool.map(add, range(4))
    print(db.execute("select count(*), sum(a) from t").fetchone())
    db.execute("begin immediate"); other = sqlite3.connect("t.db", timeout=0)
    try: other.execute("insert into t values (1)")
    except sqlite3.OperationalError as error: print(error)
    db.rollback(); db.backup(sqlite3.connect("copy.db")); db.execute("vacuum")
    memory = sqlite3.connect("file:x?mode=memory&cache=shared", uri=True)
    memory.execute("create virtual table f using fts5(t)"); memory.execute("insert into f values ('some words')")
    print(memory.execute("select * from f where f match 'words'").fetchall())`,
  ["('wal',)", '(80, 120)', 'database is locked', "[('some words',)]"]],

  ['files: temporary, locked, mapped, packed, sparse', [], `
import tempfile, fcntl, mmap, os, pathlib, zipfile, tarfile, gzip, bz2, lzma, shutil, io
with tempfile.TemporaryDirectory() as name:
    p = pathlib.Path(name); (p / "a").write_text("text"); (p / "b").symlink_to("a"); os.link(p / "a", p / "c")
    print(sorted(x.name for x in p.glob("*")), (p / "b").resolve() == p / "a", (p / "c").stat().st_nlink)
    shutil.make_archive("/tmp/all", "zip", p); print(zipfile.ZipFile("/tmp/all.zip").testzip())
    with tarfile.open("t.tar.xz", "w:xz") as tar: tar.add(p / "a", "a")
    print(tarfile.open("t.tar.xz").extractfile("a").read())
for pack in gzip, bz2, lzma: print(len(pack.compress(b"x" * 100000)) < 1000, pack.decompress(pack.compress(b"y")))
with open("m", "w+b") as file:
    file.truncate(1 << 20); fcntl.flock(file, fcntl.LOCK_EX); fcntl.lockf(file, fcntl.LOCK_EX)
    with mmap.mmap(file.fileno(), 0) as area: area[5:8] = b"abc"; area.flush()
    file.seek(5); print(file.read(3), os.posix_fallocate(file.fileno(), 0, 1 << 21)); os.fsync(file.fileno())
os.mkfifo("fifo"); os.chmod("m", 0o600); os.utime("m", (1, 2)); print(os.stat("m").st_mtime, os.path.exists("fifo"))
with tempfile.NamedTemporaryFile(dir="/dev/shm") as file: print(os.path.dirname(file.name))`,
  ["['a', 'b', 'c'] True 2", 'None', "b'text'", "True b'y'", "True b'y'",
    "True b'y'", "b'abc' None", '2.0 True', '/dev/shm']],

  ['places, languages, times and numbers', [], `
import locale, zoneinfo, datetime, decimal, time, os, fractions, statistics
print(locale.setlocale(locale.LC_ALL, ""), locale.getpreferredencoding())
print(time.tzname, datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo("America/New_York")).utcoffset())
print(len(zoneinfo.available_timezones()) > 400)
os.environ["TZ"] = "Asia/Tokyo"; time.tzset(); print(time.tzname[0])
decimal.getcontext().prec = 50; print(str(decimal.Decimal(2).sqrt())[:20], fractions.Fraction(1, 3) + 1)`,
  ['C.UTF-8 utf-8', "('UTC', 'UTC') -1 day, 20:00:00", 'True', 'JST',
    '1.414213562373095048 4/3']],

  ['what there is no use for, says so', [], `
import ssl, curses, urllib.request, urllib.error, socket, ctypes, ctypes.util, getpass, webbrowser, readline
print(ssl.create_default_context().verify_mode.name)
try: urllib.request.urlopen("https://example.com/", timeout=3)
except urllib.error.URLError as error: print("URLError", type(error.reason).__name__)
try: curses.initscr(); curses.endwin()
except curses.error as error: print("curses", error)
except SystemExit: print("curses")
print(ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6").abs(-3), getpass.getuser(), webbrowser.open("http://x"))
with open("/tmp/name", "w") as file: file.write("box\\n")
print(urllib.request.urlopen("data:,hi").read(), urllib.request.urlopen("file://${named}").read())
try:
    import tkinter
    tkinter.Tk()
except Exception as error: print(type(error).__name__ in ("TclError", "ModuleNotFoundError"))`,
  ['CERT_REQUIRED', 'URLError gaierror', /curses/, `3 ${user} False`,
    "b'hi' b'box\\n'", 'True']],
];

async function expectLines(raw, code, lines) {
  const { isError, content, structuredContent } = await raw.run(
    code, { timeout: 100 });

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
}

for (const [name, cases, when] of [
  ['installed', installed, once], ['standard', standard, {}],
]) {
  test(`libraries: ${name}`, when, async (t) => {
    const raw = await Raw.open(t);

    for (const [what, modules, code, lines] of cases) {
      const why = !contained ? missing(modules) : ofNative[what] ??
        await missingIn(raw, modules);

      await t.test(what, (s) => why === undefined ?
        expectLines(raw, code, lines) : s.skip(why));
    }
    await raw.finish();
  });
}

/* Virtual environments, and interpreters that do not lie in /usr. */
const ofHost = nativeOnly('interpreters of the host');

const asked = spawnSync(python, ['-I', '-c', `import os, sys
print(os.path.realpath(sys.executable), "%d.%d" % sys.version_info[:2],
      os.path.dirname(os.__file__), sep="\\n")`], { encoding: 'utf8' });
const [program, version, library] = asked.stdout.split('\n');

/* Gives everything below (and with) a path to the user of the program. */
function give(place) {
  spawnSync('chown', ['-Rh', `${uid}:${uid}`, place]);
}

/* An installation as uv and pyenv make them: a bin and a lib of its own. */
function makeBase(base) {
  fs.mkdirSync(path.join(base, 'bin'), { recursive: true });
  fs.mkdirSync(path.join(base, 'lib'));
  fs.copyFileSync(program, path.join(base, `bin/python${version}`));
  fs.chmodSync(path.join(base, `bin/python${version}`), 0o755);
  fs.symlinkSync(`python${version}`, path.join(base, 'bin/python3'));
  fs.symlinkSync(library, path.join(base, `lib/python${version}`));
}

/* An environment as venv makes it, with a module and a script in it. */
function makeVenv(venv, home = '/usr/bin') {
  const packages = path.join(venv, `lib/python${version}/site-packages`);
  const script = path.join(venv, 'bin/greet');

  fs.mkdirSync(packages, { recursive: true });
  fs.mkdirSync(path.join(venv, 'bin'));
  fs.writeFileSync(path.join(venv, 'pyvenv.cfg'),
    `home = ${home}\ninclude-system-site-packages = false\n`);
  fs.symlinkSync(path.join(home, 'python3'), path.join(venv, 'bin/python'));
  fs.symlinkSync('python', path.join(venv, 'bin/python3'));
  fs.writeFileSync(path.join(packages, 'only_here.py'), 'value = 5\n');
  fs.writeFileSync(script, `#!${venv}/bin/python\nprint("script")\n`);
  fs.chmodSync(script, 0o755);
}

/* A home directory with a secret, readable by its owner alone. */
function makeHome(t) {
  const home = folder(t);

  fs.writeFileSync(path.join(home, '.profile'), '');
  fs.writeFileSync(path.join(home, 'secret'), 'secret');
  fs.mkdirSync(path.join(home, 'project'));
  fs.chmodSync(home, 0o700);
  return home;
}

const looking = (venv, base) => `
import multiprocessing as mp, only_here, os, subprocess, sys
if __name__ == "__main__":
    print(sys.prefix == "${venv}", sys.base_prefix == "${base}", only_here.value)
    print(subprocess.check_output(["greet"]), subprocess.check_output(
        ["python3", "-c", "import only_here; print(only_here.value)"]))
    with mp.get_context("spawn").Pool(1) as pool: print(pool.map(abs, [-2]))
    try: open("${venv}/x", "w")
    except OSError as error: print(error.strerror)
    print(os.path.exists("${venv}/../../secret"))`;
const seen = ['True True 5', "b'script\\n' b'5\\n'", '[2]',
  'Read-only file system', 'False'];

async function lookWith(t, given, venv, base) {
  const raw = await Raw.open(t, { env: { CAISSON_PYTHON: given } });

  await expectLines(raw, looking(venv, base), seen);
  await raw.finish();
}

async function refusal(t, given) {
  const raw = await Raw.open(t, { env: { CAISSON_PYTHON: given } });
  const { isError, structuredContent } = await raw.run('print(1)');

  assert.equal(isError, true);
  await raw.finish();
  return structuredContent.error;
}

/* What the start says of one where there is no interpreter at all. */
function refusedStart(t, given) {
  const [command, ...rest] = commandLine(
    { env: { CAISSON_PYTHON: given }, home: folder(t) });
  const done = spawnSync(command, rest,
    { input: '', encoding: 'utf8', timeout: 60_000 });

  assert.equal(done.status, 2, done.stderr);
  return done.stderr;
}

test('a virtual environment', ofHost, async (t) => {
  const home = makeHome(t);
  const venv = path.join(home, 'project/.venv');

  makeVenv(venv);
  give(home);
  for (const given of [venv, `${venv}/bin/python3`]) {
    await t.test(`given as ${given.slice(home.length)}`,
      (s) => lookWith(s, given, venv, '/usr'));
  }
  await t.test('what is beside it is not seen', async (s) => {
    const raw = await Raw.open(s, { env: { CAISSON_PYTHON: venv } });

    assert.deepEqual(await raw.printed(
      `import os; print(os.listdir("${home}"))`), ["['project']"]);
    await raw.finish();
  });
});

test('a virtual environment whose base lies elsewhere', ofHost, async (t) => {
  const home = makeHome(t);
  const store = path.join(home, '.local/share/uv/python');
  const base = path.join(store, `cpython-${version}.9`);
  const venv = path.join(home, 'project/.venv');

  makeBase(base);
  makeVenv(venv, path.join(base, 'bin'));
  give(home);
  await t.test('its base is there, and nothing beside it',
    (s) => lookWith(s, venv, venv, base));

  await t.test('the base through a link', async (s) => {
    const linked = path.join(store, `cpython-${version}`);
    const other = path.join(home, 'project/other');

    fs.symlinkSync(`cpython-${version}.9`, linked);
    makeVenv(other, path.join(linked, 'bin'));
    give(home);
    const raw = await Raw.open(s, { env: { CAISSON_PYTHON: other } });

    assert.deepEqual(await raw.printed(
      'import only_here, sys; print(only_here.value, sys.prefix)'),
    [`5 ${other}`]);
    await raw.finish();
  });

  await t.test('the base itself, and a link to it in ~/.local/bin',
    async (s) => {
      fs.mkdirSync(path.join(home, '.local/bin'));
      fs.symlinkSync(`../share/uv/python/cpython-${version}.9/bin/python3`,
        path.join(home, '.local/bin/python3'));
      give(home);
      for (const given of [base, path.join(home, '.local/bin/python3')]) {
        const raw = await Raw.open(s, { env: { CAISSON_PYTHON: given } });

        assert.deepEqual(await raw.printed(`
import os, sys
print(sys.base_prefix, os.path.exists("${home}/secret"))`),
        [`${base} False`]);

patiently();
        await raw.finish();
      }
    });
});

test('an environment that cannot be used is refused with the fix', ofHost, async (t) => {
  await t.test('one that only its owner may read', async (s) => {
    if (uid !== 0) {
      s.skip('boxes of an ordinary user run as that user');
      return;
    }
    const venv = path.join(folder(s), 'venv');

    makeVenv(venv);
    fs.chmodSync(venv, 0o700);
    const said = await refusal(s, venv);

    assert.ok(said.includes(`cannot read ${venv}: `), said);
    assert.ok(said.includes(`chmod -R go+rX ${venv}`), said);
  });

  await t.test('a directory that is none', (s) => {
    assert.match(refusedStart(s, folder(s)),
      /a folder without bin\/python3: .* virtual environment$/m);
  });

  await t.test('an interpreter right in a home directory', async (s) => {
    const home = makeHome(s);

    makeBase(path.join(home, '.local'));
    fs.mkdirSync(path.join(home, 'bin'));
    fs.copyFileSync(program, path.join(home, 'bin/python3'));
    give(home);
    fs.chmodSync(path.join(home, 'bin/python3'), 0o755);
    for (const given of ['bin/python3', '.local/bin/python3', '.local']) {
      const said = await refusal(s, path.join(home, given));

      assert.match(said, /would expose all of .* to the box/);
    }
  });

  await t.test('one whose base is gone', (s) => {
    const place = folder(s);
    const venv = path.join(place, 'venv');

    makeVenv(venv, path.join(place, 'gone/bin'));
    assert.match(refusedStart(s, venv), /virtual environment$/m);
  });
});
