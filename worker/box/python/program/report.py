"""What is printed when the code has ended: its error, hints, and notes.

Run by the bootstrap, in one namespace with script.py, which uses it, and with
ending.py, which it uses.  Most hints are made in advice.py, lost_files.py and
mcp/_seen.py; this file prints them, and never changes how the code ends.
"""
import builtins
import os
import sys

# The size of a folder in memory with one entry.  Both folders have one at the
# start: the folder "out", and the code.
ONE_ENTRY = 60 if HOME == "/workspace" else None
# The code is kept as a file.  It lies beside the user's files, not among them.
PATH = TMPDIR + "/run_python.py"
# Entries that exist before the code: a virtual environment may lie in /tmp.
STANDING_FILES = {
    "%s/%s" % (folder, name) for folder in (HOME, TMPDIR)
    if os.path.isdir(folder) for name in os.listdir(folder)} - {HOME + "/in"}
OUR_FILES = {PATH, HOME + "/out", *STANDING_FILES}
# Files that were there before the code ran: times and sizes of those given.
GIVEN = dict.fromkeys({PATH, *STANDING_FILES})
FOLDERS = HOME, TMPDIR, GIVEN  # as lost_files.py needs them
RUNNERS = tuple(
    "/asyncio/%s.py" % name for name in ("runners", "base_events", "events"))
# Where libraries lie; more than one for a virtual environment.
LIBRARIES = tuple({"/usr/", "<frozen ", sys.prefix + "/",
                   sys.base_prefix + "/"})
COMPILED = ".pyx", ".pxi", ".pxd"  # what Cython tells, without a folder
LOOP_HINT = """\
hint: code with 'await' at top level runs inside an event loop, so another \
one cannot be started: write 'await main()' instead of 'asyncio.run(main())'
"""
DROPPED = []  # frames that are not shown: what they hold goes with the rest
NOTES = []  # lines that stand behind all output
HINTS = []  # lines that stand below the error of code that does not compile
LOST_FILES = {}  # the names of lost_files.py, once they are needed
INPUT = []  # what undoes it, where the call gave some
ECHO = []  # of the last value: something if it is wanted, VALUE once shown
SESSION = []  # something, where programs follow in the same namespace
PLOTS = "caisson_plots"  # plots.py
REHEARSED = []  # something, while there is no code, and what comes is not its
# How code looks for files without an error.
LOOKS = {"exists", "isfile", "isdir", "is_file", "is_dir", "glob", "iglob",
         "rglob", "walk"}
# How it waits for tasks.
JOINS = {"gather", "wait", "wait_for", "as_completed", "TaskGroup"}
LOST = ("tasks that have not ended when asyncio.run() does are cancelled: keep "
        "them in a list, and write 'await asyncio.gather(*tasks)'")
VALUE = "<value>"  # what the code keeps that value as: no name of its own


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
            self.hook(kind, error, trace)
        except SystemExit:
            raise
        except BaseException as second:
            self.hook_failed(second, error)
        for line in [hint] * bool(hint) + HINTS:
            complain(line)
        tell_notes()
        if self.awaiting and is_second_loop(error):
            complain(LOOP_HINT)

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
        if "mcp._seen" in sys.modules:
            hint = sys.modules["mcp._seen"].about_error(error, trace)
        return hint or advice(error, trace)
    except BaseException:
        pass  # the code may have broken what that takes
    return None


def advice(error, trace):
    """Return what there is to say of an error that the sandbox explains."""
    names = {"__name__": "caisson_advice"}
    exec(load("program/advice"), names)
    names["FRESH"] = not SESSION
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
        if not trace.tb_frame.f_code.co_filename.startswith(OUR_CODE):
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


def note_more(failed=False, code=None):
    """Note names that were taken for others, and pictures that were changed or
    not shown; unless the code has failed, the tools that had more than it has
    read, too.
    """
    seen = sys.modules.get("mcp._seen")
    shown = sys.modules.get("mcp._show")
    progress = sys.modules.get("mcp._progress")
    try:
        if progress:
            progress.flush()
        NOTES.extend(seen.notes(failed, code) if seen else ())
        NOTES.extend(shown.notes() if shown else ())
        if ECHO and not (failed or seen and seen.SEEN) and uses(code, LOOKS):
            from mcp import _absent
            NOTES.extend(_absent.about(code))
    except BaseException:
        pass  # the code may have changed what that needs


def uses(code, names):
    """Whether some code, or a function in it, uses one of these names."""
    return not names.isdisjoint(code.co_names) or any(
        type(const) is type(code) and uses(const, names)
        for const in code.co_consts)


def lost_files():
    """Return the names of lost_files.py."""
    if not LOST_FILES:
        LOST_FILES["__name__"] = "caisson_lost_files"
        exec(load("program/lost_files"), LOST_FILES)
    return LOST_FILES


def is_silent():
    """Whether nothing was printed, as far as the relay knows."""
    if VALUE in ECHO:
        return False
    from mcp import _echo
    for stream in sys.stdout, sys.stderr:
        stream.flush()
    return _echo.ask()


def note_silent(pid, name):
    """Note that code has printed nothing that has called tools, or that ends
    with a function.

    What its last statement sets is the answer then, as an expression would be.
    name: of last_name(), what its last statement sets or defines; or LOST.
    """
    seen = sys.modules.get("mcp._seen")
    try:
        defines = name and name.endswith("()")
        if ECHO and name and (
                defines or name is LOST or seen and seen.SEEN) and \
                os.getpid() == pid and "mcp._show" not in sys.modules and \
                is_silent():
            count = len(NOTES)
            says = name if name is LOST else (
                "%s was defined and not called" if defines
                else "the answer is the value of %s" if tell_set(name)
                else "print(%s) shows it") % name
            if len(NOTES) == count:
                NOTES.append("note: nothing was printed: %s\n" % says)
    except BaseException:
        pass  # the code may have changed what that needs


def tell_set(name):
    """Tell the relay the value of a name that the code has set last, if it has
    one, and return whether it has.  No call is carried out for that.
    """
    from types import CoroutineType
    from mcp import _call, _echo
    value = vars(sys.modules["__main__"]).get(name)
    if value is None or isinstance(value, (_call.Call, CoroutineType)) or \
            _echo.is_future(value):
        return False
    _echo.tell(value, NOTES)
    ECHO.append(VALUE)
    return True


def see_given():
    """Notice the files in /workspace/in, before the code runs.

    They are as old as the kept files: whatever changes one now is seen.
    """
    folder = HOME + "/in"
    if is_used(HOME) and os.path.isdir(folder):
        for entry in os.scandir(folder):
            status = entry.stat()
            GIVEN[entry.path] = status.st_mtime_ns, status.st_size


def has_files():
    """Whether there is something in the folders for files."""
    return is_used(HOME) or is_used(TMPDIR)


def is_used(folder):
    """Whether a folder has anything that was not there at the start."""
    return os.stat(folder).st_size != ONE_ENTRY and not REHEARSED and any(
        "%s/%s" % (folder, name) not in OUR_FILES
        for name in os.listdir(folder))


def show_open(pid):
    """Show figures that code which showed nothing has left open.

    pid: the process of the code, not of its children.
    """
    try:
        if PLOTS in sys.modules and os.getpid() == pid:
            sys.modules[PLOTS].finish(NOTES)
    except BaseException:
        pass  # the code may have changed what that needs


def pack_out(pid):
    """Pack folders in /workspace/out, as only files come back.

    The kernel counts the folders in the links of the one that they are in.
    """
    try:
        if HOME == "/workspace" and os.getpid() == pid and \
                os.stat(HOME + "/out").st_nlink > 2:
            from mcp import _pack
            NOTES.extend(_pack.pack())
    except BaseException:
        pass  # as in note_lost_files()


def note_lost_files(pid):
    """Note what the code leaves behind, or has not noticed.

    pid: the process of the code, not of its children.
    """
    try:
        if ECHO and os.getpid() == pid and has_files():
            NOTES.extend(lost_files()["about_files"](FOLDERS))
        elif not ECHO:
            keep_lost_files(pid)
    except BaseException:
        pass  # the code may have changed what that needs
    pack_out(pid)


def keep_lost_files(pid):
    """Keep files that code which has failed has told of, and folders."""
    try:
        if os.getpid() == pid and has_files():
            NOTES.extend(lost_files()["keep_files"](FOLDERS))
    except BaseException:
        pass  # as in note_lost_files()
    pack_out(pid)


def tell_notes():
    """Have the relay show the notes behind all output."""
    told = NOTES[:]
    NOTES.clear()
    try:
        if told:
            from mcp import _notes
            _notes.tell(told)
    except BaseException:
        pass  # the code may have changed what that needs
