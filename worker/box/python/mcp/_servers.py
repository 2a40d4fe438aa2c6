"""The servers of this execution: those that are loaded, and their tools.

A server is a module whose attributes are its tools; the list of them is
fetched when the first is asked for.  What has to be asked of the relay is
written as generators that yield payloads; mcp._call carries them out.
"""
import sys

from . import _box

LOAD = ("name it in the tool's 'servers' argument, or: "
        "await runtime.load_server(%r)")
NAME_MAX = 1000  # bytes of the name of a tool, as JSON
ARGUMENTS_MAX = 16 << 20  # bytes, as JSON
SETTINGS = {"raise_on_error": True}
LOADED = {}  # name to Server, in the order of loading


class State:
    """What is known of a loaded server."""

    __slots__ = ("name", "alias", "description", "entries", "aliases",
                 "tools")

    def __init__(self, told):
        self.name, self.alias = told["name"], told["alias"]
        self.description = told.get("description") or ""
        self.entries = None  # by the name of the tool; None: not fetched
        self.aliases, self.tools = {}, {}

    def told(self):
        """Return what list_servers says of it."""
        return {"name": self.name, "alias": self.alias,
                "description": self.description, "loaded": True}

    def keep(self, answer):
        """Take the answer to list_tools."""
        entries, aliases = {}, {}
        for tool, alias in zip(answer["tools"], answer["aliases"]):
            entry = {"server": self.name, "serverAlias": self.alias,
                     "tool": tool["name"], "toolAlias": alias}
            for key in "description", "inputSchema", "outputSchema":
                if key in tool:
                    entry[key] = tool[key]
            aliases.setdefault(alias, entry)
            entries.setdefault(tool["name"], entry)
        self.aliases, self.entries, self.tools = aliases, entries, {}

    def find_alias(self, name):
        """Return the entry of a tool, by its alias."""
        return self.aliases.get(name)

    def find(self, name):
        """Return the entry of a tool, by its own name or its alias."""
        return (self.entries or {}).get(name) or self.aliases.get(name)

    def tool(self, entry):
        """Return the function of a tool."""
        alias = entry["toolAlias"]
        if alias not in self.tools:
            from ._tools import Tool
            self.tools[alias] = Tool(
                entry, "mcp.servers." + self.alias, call_exactly)
        return self.tools[alias]


class Server(type(sys)):
    """A loaded server: mcp_fs, mcp_servers["fs"], mcp.servers.fs.

    Tools are attributes by their aliases, and by their own names or aliases
    indices.  Everything else of it has names with two underscores.
    """

    def __init__(self, told):
        super().__init__("mcp.servers." + told["alias"])
        self.__dict__["__server__"] = State(told)

    def __getattr__(self, name):
        """Return a tool by its alias."""
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        state = self.__server__
        entry = fetch(state, name, state.find_alias)
        if entry:
            return state.tool(entry)
        text = no_tool(state, name, state.aliases)
        if is_import(sys._getframe(1)):
            raise ImportError("cannot import name %r: %s" % (name, text))
        raise AttributeError(text)

    def __getitem__(self, name):
        """Return a tool by its own name, or its alias."""
        state = self.__server__
        entry = fetch(state, name, state.find)
        if entry:
            return state.tool(entry)
        raise KeyError(no_tool(state, name, state.entries))

    def __dir__(self):
        """Return the aliases of the tools."""
        state = self.__server__
        if state.entries is None:
            run("list_tools", list_tools(state))
        return sorted(state.aliases)

    def __repr__(self):
        """Return what it is, without asking for its tools."""
        state = self.__server__
        about = ": " + state.description if state.description else ""
        return "<MCP server %s%s>" % (state.name, about)

    def __reduce__(self):
        """Copies are the server itself."""
        return find_server, (self.__server__.name,)

    @property
    def __doc__(self):
        """The description, and the tools."""
        state = self.__server__
        lines = ["The MCP server %s." % state.name, state.description, ""]
        lines += [repr(state.tool(state.aliases[name]))[6:-1]
                  for name in dir(self)]
        return "\n".join(lines)

    @property
    def __all__(self):
        """What 'from mcp.servers.fs import *' imports."""
        return dir(self)


def is_import(frame):
    """Whether a frame is at 'from module import name'."""
    from opcode import opmap
    code = frame.f_code.co_code
    return code[frame.f_lasti] == opmap["IMPORT_FROM"]


def error_type():
    """Return MCPError, which is imported late."""
    from ._result import MCPError
    return MCPError


def call(name, steps):
    """Return the call that carries steps out."""
    from ._call import Call
    return Call(name, steps)


def run(name, steps):
    """Carry steps out now, and return their result."""
    return call(name, steps).result()


def fetch(state, name, find):
    """Return what find() finds among the tools, which may have changed."""
    entry = find(name) if isinstance(name, str) else None
    if entry is None and isinstance(name, str):
        run(state.name, list_tools(state))
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


def missing(name):
    """Answer mcp_servers[name] where name is no name of a loaded one."""
    server = find_server(name) if isinstance(name, str) else None
    if server is None:
        raise KeyError("%s is not loaded; loaded are: %s; %s" % (
            name, ", ".join(LOADED) or "none", LOAD % name))
    return server


def did_you_mean(name, known):
    """Return a hint at the names that come close."""
    from difflib import get_close_matches
    low = {each.lower(): each for each in known if isinstance(each, str)}
    close = get_close_matches(str(name).lower(), low, 3, 0.6)
    close = [low[each] for each in close]
    return "; did you mean %s?" % " or ".join(close) if close else ""


def no_tool(state, name, known):
    """Return the sentence about a tool that does not exist."""
    text = "server %s has no tool %r" % (state.name, name)
    hint = did_you_mean(name, known)
    if hint or not known:
        return text + hint
    names = sorted(known)
    more = ", ..." if len(names) > 20 else ""
    return text + "; it has: " + ", ".join(names[:20]) + more


# What is asked of the relay: generators that yield payloads


def ask(kind, server=None, **fields):
    """Ask, and return the answer; refusals become MCPError."""
    from . import _values
    from ._wire import Refused
    tool, arguments = fields.get("tool"), fields.get("arguments")
    payload = {"type": kind}
    payload.update({"server": server} if server is not None else {})
    payload.update({"tool": tool} if tool is not None else {})
    text = _values.write(payload, "payload")
    if arguments is not None:
        text = text[:-1] + b',"arguments":' + arguments + b"}"
    try:
        return (yield text)
    except Refused as refused:
        error = refused.error
        raise error_type()(
            refused.message, server, tool, code=error.get("code"),
            data=error.get("data")) from None


def list_servers():
    """Return what is known of every allowed server."""
    return (yield from ask("list_servers"))


def list_tools(state):
    """Fetch the list of tools of a loaded server."""
    answer = yield from ask("list_tools", state.name)
    try:
        state.keep(answer)
    except (AttributeError, LookupError, TypeError):
        raise error_type()("its list of tools cannot be read",
                           state.name) from None
    return state


def find_loaded(name):
    """Return the state of a loaded server; else say what to do."""
    server = find_server(name)
    if server is None:
        told = yield from find_allowed(name)
        raise error_type()("the server is not loaded: %s" % (
            LOAD % told["name"]), told["name"])
    return server.__server__


def find_allowed(name):
    """Return what is known of an allowed server."""
    servers = yield from list_servers()
    for key in "name", "alias":
        for told in servers:
            if told[key] == name:
                return told
    names = [told["name"] for told in servers]
    raise error_type()("there is no such server%s; there are: %s" % (
        did_you_mean(name, names), ", ".join(names) or "none"), name)


def entries_of(name):
    """Return the entries of the tools of a loaded server."""
    state = yield from find_loaded(name)
    yield from list_tools(state)
    return [dict(entry) for entry in state.aliases.values()]


def call_by_name(server, tool, arguments):
    """Call a tool by its own name or its alias."""
    state = yield from find_loaded(server)
    if state.find(tool) is None:
        yield from list_tools(state)
    entry = state.find(tool)
    if entry is None:
        raise error_type()("there is no such tool%s" % (
            did_you_mean(tool, state.entries)), state.name, tool)
    return (yield from call_entry(state.name, entry["tool"], arguments))


def call_entry(server, tool, arguments):
    """Call a tool that is known to exist."""
    from ._result import MCPError, Result
    answer = yield from ask(
        "call_tool", server, tool=tool, arguments=arguments)
    if not isinstance(answer, dict):
        raise MCPError("the answer is no result of a tool", server, tool)
    result = Result(answer)
    if result.is_error and SETTINGS["raise_on_error"]:
        raise MCPError(
            result.text.strip() or "the tool failed and did not say why",
            server, tool, result)
    return result


def arguments_text(server, tool, arguments):
    """Return the arguments as JSON; raises what they cannot be."""
    from . import _values
    text = _values.write(arguments, "arguments")
    if len(text) > ARGUMENTS_MAX:
        raise error_type()("the arguments have %d bytes as JSON; %d are "
                           "allowed" % (len(text), ARGUMENTS_MAX),
                           server, tool)
    if len(_values.write(tool, "tool")) > NAME_MAX:
        raise error_type()("the name of the tool is too long", server)
    return text


def call_exactly(server, tool, arguments):
    """Return the call of a tool, by names that are known to be right."""
    text = arguments_text(server, tool, arguments)
    return call("%s.%s" % (server, tool), call_entry(server, tool, text))


def load(name):
    """Load an allowed server and give the code its names."""
    server = find_server(name)
    if server is None:
        told = yield from find_allowed(name)
        told = yield from ask("load_server", told["name"])
        server = LOADED.get(told["name"]) or add(told)
    return server


def add(told):
    """Make a server that is loaded known to the code."""
    names = vars(sys.modules["__main__"])
    server = LOADED[told["name"]] = Server(told)
    _box.servers[told["name"]] = server
    names["mcp_" + told["alias"]] = server
    names["LOADED_MCP_SERVERS"] = tuple(LOADED)
    return server


for _told in _box.told:
    add(_told)
