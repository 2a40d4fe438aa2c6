"""How the time of a call grows with its code, its results and the tools."""
import functools
import os

from measure import PYTHON, command, in_turns, median, refill
from tools import both

ROUNDS = 15
CODE = [1 << power for power in range(10, 21, 2)]
RESULTS = [1 << power for power in range(10, 25, 2)]
TOOLS = [3, 10, 30, 100, 300, 1000]
ROOM = 4096  # of a result's 16 MiB, for its envelope
COMMENT = "# " + "x" * 61 + "\n"
SEARCH = "runtime.search_tool_docs_sync('nothing')"


def code_of(size):
    """Code of so many bytes that does nothing: three lines of four comments."""
    line = "a = 1\n" + 3 * COMMENT
    return (line * (size // len(line) + 1))[:size - 1].rpartition("\n")[0]


def curve(bench, title, x, unit, lines):
    """Keeps a curve, and each of its ends as a figure."""
    for name, points in lines.items():
        for size, seconds in (points[0], points[-1]):
            bench.row(f"{title}: {size} {unit}".rstrip() + f", {name}",
                      seconds, "s")
    bench.curves.append({"title": title, "x": x, "unit": unit,
                         "lines": lines})


def measure_code(bench):
    """Larger and larger code, beside plain Python with the same file."""
    lines = {"run_python": [], "python3 -I": []}
    path = os.path.join(bench.folder, "code.py")
    with bench.clients({"it": {}}) as clients:
        for size in bench.points(CODE):
            code = code_of(size)
            with open(path, "w") as file:
                file.write(code)
            seconds = in_turns({
                "run_python": functools.partial(clients["it"].run, code),
                "python3 -I": command([PYTHON, "-I", path])},
                bench.rounds(ROUNDS), {"run_python": refill(clients["it"])})
            for name, values in seconds.items():
                lines[name].append((size, median(values)))
    curve(bench, "code size", "bytes of code", "B", lines)


def measure_results(bench):
    """Larger and larger results of a tool, timed in the box."""
    lines = {"through caisson": [], "on the server's pipes": []}
    with bench.client(bench.config("results.json", {"s0": 3})) as client:
        for size in bench.points(RESULTS):
            found = both(client, bench.rounds(3), "bytes",
                         {"n": max(1, size - ROOM) if size > ROOM else size},
                         bench.rounds(5))
            for name, values in zip(lines, found):
                lines[name].append((size, median(values)))
    curve(bench, "result size", "bytes of a tool's result", "B", lines)


def measure_tools(bench):
    """A server with more and more tools, of which the code uses one."""
    programs = {"print('hi')": "print('hi')",
                "a call of one tool": "mcp_it.echo(a=1).result()",
                "a search through all": SEARCH}
    lines = {name: [] for name in programs}
    for count in bench.points(TOOLS):
        config = bench.config(f"tools{count}.json", {"it": count})
        with bench.client(config) as client:
            seconds = in_turns({
                name: functools.partial(client.run, code, ["it"])
                for name, code in programs.items()}, bench.rounds(ROUNDS),
                {name: refill(client) for name in programs})
        for name, values in seconds.items():
            lines[name].append((count, median(values)))
    curve(bench, "number of tools", "tools of the server", "tools", lines)


def measure(bench):
    """All of it."""
    bench.section = "growth"
    measure_code(bench)
    measure_results(bench)
    measure_tools(bench)
