"""What stands in front of every case, in the box: short ways to try things.

A case returns what it saw as one line of text, and these make it: an attempt
becomes "ok" or the name of its error.
"""
import ctypes
import errno
import fcntl
import mmap
import os
import resource
import signal
import socket
import stat
import struct
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
WRITABLE = "/tmp", "/workspace", "/workspace/out", "/dev/shm"
MIB = 1 << 20

# Linux, arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h; from
# 424 on the numbers are the same everywhere.
NUMBERS = {
    "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171),
    "bpf": (321, 280), "capset": (126, 91), "chroot": (161, 51),
    "clock_adjtime": (305, 266), "clock_settime": (227, 112),
    "clone": (56, 220), "clone3": (435, 435), "delete_module": (176, 106),
    "execveat": (322, 281), "fanotify_init": (300, 262), "fcntl": (72, 25),
    "finit_module": (313, 273), "fsmount": (432, 432), "fsopen": (430, 430),
    "futimesat": (261, None), "getcpu": (309, 168),
    "init_module": (175, 105), "inotify_init1": (294, 26),
    "io_setup": (206, 0), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "io_uring_setup": (425, 425),
    "ioctl": (16, 29), "ioperm": (173, None), "iopl": (172, None),
    "ioprio_set": (251, 30), "kcmp": (312, 272),
    "kexec_file_load": (320, 294), "kexec_load": (246, 104),
    "keyctl": (250, 219), "landlock_create_ruleset": (444, 444),
    "lookup_dcookie": (212, 18), "madvise": (28, 233), "mbind": (237, 235),
    "memfd_create": (319, 279), "memfd_secret": (447, 447),
    "migrate_pages": (256, 238), "mlock": (149, 228),
    "modify_ldt": (154, None), "mount": (165, 40),
    "mount_setattr": (442, 442), "move_mount": (429, 429),
    "move_pages": (279, 239), "mq_open": (240, 180), "msgget": (68, 186),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "open_tree": (428, 428), "perf_event_open": (298, 241),
    "personality": (135, 92), "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41), "prctl": (157, 167),
    "prlimit64": (302, 261), "process_madvise": (440, 440),
    "process_mrelease": (448, 448), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "ptrace": (101, 117),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "reboot": (169, 142),
    "remap_file_pages": (216, 234), "request_key": (249, 218),
    "sched_setattr": (314, 274), "sched_setscheduler": (144, 119),
    "seccomp": (317, 277), "semget": (64, 190), "sendmmsg": (307, 269),
    "setdomainname": (171, 162),
    "sethostname": (170, 161), "setns": (308, 268),
    "setpriority": (141, 140),
    "settimeofday": (164, 170), "shmat": (30, 196), "shmget": (29, 194),
    "socket": (41, 198), "splice": (275, 76), "statmount": (457, 457),
    "swapoff": (168, 225), "swapon": (167, 224), "sync": (162, 81),
    "syncfs": (306, 267), "syslog": (103, 116), "tee": (276, 77),
    "umount2": (166, 39), "unshare": (272, 97), "uselib": (134, None),
    "userfaultfd": (323, 282), "vhangup": (153, 58),
    "vmsplice": (278, 75),
}
# The engine of JavaScript below which this runs, if there is one.
ENGINE = set(map(int, filter(str.isdigit, sys.argv[1:])))
COLUMN = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def error_name(error):
    """EPERM for 1; the class of an error without a number."""
    number = getattr(error, "errno", None)
    return errno.errorcode.get(number, type(error).__name__)


def attempt(function, *arguments, **options):
    """How calling function ended."""
    try:
        function(*arguments, **options)
    except Exception as error:
        return error_name(error)
    return "ok"


def raw(number, *arguments):
    """How a system call ended that is made as no library would."""
    longs = [value if isinstance(value, (bytes, ctypes.Array))
             else ctypes.c_long(value)
             for value in (arguments + (0,) * 6)[:6]]
    result = LIBC.syscall(ctypes.c_long(number), *longs)
    return "ok" if result != -1 else errno.errorcode[ctypes.get_errno()]


def call(name, *arguments):
    """The same, by its name."""
    number = NUMBERS[name][COLUMN]
    return "none here" if number is None else raw(number, *arguments)


def same(results):
    """The one result of many attempts, else each with its name."""
    results = dict(results)
    kinds = set(results.values()) - {"none here"}
    if len(kinds) == 1:
        return kinds.pop()
    return " ".join("%s=%s" % item for item in results.items())


def calls(*rows):
    """Try each (name, arguments…)."""
    return same((row[0], call(*row)) for row in rows)


def in_child(function, *arguments):
    """What function returns in a child, or how that ended."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        try:
            text = str(function(*arguments))
        except BaseException as error:
            text = "%s: %s" % (type(error).__name__, error)
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return text


def interrupt():
    """Whether int 0x80, the way of 32-bit code on x86, calls the kernel."""
    code = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE, 7)
    code.write(bytes.fromhex("b814000000cd80c3"))  # getpid, by its ABI
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)() == os.getpid()


def own_processes():
    """This one, its engine, its holder, which a forked box has, and what serves
    the calls of a shell. Only for code that has no children of its own."""
    own = {os.getpid()}
    for engine in ENGINE:  # its threads can be signalled, too
        own.update(map(int, os.listdir("/proc/%d/task" % engine)))
    for name in filter(str.isdigit, os.listdir("/proc")):
        fields = stat_fields(name)
        while fields[1:4:2] == [stat_fields("self")[1], str(os.getpid())]:
            time.sleep(0.001)  # the holder has not run yet: it names itself
            fields = stat_fields(name)
        if (fields[1:2] == ["(box-holder)"] and int(fields[3]) in own or
                fields[1:2] == ["(mcp-serve)"]):
            own.add(int(name))
    return own


def stat_fields(name):
    """The fields of /proc/NAME/stat; none if the process has just ended."""
    try:
        with open("/proc/%s/stat" % name) as file:
            return file.read().split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def status_field(name, pid="self"):
    """A field of /proc/PID/status, or "none"."""
    with open("/proc/%s/status" % pid) as file:
        for line in file:
            if line.startswith(name + ":"):
                return line.split(":")[1].strip() or "none"
    return "none"


def mount_points():
    """Each mount of the box: where, options, type, source, root."""
    found = []
    with open("/proc/self/mountinfo") as file:
        for line in file:
            left, right = line.split(" - ")
            words, rest = left.split(), right.split()
            found.append((words[4], words[5].split(","), rest[0], rest[1],
                          words[3]))
    return found
