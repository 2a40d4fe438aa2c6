"""What is left on the host is found: the invariants of run.py are not empty."""
import ctypes
import os
import socket
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SUPPORT = os.path.join(os.path.dirname(HERE), "support")
sys.path.insert(0, SUPPORT)
from alone import REAPER, mount, own_namespaces
from host import IPC_CREAT, IPC_RMID, LIBC, SHM_BYTES, Host


class Left(unittest.TestCase):
    """Each test leaves one thing."""

    def setUp(self):
        self.host = Host(None, False, 1)
        self.addCleanup(self.host.close)
        self.assertIsNone(self.host.changed())

    def found(self, what):
        """It is found, and after it was removed nothing is."""
        self.assertRegex(self.host.changed() or "nothing", what)
        self.host.forgive()
        self.assertIsNone(self.host.changed())

    @unittest.skipUnless(own_namespaces(), "only root may mount")
    def test_mount(self):
        for place in self.host.home, "/mnt":
            mount("left", place, "tmpfs")
            self.assertRegex(self.host.changed(), "left %s tmpfs" % place)
            LIBC.umount2(place.encode(), 0)
            self.assertIsNone(self.host.changed())

    def test_shared_memory(self):
        keys = [self.host.facts()["key"]]
        if own_namespaces():
            keys.append(keys[0] + 1)
        for key in keys:
            left = LIBC.shmget(key, SHM_BYTES, IPC_CREAT | 0o600)
            self.assertRegex(self.host.changed(), "'%d'" % key)
            LIBC.shmctl(left, IPC_RMID, None)
            self.assertIsNone(self.host.changed())

    @unittest.skipUnless(own_namespaces(), "only root may name the machine")
    def test_name_of_the_machine(self):
        LIBC.sethostname(b"left", ctypes.c_size_t(4))
        self.found("left")

    def test_file(self):
        for name in "open/left", "left":
            path = os.path.join(self.host.tree, name)
            open(path, "w").close()
            self.assertRegex(self.host.changed(), path)
            os.unlink(path)
            self.host.forgive()

    def test_changed_file(self):
        self.host.write("open/canary", "changed", 0o666)
        self.found("changed")

    def test_ended_process(self):
        self.host.sleeper.kill()
        self.host.sleeper.wait()
        self.assertRegex(self.host.changed(), "a process of the host")

    def test_reached_sockets(self):
        with socket.socket(socket.AF_UNIX) as made:
            made.connect(self.host.tree + "/socket")
        self.found("a socket of the host")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as made:
            made.sendto(b"x", self.host.tree + "/datagrams")
        self.found("a datagram")


if __name__ == "__main__":
    if REAPER not in os.environ:
        os.execv(sys.executable, [
            sys.executable, "-B", os.path.join(SUPPORT, "alone.py"), "--keep",
            os.path.dirname(os.path.dirname(HERE)), sys.executable, "-B",
            *sys.argv])
    unittest.main()
