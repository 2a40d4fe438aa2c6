"""A hint about a file or folder that the code cannot use.

Run only when an error has ended the code.
"""
import errno
import os
import re
import sys
from linecache import getline

from . import _box
from ._files import TEXT, keeps, place

FILES = ("the sandbox has no files of the user: use tools of servers%s; write "
         "files of the code to %s")
GONE = ("each call begins with an empty working directory: files of earlier "
        "calls are gone; for those of the user, use tools of servers%s")
CONTINUED = ("/data has only the files that calls with the same conversationId "
             "left there")
FULL = ("a writable folder is full: each holds a quarter of the memory limit "
        "of the sandbox (CAISSON_MEMORY), /data too; remove files in it")
READ_ONLY = ("files can be written in the working directory, not there; they "
             "are gone after the call, so print what is needed of them")
WRITE = ("write it to /workspace/out: files there come back with the answer; "
         "other folders of this machine cannot be written")
FOLDER = ("the folder %s does not exist: create it, or write to "
          "/workspace/out, whose files come back with the answer")
IN = "the file is %s"
NOT_GIVEN = ("/workspace/in has the files that the call names: name it in the "
             "argument files, if run_python has that")
NOWHERE = "non-existent directory: "  # in errors of pandas
PATH_MAX = 100  # characters of a path that is told
STORED = ("/workspace", "/tmp", "/dev", "/proc", "/usr", "/etc", "/lib")
WRITES = re.compile(
    r"""["'][rbt]*[wax][bt+]*["']|\bwrite_\w+\(|\bsave(fig|txt)?\(|\bmkdir\("""
    r"""|\bmakedirs\(|\bto_(csv|excel|json|html|parquet|markdown|pickle)\("""
    r"""|Writer\(|\bimwrite\(""")
MOVES = r"\b(copy\w*|move|rename|replace)\(.*,\s*[\"']%s[\"']"


def about(error, trace):
    """Return a sentence about an error of the system, or None."""
    if TEXT in str(error):
        return None
    if not keeps():
        return about_reading(error) if is_missing(error) else \
            READ_ONLY if error.errno == errno.EROFS else None
    if error.errno == errno.ENOSPC:
        return FULL
    if error.errno == errno.EROFS:
        return WRITE
    if NOWHERE in str(error):
        folder = str(error).partition(NOWHERE)[2].strip("'\"")
        return about_writing(folder + "/")
    if not is_missing(error) or not isinstance(error.filename, str):
        return None
    hint = None
    if writes(line_of(trace), error.filename):
        hint = about_writing(error.filename)
    return hint or about_given(error.filename) or about_reading(error)


def is_missing(error):
    """Whether a file is not there, or not for the code."""
    return isinstance(error, (FileNotFoundError, PermissionError,
                              NotADirectoryError))


def line_of(trace):
    """Return the source of the line of the code that has failed."""
    line = ""
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") == "__main__":
            line = getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return line


def writes(line, path):
    """Whether a line writes, as far as it shows, to a path."""
    return bool(WRITES.search(line) or re.search(
        MOVES % re.escape(path), line))


def about_writing(path):
    """Return a sentence about a path that cannot be written."""
    folder, home = os.path.dirname(path), os.path.dirname(place())
    data = "/data/" if os.access("/data", os.W_OK) else "/tmp/"
    if not (os.path.abspath(path) + "/").startswith(
            (home + "/", "/tmp/", data)) or path.startswith("~"):
        return WRITE
    return None if not folder or os.path.isdir(folder) else \
        FOLDER % ascii(folder[:PATH_MAX])[1:-1]


def about_given(path):
    """Return a sentence about a path of an input, or None."""
    given = os.path.dirname(place()) + "/in"
    there = "%s/%s" % (given, os.path.basename(path))
    if os.path.isfile(there):
        return IN % ascii(there[:PATH_MAX])[1:-1]
    return NOT_GIVEN if (os.path.abspath(path) + "/").startswith(
        given + "/") else None


def about_reading(error):
    """Return a sentence about a file that cannot be used."""
    path = error.filename
    if not isinstance(path, str) or not path or os.path.lexists(path):
        return None
    if os.path.abspath(path).startswith("/data/") and os.path.isdir("/data"):
        return CONTINUED
    is_similar = not path.startswith("/") or path.startswith(STORED[0]) or (
        path.startswith(STORED) and os.path.isdir(os.path.dirname(path)))
    if path.startswith("~") or not is_similar:
        return FILES % (reader(), place() if keeps() else
                        "the working directory")
    return None if path.startswith(STORED[2:]) or hasattr(
        _box, "session") else GONE % reader()


def reader():
    """Return the tool that reads files, as it is called, behind a word."""
    from ._lists import is_deprecated
    servers = sys.modules.get("mcp._state")
    for state in servers.KNOWN.values() if servers else ():
        for alias, entry in state.aliases.items():
            if alias.startswith("read") and "file" in alias and \
                    not is_deprecated(entry):
                return ", as await mcp_%s.%s(path=...)" % (state.alias, alias)
    from . import _hints
    for told in _hints.servers() or ():
        if "file" in told["name"].lower() or told["alias"] == "fs":
            return ", as help(mcp_%s) shows" % told["alias"]
    return ""
