"""What the module mcp.servers is: all servers, by their aliases."""
import sys

from ._names import known_servers, no_server, resolve
from ._server import Server
from ._state import LOADED
from ._values import attribute_error, clean


class Servers(type(sys)):
    """The module mcp.servers: its attributes are the servers.

    It keeps nothing that an alias could be the name of.
    """

    def __getattr__(self, name):
        """Return a server by its alias."""
        if name.startswith("__"):
            raise AttributeError(name)
        server = resolve(name)
        if server is None:
            raise attribute_error("%s: %s" % (name, no_server(name)))
        return server

    def __getitem__(self, name):
        """Return a server by its name."""
        server = resolve(name)
        if server is None:
            raise KeyError(clean("%s: %s" % (name, no_server(name))))
        return server

    def __setattr__(self, name, value):
        """Ignore the import system, which sets what is there already."""
        if not isinstance(value, Server):
            super().__setattr__(name, value)

    @property
    def __all__(self):
        """What 'from mcp.servers import *' imports: all servers."""
        return sorted(told["alias"] for told in known_servers())

    def __dir__(self):
        """Return the aliases of the loaded servers."""
        return sorted(server.__server__.alias for server in LOADED.values())
