"""A box with three descriptors for tests, and no container.

Starts the folder of the bootstrap as a container engine would, with frames on
descriptors 0 and 1, plays the relay, and takes the output of the code out of
the frames.  Each frame must be whole, and the status of the process must agree
with the end that is reported.
"""
import base64
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

from bootstrap import MAIN, PYTHON_DIR, Result

THREE = os.path.join(PYTHON_DIR, "three.py")


class ThreeBox:
    """Stands for bootstrap.Box."""

    def __init__(self, place, *program):
        self.place = place
        self.errors = tempfile.TemporaryFile()
        options = dict(place.options(), stdin=subprocess.PIPE,
                       stderr=self.errors)
        if program:
            options["env"]["PATH"] = "%s:%s" % (
                os.path.dirname(program[0]), options["env"]["PATH"])
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-X", "utf8", THREE, *program],
            bufsize=0,
            preexec_fn=lambda: (
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
                resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))),
            **options)
        self.lines = os.fdopen(os.dup(self.process.stdout.fileno()), "rb")

    def ready(self):
        """Return the first frame."""
        return self.lines.readline()

    def rehearsed(self):
        """Return when the box, which has waited, gets ready for code."""
        path = os.path.join(self.place.tmp, MAIN)
        while not os.path.exists(path):
            assert self.process.poll() is None, "the box has ended"
            time.sleep(0.001)

    def send(self, data):
        """Write to the box as much as it will take."""
        try:
            while data:
                data = data[self.process.stdin.write(data):]
        except BrokenPipeError:
            pass

    def frames(self):
        """Return all frames that come, without their newlines."""
        return [line[:-1] for line in self.lines]

    def end(self):
        """Return what a run has come to."""
        return self.result(self.frames())

    def result(self, lines):
        """Return what these frames come to."""
        output, said, status = {"out": [], "err": []}, b"", None
        for line in lines:
            frame = json.loads(line)
            assert status is None, "a frame behind the end: %r" % line
            if frame["type"] in output:
                output[frame["type"]].append(base64.b64decode(
                    frame["data"], validate=True))
            elif frame["type"] == "end":
                status = frame["exit"] if "exit" in frame else -frame["signal"]
            else:
                said += line + b"\n"
        code = self.close()
        assert status is not None, "no end, but %r: %s" % (code, self.why)
        assert code == (status if status >= 0 else 128 - status), code
        assert self.why == "", self.why
        return Result(self.place, b"".join(output["out"]),
                      b"".join(output["err"]), status, said)

    def close(self):
        """Close all, and return the status of the process."""
        self.lines.close()
        self.process.stdout.close()
        self.process.stdin.close()
        code = self.process.wait()
        self.errors.seek(0)
        self.why = self.errors.read().decode()
        self.errors.close()
        return code
