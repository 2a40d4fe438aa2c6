"""
House rule: the text of the program. No function longer than 60 lines, no line
over 80 columns, no goto, no array of variable length, no note to do something
later, and a comment at the head of every file that says what it is.
"""
import re

import house

LINES_MAX = 60
COLUMNS_MAX = 80
TAB = 8
LATER = ("TO" + "DO", "FIX" + "ME", "XX" + "X")
ALLOWING = {"-w", "-Wno-vla", "-Wno-error", "-Wno-error=vla"}
SCRIPTS = ("setup", ".ci/run")


def sources():
    return [path for path in house.files()
            if path.endswith((".c", ".h", ".def", ".py", ".sh"))
            or path in SCRIPTS]


def check_lines(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        columns = len(line.expandtabs(TAB))
        if columns > COLUMNS_MAX:
            yield f"{path}:{number}: has {columns} columns"
        for word in LATER:
            if re.search(r"\b" + word + r"\b", line):
                yield f"{path}:{number}: says {word}: do it, or file an issue"


def check_head(path, text):
    if path.endswith((".c", ".h", ".def")):
        head = re.match(r"/\*(\n \*)? \S", text)
    else:
        head = re.match(r'(#![^\n]*\n)?(#[^\n]*\n)*("""|#) ?\n?\S', text)
    if not head:
        yield f"{path}:1: has no comment at its head that says what it is"


def functions(text):
    """Each function of a C file: the line of its name, its first and last."""
    lines = text.split("\n")
    first = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            first = number
        elif line == "}" and first:
            yield lines[first - 2], first, number
            first = None


def check_c(path, text):
    code = house.without_strings(house.without_comments(text))
    for name, first, last in functions(code):
        if last - first > LINES_MAX:
            yield (f"{path}:{first}: {last - first} lines in one function: "
                   f"{name.strip()}")
    for number, line in enumerate(code.split("\n"), 1):
        if re.search(r"\bgoto\b", line):
            yield f"{path}:{number}: has a goto"


def refuses_arrays(command):
    return "-Werror=vla" in command and ALLOWING.isdisjoint(command)


def check_arrays(path):
    """Only a compiler knows which arrays are of variable length. The one that
    built the file must have been told to refuse them, and not otherwise too.
    """
    for item in house.objects():
        if item.source == path and not refuses_arrays(item.command):
            yield f"{path}: may be compiled with such arrays"


def check(path):
    text = house.read(path)
    problems = [*check_lines(path, text), *check_head(path, text)]
    if path.endswith((".c", ".h")):
        problems += check_c(path, text)
    if path.endswith(".c"):
        problems += check_arrays(path)
    return problems


everything = [problem for path in sources() for problem in check(path)]
house.finish(everything, len(sources()), "files")
