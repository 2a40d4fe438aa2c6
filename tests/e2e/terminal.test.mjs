/*
 * What a person sees on a terminal: colours of the words that matter, and none
 * where a program reads them or the environment refuses them.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { write } from './support/home.mjs';
import { folder, ran, usually } from './support/program.mjs';
import { example, withServers } from './support/servers.mjs';
import { onTerminal } from './support/terminal.mjs';

usually();

const able = { TERM: 'xterm-256color' };
const colours = /\x1b\[[\d;]*m/g;

/* Commands that print words in colours, and such a word. */
const coloured = [
  [['selftest', '-v'], /\x1b\[32mok\x1b\[0m {4}process relay/],
  [['--help'], /\x1b\[1mExamples\x1b\[0m:/],
  [['servers', 'test'], /\x1b\[32mok\x1b\[0m {7}good: /],
  [['servers', 'test'], /\x1b\[1;31mFAILED\x1b\[0m {3}bad: /],
  [['servers', 'list'], /\x1b\[32mtaken\x1b\[0m {4}\//],
];

/* With a server that works and one that does not. */
const twoServers = (t, options) => withServers(t,
  { good: example(), bad: { command: '/no/such/server' } }, options);

test('words that matter have colours on a terminal', (t) => {
  for (const [args, look] of coloured)
    assert.match(onTerminal(t, twoServers(t, { args, env: able })).shown, look,
      args.join(' '));
});

test('what removes all asks first, and what waits says for what', (t) => {
  for (const [word, what] of [['memory', 'memories'],
    ['saved-tools', 'saved tools'], ['files', 'files']]) {
    const { status, shown } = onTerminal(t, { args: [word, 'clear'] });

    assert.match(shown,
      new RegExp(`^Remove all ${what} of the local user\\? \\[y/N\\] `));
    assert.doesNotMatch(shown, /removed/);
    assert.equal(status, 1);
  }
  for (const [args, what] of [[['servers', 'test'], 'good, bad\\n'],
    [['selftest'], 'the tests of this machine']])
    assert.match(onTerminal(t, twoServers(t, { args }), 'stdin,stderr').shown,
      new RegExp(`^caisson: waiting for ${what}`));
});

test('a file is shown without what would steer the terminal', (t) => {
  const home = folder(t);
  const shows = (content) => {
    const at = write(home, 'a.txt', content);

    assert.equal(onTerminal(t, { home, args: ['files', 'add', at] }).status, 0);
    return onTerminal(t, { home, args: ['files', 'show', 'a.txt'] });
  };

  assert.equal(shows('one\n\x1b[31mtwo\n').shown, 'one\n\\u001b[31mtwo\n');
  const { status, shown } = shows(Buffer.from([0xff, 0x0a]));

  assert.equal(status, 1);
  assert.match(shown, /a\.txt is not text: 'caisson files save' writes it to/);
});

test('colours change nothing but colours', (t) => {
  const options = twoServers(t, { args: ['servers', 'test'], env: able });
  const plain = ran({ ...options, home: folder(t) });
  const { status, shown } = onTerminal(t, options, 'stdin,stdout');

  assert.equal(status, plain.status);
  assert.equal(shown.replace(colours, ''), plain.stdout);
});

test('pipes, NO_COLOR and terminals that cannot have no colours', (t) => {
  for (const [args] of coloured.slice(1)) {
    const options = (env) => twoServers(t, { args, env });

    for (const env of [{ ...able, NO_COLOR: '1' }, { TERM: 'dumb' }, {}])
      assert.doesNotMatch(onTerminal(t, options(env)).shown, /\x1b/);
    /* Standard error is on the terminal, standard output is not. */
    const { shown, stdout } =
      onTerminal(t, options(able), 'stdin,stderr');

    assert.doesNotMatch(shown + stdout, /\x1b/);
    assert.ok(stdout.length > 50);
  }
  /* It is set, but empty: as if it were not. */
  const [args, look] = coloured[1];

  assert.match(onTerminal(t, { args, env: { ...able, NO_COLOR: '' } }).shown,
    look);
});

test('started on a terminal it says what it waits for', (t) => {
  const { status, stderr, stdout } = onTerminal(t, {}, 'stdin');

  assert.deepEqual([status, stdout], [0, '']);
  assert.match(stderr, /^caisson: [^\n]*MCP client[^\n]*'caisson help'/);
});
