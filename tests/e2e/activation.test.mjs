/*
 * Sockets that a service manager has opened (LISTEN_FDS): a plain process
 * passes them as systemd does.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { folder, ran, uid, usually } from './support/program.mjs';
import { fetchAt, serve } from './support/serve.mjs';

usually();

/* Opens sockets, by TCP or at a path, and becomes the program. */
const passing = (sockets, pid = 'os.getpid()') => ['/usr/bin/python3', '-c', `
import os, socket, sys
made = []
for where in ${JSON.stringify(sockets)}:
    if where == "datagrams":
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    elif where == "tcp":
        one = socket.socket()
        one.bind(("127.0.0.1", 0))
        one.listen()
    else:
        one = socket.socket(socket.AF_UNIX)
        one.bind(where)
        one.listen()
    made.append(one)
moved = [os.dup2(one.fileno(), 100 + n) for n, one in enumerate(made)]
for n, fd in enumerate(moved):
    os.dup2(fd, 3 + n)
    os.close(fd)
os.environ["LISTEN_FDS"] = str(len(made))
os.environ["LISTEN_PID"] = str(${pid})
os.execv(sys.argv[1], sys.argv[1:])`];

const message = {
  method: 'POST', headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {
    protocolVersion: '2025-11-25', capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  } }),
};

test('sockets that were passed are served, each by its kind', async (t) => {
  const home = folder(t);
  const socket = path.join(home, 'passed.sock');
  const { log, child, ended } = await serve(t,
    { home, listen: null, sockets: 2, under: passing([socket, 'tcp']) });
  const url = log().match(/serving at (http:\S+)/)[1];
  const token = fs.readFileSync(
    path.join(home, '.local/state/caisson/token'), 'utf8').trim();

  assert.match(log(), new RegExp(`serving at unix:${socket}`));
  assert.doesNotMatch(log(), /mcp\.sock/);
  /* Its own user needs no token there; the tests may be another one. */
  assert.equal((await fetchAt(t, socket,
    uid === process.getuid() ? {} : { token })('http://localhost/mcp', message))
    .status, 200);
  assert.equal((await fetchAt(t)(url, message)).status, 401);
  assert.equal((await fetchAt(t, undefined, { token })(url, message)).status,
    200);

  /* The file is not its own. */
  child.kill('SIGTERM');
  await ended;
  assert.ok(fs.existsSync(socket));
});

test('variables for another process are ignored', async (t) => {
  const home = folder(t);
  const { socket, log } = await serve(t,
    { home, under: passing([path.join(home, 'other.sock')], '1') });

  assert.match(log(), new RegExp(`serving at unix:${socket}`));
  assert.doesNotMatch(log(), /other\.sock/);
});

test('other descriptors are refused', (t) => {
  const home = folder(t);
  const start = (sockets, more = {}) => {
    const done = ran(
      { args: ['serve'], home, under: passing(sockets), ...more });

    assert.equal(done.status, 2, done.stderr);
    return done.stderr;
  };

  assert.match(start(['datagrams']), /LISTEN_FDS.* not a socket that accepts/);
  assert.match(start([]), /LISTEN_FDS=0: the value must be a number/);
  assert.match(start(Array(9).fill('tcp')), /number of sockets from 1 to 8/);
});
