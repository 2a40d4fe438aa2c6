"""The configuration of podman for a test, with the image of image_root.py.

    image_store.py BUILD PLACE

Writes containers.conf and storage.conf into PLACE, where podman then keeps all
that it makes. It runs with them on hosts with both versions of cgroups, too.

An import takes as long as several containers, so tests share the image: it is
made once in the build folder BUILD, and again when packages of this machine
have changed. podman reads it there, and never writes to it.
"""
import argparse
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from engines import PLACES
from image_root import MORE, make_root

NAME = "localhost/caisson-test:"
IMAGE = NAME + "1"
PACKAGES = "/var/lib/dpkg/status"  # changes whenever a package does
ENGINE = """[containers]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
"""
STORAGE = """[storage]
driver = "overlay"
graphroot = "%s/graph"
runroot = "%s/run"
"""
SHARED = """[storage.options]
additionalimagestores = ["%s"]
"""


def is_hybrid():
    """Whether the host has both versions of cgroups, which crun refuses."""
    return os.path.ismount("/sys/fs/cgroup/unified")


def write_configuration(place, store=None):
    """Write what podman reads instead of the files of the host.

    store is a folder with more images. Returns the variables that lead there.
    """
    texts = {
        "containers.conf": ENGINE + (
            'runtime = "runc"\n' if is_hybrid() else ""),
        "storage.conf": STORAGE % (place, place) + (
            SHARED % store if store else "")}
    for name, text in texts.items():
        with open(os.path.join(place, name), "w", encoding="ascii") as file:
            file.write(text)
    return {"CONTAINERS_CONF": place + "/containers.conf",
            "CONTAINERS_STORAGE_CONF": place + "/storage.conf"}


def archive(root):
    """The path of an archive of a folder, beside it."""
    path = root + ".tar"
    subprocess.run(["tar", "--create", "--directory", root, "--file", path,
                    "."], check=True)
    return path


def images(more):
    """The names of the images of a folder, each with what it changes.

    An engine of JavaScript is on the PATH of its own image only.
    """
    return [(IMAGE, [])] + [
        (NAME + name, ["--change", "ENV PATH=/opt/%s:/usr/bin:/bin" % name])
        for name in (PLACES if more == "javascript" else ())]


def import_images(place, root, more=None):
    """Give podman a folder as images, in a store of its own in place.

    Returns the variables of podman.
    """
    settings = write_configuration(place)
    path = archive(root)
    for name, changes in images(more):
        subprocess.run(
            ["podman", "import", "--quiet"] + changes + [path, name],
            check=True, env={**os.environ, **settings},
            stdout=subprocess.DEVNULL)
    os.unlink(path)
    return settings


def make_store(place, store, more):
    """Make a store that others only read. place is a folder for the work.

    podman can read one where it may be unable to make it.
    """
    root = os.path.join(place, "root")
    make_root(root, more)
    import_images(place, root, more)
    subprocess.run(["umount", place + "/graph/overlay"], check=False,
                   stderr=subprocess.DEVNULL)
    subprocess.run(["cp", "--archive", place + "/graph", store + ".part"],
                   check=True)
    os.rename(store + ".part", store)


def key(more):
    """A name that changes with all that the image is made of."""
    digest = hashlib.sha256()
    for name in ("image_root.py", "image_store.py",
                 "../e2e/package-lock.json"):
        with open(os.path.join(HERE, name), "rb") as file:
            digest.update(file.read())
    status = os.stat(PACKAGES)
    digest.update(b"%d %d %a" % (status.st_size, status.st_mtime_ns, more))
    return digest.hexdigest()[:16]


def remove_others(folder):
    """Remove stores, and begun ones, of which no key of today is the name."""
    kept = {"lock", *(key(more) for more in MORE)}
    for name in set(os.listdir(folder)) - kept:
        shutil.rmtree(os.path.join(folder, name))


def shared_store(build, more=None):
    """The folder with the image in a build folder; made, if it is missing."""
    folder = os.path.join(build, "tests", "images")
    store = os.path.join(folder, key(more))
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(store):
            remove_others(folder)
            with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
                make_store(place, store, more)
    return store


def share_image(place, build, more=None):
    """Write the configuration, with the image of a build folder.

    Returns the variables of podman.
    """
    return write_configuration(place, shared_store(build, more))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("place")
    options = parser.parse_args()
    share_image(os.path.realpath(options.place),
                os.path.realpath(options.build))


if __name__ == "__main__":
    main()
