"""Arguments that are texts, integers and truth values: those of most calls.

They are judged as by _arguments.py, which takes all others, but with a table
that is made of the schema of a tool once.
"""
from _json import encode_basestring as quoted

from . import _schema
from ._arguments import kinds_of

TABLES_MAX = 512
TYPES = {"string": str, "integer": int, "number": int, "boolean": bool}
ANY = frozenset(TYPES.values())
NONE = frozenset()
# What allows only some values of a type, or leads to other schemas.
FURTHER = "$ref", "allOf", "anyOf", "oneOf", "enum", "const", "$id", "id"
TABLES = {}  # by the id() of an entry: the entry, and its table


def written(arguments):
    """Return a dict of such values as JSON, or None, where it has others."""
    parts = []
    try:
        for name, value in arguments.items():
            kind = type(value)
            if kind is str:
                text = quoted(value)
            elif kind is int:
                text = int.__repr__(value)
            elif kind is bool:
                text = "true" if value else "false"
            else:
                return None
            parts.append(quoted(name) + ":" + text)
        return ("{" + ",".join(parts) + "}").encode()
    except (TypeError, ValueError):
        return None  # _values.py can write it, or tells what is wrong


def fit(entry, values):
    """Whether a tool takes such values as they are; if not, or where it is
    not so simple, _arguments.py has to judge.
    """
    kept = TABLES.get(id(entry))
    if kept is None or kept[0] is not entry:
        if len(TABLES) >= TABLES_MAX:
            TABLES.clear()
        kept = TABLES[id(entry)] = entry, table_of(entry)
    types, others, required = kept[1]
    for name, value in values.items():
        if type(value) not in types.get(name, others):
            return False
    for name in required:
        if name not in values:
            return False
    return True


def table_of(entry):
    """Return the types that parameters have, by their names, those that other
    names have, and the names that are required.
    """
    schema = entry.get("inputSchema")
    if not isinstance(schema, dict) or not schema.keys().isdisjoint(FURTHER):
        return {}, NONE, ("",)
    allowed, required = _schema.rules(schema)
    known = schema.get("properties")
    known = known if isinstance(known, dict) else {}
    return {name: types_of(part) for name, part in known.items()}, \
        ANY if allowed is None else NONE, required


def types_of(part):
    """Return the types of which each value fits a schema as it is."""
    if not isinstance(part, dict) or not part.keys().isdisjoint(FURTHER):
        return NONE
    kinds = kinds_of(part)
    return frozenset(TYPES[kind] for kind in kinds if kind in TYPES) \
        if kinds else ANY
