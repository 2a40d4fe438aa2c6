"""
House rule: README.md stays short and true. It has at most 250 lines of at most
100 characters, apart from tables; its links and those of .github/ lead to
files; it names no variable that is not an option, no page that does not exist,
and no command that is none; and the bytes of its demo are those measured.
"""
import os
import re

import house

LINES_MAX, COLUMNS_MAX = 250, 100
PATHS = ["README.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"]
DEMO = "all sources: the longest functions"


def lengths(text):
    """Lines of tables cannot be broken."""
    lines = text.splitlines()
    if len(lines) > LINES_MAX:
        yield f"README.md: has {len(lines)} lines, above {LINES_MAX}"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX and not line.startswith("|"):
            yield f"README.md:{number}: has more than {COLUMNS_MAX} columns"


def links(path):
    for target in re.findall(r"\]\(([^)#]+)", house.read(path)):
        if "://" in target:
            continue
        found = os.path.join(house.SOURCE, os.path.dirname(path), target)
        if not os.path.exists(found):
            yield f"{path}: leads to {target}, which does not exist"


def variables(text):
    known = {house.variable(key) for key in house.options()}
    for name in sorted(set(re.findall(r"\bCAISSON_[A-Z0-9_]+\b", text))):
        if name not in known:
            yield f"README.md: names {name}, which is not an option"


def pages(text):
    for name, section in set(re.findall(r"`(caisson[\w.-]*)\((\d)\)`", text)):
        if f"man/{name}.{section}.in" not in house.files():
            yield f"README.md: names {name}({section}), which does not exist"
    for name in set(re.findall(r"man/(caisson[\w.-]*\.\d)\b", text)):
        if f"man/{name}.in" not in house.files():
            yield f"README.md: names the page {name}, which does not exist"


def commands(text):
    rows = house.rows("supervisor/options/commands.def", "COMMAND")
    known = {row[3].strip('"') for row in rows}
    named = re.findall(r"`(?:build/)?caisson ([a-z][\w-]*)", text) + \
        re.findall(r"^caisson ([a-z][\w-]*)", text, re.M)
    if len(named) < 5:
        yield f"tests/house/readme.py: finds only the commands {named}"
    for word in sorted(set(named) - known):
        yield f"README.md: names the command {word}, which does not exist"


def demo(text):
    row = re.search(rf"^\| {DEMO} \| (\d+) \| ([\d,]+) \| ([\d,]+) \|",
                    house.read("tests/bench/results.md"), re.M)
    told = re.search(r"Without Caisson: (\d+) calls, and ([\d,]+) bytes.*?"
                     r"one call,\s+([\d,]+) bytes", text, re.S)
    if row is None or told is None or row.groups() != told.groups():
        yield ("README.md: the figures of the demo are not those of "
               "tests/bench/results.md")
    code = re.search(rf'"{DEMO}", .*?"""\n(.*?)"""',
                     house.read("tests/bench/programs.py"), re.S).group(1)
    shown = re.search(r"```python\n(.*?)```", text, re.S).group(1)
    if shown.replace("/home/me/src", "{folder}") != code.replace("\\\\", "\\"):
        yield "README.md: the code of the demo is not that which is measured"


readme = house.read("README.md")
problems = [*lengths(readme), *variables(readme), *pages(readme),
            *commands(readme), *demo(readme)]
for each in PATHS:
    problems += links(each)
house.finish(problems, len(PATHS), "documents")
