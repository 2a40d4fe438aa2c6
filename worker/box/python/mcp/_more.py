"""Whether the last result of a tool says that there is more than it has.

A program that ignores the other pages prints a wrong answer without an error,
so a note follows its output.  There is none where the code asked for exactly as
many items as it got.
"""
import re

from . import _values

# Names of members, small and without marks: what comes next, that there is
# more, and what such members may be in.
NEXT = {"nextcursor", "nextpagetoken", "nexttoken", "nextpage"}
MORE = {"hasmore", "hasnext", "hasnextpage", "istruncated",
        "incompleteresults"}
# Words of names of arguments: how many there may be.
MOST = {"limit", "size", "count", "first", "last", "max", "maximum", "top",
        "take", "per", "results", "n", "num", "k"}
WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
WITHIN = {"pagination", "paging", "pageinfo", "meta", "metadata", "links"}


def more_of(result, arguments):
    """Return what tells of more in a result, and how much that has; None:
    nothing does, or the code asked for so much.

    arguments: what the call was given, as JSON.
    """
    data = result.data
    if not isinstance(data, dict):
        return None
    key = key_of(data)
    if key is None:
        return None
    count = max((len(each) for each in data.values()
                 if isinstance(each, list)), default=None)
    if count is not None and is_asked(arguments, count):
        return None
    return key, count


def key_of(data):
    """Return the name of the member that tells of more, or None."""
    for name, value in data.items():
        plain = "".join(filter(str.isalnum, str(name))).lower()
        if plain in MORE and value is True:
            return name
        if plain in NEXT and value and isinstance(value, (str, int)):
            return name
        if plain in WITHIN and isinstance(value, dict):
            inner = key_of({key: each for key, each in value.items()
                            if not isinstance(each, dict)})
            if inner:
                return "%s.%s" % (name, inner)
    return None


def is_asked(arguments, count):
    """Whether a call asked for so many."""
    return any(value == count and not isinstance(value, bool)
               for name, value in _values.read(arguments.decode()).items()
               if isinstance(value, int) and is_most(name))


def is_most(name):
    """Whether an argument of this name says how many there may be."""
    words = WORD.findall(name)
    return not MOST.isdisjoint(map(str.lower, words))


def sentence(name, more):
    """Return the note on a tool."""
    key, count = more
    return "note: %s: there is more than %s (%s)\n" % (
        name, "its last result" if count is None
        else "the %d of its last result" % count, key)
