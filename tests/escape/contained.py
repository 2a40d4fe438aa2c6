"""What cases see in a container, where that is not what the native box shows.

A case that is not named here must hold in a container of podman as it does
natively. A row is what the case must see there, as a regular expression, and
the numbers of cases. A row that is not needed any more is a failure, so this
table says exactly in what the runtimes differ.

What holds is tried again with an engine that leaves the protection out. Where
that is not what takes a native box's protection away, SHOWN has the words (see
open_engine.py); UNSHOWN says why nothing can be left out.
"""
import os
import re

from own_engine import SETTINGS
from open_engine import engine_words


def only(*names):
    """Some of these words, and no others."""
    return "((%s)( |$))+" % "|".join(names)


HINT = r"hint: the sandbox has no files of the user.* \[exit 1\]"
MEMORY = r"\[Sandbox ran out of memory .limit 128 MiB.:.*"
# Depends on how soon process 1 notices the end of the first.
GROWN = r"\d+ MiB|no more than 192 MiB|x*( ?\[.*)?"
HIDDEN = r"/sys|/(sys|proc|dev)/[\w/.]+"  # what an engine has mounted there
KILLED = r".*\[SIG[A-Z]+\]"

# Less than natively: each begins with its row of the table in caisson-box(7).
WEAKER = (
    ("process 1 is out of reach of the code", (
        ("it is listed", "6a"),
        ("ok", "6b"),
        (r"more \d+=ESRCH 4194303=ESRCH \d+=ok", "7b"),
        ("ESRCH ok", "39a"),
        (KILLED, "39b"),
        (KILLED, "39c"),
        ("process=ok high=ok user=ENOSYS processors=EPERM one's own=EPERM "
         "limits=ok", "54d"))),
    ("a user namespace, and a user for each box", (
        ("yes", "x11"),
        ("user", "x16"),
        ("0", "x21"),
        ("the boxes did not start", "x11b"))),
    ("landlock rules", (
        ("ok", "51b", "x43"),)),
    ("no paths of the host in the list of mounts", (
        ("/dev/.*", "x20"),
        (r"gid=5 gid=\d+ uid=\d+", "x21b"))),
    ("no /sys, no files of the machine in /proc", (
        (only("[a-z_.]+"), "7a"),
        (r".*(/root|/run|/sys)=ok .*", "46a"),
        ("ok", "56"))),
    ("a limit on the number of files", (
        ("ok", "27"),)),
    ("MemoryError at the memory limit", (
        ("FSIZE=refused CPU=ok DATA=ok AS=ok", "54b"),
        ("ok", "22d"),
        (MEMORY, "22a"))),
    ("the box ends at its limit, not a process", (
        ("stopped|" + MEMORY, "23", "23d"),
        ("all of it|" + MEMORY, "S8"),
        (GROWN, "23f", "23g", "23i", "23j"))),
    ("pids counts only the processes of the code", (
        ("EAGAIN too late", "20"),
        ("RuntimeError too late", "21"))),
)

# The same is refused otherwise, or cannot be asked for.
OTHERWISE = (
    ("the same filter refuses it with another error", (
        ("ENOSYS", "9b", "18a", "18b", "55a", "x4", "49a", "3e", "28b"),
        ("capset=EPERM ambient=ENOSYS", "13b"),
        ("bind=EPERM listen=EPERM accept=EPERM filter=ENOSYS bpf=ENOSYS "
         "passcred=ENOSYS", "3g"),
        ("ENOSYS, less than 1 MiB", "28d"))),
    ("the filter, which is not left out there, refuses it before", (
        ("mount=EPERM umount2=EPERM", "8e"),
        ("EPERM", "x18", "2b", "2e", "3b", "3i", "57b"),
        ("EPERM within 300", "28h"),
        ("(the other box: )?hint: there is no network here.*", "58a"))),
    ("memory of no file is counted there, too", (
        (r"AssertionError: ok \[exit 1\]", "22b"),)),
    ("secure bits change nothing without capabilities", (
        ("0 1 2", "x10"),)),
    ("no part of the host is there", (
        ("ENOENT", "x12", "46b", "49b", "50b", "50e", "x35", "50f"),
        (HINT, "x22", "x31", "x32", "x33", "x35b"),
        ("no directory is open", "40b"),
        ("canary=ENOENT tree=ENOENT new=EROFS chmod=(EROFS|ENOENT) "
         "utime=(EROFS|ENOENT) users=EROFS bootstrap=ENOENT root=EROFS",
         "50a"))),
    ("it is a file of the image", (
        ("mtab", "46c"),)),
    ("the engine sets variables of its own", (
        ("HOSTNAME container", "47a"),)),
    ("the root and the engine's mounts are read-only, and cannot be written "
     "by the code", (
        (only("/", "/run/[a-z-]+", HIDDEN), "12a", "e11"),
        (only("/", "/dev", "/run/[a-z-]+", HIDDEN), "49c"),
        (only("/dev", "/run", HIDDEN), "50c"),
        (only("/dev/mqueue"), "e12"),
        ("tmp=EXDEV shm=EACCES", "x36"),
        ("fd full mqueue null ptmx pts random shm stderr stdin stdout tty "
         "urandom zero", "51a"))),
    ("the loopback of its own network namespace", (
        ("lo is up", "2d"),)),
)

LESS = "not here: "


def rows():
    """Each case: its number, what it sees by runtime, and why."""
    for name, table in (("weaker", WEAKER), ("otherwise", OTHERWISE)):
        for why, lines in table:
            for seen, *numbers in lines:
                for number in numbers:
                    yield number, seen, (
                        LESS if name == "weaker" else "") + why


def promises():
    """The promises that are not kept."""
    return [promise for promise, _ in WEAKER]


def differences(runtime):
    """What cases see in containers, and why, by number."""
    return {number: (seen, why) for number, seen, why in rows() if runtime}


def container_settings(runtime):
    """What Caisson is started with for boxes that are containers."""
    return {name: value for name, value in os.environ.items()
            if runtime and name in SETTINGS}


# A trial without these is refused with the sentence, whatever the image's
# python3 says.
REFUSED = {
    "identity": "its code is root",
    "caps": "its code has capabilities",
    # Without these privileges an engine loads a filter too early.
    "no_new_privs seccomp": "its code can gain privileges",
    "seccomp": "its code may use any system call",
    "net": "its code has a network",
    "ro": "its root directory is writable",
    "noexec": "its writable directories may hold programs",
    "pid": "its code sees processes of the host",
    "pids NPROC": "the number of its processes is not limited",
    "memory": "its memory is not limited",
    "volume": "its volumes are writable",
}

# So is an image whose python3 cannot run a box.
USELESS = {
    "path": "has no interpreter for the code",
    "broken": "cannot run a box",
}

SHOWN = {"x3": "seccomp caps", "11a": "no_new_privs seccomp"}
UNSHOWN = {number: why for why, numbers in (
    ("no part of the host is there, whatever is left out",
     "x12 x33 49b 50a 50b 50e 50f"),
    ("it is allowed and counted, not refused", "22b"),
    ("an engine passes on no groups", "x13a"),
    ("an engine makes a session", "x15"),
    ("no option is for them, and no file can be made there", "e12"),
    ("the files belong to root, and the code does not", "S4 S5"),
    ("the engine ends all that is in the cgroup, too", "34b 63a"),
) for number in numbers.split()}


def opening(one, runtime):
    """What an engine leaves out for a case, or nothing."""
    seen, why = differences(runtime).get(one.number, (None, ""))
    if one.number in UNSHOWN or why.startswith(LESS):
        return ""
    words = one.under + " " + (one.without or "")
    return SHOWN.get(one.number, engine_words(words))


# Answers of calls whose code has not run.
UNTRIED = "[refused: ", "[the box cannot be built"


def judge_opened(one, wanted, opened):
    """Whether a case shows that its protection is there, and a remark."""
    if opened is None:
        return True, UNSHOWN.get(one.number, one.shown)
    same = one.holds(opened) or one.holds_in_part(opened) or (
        wanted is not None and re.fullmatch(wanted, opened, re.S))
    return not same and not opened.startswith(UNTRIED), "without: " + opened


def judge(one, seen, different, opened=None):
    """The verdict of a case in a container, and a remark."""
    verdict, why = judge_sealed(one, seen, different)
    if verdict not in ("holds", "differs"):
        return verdict, why
    wanted, _ = different.get(one.number, (None, ""))
    shown, remark = judge_opened(one, wanted, opened)
    return verdict if shown else "NOT SHOWN", \
        "; ".join(filter(None, (why, remark)))


def judge_sealed(one, seen, different):
    """The same, without a look at the protections."""
    wanted, why = different.get(one.number, (None, one.known))
    if wanted is None:
        return ("FAILS" if one.holds(seen) == bool(one.known) else
                "known" if one.known else "holds"), why
    if one.holds(seen) and seen not in wanted.split("|"):
        return "FAILS", "contained.py says that it does not hold"
    if re.fullmatch(wanted, seen, re.S) is None:
        return "FAILS", "contained.py says: " + wanted
    return "differs", why
