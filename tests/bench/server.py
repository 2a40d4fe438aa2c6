#!/usr/bin/python3
"""A downstream MCP server for the figures: as little as there can be.

Usage: server.py [how many tools]

Tools: echo returns its arguments; bytes returns a text of n bytes; the others
are there to be listed.
"""
import json
import sys

SCHEMA = {"type": "object", "additionalProperties": True, "properties": {
    "path": {"type": "string", "description": "Path of a file"},
    "depth": {"type": "integer", "minimum": 1}}}
VERSION = "2025-11-25"


def tools(count):
    """As many tools as were asked for, with what usually belongs to one."""
    names = ["echo", "bytes"] + [f"tool_{n}" for n in range(count)]
    return [{"name": name, "description": f"Tool {name}: does nothing. " * 5,
             "inputSchema": SCHEMA} for name in names[:max(count, 2)]]


def call(params):
    """The result of tools/call."""
    arguments = params.get("arguments", {})
    text = ("x" * arguments["n"] if params["name"] == "bytes"
            else json.dumps(arguments))
    return {"content": [{"type": "text", "text": text}]}


def answer(message, count):
    """The result of any request."""
    method = message["method"]
    if method == "initialize":
        return {"protocolVersion": VERSION, "capabilities": {"tools": {}},
                "serverInfo": {"name": "bench", "version": "0"}}
    if method == "tools/list":
        return {"tools": tools(count)}
    if method == "tools/call":
        return call(message["params"])
    return {}


def main():
    """Serves until the input ends."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            sys.stdout.write(json.dumps({
                "jsonrpc": "2.0", "id": message["id"],
                "result": answer(message, count)}) + "\n")
            sys.stdout.flush()


main()
