"""Tests of the table of what differs in containers, and of that in the program,
of which the selftest and caisson-box(7) tell ("house manual" reads the page):
the outcomes themselves are judged by run.py --runtime.
"""
import importlib
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "support"))
sys.dont_write_bytecode = True
from contained import differences, judge, opening, promises, rows
from open_engine import open_podman
from run import GROUPS
from table import CASES, Case

KEPT = os.path.join(HERE, "../../supervisor/box/container/missing_promises.def")
ROW = r'^CONTAINER_LACKS\("(.*)"\)$'


class Contained(unittest.TestCase):
    """The table, and that of the program."""

    def test_program_has_these_rows(self):
        with open(KEPT, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(re.findall(ROW, text, re.M), promises())
        self.assertEqual(len(re.findall(ROW, text, re.M)),
                         len(re.findall(r"^CONTAINER_LACKS", text, re.M)))

    def test_each_row_is_a_case_once(self):
        for name in GROUPS:
            importlib.import_module("cases." + name)
        numbers = [number for number, _, _ in rows()]
        self.assertEqual(len(numbers), len(set(numbers)))
        self.assertEqual(set(numbers) - {one.number for one in CASES}, set())

    def test_verdicts(self):
        def verdict(seen, different, known=""):
            one = Case("1", "", "EPERM", None, known=known)
            return judge(one, seen, different)[0]
        self.assertEqual(verdict("EPERM", {}), "holds")
        self.assertEqual(verdict("ok", {}), "FAILS")
        self.assertEqual(verdict("ok", {"1": ("ok", "")}), "differs")
        self.assertEqual(verdict("no", {"1": ("ok", "")}), "FAILS")
        self.assertEqual(verdict("EPERM", {"1": ("ok", "")}), "FAILS")
        self.assertEqual(verdict("ok", {}, "why"), "known")
        self.assertEqual(verdict("EPERM", {}, "why"), "FAILS")
        self.assertEqual(verdict("EPERM", {"1": ("ok|EPERM", "")}), "differs")
        self.assertEqual(verdict("EPERM", {"1": ("[a-zA-Z]+", "")}), "FAILS")

    def test_protections_must_be_shown(self):
        def verdict(opened, different=None, number="1"):
            one = Case(number, "", "EPERM", None, without="seccomp")
            return judge(one, "EPERM" if different is None else "no",
                         different or {}, opened)[0]
        self.assertEqual(verdict("ok"), "holds")
        self.assertEqual(verdict("EPERM"), "NOT SHOWN")
        self.assertEqual(verdict("one=ok other=EPERM"), "NOT SHOWN")
        self.assertEqual(verdict("[refused: it has ended]"), "NOT SHOWN")
        self.assertEqual(
            verdict("[the box cannot be built: why]"), "NOT SHOWN")
        self.assertEqual(verdict(None), "holds")
        self.assertEqual(verdict("ok", {"1": ("no", "")}), "differs")
        self.assertEqual(verdict("no", {"1": ("no", "")}), "NOT SHOWN")

    def test_nothing_is_left_out_for_what_does_not_hold(self):
        def words(number, **more):
            return opening(Case(number, "", "", None, **more), "podman")
        self.assertEqual(words("1", without="landlock seccomp"), "seccomp")
        self.assertEqual(words("1", without="NPROC", under="caps"),
                         "caps pids NPROC")
        self.assertEqual(words("x3", without="seccomp"), "seccomp caps")
        self.assertEqual(words("13a", without=None), "")
        # Weaker there; no part of an engine.
        self.assertEqual(words("7b", without="pid"), "")
        self.assertEqual(words("x12", without="identity"), "")

    def test_what_is_left_out(self):
        argv = ["podman", "run", "--rm", "--network", "none", "--tmpfs",
                "/tmp:rw,noexec,nosuid,size=5,U", "--memory", "5",
                "--security-opt", "seccomp=/x", "image", "--memory"]
        self.assertEqual(open_podman(argv, []), argv)
        self.assertEqual(
            open_podman(argv, ["net", "noexec", "size", "seccomp"]),
            ["podman", "run", "--rm", "--network", "host", "--tmpfs",
             "/tmp:rw,exec,nosuid,U", "--memory", "5", "--security-opt",
             "seccomp=unconfined", "image", "--memory"])

    def test_native_boxes_have_none(self):
        self.assertEqual(differences(None), {})


if __name__ == "__main__":
    unittest.main()
