"""How long it takes until code has run, beside what else could run it."""
import functools
import shutil

from measure import PYTHON, command, in_turns, plain, refill

ROUNDS = 100
ROUNDS_ENGINE = 5
HELLO = "print('hi')"
IMAGE = "python:3.14-slim"
PRELOADED = {"json,asyncio": "import json, asyncio; print('hi')",
             "numpy": "import numpy; print('hi')"}

PLOT = """import matplotlib; matplotlib.use('Agg')
import matplotlib.pyplot as plt
plt.plot([1, 3, 2], label="sales")
plt.title("Sales")
plt.legend()
%s"""
ROUNDS_PLOT = 20

# What a box sees of the host, and all of the namespaces that it has.
BUBBLEWRAP = ["--unshare-all", "--die-with-parent", "--new-session",
              "--clearenv", "--ro-bind", "/usr", "/usr",
              "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64",
              "/lib64", "--symlink", "usr/bin", "/bin", "--proc", "/proc",
              "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/workspace",
              "--chdir", "/workspace", "--cap-drop", "ALL"]


def working(name, *args):
    """A function that runs a command, or None where it does not work."""
    path = shutil.which(name)
    if path is None:
        return None
    function = command([path, *args])
    try:
        function()
    except RuntimeError:
        return None
    return function


def others():
    """Other sandboxes around Python: each a function, or None, and rounds."""
    code = (PYTHON, "-I", "-c", HELLO)
    found = {"bubblewrap with the same binds": (
        working("bwrap", *BUBBLEWRAP, *code), ROUNDS)}
    for engine in ("podman", "docker"):
        found[f"{engine} run {IMAGE}"] = (working(
            engine, "run", "--rm", "--pull=never", "--network=none", IMAGE,
            "python3", *code[1:]), ROUNDS_ENGINE)
    return found


def begin_and_end(bench):
    """Starts the program, shakes hands, and ends it."""
    with bench.client():
        pass


def measure_hello(bench):
    """print('hi'), line in to line out."""
    name = "run_python print('hi')"
    choices = {f"{name}, on demand": {"POOL": 0}}
    if bench.has("TEMPLATE"):
        choices[f"{name}, on demand, no template"] = {
            "POOL": 0, "TEMPLATE": "off"}
    if bench.has("POOL"):
        choices[f"{name}, from the pool"] = {}
    with bench.clients(choices) as started:
        clients = {name: client for name, client in started.items()
                   if client.lacks is None}
        functions = {name: functools.partial(client.run, HELLO)
                     for name, client in clients.items()}
        functions["initialize: start, handshake, end"] = (
            lambda: begin_and_end(bench))
        found = others()
        for other, (function, rounds) in found.items():
            if function is not None and rounds == ROUNDS:
                functions[other] = function
        functions["plain"] = plain()
        seconds = in_turns(
            functions, bench.rounds(ROUNDS),
            {name: refill(client) for name, client in clients.items()})
    yardstick = seconds.pop("plain")
    for other, values in seconds.items():
        bench.medians(other, values, "python3 -I -c pass", yardstick)
    if not bench.has("POOL"):
        bench.missing(f"{name}, from the pool")
    measure_others(bench, found, seconds)


def measure_others(bench, found, done):
    """The other sandboxes that take long, and those that are not there."""
    for other, (function, rounds) in found.items():
        if function is None:
            bench.missing(other, "not usable on this machine")
        elif other not in done:
            seconds = in_turns({"it": function, "plain": plain()},
                               bench.rounds(rounds))
            bench.medians(other, seconds["it"], "python3 -I -c pass",
                          seconds["plain"])


def measure_session(bench):
    """A call that finds its interpreter, beside one that gets a fresh box."""
    name = "run_python 1+1, in a session"
    if not (bench.has("SESSIONS") and bench.has("POOL")):
        bench.missing(name)
        return
    options = {"ARGUMENTS": "code,servers,timeout,session"}
    with bench.clients({name: options}) as clients:
        client = clients[name]
        if client.lacks is not None:
            return
        seconds = in_turns(
            {"it": functools.partial(client.run, "1+1", session="bench"),
             "fresh": functools.partial(client.run, "1+1")},
            bench.rounds(ROUNDS),
            {"it": refill(client), "fresh": refill(client)})
    bench.medians(name, seconds["it"], "the same, from the pool",
                  seconds["fresh"])


def measure_preload(bench):
    """Code that imports what the template has imported before."""
    for modules, code in PRELOADED.items():
        name = f"with preload={modules}, code that imports them"
        if not (bench.has("PRELOAD") and bench.has("POOL")):
            bench.missing(name)
            continue
        if working(PYTHON, "-I", "-c", code) is None:
            bench.missing(name, f"{PYTHON} has no {modules}")
            continue
        with bench.clients({name: {"PRELOAD": modules}}) as clients:
            client = clients[name]
            if client.lacks is not None:
                continue
            seconds = in_turns(
                {"it": functools.partial(client.run, code),
                 "plain": plain(code)},
                bench.rounds(ROUNDS), {"it": refill(client)})
        bench.medians(name, seconds["it"], "the same, plain Python",
                      seconds["plain"])


def measure_plot(bench):
    """A plot, as a picture of the answer, and as a file of plain Python."""
    name = "with preload=matplotlib.pyplot, a plot that is shown"
    saved = PLOT % "plt.savefig('/dev/null', format='png')"
    if not (bench.has("PRELOAD") and bench.has("POOL")):
        bench.missing(name)
        return
    if working(PYTHON, "-I", "-c", saved) is None:
        bench.missing(name, f"{PYTHON} has no matplotlib")
        return
    with bench.clients({name: {"PRELOAD": "matplotlib.pyplot"}}) as clients:
        client = clients[name]
        if client.lacks is not None:
            return
        seconds = in_turns(
            {"it": functools.partial(client.run, PLOT % "plt.show()"),
             "plain": plain(saved)},
            bench.rounds(ROUNDS_PLOT), {"it": refill(client)})
    bench.medians(name, seconds["it"], "the same to a file, plain Python",
                  seconds["plain"])


def measure(bench):
    """All of it."""
    bench.section = "start"
    measure_hello(bench)
    measure_session(bench)
    measure_preload(bench)
    measure_plot(bench)
