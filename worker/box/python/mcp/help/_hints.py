"""Hints about names of the package mcp that do not exist."""
import sys

from . import _ask, _state
from ._result import MCPError
from ._similar import did_you_mean
from ._values import clean

HERE = ("this is not the MCP SDK; call servers with await "
        "mcp_<alias>.<tool>(...), or await runtime.call_tool(server, tool, "
        "arguments); dir(mcp) lists the rest")
PATIENCE = 1  # seconds for the list of servers, where the code has failed
SHOWN_MAX = 20  # servers in a sentence
TOLD = []  # what was told of the servers, once
MODULE = ("mcp is a module: write 'import mcp' first, or use 'runtime' and "
          "'mcp_<alias>', which need no import")
IS = "the server %s is mcp_%s"
IMPORT = "mcp_%s is not defined here: write 'import mcp_%s' first"
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
    hint, is_known = about(name, line_of(error.__traceback__))
    if is_known and sys.excepthook is sys.__excepthook__:
        error.name = None
    return "hint: %s\n" % clean(hint)


def missing_name(error):
    """Return the name that is not defined, or an empty string."""
    head, tail = "name '", "' is not defined"
    text = error.args[0]
    if isinstance(text, str) and text.startswith(head) and text.endswith(tail):
        return text[len(head):-len(tail)]
    return ""


def line_of(trace):
    """Return the source of the line that has failed."""
    from linecache import getline
    while trace.tb_next is not None:
        trace = trace.tb_next
    return getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno)


def hyphened(name, line):
    """Return the sentence about a server whose name a line has with hyphens,
    so that Python takes a part of it for the name, or None.
    """
    from re import findall

    from ._named import find_told
    for text in findall(r"\bmcp_\w+(?:-\w+)+", line):
        told = name in text.split("-") and find_told(text, servers() or ())
        if told:
            return IS % (told["name"], told["alias"])
    return None


def joined(name, told_of):
    """Return the sentence about a name of a server and a tool, or None.

    As mcp_github_list_issues, where github is the alias of a server.
    """
    for told in sorted(told_of, key=lambda told: -len(told["alias"])):
        alias = told["alias"] + "_"
        tool = name[len(alias):].lstrip("_")
        if name[:len(alias)].lower() == alias.lower() and tool:
            return "%s, and its tools are called as mcp_%s.%s(...)" % (
                IS % (told["name"], told["alias"]), told["alias"], tool)
    return None


def about(name, line=""):
    """Return a sentence about mcp or mcp_<alias>, which is not defined, and
    whether it makes any other guess a wrong one.

    line: the source of the statement that has failed.
    """
    if name == "mcp":
        return MODULE, True
    alias = name[len("mcp_"):]
    if alias in _state.RESERVED:
        return IMPORT % (alias, alias), True
    told_of = servers()
    if told_of is None:
        return UNKNOWN, False
    from ._named import find_told
    told = find_told(alias, told_of)
    if told and told["alias"] == alias:
        return IMPORT % (alias, alias), True
    if told:
        return IS % (told["name"], told["alias"]), True
    known = hyphened(name, line) or joined(alias.lstrip("_"), told_of)
    if known:
        return known, True
    names = [told["name"] for told in told_of]
    more = ", ..." if names[SHOWN_MAX:] else ""
    return "no server has the alias %s%s; there are: %s" % (
        alias, did_you_mean(
            alias, [told["alias"] for told in told_of]),
        (", ".join(names[:SHOWN_MAX]) or "none") + more), False


def servers():
    """Return what is told of every allowed server, or None.

    It is asked for once: an error that is explained may ask again.
    """
    if not TOLD:
        try:
            TOLD.append(_state.call(
                "list_servers", _ask.list_servers()).result(PATIENCE))
        except (MCPError, TimeoutError):
            TOLD.append(None)
    return TOLD[0]


def no_name(name, known=()):
    """Return where to look for a name that mcp does not have."""
    close = did_you_mean(name, known)
    return (close[2:] + " " if close else "") + HERE


def no_module(name):
    """Return the sentence about a module that mcp does not have."""
    return "No module named %r: %s" % (name, no_name(name.partition(".")[2]))
