"""Descriptions of tools for the code: dicts, in lists that print themselves
briefly.
"""
import re

from . import _schema
from ._values import attribute_error, clean

LINE_MAX = 96  # bytes about a tool
TYPES_MIN = 30  # of its parameters, however long its name is
SEEN_MAX = 40  # of the shape of what it has returned
ABOUT_MIN = 24  # bytes of its description that types leave room for
ABOUT_LEAST = 12  # less of it says nothing
LINES_MAX = 20  # tools with a line each; of more only the names are printed
CONSTANTS = "True", "False", "None"
MARK = "(deprecated) "
# How descriptions say so; other tools may be about deprecated things.
DEPRECATED = re.compile(
    r"\W*(?i:deprecated)\b|.*\bDEPRECATED\b|.*[(\[](?i:deprecated)\b|"
    r"(?:.*[.!?]\s+)?\W*\w+\W*(?: \w+)? is (?:now )?(?i:deprecated)\b|"
    r".*\b(?i:deprecated) (?i:in favou?r|since|and will)\b", re.S)
DEPRECATED_MAX = 500  # characters in which it says so
HALVES = range(0xd800, 0xe000)  # of characters; they are told as such


# What keys are called in MCP, and in the earlier bridge.
KEYS = {"name": "tool", "alias": "toolAlias", "input_schema": "inputSchema"}


class Doc(dict):
    """What is told of a tool; "name" is the name of it, too.

    Keys are attributes.  Printed, it is one line, unless it has everything.
    """

    __module__ = "mcp.runtime"

    def __missing__(self, key):
        """Return what has another key elsewhere."""
        if KEYS.get(key) in self:
            return self[KEYS[key]]
        raise KeyError(key)

    def get(self, key, default=None):
        """Return the value of a key; there is always a name."""
        return self[key] if key in self or KEYS.get(key) in self else default

    def __getattr__(self, name):
        """Return the value of a key."""
        if name in self or name == "name":
            return self[name]
        if name.startswith("__"):
            raise AttributeError(name)
        raise attribute_error("what is told of a tool has no %r: its keys "
                              "are name, %s" % (name, ", ".join(self)))

    def __str__(self):
        """Return a line about the tool, or all of it."""
        entry = self.__dict__.get("_entry")
        return line(entry) if entry else dict.__repr__(self)

    def __reduce__(self):
        """Copies are plain."""
        return dict, (dict(self),)


class Docs(list):
    """What is told of several tools; printed, a line for each."""

    __module__ = "mcp.runtime"

    def __repr__(self):
        """Return the lines, where they are about tools."""
        if not self or not all(isinstance(doc, Doc) for doc in self):
            return list.__repr__(self)
        return "\n".join(map(str, self))

    __str__ = __repr__

    def __getitem__(self, index):
        """Return an entry, or a part of the list, which prints itself, too.
        """
        found = list.__getitem__(self, index)
        return type(self)(found) if isinstance(index, slice) else found

    def __reduce__(self):
        """Copies are plain."""
        return list, (list(self),)


class Tools(Docs):
    """The tools of a server; of many, only the names are printed."""

    def __repr__(self):
        """Return lines, or names."""
        if not all(isinstance(doc, Doc) for doc in self):
            return list.__repr__(self)
        if len(self) <= LINES_MAX:
            return "\n".join(map(line, self)) or "[]"
        alias = self[0]["serverAlias"]
        return clean("mcp_%s has %d tools: %s\nOne of them: await runtime."
                     "query_tool_docs(%r, tool=NAME)" % (
                         alias, len(self), ", ".join(map(called, self)),
                         self[0]["server"]))

    __str__ = __repr__


def doc(members, entry=None):
    """Return what is told of a tool; with an entry it prints as a line."""
    found = Doc(members)
    if entry is not None:
        found.__dict__["_entry"] = entry
    return found


def is_deprecated(entry):
    """Whether a tool is said to be on its way out."""
    schema, text = entry.get("inputSchema"), entry.get("description")
    return isinstance(schema, dict) and schema.get("deprecated") is True or (
        isinstance(text, str)
        and DEPRECATED.match(text[:DEPRECATED_MAX]) is not None)


def called(entry):
    """Return what a tool is called by: its own name, or else its alias.

    An alias has no capital letters, so that no other tool has such a name.
    """
    name = entry["tool"]
    return name if name.isascii() and name.isidentifier() and \
        name != name.lower() and name not in CONSTANTS else entry["toolAlias"]


def line(entry):
    """Return a tool as it is called, with types, and what it does."""
    text = "mcp_%s.%s(" % (entry["serverAlias"], called(entry))
    text += parameters(entry, max(
        LINE_MAX - len(text) - ABOUT_MIN - 8, TYPES_MIN)) + ")"
    about = first_sentence(entry.get("description"))
    if "seen" in entry:
        about = "seen %s; %s" % (shortened(entry["seen"]), about)
    mark = MARK if is_deprecated(entry) else ""
    room = LINE_MAX - len(text.encode("utf-8", "replace")) - len(mark) - 2
    data = about.encode("utf-8", "replace")
    if len(data) > room:
        about = data[:room - 3].decode("utf-8", "ignore").rstrip() + "..." \
            if room >= ABOUT_LEAST else ""
    about = (mark + about).rstrip()
    return clean(text + (": " + about if about else ""))


def parameters(entry, most):
    """Return the parameters as in a signature; required ones come first.

    Of those that are not, no more than so many characters are filled.
    """
    texts, size, left = [], 0, False
    root = entry.get("inputSchema")
    for name, schema, required in _schema.parameters(entry):
        kind = _schema.type_text(schema, root)
        text = _schema.cut(name) + ("" if required else "?")
        text += ": " + kind if kind != "Any" else ""
        if len(text) > most:
            text = text[:most - 3] + "..."
        if size + len(text) > most:
            text = _schema.cut(name) if required else ""
        left = left or not text
        texts += [text] if text else []
        size += len(text) + 2 if text else 0
    return ", ".join(texts + (["..."] if left else []))


def shortened(shape):
    """Return the beginning of a shape that was seen."""
    return shape if len(shape) <= SEEN_MAX else shape[:SEEN_MAX - 3] + "..."


def first_sentence(text):
    """Return the first sentence of a description, on one line."""
    text = text.strip() if isinstance(text, str) else ""
    text = on_one_line(text[:500].split("\n\n")[0])
    end = text.find(". ")
    return text[:end] if end > 0 else text.rstrip(".")


def on_one_line(text):
    """Return a text without ends of lines, and what else cannot be printed,
    as escape sequences of terminals begin with.
    """
    return " ".join("".join(
        each if each.isprintable() or ord(each) in HALVES else " "
        for each in text).split())
