"""The value of the last expression of code that prints nothing.

The relay knows what was printed: it is asked, and then given the text.
"""
import sys
from itertools import islice
from types import CoroutineType

from . import _state
from ._call import Call
from ._result import MCPError, Result

MOST = 2048  # bytes of the text; the relay refuses more
SHOWN = 1900  # of them, where the text is cut
MANY = list, tuple, set, frozenset, dict  # each item takes a byte at least
UNAWAITED = ("note: the last expression is a %s, and nothing has awaited it: "
             "write 'await' before it\n")
UNSHOWN = ("note: the value of the last expression cannot be shown (%s): print "
           "what is needed of it\n")
# Values of these may be pictures.
DRAWING = {"matplotlib.figure", "PIL.Image"}
SILENT = "the tool failed and did not say why"


def is_future(value):
    """Whether a value is a future, as gather() returns."""
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio.isfuture(value)


def tell(value, notes):
    """Have the text of a value be the answer, if nothing was printed.

    A call is carried out first.  Return whether it is a coroutine, which
    nothing has run.
    """
    if isinstance(value, Call):
        value = value.result()
    if value is None or is_shown(value):
        return False
    is_coroutine = type(value) is CoroutineType
    if is_coroutine or is_future(value) and not value.done():
        notes.append(UNAWAITED % ("coroutine" if is_coroutine else "future"))
    for stream in sys.stdout, sys.stderr:
        try:
            stream.flush()
        except (AttributeError, ValueError):
            pass  # the code has closed it, or put something else there
    try:
        if ask():
            try:
                text = text_of(value)
            except Exception as error:  # of the code's own, or it is too long
                notes.append(UNSHOWN % type(error).__name__)
            else:
                ask(text)
    except MCPError:
        pass  # a child of the code has no answer to give
    return is_coroutine


def is_shown(value):
    """Whether a value is a picture, which is shown, or that was done, or the
    path of a file that was kept, which the answer names.
    """
    files = sys.modules.get("mcp._files")
    if files and type(value) is str and value in files.SAVED:
        return True
    if DRAWING.isdisjoint(sys.modules):
        return False
    from . import _show
    try:
        return _show.show_last(value)
    except (MCPError, RuntimeError, ValueError):
        return False


def ask(text=None):
    """Return whether nothing was printed; then the text is."""
    payload = {"type": "echo"}
    payload.update({} if text is None else {"text": text})
    from ._ask import asking
    return _state.run("echo", asking(payload))


def of_result(result):
    """Return what is shown of a result."""
    if result.is_error:  # never hidden: it must not read as a success
        return result.text.strip() or SILENT
    return str(result)


def quoted(result):
    """Return what is shown of a result in another value."""
    return repr(of_result(result))


def text_of(value):
    """Return what is shown of a value, cut."""
    kind, size = type(value), None
    if kind in MANY and len(value) > SHOWN:  # all of it may take long
        size = "%d items" % len(value)
        value = kind(islice(value.items() if kind is dict else value, SHOWN))
    if isinstance(value, Result):
        text = of_result(value)
    else:  # wherever it holds results, their texts, between quotes
        Result._shown = quoted
        try:
            text = repr(value)
        finally:
            Result._shown = None
    data = text.encode("utf-8", "backslashreplace")
    if len(data) > MOST:
        data = data[:SHOWN] + b" ... (%s in all: print what is needed)" % (
            size or "%d bytes" % len(data)).encode()
    return data.decode("utf-8", "ignore")
