"""Notes on files of the user that code looks for without getting an error.

In the sandbox os.path.exists() returns False for them and glob.glob() nothing,
so a program prints that there are none; the note corrects that.
"""
import os
import sys
from functools import wraps

NOTE = ("note: %s is not in the sandbox, nor are other files of the user: use "
        "tools of servers for them\n")
IN = "note: %s is not here: the file is %s\n"
SHOWN_MAX = 200  # characters of a path
WILD = "*?["
TOLD = []  # the path that was told
# What asks for a file; and what paths have.
ASKS = {"os.path": ("exists", "isfile", "isdir"), "os": ("walk",),
        "glob": ("glob", "iglob")}
METHODS = "exists", "is_file", "is_dir", "glob", "rglob"


def watch(source, notes):
    """Have what asks for files note those of the user."""
    from importlib import import_module
    for module, names in ASKS.items():
        if module.partition(".")[0].encode() in source:
            thing = import_module(module)
            for name in names:
                setattr(thing, name, asking(
                    getattr(thing, name), notes, name == "walk"))
    if b"Path" in source:
        from pathlib import Path
        for name in METHODS:
            setattr(Path, name, asking(
                getattr(Path, name), notes, name in ("glob", "rglob")))


def asking(plain, notes, is_folder):
    """Return a function that notes what it is asked for, where the code asks.

    is_folder: whether it is asked for what is in a folder.
    """
    @wraps(plain)
    def ask(path, *args, **more):
        if not TOLD and sys._getframe(1).f_globals.get(
                "__name__") == "__main__":
            look(path, notes, is_folder)
        return plain(path, *args, **more)

    return ask


def look(path, notes, is_folder):
    """Note a path, if it leads to where nothing of the code's can be."""
    try:
        path = os.fspath(path)
        if is_given(path, notes):
            return
        if not isinstance(path, str) or not path.startswith(("/", "~")) \
                or path.startswith(os.environ.get("HOME", "/workspace")):
            return
        start = min((path.find(mark) for mark in WILD if mark in path),
                    default=len(path))
        folder = path[:start] if is_folder else \
            path[:start].rpartition("/")[0] or "/"
        os.lstat(folder)
    except (FileNotFoundError, NotADirectoryError):
        TOLD.append(path)
        notes.append(NOTE % ascii(path[:SHOWN_MAX])[1:-1])
    except (OSError, TypeError, ValueError):
        pass  # it is for the function itself to say


def is_given(path, notes):
    """Whether a file of this name is where those are that the call names; note
    that, if there is none at the path.
    """
    there = os.environ.get("HOME", "/workspace") + "/in/" + \
        os.path.basename(path)
    if there.endswith("/") or not os.path.isfile(there):
        return False
    if not os.path.lexists(path):
        TOLD.append(path)
        notes.append(IN % (ascii(path[:SHOWN_MAX])[1:-1],
                           ascii(there[:SHOWN_MAX])[1:-1]))
    return True
