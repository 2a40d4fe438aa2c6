"""What search_tool_docs finds, and in which order.

The tools are those of servers that people use, with the words that these use
of themselves; the queries are what a model would ask for.  One box answers all
of them.

    /usr/bin/python3 tests/box/test_search.py [-v]
"""
import json
import os
import sys
import unittest

from mcp_relay import Base, run, tool

SERVERS = {
    "filesystem": {
        "read_text_file": ("Read the complete contents of a file from the "
                           "file system as text. Handles various text "
                           "encodings.", "path head tail"),
        "read_media_file": ("Read an image or audio file. Returns the base64 "
                            "encoded data and MIME type.", "path"),
        "read_multiple_files": ("Read the contents of multiple files "
                                "simultaneously.", "paths"),
        "write_file": ("Create a new file or completely overwrite an existing "
                       "file with new content.", "path content"),
        "edit_file": ("Make line-based edits to a text file. Returns a "
                      "git-style diff showing the changes made.",
                      "path edits dryRun"),
        "create_directory": ("Create a new directory or ensure a directory "
                             "exists.", "path"),
        "list_directory": ("Get a detailed listing of all files and "
                           "directories in a specified path.", "path"),
        "directory_tree": ("Get a recursive tree view of files and "
                           "directories as a JSON structure.",
                           "path excludePatterns"),
        "move_file": ("Move or rename files and directories.",
                      "source destination"),
        "search_files": ("Recursively search for files and directories "
                         "matching a pattern.",
                         "path pattern excludePatterns"),
        "get_file_info": ("Retrieve detailed metadata about a file or "
                          "directory: size, creation time, permissions.",
                          "path"),
    },
    "github": {
        "create_issue": ("Create a new issue in a GitHub repository",
                         "owner repo title body assignees labels"),
        "list_issues": ("List issues in a GitHub repository with filtering "
                        "options", "owner repo state labels sort"),
        "add_issue_comment": ("Add a comment to an existing issue",
                              "owner repo issue_number body"),
        "search_issues": ("Search for issues and pull requests across GitHub "
                          "repositories", "q sort order"),
        "create_pull_request": ("Create a new pull request in a GitHub "
                                "repository", "owner repo title head base"),
        "merge_pull_request": ("Merge a pull request",
                               "owner repo pull_number merge_method"),
        "get_pull_request_files": ("Get the list of files changed in a pull "
                                   "request", "owner repo pull_number"),
        "search_repositories": ("Search for GitHub repositories",
                                "query page perPage"),
        "create_repository": ("Create a new GitHub repository in your "
                              "account", "name description private autoInit"),
        "fork_repository": ("Fork a GitHub repository to your account or "
                            "specified organization", "owner repo"),
        "get_file_contents": ("Get the contents of a file or directory from "
                              "a GitHub repository", "owner repo path branch"),
        "push_files": ("Push multiple files to a GitHub repository in a "
                       "single commit", "owner repo branch files message"),
        "create_branch": ("Create a new branch in a GitHub repository",
                          "owner repo branch from_branch"),
        "list_commits": ("Get list of commits of a branch in a GitHub "
                         "repository", "owner repo sha page"),
    },
    "slack": {
        "slack_list_channels": ("List public channels in the workspace with "
                                "pagination", "limit cursor"),
        "slack_post_message": ("Post a new message to a Slack channel",
                               "channel_id text"),
        "slack_reply_to_thread": ("Reply to a specific message thread in "
                                  "Slack", "channel_id thread_ts text"),
        "slack_add_reaction": ("Add a reaction emoji to a message",
                               "channel_id timestamp reaction"),
        "slack_get_users": ("Get a list of all users in the workspace with "
                            "their basic profile information", "cursor limit"),
    },
    "postgres": {
        "query": ("Run a read-only SQL query", "sql"),
        "list_schemas": ("List all schemas in the database", ""),
        "explain_query": ("Explains the execution plan for a SQL query, "
                          "showing how the database will execute it",
                          "sql analyze"),
    },
    "time": {
        "get_current_time": ("Get current time in a specific timezone",
                             "timezone"),
        "convert_time": ("Convert time between timezones",
                         "source_timezone time target_timezone"),
    },
    "google-calendar": {
        "list-events": ("List events from one or more calendars.",
                        "calendarId timeMin timeMax"),
        "create-event": ("Create a new calendar event.",
                         "summary start end attendees location"),
    },
}
# What is asked for, and what must come first: one, or any of several.
QUERIES = (
    # Names, words in any order, servers, parameters, parts of words, slips.
    ("create_issue", "create_issue"),
    ("slack_post_message", "slack_post_message"),
    ("READ_TEXT_FILE", "read_text_file"), ("issue create", "create_issue"),
    ("create an issue in a repository", "create_issue"),
    ("open a new pull request", "create_pull_request"),
    ("pull requests", "merge_pull_request "
     "create_pull_request get_pull_request_files"),
    ("merge a PR pull request", "merge_pull_request"),
    ("files changed in a pull request", "get_pull_request_files"),
    ("list directories", "list_directory"),
    ("directory", "list_directory create_directory directory_tree"),
    ("rename a file", "move_file"), ("file size", "get_file_info"),
    ("overwrite a file", "write_file"), ("commits", "list_commits"),
    ("send a message to a channel", "slack_post_message"),
    ("reply in a thread", "slack_reply_to_thread"), ("run sql query", "query"),
    ("database schemas", "list_schemas"), ("current time", "get_current_time"),
    ("timezones", "convert_time get_current_time"),
    ("calendar events", "list-events create-event"),
    ("create a calendar event", "create-event"),
    ("github search", "search_repositories search_issues"),
    ("slack users", "slack_get_users"), ("postgres query", "query"),
    ("attendees", "create-event"),
    ("excludePatterns", "search_files directory_tree"),
    ("thread_ts", "slack_reply_to_thread"),
    ("repo", "create_repository fork_repository search_repositories"),
    ("dir tree", "directory_tree"), ("calend", "list-events create-event"),
    ("pullrequest merge", "merge_pull_request"),
    ("crate isue", "create_issue"),
    ("mesage", "slack_post_message slack_reply_to_thread slack_add_reaction"),
    ("brnach", "create_branch"), ("direcotry tree", "directory_tree"),
    ("reposirtory frok", "fork_repository"),
    ("timzeone convert", "convert_time"), ("recation", "slack_add_reaction"),
)


def real_tools(server):
    """Return the tools of one of the servers."""
    return [tool(name, {each: {} for each in parameters.split()},
                 description=about)
            for name, (about, parameters) in SERVERS[server].items()]


def search(code, queries, limit=100, **more):
    """Return what a code makes of the documents that each query finds."""
    got = run("""
import json
for query in json.loads(%r):
    docs = runtime.search_tool_docs_sync(query, limit=%d)
    print(json.dumps(%s))
""" % (json.dumps(queries), limit, code), loaded=(), others=list(SERVERS),
              tools=dict({"fs": [], "my-git": [], "web": [], "mute": []},
                         **more or {
                             name: real_tools(name) for name in SERVERS}))
    assert got.status == 0, got.err
    return [json.loads(line) for line in got.out.splitlines()]


def stub_tools():
    """Return the tools of the two large servers of tests/model, by name."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                          "model", "stubs")
    sys.path.insert(0, folder)
    try:
        import forge
        import office
    finally:
        sys.path.remove(folder)
    return {stub.name: [entry for entry, _ in stub.tools.values()]
            for stub in (forge.FORGE, office.OFFICE)}


class Search(Base):
    """Queries and what they find."""

    def test_the_best_comes_first(self):
        found = search("[d['tool'] for d in docs]",
                       [query for query, _ in QUERIES])
        self.assertEqual(len(found), len(QUERIES))
        for (query, wanted), names in zip(QUERIES, found):
            with self.subTest(query):
                self.assertIn(names[0] if names else None, wanted.split(),
                              names[:5])

    def test_five_tools_in_500_bytes(self):
        """Printed, a tool is one line of about 100 bytes at most."""
        stubs = stub_tools()
        self.assertGreater(sum(map(len, stubs.values())), 150)
        queries = [query for query, _ in QUERIES] + [
            text for tools in stubs.values() for each in tools
            for text in (each["name"], each["description"])]
        got = run("""
import json
sizes = []
for query in json.loads(%r):
    text = "%%s" %% runtime.search_tool_docs_sync(query, limit=5)
    sizes.append((len(text.encode()), len(text.splitlines()), text))
print(json.dumps([max(sizes), len(sizes)]))
""" % json.dumps(queries), loaded=(), others=[*stubs, *SERVERS], tools={
    "fs": [], "my-git": [], "web": [], "mute": [], **stubs,
    **{name: real_tools(name) for name in SERVERS}})
        self.assertEqual(got.status, 0, got.err)
        (size, lines, text), count = json.loads(got.out.splitlines()[0])
        self.assertEqual(count, len(queries))
        self.assertLessEqual(size, 500, text)
        self.assertEqual(lines, 5)

    def test_fields(self):
        """The same word in one place after another: each counts less."""
        about = "Does something else."
        tools = [
            tool("one_zebra", description=about),
            tool("two_things", title="Zebra", description=about),
            tool("three_things", description="For a zebra."),
            tool("four_things", {"zebra": {}}, description=about),
            tool("five_things", {"x": {"description": "Which zebra"}},
                 description=about)]
        [names] = search("[d['tool'] for d in docs]", ["zebra"], time=tools,
                         **{name: [] for name in SERVERS if name != "time"})
        self.assertEqual(names, [each["name"] for each in tools])

    def test_order_of_words(self):
        """Of names with the same words, the one that is asked for is first."""
        tools = [tool(name) for name in (
            "file_read", "get_3_5", "get_5_3", "Read-File", "read_file")]
        queries = {"read_file": "read_file", "Read-File": "Read-File",
                   "file read": "file_read", "get_5_3": "get_5_3",
                   "get 3 5": "get_3_5", "please get 5 3": "get_5_3",
                   "time.read_file": "read_file"}
        found = search("[d['tool'] for d in docs]", list(queries), time=tools,
                       **{name: [] for name in SERVERS if name != "time"})
        self.assertEqual([names[0] for names in found], list(queries.values()))

    def test_likenesses(self):
        """Whole words, then beginnings, then parts, then slips."""
        tools = [tool(name) for name in (
            "the_zebra", "the_zebrafish", "the_prezebrax")]
        tools.insert(1, tool("all_zebras"))
        [names] = search("[d['tool'] for d in docs]", ["zebra"], time=tools,
                         **{name: [] for name in SERVERS if name != "time"})
        self.assertEqual(names, [each["name"] for each in tools])
        [names] = search("[d['tool'] for d in docs]", ["zerba"], time=tools,
                         **{name: [] for name in SERVERS if name != "time"})
        self.assertEqual(names[:1], ["the_zebra"])

    def test_deprecated_after_noise(self):
        """What fits too little takes no place of one that is deprecated."""
        tools = [tool("zebra", description="Deprecated.")] + [
            tool("t%d" % each, {"x": {"description": "No prezebrax"}})
            for each in range(5)]
        [names] = search("[d['tool'] for d in docs]", ["zebra"], 5, time=tools,
                         **{name: [] for name in SERVERS if name != "time"})
        self.assertEqual(names, ["zebra"])


if __name__ == "__main__":
    unittest.main()
