"""The servers of this execution: those that are loaded, and their tools.

A server is a module whose attributes are its tools.  The list of tools is
fetched when it is needed; callers at the same time share one request.
"""
import builtins
import sys

from . import _box
from ._values import attribute_error, clean

SHOWN_MAX = 200  # tools that the documentation of a server shows
RESERVED = ("servers",)  # mcp_servers is another name of ours
# What sessions and clients of MCP have, and servers where no tool is called so.
SESSION = {"call_tool": "call_tool", "invoke_tool": "call_tool",
           "invoke": "call_tool", "list_tools": "list_tools"}
# What the modules of the earlier bridge have, where no tool is called so.
DESCRIBED = {"TOOLS": list, "TOOL_MAP": lambda entries: {
    entry["toolAlias"]: entry for entry in entries}}
LOADED = {}  # name to Server, in the order of loading
KNOWN = {}  # name to State, of servers that may be loaded, too
CALL = []  # the class of calls, once it is needed


class State:
    """What is known of a server."""

    __slots__ = ("name", "alias", "description", "entries", "aliases",
                 "tools", "fetch", "asked", "heard", "failed",
                 "beginnings", "server", "alike", "instructions", "unusable",
                 "cut")

    def __init__(self, told):
        self.name, self.alias = told["name"], told["alias"]
        self.description = told.get("description") or ""
        self.entries = None  # by the name of the tool; None: not fetched
        self.aliases, self.tools = {}, {}
        self.fetch = None  # the request for the tools, under way
        self.asked = self.heard = 0  # the last one made, and the last kept
        self.failed = False  # whether a search went on without it
        self.beginnings = {}  # of calls, by the name of the tool: bytes
        self.server = None  # the module, once it is asked for
        self.alike = None  # entries by plain_name(); None: not yet made
        self.instructions = None  # of the server, beside its list of tools
        self.unusable = {}  # why tools of these names cannot be used
        self.cut = None  # why those cannot that are not listed

    def told(self):
        """Return what list_servers says of it."""
        return {"name": self.name, "alias": self.alias,
                "description": self.description,
                "loaded": self.name in LOADED}

    def call_tool(self, tool, arguments=None, **named):
        """Call a tool, as a session of the MCP SDK does."""
        from ._ask import call_tool
        return call_tool(self.name, tool, arguments, named)

    def list_tools(self):
        """List the tools, as a session of the MCP SDK does."""
        from ._ask import entries_of
        return call("list_tools", entries_of(self.name))

    def begin(self, remembered=False):
        """Return the request for the tools: one that is under way, or new.

        Where a remembered list will do, any request does.
        """
        from ._ask import payload_of
        from ._request import DONE, Request
        if self.fetch is None or self.fetch.state == DONE or (
                self.fetch.remembered and not remembered):
            self.fetch = Request(payload_of("list_tools", {
                "server": self.name, "remembered": remembered}), self.name)
            self.asked += 1
            self.fetch.number, self.fetch.remembered = self.asked, remembered
        return self.fetch

    def finish(self, fetch):
        """Take the answer to the request; raises MCPError."""
        from ._ask import answer_of
        if fetch.kept:
            return
        try:
            answer = answer_of(fetch, self.name)
            if fetch.number > self.heard:
                self.keep(answer)
                self.heard = fetch.number
        except (AttributeError, LookupError, TypeError):
            raise error_type()("its list of tools cannot be read",
                               self.name) from None
        fetch.kept = True
        if self.fetch is fetch:
            self.fetch = None

    def keep(self, answer):
        """Take the list of tools."""
        entries, aliases, shapes = {}, {}, answer.get("shapes", {})
        for tool, alias in zip(answer["tools"], answer["aliases"]):
            entry = {"server": self.name, "serverAlias": self.alias,
                     "tool": tool["name"], "toolAlias": alias}
            for key in "title", "description", "inputSchema", "outputSchema":
                if key in tool:
                    entry[key] = tool[key]
            seen = shapes.get(tool["name"])
            if seen and not isinstance(tool.get("outputSchema"), dict):
                entry["seen"] = seen
            aliases.setdefault(alias, entry)
            entries.setdefault(tool["name"], entry)
        known = vars(self.server) if self.server else {}
        for alias, tool in self.tools.items():
            if known.get(alias) is tool:
                del known[alias]
        self.aliases, self.entries, self.tools = aliases, entries, {}
        self.alike = None
        self.instructions = answer.get("instructions")
        self.unusable = answer.get("unusable", {})
        self.cut = answer.get("cut")

    def find_alias(self, name):
        """Return the entry of a tool, by its alias or else its own name."""
        return (self.aliases.get(name) or (self.entries or {}).get(name)
                or self.find_alike(name))

    def find(self, name):
        """Return the entry of a tool, by its own name or else its alias."""
        return ((self.entries or {}).get(name) or self.aliases.get(name)
                or self.find_alike(name))

    def find_alike(self, name):
        """Return the one tool whose name is written in another way."""
        if not self.entries or not isinstance(name, str):
            return None
        from ._names import find_tool, plain_tools
        if self.alike is None:
            self.alike = plain_tools(self.entries)
        return find_tool(self.alike, self.name, name)

    def tool(self, entry):
        """Return the function of a tool."""
        alias = entry["toolAlias"]
        if alias not in self.tools:
            from ._tools import Tool
            self.tools[alias] = Tool(self, alias, entry)
        return self.tools[alias]


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
        if state.entries is None and name not in SESSION and (
                _box.child or is_call(frame)):
            from ._tools import Tool
            return Tool(state, name)
        entry = fetch(state, name, state.find_alias)
        if entry:
            tool = state.tool(entry)
            if name == entry["toolAlias"]:
                vars(self)[name] = tool  # until there is another list
            return tool
        if name in DESCRIBED:
            from ._ask import entries_of
            return DESCRIBED[name](run("list_tools", entries_of(state.name)))
        from ._names import no_tool
        text = no_tool(state, name, state.aliases)
        if is_import(frame):
            raise ImportError("cannot import name %r: %s" % (
                name, clean(text)))
        if name in SESSION:
            return getattr(state, SESSION[name])
        raise attribute_error(text)

    def __getitem__(self, name):
        """Return a tool by its own name, or its alias."""
        state = self.__server__
        entry = fetch(state, name, state.find)
        if entry:
            return state.tool(entry)
        from ._names import no_tool
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
        lines += [repr(state.tool(state.aliases[name]))[6:-1]
                  for name in names[:SHOWN_MAX]]
        if len(names) > SHOWN_MAX:
            lines.append("... and %d more" % (len(names) - SHOWN_MAX))
        return clean("\n".join(lines))

    @property
    def __all__(self):
        """What 'from mcp.servers.fs import *' imports."""
        return dir(self)


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


def error_type():
    """Return MCPError, which is imported late."""
    from ._result import MCPError
    return MCPError


def call(name, steps):
    """Return the call that carries steps out."""
    if not CALL:
        from ._call import Call
        CALL.append(Call)
    return CALL[0](name, steps)


def run(name, steps):
    """Carry steps out now, and return their result."""
    return call(name, steps).result()


def fetch(state, name, find):
    """Return what find() finds among the tools, which may have changed."""
    entry = find(name) if isinstance(name, str) else None
    if entry is None and isinstance(name, str):
        from ._ask import list_loaded
        run(state.name, list_loaded(state))
        entry = find(name)
    return entry


def find_server(name):
    """Return a loaded server by its name or its alias, or None."""
    if isinstance(name, Server):
        return name
    if not isinstance(name, str):
        raise TypeError("a server is given by its name, not by an object of "
                        "type %s" % type(name).__name__)
    if name in LOADED:
        return LOADED[name]
    for server in LOADED.values():
        if server.__server__.alias == name:
            return server
    return None


def whole(name):
    """Return the method of a dict, of all servers that there are."""
    def method(self, *more):
        """Take in the servers that are not loaded, and answer."""
        from ._names import known_servers
        for told in () if _box.child else known_servers():
            if not dict.__contains__(self, told["name"]):
                self[told["name"]] = server_of(told)
        return getattr(dict, name)(self, *more)
    return method


class ByName(type(_box.servers)):
    """The global 'mcp_servers': servers by name; aliases work, too.

    Those that are not loaded are when they are first used.
    """

    (__eq__, __iter__, __len__, __ne__, __or__, __repr__, __reversed__,
     __ror__, copy, items, keys, values) = map(whole, (
         "__eq__", "__iter__", "__len__", "__ne__", "__or__", "__repr__",
         "__reversed__", "__ror__", "copy", "items", "keys", "values"))

    def __contains__(self, name):
        """Whether there is a server of this name, or alias."""
        return dict.__contains__(self, name) or self.get(name) is not None

    def get(self, name, default=None):
        """Return a server by its name or alias, or the default."""
        if dict.__contains__(self, name):
            return self[name]
        from ._names import resolve
        found = resolve(name) if isinstance(name, str) else None
        return default if found is None else found


def missing(name):
    """Answer mcp_servers[name] where name is no name of a loaded one."""
    from ._names import no_server, resolve
    server = resolve(name) if isinstance(name, str) else None
    if server is None:
        raise KeyError(clean("%s: %s" % (name, no_server(name))))
    return server


def no_attribute(name):
    """Return the sentence about mcp_servers.NAME."""
    from ._names import no_server, resolve
    server = resolve(name)
    if server is None:
        return "mcp_servers is a dict; %s: %s" % (name, no_server(name))
    return "mcp_servers is a dict: write mcp_servers[%r], or mcp_%s" % (
        name, server.__server__.alias)


def state_of(told):
    """Return the state of a server that list_servers tells of."""
    state = KNOWN.get(told["name"])
    if state is None:
        state = KNOWN[told["name"]] = State(told)
    return state


def server_of(told):
    """Return the server that list_servers tells of, loaded or not."""
    state = state_of(told)
    if state.server is None:
        state.server = Server(state)
    return state.server


def add(told):
    """Make a server that is loaded known to the code."""
    names = vars(builtins if _box.child else sys.modules["__main__"])
    server = LOADED[told["name"]] = server_of(told)
    _box.servers[told["name"]] = server
    if told["alias"] not in RESERVED:
        names.setdefault("mcp_" + told["alias"], server)
    names["LOADED_MCP_SERVERS"] = tuple(LOADED)
    tools = sys.modules.get("user_tools")
    if hasattr(tools, "__learn__"):
        tools.__learn__()
    return server


_box.servers.__class__ = ByName
for _told in _box.told:
    add(_told)
