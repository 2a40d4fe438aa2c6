"""What is told of a name that the code used and that nobody has defined."""
from . import _ask, _servers
from ._result import MCPError

PATIENCE = 1  # seconds for the list of servers, where the code has failed
SHOWN_MAX = 20  # servers in a sentence
MODULE = ("mcp is a module: write 'import mcp' first, or use 'runtime' and "
          "'mcp_<alias>', which are there without")
NOT_LOADED = "the server %s is not loaded: %s"
UNKNOWN = ("mcp_<alias> is there for servers that are named in the tool's "
           "'servers' argument, or after: await runtime.load_server('name')")


def about(name):
    """Return a sentence about mcp or mcp_<alias>, which is not defined, and
    whether it makes any other guess a wrong one.
    """
    if name == "mcp":
        return MODULE, True
    alias = name[len("mcp_"):]
    try:
        servers = _servers.call(
            "list_servers", _ask.list_servers()).result(PATIENCE)
    except (MCPError, TimeoutError):
        return UNKNOWN, False
    for told in servers:
        if alias in (told["alias"], told["name"]):
            return about_server(told["name"]), True
    names = [told["name"] for told in servers]
    more = ", ..." if names[SHOWN_MAX:] else ""
    return "no server has the alias %s%s; there are: %s" % (
        alias, _servers.did_you_mean(
            alias, [told["alias"] for told in servers]),
        (", ".join(names[:SHOWN_MAX]) or "none") + more), False


def about_server(name):
    """Return what to do about a server that there is."""
    if name in _servers.LOADED:
        return "the server %s is mcp_servers[%r]" % (name, name)
    return NOT_LOADED % (name, _servers.LOAD % name)
