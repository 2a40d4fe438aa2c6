"""Files that come back with the answer: those in /workspace/out."""
import os
from errno import ENOENT

from . import _buffers

CHUNK = 1 << 20  # bytes that are copied at a time
NAME_MAX = 255  # bytes of a name
VERSIONS_MAX = 100  # files of one name
SAVED = set()  # paths that save_file() has returned
NO_PLACE = ("files cannot be kept here: this machine runs code with reduced "
            "isolation; print what is needed")
NO_NAME = "name=... is missing: bytes have no name of their own"
BAD_NAME = ("%r cannot be the name of a file that is kept: use 1 to 255 bytes "
            "of UTF-8, without control characters, below /workspace/out")
TEXT = "for text: save_file(text.encode(), name)"
NO_FILE = "there is no such file; " + TEXT
BAD_TYPE = ("save_file() takes the path of a file, or bytes, not an object of "
            "type %s: write that to a file in /workspace/out")
BYTES = bytes, bytearray, memoryview


def place():
    """Return the folder for files that are kept; it may not be there."""
    return os.environ.get("HOME", "/workspace") + "/out"


def list_files():
    """Return the paths of all files that were given, or are kept."""
    home = os.path.dirname(place())
    return sorted(
        os.path.join(folder, name)
        for top in (home + "/in", "/data", place())
        for folder, _, names in os.walk(top) for name in names)


def keeps():
    """Whether files come back from that folder: it has a file system then."""
    return os.path.ismount(place())


def save_file(source, name=None):
    """Keep a file, given by its path or as bytes; see runtime.save_file."""
    if isinstance(name, BYTES) and isinstance(source, str):
        source, name = name, source
    if hasattr(source, "getvalue"):
        source = source.getvalue()
        source = source.encode() if isinstance(source, str) else source
    is_data = isinstance(source, BYTES)
    if not is_data and not isinstance(source, (str, os.PathLike)):
        raise TypeError(BAD_TYPE % type(source).__name__)
    if name is None and is_data:
        raise TypeError(NO_NAME)
    if isinstance(source, str):
        check_path(source, name)
    name = checked(os.path.basename(os.path.abspath(source))
                   if name is None else without_place(name))
    if not keeps():
        raise RuntimeError(NO_PLACE)
    target = "%s/%s" % (place(), name)
    if is_data:
        write(target, (source,))
    elif os.path.isdir(source):
        keep_folder(source, target)
    elif not (os.path.exists(target) and os.path.samefile(source, target)):
        _buffers.write()
        with open(source, "rb") as file:
            write(target, iter(lambda: file.read(CHUNK), b""))
    SAVED.add(target)
    return target


def without_place(name):
    """Return a name without the folder for files that are kept."""
    for folder in place() + "/", "out/":
        if isinstance(name, str) and name.startswith(folder):
            return name[len(folder):]
    return name


def keep_folder(source, target):
    """Copy a folder, with all that is in it."""
    if is_below(target, source):
        raise ValueError("%r has the files that are kept in it" % source)
    if not os.path.exists(target) or not os.path.samefile(source, target):
        from shutil import copytree
        copytree(source, target, dirs_exist_ok=True)


def is_below(path, folder):
    """Whether a path leads into a folder."""
    return os.path.realpath(path).startswith(
        os.path.realpath(folder).rstrip("/") + "/")


def check_path(source, name):
    """Raise where text is given that is no path, but what is to be kept."""
    if os.path.exists(source):
        return
    if "\n" in source:
        raise ValueError("save_file() takes the path of a file, or bytes; " +
                         TEXT)
    if name is not None:
        raise FileNotFoundError(ENOENT, NO_FILE, source)


def checked(name):
    """Return a name that a kept file can have, or raise."""
    if not isinstance(name, str):
        raise TypeError("the name of a file is a string, not an object of "
                        "type %s" % type(name).__name__)
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        size = 0
    if not 0 < size <= NAME_MAX or not {"", ".", ".."}.isdisjoint(
            name.split("/")) or any(
            ord(c) < 32 or 127 <= ord(c) < 160 for c in name):
        raise ValueError(BAD_NAME % name)
    return name


def write(target, chunks):
    """Make a file; what cannot be written as a whole is removed."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
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


def is_same(path, other):
    """Whether two files have the same bytes."""
    from filecmp import cmp
    try:
        return cmp(path, other, False)
    except OSError:
        return False


def keep(path):
    """Keep a file by a name that is not taken, and return that."""
    for name in names_of(path):
        target = "%s/%s" % (place(), name)
        if not os.path.lexists(target):
            save_file(path, name)
            return name
        if is_same(path, target):
            return name
    raise ValueError(path)


def names_of(path):
    """Yield names for a file: its own, with that of its folder, numbered."""
    folder, name = os.path.split(path)
    yield name
    if folder.startswith(os.path.dirname(place()) + "/"):
        yield "%s-%s" % (os.path.basename(folder), name)
    stem, end = os.path.splitext(name)
    for number in range(2, VERSIONS_MAX):
        yield "%s-%d%s" % (stem, number, end)
