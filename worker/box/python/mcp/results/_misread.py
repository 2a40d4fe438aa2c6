"""The note on a result that code may have misread without getting an error: a
key that no result has, asked for by .get(); keys, characters or blocks that are
counted as items; a result that is compared with a value, or taken for its data.
"""
from ._values import clean

KEYS_MAX = 5  # that are told
SHOWN_MAX = 40  # characters of what .get() returned
INT_BITS = 128  # of an integer that is shown as one
LOOKED_MAX = 10000  # values of a result that are looked at
MISSES_MAX = 8
TOLD = []  # the first of what was done with one that may be a mistake
MISSES = {}  # by key: what .get() returned for it, and the keys that there were
# In keys that may well be missing, as on the last of several pages.
OPTIONAL = "error", "warning", "next", "cursor", "more", "page", "token", \
    "prev"
# In names of tools that return several things.
SEVERAL = "list", "search", "find", "query"
# What code names that reads more of a result than its length, or its blocks.
READS = {"text", "data", "structuredContent", "blocks", "type"}
COUNTS = "len", "count"
NONE = ".get(%r) has returned %s, as there is no such key: the dict has %s"
LIST = ("the .data of %s is a dict: len() counts its keys (%s); its list %r "
        "has %d items")
CHARACTERS = "the .data of %s is a text: len() counts its characters"
BLOCKS = ("the .content of %s is a list of blocks: .text is their text, .data "
          "what that is")


def tell(text, frame, name=None):
    """Remember what the code, or pandas, does in a frame.

    name: in the code of the frame, where something else may do it, too.
    """
    if not TOLD and frame.f_globals.get("__name__", "").partition(".")[0] in (
            "__main__", "pandas") and (
                name is None or name in frame.f_code.co_names):
        TOLD.append(text)


def miss(part, key, default, frame):
    """Remember that code asked for a key that a dict lacks."""
    if len(MISSES) < MISSES_MAX and isinstance(key, str) and part and \
            key not in MISSES and frame.f_globals.get(
                "__name__") == "__main__" and (is_none(default) or not any(
                    value is default for value in part.values())) and \
            type(default) is not object:  # as the statement "match" has it
        MISSES[key] = shown(default), list(part)


def is_none(default):
    """Return whether a default is one for nothing, which values may be, too."""
    return default is None or type(default) in (bool, int, str) and not default


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

    words: strings and names in the code; results: the names and the last
    results of tools.
    """
    found = missed(words, [result for _, result in results]) or counted(
        words, results) or TOLD
    return list(map(clean, found[:1]))


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
        similar = [name for name in names
                   if isinstance(name, str) and is_part(key, name)]
        if words.intersection(similar) or len(similar) != 1 and any(
                word in key.lower() for word in OPTIONAL) or any(
                    has_key(data, key) for data in known):
            continue
        found.append(NONE % (key, default, ", ".join(
            map(str, (similar or names)[:KEYS_MAX]))))
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


def counted(words, results):
    """Return notes on what code counts that does not name what is in it."""
    found = []
    for name, result in results:
        data = result.data
        if "content" in words and words.isdisjoint(READS) and \
                not words.isdisjoint(COUNTS):
            found.append(BLOCKS % name)
        elif "len" not in words:
            continue
        elif isinstance(data, dict):
            lists = [key for key, value in data.items()
                     if isinstance(value, list) and value]
            if len(lists) == 1 and words.isdisjoint(
                    repr(key) if key == "data" else key for key in data):
                found.append(LIST % (name, ", ".join(map(
                    str, list(data)[:KEYS_MAX])), lists[0],
                    len(data[lists[0]])))
        elif isinstance(data, str) and words.isdisjoint(
                ("text", *dir(str))) and any(
                    word in name.lower() for word in SEVERAL):
            found.append(CHARACTERS % name)
    return found
