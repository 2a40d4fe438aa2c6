"""The data of a result: what the server sent, as plain Python values.

Lists, strings and numbers are Python's own.  Dicts are of a class that behaves
as dict does; its keys are attributes, too, and it tells which keys it has where
code looks for another one.
"""
import sys

from . import _values
from ._values import attribute_error

KEYS_MAX, KEY_MAX = 20, 60  # keys in a sentence, and characters of one
PART = ("a dict of a result was compared with a text, which it never equals: "
        "compare one of its values; %s")
BLANK = " \t\r\n"  # of JSON
WRAPPER = "result"  # the key by which Python's SDKs wrap what is no object
MARK = "x-fastmcp-wrap-result"  # in the output schema of such a tool


def compared(kinds, text):
    """Return == and != of a dict; for values of these kinds, which it never
    equals, there is a note: text(dict).
    """
    def method(plain):
        def compare(self, other):
            if isinstance(other, kinds):
                from ._misread import tell
                tell(text(self), sys._getframe(1))
            return plain(self, other)
        return compare
    return method(dict.__eq__), method(dict.__ne__)


class Missing(KeyError):
    """A key that a dict lacks; str() names those that it has."""

    def __init__(self, key, members=()):
        super().__init__(key)
        self._members = members

    def __str__(self):
        """Return the key, and which keys there are."""
        return "%s; %s" % (super().__str__(), keys_of(self._members))

    def __reduce__(self):
        """Copies are plain."""
        return KeyError, self.args


class Part(dict, metaclass=_values.Plain):
    """A dict in a result.

    Copies of it, and what is pickled, are plain dicts.
    """

    __slots__ = ()

    def __getattr__(self, name):
        """Return the value of a key."""
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self:
            return self[name]
        raise attribute_error("this part of the result has no %r: %s" % (
            name, keys_of(self)))

    def __missing__(self, key):
        """Name the keys that there are."""
        raise Missing(key, self)

    def get(self, key, default=None, /):
        """Return the value of a key, or the default, which a note may tell."""
        if key in self:
            return self[key]
        from ._misread import miss
        miss(self, key, default, sys._getframe(1))
        return default

    __hash__ = None
    __eq__, __ne__ = compared(str, lambda part: PART % keys_of(part))

    def __reduce__(self):
        """Copies are plain."""
        return dict, (dict(self),)


# What they are to the code.
for _kind, _name in (Part, "dict"), (Missing, "KeyError"):
    _kind.__name__ = _kind.__qualname__ = _name
    _kind.__module__ = "builtins"


def keys_of(members):
    """Return which keys there are."""
    names = [(str(key) if str(key).isprintable() else ascii(key))[:KEY_MAX]
             for key in list(members)[:KEYS_MAX]]
    more = ["..."] if len(members) > KEYS_MAX else []
    return "its keys are " + (", ".join(names + more) or "none")


def parsed(text):
    """Return the object or array that a text is in JSON, or else the text.

    Anything else is a text that a server meant as one, digits among them.
    """
    if not text.lstrip(BLANK).startswith(("{", "[")):
        return text
    try:
        return read(text)
    except (ValueError, RecursionError):
        return text


def is_wrapper(schema):
    """Whether an output schema declares an object that only wraps a value, as
    Python's SDKs write it for what is no object.
    """
    members = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(members, dict) or list(members) != [WRAPPER]:
        return False
    from ._schema import flat
    return schema.get(MARK) is True or \
        flat(members[WRAPPER], schema)[0].get("type") != "object"


class Fast(_values.Fast):
    """The settings of the scanner that makes parts of dicts."""

    object_hook = Part


class Careful(_values.Careful):
    """The same, for integers of any length."""

    object_hook = Part


SCANNERS = _values.make_scanner(Fast), _values.make_scanner(Careful)


def read(text):
    """Return the JSON value that text is, with parts for dicts."""
    return _values.read(text, *SCANNERS)
