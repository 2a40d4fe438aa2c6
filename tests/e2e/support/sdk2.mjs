/*
 * The official client of the versions from 2026-07-28 on, connected to the
 * program over its standard input and output. It needs a newer node than the
 * other tests.
 */
import { commandLine, folder } from './program.mjs';

const NODE = 20;

/* Why its tests cannot run here; false when they can. */
export const missing = Number(process.versions.node.split('.')[0]) < NODE &&
  `node ${NODE} or later is needed`;

/*
 * Connects for a test, which ends it. mode: how the client finds the version,
 * client: more options of it, options: see program.mjs.
 */
export async function connect(t, mode, options = {}) {
  const { Client } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } =
    await import('@modelcontextprotocol/client/stdio');
  const [command, ...args] = commandLine(
    { ...options, home: options.home ?? folder(t) });
  const transport = new StdioClientTransport(
    { command, args, stderr: 'ignore' });
  const client = new Client({ name: 'caisson-tests', version: '2.0.0' },
    { ...options.client, versionNegotiation: { mode } });
  const wrong = [];

  client.onerror = (error) => wrong.push(error.message);
  t.after(() => client.close());
  await client.connect(transport);
  return { client, transport, wrong };
}
