"""Starts a box that has three descriptors only, such as a container.

    python3 -I -X utf8 FOLDER/three.py [PROGRAM NAME [ARGUMENT ...]]

FOLDER is this folder, at any path; it may be read-only.  HOME and TMPDIR must
be writable.  Descriptor 0 carries frames from the relay, 1 frames to the relay,
and 2 errors of this process; 0 and 1 must be pipes.  The process forks: the
child becomes the bootstrap, as a native box starts it, or the bootstrap of
another language, which is PROGRAM with its argv from NAME on.  Its output and
its frames come through pipes to the parent, which runs pump.py.  This file is
compiled at each start, so it is short.
"""
# What this interpreter gives to every script.
NAMES = dict(globals(), __doc__=None)

import os  # noqa: E402
import sys  # noqa: E402
from _frozen_importlib_external import SourceFileLoader  # noqa: E402

OURS = __file__.rpartition("/")[0] + "/"
ASIDE = 32  # above all descriptors of this process
MOST = 256  # as many as a box may have


def load(name):
    """Return the code of one of ours."""
    return SourceFileLoader(name, OURS + name + ".py").get_code(name)


def arrange(*descriptors):
    """Make these 0 to 4, and close all others."""
    for place, descriptor in enumerate(descriptors):
        os.dup2(descriptor, ASIDE + place)
    for place in range(len(descriptors)):
        os.dup2(ASIDE + place, place)
    os.closerange(len(descriptors), MOST)


def renew(number, name):
    """Give the code a stream that was made for what the descriptor is now."""
    old = getattr(sys, name)
    new = open(number, old.mode, encoding=old.encoding, errors=old.errors,
               newline="\n", closefd=False)
    new.buffer.raw.name, new.mode = old.name, old.mode
    new.reconfigure(line_buffering=old.line_buffering)
    setattr(sys, name, new)
    setattr(sys, "__%s__" % name, new)


def go_first():
    """Have the kernel kill the code, not the pump, where memory is short."""
    try:
        file = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(file, b"1000")
        os.close(file)
    except OSError:
        pass  # without /proc the kernel chooses


def become_program(path, *names):
    """Become the bootstrap of another language."""
    import _signal
    for number in _signal.SIGPIPE, _signal.SIGXFSZ:  # ignored by Python
        _signal.signal(number, _signal.SIG_DFL)
    os.execv(path, names)


def become_code(*pipes):
    """Return the bootstrap, all being as a native box starts it."""
    os.setsid()  # signals to the group of the code do not reach the pump
    arrange(os.open("/dev/null", os.O_RDONLY), *pipes)
    if sys.argv[1:]:
        go_first()
        become_program(*sys.argv[1:])
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        renew(number, name)
    go_first()
    names, code = globals(), load("bootstrap")
    first = dict(NAMES, __file__=OURS + "bootstrap.py")
    names.clear()
    names.update(first)
    return code


def main():
    """Fork, and return the code of the child in it."""
    for descriptor in 0, 1:
        os.set_blocking(descriptor, True)
    out, errors, said = os.pipe(), os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        return become_code(out[1], errors[1], 0, said[1])
    for pipe in out, errors, said:
        os.close(pipe[1])
    names = {"__name__": "caisson_pump"}
    exec(load("pump"), names)
    return names["run"](child, out[0], errors[0], said[0])


exec(main())
