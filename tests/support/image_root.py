"""Makes the root of an image for tests: the Python of this machine.

    image_root.py [--with plots|javascript] FOLDER

FOLDER, which this makes, gets the files of some packages as they are installed
here, for plots also those of matplotlib, for javascript the engines that
tests/e2e has from npm, each in /opt/NAME. What Python has compiled of its
modules comes along, as otherwise each container would compile them again.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys
from importlib.util import cache_from_source

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from engines import MODULES, PLACES, engine_path

# What Python and the shell of the image are made of, here as in the image.
PACKAGES = """{0} {0}-minimal lib{0}-minimal lib{0}-stdlib python3-minimal
    python3 libc6 libexpat1 zlib1g libssl3 libffi8 libbz2-1.0 liblzma5
    libsqlite3-0 libuuid1 bash dash libtinfo6 coreutils procps libprocps8
    libproc2-0 libselinux1 libacl1 libattr1 libpcre2-8-0 libgmp10 media-types
    libcrypt1 tzdata grep sed findutils libc-bin libsystemd0 libgcrypt20
    libgpg-error0 liblz4-1 libzstd1 libcap2 libncursesw6 libreadline8""".format(
    "python%d.%d" % sys.version_info[:2]).split()
# The same for more: matplotlib, and what engines of JavaScript are linked with.
MORE = {"plots": """python3-matplotlib python-matplotlib-data python3-contourpy
    python3-cycler python3-dateutil python3-fonttools python3-kiwisolver
    python3-numpy python3-packaging python3-pil python3-pkg-resources
    python3-pyparsing python3-six fonts-dejavu-core libblas3 libbrotli1 libbsd0
    libdeflate0 libfreetype6 libfribidi0 libgcc-s1 libgfortran5 libglib2.0-0
    libgomp1 libgraphite2-3 libharfbuzz0b libimagequant0 libjbig0
    libjpeg62-turbo liblapack3 liblcms2-2 liblerc4 libmd0 libopenjp2-7
    libpng16-16 libqhull-r8.0 libquadmath0 libraqm0 libstdc++6 libtiff6 libwebp7
    libwebpdemux2 libwebpmux3 libxau6 libxcb1 libxdmcp6""".split(),
        "javascript": ["libgcc-s1", "libstdc++6"], None: []}
PLOT_FILES = ("/etc/matplotlibrc", "/etc/alternatives/libblas.so.3-*",
              "/etc/alternatives/liblapack.so.3-*", "/usr/lib/*/libblas.so.3",
              "/usr/lib/*/liblapack.so.3")
ROOT = "/bin", "/sbin", "/lib", "/lib64", "/usr/bin/sh"
UNUSED = ("/usr/share/doc", "/usr/share/man", "/usr/share/locale", "/.",
          "/etc/", "/var/", "/usr/share/zoneinfo/right")
CONVERSIONS = "/gconv/"  # between sets of characters, which Python does itself
FOLDERS = "dev", "etc", "proc", "run", "sys"
NAMES = {"passwd": "root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n",
         "group": "root:x:0:\nnogroup:x:65534:\n"}
WRITABLE = "data", "tmp", "workspace"


def installed_files(more):
    """The files of the packages that are installed here."""
    listed = subprocess.run(
        ["dpkg-query", "--listfiles"] + PACKAGES + MORE[more], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    found = set(ROOT)
    for pattern in PLOT_FILES if more == "plots" else ():
        found.update(glob.glob(pattern))
    for line in listed.splitlines():
        folder, name = os.path.split(line)
        if os.path.lexists(line) and not line.startswith(UNUSED) and \
                CONVERSIONS not in line:
            found.add(os.path.join(os.path.realpath(folder), name))
    return sorted(found)


def compiled(paths):
    """What there is of the compiled forms of modules."""
    forms = [cache_from_source(path) for path in paths
             if path.endswith(".py") and os.path.isfile(path)]
    return [path for path in forms if os.path.isfile(path)]


def copy(paths, root):
    """Copy files and folders, with their modes and times."""
    read = subprocess.Popen(
        ["tar", "--create", "--absolute-names", "--no-recursion",
         "--ignore-failed-read", "--files-from=-"], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL)
    write = subprocess.Popen(
        ["tar", "--extract", "--directory", root], stdin=read.stdout,
        stderr=subprocess.DEVNULL)
    read.stdin.write("\n".join(paths))
    read.stdin.close()
    read.stdout.close()
    if write.wait() != 0 or read.wait() != 0:
        sys.exit("the image cannot be made")


def add_engines(root):
    """Copy the engines, and the packages that code can import."""
    for name in filter(engine_path, PLACES):
        os.makedirs(os.path.join(root, "opt", name))
        shutil.copy(engine_path(name), os.path.join(root, "opt", name, name))
    shutil.copytree(MODULES, os.path.join(root, "node_modules"), symlinks=True,
                    ignore=shutil.ignore_patterns("@oven", "@deno", "node-*"))


def make_root(root, more=None):
    """Make the folder."""
    for name in FOLDERS + WRITABLE:
        os.makedirs(os.path.join(root, name))
    for name in WRITABLE:
        os.chmod(os.path.join(root, name), 0o1777)
    for name, text in NAMES.items():
        with open(root + "/etc/" + name, "w", encoding="ascii") as file:
            file.write(text)
    paths = installed_files(more)
    copy(paths + compiled(paths), root)
    if more == "javascript":
        add_engines(root)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--with", dest="more", choices=list(filter(None, MORE)))
    parser.add_argument("folder")
    options = parser.parse_args()
    make_root(options.folder, options.more)


if __name__ == "__main__":
    main()
