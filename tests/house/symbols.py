"""
House rule: what a process may not do, its objects do not even reference. Looks
with nm at the objects of each role's program: those of its folder and those of
common/. And no two folders define a function or data of one name for their
other files: a name stands for one thing. Every worker begins with the same
calls: it opens its channel, locks itself down, and runs its loop.
"""
import collections
import os
import re
import subprocess

import house

# Patterns of whole symbol names, without the decorations of libc (see base).
OPEN = (r"open(?!_memstream).*|creat|fopen|freopen|(fd)?opendir|tmpfile|"
        r"mkd?o?s?temps?|(shm|sem|mq)_open|scandir|glob|n?ftw|fts_open")
RUN = (r"f?exec(l|le|lp|v|ve|vp|vpe|veat)|_?[fv]?fork|clone[0-9]?|daemon|"
       r"posix_spawnp?|popen|system|forkpty")
KILL = r"kill|killpg|t?gkill|tkill|pidfd_send_signal|sigqueue|pthread_kill"
NET = r"socket|connect|bind|listen|accept4?|getaddrinfo|gethostby.*"
DEEP = (r"ptrace|process_vm_.*|mount|umount2?|pivot_root|chroot|setns|unshare|"
        r"dlm?open")
ANY_CALL = r"syscall"
WAIT = r"wait|waitpid|waitid|wait[34]"
WHO = r"set(res|re|e)?[ug]id|setgroups|initgroups|setsid|setpgid|prctl"
UNBOUNDED = r"strcpy|strcat|v?sprintf|gets|strtok"

# The keeper is forked in the supervisor's folder, and is of its objects. Who
# reads one folder knows all that makes, ends and changes processes there.
PROCESS = "supervisor/process/"
SUPERVISOR = [
    (RUN, (PROCESS + "spawn.c",)),
    (NET, (PROCESS + "socket/listen.c", PROCESS + "socket/notify.c",
           PROCESS + "socket/rendezvous.c",
           "supervisor/box/cgroup/scope.c")),
    (DEEP, ()), (KILL, (PROCESS,)),
    (WAIT, (PROCESS,)), (WHO, (PROCESS,)),
    (ANY_CALL, (PROCESS + "spawn.c", PROCESS + "reaper.c",
                PROCESS + "foreign.c",
                "supervisor/servers/server_open.c")),
]

# A task or a service, unless it has a row of its own. What opens files in the
# store is SQLite, below landlock.
WORKER = [(OPEN, ()), (RUN, ()), (KILL, ()), (NET, ()), (DEEP, ()),
          (ANY_CALL, ())]

# For each folder: what is forbidden there, and what is excepted: files by their
# names, or paths, which end with a slash where they are folders.
RULES = {
    "common": [
        # fdopendir() reads a directory that is open already.
        (OPEN, ("entries.c",)), (RUN, ()), (KILL, ()), (NET, ()), (DEEP, ()),
        # These have no function in libc, and are how rights are given up.
        # The last one has one, which asks about paths.
        (ANY_CALL, ("landlock.c", "seccomp.c", "lockdown.c", "file_kind.c")),
    ],
    "supervisor": SUPERVISOR,
    "keeper": SUPERVISOR,
    # One file of each opens: below landlock, in a directory that it was handed.
    "files": [(OPEN, ("directory.c",))] + WORKER[1:],
    # openat2() has no function in libc; what it opens can be listed.
    "porter": WORKER[:-1] + [(ANY_CALL, ("beneath.c",))],
    # libcurl asks it for each socket.
    # Its login is a directory that it was handed; a browser comes to a socket.
    "connector": [(OPEN, ("store.c",))] + WORKER[1:3] + [
        (NET, ("transfer.c", "callback.c"))] + WORKER[4:],
    # It accepts clients, at sockets that were made for it.
    "gateway": [
        (OPEN, ()), (RUN, ()), (KILL, ()),
        (r"socket|connect|bind|listen|getaddrinfo|gethostby.*", ()),
        (DEEP, ()), (ANY_CALL, ()),
    ],
    # It builds the box, and becomes the interpreter: it mounts and execs.
    "box": [
        (NET, ()),
        (r"ptrace|process_vm_.*|dlm?open|popen|system|posix_spawnp?", ()),
    ],
}
# In a template a library does the same, and goes on as the interpreter.
RULES["template"] = RULES["box"]
# The keeper is forked from the supervisor, and an operator is the same program:
# their objects are the same.
RULES["keeper"] = RULES["operator"] = RULES["supervisor"]


# Names that several folders define: each program begins with one.
SHARED = ("main",)


def base(symbol):
    """Without version, underscores, and the names of fortified variants."""
    symbol = symbol.split("@")[0].lstrip("_")
    symbol = re.sub(r"(_chk|_2|_alias)$", "", symbol)
    return re.sub(r"64$", "", symbol)


def named(items, *flags):
    """The names that nm tells of each of these objects, by its path."""
    names = {item.path: [] for item in items}
    done = subprocess.run(["nm", "-A", *flags, *names], check=True,
                          stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines():
        path, name = re.fullmatch(r"(.*?\.o):.* (\S+)", line).groups()
        names[path].append(name)
    return names


def is_excepted(source, excepted):
    """Whether a source file is one of those, or in a folder of those."""
    return os.path.basename(source) in excepted or any(
        source == each or (each.endswith("/") and source.startswith(each))
        for each in excepted)


def check(name, item, symbols):
    rules = RULES[name] + [(UNBOUNDED, ())]
    for symbol in symbols:
        for pattern, excepted in rules:
            if (re.fullmatch(pattern, base(symbol)) and
                    not is_excepted(item.source, excepted)):
                yield f"{item.source}: references {symbol}"


BEGINNINGS = (["open", "lockdown", "run"], ["open", "await", "lockdown", "run"])


def check_main(role):
    """Whether it is locked down before it reads bytes from outside."""
    main = house.main_of(role)
    text = house.without_comments(house.read(main))
    calls = re.findall(r"\bworker_(open|await|lockdown|run)\(", text)
    if calls not in BEGINNINGS:
        yield f"{main}: calls {', '.join(calls)} of worker.h"


def check_folder(name, folder):
    if name not in RULES:
        return [f"{name}: say in tests/house/symbols.py what it must not call"]
    compiled = [item for item in house.objects()
                if item.source.startswith(folder)]
    problems = [f"{path}: is compiled nowhere"
                for path in house.with_ending(".c")
                if path.startswith(folder) and
                path not in [item.source for item in compiled]]
    found = [item for item in compiled if house.in_programs(item)]
    if not found:
        return problems + [f"{name}: no object of {folder} is in a program"]
    seen.extend(found)
    symbols = named(found, "-u")
    return problems + [problem for item in found
                       for problem in check(name, item, symbols[item.path])]


def check_names(items):
    """Each name that is defined in two folders, with the files."""
    found = collections.defaultdict(dict)
    names = named(items, "-g", "--defined-only")
    for item in items:
        for name in names[item.path]:
            found[name][house.folder_of(item.source)] = item.source
    for name, sources in sorted(found.items()):
        if len(sources) > 1 and name not in SHARED:
            yield f"{name}: is defined in {' and in '.join(sources.values())}"


seen = []
everything = check_folder("common", "common/")
for role in house.roles():
    if role.kind in ("TASK", "SERVICE"):
        RULES.setdefault(role.name, WORKER)
        everything += check_main(role)
    everything += check_folder(role.name, role.folder)
everything += check_names(seen)
house.finish(everything, len(seen), "objects")
