"""Tries in a container what no box may do (supervisor/box/container_trial.c).

    python3 -I FOLDER/trial.py

The container has small limits: see CONTAINER_TRIAL_MEMORY in common/limits.h.
The exit status says which promise is not kept: FIRST and its place in CHECKS; 0
if all are.  Only a check that fails by itself prints something.
"""
import ctypes
import mmap
import os
import socket
import sys

FIRST = 80
MUCH = 96 << 20  # bytes, more than the container may have
MANY = 64  # processes, more than it may have
PAGE = 4096
KILLED = 9  # the status of a process that ended by SIGKILL
EPERM_LIKE = 1, 13, 38  # EPERM, EACCES, ENOSYS
NEW_USER = 0x10000000
OURS = "/tmp", "/workspace", "/workspace/out", "/data"  # writable directories


def status():
    with open("/proc/self/status") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file
                    if ":\t" in line)


def is_no_root():
    return os.getuid() > 0 and os.getgid() > 0


def has_no_capabilities():
    found = status()
    return all(int(found[name], 16) == 0
               for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb"))


def gets_no_privileges():
    return status()["NoNewPrivs"] == "1"


def is_filtered():
    """Ask for a user namespace, which needs no privilege."""
    libc = ctypes.CDLL(None, use_errno=True)
    if os.fork() == 0:
        os._exit(0 if libc.unshare(NEW_USER) == -1 and
                 ctypes.get_errno() in EPERM_LIKE else 1)
    return status()["Seccomp"] == "2" and os.wait()[1] == 0


def is_lonely_route(line):
    """Whether a line of /proc/net/ipv6_route leads nowhere else."""
    return line.split()[-1:] == ["lo"]


def has_no_routes():
    """Find no route but to oneself: the filter may refuse sockets only."""
    with open("/proc/net/route") as file:
        if len(file.readlines()) > 1:  # below the heading, without lo
            return False
    try:
        with open("/proc/net/ipv6_route") as file:
            return all(map(is_lonely_route, file))
    except FileNotFoundError:  # the kernel knows no IPv6
        return True


def has_no_network():
    """Find no route to addresses that stand for any other machine."""
    if not has_no_routes():
        return False
    for family, address in ((socket.AF_INET, "192.0.2.1"),
                            (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as end:
                end.connect((address, 9))
        except OSError:
            continue
        return False
    return True


def is_read_only():
    return all(os.statvfs(path).f_flag & os.ST_RDONLY
               for path in ("/", os.path.dirname(os.path.abspath(__file__))))


def executes_no_files():
    wanted = os.ST_NOEXEC | os.ST_NOSUID | os.ST_NODEV
    return all(os.statvfs(path).f_flag & wanted == wanted
               for path in ("/tmp", "/workspace", "/workspace/out"))


def mounts():
    """The directory of each mount, and its options."""
    with open("/proc/self/mounts", "rb") as file:
        rows = [line.split() for line in file]
    for _, place, _, options, *_ in rows:
        place = place.decode("unicode_escape").encode("latin-1")
        yield os.fsdecode(place), options.decode().split(",")


def is_writable(place):
    """Whether anything in a directory can be written to."""
    return any(os.access(os.path.join(folder, name), os.W_OK)
               for folder, _, names in os.walk(place)
               for name in ["."] + names)


def has_no_volumes():
    """Find no other directory that can be written to: a volume of an image is
    on the disk of the host, without a limit, and may hold programs.
    """
    return not any(
        "rw" in options and is_writable(place) for place, options in mounts()
        if place.split("/")[1] not in ("dev", "proc", "sys") and
        not (place in OURS and "noexec" in options))


def is_alone():
    """See no process of the host: one's own are the first ones."""
    if 1 not in (os.getpid(), os.getppid()):
        return False
    return sum(name.isdigit() for name in os.listdir("/proc")) < 8


def has_limited_processes():
    made = []
    ready, stop = os.pipe()
    try:
        for _ in range(MANY):
            child = os.fork()
            if child == 0:
                os.close(stop)
                os.read(ready, 1)
                os._exit(0)
            made.append(child)
    except OSError:
        pass
    os.close(stop)
    for child in made:
        os.waitpid(child, 0)
    return len(made) < MANY


def has_limited_memory():
    child = os.fork()
    if child == 0:
        try:
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write("1000")
        except OSError:
            pass
        # The filter refuses shared memory, whatever the limit is.
        memory = mmap.mmap(-1, MUCH, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        for at in range(0, MUCH, PAGE):
            memory[at] = 1
        os._exit(0)
    return os.waitpid(child, 0)[1] == KILLED


# In the order of container_promises.
CHECKS = (is_no_root, has_no_capabilities, gets_no_privileges, is_filtered,
          has_no_network, is_read_only, executes_no_files, is_alone,
          has_limited_processes, has_limited_memory, has_no_volumes)


def main():
    for place, check in enumerate(CHECKS):
        try:
            holds = check()
        except Exception as error:
            print(check.__name__, error, file=sys.stderr)
            holds = False
        if not holds:
            return FIRST + place
    return 0


if __name__ == "__main__":
    os._exit(main())
