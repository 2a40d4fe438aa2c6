"""Two builds in turns: the ratios of one to the other, with their spread.

In each round everything is measured with both builds, one directly after the
other and the first of them alternating, so that whatever else the machine does
meets both. A ratio is that of one round; the median of all rounds is told with
its quarters. Where these enclose 1, nothing is shown to differ.
"""
import contextlib
import functools
import json
import sys
import tempfile

import cpu
import tools
from account import TIME, Account, usable
from measure import (Bench, alternating, median, plain, ratios, refill,
                     settle, spread, timed)
from memory import one_more

ROUNDS = 15
SINGLE = 20  # calls of a round that come one by one
LONG = 3  # those that take long
CPU_CALLS = 100
RATE_CALLS = 200
TOOL_CALLS = 50
PRINTS = 200000
POOLS = 3  # rounds of pools
CODE = "print('hi')"


class Build:
    """One of the builds, its clients, and what was measured of it."""

    def __init__(self, binary, quick, folder, stack):
        self.bench = Bench(binary, quick, folder)
        self.bench.section = "compare"
        config = self.bench.config("compare.json", {"s0": 3})
        self.pooled = stack.enter_context(self.bench.client(config))
        self.demand = stack.enter_context(self.bench.client(POOL=0))
        self.bench.warm(self.pooled, {})
        self.bench.warm(self.demand, {"POOL": 0})
        self.pooled.run("await mcp_s0.echo(a=1)", ["s0"])

    def single(self, client, code=CODE, count=SINGLE):
        """Seconds of a call from the line of it to its answer."""
        found = []
        for _ in range(self.bench.rounds(count)):
            refill(client)()
            found.append(timed(functools.partial(client.run, code)))
        return median(found)

    def rate(self):
        """Seconds of an execution with some in flight."""
        calls = self.bench.rounds(RATE_CALLS)
        return timed(lambda: self.pooled.answers(
            CODE, cpu.IN_FLIGHT, range(calls))) / calls

    def tool(self, tool, arguments, calls):
        """Seconds of a call of a tool, seen from the box."""
        return median(json.loads(self.pooled.run(
            tools.through(tool, arguments, self.bench.rounds(calls)),
            ["s0"])))

    def used(self):
        """Seconds of CPU of an execution, in all and by process."""
        calls = self.bench.rounds(CPU_CALLS)
        if not usable():
            return {"CPU of an execution": cpu.total(self.pooled, calls)}
        with Account(self.pooled.pid, TIME) as account:
            cpu.run(self.pooled, calls)
        found = {name: sort.seconds / calls
                 for name, sort in sorted(account.sorts.items())}
        return {"CPU of an execution": sum(found.values()),
                **{f"CPU, {name}": value for name, value in found.items()}}

    def all(self):
        """One round: each figure by its name."""
        prints = self.bench.rounds(PRINTS)
        found = {
            "from the pool": self.single(self.pooled),
            "on demand": self.single(self.demand),
            f"an execution with {cpu.IN_FLIGHT} in flight": self.rate(),
            "call of a tool": self.tool("echo", {"a": 1}, TOOL_CALLS),
            "result of 16 MiB": self.tool("bytes", {"n": tools.LARGE}, 2),
            f"{prints} prints": self.single(
                self.pooled, f"for n in range({prints}): print(n)", LONG),
        }
        settle(self.pooled.pid)
        return {**found, **self.used()}


def ordered(builds, number):
    """The builds with their indices, the first of them alternating."""
    return alternating(list(enumerate(builds)), number)


def pool_boxes(builds, rounds):
    """Bytes of one more box in the pool, of each build by round."""
    found = [[] for _ in builds]
    for number in range(rounds):
        for index, build in ordered(builds, number):
            found[index].append(one_more(build.bench)[0])
    return found


def in_rounds(builds, rounds):
    """What was measured of each build, by round."""
    found = [[] for _ in builds]
    starts = []
    python = plain()
    for number in range(rounds):
        print(f"comparing: round {number + 1} of {rounds}", file=sys.stderr,
              flush=True)
        for index, build in ordered(builds, number):
            found[index].append(build.all())
        starts.append(median([timed(python) for _ in range(3)]))
    return found, starts


def line(name, first, second, scale=1e6, unit="us", starts=None):
    """One line of the table."""
    each = ratios(first, second)
    if not each:
        return f"  {name:<34} too little to compare"
    _, low, high, _ = spread(each)
    told = (f"  {name:<34} {median(each):6.3f}  ({low:.3f} to {high:.3f})"
            f"  {median(first) * scale:10.0f} {median(second) * scale:10.0f} "
            f"{unit}")
    if starts:
        told += f"  {median(first) / median(starts):6.3f}"
    return told


def pool_line(sizes):
    """The line of what one more box that waits costs."""
    name = "one more box in the pool"
    if any(None in values for values in sizes):
        return f"  {name:<34} not readable by this user, or not in force"
    return line(name, *sizes, 2 ** -10, "KiB")


def table(found, starts):
    """All lines; the figures of a round are compared with one another."""
    names = [name for name in found[0][0]
             if all(name in values for each in found for values in each)]
    for name in names:
        yield line(name, *([values[name] for values in each]
                           for each in found), starts=starts)


def compare(binary, other, quick):
    """Measures two builds in turns; returns the lines that tell of it."""
    with contextlib.ExitStack() as stack:
        folders = [stack.enter_context(tempfile.TemporaryDirectory())
                   for _ in range(2)]
        builds = [Build(path, quick, folder, stack)
                  for path, folder in zip((binary, other), folders)]
        found, starts = in_rounds(builds, 2 if quick else ROUNDS)
    lines = ["ratio to the other build (middle half); medians of both; "
             "ratio to python3 -I -c pass",
             *table(found, starts)]
    return [*lines, pool_line(pool_boxes(builds, 1 if quick else POOLS))]
