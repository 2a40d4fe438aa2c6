/*
 * Processes that the code leaves rename, replace and link files while these are
 * collected, until the box ends, in each way in which it can end. Nothing of
 * the host is read through a link, a FIFO holds up nothing, and a file that
 * comes back has what the code wrote.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { links, text } from './support/files.mjs';
import { descendants } from './support/processes.mjs';
import { contained, folder } from './support/program.mjs';
import { connect, run } from './support/sdk.mjs';

const hidden = 'only the host has this';

/* Two processes for each directory, which change it all the time. */
const racing = (secret) => `
import os, subprocess, sys, time
changes = r'''
import itertools, os, sys
place, secret = sys.argv[1:]
os.chdir(place)
def attempt(f, *words):
    try: f(*words)
    except OSError: pass
def write(name, data):
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK)
    os.write(fd, data.encode())
    os.close(fd)
me = str(os.getpid())
for n in itertools.count():
    attempt(os.symlink, (secret, "/", "/proc/1/root" + secret)[n % 3], me)
    attempt(os.rename, me, "a")
    attempt(write, me, "plain" * 1000)
    attempt(os.rename, me, "a")
    attempt(os.link, "a", "b")
    attempt(os.unlink, "b")
    attempt(os.mkfifo, me)
    attempt(os.rename, me, "a")
    attempt(os.mkdir, me + "d")
    attempt(os.rename, "a", me + "d/a")
    attempt(os.rename, me + "d", "d")
    attempt(os.symlink, secret, "d/a2")
    attempt(os.rename, "d/a2", "c")
    attempt(os.rename, "d/a", "a")
    attempt(os.rmdir, "d")
    attempt(write, "a", "plain" * (n % 2000))
'''
places = "/workspace/out", "/data"
for place in places * 2:
    subprocess.Popen([sys.executable, "-I", "-c", changes, place,
        ${JSON.stringify(secret)}], start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
for place in places:
    seen = set()
    while len(seen) < 20:
        try: seen.add(os.lstat(place + "/a").st_mtime_ns)
        except OSError: pass
print("racing", flush=True)
`;

/* The last line of the code, and arguments of the call. */
const ends = {
  'the code ends': ['pass'],
  'it is killed': ['os.kill(os.getpid(), 9)'],
  'its time is over': ['time.sleep(1000)', { timeout: 2 }],
  'its memory is full': ['x = bytearray(1 << 30)'],
  ...(contained ? { 'its keeper is killed': ['time.sleep(1000)'] } : {}),
};

/* That of the container of this call, not of one that is being removed. */
function killKeeper(pid) {
  const keepers = descendants(pid)
    .filter(({ name }) => name.startsWith('keeper'));

  process.kill(keepers.at(-1).pid, 'SIGKILL');
}

for (const [what, [last, more]] of Object.entries(ends))
  test(`files that change until ${what}`, async (t) => {
    const secret = path.join(folder(t), 'secret');

    fs.writeFileSync(secret, hidden);
    const { client, pid } = await connect(t, { env: { CAISSON_POOL: '0',
      CAISSON_ARGUMENTS: 'code,timeout,conversationId' } });
    const result = await run(client, racing(secret) + last,
      { conversationId: 'one', ...more },
      what === 'its keeper is killed' ?
        { onprogress: () => killKeeper(pid) } : {});

    for (const link of links(result)) {
      const { contents: [read] } = await client.readResource(link);
      const found = read.text ?? Buffer.from(read.blob, 'base64').toString();

      assert.match(found, /^(plain)*p?l?a?i?$/);
      assert.equal(found.length, link.size);
    }
    assert.ok(!JSON.stringify(result).includes(hidden));
    assert.equal(text(await run(client, 'print("next")')), 'next');
  });
