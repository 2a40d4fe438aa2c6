"""What code sees of worker/box/python/mcp: the documentation of tools.

    /usr/bin/python3 tests/box/test_mcp_docs.py [-v] [-k PATTERN]

The Python that runs the tests is the Python that is tested.
"""
import unittest

from mcp_relay import Base, FS, HANG, run, tool

DESK = [
    tool("create_issue", {"title": {"type": "string", "description":
                                    "Headline of the ticket"}},
         description="Create a new issue.\n\nIn a repository.\nOr not."),
    tool("list_issues", description="List issues of a repository."),
    tool("getPullRequest", {"number": {}}, description="Get one."),
    tool("delete", {"repository": {}}, description=5),
]


class Docs(Base):
    """query_tool_docs, search_tool_docs and capability_summary."""

    def test_what_is_printed(self):
        """One line a tool, and of many tools of a server the names."""
        many = [tool("n%d" % n, {
            "owner": {"type": "string"}, "state": {"enum": ["open", "all"]},
            "limit": {"type": "integer"}, "labels": {
                "type": "array", "items": {"type": "string"}},
            "since": {"type": "string"}, "page": {"type": "integer"}},
            ["owner", "limit"], description="List all of the issues of an "
            "owner, as \xe9 said. And more.\n\nMuch more.") for n in range(25)]
        got = run("""
found = await runtime.search_tool_docs('issues of an owner', limit=5)
print(found)
print(found[0])
print(repr(found) == str(found), len(found), repr(found[:2]).count('mcp_'))
print(found[0].name, found[0].tool, found[0]['name'])
full = await runtime.search_tool_docs('n7', limit=1, detail='full')
print(full == [dict(full[0])], str(full)[:9], 'inputSchema' in str(full))
tools = await runtime.list_tools('web')
print(tools)
print(runtime.list_tools_sync('my-git'))
""", loaded=("web", "my-git"), tools={"web": many})
        lines = got.out.splitlines()
        for line in lines[:6]:
            self.assertRegex(
                line, r"^mcp_web\.n\d+\(owner: str, limit: int, state\?: "
                r'"open" \| "all", \.\.\.\): List .*\.\.\.$')
            self.assertLess(len(line), 100)
        self.assertEqual(lines[6], "True 5 2")
        self.assertRegex(lines[7], r"^(n\d+) \1 \1$")
        self.assertEqual(lines[8], "True {'server' True")
        self.assertEqual(
            lines[9], "mcp_web has 25 tools: %s" % ", ".join(
                "n%d" % n for n in range(25)))
        self.assertEqual(lines[10], "One of them: await runtime."
                         "query_tool_docs('web', tool=NAME)")
        self.assertEqual(lines[11:], [
            "mcp_my_git.log()", "mcp_my_git._2nd()", "mcp_my_git.Class()"])

    def test_what_terminals_would_obey(self):
        got = run("print(await runtime.search_tool_docs('page'))\n"
                  "print(await runtime.query_tool_docs('web', 'get'))",
                  tools={"web": [tool("get", description="Get\x1b[2J a\n\u202e"
                                      "page \x07of it")]})
        self.assertEqual(got.out, "mcp_web.get(): Get [2J a page of it\n" * 2)

    def test_deprecated_tools_come_last(self):
        told = {"a": "Reads a thing. DEPRECATED: use f.", "b": "Deprecated.",
                "c": "[Deprecated] Read it.", "d": "Reads; it is deprecated.",
                "e": "Lists deprecated packages to read.",
                "f": "Reads a thing.",
                "g": "Reads functions that are deprecated in a package.",
                "h": "Tells whether an npm package to read is deprecated.",
                "i": "Reads deprecated use of APIs."}
        got = run("""
for d in await runtime.search_tool_docs('read a thing', limit=9):
    print(d.tool, d.get('deprecated'), 'deprecated) ' in str(d))
""", loaded=("web",), tools={"web": [
            tool("read_" + name, description=text)
            for name, text in told.items()], "fs": [], "my-git": []})
        lines = got.out.splitlines()
        self.assertEqual(sorted(lines[:5]), [
            "read_%s None False" % name for name in "efghi"], got.err)
        self.assertEqual(sorted(lines[5:]), [
            "read_%s True True" % name for name in "abcd"])

    def test_types(self):
        self.prints("""
print(runtime.types('web'), await runtime.types('my_git', '2nd'))
print(await runtime.query_tool_docs('fs', detail='types'))
""", "types of web None types of my-git 2nd\ntypes of fs None\n")

    def test_query(self):
        got = self.prints("""
docs = await runtime.query_tool_docs('web')
print(list(map(dict, docs)))
print(docs)
d = runtime.query_tool_docs_sync('web', 'create_issue', 'full')
print(len(d), list(d[0]), d[0]['description'][-7:], d[0]['name'])
print(d == await runtime.query_tool_docs('web', tool='create_issue',
                                         detail='full'))
print([e['toolAlias'] for e in
       runtime.query_tool_docs_sync('web', 'getpullrequest')],
      LOADED_MCP_SERVERS, len(runtime.query_tool_docs_sync(mcp_fs)))
for f in (lambda: runtime.query_tool_docs_sync('wbe'),
          lambda: runtime.query_tool_docs_sync('web', 'create_isue'),
          lambda: runtime.query_tool_docs('web', detail='much'),
          lambda: runtime.query_tool_docs_sync('mute')):
    try:
        f()
    except (ValueError, runtime.MCPError) as error:
        print(type(error).__name__, error)
""", """[{'server': 'web', 'serverAlias': 'web', 'tool': 'create_issue', \
'toolAlias': 'create_issue', 'description': 'Create a new issue.'}, \
{'server': 'web', 'serverAlias': 'web', 'tool': 'list_issues', 'toolAlias': \
'list_issues', 'description': 'List issues of a repository.'}, {'server': \
'web', 'serverAlias': 'web', 'tool': 'getPullRequest', 'toolAlias': \
'getpullrequest', 'description': 'Get one.'}, {'server': 'web', \
'serverAlias': 'web', 'tool': 'delete', 'toolAlias': 'delete'}]
mcp_web.create_issue(title?: str): Create a new issue
mcp_web.list_issues(): List issues of a repository
mcp_web.getPullRequest(number?): Get one
mcp_web.delete(repository?)
1 ['server', 'serverAlias', 'tool', 'toolAlias', 'description', \
'inputSchema'] Or not. create_issue
True
['getpullrequest'] ('fs',) %d
MCPError wbe: there is no such server; did you mean web?; there are: fs, \
my-git, web, mute
MCPError web.create_isue: there is no such tool; did you mean create_issue?
ValueError detail is 'summary', 'full' or 'types', not 'much'
MCPError mute: it does not answer; its last words: oops
""" % len(FS), loaded=("fs",), tools={"web": DESK})
        self.assertEqual(got.relay.loaded, ["fs"])

    def test_search(self):
        got = self.prints("""
a = await runtime.search_tool_docs('repository issue')
b = runtime.search_tool_docs_sync('repository issue', detail='full', limit=1)
print([(d['tool'], d['server']) for d in a])
scores = [d['score'] for d in a]
print(scores == sorted(scores, reverse=True), 0 < scores[0] <= 1)
print(list(a[0]), list(b[0]), len(b))
print([d['tool'] for d in await runtime.search_tool_docs(' ', limit=2)])
for f in (lambda: runtime.search_tool_docs(5),
          lambda: runtime.search_tool_docs('x', limit=0),
          lambda: runtime.search_tool_docs('x', detail=1)):
    try:
        f()
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)
""", """[('list_issues', 'web'), ('create_issue', 'web'), ('delete', 'web')]
True True
['server', 'serverAlias', 'tool', 'toolAlias', 'description', 'score'] \
['server', 'serverAlias', 'tool', 'toolAlias', 'description', 'inputSchema', \
'score'] 1
['read_file', 'write-file']
TypeError query must be a string of words, not an object of type int
ValueError limit must be an integer of at least 1, not 0
ValueError detail is 'summary' or 'full', not 1
""", "note: the search has left out: mute \\(it does not answer; its last "
            "words: oops\\)\n", loaded=(), tools={"web": DESK})
        self.assertEqual(got.relay.once, ["mute"])
        self.assertEqual(got.relay.loaded, [])

    def test_why_servers_are_left_out(self):
        """The first have a reason, which is cut where it is long."""
        self.prints("""
import mcp._docs
from types import SimpleNamespace as State
mcp._docs.tell_skipped([
    (State(name=name, failed=False), "x" * 148 + " y" + "z" * (name == "b"))
    for name in "abcdef"])
""", "", r"note: the search has left out: a \(x{148} y\), b \(x{148} y\.\.\.\)"
                    r", c \(x{148} y\), d, e, \.\.\.\n")

    def test_a_server_that_hangs_is_left_out(self):
        self.prints("""
import asyncio, mcp._docs
mcp._docs.SEARCH_PATIENCE = mcp._docs.IMPATIENCE = 0.1
for how in range(2):
    print([d['tool'] for d in runtime.search_tool_docs_sync('log')])
    print([d['tool'] for d in await runtime.search_tool_docs('log')])
print(await asyncio.gather(*(runtime.query_tool_docs('my-git', 'log')
                             for i in range(200))) != [])
""", "['log']\n" * 4 + "True\n",
                    "note: the search has left out: mute \\(it does not "
                    "answer; its last words: oops\\); not yet started: web; "
                    "search again for them\n", tools={"web": HANG})

    def test_odd_tools_are_searched(self):
        self.prints(r"""
print([d['tool'] for d in runtime.search_tool_docs_sync('odd3', limit=1)])
print(len(runtime.search_tool_docs_sync('\ud800 \0 x' + 'é' * 9999)) < 6)
""", "['odd3']\nTrue\n", "note: .*")


if __name__ == "__main__":
    unittest.main()
