"""How modules in mcp are imported, among them the servers.

The finder that the bootstrap has put into sys.meta_path asks find_spec() for
all that begins with "mcp.", and for one module of Python's.
"""
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import PathFinder

from . import _box, _servers


def find_spec(name, path):
    """Return where a module is; else say what would help."""
    if name.startswith("mcp.servers."):
        return find(name)
    spec = PathFinder.find_spec(name, path)
    if name == "multiprocessing.spawn":
        prepare_spawn(spec.loader)
    elif name == "mcp.runtime":
        become_runtime(spec.loader)
    elif spec is None:
        from ._hints import no_module
        raise ModuleNotFoundError(no_module(name), name=name)
    return spec


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


def prepare_spawn(loader):
    """Have new interpreters know mcp, before they import the code."""
    run = loader.exec_module

    def exec_module(module):
        run(module)
        prepare = module.get_preparation_data
        module.get_preparation_data = lambda name: dict(
            prepare(name), caisson=Offer())

    loader.exec_module = exec_module


class Offer:
    """Sent to a new interpreter, it gives the code there what it has here.

    Whatever would ask a server is refused there, as in every child.
    """

    def __reduce__(self):
        """Return what unpickling does there: run the bootstrap as a child."""
        import runpy
        path, role = _box.offer
        told = [server.__server__.told() for server
                in _servers.LOADED.values()]
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
