"""How things are measured: side by side, in turns, as medians.

What is compared is measured in turns within one run, so that whatever else
the machine does meets all of it.
"""
import collections
import contextlib
import json
import os
import statistics
import subprocess
import time

from client import Client

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"
SERVER = os.path.join(HERE, "server.py")
PAUSE = 0.02  # seconds in which what the last one left behind is cleared away
SETTLED = 0.3  # seconds without a new process, which then has started, too
REFILLED = 0.05  # the same, of a pool from which one box was taken
PATIENCE = 30
PRELOADED = "json,asyncio"  # what a template loads by itself
LOADED = "import sys; print(all(name in sys.modules for name in {0}))"
WARM = 4  # boxes of a pool that follows the demand of one caller
WARM_MOST = 60  # calls until all boxes that wait are of the sort that is meant

# Of one figure: its value beside that of its yardstick, in the same unit.
# Where it could not be measured, value is None and the note says why. The
# spreads are (least, lower quarter, upper quarter, most) of what the medians
# are of: where they are wide, the median says little. The ratio is that of
# both values, or the median of the ratios of the rounds (see pairs()).
Row = collections.namedtuple(
    "Row", "section name value unit yardstick yardstick_value note spread "
    "yardstick_spread ratio", defaults=(None, None, "", None, None, None))


def timed(function):
    """The seconds that a function takes."""
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def in_turns(functions, rounds, before=None):
    """The seconds of each of some named functions, in each of some rounds.

    Each is run once before, unmeasured; before has functions of the same names
    that are run, unmeasured, each time.
    """
    for function in functions.values():
        function()
    seconds = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            time.sleep(PAUSE)
            if before and name in before:
                before[name]()
            seconds[name].append(timed(function))
    return seconds


def alternating(things, number):
    """All of them, in the order that the round of this number has.

    What runs first meets other caches and clocks than what follows it.
    """
    return things[::-1] if number % 2 else things


def ratios(firsts, seconds):
    """The ratio of each round, of those that have one."""
    return [first / second for first, second in zip(firsts, seconds) if second]


def median(values):
    """The median."""
    return statistics.median(values)


def spread(values):
    """The least, the lower and the upper quarter, and the most."""
    return (min(values), percentile(values, 0.25), percentile(values, 0.75),
            max(values))


def percentile(values, share):
    """The smallest value that is not below this share of them."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def children(pid):
    """The processes started by pid, itself left out."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def kind(pid):
    """What sort of a process it is: its short name, without its number."""
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip().split("[")[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""  # it has just ended


def kinds(pid):
    """The processes started by pid, by their sort."""
    found = {}
    for child in children(pid):
        found.setdefault(kind(child), []).append(child)
    return found


def settle(pid, quiet=SETTLED):
    """Waits until a process has started all that it starts by itself."""
    deadline = time.monotonic() + PATIENCE
    seen, since = None, time.monotonic()
    while time.monotonic() < deadline:
        now = children(pid)
        if now != seen:
            seen, since = now, time.monotonic()
        elif time.monotonic() - since >= quiet:
            return
        time.sleep(quiet / 10)


def refill(client):
    """A function that waits until the pool of a client is full again."""
    return lambda: settle(client.pid, REFILLED)


def command(argv):
    """A function that runs a command, silently, which must succeed.

    Of all ways to start one this takes the least time, none of it Python's.
    """
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0)
             for fd in range(3)]

    def run():
        pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=quiet)
        if os.waitpid(pid, 0)[1]:
            raise RuntimeError(f"{argv} failed")
    return run


def plain(code="pass"):
    """A function that runs code in plain Python."""
    return command([PYTHON, "-I", "-c", code])


class Bench:
    """One run of the bench: what is measured, how often, what came of it."""

    def __init__(self, binary, quick, folder):
        self.binary, self.quick, self.folder = binary, quick, folder
        self.rows, self.peaks, self.curves = [], {}, []
        self.section = ""
        self.help = subprocess.run([binary, "--help"], check=True,
                                   stdout=subprocess.PIPE).stdout.decode()

    def rounds(self, count):
        """How often something is done, of which count would be enough."""
        return min(2, count) if self.quick else count

    def points(self, values):
        """Where a curve is measured."""
        return [values[0], values[-1]] if self.quick else values

    def has(self, option):
        """Whether the program has an option, such as POOL."""
        flag = "--" + option.lower().replace("_", "-")
        return any(line.split()[:1] == [flag]
                   for line in self.help.splitlines())

    def settings(self, **options):
        """The environment of these options, those left out that are not there.

        For those that must be there, ask has() before.
        """
        return {"CAISSON_" + name: str(value)
                for name, value in options.items() if self.has(name)}

    def client(self, config=None, **options):
        """A client of the program, whose peak counts for this section."""
        settings = self.settings(**options)
        if config is not None:
            settings["CAISSON_SERVERS_CONFIG"] = config
        return Client(self.binary, settings,
                      self.peaks.setdefault(self.section, []))

    @contextlib.contextmanager
    def clients(self, choices):
        """Clients that are ready, one for each named choice of options."""
        with contextlib.ExitStack() as stack:
            started = {name: stack.enter_context(self.client(**options))
                       for name, options in choices.items()}
            for name, client in started.items():
                client.lacks = self.warm(client, choices[name])
                if client.lacks is not None:
                    self.missing("what is meant" if name == "it" else name,
                                 client.lacks)
            yield started

    def warm(self, client, options):
        """Waits until a client has what its options ask for.

        Returns None, or why it has not. A program that cannot have a pool or a
        template does without, and boxes that were started before the template
        was ready wait until they are used: seen by their effect, so that no
        figure bears the name of something else.
        """
        pool = options.get("POOL", WARM) if self.has("POOL") else 0
        deadline = time.monotonic() + PATIENCE
        while True:  # none waits while a template imports for seconds
            client.run("pass")
            settle(client.pid)
            if not pool or "relay" in kinds(client.pid):
                break
            if time.monotonic() > deadline:
                return "not in force: no box waits"
        if not self.has("TEMPLATE") or options.get("TEMPLATE") == "off":
            return None
        modules = options.get("PRELOAD", PRELOADED).split(",")
        row = 0
        for _ in range(WARM_MOST):
            row = row + 1 if client.run(LOADED.format(modules)) == "True" else 0
            settle(client.pid, REFILLED)
            if row >= max(1, pool):
                settle(client.pid)
                return None
        return f"not in force: a box has not loaded {', '.join(modules)}"

    def config(self, name, counts):
        """Writes a configuration of servers with so many tools each."""
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            json.dump({"mcpServers": {
                server: {"command": PYTHON, "args": [SERVER, str(count)]}
                for server, count in counts.items()}}, file)
        return path

    def row(self, name, value, unit, *more):
        """Notes a figure."""
        row = Row(self.section, name, value, unit, *more)
        if row.ratio is None and row.yardstick_value is not None:
            row = row._replace(ratio=value / row.yardstick_value)
        self.rows.append(row)

    def medians(self, name, values, yardstick, yardstick_values):
        """Notes the median of seconds beside that of a yardstick's."""
        self.row(name, median(values), "s", yardstick,
                 median(yardstick_values), "", spread(values),
                 spread(yardstick_values))

    def pairs(self, name, values, unit, yardstick, yardstick_values):
        """Notes medians of rounds, each measured beside its yardstick.

        What the machine does meets both of one round, so the ratio is the
        median of those of the rounds.
        """
        self.row(name, median(values), unit, yardstick,
                 median(yardstick_values), "", spread(values),
                 spread(yardstick_values),
                 median(ratios(values, yardstick_values)))

    def missing(self, name, why="not in this build"):
        """Notes that something could not be measured."""
        self.rows.append(Row(self.section, name, None, "", note=why))
