"""Caisson as its client sees it: lines of MCP in, lines of MCP out."""
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

ANSWER_SECONDS = 600  # above every deadline of a call, on a slow machine
LAST_WORDS = 1000  # characters of a log that are shown
AT_ONCE = 4  # calls under way
COMMON = "caisson-", "box_profile.json"  # how names of files begin
OPENED = "caisson", "caisson-box"  # of which there are others without this
EVERY_WORD = (
    "seccomp landlock caps no_new_privs user outer_user pid net ipc uts cgroup "
    "more_namespaces identity overlay ro nosuid nodev noexec size inodes "
    "proc_mask mount_table old_root rlimits fds environment life dumpable "
    "session watchdog")


class Failure(Exception):
    """What went wrong with the program itself, in one sentence."""


def copy_files(build, folder):
    """Copy what all copies of the program have in common."""
    os.makedirs(folder)
    for name in os.listdir(build):
        path = os.path.join(build, name)
        if (name.startswith(COMMON) and name not in OPENED and
                os.path.isfile(path)):
            shutil.copy(path, folder)
    shutil.copytree(os.path.join(build, "box"), os.path.join(folder, "box"))
    for where, folders, files in os.walk(folder):
        for name in folders + files:
            os.chmod(os.path.join(where, name), 0o755)
    os.chmod(folder, 0o755)


def copy_program(build, folder, words):
    """Lay out a private copy of the build folder.

    With words it is the one that leaves those out, else it is the program as
    it is installed, which must not care for what it is told to leave out.
    What all copies have in common is copied once and linked.
    Returns the path of the program.
    """
    common = os.path.join(os.path.dirname(folder), "common")
    if not os.path.isdir(common):
        copy_files(build, common)
    shutil.copytree(common, folder, copy_function=os.link)
    for name in OPENED:
        source = os.path.join(build, name)
        if words is not None:
            source = os.path.join(build, "tests", "escape", name + "-open")
        path = shutil.copy(source, os.path.join(folder, name))
        os.chmod(path, 0o755)
    with open(os.path.join(folder, "open"), "w") as file:
        file.write(EVERY_WORD if words is None else words)
    os.chmod(os.path.join(folder, "open"), 0o755)
    return os.path.join(folder, "caisson")


class Program:
    """One running caisson, in a cgroup of its own if there is a tree."""

    def __init__(self, path, environment, uid, groups, tree=None):
        self.pending = b""
        self.last_id = 0
        self.answers = {}
        self.limits = None
        self.errors = open(path + ".log", "wb")
        self.place = tree and make_place(tree, uid)
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.errors, env=environment, cwd="/",
            start_new_session=True,
            preexec_fn=lambda: become(self.place, uid, groups))
        self.request("initialize", {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "escape", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    @property
    def pid(self):
        return self.process.pid

    def send(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()

    def ask(self, method, params):
        """Send a request; return its id."""
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        return self.last_id

    def read_some(self, seconds):
        """Wait for a line; keep the answers. Returns whether there was one."""
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            return False
        data = self.process.stdout.read1(1 << 20)
        if not data:
            raise Failure("caisson ended with status %s: %s"
                          % (self.process.wait(), self.last_words()))
        lines = (self.pending + data).split(b"\n")
        self.pending = lines.pop()
        for line in lines:
            message = json.loads(line)
            if "method" not in message:
                self.answers[message.get("id")] = message
                self.note_limits(message)
        return True

    def note_limits(self, message):
        """What limits boxes, which an answer says if it has changed."""
        meta = message.get("result", {}).get("_meta", {})
        self.limits = meta.get("caisson/isolation", {}).get(
            "limits", self.limits)

    def last_words(self):
        """The end of what it logged."""
        with open(self.errors.name, encoding="utf-8") as file:
            return file.read()[-LAST_WORDS:].strip()

    def wait(self, number, seconds=ANSWER_SECONDS):
        """The answer to request number."""
        end = time.monotonic() + seconds
        while number not in self.answers:
            if not self.read_some(max(0, end - time.monotonic())):
                raise Failure("no answer within %d s" % seconds)
        return self.answers.pop(number)

    def request(self, method, params):
        return self.wait(self.ask(method, params))

    def start(self, code, timeout=100):
        """Begin a call; return its id."""
        arguments = {"code": code, "timeout": timeout}
        language = getattr(code, "language", None)
        if language is None:
            return self.ask("tools/call", {
                "name": "run_python", "arguments": arguments})
        return self.ask("tools/call", {
            "name": "run_code",
            "arguments": {"language": language, **arguments}})

    def run(self, code, timeout=100):
        """A whole call; return its answer."""
        return self.wait(self.start(code, timeout))

    def cancel(self, number):
        """End a call, which gets no answer."""
        self.send({"method": "notifications/cancelled",
                   "params": {"requestId": number}})

    def run_all(self, codes):
        """Run each (code, timeout), some at once; yield answers in order."""
        numbers, codes = [], list(codes)
        for index in range(len(codes)):
            while len(numbers) < min(index + AT_ONCE, len(codes)):
                numbers.append(self.start(*codes[len(numbers)]))
            yield self.wait(numbers[index])

    def wait_for_template(self):
        """Return when boxes are forks, which are under two lists of calls."""
        code = "print([l for l in open('/proc/self/status') if 'filters' in l])"
        end = time.monotonic() + ANSWER_SECONDS
        while "2" not in str(self.run(code)["result"]["content"]):
            if time.monotonic() > end:
                raise Failure("no box is forked from a template")

    def close(self):
        """End it as a client does; return its exit status."""
        try:
            self.process.stdin.close()
            return self.process.wait(ANSWER_SECONDS)
        except BrokenPipeError:
            return self.process.wait(ANSWER_SECONDS)
        finally:
            self.leave()

    def kill(self):
        """End it as a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.leave()

    def leave(self):
        """It has ended: nothing of it stays, of its cgroups neither."""
        self.process.stdout.close()
        self.errors.close()
        if self.place:
            remove_place(self.place)


def make_place(tree, uid):
    """A cgroup that belongs to a user, as systemd delegates it."""
    place = tempfile.mkdtemp(prefix="caisson-escape-", dir=tree)
    os.chmod(place, 0o755)
    for name in ("", "cgroup.procs", "cgroup.subtree_control",
                 "cgroup.threads"):
        if uid is not None:
            os.chown(os.path.join(place, name), uid, uid)
    return place


def remove_place(place):
    """Wait for what a crash left to end, and remove its cgroups."""
    end = time.monotonic() + ANSWER_SECONDS
    for folder, _, _ in os.walk(place, topdown=False):
        while True:
            try:
                os.rmdir(folder)
                break
            except OSError as error:
                if time.monotonic() > end:
                    raise Failure("its cgroup stays: %s" % error) from error
                time.sleep(0.02)


def become(place, uid, groups):
    """In a child: join the cgroup; be that user, if that is for us to say."""
    if place:
        with open(place + "/cgroup.procs", "w", encoding="ascii") as file:
            file.write("0")
    if os.geteuid() == 0:
        os.setgroups(groups)
        if uid is not None:
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
