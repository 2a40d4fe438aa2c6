#!/usr/bin/python3
"""Runs the programs of ordinary.txt in a box and beside it, and compares what
they print and how they end.

    ordinary.py [NAME...]

With names it shows both outcomes of these programs.  What only the library or
the language decides is left to CPython's own tests (suite.py).
"""
import ast
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import beside

HERE = os.path.dirname(os.path.abspath(__file__))
# Tracebacks of a box show only frames of the code.
LIBRARY = re.compile(r'  File "(?:/usr/|<frozen )[^\n]*\n(?:    [^\n]*\n)*')
ADDRESS = re.compile(r"0x[0-9a-f]+")
SHOW = """
value = 0
if value is not None:
    print(repr(value))
"""
# What differs, and why: a promise of the sandbox, or what makes one.
NETWORK = "the sandbox has no network"
ISOLATED = "the interpreter takes no settings of a user: -I"
FRAMES = "frames of the bootstrap lie below those of the code"
LINES = "standard output is line-buffered: a killed program loses no line"
TEXTS = "lone surrogates do not break the answer"
SILENT = "a semicolon behind the last value hides it, as in notebooks"
DIFFERENT = {
    "recursion error": FRAMES,
    "recursion of exactly the limit": FRAMES,
    "print_stack": FRAMES,
    "stack depth": FRAMES,
    "logging a bad format": FRAMES,
    "faulthandler": FRAMES,
    "meta path": "mcp can be imported",
    "flags": ISOLATED,
    "sysconfig and site": ISOLATED,
    "warn options and dont_write_bytecode": ISOLATED,
    "encodings": ISOLATED,
    "stream properties": TEXTS,
    "print a lone surrogate": TEXTS,
    "print keeps order with buffer": LINES,
    "stdout descriptor closed": LINES,
    "atexit count": "the process ends early, by an exit function",
    "main thread": "there is room for a hundred threads",
    "current folder is empty": "files come back from the folder out",
    "root is not writable": "the root is read-only",
    "local server": NETWORK,
    "last line is a semicolon": SILENT,
}

# Where standard error has a hint besides.
HINTED = set("""
uncaught ImportError
return outside a function
await outside async function in a function
input at end of file
subprocess not found
file not found
environment missing
del and name error
""".strip().split("\n"))


def programs():
    """Return the programs by their names."""
    with open(os.path.join(HERE, "ordinary.txt"), encoding="utf-8") as file:
        parts = re.split(r"^#: (.*)\n", file.read(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def showing(code):
    """Return code that prints the value of the expression that it ends with,
    as a box shows it where nothing was printed; None where there is none.
    """
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return None
    last = tree.body and tree.body[-1]
    if not isinstance(last, ast.Expr):
        return None
    tree.body[-1:] = ast.parse(SHOW).body
    tree.body[-2].value = last.value
    return ast.unparse(ast.fix_missing_locations(tree))


def expected(code):
    """Return the outcome that code has to have."""
    outcome = beside.plain(code)
    shows = showing(code)
    if shows and outcome == ["", "", 0]:
        outcome[0] = beside.plain(shows)[0]
    return outcome


def comparable(name, outcome):
    """Return an outcome without what is meant to differ."""
    out, err, ended = outcome
    err = LIBRARY.sub("", err + "\n")
    if name in HINTED:
        err = re.sub("^hint: .*\n", "", err, flags=re.MULTILINE)
    return ADDRESS.sub("0x", out), ADDRESS.sub("0x", err), ended


def main():
    """Compare; 1 if one differs that should not, or should and does not."""
    chosen, named = programs(), sys.argv[1:]
    if named:
        chosen = {name: chosen[name] for name in named}
    box, wrong = beside.Box(), 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, code), plain in zip(
                chosen.items(), pool.map(expected, chosen.values())):
            outcome = box.run(code)
            differs = comparable(name, outcome) != comparable(name, plain)
            if name in named or differs != (name in DIFFERENT):
                print(f"--- {name}: " + (
                    "differs" if differs else "is the same"),
                    f"plain: {plain}", f"box:   {outcome}", sep="\n")
            wrong += differs != (name in DIFFERENT)
    log = box.close()
    if "template" in log:  # boxes are forked from it, or it is at fault
        print(log)
        wrong += 1
    print(f"{len(chosen)} programs, {wrong} not as expected")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
