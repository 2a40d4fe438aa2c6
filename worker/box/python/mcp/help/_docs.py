"""The documentation of tools: of one server, or of the results of a search."""
from . import _ask, _box, _notes, _state
from ._lists import doc, Docs, is_deprecated, on_one_line
from ._result import MCPError
from ._values import clean

PATIENCE = 12  # seconds for lists; the broker waits 10 for a start
SEARCH_PATIENCE = 2  # for those that a search wants: most servers start in it
IMPATIENCE = 1  # for those that a search went on without before
LATE = "not yet started: %s; search again for them"
SKIPPED = "the search has left out: %s"
ONCE_MAX = 128  # bytes by which the relay knows a note
SUMMARY_MAX = 300  # characters of a description in a summary
REASON_MAX = 300  # characters of why servers were left out
REASON_MIN = 150  # of each, where there are several
REASONS_MAX = 3  # servers that a note has reasons of
FAILED_MAX = 5  # servers that a note names
SHOWN_MAX = 30  # servers in the manual, or a note
SEARCHED = {}  # what was searched last: which lists, and their index
NONE_LOADED = "none; each loads when it is first used"
# What is added to the manual about the servers of this call.
SERVERS = """
**In this call**
- loaded: %s
- `await runtime.load_server(name)` loads: %s
"""


def check_detail(detail, *more):
    """Raise ValueError when there is no such detail."""
    known = ("summary", "full") + more
    if detail not in known:
        raise ValueError("detail is %s or %r, not %r" % (
            ", ".join(map(repr, known[:-1])), known[-1], detail))


def doc_of(entry, detail, score=None):
    """Return what is told of a tool."""
    keys = ["server", "serverAlias", "tool", "toolAlias"]
    if detail == "full":
        keys += ["description", "inputSchema", "outputSchema"]
    keys += ["seen"]
    members = {key: entry[key] for key in keys if key in entry}
    text = entry.get("description")
    if detail == "summary" and isinstance(text, str) and text.strip():
        members["description"] = summary(text)
    if score is not None:
        members["score"] = score
    found = doc(members, entry if detail == "summary" else None)
    if is_deprecated(entry):
        found["deprecated"] = True
    return found


def summary(text):
    """Return the first paragraph, on one line, cut."""
    text = text[:SUMMARY_MAX * 10].strip().replace("\r", "")
    text = on_one_line(text.split("\n\n", 1)[0])
    return text if len(text) <= SUMMARY_MAX else text[:SUMMARY_MAX] + "..."


def query(server, tool, detail):
    """Return what is told of the tools of a server, or of one of them."""
    state = yield from _ask.find_known(server)
    remembered = state.name not in _state.LOADED
    yield from _ask.list_tools(state, remembered)
    entries = state.aliases.values()
    if tool is not None:
        entries = [(yield from _ask.find_tool(state, tool))]
    if detail == "types":
        only = {} if tool is None else {"tool": entries[0]["tool"]}
        return (yield from _ask.ask("list_tools", dict(
            only, server=state.name, remembered=remembered, types=True)))
    return Docs(doc_of(entry, detail) for entry in entries)


def search(text, limit, detail):
    """Return what is told of the tools that fit a text best."""
    told = yield from _ask.list_servers()
    states = [_state.state_of(each) for each in told]
    wanted = [state for state in states if state.entries is None]
    known = wanted and all(state.failed for state in wanted)
    failures = yield from _ask.list_all(
        states, IMPATIENCE if known else SEARCH_PATIENCE)
    tell_skipped([each for each in failures if not each[0].failed])
    from ._search import rank
    if not text.strip():
        entries = [entry for state in states
                   for entry in state.aliases.values()]
        return Docs(doc_of(entry, detail) for entry in entries[:limit])
    return Docs(doc_of(entry, detail, score)
                for entry, score in rank(text, index_of(states), limit))


def index_of(states):
    """Return the index of their tools; the last one is kept."""
    from ._search import Index
    heard = [(state.name, state.heard) for state in states]
    last = SEARCHED.get("last", (None, None))
    if last[0] != heard:
        last = SEARCHED["last"] = heard, Index([
            entry for state in states for entry in state.aliases.values()])
    return last[1]


def tell_skipped(failures):
    """Note in one line which servers could not be searched, and why."""
    late = [state.name for state, why in failures if why is _ask.LATE]
    failed = [(state.name, why) for state, why in failures
              if why is not _ask.LATE]
    for state, _ in failures:
        state.failed = True
    most = max(REASON_MAX // max(len(failed), 1), REASON_MIN)
    told = ["%s (%s)" % (name, reason(why, most))
            for name, why in failed[:REASONS_MAX]]
    parts = [shown(told + [name for name, _ in failed[REASONS_MAX:]], ", ",
                   FAILED_MAX)]
    parts.append(LATE % shown(late, ", ") if late else "")
    once = ", ".join(name for name, _ in failed)
    if failures:
        _notes.send(SKIPPED % "; ".join(filter(None, parts)), None if late
                    or len(once.encode()) > ONCE_MAX else once)


def reason(why, most=REASON_MAX):
    """Return why a server could not be asked, on one line, cut."""
    text = " ".join(why.split())
    return text if len(text) <= most else text[:most] + "..."


def manual(detail):
    """Return the manual, and what there is in this execution."""
    states = [server.__server__ for server in _state.LOADED.values()]
    failures = dict((yield from _ask.list_all(states, PATIENCE)))
    try:
        told = yield from _ask.list_servers()
    except MCPError:
        told = []
    others = [each["name"] for each in told
              if each["name"] not in _state.LOADED]
    shows = next((state for state in states if state.aliases), None)
    lines = [server_line(state, failures.get(state), state is shows)
             for state in states]
    return clean(chapters(detail) + SERVERS % (
        shown(lines, "\n  ") or NONE_LOADED, shown(others, ", ") or "none"))


def chapters(detail):
    """Return the manual itself, which clients get as a resource, too."""
    names = ["manual"] + (["manual_memory"] if _box.memory else []) + (
        ["manual_more"] if detail == "full" else [])
    return "".join(__loader__.get_data("%s/%s.md" % (
        __file__[:-len("/help/_docs.py")], name)).decode() for name in names)


def server_line(state, failure, shows):
    """Return the line about a loaded server; one shows a call, too."""
    about = ". " + summary(state.description) if state.description else ""
    if failure:
        return "%s: mcp_%s, cannot be used: %s%s" % (
            state.name, state.alias, reason(failure), about)
    return "%s: mcp_%s, %d tools%s%s" % (
        state.name, state.alias, len(state.aliases),
        example(state) if shows else "", about)


def example(state):
    """Return a tool of a server as it is called, behind a comma."""
    from ._schema import cut, parameters
    alias, entry = next(iter(state.aliases.items()))
    return ", such as %s(%s)" % (alias, ", ".join(
        cut(name) + "=..." for name, _, required in parameters(entry)[:4]
        if required))


def shown(texts, between, most=SHOWN_MAX):
    """Return the first of some texts, joined."""
    more = ["..."] if len(texts) > most else []
    return between.join(texts[:most] + more)
