"""What code takes a result of a tool for, and what it is told where that is
something else.

    /usr/bin/python3 tests/box/test_stands.py [-v] [-k PATTERN]
"""
import json
import unittest
from importlib.util import find_spec

from mcp_relay import Base, tool


def text(value):
    """Return what the tool raw is given to return this text."""
    return json.dumps({"content": [{"type": "text", "text": value}]})


class Stands(Base):
    """Its data, its text, its tool."""

    def test_numbers_and_comparisons(self):
        self.prints("""
r = mcp_fs.raw(json=%r).result()
print(float(r) * 2, int(r), r == "2.5", r == 2.5, r != 3, r == dict(r),
      r == 5, "%%.1f" %% r)
s = mcp_fs.raw(json=%r).result()
print(s == [1, 2], s == "[1, 2]", s != [1], s in [[1, 2]], s == s, s == r)
class A:
    def __eq__(self, other):
        return "mine"
print(r != "2.5", r != 2.5, s != [1, 2], r != r, r != s, r == A(), A() == r,
      r == (1,), r == None, r != None)
for f in float, hash:
    try:
        f(s)
    except TypeError as error:
        print(type(error).__name__)
""" % (text("2.5"), text("[1, 2]")), """\
5.0 2 True True True True False 2.5
True True True True True False
False False False False True mine mine False False True
TypeError
TypeError
""")

    def test_calculations(self):
        self.prints("""
r, s, t, d = [mcp_fs.raw(json=j).result() for j in %r]
print(r + 1, 1 + r, r * 2, 10 / r, r // 2, 7 %% r, r ** 2, 2 ** r, -1 - r,
      r + r, r > 4, r <= 5.0, round(r), f"{r:.2f}", f"{r}", [9, 8, 7, 6, 5,
      4][r], list(range(r)))
print(s + [3], [0] + s, [*reversed(s)], sum([s, s], []), s + s, s < [2])
print(t + "!", ">" + t, t * 2, f"{t:>4}", t < "b")
print([*reversed(d)])
for f in (lambda: d + 1, lambda: d < d, lambda: t / 2, lambda: [1][t],
          lambda: round(t)):
    try:
        f()
    except TypeError as error:
        print(error)
""" % ([text(each) for each in ("5", "[1, 2]", "ab", '{"x": 1, "y": 2}')],),
                    """6 6 10 2.0 2 2 25 32 -6 10 True True 5 5.00 5 4 \
[0, 1, 2, 3, 4]
[1, 2, 3] [0, 1, 2] [2, 1] [1, 2, 1, 2] [1, 2, 1, 2] True
ab! >ab abab   ab True
['y', 'x']
unsupported operand type(s) for +: 'dict' and 'int'
'<' not supported between instances of 'dict' and 'dict'
unsupported operand type(s) for /: 'str' and 'int'
'str' object cannot be interpreted as an integer
type str doesn't define __round__ method
""")

    def test_names_of_the_whole(self):
        """Of a text, or a number; of a dict or a list, "result" alone."""
        self.prints("""
import json
r, n, d = [mcp_fs.raw(json=j).result() for j in %r]
print(r["text"], r["result"], n["value"], n["text"], n.result() is n,
      r.result(5) is r, json.loads(d["content"])["a"],
      json.loads(r["content"]))
print(d["result"], d.result["a"], d.result().data, d.result.a,
      d.result() is d, type(d.result).__name__)
for f in (lambda: d["text"], lambda: r["nothing"], lambda: d["output"],
          lambda: d.value):
    try:
        f()
    except (KeyError, AttributeError) as error:
        print(type(error).__name__)
""" % ([text(each) for each in ("ab", "5", '{"a": 1}')],),
                    "ab ab 5 5 True True 1 ab\n{'a': 1} 1 {'a': 1} 1 True "
                    "Result\n" + "KeyError\n" * 3
                    + "AttributeError\n")

    def test_answers_of_other_libraries(self):
        """Those of HTTP, awaited or not."""
        self.prints("""
r = await mcp_fs.raw(json=%r)
r.raise_for_status()
print(r.status_code, r.ok, r.json(), await r.json(), (await r.json())["a"])
""" % text('{"a": 1}'), "200 True {'a': 1} {'a': 1} 1\n")

    def test_libraries_that_were_asked_for_before_the_result(self):
        """What is called is looked up before what it is given."""
        self.prints("""
import json, io, re, csv
from io import StringIO
print(list(csv.DictReader(await mcp_fs.raw(json=%r))),
      list(csv.reader(["a,b"])))
rows = json.loads(await mcp_fs.raw(json=%r))
file = StringIO(await mcp_fs.raw(json=%r))
print(rows, list(csv.reader(file)), isinstance(file, io.StringIO),
      re.findall("[a-c]", await mcp_fs.raw(json=%r)))
import copy, pickle
print(pickle.loads(pickle.dumps(io.StringIO("x"))).read(),
      io.StringIO(newline=None).read() == "", StringIO("a\\n").readlines())
""" % (text("a,b\n1,2"), text("[1]"), text("a,b"), text("abc")),
                    "[{'a': '1', 'b': '2'}] [['a', 'b']]\n"
                    "[1] [['a', 'b']] True ['a', 'b', 'c']\nx True "
                    "['a\\n']\n")

    def test_dicts_that_are_compared_with_texts(self):
        """One with a single value is that; any other one is told of."""
        code = "d = mcp_fs.raw(json=%r).result().data\n" % text(
            '{"user": {"login": "x"}, "tags": [{"name": "a"}, {"name": "b"}],'
            ' "who": {"id": 1, "login": "x"}, "n": {"a": 1}}')
        one = ("note: a part of a result, {%s: ...}, was compared with a "
               "text, and its only value was taken\n")
        never = ("note: a part of a result, {%s}, was compared with a text, "
                 "which it never equals: compare one of its values\n")
        for line, says, note in (
                ("d['user'] == 'x', 'x' == d['user'], d['user'] != 'x', "
                 "d['user'] == 'y'", "True True False False", one % "login"),
                ("[t.name for t in sorted(d.tags[::-1])]", "['a', 'b']", ""),
                ("len({*d.tags, 'a'}), 'x' in {d.user}", "2 True",
                 one % "name" + one % "login"),
                ("'b' in d['tags'], 'c' in d.tags, d.tags.count('a')",
                 "True False 1", one % "name"),
                ("d['who'] == 'x', d['who'] in ['x']", "False False",
                 never % "id, login"),
                ("d['n'] == '1'", "False", never % "a"),
                ("d['user'] == {'login': 'x'}, d['user'] != {}, d['user'] "
                 "== None, d['user'] == '', d == d", "True True False False "
                 "True", "")):
            with self.subTest(line):
                self.prints(code + "print(%s)" % line, says + "\n", note)

    def test_a_list_by_what_its_tool_lists(self):
        """Also where it is empty, and where its items are awaited."""
        self.prints("""
r = await mcp_fs.list_deals(json=%r)
print(len(r.data["deals"]), len(r.get("deals")), r.data.length, r.length)
e = await mcp_fs.list_deals(json=%r)
print(e.get("more") or e.get("deals") or [], e.get("none", 5))
print([x["a"] async for x in mcp_fs.list_deals(json=%r)])
for f in (lambda: r.data["more"], lambda: r.get("more")):
    try:
        f()
    except (TypeError, AttributeError) as error:
        print(type(error).__name__)
""" % (text('[{"a": 1}, {"a": 2}]'), text("[]"), text('[{"a": 1}]')),
                    "2 2 2 2\n[] 5\n[1]\nTypeError\nAttributeError\n",
                    tools={"fs": [tool("list_deals")]})
        self.prints("r = await mcp_fs.list_deals(json=%r)\n"
                    "print(r.data['results'], r['more'])" % text(
                        '{"hits": [1], "more": 5}'), "[1] 5\n",
                    "note: the .data of fs.list_deals has no 'results', so "
                    "its one list, 'hits', was taken for it\n",
                    tools={"fs": [tool("list_deals")]})

    def test_keys_that_a_list_is_asked_for(self):
        self.prints("r = mcp_fs.raw(json=%r).result()\n"
                    "print('a' in r, 'x' in r.data, {'a': 'x'} in r.data)\n"
                    "for f in (lambda: {r.data[1]}, lambda: r.data[0] < "
                    "r.data[1]):\n    try:\n        f()\n"
                    "    except TypeError as e:\n"
                    "        print(e)" % text('[{"a": "x"}, {"a": 1}]'),
                    "False False True\nunhashable type: 'dict'\n'<' not "
                    "supported between instances of 'dict' and 'dict'\n")

    def test_blocks_stand_for_their_text(self):
        self.prints("""
c = (await mcp_fs.raw(json=%r))["content"]
print(c.count("[x]"), "[x]" in c, "y" in c, c.splitlines(), len(c),
      c[0].text, c.count(c[0]), c[0] in c, type(c).__name__, c.upper()[:3])
import copy, json, pickle
print(json.dumps(c), type(copy.copy(c)) is list, pickle.loads(
    pickle.dumps(c)) == c, hasattr(c, "nothing"))
""" % text("[x] a\n[x] b"), "2 True False ['[x] a', '[x] b'] 1 [x] a\n"
            "[x] b 1 True list [X]\n" + '[{"type": "text", "text": "[x] '
            'a\\n[x] b"}] True True False\n')

    def test_awaited_too_late(self):
        """await binds less than what stands behind the call."""
        self.prints("""
print(await mcp_fs.echo(a=[1]).data, await mcp_fs.echo(a=[1]).text,
      await mcp_fs.echo(a=[1])["a"])
""", "{'a': [1]} {\"a\":[1]} [1]\n")
        self.ends("r = await mcp_fs.echo(a=1)\nawait r.data", "TypeError: "
                  "object dict can't be used in 'await' expression",
                  "hint: this is not a coroutine: remove its 'await'\n")

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

    def test_success(self):
        self.prints("""
runtime.configure(raise_on_error=False)
for r in await mcp_fs.echo(a=1), await mcp_fs.fail(), await mcp_fs.echo(
        success=0, ok=5):
    print(r.success, r.ok, r.get("success"), r.get("ok"))
""", "True True True True\nFalse False False False\n0 5 0 5\n")

    @unittest.skipUnless(find_spec("pandas"), "pandas is not here")
    def test_frames(self):
        rows = text(json.dumps([{"a": 1, "b": 2}, {"a": 3, "b": 4}]))
        for order in ("import pandas as pd\nr = await mcp_fs.raw(json=%r)\n",
                      "r = await mcp_fs.raw(json=%r)\nimport pandas as pd\n"):
            self.prints(order % rows + """
print(pd.DataFrame(r).shape, list(pd.DataFrame(r, columns=["b"])["b"]),
      pd.DataFrame({"x": [1]}).shape, len(pd.Series(r)))
""", "(2, 2) [2, 4] (1, 1) 2\n")


class Told(Base):
    """Notes and hints."""

    def test_texts_that_are_asked_for(self):
        for code, error, hint in (
                ("import re\nre.compile('a').search(r)", "expected string or "
                 "bytes-like object, got 'Result'", "r.text"),
                ("open('/dev/null', 'w').write(mcp_fs.raw(json=%r).result())"
                 % text("a b"), "write() argument must be str, not Result",
                 None)):
            with self.subTest(code):
                self.ends("r = await mcp_fs.raw(json=%r)\n%s" % (
                    text("a b"), code), "TypeError: " + error,
                          "hint: the result of a tool is not a text: %s\n"
                          % ("write " + hint if hint else "append .text"))

    def test_tools_are_found_however_they_are_written(self):
        """The result itself is gone."""
        self.ends("print((await mcp_fs.searchAll(json=%r))['b'])"
                  % text('{"a": 1}'), "KeyError: 'b'",
                  "hint: fs.searchAll .data is {a: int}\n",
                  tools={"fs": [tool("searchAll")]})

    def test_run_of_what_is_no_coroutine(self):
        self.ends("import asyncio\nr = mcp_fs.echo(a=1).result()\nasyncio.run("
                  "r.data)", "ValueError: a coroutine was expected, got {'a': "
                  "1}", "hint: asyncio.run() takes a coroutine: write 'await "
                  "asyncio.gather(...)' without asyncio.run(), as 'await' "
                  "works at top level\n")

    def test_members_of_the_answer(self):
        call = "r = await mcp_fs.echo(a=1)\n"
        note = "note: .%s\\(\\) of the result of fs.echo reads the MCP " \
            "answer, not its data: write .data.%s\\(\\)\n"
        for code, out, name in (
                ("for k, v in r.items(): print(k)",
                 "content\nstructuredContent\n", "items"),
                ("print(*r.keys(), *r.keys())",
                 "content structuredContent " * 2, "keys"),
                ("print(len(r.values()))", "2", "values"),
                ("print(*dict(r), *{**r})",
                 "content structuredContent " * 2, None),
                ("import json, copy\nprint(len(json.loads(json.dumps(r))), "
                 "len(copy.copy(r)))", "2 1", None),
                ("print(*r.data.items())", "('a', 1)", None)):
            with self.subTest(code):
                self.prints(call + code, out.strip() + "\n",
                            note % (name, name) if name else "")

    def test_lists_that_are_not_there(self):
        call = "r = await mcp_fs.echo(items=[1, 2], more=False)\n"
        note = ("note: the .data of fs.echo has no 'rows', so .get\\(\\) has "
                "returned \\[\\]; its keys are items, more, and its list "
                "'items' has 2 items\n")
        for code, says in (
                ("print(len(r.get('rows', [])))", note),
                ("print(len(r.data.get('rows', [])))", note),
                ("d = r.data\nprint(len(d.get('rows', [])), d.get('items', "
                 "[])[2:])", note),
                ("print(r.get('cursor') or 0)", ""),
                ("print(r.get('rows', 0))", ""),
                ("print(len(r.get('errors', [])))", ""),
                ("print(len(r.data.get('items', [])) - 2)", "")):
            with self.subTest(code):
                got = self.prints(call + code, "0 []\n" if "[2:]" in code
                                  else "0\n", says)
                self.assertLessEqual(got.err.count("note"), 1)
        self.prints("r = await mcp_fs.echo(a=[{'b': 1}, {'b': 2}], c={})\n"
                    "print([x.get('d', []) for x in r['a']], r.c.get('e', []))",
                    "[[], []] []\n")

    def test_nothing_was_printed(self):
        note = "note: nothing was printed: print\\(%s\\) shows it\n"
        call = "r = await mcp_fs.echo(a=1)\n"
        for code, says in (
                (call + "result = None", note % "result"),
                (call + "if r == 5: pass", ""), (call + "r.a == 1", ""),
                (call + "x, y = 1, 2", ""),
                ("async def main(x):\n    await mcp_fs.echo()",
                 "note: nothing was printed: main\\(\\) was defined and not "
                 "called\n"),
                (call + "if r:\n    r.a", note % "r.a"),
                (call + "if r:\n    'a b'", note % "'a b'"),
                (call + "if r:\n    pass", ""),
                (call + "import logging\nlogging.info(r)",
                 "note: nothing was printed: logging shows warnings and "
                 "errors only: print\\(\\) shows the rest\n"),
                (call + "import logging\nlogging.info(r)\n"
                 "logging.root.setLevel(logging.INFO)", ""),
                ("a = 1\nb = 2", "")):
            with self.subTest(code):
                self.prints(code, "", says, echo=True)
        note = "note: nothing was printed: the answer is the value of %s\n"
        for code, name, value in (
                ("result = r['a']", "result", "1"),
                ("answer = {\n    'a': r['a'],\n}\n", "answer", "{'a': 1}"),
                ("r = mcp_fs.echo(b=1).result()", "r", "Success: .*")):
            got = self.prints(call + code, "", note % name, echo=True)
            self.assertRegex("".join(got.relay.echoed), value)
        got = self.prints(call + "x = mcp_fs.echo(a=2)", "",
                          ".*was called but never awaited.*", echo=True)
        self.assertEqual((len(got.relay.calls), got.relay.echoed), (1, []))
        self.prints(call + "print(1)\nx = 1", "1\n", echo=True, silent=False)
        self.prints(call + "x = 1", "")

    def test_a_result_that_is_written(self):
        """Its text is, as that of an io.StringIO() is."""
        self.prints("""
from pathlib import Path
r = await mcp_fs.raw(json=%r)
with open("a", "w") as f:
    print(f.write(r), f.write("!"))
Path("b").write_text(mcp_fs.raw(json=%r), encoding="utf-8")
with open("c", "wb") as f:
    f.write(bytes("c", "ascii"))
print(Path("a").read_text(), Path("b").read_text(), Path("c").read_text())
with open("d", "w") as f:
    f.write(r.data)
""" % (text("[1, 2]"), text("b")), "6 1\n[1, 2]! b c\n",
                    ".*TypeError: write.. argument must be str, not list\n.*",
                    1, echo=True, silent=False)

    def test_text_that_other_libraries_read(self):
        self.prints("""
import ast
r = mcp_fs.raw(json=%r).result()
print(ast.literal_eval(str(r)), ast.literal_eval(r.text)["b"],
      ast.literal_eval(r)["a"], ast.literal_eval("(1, None)"))
for value in "{'a': true}", "x + 1", 5:
    try:
        ast.literal_eval(value)
    except ValueError as error:
        print(str(error)[:14])
""" % text('{"a": true, "b": null}'), "{'a': True, 'b': None} None True "
                    "(1, None)\n" + "malformed node\n" * 3)

    @unittest.skipUnless(find_spec("yaml"), "yaml is not here")
    def test_yaml_of_a_result(self):
        self.prints("""
import yaml
r = mcp_fs.raw(json=%r).result()
print(yaml.safe_load(r), yaml.load(r, Loader=yaml.SafeLoader),
      yaml.safe_load(stream=r), yaml.safe_load("b: 2"))
""" % text("a: 1"), "{'a': 1} {'a': 1} {'a': 1} {'b': 2}\n")

    @unittest.skipUnless(find_spec("pandas"), "pandas is not here")
    def test_frames_of_the_one_list(self):
        rows = text('{"rows": [{"x": 1}, {"x": 2}], "more": false}')
        note = "note: the frame has the list 'rows' of the .data of fs.raw\n"
        for what in "r.data", "r":
            self.prints("import pandas as pd\nr = await mcp_fs.raw(json=%r)\n"
                        "df = pd.DataFrame(%s)\nprint(df['x'].sum())" % (
                            rows, what), "3\n", note)
        self.prints("import pandas as pd\nr = await mcp_fs.raw(json=%r)\n"
                    "df = pd.DataFrame(r.data)\nprint(df['rows'][1], "
                    "len(pd.DataFrame(r.data['rows'])))" % rows,
                    "{'x': 2} 2\n")
        self.prints("import pandas as pd\nr = await mcp_fs.raw(json=%r)\n"
                    "print(list(pd.DataFrame(r.data).columns))" % text(
                        '{"x": [1, 2], "y": [3, 4]}'), "['x', 'y']\n")

    def test_lists_as_attributes(self):
        """By the name of what the tool lists, as by that key."""
        found = "note: the .data of fs.list_deals has no 'deals', so its " \
            "one list, 'rows', was taken for it\n"
        self.prints("""
r = await mcp_fs.list_deals(json=%r)
print(len(r.data.deals), r.deals[0].x, hasattr(r.data, "companies"))
s = await mcp_fs.list_deals(json=%r)
print(s.deals[1], hasattr(s, "companies"))
""" % (text('{"rows": [{"x": 1}], "more": false}'), text("[3, 4]")),
                    "1 1 False\n4 False\n", found,
                    tools={"fs": [tool("list_deals")]})


if __name__ == "__main__":
    unittest.main()
