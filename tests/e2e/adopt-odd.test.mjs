/*
 * caisson adopt and --undo where files are odd: ends of lines, marks, modes;
 * files of ours that a user wrote or linked; what stands in the way. Nothing
 * that a user wrote is lost, and what cannot be done changes nothing.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { write } from './support/home.mjs';
import { commandLine, folder, once, root, uid } from './support/program.mjs';
const servers = '.config/caisson/servers/cursor.json';
const records = '.config/caisson/adopted/cursor';
const entry = { command: '/usr/bin/true', args: ['x'] };
const cursor = `{\n  "mcpServers": {"one": ${JSON.stringify(entry)}}\n}\n`;

function adopt(home, ...words) {
  const [command, ...rest] =
    commandLine({ args: ['adopt', ...words, '--yes'], home });
  const done = spawnSync(command, rest,
    { cwd: home, input: '', encoding: 'utf8', timeout: 300_000 });

  assert.equal(done.error, undefined);
  done.all = done.stdout + done.stderr;
  /* Our server is no server: that it fails is not what is looked at. */
  done.changed = /^Done: /m.test(done.stdout);
  return done;
}

/* The files below the record of the change that was made last. */
function record(home) {
  const at = path.join(home, records);
  const last = fs.readdirSync(at).sort().at(-1);

  return (name) => path.join(at, last, name);
}

const json = (list, value) =>
  `{\n\t// mine\n   "before": [1,\n2],\n  ${JSON.stringify(list)}: {\n\t    ` +
  `"one":${JSON.stringify(value)}, // it\n },\n      "behind": {}\n}\n`;
const forms = {
  'CRLF': (text) => text.replaceAll('\n', '\r\n'),
  'a mark in front': (text) => `\ufeff${text}`,
  'a mark, CRLF, and no end of the last line': (text) =>
    `\ufeff${text.trimEnd().replaceAll('\n', '\r\n')}`,
};

for (const [form, make] of Object.entries(forms))
  test(`${form} comes back byte for byte, with mode 0600`, once, (t) => {
    const home = folder(t);
    const at = write(home, '.cursor/mcp.json', make(json('mcpServers', entry)));
    const was = fs.readFileSync(at);
    let done = adopt(home, 'cursor');

    assert.ok(done.changed, done.all);
    const now = fs.readFileSync(at, 'utf8');

    assert.equal(now.startsWith('\ufeff'), form.startsWith('a mark'));
    assert.match(now, /caisson/);
    assert.doesNotMatch(now, /"one"/);
    assert.equal(/(^|[^\r])\n/.test(now), !form.includes('CRLF'), now);
    assert.equal(fs.statSync(at).mode & 0o7777, 0o600);
    done = adopt(home, 'cursor', '--undo');
    assert.equal(done.status, 0, done.all);
    assert.deepEqual(fs.readFileSync(at), was);
    assert.equal(fs.statSync(at).mode & 0o7777, 0o600);
  });

test('no field of an entry is shown, whether it moves or not', once, (t) => {
  const secret = 'ghp_0123456789abcdefSECRET';
  const one = (more) => ({ command: '/usr/bin/true', ...more });
  const home = folder(t);
  const place = write(home, '.cursor/mcp.json', JSON.stringify({ mcpServers: {
    args: one({ args: ['-k', secret, `--t=${secret}`, `u:${secret}@h`] }),
    env: one({ env: { K: secret, L: `\${NOT_SET:-${secret}}` } }),
    words: { command: 'env', args: [`T=${secret}`, 'true'] },
    line: { command: `/usr/bin/env T=${secret} true` },
    url: { url: `https://${secret}@x/${secret}`, headers: { A: secret } },
    path: { command: `/nowhere/${secret}` },
    type: one({ type: secret }), off: one({ disabled: secret }),
    text: secret, list: { command: [secret] }, string: one({ args: secret }),
    deep: one({ env: { A: { x: secret } } }), file: one({ envFile: secret }),
    tools: one({ tools: secret }), deny: one({ disabledTools: [secret] }),
    more: one({ timeout: secret, other: { x: secret } }),
    input: one({ args: ['${input:key}', secret] }),
    odd: one({ args: [`\${a b:-${secret}}`] }),
    open: one({ args: [`\${A:-${secret}`] }),
    twice: one({ env: [secret] }), cwd: one({ cwd: [secret] }),
  } }));
  const was = fs.readFileSync(place, 'utf8');
  const hidden = (...words) => {
    const done = adopt(home, 'cursor', '--log-level', 'debug', ...words);

    assert.ok(!done.all.includes(secret.slice(4)), done.all);
    return done;
  };

  hidden('--dry-run');
  hidden('--deny-destructive');
  assert.ok(hidden().changed);
  assert.equal(hidden('--undo').status, 0);
  assert.equal(fs.readFileSync(place, 'utf8'), was);
  for (const text of [was.slice(0, was.indexOf(secret) + 20),
    was.replace(`"${secret}"`, secret), `{"mcpServers": "${secret}"}`]) {
    fs.writeFileSync(place, text);
    assert.equal(hidden().status, 1);
  }
});

test('a file of ours that the user wrote stays as a copy', once, (t) => {
  const home = folder(t);
  const mine = '// mine\n{"mcpServers": {"z": {"command": "/usr/bin/true", ' +
    '"note": 1}}, "more": 5}\n';

  write(home, '.cursor/mcp.json', cursor);
  const own = write(home, servers, mine);

  assert.ok(adopt(home, 'cursor').changed);
  assert.equal(fs.readFileSync(record(home)('servers-before.json'), 'utf8'),
    mine);
  assert.deepEqual(
    Object.keys(JSON.parse(fs.readFileSync(own, 'utf8')).mcpServers),
    ['z', 'one']);
  assert.equal(adopt(home, 'cursor', '--undo').status, 0);
  assert.deepEqual(
    Object.keys(JSON.parse(fs.readFileSync(own, 'utf8')).mcpServers), ['z']);
});

test('a link to a file of ours is still one', once, (t) => {
  const home = folder(t);
  const linked = write(home, 'dotfiles/servers.json',
    '{"mcpServers": {"z": {"command": "/usr/bin/true"}}}');
  const own = write(home, servers, '');

  write(home, '.cursor/mcp.json', cursor);
  fs.unlinkSync(own);
  fs.symlinkSync(linked, own);
  for (const [words, names] of [[[], ['z', 'one']], [['--undo'], ['z']]]) {
    const done = adopt(home, 'cursor', ...words);

    assert.ok(done.changed, done.all);
    assert.ok(fs.lstatSync(own).isSymbolicLink());
    assert.deepEqual(Object.keys(
      JSON.parse(fs.readFileSync(linked, 'utf8')).mcpServers), names);
  }
});

test('what the user changed since stays as a copy when it is undone', once,
  (t) => {
    const home = folder(t);
    const place = write(home, '.cursor/mcp.json', cursor);
    const later = '{"mcpServers": {"caisson": {"command": "/mine"}}}';

    assert.ok(adopt(home, 'cursor').changed);
    fs.writeFileSync(place, later);
    const done = adopt(home, 'cursor', '--undo');

    assert.equal(done.status, 0, done.all);
    assert.deepEqual(JSON.parse(fs.readFileSync(place, 'utf8')),
      { mcpServers: { one: entry } });
    assert.equal(fs.readFileSync(record(home)('edited'), 'utf8'), later);
    assert.match(done.stdout, /adopted\/cursor\/[^\n]*edited/);
  });

/* Each: what is prepared, and what is said; nothing may have changed. */
const refused = {
  'a file that its owner may not write': [/mcp\.json may not be written by its/,
    (home) => fs.chmodSync(path.join(home, '.cursor/mcp.json'), 0o400)],
  'a folder of ours that is a file': [/caisson\/servers is not a folder/,
    (home) => write(home, '.config/caisson/servers', '')],
  'records that are a file': [/caisson\/adopted is not a folder/,
    (home) => write(home, '.config/caisson/adopted', '')],
  'a record that is not whole': [/20200101T000000Z-000 is .*: remove it/,
    (home) => write(home, `${records}/20200101T000000Z-000/added`, '')],
  'a FIFO in a record': [/20200101T000000Z-000 is .*: remove it/,
    (home) => {
      write(home, `${records}/20200101T000000Z-000/added`, '');
      spawnSync('mkfifo', ['-m', '666',
        path.join(home, records, '20200101T000000Z-000/before')]);
    }],
  'a loop of links in the place of our file': [/cursor\.json: cannot be opened/,
    (home) => {
      write(home, '.config/caisson/servers/x', '');
      fs.symlinkSync('cursor.json', path.join(home, servers));
    }],
  'a folder where the new file is written': [/\.mcp\.json\.caisson-new/,
    (home) => fs.mkdirSync(
      path.join(home, '.cursor/.mcp.json.caisson-new'))],
};

for (const [what, [pattern, prepare]] of Object.entries(refused))
  test(`${what} is refused in one sentence`, once, (t) => {
    const home = folder(t);
    const place = write(home, '.cursor/mcp.json', cursor);

    prepare(home);
    const done = adopt(home, 'cursor');

    assert.equal(done.status, 1, done.all);
    assert.match(done.stderr, pattern);
    assert.match(done.stderr, /^caisson: [^\n]*\n$/);
    assert.equal(fs.readFileSync(place, 'utf8'), cursor);
    if (what.includes('new file'))
      assert.deepEqual(
        fs.readdirSync(path.dirname(path.join(home, servers))), []);
    /* A change that was not made is not there to be undone. */
    if (/not a folder|caisson-new/.test(pattern.source))
      assert.match(adopt(home, 'cursor', '--undo').all,
        /nothing to undo|Not a directory/);
  });

test('a full disk leaves the old file, and nothing else', {
  skip: root && uid === 0 ? once.skip : 'mounts a file system',
}, (t) => {
  const home = path.join(folder(t), 'full');

  fs.mkdirSync(home);
  assert.equal(spawnSync('mount',
    ['-t', 'tmpfs', '-o', 'size=64k', 'none', home]).status, 0);
  const unmount = () => spawnSync('umount', [home]);

  process.on('exit', unmount);
  const place = write(home, '.cursor/mcp.json', cursor);

  assert.equal(spawnSync('dd', ['if=/dev/zero', `of=${home}/fill`])
    .status, 1);
  let done = adopt(home, 'cursor');

  assert.equal(done.status, 1, done.all);
  assert.match(done.stderr, /^caisson: .*No space left on device\n$/);
  assert.equal(fs.readFileSync(place, 'utf8'), cursor);
  assert.deepEqual(fs.readdirSync(path.dirname(place)), ['mcp.json']);
  fs.unlinkSync(`${home}/fill`);
  done = adopt(home, 'cursor');
  assert.ok(done.changed, done.all);
  assert.equal(adopt(home, 'cursor', '--undo').status, 0);
  assert.equal(fs.readFileSync(place, 'utf8'), cursor);
  unmount();
});
