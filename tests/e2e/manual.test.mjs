/*
 * The manual and the program cannot drift apart: everything that the manual
 * shows as code is run as it stands there, and nothing is tried that the
 * manual does not show.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { contained, usually } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import { example, withServers } from './support/servers.mjs';

usually();

const call = 'r = await mcp_fs.read_file(path="a.txt")\n';
const resource = 'r = await mcp_fs.read_resource("file:///a")\n';
const missing = `
try:
    await mcp_fs.read_file(path="missing")
except runtime.MCPError as e:
`;
const found = `
d = (await runtime.search_tool_docs("read a file", limit=5,
                                    detail="full"))[0]
`;
const raises = (code, error) => `
try:
    ${code}
except ${error}:
    works = True`;
const same = (code) => `works = (${code}).text == "text of a.txt"`;
const docs = (code) =>
  `found = str(${code})\nworks = "read-file" in found or "mcp_fs.read_file(" in found`;
const writable = (place) => `
open("${place}/a", "w").write("x")
works = open("${place}/a").read() == "x"`;
const notExecutable = (...command) => `
import os, subprocess
open("a", "w").write("#!/bin/sh\\nexit 3")
open("b", "w").write("#!/usr/bin/python3\\nimport sys; sys.exit(3)")
os.chmod("a", 0o755)
os.chmod("b", 0o755)
assert subprocess.run(${JSON.stringify(command)}).returncode == 3
try:
    subprocess.run(["./" + "${command[1]}"])
except PermissionError:
    works = True`;

/* A picture of one pixel. */
const gif = 'bytes.fromhex("474946383961010001000000002c' +
  '00000000010001000002003b")';

/* What is shown as code, and what is true where that works. */
const shown = {
  'print()': 'print()\nworks = True',
  '__name__ == "__main__"': 'works = __name__ == "__main__"',
  'await': 'import asyncio\nawait asyncio.sleep(0)\nworks = True',
  'async for': `
async def numbers():
    yield 7
async for n in numbers():
    works = n == 7`,
  'async with': `
import asyncio
async with asyncio.Lock():
    works = True`,
  'await main()': 'async def main(): return 7\nworks = await main() == 7',
  'asyncio.run(main())': `
import asyncio
async def main(): return 7
works = asyncio.run(main()) == 7`,
  'asyncio.run()': `
import asyncio
works = asyncio.run(asyncio.sleep(0, True))`,
  'input()': raises('input()', 'EOFError'),
  'multiprocessing': `
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool:
    works = pool.map(abs, [-1, 2]) == [1, 2]`,
  '/dev/shm': writable('/dev/shm'),
  'multiprocessing.shared_memory': `
from multiprocessing import shared_memory
m = shared_memory.SharedMemory(create=True, size=9)
works = len(m.buf) >= 9
m.close()
m.unlink()`,
  'mmap.mmap(-1, n)': 'import mmap\nworks = len(mmap.mmap(-1, 9)) == 9',
  'servers': 'works = LOADED_MCP_SERVERS == ("fs",)',
  'runtime.discovered_servers()':
    'works = runtime.discovered_servers() == ("fs", "x")',
  'save_memory("key", value, metadata=None)': `
value = [1, {"a": None}]
save_memory("key", value, metadata=None)
works = load_memory("key") == value`,
  'load_memory("key", default=None)': `
delete_memory("key")
works = load_memory("key", default=7) == 7`,
  'update_memory("key", lambda old: (old or 0) + 1)': `
save_memory("key", 1)
update_memory("key", lambda old: (old or 0) + 1)
works = load_memory("key") == 2`,
  'list_memories()': `
save_memory("key", 1)
works = "key" in str(list_memories())`,
  'get_memory_info("key")': `
save_memory("key", 1)
works = "key" in str(get_memory_info("key"))`,
  'memory_exists("key")': `
save_memory("key", 1)
works = memory_exists("key")`,
  'delete_memory("key")': `
save_memory("key", 1)
delete_memory("key")
works = not memory_exists("key")`,
  'save_tool(function)': `
def function(n):
    return runtime.list_servers_sync(), n + 1
save_tool(function)
works = True`,
  'from user_tools import function': `
from user_tools import function
works = function(1) == (("fs",), 2)`,
  'dir(user_tools)': `
import user_tools
works = "function" in dir(user_tools)`,
  'r = await mcp_fs.read_file(path="a.txt")': `${call}${same('r')}`,
  '-': same('await mcp_fs["Read-File"](path="a.txt")'),
  '_': same('await mcp_fs.read_file(path="a.txt")'),
  'await mcp_servers["fs"]["read-file"](path="a.txt")':
    same('await mcp_servers["fs"]["read-file"](path="a.txt")'),
  'await runtime.call_tool("fs", "read-file", {"path": "a.txt"})':
    same('await runtime.call_tool("fs", "read-file", {"path": "a.txt"})'),
  'import mcp_fs': `import mcp_fs as f
${same('await f.read_file(path="a.txt")')}`,
  'from mcp import fs': `from mcp import fs
${same('await fs.read_file(path="a.txt")')}`,
  'from mcp.servers.fs import read_file':
    `from mcp.servers.fs import read_file
${same('await read_file(path="a.txt")')}`,
  'r': `${call}works = isinstance(r, dict)`,
  'r["content"]': `${call}works = r["content"][0]["text"] == r.text`,
  'r["path"]': `${call}works = r["path"] == r.get("path") == "a.txt"`,
  'r.path': `${call}works = r.path == r.data.path == "a.txt"`,
  'r[x]': `${call}works = r["structuredContent"] == r.data != r["content"]`,
  'r.x': `${call}works = r.path == "a.txt" and r.content is r["content"]`,
  'x in r': `${call}works = "path" in r and "content" in r and "a" not in r`,
  'r.get(x)': `${call}works = r.get("path") == "a.txt" != r.get("content")`,
  'r.pop(x)': `${call}works = r.pop("path") == "a.txt" and not r.data`,
  'len(r)': `${call}works = len(r) == len(list(r)) > 2`,
  '==': `${call}works = r == dict(r) != r.data`,
  '|': `${call}works = (r | {}) == r`,
  'r.items()': `${call}works = [key for key, _ in r.items()] == [*dict(r)]`,
  'dict(r)': `${call}works = [*dict(r), "path"] == [*r]`,
  'for x in r': `${call}works = "path" in [x for x in r]`,
  'print(r)': `${call}works = str(r) == r.text`,
  'r.blocks': `${call}works = r.blocks == r["content"]`,
  'None': 'works = not runtime.call_tool_sync("fs", "read-file", {' +
    '"path": "a"}).is_error',
  'r.text': `${call}${same('r')}`,
  'r.data': `${call}works = r.data == {"path": "a.txt"}`,
  'await asyncio.gather(*calls)': `
import asyncio
calls = [mcp_fs.read_file(path=str(n)) for n in range(3)]
works = [r.data["path"] for r in await asyncio.gather(*calls)] == [*"012"]`,
  'mcp_fs.read_file(path="a").result()':
    'works = mcp_fs.read_file(path="a").result().text == "text of a"',
  'asyncio.wait_for(call, 5)': `
import asyncio
call = mcp_fs.read_file(path="a.txt")
works = (await asyncio.wait_for(call, 5)).text == "text of a.txt"`,
  '.result(timeout=5)':
    same('mcp_fs.read_file(path="a.txt").result(timeout=5)'),
  'runtime.ArgumentError': `
try:
    await mcp_fs.read_file(pth="a.txt")
except runtime.ArgumentError as e:
    works = isinstance(e, runtime.MCPError) and isinstance(e, TypeError)`,
  'runtime.MCPError': `${missing}    works = True`,
  '.server': `${missing}    works = e.server == "fs"`,
  '.tool': `${missing}    works = e.tool == "read-file"`,
  '.result': `${missing}    works = e.result.text == "text of missing"`,
  'runtime.configure(raise_on_error=False)': `
runtime.configure(raise_on_error=False)
works = (await mcp_fs.read_file(path="missing")).text == "text of missing"`,
  'r.is_error': `
runtime.configure(raise_on_error=False)
works = (await mcp_fs.read_file(path="missing")).is_error`,
  'runtime.capability_summary("full")': `
works = runtime.capability_summary("full").startswith(
    runtime.capability_summary().partition("\\n**In this call**")[0])`,
  'await runtime.search_tool_docs("read a file", limit=5)':
    docs('await runtime.search_tool_docs("read a file", limit=5)'),
  'server': `${found}works = d["server"] in ("fs", "x")`,
  'tool': `${found}works = d["tool"] == "read-file"`,
  'toolAlias': `${found}works = d["toolAlias"] == "read_file"`,
  'description': `${found}works = d["description"] == "Read a file."`,
  'score': `${found}works = 0 < d["score"] <= 1`,
  'detail="full"':
    `${found}works = d["inputSchema"] == d["outputSchema"] != None`,
  'await runtime.query_tool_docs("fs", tool="read-file", detail="full")': docs(
    'await runtime.query_tool_docs("fs", tool="read-file", detail="full")'),
  'help(mcp_fs.read_file)': `
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()) as printed:
    help(mcp_fs.read_file)
works = "path" in printed.getvalue()`,
  'inspect.signature(mcp_fs.read_file)': `
import inspect
works = list(inspect.signature(mcp_fs.read_file).parameters) == ["path"]`,
  'await runtime.list_tools("fs")': docs('await runtime.list_tools("fs")'),
  'runtime.types("fs")': `
t = runtime.types("fs")
works = t == await runtime.query_tool_docs("fs", detail="types") and \\
    "export function read_file(args: { path: string" in t`,
  'runtime.describe_server("fs")': docs('runtime.describe_server("fs")'),
  'await mcp_fs.resources()':
    'works = (await mcp_fs.resources())[0]["uri"] == "file:///a"',
  'await runtime.resources("fs")': `
works = await runtime.resources("fs") == await mcp_fs.resources()`,
  'await mcp_fs.resource_templates()':
    'works = len(await mcp_fs.resource_templates()) == 1',
  'await mcp_fs.read_resource("file:///a")': `${resource}works = True`,
  '.contents': `${resource}works = r.contents[0].uri == "file:///a"`,
  '.text': `${resource}works = r.text == "[1]"`,
  '.data': `${resource}works = r.data == [1]`,
  'await block.read()': `
block = (await mcp_fs.resources())[0]
works = (await block.read()).data == [1]`,
  'await mcp_fs.prompts()':
    'works = [p["name"] for p in await mcp_fs.prompts()] == ["plan"]',
  'await mcp_fs.get_prompt("plan", city="Rome")': `
works = (await mcp_fs.get_prompt("plan", city="Rome")).text == "Rome"`,
  'await mcp_fs.complete("city", "R", prompt="plan")': `
works = await mcp_fs.complete("city", "R", prompt="plan") == ["R", "plan"]`,
  'template=': `
works = await mcp_fs.complete("path", "b", template="file:///{path}") == [
    "b", "file:///{path}"]`,
  'runtime.search_tool_docs_sync':
    docs('runtime.search_tool_docs_sync("file")'),
  'runtime.query_tool_docs_sync': docs('runtime.query_tool_docs_sync("fs")'),
  'runtime.list_tools_sync': docs('runtime.list_tools_sync("fs")'),
  'runtime.call_tool_sync':
    same('runtime.call_tool_sync("fs", "read-file", {"path": "a.txt"})'),
  'help(runtime)': `
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()) as printed:
    help(runtime)
works = all(name in printed.getvalue() for name in runtime.__all__)`,
  '/usr': raises('open("/usr/a", "w")', 'OSError'),
  'importlib.util.find_spec("numpy")': `
import importlib.util
works = importlib.util.find_spec("numpy") is None or __import__("numpy")`,
  'pip install': `
import subprocess, sys
works = subprocess.run([sys.executable, "-m", "pip", "install", "x"],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0`,
  'plt.show()': `
try:
    import matplotlib.pyplot as plt
except ImportError:
    works = True
else:
    plt.plot([1, 2])
    plt.show()
    works = plt.get_fignums() == []`,
  'image.show()': `
try:
    from PIL import Image
except ImportError:
    works = True
else:
    image = Image.new("RGB", (9, 9))
    works = image.show() is None`,
  'display(x)': `x = ${gif}\ndisplay(x)\nworks = True`,
  'runtime.show(x, title=None)': `
x = ${gif}
runtime.show(x, title=None)
works = True`,
  'runtime.output("ID")': `
try: runtime.output("ID")
except runtime.MCPError as error: works = "kept under this id" in str(error)`,
  'runtime.progress(done, total=None, text=None)': `
done = 1
runtime.progress(done, total=None, text=None)
works = True`,
  'plt.savefig("/workspace/out/a.png")': `
try:
    import matplotlib.pyplot as plt
except ImportError:
    works = True
else:
    plt.plot([1, 2])
    plt.savefig("/workspace/out/a.png")
    works = open("/workspace/out/a.png", "rb").read(4) == b"\\x89PNG"`,
  '/workspace': `${writable('/workspace')}
import os
assert os.getcwd() == os.environ["HOME"] == "/workspace"`,
  '/tmp': writable('/tmp'),
  '/tmp/run_python.py':
    'works = "works" in open("/tmp/run_python.py").read()',
  'sh script': notExecutable('sh', 'a'),
  'python3 file': notExecutable('python3', 'b'),
  'socket.socketpair()': `
import socket
a, b = socket.socketpair()
a.send(b"x")
works = b.recv(1) == b"x"`,
  'PermissionError: [Errno 1] Operation not permitted': `
import socket
try:
    socket.socket()
except PermissionError as e:
    works = str(e) == "[Errno 1] Operation not permitted"`,
};

/* What is shown of an answer: the code whose answer shows it, and how. */
const answers = {
  '/workspace/out': [{ code: 'open("/workspace/out/a.txt", "w").write("a")' },
    /^file: a\.txt \(1 byte\)$/m],
  '/workspace/in': [{ code: 'open("/workspace/in/a.txt")' },
    /^hint: \/workspace\/in has the files that the call names/m],
  'runtime.save_file(path_or_bytes, "name.xlsx")': [
    { code: 'runtime.save_file(b"a", "name.xlsx")' },
    /^file: name\.xlsx \(1 byte\)$/m],
  'timeout': [{ code: 'import time; time.sleep(600)', timeout: 1 },
    /^status: timeout/],
  'subprocess': [{ code: 'import subprocess; subprocess.run(["echo", "one"])' },
    /^one$/],
  'stderr:': [{ code: 'import sys; print(1, file=sys.stderr)' },
    /^stderr:\n1$/m],
  'status:': [{ code: '1/0' }, /^status: error/],
  'error': [{ code: '1/0' }, /^status: error/],
  'calls made:': [{ code: 'await mcp_fs.read_file(path="a")\n1/0' },
    /^calls made: fs\.read.file$/m],
  'note:': [{ code: '```\nprint(1)\n```' }, /^note: /m],
  'exit:': [{ code: '1/0' }, /^exit: 1$/m],
  'error:': [{ code: 'import time; time.sleep(600)', timeout: 1 },
    /^error: ./m],
  'sys.exit("text")': [{ code: 'import sys; sys.exit("text")' },
    /^exit: 1$/m],
  'sys.exit(N)': [{ code: 'import sys; sys.exit(7)' }, /^exit: 7$/m],
};

/* What is told in words: the sentence, a call, and what its answer is. */
const told = [
  ['Only what is printed, or the value of the last expression, comes back',
    { code: 'x = 6\nx * 7' }, /^42$/],
  ['comes back', { code: 'x = 6' }, /^Success \(no output\)$/],
  ['of a result its `r.data`', { code: `
save_memory("key", await mcp_fs.read_file(path="a"))
print(load_memory("key"))` }, /^\{'path': 'a'\}$/],
  ['nothing of an earlier call', { code: 'print(works)' }, /NameError/],
  ['no network', { code: 'import urllib.request as u\n' +
    'u.urlopen("http://example.com")' }, /^hint: .*network/m],
  ['which loads when it is first used',
    { code: 'print(await mcp_fs.read_file(path="a"))' }, /^text of a$/],
  ['What was printed until then comes back', { timeout: 8,
    code: 'print("before")\nimport time; time.sleep(600)' }, /^before$/m],
  ['**Pictures** come back, in order with what is printed',
    { code: `display(${gif})` },
    /^\[picture 1 \(GIF, 1 x 1, \d+ bytes\)\]/],
  ['Code that compiles runs as it was written',
    { code: '"""print(7)"""' }, /^'print\(7\)'$/m],
  ['Code that does not is repaired where only one meaning is possible',
    { code: '```python\nprint(7)\n```' }, /^7\nnote: .*fence/],
  ['A task that has not ended when the code does is cancelled, and a note ' +
    'says so', { code: 'import asyncio\nasync def f(): await asyncio.sleep(9)\n' +
    'await asyncio.sleep(0)\nt = asyncio.create_task(f())' },
  /^note: 1 task of f\(\) had not ended when the code did/m],
  ['answers with its value, up to 2 KiB', { code: '"x" * 5000' },
    /^'x{1800,2000} \.\.\. \(5002 bytes in all/],
  ['those named in the argument `servers` start ahead',
    { code: 'print(runtime.list_servers())', servers: ['fs'] }, /^\('fs',\)$/],
  ['whose result is used without awaiting it, is carried out',
    { code: 'print(mcp_fs.read_file(path="a").text)' }, /^text of a$/m],
  ['Only the first process of the code can call', { code: `
import os
if os.fork() == 0:
    try: mcp_fs.read_file(path="a").result()
    except runtime.MCPError as e: print(e, flush=True)
    os._exit(0)
os.wait()` }, /only the first process/],
  ['a result that is an argument of a tool is its data',
    { code: 'r = await mcp_fs.read_file(path="a")\n' +
      'print(await mcp_fs.read_file(r))' }, /^text of a$/],
  ['Arguments without names are taken in the order of the schema',
    { code: 'print(await mcp_fs.read_file("a"))' }, /^text of a$/],
  ['one dict alone is all arguments',
    { code: 'print(await mcp_fs.read_file({"path": "a"}))' },
    /^text of a$/],
  ['ends with a hint: the shape of the data',
    { code: '(await mcp_fs.read_file(path="a")).data["x"]' },
    /^hint: fs\.read_file \.data is \{path: str\}$/m],
  ['Printed, each is one line: the call with its types, and what the tool ' +
    'does', { code: 'print(await runtime.search_tool_docs("read a file"))' },
  /^mcp_fs\.read_file\(path: str\).*: Read a file\b.*$/m],
  contained ? ['in a container, a process is killed instead',
    { code: 'bytearray(1 << 30)' }, /ran out of memory/] :
    ['one process that wants more gets MemoryError',
      { code: 'bytearray(1 << 30)' }, /^MemoryError/m],
  ['256 open files', { code: 'import os\n' +
    'for _ in range(256): os.dup(0)' }, /Too many open files/],
  ['a line says how many bytes were cut between them',
    { code: 'print("x" * 70000)' }, /\[\.{3} 4465 bytes cut here/],
];

/* What else is shown: names that stand in the list of tools. */
const named = ['run_python', 'code'];

test('client and code read the same manual', async (t) => {
  for (const api of ['on', 'off']) {
    const raw = await Raw.open(t, { env: { CAISSON_MEMORY_API: api } });
    const { result } = await raw.request('resources/read',
      { uri: 'resource://caisson/capabilities' });
    const [inside] = await raw.printed(`
import json
print(json.dumps(runtime.capability_summary("full")))`);
    const [manual, here] = result.contents[0].text.split('\nIn force here: ');
    const [same, call] = JSON.parse(inside).split('\n**In this call**');

    assert.equal(same, manual);
    assert.match(here, /^30 s a call/);
    assert.match(call, /loaded: none/);
    assert.equal(manual.includes('save_memory'), api === 'on');
    await raw.finish();
  }
});

test('all that the manual shows as code works', async (t) => {
  const raw = await Raw.open(t,
    withServers(t, { fs: example(), x: example() }));
  const { result } = await raw.request('resources/read',
    { uri: 'resource://caisson/capabilities' });
  const spans = [...result.contents[0].text.matchAll(/`([^`]+)`/g)]
    .map(([, code]) => code);

  const [tool] = (await raw.request('tools/list')).result.tools;

  assert.deepEqual([...new Set(spans)].sort(),
    [...Object.keys(shown), ...Object.keys(answers), ...named].sort());
  for (const name of named)
    assert.ok(name === tool.name || name in tool.inputSchema.properties, name);
  for (const [name, code] of Object.entries(shown)) {
    await t.test(name, async () => {
      const lines = await raw.printed(
        `works = None\n${code}\nprint("works" if works else repr(works))`,
        { servers: ['fs'], timeout: 100 });

      assert.equal(lines.at(-1), 'works');
    });
  }
  for (const [name, [given, look]] of Object.entries(answers)) {
    await t.test(name, async () => {
      const { content } = await raw.run(given.code, given);

      assert.match(content[0].text, look);
    });
  }
  await raw.finish();
});

test('what the manual tells in words is so', async (t) => {
  const raw = await Raw.open(t,
    withServers(t, { fs: example(), x: example() }));
  const { result } = await raw.request('resources/read',
    { uri: 'resource://caisson/capabilities' });
  const manual = result.contents[0].text.replace(/\s+/g, ' ');

  for (const [sentence, given, look] of told) {
    await t.test(sentence, async () => {
      assert.ok(manual.includes(sentence), 'it is in the manual');
      const { content } = await raw.run(given.code, given);

      assert.match(content[0].text, look);
    });
  }
  await raw.finish();
});

test('functions that are told of are there', async (t) => {
  const raw = await Raw.open(t);
  const { result } = await raw.request('tools/list');
  const [names] = await raw.printed(
    'import json\nprint(json.dumps(runtime.__all__))');

  for (const text of [JSON.stringify(result), ...['README.md', 'man/news.md',
    'man/caisson.1.in', 'man/caisson.conf.5.in'].map((path) => readFileSync(
    new URL(`../../${path}`, import.meta.url), 'utf8'))]) {
    for (const [, name] of text.matchAll(/\bruntime\.([a-z]\w*)\(/g))
      assert.ok(JSON.parse(names).includes(name), name);
  }
  await raw.finish();
});
