"""JSON as Python values, and back, without changing any of them.

Values that Python's own library would change or refuse are kept: integers of
any length, independent of sys.set_int_max_str_digits, and numbers beyond the
range of a float.  A value that JSON cannot hold is refused with its place.
"""
from _json import encode_basestring as quoted, make_encoder, make_scanner

DEPTH_MAX = 250  # the relay accepts 256, with what stands around a value
DIGITS_SAFE = 600  # sys.set_int_max_str_digits takes no less than 640
FLAT = {str, int, bool, type(None)}  # what most arguments are
ENCODE = make_encoder(None, None, quoted, None, ":", ",", False, False, False)
KINDS = "JSON knows None, bool, int, float, str, list, tuple and dict"


class Plain(type):
    """The type of a class that equals the one it is made of, as its instances
    do.

    Libraries that look up what to do with a type, as yaml, copy and unittest,
    find what they do with that one.
    """

    def __eq__(cls, other):
        """Whether it is the same class, or that one."""
        return cls is other or cls.__base__ == other

    def __hash__(cls):
        """Return that of the other one."""
        return hash(cls.__base__)


class Literal(float, metaclass=Plain):
    """A number that no float can hold; keeps the text it came as.

    In calculations it is what Python makes of that text: inf, or 0.0.
    """

    def __new__(cls, text):
        """Take the text of the number."""
        self = super().__new__(cls, text)
        self.text = text
        return self

    def __repr__(self):
        """Return the number as it came."""
        return self.text

    __str__ = __repr__

    def __reduce__(self):
        """Copies and pickles keep the text."""
        return Literal, (self.text,)


class Unfit(Exception):
    """A part of a value is nothing for JSON; path leads to it, reversed."""

    def __init__(self, kind, reason):
        super().__init__(reason)
        self.kind, self.reason, self.path = kind, reason, []


class Fast:
    """The settings of the scanner: Python's int, which may refuse."""

    strict = True
    object_hook = object_pairs_hook = None

    @staticmethod
    def parse_float(text):
        """Return a float, or the text where a float would lose it all."""
        value = float(text)
        if value - value:
            return Literal(text)
        if not value and has_digits(text):
            return Literal(text)
        return value

    parse_int = int

    @staticmethod
    def parse_constant(text):
        """Refuse what only Python's own library would write."""
        raise ValueError("%s is no JSON" % text)


class Careful(Fast):
    """The same, for integers of any length."""

    @staticmethod
    def parse_int(text):
        """Return the integer, exactly."""
        return integer(text)


def has_digits(text):
    """Whether a number is not zero as it is written."""
    return bool(text.lower().partition("e")[0].strip("-0."))


def integer(text):
    """Return the integer that text is, however long: by halves."""
    if text.startswith("-"):
        return -integer(text[1:])
    if len(text) <= DIGITS_SAFE:
        return int(text)
    low = len(text) // 2
    return integer(text[:-low]) * 10 ** low + integer(text[-low:])


def digits(value):
    """Return the digits of an integer, however many: by halves."""
    if value < 0:
        return "-" + digits(-value)
    try:
        return int.__repr__(value)
    except ValueError:
        low = value.bit_length() * 3 // 20  # half of log10(2)
        first, second = divmod(int(value), 10 ** low)
        return digits(first) + digits(second).zfill(low)


SCAN_FAST, SCAN_CAREFUL = make_scanner(Fast), make_scanner(Careful)


def scan(text, scanner):
    """Return the one value that text is; raises ValueError."""
    text = text.strip(" \t\r\n")
    try:
        value, end = scanner(text, 0)
    except (StopIteration, SystemError):
        # Versions of Python have no error to raise here unless json.decoder
        # was imported.
        raise ValueError("it is no JSON") from None
    if end != len(text):
        raise ValueError("there is something behind the JSON")
    return value


def read(text, fast=SCAN_FAST, careful=SCAN_CAREFUL):
    """Return the JSON value that text is.

    Raises ValueError for what is none, RecursionError for what is nested
    too deeply.
    """
    try:
        return scan(text, fast)
    except ValueError:
        return scan(text, careful)


def write(value, name, plain=None):
    """Return a value as JSON, in bytes, on one line.

    name is what the user calls the value; plain(part) returns what is written
    for it, and for each of its parts.  Raises TypeError or ValueError, with a
    sentence that names the part that cannot be written.
    """
    parts = []
    try:
        if type(value) is dict and {str}.issuperset(map(type, value)) and \
                FLAT.issuperset(map(type, value.values())):
            return "".join(ENCODE(value, 0)).encode()
    except ValueError:
        pass  # what is below can write it, or tells what is wrong
    try:
        write_value(value, parts.append, 0, plain)
    except Unfit as unfit:
        path = "".join("[%s]" % place(key) for key in reversed(unfit.path))
        kind, reason = unfit.kind, unfit.reason
    else:
        return "".join(parts).encode()
    text = "%s%s %s" % (name, path, reason)
    raise kind(text.encode("utf-8", "backslashreplace").decode())


def place(key):
    """Return a key or an index as it is written between brackets."""
    return quoted(key) if isinstance(key, str) else repr(key)


def write_value(value, put, depth, plain=None):
    """Write one value by giving its parts to put."""
    if plain:
        value = plain(value)
    if isinstance(value, str):
        write_text(value, put)
    elif value is None:
        put("null")
    elif value is True:
        put("true")
    elif value is False:
        put("false")
    elif isinstance(value, int):
        put(digits(value))
    elif isinstance(value, float):
        put(float_text(value))
    elif depth == DEPTH_MAX:
        raise Unfit(ValueError, "is nested more than %d deep" % DEPTH_MAX)
    elif isinstance(value, dict):
        write_dict(value, put, depth + 1, plain)
    elif isinstance(value, (list, tuple)):
        write_list(value, put, depth + 1, plain)
    else:
        raise Unfit(TypeError, "is of type %s, which JSON cannot hold: %s" % (
            type(value).__name__, KINDS))


def write_text(value, put):
    """Write a string; half of a character cannot be sent."""
    if not value.isascii():
        try:
            str.encode(value)
        except UnicodeEncodeError as error:
            raise Unfit(ValueError, "has a lone surrogate at index %d, which "
                        "is no character" % error.start) from None
    put(quoted(value))


def float_text(value):
    """Return a float as JSON writes it."""
    if isinstance(value, Literal):
        return value.text
    text = float.__repr__(value)
    if value - value != 0:
        raise Unfit(ValueError, "is %s, which JSON cannot hold: use None or "
                    "a string" % text)
    return text


def write_list(value, put, depth, plain):
    """Write a list or a tuple."""
    index, mark = -1, "["
    try:
        for index, item in enumerate(value):
            put(mark)
            write_value(item, put, depth, plain)
            mark = ","
    except Unfit as unfit:
        unfit.path.append(index)
        raise
    put("[]" if index < 0 else "]")


def write_dict(value, put, depth, plain):
    """Write a dict; its order is kept."""
    key, mark = None, "{"
    try:
        for key, item in value.items():
            put(mark)
            if not isinstance(key, str):
                raise Unfit(TypeError, "has a key of type %s: keys must be "
                            "strings" % type(key).__name__)
            write_text(key, put)
            put(":")
            write_value(item, put, depth, plain)
            mark = ","
    except Unfit as unfit:
        if isinstance(key, str):
            unfit.path.append(key)
        raise
    put("{}" if mark == "{" else "}")


def attribute_error(text):
    """Return the error of this text, to which Python adds no guess."""
    error = AttributeError(clean(text))
    error.name = error.obj = None
    return error


def clean(text):
    """Return a text that can be encoded, as halves of characters cannot."""
    return text.encode("utf-8", "backslashreplace").decode()
