"""Notes on results that code misreads without getting an error.

A program that takes the number of keys or characters of an answer for the
number of items, or looks up a list by a missing key, prints a wrong result;
the note corrects that.
"""
import sys

COUNTED = []  # the notes
KEYS = ("note: len() of the .data of %s counts its keys (%s); its list %r has "
        "%d items\n")
BLOCKS = ("note: len() of the .content of %s counts its blocks; its .data is "
          "a list of %d items\n")
KEYS_MAX = 5  # that are told
NOTES_MAX = 3
MISSED = ("note: the .data of %s has no %r, so .get() has returned []; its "
          "keys are %s, and its list %r has %d items\n")
FOUND = ("note: the .data of %s has no %r, so its one list, %r, was taken for "
         "it\n")
FRAME = "note: the frame has the list %r of the .data of %s\n"
MEMBERS = ("note: .%s() of the result of %s reads the MCP answer, not its "
           "data: write .data.%s()\n")
EQUAL = ("note: a part of a result, {%s: ...}, was compared with a text, and "
         "its only value was taken\n")
UNEQUAL = ("note: a part of a result, {%s}, was compared with a text, which it "
           "never equals: compare one of its values\n")
OPTIONAL = "error", "warning"  # in keys that may well be missing
# In keys that the last page of several has not, and others have.
PAGES = "next", "cursor", "more", "page", "token", "prev"
MISSES = {}  # by key: what .get() returned for it, and the keys that there were
MISSES_MAX = 8
LOOKED_MAX = 10000  # values of a result that are looked at
SHOWN_MAX = 40  # characters of what .get() returned
NONE = "note: no result has %r, so .get(%r) returned %s: its parts have %s\n"
TEXT = "note: the .data of %s is a text: len() counts its characters\n"
# What the one list of a result is called.
LISTS = "items", "results", "entries", "records", "rows", "data", "list"
# In names of tools that return several things.
SEVERAL = "list", "search", "find", "query"


class Told(str):
    """A text that a tool returns which returns several things."""

    __slots__ = ("tool",)

    def __len__(self):
        """Return how many characters it has, which the code may not mean."""
        frame = sys._getframe(1)
        if is_counted(frame):
            COUNTED.append(TEXT % self.tool)
        return super().__len__()

    def __reduce__(self):
        """Copies are plain."""
        return str, (str.__str__(self),)


Told.__name__ = Told.__qualname__ = "str"


def told(text, tool):
    """Return the data of a tool that is a text, Told where that returns
    several things.
    """
    name = tool.rpartition(".")[2].lower()
    if not any(word in name for word in SEVERAL):
        return text
    found = Told(text)
    found.tool = tool
    return found


def is_counted(frame):
    """Whether code of the user calls len() in this frame, for the first time.
    """
    from opcode import opname
    return frame.f_globals.get("__name__") == "__main__" and not COUNTED and \
        "len" in frame.f_code.co_names and opname[
            frame.f_code.co_code[frame.f_lasti]].startswith("CALL")


def count(part, frame, unless_named=False):
    """Note that a frame counts the keys of a dict that is all of a result.

    Where one of its members is a list, it is more likely meant; unless_named:
    not where the code names the list elsewhere.
    """
    if not is_counted(frame):
        return
    from ._seen import SEEN
    from ._servers import clean
    lists = [key for key, value in part.items() if isinstance(value, list)]
    if len(lists) != 1 or unless_named and \
            lists[0] in frame.f_code.co_consts + frame.f_code.co_names:
        return
    for seen in list(SEEN.values()):
        result = seen.result()
        if result is not None and result.data is part:
            COUNTED.append(KEYS % (
                seen.name, clean(", ".join(map(str, list(part)[:KEYS_MAX]))),
                clean(lists[0]), len(part[lists[0]])))


def count_blocks(blocks, frame):
    """Note that a frame counts the blocks of a result whose data is a list."""
    if not is_counted(frame):
        return
    from ._seen import SEEN
    for seen in list(SEEN.values()):
        result = seen.result()
        if result is not None and dict.get(result, "content") is blocks and \
                isinstance(result.data, list):
            add(BLOCKS % (seen.name, len(result.data)))


def miss(part, key, default):
    """Return the default, and note that code asks for a list by a key that a
    whole result lacks.
    """
    from ._caller import caller
    lists = [name for name, value in part.items()
             if isinstance(value, list) and value]
    if not lists or any(word in str(key) for word in OPTIONAL) or \
            caller().f_globals.get("__name__") != "__main__":
        return default
    from ._seen import SEEN
    from ._servers import clean
    for seen in list(SEEN.values()):
        result = seen.result()
        if result is None or result.data is not part:
            continue
        add(clean(MISSED % (
            seen.name, key, ", ".join(map(str, list(part)[:KEYS_MAX])),
            lists[0], len(part[lists[0]]))))
    return default


def miss_value(part, key, default, frame):
    """Note that the code asks for a value by a key that a part lacks."""
    if len(MISSES) >= MISSES_MAX or not isinstance(key, str) or \
            key in MISSES or not part or frame.f_globals.get(
                "__name__") != "__main__" or any(
                    word in key.lower() for word in OPTIONAL + PAGES):
        return
    if not any(value is default for value in part.values()):
        MISSES[key] = default, list(part)


def missed(words):
    """Return notes on keys that code asks for and no result has, unless it
    names the keys that come close.

    words: strings and names in the code.  Where .get() returned None, the code
    may have looked whether there is such a key: a note tells if one is close.
    """
    from ._near import is_part
    from ._seen import SEEN
    from ._servers import clean
    found = []
    results = [seen.result() for seen in list(SEEN.values())]
    for key, (default, names) in MISSES.items():
        near = [name for name in names
                if isinstance(name, str) and is_part(key, name)]
        if words.intersection(near) or default is None and len(
                near) != 1 or any(
                has_key(result.data, key) for result in results
                if result is not None):
            continue
        text = repr(default)[:SHOWN_MAX]
        found.append(clean(NONE % (key, key, text, ", ".join(
            map(str, (near or names)[:KEYS_MAX])))))
    return found[:1]


def has_key(data, key):
    """Whether some part of a result has a key."""
    left, looked = [data], 0
    while left and looked < LOOKED_MAX:
        value = left.pop()
        looked += 1
        if isinstance(value, dict):
            if key in value:
                return True
            left += dict.values(value)
        elif isinstance(value, list):
            left += value
    return bool(left)


def only_text(part):
    """Return the text that is the only value of a dict, or None."""
    value = next(iter(part.values())) if dict.__len__(part) == 1 else None
    return value if isinstance(value, str) else None


def is_text(part, text):
    """Whether a text is the only value of a dict in a result, as of {"login":
    "hana"}.

    A note tells where code compares dicts with texts.
    """
    from ._caller import caller
    value = only_text(part)
    told = text and caller().f_globals.get("__name__") == "__main__"
    if told:
        from ._servers import clean
        names = clean(", ".join(map(str, list(part)[:KEYS_MAX])))
        add((UNEQUAL if value is None else EQUAL) % names)
    return value == text


def one_list(part, key):
    """Return the name of the one list of a whole result, where a key that the
    result lacks says that it is a list, or what its tool lists; or None.

    A note tells of it.
    """
    lists = [name for name, value in part.items()
             if isinstance(value, list)]
    if len(lists) != 1 or not isinstance(key, str):
        return None
    from ._seen import SEEN
    from ._servers import clean
    for seen in list(SEEN.values()):
        result = seen.result()
        if result is not None and result.data is part and (
                key in LISTS and is_lister(seen.name) or
                is_named(key, seen.name)):
            add(clean(FOUND % (seen.name, key, lists[0])))
            return lists[0]
    return None


def sole_list(part):
    """Return the name of the one list of a whole result, and the name of the
    tool; or None.
    """
    lists = [name for name, value in part.items() if isinstance(value, list)]
    from ._seen import SEEN
    for seen in list(SEEN.values()) if len(lists) == 1 else ():
        result = seen.result()
        if result is not None and result.data is part:
            return lists[0], seen.name
    return None


def rows_of(data, frame):
    """Return the one list of dicts of a whole result, where a frame of pandas
    is made of the result, and all else as it is.

    frame: the code, which may name the list, and then means what it gives.
    """
    found = sole_list(data) if isinstance(data, dict) else None
    rows = found and dict.__getitem__(data, found[0])
    code = frame.f_code
    if not rows or found[0] in code.co_consts or found[0] in code.co_names \
            or not all(isinstance(each, dict) for each in rows) or any(
                isinstance(value, dict) for value in dict.values(data)):
        return data
    from ._servers import clean
    add(clean(FRAME % (found[0], found[1])))
    return rows


def is_lister(tool):
    """Whether a tool is named as one that lists things."""
    from ._names import plain_name
    return plain_name(tool.rpartition(".")[2]).startswith(SEVERAL)


def is_named(key, tool):
    """Whether a key is what a tool that lists is named after: list_issues has
    issues.
    """
    from ._names import plain_name
    plain = plain_name(key) if isinstance(key, str) else ""
    name = plain_name(tool.rpartition(".")[2])
    return len(plain) > 1 and name.endswith(plain) and name.startswith(SEVERAL)


def is_listed(rows, key):
    """Whether a list is all of a result, and a key is what its tool lists."""
    from ._seen import SEEN
    for seen in list(SEEN.values()):
        result = seen.result()
        if result is not None and result.data is rows:
            return is_named(key, seen.name)
    return False


def members(result, name, found):
    """Return members of the answer, and note that code asks for them."""
    from ._caller import caller
    frame = caller()
    if frame.f_globals.get("__name__") == "__main__" and \
            name in frame.f_code.co_names and isinstance(result.data, dict):
        add(MEMBERS % (name, result._tool, name))
    return found


def add(note):
    """Add a note, once."""
    if note not in COUNTED and len(COUNTED) < NOTES_MAX:
        COUNTED.append(note)
