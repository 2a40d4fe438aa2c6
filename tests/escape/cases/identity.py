"""Who the code is, and what it can learn of the host and of others."""
# What prelude.py brings along is at hand in every case.
from table import case


@case("6a", "what /proc shows of process 1", "ENOENT", without="proc_mask")
def init_hidden():
    names = ("root", "cwd", "exe", "mem", "environ", "maps", "fd", "ns/user",
             "status", "mountinfo")
    seen = same((name, attempt(os.stat, "/proc/1/" + name)) for name in names)
    return seen if "1" not in os.listdir("/proc") else "it is listed"


@case("6b", "the same where process 1 is not hidden", "EACCES",
      under="proc_mask", without="dumpable landlock")
def init_closed():
    return same([
        ("root", attempt(os.stat, "/proc/1/root/etc")),
        ("mem", attempt(open, "/proc/1/mem", "rb")),
        ("environ", attempt(open, "/proc/1/environ", "rb")),
        ("fd", attempt(os.listdir, "/proc/1/fd")),
        ("ns", attempt(open, "/proc/1/ns/user", "rb"))])


@case("7a", "what of the machine is in /proc", "none", without="proc_mask")
def proc_globals():
    names = ("kcore", "keys", "kallsyms", "kmsg", "sysrq-trigger", "sys",
             "timer_list", "version", "cmdline", "modules", "cpuinfo",
             "meminfo", "interrupts", "partitions", "config.gz",
             "sysvipc", "bus", "irq", "fs", "acpi", "scsi", "driver",
             "pagetypeinfo")
    return " ".join(name for name in names
                    if os.path.lexists("/proc/" + name)) or "none"


@case("7b", "processes that /proc lists; signals to others", "own ESRCH",
      without="pid landlock")
def foreign_processes():
    listed = {int(name) for name in os.listdir("/proc") if name.isdigit()}
    kind = "own" if listed <= {1, *own_processes()} else "more"
    pids = dict.fromkeys(
        (HOST["sleeper"], 4194303, os.getppid() or 4194302))
    return kind + " " + same((str(pid), attempt(os.kill, pid, 0))
                             for pid in pids if pid not in ENGINE)


@case("11a", "run setuid programs of the host", "ids unchanged, nnp 1",
      without="no_new_privs")
def setuid_programs():
    import subprocess
    ids = set()
    for command in (["/usr/bin/su", "-c", "id -u"], ["/usr/bin/id", "-u"],
                    [HOST["tree"] + "/setuid", "-u"]):
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError:
            continue
        ids.add(done.stdout.strip() if not done.returncode else "")
    unchanged = ids <= {"", str(os.getuid())}
    return "ids %s, nnp %s" % ("unchanged" if unchanged else ids,
                               status_field("NoNewPrivs"))


@case("12a", "mounts on which setuid programs count", "none",
      under="mount_table", without="nosuid")
def mounts_suid():
    return " ".join(sorted({where for where, options, *_ in mount_points()
                            if "nosuid" not in options})) or "none"


@case("12b", "make a setuid program in each writable place, and run it",
      "EACCES", without="noexec landlock")
def own_setuid():
    import shutil
    seen = []
    for place in WRITABLE:
        shutil.copy("/bin/true", place + "/x")
        os.chmod(place + "/x", 0o6755)
        seen.append((place, attempt(os.posix_spawn, place + "/x", ["x"], {})))
    return same(seen)


@case("13a", "capabilities in each set", "0000000000000000", without="caps")
def capabilities():
    return same((name, status_field(name)) for name in (
        "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"))


@case("13b", "raise an ambient capability; take capabilities by capset",
      "EPERM", under="seccomp", without="caps")
def raise_capabilities():
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    wanted = (ctypes.c_uint32 * 6)(1 << 21, 1 << 21, 1 << 21)
    return same([("capset", call("capset", header, wanted)),
                 ("ambient", call("prctl", 47, 2, 21))])


@case("x10", "secure bits, no_new_privs, the filter's mode", "ef 1 2",
      without="caps no_new_privs seccomp")
def bits():
    return "%x %s %s" % (LIBC.prctl(27), status_field("NoNewPrivs"),
                         status_field("Seccomp"))


@case("x11", "the user outside of the box is root", "no",
      under="outer_user", without="identity", root=True)
def outer_user():
    with open("/proc/self/uid_map") as file:
        inside, outside, count = file.read().split()
    return "yes" if outside == "0" or int(count) > 1 else "no"


@case("x12", "read a file of root's that is bound into the box", "EACCES",
      without="identity", root=True,
      python="what Python's interpreter needs is not in it")
def private_file():
    return attempt(open, HOST["tree"] + "/private")


@case("x13a", "groups of the user who started Caisson", "none", root=True,
      without="identity")
def groups():
    extra = set(os.getgroups()) - {os.getgid()}
    return " ".join(map(str, sorted(extra))) or "none"


@case("x13b", "the same where that is an ordinary user", "none", root=False,
      skip=lambda host: None if host.groups else "Caisson has no other group",
      known="a user without privilege cannot leave groups; they count for the "
      "files of the host that are bound, which are read-only")
def groups_of_user():
    extra = set(os.getgroups()) - {os.getgid()}
    return " ".join(map(str, sorted(extra))) or "none"


@case("40a", "descriptors that the code holds", "0=null 1=fifo 2=fifo "
      "254=fifo 255=fifo", without="fds",
      python="the code does not hold the pipes of the relay")
def descriptors():
    seen = []
    for name in sorted(os.listdir("/proc/self/fd"), key=int):
        try:
            mode = os.fstat(int(name)).st_mode
        except OSError:
            continue  # the one that listed them
        kind = {stat.S_IFIFO: "fifo", stat.S_IFDIR: "dir",
                stat.S_IFSOCK: "socket", stat.S_IFREG: "file"}.get(
                    stat.S_IFMT(mode), "null")
        seen.append("%s=%s" % (name, kind))
    return " ".join(seen)


@case("40b", "the host's files through a directory that was left open",
      "EACCES", under="fds", without="landlock")
def left_open():
    for fd in range(5, 250):
        try:
            if stat.S_ISDIR(os.fstat(fd).st_mode):
                path = HOST["folder"][1:] + "/secret.txt"
                return attempt(os.open, path, os.O_RDONLY, dir_fd=fd)
        except OSError:
            pass
    return "no directory is open"


@case("40c", "duplicate or open the descriptors of other processes",
      "EPERM", without="seccomp")
def steal_descriptor():
    fd = os.pidfd_open(os.getpid())
    return call("pidfd_getfd", fd, 0)


@case("47a", "variables of the host's environment", "none",
      without="environment",
      python="a shell sets variables, too")
def environment():
    # Those that a box makes itself, of numbers and of its own places.
    known = {"HOME", "LANG", "LC_CTYPE", "MALLOC_ARENA_MAX", "MPLBACKEND",
             "MPLCONFIGDIR", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
             "PATH", "TERM", "TMPDIR", "XDG_CACHE_HOME",
             "__PYVENV_LAUNCHER__"}
    return " ".join(sorted(set(os.environ) - known)) or "none"


@case("47b", "a secret of the host's environment, in all of one's memory",
      "absent", without="environment")
def secret():
    import re
    secret = HOST["terces"][::-1]
    # A pattern is kept as numbers: looking for it does not make it exist.
    parts = ["[%s%s]" % (char, char.upper()) for char in secret]
    del secret
    pattern = re.compile("".join(parts).encode())
    with open("/proc/self/maps") as file:
        maps = [line.split() for line in file]
    with open("/proc/self/mem", "rb", 0) as memory:
        for words in maps:
            first, last = (int(word, 16) for word in words[0].split("-"))
            if words[1][0] != "r" or words[-1].startswith("[v"):
                continue
            try:
                memory.seek(first)
                if pattern.search(memory.read(last - first)):
                    return "found in " + words[-1]
            except OSError:
                continue
    return "absent"


@case("x14", "the name of the host", "box", without="uts")
def host_name():
    return os.uname().nodename


@case("x15", "the terminal and the session that Caisson was started in",
      "a session of its own, no terminal", without="session pid landlock")
def session():
    own = os.getsid(0) == os.getpgrp() in {os.getpid()} | ENGINE
    try:
        os.open("/dev/tty", os.O_RDWR)
        terminal = "a terminal"
    except OSError:
        terminal = "no terminal"
    return "%s, %s" % ("a session of its own" if own else "another session",
                       terminal)


@case("x16", "what the links of /proc/self/ns have in common with the host's",
      "none", without="net ipc uts cgroup")
def shared_namespaces():
    return " ".join(
        kind for kind, number in sorted(HOST["namespaces"].items())
        if os.readlink("/proc/self/ns/" + kind) == number) or "none"


@case("x17", "shared memory of System V on the host", "~(EPERM|EINVAL)",
      without="seccomp ipc")
def system_v():
    LIBC.shmat.restype = ctypes.c_void_p
    if LIBC.shmat(HOST["shm"], None, 0) == ctypes.c_void_p(-1).value:
        return errno.errorcode[ctypes.get_errno()]
    return "attached"


@case("x18", "the same, by its namespace alone", "EINVAL", under="seccomp",
      without="ipc")
def system_v_namespace():
    LIBC.shmat.restype = ctypes.c_void_p
    if LIBC.shmat(HOST["shm"], None, 0) == ctypes.c_void_p(-1).value:
        return errno.errorcode[ctypes.get_errno()]
    return "attached"


@case("x19", "the place of the box in the host's cgroups", "its root",
      without="cgroup", skip=lambda host: None if host.in_cgroup() else
      "Caisson is in the root of every cgroup here: nothing could be told")
def cgroup():
    with open("/proc/self/cgroup") as file:
        lines = file.read().split()
    return "its root" if all(line.endswith(":/") for line in lines) \
        else "a path"


@case("x20", "the disk and paths of the host in /proc/self/mountinfo",
      "none", without="overlay mount_table")
def mountinfo():
    # Of a device its name is told, which the box knows.
    return " ".join(sorted({
        source + root for where, _, kind, source, root in mount_points()
        if source.startswith("/") or kind in ("ext4", "btrfs", "xfs")
        or root != "/" and not where.startswith("/dev/")
    })) or "none"


@case("x21", "the user of Caisson in /proc/self/uid_map and gid_map", "1000",
      without="outer_user")
def uid_map():
    numbers = set()
    for name in "uid_map", "gid_map":
        with open("/proc/self/" + name) as file:
            numbers |= set(file.read().split()[:2])
    return " ".join(sorted(numbers))


@case("x21b", "the same, in the options of the mounts", "none",
      without="mount_table")
def mount_options():
    found = set()
    for name in "mountinfo", "mounts", "mountstats":
        with open("/proc/self/" + name) as file:
            found |= {word for word in file.read().replace(",", " ").split()
                      if word.startswith(("uid=", "gid="))}
    return " ".join(sorted(found)) or "none"


@case("x22", "how large and how full the disk of the host is (statfs)",
      "not told", without="overlay",
      python="what Python's interpreter needs is not in it")
def disk():
    blocks = {os.statvfs(path).f_blocks for path in (
        "/usr", "/usr/bin/env", HOST["tree"])}
    return "told" if blocks & set(HOST["blocks"]) else "not told"


@case("x23", "what memory the host has left, and how busy it is (sysinfo)",
      "nothing", known="the kernel tells everybody; the C library does not see "
      "that it is refused, and takes what its stack holds for the answer")
def memory_left():
    return "memory" if os.sysconf("SC_AVPHYS_PAGES") else "nothing"
