"""The guest as a user's desktop: systemd as process 1, with a session of that
user. Process 1 writes the files of such a system and becomes systemd; systemd
runs this file, which makes an image, runs the tests and switches the machine
off.
"""
import os
import subprocess
import sys
import tarfile
import traceback

USERS = {"root": 0, "messagebus": 101, "systemd-network": 102, "user": 1000,
         "nobody": 65534}
GROUPS = {"root": 0, "adm": 4, "tty": 5, "utmp": 43, "messagebus": 101,
          "systemd-network": 102, "systemd-journal": 103, "user": 1000,
          "nogroup": 65534}
HOMES = {"root": "/root", "user": "/home/user"}
STORES = {"/var/lib/containers": "root", "/var/lib/images": "root",
          "/home/user/.local/share/containers": "user"}
# What no image needs.
LEFT_OUT = "usr/bin/podman", "usr/bin/crun", "usr/bin/runc", \
    "usr/lib/systemd", "usr/lib/x86_64-linux-gnu/systemd", "usr/sbin"
UNIT = """[Unit]
After=dbus.socket systemd-logind.service
[Service]
Type=oneshot
ExecStart=/usr/bin/python3 -B /source/tests/guest/system.py
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS0
"""
TARGET = """[Unit]
Requires=sysinit.target dbus.socket systemd-logind.service tests.service
"""
FILES = {
    "/etc/passwd": "".join(
        "%s:x:%d:%d::%s:/bin/sh\n" % (
            name, number, number, HOMES.get(name, "/nonexistent"))
        for name, number in USERS.items()),
    "/etc/group": "".join("%s:x:%d:\n" % row for row in GROUPS.items()),
    "/etc/shadow": "root:*:19000:0:99999:7:::\nuser:*:19000:0:99999:7:::\n",
    "/etc/subuid": "user:100000:65536\n",
    "/etc/subgid": "user:100000:65536\n",
    "/etc/hostname": "guest\n",
    "/etc/machine-id": "0123456789abcdef0123456789abcdef\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\n",
    "/etc/containers/policy.json":
        '{"default": [{"type": "insecureAcceptAnything"}]}\n',
    "/etc/systemd/system/tests.service": UNIT,
    "/etc/systemd/system/tests.target": TARGET,
}
SYSTEMD = "/usr/lib/systemd/systemd"
IMAGE = "localhost/caisson-test:1"


def start():
    """In process 1: become systemd, which runs main()."""
    for path, text in FILES.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    os.chmod("/etc/shadow", 0o600)
    for path in ("/var/log", "/var/cache", "/var/lib"):
        os.makedirs(path, exist_ok=True)
    os.execv(SYSTEMD, [SYSTEMD, "--unit=tests.target", "--show-status=false",
                       "--log-target=kmsg"])


def prepare_users():
    """Folders for images, and a session of the user."""
    for path, name in STORES.items():
        os.makedirs(path, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755,uid=%d,gid=%d"
                        % (USERS[name], USERS[name]), "tmpfs", path],
                       check=True)
    for folder in "", "/.local", "/.local/share":
        os.chown("/home/user" + folder, USERS["user"], USERS["user"])
    subprocess.run(["loginctl", "enable-linger", "user"], check=True)


def kept(entry):
    """An entry of the image as root's, or None if no image needs it."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return None if entry.name.startswith(LEFT_OUT) else entry


def folder(name, mode):
    entry = tarfile.TarInfo(name)
    entry.type = tarfile.DIRTYPE
    entry.mode = mode
    return entry


def make_image(path):
    """Write an image of this system's Python."""
    with tarfile.open(path, "w") as tar:
        for name in "bin", "lib", "lib64", "usr":
            tar.add("/" + name, filter=kept)
        for name in "dev", "etc", "proc", "run", "sbin", "sys":
            tar.addfile(folder(name, 0o755))
        for name in "data", "tmp", "workspace":
            tar.addfile(folder(name, 0o1777))


def main():
    """The tests, by systemd."""
    failed = "?"
    try:
        prepare_users()
        with open("/proc/cmdline") as file:
            words = file.read().split()
        if "services" in words:
            tests = "services.py"
        else:
            tests = "containers.py"
            make_image("/tmp/image.tar")
        failed = int(subprocess.run(
            ["/usr/bin/python3", "-B", "/source/tests/guest/" + tests,
             *(name for word in words if word.startswith("only=")
               for name in word[5:].split(","))],
            stdin=subprocess.DEVNULL).returncode != 0)
    except BaseException:
        traceback.print_exc(file=sys.stdout)
    finally:
        print("guest: %s failed" % failed, flush=True)
        subprocess.run(["systemctl", "poweroff", "--force", "--force"])


if __name__ == "__main__":
    main()
