"""What worker/box/python/mcp does with the lines of the relay where there is
no memory for one.

    /usr/bin/python3 tests/box/test_mcp_lines.py [-v] [-k PATTERN]

The modules are imported by themselves, without a box: a call of the tests is
no more than a note of how it has ended.
"""
import importlib
import os
import sys
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, "../../worker/box/python/mcp")
sys.modules["mcp"] = types.ModuleType("mcp")
sys.modules["mcp"].__path__ = [PACKAGE + "/wire"]
BOX = sys.modules["mcp._box"] = sys.modules["mcp"]._box = \
    types.ModuleType("_box")
BOX.control, BOX.pid = (-1, -1), os.getpid()
_lines = importlib.import_module("mcp._lines")
_request = importlib.import_module("mcp._request")
_wire = importlib.import_module("mcp._wire")
LONG = b'{"type":"rpc_response","id":7,"result":"' + b"x" * (1 << 16)


class Call:
    """A request that was sent."""

    def __init__(self):
        self.ended = None

    def finish(self, line, error=None):
        """Note the first end."""
        self.ended = self.ended or error or line


class Starved(unittest.TestCase):
    """Each case: what was read before, and what is read then."""

    def setUp(self):
        self.wire = _wire.Wire((-1, -1), os.getpid())
        self.calls = self.wire.sent = {7: Call(), 8: Call()}
        self.seven, self.eight = self.calls[7], self.calls[8]

    def read(self, *chunks, starve=False):
        """Read the chunks; the last without memory for what comes next."""
        self.wire.chunks.extend(chunks)
        if not starve:
            self.wire.digest()
            return
        self.wire.gather()
        self.wire.starved = True
        self.wire.digest()

    def assert_goes_on(self):
        """The next answer is read as if nothing had been."""
        call = self.wire.sent[9] = Call()
        self.read(b'{"type":"rpc_response","id":9,"result":1}\n')
        self.assertEqual(
            call.ended, b'{"type":"rpc_response","id":9,"result":1}')
        self.assertIsNone(self.wire.broken)

    def test_the_call_of_the_line_fails(self):
        for length in range(len(_lines.ANSWER) + 2, len(LONG), 9973):
            self.setUp()
            self.read(LONG[:length], starve=True)
            self.assertEqual(self.seven.ended, _request.MEMORY)
            self.assertIsNone(self.eight.ended)
            self.assertEqual(list(self.wire.sent), [8])
            self.read(LONG[length:] + b'"}\n')
            self.assertIsNone(self.eight.ended)
            self.assert_goes_on()

    def test_all_fail_where_the_line_does_not_tell(self):
        for length in range(1, len(_lines.ANSWER) + 2):
            self.setUp()
            self.read(LONG[:length], starve=True)
            self.assertEqual(self.seven.ended, _request.MEMORY)
            self.assertEqual(self.eight.ended, _request.MEMORY)
            # Their answers come late, and free the places.
            self.read(LONG[length:] + b'"}\n')
            self.assertEqual(list(self.wire.sent), [8])
            self.assert_goes_on()

    def test_all_fail_where_no_line_has_begun(self):
        self.read(starve=True)
        self.assertEqual(self.seven.ended, _request.MEMORY)
        self.assertEqual(self.eight.ended, _request.MEMORY)
        self.assert_goes_on()

    def test_a_line_behind_one_that_was_skipped(self):
        for more in b"", LONG.replace(b"7", b"8"):
            self.setUp()
            self.read(LONG, starve=True)
            self.wire.chunks.append(b'"}\n' + more)
            self.wire.skip()
            self.wire.skip()
            self.wire.starved = True
            self.wire.digest()
            self.assertEqual(self.eight.ended, _request.MEMORY)
            if more:
                self.read(b'"}\n')
            self.assert_goes_on()

    def test_what_is_no_answer_is_skipped(self):
        self.read(b'{"type":"another","with":"a long line"' + b"x" * 99,
                  starve=True)
        self.read(b'"}\n')
        self.assertIsNone(self.seven.ended)
        self.assert_goes_on()

    def test_the_end(self):
        self.read(LONG, starve=True)
        self.read(b"")
        self.assertEqual(self.eight.ended, _request.ENDED)


if __name__ == "__main__":
    unittest.main()
