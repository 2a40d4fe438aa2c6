"""A hint about an error of the code that the sandbox explains.

Run by report.py, only when an error has ended the code.
"""
import builtins
import os
import sys

NETWORK = ("socket.gaierror", "urllib.error.URLError", "ssl.SSLError",
           "requests.exceptions.ConnectionError",
           "urllib3.exceptions.HTTPError", "httpx.ConnectError",
           "aiohttp.client_exceptions.ClientConnectionError")
SOCKETS = ("/socket.py", "/urllib/", "/http/client.py", "/requests/",
           "/urllib3/", "/httpx/", "/httpcore/", "/aiohttp/",
           "/smtplib.py", "/ftplib.py")
# Most of those that 'caisson libraries' tells how to install.
LIBRARIES = ("numpy", "pandas", "matplotlib", "scipy", "sklearn", "sympy",
             "PIL", "openpyxl", "lxml", "bs4", "yaml", "dateutil", "networkx",
             "statsmodels", "seaborn", "docx", "pypdf", "reportlab", "jinja2")
WORDS = {"true": "True", "false": "False", "null": "None",
         "undefined": "None", "nil": "None", "console": "print",
         "JSON": "the module json", "Promise": "asyncio.gather",
         "require": "import", "const": "name = value", "let": "name = value"}
OFFLINE = ("there is no network here: only tools of MCP servers reach outside;"
           " await runtime.search_tool_docs('...') finds them")
AWAIT = ("'await' is for async functions: write 'async def', and 'await' "
         "before the calls of the function; or .result() behind the call of a "
         "tool")
GENERATOR = ("a generator with 'await' is asynchronous: write a list, as in "
             "any([await f(x) for x in y])")
NOT_KEPT = "this call started afresh: define or import %s in this code"
KEPT = "; save_memory() keeps values between calls"
FRESH = True  # report.py says whether names of earlier calls are gone
OFF = "nothing can be kept between calls here"
KEEPS = "save_memory", "load_memory", "update_memory", "save_tool"
NO_INPUT = "standard input is empty here: write the data into the code"
MODULE = ("%s is not installed, and code cannot install it; on the host, %s; "
          "available: %s")
LISTED = "'caisson libraries' prints the command that does"
UNLISTED = ("install its Debian package, or install it with pip in the "
            "virtual environment that the setting python names")
NOEXEC = ("no file in /workspace and /tmp can be executed (noexec): run a "
          "script by its interpreter, as in subprocess.run(['python3', path])")
NOT_LOADED = ("no library in /workspace and /tmp can be loaded (noexec): only "
              "those that are installed can")
NEEDS_NETWORK = r"\b(curl|wget|git|ssh|scp|ping|nc|ftp)\b"
PLACES = tuple(os.environ.get(name, place) + "/" for name, place in (
    ("HOME", "/workspace"), ("TMPDIR", "/tmp")))
CANNOT_EXECUTE = 126  # the exit status of a shell then
INSTALL = "nothing can be installed here; available: %s"
PROGRAM = "the program %s is not installed, and nothing can be installed"
VARIABLE = ("the sandbox has no environment variables or keys of the user: "
            "servers have their own, so call their tools")
INSTALLS = r"\b(pip[0-9.]*|apt|apt-get|conda|npm|uv)\b.* (install|add)\b"
VARIABLES = "<frozen os>", "/os.py"
PROGRAMS = ("/subprocess.py", "/asyncio/subprocess.py")
CHAIN_MAX = 4  # errors that came from each other
NAME_MAX = 200  # characters of a name
# Libraries for the network, whether or not they are installed.
CLIENTS = "requests", "httpx", "aiohttp", "urllib3", "websockets"
MEMORY = "the memory of a call is limited: process the data in parts"


def about(error, trace, memory):
    """Return a hint, or None.

    If there is none for the error itself, the errors that caused it are tried.
    """
    for _ in range(CHAIN_MAX):
        hint = about_one(error, trace, memory)
        if hint:
            return hint
        error = error.__cause__ or (
            None if error.__suppress_context__ else error.__context__)
        trace = error and error.__traceback__
        if error is None or not any_main(trace):
            return None
    return None


def about_one(error, trace, memory):
    """Return a sentence about an error, or None."""
    kinds = {"%s.%s" % (kind.__module__, kind.__qualname__)
             for kind in type(error).__mro__}
    names = {kind.rpartition(".")[2] for kind in kinds}
    if kinds.intersection(NETWORK) or (
            isinstance(error, OSError) and any_in(trace, SOCKETS)):
        return OFFLINE
    if isinstance(error, ModuleNotFoundError) and error.name:
        return about_module(error.name.partition(".")[0])
    if isinstance(error, ImportError) and "pip" in str(error).split():
        return INSTALL % libraries()
    if isinstance(error, NameError) and not isinstance(
            error, UnboundLocalError):
        return about_name(error, trace, memory)
    if any_in(trace, PROGRAMS) and isinstance(error, (
            FileNotFoundError, PermissionError)):
        return about_program(error)
    if "failed to map segment from shared object" in str(error):
        return NOT_LOADED
    if isinstance(error, KeyError) and any_in(trace, VARIABLES):
        return VARIABLE if str(error.args[0]).isupper() else None
    if isinstance(error, OSError):
        from mcp import _paths
        return _paths.about(error, trace)
    if isinstance(error, SyntaxError):
        return AWAIT if "'await' outside async" in str(error) or \
            "outside of an async" in str(error) else None
    if isinstance(error, EOFError) and "reading a line" in str(error):
        return None if INPUT else NO_INPUT
    if isinstance(error, MemoryError):
        return MEMORY
    if "CalledProcessError" in names:
        return about_failed(error)
    return about_await(error)


def about_await(error):
    """Return a sentence about an await that is missing, or None."""
    text = str(error) if isinstance(error, (AttributeError, TypeError)) else ""
    if "async_generator" in text or "can only join an iterable" in text:
        return GENERATOR
    return "write 'await' before the call of the async function" \
        if "'coroutine'" in text or "object coroutine" in text else None


def any_main(trace):
    """Whether the traceback has a frame of the code."""
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") == "__main__":
            return True
        trace = trace.tb_next
    return False


def any_in(trace, parts):
    """Whether a frame's file name contains one of these parts."""
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if any(part in path for part in parts):
            return True
        trace = trace.tb_next
    return False


def is_name(text):
    """Whether a text from an error message is a short identifier."""
    return text.isidentifier() and len(text) <= NAME_MAX


def about_module(name):
    """Return a sentence about a module that is missing."""
    if name in ("mcp", "user_tools") or name in sys.modules or \
            not is_name(name):
        return None
    if name in CLIENTS:
        return OFFLINE
    from mcp import _imports
    return _imports.about_module(name) or (
        None if name.startswith("mcp_") else MODULE % (
            name, LISTED if name in LIBRARIES else UNLISTED, libraries()))


def libraries():
    """Return the well-known libraries that are installed, as a text."""
    from importlib.util import find_spec
    there = [each for each in LIBRARIES if find_spec(each)]
    return ", ".join(there) or "the standard library"


def about_program(error):
    """Return a sentence about a program that cannot be run, or None."""
    path = os.path.abspath(os.fsdecode(error.filename or ""))
    if not isinstance(error, PermissionError):
        return None if path.startswith(PLACES) and "/" in os.fsdecode(
            error.filename) else PROGRAM % error.filename
    return NOEXEC if path.startswith(PLACES) and os.path.isfile(path) else None


def about_failed(error):
    """Return a sentence about a command that has failed, or None.

    error.cmd: a string, or a list of arguments.
    """
    from re import search
    words = error.cmd if isinstance(error.cmd, str) else " ".join(map(
        str, error.cmd if isinstance(error.cmd, (list, tuple)) else
        (error.cmd,)))
    if search(INSTALLS, words):
        return INSTALL % libraries()
    if error.returncode == CANNOT_EXECUTE:
        return NOEXEC
    return OFFLINE if search(NEEDS_NETWORK, words) else None


def about_name(error, trace, memory):
    """Return a sentence about a name that is not defined."""
    parts = str(error).split("'")
    name = parts[1] if len(parts) == 3 else ""
    if not is_name(name) or name.startswith("mcp"):
        return None
    if name in WORDS:
        return "this is Python: write %s for %s" % (WORDS[name], name)
    if name in KEEPS and not memory:
        return OFF
    from mcp import _hints, _imports
    line = _hints.line_of(trace)
    found = _imports.about_name(name, line)
    if found is not None:
        return found
    from difflib import get_close_matches
    known = [*vars(sys.modules["__main__"]), *vars(builtins)]
    if get_close_matches(name, known, 1, 0.75):
        return None
    hint = _imports.about_call(name, line)
    if not hint and FRESH:
        hint = NOT_KEPT % name + (KEPT if memory else "")
    return hint
