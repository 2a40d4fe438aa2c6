"""Arguments without names: which parameters of a tool they are for."""
from . import _schema

NAMED = ("%s() takes its arguments by name: %s(%s), or those of a dict: "
         "%s(**arguments); it takes %s")
MANY = "%d arguments without a name, but %s() takes %d at most: %s"
AMBIGUOUS = ("one dict alone may be all arguments, or %s: write %s(**{...}), "
             "or %s(%s={...})")


def fill(entry, placed, named):
    """Return the arguments that a call means, and what is wrong, or None.

    placed are those without a name.
    """
    names = order(entry, len(placed))
    if len(placed) == 1 and not named and isinstance(placed[0], dict):
        return alone(entry, placed[0], names)
    if names is None:
        return named, by_name(entry)
    most = len(_schema.parameters(entry))
    if len(placed) > most:
        return named, MANY % (len(placed), entry["toolAlias"], most,
                              _schema.named(entry))
    if len(placed) > len(names):
        return named, "%d arguments without a name, but %s" % (
            len(placed), by_name(entry))
    found = dict(zip(names, placed))
    twice = [name for name in found if name in named]
    if twice:
        return named, "argument %r is given twice: without a name, and by " \
            "name" % _schema.cut(twice[0])
    return {**found, **named}, None


def order(entry, count):
    """Return the names that so many arguments may be for, in order, or None.

    Parameters have the order of "properties".  It is used if the required ones
    come first in it; else only for exactly the required ones.  If none is
    required, only the first may be without a name.
    """
    schema, whole = _schema.flat(
        entry.get("inputSchema"), entry.get("inputSchema"))
    names, required = schema.get("properties"), _schema.needed(schema)
    if not whole or not isinstance(names, dict) or not names:
        return None
    names, required = list(names), list(required)
    if names[:len(required)] == required:
        return names if required else names[:1]
    if count == len(required) and required == [
            name for name in names if name in required]:
        return required
    return None


def alone(entry, given, names):
    """Return what one dict alone is: all arguments, or the first of them."""
    root = entry.get("inputSchema")
    known = [name for name, _, _ in _schema.parameters(entry)]
    if not names or not may_be_dict(root, names[0]):
        return given, None
    if given and not any(name in known for name in given):
        return {names[0]: given}, None
    call, name = entry["toolAlias"], _schema.cut(names[0])
    return given, AMBIGUOUS % (name, call, call, name)


def may_be_dict(root, name):
    """Whether a parameter takes dicts, as far as its type says."""
    schema = _schema.flat(_schema.flat(root, root)[0]["properties"][name],
                          root)[0]
    kinds = schema.get("type", "object")
    return "enum" not in schema and "const" not in schema and (
        "object" in kinds if isinstance(kinds, (str, list)) else True)


def by_name(entry):
    """Return the sentence about arguments that need names."""
    alias = entry["toolAlias"]
    found = _schema.parameters(entry)[:_schema.NAMED_MAX]
    if not found:
        return "%s() takes its arguments by name; its schema names none" \
            % alias
    required = [each for each in found if each[2]] or found[:1]
    return NAMED % (alias, alias, ", ".join(
        _schema.cut(each) + "=..." for each, _, _ in required), alias,
        _schema.named(entry))
