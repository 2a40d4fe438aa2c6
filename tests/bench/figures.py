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
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CAISSON = os.path.join(HERE, "..", "..", "build", "caisson")
PYTHON = "/usr/bin/python3"
ROUNDS = 30
IDLE_CALLS = 4
SERVERS = 10
TOOLS = 600
LARGE = (16 << 20) - 4096  # with its envelope it is just within the limit

# Calls of a tool, one after the other, timed inside the box.
ROUND_TRIPS = """
import asyncio, statistics, time
async def main():
    await mcp_s0.echo(a=1)
    seconds = []
    for _ in range(300):
        begin = time.perf_counter()
        await mcp_s0.echo(a=1)
        seconds.append(time.perf_counter() - begin)
    print(statistics.median(seconds))
await main()
"""
LISTED = "print(len(runtime.list_tools_sync('s1')))"
FETCHED = f"print(len(mcp_s0.bytes(n={LARGE}).result().text))"


class Client:
    """A plain MCP client on two pipes."""

    def __init__(self, binary, config=None):
        env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
        if config is not None:
            env["MCP_SERVERS_CONFIG"] = config
        self.process = subprocess.Popen(
            [binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
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

    def run(self, code, servers=()):
        """Starts a call and returns its id."""
        return self.send("tools/call", {"name": "run_python", "arguments": {
            "code": code, "servers": list(servers)}})

    def output(self, code, servers):
        """Runs code and returns what it printed."""
        self.run(code, servers)
        return self.answer()["result"]["content"][0]["text"]

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
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode().strip()
    except FileNotFoundError:
        return ""  # it has just ended


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


def peak_kib(pid):
    """The largest resident set so far."""
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


def write_config(path):
    """Ten servers, the second of them with many tools."""
    program = os.path.join(HERE, "server.py")
    servers = {f"s{n}": {"command": PYTHON, "args": [
        program, str(TOOLS if n == 1 else 2)]} for n in range(SERVERS)}
    with open(path, "w") as file:
        json.dump({"mcpServers": servers}, file)


def named(client, start):
    """The processes of ours whose title begins so."""
    return [pid for pid in children(client.process.pid)
            if title(pid).startswith(start)]


def comm(pid):
    """The short name of a process."""
    with open(f"/proc/{pid}/comm") as file:
        return file.read().strip()


def figures_servers(binary):
    """Memory and times of the broker and of the keepers."""
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "servers.json")
        write_config(config)
        client = Client(binary, config)
        client.initialize()
        every = [f"s{n}" for n in range(SERVERS)]
        client.output("for s in mcp_servers.values(): s.echo().result()",
                      every)
        broker = named(client, "caisson: broker")
        keepers = [pid for pid in children(client.process.pid)
                   if comm(pid).startswith("keeper")]
        print_pss(f"broker with {SERVERS} servers, idle",
                  [pss_kib(pid) for pid in broker])
        print_pss(f"the largest of {len(keepers)} keepers",
                  [pss_kib(pid) for pid in keepers])
        seconds = float(client.output(ROUND_TRIPS, ["s0"]))
        print(f"{'call of a tool from the box and back':44} "
              f"{seconds * 1e6:8.0f} us")
        client.output(LISTED, ["s1"])
        print_pss(f"broker after a list of {TOOLS} tools",
                  [pss_kib(pid) for pid in broker])
        client.output(FETCHED, ["s0"])
        print_pss("broker after a result of 16 MiB",
                  [pss_kib(pid) for pid in broker])
        print(f"{'its peak, memfds left out':44} "
              f"{peak_kib(broker[0]) / 1024:8.2f} MiB")
        print(f"{'peak of the supervisor':44} "
              f"{peak_kib(client.process.pid) / 1024:8.2f} MiB")
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
    figures_servers(binary)
    figures_time(binary)


if __name__ == "__main__":
    main()
