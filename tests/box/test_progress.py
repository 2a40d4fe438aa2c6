"""How far the code is: what it tells, and what the bars of tqdm tell.

    /usr/bin/python3 tests/box/test_progress.py [-v] [-k PATTERN]
"""
import importlib.util
import unittest

from mcp_relay import Base

# What is used of tqdm, as it is there: bars that show themselves by display().
STD = """\
import sys
class tqdm:
    def __init__(self, iterable=None, desc=None, total=None, disable=False):
        self.iterable, self.desc, self.disable = iterable, desc, disable
        self.total = len(iterable) if hasattr(iterable, '__len__') else total
        self.n = 0
        if not disable:
            self.refresh()
    def __iter__(self):
        try:
            for each in self.iterable:
                yield each
                self.update()
        finally:
            self.close()
    def update(self, n=1):
        if not self.disable:
            self.n += n
            self.refresh()
    def refresh(self):
        self.display()
    def display(self, msg=None, pos=None):
        pass
    def close(self):
        if not self.disable:
            self.disable = True
            self.display(pos=0)
    def __del__(self):
        self.close()
def trange(n, **more):
    return tqdm(range(n), **more)
"""
FAKE = "import os\nos.mkdir('tqdm')\nopen('tqdm/__init__.py', 'w').write(" \
    "'from .std import tqdm, trange')\nopen('tqdm/std.py', 'w').write(%r)\n" \
    "from tqdm import tqdm, trange\n" % STD
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
            for wanted in True, False:
                self.tells(code % given, out=said + "\n", progress=wanted)

    def test_only_where_it_is_wanted(self):
        got = self.tells(ALL + "print(runtime.progress(1), await "
                         "runtime.progress(2))", out="None None\n",
                         progress=False)
        self.assertEqual(got.relay.frames, [])

    def test_the_last_is_told_whatever_comes(self):
        for end, status in (("", 0), ("import sys\nsys.exit(0)", 0),
                            ("import sys\nsys.exit(3)", 3), ("1 / 0", 1)):
            with self.subTest(end):
                got = self.prints(
                    "for n in range(100000): runtime.progress(n, 200000)\n"
                    + end, "", ".*", status, progress=True)
                told = [each["done"] for each in got.relay.progress]
                self.assertEqual(told, sorted(set(told)))
                self.assertEqual(told[0], 0)
                self.assertEqual(told[-1], 99999000)
                self.assertLess(len(told), 1000)

    def test_children_tell_nothing(self):
        self.tells(ALL + "import os\nruntime.progress(1)\nif os.fork():\n"
                   "    os.wait()\nelse:\n    runtime.progress(2)\n"
                   "    os._exit(0)\nruntime.progress(3)",
                   one(1000), one(3000))

    def test_beside_others(self):
        """In threads, in event loops, and while others wait."""
        self.tells(ALL + "import threading, asyncio\nruntime.progress(1)\n"
                   "t = threading.Thread(target=runtime.progress, args=(2,))\n"
                   "t.start(); t.join()\nasync def main():\n"
                   "    call = asyncio.ensure_future(mcp_fs.echo(a=1))\n"
                   "    await asyncio.sleep(0)\n    runtime.progress(3)\n"
                   "    await call\nawait main()",
                   one(1000), one(2000), one(3000))

    def test_bars(self):
        self.tells(FAKE + ALL + "for n in tqdm('abc', desc='A'): pass",
                   *[one(n * 1000, 3000, "A") for n in range(4)])
        self.tells(FAKE + ALL + "bar = tqdm(total=2.5)\nbar.update(1.5)\n"
                   "bar.close()", one(0, 2500), one(1500, 2500))
        self.tells(FAKE + ALL + "for n in tqdm(iter('ab')): pass",
                   one(0), one(1000), one(2000))
        self.tells(FAKE + ALL + "for n in trange(2, disable=True): pass")
        self.tells(FAKE + "for n in trange(2): print(n)", out="0\n1\n",
                   progress=False)

    def test_bars_after_each_other(self):
        self.tells(FAKE + ALL + "for n in trange(2): pass\n"
                   "for n in trange(1): pass", one(0, 2000), one(1000, 2000),
                   one(2000, 2000), one(2000, 3000), one(3000, 3000))

    def test_bars_in_each_other(self):
        self.tells(FAKE + ALL + "for n in trange(2):\n"
                   "    for m in trange(50): pass",
                   *[one(n * 1000, 2000) for n in range(3)])
        self.tells(FAKE + ALL + "bar = trange(5)\nbar.update()\ndel bar\n"
                   "for n in trange(2): pass", one(0, 5000), one(1000, 5000),
                   one(1000, 3000), one(2000, 3000), one(3000, 3000))

    @unittest.skipUnless(importlib.util.find_spec("tqdm"),
                         "tqdm is not installed")
    def test_real_bars(self):
        for code in ("from tqdm import tqdm\nfor n in tqdm(range(5000)): pass",
                     "import tqdm\nwith tqdm.tqdm(total=5000) as bar:\n"
                     "    for n in range(5): bar.update(1000)",
                     "from tqdm.auto import trange\n"
                     "for n in trange(5000): pass"):
            with self.subTest(code):
                got = self.prints(code, "", ".*", progress=True)
                self.assertEqual(got.relay.progress[-1],
                                 one(5000000, 5000000))


if __name__ == "__main__":
    unittest.main()
