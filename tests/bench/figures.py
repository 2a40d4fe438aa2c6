#!/usr/bin/python3
"""The figures of README.md: prints them for this machine, asserts nothing.

Usage: tests/bench/figures.py [path of caisson]

Memory is PSS (the proportional set size of /proc/PID/smaps_rollup: shared
pages count by the share). Reading it of processes that run as another user
needs root. Times are medians over several rounds, as ratios to plain Python
where that says more.
"""
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CAISSON = os.path.join(HERE, "..", "..", "build", "caisson")
PYTHON = "/usr/bin/python3"
ROUNDS = 30
IDLE_CALLS = 4


class Client:
    """A plain MCP client on two pipes."""

    def __init__(self, binary):
        self.process = subprocess.Popen(
            [binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"})
        self.last = 0

    def send(self, method, params=None):
        """Sends a request and returns its id."""
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method}
        if params is not None:
            message["params"] = params
        line = json.dumps(message) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        return self.last

    def answer(self):
        """Returns the next answer."""
        return json.loads(self.process.stdout.readline())

    def request(self, method, params=None):
        """Sends a request and returns its answer."""
        self.send(method, params)
        return self.answer()

    def initialize(self):
        """The handshake; returns the seconds until its answer."""
        begin = time.perf_counter()
        self.request("initialize", {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "figures", "version": "0"}})
        return time.perf_counter() - begin

    def run(self, code):
        """Starts a call and returns its id."""
        return self.send("tools/call", {
            "name": "run_python", "arguments": {"code": code}})

    def close(self):
        """Ends the program."""
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def children(pid):
    """The processes started by pid, itself left out."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def pss_kib(pid):
    """Proportional set size, or None where it may not be read."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1])
    except PermissionError:
        return None
    return None


def title(pid):
    """What ps shows for a process."""
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read().replace(b"\0", b" ").decode().strip()


def print_pss(name, values):
    """One line about memory."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        print(f"{name:44} not readable by this user")
    else:
        print(f"{name:44} {max(known) / 1024:8.2f} MiB PSS")


def figures_memory(binary):
    """Idle processes."""
    client = Client(binary)
    client.initialize()
    started = children(client.process.pid)
    print(f"{'processes started before the first call':44} "
          f"{len(started):8}")
    print_pss("supervisor, idle", [pss_kib(client.process.pid)])
    for _ in range(IDLE_CALLS):
        client.run("import time; time.sleep(600)")
    relays = []
    deadline = time.monotonic() + 30
    while len(relays) < IDLE_CALLS and time.monotonic() < deadline:
        relays = [pid for pid in children(client.process.pid)
                  if title(pid).startswith("caisson: relay")]
        time.sleep(0.1)
    time.sleep(1)
    print_pss(f"the largest of {len(relays)} relays, idle",
              [pss_kib(pid) for pid in relays])
    print_pss(f"supervisor with {len(relays)} calls",
              [pss_kib(client.process.pid)])
    client.close()


def timed(function):
    """Median seconds of a function."""
    seconds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def figures_time(binary):
    """Times, beside their yardstick in the same run."""
    def start():
        client = Client(binary)
        client.initialize()
        client.close()

    client = Client(binary)
    client.initialize()

    def call():
        client.run("print('hi')")
        client.answer()

    plain = timed(lambda: subprocess.run(
        [PYTHON, "-I", "-c", "pass"], check=True))
    hello = timed(call)
    begin = timed(start)
    client.close()
    print(f"{'python3 -I -c pass, the yardstick':44} "
          f"{plain * 1000:8.2f} ms")
    print(f"{'start, initialize and end of caisson':44} "
          f"{begin * 1000:8.2f} ms   {begin / plain:5.2f} x")
    print(f"{'run_python print(hi), line in to line out':44} "
          f"{hello * 1000:8.2f} ms   {hello / plain:5.2f} x")


def main():
    """Prints everything."""
    binary = sys.argv[1] if len(sys.argv) > 1 else CAISSON
    figures_memory(binary)
    figures_time(binary)


if __name__ == "__main__":
    main()
