"""The last results of the code, and the hints and notes that use them.

An error that comes from a result is explained by the shape of that result;
notes at the end of the code report what it may not have noticed.
"""
import sys
from _weakref import ref

from ._result import REFUSED, ArgumentError, Result

TOOLS_MAX = 64  # of which the last result is kept
KEPT_MAX = 64 << 10  # bytes of one that is kept for this alone
GIVEN_MAX = 4096  # bytes of arguments that are kept
NOTED_MAX = 3  # of what one note tells
SEEN = {}  # by the name of the tool: Seen, the last one last
KINDS = KeyError, TypeError, IndexError, AttributeError, ValueError
# In errors of code that awaits, or runs, what it cannot.
AWAITING = "can't be used in 'await' expression", "a coroutine was expected", \
    "async_generator", "_GatheringFuture"


class Seen:
    """The last result of a tool."""

    __slots__ = "name", "result", "strong", "shape", "arguments", "more"

    def __init__(self, name, result, strong, arguments=b"{}"):
        self.name, self.shape, self.more = name, None, None
        self.arguments = arguments
        self.result = ref(result)
        self.strong = result if strong else None

    def keep_shape(self, result):
        """Note the shape of the result, which is too large to be kept."""
        from ._more import more_of
        from ._shape import shape_of
        self.shape = shape_of(result.__dict__["_data"])
        self.more = more_of(result, self.arguments)


def keep(result, name, size, arguments):
    """Note the result of a tool, which came in so many bytes.

    arguments: what the call was given, as JSON.
    """
    result._tool = name
    SEEN.pop(name, None)
    SEEN[name] = Seen(name, result, size <= KEPT_MAX, *(
        (arguments,) if len(arguments) <= GIVEN_MAX else ()))
    if len(SEEN) > TOOLS_MAX:
        del SEEN[next(iter(SEEN))]
    if size > KEPT_MAX:
        result.__dict__["_seen"] = SEEN[name]


def notes(failed, code=None):
    """Return the one note at the end of code that has not failed: on keys
    that there are, on refused arguments that it did not show, and on tools
    that had more.
    """
    if failed:
        return []
    from ._more import more_of, words_of
    found, words = [], words_of(code)
    for seen in list(SEEN.values()):
        result = seen.result()
        if seen.more is None and result is not None and \
                not result.is_error and "_seen" not in result.__dict__:
            seen.more = more_of(result, seen.arguments)
        if seen.more and seen.more[1] not in words:
            found.append("%s: %s" % (seen.name, seen.more[0]))
    misread = []
    if "len" in words or "count" in words or "mcp._misread" in sys.modules:
        from ._misread import notes as noted
        misread = noted(words, results())
    told = [*misread, *dict.fromkeys(REFUSED.values()), *found][:NOTED_MAX]
    return ["note: %s\n" % "; ".join(told)] if told else []


def results():
    """Return the names and the last results of tools, of this program."""
    found = [(seen.name, seen.result()) for seen in list(SEEN.values())
             if seen.more != ()]
    return [(name, result) for name, result in found
            if result is not None and not result.is_error]


def about_error(error, trace):
    """Return the line about an error that comes from a result, or None."""
    if not SEEN or hasattr(error, "told") or isinstance(
            error, (ArgumentError, UnicodeError)) or not (
                isinstance(error, KINDS) or any(
                    isinstance(each, Result) for each in error.args)):
        return None
    if any(each in str(error) for each in AWAITING) or isinstance(
            getattr(error, "obj", None), (type, type(sys))):
        return None  # what is awaited is wrong, or a module, not a result
    from . import _places, _shape
    frames = []
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") == "__main__":
            frames.append(trace)
        trace = trace.tb_next
    for each in reversed(frames):
        seen = _shape.origin(
            each, held(each.tb_frame) + list(SEEN.values()),
            isinstance(error, KeyError))
        if seen:
            result = seen.result()
            place = result is not None and (
                _shape.about_data(error, each, result) or
                _places.about(error, result.data))
            return "hint: %s%s .data is %s\n" % (
                place + "; " if place else "", seen.name,
                _shape.described(seen))
    return None


def held(frame):
    """Return the results that a frame holds: calls that run at once are often
    of one tool, and SEEN has only the last of its results.
    """
    return [Seen(each._tool, each, False)
            for each in frame.f_locals.values()
            if isinstance(each, Result) and each._tool]
