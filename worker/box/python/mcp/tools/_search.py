"""Ranks tools for a search by comparing words.

Words of the query are compared with those of the names, the descriptions and
the parameters of every tool.  A whole word counts more than the beginning of
one, that more than a part, and a word with a slip in it least; a name counts
more than what is said about it, and a rare word more than a common one.
"""
import re
from math import log

QUERY_MAX = 32  # words
WORD_MAX = 40  # characters
TEXT_MAX = 1000  # characters of a description
PARAMETERS_MAX = 50  # of a tool
ABOUT_MAX = 3000  # characters of the descriptions of its parameters
LEAST = 0.1  # of the best score; less is noise
# What a word weighs in each field, as fields() returns them.
WEIGHTS = 1.0, 0.9, 0.5, 0.45, 0.4, 0.3, 0.25, 0.2
# What is like a word is worth: another number of it; the beginning of a word,
# or a part (at least, and more the more of it); a word with slips.
NUMBER, BEGINS, PART, SLIPS = 0.95, (0.55, 0.35), (0.2, 0.25), 0.4
SPELLED = 0.74  # of difflib: how alike words with slips are at least
MISSING = 0.45  # what a score is worth where almost all words are missing
COMMON = frozenset(
    "a an and any are as at be by can do does for from how i in into is it "
    "me my need of on or please some that the these this to tool tools use "
    "using want what when which with".split())
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
WORD = re.compile(r"[^\W_]+")


def words(text):
    """Return the words of a text, in lower case; fooBar has two."""
    return [word[:WORD_MAX]
            for word in WORD.findall(HUMP.sub(" ", text).lower())]


def rank(query, index, limit):
    """Return the best entries of an index, each with its score from 0 to 1.
    """
    asked = list(dict.fromkeys(words(query)))
    asked = [word for word in asked if word not in COMMON] or asked
    asked, entries, most = asked[:QUERY_MAX], index.entries, 0.0
    found = {}  # by number of the entry: score, and how much of the query
    for word in asked:
        best = index.find(word)
        rarity = log(2 + len(entries) / (1 + len(best)))
        most += rarity
        for number, value in best.items():
            score, share = found.get(number, (0.0, 0.0))
            found[number] = score + rarity * value, share + rarity
    known = {form for word in asked for form in (word, *numbers(word))}
    scores = {number: score / most * (MISSING + (1 - MISSING) * share / most)
              * (0.9 + 0.1 * sum(word in known for word in index.names[number])
                 / (len(index.names[number]) or 1))
              for number, (score, share) in found.items()}
    said = " %s " % " ".join(words(query))
    exact = {query.strip(), *query.replace(".", " ").split()}
    from ._lists import is_deprecated
    order = sorted(scores, key=lambda number: (
        is_deprecated(entries[number]), -round(scores[number], 9),
        entries[number]["tool"] not in exact,
        " %s " % " ".join(index.names[number]) not in said,
        entries[number]["server"], entries[number]["tool"]))
    least = max(scores.values(), default=0) * LEAST
    order = [number for number in order if scores[number] >= least]
    return [(entries[number], round(scores[number], 3))
            for number in order[:limit]]


class Index:
    """The words of some entries."""

    def __init__(self, entries):
        self.entries = entries
        self.names = [words(entry["tool"]) for entry in entries]
        self.known = {}  # by word: by number of the entry, its largest weight
        for number, entry in enumerate(entries):
            for weight, text in zip(WEIGHTS, fields(entry)):
                for word in words(text):
                    self.known.setdefault(word, {}).setdefault(number, weight)

    def find(self, word):
        """Return what a word is worth in each entry that has one like it."""
        best, plurals = {}, set(numbers(word))
        for other in self.known:
            self.add(best, other, 1 if other == word else NUMBER if
                     other in plurals else likeness(word, other))
        if not plurals.union((word,)) & self.known.keys() and len(word) >= 4:
            from difflib import get_close_matches
            similar = [other for other in self.known
                       if abs(len(other) - len(word)) <= 2 and
                       len(set(word).symmetric_difference(other)) <= 4]
            for other in get_close_matches(word, similar, 5, SPELLED):
                self.add(best, other, SLIPS)
        return best

    def add(self, best, word, value):
        """Count a word of the index at this value, where it is not 0."""
        for number, weight in self.known[word].items() if value else ():
            best[number] = max(best.get(number, 0), value * weight)


def likeness(word, other):
    """Return what another word is worth that one begins, or is a part of."""
    if other.startswith(word) and len(word) >= 2:
        return BEGINS[0] + BEGINS[1] * len(word) / len(other)
    if word.startswith(other) and len(other) >= 3:
        return 0.85 * len(other) / len(word)
    if word in other and len(word) >= 3:
        return PART[0] + PART[1] * len(word) / len(other)
    return 0


def numbers(word):
    """Return what may be the plural of a word, or the singular."""
    yield word + "s"
    yield word + "es"
    if word.endswith("y"):
        yield word[:-1] + "ies"
    if len(word) > 3 and word.endswith("s") and word[-2] not in "su":
        yield word[:-1]
        if word.endswith("es"):
            yield word[:-2]
        if word.endswith("ies"):
            yield word[:-3] + "y"


def fields(entry):
    """Return the texts of an entry, one for each of WEIGHTS.

    They are its name; that as Python writes it, and in one word; the name of
    its server; its title; the first line of its description; the rest of it;
    the names of its parameters; what is said about these.
    """
    from ._schema import parameters
    name, found = entry["tool"], parameters(entry)[:PARAMETERS_MAX]
    about = [part["description"] for _, part, _ in found
             if isinstance(part, dict)
             and isinstance(part.get("description"), str)]
    first, _, rest = text_of(entry, "description")[
        :TEXT_MAX].strip().partition("\n")
    return (name, entry["toolAlias"] + " " + name.replace("_", ""),
            entry["server"] + " " + entry["serverAlias"],
            text_of(entry, "title")[:TEXT_MAX], first, rest,
            " ".join([each[0][:WORD_MAX] for each in found]),
            " ".join(about)[:ABOUT_MAX])


def text_of(entry, key):
    """Return a text of an entry, which may be anything."""
    text = entry.get(key)
    return text if isinstance(text, str) else ""
