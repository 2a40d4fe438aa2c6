"""The note on a key that code has asked for by .get() and that no result has.

Its default reads as a value of the server, and no error tells of it.
"""
from ._values import clean

KEYS_MAX = 5  # that are told
SHOWN_MAX = 40  # characters of what .get() returned
INT_BITS = 128  # of an integer that is shown as one
LOOKED_MAX = 10000  # values of a result that are looked at
MISSES_MAX = 8
MISSES = {}  # by key: what .get() returned for it, and the keys that there were
# In keys that may well be missing, as on the last of several pages.
OPTIONAL = "error", "warning", "next", "cursor", "more", "page", "token", \
    "prev"
NONE = ".get(%r) has returned %s, as there is no such key: the dict has %s"


def miss(part, key, default, frame):
    """Remember that code asked for a key that a dict lacks."""
    if len(MISSES) < MISSES_MAX and isinstance(key, str) and part and \
            key not in MISSES and frame.f_globals.get(
                "__name__") == "__main__" and not any(
                    value is default for value in part.values()) and \
            type(default) is not object:  # as the statement "match" has it
        MISSES[key] = shown(default), list(part)


def shown(default):
    """Return how a note tells a default; nothing of the code runs for it."""
    kind = type(default)
    if default is None or kind in (bool, float, str) or \
            kind is int and default.bit_length() <= INT_BITS or \
            kind in (list, dict, tuple) and not default:
        return repr(default)[:SHOWN_MAX]
    return "its default"


def notes(words, results):
    """Return what is told, at most one thing.

    words: strings and names in the code; results: the last ones of tools.
    """
    return list(map(clean, missed(words, results)[:1]))


def missed(words, results):
    """Return notes on keys that no result has, unless the code names the keys
    that come close.

    Where a key may well be missing, a note tells only if one is close.
    """
    if not MISSES:
        return []
    from ._similar import is_part
    found, known = [], [result.data for result in results]
    for key, (default, names) in MISSES.items():
        near = [name for name in names
                if isinstance(name, str) and is_part(key, name)]
        if words.intersection(near) or len(near) != 1 and any(
                word in key.lower() for word in OPTIONAL) or any(
                    has_key(data, key) for data in known):
            continue
        found.append(NONE % (key, default, ", ".join(
            map(str, (near or names)[:KEYS_MAX]))))
    return found


def has_key(data, key):
    """Whether some part of a result has a key."""
    left, looked = [data], 0
    while left and looked < LOOKED_MAX:
        value = left.pop()
        looked += 1
        if isinstance(value, dict):
            if key in value:
                return True
            left += value.values()
        elif isinstance(value, list):
            left += value
    return bool(left)
