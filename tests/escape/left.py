"""What containers leave whose calls end in any way, at random moments.

    left.py BUILD podman [--calls NUMBER] [--seed NUMBER]

Each call ends by its time-out, by a cancel, or by SIGKILL for the program, the
relay or the keeper of the container, at a random moment of its life, also while
the container is started. Afterwards no container, mount or cgroup may
be left: own_engine.py looks for them. Exit status: 0, 1, or 77 if no container
can run here.
"""
import argparse
import os
import random
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SUPPORT = os.path.join(os.path.dirname(HERE), "support")
sys.path.insert(0, SUPPORT)
sys.dont_write_bytecode = True
from alone import processes_below
from contained import container_settings
from program import Program, copy_program

LIFE = 1.5  # seconds of a call, from before its container until its time-out
CODE = "open('/workspace/out/a', 'w').write('x')\nimport time\ntime.sleep(100)"
ENGINES = {"podman"}  # each has a keeper above it
ENDS = "timeout", "cancel", "program", "relay", "keeper"


def killed(pid):
    """Kill a process; returns whether it was still there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


class Campaign:
    """Calls, each in the program that the one before has left alive."""

    def __init__(self, path, runtime, moments):
        self.path, self.moments, self.program = path, moments, None
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": os.path.dirname(path),
            "CAISSON_POOL": "0", **container_settings(runtime)}
        self.told = dict.fromkeys(ENDS, 0)

    def begin(self):
        """A call in a program."""
        if self.program is None:
            self.program = Program(self.path, self.environment, None, [])
        return self.program.start(CODE, 1)

    def victim(self, kind):
        """The process that is to be killed; None: it is not there now."""
        if kind == "program":
            return self.program.pid
        for pid, name in processes_below(self.program.pid):
            below = {name for _, name in processes_below(pid)}
            if (name.startswith("relay") if kind == "relay" else
                    name not in ENGINES and below & ENGINES):
                return pid
        return None

    def end(self, kind):
        """One call, and its end."""
        number = self.begin()
        if kind == "timeout":
            self.program.wait(number)
        elif kind == "cancel":
            time.sleep(self.moments.uniform(0, LIFE))
            self.program.send({"method": "notifications/cancelled",
                               "params": {"requestId": number}})
        else:
            time.sleep(self.moments.uniform(0, LIFE))
            victim = self.victim(kind)
            if victim is None or not killed(victim):
                kind = "timeout"
            if kind == "program":
                self.program.process.wait()
                self.program.leave()
                self.program = None
            else:
                self.program.wait(number)
        self.told[kind] += 1

    def close(self):
        if self.program is not None:
            self.program.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("runtime", choices=("podman",))
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    if "CAISSON_IMAGE" not in os.environ:
        os.execv(sys.executable, [
            sys.executable, "-B", os.path.join(SUPPORT, "own_engine.py"),
            "--build", os.path.realpath(options.build), options.runtime,
            sys.executable, "-B"] + sys.argv + ["--seed", str(options.seed)])
    print("seed %d" % options.seed, flush=True)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        path = copy_program(os.path.realpath(options.build),
                            os.path.join(folder, "program"), None)
        campaign = Campaign(path, options.runtime, random.Random(options.seed))
        for number in range(options.calls):
            campaign.end(ENDS[number % len(ENDS)])
        campaign.close()
    print("ended by: " + ", ".join(
        "%s %d" % pair for pair in campaign.told.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
