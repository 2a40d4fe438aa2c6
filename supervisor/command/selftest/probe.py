"""Each promise of the box, tested by attempts: for 'caisson selftest'.

Ordinary user code in an ordinary box.  Prints one line for each promise,
separated by tabs: "ok", its name, a detail; or "FAIL", its name, the
observation and its meaning; or "note" for a missing feature that the supervisor
also reports.  An attempt that must fail counts as refused only if its error
says so.  "weak" means that reduced isolation does not make the promise; the
detail says what holds instead, which is tested too.  The supervisor replaces
the two numbers below by its limits.
"""
import ctypes
import errno
import mmap
import os
import resource
import signal
import stat
import sys
import time

MEMORY = int("@MEMORY@")  # bytes
PROCESSES = int("@PROCESSES@")

MIB = 1 << 20
HOME = os.environ.get("HOME", "/workspace")
WEAK = HOME != "/workspace"  # reduced isolation
WRITABLE = ((os.environ["TMPDIR"], HOME) if WEAK else
            ("/tmp", "/workspace", "/workspace/out", "/dev/shm"))
UNSEEN = FileNotFoundError, PermissionError  # of files in /proc
REFUSED = errno.EPERM, errno.EACCES, errno.ENOSYS
LIBC = ctypes.CDLL(None, use_errno=True)
PROMISES = []
WEAKER = {}

# Linux, arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h; from
# 424 on the numbers are the same everywhere.
CALLS = {
    "unshare": (272, 97), "setns": (308, 268), "clone": (56, 220),
    "clone3": (435, 435), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430),
    "mount_setattr": (442, 442), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kcmp": (312, 272), "pidfd_getfd": (438, 438), "add_key": (248, 217),
    "request_key": (249, 218), "keyctl": (250, 219), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "memfd_create": (319, 279),
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186),
    "mq_open": (240, 180), "capget": (125, 90), "reboot": (169, 142),
    "kexec_load": (246, 104), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106),
    "swapon": (167, 224), "swapoff": (168, 225), "syslog": (103, 116),
    "acct": (163, 89), "quotactl": (179, 60),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "sethostname": (170, 161), "setdomainname": (171, 162),
    "settimeofday": (164, 170), "clock_adjtime": (305, 266),
}
COLUMN = {"x86_64": 0, "aarch64": 1}.get(os.uname().machine)
CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET = 0x10000000, 0x20000, 0x40000000
PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_NO_NEW_PRIVS = 21, 23, 39
PTRACE_ATTACH = 16
F_SETPIPE_SZ = 1031
TIOCSTI, TIOCLINUX = 0x5412, 0x541C


class Broken(Exception):
    """A promise is broken; the text is the observation."""


class Noted(Exception):
    """A feature is missing; the supervisor must report it, too."""


def promise(name, meaning):
    """Add a check; meaning tells users what its failure means."""
    def add(check):
        PROMISES.append((name, meaning, check))
        return check
    return add


def weaker(name):
    """Add the check that replaces it with reduced isolation."""
    def add(check):
        WEAKER[name] = check
        return check
    return add


def demand(kept, seen):
    """Raise Broken unless kept is true."""
    if not kept:
        raise Broken(seen)


def error_name(error):
    """Return EPERM for 1."""
    return errno.errorcode.get(error.errno, str(error.errno))


def refused(what, attempt, *arguments, by=REFUSED, **options):
    """Make an attempt that must fail; return the name of the error."""
    try:
        result = attempt(*arguments, **options)
    except OSError as error:
        demand(error.errno in by, "%s: %s" % (what, error_name(error)))
        return error_name(error)
    raise Broken("%s succeeded (%r)" % (what, result))


def call(name, *arguments):
    """Make a raw system call."""
    if COLUMN is None:
        raise Broken("no numbers of system calls for this architecture")
    longs = [value if isinstance(value, bytes) else ctypes.c_long(value)
             for value in arguments]
    result = LIBC.syscall(ctypes.c_long(CALLS[name][COLUMN]), *longs)
    if result == -1:
        raise OSError(ctypes.get_errno(), name)
    return result


def all_refused(*calls):
    """Try each (name, arguments…); return how many were refused."""
    errors = {refused(one[0], call, *(one + (0,) * 6)[:7]) for one in calls}
    return "%d calls refused: %s" % (len(calls), ", ".join(sorted(errors)))


def in_child(function):
    """Run function in a child; return its text and its wait status.

    For attempts that would change this process if they succeeded.
    """
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            text = function()
        except BaseException as error:
            text = "!%s" % error
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    text = b""
    while True:
        part = os.read(read, 4096)
        if not part:
            break
        text += part
    os.close(read)
    status = os.waitpid(pid, 0)[1]
    demand(not text.startswith(b"!"), text[1:].decode())
    return text.decode(), status


def status_field(name):
    """Return a field of /proc/self/status, None in a box without /proc."""
    try:
        with open("/proc/self/status") as file:
            for line in file:
                if line.startswith(name + ":"):
                    return line.split()[1]
    except UNSEEN:
        pass
    return None


def open_descriptors():
    """Return the numbers of all open descriptors."""
    found = []
    for fd in range(os.sysconf("SC_OPEN_MAX")):
        try:
            os.fstat(fd)
        except OSError:
            continue
        found.append(fd)
    return found


# Before any other check has opened something.

@promise("no descriptors of the host", "code holds files of the host")
def check_inherited():
    found = open_descriptors()
    demand(found[:3] == [0, 1, 2] and len(found) == 5, "%s are open" % found)
    null = os.stat("/dev/null")
    demand(os.path.samestat(os.fstat(0), null), "0 is not /dev/null")
    for fd in found[1:]:
        demand(stat.S_ISFIFO(os.fstat(fd).st_mode), "%d is no pipe" % fd)
    for fd in found[3:]:
        demand(not os.get_inheritable(fd), "%d is inherited" % fd)
    return "0, 1, 2 and two pipes of the relay"


# Who the code is

@promise("unprivileged user", "code runs as a user with privileges over others")
def check_user():
    ids = set(os.getresuid() + os.getresgid())
    demand(len(ids) == 1 and 0 not in ids, "uids and gids are %s" % ids)
    demand(0 not in os.getgroups(), "it is in group 0")
    either = REFUSED + (errno.EINVAL,)
    refused("setuid(0)", os.setuid, 0, by=either)
    refused("setgid(0)", os.setgid, 0, by=either)
    refused("setgroups", os.setgroups, [0], by=either)
    return "uid and gid %d, and cannot become root" % os.getuid()


@promise("no capabilities", "code has privileges of the system administrator")
def check_capabilities():
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    sets = (ctypes.c_uint32 * 6)()
    call("capget", ctypes.addressof(header), ctypes.addressof(sets))
    demand(not any(sets), "capget gives %s" % list(sets))
    bounding = [cap for cap in range(64)
                if LIBC.prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1]
    demand(WEAK or not bounding, "the bounding set has %s" % bounding)
    ambient = status_field("CapAmb")
    demand(int(ambient or "0", 16) == 0, "the ambient set is %s" % ambient)
    return "all sets are empty" + WEAK * " except the bounding set"


@promise("no_new_privs", "a setuid program would gain privileges")
def check_no_new_privs():
    got = LIBC.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
    demand(got == 1, "prctl says %d" % got)
    return "set"


@promise("seccomp", "every system call of the kernel can be reached")
def check_seccomp():
    got = LIBC.prctl(PR_GET_SECCOMP, 0, 0, 0, 0)
    demand(got == 2, "prctl says mode %d, not 2" % got)
    return "a filter is active"


@promise("own processes only", "code can see or signal foreign processes")
def check_processes():
    own = {1, os.getpid()}
    demand(os.getpid() != 1, "the code is process 1")
    demand(os.getppid() in (0, 1), "its parent is %d" % os.getppid())
    for pid in range(1, 3000):
        if pid not in own:
            refused("signal 0 to %d" % pid, os.kill, pid, 0, by=(errno.ESRCH,))
    try:
        seen = {int(name) for name in os.listdir("/proc") if name.isdigit()}
    except FileNotFoundError:
        return "the code is process %d; no /proc" % os.getpid()
    demand(seen <= own, "/proc shows %s" % sorted(seen - own)[:5])
    return "the code is process %d, /proc shows no other" % os.getpid()


@weaker("own processes only")
def check_foreign_processes():
    for pid in range(1, 3000):
        if pid != os.getpid():
            refused("signal 0 to %d" % pid, os.kill, pid, 0,
                    by=(errno.ESRCH, errno.EPERM))
    parent = os.getppid()
    refused("a signal to its parent", os.kill, parent, 0)
    for name in "cmdline", "environ", "mem", "maps":
        path = "/proc/%d/%s" % (parent, name)
        refused("opening " + path, os.open, path, os.O_RDONLY)
    refused("listing /proc", os.listdir, "/proc")
    return "other processes exist; they cannot be inspected or signalled"


@promise("own cgroup view", "code sees the cgroup names of the host")
def check_cgroup():
    try:
        with open("/proc/self/cgroup") as file:
            lines = file.read().split()
    except UNSEEN:
        return "no /proc in this box"
    bad = [line for line in lines if not line.endswith(":/")]
    demand(not bad, "/proc/self/cgroup has %s" % bad[:2])
    return "its root"


# Files

def leads_to(path, shown):
    """Whether there is nothing below path but the way to what is shown."""
    if path in shown or os.path.islink(path):
        return True
    return os.path.isdir(path) and all(
        leads_to(os.path.join(path, name), shown) for name in os.listdir(path))


@promise("no files of the host", "files of the host can be seen")
def check_host_files():
    shown = {os.path.realpath(path) for path in (
        sys.prefix, sys.base_prefix, sys.exec_prefix)} | {sys.prefix}
    for path in ("/etc/shadow", "/etc/ssh", "/etc/machine-id", "/boot",
                 "/home", "/lost+found", "/media", "/mnt", "/root", "/run",
                 "/srv", "/sys", "/var", "/proc/kcore", "/proc/keys",
                 "/proc/sys", "/proc/sysrq-trigger", "/proc/version"):
        demand(not os.path.lexists(path) or leads_to(path, shown),
               "%s exists" % path)
    return "/ has " + " ".join(sorted(os.listdir("/")))


@weaker("no files of the host")
def check_closed_files():
    for path in ("/", "/boot", "/etc", "/home", "/media", "/mnt", "/opt",
                 "/root", "/run", "/srv", "/sys", "/tmp", "/var"):
        if os.path.isdir(path):
            refused("listing " + path, os.listdir, path)
    for path in ("/etc/shadow", "/etc/passwd", "/etc/machine-id",
                 "/etc/hosts", "/proc/version", "/proc/self/environ"):
        if os.path.exists(path):
            refused("reading " + path, os.open, path, os.O_RDONLY)
    return "not readable or writable; names, sizes and times are visible"


@promise("system read-only", "code could change the system")
def check_read_only():
    by = errno.EROFS, errno.EACCES, errno.EPERM
    for path in "/", "/usr", "/usr/bin", "/etc", "/opt", "/opt/caisson":
        if os.path.isdir(path):
            new = os.path.join(path, "probe")
            refused("creating %s" % new, os.mkdir, new, by=by)
    for path in "/usr/bin/env", os.__file__, "/etc/passwd":
        refused("writing %s" % path, open, path, "ab", by=by)
    for path in () if WEAK else ("/", "/usr"):
        demand(os.statvfs(path).f_flag & os.ST_RDONLY,
               "%s is mounted writable" % path)
        demand(os.statvfs(path).f_flag & os.ST_NOSUID or path == "/",
               "setuid programs of %s count" % path)
    return "/, /usr and /etc cannot be written"


@promise("synthetic /etc", "users or settings of the host can be seen")
def check_etc():
    with open("/etc/passwd") as file:
        users = [line.split(":")[0] for line in file]
    demand(len(users) <= 4, "/etc/passwd has %d users" % len(users))
    made = set(os.listdir("/etc"))
    demand(len(made) <= 20, "/etc has %d entries" % len(made))
    import pwd
    name = pwd.getpwuid(os.getuid()).pw_name
    return "%d entries, the user is called %s" % (len(made), name)


@weaker("synthetic /etc")
def check_closed_etc():
    for path in "/etc/passwd", "/etc/group", "/etc/nsswitch.conf":
        if os.path.exists(path):
            refused("reading " + path, os.open, path, os.O_RDONLY)
    return "the host's; nearly nothing in it can be read"


@promise("places to write", "code has nowhere to put its files")
def check_places():
    for place in WRITABLE:
        path = os.path.join(place, "probe")
        with open(path, "w+b") as file:
            file.write(b"x")
        os.rename(path, path + "2")
        os.unlink(path + "2")
    demand(os.getcwd() == HOME, "it starts in %s" % os.getcwd())
    demand(os.path.expanduser("~") == HOME, "HOME is elsewhere")
    # In "out" code leaves files that come back.
    others = set(os.listdir(".")) - {"out"}
    demand(not others, "%s has %s" % (HOME, sorted(others)))
    return "%s are writable, %s is empty" % (", ".join(WRITABLE), HOME)


@promise("limit on files", "files could fill the memory of the host")
def check_space():
    for place in WRITABLE:
        path = os.path.join(place, "probe")
        space = os.statvfs(place)
        size = space.f_blocks * space.f_frsize
        demand(0 < size <= MEMORY, "%s has %d bytes" % (place, size))
        demand(0 < space.f_files <= 1000000,
               "%s has %d inodes" % (place, space.f_files))
        with open(path, "wb") as file:
            os.unlink(path)
            refused("a file of %d bytes in %s" % (size + 4096, place),
                    os.posix_fallocate, file.fileno(), 0, size + 4096,
                    by=(errno.ENOSPC, errno.EFBIG))
            refused("a file of 1 TiB in %s" % place, os.ftruncate,
                    file.fileno(), 1 << 40, by=(errno.EFBIG,))
    return "%d MiB and %d files each" % (size // MIB, space.f_files)


@weaker("limit on files")
def check_length():
    path = os.path.join(HOME, "probe")
    with open(path, "wb") as file:
        os.unlink(path)
        refused("a file of 1 TiB", os.ftruncate, file.fileno(), 1 << 40,
                by=(errno.EFBIG,))
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    return "%d MiB each, in any number, on a disk" % (limit // MIB)


@promise("no file is executable", "code could bring programs of its own")
def check_executable():
    with open("/usr/bin/env", "rb") as file:
        program = file.read()
    for place in WRITABLE:
        path = os.path.join(place, "probe")
        with open(path, "wb") as file:
            file.write(program)
        os.chmod(path, 0o755)
        try:
            refused("running %s" % path, os.posix_spawn, path, [path], {})
            if not WEAK:
                with open(path, "rb") as file:
                    try_to_map(path, file.fileno())
        finally:
            os.unlink(path)
    return "neither run nor mapped, in " + ", ".join(WRITABLE)


@weaker("no file is executable")
def check_mapped_only():
    check_executable()
    return "none can be executed, but all can be mapped as code"


def try_to_map(path, fd):
    """Map a file executable, at once and in two steps."""
    refused("mapping %s" % path, mmap.mmap, fd, 4096, mmap.MAP_PRIVATE,
            mmap.PROT_READ | mmap.PROT_EXEC)
    mapped = mmap.mmap(fd, 4096, mmap.MAP_PRIVATE,
                       mmap.PROT_READ | mmap.PROT_WRITE)
    first = ctypes.c_char.from_buffer(mapped)
    address = ctypes.c_void_p(ctypes.addressof(first))
    done = LIBC.mprotect(address, ctypes.c_size_t(4096),
                         mmap.PROT_READ | mmap.PROT_EXEC)
    del first
    mapped.close()
    demand(done == -1, "%s became executable after mapping" % path)


@promise("minimal /dev", "code can reach devices")
def check_devices():
    allowed = {"null", "zero", "full", "random", "urandom", "shm", "fd",
               "stdin", "stdout", "stderr"}
    found = set(os.listdir("/dev"))
    demand(found <= allowed, "/dev has %s" % sorted(found - allowed)[:5])
    refused("mknod of a device", os.mknod, WRITABLE[0] + "/probe",
            stat.S_IFCHR | 0o600, os.makedev(1, 1))
    with open("/dev/urandom", "rb") as file:
        demand(len(file.read(8)) == 8, "/dev/urandom is silent")
    with open("/dev/null", "wb") as file:
        file.write(b"x")
    return " ".join(sorted(found))


@weaker("minimal /dev")
def check_closed_devices():
    for name in "tty", "mem", "kmsg", "kvm", "fuse", "ptmx", "net/tun", "shm":
        path = "/dev/" + name
        refused("opening " + path, os.open, path, os.O_RDONLY,
                by=REFUSED + (errno.ENOENT,))
    refused("listing /dev", os.listdir, "/dev")
    with open("/dev/urandom", "rb") as file:
        demand(len(file.read(8)) == 8, "/dev/urandom is silent")
    return "the host's; only five harmless devices can be opened"


# The kernel

@promise("no network", "code can reach a network or a service of the host")
def check_network():
    import socket
    for family in 1, 2, 10, 16, 17, 38, 40:  # UNIX … VSOCK
        for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW:
            refused("socket(%d, %d)" % (family, kind),
                    socket.socket, family, kind)
    left, right = socket.socketpair()
    left.send(b"x")
    demand(right.recv(9) == b"x", "socketpair is silent")
    left.close()
    right.close()
    return "no socket families; socketpair works"


@promise("no interfaces", "the network of the host can be seen")
def check_interfaces():
    try:
        with open("/proc/self/net/dev") as file:
            names = [line.split(":")[0].strip() for line in file][2:]
    except UNSEEN:
        return "none can be seen"
    demand(set(names) <= {"lo"}, "there are %s" % names)
    for table in "fib_trie", "if_inet6":  # addresses of what is up
        path = "/proc/self/net/" + table
        if os.path.exists(path):
            with open(path) as file:
                demand(not file.read().strip(), "lo is up")
    return "only lo, which is down"


@promise("no namespaces", "code could rebuild the box from inside")
def check_namespaces():
    return in_child(lambda: all_refused(
        ("unshare", CLONE_NEWUSER), ("unshare", CLONE_NEWNS),
        ("unshare", CLONE_NEWNET), ("setns", -1),
        ("clone", CLONE_NEWUSER | signal.SIGCHLD), ("clone3",)))[0]


@promise("no mounts", "code could change its view of files")
def check_mounts():
    return all_refused(
        ("mount",), ("umount2",), ("pivot_root",), ("chroot",),
        ("open_tree",), ("move_mount",), ("fsopen",), ("mount_setattr",))


@promise("no looking into processes", "code could take over a process")
def check_tracing():
    return all_refused(
        ("ptrace", PTRACE_ATTACH), ("process_vm_readv", 1),
        ("process_vm_writev", 1), ("kcmp", 1, 1), ("pidfd_getfd", -1))


@promise("no keys", "keys that the kernel keeps for the user can be read")
def check_keys():
    return all_refused(("keyctl", 0, -3), ("add_key",), ("request_key",))


@promise("no risky kernel parts", "weak parts of the kernel can be reached")
def check_kernel():
    return all_refused(
        ("bpf",), ("perf_event_open",), ("userfaultfd",),
        ("io_uring_setup",), ("io_uring_enter", -1),
        ("io_uring_register", -1))


@promise("no power over the machine", "code could stop or change the host")
def check_machine():
    return all_refused(
        ("reboot",), ("kexec_load",), ("init_module",), ("finit_module", -1),
        ("delete_module",), ("swapon",), ("swapoff",), ("syslog", 10),
        ("acct", 1), ("quotactl",), ("name_to_handle_at", -1),
        ("open_by_handle_at", -1))


@promise("clock and host name", "code could change the time or the name")
def check_clock():
    name = os.uname().nodename
    refused("clock_settime", time.clock_settime, time.CLOCK_REALTIME,
            time.time())
    all_refused(("settimeofday", 1), ("clock_adjtime", 99, 1),
                ("sethostname", name.encode(), len(name)), ("setdomainname",))
    if name != "box":
        raise Noted(
            "cannot be set; the name of the host, %s, can be seen: a system "
            "call filter around Caisson refuses sethostname (in a container, "
            "'--security-opt seccomp=FILE' with a profile that permits it "
            "hides the name; nothing else is lost)" % name)
    return "cannot be set; the host is called box"


@weaker("clock and host name")
def check_clock_only():
    refused("clock_settime", time.clock_settime, time.CLOCK_REALTIME,
            time.time())
    all_refused(("settimeofday", 1), ("clock_adjtime", 99, 1),
                ("sethostname", b"x", 1), ("setdomainname",))
    return "cannot be set; the host's name is visible"


@promise("no foreign system calls", "the filter can be bypassed")
def check_architecture():
    if COLUMN != 0:
        return "this kernel has one system call interface"
    status = in_child(
        lambda: "" if LIBC.syscall(ctypes.c_long(0x40000000 | 39)) == -1
        else "!a call of the x32 kind was answered")[1]
    if os.WIFSIGNALED(status):
        return "x32 ends in " + signal.Signals(os.WTERMSIG(status)).name
    return "x32 is unavailable"


@promise("no terminal", "code could type on the terminal of the host")
def check_terminal():
    import fcntl
    by = REFUSED + (errno.ENOTTY,)
    for request in TIOCSTI, TIOCLINUX:
        for fd in 0, 1, 2:
            refused("ioctl", fcntl.ioctl, fd, request, b"\n", by=by)
    refused("opening /dev/tty", os.open, "/dev/tty", os.O_RDWR,
            by=(errno.ENOENT, errno.ENXIO, errno.EACCES))
    return "none, and nothing can be put into one"


# Limits

@promise("limit on processes", "code could take all processes of the host")
def check_fork():
    limit = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    if PROCESSES > 300:
        demand(0 < limit <= PROCESSES + 1, "the limit is %d" % limit)
        return "%d, too many to test" % PROCESSES
    import threading
    # The kernel counts threads like processes; they start at once anywhere.
    usual = threading.stack_size(MIB // 4)
    gate, threads = threading.Event(), []
    try:
        while len(threads) <= PROCESSES:
            thread = threading.Thread(target=gate.wait)
            thread.start()
            threads.append(thread)
    except RuntimeError:
        refused("a process above the limit", fork_once, by=(errno.EAGAIN,))
    finally:
        gate.set()
        for thread in threads:
            thread.join()
        threading.stack_size(usual)
    demand(len(threads) < PROCESSES, "%d threads at once" % len(threads))
    demand(len(threads) > 1, "there is only one process")
    return "%d at once, threads included" % (len(threads) + 1)


def fork_once():
    """Make a child that ends at once; return its number."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


@promise("limit on descriptors", "code could use up open files of the host")
def check_descriptors():
    before = len(open_descriptors())
    copies = []
    try:
        while len(copies) <= 1024:
            copies.append(os.dup(0))
    except OSError as error:
        demand(error.errno == errno.EMFILE, error_name(error))
    for fd in copies:
        os.close(fd)
    demand(len(copies) <= 1024, "more than 1024 are open")
    return "%d at once" % (before + len(copies))


@promise("limit on memory", "code could take all memory of the host")
def check_memory():
    # In a cgroup every thread may have its stack besides.
    size = MEMORY + PROCESSES * 8 * MIB + 64 * MIB
    try:
        bytes(size)
    except MemoryError:
        return "allocating %d MiB raises MemoryError" % (size // MIB)
    raise Broken("an object of %d MiB was made" % (size // MIB))


@promise("no hidden memory", "code could take memory that no limit counts")
def check_hidden_memory():
    import fcntl
    read, write = os.pipe()
    refused("a pipe of 1 MiB", fcntl.fcntl, write, F_SETPIPE_SZ, MIB)
    os.close(read)
    os.close(write)
    return all_refused(
        ("memfd_create", b"probe"), ("shmget", 0, 4096, 0o1600),
        ("semget", 0, 1, 0o1600), ("msgget", 0, 0o1600),
        ("mq_open", b"probe", os.O_CREAT | os.O_RDWR, 0o600))


@promise("no core dumps", "a crash would leave memory on the host")
def check_core():
    before = os.listdir(".")
    status = in_child(os.abort)[1]
    demand(os.WIFSIGNALED(status), "abort did not end the child")
    demand(not os.WCOREDUMP(status), "a crash was dumped")
    demand(os.listdir(".") == before, "a crash left a file")
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    demand(0 <= soft <= hard <= 1, "the limit is %d bytes" % hard)
    return "a crash leaves nothing"


@promise("limits stay", "code could lift its limits")
def check_limits():
    for name in "NPROC", "NOFILE", "FSIZE", "CORE", "DATA", "CPU":
        kind = getattr(resource, "RLIMIT_" + name)
        soft, hard = resource.getrlimit(kind)
        demand(hard != resource.RLIM_INFINITY, "%s has no limit" % name)
        try:
            resource.setrlimit(kind, (soft, hard + 1))
        except (OSError, ValueError):
            continue
        raise Broken("the limit %s was raised" % name)
    refused("realtime scheduling", os.sched_setscheduler, 0, os.SCHED_FIFO,
            os.sched_param(1))
    refused("a better priority", os.nice, -1)
    return "none can be raised"


# What comes with the code

@promise("clean environment", "settings or secrets of the host are visible")
def check_environment():
    allowed = {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "MALLOC_ARENA_MAX",
               "MPLBACKEND", "MPLCONFIGDIR", "OMP_NUM_THREADS",
               "OPENBLAS_NUM_THREADS", "PATH", "PWD", "TERM", "TMPDIR", "TZ",
               "XDG_CACHE_HOME"}
    found = set(os.environ)
    demand(found <= allowed, "there is %s" % sorted(found - allowed)[:5])
    return " ".join(sorted(found))


@promise("standard input is empty", "input() waits for ever")
def check_input():
    try:
        input()
    except EOFError:
        demand(sys.stdin.read() == "", "there is more")
        return "input() raises EOFError at once"
    raise Broken("input() read a line")


def try_one(name, meaning, check):
    """Print the line of one promise."""
    instead = WEAKER.get(name) if WEAK else None
    try:
        line = ("weak", name, instead()) if instead else ("ok", name, check())
    except Noted as noted:
        line = "note", name, noted
    except Broken as broken:
        line = "FAIL", name, "%s: %s" % (broken, meaning)
    except Exception as error:
        line = "FAIL", name, "%s: %s: %s" % (
            type(error).__name__, error, meaning)
    print("\t".join(" ".join(str(part).split()) for part in line))


def main():
    """Print a line for each promise."""
    for entry in PROMISES:
        try_one(*entry)


if __name__ == "__main__":
    main()
