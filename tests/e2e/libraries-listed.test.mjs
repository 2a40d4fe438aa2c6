/*
 * caisson libraries: what it says of an interpreter is what that imports; what
 * installs the rest, for each kind of interpreter; what it says to preload can
 * be imported.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { commandLine, folder, once, uid } from './support/program.mjs';
import { Raw } from './support/raw.mjs';

const python = '/usr/bin/python3';
const counts = { minimal: 3, office: 12, science: 10 };

function run(t, args, env = {}) {
  const home = folder(t);
  const [command, ...rest] =
    commandLine({ args: ['libraries', ...args], env, home });
  const done = spawnSync(command, rest,
    { cwd: home, input: '', encoding: 'utf8', timeout: 300_000 });

  assert.deepEqual(fs.readdirSync(home), []);
  return done;
}

function asked(t, args, env) {
  const { status, stdout, stderr } = run(t, ['--json', ...args], env);

  assert.equal(status, 0, stderr);
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

/* Those of these modules that the interpreter itself can import. */
const imported = (names) => spawnSync(python, ['-I', '-c', `
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
        print(name)
    except ImportError:
        pass`, ...names], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);

/* An environment with these files in its site-packages. */
function venv(t, files, settings = '') {
  const made = path.join(folder(t), 'venv');
  const library = fs.readdirSync('/usr/lib')
    .filter((name) => /^python3\.\d+$/.test(name))
    .find((name) => fs.realpathSync(python).endsWith(name));

  fs.mkdirSync(path.join(made, 'bin'), { recursive: true });
  fs.symlinkSync(python, path.join(made, 'bin/python3'));
  fs.writeFileSync(path.join(made, 'pyvenv.cfg'),
    `home = /usr/bin\ninclude-system-site-packages = false\n${settings}`);
  for (const [name, content] of Object.entries({ 'none': '', ...files })) {
    const place = path.join(made, 'lib', library, 'site-packages', name);

    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, content);
  }
  spawnSync('chown', ['-Rh', `${uid}:${uid}`, made]);
  return made;
}

test('what is listed is what the interpreter imports', async (t) => {
  const found = asked(t, []);

  assert.equal(found.python, python);
  assert.deepEqual(Object.fromEntries(found.sets.map((set) =>
    [set.name, set.libraries])), counts);
  for (const { name, libraries, present, missing, install } of found.sets) {
    assert.equal(present.length + missing.length, libraries);
    const modules = present.map(({ module }) => module);

    assert.deepEqual(imported([...modules, ...missing]), modules);
    assert.equal(install.length > 0, missing.length > 0, name);
  }
  const { stdout } = run(t, []);

  for (const { name, libraries, present, missing } of found.sets)
    assert.match(stdout, new RegExp(`^${name} +${present.length} of ` +
      `${libraries}${missing.length > 0 ? ', missing: ' : ''}` +
      `${missing.join(', ')}$`, 'm'));
  assert.ok(stdout.includes(`CAISSON_PRELOAD=${found.preload}\n`) ||
    found.preload === 'json,asyncio', stdout);

  const raw = await Raw.open(t);
  const names = found.preload.split(',');

  assert.deepEqual(await raw.printed(
    `import ${names.join(', ')}\nprint("all")`, { timeout: 120 }), ['all']);
  await raw.finish();
});

test('one set, the settings, and what is preloaded already', once, (t) => {
  const preload = 'openpyxl,lxml.etree,bs4,PIL.Image';
  const found = asked(t, ['office', '--max-output', '1k'],
    { CAISSON_PRELOAD: preload });
  const { stdout } = run(t, ['office'], { CAISSON_PRELOAD: preload });

  assert.deepEqual(found.sets.map(({ name }) => name), ['office']);
  assert.equal(found.preload, preload);
  assert.match(stdout, /^office +\d+ of 12/m);
  assert.doesNotMatch(stdout, /CAISSON_PRELOAD/);
});

test('an environment with some of them', (t) => {
  const made = venv(t, {
    'openpyxl.py': '',
    'openpyxl-3.1.dist-info/METADATA': 'Name: openpyxl\nVersion: 3.1\n',
    'bs4/__init__.py': 'raise SystemExit("it was imported")',
    'docx/readme': 'a folder without code',
  });
  const [office] = asked(t, ['office', '--python', made]).sets;

  assert.deepEqual(office.present, [
    { module: 'openpyxl', version: '3.1' }, { module: 'bs4', version: null }]);
  assert.ok(office.missing.includes('docx'));
  assert.deepEqual(office.install, [{ remark: null,
    command: `${made}/bin/python3 -m ensurepip && ${made}/bin/python3 -m pip ` +
      'install XlsxWriter lxml python-docx pypdf reportlab odfpy Jinja2 ' +
      'tabulate Markdown pillow' }]);
  assert.match(run(t, ['office'], { CAISSON_PYTHON: made }).stdout, new RegExp(
    `^${made}/bin/python3 is Python 3\\.[^]*^office +2 of 12, missing: ` +
    'xlsxwriter, [^]*^ +openpyxl 3\\.1, bs4$[^]*^ +To install: ' +
    `${made}[^]*=json,asyncio,openpyxl,bs4$`, 'm'));
});

test('what cannot be asked is said in one sentence', once, (t) => {
  for (const [status, pattern, ...args] of [
    [2, /"sience" is not understood: .* takes \[minimal\|office/, 'sience'],
    [2, /"office" is not understood/, 'minimal', 'office'],
    [2, /--jsn is not an option/, '--jsn'],
    [2, /--python is \/nonexistent, which does not exist: set it/,
      '--python', '/nonexistent'],
    [1, /cannot be asked: \/bin\/sh ended .* is it a Python 3 interpreter/,
      '--python', '/bin/sh'],
  ]) {
    const done = run(t, args);

    assert.equal(done.status, status, done.stderr);
    assert.equal(done.stdout, '');
    assert.match(done.stderr, pattern);
    assert.match(done.stderr, /^caisson: [^\n]*\n$/);
  }
});
