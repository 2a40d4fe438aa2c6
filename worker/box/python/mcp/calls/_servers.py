"""The servers of this execution, by name: the global 'mcp_servers'."""
from . import _box, _server  # noqa: F401
from ._state import add, server_of
from ._values import attribute_error, clean


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


_box.servers.__class__ = ByName
for _told in _box.told:
    add(_told)
