"""The servers of this execution, by name: what the global mcp_servers uses."""
from . import _box, _server  # noqa: F401
from ._state import add, server_of
from ._values import attribute_error, clean


def take_in():
    """Put the servers that are not loaded into 'mcp_servers', too."""
    from ._names import known_servers
    for told in () if _box.child else known_servers():
        if not dict.__contains__(_box.servers, told["name"]):
            _box.servers[told["name"]] = server_of(told)


def find(name):
    """Return a server by its name or alias, or None."""
    from ._names import resolve
    return resolve(name) if isinstance(name, str) else None


def missing(name):
    """Answer mcp_servers[name] where name is no name of a loaded one."""
    server = find(name)
    if server is None:
        from ._names import no_server
        raise KeyError(clean("%s: %s" % (name, no_server(name))))
    return server


def no_attribute(name):
    """Return the sentence about mcp_servers.NAME."""
    server = find(name)
    if server is None:
        from ._names import no_server
        return "mcp_servers is a dict; %s: %s" % (name, no_server(name))
    return "mcp_servers is a dict: write mcp_servers[%r], or mcp_%s" % (
        name, server.__server__.alias)


for _told in _box.told:
    add(_told)
