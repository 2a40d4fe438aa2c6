"""The file that caisson-box starts the interpreter with: runs script.py.

That file and its parts were compiled when Caisson was built, for the usual
interpreter. An interpreter keeps the memory that it needs to compile its start
file, and a forked box would copy all of it: so this file is short. For the same
reason the code of the parts is kept rather than freed, and a template loads it
last: the memory that boxes use then lies close together.
"""
# Names that this interpreter gives to every script.
NAMES = dict(globals(), __doc__=None)

import sys  # noqa: E402
from _imp import _fix_co_filename as rename  # noqa: E402
from _frozen_importlib_external import SourceFileLoader  # noqa: E402
from os import fstat  # noqa: E402

# One program in one namespace: each uses names of those before it.
PARTS = ("program/ending", "program/report", "program/namespace",
         "program/source", "program/script")
OURS = __file__.rpartition("/")[0] + "/"
OUR_CODE = OURS, "<" + OURS
TEMPLATE = None


def hidden(code, name):
    """Return code by another name of its file: warnings look behind frames of
    importlib._bootstrap for the line that they are about, as behind ours then.
    The brackets say that there is no such file.
    """
    rename(code, "<%simportlib._bootstrap/%s>" % (OURS, name))
    return code


def load(name):
    """Return the code of one of ours."""
    name += ".py"
    return hidden(SourceFileLoader(name, OURS + name).get_code(name), name)


def is_template():
    """Whether there is the supervisor's socket, where others have a pipe."""
    try:
        return fstat(3).st_mode & 0o170000 == 0o140000
    except OSError:
        return False


def prepare():
    """Become the template, as far as no box is concerned."""
    names = {"__name__": "caisson_template"}
    exec(load("template"), names)
    return names.pop("prepare")(OURS)


hidden(sys._getframe().f_code, "bootstrap.py")
if __name__ == "__main__" and is_template():
    TEMPLATE = prepare()
    TEMPLATE.part()
    TEMPLATE.name(lambda: map(load, PARTS))
FOUND = set(sys.modules)
CODES = [*map(load, PARTS)]
for CODE in CODES:
    exec(CODE)
