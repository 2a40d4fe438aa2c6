"""
House rule: what runs a request and what answers it knows no runtime, no
language and no tool: their words stand in none of these files, in code,
comments or texts. What there is of each is read from where it is declared.
"""
import re

import house

# Files, or folders that end in a slash.
WITHOUT = ("supervisor/run/", "supervisor/front/answer/",
           "supervisor/front/tools/tool_call.c", "supervisor/box/box.c",
           "supervisor/box/box.h", "supervisor/box/start.c",
           "supervisor/box/shared/runtime.h", "supervisor/box/shared/runtime.c")

# Of runtimes and languages beside their names.
MORE = ["landlock", "seccomp", "namespace", "cpython"]
# No runtime, but the choice of one.
OTHERS = {"auto"}


def names():
    """The names of runtimes, languages and tools."""
    for table, macro in ("runtimes", "RUNTIME"), ("tools", "TOOL"):
        yield from (row[0] for row in house.rows(
            f"supervisor/options/{table}.def", macro))
    for language in house.LANGUAGES:
        path = f"worker/box/{language}/language.def"
        row = re.search(r"^LANGUAGE\((\w+), ", house.read(path), re.M)
        yield row.group(1)


words = sorted((set(names()) | set(MORE)) - OTHERS)
word = re.compile(
    f"(?<![a-z])(?:{'|'.join(map(re.escape, words))})(?![a-z])", re.I)
paths = [path for path in house.files()
         if path.startswith(WITHOUT) and path.endswith((".c", ".h"))]
problems = [f"{path}:{number}: has the word {found.group()}"
            for path in paths
            for number, line in enumerate(house.read(path).splitlines(), 1)
            for found in [word.search(line)] if found]
if len(words) < 8 or len(paths) < len(WITHOUT):
    problems.append(f"tests/house/words.py: finds only {words} and {paths}")
house.finish(problems, len(paths), "files")
