"""Lists the libraries that code finds in a box: for 'caisson libraries'.

Ordinary user code in an ordinary box.  Looks for libraries where an import
would look, and imports none of them.  The supervisor fills in the four values
below.
"""
import json
import os
import platform
import shlex
import sys
from importlib import metadata
from importlib.machinery import PathFinder

SET = "@SET@"  # the requested set; empty: all
FORM = "@FORM@"  # "json": print one object
PRELOAD = "@PRELOAD@"  # the setting
BUILD = "@BUILD@"  # the command that builds an image; empty: in a native box

# The module, the project of pip, the package of Debian.
MINIMAL = """yaml PyYAML python3-yaml
dateutil python-dateutil python3-dateutil
pytz pytz python3-tz"""
OFFICE = """openpyxl openpyxl python3-openpyxl
xlsxwriter XlsxWriter python3-xlsxwriter
lxml lxml python3-lxml
bs4 beautifulsoup4 python3-bs4
docx python-docx python3-docx
pypdf pypdf python3-pypdf
reportlab reportlab python3-reportlab
odf odfpy python3-odf
jinja2 Jinja2 python3-jinja2
tabulate tabulate python3-tabulate
markdown Markdown python3-markdown
PIL pillow python3-pil"""
SCIENCE = """numpy numpy python3-numpy
pandas pandas python3-pandas
matplotlib matplotlib python3-matplotlib
scipy scipy python3-scipy
sklearn scikit-learn python3-sklearn
sympy sympy python3-sympy
statsmodels statsmodels python3-statsmodels
seaborn seaborn python3-seaborn
networkx networkx python3-networkx
PIL pillow python3-pil"""
# The modules that are slow to import, so a template should preload them.
SETS = [("minimal", MINIMAL, ""),
        ("office", OFFICE, "openpyxl lxml.etree bs4 PIL.Image"),
        ("science", SCIENCE, "numpy pandas matplotlib.pyplot")]

# Debian's packages of these depend on a C++ compiler, through python3-pythran.
COMPILED = {"scipy", "sklearn", "statsmodels", "seaborn"}
COMPILER = ("these bring a C++ compiler to this machine, which code in a box "
            "can run then")
# fonttools, which matplotlib needs, is content with this instead of scipy.
INSTEAD = "matplotlib", None, "python3-munkres"
APT = "sudo apt-get install --no-install-recommends "
PLACE = "@HOME@/.local/share/caisson/python"


def is_there(module):
    """Return whether it is installed; a folder without code is not.

    What the box offers in its place does not count.
    """
    spec = PathFinder.find_spec(module)
    return spec is not None and spec.origin is not None


def version(project):
    """Return the installed version, or None."""
    try:
        return metadata.version(project)
    except Exception:  # installed, but without metadata
        return None


def is_debian():
    """Return whether apt installs what this interpreter imports."""
    return sys.prefix == "/usr" and any(
        path.endswith("/dist-packages") for path in sys.path)


def is_managed():
    """Return whether pip refuses to install for it (PEP 668)."""
    return sys.prefix == "/usr" or os.path.exists(os.path.join(
        os.path.dirname(os.__file__), "EXTERNALLY-MANAGED"))


def is_of_uv():
    """Return whether uv made this environment, which has no pip then."""
    try:
        with open(os.path.join(sys.prefix, "pyvenv.cfg")) as file:
            return any(line.startswith("uv =") for line in file)
    except (OSError, ValueError):
        return False


def packages(rows):
    """Return the commands of Debian, those that bring a compiler last."""
    later = [] if is_there("scipy") else [
        row for row in rows if row[0] in COMPILED]
    first = [row for row in rows if row not in later]
    if not is_there("scipy") and any(row[0] == INSTEAD[0] for row in first):
        first.append(INSTEAD)
    return [(APT + " ".join(package for _, _, package in part), remark)
            for part, remark in ((first, None), (later, COMPILER)) if part]


def images(rows):
    """Return the command that makes an image with these libraries."""
    if is_debian():
        return [(BUILD + "".join(" --package " + package
                                 for _, _, package in rows),
                 "and --package for each other one that the image has")]
    return [("python3 -m pip install " + " ".join(
        project for _, project, _ in rows), "where the image is built")]


def commands(rows):
    """Return commands that install these libraries, with remarks."""
    if BUILD:
        return images(rows)
    if is_debian():
        return packages(rows)
    python = shlex.quote(sys.executable)
    wanted = " ".join(project for _, project, _ in rows)
    if sys.prefix == sys.base_prefix and is_managed():
        return [("%s -m venv --system-site-packages %s && "
                 "%s/bin/python -m pip install %s" % (
                     python, PLACE, PLACE, wanted),
                 "then set CAISSON_PYTHON to " + PLACE)]
    if is_there("pip"):
        return [("%s -m pip install %s" % (python, wanted), None)]
    if is_of_uv():
        return [("uv pip install --python %s %s" % (python, wanted), None)]
    return [("%s -m ensurepip && %s -m pip install %s" % (
        python, python, wanted), None)]


def look(name, table):
    """Return the description of a set."""
    rows = [line.split() for line in table.splitlines()]
    there = [(module, version(project)) for module, project, _ in rows
             if is_there(module)]
    missing = [row for row in rows if not is_there(row[0])]
    return {
        "name": name,
        "libraries": len(rows),
        "present": [{"module": module, "version": number}
                    for module, number in there],
        "missing": [module for module, _, _ in missing],
        "install": [{"command": command, "remark": remark}
                    for command, remark in commands(missing)]
        if missing else [],
    }


def preload(slow):
    """Return the setting with the installed slow modules."""
    names = [name.strip() for name in PRELOAD.split(",") if name.strip()]
    for name in [] if BUILD else slow:
        if name not in names and is_there(name.partition(".")[0]):
            names.append(name)
    return ",".join(names)


def show(found):
    """Print the sets for people."""
    print("%s is Python %s.\n" % (found["python"], found["version"]))
    for one in found["sets"]:
        print("%-8s %d of %d%s%s" % (
            one["name"], len(one["present"]), one["libraries"],
            ", missing: " if one["missing"] else "",
            ", ".join(one["missing"])))
        if one["present"]:
            print(" " * 8, ", ".join(
                " ".join(filter(None, (row["module"], row["version"])))
                for row in one["present"]))
        for row in one["install"]:
            print(" " * 8, "To install: " + row["command"])
            if row["remark"]:
                print(" " * 8, "(%s)" % row["remark"])
        print()
    if found["preload"] != PRELOAD:
        print("To have those that are slow to import ready for each call:\n"
              "         CAISSON_PRELOAD=" + found["preload"])


asked = [row for row in SETS if SET in ("", row[0])]
answer = {
    "python": sys.executable,
    "version": platform.python_version(),
    "sets": [look(name, table) for name, table, _ in asked],
    "preload": preload([name for *_, slow in asked for name in slow.split()]),
}
if FORM == "json":
    print(json.dumps(answer))
else:
    show(answer)
