#!/usr/bin/python3
"""The bench: how fast and how large the program is, beside its yardsticks.

Usage: tests/bench/run.py [--quick] [--results] [--out FOLDER]
                          [--only SECTION]... [--compare CAISSON]
                          [path of caisson]

Prints a table; writes the same as FOLDER/bench.json, with the points of how
calls grow. FOLDER is, where none is named, "bench" beside the program.
Times are medians, and ratios to a yardstick that was measured in turns with
them in the same run; the ratio of a throughput is the median of those of its
rounds. It judges nothing. As root it can tell the memory of processes that run
as other users, too, and what each process costs.

With --compare, this build and another one are measured in turns instead, and
their ratios are printed.
"""
import argparse
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import compare  # noqa: E402
import containers  # noqa: E402
import cpu  # noqa: E402
import growth  # noqa: E402
import javascript  # noqa: E402
import ledger  # noqa: E402
import load  # noqa: E402
import memory  # noqa: E402
import output  # noqa: E402
import remote  # noqa: E402
import results  # noqa: E402
import serving  # noqa: E402
import start  # noqa: E402
import tools  # noqa: E402
from machine import Machine  # noqa: E402
from measure import HERE, Bench  # noqa: E402
from results import shown  # noqa: E402

CAISSON = os.path.join(HERE, "..", "..", "build", "caisson")
USUAL = {"start": start, "tools": tools, "load": load, "output": output,
         "memory": memory, "serving": serving, "cpu": cpu,
         "growth": growth, "remote": remote}
# Those that are only measured where they are named: they need engines.
SECTIONS = {**USUAL, "containers": containers, "javascript": javascript}


def arguments():
    """What the command line says."""
    parser = argparse.ArgumentParser(
        description="Measures caisson beside its yardsticks.")
    parser.add_argument("--quick", action="store_true",
                        help="tiny rounds, to see that the bench works")
    parser.add_argument("--results", action="store_true",
                        help="measure the ledger, too, and write results.md")
    parser.add_argument("--out", metavar="FOLDER",
                        help="where bench.json is written")
    parser.add_argument("--only", metavar="SECTION", action="append",
                        choices=list(SECTIONS),
                        help="measure this: " + ", ".join(SECTIONS))
    parser.add_argument("--compare", metavar="CAISSON",
                        help="another build, measured in turns with this one")
    parser.add_argument("caisson", nargs="?", default=CAISSON)
    return parser.parse_args()


def line_of(row):
    """One line of the table."""
    if row.value is None:
        return f"  {row.name:<58} {row.note}"
    told = f"  {row.name:<58} {shown(row.value, row.unit):>11}"
    if row.yardstick_value is not None:
        told += (f" {row.ratio:8.3f} x "
                 f"{shown(row.yardstick_value, row.unit):>11}  "
                 f"{row.yardstick}")
    if row.spread is not None:
        told += f"\n  {'':<58} {between(row.spread, row.unit):>11}"
        if row.yardstick_spread is not None:
            told += f" {'':>11} {between(row.yardstick_spread, row.unit)}"
    return told


def between(spread, unit):
    """Within what the middle half of the values was."""
    return f"({shown(spread[1], unit)} to {shown(spread[2], unit)})"


def print_machine(machine, quick):
    """On what it ran, and how quiet that was."""
    print(f"{machine['processors']} x {machine['processor']}, "
          f"Linux {machine['kernel']}; load {machine['load_before']} before, "
          f"{machine['load_after']} after; others had "
          f"{machine['busy_with_others'] * 100:.0f} % of the processors")
    if quick:
        print("--quick: too few rounds for figures")


def print_table(rows, busy):
    """All figures, by sections, with how busy the machine was then."""
    section = None
    for row in rows:
        if row.section != section:
            section = row.section
            print(f"\n{section}" + (
                f" (others had {busy[section] * 100:.0f} % of the processors)"
                if section in busy else ""))
        print(line_of(row))


def write(folder, bench, machine):
    """The same for programs, and the points of curves."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "bench.json"), "w") as file:
        json.dump({"quick": bench.quick, "machine": machine,
                   "rows": [row._asdict() for row in bench.rows],
                   "curves": bench.curves}, file, indent=1)
        file.write("\n")


def measure_ledger(binary):
    """The ledger, in a folder that boxes may read."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        return ledger.measure(binary, folder)


def print_comparison(binary, other, quick):
    """Two builds, and on what machine."""
    machine = Machine()
    lines = compare.compare(binary, other, quick)
    print_machine(machine.told(), quick)
    print("\n".join(lines))


def main():
    """Measures, prints and writes everything."""
    told = arguments()
    binary = os.path.abspath(told.caisson)
    if told.compare:
        print_comparison(binary, os.path.abspath(told.compare), told.quick)
        return
    machine, busy = Machine(), {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(binary, told.quick, folder)
        for section in told.only or USUAL:
            print(f"measuring: {section}", file=sys.stderr, flush=True)
            during = Machine()
            SECTIONS[section].measure(bench)
            busy[section] = during.told()["busy_with_others"]
        memory.measure_peaks(bench)
    found = {**machine.told(), "busy_in_section": busy}
    print_machine(found, told.quick)
    print_table(bench.rows, busy)
    out = told.out or os.path.join(os.path.dirname(binary), "bench")
    write(out, bench, found)
    print(f"\nwritten: {out}/bench.json")
    if told.results:
        with open(os.path.join(out, "ledger.json"), "w") as file:
            json.dump(measure_ledger(binary), file, indent=1)
        results.write(out)
        print(f"written: {results.RESULTS}")


if __name__ == "__main__":
    main()
