"""Repairs f-strings as Python has them since 3.12, for an older interpreter.

Run by source.py when repair.py has found nothing, in one namespace with it.
Only the quotes around such a string are changed, to others that it does not
have; a string that needs more is left unchanged.
"""
PREFIX = set("rRbBuUfF")
PREFIX_MAX = 2  # letters before a quote
DEPTH_MAX = 8  # f-strings within each other
STRINGS = "with other quotes around f-strings, which Python %d.%d needs"


def newer(text, compiles):
    """Return code that compiles and what was done to it, or None."""
    import sys
    changed = with_other_quotes(text)
    if changed is None or not compiles(changed):
        return None
    return changed, STRINGS % sys.version_info[:2]


class Odd(Exception):
    """A string that is not understood."""


def with_other_quotes(text, depth=0):
    """Return code whose f-strings older versions of Python can read, or None
    where there is nothing to change.
    """
    try:
        found = list(strings(text)) if depth < DEPTH_MAX else []
    except (Odd, IndexError):
        return None
    made = "".join(requoted(part, depth) if kind == "string" else part
                   for kind, part in found)
    return made if found and made != text else None


def strings(text):
    """Yield the strings of some code, and the rest."""
    at = start = 0
    while at < len(text):
        char = text[at]
        if char == "#":
            at = (text + "\n").index("\n", at)
        elif char in "'\"":
            begin = at - prefix_before(text, at)
            end = end_of_string(text, begin, at)
            if text[start:begin]:
                yield "code", text[start:begin]
            yield "string", text[begin:end]
            at = start = end
        else:
            at += 1
    if text[start:]:
        yield "code", text[start:]


def prefix_before(text, at):
    """Return how many letters before a quote belong to the string."""
    count = 0
    while count < PREFIX_MAX and at - count and \
            text[at - count - 1] in PREFIX:
        count += 1
    before = text[at - count - 1:at - count] if at > count else ""
    return 0 if before.isalnum() or before == "_" else count


def quote_at(text, at):
    """Return the quote that begins a string."""
    return text[at] * 3 if text.startswith(text[at] * 3, at) else text[at]


def end_of_string(text, begin, at):
    """Return where a string ends, whose first quote is at a place."""
    prefix, quote = text[begin:at].lower(), quote_at(text, at)
    if "f" in prefix:
        return read_format(text, at + len(quote), quote, "r" in prefix)[0]
    at += len(quote)
    while not text.startswith(quote, at):
        if at >= len(text):
            raise Odd
        at += 2 if text[at] == "\\" else 1
    return at + len(quote)


def read_format(text, at, quote, raw, inner=False):
    """Return where an f-string ends, and its parts, of which every second is
    what stands between brackets: an expression, and the rest of the field.

    inner: whether it is the format of a field, which ends before a bracket.
    """
    parts = [""]
    while True:
        if at >= len(text) or inner and text.startswith(quote, at):
            raise Odd
        if inner and text[at] == "}":
            return at, parts
        if not inner and text.startswith(quote, at):
            return at + len(quote), parts
        step = 2 if text[at] == "\\" and not raw or \
            text[at:at + 2] in ("{{", "}}") and not inner else 1
        if text[at] == "{" and step == 1:
            start = at + 1
            middle, at = read_field(text, start, quote, raw)
            parts += [(text[start:middle], text[middle:at]), ""]
            parts[-3] += "{"
            continue
        if not raw and text.startswith("\\N{", at):
            step = text.index("}", at) + 1 - at
        parts[-1] += text[at:at + step]
        at += step


def read_field(text, at, quote, raw):
    """Return where an expression between brackets ends, and the brackets."""
    depth = 0
    while depth or text[at] not in "}:!" or text[at:at + 2] == "!=":
        char = text[at]
        if char == "#":
            raise Odd
        if char in "'\"":
            at = end_of_string(text, at - prefix_before(text, at), at)
            continue
        depth += (char in "([{") - (char in ")]}")
        at += 2 if text[at:at + 2] == "!=" else 1
    middle = at
    if text[at] == "!":
        at += 2
    if text[at] == ":":
        at = read_format(text, at + 1, quote, raw, True)[0]
    if text[at] != "}":
        raise Odd
    return middle, at + 1


def requoted(part, depth):
    """Return a string as older versions of Python can read it, if only its
    quotes need to differ.
    """
    at = min(part.index(quote) for quote in "'\"" if quote in part)
    prefix, quote = part[:at], quote_at(part, at)
    if "f" not in prefix.lower():
        return part
    parts = read_format(part, at + len(quote), quote, "r" in prefix.lower())[1]
    # A field that ends in "=" shows its own text.
    parts[1::2] = [(not before.rstrip().endswith("=") and
                    with_other_quotes(before, depth + 1) or before) + rest
                   for before, rest in parts[1::2]]
    body = "".join(parts)
    if not any(quote in field or "\n" in field and not quote[1:]
               for field in parts[1::2]):
        return prefix + quote + body + quote
    for other in "'", '"', '"""', "'''":
        if other not in body and body[-1:] != other[0] and (
                other[1:] or "\n" not in body):
            return prefix + other + body + other
    return part
