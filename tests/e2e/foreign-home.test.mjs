/*
 * A home that belongs to another user, such as the one that sudo or a
 * container in CI leaves in HOME: nothing that its owner may change is run,
 * read or written as the user of the program, each refusal names the fix, and
 * everything that needs no home works.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { folder, ran, root, uid, usually } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { configure, hostile, serving } from './support/servers.mjs';

usually();

const options = {
  skip: root ? false : 'only root can give a home to another user',
};

/* A user who is neither root nor the user of the program. */
const stranger = 4242;

/* Who owns it, and what would be right. */
const words = new RegExp(`belongs to user ${stranger}, .* user ${uid}: ` +
  `set (HOME|XDG_[A-Z]+_HOME) ?.*, .*run Caisson as user ${stranger}`);

/* Makes a file in a home; all of it belongs to that user afterwards. */
function give(home, owner, files) {
  for (const [name, content] of Object.entries(files)) {
    const place = path.join(home, name);

    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, content);
  }
  assert.equal(spawnSync('chown', ['-R', `${owner}`, home]).status, 0);
  assert.equal(spawnSync('chmod', ['-R', 'a+rX', home]).status, 0);
}

/* A home of a stranger in which this server is configured. */
function strangersHome(t, entry, files = {}) {
  const home = folder(t);

  give(home, stranger, { '.cursor/mcp.json':
    JSON.stringify({ mcpServers: { theirs: entry } }), ...files });
  return home;
}

function run(home, args, env = {}) {
  return ran({ args, env, home }, { cwd: '/' });
}

/* Every file below a folder, links as they are. */
const tree = (place) => fs.readdirSync(place, { recursive: true }).toSorted();

test('its servers are refused, in the list of files and in answers', options,
  async (t) => {
    const entry = hostile();
    const home = strangersHome(t, entry);
    const listed = run(home, ['--print-config']);

    assert.match(listed.stdout, /\nrefused {2}.*\.cursor\/mcp\.json/);
    assert.match(listed.stdout, words);
    assert.match(listed.stdout, /\nNo servers\.\n/);

    const raw = await Raw.open(t, { home });
    const refused = await raw.run('print("it ran")', { servers: ['theirs'] });

    assert.equal(refused.structuredContent.status, 'validation_error');
    assert.ok(refused.content[0].text.includes(
      path.join(home, '.cursor/mcp.json')), refused.content[0].text);
    assert.match(refused.content[0].text, words);
    assert.deepEqual(await raw.printed(
      'print(runtime.discovered_servers())'), ['()']);
    assert.deepEqual(serving(entry), []);
    await raw.finish();
  });

test('so are servers of the other folders that variables name', options,
  (t) => {
    const theirs = strangersHome(t, hostile(), {
      '.claude.json': '{"mcpServers": {"a": {"command": "sh"}}}',
      'mcp/mcp.json': '{"mcpServers": {"b": {"command": "sh"}}}' });
    const { stdout } = run(folder(t), ['--print-config'],
      { XDG_CONFIG_HOME: theirs, CLAUDE_CONFIG_DIR: theirs });

    for (const name of ['.claude.json', 'mcp/mcp.json'])
      assert.ok(stdout.includes(`refused  ${path.join(theirs, name)}`), stdout);
    assert.match(stdout, /CLAUDE_CONFIG_DIR \(.*\) belongs to user 4242/);
    assert.match(stdout, /XDG_CONFIG_HOME \(.*\) belongs to user 4242/);
    assert.match(stdout, /\nNo servers\.\n/);
  });

test('a file that is named explicitly is used', options, async (t) => {
  const entry = hostile();
  const home = strangersHome(t, hostile());
  const place = path.join(home, 'named.json');

  configure(place, { named: entry });
  const raw = await Raw.open(t, { home, env: { CAISSON_SERVERS_CONFIG: place } });

  assert.deepEqual(await raw.printed(
    'print((await mcp_named.echo()).text)', { servers: ['named'] }), ['{}']);
  await raw.finish();
});

test('no state is kept in it, and none of its links is followed', options,
  async (t) => {
    const elsewhere = folder(t);
    const home = strangersHome(t, hostile());

    fs.mkdirSync(path.join(home, '.local'));
    fs.symlinkSync(elsewhere, path.join(home, '.local/state'));
    give(home, stranger, {});
    const before = tree(home);
    const raw = await Raw.open(t, { home });
    const [said] = await raw.printed(`
try:
    save_memory("k", 1)
except Exception as error:
    print(error)`);

    assert.match(said, /the state directory cannot be used: the log of Ca/);
    await raw.finish();
    assert.match(raw.errors, words);
    assert.match(raw.errors, /CAISSON_STATE_DIR/);
    const listed = run(home, ['memory', 'list']);

    assert.equal(listed.status, 2);
    assert.match(listed.stderr, words);
    assert.deepEqual(tree(home), before);
    assert.deepEqual(tree(elsewhere), []);
    const other = await Raw.open(t,
      { home, env: { CAISSON_STATE_DIR: path.join(elsewhere, 'own') } });

    await other.printed('save_memory("k", 1)\nprint()');
    assert.deepEqual(await other.printed('print(load_memory("k"))'), ['1']);
    await other.finish();
  });

test('its options are ignored, with a warning', options, async (t) => {
  const home = folder(t);
  const log = path.join(home, 'log');

  give(home, stranger, { '.config/caisson/config.json':
    JSON.stringify({ log_file: log, timeout: 7 }) });
  const raw = await Raw.open(t, { home });

  assert.deepEqual(await raw.printed('print(1)'), ['1']);
  await raw.finish();
  assert.match(raw.errors, /config\.json is ignored: HOME .*belongs to user/);
  assert.ok(!fs.existsSync(log));
  assert.match(run(home, ['--check']).stdout, /timeout +30s? +default/);
  assert.match(run(home, ['--check']).stdout, /config\.json .*belongs to user/);
});

test('what needs no home works: calls, the selftest', options, async (t) => {
  const home = strangersHome(t, hostile());
  const before = tree(home);
  const raw = await Raw.open(t, { home });

  assert.deepEqual(await raw.printed('print(6 * 7)'), ['42']);
  await raw.finish();
  const { status, stdout, stderr } = run(home, ['--selftest']);

  assert.equal(status, run(folder(t), ['--selftest']).status,
    stdout + stderr);
  assert.deepEqual(tree(home), before);
});
