"""Names of servers and tools in all spellings that code uses.

Servers that the code names and that are not loaded are looked up before it
runs, because Python offers no hook for an undefined name.
"""
import sys
from opcode import EXTENDED_ARG, opmap

from . import _box, _servers
from ._servers import clean, did_you_mean, error_type, find_server, server_of

NAMED_MAX = 20  # servers in a sentence
PATIENCE = 1  # seconds for the list of servers, where it is only shown
READS = {opmap[name] for name in ("LOAD_GLOBAL", "LOAD_NAME")
         if name in opmap}
WRITES = {opmap[name] for name in (
    "IMPORT_NAME", "STORE_NAME", "STORE_GLOBAL", "DELETE_NAME",
    "DELETE_GLOBAL")}
SHIFTED = opmap["LOAD_GLOBAL"] if sys.version_info >= (3, 11) else None
STAR = opmap.get("IMPORT_STAR")
PREFIX = "mcp_"
SHORT_MIN = 2  # letters of a short name


def offer(code, names, wanted):
    """Put the servers among wanted, which are not defined, into names.

    A name that does not begin with "mcp_" must be the name of a server, and be
    read and never set.
    """
    marked = {name for name in wanted if name[:4].lower() == PREFIX}
    missing = undefined(code)
    bare = missing & wanted - marked
    if not marked and not bare:
        return
    servers = known_servers()
    if PREFIX in marked:  # it makes names itself
        marked.update(PREFIX + told["alias"] for told in servers)
    for name in marked:
        found = find(name, servers)
        if found is None and name in missing:
            found = joined(name[len(PREFIX):], servers) or abbreviated(name)
        if found is not None:
            names.setdefault(name, found)
    exact = {told[key]: told for told in servers
             for key in ("name", "alias")}
    for name in bare & exact.keys():
        names[name] = server_of(exact[name])
    offer_tools(code, names, bare - exact.keys())


def offer_tools(code, names, wanted):
    """Put what may be tools without their servers into names."""
    if not wanted or _box.child:
        return
    import mcp.runtime

    from ._imports import FROM
    from ._session import awaited_only, Bare
    try:
        wanted = awaited_only(code.co_filename, wanted.difference(
            FROM, mcp.runtime.__all__))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return  # there is no room for the file, or it is another one
    for name in wanted:
        names[name] = Bare(name)


def find(name, servers):
    """Return what mcp_NAME is: a server, a tool of one, or None."""
    told = find_told(name[len(PREFIX):], servers)
    if told:
        return server_of(told)
    # mcp__fs__read_file, as some hosts call the tools of servers themselves.
    server, between, tool = name[len(PREFIX):].lstrip("_").partition("__")
    told = find_told(server, servers) if between and tool else None
    return tool_of(told, tool) if told else None


def joined(name, servers):
    """Return the tool that a name of a server and a tool means, or None.

    As github_list_issues, where github is the alias of a server.
    """
    for told in sorted(servers, key=lambda told: -len(told["alias"])):
        alias = told["alias"] + "_"
        tool = name[len(alias):].lstrip("_")
        if name[:len(alias)].lower() == alias.lower() and tool[:1].isalpha():
            return tool_of(told, tool)
    return None


def tool_of(told, name):
    """Return a tool of a server, which is looked for when it is called."""
    from ._tools import Tool
    return Tool(server_of(told).__server__, name)


def abbreviated(name):
    """Return the one server of this call, if the name is short for it.

    mcp_fs is filesystem where the call names that server, and no other.
    """
    from . import _seen
    if len(_servers.LOADED) != 1:
        return None
    one, = _servers.LOADED
    short, letters = plain_name(name[len(PREFIX):]), iter(plain_name(one))
    if len(short) < SHORT_MIN or not one.lower().startswith(short[0]) or \
            not all(letter in letters for letter in short):
        return None
    server = find_server(one)
    _seen.TAKEN.append("note: %s was taken for the server %s\n" % (
        name, clean(one)))
    return server


def undefined(code):
    """Return the global names that code reads and never sets."""
    reads, writes, parts = set(), set(), [code]
    while parts:
        part = parts.pop()
        parts += [const for const in part.co_consts
                  if type(const) is type(code)]
        more, steps = 0, part.co_code
        for at in range(0, len(steps), 2):
            step, number = steps[at], steps[at + 1] | more
            more = number << 8 if step == EXTENDED_ARG else 0
            if step in READS:
                reads.add(part.co_names[
                    number >> 1 if step == SHIFTED else number])
            elif step in WRITES:
                writes.add(part.co_names[number])
            elif step == STAR:
                return set()  # it may set any name
    return reads - writes


def no_server(name, told=None):
    """Return the sentence about a server that there is not."""
    told = known_servers() if told is None else told
    names = [each["name"] for each in told]
    more = ", ..." if names[NAMED_MAX:] else ""
    return clean("there is no such server%s; there are: %s" % (
        did_you_mean(name, names), (
            ", ".join(names[:NAMED_MAX]) or "none") + more))


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


def plain_name(name):
    """Return a name without what differs between habits of writing names."""
    return "".join(filter(str.isalnum, name)).lower()


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
