"""An MCP client directly on the pipes of a server, with asyncio.

The yardstick of calls through the program.  It is measured in the same kind of
box: its text is sent as code, and the server runs beside it.
"""
import asyncio
import json
import subprocess

LINE_MAX = 64 << 20


class Direct:
    """A server that was started, and the answers that are waited for."""

    async def open(self, argv):
        """Starts the server and shakes hands."""
        loop = asyncio.get_running_loop()
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.reader = asyncio.StreamReader(limit=LINE_MAX)
        await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self.reader),
            self.process.stdout)
        self.writer, _ = await loop.connect_write_pipe(
            asyncio.BaseProtocol, self.process.stdin)
        self.waiting, self.last = {}, 0
        self.task = asyncio.create_task(self.read())
        await self.request("initialize", {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "direct", "version": "0"}})
        return self

    async def read(self):
        """Hands each answer to the caller that waits for it."""
        while line := await self.reader.readline():
            message = json.loads(line)
            self.waiting.pop(message["id"]).set_result(message["result"])

    async def request(self, method, params):
        """Sends a request and returns its result."""
        self.last += 1
        future = asyncio.get_running_loop().create_future()
        self.waiting[self.last] = future
        self.writer.write(json.dumps({
            "jsonrpc": "2.0", "id": self.last, "method": method,
            "params": params}).encode() + b"\n")
        return await future

    async def call(self, tool, **arguments):
        """Calls a tool and returns its result."""
        return await self.request(
            "tools/call", {"name": tool, "arguments": arguments})

    async def close(self):
        """Ends the server."""
        self.writer.close()
        await self.task
        self.process.wait()
