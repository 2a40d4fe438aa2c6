"""An engine that leaves out protections which Caisson asks it for.

It stands in for podman or runc: install() writes a program of that name, which
changes the command line or the bundle of a box and then becomes the real one.
The trial at the start (worker/box/trial) is only changed with the word "trial",
as otherwise no Caisson would use such an engine.

A word can be: seccomp, caps, no_new_privs, identity, pid, net, ipc, uts,
cgroup, ro, nosuid, nodev, noexec, size, inodes, proc_mask, memory, pids, and
the name of a limit, such as NOFILE. engine_words() makes them of the words for
native boxes: see open_box.c. With the word "volume" a container gets a
directory that Caisson has not asked for. The words of PYTHONS stand for images
whose python3 is not Python, and "path" for one that has none.
"""
import json
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
# Namespaces by their words, and what podman and the bundle call them.
SPACES = {"pid": ("--pid", "pid"), "net": ("--network", "network"),
          "ipc": ("--ipc", "ipc"), "uts": ("--uts", "uts"),
          "cgroup": ("--cgroupns", "cgroup")}
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
FILTER = "run.oci.seccomp_bpf_data"  # crun takes it instead of the profile
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


def install(folder, runtime, words):
    """The path of such an engine, in a folder that this makes."""
    name = "podman" if runtime == "podman" else "runc"
    path = os.path.join(folder, name)
    os.makedirs(folder)
    with open(path, "w", encoding="ascii") as file:
        file.write(FILE % (sys.executable, HERE, shutil.which(name),
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
    for word, (flag, _) in SPACES.items():
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


# The bundle of runc


def capabilities():
    """The names of the capabilities that this process may give."""
    with open("/usr/include/linux/capability.h", encoding="ascii") as file:
        rows = [line.split() for line in file
                if line.startswith("#define CAP_")]
    with open("/proc/self/status", encoding="ascii") as file:
        bound = next(int(line.split()[1], 16) for line in file
                     if line.startswith("CapBnd:"))
    return [row[1] for row in rows if len(row) == 3 and row[2].isdigit()
            and bound >> int(row[2]) & 1]


def open_process(process, words):
    """What the process of a box must not be or have."""
    if "caps" in words:
        process["capabilities"] = dict.fromkeys(
            process["capabilities"], capabilities())
    if "no_new_privs" in words:
        process["noNewPrivileges"] = False
    if "identity" in words:
        process["user"].update(uid=0, gid=0)
    for limit in process["rlimits"]:
        name = limit["type"].replace("RLIMIT_", "")
        if name in words:
            value = hard_limit(name) % (1 << 64)
            limit.update(hard=value, soft=value)


def open_linux(linux, words):
    """What the kernel keeps from it."""
    linux["namespaces"] = [
        space for space in linux["namespaces"]
        if not any(word in words and space["type"] == name
                   for word, (_, name) in SPACES.items())]
    if "seccomp" in words:
        del linux["seccomp"]
    if "proc_mask" in words:
        linux["maskedPaths"] = []
    if "memory" in words:
        del linux["resources"]["memory"]
    if "pids" in words:
        del linux["resources"]["pids"]


def open_bundle(path, words):
    """Change the file of a bundle."""
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    open_process(config["process"], words)
    open_linux(config["linux"], words)
    if "seccomp" in words:
        del config["annotations"][FILTER]
    if "ro" in words:
        config["root"]["readonly"] = False
    if "uts" in words:
        del config["hostname"]
    names = {"inodes": "nr_inodes"}
    for mount in config["mounts"]:
        if mount["type"] == "tmpfs":
            mount["options"] = without_flags(
                ",".join(mount["options"]),
                [names.get(word, word) for word in words]).split(",")
    if "volume" in words:
        config["mounts"].append({
            "destination": VOLUME, "type": "tmpfs", "source": "tmpfs",
            "options": ["mode=1777"]})
    for program in pythons(words):
        config["mounts"].append({
            "destination": PYTHON, "type": "bind", "source": program,
            "options": ["bind", "ro"]})
    if "path" in words:
        config["process"]["env"].append(PATH)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)


def is_trial(name):
    """Whether a container has the number of a trial: no box has it."""
    return name.endswith(".0")


def main(program, words):
    """Become the engine, with less than it was asked for."""
    argv = [program] + sys.argv[1:]
    if "run" in argv:
        if argv[1] == "run":
            name = argv[argv.index("--name") + 1]
        else:
            name = argv[-1]
        if "trial" in words or not is_trial(name):
            if argv[1] == "run":
                argv = open_podman(argv, words)
            else:
                open_bundle(argv[argv.index("--bundle") + 1] + "/config.json",
                            words)
    os.execv(program, argv)
