"""The note on files of the user that code looks for in the sandbox.

    /usr/bin/python3 tests/box/test_absent.py [-v] [-k PATTERN]
"""
import re
import unittest

from mcp_relay import Base

NOTE = ("note: %s is not in the sandbox, nor are other files of the user: use "
        "tools of servers for them\n")


class Absent(Base):
    """What is asked for and gets no error."""

    def test_what_is_told(self):
        head = "import glob, os\nfrom pathlib import Path\n"
        for code, path in (
                ("os.path.exists('/home/me/a.txt')", "/home/me/a.txt"),
                ("os.path.isfile(os.path.expanduser('~/a.txt'))", "~/a.txt"),
                ("bool(glob.glob('/home/me/*.csv'))", "/home/me/*.csv"),
                ("(lambda: Path('/home/me/a').exists())()", "/home/me/a"),
                ("os.path.isdir('/mnt/b\\nc/d')", r"/mnt/b\nc/d"),
                ("os.path.exists('here/a.txt')", None),
                ("os.path.isfile('/usr/nothing')", None),
                ("os.path.exists(mcp_fs.echo(path='/home/me/a').result().text)",
                 None)):
            with self.subTest(code):
                self.prints(head + "print(%s)" % code, "False\n", re.escape(
                    NOTE % path) if path else "", echo=True)
        self.prints(head + "print(os.path.exists('/no/a'))", "False\n")
        self.prints("print('/home/me/a')", "/home/me/a\n", echo=True)


if __name__ == "__main__":
    unittest.main()
