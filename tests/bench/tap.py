#!/usr/bin/python3
"""Stands between a client and a server and notes what each call is and brings.

Usage: tap.py FILE COMMAND [ARGUMENT]...

Appends one JSON line for each answered tools/call: the tool, and the bytes
of what a model would have written (name and arguments) and read (content).
"""
import json
import os
import subprocess
import sys
import threading


def compact(value):
    """JSON as short as it can be, as UTF-8."""
    return json.dumps(value, ensure_ascii=False,
                      separators=(",", ":")).encode()


def content_size(result):
    """Bytes of what a model reads of a result: its texts, the rest as JSON."""
    return sum(len(part["text"].encode() if part.get("type") == "text"
                   else compact(part)) for part in result.get("content", []))


def forward(server, calls):
    """Passes requests on, and remembers those that are calls."""
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message.get("method") == "tools/call":
            params = message["params"]
            calls[message["id"]] = {
                "tool": params["name"], "written": len(compact({
                    "name": params["name"],
                    "arguments": params.get("arguments", {})}))}
        server.stdin.write(line)
        server.stdin.flush()
    server.stdin.close()


def main():
    """Serves until either side ends."""
    server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE)
    calls = {}
    threading.Thread(target=forward, args=(server, calls), daemon=True).start()
    with open(sys.argv[1], "a") as log:
        for line in server.stdout:
            message = json.loads(line)
            call = calls.pop(message.get("id"), None)
            if call is not None and "result" in message:
                call["read"] = content_size(message["result"])
                log.write(json.dumps(call) + "\n")
                log.flush()
            write(line)
    server.wait()


def write(line):
    """Writes all of a line."""
    while line:
        line = line[os.write(1, line):]


main()
