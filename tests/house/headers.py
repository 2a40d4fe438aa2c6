"""
House rule: every header compiles alone. Each is included by an empty file, with
the flags of its folder and -Wall -Werror.
"""
import os

import house

FOLDERS = ("common/", "supervisor/", "relay/", "worker/")


def neighbour(path):
    """A source file whose folders are searched for this header's includes: of
    its folder, or of the next one above with any."""
    folder = path
    while "/" in folder:
        folder = os.path.dirname(folder)
        for item in house.objects():
            if item.source.startswith(folder + "/"):
                return item.source
    return None


def check(path):
    source = neighbour(path)
    if source is None:
        return [f"{path}: nothing of its folder is compiled"]
    command = house.compiler(source) + [
        "-Wall", "-Werror", "-fsyntax-only", "-x", "c", "-"]
    name = os.path.join(house.SOURCE, path)
    said = house.compile_quietly(command, f'#include "{name}"\n')
    return [f"{path}: does not compile alone:\n{said}"] if said else []


paths = [path for path in house.with_ending(".h") if path.startswith(FOLDERS)]
house.finish(house.in_parallel(check, paths), len(paths), "headers")
