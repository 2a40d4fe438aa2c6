"""Cases that need a process outside, which kills Caisson or its parts,
disconnects, or cancels. Each starts programs of its own.
"""
import os
import secrets
import signal
import tempfile
import time

from alone import processes_below
from table import case, seen_in

SOON = 60  # seconds; what happens does so in milliseconds, unless it is busy
PF_EXITING = 4  # linux/sched.h
MARK = "caisson-orphan-" + secrets.token_hex(8)  # of this run only
GATE = "caisson-gate-" + secrets.token_hex(8)

DAEMON = """
import os, signal
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        # Or the relay would wait for the end of what they could write.
        for fd in 1, 2:
            os.dup2(0, fd)
        # Where nothing ends it, it ends by itself.
        os.execv("/bin/sleep", [%r, "30"])
""" % MARK

# Starts a process and waits for its end, which is up to the case.
STAND = """
import os; os.spawnv(os.P_WAIT, "/bin/sleep", [%r, "30"])
""" % GATE

WRITE = """
import errno
try:
    open("%s/canary", "r+")
    print("ok")
except OSError as error:
    print(errno.errorcode[error.errno])
"""


def marked(mark=MARK):
    """Processes of a box with this mark, by default the daemons."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % entry) as file:
                if file.read().startswith(mark):
                    found.append(int(entry))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def end_all(pids):
    """Kill these processes, of which each may just have ended."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def end_marked(mark=MARK):
    """Those that no protection has ended."""
    end_all(marked(mark))


def until(run, happened):
    """Wait until it has; return whether."""
    end = time.monotonic() + SOON * run.slow
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def lives(pid):
    """Whether a process is there, and not one that its parent must reap.

    Process 1 of a namespace ends when all others there have been reaped, and
    who does that when Caisson is dead is not up to us.
    """
    try:
        with open("/proc/%d/stat" % pid) as file:
            flags = int(file.read().rpartition(")")[2].split()[6])
    except (FileNotFoundError, ProcessLookupError):
        return False
    return not flags & PF_EXITING


def soon_gone(pids, words):
    """Whether these processes end well before they would by themselves.

    Without a protection one second shows that nothing ends them.
    """
    end = time.monotonic() + (1 if words else 10)
    while any(map(lives, pids)):
        if time.monotonic() > end:
            return "still there"
        time.sleep(0.01)
    return "gone"


@case("34b", "three daemons, seen from the host after the call", "gone",
      without="pid landlock", driven=True)
def daemons(run, words):
    program = run.start(words)
    number = program.start(DAEMON + STAND + "print('made')")
    if not until(run, lambda: len(marked()) == 3 and marked(GATE)):
        return "the daemons did not start"
    pids = marked()
    end_marked(GATE)
    seen = seen_in(program.wait(number))
    verdict = soon_gone(pids, words)
    end_marked()
    program.close()
    return verdict if seen == "made" else seen


@case("61", "kill -9 of Caisson while a box with daemons runs", "gone",
      without="life", driven=True)
def kill_caisson(run, words):
    program = run.start(words)
    program.start(DAEMON + "import time; time.sleep(30)")
    if not until(run, lambda: len(marked()) == 3):
        return "the daemons did not start"
    pids = [pid for pid, _ in processes_below(program.pid)] + marked()
    program.kill()
    verdict = soon_gone(pids, words)
    # Where nothing ended them, process 1 of the box would stay for ever.
    end_all(filter(lives, pids))
    return verdict


@case("62", "kill -9 of the relay of a call; another call goes on",
      "an error, and the other is well", driven=True,
      shown="the relay is no part of the box")
def kill_relay(run, words):
    program = run.start(words)

    def relays():
        return [pid for pid, name in processes_below(program.pid)
                if name.startswith("relay")]
    # Those of earlier calls are still about to end.
    if not until(run, lambda: not relays()):
        return "a relay does not end"
    # Before its code runs a box that is lost is replaced.
    first = program.start(DAEMON + "import time; time.sleep(20)")
    if not until(run, lambda: len(marked()) == 3):
        return "the code did not start"
    killed = relays()
    second = program.start("import time; time.sleep(1); print('well')")
    end_all(killed)
    answer, other = program.wait(first), seen_in(program.wait(second))
    program.close()
    status = answer["result"]["structuredContent"].get("status")
    return "an %s, and the other is %s" % (status, other)


@case("63a", "cancel a call of a box with daemons", "gone", driven=True,
      without="pid landlock")
def cancel(run, words):
    program = run.start(words)
    number = program.start(DAEMON + "import time; time.sleep(30)")
    if not until(run, lambda: len(marked()) == 3):
        return "the daemons did not start"
    pids = marked()
    program.cancel(number)
    verdict = soon_gone(pids, words)
    end_marked()
    program.close()
    return verdict


@case("63b", "a client that leaves while a box with daemons runs", "gone",
      driven=True, shown="as 63a; and Caisson, which ends then, ends all that "
      "is left below it")
def leave(run, words):
    program = run.start(words)
    program.start(DAEMON + "import time; time.sleep(30)")
    if not until(run, lambda: len(marked()) == 3):
        return "the daemons did not start"
    pids = [pid for pid, _ in processes_below(program.pid)] + marked()
    program.close()
    verdict = soon_gone(pids, words)
    end_marked()
    return verdict


@case("x11b", "two boxes at once are the same user of the host", "no",
      without="identity", root=True, driven=True)
def users_of_boxes(run, words):
    program = run.start(words)

    def users():
        # Those of the template, if there is one, are no boxes.
        found = []
        for pid, name in processes_below(program.pid):
            try:
                if name == "box-init":
                    found.append(os.stat("/proc/%d" % pid).st_uid)
            except FileNotFoundError:  # it has just ended
                pass
        return found
    numbers = [program.start(STAND + "print('well')") for _ in range(2)]
    found = []

    def stand():
        # There may be one more, which is being built or ended.
        found[:] = users()
        return len(found) == 2 and len(marked(GATE)) == 2
    if not until(run, stand):
        return "the boxes did not start"
    end_marked(GATE)
    seen = {seen_in(program.wait(number)) for number in numbers}
    program.close()
    if seen != {"well"}:
        return str(seen)
    return "no" if len(set(found)) == 2 and 0 not in found else str(found)


CHANCE = """
import random, secrets, uuid
print(random.random(), uuid.uuid4(), secrets.token_hex())
"""


@case("60", "chance that another box has had: random, uuid4, secrets",
      "differs", driven=True, shown="each box draws anew: there is nothing to "
      "take away")
def chance(run, words):
    program = run.start(words)
    seen = [seen_in(program.run(CHANCE)).split() for _ in range(4)]
    program.close()
    numbers = [number for three in seen for number in three]
    return "differs" if len(set(numbers)) == 12 else str(seen)


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
        program = run.start(words, CAISSON_PYTHON=folder + "/bin/python")
        seen = seen_in(program.run(WRITE % folder))
        program.close()
    return seen
