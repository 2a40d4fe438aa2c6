"""What code sees of memories and saved tools, with the store played.

Starts the bootstrap as test_bootstrap.py does, and keeps what it saves in a
dict for as long as a test runs.

    /usr/bin/python3 tests/box/test_memory.py [-v] [-k PATTERN]

The Python that runs the tests is the Python that is tested.
"""
import json
import os
import unittest

from bootstrap import Box, Place
from mcp_relay import Relay as Servers, SERVERS, ended


class Kept:
    """What is kept: memories and tools, by their names."""

    def __init__(self):
        self.memories, self.tools, self.version = {}, {}, 0
        self.meddle = 0  # how often another call changes a memory first


class Relay(Servers):
    """The relay, with a store behind it."""

    def __init__(self, box, kept, loaded):
        super().__init__(box, loaded, SERVERS)
        self.store = kept

    def on_save_memory(self, number, line, key, value, metadata=None,
                       compared=False, version=0):
        """Keep a value, if the version is the one that is there."""
        kept = self.store
        old = kept.memories.get(key, {"version": 0, "metadata": {}})
        if compared and kept.meddle:
            kept.meddle -= 1
            kept.version += 1
            old = dict(old, key=key, version=kept.version, value=[1000])
            kept.memories[key] = old
        if compared and version != old["version"]:
            self.answer(number, None)
            return
        kept.version += 1
        kept.memories[key] = {
            "key": key, "value": value, "version": kept.version,
            "metadata": old["metadata"] if metadata is None else metadata,
            "bytes": 1, "created_at": "then", "updated_at": "now"}
        self.answer(number, self.info(key))

    def info(self, key, whole=False):
        """Return what is known of a memory."""
        found = self.store.memories.get(key)
        return found and {name: value for name, value in found.items()
                          if whole or name != "value"}

    def on_load_memory(self, number, line, key, whole=False):
        """Tell of a memory."""
        self.answer(number, self.info(key, whole))

    def on_delete_memory(self, number, line, key):
        """Forget one."""
        self.answer(number, self.store.memories.pop(key, None) is not None)

    def on_list_memories(self, number, line, after=""):
        """List a page of them."""
        keys = sorted(key for key in self.store.memories if key > after)
        self.answer(number, {
            "entries": [self.info(key) for key in keys], "more": False})

    def on_save_tool(self, number, line, name, about, source):
        """Keep a tool."""
        self.store.tools[name] = {"name": name, "description": about,
                                  "bytes": len(source), "source": source}
        self.answer(number, {"name": name, "description": about})

    def on_load_tool(self, number, line, name):
        """Tell a tool."""
        self.answer(number, self.store.tools.get(name))

    def on_list_saved_tools(self, number, line, after=""):
        """List a page of the tools."""
        names = sorted(name for name in self.store.tools if name > after)
        self.answer(number, {
            "entries": [{"name": name} for name in names], "more": False})


def run(code, kept, memory=True, loaded=(), box_in=Box):
    """Run code in a box; return its Result with the relay."""
    with Place() as place:
        box = box_in(place)
        box.ready()
        frame = {"type": "run", "code": code, "servers": [
            server for server in SERVERS if server["name"] in loaded]}
        if memory is not None:
            frame["memory"] = memory
        box.send(json.dumps(frame).encode() + b"\n")
        return ended(place, box, Relay(box, kept, loaded))


class Base(unittest.TestCase):
    """What the tests share."""

    maxDiff = None

    def setUp(self):
        self.kept = Kept()

    def prints(self, code, out, **more):
        """Run code that must go well, and compare what it prints."""
        got = run(code, self.kept, **more)
        self.assertIsNone(got.relay.cause)
        self.assertEqual((got.out, got.err, got.status), (out, "", 0))
        return got


class Names(Base):
    """The globals, and where there are none."""

    def test_they_look_as_functions(self):
        self.prints("""
import inspect, types
print(inspect.signature(save_memory), isinstance(save_memory,
      types.FunctionType), save_memory.__name__, callable(load_memory))
print(save_memory.__doc__.splitlines()[0])
print(repr(save_tool)[:19], inspect.isfunction(update_memory))
print(runtime.save_memory.__name__, save_memory.__module__)
""", "(key, value, metadata=None) True save_memory True\n"
            "Keep a value by a key, in the place of what is there.\n"
            "<function save_tool True\nsave_memory mcp.runtime\n")

    def test_they_may_be_awaited(self):
        self.prints("""
await save_memory("k", 5)
print(await load_memory("k"), await load_memory("n"), await memory_exists("k"),
      await update_memory("k", lambda old: None or old + 1),
      await get_memory_info("n"), await delete_memory("k"),
      load_memory("k", default=1) + 1, await load_memory("x", default="y"))
""", "5 None True 6 None True 2 y\n")

    def test_switched_off_and_used(self):
        for line in "save_memory('a', 1)", "load_memory('a')":
            got = run(line, Kept(), memory=False)
            self.assertRegex(got.err, "\nhint: nothing can be kept between "
                             "calls here\n$")


class Memories(Base):
    """Saving, loading, updating."""

    def test_update_gives_up(self):
        self.kept.meddle = 10 ** 9
        got = run("""
import mcp._memory
mcp._memory.TRIES, mcp._memory.PAUSE = 5, 0
try:
    update_memory("k", lambda old: 1)
except runtime.MCPError as error:
    print(error)
""", self.kept)
        self.assertEqual(
            got.out, "the memory was not updated: each of 5 times another "
            "call had changed it first\n", got.err)

    def test_update_keeps_what_cannot_be(self):
        self.prints("""
save_memory("k", [1], metadata={"a": 1})
for updater in (lambda old: None, lambda old: {1, 2}, lambda old: 1 / 0, 5):
    try:
        update_memory("k", updater)
    except Exception as error:
        print(type(error).__name__)
update_memory("k", lambda old: old + [2])
print(load_memory("k"), get_memory_info("k")["metadata"])
""", "ValueError\nTypeError\nZeroDivisionError\nTypeError\n"
            "[1, 2] {'a': 1}\n")

    def test_of_results_the_data_is_kept(self):
        """Also in lists and dicts, and of a call that was not awaited."""
        self.prints("""
r = await mcp_fs.echo(n=1)
t = await mcp_fs.raw(json='{"content":[{"type":"text","text":"plain"}]}')
save_memory("r", r)
save_memory("t", t, {"from": t})
save_memory("all", {"list": [r, (t, 2)], "one": r.data})
save_memory("call", mcp_fs.echo(n=2))
print(load_memory("r"), load_memory("t"), load_memory("all"),
      load_memory("call"), get_memory_info("t")["metadata"], sep="\\n")
print(update_memory("r", lambda old: t), load_memory("r"))
print(r["structuredContent"], sorted(dict(r)))
""", """{'n': 1}
plain
{'list': [{'n': 1}, ['plain', 2]], 'one': {'n': 1}}
{'n': 2}
{'from': 'plain'}
plain plain
{'n': 1} ['content', 'structuredContent']
""", loaded=("fs",))


class Tools(Base):
    """Saving functions, and importing them."""

    def saves(self, code, out=""):
        """Run code in a box of its own."""
        self.prints(code, out)

    def test_tools_use_tools_and_what_the_box_has(self):
        self.saves("""
def one():
    return 1
def two():
    return one() + one()
def even(n):
    return n == 0 or odd(n - 1)
save_tool(one)
save_tool(two)
def odd(n):
    return n > 0
save_tool(odd)
save_tool(even)
def odd(n):
    return n > 0 and even(n - 1)
save_tool(odd)
def box():
    return (runtime.list_servers(), LOADED_MCP_SERVERS, len(mcp_servers),
            load_memory("k"), mcp_fs.echo(a=1).result().data)
save_tool(box)
""")
        self.prints("""
import user_tools
print(user_tools.two(), user_tools.even(7), user_tools.box())
""", "2 False (('fs',), ('fs',), 4, None, {'a': 1})\n", loaded=("fs",))
        self.prints("""
import user_tools
await runtime.load_server("fs")
print(user_tools.box()[1:3])
""", "(('fs',), 4)\n")

    def test_imports_are_taken_along(self):
        self.saves("""
from __future__ import annotations
import json, sys
import os.path as paths
import os.path, os
from math import floor, ceil as up, pi
from functools import wraps, lru_cache
from collections import *
try:
    import string
except ImportError:
    pass
def plain():
    return json.dumps([up(1.5), floor(2.5)])
def deep():
    def inner(name=sys.byteorder):
        class A:
            x = paths.basename(os.path.join("a", name))
        return A.x, os.sep
    return inner("b")
@lru_cache(None)
def cached(n: Nothing = pi):
    return round(n)
def own():
    import json, sys
    pi = 3
    return json.loads("[1]"), pi
def both(): return plain(), len(json.loads(plain()))
for function in plain, deep, cached.__wrapped__, own, both:
    save_tool(function)
""")
        kept = {name: tool["source"].partition("def ")[0]
                for name, tool in self.kept.tools.items()}
        future = "from __future__ import annotations\n"
        self.assertEqual(kept, {
            "plain": future + "import json\nfrom math import floor\n"
            "from math import ceil as up\n",
            "deep": future + "import sys\nimport os.path as paths\n"
            "import os.path\nimport os\n",
            "cached": future + "from math import pi\n"
            "from functools import lru_cache\n@lru_cache(None)\n",
            "own": future, "both": future + "import json\n"})
        self.prints("""
import user_tools
from user_tools import both, deep, cached, own
json = 5
print(both(), deep(), cached(), cached.__name__, own(), user_tools.plain())
print("json" in vars(user_tools), "floor" in vars(user_tools))
""", """('[2, 2]', 2) ('b', '/') 3 cached ([1], 3) [2, 2]
False False
""")
        self.prints("""
from user_tools import deep
deep.__name__ = "deep"
save_tool(deep)
from user_tools import plain
import inspect
print(inspect.getsource(plain).split("\\n")[0], plain.__module__)
""", "def plain(): user_tools\n")
        self.assertIn("import os.path\n", self.kept.tools["deep"]["source"])


if __name__ == "__main__":
    unittest.main()
