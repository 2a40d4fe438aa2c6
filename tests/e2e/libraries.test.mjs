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
  contained, folder, nativeOnly, once, uid,
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

  ['matplotlib draws into files', ['matplotlib', 'numpy', 'fontTools'], `
import logging
logging.getLogger("matplotlib").setLevel("ERROR")  # it tells when it is slow
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
];

test('installed libraries', once, async (t) => {
  const raw = await Raw.open(t);

  for (const [what, modules, code, lines] of installed) {
    const why = !contained ? missing(modules) : ofNative[what] ??
      await missingIn(raw, modules);

    await t.test(what, (s) => why === undefined ?
      raw.prints(code, lines) : s.skip(why));
  }
  await raw.finish();
});

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

  await raw.prints(looking(venv, base), seen);
  await raw.finish();
}

async function refusal(t, given) {
  const raw = await Raw.open(t, { env: { CAISSON_PYTHON: given } });
  const { isError, structuredContent } = await raw.run('print(1)');

  assert.equal(isError, true);
  await raw.finish();
  return structuredContent.error;
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
});
