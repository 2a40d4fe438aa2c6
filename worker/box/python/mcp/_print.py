"""The output of one value that is larger than the kept part of a stream.

The relay keeps the head and the tail of such a text, which cannot be parsed.
If one write contains a value in JSON or Python syntax, as much of it as fits is
written as JSON, and a line after it says what is missing.  This applies once a
call has received large results; a text that fits is written unchanged.
"""
import os
import stat
import sys
from _io import TextIOWrapper

from . import _values

LARGEST = 16 << 20  # characters of a text that is looked at
WHOLE = 3  # items of a list: where fewer fit, the first ones share the room
SHARED = 8  # items of a list that share it
MEMBER = 16  # bytes of a member of a dict, its name included, at least
PLACES = 3  # that a line tells of
LINE = 400  # bytes that are kept free for it
LESS = "select, count or summarise in the code, and print that"
WORDS = {"None": "null", "True": "true", "False": "false"}
TOKENS = r"""'[^'\\]*'|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[A-Za-z]+"""


class Full(Exception):
    """A value has more bytes than were asked for."""


class Writer:
    """The method write of a stream, as the code has it from now on.

    plain is that method as it was; most is what the relay keeps of a stream.
    """

    def __init__(self, stream, most):
        self.stream, self.plain, self.most = stream, stream.write, most
        self.left = most  # but for what was written here
        self.pipe = pipe_of(stream)

    def __call__(self, text):
        """Write a text, or what fits of a value that is too large."""
        if type(text) is str and self.most // 4 < len(text) <= LARGEST \
                and self.is_large(text):
            part = None
            if self.pipe is not None and self.pipe == pipe_of(self.stream):
                part = shortened(text, self.left // 2 - LINE)
            if part is not None:
                self.left -= len(part)
                self.plain(part + "\n" * text.endswith("\n"))
                return len(text)
        return self.plain(text)

    def is_large(self, text):
        """Whether a text has more bytes than are kept of a stream."""
        return len(text) > self.most or len(
            text.encode("utf-8", "backslashreplace")) > self.most


def begin(most):
    """Have writes to the streams of the code cut what has more bytes."""
    for stream in sys.stdout, sys.stderr:
        if type(stream) is TextIOWrapper and type(stream.write) is type(len):
            stream.write = Writer(stream, most)


def pipe_of(stream):
    """Return which pipe a stream writes to, or None."""
    try:
        found = os.fstat(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISFIFO(found.st_mode) \
        else None


def shortened(text, room):
    """Return what fits of the value that a text is, and the line behind it.

    None, where it is none that can be cut.
    """
    told = []
    try:
        value = value_of(text)
        if room < LINE or not isinstance(value, (dict, list)):
            return None
        part = _values.write(cut(value, room, "", told), "value").decode()
    except (MemoryError, RecursionError, SyntaxError, TypeError, ValueError,
            _values.Unfit):
        return None
    places = ["%d more %s%s" % (count, kind, path and " in " + path)
              for path, count, kind in told[:PLACES]]
    if told[PLACES:]:
        places.append("more in %d other places" % len(told[PLACES:]))
    return "%s\n[... cut from %d bytes, with %s: %s ...]" % (
        part, len(text.encode("utf-8", "backslashreplace")),
        ", ".join(places), LESS)


def value_of(text):
    """Return the value that a text is, as JSON or as Python writes it.

    Raises ValueError, or what reading raises, for what is none.
    """
    if not text.lstrip()[:1] in ("[", "{"):
        raise ValueError("it is neither a list nor a dict")
    try:
        return _values.read(text)
    except ValueError:
        import re
        return _values.read(re.sub(TOKENS, json_of, text))


def json_of(token):
    """Return a string or a word of Python as JSON has it."""
    text = token.group()
    if text[0] not in "'\"":
        return WORDS.get(text, text)
    if "\\x" in text or "\\U" in text:
        from ast import literal_eval
        return _values.quoted(literal_eval(text))
    inside = text[1:-1]
    if text[0] == "'":
        inside = inside.replace("\\'", "'").replace('"', '\\"')
    return '"%s"' % inside


def measure(value, most):
    """Return how many bytes a value has as JSON; most, where it has more."""
    left = most

    def put(part):
        nonlocal left
        left -= len(part) if part.isascii() else len(part.encode())
        if left < 0:
            raise Full

    try:
        _values.write_value(value, put, 0)
    except Full:
        return most
    return most - left


def cut(value, room, path, told):
    """Return a value, or of a larger one what fits; tell what is missing."""
    if measure(value, room + 1) <= room:
        return value
    if isinstance(value, str):
        return cut_text(value, room, path, told)
    if isinstance(value, dict):
        return cut_dict(value, room, path, told)
    if isinstance(value, (list, tuple)):
        return cut_list(value, room, path, told)
    return value


def cut_text(value, room, path, told):
    """Return the beginning of a text."""
    count = min(len(value), room)
    while count and measure(value[:count], room) > room - 4:
        count = count * 3 // 4
    told.append((path, len(value) - count, "characters"))
    return value[:count] + "..."


def cut_list(value, room, path, told):
    """Return the first items of a list.

    Where fewer than WHOLE fit, the first few are cut in turn.
    """
    count, left = 0, room - 2
    while count < len(value):
        left -= measure(value[count], max(left, 0) + 1) + 1
        if left < 0:
            break
        count += 1
    if count >= WHOLE:
        told.append((path, len(value) - count, "items"))
        return value[:count]
    first = value[:SHARED]
    if len(value) > SHARED:
        told.append((path, len(value) - SHARED, "items"))
    shares = allot([measure(item, room) + 1 for item in first], room - 2)
    return [cut(item, share - 1, "%s[%d]" % (path, at), told)
            for at, (item, share) in enumerate(zip(first, shares))]


def cut_dict(value, room, path, told):
    """Return a dict whose large values are cut, or its first members."""
    names, left = [], room - 2
    for name in value:
        left -= measure(name, room) + 2 + MEMBER
        if left < 0:
            break
        names.append(name)
    if len(names) < len(value):
        told.append((path, len(value) - len(names), "keys"))
    if not names:
        return {}
    most = max(room * MEMBER // len(names), MEMBER)
    shares = allot([measure(value[name], min(room, most)) + 1
                    for name in names], left + (MEMBER * len(names)))
    return {name: cut(value[name], share - 1, "%s[%s]" % (
        path, _values.quoted(name)), told)
        for name, share in zip(names, shares)}


def allot(sizes, room):
    """Return how much of the room each gets: the small ones what they need."""
    shares = [0] * len(sizes)
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    for done, at in enumerate(order):
        shares[at] = max(min(sizes[at], room // (len(sizes) - done)), 0)
        room -= shares[at]
    return shares
