"""What a call gives its code: standard input, and variables.

Run by script.py, where a run frame has them.
"""
import os
import sys
from binascii import a2b_base64


def set_stdin(descriptor):
    """Make this file standard input, from its start."""
    old = sys.__stdin__
    os.dup2(descriptor, 0)
    os.close(descriptor)
    new = open(0, encoding=old.encoding, errors=old.errors, closefd=False)
    new.buffer.raw.name = old.name
    sys.stdin = sys.__stdin__ = new


def written(data, folder):
    """Return a descriptor of a file with these bytes, which has no name."""
    path = folder + "/.stdin"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(path)
    with open(file, "wb", closefd=False) as stream:
        stream.write(data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def set_variables(values):
    """Set each variable, or remove it where its value is None."""
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    if "TZ" in values:
        import time
        time.tzset()


def take(frame, folder):
    """Give the code what the frame has; return what undoes that."""
    values, stdin = frame.get("environment", {}), frame.get("stdin")
    if stdin is not None:
        set_stdin(written(a2b_base64(stdin), folder))
    before = {name: os.environ.get(name) for name in values}
    set_variables(values)

    def undo():
        set_variables(before)
        if stdin is not None:
            set_stdin(os.open("/dev/null", os.O_RDONLY))
    return undo
