"""How modules in mcp are imported, among them the servers.

The finder that the bootstrap has put into sys.meta_path asks find_spec() for
all that begins with "mcp.".
"""
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import PathFinder

from . import _box, _state
from ._values import clean


def find_spec(name, path):
    """Return where a module is; else say what would help."""
    if name.startswith("mcp.servers."):
        return find(name)
    spec = PathFinder.find_spec(name, path)
    if name == "mcp.runtime":
        become_runtime(spec.loader)
    elif spec is None:
        from ._names import resolve
        server = resolve(name[len("mcp."):])
        if server is not None:
            return ModuleSpec(name, Loader(server), origin="an MCP server")
        from ._hints import no_module
        raise ModuleNotFoundError(no_module(name), name=name)
    return spec


def find_global(name):
    """Return how to import a global of ours: runtime, or mcp_NAME.

    None, where there is no such server: others may find it.
    """
    if name == "runtime":
        if PathFinder.find_spec(name):
            return None
        import mcp.runtime
        return ModuleSpec(name, Loader(mcp.runtime), origin="caisson")
    from ._names import resolve
    if name == "mcp_servers":
        import mcp.servers
        return ModuleSpec(name, Loader(mcp.servers), origin="caisson")
    server = resolve(name[len("mcp_"):])
    return server and ModuleSpec(name, Loader(server), origin="an MCP server")


def become_runtime(loader):
    """Make the module mcp.runtime of what stands for it.

    Until all of it is there, threads that ask for a part must wait.
    """
    run = loader.exec_module

    def exec_module(module):
        run(module)
        module.__class__ = type(sys)

    loader.create_module = lambda spec: _box.runtime
    loader.exec_module = exec_module


class Inherited:
    """Sent to a new interpreter, it gives the code there what it has here.

    Whatever would ask a server is refused there, as in every child.
    """

    def __reduce__(self):
        """Return what unpickling does there: run the bootstrap as a child."""
        import runpy
        path, role = _box.namespace
        told = [server.__server__.told() for server in _state.LOADED.values()]
        names = {"told": told, "memory": _box.memory}
        return runpy.run_path, (path, names, role)


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
    from ._names import no_server, resolve
    server = resolve(alias)
    if server is None:
        raise ImportError(clean(
            "%s: %s" % (alias, no_server(alias))), name=name)
    return ModuleSpec(name, Loader(server), origin="an MCP server")
