"""What the bench ran on, and how busy that was with other things."""
import os
import platform
import subprocess


def ticks():
    """All time of the processors, and what of it was not idle."""
    with open("/proc/stat") as file:
        values = [int(value) for value in file.readline().split()[1:9]]
    return sum(values), sum(values) - values[3] - values[4]


def own_ticks():
    """What this process and those that it waited for have used."""
    return sum(os.times()[:4]) * os.sysconf("SC_CLK_TCK")


def commit():
    """What is measured: the commit of the source, and whether it was edited.
    Empty where the source is no repository."""
    folder = os.path.dirname(os.path.abspath(__file__))
    told = subprocess.run(
        ["git", "-C", folder, "describe", "--always", "--dirty", "--abbrev=12",
         "--exclude=*"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return told.stdout.decode().strip()


def processor():
    """Its name, where the kernel tells one."""
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


class Machine:
    """Looks at the machine when it is made and when it is told."""

    def __init__(self):
        self.total, self.busy = ticks()
        self.own = own_ticks()
        self.load = os.getloadavg()[0]

    def told(self):
        """A dict: what it is, and how busy it was since."""
        total, busy = ticks()
        elapsed = max(1, total - self.total)
        ours = own_ticks() - self.own
        return {
            "commit": commit(),
            "processor": processor(), "processors": os.cpu_count(),
            "kernel": platform.release(), "uid": os.getuid(),
            "load_before": round(self.load, 2),
            "load_after": round(os.getloadavg()[0], 2),
            # The kernel may take back what it has counted as waiting.
            "busy_with_others": round(min(
                1, max(0, busy - self.busy - ours) / elapsed), 3)}
