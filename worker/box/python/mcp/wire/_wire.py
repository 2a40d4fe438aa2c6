"""The two pipes to the relay, shared by every thread and event loop.

No thread of our own reads them: a waiting caller does, and passes the others
their answers.  A thread that waits takes the role of the reader and blocks in
read(); while no thread has that role, every event loop that waits, or has
waited, watches the pipe.  A signal handler may raise an exception anywhere, so
every step here can be repeated safely, and the next caller continues it.

    mutex     guards all but frame; is never held while something blocks
    writing   guards frame and the pipe that we write to
"""
import os
from _thread import allocate_lock, get_ident
from collections import deque

from . import _box, _values
from ._lines import Lines
from ._request import (
    CHILD, DONE, ENDED, MEMORY, NESTED, NEW, NEXT, QUEUED, SENT, Frame)
from ._wait import Opener, Watch, left, let_through

ANSWER = b'{"type":"rpc_response","id":'
NUMBER = slice(len(ANSWER), len(ANSWER) + 20)
MOST = 128  # requests under way; the relay refuses more


class Wire(Lines):
    """Both pipes, and everything under way."""

    def __init__(self, control, pid):
        super().__init__(control[0])
        self.target = control[1]
        self.pid = pid
        self.mutex, self.writing = allocate_lock(), allocate_lock()
        self.queue, self.sent, self.last = deque(), {}, 0
        self.told = deque()  # frames that have no answer
        self.frame = None  # what is being written
        self.broken = None  # why there is nothing more to expect
        self.reader = None  # the thread that reads
        self.followers = {}  # threads that wait for another to read
        self.loops = {}
        self.running = None  # the loop that delivers what it has read
        self.woken = None  # what it does then, in its own thread

    def start(self, request):
        """Send a request now, or as soon as there is room for it."""
        if self.is_elsewhere(request):
            return
        with self.mutex:
            if request.state == NEW and self.broken:
                request.finish(None, self.broken)
            elif request.state == NEW:
                self.queue.append(request)
                request.state = QUEUED
        if (self.frame or self.queue) and not self.broken:
            self.send_queued()

    def is_elsewhere(self, request):
        """Whether this is a child: then the request fails at once."""
        if os.getpid() == self.pid:
            return False
        request.finish(None, CHILD)
        return True

    def withdraw(self, request):
        """No caller waits: a request that was not sent never is."""
        if request.state != QUEUED or os.getpid() != self.pid:
            return
        with self.mutex:
            frame = self.frame
            if request.state == QUEUED and not request.wakes and not (
                    frame and frame.request is request):
                request.state = NEW
                self.queue.remove(request)

    def cancel(self, request):
        """No caller waits any more: the server need not go on.

        It is answered all the same, and has its place until then.
        """
        if request.state != SENT or os.getpid() != self.pid:
            return
        with self.mutex:
            for number, sent in self.sent.items():
                if sent is request and not self.broken:
                    self.told.append(Frame.cancelling(number))
        self.send_queued()

    # Writing

    def is_unsent(self):
        """Whether there is more to send; a signal may have ended flush()."""
        return not self.broken and bool(self.frame or self.queue)

    def send_queued(self):
        """Send requests as long as there is room."""
        try:
            with self.writing:
                if self.frame:
                    self.flush()
                while (self.queue or self.told) and self.take_next():
                    self.flush()
        except OSError as error:
            let_through(error)
            with self.mutex:
                self.give_up()

    def take_next(self):
        """Make what is to be sent next the frame that is written."""
        with self.mutex:
            if self.told:
                self.frame = self.told[0]
                return True
            while self.queue and self.queue[0].state != QUEUED:
                self.queue.popleft()
            if not self.queue or len(self.sent) >= MOST:
                return False
            self.frame = Frame.asking(self.last + 1, self.queue[0])
            return True

    def flush(self):
        """Write the frame, or what is left of it.

        A signal between write() and the statement behind it would lose the
        count; inside of extend() there is no room for one.
        """
        frame = self.frame
        if frame is None:
            return
        with self.mutex:
            self.enter(frame)
        rest = frame.data[sum(frame.counts):]
        while rest:
            frame.counts.extend(map(os.write, (self.target,), (rest,)))
            rest = frame.data[sum(frame.counts):]
        self.frame = None

    def enter(self, frame):
        """Expect the answer to a frame."""
        request = frame.request
        if request is None:
            if self.told and self.told[0] is frame:
                self.told.popleft()
        elif request.state == QUEUED:
            self.sent[frame.number] = request
            self.last = frame.number
            if self.queue and self.queue[0] is request:
                self.queue.popleft()
            request.state = SENT
            request.payload = None

    # Reading

    def digest(self):
        """Deliver what has been read; the mutex is held."""
        ended = False
        try:
            ended = not self.starved and self.gather()
        except MemoryError:
            self.starved = True
        if self.starved:
            self.drop()
        while self.lines:
            self.deliver(self.lines[0])
            self.lines.popleft()
        if ended:
            self.give_up()

    def drop(self):
        """Give up the line that is being read, for want of memory.

        It is not known whose it is, so all fail that are under way.
        """
        while len(self.chunks) > 1:  # one by one, as that takes no memory
            del self.chunks[0]
        if self.chunks and b"\n" not in self.chunks[0]:
            self.chunks.clear()
        self.seen, self.starved, self.skips = 0, False, True
        for request in self.sent.values():
            request.finish(None, MEMORY)

    def deliver(self, line):
        """Give an answer to the request that it is for."""
        try:
            if line.startswith(ANSWER):
                number = int(line[NUMBER].partition(b",")[0])
            else:
                number = _values.read(line.decode()).get("id", NEXT)
            request = self.sent.get(number)
        except (AttributeError, LookupError, RecursionError, TypeError,
                ValueError):
            return
        if request:
            request.finish(line)
            self.sent.pop(number, None)

    def give_up(self):
        """Nothing more will come: fail all that is under way."""
        self.broken = ENDED
        for request in [*self.sent.values(), *self.queue]:
            request.finish(None, ENDED)
        self.sent.clear()
        self.queue.clear()

    # Threads that wait

    def wait(self, request, until=None):
        """Return when the request is done, or it is late."""
        if self.is_elsewhere(request):
            return
        me, gate = get_ident(), allocate_lock()
        if self.reader == me:
            raise RuntimeError(NESTED)
        gate.acquire()
        wake = Opener(gate)
        try:
            with self.mutex:
                request.wakes.append(wake)
            self.start(request)  # another caller may have withdrawn it
            while request.state != DONE:
                if self.leads(request, me, wake):
                    self.lead(request, until)
                elif request.state != DONE:
                    gate.acquire(timeout=left(until))
                if not left(until):
                    return
        finally:
            try:
                self.retire(request, me, wake)
            except BaseException:
                self.retire(request, me, wake)
                raise

    def leads(self, request, me, wake):
        """Whether this thread has the role of the reader, or gets it."""
        with self.mutex:
            if request.state == DONE:
                return False
            if self.reader is None:
                self.followers.pop(me, None)
                self.reader = me
            elif self.reader != me:
                self.followers[me] = wake
            return self.reader == me

    def lead(self, request, until):
        """Read for all callers until the request is done, or it is late."""
        while True:
            with self.mutex:
                self.digest()
            if self.is_unsent():
                self.send_queued()
            if request.state == DONE:
                return
            if until is not None and not self.is_readable(left(until)):
                return
            self.read()

    def retire(self, request, me, wake):
        """Do not wait any more; the role of the reader goes to others."""
        with self.mutex:
            if wake in request.wakes:
                request.wakes.remove(wake)
            self.followers.pop(me, None)
            if self.reader == me:
                self.hand_over()

    def hand_over(self):
        """Give the role to a thread, or else to the event loops."""
        for ident, wake in self.followers.items():
            wake()
            self.reader = ident
            del self.followers[ident]
            return
        for loop, watch in list(self.loops.items()):
            if watch.count and (self.is_behind() or self.is_unsent()
                                or not watch.looks):
                self.tell(loop, self.look_again, loop)
        self.reader = None

    # Event loops that wait

    def tell(self, loop, function, *args):
        """Have a loop call a function, soon; a closed one is forgotten.

        The mutex is held.
        """
        try:
            loop.call_soon_threadsafe(function, *args)
        except RuntimeError:
            self.loops.pop(loop, None)

    def wake(self, loop, function):
        """The same; the loop that delivers is awake, and does it at once."""
        if loop is self.running:
            self.woken.append(function)
        else:
            self.tell(loop, function)

    def watch(self, loop, request, wake):
        """Have the loop call wake() when the request is done.

        Returns False when it is done already.
        """
        if self.is_elsewhere(request):
            return False
        with self.mutex:
            if request.state == DONE:
                return False
            watch = self.loops.get(loop) or self.add(loop)
            watch.count += 1
            request.wakes.append(wake)
            self.look(loop, watch)
            if self.is_behind():  # a thread was interrupted before it told
                self.tell(loop, self.on_readable, loop)
        if request.state == NEW or self.is_unsent():
            self.start(request)  # another caller may have withdrawn it
        return True

    def add(self, loop):
        """Return the watch of a loop that is new; it goes with the loop."""
        if not self.loops:  # late, as threads alone do without it
            from weakref import WeakKeyDictionary
            self.loops = WeakKeyDictionary()
        watch = self.loops[loop] = Watch()
        return watch

    def unwatch(self, watch, request, wake):
        """Undo one watch(), which is counted in this Watch, if it is known.

        A loop that watches the pipe goes on with it, as it is likely to wait
        again, until it is closed, or reads for others only, or a thread does.
        """
        if os.getpid() != self.pid:
            return
        with self.mutex:
            if wake in request.wakes:
                request.wakes.remove(wake)
            if watch is not None:
                watch.count -= 1

    def look(self, loop, watch):
        """Have the loop watch the pipe, unless a thread reads."""
        if watch.looks or self.reader is not None or self.broken:
            return
        try:
            loop.add_reader(self.source, self.on_readable, loop)
            watch.looks = True
        except (OSError, ValueError) as error:
            let_through(error)
            self.give_up()

    def look_away(self, loop, watch):
        """Have the loop not watch the pipe."""
        watch.looks = False
        try:
            loop.remove_reader(self.source)
        except (OSError, RuntimeError, ValueError):
            pass

    def look_again(self, loop):
        """The thread that read has what it waited for."""
        with self.mutex:
            watch = self.loops.get(loop)
            if watch is not None:
                self.look(loop, watch)
        if self.is_behind() or self.is_unsent():
            self.on_readable(loop)

    def on_readable(self, loop, watch=None, reads=None):
        """Read, unless another caller has done so or is about to.

        reads: how many there had been when there was something to read.
        """
        if os.getpid() != self.pid:
            return  # a child that goes on with the loop of its parent
        woken = deque()
        try:
            with self.mutex:
                self.read_for(loop, watch or self.loops.get(loop), woken,
                              reads)
            if (self.frame or self.queue) and not self.broken:
                self.send_queued()
            while woken:
                woken[0]()
                woken.popleft()
        except BaseException:
            if self.is_behind() or self.frame:
                loop.call_soon(self.on_readable, loop)
            for function in woken:
                loop.call_soon(function)
            raise

    def read_for(self, loop, watch, woken, reads):
        """The same; what the loop is to do then is put into woken."""
        if watch is None:
            loop.remove_reader(self.source)
            return
        if self.reader is not None or self.broken:
            self.look_away(loop, watch)
            return
        if not watch.count:  # or it would wake for each answer to others
            self.look_away(loop, watch)
        if self.reads == reads or self.is_readable(0):
            self.read()
        self.running, self.woken = loop, woken
        try:
            self.digest()
        finally:
            self.running = self.woken = None


WIRE = Wire(_box.control, _box.pid)
