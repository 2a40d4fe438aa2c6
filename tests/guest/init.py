#!/usr/bin/python3
"""Process 1 of the guest: makes a system of the few files there are, runs the
tests, and switches the machine off. The last line of its own on the console
says how many tests failed; without it the guest itself has failed.
"""
import ctypes
import os
import resource
import subprocess
import sys
import traceback

SOURCE = "/source/tests"
LIBC = ctypes.CDLL(None, use_errno=True)
MS_BIND, MS_MOVE = 4096, 8192
REBOOT_OFF = 0x4321fedc
FINIT_MODULE = 313
MOUNTS = (
    ("proc", "/proc", "proc", None),
    ("sysfs", "/sys", "sysfs", None),
    ("devtmpfs", "/dev", "devtmpfs", None),
    ("tmpfs", "/tmp", "tmpfs", b"mode=1777"),
    ("tmpfs", "/var/tmp", "tmpfs", b"mode=1777"),
    # As systemd mounts it.
    ("cgroup2", "/sys/fs/cgroup", "cgroup2", b"nsdelegate"),
)


def mount(what, where, kind=None, flags=0, options=None):
    encoded = [None if text is None else text.encode()
               for text in (what, where, kind)]
    if LIBC.mount(*encoded, flags, options) == -1:
        raise OSError(ctypes.get_errno(), "mount " + where)


def load_modules():
    for name in sorted(os.listdir("/modules")):
        with open("/modules/" + name, "rb") as file:
            if LIBC.syscall(FINIT_MODULE, file.fileno(), b"", 0) == -1:
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
    with open("/sys/fs/cgroup/cgroup.subtree_control", "w") as file:
        file.write("+memory +pids +cpu")


def run(*command):
    return subprocess.run(["/usr/bin/python3", "-B", *command],
                          stdin=subprocess.DEVNULL).returncode


def tests():
    """How many of the programs of tests have failed."""
    print("guest: Linux %s" % os.uname().release, flush=True)
    with open("/proc/cmdline") as file:
        words = file.read().split()
    if "escape" not in words:
        return int(run(SOURCE + "/guest/checks.py") != 0)
    only = [part for word in words if word.startswith("only=")
            for part in ("--only", word.split("=", 1)[1])]
    failed = 0
    for user in [], ["--user", "65534"]:
        failed += run(SOURCE + "/escape/run.py", "/build", *user, *only) != 0
    return failed


def main():
    try:
        prepare()
        failed = tests()
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        failed = "?"
    print("guest: %s failed" % failed, flush=True)
    os.sync()
    LIBC.reboot(REBOOT_OFF)


main()
