"""What code sees of worker/box/python/mcp: arguments and schemas of tools.

    /usr/bin/python3 tests/box/test_mcp_tools.py [-v] [-k PATTERN]

The Python that runs the tests is the Python that is tested.
"""
import sys
import unittest

from mcp_relay import Base, FS, HANG, OLDER, run, tool, TOOLS


def node(**more):
    """Return a schema with references of every kind."""
    return {"$defs": {
        "Node": {"type": "object", "properties": {
            "name": {"type": "string"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        }, "required": ["name"]},
        "a/b%": {"$anchor": "here", "enum": ["x", 1, None]},
    }, "type": "object", **more}


REFERRING = node(properties={
    "tree": {"$ref": "#/$defs/Node", "description": "The tree."},
    "choice": {"$ref": "#/$defs/a~1b%25", "default": "x"},
    "same": {"$ref": "#here"},
    "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "both": {"allOf": [{"type": "object", "properties": {"p": {}}},
                       {"properties": {"q": {"const": 5}}}]},
    "map": {"type": "object", "additionalProperties": {"type": "number"}},
    "gone": {"$ref": "#/nowhere"}, "far": {"$ref": "http://x/y"},
}, required=["tree"])
MERGED = {"allOf": [
    {"properties": {"a": {"type": "string"}}, "required": ["a"]},
    {"$ref": "#/$defs/B"}], "$defs": {"B": {
        "properties": {"b": {"type": "integer", "default": 3}},
        "required": ["b"]}}}


def deep():
    """Return a schema that is nested, and refers to itself, everywhere."""
    schema = {}
    for _ in range(8):
        schema = {"allOf": [schema, {"$ref": "#"}],
                  "properties": {"p": schema, "q": {"$ref": "#"}}}
    for _ in range(60):
        schema = {"allOf": [{"$ref": "#"}, schema]}
    return schema


class Arguments(Base):
    """Names of arguments that a tool does not have, or lacks."""

    CALLS = """
E = runtime.MCPError
for call in (lambda: mcp_fs.read_file(),
             lambda: mcp_fs.read_file(path='x', haed=1),
             lambda: mcp_fs.read_file(pth='x'),
             lambda: mcp_fs.read_file(path='x', nonsense=1, others=2),
             lambda: mcp_fs['read_file'](old_path='x'),
             lambda: runtime.call_tool('fs', 'read_file', {'Pathh': 'x'})):
    try:
        print(%s)
    except E as error:
        print(isinstance(error, TypeError), error.server, error.tool, error)
"""
    SAYS = "".join(
        "True fs read_file fs.read_file: %s; it takes path (required), head, "
        "mode\n" % says for says in (
            "missing argument 'path'",
            "unknown argument 'haed'; did you mean head?",
            "unknown argument 'pth'; did you mean path?; missing argument "
            "'path'",
            "unknown arguments 'nonsense', 'others'",
            "unknown argument 'old_path'; did you mean path?; missing "
            "argument "
            "'path'",
            "unknown argument 'Pathh'; did you mean path?; missing argument "
            "'path'"))

    def test_wrong_ones_are_not_sent(self):
        for how in "call().result()", "await call()":
            got = self.prints(self.CALLS % how, self.SAYS)
            self.assertEqual(got.relay.calls, [])

    def test_right_ones_are_sent(self):
        got = self.prints("""
for arguments in ({'path': ''}, {'path': 'x', 'head': -1, 'mode': 'binary'}):
    mcp_fs.read_file(**arguments).result()
""", "")
        self.assertEqual(len(got.relay.calls), 2)

    def test_what_is_wrong_by_a_schema(self):
        cases = (
            (MERGED, {"b": 1}, "missing argument 'a'; it takes a (required), "
             "b (required)"),
            (MERGED, {"a": "x"}, None),
            (MERGED, {"a": "x", "c": 2}, "unknown argument 'c'; it takes a "
             "(required), b (required)"),
            (REFERRING, {"tree": {"name": ""}, "far": 2, "both": {"q": 5}},
             None),
            (REFERRING, {"tree": {}, "both": {"q": 6}}, "argument 'tree': "
             "missing key 'name'; it takes name (required), children; "
             "argument 'both.q' is 6, and must be 5"),
            (REFERRING, {"Trees": 1}, "unknown argument 'Trees'; did you mean "
             "tree?; missing argument 'tree'; it takes tree (required), "
             "choice, same, either, both, map, gone, far; tree is {name: "
             "str, children?: list[Node]}"),
            ({"additionalProperties": False}, {"a": 1},
             "unknown argument 'a'; it takes none"),
            ({"properties": {"path-name": {}}}, {"path_nam": 1},
             "unknown argument 'path_nam'; did you mean **{'path-name': "
             "...}?; it takes path-name"),
            ({"required": ["a", "a", 5, None, {}]}, {},
             "missing argument 'a'; it takes a (required)"),
            ({"properties": {"n%d" % i: {} for i in range(10000)},
              "required": ["n%d" % i for i in range(10000)]}, {},
             "missing arguments 'n0', 'n1', 'n2', 'n3', 'n4', ...; it takes "
             + ", ".join("n%d (required)" % i for i in range(20)) + ", ..."),
        )
        self.judge(cases)

    def test_in_doubt_it_is_the_server_that_judges(self):
        some = {"properties": {"a": {}}}
        self.judge([(schema, {"z": 1}, None) for schema in (
            None, True, False, 5, [], "object", {}, {"properties": {}},
            {"properties": 5}, {"properties": [1]}, {"required": "z"},
            {"$ref": "#"}, {"$ref": 5}, {"$ref": "#/$defs/x"}, {"allOf": 5},
            {"$ref": "other.json", **some}, {"allOf": [some, {"not": {}}]},
            {"allOf": [some, False]}, {"type": "array", **some},
            dict(some, additionalProperties=True),
            dict(some, additionalProperties={}),
            dict(some, additionalProperties={"type": "string"}),
            dict(some, additionalProperties="no"),
            dict(some, unevaluatedProperties=True),
            dict(some, patternProperties={"^z": {}}),
            dict(some, propertyNames={"pattern": "^[a-z]$"}),
            dict(some, anyOf=[{"properties": {"z": {}}}]),
            dict(some, oneOf=[{"required": ["q"]}]),
            {"if": some, "then": {"required": ["q"]}},
            {"anyOf": [{"required": ["q"]}]},
            dict(some, required=["a"], properties={"a": {"default": 1}},
                 additionalProperties=True), deep())])
        many = [{"const": number} for number in range(80)]
        self.judge([({"properties": {"a": {kind: many}}}, {"a": 75}, None)
                    for kind in ("anyOf", "oneOf")])

    def judge(self, cases):
        """Call tools of these schemas and compare what is said of them."""
        tools = [dict(name="t%d" % number, inputSchema=schema)
                 for number, (schema, _, _) in enumerate(cases)]
        got = self.prints("""
for number, arguments in enumerate(%r):
    tool = mcp_web['t%%d' %% number]
    tool.__doc__, tool.__signature__, repr(tool)
    try:
        tool(**arguments).result()
        print(None)
    except runtime.ArgumentError as error:
        print(error.message)
""" % [arguments for _, arguments, _ in cases], "".join(
            "%s\n" % says for _, _, says in cases),
            loaded=("web",), tools={"web": tools})
        self.assertEqual(len(got.relay.calls), len(
            [says for _, _, says in cases if says is None]))

    def test_a_schema_that_has_changed(self):
        """The server may take tomorrow what it refuses today."""
        self.prints("""
print(mcp_fs.brand(new=1).result().data)
mcp_fs.print().result()
try:
    mcp_fs.brand(old=1).result()
except runtime.ArgumentError as error:
    print(error.message)
print(mcp_fs.brand(new=1).result().data)
""", "{'new': 1}\nunknown argument 'old'; it takes new\n{'new': 1}\n",
                    tools={"fs": FS + [tool("brand", {"new": {}})]})

    WRONG = """
for call in (lambda: mcp_fs.read_file(path=5, head='many'),
             lambda: mcp_fs['read_file'](path='x', mode='bianry', haed=1),
             lambda: runtime.call_tool('fs', 'read_file', {
                 'path': None, 'head': None})):
    try:
        print(%s)
    except runtime.MCPError as error:
        print(isinstance(error, TypeError), error)
"""

    def test_wrong_values_are_not_sent(self):
        for how in "call().result()", "await call()":
            got = self.prints(self.WRONG % how, """\
True fs.read_file: argument 'path' is 5, and must be a string; argument 'head' \
is 'many', and must be an integer
True fs.read_file: unknown argument 'haed'; did you mean head?; it takes path \
(required), head, mode; argument 'mode' is 'bianry', and must be 'text' or \
'binary'; did you mean 'binary'?
True fs.read_file: argument 'path' is None, and must be a string
""")
            self.assertEqual(got.relay.calls, [])

    def test_values_are_those_of_the_call(self):
        """What the code does to its dict later is of no matter."""
        got = self.prints("""
given = {'path': 'x'}
call = runtime.call_tool('fs', 'read_file', given)
given['path'] = 5
print(call.result().data)
""", "{'path': 'x'}\n")
        self.assertEqual(got.relay.calls[0][2], '{"path":"x"}')

    def fit(self, cases, root=()):
        """Call tools whose argument has a schema, with values as code.

        cases: schema, the right values, and what is said of each wrong one.
        """
        tools = [dict(name="t%d" % number, inputSchema=dict({
            "type": "object", "properties": {"a": schema}}, **dict(root)))
            for number, (schema, _, _) in enumerate(cases)]
        code = "".join("mcp_web.t%d, %s, (%s),\n" % (
            number, right, "".join(value + ", " for value in wrong))
            for number, (_, right, wrong) in enumerate(cases))
        self.prints("""
import enum
class Text(str, enum.Enum):
    A, B = 'a', 'b'
class Number(enum.IntEnum):
    ONE = 1
cases = iter((%s))
for tool in cases:
    for value in next(cases):
        tool(a=value).result()
    for value in next(cases):
        try:
            tool(a=value).result()
            print('sent', value)
        except runtime.ArgumentError as error:
            print(error.message)
""" % code, "".join("argument 'a' is %s\n" % says for _, _, wrong in cases
                    for says in wrong.values()),
            loaded=("web",), tools={"web": tools})

    def test_types(self):
        self.fit([({"type": kind}, right, wrong) for kind, right, wrong in (
                ("string", "('', 'x', Text.A, 'x' * 5000)", {
                    "1": "1, and must be a string",
                    "['x'] * 9": "a list, and must be a string",
                    "{'x': 1}": "a dict, and must be a string"}),
                ("integer", "(0, -1, 1.0, -0.0, 1e300, 10 ** 400, Number.ONE, "
                 "'1', None)",
                 {"True": "True, and must be an integer",
                  "1.5": "1.5, and must be an integer",
                  "'1.0'": "'1.0', and must be an integer",
                  "'01'": "'01', and must be an integer",
                  "'+1'": "'+1', and must be an integer",
                  "' 1'": "' 1', and must be an integer",
                  "'1\\n'": "'1\\n', and must be an integer",
                  "'\u0661'": "'\u0661', and must be an integer",
                  "'-'": "'-', and must be an integer",
                  "''": "'', and must be an integer",
                  "'x\\n' * 2000": "'%s'..., and must be an integer" % (
                      "x\\n" * 30)}),
                ("number", "(0, 1.5, 10 ** 400, Number.ONE)",
                 {"False": "False, and must be a number",
                  "'1.5'": "'1.5', and must be a number"}),
                ("boolean", "(True, False)",
                 {"1": "1, and must be True or False",
                  "'true'": "'true', and must be True or False"}),
                ("array", "([], (), [1])",
                 {"'a'": "'a', and must be a list",
                  "{}": "a dict, and must be a list"}),
                ("object", "({}, {'a': 1})",
                 {"[]": "a list, and must be a dict",
                  "10 ** 70": "1%s..., and must be a dict" % ("0" * 59)}),
                ("null", "(None,)", {"0": "0, and must be None"}),
                (["string", "null"], "('', None)",
                 {"1": "1, and must be a string or None"}),
                (["integer", "number", "string"], "(1, 1.5, '', None)",
                 {"True": "True, and must be an integer, a number or a "
                          "string"}))])

    def test_choices(self):
        self.fit((
                ({"enum": ["a", "B", 1, None, False]},
                 "('a', 'B', 1, 1.0, Number.ONE, Text.A, None, False)",
                 {"'b'": "'b', and must be 'a', 'B', 1, None or False; did you "
                         "mean 'B'?",
                  "0": "0, and must be 'a', 'B', 1, None or False",
                  "True": "True, and must be 'a', 'B', 1, None or False",
                  "[1]": "a list, and must be 'a', 'B', 1, None or False"}),
                ({"type": "string", "enum": ["kilometres", "miles"]},
                 "('miles',)",
                 {"'kilometers'": "'kilometers', and must be 'kilometres' or "
                                  "'miles'; did you mean 'kilometres'?",
                  "5": "5, and must be 'kilometres' or 'miles'"}),
                ({"const": 2.0}, "(2, 2.0)", {"3": "3, and must be 2.0"}),
                ({"const": {"x": 1}}, "({}, {'x': 1})",
                 {"1": "1, and must be {\"x\":1}"}),
                ({"enum": [[1], "x" * 2000]}, "([1], [2], 'x' * 2000)",
                 {"'z'": "'z', and must be [1] or '%s'..." % ("x" * 60)}),
                ({"enum": list(range(50))}, "(0, 49)",
                 {"50": "50, and must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, "
                        "..."})))

    def test_references_to_what_a_value_must_be(self):
        root = {"$defs": {"n": {"type": "integer"}, "e": {"enum": ["x"]},
                          "r": {"$ref": "#/$defs/n"},
                          "here": {"$anchor": "there", "type": "null"},
                          "loop": {"$ref": "#/$defs/loop"},
                          "other": {"$id": "http://x/", "type": "null"}}}
        number = {"'x'": "'x', and must be an integer"}
        self.fit((
                ({"$ref": "#/$defs/r"}, "(1,)", number),
                ({"allOf": [{}, {"$ref": "#/$defs/n"}]}, "(1,)", number),
                ({"type": "integer", "allOf": [{"enum": [1, "x"]}]}, "(1,)",
                 {"'x'": "'x', and must be an integer",
                  "2": "2, and must be 1 or 'x'"}),
                ({"$ref": "#/$defs/e"}, "('x',)", {"'y'": "'y', and must be "
                                                          "'x'"}),
                ({"$ref": "#there"}, "(None,)", {"1": "1, and must be None"}),
                # What stands beside it may be of no meaning.
                ({"$ref": "#/$defs/n", "enum": [5]}, "(1,)", number),
                ({"$ref": "#/$defs/loop"}, "(1, 'x')", {}),
                ({"$ref": "#/$defs/other"}, "(1, 'x')", {}),
                ({"$ref": "#/$defs/none"}, "(1, 'x')", {}),
                ({"$ref": "http://x/#/$defs/n"}, "(1, 'x')", {}),
                ({"$id": "x", "type": "null"}, "(1, 'x')", {})), root)
        self.fit([({}, "(1,)", number)], {
            "allOf": [{"properties": {"a": {"type": "integer"}}}]})

    def test_references_below_another_name_are_not_judged(self):
        # "#" is the part that has the name there, and not the whole.
        part = {"$id": "http://x/", "$ref": "#/$defs/n",
                "$defs": {"n": {"$ref": "#/$defs/m"}, "m": {"type": "string"},
                          "p": {"$anchor": "there", "$ref": "#/$defs/m"}}}
        names = {"id": {"type": "integer"}, "$id": {"type": "integer"}}
        root = {"$id": "http://root/", "$defs": {
            "part": part, "old": {**part, "$id": None, "id": "http://y/"},
            "n": {"type": "integer"}, "m": {"type": "integer"},
            "names": {"properties": names, **names}}}
        number = {"'x'": "'x', and must be an integer"}
        self.fit((
            ({"$ref": "#/$defs/m"}, "(1,)", number),
            # Called "id", which is no name of a part.
            ({"$ref": "#/$defs/names/properties/id"}, "(1,)", number),
            ({"$ref": "#/$defs/names/$id"}, "(1,)", number),
            *(({"$ref": "#/$defs/%s/$defs/%s" % (name, below)}, "('x', 1)", {})
              for name in ("part", "old") for below in "nmp"),
            (part, "('x', 1)", {}), ({"allOf": [part]}, "('x', 1)", {})), root)

    def test_names_below_another_name_are_not_judged(self):
        inner = {"$id": "http://x/", "$ref": "#/$defs/p", "$defs": {
            "p": {"properties": {"b": {}}, "required": ["b"]}}}
        outer = {"properties": {"a": {}}, "required": ["a"]}
        self.fit([({}, "(1,)", {})], {
            "allOf": [inner], "$defs": {"p": {
                **outer, "required": ["z"], "additionalProperties": False}}})
        self.fit([({}, "(1,)", {})], {
            "$ref": "#/$defs/inner/$defs/q", "$defs": {
                "p": {"required": ["z"]}, "inner": {
                    **inner, "$defs": {"q": {"$ref": "#/$defs/p"},
                                       "p": outer}}}})

    def test_what_is_not_understood_is_sent(self):
        values = "(1, 'x', None, [5], {'x': 5}, 1.5)"
        self.fit([(schema, values, {}) for schema in (
                True, False, None, 5, "string", [], {}, {"type": "any"},
                {"type": ["string", "file"]}, {"type": []}, {"type": 5},
                {"type": [["string"]]}, {"type": {"a": 1}}, {"enum": []},
                {"enum": "x"}, {"allOf": {"type": "null"}},
                {"not": {}}, {"if": {}, "then": False}, {"format": "uri"},
                {"anyOf": 5, "oneOf": []}, {"anyOf": [5, {"type": "null"}]},
                {"pattern": "^z$", "minLength": 99, "minimum": 99},
                {"maxItems": 0, "items": False, "additionalProperties": False},
                {"type": ["array", "object", "string", "number"],
                 "nullable": True, "properties": {"y": {"type": "null"}}})])


class Nested(Base):
    """What arguments hold is judged, too, before anything leaves."""

    ENTITIES = {"type": "array", "items": {
        "type": "object", "required": ["name", "kind"], "properties": {
            "name": {"type": "string"}, "kind": {"enum": ["a", "b"]},
            "size": {"type": "integer"}, "note": {"type": "string"}},
        "additionalProperties": False}}

    def says(self, schemas, calls, required=()):
        """Make calls of a tool with these parameters; return what is sent,
        or what is said.
        """
        got = run("""
for arguments in %r:
    try:
        print('sent', mcp_web.t(**arguments).result().data)
    except runtime.ArgumentError as error:
        print(error.message)
""" % (calls,), loaded=("web",), tools={"web": [
            tool("t", schemas, required)]})
        self.assertEqual(got.err, "")
        return got.out.splitlines()

    def test_all_that_is_wrong_is_told_at_once(self):
        self.assertEqual(self.says({"e": self.ENTITIES}, [
            {"e": [{"name": "x", "kind": "a"}]},
            {"e": [{"name": 1, "kind": "c"}, {"kind": "a", "nam": ""}, 5]},
            {"e": {"name": "x", "kind": "a"}},
            {"e": [{"name": "x", "kind": "a", "note": None}]},
            {"e": [{"name": "x", "kind": "a", "size": "7"}]},
        ]), [
            "sent {'e': [{'name': 'x', 'kind': 'a'}]}",
            "argument 'e[0].name' is 1, and must be a string; argument "
            "'e[0].kind' is 'c', and must be 'a' or 'b'; argument 'e[1]': "
            "unknown key 'nam'; did you mean name?; missing key 'name'; it "
            "takes name (required), kind (required), size, note; argument "
            "'e[2]' is 5, and must be a dict",
            "argument 'e' is a dict, and must be a list",
            "argument 'e[0].note' is None, and must be a string, or be left "
            "out",
            "sent {'e': [{'name': 'x', 'kind': 'a', 'size': 7}]}"])

    def test_a_missing_argument_tells_what_it_holds(self):
        self.assertEqual(
            self.says({"e": self.ENTITIES}, [{"name": "x"}], ["e"]),
            ["unknown argument 'name'; missing argument 'e'; it takes e "
             "(required); e is list[{name: str, kind: \"a\" | \"b\", size?: "
             "int, note?: str}]"])

    def test_alternatives(self):
        either = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
        kinds = {"oneOf": [
            {"type": "object", "required": ["id"]},
            {"type": "array", "items": {"type": "string"}}]}
        two = {"anyOf": [{"type": "object", "required": ["id"]},
                         {"type": "object", "required": ["name"]}]}
        text = {"anyOf": [{"type": "integer"}, {"type": "string"}]}
        self.assertEqual(self.says(
            {"a": either, "k": kinds, "w": two, "t": text}, [
                {"a": "5", "k": {"id": 1}, "w": {"name": 2}, "t": "5"},
                {"a": None, "t": None}, {"a": "x"}, {"k": {}}, {"k": [1]},
                {"k": 5}, {"w": {}}, {"t": True}]), [
            "sent {'a': 5, 'k': {'id': 1}, 'w': {'name': 2}, 't': '5'}",
            "sent {'a': None}",
            "argument 'a' is 'x', and must be an integer or None",
            "argument 'k': missing key 'id'; it takes id (required)",
            "argument 'k[0]' is 1, and must be a string",
            "argument 'k' is 5, and must be a list or a dict",
            "argument 'w': missing key 'id'; it takes id (required), or else "
            "argument 'w': missing key 'name'; it takes name (required)",
            "argument 't' is True, and must be a string or an integer"])

    def test_what_is_left_out(self):
        """Null clears a field where a schema allows it."""
        some = {"a": {"type": "string"}, "b": {"type": ["string", "null"]},
                "c": {}, "d": {"enum": ["x"]}, "e": {"type": "string"}}
        self.assertEqual(self.says(some, [
            dict.fromkeys("abcd") | {"e": ""}, {"e": None}], ["e"]), [
            "sent {'b': None, 'c': None, 'e': ''}",
            "argument 'e' is None, and must be a string"])

    def test_bounds(self):
        """What is too deep or too much is for the server to judge."""
        loop = {"properties": {"n": {"$ref": "#/properties/a"}},
                "type": "object"}
        deep = {"n": 5}
        for _ in range(20):
            deep = {"n": deep}
        many = {"type": "array", "items": {"type": "integer"}}
        self.assertEqual(self.says({"a": loop, "m": many}, [
            {"a": {"n": {"n": {"n": 5}}}}, {"a": deep}]), [
            "argument 'a.n.n.n' is 5, and must be a dict",
            "sent %s" % {"a": deep}])
        got = run("""
import time
begun = time.process_time()
r = mcp_web.t(m=['1'] * 300000).result()
print(set(r.data['m']), time.process_time() - begun < 20)
""", loaded=("web",), tools={"web": [tool("t", {"m": many})]})
        self.assertEqual(got.out, "{'1'} True\n", got.err)


class Positions(Base):
    """Arguments without names."""

    TOOLS = [
        tool("two", {"a": {"type": "string"}, "b": {"type": "integer"},
                     "c": {"type": "string"}}, ["a", "b"]),
        tool("late", {"c": {"type": "string"}, "a": {"type": "string"},
                      "b": {"type": "integer"}}, ["a", "b"]),
        tool("other", {"a": {"type": "string"}, "b": {"type": "string"}},
             ["b", "a"]),
        tool("none", {"a": {"type": "string"}, "b": {"type": "string"}}),
        tool("one", {"a": {"type": "string"}}),
        tool("holds", {"a": {"type": "object"}, "b": {"type": "string"}},
             ["a"]),
        tool("lists", {"a": {"type": "array"}}, ["a"]),
        tool("open", {}), dict(name="bare"),
    ]

    def test_all(self):
        cases = (
            ("two('x', 1)", "{'a': 'x', 'b': 1}"),
            ("two('x', '1', 'y')", "{'a': 'x', 'b': 1, 'c': 'y'}"),
            ("two('x', b=1)", "{'a': 'x', 'b': 1}"),
            ("two('x', 1, a='y')", "argument 'a' is given twice: without a "
             "name, and by name"),
            ("two(1, 'x')", "argument 'a' is 1, and must be a string; "
             "argument 'b' is 'x', and must be an integer"),
            ("two('x', 1, 'y', 'z')", "4 arguments without a name, but two() "
             "takes its arguments by name: two(a=..., b=...), or those of a "
             "dict: two(**arguments); it takes a (required), b (required), "
             "c"),
            ("late('x', 1)", "{'a': 'x', 'b': 1}"),
            ("late('x', b=1)", "late() takes"),
            ("late('x', 1, 'y')", "late() takes"),
            ("other('x', 'y')", "other() takes"),
            ("none('x')", "{'a': 'x'}"),
            ("none('x', 'y')", "2 arguments without a name, but none() takes"),
            ("one('x')", "{'a': 'x'}"),
            ("one({'a': 'x'})", "{'a': 'x'}"),
            ("one({'b': 'x'})", "unknown argument 'b'; it takes a"),
            ("one({'a': 'x'}, a='y')", "argument 'a' is given twice"),
            ("two({'a': 'x', 'b': '1'})", "{'a': 'x', 'b': 1}"),
            ("none({'b': 'x', 'a': None})", "{'b': 'x'}"),
            ("holds({'x': 1})", "{'a': {'x': 1}}"),
            ("holds({'a': {'x': 1}})", "one dict alone may be all arguments, "
             "or a: write holds(**{...}), or holds(a={...})"),
            ("holds({'a': {}, 'b': 'x'})", "one dict alone may be"),
            ("holds({'a': 5})", "{'a': {'a': 5}}"),
            ("holds({'a': {}}, b='x')", "{'a': {'a': {}}, 'b': 'x'}"),
            ("lists({'a': []})", "{'a': []}"),
            ("lists([1])", "{'a': [1]}"),
            ("open('x')", "open() takes its arguments by name; its schema "
             "names none"),
            ("open({'x': 1})", "{'x': 1}"), ("bare({'x': 1})", "{'x': 1}"),
            ("bare(5)", "bare() takes"),
        )
        for first in "", "dir(mcp_web)\n":
            got = run(first + "".join("""
try:
    print(mcp_web.%s.result().data)
except runtime.ArgumentError as error:
    print(error.message)
""" % call for call, _ in cases), loaded=("web",), tools={"web": self.TOOLS})
            lines = got.out.splitlines()
            for (call, says), line in zip(cases, lines):
                with self.subTest(call):
                    self.assertTrue(line.startswith(says), line)
            self.assertEqual(len(got.relay.calls), len(
                [says for _, says in cases if says[0] == "{"]))


class Schemas(Base):
    """Signatures and documentation of what is not simple."""

    def test_references(self):
        self.prints("""
import inspect
tool = mcp_web.t
print(inspect.signature(tool))
print(tool.__doc__)
print(inspect.signature(mcp_web.merged), tool)
""", '(*, tree: {name: str, children?: list[Node]}, choice: "x" | 1 | null = '
            "'x', same: \"x\" | 1 | null = ..., either: int | None = ..., "
            "both: {p?: Any, q?: 5} = ..., map: dict[str, float] = ..., "
            "gone: Any = ..., far: Any = ...)\n"
            "Parameters:\n"
            "    tree ({name: str, children?: list[Node]}, required): The "
            "tree.\n"
            '    choice ("x" | 1 | null, default "x")\n'
            '    same ("x" | 1 | null)\n'
            "    either (int | None)\n    both ({p?: Any, q?: 5})\n"
            "    map (dict[str, float])\n    gone (Any)\n    far (Any)\n"
            "(*, a: str, b: int) <tool web.t(tree, choice=..., same=..., "
            "either=..., both=..., map=..., gone=..., far=...)>\n",
            loaded=("web",), tools={"web": [
                {"name": "t", "inputSchema": REFERRING},
                {"name": "merged", "inputSchema": MERGED}]})

    def test_large_ones_are_bounded(self):
        def wide(depth):
            return {"type": "object", "properties": {
                letter: {"$ref": "#/$defs/n%d" % (depth + 1)}
                for letter in "abcdefghij"}}
        schemas = [
            deep(), {"$defs": {"n%d" % n: wide(n) for n in range(30)},
                     **wide(0)},
            {"properties": {"x" * 100000: {"default": "y" * 100000},
                            "y": {"enum": ["z" * 10000] * 500}}},
            {"properties": {"n%d" % n: {"description": "d" * 1000}
                            for n in range(10000)}}]
        self.prints("""
import inspect, pydoc, time
for name in dir(mcp_web):
    tool = mcp_web[name]
    begun = time.process_time()
    text = str(inspect.signature(tool)) + tool.__doc__ + repr(tool)
    print(len(text) < 100000, time.process_time() - begun < 2)
    pydoc.render_doc(tool)
""", "True True\n" * 4, loaded=("web",), tools={"web": [
            {"name": "t%d" % number, "inputSchema": schema,
             "outputSchema": schema, "description": "x" * 1000000}
            for number, schema in enumerate(schemas)]})


class Lazy(Base):
    """Tools before the list of tools has come."""

    @unittest.skipIf(sys.version_info < (3, 11), OLDER)
    def test_a_call_does_not_hold_up_the_loop(self):
        """The list never comes; the loop runs on."""
        self.prints("""
import asyncio
async def main():
    calls = [mcp_web.get(url='u') for _ in range(3)]
    print(*(repr(call)[:20] for call in calls), mcp_fs.echo)
    print((await mcp_fs.echo(a=1)).data)
    done, late = await asyncio.wait(
        [asyncio.ensure_future(call) for call in calls], timeout=0.05)
    print(len(done), len(late))
    for task in late:
        task.cancel()
asyncio.run(main())
""", "<call of web.get, no <call of web.get, no <call of web.get, no "
            "<tool fs.echo()>\n{'a': 1}\n0 3\n", tools={"web": HANG},
                    loaded=("fs", "web"))

    def test_one_list_for_all(self):
        got = self.prints("""
import asyncio
rs = await asyncio.gather(*(mcp_fs.echo(i=i) for i in range(300)),
                          *(runtime.call_tool('fs', 'echo', {'i': i})
                            for i in range(300)))
print(len(rs))
""", "600\n")
        self.assertEqual(
            len([f for f in got.relay.frames if b"list_tools" in f]), 1)

    def test_shared_by_threads_and_loops(self):
        """Some of those who wait for the list give up."""
        self.prints("""
import asyncio, threading
out = []
def sync(timeout):
    try:
        out.append(mcp_fs.echo(i=1).result(timeout).data['i'])
    except TimeoutError:
        out.append(0)
def loop():
    async def main():
        calls = [asyncio.ensure_future(mcp_fs.echo(i=1)) for _ in range(20)]
        await asyncio.sleep(0)
        calls[0].cancel()
        rs = await asyncio.gather(*calls, return_exceptions=True)
        out.extend(r.data['i'] for r in rs[1:])
    asyncio.run(main())
threads = [threading.Thread(target=sync, args=(t,)) for t in [0, None] * 10]
threads += [threading.Thread(target=loop) for _ in range(5)]
for t in threads: t.start()
for t in threads: t.join()
print(len(out), sum(out) >= 105)
""", "115 True\n")

    @unittest.skipIf(sys.version_info < (3, 11), OLDER)
    def test_names_that_are_not_there(self):
        """A call is believed until it is awaited; all else is looked up."""
        self.prints("""
def tell(f):
    try:
        print(f())
    except (AttributeError, TypeError) as error:
        print(type(error).__name__, error)
call = mcp_my_git.lgo(a=1)
tell(lambda: call.result())
tell(lambda: hasattr(mcp_web, 'raed') or getattr(mcp_web, 'raed', 'none'))
tell(lambda: mcp_fs.tools)
tell(lambda: mcp_fs.readFile(path="a").result().data)
tell(lambda: mcp_fs.readFiles(path=1).result())
tell(lambda: mcp_my_git.Class is mcp_my_git.class_)
try:
    await mcp_mute.nope()
except runtime.MCPError as error:
    print(error)
""", "AttributeError server my-git has no tool 'lgo'; did you mean log?\n"
            "none\n"
            "AttributeError server fs has no tool 'tools'; it has: "
            "barrier, echo, fail, hang_up, keep, never, odd0, odd1, odd10, "
            "odd11, odd12, odd13, odd2, odd3, odd4, odd5, odd6, odd7, odd8, "
            "odd9, ...\n{'path': 'a'}\n"
            "AttributeError server fs has no tool 'readFiles'; did you mean "
            "read_file or write_file or release?\nTrue\n"
            "mute: it does not answer; its last words: oops\n",
                    loaded=("fs", "my-git", "web", "mute"))

    def test_names_of_arguments_are_exact(self):
        """Whatever another name may mean, nothing is sent."""
        text = {"type": "string"}
        tools = {"web": [
            tool("delete_mail", {"folder": text, "before": text}, ["folder"]),
            tool("list", {"perPage": {"type": "integer"}, "from": {},
                          "a-b": {}}, ["perPage"]),
            tool("get_issue", {"owner": text, "repo": text, "state": {
                "enum": ["open", "closed"]}}, ["owner", "repo"])]}
        for call, error in (
                ("delete_mail(folder='inbox', to='bob@x.org')",
                 "unknown argument 'to'; it takes folder (required), before"),
                ("list(per_page=5)",
                 "unknown argument 'per_page'; did you mean perPage?"),
                ("list(perPage=5, from_='x')",
                 "unknown argument 'from_'; did you mean **{'from': ...}?"),
                ("list(perPage=5, a_b=1)",
                 "unknown argument 'a_b'; did you mean **{'a-b': ...}?"),
                ("list(arguments={'perPage': 5})",
                 "unknown argument 'arguments'; missing argument 'perPage'"),
                ("get_issue(repo='acme/api')", "missing argument 'owner'"),
                ("get_issue(owner='a', name='b', state='OPEN')",
                 "unknown argument 'name'; missing argument 'repo'; it takes "
                 "owner (required), repo (required), state; argument 'state' "
                 "is 'OPEN', and must be 'open' or 'closed'; did you mean "
                 "'open'?")):
            with self.subTest(call):
                got = self.prints(
                    "try:\n    await mcp_web.%s\n"
                    "except runtime.ArgumentError as error:\n"
                    "    print(str(error).partition(': ')[2][:%d])" % (
                        call, len(error)), error + "\n",
                    loaded=("web",), tools=tools)
                self.assertEqual(got.relay.calls, [])

    def test_positional(self):
        """Before the tools are known, they are looked up when it is awaited.
        """
        self.prints("""
print(mcp_fs.read_file('x').result().data)
try:
    call = mcp_mute.get('x')
    print('made')
    await mcp_mute.get('x')
except runtime.MCPError as error:
    print(error)
""", "{'path': 'x'}\nmade\nmute: it does not answer; its last words: oops\n",
                    err=".*never awaited.*", loaded=("fs", "mute"))


if __name__ == "__main__":
    unittest.main()
