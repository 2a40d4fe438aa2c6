/*
 * The program on a terminal of its own, as a person starts it.
 */
import { spawnSync } from 'node:child_process';
import { commandLine, folder } from './program.mjs';

/* Runs a command with these descriptors on a terminal, prints what it shows. */
const script = `
import os, pty, subprocess, sys
fds, command = sys.argv[1], sys.argv[2:]
here, there = pty.openpty()
kinds = {name: there if name in fds.split(",") else other for name, other in (
    ("stdin", subprocess.DEVNULL), ("stdout", subprocess.PIPE),
    ("stderr", subprocess.PIPE))}
child = subprocess.Popen(command, **kinds)
os.close(there)
os.write(here, b"\\4")  # the end of the input
shown = b""
while True:
    try:
        more = os.read(here, 65536)
    except OSError:
        break
    if not more:
        break
    shown += more
out, errors = child.communicate()
for name, text in (("shown", shown), ("stdout", out), ("stderr", errors)):
    sys.stdout.buffer.write(b"%s\\0%s\\0" % (name.encode(), text or b""))
sys.exit(child.returncode)
`;

/*
 * Runs the program to its end. fds are those of its descriptors that are the
 * terminal, with commas between. Returns its status and what was written:
 * shown on the terminal, stdout and stderr where those are pipes.
 */
export function onTerminal(t, options, fds = 'stdin,stdout,stderr') {
  const { status, stdout, error } = spawnSync('/usr/bin/python3', ['-c',
    script, fds, ...commandLine({ home: folder(t), ...options })],
  { encoding: 'utf8', timeout: 300_000 });

  if (error !== undefined)
    throw error;
  const words = stdout.split('\0');

  return { status, shown: words[1].replace(/\r\n/g, '\n'), stdout: words[3],
    stderr: words[5] };
}
