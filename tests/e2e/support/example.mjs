/*
 * The server of the manual's examples: one tool, "read-file", which returns
 * its path as text and as structured content, or fails when it is "missing";
 * a resource, a template, and a prompt.
 *
 *   node example.mjs
 */
import readline from 'node:readline';

const path = { type: 'object', properties: { path: { type: 'string' } },
  required: ['path'] };
const tool = { name: 'read-file', description: 'Read a file.',
  inputSchema: path, outputSchema: path };

const results = {
  'initialize': ({ protocolVersion }) => ({ protocolVersion,
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    serverInfo: { name: 'example', version: '1' } }),
  'tools/list': () => ({ tools: [tool] }),
  'resources/list': () => ({ resources: [{ name: 'a', uri: 'file:///a' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [
    { name: 'all', uriTemplate: 'file:///{path}' }] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: '[1]' }] }),
  'prompts/list': () => ({ prompts: [{ name: 'plan' }] }),
  'prompts/get': ({ arguments: { city } }) => ({ messages: [
    { role: 'user', content: { type: 'text', text: city } }] }),
  'completion/complete': ({ argument, ref }) => ({ completion: {
    values: [argument.value, ref.name ?? ref.uri] } }),
  'tools/call': ({ arguments: given }) => ({
    content: [{ type: 'text', text: `text of ${given.path}` }],
    structuredContent: given, isError: given.path === 'missing' }),
};

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);

  if (id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id,
      result: results[method]?.(params) ?? {} })}\n`);
});
