"""The shell in a box with three descriptors: its bootstrap beside the pump.

    CAISSON_BOX_PYTHON=BUILD/box/python \\
        /usr/bin/python3 tests/box/test_three_shell.py [-v] [-k PATTERN]

See three.py.  The program of the shell is built, and has no source to run.
"""
import json
import os
import unittest

from bootstrap import Place, PYTHON_DIR, READY
from three import ThreeBox

PROGRAM = os.path.join(PYTHON_DIR, "..", "shell", "bin", "mcp")


class Shell(unittest.TestCase):
    """Runs scripts, and looks at the frames."""

    def setUp(self):
        place = Place()
        place.__enter__()
        self.addCleanup(place.__exit__)
        self.box = ThreeBox(place, os.path.abspath(PROGRAM), "caisson-start",
                            "shell", "/bin/sh")
        self.assertEqual(self.box.ready(), READY)

    def start(self, code):
        """Send this script."""
        self.box.send(json.dumps({
            "type": "run", "code": code, "servers": []}).encode() + b"\n")

    def test_output_and_exit_code(self):
        self.start("echo a; echo b >&2; cat; exec 3<&0; ls /proc/self/fd | "
                   "wc -l; yes 2>&- | head -n 1\nexit 3")
        got = self.box.end()
        self.assertEqual((got.out, got.err, got.status, got.said),
                         ("a\n5\ny\n", "b\n", 3, b""))

    def test_a_signal(self):
        self.start("printf kept\nkill -9 $$")
        got = self.box.end()
        self.assertEqual((got.out, got.status), ("kept", -9))

    def test_calls_come_behind_output(self):
        self.start("echo asks\nmcp servers && echo answered")
        kinds = [json.loads(self.box.lines.readline()) for _ in range(2)]
        self.assertEqual([frame["type"] for frame in kinds],
                         ["out", "rpc_request"])
        self.box.send(json.dumps({
            "type": "rpc_response", "id": kinds[1]["id"], "success": True,
            "payload": []}, separators=",:").encode() + b"\n")
        got = self.box.end()
        self.assertEqual(got.status, 0, got.err)
        self.assertTrue(got.out.endswith("answered\n"), got.out)


if __name__ == "__main__":
    unittest.main()
