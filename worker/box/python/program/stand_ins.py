"""What stands in a box for system calls that it refuses, and nothing else.

TABLE has all that is changed of any library: the module, and what changes it;
what the box refuses, and why, is beside it.  Run by namespace.py
when the code imports such a module, or where it was imported before.
"""
import errno
import os
import sys

import _socket

# A stream takes less than this at once: a caller with more, which sends the
# rest later, is not made to copy all of it each time.
MOST = 1 << 18
# With reduced isolation there is no /dev/shm.
PLACE = "/dev/shm" if os.path.isdir("/workspace") else os.environ.get("TMPDIR")
ORDER = "fileno", "length", "flags", "prot", "access", "offset"


def sendmsg(self, buffers, ancdata=(), flags=0, address=None, /):
    """Send the bytes of several buffers; the kernel refuses descriptors."""
    ancdata = list(ancdata)
    if ancdata:
        return send_more(self, buffers, ancdata, flags, address)
    partly = self.type == _socket.SOCK_STREAM and self.gettimeout() == 0
    data = join(buffers, MOST if partly else sys.maxsize)
    if address is None:
        return self.send(data, flags)
    return self.sendto(data, flags, address)


def send_more(self, buffers, ancdata, flags, address):
    """Send more than bytes, which is refused: say what is not."""
    try:
        return _socket.socket.sendmsg(self, buffers, ancdata, flags, address)
    except PermissionError:
        raise PermissionError(
            errno.EPERM, "descriptors cannot be sent in the sandbox, "
            "only bytes") from None


def join(buffers, most):
    """Return the bytes of the buffers, or the first of them."""
    parts, size = [], 0
    for buffer in buffers:
        part = memoryview(buffer).cast("B")[:most - size]
        parts.append(part)
        size += len(part)
        if size == most:
            break
    return b"".join(parts)


def of_socket(module):
    """Give the sockets of this module that function, if it is Python's."""
    kind = getattr(module, "socket", None)
    if isinstance(kind, type) and issubclass(kind, _socket.socket):
        kind.sendmsg = sendmsg


def of_mmap(module):
    """Have maps that are shared and have no file made of an unnamed file."""
    plain = getattr(module, "mmap", None)
    if not isinstance(plain, type) or not hasattr(module, "MAP_SHARED"):
        return

    def made(cls, *args, **named):
        """Make a map; one that is shared and has no file gets a file."""
        given = dict(zip(ORDER, args), **named)
        length, flags = given.get("length"), given.get("flags", 1)
        if (given.get("fileno") != -1 or not isinstance(length, int)
                or length <= 0 or not flags & module.MAP_SHARED
                or given.get("access") == module.ACCESS_COPY):
            return plain.__new__(cls, *args, **named)
        if given.get("prot", 0) & module.PROT_EXEC:
            # No file can be executed; private memory can.
            given["flags"] = module.MAP_PRIVATE | module.MAP_ANONYMOUS
            return plain.__new__(cls, **given)
        fd = os.open(PLACE, os.O_TMPFILE | os.O_RDWR, 0o600)
        try:
            os.posix_fallocate(fd, given.get("offset", 0), length)
            given["fileno"] = fd
            if "flags" in given:
                given["flags"] &= ~module.MAP_ANONYMOUS
            return plain.__new__(cls, **given)
        finally:
            os.close(fd)

    def shown(self):
        """Return what is shown of it, as of the class it stands for."""
        text = plain.__repr__(self)
        return text.replace("<mmap ", "<mmap.mmap ", 1)

    module.mmap = type("mmap", (plain,), {
        "__new__": made, "__repr__": shown, "__module__": plain.__module__,
        "__doc__": plain.__doc__})


def of_spawn(module):
    """Have new interpreters know mcp, before they import the code."""
    plain = module.get_preparation_data

    def get_preparation_data(name):
        from mcp import _modules
        return dict(plain(name), caisson=_modules.Inherited())

    module.get_preparation_data = get_preparation_data


TABLE = {
    # sendmsg(): it can send descriptors.
    "socket": of_socket,
    # mmap(MAP_SHARED | MAP_ANONYMOUS): the kernel does not report how much of
    # such memory there is, and that of a file in /dev/shm is counted.
    "mmap": of_mmap,
    # A new interpreter has no way to the relay, and has to find a module mcp.
    "multiprocessing.spawn": of_spawn}


def put(module):
    """Put in place what stands for calls of a module."""
    if module.__name__ in TABLE:
        TABLE[module.__name__](module)
