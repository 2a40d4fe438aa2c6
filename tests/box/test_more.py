"""Notes on results of tools that are not all that there is.

    /usr/bin/python3 tests/box/test_more.py [-v] [-k PATTERN]
"""
import unittest

from mcp_relay import Base


class More(Base):
    """What is told at the end of code that has read one page."""

    def test_what_was_not_read_is_told(self):
        """echo returns the arguments, raw the JSON that it is given."""
        note = "note: fs.%s: there is more than %s \\(%s\\)\n"
        items = "items=[1, 2]"
        for call, says in (
                ("echo(%s, nextCursor='x')" % items,
                 note % ("echo", "the 2 of its last result", "nextCursor")),
                ("raw(json='{\"structuredContent\": {\"pagination\": "
                 "{\"has_more\": true}}}')",
                 note % ("raw", "its last result", "pagination.has_more")),
                ("echo(%s, hasMore=True, limit=2)" % items, ""),
                ("echo(%s, hasMore=True, limit=3)" % items,
                 note % ("echo", "the 2 of its last result", "hasMore")),
                ("echo(%s, hasMore=True, per_page=2)" % items, ""),
                ("echo(%s, hasMore=False, nextCursor=None)" % items, ""),
                ("echo(%s, next_page_token='x').result(); "
                 "mcp_fs.echo(%s)" % (items, items), ""),
                ("raw(json='{}')", ""),
                ("raw(json='{\"content\": [{\"text\": "
                 "\"{\\\\\"hasNext\\\\\": true}\"}]}')",
                 note % ("raw", "its last result", "hasNext")),
                ("echo(%s, hasMore=True, x='y' * 70000)" % items,
                 note % ("echo", "the 2 of its last result", "hasMore"))):
            with self.subTest(call=call):
                self.prints("mcp_fs.%s.result().data" % call, "", says)
        self.prints("mcp_fs.echo(hasMore=True).result()\nraise SystemExit",
                    "", note % ("echo", "its last result", "hasMore"))
        # An error says enough.
        self.prints("mcp_fs.echo(hasMore=True).result()\n1 / 0", "",
                    ".*ZeroDivisionError: division by zero\n", 1)

    def test_what_is_counted_and_was_not_read_is_told(self):
        note = "note: fs.echo: there is more than the 2 of its last result " \
            "\\(%s\\)\n"
        items = "items=[1, 2]"
        for call, says in (
                ("echo(%s, total_count=57)" % items, note % "total_count: 57"),
                ("echo(%s, total=2)" % items, ""),
                ("echo(%s, total=57, limit=2)" % items, ""),
                ("echo(%s, total=57, page=29)" % items, ""),
                ("echo(%s, total=57, next_cursor='x', page=2)" % items,
                 note % "next_cursor"),
                ("echo(items=[], total=57)", "")):
            with self.subTest(call=call):
                self.prints("mcp_fs.%s.result().data" % call, "", says)

    def test_one_note_tells_of_all(self):
        self.prints("""
for n in 1, 2, 3, 4:
    await mcp_servers["s%d" % n].echo(a=1, hasMore=True)
r = await mcp_s1.echo(total_count=1)
print(r.data.get("total"))
""", "None\n", "note: .get\\('total'\\) [^\n;]*has total_count; "
                    "s2.echo: [^;]*; s3.echo: [^\n;]*\n",
                    others=("s1", "s2", "s3", "s4"))

    def test_code_that_looks_for_more_is_not_told(self):
        call = "r = await mcp_fs.echo(items=[1, 2], %s)\n%s"
        for more, code, out in (
                ("total=57", "print(r['total'])", "57"),
                ("total=57", "print(r.data.total)", "57"),
                ("hasMore=True", "def f():\n    return r.get('hasMore')\n"
                 "print(f())", "True"),
                ("pagination={'has_more': True}",
                 "print(r.pagination.has_more)", "True"),
                ("total=57", "print(r['total'])\nraise SystemExit", "57")):
            with self.subTest(code=code):
                self.prints(call % (more, code), out + "\n")


if __name__ == "__main__":
    unittest.main()
