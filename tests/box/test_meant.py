"""What is done with code that can mean only one thing, as models write it.

    /usr/bin/python3 tests/box/test_meant.py [-v] [-k PATTERN]
"""
import json
import unittest
from importlib.util import find_spec

from mcp_relay import Base, tool

PATH = tool("t", {"path": {"type": "string"}}, ["path"])


class Arguments(Base):
    """Values of a call that JSON has no type for, and how they are given."""

    def test_python_types(self):
        self.prints("""
from collections import deque
from datetime import date, datetime, time, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path
from uuid import UUID
class Color(Enum):
    RED = 'red'
class Size(str, Enum):
    BIG = 'big'
for value in (Path('/a') / 'b', date(2025, 2, 1), time(9, 30),
        datetime(2025, 2, 1, 9, tzinfo=timezone.utc), UUID(int=1),
        {'b', 'a'}, frozenset([1]), {'x': 1}.keys(), {'x': 1}.values(),
        range(2), deque([1]), (n for n in 'ab'), map(str, [1]),
        Color.RED, Size.BIG, {'in': [Path('c'), {date(2025, 1, 1)}]}):
    print(mcp_fs.echo(a=value).result().text)
print(runtime.call_tool('fs', 'echo', {'a': Decimal('0.10')}).result().text)
""", '''{"a":"/a/b"}
{"a":"2025-02-01"}
{"a":"09:30:00"}
{"a":"2025-02-01T09:00:00+00:00"}
{"a":"00000000-0000-0000-0000-000000000001"}
{"a":["a","b"]}
{"a":[1]}
{"a":["x"]}
{"a":[1]}
{"a":[0,1]}
{"a":[1]}
{"a":["a","b"]}
{"a":["1"]}
{"a":"red"}
{"a":"big"}
{"a":{"in":["c",["2025-01-01"]]}}
{"a":0.10}
''')

    @unittest.skipUnless(find_spec("numpy"), "numpy is not here")
    def test_values_of_numpy(self):
        self.prints("""
import numpy as np
print(mcp_fs.echo(a=np.int64(3), b=np.arange(2), c=np.bool_(1)).result().text)
""", '{"a":3,"b":[0,1],"c":true}\n')

    def test_arguments_in_a_dict_of_that_name(self):
        tools = {"fs": [PATH]}
        for call in ("mcp_fs.t(arguments={'path': 'x'})",
                     "mcp_fs.t(params={'Path': 'x'})"):
            with self.subTest(call):
                got = self.prints("await " + call, "", tools=tools)
                self.assertEqual(got.relay.calls, [
                    ("fs", "t", '{"path":"x"}')])
        for given in "{'file': 'x'}", "'x'":
            with self.subTest(given):
                self.ends(
                    "await mcp_fs.t(params=%s)" % given,
                    "mcp.runtime.ArgumentError: fs.t: unknown argument "
                    "'params'; missing argument 'path'; it takes path "
                    "(required)", tools=tools)


class Servers(Base):
    """How code gets at a server."""

    def test_context(self):
        self.prints("""
async with mcp_fs as fs:
    print((await fs.echo(a=1)).text, fs is mcp_fs)
with mcp_fs as fs:
    print(fs.echo(a=2).result().text)
try:
    async with mcp_fs:
        1 / 0
except ZeroDivisionError as error:
    print(error)
""", '{"a":1} True\n{"a":2}\ndivision by zero\n')

    def test_folder_of_servers(self):
        self.prints("""
import servers
import servers.fs as files
from servers import my_git
from servers.fs import echo
print((await echo(a=1)).text, files is mcp_fs, my_git is mcp_my_git,
      servers.fs is mcp_fs)
try:
    import servers.nothing
except ImportError as error:
    print(error)
""", '{"a":1} True True True\nnothing: there is no such server; there are: '
                    "fs, my-git, web, mute\n")

    def test_folder_of_that_name(self):
        """One of the code's own is not changed."""
        self.prints("""
import os
os.mkdir('servers')
open('servers/__init__.py', 'w').close()
import sys
sys.path.insert(0, os.getcwd())
import servers
try:
    import servers.fs
except ImportError as error:
    print(error)
""", "No module named 'servers.fs'\n")


class Names(Base):
    """Names that the code uses and does not define."""

    NOTE = "note: %s was not imported, and was taken for %s\n"

    def takes(self, code, out, *named, loaded=("fs",)):
        """Run code that uses names which are taken for others."""
        got = self.prints(code, out, "".join(
            self.NOTE % (name, there) for name, there in named), loaded=loaded)
        return got

    def test_what_was_not_imported(self):
        for code, out, *named in (
                ("print(Counter('aab').most_common(1))", "[('a', 2)]\n",
                 ("Counter", "collections.Counter")),
                ("def f(x: List[int]) -> Dict[str, Any]:\n    return {}\n"
                 "print(f([]))", "{}\n", ("Any", "typing.Any"),
                 ("Dict", "typing.Dict"), ("List", "typing.List")),
                ("print(json.dumps([1]), os.sep)", "[1] /\n",
                 ("json", "the module json"), ("os", "the module os")),
                ("@dataclass\nclass A:\n    x: int = 1\nprint(A())", "A(x=1)\n",
                 ("dataclass", "dataclasses.dataclass")),
                ("import asyncio\nprint(await asyncio.sleep(0, math.pi > 3))",
                 "True\n", ("math", "the module math"))):
            with self.subTest(code):
                got = self.takes(code, out, *named, loaded=())
                if "await" not in code:  # else it may be a server
                    self.assertEqual(got.relay.frames, [])

    def test_words_of_json(self):
        note = "note: this is Python, and %s was taken for %s\n"
        self.prints("print({'a': true, 'b': [null], 'c': false})",
                    "{'a': True, 'b': [None], 'c': False}\n", "".join(
                        note % each for each in (
                            ("false", False), ("null", None), ("true", True))))

    def test_names_of_ours(self):
        self.prints("""
print((await call_tool('fs', 'echo', {'a': 1})).text)
print(default_api.fs_echo(a=2)['a'], (await functions.my_git_log(a=3)).text)
print((await mcp_fs_echo(a=4)).text, servers.fs is mcp_fs)
try:
    mcp_fsx_get
except NameError as error:
    print(error)
try:
    default_api.nothing
except AttributeError as error:
    print(error)
try:
    call_tool('fs', 'fail').result()
except MCPError as error:
    print(error)
""", """\
{"a":1}
2 {"a":3}
{"a":4} True
name 'mcp_fsx_get' is not defined
no server has a tool 'nothing': write mcp_<alias>.<tool>(...)
fs.fail: no such file
""")

    def test_names_that_may_mean_something_else(self):
        """Of an earlier call, or of a library; those set by the code."""
        for line, name in (
                ("print(time)", "time"), ("print(random.x)", "random"),
                ("sleep(1)", "sleep"), ("mean([1])", "mean"),
                ("print(re.search, re)", "re")):
            with self.subTest(line):
                self.prints(line, "", "Traceback .*NameError: name %r is not "
                            "defined\n(hint: .*\n)?" % name, 1)
        self.prints("""
try:
    Counter
except NameError:
    from collections import Counter
for true in [3]:
    print(true, 'null'.copy if 0 else 1)
class A:
    List = 5
    print(List)
def f(json):
    return json.x if 0 else 2
print(f(1), Counter('a'))
""", "3 1\n5\n2 Counter({'a': 1})\n")


class Calls(Base):
    """Tools that are called as in other libraries."""

    def test_calls(self):
        for line in ("await mcp_fs.echo.ainvoke({'a': 1})",
                     "mcp_fs.echo.invoke({'a': 1})", "mcp_fs.echo.run(a=1)",
                     "await runtime.fs.echo(a=1)",
                     "await runtime.call_tool(server_name='fs', tool_name="
                     "'echo', arguments={'a': 1})",
                     "runtime.call_tool_sync(server_name='fs', "
                     "tool_name='echo', a=1)"):
            with self.subTest(line):
                self.prints("r = %s\nprint(r.text)" % line, '{"a":1}\n')
        for line, error in (
                ("mcp_fs.echo.nothing", "AttributeError: 'Tool' object has no "
                 "attribute 'nothing'"),
                ("runtime.nothing", "AttributeError: module 'mcp.runtime' has "
                 "no attribute 'nothing'"),
                ("runtime.call_tool(a=1)", "TypeError: a tool is given by its "
                 "name, not by an object of type NoneType")):
            with self.subTest(line):
                self.ends(line, error)


class Running(Base):
    """Event loops, and what code forgets to run."""

    TWICE = """
import asyncio
async def f(x):
    await asyncio.sleep(0)
    return x * 2
"""

    def test_a_loop_within_a_loop(self):
        for line, out in (
                ("print(await f(1), asyncio.run(f(2)))", "2 4\n"),
                ("await f(1)\nfor x in 1, 2:\n    print(asyncio.run(f(x)))",
                 "2\n4\n"),
                ("await f(1)\nloop = asyncio.get_event_loop()\n"
                 "print(loop.run_until_complete(f(3)))", "6\n"),
                ("import nest_asyncio\nnest_asyncio.apply()\nawait f(1)\n"
                 "print(asyncio.run(f(4)))", "8\n"),
                ("import nest_asyncio\nnest_asyncio.apply()\n"
                 "print(asyncio.new_event_loop().run_until_complete(f(4)))",
                 "8\n")):
            with self.subTest(line):
                self.prints(self.TWICE + line, out)
        self.prints(self.TWICE + """
def g():
    return asyncio.run(f(1))
await f(1)
g()
""", "", ".*RuntimeError: asyncio.run.. cannot be called from a "
                    "running event loop\n.*hint: .*", 1)

    def test_gather_of_a_list(self):
        for given in ("[f(1), f(2)]", "(f(x) for x in (1, 2))",
                      "map(f, (1, 2))", "*[f(1), f(2)]",
                      "{1: f(1), 2: f(2)}.values()"):
            for line in ("print(await asyncio.gather(%s))",
                         "async def m(): return await asyncio.gather(%s)\n"
                         "print(asyncio.run(m()))"):
                with self.subTest(line % given):
                    self.prints(self.TWICE + line % given, "[2, 4]\n",
                                echo=True, silent=False)
        self.prints("import asyncio\nprint(asyncio.run(asyncio.gather("
                    "mcp_fs.echo(a=1), mcp_fs.echo(a=2)))[1].text)",
                    '{"a":2}\n', "(.*DeprecationWarning.*)?", echo=True,
                    silent=False)

    def test_wait_of_coroutines(self):
        """It took them once, and books have it so."""
        for works in "[f(1), f(2)]", "{asyncio.create_task(f(1)), f(2)}":
            self.prints(self.TWICE + "done, left = await asyncio.wait(%s, "
                        "timeout=9)\nprint(sum(t.result() for t in done), left)"
                        % works, "6 set()\n", echo=True, silent=False)

    def test_generators_that_await(self):
        for line, out in (
                ("print(sum(await f(x) for x in (1, 2)))", "6\n"),
                ("print(','.join(str(await f(x)) for x in (1, 2)))", "2,4\n"),
                ("async def m():\n    return max(await f(x) for x in (1, 2))"
                 "\nprint(await m())", "4\n"),
                ("print(*(await f(x) for x in (1, 2)))", "2 4\n"),
                ("async for x in (await f(y) for y in (1, 2)):\n    print(x)",
                 "2\n4\n")):
            with self.subTest(line):
                self.prints(self.TWICE + line, out)


class Ends(Base):
    """What the answer of code is that prints nothing."""

    def echoes(self, code, text, err=""):
        """Run code and compare what it echoes."""
        got = self.prints(code, "", err, echo=True)
        self.assertEqual(got.relay.echoed, [text] if text else [])

    def test_value_of_the_program(self):
        program = "def main():\n    return 5\nif __name__ == '__main__':\n"
        self.echoes(program + "    main()", "5")
        self.echoes(program.replace("'", '"') + "    x = 2\n    main()", "5")
        self.echoes("import asyncio\nasync " + program +
                    "    asyncio.run(main())\n", "5")
        self.echoes(program + "    x = main()", None)
        self.echoes(program + "    main()\nelse:\n    1", None)
        self.echoes("if __name__ == 'x':\n    5", None)

    def test_main_that_is_not_called(self):
        note = "note: main.. was defined and not called, so it was called\n"
        for code, text, out in (
                ("def main():\n    return 5", "5", ""),
                ("async def main():\n    return 5", "5", ""),
                ("'''About.'''\nX = 2\nclass A: pass\ndef f(): return X\n"
                 "def main(a=1, *b, c=2, **d):\n    return f() + 3\n", "5",
                 ""),
                ("async def main():\n    print(1)", None, "1\n")):
            with self.subTest(code):
                got = self.prints(code, out, note, echo=True,
                                  silent=not out)
                self.assertEqual(got.relay.echoed, [text] if text else [])
        for code in ("def main(x):\n    return 5",
                     "def other():\n    return 5",
                     "def main(*, x):\n    return 5",
                     "[].append(1)\ndef main():\n    return 5",
                     "def f():\n    main()\ndef main():\n    return 5"):
            with self.subTest(code):
                got = self.prints(code, "", "(note: nothing was printed: "
                                  ".* was defined and not called\n)?",
                                  echo=True)
                self.assertEqual(got.relay.echoed, [])


class Results(Base):
    """What code takes a result for."""

    LIST = tool("list_deals")

    def raw(self, name, value):
        """Return a call of a tool that comes to a value as JSON."""
        return "r = mcp_fs.%s(json=%r).result()\n" % (name, json.dumps({
            "content": [{"type": "text", "text": json.dumps(value)}]}))

    def test_lists_called_as_methods_of_dicts(self):
        data = {"items": [{"a": 1}, {"a": 2}], "values": [[1], [2, 3]], "n": 5}
        self.prints(self.raw("raw", data) + """
import json, copy
d = r.data
print(len(d.items), [x.a for x in d.items], d.items[0], d.values[1:])
print(len(r.items), r.values[0], d["items"] == d.items, type(d.items))
print([k for k, v in d.items()], len(d.values()), dict(d) == d)
print(json.dumps(d) == json.dumps(d, indent=None), len(json.dumps(d)))
print(copy.deepcopy(d).items() == dict(d).items(), type(copy.copy(d.items)))
print([*{**d}], [k for k, v in r.items()][0])
""", """\
2 [1, 2] {'a': 1} [[2, 3]]
2 [1] True <class 'mcp.runtime.list'>
['items', 'values', 'n'] 3 True
True 64
True <class 'list'>
['items', 'values', 'n'] content
""", "note: .items.. of the result of fs.raw .*\n")
        self.prints(self.raw("raw", {"items": 5, "a": {}}) + "print([*r.data."
                    "items()], r.data.a.values(), r.data['items'])",
                    "[('items', 5), ('a', {})] dict_values([]) 5\n")

    def test_one_list_by_the_name_of_the_tool(self):
        note = ("note: the .data of fs.%s has no %r, so its one list, 'data', "
                "was taken for it\n")
        missed = "note: the .data of fs.%s has no %r, so .get.. has returned .*"
        one, two = {"data": [1, 2], "more": False}, {"data": [1], "b": [2]}
        for name, data, key, out, says in (
                ("list_deals", one, "deals", "[1, 2]",
                 note % ("list_deals", "deals")),
                ("listBigDeals", one, "big_deals", "[1, 2]",
                 note % ("listBigDeals", "big_deals")),
                ("list_deals", two, "deals", "[]",
                 missed % ("list_deals", "deals")),
                ("list_deals", one, "tags", "[]",
                 missed % ("list_deals", "tags")),
                ("get_deals", one, "deals", "[]",
                 missed % ("get_deals", "deals")),
                ("list_deals", [1, 2], "deals", "[1, 2]", "")):
            with self.subTest((name, data, key)):
                self.prints(self.raw(name, data) + "print(r%s.get(%r, []))" % (
                    "" if data == [1, 2] else ".data", key), out + "\n", says,
                    tools={"fs": [tool(name)]})
        for line in "r['deals']", "r.data['Deals']", "r.get('deals', [])":
            self.prints(self.raw("list_deals", one) + "print(%s)" % line,
                        "[1, 2]\n", ".*was taken for it\n",
                        tools={"fs": [tool("list_deals")]})
        for line in "r['tags']", "r.data['deal']":
            self.ends(self.raw("list_deals", one) + line, "KeyError: " +
                      line.partition("[")[2][:-1], "hint: fs.list_deals .data "
                      "is {data: list[2] of int, more: bool}\n",
                      tools={"fs": [tool("list_deals")]})
        self.ends(self.raw("list_deals", [1]) + "r.get('tags', [])",
                  "AttributeError: the result has no keys but content: r.data "
                  "is a list", "hint: fs.list_deals .data is list[1] of int\n",
                  tools={"fs": [tool("list_deals")]})

    def test_keys_that_are_spelled_in_another_way(self):
        self.prints(self.raw("raw", {
            "nextCursor": "c", "has_more": False, "a": {"HTML-Url": "u"},
            "x_y": 1, "xY": 2}) + """
d = r.data
print(d.get("next_cursor"), d["next_cursor"], d.hasMore, r["hasMore"],
      r.next_cursor, r.get("next_cursor"), d.a.html_url, d.a.get("htmlUrl"))
print(d.get("XY"), d.get("next"), "next_cursor" in d, d.get(1), d.get("_"))
try:
    d["X_Y"]
except KeyError as error:
    print(error)
""", "c c False False c c u u\nNone None False None None\n'X_Y'\n",
            "note: fs.raw: there is more .*\n")

    def test_data_as_a_key(self):
        self.prints(self.raw("raw", {"a": 1}) + "print(r['data']['a'])",
                    "1\n")
        self.prints(self.raw("raw", {"data": 2}) + "print(r['data'])", "2\n")

    def test_regular_expressions(self):
        self.prints("""
import re
r = mcp_fs.raw(json=%r).result()
print(re.findall(r"\\d+", r), re.search("b", r).start(), re.sub("a", "x", r))
print(re.split(" ", string=r), re.match("a", "a").group(),
      re.subn("b", "y", string=r, count=1)[0])
try:
    re.findall("a", 5)
except TypeError:
    print("refused")
""" % json.dumps({"content": [{"type": "text", "text": "a1 b22"}]}), """\
['1', '22'] 3 x1 b22
['a1', 'b22'] a a1 y22
refused
""")


if __name__ == "__main__":
    unittest.main()
