"""Reads the schema of a tool, as far as its rules are known.

A schema comes from a server and may be any JSON, in any dialect: references
to itself, rules that need more than names, invalid values.  Every walk here is
bounded, and an unknown rule allows everything: the server decides.
"""
from . import _values
from ._values import clean

PARTS_MAX = 64  # schemas that are merged into one
POINTER_MAX = 32  # steps of a reference
DEPTH_MAX = 3  # of objects and lists in the text of a type
PIECES_MAX = 200  # schemas that the text of one type is made of
CHOICES_MAX = 10  # alternatives, or members, in the text of a type
TYPE_MAX = 300  # characters of the text of a type
TEXT_MAX = 60  # characters of a value or a name that are shown
NAMED_MAX = 20  # parameters in a sentence
LISTS = "required", "anyOf", "oneOf"
NAMES = {"string": "str", "integer": "int", "number": "float",
         "boolean": "bool", "null": "None", "array": "list",
         "object": "dict"}


def is_apart(part, root):
    """Whether a part has a name of its own, which references in it mean.

    Older dialects call it "id", as properties may be called, too.
    """
    return isinstance(part, dict) and part is not root and (
        isinstance(part.get("$id"), str) or isinstance(part.get("id"), str))


def resolve(root, reference):
    """Return what a reference into the same schema refers to, or None.

    What lies in a part with a name of its own is None, as references there
    do not refer to this schema.
    """
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    if reference[1:2] not in ("", "/"):
        return find_anchor(root, reference[1:])
    parts, found = unquote(reference[1:]).split("/")[1:], root
    for part in parts if len(parts) <= POINTER_MAX else (None,):
        if is_apart(found, root) or part is None:
            return None
        if isinstance(found, dict):
            found = found.get(part.replace("~1", "/").replace("~0", "~"))
        elif isinstance(found, list) and part.isdecimal():
            found = found[int(part)] if int(part) < len(found) else None
        else:
            return None
    return found


def unquote(text):
    """Undo percent-encoding; it is rare, and its library is large."""
    if "%" not in text:
        return text
    from urllib.parse import unquote as undo
    return undo(text)


def find_anchor(root, name):
    """Return the definition that has this $anchor, or None."""
    for key in "$defs", "definitions":
        found = root.get(key) if isinstance(root, dict) else None
        for part in found.values() if isinstance(found, dict) else ():
            if isinstance(part, dict) and part.get("$anchor") == name:
                return part
    return None


def flat(schema, root):
    """Return a schema with its $ref and allOf merged in, and whether it is
    all of it.
    """
    if isinstance(schema, dict) and not (
            "$ref" in schema or "allOf" in schema):
        return schema, True
    merged, whole, seen, parts = {}, True, [], [schema]
    while parts:
        part = parts.pop(0)
        if part is True or any(part is each for each in seen):
            continue
        if not isinstance(part, dict) or len(seen) == PARTS_MAX:
            whole = False
            continue
        seen.append(part)
        merge(merged, part)
        if is_apart(part, root):
            whole = whole and "$ref" not in part and "allOf" not in part
            continue
        if "$ref" in part:
            parts.append(resolve(root, part["$ref"]))
        more = part.get("allOf", [])
        whole = whole and isinstance(more, list)
        parts += more[:PARTS_MAX + 1] if isinstance(more, list) else ()
    return merged, whole


def merge(merged, part):
    """Add what a part of a schema says; what came first prevails."""
    for key, value in part.items():
        known = merged.get(key)
        if key == "properties" and is_both(known, value, dict):
            merged[key] = {**known, **value, **known}
        elif key in LISTS and is_both(known, value, list):
            merged[key] = known + value
        elif key == "additionalProperties" and known is False:
            merged[key] = value
        elif key not in ("$ref", "allOf"):
            merged.setdefault(key, value)


def is_both(one, other, kind):
    """Whether both are of a kind."""
    return isinstance(one, kind) and isinstance(other, kind)


# The arguments of a tool


def parameters(entry):
    """Return (name, schema, required) of each parameter, required first."""
    schema, _ = flat(entry.get("inputSchema"), entry.get("inputSchema"))
    names, required = schema.get("properties"), needed(schema)
    names = names if isinstance(names, dict) else {}
    extra = [name for name in required if name not in names]
    found = [(name, part, name in required) for name, part in names.items()]
    found += [(name, True, True) for name in extra]
    return sorted(found, key=lambda parameter: not parameter[2])


def needed(schema):
    """Return the names that are required, each once, as keys of a dict."""
    names = schema.get("required")
    return {name: True for name in names if isinstance(name, str)} \
        if isinstance(names, list) else {}


def named(entry):
    """Return the parameters in a sentence: 'path (required), head'."""
    found = parameters(entry)
    more = ", ..." if len(found) > NAMED_MAX else ""
    return ", ".join(cut(name) + (" (required)" if required else "")
                     for name, _, required in found[:NAMED_MAX]) + more


def outline(entry):
    """Return the parameters as in a call: 'path, head=...'."""
    found = parameters(entry)
    more = ", ..." if len(found) > NAMED_MAX else ""
    return ", ".join(cut(name) + ("" if required else "=...")
                     for name, _, required in found[:NAMED_MAX]) + more


def cut(text, most=TEXT_MAX):
    """Return the beginning of a text, on one line."""
    text = text if len(text) <= most else text[:most] + "..."
    return clean(" ".join(text.split("\n")))


def short(value):
    """Return a value as JSON, cut."""
    try:
        text = _values.write(value, "value").decode()
    except (TypeError, ValueError):
        text = ascii(value)
    return cut(text)


# The names of types


def type_text(schema, root):
    """Return the type that a schema allows, as Python would write it."""
    return cut(Types(root).text(schema, 0), TYPE_MAX)


class Types:
    """Writes one type; gives up where it becomes long, or turns round."""

    def __init__(self, root):
        self.root, self.pieces, self.inside = root, 0, []

    def text(self, schema, depth):
        """Return the text for one schema."""
        self.pieces += 1
        if self.pieces > PIECES_MAX:
            return "..."
        if not isinstance(schema, dict):
            return "Any"
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return self.plain(flat(schema, self.root)[0], depth)
        if reference in self.inside:
            return cut(reference.rpartition("/")[2]) or "Any"
        self.inside.append(reference)
        text = self.plain(flat(schema, self.root)[0], depth)
        self.inside.pop()
        return text

    def plain(self, schema, depth):
        """Return the text for a schema that refers to nothing."""
        if "const" in schema:
            return short(schema["const"])
        if isinstance(schema.get("enum"), list):
            return joined([short(value) for value
                           in schema["enum"][:CHOICES_MAX + 1]])
        for key in "anyOf", "oneOf":
            if isinstance(schema.get(key), list):
                return joined([self.text(each, depth) for each
                               in schema[key][:CHOICES_MAX + 1]])
        kinds = schema.get("type")
        if kinds is None:
            kinds = [kind for kind, key in (
                ("object", "properties"), ("array", "items"))
                if key in schema]
        kinds = kinds if isinstance(kinds, list) else [kinds]
        return joined([self.kind(kind, schema, depth)
                       for kind in kinds[:CHOICES_MAX]
                       if isinstance(kind, str)])

    def kind(self, kind, schema, depth):
        """Return the text for one type of a schema."""
        if depth < DEPTH_MAX and kind == "array":
            items = schema.get("items")
            return "list[%s]" % self.text(items, depth + 1) \
                if isinstance(items, dict) else "list"
        if depth < DEPTH_MAX and kind == "object":
            return self.members(schema, depth + 1)
        return NAMES.get(kind, cut(kind))

    def members(self, schema, depth):
        """Return the text for an object."""
        names, required = schema.get("properties"), needed(schema)
        if not isinstance(names, dict) or not names:
            more = schema.get("additionalProperties")
            return "dict[str, %s]" % self.text(more, depth) \
                if isinstance(more, dict) and more else "dict"
        found = ["%s%s: %s" % (cut(name), "" if name in required else "?",
                               self.text(part, depth))
                 for name, part in list(names.items())[:CHOICES_MAX]]
        more = ["..."] if len(names) > CHOICES_MAX else []
        return "{%s}" % ", ".join(found + more)


def joined(texts):
    """Return alternatives, each once."""
    texts = list(dict.fromkeys(texts))
    if len(texts) > CHOICES_MAX:
        texts[CHOICES_MAX:] = ["..."]
    return " | ".join(texts) or "Any"
