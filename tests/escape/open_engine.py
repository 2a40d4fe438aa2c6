"""An engine that leaves out protections which Caisson asks it for.

It stands in for podman: install() writes a program of that name, which changes
the command line of a box and then becomes the real one.
The trial at the start (worker/box/trial) is only changed with the word "trial",
as otherwise no Caisson would use such an engine.

A word can be: seccomp, caps, no_new_privs, identity, pid, net, ipc, uts,
cgroup, ro, nosuid, nodev, noexec, size, inodes, proc_mask, memory, pids, and
the name of a limit, such as NOFILE. engine_words() makes them of the words for
native boxes: see open_box.c. With the word "volume" a container gets a
directory that Caisson has not asked for. The words of PYTHONS stand for images
whose python3 is not Python, and "path" for one that has none.
"""
import os
import resource
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
NATIVE = {"watchdog": "memory", "NPROC": "pids NPROC"}
# What an engine has not been asked for, so it cannot be left out.
NO_OPTION = ("landlock user outer_user more_namespaces overlay mount_table "
             "old_root fds environment life dumpable session rlimits DATA AS "
             "NICE").split()
# Namespaces by their words, and the options of podman.
SPACES = {"pid": "--pid", "net": "--network", "ipc": "--ipc", "uts": "--uts",
          "cgroup": "--cgroupns"}
# What podman refuses beside a namespace of the host.
ALONE = {"pid": ("--init",), "ipc": ("--shm-size",), "uts": ("--hostname",)}
# podman's own /dev/shm has these, and no options.
MOUNTED = "nosuid", "nodev", "noexec", "size"
SHM = "/dev/shm:rw,noexec,nosuid,nodev,mode=1777,size=%s"
MUCH = 4 << 30  # bytes of memory: enough for each case
VOLUME = "/run/volume"
PYTHON = "/usr/bin/python3"
# What lies there instead: it says that all is well, or fails.
PYTHONS = {"liar": "/bin/true", "broken": "/bin/false"}
PATH = "PATH=/nowhere"
FILE = """#!%s -B
import sys
sys.path.insert(0, %r)
from open_engine import main
main(%r, %r)
"""


def engine_words(words):
    """Which of the words of a native box an engine can leave out."""
    return " ".join(NATIVE.get(word, word) for word in words.split()
                    if word not in NO_OPTION)


def install(folder, words):
    """The path of such an engine, in a folder that this makes."""
    path = os.path.join(folder, "podman")
    os.makedirs(folder)
    with open(path, "w", encoding="ascii") as file:
        file.write(FILE % (sys.executable, HERE, shutil.which("podman"),
                           words.split()))
    os.chmod(path, 0o755)
    return path


def hard_limit(name):
    """What this process may give others of a limit."""
    if not hasattr(resource, "RLIMIT_" + name):
        return resource.RLIM_INFINITY
    return resource.getrlimit(getattr(resource, "RLIMIT_" + name))[1]


def pythons(words):
    """The programs that take the place of the image's python3: one or none."""
    return [path for word, path in PYTHONS.items() if word in words]


# The command line of podman


def pairs(argv):
    """The options of a command line, each with its value, if it has one."""
    found, rest = [], list(argv)
    while rest and rest[0].startswith("--"):
        whole = "=" in rest[0] or rest[0] in (
            "--rm", "--interactive", "--init", "--no-healthcheck",
            "--read-only", "--no-hosts")
        found.append(rest[:1] if whole else rest[:2])
        del rest[:len(found[-1])]
    return found, rest


def without_flags(text, words):
    """The options of a tmpfs, less these."""
    kept = []
    for option in text.split(","):
        if option in words:
            option = option.replace("no", "", 1)
        if option.partition("=")[0] not in words:
            kept.append(option)
    return ",".join(kept)


def open_option(option, words):
    """An option of podman, less what is left out; () for none of it."""
    name, value = option[0], option[1] if len(option) > 1 else ""
    if name == "--security-opt":
        kind = value.partition("=")[0]
        if kind == "seccomp" and "seccomp" in words:
            return name, "seccomp=unconfined"
        if kind == "mask" and "proc_mask" in words:
            return name, "unmask=ALL"
        if kind == "no-new-privileges" and "no_new_privs" in words:
            return ()
    if name == "--cap-drop" and "caps" in words:
        return "--cap-add", value
    if name == "--user" and "identity" in words:
        return name, "0:0"
    if name.startswith("--read-only") and "ro" in words:
        return ()
    if name == "--tmpfs":
        return name, without_flags(value, words)
    if name == "--shm-size" and set(MOUNTED) & set(words):
        return "--tmpfs", without_flags(SHM % value, words)
    if name in ("--memory", "--memory-swap") and "memory" in words:
        return name, str(MUCH)
    if name == "--pids-limit" and "pids" in words:
        return name, "-1"
    if name == "--ulimit":
        limit = value.partition("=")[0].upper()
        if limit in words:
            return name, "%s=%d:%d" % ((limit.lower(),) +
                                       (hard_limit(limit),) * 2)
    for word, flag in SPACES.items():
        if word in words and name == flag:
            return name, "host"
        if word in words and name in ALONE.get(word, ()):
            return ()
    return option


def open_podman(argv, words):
    """The command line of podman, less what is left out."""
    options, rest = pairs(argv[2:])
    opened = [argv[0], argv[1]]
    for option in options:
        opened += open_option(option, words)
    if "volume" in words:
        opened += "--tmpfs", VOLUME + ":rw,exec,mode=1777"
    for program in pythons(words):
        opened += "--mount", "type=bind,source=%s,destination=%s,readonly" % (
            program, PYTHON)
    if "path" in words:
        opened += "--env", PATH
    return opened + rest


def is_trial(name):
    """Whether a container has the number of a trial: no box has it."""
    return name.endswith(".0")


def main(program, words):
    """Become the engine, with less than it was asked for."""
    argv = [program] + sys.argv[1:]
    if argv[1] == "run" and ("trial" in words or not is_trial(
            argv[argv.index("--name") + 1])):
        argv = open_podman(argv, words)
    os.execv(program, argv)
