#!/usr/bin/python3
"""Runs modules of CPython's own tests in a box and beside it, and compares the
outcome of each single test.

    suite.py FOLDER [--all] [NAME]...

FOLDER keeps the tests, which come from Debian's package of them; it becomes a
virtual environment, because a box shows that.  Names are modules or tests; none
are those of USUAL, or with --all every module.  What a box forbids stands in
the file "forbidden".

Exit status: 0 as expected, 1 not, 77 cannot run here (and a line says why).
"""
import concurrent.futures
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import time

import beside

HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = re.search(r"\d+\.\d+", subprocess.run(
    [beside.PYTHON, "--version"], capture_output=True, text=True,
    check=True).stdout).group()
LIBRARY = "usr/lib/python" + VERSION
USUAL = """
test_builtin test_coroutines test_exceptions test_generators test_glob
test_mmap test_os test_print test_scope test_syntax test_tempfile test_thread
test_trace test_traceback test_warnings test_with test_asyncio.test_runners
""".split()
# Needs a display, hours, gigabytes, or the machine for itself; hangs beside a
# box, too (test_csv, test_threading); or waits for ever where it has no network
# (those behind them).
NEVER = """
test_csv test_threading
test_httpservers test_multiprocessing_fork test_multiprocessing_forkserver
test_multiprocessing_spawn test_xmlrpc
test_bigmem test_bz2 test_gdb test_idle test_regrtest test_tcl test_tix test_tk
test_tools test_ttk_guionly test_ttk_textonly test_turtle test_ctypes
""".split()
NONE = "does not run", ""
CODE = """
import os, sys
sys.path.insert(0, %r)
import unittest
from test import support
support.use_resources = ()
out = os.dup(1)

class Result(unittest.TestResult):
    def tell(self, test, outcome, error=None):
        said = "" if error is None else ascii(str(error[1]))[:300]
        os.write(out, ("\\n\\1%%s\\t%%s\\t%%s\\n" %% (
            outcome, ascii(test.id())[1:-1], said)).encode())
    def addSuccess(self, test):
        self.tell(test, "passes")
    def addSkip(self, test, reason):
        self.tell(test, "skipped", (None, reason))
    def addExpectedFailure(self, test, error):
        self.tell(test, "passes")
    def addUnexpectedSuccess(self, test):
        self.tell(test, "fails")
    def addError(self, test, error):
        self.tell(test, "fails", error)
    addFailure = addError
    def addSubTest(self, test, part, error):
        if error:
            self.tell(test, "fails", error)

unittest.defaultTestLoader.loadTestsFromNames(%r).run(Result())
os._exit(0)
"""


def get(folder):
    """Make the folder, once; or say why not, and end."""
    tests = os.path.join(folder, "suite", "test")
    if os.path.exists(tests):
        return
    work = folder + ".new"
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(os.path.join(work, "bin"))
    os.symlink(beside.PYTHON, os.path.join(work, "bin", "python3"))
    with open(os.path.join(work, "pyvenv.cfg"), "w") as file:
        file.write("home = %s\ninclude-system-site-packages = true\n"
                   % os.path.dirname(beside.PYTHON))
    new = os.path.join(work, "suite", "test")
    shutil.copytree("/%s/test" % LIBRARY, new)
    package = "libpython%s-testsuite" % VERSION
    if not os.path.exists(os.path.join(new, "test_grammar.py")):
        try:
            subprocess.run(["apt-get", "download", "-q", package], cwd=work,
                           check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            subprocess.run("dpkg-deb -x *.deb deb", shell=True, cwd=work,
                           check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print("SKIP: CPython's tests are not here, and the package %s "
                  "could not be fetched (is this machine offline?): %s"
                  % (package, error))
            sys.exit(77)
        shutil.copytree(os.path.join(work, "deb", LIBRARY, "test"), new,
                        dirs_exist_ok=True)
    os.rename(work, folder)


def forbidden():
    """Return patterns of tests, and the promise that each follows."""
    patterns, promise = {}, None
    with open(os.path.join(HERE, "forbidden"), encoding="utf-8") as file:
        for line in filter(str.strip, file):
            if line.startswith("#"):
                promise = line[1:].strip()
            else:
                patterns[line.strip()] = promise
    return patterns


def outcomes(printed):
    """Return the outcome of each test, and what it said, in the lines that
    CODE has printed.
    """
    found = {}
    for outcome, test, said in re.findall("\1(.*)\t(.*)\t(.*)", printed[0]):
        if test not in found or outcome == "fails":
            found[test] = outcome, said
    return found, printed[2], printed[1][-1000:]


class Beside:
    """Both ways to run tests."""

    def __init__(self, folder):
        self.folder = folder
        self.box = beside.Box(CAISSON_PYTHON=folder, CAISSON_MEMORY="1g")
        self.pool = concurrent.futures.ThreadPoolExecutor(1)

    def run(self, *names):
        """Return the outcomes in the box, and beside it."""
        code = CODE % (os.path.join(self.folder, "suite"), names)
        python = os.path.join(self.folder, "bin", "python3")
        # Many tests are skipped where there may be no variables: -I.
        plain = self.pool.submit(
            beside.plain, code, python, "-I", "-X", "utf8")
        return outcomes(self.box.run(code)), outcomes(plain.result())

    def differing(self, *names):
        """Return the tests whose outcomes differ, and what is told of them;
        and how many passed beside the box.
        """
        (inside, ended, told), (outside, plainly, _) = self.run(*names)
        late = "timeout" in (ended, plainly)
        differ = {test: (inside.get(test, NONE), outside.get(test, NONE))
                  for test in {*inside, *outside}
                  if inside.get(test, NONE)[0] != outside.get(test, NONE)[0]
                  and not (late and NONE in (inside.get(test, NONE),
                                             outside.get(test, NONE)))}
        if ended != plainly and plainly != "timeout":
            differ[names[0]] = (ended, told), (plainly, "")
        return differ, sum(
            outcome == "passes" for outcome, _ in outside.values())


def main():
    """Compare; 1 if a test differs that should not."""
    folder = os.path.abspath(sys.argv[1])
    get(folder)
    names = sys.argv[2:] or USUAL
    if names == ["--all"]:
        names = sorted({
            name.removesuffix(".py") for name in os.listdir(
                os.path.join(folder, "suite", "test"))
            if name.startswith("test_")}.difference(NEVER))
    patterns, sides = forbidden(), Beside(folder)
    tests = wrong = allowed = 0
    for name in names:
        began = time.monotonic()
        differ, count = sides.differing("test." + name)
        tests += count
        print("%s: %d tests, %.1f s" % (
            name, count, time.monotonic() - began), flush=True)
        if sys.argv[2:] != ["--all"] and not count:
            wrong += 1
            print("%s: no test of it passes beside a box" % name, flush=True)
        free = {test for test in differ if not any(
            fnmatch.fnmatch(test, each) for each in patterns)}
        allowed += len(differ) - len(free)
        for test in sorted(differ.keys() - free):
            print("%s: %s in a box, %s beside it, as promised" % (
                test, differ[test][0][0], differ[test][1][0]), flush=True)
        if free:  # what differs by chance does not do so again
            again, _ = sides.differing("test." + name)
            free &= again.keys()
        for test in free:
            said = differ[test]
            wrong += 1
            print("%s: %s in a box, %s beside it: %s" % (
                test, said[0][0], said[1][0], said[0][1] or said[1][1]),
                flush=True)
    sides.box.close()
    print("%d tests of %d modules: %d differ as the sandbox promises, %d "
          "otherwise" % (tests, len(names), allowed, wrong))
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
