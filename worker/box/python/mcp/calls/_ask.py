"""Requests to the relay: generators that yield them.

mcp._call runs these generators for their caller.  The broker and the store
enforce what the code may request, and the broker compares the arguments of a
call with the schema of its tool.
"""
from ._blocks import text_of
from ._call import Together
from ._data import Part, parsed, read
from ._similar import did_you_mean
from ._result import MCPError, Result, data_of, fault_of, refused
from ._named import about_unusable, apart, find_told, no_tool, not_among
from ._state import LOADED, add, call, find_server, state_of
from ._request import DONE, Refused, Request
from . import _seen, _values
from ._values import attribute_error

NAME_MAX = 1000  # bytes of the name of a tool, as JSON
NAME_SAFE = 100  # characters that are never more, if they are ASCII
ARGUMENTS_MAX = 16 << 20  # bytes, as JSON
DESCRIBE_PATIENCE = 2  # seconds for a server that may have to start
LATE = "it has not answered yet"
SETTINGS = {"raise_on_error": True}


def payload_of(kind, fields, **texts):
    """Return the bytes of a request; texts are fields that are JSON."""
    text = _values.write(dict(type=kind, **fields), "payload")
    for name, value in texts.items():
        text = text[:-1] + b',"%s":%s}' % (name.encode(), value)
    return text


def calling(state, tool, arguments):
    """Return the bytes of the request that calls a tool."""
    head = state.heads.get(tool)
    if head is None:
        head = state.heads[tool] = payload_of(
            "call_tool", {"server": state.name, "tool": tool})[:-1]
    return head + b',"arguments":%s}' % arguments


def answer_of(request, server=None, tool=None, read=_values.read):
    """Return the answer to a request; refusals become MCPError."""
    try:
        return request.answer(read)
    except Refused as failure:
        error = failure.error
        if failure.unfit:
            raise refused(failure.message, server, tool) from None
        raise MCPError(
            failure.message, server, tool, code=error.get("code"),
            data=error.get("data")) from None


def ask(kind, fields=(), **texts):
    """Ask what the catalogue of messages has as IPC_REQUEST of this name, and
    return the answer.
    """
    fields = dict(fields)
    server = fields.get("server")
    request = Request(payload_of(kind, fields, **texts))
    yield Together((request,))
    return answer_of(request, server)


def asking(payload):
    """Ask the relay, and return its answer."""
    request = Request(_values.write(payload, "payload"))
    yield Together((request,))
    return answer_of(request)


def list_servers():
    """Return what is known of every allowed server."""
    return (yield from ask("list_servers"))


def begin(state, remembered=False):
    """Return the request for the tools of a server: one that is under way, or
    new.

    Where a remembered list will do, any request does.
    """
    if state.fetch is None or state.fetch.state == DONE or (
            state.fetch.remembered and not remembered):
        fetch = Request(payload_of("list_tools", {
            "server": state.name, "remembered": remembered}))
        state.asked += 1
        fetch.number, fetch.remembered = state.asked, remembered
        fetch.kept = False
        state.fetch = fetch
    return state.fetch


def finish(state, fetch):
    """Take the answer to the request; raises MCPError."""
    if fetch.kept:
        return
    try:
        answer = answer_of(fetch, state.name)
        if fetch.number > state.heard:
            state.keep(answer)
            state.heard = fetch.number
    except (AttributeError, LookupError, TypeError):
        raise MCPError("its list of tools cannot be read",
                       state.name) from None
    fetch.kept = True
    if state.fetch is fetch:
        state.fetch = None


def list_tools(state, remembered=False):
    """Fetch the list of tools of a server.

    Where a remembered one will do, the server need not be started for it.
    """
    fetch = begin(state, remembered)
    yield Together((fetch,))
    finish(state, fetch)
    return state


def list_all(states, seconds):
    """Fetch the lists of several servers that have none, at once.

    Returns why some have none still, as pairs of state and sentence.
    """
    wanted = [(state, begin(state, True)) for state in states
              if state.entries is None]
    if wanted:
        yield Together([fetch for _, fetch in wanted], seconds)
    failures = []
    for state, fetch in wanted:
        try:
            if fetch.state == DONE:
                finish(state, fetch)
            else:
                failures.append((state, LATE))
        except MCPError as error:
            failures.append((state, str(error.message)))
    return failures


def find_loaded(name):
    """Return the state of a server, which is loaded if it is not yet."""
    return (yield from load(name)).__server__


def ensure_loaded(state):
    """Load a server that is used, if it is not loaded yet."""
    if state.name not in LOADED:
        yield from load(state.name)


def list_loaded(state):
    """Fetch the list of tools of a server that is used."""
    yield from ensure_loaded(state)
    return (yield from list_tools(state))


def find_known(name):
    """Return the state of a server that is loaded, or may be."""
    server = find_server(name)
    if server is None:
        return state_of((yield from find_allowed(name)))
    return server.__server__


def find_allowed(name):
    """Return what is known of an allowed server."""
    servers = yield from list_servers()
    told = find_told(name, servers)
    if told is None:
        raise MCPError(not_among(name, servers), name)
    return told


def find_described(name):
    """Return the state of an allowed server, with its instructions if it tells
    them soon, and what is told of it, or why it does not.
    """
    state = state_of((yield from find_allowed(name)))
    failures = yield from list_all([state], DESCRIBE_PATIENCE)
    return state, dict(state.told(), **{"error": why for _, why in failures})


def entries_of(name):
    """Return the entries of the tools of a server."""
    state = yield from find_known(name)
    yield from list_tools(state, state.name not in LOADED)
    from ._lists import doc, Tools
    return Tools(doc(dict(name=entry["tool"], **entry))
                 for entry in state.aliases.values())


def find_tool(state, name):
    """Return the entry of a tool by its own name or its alias."""
    if state.find(name) is None:
        yield from list_tools(state)
    entry = state.find(name)
    if entry is None:
        raise MCPError(about_unusable(state, name) or (
            "there is no such tool" + did_you_mean(name, state.entries)),
                       state.name, name)
    return entry


def find_attribute(state, name):
    """Return the entry of a tool that was called as an attribute."""
    if state.find_alias(name) is None:
        yield from list_tools(state)
    entry = state.find_alias(name)
    if entry is None:
        raise attribute_error(no_tool(state, name, state.aliases))
    return entry


def call_tool(server, tool, arguments, named):
    """Return the call of runtime.call_tool(), which says what it takes."""
    if server is None:
        server = named.pop("server_name", None)
        tool = named.pop("tool_name", None) if tool is None else tool
    if isinstance(server, str) and arguments is None and (
            tool is None or isinstance(tool, dict)):
        server, tool, arguments = apart(server) + (tool,)
    if not isinstance(tool, str):
        raise TypeError("a tool is given by its name, not by an object of "
                        "type %s" % type(tool).__name__)
    if named and arguments:
        raise TypeError("the arguments of the tool are one dict, or named: "
                        "not both")
    arguments = named if arguments is None or named else arguments
    if not isinstance(arguments, dict):
        raise TypeError("arguments must be a dict, not an object of type %s"
                        % type(arguments).__name__)
    found = find_server(server)
    name = found.__server__.name if found else server
    return call("%s.%s" % (name, tool), call_by_name(
        server, tool, given(name, tool, arguments)))


def call_by_name(server, tool, given):
    """Call a tool by its own name or its alias."""
    state = yield from find_loaded(server)
    entry = yield from find_tool(state, tool)
    return (yield from call_entry(state, entry, given))


def call_attribute(state, name, given):
    """Call a tool by its alias, or its own name."""
    yield from ensure_loaded(state)
    entry = yield from find_attribute(state, name)
    return (yield from call_entry(state, entry, given))


def call_entry(state, entry, given):
    """Call a tool that is known to exist, with what given comes to."""
    if state.name not in LOADED:
        yield from load(state.name)
    arguments, placed = given
    if placed is not None:
        arguments = yield from settle(state, entry, arguments, placed)
    server, tool = state.name, entry["tool"]
    request = Request(calling(state, tool, arguments), True)
    yield Together((request,))
    answer = answer_of(request, server, tool, read)
    if not isinstance(answer, dict):
        raise MCPError("the answer is no result of a tool", server, tool)
    result, fault = Result(answer), fault_of(answer)
    if fault:
        raise MCPError(fault, server, tool, result)
    result._schema = entry.get("outputSchema")
    for block in result.blocks:
        if isinstance(block, dict) and \
                dict.get(block, "type") == "resource_link":
            linked(result.blocks, server)
            break
    _seen.keep(result, "%s.%s" % (state.alias, entry["toolAlias"]),
               len(request.line), arguments)
    if result.is_error and SETTINGS["raise_on_error"]:
        raise MCPError(
            result.text.strip() or str(result.structuredContent or
                                       "the tool failed and did not say why"),
            server, tool, result)
    return result


class Link(Part):
    """What a server says of a resource: a dict that can be read."""

    __slots__ = ("_server",)

    def read(self):
        """Return the call that reads the resource."""
        return call("read_resource", reading(self._server, self["uri"]))


class Answer(Part):
    """A resource, or a prompt: the dict that MCP defines, with its text."""

    __slots__ = ()

    @property
    def blocks(self):
        """What it has, as blocks of a result."""
        return [{"type": "resource", "resource": each}
                for each in dict.get(self, "contents") or ()] + [
            dict.get(each, "content")
            for each in dict.get(self, "messages") or ()]

    @property
    def text(self):
        """All text, and a line for each other part."""
        return text_of(self.blocks)

    @property
    def data(self):
        """The JSON object or array that the text is; else the text."""
        return parsed(self.text)


for _kind in Link, Answer:
    _kind.__name__ = _kind.__qualname__ = "dict"
    _kind.__module__ = "builtins"


def linked(parts, server, kind="resource_link"):
    """Make what can be read of the links among the parts of an answer."""
    for at, part in enumerate(parts):
        if isinstance(part, dict) and \
                isinstance(dict.get(part, "uri"), str) and \
                kind in (None, dict.get(part, "type")):
            parts[at] = Link(part)
            parts[at]._server = server
    return parts


def reading(server, uri):
    """Read a resource."""
    _, answer = yield from asked(server, "read_resource", uri)
    return Answer(answer)


def asked(server, what, name=None, arguments=b"{}"):
    """Ask a server, and return its name and its answer."""
    state = yield from find_loaded(server)
    fields = {"server": state.name, "what": what}
    if name is not None:
        fields["name"] = name
    request = Request(payload_of("ask_server", fields, arguments=arguments),
                      True)
    yield Together((request,))
    return state.name, answer_of(request, state.name, None, read)


def settle(state, entry, named, placed):
    """Return the arguments that are sent, as JSON, or raise ArgumentError.

    What a server told of its tools may have changed, so that is asked before
    those without a name are refused.
    """
    from ._positions import fill
    values = _values.read(placed.decode()), _values.read(named.decode())
    found, wrong = fill(entry, *values)
    if wrong:
        yield from list_tools(state)
        entry = state.find(entry["tool"]) or entry
        found, wrong = fill(entry, *values)
        if wrong:
            raise refused(wrong, state.name, entry["tool"])
    return _values.write(found, "arguments")


def given(server, tool, arguments, placed=()):
    """Return what a call was given, as JSON, since the code may change its
    objects: a dict, and the list of what has no names, or None.

    Raises what JSON cannot hold.
    """
    named = written(arguments)
    others = written(list(placed)) if placed else None
    size = len(named) + len(others or "")
    if size > ARGUMENTS_MAX:
        raise MCPError("the arguments have %d bytes as JSON; %d are "
                       "allowed" % (size, ARGUMENTS_MAX), server, tool)
    if (len(tool) > NAME_SAFE or not tool.isascii()) and len(
            _values.write(tool, "tool")) > NAME_MAX:
        raise MCPError("the name of the tool is too long", server)
    return named, others


def written(arguments):
    """Return arguments as JSON; what it has no type for, as what it means."""
    try:
        return _values.write(arguments, "arguments", data_of)
    except TypeError:
        pass
    from ._plain import plain_of
    return _values.write(arguments, "arguments", plain_of)


def load(name):
    """Load an allowed server and give the code its names."""
    server = find_server(name)
    if server is None:
        told = yield from find_allowed(name)
        if told["name"] not in LOADED:
            told = yield from ask("load_server", {"server": told["name"]})
        server = LOADED.get(told["name"]) or add(told)
    return server
