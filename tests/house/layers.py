"""
House rule: a file includes only headers of its own folder and of common/, and
common/ only its own. System headers are free; tests and build tools of man/
may include anything.
"""
import house


def check(path):
    folder = house.folder_of(path)
    for number, name, target in house.includes(path):
        if target is None:
            yield f"{path}:{number}: {name} is not in the project"
        elif house.folder_of(target) not in (folder, "common/"):
            allowed = " and ".join(sorted({folder, "common/"}))
            yield (f"{path}:{number}: includes {target}, but may include only "
                   f"{allowed}")


paths = [path for path in house.with_ending(".c", ".h", ".def")
         if house.folder_of(path)]
house.finish([problem for path in paths for problem in check(path)],
             len(paths), "files")
