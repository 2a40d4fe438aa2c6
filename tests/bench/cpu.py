"""What one execution costs, by process: CPU, system calls and page faults.

CPU is that of the kernel's accounting, so a change shows on a busy machine,
too; system calls and page faults hardly vary at all.
"""
from account import COUNTS, TIME, Account, spent, usable
from measure import settle

IN_FLIGHT = 4
CALLS = 300
CODE = "print('hi')"
WHY = "only root can have the kernel report about processes"


def run(client, calls):
    """So many executions, a few at a time, until the pool is full again."""
    client.answers(CODE, IN_FLIGHT, range(calls))
    settle(client.pid)


def counted(client, calls, events):
    """The sorts of processes, with what an execution has cost in each."""
    with Account(client.pid, events) as account:
        run(client, calls)
    return {name: sort._make(value / calls for value in sort)
            for name, sort in sorted(account.sorts.items())}


def total(client, calls):
    """Seconds of an execution, as far as any user can know them."""
    before = spent(client.pid)
    run(client, calls)
    return (spent(client.pid) - before) / calls


def measure_sum(bench, client, calls):
    """The sum alone."""
    bench.row(f"an execution, {IN_FLIGHT} in flight, without holders",
              total(client, calls), "s")


def measure_sorts(bench, client, calls):
    """Everything, by process."""
    name = f"an execution, {IN_FLIGHT} in flight"
    seconds = counted(client, calls, TIME)
    counts = counted(client, calls, COUNTS)
    bench.row(name, sum(each.seconds for each in seconds.values()), "s")
    for sort, each in seconds.items():
        if each.seconds:
            bench.row(f"of that, {sort}", each.seconds, "s")
    for what in ("calls", "faults"):
        title = {"calls": "system calls", "faults": "page faults"}[what]
        values = {sort: getattr(each, what) for sort, each in counts.items()}
        bench.row(f"{title} of {name}", sum(values.values()), "")
        for sort, value in values.items():
            if value >= 1:
                bench.row(f"{title}, {sort}", value, "")


def measure(bench):
    """All of it."""
    bench.section = "cpu"
    calls = 2 * IN_FLIGHT if bench.quick else CALLS
    with bench.clients({"it": {}}) as clients:
        run(clients["it"], IN_FLIGHT)
        measure_sum(bench, clients["it"], calls)
        if usable():
            measure_sorts(bench, clients["it"], calls)
        else:
            bench.missing("an execution, by process", WHY)
