#!/usr/bin/python3
"""The ledger counts what it says it counts, in both directions.

Usage: test_ledger.py, with the path of the program in CAISSON.
Exit status 77 where node or its packages are missing.
"""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ledger import SKIPPED, missing  # noqa: E402
from measure import HERE, PYTHON  # noqa: E402


def ledger(*args):
    """What the command prints."""
    return subprocess.run(
        [PYTHON, "-B", os.path.join(HERE, "ledger.py"), *args,
         os.environ["CAISSON"]],
        check=True, stdout=subprocess.PIPE).stdout.decode()


class Ledger(unittest.TestCase):
    """One run of it."""

    @classmethod
    def setUpClass(cls):
        cls.found = json.loads(ledger("--json"))
        cls.programs = {each["name"]: each for each in cls.found["programs"]}

    def test_every_server_has_tools(self):
        for name, told in self.found["servers"].items():
            with self.subTest(name):
                self.assertGreater(told["tools"], 1)
                self.assertGreater(told["schemas"], 1000)

    def test_the_tap_saw_the_calls(self):
        self.assertEqual(self.programs["one small call"]["calls"], 1)
        graph = "a graph of 200 notes, written and summed up"
        self.assertEqual(self.programs[graph]["calls"], 3)
        self.assertEqual(self.found["manual"]["calls"], 0)

    def test_it_counts_what_was_written_and_read(self):
        written = '{"name":"get-sum","arguments":{"a":1,"b":2}}'
        read = "The sum of 1 and 2 is 3."
        self.assertEqual(self.programs["one small call"]["without"],
                         len(written) + len(read))

    def test_there_are_gains_and_losses(self):
        saved = [each["without"] - each["with"]
                 for each in self.found["programs"]]
        self.assertLess(min(saved), 0)
        self.assertGreater(max(saved), 0)

    @unittest.skipUnless("CAISSON_CAMPAIGN" in os.environ, "another run of it")
    def test_the_table_has_both(self):
        table = ledger()
        for each in self.found["programs"]:
            line = next(line for line in table.splitlines()
                        if line.startswith(each["name"]))
            self.assertRegex(line, r"[+-][\d,]+$")


if __name__ == "__main__":
    why = missing()
    if why is not None:
        print(f"SKIP: {why}")
        sys.exit(SKIPPED)
    unittest.main()
