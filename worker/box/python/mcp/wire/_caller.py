"""How the code uses the return value of one of our functions."""
import sys
from opcode import opmap

FOLDER = __file__[:-len("mcp/wire/_caller.py")]
HERE = FOLDER, "<" + FOLDER  # bootstrap.py names some files so
CACHES = 40  # bytes of steps: more than those of the caches behind a call


def caller():
    """Return the frame that calls us, which is none of ours."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(HERE):
        frame = frame.f_back
    return frame


def follows(frame, step):
    """Whether this is what a frame does next, with the value of its call."""
    at = frame.f_lasti + 2
    steps = frame.f_code.co_code[at:at + CACHES:2].lstrip(b"\0")
    return bool(steps) and steps[0] == opmap[step]


class Awaited:
    """A value for code that writes 'await' where there is no need to."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __await__(self):
        """Return the value: there is nothing to wait for."""
        return self.value
        yield


def for_await(value):
    """Return a value, as one to await where the code awaits it at once."""
    return Awaited(value) if follows(caller(), "GET_AWAITABLE") else value


def at_once(value):
    """Return a value that is there already, as one that can be awaited."""
    for kind in ReadyDict, ReadyList, ReadyText, ReadyTuple:
        if isinstance(value, kind.__base__):
            return kind(value)
    return value


def _await(self):
    """Return the value itself: there is nothing to wait for."""
    return self
    yield


class ReadyDict(dict):
    """A dict that may be awaited, too; the others are such, too."""

    __await__ = _await


ReadyList, ReadyText, ReadyTuple = (
    type("Ready" + kind.__name__.capitalize(), (kind,), {
        "__slots__": (), "__await__": _await, "__module__": __name__})
    for kind in (list, str, tuple))
