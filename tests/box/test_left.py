"""What is told when code has succeeded: files that it leaves in the box.

    /usr/bin/python3 tests/box/test_left.py [-v] [-k PATTERN]
"""
import re
import tempfile
import unittest

from mcp_relay import Base

ONE = "note: %s is gone with the sandbox: print what is needed of it, or " \
    "pass it to a tool of a server\n"
MORE = "note: %s are gone with the sandbox: print what is needed of them, " \
    "or pass them to a tool of a server\n"
WRITE = "def write(name, size):\n    open(name, 'wb').write(b'x' * size)\n"


class Left(Base):
    """Code, and what is told at its end."""

    def tells(self, code, err="", out="", silent=False, **more):
        """Run code and compare what is told of it."""
        more.setdefault("echo", True)
        return self.prints(code, out, re.escape(err), silent=silent, **more)

    def test_files(self):
        for code, err in (
                ("write('chart.png', 16384)", ONE % "chart.png (16 kB)"),
                ("write('a', 0)", ONE % "a"),
                ("write('a', 1)", ONE % "a (1 byte)"),
                ("write('a', 999)", ONE % "a (999 bytes)"),
                ("write('a', 1234)", ONE % "a (1.2 kB)"),
                ("write('a', 2500000)", ONE % "a (2.5 MB)"),
                ("write('a\\nb', 1)", ONE % "'a\\nb' (1 byte)"),
                ("write('x' * 80, 1)", ONE % ("x" * 60 + "... (1 byte)")),
                ("write('b', 5); write('a', 7)",
                 MORE % "a (7 bytes) and b (5 bytes)"),
                ("for n in 'edcba': write(n, 1)", MORE %
                 "a (1 byte), b (1 byte), c (1 byte) and 2 more files"),
                ("for n in 'dcba': write(n, 1)", MORE %
                 "a (1 byte), b (1 byte), c (1 byte) and 1 more file"),
                ("import os\nos.mkdir('d')\nos.chdir('d')\nwrite('a', 1)",
                 ONE % "d/a (1 byte)"),
                ("import os\nos.system('echo > a')", ONE % "a (1 byte)"),
                ("write('a', 1)\nimport sys\nsys.exit(0)",
                 ONE % "a (1 byte)")):
            with self.subTest(code):
                self.tells(WRITE + code, err)

    def test_files_in_tmp_are_scratch(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            new = folder + "/new one.csv"
            self.tells(WRITE + "write(%r, 7)" % new)
            self.tells(WRITE + "write('a', 1)\nwrite(%r, 5)" % new,
                       ONE % "a (1 byte)")

    def test_files_in_folders(self):
        make = WRITE + "import os\nos.makedirs('d/e')\n"
        self.tells(make + "write('d/e/a', 1)\nwrite('b', 1)",
                   MORE % "b (1 byte) and d/e/a (1 byte)")
        self.tells(make + "os.makedirs('.c/d')\nos.mkdir('__pycache__')\n"
                   "write('.c/d/a', 1)\nwrite('__pycache__/a', 1)\n"
                   "os.symlink('/etc', 'etc')")
        self.tells(make + "os.mkdir('no')\nos.chmod('no', 0)\nwrite('a', 1)",
                   ONE % "a (1 byte)")
        got = self.prints(
            make + "for n in range(500):\n    os.mkdir(str(n))\n"
            "    write('%d/a' % n, 1)", "", ".*", echo=True)
        self.assertRegex(got.err, r"^note: \d+/a \(1 byte\), \d+/a \(1 byte\), "
                         r"\d+/a \(1 byte\) and more files are gone ")

    def test_no_files(self):
        for code in ("write('.hidden', 1)", "import os\nos.mkdir('d')",
                     "import os\nos.symlink('/etc/passwd', 'a')",
                     "import os\nwrite('a', 1)\nos.unlink('a')",
                     "import tempfile, os\nos.chdir(tempfile.gettempdir())\n"
                     "write('a', 1)\nopen(os.path.abspath('b'), 'w').close()",
                     "import os\nif os.fork():\n    os.wait()\n"
                     "else:\n    write('a', 1)\n    os.unlink('a')"):
            with self.subTest(code):
                self.tells(WRITE + code)
        self.tells(WRITE + "write('a', 1)", echo=False)

    def test_a_child_does_not_tell(self):
        self.tells(WRITE + "import os\nwrite('a', 1)\nif os.fork():\n"
                   "    os.wait()\n", ONE % "a (1 byte)")

    def test_not_after_an_error(self):
        for end in "1 / 0", "raise SystemExit(3)":
            got = self.prints(WRITE + "write('a', 1)\n" + end, "", ".*",
                              3 if "3" in end else 1, echo=True)
            self.assertNotIn("gone", got.err)


if __name__ == "__main__":
    unittest.main()
