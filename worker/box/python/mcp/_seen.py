"""The last results of the code, and the hints and notes that use them.

An error that comes from a result is explained by the shape of that result;
notes at the end of the code report what it may not have noticed.
"""
import sys
from _weakref import ref

TOOLS_MAX = 64  # of which the last result is kept
KEPT_MAX = 64 << 10  # bytes of one that is kept for this alone
GIVEN_MAX = 4096  # bytes of arguments that are kept
NOTES_MAX = 3  # on tools that had more
SEEN = {}  # by the name of the tool: Seen, the last one last
KINDS = KeyError, TypeError, IndexError, AttributeError, ValueError
# In errors of code that awaits, or runs, what it cannot.
AWAITING = "can't be used in 'await' expression", "a coroutine was expected"
REFUSED_MAX = 64  # errors that are remembered
REFUSED = {}  # notes on errors that were not shown, by keys of theirs
TAKEN = []  # notes on names that were taken for others


class Seen:
    """The last result of a tool."""

    __slots__ = ("name", "result", "strong", "shape", "arguments", "schema",
                 "more")

    def __init__(self, name, result, strong, arguments=b"{}", schema=None):
        self.name, self.shape, self.more = name, None, None
        self.arguments, self.schema = arguments, schema
        self.result = ref(result)
        self.strong = result if strong else None


def keep(result, name, size, arguments, schema):
    """Note the result of a tool, which came in so many bytes.

    arguments: what the call was given, as JSON; schema: what it takes.
    """
    if not SEEN:
        from ._teach import learn
        learn()
    result._tool = name
    SEEN.pop(name, None)
    SEEN[name] = Seen(name, result, size <= KEPT_MAX, *(
        (arguments, schema) if len(arguments) <= GIVEN_MAX else ()))
    if len(SEEN) > TOOLS_MAX:
        del SEEN[next(iter(SEEN))]
    if size > KEPT_MAX:
        result.__dict__["_seen"] = SEEN[name]


def refused(wrong, server, tool):
    """Return the error about arguments, which is told if no code shows it."""
    from ._result import ArgumentError
    error = ArgumentError(wrong, server, tool)
    text = str(error)
    if len(REFUSED) < REFUSED_MAX:
        error._note = object()
        REFUSED[error._note] = \
            "note: the code caught an error and did not show it: %s\n" % text
    return error


def keep_shape(result):
    """Note the shape of a result that is too large to be kept."""
    seen = result.__dict__.pop("_seen", None)
    if seen:
        from ._more import more_of
        from ._shape import shape_of
        seen.shape = shape_of(result.__dict__["_data"])
        seen.more = more_of(result, seen.arguments, seen.schema)


def notes(failed, code=None):
    """Return what there is to note at the end: names that were taken for
    others, and, of code that has not failed, refused arguments that it did not
    show, what it has counted, and tools that had more than it has read.
    """
    if failed:
        return TAKEN
    from ._counted import COUNTED, missed
    from ._more import more_of, words_of
    found, words = [], words_of(code)
    for seen in list(SEEN.values()):
        result = seen.result()
        if seen.more is None and result is not None and \
                not result.is_error and "_seen" not in result.__dict__:
            seen.more = more_of(result, seen.arguments, seen.schema)
        if seen.more and seen.more[1] not in words:
            found.append("note: %s: %s\n" % (seen.name, seen.more[0]))
    hidden = list(dict.fromkeys(REFUSED.values()))
    return TAKEN + hidden[:NOTES_MAX] + (COUNTED or missed(words)) + \
        found[:NOTES_MAX]


def structured(text):
    """Return the structured content beside this text in a result, or None.
    """
    for seen in reversed(list(SEEN.values())):
        result = seen.result()
        if result is None or not isinstance(text, str):
            continue
        found = dict.get(result, "structuredContent")
        if isinstance(found, (dict, list)) and (
                text == result.text or any(
                    isinstance(block, dict) and block.get("text") == text
                    for block in dict.get(result, "content") or ())):
            return found
    return None


def about_error(error, trace):
    """Return the line about an error that comes from a result, or None."""
    from ._result import ArgumentError
    if not SEEN or hasattr(error, "told") or not isinstance(
            error, KINDS) or isinstance(error, (ArgumentError, UnicodeError)):
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
            asks = result is not None and _shape.about_text(
                error, each, result)
            if asks:
                return "hint: %s\n" % asks
            place = result is not None and _places.about(error, result.data)
            return "hint: %s%s .data is %s\n" % (
                place + "; " if place else "", seen.name,
                _shape.described(seen))
    return None


def held(frame):
    """Return the results that a frame holds: calls that run at once are often
    of one tool, and SEEN has only the last of its results.
    """
    from ._result import Result
    return [Seen(each._tool, each, False)
            for each in frame.f_locals.values()
            if isinstance(each, Result) and each._tool]
