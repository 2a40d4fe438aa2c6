/*
 * The official TypeScript client as a host would use it. It validates every
 * structured result against the output schema, so each successful callTool
 * here checks that too.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Gate } from './support/gate.mjs';
import { childless, clock, inNamespace } from './support/processes.mjs';
import { contained, runtime, unpooled, usually } from './support/program.mjs';
import { connect, run } from './support/sdk.mjs';
import { until } from './support/wait.mjs';

usually();

/* Not every machine has an engine of it. */
const notJavaScript = ({ language }) => !['javascript', 'wasm'].includes(language);

test('connects and learns who answers', async (t) => {
  const { client } = await connect(t);
  const server = client.getServerVersion();

  assert.equal(server.name, 'caisson');
  assert.match(server.version, /^\d+\.\d+\.\d+/);
  assert.deepEqual(Object.keys(client.getServerCapabilities()).sort(),
    ['completions', 'resources', 'tools']);
  assert.match(client.getInstructions(), /run_python/);
  assert.ok(client.getInstructions().length < 500, 'instructions are short');
  assert.doesNotMatch(client.getInstructions(), /server/, 'there are none');
  assert.deepEqual(await client.ping(), {});
});

test('lists one tool, briefly and truthfully', async (t) => {
  const { client } = await connect(t);
  const list = await client.listTools();

  assert.equal(list.nextCursor, undefined);
  assert.deepEqual(list.tools.map((tool) => tool.name), ['run_python']);

  const [{ outputSchema, ...tool }] = list.tools;
  const bytes = Buffer.byteLength(JSON.stringify({ tools: [tool] }));

  assert.ok(bytes < 1000, `${bytes} bytes without outputSchema`);
  assert.equal(outputSchema.type, 'object');
  for (const field of ['status', 'summary', 'exitCode', 'signal', 'stdout',
    'stderr', 'error', 'timeoutSeconds', 'truncated']) {
    assert.ok(outputSchema.properties[field], `outputSchema has ${field}`);
  }
  assert.equal(tool.annotations.readOnlyHint, false);
  assert.equal(tool.annotations.destructiveHint, true);
  assert.equal(tool.annotations.openWorldHint, true);
  assert.equal(tool.annotations.idempotentHint, false);
  assert.equal(tool.inputSchema.type, 'object');
  assert.deepEqual(tool.inputSchema.required, ['code']);
  assert.equal(tool.inputSchema.properties.code.type, 'string');
  assert.equal(tool.inputSchema.properties.timeout.maximum, 120);
});

test('shows the tools that the settings name', async (t) => {
  const { client } = await connect(t, { env:
    { CAISSON_TOOLS: 'run_code,list_runners' } });
  const { tools } = await client.listTools();
  const call = async (name, args) =>
    await client.callTool({ name, arguments: args });

  assert.deepEqual(tools.map((tool) => tool.name),
    ['run_code', 'list_runners']);

  const [{ outputSchema, ...tool }] = tools;

  assert.ok(Buffer.byteLength(JSON.stringify({ tools: [tool] })) < 1000);
  assert.match(tool.description, /comes back, with files in \/workspace\/out\./);
  for (const name of ['run_code', 'sandbox.run_code']) {
    const printed = await call(name, { language: 'py', code: 'print(6 * 7)' });

    assert.equal(printed.isError, false, JSON.stringify(printed));
    assert.deepEqual(printed.content, [{ type: 'text', text: '42' }]);
  }
  const unknown = await call('run_code', { language: 'cobol', code: 'x' });

  assert.equal(unknown.isError, true);
  assert.match(unknown.content[0].text,
    /unknown language "cobol": the languages are python, javascript, shell/);
  const { content: [{ text: version }] } = await call('run_code',
    { language: 'python',
      code: 'import platform; print(platform.python_version())' });

  const { content: [{ text: bash }] } = await call('run_code',
    { language: 'bash', code: 'echo $BASH_VERSION' });

  for (const name of ['list_runners', 'sandbox.list_runners']) {
    const { structuredContent: runners, content } = await call(name, {});

    assert.deepEqual(runners.languages.filter(notJavaScript),
      [{ language: 'python', runtime, version },
        { language: 'shell', runtime, version: `bash ${bash}` }]);
    assert.deepEqual((runners.missing ?? []).filter(notJavaScript), []);
    assert.deepEqual(JSON.parse(content[0].text), runners);
  }
  await assert.rejects(call('run_python', { code: 'print(1)' }),
    /Unknown tool: the tools are run_code, list_runners/);
});

test('names a language that does not work, and what would mend it',
  async (t) => {
    const { client } = await connect(t, { env:
      { CAISSON_TOOLS: 'list_runners', CAISSON_PYTHON: '/bin/false' } });
    const { structuredContent: { languages, missing } } =
      await client.callTool({ name: 'list_runners', arguments: {} });

    /* A container has the Python of its image. */
    assert.deepEqual(languages.filter(notJavaScript)
      .map((each) => each.language), contained ? ['python', 'shell'] :
      ['shell']);
    if (contained)
      return;
    assert.equal(missing[0].language, 'python');
    assert.match(missing[0].error, /\/bin\/false ended with code 1/);
    assert.match(missing[0].fix, /CAISSON_PYTHON/);
  });

/* Some hosts show the model structuredContent, some the text, some both. */
test('has one text for every client, and the rest for programs', async (t) => {
  const { client } = await connect(t, { env:
    { CAISSON_STRUCTURED: 'off', CAISSON_MAX_OUTPUT: '2k' } });
  const { tools: [tool] } = await client.listTools();
  const first = await run(client, 'print("hi")');
  const [again, failed, cut, killed, late, refused] = [
    await run(client, 'print("hi")'), await run(client, '1 / 0'),
    await run(client, 'print("x" * 10_000)'),
    await run(client, 'import os; os.kill(os.getpid(), 9)'),
    await run(client, 'while True: pass', { timeout: 1 }),
    await run(client, ' '),
  ];

  assert.equal(tool.outputSchema, undefined);
  for (const answer of [first, again, failed, cut, killed, late, refused])
    assert.equal(answer.structuredContent, undefined);
  assert.equal(first._meta['caisson/isolation'].network, 'none');
  assert.deepEqual(again._meta['caisson/isolation'],
    { runtime, level: 'full' });
  /* Some hosts show it to the model. */
  assert.ok(JSON.stringify(again._meta).length < 262);
  assert.ok(JSON.stringify(again).length < 345);
  for (const [{ _meta: meta }, ...wanted] of [
    [again, 'success', 0], [failed, 'error', 1], [killed, 'error', undefined],
    [late, 'timeout', undefined], [refused, 'validation_error', undefined]])
    assert.deepEqual([meta['caisson/status'], meta['caisson/exitCode']],
      wanted);
  assert.equal(killed._meta['caisson/signal'], 'SIGKILL');
  assert.equal(late._meta['caisson/timeoutSeconds'], 1);
  assert.ok(cut._meta['caisson/truncated'].stdout > 7_000);
});

test('says what was in force and what it cost', async (t) => {
  const { client } = await connect(t);
  const { _meta: meta } = await run(client, 'x = bytearray(50_000_000)');
  const force = meta['caisson/isolation'];

  assert.equal(force.runtime, runtime);
  assert.deepEqual([...force.namespaces].sort(), ['cgroup', 'ipc', 'mnt',
    'net', 'pid', ...(contained ? [] : ['user']), 'uts']);
  assert.equal(force.seccomp, 'allow-list');
  assert.equal(force.network, 'none');
  assert.ok('landlock' in force && 'limits' in force);
  assert.ok(meta['caisson/durationMs'] > 0);
  assert.ok(meta['caisson/cpuMs'] > 0);
  assert.ok(meta['caisson/peakMemoryKiB'] > 48_000);
  assert.equal(meta['caisson/toolCalls'], 0);
});

// The kernel tells what a process and the children it waited for have used.
test('counts the work of processes that the code does not wait for',
  async (t) => {
    const { client } = await connect(t);
    const { structuredContent, _meta: meta } = await run(client, `
import os, time
reading, writing = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        kept = bytearray(100_000_000)
        while time.process_time() < 1:
            pass
        os.write(writing, b"x")
        os._exit(0)
    os._exit(0)
os.wait()
print(os.read(reading, 1))`);

    assert.deepEqual(structuredContent.stdout, ["b'x'"]);
    assert.ok(meta['caisson/cpuMs'] > 500, `${meta['caisson/cpuMs']} ms`);
    assert.ok(meta['caisson/peakMemoryKiB'] > 96_000,
      `${meta['caisson/peakMemoryKiB']} KiB`);
  });

test('an aborted call ends its box', async (t) => {
  const { client, pid } = await connect(t, unpooled);
  const gate = new Gate();
  const abort = new AbortController();
  const call = run(client, gate.wait, {}, { signal: abort.signal });
  const refused = assert.rejects(call);

  await gate.reached();
  const now = clock();

  abort.abort();
  await refused;
  await until(() => inNamespace(gate.namespace, now).length === 0,
    'the end of the box');
  assert.deepEqual(gate.find(), []);
  await childless(pid);
  assert.equal((await run(client, 'print(2)')).content[0].text, '2');
});
