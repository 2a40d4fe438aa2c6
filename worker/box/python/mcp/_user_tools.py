"""The functions that earlier calls have saved: from user_tools import NAME.

dir(user_tools) lists them; save_tool(function) saves another.
"""
# Each is fetched and defined when it is first asked for, so that one that is
# broken breaks nothing else.  What is kept was written by earlier calls,
# perhaps with forged frames or by an earlier version: no name of it is trusted.
import sys
from _frozen_importlib import ModuleSpec

from . import _box, _memory, _notes, _state
from ._modules import Loader
from ._server import is_import
from ._saved_tools import file_of, flaw_of, is_builtin, outside
from ._similar import did_you_mean
from ._values import attribute_error

# So many that cannot be imported are told of one by one.
TOLD = 8


class Names(dict):
    """The global names of a tool: those that it imports are its own, and all
    others are those of the module.
    """

    __slots__ = ("shared",)

    def __missing__(self, name):
        """Return what the module has."""
        return self.shared[name]


class UserTools(type(sys)):
    """The module: its attributes are the saved tools."""

    def __learn__(self):
        """Give the tools what the box gives to all code."""
        from . import runtime
        names = vars(self)
        names.update(runtime=_box.runtime, mcp_servers=_box.servers,
                     LOADED_MCP_SERVERS=tuple(_state.LOADED))
        names.update((name, getattr(runtime, name)) for name in _memory.NAMES)
        names.update(("mcp_" + server.__server__.alias, server)
                     for server in _state.LOADED.values())

    def __getattr__(self, name):
        """Return a tool."""
        if name.startswith("__"):
            raise AttributeError(name)
        if define(vars(self), name, set()):
            return vars(self)[name]
        text = no_tool(name)
        if is_import(sys._getframe(1)):
            raise ImportError("cannot import name %r: %s" % (name, text))
        raise attribute_error(text)

    def __dir__(self):
        """Return the names of the tools."""
        return names_of_tools()

    @property
    def __all__(self):
        """What 'from user_tools import *' imports: all that can be used.

        Lines on standard error tell of the first of the others.
        """
        offered, flaws = [], []
        for name in names_of_tools():
            why = why_not_offered(self, name)
            if why is None:
                offered.append(name)
            else:
                flaws.append("%s: %s" % (name, why))
        if len(flaws) > TOLD:
            flaws[TOLD:] = ["%d more: import one by its name to see why" % (
                len(flaws) - TOLD)]
        for flaw in flaws:
            _notes.send("'from user_tools import *' leaves out %s" % flaw)
        return offered


def names_of_tools():
    """Return the names of all saved tools that could be imported."""
    return [tool["name"]
            for tool in _memory.listing("list_saved_tools", "name")
            if flaw_of(tool["name"]) is None]


def why_not_offered(module, name):
    """Why 'from user_tools import *' does not import a tool, or None."""
    try:
        getattr(module, name)
    except _memory.MCPError:
        raise
    except (ImportError, AttributeError) as error:
        return str(error)
    except BaseException as error:  # its text may raise, too
        return "it raised %s" % type(error).__name__
    return None


def no_tool(name):
    """Return the sentence about a tool that there is not."""
    names = names_of_tools()
    return "no tool %r has been saved%s; there are: %s" % (
        name, did_you_mean(name, names), ", ".join(names) or "none")


def define(names, name, begun):
    """Define a tool, and before it those that it uses.

    Returns whether there is such a tool; raises ImportError when it cannot be
    defined.  begun are those that are being defined.
    """
    begun.add(name)
    tool = None if flaw_of(name) else _memory.ask("load_tool", {"name": name})
    if tool is None:
        return False
    try:
        code = compile(tool["source"], file_of(name), "exec",
                       dont_inherit=True)
        for other in outside(code):
            if other.startswith("mcp_") and other not in names:
                from ._names import resolve
                server = resolve(other[len("mcp_"):])
                names.update({other: server} if server else {})
            if not (other in names or other in begun or is_builtin(other)):
                define(names, other, begun)
        remember(name, tool["source"])
        own = Names(__name__=names["__name__"])
        own.shared = names
        exec(code, own)
        if name in own:
            names[name] = own[name]
    except BaseException as error:  # SystemExit, too, ends only the tool
        raise ImportError(
            "the saved tool %s cannot be used (%s: %s); save it again, or have "
            "it removed with 'caisson saved-tools remove %s'" % (
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
