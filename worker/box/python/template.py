"""What an interpreter does before it becomes the template.

Run by the bootstrap, in a namespace that is forgotten afterwards.  It imports
what boxes are to find imported, does once what is slow for the first time,
and hands over to the part in C, which returns in every box.
"""
import gc
import os
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

# Libraries that would start threads: nothing with threads can be forked.
ALONE = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS",
         "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "RAYON_NUM_THREADS")
ALLOW_TOP_LEVEL_AWAIT = 0x2000
SAMPLE = """\
def sample(n):
    return [i for i in range(n)] or {}
try:
    raise ValueError(f"{sample(1)!r}")
except ValueError as error:
    print(error, file=out)
"""


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
            refuse("MCP_BRIDGE_PRELOAD: %r cannot be imported: %s: %s" % (
                name, type(error).__name__, error))
        if len(os.listdir("/proc/self/task")) > 1:
            refuse("MCP_BRIDGE_PRELOAD: %r starts threads when it is "
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


def renew():
    """Make the box differ from the others of the same template."""
    numbers = sys.modules.get("numpy.random")
    if numbers:
        numbers.seed()  # random does so by itself
    threading = sys.modules.get("threading")
    if threading:
        threading.main_thread()._set_native_id()  # newer ones do, too


def become(ours):
    """Be the template; return in every box."""
    library = load(ours)
    with open(ours + "preload") as file:
        names = file.read().split(",")
    gc.disable()
    preload([name.strip() for name in names if name.strip()], library.refuse)
    warm()
    for stream in sys.stdout, sys.stderr:
        stream.flush()
    gc.collect()
    gc.freeze()
    library.serve()
    vars(library).clear()  # or it would stay, as a part of itself
    gc.enable()
    renew()
