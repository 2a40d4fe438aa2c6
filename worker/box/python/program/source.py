"""Prepares the received code: stores, repairs and compiles it.

Run by the bootstrap, in one namespace with script.py, which uses it, and with
report.py, which tells what was repaired (by repair.py).  It never runs code.
"""
import os

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
ALLOW_TOP_LEVEL_AWAIT = 0x2000  # ast.PyCF_…, without importing ast
ONLY_AST = 0x400  # ast.PyCF_…, without importing ast
QUOTED = ("note: the code is one string, and nothing in it ran: to run it, "
          "send it without the quotes around it\n")
# Statements with blocks, and the parts that stand last in them.
BLOCKS = {"If": ("orelse", "body"), "For": ("orelse", "body"),
          "While": ("orelse", "body"), "With": ("body",),
          "AsyncFor": ("orelse", "body"), "AsyncWith": ("body",),
          "Try": ("finalbody", "orelse", "body")}


def store(source):
    """Keep the code as a file and return its bytes.

    Tracebacks, inspect and multiprocessing's spawn read it again.  Without
    room there is no file: the code runs all the same, and tracebacks have no
    source lines.
    """
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


def compiled(source, flags=ALLOW_TOP_LEVEL_AWAIT):
    """Return the code as it runs; what encoding it declares does not matter.
    """
    if isinstance(source, bytes) and b"coding" in b"".join(
            source.split(b"\n", 2)[:2]):
        source = source.decode("utf-8-sig")
    return compile(source, PATH, "exec", flags, True)


def tree_of(source):
    """Return the tree of some code."""
    return compiled(source, ONLY_AST | ALLOW_TOP_LEVEL_AWAIT)


def kind_of(node):
    """Return the name of the kind of a node."""
    return type(node).__name__


def has_value(statement):
    """Whether a statement is an expression, but for print() alone."""
    return kind_of(statement) == "Expr" and not (
        kind_of(statement.value) == "Call"
        and dotted(statement.value.func) == "print")


def is_quiet(statement, source):
    """Whether a semicolon ends a statement, as notebooks have it."""
    line = source.splitlines()[statement.end_lineno - 1]
    return line[statement.end_col_offset:].lstrip()[:1] == b";"


def dotted(node):
    """Return a name that may have points, as the code has it, or None."""
    if kind_of(node) == "Attribute":
        before = dotted(node.value)
        return before and "%s.%s" % (before, node.attr)
    return node.id if kind_of(node) == "Name" else None


def last_name(statement):
    """Return the name that a statement sets, or the function that it defines,
    with brackets; or the value that a block ends with; or None.
    """
    kind = kind_of(statement)
    if kind in ("FunctionDef", "AsyncFunctionDef"):
        return statement.name + "()"
    if kind == "Assign" and len(statement.targets) == 1:
        return dotted(statement.targets[0])
    while kind in BLOCKS:
        statement = next(filter(None, (
            getattr(statement, part, None) for part in BLOCKS[kind])))[-1]
        kind = kind_of(statement)
        if kind == "Expr":
            return "it" if kind_of(statement.value) in (
                "Constant", "JoinedStr") else dotted(statement.value)
    return None


def block_of(tree):
    """Return the statements among which the last one of some code is; those of
    a last 'if __name__ == "__main__":' are some.
    """
    last = tree.body[-1]
    test = last.test if kind_of(last) == "If" and not last.orelse else None
    is_program = kind_of(test) == "Compare" and \
        dotted(test.left) == "__name__" and kind_of(test.ops[0]) == "Eq" and \
        getattr(test.comparators[-1], "value", None) == "__main__"
    return last.body if is_program else tree.body


def compiled_with_value(tree):
    """Return the code as it runs, which keeps the value of its last expression.
    """
    from _ast import Assign, Name, Store
    block = block_of(tree)
    last = block.pop()
    place = {name: getattr(last, name) for name in last._attributes}
    if not block and kind_of(last.value) == "Constant":
        text = last.value.value
        if type(text) is str and does_compile(text) and any(
                word in text for word in ("print(", "mcp_")):
            NOTES.append(QUOTED)
        block.append(last)  # a text, which is __doc__
    block.append(Assign(
        targets=[Name(VALUE, Store(), **place)], value=last.value, **place))
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

    A note tells what was done, or a hint why nothing can be.
    """
    names = {"__name__": "caisson_repair"}
    try:
        text = source.decode()
        exec(load("program/repair"), names)
        found = names["repair"](text, does_compile)
        if found is None:
            exec(load("program/newer"), names)
            found = names["newer"](text, does_compile)
    except UnicodeError:
        return None
    except names.get("Refused", ()) as refused:
        HINTS.append("hint: %s\n" % refused)
        return None
    if found is None:
        hint = names["about"](text)
        HINTS.extend(["hint: %s\n" % hint] if hint else ())
        return None
    NOTES.append("note: the code did not compile, and ran %s\n" % found[1])
    return found[0].encode()


def prepared(source):
    """Return the code, compiled, its source, which may be repaired, and the
    tree of its last statement, where that may be asked for.
    """
    try:
        code = compiled(source)
    except SyntaxError:
        fixed = mended(source)
        if fixed is None:
            raise
        source = store(fixed)
        code = compiled(source)
    if not ECHO:
        return code, source, None
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the compiler has told its own
        return with_value(code, source)


def with_value(code, source):
    """Return what prepared() does, of code that keeps the value of its last
    expression, if there is one.
    """
    last = None
    try:
        tree = tree_of(source)
        last = tree.body[-1] if tree.body else None
        if last and has_value(block_of(tree)[-1]):
            last = block_of(tree)[-1]
            if not is_quiet(last, source):
                code = compiled_with_value(tree)
    except (MemoryError, RecursionError):
        pass  # a tree takes more than to compile the code
    return code, source, last
