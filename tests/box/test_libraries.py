"""supervisor/command/libraries/libraries.py: what installs libraries, for
interpreters that this machine does not have.

    /usr/bin/python3 tests/box/test_libraries.py [-v] [-k PATTERN]
"""
import contextlib
import io
import json
import os
import sys
import types
import unittest
from importlib.machinery import PathFinder
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(
    HERE, "..", "..", "supervisor", "command", "libraries", "libraries.py")


def told(name, *there, build="", **system):
    """Return what it says of a set where there are these modules."""
    with open(SCRIPT) as file:
        source = file.read()
    for place, value in ("SET", name), ("FORM", "json"), ("BUILD", build), (
            "HOME", "/home/u"):
        source = source.replace("@%s@" % place, value)
    path = [folder for folder in sys.path
            if not folder.endswith("-packages")] + system.pop("path", [])
    out = io.StringIO()
    plain = PathFinder.find_spec

    def find(module, *more):
        if sys._getframe(1).f_globals["__name__"] != "libraries":
            return plain(module, *more)
        return types.SimpleNamespace(
            origin="file") if module in there else None

    with mock.patch.object(PathFinder, "find_spec", find), \
            mock.patch.multiple(sys, path=path, **system), \
            contextlib.redirect_stdout(out):
        exec(compile(source, SCRIPT, "exec"), {"__name__": "libraries"})
    return json.loads(out.getvalue())


def commands(*arguments, **system):
    """Return the commands of the one set, and their remarks."""
    return [(row["command"], row["remark"])
            for row in told(*arguments, **system)["sets"][0]["install"]]


class Libraries(unittest.TestCase):
    """What is missing, and how one gets it."""

    DEBIAN = {"prefix": "/usr", "base_prefix": "/usr",
              "path": ["/usr/lib/python3/dist-packages"]}
    APT = "sudo apt-get install --no-install-recommends "

    def test_nothing_is_missing(self):
        self.assertEqual(
            commands("minimal", "yaml", "dateutil", "pytz", **self.DEBIAN), [])

    def test_debian_without_a_compiler_first(self):
        (first, none), (second, remark) = commands("science", **self.DEBIAN)
        self.assertEqual(
            first, self.APT + "python3-numpy python3-pandas python3-matplotlib"
            " python3-sympy python3-networkx python3-pil python3-munkres")
        self.assertIsNone(none)
        self.assertEqual(
            second, self.APT + "python3-scipy python3-sklearn "
            "python3-statsmodels python3-seaborn")
        self.assertIn("C++ compiler", remark)

    def test_debian_that_has_the_compiler_already(self):
        self.assertEqual(
            commands("science", "scipy", "numpy", "pandas", "sympy", "PIL",
                     **self.DEBIAN),
            [(self.APT + "python3-matplotlib python3-sklearn "
              "python3-statsmodels python3-seaborn python3-networkx", None)])

    def test_a_system_that_pip_may_not_touch(self):
        (command, remark), = commands(
            "minimal", "yaml", prefix="/usr", base_prefix="/usr",
            executable="/usr/bin/python3")
        self.assertEqual(
            command, "/usr/bin/python3 -m venv --system-site-packages "
            "/home/u/.local/share/caisson/python && /home/u/.local/share/"
            "caisson/python/bin/python -m pip install python-dateutil pytz")
        self.assertIn("CAISSON_PYTHON", remark)

    def test_an_installation_of_ones_own(self):
        with mock.patch("os.path.exists", return_value=False):
            (command, _), = commands(
                "minimal", "yaml", "pip", prefix="/opt/py 3",
                base_prefix="/opt/py 3", executable="/opt/py 3/bin/python3")
        self.assertEqual(
            command, "'/opt/py 3/bin/python3' -m pip install "
            "python-dateutil pytz")

    def test_an_image_is_built_again(self):
        build = "caisson image build python"
        (command, remark), = commands(
            "minimal", "yaml", build=build, **self.DEBIAN)
        self.assertEqual(command, build + " --package python3-dateutil "
                         "--package python3-tz")
        self.assertIn("each other one that the image has", remark)

    def test_what_is_slow_is_preloaded(self):
        self.assertEqual(
            told("science", "numpy", "pandas", "scipy")["preload"],
            "@PRELOAD@,numpy,pandas")
        self.assertEqual(
            told("office", "lxml", "PIL")["preload"],
            "@PRELOAD@,lxml.etree,PIL.Image")


if __name__ == "__main__":
    unittest.main()
