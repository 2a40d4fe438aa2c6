"""Repairs of code that needs more than repair.py: 'await' in functions that
are not async, and f-strings as Python has them since 3.12.

Run by source.py when repair.py has found nothing, in one namespace with it.
Ambiguous code is left unchanged.
"""
import ast

FUNCTIONS = ast.FunctionDef, ast.Lambda
WAIT = "runtime.wait("
PREFIX = set("rRbBuUfF")
PREFIX_MAX = 2  # letters before a quote
DEPTH_MAX = 8  # f-strings within each other
WAITS = "with 'async', or runtime.wait(), in functions that use 'await'"
STRINGS = "with f-strings as Python %d.%d has them"


def newer(text, compiles):
    """Return code that compiles and what was done to it, or None."""
    import sys
    changed = with_old_strings(text)
    done = []
    if changed is not None:
        text = changed
        done.append(STRINGS % sys.version_info[:2])
        if compiles(text):
            return text, done[0]
    changed = with_waits(text)
    if changed is None or not compiles(changed):
        return None
    return changed, ", ".join(done + [WAITS])


# 'await' where it is not allowed


def with_waits(text):
    """Return code whose functions are async, or wait; or None.

    A function is made async if its calls are awaited, and waits if not.
    """
    try:
        tree = compile(text, "<code>", "exec", ast.PyCF_ONLY_AST |
                       ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
    except (SyntaxError, ValueError):
        return None
    awaited = names_awaited(tree)
    edits = []
    for function in ast.walk(tree):
        if not isinstance(function, FUNCTIONS):
            continue
        found = awaits_of(function)
        if found is None:
            return None
        if found and getattr(function, "name", None) in awaited:
            place = function.lineno, function.col_offset
            edits.append((place, place, "async "))
        else:
            for node in found:
                edits += wait_for(node)
    return edited(text, edits) if edits else None


def names_awaited(tree):
    """Return the names of functions and methods whose calls are awaited."""
    found = set()
    for node in ast.walk(tree):
        call = node.value if isinstance(node, ast.Await) else None
        if isinstance(call, ast.Call):
            found.add(getattr(call.func, "id", None) or
                      getattr(call.func, "attr", None))
    return found - {None}


def awaits_of(function):
    """Return each 'await' of a function, but not of those in it; None, where
    one is in an f-string, whose places are not told.
    """
    found, left = [], list(ast.iter_child_nodes(function))
    while left:
        node = left.pop()
        if isinstance(node, (ast.AsyncFunctionDef, *FUNCTIONS)):
            continue
        if isinstance(node, ast.JoinedStr) and any(
                isinstance(each, ast.Await) for each in ast.walk(node)):
            return None
        if isinstance(node, ast.Await):
            found.append(node)
        left += ast.iter_child_nodes(node)
    return found


def wait_for(node):
    """Return the edits that make a wait of an 'await'."""
    start = node.lineno, node.col_offset
    end = node.end_lineno, node.end_col_offset
    return [(start, (start[0], start[1] + len("await")), WAIT),
            (end, end, ")")]


def edited(text, edits):
    """Return a text with parts of it replaced; places count bytes."""
    lines = text.encode().split(b"\n")
    # From the end: what closes at one place before what opens there.
    for start, end, new in sorted(edits, reverse=True):
        line = lines[start[0] - 1]
        lines[start[0] - 1] = line[:start[1]] + new.encode() + line[end[1]:]
    return b"\n".join(lines).decode()


# f-strings


class Odd(Exception):
    """A string that is not understood."""


def with_old_strings(text, depth=0):
    """Return code with str.format() for f-strings that older versions of
    Python cannot read, or None where there are none.
    """
    try:
        found = list(strings(text))
    except (Odd, IndexError):
        return None
    made, changed, run = [], False, []
    for kind, part in found + [("end", "")]:
        if kind == "gap":
            run.append((kind, part))
            continue
        if kind == "string":
            new = old_string(part, depth)
            changed = changed or new is not None
            run.append(("same" if new is None else "new", new or part))
            continue
        made.append(joined(run))
        run = []
        made.append(part)
    return "".join(made) if changed else None


def joined(run):
    """Return strings that stand beside each other, as one value."""
    strings_of = [part for kind, part in run if kind != "gap"]
    if len(strings_of) < 2 or not any(kind == "new" for kind, _ in run):
        return "".join(part for _, part in run)
    text = "".join(part if kind != "gap" else " +" + part
                   for kind, part in trimmed(run))
    return "(%s)%s" % (text, run[-1][1] if run[-1][0] == "gap" else "")


def trimmed(run):
    """Return a run without the gap at its end."""
    return run[:-1] if run[-1][0] == "gap" else run


def strings(text):
    """Yield the strings of some code, the gaps behind them, and the rest."""
    at = start = depth = 0
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
            while text[at:at + 1] and text[at] in (
                    " \t\n" if depth else " \t"):
                at += 1
            if at > start:
                yield "gap", text[start:at]
                start = at
        else:
            depth += (char in "([{") - (char in ")]}")
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
    """Return where an f-string ends, and its parts: text, or a list of an
    expression, its conversion, and the parts of its format.

    inner: whether it is such a format, which ends before a bracket.
    """
    parts = [""]
    while True:
        if at >= len(text):
            raise Odd
        if inner and text[at] == "}":
            return at, parts
        if not inner and text.startswith(quote, at):
            return at + len(quote), parts
        step = 2 if text[at] == "\\" and not raw or \
            text[at:at + 2] in ("{{", "}}") and not inner else 1
        if text[at] == "{" and step == 1:
            at, field = read_field(text, at + 1, quote, raw)
            parts += [field, ""]
            continue
        if not raw and text.startswith("\\N{", at):
            step = text.index("}", at) + 1 - at
        parts[-1] += text[at:at + step]
        at += step


def read_field(text, at, quote, raw):
    """Return where what stands between brackets ends, and what it is."""
    start, depth = at, 0
    while depth or text[at] not in "}:!" or text[at:at + 2] == "!=":
        char = text[at]
        if char == "#" or char == "=" and text[at + 1:].lstrip()[:1] in (
                "}", "!", ":"):
            raise Odd
        if char in "'\"":
            at = end_of_string(text, at - prefix_before(text, at), at)
            continue
        depth += (char in "([{") - (char in ")]}")
        at += 2 if text[at:at + 2] == "!=" else 1
    field = [text[start:at], "", []]
    if text[at] == "!":
        field[1] = text[at:at + 2]
        at += 2
    if text[at] == ":":
        at, field[2] = read_format(text, at + 1, quote, raw, True)
    if text[at] != "}":
        raise Odd
    return at + 1, field


def old_string(part, depth):
    """Return an f-string as older versions read it; None: it need not be
    changed.
    """
    at = min(part.index(quote) for quote in "'\"" if quote in part)
    prefix, quote = part[:at], quote_at(part, at)
    if "f" not in prefix.lower():
        return None
    _, parts = read_format(part, at + len(quote), quote, "r" in prefix.lower())
    values = []
    if not any(is_new(each, quote) for each in parts) or depth > DEPTH_MAX:
        return None
    template = fields(parts, values, depth)
    return "%s%s%s%s.format(%s)" % (
        prefix.replace("f", "").replace("F", ""), quote, template, quote,
        ", ".join("(%s)" % value for value in values))


def is_new(part, quote):
    """Whether an older version cannot read a part of an f-string."""
    return isinstance(part, list) and (
        quote[0] in part[0] or "\\" in part[0] or
        (len(quote) == 1 and "\n" in part[0]) or
        any(is_new(each, quote) for each in part[2]))


def fields(parts, values, depth):
    """Return the template of str.format(), and add its values."""
    made = ""
    for part in parts:
        if isinstance(part, str):
            made += part
            continue
        text = part[0].strip()
        values.append(with_old_strings(text, depth + 1) or text)
        made += "{%d%s" % (len(values) - 1, part[1])
        made += (":" + fields(part[2], values, depth) if part[2] else "") + "}"
    return made
