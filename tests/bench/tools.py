"""Calls of tools from inside a box, beside a client on the server's pipes.

Both are asyncio programs in a box of their own and take turns; the server of
the direct one runs in its box, the other one outside, as always.
"""
import json
import os

from measure import HERE, SERVER, median

TURNS = 10
CALLS = 100  # in each turn
PARALLEL = 100
PAUSE = 0.05  # seconds that a call in parallel takes
LARGE = (16 << 20) - 4096  # with its envelope it is just within the limit

# What is measured; call(tool, **arguments) is awaited.
PROGRAM = """
import asyncio, json, time
async def seconds_of(awaitable):
    begin = time.perf_counter()
    await awaitable
    return time.perf_counter() - begin
async def measure(call, tool, arguments, calls, parallel):
    await call("echo", a=1)
    found = []
    for _ in range(calls):
        found.append(await seconds_of(asyncio.gather(
            *[call(tool, **arguments) for _ in range(parallel)])
            if parallel > 1 else call(tool, **arguments)))
    return found
"""
THROUGH = """
async def call(tool, **arguments):
    return await getattr(mcp_s0, tool)(**arguments)
print(json.dumps(await measure(call, {0})))
"""
DIRECT = """
import os, sys
open("server.py", "w").write({1})
direct = await Direct().open([sys.executable, "server.py"])
print(json.dumps(await measure(direct.call, {0})))
await direct.close()
os.unlink("server.py")  # else a note would tell of it
"""


def text_of(path):
    """The text of a file of this folder."""
    with open(os.path.join(HERE, path)) as file:
        return file.read()


def through(tool, arguments, calls, parallel=1):
    """Code that measures calls through the program."""
    return PROGRAM + THROUGH.format(
        f"{tool!r}, {arguments!r}, {calls}, {parallel}")


def direct(tool, arguments, calls, parallel=1):
    """Code that measures calls of a server on its pipes."""
    return text_of("direct.py") + PROGRAM + DIRECT.format(
        f"{tool!r}, {arguments!r}, {calls}, {parallel}",
        repr(text_of(SERVER)))


def both(client, turns, *what):
    """The seconds through the program and directly, in turns."""
    found = ([], [])
    for _ in range(turns):
        found[0].extend(json.loads(client.run(through(*what), ["s0"])))
        found[1].extend(json.loads(client.run(direct(*what))))
    return found


def measure(bench):
    """All of it."""
    bench.section = "tools"
    config = bench.config("tools.json", {"s0": 3})
    yardstick = "the same client on the server's pipes"
    with bench.client(config) as client:
        ours, theirs = both(client, bench.rounds(TURNS), "echo", {"a": 1},
                            bench.rounds(CALLS))
        bench.medians("call of a tool from the box and back", ours,
                      yardstick, theirs)
        bench.row("what that adds", median(ours) - median(theirs), "s")
        ours, theirs = both(client, bench.rounds(TURNS), "pause",
                            {"seconds": PAUSE}, bench.rounds(3), PARALLEL)
        bench.medians(f"{PARALLEL} calls of {PAUSE * 1000:.0f} ms at once",
                      ours, yardstick, theirs)
        ours, theirs = both(client, bench.rounds(3), "bytes", {"n": LARGE},
                            bench.rounds(3))
        bench.medians("result of 16 MiB", ours, yardstick, theirs)
