#!/usr/bin/python3
"""A downstream MCP server for the bench: as little as there can be.

Usage: server.py [how many tools]

Tools: echo returns its arguments; bytes returns a text of n bytes; pause
answers after so many seconds, others meanwhile; the rest is there to be listed.
"""
import heapq
import json
import os
import select
import sys
import time

CHUNK = 1 << 20
NAMES = ("echo", "bytes", "pause")
SCHEMA = {"type": "object", "additionalProperties": True, "properties": {
    "path": {"type": "string", "description": "Path of a file"},
    "depth": {"type": "integer", "minimum": 1}}}
VERSION = "2025-11-25"


def tools(count):
    """As many tools as were asked for, with what usually belongs to one."""
    names = [*NAMES, *(f"tool_{n}" for n in range(count - len(NAMES)))]
    return [{"name": name, "description": f"Tool {name}: does nothing. " * 5,
             "inputSchema": SCHEMA} for name in names]


def call(params):
    """The result of tools/call."""
    arguments = params.get("arguments", {})
    text = ("x" * arguments["n"] if params["name"] == "bytes"
            else json.dumps(arguments))
    return {"content": [{"type": "text", "text": text}]}


def result_of(method, params, count):
    """The result of any request."""
    if method == "initialize":
        return {"protocolVersion": VERSION, "capabilities": {"tools": {}},
                "serverInfo": {"name": "bench", "version": "0"}}
    if method == "tools/list":
        return {"tools": tools(count)}
    if method == "tools/call":
        return call(params)
    return {}


def send(line):
    """Writes all of a line."""
    while line:
        line = line[os.write(1, line):]


def handle(line, count, later):
    """Answers a line, now or later."""
    message = json.loads(line)
    if "id" not in message:
        return
    params = message.get("params", {})
    answer = json.dumps({
        "jsonrpc": "2.0", "id": message["id"],
        "result": result_of(message["method"], params, count)}) + "\n"
    if params.get("name") == "pause":
        due = time.monotonic() + params["arguments"]["seconds"]
        heapq.heappush(later, (due, message["id"], answer.encode()))
    else:
        send(answer.encode())


def main():
    """Serves until the input ends."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else len(NAMES)
    later, pending = [], b""
    while True:
        while later and later[0][0] <= time.monotonic():
            send(heapq.heappop(later)[2])
        wait = max(0, later[0][0] - time.monotonic()) if later else None
        if not select.select([0], [], [], wait)[0]:
            continue
        data = os.read(0, CHUNK)
        if not data:
            return
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            handle(line, count, later)


main()
