"""What run_contained.py makes of what a file of tests prints."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from run_contained import FILES, LEFT_OUT, Result, unlisted

TAP = """TAP version 13
# Subtest: one
    # Subtest: inner
    not ok 1 - inner
    # Subtest: other
    ok 2 - other # SKIP only of the runtime native: sessions
not ok 1 - one
# Subtest: two
ok 2 - two # SKIP
# Subtest: three
ok 3 - three
1..3
# tests 5
# pass 1
# fail 1
# cancelled 1
# skipped 2
# todo 0
"""


def result_of(text, status):
    result = Result()
    result.read(text)
    result.end(status)
    return result


class Read(unittest.TestCase):
    def test_counts(self):
        result = result_of(TAP, 1)
        self.assertEqual((result.held, result.failed), (1, 2))

    def test_names(self):
        result = result_of(TAP, 1)
        self.assertEqual(result.left_out, [
            ("other", "only of the runtime native: sessions"), ("two", "")])
        self.assertEqual(result.faults, ["inner", "one"])

    def test_left_behind(self):
        result = result_of("ok 1 - a\n# pass 1\nFAILS left: mount /a\n", 1)
        self.assertEqual(result.failed, 1)
        self.assertEqual(result.faults, ["FAILS left: mount /a"])

    def test_ended_early(self):
        result = result_of("ok 1 - a\n", 137)
        self.assertEqual(result.failed, 1)
        self.assertEqual(result.faults, ["it ended with status 137"])

    def test_nothing_was_tested(self):
        self.assertEqual(result_of("# pass 0\n", 0).failed, 1)

    def test_all_left_out(self):
        self.assertEqual(result_of("ok 1 - a # SKIP b\n# skipped 1\n",
                                   0).failed, 0)


class Lists(unittest.TestCase):
    def test_each_file_is_in_one(self):
        self.assertEqual(unlisted(), [])
        self.assertFalse(set(FILES) & set(LEFT_OUT))


if __name__ == "__main__":
    unittest.main()
