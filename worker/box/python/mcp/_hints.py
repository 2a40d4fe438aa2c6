"""Hints about names of the package mcp that do not exist."""
import sys

from . import _ask, _servers
from ._result import MCPError

HERE = ("this is not the MCP SDK; call servers with await "
        "mcp_<alias>.<tool>(...), or await runtime.call_tool(server, tool, "
        "arguments); dir(mcp) lists the rest")
PATIENCE = 1  # seconds for the list of servers, where the code has failed
SHOWN_MAX = 20  # servers in a sentence
TOLD = []  # what was told of the servers, once
MODULE = ("mcp is a module: write 'import mcp' first, or use 'runtime' and "
          "'mcp_<alias>', which need no import")
UNKNOWN = "mcp_<alias> exists for each server that is configured"


def about_error(error):
    """Return the line about a NameError, or None.

    The interpreter would guess that another server was meant, because the
    names are alike.  Where we know better, it is kept from that: it does not
    guess about an error without a name.
    """
    name = missing_name(error)
    if name != "mcp" and not name.startswith("mcp_"):
        return None
    hint, is_known = about(name)
    if is_known and sys.excepthook is sys.__excepthook__:
        error.name = None
    return "hint: %s\n" % _servers.clean(hint)


def missing_name(error):
    """Return the name that is not defined, or an empty string."""
    head, tail = "name '", "' is not defined"
    text = error.args[0]
    if isinstance(text, str) and text.startswith(head) and text.endswith(tail):
        return text[len(head):-len(tail)]
    return ""


def about(name):
    """Return a sentence about mcp or mcp_<alias>, which is not defined, and
    whether it makes any other guess a wrong one.
    """
    if name == "mcp":
        return MODULE, True
    alias = name[len("mcp_"):]
    told_of = servers()
    if told_of is None:
        return UNKNOWN, False
    from ._names import find_told
    told = find_told(alias, told_of)
    if told:
        return "the server %s is mcp_servers[%r]" % (
            told["name"], told["name"]), True
    names = [told["name"] for told in told_of]
    more = ", ..." if names[SHOWN_MAX:] else ""
    return "no server has the alias %s%s; there are: %s" % (
        alias, _servers.did_you_mean(
            alias, [told["alias"] for told in told_of]),
        (", ".join(names[:SHOWN_MAX]) or "none") + more), False


def servers():
    """Return what is told of every allowed server, or None.

    It is asked for once: an error that is explained may ask again.
    """
    if not TOLD:
        try:
            TOLD.append(_servers.call(
                "list_servers", _ask.list_servers()).result(PATIENCE))
        except (MCPError, TimeoutError):
            TOLD.append(None)
    return TOLD[0]


def no_name(name, known=()):
    """Return where to look for a name that mcp does not have."""
    close = _servers.did_you_mean(name, known)
    return (close[2:] + " " if close else "") + HERE


def no_module(name):
    """Return the sentence about a module that mcp does not have."""
    return "No module named %r: %s" % (
        name, no_name(name.partition(".")[2]))
