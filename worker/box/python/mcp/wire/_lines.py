"""Splits the data that is read from the relay into lines.

A signal handler may raise an exception anywhere, so every step here can be
repeated safely.  A line for which there is no memory is skipped.
"""
import os
from collections import deque

from ._wait import let_through

CHUNK = 1 << 16  # what a pipe holds
ANSWER = b'{"type":"rpc_response","id":'
NUMBER_END = len(ANSWER) + 20


class Lines:
    """The chunks that were read, and the lines that are whole."""

    def __init__(self, source):
        self.source = source
        self.chunks, self.seen, self.lines = [], 0, deque()
        self.starved = False  # there was no memory to read or join them
        self.skips = False  # the line that begins in them is dropped
        self.poll = None

    def is_readable(self, seconds):
        """Whether there is something to read, in so many seconds."""
        import select
        return bool(select.select((self.source,), (), (), seconds)[0])

    def is_ready(self):
        """Whether there is something to read now; the mutex is held."""
        if self.poll is None:
            import select
            poll = select.poll()
            poll.register(self.source, select.POLLIN)
            self.poll = poll.poll
        return bool(self.poll(0))

    def read(self):
        """Read once; a chunk cannot get lost, as in flush()."""
        try:
            self.chunks.extend(map(os.read, (self.source,), (CHUNK,)))
        except MemoryError:
            self.starved = True
        except OSError as error:
            let_through(error)
            self.chunks.append(b"")

    def is_behind(self):
        """Whether something was read that is not delivered yet."""
        return bool(self.lines) or self.seen < len(self.chunks)

    def gather(self):
        """Make lines of the chunks; returns whether the pipe has ended.

        Stops early where it starves.
        """
        ended = False
        while self.seen < len(self.chunks) and not (ended or self.starved):
            chunk = self.chunks[self.seen]
            ended = not chunk
            if self.skips and chunk:
                self.skip()
            elif b"\n" in chunk:
                self.split()
            elif chunk:
                self.seen += 1
        return ended

    def split(self):
        """Make lines of the chunks; to do it twice does no harm.

        Only the last chunk has ends of lines, and the others may be large.
        """
        end = self.seen + 1
        try:
            lines = self.chunks[self.seen].split(b"\n")
            lines[0] = b"".join(self.chunks[:self.seen] + lines[:1])
        except MemoryError:
            self.starved = True
            return
        rest = lines.pop()
        self.lines.extend(lines)
        self.seen = 0
        self.chunks[:end] = [rest] if rest else []

    def shorten(self):
        """Keep, of the line that begins in the chunks, its begin; returns it.

        It is empty where none has begun.
        """
        self.seen = 0
        # What begins the line is in the first of them.  The others go before
        # anything here needs memory, one by one, as that takes none.
        while len(self.chunks) > NUMBER_END and (
                b"\n" not in self.chunks[NUMBER_END]):
            del self.chunks[NUMBER_END]
        while self.chunks and self.chunks[0][:1] == b"\n":  # of one skipped
            rest = self.chunks[0][1:]
            self.chunks[:1] = [rest] if rest else []
        line = b"".join([chunk[:NUMBER_END]
                         for chunk in self.chunks[:NUMBER_END]])
        line = line[:NUMBER_END].split(b"\n")[0]
        end = 0
        while end < len(self.chunks) and b"\n" not in self.chunks[end]:
            end += 1
        if line:
            self.chunks[:end] = [line]
        return line

    def skip(self):
        """Drop a chunk of a line that was given up, or the line's end."""
        end = self.chunks[0].find(b"\n")
        if end == -1:
            del self.chunks[0]
            return
        self.chunks[0] = self.chunks[0][end:]
        self.skips = False
