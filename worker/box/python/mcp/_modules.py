"""The module mcp.servers and its submodules, which are the servers.

Imports of names below mcp.servers come to find(), through the finder that
the bootstrap has put into sys.meta_path.
"""
import sys
from _frozen_importlib import ModuleSpec

from . import _servers


class Loader:
    """Gives the import system a module that exists already."""

    def __init__(self, server):
        self.server = server

    def create_module(self, spec):
        """Return the server."""
        return self.server

    def exec_module(self, module):
        """There is nothing to execute."""


def find(name):
    """Return how to import mcp.servers.NAME; else say what would help."""
    alias = name.rpartition(".")[2]
    server = _servers.find_server(alias)
    if server is None:
        raise ImportError(explain(alias), name=name)
    return ModuleSpec(name, Loader(server), origin="an MCP server")


def explain(alias):
    """Return why a server cannot be imported, and what to do."""
    from ._ask import find_loaded
    try:
        _servers.run(alias, find_loaded(alias))
    except _servers.error_type() as error:
        return str(error)


class Servers(type(sys)):
    """The module mcp.servers: its attributes are the loaded servers.

    It keeps nothing that an alias could be the name of.
    """

    def __getattr__(self, name):
        """Return a loaded server by its alias."""
        server = None if name.startswith("__") else _servers.find_server(name)
        if server is None:
            raise _servers.attribute_error(
                "no server of the alias %r is loaded" % name)
        return server

    def __setattr__(self, name, value):
        """Ignore the import system, which sets what is there already."""
        if not isinstance(value, _servers.Server):
            super().__setattr__(name, value)

    def __dir__(self):
        """Return the aliases of the loaded servers."""
        return sorted(server.__server__.alias
                      for server in _servers.LOADED.values())
