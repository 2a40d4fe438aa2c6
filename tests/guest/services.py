"""What Caisson does under systemd with cgroups of version 2, in the guest:
started by a program of a desktop, from a session that has logged in, and as the
service that 'caisson service install' makes.
"""
import glob
import http.client
import json
import os
import queue
import signal
import socket
import subprocess
import threading

from client import (BOMB, BUSY, CAISSON, CROWD, OUT_OF_MEMORY, SECONDS, USER,
                    Caisson, check, demand, equal, error, meta, read, run_all,
                    wait_until)

RUN = "/run/user/%d" % USER
TREE = "/sys/fs/cgroup/user.slice/user-%d.slice" % USER
USER_ENV = {"PATH": "/usr/bin:/bin", "HOME": "/home/user",
            "XDG_RUNTIME_DIR": RUN}
SETTINGS = {"pool": "0", "memory": "64m", "pids": "20", "cpus": "1",
            "structured": "on"}
SLEEP = "import time\nprint(1, flush=True)\ntime.sleep(%d)"
# A client is in a cgroup with what it starts.
DESKTOP = ["systemd-run", "--user", "--scope", "--quiet",
           "sh", "-c", '"$0" "$@"; exit $?']


def start(command, **options):
    """In the session of the user."""
    return subprocess.Popen(
        command, user=USER, group=USER, extra_groups=[], cwd="/", text=True,
        stdout=subprocess.PIPE, **options)


def ask(*command):
    """What a command of the user prints."""
    done = start(command, env=USER_ENV, stdin=subprocess.DEVNULL,
                 stderr=subprocess.STDOUT)
    said = done.communicate()[0]
    demand(done.returncode == 0, "%s: %s" % (command, said))
    return said


def groups(pattern):
    return glob.glob("%s/**/%s" % (TREE, pattern), recursive=True)


def group(place):
    """Its scope or service, of which there is one."""
    found = groups(place.unit)
    # On a desktop, systemd-run has 5 s, which a busy machine may need.
    demand(len(found) == 1, "%s: %s" % (place.unit, found or "not there"))
    return found[0]


class Program:
    """Which a client has started, on a desktop or where it has logged in."""
    unit = "caisson-*.scope"

    def __init__(self, login):
        self.login = login
        self.mounts = read("/proc/mounts")
        # A desktop has the default: a scope needs no setting.
        self.caisson = Caisson(self, CGROUP="required" if login else "auto", **{
            name.upper(): text for name, text in SETTINGS.items()})
        self.run, self.begin = self.caisson.run, self.caisson.begin
        self.receive = self.caisson.receive

    def start(self, command, env, **options):
        if not self.login:
            return start(DESKTOP + command, env={**env, **USER_ENV}, **options)
        # PAM makes the session, and the environment.
        own = " ".join("%s=%s" % pair for pair in env.items()
                       if pair[0].startswith("CAISSON"))
        return subprocess.Popen(
            ["su", "user", "-c", "%s %s; exit $?" % (own, " ".join(command))],
            cwd="/", text=True, stdout=subprocess.PIPE, **options)

    def stop(self):
        self.caisson.finish()

    def close(self):
        """For finish(): what is left is looked for later."""

    def kill(self):
        number = os.path.basename(group(self)).split("-")[1]
        os.kill(int(number), signal.SIGKILL)
        self.caisson.process.wait()
        wait_until(lambda: not groups(self.unit), "its scope is there")


class Service:
    """The unit that the command installs."""
    unit = "caisson.service"

    def __init__(self):
        for name, text in SETTINGS.items():
            ask(CAISSON, "config", "set", name, text)
        self.mounts = read("/proc/mounts")
        self.token = [word for word in ask(
            CAISSON, "token", "add", "test").split()
            if word.startswith("caisson_")][0]
        ask(CAISSON, "service", "install")
        self.answers = queue.Queue()
        self.kills = 0

    def run(self, code, timeout=SECONDS):
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(RUN + "/caisson/mcp.sock")
        connection.request("POST", "/mcp", json.dumps({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": "run_python", "arguments": {
                    "code": code, "timeout": timeout}}}), {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": "Bearer " + self.token})
        text = connection.getresponse().read().decode()
        return json.loads(text[text.index("{"):].split("\n")[0])["result"]

    def begin(self, code):
        threading.Thread(target=lambda: self.answers.put(self.run(code)),
                         daemon=True).start()

    def receive(self):
        return self.answers.get(timeout=2 * SECONDS)

    def show(self, name):
        return ask("systemctl", "--user", "show", "--value", "--property",
                   name, "caisson.service").strip()

    def stop(self):
        """With its socket, so that nothing starts it again."""
        equal(self.show("NRestarts"), str(self.kills))
        ask("systemctl", "--user", "stop", "caisson.socket", "caisson.service")
        equal(self.show("Result"), "success")
        ask(CAISSON, "service", "remove")
        said = subprocess.getoutput(
            "journalctl --output=cat _SYSTEMD_USER_UNIT=caisson.service")
        demand("serving at unix:" in said, said)

    def kill(self):
        pid = self.show("MainPID")
        os.kill(int(pid), signal.SIGKILL)
        self.kills += 1
        wait_until(lambda: self.show("ActiveState") == "active" and
                   self.show("MainPID") != pid, "not started again")
        equal(self.run("print('hi')")["content"][0]["text"], "hi")


threading.excepthook = lambda _: None  # calls may end without an answer
PLACES = {"desktop": lambda: Program(False), "login": lambda: Program(True),
          "service": Service}
running = {}


def placed(name):
    if name not in running:
        running[name] = PLACES[name]()
    return running[name]


def begun(place, code):
    """The folder of the box in which it runs; there is no other."""
    def boxes():
        # One that just ends cannot be read.
        return subprocess.getoutput(
            "grep -sl . %s/box-*/cgroup.procs" % group(place)).split()
    wait_until(lambda: not boxes(), "the last box is there")
    place.begin(code)
    wait_until(boxes, "no box")
    return os.path.dirname(boxes()[0])


@check
def a_box_has_a_cgroup(name):
    result = placed(name).run("print('hi')")

    equal(result["content"][0]["text"], "hi")
    equal(meta(result, "isolation")["limits"], "cgroup")


@check
def its_limits_are_set(name):
    box = begun(placed(name), SLEEP % 3)
    equal([read(box, file).strip() for file in (
        "memory.max", "memory.swap.max", "pids.max", "cpu.max")],
        [str(64 << 20), "0", "23", "100000 100000"])
    equal(error(placed(name).receive()), None)


@check
def a_box_above_its_memory_dies_alone(name):
    place = placed(name)
    begun(place, SLEEP % 20)
    place.begin(BOMB)
    errors = [error(place.receive()) for n in range(2)]
    demand(errors in ([None, OUT_OF_MEMORY], [OUT_OF_MEMORY, None]), errors)


@check
def processes_are_counted(name):
    result = placed(name).run(CROWD)

    equal(result["content"][0]["text"], "19 BlockingIOError")


@check
def processors_are_shared_out(name):
    result = placed(name).run(BUSY)
    share = meta(result, "cpuMs") / meta(result, "durationMs")

    equal(error(result), None)
    demand(0.4 < share < 1.5, "%.2f processors" % share)


@check
def what_is_killed_leaves_nothing(name):
    box = begun(placed(name), SLEEP % 600)
    placed(name).kill()
    wait_until(lambda: not os.path.exists(box), "its box is there")
    if name != "service":
        del running[name]


@check
def what_is_stopped_leaves_nothing(name):
    place = placed(name)
    try:
        begun(place, SLEEP % 600)
    finally:  # or the next place would find it
        place.stop()
    wait_until(lambda: not groups("*caisson*"), "cgroups are there")
    wait_until(lambda: "caisson" not in subprocess.getoutput(
        "cat /proc/[0-9]*/comm"), "processes are there")
    equal(read("/proc/mounts"), place.mounts)


@check
def the_selftest_names_the_cgroup(name):
    if name == "login":
        return
    said = start([*(["systemd-run", "--user", "--wait", "--pipe", "--quiet",
                     "--property=Delegate=yes"] if name == "service" else
                    DESKTOP),
                  CAISSON, "selftest", "-v"], env=USER_ENV).communicate()[0]
    demand("box as a whole, in " + (
        "a delegated cgroup\n" if name == "service" else
        "a scope of its own\n") in said, said)


run_all([(name,) for name in PLACES], "%-8s")
