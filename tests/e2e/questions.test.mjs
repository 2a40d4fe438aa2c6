/*
 * What servers ask the person or the model of a client: through the program, in
 * the versions with sessions and without.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { folder, withoutPool } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { attempt, heard, hears, hostile, python, withServers }
  from './support/servers.mjs';
import { until } from './support/wait.mjs';

withoutPool();

const FORM = { message: 'Who are you?', requestedSchema: { type: 'object',
  properties: { name: { type: 'string' },
    age: { type: 'integer' },
    colour: { type: 'string', default: 'red' } },
  required: ['name'] } };
const ELICIT = { method: 'elicitation/create', params: FORM };
const VISIT = { mode: 'url', message: 'Log in', elicitationId: 'e1',
  url: 'https://login.example/x?y=1' };
const SAMPLE = { method: 'sampling/createMessage', params: { maxTokens: 9,
  messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }] } };
const GENERATED = { role: 'assistant', model: 'm',
  content: { type: 'text', text: 'Hello' } };
const ROOTS = { method: 'roots/list', params: {} };
const accept = (content) => ({ result: { action: 'accept', content } });
const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/* A client that answers so, of a program that has a server. */
function open(t, answers, { capabilities = ALL, options = [], entry = {},
  ...more } = {}) {
  const asker = { ...hostile(...options), ...entry };

  return Raw.open(t, { ...withServers(t, { asker }, more), capabilities,
    answers });
}

/* What a server is answered. */
async function answered(raw, given, more) {
  const outcome = await attempt(raw, 'asker', 'ask', given, more);

  assert.equal(outcome.error, undefined, JSON.stringify(outcome));
  return JSON.parse(outcome.text);
}

async function refused(raw, given, words) {
  for (const answer of await answered(raw, given)) {
    assert.equal(answer.error?.code, -32603, JSON.stringify(answer));
    assert.match(answer.error.message, words);
  }
}

test('a form reaches the person, named after its server', async (t) => {
  const replies = [accept({ name: 'Ann', age: 7, more: 'dropped' }),
    { result: { action: 'decline', content: { a: 1 } } },
    accept({ name: 'S3cret', age: 'x' }), accept({}), accept(undefined),
    { result: { action: 'perhaps' } }, { error: { code: -1, message: 'x' } }];
  const raw = await open(t, () => replies.shift());

  assert.deepEqual(await answered(raw, ELICIT),
    [accept({ name: 'Ann', age: 7, colour: 'red' })]);
  assert.deepEqual(raw.asked.map(({ method, params }) => [method, params]),
    [['elicitation/create',
      { ...FORM, message: 'asker asks: Who are you?' }]]);
  assert.deepEqual(await answered(raw, ELICIT),
    [{ result: { action: 'decline' } }]);
  await refused(raw, ELICIT, /does not fit the form: the value of "age"$/);
  await refused(raw, ELICIT, /the form: a field that is required is missing$/);
  await refused(raw, ELICIT, /"content" is missing/);
  await refused(raw, ELICIT, /"action" is unknown/);
  await refused(raw, ELICIT, /answered the question with an error/);
  assert.doesNotMatch(raw.errors, /S3cret/);
});

test('addresses, generated text and roots', async (t) => {
  const results = { 'elicitation/create': { action: 'accept' },
    'sampling/createMessage': GENERATED,
    'roots/list': { roots: [{ uri: 'file:///home/user' }] } };
  const answers = ({ method }) => ({ result: results[method] });
  const raw = await open(t, answers);
  const more = await open(t, answers,
    { entry: { sampling: true, roots: ['/srv/a b', 'file:///c'] } });

  assert.deepEqual(
    await answered(raw, { method: 'elicitation/create', params: VISIT }),
    [{ result: { action: 'accept' } }]);
  assert.deepEqual(raw.asked.at(-1).params,
    { ...VISIT, message: 'asker asks: Log in' });
  assert.deepEqual(await answered(raw, ROOTS),
    [{ result: results['roots/list'] }]);
  await answered(raw, { method: 'elicitation/create',
    params: { ...VISIT, url: 'HTTPS://a/' } });
  assert.equal(raw.asked.at(-1).params.url, 'HTTPS://a/');
  await refused(raw, SAMPLE, /no "sampling": true/);
  for (const url of ['javascript:alert(1)', 'https://a\u202eb', 'http://a\n',
    'HTTPS://a@b/'])
    await refused(raw, { method: 'elicitation/create',
      params: { ...VISIT, url } }, /no address of the web/);
  assert.equal(raw.asked.length, 3);
  assert.deepEqual(await answered(more, SAMPLE), [{ result: GENERATED }]);
  assert.deepEqual(await answered(more, ROOTS),
    [{ result: { roots: [{ uri: 'file:///srv/a b' },
      { uri: 'file:///c' }] } }]);
  assert.deepEqual(more.asked.map(({ method }) => method),
    ['sampling/createMessage']);
  assert.deepEqual(await answered(await open(t, assert.fail,
    { entry: { roots: [] } }), ROOTS), [{ result: { roots: [] } }]);
});

test('who cannot be asked is not', async (t) => {
  const raw = await open(t, assert.fail, { capabilities: {} });
  const forms = await open(t, () => accept({ name: 'a' }),
    { capabilities: { elicitation: {} }, options: ['early'] });

  await refused(raw, ELICIT, /the client of this execution/);
  assert.deepEqual(await answered(raw, ROOTS), [{ result: { roots: [] } }]);
  await refused(forms, { method: 'elicitation/create', params: VISIT },
    /the client of this execution/);
  await refused(forms, { method: 'elicitation/create',
    params: { message: 'a', requestedSchema: { properties: {
      a: { type: 'object' } } } } }, /no plain value/);
  assert.equal(forms.asked.length, 0);
  assert.equal((await answered(forms, ELICIT)).length, 1);
});

test('a server that asks a thousand times', async (t) => {
  const raw = await open(t, () => accept({ name: 'a' }));
  const answers = await answered(raw, { ...ELICIT, times: 1000 });

  assert.equal(answers.length, 1000);
  assert.ok(raw.asked.length > 0 && raw.asked.length <= 32);
  assert.equal(answers.filter(({ result }) => result).length,
    raw.asked.length);
});

test('time limits stand still while the person is asked', async (t) => {
  const raw = await open(t, async () => {
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    return accept({ name: 'late' });
  }, { env: { CAISSON_TOOL_TIMEOUT: '10' } });

  assert.deepEqual(await answered(raw, ELICIT, { timeout: 11 }),
    [accept({ name: 'late', colour: 'red' })]);
});

test('what ends meanwhile', async (t) => {
  const log = path.join(folder(t), 'log');
  const raw = await open(t, () => undefined, { options: [`log=${log}`] });
  const call = raw.postCall(
    `await mcp_asker.ask(**${python(ELICIT)})`, { servers: ['asker'] });

  await until(() => raw.asked.length === 1, 'the question');
  raw.cancel(call);
  await hears(log, ({ error }) => error, 'that no one answers');
  await until(() => raw.asked.some(({ method }) =>
    method === 'notifications/cancelled'), 'that it is withdrawn');
  /* Code that does not wait for its call. */
  const left = raw.postCall(`import asyncio
try:
    await asyncio.wait_for(mcp_asker.ask(**${python(ELICIT)}), 1)
except asyncio.TimeoutError:
    print("left")`, { servers: ['asker'] });

  assert.deepEqual((await raw.result(left)).structuredContent.stdout,
    ['left']);
  await until(() => raw.asked.filter(({ method }) =>
    method === 'notifications/cancelled').length === 2, 'the second one');
  await raw.ping();
});

test('executions at once of one client, whose roots change', async (t) => {
  const log = path.join(folder(t), 'log');
  const raw = await open(t, ({ method }) => method === 'roots/list' ?
    { result: { roots: [] } } : accept({ name: 'a' }),
  { options: [`log=${log}`] });
  const other = raw.postCall(`await mcp_asker.ask(**${python(ROOTS)})
await mcp_asker.never()`, { servers: ['asker'] });

  await hears(log, ({ params }) => params?.name === 'never', 'the other call');
  assert.ok((await answered(raw, ELICIT))[0].result);
  raw.notify('notifications/roots/list_changed');
  await hears(log, ({ method }) =>
    method === 'notifications/roots/list_changed', 'that they change');
  raw.cancel(other);
});

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };

test('a version without sessions repeats its request', async (t) => {
  const raw = Raw.start(t, withServers(t, { asker: hostile() }));
  const params = { name: 'run_python', _meta: META, arguments: {
    code: `print((await mcp_asker.ask(**${python(ELICIT)})).text)`,
    servers: ['asker'] } };
  const first = (await raw.request('tools/call', params)).result;

  assert.equal(first.resultType, 'input_required');
  assert.deepEqual(first.inputRequests, { question: {
    method: 'elicitation/create',
    params: { ...FORM, message: 'asker asks: Who are you?' } } });
  const { result } = await raw.request('tools/call', { ...params,
    requestState: first.requestState, inputResponses: {
      question: accept({ name: 'Eve' }).result } });

  assert.equal(result.resultType, 'complete');
  assert.match(JSON.stringify(result), /Eve.*red/);
});

test('executions at once of a client without sessions', async (t) => {
  const log = path.join(folder(t), 'log');
  const raw = Raw.start(t, withServers(t, { asker: hostile(`log=${log}`) }));
  const params = (code) => ({ name: 'run_python', _meta: META,
    arguments: { code, servers: ['asker'] } });
  const other = raw.post('tools/call', params('await mcp_asker.never()'));

  await hears(log, ({ params: { name } = {} }) => name === 'never', 'the other');
  const { result } = await raw.request('tools/call', params(
    `print((await mcp_asker.ask(**${python(ELICIT)})).text)`));

  assert.equal(result.inputRequests?.question.method, 'elicitation/create',
    JSON.stringify(result));
  raw.cancel(other);
});

test('a version without sessions is asked what is asked by now', async (t) => {
  const log = path.join(folder(t), 'log');
  const raw = Raw.start(t, withServers(t, { asker: hostile(`log=${log}`) }));
  const second = { ...ELICIT, params: { ...FORM, message: 'Second?' } };
  const params = { name: 'run_python', _meta: META, arguments: {
    code: `import asyncio
try:
    await asyncio.wait_for(mcp_asker.ask(**${python(ELICIT)}), 1)
except asyncio.TimeoutError:
    print((await mcp_asker.ask(**${python(second)})).text)`,
    servers: ['asker'] } };
  const repeat = async ({ requestState }, name) =>
    (await raw.request('tools/call', { ...params, requestState,
      inputResponses: { question: accept({ name }).result } })).result;
  const first = (await raw.request('tools/call', params)).result;

  await hears(log, ({ params: { arguments: given } = {} }) =>
    given?.params?.message === 'Second?', 'the second call');

  const next = await repeat(first, 'Old');

  assert.equal(next.inputRequests.question.params.message,
    'asker asks: Second?');
  assert.match(JSON.stringify(await repeat(next, 'New')), /New.*red/);
});

const required = (...inputRequests) => ({ rounds: inputRequests.map((each) =>
  each === undefined ? {} : { inputRequests: each }) });
const last = ({ text }) => {
  const [responses, meta] = JSON.parse(text);

  return [responses, meta['io.modelcontextprotocol/clientCapabilities']];
};

test('a server without sessions asks first, in its result', async (t) => {
  const raw = await open(t, ({ method }) => method === 'roots/list' ?
    { result: { roots: [] } } : accept({ name: 'Ann' }),
  { options: ['initialize=discover'] });
  const ask = (...rounds) => attempt(raw, 'asker', 'input',
    required(...rounds));
  const name = { action: 'accept', content: { name: 'Ann', colour: 'red' } };
  const asks = { elicitation: { form: {}, url: {} }, roots: {} };

  assert.deepEqual(last(await ask({ 'é"': ELICIT, r: ROOTS })),
    [{ 'é"': name, r: { roots: [] } }, asks]);
  assert.deepEqual(raw.asked.map(({ params }) => params?.message).toSorted(),
    ['asker asks: Who are you?', undefined]);
  assert.deepEqual(last(await ask({ a: ELICIT }, undefined, { b: ELICIT })),
    [{ b: name }, asks]);
  assert.deepEqual(last(await ask(...Array(10))), [{}, asks]);
  for (const [rounds, words] of [[Array(11), /again and again/],
    [[{ a: ELICIT, b: SAMPLE }], /no "sampling": true/],
    [[{ a: { method: 'tools/list' } }], /for what MCP does not have/],
    [[{ a: 5 }], /for what MCP/], [[[]], /is no object/],
    [[{ a: { method: 'elicitation/create' } }], /parameters are missing/]])
    assert.match((await ask(...rounds)).error, words);
  await until(() => raw.asked.some(({ method }) =>
    method === 'notifications/cancelled'), 'that it is withdrawn');
});

test('a server without sessions whose questions are left', async (t) => {
  const raw = await open(t, () => undefined,
    { options: ['initialize=discover'] });
  const none = await open(t, assert.fail,
    { options: ['initialize=discover'], capabilities: {} });
  const call = raw.postCall('await mcp_asker.input(' +
    `**${python(required({ a: ELICIT }))})`, { servers: ['asker'] });

  await until(() => raw.asked.length === 1, 'the question');
  raw.cancel(call);
  await until(() => raw.asked.length === 2, 'that it is withdrawn');
  await raw.ping();
  assert.match((await attempt(none, 'asker', 'input',
    required({ a: ELICIT }))).error,
  /it asks for something first, and got no answer: no one can be asked/);
});

test('what a server logs reaches a client that has set a level', async (t) => {
  const file = path.join(folder(t), 'log');
  const options = { ...withServers(t,
    { asker: hostile('levels', `log=${file}`) }), notes: true };
  const raw = Raw.start(t, options);
  const log = async (logLevel, lines, to = raw) => {
    const from = to.notes.length;

    await to.request('tools/call', { name: 'run_python', _meta: to === raw ?
      { ...META, 'io.modelcontextprotocol/logLevel': logLevel } : undefined,
    arguments: { servers: ['asker'],
      code: `await mcp_asker.log(lines=${python(lines)})` } });
    return to.notes.slice(from).filter(({ method, params }) =>
      method === 'notifications/message' && params.logger === 'asker')
      .map(({ params: { level, data } }) => [level, data]);
  };
  const lines = [['debug', 'a'], ['error', { b: 'ü' }], ['loud', 'c'],
    ['error', 'x'.repeat(20_000)]];

  assert.deepEqual(await log('warning', lines), [lines[1]]);
  assert.deepEqual(await log('debug', lines), lines.slice(0, 2));
  assert.deepEqual(await log(undefined, lines), []);
  /* What is below the level does not count. */
  assert.equal((await log('info', [...Array(200).fill(['debug', 1]),
    ...Array(1000).fill(['info', 1])])).length, 100);
  /* It is told the level of who asks for most, once. */
  assert.deepEqual(heard(file).filter(({ method }) =>
    method === 'logging/setLevel').map(({ params }) => params.level),
  ['warning', 'debug']);

  const other = await Raw.open(t, options);

  assert.deepEqual(await log(undefined, lines, other), []);
  assert.match((await other.request('logging/setLevel', { level: 'loud' }))
    .error.message, /one of debug, /);
  assert.deepEqual((await other.request('logging/setLevel',
    { level: 'warning' })).result, {});
  assert.deepEqual(await log(undefined, lines, other), [lines[1]]);
});

test('what a server reports reaches a client that watches', async (t) => {
  const raw = await Raw.open(t, { ...withServers(t, { asker: hostile() }),
    notes: true });
  const told = async (more, meta) => {
    const from = raw.notes.length;

    await raw.request('tools/call', { name: 'run_python', _meta: meta,
      arguments: { servers: ['asker'],
        code: `${more}await mcp_asker.progress(times=2, ms=1)` } });
    return raw.notes.slice(from).map(({ params }) =>
      [params.progressToken, params.message, params.progress]);
  };
  const [first, second, third] = await told('', { progressToken: 'p' });

  assert.deepEqual([first, second, third].map((each) => each.slice(0, 2)),
    [['p', 'asker: 0'], ['p', 'asker: 1'], ['p', 'asker: 2']]);
  assert.ok(first[2] < second[2] && second[2] < third[2]);
  assert.deepEqual(await told('runtime.progress(1, 2)\n',
    { progressToken: 'p' }), [['p', undefined, 1]]);
  assert.deepEqual(await told('', undefined), []);
});
