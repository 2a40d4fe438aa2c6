/*
 * "caisson serve" and its clients: requests at a Unix socket, by node's own
 * HTTP client, or as the official clients send them.
 */
import { spawn } from 'node:child_process';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import { commandLine, folder } from './program.mjs';
import { within } from './wait.mjs';

/*
 * Starts it for a test, which ends it. options: see program.mjs; listen is the
 * value of --listen, or null for none, and sockets how many there are (1).
 */
export async function serve(t, options = {}) {
  const home = options.home ?? folder(t);
  const socket = options.socket ?? path.join(home, 'mcp.sock');
  const [command, ...args] = commandLine({ ...options, home,
    args: ['serve', ...options.listen === null ? [] :
      ['--listen', options.listen ?? `unix:${socket}`],
    ...options.args ?? []] });
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => child.once('exit', (...how) =>
    resolve(how)));
  let log = '';

  t.after(async () => {
    child.kill('SIGTERM');
    await within(ended, 'the end of serving');
  });
  await within(new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => {
      log += data;
      if (log.split('serving at').length > (options.sockets ?? 1))
        resolve();
    });
    ended.then(() => reject(new Error(log)));
  }), () => `the start of serving: ${log}`);
  return { socket, child, ended, home, log: () => log };
}

/* The same at a free port of TCP, whose address is url. */
export async function serveTcp(t, options = {}) {
  const served = await serve(t, { listen: '127.0.0.1:0', ...options });
  const url = served.log().match(/serving at (http:\S+)/)[1];

  return { ...served, url };
}

/*
 * fetch() of the Fetch standard at this socket; connections are kept. Or by
 * TCP: with a token, perhaps from another address of this machine.
 */
export function fetchAt(t, socket, { token, from } = {}) {
  const agent = new http.Agent({ keepAlive: true, socketPath: socket,
    localAddress: from });
  const own = token ? { Authorization: `Bearer ${token}` } : {};

  t.after(() => agent.destroy());
  return (url, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = http.request(url, {
        agent, socketPath: socket, method, signal,
        headers: { ...own, ...Object.fromEntries(new Headers(headers)) },
      }, (answer) => {
        const { statusCode: status } = answer;

        resolve(new Response(
          [202, 204, 304].includes(status) ? null : Readable.toWeb(answer),
          { status, headers: answer.headers }));
        if ([202, 204, 304].includes(status))
          answer.resume();
      });

      request.once('error', reject);
      request.end(body);
    });
}

/*
 * Sends these bytes, and more when the first ones have been answered. Returns
 * all that comes back until the end.
 */
export function raw(socket, bytes, more) {
  return within(new Promise((resolve, reject) => {
    const connection = net.connect(socket);
    let got = '';

    connection.setEncoding('latin1').on('data', (data) => {
      if (more && got === '')
        connection.write(more);
      got += data;
    });
    connection.once('close', () => resolve(got));
    connection.once('error', reject);
    connection.write(bytes);
  }), 'the end of a connection');
}
