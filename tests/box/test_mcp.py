"""What code sees of the package worker/box/python/mcp: its names, and what it
says of mistakes.

    /usr/bin/python3 tests/box/test_mcp.py [-v] [-k PATTERN]

The Python that runs the tests is the Python that is tested.
"""
import json
import os
import sys
import unittest

from bootstrap import Box, PYTHON_DIR
from mcp_relay import Base, run


class Names(Base):
    """Globals, modules, proxies and what they say."""

    def test_globals(self):
        self.prints("""
print(LOADED_MCP_SERVERS, isinstance(mcp_servers, dict))
print(mcp_fs is mcp_servers['fs'], mcp_my_git is mcp_servers['my-git'],
      mcp_servers['my_git'] is mcp_my_git, mcp_fs, mcp_my_git)
""", "('fs', 'my-git') True\n"
            "True True True <MCP server fs: Files> <MCP server my-git>\n")

    def test_without_servers(self):
        self.prints("import sys\nprint(LOADED_MCP_SERVERS, "
                    "[n for n in sys.modules if 'mcp' in n])",
                    "() []\n", loaded=())
        got = self.prints("""
print(mcp_servers)
print(mcp_servers['web'], LOADED_MCP_SERVERS, len(mcp_servers))
for f in (lambda: mcp_servers['wbe'], lambda: mcp_servers[5]):
    try:
        f()
    except KeyError as error:
        print(error)
print(runtime.discovered_servers())
print(await runtime.list_servers() == (), f"{runtime.list_servers()}")
""", "{'fs': <MCP server fs: Files>, 'my-git': <MCP server my-git>, 'web': "
            "<MCP server web: The web>, 'mute': <MCP server mute>}\n"
            "<MCP server web: The web> () 4\n"
            "'wbe: there is no such server; did you mean web?; there are: fs, "
            "my-git, web, mute'\n"
            "'5: there is no such server; there are: fs, my-git, web, mute'\n"
            "('fs', 'my-git', 'web', 'mute')\nTrue ()%(all)s\n" % {
                "all": self.ALL}, loaded=())
        self.assertEqual(got.relay.loaded, [])

    ALL = " (each loads on first use: mcp_fs, mcp_my_git, mcp_web, mcp_mute)"

    def test_servers_load_when_they_are_used(self):
        """Whether the call named them or not, and however they are written."""
        for code in ("await mcp_web.get()", "await mcp_WEB.get()",
                     "import mcp_web\nawait mcp_web.get()",
                     "from mcp_web import get\nawait get()",
                     "from mcp.web import get\nawait get()",
                     "import mcp.servers.web as w\nawait w.get()",
                     "await mcp_servers['web'].get()",
                     "await runtime.call_tool('mcp_web', 'get', {})",
                     "import runtime as r\nawait r.call_tool('Web', 'GET')",
                     "from runtime import call_tool\n"
                     "await call_tool('web', 'get')",
                     "await globals()[f'mcp_{\"web\"}'].get()",
                     "await mcp_web.call_tool('get', {})"):
            with self.subTest(code):
                got = self.prints(code + "\nprint(LOADED_MCP_SERVERS)",
                                  "('web',)\n", loaded=())
                self.assertEqual(got.relay.calls, [("web", "get", "{}")])

    def test_names_of_the_code_stay(self):
        self.prints("""
mcp_web, web = 5, 6
import json as mcp_fs
await runtime.load_server('web')
print(mcp_web, web, mcp_fs.__name__, mcp_servers['web'])
del web
try:
    web
except NameError as error:
    print(error)
""", "5 6 json <MCP server web: The web>\nname 'web' is not defined\n",
                    loaded=())

    def test_what_is_not_certain_is_not_guessed(self):
        self.prints("""
for f in (lambda: mcp_git, lambda: getattr(mcp_a_b, 'log'),
          lambda: mcp_A_b, lambda: mcp_fs.writefil):
    try:
        print(f())
    except (NameError, AttributeError) as error:
        print(type(error).__name__, error)
""", "NameError name 'mcp_git' is not defined\n"
            "AttributeError server a-b has no tool 'log'; did you mean "
            "lo.g or l.o-g?\n"
            "NameError name 'mcp_A_b' is not defined\n"
            "AttributeError server fs has no tool 'writefil'; did you mean "
            "write_file?\n", others=("A.b", "a-b"), aliases={
                "A.b": "a_b_2", "a-b": "a_b"}, tools={
                    "a-b": [{"name": "l.o-g"}, {"name": "lo.g"}]})

    def test_modules(self):
        got = self.prints("""
import mcp, mcp.servers, sys, types
print(mcp.runtime is runtime, mcp.servers.fs is mcp.servers["fs"] is mcp_fs)
from mcp.servers.fs import read_file, echo as e
from mcp.servers import my_git
import mcp.servers.fs as fs
from mcp import runtime as r, servers as s
print(fs is mcp_fs, my_git is mcp_my_git, r is runtime, dir(s))
print(isinstance(fs, types.ModuleType), fs.__name__, read_file.__module__)
print(sys.modules['mcp.servers.fs'] is fs, e(a=1).result().data)
print(dir(my_git), my_git['2nd'] is my_git._2nd, my_git['class_'].__name__)
exec('from mcp.servers.my_git import *')
print(log, hasattr(my_git, 'nope'), hasattr(mcp, 'nope'))
""", "True True\nTrue True True ['fs', 'my_git']\n"
            "True mcp.servers.fs mcp.servers.fs\nTrue {'a': 1}\n"
            "['_2nd', 'class_', 'log'] True class_\n"
            "<tool my_git.log()> False False\n")
        self.assertEqual(
            len([f for f in got.relay.frames if b"list_tools" in f]), 3)


    SDK = "this is not the MCP SDK; call servers with await " \
        "mcp_<alias>.<tool>(...), or await runtime.call_tool(server, tool, " \
        "arguments); dir(mcp) lists the rest\n"

    def test_names_that_mcp_does_not_have(self):
        self.prints("""
import importlib.util, mcp
for line in ('from mcp import ClientGroup', 'mcp.ClientGroup',
             'from mcp import sf', 'mcp.my_gti', 'from mcp import cal_tool',
             'from mcp.client.auth import OAuth',
             'import mcp.types', 'from mcp.server.fastmcp import FastMCP',
             'from mcp.web import x'):
    try:
        exec(line)
    except (AttributeError, ImportError) as error:
        print(type(error).__name__, error)
print(hasattr(mcp, 'web'), hasattr(mcp, '__x__'), hasattr(mcp, 'configure'))
try:
    import mcp.shared as c
except ModuleNotFoundError as error:
    print(error.name)
""", """\
ImportError cannot import name 'ClientGroup' from 'mcp': %(SDK)s\
AttributeError module 'mcp' has no attribute 'ClientGroup': %(SDK)s\
ImportError cannot import name 'sf' from 'mcp': %(SDK)s\
AttributeError module 'mcp' has no attribute 'my_gti': %(SDK)s\
ImportError cannot import name 'cal_tool' from 'mcp': did you mean call_tool \
or call_tool_sync or list_tools? %(SDK)s\
ModuleNotFoundError No module named 'mcp.client': %(SDK)s\
ModuleNotFoundError No module named 'mcp.types': %(SDK)s\
ModuleNotFoundError No module named 'mcp.server': %(SDK)s\
ImportError cannot import name 'x': server web has no tool 'x'; it has: get
True False True
mcp.shared
""" % {"SDK": self.SDK})

    def test_ours_wins(self):
        self.prints("""
import os, sys
os.mkdir('mcp')
for name in 'mcp/__init__.py', 'mcp/runtime.py':
    open(name, 'w').write('raise SystemExit("theirs")')
sys.path.insert(0, os.getcwd())
sys.path_importer_cache.clear()
import mcp, mcp.runtime
print(mcp.runtime is runtime)
""", "True\n")

    def test_tools_with_a_wrong_schema_say_so(self):
        why = "the tool Put-it cannot be used: its inputSchema is not an object"
        for line, error in (
                ("mcp_web.put_it", "AttributeError: server web: "),
                ("await mcp_web.put_it(a=1)", "AttributeError: server web: "),
                ("mcp_web['Put-it']", "KeyError: 'server web: "),
                ("await runtime.call_tool('web', 'Put-it')",
                 "MCPError: web.Put-it: ")):
            with self.subTest(line):
                self.prints(line, "", "Traceback .*%s%s'?\n" % (error, why), 1)

    def test_tracebacks_have_no_frames_of_ours(self):
        for line, says in (
                ("import mcp.servers.wbe", "ImportError: wbe: there is"),
                ("from mcp.servers import wbe", "ImportError: wbe: there "),
                ("mcp_fs.raed_file", "AttributeError: server fs has no"),
                ("mcp_fs.read_file(a=1).result()",
                 "mcp.runtime.ArgumentError: fs.read_"),
                ("mcp_fs.read_file(path=b'')", "TypeError: arguments"),
                ("mcp_fs.fail().result()", "mcp.runtime.MCPError: fs.fail: "),
                ("await mcp_fs.fail()", "mcp.runtime.MCPError: fs.fail: no"),
                ("runtime.call_tool_sync('x', 'y')", "mcp.runtime.MCPErr"),
                ("mcp_servers['wbe']", "KeyError: .wbe: there")):
            with self.subTest(line):
                self.prints(line, "", (
                    r"Traceback \(most recent call last\):\n"
                    r'  File "MAIN", line 1, in <module>\n    [^\n]*\n'
                    r"(?:  *[~^]+\n)?%s[^\n]*\n" % says), 1)

    def test_signatures_and_documentation(self):
        self.prints("""
import inspect, pydoc
f = mcp_fs.read_file
print(inspect.signature(f), f.__name__, f.__qualname__, f)
print(inspect.getdoc(f))
print('Read a file' in pydoc.render_doc(f), 'path' in pydoc.render_doc(f))
print('write_file' in pydoc.render_doc(mcp_fs), callable(f))
for name in dir(mcp_fs):
    if name.startswith('odd'):
        tool = getattr(mcp_fs, name)
        tool.__doc__, inspect.signature(tool), repr(tool)
        try:
            tool(1, 2, 3, 4, 5, 6)
        except TypeError as error:
            assert '() takes' in str(error)
""", "(*, path: str, head: int = 10, mode: \"text\" | \"binary\" = ...) "
            "read_file read_file "
            "<tool fs.read_file(path, head=..., mode=...)>\n"
            "Read a file.\n\nAll of it.\n\nParameters:\n"
            "    path (str, required): Which file.\n"
            "    head (int, default 10)\n"
            "    mode (\"text\" | \"binary\")\n\n"
            "Returns:\n    .data: dict\n"
            "True True\nTrue True\n")

    def test_positional(self):
        self.prints("""
print(mcp_fs.read_file('x').result().data)
for f in mcp_fs.read_file, mcp_fs.echo, mcp_fs.odd4:
    try:
        f('x', 'y')
    except TypeError as error:
        print(error)
""", "{'path': 'x'}\n"
            "fs.read_file: read_file() takes its arguments by name: "
            "read_file(path=...), or those of a dict: read_file(**arguments); "
            "it takes path (required), head, mode\n"
            "fs.echo: echo() takes its arguments by name; its schema names "
            "none\n"
            "fs.odd4: odd4() takes its arguments by name; its schema names "
            "none\n")


OURS = ("servers", "runtime", "find", "explain", "loader", "modulespec",
        "_servers", "_modules", "sys", "mcp", "__path__", "__getattr__",
        "__dir__", "__spec__", "_box")


class Aliases(Base):
    """Servers may be called as anything of ours, and ours stays."""

    def test_aliases_that_are_names_of_ours(self):
        self.prints("""
import importlib, mcp.servers as s
ours = mcp_servers
for name in sorted(LOADED_MCP_SERVERS) * 2:
    server = importlib.import_module('mcp.servers.' + name)
    assert server is mcp_servers[name], name
    assert mcp_servers is ours is runtime._servers._box.servers
    assert name == 'servers' or globals()['mcp_' + name] is server
    if not name.startswith('__'):
        assert getattr(s, name) is server, name
assert s.__path__ == [] and s.__spec__.name == 'mcp.servers'
from mcp.servers import fs, find, servers, explain, sys as t, runtime as r
print(fs, find, servers, t, r, find.echo(a=1).result().data)
print(mcp_servers['servers'].echo(a=2).result().data, runtime)
print([n for n in vars(s) if not n.startswith('__')], dir(s) ==
      sorted(LOADED_MCP_SERVERS))
await runtime.load_server('explain')
import mcp.servers.explain
try:
    import mcp.servers.wbe
except ImportError as error:
    print(error)
""", """<MCP server fs: Files> <MCP server find> <MCP server servers> \
<MCP server sys> <MCP server runtime> {'a': 1}
{'a': 2} <module 'mcp.runtime' from '%s/mcp/runtime.py'>
[] True
wbe: there is no such server; did you mean web?; there are: fs, my-git, web, \
mute, servers, runtime, find, explain, loader, modulespec, _servers, _modules, \
sys, mcp, __path__, __getattr__, __dir__, __spec__, _box
""" % PYTHON_DIR, loaded=("fs", *OURS), others=OURS)

    def test_a_server_is_as_a_dict_of_its_tools(self):
        self.prints("""
print([*mcp_my_git], len(mcp_my_git), [t for t in mcp_my_git] ==
      list(mcp_servers['my-git']), sorted(mcp_my_git) == dir(mcp_my_git))
print('echo' in mcp_fs, 'write-file' in mcp_fs, 'write_file' in mcp_fs,
      'nope' in mcp_fs, 5 in mcp_fs, None in mcp_fs, '__len__' in mcp_fs)
print(bool(mcp_web), len(mcp_web), list(mcp_web), {mcp_fs: 1}[mcp_fs],
      mcp_fs == mcp_my_git, mcp_fs == mcp_fs)
""", "['log', '_2nd', 'class_'] 3 True True\n"
            "True True True False False False False\n"
            "True 0 [] 1 False True\n", loaded=("fs", "my-git", "web"),
            tools={"web": []})

    def test_the_dict_of_servers_by_alias(self):
        self.prints("""
s = mcp_servers
print('_1x' in s, '1x' in s, 'nope' in s, 5 in s, '_1x' in s.keys())
print(s.get('_1x') is s['_1x'] is s['1x'] is s.get('1x', 5), s.get('x', 7),
      s.get('nope'), s.get(5), list(s), len(s))
for f in (lambda: s.get([]), lambda: [] in s):
    try:
        f()
    except TypeError as error:
        print(error)
for name in '_1x', 'fs', 'web', 'wbe':
    try:
        getattr(s, name)
    except AttributeError as error:
        print(error)
print(hasattr(s, '__x__'), hasattr(s, 'keys'), hasattr(s, '_repr_html_'))
s['fs'] = 5
print(s['fs'], s.get('fs'), s)
""", """True True False False False
True 7 None None ['fs', '1x', 'my-git', 'web', 'mute'] 5
unhashable type: 'list'
unhashable type: 'list'
mcp_servers is a dict: write mcp_servers['_1x'], or mcp__1x
mcp_servers is a dict: write mcp_servers['fs'], or mcp_fs
mcp_servers is a dict: write mcp_servers['web'], or mcp_web
mcp_servers is a dict; wbe: there is no such server; did you mean web?; there \
are: fs, my-git, web, mute, 1x
False True False
5 5 {'fs': 5, '1x': <MCP server 1x>, 'my-git': <MCP server my-git>, 'web': \
<MCP server web: The web>, 'mute': <MCP server mute>}
""", loaded=("fs", "1x"), others=("1x",))

    def test_all_allowed_servers_count(self):
        """Loaded or not, as each is found by its name."""
        for code, text in (
                ("list(mcp_servers)", "['my-git', 'fs', 'web', 'mute']"),
                ("[*mcp_servers.keys()]", "['my-git', 'fs', 'web', 'mute']"),
                ("all(s is mcp_servers[n] for n, s in mcp_servers.items())",
                 "True"), ("len(mcp_servers)", "4"),
                ("len(mcp_servers.values())", "4"),
                ("mcp_servers == {}, mcp_servers != {}", "False True"),
                ("len(dict(mcp_servers))", "4"),
                ("len(mcp_servers.copy())", "4")) + (
                    sys.version_info >= (3, 9)) * (
                ("len(mcp_servers | {})", "4"),
                ("len({} | mcp_servers)", "4")):
            with self.subTest(code):
                self.prints("print(%s)" % code, text + "\n",
                            loaded=() if "4" in text else ("my-git",))
        self.prints("print(bool(mcp_servers))\nfor name in mcp_servers:\n"
                    "    if name == 'web':\n"
                    "        print((await mcp_servers[name].get(a=1)).data)",
                    "True\n{'a': 1}\n", loaded=())


class Mistakes(Base):
    """What is told of names that are not there."""

    def test_no_guess_is_made_twice(self):
        for line, error in (
                ("mcp_fs.ecoh", "AttributeError: server fs has no tool "
                 "'ecoh'; did you mean echo?"),
                ("import mcp.servers as s\ns.sf", "AttributeError: sf: there "
                 "is no such server; there are: fs, my-git, web, mute, é"),
                ("mcp_servers.key", "AttributeError: mcp_servers is a dict; "
                 "key: there is no such server; there are: fs, my-git, web, "
                 "mute, é"),
                ("mcp_fs.echo().result().txt", "AttributeError: the result "
                 "has no 'txt': write r.data or r.text; r.data is {}")):
            with self.subTest(line):
                self.ends(line, error, others=["é"], aliases={"é": "_"})

    def test_errors_about_results_tell_their_shape(self):
        issues = [{"number": n, "title": "t", "user": {"login": "x", "id": 1},
                   "labels": []} for n in range(3)]
        listed = ("hint: fs.raw .data is list[3] of {number: int, title: str, "
                  "user: {login: str, id: int}, labels: list[0]}\n")
        whole = ("hint: fs.raw .data is {total: int, items: list[3] of "
                 "{number: int, title: str, user: {login, id}, labels: "
                 "list[0]}, more: bool, at: None}\n")
        page = {"total": 3, "items": issues, "more": True, "at": None}
        for data, line, error, hint in (
                (issues, "r['total']", "KeyError: 'total'", listed),
                (issues, "r.data['total']", "TypeError: list indices must be "
                 "integers or slices, not str", listed),
                (issues, "for i in r.data:\n    print(i['nr'])",
                 "KeyError: 'nr'", listed),
                (issues, "[i['nr'] for i in r.data]", "KeyError: 'nr'",
                 listed),
                (issues, "def f(x):\n    return x['user']['name']\n"
                 "f(r.data[0])", "KeyError: 'name'", listed),
                (issues, "r.data[7]", "IndexError: list index out of range",
                 listed),
                (page, "r.data[0]", "KeyError: 0", whole),
                (page, "[i for i in r.data.keys]", "TypeError: "
                 "'builtin_function_or_method' object is not iterable",
                 whole),
                (page, "rows = r.data['items']\ndel r\nrows['x']",
                 "TypeError: list indices must be integers or slices, not "
                 "str", whole),
                ("text\nmore", "r.data['x']", "TypeError: string indices "
                 "must be integers, not 'str'",
                 "hint: fs.raw .data is a str: 'text\\nmore'\n"),
                (page, "{}['x']", "KeyError: 'x'", "")):
            with self.subTest(line):
                text = data if isinstance(data, str) else json.dumps(data)
                self.ends(
                    "r = mcp_fs.raw(json=%r).result()\n%s" % (json.dumps({
                        "content": [{"type": "text", "text": text}]}), line),
                    error, hint)

    def test_a_shape_is_that_of_the_result_that_failed(self):
        """Not that of the last one; an argument has nothing to do with it."""
        said = [json.dumps({"content": [{"type": "text", "text": text}]})
                for text in ("[1, 2]", '{"a": 1}')]
        gather = ("import asyncio\nasync def f(each):\n"
                  "    r = await mcp_fs.raw(json=each)\n    %s\n"
                  "await asyncio.gather(*map(f, " + repr(said) + "))")
        first = "hint: fs.raw .data is list[2] of int\n"
        for line, error in (
                ("r.data.get('a')",
                 "AttributeError: 'list' object has no attribute 'get'"),
                ("d = r.data\n    await asyncio.sleep(0.1)\n    d['a']",
                 "TypeError: list indices must be integers or slices, not "
                 "str")):
            with self.subTest(line):
                self.ends(gather % line, error, first)
        got = self.prints(
            "r = await mcp_fs.raw(json=%r)\nawait mcp_fs.read_file(r=r)"
            % said[0], "", ".*ArgumentError: fs.read_file: .*", 1)
        self.assertNotIn("hint:", got.err)

    def test_what_python_means_stays(self):
        hint = ". Did you mean: 'mcp_answer'?" \
            if sys.version_info >= (3, 10) else ""
        self.ends("mcp_answer = 1\nmcp_anwser",
                  "NameError: name 'mcp_anwser' is not defined" + hint,
                  "hint: no server has the alias anwser; there are: fs, "
                  "my-git, web, mute\n")
        got = self.ends("prnt", "NameError: name 'prnt' is not defined" + (
            hint and ". Did you mean: 'print'?"))
        self.assertEqual(got.relay.frames, [])

    def test_the_module_that_was_not_imported(self):
        got = self.ends(
            "mcp.runtime.x", "NameError: name 'mcp' is not defined",
            "hint: mcp is a module: write 'import mcp' first, or use "
            "'runtime' and 'mcp_<alias>', which need no import\n")
        self.assertEqual(got.relay.frames, [])
        got = self.ends(
            "exec('print(mcp_servers)', {})",
            "NameError: name 'mcp_servers' is not defined",
            "hint: mcp_servers is not defined here: write 'import "
            "mcp_servers' first\n")
        self.assertEqual(got.relay.frames, [])

    def test_files_of_the_user(self):
        """The hint names a tool that reads files, or a server that may."""
        says = "hint: the sandbox has no files of the user: use tools of " \
            "servers%s; write files of the code to the working directory\n"
        for path, before, how in (
                ("/home/u/a", "", ", as help(mcp_fs) shows"),
                ("~/a", "", ", as help(mcp_fs) shows"),
                ("/tmp/no/such", "mcp_fs.read_file(path='a').result()\n",
                 ", as await mcp_fs.read_file(path=...)")):
            with self.subTest(path):
                self.ends(before + "open(%r)" % path, "FileNotFoundError: "
                          "[Errno 2] No such file or directory: %r" % path,
                          says % how)
        tools = [{"name": name, "description": text} for name, text in (
            ("read_file", "Reads. DEPRECATED: use read_text_file instead."),
            ("read_text_file", "Reads."))]
        self.ends("await runtime.list_tools('fs')\nopen('a.csv')",
                  "FileNotFoundError: [Errno 2] No such file or directory: "
                  "'a.csv'", "hint: each call begins with an empty working "
                  "directory: files of earlier calls are gone; for those of "
                  "the user, use tools of servers, as await "
                  "mcp_fs.read_text_file(path=...)\n", tools={"fs": tools})


class Cost(Base):
    """What code pays that calls nothing."""

    def test_nothing_is_imported(self):
        code = "import sys\nprint(sorted(sys.modules))"
        self.assertNotIn("mcp", run(code, loaded=(), box_in=Box).out)
        for name in "'asyncio'", "'json'", "'re'", "'select'", "'threading'":
            self.assertNotIn(name, run(code, box_in=Box).out)

    def test_files_are_small(self):
        for name in os.listdir(os.path.join(PYTHON_DIR, "mcp")):
            if name.endswith(".py"):
                with open(os.path.join(PYTHON_DIR, "mcp", name)) as file:
                    self.assertLess(len(file.readlines()), 440, name)


if __name__ == "__main__":
    unittest.main()
