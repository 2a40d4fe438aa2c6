"""Hosts that lack something: what the selftest of Caisson reports there. Each
is made of this one, in namespaces.
"""
import ctypes
import os
import resource
import subprocess
import sys

from table import case

sys.path.append(os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../../support"))
from refuse_calls import refuse  # pylint: disable=wrong-import-position

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWUSER, CLONE_NEWNS = 0x10000000, 0x20000
PR_SET_DUMPABLE = 4
EPERM, ENOSYS = 1, 38
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC = 2, 4, 8, 4096, 16384
NOBODY = 65534

KEPT = ".*keeps every promise.*"
REFUSED = "it is refused; reduced isolation must be allowed explicitly"


@case("67a", "a host that forbids user namespaces", "~.*FAIL +box +the "
      "box cannot be built: could not create a user namespace.*",
      driven=True, shown=REFUSED)
def no_user_namespaces(run, words):
    return degraded(run, lambda: set_limit("user"))


@case("67b", "a host that forbids network namespaces", "~.*FAIL +box +"
      "the box cannot be built: could not create mount, pid, network.*",
      driven=True, shown=REFUSED)
def no_network_namespaces(run, words):
    return degraded(run, lambda: set_limit("net"))


@case("67c", "a host whose /proc is partly covered, as in containers",
      "~.*run without it.*unmask=ALL.*systempaths=unconfined.*" + KEPT,
      driven=True,
      shown="stricter, not weaker")
def covered_proc(run, words):
    return degraded(run, cover_proc)


@case("67d", "a host with few descriptors", "~.*only 70 descriptors.*",
      driven=True, shown="calls would fail for want of them")
def few_descriptors(run, words):
    return degraded(run, lambda: resource.setrlimit(
        resource.RLIMIT_NOFILE, (70, 70)))


@case("67e", "a host with a mount below /usr, which no overlay shows",
      "~.*note +locks on files +on files of the host are shared with the "
      "host.*/usr: there are other mounts below it" + KEPT, driven=True,
      shown="67f is a host that has no overlays")
def crowded_usr(run, words):
    return degraded(run, crowd_usr)


@case("67f", "a host without overlays", "~.*ok +locks on files +stay in the "
      "box.*keeps every promise.*", without="overlay", driven=True)
def no_overlays(run, words):
    return degraded(run, lambda: None, words)


@case("67g", "a kernel without landlock", "~.*note +landlock +absent" + KEPT,
      driven=True, shown="a second layer is missing, and named")
def no_landlock(run, words):
    return degraded(run, lambda: refuse(ENOSYS, "landlock_create_ruleset",
                                        "landlock_add_rule",
                                        "landlock_restrict_self"))


@case("67h", "a kernel before 5.12", "~.*FAIL +box +the box cannot be built: "
      "could not .* read-only: Function not implemented.*", driven=True,
      shown=REFUSED)
def old_kernel(run, words):
    return degraded(run, lambda: refuse(ENOSYS, "mount_setattr"))


@case("67i", "a container whose system call list refuses namespaces",
      "~.*FAIL +box +the box cannot be built: could not create a user "
      "namespace.*system call filter around Caisson.*", driven=True,
      shown=REFUSED)
def system_call_list(run, words):
    return degraded(run, lambda: refuse(EPERM, "unshare", "mount",
                                        "pivot_root"))


@case("67j", "the same, where namespaces are made and mounts refused",
      "~.*FAIL +box +the box cannot be built: could not .*mounts private.*",
      driven=True, shown=REFUSED)
def no_mounts(run, words):
    return degraded(run, lambda: refuse(EPERM, "mount"))


@case("67m", "a container whose system call list refuses to name the host",
      "~.*note +clock and host name +.*refuses sethostname.*" + KEPT,
      driven=True, shown="every other promise is kept, and the name is a note")
def no_host_name(run, words):
    return degraded(run, lambda: refuse(EPERM, "sethostname", "setdomainname"))


@case("67n", "a chroot", "~.*FAIL +box +the box cannot be built: could not "
      "create a user namespace.*in a chroot.*pivot_root.*", driven=True,
      shown=REFUSED)
def plain_chroot(run, words):
    return degraded(run, lambda: enter_chroot(mounted=False))


@case("67o", "a chroot at a mount, which only root can tell from a root",
      "~.*FAIL +box +the box cannot be built: could not create a user "
      "namespace.*kernel refuses them in a chroot.*", driven=True,
      shown=REFUSED)
def mounted_chroot(run, words):
    return degraded(run, lambda: enter_chroot(mounted=True))


@case("67p", "a chroot in which /proc is not mounted",
      "~.*Caisson needs /proc: 'mount -t proc proc /proc'.*", driven=True,
      shown="Caisson does not start")
def no_proc(run, words):
    return degraded(run, lambda: cover(b"/proc"))


@case("67k", "a host whose /tmp is noexec, and full", "~" + KEPT, driven=True,
      shown="boxes have places of their own")
def closed_tmp(run, words):
    return degraded(run, close_tmp)


@case("67l", "a host without cgroups", "~.*note +cgroup +not used" + KEPT,
      driven=True, shown="rlimits and the watchdog, and named")
def no_cgroups(run, words):
    return degraded(run, lambda: cover(b"/sys/fs/cgroup"))


def cover(where, flags=0, options=None):
    """Nothing is there any more but an empty folder in memory."""
    if LIBC.mount(b"none", where, b"tmpfs", flags, options) == -1:
        raise OSError(ctypes.get_errno(), "mount")


def close_tmp():
    """A page and an inode are all that it has, and a file has both."""
    cover(b"/tmp", MS_NOSUID | MS_NODEV | MS_NOEXEC,
          b"size=4k,nr_inodes=2,mode=1777")
    with open("/tmp/full", "wb") as file:
        file.write(bytes(4096))


def enter_chroot(mounted):
    """Everything is where it was, but the root is none of the kernel's."""
    root = "/mnt/root"
    cover(b"/mnt")
    os.mkdir(root)
    if mounted:
        bind("/", root)
    else:
        for entry in os.scandir("/"):
            path = os.path.join(root, entry.name)
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), path)
            elif entry.is_dir() and entry.name != "mnt":
                os.mkdir(path)
                bind(entry.path, path)
    os.chroot(root)
    os.chdir("/")


def bind(path, where):
    """Show a folder with all that is mounted in it at another place, too."""
    if LIBC.mount(path.encode(), where.encode(), None, MS_BIND | MS_REC,
                  None) == -1:
        raise OSError(ctypes.get_errno(), "mount")


def crowd_usr():
    """Something of its own below /usr, as on hosts with many disks."""
    cover(b"/usr/share")


def set_limit(kind):
    """No more namespaces of a kind, for what runs in ours."""
    with open("/proc/sys/user/max_%s_namespaces" % kind, "w") as file:
        file.write("0")


def cover_proc():
    """As container engines do with a part of /proc."""
    cover(b"/proc/fs")


def degrade(prepare):
    """Become an ordinary user in namespaces of one's own, and prepare."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        LIBC.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    uid, gid = os.geteuid(), os.getegid()
    if LIBC.unshare(CLONE_NEWUSER | CLONE_NEWNS) == -1:
        raise OSError(ctypes.get_errno(), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", "%d %d 1" % (
            uid, uid)), ("gid_map", "%d %d 1" % (gid, gid))):
        with open("/proc/self/" + name, "w") as file:
            file.write(text)
    prepare()


def degraded(run, prepare, words=None):
    """Begin to ask Caisson of a host that was prepared; returns what waits for
    what it says.
    """
    try:
        asked = subprocess.Popen(
            [run.copy(words), "--selftest", "-v"], cwd="/",
            env=run.host.environment(), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
            preexec_fn=lambda: degrade(prepare))
    except subprocess.SubprocessError as error:
        return "[%s]" % error
    return lambda: said(asked)


def said(asked):
    """What was said, once it was."""
    try:
        return asked.communicate(timeout=120)[0]
    except subprocess.TimeoutExpired as error:
        asked.kill()
        asked.communicate()
        return "[%s]" % error
