"""What code in JavaScript sees of servers, with the relay played.

Starts worker/box/javascript/bootstrap.mjs in each engine that tests/e2e has
from npm, as test_bootstrap.py starts that of Python.

    /usr/bin/python3 tests/box/test_javascript_mcp.py [-v] [-k PATTERN]
"""
import json
import os
import sys
import unittest

import bootstrap
from bootstrap import Box, HERE
from mcp_relay import HANG, UNFIT, run, tool
import test_memory

sys.path.insert(0, os.path.join(HERE, "..", "support"))
from engines import engine_path  # noqa: E402

ROOT = os.path.join(os.path.dirname(bootstrap.PYTHON_DIR), "javascript",
                    "bootstrap.mjs")
# How worker/box/javascript/engine.c starts them.
ARGUMENTS = {"bun": ["--no-install"], "node": [],
             "deno": ["run", "--no-prompt", "--no-config", "--no-lock",
                      "--no-remote", "--no-npm", "--quiet", "--allow-read",
                      "--allow-write", "--allow-env", "--allow-sys"]}
ENGINES = {name: [engine_path(name), *more, ROOT]
           for name, more in ARGUMENTS.items() if engine_path(name)}
ERRORS = """
const tell = async (call) => {
  try { console.log('no error:', await call()); }
  catch (error) { console.log(`${error.name}: ${error.message}`); }
};
"""
GIF = "Buffer.from('GIF89a' + 'x'.repeat(10))"


def box_of(name):
    """Return the class that stands for Box in an engine."""
    return type("Box", (Box,), {"program": [
        "/usr/bin/env", "NO_COLOR=1", "DENO_DIR=/tmp", *ENGINES[name]]})


@unittest.skipUnless(ENGINES, "no engine is installed in tests/e2e")
class JavaScript(unittest.TestCase):
    """Each test runs one program in every engine."""

    maxDiff = None

    def runs(self, code, out, err="", status=0, notes=(), **more):
        """Run code; return the relays."""
        relays = []
        for engine in ENGINES:
            with self.subTest(engine=engine):
                got = run(code, box_in=box_of(engine), **more)
                self.assertIsNone(got.relay.cause)
                self.assertEqual(got.out, out, got.err)
                self.assertIn(err, got.errors)
                self.assertEqual(got.status, status, got.errors)
                self.assertEqual(got.relay.notes, list(notes))
                self.assertNotIn("/mcp/", got.errors)
                relays.append(got.relay)
        return relays

    def tells(self, *cases, **more):
        """Run calls that fail; compare what each error says."""
        code = ERRORS + "".join(
            "await tell(() => %s);\n" % call for call, _ in cases)
        self.runs(code, "".join(text + "\n" for _, text in cases), **more)

    def test_names(self):
        """A server and a tool are found in all spellings."""
        calls = ("mcp_fs.write_file({})", "mcp_fs.writeFile()",
                 "mcp['fs']['write-file']({})", "mcp.My_Git.log()",
                 "mcp_my_git['2nd']()", "mcp_servers['my-git'].class({})",
                 "mcp_web.get({})", "runtime.callTool('fs', 'WriteFile', {})",
                 "runtime.call_tool('mcp__fs__write_file', {})",
                 "runtime.callTool({server: 'fs', tool: 'write-file'})",
                 "mcp_fs.callTool({name: 'write-file', arguments: {}})")
        for relay in self.runs("".join(
                "await %s;\n" % call for call in calls), ""):
            self.assertEqual([call[1] for call in relay.calls], [
                "write-file"] * 3 + ["log", "2nd", "Class", "get"] + [
                    "write-file"] * 4)

    def test_unknown_names(self):
        """Errors name what there is."""
        self.tells(
            ("mcp_fs.red_file({})", "MCPError: fs.red_file: there is no such "
             "tool; did you mean read_file or write-file?"),
            ("mcp['-']", "MCPError: mcp has no -: there is no such server; "
             "there are: fs, my-git, web, mute, é"),
            ("mcp_mute.x()", "MCPError: mute: it could not be started: exited "
             "with code 1"),
            ("runtime.searchTools", "TypeError: runtime has no searchTools; "
             "did you mean searchToolDocs or listTools?"),
            others=["é"], aliases={"é": "_"})

    def test_probed_names(self):
        """A tool may be called like what engines call: they do not call it."""
        names = ["inspect", "then", "toString", "toJSON", "valueOf"]
        for relay in self.runs("""
            await mcp_fs.inspect({});
            const fs = await runtime.loadServer('fs');
            console.log(`${fs} ${'toString' in fs}`, JSON.stringify({fs}));
            await runtime.listTools('fs');
            console.log(Object.keys(await runtime.loadServer('fs')).join());
            console.log(`${fs} ${'toString' in fs}`, JSON.stringify({fs}));
            await runtime.callTool('fs', 'then', {});
        """, "[MCP server fs] true {\"fs\":{}}\n%s\n"
                "[MCP server fs] true {\"fs\":{}}\n" % ",".join(names),
                tools={"fs": [tool(name) for name in names]}):
            self.assertEqual([call[1] for call in relay.calls],
                             ["inspect", "then"])

    def test_arguments(self):
        """Arguments are sent as they are, by name or in their places."""
        for relay in self.runs("""
            await mcp_fs.read_file({path: 'a', mode: undefined});
            await mcp_fs.read_file('a');
            await mcp_fs.read_file('a', {head: 3});
            await mcp_fs.echo({big: 2n ** 64n, at: new Date(0), n: [1.5]});
            const r = await mcp_fs.echo({a: 1});
            await mcp_fs.echo({r});
            await mcp_fs.echo({1: 'x', '\\u00e9': null, '__proto__x': {}});
        """, ""):
            self.assertEqual([call[2] for call in relay.calls], [
                '{"path":"a"}', '{"path":"a"}', '{"path":"a","head":3}',
                '{"big":18446744073709551616,"at":"1970-01-01T00:00:00.000Z",'
                '"n":[1.5]}', '{"a":1}', '{"r":{"a":1}}',
                '{"1":"x","\u00e9":null,"__proto__x":{}}'])

    def test_wrong_arguments(self):
        """What JSON cannot hold is refused with its place, what the broker
        refuses as it says.
        """
        self.tells(
            ("mcp_fs.read_file({})", "ArgumentError: fs.read_file: " + UNFIT),
            ("mcp_fs.read_file('a', 3)", "ArgumentError: fs.read_file: 2 "
             "arguments have no names: write read_file({name: value}); it "
             "takes path (required), head, mode"),
            *(("mcp_fs.echo({a: [%s]})" % value,
               "TypeError: arguments[\"a\"][0] " + text)
              for value, text in (
                  ("new Map()", "is of type Map, which JSON cannot hold: use "
                   "Object.fromEntries(map)"),
                  ("Buffer.from('x')", "is of type Uint8Array, which JSON "
                   "cannot hold: use Buffer.from(it).toString(\"base64\")"),
                  ("undefined", "is undefined, which JSON cannot hold"),
                  ("() => 1", "is a function, which JSON cannot hold"),
                  ("NaN", "is NaN, which JSON cannot hold"),
                  ("new Date(NaN)", "is an invalid Date"),
                  ("Promise.resolve()", "is of type Promise, which JSON "
                   "cannot hold: write 'await' before it"),
                  ("'\\ud800'", "has a lone surrogate, which is no "
                   "character"))))

    def test_results(self):
        """A result has its fields, text and data, and looks into the data."""
        answer = json.dumps(json.dumps({"content": [
            {"type": "text", "text": '[{"id":9007199254740993,"n":1e400},'
             '{"id":2,"n":0.5}]'}]}))
        self.runs("""
            const r = await mcp_fs.raw({json: %s});
            console.log(String(r[0].id), r[0].n, r.length, r.isError);
            console.log(r.map((each) => each.n).join(), r.blocks.length);
            for (const {n} of r) console.log(n);
            console.log(r.structuredContent, 'text' in r, `${r}` === r.text);
            const d = await mcp_fs.echo({a: {b: 1}, items: []});
            console.log(d.a.b, d.items.length, 'a' in d, 'c' in d);
            console.log(JSON.stringify({...d}) === JSON.stringify(d));
            console.log(require('util').inspect([d.a, d.items]));
        """ % answer, "9007199254740993 1e400 2 false\n1e400,0.5 1\n1e400\n"
            "0.5\nundefined true true\n1 0 true false\ntrue\n"
            "[ { b: 1 }, [] ]\n")

    def test_misread(self):
        """What a result, or a call, does not have is an error."""
        self.tells(
            ("mcp_fs.echo({a: 1}).then((r) => r.items)", "TypeError: the "
             "result has no items: write r.data or r.text; r.data is an "
             "object with the keys a"),
            ("mcp_fs.echo({}).data", "TypeError: fs.echo() returns a "
             "Promise: write 'await' before it"),
            ("console.log(mcp_fs.echo({}))", "TypeError: fs.echo() returns a "
             "Promise: write 'await' before it"),
            ("`${mcp_fs.echo({})}`", "TypeError: fs.echo() returns a "
             "Promise: write 'await' before it"),
            ("mcp_fs.echo({a: [{b: 1}]}).then((r) => r.a.issues)",
             "TypeError: a list of a result has no issues: it has 1 items, "
             "and its first one the keys b"),
            ("Object.keys(mcp_web)", "TypeError: the tools of web were not "
             "asked for: write await runtime.listTools(\"web\")"))

    def test_failures(self):
        """A tool that fails throws, unless the code asks for results."""
        self.tells(
            ("mcp_fs.fail()", "MCPError: fs.fail: no such file"),
            ("mcp_fs.silent()", "MCPError: fs.silent: the tool failed and "
             "did not say why"),
            ("mcp_fs.refuse()", "MCPError: fs.refuse: Invalid params: path"),
            ("mcp_fs.raw({json: '5'})", "MCPError: fs.raw: the answer is no "
             "result of a tool"),
            ("(runtime.configure({raiseOnError: false}), mcp_fs.fail()"
             ".then((r) => r.isError))", "no error: true"))
        self.runs("mcp_fs.fail();", "", "MCPError: fs.fail: no such file", 1)
        self.runs("await mcp_fs.hangUp();", "", "MCPError: fs.hang-up: the "
                  "connection to the servers has ended", 1)

    def test_parallel(self):
        """Calls run at the same time, and the program waits for them."""
        for relay in self.runs("""
            const all = Array.from({length: 256}, () =>
              mcp_fs.barrier({n: 128}).then((r) => r.n));
            console.log((await Promise.all(all)).length);
            for (let n = 2; n > 0; n--)
              mcp_fs.barrier({n: 2}).then((r) => console.log(r.text));
        """, '256\n{"n":2}\n{"n":2}\n'):
            self.assertEqual(relay.most, 128)

    def test_large(self):
        """An answer may be as large as the relay lets through."""
        self.runs("console.log((await mcp_fs.raw({json: JSON.stringify("
                  "{content: [{type: 'text', text: 'x'.repeat(8 << 20)}]})}))"
                  ".text.length);", "8388608\n")

    def test_exit(self):
        """A program may end while it waits for a server."""
        self.runs("mcp_fs.never(); process.exit(4);", "", status=4)
        self.runs("mcp_fs.never(); await mcp_fs.echo({});\n"
                  "throw new Error('mine');", "", "Error: mine", 1)

    def test_hints(self):
        """An error, or a program that does nothing, says what was meant."""
        for code, hint in (
                ("mcp_gut.log()", "there is no such server; there are: fs, "
                 "my-git, web, mute"),
                ("mcp_fs_echo({})", "the server fs is mcp_fs, and its tools "
                 "are called as mcp_fs.tool({...})"),
                ("await session.callTool('echo')", "there is no session here: "
                 "write await mcp_<alias>.<tool>({...}), or await runtime."
                 "callTool(server, tool, {...})"),
                ("import { Client } from '@modelcontextprotocol/sdk'; Client()",
                 "the servers are here already: write await ")):
            self.runs(code, "", "\nhint: " + hint, 1)
        self.runs("export default async function run(): Promise<number> {\n"
                  "  return 1;\n}", "", notes=[
                      "nothing has called run(), the default export: end the "
                      "code with await run()"])

    def test_documentation(self):
        """Tools are told of, in lines where they are printed."""
        told = ("mcp_fs.read_file({path: string, head?: number, mode?: "
                "\"text\" | \"binary\"}): Read a file.\n")
        note = ("the search has left out: mute (it does not answer; its "
                "last words: oops)")
        self.runs("""
            const found = await runtime.searchToolDocs('read files', 1);
            console.log(found); console.log(found[0].tool, found[0].score > 0);
            console.log(await runtime.query_tool_docs('web'));
            console.log((await runtime.listTools('web'))[0].inputSchema.type);
            console.log(runtime.discoveredServers().join(),
              (await runtime.listServers()).join());
            const {instructions} = await runtime.describeServer('fs');
            console.log(instructions);
            const text = runtime.capabilitySummary('full');
            console.log(text.split('\\n')[0], text.includes('- loaded: fs: '));
        """, told + "read_file true\nmcp_web.get(): "
            "get it\nobject\nfs,my-git,web,mute fs,my-git\n"
            "Paths are absolute.\n--- JAVASCRIPT SANDBOX MANUAL --- true\n",
            notes=[note])

    def test_odd_tools(self):
        """No tool, whatever it is called and takes, hides another one."""
        big = 2 ** 63 - 1
        tools = [tool(name) for name in ("it", "Symbol", "globalThis")] + [
            tool("big", {"n": {"enum": [big], "default": big}}),
            tool("odd", {"n": {"type": {"toString": 1}},
                         "k": {"type": "constructor"}})]
        self.runs("""
            import { it, big } from 'mcp/fs';
            console.log((await it({a: 1})).a, typeof big);
            console.log(await runtime.listTools('fs'));
            const full = await runtime.queryToolDocs('fs', 'big', 'full');
            console.log(full.length, `${require('util').inspect(full)}`
              .includes('"default": %d'));
        """ % big, "1 function\nmcp_fs.it()\nmcp_fs.Symbol()\n"
            "mcp_fs.globalThis()\nmcp_fs.big({n?: %d})\n"
            "mcp_fs.odd({n?: unknown, k?: constructor})\n1 true\n" % big,
            tools={"fs": tools})

    def test_late(self):
        """A search goes on without a server, and the end does not wait."""
        for relay in self.runs(
                "console.log((await runtime.searchToolDocs('list issue now'))"
                "[0].tool);", "list_issue\n", tools={"mute": HANG, "web": [
                    tool("issue_list"), tool("list_issue")]}, notes=[
                    "the search has left out: not yet started: mute; search "
                    "again for them"]):
            self.assertEqual(len(relay.cancelled), 1)

    def test_modules(self):
        """Servers and the library can be imported, by import and require."""
        self.runs("""
            import * as files from 'mcp/fs';
            import { readFile, nothing as none } from "mcp/fs";
            import { MCPError, runtime as same, web } from 'mcp';
            import git from 'mcp/servers/my-git';
            import { call_tool as call } from 'mcp/runtime';
            console.log((await readFile({path: 'a'})).path, same === runtime);
            console.log((await files.write_file({a: 1})).a, git === mcp_my_git);
            console.log((await call('web', 'get', {b: 2})).b, web === mcp_web);
            const error = await none().catch((it) => it);
            console.log(error instanceof MCPError, error.tool);
            console.log(typeof require('mcp/fs').echo);
            await import('mcp/gut').catch((it) => console.log(it.message));
        """, "a true\n1 true\n2 true\ntrue nothing\nfunction\ngut: there is no "
            "such server; there are: fs, my-git, web, mute\n")

    def test_notes(self):
        """A note tells of pages that the code did not look at."""
        self.runs("await mcp_fs.echo({items: [1], ['next' + 'Cursor']: 'x'})",
                  "",
                  notes=["fs.echo: there is more than the 1 of its last "
                         "result (nextCursor)"])
        self.runs("const {data} = await mcp_fs.echo({all: [{id: 1}]});\n"
                  "console.log(data.all.filter((each) => each.name > 0)"
                  ".length, data.error, structuredClone(data).all[0].id);",
                  "0 undefined 1\n", notes=[
                      ".name was undefined, as there is no such key: the "
                      "object has id"])
        self.runs("await mcp_fs.read_file({}).catch(() => []);\n"
                  "await mcp_fs.read_file({}).catch((it) => it.message);\n"
                  "await mcp_fs.read_file({}).catch((it) => `${it}`);", "",
                  notes=["the code caught an error and did not show it: fs."
                         "read_file: " + UNFIT])
        self.runs("(await mcp_fs.echo({items: [1], nextCursor: 'x'}))"
                  ".nextCursor;", "")

    def test_shown(self):
        """Pictures and progress reach the relay."""
        for relay in self.runs("""
            await runtime.show(%s, 'one');
            for (const bytes of ['\\x89PNG\\r\\n\\x1a\\n', '\\xff\\xd8\\xff',
              'RIFF....WEBP'])
              await runtime.show(Buffer.from(bytes, 'latin1'), 'one');
            await runtime.show('text');
            await runtime.progress(1, 2, 'half');
            runtime.progress(1.5, 2); runtime.progress(1.75, 2);
            await runtime.show('<svg/>').catch((it) => console.log(it.message));
            await runtime.show(Buffer.from('x')).catch((it) =>
              console.log(it.message));
        """ % GIF, "text\nSVG cannot be shown: save it to /workspace/out as a "
                "file, or draw a PNG\nthe bytes: not a PNG, JPEG, WebP or GIF:"
                " save the picture as one of these\n", progress=True):
            self.assertEqual([(each["kind"], each["title"])
                              for each in relay.pictures],
                             [(kind, "one") for kind in
                              ("gif", "png", "jpeg", "webp")])
            self.assertEqual(relay.progress[0],
                             {"done": 1000, "total": 2000, "text": "half"})
            self.assertEqual(relay.progress[-1], {"done": 1750, "total": 2000})

    def test_stored(self):
        """Memories are kept, for programs of both languages."""
        for engine in ENGINES:
            kept = test_memory.Kept()
            kept.meddle = 2
            with self.subTest(engine=engine):
                got = test_memory.run("""
                    await runtime.saveMemory('k', {a: [1]}, {why: 'x'});
                    console.log(JSON.stringify(await runtime.loadMemory('k')));
                    console.log(await runtime.loadMemory('none', 5));
                    console.log(JSON.stringify(await runtime.updateMemory('k',
                      (old) => [...old.a ?? old, 2])));
                    console.log((await runtime.listMemories()).length,
                      await runtime.memory_exists('k'),
                      (await runtime.getMemoryInfo('k')).key);
                    console.log(await runtime.delete_memory('k'));
                    await runtime.updateMemory('k', () => undefined)
                      .catch((it) => console.log(it.message));
                """, kept, box_in=box_of(engine))
                self.assertEqual(got.out, (
                    '{"a":[1]}\n5\n[1000,2]\n1 true k\ntrue\nupdater returned '
                    'undefined: it must return the new value; to remove the '
                    'memory: deleteMemory()\n'), got.err)


if __name__ == "__main__":
    unittest.main()
