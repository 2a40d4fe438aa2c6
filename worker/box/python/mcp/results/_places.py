"""Finds a key that the code has guessed in the data of a result.

Run only when an error has ended the code.
"""
import re

from . import _values
from ._similar import close_names
from ._values import clean

PARTS_MAX = 5000  # of a result that are looked at
ITEMS_MAX = 3  # of a list that are looked into
PATH_MAX = 100  # characters of a place
KEY_MAX = 60  # characters of a key
SPELLED = 0.75  # of difflib: how alike keys are at least
GUESSED = re.compile(r"has no (?:attribute )?'(\w+)'")


def guessed(error):
    """Return the key, or the name of a member, that there is not; or None."""
    if isinstance(error, KeyError) and error.args:
        key = error.args[0]
    elif isinstance(error, AttributeError):
        found = GUESSED.search(str(error))
        key = found and found.group(1)
    else:
        return None
    return key if isinstance(key, str) and 0 < len(key) <= KEY_MAX else None


def about(error, data):
    """Return a sentence about the key that code has guessed, or None."""
    key = guessed(error)
    if key is None:
        return None
    known = {}
    for path, part in parts(data):
        if isinstance(part, dict):
            if key in part:
                return "%s is in .data%s" % (shown(key), path)
            for each in part:
                if isinstance(each, str):
                    known.setdefault(each, path)
        else:
            some = in_some(key, path, part)
            if some:
                return some
    close = close_names(key, known, SPELLED)[:1]
    return "did you mean %s, in .data%s?" % (
        shown(close[0]), known[close[0]]) if close else None


def parts(data):
    """Yield the dicts and lists of data with their places, outer ones first.
    """
    left, count = [("", data)], 0
    while left and count < PARTS_MAX:
        (path, part), count = left.pop(0), count + 1
        if len(path) > PATH_MAX:
            continue
        yield path, part
        inner = part.items() if isinstance(part, dict) \
            else enumerate(part[:ITEMS_MAX])
        left += [("%s[%s]" % (path, _values.place(name)), each)
                 for name, each in inner if isinstance(each, (dict, list))]


def in_some(key, path, items):
    """Return a sentence about a key that some items of a list lack."""
    have = sum(1 for item in items if isinstance(item, dict) and key in item)
    if not 0 < have < len(items):
        return None
    return "%d of the %d items of .data%s have %s: use .get(%s)" % (
        have, len(items), path, shown(key), shown(key))


def shown(key):
    """Return a key as code writes it."""
    return clean(_values.quoted(key))
