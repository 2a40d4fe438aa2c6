"""The outcome of a call: a result, or an error of one class."""
import _operator

from . import _counted, _seen, _values
from ._caller import caller, for_await
from ._data import (
    COLLECTIONS, Content, Part, Rows, both, part_of, parsed, text_of,
    unwrapped)
from ._servers import attribute_error, clean

SHOWN_MAX = 2000  # characters of a message that str() shows
LEFT_OUT = {"isError": False, "structuredContent": None}
# What a result that is a text, or a number, is often called.
WHOLE = "text", "result", "output", "value"
# What is calculated, or compared, with the data.
OPERATIONS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
COMPARED = str, int, float, list, dict, type(None)
COMPARISONS = "lt", "le", "gt", "ge"
SUCCESS = "success", "ok"  # keys of results in other libraries
MEMBERS = "content", "structuredContent", "isError", "_meta"  # in MCP


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
        _seen.REFUSED.pop(self._note, None)
        return super().__str__()

    def __repr__(self):
        """Return the error, as Python writes it."""
        _seen.REFUSED.pop(self._note, None)
        return super().__repr__()

    def __getattribute__(self, name):
        """Return a member; two of them show the error."""
        if name in ("message", "args"):
            _seen.REFUSED.pop(self._note, None)
        return super().__getattribute__(name)


class Result(dict):
    """The result of a tool: the dict that MCP defines, and short cuts.

    It stands for its data as well: r["x"], r.x, r[0], len(r) and iteration
    are those of r.data where MCP defines nothing of that name.
    """

    __module__ = "mcp.runtime"
    _quiet = None  # the tool, where its result is only shown by print()
    _shown = None  # what tells a result while the last expression is shown
    _tool = None  # the tool, as the code may call it

    def __init__(self, members=()):
        super().__init__(members)
        get = super().get
        content, structured = get("content"), get("structuredContent")
        if isinstance(content, list):
            self["content"] = Content(map(part_of, content))
        if type(structured) is dict:
            self["structuredContent"] = part_of(structured)

    def __getitem__(self, key):
        """Return a part of a list or a text; all else is as in a dict."""
        if isinstance(key, slice):
            data = self.data
            return data[key] if isinstance(data, list) else self.text[key]
        return super().__getitem__(key)

    def __missing__(self, key):
        """Return what the data has: r["x"] is r.data["x"]."""
        data = self.data
        if isinstance(data, dict) and key in data:
            return data[key]
        name = data._meant(key, True) if isinstance(data, Part) else None
        if name is not None:
            return data[name]
        if isinstance(key, int):
            return self._sequence()[key]
        if isinstance(data, Rows):
            try:
                return data[key]
            except TypeError:
                pass
        if not isinstance(data, (dict, list)) and key in WHOLE:
            return self.text if key == "text" else data
        if key in ("data", "result"):
            return data
        raise KeyError(key)

    def _sequence(self):
        """Return what an index is for: a list, or else the content."""
        content = dict.get(self, "content")
        return self.data if isinstance(self.data, list) else (
            content if isinstance(content, list) else [])

    def __contains__(self, key):
        """Whether the result has a key, or the data has it."""
        data = self.data
        if isinstance(key, str) and (
                super().__contains__(key) or isinstance(data, str)):
            return super().__contains__(key) or key in data
        return isinstance(data, (dict, list)) and key in data

    def __iter__(self):
        """Go through the data; of a text, through the content."""
        data = self.data
        return iter(data if isinstance(data, dict) else self._sequence())

    def __len__(self):
        """Return how much the data has, which the code may not mean."""
        data = self.data
        if isinstance(data, dict):
            _counted.count(data, caller(), True)
            return dict.__len__(data)
        if isinstance(data, list):
            return len(data)
        raise TypeError("the result is neither a list nor a dict: write "
                        "len(r.text) or len(r.content)")

    def __bool__(self):
        """Whether there is anything in a list or a dict."""
        return not isinstance(self.data, (dict, list)) or bool(self.data)

    def __float__(self):
        """Return the number that the data is."""
        return float(self.data)

    def __int__(self):
        """Return the integer that the data is."""
        return int(self.data)

    def __eq__(self, other):
        """Whether it is the same dict, or other is what the data is."""
        if dict.__eq__(self, other) is True:
            return True
        if not isinstance(other, COMPARED) or isinstance(other, Result):
            return NotImplemented  # others know how to compare themselves
        return self.data == other or self.text == other

    def __ne__(self, other):
        """Return the opposite."""
        same = self.__eq__(other)
        return same if same is NotImplemented else not same

    __hash__ = None

    def __index__(self):
        """Return the integer that the data is, where one is needed."""
        return _operator.index(self.data)

    def __round__(self, *digits):
        """Return the number that the data is, rounded."""
        return round(self.data, *digits)

    def __format__(self, spec):
        """Return the text, or the data as it is to be written."""
        return format(self.data, spec) if spec else str(self)

    def __reversed__(self):
        """Go through the data from its end."""
        data = self.data
        return reversed(data if isinstance(data, dict) else self._sequence())

    def keys(self):
        """Return the keys of the dict, which the code may not mean."""
        return _counted.members(self, "keys", super().keys())

    @property
    def values(self):
        """The method of the dict, and the list of that name in the data."""
        return both(self._values, self._list("values"))

    @property
    def items(self):
        """The method of the dict, and the list of that name in the data."""
        return both(self._items, self._list("items"))

    def _values(self):
        """Return the values of the dict, which the code may not mean."""
        return _counted.members(self, "values", super().values())

    def _items(self):
        """Return the items of the dict, which the code may not mean."""
        return _counted.members(self, "items", super().items())

    def _list(self, key):
        """Return what the data has by a key, or None."""
        data = self.data
        return dict.get(data, key) if isinstance(data, dict) else None

    def get(self, key, default=None):
        """Return the value of a key, of the result or of its data."""
        if super().__contains__(key) or key in MEMBERS:
            return super().get(key, default)
        data = self.data
        if key in SUCCESS and not (isinstance(data, dict) and key in data):
            return not self.is_error
        if isinstance(data, dict):
            return data.get(key, default)
        if isinstance(data, Rows):
            if key in COLLECTIONS or _counted.is_named(key, self._tool or ""):
                return data
            if not data:
                return default
        raise attribute_error("the result has no keys but %s: r.data is a "
                              "%s" % (", ".join(dict.keys(self)),
                                      type(data).__name__))

    def __getattr__(self, name):
        """Return the value of a key, or what it is where it is left out."""
        if super().__contains__(name):
            return self[name]
        if name in LEFT_OUT:
            return LEFT_OUT[name]
        if name.startswith("__"):
            raise AttributeError(name)
        data = self.data
        if isinstance(data, dict) and name in data:
            return data[name]
        if isinstance(data, Part) and data._meant(name, True) is not None \
                or isinstance(data, Rows) and _counted.is_named(
                    name, self._tool or ""):
            return data[name]
        for value in data, self.text:
            if isinstance(value, (list, str)) and hasattr(
                    type(value), name):
                return getattr(value, name)
        if name in HABITS:
            return HABITS[name](self)
        from ._shape import shape_of
        error = attribute_error("the result has no %r; r.text is its text, "
                                "r.data is %s" % (name, shape_of(data)))
        error.told = True
        raise error

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
        """Copies have the same members."""
        return Result, (dict(dict.items(self)),)

    @property
    def text(self):
        """All blocks of text, joined by newlines."""
        blocks = dict.get(self, "content")
        return text_of(blocks) if isinstance(blocks, list) else ""

    @property
    def data(self):
        """The structured content, else the text as JSON, else the text.

        A structured content that is no more than the text is taken for it.
        """
        if "_data" not in self.__dict__:
            found = dict.get(self, "structuredContent")
            found = parsed(self.text) if found is None \
                else unwrapped(found, self.text)
            if type(found) is list:
                found = Rows(found)
            elif type(found) is str and self._tool:
                found = _counted.told(found, self._tool)
            self.__dict__["_data"] = found
            _seen.keep_shape(self)
        return self.__dict__["_data"]

    @property
    def is_error(self):
        """Whether the tool says that it failed."""
        return dict.get(self, "isError") is True


class Whole(Result):
    """A result, where code asks it for its result: it may be called."""

    def __call__(self, timeout=None):
        """Return the result."""
        return self._result


Whole.__name__ = Whole.__qualname__ = "Result"


def whole(result):
    """Return a result as one that may be called."""
    found = Whole()
    dict.update(found, dict.items(result))
    result.data  # which both have then
    found.__dict__.update(result.__dict__, _result=result)
    return found


def data_of(value):
    """Return the data of the result of a tool, and all else as it is.

    A call that was not awaited is carried out.
    """
    from ._call import Call
    if isinstance(value, Call):
        value = value.result()
    return value.data if isinstance(value, Result) else value


def written(value):
    """Return the text of the result of a tool, and all else as it is.

    That is what a program writes to a file.
    """
    from ._call import Call
    if isinstance(value, Call):
        value = value.result()
    return str(value) if isinstance(value, Result) else value


def with_operation(name):
    """Give results an operation, with what stands on either side of them."""
    operation = getattr(_operator, name)

    def forward(self, other):
        return operation(self.data, data_of(other))

    def backward(self, other):
        return operation(other, self.data)

    setattr(Result, "__%s__" % name, forward)
    if name in OPERATIONS:
        setattr(Result, "__r%s__" % name, backward)


for _name in OPERATIONS + COMPARISONS:
    with_operation(_name)


# What other libraries call the same.
HABITS = {"structured_content": lambda result: result.structuredContent,
          "json": lambda result: lambda: for_await(result.data),
          "status_code": lambda result: 500 if result.is_error else 200,
          "model_dump": lambda result: lambda: dict(dict.items(result)),
          "raise_for_status": lambda result: lambda: None,
          "result": whole,
          "success": lambda result: not result.is_error,
          "ok": lambda result: not result.is_error}
