"""Calls of a remote server, beside the same requests by libcurl alone.

Both take turns at one server with TLS, in a process of its own.
"""
import asyncio
import contextlib
import ctypes
import ctypes.util
import json
import multiprocessing
import os
import ssl
import subprocess
import time

from measure import children, kind, median
from tools import CALLS, PROGRAM, TURNS

ECHO = {"content": [{"type": "text", "text": "{\"a\": 1}"}]}
RESULTS = {
    "initialize": {"protocolVersion": "2025-11-25",
                   "capabilities": {"tools": {}},
                   "serverInfo": {"name": "bench", "version": "0"}},
    "tools/list": {"tools": [{"name": "echo", "inputSchema":
                              {"type": "object"}}]},
    "tools/call": ECHO}
CALL = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                   "params": {"name": "echo", "arguments": {"a": 1}}}).encode()
HEADERS = (b"Content-Type: application/json",
           b"Accept: application/json, text/event-stream")
# Of curl.h.
URL, POSTFIELDS, HTTPHEADER, CAINFO = 10002, 10015, 10023, 10065
WRITEFUNCTION = 20011


async def answer(reader, writer):
    """Answers the requests of a connection."""
    while not reader.at_eof():
        head = await reader.readuntil(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1)
                      for line in head.split(b"\r\n")[1:] if line)
        body = await reader.readexactly(int(fields.get(b"content-length", 0)))
        message = json.loads(body) if body else {}
        result = RESULTS.get(message.get("method"))
        status, text = b"405 No", b""
        if result is not None:
            status, text = b"200 OK", json.dumps(
                {"jsonrpc": "2.0", "id": message["id"],
                 "result": result}).encode()
        elif message and "id" not in message:
            status = b"202 OK"
        writer.write(b"HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
                     b"Content-Length: %d\r\n\r\n%s"
                     % (status, len(text), text))


def serve(folder, port):
    """Serves until it is killed; tells its port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/cert", f"{folder}/key")

    async def answer_all(reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            await answer(reader, writer)

    async def main():
        server = await asyncio.start_server(answer_all, "127.0.0.1", 0,
                                            ssl=context)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()
    asyncio.run(main())


class Curl:
    """A handle of libcurl that posts the same call again and again."""

    def __init__(self, url, trusted):
        self.lib = ctypes.CDLL(ctypes.util.find_library("curl")
                               or "libcurl.so.4")
        self.lib.curl_easy_init.restype = ctypes.c_void_p
        self.lib.curl_slist_append.restype = ctypes.c_void_p
        self.curl = ctypes.c_void_p(self.lib.curl_easy_init())
        self.sink = ctypes.CFUNCTYPE(
            ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t,
            ctypes.c_size_t, ctypes.c_void_p)(lambda data, size, n, ctx:
                                              size * n)
        headers = None
        for line in HEADERS:
            headers = ctypes.c_void_p(
                self.lib.curl_slist_append(headers, line))
        for option, value in ((URL, url.encode()), (POSTFIELDS, CALL),
                              (HTTPHEADER, headers),
                              (CAINFO, trusted.encode()),
                              (WRITEFUNCTION, self.sink)):
            self.lib.curl_easy_setopt(self.curl, option, value)

    def call(self):
        """The seconds of one."""
        begin = time.perf_counter()
        if self.lib.curl_easy_perform(self.curl):
            raise RuntimeError("libcurl failed")
        return time.perf_counter() - begin


def dirty(pid):
    """Bytes that are private to a process and written to."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) << 10 for line in file
                   if line.startswith("Private_Dirty:"))


def measure_turns(bench, client, curl):
    """Calls from a box, and by libcurl alone."""
    code = PROGRAM + f"""
async def call(tool, **arguments):
    return await mcp_far.echo(**arguments)
print(json.dumps(await measure(call, "echo", {{"a": 1}}, {
        bench.rounds(CALLS)}, 1)))"""
    begin = time.perf_counter()
    client.run("await mcp_far.echo(a=1)", ["far"])
    bench.row("first call, which starts the connector",
              time.perf_counter() - begin, "s")
    ours, theirs = [], []
    for _ in range(bench.rounds(TURNS)):
        ours.extend(json.loads(client.run(code, ["far"])))
        curl.call()
        theirs.extend(curl.call() for _ in range(bench.rounds(CALLS)))
    bench.medians("call of a remote tool from the box and back", ours,
                  "the same request by libcurl", theirs)
    bench.row("what that adds", median(ours) - median(theirs), "s")


def measure(bench):
    """All of it."""
    bench.section = "remote"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key", "-out", "cert",
         "-subj", "/CN=x", "-addext", "subjectAltName=IP:127.0.0.1"],
        cwd=bench.folder, check=True, stderr=subprocess.DEVNULL)
    port, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve,
                                     args=(bench.folder, theirs), daemon=True)
    server.start()
    url = f"https://127.0.0.1:{port.recv()}/mcp"
    trusted = os.path.join(bench.folder, "cert")
    config = os.path.join(bench.folder, "remote.json")
    with open(config, "w") as file:
        json.dump({"mcpServers": {"far": {"url": url}}}, file)
    with bench.client(config, CA_FILE=trusted) as client:
        client.run("pass")
        measure_turns(bench, client, Curl(url, trusted))
        for pid in children(client.pid):
            if kind(pid).endswith("connector"):
                bench.row("connector, idle, private and written to",
                          dirty(pid), "B")
    server.terminate()
