#!/usr/bin/python3
"""A downstream MCP server over standard input and output that behaves as odd
as it is told to. It starts in a fifth of the time that node takes, and writes
JSON by hand where every byte must be the one that was asked for.

    python3 -IS hostile.py [OPTION[=VALUE]...]

    log=FILE          appends every line that it reads, and "EOF", to FILE
    exit=CODE         says a line on standard error and exits at once
    initialize=HOW    silent, error, wrong, version, array, first:FILE (exits
                      while FILE is there; removes it), until:FILE (silent
                      until FILE is there), discover (has only 2026-07-28),
                      discover:end (says so, and ends when it is asked)
    tools=HOW         none, odd, same, COUNT, paged:COUNT, endless, error,
                      silent, wrong
    lists=HOW         has resources and prompts, and tools only with tools=:
                      paged:COUNT, same, wrong, silent
    levels            has logging, and logs nothing before it is told a level
    noise             garbage lines around everything it says
    framing           Content-Length: headers, as language servers speak
    deaf              ignores the end of its input and every signal it can
    orphan=SECONDS    starts "sleep SECONDS" in a session of its own
    chatter=BYTES     writes so much to standard error at the start
    early             requests and notifications before it is spoken to

All the rest are its tools (see hostile_tools.py).
"""
import os
import re
import signal
import sys
from heapq import heappop
from select import select
from time import monotonic

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from hostile_says import (  # noqa: E402
    DECODER, OPTIONS, answer, dumps, line, member, put, refuse, say)
from hostile_tools import (  # noqa: E402
    TOOLS, after, asked, counts, flood, inputs, sleeper, timers)

CHUNK = 1 << 16
STATELESS = "2026-07-28"
SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE", "SIGUSR1", "SIGUSR2")


# Its lists of tools

def plain(name, **more):
    return {"name": name, "description": "Does %s." % name,
            "inputSchema": {"type": "object", **more}}


def odd():
    return [
        plain("read-file", properties={
            "path-name": {"type": "string"}, "class": {"type": "integer"},
            "self": {}, 'a"b': {}}, required=["path-name"]),
        plain("Read_File"), plain("read.file"), plain("class"), plain("1st"),
        plain("日本"), plain("__init__"), plain("print"), plain("x" * 128),
        {**plain("quotes"), "description":
         "\"\"\"'''\\\" \\n {0} %s \0 \ud800 \u2028 \x1b[2J\n\texit()\r\n#"},
        {"name": "no_words", "inputSchema": {"type": "object"}},
        {**plain("references"), "inputSchema": {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object", "$defs": {"a": {"$ref": "#/$defs/a"}},
            "properties": {"a": {"$ref": "#/$defs/a"}}, "required": ["a"],
            "additionalProperties": False}},
        {**plain("untyped"), "inputSchema": {}},
        {**plain("defaults"), "inputSchema": {
            "type": "object", "properties": {
                "n": {"type": "integer", "default": 5},
                "s": {"enum": ["a", None, 1]},
                "t": {"type": ["string", "null"],
                      "description": 'the\n"""t"""'}}, "required": ["t"]}},
    ]


def ours():
    names = [*TOOLS, "input", *("grown_%d" % n for n in range(counts["grown"]))]
    return [plain(name, additionalProperties=True) for name in names]


def many(count, first=0):
    """So many tools, from that number on, as JSON text."""
    one = dumps(plain("tool_@")).replace("@", "%d")
    return "[%s]" % ",".join([one.replace("%d", str(first + n))
                              for n in range(count)])


def paged(count, cursor):
    """Ten on a page."""
    first = int(cursor or 0)
    following = '"%d"' % (first + 10)
    return '{"tools":%s%s}' % (
        many(min(10, count - first), first),
        "" if first + 10 >= count else ',"nextCursor":' + following)


def pages(call, method, params):
    """What it has besides tools: what is read are the parameters, as sent."""
    how, _, value = OPTIONS["lists"].partition(":")
    first = int((params or {}).get("cursor") or 0)
    if how == "silent":
        return
    if method == "resources/read":
        answer(call, dumps({"contents": [{"uri": params["uri"],
                                          "text": dumps(params)}]}))
    elif method == "prompts/get":
        answer(call, dumps({"messages": [{"role": "user", "content": {
            "type": "text", "text": dumps(params)}}]}))
    elif how == "wrong":
        answer(call, '{"resources":{}}')
    elif method == "resources/list":
        found = '{"uri":"r:%d","size":1e400,"n":1.50}'
        answer(call, '{"resources":[5,{},%s]%s}' % (
            ",".join([found % n for n in range(first, first + 10)]),
            ',"nextCursor":"%d"' % (10 if how == "same" else first + 10)
            if how == "same" or first + 10 < int(value) else ""))
    else:
        answer(call, dumps({"prompts": [{"name": "open"}, {"name": "shut"}]}))


# The answers to tools/list, by what tools= says before the colon.
LISTS = {
    "none": lambda count, cursor: dumps({"tools": []}),
    "odd": lambda count, cursor: dumps({"tools": odd()}),
    "same": lambda count, cursor: dumps({"tools": [
        plain("echo"), plain("echo"), plain("counter")]}),
    "wrong": lambda count, cursor: dumps({"tools": [
        5, None, {}, {"name": 7}, {"name": "no_schema"}, plain("echo"),
        {"name": "wrong_schema", "inputSchema": ["x"]}]}),
    "besides": lambda count, cursor: dumps({"tools": [plain("resources")]}),
    "paged": paged,
    "endless": lambda count, cursor: dumps(
        {"tools": [] if cursor else [plain("echo")],
         "nextCursor": str(int(cursor or 0) + 1)}),
}


def tools_list(call, params):
    how, _, value = OPTIONS.get("tools", "").partition(":")
    if how == "silent":
        return
    if how == "error":
        refuse(call, -32603, "the list of tools is not to be had")
    elif how in LISTS:
        answer(call, LISTS[how](int(value or 0), (params or {}).get("cursor")))
    elif how == "":
        answer(call, dumps({"tools": ours()}))
    else:
        answer(call, '{"tools":%s}' % many(int(how)))


# What it is asked

def hello(version):
    return dumps({"protocolVersion": version,
                  "capabilities": {
                      **({"resources": {}, "prompts": {}}
                         if "lists" in OPTIONS else {}),
                      **({} if "lists" in OPTIONS and "tools" not in OPTIONS
                         else {"tools": {"listChanged": True}}),
                      **({"logging": {}} if "levels" in OPTIONS else {})},
                  "serverInfo": {"name": "hostile", "version": "1"}})


def leave(status, words):
    put(2, words + "\n")
    os._exit(status)


def initialize(call, params):
    how, _, value = OPTIONS.get("initialize", "").partition(":")

    def welcome():
        answer(call, hello(params["protocolVersion"]))

    def wait():
        welcome() if os.path.exists(value) else after(50, wait)

    if how == "silent":
        return
    if how == "until":
        put(2, "error: waits for a login at https://h.example/device\n")
        wait()
        return
    if how == "discover":
        refuse(call, -32022, "no such version", dumps(
            {"supported": [STATELESS]}))
        return
    if how == "error":
        refuse(call, -32000, "no token was given")
    elif how == "wrong":
        answer(call, '"hello"')
    elif how == "version":
        answer(call, hello("1999-01-01"))
    elif how == "array":
        line('[{"jsonrpc":"2.0","id":%s,"result":%s}]' % (
            call, hello("2025-11-25")))
    else:
        if how == "first" and os.path.exists(value):
            os.unlink(value)
            leave(4, "not the first time")
        welcome()


def discover(call, params):
    """What servers without sessions are asked first, if at all."""
    if OPTIONS.get("initialize") == "discover":
        answer(call, re.sub('"protocolVersion": ?("[^"]+")',
                            r'"supportedVersions":[\1]', hello(STATELESS)))
    else:
        leave(3, "what is server/discover?")


def is_stateless(params):
    """Whether a request is one of the version without sessions."""
    meta = (params or {}).get("_meta", {})
    prefix = "io.modelcontextprotocol/"
    return meta.get(prefix + "protocolVersion") == STATELESS and \
        isinstance(meta.get(prefix + "clientCapabilities"), dict)


def run(call, params, message):
    raw = member(member(message, "params"), "arguments") or ""
    name = params["name"]
    if name == "input":
        given = params["arguments"]["rounds"]
        state = int(params.get("requestState", 0))
        if state == len(given):
            say(call, dumps([params.get("inputResponses"), params["_meta"]]))
        else:
            answer(call, dumps({"resultType": "input_required",
                                "requestState": str(state + 1),
                                **given[state]}))
    elif name in TOOLS:
        TOOLS[name](call, raw, params.get("arguments"))
    elif re.fullmatch(r"(tool|grown)_\d+", name) or \
            OPTIONS.get("tools") in ("odd", "besides"):
        say(call, dumps([name, raw]))
    else:
        refuse(call, -32602, "Unknown tool: " + name)


def log(data):
    if "log" in OPTIONS:
        with open(OPTIONS["log"], "ab") as file:
            file.write(data + b"\n")


def take(data):
    log(data)
    message = data.decode("utf-8", "replace")
    read = DECODER.raw_decode(message)[0]
    method, params = read.get("method"), read.get("params")
    call = member(message, "id")
    if method is None and read.get("id") in asked:
        asked.pop(read["id"])(read)
    elif method == "initialize":
        initialize(call, params)
    elif call is not None and method is not None and \
            OPTIONS.get("initialize", "").startswith("discover") and \
            not is_stateless(params):
        refuse(call, -32602, "_meta is missing")
    elif method == "server/discover":
        discover(call, params)
    elif method == "subscriptions/listen":
        line('{"jsonrpc":"2.0","method":'
             '"notifications/subscriptions/acknowledged","params":{}}')
    elif "lists" in OPTIONS and method.split("/")[0] in (
            "resources", "prompts"):
        pages(call, method, params)
    elif method == "tools/list" and not (
            "lists" in OPTIONS and "tools" not in OPTIONS):
        tools_list(call, params)
    elif method == "tools/call":
        run(call, params, message)
    elif method == "logging/setLevel" and "levels" in OPTIONS:
        OPTIONS["levels"] = params["level"]
        answer(call, "{}")
    elif method == "ping":
        answer(call, "{}")
    elif call is not None and method is not None:
        refuse(call, -32601, "Method not found: " + method)


def reader():
    """Return what is done when there is input."""
    parts = []

    def read():
        data = os.read(0, CHUNK)
        if not data:
            log(b"EOF")
            if "deaf" not in OPTIONS:
                os._exit(0)
            del inputs[0]
        *lines, rest = data.split(b"\n")
        for whole in lines:
            parts.append(whole)
            message = b"".join(parts)
            parts.clear()
            take(message)
        parts.append(rest)
    return read


def serve():
    """Wait for input, for times, and for processes."""
    while True:
        wait = max(0, timers[0][0] - monotonic()) if timers else None
        for fd in select(list(inputs), (), (), wait)[0]:
            inputs[fd]()
        while timers and timers[0][0] <= monotonic():
            heappop(timers)[2]()


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if "deaf" in OPTIONS:
        for name in SIGNALS:
            signal.signal(getattr(signal, name), lambda *_: None)
    if "orphan" in OPTIONS:
        sleeper(OPTIONS["orphan"], detached=True)
    if "chatter" in OPTIONS:
        put(2, "e" * int(OPTIONS["chatter"]) + "\nlast words\n")
    if "exit" in OPTIONS:
        put(2, "the database is locked\n")
        os._exit(int(OPTIONS["exit"]))
    if "early" in OPTIONS:
        flood("request", 10)
        flood("notification", 10)
    inputs[0] = reader()
    serve()


main()
