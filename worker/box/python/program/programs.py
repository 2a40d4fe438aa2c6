"""Runs programs one after the other in one namespace: a session.

Run by script.py, in a copy of its namespace, where the first run frame has
"session":true.  At the end of each program this process sends

    {"type":"ended","program":N,"exit":N,"threads":N}

and waits for the next run frame.  All output of the program is in the pipes by
then; "program" counts the run frames, and "threads" are those that it has
left.  sys.exit(), an exception, and a SIGINT that interrupts the program end
the program only.  Signals that the code handles are ignored between two
programs.  Exit functions run when the relay closes its pipe.  This file never
removes what a program has changed, and never runs where the frame does not ask
for a session.
"""
import os
import sys
from _signal import NSIG, SIGINT, default_int_handler, getsignal, signal
from _thread import _count, get_ident

INTERRUPTED = 128 + SIGINT  # the exit code then, as in a shell
ENDED_FRAME = b'{"type":"ended","program":%d,"exit":%d,"threads":%d}\n'
BETWEEN = "the program that made the call has ended"
C_LONG = 1 << 63
MISSED = []  # interrupts that came while no code of the program ran
# What says something about one program only, and is empty for the next.
ABOUT_ONE = DROPPED, HINTS, NOTES, PROGRESS, SESSION, ECHO


def ignore(number, frame):
    """Handle a signal that comes while no code of a program runs."""
    if number == SIGINT:
        MISSED.append(number)


def is_of_loop(handler):
    """Whether this is the handler of a run of asyncio, which has ended.

    An interrupt at the very end of the run leaves it.
    """
    return getattr(getattr(handler, "func", None), "__name__",
                   None) == "_on_sigint"


class Session:
    """What the programs have in common, but for what they define."""

    def __init__(self, control, told, memory):
        self.pid, self.count, self.next = os.getpid(), 1, None
        self.ending = False  # whether it ends with the present program
        self.handlers = {}  # of the programs, while none runs
        self.module, box = STANDING.pop()
        define_servers(box, self.names(), control, self.pid, told, memory)
        from mcp import _box
        from mcp._wire import WIRE
        _box.session, self.wire = self, WIRE

    def names(self):
        """Return the namespace of the programs."""
        return vars(self.module)

    def begin(self, told):
        """Get ready for the next program, with servers that are loaded for it.

        Its file has a name of its own: errors in functions of an earlier one
        show lines of that.  Servers that an earlier one has loaded are loaded
        again when they are used.
        """
        self.count += 1
        path = "%s/run_python_%d.py" % (TMPDIR, self.count)
        SCRIPT["PATH"] = path
        OUR_FILES.add(path)
        GIVEN[path] = None
        sys.modules["__main__"] = self.module
        self.names().update(
            __file__=path, __loader__=SourceFileLoader("__main__", path))
        servers = sys.modules.get("mcp._state")
        if servers:
            servers.LOADED.clear()
            self.names()["LOADED_MCP_SERVERS"] = ()
        for each in told or ():
            from mcp._servers import add
            add(each)

    # A program

    def run(self, source):
        """Run a program; return its exit code.

        A process that it has forked ends here, as the interpreter ends one.
        Threads of a program that was interrupted are not waited for.
        """
        program = Program(self.module)
        before = threads()
        MISSED.clear()
        error = self.attempt(lambda: program.run(source, execute_awaiting))
        if os.getpid() != self.pid:
            self.end_child(error, program.awaiting)
        try:
            status = exit_code(error and error.code) \
                if program.conclude(error) \
                else reported(error, program.awaiting)
            late = None
            if not isinstance(error, KeyboardInterrupt):
                late = self.attempt(lambda: wait_for_threads(before))
            if late is not None:
                status = reported(late, False)
        finally:
            program = error = late = None  # or what they hold would stay
        return status

    def attempt(self, function):
        """Call a function with the signal handlers of the programs.

        Return what it has raised, or None.  A signal may come at any time
        until there is no handler any more that raises.
        """
        error, hushed = None, False
        try:
            try:
                self.listen()
                function()
            finally:
                self.hush()
                hushed = True
        except BaseException as raised:
            error = raised
        while not hushed:
            try:
                self.hush()
                hushed = True
            except BaseException as raised:
                error = raised
        return error

    def hush(self):
        """Have signals that have a handler do nothing."""
        for number in range(1, NSIG):
            handler = getsignal(number)
            if callable(handler) and handler is not ignore:
                signal(number, ignore)
                self.handlers[number] = \
                    default_int_handler if is_of_loop(handler) else handler

    def listen(self):
        """Put the handlers of the programs back."""
        while self.handlers:
            number, handler = self.handlers.popitem()
            signal(number, handler)

    def end_child(self, error, awaiting):
        """End a process that the program has forked."""
        self.listen()
        if error is None:
            raise SystemExit(0)
        if not isinstance(error, SystemExit):
            sys.excepthook = Report(awaiting)
        raise error

    # Between two programs

    def end(self, status):
        """Tell the relay that a program has ended.

        Requests that are under way fail, and so do those that threads make
        until the next program begins.
        """
        from mcp._request import NEXT, SENT, Frame, Request
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            flush(stream)
        forget_program()
        wire, self.next = self.wire, Request(None)
        self.next.state = SENT
        ended = Frame(ENDED_FRAME % (self.count, status, _count()))
        with wire.writing:
            wire.flush()
            with wire.mutex:
                wire.broken = wire.broken or BETWEEN
                for request in [*wire.sent.values(), *wire.queue]:
                    request.finish(None, BETWEEN)
                for under_way in wire.sent, wire.queue, wire.told:
                    under_way.clear()
                wire.sent[NEXT] = self.next
            wire.frame = ended
            wire.flush()

    def wait(self):
        """Return the next run frame.

        Any thread that reads gives it to this one.  The process ends where
        there will be none.
        """
        while not (self.next.line or self.next.failure):
            self.wire.wait(self.next)
        if self.next.failure:
            raise SystemExit(0)
        if self.wire.broken == BETWEEN:
            self.wire.broken = None
        return self.next.line


def execute_awaiting(code, names):
    """Run code with top-level await; an interrupt shows where it waited."""
    import asyncio
    try:
        asyncio.run(interruptible(eval(code, names)))
    except KeyboardInterrupt as error:
        waited = error.__context__
        if not isinstance(waited, asyncio.CancelledError):
            raise
        error.__context__ = None
        raise error.with_traceback(waited.__traceback__)


async def interruptible(running):
    """Run code that an interrupt ends also where it does not await: the loop
    alone would wait until the code does.
    """
    of_loop = getsignal(SIGINT)

    def interrupt(number, frame):
        """Cancel what waits in the loop, or end what runs."""
        (of_loop if is_idle(frame) else default_int_handler)(number, frame)
    if is_of_loop(of_loop):
        signal(SIGINT, interrupt)
    try:
        await noted(running)
    finally:
        if getsignal(SIGINT) is interrupt:
            signal(SIGINT, of_loop)


def is_idle(frame):
    """Whether a frame is one of an event loop in which no code runs."""
    while frame is not None and frame.f_code.co_filename.startswith(
            (*OUR_CODE, *LIBRARIES)):
        if frame.f_code.co_name == "_run_once":
            return True
        frame = frame.f_back
    return False


def reported(error, awaiting):
    """Show what has ended a program; return the exit code.

    The interpreter does the same where that ends the process.
    """
    sys.last_type, sys.last_value = type(error), error
    sys.last_traceback = error.__traceback__
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    try:
        Report(awaiting)(type(error), error, error.__traceback__)
    except SystemExit as exit:
        return exit_code(exit.code)
    except BaseException:
        pass  # what the code has changed was needed for that
    return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1


def exit_code(code):
    """Return the exit code that the code of a SystemExit means."""
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code) & 255 if -C_LONG <= code < C_LONG else 255
    try:
        complain("%s\n" % (code,) if not isinstance(code, str)
                 else code + "\n")
    except BaseException:
        pass  # it may be of a class of the code
    return 1


def forget_program():
    """Forget what is about the program that has ended."""
    while INPUT:
        INPUT.pop()()
    for about in ABOUT_ONE:
        about.clear()
    forgotten, seen, misread, shown, progress = (
        sys.modules.get("mcp._" + name) for name in (
            "forgotten", "seen", "misread", "show", "progress"))
    if forgotten:
        forgotten.end()
        forgotten.ENDED.clear()
        forgotten.TOLD.clear()
    if seen:
        seen.REFUSED.clear()
        for each in seen.SEEN.values():
            each.more = ()  # is not told again
    if misread:
        misread.MISSES.clear()
        misread.TOLD.clear()
    if shown:
        shown.State.sent = shown.State.size = shown.State.more = 0
        shown.State.asked, shown.State.notes = False, []
    if progress:
        progress.State.last, progress.State.waits = None, False


def threads():
    """Return the threads that there are, as far as they are waited for.

    Those of a pool wait for work, as long as there is the pool.
    """
    threading = sys.modules.get("threading")
    if threading is None:
        return []
    pools = sys.modules.get("concurrent.futures.thread")
    working = getattr(pools, "_threads_queues", ())
    return [thread for thread in threading.enumerate()
            if not thread.daemon and thread not in working
            and thread.ident != get_ident()]


def wait_for_threads(before):
    """Wait for the threads that a program has started, as the interpreter does
    in the end.
    """
    while True:
        left = [thread for thread in threads() if thread not in before]
        if not left:
            return
        if MISSED:
            raise KeyboardInterrupt
        left[0].join()


def serve(source, control, told, memory):
    """Run the code, and then each program that the relay sends."""
    session = Session(control, told, memory)
    while True:
        status = session.run(source)
        if session.ending:
            raise SystemExit(status)
        try:
            session.end(status)
            source, told, _ = understood(session.wait())
            session.begin(told)
        except OSError:
            raise SystemExit(0) from None  # there is no relay any more
        except Malformed as error:
            complain("caisson: the code was not run: %s\n" % error)
            raise SystemExit(BROKEN) from None
