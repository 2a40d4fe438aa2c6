"""Changes code that compiles but would fail, or do nothing.

Run by source.py, only if the code has one of these: asyncio.run() beside a
top-level await; an asynchronous generator passed to a function that takes
ordinary ones; the result of a tool that is written to a file; a main() that is
called only if __name__ is "__main__", or never.
The tree of the code is changed; its line numbers stay the same.
"""
import ast

# Functions that take an iterable, but not an asynchronous one.
TAKERS = {"all", "any", "dict", "enumerate", "filter", "frozenset", "list",
          "map", "max", "min", "set", "sorted", "sum", "tuple", "zip"}
METHODS = {"extend", "fromkeys", "join", "update"}
RUNNERS = {"run_until_complete"}
SETS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef,
        ast.ClassDef, ast.Assign, ast.AnnAssign)
FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef
WRITERS = {"write", "write_text"}
WRITTEN = "<written>"  # what the text of a result is made by: no name of code
MAIN = "main"
CALLED = "note: main() was defined and not called, so it was called\n"


class Loops(ast.NodeTransformer):
    """Replaces asyncio.run(x) by 'await x' where a loop is running."""

    def skip(self, node):
        """Leave functions unchanged: there may be no loop in them."""
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = skip
    visit_ClassDef = visit_GeneratorExp = skip

    def visit_Call(self, node):
        """Replace a call that would run a loop."""
        self.generic_visit(node)
        if len(node.args) == 1 and isinstance(node.func, ast.Attribute) and (
                node.func.attr in RUNNERS or ast.unparse(
                    node.func) == "asyncio.run"):
            return ast.copy_location(ast.Await(node.args[0]), node)
        return node


class Generators(ast.NodeTransformer):
    """Replaces sum(await f(x) for x in y) by sum([await f(x) for x in y])."""

    def visit_Call(self, node):
        """Replace an argument that is such a generator."""
        self.generic_visit(node)
        func = node.func
        if isinstance(func, ast.Name) and func.id in TAKERS or isinstance(
                func, ast.Attribute) and func.attr in METHODS:
            node.args = list(map(listed, node.args))
        for arg in node.args:
            if isinstance(arg, ast.Starred):
                arg.value = listed(arg.value)
        return node


class Writes(ast.NodeTransformer):
    """Replaces f.write(x) by f.write(the text of x, if x is a result)."""

    def visit_Call(self, node):
        """Replace an argument that may be a result."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and \
                node.func.attr in WRITERS and node.args and isinstance(
                    node.args[0], (ast.Await, ast.Call, ast.Name)):
            value = node.args[0]
            node.args[0] = ast.copy_location(ast.Call(ast.copy_location(
                ast.Name(WRITTEN, ast.Load()), value), [value], []), value)
        return node


def listed(node):
    """Return a list for a generator that awaits, any other node unchanged."""
    if not isinstance(node, ast.GeneratorExp) or not awaits(node):
        return node
    return ast.copy_location(ast.ListComp(node.elt, node.generators), node)


def awaits(node):
    """Whether a generator is one that must be awaited."""
    parts = [node.elt] + [part for each in node.generators
                          for part in each.ifs]
    parts += [each.iter for each in node.generators[1:]]
    return any(each.is_async for each in node.generators) or any(
        isinstance(part, ast.Await) for each in parts
        for part in ast.walk(each))


def is_program(node):
    """Whether a statement is: if __name__ == "__main__", without else."""
    return isinstance(node, ast.If) and not node.orelse and ast.unparse(
        node.test).replace('"', "'") == "__name__ == '__main__'"


def open_program(tree):
    """Put the body of a last 'if __name__ == "__main__"' in its place.

    Its last expression is then that of the code.
    """
    if tree.body and is_program(tree.body[-1]):
        tree.body[-1:] = tree.body[-1].body
        return True
    return False


def call_main(tree):
    """Call main(), if the code only defines things, main() last."""
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, FUNCTIONS) or last.name != MAIN or \
            last.decorator_list or needs_arguments(last.args):
        return False
    for node in tree.body:
        if not isinstance(node, SETS) and not (
                isinstance(node, ast.Expr) and isinstance(
                    node.value, ast.Constant)):
            return False
    if any(isinstance(node, ast.Name) and node.id == MAIN
           for node in ast.walk(tree)):
        return False
    call = ast.Call(ast.Name(MAIN, ast.Load()), [], [])
    if isinstance(last, ast.AsyncFunctionDef):
        call = ast.Await(call)
    tree.body.append(ast.copy_location(ast.Expr(call), last))
    return True


def needs_arguments(args):
    """Whether a function cannot be called without arguments."""
    return len(args.posonlyargs + args.args) > len(args.defaults) or any(
        default is None for default in args.kw_defaults)


def mean(tree, steps, notes):
    """Change a tree by the named steps."""
    if "loops" in steps:
        Loops().visit(tree)
    if "generators" in steps:
        Generators().visit(tree)
    if "writes" in steps:
        from sys import modules

        from mcp._result import written
        vars(modules["__main__"])[WRITTEN] = written
        Writes().visit(tree)
    if "program" in steps:
        open_program(tree)
    if "main" in steps and call_main(tree):
        notes.append(CALLED)
    return ast.fix_missing_locations(tree)
