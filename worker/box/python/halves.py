"""The two processes of a box with three descriptors.

Run by three.py, in its namespace: load(), NAMES and OURS are defined there.
The parent runs pump.py.  In the child, become_code() clears the namespace, for
three.py to run the bootstrap in.
"""
import os
import sys

ASIDE = 32  # above all descriptors of this process
MOST = 256  # as many as a box may have
RELAY = 1
CHUNK = 1 << 16  # what a pipe holds


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
    from _signal import SIG_SETMASK, pthread_sigmask
    pthread_sigmask(SIG_SETMASK, ())  # podman's process 1 has some blocked
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


def pass_on_ready(said):
    """Wait until the child says that it is ready, and pass that on.

    Meanwhile the child has the processor: the pump is needed only then.
    """
    try:
        os.write(RELAY, os.read(said, CHUNK))
    except BrokenPipeError:
        pass  # the pump finds that, too


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
    pass_on_ready(said[0])
    names = {"__name__": "caisson_pump"}
    exec(load("pump"), names)
    return names["run"](child, out[0], errors[0], said[0])
