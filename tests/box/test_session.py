"""Clients of the MCP SDK and of FastMCP, which call tools by their names.

    /usr/bin/python3 tests/box/test_session.py [-v] [-k PATTERN]
"""
import unittest

from mcp_relay import Base, tool

SDK = """
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
import asyncio
async def main():
    params = StdioServerParameters(command="npx", args=["-y", "x"], env=None)
    async with stdio_client(params) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            %s
asyncio.run(main())
"""


class Session(Base):
    """What is called, and what is refused."""

    def test_the_sdk(self):
        got = self.prints(SDK % (
            "r = await session.call_tool('read_file', arguments={'path': "
            "'a'})\n            print(r.content[0].text, r.isError)"),
            '{"path":"a"} False\n')
        self.assertEqual([call[:2] for call in got.relay.calls],
                         [("fs", "read_file")])
        self.prints(SDK % (
            "tools = (await session.list_tools()).tools\n"
            "            print([t.name for t in tools if t.name == 'echo'], "
            "tools[0].inputSchema['type'])"), "['echo'] object\n",
            loaded=("fs",), tools={"my-git": [], "web": []})

    def test_other_clients(self):
        self.prints("""
from fastmcp import Client
from contextlib import AsyncExitStack
async with Client("fs") as client:
    r = await client.call_tool("read_file", {"path": "b"})
    print(r.data, [t.name for t in await client.list_tools()][:1])
async with Client({"mcpServers": {"fs": {"command": "x"}}}) as client:
    print((await client.call_tool("fs", "read_file", {"path": "c"})).data)
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamablehttp_client
async with AsyncExitStack() as stack:
    read, write, _ = await stack.enter_async_context(
        streamablehttp_client("http://x"))
    session = await stack.enter_async_context(ClientSession(read, write))
    print((await session.call_tool("read_file", {"path": "d"})).data)
""", "{'path': 'b'} ['read_file']\n{'path': 'c'}\n{'path': 'd'}\n")

    def test_clients_of_no_library(self):
        """The module mcp is taken for one that has them."""
        for code in (
                "from mcp import MCPClient\nclient = MCPClient()\n"
                "await client.connect()\n"
                "r = await client.call('fs', 'read_file', {'path': 'a'})\n"
                "await client.close()",
                "import mcp\nclient = mcp.Client('fs')\n"
                "r = await client.call_tool('read_file', {'path': 'a'})",
                "fs = runtime.get_server('fs')\n"
                "r = await fs.read_file(path='a')",
                "fs = await runtime.get_server('fs')\n"
                "r = await fs.read_file(path='a')",
                "names = [t.name for t in await runtime.get_tools('fs')]\n"
                "r = await mcp_fs.call_tool(names[0], {'path': 'a'})"):
            with self.subTest(code):
                self.prints(code + "\nprint(r.data)", "{'path': 'a'}\n")
        self.ends("runtime.get_server('nix')", "MCPError: there is no such "
                  "server; there are: fs, my-git, web, mute")

    def test_tools_of_no_named_server(self):
        """As default_api.read_file(), where one server has it."""
        for name in "default_api", "functions", "tools":
            self.prints("print(%s.read_file(path='a'))" % name,
                        '{"path":"a"}\n', tools={"mute": []})
        self.ends("default_api.nothing(path='a')", "AttributeError: no server "
                  "has a tool 'nothing': write mcp_<alias>.<tool>(...)",
                  tools={"mute": []})

    def test_final_answer(self):
        self.prints("final_answer(2)\nfinal_answer(mcp_fs.echo(a=1))",
                    '2\n{"a":1}\n')

    def test_a_client_that_is_not_defined(self):
        for name in "session", "client":
            self.prints("r = await %s.call_tool('read_file', arguments="
                        "{'path': 'a'})\nprint(r.data)" % name,
                        "{'path': 'a'}\n", "note: %s was not defined, and was "
                        "taken for a client of all servers\n" % name)
        self.ends("await session.get('read_file')",
                  "NameError: name 'session' is not defined", "hint: this "
                  "call started afresh: define session in this code\n")

    def test_names_that_are_no_ones_or_several_servers(self):
        tools = {"fs": [tool("find")], "my-git": [tool("find")]}
        for code, says in (
                ("'find', {}", "find: several servers have a tool find: write "
                 "await mcp_fs.find(...)"),
                ("'nope', {}", "nope: no server has a tool of that name"),
                ("'my-git', 'find', {'a': 1}", None)):
            with self.subTest(code):
                got = self.prints(
                    "from mcp import ClientSession\n"
                    "try:\n    await ClientSession().call_tool(%s)\n"
                    "except runtime.MCPError as error:\n    print(error)"
                    % code, "%s\n" % says if says else "", tools=tools)
                self.assertEqual([call[0] for call in got.relay.calls],
                                 [] if says else ["my-git"])

    def test_tools_without_their_servers(self):
        for code in ("r = await read_file(path='a')",
                     "async def main():\n    return await read_file('a')\n"
                     "r = await main()",
                     "r = await tools.read_file(path='a')",
                     "r = await call_tool('fs', 'read_file', {'path': 'a'})",
                     "from mcp_servers import fs\n"
                     "r = await fs.read_file(path='a')"):
            with self.subTest(code):
                got = self.prints(code + "\nprint(r.data)",
                                  "{'path': 'a'}\n")
                self.assertEqual(got.relay.calls[0][:2], ("fs", "read_file"))

    def test_names_that_are_no_tools(self):
        """They are not defined, as before."""
        for code in ("await nothing(1)", "print(read_file)\nawait mcp_fs.x()",
                     "f = read_file\nawait f()", "await tools.nothing()",
                     "await mcp_fs.echo()\nfor t in tools:\n    pass"):
            with self.subTest(code):
                name = "nothing" if "nothing" in code else \
                    "tools" if "for" in code else "read_file"
                got = self.prints(
                    "try:\n    %s\nexcept NameError as error:\n"
                    "    print(error)" % code.replace("\n", "\n    "),
                    "name %r is not defined\n" % name)
                self.assertLessEqual(len(got.relay.calls), 1)


if __name__ == "__main__":
    unittest.main()
