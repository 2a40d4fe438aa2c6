/*
 * Remote servers that are wrong in some way: what commands and calls say of
 * each is one sentence, and it costs that server alone.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { serveAuthority } from './support/authority.mjs';
import { ended, folder } from './support/program.mjs';
import { serveRemote } from './support/remote.mjs';

test('commands say what is wrong with a URL, and move it', async (t) => {
  const answer = (code, type = 'text/plain') => ({ response }) =>
    response.writeHead(code, { 'content-type': type }).end();
  const remote = await serveRemote(t, { odd: { '/404': answer(404),
    '/html': answer(200, 'text/html'), '/405': answer(405) } });
  const authority = await serveAuthority(t);
  const { origin } = remote;
  const rows = {
    plain: [{ url: `${origin}/mcp` }, 'ok'],
    header: [{ url: `${origin}/mcp`, headers: { A: 'b' } }, 'ok'],
    login: [{ url: authority.url }, `${authority.remote.origin} answered 401: `
      + "it wants a login: log in by 'caisson servers login login'"],
    key: [{ url: authority.url, headers: { Authorization: 'x' } },
      'answered 401 Unauthorized: give its entry the header Authorization'],
    nothing: [{ url: `${origin}/404` }, 'there is no MCP server at this path'],
    page: [{ url: `${origin}/html` },
      'answered with text/html instead of MCP: is its path right?'],
    silent: [{ type: 'sse', url: `${origin}/mcp` }, 'it has named no address ' +
      'for messages (its type is sse; http may be right)'],
    post: [{ type: 'sse', url: `${origin}/405` },
      '(its type is sse; http may be right)'],
    tls: [{ url: `https://127.0.0.1:${remote.port}/mcp` },
      'if it has no TLS, its URL begins with http://'],
    name: [{ url: 'https://nowhere.invalid/mcp' },
      'cannot be reached: Could not resolve host: nowhere.invalid'],
  };
  const home = folder(t);
  const place = path.join(home, '.cursor/mcp.json');
  const run = (...args) => ended(t, { home, args });
  const names = Object.keys(rows);
  const judge = (out, but) => names.forEach((name) => {
    const line = new RegExp(`^(ok|FAILED) +${name}: .*`, 'm').exec(out)?.[0];

    assert.ok(name === but || line?.includes(rows[name][1]),
      `${name}: ${line ?? out}`);
  });

  fs.mkdirSync(path.dirname(place));
  fs.writeFileSync(place, JSON.stringify({ mcpServers:
    Object.fromEntries(names.map((name) => [name, rows[name][0]])) }));
  judge((await run('servers', 'test')).out);

  const moved = await run('adopt', 'cursor', '--yes', '--keep', 'plain');

  assert.equal(moved.code, 1, moved.errors);
  judge(moved.out, 'plain');
  assert.deepEqual(Object.keys(JSON.parse(
    fs.readFileSync(place)).mcpServers).sort(), ['caisson', 'plain']);
  assert.equal((await run('adopt', 'cursor', '--undo', '--yes')).code, 0);
  assert.match((await run('servers', 'import', 'cursor', '--yes')).out,
    /^Copied 10 servers to /m);
  await run('servers', 'add', 'more', `${origin}/mcp`, '--header', 'A=b');
  assert.match((await run('servers', 'test')).out, /^ok +more: 1 tool$/m);
});
