"""The interpreter's side of the box protocol (see relay/frames.c).

The bootstrap runs it last of its parts, in a fresh box, with descriptor 0
empty, 1 and 2 the raw pipes of the code, 3 and 4 the pipes of the relay.  It
says that it is ready, reads one frame, and runs the code of that frame as
the interpreter runs a script.  It never reads the output of the code, never
ends the process while the code runs, and keeps nothing between two executions
unless the frame says that it begins a session: programs.py goes on then.
"""
import _thread
import builtins
import gc
import os
import sys
from _frozen_importlib_external import SourceFileLoader
from select import POLLIN, poll

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
# Of a thread, where the first one has 8 MiB: the stack counts as memory whole,
# and there shall be room for a hundred.
STACK = 4 << 20
SOON = 2  # milliseconds in which code comes that a box was made for
# Where the relay's pipes are put: select() can watch no more than 1024.
HIGHEST = min(os.sysconf("SC_OPEN_MAX"), 1024)
PLACE = HIGHEST - 2, HIGHEST - 1
CONTROL = []  # those of them that are there
STANDING = []  # the module of the code, and what will be mcp._box
# CPython 3.11 changes code while it runs for the first few times.
REHEARSALS = 8
EMPTY_FRAME = b'''{"type":"run","code":"print('', end='')","memory":true,\
"echo":true}
'''
BROKEN = 70  # EX_SOFTWARE, as for every protocol violation
BY_CODE, RENEW = TEMPLATE and (TEMPLATE.forks.by_code, TEMPLATE.renew) or (
    [], ())
LOADER = SourceFileLoader("__main__", PATH)


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
    standing = STANDING[0]
    parse('{"names": [""]}')
    ECHO.append("")
    REHEARSED.append("")
    run(b"print('', end='')\n", (-1, -1), (), True, ending)
    forget_rehearsal(ending, standing)


def rehearse_box(ending):
    """Be a box from its first moment on, in a template, and forget it."""
    standing = STANDING[0]
    (code, relay), (answer, ready) = os.pipe(), os.pipe()
    os.write(relay, EMPTY_FRAME)
    REHEARSED.append("")
    run(*wait_for_code((code, ready), ending), ending)
    forget_rehearsal(ending, standing)
    leave_control()
    os.close(relay)
    os.close(answer)


def forget_rehearsal(ending, standing):
    """End code that did nothing, but for its module, which other code gets."""
    sys.modules["__main__"] = type(sys)("__main__")
    ending.rehearse()
    ECHO.clear()
    REHEARSED.clear()
    STANDING.append(standing)
    sys.modules["__main__"] = standing[0]


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
    return understood(b"".join(parts))


def understood(data):
    """Return what receive() does, of a run frame; raises Malformed."""
    try:
        frame = parse(data.decode().strip())
        if frame["type"] != "run":
            raise ValueError("its type is not 'run'")
        if frame.get("echo") is True:
            ECHO.append(frame["type"])
        if frame.get("progress") is True:
            PROGRESS.append(frame["type"])
        if frame.get("session") is True:
            SESSION.append(frame["type"])
        if "stdin" in frame or "environment" in frame:
            take_input(frame)
        if "directory" in frame:
            start_in(frame["directory"])
        return (frame["code"].encode(), frame.get("servers", ()),
                frame.get("memory") is True)
    except (AttributeError, LookupError, RecursionError, TypeError,
            ValueError) as error:
        raise Malformed("the relay sent no run frame (%s: %s)" % (
            type(error).__name__, error)) from None


def take_input(frame):
    """Give the code the standard input and the variables of its call."""
    names = {"__name__": "caisson_input"}
    exec(load("program/call_input"), names)
    try:
        INPUT.append(names["take"](frame, TMPDIR))
    except OSError as error:
        raise Malformed("stdin could not be written to %s: %s" % (
            TMPDIR, error)) from None


def start_in(folder):
    """Make a folder the working directory, whose modules can be imported.

    All that is written there is kept: what is compiled goes elsewhere.
    """
    try:
        os.chdir(folder)
    except OSError as error:
        raise Malformed("the code cannot start: %s" % error) from None
    sys.path.append(folder)
    sys.pycache_prefix = TMPDIR + "/.cache"


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


def become_main():
    """Put a module into place that looks as a script's module does."""
    module = type(sys)("__main__")
    names = module.__dict__
    names.update(NAMES, __file__=PATH, __loader__=LOADER)
    sys.modules["__main__"] = module
    sys.argv = [PATH]
    sys.path.insert(0, HOME)
    return module


def stand():
    """Have everything in place that does not depend on what the code is."""
    module = become_main()
    STANDING.append((module, define(module.__dict__)))


def unstand():
    """Undo stand()."""
    STANDING.clear()
    del sys.path[0], sys.meta_path[0]


def await_all(code, names):
    """Run code with top-level await as asyncio.run does."""
    import asyncio
    asyncio.run(noted(eval(code, names)))


async def noted(running):
    """Run code with top-level await; note the tasks that its end cancels."""
    await running
    import asyncio
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    if tasks and ECHO:
        from mcp import _tasks
        NOTES.extend(_tasks.about(tasks))


def echo(names, line):
    """Tell the relay the value of the last expression, if there is one.

    A coroutine is dropped where the interpreter would drop it, in a line of
    the code, because its warning names that line.
    """
    held = {"value": names.pop(VALUE, None)}
    if held["value"] is None:
        return
    from mcp import _echo
    ECHO.append(VALUE)
    if _echo.tell(held["value"], NOTES):
        exec(compile("\n" * (line - 1) + "del value", PATH, "exec"), names,
             held)


class Program:
    """One program: a script, or one of a session."""

    def __init__(self, module):
        self.module, self.pid, self.awaiting = module, os.getpid(), False
        self.code = self.name = None

    def run(self, source, await_all):
        """Run it; await_all(code, names) does so with top-level await.

        conclude() is to be given what this raises.
        """
        names = vars(self.module)
        source = store(source)
        see_given()
        self.code, source, last = prepared(source)
        self.awaiting = bool(self.code.co_flags & COROUTINE)
        self.module.__class__ = AwaitingModule if self.awaiting else type(sys)
        if self.awaiting or b"mcp_" in source:
            define_named(self.code, names)
        self.name = last_name(last)
        if b"create_task(" in source and not (
                self.name or self.awaiting or uses(self.code, JOINS)):
            self.name = LOST
        line = getattr(last, "lineno", 0)
        if b"display(" in source:
            names.setdefault("display", display)
        del source, last
        tell_notes()  # now, as the code may be killed
        (await_all if self.awaiting else exec)(self.code, names)
        echo(names, line)

    def conclude(self, error=None):
        """Say what there is to say of it when it has ended, by an error or
        None; return whether it exits, or Report is to tell the error.
        """
        exits = issubclass(type(error), (SystemExit, type(None)))
        failed = not exits or error and status_of(error.code) != 0
        if not failed:
            show_open(self.pid)
        note_more(failed, self.code)
        if error is None:
            note_silent(self.pid, self.name)
        (keep_lost_files if failed or SESSION else note_lost_files)(self.pid)
        if exits:
            tell_notes()
        return exits


def run(source, control, told, memory, ending):
    """Run the code as a script; errors are the interpreter's to report."""
    if SESSION:
        run_programs(source, control, told, memory)
    module, box = STANDING.pop()
    ending.begin()
    program = Program(module)
    define_servers(box, vars(module), control, program.pid, told, memory)
    try:
        program.run(source, await_all)
    except BaseException as error:
        if program.conclude(error):
            ending.set(error.code)
        else:
            sys.excepthook = Report(program.awaiting)
        raise
    program.conclude()
    ending.set(None)


def run_programs(*first):
    """Run the code, and the programs that follow, until there is no relay.

    What the code puts in place of builtins is not used for that.
    """
    names = dict(globals(), __builtins__=vars(builtins).copy(),
                 SCRIPT=globals())
    exec(load("program/programs"), names)
    names["serve"](*first)


def main():
    """Get ready, wait for the code, run it."""
    ending = Ending()
    _thread.stack_size(STACK)
    os.register_at_fork(after_in_child=leave_control)
    stand_in_early()
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(
            encoding="utf-8", errors="backslashreplace", line_buffering=True)
    if TEMPLATE:
        become_template(ending)
    else:
        gc.freeze()  # what is there now need not be looked at in the end
        stand()
    run(*wait_for_code((CONTROL_IN, CONTROL_OUT), ending), ending)
    ending.come()


def become_template(ending):
    """Fork boxes, in each of which this returns.

    What a box would be the first to do, and so would write to memory that it
    has to copy for it, is done before, as often as it takes.
    """
    try:
        keep_modules()
    except Exception as error:
        TEMPLATE.refuse("%s: %s" % (type(error).__name__, error))
    stand()
    TEMPLATE.move(lambda: rehearse_fork(ending), globals())
    for _ in range(REHEARSALS):
        rehearse_fork(ending)
    TEMPLATE.forks.by_template.append(True)
    unstand()
    gc.freeze()
    # No box has these.
    fill, compact, serve, _, _, _ = map(vars(TEMPLATE).pop, (
        "fill", "compact", "serve", "compact_end", "rehearse", "refuse"))
    fill()  # what the rehearsals have freed lies here and there
    compact()
    stand()  # not frozen: the collector takes it apart in the end
    gc.enable()
    serve(EMPTY_FRAME)
    wake()


def rehearse_fork(ending):
    """Be forked, and a box that waits, and forget it."""
    gc.enable()
    TEMPLATE.rehearse()
    wake()
    BY_CODE.clear()
    rehearse_box(ending)
    rehearse(ending)
    gc.disable()
    gc.collect()


def wake():
    """Be a box, which differs from the others of the same template."""
    BY_CODE.append(True)
    for renew in RENEW:
        renew()


def wait_for_code(pipes, ending):
    """Return the code, the pipes, the servers, and whether there is memory.

    A box that waits gets ready for it meanwhile.  Without code end, saying
    why.
    """
    try:
        control = take_control(pipes)
        os.write(control[1], b'{"type":"ready"}\n')
        if not TEMPLATE:
            compiled(b"")  # the first time takes longest: do it meanwhile
        waiting = poll()  # select() would write to more of the stack
        waiting.register(control[0], POLLIN)
        if not waiting.poll(SOON):
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
    stand_in_early()
    define_servers(define(vars(builtins)), vars(builtins), (-1, -1), 0,
                   globals()["told"], globals()["memory"])
else:
    main()
