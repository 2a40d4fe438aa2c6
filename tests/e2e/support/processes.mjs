/*
 * What /proc tells about the program's processes: who descends from whom, in
 * which namespace, with how much memory and how many descriptors. Processes
 * that no test has started are not looked at.
 *
 *   CAISSON_REAPER  the process below which all that tests start stays, orphans
 *                   too (see alone.py); without it all processes are looked at
 */
import fs from 'node:fs';
import { until } from './wait.mjs';

/* What is read may end at any moment: then there is nothing. */
function attempt(read) {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(error.code))
      return undefined;
    throw error;
  }
}

/* What is read of a process at once: its line in /proc is shorter. */
const line = Buffer.alloc(4096);

/* What /proc/PID/stat says of it, or undefined when there is none. */
function statOf(pid) {
  const fd = attempt(() => fs.openSync(`/proc/${pid}/stat`));

  if (fd === undefined)
    return undefined;
  const length = attempt(() => fs.readSync(fd, line)) ?? 0;

  fs.closeSync(fd);
  return length === 0 ? undefined : line.latin1Slice(0, length);
}

/* One process without its command, or undefined when there is none. */
function entryOf(pid) {
  const stat = statOf(pid);

  if (!stat)
    return undefined;
  /* The name may hold anything, so count from its end. */
  const rest = stat.slice(stat.lastIndexOf(')') + 2).split(' ');

  return {
    pid: Number(pid),
    state: rest[0],
    parent: Number(rest[1]),
    exiting: (Number(rest[6]) & 4) !== 0, /* none of its code runs any more */
    childFaults: Number(rest[8]),
    started: Number(rest[19]),
    size: Number(rest[20]),
    name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
  };
}

/* The same process with its command. */
function withCommand(entry) {
  const command = attempt(
    () => fs.readFileSync(`/proc/${entry.pid}/cmdline`, 'latin1')) ?? '';

  return { ...entry, command: command.split('\0').join(' ').trim() };
}

/* One process, or undefined when there is none (or only its entry). */
export function processOf(pid) {
  const entry = entryOf(pid);

  return entry && withCommand(entry);
}

const reaper = Number(process.env.CAISSON_REAPER);

/*
 * All processes of the machine, without their commands: only those of a few are
 * looked at, and tests ask again and again. Whose parent ended while they were
 * read has got another one meanwhile.
 */
function everybody() {
  const all = fs.readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(entryOf)
    .filter((entry) => entry !== undefined);
  const pids = new Set(all.map(({ pid }) => pid));

  return all.map((entry) => pids.has(entry.parent) ? entry :
    entryOf(entry.pid)).filter((entry) => entry !== undefined);
}

/* Those of all that are below pid. */
function below(pid, all) {
  const family = new Set([pid]);
  let grown = true;

  while (grown) {
    grown = false;
    for (const entry of all) {
      if (!family.has(entry.pid) && family.has(entry.parent)) {
        family.add(entry.pid);
        grown = true;
      }
    }
  }
  return all.filter((entry) => entry.pid !== pid && family.has(entry.pid))
    .map(withCommand);
}

/* Every process that tests have started, and what those have. */
export function processes() {
  return reaper ? below(reaper, everybody()) : everybody().map(withCommand);
}

/* Every process below pid. */
export function family(pid) {
  return below(pid, everybody());
}

/* The same without the store, which stays once a call was kept. */
export function descendants(pid) {
  return family(pid).filter(({ name }) => name !== 'store');
}

/* Those that have outlived what started them. */
export function orphans() {
  return processes().filter((entry) => entry.parent === (reaper || 1));
}

/*
 * Dead: not there, or left to a parent that is not ours to reap it. The first
 * process of a pid namespace has already given up its memory when it waits
 * for such parents to reap the others.
 */
const over = (entry) => entry === undefined || entry.size === 0 ||
  entry.state === 'Z' || entry.state === 'X';

/* Whether this very process, and no later one of its number, still runs. */
export function lives(entry) {
  const now = processOf(entry.pid);

  return !over(now) && now.started === entry.started;
}

export const describe = (entries) => entries
  .map((entry) => `${entry.pid} (${entry.name}: ${entry.command})`)
  .join(', ');

/*
 * Whether a template is being started: the program has fewer descriptors of it
 * than when it stands.
 */
export function hasTemplateToCome(family) {
  return family.some(({ name, command }) =>
    command.startsWith('caisson: template[') && name !== 'template-init');
}

/* The processes of an engine between the keeper of a container and its code. */
export function engines(family) {
  return family.filter(({ name }) =>
    /^(podman|docker|conmon|crun|runc)/.test(name));
}

/* Waits until none of these processes runs. */
export async function gone(entries) {
  await until(() => !entries.some(lives),
    () => `the end of ${describe(entries.filter(lives))}`);
}

/* The same of children of the program, until it has seen that, too. */
export async function reaped(entries) {
  const left = () => entries.filter((entry) =>
    processOf(entry.pid)?.started === entry.started);

  await until(() => left().length === 0,
    () => `the program to see the end of ${describe(left())}`);
}

/* Waits until pid has no descendant left, not even one to be reaped. */
export async function childless(pid) {
  await until(() => descendants(pid).length === 0,
    () => `the end of ${describe(descendants(pid))}`);
}

/*
 * Workers of our program, wherever they hang in the tree, that were started
 * when this process was or later.
 */
export function workersSince(first) {
  return processes().filter((entry) => !over(entry) &&
    entry.started >= first.started &&
    /^caisson: (relay|box)\[/.test(entry.command));
}

/*
 * Counts what the children of pid have ever done: it changes whenever one was
 * started and has ended. (Page faults of children that were waited for.)
 */
export function childrenEver(pid) {
  return processOf(pid).childFaults;
}

/* The process identifiers from the outermost namespace to its own. */
export function namespacePids(pid) {
  const status = attempt(
    () => fs.readFileSync(`/proc/${pid}/status`, 'latin1')) ?? '';
  const line = /^NSpid:\s*(.*)$/m.exec(status);

  return line ? line[1].split(/\s+/).map(Number) : [];
}

/* The name of a process's pid namespace, or undefined. */
export function pidNamespace(pid) {
  return attempt(() => fs.readlinkSync(`/proc/${pid}/ns/pid`));
}

/* Now, by the clock of when processes were started. */
export function clock() {
  const [seconds] = fs.readFileSync('/proc/uptime', 'latin1').split(' ');

  return Math.ceil(Number(seconds) * 100);
}

/*
 * All processes of that pid namespace, wherever they hang in the tree. When it
 * is over its number is another one's: then only those that were started before
 * some time are meant.
 */
export function inNamespace(namespace, before = Infinity) {
  return processes().filter((entry) => !over(entry) &&
    entry.started <= before && pidNamespace(entry.pid) === namespace);
}

/* Its real, effective, saved and file system uid. */
export function owners(pid) {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'latin1');

  return /^Uid:\s*(.*)$/m.exec(status)[1].split(/\s+/).map(Number);
}

/* Its inherited, permitted and effective capabilities, as masks. */
export function capabilities(pid) {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'latin1');

  return [...status.matchAll(/^Cap(?:Inh|Prm|Eff):\s*(\S+)$/gm)]
    .map(([, mask]) => BigInt(`0x${mask}`));
}

/* A size in KiB from /proc/PID/status, such as VmHWM. */
export function memory(pid, field) {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'latin1');

  return Number(new RegExp(`^${field}:\\s*(\\d+) kB`, 'm').exec(status)[1]);
}

export function descriptors(pid) {
  return fs.readdirSync(`/proc/${pid}/fd`).length;
}

/*
 * What they are; those that are closed meanwhile are left out, and a process
 * that has ended has none.
 */
export function opened(pid) {
  const folder = `/proc/${pid}/fd`;

  return (attempt(() => fs.readdirSync(folder)) ?? [])
    .map((fd) => attempt(() => fs.readlinkSync(`${folder}/${fd}`)))
    .filter((target) => target !== undefined);
}

export function mounts(pid) {
  return fs.readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
    .split('\n').length - 1;
}
