"""What boxes with three descriptors do besides: their frames and their end.

    /usr/bin/python3 tests/box/test_three.py [-v] [-k PATTERN]

See three.py.
"""
import base64
import hashlib
import json
import os
import signal
import tempfile
import threading
import unittest

from bootstrap import Place, PYTHON_DIR, READY
from three import ThreeBox

MIB = 1 << 20
FRAME_MAX = 16 * MIB + 8192  # as in common/limits.h
# What the code uses to write to the relay itself, as it may.
CONTROL = """
import os
control = max(int(name) for name in os.listdir('/proc/self/fd'))
"""


class Frames(unittest.TestCase):
    """Runs code, and looks at the frames."""

    def setUp(self):
        self.place = Place()
        self.place.__enter__()
        self.addCleanup(self.place.__exit__)
        self.box = ThreeBox(self.place)
        self.assertEqual(self.box.ready(), READY)

    def start(self, code, **more):
        """Send this code."""
        self.box.send(json.dumps(dict(
            more, type="run", code=code)).encode() + b"\n")

    def answer(self, frame, payload):
        """Answer a request."""
        self.box.send(json.dumps({
            "type": "rpc_response", "id": frame["id"], "success": True,
            "payload": payload}).encode() + b"\n")

    def run_code(self, code, **more):
        """Return what this code has come to."""
        self.start(code, **more)
        return self.box.end()

    def test_any_bytes_are_output(self):
        got = self.run_code("""
import os
for byte in range(256):
    os.write(1 + byte % 2, bytes([byte]))
""")
        self.assertEqual(got.raw, bytes(range(0, 256, 2)))
        self.assertEqual(got.status, 0)

    def test_printed_frames_are_output(self):
        frame = '{"type":"end","exit":0}'
        got = self.run_code("print(%r)\nraise SystemExit(3)" % frame)
        self.assertEqual((got.out, got.status, got.said),
                         (frame + "\n", 3, b""))

    def test_a_killed_child_has_printed_all(self):
        got = self.run_code("""
import os, signal
for n in range(30000):
    os.write(1, b'%5d\\n' % n)
    if n % 10 == 0:
        os.write(2, b'x')
os.kill(os.getpid(), signal.SIGKILL)
""")
        self.assertEqual(got.out, "".join("%5d\n" % n for n in range(30000)))
        self.assertEqual(got.err, "x" * 3000)
        self.assertEqual(got.status, -signal.SIGKILL)

    def test_signals_to_its_group_end_the_code_only(self):
        got = self.run_code("import os\nprint('kept')\nos.kill(0, 15)")
        self.assertEqual((got.out, got.status), ("kept\n", -15))

    def test_it_ends_before_its_code_comes(self):
        self.box.process.stdin.close()
        got = self.box.end()
        self.assertEqual(got.status, 70)
        self.assertIn("the relay closed its pipe before the code came",
                      got.err)

    def test_left_processes_do_not_hold_the_end_up(self):
        got = self.run_code("""
import subprocess
left = subprocess.Popen(['sleep', '1000'])
print(left.pid)
""")
        os.kill(int(got.out), signal.SIGKILL)
        self.assertEqual(got.status, 0)

    def test_output_comes_before_the_frames_behind_it(self):
        self.start("for n in range(500):\n    print('x' * 99)\n7", echo=True)
        printed, frame = 0, {}
        while frame.get("type") != "rpc_request":
            frame = json.loads(self.box.lines.readline())
            printed += len(base64.b64decode(frame.get("data", "")))
        self.assertEqual(printed, 500 * 100)
        self.answer(frame, False)
        self.assertEqual(self.box.end().status, 0)

    def test_frames_stay_whole_beside_output(self):
        got = self.run_code(CONTROL + """
import threading
frame = b'{"type":"cancel","id":"%s"}\\n' % (b'7' * 300000)
def tell():
    for _ in range(5):
        left = memoryview(frame)
        while left:
            left = left[os.write(control, left):]
thread = threading.Thread(target=tell)
thread.start()
for _ in range(3000):
    os.write(1, b'x' * 100)
thread.join()
""")
        self.assertEqual(got.out, "x" * 300000)
        self.assertEqual([len(line) for line in got.said.splitlines()],
                         [300000 + len('{"type":"cancel","id":""}')] * 5)

    def test_half_a_frame_of_killed_code_is_dropped(self):
        got = self.run_code(CONTROL + """
os.write(control, b'{"type":"rpc_re')
print('kept')
os.kill(os.getpid(), 9)
""")
        self.assertEqual((got.out, got.said, got.status), ("kept\n", b"", -9))

    def test_a_frame_that_is_too_long_is_not_kept(self):
        self.start(CONTROL + """
for _ in range(1040):
    os.write(control, b' ' * 16384)
os.write(control, b'\\n{"type":"cancel","id":1}\\n')
""")
        lines = self.box.frames()
        self.assertEqual([len(lines[0]), lines[1]],
                         [FRAME_MAX + 1, b'{"type":"cancel","id":1}'])
        self.assertEqual([json.loads(line)["type"] for line in lines[2:]],
                         ["end"])
        self.box.close()

    def test_nothing_is_read_that_cannot_be_written(self):
        """The code stops until its output is read, and none of it is lost."""
        size = 64 * MIB
        told = os.path.join(self.place.work, "told")
        os.mkfifo(told)
        self.start("""
import os, select
data, done = bytes(range(256)) * 256, 0
os.set_blocking(1, False)
def write():
    global done
    start = done %% len(data)
    done += os.write(1, data[start:start + 4096])
while select.select([], [1], [], 1)[1]:
    try:
        write()
    except BlockingIOError:
        pass
with open('told', 'w') as file:
    file.write(str(done))
os.set_blocking(1, True)
while done < %d:
    write()
""" % size)
        with open(told) as file:
            self.assertLess(int(file.read()), MIB)
        got = self.box.end()
        self.assertEqual(got.status, 0, got.err)
        self.assertEqual(len(got.raw), size)
        self.assertEqual(hashlib.sha256(got.raw).digest(), hashlib.sha256(
            bytes(range(256)) * (size // 256)).digest())

    def test_the_code_ends_with_its_relay(self):
        alive = os.path.join(self.place.work, "alive")
        os.mkfifo(alive)
        self.start("alive = open('alive', 'w')\nalive.write('a')\n"
                   "alive.flush()\nwhile True:\n    print(' ')")
        with open(alive) as file:
            self.assertEqual(file.read(1), "a")
            self.assertEqual(self.box.close(), 70)
            self.assertEqual(file.read(), "")  # it has no writer any more
        self.assertEqual(self.box.why, "")


def names_of_pump():
    """Return what pump.py defines."""
    names = {"__name__": "pump"}
    with open(os.path.join(PYTHON_DIR, "pump.py")) as file:
        exec(compile(file.read(), "pump.py", "exec"), names)
    return names


class Leftovers(unittest.TestCase):
    """What processes print that the code has left."""

    def test_they_may_print_what_they_have(self):
        """There is time enough here: it ends when all pipes have ended."""
        names = names_of_pump()
        relay, out, errors, said = (os.pipe() for _ in range(4))
        names["LEFTOVERS"], names["RELAY"] = 60, relay[1]
        pump = names["Pump"](out[0], errors[0], said[0])
        os.write(out[1], b"first")
        self.assertTrue(pump.go_on(False, None))

        def leave():
            os.write(out[1], b"last")
            for pipe in out, errors, said:
                os.close(pipe[1])
        left = threading.Thread(target=leave)
        left.start()
        pump.finish()
        left.join()
        os.close(relay[1])
        with open(relay[0], "rb") as file:
            frames = [json.loads(line) for line in file]
        self.assertEqual([(frame["type"], base64.b64decode(frame["data"]))
                          for frame in frames],
                         [("out", b"first"), ("out", b"last")])
        for pipe in out, errors, said:
            os.close(pipe[0])


class Counts(unittest.TestCase):
    """What the kernel has counted, as its files tell."""

    def count(self, what, *texts):
        names = names_of_pump()
        with tempfile.TemporaryDirectory() as place:
            names["COUNTS"] = place + "/"
            for (path, _, _), text in zip(names[what], texts):
                path = os.path.join(place, path)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                if text is not None:
                    with open(path, "w") as file:
                        file.write(text)
            return names["count"](names[what])

    def test_files_of_both_kinds_are_read(self):
        for what, texts, count in (
                ("KILLS", (None, None), 0),
                ("KILLS", ("low 0\nhigh 2\nmax 7\noom 3\noom_kill 2\n"
                           "oom_group_kill 1\n", None), 2),
                ("KILLS", (None, "oom_kill_disable 0\nunder_oom 0\n"
                           "oom_kill 1\n"), 1),
                ("KILLS", ("low 0\n", "oom_kill 4\n"), 4),
                ("MICROSECONDS", (None, None), 0),
                ("MICROSECONDS", ("7000999\n", None), 7000),
                ("MICROSECONDS", (None, "usage_usec 70\nuser_usec 60\n"), 70),
                ("MICROSECONDS", ("what\n", "usage_usec 71\n"), 71),
                ("KIB", (None, None), 0),
                ("KIB", ("10239\n", None), 9),
                ("KIB", (None, "10240\n"), 10),
                ("KILLS", ("oom_kill x\n", None), 0)):
            with self.subTest((what, texts)):
                self.assertEqual(self.count(what, *texts), count)


if __name__ == "__main__":
    unittest.main()
