"""What is done with code that can mean only one thing, as models write it.

    /usr/bin/python3 tests/box/test_meant.py [-v] [-k PATTERN]
"""
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


if __name__ == "__main__":
    unittest.main()
