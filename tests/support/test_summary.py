"""
Turns meson's log of a test run into names of what failed or was skipped, with
the reason, and one closing line: "N passed, N failed, N skipped".

usage: test_summary.py build/meson-logs/testlog.json
"""
import json
import sys

PASSED = ("OK", "EXPECTEDFAIL")
SKIPPED = ("SKIP",)


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


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: test_summary.py TESTLOG")
    passed = failed = skipped = 0
    for test in read_log(sys.argv[1]):
        if test["result"] in PASSED:
            passed += 1
            for part in parts(test):
                print(f"in part: {test['name']}: {part}")
        elif test["result"] in SKIPPED:
            skipped += 1
            print(f"skipped: {test['name']}: {reason(test)}")
        else:
            failed += 1
            print(f"failed: {test['name']} ({test['result'].lower()})")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


sys.exit(main())
