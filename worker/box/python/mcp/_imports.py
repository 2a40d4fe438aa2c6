"""What a name or a module that is not there may be: a server, a tool, or what
other hosts have.

Run only when an error has ended the code.
"""
import sys
from re import escape, search

NO_CLIENT = ("there is no %s here: write await mcp_<alias>.<tool>(...), or "
             "await runtime.call_tool(server, tool, arguments)")
CLIENTS = "session", "client", "default_api", "functions", "tools", "api"
# What other hosts have, and what there is instead.
ELSEWHERE = {
    "final_answer": "there is no final_answer() here: what is printed, or the "
                    "value of the last expression, is the answer",
    "servers": "the servers are mcp_<alias>, or mcp_servers['name']",
    "fastmcp": "servers are here already: await mcp_<alias>.<tool>(...)",
    "IPython": "display(x) and runtime.show(x) show pictures and tables here",
    "tabulate": "print rows with f-strings, or a frame of pandas",
    "nest_asyncio": "leave it out: 'await' works at top level"}
SERVER = "the server %s is mcp_%s: %s"
SEARCH = ("a tool is called as await mcp_<alias>.%s(...): await "
          "runtime.search_tool_docs('...') finds it")
TOOL = "%s is a tool: write await mcp_%s.%s(...)"


def about_name(name, line):
    """Return a sentence about a name that other hosts have, or None.

    line: the source of the statement that has failed.
    """
    if name in ELSEWHERE and search(r"\b%s\s*[.(\[]" % name, line):
        return ELSEWHERE[name]
    if name in CLIENTS and search(r"\b%s\s*\.\s*\w+\(" % name, line):
        return NO_CLIENT % name
    return None


def about_call(name, line):
    """Return a sentence about a name that may be a server or a tool, or None.

    The servers are asked for only where the name is used as one of them is.
    """
    from . import _hints, _named
    hint = _hints.hyphened(name, line)
    if hint:
        return hint
    import mcp.runtime
    if name in mcp.runtime.__all__:
        return "write runtime.%s" % name
    if search(r"\b%s\s*\(" % escape(name), line):
        servers = sys.modules.get("mcp._state")
        for state in servers.KNOWN.values() if servers else ():
            entry = state.find_alias(name)
            if entry:
                return TOOL % (name, state.alias, entry["toolAlias"])
    if search(r"\bawait\s+%s\s*\(" % escape(name), line):
        return SEARCH % name
    if not search(r"\b%s\s*[.\[]" % escape(name), line):
        return None
    told = _named.find_told(name, _hints.servers() or ())
    return told and SERVER % (
        told["name"], told["alias"], "await mcp_%s.tool(...)" % told["alias"])


def about_module(name):
    """Return a sentence about a module that cannot be imported, or None."""
    from . import _hints, _named
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    if name.startswith("mcp_"):
        return _hints.about(name)[0]
    told = _named.find_told(name, _hints.servers() or ())
    return told and SERVER % (told["name"], told["alias"], (
        "write 'import mcp_%s', or 'from mcp.servers.%s import tool'" % (
            told["alias"], told["alias"])))
