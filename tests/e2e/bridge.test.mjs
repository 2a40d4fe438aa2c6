/*
 * A user of the earlier bridge changes nothing: its variables, the entries that
 * it has published for clients, its files of servers, its names in the box.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { text } from './support/files.mjs';
import { write } from './support/home.mjs';
import { folder, nativeOnly, ran, usually } from './support/program.mjs';
import { connect, run } from './support/sdk.mjs';
import { example, withServers } from './support/servers.mjs';

usually();

const discovered = 'print(runtime.discovered_servers())';
const command = (home, args, env) => {
  return ran({ args, env, home }, { cwd: home });
};

test('the word run, ~ and servers in TOML', async (t) => {
  const home = folder(t);

  write(home, 's.toml', '[mcp_servers.one]\ncommand = "true"\n');
  const { client } = await connect(t, { home, args: ['run'], env: {
    MCP_BRIDGE_STATE_DIR: '~/state', MCP_SERVERS_CONFIG: '~/s.toml',
    MCP_BRIDGE_RUNTIME_IDLE_TIMEOUT: '0' } });

  assert.equal(text(await run(client,
    `save_memory("key", 1)\n${discovered}`)), "('one',)");
  assert.ok(fs.existsSync(path.join(home, 'state')));
  assert.match((await client.readResource({ uri:
    'resource://mcp-server-code-execution-mode/capabilities' }))
    .contents[0].text, /PYTHON SANDBOX MANUAL/);
});

test('a file of servers that does not exist', async (t) => {
  const home = folder(t);
  const env = { MCP_SERVERS_CONFIG: '~/none.json' };
  const done = command(home, ['config', 'check'], env);

  assert.equal(done.status, 2);
  assert.match(done.stderr,
    /^caisson: the file of servers \/\S+none\.json does not exist: create it, or correct MCP_SERVERS_CONFIG\n$/);
  const log = path.join(home, 'log');
  const { client } = await connect(t, { home,
    env: { ...env, CAISSON_LOG_FILE: log } });

  assert.equal(text(await run(client, discovered)), '()');
  assert.match(fs.readFileSync(log, 'utf8'),
    /create the file, or correct MCP_SERVERS_CONFIG /);
});

test('processors without a cgroup', nativeOnly('affinity'), async (t) => {
  const count = 'import os\nprint(len(os.sched_getaffinity(0)))';

  for (const [cpus, template] of [['1.0', 'on'], ['1.0', 'off'], ['0.5', 'on']]) {
    const { client } = await connect(t, { env: { MCP_BRIDGE_CPUS: cpus,
      CAISSON_TEMPLATE: template, CAISSON_LOG_LEVEL: 'error' } });
    const result = await run(client, count);

    if (result._meta['caisson/isolation'].limits !== 'cgroup')
      assert.equal(text(result), '1');
    await client.close();
  }
  const done = command(folder(t), ['exec'], { MCP_BRIDGE_CPUS: '0.5' });

  assert.match(done.stderr, /^$|MCP_BRIDGE_CPUS is rounded up to whole .*, 1/m);
});

test('servers in MCP_BRIDGE_CONFIG, but not the bridge', async (t) => {
  const bridge = { command: 'uvx', args: ['--from',
    'git+https://github.com/elusznik/mcp-server-code-execution-mode',
    'mcp-server-code-execution-mode', 'run'] };
  const home = folder(t);
  const env = { MCP_BRIDGE_CONFIG: JSON.stringify({ description: 'of all',
    mcpServers: { one: { command: 'true' }, two: { command: 'true',
      description: 'own' }, bridge } }) };
  const { client } = await connect(t, { home, env });

  assert.equal(text(await run(client,
    'print([(s["name"], s["description"]) ' +
    'for s in runtime.discovered_servers(detailed=True)])')),
  "[('one', 'of all'), ('two', 'own')]");
  assert.match(command(home, ['servers', 'list'], env).stdout,
    /MCP_BRIDGE_CONFIG:1:\d+: "bridge" skipped: it is the earlier bridge/);
});

/* Where each file is, and whether its folder must be trusted. */
const mac = 'Library/Application Support/';
const files = [
  ['claude_code_config.json', true], ['claude_desktop_config.json', true],
  [`${mac}Claude Code/claude_code_config.json`],
  [`${mac}Claude/claude_code_config.json`], [`${mac}Claude/mcp/servers/x.json`],
  ['.opencode.json'], ['.config/opencode/opencode.json'],
  ['.config/Code/User/settings.json'],
  [`${mac}Code/User/settings.json`], ['.gemini/antigravity/mcp_config.json'],
  ['.antigravity/mcp.json'], ['.antigravity/settings.json'],
];

test('files of servers', (t) => {
  const home = folder(t);
  const inside = { mcp: { servers: { } }, 'editor.fontSize': 12 };

  files.forEach(([name], number) => {
    const entry = { [`s${number}`]: { command: 'true' } };

    write(home, name, JSON.stringify(/settings|opencode\/opencode/.test(name) ?
      name.startsWith(mac) ? { 'mcp.servers': entry } :
      { ...inside, mcp: name.includes('opencode') ? { [`s${number}`]:
        { type: 'local', command: ['true'] } } : { servers: entry } } :
      { mcpServers: entry }));
  });
  const list = (env) => command(home, ['servers', 'list', '--names'], env)
    .stdout.trim().split('\n').sort();
  const names = files.map((row, number) => `s${number}`);

  assert.deepEqual(list({ CAISSON_TRUST_PROJECT_FILES: 'on' }), names.sort());
  assert.deepEqual(list({}),
    names.filter((name) => !files[name.slice(1)][1]).sort());
});

/* How each client writes the entry of the bridge, and that of a server. */
const entry = { command: 'uvx', args: ['mcp-server-code-execution-mode', 'run'],
  env: { MCP_BRIDGE_RUNTIME: 'podman' } };
const toml = ({ command, args = [], env = {} }) =>
  `command = "${command}"\nargs = ${JSON.stringify(args)}\n` +
  `env = { ${Object.entries(env).map(([name, value]) =>
    `${name} = "${value}"`).join(', ')} }\n`;
const json = (key, shape = (each) => each) => (entries) => JSON.stringify({
  [key]: Object.fromEntries(Object.entries(entries)
    .map(([name, each]) => [name, shape(each)])) });
const clients = [
  ['.claude.json', json('mcpServers', (each) => ({ type: 'stdio', ...each }))],
  ['.config/Claude/claude_desktop_config.json', json('mcpServers')],
  ['.cursor/mcp.json', json('mcpServers')],
  ['.config/Code/User/mcp.json', json('servers')],
  ['.config/opencode/opencode.json', json('mcp',
    ({ command, args = [], env }) => ({ type: 'local', enabled: true,
      command: [command, ...args], environment: env }))],
  ['.codex/config.toml', (entries) => Object.entries(entries).map(
    ([name, each]) => `[mcp_servers.${name}]\n${toml(each)}`).join('\n')],
];

test('entries of the bridge in the files of six clients', (t) => {
  const home = folder(t);

  clients.forEach(([name, shape], number) => write(home, name,
    shape({ bridge: entry, [`s${number}`]: { command: 'true' } })));
  const { stdout } = command(home, ['servers', 'list'], {});

  for (const number of clients.keys())
    assert.match(stdout, new RegExp(`^ *s${number}\\b`, 'm'));
  assert.equal(stdout.match(/"bridge" skipped: it is the earlier bridge/g)
    ?.length, clients.length, stdout);
});

/* What its pages teach, as programs of ours: names, forms, what is printed. */
const program = `
import asyncio
from mcp import runtime
print(runtime.discovered_servers(), runtime.list_servers_sync(),
      await runtime.list_servers(), LOADED_MCP_SERVERS)
name = runtime.list_loaded_server_metadata()[0]["name"]
for tool in runtime.describe_server(name)["tools"]:
    print(tool["alias"], tool.get("description", ""))
short = await runtime.query_tool_docs(name)
whole = await runtime.query_tool_docs(name, tool=short[0]["toolAlias"],
                                      detail="full")
print(whole[0]["inputSchema"]["required"],
      runtime.query_tool_docs_sync(name) == short)
for hit in await runtime.search_tool_docs("files reading", limit=3):
    print(hit["server"], hit["tool"], hit.get("description", ""))
print(runtime.search_tool_docs_sync("read")[0]["toolAlias"])
from mcp.servers.shop import *
first = await read_file(path="a")
second = await mcp_servers["shop"].read_file(path="b")
third = await runtime.call_tool("shop", "read-file", {"path": "c"})
print(first["content"][0]["text"], second["structuredContent"], third.path)
print([each.path for each in await asyncio.gather(
    *[mcp_shop.read_file(path=str(n)) for n in range(3)])])
try:
    await mcp_shop.read_file(path="missing")
except Exception as error:
    print("failed:", error)
print(runtime.capability_summary().split("\\n")[0])
`;

test('programs in the forms of its pages', async (t) => {
  const { client } = await connect(t,
    withServers(t, { shop: example() }, { args: ['run'] }));

  assert.equal(text(await run(client, program, { servers: ['shop'] })),
    `('shop',) ('shop',) ('shop',) ('shop',)
read_file Read a file.
['path'] True
shop read-file Read a file.
read_file
text of a {'path': 'b'} c
['0', '1', '2']
failed: shop.read-file: text of missing
--- PYTHON SANDBOX MANUAL ---`);
});
