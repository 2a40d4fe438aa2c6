"""Code that compiles runs as it was written: nothing in it is changed, called
or added, and an error says what would be right.

    /usr/bin/python3 tests/box/test_as_written.py [-v] [-k PATTERN]
"""
import re
import sys
import unittest

from mcp_relay import Base, tool

TOOLS = {"s": [tool("pay"), tool("list"), tool("delete_user")]}
TWICE = """\
import asyncio
async def f(x):
    await asyncio.sleep(0)
    return x * 2
"""
# Code, what it prints, and what its last expression answers.
RUNS = (
    ('"""mcp_fs.echo(id=\'1\')"""', "", '"mcp_fs.echo(id=\'1\')"'),
    ("'print(1)'", "", "'print(1)'"),
    ("'''\nimport os\nprint(os.sep)\n'''", "", r"'\nimport os\nprint(os.sep)"
     r"\n'"),
    ("import math; math.pi", "", "3.141592653589793"),
    ("x = 5\nx; ", "", None),
    ("x = 5\nx  # one;", "", "5"),
    ("x = '''\nprint(1)\n'''; x", "", r"'\nprint(1)\n'"),
    # Strings whose last lines would compile by themselves.
    ('for i in 1, 2:\n    t = """# A\nbody\n# end"""', "", None),
    ('def f():\n    return """# T\nintro\n## end"""', "", None),
    ('t = """# T\nintro\n## end"""\nprint(t[:3])', "# T\n", None),
    ('d = {}\nd["k"] = """# T\nintro\n## end"""\nimport atexit\n'
     'atexit.register(lambda: print(len(d)))\nd["l"] = """a\n# b"""', "2\n",
     None),
    ('"a"\n"""a\nx = 1 # """', "", "'a\\nx = 1 # '"),
    ("sum([\n1,\n2,\n])", "", "3"),
    ("x = 3 + \\\n4\nx * \\\n2", "", "14"),
    ("@staticmethod\ndef f(): pass\n7", "", "7"),
    ("async def main():\n    print('ran')", "", None),
    ("def main():\n    return 5\nif __name__ == '__main__':\n    main()", "",
     "5"),
    ("import asyncio\nasync def main():\n    return 5\n"
     'if "__main__" == __name__:\n    asyncio.run(main())', "", None),
    ("if __name__ == '__main__':\n    5\nelse:\n    6", "", None),
    ("if __name__ != '__main__':\n    5", "", None),
    ("""\
class Box:
    def write(self, what):
        self.what = what
x, r = Box(), mcp_fs.echo(a=1).result()
x.write(r)
print(x.what is r)""", "True\n", None),
    ("import asyncio, json, os, re\nprint(asyncio.gather.__module__, "
     "json.loads.__module__, os.path.exists.__module__, "
     "asyncio.run.__module__)",
     "asyncio.tasks json genericpath asyncio.runners\n", None),
)
# Code, its error, and the hint below it.
FAILS = (
    ("any((await mcp_s.pay(card=c)).data['ok'] for c in (1, 2))",
     "TypeError: 'async_generator' object is not iterable",
     "a generator with 'await' is asynchronous: write a list, as in "
     r"any\(\[await f\(x\) for x in y\]\)"),
    (TWICE + "print(','.join(await f(x) for x in 'ab'))",
     "TypeError: can only join an iterable", "a generator with 'await' .*"),
    (TWICE + "await f(1)\nprint(asyncio.run(f(2)))", "RuntimeError: asyncio.run"
     "() cannot be called from a running event loop", "code with 'await' at "
     "top level runs inside an event loop.*"),
    (TWICE + "print(f(1) + 1)", "TypeError: unsupported operand type(s) for +: "
     "'coroutine' and 'int'",
     "write 'await' before the call of the async function"),
    ("x = true", "NameError: name 'true' is not defined",
     "this is Python: write True for true"),
    ("Counter('aab')", "NameError: name 'Counter' is not defined",
     "this call started afresh: define or import Counter in this code"),
    ("await session.call_tool('pay', {})",
     "NameError: name 'session' is not defined",
     r"there is no session here: write await mcp_<alias>.<tool>\(...\), .*"),
    ("default_api.s_pay(card=1)", "NameError: name 'default_api' is not "
     "defined", "there is no default_api here: .*"),
    ("final_answer(2)", "NameError: name 'final_answer' is not defined",
     r"there is no final_answer\(\) here: .*"),
    ("await call_tool('s', 'pay', {})", "NameError: name 'call_tool' is not "
     "defined", "write runtime.call_tool"),
    ("await servers.s.pay()", "NameError: name 'servers' is not defined",
     r"the servers are mcp_<alias>, or mcp_servers\['name'\]"),
    ("await s.pay(card=1)", "NameError: name 's' is not defined",
     r"the server s is mcp_s: await mcp_s.tool\(...\)"),
    ("await mcp__s__pay(card=1)", "NameError: name 'mcp__s__pay' is not "
     "defined", r"the server s is mcp_s, and its tools are called as "
     r"mcp_s.pay\(...\)"),
    ("exec('print(mcp_s)', {})", "NameError: name 'mcp_s' is not defined",
     "mcp_s is not defined here: write 'import mcp_s' first"),
    ("print(mcp_my-git.log())", "NameError: name 'mcp_my' is not defined",
     "the server my-git is mcp_my_git"),
    ("import s", "ModuleNotFoundError: No module named 's'", "the server s is "
     "mcp_s: .*"),
    ("import nest_asyncio", "ModuleNotFoundError: No module named "
     "'nest_asyncio'", "leave it out: 'await' works at top level"),
    ("from mcp import ClientSession", "ImportError: cannot import name "
     "'ClientSession' from 'mcp': this is not the MCP SDK; call servers with "
     "await mcp_<alias>.<tool>(...), ", None),
    ("await pay(card=1)", "NameError: name 'pay' is not defined",
     r"a tool is called as await mcp_<alias>.pay\(...\): await .*"),
    ("def f():\n    return await mcp_s.pay()\nf()",
     "SyntaxError: 'await' outside async function",
     "'await' is for async functions: .*"),
)


class AsWritten(Base):
    """What runs, what it answers, and what calls nothing."""

    def test_what_runs(self):
        for code, out, text in RUNS:
            with self.subTest(code):
                got = self.prints(
                    code, out, "(note: nothing was printed: .* was defined "
                    "and not called\n|note: the code is one string, and "
                    "nothing in it ran: .*)?", echo=True, silent=not out)
                self.assertEqual(got.relay.calls, [
                    ("fs", "echo", '{"a":1}')] if ".write" in code else [])
                self.assertEqual(got.relay.echoed, [text] if text else [])

    def test_errors(self):
        for code, error, hint in FAILS:
            with self.subTest(code):
                got = self.prints(code, "", r".*\n%s[^\n]*\n%s.*" % (
                    re.escape(error), "hint: %s\n" % hint if hint else ""), 1,
                                  echo=True, others=("s",), tools=TOOLS)
                self.assertEqual(got.relay.calls, [])
                self.assertNotIn("/worker/box/", got.err)

    def test_coroutines_and_futures_are_not_run(self):
        for code, kind, err in (
                ("async def main():\n    print('ran')\nmain()",
                 "coroutine object main", "MAIN:3: RuntimeWarning: coroutine "
                 "'main' was never awaited\n  main\\(\\)\n.*note: the last "
                 "expression is a coroutine, and nothing has awaited it: .*"),
                ("import asyncio\nasyncio.gather(mcp_fs.echo(a=1))",
                 "_GatheringFuture", ".*note: the last expression is a future, "
                 "and nothing has awaited it: .*"),
                (TWICE + "await f(1)\nasyncio.gather(f(1))",
                 "_GatheringFuture", ".*note: 1 task of f.* had not ended "
                 "when the code did, and was cancelled: .*")):
            with self.subTest(code):
                got = self.prints(code, "", err, echo=True)
                self.assertEqual(got.relay.calls, [])
                self.assertRegex(got.relay.echoed[0], "^<" + kind)


if __name__ == "__main__":
    unittest.main()
