/*
 * The official client, connected to the program over its standard input and
 * output.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport }
  from '@modelcontextprotocol/sdk/client/stdio.js';
import { commandLine, folder } from './program.mjs';

/* Milliseconds: longer than any call may last, also on a busy machine. */
const PATIENCE = 300_000;

/* Connects for a test, which ends it. options: see program.mjs. */
export async function connect(t, options = {}) {
  const [command, ...args] = commandLine(
    { ...options, home: options.home ?? folder(t) });
  const transport = new StdioClientTransport(
    { command, args, stderr: 'pipe' });
  const client = new Client({ name: 'caisson-tests', version: '1.0.0' });
  let log = '';

  transport.stderr.on('data', (data) => {
    log += data;
  });
  t.after(() => client.close());
  await client.connect(transport, { timeout: PATIENCE });
  return { client, transport, pid: transport.pid, log: () => log };
}

/* Calls run_python. */
export function run(client, code, more = {}, options = {}) {
  return client.callTool(
    { name: 'run_python', arguments: { code, ...more } }, undefined,
    { timeout: PATIENCE, ...options });
}
