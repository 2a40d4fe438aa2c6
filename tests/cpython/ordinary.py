#!/usr/bin/python3
"""Runs the programs of ordinary.txt in a box and beside it, and compares what
they print and how they end.

    ordinary.py [NAME]...

With names it shows both outcomes of these programs.
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
# What differs, and why: a promise of the sandbox, or what makes one.
NETWORK = "the sandbox has no network"
ISOLATED = "the interpreter takes no settings of a user: -I"
FRAMES = "frames of the bootstrap lie below those of the code"
LINES = "standard output is line-buffered: a killed program loses no line"
TEXTS = "lone surrogates do not break the answer"
REPAIRED = "code that does not compile is repaired, and a note says so"
DIFFERENT = {
    "tabs and spaces mixed": REPAIRED,
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
    "http server of one's own": NETWORK,
    "url errors": NETWORK,
}


def programs():
    """Return the programs by their names."""
    with open(os.path.join(HERE, "ordinary.txt"), encoding="utf-8") as file:
        parts = re.split(r"^#: (.*)\n", file.read(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def has_value(code):
    """Whether it ends with an expression, whose value a box shows."""
    try:
        body = ast.parse(code).body
    except SyntaxError:
        return False
    return bool(body) and isinstance(body[-1], ast.Expr)


def comparable(code, outcome, expected):
    """Return an outcome without what is meant to differ."""
    out, err, ended = outcome
    if not expected[0] and has_value(code):
        out = ""
    return (ADDRESS.sub("0x", out),
            ADDRESS.sub("0x", LIBRARY.sub("", err + "\n")), ended)


def main():
    """Compare; 1 if one differs that should not, or should and does not."""
    chosen = programs()
    if sys.argv[1:]:
        chosen = {name: chosen[name] for name in sys.argv[1:]}
    box, wrong = beside.Box(), 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, code), expected in zip(
                chosen.items(), pool.map(beside.plain, chosen.values())):
            outcome = box.run(code)
            differs = comparable(code, outcome, expected) != \
                comparable(code, expected, expected)
            if sys.argv[1:] or differs != (name in DIFFERENT):
                print(f"--- {name}: " + (
                    "differs" if differs else "is the same"),
                    f"plain: {expected}", f"box:   {outcome}", sep="\n")
            wrong += differs != (name in DIFFERENT)
    log = box.close()
    if "template" in log:  # boxes are forked from it, or it is at fault
        print(log)
        wrong += 1
    print(f"{len(chosen)} programs, {wrong} not as expected")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
