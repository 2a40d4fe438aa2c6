"""The program in the guest, its client over MCP, and what checks are made of.
A place is where the program is started; checks.py, containers.py and
services.py each have one.
"""
import json
import os
import subprocess
import sys
import time

CAISSON = "/build/caisson"
USER = 1000
SECONDS = 120  # for what takes a second on a real processor
TIMED_OUT = "Execution timed out after 2s; pass timeout, up to 120, for " \
    "longer work"
OUT_OF_MEMORY = "Sandbox ran out of memory (limit 64 MiB): keep less at a " \
    "time, or raise CAISSON_MEMORY"
CHECKS = []
# Children that need more than 64 MiB together, though none does by itself.
BOMB = """
import os, time
for n in range(8):
    if os.fork() == 0:
        x = bytearray(b"x" * (12 << 20))
        time.sleep(600)
        os._exit(0)
time.sleep(600)
"""
CROWD = """
import subprocess
children = []
try:
    while len(children) < 100:
        children.append(subprocess.Popen(["sleep", "600"]))
except OSError as error:
    print(len(children), type(error).__name__)
"""
BUSY = """
import os, time
end = time.monotonic() + 4
pids = [os.fork() for n in range(1)]
while time.monotonic() < end:
    pass
"""


def check(function):
    CHECKS.append(function)
    return function


def equal(seen, wanted):
    if seen != wanted:
        raise AssertionError("%r, not %r" % (seen, wanted))


def demand(kept, seen):
    if not kept:
        raise AssertionError(seen)


def wait_until(done, what):
    """Look again and again: nothing tells of the end of a cgroup."""
    end = time.monotonic() + SECONDS
    while not done():
        demand(time.monotonic() < end, what)
        time.sleep(0.01)


def read(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


class Caisson:
    """The program, in a place, and its client."""

    def __init__(self, place, **env):
        self.place = place
        # Every box that is there belongs to a call.
        env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent",
               "CAISSON_POOL": "0", "CAISSON_STRUCTURED": "on",
               **{"CAISSON_" + name: text for name, text in env.items()}}
        self.process = self.place.start([CAISSON], stdin=subprocess.PIPE,
                                        env=env)
        self.id = 0
        self.request("initialize", protocolVersion="2025-06-18",
                     capabilities={}, clientInfo={"name": "guest",
                                                  "version": "1"})

    def write(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) +
                                 "\n")
        self.process.stdin.flush()

    def send(self, method, params):
        self.id += 1
        self.write({"id": self.id, "method": method, "params": params})

    def receive(self):
        line = self.process.stdout.readline()
        demand(line, "it ended with %s" % self.process.poll())
        return json.loads(line)["result"]

    def request(self, method, **params):
        self.send(method, params)
        return self.receive()

    def run(self, code, timeout=SECONDS, **arguments):
        return self.request("tools/call", name="run_python", arguments={
            "code": code, "timeout": timeout, **arguments})

    def begin(self, code):
        self.send("tools/call", {"name": "run_python", "arguments": {
            "code": code, "timeout": SECONDS}})

    def is_forked(self):
        """Whether a box is a fork, which is under two lists of calls."""
        result = self.run("print([line for line in open('/proc/self/status')"
                          " if 'filters' in line])")
        return "2" in result["content"][0]["text"]

    def finish(self):
        """Its end, after which all is as it was before it."""
        self.process.stdin.close()
        equal(self.process.wait(SECONDS), 0)
        self.place.close()


def meta(result, name):
    return result["_meta"]["caisson/" + name]


def error(result):
    return result["structuredContent"].get("error")


def run_all(rows, title):
    """Run every check, or those that the command names, with the arguments of
    each row, and exit with how many have failed, or 1.
    """
    failed = 0
    for row in rows:
        for function in CHECKS:
            if sys.argv[1:] and function.__name__ not in sys.argv:
                continue
            began = time.monotonic()
            try:
                function(*row)
                verdict = "ok"
            except Exception as problem:
                failed += 1
                verdict = "FAIL: %s: %s" % (type(problem).__name__, problem)
            print("%s  %-34s  %5.1f s  %s" % (
                title % row, function.__name__, time.monotonic() - began,
                verdict), flush=True)
    sys.exit(min(failed, 1))
