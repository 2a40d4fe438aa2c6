"""Hundreds of executions in one program, rows of the table among them, and what
they leave behind.
"""
import os
import re

from alone import PLACES, QUEUES, own_namespaces
from table import CASES, case, seen_in

ROUNDS, EACH = 3, 100  # fewer where all is slow
HELLO = "print('hi')"
# Has the worker for files started, which stays.
KEPT = "open('/workspace/out/a', 'w').close()"
RSS_GROWTH_KIB = 2048


def rows(run):
    """The codes of rows that end soon and by themselves."""
    return [run.code(one) for one in CASES
            if not (one.driven or one.before or one.beside or one.later
                    or one.settings or one.skip or one.under)
            and (one.root is None or one.root == run.is_root())]


def entries(run):
    """What boxes could leave in the folders of the host."""
    shared = PLACES + (QUEUES,) if own_namespaces() else ()
    return sorted(
        os.path.join(where, name) for where in (run.host.home, *shared)
        if os.path.isdir(where) for name in os.listdir(where))


def cgroups(program):
    """Cgroups of version 2 that bear the number of this Caisson."""
    with open("/proc/self/cgroup") as file:
        own = [line.split("::")[1].strip() for line in file if "::" in line]
    tops = [program.place] if program.place else [
        root + path for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
        for path in own if os.path.exists(root + "/cgroup.controllers")]
    number = re.compile("[a-z]+-%d-" % program.pid)
    return sorted(name for top in tops for _, folders, _ in os.walk(top)
                  for name in folders if number.match(name))


def resident(pid):
    """KiB of memory of a process."""
    with open("/proc/%d/status" % pid) as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


def state(run, program):
    """What must be flat, once no box is left."""
    descriptors, processes = run.settled(program, None)
    with open("/proc/%d/mounts" % program.pid) as file:
        mounts = len(file.readlines())
    return {"descriptors": descriptors, "processes": processes,
            "mounts": mounts, "entries": entries(run),
            "cgroups": cgroups(program)}


@case("64", "hundreds of calls, rows of this table among them: what they leave",
      "nothing", driven=True, shown="each box is new, and all of it ends")
def soak(run, words):
    program = run.start(words)
    seen_in(program.run(KEPT))
    codes, each = rows(run), EACH // run.slow
    states, sizes = [], []
    for number in range(ROUNDS):
        mixed = [codes[(number * each + n) // 2 % len(codes)] if n % 2
                 else HELLO for n in range(each)]
        for code, answer in zip(mixed, program.run_all(
                (code, 20) for code in mixed)):
            if code == HELLO and seen_in(answer) != "hi":
                return "print('hi') gives " + seen_in(answer)
        states.append(state(run, program))
        sizes.append(resident(program.pid))
    program.close()
    for later in states[1:]:
        if later != states[0]:
            return "%s was %s" % (later, states[0])
    grown = sizes[-1] - sizes[0]
    return "nothing" if grown <= RSS_GROWTH_KIB else "%d KiB more" % grown
