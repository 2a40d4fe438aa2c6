"""The host as the cases meet it: what a box must not reach, and whether it
was touched. Everything is made new, below one folder, and removed again. Where
this process has namespaces of its own, all that is in them is judged; else
only what was made here, as others change the rest.
"""
import ctypes
import fcntl
import functools
import os
import re
import secrets
import shutil
import socket
import stat
import subprocess
import tempfile

from alone import own_namespaces
from own_engine import SETTINGS
from prelude import COLUMN, in_child, interrupt

LIBC = ctypes.CDLL(None, use_errno=True)
IPC_CREAT, IPC_RMID, SHM_BYTES = 0o1000, 0, 4096
NULL_DEVICE = os.makedev(1, 3)
NEWER = 447  # from this number on, headers may know less than the list
HIGH = 1000  # more than the numbers of processes that a case starts
PYTHON = "/usr/bin/python3"
RULES = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "../../worker/box/native/seccomp.rules")
HEADERS = ("/usr/include/%s-linux-gnu/asm/unistd_64.h" % os.uname().machine,
           "/usr/include/asm/unistd_64.h", "/usr/include/asm-generic/unistd.h")


class Host:
    """The surroundings of one run of the table."""

    def __init__(self, uid, grouped, slow):
        self.uid, self.grouped, self.slow = uid, grouped, slow
        # One more than it needs, if it is for us to say: adm.
        self.groups = [4] if os.geteuid() == 0 else os.getgroups()[1:]
        self.folder = tempfile.mkdtemp(prefix="caisson-escape-", dir="/var/tmp")
        os.chmod(self.folder, 0o755)
        self.secret = secrets.token_hex(16)
        self.home = os.path.join(self.folder, "home")
        os.mkdir(self.home, 0o755)
        if uid is not None:
            os.chown(self.home, uid, uid)
        self.tree = os.path.join(self.folder, "venv")
        self.make_tree()
        self.listeners = [self.listen_inet(), self.listen_unix("\0" + name(
            self.folder)), self.listen_unix(self.tree + "/socket")]
        self.datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.datagrams.bind(self.tree + "/datagrams")
        os.chmod(self.tree + "/datagrams", 0o777)
        self.datagrams.setblocking(False)
        self.number_high()
        self.sleeper = subprocess.Popen(
            ["sleep", "infinity"], **({} if uid is None else {"user": uid}))
        # One segment is the host's; the other one a box will try to leave.
        self.keys = [secrets.randbelow(1 << 30) + 1 for _ in range(2)]
        self.shm = LIBC.shmget(self.keys[0], SHM_BYTES, IPC_CREAT | 0o666)
        self.locked = open(self.tree + "/locked", "r+b")
        fcntl.flock(self.locked, fcntl.LOCK_EX)
        fcntl.lockf(self.locked, fcntl.LOCK_EX)
        self.fifo = os.open(self.tree + "/fifo", os.O_RDWR)
        os.write(self.fifo, b"xxxxxxxx")
        self.before = self.state()

    def make_tree(self):
        """An interpreter of one's own, which boxes get bound: a part of the
        host with things in it that a careless box would let through.
        """
        os.makedirs(self.tree + "/bin")
        os.symlink(PYTHON, self.tree + "/bin/python")
        self.write("pyvenv.cfg", "home = /usr/bin\n", 0o644)
        os.mkdir(self.tree + "/open")
        os.chmod(self.tree + "/open", 0o777)
        self.write("open/canary", "untouched", 0o666)
        self.write("locked", "", 0o666)
        os.mkfifo(self.tree + "/fifo")
        os.chmod(self.tree + "/fifo", 0o666)
        self.write("../secret.txt", self.secret, 0o644)
        if os.geteuid() != 0:
            return
        self.write("private", "for root", 0o600)
        shutil.copy("/usr/bin/id", self.tree + "/setuid")
        os.chmod(self.tree + "/setuid", 0o4755)
        os.mknod(self.tree + "/device", stat.S_IFCHR | 0o666, NULL_DEVICE)
        os.chmod(self.tree + "/device", 0o666)

    def write(self, path, text, mode):
        path = os.path.join(self.tree, path)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, mode)

    def listen_inet(self):
        made = socket.socket()
        made.bind(("127.0.0.1", 0))
        made.listen()
        made.setblocking(False)
        return made

    def listen_unix(self, address):
        made = socket.socket(socket.AF_UNIX)
        made.bind(address)
        made.listen()
        made.setblocking(False)
        if address[0] != "\0":
            os.chmod(address, 0o777)
        return made

    def place(self, engine):
        """A copy of an engine where no folder is shown besides."""
        path = os.path.join(self.tree, "bin", os.path.basename(engine))
        if not os.path.exists(path):
            shutil.copy(engine, path)
            self.before = self.state()
        return path

    def facts(self):
        """What a case in a box is told about its target."""
        return {
            "root": os.geteuid() == 0 and self.uid is None,
            "grouped": self.grouped,
            "slow": self.slow,
            "folder": self.folder,
            "tree": self.tree,
            "blocks": [os.statvfs(path).f_blocks
                       for path in ("/usr", self.tree)],
            "port": self.listeners[0].getsockname()[1],
            "abstract": "\0" + name(self.folder),
            "sleeper": self.sleeper.pid,
            "shm": self.shm,
            "key": self.keys[1],
            "namespaces": {
                kind: os.readlink("/proc/self/ns/" + kind)
                for kind in os.listdir("/proc/self/ns")
                if not kind.startswith("time")},
            "numbers": self.numbers(),
            # Backwards, so that this does not count as finding it.
            "terces": self.secret[::-1],
        }

    def environment(self):
        """What Caisson is started with."""
        return {
            "PATH": "/usr/bin:/bin", "HOME": self.home,
            "SECRET_TOKEN": self.secret,
            "CAISSON_PYTHON": self.tree + "/bin/python",
            "CAISSON_MEMORY": "128m", "CAISSON_PIDS": "32",
            "CAISSON_LOG_LEVEL": "error",
            # What is seen is told by the fields of answers.
            "CAISSON_STRUCTURED": "on",
            # Every process that is there belongs to a call.
            "CAISSON_POOL": "0",
            # Where they are set, the boxes have this runtime.
            **{name: os.environ[name] for name in SETTINGS
               if name in os.environ},
        }

    @staticmethod
    def number_high():
        """Give what is started from now on numbers that no box has.

        Only a few processes run before where an engine has its own.
        """
        if os.getpid() < HIGH:
            with open("/proc/sys/kernel/ns_last_pid", "w") as file:
                file.write(str(HIGH))

    def state(self):
        """What must be the same before and after."""
        entries = {}
        for where, folders, files in os.walk(self.tree):
            for entry in folders + files:
                path = os.path.join(where, entry)
                found = os.lstat(path)
                entries[path] = (found.st_mode, found.st_size,
                                 found.st_mtime_ns, found.st_uid)
        with open(self.tree + "/open/canary") as file:
            return (self.mounts(), self.segments(), entries, file.read(),
                    os.uname()[:2] if own_namespaces() else None)

    def mounts(self):
        """The mounts that only cases could change."""
        with open("/proc/self/mounts") as file:
            return [line for line in file
                    if own_namespaces() or self.folder in line]

    def segments(self):
        """Keys and sizes of the shared memory that only cases could make."""
        with open("/proc/sysvipc/shm") as file:
            rows = [line.split() for line in file][1:]
        return [(row[0], row[3]) for row in rows
                if own_namespaces() or int(row[0]) in self.keys]

    def changed(self):
        """What of the host is not as it was, in one sentence, or None."""
        for was, found in zip(self.before, self.state()):
            if was != found:
                return "the host was changed: %s is now %s" % (was, found)
        if self.sleeper.poll() is not None:
            return "a process of the host was ended"
        for listener in self.listeners:
            try:
                listener.accept()[0].close()
                return "a socket of the host was reached"
            except BlockingIOError:
                pass
        if self.letters():
            return "a datagram reached a socket of the host"
        return None

    def letters(self):
        """The datagrams that came."""
        found = []
        try:
            while True:
                found.append(self.datagrams.recv(100))
        except BlockingIOError:
            return found

    def forgive(self):
        """After an open box did what it was to do: as it was again."""
        for listener in self.listeners:
            try:
                while True:
                    listener.accept()[0].close()
            except BlockingIOError:
                pass
        self.letters()
        for entry in os.listdir(self.tree + "/open"):
            path = os.path.join(self.tree, "open", entry)
            if os.path.isdir(path):
                os.rmdir(path)
            elif entry != "canary":
                os.unlink(path)
        self.write("open/canary", "untouched", 0o666)
        self.before = self.state()

    @functools.lru_cache()
    def numbers(self):
        """Numbers of system calls that must fail, by the error that they
        must have, as worker/box/native/seccomp.rules says.
        """
        named = {word: set() for word in (
            "allow", "ignore", "refuse", "lack", "decline")}
        with open(RULES, encoding="ascii") as file:
            for line in file:
                words = line.split("#")[0].split(" if ")[0].split()
                if words and words[0] in named:
                    named[words[0]] |= {word.lstrip("?") for word in words}
        known = {}
        for path in HEADERS:
            if os.path.exists(path):
                with open(path, encoding="ascii") as file:
                    known = {int(number): name for name, number in re.findall(
                        r"#define __NR3?2?6?4?_(\w+)\s+(\d+)", file.read())}
                break
        errors = {error: [number for number, name in known.items()
                          if name in named[word] - named["allow"]]
                  for error, word in (("EPERM", "refuse"), ("ENOTSUP", "lack"),
                                      ("EINVAL", "decline"))}
        listed = set.union(*named.values())
        # The kernel makes 335 and 336 (uprobes) past every filter.
        unknown = [number for number in range(601)
                   if known.get(number, "clone3") not in listed
                   and number not in (335, 336) and number < NEWER]
        return {**errors, "ENOSYS": unknown} if known else {}

    def has_device(self):
        return os.path.exists(self.tree + "/device")

    def landlock_abi(self):
        """What the kernel has, as landlock_create_ruleset tells."""
        return LIBC.syscall(444, None, 0, 1)

    @functools.lru_cache()
    def interrupts(self):
        """What int 0x80 does outside a box: "True", or how it ends."""
        return in_child(interrupt) if COLUMN == 0 else None

    def in_cgroup(self):
        """Whether there is a path that a box could tell."""
        with open("/proc/self/cgroup") as file:
            return any(not line.endswith(":/\n") for line in file)

    def close(self):
        self.sleeper.kill()
        self.sleeper.wait()
        LIBC.shmctl(self.shm, IPC_RMID, None)
        for listener in self.listeners:
            listener.close()
        self.datagrams.close()
        self.locked.close()
        os.close(self.fifo)
        shutil.rmtree(self.folder)


def name(folder):
    return os.path.basename(folder)


def descriptors_of(pid):
    """How many descriptors a process has."""
    return len(os.listdir("/proc/%d/fd" % pid))
