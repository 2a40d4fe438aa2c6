"""Code as a call of run_python, and beside it in a plain interpreter.

Both start in an empty folder, as an ordinary user, without input.  An outcome
is a list: what was printed on both streams, and the exit code or the name of a
signal.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import run_example  # noqa: E402

PYTHON = "/usr/bin/python3"
NOBODY = 65534
SECONDS = 300  # of one program, at most
run_example.ANSWER_SECONDS = SECONDS + 60
# What ignores it, as a shell's background does, would have programs ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Box:
    """The program: its answers have all that the code has printed."""

    def __init__(self, **settings):
        self.home = tempfile.mkdtemp(prefix="beside-")
        os.chmod(self.home, 0o755)
        self.log = tempfile.TemporaryFile()
        self.server = run_example.Server(
            os.environ["CAISSON"], cwd=self.home, stderr=self.log, env={
                "HOME": self.home, "PATH": os.environ["PATH"],
                "CAISSON_OUTPUT_MODE": "json", "CAISSON_MAX_OUTPUT": "4m",
                "CAISSON_MAX_TIMEOUT": str(SECONDS), **settings})
        self.server.initialize()

    def run(self, code, **more):
        """Return the outcome; notes stand in a field of their own."""
        told = self.server.request("tools/call", {
            "name": "run_python",
            "arguments": {"code": code, "timeout": SECONDS, **more},
        })["structuredContent"]
        return ["\n".join(told.get(stream, ()))
                for stream in ("stdout", "stderr")] + [
                    told["status"] if told["status"] == "timeout" else told.get(
                        "signal", told.get("exitCode"))]

    def close(self):
        """End it; return what it has logged."""
        self.server.close()
        shutil.rmtree(self.home)
        with self.log as log:
            log.seek(0)
            return log.read().decode()


def plain(code, *python):
    """Return the outcome in a plain interpreter, with the paths of a box.

    python: it and its options, where it is not the usual one.
    """
    with tempfile.TemporaryDirectory(prefix="beside-") as root:
        home, script = root + "/workspace", root + "/tmp/run_python.py"
        for folder in root, home, root + "/tmp":
            os.makedirs(folder, exist_ok=True)
            os.chmod(folder, 0o755)
            if os.getuid() == 0:
                os.chown(folder, NOBODY, NOBODY)
        with open(script, "w", encoding="utf-8", newline="") as file:
            file.write(code)
        user = {} if os.getuid() else {
            "user": NOBODY, "group": NOBODY, "extra_groups": []}
        try:
            done = subprocess.run(
                [*(python or [PYTHON]), script], cwd=home, timeout=SECONDS,
                check=False, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={
                    "HOME": home, "TMPDIR": root + "/tmp",
                    "PYTHONSAFEPATH": "1", "PYTHONPATH": home,
                    "LANG": "C.UTF-8", "TERM": "dumb",
                    "PATH": "/usr/local/bin:/usr/bin:/bin"}, **user)
            ended = done.returncode
        except subprocess.TimeoutExpired as late:
            done, ended = late, "timeout"
    if isinstance(ended, int) and ended < 0:
        ended = signal.Signals(-ended).name
    return [(text or b"").decode(errors="replace").replace(
        root, "").removesuffix("\n") for text in (
            done.stdout, done.stderr)] + [ended]
