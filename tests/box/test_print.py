"""Output of values that are larger than what is kept of a stream.

    /usr/bin/python3 tests/box/test_print.py [-v] [-k PATTERN]
"""
import json
import re
import unittest

from mcp_relay import run, tool

MOST = 8192  # bytes kept of a stream, here
ROW = {"id": 0, "name": "it's \"one\"", "none": None, "yes": True, "x": 1.5,
       "s": "\u00e4\n\\", "t": "'\\'\t\x01\U000e0001", "u": "\\x'\u200b"}
GIVE = "r = await mcp_fs.raw(json=%r)\n"
LINE = re.compile(r"\[\.\.\. cut from (\d+) bytes, with (.*): select, count "
                  r"or summarise in the code, and print that \.\.\.\]")


def rows(count):
    """Return so many rows."""
    return [{**ROW, "id": number} for number in range(count)]


def given(value, structured=False):
    """Return code that gets a value as the result of a tool."""
    result = {"content": [{"type": "text", "text": json.dumps(value)}]}
    if structured:
        result["structuredContent"] = value
    return GIVE % json.dumps(result)


class Print(unittest.TestCase):
    """What is written, and what is told of the rest."""

    maxDiff = None

    def out(self, code, output=MOST):
        """Run code, and return what it prints."""
        got = run(code, output=output, tools={"fs": [tool("raw")]})
        self.assertIsNone(got.relay.cause)
        self.assertEqual((got.err, got.status), ("", 0))
        return got.out

    def cut(self, code, whole, *told):
        """Run code that prints one value, and return what there is of it."""
        part, line, rest = self.out(code).split("\n", 2)
        size, places = LINE.fullmatch(line).groups()
        self.assertEqual(rest, "")
        self.assertGreater(int(size), MOST)
        self.assertLess(len(part.encode()), MOST // 2)
        for words in told:
            self.assertIn(words, places)
        found = json.loads(part)
        self.assertIs(type(found), type(whole))
        return found

    def test_lists(self):
        whole = rows(500)
        for code in ("print(r)", "print(str(r))", "print(r.data)",
                     "print(r.text)", "print(list(r))", "print(r[0:])",
                     "print([x for x in r])", "print(r, flush=True)",
                     "import json; print(json.dumps(r.data))",
                     "import json; print(json.dumps(r.data, indent=2))",
                     "import json; print(json.dumps(r.data, "
                     "ensure_ascii=False))", "print(*r.data[:0], r.data)",
                     "import sys; sys.stdout.write(r.text + '\\n')",
                     "print(dict(a=r.data)['a'])"):
            with self.subTest(code):
                found = self.cut(given(whole) + code, whole, "more items")
                self.assertGreater(len(found), 20)
                self.assertEqual(found, whole[:len(found)])

    def test_it_is_in_force_with_the_first_result(self):
        code = given(rows(500)).replace("r = ", "print((")[:-1] + ").data)"
        found = self.cut(code, [], "more items")
        self.assertEqual(found, rows(len(found)))

    def test_dicts(self):
        whole = {"total": 500, "items": rows(500), "page": {"n": 1}}
        for code in "print(r)", "print(r.data)", "print(r['page'], r.data)":
            with self.subTest(code):
                text = self.out(given(whole) + code)
                text = text[text.index('{"'):]
                part, line, _ = text.split("\n", 2)
                found = json.loads(part)
                count = len(found["items"])
                self.assertGreater(count, 20)
                self.assertEqual(found, {**whole, "items": rows(count)})
                self.assertIn(
                    '%d more items in ["items"]' % (500 - count), line)
        found = self.cut(given({"k%d" % n: n for n in range(5000)})
                         + "print(r.data)", {}, "more keys")
        self.assertEqual(list(found)[:2], ["k0", "k1"])

    def test_texts(self):
        whole = {"name": "a", "body": "x" * 20000, "list": [1, 2, 3]}
        found = self.cut(given(whole) + "print(r.data)", whole,
                         'more characters in ["body"]')
        self.assertEqual({**found, "body": ""}, {**whole, "body": ""})
        self.assertRegex(found["body"], r"\Ax{1500,}\.\.\.\Z")
        # A few large items share the room.
        found = self.cut(given([whole] * 3) + "print(r.data)", [], "more "
                         'characters in [0]["body"]', 'in [2]["body"]')
        self.assertEqual([len(item) for item in found], [3] * 3)

    def test_deep_ones(self):
        deep = rows(300)
        for _ in range(60):
            deep = {"d": [deep]}
        found = self.cut(given(deep) + "print(r.data)", deep, "more items in ")
        while isinstance(found, dict):
            found, = found["d"]
        self.assertEqual(found, rows(len(found)))

    def test_numbers_are_kept(self):
        numbers = "[%s]" % ", ".join(["1" * 700, "1e999", "0.10"] * 60)
        found = self.out(GIVE % ('{"content":[{"type":"text","text":"%s"}]}'
                                 % numbers) + "print(r.text)")
        self.assertEqual(found[:710], "[" + "1" * 700 + ",1e999,0.")

    def test_what_is_no_value_is_whole(self):
        big = given(rows(500))
        for code, out in (
                ("print('x' * 20000)", "x" * 20000 + "\n"),
                ("print('[' * 20000)", "[" * 20000 + "\n"),
                ("print('[1, ' * 20000)", "[1, " * 20000 + "\n"),
                ("print([{1}] * 9000)", str([{1}] * 9000) + "\n"),
                ("print({1: 'a' * 9000})", str({1: "a" * 9000}) + "\n"),
                ("print(['\\ud800' * 9000])",
                 str(["\ud800" * 9000]) + "\n"),
                ("print((1,) * 9000)", str((1,) * 9000) + "\n"),
                ("print('data:', [r.data[0].id, 5], 7)", "data: [0, 5] 7\n"),
                ("for x in range(5000): print('[1, 2]')", "[1, 2]\n" * 5000)):
            with self.subTest(code):
                self.assertEqual(self.out(big + code), out)

    def test_what_fits_is_whole(self):
        size = len(str(rows(60)).encode())
        for most in size, size + 1, None:
            with self.subTest(most):
                self.assertEqual(
                    self.out(given(rows(60)) + "print(r.data, end='')", most),
                    str(rows(60)))
        self.assertNotEqual(
            self.out(given(rows(60)) + "print(r.data)", size - 1),
            str(rows(60)))

    def test_other_files_are_whole(self):
        whole = str(rows(500))
        size = "%d\n" % len(whole)
        for code in (
                "import io; f = io.StringIO(); print(r.data, file=f, end='')\n"
                "print(len(f.getvalue()))",
                "import contextlib, io\n"
                "with contextlib.redirect_stdout(io.StringIO()) as f:\n"
                "    print(r.data, end='')\nprint(len(f.getvalue()))",
                "with open('f', 'w') as f: print(r.data, file=f, end='')\n"
                "print(len(open('f').read()))",
                "import os, sys\nout = os.dup(1)\nf = os.open('f', os.O_RDWR |"
                " os.O_CREAT)\nos.dup2(f, 1)\nprint(r.data, end='', flush=True"
                ")\nos.dup2(out, 1)\nprint(len(open('f').read()))",
                "print(len(str(r.data)))"):
            with self.subTest(code):
                self.assertEqual(self.out(given(rows(500)) + code), size)

    def test_many_share_the_room(self):
        text = self.out(given(rows(500)) + "for _ in range(9): print(r.data)")
        parts = [line for line in text.split("\n") if line[:2] == '[{']
        sizes = [len(part) for part in parts]
        self.assertEqual(sizes[:3], sorted(sizes[:3], reverse=True))
        self.assertLess(sum(sizes[:3]), MOST)

    def test_many_small_results(self):
        code = ("import asyncio\nall = []\nfor n in range(40):\n"
                "    all += (await mcp_fs.raw(json=%r)).data\nprint(all)"
                % json.dumps({"content": [{"type": "text", "text": json.dumps(
                    rows(5))}]}))
        found = self.cut(code, [], "more items")
        self.assertEqual(found[:5], rows(5))


if __name__ == "__main__":
    unittest.main()
