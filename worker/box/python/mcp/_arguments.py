"""The arguments of a call, judged by what the schema of the tool says.

A value is checked with its parts: type, "enum" and "const", members, items and
alternatives.  Unknown and ambiguous rules allow everything: the server decides.

Names are taken as they are.  Some values are adapted: None is left out if the
parameter is optional and cannot be null, and a numeral becomes an integer if
the schema allows integers and no strings.
"""
from . import _schema, _values

PARTS_MAX = 64  # schemas that one value must fit
DEPTH_MAX = 16  # of lists and dicts in a value, and of alternatives
VALUES_MAX = 20000  # that are looked at; calls with more are sent as they are
TEXT_MAX = 60  # characters of a value that are shown
CHOICES_MAX = 10  # values in a sentence
WRONG_MAX = 5  # wrong values in a sentence
WAYS_MAX = 3  # alternatives in a sentence, none of which a value fits
KINDS = {"string": "a string", "integer": "an integer", "number": "a number",
         "boolean": "True or False", "array": "a list", "object": "a dict",
         "null": "None"}


class Given:
    """What a call was given: JSON, as the code may change its objects.

    named is a dict; placed, the list of what has no names, may be None.
    scalars is the dict itself, where all that it has is as in _scalars.py.
    """

    __slots__ = ("named", "placed", "scalars")

    def __init__(self, named, placed=None, scalars=None):
        self.named, self.placed, self.scalars = named, placed, scalars


def settle(entry, given):
    """Return the arguments that are sent, as JSON, and what is wrong with
    them, or None.
    """
    values = _values.read(given.named.decode())
    if given.placed is not None:
        from ._positions import fill
        values, wrong = fill(
            entry, _values.read(given.placed.decode()), values)
        if wrong:
            return b"", wrong
    found, wrong = judge(entry, values)
    if wrong or (found is values and given.placed is None):
        return given.named, wrong
    return _values.write(found, "arguments"), None


def judge(entry, values):
    """Return the arguments that are meant, and what is wrong with them, or
    None.

    They are the same object where they are meant as they are.
    """
    fitting = Fitting(entry.get("inputSchema"))
    found = fitting.arguments(values)
    says = [_schema.mistake(entry, found)] + fitting.wrong[:WRONG_MAX]
    more = ["..."] if fitting.wrong[WRONG_MAX:] else []
    return found, "; ".join(filter(None, says + more)) or None


class Fitting:
    """One look at the arguments of a call, or at a part of them."""

    __slots__ = ("root", "wrong", "left", "exact")

    def __init__(self, root, left=None, exact=False):
        self.root, self.wrong = root, []
        self.left = left or [VALUES_MAX]  # shared by looks at the same call
        self.exact = exact  # whether values are taken as they are

    def arguments(self, values):
        """Return the arguments that are meant."""
        root, found = self.root, {}
        known = [part["properties"] for part in parts(root, root)
                 if isinstance(part.get("properties"), dict)]
        required = _schema.needed(_schema.flat(root, root)[0])
        for name, value in values.items():
            schemas = [each[name] for each in known if name in each]
            schema = schemas[0] if len(schemas) == 1 else {"allOf": schemas}
            if value is None and name not in required and \
                    not self.is_fit(None, schema):
                continue
            found[name] = self.value(value, schema, _schema.cut(name), 0)
        same = self.left[0] < 0 or is_identical(values, found)
        return values if same else found

    def is_fit(self, value, schema):
        """Whether a schema allows a value as it is."""
        trial = Fitting(self.root, self.left, True)
        trial.value(value, schema, "", 0)
        return not trial.wrong

    def value(self, value, schema, where, depth, optional=False):
        """Return what is meant by a value, which where is the name of."""
        self.left[0] -= 1
        if depth > DEPTH_MAX or self.left[0] < 0:
            return value
        if not self.exact and isinstance(value, str) and is_numeral(value):
            kinds = kinds_allowed(schema, self.root, depth)
            if kinds and "integer" in kinds and "string" not in kinds:
                value = _values.integer(value)
        count = len(self.wrong)
        for part in parts(schema, self.root):
            value = self.part(value, part, where, depth, optional)
            if len(self.wrong) > count:
                break
        return value

    def part(self, value, part, where, depth, optional):
        """The same, by a schema that is plain."""
        if part.get("nullable") is True and value is None:
            return value  # as OpenAPI writes it
        must = complaint(part, value)
        if must:
            more = ", or be left out" if optional and value is None else ""
            self.complain(where, value, must + more)
            return value
        if isinstance(value, dict):
            value = self.members(value, part, where, depth + 1)
        elif isinstance(value, list):
            value = self.items(value, part, where, depth + 1)
        for key in "anyOf", "oneOf":
            if isinstance(part.get(key), list) and \
                    0 < len(part[key]) <= PARTS_MAX:
                value = self.either(value, part[key], where, depth + 1,
                                    optional)
        return value

    def complain(self, where, value, must):
        """Note that a value is wrong."""
        kind = kind_of(value)
        self.wrong.append("argument %r is %s, and must be %s" % (
            where, KINDS[kind] if kind in ("array", "object")
            else shown(value), must))

    def members(self, value, part, where, depth):
        """Return what is meant by a dict."""
        known = part.get("properties")
        known = known if isinstance(known, dict) else {}
        required = _schema.needed(part)
        missing = [name for name in required if name not in value
                   and not _schema.has_default(known.get(name))]
        closed = known and part.get("additionalProperties") is False and \
            "patternProperties" not in part
        unknown = [name for name in value if name not in known] \
            if closed else []
        if missing or unknown:
            self.wrong.append("argument %r: %s" % (where, _schema.names_wrong(
                {"inputSchema": part}, "key", unknown, missing, value,
                known)))
        found = {name: self.value(
            each, known[name], "%s.%s" % (where, _schema.cut(name)), depth,
            name not in required) if name in known else each
            for name, each in value.items()}
        return value if is_identical(value, found) else found

    def items(self, value, part, where, depth):
        """Return what is meant by a list."""
        schema = part.get("items")
        if not isinstance(schema, dict) or "prefixItems" in part:
            return value
        found = [self.value(each, schema, "%s[%d]" % (where, index), depth)
                 for index, each in enumerate(value)]
        return value if all(map(is_it, value, found)) else found

    def either(self, value, choices, where, depth, optional):
        """Return what is meant by a value that must fit one of several."""
        like, says = [], []
        for schema in choices:
            trial = Fitting(self.root, self.left, True)
            trial.value(value, schema, where, depth)
            if not trial.wrong:
                return value
            kinds = kinds_allowed(schema, self.root, depth)
            if kinds is None or kind_of(value) in kinds:
                like.append(schema)
                says.append(trial.wrong[0])
        if len(like) == 1:
            return self.value(value, like[0], where, depth)
        if like:
            self.wrong.append(", or else ".join(says[:WAYS_MAX]))
            return value
        kinds = [kind for schema in choices
                 for kind in kinds_allowed(schema, self.root, depth) or ()]
        more = ", or be left out" if optional and value is None else ""
        self.complain(where, value, either(words_for(kinds)) + more)
        return value


def is_it(one, other):
    """Whether both are the same object."""
    return one is other


def is_identical(one, other):
    """Whether two dicts have the same objects."""
    return len(one) == len(other) and all(
        map(is_it, one.values(), other.values()))


def is_numeral(text):
    """Whether a string is an integer as JSON writes it."""
    figures = text[1:] if text[:1] == "-" else text
    return figures.isascii() and figures.isdigit() and (
        figures[0] != "0" or len(figures) == 1)


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


def complaint(part, value):
    """Return what a value must be, or None when nothing is wrong with it."""
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


def kinds_allowed(schema, root, depth):
    """Return all types that a schema allows, as a set; None: any, or
    unknown.
    """
    found = None
    for part in parts(schema, root) if depth <= DEPTH_MAX else ():
        sets = [{kind_of(choice) for choice in choices}
                for choices in choices_of(part)]
        sets += [set(kinds_of(part))] if kinds_of(part) else []
        for key in "anyOf", "oneOf":
            if isinstance(part.get(key), list) and \
                    len(part[key]) <= PARTS_MAX:
                each = [kinds_allowed(choice, root, depth + 1)
                        for choice in part[key]]
                sets += [set().union(*each)] if all(each) and each else []
        for kinds in sets:
            kinds |= {"integer"} if "number" in kinds else set()
            found = kinds if found is None else found & kinds
    return found


def words_for(kinds):
    """Return what types are called; a number may be an integer."""
    kinds = dict.fromkeys(kinds)
    if "number" in kinds:
        kinds.pop("integer", None)
    return [KINDS[kind] for kind in KINDS if kind in kinds]


def kind_of(value):
    """Return the type of a value, as JSON Schema calls it."""
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
        isinstance(choice, (dict, list)) or value == choice)


def did_you_mean(value, choices):
    """Return a hint at the choices that come close."""
    from ._near import close_names
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
    if isinstance(value, str):
        more = "..." if len(value) > TEXT_MAX else ""
        return repr(value[:TEXT_MAX]) + more
    if value is None or isinstance(value, (bool, float)):
        return _schema.cut(repr(value))
    return _schema.short(value)
