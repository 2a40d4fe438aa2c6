/*
 * What the tests of this folder share: a way to the program for clients that
 * cannot send a token.
 */
import { spawnSync } from 'node:child_process';
import http from 'node:http';
import { commandLine, folder } from '../e2e/support/program.mjs';
import { serveTcp } from '../e2e/support/serve.mjs';

/*
 * Starts the program for a test, which ends it, and a proxy that adds a token
 * to each request. Returns both addresses, and the token. options: see
 * program.mjs.
 */
export async function serveProxied(t, options = {}) {
  const home = folder(t);
  const [command, ...args] = commandLine(
    { ...options, args: ['token', 'add', 'client'], home });
  const token = spawnSync(command, args, { encoding: 'utf8' }).stdout.trim();
  const { url } = await serveTcp(t, { ...options, home });
  const { host } = new URL(url);
  const agent = new http.Agent({ keepAlive: true });
  const proxy = http.createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const own = `127.0.0.1:${proxy.address().port}`;

    for (const name of ['host', 'origin'])
      headers[name] = headers[name]?.replace(own, host);
    if (!headers.origin)
      delete headers.origin;

    const there = http.request(url, { agent, method: request.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
      });

    there.once('error', () => response.destroy());
    response.once('close', () => there.destroy());
    request.pipe(there);
  });

  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    proxy.close();
    proxy.closeAllConnections();
    agent.destroy();
  });
  return { home, token, direct: url,
    url: `http://127.0.0.1:${proxy.address().port}/mcp` };
}
