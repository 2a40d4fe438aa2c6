"""That every command of caisson, and every way a session ends, frees what it
has allocated.

    run.py BUILD [--user UID]

Each runs in caisson-leaks, which is caisson linked with LeakSanitizer; that
reports at the exit what is still allocated and no longer referred to, and sets
the exit status. Once a leak is planted, and must be reported. Exit status: 0,
1, or 77 if LeakSanitizer cannot search here.
"""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "escape"),
                os.path.join(HERE, "..", "support")]
from program import Program, become

LEAKS, SKIPPED, SECONDS = 23, 77, 300
SERVER = os.path.join(HERE, "..", "e2e", "support", "tools.py")

# Arguments, and the exit status.
COMMANDS = [
    ("--help", 0), ("--version", 0), ("--check", 0), ("--selftest", 0),
    ("--check --audit-file=/nonexistent/audit", 2),
    ("--check --cpus=2", None),  # 2 where no cgroup is delegated
    ("--print-client-config", 0), ("--print-client-config cursor", 0),
    ("--print-client-config nothing", 2),
    ("adopt cursor --dry-run", 0),
    ("adopt cursor --yes", 1),  # no server answers at its URL
    ("adopt cursor --undo --yes", 0), ("adopt nothing --yes", 2),
    ("adopt zed --yes", 1), ("adopt", 2),
    ("servers import cursor --yes", None), ("servers import zed --yes", 1),
    ("servers add added --env A=1 --cwd / -- /bin/cat x", 0),
    ("servers add added -- /bin/cat", 1), ("servers add added --env", 2),
    ("servers remove added", 0), ("servers remove added", 1),
    ("libraries", 0), ("libraries office --json", 0), ("libraries x", 2),
    ("libraries --python=/bin/sh", 1),
    ("version --json", 0), ("config show --json", 0), ("client --json", 0),
    ("client cursor --json", 0), ("servers list --json", 0),
    ("servers test --json", None), ("adopt cursor --dry-run --json", None),
    ("memory list --json", 0), ("memory show kept --json", 0),
    ("saved-tools list --json", 0), ("files list --json", 0),
    ("memory list", 0), ("memory show kept", 0), ("memory show none", 1),
    ("memory remove kept", 0), ("memory clear --yes", 0),
    ("saved-tools list", 0), ("saved-tools show kept", 0),
    ("saved-tools remove none", 1), ("saved-tools prune", 0),
    ("saved-tools clear --yes", 0),
    ("token list", 0), ("token add one --server tools --tool run_python", 0),
    ("token add one", 2), ("token add two --calls 1 --rate 2", 0),
    ("token list", 0), ("token list --json", 0), ("token revoke one", 0),
    ("token revoke one", 1), ("serve --listen x", 2),
    ("service status", 1), ("service remove --json", 1),
    ("sessions", 0), ("sessions list --json", 0), ("sessions end x", 1),
    ("sessions end", 2),
    ("image build x", 2), ("image list --engine /no/podman", 1),
    ("image add x --engine /no/podman", 1),
    ("--log-file=/nonexistent/log", 2), ("--audit-file=/nonexistent/audit", 2),
    ("--nothing", 2), ("nothing", 2), ("memory nothing", 2), ("--memory=1", 2),
    ("--memory-api", 2), ("--state-dir=relative memory list", 2),
]
SERVERS = ["--print-config", "servers --trust-project-files=on",
           "servers test"]
CONFIGS = [None, "works.json", "broken.json", "none.json"]

KEEP = """
runtime.save_memory("kept", {"a": [1, 2]})
def kept():
    "Returns nothing."
runtime.save_tool(kept)
"""
USE = """
await runtime.load_server('tools')
print(await runtime.call_tool('tools', 'create_invoice', {'id': '1'}))
"""
SLEEP = "import time; time.sleep(100)"
CALL = "await runtime.load_server('slow')"


class Run:
    """One run of the table, as one user."""

    def __init__(self, build, uid, folder):
        self.uid, self.folder, self.problems = uid, folder, []
        self.home = os.path.join(folder, "home")
        self.starts = os.path.join(self.home, "starts")
        self.path = self.copy(build)
        os.mkdir(self.home)
        self.write("servers.json", {"mcpServers": {
            "tools": self.server(), "slow": self.server("hang=1")}})
        self.write("works.json", {"mcpServers": {
            "tools": self.server(), "fails": {"command": "/usr/bin/false"}}})
        self.write("broken.json", '{"mcpServers": {"a": 1, "b":')
        os.mkdir(os.path.join(self.home, ".cursor"))
        self.write(".cursor/mcp.json", {"mcpServers": {
            "tools": self.server(), "web": {"url": "https://localhost/"}}})
        if uid is not None:
            for name in ("", ".cursor", ".cursor/mcp.json"):
                os.chown(os.path.join(self.home, name), uid, uid)

    def copy(self, build):
        """The programs of the build, with caisson-leaks as caisson."""
        place = os.path.join(self.folder, "bin")
        os.mkdir(place)
        for name in os.listdir(build):
            path = os.path.join(build, name)
            if name.startswith("caisson-") and os.path.isfile(path):
                shutil.copy(path, place)
        shutil.copytree(build + "/box", place + "/box")
        path = os.path.join(place, "caisson")
        shutil.copy(build + "/tests/leak/caisson-leaks", path)
        shutil.copy(SERVER, place)
        return path

    def server(self, *options):
        return {"command": "/usr/bin/python3", "args": [
            os.path.join(self.folder, "bin", "tools.py"), "0", "2",
            self.starts, *options]}

    def write(self, name, value):
        path = os.path.join(self.home, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        os.chmod(path, 0o644)

    def environment(self, config=None, **more):
        found = {"PATH": "/usr/bin:/bin", "HOME": self.home,
                 "LSAN_OPTIONS": "fast_unwind_on_malloc=0", **more}
        if config:
            found["CAISSON_SERVERS_CONFIG"] = os.path.join(self.home, config)
        return found

    def judge(self, what, status, wanted, said):
        if status == LEAKS:
            self.problems.append(f"{what}: leaks:\n{said}")
        elif wanted not in (None, status):
            self.problems.append(f"{what}: ended with {status}, not "
                                 f"{wanted}:\n{said}")

    # Commands

    def command(self, arguments, config, **more):
        done = subprocess.run(
            [self.path, *arguments.split()], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=SECONDS, env=self.environment(config, **more), cwd="/",
            check=False, preexec_fn=lambda: become(None, self.uid, []))
        return done.returncode, done.stdout

    def shows_leaks(self):
        """Whether a planted leak is reported; None if nothing can be."""
        status, said = self.command(
            "servers", "servers.json", LEAKS_PLANTED="1")
        if "LeakSanitizer has encountered a fatal error" in said:
            return None
        return status == LEAKS and "in_force_new" in said

    def commands(self):
        for arguments, wanted in COMMANDS:
            status, said = self.command(arguments, None)
            self.judge(arguments, status, wanted, said)
        # What a broken file does to the exit status is judged elsewhere.
        for arguments in SERVERS:
            for config in CONFIGS:
                status, said = self.command(arguments, config)
                self.judge(f"{arguments} ({config})", status, None, said)

    # Sessions

    def session(self, what, end, **settings):
        """Start one; end(program) ends it and returns the exit status."""
        log = self.path + ".log"
        program = Program(self.path, self.environment(
            "servers.json", **settings), self.uid, [])
        status = end(program)
        with open(log, encoding="utf-8", errors="replace") as file:
            self.judge(what, status, 0, file.read())

    def whole(self, program):
        """All that a client asks, and the end of its input."""
        for method, params in (
                ("ping", {}), ("tools/list", {}), ("resources/list", {}),
                ("resources/read", {"uri": "resource://caisson/capabilities"}),
                ("resources/read", {"uri": "resource://none"}),
                ("none", {}), ("tools/call", {"name": "none"})):
            program.request(method, params)
        answers = [program.run(KEEP), program.run("1 / 0"),
                   program.run(USE),
                   program.run("while True: pass", 1),
                   program.run("print('x' * 1000000)")]
        failed = [one.get("result", {}).get("isError", True)
                  for one in answers]
        if failed != [False, True, False, True, False]:
            self.problems.append(f"the calls went wrong: {answers}")
        return program.close()

    def within(self, code, end):
        """End it in the middle of a call."""
        def ends(program):
            if os.path.exists(self.starts):
                os.unlink(self.starts)
            program.start(code, 100)
            limit = time.monotonic() + SECONDS
            while code == CALL and not os.path.exists(self.starts):
                if time.monotonic() > limit:
                    self.problems.append("no server was started")
                    break
                time.sleep(0.01)
            time.sleep(0.3)
            return end(program)
        return ends

    def sessions(self):
        self.session("a session of nothing", Program.close)
        self.session("a whole session", self.whole)
        self.session("a whole session without a template", self.whole,
                     CAISSON_TEMPLATE="off", CAISSON_POOL="0")
        self.session("two signals while a box is built",
                     while_a_box_is_built, CAISSON_POOL="1")
        for code in SLEEP, CALL:
            for what, end in (("end of input", Program.close),
                              ("SIGTERM", signalled(signal.SIGTERM)),
                              ("SIGINT", signalled(signal.SIGINT)),
                              ("two signals", signalled(signal.SIGTERM,
                                                        signal.SIGINT))):
                self.session(f"{what} in the middle of {code}",
                             self.within(code, end))


def children(pid, name):
    """The children of a process whose programs have that name."""
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children",
                  encoding="ascii") as file:
            found += file.read().split()
    return {child for child in found if comm(child) == name}


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return None


def wait_until(found):
    limit = time.monotonic() + SECONDS
    while not found():
        if time.monotonic() > limit:
            raise RuntimeError("what was to happen did not happen")
        time.sleep(0.01)


def namespace(pid):
    """The process namespace of a process, None when the process has ended."""
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return None


def stop(pid):
    """Stop a process that may just have ended, as a launcher does by itself."""
    try:
        os.kill(int(pid), signal.SIGSTOP)
    except ProcessLookupError:
        pass


def while_a_box_is_built(program):
    """Two signals while a box that no call waits for cannot be finished."""
    pid = program.process.pid
    program.wait_for_template()
    wait_until(lambda: children(pid, "relay"))
    init, = children(pid, "template-init")
    for child in children(pid, "python3"):
        if namespace(child) == namespace(init):
            stop(child)
    # The box that waits is lost; the next one has its relay.
    relays = children(pid, "relay")
    for relay in relays:
        os.kill(int(relay), signal.SIGKILL)
    wait_until(lambda: children(pid, "relay") - relays)
    program.process.send_signal(signal.SIGTERM)
    wait_until(lambda: not children(pid, "relay"))
    return signalled(signal.SIGINT)(program)


def signalled(*signals):
    def end(program):
        for each in signals:
            program.process.send_signal(each)
        try:
            return program.process.wait(SECONDS)
        finally:
            program.leave()
    return end


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--user", type=int)
    options = parser.parse_args()
    if options.user is not None and os.geteuid() != 0:
        print("SKIP: only root can start the program as another user")
        return SKIPPED
    with tempfile.TemporaryDirectory(dir="/var/tmp",
                                     prefix="caisson-leak-") as folder:
        os.chmod(folder, 0o755)
        run = Run(options.build, options.user, folder)
        shown = run.shows_leaks()
        if shown is None:
            print("SKIP: LeakSanitizer cannot search for leaks here")
            return SKIPPED
        if not shown:
            run.problems.append("a planted leak is not reported")
        run.sessions()
        run.commands()
    for problem in run.problems:
        print(problem)
    print(f"{len(run.problems)} problems")
    return 1 if run.problems else 0


sys.exit(main())
