#!/usr/bin/python3
"""The bench works: a quick run measures what it promises, and says what it
could not measure. Nothing is asserted about how long anything takes.

Usage: test_bench.py, with the path of the program in CAISSON. One section is
measured; with CAISSON_CAMPAIGN all are, and two builds in turns.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import account  # noqa: E402
import compare  # noqa: E402
import load  # noqa: E402
import results  # noqa: E402
from client import Client  # noqa: E402
from measure import HERE, PYTHON, Bench, percentile  # noqa: E402

# Figures that a reader looks for, by how their names begin.
PROMISED = {
    "start": ["run_python print('hi'), on demand",
              "run_python print('hi'), from the pool",
              "run_python 1+1, in a session", "initialize",
              "with preload=", "bubblewrap", "podman"],
    "tools": ["call of a tool", "what that adds", "100 calls of 50 ms",
              "result of 16 MiB"],
    "load": ["1 in flight", "1 in flight, p99", "64 in flight", "burst of 16"],
    "output": ["2000 prints", "1 MiB of output"],
    "memory": ["supervisor, idle", "one more box in the pool", "relay",
               "broker"],
    "serving": ["run_python print('hi') over stdio",
                "run_python print('hi') over HTTP by TCP", "2 idle sessions"],
    "cpu": ["an execution, 4 in flight"],
    "growth": ["code size", "result size", "number of tools"],
    "remote": ["call of a remote tool", "what that adds", "connector, idle"],
    "peak": ["supervisor, largest in section load"],
}
ALL = "CAISSON_CAMPAIGN" in os.environ
if not ALL:
    PROMISED = {"output": PROMISED["output"]}

LEDGER = {
    "servers": {"s": {"tools": 2, "schemas": 300, "instructions": 5}},
    "caisson": {"tools": 1, "schemas": 90, "instructions": 9},
    "manual": {"with": 7},
    "programs": [{"name": "a program", "calls": 3, "without": 1200,
                  "with": 90}],
}


class Quick(unittest.TestCase):
    """One quick run."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run(
                [PYTHON, "-B", os.path.join(HERE, "run.py"), "--quick",
                 *([] if ALL else ["--only", "output"]),
                 "--out", out, os.environ["CAISSON"]],
                check=True, stdout=subprocess.PIPE)
            cls.table = done.stdout.decode()
            with open(os.path.join(out, "bench.json")) as file:
                cls.found = json.load(file)

    def test_every_promised_figure_is_there(self):
        rows = self.found["rows"]
        for section, names in PROMISED.items():
            for name in names:
                with self.subTest(name):
                    self.assertTrue([
                        row for row in rows if row["section"] == section
                        and row["name"].startswith(name)])

    def test_a_figure_has_a_value_or_a_reason(self):
        for row in self.found["rows"]:
            with self.subTest(row["name"]):
                self.assertTrue(row["note"] if row["value"] is None
                                else row["value"] or row["unit"] == "")

    def test_the_table_has_every_figure(self):
        for row in self.found["rows"]:
            self.assertIn(row["name"], self.table)

    def test_it_says_that_it_was_quick_and_how_busy_it_was(self):
        self.assertIn("--quick", self.table)
        self.assertIn("of the processors", self.table)
        self.assertIs(self.found["quick"], True)
        self.assertLessEqual(self.found["machine"]["busy_with_others"], 1)

    def test_what_is_compared_has_a_spread(self):
        """One number alone would not show that a figure is worth nothing."""
        for row in self.found["rows"]:
            if row["spread"] is not None:
                with self.subTest(row["name"]):
                    self.assertEqual(row["spread"], sorted(row["spread"]))
                    self.assertLessEqual(row["spread"][0], row["value"])
                    self.assertLessEqual(row["value"], row["spread"][3])
                    if row["yardstick"] is not None:
                        self.assertEqual(len(row["yardstick_spread"]), 4)
        self.assertTrue([row for row in self.found["rows"] if row["spread"]])

    def test_what_is_compared_has_a_ratio(self):
        for row in self.found["rows"]:
            with self.subTest(row["name"]):
                self.assertEqual(row["ratio"] is None, row["yardstick"] is None)

    def test_each_section_says_how_busy_it_was(self):
        self.assertEqual(set(self.found["machine"]["busy_in_section"]),
                         set(PROMISED) - {"peak"})

    def test_the_results_have_every_figure_but_those_of_curves(self):
        text = results.markdown(self.found, LEDGER)
        for row in self.found["rows"]:
            if row["value"] is not None and row["section"] != "growth":
                with self.subTest(row["name"]):
                    self.assertIn(row["name"].replace("|", "\\|"), text)
        self.assertIn(self.found["machine"]["commit"], text)
        self.assertIn("| a program | 3 | 1,200 | 90 | +1,110 |", text)

    @unittest.skipUnless(ALL, "curves are of the campaign")
    def test_there_are_curves(self):
        self.assertEqual(len(self.found["curves"]), 4)


@unittest.skipUnless(ALL, "two builds are compared in the campaign")
class Comparison(unittest.TestCase):
    """A build beside itself."""

    def test_each_figure_has_a_ratio_and_its_spread(self):
        binary = os.environ["CAISSON"]
        done = subprocess.run(
            [PYTHON, "-B", os.path.join(HERE, "run.py"), "--quick",
             "--compare", binary, binary], check=True, stdout=subprocess.PIPE)
        table = done.stdout.decode()
        for name in ("from the pool", "on demand", "call of a tool",
                     "result of 16 MiB", "CPU of an execution"):
            with self.subTest(name):
                self.assertRegex(
                    table, name + r" +\d+\.\d{3}  \(\d+\.\d+ to \d+\.\d+\)")
        self.assertIn("one more box in the pool", table)


class Turns(unittest.TestCase):
    """What is compared: in which order, and what becomes of it."""

    def setUp(self):
        self.bench = Bench(os.environ["CAISSON"], False, "")
        self.order = []

    def noted(self, name, value):
        """A function that notes its name and returns a value."""
        def run(*_):
            self.order.append(name)
            return value
        return run

    def test_each_build_is_the_first_to_fill_a_pool_in_turns(self):
        def one_more(name):
            self.order.append(name)
            return ord(name), {}

        builds = [mock.Mock(bench=name) for name in "ab"]
        with mock.patch.object(compare, "one_more", one_more):
            sizes = compare.pool_boxes(builds, 3)
        self.assertEqual("".join(self.order), "abbaab")
        self.assertEqual(sizes, [3 * [ord("a")], 3 * [ord("b")]])

    def test_a_pool_that_cannot_be_measured_is_told(self):
        self.assertRegex(compare.pool_line([[1024, None], [1, 1]]),
                         "one more box in the pool +not ")
        self.assertRegex(compare.pool_line([[1024], [2048]]),
                         r"pool +0\.500 .* 1 +2 KiB$")

    def test_a_throughput_and_its_yardstick_are_first_in_turns(self):
        with mock.patch.multiple(
                load, plain_rate=self.noted("y", 1),
                sustained=self.noted("t", (2, [0.5]))):
            found = load.measure_in_turns(self.bench, None, 4)
        self.assertEqual("".join(self.order), "yttyyttyyt")
        self.assertEqual(found, (5 * [2], 5 * [1], 5 * [0.5]))

    def test_the_ratio_of_rounds_is_the_median_of_theirs(self):
        self.bench.pairs("it", [10, 40, 90], "/s", "another", [1, 2, 10])
        self.bench.row("it", 3, "s", "another", 2)
        self.bench.row("it", 3, "s")
        self.assertEqual([row.ratio for row in self.bench.rows],
                         [10, 1.5, None])
        self.assertEqual(self.bench.rows[0][3:7], ("/s", "another", 2, ""))


ANSWERING = """
import json, sys
for number, line in enumerate(map(json.loads, sys.stdin)):
    if "id" in line:
        print(json.dumps({"id": line["id"], "result": {
            "isError": number == int(sys.argv[1]),
            "content": [{"text": "hi"}]}}), flush=True)
"""


class Checks(unittest.TestCase):
    """A client that runs code again and again checks each answer."""

    def answers(self, failing):
        """The times of eight runs; that of one of the lines may fail."""
        with Client(PYTHON, args=["-c", ANSWERING, str(failing)]) as client:
            self.assertEqual(client.run("1"), "hi")
            times = client.answers("2", 4, range(8))
            self.assertEqual(client.last, 10)
            return times

    def test_each_answer_has_its_times(self):
        times = self.answers(-1)
        self.assertEqual(len(times), 8)
        for begin, end in times:
            self.assertLessEqual(begin, end)

    def test_one_failure_is_noticed(self):
        with self.assertRaisesRegex(RuntimeError, "a call failed"):
            self.answers(5)


TRACE = """# tracer: nop
          caisson-10      [000] d..2. 1.0: sched_process_fork: \
comm=caisson pid=10 child_comm=caisson child_pid=20
    relay[7]-20      [001] d..2. 1.1: sched_stat_runtime: \
comm=relay[7] pid=20 runtime=3000 [ns]
    relay[7]-20      [001] ..... 1.2: sys_enter: NR 3 (1, 2, 3, 4, 5, 6)
    relay[7]-20      [001] ..... 1.2: page_fault_user: address=0x1 ip=0x2
          python3-11      [000] d..2. 1.3: sched_process_fork: \
comm=python3 pid=11 child_comm=python3 child_pid=21
          python3-21      [000] d..2. 1.4: sched_process_fork: \
comm=python3 pid=21 child_comm=python3 child_pid=22
          python3-22      [000] d..2. 1.5: sched_stat_runtime: \
comm=python3 pid=22 runtime=500 [ns] vruntime=9 [ns]
            other-99      [000] d..2. 1.6: sched_stat_runtime: \
comm=other pid=99 runtime=7000 [ns]
"""


class Accounts(unittest.TestCase):
    """What is made of the events of the kernel."""

    def test_they_are_summed_by_sort(self):
        tally = account.Tally({10: "caisson", 11: "python3"})
        for line in TRACE.splitlines():
            tally.add(line)
        sorts = tally.sorts()
        self.assertEqual(set(sorts), {"caisson", "relay", "template",
                                      "launcher", "code"})
        self.assertAlmostEqual(sorts["relay"].seconds, 3e-6)
        self.assertEqual((sorts["relay"].calls, sorts["relay"].faults), (1, 1))
        self.assertAlmostEqual(sorts["code"].seconds, 5e-7)


class Numbers(unittest.TestCase):
    """What is made of the values."""

    def test_percentile(self):
        self.assertEqual(percentile([3, 1, 2], 0.99), 3)
        self.assertEqual(percentile(range(1000), 0.99), 990)
        self.assertEqual(percentile([5], 0.5), 5)


if __name__ == "__main__":
    unittest.main()
