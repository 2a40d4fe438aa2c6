/*
 * Container engines for the program under test: a small image of what this
 * machine has, and what is left of containers afterwards. podman and docker,
 * which gets a daemon of its own, keep all in a folder of the tests.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installation, once, root, uid } from './program.mjs';
import { until } from './wait.mjs';

/* Also where the tests may have an engine that is not installed. */
const which = (name) => process.env.PATH.split(':')
  .map((each) => path.join(each, name)).find((each) => fs.existsSync(each));
const here = path.dirname(fileURLToPath(import.meta.url));
const has = (name) => spawnSync(name, ['--version']).status === 0;
const unusable = once.skip ? once.skip :
  root && uid === 0 ? false : 'needs root';

/* On a host with both versions of cgroups only runc works. */
const hybrid = fs.readFileSync('/proc/self/mounts', 'utf8')
  .includes(' /sys/fs/cgroup/unified ');

/* Why the tests of a runtime are skipped, or false. */
export const skipped = {
  podman: unusable || (has('podman') && (!hybrid || has('/usr/sbin/runc')) ?
    false : 'needs podman'),
  docker: unusable || (['docker', 'dockerd', 'containerd', 'docker-init']
    .every(which) ? false : 'needs docker with its daemon'),
};

/* The path of the engine of a runtime. */
export const program = which;

let made; /* the folder of all images */
let daemon;

process.once('exit', () => {
  if (!made)
    return;
  /* It ends its containers, and its own containerd. */
  if (daemon) {
    daemon.kill('SIGTERM');
    spawnSync('tail', ['--pid', `${daemon.pid}`, '-f', '/dev/null'],
      { timeout: 300_000 });
    spawnSync('umount', [path.join(made, 'data')]);
  }
  spawnSync('umount', [path.join(made, 'graph/overlay')]);
  fs.rmSync(made, { recursive: true, force: true });
});

/* Runs a script of tests/support. */
function support(name, ...args) {
  const done = spawnSync('/usr/bin/python3', ['-B',
    path.resolve(here, '../../support', name), ...args],
  { stdio: ['ignore', 'inherit', 'inherit'] });

  assert.equal(done.status, 0, name);
}

/* The path of a file in the folder of all images. */
function place(name) {
  if (!made) {
    made = fs.mkdtempSync(path.join(os.tmpdir(), 'caisson-images-'));
    fs.chmodSync(made, 0o755);
  }
  return path.join(made, name);
}

/* Makes something there, once. Returns its path. */
function makeOnce(name, make) {
  if (!fs.existsSync(place(name)))
    make(place(name));
  return place(name);
}

/* The image as a folder. */
export const rootFolder = () => makeOnce('root',
  (folder) => support('image_root.py', folder));

/* All tests of a build folder share the image of podman. */
function configure() {
  const build = fs.existsSync(path.join(installation, 'meson-private')) ?
    installation : place('.');

  makeOnce('storage.conf', () => support('image_store.py', build, place('.')));
}

const engine = () => ({
  CONTAINERS_CONF: path.join(made, 'containers.conf'),
  CONTAINERS_STORAGE_CONF: path.join(made, 'storage.conf'),
});

/* Runs an engine with the images of the tests. Returns what it prints. */
function ask(program, args, input, env) {
  const done = spawnSync(program, args, { encoding: 'utf8', input,
    maxBuffer: 2 ** 30, env: { ...process.env, ...env } });

  if (done.status !== 0)
    throw new Error(`${program} ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

export const podman = (args, input) => ask('podman', args, input, engine());

const daemonAt = () => ({ DOCKER_HOST: `unix://${made}/socket` });

export const docker = (args) => ask('docker', args, undefined, daemonAt());

/* Starts a daemon without any network, and waits until it answers. */
function startDaemon(options) {
  const log = fs.openSync(path.join(made, 'daemon.log'), 'w');

  daemon = spawn('dockerd', ['--iptables=false', '--ip6tables=false',
    '--bridge=none', '--exec-opt', 'native.cgroupdriver=cgroupfs',
    '--init-path', which('docker-init'), '--data-root', path.join(made, 'data'),
    '--exec-root', path.join(made, 'exec'), '--pidfile', path.join(made, 'pid'),
    '--host', daemonAt().DOCKER_HOST, ...options], { stdio: ['ignore', log, log] });
  daemon.unref();
  ask('timeout', ['30', 'sh', '-c',
    'until docker ps > /dev/null 2>&1; do sleep 0.1; done'], undefined,
  daemonAt());
}

const locks = '/run/caisson-containers';

/*
 * Where the tests have mounts of their own (see alone.py), no program of other
 * tests finds the locks of theirs.
 */
export function hideLocks() {
  if (unusable || !process.env.CAISSON_OWN_NAMESPACES)
    return;
  fs.mkdirSync(locks, { recursive: true, mode: 0o700 });
  assert.equal(spawnSync('mount', ['-t', 'tmpfs', '-o', 'mode=700', 'none',
    locks]).status, 0);
}

const name = 'localhost/caisson-test:1';
const oddName = 'localhost/caisson-odd:1';
const annotatedName = 'localhost/caisson-annotated:1';
const volumeName = 'localhost/caisson-volume:1';

/* Has docker import a folder as an image. */
function importFolder(folder, image, ...changes) {
  const tar = `${folder}.tar`;

  spawnSync('tar', ['-C', folder, '-cf', tar, '.']);
  docker(['import', ...changes.flatMap((each) => ['--change', each]), tar,
    image]);
  fs.rmSync(tar);
}

/* Has podman build on the image, with an annotation. fill makes files for it. */
function build(image, fill, changes, annotation) {
  const context = fs.mkdtempSync(place('context-'));

  fs.mkdirSync(path.join(context, 'files'));
  fill(path.join(context, 'files'));
  fs.writeFileSync(path.join(context, 'Dockerfile'),
    [`FROM ${name}`, 'COPY files /', ...changes, ''].join('\n'));
  podman(['build', '--quiet', '--pull=never', '--annotation',
    `${annotation}=x`, '--tag', image, context]);
}

/* The settings with that runtime; docker's daemon begins with these options. */
export function settingsOf(runtime, options = []) {
  if (runtime === 'docker') {
    makeOnce('data', () => {
      startDaemon(options);
      importFolder(rootFolder(), name);
    });
    return { CAISSON_RUNTIME: which('docker'), CAISSON_IMAGE: name,
      ...daemonAt() };
  }
  configure();
  return { CAISSON_RUNTIME: 'podman', CAISSON_IMAGE: name, ...engine() };
}

/* Puts files into directories that only root may write to. */
function fillOdd(folder) {
  for (const each of ['data', 'tmp', 'workspace', 'workspace/out']) {
    fs.mkdirSync(path.join(folder, each), { recursive: true });
    fs.chmodSync(path.join(folder, each), 0o755);
    fs.writeFileSync(path.join(folder, each, 'old'), 'old');
  }
}

/* Puts a directory for a volume there, where all users may write. */
function fillVolume(folder) {
  fs.mkdirSync(path.join(folder, 'volume'), { recursive: true });
  fs.chmodSync(path.join(folder, 'volume'), 0o1777);
}

/* The image as a folder, with more. */
const filled = (name, fill) => makeOnce(name, (folder) => {
  spawnSync('cp', ['-al', rootFolder(), folder]);
  fill(folder);
});

/*
 * The settings with an image whose directories have files of their own and only
 * root may write to them; that of podman also has a volume, and an annotation
 * for people.
 */
export function oddSettingsOf(runtime) {
  const settings = settingsOf(runtime);

  if (runtime === 'podman')
    build(oddName, (folder) => {
      fillOdd(folder);
      fillVolume(folder);
    }, ['VOLUME /volume'], 'org.opencontainers.image.title');
  else
    importFolder(filled('odd', fillOdd), oddName);
  return { ...settings, CAISSON_IMAGE: oddName };
}

/* The settings with an image of docker that has a volume. */
export function volumeSettingsOf() {
  const settings = settingsOf('docker');

  importFolder(filled('volume', fillVolume), volumeName, 'VOLUME /volume',
    'LABEL sandbox.runner=true', 'LABEL sandbox.language=tongue',
    'ENTRYPOINT ["/bin/sh"]');
  return { ...settings, CAISSON_IMAGE: volumeName };
}

/* The settings with an image of podman that has such an annotation. */
export function annotatedSettingsOf(annotation, ...changes) {
  const settings = settingsOf('podman');

  build(annotatedName, () => {}, changes, annotation);
  return { ...settings, CAISSON_IMAGE: annotatedName };
}

/* What is there of containers: those whose name is such, and their mounts. */
function found(runtime, ours) {
  const list = ['ps', '--all', '--format', '{{.Names}}'];
  const listed = (runtime === 'podman' ? podman : docker)(list).split('\n');
  const mounts = fs.readFileSync('/proc/self/mounts', 'utf8').split(/[\s/]/);

  return [...listed, ...mounts].filter((entry) =>
    entry.startsWith('caisson-') && ours(entry));
}

/*
 * The names in the storage of podman, which is asked much more slowly. Newer
 * ones note a container that is removed at its end elsewhere.
 */
const stored = () => ['graph/overlay-containers/containers.json',
  'run/overlay-containers/volatile-containers.json']
  .map((each) => path.join(made, each)).filter((each) => fs.existsSync(each))
  .flatMap((each) => [...fs.readFileSync(each, 'utf8')
    .matchAll(/"(caisson-[^"]*)"/g)].map((match) => match[1]));

/* Whether a container is of the program with this process. */
const isOf = (pid) => (entry) => entry.split('.').at(-3) === `${pid}`;

/* Waits until an engine that is asked knows nothing of such containers. */
async function goneAll(runtime, ours) {
  if (runtime === 'podman')
    await until(() => !stored().some(ours), () => `the end of ${stored()}`);
  await until(() => found(runtime, ours).length === 0,
    () => `the end of ${found(runtime, ours)}`);
}

/* The same of those of the program with this process. */
export const gone = (runtime, pid) => goneAll(runtime, isOf(pid));

/* The same of the container of this name. */
export const goneNamed = (runtime, name) =>
  goneAll(runtime, (entry) => entry === name);

/* The name of a container of that program which is no trial, or undefined. */
export const nameOf = (runtime, pid) =>
  (runtime === 'podman' ? stored() : found(runtime, isOf(pid)))
    .find((each) => isOf(pid)(each) && !each.endsWith('.0'));

/* Waits until there is one. */
export const named = (runtime, pid) =>
  until(() => nameOf(runtime, pid), 'a container');

/* Whether there is a container of this name, as an engine that is asked says. */
export const isListed = (runtime, name) =>
  found(runtime, (entry) => entry === name).length > 0;

/*
 * Whether there is still something of the container of this name. podman is not
 * asked: outside of the namespace of processes in which it started a container,
 * it does not always list it.
 */
export const isThere = (runtime, name) => (runtime === 'podman' ?
  stored().includes(name) : isListed(runtime, name));
