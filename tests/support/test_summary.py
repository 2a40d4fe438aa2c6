"""
Turns meson's log of a test run into names of what was skipped, with the reason,
and of what failed, with the end of what it said, and one closing line:
"N passed, N failed, N skipped". Failures stand last, as a log may be cut at its
front.

usage: test_summary.py build/meson-logs/testlog.json
"""
import json
import sys

PASSED = ("OK", "EXPECTEDFAIL")
SKIPPED = ("SKIP",)

# How many lines of a failed test are shown again, and how many characters of
# each.
LAST_LINES = 60
LINE = 200


def read_log(path):
    """One test in each line of the log."""
    with open(path, encoding="utf-8", errors="replace") as log:
        return [json.loads(line) for line in log if line.strip()]


def reason(test):
    """Why a test was skipped: it says so, in its last line that does."""
    lines = (test.get("stdout") or "").splitlines()
    said = [line.strip() for line in lines if "SKIP" in line]
    return said[-1] if said else "it does not say why"


def parts(test):
    """What was skipped inside of a test that passed as a whole."""
    lines = (test.get("stdout") or "").splitlines()
    return [line.strip() for line in lines if line.startswith("SKIP")]


def told(test):
    """
    What a failed test wrote of its failures, as TAP or not; where that cannot
    be told, its last lines. Errors stand at the end.
    """
    lines = []
    for stream in ("stdout", "stderr"):
        written = (test.get(stream) or "").splitlines()
        lines += (failures(written) or written)[-LAST_LINES:]
    return ["  " + line[:LINE] for line in lines if line.strip()]


def failures(lines):
    """The lines of TAP that tell of what is not ok, to the end of each."""
    found, inside = [], False
    for line in lines:
        if line.lstrip().startswith("not ok"):
            inside = True
        if inside:
            found.append(line)
        if line.strip() == "...":
            inside = False
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: test_summary.py TESTLOG")
    passed = skipped = 0
    failed = []
    for test in read_log(sys.argv[1]):
        if test["result"] in PASSED:
            passed += 1
            for part in parts(test):
                print(f"in part: {test['name']}: {part}")
        elif test["result"] in SKIPPED:
            skipped += 1
            print(f"skipped: {test['name']}: {reason(test)}")
        else:
            failed.append(test)
    for test in failed:
        print(f"failed: {test['name']} ({test['result'].lower()})")
        print("\n".join(told(test)))
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


sys.exit(main())
