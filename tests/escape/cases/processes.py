"""Processes: how a box ends with all that is in it, and what it reaches."""
# What prelude.py brings along is at hand in every case.
from table import case

@case("34", "a daemon that forks twice, in a session of its own",
      "the call ended at once", shown="34b looks for what is left of it")
def daemon():
    if os.fork() == 0:
        os.setsid()
        for number in range(1, 32):
            attempt(signal.signal, number, signal.SIG_IGN)
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    return "the call ended at once"


@case("35", "a child that keeps the streams open", "the call ended at once",
      shown="else it would end at its deadline, with an error")
def open_streams():
    if os.fork() == 0:
        time.sleep(600)
    return "the call ended at once"


@case("36", "ignore every signal and sleep", "[timeout]", timeout=1, later=20)
def ignore_signals():
    for number in range(1, 65):
        attempt(signal.signal, number, signal.SIG_IGN)
    time.sleep(HOST["lasts"])


@case("37a", "a busy loop in four threads", "[timeout]", timeout=1, later=20)
def busy():
    import threading
    end = time.monotonic() + HOST["lasts"]

    def spin():
        while time.monotonic() < end:
            pass

    threads = [threading.Thread(target=spin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@case("37b", "stop oneself", "[timeout]", timeout=1, later=20)
def stopped():
    pid = os.fork()
    if pid == 0:
        time.sleep(HOST["lasts"])
        os.kill(os.getppid(), signal.SIGCONT)
        os._exit(0)
    os.kill(os.getpid(), signal.SIGSTOP)


@case("37c", "stop oneself again and again", "[timeout]", timeout=1, later=20)
def stopped_again():
    pid = os.fork()
    if pid == 0:
        for _ in range(50 * HOST["lasts"]):
            os.kill(os.getppid(), signal.SIGSTOP)
            time.sleep(0.02)
        os.kill(os.getppid(), signal.SIGCONT)
        os._exit(0)
    os.waitpid(pid, 0)  # not before it was stopped


@case("38a", "end by a signal of one's own: 9", "[SIGKILL]",
      shown="as the kernel says: there is nothing to take away")
def kill_self():
    os.kill(os.getpid(), signal.SIGKILL)


@case("38b", "abort", "[SIGABRT]", shown="as the kernel says")
def abort():
    os.abort()


@case("38c", "read from address 0", "[SIGSEGV]", shown="as the kernel says")
def fault():
    ctypes.string_at(0)


@case("38d", "exit with 137, as one who was killed does", "[exit 137]",
      shown="as the kernel says")
def exit_137():
    os._exit(137)


@case("39a", "ask whether signals could be sent to anybody", "ESRCH",
      without="pid landlock")
def ask_everybody():
    # Bounded: signal 0 only asks.
    pids = {*range(3, 3000), HOST["sleeper"]} - own_processes()
    seen = {attempt(os.kill, pid, 0) for pid in pids}
    return " ".join(sorted(seen))


@case("39c", "end process 1 of the box", "alive",
      shown="the kernel's own rule for process 1, which takes no signal")
def kill_init():
    for number in signal.valid_signals():
        attempt(os.kill, 1, number)
    time.sleep(0.1)
    return "alive"


@case("39b", "kill(-1): all that one may", "nobody else",
      shown="as 39a, which is bounded; the host's processes still live")
def kill_all():
    own, seen = own_processes(), attempt(os.kill, -1, signal.SIGKILL)
    if seen == ("ok" if len(own) > 1 else "ESRCH"):
        return "nobody else"
    return seen


@case("52", "leave a core dump", "no core, limit 1", without="CORE")
def core_dump():
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    pid = os.fork()
    if pid == 0:
        os.abort()
    status = os.waitpid(pid, 0)[1]
    return "%s, limit %d" % (
        "a core" if os.WCOREDUMP(status) else "no core", hard)


@case("54b", "raise limits, one's own and those of process 1", "refused",
      without="rlimits",
      python="its processes may reserve any address space")
def raise_limits():
    def lift(kind):
        wanted = resource.RLIM_INFINITY, resource.RLIM_INFINITY
        return attempt(resource.setrlimit, kind, wanted)
    # Where a cgroup counts what is used, what is promised has no limit.
    kinds = ("FSIZE", "CPU", "DATA") + (() if HOST["grouped"] else ("AS",))
    seen = [(kind, "ok" if lift(getattr(resource, "RLIMIT_" + kind)) == "ok"
             else "refused") for kind in kinds]
    return same(seen)


@case("54c", "a better priority", "~(EPERM|EACCES)",
      without="NICE caps user identity", open_root=True)
def priority():
    return attempt(os.nice, -5)


@case("54d", "priority, processors and limits of process 1, which watches",
      "EPERM", without="seccomp")
def watchdog_last():
    # The lowest, which nothing else forbids, whatever process 1 has.
    return same([
        ("process", attempt(os.setpriority, os.PRIO_PROCESS, 1, 19)),
        ("high", call("setpriority", 1 << 32, (1 << 32) + 1, 19)),
        ("user", attempt(os.setpriority, os.PRIO_USER, 0, 19)),
        ("processors", attempt(os.sched_setaffinity, 1,
                               os.sched_getaffinity(0))),
        ("one's own", attempt(os.sched_setaffinity, 0,
                              os.sched_getaffinity(0))),
        ("limits", attempt(resource.prlimit, 1, resource.RLIMIT_NOFILE))])


def leave_traces():
    for place in WRITABLE:
        with open(place + "/left", "w") as file:
            file.write("x")
        os.mkfifo(place + "/pipe")
    os.environ["LEFT"] = "1"
    os.umask(0)
    builtins = sys.modules["builtins"]
    builtins.left = 1
    sys.modules["left"] = builtins
    fcntl.flock(os.open("/workspace/left", os.O_RDONLY), fcntl.LOCK_EX)
    call("memfd_create", b"left\0")
    print("ok")
    raise SystemExit


@case("57a", "find what an earlier box left", "nothing", before=leave_traces,
      shown="each box is new: there is nothing to take away")
def traces():
    found = [place for place in WRITABLE for name in os.listdir(place)
             if name in ("left", "pipe")]
    found += ["LEFT"] if "LEFT" in os.environ else []
    found += ["left"] if "left" in sys.modules else []
    return " ".join(found) or "nothing"


def leave_shared_memory():
    made = call("shmget", HOST["key"], 4096, 0o1666)
    print("ok" if made in ("ok", "EPERM") else made)
    raise SystemExit


@case("57b", "shared memory of System V that an earlier box left", "ENOENT",
      under="seccomp", without="ipc", before=leave_shared_memory)
def shared_memory():
    return call("shmget", HOST["key"], 4096, 0o666)


def show_oneself():
    with open("/dev/shm/here", "w") as file:
        file.write("x")
    made = socket.socket(socket.AF_UNIX)
    made.bind("\0caisson-sibling")
    with open("/tmp/here", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        time.sleep(3 * HOST["slow"])
    print("ok")
    raise SystemExit


@case("58a", "find a box that runs at the same time", "nothing",
      under="seccomp landlock", without="net", beside=show_oneself)
def siblings():
    end = time.monotonic() + 2 * HOST["slow"]
    found = set()
    while time.monotonic() < end and not found:
        if os.path.exists("/dev/shm/here") or os.path.exists("/tmp/here"):
            found.add("a file")
        if {name for name in os.listdir("/proc") if name.isdigit()} - {
                "1", *map(str, own_processes())}:
            found.add("a process")
        made = socket.socket(socket.AF_UNIX)
        if attempt(made.bind, "\0caisson-sibling") != "ok":
            found.add("a socket")
        made.close()
        time.sleep(0.02)
    return " ".join(found) or "nothing"


def hold_lock():
    fd = os.open("/usr/bin/env", os.O_RDONLY)
    attempt(fcntl.flock, fd, fcntl.LOCK_EX)
    time.sleep(3 * HOST["slow"])
    print("ok")
    raise SystemExit


@case("58b", "signal to another box by a lock on a file below /usr",
      "no signal", beside=hold_lock, without="overlay")
def lock_channel():
    end = time.monotonic() + 2 * HOST["slow"]
    fd = os.open("/usr/bin/env", os.O_RDONLY)
    while time.monotonic() < end:
        if attempt(fcntl.flock, fd, fcntl.LOCK_EX | fcntl.LOCK_NB) == "EAGAIN":
            return "the other's lock is seen"
        attempt(fcntl.flock, fd, fcntl.LOCK_UN)
        time.sleep(0.02)
    return "no signal"


@case("x40", "groups and sessions of processes of the host",
      "ESRCH", without="pid")
def groups_of_processes():
    return same([("getpgid", attempt(os.getpgid, HOST["sleeper"])),
                 ("getsid", attempt(os.getsid, HOST["sleeper"]))])


@case("x41", "pidfd of a process of the host", "ESRCH", without="pid")
def pidfd():
    return attempt(os.pidfd_open, HOST["sleeper"])


@case("x42", "priority and limits of processes of the host", "ESRCH",
      without="pid")
def others_limits():
    sleeper = HOST["sleeper"]
    return same([
        ("getpriority", attempt(os.getpriority, os.PRIO_PROCESS, sleeper)),
        ("prlimit", attempt(resource.prlimit, sleeper,
                            resource.RLIMIT_NOFILE)),
        ("affinity", attempt(os.sched_getaffinity, sleeper))])


@case("x43", "the files of /proc by which a process changes itself", "EACCES",
      without="landlock")
def write_proc():
    def write(name):
        os.close(os.open("/proc/self/" + name, os.O_WRONLY))
    return same((name, attempt(write, name)) for name in (
        "oom_score_adj", "comm", "coredump_filter", "timerslack_ns",
        "clear_refs"))


@case("56", "cgroups of the host", "ENOENT", without="old_root landlock")
def cgroups():
    # Above the root there is nothing, unless another root was left there.
    return attempt(os.listdir, "/../sys/fs/cgroup")


@case("59", "the template that boxes are forked from: what is left of it",
      "~(none|serve ends with 70)",
      shown="its library lies in the box, and can do nothing there")
def template():
    import gc
    import sys
    from importlib import machinery, util
    gc.unfreeze()
    left = [name for name in sys.modules if "template" in name]
    left += [thing.__name__ for thing in gc.get_objects()
             if type(thing) is type(len) and thing.__name__ == "serve"]
    if left:
        return " ".join(left)
    spec = machinery.PathFinder.find_spec("caisson-template", ["/opt/caisson"])
    if not spec:
        return "none"
    pid = os.fork()
    if pid == 0:
        util.module_from_spec(spec).serve(b"")
        os._exit(0)
    return "serve ends with %d" % os.waitstatus_to_exitcode(
        os.waitpid(pid, 0)[1])

