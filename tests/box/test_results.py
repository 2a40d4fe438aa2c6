"""What code takes a result of a tool for, and what it is told where that is
something else.

    /usr/bin/python3 tests/box/test_results.py [-v] [-k PATTERN]
"""
import json
import unittest

from mcp_relay import Base, tool


def text(value):
    """Return what the tool raw is given to return this text."""
    return json.dumps({"content": [{"type": "text", "text": value}]})


class Results(Base):
    """Its data, its text, its tool."""

    def test_awaited_too_late(self):
        """await binds less than what stands behind the call."""
        self.prints("""
print(await mcp_fs.echo(a=[1]).data, await mcp_fs.echo(a=[1]).text,
      await mcp_fs.echo(a=[1])["a"])
""", "{'a': [1]} {\"a\":[1]} [1]\n")
        self.ends("r = await mcp_fs.echo(a=1)\nawait r.data", "TypeError: "
                  "object dict can't be used in 'await' expression", "")

    def test_as_arguments(self):
        got = self.prints("""
r = await mcp_fs.echo(a=[1])
await mcp_fs.echo(x=r, y=[r, mcp_fs.echo(b=2)])
await runtime.call_tool("fs", "echo", {"z": r})
""", "")
        self.assertEqual([call[2] for call in got.relay.calls], [
            '{"a":[1]}', '{"b":2}', '{"x":{"a":[1]},"y":[{"a":[1]},{"b":2}]}',
            '{"z":{"a":[1]}}'])

    def test_arguments_of_call_tool(self):
        got = self.prints("""
call = runtime.call_tool
await call("fs", "echo", a=1)
await call("fs", "echo", {}, a=2)
for name in "fs.echo", "fs/echo", "mcp__fs__echo", "my-git:log":
    await call(name, {"a": 3})
await call("fs.echo")
await mcp_fs.call_tool("echo", a=4)
print(runtime.call_tool_sync("fs", "echo", a=5).data)
for wrong in (lambda: call("fs"), lambda: call("fs", {"a": 1}),
              lambda: call("fs", "echo", {"a": 1}, b=1),
              lambda: call("fs", 5, {})):
    try:
        await wrong()
    except TypeError as error:
        print(error)
""", """{'a': 5}
a tool is given by its name, not by an object of type NoneType
a tool is given by its name, not by an object of type NoneType
the arguments of the tool are one dict, or named: not both
a tool is given by its name, not by an object of type int
""")
        self.assertEqual([call[:3:2] for call in got.relay.calls], [
            ("fs", '{"a":%d}' % n) for n in (1, 2, 3, 3, 3)] + [
                ("my-git", '{"a":3}'), ("fs", "{}"), ("fs", '{"a":4}'),
                ("fs", '{"a":5}')])

    def test_servers_as_sessions(self):
        """Unless a tool of theirs is called so."""
        self.prints("""
print(len(await mcp_web.list_tools()), mcp_web.list_tools().result()[0].name)
print((await mcp_web.invoke("get", {"a": 1})).data)
print((await mcp_fs.list_tools(b=2)).data)
""", "1 get\n{'a': 1}\n{'b': 2}\n", loaded=("web", "fs"),
            tools={"fs": [tool("list_tools")]})


class Told(Base):
    """Notes and hints."""

    def test_tools_are_found_however_they_are_written(self):
        """The result itself is gone."""
        self.ends("print((await mcp_fs.searchAll(json=%r))['b'])"
                  % text('{"a": 1}'), "KeyError: 'b'",
                  "hint: fs.searchAll .data is {a: int}\n",
                  tools={"fs": [tool("searchAll")]})

    def test_nothing_was_printed(self):
        note = "note: nothing was printed: print\\(%s\\) shows it\n"
        call = "r = await mcp_fs.echo(a=1)\n"
        for code, says in (
                (call + "result = None", note % "result"),
                (call + "if r is None: pass", ""), (call + "r.a == 1", ""),
                (call + "x, y = 1, 2", ""),
                ("async def main(x):\n    await mcp_fs.echo()",
                 "note: nothing was printed: main\\(\\) was defined and not "
                 "called\n"),
                (call + "if r:\n    r.a", note % "r.a"),
                (call + "if r:\n    'a b'", note % "it"),
                (call + "if r:\n    pass", ""),
                ("a = 1\nb = 2", "")):
            with self.subTest(code):
                self.prints(code, "", says, echo=True)
        note = "note: nothing was printed: the answer is the value of %s\n"
        for code, name, value in (
                ("result = r['a']", "result", "1"),
                ("answer = {\n    'a': r['a'],\n}\n", "answer", "{'a': 1}"),
                ("r = mcp_fs.echo(b=1).result()", "r", '{"b":1}')):
            got = self.prints(call + code, "", note % name, echo=True)
            self.assertRegex("".join(got.relay.echoed), value)
        got = self.prints(call + "x = mcp_fs.echo(a=2)", "",
                          ".*was called but never awaited.*", echo=True)
        self.assertEqual((len(got.relay.calls), got.relay.echoed), (1, []))
        self.prints(call + "print(1)\nx = 1", "1\n", echo=True, silent=False)
        self.prints(call + "x = 1", "")


if __name__ == "__main__":
    unittest.main()
