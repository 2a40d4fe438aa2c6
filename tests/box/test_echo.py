"""The value of the last expression, which is the answer of silent code.

    /usr/bin/python3 tests/box/test_echo.py [-v] [-k PATTERN]
"""
import re
import unittest

from mcp_relay import Base, tool

READS = tool("get", annotations={"readOnlyHint": True})
ENDED = ("note: %s of %s() had not ended when the code did, and %s cancelled: "
         "keep each, as t = asyncio.create_task(...), and write 'await t'\n")


class Echo(Base):
    """What the relay is given, and when."""

    def echoes(self, code, *texts, out="", err="", status=0, **more):
        """Run code and compare what it echoes."""
        got = self.prints(code, out, err, status, echo=True, **more)
        self.assertEqual(got.relay.echoed, list(texts))
        return got

    def test_values(self):
        for code, text in (
                ("40 + 2", "42"), ("x = 'a'\nx", "'a'"),
                ("\n[1]\n\n#\n", "[1]"), ("f'{1}'  # one", "'1'"),
                ("0", "0"), ("''", "''"),
                ("async def g(): return 5\nawait g()", "5"),
                ("from __future__ import annotations\nx: y = 1\nx", "1"),
                (r"'a (b)\nc'", r"'a (b)\nc'"), (r"'a\nb'", r"'a\nb'"),
                ("import sys\nsys.stdout = None\n5", "5"),
                ("import sys\nsys.stderr.close()\n5", "5"),
                (r"'\ud800'", r"'\ud800'"),
                ("```\n6 * 7\n```", "42")):
            with self.subTest(code):
                err = ".*Markdown fence.*" if "```" in code else ""
                self.echoes(code, text, err=err)

    def test_values_that_cannot_be_shown(self):
        """Python shows no last expression, so none is an error."""
        bad = "class A:\n    def __repr__(self): raise %s\n"
        for code, kind in (
                ("10 ** 5000", "ValueError"),
                (bad % "OSError" + "A()", "OSError"),
                (bad % "MemoryError" + "[A()]", "MemoryError"),
                (bad % "KeyError" + "x = 1, A()\nawait mcp_fs.echo()\ny = x",
                 "KeyError")):
            with self.subTest(code):
                self.echoes(code, err="note: the value of the last expression "
                            "cannot be shown \\(%s\\): print what is needed of "
                            "it\n" % kind)
        self.echoes(bad % "OSError" + "print(1)\nA()", out="1\n", silent=False)

    def test_no_values(self):
        for code in ("None", "1;", "if 1:\n    5", "[].append(1)", "5\npass",
                     "try:\n    1\nfinally:\n    2"):
            with self.subTest(code):
                got = self.echoes(code)
                self.assertEqual(got.relay.frames, [])

    def test_what_was_printed_is_all(self):
        for code, out, err in (
                ("print(1)\n5", "1\n", ""),
                ("import sys\nsys.stderr.write('x')\n5", "", "x"),
                ("import os\nos.system('echo a')\n5", "a\n", ""),
                ("import sys\nsys.stdout.write('a')", "a", "")):
            with self.subTest(code):
                self.echoes(code, out=out, err=err, silent=False)

    def test_nothing_is_left_behind(self):
        self.echoes("import atexit\natexit.register(lambda: print([n for n in "
                    "globals() if '<' in n]))\n1", "1", out="[]\n")

    def test_large_values(self):
        got = self.prints("'\u00e4' * 3000", "", echo=True)
        self.assertRegex(got.relay.echoed[0], "^'\u00e4{900,960} \\.\\.\\. "
                         r"\(6002 bytes in all: print what is needed\)$")
        self.assertLessEqual(len(got.relay.echoed[0].encode()), 2048)
        for code in ("[1] * 40_000_000", "dict.fromkeys(range(9 ** 7))"):
            got = self.prints(code, "", echo=True)
            self.assertRegex(got.relay.echoed[0], r" \.\.\. \(\d+ items in "
                             r"all: print what is needed\)$")

    def test_errors(self):
        self.echoes("1 / 0", err="Traceback .*ZeroDivisionError.*", status=1)
        self.echoes("raise SystemExit(3)\n5", status=3)

    def test_results(self):
        more = {"tools": {"web": [READS, tool("post")]}}
        for code in ("await mcp_web.get(a=1)", "await mcp_web.post(a=1)",
                     "r = await mcp_web.post(a=1)\nr"):
            self.echoes(code, '{"a":1}', **more)
        self.echoes("(await mcp_web.post(a=1)).data", "{'a': 1}", **more)
        self.echoes("(await mcp_web.post(a=1),)", '(\'{"a":1}\',)', **more)
        self.echoes("{'r': [await mcp_web.post(a=1)]}",
                    """{'r': ['{"a":1}']}""", **more)
        self.echoes("import asyncio\nawait asyncio.gather(mcp_web.post(a=1), "
                    "mcp_web.get(a=1))", """['{"a":1}', '{"a":1}']""", **more)

    def test_results_within_other_values(self):
        """Their texts, between quotes: where each ends is plain."""
        more = {"tools": {"web": [tool("post")]}}
        for code, text in (
                ("import collections\ncollections.deque([r])", "deque([%s])"),
                ("import dataclasses\n@dataclasses.dataclass\nclass A:\n"
                 "    r: object\nA(r)", "A(r=%s)"), ("[[[[[[r]]]]]]",
                                                   "[[[[[[%s]]]]]]"),
                ("a = [r]\na.append(a)\na", "[%s, [...]]")):
            with self.subTest(code):
                self.echoes("r = await mcp_web.post(a=1)\n" + code,
                            text % """'{"a":1}'""", **more)

    def test_results_that_are_errors(self):
        """They are shown whole, as they must not read as a success."""
        off = "runtime.configure(raise_on_error=False)\n"
        for name, text in (
                ("fail", "no such file"),
                ("silent", "the tool failed and did not say why")):
            for more in ({}, {"annotations": {"readOnlyHint": True}}):
                with self.subTest(name, **more):
                    self.echoes(off + "await mcp_web.%s()" % name, text,
                                tools={"web": [tool(name, **more)]})

    def test_calls_and_tasks_that_were_not_awaited(self):
        more = {"tools": {"web": [READS]}}
        main = "async def main():\n    "
        self.echoes("mcp_web.get(a=1)", '{"a":1}', **more)
        self.echoes("await mcp_web.get()\nmcp_web.get(a=1)", '{"a":1}', **more)
        got = self.prints("import asyncio\n" + main + "await asyncio.sleep("
                          "99)\nawait asyncio.sleep(0)\n"
                          "asyncio.create_task(main())", "",
                          re.escape(ENDED % ("1 task", "main", "was")),
                          echo=True)
        self.assertRegex(got.relay.echoed[0], "^<Task ")
        self.echoes("mcp_web.get(x)", err="Traceback .*", status=1, **more)

    def test_tasks_that_the_end_cancels(self):
        """They are not waited for: some run beside the code, without end."""
        head = "import asyncio\nasync def f(n=9):\n    await asyncio.sleep(n)" \
            "\n    print('done')\n"
        call = "asyncio.create_task(mcp_web.get(a=1))\nprint(1)\n"
        for code, said in (
                ("print(await asyncio.sleep(0))\nt = asyncio.create_task("
                 "f())", ENDED % ("1 task", "f", "was")),
                ("async def main():\n    for _ in range(3):\n"
                 "        asyncio.ensure_future(f())\nawait main()\n"
                 "print(None)", ENDED % ("3 tasks", "f", "were")),
                ("print(await asyncio.sleep(0))\nt = asyncio.create_task("
                 "f())\n1 / 0", None),
                ("print(await asyncio.sleep(0))\nt = asyncio.create_task("
                 "f())\nt.cancel()", ""),
                ("t = asyncio.create_task(f(0))\nprint(await asyncio.sleep("
                 "0))\nawait asyncio.gather(t)", "")):
            with self.subTest(code):
                if said is None:  # an error: what it ends is not noted
                    got = self.prints(head + code, "None\n", "Traceback .*",
                                      1, echo=True)
                    self.assertNotIn("note:", got.err)
                else:
                    done = "" if said or "cancel" in code else "done\n"
                    self.prints(head + code, "None\n" + done,
                                re.escape(said), echo=True)
        for code in ("await asyncio.sleep(0)\n" + call,
                     "async def main():\n    asyncio.create_task(mcp_web.get("
                     "a=1))\n    print(1)\nasyncio.run(main())"):
            self.prints("import asyncio\n" + code, "1\n",
                        "note: MAIN:3: the task of web.get had not ended when "
                        "the event loop did, and was cancelled: .*",
                        tools={"web": [READS]})

    def test_tasks_that_asyncio_run_cancels(self):
        """Told where nothing was printed, and nothing waits for tasks."""
        head = "import asyncio\nasync def f(): pass\nasync def main():\n    "
        note = "note: nothing was printed: tasks that have not ended when "\
            "asyncio.run\\(\\) does are cancelled: [^\n]*\n"
        for body, out, err in (
                ("asyncio.create_task(f())", "", note),
                ("asyncio.create_task(f()); print(1)", "1\n", ""),
                ("await asyncio.wait([asyncio.create_task(f())])", "", "")):
            with self.subTest(body):
                self.echoes(head + body + "\nasyncio.run(main())", out=out,
                            err=err, silent=not out)

    def test_off(self):
        got = self.prints("5", "")
        self.assertEqual(got.relay.frames, [])

    def test_children_echo_nothing(self):
        self.echoes("import os\npid = os.fork()\n"
                    "if pid:\n    os.wait()\npid and 7", "7")


if __name__ == "__main__":
    unittest.main()
