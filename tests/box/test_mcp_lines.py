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
_request = importlib.import_module("mcp._request")
_wire = importlib.import_module("mcp._wire")


class Large(bytes):
    """A chunk for whose lines there is no memory."""

    def split(self, *_):
        raise MemoryError


class Starved(unittest.TestCase):
    """Nothing is waited for that cannot come any more."""

    def test_all_that_is_under_way_fails_and_what_follows_is_read(self):
        wire = _wire.Wire((-1, -1), os.getpid())
        calls = [_request.Request(b"{}"), _request.Request(b"{}")]
        wire.sent = dict(enumerate(calls, 7))
        wire.chunks.append(Large(b'{"type":"rpc_response","id":7\n'))
        wire.digest()
        self.assertEqual([call.failure for call in calls],
                         [_request.MEMORY] * 2)
        wire.sent[9] = later = _request.Request(b"{}")
        answer = b'{"type":"rpc_response","id":9,"result":1}'
        wire.chunks += [answer + b"\n"]
        wire.digest()
        self.assertEqual((later.line, wire.broken), (answer, None))


if __name__ == "__main__":
    unittest.main()
