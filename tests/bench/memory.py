"""Memory of each process, and the peak of the supervisor in every section.

Memory is PSS (the proportional set size of /proc/PID/smaps_rollup: shared
pages count by the share, so it is smaller where other programs use the same
libraries: measure it on a quiet machine, too). Reading it of processes that
run as another user needs root.
"""
import time

from client import peak_kib
from measure import PATIENCE, children, kinds, median, settle, spread

CALLS = 4
SERVERS = 10
TOOLS = 600
LARGE = (16 << 20) - 4096
POOL = 16
ROUNDS = 5  # of a small and a large pool in turns
SUPERVISOR_MAX = 16 << 20
LISTED = "print(len(runtime.list_tools_sync('s1')))"
FETCHED = f"print(len(mcp_s0.bytes(n={LARGE}).result().text))"


def pss(pid):
    """Bytes of proportional set size, or None where it may not be read."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) << 10
    except (PermissionError, FileNotFoundError, ProcessLookupError):
        pass
    return None


def row(bench, name, pids):
    """Notes the largest of some processes."""
    values = [pss(pid) for pid in pids]
    if not values or None in values:
        bench.missing(name, "not readable by this user" if values
                      else "there is none")
    else:
        bench.row(name, max(values), "B")


def wait_for(client, sort, count):
    """The processes of a sort, when there are so many."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = kinds(client.pid).get(sort, [])
        if len(found) >= count:
            break
        time.sleep(0.05)
    settle(client.pid)
    return kinds(client.pid).get(sort, [])


def measure_calls(bench):
    """Before the first call, and with some that wait."""
    with bench.client(POOL=0) as client:
        bench.row("processes before the first call, without a pool",
                  len(children(client.pid)), "")
        row(bench, "supervisor, idle", [client.pid])
        client.write(b"".join(
            client.code_line("import time; time.sleep(600)")
            for _ in range(CALLS)))
        wait_for(client, "relay", CALLS)
        row(bench, f"supervisor with {CALLS} calls", [client.pid])
        for sort, pids in sorted(kinds(client.pid).items()):
            row(bench, f"{sort}, the largest of {len(pids)} while {CALLS} "
                "calls sleep", pids)


def everything(bench, size):
    """Bytes of the whole program with a pool of this size, and of its sorts.

    None where they may not be read, or the pool is not what is meant.
    """
    with bench.client(POOL=size) as client:
        if bench.warm(client, {"POOL": size}) is not None:
            return None, {}
        wait_for(client, "relay", size)
        sizes = {sort: [pss(pid) for pid in pids]
                 for sort, pids in kinds(client.pid).items()}
        sizes["supervisor"] = [pss(client.pid)]
    values = [value for each in sizes.values() for value in each]
    return (None, {}) if None in values else (sum(values), sizes)


def one_more(bench):
    """Bytes of one more box that waits, and of the sorts of a large pool.

    The figure of one program varies by a megabyte with what other programs
    use of the same files, and with the huge pages that its template got. So
    the pool is large, and this is to be called several times.
    """
    one, _ = everything(bench, 1)
    many, sizes = everything(bench, POOL)
    if None in (one, many):
        return None, {}
    return (many - one) / (POOL - 1), sizes


def measure_pool(bench):
    """What one more box that waits costs: relay, init and interpreter."""
    name = "one more box in the pool, all of its processes"
    if not bench.has("POOL"):
        bench.missing(name)
        return
    values = []
    for _ in range(1 if bench.quick else ROUNDS):
        value, sizes = one_more(bench)
        if value is None:
            bench.missing(name, "not readable by this user, or not in force")
            return
        values.append(value)
    bench.row(name, median(values), "B", None, None, "", spread(values))
    for sort, values in sorted(sizes.items()):
        bench.row(f"{sort}, the largest of {len(values)} with a pool of "
                  f"{POOL}", max(values), "B")


def measure_servers(bench):
    """The broker and the keepers."""
    every = [f"s{n}" for n in range(2 if bench.quick else SERVERS)]
    config = bench.config("memory.json", {
        name: TOOLS if name == "s1" else 3 for name in every})
    with bench.client(config) as client:
        client.run("for s in mcp_servers.values(): s.echo().result()", every)
        broker = kinds(client.pid).get("broker", [])
        keepers = kinds(client.pid).get("keeper", [])
        row(bench, f"broker with {len(every)} servers, idle", broker)
        row(bench, f"the largest of {len(keepers)} keepers", keepers)
        client.run(LISTED, ["s1"])
        row(bench, f"broker after a list of {TOOLS} tools", broker)
        client.run(FETCHED, ["s0"])
        row(bench, "broker after a result of 16 MiB", broker)
        bench.row("peak of the broker", peak_kib(broker[0]) << 10, "B")


def measure(bench):
    """All of it."""
    bench.section = "memory"
    measure_calls(bench)
    measure_pool(bench)
    measure_servers(bench)


def measure_peaks(bench):
    """The largest supervisor of each section; to be called last."""
    for section, peaks in bench.peaks.items():
        bench.section = "peak"
        bench.row(f"supervisor, largest in section {section}",
                  max(peaks) << 10, "B", "its bound", SUPERVISOR_MAX)
