"""A relay for tests of worker/box/python/mcp.

Starts the bootstrap as bootstrap.py does, plays the relay with two servers
behind it, and looks at what the code prints and what it asks for.
"""
import atexit
import functools
import json
import os
import re
import select
import subprocess
import sys
import threading
import unittest

from bootstrap import DEADLINE, Place, Result
from forked import ForkedBox, Forker

MOST = 128  # requests under way
OLDER = "older bytecode does not tell a call with named arguments"
CANCELLED = "it was cancelled before it was answered"
# What the broker says of any arguments of fs.read_file but those with a path.
UNFIT = "missing argument \"path\"; the tool takes path: string, head?: integer"
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
INSTRUCTIONS = {"fs": "Paths are absolute."}
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
        self.cancelled, self.echoed, self.silent = [], [], True
        self.pictures, self.progress = [], []
        self.notes, self.once = [], []
        self.unsent, self.cause = bytearray(), None
        self.tools = json.loads(json.dumps(TOOLS))
        self.remembered, self.started, self.shapes = {}, [], {}
        self.unusable = {"web": {"Put-it": "its inputSchema is not an object"}}

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
            count = os.write(self.box.control_in, self.unsent[:1 << 16])
            del self.unsent[:count]
        except BrokenPipeError:
            self.unsent.clear()

    def take(self, line):
        """Check a frame and answer it."""
        frame = json.loads(line)
        if frame["type"] == "cancel":
            assert line == b'{"type":"cancel","id":%d}' % frame["id"]
            self.cancelled.append(frame["id"])
            self.refuse(frame["id"], CANCELLED)
            return
        if frame["type"] == "note":
            self.notes.append(frame["text"])
            self.once += [frame["once"]] if "once" in frame else []
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

    def refuse(self, number, message, error=None, **more):
        """Refuse a request."""
        cause = {"message": message, **more,
                 **({"error": error} if error else {})}
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

    def on_echo(self, number, line, text=None):
        """Take the value of the last expression, if nothing was printed."""
        if self.silent and text is not None:
            self.echoed.append(text)
        self.answer(number, self.silent)

    def on_progress(self, number, line, **progress):
        """Take how far the code is."""
        self.progress.append(progress)
        self.answer(number, True)

    def on_show(self, number, line, **picture):
        """Take a picture."""
        self.pictures.append(picture)
        self.answer(number, True)

    def on_load_server(self, number, line, server):
        """Load a server."""
        if server == "mute":
            self.refuse(number, "it could not be started: exited with code 1")
            return
        self.loaded.append(server)
        self.answer(number, dict(
            [s for s in self.servers if s["name"] == server][0],
            loaded=True))

    def on_list_tools(self, number, line, server, remembered=False,
                      types=False, tool=None):
        """List the tools of a server, loaded or not."""
        tools = self.tools[server]
        if types:
            self.answer(number, "types of %s %s" % (server, tool))
            return
        if remembered and server in self.remembered:
            tools = self.remembered[server]
        else:
            self.started.append(server)
        if tools == HANG:
            return
        if tools is None:
            self.refuse(number, "it does not answer; its last words: oops")
            return
        shapes = {"shapes": self.shapes[server]} \
            if server in self.shapes else {}
        if server in self.unusable:
            shapes["unusable"] = self.unusable[server]
        if server in INSTRUCTIONS:
            shapes["instructions"] = INSTRUCTIONS[server]
        self.answer(number, {"tools": tools, "aliases": [
            ALIASES.get(tool["name"], tool["name"]) for tool in tools],
                             **shapes})

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

    tool_list_texts = tool_searchAll = tool_list_rows = tool_raw
    tool_list_deals = tool_listBigDeals = tool_get_deals = tool_raw

    def tool_read_file(self, number, arguments, raw):
        """Refuse arguments as the broker does, so that none are sent."""
        if "path" not in arguments:
            self.calls.pop()
            self.refuse(number, UNFIT, unfit=True)
        else:
            self.tool_echo(number, arguments, raw)

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

    def tool_large(self, number, arguments, raw):
        """Return a text of so many bytes."""
        self.answer(number, b'{"content":[{"type":"text","text":"%s"}]}' % (
            b"x" * arguments["bytes"]))

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


@functools.lru_cache(maxsize=None)
def forker():
    """Return an interpreter that has imported what a template has."""
    made = Forker("asyncio")
    atexit.register(made.end)
    return made


def forked(place):
    """Return a box as most calls have one: a fork."""
    return ForkedBox(place, forker())


def ended(place, box, relay):
    """Wait for the end of the code; return its Result, with the relay."""
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
    result = Result(place, out, err, box.process.returncode,
                    notes=relay.notes)
    result.relay = relay
    return result


def run(code, loaded=("fs", "my-git"), tools=(), others=(), remembered=(),
        aliases=(), echo=False, silent=True, shapes=(),
        progress=False, box_in=forked):
    """Run code in a box with servers; return its Result with the relay.

    others: names of more servers, each with the one tool echo, and aliases
    for some; remembered: what is told of tools without asking their servers;
    echo: whether the value of the last expression is wanted; silent: whether
    nothing was printed; shapes: of what tools have returned, by server and
    tool; progress: whether it may be told; box_in: what makes a box in a
    place.
    """
    aliases = dict(aliases)
    known = SERVERS + [{"name": name,
                        "alias": aliases.get(name, alias_of(name))}
                       for name in others]
    with Place() as place:
        box = box_in(place)
        box.ready()
        servers = [server for name in loaded for server in known
                   if server["name"] == name]
        frame = {"type": "run", "code": code, "servers": servers}
        frame.update({"echo": True} if echo else {})
        frame.update({"progress": True} if progress else {})
        box.send(json.dumps(frame).encode() + b"\n")
        relay = Relay(box, loaded, known)
        relay.tools.update({name: [tool("echo")] for name in others})
        relay.tools.update(tools)
        relay.remembered.update(remembered)
        relay.silent = silent
        relay.shapes.update(shapes)
        return ended(place, box, relay)


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
        self.assertNotRegex(got.errors, r"(?m)^note: ")
        return got

    def ends(self, code, error, hint="", **more):
        """Run code that ends with an error, and a hint below."""
        more.setdefault("loaded", ("fs",))
        err = r"Traceback .*\n(?:\w+\.)*%s%s\n" % (
            re.escape(error), "(?:; its keys are [^\n]*)?")
        return self.prints(code, "", err + re.escape(hint), 1, **more)
