/*
 * What servers have besides tools: resources, templates of them, prompts and
 * completions, of the official server and of one that behaves badly; and
 * servers of versions without sessions.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { folder, withoutPool } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { heard, hostile, official, withServers } from './support/servers.mjs';

withoutPool();

const one = { servers: ['e'], timeout: 100 };
const asks = `
from mcp import runtime
async def attempt(call):
    try:
        return await call
    except runtime.MCPError as error:
        return error.message
`;

test('code reads resources and prompts of a real server', async (t) => {
  const raw = await Raw.open(t, withServers(t, { e: official('everything') }));

  assert.deepEqual(await raw.printed(`${asks}
known = await mcp_e.resources()
print(known == await runtime.resources("e") == await mcp_e.list_resources())
print(known[0]["uri"], type(known[0]))
first = await known[0].read()
print(first.contents[0].mimeType, first.text == first["contents"][0]["text"])
for template in await mcp_e.resource_templates():
    print(template.uriTemplate)
made = await mcp_e.read_resource("demo://resource/dynamic/text/5")
print(made.contents[0].uri, made.text[:10])
print([prompt.name for prompt in await mcp_e.prompts()][:2])
said = await runtime.get_prompt("e", "args-prompt", city="Rome")
print(said.messages[0].role, "Rome" in said.text, type(said))
print(await mcp_e.complete("department", "E", prompt="completable-prompt"))
print(await mcp_e.complete("name", "A", prompt="completable-prompt",
                           arguments={"department": "Engineering"}))
print(await mcp_e.complete(
    "resourceId", "7", template="demo://resource/dynamic/text/{resourceId}"))
result = await mcp_e.get_resource_links(count=2)
links = [block for block in result.blocks if block["type"] == "resource_link"]
print([(await link.read()).contents[0].uri == link.uri for link in links])
print(await attempt(mcp_e.read_resource("demo://nothing/of/it")))
`, one), [
    'True',
    "demo://resource/static/document/architecture.md <class 'dict'>",
    'text/markdown True',
    'demo://resource/dynamic/text/{resourceId}',
    'demo://resource/dynamic/blob/{resourceId}',
    'demo://resource/dynamic/text/5 Resource 5',
    "['simple-prompt', 'args-prompt']",
    "user True <class 'dict'>",
    "['Engineering']",
    "['Alice']",
    "['7']",
    '[True, True]',
    'server "e": MCP error -32602: Resource demo://nothing/of/it not found ' +
      '(code -32602)',
  ]);
});

test('all pages of a list come, as they were sent', async (t) => {
  const raw = await Raw.open(t, withServers(t, {
    e: hostile('lists=paged:25'), same: hostile('lists=same'),
    wrong: hostile('lists=wrong'),
  }));

  const { stdout, notes } = (await raw.run(`${asks}
found = await mcp_e.resources()
print(len(found), found[0], found[29]["uri"])
print((await mcp_e.read_resource('a"b')).text)
print((await mcp_e.get_prompt("p", {"name": "n"}, x=1)).text)
print((await mcp_e.get_prompt("p")).messages[0].content.text)
print(len(await attempt(mcp_same.resources())))
print(await attempt(mcp_wrong.resources()))`, one)).structuredContent;

  assert.deepEqual(stdout.map((line) => line.replace(/,"_meta.*/, '')), [
    "30 {'uri': 'r:0', 'size': 1e400, 'n': 1.5} r:29",
    '{"uri":"a\\"b"',
    '{"name":"p","arguments":{"name":"n","x":1}',
    '{"name":"p"',
    '20',
    'server "wrong": its answer to "resources/list" has no array "resources"',
  ]);
  assert.deepEqual(notes, ['only the first 20 resources of the server same ' +
    'came: it has no end: the same "nextCursor" came twice']);
});

test('a server is asked only for what it says that it has', async (t) => {
  const raw = await Raw.open(t, withServers(t, {
    e: hostile('lists=paged:1', 'tools=besides'), none: hostile(),
    only: hostile('lists=paged:1'),
  }));

  assert.deepEqual(await raw.printed(`${asks}
print(await attempt(mcp_none.prompts()))
print(await attempt(mcp_only.complete("x", prompt="p")))
print(await runtime.list_tools("only"), len(await mcp_only.resources()))
print((await mcp_e.resources()).text, len(await runtime.resources("e")))
print(runtime.describe_server("only")["capabilities"],
      "capabilities" in runtime.describe_server("none"))
for wrong in (lambda: mcp_e.read_resource(5), lambda: mcp_e.complete("x")):
    try:
        wrong()
    except TypeError as error:
        print(error)`, one), [
    'server "none" has no prompts: it does not declare the capability ' +
      '"prompts" when it starts',
    'server "only" has no completions: it does not declare the capability ' +
      '"completions" when it starts',
    '[] 10',
    '["resources","{}"] 10',
    "['resources', 'prompts'] False",
    'the URI of a resource is a text, not an object of type int',
    'complete() needs either prompt or template: the name of a prompt, or ' +
      'the template of a resource',
  ]);
});

/* URIs, and whether they are denied or not allowed, or written in vain. */
const uris = [['r:1', '"deny"'], ['R:1', '"deny"'], ['r:1?x', '"deny"'],
  ['r:1/', '"deny"'], ['x', '"allow"'], ['r:1#x', 'the'], ['r:%31', 'the'],
  ['r:2/../1', 'the'], ['r:2/.', 'the'], ['r://2//1', 'the'],
  ['r:2%2F1', 'the'], ['r:2', 'r:2'], ['r:2?x%20', 'r:2?x%20']];

test('only resources and prompts that are allowed can be read', async (t) => {
  const raw = await Raw.open(t, withServers(t, {
    e: { ...hostile('lists=paged:25'),
      resources: { allow: ['r*'], deny: ['r:1', 'r:2?'] },
      prompts: { deny: ['shut'] } },
  }));

  assert.deepEqual(await raw.printed(`${asks}
print(len(await mcp_e.resources()))
print([prompt.name for prompt in await mcp_e.prompts()])
for uri in ${JSON.stringify(uris.map(([uri]) => uri))}:
    said = await attempt(mcp_e.read_resource(uri))
    print(said.partition("may not be used: ")[2].split()[0]
          if isinstance(said, str) else said["contents"][0].uri)
print(await attempt(mcp_e.read_resource("r:1")))
print(await attempt(mcp_e.get_prompt("shut")))`, one), [
    '29',
    "['open']",
    ...uris.map(([, why]) => why),
    'server "e": "r:1" may not be used: "deny" of "resources" in the ' +
      'configuration of the server names it',
    'server "e": "shut" may not be used: "deny" of "prompts" in the ' +
      'configuration of the server names it',
  ]);
});

test('a server gets no more calls at once than its entry says', async (t) => {
  const raw = await Raw.open(t, withServers(t, {
    e: { ...hostile(), concurrency: 1 },
  }));

  assert.deepEqual(await raw.printed(`
import asyncio
order = []
async def note(name, call):
    await call
    order.append(name)
await asyncio.gather(note("slow", mcp_e.sleep(ms=200)),
                     note("quick", mcp_e.counter()))
print(order)`, one), ["['slow', 'quick']"]);
});

test('a server of versions without sessions works as others', async (t) => {
  const log = path.join(folder(t), 'heard');
  const raw = await Raw.open(t, withServers(t, {
    e: hostile('initialize=discover', 'lists=paged:1', 'tools=', `log=${log}`),
    end: hostile('initialize=discover:end'),
  }));

  assert.deepEqual(await raw.printed(`${asks}
print((await mcp_e.grow()).text, (await mcp_e.grown_0(a=1)).text)
print(len(await mcp_e.resources()))
said = await attempt(mcp_end.echo())
print(said.partition("; its standard")[0])`, one), [
    'grown ["grown_0","{\\"a\\":1}"]', '10',
    'server "end" did not start: it refused "initialize": no such version ' +
      '(code -32022)',
  ]);
  assert.deepEqual(heard(log).map(({ method }) => method).slice(0, 4),
    ['initialize', 'server/discover', 'subscriptions/listen', 'tools/list']);
});

test('scripts ask for the same', async (t) => {
  const raw = await Raw.open(t, withServers(t, { e: official('everything'),
    h: hostile('lists=same') }, { env: { CAISSON_TOOLS: 'run_code' } }));
  const { structuredContent } = (await raw.request('tools/call', {
    name: 'run_code', arguments: { language: 'shell', timeout: 100, code: `
mcp ask e prompts | head -2
mcp ask e read_resource demo://resource/dynamic/text/7 | cut -c1-10
mcp ask e read_resource demo://resource/dynamic/blob/7 2>&1
mcp ask e get_prompt args-prompt city=Rome | grep -c Rome
mcp ask e complete_prompt completable-prompt \\
  'argument:={"name": "department", "value": "E"}'
mcp ask E resource_templates --json | cut -c1-22
mcp ask h resources 2>&1 | sort -u | tail -2
mcp ask h no_such_thing 2>&1; echo $?
mcp ask h; echo $?` } })).result;

  assert.deepEqual(structuredContent.stdout, [
    'simple-prompt  A prompt with no arguments',
    'args-prompt  A prompt with two arguments, one required and one optional',
    'Resource 7',
    'mcp: read_resource: parts of it are not text (1): --json prints them',
    '1', 'Engineering', '{"resourceTemplates":[', 'r:8', 'r:9',
    'mcp: no_such_thing: there is no such request', '1', '2']);
});
