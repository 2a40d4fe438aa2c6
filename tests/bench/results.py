#!/usr/bin/python3
"""Writes results.md from what bench and ledger have measured.

Usage: tests/bench/results.py [FOLDER]

FOLDER holds bench.json and ledger.json, as "run.py --results" writes them; by
default build/bench. No figure of results.md is written by hand.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from measure import HERE  # noqa: E402

RESULTS = os.path.join(HERE, "results.md")
FOLDER = os.path.join(HERE, "..", "..", "build", "bench")
UNITS = {"s": ((1, "s"), (1e-3, "ms"), (1e-6, "us")),
         "B": ((1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))}

HEAD = """# Results

Written by `tests/bench/run.py --results build/caisson`, from its own
measurements. Do not edit.
"""

LEDGER = """## Bytes in the context of the assistant

Measured on three real servers of the tests: filesystem, memory and everything.
A tool counts with its name, description and input schema, a server with its
instructions too. Without Caisson a model writes the name and arguments of each
call and reads its result. With Caisson it writes one program and reads what
that prints. Both directions are counted.

A host that shows tool schemas only on demand saves part of the first table by
itself. Tokens are not counted, because they depend on the model.
"""

FIGURES = """## Speed and memory

Times are medians. A yardstick is measured in turns with its figure in the same
run, so the ratio holds better than the times. That of a throughput (calls in
flight) is the median of the ratios of the rounds. Sizes are PSS: a shared page
counts by the share. Measured as root, who may read the memory of processes of
other users.
"""

NOTES = """### What the figures are made of

* **Pool and demand**: a call that finds a box ready saves the start of a box;
  a box without a template starts an interpreter of its own.
* **A million prints**: each line is flushed as it is printed, so that the
  output of a killed call arrives; block-buffered Python collects lines first.
* **A burst**: the boxes are ready and all of them run at once, but they share
  the processors.
* **Calls in flight**: as many run at once as `CAISSON_MAX_CONCURRENT` says;
  the others wait for their turn.
* **Result size**: up to 16 KiB a result is inside a message, above that in a
  memfd. Each process on the way reads it once.
* **Number of tools**: lists are fetched when code first uses a server, so
  `print('hi')` needs none, a call needs one list, a search all of them.

`build/bench/bench.json` has the points of these curves.
"""


def shown(value, unit):
    """A value with a unit that suits it."""
    for size, name in UNITS.get(unit, ()):
        if abs(value) >= size:
            return f"{value / size:.2f} {name}"
    return f"{value:.4g} {unit}".strip()


def table(head, rows):
    """A table of Markdown; the first column is text, the others numbers."""
    yield "| " + " | ".join(head) + " |"
    yield "|---|" + "---:|" * (len(head) - 1)
    for row in rows:
        # A bar would end the cell.
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
    yield ""


def counts(name, number, without, ours):
    """A row of the ledger."""
    return (name, str(number or ""), f"{without:,}", f"{ours:,}",
            f"{without - ours:+,}")


def ledger_lines(found):
    """Both tables of the ledger."""
    ours, servers = found["caisson"], found["servers"]
    own = ours["schemas"] + ours["instructions"]
    rows = [counts(f"tools and instructions of {name}", told["tools"],
                   told["schemas"] + told["instructions"], 0)
            for name, told in servers.items()]
    total = sum(told["schemas"] + told["instructions"]
                for told in servers.values())
    rows += [counts("the tool and instructions of caisson", ours["tools"], 0,
                    own),
             counts("**together**", sum(told["tools"]
                                        for told in servers.values()),
                    total, own),
             counts("the manual, when the model reads it", 0, 0,
                    found["manual"]["with"])]
    yield from LEDGER.splitlines()
    yield ""
    yield from table(("read once by each conversation", "tools", "without",
                      "with", "saved"), rows)
    yield from table(
        ("program: written and read", "calls", "without", "with", "saved"),
        [counts(each["name"], each["calls"], each["without"], each["with"])
         for each in found["programs"]])


def machine_line(machine):
    """On what it ran, and how quiet that was."""
    busy = ", ".join(f"{section} {share * 100:.0f} %" for section, share
                     in machine["busy_in_section"].items())
    at = machine["commit"]
    kernel = ".".join(machine["kernel"].split(".")[:2])
    return ((f"Commit {at}, on " if at else "") +
            f"{machine['processors']} x {machine['processor']}, Linux "
            f"{kernel}. Share of the processors that other "
            f"processes had, by section: {busy}.")


def figure_lines(bench):
    """The figures, without the points of the curves."""
    rows = []
    for row in bench["rows"]:
        if row["value"] is None or row["section"] == "growth":
            continue
        told = ["", "", ""]
        if row["yardstick_value"] is not None:
            told = [row["yardstick"],
                    shown(row["yardstick_value"], row["unit"]),
                    f"{row['ratio']:.2f}"]
        rows.append((f"{row['section']}: {row['name']}",
                     shown(row["value"], row["unit"]), *told))
    yield from FIGURES.splitlines()
    yield ""
    yield machine_line(bench["machine"])
    yield ""
    yield from table(("what", "figure", "yardstick", "", "ratio"), rows)
    yield from NOTES.splitlines()


def markdown(bench, ledger):
    """The whole page, as text."""
    return "\n".join([*HEAD.splitlines(), "", *ledger_lines(ledger),
                      *figure_lines(bench)]) + "\n"


def read(folder, name):
    """What was measured, from a file of it."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def write(folder):
    """Writes results.md from the files in a folder."""
    text = markdown(read(folder, "bench.json"), read(folder, "ledger.json"))
    with open(RESULTS, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    write(sys.argv[1] if len(sys.argv) > 1 else FOLDER)
    print(f"written: {os.path.relpath(RESULTS)}")
