"""Clients of other libraries: ClientSession of the MCP SDK, Client of FastMCP.

Code copied from their documentation starts a server, or connects to one, and
calls a tool by its name only.  Nothing is started or connected here: the tool
of that name is searched among the servers that may be used.
"""
from _frozen_importlib import ModuleSpec

from . import _ask, _servers
from ._data import Part
from ._result import MCPError

SECONDS = 12  # to wait for lists; the broker waits 10 for a start
SEVERAL = "several servers have a tool %s: write await mcp_%s.%s(...)"
NONE = "no server has a tool of that name"
# Where these libraries have their classes.
MODULES = {"mcp.client": (), "mcp.client.stdio": (
    "stdio_client", "StdioServerParameters"), "mcp.client.session": (
    "ClientSession",), "mcp.client.sse": ("sse_client",),
    "mcp.client.streamable_http": ("streamablehttp_client",
                                   "streamable_http_client"),
    "fastmcp": ("Client",), "fastmcp.client": ("Client",)}


class ClientSession:
    """Calls tools by their names alone, or by server and name."""

    __module__ = "mcp"

    def __init__(self, *given, **_):
        """given: streams, or the name of a server, or a configuration."""
        known = given[0] if given else None
        if isinstance(known, dict):
            known = list(known.get("mcpServers", known))
        self._among = [known] if isinstance(known, str) else \
            known if isinstance(known, list) else []

    async def __aenter__(self):
        """There is nothing to begin."""
        return self

    async def __aexit__(self, *error):
        """There is nothing to end."""

    async def initialize(self):
        """There is nothing to begin."""
        return Part(serverInfo=Part(name="caisson"), capabilities=Part())

    async def ping(self):
        """Servers are there when they are used."""
        return True

    def call_tool(self, name, arguments=None, *more, **named):
        """Return a call of a tool, to be awaited."""
        if isinstance(arguments, str):  # a server, and a tool of it
            from .runtime import call_tool
            return call_tool(name, arguments, *(more or [named]))
        given = arguments if isinstance(arguments, dict) else {}
        return _servers.call(name, call(name, self._among, _ask.given(
            None, name, given)))

    call = call_tool

    async def connect(self, *_, **__):
        """There is nothing to connect to."""
        return self

    async def close(self):
        """There is nothing to end."""

    def list_tools(self):
        """Return a call that comes to the tools of the servers."""
        return _servers.call("list_tools", tools(self._among, True))


class Client(ClientSession):
    """The same, as FastMCP has it."""

    __module__ = "fastmcp"

    def list_tools(self):
        """Return a call that comes to a list of the tools."""
        return _servers.call("list_tools", tools(self._among, False))


def stdio_client(*_, **__):
    """Return what stands for the pipes of a server."""
    return Streams((None, None))


def streamable_http_client(*_, **__):
    """Return what stands for the streams of a server."""
    return Streams((None, None, lambda: None))


sse_client, streamablehttp_client = stdio_client, streamable_http_client


class Streams:
    """The two ends of a connection, which there is not."""

    def __init__(self, ends):
        self._ends = ends

    async def __aenter__(self):
        """Return the ends."""
        return self._ends

    async def __aexit__(self, *error):
        """There is nothing to end."""


class StdioServerParameters(Part):
    """How a server would be started."""

    __slots__ = ()
    __module__ = "mcp"


def states_of(among):
    """Return what is known of servers, with their tools: those that are named,
    or the loaded ones, or all.
    """
    from ._names import find_told
    told = yield from _ask.list_servers()
    named = [find_told(name, told) for name in among]
    found = list(filter(None, named)) or told
    states = [_servers.state_of(each) for each in found]
    yield from _ask.list_all(states, SECONDS)
    return states


def call(name, among, given):
    """Call the one tool of a name."""
    found = []
    for state in (yield from states_of(among)):
        entry = (state.find(name) or state.find_alias(name)) \
            if state.entries is not None else None
        found += [(state, entry)] if entry else []
    loaded = [each for each in found if each[0].name in _servers.LOADED]
    found = loaded if len(loaded) == 1 else found
    if len(found) > 1:
        raise MCPError(_servers.clean(SEVERAL % (
            name, found[0][0].alias, found[0][1]["toolAlias"])), None, name)
    if not found:
        raise MCPError(NONE, None, name)
    return (yield from _ask.call_entry(*found[0], given))


def has_tool(name):
    """Whether some server has a tool of a name."""
    def steps():
        for state in (yield from states_of([])):
            if state.entries is not None and (
                    state.find(name) or state.find_alias(name)):
                return True
        return False

    try:
        return _servers.call(name, steps()).result(SECONDS)
    except (MCPError, TimeoutError):
        return False


class Bare:
    """A tool by its name alone, which the code has not defined."""

    def __init__(self, name):
        self.__name__ = name

    def __call__(self, /, *args, **arguments):
        """Return the call, which is sent when it is awaited."""
        name = self.__name__
        return _servers.call(name, self._steps(_ask.given(
            None, name, arguments, args)))

    def _steps(self, given):
        """Call the tool; raises NameError, where there is none."""
        try:
            return (yield from call(self.__name__, [], given))
        except MCPError as error:
            if error.message != NONE:
                raise
        raise NameError("name %r is not defined" % self.__name__)


def awaited_only(path, names):
    """Return those of some names that a file uses for awaited calls alone."""
    import ast
    with open(path, "rb") as file:
        tree = ast.parse(file.read())
    calls = [id(node.value.func) for node in ast.walk(tree)
             if isinstance(node, ast.Await) and isinstance(
                 node.value, ast.Call)]
    return names.difference(
        node.id for node in ast.walk(tree)
        if isinstance(node, ast.Name) and id(node) not in calls)


def tools(among, wrapped):
    """Return the tools of servers; wrapped: as what the SDK has around them.
    """
    from ._lists import doc, Tools
    states = yield from states_of(among)
    found = Tools(
        doc(dict(name=entry["tool"], **entry)) for state in states
        for entry in (state.entries or {}) and state.aliases.values())
    return Part(tools=found) if wrapped else found


def find_spec(name):
    """Return how to import a module of these libraries, or None."""
    return ModuleSpec(name, Loader, origin="caisson", is_package=True) \
        if name in MODULES else None


class Loader:
    """Fills a module with what it is to have."""

    @staticmethod
    def create_module(spec):
        """Have the import system make it."""

    @staticmethod
    def exec_module(module):
        """Give it its names."""
        for name in MODULES[module.__name__]:
            setattr(module, name, globals()[name])
