/*
 * caisson adopt with the servers of the MCP project: a client's file is
 * switched, and the sizes that are printed are those that a direct tools/list
 * gives; the client then starts what its file names, and gets an answer for
 * which those servers were used.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport }
  from '@modelcontextprotocol/sdk/client/stdio.js';
import { commandLine, folder, ran, uid } from './support/program.mjs';
import { run } from './support/sdk.mjs';
import { official, toolServer } from './support/servers.mjs';

/* The entries of a client: one of these servers, and a small one. */
function entries(home) {
  return { files: official('filesystem', [home]),
    small: toolServer(0, 3, '/dev/null', [], { env: { SMALL: 'yes' } }) };
}

/* A client for each form of a file: its file, and what is in it. */
const clients = {
  cursor: ['.cursor/mcp.json', (home) =>
    JSON.stringify({ mcpServers: entries(home) }, null, 2)],
  opencode: ['.config/opencode/opencode.json', (home) =>
    `{\n  // mine\n  "mcp": ${JSON.stringify(Object.fromEntries(
      Object.entries(entries(home)).map(([name, { command, args, env }]) =>
        [name, { type: 'local', command: [command, ...args],
          environment: env }])))}\n}\n`],
  codex: ['.codex/config.toml', (home) => Object.entries(entries(home))
    .map(([name, { command, args, env = {} }]) =>
      `[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\n` +
      `args = ${JSON.stringify(args)}\n${Object.entries(env)
        .map(([key, value]) => `env.${key} = ${JSON.stringify(value)}\n`)
        .join('')}`).join('\n')],
};

function caisson(home, ...args) {
  const done = ran({ args, home }, { cwd: home });

  assert.equal(done.status, 0, done.stdout + done.stderr);
  return done.stdout;
}

function prepare(t, name, content = clients[name][1]) {
  const home = folder(t);
  const [place] = clients[name];
  const at = path.join(home, place);

  fs.mkdirSync(path.dirname(at), { recursive: true });
  fs.writeFileSync(at, content(home));
  fs.writeFileSync(path.join(home, 'note.txt'), 'seven');
  spawnSync('chown', ['-Rh', `${uid}:${uid}`, home]);
  return { home, at, was: fs.readFileSync(at) };
}

/* Starts a program as a client does, until the test ends. */
async function start(t, { command, args = [], env = {} }, home) {
  const client = new Client({ name: 'caisson-tests', version: '1.0.0' });
  const [first, ...rest] = commandLine({ program: command, args, env, home });

  t.after(() => client.close());
  await client.connect(new StdioClientTransport(
    { command: first, args: rest, stderr: 'ignore' }));
  return client;
}

for (const name of Object.keys(clients))
  test(`${name} gets an answer from its servers after the switch`,
    async (t) => {
      const { home, at, was } = prepare(t, name);

      caisson(home, 'adopt', name, '--yes');
      const [, command] = /command"?\s*[:=]\s*\[?\s*"([^"]+)"/
        .exec(fs.readFileSync(at, 'utf8'));
      const client = await start(t, { command }, home);
      const { content } = await run(client, `
r = await mcp_files.read_text_file(path=${JSON.stringify(`${home}/note.txt`)})
print(r.text)
print((await runtime.list_tools("small"))[0]["tool"])`);

      assert.match(content[0].text, /^seven\n\w+\n?$/);
      await client.close();
      caisson(home, 'adopt', name, '--undo', '--yes');
      assert.deepEqual(fs.readFileSync(at), was);
    });
