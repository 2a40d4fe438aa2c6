"""A box for tests of what runs in one: the bootstrap, and no sandbox.

Starts the bootstrap outside of a box, as a plain child with the five
descriptors that caisson-box would give it, plays the relay, and looks at
what comes out.  A case that is "as the interpreter" also runs the same code
by 'python3 file', meanwhile, and demands the same output, errors and end.

What a test file lists in tables becomes tests by add_cases().
"""
import json
import os
import re
import resource
import select
import subprocess
import sys
import tempfile
import time
import tokenize
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
# What was built, if that is told: it is compiled, as it is when installed.
PYTHON_DIR = os.environ.get("CAISSON_BOX_PYTHON") or os.path.join(
    HERE, "..", "..", "worker", "box", "python")
BOOTSTRAP = os.path.join(PYTHON_DIR, "bootstrap.py")
MAIN = "run_python.py"
READY = b'{"type":"ready"}\n'
NOTE = b'{"type":"note","text":'
DEADLINE = 300  # seconds; a case takes 0.02 to 2
TRACE = r"Traceback \(most recent call last\):\n"
# What the code asks of the relay where a module may be a server.
ASKS = b'{"type":"rpc_request","id":1,"payload":{"type":"list_servers"}}\n'
LINE = r'  File "MAIN", line \d+, in \S+\n'


class Case:
    """Code, and what it must print and how it must end.

    out: standard output; err: a pattern that all of standard error matches;
    status: an exit code, or -N for signal N; like: whether the interpreter
    must do the same; since, until: versions of Python that it is about; said:
    what the box says to the relay.
    """

    def __init__(self, name, code, out="", err="", status=0, like=True,
                 since=(3, 8), until=(4, 0), said=b""):
        self.name, self.code, self.out, self.err = name, code, out, err
        self.status, self.like = status, like
        self.since, self.until, self.said = since, until, said


class Place:
    """An empty home and an empty TMPDIR for one run; removed after it."""

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory()
        self.work = os.path.join(self.directory.name, "work")
        self.tmp = os.path.join(self.directory.name, "tmp")
        os.mkdir(self.work)
        os.mkdir(self.tmp)
        return self

    def __exit__(self, *_):
        self.directory.cleanup()

    def options(self):
        """Return what every child is started with."""
        return dict(
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=self.work, start_new_session=True,
            env={"PATH": "/usr/bin:/bin", "HOME": self.work,
                 "LANG": "C.UTF-8", "TMPDIR": self.tmp})


class Box:
    """The bootstrap as a child; this process plays the relay."""

    program = [sys.executable, "-I", "-B", "-X", "utf8", BOOTSTRAP]

    def __init__(self, place, control=True):
        self.place = place
        self.pipes = in_read, in_write, out_read, out_write = (
            os.pipe() + os.pipe())

        def arrange():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
            high = [os.dup2(in_read, 100), os.dup2(out_write, 101)]
            for old, new in zip(high, (3, 4)):
                os.dup2(old, new)
            os.closerange(5 if control else 3, 256)

        self.process = subprocess.Popen(
            self.program, close_fds=False, preexec_fn=arrange,
            **place.options())
        os.close(in_read)
        os.close(out_write)
        self.control_in, self.control_out = in_write, out_read

    def ready(self):
        """Return what the box says first."""
        if not select.select([self.control_out], [], [], DEADLINE)[0]:
            raise AssertionError("the box did not say that it is ready")
        return os.read(self.control_out, 4096)

    def rehearsed(self):
        """Return when the box, which has waited, gets ready for code."""
        path = os.path.join(self.place.tmp, MAIN)
        late = time.monotonic() + DEADLINE
        while not os.path.exists(path):
            if time.monotonic() > late:
                raise AssertionError("the box did not rehearse")
            time.sleep(0.001)

    def send(self, data):
        """Write to the box as much as it will take."""
        try:
            while data:
                data = data[os.write(self.control_in, data):]
        except BrokenPipeError:
            pass

    def end(self):
        """Return what a run has come to."""
        out, err = self.process.communicate(timeout=DEADLINE)
        said = os.read(self.control_out, 4096)
        os.close(self.control_in)
        os.close(self.control_out)
        return Result(self.place, out, err, self.process.returncode, said)


class Result:
    """Output, errors and end of a run, without the names of its places.

    Behind the errors stand the notes, as in an answer; errors: without them.
    """

    def __init__(self, place, out, err, status, said=b"", notes=()):
        self.raw, self.status = out, status
        frames = said.splitlines(True)
        told = [line for line in frames if line.startswith(NOTE)]
        self.said = b"".join(line for line in frames if line not in told)
        notes = [*notes, *(json.loads(line)["text"] for line in told)]
        self.out = self.plain(place, out)
        self.errors = self.plain(place, err)
        self.err = self.errors + self.plain(place, "".join(
            "note: %s\n" % note for note in notes).encode())

    @staticmethod
    def plain(place, data):
        """Take out what differs from run to run."""
        text = data.decode(errors="surrogateescape")
        text = text.replace(os.path.join(place.tmp, MAIN), "MAIN")
        text = re.sub(r"in \d+\.\d+s\b", "in TIME", text)
        text = re.sub(r"(refcount +:) \d+", r"\1 N", text)
        text = re.sub(r"repeated \d+ more", "repeated 9 more", text)
        return re.sub(r"0x[0-9a-f]{6,}", "0xADDRESS", text)


def frame_of(code):
    """Return the run frame for this code."""
    return json.dumps({"type": "run", "code": code}).encode() + b"\n"


def run_in_box(code, waits=True):
    """Run code as a box would: as one that has waited, or at once."""
    with Place() as place:
        box = Box(place)
        box.ready()
        if waits:
            box.rehearsed()
        box.send(frame_of(code))
        return box.end()


class Plain:
    """Code as the interpreter runs a file, from now on."""

    def __init__(self, code):
        self.place = Place().__enter__()
        path = os.path.join(self.place.tmp, MAIN)
        with open(path, "wb") as file:
            file.write(as_an_editor_saves(code))
        self.process = subprocess.Popen(
            [sys.executable, "-X", "utf8", path], **self.place.options(),
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_CORE, (0, 0)))

    def end(self):
        """Return what it has come to."""
        out, err = self.process.communicate(timeout=DEADLINE)
        return Result(self.place, out, err, self.process.returncode)

    def remove(self):
        """End it, if it still runs, and remove its place."""
        if self.process.returncode is None:
            self.process.kill()
            self.process.communicate()
        self.place.__exit__()


def as_an_editor_saves(code):
    """Return the code in the encoding that it declares."""
    data = code.encode()
    lines = iter(data.splitlines(keepends=True))
    try:
        name = tokenize.detect_encoding(lambda: next(lines, b""))[0]
    except SyntaxError:
        return data
    return data if name == "utf-8-sig" else code.encode(name)


class Cases(unittest.TestCase):
    """Every row of the tables; each becomes a method below."""

    maxDiff = None

    def check(self, case):
        """Run one row."""
        if not case.since <= sys.version_info[:2] < case.until:
            self.skipTest("it is about Python %s up to %s" % (
                ".".join(map(str, case.since)),
                ".".join(map(str, case.until))))
        plain = Plain(case.code) if case.like else None
        if plain:
            self.addCleanup(plain.remove)
        got = run_in_box(case.code)
        if isinstance(case.out, bytes):
            self.assertEqual(got.raw, case.out)
        elif case.out is not None:
            self.assertEqual(got.out[-3000:], case.out[-3000:], got.err)
            self.assertEqual(len(got.out), len(case.out))
        self.assertEqual(got.status, case.status, got.err)
        self.assertRegex(got.err, re.compile(
            r"\A(?:%s)\Z" % case.err, re.DOTALL))
        self.assertEqual(got.said, case.said, "it spoke to the relay")
        self.assertNotRegex(got.errors, r"(?m)^note: ")
        self.assertNotIn("bootstrap.py", got.err)
        if plain:
            self.check_like_interpreter(case, got, plain.end())

    def check_like_interpreter(self, case, got, want):
        """Compare with the interpreter itself, which ran meanwhile."""
        self.assertEqual(got.raw if isinstance(case.out, bytes) else got.out,
                         want.raw if isinstance(case.out, bytes) else want.out)
        self.assertEqual(got.err, want.err)
        self.assertEqual(got.status, want.status)


def add_cases(tables):
    """Make every row a test of its own, so that -k finds it."""
    for table, cases in tables:
        for number, case in enumerate(cases):
            name = "test_%s_%02d_%s" % (
                table, number, re.sub(r"\W+", "_", case.name).strip("_"))
            setattr(Cases, name, lambda self, case=case: self.check(case))
