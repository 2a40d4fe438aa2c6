"""Reports the bars of tqdm as progress of the code.

Run by offer.py when the code imports tqdm, or where it was imported before.  Of
nested bars the outer one counts; consecutive bars add up.
"""
from weakref import ref

BARS = []  # the one that counts: a reference to it
BEFORE = [0]  # what those before it have done


def teach(module):
    """Have bars tell what they show, whenever they do, and that they end."""
    kind = getattr(module, "tqdm", None)
    display = getattr(kind, "display", None)
    close = getattr(kind, "close", None)
    if display is None or close is None:
        return
    from functools import wraps

    @wraps(display)
    def display_and_tell(self, *args, **more):
        result = display(self, *args, **more)
        tell(self)
        return result

    @wraps(close)
    def close_and_tell(self, *args, **more):
        tell(self)
        result = close(self, *args, **more)
        end(self)
        return result

    kind.display, kind.close = display_and_tell, close_and_tell


def tell(bar):
    """Tell how far a bar is, if it is the one that counts."""
    try:
        if BARS and BARS[0]() is None:
            BARS.clear()
        if not BARS and not bar.disable:
            BARS.append(ref(bar))
        if not BARS or BARS[0]() is not bar:
            return
        from mcp import _progress
        total = getattr(bar, "total", None)
        _progress.tell(BEFORE[0] + bar.n, BEFORE[0] + total if total else None,
                       getattr(bar, "desc", None))
    except (AttributeError, TypeError, ValueError):
        pass  # it counts something else than numbers


def end(bar):
    """A bar has ended: the next one begins where it was."""
    if BARS and BARS[0]() is bar:
        BARS.clear()
        BEFORE[0] += bar.n
