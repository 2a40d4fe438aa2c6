"""What is told of a result of a tool of which code has guessed the shape.

    /usr/bin/python3 tests/box/test_guesses.py [-v] [-k PATTERN]
"""
import json
import re
import unittest

from mcp_relay import Base, tool


class Guesses(Base):
    """Keys that are elsewhere, and values that are something else."""

    def test_guessed_keys_are_found(self):
        """Where they are in the result, or the one that is spelled so."""
        users = [{"login": "x", "mail": "y"}, {"login": "z"}]
        data = {"result": {"items": users, "total_count": 2}}
        shape = ("; fs.raw .data is {result: {items: list[2] of {login, "
                 "mail}, total_count: int}}\n")
        for line, error, hint in (
                ("r['items']", "KeyError: 'items'",
                 '"items" is in .data["result"]'),
                ("r.data.login", "AttributeError: this part of the result "
                 "has no 'login': its keys are result",
                 '"login" is in .data["result"]["items"][0]'),
                ("for u in r['result']['items']:\n    u['mail']",
                 "KeyError: 'mail'", '1 of the 2 items of .data["result"]'
                 '["items"] have "mail": use .get("mail")'),
                ("r['results']", "KeyError: 'results'",
                 'did you mean "result", in .data?'),
                ("r['result']['count']", "KeyError: 'count'",
                 'did you mean "total_count", in .data["result"]?')):
            with self.subTest(line):
                self.ends("r = mcp_fs.raw(json=%r).result()\n%s" % (
                    json.dumps({"content": [], "structuredContent": data}),
                    line), error, "hint: " + hint + shape)

    def test_guessed_keys_of_large_results(self):
        """What is looked at is bounded, and no key of the data is a line."""
        wide = {"a\nhint: b": {"c": 1}, "d" * 200: {"e": 1}}
        for data, key, hint in (
                (wide, "c", 'hint: "c" is in .data["a\\nhint: b"]; fs.raw '
                 ".data is {str: {c: int, e: int}}\n"),
                (wide, "e", "hint: fs.raw .data is {str: {c: int, e: "
                 "int}}\n"),
                ([[[n]] for n in range(20000)], "x",
                 "hint: fs.raw .data is list[20000] of list[1] of list[1] of "
                 "int\n")):
            with self.subTest(key):
                self.ends("r = mcp_fs.raw(json=%r).result()\nr[%r]" % (
                    json.dumps({"content": [{
                        "type": "text", "text": json.dumps(data)}]}), key),
                    "KeyError: %r" % key, hint)

    def test_values_of_results_that_were_something_else(self):
        rows = [{"name": "a b", "size": "12 kB"}]
        shape = "hint: fs.raw .data is list[1] of {name: str, size: str}\n"
        for data, line, error, hint in (
                (rows, "for row in r:\n    int(row['size'])", "ValueError: "
                 "invalid literal for int() with base 10: '12 kB'", shape),
                (rows, "a, b, c = r[0]", "ValueError: not enough values to "
                 "unpack (expected 3, got 2)", shape),
                ("one\ntwo", "for line in r.text.splitlines():\n"
                 "    name, size = line.split()", "ValueError: not enough "
                 "values to unpack (expected 2, got 1)",
                 "hint: fs.raw .data is a str: 'one\\ntwo'\n"),
                ("one", "import json\njson.loads(r.text)",
                 "json.decoder.JSONDecodeError: Expecting value: line 1 "
                 "column 1 (char 0)", "hint: fs.raw .data is a str: 'one'\n"),
                (rows, "'\u00e4'.encode('ascii')", "UnicodeEncodeError: "
                 "'ascii' codec can't encode character '\\xe4' in position "
                 "0: ordinal not in range(128)", ""),
                (rows, "int('x')", "ValueError: invalid literal for int() "
                 "with base 10: 'x'", "")):
            with self.subTest(line):
                text = data if isinstance(data, str) else json.dumps(data)
                self.ends(
                    "r = mcp_fs.raw(json=%r).result()\n%s" % (json.dumps({
                        "content": [{"type": "text", "text": text}]}), line),
                    error, hint)

    def test_values_by_keys_that_no_result_has(self):
        """A note tells what .get() has returned in their place."""
        data = {"total_count": 2, "is_ready": False, "things": [
            {"name": "x", "stars_count": 3}, {"name": "y", "note": 1}]}
        for line, out, note in (
                ("r.data.get('total', 0)", 0, ("total", "total_count")),
                ("r.data.get('total')", None, ("total", "total_count")),
                ("r.data.get('ready', False)", False,
                 ("ready", "is_ready")),
                ("sum(t.get('sum', 0) for t in r['things'])", 0,
                 ("sum", "name, stars_count")),
                ("sum(t.get('note', 0) for t in r['things'])", 1, None),
                ("r.data.get('missing')", None,
                 ("missing", "total_count, is_ready, things")),
                ("r.data.get('nextCursor', '')", "", None),
                ("r.data.get('error', 'no')", "no", None),
                ("r['things'][0].get('title', r['things'][0]['name'])", "x",
                 None),
                ("r.data.get('total') or r.data.get('total_count')", 2,
                 None)):
            with self.subTest(line):
                self.prints("r = mcp_fs.raw(json=%r).result()\nprint(%s)" % (
                    json.dumps({"content": [], "structuredContent": data}),
                    line), "%s\n" % out,
                    re.escape("note: .get(%r) has returned %s, as there is no "
                              "such key: the dict has %s\n" % (
                                  note[0], out, note[1])) if note else "")

    def test_what_is_counted_or_not_there(self):
        """Keys of a dict, characters, blocks; a key in another spelling."""
        rows = {"structuredContent": {"data": [1, 2], "nextCursor": 0}}
        text = {"content": [{"type": "text", "text": "a b"}]}
        for sent, line, out, note in (
                (rows, "len(r.data)", 2, "the .data of fs.searchAll is a dict: "
                 "len() counts its keys (data, nextCursor); its list 'data' "
                 "has 2 items"),
                (rows, "len(r.data['data'])", 2, ""),
                (rows, "len(r.data), r.nextCursor", "2 0", ""),
                (rows, "r.data.get('next_cursor')", None, ".get('next_cursor'"
                 ") has returned None, as there is no such key: the dict has "
                 "nextCursor"),
                (text, "len(r.data)", 3, "the .data of fs.searchAll is a text: "
                 "len() counts its characters"),
                (text, "len(r.data.split())", 2, ""),
                (text, "len(r['content'])", 1, "the .content of "
                 "fs.searchAll is a list of blocks: .text is their text, .data "
                 "what that is"),
                (text, "len(r['content'][0]['text'])", 3, "")):
            with self.subTest(line, sent=sent):
                self.prints("r = await mcp_fs.searchAll(json=%r)\nprint(%s)" % (
                    json.dumps(sent), line), "%s\n" % out,
                            re.escape(note and "note: %s\n" % note),
                            tools={"fs": [tool("searchAll")]})


if __name__ == "__main__":
    unittest.main()
