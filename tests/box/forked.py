"""Boxes whose modules are imported already, once for all of them.

A Forker is one interpreter (forker.py); each of its boxes is a fork of it.
"""
import os
import re
import resource
import select
import subprocess
import sys

from bootstrap import BOOTSTRAP, Box, DEADLINE, HERE


# The frames below those of the bootstrap, which only the forker has.
FRAMES = re.compile(rb'  File "[^"\n]*/forker.py".*\n(?:    .*\n)+')


class Forker:
    """An interpreter with modules; the environment is that of its boxes."""

    def __init__(self, *modules, **environment):
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-X", "utf8",
             os.path.join(HERE, "forker.py"), BOOTSTRAP, *modules],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, bufsize=0, preexec_fn=self.limit,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
                 "OPENBLAS_NUM_THREADS": "1", **environment})

    @staticmethod
    def limit():
        """Set what a box has."""
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    def fork(self, place):
        """Ask for a box in this place."""
        self.process.stdin.write(place.directory.name.encode() + b"\n")

    def status(self):
        """Wait for the end of that box."""
        return int(self.process.stdout.readline())

    def end(self):
        """End it."""
        self.process.communicate(timeout=DEADLINE)


class Child:
    """A box as far as subprocess.Popen shows one."""

    def __init__(self, forker, out, err):
        self.forker, self.pipes = forker, [out, err]
        self.returncode = None

    def communicate(self, timeout):
        """Return all of its output and errors."""
        parts = {pipe: [] for pipe in self.pipes}
        left = list(self.pipes)
        while left:
            ready = select.select(left, [], [], timeout)[0]
            if not ready:
                raise subprocess.TimeoutExpired("a box", timeout)
            for pipe in ready:
                parts[pipe].append(os.read(pipe, 1 << 16))
                if not parts[pipe][-1]:
                    left.remove(pipe)
                    os.close(pipe)
        self.returncode = self.forker.status()
        out, err = (b"".join(parts[pipe]) for pipe in self.pipes)
        return out, FRAMES.sub(b"", err)

    def kill(self):
        """End it with its forker."""
        self.forker.process.kill()


class ForkedBox(Box):
    """A box that a forker makes; this process plays the relay."""

    def __init__(self, place, forker):
        names = [os.path.join(place.directory.name, name)
                 for name in ("control_in", "control_out", "out", "err")]
        for name in names:
            os.mkfifo(name)
        self.place = place
        forker.fork(place)
        # In the order in which the other ends are opened.
        self.control_in = os.open(names[0], os.O_WRONLY)
        self.control_out, out, err = (
            os.open(name, os.O_RDONLY) for name in names[1:])
        self.process = Child(forker, out, err)
