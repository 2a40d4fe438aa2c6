"""Runs a test whose boxes are containers, and judges what they leave.

    engine.py [--keep PATH] [--plots] podman|docker|oci COMMAND [ARGUMENT...]

PATH stays visible, see alone.py. The command gets an engine of its own, of
which nothing is left: an image, made of the Python of this machine and with
--plots of its matplotlib, a storage in folders that are removed at the end, for
docker a daemon, and for podman a configuration with which it runs on hosts with
both versions of cgroups. Caisson finds them by the variables of SETTINGS.

All of it runs in a namespace of processes. Each label of a container names that
namespace, so containers, bundles and cgroups of other Caissons are not judged,
and no Caisson removes what one of another test has left.

At the end there must be no container, mount, bundle or cgroup of a box. Exit
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

# The variables of a program whose boxes are containers.
SETTINGS = ("CAISSON_RUNTIME", "CAISSON_IMAGE", "CONTAINERS_CONF",
            "CONTAINERS_STORAGE_CONF", "DOCKER_HOST")
IMAGE = "localhost/caisson-test:1"
SKIPPED = 77
LABEL = "caisson-"  # every name of a container, and its cgroup, begins so
BUNDLES = "/run/caisson-containers/**"
LEFT_SECONDS = 20  # a keeper removes its container in this time
# What Python and the shell of the image are made of, here as in the image.
PACKAGES = """python3.11 python3.11-minimal libpython3.11-minimal
    libpython3.11-stdlib python3-minimal python3 libc6 libexpat1 zlib1g libssl3
    libffi8 libbz2-1.0 liblzma5 libsqlite3-0 libuuid1 bash dash libtinfo6
    coreutils procps libprocps8 libproc2-0 libselinux1 libacl1 libattr1
    libpcre2-8-0 libgmp10 media-types libcrypt1 tzdata grep sed findutils
    libc-bin libsystemd0 libgcrypt20 libgpg-error0 liblz4-1 libzstd1 libcap2
    libncursesw6 libreadline8""".split()
# The same with --plots, for matplotlib.
PLOTS = """python3-matplotlib python-matplotlib-data python3-contourpy
    python3-cycler python3-dateutil python3-fonttools python3-kiwisolver
    python3-numpy python3-packaging python3-pil python3-pkg-resources
    python3-pyparsing python3-six fonts-dejavu-core libblas3 libbrotli1 libbsd0
    libdeflate0 libfreetype6 libfribidi0 libgcc-s1 libgfortran5 libglib2.0-0
    libgomp1 libgraphite2-3 libharfbuzz0b libimagequant0 libjbig0
    libjpeg62-turbo liblapack3 liblcms2-2 liblerc4 libmd0 libopenjp2-7
    libpng16-16 libqhull-r8.0 libquadmath0 libraqm0 libstdc++6 libtiff6 libwebp7
    libwebpdemux2 libwebpmux3 libxau6 libxcb1 libxdmcp6""".split()
PLOT_FILES = ("/etc/matplotlibrc", "/etc/alternatives/libblas.so.3-*",
              "/etc/alternatives/liblapack.so.3-*", "/usr/lib/*/libblas.so.3",
              "/usr/lib/*/liblapack.so.3")
ROOT = "/bin", "/sbin", "/lib", "/lib64", "/usr/bin/sh"
UNUSED = ("/usr/share/doc", "/usr/share/man", "/usr/share/locale", "/.",
          "/etc/", "/var/")
NEEDED = {"podman": ("podman", "catatonit", "conmon"), "oci": ("runc",),
          "docker": ("docker", "dockerd", "containerd", "docker-init")}
# As root of a test, without any network of its own.
DAEMON = """dockerd --iptables=false --ip6tables=false --bridge=none
    --exec-opt native.cgroupdriver=cgroupfs""".split()
DAEMON_SECONDS = 30
FOLDERS = "dev", "etc", "proc", "run", "sys"
NAMES = {"passwd": "root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n",
         "group": "root:x:0:\nnogroup:x:65534:\n"}
WRITABLE = "data", "tmp", "workspace"


def find(names):
    """The first of some programs that is installed, or None."""
    return next(filter(None, map(shutil.which, names)), None)


def is_hybrid():
    """Whether the host has both versions of cgroups, which crun refuses."""
    return os.path.ismount("/sys/fs/cgroup/unified")


def installed_files(plots):
    """The files of the packages that are installed here."""
    packages = PACKAGES + PLOTS if plots else PACKAGES
    listed = subprocess.run(["dpkg-query", "--listfiles"] + packages,
                            stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.DEVNULL).stdout
    found = set(ROOT)
    for pattern in PLOT_FILES if plots else ():
        found.update(glob.glob(pattern))
    for line in listed.splitlines():
        folder, name = os.path.split(line)
        if os.path.lexists(line) and not line.startswith(UNUSED):
            found.add(os.path.join(os.path.realpath(folder), name))
    return sorted(found)


class Engine:
    """An engine with one image, and nothing else."""

    def __init__(self, runtime):
        self.runtime = runtime
        self.folder = tempfile.mkdtemp(prefix="caisson-engine-",
                                       dir="/var/tmp")
        os.chmod(self.folder, 0o755)
        self.environment = dict(os.environ)
        self.daemon = None
        self.write_configuration()

    def write_configuration(self):
        """What podman reads instead of the files of the host."""
        self.write("CONTAINERS_CONF", "containers.conf", (
            "[containers]\n"
            "[engine]\n%scgroup_manager = \"cgroupfs\"\n"
            "events_logger = \"none\"\n")
            % ("runtime = \"runc\"\n" if is_hybrid() else ""))
        self.write("CONTAINERS_STORAGE_CONF", "storage.conf", (
            "[storage]\ndriver = \"overlay\"\n"
            "graphroot = \"%s/storage\"\nrunroot = \"%s/run\"\n")
            % (self.folder, self.folder))

    def write(self, variable, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        self.environment[variable] = path

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

    def make_image(self, plots=False):
        """The Python of this machine: a folder, and an image for podman."""
        root = os.path.join(self.folder, "root")
        for name in FOLDERS + WRITABLE:
            os.makedirs(os.path.join(root, name))
        for name in WRITABLE:
            os.chmod(os.path.join(root, name), 0o1777)
        for name, text in NAMES.items():
            with open(root + "/etc/" + name, "w", encoding="ascii") as file:
                file.write(text)
        read = subprocess.Popen(
            ["tar", "--create", "--absolute-names", "--no-recursion",
             "--ignore-failed-read", "--files-from=-"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        write = subprocess.Popen(
            ["tar", "--extract", "--directory", root], stdin=read.stdout,
            stderr=subprocess.DEVNULL)
        read.stdin.write("\n".join(installed_files(plots)))
        read.stdin.close()
        read.stdout.close()
        if write.wait() != 0 or read.wait() != 0:
            sys.exit("the image cannot be made")
        self.environment["CAISSON_RUNTIME"] = self.runtime
        self.environment["CAISSON_IMAGE"] = root
        if self.runtime != "oci":
            self.import_image(root)

    def import_image(self, root):
        """The folder, which stays, as an image of podman or docker."""
        path = root + ".tar"
        subprocess.run(["tar", "--create", "--directory", root, "--file",
                        path, "."], check=True)
        if self.runtime == "docker":
            # The program looks for it by a short PATH.
            self.environment["CAISSON_RUNTIME"] = find(("docker",))
            self.start_daemon()
        quiet = ["--quiet"] if self.runtime == "podman" else []
        self.ask("import", *quiet, path, IMAGE)
        os.unlink(path)
        self.environment["CAISSON_IMAGE"] = IMAGE

    def run(self, command):
        """The status of a command, while all orphans are reaped."""
        # posix_spawn() would have the command ignore a signal of glibc.
        child = os.fork()
        if child == 0:
            try:
                os.execvpe(command[0], command, self.environment)
            except OSError as error:
                print("engine.py: %s" % error, file=sys.stderr)
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
        for path in mounts(self.folder) + [self.folder + "/storage/overlay",
                                           self.folder + "/data"]:
            if os.path.ismount(path):
                subprocess.run(("umount", "--lazy", path), check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def containers(engine):
    """The names of all containers, and of bundles of crun and runc."""
    if engine.runtime != "oci":
        return engine.ask("ps", "--all", "--format", "{{.Names}}").split()
    return [path for path in glob.glob(BUNDLES, recursive=True)
            if is_ours(path)]


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
    """The cgroups of our containers of crun and runc."""
    return [path for path in glob.glob("/sys/fs/cgroup/**/", recursive=True)
            if is_ours(path)]


def mounts(folder):
    """What is mounted below a folder, but the engine's own mounts."""
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        paths = [line.split()[4] for line in file]
    return [path for path in paths
            if is_in(path, folder) and
            path[len(folder):] not in ("/storage/overlay", "/data")]


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
    parser.add_argument("--keep", default=HERE)
    parser.add_argument("--plots", action="store_true")
    parser.add_argument("runtime", choices=sorted(NEEDED))
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if REAPER not in os.environ:
        os.execv(sys.executable, [
            sys.executable, "-B", os.path.join(HERE, "alone.py"), "--keep",
            os.path.dirname(os.path.dirname(HERE)), "--keep", options.keep,
            sys.executable, "-B"] + sys.argv)
    reason = why_not(options.runtime)
    if reason:
        print("SKIP: " + reason)
        return SKIPPED
    enter_processes()
    engine = Engine(options.runtime)
    try:
        engine.make_image(options.plots)
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
