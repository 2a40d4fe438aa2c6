/*
 * The commands of README.md work as they are printed there, in the home of a
 * new user with one server in Cursor. The table `not` gives the reason for each
 * command that is not run here.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { write } from './support/home.mjs';
import { binary, folder, ran, usually } from './support/program.mjs';
import { serveTcp } from './support/serve.mjs';

usually();

const source = fileURLToPath(new URL('../..', import.meta.url));
const readme = fs.readFileSync(path.join(source, 'README.md'), 'utf8');
const tools = fileURLToPath(new URL('support/tools.py', import.meta.url));
const built = path.join(source, 'build/caisson');

/* A home in which Cursor has one server. */
function home(t) {
  const made = folder(t);

  write(made, '.cursor/mcp.json', JSON.stringify({ mcpServers: { example: {
    command: '/usr/bin/python3', args: [tools, '0', '3', '/dev/null'] } } }));
  return made;
}

/* What the program does, and prints, with these words in a fresh home. */
function caisson(t, words, { env, at = home(t) } = {}) {
  const done = ran({ args: words, home: at, env }, { cwd: at });

  return { ...done, all: done.stdout + done.stderr, at };
}

/* The same, which must succeed and print something like this. */
function succeeds(look, ...words) {
  return (t) => {
    const done = caisson(t, words);

    assert.equal(done.status, 0, done.all);
    assert.match(done.all, look);
  };
}

/* A setting is in force when the environment has it. */
function sets(variable, value, look) {
  return (t) => {
    const { status, all } =
      caisson(t, ['config', 'check'], { env: { [variable]: value } });

    assert.equal(status, 0, all);
    assert.match(all, look);
  };
}

/* Runs a command of the build in the checkout. */
function builds(command, args, env = {}) {
  const { HOME, PATH } = process.env;
  const done = spawnSync(command, args, { cwd: source, encoding: 'utf8',
    env: { HOME, PATH, ...env }, timeout: 300_000 });

  assert.equal(done.status, 0, done.stdout + done.stderr);
  return done.stdout;
}

const elsewhere = binary === built ? false :
  'the program under test is not that of build/';

const run = {
  'caisson selftest': succeeds(/checks? passed/, 'selftest'),
  'caisson selftest -v': succeeds(/^ok    process relay/m, 'selftest', '-v'),
  'caisson exec hello.py': (t) => {
    const at = home(t);

    write(at, 'hello.py', 'print("hello")');
    assert.equal(caisson(t, ['exec', 'hello.py'], { at }).all, 'hello\n');
  },
  'caisson adopt cursor': (t) => {
    const at = home(t);
    const file = path.join(at, '.cursor/mcp.json');
    const before = fs.readFileSync(file, 'utf8');
    const adopted = caisson(t, ['adopt', 'cursor', '--yes'], { at });

    assert.equal(adopted.status, 0, adopted.all);
    assert.deepEqual(Object.keys(JSON.parse(fs.readFileSync(file, 'utf8'))
      .mcpServers), ['caisson']);
    assert.match(caisson(t, ['servers', 'list'], { at }).all, /example/);

    const undone = caisson(t, ['adopt', 'cursor', '--undo', '--yes'], { at });

    assert.equal(undone.status, 0, undone.all);
    assert.equal(fs.readFileSync(file, 'utf8'), before);
  },
  'caisson client': succeeds(/^cursor$/m, 'client'),
  'caisson client NAME': succeeds(/"command"/, 'client', 'cursor'),
  'caisson servers list': succeeds(/example/, 'servers', 'list'),
  'caisson servers test': succeeds(/example/, 'servers', 'test'),
  'caisson servers test --log-level debug':
    succeeds(/example/, 'servers', 'test', '--log-level', 'debug'),
  'caisson libraries': (t) => {
    /* Also where a library is missing. */
    const { status, stdout, stderr } = caisson(t, ['libraries']);

    assert.equal(status, 0, stderr);
    assert.match(stdout, /^science +\d+ of \d+/m);
  },
  'caisson token add laptop':
    succeeds(/^caisson_[0-9a-f]{64}$/m, 'token', 'add', 'laptop'),
  'caisson config check': succeeds(/memory/, 'config', 'check'),
  'CAISSON_TOOLS=run_code':
    sets('CAISSON_TOOLS', 'run_code', /^tools +run_code /m),
  'CAISSON_ARGUMENTS=code,timeout,conversationId,session':
    sets('CAISSON_ARGUMENTS', 'code,timeout,conversationId,session',
      /^arguments +code,timeout,conversationId,session /m),
  'CAISSON_MEMORY=1g': sets('CAISSON_MEMORY', '1g', /^memory +1g /m),
};

const checkout = {
  /* It builds first, which would take the program from tests that run beside. */
  './setup run': (t) => {
    if (/no work to do/.test(builds('ninja', ['-C', 'build', '-n'])))
      assert.match(builds('./setup', ['run']), /Lisbon +8397/);
    else
      t.skip('the sources have changed since they were built');
  },
  'sudo meson install -C build': (t) => {
    const to = folder(t);

    builds('meson', ['install', '-C', 'build', '--no-rebuild', '--quiet'],
      { DESTDIR: to });
    assert.ok(fs.readdirSync(to, { recursive: true })
      .some((name) => name.endsWith('bin/caisson')));
    /* 'sudo ninja -C build uninstall' removes what the last install wrote. */
    builds('ninja', ['-C', 'build', 'uninstall']);
    assert.ok(!fs.readdirSync(to, { recursive: true })
      .some((name) => name.endsWith('bin/caisson')));
  },
};

/* What is not run, and why. */
const not = {
  './setup test': 'it runs this test',
  'kill -9': 'tests/e2e/lifecycle.test.mjs does it',
  'caisson serve': 'tests/e2e/http.test.mjs does it',
  'caisson serve --listen 127.0.0.1:8080': 'see the entry for HTTP below',
  'sudo apparmor_parser -r /etc/apparmor.d/caisson-box':
    'it needs AppArmor; tests/house/apparmor.py checks the profile',
  'man -l build/man/caisson.1': 'tests/house/manual.py renders each page',
  'CAISSON_PYTHON=/home/me/project/.venv':
    'libraries.test.mjs runs code in virtual environments',
  'claude mcp add --scope user caisson -- /usr/local/bin/caisson':
    'see the entries below',
  'sudo ninja -C build uninstall': 'it is run behind sudo meson install',
  'caisson --help': 'settings.test.mjs reads it',
  'sudo apt install podman mmdebstrap': 'it installs packages of the machine',
  'caisson image build python --engine podman': 'containers-all.test.mjs builds one',
  'caisson selftest --runtime podman --image caisson-python':
    'containers.test.mjs runs it with another image',
  'caisson adopt cursor --undo': 'it is run behind caisson adopt cursor',
  'caisson files save NAME': 'files.test.mjs saves files',
  './setup -Dprefix=/usr': 'it configures the build again',
};

/* Lines of blocks without a language, and words in backticks, that begin so. */
const begins = /^(\.\/setup |caisson |claude |sudo |apt |man |kill |CAISSON_\w+=)/;

function commands() {
  const found = new Set();
  let block;

  for (const line of readme.split('\n')) {
    if (line.startsWith('```'))
      block = block === undefined ? line.slice(3) : undefined;
    else if (block === '')
      found.add(line.split('  ')[0].trim());
    else if (block === undefined)
      for (const [, span] of line.matchAll(/`([^`]+)`/g))
        found.add(span);
  }
  return [...found].filter((each) => begins.test(each)).sort();
}

test('each command is run, or it is said why not', () => {
  assert.deepEqual(commands(),
    Object.keys({ ...run, ...checkout, ...not }).sort());
});

for (const [name, works] of Object.entries(run))
  test(name, works);

for (const [name, works] of Object.entries(checkout))
  test(name, { skip: elsewhere }, works);

/* The entries for clients are those that the program prints, but for its path. */
for (const [client, entry] of [
  ['claude-desktop', /Claude Desktop.*?`(\{.*?\}\}\})`/s],
  ['cursor', /Cursor\*\*, in.*?`(\{.*?\}\}\})`/s],
  ['claude-code', /`(claude mcp add .*?)`/],
  ['vscode', /VS Code\*\*, in.*?`(\{.*?\}\}\})`/s],
  ['codex', /below `.*?`:\s+`(command = .*?)`/],
])
  test(`the entry for ${client}`, (t) => {
    const { stdout } = caisson(t, ['client', client]);
    const [told, printed] = [readme.match(entry)[1]
      .replaceAll('/usr/local/bin/caisson', binary), stdout]
      .map((text) => text.replace(/\s+/g, ''));

    assert.ok(printed.includes(told), stdout);
  });

test('the entry for HTTP', async (t) => {
  const { url, log } = await serveTcp(t);
  const token = fs.readFileSync(log().match(/in the file (\S+)/)[1], 'utf8');
  const { caisson: entry } = JSON.parse(readme
    .match(/\{"mcpServers": \{"caisson": \{"url".*?\}\}\}\}/s)[0]).mcpServers;
  const { port } = new URL(url);
  const answer = await fetch(entry.url.replace('8080', port), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json',
      Authorization: entry.headers.Authorization.replace('TOKEN',
        token.trim()) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {},
        clientInfo: { name: 'test', version: '1' } } }),
  });

  assert.equal(answer.status, 200);
  assert.equal((await answer.json()).result.serverInfo.name, 'caisson');
});
