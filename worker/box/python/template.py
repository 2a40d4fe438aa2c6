"""Prepares an interpreter that becomes the template.

Run by the bootstrap.  It imports the preloaded modules, and performs once the
steps that are slow for the first time.  Then script.py, which is loaded
afterwards, calls the part in C, which returns in every box.
"""
import gc
import marshal
import os
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

# Libraries that would start threads: nothing with threads can be forked.
ALONE = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS",
         "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "RAYON_NUM_THREADS")
# Their handlers of forks look after threads and locks alone.
IDLE = ("threading", "logging", "concurrent.futures.thread")
# Of what asyncio imports, the modules whose memory boxes write to.
WRITTEN = "threading", "select", "atexit"
CODE = 2  # the number of the code among the processes of a box
SPARE = 16  # handlers of forks: more than most modules have together
FUNCTION = 0x2  # inspect.CO_NEWLOCALS: neither a module nor a class
PLAIN = bytes, int, str, tuple
ALLOW_TOP_LEVEL_AWAIT = 0x2000
SAMPLE = """\
def sample(n):
    return [i for i in range(n)] or {}
try:
    raise ValueError(f"{sample(1)!r}")
except ValueError as error:
    print(error, file=out)
"""


Function = type(lambda: None)


def load(ours):
    """Return the part in C, which is not in sys.modules."""
    spec = PathFinder.find_spec("caisson-template", [ours])
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def preload(names, refuse):
    """Import the modules."""
    before = {name: os.environ.get(name) for name in ALONE}
    os.environ.update(dict.fromkeys(ALONE, "1"))
    for name in names:
        try:
            import_module(name)
        except BaseException as error:
            refuse("CAISSON_PRELOAD: %r cannot be imported: %s: %s" % (
                name, type(error).__name__, error))
        if len(os.listdir("/proc/self/task")) > 1:
            refuse("CAISSON_PRELOAD: %r starts threads when it is "
                   "imported, and cannot be forked then: leave it out"
                   % name)
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


def warm():
    """Use the compiler, and what shows errors, for the first time."""
    import io
    import traceback
    names = {"out": io.StringIO()}
    exec(compile(SAMPLE, "<sample>", "exec", ALLOW_TOP_LEVEL_AWAIT, True),
         names)
    try:
        compile("1 +", "<sample>", "exec")
    except SyntaxError:
        traceback.print_exc(file=names["out"])


def warm_plots():
    """Draw for the first time, where matplotlib was preloaded.

    A font keeps its file open, which no box has: it is closed again.
    """
    plt = sys.modules.get("matplotlib.pyplot")
    fonts = sys.modules.get("matplotlib.font_manager")
    forget = getattr(getattr(fonts, "_get_font", None), "cache_clear", None)
    if plt is None or forget is None:
        return
    from io import BytesIO
    try:
        plt.plot([0, 1], label="a")
        plt.title("A")
        plt.legend()
        plt.savefig(BytesIO(), format="png")
        plt.close("all")
    except Exception:
        pass  # a box tells what is wrong
    forget()


class Forks:
    """What happens where this process forks, and where boxes do.

    A fork by the template, which has one thread that does nothing else, leaves
    nothing to do to most handlers: boxes do without those until their code
    forks.  And none that came through os runs where a fork is only rehearsed.
    """

    def __init__(self):
        self.by_template, self.by_code = [], []  # not empty: they run
        self.plain = os.register_at_fork
        # Every box writes to them: so they lie side by side.
        self.spare = [awaiting() for _ in range(SPARE)]

    def register(self, **handlers):
        """Stand for os.register_at_fork while modules are imported."""
        idle = sys._getframe(1).f_globals.get("__name__") in IDLE
        when = self.by_code if idle else self.by_template
        for name, handler in handlers.items():
            if callable(handler):
                run, wait = self.spare.pop() if self.spare else awaiting()
                wait(when, handler)
                handlers[name] = run
        self.plain(**handlers)


def awaiting():
    """Return a handler, and a function that tells it what to wait for: that
    there is something in when.
    """
    when = handler = None

    def run():
        if when:
            handler()

    def wait(*given):
        nonlocal when, handler
        when, handler = given

    return run, wait


class Template:
    """What script.py finds where it runs in a template, and in its boxes."""

    def __init__(self, library, forks):
        self.forks = forks
        self.library = library  # until part()
        # Forks boxes, and returns in each of them, which does not keep it.
        self.serve = library.serve
        # Has what is allocated from now on lie close together.
        self.fill = library.fill
        # Has what is allocated lie side by side, and ends that; fill() does.
        self.compact, self.compact_end = library.compact, library.compact_end
        # Does all that comes with a fork but the fork.
        self.rehearse = library.rehearse
        # Ends the process; and the template, for a reason, which is logged.
        self.leave, self.refuse = library.leave, library.refuse
        # Chooses objects by their type, and writes to no other type.
        self.choose = library.choose
        # What makes boxes differ from each other.
        self.renew = []

    def name(self, load):
        """Have the names in the code that load returns lie side by side.

        Boxes write to names of attributes.  There is one object for each, made
        where it is needed first: so the code is loaded, dropped, and loaded
        again by others.
        """
        names = marshal.dumps(names_in(load()))
        self.fill()
        self.compact()
        self.names = list(map(sys.intern, marshal.loads(names)))
        self.compact_end()

    def move(self, run, namespace):
        """Have the code that run runs lie side by side, and what it uses of a
        namespace.  What is made afterwards lies behind that.

        Each call of a function writes to the function and its code, and so do
        counters in the code.  Values that are used are counted, too.
        """
        codes = codes_in(run)
        used = {name for code in codes for name in code.co_names}
        used = [name for name in namespace if name in used]
        gc.unfreeze()
        functions = [thing for thing in gc.get_objects()
                     if type(thing) is Function and thing.__code__ in codes]
        copied(codes)  # the first time more is made, which stays
        gc.collect()
        self.fill()
        self.compact()
        namespace.update([(name, moved(namespace[name])) for name in used])
        copies = copied(codes)
        functions += filter(is_function, map(namespace.get, used))
        for function in functions:
            function.__code__ = copies.get(
                function.__code__, function.__code__)
        gc.freeze()

    def part(self):
        """Part what boxes only read from what they write to.

        What was made so far is read only, but for the table of all modules,
        which gets another place.
        """
        gc.collect()
        gc.freeze()
        modules = dict(sys.modules)
        sys.modules.clear()
        self.fill()
        sys.modules.update(modules)
        vars(self.library).clear()  # or it would be a part of itself
        del self.library, modules
        self.fill()  # what was freed since
        if "numpy.random" in sys.modules:  # random does so by itself
            self.renew.append(sys.modules["numpy.random"].seed)
        if "threading" in sys.modules:  # what it is in every box
            sys.modules["threading"].main_thread()._native_id = CODE


def is_function(value):
    """Whether it is a function written in Python."""
    return type(value) is Function


def codes_in(run):
    """Call run, and return all code that has run, as a dictionary."""
    codes = {}

    def note(frame, event, _):
        if event == "call":
            codes[frame.f_code] = None

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return codes


def names_in(codes):
    """Return the names in functions of some code."""
    names, codes = set(), list(codes)
    for code in codes:
        if code.co_flags & FUNCTION:
            names.update(code.co_names)
            names.update(const for const in code.co_consts
                         if type(const) is str and const.isidentifier())
        codes += [const for const in code.co_consts
                  if type(const) is type(code)]
    return sorted(names)


def moved(value):
    """Return a copy of a value that does not change, or the value itself."""
    if is_function(value) and value.__closure__ is None:
        copy = Function(value.__code__, value.__globals__, value.__name__,
                        value.__defaults__)
        copy.__kwdefaults__ = value.__kwdefaults__
        return copy
    if is_plain(value):
        return marshal.loads(marshal.dumps(value))
    return value


def is_plain(value):
    """Whether nothing can change a value, nor anything in it."""
    return type(value) in PLAIN and (
        type(value) is not tuple or all(map(is_plain, value)))


def copied(codes):
    """Return copies of code, by the code."""
    copies = {}

    def copy(code):
        if code not in copies:
            copies[code] = code.replace(co_consts=tuple(
                copy(const) if type(const) is type(code) and const in codes
                else const for const in code.co_consts))
        return copies[code]

    # Making one needs some memory, which is behind the one before, if larger.
    for code in sorted(codes, key=sys.getsizeof, reverse=True):
        copy(code)
    return copies


def prepare(ours):
    """Prepare the template, and return what is needed to fork boxes."""
    library = load(ours)
    with open(ours + "preload") as file:
        names = [name.strip() for name in file.read().split(",")]
    gc.disable()
    forks = Forks()
    template = Template(library, forks)
    os.register_at_fork = forks.register
    preload(WRITTEN if "asyncio" in names else (), library.refuse)
    library.compact_end()
    preload(filter(None, names), library.refuse)
    os.register_at_fork = forks.plain
    warm()
    warm_plots()
    for stream in sys.stdout, sys.stderr:
        stream.flush()
    return template
