"""Arguments that code gives by other names than the tool has, and choices in
other letters.

    /usr/bin/python3 tests/box/test_alias.py [-v] [-k PATTERN]
"""
import json
import unittest

from mcp_relay import Base, tool

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
LIST = {"type": "array", "items": TEXT}


class Alias(Base):
    """What is sent, and what is told of it."""

    def sends(self, entry, given, sent, note=""):
        """Call a tool with arguments as code, and see what is sent."""
        with self.subTest(given):
            got = self.prints("mcp_fs.%s(%s).result()" % (
                entry["name"], given), "", "".join(
                    "note: fs.%s: the argument %s was taken for %s\n" % (
                        (entry["name"], *pair.split("=")))
                    for pair in note.split()), tools={"fs": [entry]})
            self.assertEqual([json.loads(call[2]) for call in got.relay.calls],
                             [sent])

    def refuses(self, entry, given):
        """Call a tool with arguments that could mean two things, or none."""
        with self.subTest(given):
            got = self.prints(
                "try:\n    mcp_fs.%s(%s).result()\n"
                "except runtime.ArgumentError as error:\n"
                "    print(str(error)[:11])" % (entry["name"], given),
                ("fs.%s: unknown" % entry["name"])[:11] + "\n",
                tools={"fs": [entry]})
            self.assertEqual(got.relay.calls, [])

    def test_what_is_required_and_missing(self):
        issue = tool("get_issue", {"owner": TEXT, "issue_number": NUMBER},
                     ["owner", "issue_number"])
        sheet = tool("readSheet", {
            "fileAbsolutePath": TEXT, "sheetName": TEXT, "range": TEXT},
            ["fileAbsolutePath", "sheetName"])
        deal = tool("getDeal", {"id": TEXT}, ["id"])
        money = tool("convert", {"amount": NUMBER, "from": TEXT, "to": TEXT},
                     ["amount", "from", "to"])
        for entry, given, sent, note in (
                (issue, "owner='a', number=5",
                 {"owner": "a", "issue_number": 5}, "number=issue_number"),
                (issue, "org='a', number='5'",
                 {"owner": "a", "issue_number": 5},
                 "org=owner number=issue_number"),
                (sheet, "file_path='a', sheet='b'",
                 {"fileAbsolutePath": "a", "sheetName": "b"},
                 "file_path=fileAbsolutePath sheet=sheetName"),
                (deal, "deal_id='d'", {"id": "d"}, "deal_id=id"),
                (money, "amount=1, from_currency='a', to_currency='b'",
                 {"amount": 1, "from": "a", "to": "b"},
                 "from_currency=from to_currency=to"),
                (tool("math", {"expression": TEXT}, ["expression"]),
                 "expr='1'", {"expression": "1"}, "expr=expression"),
                (tool("send", {"to": LIST, "body": TEXT}, ["to", "body"]),
                 "recipients=['a'], text='b'", {"to": ["a"], "body": "b"},
                 "recipients=to text=body")):
            self.sends(entry, given, sent, note)

    def test_how_many_items_are_wanted(self):
        self.sends(tool("list", {"pageSize": NUMBER, "cursor": TEXT}),
                   "limit=5", {"pageSize": 5}, "limit=pageSize")

    def test_options_that_the_name_has(self):
        log = tool("git_log", {"path": TEXT, "maxCount": NUMBER,
                               "filePath": TEXT, "date": TEXT})
        self.sends(log, "repo_path='a', max_count=1",
                   {"path": "a", "maxCount": 1}, "repo_path=path")
        for given in ("directory='a'", "exclude_path='a'", "path='a', "
                      "repo_path='b'", "start_date='a'", "repo_path=5"):
            self.refuses(log, given)

    def test_words_that_are_cut_short(self):
        pull = tool("get_files", {"pullNumber": NUMBER, "number": NUMBER},
                    ["pullNumber"])
        for entry, given, sent, note in (
                (pull, "pr_number=5", {"pullNumber": 5},
                 "pr_number=pullNumber"),
                (tool("math", {"expression": TEXT, "values": LIST}),
                 "expr='1'", {"expression": "1"}, "expr=expression"),
                (tool("hash", {"input": TEXT, "key": TEXT}, ["input"]),
                 "text='a'", {"input": "a"}, "text=input")):
            self.sends(entry, given, sent, note)
        self.refuses(tool("find_all", {"cache": TEXT}), "no_cache='a'")

    def test_an_owner_in_the_name_of_a_repository(self):
        entry = tool("get_issue", {"owner": TEXT, "repo": TEXT,
                                   "number": NUMBER}, ["owner", "repo"])
        got = self.prints("mcp_fs.get_issue(repo='a/b', number=5).result()",
                          "", "note: fs.get_issue: the argument repo was "
                          "taken for owner and repo\n", tools={"fs": [entry]})
        self.assertEqual(json.loads(got.relay.calls[0][2]),
                         {"owner": "a", "repo": "b", "number": 5})
        for given in "repo='a'", "repo='a/b/c'", "repo='/b'", "repo=5":
            self.refuses(entry, given)

    def test_when_a_time_begins_and_ends(self):
        self.sends(tool("events", {"from": TEXT, "to": TEXT}),
                   "start='a', end_date='b'", {"from": "a", "to": "b"},
                   "start=from end_date=to")

    def test_what_may_mean_something_else(self):
        for entry, given in (
                (tool("get_deal", {"id": TEXT}, ["id"]), "company_id='c'"),
                (tool("get_deal", {"id": NUMBER}, ["id"]), "number=5"),
                (tool("remove_it", {"path": TEXT}, ["path"]),
                 "exclude_path='a'"),
                (tool("find_one", {"price": NUMBER}, ["price"]),
                 "max_price=5"),
                (tool("move_one", {"source": TEXT, "target": TEXT},
                      ["source", "target"]), "path='a', target_path='b', "
                 "old_path='c'"),
                (tool("find_all", {"state": TEXT}), "status='a'"),
                (tool("find_all", {"file_path": TEXT, "dir_path": TEXT},
                      ["file_path", "dir_path"]), "path='a'"),
                (tool("find_all", {"issue_number": NUMBER},
                      ["issue_number"]), "number='x'"),
                (tool("find_all", {"labels": LIST}, ["labels"]),
                 "label='x'")):
            self.refuses(entry, given)

    def test_nothing_is_taken_where_more_is_allowed(self):
        entry = tool("get_deal", {"id": TEXT}, ["id"])
        entry["inputSchema"]["additionalProperties"] = True
        self.refuses(entry, "deal_id='d'")

    def test_choices_in_other_letters(self):
        entry = tool("find", {"state": {"enum": ["open", "in-progress"]},
                              "all": {"type": "array", "items": {
                                  "enum": ["a", "A", "b"]}}})
        for given, sent in (("state='OPEN'", {"state": "open"}),
                            ("state='In Progress'", {"state": "in-progress"}),
                            ("all=['a', 'B']", {"all": ["a", "b"]})):
            self.sends(entry, given, sent)
        for wrong in "state='opened'", "state='open!'":
            self.refuses(tool("find_all", {"state": {"enum": ["open"]}}),
                         wrong)


if __name__ == "__main__":
    unittest.main()
