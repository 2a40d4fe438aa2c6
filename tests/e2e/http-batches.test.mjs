/*
 * Requests over HTTP that a client may word badly: batches of more messages
 * than are accepted, and subscriptions without a field Accept. Each is
 * answered, and costs no other client its turn.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { fetchAt, serve } from './support/serve.mjs';
import { meta, modern } from './support/tokens.mjs';
import { within } from './support/wait.mjs';

const url = 'http://localhost/mcp';

/* A client with a session of the version that has batches. */
async function batches(t) {
  const { socket } = await serve(t);
  const fetch = fetchAt(t, socket);
  const post = (message, headers = {}) => within(fetch(url, {
    method: 'POST', body: JSON.stringify(message),
    headers: { 'Content-Type': 'application/json', ...headers },
  }), 'the answer to a batch');
  const begun = await post({ jsonrpc: '2.0', id: 0, method: 'initialize',
    params: { protocolVersion: '2025-03-26', capabilities: {},
      clientInfo: { name: 'test', version: '1' } } });

  return (messages) => post(messages,
    { 'Mcp-Session-Id': begun.headers.get('mcp-session-id') });
}

/* Comparing each id with all before would take minutes. */
test('a batch of too many messages is refused before its ids are compared',
  async (t) => {
    const send = await batches(t);
    const answer = await send(Array.from({ length: 100_000 },
      (_, id) => ({ jsonrpc: '2.0', id, method: 'x' })));

    assert.equal(answer.status, 400);
    assert.match((await answer.json()).error.message,
      /too many messages in one batch: send them in several/);
  });

for (const accept of [undefined, 'application/json'])
  test(`a subscription is a stream if the client accepts ${accept}`,
    async (t) => {
      const { socket } = await serve(t);
      const method = 'subscriptions/listen';
      const over = new AbortController();
      const answer = await within(fetchAt(t, socket)(url, {
        method: 'POST', signal: over.signal,
        headers: { 'Content-Type': 'application/json',
          'MCP-Protocol-Version': modern, 'Mcp-Method': method,
          ...accept && { Accept: accept } },
        body: JSON.stringify({ jsonrpc: '2.0', id: 's', method,
          params: { notifications: {}, _meta: meta } }),
      }), 'the answer to a subscription');
      const { value } = await answer.body.getReader().read();

      assert.equal(answer.headers.get('content-type'), 'text/event-stream');
      assert.match(Buffer.from(value).toString(), /acknowledged/);
      over.abort();
    });
