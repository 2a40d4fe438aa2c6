/*
 * --json: each command that prints data prints one JSON object, with the names
 * that caisson(1) documents, and no secret in it; errors stay sentences.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { folder, once, ran, uid } from './support/program.mjs';
import { Raw } from './support/raw.mjs';

const tools = fileURLToPath(new URL('support/tools.py', import.meta.url));
const secret = 'ghp_0123456789SECRET';
const server = { command: '/usr/bin/python3',
  args: [tools, '0', '3', '/dev/null'], env: { TOKEN: secret } };

function write(home, name, content) {
  const place = path.join(home, name);

  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.writeFileSync(place, content);
  for (let at = place; at !== home; at = path.dirname(at))
    fs.chownSync(at, uid, uid === process.getuid() ? process.getgid() : uid);
  return place;
}

function run(home, ...args) {
  const done = ran({ args, home }, { cwd: home });

  assert.equal(done.error, undefined);
  assert.ok(!(done.stdout + done.stderr).includes('SECRET'), done.stdout);
  return done;
}

/* What a command prints, which is one object on one line. */
function object(home, ...args) {
  const { stdout, stderr } = run(home, ...args, '--json');

  assert.match(stdout, /^\{[^\n]*\}\n$/, stderr);
  assert.ok(!/[\x00-\x09\x0b-\x1f\u202e]/.test(stdout), stdout);
  return JSON.parse(stdout);
}

test('what is installed and set', once, (t) => {
  const home = folder(t);

  assert.match(object(home, 'version').version, /^\d+\.\d+\.\d+$/);
  assert.deepEqual(object(home, '--version'), object(home, 'version'));
  for (const words of [['config', 'show'], ['config'], ['config', 'check'],
    ['--check']]) {
    const { settings, file } = object(home, ...words, '--pids=9');

    assert.deepEqual(settings.find(({ name }) => name === 'pids'),
      { name: 'pids', value: '9', source: 'flag' });
    assert.deepEqual(file, { state: 'missing', reason: null,
      path: path.join(home, '.config/caisson/config.json') });
  }
  assert.ok(object(home, 'client').clients.includes('cursor'));

  const { lines, program, ...rest } = object(home, 'client', 'Cursor');

  assert.equal(JSON.parse(lines).mcpServers.caisson.command, program);
  assert.deepEqual(rest, { client: 'cursor', where: `in ${home}/.cursor/mcp.json` });
});

test('what a server prints has no secret, and no refusal a path or PATH', once,
  async (t) => {
    const home = folder(t);
    const script = write(home, 'script', '#!/nowhere/python\n');
    const nowhere = path.join(home, 'nowhere');

    fs.chmodSync(script, 0o755);

    write(home, '.config/caisson/servers/x.json', JSON.stringify({ mcpServers: {
      bad: { command: '/bin/sh', env: { TOKEN: secret, COUNT: 1234, ON: true },
        args: ['-c', 'echo "error: $TOKEN or $0 is bad, $COUNT" >&2; exit 1',
          `--key=${secret}`] },
      absent: { command: 'no-such-program' },
      script: { command: script },
      nowhere: { command: '/usr/bin/true', cwd: nowhere },
    } }));
    for (const words of [[], ['--json']]) {
      const { stdout } = run(home, 'servers', 'test', ...words);

      assert.match(stdout, /error: \*\*\* or \*\*\* is bad, 1234/);
      assert.match(stdout, /absent[^]*not found; searched: [^ ]*\/usr\/bin/);
      assert.ok(stdout.includes(`cannot execute ${script}: the interp`));
      assert.ok(stdout.includes(`cannot enter the folder ${nowhere}: No`));
    }
    const raw = await Raw.open(t, { home });
    const refused = await raw.run('1', { servers: ['absent'] });

    assert.match(refused.content[0].text, /"no-such-program" was not found: install it/);
    assert.doesNotMatch(refused.content[0].text, /\/usr/);
    for (const [name, words] of [['script', /execute its command: the interp/],
      ['nowhere', /cannot enter its folder: No such file/]]) {
      const { content: [{ text }] } = await raw.run(
        `await mcp_${name}.any()`, { servers: [name] });

      assert.match(text, words);
      assert.ok(!text.includes(home), text);
    }
    await raw.finish();
  });

test('servers, their files and their tools', once, (t) => {
  const home = folder(t);
  const at = write(home, '.cursor/mcp.json', JSON.stringify({ mcpServers: {
    one: server, web: { url: `https://x/${secret}` }, bad: { command: 7 },
  } }));
  const name = 'one';
  const tools = { allow: ['list_*'], deny: ['list_all'] };

  write(home, '.config/caisson/servers/narrow.json',
    JSON.stringify({ mcpServers: { narrow: { ...server, tools } } }));
  const narrow = object(home, 'servers', 'list').servers.at(0);

  assert.deepEqual([narrow.allowed, narrow.denied],
    [tools.allow, tools.deny]);
  fs.rmSync(path.join(home, '.config'), { recursive: true });
  const { sources, servers, problems } = object(home, 'servers', 'list');

  assert.deepEqual(sources.find(({ state }) => state === 'taken'),
    { path: at, source: 'Cursor', state: 'taken', reason: null });
  assert.equal(servers.length, 2);
  assert.equal(servers[0].name, name);
  assert.equal(servers[0].command, server.command);
  assert.equal(servers[0].arguments, 4);
  assert.deepEqual(servers[0].variables, ['TOKEN']);
  assert.equal(servers[0].cwd, null);
  assert.equal(servers[0].description, null);
  assert.deepEqual(problems.map((p) => [p.name, p.state]),
    [['bad', 'rejected']]);
  assert.deepEqual([servers[1].url, servers[1].headers],
    ['https://x/***', []]);

  const tried = object(home, 'servers', 'test');

  assert.equal(tried.servers[0].name, name);
  assert.equal(tried.servers[0].state, 'ok');
  assert.equal(tried.servers[0].tools.length, tried.servers[0].count);
  assert.equal(tried.servers[1].state, 'failed');
  assert.equal(tried.works, 1);
  assert.equal(tried.failed, 2);
  assert.equal(tried.error, null);
  assert.equal(run(home, 'servers', 'test', '--json').status, 1);

  for (const [words, what] of [[['adopt'], 'moves'],
    [['servers', 'import'], 'copies']]) {
    const plan = object(home, ...words, 'cursor', '--dry-run');

    assert.equal(plan.client, 'cursor');
    assert.equal(plan.file, at);
    assert.equal(plan.registered, false);
    assert.equal(plan[what][0].name, name);
    assert.match(plan[what][0].starts, /\(TOKEN=\*\*\*\)$/);
    assert.match(plan.stays[0].reason, /must be a string/);
  }
  assert.ok(!fs.existsSync(path.join(home, '.config')));
});

test('what is kept', once, async (t) => {
  const home = folder(t);

  assert.deepEqual(object(home, 'memory', 'list'), { memories: [] });
  assert.deepEqual(object(home, 'saved-tools'), { tools: [] });
  assert.deepEqual(object(home, 'files'), { files: [] });

  const raw = await Raw.open(t, { home });

  await raw.printed(`
runtime.save_memory("k\\u202e", {"a": [1, "\\x1b"]})
def twice(x: int):
    "Doubles."
    return 2 * x
runtime.save_tool(twice)
`);
  await raw.finish();

  const { memories } = object(home, 'memory', 'list');

  assert.equal(memories[0].key, 'k\u202e');
  assert.deepEqual(object(home, 'memory', 'show', 'k\u202e'),
    { key: 'k\u202e', value: { a: [1, '\x1b'] } });
  assert.equal(object(home, 'saved-tools').tools[0].name, 'twice');

  const shown = object(home, 'saved-tools', 'show', 'twice');

  assert.equal(shown.name, 'twice');
  assert.match(shown.source, /^def twice/);
  assert.deepEqual(object(home, 'saved-tools', 'remove', 'twice'),
    { removed: 1 });
  assert.deepEqual(object(home, 'memory', 'clear', '--yes'), { removed: 1 });
  write(home, 'a.txt', 'abc');

  const [added] = object(home, 'files', 'add', 'a.txt').files;

  assert.equal(added.name, 'a.txt');
  assert.equal(added.bytes, 3);
  assert.deepEqual(object(home, 'files', 'list').files, [added]);
  assert.deepEqual(object(home, 'files', 'remove', 'a.txt'), { removed: 1 });

  const done = run(home, 'memory', 'show', 'none', '--json');

  assert.equal(done.status, 1);
  assert.equal(done.stdout, '');
  assert.match(done.stderr, /^caisson: memory "none": there is no memory/);
});
