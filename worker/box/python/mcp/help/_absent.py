"""A note on files of the user that code has looked for in the sandbox.

os.path.exists() returns False for them and glob.glob() nothing, so a program
prints that there are none.  No function is changed for the note: the texts in
the code are looked at when it has ended.
"""
import os

NOTE = ("note: %s is not in the sandbox, nor are other files of the user: use "
        "tools of servers for them\n")
IN = "note: %s is not here: the file is %s\n"
SHOWN_MAX = 200  # characters of a path
WILD = "*?["


def about(code):
    """Return the note on the first such path in some code, in a list."""
    home = os.environ.get("HOME", "/workspace")
    for text in texts_of(code):
        given = home + "/in/" + os.path.basename(text)
        if is_missing(text, home):
            shown = ascii(text[:SHOWN_MAX])[1:-1]
            return [IN % (shown, given) if os.path.isfile(given)
                    else NOTE % shown]
    return []


def texts_of(code):
    """Yield the strings of some code, and of the functions in it."""
    for const in code.co_consts:
        if isinstance(const, str):
            yield const
        elif type(const) is type(code):
            yield from texts_of(const)


def is_missing(path, home):
    """Whether a text is a path to where nothing of the code's can be."""
    if not path.startswith(("/", "~/")) or "\0" in path or any(
            path.startswith(place + "/") and os.access(place, os.W_OK)
            for place in (home, os.environ.get("TMPDIR", "/tmp"), "/data")):
        return False
    start = min((path.find(mark) for mark in WILD if mark in path),
                default=len(path))
    folder = path[:start].rpartition("/")[0]
    return bool(folder) and not os.path.isdir(folder)
