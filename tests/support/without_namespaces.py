"""
Runs a program as on a system that forbids user namespaces, without changing
this one: in a user namespace that has every user of the outer one, and in
which no other can be made.

    without_namespaces.py UID PROGRAM [ARGUMENT...]

The program is started as that user; only root can name another one than
itself. Everything but the user namespace is that of the caller.
"""
import ctypes
import os
import sys

CLONE_NEWUSER = 0x10000000
LIMIT = "/proc/sys/user/max_user_namespaces"


def write(path, text):
    """Write what the kernel reads at once."""
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def map_users(pid):
    """Give a process in a new user namespace the users that we have."""
    if os.geteuid() == 0:
        users = groups = "0 0 4294967295"
    else:
        users = "%d %d 1" % (os.geteuid(), os.geteuid())
        groups = "%d %d 1" % (os.getegid(), os.getegid())
        write("/proc/%d/setgroups" % pid, "deny")
    write("/proc/%d/uid_map" % pid, users)
    write("/proc/%d/gid_map" % pid, groups)


def enter():
    """Enter a user namespace whose maps a child writes from outside."""
    read, entered = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(entered)
        os.read(read, 1)
        map_users(parent)
        os._exit(0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWUSER) == -1:
        sys.exit("unshare: " + os.strerror(ctypes.get_errno()))
    os.close(entered)
    os.close(read)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit("the users cannot be mapped")


def main():
    """Enter, forbid more, become the user, become the program."""
    uid = int(sys.argv[1])
    root = os.geteuid() == 0
    enter()
    write(LIMIT, "0")
    if root and uid != 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    os.execv(sys.argv[2], sys.argv[2:])


main()
