"""Starts a box that has three descriptors only, such as a container.

    python3 -I -X utf8 FOLDER/three.py [PROGRAM NAME [ARGUMENT ...]]

FOLDER is this folder, at any path; it may be read-only.  HOME and TMPDIR must
be writable.  Descriptor 0 carries frames from the relay, 1 frames to the relay,
and 2 errors of this process; 0 and 1 must be pipes.  The process forks: the
child becomes the bootstrap, as a native box starts it, or the bootstrap of
another language, which is PROGRAM with its argv from NAME on.  Its output and
its frames come through pipes to the parent, which runs pump.py.  See halves.py:
that file was compiled when Caisson was built, and this one is compiled at each
start, so it is short.  An interpreter of another version than the one of the
build compiles all of our files at each start.
"""
# What this interpreter gives to every script.
NAMES = dict(globals(), __doc__=None)

from _frozen_importlib_external import SourceFileLoader  # noqa: E402

OURS = __file__.rpartition("/")[0] + "/"


def load(name):
    """Return the code of one of ours."""
    return SourceFileLoader(name, OURS + name + ".py").get_code(name)


exec(load("halves"))
exec(main())  # noqa: F821
