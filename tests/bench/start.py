"""How long it takes until code has run, beside what else could run it."""
import functools
import shutil
import subprocess

from measure import PYTHON, in_turns, median, plain

ROUNDS = 100
ROUNDS_ENGINE = 5
HELLO = "print('hi')"
IMAGE = "python:3.14-slim"
PRELOADED = {"json,asyncio": "import json, asyncio; print('hi')",
             "numpy": "import numpy; print('hi')"}

# What a box sees of the host, and all of the namespaces that it has.
BUBBLEWRAP = ["--unshare-all", "--die-with-parent", "--new-session",
              "--clearenv", "--ro-bind", "/usr", "/usr",
              "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64",
              "/lib64", "--symlink", "usr/bin", "/bin", "--proc", "/proc",
              "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/workspace",
              "--chdir", "/workspace", "--cap-drop", "ALL"]


def silently(argv):
    """A function that runs a command that must succeed."""
    return lambda: subprocess.run(argv, check=True, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)


def works(argv):
    """Whether a command is there and succeeds."""
    return shutil.which(argv[0]) is not None and subprocess.run(
        argv, check=False, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def others():
    """Other sandboxes around Python: their commands, or why not."""
    bubblewrap = ["bwrap", *BUBBLEWRAP, PYTHON, "-I", "-c", HELLO]
    found = {"bubblewrap with the same binds": (
        bubblewrap if works(bubblewrap) else None, ROUNDS)}
    for engine in ("podman", "docker"):
        command = [engine, "run", "--rm", "--pull=never", "--network=none",
                   IMAGE, "python3", "-I", "-c", HELLO]
        found[f"{engine} run {IMAGE}"] = (
            command if works(command) else None, ROUNDS_ENGINE)
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
    with bench.clients(choices) as clients:
        functions = {name: functools.partial(client.run, HELLO)
                     for name, client in clients.items()}
        functions["initialize: start, handshake, end"] = (
            lambda: begin_and_end(bench))
        found = others()
        for other, (command, rounds) in found.items():
            if command is not None and rounds == ROUNDS:
                functions[other] = silently(command)
        functions["plain"] = plain()
        seconds = in_turns(functions, bench.rounds(ROUNDS))
    yardstick = median(seconds.pop("plain"))
    for other, values in seconds.items():
        bench.row(other, median(values), "s", "python3 -I -c pass", yardstick)
    if not bench.has("POOL"):
        bench.missing(f"{name}, from the pool")
    measure_others(bench, found, seconds)


def measure_others(bench, found, done):
    """The other sandboxes that take long, and those that are not there."""
    for other, (command, rounds) in found.items():
        if command is None:
            bench.missing(other, "not usable on this machine")
        elif other not in done:
            seconds = in_turns({"it": silently(command), "plain": plain()},
                               bench.rounds(rounds))
            bench.row(other, median(seconds["it"]), "s",
                      "python3 -I -c pass", median(seconds["plain"]))


def measure_preload(bench):
    """Code that imports what the template has imported before."""
    for modules, code in PRELOADED.items():
        name = f"with preload={modules}, code that imports them"
        if not (bench.has("PRELOAD") and bench.has("POOL")):
            bench.missing(name)
            continue
        if not works([PYTHON, "-I", "-c", code]):
            bench.missing(name, f"{PYTHON} has no {modules}")
            continue
        with bench.clients({"it": {"PRELOAD": modules}}) as clients:
            seconds = in_turns(
                {"it": lambda: clients["it"].run(code), "plain": plain(code)},
                bench.rounds(ROUNDS))
        bench.row(name, median(seconds["it"]), "s", "the same, plain Python",
                  median(seconds["plain"]))


def measure(bench):
    """All of it."""
    bench.section = "start"
    measure_hello(bench)
    measure_preload(bench)
