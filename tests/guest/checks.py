"""What Caisson does where it gets a cgroup of its own, in the guest: every
check runs once as root and once as an ordinary user to whom a part of the tree
was delegated, as systemd delegates it.
"""
import ctypes
import os
import re
import signal
import subprocess
import time

from client import (BOMB, BUSY, CAISSON, CROWD, OUT_OF_MEMORY, SECONDS,
                    TIMED_OUT, USER, Caisson, check, demand, equal, error,
                    meta, read, run_all, wait_until)

TREE = "/sys/fs/cgroup"
LANDLOCK_CREATE_RULESET, VERSION = 444, 1


class Place:
    """A part of the tree that belongs to a user, and what is started in it."""
    made = 0

    def __init__(self, uid):
        Place.made += 1
        self.uid = uid
        self.path = "%s/place-%d" % (TREE, Place.made)
        os.mkdir(self.path)
        for name in ("", "cgroup.procs", "cgroup.subtree_control",
                     "cgroup.threads"):
            os.chown(os.path.join(self.path, name), uid, uid)

    def enter(self):
        """In a child: join it, then become its user."""
        with open(self.path + "/cgroup.procs", "w") as file:
            file.write("0")
        os.setgroups([])
        os.setresgid(self.uid, self.uid, self.uid)
        os.setresuid(self.uid, self.uid, self.uid)

    def start(self, command, **options):
        return subprocess.Popen(command, preexec_fn=self.enter, cwd="/",
                                text=True, stdout=subprocess.PIPE, **options)

    def close(self):
        """There must be nothing left."""
        equal(self.folders(), [])
        os.rmdir(self.path)

    def wait_for_code(self):
        """Return the folder of the one box, whose code runs."""
        wait_until(lambda: "python3" in self.names(), "no box")
        return self.boxes()[0]

    def folders(self):
        return sorted(entry for entry in os.listdir(self.path)
                      if os.path.isdir(os.path.join(self.path, entry)))

    def boxes(self):
        return [name for name in self.folders() if name.startswith("box-")]

    def names(self):
        """Of the processes in boxes, but for those that just end."""
        found = []
        for box in self.boxes():
            for pid in read(self.path, box, "cgroup.procs").split():
                try:
                    found.append(read("/proc", pid, "comm").strip())
                except OSError:
                    pass
        return found


@check
def a_box_has_a_cgroup(uid):
    caisson = Caisson(Place(uid), MEMORY="64m")
    result = caisson.run("x = bytearray(20 << 20)\nprint('hi')")

    equal(result["content"][0]["text"], "hi")
    equal(meta(result, "isolation")["limits"], "cgroup")
    equal(meta(result, "isolation")["landlock"],
          ctypes.CDLL(None).syscall(LANDLOCK_CREATE_RULESET, None, 0, VERSION))
    demand(20 * 1024 < meta(result, "peakMemoryKiB") <= 64 * 1024,
           "a peak of %s KiB" % meta(result, "peakMemoryKiB"))
    demand(meta(result, "cpuMs") > 1, "no CPU time")
    caisson.finish()


@check
def its_limits_are_set(uid):
    caisson = Caisson(Place(uid), MEMORY="64m", PIDS="20", CPUS="0.5")
    caisson.begin("import time\nprint(1)\ntime.sleep(1)")
    box = caisson.place.wait_for_code()
    seen = {name: read(caisson.place.path, box, name).strip() for name in (
        "memory.max", "memory.swap.max", "memory.oom.group", "pids.max",
        "cpu.max")
        if os.path.exists(os.path.join(caisson.place.path, box, name))}

    equal(seen, {"memory.max": str(64 << 20), "memory.oom.group": "1",
                 "memory.swap.max": "0", "pids.max": "23",
                 "cpu.max": "50000 100000"})
    own = [name for name in caisson.place.folders() if name != box]
    equal(own, [name for name in own if name.startswith("caisson-")])
    demand(str(caisson.process.pid) in read(
        caisson.place.path, own[0], "cgroup.procs").split(), "not moved")
    equal(caisson.receive()["isError"], False)
    caisson.finish()


@check
def many_children_cannot_take_more(uid):
    caisson = Caisson(Place(uid), MEMORY="64m")
    result = caisson.run(BOMB)

    equal(error(result), OUT_OF_MEMORY)
    equal("signal" in result["structuredContent"], False)
    demand(meta(result, "peakMemoryKiB") <= 64 * 1024, "above the limit")
    result = caisson.run("import os\nos.kill(os.getpid(), 9)")
    equal(error(result), "Sandbox was killed by SIGKILL")
    equal(result["structuredContent"]["signal"], "SIGKILL")
    result = caisson.run("raise SystemExit(137)")
    equal(error(result), "Sandbox exited with code 137")
    caisson.finish()


@check
def a_forked_box_dies_alone(uid):
    caisson = Caisson(Place(uid), MEMORY="64m", PIDS="20", CPUS="0.5")
    wait_until(caisson.is_forked, "no box is forked")
    for n in range(3):
        equal(error(caisson.run(BOMB)), OUT_OF_MEMORY)
        demand(caisson.is_forked(), "its template has ended, too")
    result = caisson.run("print(open('/proc/self/cgroup').read().strip())\n"
                         "x = bytearray(20 << 20)")
    equal(result["content"][0]["text"], "0::/")
    demand(20 * 1024 < meta(result, "peakMemoryKiB") <= 64 * 1024,
           "a peak of %s KiB" % meta(result, "peakMemoryKiB"))
    result = caisson.run(BUSY)
    share = meta(result, "cpuMs") / meta(result, "durationMs")
    demand(0.2 < share < 0.75, "%.2f processors" % share)
    wait_until(lambda: not caisson.place.boxes(), "a folder stays")
    caisson.begin("import time\ntime.sleep(600)")
    box = caisson.place.wait_for_code()
    wait_until(lambda: "box-init" in caisson.place.names(), "no process 1")
    equal(read(caisson.place.path, box, "pids.max").strip(), "23")
    caisson.finish()


@check
def a_pool_leaves_nothing(uid):
    caisson = Caisson(Place(uid), POOL="2")
    wait_until(caisson.is_forked, "no box is forked")
    wait_until(lambda: len(caisson.place.boxes()) == 2, "no pool")
    for n in range(4):
        equal(caisson.run("print(%d)" % n)["content"][0]["text"], str(n))
    caisson.finish()


@check
def without_its_cgroup_no_box_starts(uid):
    if uid == 0:
        return  # who may write everywhere
    caisson = Caisson(Place(uid))
    wait_until(caisson.is_forked, "no box is forked")
    os.chmod(caisson.place.path, 0o555)
    demand("start Caisson again" in error(caisson.run("print(1)")), "no cause")
    os.chmod(caisson.place.path, 0o755)
    demand(caisson.is_forked(), "no box is forked afterwards")
    caisson.finish()


@check
def files_are_memory_too(uid):
    caisson = Caisson(Place(uid), MEMORY="64m")
    result = caisson.run("""
for place in "/tmp", "/workspace", "/dev/shm":
    with open(place + "/x", "wb") as file:
        for n in range(14):
            file.write(bytes(1 << 20))
kept = [bytes(b"x" * (1 << 20)) for n in range(40)]
""")

    equal(error(result), OUT_OF_MEMORY)
    caisson.finish()


@check
def too_much_is_still_a_memory_error(uid):
    caisson = Caisson(Place(uid), MEMORY="64m", PIDS="16")
    result = caisson.run("bytearray(1 << 30)")

    equal(error(result), "Sandbox exited with code 1")
    demand("MemoryError" in result["content"][0]["text"], result)
    caisson.finish()


@check
def processes_are_counted(uid):
    caisson = Caisson(Place(uid), PIDS="16")
    result = caisson.run(CROWD)

    equal(result["content"][0]["text"], "15 BlockingIOError")
    caisson.finish()


@check
def every_process_may_be_a_thread(uid):
    caisson = Caisson(Place(uid), MEMORY="64m", PIDS="128")
    result = caisson.run("""
import threading
go = threading.Event()
threads = [threading.Thread(target=go.wait) for n in range(120)]
for thread in threads:
    thread.start()
go.set()
for thread in threads:
    thread.join()
print(len(threads))
""")

    equal(result["content"][0]["text"], "120")
    caisson.finish()


@check
def processors_are_shared_out(uid):
    caisson = Caisson(Place(uid), CPUS="0.5")
    before = time.monotonic()
    result = caisson.run(BUSY)
    share = meta(result, "cpuMs") / meta(result, "durationMs")

    equal(error(result), None)
    print("      two busy processes had %.2f processors in %.1f s" % (
        share, time.monotonic() - before))
    demand(0.2 < share < 0.75, "%.2f processors" % share)
    caisson.finish()


@check
def what_is_late_or_left_ends(uid):
    caisson = Caisson(Place(uid))
    result = caisson.run("import subprocess\nsubprocess.Popen(['sh', '-c', "
                         "'while :; do :; done'])\nwhile True: pass", 2)

    equal(error(result), TIMED_OUT)
    result = caisson.run("import subprocess\n"
                         "subprocess.Popen(['sleep', '600'])")
    equal(result["isError"], False)
    wait_until(lambda: not caisson.place.boxes(), "a folder stays")
    caisson.finish()


@check
def many_at_once_leave_nothing(uid):
    caisson = Caisson(Place(uid), MAX_CONCURRENT="8",
                      QUEUE_TIMEOUT=str(SECONDS))
    for n in range(12):
        caisson.begin("import time\ntime.sleep(0.2)\nprint(%d)" % n)
    equal(sorted(int(caisson.receive()["content"][0]["text"])
                 for n in range(12)), list(range(12)))
    wait_until(lambda: not caisson.place.boxes(), "a folder stays")
    caisson.finish()


@check
def what_a_killed_one_leaves_is_swept(uid):
    place = Place(uid)
    caisson = Caisson(place)
    caisson.begin("import time\ntime.sleep(600)")
    box = caisson.place.wait_for_code()
    caisson.process.send_signal(signal.SIGKILL)
    caisson.process.wait()
    wait_until(lambda: not read(place.path, box, "cgroup.procs"),
               "the box lives on")
    equal(place.boxes(), [box])
    # This must be undone before the next one starts there.
    with open(place.path + "/cgroup.subtree_control", "w") as file:
        file.write("-memory -pids")
    caisson = Caisson(place)
    equal(place.boxes(), [])
    equal(len(place.folders()), 1)
    equal(meta(caisson.run("print(1)"), "isolation")["limits"], "cgroup")
    caisson.finish()


@check
def a_shared_cgroup_is_left_alone(uid):
    place = Place(uid)
    other = place.start(["sleep", "600"])
    caisson = Caisson(place)
    result = caisson.run("print('hi')")

    equal(result["content"][0]["text"], "hi")
    demand(meta(result, "isolation")["limits"].startswith("rlimit"),
           meta(result, "isolation"))
    equal(place.folders(), [])
    equal(read(place.path, "cgroup.subtree_control").strip(), "")
    said = place.start([CAISSON, "--cpus", "1"], stderr=subprocess.STDOUT,
                       stdin=subprocess.DEVNULL).communicate()[0]
    demand("--cpus" in said and "Delegate=yes" in said, said)
    other.kill()
    other.wait()
    caisson.finish()


@check
def the_selftest_says_so(uid):
    place = Place(uid)
    done = place.start([CAISSON, "--selftest", "-v"], stdin=subprocess.DEVNULL,
                       env={"CAISSON_MEMORY": "128m"})
    said = done.communicate()[0]

    demand(done.returncode == 0, said)
    demand(re.search("^ok +cgroup +128 MiB", said, re.M), said)
    demand(re.search("^ok +memory of the box as a whole", said, re.M), said)
    equal(place.folders(), [])


# Children that are small, of which many need more than 144 MiB together.
MANY = """
import os, time
for n in range(60):
    if os.fork() == 0:
        x = bytearray(4 << 20)
        time.sleep(600)
        os._exit(0)
time.sleep(600)
"""


@check
def many_small_ones_are_counted_in_time(uid):
    place = Place(uid)
    other = place.start(["sleep", "600"])
    for place in place, Place(uid):
        caisson = Caisson(place, MEMORY="128m")
        result = caisson.run(MANY)
        print("      with %s in %.1f s" % (
            meta(result, "isolation")["limits"],
            meta(result, "durationMs") / 1000))
        equal(error(result), OUT_OF_MEMORY.replace("64", "128"))
        other.kill()
        other.wait()
        caisson.finish()


class Forbidden:
    """While this holds, no user namespace can be made."""
    limit = "/proc/sys/user/max_user_namespaces"

    def __enter__(self):
        self.before = read(self.limit)
        self.write("0")

    def __exit__(self, *_):
        self.write(self.before)

    def write(self, text):
        with open(self.limit, "w") as file:
            file.write(text)


def weak(uid, **env):
    return Caisson(Place(uid), MEMORY="64m", ALLOW_WEAK_ISOLATION="on", **env)


@check
def reduced_isolation_has_one_too(uid):
    with Forbidden():
        caisson = weak(uid)
        result = caisson.run("print('hi')")
        equal(meta(result, "isolation")["level"], "weak")
        equal(meta(result, "isolation")["limits"], "cgroup")
        result = caisson.run(BOMB)
        equal(error(result), OUT_OF_MEMORY)
        demand(meta(result, "peakMemoryKiB") <= 64 * 1024, "above the limit")
        result = caisson.run("while True: pass", 2)
        equal(error(result), TIMED_OUT)
        wait_until(lambda: not caisson.place.boxes(), "a folder stays")
        caisson.finish()


# Processes without end: that all stay, or of which each ends at once.
STORMS = ("""
import os
while True:
    try: os.fork()
    except OSError: pass
""", """
import os
for n in range(20):
    if os.fork() == 0:
        while True:
            try:
                if os.fork(): os._exit(0)
            except OSError: pass
os.wait()
""")


@check
def nobody_outlives_a_guard(uid):
    with Forbidden():
        caisson = weak(uid, PIDS="40")
        for storm in STORMS:
            caisson.begin(storm)
            wait_until(lambda: len(caisson.place.names()) > 15, "no storm")
            box = caisson.place.boxes()[0]
            for pid in read(caisson.place.path, box, "cgroup.procs").split():
                try:
                    if read("/proc", pid, "comm").strip() == "box-guard":
                        os.kill(int(pid), signal.SIGKILL)
                except OSError:
                    pass
            equal(caisson.receive()["structuredContent"]["signal"], "SIGKILL")
            wait_until(lambda: not caisson.place.boxes(), "a folder stays")
        caisson.finish()


run_all(((uid,) for uid in (0, USER)), "uid %-4d")
