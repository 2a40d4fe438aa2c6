"""Names that are similar to an unknown name.

Compared are the meaning of its words, the words themselves, and the spelling.
The code is told such names; none is taken for another.
"""
import re
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
WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
# Names that authors of tools use for the same thing; 'from' and 'to' may be
# of time, of place or of people.
MEANINGS = [set(line.split()) for line in """\
q query search searchquery searchterm term text keyword keywords
path file filename filepath source
dir directory folder path root
limit max maxresults maxitems maxcount count n num size top first take perpage \
pagesize
repo repository project
owner org organization user username account login
body content text message description comment
input text string content
location city place
title name subject summary
start begin since after startdate starttime datefrom
end until before enddate endtime dateto
to recipient recipients email
url uri link href
label labels tag tags
assignee assignees user username login
state status
timezone tz zone
sheet sheetname worksheet tab
sort sortby order orderby
branch ref revision sha commit
data rows records values items
id key identifier number""".split("\n")]


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


def close_parameters(name, known):
    """Return the names of parameters that come close, or mean the same."""
    meant = [each for each in known if is_meant(name, each)]
    return list(dict.fromkeys(only(meant) + close_names(name, known)))


def only(names):
    """Return the one name that there is; several say nothing."""
    return names if len(names) == 1 else []


def plain(name):
    """Return a name without case and marks."""
    return "".join(filter(str.isalnum, name)).lower()


def is_meant(name, other):
    """Whether both names mean the same to authors of tools."""
    pair = {plain(name), plain(other)}
    return any(pair <= meaning for meaning in MEANINGS)


def is_part(name, other):
    """Whether one begins the other, or all words of one are in the other."""
    one, two = sorted((plain(name), plain(other)), key=len)
    if len(one) < BEGINNING_MIN or not two.startswith(one):
        one, two = sorted((words(name), words(other)), key=len)
        return bool(one) and one <= two
    return True


def words(name):
    """Return the words of a name: perPage has per and page."""
    return {SHORT.get(word, word)
            for word in map(str.lower, WORD.findall(name))}
