"""The outcome of a call: a result, or an error of one class."""
import sys

from . import _values
from ._blocks import text_alone, text_of
from ._data import WRAPPER, Missing, compared, is_wrapper, parsed
from ._values import attribute_error, clean

SHOWN_MAX = 2000  # characters of a message that str() shows
FAULT_MAX = 200  # characters of an answer that is no result
FAULT = "the answer is no result of a tool, as %s; error.result has it: %.*s"
DEFAULTS = {"isError": False, "structuredContent": None}
REFUSED_MAX = 64  # errors that are remembered
REFUSED = {}  # notes on errors that were not shown, by keys of theirs
MEMBERS = "content", "structuredContent", "isError", "_meta"  # in MCP
VALUES = str, int, float, list  # that data may be, and a result never equals
EQUAL = ("the result of %s was compared with a value, which it never equals: "
         "write .data or .text")
FIELDS = (".%s() of the result of %s has the fields of the answer, not its "
          "data: write .data")
COUNTED = ("len() of the result of %s counts its fields and the keys of its "
           "data: write .data")


class MCPError(Exception):
    """A server, a tool or a call could not be used, or failed.

    message says why in one sentence, and str() names the server and the
    tool before it.  server and tool are names, where there are any; result
    is the result of a tool that reported an error itself; code and data are
    those of a JSON-RPC error.
    """

    __module__ = "mcp.runtime"

    def __init__(self, message, server=None, tool=None, result=None,
                 code=None, data=None):
        message = clean(message) if isinstance(message, str) else message
        super().__init__(message)
        self.message, self.server, self.tool = message, server, tool
        self.result, self.code, self.data = result, code, data

    def __str__(self):
        """Return one sentence that begins with the server and the tool."""
        named = ".".join(
            str(name) for name in (self.server, self.tool) if name)
        text = str(self.message)
        if len(text) > SHOWN_MAX:
            text = text[:SHOWN_MAX] + "... (%d characters)" % len(text)
        return clean("%s: %s" % (named, text) if named else text)


class ArgumentError(MCPError, TypeError):
    """A tool has no such argument, or lacks one, or takes other values.

    Nothing was sent.

    It is an MCPError as every failed call is, and a TypeError as Python has
    it for wrong arguments.
    """

    __module__ = "mcp.runtime"
    _note = None  # the key of what is told if no code shows it

    def __str__(self):
        """Return one sentence that begins with the server and the tool."""
        REFUSED.pop(self._note, None)
        return super().__str__()

    def __repr__(self):
        """Return the error, as Python writes it."""
        REFUSED.pop(self._note, None)
        return super().__repr__()

    def __getattribute__(self, name):
        """Return a member; two of them show the error."""
        if name in ("message", "args"):
            REFUSED.pop(self._note, None)
        return super().__getattribute__(name)


def refused(wrong, server, tool):
    """Return the error about arguments, which is told if no code shows it."""
    error = ArgumentError(wrong, server, tool)
    text = str(error)
    if len(REFUSED) < REFUSED_MAX:
        error._note = object()
        REFUSED[error._note] = \
            "the code caught an error and did not show it: " + text
    return error


def fault_of(answer):
    """Return why a dict is no result of a tool, or None."""
    content = dict.get(answer, "content", [])
    error = dict.get(answer, "isError", False)
    wrong = None
    if not isinstance(content, list):
        wrong = "its \"content\" is no list of blocks"
    elif not isinstance(error, bool):
        wrong = "its \"isError\" is neither true nor false"
    elif "content" not in answer and "structuredContent" not in answer and \
            not answer.keys() <= {"isError", "_meta"}:
        wrong = "it has no \"content\""
    return wrong and FAULT % (wrong, FAULT_MAX, dict.__repr__(answer))


def of_fields(name):
    """Return the method of a result that takes its fields alone; a note tells
    where the code may mean the keys of its data.
    """
    def method(self):
        if isinstance(self.data, list):
            raise self._lacks("keys")
        if isinstance(self.data, dict):
            from ._misread import tell
            tell(FIELDS % (name, self._tool), sys._getframe(1), name)
        return getattr(dict, name)(self)
    method.__name__ = name
    return method


class Result(dict):
    """The result of a tool: the dict that MCP defines, with attributes.

    What looks into it finds a field of it first, and then what its data has,
    by exactly that name: r[x], r.x, x in r, get, pop, setdefault, del.
    Iteration and len() are of the items of a list, or of all these names of a
    dict; all else is a TypeError.  What takes it as a whole takes its fields:
    ==, |, keys(), values() and items(), and so dict(r), **r and JSON; where
    the data is a list, all of these but == are a TypeError.  Copies are
    results.
    """

    __module__ = "mcp.runtime"
    __hash__ = None
    __eq__, __ne__ = compared(VALUES, lambda result: EQUAL % result._tool)
    _shown = None  # what tells a result while the last expression is shown
    _tool = None  # the tool, as the code may call it
    _schema = None  # of its structured content, as the tool declares it

    def _parts(self):
        """Return the dicts in which names are: this one, what a wrapper is,
        and the data.
        """
        return [super()] + [part for part in (
            dict.get(self, "structuredContent"), self.data)
                            if isinstance(part, dict)]

    def _part(self, key):
        """Return the first of these dicts that has a key, or else this one."""
        parts = self._parts()
        return next((part for part in parts if part.__contains__(key)),
                    parts[0])

    def _names(self):
        """Return all names that there are."""
        return dict.fromkeys(
            name for part in self._parts() for name in part.keys())

    def __getitem__(self, key):
        """Return the value of a key, or items of a list."""
        if isinstance(key, (int, slice)):
            if isinstance(self.data, list):
                return self.data[key]
            if isinstance(key, slice):
                raise self._lacks("slices")
        return super().__getitem__(key)

    def __missing__(self, key):
        """Return what the data has: r["x"] is r.data["x"]."""
        for part in self._parts()[1:]:
            if key in part:
                return part[key]
        raise Missing(key, self._names())

    def __delitem__(self, key):
        """Take out a key."""
        self._part(key).__delitem__(key)

    def pop(self, key, *default):
        """Take out a key, and return its value, or else the default."""
        return self._part(key).pop(key, *default)

    def setdefault(self, key, default=None):
        """Return the value of a key, which is the default if there is none."""
        return self._part(key).setdefault(key, default)

    def copy(self):
        """Return a result of the same fields."""
        from copy import copy
        return copy(self)

    def _lacks(self, what, kind=TypeError):
        """Return the error about what results do not have."""
        from ._shape import shape_of
        error = kind(clean("the result has no %s: write r.data or r.text; "
                           "r.data is %s" % (what, shape_of(self.data))))
        error.told = True
        return error

    keys, values, items = map(of_fields, ("keys", "values", "items"))

    def __or__(self, other):
        """Return a dict of its fields, and of another one."""
        return dict(self) | other

    def __contains__(self, key):
        """Whether the result has a key, or the data has it, or this item."""
        if isinstance(self.data, list):
            return key in self.data or \
                isinstance(key, str) and super().__contains__(key)
        if self._part(key).__contains__(key):
            return True
        if isinstance(self.data, str) and isinstance(key, str) and \
                key not in MEMBERS:
            raise self._lacks("characters")
        return False

    def __iter__(self):
        """Go through the items of a list, or all names."""
        if not isinstance(self.data, (dict, list)):
            raise self._lacks("items")
        return iter(self.data if isinstance(self.data, list)
                    else self._names())

    def __reversed__(self):
        """Go through the same from its end."""
        return reversed(list(self))

    def __len__(self):
        """Return how many items a list has, or names there are."""
        if not isinstance(self.data, (dict, list)):
            raise self._lacks("length")
        if isinstance(self.data, dict):
            from ._misread import tell
            tell(COUNTED % self._tool, sys._getframe(1), "len")
        return len(self.data if isinstance(self.data, list) else self._names())

    def __bool__(self):
        """Whether there are items, where the data is a list.

        The encoder of JSON asks that first, and writes {} without a look.
        """
        if not isinstance(self.data, list) or self.data:
            return True
        if sys._getframe(1).f_globals.get("__name__") == "json.encoder":
            raise self._lacks("keys")
        return False

    def get(self, key, default=None, /):
        """Return the value of a key, of the result or of its data."""
        part = self._part(key)
        if part.__contains__(key):
            return part.__getitem__(key)
        if key in MEMBERS:
            return default
        if isinstance(self.data, dict):
            from ._misread import miss
            miss(self.data, key, default, sys._getframe(1))
            return default
        raise self._lacks("key %r" % (key,), attribute_error)

    def __getattr__(self, name):
        """Return the value of a key, or what it is where it is left out."""
        part = {} if name.startswith("__") else self._part(name)
        if part.__contains__(name):
            return part.__getitem__(name)
        if name in DEFAULTS:
            return DEFAULTS[name]
        if name.startswith("_"):
            raise AttributeError(name)
        raise self._lacks(repr(name), attribute_error)

    def __str__(self):
        """Return the text; without any, the data as JSON."""
        if self.text or not dict.get(self, "structuredContent"):
            return self.text or dict.__repr__(self)
        return _values.write(self["structuredContent"], "data").decode()

    def __repr__(self):
        """Return the dict, as Python writes it."""
        shown = Result._shown
        return dict.__repr__(self) if shown is None else shown(self)

    def __reduce__(self):
        """Copies have the same members, and the same data."""
        return Result, (dict(dict.items(self)),), {"_schema": self._schema}

    @property
    def blocks(self):
        """The blocks of its content."""
        blocks = dict.get(self, "content")
        return blocks if isinstance(blocks, list) else []

    @property
    def text(self):
        """All text, that of resources too, and a line for each other block."""
        return text_of(self.blocks)

    @property
    def data(self):
        """The structured content, or what an output schema says is wrapped in
        it; else the JSON object or array that the text is; else the text.
        """
        if "_data" not in self.__dict__:
            self.__dict__["_data"] = self._read()
            seen = self.__dict__.pop("_seen", None)
            if seen:
                seen.keep_shape(self)
        return self.__dict__["_data"]

    def _read(self):
        """Return the data."""
        found = dict.get(self, "structuredContent")
        if found is None:
            found = parsed(text_alone(self.blocks))
            return self.text if isinstance(found, str) else found
        if isinstance(found, dict) and list(found) == [WRAPPER] and \
                is_wrapper(self._schema):
            return found[WRAPPER]
        return found

    @property
    def is_error(self):
        """Whether the tool says that it failed."""
        return dict.get(self, "isError") is True


def data_of(value):
    """Return the data of the result of a tool, and all else as it is.

    A call that was not awaited is carried out.
    """
    from ._call import Call
    if isinstance(value, Call):
        value = value.result()
    return value.data if isinstance(value, Result) else value
