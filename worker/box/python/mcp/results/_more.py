"""Whether a tool has more items than its last result.

The result says so, or its count is larger than its list.  A program that
ignores the other pages prints a wrong answer without an error, so a note
follows its output.  There is no note if the code requested exactly that many
items, or mentions the member that tells of more.
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
# How many there are in all; and arguments that say where a page begins.
TOTAL = {"total", "totalcount", "totalitems", "totalresults", "totalhits"}
BEGINS = {"page", "offset", "cursor", "after", "before", "skip", "start",
          "token"}
WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
WITHIN = {"pagination", "paging", "pageinfo", "meta", "metadata", "links"}


def more_of(result, arguments):
    """Return a sentence about more than a result has, and the name of what
    tells it; None where nothing does, or the code asked for so much.

    arguments: what the call was given, as JSON.
    """
    data = result.data
    items = items_of(data)
    count = None if items is None else len(items)
    given = _values.read(arguments.decode())
    if count is not None and is_asked(given, count):
        return None
    key = key_of(data) if isinstance(data, dict) else None
    if key is None and count and not any(
            is_of(name, BEGINS) for name in given):
        key = total_of(data, count)
    return None if key is None else ("there is more than %s (%s)" % (
        "its last result" if count is None
        else "the %d of its last result" % count, key),
        key.partition(":")[0].rpartition(".")[2])


def items_of(data):
    """Return the list that a result is, or the longest that it has; or None.
    """
    lists = [data] if isinstance(data, list) else [
        each for each in data.values() if isinstance(each, list)
    ] if isinstance(data, dict) else []
    return max(lists, key=list.__len__, default=None)


def total_of(data, count):
    """Return the name and value of a member that counts more items, or None.
    """
    for name, value in data.items() if isinstance(data, dict) else ():
        if "".join(filter(str.isalnum, str(name))).lower() in TOTAL and \
                type(value) is int and value > count:
            return "%s: %d" % (name, value)
    return None


def words_of(code):
    """Return the names in code, and its strings, as they are and quoted."""
    found, parts = set(), [code] if code else []
    while parts:
        part = parts.pop()
        found.update(part.co_names)
        for const in part.co_consts:
            if isinstance(const, type(code)):
                parts.append(const)
            elif isinstance(const, str):
                found.update((const, repr(const)))
    return found


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


def is_asked(given, count):
    """Whether a call asked for so many."""
    return any(value == count and not isinstance(value, bool)
               for name, value in given.items()
               if isinstance(value, int) and is_of(name, MOST))


def is_of(name, words):
    """Whether the name of an argument has one of some words."""
    return not words.isdisjoint(map(str.lower, WORD.findall(name)))
