"""Names that are similar to an unknown name.

Compared are the words themselves and the spelling.
The code is told such names; none is taken for another.
"""
from itertools import islice

COMPARED_MAX = 3000  # names that a name is compared with
NAME_MAX = 100  # characters of a name that is compared
BEGINNING_MIN = 2  # characters of a name that another begins with
TOLD_MAX = 3
SHORT = dict(pair.split("=") for pair in """pr=pull num=number \
repo=repository org=organization msg=message desc=description \
dir=directory img=image doc=document lang=language lat=latitude \
lon=longitude lng=longitude qty=quantity addr=address ref=reference \
src=source dst=destination dest=destination tz=timezone expr=expression \
temp=temperature param=parameter config=configuration""".split())
SPELLED = 0.6  # of difflib: how alike names are at least
WORD = "[A-Z]?[a-z]+|[A-Z]+|[0-9]+"


def did_you_mean(name, known):
    """Return a hint at the names that come close."""
    close = close_names(name, known)
    return "; did you mean %s?" % " or ".join(close) if close else ""


def close_names(name, known, least=SPELLED):
    """Return the names that come close, the closest first.

    least: of difflib, how alike names are.
    """
    from difflib import get_close_matches
    name = str(name)[:NAME_MAX]
    low = {each.lower(): each for each in islice(known, COMPARED_MAX)
           if isinstance(each, str) and len(each) <= NAME_MAX}
    spelled = [low[each] for each in get_close_matches(
        name.lower(), low, TOLD_MAX, least)]
    parts = [each for each in low.values() if is_part(name, each)]
    return list(dict.fromkeys(only(parts) + spelled))[:TOLD_MAX]


def only(names):
    """Return the one name that there is; several say nothing."""
    return names if len(names) == 1 else []


def plain_name(name):
    """Return a name without what differs between habits of writing names."""
    return "".join(filter(str.isalnum, name)).lower()


def is_spelled(*names):
    """Whether names differ as readFile, read_file and read-file do, and not
    between digits: 1_2 is not 12. Those of marks only are never alike.
    """
    from re import sub
    one, two = (sub("(?<![-_0-9])[-_]+|(?<![-_])[-_]+(?![-_0-9])", "",
                    name.lower()) for name in names)
    return one == two != ""


def is_part(name, other):
    """Whether one begins the other, or all words of one are in the other."""
    one, two = sorted((plain_name(name), plain_name(other)), key=len)
    if len(one) < BEGINNING_MIN or not two.startswith(one):
        one, two = sorted((words(name), words(other)), key=len)
        return bool(one) and one <= two
    return True


def words(name):
    """Return the words of a name: perPage has per and page."""
    from re import findall
    return {SHORT.get(word, word)
            for word in map(str.lower, findall(WORD, name))}
