/*
 * An earlier service is replaced as it is: its environment, its tools, and a
 * request by curl without a handshake.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { commandLine, file, folder, usually } from './support/program.mjs';
import { serve } from './support/serve.mjs';
import { add, clientOf, found, last } from './support/tokens.mjs';
import { until } from './support/wait.mjs';

usually();

const token = 'an-earlier-token-of-32-characters';

/* Serves with the environment of that service. */
async function compat(t, env = {}, options = {}) {
  const server = await serve(t, { listen: null, ...options,
    env: { CAISSON_COMPAT: 'b', MCP_API_TOKEN: token,
      MCP_HTTP_ADDR: '127.0.0.1:0', ...env } });

  return { ...server, url: server.log().match(/serving at (http:\S+)/)[1] };
}

const curl = (...args) =>
  spawnSync('curl', ['-sS', ...args], { encoding: 'utf8' });

test('a request by curl is answered without initialize', async (t) => {
  const { url } = await compat(t);
  const local = url.replace('127.0.0.1', 'localhost');
  const call = (language, code, conversationId = 'demo') => curl('-X', 'POST',
    local, '-H', `Authorization: Bearer ${token}`,
    '-H', 'Content-Type: application/json',
    '-d', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call',
      params: { name: 'sandbox.run_code', arguments: {
        conversationId, language, code } } }));
  const printed = (...words) =>
    JSON.parse(call(...words).stdout).result.content[0].text;
  const answer = JSON.parse(call('python',
    'print(6 * 7); open("a.txt", "w").write("kept")').stdout);

  assert.equal(answer.id, 1);
  assert.match(answer.result.content[0].text, /^42\n/);
  /* Programs of that service write beside themselves, and read that later. */
  assert.match(printed('bash', 'cat a.txt; echo "X = 1" >own.py'), /^kept\n/);
  assert.equal(printed('python', 'import os, own; print(own.X, os.getcwd())'),
    '1 /data');
  assert.match(printed('python', 'open("b.txt")'), /hint: \/data has only/);
  assert.match(printed('python', 'open("no/b.txt", "w")'),
    /hint: the folder no does not exist: create it/);
  assert.equal(printed('python', 'import os; print(os.getcwd())', null),
    '/workspace');
  assert.equal(curl('-H', `Authorization: Bearer ${token}`,
    local.replace('/mcp', '/files/demo/a.txt')).stdout, 'kept');
  assert.match(curl('-X', 'POST', local, '-d', '{}',
    '-H', 'Content-Type: application/json').stdout, /a token is required/);
});

test('it has the tools of that service, for its token only', async (t) => {
  const { url, log, home } = await compat(t);
  const client = clientOf(t, url, token);
  const tools = (await last(await client.post({ method: 'tools/list' })))
    .result.tools;

  assert.doesNotMatch(log(), /made a token/);
  assert.deepEqual(tools.map(({ name }) => name),
    ['run_code', 'list_runners', 'upload_file']);
  assert.ok(tools[0].inputSchema.properties.conversationId);
  assert.equal((await clientOf(t, url, `${token}x`).ask(found)).status, 401);
  assert.equal((await clientOf(t, url, add(home, 'one')).ask(found)).status,
    200);
  assert.equal((await client.post({ method: 'tools/list' },
    { 'MCP-Protocol-Version': '1999-01-01' })).status, 400);
  assert.equal((await client.post({ id: undefined,
    method: 'notifications/initialized' })).status, 202);
});

test('/mcp/events is the stream of a session', async (t) => {
  const served = await compat(t);
  const session = await clientOf(t, served.url, token).begin();
  const stream = await fetch(`${served.url}/events`, { headers: {
    Accept: 'text/event-stream', Authorization: `Bearer ${token}`,
    'Mcp-Session-Id': session } });

  assert.equal(stream.status, 200);
  assert.equal(stream.headers.get('content-type'), 'text/event-stream');
  await stream.body.cancel();
});

test('variables may name files, and what is wrong with them is told',
  async (t) => {
    const home = folder(t);
    const root = path.join(home, 'sandboxes');
    const run = (env, ...args) => {
      const [command, ...rest] = commandLine({ home, args, env });

      return spawnSync(command, rest, { encoding: 'utf8' });
    };
    const pipe = path.join(folder(t), 'pipe');

    spawnSync('mkfifo', [pipe]);

    const show = (env) => Object.fromEntries(JSON.parse(
      run({ CAISSON_COMPAT: 'b', ...env }, 'config', 'show', '--json').stdout)
      .settings.map(({ name, value, source }) => [name, [value, source]]));
    const told = show({ SANDBOX_ROOT_FILE: file(t, 'root', `${root}\n`),
      MCP_HTTP_ADDR: ':9000', CAISSON_TOOLS: 'run_code' });

    assert.deepEqual(told.state_dir, [root, 'SANDBOX_ROOT']);
    assert.deepEqual(told.listen, ['0.0.0.0:9000', 'MCP_HTTP_ADDR']);
    assert.deepEqual(told.tools, ['run_code', 'CAISSON_TOOLS']);
    assert.equal(told.arguments[1], 'compat b');
    assert.deepEqual(show({}).listen, ['127.0.0.1:8080', 'compat b']);
    for (const [env, why] of [
      [{ MCP_API_TOKEN: 'secret' },
        /MCP_API_TOKEN has 6 characters, but must have from 32 to 256/],
      [{ MCP_API_TOKEN: `${token} x` }, /must be visible ASCII/],
      [{ MCP_API_TOKEN: token, MCP_API_TOKEN_FILE: '/dev/null' },
        /MCP_API_TOKEN and MCP_API_TOKEN_FILE are both set/],
      [{ MCP_API_TOKEN_FILE: '/nowhere' },
        /read the file of MCP_API_TOKEN_FILE/],
      [{ MCP_API_TOKEN_FILE: '/dev/zero' },
        /MCP_API_TOKEN_FILE must name a regular file whose first line, of at/],
      [{ SANDBOX_ROOT_FILE: pipe },
        /SANDBOX_ROOT_FILE must name a regular file/],
      [{ FILE_SECRET_FILE: file(t, 'huge', 'x'.repeat(1 << 20)) },
        /FILE_SECRET_FILE must name a regular file whose first line, of at/],
      [{ MCP_HTTP_ADDR: 'x' }, /MCP_HTTP_ADDR is "x", but must be/]]) {
      const done = run({ CAISSON_COMPAT: 'b', ...env }, 'config', 'check');

      assert.equal(done.status, 2);
      assert.match(done.stderr, why);
      assert.doesNotMatch(done.stderr, /secret|earlier/);
    }

    assert.match(run({ MCP_API_TOKEN: token }, 'config', 'check').stderr,
      /MCP_API_TOKEN is ignored: with CAISSON_COMPAT=b it is the token of/);

    assert.equal(run({ CAISSON_STATE_DIR: root }, 'token', 'add', 'api')
      .status, 0);

    const { url, log } = await compat(t, { MCP_API_TOKEN: '',
      MCP_API_TOKEN_FILE: file(t, 'token', `${token}\n`),
      SANDBOX_ROOT: root }, { home });

    assert.equal(await clientOf(t, url, token).post({ method: 'ping' })
      .then(({ status }) => status), 200);
    await until(() => log().includes("the token api of 'caisson token add' is " +
      'not accepted'), 'what is said of the other token');
  });

test('no server and no process is told the token', async (t) => {
  const { url, child } = await compat(t, { CAISSON_TOOLS: 'run_python',
    CAISSON_SERVERS_CONFIG: file(t, 'servers.json', JSON.stringify({
      mcpServers: { env: { command: '/bin/sh',
        args: ['-c', 'echo $(env | cut -d= -f1) >&2; exit 1'] } } })) });
  const told = await clientOf(t, url, token).text(
    'await mcp_env.list_tools()');

  assert.match(told, /PATH/);
  assert.doesNotMatch(told, /MCP_API_TOKEN|earlier/);
  assert.ok(!fs.readFileSync(`/proc/${child.pid}/environ`, 'latin1')
    .includes(token));
});
