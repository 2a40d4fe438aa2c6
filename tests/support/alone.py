"""Runs a test so that it meets only what it made itself, whatever else runs on
the machine.

    alone.py [--keep PATH]... COMMAND [ARGUMENT...]
    alone.py --view [--keep PATH]... COMMAND [ARGUMENT...]

The command gets the parent of all its orphans: this process, whose number is
in CAISSON_REAPER, so everything that a test has started hangs below it for as
long as it lives. For root the command also gets namespaces of its own: mounts,
System V and POSIX objects, the host name, and empty folders in the place of
/tmp, /var/tmp and /dev/shm. A PATH that lies there stays visible. At the end
what still runs is killed, and the folders are removed. The exit status is that
of the command.

With --view the command replaces this process and gets mounts of its own only,
an ordinary user by way of a user namespace in which nothing but that user is
mapped. The folders are in memory.
"""
import argparse
import ctypes
import os
import shutil
import signal
import sys
import tempfile
import time

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID = 0x10000000, 0x20000000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
REAPER = "CAISSON_REAPER"
OWN = "CAISSON_OWN_NAMESPACES"  # set where the command has some
PLACES = "/tmp", "/var/tmp", "/dev/shm"
QUEUES = "/dev/mqueue"
END_SECONDS = 300  # what was killed is gone by then, unless it hangs
FORWARDED = signal.SIGTERM, signal.SIGINT, signal.SIGHUP


def checked(result, what):
    """Raise the error of a call of the C library that failed."""
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (what, os.strerror(number)))


def mount(source, target, kind=None, flags=0, options=None):
    encoded = [None if text is None else text.encode()
               for text in (source, target, kind)]
    checked(LIBC.mount(*encoded, ctypes.c_ulong(flags), options),
            "mount " + target)


def unshare(flags):
    checked(LIBC.unshare(flags), "unshare")


def places():
    """Where every process of a machine may leave files."""
    return [place for place in PLACES if os.path.isdir(place)]


def is_in(path, folder):
    return path.startswith(folder + "/")


def cover(folders, kept):
    """Put folders in the place of those that all share; None: in memory.

    What is kept stays where it was.
    """
    mount("none", "/", flags=MS_REC | MS_PRIVATE)
    # A folder below another kept one comes along with that.
    handles = {path: os.open(path, os.O_PATH) for path in kept
               if any(is_in(path, place) for place in folders)
               and not any(is_in(path, other) for other in kept)}
    for place, folder in folders.items():
        if folder:
            mount(folder, place, flags=MS_BIND)
        else:
            mount("none", place, "tmpfs", options=b"mode=1777")
    for path, handle in handles.items():
        os.makedirs(path, exist_ok=True)
        mount("/proc/self/fd/%d" % handle, path, flags=MS_BIND | MS_REC)
        os.close(handle)


def enter(folders, kept):
    """Become a machine of one's own, as far as files tell.

    Root of a container may be forbidden to: then it is as an ordinary user.
    """
    where = os.getcwd()
    try:
        unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC)
    except PermissionError as error:
        print("alone.py: no namespaces of its own: %s" % error.strerror,
              file=sys.stderr)
        return
    cover(folders, kept)
    os.environ[OWN] = "1"
    if os.path.isdir(QUEUES):
        mount("none", QUEUES, "mqueue")
    os.chdir(where if os.path.isdir(where) else "/")


def enter_view(kept):
    """The same for one program: mounts only, and everything in memory."""
    user, group = os.geteuid(), os.getegid()
    unshare(CLONE_NEWNS | (CLONE_NEWUSER if user != 0 else 0))
    if user != 0:
        for name, text in (("setgroups", "deny"),
                           ("uid_map", "%d %d 1" % (user, user)),
                           ("gid_map", "%d %d 1" % (group, group))):
            with open("/proc/self/" + name, "w", encoding="ascii") as file:
                file.write(text)
    cover(dict.fromkeys(places()), kept)
    os.chdir("/")


def own_namespaces():
    """Whether this process has mounts that nobody else changes."""
    return OWN in os.environ


def stat_of(pid):
    """The parent and the name of a process, or None when there is none."""
    try:
        with open("/proc/%d/stat" % pid, encoding="latin-1") as file:
            left, right = file.read().rsplit(")", 1)
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(right.split()[1]), left.split("(", 1)[1]


def processes_below(pid):
    """All descendants of a process, as (pid, name)."""
    children = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        found = stat_of(int(entry))
        if found:
            children.setdefault(found[0], []).append((int(entry), found[1]))
    below, todo = [], [pid]
    while todo:
        more = children.get(todo.pop(), [])
        below += more
        todo += [child for child, _ in more]
    return below


def start(command, folders, kept):
    """The command as a child; returns its pid."""
    child = os.fork()
    if child:
        return child
    try:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
        os.environ[REAPER] = str(os.getppid())
        if folders:
            enter(folders, kept)
        os.execvp(command[0], command)
    except OSError as error:
        print("alone.py: %s" % error, file=sys.stderr)
    os._exit(127)


def wait_for(child):
    """Reap everything until the command has ended; returns its status."""
    while True:
        pid, status = os.wait()
        if pid == child:
            return os.waitstatus_to_exitcode(status)


def end_rest():
    """Kill what the command has left, and what that leaves."""
    end = time.monotonic() + END_SECONDS
    while time.monotonic() < end:
        for pid, _ in processes_below(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.01)
        except ChildProcessError:
            return


def remove(folder):
    """A folder of ours, unless anything is mounted in it."""
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        if any(is_in(line.split()[4], folder) for line in file):
            sys.exit("alone.py: something is mounted in %s" % folder)
    shutil.rmtree(folder, ignore_errors=True)


def run(command, kept):
    """Run the command with this process as the parent of its orphans."""
    checked(LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl")
    folders = {}
    if os.geteuid() == 0:
        folders = {place: tempfile.mkdtemp(prefix="caisson-alone-", dir=place)
                   for place in places()}
    for folder in folders.values():
        os.chmod(folder, 0o1777)
    # One that comes before there is a child to get it waits.
    signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    child = start(command, folders, kept)
    for number in FORWARDED:
        signal.signal(number, lambda number, _: os.kill(child, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
    try:
        return wait_for(child)
    finally:
        end_rest()
        for folder in folders.values():
            remove(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--view", action="store_true")
    parser.add_argument("--keep", action="append", default=[],
                        type=os.path.realpath)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.command:
        parser.error("no command")
    if options.view:
        enter_view(options.keep)
        os.execvp(options.command[0], options.command)
    status = run(options.command, options.keep)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
