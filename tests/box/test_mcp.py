"""What code sees of the package worker/box/python/mcp.

Starts the bootstrap as test_bootstrap.py does, plays the relay with two
servers behind it, and looks at what the code prints and what it asks for.

    /usr/bin/python3 tests/box/test_mcp.py [-v] [-k PATTERN]

The Python that runs the tests is the Python that is tested.
"""
import json
import os
import re
import select
import subprocess
import sys
import threading
import unittest

from test_bootstrap import Box, DEADLINE, Place, PYTHON_DIR, Result

MOST = 128  # requests under way
OLDER = "older bytecode does not tell a call with named arguments"
CANCELLED = "it was cancelled before it was answered"
HANG = "hang"  # in place of the tools of a server that does not answer


def tool(name, properties=None, required=(), **more):
    """Return a tool as a server describes it."""
    schema = {"type": "object", "properties": properties or {}}
    if required:
        schema["required"] = list(required)
    return dict(name=name, inputSchema=schema, **more)


ODD_SCHEMAS = (
    None, 5, "object", [], {}, {"properties": 5}, {"properties": []},
    {"properties": {"a": None, "b": True, "": {}, "x y": {}}},
    {"properties": {"class": {}, "self": {}, "args": {}, "arguments": {}}},
    {"properties": {"a": {"type": 5, "description": 5, "enum": 5}}},
    {"properties": {"a": {"type": ["string", None, 7], "default": 1}}},
    {"properties": {"others": {}, "x-y": {}}, "required": "x"},
    {"required": ["a", "a", 5, None, {}]},
    {"properties": {"a": {"default": float("1e300")}}, "required": ["a"]},
)
FS = [
    tool("read_file", {
        "head": {"type": "integer", "default": 10},
        "path": {"type": "string", "description": "Which\n file."},
        "mode": {"enum": ["text", "binary"]},
    }, ["path"], description="Read a file.\n\nAll of it.",
        outputSchema={"type": "object"}),
    tool("write-file"), tool("echo"), tool("raw"), tool("fail"),
    tool("silent"), tool("refuse"), tool("barrier"), tool("never"),
    tool("keep"), tool("release"), tool("hang-up"), tool("print"),
    tool("quiet"),
] + [dict(name="odd%d" % number, inputSchema=schema)
     for number, schema in enumerate(ODD_SCHEMAS)]
TOOLS = {"fs": FS, "my-git": [tool("log"), tool("2nd"), tool("Class")],
         "web": [tool("get", description="get it")], "mute": None}
ALIASES = {"write-file": "write_file", "hang-up": "hang_up", "2nd": "_2nd",
           "Class": "class_", "getPullRequest": "getpullrequest"}
SERVERS = [
    {"name": "fs", "alias": "fs", "description": "Files"},
    {"name": "my-git", "alias": "my_git", "description": ""},
    {"name": "web", "alias": "web", "description": "The web"},
    {"name": "mute", "alias": "mute", "description": ""},
]


if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)


class Relay(threading.Thread):
    """Answers the box until it closes its pipe."""

    def __init__(self, box, loaded, servers):
        super().__init__(daemon=True)
        self.servers = servers
        self.box, self.loaded = box, list(loaded)
        self.frames, self.calls, self.held, self.kept = [], [], [], []
        self.under_way, self.most = set(), 0
        self.cancelled = []
        self.unsent, self.cause = b"", None
        self.tools = json.loads(json.dumps(TOOLS))
        self.remembered, self.started = {}, []

    def run(self):
        """Read always; write what can be written."""
        os.set_blocking(self.box.control_in, False)
        data = b""
        try:
            while True:
                readable, writable, _ = select.select(
                    [self.box.control_out],
                    [self.box.control_in] if self.unsent else [], [])
                if writable:
                    self.flush()
                if not readable:
                    continue
                data += self.read()
                *lines, data = data.split(b"\n")
                for line in lines:
                    self.take(line)
        except EOFError:
            pass
        except Exception as error:
            self.cause = error
            raise

    def read(self):
        """Return what the box wrote."""
        chunk = os.read(self.box.control_out, 1 << 20)
        if not chunk:
            raise EOFError
        return chunk

    def flush(self):
        """Write what the pipe takes."""
        try:
            count = os.write(self.box.control_in, self.unsent[:1 << 20])
            self.unsent = self.unsent[count:]
        except BrokenPipeError:
            self.unsent = b""

    def take(self, line):
        """Check a frame and answer it."""
        frame = json.loads(line)
        if frame["type"] == "cancel":
            assert line == b'{"type":"cancel","id":%d}' % frame["id"]
            self.cancelled.append(frame["id"])
            self.refuse(frame["id"], CANCELLED)
            return
        self.frames.append(line)
        assert line.startswith(
            b'{"type":"rpc_request","id":%d,"payload":' % len(self.frames)), \
            line[:200]
        self.under_way.add(frame["id"])
        self.most = max(self.most, len(self.under_way))
        assert len(self.under_way) <= MOST
        getattr(self, "on_" + frame["payload"].pop("type"))(
            frame["id"], line, **frame["payload"])

    def answer(self, number, payload):
        """Answer a request with JSON, or with bytes as they are."""
        if not isinstance(payload, bytes):
            payload = json.dumps(payload).encode()
        self.send(number, b'{"type":"rpc_response","id":%d,"success":true,'
                  b'"payload":%s}\n' % (number, payload))

    def refuse(self, number, message, error=None):
        """Refuse a request."""
        cause = {"message": message, **({"error": error} if error else {})}
        self.send(number, b'{"type":"rpc_response","id":%d,"success":false,'
                  b'"error":%s}\n' % (number, json.dumps(cause).encode()))

    def send(self, number, data):
        """Send one frame, when there is room; but one answer to each."""
        if number in self.under_way:
            self.under_way.remove(number)
            self.unsent += data

    def on_list_servers(self, number, line):
        """Tell of all that are allowed."""
        self.answer(number, [dict(server, loaded=server["name"] in self.loaded)
                             for server in self.servers])

    def on_load_server(self, number, line, server):
        """Load a server."""
        if server == "mute":
            self.refuse(number, "it could not be started: exited with code 1")
            return
        self.loaded.append(server)
        self.answer(number, dict(
            [s for s in self.servers if s["name"] == server][0],
            loaded=True))

    def on_list_tools(self, number, line, server, remembered=False):
        """List the tools of a server, loaded or not."""
        tools = self.tools[server]
        if remembered and server in self.remembered:
            tools = self.remembered[server]
        else:
            self.started.append(server)
        if tools == HANG:
            return
        if tools is None:
            self.refuse(number, "it does not answer; its last words: oops")
            return
        self.answer(number, {"tools": tools, "aliases": [
            ALIASES.get(tool["name"], tool["name"]) for tool in tools]})

    def on_call_tool(self, number, line, server, tool, arguments):
        """Call a tool."""
        assert server in self.loaded, server
        raw = line.split(b',"arguments":', 1)[1][:-2]
        self.calls.append((server, tool, raw.decode()))
        act = getattr(self, "tool_" + tool.replace("-", "_"), self.tool_echo)
        act(number, arguments, raw)

    def tool_echo(self, number, arguments, raw):
        """Return the arguments as text and as they are."""
        text = json.dumps(raw.decode()).encode()
        self.answer(number, b'{"content":[{"type":"text","text":%s}],'
                    b'"structuredContent":%s}' % (text, raw))

    def tool_raw(self, number, arguments, raw):
        """Return the JSON that was given as a string."""
        self.answer(number, arguments["json"].encode())

    def tool_fail(self, number, arguments, raw):
        """Return an error of the tool."""
        self.answer(number, {"isError": True, "content": [
            {"type": "text", "text": "no such file"}]})

    def tool_silent(self, number, arguments, raw):
        """Return an error of the tool that says nothing."""
        self.answer(number, {"isError": True, "content": []})

    def tool_refuse(self, number, arguments, raw):
        """Return an error of the protocol."""
        self.refuse(number, "Invalid params: path", {
            "code": -32602, "message": "Invalid params", "data": {"a": 1}})

    def tool_barrier(self, number, arguments, raw):
        """Answer when so many wait, in reverse order."""
        self.held.append((number, raw))
        if len(self.held) >= arguments["n"]:
            for number, raw in reversed(self.held):
                self.tool_echo(number, None, raw)
            self.held.clear()

    def tool_never(self, number, arguments, raw):
        """Do not answer."""

    def tool_keep(self, number, arguments, raw):
        """Answer when release is called."""
        self.kept.append((number, raw))

    def tool_release(self, number, arguments, raw):
        """Answer what was kept, then this."""
        for kept in self.kept:
            self.tool_echo(kept[0], None, kept[1])
        self.kept.clear()
        self.tool_echo(number, arguments, raw)

    def tool_quiet(self, number, arguments, raw):
        """Answer, and then no question about servers."""
        self.on_list_servers = lambda number, line: None
        self.tool_echo(number, arguments, raw)

    def tool_hang_up(self, number, arguments, raw):
        """Close the pipe to the box."""
        null = os.open("/dev/null", os.O_WRONLY)
        os.dup2(null, self.box.control_in)
        os.close(null)

    def tool_print(self, number, arguments, raw):
        """Add a tool to the server, as list_changed would tell."""
        self.tools["fs"].append({"name": "brand_new"})
        self.tool_echo(number, arguments, raw)


def alias_of(name):
    """Return the alias of a server, for the names that tests use."""
    return "_" + name if name[0].isdigit() else name


def run(code, loaded=("fs", "my-git"), tools=(), others=(), remembered=()):
    """Run code in a box with servers; return its Result with the relay.

    others: names of more servers, each with the one tool echo; remembered:
    what is told of tools without asking their servers.
    """
    known = SERVERS + [{"name": name, "alias": alias_of(name)}
                       for name in others]
    with Place() as place:
        box = Box(place)
        box.ready()
        servers = [server for name in loaded for server in known
                   if server["name"] == name]
        frame = {"type": "run", "code": code, "servers": servers}
        box.send(json.dumps(frame).encode() + b"\n")
        relay = Relay(box, loaded, known)
        relay.tools.update({name: [tool("echo")] for name in others})
        relay.tools.update(tools)
        relay.remembered.update(remembered)
        relay.start()
        try:
            out, err = box.process.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            box.process.kill()
            raise AssertionError("it hangs: %s" % (
                box.process.communicate(),)) from None
        relay.join(DEADLINE)
        os.close(box.control_in)
        os.close(box.control_out)
        result = Result(place, out, err, box.process.returncode)
        result.relay = relay
        return result


class Base(unittest.TestCase):
    """What the tests share."""

    maxDiff = None

    def prints(self, code, out, err="", status=0, **more):
        """Run code and compare all that it does."""
        got = run(code, **more)
        self.assertIsNone(got.relay.cause)
        self.assertEqual(got.out, out, got.err)
        self.assertRegex(got.err, re.compile(r"\A(?:%s)\Z" % err, re.DOTALL))
        self.assertEqual(got.status, status, got.err)
        self.assertNotIn("/mcp/", got.err)
        return got


class Names(Base):
    """Globals, modules, proxies and what they say."""

    def test_globals(self):
        self.prints("""
print(LOADED_MCP_SERVERS, list(mcp_servers), isinstance(mcp_servers, dict))
print(mcp_fs is mcp_servers['fs'], mcp_my_git is mcp_servers['my-git'],
      mcp_servers['my_git'] is mcp_my_git, mcp_fs, mcp_my_git)
import sys
print('json' in sys.modules, 're' in sys.modules, 'asyncio' in sys.modules)
""", "('fs', 'my-git') ['fs', 'my-git'] True\n"
            "True True True <MCP server fs: Files> <MCP server my-git>\n"
            "False False False\n")

    def test_without_servers(self):
        got = self.prints("""
import sys
print(LOADED_MCP_SERVERS, mcp_servers, [n for n in sys.modules if 'mcp' in n])
for f in (lambda: mcp_servers['web'], lambda: mcp_servers[5]):
    try:
        f()
    except KeyError as error:
        print(error)
print(runtime.discovered_servers(), runtime.list_servers())
mcp_web
""", "() {} []\n"
            "\"web is not loaded; loaded are: none; name it in the tool's "
            "'servers' argument, or: await runtime.load_server('web')\"\n"
            "\"5 is not loaded; loaded are: none; name it in the tool's "
            "'servers' argument, or: await runtime.load_server(5)\"\n"
            "('fs', 'my-git', 'web', 'mute') ()\n",
            ".*NameError: name 'mcp_web' is not defined\n"
            "hint: the server web is not loaded: .*\n", 1, loaded=())
        self.assertEqual(len(got.relay.frames), 2)

    def test_modules(self):
        got = self.prints("""
import mcp, mcp.servers, sys, types
print(mcp.runtime is runtime, mcp.servers.fs is mcp_fs)
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

    def test_names_of_runtime_in_mcp(self):
        self.prints("""
from mcp import MCPError, call_tool, search_tool_docs, Result, runtime as r
import mcp
print(MCPError is mcp.MCPError is r.MCPError, call_tool is r.call_tool)
print((await call_tool('fs', 'echo', {'a': 1})).data)
print(dir(mcp) == sorted(['runtime', 'servers'] + r.__all__))
exec('from mcp import *')
print(servers is mcp.servers, mcp._servers.__name__, mcp.__path__ != [])
""", "True True\n{'a': 1}\nTrue\nTrue mcp._servers True\n")

    SDK = "this is not the MCP SDK, but what the servers of this box are " \
        "called with: await mcp_<alias>.<tool>(...), or await " \
        "runtime.call_tool(server, tool, arguments); dir(mcp) has the rest\n"

    def test_names_that_mcp_does_not_have(self):
        got = self.prints("""
import importlib.util, mcp
for line in ('from mcp import ClientSession', 'mcp.ClientSession',
             'from mcp import fs', 'mcp.my_git', 'from mcp import cal_tool',
             'from mcp.client.stdio import stdio_client',
             'import mcp.types', 'from mcp.server.fastmcp import FastMCP',
             'import mcp.fs.x'):
    try:
        exec(line)
    except (AttributeError, ImportError) as error:
        print(type(error).__name__, error)
print(hasattr(mcp, 'web'), hasattr(mcp, '__x__'), hasattr(mcp, 'configure'))
try:
    import mcp.client as c
except ModuleNotFoundError as error:
    print(error.name)
""", """\
ImportError cannot import name 'ClientSession' from 'mcp': %(SDK)s\
AttributeError module 'mcp' has no attribute 'ClientSession': %(SDK)s\
ImportError cannot import name 'fs' from 'mcp': the server fs is mcp_fs, or: \
from mcp.servers import fs
AttributeError module 'mcp' has no attribute 'my_git': the server my-git is \
mcp_my_git, or: from mcp.servers import my_git
ImportError cannot import name 'cal_tool' from 'mcp': did you mean call_tool \
or call_tool_sync or list_tools? %(SDK)s\
ModuleNotFoundError No module named 'mcp.client': %(SDK)s\
ModuleNotFoundError No module named 'mcp.types': %(SDK)s\
ModuleNotFoundError No module named 'mcp.server': %(SDK)s\
ModuleNotFoundError No module named 'mcp.fs': the server fs is mcp_fs, or: \
from mcp.servers import fs
False False True
mcp.client
""" % {"SDK": self.SDK})
        self.assertEqual(got.relay.frames, [])
        for line, says in (("from mcp import ClientSession",
                            "ImportError: cannot import name 'ClientSession' "
                            "from 'mcp': "),
                           ("import mcp.client.stdio",
                            "ModuleNotFoundError: No module named "
                            "'mcp.client': "),
                           ("import mcp\nmcp.ClientSession",
                            "AttributeError: module 'mcp' has no attribute "
                            "'ClientSession': ")):
            self.prints(line, "", (
                r"Traceback \(most recent call last\):\n"
                r'  File "MAIN", line \d, in <module>\n    [^\n]*\n'
                r"(?:  *[~^]+\n)?%s") % re.escape(says + self.SDK), 1)

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

    def test_imports_that_fail(self):
        self.prints("""
import importlib
for name in 'web', 'wbe', 'nothing_like_it':
    try:
        importlib.import_module('mcp.servers.' + name)
    except ImportError as error:
        print(error)
try:
    from mcp.servers import web
except ImportError as error:
    print(str(error)[:33])
try:
    from mcp.servers.fs import raed_file
except ImportError as error:
    print(error)
try:
    mcp_fs.raed_file
except AttributeError as error:
    print(error)
try:
    mcp_fs['write-flie']
except KeyError as error:
    print(error)
try:
    mcp_my_git.zzz
except AttributeError as error:
    print(error)
""", "web: the server is not loaded: name it in the tool's 'servers' argument, "
            "or: await runtime.load_server('web')\n"
            "wbe: there is no such server; did you mean web?; there are: fs, "
            "my-git, web, mute\n"
            "nothing_like_it: there is no such server; there are: fs, my-git, "
            "web, mute\n"
            "web: the server is not loaded: na\n"
            "cannot import name 'raed_file': server fs has no tool "
            "'raed_file'; did you mean read_file or write_file?\n"
            "server fs has no tool 'raed_file'; did you mean read_file or "
            "write_file?\n"
            "\"server fs has no tool 'write-flie'; did you mean write-file?"
            "\"\n"
            "server my-git has no tool 'zzz'; it has: _2nd, class_, log\n")

    def test_tracebacks_have_no_frames_of_ours(self):
        for line, says in (
                ("import mcp.servers.web", "ImportError: web: the server"),
                ("from mcp.servers import web", "ImportError: web: the serv"),
                ("mcp_fs.raed_file", "AttributeError: server fs has no"),
                ("mcp_fs.read_file(1)", "mcp.runtime.ArgumentError: fs.read_"),
                ("mcp_fs.read_file(path=b'')", "TypeError: arguments"),
                ("mcp_fs.fail().result()", "mcp.runtime.MCPError: fs.fail: "),
                ("await mcp_fs.fail()", "mcp.runtime.MCPError: fs.fail: no"),
                ("runtime.call_tool_sync('x', 'y')", "mcp.runtime.MCPErr"),
                ("mcp_servers['web']", "KeyError: .web is not")):
            with self.subTest(line):
                self.prints(line, "", (
                    r"Traceback \(most recent call last\):\n"
                    r'  File "MAIN", line 1, in <module>\n    [^\n]*\n'
                    r"(?:  *[~^]+\n)?%s[^\n]*\n" % says), 1)

    def test_caught_error_of_an_await_has_no_frame_of_ours(self):
        self.prints("""
import traceback
try:
    await mcp_fs.fail()
except runtime.MCPError:
    print(traceback.format_exc().count('File'))
""", "1\n")

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
            tool(1)
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
for f in mcp_fs.read_file, mcp_fs.echo, mcp_fs.odd4:
    try:
        f('x')
    except TypeError as error:
        print(error)
""", "fs.read_file: read_file() takes its arguments by name: "
            "read_file(path=...), or those of a dict: read_file(**arguments); "
            "it takes path (required), head, mode\n"
            "fs.echo: echo() takes its arguments by name; its schema names "
            "none\n"
            "fs.odd4: odd4() takes its arguments by name; its schema names "
            "none\n")

    def test_introspection_of_user_code_works(self):
        self.prints("""
import copy, dataclasses, inspect, pickle, typing, unittest
@dataclasses.dataclass
class P:
    x: 'int'
print(pickle.loads(pickle.dumps(P(1))), typing.get_type_hints(P))
print(inspect.getsource(P).count('x'), inspect.getmodule(P).__name__)
r = mcp_fs.echo(a=1).result()
r = pickle.loads(pickle.dumps(r)); print(type(r).__name__, r.data)
e = pickle.loads(pickle.dumps(runtime.MCPError('m', 's', 't', r, 1, 2)))
print(e, e.message, e.server, e.tool, e.result.data, e.code, e.data)
print(copy.deepcopy(mcp_fs) is mcp_fs, unittest.TestLoader() is not None)
""", "P(x=1) {'x': <class 'int'>}\n1 __main__\nResult {'a': 1}\n"
            "s.t: m m s t {'a': 1} 1 2\nTrue True\n")


class Runtime(Base):
    """The functions of mcp.runtime."""

    def test_lists(self):
        self.prints("""
print(runtime.discovered_servers(), await runtime.discovered_servers())
print(runtime.discovered_servers(detailed=True)[0])
print(runtime.list_servers(), await runtime.list_servers(),
      runtime.list_servers_sync())
a, b = await runtime.list_tools('my-git'), runtime.list_tools_sync('my_git')
print(a == b == runtime.list_tools(mcp_my_git).result(), a[1])
print([sorted(entry) for entry in runtime.list_tools_sync('fs')][0])
print(runtime.list_loaded_server_metadata())
print((await runtime.list_loaded_server_metadata())[1]['alias'])
d = runtime.describe_server('fs')
print(d['name'], d['loaded'], len(d['tools']), runtime.describe_server('web'))
print(await runtime.configure(), dir(runtime) == sorted(runtime.__all__))
""", "('fs', 'my-git', 'web', 'mute') ('fs', 'my-git', 'web', 'mute')\n"
            "{'name': 'fs', 'description': 'Files'}\n"
            "('fs', 'my-git') ('fs', 'my-git') ('fs', 'my-git')\n"
            "True {'name': '2nd', 'server': 'my-git', 'serverAlias': 'my_git', "
            "'tool': '2nd', 'toolAlias': '_2nd', 'inputSchema': "
            "{'type': 'object', 'properties': {}}}\n"
            "['description', 'inputSchema', 'name', 'outputSchema', "
            "'server', 'serverAlias', 'tool', 'toolAlias']\n"
            "[{'name': 'fs', 'alias': 'fs', 'description': 'Files', "
            "'loaded': True}, {'name': 'my-git', 'alias': 'my_git', "
            "'description': '', 'loaded': True}]\nmy_git\n"
            "fs True %d {'name': 'web', 'alias': 'web', 'description': "
            "'The web', 'loaded': False}\n"
            "{'raise_on_error': True} True\n" % len(FS))

    def test_first_touched_by_many_threads(self):
        self.prints("""
import threading
out = []
def f():
    gate.wait()
    out.append(runtime.list_servers())
gate = threading.Barrier(20)
threads = [threading.Thread(target=f) for i in range(20)]
for t in threads: t.start()
for t in threads: t.join()
print(set(out), len(out), type(runtime).__name__, hasattr(runtime, 'x'))
""", "{('fs', 'my-git')} 20 module False\n")

    def test_load_server(self):
        self.prints("""
web = await runtime.load_server('web')
print(web is mcp_web is mcp_servers['web'], LOADED_MCP_SERVERS)
from mcp.servers.web import get
print((await get(url='u')).data, runtime.list_servers())
print(runtime.load_server('web').result() is await runtime.load_server(web))
for name in 'mute', 'nope':
    try:
        runtime.load_server(name).result()
    except runtime.MCPError as error:
        print(error)
""", "True ('web',)\n{'url': 'u'} ('web',)\nTrue\n"
            "mute: it could not be started: exited with code 1\n"
            "nope: there is no such server; there are: fs, my-git, web, mute"
            "\n", loaded=())

    def test_calls_by_name(self):
        got = self.prints("""
for tool in 'write-file', 'write_file':
    print((await runtime.call_tool('fs', tool, {'a': [1]})).data)
print(runtime.call_tool_sync('my_git', '2nd').data)
print(runtime.call_tool('fs', 'echo', None).result().text)
""", "{'a': [1]}\n{'a': [1]}\n{}\n{}\n")
        self.assertEqual(got.relay.calls[1], (
            "fs", "write-file", '{"a":[1]}'))
        self.assertEqual(got.relay.calls[2], ("my-git", "2nd", "{}"))

    def test_refusals(self):
        self.prints("""
E = runtime.MCPError
for call in (lambda: runtime.call_tool('fs', 'raed_file'),
             lambda: runtime.call_tool('web', 'get'),
             lambda: runtime.call_tool('fss', 'get'),
             lambda: runtime.call_tool('fs', 5),
             lambda: runtime.call_tool(5, 'echo'),
             lambda: runtime.call_tool('fs', 'echo', [1]),
             lambda: runtime.call_tool('fs', 't' * 2000),
             lambda: mcp_fs.echo(a='x' * (16 << 20)),
             lambda: mcp_mute.tool,
             lambda: mcp_fs.echo().text,
             lambda: mcp_fs.echo()['content']):
    try:
        call().result()
    except (AttributeError, E, TypeError) as error:
        print(type(error).__name__, error)
""", "MCPError fs.raed_file: there is no such tool; did you mean read_file or "
            "write-file?\n"
            "MCPError web: the server is not loaded: name it in the tool's "
            "'servers' argument, or: await runtime.load_server('web')\n"
            "MCPError fss: there is no such server; did you mean fs?; there "
            "are: fs, my-git, web, mute\n"
            "TypeError a tool is given by its name, not by an object of type "
            "int\n"
            "TypeError a server is given by its name, not by an object of "
            "type int\n"
            "TypeError arguments must be a dict, not an object of type list\n"
            "MCPError fs: the name of the tool is too long\n"
            "MCPError fs.echo: the arguments have 16777224 bytes as JSON; "
            "16777216 are allowed\n"
            "MCPError mute: it does not answer; its last words: oops\n"
            "AttributeError the call of fs.echo has no result yet, and so no "
            "'text': write 'await' before it, or '.result()' behind it where "
            "there is no 'await'\n"
            "TypeError the call of fs.echo has no result yet: write 'await' "
            "before it, or '.result()' behind it where there is no 'await'\n",
            ".*never awaited.*", loaded=("fs", "mute"))

    def test_errors(self):
        self.prints("""
for tool in 'fail', 'silent', 'refuse':
    try:
        await mcp_fs[tool](path='x')
    except runtime.MCPError as e:
        print(e, '|', e.message, e.server, e.tool, e.code, e.data,
              e.result and e.result.is_error)
runtime.configure(raise_on_error=False)
r = await mcp_fs.fail()
print(r.is_error, r.text, r['isError'])
try:
    await mcp_fs.refuse()
except runtime.MCPError as e:
    print(e.result)
""", "fs.fail: no such file | no such file fs fail None None True\n"
            "fs.silent: the tool failed and did not say why | the tool failed "
            "and did not say why fs silent None None True\n"
            "fs.refuse: Invalid params: path | Invalid params: path fs refuse "
            "-32602 {'a': 1} None\nTrue no such file True\nNone\n")

    def test_results(self):
        self.prints(r"""
def show(json):
    r = mcp_fs.raw(json=json).result()
    print(repr(r.text), repr(r.data), r.is_error)
for json in ('{}', '{"content": 5}', '{"content": [5, {}, {"text": 6}]}',
             '{"content": [{"type": "text", "text": "a"}, '
             '{"type": "image", "data": ""}, {"type": "text", "text": "b"}]}',
             '{"content": [{"type": "text", "text": " [1, 2e400]\\n"}]}',
             '{"content": [{"type": "text", "text": "NaN"}]}',
             '{"content": [], "structuredContent": {"a": null}}',
             '{"structuredContent": null, "content": []}',
             '{"isError": false, "content": [{"type":"text","text":"[1] 2"}]}'
             ):
    show(json)
try:
    show('[]')
except runtime.MCPError as error:
    print(error)
""", "'' '' False\n" * 3 + "'a\\nb' 'a\\nb' False\n"
            "' [1, 2e400]\\n' [1, 2e400] False\n'NaN' 'NaN' False\n"
            "'' {'a': None} False\n'' '' False\n'[1] 2' '[1] 2' False\n"
            "fs.raw: the answer is no result of a tool\n")

    def test_results_as_the_sdk_has_them(self):
        self.prints(r"""
import copy, json, pickle
content = [{'type': 'text', 'text': 'hi', 'annotations': {'priority': 1}},
           {'type': 'resource', 'resource': {'uri': 'a:b', 'text': 'x'}}, 5]
plain = {'content': content, 'structuredContent': {'rows': [1]}, '_meta': {}}
r = mcp_fs.raw(json=json.dumps(plain)).result()
for r in r, copy.deepcopy(r), pickle.loads(pickle.dumps(r)):
    print(r.content[0].text, r['content'][0]['text'], r.content[1].type,
          r.content[1].resource.uri, r.content[0].annotations.priority,
          r.structuredContent['rows'], r.isError, r._meta, r == plain,
          json.dumps(r) == json.dumps(plain), r.content is r['content'])
for f in (lambda: r.rows, lambda: r.txt, lambda: r.content[0].data,
          lambda: r.content[1].text, lambda: r.__len):
    try:
        f()
    except AttributeError as error:
        print(error)
r = mcp_fs.raw(json='{"content": []}').result()
print(r.isError, r.structuredContent, r.content, hasattr(r, '__await__'))
r = mcp_fs.raw(json='{"content": {"type": "text"}}').result()
print(r.content['type'], hasattr(r, 'x'), r.items() == dict(r).items())
runtime.configure(raise_on_error=False)
print((await mcp_fs.fail()).isError)
""", "hi hi resource a:b 1 [1] False {} True True True\n" * 3 + """\
the result has no 'rows': write r.data['rows']; its keys are content, \
structuredContent, _meta; r.text is all of its text, r.data what it holds
the result has no 'txt': its keys are content, structuredContent, _meta; \
r.text is all of its text, r.data what it holds
this part of the result has no 'data': its keys are type, text, annotations
this part of the result has no 'text': its keys are type, resource
__len
False None [] False
text False True
True
""")

    def test_new_tool_is_found(self):
        self.prints("""
mcp_fs.print().result()
print(mcp_fs.brand_new(a=1).result().data)
""", "{'a': 1}\n")

    def test_never_awaited(self):
        self.prints("""
def f():
    mcp_fs.echo(a=1)
f()
x = mcp_fs.echo()
y = mcp_fs.echo()
y.close()
print(repr(x)[:31])
""", "<call of fs.echo, not awaited: \n",
            "MAIN:3: fs.echo was called but never awaited, so nothing was "
            "sent: write 'await' before it, or '.result\\(\\)' behind it "
            "where there is no 'await'\n    mcp_fs.echo\\(a=1\\)\n"
            "MAIN:5: fs.echo was .*\n    x = mcp_fs.echo\\(\\)\n")


class Forgotten(Base):
    """Lines about calls that were forgotten, and about no others."""

    def test_an_exception_ends_the_code(self):
        """The calls that it made in vain were not forgotten."""
        for code in ("asyncio.wait(mcp_fs.echo(), mcp_fs.raw(), mcp_fs.ty())",
                     "await asyncio.gather(mcp_fs.echo(), mcp_fs.ty())",
                     "[mcp_fs.echo(), {1: mcp_fs.raw()}, mcp_fs.ty()]",
                     "[mcp_fs[n]() for n in ('echo', 'raw', 'ty')]",
                     "print(*(mcp_fs[n]() for n in ('echo', 'raw', 'ty')))",
                     "print(mcp_fs.echo(), mcp_fs.read_file('x'))",
                     "print(mcp_fs.echo(), 1 / 0)",
                     "print(mcp_fs.echo(), no_such_name)",
                     "async def f():\n    g(mcp_fs.echo(), mcp_fs.ty())\n"
                     "g = asyncio.gather\nasyncio.run(f())",
                     "def f(n):\n    return [mcp_fs.echo(), f(n - 1) if n "
                     "else mcp_fs.ty()]\nf(3)"):
            with self.subTest(code):
                self.prints("import asyncio\ndir(mcp_fs)\n" + code, "",
                            "Traceback .*Error: .*", 1)

    def test_one_that_was_forgotten_before(self):
        line = "MAIN:%d: fs.echo was called but never awaited, [^\n]*\n" \
            "    [^\n]*\n"
        for code, count in (("mcp_fs.echo()", 1), ("str(mcp_fs.echo())", 1),
                            ("x = mcp_fs.echo()\nx = 1", 1),
                            ("len([mcp_fs.echo(), mcp_fs.echo()])", 2),
                            ("def f():\n    mcp_fs.echo()\nf()", 1)):
            at = 3 if "def" in code else 2
            with self.subTest(code):
                self.prints(
                    "dir(mcp_fs)\n%s\nprint(mcp_fs.raw(), mcp_fs.ty())"
                    % code, "", line % at * count
                    + "Traceback .*has no tool 'ty'.*", 1)
                self.prints("import sys\n%s\nsys.exit(3)" % code, "",
                            line % at * count, 3)

    def test_the_exception_is_caught(self):
        line = "MAIN:%d: fs.echo was called but never awaited, [^\n]*\n" \
            "    [^\n]*\n"
        self.prints("""dir(mcp_fs)
try:
    print(mcp_fs.echo(), mcp_fs.ty())
except AttributeError:
    pass
mcp_fs.raw(json='{}').result()
import sys
sys.stderr.write('here\\n')
try:
    print(mcp_fs.echo(), mcp_fs.ty())
except AttributeError:
    1 / 0
""", "", line % 3 + "here\n" + line % 10 + "Traceback .*ZeroDiv.*", 1)


class Values(Base):
    """What is passed arrives as it was."""

    def test_on_the_wire(self):
        for value, wire in (
                ("0.1", "0.1"), ("-0.0", "-0.0"), ("1e22", "1e+22"),
                ("2 ** 64", "18446744073709551616"), ("-7", "-7"),
                ("5e-324", "5e-324"), ("True", "true"), ("None", "null"),
                (r"'\0'", r'"\u0000"'), (r"'a\n\"\\/'", r'"a\n\"\\/"'),
                (r"'\u00e9\U0001f600\u2028'", '"\u00e9\U0001f600\u2028"'),
                ("(1, (2,), [])", "[1,[2],[]]"), ("{}", "{}"),
                ("{'b': 1, 'a': {'': 2}}", '{"b":1,"a":{"":2}}'),
                ("enum.IntEnum('E', 'A').A", "1"),
                ("collections.OrderedDict(z=1, a=2)", '{"z":1,"a":2}'),
                ("collections.namedtuple('N', 'x')(1)", "[1]"),
                ("type('S', (str,), {})('s')", '"s"')):
            with self.subTest(value):
                got = self.prints(
                    "import collections, enum\nmcp_fs.echo(x=%s).result()"
                    % value, "")
                self.assertEqual(got.relay.calls[0][2], '{"x":%s}' % wire)

    def test_back_and_forth(self):
        there = ('{"a":[0.1,1e400,-1E+400,1e-400,0e5,18446744073709551616,'
                 '-3,%s],"b":"\\u0000\\ud83d\\ude00","":{"z":1,"a":{}},'
                 '"n":null}' % ("9" * 5000 + "1"))
        here = there.replace("\\ud83d\\ude00", "\U0001f600").replace(
            "0e5", "0.0")
        got = self.prints("""
import copy, math, pickle, sys
sys.set_int_max_str_digits(640) if hasattr(
    sys, 'set_int_max_str_digits') else None
d = mcp_fs.raw(json='{"structuredContent":' + %r + '}').result().data
print(d['a'][1], repr(d['a'][2]), d['a'][3] + 0, math.isinf(d['a'][1]))
print(copy.deepcopy(d['a'])[1], pickle.loads(pickle.dumps(d['a'][2])))
print(d['a'][7] %% 10 ** 6, d['a'][7].bit_length())
mcp_fs.echo(**d).result()
""" % there, "1e400 -1E+400 0.0 True\n1e400 -1E+400\n999991 16613\n")
        self.assertEqual(got.relay.calls[1][2], here)

    def test_duplicate_keys(self):
        self.prints("""
print(mcp_fs.raw(json='{"a":1,"b":2,"a":3}').result())
""", "{'a': 3, 'b': 2}\n")

    def test_unreadable_answers_fail_alone(self):
        self.prints(r"""
import asyncio
async def main():
    rs = await asyncio.gather(
        mcp_fs.raw(json='[' * 200 + ']' * 200), mcp_fs.echo(a=1),
        mcp_fs.raw(json='{"a":"\\ud800"}'),
        mcp_fs.raw(json='nonsense'), mcp_fs.raw(json='{"a":tru}'),
        mcp_fs.raw(json='[' * 99999), mcp_fs.echo(b=2),
        return_exceptions=True)
    for r in rs:
        print(type(r).__name__, str(getattr(r, 'text', r) or dict(r))[:59])
asyncio.run(main())
""", """MCPError fs.raw: the answer is no result of a tool
Result {"a":1}
Result {'a': '\\ud800'}
MCPError fs.raw: Python cannot read the answer (ValueError: it is no
MCPError fs.raw: Python cannot read the answer (ValueError: it is no
MCPError fs.raw: Python cannot read the answer (RecursionError: maxi
Result {"b":2}
""")

    def test_refused_arguments(self):
        for value, says in (
                ("{'a': [1, 2, 3, float('nan')]}", 'ValueError arguments["a"]'
                 '[3] is nan, which JSON cannot hold: use None or a string'),
                ("{'a': float('-inf')}", 'ValueError arguments["a"] is -inf'),
                (r"{'a': ['x\ud800']}", 'ValueError arguments["a"][0] has a '
                 'lone surrogate at index 1, which is no character'),
                (r"{'b': {'\udc00': 1}}", 'ValueError arguments["b"]["'),
                ("{'a': {1}}", 'TypeError arguments["a"] is of type set, '
                 'which JSON cannot hold: JSON knows None, bool,'),
                ("{'a': b'x'}", 'TypeError arguments["a"] is of type bytes'),
                ("{'a': {1: 2}}", 'TypeError arguments["a"] has a key of '
                 'type int: keys must be strings'),
                ("{1: 2}", "TypeError arguments has a key of type int"),
                ("{'a': ({'b\"': [[object]]},)}", 'TypeError arguments["a"]'
                 '[0]["b\\""][0][0] is of type type'),
                ("circle", 'ValueError arguments["a"]["a"]["a"]')):
            with self.subTest(value):
                got = run("""
circle = {}
circle['a'] = circle
try:
    runtime.call_tool('fs', 'echo', %s)
except (TypeError, ValueError) as error:
    print(type(error).__name__, error)
""" % value)
                self.assertEqual(got.out[:len(says)], says)
                self.assertEqual((got.err, got.status), ("", 0))
                self.assertEqual(got.relay.frames, [])

    def test_large(self):
        got = self.prints("""
text = 'x' * (15 << 20)
r = mcp_fs.raw(json='{"a":"' + text + '"}').result()
print(r['a'] == text)
async def main():
    return [len(r['a']) for r in await asyncio.gather(*(
        mcp_fs.raw(json='{"a":"%s"}' % ('y' * 300000)) for _ in range(40)))]
import asyncio
print(asyncio.run(main()) == [300000] * 40)
""", "True\nTrue\n")
        self.assertEqual(len(got.relay.calls), 41)


class Waiting(Base):
    """Event loops, threads, both, cancelled ones, and children."""

    def test_parallel(self):
        got = self.prints("""
import asyncio
rs = await asyncio.gather(*(mcp_fs.barrier(n=100, i=i) for i in range(300)))
print([r.data['i'] for r in rs] == list(range(300)))
rs = await asyncio.gather(*(mcp_fs.echo(i=i) for i in range(1000)))
print([r.data['i'] for r in rs] == list(range(1000)))
""", "True\nTrue\n")
        self.assertGreaterEqual(got.relay.most, 100)

    def test_every_way_in_a_loop(self):
        self.prints("""
import asyncio
c = mcp_fs.echo
async def main():
    print((await c(a=1)).data, (await asyncio.create_task(c(a=2))).data,
          (await asyncio.wait_for(c(a=3), 9)).data,
          (await asyncio.ensure_future(c(a=4))).data,
          (await asyncio.shield(c(a=5))).data, c(a=6).result().data)
    done, _ = await asyncio.wait([asyncio.ensure_future(c(a=7))])
    print([t.result().data for t in done], asyncio.iscoroutine(c(a=8)))
    call = c(a=9)
    print((await call).data, await call is call.result())
    loop = asyncio.get_running_loop()
    print((await loop.run_in_executor(None, c(a=10).result)).data)
    print('fs.echo' in repr(asyncio.create_task(c(a=11))))
asyncio.run(main())
print(asyncio.run(c(a=12)).data)
loop = asyncio.new_event_loop()
print(loop.run_until_complete(c(a=13)).data)
loop.close()
print(c(a=14).result().data)
""", "{'a': 1} {'a': 2} {'a': 3} {'a': 4} {'a': 5} {'a': 6}\n"
            "[{'a': 7}] True\n{'a': 9} True\n{'a': 10}\nTrue\n{'a': 12}\n"
            "{'a': 13}\n{'a': 14}\n", "MAIN:[^\n]*\n[^\n]*c\\(a=8\\).*")

    def test_threads(self):
        got = self.prints("""
import threading
out = []
def f(i):
    out.append(mcp_fs.barrier(n=50, i=i).result().data['i'])
threads = [threading.Thread(target=f, args=(i,)) for i in range(50)]
for t in threads: t.start()
for t in threads: t.join()
print(sorted(out) == list(range(50)), threading.active_count())
""", "True 1\n")
        self.assertGreaterEqual(got.relay.most, 50)

    def test_threads_loops_and_main_mixed(self):
        """All wait at once: nobody gets an answer before all have asked."""
        self.prints("""
import asyncio, threading
out, N = [], 30
def sync(i):
    for k in range(3):
        out.append(mcp_fs.barrier(n=N, i=i).result().data['i'])
def loop(i, n):
    async def main():
        for k in range(3):
            rs = await asyncio.gather(*(mcp_fs.barrier(n=N, i=j)
                                        for j in range(i, i + n)))
            out.extend(r.data['i'] for r in rs)
    asyncio.run(main())
threads = [threading.Thread(target=sync, args=(i,)) for i in range(9)]
threads += [threading.Thread(target=loop, args=(i, 5)) for i in (9, 14, 19)]
for t in threads: t.start()
loop(24, 6)
for t in threads: t.join()
print(sorted(out) == sorted(3 * [*range(30)]))
""", "True\n")

    def test_many_turns_of_threads_and_loops(self):
        """Short calls, so that the role of the reader moves often."""
        self.prints("""
import asyncio, threading
count = []
def sync():
    for i in range(200):
        assert mcp_fs.echo(i=i).result().data == {'i': i}
        count.append(1)
def loop():
    async def one(i):
        assert (await mcp_fs.echo(i=i)).data == {'i': i}
        count.append(1)
    async def main():
        for i in range(40):
            await asyncio.gather(*(one(j) for j in range(5)))
    asyncio.run(main())
threads = [threading.Thread(target=f) for f in (sync, loop) * 4]
for t in threads: t.start()
for t in threads: t.join()
print(len(count))
""", "1600\n")

    def test_thread_under_a_blocked_loop(self):
        """The loop waits for a call, and its thread for another thread."""
        self.prints("""
import asyncio, threading
async def main():
    task = asyncio.create_task(mcp_fs.keep(a=1))
    await mcp_fs.echo()  # behind the other one
    t = threading.Thread(target=lambda: print(mcp_fs.echo(b=2).result().data))
    t.start(); t.join()
    print(mcp_fs.release(c=3).result().data, (await task).data)
asyncio.run(main())
""", "{'b': 2}\n{'c': 3} {'a': 1}\n")

    def test_loop_is_not_blocked_and_does_not_spin(self):
        self.prints("""
import asyncio, threading, time
ticks = []
async def tick():
    while True:
        ticks.append(1)
        await asyncio.sleep(0.01)
async def main():
    t = asyncio.create_task(tick())
    thread = threading.Thread(target=mcp_fs.keep(a=1).result)
    thread.start()
    await asyncio.sleep(0.05)
    task = asyncio.create_task(mcp_fs.keep(a=2))
    selector = asyncio.get_running_loop()._selector
    looks, select = [], selector.select
    selector.select = lambda *args: looks.append(1) or select(*args)
    count = len(ticks)
    while len(ticks) < count + 20:
        await asyncio.sleep(0.05)
    print(len(looks) < 200)
    await mcp_fs.release()
    print((await task).data)
    thread.join()
asyncio.run(main())
""", "True\n{'a': 2}\n")

    def test_loop_does_not_spin_when_the_connection_has_ended(self):
        """It has waited before, and need not wait again."""
        self.prints("""
import asyncio
async def main():
    await mcp_fs.echo()
    try:
        await mcp_fs.hang_up()
    except runtime.MCPError:
        print('ended')
    selector = asyncio.get_running_loop()._selector
    looks, select = [], selector.select
    selector.select = lambda *args: looks.append(1) or select(*args)
    await asyncio.sleep(0.3)
    print(len(looks) < 10)
asyncio.run(main())
""", "ended\nTrue\n")

    def test_loop_lets_a_thread_read(self):
        """It has waited before; an answer to a thread is not its own."""
        self.prints("""
import asyncio, threading
import mcp._wire
async def main():
    for i in range(50):
        assert (await mcp_fs.echo(i=i)).data == {'i': i}
        thread = threading.Thread(target=mcp_fs.keep(a=i).result)
        thread.start()
        while not mcp._wire.WIRE.sent:  # or it would be kept for ever
            await mcp_fs.echo()
        await mcp_fs.release()
        while thread.is_alive():
            await asyncio.sleep(0)
    print('done')
asyncio.run(main())
""", "done\n")

    def test_loops_that_are_closed_are_forgotten(self):
        self.prints("""
import asyncio, gc, weakref
loops = []
for i in range(20):
    loop = asyncio.new_event_loop()
    loops.append(weakref.ref(loop))
    assert loop.run_until_complete(mcp_fs.echo(i=i)).data == {'i': i}
    loop.close()
    del loop
gc.collect()
print(sum(ref() is not None for ref in loops) < 3)
""", "True\n")

    def test_loops_that_nobody_closes_are_forgotten(self):
        self.prints("""
import asyncio, gc, os, warnings
warnings.simplefilter('ignore')
count = len(os.listdir('/proc/self/fd'))
for i in range(100):
    loop = asyncio.new_event_loop()
    assert loop.run_until_complete(mcp_fs.echo(i=i)).data == {'i': i}
del loop
gc.collect()
print(len(os.listdir('/proc/self/fd')) - count < 10)
""", "True\n")

    def test_loop_that_idles_does_not_read_for_others(self):
        self.prints("""
import asyncio, threading
async def call(n):
    for i in range(n):
        await mcp_fs.echo(i=i)
async def main():
    await mcp_fs.echo()
    selector = asyncio.get_running_loop()._selector
    looks, select = [], selector.select
    selector.select = lambda *args: looks.append(1) or select(*args)
    for i in range(3):
        await asyncio.get_running_loop().run_in_executor(
            None, lambda: asyncio.run(call(200)))
    print(len(looks) < 100, (await mcp_fs.echo(a=1)).data)
asyncio.run(main())
""", "True {'a': 1}\n")

    def test_signal_while_a_loop_looks_away(self):
        """It looks again, when it has something to wait for."""
        self.prints("""
import asyncio, signal, threading, time
import mcp._wire
class Late(Exception): pass
def late(*_): raise Late
signal.signal(signal.SIGUSR1, late)
loop = asyncio.new_event_loop()
loop.set_exception_handler(lambda *args: lates.append(1))
remove, lates = loop.remove_reader, []
def remove_reader(source):
    remove(source)
    signal.raise_signal(signal.SIGUSR1)
async def main():
    await mcp_fs.echo()
    thread = threading.Thread(target=mcp_fs.keep().result)
    thread.start()
    while mcp._wire.WIRE.reader != thread.ident:
        time.sleep(0.001)
    other = threading.Thread(target=mcp_fs.release().result)
    other.start()
    while other.is_alive() or thread.is_alive():
        await asyncio.sleep(0)
    await asyncio.wait_for(mcp_fs.echo(), 5)
loop.remove_reader = remove_reader
while not lates:
    loop.run_until_complete(main())
loop.remove_reader = remove
loop.close()
print('done')
""", "done\n")

    def test_child_goes_on_with_the_loop(self):
        """What its parent is answered is not for it."""
        self.prints("""
import asyncio, os
async def main():
    await mcp_fs.echo()
    source, target = os.pipe()
    loop = asyncio.get_running_loop()
    loop.add_reader(source, lambda: os._exit(7))
    child = os.fork()
    if not child:
        os.close(target)
        await loop.create_future()
    for i in range(300):
        assert (await mcp_fs.echo(i=i)).data == {'i': i}
    os.close(target)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    loop.remove_reader(source)
asyncio.run(main())
""", "7\n")

    def test_cancelled(self):
        got = self.prints("""
import asyncio
async def main():
    for i in range(3):
        try:
            await asyncio.wait_for(mcp_fs.keep(i=i), 0.05)
        except asyncio.TimeoutError:
            print('late')
    tasks = [asyncio.create_task(mcp_fs.keep(i=i)) for i in range(300)]
    await asyncio.sleep(0.05)
    for t in tasks: t.cancel()
    print({type(r).__name__ for r in await asyncio.gather(
        *tasks, return_exceptions=True)})
asyncio.run(main())
call = mcp_fs.echo(a=1)
async def early():
    task = asyncio.create_task(call)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    print(task.cancelled())
asyncio.run(early())
""", "late\nlate\nlate\n{'CancelledError'}\nTrue\n")
        self.assertEqual(len(got.relay.calls), 3 + MOST)
        self.assertEqual(len(got.relay.cancelled), 3 + MOST)

    def test_a_cancelled_call_is_over(self):
        """The relay hears of it, once; a shield keeps it from that."""
        got = self.prints("""
import asyncio
async def main():
    call = mcp_fs.keep(i=1)
    try:
        await asyncio.wait_for(call, 0.05)
    except asyncio.TimeoutError:
        print('late')
    try:
        await call
    except runtime.MCPError as error:
        print(error)
    task = asyncio.ensure_future(mcp_fs.keep(i=2))
    try:
        await asyncio.wait_for(asyncio.shield(task), 0.05)
    except asyncio.TimeoutError:
        print('late')
    print((await mcp_fs.release(x=1)).data, (await task).data)
    print((await mcp_fs.echo(x=2)).data)
asyncio.run(main())
""", "late\nfs.keep: %s\nlate\n{'x': 1} {'i': 2}\n{'x': 2}\n" % CANCELLED)
        self.assertEqual(len(got.relay.cancelled), 1)

    def test_the_end_of_a_loop_cancels(self):
        got = self.prints("""
import asyncio
async def main():
    asyncio.ensure_future(mcp_fs.never(i=1))
    asyncio.ensure_future(mcp_fs.never(i=2))
    await mcp_fs.echo()
asyncio.run(main())
print((mcp_fs.echo(x=2).result()).data)
""", "{'x': 2}\n")
        self.assertEqual(len(got.relay.cancelled), 2)

    def test_a_cancelled_fetch_goes_on(self):
        """A list of tools is for all."""
        got = self.prints("""
import asyncio
async def main():
    task = asyncio.ensure_future(mcp_fs.echo(x=1))
    await asyncio.sleep(0)
    task.cancel()
    print((await mcp_fs.echo(x=2)).data)
asyncio.run(main())
""", "{'x': 2}\n")
        self.assertEqual(got.relay.cancelled, [])

    def test_a_child_cancels_nothing(self):
        got = self.prints("""
import asyncio, os
async def main():
    task = asyncio.ensure_future(mcp_fs.keep(x=1))
    await mcp_fs.echo()
    child = os.fork()
    if not child:
        task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        os._exit(0)
    os.waitpid(child, 0)
    await mcp_fs.release()
    print((await task).data)
asyncio.run(main())
""", "{'x': 1}\n", ".*")
        self.assertEqual(got.relay.cancelled, [])

    def test_late_answers_are_dropped(self):
        """Where nobody has cancelled, they may still be asked for."""
        self.prints("""
call = mcp_fs.keep(i=1)
try:
    call.result(0.05)
except TimeoutError:
    print('late')
print((mcp_fs.release(x=1).result()).data, (call.result()).data)
print((mcp_fs.echo(x=2).result()).data)
""", "late\n{'x': 1} {'i': 1}\n{'x': 2}\n")

    ABANDONED = "mcp.runtime.MCPError: fs.echo: it was not sent: 128 " \
        "requests for which nobody waits any more have no answer yet, and " \
        "no more can be under way: %s; to wait on for a call, ask for its " \
        ".result() again\n"

    def test_abandoned_calls_take_every_slot(self):
        """Then nothing else can be sent, which must not be silent."""
        got = self.prints("""
for i in range(130):
    try:
        mcp_fs.never().result(0.01)
    except TimeoutError:
        pass
try:
    mcp_fs.echo().result(timeout=0.01)
except TimeoutError:
    print('late')
mcp_fs.echo().result()
""", "late\n", "Traceback .*" + re.escape(
            self.ABANDONED % "fs.never (128 times)"), 1)
        self.assertEqual(len(got.relay.calls), MOST)

    def test_cancelled_calls_take_no_slot(self):
        got = self.prints("""
import asyncio
async def main():
    for i in range(300):
        try:
            await asyncio.wait_for(mcp_fs.never(), 0.01)
        except asyncio.TimeoutError:
            pass
    print((await mcp_fs.echo(x=1)).data)
asyncio.run(main())
""", "{'x': 1}\n")
        self.assertLessEqual(got.relay.most, MOST)
        self.assertEqual(len(got.relay.cancelled), len(got.relay.calls) - 1)

    def test_calls_are_abandoned_while_others_wait(self):
        """Those that wait learn of it."""
        got = self.prints("""
import asyncio, threading
mcp_fs.echo().result()
out = []
def sync():
    for call in mcp_fs.raw, mcp_fs.echo:
        try:
            call().result()
        except runtime.MCPError as error:
            out.append(str(error).split(': ')[1])
def late(name, i):
    try:
        mcp_fs[name](i=i).result(1)
    except TimeoutError:
        pass
async def main():
    threads = [threading.Thread(target=late, args=(name, i))
               for i in range(64) for name in ('keep', 'never')]
    for thread in threads: thread.start()
    await asyncio.sleep(0.3)
    t = threading.Thread(target=sync)
    t.start()
    waiting = [asyncio.create_task(mcp_fs.echo(i=i)) for i in range(300)]
    errors = await asyncio.gather(*waiting, return_exceptions=True)
    print({str(error)[56:] for error in errors})
    t.join()
    print(out)
asyncio.run(main())
""", """\
{'waits any more have no answer yet, and no more can be under way: fs.keep \
(64 times), fs.never (64 times); to wait on for a call, ask for its .result() \
again'}
['it was not sent', 'it was not sent']
""")
        self.assertEqual(len(got.relay.calls), MOST + 1)

    def test_abandoned_calls_that_are_answered_make_room(self):
        self.prints("""
import asyncio
async def main():
    tasks = [asyncio.create_task(mcp_fs.barrier(n=128)) for i in range(128)]
    await asyncio.sleep(0.01)
    for task in tasks[:-1]:
        task.cancel()
    print([r.data['i'] for r in await asyncio.gather(
        *(mcp_fs.echo(i=i) for i in range(1000)))] == [*range(1000)])
asyncio.run(main())
""", "True\n")

    def test_requests_together_are_not_abandoned(self):
        """A search asks many servers, and waits for one after another."""
        names = ["s%d" % i for i in range(300)]
        self.prints("""
import threading
out = []
def search():
    out.append(len(runtime.search_tool_docs_sync('echo', limit=999)))
threads = [threading.Thread(target=search) for i in range(3)]
for t in threads: t.start()
print(mcp_fs.echo(a=1).result().data)
for t in threads: t.join()
print(out)
""", "{'a': 1}\n[301, 301, 301]\n", others=names, tools={
            "mute": [], "web": [], "my-git": []})

    def test_abandoned_loop(self):
        """A loop that was stopped while it waited is in nobody's way."""
        self.prints("""
import asyncio
loop = asyncio.new_event_loop()
task = loop.create_task(mcp_fs.keep(a=1))
loop.run_until_complete(asyncio.sleep(0.05))
async def main():
    return (await mcp_fs.echo(b=2)).data
print(asyncio.run(main()), mcp_fs.release(c=1).result().data)
print(loop.run_until_complete(task).data)
other = asyncio.new_event_loop()
task = other.create_task(mcp_fs.keep(a=1))
other.run_until_complete(asyncio.sleep(0.05))
other.close()
print(mcp_fs.release(d=1).result().data, asyncio.run(main()))
task._log_destroy_pending = False
""", "{'b': 2} {'c': 1}\n{'a': 1}\n{'d': 1} {'b': 2}\n", ".*")

    def test_one_waits_for_a_call(self):
        self.prints("""
import asyncio
async def main():
    call = mcp_fs.keep()
    task = asyncio.ensure_future(call)
    await mcp_fs.echo()  # behind the other one
    try:
        await call
    except RuntimeError as error:
        print(error)
    await mcp_fs.release()
    await task
asyncio.run(main())
""", "somebody waits for this call already: make another call\n")

    def test_signals(self):
        """What a handler raises ends one wait, and nothing else."""
        self.prints("""
import os, signal, threading, time
class Late(Exception): pass
def late(*_): raise Late
def nested(*_):
    try:
        mcp_fs.echo().result()
    except RuntimeError as error:
        print(error)
    raise Late
def interrupt(call, handler):
    signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        call.result()
    except Late:
        print('late')
call = mcp_fs.keep(a=1)
interrupt(call, late)
t = threading.Thread(target=lambda: print(mcp_fs.keep(b=1).result().data))
t.start()
time.sleep(0.05)
interrupt(mcp_fs.never(), late)
mcp_fs.release().result()
t.join()
print(call.result().data)
interrupt(mcp_fs.never(), nested)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
mcp_fs.never().result()
""", "late\nlate\n{'b': 1}\n{'a': 1}\na signal handler cannot call a "
            "server while the code that it interrupts waits for one\nlate\n",
            r'Traceback .*\n  File "MAIN", line \d+, in <module>\n[^\n]*\n'
            "(?:[^\n]*\n)?KeyboardInterrupt\n", -2)

    def test_interrupts_do_not_lose_answers(self):
        self.prints("""
import random, signal
class Late(Exception): pass
def handler(*_): raise Late
signal.signal(signal.SIGALRM, handler)
random.seed(1)
text, late = 'x' * 70000, 0
for i in range(300):
    call = mcp_fs.echo(i=i, x=text)
    try:
        signal.setitimer(signal.ITIMER_REAL, random.random() / 500 + 1e-5)
        call.result()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Late:
        late += 1
    assert mcp_fs.echo(i=i).result().data['i'] == i
print(late > 10)
""", "True\n", "(MAIN.*never awaited.*)?")

    def test_signals_while_answers_are_delivered(self):
        """What was read is delivered all the same, in and to a loop."""
        self.prints("""
import asyncio, sys, threading, time
import mcp._wire
class Late(Exception): pass
def late(frame, event, value):
    global left
    if event in ('call', 'c_return') and '/mcp/_' in frame.f_code.co_filename:
        name = frame.f_code.co_name
        left -= left > 0 and name in ('digest', 'split', 'deliver')
        if left == 0:
            left = -1
            raise Late
async def gather(n):
    global left
    tasks = [asyncio.ensure_future(mcp_fs.barrier(n=3, i=i))
             for i in range(3)]
    left = n
    sys.setprofile(late)
    await asyncio.wait(tasks, timeout=5)
    sys.setprofile(None)
    for i, task in enumerate(tasks):
        assert task.result().data['i'] == i, (n, i)
loop = asyncio.new_event_loop()
loop.set_exception_handler(lambda *args: None)
for n in range(1, 40):
    loop.run_until_complete(gather(n))
loop.close()
async def keep():
    return (await asyncio.wait_for(mcp_fs.keep(a=1), 5)).data
for n in range(1, 25):
    kept = []
    thread = threading.Thread(target=lambda: kept.append(asyncio.run(keep())))
    thread.start()
    # An earlier release() may have no answer yet.
    while 'fs.keep' not in [r.about for r in [*mcp._wire.WIRE.sent.values()]]:
        time.sleep(0.001)
    call = mcp_fs.release()
    left = n
    sys.setprofile(late)
    try:
        call.result()
    except Late:
        pass
    sys.setprofile(None)
    thread.join()
    assert kept == [{'a': 1}], n
print('done')
""", "done\n")

    def test_signal_handler_raises_an_error_of_the_system(self):
        self.prints("""
import signal
def late(*_): raise TimeoutError('late')
signal.signal(signal.SIGALRM, late)
try:
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    mcp_fs.never().result()
except TimeoutError as error:
    print(error)
print(mcp_fs.echo(a=1).result().data)
""", "late\n{'a': 1}\n")

    def test_end_of_the_connection(self):
        self.prints("""
import asyncio, threading
def f():
    try:
        mcp_fs.never().result()
    except runtime.MCPError as error:
        print(error)
async def main():
    rs = await asyncio.gather(mcp_fs.never(), mcp_fs.hang_up(),
                              return_exceptions=True)
    t.join()
    print(*rs, sep='\\n')
    for call in mcp_fs.echo, mcp_fs.echo:
        try:
            await call()
        except runtime.MCPError as error:
            print(error)
mcp_fs.echo
t = threading.Thread(target=f); t.start()
asyncio.run(main())
""", "fs.never: the connection to the servers has ended\n" * 2
            + "fs.hang-up: the connection to the servers has ended\n"
            + "fs.echo: the connection to the servers has ended\n" * 2)

    def test_control_closed_by_the_code(self):
        self.prints("""
import os
mcp_fs.echo().result()
os.closerange(3, os.sysconf('SC_OPEN_MAX'))
try:
    mcp_fs.echo().result()
except runtime.MCPError as error:
    print(error)
""", "fs.echo: the connection to the servers has ended\n")

    def test_children(self):
        says = ("fs.echo: only the first process of the code can call "
                "servers, not a child of it: make the call there and hand the "
                "result on\n")
        got = self.prints("""
import asyncio, multiprocessing, os, sys
echo, mine, begun = mcp_fs.echo, mcp_fs.echo(), mcp_fs.keep()
try:
    begun.result(0.05)
except TimeoutError:
    pass
done = echo(a=1).result
done = lambda call=echo(a=1): call.result()
done()
def f():
    for call in echo(), mine, begun:
        try:
            call.result()
        except runtime.MCPError as error:
            print(error, flush=True)
    async def main():
        await echo()
    try:
        asyncio.run(main())
    except runtime.MCPError as error:
        print(error, flush=True)
    print(done().data, flush=True)
    import mcp.servers.my_git
    try:
        mcp_my_git.log
    except runtime.MCPError as error:
        print(str(error)[:28], flush=True)
pid = os.fork()
if not pid:
    f()
    os._exit(0)
os.waitpid(pid, 0)
p = multiprocessing.get_context('fork').Process(target=f)
p.start(); p.join()
print(mine.result().data)
""".replace("done = echo(a=1).result\n", ""), (
            says * 2 + says.replace("echo", "keep") + says
            + "{'a': 1}\nmy-git: only the first proce\n") * 2 + "{}\n")
        self.assertEqual(
            [call[1] for call in got.relay.calls], ["keep", "echo", "echo"])

    def test_top_level_await(self):
        self.prints("""
async def gen():
    for i in range(3):
        yield (await mcp_fs.echo(i=i)).data['i']
print([x async for x in gen()], (await mcp_fs.echo(a=1)).data)
print(mcp_fs.echo(b=2).result().data)
""", "[0, 1, 2] {'a': 1}\n{'b': 2}\n")


def node(**more):
    """Return a schema with references of every kind."""
    return {"$defs": {
        "Node": {"type": "object", "properties": {
            "name": {"type": "string"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        }, "required": ["name"]},
        "a/b%": {"$anchor": "here", "enum": ["x", 1, None]},
    }, "type": "object", **more}


REFERRING = node(properties={
    "tree": {"$ref": "#/$defs/Node", "description": "The tree."},
    "choice": {"$ref": "#/$defs/a~1b%25", "default": "x"},
    "same": {"$ref": "#here"},
    "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "both": {"allOf": [{"type": "object", "properties": {"p": {}}},
                       {"properties": {"q": {"const": 5}}}]},
    "map": {"type": "object", "additionalProperties": {"type": "number"}},
    "gone": {"$ref": "#/nowhere"}, "far": {"$ref": "http://x/y"},
}, required=["tree"])
MERGED = {"allOf": [
    {"properties": {"a": {"type": "string"}}, "required": ["a"]},
    {"$ref": "#/$defs/B"}], "$defs": {"B": {
        "properties": {"b": {"type": "integer", "default": 3}},
        "required": ["b"]}}}


def deep():
    """Return a schema that is nested, and refers to itself, everywhere."""
    schema = {}
    for _ in range(8):
        schema = {"allOf": [schema, {"$ref": "#"}],
                  "properties": {"p": schema, "q": {"$ref": "#"}}}
    for _ in range(60):
        schema = {"allOf": [{"$ref": "#"}, schema]}
    return schema


class Arguments(Base):
    """Names of arguments that a tool does not have, or lacks."""

    CALLS = """
E = runtime.MCPError
for call in (lambda: mcp_fs.read_file(),
             lambda: mcp_fs.read_file(path='x', haed=1),
             lambda: mcp_fs.read_file(pth='x'),
             lambda: mcp_fs.read_file(path='x', nonsense=1, others=2),
             lambda: mcp_fs['read_file'](file='x'),
             lambda: runtime.call_tool('fs', 'read_file', {'Path': 'x'})):
    try:
        print(%s)
    except E as error:
        print(isinstance(error, TypeError), error.server, error.tool, error)
"""
    SAYS = "".join(
        "True fs read_file fs.read_file: %s; it takes path (required), head, "
        "mode\n" % says for says in (
            "missing argument 'path'",
            "unknown argument 'haed'; did you mean head?",
            "unknown argument 'pth'; did you mean path?; missing argument "
            "'path'",
            "unknown arguments 'nonsense', 'others'",
            "unknown argument 'file'; missing argument 'path'",
            "unknown argument 'Path'; did you mean path?; missing argument "
            "'path'"))

    def test_wrong_ones_are_not_sent(self):
        for how in "call().result()", "await call()":
            got = self.prints(self.CALLS % how, self.SAYS)
            self.assertEqual(got.relay.calls, [])

    def test_right_ones_are_sent(self):
        got = self.prints("""
for arguments in ({'path': ''}, {'path': 'x', 'head': -1, 'mode': 'binary'}):
    mcp_fs.read_file(**arguments).result()
""", "")
        self.assertEqual(len(got.relay.calls), 2)

    def test_what_is_wrong_by_a_schema(self):
        cases = (
            (MERGED, {"b": 1}, "missing argument 'a'; it takes a (required), "
             "b (required)"),
            (MERGED, {"a": "x"}, None),
            (MERGED, {"a": "x", "c": 2}, "unknown argument 'c'; it takes a "
             "(required), b (required)"),
            (REFERRING, {"tree": {}, "far": 2, "both": {"q": 6}}, None),
            (REFERRING, {"Tree": 1}, "unknown argument 'Tree'; did you mean "
             "tree?; missing argument 'tree'; it takes tree (required), "
             "choice, same, either, both, map, gone, far"),
            ({"additionalProperties": False}, {"a": 1},
             "unknown argument 'a'; it takes none"),
            ({"properties": {"path-name": {}}}, {"path_name": 1},
             "unknown argument 'path_name'; did you mean path-name?; it "
             "takes path-name"),
            ({"required": ["a", "a", 5, None, {}]}, {},
             "missing argument 'a'; it takes a (required)"),
            ({"properties": {"n%d" % i: {} for i in range(10000)},
              "required": ["n%d" % i for i in range(10000)]}, {},
             "missing arguments 'n0', 'n1', 'n2', 'n3', 'n4', ...; it takes "
             + ", ".join("n%d (required)" % i for i in range(20)) + ", ..."),
        )
        self.judge(cases)

    def test_in_doubt_it_is_the_server_that_judges(self):
        some = {"properties": {"a": {}}}
        self.judge([(schema, {"z": 1}, None) for schema in (
            None, True, False, 5, [], "object", {}, {"properties": {}},
            {"properties": 5}, {"properties": [1]}, {"required": "z"},
            {"$ref": "#"}, {"$ref": 5}, {"$ref": "#/$defs/x"}, {"allOf": 5},
            {"$ref": "other.json", **some}, {"allOf": [some, {"not": {}}]},
            {"allOf": [some, False]}, {"type": "array", **some},
            dict(some, additionalProperties=True),
            dict(some, additionalProperties={}),
            dict(some, additionalProperties={"type": "string"}),
            dict(some, additionalProperties="no"),
            dict(some, unevaluatedProperties=True),
            dict(some, patternProperties={"^z": {}}),
            dict(some, propertyNames={"pattern": "^[a-z]$"}),
            dict(some, anyOf=[{"properties": {"z": {}}}]),
            dict(some, oneOf=[{"required": ["q"]}]),
            {"if": some, "then": {"required": ["q"]}},
            {"anyOf": [{"required": ["q"]}]},
            dict(some, required=["a"], properties={"a": {"default": 1}},
                 additionalProperties=True), deep())])

    def judge(self, cases):
        """Call tools of these schemas and compare what is said of them."""
        tools = [dict(name="t%d" % number, inputSchema=schema)
                 for number, (schema, _, _) in enumerate(cases)]
        got = self.prints("""
for number, arguments in enumerate(%r):
    tool = mcp_web['t%%d' %% number]
    tool.__doc__, tool.__signature__, repr(tool)
    try:
        tool(**arguments).result()
        print(None)
    except runtime.ArgumentError as error:
        print(error.message)
""" % [arguments for _, arguments, _ in cases], "".join(
            "%s\n" % says for _, _, says in cases),
            loaded=("web",), tools={"web": tools})
        self.assertEqual(len(got.relay.calls), len(
            [says for _, _, says in cases if says is None]))

    def test_a_schema_that_has_changed(self):
        """The server may take tomorrow what it refuses today."""
        self.prints("""
print(mcp_fs.brand(new=1).result().data)
mcp_fs.print().result()
try:
    mcp_fs.brand(old=1).result()
except runtime.ArgumentError as error:
    print(error.message)
print(mcp_fs.brand(new=1).result().data)
""", "{'new': 1}\nunknown argument 'old'; it takes new\n{'new': 1}\n",
                    tools={"fs": FS + [tool("brand", {"new": {}})]})

    WRONG = """
for call in (lambda: mcp_fs.read_file(path=5, head='many'),
             lambda: mcp_fs['read_file'](path='x', mode='bianry', haed=1),
             lambda: runtime.call_tool('fs', 'read_file', {
                 'path': None, 'head': None})):
    try:
        print(%s)
    except runtime.MCPError as error:
        print(isinstance(error, TypeError), error)
"""

    def test_wrong_values_are_not_sent(self):
        for how in "call().result()", "await call()":
            got = self.prints(self.WRONG % how, """\
True fs.read_file: argument 'path' is 5, and must be a string; argument 'head' \
is 'many', and must be an integer
True fs.read_file: unknown argument 'haed'; did you mean head?; it takes path \
(required), head, mode; argument 'mode' is 'bianry', and must be 'text' or \
'binary'; did you mean 'binary'?
True fs.read_file: argument 'path' is None, and must be a string; argument \
'head' is None, and must be an integer, or be left out
""")
            self.assertEqual(got.relay.calls, [])

    def test_values_are_those_of_the_call(self):
        """What the code does to its dict later is of no matter."""
        got = self.prints("""
given = {'path': 'x'}
call = runtime.call_tool('fs', 'read_file', given)
given['path'] = 5
print(call.result().data)
""", "{'path': 'x'}\n")
        self.assertEqual(got.relay.calls[0][2], '{"path":"x"}')

    def fit(self, cases, root=()):
        """Call tools whose argument has a schema, with values as code.

        cases: schema, the right values, and what is said of each wrong one.
        """
        tools = [dict(name="t%d" % number, inputSchema=dict({
            "type": "object", "properties": {"a": schema}}, **dict(root)))
            for number, (schema, _, _) in enumerate(cases)]
        code = "".join("mcp_web.t%d, %s, (%s),\n" % (
            number, right, "".join(value + ", " for value in wrong))
            for number, (_, right, wrong) in enumerate(cases))
        self.prints("""
import enum
class Text(str, enum.Enum):
    A, B = 'a', 'b'
class Number(enum.IntEnum):
    ONE = 1
cases = iter((%s))
for tool in cases:
    for value in next(cases):
        tool(a=value).result()
    for value in next(cases):
        try:
            tool(a=value).result()
            print('sent', value)
        except runtime.ArgumentError as error:
            print(error.message)
""" % code, "".join("argument 'a' is %s\n" % says for _, _, wrong in cases
                    for says in wrong.values()),
            loaded=("web",), tools={"web": tools})

    def test_types(self):
        self.fit([({"type": kind}, right, wrong) for kind, right, wrong in (
                ("string", "('', 'x', Text.A, 'x' * 5000)", {
                    "1": "1, and must be a string",
                    "['x'] * 9": "a list, and must be a string",
                    "{'x': 1}": "a dict, and must be a string"}),
                ("integer", "(0, -1, 1.0, -0.0, 1e300, 10 ** 400, Number.ONE)",
                 {"True": "True, and must be an integer",
                  "1.5": "1.5, and must be an integer",
                  "'1'": "'1', and must be an integer",
                  "'x\\n' * 2000": "'%s'..., and must be an integer" % (
                      "x\\n" * 30)}),
                ("number", "(0, 1.5, 10 ** 400, Number.ONE)",
                 {"False": "False, and must be a number",
                  "None": "None, and must be a number, or be left out"}),
                ("boolean", "(True, False)",
                 {"1": "1, and must be True or False",
                  "'true'": "'true', and must be True or False"}),
                ("array", "([], (), [1])",
                 {"'a'": "'a', and must be a list",
                  "{}": "a dict, and must be a list"}),
                ("object", "({}, {'a': 1})",
                 {"[]": "a list, and must be a dict",
                  "10 ** 70": "1%s..., and must be a dict" % ("0" * 59)}),
                ("null", "(None,)", {"0": "0, and must be None"}),
                (["string", "null"], "('', None)",
                 {"1": "1, and must be a string or None"}),
                (["integer", "number", "string"], "(1, 1.5, '')",
                 {"None": "None, and must be an integer, a number or a "
                          "string, or be left out"}))])

    def test_choices(self):
        self.fit((
                ({"enum": ["a", "B", 1, None, False]},
                 "('a', 'B', 1, 1.0, Number.ONE, Text.A, None, False)",
                 {"'b'": "'b', and must be 'a', 'B', 1, None or False; did you "
                         "mean 'B'?",
                  "0": "0, and must be 'a', 'B', 1, None or False",
                  "True": "True, and must be 'a', 'B', 1, None or False",
                  "[1]": "a list, and must be 'a', 'B', 1, None or False"}),
                ({"type": "string", "enum": ["kilometres", "miles"]},
                 "('miles',)",
                 {"'kilometers'": "'kilometers', and must be 'kilometres' or "
                                  "'miles'; did you mean 'kilometres'?",
                  "5": "5, and must be 'kilometres' or 'miles'"}),
                ({"const": 2.0}, "(2, 2.0)", {"3": "3, and must be 2.0"}),
                ({"const": {"x": 1}}, "({}, {'x': 1})",
                 {"1": "1, and must be {\"x\":1}"}),
                ({"enum": [[1], "x" * 2000]}, "([1], [2], 'x' * 2000)",
                 {"'z'": "'z', and must be [1] or '%s'..." % ("x" * 60)}),
                ({"enum": list(range(50))}, "(0, 49)",
                 {"50": "50, and must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, "
                        "..."})))

    def test_references_to_what_a_value_must_be(self):
        root = {"$defs": {"n": {"type": "integer"}, "e": {"enum": ["x"]},
                          "r": {"$ref": "#/$defs/n"},
                          "here": {"$anchor": "there", "type": "null"},
                          "loop": {"$ref": "#/$defs/loop"},
                          "other": {"$id": "http://x/", "type": "null"}}}
        number = {"'1'": "'1', and must be an integer"}
        self.fit((
                ({"$ref": "#/$defs/r"}, "(1,)", number),
                ({"allOf": [{}, {"$ref": "#/$defs/n"}]}, "(1,)", number),
                ({"type": "integer", "allOf": [{"enum": [1, "x"]}]}, "(1,)",
                 {"'x'": "'x', and must be an integer",
                  "2": "2, and must be 1 or 'x'"}),
                ({"$ref": "#/$defs/e"}, "('x',)", {"'y'": "'y', and must be "
                                                          "'x'"}),
                ({"$ref": "#there"}, "(None,)", {"1": "1, and must be None"}),
                # What stands beside it may be of no meaning.
                ({"$ref": "#/$defs/n", "enum": [5]}, "(1,)", number),
                ({"$ref": "#/$defs/loop"}, "(1, 'x')", {}),
                ({"$ref": "#/$defs/other"}, "(1, 'x')", {}),
                ({"$ref": "#/$defs/none"}, "(1, 'x')", {}),
                ({"$ref": "http://x/#/$defs/n"}, "(1, 'x')", {}),
                ({"$id": "x", "type": "null"}, "(1, 'x')", {})), root)
        self.fit([({}, "(1,)", number)], {
            "allOf": [{"properties": {"a": {"type": "integer"}}}]})

    def test_references_below_another_name_are_not_judged(self):
        # "#" is the part that has the name there, and not the whole.
        part = {"$id": "http://x/", "$ref": "#/$defs/n",
                "$defs": {"n": {"$ref": "#/$defs/m"}, "m": {"type": "string"},
                          "p": {"$anchor": "there", "$ref": "#/$defs/m"}}}
        names = {"id": {"type": "integer"}, "$id": {"type": "integer"}}
        root = {"$id": "http://root/", "$defs": {
            "part": part, "old": {**part, "$id": None, "id": "http://y/"},
            "n": {"type": "integer"}, "m": {"type": "integer"},
            "names": {"properties": names, **names}}}
        number = {"'1'": "'1', and must be an integer"}
        self.fit((
            ({"$ref": "#/$defs/m"}, "(1,)", number),
            # Called "id", which is no name of a part.
            ({"$ref": "#/$defs/names/properties/id"}, "(1,)", number),
            ({"$ref": "#/$defs/names/$id"}, "(1,)", number),
            *(({"$ref": "#/$defs/%s/$defs/%s" % (name, below)}, "('x', 1)", {})
              for name in ("part", "old") for below in "nmp"),
            (part, "('x', 1)", {}), ({"allOf": [part]}, "('x', 1)", {})), root)

    def test_names_below_another_name_are_not_judged(self):
        inner = {"$id": "http://x/", "$ref": "#/$defs/p", "$defs": {
            "p": {"properties": {"b": {}}, "required": ["b"]}}}
        outer = {"properties": {"a": {}}, "required": ["a"]}
        self.fit([({}, "(1,)", {})], {
            "allOf": [inner], "$defs": {"p": {
                **outer, "required": ["z"], "additionalProperties": False}}})
        self.fit([({}, "(1,)", {})], {
            "$ref": "#/$defs/inner/$defs/q", "$defs": {
                "p": {"required": ["z"]}, "inner": {
                    **inner, "$defs": {"q": {"$ref": "#/$defs/p"},
                                       "p": outer}}}})

    def test_what_is_not_understood_is_sent(self):
        values = "(1, 'x', None, [5], {'x': 5}, 1.5)"
        self.fit([(schema, values, {}) for schema in (
                True, False, None, 5, "string", [], {}, {"type": "any"},
                {"type": ["string", "file"]}, {"type": []}, {"type": 5},
                {"type": [["string"]]}, {"type": {"a": 1}}, {"enum": []},
                {"enum": "x"}, {"allOf": {"type": "null"}},
                {"anyOf": [{"type": "null"}]}, {"oneOf": [{"const": 9}]},
                {"not": {}}, {"if": {}, "then": False}, {"format": "uri"},
                {"pattern": "^z$", "minLength": 99, "minimum": 99},
                {"maxItems": 0, "items": False, "additionalProperties": False},
                {"type": ["array", "object", "string", "number"],
                 "nullable": True, "properties": {"x": {"type": "null"}}})])


class Schemas(Base):
    """Signatures and documentation of what is not simple."""

    def test_references(self):
        self.prints("""
import inspect
tool = mcp_web.t
print(inspect.signature(tool))
print(tool.__doc__)
print(inspect.signature(mcp_web.merged), tool)
""", '(*, tree: {name: str, children?: list[Node]}, choice: "x" | 1 | null = '
            "'x', same: \"x\" | 1 | null = ..., either: int | None = ..., "
            "both: {p?: Any, q?: 5} = ..., map: dict[str, float] = ..., "
            "gone: Any = ..., far: Any = ...)\n"
            "Parameters:\n"
            "    tree ({name: str, children?: list[Node]}, required): The "
            "tree.\n"
            '    choice ("x" | 1 | null, default "x")\n'
            '    same ("x" | 1 | null)\n'
            "    either (int | None)\n    both ({p?: Any, q?: 5})\n"
            "    map (dict[str, float])\n    gone (Any)\n    far (Any)\n"
            "(*, a: str, b: int) <tool web.t(tree, choice=..., same=..., "
            "either=..., both=..., map=..., gone=..., far=...)>\n",
            loaded=("web",), tools={"web": [
                {"name": "t", "inputSchema": REFERRING},
                {"name": "merged", "inputSchema": MERGED}]})

    def test_large_ones_are_bounded(self):
        def wide(depth):
            return {"type": "object", "properties": {
                letter: {"$ref": "#/$defs/n%d" % (depth + 1)}
                for letter in "abcdefghij"}}
        schemas = [
            deep(), {"$defs": {"n%d" % n: wide(n) for n in range(30)},
                     **wide(0)},
            {"properties": {"x" * 100000: {"default": "y" * 100000},
                            "y": {"enum": ["z" * 10000] * 500}}},
            {"properties": {"n%d" % n: {"description": "d" * 1000}
                            for n in range(10000)}}]
        self.prints("""
import inspect, pydoc, time
for name in dir(mcp_web):
    tool = mcp_web[name]
    begun = time.process_time()
    text = str(inspect.signature(tool)) + tool.__doc__ + repr(tool)
    print(len(text) < 100000, time.process_time() - begun < 2)
    pydoc.render_doc(tool)
""", "True True\n" * 4, loaded=("web",), tools={"web": [
            {"name": "t%d" % number, "inputSchema": schema,
             "outputSchema": schema, "description": "x" * 1000000}
            for number, schema in enumerate(schemas)]})


DESK = [
    tool("create_issue", {"title": {"type": "string", "description":
                                    "Headline of the ticket"}},
         description="Create a new issue.\n\nIn a repository.\nOr not."),
    tool("list_issues", description="List issues of a repository."),
    tool("getPullRequest", {"number": {}}, description="Get one."),
    tool("delete", {"repository": {}}, description=5),
]


class Docs(Base):
    """query_tool_docs, search_tool_docs and capability_summary."""

    def test_query(self):
        got = self.prints("""
print(await runtime.query_tool_docs('web'))
d = runtime.query_tool_docs_sync('web', 'create_issue', 'full')
print(len(d), list(d[0]), d[0]['description'][-7:], d[0]['name'])
print(d == await runtime.query_tool_docs('web', tool='create_issue',
                                         detail='full'))
print([e['toolAlias'] for e in
       runtime.query_tool_docs_sync('web', 'getpullrequest')],
      LOADED_MCP_SERVERS, len(runtime.query_tool_docs_sync(mcp_fs)))
for f in (lambda: runtime.query_tool_docs_sync('wbe'),
          lambda: runtime.query_tool_docs_sync('web', 'create_isue'),
          lambda: runtime.query_tool_docs('web', detail='much'),
          lambda: runtime.query_tool_docs_sync('mute')):
    try:
        f()
    except (ValueError, runtime.MCPError) as error:
        print(type(error).__name__, error)
""", """[{'server': 'web', 'serverAlias': 'web', 'tool': 'create_issue', \
'toolAlias': 'create_issue', 'description': 'Create a new issue.'}, \
{'server': 'web', 'serverAlias': 'web', 'tool': 'list_issues', 'toolAlias': \
'list_issues', 'description': 'List issues of a repository.'}, {'server': \
'web', 'serverAlias': 'web', 'tool': 'getPullRequest', 'toolAlias': \
'getpullrequest', 'description': 'Get one.'}, {'server': 'web', \
'serverAlias': 'web', 'tool': 'delete', 'toolAlias': 'delete'}]
1 ['server', 'serverAlias', 'tool', 'toolAlias', 'description', \
'inputSchema'] Or not. create_issue
True
['getpullrequest'] ('fs',) %d
MCPError wbe: there is no such server; did you mean web?; there are: fs, \
my-git, web, mute
MCPError web.create_isue: there is no such tool; did you mean create_issue?
ValueError detail is 'summary' or 'full', not 'much'
MCPError mute: it does not answer; its last words: oops
""" % len(FS), loaded=("fs",), tools={"web": DESK})
        self.assertEqual(got.relay.loaded, ["fs"])

    def search(self, query, **more):
        """Return the names that a search finds in DESK and others."""
        got = run("print(*(d['tool'] for d in runtime.search_tool_docs_sync("
                  "%r, limit=3)))" % query, tools={"web": DESK}, **more)
        self.assertIn("left out mute: it does not answer", got.err)
        return got.out.split()

    def test_search_ranks(self):
        for query, first in (
                ("create issue", "create_issue"), ("issues", "list_issues"),
                ("CREATE_ISSUE", "create_issue"), ("ticket", "create_issue"),
                ("crate isue", "create_issue"), ("pull", "getPullRequest"),
                ("get the pull request", "getPullRequest"),
                ("pullrequest", "getPullRequest"), ("fiel", "read_file"),
                ("delet", "delete"), ("reading of files", "read_file"),
                ("number", "getPullRequest"), ("the log", "log")):
            with self.subTest(query):
                self.assertEqual(self.search(query)[:1], [first])
        self.assertEqual(self.search("qqqq zzzz"), [])

    def test_search(self):
        got = self.prints("""
a = await runtime.search_tool_docs('repository issue')
b = runtime.search_tool_docs_sync('repository issue', detail='full', limit=1)
print([(d['tool'], d['server']) for d in a])
scores = [d['score'] for d in a]
print(scores == sorted(scores, reverse=True), 0 < scores[0] <= 1)
print(list(a[0]), list(b[0]), len(b))
for f in (lambda: runtime.search_tool_docs(' '),
          lambda: runtime.search_tool_docs(5),
          lambda: runtime.search_tool_docs('x', limit=0),
          lambda: runtime.search_tool_docs('x', detail=1)):
    try:
        f()
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)
""", """[('list_issues', 'web'), ('create_issue', 'web'), ('delete', 'web')]
True True
['server', 'serverAlias', 'tool', 'toolAlias', 'description', 'score'] \
['server', 'serverAlias', 'tool', 'toolAlias', 'description', 'inputSchema', \
'score'] 1
ValueError query has no words to search for; query_tool_docs(server) tells of \
all tools
TypeError query must be a string of words, not an object of type int
ValueError limit must be an integer of at least 1, not 0
ValueError detail is 'summary' or 'full', not 1
""", "hint: search_tool_docs\\(\\) left out mute: it does not answer; its last "
            "words: oops\n", loaded=(), tools={"web": DESK})
        self.assertEqual(got.relay.loaded, [])

    def test_what_is_remembered_starts_nothing(self):
        got = self.prints("""
print([d['tool'] for d in runtime.search_tool_docs_sync('old thing')])
print([d['tool'] for d in await runtime.query_tool_docs('web')],
      [d['name'] for d in runtime.list_tools_sync('web')])
""", "['old_thing']\n['old_thing'] ['old_thing']\n", loaded=(),
                          remembered={name: [tool("old_thing")] if name ==
                                      "web" else [] for name in TOOLS})
        self.assertEqual(got.relay.started, [])

    def test_a_search_sees_what_is_new(self):
        self.prints("""
def found():
    return [d['tool'] for d in runtime.search_tool_docs_sync('brand echoes')]
print(found(), found())
await mcp_fs.print()
print(found(), [d['name'] for d in runtime.list_tools_sync('fs')][-1])
print(found(), found())
""", "['echo'] ['echo']\n['echo'] brand_new\n"
                    "['brand_new', 'echo'] ['brand_new', 'echo']\n",
                    "hint: .*")

    def test_what_is_remembered_may_be_wrong(self):
        """A tool that is not there is asked for again, and of the server."""
        got = self.prints("""
runtime.search_tool_docs_sync('thing')
print(runtime.query_tool_docs_sync('web', 'get')[0]['description'])
print([d['name'] for d in runtime.list_tools_sync('fs')][:2])
runtime.search_tool_docs_sync('thing')
print(hasattr(mcp_my_git, 'log'), (await mcp_my_git.log(a=1)).data)
try:
    runtime.query_tool_docs_sync('web', 'old_thing')
    print('found')
except runtime.MCPError as error:
    print(error)
""", "get it\n['read_file', 'write-file']\nTrue {'a': 1}\nfound\n",
                          remembered={name: [tool("old_thing")]
                                      for name in TOOLS})
        self.assertEqual(got.relay.started, ["web", "fs", "my-git"])

    def test_a_server_that_hangs_is_left_out(self):
        self.prints("""
import asyncio, mcp._docs
mcp._docs.PATIENCE = mcp._docs.IMPATIENCE = 0.1
for how in range(2):
    print([d['tool'] for d in runtime.search_tool_docs_sync('log')])
    print([d['tool'] for d in await runtime.search_tool_docs('log')])
print(await asyncio.gather(*(runtime.query_tool_docs('my-git', 'log')
                             for i in range(200))) != [])
""", "['log']\n" * 4 + "True\n",
                    "hint: [^\n]* left out web: it has not answered within "
                    "0.1 seconds; it may later\nhint: [^\n]*mute[^\n]*\n",
                    tools={"web": HANG})

    def test_odd_tools_are_searched(self):
        self.prints(r"""
print([d['tool'] for d in runtime.search_tool_docs_sync('odd3', limit=1)])
print(len(runtime.search_tool_docs_sync('\ud800 \0 x' + 'é' * 9999)) < 6)
""", "['odd3']\nTrue\n", "hint: .*")

    def test_manual(self):
        got = run("""
text = await runtime.capability_summary()
print(text == runtime.capability_summary(), len(text) < 2500)
print(text)
""", loaded=("fs", "my-git", "mute"))
        self.assertEqual(got.err, "")
        self.assertTrue(got.out.startswith(
            "True True\n--- PYTHON SANDBOX MANUAL ---\n"), got.out)
        for line in (
                "- loaded: fs: mcp_fs, %d tools, such as read_file(path=...). "
                "Files\n" % len(FS),
                "  my-git: mcp_my_git, 3 tools\n",
                "  mute: mcp_mute, cannot be used: it does not answer; its "
                "last words: oops\n",
                "- `await runtime.load_server(name)` loads: web\n"):
            self.assertIn(line, got.out)

    def test_manual_in_full(self):
        """It begins as the other, and ends as it."""
        got = run("""
brief = runtime.capability_summary()
full = await runtime.capability_summary("full")
end = brief.index("\\n**In this call**")
print(full.startswith(brief[:end]), full.endswith(brief[end:]),
      len(full) > 2 * len(brief))
try:
    runtime.capability_summary("much")
except ValueError as error:
    print(error)
""")
        self.assertEqual((got.out, got.err), (
            "True True True\ndetail is 'summary' or 'full', not 'much'\n", ""))

    def test_manual_without_servers(self):
        got = run("print(runtime.capability_summary())", loaded=())
        self.assertIn("- loaded: none: name some in the argument", got.out)
        self.assertIn(" loads: fs, my-git, web, mute\n", got.out)


class Lazy(Base):
    """Tools before the list of tools has come."""

    @unittest.skipIf(sys.version_info < (3, 11), OLDER)
    def test_a_call_does_not_hold_up_the_loop(self):
        """The list never comes; the loop runs on."""
        self.prints("""
import asyncio
async def main():
    calls = [mcp_web.get(url='u') for _ in range(3)]
    print(*(repr(call)[:20] for call in calls), mcp_fs.echo)
    print((await mcp_fs.echo(a=1)).data)
    done, late = await asyncio.wait(
        [asyncio.ensure_future(call) for call in calls], timeout=0.05)
    print(len(done), len(late))
    for task in late:
        task.cancel()
asyncio.run(main())
""", "<call of web.get, no <call of web.get, no <call of web.get, no "
            "<tool fs.echo()>\n{'a': 1}\n0 3\n", tools={"web": HANG},
                    loaded=("fs", "web"))

    def test_one_list_for_all(self):
        got = self.prints("""
import asyncio
rs = await asyncio.gather(*(mcp_fs.echo(i=i) for i in range(300)),
                          *(runtime.call_tool('fs', 'echo', {'i': i})
                            for i in range(300)))
print(len(rs))
""", "600\n")
        self.assertEqual(
            len([f for f in got.relay.frames if b"list_tools" in f]), 1)

    def test_shared_by_threads_and_loops(self):
        """Some of those who wait for the list give up."""
        self.prints("""
import asyncio, threading
out = []
def sync(timeout):
    try:
        out.append(mcp_fs.echo(i=1).result(timeout).data['i'])
    except TimeoutError:
        out.append(0)
def loop():
    async def main():
        calls = [asyncio.ensure_future(mcp_fs.echo(i=1)) for _ in range(20)]
        await asyncio.sleep(0)
        calls[0].cancel()
        rs = await asyncio.gather(*calls, return_exceptions=True)
        out.extend(r.data['i'] for r in rs[1:])
    asyncio.run(main())
threads = [threading.Thread(target=sync, args=(t,)) for t in [0, None] * 10]
threads += [threading.Thread(target=loop) for _ in range(5)]
for t in threads: t.start()
for t in threads: t.join()
print(len(out), sum(out) >= 105)
""", "115 True\n")

    @unittest.skipIf(sys.version_info < (3, 11), OLDER)
    def test_names_that_are_not_there(self):
        """A call is believed until it is awaited; all else is looked up."""
        self.prints("""
def tell(f):
    try:
        print(f())
    except (AttributeError, TypeError) as error:
        print(type(error).__name__, error)
call = mcp_my_git.lgo(a=1)
tell(lambda: call.result())
tell(lambda: hasattr(mcp_web, 'raed') or getattr(mcp_web, 'raed', 'none'))
tell(lambda: mcp_fs.tools)
tell(lambda: mcp_fs.readFile(path=1).result())
tell(lambda: mcp_my_git.Class is mcp_my_git.class_)
try:
    await mcp_mute.nope()
except runtime.MCPError as error:
    print(error)
""", "AttributeError server my-git has no tool 'lgo'; did you mean log?\n"
            "none\n"
            "AttributeError server fs has no tool 'tools'; it has: "
            "barrier, echo, fail, hang_up, keep, never, odd0, odd1, odd10, "
            "odd11, odd12, odd13, odd2, odd3, odd4, odd5, odd6, odd7, odd8, "
            "odd9, ...\n"
            "AttributeError server fs has no tool 'readFile'; did you mean "
            "read_file or write_file?\nTrue\n"
            "mute: it does not answer; its last words: oops\n",
                    loaded=("fs", "my-git", "web", "mute"))

    def test_positional(self):
        self.prints("""
for call in (lambda: mcp_fs.read_file('x'), lambda: mcp_mute.get('x')):
    try:
        call()
    except TypeError as error:
        print(isinstance(error, runtime.MCPError), error.tool, error)
""", "True read_file fs.read_file: read_file() takes its arguments by name: "
            "read_file(path=...), or those of a dict: read_file(**arguments); "
            "it takes path (required), head, mode\n"
            "True get mute.get: get() takes its arguments by name: "
            "get(name=...), or those of a dict: get(**arguments)\n",
                    loaded=("fs", "mute"))


class Timeouts(Base):
    """result(timeout)."""

    def test_late(self):
        self.prints("""
import threading, time
call = mcp_fs.keep(a=1)
for timeout in 0.05, 0, 0.01:
    try:
        call.result(timeout)
    except TimeoutError as error:
        print(error)
print(mcp_fs.release(b=2).result(timeout=60).data, call.result(0).data)
t = threading.Thread(target=mcp_fs.keep(c=3).result)
t.start()
time.sleep(0.05)
try:
    mcp_fs.never().result(0.05)
except TimeoutError:
    print('late')
mcp_fs.release().result(1e9)
t.join()
try:
    mcp_fs.echo().result('soon')
except TypeError:
    print('no number')
""", "".join("fs.keep has not answered within %s seconds: to wait on, ask for "
             ".result() again\n" % n for n in ("0.05", "0", "0.01"))
            + "{'b': 2} {'a': 1}\nlate\nno number\n", "(MAIN.*)?")

    def test_polling_gets_the_answer(self):
        self.prints("""
import time
call, tries = mcp_fs.echo(a=1), 0
while True:
    try:
        print(call.result(0).data)
        break
    except TimeoutError:
        time.sleep(0.01)
""", "{'a': 1}\n")


class Children(Base):
    """Processes that multiprocessing spawns."""

    def test_spawned(self):
        says = ("only the first process of the code can call servers, not a "
                "child of it: make the call there and hand the result on\n")
        self.prints("""
import multiprocessing
import mcp, mcp.servers.fs
from mcp import runtime
from mcp.runtime import MCPError
from mcp.servers.my_git import log
def f(say):
    for call in (lambda: mcp_fs.echo(a=1), lambda: log(),
                 lambda: mcp_servers['fs']['echo'](),
                 lambda: runtime.call_tool('fs', 'echo'),
                 lambda: runtime.list_tools('fs')):
        try:
            call().result()
        except MCPError as error:
            say.send(str(error))
    say.send(LOADED_MCP_SERVERS)
if __name__ == '__main__':
    context = multiprocessing.get_context('spawn')
    hear, say = context.Pipe()
    p = context.Process(target=f, args=(say,))
    p.start()
    for _ in range(6):
        print(hear.recv())
    p.join()
    print(p.exitcode)
""", "fs: %smy-git: %sfs: %sfs: %sfs: %s('fs', 'my-git')\n0\n" % (
            (says,) * 5))

    def test_spawned_without_servers(self):
        self.prints("""
import multiprocessing
def f():
    import mcp.runtime
    print(mcp.runtime.list_servers(), 'mcp._servers' in __import__(
        'sys').modules, flush=True)
if __name__ == '__main__':
    p = multiprocessing.get_context('spawn').Process(target=f)
    p.start()
    p.join()
""", "() True\n", loaded=())


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
    import mcp.servers.web
except ImportError as error:
    print(error)
""", """<MCP server fs: Files> <MCP server find> <MCP server servers> \
<MCP server sys> <MCP server runtime> {'a': 1}
{'a': 2} <module 'mcp.runtime' from '%s/mcp/runtime.py'>
[] True
web: the server is not loaded: name it in the tool's 'servers' argument, or: \
await runtime.load_server('web')
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

    def test_truth_asks_nobody(self):
        got = self.prints("print(bool(mcp_mute), not mcp_fs)",
                          "True False\n", loaded=("mute", "fs"))
        self.assertEqual(got.relay.frames, [])

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
for name in '_1x', 'fs', 'web':
    try:
        getattr(s, name)
    except AttributeError as error:
        print(error)
print(hasattr(s, '__x__'), hasattr(s, 'keys'), hasattr(s, '_repr_html_'))
s['fs'] = 5
print(s['fs'], s.get('fs'), s)
""", """True True False False False
True 7 None None ['fs', '1x'] 2
unhashable type: 'list'
unhashable type: 'list'
mcp_servers is a dict: write mcp_servers['_1x'], or mcp__1x
mcp_servers is a dict: write mcp_servers['fs'], or mcp_fs
mcp_servers is a dict, and web is not loaded; loaded are: fs, 1x; name it in \
the tool's 'servers' argument, or: await runtime.load_server('web')
False True False
5 5 {'fs': 5, '1x': <MCP server 1x>}
""", loaded=("fs", "1x"), others=("1x",))

    def test_no_servers_by_alias(self):
        got = self.prints("""
import sys
print('fs' in mcp_servers, mcp_servers.get('fs'), mcp_servers.get('fs', 3))
print([n for n in sys.modules if 'mcp' in n], hasattr(mcp_servers, 'fs'))
""", "False None 3\n[] False\n", loaded=())
        self.assertEqual(got.relay.frames, [])

    def test_load_never_takes_a_name_of_ours(self):
        self.prints("""
ours = mcp_servers
server = await runtime.load_server('servers')
print(mcp_servers is ours, server is mcp_servers['servers'])
""", "True True\n", others=OURS)


class Mistakes(Base):
    """What is told of names that are not there."""

    NOT_LOADED = "the server %s is not loaded: name it in the tool's " \
        "'servers' argument, or: await runtime.load_server('%s')"

    def ends(self, code, error, hint="", **more):
        """Run code that ends with an error, and a hint below."""
        more.setdefault("loaded", ("fs",))
        err = r"Traceback .*\n(?:\w+\.)*%s\n" % re.escape(error)
        return self.prints(code, "", err + re.escape(hint), 1, **more)

    def test_no_guess_is_made_twice(self):
        for line, error in (
                ("mcp_fs.ecoh", "AttributeError: server fs has no tool "
                 "'ecoh'; did you mean echo?"),
                ("import mcp.servers as s\ns.sf", "AttributeError: no server "
                 "of the alias 'sf' is loaded"),
                ("mcp_servers.key", "AttributeError: mcp_servers is a dict, "
                 "and key is not loaded; loaded are: fs; name it in the "
                 "tool's 'servers' argument, or: await "
                 "runtime.load_server('key')"),
                ("mcp_fs.echo().result().txt", "AttributeError: the result "
                 "has no 'txt': its keys are content, structuredContent; "
                 "r.text is all of its text, r.data what it holds")):
            with self.subTest(line):
                self.ends(line, error)

    def test_halves_of_characters(self):
        """What is said of them can be encoded, whoever sent them."""
        half = {"type": "object", "required": ["p\udc00"], "properties": {
            "p\udc00": {"description": "d\ud801", "type": "t\ud802"}}}
        got = self.prints(r"""
import inspect
half = '\ud800'
for f in (lambda: runtime.call_tool_sync('web', 'e'),
          lambda: runtime.call_tool_sync('web', half),
          lambda: runtime.call_tool_sync(half, 'x'),
          lambda: runtime.load_server(half).result(),
          lambda: runtime.query_tool_docs_sync('web', half),
          lambda: mcp_web[half], lambda: getattr(mcp_web, half),
          lambda: getattr(mcp_web, half)().result(), lambda: mcp_web.zzz,
          lambda: mcp_servers[half], lambda: getattr(mcp_servers, half),
          lambda: mcp_web.odd(q=1).result(), lambda: mcp_web.odd('q'),
          lambda: mcp_web.odd, lambda: mcp_web.odd.__doc__,
          lambda: inspect.signature(mcp_web.odd), lambda: mcp_web.__doc__,
          lambda: runtime.capability_summary(), lambda: mcp_web['e' + half],
          lambda: mcp_web.odd(**{half: 1}),
          lambda: runtime.Result({half: 1}).x,
          lambda: exec('from mcp.servers.web import zzz'),
          lambda: __import__('mcp.servers.' + half)):
    try:
        text = str(f())
    except Exception as error:
        text = str(error)
    print(len(text.encode()) > 5)
try:
    runtime.call_tool_sync(half, 'x')
except runtime.MCPError as error:
    print(error, error.server == half)
print(mcp_web['e' + half])
""", "True\n" * 23 + "\\ud800: there is no such server; there are: fs, "
            "my-git, web, mute True\n<tool web.e\\ud800()>\n",
            loaded=("web",), tools={"web": [
                tool("e\ud800"), {"name": "odd", "inputSchema": half,
                                  "description": "\ud800"}]})
        self.assertEqual(got.relay.calls, [])

    def test_help_of_a_tool_that_nothing_is_told_of(self):
        self.prints("""
import pydoc
for name in 'bare', 'told':
    text = pydoc.plain(pydoc.render_doc(mcp_web[name]))
    print(*text.strip().split('\\n')[2:], sep='\\n')
""", "bare = <tool web.bare()>\n    The tool bare of the MCP server web, "
            "which says nothing about it.\n"
            "told = <tool web.told()>\n    About it.\n", loaded=("web",),
                    tools={"web": [{"name": "bare"},
                                   tool("told", description="About it.")]})

    def test_globals_of_servers_that_are_not_loaded(self):
        says = "hint: " + self.NOT_LOADED + "\n"
        for name, server in (("web", "web"), ("my_git", "my-git"),
                             ("fz", "fz")):
            with self.subTest(name):
                got = self.ends("print(mcp_%s.x)" % name,
                                "NameError: name 'mcp_%s' is not defined"
                                % name, says % (server, server),
                                others=("fz",))
                self.assertEqual(len(got.relay.frames), 1)
        self.ends("async def f():\n    await mcp_web.get()\nawait f()",
                  "NameError: name 'mcp_web' is not defined",
                  says % ("web", "web"), loaded=())

    def test_globals_of_no_server(self):
        no = "hint: no server has the alias nope; there are: fs, my-git, " \
            "web, mute\n"
        for name, says in (("nope", no), ("wbe", no.replace(
                "nope;", "wbe; did you mean web?;"))):
            with self.subTest(name):
                self.ends("mcp_%s" % name, "NameError: name 'mcp_%s' is not "
                          "defined" % name, says)

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
            "'runtime' and 'mcp_<alias>', which are there without\n")
        self.assertEqual(got.relay.frames, [])

    def test_nobody_answers(self):
        says = "hint: mcp_<alias> is there for servers that are named in " \
            "the tool's 'servers' argument, or after: await " \
            "runtime.load_server('name')\n"
        for before in ("mcp_fs.hang_up\ntry: mcp_fs.hang_up().result()\n"
                       "except runtime.MCPError: pass\n",
                       "mcp_fs.quiet().result()\n"):
            self.ends(before + "mcp_web", "NameError: name 'mcp_web' is not "
                      "defined", says)

    def test_hook_of_the_code(self):
        self.prints("""
import sys
sys.excepthook = lambda kind, error, trace: print(error.args, error.name)
mcp_web
""" if sys.version_info >= (3, 10) else "mcp_web", """\
("name 'mcp_web' is not defined",) mcp_web
""" if sys.version_info >= (3, 10) else "", "(?:.*\n)?hint: " + re.escape(
            self.NOT_LOADED % ("web", "web")) + "\n", 1, loaded=("fs",))


class Cost(Base):
    """What code pays that calls nothing."""

    def test_nothing_is_imported(self):
        code = "import sys\nprint(sorted(sys.modules))"
        self.assertNotIn("mcp", run(code, loaded=()).out)
        for name in "'asyncio'", "'json'", "'re'", "'select'", "'threading'":
            self.assertNotIn(name, run(code).out)

    def test_files_are_small(self):
        for name in os.listdir(os.path.join(PYTHON_DIR, "mcp")):
            if name.endswith(".py"):
                with open(os.path.join(PYTHON_DIR, "mcp", name)) as file:
                    self.assertLess(len(file.readlines()), 440, name)


if __name__ == "__main__":
    unittest.main()
