"""Ranks tools for a search by comparing words.

Words of the query are compared with those of the names, the descriptions and
the parameters of every tool.  A whole word counts more than the beginning of
one, that more than a part, and a word with a slip in it least; a name counts
more than what is said about it, and a rare word more than a common one.

Hundreds of tools have tens of thousands of words, and each execution looks at
them anew: so they are one text, a line for each field of each tool, and words
are found in it rather than taken out of it.
"""
import re
from bisect import bisect
from itertools import accumulate
from math import log

QUERY_MAX = 32  # words
WORD_MAX = 40  # characters
TEXT_MAX = 1000  # characters of a description
PARAMETERS_MAX = 50  # of a tool
ABOUT_MAX = 3000  # characters of the descriptions of its parameters
LEAST = 0.1  # of the best score; less is noise
# What a word weighs in each field, as fields() returns them.
WEIGHTS = 1.0, 0.9, 0.5, 0.45, 0.4, 0.3, 0.25, 0.2
FIELDS = len(WEIGHTS)
# What is like a word is worth: another number of it; the beginning of a word,
# or a part (at least, and more the more of it); a word with slips.
NUMBER, BEGINS, PART, SLIPS = 0.95, (0.55, 0.35), (0.2, 0.25), (0.4, 0.32)
MISSING = 0.45  # what a score is worth where almost all words are missing
COMMON = frozenset(
    "a an and any are as at be by can do does for from how i in into is it "
    "me my need of on or please some that the these this to tool tools use "
    "using want what when which with".split())
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
WORD = re.compile(r"[^\W_]+")
ODD = re.compile(r"[^\w\x00-\x7f]+")  # what is between words, and not ASCII
PLAIN = bytes(code if chr(code).isalnum() or code in (10, *range(128, 256))
              else 32 for code in range(256))


def words(text):
    """Return the words of a text, in lower case; fooBar has two."""
    return [word[:WORD_MAX] for word in WORD.findall(apart(text).lower())]


def apart(name):
    """Return a name with fooBar as two words."""
    return name if name.islower() else HUMP.sub(" ", name)


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
              * (0.9 + 0.1 * index.share(number, known))
              for number, (score, share) in found.items()}
    said = " %s " % " ".join(words(query))
    exact = {query.strip(), *query.replace(".", " ").split()}
    order = sorted(scores, key=lambda number: (
        index.is_deprecated(number), -round(scores[number], 9),
        entries[number]["tool"] not in exact,
        index.name(number) not in said,
        entries[number]["server"], entries[number]["tool"]))
    least = max(scores.values(), default=0) * LEAST
    return [(entries[number], round(scores[number], 3))
            for number in order[:limit] if scores[number] >= least]


class Index:
    """The words of some entries: each has spaces around it in the text."""

    def __init__(self, entries):
        self.entries, self.deprecated = entries, {}
        text = " \n ".join(
            field.replace("\n", " ") for entry in entries
            for field in fields(entry)).lower()
        if not text.isascii():
            text = ODD.sub(" ", text)
        self.text = " %s " % text.encode("utf-8", "surrogatepass").translate(
            PLAIN).decode("utf-8", "surrogatepass")
        self.lines = self.text.split("\n")
        self.ends = list(accumulate(len(line) + 1 for line in self.lines))
        self.known = None  # every word, once it is needed

    def find(self, word):
        """Return what a word is worth in each entry that has one like it."""
        best = {}
        for length in range(3, len(word)):
            self.add(best, word[:length], 0.85 * length / len(word))
        self.add_parts(best, word)
        forms = dict.fromkeys(numbers(word), NUMBER)
        forms[word] = 1.0
        whole = [self.add(best, form, value) for form, value in forms.items()]
        if not any(whole) and len(word) >= 4:
            for other, count in self.slips(word):
                self.add(best, other, SLIPS[count - 1])
        return best

    def add(self, best, word, value):
        """Find a whole word; return whether there is one."""
        text, ends, wanted = self.text, self.ends, " %s " % word
        at = text.find(wanted)
        there = at >= 0
        while at >= 0:
            number, field = divmod(bisect(ends, at), FIELDS)
            worth = value * WEIGHTS[field]
            if best.get(number, 0) < worth:
                best[number] = worth
            # The fields that follow weigh less.
            at = text.find(wanted, ends[number * FIELDS + FIELDS - 1] - 2)
        return there

    def add_parts(self, best, word):
        """Find words that have another in them."""
        text, ends, size = self.text, self.ends, len(word)
        at = text.find(word) if size >= 2 else -1
        while at >= 0:
            begins, end = text[at - 1] == " ", text.index(" ", at + size)
            if end - at > size if begins else size >= 3:
                start = at if begins else text.rindex(" ", 0, at) + 1
                least, more = BEGINS if begins else PART
                number, field = divmod(bisect(ends, at), FIELDS)
                worth = (least + more * size / (end - start)) * WEIGHTS[field]
                if best.get(number, 0) < worth:
                    best[number] = worth
            at = text.find(word, end)

    def slips(self, word):
        """Yield the words that a word was meant to be, and how far it is."""
        if self.known is None:
            self.known = set(self.text.split())
        allowed, letters = 1 if len(word) < 8 else 2, frozenset(word)
        for other in self.known:
            if -allowed <= len(other) - len(word) <= allowed and \
                    len(letters.symmetric_difference(other)) <= 2 * allowed:
                count = distance(word, other, allowed)
                if 1 <= count <= allowed:
                    yield other, count

    def share(self, number, known):
        """Return how much of the name of a tool is known."""
        name = self.name(number).split()
        return sum(word in known for word in name) / (len(name) or 1)

    def is_deprecated(self, number):
        """Whether a tool is on its way out: it comes after all others."""
        if number not in self.deprecated:
            from ._lists import is_deprecated
            self.deprecated[number] = is_deprecated(self.entries[number])
        return self.deprecated[number]

    def name(self, number):
        """Return the words of the name of a tool, with spaces around each."""
        return " %s " % " ".join(self.lines[number * FIELDS].split())


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
    return (apart(name), entry["toolAlias"] + " " + name.replace("_", ""),
            apart(entry["server"]) + " " + entry["serverAlias"],
            text_of(entry, "title")[:TEXT_MAX], first, rest,
            apart(" ".join([each[0][:WORD_MAX] for each in found])),
            " ".join(about)[:ABOUT_MAX])


def text_of(entry, key):
    """Return a text of an entry, which may be anything."""
    text = entry.get(key)
    return text if isinstance(text, str) else ""


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
