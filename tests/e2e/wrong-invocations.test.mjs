/*
 * What people get wrong: commands, flags, variables and files. Each is refused
 * with one sentence on standard error that names what is wrong and the fix,
 * with the right exit status; nothing is printed on standard output, no process
 * is started and no file is made.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { folder, ran, usually } from './support/program.mjs';

usually();

/* What failed and how to fix it: all of these are in the sentence. */
const commands = [
  ['serve --listen 8080', 2, /--listen is "8080".*127\.0\.0\.1:8080/],
  ['serve --allow-host', 2, /--allow-host lacks its value.*NAME:PORT/],
  ['serve --listen unix:/no/x.sock', 2, /--listen: .* \/no\/: No such file.*make/],
  ['serve --listen unix:~/x.sock', 2, /--listen: .*~\/: .*~ is not expanded/],
  ['serve --allow-host a:b', 2, /--allow-host is "a:b"/],
  ['serve --allow-origin a.example', 2, /"a.example".*a scheme and a name/],
  ['serve --trust-proxy a.example', 2, /"a.example".*an address of IPv4/],
  ['token add', 2, /'caisson token add' lacks its NAME/],
  ['token add a/b', 2, /^caisson: "a\/b" cannot be the name of a token: it has 1 to 64 letters/],
  ['token add a --tool nope', 2, /"nope" is not a tool.*run_python, run_code/],
  ['token add a --calls 0', 2, /--calls must be a number from 1 to/],
  ['token add a --no-servers --server gh', 2, /exclude each other/],
  ['token revoke a', 1, /token "a": there is no token.*'caisson token list'/],
  ['image build', 2, /'caisson image build' lacks its LANGUAGE/],
  ['image build Ruby!', 2, /"Ruby!" cannot be the name of a language/],
  ['image build bash', 2, /"bash" is built in.*image build python/],
  ['image build ruby', 2, /needs Debian packages or a directory.*--from/],
  ['image build ruby --package a,b', 2, /"a,b" is not the name of a Debian/],
  ['image build ruby --package -x', 2, /--package/],
  ['image build ruby --package ruby', 2, /command that reads code.*behind --/],
  ['image build ruby --package r -- ruby', 2, /an absolute path in the image/],
  ['image build python --from / --package a', 2, /exclude each other/],
  ['image build python --from-image -x', 2, /--from-image/],
  ['image pull', 2, /'caisson image pull' lacks its REFERENCE/],
  ['image add', 2, /'caisson image add' lacks its NAME/],
  ['image make', 2, /"make" is not understood.*build LANGUAGE/],
  ['exec /no/such', 2, /program \/no\/such cannot be read: No such.*name a file/],
  ['exec --language cobol /dev/null', 2, /"cobol": the languages are python/],
  ['exec /dev/null', 2, /code is blank: give the Python source/],
  ['exec --out /dev/null/x -', 2, /\/dev\/null\/x.*name another one in --out/],
  ['exec --server x', 2, /--server is a flag of other commands: did you mean --servers\?/],
  ['exec a.py b', 2, /"b" is not understood: write 'caisson exec \[FILE\] -- \[ARG\.\.\.\]'/],
  ['run prog.py', 2, /"prog.py" is not understood/],
  ['selftes', 2, /"selftes".*'caisson selftest'/],
  ['start', 2, /"start" is not a command: 'caisson help'/],
  ['timeout 3', 2, /"timeout" is not a command.*--timeout/],
  ['links', 2, /'caisson links' takes one of revoke/],
  ['tools list', 2, /did you mean 'caisson saved-tools'/],
  ['selftest now', 2, /"now" is not understood.*'caisson --help'/],
  ['selftest --check', 2, /'caisson selftest' and --check exclude/],
  ['selftest --verbose=3', 2, /--verbose takes no value/],
  ['help memroy', 2, /"memroy".*'caisson help memory'/],
  ['help nothing', 2, /"nothing" is not a command: 'caisson help'/],
  ['client nosuch', 2, /"nosuch".*claude-code, cursor/],
  ['servers --selftest --check', 2, /--selftest and --check exclude each/],
  ['servers import cursor', 2, /consent: add --yes, or --dry-run/],
  ['servers import cursor --yes', 1, /no file of servers yet.*start it/],
  ['servers import goose --yes', 2, /YAML.*by hand/],
  ['servers add', 2, /'caisson servers add' lacks its NAME/],
  ['servers add gh', 2, /lacks its COMMAND behind --/],
  ['servers add https://h.example/', 2, /'caisson servers add' lacks its NAME/],
  ['servers add gh npx', 2, /"npx".*servers add NAME -- COMMAND/],
  ['servers add gh --env -- cat', 2, /--env lacks its KEY/],
  ['servers add gh --env =x -- cat', 2, /--env lacks.*KEY=VALUE/],
  ['servers add gh --env NONE -- cat', 2, /--env NONE.*standard input.*set/],
  ['servers add gh --cwd /no/such -- cat', 2, /--cwd \/no\/such/],
  ['servers remove', 2, /'caisson servers remove' lacks its NAME/],
  ['servers remove gh', 1, /^caisson: server "gh": there is no such server: 'caisson servers list'/],
  ['adopt', 2, /lacks its CLIENT, such as cursor: 'caisson client'/],
  ['adopt nosuch --yes', 2, /"nosuch".*cursor/],
  ['adopt cursor', 2, /consent: add --yes, or --dry-run/],
  ['adopt cursor --yes', 1, /Cursor has no file of servers yet.*start it/],
  ['adopt goose --yes', 2, /YAML.* to \/\S+\/caisson\/servers\/goose\.json .*'caisson client goose'/],
  ['adopt cursor --unod', 2, /--unod.*did you mean --undo\?/],
  ['adopt cursor --yes --yes', 2, /--yes is given twice: give it once/],
  ['selftest --dry-run', 2, /--dry-run is a flag of other commands: 'caisson help dry-run'/],
  ['libraries --json --json', 2, /--json is given twice: give it once/],
  ['memory list --owner .x', 2, /--owner.*"\.x".*name of a token/],
  ['files list --owner', 2, /--owner lacks its OWNER/],
  ['--timeout 3 memory list', 2, /"memory" must come before all options/],
  ['config set', 2, /'caisson config set' lacks its KEY/],
  ['config set memory', 2, /'caisson config set' lacks its VALUE/],
  ['config set memroy 1g', 2, /"memroy" is not a setting: did you mean memory/],
  ['config set mcpServers x', 2, /"mcpServers" is not a setting: /],
  ['config set memory x', 2, /\/config\.json:memory is "x", but must be a si/],
  ['config set timeout 3h', 2, /config\.json:timeout is 10800 seconds.*MAX_TI/],
  ['config show memory', 2, /"memory" is not understood/],
  ['memory clear', 2, /'caisson memory clear' removes nothing .* add --yes/],
  ['files clear', 2, /'caisson files clear'.*add --yes/],
  ['memory show k --owner -', 1, /'caisson memory list --owner -'/],
  ['files show f --owner -', 1, /'caisson files list --owner -'/],
  ['memory show nokey', 1, /^caisson: memory "nokey": there is no memory of this key \('caisson memory list'/],
  ['sessions end a', 1, /^caisson: session "a": there is no such session \('caisson sessions list'/],
  ['memory show k --selftest', 2, /'caisson memory show' and --selftest excl/],
  ['saved-tools show x', 1, /saved tool "x": there is no saved tool of this name.*saved-tools list/],
  ['files show x', 1, /file "x": there is no file of this name.*'caisson files list'/],
  ['files add /no/such', 1, /\/no\/such cannot be opened: No such file/],
  ['files add /etc', 1, /\/etc is no regular file/],
  ['completion csh', 2, /"csh".*bash\|zsh\|fish/],
  ['adopt cursor --json', 2, /--json shows what would change: add --dry-run/],
  ['adopt cursor --json --dry-run --undo', 2, /--json and --undo exclude/],
  ['completion bash --json', 2, /--json is a flag of other commands/],
  ['--json', 2, /--json is a flag of other commands/],
  ['--undo', 2, /--undo .*'caisson help undo' lists them/],
  ['libraries x', 2, /"x".*minimal\|office\|science/],
];

const flags = [
  ['-x', /-x is not an option: 'caisson --help'/],
  ['-v', /--verbose is a flag of other commands: 'caisson help verbose'/],
  ['--tmeout 3', /--tmeout is not an option: did you mean --timeout\?/],
  ['--timeout', /--timeout lacks its value.*30s/],
  ['--check=1', /--check takes no value/],
  ['--check --selftest', /--check and --selftest exclude each other/],
  ['--python /no/python', /--python is \/no\/python, which does not exist.*set/],
  ['--python /etc', /--python is \/etc, a folder without bin\/python3.*set/],
  ['--python /etc/passwd', /--python is \/etc\/passwd, which is not a program/],
  ['--timeout 9 --max-timeout 3', /--timeout is 9 seconds.*--max-timeout/],
  ['--audit-file /dev', /\/dev is a directory.*file in --audit-file, or none/],
  ['--listen 127.0.0.1:0', /--listen is for 'caisson serve': write the comm/],
];

const variables = [
  ['CAISSON_TIMOUT=3', /CAISSON_TIMOUT.*did you mean CAISSON_TIMEOUT\?/],
  ['CAISSON_QQQQQQQQ=3', /CAISSON_QQQQQQQQ is not an option.*--help/],
  ['CAISSON_POOL=-1', /CAISSON_POOL is "-1".*auto or a whole number/],
  ['CAISSON_CPUS=1,5', /CAISSON_CPUS is "1,5".*such as 2, 1.5/],
  ['CAISSON_SHELL=sh', /CAISSON_SHELL is "sh".*absolute path/],
  ['CAISSON_PRELOAD=1x', /CAISSON_PRELOAD is "1x".*such as json,numpy/],
  ['CAISSON_ARGUMENTS=x', /CAISSON_ARGUMENTS is "x".*code, servers/],
  ['CAISSON_LISTEN=8080', /CAISSON_LISTEN is "8080".*unix:PATH/],
  ['CAISSON_STATE_DIR=x', /CAISSON_STATE_DIR is "x".*absolute path/],
  ['CAISSON_STATE_DIR=~you/x', /"~you\/x".*~ stands for the folder that HOME names/],
  /* The earlier bridge had these names, or took these values. */
  ['MCP_BRIDGE_TIMEOUT=x', /MCP_BRIDGE_TIMEOUT is "x".*30s/],
  ['CAISSON_RUNTIME=/usr/bin/env', /not podman or docker/],
  ['CAISSON_RUNTIME=oci', /must be one of native, podman, docker/],
  ['MCP_BRIDGE_STATE_DIR=./state', /MCP_BRIDGE_STATE_DIR.*absolute path/],
  ['MCP_BRIDGE_MEMORY=512', /MCP_BRIDGE_MEMORY is "512".*512m/],
  ['MCP_BRIDGE_PIDS=unlimited', /MCP_BRIDGE_PIDS.*8 to 32768/],
  ['MCP_BRIDGE_OUTPUT_MODE=tron', /MCP_BRIDGE_OUTPUT_MODE.*toon/],
  ['MCP_BRIDGE_LOG_LEVEL=loud', /MCP_BRIDGE_LOG_LEVEL.*warn/],
];

const files = [
  ['{', /config\.json: is not JSON at line 1/],
  ['{"timout": 3}', /config\.json: "timout".*did you mean "timeout"\?/],
  ['{"max-timeout": 3}', /config\.json: .*did you mean "max_timeout"\?/],
  ['{"CAISSON_MEMORY": "1g"}', /config\.json: .*did you mean "memory"\?/],
  ['{"timeout": "30 s"}', /config\.json:timeout is "30 s".*30s/],
  ['{"mcpServers": {}}', /config\.json: .* in \/\S+\/caisson\/servers\/NAME\.json/],
  ['{"servers": []}', /config\.json: .* in \/\S+\/caisson\/servers\/NAME\.json/],
  ['{"allow_host": ["a", "b c"]}', /config\.json:allow_host is "a,b c"/],
];

/* Everything below a folder. */
const tree = (place) => fs.readdirSync(place, { recursive: true }).sort();

/*
 * Runs the program behind a filter under which it cannot make a process, and
 * looks at what it leaves.
 */
function assertWrong(t, { args = [], env = {}, content }, status, look) {
  const home = folder(t);
  const runtime = folder(t);

  if (content !== undefined) {
    fs.mkdirSync(path.join(home, '.config/caisson'), { recursive: true });
    fs.writeFileSync(path.join(home, '.config/caisson/config.json'), content);
  }
  const before = tree(home);
  const done = ran(
    { args, home, refused: ['clone', 'clone3', 'fork', 'vfork'], env: { XDG_RUNTIME_DIR: runtime, ...env } }, { cwd: home });

  assert.match(done.stderr, /^caisson: [^\n]+\n$/, 'one sentence');
  assert.match(done.stderr, look);
  assert.doesNotMatch(done.stderr, /Operation not permitted/);
  assert.deepEqual([done.status, done.stdout], [status, '']);
  assert.deepEqual([tree(home), tree(runtime)], [before, []]);
}

for (const [words, status, look] of commands)
  test(`caisson ${words}`, (t) =>
    assertWrong(t, { args: words === '' ? [''] : words.split(' ') }, status,
      look));

for (const [words, look] of flags)
  test(`caisson ${words}`, (t) =>
    assertWrong(t, { args: words.split(' ') }, 2, look));

for (const [setting, look] of variables)
  test(setting, (t) => {
    const at = setting.indexOf('=');

    assertWrong(t, { env: { [setting.slice(0, at)]: setting.slice(at + 1) } },
      2, look);
  });

for (const [content, look] of files)
  test(`config.json: ${content}`, (t) =>
    assertWrong(t, { content }, 2, look));

test('a state directory that cannot be used is an error of configuration',
  (t) => {
    for (const words of ['memory list', 'memory show k', 'files list',
      'saved-tools clear --yes'])
      assertWrong(t, { args: words.split(' '),
        env: { CAISSON_STATE_DIR: '/etc/passwd' } }, 2,
      /\/etc\/passwd cannot be opened.*CAISSON_STATE_DIR/);
    assertWrong(t, { args: ['memory', 'list'], env: { HOME: '' } }, 2,
      /HOME is not set.*CAISSON_STATE_DIR/);
  });
