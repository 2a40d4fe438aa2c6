#!/usr/bin/python3
"""The ledger: what a model need not read because of the program, and what it
has to read instead, in bytes, measured on the servers of tests/e2e.

Usage: tests/bench/ledger.py [--json] [path of caisson]

Each server is asked for its tools as a client would, and the program for its
own; then programs run, with a tap between the broker and each server. Without
the program a model writes the name and arguments of each call and reads its
content; with it, the arguments of run_python and the content of one answer.
What is counted of a tool is its name, description and input schema: all hosts
show these. Not counted: names that hosts put in front, and what a host itself
hides (some load schemas only when they are searched for).
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from client import Client  # noqa: E402
from measure import HERE, PYTHON  # noqa: E402
from programs import MANUAL, PROGRAMS  # noqa: E402

CAISSON = os.path.join(HERE, "..", "..", "build", "caisson")
ROOT = os.path.realpath(os.path.join(HERE, "..", ".."))
SERVERS = os.path.join(ROOT, "tests/e2e/node_modules/@modelcontextprotocol")
SHOWN = ("name", "description", "inputSchema")
SKIPPED = 77  # the exit status by which meson knows a skipped test
NODE = "node"


def size(value):
    """Bytes of a value as short JSON."""
    return len(json.dumps(value, ensure_ascii=False,
                          separators=(",", ":")).encode())


def entries(folder):
    """The servers of the tests, by name."""
    node = shutil.which(NODE)
    found = {"files": ("filesystem", [folder], {}),
             "memory": ("memory", [], {
                 "MEMORY_FILE_PATH": os.path.join(folder, "memory.json")}),
             "everything": ("everything", [], {})}
    return {name: {"command": node, "args": [
        os.path.join(SERVERS, f"server-{package}/dist/index.js"), *args],
        "env": env} for name, (package, args, env) in found.items()}


def missing():
    """Why it cannot be measured here, or None."""
    if shutil.which(NODE) is None:
        return "node is not installed"
    for name, entry in entries("/").items():
        if not os.path.exists(entry["args"][0]):
            return (f"the server {name} is not installed: "
                    "run 'npm ci' in tests/e2e")
    return None


def lists_of(client):
    """What a model is shown: bytes of tools and of instructions, and tools."""
    told = client.initialize()["result"]
    tools = client.request("tools/list", {})["result"]["tools"]
    shown = [{key: tool[key] for key in SHOWN if key in tool}
             for tool in tools]
    return {"tools": len(tools), "schemas": size(shown),
            "instructions": len(told.get("instructions", "").encode())}


def asked(command, args, env):
    """The same of a program that is started and asked directly."""
    client = Client(command, env, args=args, errors=subprocess.DEVNULL)
    try:
        return lists_of(client)
    finally:
        client.close()


def tapped(folder, log):
    """Writes a configuration in which a tap stands before each server."""
    path = os.path.join(folder, "servers.json")
    tap = os.path.join(HERE, "tap.py")
    with open(path, "w") as file:
        json.dump({"mcpServers": {name: {**entry, "command": PYTHON, "args": [
            tap, log, entry["command"], *entry["args"]]}
            for name, entry in entries(folder).items()}}, file)
    return path


def run(client, log, name, servers, code):
    """One program: what it is without us, and with us."""
    open(log, "w").close()
    written = {"code": code, "servers": servers}
    answer = client.request("tools/call", {
        "name": "run_python", "arguments": written})
    result = answer["result"]
    if result["isError"]:
        raise RuntimeError(f"{name}: {result['content'][0]['text']}")
    with open(log) as file:
        calls = [json.loads(line) for line in file]
    return {"name": name, "calls": len(calls),
            "without": sum(call["written"] + call["read"] for call in calls),
            "with": size({"name": "run_python", "arguments": written})
            + len(result["content"][0]["text"].encode())}


def measure(binary, folder):
    """All of it."""
    shutil.copytree(os.path.join(ROOT, "common"),
                    os.path.join(folder, "common"))
    log = os.path.join(folder, "calls")
    config = {"CAISSON_SERVERS_CONFIG": tapped(folder, log)}
    found = {"servers": {name: asked(entry["command"], entry["args"],
                                     entry["env"])
                         for name, entry in entries(folder).items()}}
    with Client(binary, config) as client:
        found["caisson"] = lists_of(client)
        found["manual"] = run(client, log, "the manual, when it is read",
                              list(found["servers"]), MANUAL)
        found["programs"] = [
            run(client, log, name, servers, code.replace("{folder}", folder))
            for name, servers, code in PROGRAMS]
    return found


def line(name, count, without, ours):
    """One line of the table: both sides, and what is saved, or is not."""
    print(f"{name:<46} {count or '':>6} {without:>9,} {ours:>9,} "
          f"{without - ours:>+10,}")


def print_table(found):
    """Both directions, line by line."""
    ours = found["caisson"]
    print(f"{'read once by each conversation':<46} {'tools':>6} "
          f"{'without':>9} {'with':>9} {'saved':>10}")
    for name, told in found["servers"].items():
        line(f"tools and instructions of {name}", told["tools"],
             told["schemas"] + told["instructions"], 0)
    line("tool and instructions of caisson", ours["tools"], 0,
         ours["schemas"] + ours["instructions"])
    line("the manual, when it is read", 0, 0, found["manual"]["with"])
    without = sum(told["schemas"] + told["instructions"]
                  for told in found["servers"].values())
    cost = ours["schemas"] + ours["instructions"] + found["manual"]["with"]
    line("together", sum(told["tools"] for told in found["servers"].values()),
         without, cost)
    print(f"\n{'program: written and read':<46} {'calls':>6} "
          f"{'without':>9} {'with':>9} {'saved':>10}")
    for each in found["programs"]:
        line(each["name"], each["calls"], each["without"], each["with"])


def main():
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        description="Counts what a model need not read, and what it must.")
    parser.add_argument("--json", action="store_true",
                        help="print what was measured, not a table")
    parser.add_argument("caisson", nargs="?", default=CAISSON)
    told = parser.parse_args()
    why = missing()
    if why is not None:
        print(f"SKIP: {why}")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        found = measure(os.path.abspath(told.caisson), folder)
    if told.json:
        json.dump(found, sys.stdout, indent=1)
        print()
    else:
        print_table(found)


if __name__ == "__main__":
    main()
