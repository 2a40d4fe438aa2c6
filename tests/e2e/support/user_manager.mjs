/*
 * A real service manager of the user of the program, for one test: see
 * ../../support/user_manager.py.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { binary, commandLine, folder, uid } from './program.mjs';
import { within } from './wait.mjs';

const script = path.resolve(path.dirname(fileURLToPath(import.meta.url)),
  '../../support/user_manager.py');

/*
 * Starts it, in a home of its own, or skips the test. run() runs a program in
 * a session of the user, and returns how it ended; caisson() the program;
 * replace() puts a file in the place of another of the machine.
 */
export async function userManager(t) {
  const home = folder(t);
  const child = spawn('/usr/bin/python3', ['-B', script, String(uid), home],
    { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const lines = readline.createInterface(child.stdout);
  const line = await within(new Promise((resolve) => {
    lines.once('line', resolve);
    ended.then(() => resolve(''));
  }), 'the service manager');

  t.after(async () => {
    child.stdin.end();
    await within(ended, 'the end of the service manager');
  });
  if (!line.startsWith('{')) {
    t.skip(line.replace('SKIP: ', ''));
    return null;
  }

  const { pid, group, env } = JSON.parse(line);
  const commandInside = (program, args, more = {}) => ['/usr/bin/nsenter', '-t',
    String(pid), '-m', '/bin/sh', '-c',
    'echo 0 > "$0/cgroup.procs" && exec "$@"', `${group}/session`,
    ...commandLine({ program, args, home, env: { ...env, ...more } })];
  const run = (program, args, more) => {
    const [command, ...rest] = commandInside(program, args, more);

    return spawnSync(command, rest,
      { input: '', encoding: 'utf8', timeout: 300_000 });
  };

  return {
    home, group, commandInside, run,
    caisson: (...args) => run(binary, args),
    systemctl: (...args) => run('/usr/bin/systemctl', ['--user', ...args]),
    socket: path.join(env.XDG_RUNTIME_DIR, 'caisson/mcp.sock'),
    replace: (place, file) => spawnSync('/usr/bin/nsenter',
      ['-t', String(pid), '-m', '/bin/mount', '--bind', file, place]),
    exists: (name) => fs.existsSync(path.join(home, name)),
  };
}
