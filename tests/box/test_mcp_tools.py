"""What code sees of worker/box/python/mcp: arguments and schemas of tools.

    /usr/bin/python3 tests/box/test_mcp_tools.py [-v] [-k PATTERN]

The Python that runs the tests is the Python that is tested.
"""
import sys
import unittest

from mcp_relay import Base, HANG, OLDER, UNFIT, run, tool


def node(**more):
    """Return a schema with references of every kind."""
    return {"$defs": {
        "Node": {"type": "object", "properties": {
            "name": {"type": "string"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        }, "required": ["name"]},
        "a/b%": {"$anchor": "here", "enum": ["x", 1, None]},
    }, "type": "object", **more}


REFERRING = node(properties={
    "tree": {"$ref": "#/$defs/Node", "description": "The tree."},
    "choice": {"$ref": "#/$defs/a~1b%25", "default": "x"},
    "same": {"$ref": "#here"},
    "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "both": {"allOf": [{"type": "object", "properties": {"p": {}}},
                       {"properties": {"q": {"const": 5}}}]},
    "map": {"type": "object", "additionalProperties": {"type": "number"}},
    "gone": {"$ref": "#/nowhere"}, "far": {"$ref": "http://x/y"},
}, required=["tree"])
MERGED = {"allOf": [
    {"properties": {"a": {"type": "string"}}, "required": ["a"]},
    {"$ref": "#/$defs/B"}], "$defs": {"B": {
        "properties": {"b": {"type": "integer", "default": 3}},
        "required": ["b"]}}}


def deep():
    """Return a schema that is nested, and refers to itself, everywhere."""
    schema = {}
    for _ in range(8):
        schema = {"allOf": [schema, {"$ref": "#"}],
                  "properties": {"p": schema, "q": {"$ref": "#"}}}
    for _ in range(60):
        schema = {"allOf": [{"$ref": "#"}, schema]}
    return schema


class Arguments(Base):
    """What the broker says of arguments that do not fit."""

    def test_wrong_ones(self):
        """The error is one of the call, and one of Python, too."""
        for how in "call().result()", "await call()":
            got = self.prints("""
for call in (lambda: mcp_fs.read_file(), lambda: mcp_fs['read_file'](pth=1),
             lambda: runtime.call_tool('fs', 'read_file', {'pth': 1})):
    try:
        print(%s)
    except runtime.ArgumentError as error:
        print(isinstance(error, TypeError), error.server, error.tool, error)
        print(isinstance(error, runtime.MCPError), error.message)
""" % how, "True fs read_file fs.read_file: %s\nTrue %s\n" % (
                UNFIT, UNFIT) * 3)
            self.assertEqual(got.relay.calls, [])

    def test_all_are_sent_as_they_are(self):
        """A numeral and None, of which the broker has the schema."""
        got = self.prints("""
mcp_fs.read_file(path='x', head='5', mode=None).result()
""", "")
        self.assertEqual(got.relay.calls[0][2],
                         '{"path":"x","head":"5","mode":null}')

    def test_values_are_those_of_the_call(self):
        """What the code does to its dict later is of no matter."""
        got = self.prints("""
for given in {'path': 'x'}, {'path': 'x', 'a': [1.5]}:
    call = runtime.call_tool('fs', 'read_file', given)
    given['path'] = 5
    print(call.result().data)
""", "{'path': 'x'}\n{'path': 'x', 'a': [1.5]}\n")
        self.assertEqual(got.relay.calls[0][2], '{"path":"x"}')


class Positions(Base):
    """Arguments without names."""

    TOOLS = [
        tool("two", {"a": {"type": "string"}, "b": {"type": "integer"},
                     "c": {"type": "string"}}, ["a", "b"]),
        tool("late", {"c": {"type": "string"}, "a": {"type": "string"},
                      "b": {"type": "integer"}}, ["a", "b"]),
        tool("other", {"a": {"type": "string"}, "b": {"type": "string"}},
             ["b", "a"]),
        tool("none", {"a": {"type": "string"}, "b": {"type": "string"}}),
        tool("one", {"a": {"type": "string"}}),
        tool("holds", {"a": {"type": "object"}, "b": {"type": "string"}},
             ["a"]),
        tool("lists", {"a": {"type": "array"}}, ["a"]),
        tool("any_of", {"a": {"anyOf": [{"type": "object"}]}}),
        tool("open", {}), dict(name="bare"),
    ]

    def test_all(self):
        cases = (
            ("two('x', 1)", "{'a': 'x', 'b': 1}"),
            ("two('x', '1', 'y')", "{'a': 'x', 'b': '1', 'c': 'y'}"),
            ("two('x', b=1)", "{'a': 'x', 'b': 1}"),
            ("two('x', 1, a='y')", "argument 'a' is given twice: without a "
             "name, and by name"),
            ("two('x', 1, 'y', 'z')", "4 arguments without a name, but two() "
             "takes 3 at most: a (required), b (required), c"),
            ("late('x', 1)", "{'a': 'x', 'b': 1}"),
            ("late('x', b=1)", "late() takes"),
            ("late('x', 1, 'y')", "late() takes"),
            ("other('x', 'y')", "other() takes"),
            ("none('x')", "{'a': 'x'}"),
            ("none('x', 'y')", "2 arguments without a name, but none() takes"),
            ("one('x')", "{'a': 'x'}"),
            ("one({'a': 'x'})", "{'a': 'x'}"),
            ("one({'b': 'x'})", "{'b': 'x'}"),
            ("one({'a': 'x'}, a='y')", "argument 'a' is given twice"),
            ("two({'a': 'x', 'b': '1'})", "{'a': 'x', 'b': '1'}"),
            ("none({'b': 'x', 'a': None})", "{'b': 'x', 'a': None}"),
            ("holds({'x': 1})", "{'a': {'x': 1}}"),
            ("holds({'a': {'x': 1}})", "one dict alone may be all arguments, "
             "or a: write holds(**{...}), or holds(a={...})"),
            ("holds({'a': {}, 'b': 'x'})", "one dict alone may be"),
            ("holds({'a': 5})", "one dict alone may be"),
            ("any_of({'b': 5})", "{'a': {'b': 5}}"),
            ("holds({'a': {}}, b='x')", "{'a': {'a': {}}, 'b': 'x'}"),
            ("lists({'a': []})", "{'a': []}"),
            ("lists([1])", "{'a': [1]}"),
            ("open('x')", "open() takes its arguments by name; its schema "
             "names none"),
            ("open({'x': 1})", "{'x': 1}"), ("bare({'x': 1})", "{'x': 1}"),
            ("bare(5)", "bare() takes"),
        )
        for first in "", "dir(mcp_web)\n":
            got = run(first + "".join("""
try:
    print(mcp_web.%s.result().data)
except runtime.ArgumentError as error:
    print(error.message)
""" % call for call, _ in cases), loaded=("web",), tools={"web": self.TOOLS})
            lines = got.out.splitlines()
            for (call, says), line in zip(cases, lines):
                with self.subTest(call):
                    self.assertTrue(line.startswith(says), line)
            self.assertEqual(len(got.relay.calls), len(
                [says for _, says in cases if says[0] == "{"]))


class Schemas(Base):
    """Signatures and documentation of what is not simple."""

    def test_references(self):
        self.prints("""
import inspect
tool = mcp_web.t
print(inspect.signature(tool))
print(tool.__doc__)
print(inspect.signature(mcp_web.merged), tool)
""", '(*, tree: {name: str, children?: list[Node]}, choice: "x" | 1 | null = '
            "'x', same: \"x\" | 1 | null = ..., either: int | None = ..., "
            "both: {p?: Any, q?: 5} = ..., map: dict[str, float] = ..., "
            "gone: Any = ..., far: Any = ...)\n"
            "Parameters:\n"
            "    tree ({name: str, children?: list[Node]}, required): The "
            "tree.\n"
            '    choice ("x" | 1 | null, default "x")\n'
            '    same ("x" | 1 | null)\n'
            "    either (int | None)\n    both ({p?: Any, q?: 5})\n"
            "    map (dict[str, float])\n    gone (Any)\n    far (Any)\n"
            "(*, a: str, b: int) <tool web.t(tree, choice=..., same=..., "
            "either=..., both=..., map=..., gone=..., far=...)>\n",
            loaded=("web",), tools={"web": [
                {"name": "t", "inputSchema": REFERRING},
                {"name": "merged", "inputSchema": MERGED}]})

    def test_large_ones_are_bounded(self):
        def wide(depth):
            return {"type": "object", "properties": {
                letter: {"$ref": "#/$defs/n%d" % (depth + 1)}
                for letter in "abcdefghij"}}
        schemas = [
            deep(), {"$defs": {"n%d" % n: wide(n) for n in range(30)},
                     **wide(0)},
            {"properties": {"x" * 100000: {"default": "y" * 100000},
                            "y": {"enum": ["z" * 10000] * 500}}},
            {"properties": {"n%d" % n: {"description": "d" * 1000}
                            for n in range(10000)}}]
        self.prints("""
import inspect, pydoc, time
for name in dir(mcp_web):
    tool = mcp_web[name]
    begun = time.process_time()
    text = str(inspect.signature(tool)) + tool.__doc__ + repr(tool)
    print(len(text) < 100000, time.process_time() - begun < 2)
    pydoc.render_doc(tool)
""", "True True\n" * 4, loaded=("web",), tools={"web": [
            {"name": "t%d" % number, "inputSchema": schema,
             "outputSchema": schema, "description": "x" * 1000000}
            for number, schema in enumerate(schemas)]})


class Lazy(Base):
    """Tools before the list of tools has come."""

    @unittest.skipIf(sys.version_info < (3, 11), OLDER)
    def test_a_call_does_not_hold_up_the_loop(self):
        """The list never comes; the loop runs on."""
        self.prints("""
import asyncio
async def main():
    calls = [mcp_web.get(url='u') for _ in range(3)]
    print(*(repr(call)[:20] for call in calls), mcp_fs.echo)
    print((await mcp_fs.echo(a=1)).data)
    done, late = await asyncio.wait(
        [asyncio.ensure_future(call) for call in calls], timeout=0.05)
    print(len(done), len(late))
    for task in late:
        task.cancel()
asyncio.run(main())
""", "<call of web.get, no <call of web.get, no <call of web.get, no "
            "<tool fs.echo()>\n{'a': 1}\n0 3\n", tools={"web": HANG},
                    loaded=("fs", "web"))

    def test_one_list_for_all(self):
        got = self.prints("""
import asyncio
rs = await asyncio.gather(*(mcp_fs.echo(i=i) for i in range(300)),
                          *(runtime.call_tool('fs', 'echo', {'i': i})
                            for i in range(300)))
print(len(rs))
""", "600\n")
        self.assertEqual(
            len([f for f in got.relay.frames if b"list_tools" in f]), 1)

    def test_shared_by_threads_and_loops(self):
        """Some of those who wait for the list give up."""
        self.prints("""
import asyncio, threading
out = []
def sync(timeout):
    try:
        out.append(mcp_fs.echo(i=1).result(timeout).data['i'])
    except TimeoutError:
        out.append(0)
def loop():
    async def main():
        calls = [asyncio.ensure_future(mcp_fs.echo(i=1)) for _ in range(20)]
        await asyncio.sleep(0)
        calls[0].cancel()
        rs = await asyncio.gather(*calls, return_exceptions=True)
        out.extend(r.data['i'] for r in rs[1:])
    asyncio.run(main())
threads = [threading.Thread(target=sync, args=(t,)) for t in [0, None] * 10]
threads += [threading.Thread(target=loop) for _ in range(5)]
for t in threads: t.start()
for t in threads: t.join()
print(len(out), sum(out) >= 105)
""", "115 True\n")

    @unittest.skipIf(sys.version_info < (3, 11), OLDER)
    def test_names_that_are_not_there(self):
        """A call is believed until it is awaited; all else is looked up."""
        self.prints("""
def tell(f):
    try:
        print(f())
    except (AttributeError, TypeError) as error:
        print(type(error).__name__, error)
call = mcp_my_git.lgo(a=1)
tell(lambda: call.result())
tell(lambda: hasattr(mcp_web, 'raed') or getattr(mcp_web, 'raed', 'none'))
tell(lambda: mcp_fs.tools)
tell(lambda: mcp_fs.readFile(path="a").result().data)
tell(lambda: mcp_fs.readFiles(path=1).result())
tell(lambda: mcp_my_git.Class is mcp_my_git.class_)
try:
    await mcp_mute.nope()
except runtime.MCPError as error:
    print(error)
""", "AttributeError server my-git has no tool 'lgo'; did you mean log?\n"
            "none\n"
            "AttributeError server fs has no tool 'tools'; it has: "
            "barrier, echo, fail, hang_up, keep, never, odd0, odd1, odd10, "
            "odd11, odd12, odd13, odd2, odd3, odd4, odd5, odd6, odd7, odd8, "
            "odd9, ...\n{'path': 'a'}\n"
            "AttributeError server fs has no tool 'readFiles'; did you mean "
            "read_file or write_file or release?\nTrue\n"
            "mute: it does not answer; its last words: oops\n",
                    loaded=("fs", "my-git", "web", "mute"))

    def test_spellings(self):
        """Case, '_' and '-' may differ where one tool is meant, no more."""
        names = ["read_file", "list_v11", "fs_copy", "get_user", "getUser"]
        call = "print(mcp_fs[%r](path=1).result().path)"
        told = "server fs has no tool %r; did you mean %s?"
        for name, said in (
                ("read_file", 1), ("readFile", 1), ("READ-FILE", 1),
                ("readfile", 1), ("getUser", 1), ("list_V11", 1),
                ("list_v1_1", told % ("list_v1_1", "list_v11")),
                ("list_v1__1", told % ("list_v1__1", "list_v11")),
                ("list-v.11", told % ("list-v.11", "list_v11")),
                ("copy", told % ("copy", "fs_copy")),
                ("fs_read_file", told % ("fs_read_file", "read_file")),
                ("GET_USER", told % ("GET_USER", "get_user or getUser"))):
            with self.subTest(name):
                got = run("""
try:
    %s
except KeyError as error:
    print(error.args[0])
""" % (call % name), tools={"fs": [tool(each) for each in names]})
                self.assertTrue(got.out.startswith(str(said)), got.out)
                self.assertEqual(len(got.relay.calls), said == 1)

    def test_positional(self):
        """Before the tools are known, they are looked up when it is awaited.
        """
        self.prints("""
print(mcp_fs.read_file('x').result().data)
try:
    call = mcp_mute.get('x')
    print('made')
    await mcp_mute.get('x')
except runtime.MCPError as error:
    print(error)
""", "{'path': 'x'}\nmade\nmute: it does not answer; its last words: oops\n",
                    err=".*never awaited.*", loaded=("fs", "mute"))


if __name__ == "__main__":
    unittest.main()
