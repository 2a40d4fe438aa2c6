"""System calls: what code in a box may not even ask of the kernel.

Where the filter alone is taken away, most of these still fail, for want of
capabilities; the arguments are such that the kernel then gives another error,
and so shows that it looked.  Nothing here asks for what would harm a machine:
pointers are null, descriptors are -1, numbers are out of range (bounded).
"""
# What prelude.py brings along is at hand in every case.
from table import case


@case("4a", "let oneself be traced, and a sibling trace", "EPERM",
      without="seccomp")
def ptrace():
    return in_child(lambda: call("ptrace", 0))


@case("4b", "attach to process 1, and to a child", "EPERM",
      without="seccomp caps dumpable landlock")
def ptrace_attach():
    pid = os.fork()
    if pid == 0:
        time.sleep(9)
        os._exit(0)
    seen = same([("init", call("ptrace", 16, 1)),
                 ("child", call("ptrace", 16, pid))])
    os.kill(pid, signal.SIGKILL)
    return seen


@case("5", "read, write, advise, compare processes; take their descriptors",
      "EPERM", without="seccomp")
def process_memory():
    me = os.getpid()
    return calls(("process_vm_readv", me), ("process_vm_writev", me),
                 ("pidfd_getfd", -1), ("kcmp", me, me),
                 ("process_madvise", -1), ("process_mrelease", -1))


@case("8a", "mount, unmount, pivot_root, chroot, detached mounts", "EPERM",
      without="seccomp landlock caps")
def mounts():
    place = b"/tmp\0"
    attr = (ctypes.c_uint64 * 4)(0, 1)
    detached = call("open_tree", -100, place, 1)
    return same([
        ("open_tree", detached), ("mount_setattr", call(
            "mount_setattr", -100, place, 0, attr, 32)),
        ("fsopen", call("fsopen", b"tmpfs\0")),
        ("mount", call("mount", b"x\0", place, b"tmpfs\0")),
        ("umount2", call("umount2", place)),
        ("move_mount", call("move_mount", -1, b"\0", -100, place, 4)),
        ("pivot_root", call("pivot_root", place, place)),
        ("chroot", call("chroot", place))])


@case("8b", "the same, by the filter alone", "EPERM", without="seccomp",
      under="landlock caps")
def mounts_by_filter():
    place = b"/tmp\0"
    return same([("fsopen", call("fsopen", b"tmpfs\0")),
                 ("mount", call("mount", b"x\0", place, b"tmpfs\0")),
                 ("chroot", call("chroot", place))])


@case("8c", "the same, by landlock alone", "EPERM", without="landlock",
      under="seccomp caps mount_table")
def mounts_by_landlock():
    place = b"/tmp\0"
    return same([("mount", call("mount", b"x\0", place, b"tmpfs\0")),
                 ("umount2", call("umount2", place))])


@case("8d", "the same, by missing capabilities alone", "EPERM",
      without="caps", under="seccomp landlock")
def mounts_by_capabilities():
    place = b"/tmp\0"
    return same([("fsopen", call("fsopen", b"tmpfs\0")),
                 ("mount", call("mount", b"x\0", place, b"tmpfs\0")),
                 ("chroot", call("chroot", place))])


@case("8e", "mount in the view and unmount, as it is in no table of mounts",
      "~mount=(ENOENT|EINVAL) umount2=EINVAL", without="mount_table",
      under="seccomp landlock caps")
def mounts_by_detachment():
    place = b"/tmp\0"
    return "mount=%s umount2=%s" % (
        call("mount", b"x\0", place, b"tmpfs\0"), call("umount2", place, 2))


@case("9a", "unshare every kind of namespace, time too; setns", "EPERM",
      without="seccomp caps")
def namespaces():
    kinds = {"user": 0x10000000, "mnt": 0x20000, "pid": 0x20000000,
             "net": 0x40000000, "ipc": 0x8000000, "uts": 0x4000000,
             "cgroup": 0x2000000, "time": 0x80, "files": 0x400}
    seen = [(name, call("unshare", kind)) for name, kind in kinds.items()]
    return same(seen + [("setns", call("setns", -1))])


@case("9b", "clone with each flag of a namespace, and CLONE_PARENT",
      "EPERM", without="seccomp caps")
def clone_flags():
    def clone(flags):
        parent = os.getpid()
        seen = call("clone", flags | signal.SIGCHLD)
        if os.getpid() != parent:
            os._exit(0)
        return seen
    flags = (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x8000000,
             0x4000000, 0x2000000, 0x7e020000, 0x8000,
             (1 << 32) + 0x10000000)
    return same(("%x" % flag, clone(flag)) for flag in flags)


@case("9c", "clone3, whose flags no filter can see", "ENOSYS",
      without="seccomp")
def clone3():
    return call("clone3", 0, 0)


@case("10", "a user namespace in a box without the filter",
      "~(ENOSPC|EPERM)", under="seccomp",
      without="more_namespaces mount_table")
def nested_namespace():
    return in_child(lambda: call("unshare", 0x10000000))


@case("14", "keys: keyctl, add_key, request_key", "EPERM", without="seccomp")
def keys():
    return calls(("keyctl", 0, -3, 1),
                 ("add_key", b"user\0", b"x\0", b"x", 1, -2),
                 ("request_key", b"user\0", b"y\0", 0, -2))


@case("15", "io_uring: setup, enter, register; the older aio", "EPERM",
      without="seccomp")
def io_uring():
    return calls(("io_uring_setup", 1), ("io_uring_enter", -1),
                 ("io_uring_register", -1), ("io_setup", 1, 0))


@case("16", "bpf, perf_event_open, userfaultfd", "EPERM",
      without="seccomp caps")
def risky_parts():
    return calls(("bpf", 99, 0, 8), ("perf_event_open", 0, 0, -1, -1),
                 ("userfaultfd", 1))


@case("17a", "handles of files; quotas; fanotify; sync of whole disks",
      "EPERM", without="seccomp")
def by_handle():
    return calls(("name_to_handle_at", -1),
                 ("quotactl", -1), ("quotactl_fd", -1),
                 ("fanotify_init", 0x200, 99), ("sync",), ("syncfs", -1),
                 ("lookup_dcookie",))


@case("17b", "reboot, kexec, modules, swap, accounting, the kernel's log; "
      "open a file by its handle", "EPERM",
      without="seccomp caps identity user", open_root=True)
def machine():
    return calls(("open_by_handle_at", -1), ("reboot", 1, 2, 3),
                 ("kexec_load", 0, 99, 0, -1),
                 ("kexec_file_load", -1, -1, 0, 0, -1),
                 ("init_module",), ("finit_module", -1, 0, -1),
                 ("delete_module", 0, -1), ("swapon",), ("swapoff",),
                 ("acct", 1), ("syslog", 10), ("vhangup",))


@case("18a", "TIOCSTI, TIOCLINUX, TIOCSCTTY, also with high bits set",
      "EPERM", without="seccomp")
def terminals():
    requests = (0x5412, 0x541C, 0x540E, (1 << 32) + 0x5412, (1 << 32) + 0x541C)
    return same(("%x on %d" % (request, fd), call("ioctl", fd, request, b"x"))
                for request in requests for fd in (0, 1, 2))


@case("18b", "ioctls of sockets, disks, files, tunnels", "EPERM",
      without="seccomp")
def ioctls():
    requests = (0x8912, 0x8927, 0x1277, 0x40049409, 0xC020660B, 0x40086602,
                0x400454CA, 0x5421 + 99, 0x4004667F)
    return same(("%x" % one, call("ioctl", 0, one)) for one in requests)


@case("19a", "a system call of the x32 kind", "~(SIGSYS|ENOSYS)",
      shown="this kernel may know no x32: 19b shows the kind of border")
def x32():
    if COLUMN != 0:
        return "ENOSYS"
    return in_child(lambda: raw(0x40000000 | 39))


@case("19b", "a 32-bit system call (int 0x80) from 64-bit code", "SIGSYS",
      without="seccomp", skip=lambda host: None if host.interrupts() == "True"
      else "this kernel has no such way in")
def i386():
    return in_child(interrupt)


@case("19c", "int 0x80 where the kernel has no 32-bit system calls",
      "~(SIGSYS|SIGSEGV)", shown="there is nothing behind it",
      skip=lambda host: None if host.interrupts() == "SIGSEGV" else
      "this kernel is none of x86_64 without them")
def no_i386():
    return in_child(interrupt)


@case("53", "set the clock in each way; the names of the host", "EPERM",
      without="seccomp caps")
def clock():
    name = os.uname().nodename.encode()
    return calls(("settimeofday", 1), ("clock_settime", 0, 0),
                 ("adjtimex", 0), ("clock_adjtime", 99, 0),
                 ("sethostname", name, len(name)),
                 ("setdomainname", name, -1))


@case("54a", "a better scheduler, memory policies, locked memory", "EPERM",
      without="seccomp MEMLOCK")
def scheduling():
    return calls(("sched_setscheduler", 0, 1, 0), ("sched_setattr", 0, 0),
                 ("ioprio_set", 9, 0, 0), ("mbind", 1, 1, 99),
                 ("migrate_pages", -1), ("move_pages", -1),
                 ("mlock", 0, 0), ("remap_file_pages", 1, 1))


@case("55a", "prctl that changes what the code is", "EPERM",
      without="seccomp caps")
def prctls():
    # DUMPABLE, KEEPCAPS, TIMING, SECCOMP, SECUREBITS, MM, CHILD_SUBREAPER,
    # THP_DISABLE, CAP_AMBIENT, SPECULATION, SYSCALL_DISPATCH, SCHED_CORE,
    # MDWE, PTRACER, CAPBSET_DROP
    options = (4, 8, 14, 22, 28, 35, 36, 41, 47, 53, 59, 62, 65,
               0x59616d61, 24)
    return same((str(one), call("prctl", one, 99, 99, 99, 99))
                for one in options)


@case("55b", "a filter of one's own; landlock; personality", "EPERM",
      without="seccomp")
def own_filter():
    return calls(("seccomp", 99), ("landlock_create_ruleset", 0, 0, 1),
                 ("personality", 0xFFFFFFFF))


@case("x1", "splice, tee, vmsplice: pages passed between descriptors",
      "EPERM", without="seccomp")
def splicing():
    return calls(("splice", -1, 0, -1, 0, 1), ("tee", -1, -1, 1),
                 ("vmsplice", -1))


@case("x2", "i/o ports, local descriptor tables, watches of files",
      "EPERM", without="seccomp caps")
def old_doors():
    return calls(("ioperm", 0, 1, 0), ("iopl", 9), ("modify_ldt", 0, 0, 0),
                 ("uselib",), ("inotify_init1", 0))


@case("x4", "have equal pages of memory shared with others", "EPERM",
      without="seccomp")
def merge_pages():
    return call("madvise", 0, 0, 12)


@case("x3", "capset, and every call that changes users or groups", "EPERM",
      without="seccomp")
def identity_calls():
    tries = {
        "setuid": lambda: os.setuid(0), "setgid": lambda: os.setgid(0),
        "seteuid": lambda: os.seteuid(0), "setegid": lambda: os.setegid(0),
        "setreuid": lambda: os.setreuid(0, 0),
        "setregid": lambda: os.setregid(0, 0),
        "setresuid": lambda: os.setresuid(0, 0, 0),
        "setresgid": lambda: os.setresgid(0, 0, 0),
    }
    seen = [(name, attempt(one)) for name, one in tries.items()]
    return same(seen + [("capset", call("capset", 0, 0))])


def no_numbers(host):
    """Why 65 cannot be tried."""
    return None if host.numbers() else "no header has the numbers of calls"


@case("65", "every system call that is refused or unknown, by its number",
      "all as the list says", without="seccomp", skip=no_numbers)
def every_number():
    def try_all():
        wrong = []
        for name, numbers in HOST["numbers"].items():
            for number in numbers:
                seen = raw(number)
                if seen != name:
                    wrong.append("%d %s" % (number, seen))
        return ", ".join(wrong) or "all as the list says"
    return in_child(try_all)
