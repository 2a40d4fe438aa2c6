"""Repairs f-strings as Python has them since 3.12, for an older interpreter.

Run by source.py when repair.py has found nothing, in one namespace with it.
Only the quotes around such a string are changed, to others that it does not
have; a string that needs more is left unchanged.
"""
import re
import sys

STRING = re.compile(r"(?:(?<!\w)([rRbBuUfF]{1,2}))?('''|\"\"\"|'|\")")
STRINGS = "with other quotes around f-strings, which Python %d.%d needs"


def newer(text, compiles):
    """Return code that compiles and what was done to it, or None."""
    try:
        changed = requoted(text)[0]
    except (Odd, IndexError, ValueError, RecursionError):
        return None
    return (changed, STRINGS % sys.version_info[:2]) \
        if changed != text and compiles(changed) else None


class Odd(Exception):
    """A string that is not understood."""


def requoted(text, at=0, stops=""):
    """Return some code whose f-strings older versions of Python can read, and
    where it ends: before one of these characters outside of brackets.
    """
    made, depth = "", 0
    while at < len(text):
        char, found = text[at], STRING.match(text, at)
        if found:
            string, at = string_at(text, found)
            made += string
            continue
        if not depth and char in stops and text[at:at + 2] != "!=":
            return made, at
        end = at + 1
        if char == "#":
            if stops:
                raise Odd
            end = (text + "\n").index("\n", at)
        depth += (char in "([{") - (char in ")]}")
        made, at = made + text[at:end], end
    if stops:
        raise Odd
    return made, at


def string_at(text, found):
    """Return a string, which may have other quotes then, and where it ends."""
    prefix, quote, at = found[1] or "", found[2], found.end()
    if "f" not in prefix.lower():
        while not text.startswith(quote, at):
            if at >= len(text):
                raise Odd
            at += 2 if text[at] == "\\" else 1
        return text[found.start():at + len(quote)], at + len(quote)
    body, fields, at = format_at(text, at, quote, "r" in prefix.lower())
    at += len(quote)
    if not any(quote in field or "\n" in field and not quote[1:]
               for field in fields):
        return prefix + quote + body + quote, at
    for other in "'", '"', '"""', "'''":
        if other not in body and body[-1:] != other[0] and (
                other[1:] or "\n" not in body):
            return prefix + other + body + other, at
    return text[found.start():at], at


def format_at(text, at, quote, raw, inner=False):
    """Return an f-string without its quotes, the fields in it, and its end.

    inner: whether it is the format of a field, which ends before a bracket.
    """
    body, fields = "", []
    while not text.startswith("}" if inner else quote, at):
        if at >= len(text) or inner and text.startswith(quote, at):
            raise Odd
        doubled = not inner and text[at:at + 2] in ("{{", "}}")
        end = at + 1 + (doubled or text[at] == "\\" and not raw)
        if text[at] == "{" and not doubled:
            field, end = field_at(text, at + 1, quote, raw)
            fields.append(field)
            body += "{" + field
        else:
            if not raw and text.startswith("\\N{", at):
                end = text.index("}", at) + 1
            body += text[at:end]
        at = end
    return body, fields, at


def field_at(text, at, quote, raw):
    """Return what stands between brackets, with the last one, and its end."""
    code, middle = requoted(text, at, "}:!")
    if code.rstrip().endswith("="):
        code = text[at:middle]  # a field that shows its own text
    at = middle + 2 * (text[middle] == "!")
    if text[at] == ":":
        at = format_at(text, at + 1, quote, raw, True)[2]
    if text[at] != "}":
        raise Odd
    return code + text[middle:at + 1], at + 1
