"""Adds the 'await' that is missing before calls of the code's own coroutines.

Run by source.py beside meant.py, only if some async function of the code, or
asyncio.gather(), may be called without 'await'.  It is added where the value
is used as what a coroutine or a future never is, such as in arithmetic, in an
f-string, by sum() or for a loop; and only in async functions and at top level.
A call whose value is dropped stays as it is: the interpreter warns of it.
"""
import ast

ADDED = "note: 'await' was missing before %s, and was added\n"
NAMES_MAX = 3  # that the note tells
FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda
# Functions that take no coroutine.
TAKERS = {"abs", "any", "all", "bool", "dict", "enumerate", "float", "int",
          "len", "list", "max", "min", "print", "repr", "reversed", "round",
          "set", "sorted", "str", "sum", "tuple", "zip"}
METHODS = {"dumps", "extend", "join"}
# Of those, what takes no list of coroutines either.
ITEMS = {"any", "all", "max", "min", "print", "sorted", "sum", "join"}
# What coroutines and futures have.
MEMBERS = {"add_done_callback", "cancel", "cancelled", "close", "cr_frame",
           "done", "exception", "get_loop", "remove_done_callback", "result",
           "send", "throw"}
COMPREHENSIONS = ast.ListComp, ast.SetComp, ast.GeneratorExp


def add_awaits(tree, top, notes):
    """Add each 'await' that is missing.

    top: whether it may be added outside of functions.
    """
    own = own_coroutines(tree)
    found = []
    scopes = [tree] if top else []
    scopes += [node for node in ast.walk(tree)
               if isinstance(node, ast.AsyncFunctionDef)]
    for scope in scopes:
        found += Scope(scope, own).change()
    if found:
        names = list(dict.fromkeys(found))
        notes.append(ADDED % ", ".join(names[:NAMES_MAX]))
    return tree


def own_coroutines(tree):
    """Return the names that are async functions of the module, and no other.
    """
    found = {node.name for node in tree.body
             if isinstance(node, ast.AsyncFunctionDef)
             and not node.decorator_list and not is_generator(node)}
    names = [node.name for node in ast.walk(tree)
             if isinstance(node, (*FUNCTIONS[:2], ast.ClassDef))]
    taken = {name for name in names if names.count(name) > 1}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            taken.add(node.id)
        elif isinstance(node, ast.arg):
            taken.add(node.arg)
        elif isinstance(node, ast.alias):
            taken.add(node.asname or node.name)
    return found - taken


def is_generator(function):
    """Whether an async function is one that yields."""
    return any(isinstance(node, (ast.Yield, ast.YieldFrom))
               for node in within(function))


def within(scope):
    """Yield what is in a scope, but not in functions and classes in it."""
    left = list(scope.body)
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            left += ast.iter_child_nodes(node)


class Scope:
    """An async function, or the module."""

    def __init__(self, scope, own):
        self.scope, self.own = scope, own
        self.nodes = list(within(scope))
        self.parents = {child: node for node in self.nodes
                        if not isinstance(node, (*FUNCTIONS, ast.ClassDef))
                        for child in ast.iter_child_nodes(node)}

    def change(self):
        """Add what is missing; return the names of what is awaited then."""
        found = []
        for node in self.nodes:
            name = self.name_of(node)
            if name and self.is_missing(node):
                self.replace(node)
                found.append((node.lineno, node.col_offset, name))
        return [name for *_, name in sorted(found)]

    def name_of(self, node):
        """Return how a call of a coroutine is told, or None."""
        func = node.func if isinstance(node, ast.Call) else None
        if isinstance(func, ast.Name) and func.id in self.own:
            return func.id + "()"
        if isinstance(func, ast.Attribute) and func.attr == "gather" and \
                isinstance(func.value, ast.Name) and \
                func.value.id == "asyncio":
            return "asyncio.gather()"
        return None

    def is_missing(self, node):
        """Whether a call must be awaited where it stands."""
        parent = self.parents.get(node)
        if self.is_used(node):
            return True
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            target = parent.targets[0]
            return isinstance(target, (ast.Tuple, ast.List)) or \
                self.is_only(target, self.is_used)
        if isinstance(parent, COMPREHENSIONS) and parent.elt is node:
            above = self.parents.get(parent)
            if isinstance(parent, ast.ListComp) and isinstance(
                    above, ast.Assign) and len(above.targets) == 1:
                return self.is_only(above.targets[0], self.is_taken)
            return self.is_taken(parent)
        return False

    def is_only(self, target, is_so):
        """Whether a name is set once, and all its uses are of one kind."""
        if not isinstance(target, ast.Name):
            return False
        uses = [node for node in ast.walk(self.scope)
                if isinstance(node, ast.Name) and node.id == target.id
                and node is not target]
        return bool(uses) and all(
            node in self.parents and isinstance(node.ctx, ast.Load)
            and is_so(node) for node in uses)

    def is_taken(self, node):
        """Whether what takes no list of coroutines takes a node."""
        parent = self.parents.get(node)
        return isinstance(parent, ast.Call) and node in parent.args and \
            called(parent) in ITEMS

    def is_used(self, node):
        """Whether a node is used as what a coroutine cannot be."""
        parent = self.parents.get(node)
        if isinstance(parent, ast.Call):
            return node in parent.args and called(parent) in TAKERS | METHODS
        if isinstance(parent, ast.Attribute):
            return parent.attr not in MEMBERS
        if isinstance(parent, ast.Compare):
            return not any(isinstance(each, (ast.Is, ast.IsNot))
                           for each in parent.ops)
        if isinstance(parent, (ast.Subscript, ast.AugAssign)):
            return parent.value is node
        if isinstance(parent, (ast.For, ast.comprehension)):
            return parent.iter is node
        if isinstance(parent, (ast.If, ast.While, ast.IfExp)):
            return parent.test is node
        return isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.FormattedValue))

    def replace(self, node):
        """Put a call behind 'await'."""
        parent = self.parents[node]
        new = ast.copy_location(ast.Await(node), node)
        for name, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, name, new)
            elif isinstance(value, list):
                value[:] = [new if each is node else each for each in value]
        self.parents[node], self.parents[new] = new, parent


def called(call):
    """Return the name of the function or the method that is called."""
    func = call.func
    if isinstance(func, ast.Name):
        return func.id if func.id in TAKERS else None
    return func.attr if isinstance(func, ast.Attribute) and \
        func.attr in METHODS else None
