"""Calls that were made but never awaited: a note reports each.

Calls are freed anywhere, also where the thread holds a lock of the pipe, so the
notes are queued, and sent when the code makes a call, or ends.

When an exception ends a statement, the calls that it had made are freed, too,
but that is not a mistake.  The two cases cannot be distinguished when a call is
freed, so a line that may be due to an exception is held back until the next
call, or the end of the code.
"""
import os
from collections import deque
from opcode import opname

from . import _notes
from ._wire import WIRE

FIX = ("write 'await' before it, or '.result()' behind it where there is no "
       "'await'")
# What raises no exception, so that a call that goes there was forgotten.
SAFE = ("POP_TOP", "STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF",
        "DELETE_", "RETURN_")
# What ends a comprehension of Python 3.12 and later after an exception: it
# drops what there is of the result, in the frame around it.
CLEANUP = "POP_TOP", "SWAP", "STORE_FAST"
MOST = 8  # different notes in a program: there is room for 16 of all kinds
QUEUE = deque()  # notes that are ready
TOLD = set()  # those that were queued
HELD = []  # places and notes
ENDED = []  # something, once nothing is to be held back any more


def tell(frame, name, path, line):
    """Tell, now or later, of a call that has gone in a frame."""
    text = "%s:%d: %s was called but never awaited, so nothing was sent: %s" \
        % (path, line, name, FIX)
    try:
        source = read_file(path).split(b"\n")[line - 1].strip()
        text += ": %s" % source.decode("utf-8", "replace")
    finally:
        if frame is not None and is_cleanup(frame):
            pass  # an exception has ended what would have used it
        elif ENDED or frame is None or is_safe(frame):
            add(text)
        else:
            hold(frame, text)


def read_file(path):
    """Return the bytes of a file; at the end of Python there is no open()."""
    parts, fd = [b""], os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        while len(parts) == 1 or parts[-1]:
            parts.append(os.read(fd, 1 << 20))
    finally:
        os.close(fd)
    return b"".join(parts)


def is_safe(frame):
    """Whether what a frame does just now raises no exception."""
    return opname[frame.f_code.co_code[frame.f_lasti]].startswith(SAFE)


def is_cleanup(frame):
    """Whether a frame takes apart a comprehension that has failed."""
    names = [opname[code] for code in frame.f_code.co_code[::2]]
    first = last = frame.f_lasti // 2
    while first and names[first - 1].startswith(CLEANUP):
        first -= 1
    while names[last].startswith(CLEANUP):
        last += 1
    return names[last] == "RERAISE" and "SWAP" in names[first:last]


def hold(frame, text):
    """Keep a note, with the place where the call has gone."""
    if not HELD:
        import atexit
        atexit.unregister(end)
        atexit.register(end)
    HELD.append(((id(frame), frame.f_lasti), text))


def release(places=()):
    """Tell what was held back, but for what is of some places."""
    while HELD:
        place, text = HELD.pop(0)
        if place not in places:
            queue(text)
    send()


def end(trace=None):
    """The code has ended, or an exception with this traceback ends it."""
    ENDED.append(True)
    places = set()
    while trace is not None:
        places.add((id(trace.tb_frame), trace.tb_lasti))
        trace = trace.tb_next
    release(places)


def add(text):
    """Queue a note; where the code has ended, nothing else will send it."""
    queue(text)
    if ENDED:
        send()


def queue(text):
    """Queue a note, but none twice: a loop would leave no room for others."""
    if text not in TOLD and len(TOLD) < MOST:
        TOLD.add(text)
        QUEUE.append(text)


def send():
    """Send the notes, unless a lock is held: it may be for ever."""
    while QUEUE and not (WIRE.mutex.locked() or WIRE.writing.locked()):
        _notes.send(QUEUE.popleft())
