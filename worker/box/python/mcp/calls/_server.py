"""A server for the code: a module whose attributes are its tools.

The list of tools is fetched when it is needed; callers at the same time share
one request.
"""
import sys

from . import _box
from ._state import SERVER, call, find_server, run
from ._values import attribute_error, clean

SHOWN_MAX = 200  # tools that the documentation of a server shows
# What sessions and clients of MCP have, and servers where no tool is called so.
SESSION = {"call_tool": "call_tool", "invoke_tool": "call_tool",
           "invoke": "call_tool", "list_tools": "list_tools"}
# What _resources.py has, where no tool is called so, by all its names.
BESIDES = {name: name for name in (
    "resources", "read_resource", "resource_templates", "prompts",
    "get_prompt", "complete")}
BESIDES.update((("list_resources", "resources"), ("list_prompts", "prompts"),
                ("list_resource_templates", "resource_templates")))
# What the modules of the earlier bridge have, where no tool is called so.
DESCRIBED = {"TOOLS": list, "TOOL_MAP": lambda entries: {
    entry["toolAlias"]: entry for entry in entries}}


class Server(type(sys)):
    """A server: mcp_fs, mcp_servers["fs"], mcp.servers.fs.

    One that is not loaded is when it is first used.

    Tools are attributes by their aliases, and by their own names or aliases
    indices.  Everything else of it has names with two underscores.

    While the tools are not known, a call that is written as one, such as
    mcp_fs.read_file(...), is made without asking for them, so that an event
    loop is not held up; it looks when it is awaited, and raises the same
    AttributeError then.  Any other access to an attribute is to find out
    whether it is there (hasattr, getattr, an import), or to use it
    (mcp_fs.tools, help), and is answered at once.  In a process that the
    code made by spawning, the code can be imported, and all is refused when
    it is awaited.
    """

    def __init__(self, state):
        super().__init__("mcp.servers." + state.alias)
        self.__dict__["__server__"] = state

    def __getattr__(self, name):
        """Return a tool by its alias, or its own name."""
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        state = self.__server__
        frame = sys._getframe(1)
        if state.entries is None and name not in SESSION and \
                name not in BESIDES and (_box.child or is_call(frame)):
            from ._tools import Tool
            return Tool(state, name)
        entry = fetch(state, name, state.find_alias)
        if entry:
            tool = tool_of(state, entry)
            if name == entry["toolAlias"]:
                vars(self)[name] = tool  # until there is another list
            return tool
        if name in DESCRIBED:
            from ._ask import entries_of
            return DESCRIBED[name](run("list_tools", entries_of(state.name)))
        if name in BESIDES:
            return besides(name, state.name)
        from ._named import no_tool
        text = no_tool(state, name, state.aliases)
        if is_import(frame):
            raise ImportError("cannot import name %r: %s" % (
                name, clean(text)))
        if name in SESSION:
            return getattr(Session(state), SESSION[name])
        raise attribute_error(text)

    def __getitem__(self, name):
        """Return a tool by its own name, or its alias."""
        state = self.__server__
        entry = fetch(state, name, state.find)
        if entry:
            return tool_of(state, entry)
        from ._named import no_tool
        raise KeyError(no_tool(state, name, state.entries))

    def __contains__(self, name):
        """Whether there is a tool of this name, or alias."""
        state = self.__server__
        return fetch(state, name, state.find) is not None

    def __iter__(self):
        """Go through the aliases of the tools."""
        state = self.__server__
        if state.entries is None and not _box.child:
            from ._ask import list_loaded
            run("list_tools", list_loaded(state))
        return iter(list(state.aliases))

    def __len__(self):
        """Return how many tools there are."""
        return sum(1 for _ in self)

    def __bool__(self):
        """A server is there, whatever it has."""
        return True

    def __dir__(self):
        """Return the aliases of the tools."""
        return sorted(self)

    def __repr__(self):
        """Return what it is, without asking for its tools."""
        state = self.__server__
        about = ": " + state.description if state.description else ""
        return clean("<MCP server %s%s>" % (state.name, about))

    def __enter__(self):
        """Return itself: there is nothing to open, nor to close."""
        return self

    def __exit__(self, *error):
        """Let errors through."""

    async def __aenter__(self):
        """Return itself, as the client of another library does."""
        return self

    async def __aexit__(self, *error):
        """Let errors through."""

    def __reduce__(self):
        """Copies are the server itself."""
        return find_server, (self.__server__.name,)

    @property
    def __doc__(self):
        """The description, and the tools."""
        state = self.__server__
        lines = ["The MCP server %s." % state.name, state.description, ""]
        names = dir(self)
        lines += [repr(tool_of(state, state.aliases[name]))[6:-1]
                  for name in names[:SHOWN_MAX]]
        if len(names) > SHOWN_MAX:
            lines.append("... and %d more" % (len(names) - SHOWN_MAX))
        return clean("\n".join(lines))

    @property
    def __all__(self):
        """What 'from mcp.servers.fs import *' imports."""
        return dir(self)


class Session:
    """A server as a session of the MCP SDK has it."""

    def __init__(self, state):
        self.state = state

    def call_tool(self, tool, arguments=None, **named):
        """Call a tool."""
        from ._ask import call_tool
        return call_tool(self.state.name, tool, arguments, named)

    def list_tools(self):
        """List the tools."""
        from ._ask import entries_of
        return call("list_tools", entries_of(self.state.name))


def besides(name, server=None):
    """Return the function of _resources.py, of a server if there is one."""
    from . import _resources
    function = getattr(_resources, BESIDES[name])
    return function if server is None else (
        lambda *args, **named: function(server, *args, **named))


def tool_of(state, entry):
    """Return the function of a tool."""
    alias = entry["toolAlias"]
    if alias not in state.tools:
        from ._tools import Tool
        state.tools[alias] = Tool(state, alias, entry)
    return state.tools[alias]


def is_import(frame):
    """Whether a frame is at 'from module import name'."""
    from opcode import opmap
    code = frame.f_code.co_code
    return code[frame.f_lasti] == opmap["IMPORT_FROM"]


def is_call(frame):
    """Whether a frame is at the 'server.tool' of 'server.tool(...)'.

    Before Python 3.11 the code does not tell, where arguments have names.
    """
    from opcode import opmap
    code, at = frame.f_code.co_code, frame.f_lasti
    if sys.version_info >= (3, 12):
        return code[at] == opmap["LOAD_ATTR"] and bool(code[at + 1] & 1)
    return code[at] == opmap["LOAD_METHOD"]


def fetch(state, name, find):
    """Return what find() finds among the tools, which may have changed."""
    entry = find(name) if isinstance(name, str) else None
    if entry is None and isinstance(name, str):
        from ._ask import list_loaded
        run(state.name, list_loaded(state))
        entry = find(name)
    return entry


SERVER.append(Server)
