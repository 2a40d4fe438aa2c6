"""
One call over MCP, for a human: starts a server program, shakes hands, lets
run_python run a file, and prints the code and the answer.

usage: run_example.py PROGRAM FILE
"""
import json
import select
import subprocess
import sys
import time

ANSWER_SECONDS = 300  # a box stands in milliseconds; then the code may run
VERSION = "2025-11-25"


class Failure(Exception):
    """What went wrong, in one sentence."""


class Server:
    """A program that speaks MCP on its standard input and output."""

    def __init__(self, program, **more):
        self.pending = b""
        self.last_id = 0
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **more)

    def send(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()

    def read_line(self, deadline):
        while b"\n" not in self.pending:
            left = max(0, deadline - time.monotonic())
            if not select.select([self.process.stdout], [], [], left)[0]:
                raise Failure(f"no answer within {ANSWER_SECONDS} s")
            data = self.process.stdout.read1(65536)
            if not data:
                raise Failure("the server ended with exit status "
                              f"{self.process.wait()} instead of answering")
            self.pending += data
        line, self.pending = self.pending.split(b"\n", 1)
        return json.loads(line)

    def request(self, method, params):
        """The result of one request; other messages are passed over."""
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        deadline = time.monotonic() + ANSWER_SECONDS
        while True:
            message = self.read_line(deadline)
            if message.get("id") != self.last_id or "method" in message:
                continue
            if "error" in message:
                raise Failure(f"{method}: {message['error']['message']}")
            return message["result"]

    def initialize(self):
        result = self.request("initialize", {
            "protocolVersion": VERSION, "capabilities": {},
            "clientInfo": {"name": "run_example", "version": "1"}})
        self.send({"method": "notifications/initialized"})
        return result

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(ANSWER_SECONDS)


def title(text):
    print(f"--- {text} ".ljust(72, "-"))


def call(program, code):
    """Runs the code through the program; returns the tool's result."""
    server = Server(program)
    try:
        hello = server.initialize()
        info = hello["serverInfo"]
        title(f"{info['name']} {info['version']}, "
              f"MCP {hello['protocolVersion']}: run_python")
        print(code.rstrip("\n"))
        result = server.request(
            "tools/call", {"name": "run_python", "arguments": {"code": code}})
        status = server.close()
        if status != 0:
            raise Failure(f"the server ended with exit status {status}")
        return result
    finally:
        server.process.kill()
        server.process.wait()


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: run_example.py PROGRAM FILE")
    with open(sys.argv[2], encoding="utf-8") as file:
        code = file.read()
    try:
        result = call(sys.argv[1], code)
    except (Failure, OSError) as error:
        sys.exit(f"run_example: {error}")
    title("it failed" if result.get("isError") else "the answer")
    for content in result["content"]:
        print(content.get("text", f"[{content['type']}]"))
    return 1 if result.get("isError") else 0


if __name__ == "__main__":
    sys.exit(main())
