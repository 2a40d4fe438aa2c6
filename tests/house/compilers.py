"""
House rule: every file compiles without a warning under gcc and under clang.
Each is read by the one that it was not built with, with the same flags and
-Werror. Where that one is not installed this is skipped.

To start clang takes as long as to read a file, so it reads many files at once,
which only its part behind the driver can do in one process. A file is read
alone where that part complains, or cannot do it.
"""
import collections
import os
import shlex
import shutil
import subprocess
import tempfile

import house

# What the other compiler does not know is not what this is about.
FLAGS = ["-Werror", "-fsyntax-only", "-Wno-unknown-warning-option",
         "-Wno-unused-command-line-argument", "-Wno-c2x-extensions"]
AT_ONCE = 20  # files: few enough that every processor has some to read
PLANTED = "int planted(void);\nint planted(void) { int unused; return 0; }\n"


def called(command):
    """Where a command names its compiler: first, or behind ccache."""
    return 1 if os.path.basename(command[0]) == "ccache" else 0


def other(command):
    """The name of the compiler that a command does not call."""
    name = os.path.basename(command[called(command)])
    return "gcc" if "clang" in name else "clang"


def call(source):
    """The call of the other compiler for a file, without the file."""
    command = [word for word in house.compiler(source)
               if "color-diagnostics" not in word
               and not word.startswith("-fsanitize") and not is_empty(word)]
    return [other(command)] + command[called(command) + 1:] + FLAGS


def is_empty(word):
    """Whether a flag names a folder of objects, in which no header lies."""
    place = os.path.join(house.BUILD, word[2:])
    return (word.startswith("-I") and place.endswith(".p") and not
            [name for name in os.listdir(place) if name.endswith(".h")])


def check(source):
    """The problems that the other compiler has with a source file."""
    said = house.compile_quietly(
        call(source) + [os.path.join(house.SOURCE, source)])
    return [f"{source}: {said}"] if said else []


def behind(command, path):
    """What the driver would start to read this file, without the file."""
    done = subprocess.run(
        command + ["-###", path], cwd=house.BUILD, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    words = shlex.split(done.stderr.strip().split("\n")[-1])
    return words[:-1] if "-cc1" in words and words[-1] == path else None


def reads(command, paths):
    """Whether the part behind the driver finds nothing wrong with files."""
    direct = behind(command, paths[0])
    return direct is not None and subprocess.run(
        direct + paths, cwd=house.BUILD, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, check=False).returncode == 0


def check_some(some):
    """The problems with files that are read by the same command."""
    paths = [os.path.join(house.SOURCE, source) for source in some]
    if trusted and reads(call(some[0]), paths):
        return []
    return [problem for source in some for problem in check(source)]


def finds_planted(source):
    """Whether many files that are read at once are all looked at."""
    path = os.path.join(house.SOURCE, source)
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write(PLANTED)
        file.flush()
        return (reads(call(source), [path, path]) and
                not reads(call(source), [path, file.name, path]))


def alike(names):
    """Those of files that are read by the same command, some at a time."""
    groups = collections.defaultdict(list)
    for source in names:
        groups[tuple(call(source))].append(source)
    return [group[start:start + AT_ONCE] for group in groups.values()
            for start in range(0, len(group), AT_ONCE)]


sources = sorted({item.source for item in house.objects()})
name = other(house.objects()[0].command)
if shutil.which(name) is None:
    house.skip(f"{name} is not installed")
trusted = finds_planted(sources[0])
house.finish(house.in_parallel(check_some, alike(sources)), len(sources),
             "source files")
