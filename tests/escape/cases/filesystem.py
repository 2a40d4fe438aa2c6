"""Files: what code can see of the host, change, or fill."""
# What prelude.py brings along is at hand in every case.
from table import case


@case("46a", "files of the host that tell or give something", "ENOENT",
      without="old_root landlock")
def host_files():
    paths = ("/etc/shadow", "/etc/machine-id", "/root", "/home", "/var/log",
             "/run", "/var/run/docker.sock", "/sys", "/boot", "/srv", "/mnt",
             "/lost+found", "/proc/1/root/etc/shadow", "/etc/resolv.conf",
             HOST["folder"] + "/secret.txt", HOST["folder"] + "/sealed")
    # Above the root there is nothing, unless another root was left there.
    seen = same([(path, attempt(os.lstat, path)) for path in paths])
    if seen != "ENOENT":
        return seen
    return attempt(open, "/.." + HOST["folder"] + "/secret.txt")


@case("46b", "the host's root below the box's own, by landlock alone",
      "EACCES", under="old_root", without="landlock")
def old_root():
    return attempt(open, "/.." + HOST["folder"] + "/secret.txt")


@case("46c", "what is in /etc", "nothing of the host's but for programs",
      shown="a made-up folder: there is nothing to take away")
def settings():
    made = {"group", "hostname", "hosts", "nsswitch.conf", "passwd"}
    taken = {"alternatives", "fonts", "ld.so.cache", "matplotlibrc",
             "mime.types"}
    found = set(os.listdir("/etc")) - made - taken
    with open("/etc/passwd") as file:
        found |= {line.split(":")[0] for line in file} - {
            "root", "box", "nobody"}
    return " ".join(sorted(found)) or "nothing of the host's but for programs"


@case("48", "follow links that lead out of the box", "ENOENT",
      without="old_root landlock")
def links():
    secret = HOST["folder"] + "/secret.txt"
    os.symlink("../../../../../../.." + secret, "/workspace/a")
    os.symlink("/.." + secret, "/workspace/b")
    return same((name, attempt(open, "/workspace/" + name)) for name in "ab")


@case("49a", "make devices and sockets with a name", "EPERM",
      without="seccomp landlock caps user identity", open_root=True)
def nodes():
    def node(kind, place):
        path = place + "/node"
        seen = attempt(os.mknod, path, kind | 0o666, os.makedev(1, 3))
        if seen == "ok":
            os.unlink(path)
        return seen
    return same(("%o in %s" % (kind, place), node(kind, place))
                for kind in (stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK)
                for place in WRITABLE)


@case("49b", "open a device that lies in a part of the host", "EACCES",
      without="nodev overlay",
      skip=lambda host: None if host.has_device() else
      "only root can make a device to be tried",
      python="what Python's interpreter needs is not in it")
def device_of_host():
    return attempt(open, HOST["tree"] + "/device")


@case("49c", "mounts on which devices count, but the five devices", "none",
      under="mount_table", without="nodev")
def mounts_dev():
    devices = {"/dev/" + name for name in (
        "null", "zero", "full", "random", "urandom")}
    return " ".join(sorted({where for where, options, *_ in mount_points()
                            if "nodev" not in options} - devices)) or "none"


@case("49d", "strange names, deep folders, a file of 1 TiB, many links",
      "ok EFBIG", without="FSIZE")
def strange():
    for name in (b"a\nb", b"\xff\xfe", b"-rf", b"x" * 255, b"\x1b[2J"):
        os.mkdir(b"/tmp/" + name)
    where = os.open("/tmp", os.O_RDONLY)
    for _ in range(1000):
        os.mkdir("d", dir_fd=where)
        deeper = os.open("d", os.O_RDONLY, dir_fd=where)
        os.close(where)
        where = deeper
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("/tmp/big", "wb") as file:
        return "ok " + attempt(os.ftruncate, file.fileno(), 1 << 40)


@case("50a", "change the system, the interpreter, the bootstrap", "EROFS",
      without="ro overlay landlock",
      python="what Python's interpreter needs is not in it")
def write_system():
    tree = HOST["tree"] + "/open"
    return same([
        ("canary", attempt(lambda: open(tree + "/canary", "r+").close())),
        ("tree", attempt(os.mkdir, tree + "/new")),
        ("new", attempt(os.mkdir, "/new")),
        ("chmod", attempt(os.chmod, "/etc/passwd", 0o600)),
        ("utime", attempt(os.utime, "/etc/passwd")),
        ("users", attempt(os.unlink, "/etc/passwd")),
        ("bootstrap", attempt(os.unlink, "/opt/caisson/bootstrap.py")),
        ("root", attempt(os.rename, "/opt", "/new"))])


@case("50b", "the same, by landlock alone", "EACCES", under="ro overlay",
      without="landlock",
      python="what Python's interpreter needs is not in it")
def write_by_landlock():
    def write(path):
        return attempt(lambda: os.close(os.open(path, os.O_WRONLY)))
    return same([("canary", write(HOST["tree"] + "/open/canary")),
                 ("new", attempt(os.mkdir, HOST["tree"] + "/open/new"))])


@case("50c", "mounts that are writable, but the four and /proc", "none",
      under="mount_table", without="ro")
def mounts_rw():
    own = set(WRITABLE) | {"/proc"}
    return " ".join(sorted({where for where, options, *_ in mount_points()
                            if "ro" not in options} - own)) or "none"


@case("50d", "folders of the whole view in which a file can be made",
      "/dev/shm /tmp /workspace /workspace/out", without="ro landlock",
      python="calls have a folder of their own")
def writable_places():
    found = []
    for where, folders, _ in os.walk("/"):
        if where.startswith(("/proc", "/usr")):
            folders[:] = []
            continue
        path = where.rstrip("/") + "/.try"
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
            os.unlink(path)
        except OSError:
            continue
        # Above the tree of the host there are folders in /tmp.
        if not HOST["tree"].startswith(where + "/") or where == "/tmp":
            found.append(where)
    return " ".join(sorted(found))


@case("51a", "what is in /dev", "fd full null random shm stderr stdin stdout "
      "urandom zero", shown="a made-up folder: there is nothing to take away")
def devices():
    return " ".join(sorted(os.listdir("/dev")))


@case("51b", "write entropy, or read a device, past landlock", "EACCES",
      without="landlock")
def entropy():
    return attempt(lambda: os.close(os.open("/dev/random", os.O_WRONLY)))


@case("26a", "fill each writable place", "ENOSPC within 32 MiB", without="size",
      under="FSIZE AS DATA")
def fill_disk():
    # Bounded: half more than the limit.
    def fill(place):
        block = bytes(MIB)
        written = 0
        try:
            with open(place + "/fill", "wb", 0) as file:
                while written < 48:
                    written += file.write(block) // MIB
        except OSError as error:
            within = "within 32 MiB" if written <= 32 else "too late"
            return "%s %s" % (error_name(error), within)
        finally:
            os.unlink(place + "/fill")
        return "ok, 48 MiB"
    kinds = {fill(place) for place in WRITABLE}
    return kinds.pop() if len(kinds) == 1 else str(kinds)


@case("26b", "one file that is larger than its place", "EFBIG",
      under="size", without="FSIZE")
def fill_file():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("/tmp/fill", "wb") as file:
        return attempt(os.ftruncate, file.fileno(), 64 * MIB)


@case("27", "make files without end", "ENOSPC", without="inodes")
def fill_inodes():
    # Bounded: a few more than the limit.
    for number in range(16500):
        try:
            os.close(os.open("/tmp/%d" % number, os.O_CREAT))
        except OSError as error:
            return error_name(error)
    return "ok"


@case("x30", "extended attributes: memory that no limit counts", "ENOTSUP",
      without="seccomp caps")
def attributes():
    """Each kernel has these on a tmpfs, for those who have capabilities."""
    open("/tmp/x", "w").close()
    return same([
        ("set", attempt(os.setxattr, "/tmp/x", "security.a", b"x")),
        ("remove", attempt(os.removexattr, "/tmp/x", "security.b"))])


@case("50e", "the same, by the overlay alone", "EROFS", under="ro landlock",
      without="overlay",
      python="what Python's interpreter needs is not in it")
def write_by_overlay():
    def write(path):
        return attempt(lambda: os.close(os.open(path, os.O_WRONLY)))
    return same([("canary", write(HOST["tree"] + "/open/canary")),
                 ("new", attempt(os.mkdir, HOST["tree"] + "/open/new"))])


@case("x31", "locks on files of the host: flock", "ok", without="overlay",
      python="what Python's interpreter needs is not in it")
def lock_host():
    fd = os.open(HOST["tree"] + "/locked", os.O_RDONLY)
    return attempt(fcntl.flock, fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


@case("x31b", "locks on the devices of the host", "EPERM",
      known="devices can only be bound, and no list of calls knows what a "
      "descriptor is of: boxes that want to can signal each other")
def lock_device():
    fd = os.open("/dev/null", os.O_RDWR)
    return same([("flock", attempt(fcntl.flock, fd, fcntl.LOCK_EX)),
                 ("fcntl", attempt(fcntl.lockf, fd, fcntl.LOCK_EX))])


@case("x32", "locks on files of the host: fcntl", "unlocked",
      without="overlay",
      python="what Python's interpreter needs is not in it")
def posix_lock_host():
    fd = os.open(HOST["tree"] + "/locked", os.O_RDONLY)
    asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    kind = struct.unpack("hhqqi4x", fcntl.fcntl(fd, fcntl.F_GETLK, asked))[0]
    return "unlocked" if kind == fcntl.F_UNLCK else "the host's lock is seen"


@case("x33", "leases and notifications on files of the host", "EPERM",
      without="seccomp",
      python="what Python's interpreter needs is not in it")
def leases():
    fd = os.open(HOST["tree"] + "/open", os.O_RDONLY)
    return same([("lease", call("fcntl", fd, 1024, 1)),
                 ("notify", call("fcntl", fd, 1026, 4)),
                 ("setsig", call("fcntl", fd, 10, 10))])


@case("x34", "make the host write out its disks, or forget what it has read",
      "not asked", without="seccomp")
def write_out():
    # A descriptor that is none: an error shows that the kernel was asked.
    asked = {"fsync": lambda: os.fsync(200),
             "fdatasync": lambda: os.fdatasync(200),
             "fadvise": lambda: os.posix_fadvise(200, 0, 0, 4)}
    return same((name, "not asked" if attempt(one) == "ok" else "asked")
                for name, one in asked.items())


@case("x35", "open a pipe with a name of the host for writing", "EACCES",
      without="landlock",
      python="what Python's interpreter needs is not in it")
def named_pipe():
    return attempt(lambda: os.close(os.open(
        HOST["tree"] + "/fifo", os.O_RDWR | os.O_NONBLOCK)))


@case("x35b", "read from it what the host has written", "nothing",
      without="overlay",
      python="what Python's interpreter needs is not in it")
def named_pipe_of_host():
    fd = os.open(HOST["tree"] + "/fifo", os.O_RDONLY | os.O_NONBLOCK)
    return os.read(fd, 1).decode() or "nothing"


@case("x36", "move mount points away, or remove them", "tmp=EXDEV shm=EROFS",
      shown="the kernel's own rule: mount points stay")
def mount_points_stay():
    seen = same([("tmp", attempt(os.rename, "/tmp", "/dev/shm/x")),
                 ("shm", attempt(os.rmdir, "/dev/shm"))])
    return seen if os.path.exists("/tmp") else "/tmp is gone"
