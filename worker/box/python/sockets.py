"""sendmsg() of sockets in a box: sends bytes, as send() does.

The system call of that name is refused there, because it can send descriptors.
But asyncio (from Python 3.12 on) and other libraries use it for bytes.
"""
import errno
import sys

import _socket

# A stream takes less than this at once: a caller with more, which sends the
# rest later, is not made to copy all of it each time.
MOST = 1 << 18


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


def change(module):
    """Give the sockets of this module that function, if it is Python's."""
    kind = getattr(module, "socket", None)
    if isinstance(kind, type) and issubclass(kind, _socket.socket):
        kind.sendmsg = sendmsg
