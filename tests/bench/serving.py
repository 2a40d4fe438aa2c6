"""What it costs that clients come by HTTP: time of a call, and memory."""
import contextlib
import functools
import json
import os
import re
import socket
import subprocess
import tempfile

from client import ENVIRONMENT
from measure import in_turns, kinds, refill, settle
from memory import pss

ROUNDS = 200
HELLO = "print('hi')"
WARM_CALLS = 20
SESSIONS = 500
UNKNOWN = 2  # how a build without this command ends
VERSION = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": {}}
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {},
    "clientInfo": {"name": "bench", "version": "0"}}}


def new_token(binary, environment):
    """A token that clients may send."""
    return subprocess.run(
        [binary, "token", "add", "bench"], env=environment, check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL).stdout.decode().strip()


class Server:
    """One "caisson serve", at a Unix socket or at a port of TCP."""

    def __init__(self, binary, folder, tcp):
        self.home = tempfile.mkdtemp(dir=folder)
        environment = {**ENVIRONMENT, "HOME": self.home}
        self.token = new_token(binary, environment) if tcp else None
        where = "127.0.0.1:0" if tcp else f"unix:{self.home}/mcp.sock"
        self.process = subprocess.Popen(
            [binary, "serve", "--listen", where], env=environment,
            stderr=subprocess.PIPE)
        self.pid = self.process.pid
        said = self.process.stderr.readline().decode()
        while "serving at" not in said:
            said = self.process.stderr.readline().decode()
            if not said:
                raise RuntimeError("serving did not begin")
        self.port = int(re.search(r":(\d+)/", said).group(1)) if tcp else None
        self.connection = self.connect()

    def connect(self):
        """A new connection."""
        if self.port is None:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(self.home + "/mcp.sock")
        else:
            connection = socket.create_connection(("127.0.0.1", self.port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def bytes_of(self, message, fields=()):
        """A request, whole."""
        body = json.dumps(message).encode()
        lines = ["POST /mcp HTTP/1.1",
                 f"Host: 127.0.0.1:{self.port}" if self.port else
                 "Host: localhost", "Content-Type: application/json",
                 "Accept: application/json, text/event-stream",
                 f"Content-Length: {len(body)}", *fields]
        if self.token:
            lines.append(f"Authorization: Bearer {self.token}")
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    def code_bytes(self, code):
        """The request that runs code."""
        return self.bytes_of({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": "run_python", "arguments": {"code": code},
                "_meta": META}}, [
                    f"MCP-Protocol-Version: {VERSION}",
                    "Mcp-Method: tools/call", "Mcp-Name: run_python"])

    def answer(self, connection):
        """Reads one answer: its head, and what follows."""
        got = b""
        while b"\r\n\r\n" not in got:
            got += self.more(connection)
        head, body = got.split(b"\r\n\r\n", 1)
        length = re.search(rb"content-length: (\d+)", head.lower())
        while not (body.endswith(b"0\r\n\r\n") if length is None
                   else len(body) >= int(length.group(1))):
            body += self.more(connection)
        return head, body

    @staticmethod
    def more(connection):
        """What comes next."""
        data = connection.recv(1 << 16)
        if not data:
            raise RuntimeError("the connection has ended")
        return data

    def send(self, request):
        """Sends a request on the kept connection, and reads its answer."""
        self.connection.sendall(request)
        return self.answer(self.connection)[1]

    def close(self):
        """Ends it."""
        self.connection.close()
        self.process.terminate()
        self.process.communicate()


@contextlib.contextmanager
def served(bench, tcp):
    """A server that ends with the block."""
    server = Server(bench.binary, bench.folder, tcp)
    try:
        yield server
    finally:
        server.close()


def run(server, request):
    """Runs code."""
    if b"hi" not in server.send(request):
        raise RuntimeError("the code did not run")


def warm(bench, server, request):
    """Calls until the boxes that wait were forked from the template."""
    for _ in range(bench.rounds(WARM_CALLS)):
        run(server, request)
        refill(server)()


def measure_hello(bench):
    """print('hi') by all three ways."""
    name = "run_python print('hi')"
    with bench.clients({f"{name} over stdio": {}}) as started, \
            served(bench, False) as local, served(bench, True) as tcp:
        (own, client), = started.items()
        functions = {own: functools.partial(client.run, HELLO)}
        before = {own: refill(client)}
        for words, server in (("HTTP at a Unix socket", local),
                              ("HTTP by TCP", tcp)):
            request = server.code_bytes(HELLO)
            warm(bench, server, request)
            functions[f"{name} over {words}"] = functools.partial(
                run, server, request)
            before[f"{name} over {words}"] = refill(server)
        seconds = in_turns(functions, bench.rounds(ROUNDS), before)
    for words, values in seconds.items():
        bench.medians(words, values, own, seconds[own])


def both(server):
    """Bytes of supervisor and gateway, or None."""
    gateway = kinds(server.pid).get("gateway", [])
    values = [pss(pid) for pid in (server.pid, *gateway)]
    return None if None in values else sum(values)


def begin(server, connection):
    """Begins a session."""
    connection.sendall(server.bytes_of(INITIALIZE))
    head, _ = server.answer(connection)
    if b"mcp-session-id" not in head.lower():
        raise RuntimeError("no session has begun")


def measure_sessions(bench):
    """What idle sessions cost, without and with their connections."""
    count = bench.rounds(SESSIONS)
    for words, kept in ((f"{count} idle sessions", False),
                        (f"{count} idle sessions, each with a connection",
                         True)):
        with served(bench, kept) as server:
            begin(server, server.connection)
            settle(server.pid)
            before, connections = both(server), []
            for _ in range(count):
                connection = server.connect() if kept else server.connection
                begin(server, connection)
                if kept:
                    connections.append(connection)
            after = both(server)
            for connection in connections:
                connection.close()
        if before is None or after is None:
            bench.missing(words, "not readable by this user")
        else:
            bench.row(words, after - before, "B")


def measure(bench):
    """All of it, where there is serving."""
    bench.section = "serving"
    done = subprocess.run([bench.binary, "serve", "--help"],
                          env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False, text=True)
    if done.returncode == UNKNOWN:
        bench.missing("run_python print('hi') over HTTP")
        return
    if done.returncode != 0:
        raise RuntimeError(f"serve --help: {done.returncode}: {done.stderr}")
    measure_hello(bench)
    measure_sessions(bench)
