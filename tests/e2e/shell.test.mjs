/*
 * The language shell through run_code: output, exit codes, signals and limits
 * as for Python, and the user's MCP servers through the command mcp.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import {
  contained, folder, folderWith, settings, withoutWaiting,
} from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { hostile, official, withServers } from './support/servers.mjs';

withoutWaiting();
settings.CAISSON_TOOLS = 'run_python,run_code,list_runners';

/* Starts a call of code in shell; returns its id. */
const post = (raw, code, more = {}) => raw.post('tools/call', {
  name: 'run_code', arguments: { language: 'shell', code, ...more },
});

/* Runs code in shell and returns the result of the call. */
const run = (raw, code, more) => raw.result(post(raw, code, more));

/* The same for code that must succeed; returns the lines that it printed. */
async function printed(raw, code, more) {
  const result = await run(raw, code, more);

  assert.equal(result.isError, false, JSON.stringify(result));
  return result.structuredContent.stdout ?? [];
}

/* [what, code, lines printed], or with an exit code and standard error. */
const language = [
  ['a pipe', 'printf "b\\na\\n" | sort | tr a-z A-Z', ['A', 'B']],
  ['bash where it is there', 'a=(1 2 3); echo ${#a[@]} $0',
    ['3 /tmp/run_shell.sh']],
  ['functions, loops and substitution',
    'f() { echo "<$1>"; }; for i in 1 2; do f "$(f $i)"; done',
    ['<<1>>', '<<2>>']],
  ['standard input is empty', 'cat; echo end', ['end']],
  ['it begins in the folder of the user', 'pwd; echo $HOME; ls',
    ['/workspace', '/workspace', 'out']],
  ['files', 'echo x > a; mkdir b; mv a b/; cat b/a', ['x']],
  ['programs have only three descriptors', 'ls /proc/self/fd | xargs',
    ['0 1 2 3']],
  ['no job that it has not started', 'jobs; wait; echo $? $!', ['0']],
  ['a pipeline in parallel', 'sleep 5 & kill $!; wait $!; echo $?', ['143']],
  ['an exit code', 'echo out; echo err >&2; exit 3', ['out'], 3, ['err']],
  ['the last exit code', 'false', [], 1, []],
  ['a command that does not exist', 'nonsense', [], 127,
    [/nonsense: (command )?not found/]],
  ['a syntax error', 'if', [], 2, [/syntax error/i]],
  ['no network, no host files',
    'test -e /etc/shadow || echo none; ls /home /root 2>&1 | wc -l; ' +
    'exec 3<>/dev/tcp/127.0.0.1/80 || echo refused',
    ['none', '2', 'refused']],
  ['line ends of Windows', 'if true; then\r\n  echo a\r\nfi\r\n', ['a'], 0,
    [], ['the code ran with LF for its line ends CRLF']],
  ['not all are', 'x="a\r\n"\necho ${#x}', ['3']],
  ['a Markdown fence', '```bash\necho a\n```\n', ['a'], 0,
    [], ['the code ran without its Markdown fence']],
  ['a fence, and an end by a signal', '```bash\nkill -9 $$\n```\n', [], 0, [],
    ['the code ran without its Markdown fence']],
  ['both', '```\r\necho a\r\n```', ['a'], 0, [],
    ['the code ran with LF for its line ends CRLF, and without its Markdown fence']],
  ['files are copied with their rights, and moved between file systems',
    'echo 1 > a; chmod 750 a; cp -p a out/b; cp -a a /tmp; install -m 640 a ' +
    'out/c; mv a out/a && stat -c "%a %n" /tmp/a out/*',
    ['750 /tmp/a', '750 out/a', '750 out/b', '640 out/c'], 0, []],
  ['its folder is not executable',
    'cp /bin/true t; ./t', [], 126, [/Permission denied/]],
];

test('shell code runs as a script does', async (t) => {
  const raw = await Raw.open(t);

  for (const [what, code, out, exit = 0, err, notes] of language) {
    const { structuredContent: seen } = await run(raw, code);
    const errors = seen.stderr ?? [];

    assert.deepEqual(seen.stdout ?? [], out, `${what}: ${JSON.stringify(seen)}`);
    assert.equal(seen.exitCode ?? 0, exit, what);
    assert.deepEqual(seen.notes, notes, what);
    if (err !== undefined) {
      assert.equal(errors.length, err.length, `${what}: ${errors}`);
      err.forEach((line, i) => assert.match(errors[i],
        line instanceof RegExp ? line : new RegExp(`^${line}$`), what));
    }
  }
  await raw.finish();
});

test('every ending is told as it is', async (t) => {
  const raw = await Raw.open(t);
  const killed = (await run(raw, 'echo before; kill -SEGV $$'))
    .structuredContent;

  assert.equal(killed.signal, 'SIGSEGV');
  assert.deepEqual(killed.stdout, ['before']);
  assert.equal((await run(raw, 'kill -9 $$')).structuredContent.signal,
    'SIGKILL');
  await raw.finish();
});

test('a shell that is missing is told, and which there are', async (t) => {
  const raw = await Raw.open(t, { env: { CAISSON_SHELL: '/no/shell' } });

  if (contained) {
    assert.deepEqual(await printed(raw, 'echo x'), ['x']);
    await raw.finish();
    assert.match(raw.errors, /CAISSON_SHELL has no effect in containers/);
    return;
  }
  const { structuredContent: seen } = await run(raw, 'echo x');

  assert.match(seen.error, /could not start a shell .*\/no\/shell.*CAISSON_SHELL/);
  assert.doesNotMatch(seen.error, /Python|CAISSON_PYTHON/);
  const told = (await raw.result(raw.post('tools/call',
    { name: 'list_runners', arguments: {} }))).structuredContent;

  assert.match(told.missing.find(({ language }) => language === 'shell').fix,
    /CAISSON_SHELL/);
  await raw.finish();
});

test('another shell, and all languages with their versions', async (t) => {
  const raw = await Raw.open(t, { env: { CAISSON_SHELL: '/bin/sh' } });

  assert.deepEqual(await printed(raw, 'echo $0 $SHELL; type mcp'),
    contained ? ['/tmp/run_shell.sh /usr/bin/bash',
      'mcp is /run/caisson/shell/bin/mcp'] :
      ['/tmp/run_shell.sh /bin/sh', 'mcp is /opt/caisson/bin/mcp']);
  const told = (await raw.result(raw.post('tools/call',
    { name: 'list_runners', arguments: {} }))).structuredContent;

  assert.ok(told.languages.some(({ language }) => language === 'shell'));
  await raw.finish();
});

test('a script calls two servers in parallel', async (t) => {
  const files = folderWith(t, { 'a.txt': 'alpha beta', 'b.txt': 'gamma' });
  const store = path.join(folder(t), 'memory.jsonl');
  const raw = await Raw.open(t, withServers(t, {
    files: official('filesystem', [files]),
    memory: official('memory', [], { env: { MEMORY_FILE_PATH: store } }),
    other1_2: official('everything'),
  }));
  const servers = ['files', 'memory'];
  const lines = await printed(raw, `
for name in a b; do
  mcp call files read_text_file path=${files}/$name.txt > $name &
done
mcp call memory create_entities 'entities=[{"name":"x","entityType":"y",
  "observations":["z"]}]' > made &
wait
cat a b | wc -w
python3 -c 'import json; print(json.load(open("made"))[0]["name"])'
mcp call memory read_graph --json | python3 -c '
import json, sys; print(len(json.load(sys.stdin)["structuredContent"]["entities"]))'
echo '{"path": "${files}/a.txt"}' | mcp call files read_text_file - head=1
mcp tools files | grep -c '^files read_text_file path=string'
mcp search 'Please, reed_graph' | head -1 | cut -d' ' -f1-2
mcp search What? the | wc -l
mcp servers | sed 's/ - .*//'
`, { servers, timeout: 60 });

  assert.deepEqual(lines, ['3', 'x', '1', 'alpha beta', '1',
    'memory read_graph', '10', 'files', 'memory', 'other1_2 (not loaded)']);
  /* Help stands behind everything, and names may be written otherwise. */
  assert.deepEqual(await printed(raw, `
mcp call --help | head -1 | cut -d' ' -f1-4
mcp tools --help | head -1
mcp help load | head -1
mcp call files read_text_file --help | head -1 | cut -d' ' -f1-3
mcp call files read_text_file --help | tail -1 | grep -c '"properties"'
mcp tools --json FILES read-text-file | python3 -c '
import json, sys; print(json.load(sys.stdin)["name"])'
mcp tools --json files | python3 -c '
import json, sys; print(len(json.load(sys.stdin)) > 9)'
mcp call Files Read-Text-File path=${files}/b.txt
mcp load 2>&1; echo $?
mcp call files read_text 2>&1; echo $?
mcp call files read_text_file path=/etc/passwd --json 2>&1 > x; echo $?`,
  { servers, timeout: 60 }), ['usage: mcp call SERVER',
    'usage: mcp tools [--json] [SERVER [TOOL]]', 'usage: mcp load SERVER',
    'files read_text_file path=string', '1', 'read_text_file', 'True',
    'gamma', 'usage: mcp load SERVER', '2',
    'mcp: files.read_text: the server has no such tool; ' +
    'did you mean read_text_file?: mcp tools files', '2',
    'mcp: files.read_text_file: the tool failed (isError)', '1']);
  /* Each error is one sentence and a status; nothing goes to the output. */
  const wrong = await run(raw, `
try() { mcp "$@"; echo $?; }
try call nothing x
try call other12 echo message=x
try call files nothing
try call files read_text_file
try call files read_text_file path=${files}/a.txt head=many
try call files read_text_file path=/etc/passwd
try call files read_text_file path
try nonsense
try call files read_text_file --nonsense
try call files read_text_file pth=x head:='"x"'
echo '{"path": 7}' | try call files read_text_file - --json
mcp call OTHER1_2 echo message:='"x"' &
mcp call mcp_other1_2 echo message=x &
wait
`, { servers, timeout: 60 });

  assert.deepEqual(wrong.structuredContent.stdout,
    ['2', '2', '2', '2', '2', '1', '2', '2', '2', '2', '2',
      'Echo: x', 'Echo: x']);
  const told = wrong.structuredContent.stderr;
  [/no server nothing/, /no server other12; did you mean other1_2\?/,
    /no such tool/, /missing argument "path"/,
    /"head" is "many", and must be a number/, /files.read_text_file: Access/,
    /"path" is not an argument/, /no command nonsense/, /no option --nonsense/,
    /unknown argument "pth"; did you mean "path"\?; missing argument "path"; .*"head" is/,
    /"path" is 7, and must be a string/]
    .forEach((pattern, i) => assert.match(told[i], pattern));
  assert.equal(told.length, 11);
  await raw.finish();
});

test('calls hold what a script does to them', async (t) => {
  /* Where the machine is slow all of its jobs live at once. */
  const raw = await Raw.open(t, withServers(t, { odd: hostile() },
    { env: { CAISSON_PIDS: '400' } }));
  const servers = ['odd'];

  /* Many at once, large ones, callers that are killed. */
  assert.deepEqual(await printed(raw, `
for i in $(seq 150); do mcp call odd echo text=$i > out.$i & done
wait
cat out.* | grep -c .
python3 -c 'import json; print(json.dumps({"text": "x" * 6000000}))' > big
mcp call odd echo - < big | wc -c
for i in 1 2 3 4 5; do mcp call odd echo text=x & kill -9 $!; done 2> /dev/null
wait 2> /dev/null
mcp call odd echo text=alive`, { servers, timeout: 100 }),
  ['150', '6000013', '{"text":"alive"}']);
  /* What it writes where calls are named, or frames are made of. */
  const lines = await printed(raw, `
cd /tmp/.caisson
head -c 50000 /dev/urandom > requests
printf '\\n../../workspace/x\\n9-9\\n2-\\n\\n' > requests
ask() {
  printf '%s' "$2" > $1.request; mkfifo $1
  exec 8<> $1
  echo $1 > requests
  IFS= read -r -t 30 line <&8 && printf '%s\\n' "$line"
}
ask 1-1 '{"type":"run","code":"x"}'
ask 1-2 '{"type":"list_servers"},"id":9,"x":{'
ask 1-3 '{"type":"call_tool","server":"odd","tool":"echo"}'
ask 1-4 "$(python3 -c 'print("[" * 255 + "]" * 255)')"
mkfifo 1-5.request 1-6; ln -s /dev/full 1-6.request; echo 1-5 > requests
echo 1-6 > requests
mcp call odd echo text=alive`, { servers, timeout: 60 });

  assert.equal(lines.length, 5);
  for (const line of lines.slice(0, 4))
    assert.equal(JSON.parse(line).success, false);
  assert.equal(lines[4], '{"text":"alive"}');
  /* Without the process that passes calls on, only calls fail. */
  const { structuredContent: seen } = await run(raw, `
for each in /proc/[0-9]*; do
  read name < $each/comm; [ $name = mcp-serve ] && kill -9 \${each#/proc/}
done
mcp call odd echo text=x; echo $?
rm -r /tmp/.caisson; mcp servers; echo $?; exit 5`, { servers });

  assert.deepEqual(seen.stdout, ['1', '1']);
  assert.equal(seen.exitCode, 5);
  assert.match(seen.stderr[0], /connection to the servers is gone/);
  await raw.finish();
});
