"""Files that come back with the answer: what lies in /workspace/out."""
import os

CHUNK = 1 << 20  # bytes that are copied at a time
NAME_MAX = 255  # bytes of a name
NO_PLACE = ("files cannot be kept here: this machine runs code at the weaker "
            "level of isolation; print what is needed")
NO_NAME = "name=... is missing: bytes have no name of their own"
BAD_NAME = ("%r cannot be the name of a file that is kept: it has 1 to 255 "
            "bytes of UTF-8, and no slashes or control characters")
BAD_TYPE = ("save_file() takes the path of a file, or bytes, not an object of "
            "type %s")


def place():
    """Return the folder for files that are kept; it may not be there."""
    return os.environ.get("HOME", "/workspace") + "/out"


def save_file(source, name=None):
    """Keep a file, given by its path or as bytes; see runtime.save_file."""
    if hasattr(source, "getvalue"):
        source = source.getvalue()
    is_data = isinstance(source, (bytes, bytearray, memoryview))
    if not is_data and not isinstance(source, (str, os.PathLike)):
        raise TypeError(BAD_TYPE % type(source).__name__)
    if name is None and is_data:
        raise TypeError(NO_NAME)
    name = checked(os.path.basename(os.fspath(source))
                   if name is None else name)
    if not os.path.isdir(place()):
        raise RuntimeError(NO_PLACE)
    target = "%s/%s" % (place(), name)
    if is_data:
        write(target, (source,))
    elif not (os.path.exists(target) and os.path.samefile(source, target)):
        with open(source, "rb") as file:
            write(target, iter(lambda: file.read(CHUNK), b""))
    return target


def checked(name):
    """Return a name that a kept file can have, or raise."""
    if not isinstance(name, str):
        raise TypeError("the name of a file is a string, not an object of "
                        "type %s" % type(name).__name__)
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        size = 0
    if not 0 < size <= NAME_MAX or name in (".", "..") or any(
            c == "/" or ord(c) < 32 or 127 <= ord(c) < 160 for c in name):
        raise ValueError(BAD_NAME % name)
    return name


def write(target, chunks):
    """Make a file; what cannot be written as a whole is removed."""
    try:
        with open(target, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
    except BaseException:
        try:
            os.unlink(target)
        except OSError:
            pass
        raise


def keep_printed(paths):
    """Keep those of some files whose names were printed; return their paths.

    A name without a dot may be any word, and is none.
    """
    import sys
    from . import _echo, _servers
    for stream in sys.stdout, sys.stderr:
        stream.flush()
    kept = []
    for path in paths:
        name = os.path.basename(path)
        if "." in name and _servers.run("printed", _echo.asking(
                {"type": "printed", "text": name})):
            try:
                if not os.path.lexists("%s/%s" % (place(), name)):
                    save_file(path)
                kept.append(path)
            except (OSError, ValueError):
                pass  # there is no room: a note tells that it is gone
    return kept
