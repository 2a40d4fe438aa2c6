"""Notes on the code, which stand behind its output, not in it.

Each is a frame of its own: the relay keeps it, also where the code is killed.
"""
import os

from . import _values
from ._request import Frame
from ._wire import WIRE

MOST = 2000  # characters; the relay keeps less
BEGINNING = "note: "


def tell(lines):
    """Send lines that begin with "note: "."""
    for line in lines:
        send(line[len(BEGINNING):].strip())


def send(text, once=None):
    """Send a note.

    once: a name; the user is shown only the first note of it in all calls.
    """
    if os.getpid() != WIRE.pid:
        return
    note = {"type": "note", "text": _values.clean(text[:MOST])}
    note.update({"once": once} if once else {})
    frame = Frame(_values.write(note, "note") + b"\n")
    with WIRE.mutex:
        if not WIRE.broken:
            WIRE.told.append(frame)
    WIRE.send_queued()
