"""Saving a function, so that later calls can import it from user_tools.

Only its source is kept, with the imports of the code that it uses.  Everything
else that it needs must be in it, or exist in every call.
"""
import sys

from . import _memory
from ._caller import at_once
from ._result import MCPError

SOURCE_MAX = 256 << 10  # bytes; the relay refuses more
NAME_MAX = 128  # bytes
ABOUT_MAX = 400  # bytes
FUTURE = "from __future__ import annotations\n"
TAKEN = ("every call has something else of that name; give the function "
         "another one")
READS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
WRITES = ("STORE_GLOBAL", "STORE_NAME")


def save_tool(func):
    """Keep a function of this code, in the place of one of the same name.

    Later calls import it: from user_tools import NAME. It is kept as source,
    with the imports at the top of the code that it uses; it can use what every
    call has (runtime, mcp_servers, mcp_<alias>, the memory functions) and
    other saved tools.  Returns a dict: name, description, bytes, saved_at.
    """
    check(func)
    source = source_of(func)
    code = compile_tool(func.__name__, source)
    imports = imports_of(func, outside(code) - {func.__name__})
    if imports:
        source = with_imports(func.__name__, source, imports)
        code = compile_tool(func.__name__, source)
    unknown = [name for name in sorted(outside(code))
               if not is_known(name, func.__name__)]
    if unknown:
        raise ValueError(
            "%s cannot be saved: it uses %s, which later calls do not have; "
            "import or define that inside of the function, or save it as a "
            "tool first" % (func.__name__, ", ".join(unknown)))
    fields = {"name": func.__name__, "about": about(func), "source": source}
    return at_once(_memory.ask("save_tool", fields))


def check(func):
    """Raise TypeError or ValueError when it is no function that can be saved.
    """
    import inspect
    if not inspect.isfunction(func):
        raise TypeError(
            "save_tool() takes a function that is defined with 'def' in the "
            "code, not %s" % ("a method" if inspect.ismethod(func) else
                              "an object of type " + type(func).__name__))
    name = func.__name__
    if name == "<lambda>":
        raise ValueError("a lambda has no name to save it by: define the "
                         "function with 'def'")
    if "." in func.__qualname__.rpartition("<locals>.")[2]:
        raise ValueError("%s is a method: only functions that are defined "
                         "outside of a class can be saved" % name)
    if func.__closure__:
        raise ValueError(
            "%s cannot be saved: it uses %s of the function around it; make "
            "that an argument" % (name, ", ".join(func.__code__.co_freevars)))
    why = flaw_of(name)
    if why is not None:
        raise ValueError("%s is no name for a tool: %s" % (
            name[:NAME_MAX], why))


def flaw_of(name):
    """Return why a tool cannot have this name, or None.

    Relay and store refuse the same names, except that they know less of
    identifiers beyond ASCII.
    """
    from keyword import iskeyword
    if not name.isidentifier() or iskeyword(name) or not is_normal(name):
        return "Python cannot import such a name"
    if name.startswith("__") or len(name.encode()) > NAME_MAX:
        return "it has at most %d bytes, and does not begin with two " \
            "underscores" % NAME_MAX
    return TAKEN if is_ours(name) or is_builtin(name) else None


def is_normal(name):
    """Whether Python reads a name in source as this very name."""
    if name.isascii():
        return True
    from unicodedata import normalize
    return normalize("NFKC", name) == name


def is_builtin(name):
    """Whether all code has something of this name from Python."""
    import builtins
    return hasattr(builtins, name)


def source_of(func):
    """Return the source of a function; raises ValueError."""
    import inspect
    import textwrap
    try:
        source = textwrap.dedent(inspect.getsource(func))
    except (OSError, TypeError, SyntaxError, IndentationError):
        raise ValueError(
            "%s cannot be saved: its source was not found; it must be defined "
            "in the code itself" % func.__name__) from None
    if func.__code__.co_flags & flag_of_annotations():
        source = FUTURE + source
    return within_limit(func.__name__, source)


def within_limit(name, source):
    """Return the source of a tool; raises MCPError when there is too much."""
    if len(source.encode("utf-8", "replace")) > SOURCE_MAX:
        raise MCPError("the source of %s has more than %d KiB" % (
            name, SOURCE_MAX >> 10))
    return source


def with_imports(name, source, imports):
    """Return the source of a tool with lines of imports before it."""
    future = FUTURE if source.startswith(FUTURE) else ""
    return within_limit(name, future + "".join(imports) + source[len(future):])


def imports_of(func, names):
    """Return the imports at the top of its module that bind some names, as
    lines.

    What the name stands for now must be what was imported.
    """
    import ast
    import inspect
    import linecache
    try:
        file = inspect.getsourcefile(func) or func.__code__.co_filename
        body = ast.parse("".join(linecache.getlines(file))).body
    except (TypeError, SyntaxError, ValueError):
        return []
    lines = []
    for part in body:
        if isinstance(part, ast.Import):
            lines += [(each.asname or each.name.partition(".")[0],
                       "import %s" % each.name, each, None)
                      for each in part.names]
        elif isinstance(part, ast.ImportFrom) and part.level == 0 and \
                part.module != "__future__":
            lines += [(each.asname or each.name, "from %s import %s" % (
                part.module, each.name), each, part.module)
                      for each in part.names]
    return list(dict.fromkeys(
        text + (" as %s" % each.asname if each.asname else "") + "\n"
        for name, text, each, module in lines
        if name in names and not is_ours(name) and is_import(
            func.__globals__.get(name), each.name, module)))


def is_import(value, name, module):
    """Whether a value is what an import of a name, or from a module, gives."""
    if module is None:
        return isinstance(value, type(sys))
    there = getattr(sys.modules.get(module), name, value)
    return value is not None and there is value


def flag_of_annotations():
    """Return the flag of code whose annotations are not evaluated."""
    import __future__
    return __future__.annotations.compiler_flag


def compile_tool(name, source):
    """Return the code that defines a tool; raises ValueError."""
    import ast
    try:
        body = [part for part in ast.parse(source).body
                if not isinstance(part, (ast.Import, ast.ImportFrom))]
        if len(body) != 1 or getattr(body[0], "name", None) != name \
                or isinstance(body[0], ast.ClassDef):
            raise SyntaxError("it does not define a function %s alone" % name)
        return compile(source, file_of(name), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise ValueError("%s cannot be saved: its source, taken by itself, is "
                         "no definition of it (%s)" % (name, error)) from None


def file_of(name):
    """Return what a traceback calls the file of a tool."""
    return "<user_tools.%s>" % name


def outside(code):
    """Return the names that some code uses and does not define."""
    import dis
    used, defined, left = set(), set(), [code]
    while left:
        code = left.pop()
        left += [part for part in code.co_consts if hasattr(part, "co_code")]
        steps = [(step.opname, step.argval)
                 for step in dis.get_instructions(code)]
        own = {name for step, name in steps if step == "STORE_NAME"}
        used |= {name for step, name in steps if step in READS} - own
        defined |= {name for step, name in steps if step in WRITES}
    return used - defined


def is_known(name, itself):
    """Whether later calls have this name, so that a tool can use it."""
    return (name == itself or is_builtin(name)
            or name.startswith("__") or is_ours(name)
            or _memory.ask("load_tool", {"name": name}) is not None)


def is_ours(name):
    """Whether it is a name that the box gives to all code."""
    return (name in ("runtime", "LOADED_MCP_SERVERS")
            or name in _memory.NAMES or name.startswith("mcp_"))


def about(func):
    """Return the first line of the documentation of a function."""
    import inspect
    lines = (inspect.getdoc(func) or "").replace("\0", " ").split("\n")
    text = lines[0].strip().encode("utf-8", "backslashreplace")
    return text[:ABOUT_MAX].decode("utf-8", "ignore")
