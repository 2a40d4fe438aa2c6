/*
 * What 'caisson completion' prints, in the shells that it is for: each of them
 * reads it and is asked what it would offer.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import {
  binary, commandLine, folder, ran, usually,
} from './support/program.mjs';

usually();

function completion(t, shell) {
  const { status, stdout, stderr } = ran(
    { args: ['completion', shell], home: folder(t) });

  assert.deepEqual([status, stderr], [0, '']);
  return stdout;
}

/*
 * Each shell reads the script $1, of which the other words are a command line,
 * and prints what it would put in the place of the last one. A completion of
 * zsh can be asked for on a terminal only: here its function is, with the
 * words of such a line, by what compadd and _files are called with.
 */
const shells = {
  bash: ['/bin/bash', '--norc', '--noprofile', '-c', `
    source "$1"; shift
    complete -p caisson > /dev/null || exit 1
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _caisson caisson "\${!#}"
    printf '%s\\n' "\${COMPREPLY[@]}"`, 'bash'],
  zsh: ['/usr/bin/zsh', '-f', '-c', `
    autoload -Uz compinit && compinit -u -d "$1.dump" || exit 1
    source "$1"; shift
    [[ $_comps[caisson] == _caisson ]] || exit 1
    compadd() {
      [[ $1 == -- ]] && shift
      print -rl -- \${(M)@:#$words[CURRENT]*}
    }
    _files() { print -rl -- $words[CURRENT]*(N) }
    words=("$@") CURRENT=$#
    _caisson`, 'zsh'],
  fish: ['/usr/bin/fish', '--no-config', '-c', `
    source $argv[1]; or exit 1
    complete -C (string join ' ' -- $argv[2..-1])`],
};

const clients = ['claude-code', 'cursor', 'zed'];

/* [words behind caisson, what is offered, whether that is all] */
const offers = [
  [['mem'], ['memory'], true],
  [[''], ['adopt', 'memory', 'saved-tools', 'selftest'], false],
  [['memory', ''], ['clear', 'list', 'remove', 'show'], false],
  [['--template', 'o'], ['off', 'on'], true],
  [['selftest', '--max-c'], ['--max-code', '--max-concurrent'], true],
  [['adopt', ''], clients, false],
  [['adopt', 'cursor', '--und'], ['--undo'], true],
  [['servers', 'import', 'curs'], ['cursor'], true],
  [['token', 'revoke', 'lap'], ['laptop'], true],
  [['servers', 'remove', 'g'], ['gh'], true],
  [['token', 'add', 'x', '--server', 'g'], ['gh'], true],
  [['files', 'show', '--owner', 'ph'], ['phone'], true],
  [['files', 'remove', 'th'], ['these'], true],
  [['files', 'remove', '--json', '--owner', 'phone', 'th'], ['theirs'], true],
  [['config', 'set', 'memory_a'], ['memory_api'], true],
  [['config', 'set', 'memory_api', 'o'], ['off', 'on'], true],
  [['--log-file', '/etc/host'], ['/etc/hostname', '/etc/hosts'], false],
];

for (const [shell, [program, ...args]] of Object.entries(shells)) {
  const options = { skip: fs.existsSync(program) ? false :
    `${shell} is not installed` };

  test(`${shell} completes commands, flags and values`, options, (t) => {
    const home = folder(t);
    const script = path.join(home, 'script');

    fs.writeFileSync(script, completion(t, shell));
    for (const args of [['token', 'add', 'laptop'], ['token', 'add', 'phone'],
      ['servers', 'add', 'gh', '--', '/bin/true'],
      ['files', 'add', '/etc/hostname', 'these'],
      ['files', 'add', '/etc/hostname', 'theirs', '--owner', 'phone']]) {
      assert.equal(ran({ args, home }).status, 0);
    }
    for (const [words, expected, all] of offers) {
      const [command, ...rest] = commandLine({ program, home,
        args: [...args, script, 'caisson', ...words],
        env: { PATH: `${path.dirname(binary)}:${process.env.PATH}` } });
      const { status, stdout, stderr } =
        spawnSync(command, rest, { encoding: 'utf8' });
      const offered = stdout.split('\n').map((word) => word.split('\t')[0])
        .filter((word) => word !== '').sort();
      const told = `caisson ${words.join(' ')}: ${stdout}${stderr}`;

      assert.equal(stderr, '', told);
      assert.equal(status, 0, told);
      if (all)
        assert.deepEqual(offered, expected, told);
      else
        assert.deepEqual(expected.filter((word) => !offered.includes(word)),
          [], told);
    }
  });
}
