"""What is known of the servers of this execution, loaded or not.

What a server is for the code is above: see _server.py.
"""
import builtins
import sys

from . import _box

RESERVED = ("servers",)  # mcp_servers is another name of ours
LOADED = {}  # name to Server, in the order of loading
KNOWN = {}  # name to State, of servers that may be loaded, too
CALL = []  # the class of calls, once it is needed
SERVER = []  # the class of servers, once _server.py is imported


class State:
    """What is known of a server."""

    __slots__ = ("name", "alias", "description", "entries", "aliases",
                 "tools", "fetch", "asked", "heard", "failed",
                 "server", "alike", "instructions", "unusable",
                 "cut", "capabilities", "heads")

    def __init__(self, told):
        self.name, self.alias = told["name"], told["alias"]
        self.description = told.get("description") or ""
        self.entries = None  # by the name of the tool; None: not fetched
        self.aliases, self.tools = {}, {}
        self.fetch = None  # the request for the tools, under way
        self.asked = self.heard = 0  # the last one made, and the last kept
        self.failed = False  # whether a search went on without it
        self.server = None  # the module, once it is asked for
        self.alike = None  # entries by plain_name(); None: not yet made
        self.instructions = None  # of the server, beside its list of tools
        self.capabilities = None  # what it has besides tools
        self.unusable = {}  # why tools of these names cannot be used
        self.cut = None  # why those cannot that are not listed
        self.heads = {}  # by the name of a tool: how its requests begin

    def told(self):
        """Return what list_servers says of it."""
        return {"name": self.name, "alias": self.alias,
                "description": self.description,
                "loaded": self.name in LOADED}

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
        self.alike, self.heads = None, {}
        self.instructions = answer.get("instructions")
        self.capabilities = answer.get("capabilities")
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
        """Return the one tool whose name is spelled like this one."""
        if not self.entries or not isinstance(name, str):
            return None
        from ._named import is_spelled, plain_name, plain_tools
        if self.alike is None:
            self.alike = plain_tools(self.entries)
        found = self.alike.get(plain_name(name), ())
        return found[0] if len(found) == 1 and is_spelled(
            name, found[0]["tool"]) else None


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


def find_server(name):
    """Return a loaded server by its name or its alias, or None."""
    if isinstance(name, tuple(SERVER)):
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
        state.server = SERVER[0](state)
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
