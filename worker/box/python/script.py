"""The interpreter's side of the box protocol (see relay/frames.c).

The bootstrap runs it as the first Python in a fresh box, with descriptor 0
empty, 1 and 2 the raw pipes of the code, 3 and 4 the pipes of the relay.  It
says that it is ready, reads one frame, and runs the code of that frame as
the interpreter runs a script.  It never reads the output of the code, never
ends the process while the code runs and keeps nothing between two executions.
"""
import _io
import _thread
import _weakref
import atexit
import builtins
import gc
import os
import sys
from _frozen_importlib_external import PathFinder, SourceFileLoader
from select import select

try:
    from _json import make_scanner
except ImportError:
    make_scanner = None

# A script does not find these imported, unless by others.
for name in {"atexit", "gc", "select"} - FOUND:
    del sys.modules[name]
del FOUND
CONTROL_IN, CONTROL_OUT = 3, 4
CHUNK = 1 << 16  # what a pipe holds
FRAME = 1 << 12  # more than most frames have
BUFFERED = (_io.TextIOWrapper, _io.BufferedWriter, _io.BufferedRandom,
            _io.BufferedRWPair)
# Of a thread, where the first one has 8 MiB: the stack counts as memory whole,
# and there shall be room for a hundred.
STACK = 4 << 20
CHILD = "caisson_child"  # what this file is called where it only offers
SOON = 0.002  # seconds in which code comes that a box was made for
# Where the relay's pipes are put: select() can watch no more than 1024.
HIGHEST = min(os.sysconf("SC_OPEN_MAX"), 1024)
PLACE = HIGHEST - 2, HIGHEST - 1
CONTROL = []  # those of them that are there
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# CPython 3.11 changes code while it runs for the first few times.
REHEARSALS = 8
EMPTY_FRAME = b'''{"type":"run","code":"print('', end='')","memory":true,\
"echo":true}
'''
LEAVE = TEMPLATE.leave if TEMPLATE else os._exit
COUNTED = sys.version_info >= (3, 10)  # exit functions can be
BROKEN = 70  # EX_SOFTWARE, as every process of ours that met nonsense
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
ALLOW_TOP_LEVEL_AWAIT = 0x2000  # ast.PyCF_…, without importing ast
COROUTINE = 0x80  # inspect.CO_COROUTINE
HOME = os.environ.get("HOME", "/workspace")
TMPDIR = os.environ.get("TMPDIR", "/tmp")
PLACES = HOME + "/", TMPDIR + "/"
# The size that the kernel gives for an empty folder in memory.
NO_ENTRIES = 40 if HOME == "/workspace" else None
# The code is kept as a file.  It lies beside the user's files, not among them.
PATH = TMPDIR + "/run_python.py"
LOADER = SourceFileLoader("__main__", PATH)
RUNNERS = tuple(
    "/asyncio/%s.py" % name for name in ("runners", "base_events", "events"))
# Where libraries lie; more than one for a virtual environment.
LIBRARIES = tuple({"/usr/", "<frozen ", sys.prefix + "/",
                   sys.base_prefix + "/"})
COMPILED = ".pyx", ".pxi", ".pxd"  # what Cython tells, without a folder
MEMORY = (
    "save_tool", "save_memory", "load_memory", "update_memory",
    "delete_memory", "list_memories", "memory_exists", "get_memory_info")
LOOP_HINT = """\
hint: code with 'await' at top level runs inside an event loop, so another \
one cannot be started: write 'await main()' instead of 'asyncio.run(main())'
"""
DROPPED = []  # frames that are not shown: what they hold goes with the rest
NOTES = []  # lines that the end of the code brings
ROOM = []  # bytes that are kept of each stream
LEFT = {}  # the names of left.py, once they are needed
WANTED = []  # something, where the value of the last expression is wanted
VALUE = "<value>"  # what the code keeps that value as: no name of its own
ONLY_AST = 0x400  # ast.PyCF_…, without importing ast
# How last lines begin that are no expressions, or whose value is None.
NO_VALUE = (b"print(", b"import ", b"from ", b"def ", b"class ", b"if ",
            b"for ", b"while ", b"with ", b"try:", b"else:", b"elif ",
            b"except:", b"except ", b"except*", b"finally:", b"async ", b"@")
SPAWN_HINT = """\
code with 'await' at top level cannot be re-imported, as the start methods \
'spawn' and 'forkserver' of multiprocessing do: use \
multiprocessing.get_context('fork'), or put the awaits into an async function \
main and end with: if __name__ == '__main__': asyncio.run(main())"""


class Malformed(Exception):
    """The relay sent something that is no run frame."""


class Scanning:
    """The settings that json.loads gives to the scanner in C.

    The package json itself imports re, which is a third of the start-up time
    of a small script; the scanner behind it needs only these.
    """

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


SCAN = make_scanner and make_scanner(Scanning)


class AwaitingModule(type(sys)):
    """The user's module when it has top-level await.

    multiprocessing asks the module for its file in order to import it again
    in a new interpreter, which would fail there with a bare SyntaxError, for
    ever and again in a pool.  So that question is answered here.
    """

    @property
    def __file__(self):
        """Return the path to everybody but multiprocessing.spawn."""
        asking = sys._getframe(1).f_globals.get("__name__")
        if asking == "multiprocessing.spawn":
            raise RuntimeError(SPAWN_HINT)
        try:
            return self.__dict__["__file__"]
        except KeyError:
            raise AttributeError("__file__") from None


class Finder:
    """In sys.meta_path: mcp and mmap are ours, whatever is installed.

    And the module socket is changed a little.
    """

    def __init__(self, box):
        self.box = box

    def find_spec(self, name, path=None, target=None):
        """Return where one of ours is; mcp knows what is in mcp."""
        if name == "mmap":
            return PathFinder.find_spec(name, [OURS])
        if name == "socket":
            return sockets()["find_spec"](name, path)
        if name == "subprocess" and LEFT:
            return LEFT["find_spec"](name, path)
        if name == "user_tools" and self.box.memory:
            from mcp import _user_tools
            return _user_tools.find_spec()
        if name == "mcp":
            sys.modules["mcp._box"] = self.box
            return PathFinder.find_spec(name, [OURS])
        if name.startswith("mcp._"):
            return PathFinder.find_spec(name, path)
        if name.startswith("mcp.") or name == "multiprocessing.spawn":
            from mcp import _modules
            return _modules.find_spec(name, path)
        if name == "runtime" or name.startswith("mcp_"):
            from mcp import _modules
            return _modules.find_global(name)
        return None


def sockets():
    """Return the names of sockets.py, which is no module that is found."""
    names = {"__name__": "caisson_sockets"}
    exec(load("sockets"), names)
    return names


def change_sockets():
    """Change the module socket, if it was imported before there is a box."""
    if "socket" in sys.modules:
        sockets()["change"](sys.modules["socket"])


class Runtime(type(sys)):
    """The global 'runtime' until it is used; then it is mcp.runtime."""

    def __getattr__(self, name):
        """Become the module; to do so, Python asks for names of its own."""
        if name in ("__file__", "__cached__", "__path__"):
            raise AttributeError(name)
        import mcp.runtime
        return type(sys).__getattribute__(mcp.runtime, name)

    def __dir__(self):
        """Become the module."""
        import mcp.runtime
        return dir(mcp.runtime)


class Late:
    """A global that is a function of mcp.runtime, imported when it is used.

    It looks like that function.
    """

    __slots__ = ("_name",)
    __module__ = "mcp.runtime"
    __doc__ = property(lambda self: self._real().__doc__)
    __class__ = property(lambda self: type(self._real()))

    def __init__(self, name):
        self._name = name

    def _real(self):
        import mcp.runtime
        return getattr(mcp.runtime, self._name)

    def __call__(self, *args, **kwargs):
        return self._real()(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self._real(), name)

    def __repr__(self):
        return repr(self._real())


LATE = {name: Late(name) for name in MEMORY}


class Servers(dict):
    """The global 'mcp_servers': the loaded servers by name.

    While it is empty it is no more than this.
    """

    def __missing__(self, name):
        """Become what mcp makes of it, and answer."""
        from mcp import _servers
        return _servers.missing(name)

    def __contains__(self, name):
        """Become what mcp makes of it, and answer."""
        from mcp import _servers
        return _servers.ByName.__contains__(self, name)

    def get(self, name, default=None):
        """Become what mcp makes of it, and answer."""
        from mcp import _servers
        return _servers.ByName.get(self, name, default)

    def __repr__(self):
        """Become what mcp makes of it, and answer."""
        from mcp import _servers
        return _servers.ByName.__repr__(self)

    def __getattr__(self, name):
        """Become what mcp makes of it, and answer."""
        if name.startswith("__"):
            raise AttributeError(name)
        from mcp import _servers
        raise _servers.attribute_error(_servers.no_attribute(name))


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
        if code is None:
            code = 0
        if type(code) in (int, bool) and 0 <= code < 256:
            self.status = int(code)

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
        except BaseException:
            return
        finally:
            # What is freed here may have set or deleted it.
            if getattr(sys, "unraisablehook", None) is tell_ignored:
                sys.unraisablehook = hook
            if plain:
                warnings._warn_unawaited_coroutine = plain
        leave(self.status)


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
    """Warn of a coroutine that is freed here, by the line of its function.

    The interpreter names the line that runs now, which is one of ours.
    """
    code = coroutine.cr_code
    sys.modules["warnings"].warn_explicit(
        "coroutine %r was never awaited" % coroutine.__qualname__,
        RuntimeWarning, code.co_filename, code.co_firstlineno)


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
    for thing in streams + objects():
        if type(thing) in BUFFERED:
            flush(thing)


def own_modules(last):
    """Return the names of the modules that the code has made itself.

    They come behind the last one that is not; what was there before is not
    even looked at, as that would copy its memory in a forked box.
    """
    names = ["__main__"]
    for name in reversed(sys.modules):
        if name == last:
            break
        module = sys.modules[name]
        if str(getattr(module, "__file__", None)).startswith(PLACES):
            names.append(name)
    return names


def forget(names):
    """Take a namespace apart in the order in which the interpreter does."""
    for hidden in True, False:
        for name in list(names):
            if type(name) is str and name != "__builtins__" and hidden == (
                    name[:1] == "_" and name[1:2] != "_"):
                names[name] = None


class Report:
    """sys.excepthook for the one exception that ended the user's code.

    The interpreter calls it, so everything around (sys.last_value, exit
    status, death by SIGINT) is the interpreter's own; it only takes our
    frames out before the hook that the user sees does its work.
    """

    def __init__(self, awaiting):
        self.awaiting = awaiting
        self.hook = getattr(sys, "excepthook", sys.__excepthook__)

    def __call__(self, kind, error, trace):
        sys.excepthook = self.hook
        hint = about_ours(kind, error, trace)
        trace = without_ours(trace, self.awaiting)
        sys.last_traceback = trace
        BaseException.with_traceback(error, trace)
        tidy_chain(error, self.awaiting)
        try:
            self.show(kind, error, trace)
        except SystemExit:
            raise
        except BaseException as second:
            self.hook_failed(second, error)
        if hint:
            complain(hint)
        tell_notes()
        if self.awaiting and is_second_loop(error):
            complain(LOOP_HINT)

    def show(self, kind, error, trace):
        """Have the hook show the error; the interpreter's, in few words.

        Where memory is short, or the code has made the stream its own, it
        writes as always.  Mistakes of syntax need all of their carets.
        """
        stream = sys.stderr
        if (self.hook is not sys.__excepthook__ or stream is None
                or stream is not sys.__stderr__
                or issubclass(kind, (MemoryError, SyntaxError))):
            self.hook(kind, error, trace)
            return
        names = {"__name__": "caisson_carets"}
        exec(load("carets"), names)
        sys.stderr = carets = names["Carets"](stream)
        try:
            self.hook(kind, error, trace)
        finally:
            if sys.stderr is carets:
                sys.stderr = stream
            flush(carets)

    def hook_failed(self, second, error):
        """Tell of both errors in the interpreter's words."""
        show = sys.__excepthook__
        second.__traceback__ = without_ours(second.__traceback__, False)
        tidy_chain(second, False)
        complain("Error in sys.excepthook:\n")
        show(type(second), second, second.__traceback__)
        complain("\nOriginal exception was:\n")
        show(type(error), error, error.__traceback__)


def about_ours(kind, error, trace):
    """Return what else there is to say, of calls and servers; or None."""
    module = sys.modules.get("mcp._forgotten")
    try:
        if module:
            module.end(trace)
        if kind is NameError and "'mcp" in str(error.args[:1]):
            from mcp import _hints
            return _hints.about_error(error)
        hint = None
        if "mcp._lenient" in sys.modules:
            hint = sys.modules["mcp._lenient"].about_error(error, trace)
        return hint or advice(error, trace)
    except BaseException:
        pass  # the code may have broken what that takes
    return None


def advice(error, trace):
    """Return what there is to say of an error that the sandbox explains."""
    names = {"__name__": "caisson_advice"}
    exec(load("advice"), names)
    hint = names["about"](error, trace, "save_memory" in vars(
        sys.modules["__main__"]))
    return "hint: %s\n" % hint if hint else None


def complain(text):
    """Write to sys.stderr, which the user may have closed or replaced."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except Exception:
        pass


def is_second_loop(error):
    """Whether error is asyncio's refusal to run a loop inside a loop."""
    return type(error) is RuntimeError and str(error.args[:1]).endswith((
        "cannot be called from a running event loop',)",
        "Cannot run the event loop while another loop is running',)",
        "This event loop is already running',)",
    ))


def without_ours(trace, awaiting):
    """Return trace without our frames.

    Those of asyncio that run top-level await are ours too, unless nothing
    else is left: an interrupt inside the event loop has happened somewhere.
    """
    frames = []
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(OURS):
            frames.append(trace)
        trace = trace.tb_next
    first = 0
    while awaiting and first < len(frames) and is_runner(frames[first]):
        first += 1
    # What a library does for the code says less than the line that asked it.
    own = [frame for frame in frames[first:] if not is_library(frame)]
    if own:
        DROPPED.append(frames)
        frames, first = own, 0
    for frame in reversed(frames[first:] or frames):
        frame.tb_next = trace
        trace = frame
    return trace


def is_library(trace):
    """Whether this is a frame of what is installed, not of the code."""
    path = trace.tb_frame.f_code.co_filename
    return path.startswith(LIBRARIES) or path.endswith(COMPILED)


def is_foreign(error):
    """Whether an error arose in a library, and ended there."""
    trace = error and error.__traceback__
    while trace is not None and is_library(trace):
        trace = trace.tb_next
    return error is not None and error.__traceback__ and trace is None


def is_runner(trace):
    """Whether this is a frame of asyncio.run."""
    return trace.tb_frame.f_code.co_filename.endswith(RUNNERS)


def tidy_chain(error, awaiting):
    """Take our frames out of the causes, contexts and members of error.

    A class of the user may make any of these raise: then the rest stays as
    it is, and the error itself is still shown.
    """
    group = getattr(builtins, "BaseExceptionGroup", ())
    seen, left = set(), [error]
    try:
        while left:
            error = left.pop()
            if error is None or id(error) in seen:
                continue
            seen.add(id(error))
            trace = without_ours(error.__traceback__, awaiting)
            error.__traceback__ = trace
            if is_foreign(error.__cause__):
                error.__cause__ = None
            if is_foreign(error.__context__):
                error.__suppress_context__ = True
            left += [error.__cause__, error.__context__]
            left += error.exceptions if isinstance(error, group) else ()
    except Exception:
        pass


def take_control(pipes):
    """Move the relay's pipes out of the way of the code.

    Programs expect the lowest free descriptor to be 3, and close what lies
    above; children after fork must not speak to the relay, and programs that
    they execute must not even inherit the pipes.
    """
    os.dup2(pipes[0], PLACE[0], False)
    os.dup2(pipes[1], PLACE[1], False)
    os.close(pipes[0])
    os.close(pipes[1])
    CONTROL.extend(PLACE)
    return PLACE


def leave_control(close=os.close):
    """Let go of the relay's pipes, in a child of the code."""
    while CONTROL:
        close(CONTROL.pop())


def rehearse(ending):
    """Run code that does nothing, to its end, as all takes longer at first.

    The interpreter makes the compiler ready then, and a forked box copies the
    memory that is written to.
    """
    place = sys.modules["__main__"], sys.argv, sys.path[:], sys.meta_path[:]
    parse('{"names": [""]}')
    WANTED.append("")
    run(b"print('', end='')\n", (-1, -1), (), True, ending)
    ending.rehearse()
    WANTED.clear()
    sys.modules["__main__"], sys.argv, sys.path[:], sys.meta_path[:] = place


def rehearse_box(ending):
    """Be a box from its first moment on, in a template, and forget it."""
    place = sys.modules["__main__"], sys.argv, sys.path[:], sys.meta_path[:]
    (code, relay), (answer, ready) = os.pipe(), os.pipe()
    os.write(relay, EMPTY_FRAME)
    run(*wait_for_code((code, ready), ending), ending)
    ending.rehearse()
    WANTED.clear()
    sys.modules["__main__"], sys.argv, sys.path[:], sys.meta_path[:] = place
    leave_control()
    os.close(relay)
    os.close(answer)


def receive(control):
    """Return the code and what it has.

    That is the servers, and whether it may keep memories and tools.
    """
    parts, size = [b""], FRAME
    while not parts[-1].endswith(b"\n"):
        parts.append(os.read(control[0], size))
        size = CHUNK
        if not parts[-1]:
            raise Malformed("the relay closed its pipe before the code came")
    try:
        frame = parse(b"".join(parts).decode().strip())
        if frame["type"] != "run":
            raise ValueError("its type is not 'run'")
        if frame.get("echo") is True:
            WANTED.append(frame["type"])
        if type(frame.get("output")) is int:
            ROOM.append(frame["output"])
        return (frame["code"].encode(), frame.get("servers", ()),
                frame.get("memory") is True)
    except (AttributeError, LookupError, RecursionError, TypeError,
            ValueError) as error:
        raise Malformed("the relay sent no run frame (%s: %s)" % (
            type(error).__name__, error)) from None


def parse(text):
    """Return the one JSON value that text is.

    What the scanner cannot take, the whole library reads or explains.
    """
    try:
        value, end = SCAN(text, 0)
        if end == len(text):
            return value
    except (AttributeError, StopIteration, SystemError, TypeError, ValueError):
        pass
    import json
    return json.loads(text)


def store(source):
    """Keep the code as a file and return its bytes.

    Tracebacks, inspect and multiprocessing's spawn read it again.  Without
    room there is no file: the code runs all the same, and tracebacks have no
    source lines.
    """
    source = in_declared_encoding(source)
    try:
        file = os.open(PATH, NEW_FILE, 0o666)
        try:
            whole = os.write(file, source) == len(source)
        finally:
            os.close(file)
    except OSError:
        whole = False
    if not whole and os.path.exists(PATH):
        os.unlink(PATH)
    return source


def in_declared_encoding(source):
    """Return source in the encoding that its first two lines declare.

    The code arrives as text; readers of the file rely on what it declares,
    so that must be true.
    """
    declared = b"".join(source.split(b"\n", 2)[:2]).find(b"coding") >= 0
    if not declared or source.startswith(BYTE_ORDER_MARK):
        return source
    import io
    import tokenize
    try:
        name = tokenize.detect_encoding(io.BytesIO(source).readline)[0]
        return source.decode().encode(name)
    except (SyntaxError, UnicodeError):
        return source  # the compiler will tell


def become_main():
    """Put a module into place that looks as a script's module does."""
    module = type(sys)("__main__")
    names = module.__dict__
    names.update(NAMES, __file__=PATH, __loader__=LOADER)
    sys.modules["__main__"] = module
    sys.argv = [PATH]
    sys.path.insert(0, HOME)
    return module


def execute(code, module):
    """Run the code; with top-level await as asyncio.run does."""
    if not code.co_flags & COROUTINE:
        exec(code, module.__dict__)
        return
    import asyncio
    running = eval(code, module.__dict__)
    if VALUE in code.co_names:
        from mcp import _echo
        running = _echo.wait(running, module.__dict__, VALUE, NOTES)
    asyncio.run(running)


def offer_servers(names, control, pid, told, memory):
    """Give the code what it calls servers with, and keeps things with.

    Only the process pid can use them.  Unless there are servers, nothing is
    imported before the code uses it.
    """
    box = type(sys)("mcp._box")
    box.control, box.pid, box.told, box.memory = control, pid, told, memory
    box.offer, box.output = (__file__, CHILD), sum(ROOM)
    box.child = names is vars(builtins)
    box.servers, box.runtime = Servers(), Runtime("mcp.runtime")
    sys.meta_path.insert(0, Finder(box))
    names.update(mcp_servers=box.servers, LOADED_MCP_SERVERS=(),
                 runtime=box.runtime)
    if memory:
        names.update(LATE)
    if told:
        import mcp._servers  # noqa: F401


def offer_named(code, names):
    """Give the code the servers that it names, and that are not loaded."""
    known = names.keys() | vars(builtins).keys()
    parts, wanted = [code], set()
    while parts:
        part = parts.pop()
        for const in part.co_consts:
            if type(const) is type(code):
                parts.append(const)
            elif type(const) is str and const.startswith("mcp_"):
                wanted.add(const)
        wanted.update(part.co_names)
    wanted -= known
    if not code.co_flags & COROUTINE:  # servers are called with await
        wanted = {name for name in wanted if name[:4].lower() == "mcp_"}
    if wanted:
        import mcp._names
        mcp._names.offer(code, names, wanted)


def compiled(source):
    """Return the code as it runs."""
    return compile(source, PATH, "exec", ALLOW_TOP_LEVEL_AWAIT, True)


def ends_in_expression(source):
    """Whether the last statement may be an expression that has a value."""
    source = source.rstrip()
    while source:
        head, _, line = source.rpartition(b"\n")
        if line[:1] not in b" \t\r\f)]}#":
            return not line.startswith(NO_VALUE) and line[-1:] != b";"
        source = head
    return False


def compiled_with_value(source):
    """Return the code as it runs, which keeps the value of its last expression.

    None, where there is no such value; raises what the compiler does.
    """
    tree = compile(source, PATH, "exec", ONLY_AST | ALLOW_TOP_LEVEL_AWAIT,
                   True)
    last = tree.body[-1] if tree.body else None
    if type(last).__name__ != "Expr":
        return None
    from _ast import Assign, Name, Store
    place = {name: getattr(last, name) for name in last._attributes}
    tree.body[-1] = Assign(
        targets=[Name(VALUE, Store(), **place)], value=last.value, **place)
    return compiled(tree)


def echo(names):
    """Tell the relay the value of the last expression, if there is one."""
    value = names.pop(VALUE, None)
    if value is not None:
        from mcp import _echo
        _echo.tell(value, NOTES)
        WANTED.append(VALUE)


def does_compile(source):
    """Whether the compiler takes it, in silence."""
    try:
        compiled(source)
    except (SyntaxError, ValueError):
        return False
    return True


def mended(source):
    """Return code that the compiler takes for code that it refused, or None.

    Tells, at the end of the code, what was done, or why nothing can be.
    """
    names = {"__name__": "caisson_repair"}
    try:
        text = source.decode()
        exec(load("repair"), names)
        found = names["repair"](text, does_compile)
    except UnicodeError:
        return None
    except names.get("Refused", ()) as refused:
        NOTES.append("hint: %s\n" % refused)
        return None
    if found is None:
        hint = names["about"](text)
        NOTES.extend(["hint: %s\n" % hint] if hint else ())
        return None
    NOTES.append("note: the code did not compile, and ran %s\n" % found[1])
    return found[0].encode()


def is_hyphened(source):
    """Whether a name that begins with mcp_ may go on behind a hyphen."""
    at = source.find(b"mcp_")
    while at >= 0:
        at += 4
        while source[at:at + 1].isalnum() or source[at:at + 1] == b"_":
            at += 1
        if source[at:at + 1] == b"-" and source[at + 1:at + 2].isalpha():
            return True
        at = source.find(b"mcp_", at)
    return False


def unhyphened(source):
    """Return the code with names of servers as Python has them, or None."""
    import mcp._names
    names = {"__name__": "caisson_repair"}
    exec(load("repair"), names)
    text, found = names["without_hyphens"](
        source.decode("utf-8", "replace"),
        [told["name"] for told in mcp._names.known_servers()])
    for name in dict.fromkeys(found):
        NOTES.append("note: %s is written %s\n" % (
            name, name.replace("-", "_")))
    return text.encode() if found else None


def unquoted(source):
    """Return the code in the one string that some code is, or None."""
    names = {"__name__": "caisson_repair"}
    exec(load("repair"), names)
    text = names["unquote"](source.decode("utf-8", "replace"), does_compile)
    if text is None:
        return None
    NOTES.append("note: the code was one string, and ran without its quotes\n")
    return text.encode()


def is_quoted(source):
    """Whether the code may be nothing but a string."""
    source = source.strip()
    return source[:1] in (b"'", b'"') and source[-1:] == source[:1]


def prepared(source):
    """Return the code, compiled, and its source, which may be repaired."""
    fixed = unhyphened(source) if is_hyphened(source) else None
    if fixed is not None:
        source = store(fixed)
    try:
        code = compiled(source)
        fixed = unquoted(source) if is_quoted(source) else None
    except SyntaxError:
        fixed = mended(source)
        if fixed is None:
            raise
    if fixed is not None:
        source = store(fixed)
        code = compiled(source)
    if WANTED and ends_in_expression(source):
        try:
            code = compiled_with_value(source) or code
        except (MemoryError, RecursionError):
            pass  # it takes more to change the code than to run it
    return code, source


def display(*values):
    """Print values, as the function of this name does in a notebook."""
    print(*values, sep="\n")


def note_more(failed=False):
    """Note names that were taken for others; unless the code has failed, the
    tools that had more than it has read, too.
    """
    lenient = sys.modules.get("mcp._lenient")
    try:
        NOTES.extend(lenient.notes(failed) if lenient else ())
    except BaseException:
        pass  # the code may have changed what that needs


def left():
    """Return the names of left.py."""
    if not LEFT:
        LEFT["__name__"] = "caisson_left"
        exec(load("left"), LEFT)
    return LEFT


def watch(source):
    """Notice programs that fail, where the code may start any."""
    if b"system(" in source:
        left()["teach_os"]()
    if b"subprocess" in source:
        left()
        if "subprocess" in sys.modules:
            LEFT["teach_subprocess"](sys.modules["subprocess"])


def named_in(source):
    """Return the files in /tmp that code names, and the time."""
    if b"/tmp/" not in source:
        return (), 0
    from time import time
    return left()["paths_in"](source), time()


def is_silent():
    """Whether nothing was printed, as far as the relay knows."""
    if VALUE in WANTED:
        return False
    from mcp import _echo
    for stream in sys.stdout, sys.stderr:
        stream.flush()
    return _echo.ask()


def has_files():
    """Whether there may be something in the folder for files.

    The kernel counts the entries of a folder in memory in its size, so that
    it need not be read.
    """
    return os.stat(HOME).st_size != NO_ENTRIES and any(
        "%s/%s" % (HOME, name) != PATH for name in os.listdir(HOME))


def note_left(pid, shows, named):
    """Note what the code leaves behind, or has not noticed.

    pid: the process of the code, not of its children; shows: whether the code
    may show pictures; named: the files in /tmp that it names, and since when
    they may be its own.
    """
    try:
        if WANTED and os.getpid() == pid and (
                LEFT.get("FAILED") or shows or named[0] or has_files()):
            helps = {"__name__": "caisson_advice"}
            exec(load("advice"), helps)
            NOTES.extend(left()["notes"](
                HOME, PATH, named, shows, is_silent, helps))
    except BaseException:
        pass  # the code may have changed what that needs


def tell_notes():
    """Say what there is to say at the end of the code."""
    while NOTES:
        complain(NOTES.pop(0))


def run(source, control, told, memory, ending):
    """Run the code as a script; errors are the interpreter's to report."""
    source = store(source)
    module = become_main()
    ending.begin()
    offer_servers(module.__dict__, control, os.getpid(), told, memory)
    awaiting, pid, shows = False, os.getpid(), b".show(" in source
    named = (), 0
    try:
        code, source = prepared(source)
        awaiting = bool(code.co_flags & COROUTINE)
        if awaiting:
            module.__class__ = AwaitingModule
        if awaiting or b"mcp_" in source:
            offer_named(code, module.__dict__)
        if b"display(" in source and "display" not in module.__dict__:
            module.display = display
        if WANTED:
            watch(source)
            named = named_in(source)
        del source
        execute(code, module)
        echo(module.__dict__)
    except SystemExit as error:
        ending.set(error.code)
        note_more(ending.status != 0)
        if ending.status == 0:
            note_left(pid, shows, named)
        tell_notes()
        raise
    except BaseException:
        note_more(True)
        sys.excepthook = Report(awaiting)
        raise
    note_more()
    note_left(pid, shows, named)
    tell_notes()
    ending.set(None)


def main():
    """Get ready, wait for the code, run it."""
    ending = Ending()
    _thread.stack_size(STACK)
    os.register_at_fork(after_in_child=leave_control)
    change_sockets()
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(
            encoding="utf-8", errors="backslashreplace", line_buffering=True)
    if TEMPLATE:
        become_template(ending)
    else:
        gc.freeze()  # what is there now need not be looked at in the end
    run(*wait_for_code((CONTROL_IN, CONTROL_OUT), ending), ending)
    ending.come()


def become_template(ending):
    """Fork boxes, in each of which this returns.

    What a box would be the first to do, and so would write to memory that it
    has to copy for it, is done before, as often as it takes.
    """
    for _ in range(REHEARSALS):
        TEMPLATE.rehearse()
        wake()
        TEMPLATE.forks.by_code.clear()
        rehearse_box(ending)
        gc.disable()
        gc.collect()
    TEMPLATE.forks.by_template.append(True)
    serve = vars(TEMPLATE).pop("serve")  # no box has it
    gc.freeze()
    serve()
    wake()


def wake():
    """Be a box, which differs from the others of the same template."""
    gc.enable()
    TEMPLATE.forks.by_code.append(True)
    for renew in TEMPLATE.renew:
        renew()


def wait_for_code(pipes, ending):
    """Return the code, the pipes, the servers, and whether there is memory.

    A box that waits gets ready for it meanwhile.  Without code end, saying
    why.
    """
    try:
        control = take_control(pipes)
        os.write(control[1], b'{"type":"ready"}\n')
        if not select(control[:1], (), (), SOON)[0]:
            rehearse(ending)
        source, told, memory = receive(control)
        return source, control, told, memory
    except Malformed as error:
        reason = str(error)
    except OSError as error:
        reason = "descriptors 3 and 4 must be the relay's pipes: %s" % error
    complain("caisson: the code was not run: %s\n" % reason)
    raise SystemExit(BROKEN)


if __name__ == CHILD:
    change_sockets()
    offer_servers(vars(builtins), (-1, -1), 0, globals()["told"],
                  globals()["memory"])
else:
    main()
