"""Converts arguments of a tool that JSON cannot hold.

Imported only when a call has such an argument: paths, dates, exact numbers,
sets and the like have one meaning in JSON.  Everything else is refused, also
dates of numpy and pandas that would become numbers, or "NaT".
"""
import os
import sys

from . import _values
from ._result import data_of

VALUES_MAX = 20000  # that are taken from what makes them one by one
VIEWS = type({}.keys()), type({}.values()), range
MAKERS = type(_ for _ in ()), map, filter, zip


def plain_of(value):
    """Return what is sent for a value, or for a part of one."""
    value = data_of(value)
    if value is None or isinstance(value, (str, int, float, dict, list,
                                           tuple)):
        return value
    if isinstance(value, os.PathLike):
        path = os.fspath(value)
        return path if isinstance(path, str) else value
    if isinstance(value, (set, frozenset)):
        return in_order(value)
    if isinstance(value, VIEWS):
        return list(value)
    if isinstance(value, MAKERS):
        return made_by(value)
    for module, names, change in KINDS:
        known = sys.modules.get(module)
        if known and isinstance(value, tuple(
                getattr(known, name) for name in names)):
            return change(value)
    return value


def in_order(value):
    """Return the items of a set, sorted where they can be."""
    try:
        return sorted(value)
    except TypeError:
        return list(value)


def made_by(value):
    """Return what a generator makes, unless that has no end."""
    from itertools import islice
    found = list(islice(value, VALUES_MAX + 1))
    if len(found) > VALUES_MAX:
        raise TypeError("what makes the items of an argument makes more than "
                        "%d: write a list" % VALUES_MAX)
    return found


def exact(value):
    """Return a Decimal as the number that it is, digit by digit."""
    return _values.Literal(format(value, "f")) if value.is_finite() \
        else float(value)


def dated(value):
    """Return a date as text; NaT is none, and equals nothing."""
    return value.isoformat() if value == value else value


def counted(value):
    """Return a value of numpy as Python has it; its dates are none there."""
    if value.dtype.kind in "mM":
        return value
    return value.tolist()


KINDS = (
    ("datetime", ("date", "time"), dated),
    ("decimal", ("Decimal",), exact),
    ("enum", ("Enum",), lambda value: value.value),
    ("uuid", ("UUID",), str),
    ("collections", ("deque",), list),
    ("numpy", ("generic", "ndarray"), counted),
    ("pandas", ("Series", "Index"), lambda value: value.tolist()),
)
