"""How the time of a call grows with its code, its results and the tools."""
import contextlib
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
PROGRAMS = {"print('hi')": "print('hi')",
            "a call of one tool": "mcp_it.echo(a=1).result()",
            "a search through all": "runtime.search_tool_docs_sync('nothing')"}


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
    bench.curves.append({"title": title, "x": x, "unit": unit, "lines": lines})


def lines_of(seconds):
    """The lines of a curve: medians of what was measured as (name, size)."""
    lines = {}
    for (name, size), values in seconds.items():
        lines.setdefault(name, []).append((size, median(values)))
    return lines


def measure_code(bench):
    """Larger and larger code, beside plain Python with the same file."""
    functions, before = {}, {}
    with bench.clients({"it": {}}) as clients:
        client = clients["it"]
        for size in bench.points(CODE):
            path = os.path.join(bench.folder, f"code{size}.py")
            with open(path, "w") as file:
                file.write(code_of(size))
            functions["run_python", size] = functools.partial(
                client.run, code_of(size))
            before["run_python", size] = refill(client)
            functions["python3 -I", size] = command([PYTHON, "-I", path])
        seconds = in_turns(functions, bench.rounds(ROUNDS), before)
    curve(bench, "code size", "bytes of code", "B", lines_of(seconds))


def measure_results(bench):
    """Larger and larger results of a tool, timed in the box."""
    seconds = {}
    sizes = bench.points(RESULTS)
    with bench.client(bench.config("results.json", {"s0": 3})) as client:
        for _ in range(bench.rounds(3)):
            for size in sizes:
                given = {"n": size - ROOM if size > ROOM else size}
                ours, theirs = both(client, 1, "bytes", given, bench.rounds(5))
                seconds.setdefault(("through caisson", size), []).extend(ours)
                seconds.setdefault(("on the server's pipes", size),
                                   []).extend(theirs)
    curve(bench, "result size", "bytes of a tool's result", "B",
          lines_of(seconds))


def measure_tools(bench):
    """A server with more and more tools, of which the code uses one."""
    functions, before = {}, {}
    with contextlib.ExitStack() as stack:
        for count in bench.points(TOOLS):
            client = stack.enter_context(bench.client(
                bench.config(f"tools{count}.json", {"it": count})))
            bench.warm(client, {})
            for name, code in PROGRAMS.items():
                functions[name, count] = functools.partial(
                    client.run, code, ["it"])
                before[name, count] = refill(client)
        seconds = in_turns(functions, bench.rounds(ROUNDS), before)
    curve(bench, "number of tools", "tools of the server", "tools",
          lines_of(seconds))


def measure(bench):
    """All of it."""
    bench.section = "growth"
    measure_code(bench)
    measure_results(bench)
    measure_tools(bench)
