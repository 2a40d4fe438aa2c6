"""The documentation of tools: of one server, or what a search finds."""
import sys

from . import _ask, _box, _servers
from ._result import MCPError

PATIENCE = 12  # seconds for lists; the broker waits 10 for a start
IMPATIENCE = 1  # for those that a search went on without before
SUMMARY_MAX = 300  # characters of a description in a summary
REASON_MAX = 300  # characters of why a server was left out
SHOWN_MAX = 30  # servers in the manual
SEARCHED = {}  # what was searched last: which lists, and their index
NONE_LOADED = "  none: name some in 'servers', or load_server() as below"
# The sections of the manual, in their order: one screen, and nothing that is
# not there.
TITLE = """--- PYTHON SANDBOX MANUAL ---
Python in a fresh, sealed box. Only what is printed comes back: do a whole task
in one run (find tools, call them, filter), and print little.
"""
LOADED = """LOADED SERVERS
%s
"""
CALL = """CALL (named arguments only; 'await' works at top level)
  r = await mcp_%s.%s(%s)
  r.data (structured content, or JSON, or text), r.text, r["content"]
  await asyncio.gather(*calls) runs calls in parallel; without an event loop:
  call.result(timeout=None).
  By name: await runtime.call_tool("server", "tool", {...})
  What fails raises runtime.MCPError (.server, .tool, .result); after
  runtime.configure(raise_on_error=False) a result with r.is_error instead.
"""
DISCOVER = """DISCOVER (print little of it)
  await runtime.search_tool_docs("what to do", limit=5): all servers, the best
  first; await runtime.query_tool_docs("server", tool=None, detail="full")
  help(mcp_%s.%s): one tool
  runtime.list_tools_sync("server"): all of a server, with schemas
  await runtime.load_server("name"): a server that is not loaded; there are:
  %s
"""
BOX = """THE BOX
  No network, no files of the user, nothing of an earlier call.
  The libraries of this machine's Python; no pip. Files can be written to the
  working directory and with tempfile, and are gone afterwards.
  At its deadline a call is killed: what may take long needs the argument
  'timeout' (seconds). What was printed until then comes back.
"""
MEMORY = """KEEP BETWEEN CALLS (nothing else is kept)
  save_memory("key", value): what JSON can hold; load_memory("key",
  default=None), update_memory("key", lambda old: (old or 0) + 1),
  list_memories(), delete_memory("key"), memory_exists, get_memory_info
  save_tool(function); in later calls: from user_tools import NAME;
  dir(user_tools) lists them
"""


class Doc(dict):
    """What is told of a tool; "name" is the name of it, too."""

    __module__ = "mcp.runtime"

    def __missing__(self, key):
        """Return the name of the tool by the key that tools have in MCP."""
        if key == "name":
            return self["tool"]
        raise KeyError(key)


def check_detail(detail):
    """Raise ValueError when there is no such detail."""
    if detail not in ("summary", "full"):
        raise ValueError("detail is 'summary' or 'full', not %r" % (detail,))


def doc_of(entry, detail, score=None):
    """Return what is told of a tool."""
    keys = ["server", "serverAlias", "tool", "toolAlias"]
    if detail == "full":
        keys += ["description", "inputSchema", "outputSchema"]
    doc = Doc((key, entry[key]) for key in keys if key in entry)
    text = entry.get("description")
    if detail == "summary" and isinstance(text, str) and text.strip():
        doc["description"] = summary(text)
    if score is not None:
        doc["score"] = score
    return doc


def summary(text):
    """Return the first paragraph, on one line, cut."""
    text = text[:SUMMARY_MAX * 10].strip().replace("\r", "")
    text = " ".join(text.split("\n\n", 1)[0].split())
    return text if len(text) <= SUMMARY_MAX else text[:SUMMARY_MAX] + "..."


def query(server, tool, detail):
    """Return what is told of the tools of a server, or of one of them."""
    state = yield from _ask.find_known(server)
    yield from _ask.list_tools(state, state.name not in _servers.LOADED)
    if tool is None:
        entries = state.aliases.values()
    else:
        entries = [(yield from _ask.find_tool(state, tool))]
    return [doc_of(entry, detail) for entry in entries]


def search(text, limit, detail):
    """Return what is told of the tools that fit a text best."""
    told = yield from _ask.list_servers()
    states = [_servers.state_of(each) for each in told]
    wanted = [state for state in states if state.entries is None]
    known = wanted and all(state.failed for state in wanted)
    failures = yield from _ask.list_all(
        states, IMPATIENCE if known else PATIENCE)
    for state, why in failures:
        complain(state, why)
    from ._search import rank
    return [doc_of(entry, detail, score)
            for entry, score in rank(text, index_of(states), limit)]


def index_of(states):
    """Return the index of their tools; the last one is kept."""
    from ._search import Index
    heard = [(state.name, state.heard) for state in states]
    last = SEARCHED.get("last", (None, None))
    if last[0] != heard:
        last = SEARCHED["last"] = heard, Index([
            entry for state in states for entry in state.aliases.values()])
    return last[1]


def complain(state, why):
    """Say, once, that a server could not be searched."""
    if state.failed:
        return
    state.failed = True
    try:
        sys.stderr.write("hint: search_tool_docs() left out %s: %s\n" % (
            state.name, reason(why)))
        sys.stderr.flush()
    except Exception:
        pass  # the code may have closed or replaced it


def reason(why):
    """Return why a server could not be asked, on one line, cut."""
    return " ".join(why[:REASON_MAX].split())


def manual():
    """Return the manual, about the servers of this execution."""
    states = [server.__server__ for server in _servers.LOADED.values()]
    failures = dict((yield from _ask.list_all(states, PATIENCE)))
    try:
        told = yield from _ask.list_servers()
    except MCPError:
        told = []
    others = [each["name"] for each in told
              if each["name"] not in _servers.LOADED]
    lines = [server_line(state, failures.get(state)) for state in states]
    alias, tool, given = example(states)
    return _servers.clean("\n".join((
        TITLE, LOADED % (shown(lines, "\n") or NONE_LOADED,),
        CALL % (alias, tool, given),
        DISCOVER % (alias, tool, shown(others, ", ") or "none"), BOX)
        + ((MEMORY,) if _box.memory else ())))


def server_line(state, failure):
    """Return the line about a loaded server."""
    about = ". " + summary(state.description) if state.description else ""
    count = "%d tools" % len(state.aliases)
    return "  %s: mcp_%s, %s%s" % (
        state.name, state.alias,
        "cannot be used: " + reason(failure) if failure else count,
        about)


def shown(texts, between):
    """Return the first of some texts, joined."""
    more = ["..."] if len(texts) > SHOWN_MAX else []
    return between.join(texts[:SHOWN_MAX] + more)


def example(states):
    """Return a server, a tool, and its arguments."""
    from ._schema import cut, parameters
    for state in states:
        for alias, entry in state.aliases.items():
            given = ", ".join(cut(name) + "=..." for name, _, required
                              in parameters(entry)[:4] if required)
            return state.alias, alias, given
    return "files", "read_file", 'path="a.txt"'
