"""What stands for tabulate, where it is not installed.

    /usr/bin/python3 tests/box/test_tables.py [-v] [-k PATTERN]
"""
import json
import unittest
from importlib.util import find_spec

from mcp_relay import Base

ROWS = [{"name": "a", "n": 1.5}, {"name": "bcd", "n": 20}]


@unittest.skipIf(find_spec("tabulate"), "tabulate is installed")
class Tables(Base):
    """Tables as text."""

    def prints_table(self, arguments, *lines):
        """Print a table of rows; compare it without what ends its lines."""
        with self.subTest(arguments):
            self.prints(
                "from tabulate import tabulate\nrows = %r\n"
                "for line in tabulate(%s).split('\\n'):\n"
                "    print(line.rstrip())" % (ROWS, arguments),
                "".join(line + "\n" for line in lines))

    def test_formats(self):
        self.prints_table(
            "rows, headers='keys', tablefmt='github'",
            "| name |   n |", "|------|-----|", "| a    | 1.5 |",
            "| bcd  |  20 |")
        self.prints_table(
            "rows, headers='keys', tablefmt='pipe', showindex=True",
            "|   | name |   n |", "|--:|:-----|----:|", "| 0 | a    | 1.5 |",
            "| 1 | bcd  |  20 |")
        self.prints_table(
            "rows, headers={'n': 'N'}, tablefmt='grid'",
            "+------+-----+", "| name |   N |", "+======+=====+",
            "| a    | 1.5 |", "+------+-----+", "| bcd  |  20 |",
            "+------+-----+")
        self.prints_table("rows[:1], headers='keys', tablefmt='no such one'",
                          "name    n", "----  ---", "a     1.5")

    def test_what_tables_are_made_of(self):
        self.prints_table("[['a', 1], ['b']], headers=['x', 'y'], "
                          "missingval='-'", "x  y", "-  -", "a  1", "b")
        self.prints_table("[['x', 'y'], [1, None]], headers='firstrow', "
                          "tablefmt='plain'", "x  y", "1")
        self.prints_table("{'x': [1, 22], 'y': ['a']}, headers='keys'",
                          " x  y", "--  -", " 1  a", "22")
        self.prints_table("[], headers='keys'", "")
        text = json.dumps({"content": [{"type": "text", "text": json.dumps(
            ROWS[:1])}]})
        self.prints_table("mcp_fs.raw(json=%r).result(), headers='keys'"
                          % text, "name    n", "----  ---", "a     1.5")

    @unittest.skipUnless(find_spec("pandas"), "pandas is not installed")
    def test_frames(self):
        self.prints("import pandas\nprint(pandas.DataFrame({'x': [1]}, "
                    "index=['a']).to_markdown())",
                    "|   | x |\n|:--|--:|\n| a | 1 |\n")


if __name__ == "__main__":
    unittest.main()
