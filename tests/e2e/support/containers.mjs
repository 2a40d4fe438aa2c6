/*
 * Container engines for the program under test: a small image of what this
 * machine has, and what is left of containers afterwards. podman keeps all in a
 * folder of the tests; the bundles of crun and runc are where the program puts
 * them.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { once, root, uid } from './program.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const has = (name) => spawnSync(name, ['--version']).status === 0;
const usable = once.skip ? once.skip : root && uid === 0 ? false : 'needs root';

/* On a host with both versions of cgroups only runc works. */
const hybrid = fs.existsSync('/sys/fs/cgroup/unified');

/* Why the tests of a runtime are skipped, or false. */
export const skipped = {
  podman: usable || (has('podman') && (!hybrid || has('/usr/sbin/runc')) ?
    false : 'needs podman'),
  oci: usable || (has('/usr/sbin/runc') || has('crun') ? false :
    'needs crun or runc'),
};

let made; /* the folder of all images */

process.once('exit', () => {
  if (!made)
    return;
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

/* Runs podman with the images of the tests. Returns what it prints. */
export function podman(args, input) {
  const done = spawnSync('podman', args, { encoding: 'utf8', input,
    maxBuffer: 2 ** 30, env: { ...process.env, ...engine() } });

  if (done.status !== 0)
    throw new Error(`podman ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

const name = 'localhost/caisson-test:1';

/* The settings of the program with that runtime. */
export function settingsOf(runtime) {
  prepare();
  if (runtime === 'oci')
    return { CAISSON_RUNTIME: 'oci', CAISSON_IMAGE: path.join(made, 'root') };
  if (!fs.existsSync(path.join(made, 'graph'))) {
    const tar = path.join(made, 'root.tar');

    spawnSync('tar', ['-C', path.join(made, 'root'), '-cf', tar, '.']);
    podman(['import', tar, name]);
    fs.rmSync(tar);
  }
  return { CAISSON_RUNTIME: 'podman', CAISSON_IMAGE: name, ...engine() };
}

/* What is there of the containers of the program with this process. */
export function left(runtime, pid) {
  const ours = (entry) => entry.startsWith('caisson-') &&
    entry.split('.').at(-3) === `${pid}`;
  const folders = ['/run/caisson-containers', '/run/caisson-containers/state-runc',
    '/run/caisson-containers/state-crun', '/sys/fs/cgroup',
    ...fs.readdirSync('/sys/fs/cgroup').map((each) => `/sys/fs/cgroup/${each}`)];
  const listed = runtime === 'podman' ?
    podman(['ps', '--all', '--format', '{{.Names}}']).split('\n') :
    folders.flatMap((each) => {
      try {
        return fs.readdirSync(each);
      } catch {
        return [];
      }
    });
  const mounts = fs.readFileSync('/proc/self/mounts', 'utf8').split('\n')
    .filter((line) => line.includes(`.${pid}.`) && line.includes('caisson-'));

  return [...listed.filter(ours), ...mounts];
}
