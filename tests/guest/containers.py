"""What Caisson does where its boxes are containers, under systemd in the guest:
rootless podman for a user who is logged in, and podman for root.
"""
import base64
import functools
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile

from client import (CAISSON, OUT_OF_MEMORY, SECONDS, TIMED_OUT, USER, Caisson,
                    check, demand, equal, error, meta, run_all, wait_until)
from system import IMAGE

PIDS = 16
OWN_PROCESSES = 3  # which a container has besides, see common/limits.h
IMAGE_FILE = "/tmp/image.tar"
BUNDLES = "/run/caisson-containers/caisson-*"
# Of podman, by systemd.
CGROUPS = ("/sys/fs/cgroup/**/libpod-*", "/sys/fs/cgroup/**/caisson-*.*")
SLEEP = "import time\nprint(1, flush=True)\ntime.sleep(987)"
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwAD"
    "hgGAWjR9awAAAABJRU5ErkJggg==")


class Session:
    """Of a user who is logged in, or of root."""

    def __init__(self, uid, runtime):
        self.uid = uid
        self.runtime = runtime
        self.home = tempfile.mkdtemp(dir="/var/tmp")
        os.chown(self.home, uid, uid)
        self.bus = {} if uid == 0 else {
            "XDG_RUNTIME_DIR": "/run/user/%d" % uid,
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/%d/bus" % uid}

    def enter(self):
        os.setgroups([])
        os.setresgid(self.uid, self.uid, self.uid)
        os.setresuid(self.uid, self.uid, self.uid)

    def environment(self, env):
        """podman needs the real home, which has its storage."""
        home = "/root" if self.uid == 0 else "/home/user"
        return {**env, **self.bus, "HOME": home,
                "PATH": "/usr/bin:/bin:/usr/sbin",
                "XDG_STATE_HOME": self.home + "/state",
                "XDG_CONFIG_HOME": self.home + "/config",
                "CAISSON_RUNTIME": self.runtime,
                "CAISSON_IMAGE": IMAGE}

    def start(self, command, env=None, **options):
        """In a scope of its own, as programs of a desktop are."""
        scope = ["systemd-run", "--scope", "--quiet"]
        scope += [] if self.uid == 0 else ["--user"]
        return self.start_plain((scope if self.bus or self.uid == 0 else []) +
                                list(command), env, **options)

    def start_plain(self, command, env=None, **options):
        return subprocess.Popen(
            command, preexec_fn=self.enter, cwd="/", text=True,
            stdout=subprocess.PIPE, env=self.environment(env or {}), **options)

    def ask(self, *command):
        """What a program prints."""
        process = self.start_plain(command, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL)
        said = process.communicate()[0]
        demand(process.returncode == 0, said)
        return said

    def left(self):
        """What boxes have left: containers, bundles, cgroups."""
        names = self.ask(
            "podman", "ps", "--all", "--format", "{{.Names}}").split()
        return (names + glob.glob(BUNDLES) +
                [path for pattern in CGROUPS
                 for path in glob.glob(pattern, recursive=True)])

    def wait_for_nothing(self):
        wait_until(lambda: not self.left(), "something is left")

    def close(self):
        self.wait_for_nothing()
        shutil.rmtree(self.home)


def sleeping():
    """Whether the code SLEEP runs in a cgroup of a container."""
    return any(read_pids(path) for pattern in CGROUPS
               for path in glob.glob(pattern + "/cgroup.procs",
                                     recursive=True))


def read_pids(path):
    try:
        with open(path) as file:
            return file.read().split()
    except OSError:
        return []


@check
def the_selftest_finds_limits(uid, runtime):
    session = Session(uid, runtime)
    said = session.ask(CAISSON, "selftest", "-v")

    for promise in "limit on processes", "limit on memory":
        demand(re.search("^ok +%s +enforced by the engine" % promise, said,
                         re.M), said)
    session.close()


@functools.lru_cache(maxsize=None)
def program(uid, runtime):
    """The one of most checks, since each start tries what the engine keeps."""
    session = Session(uid, runtime)
    config = session.home + "/servers.json"
    with open(config, "w") as file:
        json.dump({"mcpServers": {"one": {
            "command": "/usr/bin/python3", "args": [
                "-I", "/source/tests/e2e/support/tools.py", "0", "4",
                session.home + "/starts"]}}}, file)
    return Caisson(session, MEMORY="64m", PIDS=str(PIDS), SERVERS_CONFIG=config)


@check
def a_call_prints(uid, runtime):
    result = program(uid, runtime).run("x = bytearray(20 << 20)\nprint('hi')")

    equal(result["content"][0]["text"], "hi")
    equal(meta(result, "isolation")["runtime"], runtime)
    equal(meta(result, "isolation")["limits"], "cgroup")
    demand(meta(result, "cpuMs") > 1, "no CPU time")
    demand(meta(result, "peakMemoryKiB") <= 64 * 1024, "above the limit")


@check
def memory_is_limited(uid, runtime):
    result = program(uid, runtime).run(
        "kept = [bytes(b'x' * (1 << 20)) for n in range(100)]")

    equal(error(result), OUT_OF_MEMORY)


@check
def processes_are_limited(uid, runtime):
    result = program(uid, runtime).run("""
import os, time
made = 0
try:
    while made < 200:
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
        made += 1
except OSError as error:
    print(type(error).__name__, made)
""")
    name, made = result["content"][0]["text"].split()

    equal(name, "BlockingIOError")
    demand(8 <= int(made) <= PIDS + OWN_PROCESSES, made)


@check
def what_is_late_is_removed(uid, runtime):
    caisson = program(uid, runtime)

    equal(error(caisson.run("while True: pass", 2)), TIMED_OUT)
    caisson.place.wait_for_nothing()


@check
def what_is_cancelled_is_removed(uid, runtime):
    caisson = program(uid, runtime)
    caisson.begin(SLEEP)
    wait_until(sleeping, "no container")
    caisson.write({"method": "notifications/cancelled",
                   "params": {"requestId": caisson.id}})
    caisson.place.wait_for_nothing()


@check
def files_and_pictures_come_back(uid, runtime):
    result = program(uid, runtime).run(
        "open('/workspace/out/a.txt', 'w').write('kept')\n"
        "runtime.show(%r)" % PICTURE)
    kinds = {content["type"]: content for content in result["content"]}

    equal(base64.b64decode(kinds["image"]["data"]), PICTURE)
    equal(kinds["resource_link"]["size"], 4)


@check
def a_tool_is_called(uid, runtime):
    result = program(uid, runtime).run(
        "print((await mcp_one.create_invoice(id='7')).text)", servers=["one"])

    equal(json.loads(result["content"][0]["text"]), {"id": "7"})


@check
def what_a_killed_one_leaves_is_removed(uid, runtime):
    caisson = program(uid, runtime)  # for the last time
    caisson.begin(SLEEP)
    wait_until(sleeping, "no container")
    caisson.process.send_signal(signal.SIGKILL)
    caisson.process.wait()
    caisson.place.close()


@check
def without_limits_it_is_refused(uid, runtime):
    """podman finds no systemd manager of the user, so it has no cgroup."""
    if uid == 0:
        return  # root needs no delegation
    session = Session(uid, runtime)
    session.bus = {"XDG_RUNTIME_DIR": session.home}
    process = session.start_plain([CAISSON], stdin=subprocess.DEVNULL,
                                  stderr=subprocess.STDOUT)
    said = process.communicate(timeout=SECONDS)[0]

    demand(process.returncode != 0, said)
    demand("does not isolate a container here" in said and
           "delegate the controller pids to your user" in said, said)
    shutil.rmtree(session.home)


def main():
    rows = [(USER, "podman"), (0, "podman")]
    for uid, runtime in rows:
        Session(uid, runtime).ask("podman", "import", "--quiet", IMAGE_FILE,
                                  IMAGE)
    versions = Session(USER, "podman")
    print("guest: %s, %s" % (
        versions.ask("podman", "--version").strip(),
        versions.ask("crun", "--version").split("\n")[0]), flush=True)
    run_all(rows, "uid %-4d %-6s")


main()
