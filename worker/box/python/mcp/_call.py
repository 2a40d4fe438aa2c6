"""A call that was made, and is carried out when somebody waits for it.

What a call asks for, and in which order, is a generator that yields payloads
and receives their answers; this file carries it out for whoever waits: a
thread by result(), an event loop by await.  It never sends anything before.
"""
import os
import sys

from ._wire import DONE, NEW, Refused, Request, WIRE

HERE = os.path.dirname(os.path.dirname(__file__)) + "/"
BUSY = "somebody waits for this call already: make another call"
FIX = ("write 'await' before it, or '.result()' behind it where there is no "
       "'await'")
INTERRUPTED = "this call was interrupted"
CLOSED = "this call was closed before it was awaited"


class Call:
    """A call: await it, gather it, make a task of it, or ask for result().

    Nothing is sent before that.  Awaited again, it has the same result.
    """

    __slots__ = ("_name", "_steps", "_request", "_finished", "_value",
                 "_error", "_begun", "_busy", "_where", "_future",
                 "__weakref__")

    def __init__(self, name, steps):
        self._name, self._steps = name, steps
        self._request = self._value = self._error = self._future = None
        self._finished = self._begun = self._busy = False
        frame = sys._getframe(1)
        while frame.f_back and frame.f_code.co_filename.startswith(HERE):
            frame = frame.f_back
        self._where = frame.f_code.co_filename, frame.f_lineno

    def result(self):
        """Carry the call out, wait, and return its result."""
        self._enter()
        try:
            while not self._finished:
                self._go_on()
                if self._request:
                    WIRE.wait(self._request)
        finally:
            self._leave()
        if self._error is not None:
            raise self._error.with_traceback(None)
        return self._value

    def _enter(self):
        """Begin to wait for the call."""
        if self._busy and not self._finished:
            raise RuntimeError(BUSY)
        self._busy = self._begun = True

    def _leave(self):
        """Do not wait any more: a request still queued is not sent."""
        self._busy = False
        if self._request:
            WIRE.withdraw(self._request)

    def _go_on(self):
        """Take the answer that came, and ask for what comes next."""
        request = self._request
        if request is None or request.state == DONE:
            request = self._request = self._step(request)
        if request and request.state == NEW:
            WIRE.start(request)

    def _step(self, request):
        """Return the next request; without one the call has finished."""
        try:
            if request is None:
                payload = next(self._steps)
            else:
                try:
                    answer = request.answer()
                except Refused as refused:
                    payload = self._steps.throw(refused)
                else:
                    payload = self._steps.send(answer)
            return Request(payload)
        except StopIteration as end:
            self._value = end.value
        except Exception as error:
            self._error = error
        except BaseException:
            self._finished, self._error = True, RuntimeError(INTERRUPTED)
            raise
        self._finished, self._steps = True, None
        return None

    # What makes it a coroutine to asyncio

    def __await__(self):
        """Carry the call out in the event loop that runs."""
        self._enter()
        try:
            waiting = Waiting(self)
            waiting.go_on()
        except BaseException:
            self._leave()
            raise
        return waiting.future.__await__()

    def send(self, value):
        """Go on, as a coroutine does."""
        if self._future is None:
            self._future = self.__await__()
        return self._future.send(value)

    def throw(self, *error):
        """Raise an error where the coroutine waits."""
        if self._future is None:
            self.close()
            self._future = raiser()
            next(self._future)
        return self._future.throw(*error)

    def close(self):
        """End it; what was not sent will not be."""
        self._begun = True
        if self._future is not None:
            self._future.close()
        elif not self._finished and not self._busy:
            self._finished, self._error = True, RuntimeError(CLOSED)

    # What helps those who forgot to wait

    def __repr__(self):
        """Return what it is, and what to do with it."""
        if self._begun:
            return "<call of %s>" % self._name
        return "<call of %s, not awaited: %s>" % (self._name, FIX)

    def __getattr__(self, name):
        """Refuse what is asked of the result; asyncio asks for names."""
        if name in ("__name__", "__qualname__"):
            return self._name
        if name.startswith("_") or name[:3] in ("cr_", "gi_"):
            raise AttributeError(name)
        raise AttributeError(
            "the call of %s has no result yet, and so no %r: %s" % (
                self._name, name, FIX))

    def __getitem__(self, key):
        """Refuse what is asked of the result."""
        raise TypeError("the call of %s has no result yet: %s" % (
            self._name, FIX))

    def __del__(self):
        """Tell of a call that was forgotten."""
        try:
            if not self._begun and os.getpid() == WIRE.pid:
                self._complain()
        except Exception:
            pass  # so late, there may be nothing left to do it with

    def _complain(self):
        """Write a line, and the line of the code, to standard error."""
        path, line = self._where
        text = "%s:%d: %s was called but never awaited, so nothing was sent" \
            ": %s\n" % (path, line, self._name, FIX)
        try:
            source = read_file(path).split(b"\n")[line - 1]
            text += "    %s\n" % source.strip().decode("utf-8", "replace")
        finally:
            sys.stderr.write(text)
            sys.stderr.flush()


def read_file(path):
    """Return the bytes of a file; at the end of Python there is no open()."""
    parts, fd = [b""], os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        while len(parts) == 1 or parts[-1]:
            parts.append(os.read(fd, 1 << 20))
    finally:
        os.close(fd)
    return b"".join(parts)


def raiser():
    """Raise what is thrown in, with no frame but this."""
    yield


class Waiting:
    """One await: a future of the loop, which has the outcome in the end."""

    __slots__ = ("call", "loop", "future", "watched")

    def __init__(self, call):
        import asyncio
        self.call, self.watched = call, None
        self.loop = asyncio.get_running_loop()
        self.future = self.loop.create_future()
        self.future.add_done_callback(self.end)

    def go_on(self):
        """Carry the call on until it must wait, or has finished."""
        self.look_away()
        call = self.call
        while not self.future.done() and not call._finished:
            call._go_on()
            request = call._request
            if request and WIRE.watch(self.loop, request, self.wake):
                self.watched = request
                return
        if self.future.done():
            return
        if call._error is not None:
            self.future.set_exception(call._error.with_traceback(None))
        else:
            self.future.set_result(call._value)

    def wake(self):
        """The answer is there: go on in the thread of the loop."""
        WIRE.tell(self.loop, self.go_on)

    def look_away(self):
        """Have the wire forget this one."""
        request, self.watched = self.watched, None
        if request:
            WIRE.unwatch(self.loop, request, self.wake)

    def end(self, _future):
        """The future is done, or nobody awaits it any more."""
        self.look_away()
        self.call._leave()
