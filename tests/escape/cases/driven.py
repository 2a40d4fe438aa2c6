"""Cases that need somebody outside: who kills Caisson or its parts, leaves,
cancels, or runs it on a host that lacks something. Each starts programs of
its own.
"""
import ctypes
import os
import resource
import signal
import subprocess
import tempfile
import time

from host import processes_below
from table import case, seen_in

SOON = 10  # seconds; what dies does so in milliseconds, unless it is busy
MARK = "caisson-orphan"
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWUSER, CLONE_NEWNS, PR_SET_DUMPABLE = 0x10000000, 0x20000, 4
NOBODY = 65534

DAEMON = """
import os, signal
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        # Or the relay would wait for the end of what they could write.
        for fd in 1, 2:
            os.dup2(0, fd)
        # Where nothing ends it, it ends by itself.
        os.execv("/bin/sleep", [%r, "8"])
""" % MARK


WRITE = """
import errno
try:
    open("%s/canary", "r+")
    print("ok")
except OSError as error:
    print(errno.errorcode[error.errno])
"""


def marked():
    """Processes of the host that are daemons of a box."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % entry) as file:
                if file.read().startswith(MARK):
                    found.append(int(entry))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def until(happened):
    """Wait until it has; return whether."""
    end = time.monotonic() + SOON
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def soon_gone(pids):
    """Whether these processes end well before they would by themselves."""
    end = time.monotonic() + 4
    while any(os.path.exists("/proc/%d" % pid) for pid in pids):
        if time.monotonic() > end:
            return "still there"
        time.sleep(0.01)
    return "gone"


@case("34b", "three daemons, seen from the host after the call", "gone",
      without="pid landlock", driven=True)
def daemons(run, words):
    program = run.start(words)
    number = program.start(DAEMON + "import time\nif True:\n    "
                           "time.sleep(0.3)\n    print('made')")
    if not until(lambda: len(marked()) == 3):
        return "the daemons did not start"
    pids = marked()
    seen = seen_in(program.wait(number))
    verdict = soon_gone(pids)
    for pid in marked():
        os.kill(pid, signal.SIGKILL)
    program.close()
    return verdict if seen == "made" else seen


@case("61", "kill -9 of Caisson while a box with daemons runs", "gone",
      without="life", driven=True)
def kill_caisson(run, words):
    program = run.start(words)
    program.start(DAEMON + "import time; time.sleep(8)")
    if not until(lambda: len(marked()) == 3):
        return "the daemons did not start"
    pids = [pid for pid, _ in processes_below(program.pid)] + marked()
    program.kill()
    verdict = soon_gone(pids)
    # Where nothing ended them, process 1 of the box would stay for ever.
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return verdict


@case("62", "kill -9 of the relay of a call; another call goes on",
      "an error, and the other is well", driven=True,
      shown="the relay is no part of the box")
def kill_relay(run, words):
    program = run.start(words)
    first = program.start("import time; time.sleep(20); print('first')")

    def relays():
        return [pid for pid, name in processes_below(program.pid)
                if name.startswith("relay")]
    if not until(relays):
        return "no relay started"
    killed = relays()
    second = program.start("import time; time.sleep(1); print('well')")
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    answer, other = program.wait(first), seen_in(program.wait(second))
    program.close()
    status = answer["result"]["structuredContent"].get("status")
    return "an %s, and the other is %s" % (status, other)


@case("63a", "cancel a call of a box with daemons", "gone", driven=True,
      shown="as 34b")
def cancel(run, words):
    program = run.start(words)
    number = program.start(DAEMON + "import time; time.sleep(8)")
    if not until(lambda: len(marked()) == 3):
        return "the daemons did not start"
    pids = marked()
    program.send({"method": "notifications/cancelled",
                  "params": {"requestId": number}})
    verdict = soon_gone(pids)
    program.close()
    return verdict


@case("63b", "a client that leaves while a box with daemons runs", "gone",
      driven=True, shown="as 34b")
def leave(run, words):
    program = run.start(words)
    program.start(DAEMON + "import time; time.sleep(8)")
    if not until(lambda: len(marked()) == 3):
        return "the daemons did not start"
    pids = [pid for pid, _ in processes_below(program.pid)] + marked()
    program.close()
    return soon_gone(pids)


@case("50f", "change an interpreter below /tmp, where landlock lets code write",
      "EROFS", without="ro overlay", driven=True)
def tree_below_tmp(run, words):
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        os.mkdir(folder + "/bin")
        os.symlink("/usr/bin/python3", folder + "/bin/python")
        for name in "pyvenv.cfg", "canary":
            with open(os.path.join(folder, name), "w") as file:
                file.write("home = /usr/bin\n")
            os.chmod(file.name, 0o666)
        program = run.start(words, MCP_BRIDGE_PYTHON=folder + "/bin/python")
        seen = seen_in(program.run(WRITE % folder))
        program.close()
    return seen


@case("67a", "a host that forbids user namespaces", "~.*FAIL +box +the "
      "box cannot be built: could not create a user namespace.*",
      driven=True, shown="there is no weaker mode")
def no_user_namespaces(run, words):
    return degraded(run, lambda: set_limit("user"))


@case("67b", "a host that forbids network namespaces", "~.*FAIL +box +"
      "the box cannot be built: could not create mount, pid, network.*",
      driven=True, shown="there is no weaker mode")
def no_network_namespaces(run, words):
    return degraded(run, lambda: set_limit("net"))


@case("67c", "a host whose /proc is partly covered, as in containers",
      "~.*run without it.*keeps every promise.*", driven=True,
      shown="stricter, not weaker")
def covered_proc(run, words):
    return degraded(run, cover_proc)


@case("67d", "a host with few descriptors", "~.*only 128 descriptors.*",
      driven=True, shown="calls would fail for want of them")
def few_descriptors(run, words):
    return degraded(run, lambda: resource.setrlimit(
        resource.RLIMIT_NOFILE, (128, 128)))


@case("67e", "a host with a mount below /usr, which no overlay shows",
      "~.*note +locks on files +on those of the host are the host's.*/usr: "
      "there are other mounts below it.*keeps every promise.*", driven=True,
      shown="67f is a host that has no overlays")
def crowded_usr(run, words):
    return degraded(run, crowd_usr)


@case("67f", "a host without overlays", "~.*ok +locks on files +stay in the "
      "box.*keeps every promise.*", without="overlay", driven=True)
def no_overlays(run, words):
    return degraded(run, lambda: None, words)


def crowd_usr():
    """Something of its own below /usr, as on hosts with many disks."""
    if LIBC.mount(b"none", b"/usr/share", b"tmpfs", 0, None) == -1:
        raise OSError(ctypes.get_errno(), "mount")


def set_limit(kind):
    """No more namespaces of a kind, for what runs in ours."""
    with open("/proc/sys/user/max_%s_namespaces" % kind, "w") as file:
        file.write("0")


def cover_proc():
    """As container engines do with a part of /proc."""
    if LIBC.mount(b"none", b"/proc/fs", b"tmpfs", 0, None) == -1:
        raise OSError(ctypes.get_errno(), "mount")


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
    """What Caisson says of a host that was prepared."""
    run.start(words).close()
    name = "sealed" if words is None else "open-" + words
    environment = run.host.environment()
    done = subprocess.run(
        [run.copies[name], "--selftest"], cwd="/", timeout=60,
        env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
        preexec_fn=lambda: degrade(prepare))
    return done.stdout
