"""
House rule: a file includes only headers of its own folder and of common/, and
common/ only its own. Within a folder that has rooms, a file includes only
headers of its own room and of rooms below it. The numbers are everybody's.
System headers are free; tests and build tools of man/ may include anything.
"""
import fnmatch
import os

import house

# Includes that lead upwards still, from the files of a pattern. A line that is
# not needed is a problem.
EXCEPT_UNTIL_MENDED = []


def row_of(path):
    """The row of a file's room, counted from the top, and the room; None in a
    folder without rooms, and the row None for a room that is not listed."""
    folder = house.folder_of(path)
    if folder not in house.ROOMS:
        return None
    room = os.path.dirname(path[len(folder):])
    rows = [n for n, row in enumerate(house.ROOMS[folder]) if room in row]
    return (rows[0] if rows else None, room)


def may_include(path, target):
    """Whether the target, of the same folder, is in the same room or below.
    What is made while building belongs to no room."""
    if target not in house.files() or target == "common/limits.h":
        return True
    own, other = row_of(path), row_of(target)
    return (own is None or other is None or own == other or
            None in (own[0], other[0]) or own[0] < other[0])


def check_rooms(path, number, target):
    if house.folder_of(path) != house.folder_of(target):
        return
    if may_include(path, target):
        return
    excuses = [(pattern, name) for pattern, name in EXCEPT_UNTIL_MENDED
               if name == target and fnmatch.fnmatch(path, pattern)]
    excused.update(excuses)
    if not excuses:
        yield (f"{path}:{number}: includes {target}, which is in a room above "
               "or beside its own")


def check(path):
    folder = house.folder_of(path)
    if row_of(path) is not None and row_of(path)[0] is None:
        yield (f"{path}: its room has no place yet: give it one in ROOMS in "
               "tests/house/house.py")
    for number, name, target in house.includes(path):
        if target is None:
            yield f"{path}:{number}: {name} is not in the project"
        elif house.folder_of(target) not in (folder, "common/"):
            allowed = " and ".join(sorted({folder, "common/"}))
            yield (f"{path}:{number}: includes {target}, but may include only "
                   f"{allowed}")
        else:
            yield from check_rooms(path, number, target)


excused = set()
paths = [path for path in house.with_ending(".c", ".h", ".def")
         if house.folder_of(path)]
problems = [problem for path in paths for problem in check(path)]
problems += [f"tests/house/layers.py: {path} does not include {target} any "
             "more: delete its line of EXCEPT_UNTIL_MENDED"
             for path, target in EXCEPT_UNTIL_MENDED
             if (path, target) not in excused]
house.finish(problems, len(paths), "files")
