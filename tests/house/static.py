"""
House rule: with --prefer-static every program is linked with the C library, and
the template, which an interpreter loads, is not. A folder is configured so and
its commands are read; nothing is built.
"""
import os
import re
import shutil
import subprocess
import tempfile

import house

SHARED = ".so"
STATIC = "-static-pie"


def configure(folder):
    done = subprocess.run(
        ["meson", "setup", "--prefer-static", "-Dtests=false", folder,
         house.SOURCE],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False)
    if done.returncode or "WARNING: not every library" in done.stdout:
        house.skip("no program can be linked statically here")


def links(folder):
    """Each program and its arguments of the linker, of those installed."""
    with open(os.path.join(folder, "build.ninja"), encoding="utf-8") as file:
        text = file.read()
    for name, rest in re.findall(
            r"^build (caisson\S*): c_LINKER (.*?)\n\n", text, re.M | re.S):
        yield name, re.search(r"LINK_ARGS = (.*)", rest).group(1).split()


def check(found):
    for name, arguments in found.items():
        if name.endswith(SHARED) and STATIC in arguments:
            yield f"{name} is linked as a program"
        elif not name.endswith(SHARED) and STATIC not in arguments:
            yield f"{name} needs shared libraries"
    if not any(name.endswith(SHARED) for name in found):
        yield "there is no template"


if shutil.which("meson") is None:
    house.skip("meson is not installed")
with tempfile.TemporaryDirectory() as place:
    configure(place)
    linked = dict(links(place))
house.finish(list(check(linked)), len(linked), "programs")
