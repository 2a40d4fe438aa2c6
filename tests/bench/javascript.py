"""JavaScript in a box, with each engine on the PATH, beside the plain engine.

Names of scripts, by which npm starts these engines, are left out: a yardstick
is the program itself.
"""
import functools
import json
import os
import shutil

from client import Client
from load import sustained
from measure import command, in_turns, kinds, median, refill, settle
from tools import through as python_through

ENGINES = {"bun": ["run", "--no-install"], "deno": ["run", "--quiet"],
           "node": []}
ROUNDS = 40
CODE = "const hi: string = 'hi';\nconsole.log(hi);\n"
TURNS = 10
CALLS = 100  # in each turn
IN_FLIGHT = 4
WARM = 6  # calls, after which a pool that follows the demand has some boxes
LANGUAGE = {"language": "typescript"}

# Prints the seconds of each call of a tool.
THROUGH = """
await mcp_s0.echo({ a: 1 });
const found: number[] = [];
for (let i = 0; i < %d; i++) {
  const begin = performance.now();
  await mcp_s0.echo({ a: 1 });
  found.push((performance.now() - begin) / 1000);
}
console.log(JSON.stringify(found));
"""


class Runner(Client):
    """A client that runs code by run_code."""

    def code_line(self, code, servers=(), timeout=100, **more):
        """The line that runs code, as TypeScript where nothing else is told."""
        return self.line_of("tools/call", {
            "name": "run_code", "arguments": {
                "code": code, "servers": list(servers), "timeout": timeout,
                **LANGUAGE, **more}})


def engines():
    """The programs on the PATH, by their names."""
    found = {}
    for name in ENGINES:
        path = os.path.realpath(shutil.which(name) or os.devnull)
        with open(path, "rb") as file:
            if file.read(4) == b"\x7fELF":
                found[name] = path
    return found


def runner(bench, path, config=None, **options):
    """A client of the program, with an engine."""
    settings = bench.settings(JAVASCRIPT=path, TOOLS="run_code",
                              ARGUMENTS="all", **options)
    if config is not None:
        settings["CAISSON_SERVERS_CONFIG"] = config
    return Runner(bench.binary, settings,
                  bench.peaks.setdefault(bench.section, []))


def warm(client):
    """Has a pool of this language."""
    for _ in range(WARM):
        client.run(CODE)
        settle(client.pid)
    if "relay" not in kinds(client.pid):
        raise RuntimeError("no box waits")


def measure_start(bench, name, plain):
    """One program on demand and from the pool, and many, beside the engine."""
    yardstick = f"{name}, plain"
    path = plain.path
    with runner(bench, path, POOL=0) as demand, runner(bench, path) as pool:
        warm(pool)
        seconds = in_turns(
            {"on demand": functools.partial(demand.run, CODE),
             "from the pool": functools.partial(pool.run, CODE),
             "plain": plain.run},
            bench.rounds(ROUNDS), {"from the pool": refill(pool)})
        for which in ("on demand", "from the pool"):
            bench.medians(f"{name}: a program, {which}", seconds[which],
                          yardstick, seconds["plain"])
        rates = [sustained(bench, pool, IN_FLIGHT, CODE)[0]
                 for _ in range(bench.rounds(3))]
        bench.row(f"{name}: {IN_FLIGHT} in flight", median(rates), "/s",
                  f"{yardstick}, one after the other",
                  1 / median(seconds["plain"]))


def measure_tools(bench, name, path):
    """A call of a tool, beside the same from Python."""
    ours, theirs = [], []
    calls = bench.rounds(CALLS)
    config = bench.config("javascript.json", {"s0": 3})
    with runner(bench, path, config) as client:
        for _ in range(bench.rounds(TURNS)):
            ours += json.loads(client.run(THROUGH % calls, ["s0"]))
            theirs += json.loads(client.run(
                python_through("echo", {"a": 1}, calls), ["s0"],
                language="python"))
    bench.medians(f"{name}: call of a tool from the box and back", ours,
                  "the same from Python", theirs)


class Plain:
    """An engine as it is, with the same program."""

    def __init__(self, name, path, folder):
        self.path = path
        file = os.path.join(folder, "hi.ts")
        with open(file, "w") as out:
            out.write(CODE)
        self.run = command([path, *ENGINES[name], file])


def measure(bench):
    """All of it."""
    bench.section = "javascript"
    found = engines()
    for name in ENGINES:
        if name not in found:
            bench.missing(name, "its program is not on the PATH")
            continue
        plain = Plain(name, found[name], bench.folder)
        measure_start(bench, name, plain)
        measure_tools(bench, name, found[name])
