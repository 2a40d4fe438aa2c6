/*
 * Container engines for the program under test: a small image of what this
 * machine has, and what is left of containers afterwards. podman and docker,
 * which gets a daemon of its own, keep all in a folder of the tests; the bundles
 * of crun and runc are where the program puts them.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { once, root, uid } from './program.mjs';

/* Also where the tests may have an engine that is not installed. */
const which = (name) => process.env.PATH.split(':')
  .map((each) => path.join(each, name)).find((each) => fs.existsSync(each));
const here = path.dirname(fileURLToPath(import.meta.url));
const has = (name) => spawnSync(name, ['--version']).status === 0;
const usable = once.skip ? once.skip : root && uid === 0 ? false : 'needs root';

/* On a host with both versions of cgroups only runc works. */
const hybrid = fs.readFileSync('/proc/self/mounts', 'utf8')
  .includes(' /sys/fs/cgroup/unified ');

/* Why the tests of a runtime are skipped, or false. */
export const skipped = {
  podman: usable || (has('podman') && (!hybrid || has('/usr/sbin/runc')) ?
    false : 'needs podman'),
  docker: usable || (['docker', 'dockerd', 'containerd', 'docker-init']
    .every(which) ? false : 'needs docker with its daemon'),
  oci: usable || (has('/usr/sbin/runc') || has('crun') ? false :
    'needs crun or runc'),
};

/* The path of the engine of a runtime. */
export const program = (runtime) => (runtime !== 'oci' ? which(runtime) :
  hybrid || !has('crun') ? '/usr/sbin/runc' : which('crun'));

let made; /* the folder of all images */
let daemon;

process.once('exit', () => {
  if (!made)
    return;
  /* It ends its containers, and its own containerd. */
  if (daemon) {
    daemon.kill('SIGTERM');
    spawnSync('tail', ['--pid', `${daemon.pid}`, '-f', '/dev/null'],
      { timeout: 20_000 });
    spawnSync('umount', [path.join(made, 'data')]);
  }
  spawnSync('umount', [path.join(made, 'graph/overlay')]);
  fs.rmSync(made, { recursive: true, force: true });
});

/* Makes the image, once. */
function prepare() {
  if (made)
    return;
  made = fs.mkdtempSync(path.join(os.tmpdir(), 'caisson-images-'));
  fs.chmodSync(made, 0o755);
  spawnSync('sh', [path.resolve(here, '../../support/small_root.sh'),
    path.join(made, 'root')], { stdio: 'inherit' });
  fs.writeFileSync(path.join(made, 'containers.conf'), '[engine]\n' +
    'cgroup_manager="cgroupfs"\nevents_logger="none"\n' +
    (hybrid ? 'runtime="runc"\n' : ''));
  fs.writeFileSync(path.join(made, 'storage.conf'), '[storage]\n' +
    `driver="overlay"\nrunroot="${made}/run"\ngraphroot="${made}/graph"\n`);
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
function startDaemon() {
  const log = fs.openSync(path.join(made, 'daemon.log'), 'w');

  daemon = spawn('dockerd', ['--iptables=false', '--ip6tables=false',
    '--bridge=none', '--exec-opt', 'native.cgroupdriver=cgroupfs',
    '--init-path', which('docker-init'), '--data-root', path.join(made, 'data'),
    '--exec-root', path.join(made, 'exec'), '--pidfile', path.join(made, 'pid'),
    '--host', daemonAt().DOCKER_HOST], { stdio: ['ignore', log, log] });
  daemon.unref();
  ask('timeout', ['30', 'sh', '-c',
    'until docker ps > /dev/null 2>&1; do sleep 0.1; done'], undefined,
  daemonAt());
}

const name = 'localhost/caisson-test:1';
const oddName = 'localhost/caisson-odd:1';
const annotatedName = 'localhost/caisson-annotated:1';
const volumeName = 'localhost/caisson-volume:1';

/* Makes an image of the folder, once. */
function importInto(import_, place) {
  if (fs.existsSync(path.join(made, place)))
    return;
  const tar = path.join(made, 'root.tar');

  spawnSync('tar', ['-C', path.join(made, 'root'), '-cf', tar, '.']);
  import_(tar);
  fs.rmSync(tar);
}

/* The settings of the program with that runtime. */
export function settingsOf(runtime) {
  prepare();
  if (runtime === 'oci')
    return { CAISSON_RUNTIME: 'oci', CAISSON_IMAGE: path.join(made, 'root') };
  if (runtime === 'docker') {
    importInto((tar) => {
      startDaemon();
      docker(['import', tar, name]);
    }, 'data');
    return { CAISSON_RUNTIME: which('docker'), CAISSON_IMAGE: name,
      ...daemonAt() };
  }
  importInto((tar) => podman(['import', tar, name]), 'graph');
  return { CAISSON_RUNTIME: 'podman', CAISSON_IMAGE: name, ...engine() };
}

/*
 * The settings with an image whose directories have files of their own and only
 * root may write to them. Its Python imports packages of Debian.
 */
export function oddSettingsOf(runtime) {
  const settings = settingsOf(runtime);
  const odd = path.join(made, 'odd');
  const tar = path.join(made, 'odd.tar');

  if (!fs.existsSync(odd)) {
    spawnSync('cp', ['-al', path.join(made, 'root'), odd]);
    fs.mkdirSync(path.join(odd, 'workspace/out'));
    fs.mkdirSync(path.join(odd, 'usr/lib/python3/dist-packages'),
      { recursive: true });
    for (const each of ['data', 'tmp', 'workspace', 'workspace/out']) {
      fs.chmodSync(path.join(odd, each), 0o755);
      fs.writeFileSync(path.join(odd, each, 'old'), 'old');
    }
    spawnSync('tar', ['-C', odd, '-cf', tar, '.']);
  }
  if (runtime === 'oci')
    return { ...settings, CAISSON_IMAGE: odd };
  (runtime === 'podman' ? podman : docker)(['import', tar, oddName]);
  return { ...settings, CAISSON_IMAGE: oddName };
}

/* The settings with an image that has a volume, where all users may write. */
export function volumeSettingsOf(runtime) {
  const settings = settingsOf(runtime);
  const folder = path.join(made, 'volume');
  const tar = path.join(made, 'volume.tar');

  if (!fs.existsSync(folder)) {
    spawnSync('cp', ['-al', path.join(made, 'root'), folder]);
    fs.mkdirSync(path.join(folder, 'volume'));
    fs.chmodSync(path.join(folder, 'volume'), 0o1777);
    spawnSync('tar', ['-C', folder, '-cf', tar, '.']);
  }
  (runtime === 'podman' ? podman : docker)(['import', '--change',
    'VOLUME /volume', '--change', 'LABEL sandbox.runner=true', '--change',
    'LABEL sandbox.language=tongue', '--change', 'ENTRYPOINT ["/bin/sh"]',
    tar, volumeName]);
  return { ...settings, CAISSON_IMAGE: volumeName };
}

/* The settings with an image of podman that has such an annotation. */
export function annotatedSettingsOf(annotation) {
  const settings = settingsOf('podman');
  const folder = fs.mkdtempSync(path.join(made, 'annotated-'));

  fs.writeFileSync(path.join(folder, 'Dockerfile'), `FROM ${name}\n`);
  podman(['build', '--pull=never', '--annotation', `${annotation}=x`, '--tag',
    annotatedName, folder]);
  return { ...settings, CAISSON_IMAGE: annotatedName };
}

/* What is there of containers: those whose name is such, and their mounts. */
function found(runtime, ours) {
  const folders = ['/run/caisson-containers', '/run/caisson-containers/state-runc',
    '/run/caisson-containers/state-crun', '/sys/fs/cgroup',
    ...fs.readdirSync('/sys/fs/cgroup').map((each) => `/sys/fs/cgroup/${each}`)];
  const list = ['ps', '--all', '--format', '{{.Names}}'];
  const listed = runtime === 'podman' ? podman(list).split('\n') :
    runtime === 'docker' ? docker(list).split('\n') :
    folders.flatMap((each) => {
      try {
        return fs.readdirSync(each);
      } catch {
        return [];
      }
    });
  const mounts = fs.readFileSync('/proc/self/mounts', 'utf8').split(/[\s/]/);

  return [...listed, ...mounts].filter((entry) =>
    entry.startsWith('caisson-') && ours(entry));
}

/* That of the program with this process. */
export const left = (runtime, pid) => found(runtime,
  (entry) => entry.split('.').at(-3) === `${pid}`);

/* That of the container of this name. */
export const leftNamed = (runtime, name) =>
  found(runtime, (entry) => entry === name);

/*
 * Whether there is still something of the container of this name. podman is not
 * asked: outside of the namespace of processes in which it started a container,
 * it does not always list it.
 */
export const isThere = (runtime, name) => (runtime === 'podman' ?
  fs.readFileSync(path.join(made, 'graph/overlay-containers/containers.json'),
    'utf8').includes(`"${name}"`) : leftNamed(runtime, name).length > 0);
