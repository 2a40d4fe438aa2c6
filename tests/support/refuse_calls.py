"""
Runs a program behind a system call filter that refuses some calls, as the
default one of a container engine does.

    refuse_calls.py CALL,... PROGRAM [ARGUMENT...]

The calls fail with EPERM, for the program and for all that it starts;
everything else is that of the caller. Also a module of the escape tests.
"""
import ctypes
import os
import struct
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
SECCOMP_MODE_FILTER, SECCOMP_ERRNO, SECCOMP_ALLOW = 2, 0x50000, 0x7fff0000
EPERM = 1

# Linux, arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h.
NUMBERS = {
    "unshare": (272, 97), "mount": (165, 40), "pivot_root": (155, 41),
    "mount_setattr": (442, 442), "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445), "landlock_restrict_self": (446, 446),
    "sethostname": (170, 161), "setdomainname": (171, 162),
    "clone": (56, 220), "clone3": (435, 435),
    "fork": (57, None), "vfork": (58, None),  # None: there is none
}
COLUMN = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def refuse(error, *names):
    """From here on these system calls fail so, here and below."""
    numbers = [NUMBERS[name][COLUMN] for name in names
               if NUMBERS[name][COLUMN] is not None]
    # Load the number; for each: on a match, the next but one to the end.
    rows = [(0x20, 0, 0, 0)]
    for left, number in zip(range(len(numbers), 0, -1), numbers):
        rows.append((0x15, left, 0, number))
    rows += [(0x06, 0, 0, SECCOMP_ALLOW), (0x06, 0, 0, SECCOMP_ERRNO | error)]
    install(rows)


def install(rows):
    """Install a filter of these instructions."""
    program = ctypes.create_string_buffer(
        b"".join(struct.pack("HBBI", *row) for row in rows))
    header = ctypes.create_string_buffer(
        struct.pack("H6xQ", len(rows), ctypes.addressof(program)))
    if LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 or LIBC.prctl(
            PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header, 0, 0) == -1:
        raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    refuse(EPERM, *sys.argv[1].split(","))
    os.execvp(sys.argv[2], sys.argv[2:])
