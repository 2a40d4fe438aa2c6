"""The user's MCP servers, as the code in a box sees them.

The modules: mcp.runtime (the functions) and mcp.servers (the servers, each a
module with its tools as functions); both kinds may be imported from here, too.
This package speaks only to the relay, over the two pipes that the bootstrap
handed to it, and starts no thread.  Nothing of it is imported before the code
uses it.

Its parts lie in rooms, of which each uses only those behind it, and are modules
of the package itself.
"""
__all__ = ["runtime", "servers"]
ROOMS = "help", "stored", "files", "calls", "results", "tools", "wire"
__path__.extend(["%s/%s" % (__path__[0], room) for room in ROOMS])


def __getattr__(name):
    """Import mcp.runtime and mcp.servers when they are first touched."""
    import importlib
    if name in __all__:
        return importlib.import_module("mcp." + name)
    if name.startswith("_"):
        raise AttributeError("module 'mcp' has no attribute %r" % name)
    runtime = importlib.import_module("mcp.runtime")
    if name in runtime.__all__:
        return getattr(runtime, name)
    import sys
    from mcp._hints import no_name
    from mcp._names import resolve
    from mcp._server import is_import
    from mcp._values import attribute_error
    server = resolve(name)
    if server is not None:
        return server
    hint = no_name(name, [known for known in runtime.__all__
                          if known[0].isupper() == name[0].isupper()])
    if is_import(sys._getframe(1)):
        raise ImportError("cannot import name %r from 'mcp': %s" % (
            name, hint))
    raise attribute_error("module 'mcp' has no attribute %r: %s" % (
        name, hint))


def __dir__():
    """Return the public names."""
    from mcp import runtime
    return sorted(__all__ + runtime.__all__)
