/*
 * caisson servers add, remove and import in prepared homes: entries come and go
 * as the user means them, the rest of each file stays byte for byte, no secret
 * is printed, and a run that is killed leaves the old file or the new one.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { write } from './support/home.mjs';
import { folder, once, ran } from './support/program.mjs';

const tools = fileURLToPath(new URL('support/tools.py', import.meta.url));
const starts = ['/usr/bin/python3', tools, '0', '3', '/dev/null'];
const secret = 'ghp_0123456789SECRET';

function run(home, words, { env = {}, input = '', cwd = home } = {}) {
  const done = ran({ args: words, home, env }, { cwd, input });

  assert.equal(done.error, undefined);
  assert.ok(!(done.stdout + done.stderr).includes('SECRET'),
    done.stdout + done.stderr);
  return done;
}

function servers(home, ...words) {
  const done = run(home, ['servers', ...words]);

  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

function refused(home, status, pattern, words, options) {
  const done = run(home, ['servers', ...words], options);

  assert.equal(done.status, status, done.stderr);
  assert.match(done.stderr, pattern);
  assert.equal(done.stderr.trim().split('\n').length, 1, done.stderr);
}

const place = (home, name = 'caisson') =>
  path.join(home, `.config/caisson/servers/${name}.json`);
const text = (home, name) => fs.readFileSync(place(home, name), 'utf8');
const list = (home, name) => JSON.parse(text(home, name)).mcpServers;

test('a server that was added works, and is gone when it is removed', once,
  (t) => {
    const home = folder(t);

    assert.match(servers(home, 'add', 'one', '--', ...starts), /^Added "one"/);
    assert.equal(fs.statSync(place(home)).mode & 0o777, 0o600);
    assert.deepEqual(list(home),
      { one: { command: starts[0], args: starts.slice(1) } });
    assert.match(servers(home, 'test'), /^ok +one: 4 tools$/m);

    const before = text(home);

    assert.match(servers(home, 'add', 'one', '--', ...starts),
      /^There is nothing to change/);
    assert.equal(text(home), before);
    refused(home, 1, /"one" is in .*caisson\.json already.*servers remove one/,
      ['add', 'one', '--', 'sh']);
    servers(home, 'add', 'two', '--', ...starts);
    assert.deepEqual(Object.keys(list(home)), ['one', 'two']);
    assert.match(servers(home, 'remove', 'one'), /^Removed "one" from /);
    servers(home, 'remove', 'two');
    refused(home, 0, /^caisson: server "no": its command is not found: /,
      ['add', 'no', '--', '/nope']);
    servers(home, 'remove', 'no');
    assert.deepEqual(list(home), {});
    assert.match(servers(home, 'list'), /No servers\./);
    refused(home, 1, /^caisson: server "one": there is no such server/, ['remove', 'one']);
  });

test('variables come from the command line, the environment or the input',
  once, (t) => {
    const home = folder(t);
    const words = ['servers', 'add', '--env', `A=${secret}=x`, 'one', '--env',
      'B', '--env=C', '--', 'sh', '--token', secret];
    const done = run(home, words,
      { env: { B: `${secret}b` }, input: `${secret}c\nmore\n` });

    assert.equal(done.status, 0, done.stderr);
    assert.match(done.stdout, /^B: its value is taken from the environment$/m);
    assert.match(done.stdout, /^C: its value is taken from standard input$/m);
    assert.match(done.stdout, /one": sh --token \*\*\* \(A=\*\*\*, B=/);
    assert.deepEqual(list(home).one, { command: 'sh',
      args: ['--token', secret],
      env: { A: `${secret}=x`, B: `${secret}b`, C: `${secret}c` } });
    refused(home, 2, /--env D: there is no such variable/,
      ['add', 'd', '--env', 'D', '--', 'sh']);
    /* What is copied would otherwise mean another variable one day. */
    refused(home, 2, /--env D: the value from the environment contains "\$\{"/,
      ['add', 'd', '--env', 'D', '--', 'sh'], { env: { D: 'a${HOME}' } });
    refused(home, 2, /--env D is given twice/,
      ['add', 'd', '--env', 'D=1', '--env', 'D=2', '--', 'sh']);
    refused(home, 2, /--env lacks a name/,
      ['add', 'd', '--env', '=1', '--', 'sh']);
  });

test('paths are meant from the folder that one works in', once, (t) => {
  const home = folder(t);

  write(home, 'bin/serve', '#!/bin/sh\n', 0o755);
  servers(home, 'add', 'one', '--', './bin/serve', './x');
  servers(home, 'add', 'two', '--cwd', 'bin', '--', './serve');
  assert.deepEqual(list(home), {
    one: { command: path.join(home, 'bin/serve'), args: ['./x'] },
    two: { command: './serve', cwd: path.join(home, 'bin') },
  });
  refused(home, 2, /--cwd .*\/none: there is no such directory/,
    ['add', 'three', '--cwd', 'none', '--', 'sh']);
});

test('the rest of the file stays as it means, or all of it', once, (t) => {
  const home = folder(t);
  const before = { more: [1.5], mcpServers: { one: { command: 'sh', x: 1 } } };
  const at = write(home, '.config/caisson/servers/caisson.json',
    JSON.stringify(before), 0o644);

  servers(home, 'add', 'two', '--', 'sh');
  assert.deepEqual(JSON.parse(text(home)), { more: [1.5],
    mcpServers: { ...before.mcpServers, two: { command: 'sh' } } });
  /* There may be secrets in it now. */
  assert.equal(fs.statSync(at).mode & 0o777, 0o600);
  servers(home, 'remove', 'two');
  assert.deepEqual(JSON.parse(text(home)), before);
  for (const [mine, pattern] of [
    ['{"mcpServers":', /caisson\.json cannot be changed: /],
    ['{"mcpServers": {}} // mine', /was edited, and has comments.*an editor/],
    ['{"servers": {}}', /was edited, .*an editor/],
  ]) {
    write(home, '.config/caisson/servers/caisson.json', mine);
    refused(home, 1, pattern, ['add', 'two', '--', 'sh']);
    assert.equal(text(home), mine);
  }
});

test('a name that another file defines is refused with its source', once,
  (t) => {
    const home = folder(t);

    write(home, '.cursor/mcp.json',
      '{"mcpServers":{"one":{"command":"/bin/false"}}}');
    write(home, 'MCPs/mine.json', '{"mcpServers":{"two":{"command":"sh"}}}');
    refused(home, 1, /"one" is defined in .*\/\.cursor\/mcp\.json \(Cursor\)/,
      ['add', 'one', '--', 'sh']);
    refused(home, 1, /"two" is defined in .*\/MCPs\/mine\.json: choose/,
      ['add', 'two', '--', 'sh']);
    refused(home, 1, /"one" is in .*mcp\.json: remove it in Cursor/,
      ['remove', 'one']);
    refused(home, 1, /"two" is in .*mine\.json, which .* with an editor/,
      ['remove', 'two']);
    refused(home, 1, /^caisson: server "twoo": there is no such server: did you mean "two"\?/,
      ['remove', 'twoo']);
    refused(home, 2, /server "x+\.\.\." cannot be added: .*128/,
      ['add', 'x'.repeat(200), '--', 'sh']);
    refused(home, 2, /"" cannot be added: /, ['add', '', '--', 'sh']);
    assert.ok(!fs.existsSync(place(home)));
    assert.equal(run(home, ['adopt', 'cursor', '--yes']).status, 1);
    refused(home, 1, /"one" is in .*'caisson adopt cursor --undo' moves/,
      ['remove', 'one']);
  });

test('the servers of a client are copied, and its file stays as it is', once,
  (t) => {
    const home = folder(t);
    const before = `{"mcpServers":{"one":{"command":"sh","env":{"T":` +
      `"${secret}"}},"web":{"url":"https://x/${secret}"},"off":` +
      '{"command":"sh","disabled":true},"caisson":{"command":"sh"}}}';
    const at = write(home, '.cursor/mcp.json', before, 0o644);
    const shown = servers(home, 'import', 'Cursor', '--dry-run');

    assert.match(shown, /^\+ "one": sh \(T=\*\*\*\)$/m);
    assert.match(shown, /^\+ "web": https:\/\/x\/\*\*\*$/m);
    assert.match(shown, /^Not copied:\n {2}"off": it is disabled in its file$/m);
    assert.match(shown, /^ {2}"caisson": /m);
    assert.match(shown, /Nothing was changed\.\n$/);
    assert.ok(!fs.existsSync(place(home, 'cursor')));
    refused(home, 2, /: 'caisson servers import' changes nothing .*consent: add --yes/,
      ['import', 'cursor']);
    assert.match(servers(home, 'import', 'cursor', '--yes'),
      /^Copied 2 servers to .*servers\/cursor\.json\.$/m);
    assert.deepEqual(list(home, 'cursor'), {
      one: { command: 'sh', env: { T: secret } },
      web: { type: 'http', url: `https://x/${secret}` } });
    assert.equal(fs.statSync(place(home, 'cursor')).mode & 0o777, 0o600);
    assert.match(servers(home, 'import', 'cursor', '--yes'),
      /There is nothing to copy\.\n$/);
    assert.equal(fs.readFileSync(at, 'utf8'), before);
    assert.match(servers(home, 'remove', 'one'),
      /^"one" is now as .*\.cursor\/mcp\.json defines it\.$/m);
    assert.deepEqual(Object.keys(list(home, 'cursor')), ['web']);
    servers(home, 'import', 'cursor', '--yes');
    assert.deepEqual(Object.keys(list(home, 'cursor')), ['web', 'one']);

    /* What a user has written into our file is not lost. */
    const edited = text(home, 'cursor').replace('{', '{ // mine\n');

    write(home, '.config/caisson/servers/cursor.json', edited);
    write(home, '.cursor/mcp.json', before.replace('{"one"',
      '{"two":{"command":"sh"},"one"'), 0o644);
    refused(home, 1, /servers\/cursor\.json was edited, which would be lost/,
      ['import', 'cursor', '--yes']);
    assert.equal(text(home, 'cursor'), edited);
  });
