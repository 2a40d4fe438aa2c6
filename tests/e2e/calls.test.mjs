/*
 * Calls by their ids: what 'caisson calls' shows and cancels, and how the
 * answer of a call reaches a client of HTTP whose connection broke.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport }
  from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Gate } from './support/gate.mjs';
import { family } from './support/processes.mjs';
import { folder } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { connect, run } from './support/sdk.mjs';
import { fetchAt, serveTcp } from './support/serve.mjs';
import { add, clientOf, run as command } from './support/tokens.mjs';
import { until, within } from './support/wait.mjs';

const id = (result) => result._meta['caisson/execution'];

/* The command succeeds; returns what it prints, or its object. */
function calls(home, ...args) {
  const { status, stdout, stderr } = command(home, 'calls', ...args);

  assert.deepEqual([status, stderr], [0, '']);
  return args.includes('--json') ? JSON.parse(stdout) : stdout;
}

const listed = (home, ...args) =>
  calls(home, 'list', '--json', ...args).calls;

/* The command fails with this sentence. */
function refuses(home, args, sentence, code = 1) {
  const { status, stdout, stderr } = command(home, 'calls', ...args);

  assert.deepEqual([status, stdout], [code, '']);
  assert.match(stderr, sentence);
}

/* The store has kept so many calls. */
const kept = (home, count) => until(() =>
  listed(home).filter(({ status }) => !['running', 'waiting'].includes(status))
    .length === count, `${count} kept calls`);

/* The events of a stream, one by one; each has its id and its message. */
async function* events(answer) {
  let text = '';

  for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
    text += part;
    for (let at; (at = text.indexOf('\n\n')) >= 0; text = text.slice(at + 2)) {
      const lines = text.slice(0, at).split('\n');
      const field = (name) => lines.find((line) =>
        line.startsWith(`${name}:`))?.slice(name.length + 1).trim();

      /* Not a sign of life. */
      if (!lines[0].startsWith(':'))
        yield { id: field('id'),
          message: field('data') ? JSON.parse(field('data')) : undefined };
    }
  }
}

/* All events until the end of the stream. */
const all = (answer) => within((async () => {
  const got = [];

  for await (const event of events(answer))
    got.push(event);
  return got;
})(), 'the events');

/* A client of HTTP in a session, with a call that stands at a gate. */
async function standing(t, url, token, text = '"whole answer"') {
  const client = clientOf(t, url, token);
  const session = { 'Mcp-Session-Id': await client.begin() };
  const gate = new Gate();
  const cut = new AbortController();
  const answer = await client.post({ id: 7, method: 'tools/call', params: {
    name: 'run_python', arguments: { code: `${gate.wait}\n${text}` },
  } }, session, { signal: cut.signal });
  const stream = events(answer);
  const { value: first } = await stream.next();

  await gate.reached();
  assert.equal(first.message, undefined);
  return { client, session, gate, stream, first: first.id,
    cut: () => cut.abort(),
    back: (event, headers = session, from = token) =>
      fetchAt(t, undefined, { token: from })(url, { headers: {
        Accept: 'text/event-stream', 'Last-Event-ID': event, ...headers } }) };
}

test('an answer comes after its connection broke, once, to its owner',
  async (t) => {
    const { url, home } = await serveTcp(t);
    const [ann, bob] = [add(home, 'ann'), add(home, 'bob')];
    const call = await standing(t, url, ann);
    const other = { 'Mcp-Session-Id': await clientOf(t, url, bob).begin() };

    call.cut();
    await assert.rejects(call.stream.next());
    assert.deepEqual(listed(home).map(({ owner, status }) => [owner, status]),
      [['ann', 'running']]);
    call.gate.open();
    await kept(home, 1);
    const stolen = await call.back(call.first, call.session, bob);

    assert.equal(stolen.status, 404);
    assert.match(await stolen.text(), /there is no such session|this session has ended/);
    const guessed = await call.back(call.first, other, bob);

    assert.equal(guessed.status, 400);
    assert.match(await guessed.text(),
      /this Last-Event-ID is unknown: the events of an answer are kept for 5 minutes after the last one, up to 16 MiB for a client; /);
    const got = await all(await call.back(call.first));

    assert.deepEqual(got.map(({ message }) =>
      [message.id, message.result.content[0].text]), [[7, "'whole answer'"]]);
    /* It may be lost on its way again; its own id is followed by nothing. */
    assert.deepEqual(await all(await call.back(call.first)), got);
    assert.deepEqual(await all(await call.back(got[0].id)), []);
    for (const wrong of ['9-0', '1-9', '1', 'x', '1-0x', `${'9'.repeat(30)}-1`])
      assert.equal((await call.back(wrong)).status, 400, wrong);
  });

test('a client comes back while its call runs', async (t) => {
  const { url, home } = await serveTcp(t);
  const call = await standing(t, url, add(home, 'ann'));
  const again = await call.back(call.first);

  /* The connection before may be dead without a sign: it gets nothing. */
  assert.deepEqual(await within(call.stream.next(), 'its end'),
    { value: undefined, done: true });
  call.gate.open();
  assert.deepEqual((await all(again)).map(({ message }) =>
    [message.id, message.result.isError]), [[7, false]]);
});

test('what was kept ends with its session', async (t) => {
  const { url, home } = await serveTcp(t);
  const call = await standing(t, url, add(home, 'ann'));

  call.cut();
  assert.equal((await fetchAt(t, undefined, { token: add(home, 'bob') })(url, {
    method: 'DELETE', headers: call.session })).status, 404);
  call.gate.open();
  await kept(home, 1);
  assert.equal((await call.client.post({ method: 'ping' }, call.session))
    .status, 200);
});

test('the official client comes back by itself', async (t) => {
  const { url, home } = await serveTcp(t);
  const fetch = fetchAt(t, undefined, { token: add(home, 'ann') });
  const cut = new AbortController();
  const asked = [];
  const client = new Client({ name: 'caisson-tests', version: '1.0.0' });
  const gate = new Gate();

  t.after(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url), {
    fetch: (at, init) => {
      const headers = new Headers(init.headers);
      const calls = String(init.body).includes('tools/call');

      if (headers.has('last-event-id'))
        asked.push(headers.get('last-event-id'));
      return fetch(at, calls ? { ...init, signal: cut.signal } : init);
    },
    reconnectionOptions: { initialReconnectionDelay: 10,
      maxReconnectionDelay: 10, reconnectionDelayGrowFactor: 1,
      maxRetries: 2 },
  }));
  const done = run(client, `${gate.wait}\n"after all"`);

  await gate.reached();
  cut.abort();
  await until(() => asked.length > 0, 'a client that comes back');
  gate.open();
  assert.equal((await within(done, 'the answer')).content[0].text,
    "'after all'");
});

test('calls are listed and shown, with their output', async (t) => {
  const home = folder(t);

  assert.equal(calls(home, 'list'), 'No calls run, and none are kept.\n');
  assert.deepEqual(listed(home), []);
  assert.deepEqual(fs.readdirSync(home), []);
  const { client } = await connect(t, { home });
  const good = await run(client, 'import sys\nprint("out")\nprint("err", file=sys.stderr)');
  const bad = await run(client, 'print("\\x1b[31mred")\nraise SystemExit(3)');
  const gate = new Gate();
  const running = run(client, `${gate.wait}`);

  await gate.reached();
  await kept(home, 2);
  const [now, second, first] = listed(home);

  assert.deepEqual({ ...first, asked_at: 0, waited_ms: 0, duration_ms: 0 }, {
    id: id(good), owner: null, asked_at: 0, language: 'python',
    status: 'success', exit_code: 0, waited_ms: 0, duration_ms: 0,
    tool_calls: 0, stdout_bytes: 4, stderr_bytes: 4 });
  assert.deepEqual([second.id, second.status, second.exit_code, second.error],
    [id(bad), 'error', 3, 'Sandbox exited with code 3']);
  assert.equal(now.status, 'running');
  assert.ok(Math.abs(Date.parse(now.asked_at) - Date.now()) < 3600e3);
  const lines = calls(home, 'list').split('\n');

  assert.match(lines[0], /^asked +outcome +ms tools language +owner +id$/);
  assert.match(lines[1], new RegExp(
    `^\\d{4}-\\d\\d-\\d\\dT\\S+Z +running +\\d+ +- python +- +${now.id} *$`));
  assert.match(lines[2], new RegExp(`^\\S+ error +\\d+ +0 python +- +${id(bad)} *$`));
  /* For people, without characters that a terminal would obey. */
  assert.match(calls(home, 'show', id(bad)),
    /^status: error\n[^]*^exit_code: 3\nerror: Sandbox exited with code 3\n[^]*^stdout:\n\\u001b\[31mred\n/m);
  assert.match(calls(home, 'show', now.id), /^status: running$/m);
  const whole = calls(home, 'show', id(good), '--json');

  assert.deepEqual([whole.stdout, whole.stderr], ['out\n', 'err\n']);
  refuses(home, ['show', '0'.repeat(16)],
    /^caisson: call 0{16}: there is no such call \('caisson calls list' shows those that are kept\)\n$/);
  refuses(home, ['show', 'x\x1b'],
    /^caisson: "x\\x1b" cannot be the id of a call: it has 16 hexadecimal digits/, 2);
  gate.open();
  await running;
});

/* The store writes behind the answers. */
test('what was answered is there after any end of Caisson', async (t) => {
  const home = folder(t);
  const shown = (result) =>
    calls(home, 'show', id(result), '--json').status;

  for (const signal of ['SIGTERM', 'SIGKILL']) {
    const raw = await Raw.open(t, { home });
    const result = await raw.run('print(1)');
    const there = () =>
      command(home, 'calls', 'show', id(result)).status === 0;

    /* Only what is not written yet may be lost with a killed one. */
    if (signal === 'SIGKILL')
      await until(there, 'the call before the kill');
    process.kill(raw.pid, signal);
    await until(there, `the call before ${signal}`);
    assert.equal(shown(result), 'success');
  }
  /* A killed store costs no answer, and the next call is kept again. */
  const raw = await Raw.open(t, { home });
  const gate = new Gate();
  const first = raw.postCall(gate.wait);

  await gate.reached();
  await raw.run('print(1)');

  const store = () => family(raw.pid).find(({ name }) => name === 'store');

  await until(store, 'the store');
  process.kill(store().pid, 'SIGKILL');
  gate.open();
  assert.equal((await raw.result(first)).isError, false);
  const last = await raw.run('print(2)');

  await until(() => listed(home).some((call) => call.id === id(last)),
    'the last call');
  await raw.finish();
});

test('a call is cancelled by its id', async (t) => {
  const { url, home } = await serveTcp(t);
  const call = await standing(t, url, add(home, 'ann'));
  const [{ id: running }] = listed(home);

  assert.deepEqual([listed(home, '--owner', 'ann').length,
    listed(home, '--owner', '-').length], [1, 0]);
  refuses(home, ['cancel', running, '--owner', '-'], /no running Caisson has/);
  assert.equal(calls(home, 'cancel', running), '1 cancelled\n');
  const { value } = await within(call.stream.next(), 'the answer');

  assert.match(value.message.result.content[0].text,
    /^status: cancelled\n[^]*error: the call was cancelled with 'caisson calls cancel'/);
  await until(() => call.gate.find().length === 0, 'the end of its code');
  await kept(home, 1);
  assert.equal(listed(home)[0].status, 'cancelled');
  assert.deepEqual([listed(home, '--owner', 'ann').length,
    listed(home, '--owner', '-').length], [1, 0]);
  refuses(home, ['show', running, '--owner', '-'],
    /there is no such call \('caisson calls list --owner -' shows/);
  assert.equal(calls(home, 'list', '--names'), `${running}\n`);
  refuses(home, ['cancel', running],
    new RegExp(`^caisson: call ${running}: no running Caisson has this call: it has ended, or never was`));
  refuses(home, ['cancel', '1'], /cannot be the id of a call/, 2);
});

test('owners read their own calls as resources', async (t) => {
  const { url, home } = await serveTcp(t);
  const [ann, bob] = ['ann', 'bob'].map((name) =>
    clientOf(t, url, add(home, name)));
  const read = async (client, uri) => JSON.parse((await (await client.ask(
    'resources/read', { uri })).text()).replace(/^[^]*data: /, ''));
  const execution = id(await ann.run('print("mine")'));
  const uri = `resource://caisson/calls/${execution}`;

  await kept(home, 1);
  const { result } = await read(ann, uri);
  const { mimeType, text } = result.contents[0];
  const call = JSON.parse(text);

  assert.equal(mimeType, 'application/json');
  assert.deepEqual([call.id, call.owner, call.status, call.stdout],
    [execution, 'ann', 'success', 'mine\n']);
  assert.match((await read(bob, uri)).error.message,
    /^Resource not found: no call of this client is kept under this id: /);
  const lists = await Promise.all([ann, bob].map(async (client) => JSON.parse(
    (await read(client, 'resource://caisson/calls')).result.contents[0].text)
    .entries.map((entry) => entry.id)));

  assert.deepEqual(lists, [[execution], []]);
});

test('nothing else of a call is kept', async (t) => {
  const home = folder(t);
  const { client } = await connect(t, { home, env: {
    CAISSON_ARGUMENTS: 'all', CAISSON_TOOLS: 'run_python,run_code' } });
  const secrets = ['secretcode', 'secretvalue', 'secretinput'];
  const state = path.join(home, '.local/state/caisson');

  await client.callTool({ name: 'run_code', arguments: { language: 'python',
    code: `secretcode = 1\nprint("printed")`,
    stdin: 'secretinput', environment: { KEY: 'secretvalue' } } });
  await kept(home, 1);
  const bytes = fs.readdirSync(state).filter((name) => /^caisson\.db/.test(name))
    .map((name) => fs.readFileSync(path.join(state, name), 'latin1')).join('');

  assert.match(bytes, /printed/);
  for (const secret of secrets)
    assert.ok(!bytes.includes(secret), secret);
});

test('the setting calls-days says whether calls are kept', async (t) => {
  const home = folder(t);
  const { client } = await connect(t, { home,
    env: { CAISSON_CALLS_DAYS: '0' } });

  await run(client, 'print(1)');
  await run(client, 'save_memory("a", 1)');
  assert.deepEqual(listed(home), []);
});
