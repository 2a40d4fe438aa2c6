"""The shape of the data of a result: keys and types, without values."""
import re

from ._call import Call
from ._similar import plain_name
from ._values import clean

ITEMS_MAX = 20  # of a list, whose shapes are one
KEYS_MAX = 32  # of a dict; more are taken for data
NAMES_MAX = 12  # of a dict within another
# How deep types are told, and how many characters that may take.
LEVELS = (2, 160), (1, 300), (0, 300)
BEGINNING_MAX = 60  # characters of a text
FOUND_MAX = 5000  # values of a result that are compared
LINES_MAX = 10  # of a statement
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
MADE = str, int, float, list, tuple, type(None)
WORD = re.compile(r"[^\W\d]\w*")


def shape_of(value):
    """Return the shape of a value, cut."""
    for depth, most in LEVELS:
        text = written(value, depth)
        if len(text) <= most:
            return text
    return text[:most] + "..."


def written(value, depth):
    """Return the shape of a value, with types to some depth."""
    if isinstance(value, dict):
        return of_dicts([value], depth)
    if isinstance(value, list):
        return "list[%d]%s" % (len(value), " of " + of_several(
            value[:ITEMS_MAX], depth) if value else "")
    if isinstance(value, bool) or value is None:
        return "bool" if value is not None else "None"
    for kind in int, float, str:
        if isinstance(value, kind):
            return kind.__name__
    return "Any"


def of_several(values, depth):
    """Return the shape of several values: all that each may have."""
    dicts = [value for value in values if isinstance(value, dict)]
    texts = dict.fromkeys(written(value, 0) for value in values
                          if not isinstance(value, dict))
    return " | ".join(([of_dicts(dicts, depth)] if dicts else [])
                      + list(texts))


def of_dicts(values, depth):
    """Return the shape of dicts, as that of one."""
    members = {}
    for value in values:
        for key, each in value.items():
            members.setdefault(key, []).append(each)
    if len(members) > KEYS_MAX or not all(
            isinstance(key, str) and NAME.fullmatch(key) for key in members):
        some = [each for found in members.values() for each in found]
        return "{str: %s}" % of_several(some[:ITEMS_MAX], max(depth - 1, 0))
    if depth == 0:
        more = ["..."] if len(members) > NAMES_MAX else []
        return "{%s}" % ", ".join(list(members)[:NAMES_MAX] + more)
    return "{%s}" % ", ".join("%s: %s" % (key, of_several(
        found[:ITEMS_MAX], depth - 1)
        if len(found) > 1 else written(found[0], depth - 1))
        for key, found in members.items())


def described(seen):
    """Return the shape of the last result of a tool; of a text, how it
    begins.
    """
    result = seen.result()
    if result is None:
        return seen.shape or "gone"
    data = result.data
    if not isinstance(data, str):
        return shape_of(data)
    more = "..." if len(data) > BEGINNING_MAX else ""
    return clean("a str: %r%s" % (data[:BEGINNING_MAX], more))


# Where an error comes from


def origin(trace, seen, by_key):
    """Return the one of the results seen that a failed statement is about,
    or None.

    Values that the statement names are looked up first, then tools that it
    names.  Last, other local variables are tried, as the value that failed may
    be computed from one; not for a KeyError.
    """
    frame = trace.tb_frame
    names = {**frame.f_globals, **frame.f_locals}
    text = statement(trace)
    used = [names[word] for word in WORD.findall(text) if word in names]
    found = find(used, seen)
    if found or any(map(is_frame, used)):
        return found or seen[-1]
    words = set(map(plain_name, WORD.findall(text)))
    for each in reversed(seen):
        if plain_name(each.name.partition(".")[2]) in words:
            return each
    if by_key or not any(isinstance(value, MADE) for value in used):
        return None
    return find(list(frame.f_locals.values())[::-1], seen)


def statement(trace):
    """Return the source of what failed."""
    import linecache
    lines = linecache.getlines(trace.tb_frame.f_code.co_filename)
    first = last = trace.tb_lineno
    if hasattr(trace.tb_frame.f_code, "co_positions"):
        for index, place in enumerate(trace.tb_frame.f_code.co_positions()):
            if index == trace.tb_lasti // 2 and place[0] and place[1]:
                first, last = place[:2]
    return "".join(lines[first - 1:min(last, first + LINES_MAX)])


def find(values, seen):
    """Return the result to which one of some values belongs, or None."""
    for value in values:
        if isinstance(value, Call):
            value = value._value  # None, unless the call was carried out
        if not isinstance(value, (dict, list, str)) or (
                isinstance(value, str) and len(value) < 2):
            continue
        for each in reversed(seen):
            result = each.result()
            if result is not None and (
                    value is result or is_within(value, result)):
                return each
    return None


def is_within(value, result):
    """Whether a value is a part of a result, the same object."""
    left, count = [result.data, dict(dict.items(result))], 0
    while left and count < FOUND_MAX:
        part, count = left.pop(), count + 1
        if part is value:
            return True
        if isinstance(part, dict):
            left.extend(part.values())
        elif isinstance(part, list):
            left.extend(part)
    return False


def about_data(error, trace, result):
    """Return a sentence about a result that is used as its data, or None."""
    known = {**trace.tb_frame.f_globals, **trace.tb_frame.f_locals}
    name = next((name for name in WORD.findall(statement(trace))
                 if known.get(name) is result), "r")
    if str(error).startswith("the JSON object must be"):
        return "%s.data is parsed already: leave out json.loads()" % name
    if isinstance(error, TypeError) and "Result" in str(error) or any(
            isinstance(each, type(result)) for each in error.args):
        return "a result is not its data: write %s.data or %s.text" % (
            name, name)
    if any(map(is_frame, map(known.get, WORD.findall(statement(trace))))):
        return "the frame was made of a result: make it of .data"
    return None


def is_frame(value):
    """Whether a value is a frame of pandas that was made of a result."""
    return type(value).__name__ == "DataFrame" and "content" in value.columns
