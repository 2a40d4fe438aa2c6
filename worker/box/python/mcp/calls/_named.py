"""What names of servers and tools mean, and sentences about others.

Code writes them in all spellings.
"""
from ._similar import did_you_mean, is_spelled, plain_name
from ._values import clean

NAMED_MAX = 20  # servers in a sentence


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
        found = [told for told in servers for key in ("alias", "name")
                 if is_spelled(text, told[key])]
        plain = {told["name"] for told in servers for key in ("alias", "name")
                 if plain_name(told[key]) == plain_name(text)}
        if found and len(plain) == 1:
            return found[0]
    return None


def not_among(name, told):
    """Return the sentence about a server that is not among these."""
    return clean("there is no such server%s; %s" % (
        did_you_mean(name, [each["name"] for each in told]),
        there_are(told)))


def there_are(told):
    """Return the names of servers, as the end of a sentence."""
    names = [each["name"] for each in told]
    more = ", ..." if names[NAMED_MAX:] else ""
    return "there are: %s" % ((", ".join(names[:NAMED_MAX]) or "none") + more)


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
