"""What a call comes to: a result, or the one class of errors."""
from . import _values
from ._servers import attribute_error, clean

SHOWN_MAX = 2000  # characters of a message that str() shows
KEYS_MAX = 20  # of a dict in a sentence
LEFT_OUT = {"isError": False, "structuredContent": None}


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


class Part(dict):
    """A dict in the content of a result; its values are attributes, too."""

    def __init__(self, members=()):
        super().__init__(members)
        for key, value in self.items():
            if type(value) is dict:
                self[key] = Part(value)

    def __getattr__(self, name):
        """Return the value of a key."""
        if name in self:
            return self[name]
        if name.startswith("__"):
            raise AttributeError(name)
        raise attribute_error("this part of the result has no %r: %s" % (
            name, keys_of(self)))


class Result(dict):
    """The result of a tool: the dict that MCP defines, and short cuts.

    Its values are attributes, too, as they are for other clients of MCP.
    """

    __module__ = "mcp.runtime"

    def __init__(self, members=()):
        super().__init__(members)
        if isinstance(self.get("content"), list):
            self["content"] = [
                Part(part) if type(part) is dict else part
                for part in self["content"]]

    def __getattr__(self, name):
        """Return the value of a key, or what it is where it is left out."""
        if name in self:
            return self[name]
        if name in LEFT_OUT:
            return LEFT_OUT[name]
        if name.startswith("__"):
            raise AttributeError(name)
        data = self.data
        hint = "write r.data[%r]; " % name \
            if isinstance(data, dict) and name in data else ""
        raise attribute_error(
            "the result has no %r: %s%s; r.text is all of its text, r.data "
            "what it holds" % (name, hint, keys_of(self)))

    @property
    def text(self):
        """All blocks of text, joined by newlines."""
        blocks = self.get("content")
        blocks = blocks if isinstance(blocks, list) else ()
        return "\n".join(
            block["text"] for block in blocks if isinstance(block, dict)
            and block.get("type", "text") == "text"
            and isinstance(block.get("text"), str))

    @property
    def data(self):
        """The structured content, else the text as JSON, else the text."""
        if self.get("structuredContent") is not None:
            return self["structuredContent"]
        text = self.text
        try:
            return _values.read(text)
        except (ValueError, RecursionError):
            return text

    @property
    def is_error(self):
        """Whether the tool says that it failed."""
        return self.get("isError") is True


def keys_of(members):
    """Return which keys a dict has."""
    names = [str(key) for key in list(members)[:KEYS_MAX]]
    more = ["..."] if len(members) > KEYS_MAX else []
    return "its keys are " + (", ".join(names + more) or "none")


def at_once(value):
    """Return a value that is there already, as one that can be awaited."""
    for kind in ReadyDict, ReadyList, ReadyText, ReadyTuple:
        if isinstance(value, kind.__base__):
            return kind(value)
    return value


def _await(self):
    """Return the value itself: there is nothing to wait for."""
    return self
    yield


class ReadyDict(dict):
    """A dict that may be awaited, too."""

    __await__ = _await


class ReadyList(list):
    """A list that may be awaited, too."""

    __await__ = _await


class ReadyText(str):
    """A string that may be awaited, too."""

    __slots__ = ()
    __await__ = _await


class ReadyTuple(tuple):
    """A tuple that may be awaited, too."""

    __slots__ = ()
    __await__ = _await
