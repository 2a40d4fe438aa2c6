/*
 * Gates: how a test knows that code in a box has come to a certain line, and
 * lets it go on. The code starts a process with a number of its own in its
 * command line and waits for its end; the test sees it in /proc and ends it.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { namespacePids, pidNamespace, processes } from './processes.mjs';
import { contained } from './program.mjs';
import { until } from './wait.mjs';

export class Gate {
  constructor() {
    this.seconds = `3600.${String(randomInt(2 ** 40)).padStart(13, '0')}`;
  }

  /* What the code writes to start it; it runs on meanwhile. */
  get start() {
    return `__import__('subprocess').Popen(['sleep', '${this.seconds}'])`;
  }

  /* The same for a process that is not below the code. */
  get daemon() {
    return `
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 1024)
        os.execv("/bin/sleep", ["sleep", "${this.seconds}"])
    os._exit(0)
os.wait()`;
  }

  /* What the code writes to stand at the gate until it is opened. */
  get wait() {
    return `__import__('subprocess').run(['sleep', '${this.seconds}'])`;
  }

  /* The processes that carry its number, in whatever box. */
  find() {
    return processes().filter((entry) =>
      entry.state !== 'Z' && entry.command === `sleep ${this.seconds}`);
  }

  /* Waits until the code stands there; returns the process. */
  async reached() {
    const found = await until(() => this.find()[0],
      'code that comes to its gate');

    this.process = found;
    this.namespace = pidNamespace(found.pid);
    return found;
  }

  /* The process that waits there may be ended at this moment. */
  open() {
    for (const entry of this.find()) {
      try {
        process.kill(entry.pid, 'SIGKILL');
      } catch (error) {
        assert.equal(error.code, 'ESRCH');
      }
    }
  }
}

/*
 * Sorts the processes of a running call by what they are, as seen from
 * outside: numbers tell init (1 in its namespace) from the code (the parent
 * of what the code started).
 */
export function roles(family, gate) {
  /* The processes of docker are below its daemon. */
  const inside = (contained ? processes() : family).filter((entry) =>
    pidNamespace(entry.pid) === gate.namespace);

  /*
   * Only root may ask for the namespace of an init, which cannot be dumped;
   * for others it is known by its number, if there is but one.
   */
  const inits = family.filter((entry) =>
    entry.command.startsWith('caisson: box') &&
    namespacePids(entry.pid).length > 1 &&
    namespacePids(entry.pid).at(-1) === 1);

  return {
    relay: family.filter((entry) => entry.name.startsWith('relay')),
    init: inside.find((entry) => namespacePids(entry.pid).at(-1) === 1) ??
      (inits.length === 1 ? inits[0] : undefined),
    code: inside.find((entry) => entry.pid === gate.process.parent),
    inside,
  };
}
