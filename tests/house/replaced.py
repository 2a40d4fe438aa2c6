"""
House rule: what the three earlier systems had has a test, is for later, or was
dropped with its reason: each line of tests/house/replaced.txt names a test that
is there, and each id has one line. A file of tests of the whole program is run.
"""
import collections
import os

import house

TABLE = "tests/house/replaced.txt"
KINDS = (("tests/%s.test.mjs", "test("), ("tests/%s.py", "def test_"),
         ("tests/%s.py", "@case("))


def is_there(file, title):
    """Whether the file, named without its ending, has a test of that title."""
    for form, begin in KINDS:
        path = form % file
        if os.path.exists(os.path.join(house.SOURCE, path)):
            text = house.read(path)
            if title in text and begin in text:
                return True
    return False


found, problems = collections.Counter(), []
for line in house.read(TABLE).splitlines():
    if line.startswith("#"):
        continue
    ids, file, title = (part.strip() for part in line.split("|"))
    found.update(ids.split())
    if file not in ("later", "dropped") and not is_there(file, title):
        problems.append(f"{TABLE}: {ids}: there is no \"{title}\" in {file}")
problems += [f"{TABLE}: {name} has {count} lines"
             for name, count in found.items() if count > 1]
rows = house.read("tests/e2e/meson.build")
problems += [f"{path}: tests/e2e/meson.build has no row of it"
             for path in house.with_ending(".test.mjs")
             if path.startswith("tests/e2e/")
             and f"'{os.path.basename(path)[:-9]}': [" not in rows]
house.finish(problems, len(found), "lines of earlier systems")
