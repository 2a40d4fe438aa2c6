"""Sockets: no network, and no service of the host by another way."""
# What prelude.py brings along is at hand in every case.
from table import case


@case("1a", "sockets of each family: unix, inet, inet6, netlink, alg",
      "EPERM", without="seccomp")
def families():
    kinds = {1: "unix", 2: "inet", 10: "inet6", 16: "netlink", 38: "alg"}
    return same((name, attempt(socket.socket, family,
                               socket.SOCK_RAW if family == 16 else
                               socket.SOCK_SEQPACKET if family == 38 else
                               socket.SOCK_DGRAM))
                for family, name in kinds.items())


@case("1b", "raw and packet sockets", "EPERM", without="seccomp caps")
def raw_sockets():
    return same([("raw", attempt(socket.socket, 2, 3, 1)),
                 ("raw6", attempt(socket.socket, 10, 3, 58)),
                 ("packet", attempt(socket.socket, 17, 3, 768))])


@case("1c", "every other family there is, by its number", "EPERM",
      without="seccomp caps")
def all_families():
    return same((str(family), call("socket", family, kind))
                for family in range(50) for kind in (1, 2))


@case("2a", "connect to a service on the host's loopback", "EPERM",
      without="seccomp net landlock")
def host_service():
    def connect():
        with socket.socket() as made:
            made.settimeout(3)
            made.connect(("127.0.0.1", HOST["port"]))
    return attempt(connect)


@case("2b", "the same, by the namespace alone", "ENETUNREACH",
      under="seccomp landlock", without="net")
def host_service_by_namespace():
    def connect():
        with socket.socket() as made:
            made.settimeout(3)
            made.connect(("127.0.0.1", HOST["port"]))
    return attempt(connect)


@case("2e", "the same, by landlock alone", "EACCES",
      under="seccomp net", without="landlock",
      skip=lambda host: None if host.landlock_abi() >= 4 else
      "landlock knows no network here")
def host_service_by_landlock():
    def connect():
        with socket.socket() as made:
            made.settimeout(3)
            made.connect(("127.0.0.1", HOST["port"]))
    return attempt(connect)


@case("2c", "names and metadata services", "EPERM gaierror", without="seccomp")
def outbound():
    def connect():
        with socket.socket() as made:
            made.settimeout(0.5)
            made.connect(("169.254.169.254", 80))
    return "%s %s" % (attempt(connect), attempt(
        socket.getaddrinfo, "example.com", 80))


@case("2d", "interfaces that are up, or that are not lo", "none",
      without="net landlock seccomp")
def interfaces():
    with open("/proc/self/net/dev") as file:
        names = {line.split(":")[0].strip() for line in file
                 if ":" in line} - {"lo"}
    with open("/proc/self/net/fib_trie") as file:
        return " ".join(sorted(names)) or (file.read() and "lo is up") \
            or "none"


@case("3a", "an abstract unix socket of the host", "EPERM",
      without="seccomp net landlock")
def abstract_socket():
    def connect():
        with socket.socket(socket.AF_UNIX) as made:
            made.connect(HOST["abstract"])
    return attempt(connect)


@case("3b", "the same, by the namespace alone", "ECONNREFUSED",
      under="seccomp landlock", without="net")
def abstract_by_namespace():
    def connect():
        with socket.socket(socket.AF_UNIX) as made:
            made.connect(HOST["abstract"])
    return attempt(connect)


@case("3c", "the same, by landlock alone", "EPERM",
      under="seccomp net", without="landlock",
      skip=lambda host: None if host.landlock_abi() >= 6 else
      "landlock has no scope for sockets here")
def abstract_by_landlock():
    def connect():
        with socket.socket(socket.AF_UNIX) as made:
            made.connect(HOST["abstract"])
    return attempt(connect)


@case("3d", "a unix socket with a name, in a part of the host", "EPERM",
      without="seccomp overlay")
def named_socket():
    def connect():
        with socket.socket(socket.AF_UNIX) as made:
            made.connect(HOST["tree"] + "/socket")
    return attempt(connect)


@case("3e", "send datagrams to it, from a pair of sockets", "EPERM",
      without="seccomp overlay")
def named_socket_by_pair():
    path = HOST["tree"] + "/datagrams"

    def send(kind, how):
        left, right = socket.socketpair(socket.AF_UNIX, kind)
        if how == "sendto":
            left.sendto(b"x", path)
        else:
            left.sendmsg([b"x"], [], 0, path)
    return same(("%s by %s" % (kind.name, how), attempt(send, kind, how))
                for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW)
                for how in ("sendto", "sendmsg"))


@case("3i", "the same two, by the overlay alone", "ECONNREFUSED",
      under="seccomp", without="overlay",
      python="what Python's interpreter needs is not in it")
def named_socket_by_overlay():
    def connect(kind, path):
        with socket.socket(socket.AF_UNIX, kind) as made:
            made.connect(HOST["tree"] + path)
    return same([("stream", attempt(connect, socket.SOCK_STREAM, "/socket")),
                 ("datagrams", attempt(connect, socket.SOCK_DGRAM,
                                       "/datagrams"))])


@case("3h", "the same from pairs that are not for datagrams",
      "the other end got it", shown="the kernel's own rule: such a pair speaks "
      "to its other end only",
      python="Python's own files change the module")
def named_socket_by_stream():
    path = HOST["tree"] + "/datagrams"
    left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    left.sendto(b"x", path)
    left.sendmsg([b"y"], [], 0, path)
    kept = right.recv(9) + right.recv(9)
    left, right = socket.socketpair()
    refused = attempt(left.sendto, b"x", path)
    return "the other end got it" if (kept, refused) == (
        b"xy", "EISCONN") else "%s %s" % (kept, refused)


@case("3f", "a pair of sockets, for those who need one", "b'x'",
      shown="what must work")
def pair():
    left, right = socket.socketpair()
    left.send(b"x")
    return repr(right.recv(9))


@case("3g", "bind, listen, accept on a pair; options with programs", "EPERM",
      without="seccomp")
def pair_tricks():
    left, right = socket.socketpair()
    return same([
        ("bind", attempt(left.bind, "/tmp/name")),
        ("listen", attempt(left.listen)),
        ("accept", attempt(left.accept)),
        ("filter", attempt(left.setsockopt, 1, 26, bytes(16))),
        ("bpf", attempt(left.setsockopt, 1, 50, bytes(4))),
        ("passcred", attempt(left.setsockopt, 1, 16, 1))])
