"""The arguments of a call, beside what the schema of the tool says of them.

Of each value its type, "enum" and "const" are looked at, and nothing within
lists and dicts.  What is not understood allows everything, and so does what
could be meant in two ways: the server judges.
"""
from . import _schema, _values
from ._servers import close_names

PARTS_MAX = 64  # schemas that one value must fit
LONG_MAX = 1000  # characters; of longer strings a call keeps the beginning
TEXT_MAX = 60  # characters of a value that are shown
CHOICES_MAX = 10  # values in a sentence
WRONG_MAX = 3  # wrong values in a sentence
KINDS = {"string": "a string", "integer": "an integer", "number": "a number",
         "boolean": "True or False", "array": "a list", "object": "a dict",
         "null": "None"}


class Long:
    """What a call keeps of a value that may be large."""

    __slots__ = ("kind", "text")

    def __init__(self, kind, text):
        self.kind, self.text = kind, text


def outline(arguments):
    """Return what can be judged later of arguments, which may change."""
    return {name: brief(value) for name, value in arguments.items()}


def brief(value):
    """Return a value as JSON has it: without subclasses, and not long."""
    if value is None or isinstance(value, (bool, _values.Literal)):
        return value
    if isinstance(value, str):
        return str.__str__(value) if len(value) <= LONG_MAX else Long(
            "string", repr(value[:TEXT_MAX]) + "...")
    if isinstance(value, int):
        return int.__add__(value, 0)
    if isinstance(value, float):
        return float.__add__(value, 0.0)
    kind = "object" if isinstance(value, dict) else "array"
    return Long(kind, KINDS[kind])


def mistake(entry, given):
    """Return what is wrong with an outline of arguments, or None."""
    says = [_schema.mistake(entry, given), misfits(entry, given)]
    return "; ".join(each for each in says if each) or None


def misfits(entry, given):
    """Return what is wrong with the values of arguments, or None."""
    root, says = entry.get("inputSchema"), []
    known = [part["properties"] for part in parts(root, root)
             if isinstance(part.get("properties"), dict)]
    for name, value in given.items():
        must = complaint([properties[name] for properties in known
                          if name in properties], root, value)
        if must and value is None and name not in _schema.needed(
                _schema.flat(root, root)[0]):
            must += ", or be left out"
        if must:
            says.append("argument %r is %s, and must be %s" % (
                _schema.cut(name), shown(value), must))
    return "; ".join(says[:WRONG_MAX]) or None


def parts(schema, root):
    """Yield the schemas that a value must fit, each of which is plain.

    What stands beside a reference is left out: before 2019 it said nothing.
    """
    left, count = [schema], 0
    while left and count < PARTS_MAX:
        part, count = left.pop(0), count + 1
        if not isinstance(part, dict) or _schema.is_apart(part, root):
            continue  # references in it lead to other places
        if "$ref" in part:
            left.append(_schema.resolve(root, part["$ref"]))
            continue
        yield part
        more = part.get("allOf")
        left += more[:PARTS_MAX] if isinstance(more, list) else ()


def complaint(schemas, root, value):
    """Return what a value must be, or None when nothing is wrong with it."""
    for schema in schemas:
        for part in parts(schema, root):
            if part.get("nullable") is True and value is None:
                continue  # as OpenAPI writes it
            for choices in choices_of(part):
                if not any(is_same(value, choice) for choice in choices):
                    return listed(choices) + did_you_mean(value, choices)
            kinds = kinds_of(part)
            if kinds and not any(is_kind(value, kind) for kind in kinds):
                return either([KINDS[kind] for kind in kinds])
    return None


def choices_of(part):
    """Return the lists of values of which a value must be one."""
    found = [[part["const"]]] if "const" in part else []
    if isinstance(part.get("enum"), list) and part["enum"]:
        found.append(part["enum"])
    return found


def kinds_of(part):
    """Return the types that a schema allows; none: any, or unknown."""
    kinds = part.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return list(dict.fromkeys(kinds)) if all(
        isinstance(kind, str) and kind in KINDS for kind in kinds) else ()


def kind_of(value):
    """Return the type of a value, as JSON Schema calls it."""
    if isinstance(value, Long):
        return value.kind
    for kind, types in (("null", type(None)), ("boolean", bool),
                        ("string", str), ("integer", int), ("number", float),
                        ("object", dict)):
        if isinstance(value, types):
            return kind
    return "array"


def is_kind(value, kind):
    """Whether a value is of a type; 1.0 is an integer to JSON Schema."""
    own = kind_of(value)
    if kind == "integer" and own == "number":
        return isinstance(value, _values.Literal) or value.is_integer()
    return own == kind or (own == "integer" and kind == "number")


def is_same(value, choice):
    """Whether a value is one that a schema names, or could be."""
    own, other = kind_of(value), kind_of(choice)
    numbers = "integer", "number"
    if own in numbers and other in numbers:
        return value == choice or any(
            isinstance(each, _values.Literal) for each in (value, choice))
    return own == other and (
        isinstance(value, Long) or isinstance(choice, (dict, list))
        or value == choice)


def did_you_mean(value, choices):
    """Return a hint at the choices that come close."""
    close = close_names(value, choices) if isinstance(value, str) else ()
    return "; did you mean %s?" % either(
        [shown(each) for each in close]) if close else ""


def listed(choices):
    """Return the values of which one is right."""
    texts = [shown(choice) for choice in choices[:CHOICES_MAX]]
    if len(choices) > CHOICES_MAX:
        return "one of %s, ..." % ", ".join(texts)
    return either(texts)


def either(texts):
    """Return texts as alternatives: a, b or c."""
    return " or ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def shown(value):
    """Return a value as Python writes it, cut."""
    if isinstance(value, Long):
        return value.text
    if isinstance(value, str):
        more = "..." if len(value) > TEXT_MAX else ""
        return repr(value[:TEXT_MAX]) + more
    if value is None or isinstance(value, (bool, float)):
        return _schema.cut(repr(value))
    return _schema.short(value)
