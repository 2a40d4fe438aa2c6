/*
 * caisson image: what is built is kept as a whole or not at all, labels give no
 * rights, and each engine gets the command lines it is meant to get. Programs
 * in a folder of PATH stand in for mmdebstrap and podman.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { write } from './support/home.mjs';
import { commandLine, folder, once, root, uid } from './support/program.mjs';
import { archive, serve } from './support/registry.mjs';
import { until } from './support/wait.mjs';

const support = (name) =>
  fileURLToPath(new URL(`support/${name}`, import.meta.url));
const digest = 'f'.repeat(63) + '0';

/* A home, and a folder in its PATH with stand-ins for these programs. */
function prepare(t, ...names) {
  const home = folder(t);
  const bin = path.join(home, 'bin');

  fs.mkdirSync(bin);
  for (const name of names) {
    const script = name === 'mmdebstrap' ? 'mmdebstrap.sh' : 'podman.sh';

    fs.copyFileSync(support(script), path.join(bin, name));
    fs.chmodSync(path.join(bin, name), 0o755);
  }
  fs.writeFileSync(path.join(bin, 'reader'), '#!/bin/sh\nexec cat\n',
    { mode: 0o755 });
  chown(bin);
  return { home, bin, images: path.join(home, '.local/state/caisson/images') };
}

function chown(place) {
  fs.chownSync(place, uid, uid === process.getuid() ? process.getgid() : uid);
  if (fs.statSync(place).isDirectory())
    fs.readdirSync(place).forEach((name) => chown(path.join(place, name)));
}

const line = (at, words) => commandLine({ args: ['image', ...words],
  home: at.home, env: { PATH: `${at.bin}:/usr/bin:/bin` } });

function run(at, ...words) {
  const [command, ...rest] = line(at, words);
  const done = spawnSync(command, rest,
    { input: '', encoding: 'utf8', timeout: 120_000 });

  assert.equal(done.error, undefined);
  return done;
}

function printed(at, ...words) {
  const done = run(at, ...words);

  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

function refused(at, status, pattern, ...words) {
  const done = run(at, ...words);

  assert.equal(done.status, status, done.stderr);
  assert.match(done.stderr.trim().split('\n').at(-1), pattern);
}

const list = (at) => JSON.parse(printed(at, 'list', '--json')).images;
const noted = (at, name = 'LOG') =>
  fs.readFileSync(path.join(at.bin, name), 'utf8').trim().split('\n');
const put = (at, name, text = '') => {
  fs.writeFileSync(path.join(at.bin, name), text);
  chown(path.join(at.bin, name));
};
/* What podman says of an image with these labels. */
const answer = (at, language, words = 1, runner = 'true') =>
  put(at, 'ANSWER', `${digest} ${runner} ${language} ${words}\n`);

/* The names in the folder of images. */
const kept = (at) => fs.readdirSync(at.images).sort();

test('without images it says so, and makes no folder', (t) => {
  const at = prepare(t);

  assert.match(printed(at),
    /no images: 'caisson image build python --engine podman' builds one/);
  assert.deepEqual(list(at), []);
  assert.equal(fs.existsSync(path.join(at.home, '.local')), false);
});

test('an image of Python is built from packages, and removed', (t) => {
  const at = prepare(t, 'mmdebstrap');
  const out = printed(at, 'build', 'python', '--package', 'python3-yaml');
  const [image] = list(at);

  assert.match(out, /^Built caisson-python, sha256:[0-9a-f]{64} \(0 MiB\)/);
  assert.match(noted(at)[0], /--include=\S+,python3,python3-yaml \S+ \/\S+$/);
  assert.equal(image.name, 'caisson-python');
  assert.equal(image.language, 'python');
  assert.equal(image.held_by, 'caisson');
  assert.equal(image.enabled, false);
  assert.deepEqual(fs.readdirSync(image.root).sort(),
    ['data', 'dev', 'etc', 'proc', 'run', 'sys', 'tmp', 'usr', 'workspace']);
  assert.equal(fs.statSync(at.images).mode & 0o777, 0o700);
  assert.equal(fs.statSync(at.images).uid, uid);
  /* numpy needs the link, which a script of the package would make. */
  const libraries = path.join(image.root,
    `usr/lib/${process.arch === 'x64' ? 'x86_64' : 'aarch64'}-linux-gnu`);

  assert.deepEqual(fs.readdirSync(libraries).sort(), ['blas', 'libblas.so.3']);
  assert.equal(fs.readlinkSync(path.join(libraries, 'libblas.so.3')),
    'blas/libblas.so.3');
  /* The same packages again are the same image. */
  printed(at, 'build', 'python', '--package', 'python3-yaml');
  assert.equal(list(at).length, 1);
  assert.match(printed(at), /^caisson-python {2}[0-9a-f]{12} {2}python, held/);
  printed(at, 'remove', 'caisson-python');
  assert.deepEqual(list(at), []);
  assert.deepEqual(kept(at), []);
});

test('an image is built from a directory', (t) => {
  const at = prepare(t);
  const from = folder(t);

  fs.mkdirSync(path.join(from, 'usr'));
  fs.writeFileSync(path.join(from, 'usr/reader'), 'x', { mode: 0o4711 });
  fs.symlinkSync('/etc/passwd', path.join(from, 'link'));
  fs.chmodSync(path.join(from, 'usr/reader'), 0o4711);
  chown(path.join(from, 'usr'));
  printed(at, 'build', 'ruby', '--from', from, '--', '/usr/reader', '-a b');
  const [image] = list(at);

  assert.equal(
    fs.statSync(path.join(image.root, 'usr/reader')).mode & 0o7777, 0o755);
  assert.equal(fs.readlinkSync(path.join(image.root, 'link')), '/etc/passwd');
  refused(at, 1, /--from .*nosuch cannot be used: No such file/,
    'build', 'python', '--from', path.join(from, 'nosuch'));
  refused(at, 1, /is not a directory/,
    'build', 'python', '--from', path.join(from, 'usr/reader'));
  assert.deepEqual(list(at), [image]);
});

/* Of images with one name the newest counts, of languages the first enabled. */
test('the list says which of several images counts', (t) => {
  const at = prepare(t);
  const digests = ['first', 'second'].map((content) => {
    const from = folder(t);

    fs.mkdirSync(path.join(from, 'usr'));
    fs.writeFileSync(path.join(from, 'usr/reader'), content, { mode: 0o755 });
    chown(path.join(from, 'usr'));
    printed(at, 'build', 'ruby', '--from', from, '--', '/usr/reader');
    return list(at).find(({ newest }) => newest).digest;
  });
  const fields = () => list(at).map(({ digest, newest, enabled_as: as }) =>
    [digests.indexOf(digest), newest, as]);
  const short = digests.map((each) => each.slice(7, 19));

  assert.notEqual(digests[0], digests[1]);
  assert.deepEqual(fields(), [[1, true, null], [0, false, null]]);
  assert.equal(printed(at).replace(/\d+ MiB/g, 'n MiB'),
    `caisson-ruby  ${short[1]}  ruby, held by caisson, n MiB\n` +
    `caisson-ruby  ${short[0]}  ruby, held by caisson, n MiB, older: ` +
    `the name stands for ${short[1]}\n`);
  printed(at, 'add', short[0]);
  printed(at, 'add', 'caisson-ruby');
  assert.deepEqual(fields(),
    [[1, true, `ruby@${short[1]}`], [0, false, 'ruby']]);
  assert.match(printed(at), new RegExp(`, n?\\d+ MiB, enabled as ruby@${
    short[1]}\n.*: the name stands for ${short[1]}, enabled as ruby\n$`));
  assert.equal(printed(at, 'remove', 'caisson-ruby'),
    `Removed caisson-ruby, ${digests[1]}.\nAnother caisson-ruby, held by ` +
    'caisson, is still here and enabled: \'caisson image remove ' +
    `${short[0]}' removes it.\n`);
});

/* The engine gives a name to one image and never back; ours go by time. */
test('the name of an image that was removed stands for no older one', (t) => {
  const at = prepare(t, 'podman');
  const other = `e${digest.slice(1)}`;
  const adds = (one, ...words) => {
    put(at, 'ANSWER', `${one} true ruby 1\n`);
    printed(at, 'add', ...words);
  };
  const newest = () => Object.fromEntries(list(at).map((each) =>
    [each.digest.slice(7), each.newest]));
  const older = (why) => assert.match(printed(at, 'list'), new RegExp(
    `^my/ruby  ${digest.slice(0, 12)}  .*, older: ${why}, enabled as ruby$`,
    'm'));

  adds(digest, 'my/ruby');
  adds(other, 'my/ruby');
  assert.deepEqual(newest(), { [digest]: false, [other]: true });
  /* By its digest it is enabled, and gets no name. */
  adds(digest, digest.slice(0, 12));
  assert.deepEqual(newest(), { [digest]: false, [other]: true });
  older(`the name stands for ${other.slice(0, 12)}`);
  assert.match(printed(at, 'remove', other), new RegExp('\nAnother my/ruby, ' +
    'held by podman, is still here and enabled: \'caisson image remove ' +
    `${digest.slice(0, 12)}' removes it.\n$`));
  assert.deepEqual(newest(), { [digest]: false });
  older('the name stood for one that was removed');
  refused(at, 1, /^caisson: the name my\/ruby stands for no image: the one that had it was removed; give the digest of another \('caisson image list' shows all\)$/,
    'remove', 'my/ruby');
  adds(digest, digest.slice(0, 12));
  assert.deepEqual(newest(), { [digest]: false });
  adds(digest, 'my/ruby');
  assert.deepEqual(newest(), { [digest]: true });
});

test('an image of Python has its interpreter', (t) => {
  const at = prepare(t, 'podman');
  const from = folder(t);
  const unpack = ['build', 'python', '--from-image', 'my/python:3',
    '--engine', 'podman'];

  chown(from);
  refused(at, 1, /^caisson: the image has no python3 in \/usr\/local\/sbin:.*: install it there, /,
    'build', 'python', '--from', from);
  refused(at, 2, /an image of python needs no command: leave out what is /,
    'build', 'python', '--from', from, '--', '/bin/x');
  assert.deepEqual(kept(at), []);
  fs.mkdirSync(path.join(from, 'usr/bin'), { recursive: true });
  fs.symlinkSync('/no/python3.99', path.join(from, 'usr/bin/python3'));
  printed(at, 'build', 'python', '--from', from);
  assert.equal(list(at).length, 1);
  put(at, 'EXPORTED', archive([['opt'], ['opt/python3', 'x']]));
  refused(at, 1, /the image has no python3 in /, ...unpack);
  put(at, 'VARIABLES', 'PATH=/usr/bin:/opt\n');
  printed(at, ...unpack);
});

const installed = ['/usr/bin', '/bin', '/usr/local/bin', '/snap/bin'].some(
  (each) => fs.existsSync(path.join(each, 'mmdebstrap')));

test('what is missing is named, with the fix', {
  skip: installed && 'mmdebstrap is installed',
}, (t) => {
  const done = run(prepare(t), 'build', 'python');

  assert.match(done.stderr, /apt-get install mmdebstrap.*--from/);
});

test('a failed build leaves nothing', (t) => {
  const at = prepare(t, 'mmdebstrap');

  put(at, 'FAIL');
  refused(at, 1, /mmdebstrap has failed/, 'build', 'python');
  assert.deepEqual(list(at), []);
  assert.deepEqual(kept(at), []);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'])
  test(`a build that ${signal} ends leaves nothing`, async (t) => {
    const at = prepare(t, 'mmdebstrap');
    const hangs = path.join(at.bin, 'HANGS');

    put(at, 'HANG');
    const [command, ...rest] = line(at, ['build', 'python']);
    const program = spawn(command, rest, { stdio: 'ignore' });
    const ended = new Promise((resolve) => {
      program.once('exit', (code, by) => resolve(by ?? code));
    });

    await until(() => fs.existsSync(hangs) &&
      fs.readFileSync(hangs, 'utf8').endsWith('\n'), 'it is being built');
    const pid = Number(fs.readFileSync(hangs, 'utf8'));

    refused(at, 2, /another 'caisson image' command is at work/,
      'build', 'python');
    assert.deepEqual(list(at), []);
    program.kill(signal);
    assert.equal(await ended, signal === 'SIGKILL' ? signal : 1);
    await until(() => !fs.existsSync(`/proc/${pid}`), 'it was killed');
    if (signal === 'SIGKILL') {
      /* The next command cleans up. */
      fs.rmSync(path.join(at.bin, 'HANG'));
      printed(at, 'build', 'python');
      printed(at, 'remove', 'caisson-python');
    }
    assert.deepEqual(kept(at), []);
  });

test('an engine gets the image that was built', (t) => {
  const at = prepare(t, 'mmdebstrap', 'podman');

  answer(at, 'ruby', 2);
  assert.match(printed(at, 'build', 'ruby', '--package', 'ruby', '--engine',
    'podman', '--', '/usr/bin/reader', 'a "b"'),
  new RegExp(`podman has it as caisson-ruby, sha256:${digest}`));
  assert.equal(noted(at).find((each) => each.startsWith('podman import')),
    'podman import --change LABEL sandbox.runner=true --change LABEL ' +
    'sandbox.language=ruby --change ENTRYPOINT ["/usr/bin/reader","a \\"b\\""' +
    '] - caisson-ruby');
  const tar = spawnSync('tar', ['--list', '--verbose', '--numeric-owner',
    '--file', path.join(at.bin, 'IMPORTED')], { encoding: 'utf8' });

  assert.match(tar.stdout, /^-rwxr-xr-x 0\/0 .* \.\/usr\/bin\/reader$/m);
  assert.deepEqual(list(at).map((each) => each.held_by).sort(),
    ['caisson', 'podman']);
  const [own] = list(at).filter(({ root: files }) => files !== undefined);

  /* Each holder has one, and all of them are enabled. */
  assert.match(printed(at, 'add', 'caisson-ruby'),
    /^Enabled .* runtime oci\.\nEnabled .* runtime podman\.\n$/);
  assert.equal(printed(at, 'remove', digest),
    `Removed caisson-ruby, sha256:${digest}.\npodman may still hold it: ` +
    `'podman image rm ${digest.slice(0, 12)}' removes it there.\n` +
    'Another caisson-ruby, held by caisson, is still here and enabled: ' +
    `'caisson image remove ${own.digest.slice(7, 19)}' removes it.\n`);
});

test('an image that is not there, with the fix', (t) => {
  const at = prepare(t, 'podman');

  put(at, 'REFUSE');
  refused(at, 1, /podman has failed; its last lines say why; if it has no such image: 'caisson image list' shows the images that are here, 'caisson image pull REFERENCE' fetches one$/,
    'add', 'nosuch');
  refused(at, 1, /: 'caisson image list' shows the images that are here, 'caisson image build LANGUAGE' makes one$/,
    'add', 'caisson-ruby');
  refused(at, 1, /: 'caisson image list' shows the images that are here$/,
    'add', 'sha256:0123456789ab');
  refused(at, 1, /^caisson: image "nosuch": there is no such image in \S+images: 'caisson image list' shows all$/,
    'remove', 'nosuch');
  refused(at, 1, /^caisson: "Foo" is not a reference of an image, such as registry\.example\/ruby:3$/,
    'pull', 'Foo');
  assert.deepEqual(kept(at), []);
});

test('an engine that cannot be executed is no matter of its images', (t) => {
  const at = prepare(t, 'podman');

  put(at, 'podman', '#!/nowhere\n');
  for (const words of [['add', 'caisson-ruby'],
    ['build', 'python', '--from-image', 'my/python:3']]) {
    refused(at, 1, /podman has failed; its last lines say why$/, ...words);
    assert.equal(run(at, ...words).stderr.match(/cannot execute/g).length, 1);
  }
  assert.deepEqual(kept(at), []);
});

test('an image to unpack that is not there, with the fix', (t) => {
  const at = prepare(t, 'podman');

  put(at, 'REFUSE');
  refused(at, 1, /podman has failed; its last lines say why; 'podman images' shows .*, 'podman pull my\/python:3' fetches one$/,
    'build', 'python', '--from-image', 'my/python:3', '--engine', 'podman');
  refused(at, 1, /podman has failed; its last lines say why; 'podman images' shows the images that it holds$/,
    'build', 'python', '--from-image', 'localhost/python:3');
  /* The cause, and not also that there is no container to remove. */
  assert.equal(run(at, 'build', 'python', '--from-image', 'my/python:3').stderr
    .match(/no such (image|container)/g).join(), 'no such image');
  assert.deepEqual(kept(at), []);
});

test('an engine that is none is a wrong argument', (t) => {
  const at = prepare(t, 'podman');

  for (const name of ['containerd', 'podman-remote', 'oci', '/bin/true'])
    for (const words of [['add', 'x'], ['pull', 'x'],
      ['build', 'python', '--from', '/usr']])
      refused(at, 2, /^caisson: --engine must be podman or docker, or the path of one of them; for oci, leave it out$/,
        ...words, '--engine', name);
});

/* As the setting runtime: a path is judged by how its name begins. */
test('engines have the names that they have as runtimes', (t) => {
  const at = prepare(t, 'podman');
  const name = path.join(at.bin, 'podman-5');

  fs.renameSync(path.join(at.bin, 'podman'), name);
  answer(at, 'ruby');
  printed(at, 'pull', 'example.org/ruby:3', '--engine', name);
  assert.equal(list(at)[0].held_by, 'podman');
});

test('an engine that answers too much is an error', (t) => {
  const at = prepare(t, 'podman');

  put(at, 'EXPORTED', archive([['usr'], ['usr/reader', 'x']]));
  put(at, 'VARIABLES', `A=b\n${'x'.repeat(1 << 17)}`);
  refused(at, 1, /podman has answered with more than 64 KiB about the variables/, 'build', 'ruby',
    '--from-image', 'my/ruby:3', '--engine', 'podman', '--', '/usr/reader');
  assert.deepEqual(list(at), []);
});

test('an image is unpacked from one that an engine holds', (t) => {
  const at = prepare(t, 'podman');

  put(at, 'EXPORTED', archive([['usr'], ['usr/reader', 'x'], ['dev'],
    ['dev/null', 'x']]));
  printed(at, 'build', 'ruby', '--from-image', 'my/ruby:3', '--engine',
    'podman', '--', '/usr/reader');
  assert.match(noted(at).join('\n'), new RegExp('^podman create --pull never ' +
    '--network none --name (caisson-image-[0-9a-f-]{36}(?:\\.\\d+){3}) my/ruby:3 /\n' +
    'podman image inspect --format .* my/ruby:3\npodman export \\1\npodman rm --force --volumes \\1$'));
  const [image] = list(at).filter(({ root }) => root !== undefined);

  assert.equal(fs.readFileSync(path.join(image.root, 'usr/reader'), 'utf8'),
    'x');
  assert.deepEqual(fs.readdirSync(path.join(image.root, 'dev')), []);
  put(at, 'EXPORTED', 'this is no archive');
  refused(at, 1, /tar has failed/, 'build', 'ruby', '--from-image', 'my/ruby',
    '--engine', 'podman', '--', '/usr/reader');
  assert.match(noted(at).at(-1), /^podman rm --force --volumes caisson-image-/);
});

/* Lines of Python that add members to the archive "tar", with "outside". */
const hostile = {
  'a file above it': 'add("../above", data=b"x")',
  'a file with an absolute path': 'add(outside + "/absolute", data=b"x")',
  'a file through a link': 'add("leads", SYMTYPE, outside)\n' +
    'add("leads/through", data=b"x")',
  'a file through a link with dots': 'add("leads", SYMTYPE, ' +
    '"../" * 20 + outside[1:])\nadd("leads/through", data=b"x")',
  'a link to a file of the host': 'add("hard", LNKTYPE, secret)',
  'a link to a file above it': 'add("hard", LNKTYPE, "../" * 20 + secret[1:])',
  'a link to a link out of it': 'add("soft", SYMTYPE, secret)\n' +
    'add("hard", LNKTYPE, "soft")\nadd("hard", data=b"x")',
  'a file instead of a link': 'add("soft", SYMTYPE, secret)\n' +
    'add("soft", data=b"x")',
  'rights': 'add("usr/su", data=b"x", mode=0o6755)\n' +
    'add("usr/open", data=b"x", mode=0o666)\nadd("pipe", FIFOTYPE)\n' +
    'add(".wh.usr", data=b"")',
  ...(uid === 0 ? { 'a device': 'add("disk", BLKTYPE, major=8)\n' +
    'add("zero", CHRTYPE, major=1, minor=5)' } : {}),
};

for (const [what, lines] of Object.entries(hostile))
  test(`an archive of an engine reaches nothing outside: ${what}`, (t) => {
    const at = prepare(t, 'podman');
    const outside = path.join(at.home, 'outside');
    const secret = path.join(at.home, 'secret');

    fs.mkdirSync(outside);
    fs.writeFileSync(secret, 'kept');
    chown(outside);
    chown(secret);
    const made = spawnSync('python3', ['-c', `
import io, sys
from tarfile import (BLKTYPE, CHRTYPE, DIRTYPE, FIFOTYPE, LNKTYPE, REGTYPE,
                     SYMTYPE, TarFile, TarInfo)
outside, secret = sys.argv[1:]
def add(name, type=REGTYPE, link="", data=b"", mode=0o755, major=0, minor=0):
    member = TarInfo(name)
    member.type, member.linkname, member.size = type, link, len(data)
    member.mode, member.devmajor, member.devminor = mode, major, minor
    tar.addfile(member, io.BytesIO(data))
with TarFile(fileobj=io.BytesIO(), mode="w") as tar:
    add("usr", DIRTYPE)
    add("usr/reader", data=b"x")
${lines.replace(/^/gm, '    ')}
    tar.close()
    sys.stdout.buffer.write(tar.fileobj.getvalue())
`, outside, secret]);

    assert.equal(made.status, 0, `${made.stderr}`);
    put(at, 'EXPORTED', made.stdout);
    const done = run(at, 'build', 'ruby', '--from-image', 'my/ruby:3',
      '--engine', 'podman', '--', '/usr/reader');

    assert.deepEqual(fs.readdirSync(outside), []);
    assert.equal(fs.readFileSync(secret, 'utf8'), 'kept');
    assert.equal(fs.statSync(secret).nlink, 1);
    assert.ok(!fs.existsSync(path.join(at.images, 'above')));
    assert.deepEqual(fs.readdirSync('/').filter((name) =>
      ['above', 'absolute'].includes(name)), []);
    if (done.status !== 0) {
      assert.match(done.stderr, /tar has failed/);
      assert.deepEqual(list(at), []);
      return;
    }
    const image = list(at).find(({ root }) => root !== undefined);
    const files = spawnSync('find', [image.root, '!', '-type', 'd', '!',
      '-type', 'l', '(', '!', '-type', 'f', '-o', '-perm', '/7022', ')'],
    { encoding: 'utf8' });

    assert.equal(files.stdout + files.stderr, '');
  });

test('its environment is part of it', (t) => {
  const at = prepare(t, 'podman');
  const build = ['build', 'ruby', '--from-image', 'my/ruby:3', '--engine',
    'podman', '--', '/usr/reader'];
  const digests = new Set();

  put(at, 'EXPORTED', archive([['usr'], ['usr/reader', 'x']]));
  for (const text of ['', 'A=b\n', 'A=c\n', 'A=c\n\n']) {
    put(at, 'VARIABLES', text);
    digests.add(/sha256:\w+/.exec(printed(at, ...build))[0]);
  }
  assert.equal(digests.size, 3);
  for (const text of ['a line\n', '1=2\n', 'A=b\n=c\n', 'A\n', 'A-B=c\n']) {
    put(at, 'VARIABLES', text);
    refused(at, 1, /variable of the image cannot be kept: its name/, ...build);
  }
  put(at, 'VARIABLES', 'A=b\n'.repeat(65));
  refused(at, 1, /too many environment variables: it may have 64, of 16 KiB/,
    ...build);
  put(at, 'VARIABLES', `A=${'b'.repeat(16 << 10)}\n`);
  refused(at, 1, /too many environment variables/, ...build);
});

test('labels give no rights: an image must be enabled', (t) => {
  const at = prepare(t, 'podman');

  answer(at, 'ruby');
  assert.match(printed(at, 'pull', 'registry.example/ruby:3'),
    /^Pulled .*'caisson image add ffffffffffff' enables it\.$/ms);
  assert.deepEqual(noted(at)[0], 'podman pull registry.example/ruby:3');
  assert.equal(list(at)[0].enabled, false);
  assert.match(printed(at, 'add', 'ffffffffffff'), /for code of .* ruby/);
  assert.equal(list(at)[0].enabled, true);
  printed(at, 'remove', 'registry.example/ruby:3');
  assert.deepEqual(list(at), []);
  assert.deepEqual(kept(at), ['enabled']);
});

test('a text that is no name of an image is quoted', (t) => {
  refused(prepare(t, 'podman'), 1,
    /"sha256:12" is neither the name .* nor the first .*'caisson image list'/,
    'add', 'sha256:12');
});

test('an image of a built-in language is for the setting image', (t) => {
  const at = prepare(t, 'podman');

  answer(at, 'python');
  assert.match(printed(at, 'pull', 'registry.example/python:3'),
    /^Pulled .*'--runtime podman --image registry.example\/python:3' runs code in it\.$/ms);
  refused(at, 1, /cannot replace it: name the image in the setting image/,
    'add', 'registry.example/python:3');
});

test('an image that an engine holds is enabled by its name', (t) => {
  const at = prepare(t, 'podman', 'docker');

  answer(at, 'ruby');
  printed(at, 'add', '--engine', 'docker', 'my/ruby:1');
  assert.deepEqual(list(at).map(({ name, held_by, enabled }) =>
    [name, held_by, enabled]), [['my/ruby:1', 'docker', true]]);
});

/* The name may stand for another image of the engine by now, or for none. */
test('image add asks the engine that holds the image', (t) => {
  const at = prepare(t, 'podman');
  const other = `${digest.slice(1)}1`;
  const says = (one) => put(at, 'ANSWER', `${one} true ruby 1\n`);
  const adds = (one, ...words) => assert.match(printed(at, 'add', ...words),
    new RegExp(`^Enabled my/ruby, sha256:${one}, `));

  says(digest);
  adds(digest, 'my/ruby');
  says(other);
  for (const words of [['--engine', path.join(at.bin, 'podman')],
    ['--engine', 'podman'], []]) {
    adds(other, 'my/ruby', ...words);
    assert.match(noted(at).at(-2), /^podman image inspect .* my\/ruby$/);
    printed(at, 'remove', other);
  }
  says(digest);
  adds(digest, digest.slice(0, 12));
  assert.equal(noted(at).at(-2).split(' ').at(-1), digest);
  put(at, 'REFUSE');
  for (const words of [['my/ruby'], ['my/ruby', '--engine', 'podman'],
    [digest]])
    refused(at, 1, /podman has failed; its last lines say why; if it has no such image: 'caisson image remove f{12}' removes it from the list$/,
      'add', ...words);
});

/* A later image may have had the name there, and then be removed there. */
test('image add offers to remove no image that the engine holds', (t) => {
  const at = prepare(t, 'podman');
  const short = digest.slice(0, 12);
  const held = (...words) => refused(at, 1, new RegExp(
    'podman has failed; its last lines say why; it still holds the image ' +
    `${short}, which had the name: 'caisson image add ${short}' enables it, ` +
    '\'caisson image pull REFERENCE\' fetches one$'),
  'add', 'my/ruby', ...words);

  answer(at, 'ruby');
  printed(at, 'add', 'my/ruby');
  put(at, 'REFUSE', 'my/ruby');
  held();
  /* The engine has said only once why. */
  assert.equal(
    run(at, 'add', 'my/ruby').stderr.match(/no such image/g).length, 1);
  put(at, 'ANSWER', `e${digest.slice(1)} true ruby 1\n`);
  put(at, 'REFUSE', 'another');
  printed(at, 'add', 'my/ruby');
  printed(at, 'remove', 'my/ruby');
  put(at, 'REFUSE', 'my/ruby');
  held('--engine', 'podman');
  assert.equal(list(at)[0].enabled_as, 'ruby');
});

/* It is another cause than a program that is not installed. */
test('a path of an engine that cannot be executed is named', (t) => {
  const at = prepare(t, 'podman');
  const engine = path.join(at.home, 'podman');
  const commands = [['pull', 'my/ruby'], ['add', 'my/ruby'],
    ['add', 'another'], ['build', 'python', '--from-image', 'my/ruby']];
  const fails = (why) => commands.forEach((words) => refused(at, 1,
    new RegExp(`^caisson: the engine ${engine} cannot be executed: ${why}; ` +
      'set --engine to the path of podman, or to podman for the one that is ' +
      'installed$'), ...words, '--engine', engine));

  answer(at, 'ruby');
  printed(at, 'add', 'my/ruby');
  fails('No such file or directory');
  fs.writeFileSync(engine, '#!/bin/sh\n', { mode: 0o644 });
  chown(engine);
  fails('Permission denied');
  fs.rmSync(engine);
  fs.mkdirSync(engine, { mode: 0o755 });
  fails('not a regular file');
});

test('what an engine says of an image is checked', (t) => {
  const at = prepare(t, 'podman');

  for (const [said, pattern] of [
    ['', /adds no language: .*sandbox\.runner=true and sandbox\.language=.*setting image/],
    [`${digest}   1\n`, /adds no language/],
    [`${digest} false ruby 1\n`, /adds no language/],
    [`${digest} true Ruby! 1\n`, /adds no language/],
    [`${digest} true ../x 1\n`, /adds no language/],
    [`${digest} true ruby 1\nmore\n`, /adds no language/],
    [`${digest} true ruby ruby 1\n`, /adds no language/],
    [`${digest} true ruby 0\n`, /has no ENTRYPOINT/],
    [`../../etc true ruby 1\n`, /reports no digest/],
    [`${digest.slice(1)} true ruby 1\n`, /reports no digest/],
    [`${digest} true ruby 1\n\0`, /has not described/],
    ['x'.repeat(200000), /adds no language/],
  ]) {
    put(at, 'ANSWER', said);
    refused(at, 1, pattern, 'add', 'my/ruby');
  }
  answer(at, 'python');
  refused(at, 1, /python is built in, and an image cannot replace it/,
    'add', 'my/ruby');
  answer(at, 'bash');
  refused(at, 1, /bash is built in/, 'add', 'my/ruby');
  assert.deepEqual(list(at), []);
  for (const name of ['--all', 'A', 'a b', '../x', 'a\nb'])
    assert.notEqual(run(at, 'add', '--', name).status, 0);
});

for (const [engine, wants, pattern] of [
  ['docker', '"/volume"\n', /image my\/ruby has the volume "\/volume", which docker makes as/],
  ['podman', '"run.oci.x"\n"run.oci.y"\n', /image my\/ruby has the annotation "run.oci.x", which could weaken/],
])
  test(`${engine}: an image that has it do more is refused`, (t) => {
    const at = prepare(t, engine);
    const add = ['add', '--engine', engine, 'my/ruby'];

    answer(at, 'ruby');
    for (const text of [wants, wants.repeat(100_000)]) {
      put(at, 'WANTS', text);
      refused(at, 1, pattern, ...add);
    }
    refused(at, 1, pattern, 'pull', '--engine', engine, 'my/ruby');
    assert.deepEqual(list(at), []);
    put(at, 'WANTS', '\n');
    printed(at, 'pull', '--engine', engine, 'my/ruby');
    const record = path.join(at.images, `sha256-${digest}`, 'image.json');
    const text = fs.readFileSync(record, 'utf8');

    /* As an earlier version has written it: the engine is asked now. */
    assert.match(text, /,"checked":true,/);
    fs.writeFileSync(record, text.replace(',"checked":true', ''));
    put(at, 'WANTS', wants);
    refused(at, 1, pattern, ...add);
    put(at, 'WANTS');
    printed(at, ...add);
    assert.match(fs.readFileSync(record, 'utf8'), /,"checked":true,/);
    assert.equal(list(at)[0].enabled_as, 'ruby');
    fs.writeFileSync(record, text.replace(',"checked":true', ''));
    assert.equal(list(at)[0].enabled_as, null);
    assert.match(printed(at), /, enabled, but not used$/m);
  });

test('a pull that fails leaves nothing', (t) => {
  const at = prepare(t, 'podman');

  put(at, 'REFUSE');
  refused(at, 1, /podman has failed/, 'pull', 'registry.example/ruby:3');
  assert.deepEqual(list(at), []);
  assert.deepEqual(kept(at), []);
});

/*
 * The real podman, which keeps its images in a folder of the test. The registry
 * is served by this process, so the program must not block it.
 */
const podman = spawnSync('podman', ['--version']).status === 0;

function runReal(at, ...words) {
  const [command, ...rest] = commandLine({ args: ['image', ...words],
    home: at.home, env: at.env });
  const program = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = ['', ''];

  program.stdout.on('data', (bytes) => { said[0] += bytes; });
  program.stderr.on('data', (bytes) => { said[1] += bytes; });
  return new Promise((resolve) => {
    program.once('close', (status) => {
      resolve({ status, stdout: said[0], stderr: said[1] });
    });
  });
}

test('an image is pulled from a registry by podman', {
  skip: once.skip || (podman && root && uid === 0 ? false :
    'needs root and podman'),
}, async (t) => {
  const home = folder(t);
  const registry = await serve(t, 'my/ruby', '3',
    archive([['usr'], ['usr/reader', '#!/bin/sh']]),
    { 'sandbox.runner': 'true', 'sandbox.language': 'ruby' },
    ['/usr/reader', '-a b']);
  const at = { home, images: path.join(home, '.local/state/caisson/images'),
    env: {
      CONTAINERS_REGISTRIES_CONF: write(home, 'registries.conf',
        `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\n`),
      CONTAINERS_STORAGE_CONF: write(home, 'storage.conf',
        `[storage]\ndriver = "vfs"\nrunroot = "${home}/run"\n` +
        `graphroot = "${home}/graph"\n`),
    } };
  const done = await runReal(at, 'pull', registry.reference);

  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stdout, new RegExp(`^Pulled ${registry.reference}, ` +
    `${registry.id}, for code of the language ruby\\.$`, 'm'));
  assert.ok(registry.asked.includes('/v2/my/ruby/manifests/3'));
  const added = await runReal(at, 'add', registry.id);

  assert.equal(added.status, 0, added.stderr);
  const [image] = list({ ...at, bin: '/bin' });

  assert.equal(image.digest, registry.id);
  assert.equal(image.enabled, true);
  /* There is no such image. */
  const missed = await runReal(at, 'pull', `${registry.host}/my/perl:1`);

  assert.equal(missed.status, 1);
  assert.match(missed.stderr, /podman has failed/);
});
