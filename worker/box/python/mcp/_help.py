"""The text of help() for runtime and for servers: one screen, if possible.

Python's own text has the whole documentation of every function, and all tools
of a server twice: 500 lines for runtime, 900 for a server with 80 tools.
"""
from inspect import signature

from . import _box, _servers

WHOLE_MAX = 8  # tools of a server that are described, too
WIDTH = 100  # characters of a line


def teach(pydoc):
    """Have pydoc show them so."""
    plain = pydoc.TextDoc.docmodule

    def docmodule(self, module, *args):
        if module is _box.runtime:
            return of_runtime()
        if isinstance(module, _servers.Server) and \
                len(module) > WHOLE_MAX:
            return of_server(module)
        return plain(self, module, *args)

    pydoc.TextDoc.docmodule = docmodule


def of_runtime():
    """Return a line for each function, in the order of their names."""
    from . import runtime
    found = [(name, getattr(runtime, name)) for name in runtime.__all__]
    lines = [line(name, thing) for name, thing in found]
    return ("runtime: how code finds, loads and calls MCP servers, and keeps "
            "things; 'await' each call. help(runtime.call_tool) tells "
            "more of one.\n\n%s\n" % "\n".join(lines))


def line(name, thing):
    """Return a function as it is called, and what it does, cut."""
    shown = name if isinstance(thing, type) else "%s%s" % (
        name, signature(thing))
    about = (thing.__doc__ or "").strip().partition("\n")[0]
    text = "%s: %s" % (shown, about)
    return text if len(text) <= WIDTH else text[:WIDTH - 3] + "..."


def of_server(server):
    """Return a line for each tool of a server, up to a number of them."""
    state = server.__server__
    names = dir(server)
    lines = ["mcp_%s" % repr(state.tool(state.aliases[name]))[6:-1]
             for name in names[:_servers.SHOWN_MAX]]
    if len(names) > _servers.SHOWN_MAX:
        lines.append("... and %d more" % (len(names) - _servers.SHOWN_MAX))
    return _servers.clean(
        "The MCP server %s. %s\n\n%s\n\nhelp(mcp_%s.%s) tells more of one, "
        "and await runtime.search_tool_docs('...') finds one.\n" % (
            state.name, state.description, "\n".join(lines), state.alias,
            names[0]))
