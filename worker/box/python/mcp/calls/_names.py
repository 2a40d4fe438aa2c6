"""Names of servers and tools in all spellings that code uses.

Servers that the code names and that are not loaded are looked up before it
runs, because Python offers no hook for an undefined name.
"""
from . import _box, _servers
from ._near import did_you_mean, plain_name
from ._servers import error_type, find_server, server_of
from ._values import clean

NAMED_MAX = 20  # servers in a sentence
PATIENCE = 1  # seconds for the list of servers, where it is only shown
PREFIX = "mcp_"


def offer(names, wanted):
    """Put the servers among names that begin with mcp_ into a namespace."""
    servers = known_servers()
    if PREFIX in wanted:  # the code makes names itself
        wanted = wanted.union(PREFIX + told["alias"] for told in servers)
    for name in wanted:
        told = find_told(name[len(PREFIX):], servers)
        if told:
            names.setdefault(name, server_of(told))


def no_server(name, told=None):
    """Return the sentence about a server that there is not."""
    told = known_servers() if told is None else told
    return clean("there is no such server%s; %s" % (
        did_you_mean(name, [each["name"] for each in told]),
        there_are(told)))


def there_are(told):
    """Return the names of servers, as the end of a sentence."""
    names = [each["name"] for each in told]
    more = ", ..." if names[NAMED_MAX:] else ""
    return "there are: %s" % ((
        ", ".join(names[:NAMED_MAX]) or "none") + more)


def none_loaded():
    """Return what is said where no server is loaded."""
    told = [] if _box.child else known_servers(PATIENCE)
    more = ", ..." if told[NAMED_MAX:] else ""
    return told and " (each loads on first use: %s)" % (", ".join(
        "mcp_" + each["alias"] for each in told[:NAMED_MAX]) + more) or ""


def known_servers(seconds=None):
    """Return what is told of all servers; nothing where none can be asked."""
    from ._ask import list_servers
    try:
        return _servers.call("list_servers", list_servers()).result(seconds)
    except (TimeoutError, error_type()):
        return []


def resolve(name):
    """Return a server by its name or its alias, loaded or not, or None.

    One that is not loaded is when it is first used.
    """
    server = find_server(name)
    if server is None and not _box.child:
        told = find_told(name, known_servers())
        server = server_of(told) if told else None
    return server


def find_told(name, servers):
    """Return the one server that a name means, or None.

    It may be written in another case, with '_' for '-', or behind "mcp_".
    """
    if not isinstance(name, str):
        return None
    for key in "name", "alias":
        for told in servers:
            if told[key] == name:
                return told
    for text in name, name[4:] if name[:4].lower() == "mcp_" else "":
        plain = plain_name(text)
        found = [told for told in servers if plain and plain in (
            plain_name(told["name"]), plain_name(told["alias"]))]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def plain_tools(entries):
    """Return lists of the entries of tools by their plain names."""
    found = {}
    for name, entry in entries.items():
        found.setdefault(plain_name(name), []).append(entry)
    return found


def apart(name):
    """Return the server and the tool of a name that has both.

    As mcp__fs__read_file, fs.read_file, fs/read_file; without a mark between
    them, no tool.
    """
    name = name[len("mcp__"):] if name.startswith("mcp__") else name
    for mark in "__", ".", "/", ":":
        server, found, tool = name.partition(mark)
        if found and server and tool:
            return server, tool
    return name, None


def about_unusable(state, name):
    """Return why a tool that a server lists cannot be used, or None."""
    for tool, why in state.unusable.items():
        if plain_name(tool) == plain_name(str(name)):
            return "the tool %s cannot be used: %s" % (tool, why)
    return state.cut and "the tool %s cannot be used: %s" % (name, state.cut)


def no_tool(state, name, known):
    """Return the sentence about a tool that does not exist."""
    text = about_unusable(state, name)
    if text:
        return "server %s: %s" % (state.name, text)
    text = "server %s has no tool %r" % (state.name, name)
    hint = did_you_mean(name, known)
    if hint or not known:
        return text + hint
    names = sorted(known)
    more = ", ..." if len(names) > 20 else ""
    return text + "; it has: " + ", ".join(names[:20]) + more


def find_tool(tools, server, name):
    """Return the one tool whose name differs in case, or '_' and '-', or None.

    The name of the server may stand before it, or be left out there.
    """
    plain, own = plain_name(name), plain_name(server)
    shorter = plain[len(own):] if plain.startswith(own) else None
    for key in plain, own + plain, shorter:
        found = tools.get(key) if key else None
        if found:
            return found[0] if len(found) == 1 else None
    return None
