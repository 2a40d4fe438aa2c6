"""Carries the output of the code in frames (see relay/frames.c).

Run by halves.py, in the parent of the code, with descriptor 1 the pipe of the
relay.  What the code writes to its streams and to the relay comes through three
pipes.  Output is packed into frames; frames of the code are passed on whole,
behind all that was printed before them.  This process reads no more than it can
write, so a slow relay makes the code wait.  It never looks into a frame.

The code has the same user, so it may open this process's descriptors through
/proc, stop it, or kill it.  It gains nothing: all that it can forge it may say
itself, and its end counts only where the status of this process agrees.
"""
import _signal
import os
import select
from binascii import b2a_base64
from time import monotonic

RELAY = 1
CHUNK = 1 << 16  # what a pipe holds: PIPE_CHUNK of common/limits.h
MUCH = CHUNK // 2  # more may come at once
READS = 16  # of one stream in a row: as much as the largest pipe holds
FRAME_MAX = (16 << 20) + (8 << 10)  # as in common/limits.h
REST = 1  # milliseconds: OUTPUT_REST_MS
LEFTOVERS = 0.01  # seconds: BOX_LEFTOVERS_MS
# Counts of the kernel of this container, in both kinds of cgroups: the file,
# what stands before the number, and a divisor.
COUNTS = "/sys/fs/cgroup/"
KILLS = (("memory.events", b"oom_kill ", 1),
         ("memory/memory.oom_control", b"oom_kill ", 1))
MICROSECONDS = (("cpuacct/cpuacct.usage", b"", 1000),
                ("cpu.stat", b"usage_usec ", 1))
KIB = (("memory.peak", b"", 1024),
       ("memory/memory.max_usage_in_bytes", b"", 1024))
BROKEN = 70  # EX_SOFTWARE


def count(places):
    """Return the first of these counts that there is, or 0."""
    for path, name, divisor in places:
        try:
            with open(COUNTS + path, "rb") as file:
                for line in file:
                    if line.startswith(name):
                        return int(line[len(name):]) // divisor
        except (OSError, ValueError):
            pass
    return 0


def write(data):
    """Write all of it to the relay, as soon as there is room."""
    view = memoryview(data)
    while view:
        view = view[os.write(RELAY, view):]


class Pump:
    """The pipes of the code, and what was read of them."""

    def __init__(self, out, errors, said):
        self.streams = {out: b'{"type":"out","data":"',
                        errors: b'{"type":"err","data":"'}
        self.said, self.held = said, bytearray()
        # All pipes, and those of which nothing may wait.
        self.every, self.urgent = select.poll(), select.poll()
        for pipe in out, errors:
            os.set_blocking(pipe, False)
            self.every.register(pipe, select.POLLIN)
        self.watch(said)

    def watch(self, pipe):
        """Wake as soon as something comes there."""
        self.every.register(pipe, select.POLLIN)
        self.urgent.register(pipe, select.POLLIN)

    def print(self, stream):
        """Pass on what is in a stream; return how much it was."""
        try:
            data = os.read(stream, CHUNK)
        except BlockingIOError:
            return 0
        if data:
            write(b"%s%s\"}\n" % (self.streams[stream], b2a_base64(
                data, newline=False)))
        else:
            self.every.unregister(stream)
            del self.streams[stream]
        return len(data)

    def print_all(self):
        """Pass on what is in both streams."""
        for stream in list(self.streams):
            for _ in range(READS):
                if not self.print(stream):
                    break

    def tell(self):
        """Pass on whole frames of the code.

        What it printed before has come by now, and goes first.  A frame that
        is too long is cut, and still too long for the relay.
        """
        data = os.read(self.said, CHUNK)
        if not data:
            self.every.unregister(self.said)
            self.urgent.unregister(self.said)
            self.said = None
            return
        frame, newline, rest = data.partition(b"\n")
        self.held += frame[:FRAME_MAX + 1 - len(self.held)]
        if newline:
            frames, newline, rest = rest.rpartition(b"\n")
            self.print_all()
            write(b"%b\n%b%b" % (self.held, frames, newline))
            self.held = bytearray(rest)

    def go_on(self, rest, wait):
        """Pass on what comes within wait; return whether to rest then.

        Where little was printed, waking for each line would cost the code
        more time than printing it: nothing but frames is looked for then.
        """
        ready = (self.urgent.poll(REST) if rest else self.every.poll(wait))
        little = False
        for pipe, _ in ready:
            if pipe == self.said:
                self.tell()
            elif pipe in self.streams:
                little = self.print(pipe) < MUCH or little
        return little

    def finish(self):
        """The code has ended: pass on what it has left in the pipes.

        Processes that it has left have a moment to do the same.
        """
        late = monotonic() + LEFTOVERS
        while self.streams or self.said is not None:
            left = late - monotonic()
            if left <= 0:
                break
            self.go_on(False, left * 1000)
        self.print_all()


class Ends:
    """The ends of children: also of the code's, where this is process 1."""

    def __init__(self, child):
        self.child, self.status = child, None
        self.woken, wake = os.pipe()
        for pipe in self.woken, wake:
            os.set_blocking(pipe, False)
        _signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        _signal.signal(_signal.SIGCHLD, lambda number, frame: None)

    def look(self):
        """Return the status of the code, or None while it runs."""
        try:
            os.read(self.woken, CHUNK)
        except BlockingIOError:
            pass
        try:
            while True:
                child, status = os.waitpid(-1, os.WNOHANG)
                if child == 0:
                    break
                if child == self.child:
                    self.status = status
        except ChildProcessError:
            pass
        return self.status


def carry(child, pump):
    """Carry until the code has ended; return the exit status of this."""
    kills, used = count(KILLS), count(MICROSECONDS)
    ends, rest = Ends(child), False
    pump.watch(ends.woken)
    while ends.look() is None:
        rest = pump.go_on(rest, None)
    pump.every.unregister(ends.woken)
    pump.finish()
    by_signal = os.WIFSIGNALED(ends.status)
    status = (os.WTERMSIG if by_signal else os.WEXITSTATUS)(ends.status)
    memory = status != 0 and count(KILLS) > kills
    write(b'{"type":"end","%s":%d%s,"cpu":%d,"peak":%d}\n' % (
        b"signal" if by_signal else b"exit", status,
        b',"memory":true' if memory else b"", count(MICROSECONDS) - used,
        count(KIB)))
    return status + 128 * by_signal


def run(child, out, errors, said):
    """Carry until the code has ended, then end as it has."""
    try:
        status = carry(child, Pump(out, errors, said))
    except BrokenPipeError:  # there is no relay any more
        os.kill(child, _signal.SIGKILL)
        status = BROKEN
    os._exit(status)
