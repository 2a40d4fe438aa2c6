"""Arguments that are judged by a table are judged as by the schema itself.

    /usr/bin/python3 tests/box/test_scalars.py [-v] [-k PATTERN]
"""
import unittest

from mcp_relay import Base

# Every argument of each schema, alone and beside another one, is judged both
# ways: what the table takes, the schema must take as it is.
CODE = """
from mcp import _arguments, _scalars, _values
kinds = [None, 'string', 'integer', 'number', 'boolean', 'array', 'null',
         'file', 7, [], ['string', 'integer'], ['integer', 'null'],
         ['number', 'boolean']]
parts = [{} if kind is None else {'type': kind} for kind in kinds]
parts += [dict(part, **more) for part in list(parts) for more in (
    {'enum': ['5', 5, 'a']}, {'const': True}, {'$ref': '#/properties/b'},
    {'anyOf': [{'type': 'integer'}, {'type': 'null'}]}, {'nullable': True},
    {'oneOf': [{'type': 'string'}]}, {'allOf': [{'type': 'integer'}]},
    {'$id': 'x'}, {'default': 1}, {'items': {}}, {'properties': {}})]
parts += [True, False, None, 'x', []]
wholes = [{}, {'additionalProperties': False}, {'additionalProperties': True},
          {'required': ['a']}, {'required': ['b', 7]}, {'required': 'a'},
          {'patternProperties': {}}, {'type': 'object'}, {'type': 'string'},
          {'$ref': '#/$defs/x', '$defs': {'x': {'required': ['c']}}},
          {'allOf': [{'properties': {'a': {'type': 'integer'}}}]}]
values = ['', 'a', '5', '-7', '05', 'A', 5, 0, -1, 2 ** 70, True, False,
          None, 1.5, [], {}]
given = [{}, {'c': 1}, *({'a': value} for value in values),
         *({'a': value, 'b': '5'} for value in values)]
count = taken = 0
schemas = [dict(whole, properties={'a': part, 'b': {'type': 'integer'}})
           for part in parts for whole in wholes]
schemas += [None, [], 'x', True, {}, {'properties': 3}]
for schema in schemas:
    entry = {'tool': 't', 'inputSchema': schema}
    for arguments in given:
        text = _scalars.written(arguments)
        if text is None:
            assert not all(type(value) in (str, int, bool)
                           for value in arguments.values()), arguments
            continue
        assert text == _values.write(arguments, 'arguments'), arguments
        count += 1
        if _scalars.fit(entry, arguments):
            taken += 1
            found = _arguments.settle(entry, _arguments.Given(text))
            assert found == (text, None), (schema, arguments, found)
print(count > 10000, taken > count // 20)
"""


class Scalars(Base):
    """The quick way, beside the thorough one."""

    def test_are_judged_as_by_the_schema(self):
        self.prints(CODE, "True True\n")

    def test_are_written_as_json(self):
        self.prints("""
from mcp import _scalars
text = type('S', (str,), {})()
for value in ('é"\\\\\\n', '\\ud800', 10 ** 5000, 1.5, None, [], text):
    print(_scalars.written({'a': value}))
print(_scalars.written({}), _scalars.written({'é': True, 'b': -3}))
print(_scalars.written({1: 2}))
""", """b'{"a":"\\xc3\\xa9\\\\"\\\\\\\\\\\\n"}'
None
None
None
None
None
None
b'{}' b'{"\\xc3\\xa9":true,"b":-3}'
None
""")

    def test_are_those_of_the_time_of_the_call(self):
        self.prints("""
given = {'a': 1}
call = runtime.call_tool('fs', 'echo', given)
given['a'] = 'other'
print(call.result().text)
""", '{"a":1}\n')


if __name__ == "__main__":
    unittest.main()
