"""Splits the data that is read from the relay into lines.

A signal handler may raise an exception anywhere, so every step here can be
repeated safely.
"""
import os
from collections import deque

from ._wait import let_through

CHUNK = 1 << 16  # what a pipe holds
NEWLINE = 10  # looked for as a number, as bytes look for numbers first


class Lines:
    """The chunks that were read, and the lines that are whole."""

    def __init__(self, source):
        self.source = source
        self.chunks, self.seen, self.lines = [], 0, deque()
        self.starved = False  # there was no memory to read
        self.skips = False  # the line that comes next is dropped
        self.poll = None  # waits for the source
        self.reads = 0  # how many were begun

    def is_readable(self, seconds):
        """Whether there is something to read, in so many seconds."""
        if self.poll is None:  # late, as callers that only read need none
            import select
            poll = select.poll()
            poll.register(self.source, select.POLLIN)
            self.poll = poll.poll
        return bool(self.poll(seconds * 1000))

    def read(self):
        """Read once; a chunk cannot get lost, as in flush()."""
        self.reads += 1
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
        """Make lines of the chunks; returns whether the pipe has ended."""
        ended = False
        while self.seen < len(self.chunks) and not ended:
            chunk = self.chunks[self.seen]
            ended = not chunk
            if self.skips and chunk:
                self.skips = NEWLINE not in chunk
                self.chunks[:1] = filter(None, [chunk.partition(b"\n")[2]])
            elif NEWLINE in chunk:
                self.split()
            elif chunk:
                self.seen += 1
        return ended

    def split(self):
        """Make lines of the chunks; to do it twice does no harm.

        Only the last chunk has ends of lines, and the others may be large.
        """
        end = self.seen + 1
        lines = self.chunks[self.seen].split(b"\n")
        if self.seen:
            lines[0] = b"".join(self.chunks[:self.seen] + lines[:1])
        rest = lines.pop()
        self.lines.extend(lines)
        self.seen = 0
        self.chunks[:end] = [rest] if rest else []
