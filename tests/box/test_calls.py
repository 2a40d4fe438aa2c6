"""Calls of tools: the values they are given, and the ways to make them.

    /usr/bin/python3 tests/box/test_calls.py [-v] [-k PATTERN]
"""
import unittest
from importlib.util import find_spec

from mcp_relay import Base


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


if __name__ == "__main__":
    unittest.main()
