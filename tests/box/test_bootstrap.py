"""What passes between the bootstrap and the relay, and the probe.

    /usr/bin/python3 tests/box/test_bootstrap.py [-v] [-k PATTERN]

The Python that runs the tests is the Python that is tested.
"""
import os
import resource
import select
import signal
import subprocess
import sys
import unittest

from bootstrap import Box, DEADLINE, frame_of, HERE, Place, READY, run_in_box

PROBE = os.path.join(
    HERE, "..", "..", "supervisor", "command", "selftest", "probe.py")


class Protocol(unittest.TestCase):
    """What passes between the box and the relay."""

    def test_code_may_come_at_once(self):
        for code in ("print('hi')", "import sys\nprint('hi')\nsys.exit(3)",
                     "import asyncio\nawait asyncio.sleep(0)\nprint('hi')",
                     "print('hi')\n1 / 0"):
            late, soon = run_in_box(code), run_in_box(code, waits=False)
            self.assertEqual((soon.out, soon.err, soon.status),
                             (late.out, late.err, late.status))
            self.assertEqual(soon.out, "hi\n")

    def test_files_that_are_there_before_the_code(self):
        """What is told of files that the code leaves is not about these."""
        code = ("import sys\nprint([name for name in sys.modules if "
                "name.startswith(('mcp', 'importlib', 'caisson'))])")
        alone = run_in_box(code)
        with Place() as place:
            for folder in ("work/out", "work/in", "tmp/venv"):
                folder = os.path.join(place.directory.name, folder)
                os.mkdir(folder)
                with open(folder + "/a", "w") as file:
                    file.write("a")
            box = Box(place)
            box.ready()
            box.rehearsed()
            box.send(frame_of(code))
            got = box.end()
        self.assertEqual((got.out, got.err, got.status),
                         (alone.out, alone.err, alone.status))

    def test_ready_is_said_once_and_first(self):
        with Place() as place:
            box = Box(place)
            self.assertEqual(box.ready(), READY)
            box.send(frame_of("print(1)"))
            self.assertEqual(box.end().said, b"")

    def test_frames_that_run_nothing(self):
        for line, says in (
                (b"\n", "JSONDecodeError"),
                (b"nonsense\n", "JSONDecodeError"),
                (b"[]\n", "TypeError"),
                (b"5\n", "TypeError"),
                (b"null\n", "TypeError"),
                (b"{}\n", "KeyError: 'type'"),
                (b'{"type":"run"}\n', "KeyError: 'code'"),
                (b'{"type":"run","code":null}\n', "AttributeError"),
                (b'{"type":"run","code":["print(1)"]}\n', "AttributeError"),
                (b'{"type":"nap","code":"print(1)"}\n', "not 'run'"),
                (b'{"type":"run","code":"print(1)"} x\n', "Extra data"),
                (b'{"type":"run","code":"print(1)"', "closed its pipe"),
                (b'{"type":"run","code":"print(1)}\n', "Unterminated"),
                (b'{"type":"run","code":"\\ud800print(1)"}\n', "surrogates"),
                (b'{"type":"run","code":"\xff"}\n', "UnicodeDecodeError"),
                (b"[" * 100000 + b"\n", "RecursionError"),
                (b"", "closed its pipe")):
            with self.subTest(line=line[:60]), Place() as place:
                box = Box(place)
                box.ready()
                box.send(line)
                if not line.endswith(b"\n"):
                    os.dup2(os.open("/dev/null", os.O_WRONLY), box.control_in)
                got = box.end()
                self.assertEqual((got.status, got.out), (70, ""))
                self.assertRegex(got.err, r"\Acaisson: the code was not run: "
                                 r"the relay [^\n]*\n\Z")
                self.assertIn(says, got.err)
                self.assertLess(len(got.err), 300)

    def test_unknown_fields_are_ignored(self):
        with Place() as place:
            box = Box(place)
            box.ready()
            box.send(b' { "later": [{"a": [1.5, -2e9, NaN, null, true]}], '
                     b'"code":"print(1)", "type" :"run", "x":{} } \r\n')
            self.assertEqual(box.end().out, "1\n")

    def test_frame_in_small_pieces(self):
        with Place() as place:
            box = Box(place)
            box.ready()
            for byte in frame_of("print('\u00e9\U0001f600')"):
                box.send(bytes((byte,)))
            self.assertEqual(box.end().out, "\u00e9\U0001f600\n")

    def test_largest_frame(self):
        code = "#" + "\u007f" * (16 * 1024 * 1024 - 10) + "\nprint(1)"
        data = frame_of(code).replace(b"\x7f", b"\\u007f")
        self.assertGreater(len(data), 95 * 1024 * 1024)
        with Place() as place:
            box = Box(place)
            box.ready()
            box.send(data)
            self.assertEqual(box.end().out, "1\n")

    def test_without_the_pipes_of_the_relay(self):
        with Place() as place:
            got = Box(place, control=False).end()
            self.assertEqual((got.status, got.out), (70, ""))
            self.assertIn("descriptors 3 and 4", got.err)

    def test_without_room_for_the_file(self):
        with Place() as place:
            os.rmdir(place.tmp)
            box = Box(place)
            box.ready()
            box.send(frame_of("print(1)\n1 / 0"))
            got = box.end()
            self.assertEqual((got.out, got.status), ("1\n", 1))
            self.assertEqual(got.err, (
                'Traceback (most recent call last):\n  File "MAIN", line 2, '
                "in <module>\nZeroDivisionError: division by zero\n"))

    def test_child_that_keeps_stdout_open(self):
        """Main ends at once; only its children hold the pipe."""
        with Place() as place:
            box = Box(place)
            box.ready()
            box.send(frame_of(
                "import subprocess\n"
                "p = subprocess.Popen(['sleep', '600'])\nprint(p.pid)"))
            self.assertEqual(box.process.wait(DEADLINE), 0)
            child = int(box.process.stdout.readline())
            os.kill(child, signal.SIGKILL)
            self.assertEqual(box.end().said, b"")

    def test_control_ends_with_the_code(self):
        """A child that lives on does not hold the control pipes."""
        with Place() as place:
            box = Box(place)
            box.ready()
            box.send(frame_of(
                "import os, time\npid = os.fork()\n"
                "if pid:\n    print(pid, flush=True)\n    os._exit(0)\n"
                "time.sleep(600)"))
            self.assertEqual(box.process.wait(DEADLINE), 0)
            child = int(box.process.stdout.readline())
            readable = select.select([box.control_out], [], [], DEADLINE)[0]
            os.kill(child, signal.SIGKILL)
            self.assertEqual(readable, [box.control_out])
            self.assertEqual(box.end().said, b"")


class Probe(unittest.TestCase):
    """supervisor/command/selftest/probe.py where nothing is promised."""

    BROKEN = (
        "seccomp", "own processes only", "no files of the host",
        "places to write", "limit on files", "no network", "no interfaces",
        "no looking into processes", "no keys", "clock and host name",
        "limit on memory", "no hidden memory", "clean environment",
        "no descriptors of the host")
    KEPT = ("standard input is empty",)

    @classmethod
    def setUpClass(cls):
        with open(PROBE) as file:
            code = file.read()
        for mark, number in ("@MEMORY@", "16777216"), ("@PROCESSES@", "8"):
            assert code.count(mark) == 1, mark
            code = code.replace(mark, number)

        def become_nobody():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)

        try:
            child = subprocess.run(
                [sys.executable, "-I", "-c", code], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
                preexec_fn=become_nobody, timeout=DEADLINE,
                env={"PATH": "/usr/bin:/bin", "SECRET": "s"})
        except PermissionError:
            raise unittest.SkipTest(
                "user 65534 may not run %s" % sys.executable) from None
        cls.status, cls.err = child.returncode, child.stderr.decode()
        cls.lines = child.stdout.decode().splitlines()

    def test_ends_well_and_says_nothing_else(self):
        self.assertEqual((self.status, self.err), (0, ""))

    def test_form_of_the_lines(self):
        for line in self.lines:
            self.assertRegex(line, r"\A(ok|FAIL)\t[^\t]+\t[^\t]+\Z")
        names = [line.split("\t")[1] for line in self.lines]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 30)

    def test_broken_promises_are_seen(self):
        results = {line.split("\t")[1]: line for line in self.lines}
        for name in self.BROKEN:
            with self.subTest(name):
                self.assertRegex(results[name], r"\AFAIL\t.*: ")
        for name in self.KEPT:
            with self.subTest(name):
                self.assertRegex(results[name], r"\Aok\t")

    def test_parts_of_the_meaning(self):
        found = [line for line in self.lines if "SECRET" in line]
        self.assertEqual(found, [
            "FAIL\tclean environment\tthere is ['SECRET']: settings or "
            "secrets of the host are visible"])


if __name__ == "__main__":
    unittest.main()
