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
import { binary, commandLine, folder, uid } from './support/program.mjs';

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
  const [command, ...rest] = commandLine(
    { args: ['--print-config', ...args], env, home });
  const done = spawnSync(command, rest,
    { cwd: home, input: '', encoding: 'utf8', timeout: 60_000 });

  assert.equal(done.error, undefined);
  assert.equal(done.status, 0, done.stderr);
  return done;
}

/* The lines, with the home as ~. */
const lines = (home, options) =>
  print(home, options).stdout.replaceAll(home, '~').split('\n');

/* What is said of each server, by name. */
function listed(home, options) {
  const [, text] = print(home, options).stdout.replaceAll(home, '~')
    .split('\nServers:\n');

  return Object.fromEntries((text ?? '').split('\n\n')
    .map((part) => part.trim().split('\n'))
    .map(([name, ...rest]) => [name, rest.map((line) => line.trim())])
    .filter(([name]) => name !== ''));
}

test('without any file there is no server, and every source is named', (t) => {
  assert.deepEqual(lines(homeWith(t, {})), [
    'Sources, in their order; the first definition of a name wins:',
    '',
    'missing  MCP_SERVERS_CONFIG: is not set',
    'missing  ~/MCPs: there is no such folder',
    'missing  ~/.config/mcp/servers: there is no such folder',
    'missing  ~/mcp-servers: there is no such folder',
    '',
    'No servers.',
    '',
  ]);
});

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
    const env = { MCP_SERVERS_CONFIG: path.join(home, 'first.json') };
    const commands = (more) => Object.fromEntries(
      Object.entries(listed(home, { env: { ...env, ...more } }))
        .map(([name, [, command]]) => [name, command.split(/ +|,/)[1]]));

    assert.deepEqual(commands({}),
      { a: 'first', b: 'second', c: 'fourth' });
    assert.deepEqual(commands({ MCP_BRIDGE_TRUST_PROJECT_FILES: 'on' }),
      { a: 'first', b: 'second', c: 'fourth', d: 'fifth' });
    assert.ok(lines(home, { env }).includes('         ~/MCPs/1.json:1:16: ' +
      '"a" skipped: the first definition of a name wins, and that is in ' +
      '~/first.json:1:16'));
    assert.ok(lines(home, { env }).some((line) =>
      /mcp-servers\/x\.json:1:\d+: "d" skipped: .*TRUST_PROJECT/.test(line)));
  });

test('what is wrong is told by line and column, the rest still loads', (t) => {
  const home = homeWith(t, {
    'MCPs/a.json': '// mine\n{\n  "mcpServers": {\n' +
      '    "good": { "command": "sh", },\n' +
      '    "bad": { "command": "sh", "args": "x" },\n' +
      '    "unset": { "command": "sh", "args": ["${NOT_THERE}"] },\n' +
      '    "web": { "url": "https://example.com/" }, /* later */\n' +
      '  },\n}\n',
    'MCPs/b.json': '{\n  "mcpServers": {\n    "x" 5\n',
    'MCPs/c.json': 'x'.repeat(2_000_000),
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
    '         ~/MCPs/a.json:7:5: "web" skipped: servers that are reached ' +
      'by a URL are not supported by this version',
    'refused  ~/MCPs/b.json: is not a configuration of servers',
    '         ~/MCPs/b.json:3:9: \'5\' where a colon should be',
    'refused  ~/MCPs/c.json: is larger than 1048576 bytes, which no ' +
      'configuration of servers is',
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

test('entries that would start this program are skipped', (t) => {
  const home = homeWith(t, { 'MCPs/a.json': servers({
    named: { command: 'caisson' },
    whole: { command: binary },
    linked: { command: './link', cwd: '${HOME}' },
    found: { command: 'link', env: { PATH: '${HOME}' } },
    other: { command: 'sh' },
  }) });

  fs.symlinkSync(binary, path.join(home, 'link'));
  assert.deepEqual(Object.keys(listed(home)), ['other']);
  for (const name of ['named', 'whole', 'linked', 'found'])
    assert.ok(lines(home).some((line) => line.includes(
      `"${name}" skipped: it would start this program itself`)), name);
  assert.deepEqual(
    Object.keys(listed(home, { env: { MCP_BRIDGE_ALLOW_SELF_SERVER: '1' } })),
    ['named', 'whole', 'linked', 'found', 'other']);
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

test('many files and servers', (t) => {
  const files = {};

  for (let i = 100; i < 200; i++)
    files[`MCPs/${i}.json`] = servers(Object.fromEntries(
      Array.from({ length: 9 }, (_, n) =>
        [`s${i}-${n}`, { command: 'sh', args: ['x'.repeat(2000)] }])));
  assert.equal(Object.keys(listed(homeWith(t, files))).length, 900);
});

test('calls do not depend on it', (t) => {
  const home = homeWith(t, { 'MCPs/a.json': '{' });
  const [command, ...rest] = commandLine({ home });
  const done = spawnSync(command, rest, { cwd: home, encoding: 'utf8',
    input: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' });

  assert.equal(done.status, 0);
  assert.deepEqual(JSON.parse(done.stdout),
    { jsonrpc: '2.0', id: 1, result: {} });
});
