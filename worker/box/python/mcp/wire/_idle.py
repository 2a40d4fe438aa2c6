"""Waits for an answer in place of an event loop that has nothing else to do.

That spares the loop two turns for each call.  As soon as there is something
else to do, the loop waits itself: it is only watched here, not run.
"""
import os

from ._request import DONE, SENT
from ._wire import WIRE


class Idle:
    """A loop that may be idle.

    What the loop has to do has no public name in asyncio; other loops are
    never idle.
    """

    __slots__ = ("source", "ready", "timers", "poll")

    def __init__(self, loop, source):
        import select
        self.source, self.poll = source, None
        try:
            self.ready, self.timers = loop._ready, loop._scheduled
            poll = select.poll()
            poll.register(source, select.POLLIN)
            # Readable, if any file is that the loop watches, or it is woken.
            poll.register(loop._selector.fileno(), select.POLLIN)
            self.poll = poll.poll
        except (AttributeError, OSError, TypeError, ValueError):
            pass

    def is_idle(self, loop):
        """Whether the loop has nothing to do now."""
        return (self.poll is not None and not self.ready
                and not loop._stopping and not loop.get_debug())

    def wait(self, loop):
        """Wait for an answer, or for something else to do.

        Returns whether there is an answer, and nothing else to do.
        """
        pause = None
        if self.timers:
            pause = (self.timers[0].when() - loop.time()) * 1000
            if pause < 1:
                return False
        found = self.poll(pause)
        return len(found) == 1 and found[0][0] == self.source


def nothing():
    """Do nothing: a loop that is woken for it looks around."""


def hasten(loop, request):
    """Wait for a request, as long as the loop has nothing else to do.

    Returns whether the request is done.
    """
    if request.state != SENT or os.getpid() != WIRE.pid:
        return request.state == DONE

    def wake():
        if loop is not WIRE.running:  # or it is awake, and looks around
            WIRE.tell(loop, nothing)

    with WIRE.mutex:
        watch = WIRE.loops.get(loop) or WIRE.add(loop)
        idle = watch.idle
        if idle is None:
            idle = watch.idle = Idle(loop, WIRE.source)
        if watch.count or WIRE.lines or WIRE.chunks or WIRE.frame or \
                WIRE.queue or not idle.is_idle(loop):
            return False
        if watch.looks:  # or it would never be idle
            WIRE.look_away(loop, watch)
        watch.count += 1
        request.wakes.append(wake)
    try:
        while request.state == SENT and WIRE.reader is None and \
                not idle.ready:
            reads = WIRE.reads
            if not idle.wait(loop):
                break
            WIRE.on_readable(loop, watch, reads)
    finally:
        WIRE.unwatch(watch, request, wake)
    return request.state == DONE
