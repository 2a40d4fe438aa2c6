"""The functions by which code finds, loads and calls MCP servers.

    result = await runtime.call_tool("fs", "read_file", {"path": "a.txt"})
    print(result.text)

Functions that need an answer return a call: 'await' it, or use '.result()'.
Results that are returned at once may be awaited, too.  Servers and tools are
given by their names or their aliases.
"""
from . import _ask, _box, _state
from . import _servers  # noqa: F401: it makes the servers
from ._caller import ReadyTuple, at_once, for_await
from ._data import Part
from ._result import ArgumentError, MCPError, Result

__all__ = [
    "ArgumentError", "MCPError", "Result", "call_tool", "call_tool_sync",
    "capability_summary", "complete", "configure", "describe_server",
    "discovered_servers", "end_session", "get_prompt",
    "list_loaded_server_metadata", "list_files", "list_servers",
    "list_servers_sync", "list_tools", "list_tools_sync", "load_server",
    "progress", "prompts", "query_tool_docs", "query_tool_docs_sync",
    "read_resource", "resource_templates", "resources", "save_file",
    "search_tool_docs", "search_tool_docs_sync", "show", "types"]
if _box.memory:
    from ._memory import (
        NAMES, delete_memory, get_memory_info, list_memories, load_memory,
        memory_exists, save_memory, update_memory)
    from ._saved_tools import save_tool
    __all__ += NAMES + ("output",)


class Loaded(ReadyTuple):
    """The names of the loaded servers."""

    __slots__ = ()

    def __repr__(self):
        """Return the tuple; an empty one says what could be loaded."""
        from ._names import none_loaded
        return tuple.__repr__(self) if self else "()" + none_loaded()


def __getattr__(name):
    """Return a server by its name, as one may expect it here."""
    if not name.startswith("_") and not _box.child:
        from ._names import resolve
        if name in HABITS:
            return HABITS[name]
        from ._server import BESIDES, besides
        if name in BESIDES:
            return besides(name)
        server = resolve(name)
        if server is not None:
            return server
    raise AttributeError("module 'mcp.runtime' has no attribute %r" % name)


def _twin(function):
    """Return the function that waits for the call of another one."""
    def twin(*args, **named):
        return function(*args, **named).result()

    twin.__name__ = twin.__qualname__ = function.__name__ + "_sync"
    twin.__doc__ = "Wait for %s(), and return its value." % function.__name__
    twin.__wrapped__ = function
    return twin


def call_tool(server=None, tool=None, arguments=None, **named):
    """Return a call of a tool, to be awaited; its value is a Result.

    The arguments are a dict, or named.  call_tool("fs.read_file", {...}) is
    call_tool("fs", "read_file", {...}).

    Raises MCPError when awaited; TypeError or ValueError at once for
    arguments that JSON cannot hold.  Unknown, missing and invalid arguments
    raise ArgumentError, which is an MCPError and a TypeError.
    """
    return _ask.call_tool(server, tool, arguments, named)


def discovered_servers(detailed=False):
    """Return the names of all servers that may be loaded, as a tuple.

    detailed: return dicts of name and description; without a configured
    description, it is what the server reported when it last ran.  Waits for
    the answer.
    """
    servers = _state.run("list_servers", _ask.list_servers())
    if detailed:
        servers = [Part(name=told["name"],
                        description=told.get("description") or "")
                   for told in servers]
    else:
        servers = [told["name"] for told in servers]
    return at_once(tuple(servers))


def list_servers():
    """Return the names of the loaded servers, as a tuple, at once.

    An empty one is printed with the servers that could be loaded.
    """
    return Loaded(_state.LOADED)


def list_tools(server=None):
    """Return a call, to be awaited, that lists the tools of a server.

    The server need not be loaded.  The call returns a list of dicts: name,
    server, serverAlias, tool (the name again), toolAlias, and, if the server
    has them, description, inputSchema, outputSchema.  Without a server,
    MCPError names all.
    """
    if server is None:
        from ._named import there_are
        from ._names import known_servers
        raise MCPError("list_tools() needs the name of a server; "
                       + there_are(known_servers()))
    return _state.call("list_tools", _ask.entries_of(server))


def describe_server(name):
    """Return a dict that describes a server, loaded or not.

    It has name, alias, description and loaded, and instructions if the server
    has any, or error, which says why they are not known; capabilities: which
    of resources, prompts and completions it has, if any; for a loaded server
    also tools, as list_tools() returns them.  Waits for the answers.
    """
    found = _state.find_server(name)
    if found is None:
        state, told = _state.run("describe_server", _ask.find_described(name))
    else:
        state, tools = found.__server__, list_tools_sync(found)
        told = dict(state.told(), tools=tools)
    for key in "instructions", "capabilities":
        if getattr(state, key):
            told[key] = getattr(state, key)
    return at_once(told)


def list_loaded_server_metadata():
    """Return a list of dicts about the loaded servers, at once.

    They have name, alias, description and loaded.
    """
    return at_once([server.__server__.told()
                    for server in _state.LOADED.values()])


def query_tool_docs(server, tool=None, detail="summary"):
    """Return a call, to be awaited, that describes the tools of a server.

    The server need not be loaded; tool names one tool, by default all are
    described.  The call returns a list of dicts: server, serverAlias, tool,
    toolAlias, description (its first paragraph); with detail="full" the whole
    description, inputSchema and outputSchema, if there are any.  With
    detail="types" it returns a text, as types() does.
    """
    from . import _docs
    _docs.check_detail(detail, "types")
    return _state.call("query_tool_docs", _docs.query(server, tool, detail))


def types(server, tool=None):
    """Return the tools of a server, or one, as TypeScript declares them: a
    text, made of the schemas of their arguments and results.

    The server need not be loaded.  Waits for its answer.
    """
    from . import _docs
    return at_once(_state.run("types", _docs.query(server, tool, "types")))


def search_tool_docs(query, *, limit=5, detail="summary"):
    """Return a call, to be awaited, that searches the tools of all servers.

    Servers that are not loaded are searched, too; a server that cannot be
    searched is left out, and a note says so.  The call
    returns a list of at most limit dicts as query_tool_docs() does, with a
    score from 0 to 1, the best first.  An empty query finds all tools.
    """
    from . import _docs
    _docs.check_detail(detail)
    if not isinstance(query, str):
        raise TypeError("query must be a string of words, not an object of "
                        "type %s" % type(query).__name__)
    if not isinstance(limit, int) or limit < 1:
        raise ValueError("limit must be an integer of at least 1, not %r"
                         % (limit,))
    return _state.call("search_tool_docs", _docs.search(query, limit, detail))


def capability_summary(detail="summary"):
    """Return the manual, as text: which servers there are, how to use them.

    detail="full" has more about everything.  Waits for the lists of tools of
    the loaded servers.
    """
    from . import _docs
    _docs.check_detail(detail)
    return at_once(_state.run("capability_summary", _docs.manual(detail)))


if _box.memory:
    def output(execution, stream="stdout"):
        """Return the whole text of an output that was cut in its answer.

        The answer names the id of its execution, and how long the text is
        there.
        stream: "stdout" or "stderr".
        """
        from ._output import output as read
        return read(execution, stream)


def load_server(name):
    """Return a call, to be awaited, that loads an allowed server.

    The call returns the server, which from then on is also mcp_<alias>, in
    mcp_servers, in LOADED_MCP_SERVERS and importable from mcp.servers.
    """
    return _state.call("load_server", _ask.load(name))


def show(value, title=None):
    """Show a picture: it comes back in the answer, in order with the text.

    It is a figure of matplotlib, or an object drawn in one, an image of
    Pillow, an array of numpy with 8 bits for each of 3 or 4 colours, the bytes
    of a PNG, JPEG, WebP or GIF, the path of such a file, or a tool's result.
    Bytes of anything else raise ValueError; other values are printed, tables
    with all columns.  An answer has at most 8 pictures.
    """
    from . import _show
    _show.show(value, title)
    return for_await(None)


def end_session():
    """End the session of this call, as soon as its code has ended.

    The next call that names it begins with a fresh sandbox.  A call without a
    session raises RuntimeError.
    """
    session = getattr(_box, "session", None)
    if session is None:
        raise RuntimeError("this call has no session to end: it was made "
                           "without the argument session")
    session.ending = True
    return for_await(None)


def progress(done, total=None, text=None):
    """Tell the user how far the code is: 3 of 10, or 3; it must increase.

    Numbers are kept to thousandths; text says what is being done.  If the
    client shows no progress, nothing happens.
    """
    from . import _progress
    _progress.tell(done, total, text)
    return for_await(None)


def configure(*, raise_on_error=None):
    """Change how calls behave, and return how they do.

    raise_on_error: whether a result with isError raises MCPError.
    """
    if raise_on_error is not None:
        _ask.SETTINGS["raise_on_error"] = bool(raise_on_error)
    return at_once(dict(_ask.SETTINGS))


def __dir__():
    """Return the public names."""
    return __all__


def save_file(source, name=None):
    """Have a file come back with the answer, and keep it; return its path.

    source is the path of a file, or bytes, as of text.encode(); name is what it
    will be called, with folders if it has slashes.
    What lies in /workspace/out at the end comes back, too.
    """
    from ._files import save_file as save
    return for_await(save(source, name))


def list_files():
    """Return the paths of the files of this call, as a list.

    Those that it was given, those of its conversation, and those that it has
    left for the answer.
    """
    from ._files import list_files as found
    return at_once(found())


def _get_server(name):
    """Return a server by its name."""
    from ._caller import for_await
    from ._names import no_server, resolve
    server = resolve(name)
    if server is None:
        raise _state.error_type()(no_server(name))
    return for_await(server)


list_servers_sync = list_servers
call_tool_sync, list_tools_sync, query_tool_docs_sync, search_tool_docs_sync = \
    map(_twin, (call_tool, list_tools, query_tool_docs, search_tool_docs))
# What other libraries call the same.
HABITS = {"get_server": _get_server, "get_tools": list_tools}
