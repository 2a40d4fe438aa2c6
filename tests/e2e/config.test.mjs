/*
 * caisson --print-config in prepared homes: what of which file is taken, in
 * which order, and what is said of the rest; no secret is ever shown, nothing
 * is left running.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import {
  binary, commandLine, folder, ran, uid, usually,
} from './support/program.mjs';

usually();

/* A home with these files: { 'MCPs/a.json': text or object }. */
function homeWith(t, files) {
  const home = folder(t);

  for (const [name, content] of Object.entries(files)) {
    const place = path.join(home, name);

    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, typeof content === 'string' ? content :
      JSON.stringify(content));
  }
  return home;
}

const servers = (entries) => ({ mcpServers: entries });

/* Runs the program in that home, which is the folder it works in too. */
function print(home, { env = {}, args = [] } = {}) {
  const done = ran(
    { args: ['--print-config', ...args], env, home }, { cwd: home });

  assert.equal(done.error, undefined);
  assert.equal(done.status, 0, done.stderr);
  return done;
}

/* The lines, with the home as ~, without the list of what is not there. */
const lines = (home, options) =>
  print(home, options).stdout.replaceAll(home, '~')
    .replace(/\nNot found, of other programs:\n(  .*\n)+/, '').split('\n');

/* What is said of each server, by name. */
function listed(home, options) {
  const [, text] = print(home, options).stdout.replaceAll(home, '~')
    .split('\nServers:\n');

  return Object.fromEntries((text ?? '').split('\n\n')
    .map((part) => part.trim().split('\n'))
    .map(([name, ...rest]) => [name, rest.map((line) => line.trim())])
    .filter(([name]) => name !== ''));
}

test('a server is shown without its secrets', (t) => {
  const home = homeWith(t, { 'MCPs/a.json': servers({ files: {
    command: 'sh', args: ['-c', 'argument-secret'],
    env: { TOKEN: 'value-secret', OTHER: '${FROM_OUTSIDE}' },
    cwd: '/tmp', description: 'Files' } }) });
  const { stdout, stderr } = print(home,
    { env: { FROM_OUTSIDE: 'outside-secret' } });

  assert.doesNotMatch(stdout + stderr, /secret/);
  assert.deepEqual(
    listed(home, { env: { FROM_OUTSIDE: 'outside-secret' } }), {
      files: [
        'source       ~/MCPs/a.json:1:16',
        'command      sh, 2 arguments',
        'program      /usr/bin/sh',
        'variables    TOKEN, OTHER',
        'cwd          /tmp',
        'description  Files',
      ] });
});

test('the first definition of a name wins, in the order of the sources',
  (t) => {
    const home = homeWith(t, {
      'first.json': servers({ a: { command: 'first' } }),
      'MCPs/2.json': servers({ b: { command: 'third' } }),
      'MCPs/1.json': servers({ a: { command: 'second' },
        b: { command: 'second' } }),
      '.config/mcp/servers/x.json': servers({ b: { command: 'fourth' },
        c: { command: 'fourth' } }),
      'mcp-servers/x.json': servers({ c: { command: 'fifth' },
        d: { command: 'fifth' } }),
    });
    const env = { CAISSON_SERVERS_CONFIG: path.join(home, 'first.json') };
    const commands = (more) => Object.fromEntries(
      Object.entries(listed(home, { env: { ...env, ...more } }))
        .map(([name, [, command]]) => [name, command.split(/ +|,/)[1]]));

    assert.deepEqual(commands({}),
      { a: 'first', b: 'second', c: 'fourth' });
    assert.deepEqual(commands({ CAISSON_TRUST_PROJECT_FILES: 'on' }),
      { a: 'first', b: 'second', c: 'fourth', d: 'fifth' });
    assert.ok(lines(home, { env }).includes('         ~/MCPs/1.json:1:16: ' +
      '"a" skipped: the first definition of a name wins, and that is in ' +
      '~/first.json:1:16'));
    assert.ok(lines(home, { env }).some((line) =>
      /mcp-servers\/x\.json:1:\d+: "d" skipped: .*TRUST_PROJECT/.test(line)));
  });

test('what is wrong is told by line and column, the rest still loads', async (t) => {
  const home = homeWith(t, {
    'MCPs/a.json': '// mine\n{\n  "mcpServers": {\n' +
      '    "good": { "command": "sh", },\n' +
      '    "bad": { "command": "sh", "args": "x" },\n' +
      '    "unset": { "command": "sh", "args": ["${NOT_THERE}"] },\n' +
      '    "web": { "url": "ftp://example.com/" }, /* later */\n' +
      '  },\n}\n',
    'MCPs/b.json': '{\n  "mcpServers": {\n    "x" 5\n',
    'MCPs/c.json': 'x'.repeat(70_000_000),
    'MCPs/d.json': servers({ last: { command: 'sh' } }),
  });
  const said = lines(home).filter((line) => line.includes('~/MCPs/'));

  assert.deepEqual(said.slice(0, 8), [
    'taken    ~/MCPs/a.json: 1 server',
    '         ~/MCPs/a.json:5:39: "bad" rejected: "args" must be an array ' +
      'of strings',
    '         ~/MCPs/a.json:6:5: "unset" rejected: its args: uses ' +
      '${NOT_THERE}, which is not set: set it, or write ' +
      '${NOT_THERE:-default}',
    '         ~/MCPs/a.json:7:5: "web" rejected: its url must begin with ' +
      'https:// or http:// and a host, without spaces or control characters',
    'refused  ~/MCPs/b.json: is not a configuration of servers',
    '         ~/MCPs/b.json:3:9: \'5\' where a colon should be',
    'refused  ~/MCPs/c.json: is larger than 67108864 bytes, the limit ' +
      'for a file of servers',
    'taken    ~/MCPs/d.json: 1 server',
  ]);
  assert.deepEqual(Object.keys(listed(home)), ['good', 'last']);
});

test('files that are none are not opened', (t) => {
  const home = homeWith(t, {
    'MCPs/a.json': servers({ a: { command: 'sh' } }) });
  const fifo = path.join(home, 'MCPs/fifo.json');

  assert.equal(spawnSync('mkfifo', [fifo]).status, 0);
  fs.symlinkSync('/dev/zero', path.join(home, 'MCPs/device.json'));
  fs.symlinkSync('nowhere', path.join(home, 'MCPs/dangling.json'));
  fs.mkdirSync(path.join(home, 'MCPs/folder.json'));
  const said = lines(home);

  for (const name of ['fifo', 'device', 'folder'])
    assert.ok(said.includes(
      `refused  ~/MCPs/${name}.json: is not a regular file`));
  assert.ok(said.includes('refused  ~/MCPs/dangling.json: cannot be opened: ' +
    'No such file or directory'));
  assert.deepEqual(Object.keys(listed(home)), ['a']);
});

test('a file that may not be read is refused', (t) => {
  if (uid === 0) {
    t.skip('root may read anything');
    return;
  }
  const home = homeWith(t, {
    'MCPs/a.json': servers({ a: { command: 'sh' } }) });

  fs.chmodSync(path.join(home, 'MCPs/a.json'), 0);
  if (process.getuid() === 0)
    fs.chownSync(path.join(home, 'MCPs/a.json'), 0, 0);
  assert.ok(lines(home).includes(
    'refused  ~/MCPs/a.json: cannot be opened: Permission denied'));
});

/* What each client has written into its file in this home. */
const example = { command: 'sh', args: ['-c', 'argument-secret'],
  env: { TOKEN: 'value-secret' } };
const toml = '[mcp_servers.NAME]\ncommand = "sh"\n' +
  'args = ["-c", "argument-secret"]\nenv = { TOKEN = "value-secret" }\n';
const clients = {
  '.claude.json': servers({ NAME: { type: 'stdio', ...example } }),
  '.config/Claude/claude_desktop_config.json': servers({ NAME: example }),
  'Library/Application Support/Claude/claude_desktop_config.json':
    servers({ NAME: example }),
  '.cursor/mcp.json': servers({ NAME: example }),
  '.config/Code/User/mcp.json': { inputs: [],
    servers: { NAME: { type: 'stdio', ...example } } },
  'Library/Application Support/Code/User/mcp.json':
    '// mine\n{ "servers": { "NAME": ' + JSON.stringify(example) + ', }, }',
  '.copilot/mcp-config.json': servers({ NAME: { type: 'local', tools: ['*'],
    ...example } }),
  '.codex/config.toml': 'model = "x" # and more\n' + toml,
  '.gemini/settings.json': { theme: 'x', ...servers({ NAME: example }) },
  '.codeium/windsurf/mcp_config.json': servers({ NAME: example }),
  ['.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/' +
    'cline_mcp_settings.json']: servers({ NAME: { disabled: false,
    autoApprove: [], ...example } }),
  '.config/zed/settings.json': '{ // settings\n"context_servers": {"NAME": ' +
    JSON.stringify({ source: 'custom', ...example }) + '},\n}',
  '.config/opencode/opencode.json': { $schema: 'x', mcp: { NAME: {
    type: 'local', command: ['sh', '-c', 'argument-secret'],
    environment: example.env } } },
  '.config/goose/config.yaml': 'extensions:\n  NAME:\n    type: stdio\n' +
    '    cmd: sh\n    args: ["-c", argument-secret]\n' +
    '    envs:\n      TOKEN: value-secret\n    enabled: true\n',
  '.continue/config.yaml': 'mcpServers:\n  - name: NAME\n    command: sh\n' +
    '    args:\n      - "-c"\n      - argument-secret\n' +
    '    env: {TOKEN: value-secret}\n',
  '.lmstudio/mcp.json': servers({ NAME: example }),
  '.kiro/settings/mcp.json': servers({ NAME: example }),
  '.config/crush/crush.json': { mcp: { NAME: { type: 'stdio', ...example } } },
  '.mcp-inspector/mcp.json': servers({ NAME: example }),
  '.config/mcp/mcp.json': servers({ NAME: example }),
};

const named = (content, name) =>
  (typeof content === 'string' ? content : JSON.stringify(content))
    .replace('NAME', name);

test('the file of every client is read', (t) => {
  const names = Object.keys(clients);
  const home = homeWith(t, Object.fromEntries(Object.entries(clients)
    .map(([file, content], i) => [file, named(content, `s${i}`)])));
  const found = listed(home);

  assert.deepEqual(Object.keys(found).toSorted(),
    names.map((name, i) => `s${i}`).toSorted());
  for (const [i, name] of names.entries()) {
    const [source, command, program, variables] = found[`s${i}`];

    assert.ok(source.startsWith(`source       ~/${name}:`), source);
    assert.deepEqual([command, program, variables], [
      'command      sh, 2 arguments', 'program      /usr/bin/sh',
      'variables    TOKEN'], name);
  }
  assert.doesNotMatch(print(home).stdout, /secret/);
});

/* The working directory: any files that a repository may contain. */
const projects = ['.mcp.json', '.cursor/mcp.json', '.vscode/mcp.json',
  '.github/mcp.json', '.codex/config.toml', '.gemini/settings.json',
  'opencode.json', 'opencode.jsonc', '.opencode/opencode.json',
  '.kiro/settings/mcp.json', 'mcp-servers/a.json'];

function printIn(home, work, env = {}) {
  const done = ran(
    { args: ['--print-config'], env, home }, { cwd: path.join(home, work) });

  assert.equal(done.status, 0, done.stderr);
  return done.stdout.replaceAll(home, '~');
}

test('servers of a project need consent', (t) => {
  const home = homeWith(t, Object.fromEntries(projects.map((file, i) =>
    [`work/${file}`, file.endsWith('.toml') ? named(toml, `p${i}`) :
      file.startsWith('.opencode') || file.startsWith('opencode') ?
        { mcp: { [`p${i}`]: { command: ['sh'] } } } :
        servers({ [`p${i}`]: { command: 'sh' } })])));
  const before = printIn(home, 'work');
  const after = printIn(home, 'work',
    { CAISSON_TRUST_PROJECT_FILES: 'on' });

  assert.match(before, /\nNo servers\.\n/);
  for (const [i, file] of projects.entries()) {
    assert.ok(before.split('\n').some((line) =>
      line.startsWith(`         ~/work/${file}:`) &&
      line.endsWith(`"p${i}" skipped: files of the working directory are ` +
        'not trusted (CAISSON_TRUST_PROJECT_FILES=on trusts them)')), file);
    assert.ok(after.includes(`\np${i}\n    source       ~/work/${file}:`),
      file);
  }
});

test('a project cannot have another file read in the place of its own',
  (t) => {
    const home = homeWith(t, { 'private.json': servers({ a: example }),
      'work/x': '', 'shared/.mcp.json': servers({ b: { command: 'sh' } }) });

    fs.symlinkSync('../private.json', path.join(home, 'work/.mcp.json'));
    fs.symlinkSync('../../etc', path.join(home, 'work/.vscode'));
    fs.symlinkSync('/', path.join(home, 'work/mcp-servers'));
    fs.chmodSync(path.join(home, 'shared/.mcp.json'), 0o666);
    const work = printIn(home, 'work',
      { CAISSON_TRUST_PROJECT_FILES: 'on' });
    const shared = printIn(home, 'shared',
      { CAISSON_TRUST_PROJECT_FILES: 'on' });

    assert.match(work, /~\/work\/\.mcp\.json \(Claude Code\): is a link that/);
    assert.match(work, /~\/work\/mcp-servers: is a link that leads out/);
    assert.match(work, /\nNo servers\.\n/);
    assert.match(shared, /~\/shared\/\.mcp\.json \(.*\): can be written by every/);
    assert.match(shared, /\nNo servers\.\n/);
  });

test('a project with very many entries displaces no other', (t) => {
  const files = { '.cursor/mcp.json': servers({ mine: { command: 'sh' } }) };

  for (let i = 0; i < 4; i++)
    files[`work/mcp-servers/${i}.json`] = servers(Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [`x${i}-${n}`, example])));
  const printed = printIn(homeWith(t, files), 'work');

  assert.match(printed, /\nmine\n    source       ~\/\.cursor/);
  assert.match(printed, /refused  ~\/work\/mcp-servers\/2\.json: the files of/);
});

test('Claude Code: what it has for this folder comes first', (t) => {
  const home = homeWith(t, { 'work/x': '' });

  fs.writeFileSync(path.join(home, '.claude.json'), JSON.stringify({
    numStartups: 7,
    ...servers({ both: { command: 'global' }, off: { command: 'sh' } }),
    projects: {
      [path.join(home, 'other')]: servers({ other: { command: 'sh' } }),
      [path.join(home, 'work')]: { allowedTools: [],
        disabledMcpServers: ['off'],
        ...servers({ both: { command: 'local' }, here: { command: 'sh' } }) },
    } }, null, 2));
  const printed = printIn(home, 'work');

  assert.match(printed, /\nboth\n.*\n    command      local,/);
  assert.match(printed, /\nhere\n/);
  assert.doesNotMatch(printed, /\nother\n|\noff\n/);
  assert.match(printed, /"off" skipped: it is disabled in its file/);
  assert.match(printed, /"both" skipped: the first definition of a name wins/);
});

test('what only a client can fill in is skipped, with the reason', (t) => {
  const home = homeWith(t, { '.config/Code/User/mcp.json': { servers: {
    asks: { command: 'sh', env: { KEY: '${input:key}' } },
    web: { type: 'http', url: 'https://far.example/a?key=secret',
      headers: { Authorization: 'header-secret' } },
    here: { command: '${workspaceFolder}/run', args: ['${userHome}'] } } } });
  const said = lines(home);

  assert.ok(said.some((line) => /"asks" skipped: its env: uses \$\{input:key\}/
    .test(line)));
  assert.deepEqual(Object.keys(listed(home)), ['web', 'here']);
  assert.ok(said.includes('    url          https://far.example/a?***'));
  assert.ok(said.includes('    headers      Authorization'));
  assert.doesNotMatch(said.join('\n'), /secret/);
});

/* What --print-client-config is called with, and where its lines belong. */
const registered = {
  'claude-desktop': '.config/Claude/claude_desktop_config.json',
  cursor: '.cursor/mcp.json',
  vscode: '.config/Code/User/mcp.json',
  'copilot-cli': '.copilot/mcp-config.json',
  codex: '.codex/config.toml',
  'gemini-cli': '.gemini/settings.json',
  'qwen-code': '.qwen/settings.json',
  windsurf: '.codeium/windsurf/mcp_config.json',
  zed: '.config/zed/settings.json',
  opencode: '.config/opencode/opencode.json',
  goose: '.config/goose/config.yaml',
  continue: '.continue/config.yaml',
  'lm-studio': '.lmstudio/mcp.json',
  kiro: '.kiro/settings/mcp.json',
  crush: '.config/crush/crush.json',
  'mcp-inspector': '.mcp-inspector/mcp.json',
};

function clientConfig(t, name = [], { invoked = binary, ...more } = {}) {
  const [command, ...rest] = commandLine(
    { args: ['--print-client-config', ...name], home: folder(t), ...more })
    .map((word) => word === binary ? invoked : word);

  return spawnSync(command, rest, { input: '', encoding: 'utf8', ...more });
}

test('the lines that register this program are what its reader finds', (t) => {
  for (const [name, file] of Object.entries(registered)) {
    const { stdout, stderr, status } = clientConfig(t, [name]);

    assert.equal(status, 0, stderr);
    assert.ok(stdout.includes(JSON.stringify(binary)), stdout);
    assert.ok(stderr.includes(path.basename(file)), stderr);
    assert.ok(lines(homeWith(t, { [file]: stdout })).some((line) =>
      line.startsWith(`         ~/${file}:`) &&
      line.includes('"caisson" skipped: it would start this program')), name);
  }
});

test('a program that was asked for by a link is registered by it', (t) => {
  const place = folder(t);
  const link = path.join(place, 'caisson');

  fs.symlinkSync(binary, link);
  for (const more of [{ invoked: link }, { invoked: './caisson', cwd: place },
    { invoked: 'caisson', env: { PATH: `/usr/bin:${place}:/bin` } }]) {
    const { stdout, stderr } = clientConfig(t, ['cursor'], more);

    assert.ok(stdout.includes(JSON.stringify(link)), stdout + stderr);
  }
});

test('an unknown client is told of those that are known', (t) => {
  const all = clientConfig(t);

  assert.deepEqual([all.stderr, all.status], ['', 0]);
  assert.deepEqual(all.stdout.trimEnd().split('\n').toSorted(),
    [...Object.keys(registered), 'claude-code', 'cline'].toSorted());
  const { stdout, stderr, status } = clientConfig(t, ['claude-destkop']);

  assert.deepEqual([stdout, status], ['', 2]);
  const known = stderr.match(/There are (\S+, .*) and (\S+)\n/);

  assert.deepEqual([...known[1].split(', '), known[2]].toSorted(),
    [...Object.keys(registered), 'claude-code', 'cline'].toSorted());
  assert.match(stderr, /did you mean claude-desktop\?/);
});

test('entries that would start this program are skipped', (t) => {
  const home = homeWith(t, { 'MCPs/a.json': servers({
    named: { command: 'caisson' },
    whole: { command: binary },
    linked: { command: './link', cwd: '${HOME}' },
    found: { command: 'link', env: { PATH: '${HOME}' } },
    wrapped: { command: 'env', args: ['A=b', binary] },
    shell: { command: 'sh', args: ['-c', 'exec caisson --log-level debug'] },
    package: { command: 'npx', args: ['-y', 'caisson@latest'] },
    other: { command: 'sh' },
  }) });

  fs.symlinkSync(binary, path.join(home, 'link'));
  assert.deepEqual(Object.keys(listed(home)), ['other']);
  for (const name of ['named', 'whole', 'linked', 'found', 'wrapped', 'shell',
    'package'])
    assert.ok(lines(home).some((line) => line.includes(
      `"${name}" skipped: it would start this program itself`)), name);
  assert.deepEqual(
    Object.keys(listed(home, { env: { CAISSON_ALLOW_SELF_SERVER: '1' } })),
    ['named', 'whole', 'linked', 'found', 'wrapped', 'shell', 'package',
      'other']);
});

test('hostile files cost only themselves', (t) => {
  const home = homeWith(t, {
    '.claude.json': '{"mcpServers":' + '['.repeat(1_000_000),
    '.codex/config.toml': 'a = ' + '['.repeat(100_000),
    '.config/goose/config.yaml': 'a: &a [x]\nextensions: *a\n',
    '.continue/config.yaml': '['.repeat(100_000),
    '.cursor/mcp.json': '\ufeff{"mcpServers":{"a":{"command":"sh"},' +
      '"a":{"command":"sh"}}}\r\n',
    '.kiro/settings/mcp.json': Buffer.from('{"\xff":1}', 'latin1')
      .toString('latin1'),
    '.lmstudio/mcp.json': '{"mcpServers":{"b":{"command":"' +
      'x'.repeat(3_000_000) + '"}}}',
    '.mcp-inspector/mcp.json': servers({ last: { command: 'sh' } }),
  });
  const said = lines(home).filter((line) => line.startsWith(' '));

  assert.deepEqual(Object.keys(listed(home)), ['a', 'last']);
  for (const part of [/\.claude\.json:1:\d+: .*deep/,
    /config\.toml:1:\d+: .*nested at most 64 deep/,
    /goose\/config\.yaml:1:4: anchors/, /\.continue\/config\.yaml:1:\d+: nested/,
    /\.cursor\/mcp\.json:1:\d+: "a" skipped: the first definition/,
    /\.lmstudio\/mcp\.json:1:\d+: "b" rejected: "command" has 3000000 bytes/])
    assert.ok(said.some((line) => part.test(line)), String(part));
});

test('foreign text cannot play with the terminal', (t) => {
  const home = homeWith(t, { 'MCPs/\x1b[2J.json': servers({
    a: { command: '\x1b]0;x\x07', description: 'two\nlines \x9b' },
    b: { command: 'sh', env: { '=\x1b': 'x' } },
    'c\x1b': { command: 'sh' },
  }) });
  const { stdout } = print(home);

  assert.match(stdout, /^[\n\x20-\x7e]*$/);
  assert.match(stdout, /description  two\\x0alines/);
});
