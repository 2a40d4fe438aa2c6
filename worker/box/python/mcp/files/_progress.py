"""Progress of the code, for the client that waits for it.

The relay passes on increasing values at a limited rate; values above that rate
are not sent to it.
"""
import os
from math import isfinite
from time import monotonic

from . import _box

PAUSE = 0.05  # seconds
MOST = 10 ** 15  # thousandths; the relay takes no more
TEXT_MAX = 200  # characters


class State:
    """What was told last, and whether it was sent."""

    last = None  # done, total and text
    waits = False
    sent = 0  # when


def tell(done, total=None, text=None):
    """Tell how far the code is; raises TypeError or ValueError."""
    told = (thousandths(done, "done"),
            0 if total is None else thousandths(total, "total"),
            None if text is None else str(text)[:TEXT_MAX])
    if not _box.progress or os.getpid() != _box.pid or told == State.last:
        return
    State.last, State.waits = told, True
    if monotonic() - State.sent >= PAUSE or told[0] == told[1]:
        flush()


def thousandths(number, name):
    """Return a number in thousandths; raises what it cannot be."""
    try:
        if isinstance(number, bool) or not isfinite(number) or number < 0:
            raise ValueError
        return min(round(number * 1000), MOST)
    except TypeError:
        raise TypeError("%s must be a number, not an object of type %s" % (
            name, type(number).__name__)) from None
    except (OverflowError, ValueError):
        raise ValueError("%s must be a number from 0 on, not %r" % (
            name, number)) from None


def flush():
    """Send what was told last."""
    if not State.waits or os.getpid() != _box.pid:
        return
    State.waits, State.sent = False, monotonic()
    done, total, text = State.last
    payload = {"type": "progress", "done": done}
    payload.update({"total": total} if total else {})
    from . import _ask, _state
    from ._values import clean
    from ._result import MCPError
    if text:
        payload["text"] = clean(text).replace("\0", " ")
    try:
        _state.run("progress", _ask.asking(payload))
    except (MCPError, RuntimeError):
        pass  # a signal handler has interrupted a call, or all is over
