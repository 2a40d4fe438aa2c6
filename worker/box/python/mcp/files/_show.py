"""Shows values: pictures are sent to the relay, in order with the text; text
is printed.

Imported when the code shows something.
"""
import os
import sys
from binascii import b2a_base64

from . import _box, _picture

MOST = 8  # pictures of an answer; the relay refuses more
ROOM_MAX = (1 << 20) // 4 * 3  # bytes of one, of which base64 has more
ALL_MAX = 4 << 20  # bytes of all of them, as base64
ROOM_MIN = 64 << 10  # with less, a picture is not worth it
TITLE_MAX = 200  # characters
ROWS_MAX, COLUMNS_MAX = 60, 20  # of a table
SHOWN = "_shown_here"  # as in plots.py
CHILD = ("only the first process of the code can show pictures, not a child "
         "of it: save the picture to a file, and show that there")
MORE = ("note: %s not shown: an answer has at most %d pictures and %d MB of "
        "them; show fewer, or several in one figure (plt.subplots)\n")
CHANGED = "note: picture %d was %s, as it was too large\n"


class State:
    """What was shown so far."""

    sent, size = 0, 0  # pictures, and bytes of them as base64
    more = 0  # pictures for which there was no room
    asked = False  # whether the code asked for any
    notes = []


def show(value, title=None):
    """Show a picture, or print what is none."""
    State.asked = True
    for part in parts_of(value):
        show_one(part, title)


def show_one(value, title):
    """Show what has no parts."""
    source = _picture.source_of(value)
    if source is None:
        if isinstance(value, str) and value.lstrip().startswith("<svg"):
            raise ValueError(_picture.UNKNOWN % "an SVG is")
        if title is not None:
            print("%s:" % title)
        print(text_of(value))
        return
    send(source, title_of(value) if title is None else title)
    mark(value)


def display(values):
    """Show values, as the function of this name does in a notebook."""
    for value in [part for value in values for part in parts_of(value)]:
        try:
            source = _picture.source_of(value)
        except (OSError, ValueError):
            source = None
        if source is None:
            print(text_of(value))
        else:
            State.asked = True
            send(source, title_of(value))
            mark(value)


def parts_of(value):
    """Return the blocks of what a tool returned, if pictures are among them;
    of all else the value alone.
    """
    calls = sys.modules.get("mcp._call")
    if calls and isinstance(value, calls.Call):
        value = value.result()
    blocks = dict.get(value, "content") if isinstance(value, dict) else None
    if not isinstance(blocks, list) or not any(map(_picture.is_block, blocks)):
        return [value]
    return [block["text"] if isinstance(block, dict)
            and dict.get(block, "type") == "text" else block
            for block in blocks]


def show_figure(figure, asked=True):
    """Show a figure of matplotlib."""
    State.asked = State.asked or asked
    vars(figure)[SHOWN] = True
    send(_picture.source_of(figure), title_of(figure))


def show_last(value):
    """Show the value of the last expression; return whether it is a picture.

    A figure may have been shown before.
    """
    figure = _picture.figure_of(value)
    if figure is None and not _picture.is_of(value, "PIL.Image", "Image"):
        return False
    if figure is None or SHOWN not in vars(figure):
        send(_picture.source_of(value), title_of(value))
        mark(value)
    return True


def title_of(value):
    """Return what a picture is called that has no title, or None."""
    if isinstance(value, (str, os.PathLike)):
        return os.path.basename(value)
    figure = _picture.figure_of(value)
    return _picture.title_of(figure) if figure is not None else None


def mark(value):
    """Note in a figure that it was shown."""
    figure = _picture.figure_of(value)
    if figure is not None:
        vars(figure)[SHOWN] = True


def text_of(value):
    """Return what is printed of a value; of a table all columns."""
    if _picture.is_of(value, "pandas", "DataFrame"):
        return value.to_string(max_rows=ROWS_MAX, max_cols=COLUMNS_MAX)
    return str(value)


def room():
    """Return how many bytes a picture may have; 0: there is no room."""
    left = (ALL_MAX - State.size) // 4 * 3
    return min(left, ROOM_MAX) if State.sent < MOST and left >= ROOM_MIN else 0


def send(source, title=None):
    """Send a picture behind the text, or count it where there is no room."""
    if os.getpid() != _box.pid:
        raise RuntimeError(CHILD)
    most = room()
    try:
        picture = source(most) if most else None
    except _picture.TooLarge:
        if most == ROOM_MAX:
            raise
        picture = None  # alone it may have had room
    if picture is None:
        State.more += 1
        return
    payload = {"type": "show", "kind": picture.kind, "data": b2a_base64(
        picture.data, newline=False).decode()}
    if title is not None:
        from ._values import clean
        payload["title"] = clean(str(title)[:TITLE_MAX]).replace("\0", " ")
    flush()
    from . import _ask, _state
    _state.run("show", _ask.asking(payload))
    State.sent += 1
    State.size += len(payload["data"])
    if picture.change:
        State.notes.append(CHANGED % (State.sent, picture.change))


def flush():
    """Have what was printed so far come before the picture."""
    for stream in sys.stdout, sys.__stdout__:
        try:
            stream.flush()
        except (AttributeError, ValueError):
            pass  # the code has closed it, or put something else there


def was_asked():
    """Whether the code has asked for any picture."""
    return State.asked


def notes():
    """Return what there is to say of pictures at the end."""
    if State.more:
        count = "%s more %s" % (
            format(State.more, ","),
            "picture was" if State.more == 1 else "pictures were")
        State.notes.append(MORE % (count, MOST, ALL_MAX >> 20))
        State.more = 0
    return State.notes
