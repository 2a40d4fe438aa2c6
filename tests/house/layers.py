"""
House rule: a file includes only headers of its own folder and of common/, and
common/ only its own. System headers are free; tests and build tools of man/
may include anything.
"""
import os
import re

import house


def folders():
    """The folders that have layers: common, and one for each role."""
    return ["common/"] + [role.folder for role in house.roles()]


def folder_of(path):
    for folder in folders():
        if path.startswith(folder):
            return folder
    return None


def is_there(path):
    """Whether it is a file of ours, or one that was made while building."""
    return (os.path.isfile(os.path.join(house.SOURCE, path)) or
            os.path.isfile(os.path.join(house.BUILD, path)))


def found_in(path, folder, name):
    """Where an include leads: seen from the file, from common/, from the top.
    """
    places = [os.path.dirname(path), folder, "common", ""]
    for place in places:
        target = os.path.normpath(os.path.join(place, name))
        if is_there(target):
            return target
    return None


def check(path):
    folder = folder_of(path)
    text = house.without_comments(house.read(path))
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if not match:
            continue
        target = found_in(path, folder, match.group(1))
        if target is None:
            yield f"{path}:{number}: {match.group(1)} is not in the project"
        elif folder_of(target) not in (folder, "common/"):
            allowed = " and ".join(sorted({folder, "common/"}))
            yield (f"{path}:{number}: includes {target}, but may include only "
                   f"{allowed}")


paths = [path for path in house.with_ending(".c", ".h", ".def")
         if folder_of(path)]
house.finish([problem for path in paths for problem in check(path)],
             len(paths), "files")
