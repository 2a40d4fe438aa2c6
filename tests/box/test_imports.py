"""What is told of names and modules that are not there.

    /usr/bin/python3 tests/box/test_imports.py [-v] [-k PATTERN]
"""
import unittest

from mcp_relay import Base, HANG

KEPT = "this call started afresh: define or import %s in this code"


class Imports(Base):
    """Errors about names that are servers, tools, or gone."""

    def names(self, code, name, hint, **more):
        """Run code in which a name is not defined."""
        return self.ends(code, "NameError: name %r is not defined" % name,
                         "hint: %s\n" % hint if hint else "", **more)

    def test_names_that_are_none(self):
        """The code may have defined them in an earlier call."""
        for line, name in (
                ("print(date)", "date"), ("frame.head()", "frame"),
                ("rows[0]", "rows"),
                ("print(this.d)", "this")):
            with self.subTest(line):
                self.names(line, name, KEPT % name, loaded=("fs",))

    def test_servers_and_tools(self):
        self.names("web.get(url='x').result()", "web", "the server web is "
                   "mcp_web: await mcp_web.tool(...)")
        self.names("list(mcp_fs)\nread_file('a')", "read_file",
                   "read_file is a tool: write await mcp_fs.read_file(...)")
        self.names("read_file('a')", "read_file", KEPT % "read_file")

    def test_modules_that_are_servers(self):
        for line, name, hint in (
                ("import Web", "Web", "the server web is mcp_web: write "
                 "'import mcp_web', or 'from mcp.servers.web import tool'"),
                ("import mcp_wbe", "mcp_wbe", "no server has the alias wbe; "
                 "did you mean web?; there are: fs, my-git, web, mute"),
                ("import requests_, np", "requests_", None),
                ("import websockets", "websockets", "there is no network "
                 "here: only tools of MCP servers reach outside; await "
                 "runtime.search_tool_docs('...') finds them")):
            if name == "websockets" and has(name):
                continue
            with self.subTest(line):
                error = "ModuleNotFoundError: No module named %r" % name
                if hint:
                    self.ends(line, error, "hint: %s\n" % hint)
                else:
                    got = self.prints(line, "", ".*" + error + "\nhint: %s is "
                                      "not installed, and code cannot install "
                                      "it; [^\n]*; available: [^\n]*\n" % name,
                                      1)
                    self.assertEqual(len(got.relay.frames), 1)

    def test_no_server_is_started(self):
        got = self.names("web.get()", "web", "the server web is mcp_web: "
                         "await mcp_web.tool(...)", tools={"web": HANG})
        self.assertEqual(got.relay.started, [])


def has(name):
    """Whether a library is here."""
    from importlib.util import find_spec
    return find_spec(name) is not None


if __name__ == "__main__":
    unittest.main()
