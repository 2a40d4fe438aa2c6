"""A call, which is carried out when the code waits for it.

The steps of a call are a generator that yields requests and continues when
they are answered.  This file runs it for its caller: a thread by result(), an
event loop by await.  Nothing is sent before that.
"""
import os
import sys
from _operator import contains
from time import monotonic

from . import _forgotten
from ._forgotten import FIX
from ._request import DONE, NEW
from ._values import attribute_error
from ._caller import HERE, caller, follows, for_await
from ._idle import hasten
from ._wait import left
from ._wire import WIRE

BUSY = "another caller already waits for this call: make a second call"
INTERRUPTED = "this call was interrupted"
CLOSED = "this call was closed before it was awaited"
CANCELLED = ("%s:%d: the task of %s had not ended when the event loop did, and "
             "was cancelled: keep the task, and 'await' it")
# What futures and promises have, and the result of a call has not.
NOT_OF_RESULTS = ("add_done_callback", "cancel", "cancelled", "done",
                  "exception", "remove_done_callback", "then")
RUNNING = []  # what returns the event loop, once it is needed
LATE = ("%s has not answered within %s seconds: to wait longer, use .result() "
        "again")


class Together:
    """Requests that are asked at once; later than until no caller waits."""

    __slots__ = ("requests", "until")

    def __init__(self, requests, seconds=None):
        self.requests = requests
        self.until = None if seconds is None else monotonic() + seconds


def of_result(function):
    """Return the method of calls that applies a function to the result."""
    def method(self, *more):
        """Carry the call out, and use its result."""
        return function(self.result(), *more)
    return method


class Call:
    """A call: await it, gather it, make a task of it, or ask for result().

    Nothing is sent before that, unless its result is used, or it is a whole
    statement: then it waits at once.  Awaited again, it has the same result.
    """

    __slots__ = ("_name", "_steps", "_asked", "_finished", "_value",
                 "_error", "_begun", "_busy", "_where", "_future",
                 "__weakref__")

    def __init__(self, name, steps):
        self._name, self._steps = name, steps
        self._asked = self._value = self._error = self._future = None
        self._finished = self._begun = self._busy = False
        # The function that makes the call is ours, and usually calls us.
        frame = sys._getframe(3)
        if frame.f_code.co_filename.startswith(HERE):
            frame = caller()
        self._where = frame.f_code.co_filename, frame.f_lineno
        # A statement of its own, whose value is dropped: it is to be done.
        if follows(frame, "POP_TOP"):
            self.result()

    def result(self, timeout=None):
        """Carry the call out, wait, and return its result.

        timeout: seconds; then TimeoutError is raised, and the call goes on.
        """
        until = None if timeout is None else monotonic() + timeout
        self._enter()
        try:
            request = self._go_on()
            while request:
                WIRE.wait(request, sooner(until, self._asked.until))
                request = self._go_on()
                if request and not left(until):
                    raise TimeoutError(LATE % (self._name, timeout))
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
        if _forgotten.HELD or _forgotten.QUEUE:
            _forgotten.release()

    def _leave(self):
        """Do not wait any more: requests still queued are not sent."""
        self._busy = False
        for request in self._asked.requests if self._asked else ():
            WIRE.withdraw(request)

    def _cancel(self):
        """The caller was cancelled: the server need not go on."""
        for request in self._asked.requests if self._asked else ():
            if request.alone:
                WIRE.cancel(request)

    def _go_on(self):
        """Ask for what comes next; return a request to wait for, or None."""
        while not self._finished:
            asked = self._asked
            if asked:
                pending = None
                for request in asked.requests:
                    if request.state == NEW:
                        WIRE.start(request)
                    if pending is None and request.state != DONE:
                        pending = request
                if pending and (asked.until is None or left(asked.until)):
                    return pending
            self._asked = self._step()
        return None

    def _step(self):
        """Return the next requests; without any the call has finished."""
        try:
            return next(self._steps)
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
        """Carry the call out in the event loop that runs.

        Where the loop has nothing else to do, that is done here and now.
        """
        self._enter()
        try:
            loop = running_loop()
            request = self._go_on()
            while request and self._asked.until is None and \
                    hasten(loop, request):
                request = self._go_on()
            if request:
                waiting = Waiting(self, loop)
                waiting.go_on()
        except BaseException:
            self._leave()
            raise
        if request:
            return waiting.future.__await__()
        self._leave()
        if self._error is None:
            return finished(self._value)
        future = loop.create_future()  # which raises it with no frame of ours
        future.set_exception(self._error.with_traceback(None))
        return future.__await__()

    def send(self, value):
        """Go on, as a coroutine does."""
        if self._future is None:
            self._future = self.__await__()
        return self._future.send(value)

    def throw(self, *error):
        """Raise an error where the coroutine waits."""
        if is_ending(sys._getframe(1)):
            _forgotten.add(CANCELLED % (*self._where, self._name))
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

    # Code that uses the result before it awaits: the call is carried out

    (__str__, __format__, __iter__, __len__, __bool__, __contains__) = map(
        of_result, (str, format, iter, len, bool, contains))

    async def __aiter__(self):
        """Go through the result."""
        for each in await self:
            yield each

    def __eq__(self, other):
        """Whether the result is another value; calls are compared as such."""
        if isinstance(other, Call):
            return self is other
        return self.result() == other

    __hash__ = object.__hash__

    # Help for code that forgot to wait

    def __repr__(self):
        """Return what it is, and what to do with it."""
        if self._begun:
            return "<call of %s>" % self._name
        return "<call of %s, not awaited: %s>" % (self._name, FIX)

    def __getattr__(self, name):
        """Return what the result has; asyncio asks for names."""
        if name in ("__name__", "__qualname__"):
            return self._name
        if name.startswith("_") or name[:3] in ("cr_", "gi_"):
            raise AttributeError(name)
        if name not in NOT_OF_RESULTS:
            return for_await(getattr(self.result(), name))
        raise attribute_error(
            "the call of %s has no result yet, and so no %r: %s" % (
                self._name, name, FIX))

    def __getitem__(self, key):
        """Return a part of the result."""
        return for_await(self.result()[key])

    def __del__(self):
        """Tell of a call that was forgotten."""
        try:
            if not self._begun and os.getpid() == WIRE.pid:
                _forgotten.tell(sys._getframe().f_back, self._name,
                                *self._where)
        except Exception:
            pass  # so late, there may be nothing left to do it with


def running_loop():
    """Return the event loop that runs; asyncio is imported late."""
    if not RUNNING:
        from asyncio import get_running_loop
        RUNNING.append(get_running_loop)
    return RUNNING[0]()


def sooner(one, other):
    """Return the sooner of two times, of which None never comes."""
    return min((time for time in (one, other) if time is not None),
               default=None)


def is_ending(frame):
    """Whether the end of asyncio.run() cancels what is left."""
    while frame is not None and frame.f_code.co_name != "_cancel_all_tasks":
        frame = frame.f_back
    return frame is not None


def raiser():
    """Raise what is thrown in, with no frame but this."""
    yield


def finished(value):
    """Return a value, where nothing is left to wait for."""
    return value
    yield


class Waiting:
    """One await: a future of the loop, which has the outcome in the end."""

    __slots__ = ("call", "loop", "future", "watched", "timer")

    def __init__(self, call, loop):
        self.call, self.watched, self.timer = call, None, None
        self.loop = loop
        self.future = loop.create_future()
        self.future.add_done_callback(self.end)

    def go_on(self):
        """Carry the call on until it must wait, or has finished."""
        self.look_away()
        call = self.call
        while not self.future.done():
            request = call._go_on()
            if request is None:
                self.finish()
            elif WIRE.watch(self.loop, request, self.wake):
                self.watched = request
                self.set_timer(call._asked.until)
                return

    def finish(self):
        """Give the outcome to the future; end() need not be called then."""
        call = self.call
        call._leave()
        self.future.remove_done_callback(self.end)
        if call._error is not None:
            self.future.set_exception(call._error.with_traceback(None))
        else:
            self.future.set_result(call._value)

    def set_timer(self, until):
        """Go on at this time, whether the answer is there or not."""
        if until is not None:
            self.timer = self.loop.call_later(left(until), self.go_on)

    def wake(self):
        """The answer is there: go on in the thread of the loop."""
        WIRE.wake(self.loop, self.go_on)

    def look_away(self):
        """Have the wire forget this one."""
        request, self.watched = self.watched, None
        if request:
            WIRE.unwatch(WIRE.loops.get(self.loop), request, self.wake)
        if self.timer:
            self.timer.cancel()
            self.timer = None

    def end(self, future):
        """The future is not awaited any more."""
        self.look_away()
        self.call._leave()
        if future.cancelled():
            self.call._cancel()
