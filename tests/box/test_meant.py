"""What is done with code that can mean only one thing, as models write it.

    /usr/bin/python3 tests/box/test_meant.py [-v] [-k PATTERN]
"""
import json
import unittest
from importlib.util import find_spec

from mcp_relay import Base, tool


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
