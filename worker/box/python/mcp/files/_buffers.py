"""Data that the code has written to files without closing them.

Python would write it when the code's objects are freed, which is after the
files are kept.
"""
import gc
import io
import os
import stat
import sys

BUFFERED = io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom
# What writes the end of a file when it is closed, as all do when they go.
ENDED = {"zipfile": "ZipFile", "gzip": "GzipFile", "bz2": "BZ2File",
         "lzma": "LZMAFile"}


def write():
    """Write what is in the buffers of regular files."""
    for thing in gc.get_objects():
        if type(thing) in BUFFERED and is_regular(thing):
            attempt(thing.flush)


def finish():
    """Write what is left at the end of the code, and end archives and what is
    compressed, unless a thread may still use them.
    """
    for stream in sys.stdout, sys.stderr:
        if stream is not None:
            attempt(stream.flush)
    write()
    threading = sys.modules.get("threading")
    if threading and threading.active_count() > 1:
        return
    kinds = tuple(getattr(sys.modules.get(module), ENDED[module], None)
                  for module in ENDED)
    things = [thing for thing in gc.get_objects() if type(thing) in kinds]
    for thing in things:
        attempt(thing.close)
    if things:
        write()  # a file may be open below what is closed now


def is_regular(file):
    """Whether a file is open, and a regular one: no other may block."""
    try:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except Exception:
        return False  # it is closed, or a file of the code's own kind


def attempt(function):
    """Call a function; what fails is for the code to have noticed."""
    try:
        function()
    except Exception:
        pass
