"""The data of a result: parsed JSON with some conveniences.

Keys of dicts are attributes, too.  A result that is a list also acts as the
dict that code expects around it, and a text or JSON that was the only member of
a dict can still be accessed by its key.
"""
import sys

from . import _counted, _values
from ._servers import attribute_error

KEYS_MAX = 20  # of a dict in a sentence
# What the one list in a dict is often called; of a list, that is the list.
COLLECTIONS = {"items", "data", "results", "result", "values", "value",
               "entries", "records", "rows", "list"}


class Part(dict):
    """A dict in a result; its values are attributes, too.

    Copies of it, and what is pickled, are plain dicts.
    """

    __slots__ = ()
    __module__ = "mcp.runtime"

    def __getattr__(self, name):
        """Return the value of a key."""
        if name in self:
            return self[name]
        if name.startswith("__"):
            raise AttributeError(name)
        meant = self._meant(name, True)
        if meant is not None:
            return self[meant]
        raise attribute_error("this part of the result has no %r: %s" % (
            name, keys_of(self)))

    def get(self, key, default=None):
        """Return the value of a key, or the default."""
        if key not in self:
            is_list = type(default) is list
            name = self._meant(key, is_list or default is None)
            if name is not None:
                return self[name]
            if is_list:
                return _counted.miss(self, key, default)
            _counted.miss_value(self, key, default, sys._getframe(1))
        return super().get(key, default)

    def __missing__(self, key):
        """Return the value of the key that is meant."""
        name = self._meant(key, True)
        if name is None:
            raise KeyError(key)
        return self[name]

    def _meant(self, key, is_list):
        """Return the key that is meant by one that there is not, or None.

        is_list: whether it may be that of a list.
        """
        name = self._spelled(key)
        if name is None and is_list:
            name = _counted.one_list(self, key)
        return name

    def _spelled(self, key):
        """Return the one key that differs in case, '_' and '-' only, or None.

        As nextCursor and next_cursor do.
        """
        if type(key) is not str:
            return None
        plain = plain_key(key)
        found = [name for name in self if plain and plain == plain_key(name)]
        return found[0] if len(found) == 1 else None

    @property
    def items(self):
        """The method, which is the list of that name as well."""
        return both(super().items, super().get("items"))

    @property
    def values(self):
        """The method, which is the list of that name as well."""
        return both(super().values, super().get("values"))

    def __eq__(self, other):
        """Whether it has the same members; a text is its only value."""
        if isinstance(other, str):
            return _counted.is_text(self, other)
        return super().__eq__(other)

    def __ne__(self, other):
        """Return the opposite."""
        same = self.__eq__(other)
        return same if same is NotImplemented else not same

    def __lt__(self, other):
        """Whether the text that is its only value is less than that of a dict
        with the same key.
        """
        same = type(other) is Part and list(self) == list(other)
        one, two = map(_counted.only_text, (self, other if same else self))
        return NotImplemented if not same or one is None or two is None \
            else one < two

    def __hash__(self):
        """Return that of the text which is its only value, and equals it."""
        value = _counted.only_text(self)
        if value is None:
            raise TypeError("unhashable type: 'dict'")
        return hash(value)

    def __len__(self):
        """Return how many keys it has, which the code may not mean."""
        _counted.count(self, sys._getframe(1))
        return super().__len__()

    def __reduce__(self):
        """Copies are plain."""
        return dict, (dict(self),)


def plain_key(name):
    """Return a key without what differs between habits of writing keys."""
    return name.replace("_", "").replace("-", "").lower()


class Both(list):
    """A list in a dict by the name of a method of dicts, which it is, too."""

    __slots__ = ("method",)

    def __call__(self):
        """Return what the method does."""
        return self.method()

    def __reduce__(self):
        """Copies are plain."""
        return list, (list(self),)


def both(method, value):
    """Return a method; where a value is a list, one that is that list."""
    if not isinstance(value, list):
        return method
    found = Both(value)
    found.method = method
    return found


Part.__name__ = Part.__qualname__ = "dict"  # what it is to the code


def part_of(value):
    """Return a value with parts in place of dicts, where it is a dict."""
    if type(value) is not dict:
        return value
    return Part((key, part_of(each)) for key, each in value.items())


def keys_of(members):
    """Return which keys a dict has."""
    names = [str(key) for key in list(members)[:KEYS_MAX]]
    more = ["..."] if len(members) > KEYS_MAX else []
    return "its keys are " + (", ".join(names + more) or "none")


def parsed(text):
    """Return a text as the JSON that it is, or else as it is."""
    try:
        return read(text)
    except (ValueError, RecursionError):
        return text


def unwrapped(found, text):
    """Return structured content, or what the text is if it is no more."""
    if type(found) is not Part or len(found) != 1:
        return found
    (key, value), = found.items()
    if not isinstance(value, str) or value != text:
        return found
    value = parsed(text)
    for kind in Text, List, Dict:
        if isinstance(value, kind.__mro__[2]):
            value = kind(value)
            value.wrapped = key, text
    return value


def text_of(blocks):
    """Return all blocks of text, joined by newlines."""
    return "\n".join(
        block["text"] for block in blocks if isinstance(block, dict)
        and block.get("type", "text") == "text"
        and isinstance(block.get("text"), str))


class Content(list):
    """The blocks of a result, where code may expect their text."""

    __slots__ = ()

    def __len__(self):
        """Return how many blocks there are, which the code may not mean."""
        _counted.count_blocks(self, sys._getframe(1))
        return super().__len__()

    def __contains__(self, item):
        """Whether a block is in it, or a text in their text."""
        return item in text_of(self) if isinstance(item, str) \
            else super().__contains__(item)

    def count(self, item):
        """Count a block, or a text in their text."""
        return text_of(self).count(item) if isinstance(item, str) \
            else super().count(item)

    def __getattr__(self, name):
        """Return what lists do not have, and texts have."""
        if name.startswith("__") or not hasattr(str, name):
            raise AttributeError("'list' object has no attribute %r" % name)
        return getattr(text_of(self), name)

    def __reduce__(self):
        """Copies are plain."""
        return list, (list(self),)


class Rows(list):
    """A list that is all of a result.

    Where the code expects a dict with the list in it, it means this; where it
    expects a dict, and there is one in it, that one.
    """

    __slots__ = ()

    @property
    def length(self):
        """How many items it has, as JavaScript calls it."""
        return len(self)

    def __contains__(self, item):
        """Whether an item is in it. Code that expects a dict may look for a
        key: a text never equals one of the dicts of this list.
        """
        return any(each == item for each in self if type(each) is not Part) \
            if isinstance(item, str) else super().__contains__(item)

    def __getitem__(self, key):
        """Return an item, items, the list itself by what it is called, or a
        part of its one item.
        """
        if type(key) is str:
            if len(self) == 1 and type(self[0]) is Part and key in self[0]:
                return self[0][key]
            if key in COLLECTIONS or _counted.is_listed(self, key):
                return self
        return super().__getitem__(key)

    def __reduce__(self):
        """Copies are plain."""
        return list, (list(self),)


class Wrapped:
    """A text, or what it is as JSON, that came as the one member of a dict.

    It is still found there.
    """

    __slots__ = ()

    def __getitem__(self, key):
        """Return a member; the one that it was is the text."""
        if key == self.wrapped[0] and not (
                isinstance(self, dict) and key in self):
            return self.wrapped[1]
        return super().__getitem__(key)


class Text(Wrapped, str):
    """A text that was the one member of a dict."""

    __slots__ = ("wrapped",)

    def __reduce__(self):
        """Copies are plain."""
        return str, (str.__str__(self),)


class List(Wrapped, list):
    """A list, as JSON in a text that was the one member of a dict."""

    __slots__ = ("wrapped",)

    def __reduce__(self):
        """Copies are plain."""
        return list, (list(self),)


class Dict(Wrapped, Part):
    """A dict, as JSON in a text that was the one member of a dict."""

    __slots__ = ("wrapped",)


for _kind, _name in (Text, "str"), (List, "list"), (Dict, "dict"), (
        Rows, "list"), (Content, "list"), (Both, "list"):
    _kind.__name__ = _kind.__qualname__ = _name
    _kind.__module__ = "mcp.runtime"


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
