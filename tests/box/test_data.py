"""The data of a result is what the server sent.

    /usr/bin/python3 tests/box/test_data.py [-v] [-k PATTERN]
"""
import json
import unittest
from importlib.util import find_spec

from mcp_relay import Base, tool

# Prints what expressions about the result r come to, or their errors.
CODE = """
import copy, json, pickle
runtime.configure(raise_on_error=False)
r = await mcp_fs.raw(json=%r)
d = r.data
for line in %r:
    try:
        print(repr(eval(line)))
    except Exception as error:
        print(type(error).__name__ + ":", error)
"""


def text(value):
    """Return a result of one text."""
    return {"content": [{"type": "text", "text": value}]}


def content(data):
    """Return a result of structured content."""
    return {"content": [], "structuredContent": data}


def wrapper(kind, **more):
    """Return an output schema as Python's SDKs have it for a type."""
    return dict({"type": "object", "properties": {"result": kind},
                 "required": ["result"]}, **more)


class Data(Base):
    """Values by the place where they were sent."""

    def shows(self, result, *rows, schema=None, err=""):
        """Compare what expressions come to."""
        entry = tool("raw", **({"outputSchema": schema} if schema else {}))
        self.prints(CODE % (json.dumps(result), [row[0] for row in rows]),
                    "".join(str(row[1]) + "\n" for row in rows), err,
                    loaded=("fs",), tools={"fs": [entry]})

    def test_default_is_not_asked(self):
        """A note about .get() runs nothing of the code's."""
        self.prints("""
class Default:
    def __repr__(self):
        print("ran")
        return "0"
r = mcp_fs.raw(json=%r).result()
print(type(r.data.get("b", Default())).__name__)
""" % json.dumps(content({"a": 1})), "Default\n",
                    "note: .get\\('b'\\) has returned its default, [^\n]*\n")

    def test_text(self):
        """It is JSON only where it is an object or an array."""
        rows = (("3.10", "'3.10'"), ("1234e56", "'1234e56'"), ("5", "'5'"),
                ("null", "'null'"), ("true", "'true'"), ('"x"', "'\"x\"'"),
                ("", "''"), (" [1, 2e400]\n", "[1, 2e400]"),
                ('{"a": [{}]}', "{'a': [{}]}"), ("[1] 2", "'[1] 2'"),
                ("{x}", "'{x}'"), ("[" * 99999, repr("[" * 99999)),
                ('{"a":1e-999,"b":%d}' % 10 ** 50, "{'a': 1e-999, 'b': %d}"
                 % 10 ** 50))
        self.prints("""
for sent, text in %r:
    r = mcp_fs.raw(json=sent).result()
    print(repr(r.data), r.text == text)
""" % [(json.dumps(text(sent)), sent) for sent, _ in rows], "".join(
    "%s True\n" % data for _, data in rows), loaded=("fs",))

    def test_structured_content(self):
        """One key that the output schema declares as a wrapper is none."""
        one = content({"result": "3.10"})
        string = {"type": "string"}
        for result, schema, data in (
                (one, wrapper(string), "'3.10'"),
                (content({"result": "1234e56"}), wrapper(string),
                 "'1234e56'"),
                (content({"result": "null"}), wrapper(string), "'null'"),
                (content({"result": None}), wrapper({}), "None"),
                (content({"result": [1]}), wrapper({"type": "array"}),
                 "[1]"),
                (content({"result": {"a": 1}}), wrapper(
                    {"anyOf": []}, **{"x-fastmcp-wrap-result": True}),
                 "{'a': 1}"),
                (content({"result": {"a": 1}}), wrapper({"$ref": "#/$defs/A"},
                    **{"$defs": {"A": {"type": "object"}}}),
                 "{'result': {'a': 1}}"),
                (one, None, "{'result': '3.10'}"),
                (one, wrapper(string, required=[]), "'3.10'"),
                (content({"result": {}}), wrapper(
                    {"type": "object"}, required=[]), "{'result': {}}"),
                (one, {"properties": {"result": string, "more": string},
                       "required": ["result"]}, "{'result': '3.10'}"),
                (content({"result": 1, "more": 2}), wrapper(string),
                 "{'result': 1, 'more': 2}"),
                (dict(text("[1]"), structuredContent={"content": "[1]"}),
                 None, "{'content': '[1]'}"),
                (dict(text("[1]"), structuredContent=None), None, "[1]")):
            with self.subTest(result, schema=schema):
                self.shows(result, ("d", data), (
                    "copy.deepcopy(r).data == pickle.loads(pickle.dumps(r))."
                    "data == d", True), schema=schema)
        self.shows(content({"result": {"a": 1}}), (
            "[r['a'], r.a, r.get('a'), r['result']['a']]", "[1, 1, 1, 1]"), (
            "'a' in r", True), schema=wrapper({"anyOf": []}, **{
                "x-fastmcp-wrap-result": True}))
        self.shows(one, ("r['result'], r.result, r.get('result')",
                         ("3.10",) * 3), (
            "mcp_fs.raw.__doc__.endswith('.data: str')", True),
            schema=wrapper(string))

    def test_blocks(self):
        """The text of resources is text; of others there is a line."""
        pdf = {"type": "resource", "resource": {
            "uri": "a:b", "mimeType": "application/pdf", "blob": "A" * 26668}}
        image = {"type": "image", "mimeType": "image/png", "data": "A" * 16000}
        inner = {"type": "resource", "resource": {
            "uri": "a:b", "text": '{"a": 1}'}}
        self.shows({"content": [inner]}, ("r.text", "'{\"a\": 1}'"),
                   ("d, r.a", ({"a": 1}, 1)), ("r.blocks", [inner]))
        self.shows({"content": [image, inner]}, ("r.text", repr(
            '[image image/png 12 kB]\n{"a": 1}')), ("d", {"a": 1}))
        blocks = [image, pdf, {"type": "audio", "mimeType": "audio/wav",
                               "data": "AAA="},
                  {"type": "resource_link", "name": "x", "uri": "b:c\nd"},
                  {"type": "resource", "resource": {"uri": "c:d"}},
                  {"type": "new"}, {"type": "resource"}, 5,
                  {"type": "image", "data": "A" * 2000000}]
        says = "[image image/png 12 kB]\n[resource application/pdf 20 kB]\n" \
            "[audio audio/wav 2 bytes]\n[resource_link x b:c d]\n" \
            "[resource c:d]\n[new]\n[resource]\n[block]\n[image 1.5 MB]"
        self.shows({"content": blocks}, ("r.text", repr(says)),
                   ("d == r.text == str(r)", True),
                   ("r.blocks == r['content'] == r.content", True))
        self.shows({}, ("r.blocks, r.text, d", ([], "", "")))

    def test_what_is_no_result(self):
        """It fails, and the error has it as it was sent."""
        for sent, why in (
                ({"content": "x"}, 'its "content" is no list of blocks'),
                ({"content": None}, 'its "content" is no list of blocks'),
                ({"content": {"toolResult": 1}},
                 'its "content" is no list of blocks'),
                ({"toolResult": 1}, 'it has no "content"'),
                ({"content": [], "isError": "true"},
                 'its "isError" is neither true nor false'),
                ({"content": [], "isError": 1},
                 'its "isError" is neither true nor false')):
            with self.subTest(sent):
                self.prints("""
try:
    await mcp_fs.raw(json=%r)
except runtime.MCPError as error:
    print(error)
    print(dict.__repr__(error.result))
""" % json.dumps(sent), "fs.raw: the answer is no result of a tool, as %s; "
                            "error.result has it: %s\n%s\n" % (
                                why, sent, sent))
        self.shows({"structuredContent": {"a": 1}}, ("d", {"a": 1}))
        self.ends("await mcp_fs.raw(json='[]')", "MCPError: fs.raw: the "
                  "answer is no result of a tool")

    def test_keys_are_exact(self):
        """None stands for another one."""
        self.shows(
            content({"-5": "cold", "Polish": 7, "user-name": "x"}),
            ("d.get('5', 'unknown')", "'unknown'"),
            ("r.get('5', 'unknown')", "'unknown'"),
            ("d.get('polish', 0), d.get('user_name')", (0, None)),
            ("d['polish']", "KeyError: 'polish'; its keys are -5, Polish, "
             "user-name"), ("'polish' in d, 'polish' in r", (False, False)),
            ("hasattr(d, 'user_name'), hasattr(r, 'polish')",
             (False, False)), err="note: .get\\('5'\\) has returned [^\n]*\n")
        self.shows(
            content({"deleted_users": [1], "total": 0}),
            ("r.get('users', []), d.get('items', []), d.get('results')",
             ([], [], None)), ("r['users']", "KeyError: 'users'; its keys "
                               "are content, structuredContent, "
                               "deleted_users, total"),
            ("r.users", "AttributeError: the result has no 'users': write "
             "r.data or r.text; r.data is {deleted_users: list[1] of int, "
             "total: int}"),
            err="note: .get\\('users'\\) has returned [^\n]*\n")
        self.shows(content({"status": "failed"}),
                   ("r.get('success', False), hasattr(r, 'ok')",
                    (False, False)), ("r.is_error, r.isError", (False, False)),
                   err="note: [^\n]*\n")
        self.shows(text("[]"), ("r.get('isError', 5)", 5),
                   ("r.get('items', [])", "AttributeError: the result has no "
                    "key 'items': write r.data or r.text; r.data is list[0]"))

    def test_dicts_are_plain(self):
        """In every operation; keys are attributes unless dict has them."""
        sent = {"login": "x", "items": [1], "inner": {"a b": None}, "n": 1}
        same = [
            "d", "str(d)", "len(d)", "list(d)", "[*reversed(d)]",
            "list(d.items())", "'x' in d, 'n' in d", "d == dict(d) == d",
            "d != {}", "d['inner'] == 'x'", "d['inner'] in ['a b']", "{**d}",
            "d | {'n': 2}", "json.dumps(d)", "json.dumps(d, indent=1)",
            "copy.copy(d)", "copy.deepcopy([d])", "type(copy.copy(d)) is dict",
            "pickle.loads(pickle.dumps(d))", "bool(d['inner'])", "hash(d)",
            "isinstance(d, dict)", "type(d) == dict", "type(d).__name__",
            "d.get('z', 5)", "d.get('n'), d.get('z')", "d.pop('z', 7)",
            "'%(n)s' % d", "'{n}'.format(**d)", "__import__('unittest')."
            "TestCase().assertEqual(d, {**d})", "d < d", "d[[]]",
            "d.setdefault('new', 1), d.pop('new')", "sorted(d)",
            "__import__('pprint').pformat(d)"]
        same += ["__import__('yaml').safe_dump(d)"] * bool(find_spec("yaml"))
        rows = []
        for line in same:
            try:
                rows.append((line, repr(eval(line, {
                    "d": sent, "copy": __import__("copy"), "json": json,
                    "pickle": __import__("pickle")}))))
            except Exception as error:
                rows.append((line, "%s: %s" % (type(error).__name__, error)))
        self.shows(content(sent), *rows,
                   ("d.login, d.inner.a, d.n", "AttributeError: this part of "
                    "the result has no 'a': its keys are a b"),
                   ("d.login, r.login, d.items()", "('x', 'x', dict_items("
                    "%s))" % list(sent.items())),
                   ("KeyError('n').args == d.__class__.__missing__(d, 'm')",
                    "KeyError: 'm'; its keys are login, items, inner, n"),
                   err="note: .get\\('z'\\) has returned 5[^\n]*\n")
        self.shows(text(json.dumps([sent])), ("d == [%r]" % sent, True),
                   ("type(d) is list, type(d[0]['items']) is list",
                    (True, True)), ("sent in d if (sent := dict(d[0])) else 0",
                                    True), ("'login' in d, 'x' in d",
                                            (False, False)),
                   err="note: a dict of a result was compared with a text, "
                   "[^\n]*\n")
        self.prints("""
import pickle
try:
    (await mcp_fs.echo(a=1)).data["b"]
except KeyError as error:
    print(error.args, repr(error), pickle.loads(pickle.dumps(error)))
""", "('b',) KeyError('b') 'b'\n")

    def test_the_result(self):
        """Its own fields, then those of the data."""
        own = {"content": [], "structuredContent": {"content": 5, "n": 1}}
        self.shows(
            own, ("r['content'], r.content, r['n'], r.n", ([], [], 1, 1)),
            ("list(r)", ["content", "structuredContent", "n"]),
            ("[*reversed(r)][0], 'n' in r, 'isError' in r",
             ("n", True, False)),
            ("dict(r) == {**r} == json.loads(json.dumps(r)) == %r" % own,
             True), ("list(r.items()) == %r" % list(own.items()), True),
            ("r == %r, r != {}, bool(r)" % own, (True, True, True)),
            ("r[0]", "KeyError: 0; its keys are content, structuredContent, "
             "n"), ("len(r) == len(list(r)) == len(sorted(r))", True),
            ("r.structuredContent is d, r._meta if hasattr(r, '_meta') else 0",
             (True, 0)),
            err="note: .items\\(\\) of the result of fs.raw has [^\n]*\n")
        self.shows(
            text('[{"a": 1}, {"a": 2}]'), ("r[0], r[-1].a, r[:1], len(r)",
                                           ({"a": 1}, 2, [{"a": 1}], 2)),
            ("[e['a'] for e in r], [*reversed(r)][0]", ([1, 2], {"a": 2})),
            ("r['content'][0]['text'] == r.content[0].text == r.text", True),
            ("{'a': 2} in r, 'a' in r, 'content' in r, bool(r)",
             (True, False, True, True)),
            ("r[5]", "IndexError: list index out of range"),
            ("r['a']", "KeyError: 'a'; its keys are content"),
            *((line, "TypeError: the result has no keys: write r.data or "
               "r.text; r.data is list[2] of {a: int}") for line in (
                   "r.keys()", "dict(r)", "{**r}", "json.dumps(r)",
                   "json.dump(r, open('/dev/null', 'w'))", "r | {}",
                   "r.items()", "(lambda **k: k)(**r)")))
        self.shows(
            text("[]"), ("bool(r), len(r), list(r)", (False, 0, [])),
            *((line, "TypeError: the result has no keys: write r.data or "
               "r.text; r.data is list[0]") for line in (
                   "dict(r)", "json.dumps(r)", "json.dumps(r, indent=1)",
                   "json.dump(r, open('/dev/null', 'w'))",
                   "json.dumps([r], default=str)", "json.dumps({'a': r})")))
        lacks = ": write r.data or r.text; r.data is str"
        self.shows(
            text("a b"), ("str(r), f'{r}'", ("a b", "a b")),
            ("r == 'a b', r == r.text, r != 5", (False, False, True)),
            ("list(r)", "TypeError: the result has no items" + lacks),
            ("r[:1]", "TypeError: the result has no slices" + lacks),
            ("'a' in r", "TypeError: the result has no characters" + lacks),
            ("'content' in r, r['content'][0].text", (True, "a b")),
            ("r.split()", "AttributeError: the result has no 'split'" + lacks),
            ("r + '!'", "TypeError: unsupported operand type(s) for +: "
             "'Result' and 'str'"), ("r > 1", "TypeError: '>' not supported "
                                     "between instances of 'Result' and "
                                     "'int'"),
            ("hash(r)", "TypeError: unhashable type: 'Result'"),
            ("json.loads(json.dumps(r)) == dict(r) == r == {**r}", True),
            err="note: the result of fs.raw was compared with a value, which "
            "it never equals: write .data or .text\n")

    def test_looking_into_it_finds_the_data(self):
        """Each operation finds what r[x] finds; the whole is the fields."""
        data = {"a": 1, "isError": 5, "_meta": 6, "b": 2}
        sent = content(data)
        self.shows(
            sent, ("r['isError'], r.isError, r.get('isError')", (5, 5, 5)),
            ("r._meta, '_meta' in r, r.is_error", (6, True, False)),
            ("r.setdefault('a', 7), r.pop('a'), 'a' in r, 'a' in d",
             (1, 1, False, False)), ("r.pop('a', 8)", 8),
            ("r.pop('a')", "KeyError: 'a'"),
            ("r.setdefault('a', 9), r['a'], 'a' in d", (9, 9, False)),
            ("r.__delitem__('b'), 'b' in d, 'b' in r", (None, False, False)),
            ("r.pop('a'), dict(r) == {'content': [], 'structuredContent': d}",
             (9, True)), ("type(r.copy()).__name__, r.copy().isError", (
                 "Result", 5)), ("r.copy() == r == copy.copy(r)", True),
            ("(r | {'x': 1}) == {**r, 'x': 1}", True),
            ("type(r | {}) is type({} | r) is dict", True))
        self.shows(dict(sent, isError=False), (
            "r['isError'], r.isError, r.get('isError'), d.isError",
            (False, False, False, 5)))
        self.shows(content({"result": {"a": 1}}), ("r.pop('a'), d", (1, {})), (
            "r.pop('result'), 'result' in r", ({}, False)),
            schema=wrapper({"anyOf": []}))

    def test_what_takes_a_result_for_its_data_is_told(self):
        """At most one note, and none where the fields are meant."""
        items = r"note: \.%s\(\) of the result of fs.raw has the fields of " \
            "the answer, not its data: write .data\n"
        equal = "note: the result of fs.raw was compared with a value, which " \
            "it never equals: write .data or .text\n"
        ok = text("ok")
        for sent, line, says in (
                (ok, "r == 'ok'", equal), (ok, "r != 'ok'", equal),
                (ok, "'ok' in [r], r == 5", equal), (ok, "r == None", ""),
                (ok, "r == dict(r), r.text == 'ok'", ""),
                (ok, "list(r.items())", ""),
                (content({"a": 1}), "[*r.items()]", items % "items"),
                (content({"a": 1}), "sorted(r.keys())", items % "keys"),
                (content({"a": 1}), "len(r.values())", items % "values"),
                (content({"a": [1], "b": [2]}), "len(r)",
                 r"note: len\(\) of the result of fs.raw counts its fields and "
                 "the keys of its data: write .data\n"),
                (ok, "'isError' in r", ""),
                (content({"a": 1}), "r.get('isError'), list(r)", ""),
                (content({"a": {"b": 1}}), "r['a'] == 'b'", "note: a dict of a "
                 "result was compared with a text, which it never equals: "
                 "compare one of its values; its keys are b\n"),
                (content({"a": {"b": 1}}), "r['a'] != {}, r.a == r.data.a", ""),
                (content({"a": 1}), "dict(r), {**r}, r.data.items()", "")):
            with self.subTest(line):
                self.prints("r = mcp_fs.raw(json=%r).result()\nx = %s" % (
                    json.dumps(sent), line), "", says)

    def test_libraries_take_what_they_are_given(self):
        """An error says what was meant."""
        data = "a result is not its data: write r.data or r.text; "
        for code, error, hint in (
                ("import json\njson.loads(r)", "TypeError: the JSON object "
                 "must be str, bytes or bytearray, not Result", "r.data is "
                 "parsed already: leave out json.loads(); "),
                ("import json\njson.loads(r.data)", "TypeError: the JSON "
                 "object must be str, bytes or bytearray, not dict", "r.data "
                 "is parsed already: leave out json.loads(); "),
                ("open('/dev/null', 'w').write(r)", "TypeError: write() "
                 "argument must be str, not Result", data),
                ("import io\nio.StringIO(r)", "TypeError: initial_value must "
                 "be str or None, not Result", data),
                ("float(r)", "TypeError: float() argument must be a string "
                 "or a real number, not 'Result'", data),
                ("r + 1", "TypeError: unsupported operand type(s) for +: "
                 "'Result' and 'int'", data),
                ("f'{r:.2f}'", "TypeError: unsupported format string passed "
                 "to Result.__format__", data)):
            with self.subTest(code):
                self.ends("r = await mcp_fs.raw(json=%r)\n%s" % (
                    json.dumps(content({"a": 1})), code), error,
                    "hint: %sfs.raw .data is {a: int}\n" % hint)


if __name__ == "__main__":
    unittest.main()
