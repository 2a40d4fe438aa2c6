"""The user's MCP servers, as the code in a box sees them.

The modules: mcp.runtime (the functions) and mcp.servers (the servers that are
loaded, each a module with its tools as functions).  This package speaks only
to the relay, over the two pipes that the bootstrap handed to it, and starts
no thread.  Nothing of it is imported before the code uses it.
"""
__all__ = ["runtime", "servers"]


def __getattr__(name):
    """Import mcp.runtime and mcp.servers when they are first touched."""
    if name in __all__:
        import importlib
        return importlib.import_module("mcp." + name)
    raise AttributeError("module 'mcp' has no attribute %r" % name)
