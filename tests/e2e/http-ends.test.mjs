/*
 * What clients of HTTP are told when a token or a session ends while their
 * calls run: no client waits for an answer that does not come.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { missing } from './support/sdk2.mjs';
import { fetchAt, serve, serveTcp } from './support/serve.mjs';
import { caisson } from './support/tokens.mjs';
import { until, within } from './support/wait.mjs';

const running = (gate) =>
  ({ name: 'run_python', arguments: { code: gate.wait } });

for (const [era, mode] of [['with sessions', 'legacy'],
  ['without sessions', { pin: '2026-07-28' }]])
  test(`a call of a revoked token fails in the official client ${era}`,
    { skip: missing }, async (t) => {
      const { Client, StreamableHTTPClientTransport } =
        await import('@modelcontextprotocol/client');
      const gate = new Gate();
      const { url, home, log } = await serveTcp(t,
        { args: ['--log-level', 'debug'] });
      const token = caisson(home, 'token', 'add', 'one');
      const client = new Client({ name: 'caisson-tests', version: '2.0.0' },
        { versionNegotiation: { mode } });

      t.after(() => client.close());
      await client.connect(new StreamableHTTPClientTransport(new URL(url),
        { fetch: fetchAt(t, undefined, { token }) }));

      const failed = assert.rejects(client.callTool(running(gate)),
        /this token was revoked/);

      await gate.reached();
      caisson(home, 'token', 'revoke', 'one');
      await within(failed, 'the end of the call');
      await until(() => gate.find().length === 0, 'the end of the code');
      await until(() => /is cancelled: the token was revoked/.test(log()), 'the reason');
      assert.doesNotMatch(log(), /the client has disconnected/);
    });

test('the calls of a session that is deleted are answered', async (t) => {
  const { socket } = await serve(t);
  const fetch = fetchAt(t, socket);
  const url = 'http://localhost/mcp';
  const gate = new Gate();
  const post = (message, headers) => fetch(url, { method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(message) });
  const call = (id) => ({ jsonrpc: '2.0', id, method: 'tools/call',
    params: running(gate) });
  const begun = async (version) => ({ 'Mcp-Session-Id': (await post({
    jsonrpc: '2.0', id: 0, method: 'initialize', params: {
      protocolVersion: version, capabilities: {},
      clientInfo: { name: 'test', version: '1' } } }))
    .headers.get('mcp-session-id') });
  const session = await begun('2025-11-25');
  const batches = await begun('2025-03-26');
  const Accept = 'application/json, text/event-stream';
  const events = await post(call('a'), { ...session, Accept });
  const plain = post(call(2), { ...session, Accept: 'application/json' });
  const batch = await post([call(3), call(4)], { ...batches, Accept });
  const error = { code: -32000, message: 'this session has ended' };
  const told = (id) => ({ jsonrpc: '2.0', id, error });
  const event = async (answer) =>
    JSON.parse((await answer.text()).match(/^data: (.*)$/m)[1]);

  await until(() => gate.find().length === 4, 'four calls');
  for (const headers of [session, batches])
    assert.equal((await fetch(url, { method: 'DELETE', headers })).status,
      200);
  assert.deepEqual(await event(events), told('a'));
  assert.equal((await plain).status, 404);
  assert.deepEqual(await (await plain).json(), told(2));
  assert.deepEqual(await event(batch), [told(3), told(4)]);
  await until(() => gate.find().length === 0, 'the end of the code');
});
