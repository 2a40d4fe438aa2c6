"""How threads and event loops wait for an answer."""
from time import monotonic

LONGEST = 1 << 20  # seconds that are waited at a time; locks take no more


def left(until):
    """Return how many seconds are left; -1 is for ever, as locks have it."""
    return -1 if until is None else min(max(until - monotonic(), 0), LONGEST)


def let_through(error):
    """Raise what a signal handler raised, such as TimeoutError: no errno."""
    if isinstance(error, OSError) and error.errno is None:
        raise error


class Watch:
    """An event loop that waits: for how much, and whether it looks.

    idle is what waits in its place: None, where that has not been tried yet.
    """

    __slots__ = ("count", "looks", "idle")

    def __init__(self):
        self.count, self.looks, self.idle = 0, False, None


class Opener:
    """Wakes a thread that waits for a request: opens its gate, if it is shut.

    The mutex of the wire is held.
    """

    __slots__ = ("gate",)

    def __init__(self, gate):
        self.gate = gate

    def __call__(self):
        """Open it."""
        if self.gate.locked():
            self.gate.release()
