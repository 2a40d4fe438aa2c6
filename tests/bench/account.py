"""CPU of the processes of a run by sort, from the accounting of the kernel.

The kernel reports each slice of time that it charges to a process
(sched_stat_runtime), so nothing is sampled, and what a process uses after its
exit is counted, too. The same instance of tracefs can count system calls and
page faults; that costs time, so it is not done while time is counted. It needs
root; without, only the sum over all processes is known (see spent()).
"""
import collections
import contextlib
import os
import re

from measure import children, kind

TRACING = "/sys/kernel/tracing"
TIME = ("sched/sched_process_fork", "sched/sched_stat_runtime")
COUNTS = TIME + ("raw_syscalls/sys_enter", "exceptions/page_fault_user",
                 "exceptions/page_fault_kernel")
BUFFER_KIB = 16384  # for each processor; a lost slice would falsify the sums
NS = 1e-9
CODE = "code"

# Of the processes of one sort: seconds, system calls and page faults.
Sort = collections.namedtuple("Sort", "seconds calls faults")


LINE = re.compile(r".*?-(\d+) +\[\d+\] .*?: (\w+): ?(.*)")
FORKED = re.compile(r" pid=(\d+) .* child_pid=(\d+)")
CHARGED = re.compile(r"comm=(.*) pid=(\d+) runtime=(\d+)")


class Lost(RuntimeError):
    """More happened than the buffer of the kernel holds."""


def usable():
    """Whether this user may have the kernel report about processes."""
    folder = os.path.join(TRACING, "instances", f"caisson-try-{os.getpid()}")
    try:
        os.mkdir(folder)
        os.rmdir(folder)
    except OSError:
        return False
    return os.path.exists("/proc/self/schedstat")


def descendants(pid):
    """A process and all that it has started, with theirs."""
    found = [pid]
    for each in found:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found.extend(children(each))
    return found


def spent(pid):
    """Seconds of a process, its living children, and those it waited for.

    Those of others, such as the holder of a box that is not removed yet, are
    not known.
    """
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    ticks = os.sysconf("SC_CLK_TCK")
    seconds = (int(fields[13]) + int(fields[14])) / ticks
    for each in descendants(pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            with open(f"/proc/{each}/schedstat") as file:
                seconds += int(file.read().split()[0]) * NS
    return seconds


def waiting(pid):
    """The name of a process that is there before anything is counted."""
    name = kind(pid)
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        if (name.startswith("python") and
                "box-holder" in map(kind, children(pid))):
            return CODE
    return name


class Account:
    """What the processes of a run have used while it is entered."""

    def __init__(self, pid, events=TIME):
        self.pid, self.events = pid, events
        self.folder = os.path.join(
            TRACING, "instances", f"caisson-bench-{os.getpid()}")
        self.tally, self.sorts = None, {}

    def put(self, name, value):
        """Writes one of the files of the instance."""
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(str(value))

    def __enter__(self):
        os.mkdir(self.folder)
        try:
            self.put("tracing_on", 0)
            self.put("buffer_size_kb", BUFFER_KIB)
            self.put("options/event-fork", 1)
            found = descendants(self.pid)
            self.put("set_event_pid", " ".join(map(str, found)))
            self.tally = Tally({pid: waiting(pid) for pid in found})
            for event in self.events:
                if os.path.exists(f"{self.folder}/events/{event}"):
                    self.put(f"events/{event}/enable", 1)
            self.put("tracing_on", 1)
        except OSError:
            os.rmdir(self.folder)
            raise
        return self

    def __exit__(self, kind, *_):
        try:
            self.put("tracing_on", 0)
            if kind is None:
                self.read()
        finally:
            os.rmdir(self.folder)

    def read(self):
        """Sums up what the kernel has reported."""
        for processor in os.listdir(os.path.join(self.folder, "per_cpu")):
            with open(f"{self.folder}/per_cpu/{processor}/stats") as file:
                if "\noverrun: 0\n" not in file.read():
                    raise Lost("the kernel has dropped events: count less")
        with open(os.path.join(self.folder, "trace"),
                  errors="replace") as file:
            for line in file:
                self.tally.add(line)
        self.sorts = self.tally.sorts()


class Tally:
    """Sums by process, of those that were there and those that they forked."""

    def __init__(self, roots):
        self.names = dict(roots)  # of a process: the last name that it had
        self.parents = {}
        self.seconds, self.calls, self.faults = (
            collections.Counter() for _ in range(3))

    def fork(self, parent, child):
        """One that was ours has forked another one."""
        if parent in self.names:
            self.names[child] = self.names[parent]
            self.parents[child] = parent

    def charge(self, name, pid, runtime):
        """The kernel has charged nanoseconds to a process."""
        if pid in self.names:
            self.seconds[pid] += runtime * NS
            if self.names[pid] != CODE:  # of one that waited it is known
                self.names[pid] = name

    def sort(self, pid):
        """What sort of a process it is, told by its name and its parent.

        A template and the launchers and codes that descend from it have one
        name, that of the interpreter.
        """
        name, parent = self.names[pid], self.parents.get(pid)
        if not name.startswith("python"):
            return name
        if parent is None or not self.names[parent].startswith("python"):
            return name if pid not in self.parents.values() else "template"
        return "launcher" if self.sort(parent) == "template" else CODE

    def add(self, line):
        """Takes in one line of a trace."""
        match = LINE.match(line)
        if match is None:
            return
        pid, event, rest = int(match[1]), match[2], match[3]
        if event == "sched_process_fork":
            self.fork(*map(int, FORKED.search(rest).groups()))
        elif event == "sched_stat_runtime":
            name, *numbers = CHARGED.search(rest).groups()
            self.charge(name.split("[")[0], *map(int, numbers))
        elif pid in self.names:
            (self.calls if event == "sys_enter" else self.faults)[pid] += 1

    def sorts(self):
        """The sums of each sort."""
        found = {}
        for pid in self.names:
            before = found.get(self.sort(pid), Sort(0, 0, 0))
            found[self.sort(pid)] = Sort(before.seconds + self.seconds[pid],
                                         before.calls + self.calls[pid],
                                         before.faults + self.faults[pid])
        return found
