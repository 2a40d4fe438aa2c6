"""A plain MCP client on two pipes, which starts the program it measures.

It does as little as it can between a line and a look at the clock, and notes
the largest memory of the program at its end.
"""
import itertools
import json
import os
import subprocess
import time

CHUNK = 1 << 20
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}


class Client:
    """One run of the program; settings are its environment."""

    def __init__(self, binary, settings=None, peaks=None, args=(),
                 errors=None):
        self.process = subprocess.Popen(
            [binary, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=errors, env={**ENVIRONMENT, **(settings or {})})
        self.pid = self.process.pid
        self.input = self.process.stdin.fileno()
        self.output = self.process.stdout.fileno()
        self.peaks = [] if peaks is None else peaks
        self.lacks = None  # why it has not what it was asked for
        self.pending = b""
        self.lines = []
        self.last = 0

    def __enter__(self):
        self.initialize()
        return self

    def __exit__(self, *_):
        self.close()

    def line_of(self, method, params):
        """Returns the line of a request, of which self.last is the id."""
        self.last += 1
        return json.dumps({"jsonrpc": "2.0", "id": self.last,
                           "method": method, "params": params}).encode() + b"\n"

    def write(self, data):
        """Writes all of it."""
        while data:
            data = data[os.write(self.input, data):]

    def read(self):
        """Waits for at least one line; returns all that are there."""
        if not self.lines:
            parts = []
            while not parts or b"\n" not in parts[-1]:
                parts.append(os.read(self.output, CHUNK))
                if not parts[-1]:
                    raise RuntimeError("the program ended with status "
                                       f"{self.process.wait()}")
            *self.lines, self.pending = (
                self.pending + b"".join(parts)).split(b"\n")
        found, self.lines = self.lines, []
        return found

    def answer(self):
        """Returns the next answer."""
        first, *self.lines = self.read()
        return json.loads(first)

    def request(self, method, params):
        """Sends a request and returns its answer."""
        self.write(self.line_of(method, params))
        while True:
            answer = self.answer()
            if answer.get("id") == self.last and "method" not in answer:
                return answer

    def initialize(self):
        """The handshake; returns the answer."""
        answer = self.request("initialize", {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "0"}})
        self.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return answer

    def code_line(self, code, servers=(), timeout=100, **more):
        """Returns the line that runs code, with further arguments."""
        return self.line_of("tools/call", {
            "name": "run_python", "arguments": {
                "code": code, "servers": list(servers), "timeout": timeout,
                **more}})

    def lines_of(self, code):
        """Yields lines that run the same code, each with an id of its own."""
        head, tail = self.code_line(code).split(b'"id": %d' % self.last, 1)
        while True:
            yield b'%b"id": %d%b' % (head, self.last, tail)
            self.last += 1

    def run(self, code, servers=(), **more):
        """Runs code and returns what it printed, which is the answer."""
        self.write(self.code_line(code, servers, **more))
        return printed(self.answer())

    def answers(self, code, in_flight, turns):
        """Runs code once for each of some turns, so many at a time.

        Returns a tuple for each: the seconds when its line was written and
        when its answer was read. The processors are shared with the program,
        so all answers are parsed and checked after the last one.
        """
        first, sent, got = self.last + 1, [], []
        lines, turns = self.lines_of(code), iter(turns)

        def send(count):
            for _ in itertools.islice(turns, count):
                line = next(lines)
                sent.append(time.perf_counter())
                self.write(line)

        send(in_flight)
        while len(got) < len(sent):
            found = self.read()
            end = time.perf_counter()
            got.extend((line, end) for line in found)
            send(len(found))
        begins = dict(enumerate(sent, first))
        return [(begins.pop(checked(line)), end) for line, end in got]

    def close(self):
        """Ends the program, of which the largest memory is kept."""
        self.peaks.append(peak_kib(self.pid))
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def printed(answer):
    """The text of an answer; what failed cannot be measured."""
    result = answer.get("result")
    if result is None or result.get("isError"):
        raise RuntimeError(f"a call failed: {json.dumps(answer)[:2000]}")
    return result["content"][0]["text"]


def checked(line):
    """The id of an answer that tells of success."""
    answer = json.loads(line)
    printed(answer)
    return answer["id"]


def peak_kib(pid):
    """The largest resident set of a process so far."""
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0
