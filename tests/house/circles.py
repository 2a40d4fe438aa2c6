"""
House rule: no circles. Files of a folder do not include each other in a
circle, and rooms do not refer to each other's functions and data in a circle,
which nm tells of the objects of the programs. A room is a folder within a
role's folder, that folder itself, or common/; in the folders of FILES_ARE_ROOMS
each file is one. The modules of Python's package mcp, and its folders, do not
import each other in a circle either, wherever in a module that is; the parts of
its program use no names of later ones.
"""
import ast
import collections
import functools
import os
import re
import subprocess

import house

# Folders in which each file is a room: also those of all workers.
FILES_ARE_ROOMS = ("common/", "supervisor/", "worker/box/native/",
                   "worker/box/shared/", "worker/box/interpreter/",
                   "worker/box/trial/", "worker/box/python/",
                   *(role.folder for role in house.roles()
                     if role.kind in ("TASK", "SERVICE")))

PACKAGE = "worker/box/python/mcp/"

# References from one room to another that close circles still: they are left
# out. A line that is not needed is a problem.
EXCEPT_UNTIL_MENDED = []


def room_of(source):
    """The room of a source file: a folder, or the file."""
    if source.startswith(FILES_ARE_ROOMS):
        return source
    return os.path.dirname(source)


def circles(graph):
    """The circles of {node: {next, …}}: sorted lists of the nodes that can be
    reached from each other (Tarjan)."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] != order[node]:
            return
        at = stack.index(node)
        if len(stack) - at > 1 or node in graph.get(node, ()):
            found.append(sorted(stack[at:]))
        del stack[at:]

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return sorted(found)


def check_includes():
    """Each circle of includes, with the includes that make it."""
    graph = collections.defaultdict(dict)
    for path in house.with_ending(".c", ".h", ".def"):
        if house.folder_of(path) is None:
            continue
        for number, _, target in house.includes(path):
            if target is not None:
                graph[path].setdefault(target, number)
    for nodes in circles(graph):
        yield "a circle of includes:"
        for path in nodes:
            for target, number in sorted(graph[path].items()):
                if target in nodes:
                    yield f"  {path}:{number}: includes {target}"


@functools.lru_cache()
def symbols():
    """What the objects of the programs define for others and what they lack:
    (source, defined, lacking) of each."""
    found = {item.path: (item.source, set(), set())
             for item in house.objects() if house.in_programs(item)}
    for path in [path for path in found if not os.path.exists(path)]:
        missing.append(f"{found.pop(path)[0]}: is not built")
    done = subprocess.run(["nm", "-g", "-A", *found], stdout=subprocess.PIPE,
                          text=True, check=True)
    for line in done.stdout.splitlines():
        path, rest = line.split(":", 1)
        kind, name = rest.split()[-2:]
        found[path][2 if kind in "Uvw" else 1].add(name)
    return list(found.values())


def references(folder):
    """The references between the rooms of the programs of a folder: {room:
    {room: {(source, name), …}}}."""
    looked = [item for item in symbols()
              if item[0].startswith((folder, "common/"))]
    owners = {name: source for source, defined, _ in looked
              for name in defined}
    graph = collections.defaultdict(lambda: collections.defaultdict(set))
    for source, _, lacking in looked:
        for name in lacking & owners.keys():
            own, other = room_of(source), room_of(owners[name])
            if own != other:
                graph[own][other].add((source, name))
    return graph


def check_references(folder):
    graph = references(folder)
    for own, other in EXCEPT_UNTIL_MENDED:
        if graph[own].pop(other, None) is not None:
            excused.add((own, other))
    for nodes in circles(graph):
        yield f"a circle of rooms: {', '.join(nodes)}"
        for own in nodes:
            for other in nodes:
                for source, name in sorted(graph[own].get(other, ())):
                    yield f"  {source} refers to {name} of {other}"


def imported(path):
    """The names of the modules of the package that a file of it imports."""
    for node in ast.walk(ast.parse(house.read(path))):
        names = [each.name for each in getattr(node, "names", ())]
        if isinstance(node, ast.Import):
            yield from (name[4:] for name in names if name[:4] == "mcp.")
        elif isinstance(node, ast.ImportFrom):
            module = (node.module or "").removeprefix("mcp").lstrip(".")
            if node.level or (node.module or "").split(".")[0] == "mcp":
                yield from [module] if module else names


def check_package():
    """Each circle of modules of the package, or of its folders."""
    paths = {os.path.basename(path)[:-3]: path for path in house.files()
             if path.startswith(PACKAGE) and path.endswith(".py")}
    modules = {path: {paths[name] for name in imported(path)
                      if name in paths} for path in paths.values()}
    folders = collections.defaultdict(set)
    for path, others in modules.items():
        folder = os.path.dirname(path)
        folders[folder].update(map(os.path.dirname, others))
        folders[folder].discard(folder)
    for own, other in EXCEPT_UNTIL_MENDED:
        if other in modules.get(own, ()):
            modules[own].remove(other)
            excused.add((own, other))
    for graph in modules, folders:
        for nodes in circles(graph):
            yield f"a circle of imports: {', '.join(nodes)}"


def check_program():
    """Names of Python's program that a part uses before a later one has
    them."""
    later = {}
    text = house.read("worker/box/python/bootstrap.py")
    parts = [f"worker/box/python/{name}.py" for name in ast.literal_eval(
        re.search(r"^PARTS = (\(.*?\))", text, re.M | re.S).group(1))]
    trees = {path: ast.parse(house.read(path)) for path in parts}
    for path in reversed(parts):
        own = {node.id for each in trees[path].body
               if isinstance(each, ast.Assign)
               for target in each.targets for node in ast.walk(target)
               if isinstance(node, ast.Name)} | {
            each.name for each in trees[path].body if hasattr(each, "name")}
        for node in ast.walk(trees[path]):
            if isinstance(node, ast.Name) and node.id in later.keys() - own:
                yield (f"{path}:{node.lineno}: uses {node.id} of "
                       f"{later[node.id]}, a part below")
        later.update(dict.fromkeys(own, path))


excused, missing = set(), []
problems = list(check_includes()) + list(check_package())
problems += check_program()
for each in sorted({role.folder for role in house.roles()}):
    problems += check_references(each)
problems += [f"tests/house/circles.py: {own} does not refer to {other} any "
             "more: delete its line of EXCEPT_UNTIL_MENDED"
             for own, other in EXCEPT_UNTIL_MENDED
             if (own, other) not in excused]
house.finish(missing + problems, len(symbols()), "objects")
