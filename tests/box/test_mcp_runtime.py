"""What code sees of worker/box/python/mcp: the module runtime, and results.

    /usr/bin/python3 tests/box/test_mcp_runtime.py [-v] [-k PATTERN]

The Python that runs the tests is the Python that is tested.
"""
import unittest

from mcp_relay import Base, run


class Runtime(Base):
    """The functions of mcp.runtime."""

    def test_a_server_says_how_it_is_used(self):
        """Loaded or not, and one that does not start is described, too."""
        self.prints("""
print(runtime.describe_server('fs')['instructions'])
await runtime.load_server('fs')
print(runtime.describe_server('fs')['instructions'])
print(runtime.describe_server('mute').get('error'))
print([runtime.describe_server(name).get('instructions')
       for name in ('web', 'mute')])
""", "Paths are absolute.\n" * 2 + "it does not answer; its last words: oops\n"
                    "[None, None]\n", loaded=())

    def test_names_of_the_earlier_bridge(self):
        self.prints("""
import mcp.servers, os
print(mcp.servers.__all__)
from mcp.servers.fs import TOOLS
print([tool['alias'] for tool in TOOLS][:2],
      TOOLS[0]['input_schema'] == TOOLS[0]['inputSchema'])
print(mcp_fs.TOOL_MAP['read_file']['name'], len(mcp_fs.TOOL_MAP) == len(TOOLS))
for call in (runtime.list_tools_sync, runtime.list_tools):
    try:
        call()
    except runtime.MCPError as error:
        print(error)
print(runtime.list_files())
os.makedirs(os.environ['HOME'] + '/in/a', exist_ok=True)
open(os.environ['HOME'] + '/in/a/b.txt', 'w').close()
print(runtime.list_files()[0][-8:])
""", "['fs', 'mute', 'my_git', 'web']\n"
            "['read_file', 'write_file'] True\nread_file True\n" +
            "list_tools() needs the name of a server; there are: fs, my-git, "
            "web, mute\n" * 2 + "[]\n/a/b.txt\n")

    def test_refusals(self):
        self.prints("""
E = runtime.MCPError
for call in (lambda: runtime.call_tool('fs', 'raed_file'),
             lambda: runtime.call_tool('web', 'gte'),
             lambda: runtime.call_tool('fss', 'get'),
             lambda: runtime.call_tool('fs', 5),
             lambda: runtime.call_tool(5, 'echo'),
             lambda: runtime.call_tool('fs', 'echo', [1]),
             lambda: runtime.call_tool('fs', 't' * 2000),
             lambda: mcp_fs.echo(a='x' * (16 << 20)),
             lambda: mcp_mute.tool,
             lambda: mcp_fs.echo().done):
    try:
        call().result()
    except (AttributeError, E, TypeError) as error:
        print(type(error).__name__, error)
""", "MCPError fs.raed_file: there is no such tool; did you mean read_file or "
            "write-file?\n"
            "MCPError web.gte: there is no such tool; did you mean get?\n"
            "MCPError fss: there is no such server; did you mean fs?; there "
            "are: fs, my-git, web, mute\n"
            "TypeError a tool is given by its name, not by an object of type "
            "int\n"
            "TypeError a server is given by its name, not by an object of "
            "type int\n"
            "TypeError arguments must be a dict, not an object of type list\n"
            "MCPError fs: the name of the tool is too long\n"
            "MCPError fs.echo: the arguments have 16777224 bytes as JSON; "
            "16777216 are allowed\n"
            "MCPError mute: it does not answer; its last words: oops\n"
            "AttributeError the call of fs.echo has no result yet, and so no "
            "'done': write 'await' before it, or '.result()' behind it where "
            "there is no 'await'\n",
            ".*never awaited.*", loaded=("fs", "mute"))

    def test_refused_arguments_are_told(self):
        """Where the code catches the error and does not look at it."""
        note = "note: the code caught an error and did not show it: " \
            "fs.read_file: missing argument \"path\"%s\n"
        call = "try:\n    await mcp_fs.read_file(x=1)\nexcept %s\n"
        for code, out, err in (
                (call % "Exception:\n    print(0)", "0\n", note % ".*"),
                (call % "Exception as e:\n    print(type(e))",
                 "<class 'mcp.runtime.ArgumentError'>\n", note % ".*"),
                ("for _ in range(9):\n    try:\n        "
                 "mcp_fs.read_file(x=1).result()\n"
                 "    except TypeError:\n        pass", "", note % ".*"),
                (call % "Exception as e:\n    print(len(str(e)) > 9)",
                 "True\n", ""),
                (call % "Exception as e:\n    print(len(repr(e)) > 9)",
                 "True\n", ""),
                (call % "Exception as e:\n    print(len(e.message) > 9)",
                 "True\n", ""),
                (call % "Exception as e:\n    print(len(e.args))", "1\n",
                 "")):
            with self.subTest(code):
                got = self.prints(code, out, err)
                self.assertLessEqual(got.err.count("note:"), 1)
        got = self.prints(call % "Exception:\n    1 / 0", "", ".*", 1)
        self.assertNotIn("note:", got.err)

    def test_never_awaited(self):
        self.prints("""
def f():
    z = mcp_fs.echo(a=1)
f()
x = mcp_fs.echo()
y = mcp_fs.echo()
y.close()
print(repr(x)[:31])
""", "<call of fs.echo, not awaited: \n",
            "note: MAIN:3: fs.echo was called but never awaited, so nothing "
            "was sent: write 'await' before it, or '.result\\(\\)' behind it "
            "where there is no 'await': z = mcp_fs.echo\\(a=1\\)\n"
            "note: MAIN:5: fs.echo was .*: x = mcp_fs.echo\\(\\)\n")

    def test_never_awaited_in_a_loop(self):
        """One line has one note, and many lines leave room for others."""
        line = "note: MAIN:%d: fs.echo was called but never awaited, [^\n]*\n"
        self.prints("calls = [mcp_fs.echo(a=n) for n in range(40)]\n"
                    "del calls\nfor n in range(3):\n"
                    "    x = mcp_fs.echo(a=n)\n    x = 1\n"
                    "    await mcp_fs.echo(a=n)\n", "",
                    line % 1 + line % 4)
        got = self.prints("x = mcp_fs.echo()\nx = 1\n" * 20, "", "note: .*")
        self.assertEqual(got.err.count("note: "), 8)


class NotAwaited(Base):
    """Code that uses results without waiting for them, as in other clients."""

    def test_results_are_there(self):
        for code, out in (
                ("r = mcp_fs.echo(a=1)\nprint(r.data, r['content'][0].type)",
                 "{'a': 1} text\n"),
                ("print(mcp_fs.echo(a=1))", '{"a":1}\n'),
                ("print(f'{mcp_fs.echo(a=1)}')", '{"a":1}\n'),
                ("print(mcp_fs.echo(a=1)['a'], 'isError' in mcp_fs.echo())",
                 "1 False\n"),
                ("class C:\n    def f(self):\n        return mcp_fs.echo(a=1)"
                 "\nprint(C().f().data['a'] == 1)", "True\n"),
                ("from concurrent.futures import ThreadPoolExecutor as P\n"
                 "with P(3) as p:\n    print(sum(p.map(lambda n: "
                 "mcp_fs.echo(a=n).data['a'], range(9))))", "36\n"),
                ("for t in runtime.list_tools('web'):\n    print(t['name'])",
                 "get\n"),
                ("print(mcp_fs.echo(a=1).data)\n"
                 "print((await mcp_fs.echo(a=2)).data)",
                 "{'a': 1}\n{'a': 2}\n"),
                ("import asyncio\nc = mcp_fs.echo(a=1)\n"
                 "print(await asyncio.gather(c, c) == [c, await c])", "True\n"),
                ("print(bool(mcp_fs.echo(a=1)), mcp_fs.echo() == 5)",
                 "True False\n")):
            with self.subTest(code):
                self.prints(code, out)

    def test_statements_are_carried_out(self):
        for code in ("mcp_fs.echo(a=1)", "def f():\n    mcp_fs.echo(a=1)\nf()",
                     "await mcp_my_git.log()\nmcp_fs.echo(a=1)",
                     "runtime.call_tool('fs', 'echo', {'a': 1})",
                     "for n in 1,: mcp_fs.echo(a=n)"):
            with self.subTest(code):
                got = self.prints(code, "")
                self.assertEqual(got.relay.calls[-1],
                                 ("fs", "echo", '{"a":1}'))
        self.prints("mcp_fs.fail()\nprint(1)", "", "Traceback .*MCPError.*", 1)


class Forgotten(Base):
    """Lines about calls that were forgotten, and about no others."""

    def test_an_exception_ends_the_code(self):
        """The calls that it made in vain were not forgotten."""
        for code in ("await asyncio.gather(mcp_fs.echo(), mcp_fs.ty())",
                     "[mcp_fs.echo(), {1: mcp_fs.raw()}, mcp_fs.ty()]",
                     "[mcp_fs[n]() for n in ('echo', 'raw', 'ty')]",
                     "print(mcp_fs.echo(), 1 / 0)",
                     "async def f():\n    g(mcp_fs.echo(), mcp_fs.ty())\n"
                     "g = asyncio.gather\nasyncio.run(f())",
                     "def f(n):\n    return [mcp_fs.echo(), f(n - 1) if n "
                     "else mcp_fs.ty()]\nf(3)"):
            with self.subTest(code):
                self.prints("import asyncio\ndir(mcp_fs)\n" + code, "",
                            "Traceback .*Error: .*", 1)

    def test_one_that_was_forgotten_before(self):
        line = "note: MAIN:%d: fs.echo was called but never awaited, [^\n]*\n"
        for code in ("x = [mcp_fs.echo()]\ndel x",
                     "x = mcp_fs.echo()\nx = 1",
                     "len([mcp_fs.echo(), mcp_fs.echo()])",
                     "def f():\n    x = mcp_fs.echo()\nf()"):
            at = 3 if "def" in code else 2
            with self.subTest(code):
                self.prints(
                    "dir(mcp_fs)\n%s\nprint(mcp_fs.raw(), mcp_fs.ty())"
                    % code, "", "Traceback .*has no tool 'ty'[^\n]*\n"
                    + line % at, 1)
                self.prints("import sys\n%s\nsys.exit(3)" % code, "",
                            line % at, 3)

    def test_the_exception_is_caught(self):
        line = "note: MAIN:%d: fs.echo was called but never awaited, [^\n]*\n"
        self.prints("""dir(mcp_fs)
try:
    print(mcp_fs.echo(), mcp_fs.ty())
except AttributeError:
    pass
mcp_fs.raw(json='{}').result()
try:
    print(mcp_fs.echo(), mcp_fs.ty())
except AttributeError:
    1 / 0
""", "", "Traceback .*ZeroDiv[^\n]*\n" + line % 3 + line % 8, 1)


class Values(Base):
    """What is passed arrives as it was."""

    def test_on_the_wire(self):
        rows = (
                ("0.1", "0.1"), ("-0.0", "-0.0"), ("1e22", "1e+22"),
                ("2 ** 64", "18446744073709551616"), ("-7", "-7"),
                ("5e-324", "5e-324"), ("True", "true"), ("None", "null"),
                (r"'\0'", r'"\u0000"'), (r"'a\n\"\\/'", r'"a\n\"\\/"'),
                (r"'\u00e9\U0001f600\u2028'", '"\u00e9\U0001f600\u2028"'),
                ("(1, (2,), [])", "[1,[2],[]]"), ("{}", "{}"),
                ("{'b': 1, 'a': {'': 2}}", '{"b":1,"a":{"":2}}'),
                ("enum.IntEnum('E', 'A').A", "1"),
                ("collections.OrderedDict(z=1, a=2)", '{"z":1,"a":2}'),
                ("collections.namedtuple('N', 'x')(1)", "[1]"),
                ("type('S', (str,), {})('s')", '"s"'))
        got = self.prints("import collections, enum\n" + "".join(
            "mcp_fs.echo(x=%s).result()\n" % value for value, _ in rows), "")
        self.assertEqual([call[2] for call in got.relay.calls],
                         ['{"x":%s}' % wire for _, wire in rows])

    def test_back_and_forth(self):
        there = ('{"a":[0.1,1e400,-1E+400,1e-400,0e5,18446744073709551616,'
                 '-3,%s],"b":"\\u0000\\ud83d\\ude00","":{"z":1,"a":{}},'
                 '"n":null}' % ("9" * 5000 + "1"))
        here = there.replace("\\ud83d\\ude00", "\U0001f600").replace(
            "0e5", "0.0")
        got = self.prints("""
import copy, math, pickle, sys
sys.set_int_max_str_digits(640) if hasattr(
    sys, 'set_int_max_str_digits') else None
d = mcp_fs.raw(json='{"structuredContent":' + %r + '}').result().data
print(d['a'][1], repr(d['a'][2]), d['a'][3] + 0, math.isinf(d['a'][1]))
print(copy.deepcopy(d['a'])[1], pickle.loads(pickle.dumps(d['a'][2])))
print(d['a'][7] %% 10 ** 6, d['a'][7].bit_length())
mcp_fs.echo(**d).result()
""" % there, "1e400 -1E+400 0.0 True\n1e400 -1E+400\n999991 16613\n")
        self.assertEqual(got.relay.calls[1][2], here)

    def test_unreadable_answers_fail_alone(self):
        self.prints(r"""
import asyncio
async def main():
    rs = await asyncio.gather(
        mcp_fs.raw(json='[' * 200 + ']' * 200), mcp_fs.echo(a=1),
        mcp_fs.raw(json='{"structuredContent":{"a":"\\ud800"}}'),
        mcp_fs.raw(json='nonsense'), mcp_fs.raw(json='{"a":tru}'),
        mcp_fs.raw(json='[' * 99999), mcp_fs.echo(b=2),
        return_exceptions=True)
    for r in rs:
        print(type(r).__name__, str(getattr(r, 'text', r) or r.data)[:59])
asyncio.run(main())
""", """MCPError fs.raw: the answer is no result of a tool
Result {"a":1}
Result {'a': '\\ud800'}
MCPError fs.raw: Python cannot read the answer (ValueError: it is no
MCPError fs.raw: Python cannot read the answer (ValueError: it is no
MCPError fs.raw: Python cannot read the answer (RecursionError: maxi
Result {"b":2}
""")

    def test_refused_arguments(self):
        rows = (
                ("{'a': [1, 2, 3, float('nan')]}", 'ValueError arguments["a"]'
                 '[3] is nan, which JSON cannot hold: use None or a string'),
                ("{'a': float('-inf')}", 'ValueError arguments["a"] is -inf'),
                (r"{'a': ['x\ud800']}", 'ValueError arguments["a"][0] has a '
                 'lone surrogate at index 1, which is no character'),
                (r"{'b': {'\udc00': 1}}", 'ValueError arguments["b"]["'),
                ("{'a': {1j}}", 'TypeError arguments["a"][0] is of type '
                 'complex, '
                 'which JSON cannot hold: JSON knows None, bool,'),
                ("{'a': iter([])}",
                 'TypeError arguments["a"] is of type list_iterator'),
                ("{'a': map(str, __import__('itertools').count())}",
                 'TypeError what makes the items of an argument makes more '
                 'than 20000: write a list'),
                ("{'a': b'x'}", 'TypeError arguments["a"] is of type bytes'),
                ("{'a': {1: 2}}", 'TypeError arguments["a"] has a key of '
                 'type int: keys must be strings'),
                ("{1: 2}", "TypeError arguments has a key of type int"),
                ("{'a': ({'b\"': [[object]]},)}", 'TypeError arguments["a"]'
                 '[0]["b\\""][0][0] is of type type'),
                ("circle", 'ValueError arguments["a"]["a"]["a"]'))
        got = run("circle = {}\ncircle['a'] = circle\n" + "".join("""
try:
    runtime.call_tool('fs', 'echo', %s)
except (TypeError, ValueError) as error:
    print(type(error).__name__, error)
""" % value for value, _ in rows))
        for line, (_, says) in zip(got.out.splitlines(), rows):
            self.assertEqual(line[:len(says)], says)
        self.assertEqual((len(got.out.splitlines()), got.err), (len(rows), ""))
        self.assertEqual(got.relay.frames, [])


class Timeouts(Base):
    """result(timeout)."""

    def test_late(self):
        self.prints("""
import threading, time
call = mcp_fs.keep(a=1)
for timeout in 0.05, 0, 0.01:
    try:
        call.result(timeout)
    except TimeoutError as error:
        print(error)
released = mcp_fs.release(b=2).result(timeout=60)
call.result(60)
print(released.data, call.result(0).data)
t = threading.Thread(target=mcp_fs.keep(c=3).result)
t.start()
time.sleep(0.05)
try:
    mcp_fs.never().result(0.05)
except TimeoutError:
    print('late')
mcp_fs.release().result(1e9)
t.join()
try:
    mcp_fs.echo().result('soon')
except TypeError:
    print('no number')
""", "".join("fs.keep has not answered within %s seconds: to wait longer, use "
             ".result() again\n" % n for n in ("0.05", "0", "0.01"))
            + "{'b': 2} {'a': 1}\nlate\nno number\n", "(note: MAIN.*)?")


if __name__ == "__main__":
    unittest.main()
