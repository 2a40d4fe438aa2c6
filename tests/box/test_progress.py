"""How far the code is: what it tells.

    /usr/bin/python3 tests/box/test_progress.py [-v] [-k PATTERN]
"""
import unittest

from mcp_relay import Base

# So that all is sent, however fast it comes.
ALL = "import mcp._progress\nmcp._progress.PAUSE = 0\n"


def one(done, total=None, text=None):
    """Return what is sent of numbers in thousandths."""
    return {name: value for name, value in (
        ("done", done), ("total", total), ("text", text))
        if value is not None}


class Progress(Base):
    """Code, and what it tells of itself."""

    def tells(self, code, *told, out="", err="", status=0, **more):
        """Run code and compare all that it tells."""
        more.setdefault("progress", True)
        got = self.prints(code, out, err, status, **more)
        self.assertEqual(got.relay.progress, list(told), got.err)
        return got

    def test_numbers(self):
        self.tells(ALL + "for n in 0, 1.5, 2.0004, 3e12, 10 ** 30:\n"
                   "    runtime.progress(n)", one(0), one(1500), one(2000),
                   one(10 ** 15))
        self.tells(ALL + "runtime.progress(1, 3)\nruntime.progress(2, total="
                   "2.5, text='a\\ud800\\0' + 'x' * 500)",
                   one(1000, 3000), one(2000, 2500,
                                        "a\\ud800 " + "x" * 197))

    def test_what_is_no_number(self):
        code = "try:\n    runtime.progress(%s)\n" \
            "except (TypeError, ValueError) as error:\n    print(error)"
        for given, said in (
                ("-1", "done must be a number from 0 on, not -1"),
                ("float('nan')", "done must be a number from 0 on, not nan"),
                ("float('inf')", "done must be a number from 0 on, not inf"),
                ("True", "done must be a number from 0 on, not True"),
                ("1, -0.5", "total must be a number from 0 on, not -0.5"),
                ("'1'", "done must be a number, not an object of type str"),
                ("1, [2]",
                 "total must be a number, not an object of type list")):
            self.tells(code % given, out=said + "\n")

    def test_only_where_it_is_wanted(self):
        got = self.tells(ALL + "print(runtime.progress(1), await "
                         "runtime.progress(2))", out="None None\n",
                         progress=False)
        self.assertEqual(got.relay.frames, [])

    def test_the_last_is_told_whatever_comes(self):
        for end, status in (("", 0), ("import sys\nsys.exit(3)", 3)):
            with self.subTest(end):
                got = self.prints(
                    "for n in range(10000): runtime.progress(n, 20000)\n"
                    + end, "", ".*", status, progress=True)
                told = [each["done"] for each in got.relay.progress]
                self.assertEqual(told, sorted(set(told)))
                self.assertEqual(told[0], 0)
                self.assertEqual(told[-1], 9999000)
                self.assertLess(len(told), 1000)


if __name__ == "__main__":
    unittest.main()
