"""Notes on files of the user that code looks for in the sandbox.

    /usr/bin/python3 tests/box/test_absent.py [-v] [-k PATTERN]
"""
import re
import unittest

from mcp_relay import Base

NOTE = ("note: %s is not in the sandbox, nor are other files of the user: use "
        "tools of servers for them\n")


class Absent(Base):
    """What is asked for and gets no error."""

    def test_what_is_not_here(self):
        head = "import glob, os\nfrom pathlib import Path\n"
        for code, path in (
                ("os.path.exists('/home/me/a.txt')", "/home/me/a.txt"),
                ("os.path.isfile('~/a.txt')", "~/a.txt"),
                ("bool(glob.glob('/home/me/*.csv'))", "/home/me/*.csv"),
                ("bool([*os.walk('/data_of_me')])", "/data_of_me"),
                ("Path('/home/me/a').exists()", "/home/me/a"),
                ("bool([*Path('/data_of_me').glob('*')])", "/data_of_me"),
                ("os.path.isdir('/mnt/b\\nc/d')", r"/mnt/b\nc/d"),
                ("os.path.exists('/no/a') or os.path.exists('/no/b')",
                 "/no/a"),
                ("os.path.exists('/data_of_me')", None),
                ("os.path.exists('here/a.txt')", None),
                ("os.path.exists(os.getcwd() + '/a/b')", None),
                ("bool(glob.glob('*.csv'))", None),
                ("os.path.isfile('/usr/nothing')", None),
                ("os.path.exists(999)", None)):
            with self.subTest(code):
                self.prints(head + "print(%s)" % code, "False\n", re.escape(
                    NOTE % path) if path else "", echo=True)
        self.prints(head + "print(os.path.exists('/no/a'))", "False\n")

    def test_they_work_as_always(self):
        self.prints("""
import glob, os
from pathlib import Path
os.makedirs("a/b")
open("a/b/c.txt", "w").close()
print(os.path.exists("a"), os.path.isfile("a/b/c.txt"), Path("a").is_dir(),
      glob.glob("a/*/*.txt"), [*Path("a").rglob("*.txt")],
      glob.glob("*.txt", root_dir="a/b"), [d for d, _, _ in os.walk("a")],
      os.path.exists.__name__)
try:
    os.path.isdir([])
except TypeError as error:
    print("no")
os.remove("a/b/c.txt")
""", "True True True ['a/b/c.txt'] [PosixPath('a/b/c.txt')] ['c.txt'] "
            "['a', 'a/b'] exists\nno\n", echo=True)

    def test_of_libraries_nothing_is_told(self):
        self.prints("import os, shutil\nprint(os.path.exists('a'))\n"
                    "shutil.which('x', path='/no/bin')", "False\n", echo=True)


if __name__ == "__main__":
    unittest.main()
