#!/usr/bin/python3
"""The scanner of JSON as it is on processors with NEON, in an emulator.

Usage: json_span_neon.py SOURCE [COUNT]

Builds random_json_span.c for AArch64 and runs it. Skipped where the packages
gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user are not installed.
"""
import os
import shutil
import subprocess
import sys
import tempfile

COMPILER = "aarch64-linux-gnu-gcc"
EMULATORS = ("qemu-aarch64", "qemu-aarch64-static")
SKIPPED = 77  # the exit status by which meson knows a skipped test
COUNT = "20000"
FILES = ("tests/fuzz/random_json_span.c", "tests/fuzz/json_span_plain.c",
         "common/json/json_span.c", "common/base/buffer.c", "common/base/err.c",
         "common/base/fd.c", "common/base/log.c", "common/base/mem.c",
         "common/base/shown.c", "common/base/utf8.c")


def skip(why):
    """Ends the test without a verdict."""
    print("skipped:", why)
    sys.exit(SKIPPED)


def build(source, program):
    """Makes the program; returns the compiler's complaint, or None."""
    done = subprocess.run(
        [COMPILER, "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra",
         "-Werror", "-static", "-iquote", source, "-o", program,
         *(os.path.join(source, name) for name in FILES)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.decode() if done.returncode else None


def uses_blocks():
    """Whether the compiler takes the branch with blocks of bytes."""
    names = subprocess.run([COMPILER, "-dM", "-E", "-xc", os.devnull],
                           stdout=subprocess.PIPE, check=True).stdout
    return b"__ARM_NEON" in names


def main():
    """Runs the comparison for the other processor."""
    emulator = next(filter(None, map(shutil.which, EMULATORS)), None)
    if shutil.which(COMPILER) is None:
        skip(f"{COMPILER} is not installed")
    if emulator is None:
        skip(f"none of {', '.join(EMULATORS)} is installed")
    if not uses_blocks():
        sys.exit(f"{COMPILER} does not use NEON")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "random_json_span")
        complaint = build(sys.argv[1], program)
        if complaint is not None:
            if "cannot find" in complaint or "No such file" in complaint:
                skip(f"{COMPILER} has no C library: {complaint}")
            sys.exit(complaint)
        sys.exit(subprocess.run([emulator, program, *(sys.argv[2:] or
                                                      [COUNT])],
                                check=False).returncode)


if __name__ == "__main__":
    main()
