"""The file system of the guest: an archive that the kernel unpacks into memory
(cpio, format newc: Documentation/driver-api/early-userspace/buffer-format.rst).
It holds parts of this machine's /usr, the programs of one build and the tests.
Needs no privilege and no tool but ldd.
"""
import os
import stat
import subprocess

PYTHON = "/usr/bin/python3"
PROGRAMS = ["/usr/bin/" + name for name in (
    "bash", "cat", "cp", "echo", "env", "false", "find", "grep", "id", "ls",
    "mount", "nm", "seq", "sh", "sleep", "su", "tr", "true")]
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
# Where tests/escape finds the numbers of system calls, Python a zone, and
# pthread_exit(3) what it needs.
DATA = ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
        "/usr/share/zoneinfo/UTC", "/usr/share/zoneinfo/Etc/UTC",
        LIBRARIES + "/libgcc_s.so.1"]
LINKS = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib",
         "lib64": "usr/lib64"}
FOLDERS = ("dev", "etc", "mnt", "modules", "proc", "root", "run", "sys", "tmp",
           "usr/sbin", "usr/share", "var/tmp")
PASSWD = ("root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n"
          "nobody:x:65534:65534::/nonexistent:/bin/sh\n")
GROUP = "root:x:0:\nadm:x:4:\nuser:x:1000:\nnogroup:x:65534:\n"
# Much of the library is for others than those who run a test.
LEFT_OUT = {"test", "idlelib", "ensurepip", "lib2to3", "tkinter", "turtledemo",
            "config-3.11-x86_64-linux-gnu", "dist-packages", "pydoc_data"}


# The system with systemd has these Debian packages of this machine,
SYSTEM = ("systemd", "dbus", "dbus-daemon", "dbus-user-session",
          "dbus-system-bus-common", "dbus-session-bus-common",
          "libpam-systemd", "libpam-modules", "libpam-runtime")
# with containers also these,
ENGINE = ("podman", "conmon", "catatonit", "golang-github-containers-common")
# and programs of these, which may be unpacked in a folder instead.
UNPACKED = {"crun": ("/usr/bin/crun",),
            "uidmap": ("/usr/bin/newuidmap", "/usr/bin/newgidmap"),
            "libyajl2": ()}
UNREAD = tuple("/usr/share/" + name for name in (
    "bash-completion", "doc", "fish", "lintian", "locale", "man", "zsh"))


def libraries(path, folder=""):
    """The shared libraries that a program or module is linked with; they may be
    in a folder where the system does not look.
    """
    done = subprocess.run(["ldd", path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": folder})
    words = [word for line in done.stdout.split("\n") for word in line.split()]
    return {word for word in words if word.startswith("/")}


def installed(package):
    """The files and links that a Debian package has installed here."""
    listed = subprocess.run(["dpkg", "--listfiles", package], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [path for path in listed.stdout.split("\n")
            if os.path.lexists(path) and not path.startswith(UNREAD) and
            (os.path.islink(path) or not os.path.isdir(path))]


def below(top, left_out=()):
    """Every file and folder below a folder, and the folder."""
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name not in left_out]
        yield folder
        for name in files:
            yield os.path.join(folder, name)


class Image:
    """The archive while it is written."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.seen = set()
        self.inode = 0

    def entry(self, name, mode, content=b"", mtime=0):
        """One entry; who made it does not matter: all belongs to root."""
        name = os.path.normpath(name).lstrip("/")
        if name in self.seen or name == ".":
            return
        if os.path.dirname(name):
            self.entry(os.path.dirname(name), stat.S_IFDIR | 0o755)
        self.seen.add(name)
        self.inode += 1
        fields = (self.inode, mode, 0, 0, 1, int(mtime), len(content),
                  0, 0, 0, 0, len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08x" % field for field in fields)
        for part in (head + name.encode() + b"\0", content):
            self.file.write(part + b"\0" * (-len(part) % 4))

    def add(self, path, name=None):
        """A file, folder or link of this machine."""
        real = os.path.join(os.path.realpath(os.path.dirname(path)),
                            os.path.basename(path))
        name = real if name is None else name
        found = os.lstat(real)
        if stat.S_ISLNK(found.st_mode):
            self.entry(name, stat.S_IFLNK | 0o777, os.readlink(real).encode())
            if name == real and os.path.exists(real):
                self.add(os.path.realpath(real))
        elif stat.S_ISDIR(found.st_mode):
            self.entry(name, stat.S_IFDIR | 0o755, mtime=found.st_mtime)
        elif stat.S_ISREG(found.st_mode):
            with open(real, "rb") as file:
                self.entry(name, stat.S_IFREG | found.st_mode & 0o4755 | 0o444,
                           file.read(), found.st_mtime)

    def add_program(self, path, name=None):
        self.add(path, name)
        for library in sorted(libraries(path)):
            self.add(library)

    def add_package(self, name):
        for path in installed(name):
            self.add(path)
            if os.access(path, os.X_OK) or ".so" in path:
                for library in sorted(libraries(path)):
                    self.add(library)

    def add_unpacked(self, top, path):
        """A program of a package that is unpacked in a folder, with libraries
        of packages that are unpacked there, or of this machine.
        """
        self.add(top + path, path)
        for library in sorted(libraries(top + path, top + LIBRARIES)):
            if library.startswith(top):
                self.add(os.path.realpath(library), library[len(top):])
            else:
                self.add(library)

    def add_tree(self, top, name):
        for path in below(top, {"__pycache__", "node_modules"}):
            self.add(path, name + path[len(top):])

    def add_python(self):
        self.add_program(PYTHON)
        version = os.path.basename(os.path.realpath(PYTHON))
        for path in below("/usr/lib/" + version, LEFT_OUT):
            self.add(path)
            if path.endswith(".so"):
                for library in sorted(libraries(path)):
                    self.add(library)

    def close(self):
        self.entry("TRAILER!!!", 0)
        self.file.close()


def programs(build):
    """The programs of a build, and those that only tests/escape has."""
    for folder in build, build + "/tests/escape":
        if os.path.isdir(folder):
            for name in sorted(os.listdir(folder)):
                path = os.path.join(folder, name)
                if name.startswith("caisson") and os.path.isfile(path):
                    yield path


def add_system(image, packages, unpacked):
    """What it takes to be a machine with systemd, and with podman."""
    for package in packages:
        image.add_package(package)
    for package, paths in UNPACKED.items() if unpacked else ():
        for path in paths:
            if os.path.exists(path):
                image.add_program(path)
            else:
                image.add_unpacked(unpacked, path)
    image.add_tree("/etc/pam.d", "/etc/pam.d")


def make(path, build, source, modules, packages=(), unpacked=None):
    """Write the archive of the programs in build, the tests in source, and
    modules of the kernel, which init loads in the order of their names. With
    packages, it has systemd; with a folder of unpacked ones, podman, too.
    """
    image = Image(path)
    for module in modules:
        image.add(module, "/modules/" + os.path.basename(module))
    for name, target in LINKS.items():
        image.entry(name, stat.S_IFLNK | 0o777, target.encode())
    for name in FOLDERS:
        image.entry(name, stat.S_IFDIR | 0o755)
    image.entry("etc/passwd", stat.S_IFREG | 0o644, PASSWD.encode())
    image.entry("etc/group", stat.S_IFREG | 0o644, GROUP.encode())
    image.add_python()
    for program in PROGRAMS:
        image.add_program(program)
    for program in programs(build):
        image.add_program(program, "/build" + program[len(build):])
    image.add_tree(build + "/box", "/build/box")
    image.add(build + "/box_profile.json", "/build/box_profile.json")
    for folder in ("tests/guest", "tests/escape", "tests/support",
                   "tests/e2e/support", "tests/fuzz/corpus", "worker/box"):
        if os.path.isdir(os.path.join(source, folder)):
            image.add_tree(os.path.join(source, folder), "/source/" + folder)
    for path in DATA:
        if os.path.exists(path):
            image.add(path)
    if packages:
        add_system(image, packages, unpacked)
    image.entry("init", stat.S_IFLNK | 0o777, b"source/tests/guest/init.py")
    image.close()
