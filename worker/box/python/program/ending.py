"""Ends the process of the code early, after everything that it can notice.

Run by the bootstrap, in one namespace with script.py, whose main() uses it.
It never decides with what status the code ends.
"""
import _io
import _weakref
import atexit
import gc
import os
import sys

BUFFERED = (_io.TextIOWrapper, _io.BufferedWriter, _io.BufferedRandom,
            _io.BufferedRWPair)
LEAVE = TEMPLATE.leave if TEMPLATE else os._exit
CHOOSE = TEMPLATE.choose if TEMPLATE else None
COUNTED = sys.version_info >= (3, 10)  # exit functions can be
HOME = os.environ.get("HOME", "/workspace")
TMPDIR = os.environ.get("TMPDIR", "/tmp")
PLACES = HOME + "/", TMPDIR + "/"
INSTALLED = sys.prefix + "/", sys.base_prefix + "/"  # may be in one of them


class Ending:
    """The last of all exit functions: ends the process early.

    Threads have ended then, and all exit functions of the code have run.
    What the interpreter would do from here on is to take itself apart, piece
    by piece, which takes longer than most code.  Of that only what the code
    can notice is done: its own objects go, and what they have written is
    flushed, wherever it is kept.  Where the code has ended in any unusual way,
    or anything here fails, the interpreter ends as it always does.
    """

    def __init__(self):
        self.status = self.last = self.functions = None
        self.ours = sys.modules["__main__"]  # or it would go, bit by bit
        # The collector does not look at these, which were there at the start.
        self.streams = [_weakref.ref(file)
                        for stream in (sys.stdout, sys.stderr)
                        for file in (stream, stream.buffer)]
        atexit.register(self)

    def begin(self):
        """Note which modules and exit functions are not the code's."""
        self.last = next(reversed(sys.modules))
        self.functions = atexit._ncallbacks()

    def set(self, code):
        """Note how the code has ended: with the code of a SystemExit."""
        self.status = status_of(code)

    def come(self):
        """Do what the interpreter would do next, up to our own call.

        So nothing of the interpreter is freed on the way there.  Where
        anything of the code's runs before that call, it would find our
        frames around it: then all is left to the interpreter.
        """
        try:
            if not self.is_alone():
                return
            for stream in sys.stderr, sys.stdout:
                flush(stream)
            threading = sys.modules.get("threading")
            # With one thread there is none to wait for.  The call would only
            # mark this thread as ended, and so copy a page of the template.
            if getattr(threading, "_threading_atexits", threading):
                threading._shutdown()
            atexit._run_exitfuncs()
        except BaseException:
            pass  # the interpreter goes on with what is left

    def is_alone(self):
        """Whether the code has left no thread and no exit function.

        Before Python 3.10 a module that is imported again has functions of
        its own, and they cannot be counted.
        """
        threading = sys.modules.get("threading")
        return (COUNTED and atexit._ncallbacks() == self.functions and
                (threading is None or threading.active_count() == 1))

    def rehearse(self):
        """Do all of it but to end, and forget it."""
        self.is_alone()
        for stream in sys.stderr, sys.stdout:
            flush(stream)
        self(leave=int)
        self.status = None

    def __call__(self, leave=LEAVE, collect=gc.collect, ref=_weakref.ref):
        """End, if it is known how."""
        if self.status is None:
            return
        hook = getattr(sys, "unraisablehook", None)
        warnings, plain = sys.modules.get("warnings"), None
        try:
            if hook is sys.__unraisablehook__:
                sys.unraisablehook = tell_ignored
            if "mcp._forgotten" in sys.modules:
                sys.modules["mcp._forgotten"].end()
            if warnings:
                plain = warnings._warn_unawaited_coroutine
                warnings._warn_unawaited_coroutine = warn_unawaited
            # As the interpreter does: this puts files behind their buffers,
            # which the next collection then writes before it closes them.
            if gc.isenabled():
                collect()
            modules = []
            for name in own_modules(self.last):
                modules.append(ref(sys.modules[name]))
                sys.modules[name] = None  # as the interpreter does
            collect()
            for module in modules:
                if module() is not None:
                    forget(vars(module()))
            for stream in {sys.stdout, sys.stderr, sys.__stdout__,
                           sys.__stderr__}:
                if stream is not None and not stream.closed:
                    stream.flush()
            flush_files([stream() for stream in self.streams])
            if "mcp._forgotten" in sys.modules:
                sys.modules["mcp._forgotten"].send()
        except BaseException:
            return
        finally:
            # What is freed here may have set or deleted it.
            if getattr(sys, "unraisablehook", None) is tell_ignored:
                sys.unraisablehook = hook
            if plain:
                warnings._warn_unawaited_coroutine = plain
        leave(self.status)


def status_of(code):
    """Return the exit status that the code of a SystemExit is, or None."""
    if code is None:
        return 0
    return int(code) if type(code) in (int, bool) and 0 <= code < 256 else None


def tell_ignored(ignored):
    """sys.unraisablehook while the code's objects are freed here.

    The interpreter would free them with no frame around: ours are left out.
    """
    trace = ignored.exc_traceback
    while (trace is not None and trace.tb_frame.f_code.co_filename ==
           flush.__code__.co_filename):
        trace = trace.tb_next
    sys.__unraisablehook__(type(ignored)((
        ignored.exc_type, ignored.exc_value, trace, ignored.err_msg,
        ignored.object)))


def warn_unawaited(coroutine):
    """Warn of a coroutine that is freed here, as of one without a frame.

    The interpreter has none then, and would name a line of ours here.
    """
    sys.modules["warnings"].warn(
        "coroutine %r was never awaited" % coroutine.__qualname__,
        RuntimeWarning, sys.getrecursionlimit())


def flush(stream):
    """Write what is left in its buffer; it may be anything by now."""
    try:
        stream.flush()
    except BaseException:
        pass


def flush_files(streams, objects=gc.get_objects):
    """Write what is left in the buffers of files that are still in use.

    An exit function may use one, or a module that is not the code's.  A
    failure is not reported: no caller is left.
    """
    for thing in (CHOOSE or chosen)(streams + objects(), BUFFERED):
        flush(thing)


def chosen(things, types):
    """Return those of exactly these types."""
    return [thing for thing in things if type(thing) in types]


def own_modules(last):
    """Return the names of the modules that the code has made itself.

    They come behind the last one that is not; what was there before is not
    even looked at, as that would copy its memory in a forked box.
    """
    names = ["__main__"]
    for name in reversed(sys.modules):
        if name == last:
            break
        file = str(getattr(sys.modules[name], "__file__", None))
        if file.startswith(PLACES) and not file.startswith(INSTALLED):
            names.append(name)
    return names


def forget(names):
    """Take a namespace apart in the order in which the interpreter does."""
    for hidden in True, False:
        for name in list(names):
            if type(name) is str and name != "__builtins__" and hidden == (
                    name[:1] == "_" and name[1:2] != "_"):
                names[name] = None
