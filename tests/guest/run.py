"""
Boots Debian's own kernel in QEMU, without KVM and without privilege, and runs
tests/guest/checks.py in it, or containers.py or tests/escape: real cgroups of
version 2, which the machine that runs the other tests may not have, and
Landlock ABI 2.

usage: run.py BUILD CACHE [WORD...]
       the WORD containers asks for tests/guest/containers.py: systemd is
       process 1 then, and boxes are containers of podman;
       the WORD services asks for tests/guest/services.py, under systemd, too;
       the WORD escape asks for tests/escape instead of the checks, each
       Caisson in a cgroup that is delegated to it; template, sealed, user=UID
       and only=NUMBER,... are options of that, and only=NAME,... of the checks
       and services;
       any other WORD is a parameter of the kernel: Linux 6.7 and later has no
       32-bit system calls with ia32_emulation=off

Needs the Debian package qemu-system-x86. The kernel is CAISSON_GUEST_KERNEL, a
vmlinuz, or that of linux-image-cloud-amd64, of which the package is kept in
CACHE; apt-get fetches it there and installs nothing. Without one of the two it
says why and is skipped (status 77). The same holds for the packages crun and
uidmap, and systemd, dbus-user-session, podman and what podman needs must be
installed, where containers are asked for; without podman for services.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import threading

import image

QEMU = "qemu-system-x86_64"
PACKAGE = "linux-image-cloud-amd64"
SECONDS = 6600  # an emulated processor is some twenty times slower
SKIPPED = 77
SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))


def skip(why):
    print("SKIP: " + why)
    sys.exit(SKIPPED)


def output(*command, cwd=None):
    """What a program prints, nothing where it fails or is not there."""
    try:
        return subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True,
                              check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def kernel(cache):
    """The path of a kernel: that of Debian's for virtual machines."""
    given = os.environ.get("CAISSON_GUEST_KERNEL")
    if given:
        return given
    names = cache + "/kernel/boot/vmlinuz-*"
    if not glob.glob(names):
        depends = re.search(r"Depends: (linux-image-[\w.+-]+)",
                            output("apt-cache", "depends", PACKAGE))
        if depends:
            output("apt-get", "download", depends.group(1), cwd=cache)
        for package in glob.glob(cache + "/linux-image-*.deb"):
            output("dpkg", "-x", package, cache + "/kernel")
    if not glob.glob(names):
        skip("no kernel: apt-get cannot fetch %s; CAISSON_GUEST_KERNEL can "
             "name one" % PACKAGE)
    return sorted(glob.glob(names))[-1]


def packages(words):
    """The packages of the system that is asked for, which are installed."""
    names = image.SYSTEM if "services" in words else \
        image.SYSTEM + image.ENGINE if "containers" in words else ()
    absent = [name for name in names if not image.installed(name)]
    if absent:
        skip("these packages are not installed: " + ", ".join(absent))
    return names


def unpacked(cache):
    """Unpack the packages of a system with containers that are not installed
    on this machine; return the folder.
    """
    top = cache + "/packages"
    for package, paths in image.UNPACKED.items():
        if image.installed(package) or glob.glob(
                "%s/usr/share/doc/%s" % (top, package)):
            continue
        output("apt-get", "download", package, cwd=cache)
        for found in glob.glob("%s/%s_*.deb" % (cache, package)):
            output("dpkg", "-x", found, top)
        if not all(os.path.exists(top + path) for path in paths):
            skip("apt-get cannot fetch the package " + package)
    return top


def modules(linux):
    """What boxes need of its modules: overlays. None of a kernel that was
    given, of which nothing but the file is known.
    """
    top = os.path.dirname(os.path.dirname(os.path.abspath(linux)))
    return [module for lib in ("/lib", "/usr/lib") for module in glob.glob(
        top + lib + "/modules/*/kernel/fs/overlayfs/overlay.ko*")]


def boot(linux, archive, words):
    """Run the guest to its end; return what it printed."""
    command = [
        QEMU, "-M", "pc", "-accel", "tcg,thread=multi", "-cpu", "max",
        "-smp", "2", "-m", "3072" if "containers" in words else "1280",
        "-nodefaults", "-no-user-config",
        "-display", "none", "-no-reboot", "-serial", "stdio",
        "-kernel", linux, "-initrd", archive, "-append",
        " ".join(["console=ttyS0", "loglevel=1", "panic=-1", "rdinit=/init",
                  *words])]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE) as qemu:
        said = []
        late = threading.Timer(SECONDS, qemu.kill)
        late.start()
        try:
            for line in qemu.stdout:
                text = line.decode("utf-8", "replace").rstrip()
                print(text, flush=True)
                said.append(text)
        finally:
            late.cancel()
            qemu.kill()
        return said


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    build, cache, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    if shutil.which(QEMU) is None:
        skip("no %s: install the package qemu-system-x86" % QEMU)
    os.makedirs(cache, exist_ok=True)
    linux = kernel(cache)
    archive = cache + "/guest.cpio"
    image.make(archive, build, SOURCE, modules(linux), packages(words),
               unpacked(cache) if "containers" in words else None)
    said = boot(linux, archive, words)
    if "guest: 0 failed" not in said:
        sys.exit("the tests in the guest failed, or it ended before they did")


main()
