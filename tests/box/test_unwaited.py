"""The 'await' that code leaves out before coroutines of its own.

    /usr/bin/python3 tests/box/test_unwaited.py [-v] [-k PATTERN]
"""
import unittest

from mcp_relay import Base

TWICE = """
import asyncio
async def f(x):
    await asyncio.sleep(0)
    return x * 2
async def g(x):
    print('g', x)
"""
NOTE = "note: 'await' was missing before %s, and was added\n"


class Unwaited(Base):
    """Where it is added, and where it is not."""

    def both(self, code, out, name):
        """Run code at top level, and in a function that is run."""
        note = NOTE % name.replace("(", r"\(").replace(")", r"\)")
        self.prints(TWICE + code, out, note, echo=True, silent=False)
        self.prints(TWICE + "async def main():\n" + "".join(
            "    %s\n" % line for line in code.split("\n")) +
            "asyncio.run(main())\n", out, note, echo=True, silent=False)

    def test_calls_of_coroutines(self):
        for code, out in (
                ("print(f(1))", "2\n"),
                ("print(f(1) + f(2))", "6\n"),
                ("print(f'{f(1)} {f(2):>3}')", "2   4\n"),
                ("n = f(1)\nprint(n, n + 1)", "2 3\n"),
                ("n = 0\nfor x in 1, 2:\n    n += f(x)\nprint(n)", "6\n"),
                ("print(sum([f(x) for x in (1, 2)]))", "6\n"),
                ("print(sum(f(x) for x in (1, 2)))", "6\n"),
                ("n = [f(x) for x in (1, 2)]\nprint(max(n), sum(n))",
                 "4 6\n"),
                ("print(-f(1), f([1])[0], f('a').upper(), f(1) == 2)",
                 "-2 1 AA True\n"),
                ("if not f(0):\n    print('none')", "none\n"),
                ("a, b = f('a')\nprint(a, b)", "a a\n"),
                ("for x in f([1]):\n    print(x)", "1\n1\n")):
            with self.subTest(code):
                self.both(code, out, "f()")

    def test_gather(self):
        for code in (
                "r = asyncio.gather(f(1), f(2))\nprint(sum(x for x in r))",
                "r = asyncio.gather(*[f(x) for x in (1, 2)])\n"
                "for x in r:\n    n = x + 2\nprint(n)",
                "a, b = asyncio.gather(f(1), f(2))\nprint(a + b)",
                "print(sum(asyncio.gather(f(1), f(2))))",
                "r = asyncio.gather(f(1), f(2))\n"
                "print({k: v for k, v in zip('ab', r)}['a'] + r[1])"):
            with self.subTest(code):
                self.both(code, "6\n", "asyncio.gather()")

    def test_what_is_left_as_it_is(self):
        for code, out in (
                ("t = asyncio.create_task(f(1))\nprint(await t)", "2\n"),
                ("t = [f(1), f(2)]\nprint(await asyncio.gather(*t))",
                 "[2, 4]\n"),
                ("t = [f(x) for x in (1, 2)]\nfor each in t:\n"
                 "    print(await each)", "2\n4\n"),
                ("t = f(1)\nprint(await asyncio.wait_for(t, 5))", "2\n"),
                ("r = asyncio.gather(f(1), f(2))\nprint(await r)",
                 "[2, 4]\n"),
                ("t = []\nt.append(f(1))\nprint(await t[0])", "2\n"),
                ("t = f(1)\nprint(type(t).__name__)\nprint(await t)",
                 "coroutine\n2\n"),
                ("async def h(f):\n    print(f(1))\nawait h(str)", "1\n"),
                ("import functools\nt = functools.partial(f, 2)\n"
                 "print(await t())", "4\n"),
                ("async def each():\n    yield 1\n"
                 "async for x in each():\n    print(x)", "1\n")):
            with self.subTest(code):
                self.prints(TWICE + code, out, echo=True, silent=False)
        self.prints(TWICE + "g(1)\nprint('end')", "end\n",
                    ".*coroutine 'g' was never awaited.*", echo=True,
                    silent=False)
        # There is no loop to wait in, where code runs one of its own.
        self.prints(TWICE + "def h():\n    return f(1) is None\n"
                    "print(h())\nasyncio.run(g(2))", "False\ng 2\n",
                    ".*never awaited.*", echo=True, silent=False)


if __name__ == "__main__":
    unittest.main()
