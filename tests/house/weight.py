"""
House rule: what grows is asked for. A folder of the product has no more than
FILES_MAX C files, a struct no more than FLAGS_MAX flags of type bool and
FUNCTIONS_MAX functions; what exceeds that still is listed here with its
number, which may only shrink. LINES has the lines of each folder: a change
that adds more than GROWTH to one edits it, "weight.py SOURCE --lines" prints
it anew. A member that is only set to 0, 1 and what is true or false is a flag,
and of type bool.
"""
import collections
import os
import re
import sys

import house

FILES_MAX = 16
FLAGS_MAX = 5
FUNCTIONS_MAX = 8
GROWTH = 0.02
PRODUCT = ("common/", "supervisor/", "relay/", "worker/")
LINES = "tests/house/lines.txt"

# What exceeds a bound until it is mended.
FILES_UNTIL_MENDED = {}
FLAGS_UNTIL_MENDED = {}
FUNCTIONS_UNTIL_MENDED = {}

STRUCT = re.compile(
    r"^(?:static )?(?:const )?struct (\w*) ?\{\n(.*?)^\}", re.M | re.S)
FLAGS = re.compile(r"^\s+bool ([^;()]+);", re.M)
FUNCTION = re.compile(r"\(\*\w+\)\(")
TYPE_OF_FUNCTION = re.compile(r"^typedef [^;(]*?\b(\w+)\(", re.M)
INT = re.compile(r"^\s+(?:int|unsigned|unsigned int|char|uint8_t) "
                 r"(\w+(?:, \w+)*)(?: : 1)?;", re.M)
SET = re.compile(r"(?:->|\.)(\w+) = ([^;,{}]+)[;,}]")
COUNTED = re.compile(r"(?:->|\.)(\w+)(?:\+\+|--| [-+]=)")
TRUTH = re.compile(r"1|true|false|![^?]*|[^?]* (?:[=!<>]=|&&|\|\|) [^?]*", re.S)


def product():
    return [path for path in house.files() if path.startswith(PRODUCT)]


def excess(name, counts, most, listed):
    """Problems of what is above a bound, and of numbers that are too high."""
    for key, count in sorted(counts.items()):
        bound = listed.get(key, most)
        if count > bound:
            yield f"{key}: has {count} {name}, no more than {bound} may be"
    for key, bound in sorted(listed.items()):
        count = counts.get(key, 0)
        if count < bound:
            yield (f"tests/house/weight.py: {key} has {count} {name} now: "
                   f"lower its number, or delete it at {most}")


def sources():
    for path in product():
        if path.endswith((".c", ".h")):
            yield path, house.without_comments(house.read(path))


def structs():
    """(name in its file, body) of each struct."""
    for path, text in sources():
        for name, body in STRUCT.findall(text):
            yield f"{path}: struct {name}", body


def functions(body, types):
    return len(FUNCTION.findall(body)) + len(re.findall(
        rf"^\s+(?:{'|'.join(types)}) \*\w+;", body, re.M))


def check_ints():
    values = collections.defaultdict(set)
    for _, text in sources():
        for name, value in SET.findall(text):
            values[name].add(value.strip())
        for name in COUNTED.findall(text):
            values[name].add("counted")
    for name, body in structs():
        for member in re.findall(r"\w+", ",".join(INT.findall(body))):
            truths = {each for each in values[member] if TRUTH.fullmatch(each)}
            if truths and values[member] <= truths | {"0"}:
                yield f"{name}: {member} is a flag: make it bool"


def lines():
    counted = collections.Counter()
    for path in product():
        counted[os.path.dirname(path) + "/"] += house.read(path).count("\n")
    return counted


def check_lines():
    listed = {}
    for row in house.read(LINES).splitlines():
        folder, number = row.split()
        listed[folder] = int(number)
    counted = lines()
    for folder in sorted(counted.keys() | listed.keys()):
        have, had = counted[folder], listed.get(folder, 0)
        if have > had * (1 + GROWTH):
            yield (f"{LINES}: {folder} has {have} lines, {had} are listed: is "
                   "it worth that? Then run weight.py with --lines")
        elif have == 0:
            yield f"{LINES}: lists {folder}, which does not exist"


if "--lines" in sys.argv:
    print("\n".join(f"{folder} {count}"
                    for folder, count in sorted(lines().items())))
    sys.exit()
all_structs = list(structs())
types = {name for _, text in sources()
         for name in TYPE_OF_FUNCTION.findall(text)}
problems = [
    *excess("C files", collections.Counter(
        os.path.dirname(path) + "/" for path in product()
        if path.endswith(".c")), FILES_MAX, FILES_UNTIL_MENDED),
    *excess("flags", {name: sum(flags.count(",") + 1
                                for flags in FLAGS.findall(body))
                      for name, body in all_structs},
            FLAGS_MAX, FLAGS_UNTIL_MENDED),
    *excess("functions", {name: functions(body, types)
                          for name, body in all_structs},
            FUNCTIONS_MAX, FUNCTIONS_UNTIL_MENDED),
    *check_ints(),
    *check_lines()]
house.finish(problems, len(product()), "files")
