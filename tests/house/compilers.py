"""
House rule: every file compiles without a warning under gcc and under clang.
Each is read by the one that it was not built with, with the same flags and
-Werror. Where that one is not installed this is skipped.
"""
import os
import shutil

import house

# What the other compiler does not know is not what this is about.
FLAGS = ["-Werror", "-fsyntax-only", "-Wno-unknown-warning-option",
         "-Wno-unused-command-line-argument"]


def called(command):
    """Where a command names its compiler: first, or behind ccache."""
    return 1 if os.path.basename(command[0]) == "ccache" else 0


def other(command):
    """The name of the compiler that a command does not call."""
    name = os.path.basename(command[called(command)])
    return "gcc" if "clang" in name else "clang"


def check(source):
    """The problems that the other compiler has with a source file."""
    command = [word for word in house.compiler(source)
               if "color-diagnostics" not in word
               and not word.startswith("-fsanitize")]
    said = house.compile_quietly(
        [other(command)] + command[called(command) + 1:] + FLAGS +
        [os.path.join(house.SOURCE, source)])
    return [f"{source}: {said}"] if said else []


sources = sorted({item.source for item in house.objects()})
name = other(house.objects()[0].command)
if shutil.which(name) is None:
    house.skip(f"{name} is not installed")
house.finish(house.in_parallel(check, sources), len(sources), "source files")
