"""Which tools fit what was asked for: words against words.

Words of the query are compared with those of the names, the descriptions and
the parameters of every tool: whole words count most, then parts of words,
then words with a slip in them.  A rare word tells more than a common one.
"""
import re
from math import log

QUERY_MAX = 32  # words
WORD_MAX = 40  # characters
TEXT_MAX = 1000  # characters of a description
PARAMETERS_MAX = 50  # of a tool
LEAST = 0.2  # of the best score; less is noise
TOOL, SERVER, PARAMETER, FIRST, REST = 5.0, 1.5, 1.5, 2.0, 1.0
COMMON = frozenset(
    "a an and any are as at be by can do does for from how i in into is it "
    "me my need of on or please some that the these this to tool tools use "
    "using want what when which with".split())
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
WORD = re.compile(r"[^\W_]+")


def words(text):
    """Return the words of a text, in lower case; fooBar has two."""
    return [word[:WORD_MAX] for word
            in WORD.findall(HUMP.sub(" ", text).lower())]


def rank(query, entries, limit):
    """Return the best entries, each with its score from 0 to 1."""
    asked = list(dict.fromkeys(words(query)))
    asked = [word for word in asked if word not in COMMON] or asked
    asked, found = asked[:QUERY_MAX], {}
    index, whole = make_index(entries), 0.0
    for word in asked:
        best = hits(word, index)
        rarity = log(2 + len(entries) / (1 + len(best)))
        whole += rarity * TOOL
        for number, value in best.items():
            found[number] = found.get(number, 0) + rarity * value
    order = sorted(found, key=lambda number: (
        -round(found[number], 9), entries[number]["server"],
        entries[number]["tool"]))
    least = found[order[0]] * LEAST if order else 0
    return [(entries[number], round(found[number] / whole, 3))
            for number in order[:limit] if found[number] >= least]


def make_index(entries):
    """Return, by word, the weight that it has in each entry."""
    index = {}
    for number, entry in enumerate(entries):
        for text, weight in texts(entry):
            for word in words(text):
                weights = index.setdefault(word, {})
                if weights.get(number, 0) < weight:
                    weights[number] = weight
    return index


def texts(entry):
    """Yield the texts of an entry, with what a word in them weighs."""
    yield entry["tool"], TOOL
    yield "".join(words(entry["tool"])), TOOL
    yield entry["server"], SERVER
    described = entry.get("description")
    if isinstance(described, str):
        first, _, rest = described[:TEXT_MAX].partition("\n")
        yield first, FIRST
        yield rest, REST
    from ._schema import parameters
    for name, schema, _ in parameters(entry)[:PARAMETERS_MAX]:
        yield name[:TEXT_MAX], PARAMETER
        about = schema.get("description") if isinstance(schema, dict) else 0
        if isinstance(about, str):
            yield about[:TEXT_MAX], REST


def hits(word, index):
    """Return what a word of the query is worth in each entry that it fits."""
    best, slips = {}, word not in index
    for other, weights in index.items():
        value = likeness(word, other, slips)
        if value:
            for number, weight in weights.items():
                if best.get(number, 0) < value * weight:
                    best[number] = value * weight
    return best


def likeness(word, other, slips):
    """Return how much of a match two words are, from 0 to 1."""
    if word == other:
        return 1.0
    share = min(len(word), len(other)) / max(len(word), len(other))
    if len(word) >= 2 and other.startswith(word):
        return 0.5 + 0.4 * share
    if len(other) >= 3 and word.startswith(other):
        return 0.9 * share
    if len(word) >= 3 and word in other:
        return 0.6 * share
    if slips and len(word) >= 4 and (
            word[0] == other[0] or word[1:3] == other[1:3]
            or word[:2] == other[1::-1]):
        allowed = 1 if len(word) < 8 else 2
        count = distance(word, other, allowed)
        return 0.8 - 0.15 * count if count <= allowed else 0.0
    return 0.0


def distance(one, other, most):
    """Return how many slips lie between two words; above most is any."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before, row = None, list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1,
                           before[j - 1] + (a != b)))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                row[j] = min(row[j], last[j - 2] + 1)
        if min(row) > most:
            return most + 1
    return row[-1]
