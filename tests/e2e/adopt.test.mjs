/*
 * caisson adopt CLIENT in prepared homes: the files of real clients switch and
 * come back byte for byte; what cannot move stays, and is named; no secret is
 * printed; a run that is killed leaves the old file or the new one, and the
 * next one completes it.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { write as writeFile } from './support/home.mjs';
import {
  binary, commandLine, folder, once, ran, rounds, uid,
} from './support/program.mjs';

const tools = fileURLToPath(new URL('support/tools.py', import.meta.url));
const secret = 'ghp_0123456789abcdefSECRET';
const args = [tools, '0', '3', '/dev/null'];
const server = (more = {}) =>
  JSON.stringify({ command: '/usr/bin/python3', args, ...more });
const list = JSON.stringify(args);
const toml = `command = "/usr/bin/python3"\nargs = ${list}\n`;

/* Files that others of the group may read, as some clients leave them. */
const write = (home, name, content, mode = 0o640) =>
  writeFile(home, name, content, mode);

function run(home, ...words) {
  const done = ran({ args: words, home }, { cwd: home });

  assert.equal(done.error, undefined);
  done.all = done.stdout + done.stderr;
  assert.ok(!done.all.includes('SECRET'), done.all);
  return done;
}

/*
 * What a folder holds, but for what is behind links and for lists of tools that
 * are remembered: path, mode, content.
 */
function tree(at) {
  if (at.endsWith('/.local'))
    return [];

  const stat = fs.lstatSync(at);

  if (stat.isSymbolicLink())
    return [[at, fs.readlinkSync(at)]];
  if (!stat.isDirectory())
    return [[at, stat.mode, fs.readFileSync(at, 'latin1')]];
  return fs.readdirSync(at).sort().flatMap((name) =>
    tree(path.join(at, name)));
}

const own = (home, client) => JSON.parse(fs.readFileSync(
  path.join(home, `.config/caisson/servers/${client}.json`), 'utf8'))
  .mcpServers;

/* One file as each client has it, and what it is with our entry in it. */
const ours = `"caisson": { "command": "${binary}" }`;
const clients = {
  'claude-code': ['.claude.json',
    `{"numStartups":7,"mcpServers":{"one":${server()}},"projects":{"/x":` +
    '{"mcpServers":{"p":{"command":"sh"}}}}}',
    `{"numStartups":7,"mcpServers":{${ours}},"projects":{"/x":` +
    '{"mcpServers":{"p":{"command":"sh"}}}}}'],
  cursor: ['.cursor/mcp.json',
    `\ufeff{\r\n   // mine\r\n   "mcpServers": {\r\n\t"one": ${server()}, ` +
    `// it\r\n\t"web": {"url": "https://x/${secret}", "disabled": true}\r\n` +
    '   }\r\n}',
    `\ufeff{\r\n   // mine\r\n   "mcpServers": {\r\n\t${ours},\r\n\t// it\r\n` +
    `\t"web": {"url": "https://x/${secret}", "disabled": true}\r\n` +
    '   }\r\n}'],
  vscode: ['.config/Code/User/mcp.json',
    `{\n  "servers": {\n    "one": ${server()},\n  },\n  "inputs": [],\n}\n`,
    '{\n  "servers": {\n    "caisson": { "type": "stdio", "command": ' +
    `"${binary}" }\n  },\n  "inputs": [],\n}\n`],
  codex: ['.codex/config.toml',
    `model = "x" # mine\n\n[mcp_servers.one]\n${toml}` +
    '[mcp_servers.one.env]\nA = "b"\n\n[tui]\na = 1\n',
    `model = "x" # mine\n\n[mcp_servers.caisson]\ncommand = "${binary}"\n\n` +
    '[tui]\na = 1\n'],
  'gemini-cli': ['.gemini/settings.json',
    `{\n "ui": {},\n "mcpServers": { "one": ${server()} } }\n`,
    `{\n "ui": {},\n "mcpServers": { ${ours} } }\n`],
  'qwen-code': ['.qwen/settings.json',
    `{"mcpServers": {"one": ${server()}}}`, `{"mcpServers": {${ours}}}`],
  opencode: ['.config/opencode/opencode.json',
    `{\n\t"mcp": {\n\t\t"one": {"type": "local", "command": ` +
    `${JSON.stringify(['/usr/bin/python3', ...args])}}\n\t}\n}\n`,
    '{\n\t"mcp": {\n\t\t"caisson": { "type": "local", "command": ' +
    `["${binary}"] }\n\t}\n}\n`],
  zed: ['.config/zed/settings.json',
    '// Zed\n{\n  "theme": "One",\n  "context_servers": {\n    /* a */\n' +
    `    "one": {"source": "custom", "command": "/usr/bin/python3", ` +
    `"args": ${list}}\n  }\n}\n`,
    '// Zed\n{\n  "theme": "One",\n  "context_servers": {\n' +
    `    "caisson": { "source": "custom", "command": "${binary}", ` +
    '"args": [] }\n    /* a */\n  }\n}\n'],
};

for (const [name, [place, before, after]] of Object.entries(clients))
  test(`the file of ${name} is switched, and comes back as it was`, (t) => {
    const home = folder(t);
    const real = write(home, 'dotfiles/file', before);
    const link = write(home, place, '');
    let done;

    fs.unlinkSync(link);
    fs.symlinkSync(real, link);
    const was = tree(home);
    done = run(home, 'adopt', name.toUpperCase(), '--yes');
    assert.equal(done.status, 0, done.all);
    assert.match(done.stdout, /^ok +one: 4 tools$/m);
    assert.match(done.stdout,
      /^4 tools, \d\.\d kB of definitions: \d\.\d kB for a client /m);
    assert.equal(fs.readFileSync(real, 'utf8'), after);
    assert.equal(fs.statSync(real).mode & 0o7777, 0o640);
    assert.equal(fs.statSync(real).uid, uid);
    assert.ok(fs.lstatSync(link).isSymbolicLink());
    assert.deepEqual(Object.keys(own(home, name)), ['one']);
    assert.deepEqual(own(home, name).one.args, args);
    for (const [, mode] of tree(path.join(home, '.config/caisson')))
      assert.equal(mode & 0o777, 0o600);
    const then = tree(home);
    done = run(home, 'adopt', name, '--yes');
    assert.equal(done.status, 0, done.all);
    assert.match(done.stdout, /There is nothing to change\./);
    assert.deepEqual(tree(home), then);
    done = run(home, 'adopt', name, '--undo', '--yes');
    assert.equal(done.status, 0, done.all);
    fs.rmSync(path.join(home, '.config/caisson/adopted'),
      { recursive: true });
    assert.deepEqual(tree(home), was);
    assert.match(run(home, 'adopt', name, '--undo', '--yes').stdout,
      /There is nothing to undo\./);
  });

test('nothing is changed without consent, and no secret is shown', once, (t) => {
  const home = folder(t);

  write(home, '.cursor/mcp.json', `{"mcpServers":{"one":${server({
    env: { TOKEN: secret },
    args: [tools, '--token', 'SECRET', `--key=${secret}`, `https://${secret}/`],
  })},"web":{"url":"https://x/?k=${secret}","headers":{"A":"${secret}"}}}}`);
  const was = tree(home);
  let done = run(home, 'adopt', 'cursor');
  assert.equal(done.status, 2);
  assert.match(done.stderr, /^caisson: 'caisson adopt' changes nothing without /);
  done = run(home, 'adopt', 'cursor', '--dry-run', '--log-level', 'debug');
  assert.equal(done.status, 0, done.all);
  assert.match(done.stdout, /^- "one": .*\(TOKEN=\*\*\*\)$/m);
  assert.match(done.stdout, /^\+ "caisson": /m);
  assert.match(done.stdout, /will ask once for each run_python/);
  assert.deepEqual(tree(home), was);
});

test('entries that would become others stay, each with its reason', once, (t) => {
  const home = folder(t);

  write(home, '.claude.json', `{"mcpServers":{"taken":${server()}}}`);
  write(home, '.config/Code/User/mcp.json', `{"servers":{
    "moves": ${server()},
    "same": ${server()}, "same": ${server()},
    "kept": ${server()},
    "input": {"command": "sh", "args": ["\${input:key}"]},
    "folder": {"command": "sh", "args": ["\${workspaceFolder}"]},
    "taken": {"command": "sh"},
    "off": {"command": "sh", "disabled": true},
    "box": {"command": "sh", "sandboxEnabled": true},
    "none": {"command": "caisson-no-such-program"},
    "file": {"command": "sh", "envFile": ".env"},
    "bad": 5}}`);
  const done = run(home, 'adopt', 'vscode', '--dry-run', '--keep', 'kept');
  assert.equal(done.status, 0, done.all);
  const stays = done.stdout.split('Stays where it is:\n')[1];
  for (const [name, why] of Object.entries({
    same: 'more than once', kept: '--keep names it',
    input: 'only another program can fill in', folder: 'workspaceFolder',
    taken: 'another definition in', off: 'disabled in its file',
    box: 'only VS Code can honour its "sandboxEnabled"',
    none: 'its command is not found', file: 'envFile', bad: 'an object' }))
    assert.match(stays, new RegExp(`^ +"${name}": .*${why}`, 'm'));
  assert.deepEqual(done.stdout.match(/^- .*?:/gm), ['- "moves":']);
});

test('later edits of the file are kept when it is undone', once, (t) => {
  const home = folder(t);
  const place = write(home, '.cursor/mcp.json',
    `{\n  "mcpServers": {\n    "one": ${server()},\n    "two": ` +
    `${server()}\n  }\n}\n`);

  assert.equal(run(home, 'adopt', 'cursor', '--yes').status, 0);
  fs.writeFileSync(place, fs.readFileSync(place, 'utf8').replace('{\n',
    '{\n  "later": 1,\n').replace('    "caisson"',
    `    "new": ${server()},\n    "caisson"`));
  /* A second one takes what is new, too. */
  assert.equal(run(home, 'adopt', 'cursor', '--yes').status, 0);
  assert.deepEqual(Object.keys(own(home, 'cursor')).sort(),
    ['new', 'one', 'two']);
  fs.writeFileSync(place, fs.readFileSync(place, 'utf8')
    .replace('"later": 1', '"later": 2'));
  const done = run(home, 'adopt', 'cursor', '--undo', '--yes');
  assert.equal(done.status, 0, done.all);
  const now = JSON.parse(fs.readFileSync(place, 'utf8'));
  assert.equal(now.later, 2);
  assert.deepEqual(Object.keys(now.mcpServers).sort(), ['new', 'one', 'two']);
  assert.deepEqual(now.mcpServers.one, JSON.parse(server()));
  assert.ok(!fs.existsSync(
    path.join(home, '.config/caisson/servers/cursor.json')));
});

/* Kills a run after so many milliseconds, unless it ends before. */
function killed(home, ms, ...words) {
  const [command, ...rest] = commandLine({ args: words, home });

  return new Promise((resolve) => {
    const child = spawn(command, rest, { cwd: home, stdio: 'ignore' });
    const timer = setTimeout(() => child.kill('SIGKILL'), ms);

    child.on('exit', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

test('killed at any moment, it leaves a whole file and can be completed',
  { ...once, timeout: 300_000 }, async (t) => {
    const [place, before, after] = clients.zed;
    const home = folder(t);
    const at = write(home, place, before);
    const now = () => fs.readFileSync(at, 'utf8');

    for (let ms = 2; ms < 60; ms += rounds(15, 2)) {
      await killed(home, ms, 'adopt', 'zed', '--yes');
      assert.ok([before, after].includes(now()));
      if (now() === after)
        assert.deepEqual(Object.keys(own(home, 'zed')), ['one']);
      assert.equal(run(home, 'adopt', 'zed', '--yes').status, 0);
      assert.equal(now(), after);
      assert.deepEqual(fs.readdirSync(path.dirname(at)), ['settings.json']);
      await killed(home, ms, 'adopt', 'zed', '--undo', '--yes');
      assert.ok([before, after].includes(now()));
      assert.equal(run(home, 'adopt', 'zed', '--undo', '--yes').status, 0);
      assert.equal(now(), before);
      assert.ok(!fs.existsSync(
        path.join(home, '.config/caisson/servers/zed.json')));
      fs.rmSync(path.join(home, '.config/caisson'), { recursive: true });
    }
  });

/* Runs on a terminal: at the question, does this to the file and answers. */
const terminal = `
import os, pty, sys
path, added, answer, command = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
said = b""
while True:
    try:
        more = os.read(fd, 65536)
    except OSError:
        break
    if not more:
        break
    asked = b"[y/N]" in said
    said += more
    if not asked and b"[y/N]" in said:
        with open(path, "a", encoding="utf-8") as file:
            file.write(added)
        os.write(fd, answer.encode() + b"\\n")
sys.stdout.write(said.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

function onTerminal(home, place, added, answer) {
  return spawnSync('/usr/bin/python3', ['-c', terminal, place, added, answer,
    ...commandLine({ args: ['adopt', 'cursor'], home })],
  { cwd: home, encoding: 'utf8', timeout: 300_000 });
}

test('on a terminal it asks, and a file that changed is left alone', once,
  (t) => {
    const home = folder(t);
    const before = `{"mcpServers": {"one": ${server()}}}`;
    const place = write(home, '.cursor/mcp.json', before);
    let done = onTerminal(home, place, '', 'n');

    assert.equal(done.status, 0, done.stdout);
    assert.match(done.stdout, /Nothing was changed\./);
    assert.equal(fs.readFileSync(place, 'utf8'), before);
    done = onTerminal(home, place, '\n', 'y');
    assert.equal(done.status, 1, done.stdout);
    assert.match(done.stdout, /was changed meanwhile: close /);
    assert.equal(fs.readFileSync(place, 'utf8'), `${before}\n`);
    assert.deepEqual(fs.readdirSync(path.dirname(place)), ['mcp.json']);
    done = onTerminal(home, place, '', 'y');
    assert.equal(done.status, 0, done.stdout);
    assert.equal(fs.readFileSync(place, 'utf8'),
      `{"mcpServers": {${ours}}}\n`);
    assert.equal(run(home, 'adopt', 'cursor', '--undo', '--yes').status, 0);
    assert.equal(fs.readFileSync(place, 'utf8'), `${before}\n`);
  });

test('tools that destroy are denied where that is asked for', once, (t) => {
  const home = folder(t);
  const others = { resources: { allow: [], deny: ['a b', '*'] },
    prompts: { deny: ['p'] }, concurrency: 3 };
  const entry = (name, ...more) => `"${name}": ${server({
    args: [tools, '0', '6', '/dev/null', ...more], disabledTools: ['x'],
    ...others })}`;
  const fails = '"fails": {"command": "/usr/bin/false"}';
  const place = write(home, '.cursor/mcp.json', `{"mcpServers": {${[
    entry('some', 'destroys=1'), entry('none'), fails].join()}}}`);
  const was = fs.readFileSync(place, 'utf8');
  let done = run(home, 'adopt', 'cursor', '--yes', '--deny-destructive');

  assert.equal(done.status, 1, done.all);
  assert.match(done.stderr, /^caisson: nothing was moved: .*--keep\n$/);
  assert.equal(fs.readFileSync(place, 'utf8'), was);
  assert.ok(!fs.existsSync(path.join(home, '.config/caisson')));
  done = run(home, 'adopt', 'cursor', '--yes', '--deny-destructive', '--keep',
    'fails');
  assert.equal(done.status, 0, done.all);
  assert.match(done.stdout, /^denied +some: delete_invoice$/m);
  assert.deepEqual(own(home, 'cursor').some.tools.deny,
    ['x', 'delete_invoice']);
  assert.deepEqual(own(home, 'cursor').none.tools.deny, ['x']);
  const { resources, prompts, concurrency } = own(home, 'cursor').none;
  assert.deepEqual({ resources, prompts, concurrency }, others);
  assert.deepEqual(Object.keys(
    JSON.parse(fs.readFileSync(place, 'utf8')).mcpServers),
  ['caisson', 'fails']);
});

test('what cannot be done is said in one sentence', once, (t) => {
  const home = folder(t);
  const say = (status, pattern, ...args) => {
    const done = run(home, 'adopt', ...args);

    assert.equal(done.status, status, done.all);
    assert.match(done.stderr, pattern);
    assert.equal(done.stderr.trim().split('\n').length, 1, done.stderr);
  };

  write(home, '.gemini/settings.json', '{"mcpServers":{"a":');
  write(home, '.cursor/mcp.json', '{"mcpServers":{"caisson":' +
    '{"command":"sh"}}}');
  write(home, '.kiro/settings/mcp.json', '{"mcpServers":null}');
  write(home, '.config/zed/settings.json', '{}', 0o666);
  say(2, /lacks its CLIENT/);
  say(2, /did you mean cursor\?/, 'curser', '--yes');
  /* That it has no consent is the smaller mistake. */
  say(2, /did you mean cursor\?/, 'curser');
  say(2, /--keep lacks its NAME/, 'cursor', '--keep');
  say(2, /--dryrun is not an option/, 'cursor', '--dryrun');
  say(2, /is YAML.*by hand/, 'goose', '--yes');
  say(1, /Windsurf has no file of servers yet/, 'windsurf', '--yes');
  say(1, /settings\.json:1:20: /, 'gemini-cli', '--yes');
  say(1, /"caisson" is the name of another entry/, 'cursor', '--yes');
  say(1, /its list of servers is not an object/, 'kiro', '--yes');
  say(1, /zed\/settings\.json: can be written/, 'zed', '--yes');
  write(home, '.gemini/settings.json', '{}');
  say(1, /--keep x: .* has no such server/, 'gemini-cli', '--yes', '--keep',
    'x');
  fs.linkSync(path.join(home, '.gemini/settings.json'), path.join(home, 'l'));
  say(1, /hard links/, 'gemini-cli', '--yes');
});
