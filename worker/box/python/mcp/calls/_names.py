"""Names of servers and tools in all spellings that code uses.

Servers that the code names and that are not loaded are looked up before it
runs, because Python offers no hook for an undefined name.
"""
from . import _box, _server  # noqa: F401
from ._named import NAMED_MAX, find_told, not_among
from ._state import call, error_type, find_server, server_of

PATIENCE = 1  # seconds for the list of servers, where it is only shown
PREFIX = "mcp_"


def define(names, wanted):
    """Put the servers among names that begin with mcp_ into a namespace."""
    servers = known_servers()
    if PREFIX in wanted:  # the code makes names itself
        wanted = wanted.union(PREFIX + told["alias"] for told in servers)
    for name in wanted:
        told = find_told(name[len(PREFIX):], servers)
        if told:
            names.setdefault(name, server_of(told))


def no_server(name):
    """Return the sentence about a server that there is not."""
    return not_among(name, known_servers())


def none_loaded():
    """Return what is said where no server is loaded."""
    told = [] if _box.child else known_servers(PATIENCE)
    more = ", ..." if told[NAMED_MAX:] else ""
    return told and " (each loads on first use: %s)" % (", ".join(
        "mcp_" + each["alias"] for each in told[:NAMED_MAX]) + more) or ""


def known_servers(seconds=None):
    """Return what is told of all servers; nothing where none can be asked."""
    from ._ask import list_servers
    try:
        return call("list_servers", list_servers()).result(seconds)
    except (TimeoutError, error_type()):
        return []


def resolve(name):
    """Return a server by its name or its alias, loaded or not, or None.

    One that is not loaded is when it is first used.
    """
    server = find_server(name)
    if server is None and not _box.child:
        told = find_told(name, known_servers())
        server = server_of(told) if told else None
    return server
