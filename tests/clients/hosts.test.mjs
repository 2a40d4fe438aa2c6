/*
 * Clients of others against the program: the Inspector, and three libraries by
 * which hosts are built; over standard input and output, and over HTTP.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { MCPServerStdio, MCPServerStreamableHttp }
  from '@openai/agents-core';
import { commandLine, folder } from '../e2e/support/program.mjs';
import { serveProxied } from './support.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const code = 'print(sum(range(10)))';

/* Where the program is: a command, or an address with a token. */
const ways = {
  'standard input and output': (t) => {
    const [command, ...args] = commandLine({ home: folder(t) });

    return { command, args };
  },
  HTTP: async (t) => {
    const { direct, token } = await serveProxied(t);

    return { url: direct, headers: { Authorization: `Bearer ${token}` } };
  },
};

/* Each: the names of the tools, and the text that the code prints. */
const libraries = {
  'the AI SDK': async (t, at) => {
    const client = await createMCPClient({ transport: at.url ?
      { type: 'http', url: at.url, headers: at.headers } :
      new Experimental_StdioMCPTransport({ command: at.command,
        args: at.args, stderr: 'ignore' }) });

    t.after(() => client.close());

    const tools = await client.tools();
    const result = await tools.run_python.execute({ code },
      { toolCallId: '1', messages: [] });

    return [Object.keys(tools), result.content[0].text];
  },
  LangChain: async (t, at) => {
    const client = new MultiServerMCPClient({ mcpServers: { caisson: at.url ?
      { transport: 'http', url: at.url, headers: at.headers } :
      { transport: 'stdio', command: at.command, args: at.args,
        stderr: 'ignore' } } });

    t.after(() => client.close());

    const tools = await client.getTools();
    const tool = tools.find(({ name }) => name.endsWith('run_python'));

    return [tools.map(({ name }) => name),
      (await tool.invoke({ code })).text];
  },
  'the Agents SDK': async (t, at) => {
    const server = at.url ? new MCPServerStreamableHttp({ url: at.url,
      requestInit: { headers: at.headers } }) :
      new MCPServerStdio({ command: at.command, args: at.args });

    await server.connect();
    t.after(() => server.close());

    const tools = await server.listTools();
    const content = await server.callTool('run_python', { code });

    return [tools.map(({ name }) => name), content[0].text];
  },
};

for (const [library, use] of Object.entries(libraries))
  for (const [way, find] of Object.entries(ways))
    test(`${library} works over ${way}`, async (t) => {
      const [names, text] = await use(t, await find(t));

      assert.deepEqual(names, ['run_python']);
      assert.equal(text, '45');
    });

/* Runs the Inspector; returns what it prints, which is JSON. */
async function inspect(at, era, ...more) {
  const target = at.url ? [at.url, '--transport', 'http', '--header',
    `Authorization: ${at.headers.Authorization}`] : [at.command, ...at.args];
  const child = spawn(process.execPath,
    [path.join(here, 'node_modules/.bin/mcp-inspector'), '--cli', ...target,
      '--protocol-era', era, '--format', 'json', ...more],
    { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = ['', ''];

  for (const [i, stream] of [child.stdout, child.stderr].entries())
    stream.on('data', (data) => {
      said[i] += data;
    });

  const status = await new Promise((resolve) => child.once('close', resolve));

  assert.equal(status, 0, said.join('\n'));
  return JSON.parse(said[0]).result;
}

for (const era of ['legacy', 'modern'])
  for (const [way, find] of Object.entries(ways))
    test(`the Inspector works over ${way}, ${era}`, async (t) => {
      const at = await find(t);
      const list = await inspect(at, era, '--method', 'tools/list');
      const done = await inspect(at, era, '--method', 'tools/call',
        '--tool-name', 'run_python', '--tool-arg', `code=${code}`);

      assert.equal(list.tools[0].name, 'run_python');
      assert.equal(done.content[0].text, '45');
    });
