"""tabulate, where it is not installed: tables as text, for code that prints
them and for DataFrame.to_markdown().

It has the formats that are used most; one that it does not know is "simple".
"""
from ._result import data_of

VERSION = "0.9.0"  # of tabulate, which pandas asks for
# What stands left of, between and right of the cells of a line, and what a line
# of dashes is made of: above the head, below it, between rows, below all.
FORMATS = {
    "plain": (("", "  ", ""), ()),
    "simple": (("", "  ", ""), (None, ("", "  ", "", "-"), None, None)),
    "github": (("| ", " | ", " |"), (None, ("|-", "-|-", "-|", "-"))),
    "pipe": (("| ", " | ", " |"), (None, ("|", "|", "|", ":"))),
    "orgtbl": (("| ", " | ", " |"), (None, ("|-", "-+-", "-|", "-"))),
    "presto": ((" ", " | ", ""), (None, ("-", "-+-", "", "-"))),
    "pretty": (("| ", " | ", " |"), (("+-", "-+-", "-+", "-"),) * 2 + (
        None, ("+-", "-+-", "-+", "-"))),
    "grid": (("| ", " | ", " |"), (("+-", "-+-", "-+", "-"), (
        "+=", "=+=", "=+", "="), ("+-", "-+-", "-+", "-"), (
        "+-", "-+-", "-+", "-"))),
    "tsv": (("", "\t", ""), ())}
SAME = {"markdown": "pipe", "psql": "pretty", "outline": "pretty",
        "fancy_grid": "grid", "rounded_grid": "grid", "simple_grid": "grid",
        "heavy_grid": "grid", "fancy_outline": "pretty"}


def tabulate(tabular_data, headers=(), tablefmt="simple", floatfmt="g",
             missingval="", showindex="default", **_):
    """Return a table as text.

    tabular_data: a list of dicts or lists, a dict of lists, or a frame.
    headers: names, "keys", or "firstrow".
    """
    names, rows, index = table_of(data_of(tabular_data), headers)
    if showindex in (True, "always") or (
            showindex == "default" and index is not None):
        index = index if index is not None else range(len(rows))
        rows = [[each, *row] for each, row in zip(index, rows)]
        names = ["", *names] if names else names
    elif isinstance(showindex, (list, tuple, range)):
        rows = [[each, *row] for each, row in zip(showindex, rows)]
        names = ["", *names] if names else names
    width = max(map(len, [names, *rows]), default=0)
    right = [all(is_number(row[at]) for row in rows if at < len(row) and
                 row[at] is not None) for at in range(width)]
    cells = [[cell(row[at], floatfmt, missingval) if at < len(row) else ""
              for at in range(width)] for row in rows]
    head = [""] * (width - len(names)) + [str(name) for name in names]
    return "\n".join(lines(head if names else None, cells, right, FORMATS.get(
        SAME.get(tablefmt, tablefmt), FORMATS["simple"])))


def table_of(data, headers):
    """Return names, rows and the index of a table."""
    if hasattr(data, "columns") and hasattr(data, "index"):  # a frame
        names = [str(name) for name in data.columns]
        rows = [list(row) for row in data.itertuples(index=False)]
        return chosen(names, headers, rows), rows, list(data.index)
    if isinstance(data, dict):
        columns = [list(each) for each in dict.values(data)]
        rows = [[each[at] if at < len(each) else None for each in columns]
                for at in range(max(map(len, columns), default=0))]
        return chosen(list(data), headers, rows), rows, None
    rows = list(data)
    if rows and all(isinstance(row, dict) for row in rows):
        keys = list(dict.fromkeys(key for row in rows for key in row))
        rows = [[dict.get(row, key) for key in keys] for row in rows]
        if isinstance(headers, dict):
            return [headers.get(key, key) for key in keys], rows, None
        return chosen(keys, headers, rows), rows, None
    rows = [list(row) if isinstance(row, (list, tuple)) else [row]
            for row in rows]
    names = [str(at) for at in range(max(map(len, rows), default=0))]
    return chosen(names, headers, rows), rows, None


def chosen(names, headers, rows):
    """Return the names that are shown; the first row may have them."""
    if headers == "firstrow":
        return [str(each) for each in rows.pop(0)] if rows else []
    return names if headers == "keys" else list(headers)


def is_number(value):
    """Whether a value is a number, which stands on the right."""
    return not isinstance(value, (bool, str, bytes)) and hasattr(
        value, "__float__") and not isinstance(value, (list, dict))


def cell(value, floatfmt, missingval):
    """Return a value as text."""
    if value is None:
        return missingval
    is_float = is_number(value) and not hasattr(value, "__index__")
    return (format(value, floatfmt) if is_float else str(value)).replace(
        "\n", " ")


def lines(head, rows, right, form):
    """Yield the lines of a table."""
    (left, between, end), rules = form
    rules = (*rules, None, None, None, None)[:4]
    widths = [max(len(row[at]) for row in [head or [""] * len(right), *rows])
              for at in range(len(right))]
    if between == "\t":
        widths = [0] * len(right)

    def line(texts):
        return (left + between.join(
            text.rjust(wide) if on_right else text.ljust(wide)
            for text, wide, on_right in zip(texts, widths, right)) + end
                ).rstrip("\n" if end else None)

    def rule(parts):
        start, middle, stop, dash = parts
        return start + middle.join(
            ("-" * (wide + 1) + ":" if on_right else ":" + "-" * (wide + 1))
            if dash == ":" else dash * wide
            for wide, on_right in zip(widths, right)) + stop

    if rules[0]:
        yield rule(rules[0])
    if head is not None:
        yield line(head)
    if rules[1] and (head is not None or left):
        yield rule(rules[1])
    for at, row in enumerate(rows):
        if at and rules[2]:
            yield rule(rules[2])
        yield line(row)
    if rules[3]:
        yield rule(rules[3])
