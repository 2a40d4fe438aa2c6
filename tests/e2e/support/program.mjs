/*
 * How the program under test is started: which binary, as whom, with which
 * environment. Nothing is inherited but what a test sets.
 *
 *   CAISSON     path of the binary, by default that of the folder build/
 *   CAISSON_AS  a uid: the program is started as that user (needs root); the
 *               tests themselves stay who they are
 *   CAISSON_RUNTIME, CAISSON_IMAGE and variables of the engine: given to each
 *               program, so that its boxes are containers
 *               (../support/own_engine.py)
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until, within } from './wait.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));

export const binary = process.env.CAISSON ?
  path.resolve(process.env.CAISSON) :
  path.resolve(here, '../../../build/caisson');

/* The folder in which all its files lie, built or installed. */
export const installation = path.dirname(binary).endsWith('/bin') ?
  path.resolve(binary, '../..') : path.dirname(binary);

export const uid = process.env.CAISSON_AS ?
  Number(process.env.CAISSON_AS) : process.getuid();

/*
 * For what no uid changes, in files that root runs twice: not run again as an
 * ordinary user. CAISSON_AGAIN is set where another run as root has all of it.
 */
export const once = {
  skip: process.env.CAISSON_AGAIN ? 'no uid changes it, root runs it' : false,
};

/*
 * What takes long is in two forms. In each run there are few rounds, or there
 * is another test of the promise that is short; the campaign has all of it
 * ('meson test --suite campaign').
 */
const all = Boolean(process.env.CAISSON_CAMPAIGN);

export const rounds = (few, many) => all ? many : few;

export const campaign = { skip: all ? false : 'it takes long: campaign only' };

/* Whether the tests may look into and kill every process of the program. */
export const root = process.getuid() === 0;

/* What PATH is for the program; the tests find their own tools there too. */
export const searchPath = '/usr/local/bin:/usr/bin:/bin';

/*
 * A folder of its own that belongs to the user of the program and is gone
 * when the test is over.
 */
export function folder(t) {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'caisson-e2e-'));
  fs.chownSync(made, uid, uid === process.getuid() ? process.getgid() : uid);
  t.after(() => until(() => {
    try {
      fs.rmSync(made, { recursive: true, force: true });
      return true;
    } catch (error) {
      /* The store is keeping the last call there. */
      assert.equal(error.code, 'ENOTEMPTY');
      return false;
    }
  }, `the end of ${made}`));
  return made;
}

/* A file in such a folder. */
export function file(t, name, content) {
  const made = path.join(folder(t), name);
  fs.writeFileSync(made, content);
  fs.chmodSync(made, 0o644);
  return made;
}

/* A folder of the program's user with these files in it. */
export function folderWith(t, files) {
  const made = folder(t);

  for (const [name, content] of Object.entries(files)) {
    const place = path.join(made, name);

    fs.writeFileSync(place, content);
    fs.chmodSync(place, 0o644);
    if (root)
      fs.chownSync(place, uid, uid);
  }
  return made;
}

/* Another program as caisson, beside the workers, where it looks for them. */
export function installedWith(t, program) {
  const from = path.dirname(binary);
  const place = folder(t);

  for (const name of fs.readdirSync(from))
    if (name === 'box' || name === 'box_profile.json' ||
        (name.startsWith('caisson-') &&
        fs.statSync(path.join(from, name)).isFile()))
      fs.cpSync(path.join(from, name), path.join(place, name),
        { recursive: true, dereference: true });
  fs.copyFileSync(program, path.join(place, 'caisson'));
  fs.chmodSync(place, 0o755);
  return path.join(place, 'caisson');
}

/* What is set where all boxes are containers: see own_engine.py. */
const engineSettings = ['CAISSON_RUNTIME', 'CAISSON_IMAGE', 'CONTAINERS_CONF',
  'CONTAINERS_STORAGE_CONF', 'DOCKER_HOST'];

/* A number of common/limits.h. */
export const limit = (name) => Number(new RegExp(`^#define ${name} (\\d+)$`, 'm')
  .exec(fs.readFileSync(new URL('../../../common/limits.h', import.meta.url)))[1]);

/* The runtime of all boxes that are containers; undefined: they are native. */
export const contained = process.env.CAISSON_RUNTIME;

/* For tests of what only native boxes have: the reason says what that is. */
export const nativeOnly = (reason) => ({
  skip: contained ? `only of the runtime native: ${reason}` : false,
});

/* Where namespaces are forbidden: the container engine needs them itself. */
export const reduced = nativeOnly('reduced isolation');

/* As answers name it. */
export const runtime = contained ?? 'native';

/*
 * What a test file sets for all of its programs. Most tests look at the fields
 * of answers; output.test.mjs looks at answers without them.
 */
export const settings = {
  CAISSON_STRUCTURED: 'on',
  /* As long as a busy machine needs. */
  CAISSON_TIMEOUT: '100',
  CAISSON_QUEUE_TIMEOUT: '2m',
  ...Object.fromEntries(engineSettings.filter((name) => process.env[name])
    .map((name) => [name, process.env[name]])),
};

/*
 * For tests (and files) that look at processes: no box waits for a call, and
 * none is forked, so
 * every process that is there belongs to a call.
 */
export const unpooled = {
  env: { CAISSON_POOL: '0', CAISSON_TEMPLATE: 'off' },
};

export function withoutPool() {
  Object.assign(settings, unpooled.env);
}

/*
 * For files that count servers and those between them and the code, and for
 * other languages than Python: no box waits for a call. Boxes are forked, as
 * they are by default, which spares each of them the import of asyncio.
 */
export function withoutWaiting() {
  settings.CAISSON_POOL = '0';
}

/* For files that look at the usual time limits. */
export function usually() {
  delete settings.CAISSON_TIMEOUT;
  delete settings.CAISSON_QUEUE_TIMEOUT;
}

/* The command that starts the program; none where this process does. */
function identity() {
  if (uid === process.getuid())
    return [];
  return ['/usr/bin/setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
}

/* The same where no namespace can be made: see the script. */
function forbidden() {
  return ['/usr/bin/python3', '-B',
    path.resolve(here, '../../support/without_namespaces.py'), String(uid)];
}

/* Behind a system call filter that refuses these calls. */
function refusing(calls) {
  return calls.length === 0 ? [] : ['/usr/bin/python3', '-B',
    path.resolve(here, '../../support/refuse_calls.py'), calls.join()];
}

/*
 * A view of the machine in which no other process writes to /tmp and /dev/shm
 * or mounts anything, so that everything found there is the program's.
 */
function alone() {
  /* The folder of own_engine.py: of its images, or what is told of podman. */
  const { CAISSON_IMAGE: image = '', CONTAINERS_CONF: told } = process.env;
  const engine = image.startsWith('/') ? image : told;

  return ['/usr/bin/python3', '-B',
    path.resolve(here, '../../support/alone.py'), '--view', '--keep',
    installation, ...(engine ? ['--keep', path.dirname(engine)] : [])];
}

/*
 * The command line that starts the program with these arguments and exactly
 * this environment (PATH and HOME besides). Every part of it replaces itself,
 * so the process that is started is the program; under is one more, which runs
 * as the user of the program. program is another binary than the usual one.
 */
export function commandLine({
  args = [], env = {}, home, privateTmp = false, withoutNamespaces = false,
  refused = [], under = [], program = binary,
} = {}) {
  const all = { PATH: searchPath, HOME: home, ...settings, ...env };

  return ['/usr/bin/env', '-i',
    ...Object.entries(all).map(([name, value]) => `${name}=${value}`),
    ...(privateTmp ? alone() : []), ...refusing(refused),
    ...(withoutNamespaces ? forbidden() : identity()), ...under, program,
    ...args];
}

/*
 * Runs the program to its end, without input: options of commandLine(), and
 * more for spawnSync(). Returns how it ended, and what it printed as text.
 */
export function ran(options, more = {}) {
  const [command, ...args] = commandLine(options);

  return spawnSync(command, args,
    { input: '', encoding: 'utf8', timeout: 300_000, ...more });
}

/* The same beside this process, which may serve what the program asks. */
export async function ended(t, options) {
  const [command, ...args] = commandLine(options);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', errors: '' };

  t.after(() => child.kill('SIGKILL'));
  child.stdout.on('data', (data) => { said.out += data; });
  child.stderr.on('data', (data) => { said.errors += data; });
  said.code = await within(new Promise((resolve) => {
    child.on('close', resolve);
  }), `the end of ${options.args.join(' ')}`);
  return said;
}
