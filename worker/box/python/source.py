"""Prepares the received code: stores, repairs and compiles it.

Run by the bootstrap, in one namespace with script.py, which uses it, and with
report.py, which tells what was repaired (by repair.py).  It never runs code.
"""
import os
from keyword import iskeyword

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
ALLOW_TOP_LEVEL_AWAIT = 0x2000  # ast.PyCF_…, without importing ast
ASYNC_GENERATOR = 0x200  # inspect.CO_ASYNC_GENERATOR
QUOTES = "'", '"'
SHOWN_MAX = 40  # characters of a string that a note shows
ONLY_AST = 0x400  # ast.PyCF_…, without importing ast
# What runs an event loop of the code's own.
OWN_LOOPS = b"asyncio.run(", b"run_until_complete("
# What writes to a file; and what names servers.
WRITES = b".write(", b".write_text("
SERVERS = b"mcp", b"call_tool"
# How last lines begin that are no expressions, or whose value is None.
NO_VALUE = (b"print(", b"import ", b"from ", b"def ", b"class ", b"if ",
            b"for ", b"while ", b"with ", b"try:", b"else:", b"elif ",
            b"except:", b"except ", b"except*", b"finally:", b"async ", b"@")


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


def compiled(source):
    """Return the code as it runs."""
    return compile(source, PATH, "exec", ALLOW_TOP_LEVEL_AWAIT, True)


def last_line(source):
    """Return the first line of the last statement, or no bytes."""
    source = source.rstrip()
    while source:
        head, _, line = source.rpartition(b"\n")
        if line[:1] not in b" \t\r\f)]}#":
            return line
        source = head
    return b""


def ends_in_expression(source):
    """Whether the last statement may be an expression that has a value."""
    line = last_line(source)
    return bool(line) and not line.startswith(NO_VALUE) and line[-1:] != b";"


def last_name(source):
    """Return the name that the last statement sets, or the function that it
    defines, with brackets; or the value that a block ends with; or None.
    """
    line = last_line(source)
    end = source.rstrip().rpartition(b"\n")[2]
    if end[:1] in (b" ", b"\t"):
        end = end.strip().decode("utf-8", "replace")
        if end.replace(".", "_").isidentifier() and not iskeyword(end):
            return end
        if end[:1] in QUOTES and end[-1:] == end[:1]:
            return end if len(end) <= SHOWN_MAX else "it"
    if line.startswith((b"def ", b"async def ")):
        name = line.partition(b"def ")[2].partition(b"(")[0]
        return name.strip().decode("utf-8", "replace") + "()"
    name, found, value = line.partition(b"=")
    name = name.strip().decode("utf-8", "replace")
    return name if found and name.isidentifier() and value[:1] != b"=" \
        else None


def tree_of(source):
    """Return the tree of some code."""
    return compile(source, PATH, "exec", ONLY_AST | ALLOW_TOP_LEVEL_AWAIT,
                   True)


def compiled_with_value(tree):
    """Return the code as it runs, which keeps the value of its last expression.

    None, where there is no such value; raises what the compiler does.
    """
    last = tree.body[-1] if tree.body else None
    if type(last).__name__ != "Expr":
        return None
    from _ast import Assign, Name, Store
    place = {name: getattr(last, name) for name in last._attributes}
    tree.body[-1] = Assign(
        targets=[Name(VALUE, Store(), **place)], value=last.value, **place)
    return compiled(tree)


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
        if found is None:
            exec(load("newer"), names)
            found = names["newer"](text, does_compile)
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
    steps = steps_for(source, code)
    try:
        if steps:
            code = compiled_as_meant(source, steps) or code
        elif WANTED and ends_in_expression(source):
            code = compiled_with_value(tree_of(source)) or code
    except (MemoryError, RecursionError):
        pass  # it takes more to change the code than to run it
    return code, source


def steps_for(source, code):
    """Return which steps of meant.py the code may need."""
    steps = []
    if code.co_flags & COROUTINE and any(
            word in source for word in OWN_LOOPS):
        steps.append("loops")
    if WANTED and may_lack_await(source):
        steps += ["awaits", "generators"]
        if code.co_flags & COROUTINE or not any(
                word in source for word in OWN_LOOPS):
            steps.append("top")
    elif b"await" in source and makes_async_generators(code):
        steps.append("generators")
    if WANTED and any(word in source for word in WRITES) and any(
            word in source for word in SERVERS):
        steps.append("writes")
    last = last_line(source) if WANTED else b""
    if last.startswith(b"if __name__"):
        steps.append("program")
    elif last.startswith((b"def main(", b"async def main(")):
        steps.append("main")
    return steps


def may_lack_await(source):
    """Whether code may call a coroutine of its own, or gather(), and not await
    it.
    """
    names = [] if b"gather(" not in source else [b"asyncio.gather"]
    parts = source.split(b"async def ")[1:]
    names += [part.partition(b"(")[0].strip() for part in parts]
    return any(count_of(source, name) for name in names)


def count_of(source, name):
    """Return how often code calls a coroutine at a place that does not seem to
    await it.
    """
    call = name + b"("
    return source.count(call) - sum(
        source.count(before + call) for before in (
            b"await ", b"async def ", b"run(", b"create_task(",
            b"run_until_complete("))


def makes_async_generators(code):
    """Whether the code has an expression that is a generator that awaits."""
    for const in code.co_consts:
        if type(const) is type(code) and (
                const.co_flags & ASYNC_GENERATOR and
                const.co_name == "<genexpr>" or makes_async_generators(const)):
            return True
    return False


def compiled_as_meant(source, steps):
    """Return the code as it is meant, compiled, or None."""
    names = {"__name__": "caisson_meant"}
    exec(load("meant"), names)
    count = len(NOTES)
    try:
        tree = tree_of(source)
        if "awaits" in steps:
            awaits = {"__name__": "caisson_unwaited"}
            exec(load("unwaited"), awaits)
            awaits["add_awaits"](tree, "top" in steps, NOTES)
        tree = names["mean"](tree, steps, NOTES)
        return WANTED and compiled_with_value(tree) or compiled(tree)
    except (SyntaxError, ValueError):
        del NOTES[count:]
        return None
