"""How long it takes until code has run in a container, beside a native box and
what the engines themselves take. Only where it is asked for, and only root can.
"""
import contextlib
import os
import sys

from client import Client
from measure import HERE, command, in_turns, plain, settle

sys.path.insert(0, os.path.join(os.path.dirname(HERE), "support"))
from own_engine import IMAGE, Engine, find, why_not  # noqa: E402

ROUNDS = 10
HELLO = "print('hi')"
CODE = ["/usr/bin/python3", "-I", "-c", HELLO]
LIMITS = ["--ulimit", "nofile=256:256", "--ulimit", "nproc=256:256"]
# One box waits: what fills the pool again disturbs the others least.
POOLS = {"from the pool": "1", "on demand": "0"}


def settings(runtime, pool, environment):
    """What Caisson is started with."""
    names = "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"
    image = IMAGE if runtime == "podman" else ""
    return {"CAISSON_POOL": pool, "CAISSON_RUNTIME": runtime,
            **({"CAISSON_IMAGE": image} if image else {}),
            **{name: environment[name] for name in names}}


def measure_all(bench, engine):
    """All of them, in turns."""
    environment = engine.environment
    os.environ.update(environment)
    with contextlib.ExitStack() as stack:
        clients = {
            f"{runtime}, {how}": stack.enter_context(Client(
                bench.binary, settings(runtime, pool, environment),
                bench.peaks.setdefault(bench.section, [])))
            for runtime in ("native", "podman")
            for how, pool in POOLS.items()}
        for client in clients.values():
            client.run("pass")
            settle(client.pid)
        functions = {key: lambda client=client: client.run(HELLO)
                     for key, client in clients.items()}
        functions["podman run"] = command([
            find(("podman",)), "run", "--rm", "--pull=never", "--network=none",
            *LIMITS, IMAGE, *CODE])
        functions["plain"] = plain()
        seconds = in_turns(functions, bench.rounds(ROUNDS), {
            key: lambda client=client: settle(client.pid)
            for key, client in clients.items()})
    yardstick = seconds.pop("plain")
    for key, values in seconds.items():
        bench.medians(key, values, "python3 -I -c pass", yardstick)


def measure(bench):
    """All of it, or why it cannot be measured."""
    bench.section = "containers"
    reason = why_not("podman")
    if reason:
        bench.missing("native, on demand", reason)
        return
    engine = Engine("podman")
    try:
        engine.make_image()
        measure_all(bench, engine)
    finally:
        engine.close()
