#!/usr/bin/python3
"""Runs the end-to-end files whose boxes are containers, one after another.

    run_contained.py BUILD podman|docker [--from NAME] [NAME...]

NAME is a file of this folder without .test.mjs; without any, all of FILES run,
or those from NAME on with --from. Each has an engine of its own, of
which nothing may be left: own_engine.py, which also says what that needs.

Prints for each file how many tests held, failed and were left out, with the
reasons, and the sums at the end. What the files print is kept in
BUILD/meson-logs/RUNTIME-NAME.tap. Exit status: 0; 1 if a test failed, a file
left anything, or some of the files could not run; 77 if none can run here.
"""
import argparse
import collections
import glob
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ENGINE = os.path.join(os.path.dirname(HERE), "support", "own_engine.py")
END = ".test.mjs"
SKIPPED = 77
SECONDS = 1800  # of a file, on a slow machine

# A single test of which only native boxes keep the promise is marked with
# nativeOnly and the reason (support/program.mjs).
FILES = """activation arguments bombs bridge call-input calls compat config
    conversations eras exec figures files files-told foreign-home housekeeping
    http http-crowd http-ends http-files javascript javascript-workers json
    libraries lifecycle limits links login manual memory output owners pictures
    pool progress protocol python questions races readme remote remote-faults
    resources sdk search servers servers-change servers-changed servers-hostile
    servers-lifecycle servers-policy servers-values settings shell soak terminal
    tokens tokens-changed wasm""".split()
# The others would show nothing more, or cannot run there.
NO_CODE = "no code runs"
OWN_ENGINE = "it has engines of its own"
OF_NATIVE = "it is about native boxes"
NO_SESSIONS = "containers have no sessions, which containers-all.test.mjs shows"
LEFT_OUT = {
    "adopt": NO_CODE,
    "adopt-odd": NO_CODE,
    "adopt-sizes": NO_CODE,
    "completion": NO_CODE,
    "config-unreadable": "files are read, calls must follow within a second",
    "containers": OWN_ENGINE,
    "containers-all": OWN_ENGINE,
    "descriptors": "it is about the processes of ours, whose boxes are native",
    "image": OWN_ENGINE,
    "keepers": "it is about keepers of servers, which no box changes",
    "killed": "it is about what the host keeps, which no box changes",
    "levels": OF_NATIVE,
    "libraries-listed": "it asks an interpreter of the host; "
                        "containers-all.test.mjs asks that of an image",
    "operators": "it is about proxies and copies of files",
    "service": "its boxes are native, as its manager has no engine",
    "selftest": OF_NATIVE + "; containers-all.test.mjs has that of containers",
    "sessions": NO_SESSIONS,
    "sessions-command": NO_SESSIONS,
    "sessions-limits": NO_SESSIONS,
    "template": OF_NATIVE,
    "types": "it is about text made of schemas, which no box changes",
    "wrong-invocations": NO_CODE,
}
# What more their image has than Python.
WITH = {"libraries": "plots", "pictures": "plots", "javascript": "javascript",
        "javascript-workers": "javascript", "wasm": "javascript"}

COUNT = re.compile(r"# (pass|fail|cancelled|skipped) (\d+)$")
LINE = re.compile(r"\s*(not )?ok \d+ - (.*)$")
SKIP = re.compile(r"(.*?) # SKIP ?(.*)$")


class Result:
    """What came of a file: counts, and names with reasons."""

    def __init__(self):
        self.held = self.failed = 0
        self.left_out, self.faults = [], []

    def read(self, text):
        """What node's test runner prints, as TAP, and own_engine.py."""
        for line in text.splitlines():
            count, test = COUNT.match(line), LINE.match(line)
            if count:
                self.count(count.group(1), int(count.group(2)))
            elif test and not test.group(1):
                skip = SKIP.match(test.group(2))
                if skip:
                    self.left_out.append(skip.groups())
            elif test or line.startswith("FAILS"):
                self.faults.append(test.group(2) if test else line)

    def count(self, kind, number):
        if kind == "pass":
            self.held += number
        elif kind != "skipped":
            self.failed += number

    def end(self, status):
        """What the status of the command adds."""
        if status == SKIPPED or (status == 0 and self.failed == 0 and
                                 self.held + len(self.left_out) > 0):
            return
        self.failed = max(self.failed, 1)
        if not self.faults:
            self.faults.append("no test ran" if status == 0 else
                               "it ended with status %s" % status)


def command(build, runtime, name):
    return [sys.executable, "-B", ENGINE, "--build", build] + \
        (["--with", WITH[name]] if name in WITH else []) + \
        [runtime, os.path.join(HERE, "run"), os.path.join(HERE, name + END)]


def environment(build):
    return {**os.environ, "CAISSON": os.path.join(build, "caisson"),
            "NODE_OPTIONS": "--test-reporter=tap"}


def run(build, runtime, name):
    """Run one file: its status, and what it printed."""
    path = os.path.join(build, "meson-logs", "%s-%s.tap" % (runtime, name))
    with open(path, "w", encoding="utf-8") as log:
        child = subprocess.Popen(
            command(build, runtime, name), env=environment(build),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            status = child.wait(SECONDS)
        except subprocess.TimeoutExpired:
            child.terminate()
            child.wait()
            status = "(stopped after %d s)" % SECONDS
    with open(path, encoding="utf-8", errors="replace") as log:
        return status, log.read()


def reason_of(text):
    """Why a file cannot run here: it says so."""
    return next(line for line in text.splitlines() if line.startswith("SKIP"))


def report(name, result, seconds):
    print("%s: %d held, %d left out, %d failed (%d s)" % (
        name, result.held, len(result.left_out), result.failed, seconds))
    reasons = collections.defaultdict(list)
    for test, reason in result.left_out:
        reasons[reason or "it does not say why"].append(test)
    for reason, tests in reasons.items():
        print("  left out, %s: %s" % (reason, "; ".join(tests)))
    for fault in result.faults:
        print("  FAILED %s" % fault)
    sys.stdout.flush()


def unlisted():
    """Files that stand in no list, or in both."""
    there = {os.path.basename(path)[:-len(END)]
             for path in glob.glob(os.path.join(HERE, "*" + END))}
    return sorted(there ^ (set(FILES) ^ set(LEFT_OUT)))


def chosen(options):
    names = options.names or FILES[FILES.index(options.first):]
    strange = [name for name in names if name not in FILES]
    if strange:
        sys.exit("%s is not run: %s" % (strange[0], LEFT_OUT.get(
            strange[0], "there is no such file of tests")))
    return names


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=os.path.realpath)
    parser.add_argument("runtime", choices=("podman", "docker"))
    parser.add_argument("--from", dest="first", choices=FILES,
                        default=FILES[0], metavar="NAME")
    parser.add_argument("names", nargs="*", metavar="NAME")
    return parser.parse_args()


def main():
    options = parse()
    if unlisted():
        sys.exit("run_contained.py lists these files never or twice: " +
                 ", ".join(unlisted()))
    names, results, absent = chosen(options), [], 0
    for name in names:
        began = time.monotonic()
        result = Result()
        status, text = run(options.build, options.runtime, name)
        if status == SKIPPED:
            print("%s: not run: %s" % (name, reason_of(text)), flush=True)
            absent += 1
            continue
        result.read(text)
        result.end(status)
        report(name, result, time.monotonic() - began)
        results.append(result)
    for name, reason in LEFT_OUT.items() if not options.names else ():
        print("%s: not run: %s" % (name, reason))
    failed = sum(result.failed for result in results)
    print("%s: %d files, %d tests held, %d left out, %d failed" % (
        options.runtime, len(results),
        sum(result.held for result in results),
        sum(len(result.left_out) for result in results), failed))
    if absent == len(names):
        return SKIPPED
    return 1 if failed or absent else 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
