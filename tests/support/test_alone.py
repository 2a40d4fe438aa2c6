"""alone.py: what a test meets of the machine it runs on, and what is left."""
import os
import signal
import subprocess
import tempfile
import unittest

import alone

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = ["/usr/bin/python3", "-B"]
ALONE = PYTHON + [os.path.join(HERE, "alone.py")]
ROOT = os.geteuid() == 0
NOBODY = 65534
LISTING = """
import os, sys
print(sorted(name for place in ("/tmp", "/var/tmp", "/dev/shm")
             for name in os.listdir(place)))
"""
# Says what there is, waits for a line, and says it again.
MOUNTS = """
import os
def state():
    return (open("/proc/self/mounts").read(), os.uname()[1],
            len(open("/proc/sysvipc/shm").readlines()))
before = state()
print("looked", flush=True)
input()
print(state() == before, flush=True)
"""
# Leaves a process behind whose parent has ended, and names both.
ORPHAN = """
import os, sys, time
sys.path.insert(0, %r)
import alone
if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        os.execv("/bin/sleep", ["a mark", "3600"])
    os._exit(0)
os.wait()
reaper = int(os.environ["CAISSON_REAPER"])
while not [1 for _, name in alone.processes_below(reaper) if name == "sleep"]:
    time.sleep(0.01)
print([pid for pid, name in alone.processes_below(reaper) if name == "sleep"])
""" % HERE


def run(*words, code=None, **options):
    """What alone.py gives for a command, or for Python."""
    command = list(words) + (PYTHON + ["-c", code] if code else [])
    return subprocess.run(ALONE + command, stdout=subprocess.PIPE, text=True,
                          **options)


class Alone(unittest.TestCase):
    """As a test is started."""

    def test_status(self):
        for command, status in ((["true"], 0), (["sh", "-c", "exit 7"], 7),
                                (["sh", "-c", "kill -9 $$"], 137)):
            self.assertEqual(run(*command).returncode, status)

    def test_orphans_hang_below_it_and_are_ended(self):
        # The code imports alone.py, which may lie in a covered folder.
        [pid] = eval(run("--keep", HERE, code=ORPHAN).stdout)
        self.assertFalse(os.path.exists("/proc/%d" % pid))

    def test_a_signal_ends_the_command(self):
        started = subprocess.Popen(
            ALONE + ["sh", "-c", "echo $$; exec sleep 3600"],
            stdout=subprocess.PIPE, text=True)
        with started:
            pid = int(started.stdout.readline())
            started.send_signal(signal.SIGTERM)
            self.assertEqual(started.wait(), 128 + signal.SIGTERM)
        self.assertFalse(os.path.exists("/proc/%d" % pid))

    @unittest.skipUnless(ROOT, "only root gets folders of its own")
    def test_files_of_others_are_not_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run(code=LISTING).stdout, "[]\n")
            seen = run("--keep", folder, code=LISTING).stdout
            self.assertEqual(eval(seen), [os.path.basename(folder)])

    @unittest.skipUnless(ROOT, "only root gets folders of its own")
    def test_what_is_kept_is_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/file", "w") as file:
                file.write("kept")
            done = run("--keep", folder, "cat", "file", cwd=folder)
            self.assertEqual(done.stdout, "kept")
            self.assertEqual(os.listdir(folder), ["file"])

    @unittest.skipUnless(ROOT, "only root may mount")
    def test_what_others_mount_is_not_seen(self):
        with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
                ALONE + PYTHON + ["-c", MOUNTS], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True) as one:
            self.assertEqual(one.stdout.readline(), "looked\n")
            alone.mount("none", folder, "tmpfs")
            try:
                print(file=one.stdin, flush=True)
                self.assertEqual(one.stdout.readline(), "True\n")
            finally:
                subprocess.run(["umount", folder], check=True)

    def test_view_of_an_ordinary_user(self):
        code = LISTING + """
print(os.getuid(), [line.split()[1] for line in open("/proc/self/status")
                    if line.startswith("CapEff")])
"""
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        done = run("--view", code=code, **(user if ROOT else {}))
        self.assertEqual(done.stdout, "[]\n%d ['0000000000000000']\n" % (
            NOBODY if ROOT else os.geteuid()))


if __name__ == "__main__":
    unittest.main()
