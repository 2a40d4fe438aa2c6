"""What the bootstrap makes of 'await' in functions that are not async, and of
f-strings as newer versions of Python have them.

    /usr/bin/python3 tests/box/test_newer.py [-v] [-k PATTERN]
"""
import sys
import unittest

from mcp_relay import Base

NOTE = "note: the code did not compile, and ran %s\n"
WAITS = NOTE % "with 'async', or runtime.wait.., in functions that use 'await'"
STRINGS = NOTE % "with f-strings as Python 3.%d has them" % \
    sys.version_info[1]


class Awaits(Base):
    """Functions that await and are not async."""

    def test_those_that_wait(self):
        for code, out in (
                ("def f(a):\n    r = await mcp_fs.echo(a=a)\n    return r.data"
                 "\nprint(f(1), [f(x) for x in (2, 3)])\n",
                 "{'a': 1} [{'a': 2}, {'a': 3}]\n"),
                ("class A:\n    def __init__(self):\n        self.r = (await "
                 "mcp_fs.echo(a=1)).data\n    @property\n    def b(self):\n"
                 "        return (await (\n            mcp_fs.echo(b=2)\n"
                 "        )).text\nprint(A().r, A().b)\n",
                 "{'a': 1} {\"b\":2}\n"),
                ("print([*map(lambda x: (await mcp_fs.echo(a=x)).a, [1, 2])])",
                 "[1, 2]\n"),
                ("import asyncio\nasync def g(x):\n    await asyncio.sleep(0)\n"
                 "    return x\ndef f():\n    return await g(await g(5))\n"
                 "print(f())", "5\n"),
                ("def f(a):\n    return (await mcp_fs.echo(\u00e4=a)).text\n"
                 "print(f((await mcp_fs.echo(a='\u00f6')).a))\n",
                 '{"\u00e4":"\u00f6"}\n')):
            with self.subTest(code):
                self.prints(code, out, WAITS)

    def test_those_that_are_async(self):
        for code, out in (
                ("def f(a):\n    return (await mcp_fs.echo(a=a)).a\n"
                 "print(await f(1))\n", "1\n"),
                ("class A:\n    @staticmethod\n    def f(a):\n"
                 "        return (await mcp_fs.echo(a=a)).a\n"
                 "async def main():\n    print(await A.f(1))\nawait main()\n",
                 "1\n")):
            with self.subTest(code):
                self.prints(code, out, WAITS)

    def test_futures(self):
        self.prints("import asyncio\ndef f():\n    return await asyncio.gather("
                    "mcp_fs.echo(a=1), mcp_fs.echo(a=2))\nprint(f()[1].a)\n",
                    "2\n", "(.*DeprecationWarning.*)?" + WAITS)

    def test_what_is_left(self):
        for code in ("def f():\n    return f'{await mcp_fs.echo()}'\nf()",
                     "def f():\n    async with x: await y\nf()",
                     "class A:\n    x = await mcp_fs.echo()"):
            with self.subTest(code):
                self.prints(code, "", ".*SyntaxError: .*\n", 1)


class Strings(Base):
    """f-strings that hold quotes and backslashes."""

    TEXT = r'''
d = {"a": {"b": 1}, "x": 3.14159, "l": ["p", "q"]}
print(f"{d["a"]["b"]}: {d["x"]:.2f} {d["x"]!r:>{5 + 5}}|{{z}}")
print(f'{d['l']} {f'{d['l'][0]}'}', "a{b}" f"{d["l"][1]}"
      ' c')  # f"{d["none"]}"
print(f"L:\n{"\n".join(d["l"])} \N{DIGIT ONE}", rf"\d{d["l"][0]}")
print(f"""{d["l"][0] if d["x"] != 3 else "n"} "q" {'"'}""")
print(f"{", ".join(f"{k}={"y" if k else ""}" for k in d)}".upper())
'''

    def test_strings(self):
        self.prints(self.TEXT, """\
1: 3.14    3.14159|{z}
['p', 'q'] p a{b}q c
L:
p
q 1 \\dp
p "q" "
A=Y, X=Y, L=Y
""", STRINGS if sys.version_info < (3, 12) else "")

    @unittest.skipIf(sys.version_info >= (3, 12), "it compiles")
    def test_with_await_and_in_a_fence(self):
        self.prints('''print(f"{(await mcp_fs.echo(a=1))["a"]}")''', "1\n",
                    STRINGS)
        self.prints('''def f(r):
    return (await mcp_fs.echo(a=r["a"])).text
print(f"{f({"a": 2})}")''', '{"a":2}\n', NOTE % (
            "with f-strings as Python 3.%d has them, with 'async', or "
            "runtime.wait.., in functions that use 'await'" %
            sys.version_info[1]))

    @unittest.skipIf(sys.version_info >= (3, 12), "it compiles")
    def test_what_is_left(self):
        for code in ('''x = {"a": 1}\nprint(f"{x["a"]=}")''',
                     '''print(f"{x["a"}")''', '''print(f"{x["a"]''',
                     '''print(f"{x["a"] # }")'''):
            with self.subTest(code):
                self.prints(code, "", ".*SyntaxError: .*\n", 1)


if __name__ == "__main__":
    unittest.main()
