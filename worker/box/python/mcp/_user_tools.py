"""The module user_tools: the functions that earlier calls have saved.

Each is fetched and defined when it is first asked for, so that one that is
broken breaks nothing else.
"""
import sys
from _frozen_importlib import ModuleSpec

from . import _box, _memory, _servers
from ._modules import Loader
from ._saved_tools import file_of, outside


class UserTools(type(sys)):
    """The module: its attributes are the saved tools."""

    def __learn__(self):
        """Give the tools what the box gives to all code."""
        from . import runtime
        names = vars(self)
        names.update(runtime=_box.runtime, mcp_servers=_box.servers,
                     LOADED_MCP_SERVERS=tuple(_servers.LOADED))
        names.update((name, getattr(runtime, name))
                     for name in _memory.NAMES)
        names.update(("mcp_" + server.__server__.alias, server)
                     for server in _servers.LOADED.values())

    def __getattr__(self, name):
        """Return a tool."""
        if name.startswith("__"):
            raise AttributeError(name)
        if define(vars(self), name, set()):
            return vars(self)[name]
        text = no_tool(name)
        if _servers.is_import(sys._getframe(1)):
            raise ImportError("cannot import name %r: %s" % (name, text))
        raise _servers.attribute_error(text)

    def __dir__(self):
        """Return the names of the tools."""
        return names_of_tools()

    @property
    def __all__(self):
        """What 'from user_tools import *' imports."""
        return names_of_tools()


def names_of_tools():
    """Return the names of all saved tools."""
    return [tool["name"]
            for tool in _memory.listing("list_saved_tools", "name")]


def no_tool(name):
    """Return the sentence about a tool that there is not."""
    names = names_of_tools()
    return "no tool %r has been saved%s; there are: %s" % (
        name, _servers.did_you_mean(name, names), ", ".join(names) or "none")


def define(names, name, begun):
    """Define a tool, and before it those that it uses.

    Returns whether there is such a tool; raises ImportError when it cannot be
    defined.  begun are those that are being defined.
    """
    import builtins
    begun.add(name)
    tool = _memory.ask("load_tool", {"name": name})
    if tool is None:
        return False
    try:
        code = compile(tool["source"], file_of(name), "exec",
                       dont_inherit=True)
        for other in outside(code):
            if not (other in names or other in begun or hasattr(builtins, other)
                    or other.startswith("__")):
                define(names, other, begun)
        remember(name, tool["source"])
        exec(code, names)
    except Exception as error:
        raise ImportError(
            "the saved tool %s cannot be used (%s: %s); save it again, or have "
            "it removed with 'caisson tools remove %s'" % (
                name, type(error).__name__, error, name),
            name="user_tools") from error
    return name in names


def remember(name, source):
    """Have tracebacks and inspect find the source."""
    import linecache
    linecache.cache[file_of(name)] = (
        len(source), None, source.splitlines(True), file_of(name))


def find_spec():
    """Return how to import the module."""
    module = UserTools("user_tools", __doc__)
    module.__learn__()
    return ModuleSpec("user_tools", Loader(module), origin="saved tools")
