"""A real service manager of a user, for tests: systemd --user.

    user_manager.py UID HOME

Process 1 of the machine need not be systemd: the manager gets mounts of its
own, in which /run/systemd says that it is, and a part of the cgroup tree.
Prints one line of JSON when it runs: "pid", whose mounts a program enters with
nsenter, "group", the cgroup that it enters for a session, and "env". Ends it
at the end of its standard input, and kills what it has left.

Exit status: 77 where there cannot be one, and a line says why.
"""
import json
import os
import shutil
import subprocess
import sys
import time

import alone

MANAGER = "/lib/systemd/systemd"
CGROUPS = "/sys/fs/cgroup"
START_SECONDS = 300


def skip(why):
    print("SKIP: " + why)
    sys.exit(77)


def make_group(uid):
    """A cgroup that belongs to the user, and one in it for the session."""
    group = "%s/caisson-test-%d" % (CGROUPS, os.getpid())
    for path in group, group + "/session":
        os.mkdir(path)
        for name in "", "/cgroup.procs", "/cgroup.subtree_control", \
                "/cgroup.threads":
            os.chown(path + name, uid, uid)
    return group


def enter():
    """Mounts of a machine that systemd has started."""
    alone.unshare(alone.CLONE_NEWNS)
    alone.mount("none", "/", flags=alone.MS_REC | alone.MS_PRIVATE)
    os.makedirs("/run/systemd", exist_ok=True)
    alone.mount("none", "/run/systemd", "tmpfs")
    os.mkdir("/run/systemd/system")
    # Its other mounts would be found, and cannot be reached below this one.
    alone.LIBC.umount2(CGROUPS.encode(), 2)
    alone.mount("none", CGROUPS, "cgroup2")


def start(uid, group, env):
    """The manager, once it answers."""
    def become():
        with open(group + "/session/cgroup.procs", "w",
                  encoding="ascii") as file:
            file.write("0")
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)

    manager = subprocess.Popen(
        [MANAGER, "--user", "--log-target=console", "--log-level=warning"],
        env=env, preexec_fn=become, stdout=subprocess.DEVNULL)
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and manager.poll() is None:
        asked = subprocess.run(
            ["systemctl", "--user", "is-system-running"], env=env, user=uid,
            group=uid, capture_output=True, text=True, check=False)
        if asked.stdout.strip() in ("running", "degraded"):
            return manager
        time.sleep(0.05)
    manager.kill()
    skip("systemd --user does not start here")


def end(manager, group):
    """Kill what is left, and remove the cgroups."""
    manager.terminate()
    manager.wait()
    with open(group + "/cgroup.kill", "w", encoding="ascii") as file:
        file.write("1")
    while "populated 1" in open(group + "/cgroup.events",
                                encoding="ascii").read():
        time.sleep(0.01)
    for folder, _, _ in os.walk(group, topdown=False):
        os.rmdir(folder)


def main():
    uid, home = int(sys.argv[1]), sys.argv[2]
    if os.geteuid() != 0:
        skip("only root can start a manager beside another process 1")
    if not os.path.exists(MANAGER) or not shutil.which("systemctl"):
        skip("systemd is not installed")
    run = os.path.join(home, "run")
    os.mkdir(run, 0o700)
    os.chown(run, uid, uid)
    env = {"HOME": home, "XDG_RUNTIME_DIR": run, "PATH": "/usr/bin:/bin"}
    try:
        enter()
        group = make_group(uid)
    except OSError as error:
        skip("no mounts or cgroups of its own: %s" % error)
    manager = start(uid, group, env)
    print(json.dumps({"pid": os.getpid(), "group": group, "env": env}),
          flush=True)
    sys.stdin.read()
    end(manager, group)


if __name__ == "__main__":
    main()
