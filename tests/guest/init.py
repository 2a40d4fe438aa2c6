#!/usr/bin/python3
"""Process 1 of the guest: makes a system of the few files there are, runs the
tests, and switches the machine off. The last line of its own on the console
says how many tests failed; without it the guest itself has failed.
"""
import ctypes
import fcntl
import os
import resource
import socket
import struct
import subprocess
import sys
import traceback

import system

SOURCE = "/source/tests"
CGROUPS = "/sys/fs/cgroup"
LIBC = ctypes.CDLL(None, use_errno=True)
MS_BIND, MS_MOVE = 4096, 8192
REBOOT_OFF = 0x4321fedc
FINIT_MODULE = 313
MODULE_INIT_COMPRESSED_FILE = 4
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
SLOW = "5"  # what a second is here, at most, of a real processor
MOUNTS = (
    ("proc", "/proc", "proc", None),
    ("sysfs", "/sys", "sysfs", None),
    ("devtmpfs", "/dev", "devtmpfs", None),
    ("tmpfs", "/tmp", "tmpfs", b"mode=1777"),
    ("tmpfs", "/var/tmp", "tmpfs", b"mode=1777"),
    # As systemd mounts it.
    ("cgroup2", CGROUPS, "cgroup2", b"nsdelegate"),
)


def mount(what, where, kind=None, flags=0, options=None):
    encoded = [None if text is None else text.encode()
               for text in (what, where, kind)]
    if LIBC.mount(*encoded, flags, options) == -1:
        raise OSError(ctypes.get_errno(), "mount " + where)


def load_modules():
    for name in sorted(os.listdir("/modules")):
        with open("/modules/" + name, "rb") as file:
            if LIBC.syscall(FINIT_MODULE, file.fileno(), b"",
                            0 if name.endswith(".ko") else
                            MODULE_INIT_COMPRESSED_FILE) == -1:
                raise OSError(ctypes.get_errno(), "load " + name)


def prepare():
    """A root that can be left by pivot_root, unlike that of an initramfs."""
    os.mkdir("/new")
    mount("/", "/new", flags=MS_BIND)
    os.chdir("/new")
    mount("/new", "/", flags=MS_MOVE)
    os.chroot(".")
    os.chdir("/")
    load_modules()
    for what, where, kind, options in MOUNTS:
        mount(what, where, kind, 0, options)
    os.environ.update({"PATH": "/usr/bin:/bin", "HOME": "/root"})
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 65536))
    with open(CGROUPS + "/cgroup.subtree_control", "w") as file:
        file.write("+memory +pids +cpu")
    start_loopback()


def run(*command):
    return subprocess.run(["/usr/bin/python3", "-B", *command],
                          stdin=subprocess.DEVNULL).returncode


def start_loopback():
    """That of the host, to which no box may have a way."""
    up = struct.pack("16sh14x", b"lo", IFF_UP)
    with socket.socket() as asked:
        fcntl.ioctl(asked, SIOCSIFFLAGS, up)


def leave_root():
    """Be in a cgroup that boxes could tell, as everybody is under systemd."""
    os.mkdir(CGROUPS + "/tests")
    with open(CGROUPS + "/tests/cgroup.procs", "w") as file:
        file.write("0")


def escape(words):
    """The arguments of tests/escape that the words ask for."""
    options = ["--cgroups", CGROUPS, "--slow", SLOW]
    for word in words:
        name, _, value = word.partition("=")
        if name in ("user", "only"):
            options += ["--" + name, value]
        elif name in ("template", "sealed"):
            options += ["--" + name]
    return options


def words():
    """What the tests were asked for."""
    with open("/proc/cmdline") as file:
        return file.read().split()


def tests(words):
    """How many of the programs of tests have failed."""
    if "escape" not in words:
        return int(run(SOURCE + "/guest/checks.py", *(
            name for word in words if word.startswith("only=")
            for name in word[5:].split(","))) != 0)
    leave_root()
    return int(run(SOURCE + "/escape/run.py", "/build", *escape(words)) != 0)


def main():
    try:
        prepare()
        asked = words()
        print("guest: Linux %s" % os.uname().release, flush=True)
        if {"containers", "services"} & set(asked):
            system.start()
        failed = tests(asked)
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        failed = "?"
    print("guest: %s failed" % failed, flush=True)
    os.sync()
    LIBC.reboot(REBOOT_OFF)


main()
