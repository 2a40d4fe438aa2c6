"""Runs a test with a container engine of its own, and judges what is left.

    own_engine.py [--build FOLDER] [--with MORE] podman|docker COMMAND...

The boxes of the command are containers of that engine, of which nothing stays.
It has an image (image_root.py), which is shared with other tests of a build
folder where podman has it (image_store.py), a storage in folders that are
removed at the end, and for docker a daemon. Caisson finds them by the variables
of SETTINGS. The build folder stays visible, see alone.py.

All of it runs in a namespace of processes. Each label of a container names that
namespace, so containers and cgroups of other Caissons are not judged,
and no Caisson removes what one of another test has left.

At the end there must be no container, mount or cgroup of a box. Exit
status: that of the command; 1 if something was left; 77, with the reason, if no
container can run here, whatever runs it.
"""
import argparse
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from alone import (CLONE_NEWPID, LIBC, PR_SET_PDEATHSIG, REAPER, is_in, mount,
                   unshare, wait_for)
from image_root import MORE, make_root
from image_store import (IMAGE, archive, images, import_images,
                         share_image)

# The variables of a program whose boxes are containers.
SETTINGS = ("CAISSON_RUNTIME", "CAISSON_IMAGE", "CONTAINERS_CONF",
            "CONTAINERS_STORAGE_CONF", "DOCKER_HOST")
SKIPPED = 77
LABEL = "caisson-"  # every name of a container, and its cgroup, begins so
LEFT_SECONDS = 60  # twice what a keeper may need to remove its container
NEEDED = {"podman": ("podman", "catatonit", "conmon"),
          "docker": ("docker", "dockerd", "containerd", "docker-init")}
# As root of a test, without any network of its own.
DAEMON = """dockerd --iptables=false --ip6tables=false --bridge=none
    --exec-opt native.cgroupdriver=cgroupfs""".split()
DAEMON_SECONDS = 300


def find(names):
    """The first of some programs that is installed, or None."""
    return next(filter(None, map(shutil.which, names)), None)


class Engine:
    """An engine with one image, and nothing else."""

    def __init__(self, runtime):
        self.runtime = runtime
        self.folder = tempfile.mkdtemp(prefix="caisson-engine-",
                                       dir="/var/tmp")
        os.chmod(self.folder, 0o755)
        self.environment = dict(os.environ)
        self.daemon = None

    def ask(self, *words):
        """What podman or docker prints."""
        return subprocess.run(
            (self.client(),) + words, env=self.environment,
            stdout=subprocess.PIPE, check=True, text=True).stdout

    def client(self):
        return "docker" if self.runtime == "docker" else "podman"

    def start_daemon(self):
        """A docker daemon of its own, below this process."""
        socket = "unix://%s/socket" % self.folder
        self.environment["DOCKER_HOST"] = socket
        with open(self.folder + "/daemon.log", "w", encoding="utf-8") as log:
            self.daemon = subprocess.Popen(
                DAEMON + ["--init-path", find(("docker-init",)),
                          "--data-root", self.folder + "/data",
                          "--exec-root", self.folder + "/exec",
                          "--pidfile", self.folder + "/pid",
                          "--host", socket],
                stdout=log, stderr=log)
        end = time.monotonic() + DAEMON_SECONDS
        while subprocess.run(("docker", "ps"), env=self.environment,
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL).returncode != 0:
            if self.daemon.poll() is not None or time.monotonic() > end:
                with open(log.name, encoding="utf-8") as file:
                    sys.exit("docker does not start: " + file.read()[-1000:])
            time.sleep(0.05)

    def make_image(self, build=None, more=None):
        """The Python of this machine as an image. With a build folder, all
        tests of that folder share the one of podman.
        """
        self.environment["CAISSON_RUNTIME"] = self.runtime
        self.environment["CAISSON_IMAGE"] = IMAGE
        if self.runtime == "podman" and build:
            self.environment.update(share_image(self.folder, build, more))
            return
        root = os.path.join(self.folder, "root")
        make_root(root, more)
        if self.runtime == "podman":
            self.environment.update(import_images(self.folder, root, more))
        else:
            self.give_daemon(root, more)

    def give_daemon(self, root, more):
        """Start a daemon that has the folder as images."""
        # The program looks for it by a short PATH.
        self.environment["CAISSON_RUNTIME"] = find(("docker",))
        self.start_daemon()
        path = archive(root)
        for name, changes in images(more):
            self.ask("import", *changes, path, name)
        os.unlink(path)

    def run(self, command):
        """The status of a command, while all orphans are reaped."""
        # posix_spawn() would have the command ignore a signal of glibc.
        child = os.fork()
        if child == 0:
            try:
                os.execvpe(command[0], command, self.environment)
            except OSError as error:
                print("own_engine.py: %s" % error, file=sys.stderr)
            os._exit(127)
        status = wait_for(child)
        return status if status >= 0 else 128 - status

    # What is left

    def left(self):
        """What boxes have left, as sentences."""
        return (["container " + name for name in containers(self)] +
                ["cgroup " + path for path in cgroups()] +
                ["mount " + path for path in mounts(self.folder)])

    def settled(self):
        """The same, once all has gone that still goes."""
        end = time.monotonic() + LEFT_SECONDS
        while True:
            left = self.left()
            if not left or time.monotonic() > end:
                return left
            time.sleep(0.1)

    def close(self):
        if self.runtime == "podman":
            subprocess.run(
                ("podman", "rm", "--all", "--force", "--time", "0"),
                env=self.environment, stdout=subprocess.DEVNULL)
        if self.daemon is not None:
            self.daemon.terminate()
            self.daemon.wait()
        for path in mounts(self.folder) + [self.folder + "/graph/overlay",
                                           self.folder + "/data"]:
            if os.path.ismount(path):
                subprocess.run(("umount", "--lazy", path), check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def containers(engine):
    """The names of all containers."""
    return engine.ask("ps", "--all", "--format", "{{.Names}}").split()


def birth():
    """When this process was started, in ticks of the kernel."""
    with open("/proc/self/stat", encoding="utf-8") as file:
        return int(file.read().rpartition(")")[2].split()[19])


def is_ours(path):
    """Whether it is of a Caisson that ran in our namespace of processes.

    The name is caisson-BOOT.NAMESPACE.PROCESS.BIRTH.NUMBER. An earlier
    namespace may have had the same number: its processes are older than this.
    """
    words = os.path.basename(path.rstrip("/")).split(".")
    return words[0].startswith(LABEL) and len(words) == 5 and \
        words[1] == str(os.stat("/proc/self/ns/pid").st_ino) and \
        int(words[3]) >= birth()


def cgroups():
    """The cgroups that have names of our containers, in each hierarchy.

    They are named where they are made: others can be very many.
    """
    return [path for pattern in ("*/", "*/*/")
            for path in glob.glob("/sys/fs/cgroup/" + pattern)
            if is_ours(path)]


def mounts(folder):
    """What is mounted below a folder, but the engine's own mounts."""
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        paths = [line.split()[4] for line in file]
    return [path for path in paths
            if is_in(path, folder) and
            path[len(folder):] not in ("/graph/overlay", "/data")]


def enter_processes():
    """Become process 1 of a namespace; the process before it waits for it."""
    unshare(CLONE_NEWPID)
    child = os.fork()
    if child != 0:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os._exit(status if status >= 0 else 128 - status)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    mount("proc", "/proc", "proc")
    os.environ[REAPER] = "1"


def why_not(runtime):
    """Why no container can run here, or None."""
    if os.geteuid() != 0:
        return "only root can run containers with limits here"
    absent = [name for name in NEEDED[runtime] if not find((name,))]
    return "these programs are missing: " + ", ".join(absent) \
        if absent else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=os.path.realpath)
    parser.add_argument("--with", dest="more", choices=list(filter(None, MORE)))
    parser.add_argument("runtime", choices=sorted(NEEDED))
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if REAPER not in os.environ:
        os.execv(sys.executable, [
            sys.executable, "-B", os.path.join(HERE, "alone.py"), "--keep",
            os.path.dirname(os.path.dirname(HERE)), "--keep",
            options.build or HERE,
            sys.executable, "-B"] + sys.argv)
    reason = why_not(options.runtime)
    if reason:
        print("SKIP: " + reason)
        return SKIPPED
    enter_processes()
    engine = Engine(options.runtime)
    try:
        engine.make_image(options.build, options.more)
        status = engine.run(options.command)
        left = engine.settled()
        for line in left:
            print("FAILS left: " + line)
        return 1 if left else status
    finally:
        engine.close()


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
