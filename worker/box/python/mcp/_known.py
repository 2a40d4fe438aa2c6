"""Names that code uses without defining them, if they are unambiguous.

A class of the standard library that was not imported, a word of JSON, a
function of mcp.runtime without its module.  Run before the code, only if it
may use such a name; a note reports each, except functions of mcp.runtime.
"""
import sys
from importlib import import_module
from re import escape, findall

from ._imports import FROM

WORDS = {"true": True, "false": False, "null": None}
# How tools are called in other places: NAME.SERVER_TOOL(...).
CLIENTS = "session", "client"
ANSWER = "final_answer"  # what tells the answer, in smolagents
JOINED = "default_api", "functions", "tools"
IMPORTED = "note: %s was not imported, and was taken for %s\n"
CLIENT = "note: %s was not defined, and was taken for a client of all servers\n"
# What a client is asked for.
ASKED = {"call_tool", "list_tools", "initialize"}
WORD = "note: this is Python, and %s was taken for %s\n"


class Joined:
    """Servers and their tools, by names that have both: fs_read_file.

    bare: whether a name is a tool of that name alone, which is looked for when
    it is called; else it must be there.
    """

    def __init__(self, bare):
        self._bare = bare

    def __getattr__(self, name):
        """Return a tool of a server."""
        if name.startswith("__"):
            raise AttributeError(name)
        from ._names import joined, known_servers
        found = joined(name, known_servers())
        if found is None:
            from ._session import Bare, has_tool
            found = Bare(name) if self._bare or has_tool(name) else None
        if found is None:
            from ._servers import attribute_error
            raise attribute_error("no server has a tool %r: write "
                                  "mcp_<alias>.<tool>(...)" % name)
        return found


def offer(code, source, names, wanted, notes):
    """Put those of wanted that the code reads and never sets into names."""
    from ._names import undefined
    for name in sorted(undefined(code) & wanted):
        if name in WORDS:
            names[name] = WORDS[name]
            notes.append(WORD % (name, WORDS[name]))
        elif name in JOINED:
            if has_parts(name, source.decode("utf-8", "replace")):
                names[name] = Joined(name == "tools")
        elif name == ANSWER:
            names[name] = print
        elif name in FROM:
            names[name] = getattr(import_module(FROM[name]), name)
            notes.append(IMPORTED % (name, "%s.%s" % (FROM[name], name)))
        elif name in CLIENTS:
            if is_client(name, source.decode("utf-8", "replace")):
                names[name] = import_module("mcp._session").ClientSession()
                notes.append(CLIENT % name)
        elif name == "servers":
            names[name] = import_module("mcp.servers")
        elif name in import_module("mcp.runtime").__all__:
            names[name] = getattr(sys.modules["mcp.runtime"], name)
        elif is_module(name, source.decode("utf-8", "replace")):
            names[name] = import_module(name)
            notes.append(IMPORTED % (name, "the module " + name))


def is_client(name, text):
    """Whether code uses a name as a client, and only so."""
    parts = findall(r"(?<![\w.])%s\b\s*(?:\.\s*(\w+))?" % escape(name), text)
    return bool(parts) and "call_tool" in parts and ASKED.issuperset(parts)


def has_parts(name, text):
    """Whether code uses nothing of a name but its attributes."""
    parts = findall(r"(?<![\w.])%s\b\s*(?:\.\s*(\w+))?" % escape(name), text)
    return all(parts)


def is_module(name, text):
    """Whether code uses a name as the module of that name, and only so."""
    parts = findall(r"(?<![\w.])%s\b\s*(?:\.\s*(\w+))?" % escape(name), text)
    return bool(parts) and all(
        part and hasattr(import_module(name), part) for part in parts)
