"""Arguments under unknown names that can mean only one parameter.

read_file(file_path=...) means path.  A required parameter that is missing may
have any name of that meaning.  An optional one must be a part of the name, as
in git_log(repo_path=...), or be the number of items, or the begin or end of a
time; other names could mean something else.  A note says which name was taken
for which.
"""
from . import _schema
from ._near import MEANINGS, is_meant, plain, words

BEGINNING_MIN = 3  # characters of a name that was cut short: expr
CUT_MIN = 3  # characters that are missing there; fewer are a slip
NOTES_MAX = 5
NOTE = "note: %s.%s: the argument %s was taken for %s\n"
# Words that make another thing of the name behind them.
OTHERS = set("""not no without exclude except ignore skip min max minimum
maximum before after old new parent previous next default last first""".split())
# Names that say only with another word what they are of.
GENERAL = {"id", "name", "number", "key", "type", "value", "index", "code",
           "date", "time"}
COUNTS, = [each for each in MEANINGS if "perpage" in each]
# Those of them that can be the name of nothing else.
CERTAIN = COUNTS - {"n", "num", "size", "max", "first", "top", "take"}
TIMES = [each for each in MEANINGS if "starttime" in each or "endtime" in each]
KEYS, = [each for each in MEANINGS if "id" in each]


def meant(entry, values):
    """Return (name, parameter) of each argument that is unknown; none, where
    not all of them mean one.
    """
    from ._arguments import Fitting
    root = entry.get("inputSchema")
    allowed, required = _schema.rules(root)
    if allowed is None:
        return []
    free = {name: schema for name, schema, _ in _schema.parameters(entry)
            if name not in values}
    found = []
    for name, value in values.items():
        if name in allowed:
            continue
        fitting = []
        for each, schema in free.items():
            trial = Fitting(root)
            trial.value(value, schema, name, 0)
            if not trial.wrong and stands_for(
                    name, each, entry, each in required):
                fitting.append(each)
        needed = [each for each in fitting if each in required] or fitting
        if len(needed) != 1:
            return []
        found.append((name, needed[0]))
    return found if len(found) == len(set(dict(found).values())) else []


def stands_for(name, other, entry, required):
    """Whether a name can mean no other thing than a parameter does."""
    pair = {plain(name), plain(other)}
    if pair <= COUNTS and plain(other) in CERTAIN:
        return True
    if any(pair <= each for each in TIMES):
        return True
    one, two = words(name), words(other)
    if one == two:
        return True
    if required and pair <= KEYS:
        return False
    if required and (is_meant(name, other) or (one and one < two)):
        return not one & OTHERS
    if len(plain(name)) >= BEGINNING_MIN and plain(other).startswith(
            plain(name)) and len(two) == 1:
        return len(plain(other)) - len(plain(name)) >= CUT_MIN
    more = one - two
    if not two or not two < one or more & OTHERS:
        return False
    tool = plain(entry["tool"])
    return not two <= GENERAL or all(
        word.isdigit() or word in tool for word in more)


def apart(entry, values):
    """Return arguments with owner and repo for a repo that has both: acme/api.
    """
    _, required = _schema.rules(entry.get("inputSchema"))
    repo = values.get("repo")
    if "owner" not in required or "owner" in values or not isinstance(
            repo, str) or repo.count("/") != 1 or not all(repo.split("/")):
        return values
    owner, repo = repo.split("/")
    return {**values, "owner": owner, "repo": repo}


def taken(entry, values):
    """Return arguments by the names of the parameters that are meant."""
    values = apart(entry, values)
    names = dict(meant(entry, values))
    return {names.get(name, name): value for name, value in values.items()}


def tell(server, tool, pairs):
    """Note what was taken for what."""
    from ._seen import TAKEN
    from ._servers import clean
    for name, other in pairs:
        note = NOTE % (server, tool, _schema.cut(name), _schema.cut(other))
        if clean(note[:-1]) + "\n" not in TAKEN and len(TAKEN) < NOTES_MAX:
            TAKEN.append(clean(note[:-1]) + "\n")
