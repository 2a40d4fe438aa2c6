"""Our names in the namespace of the code, and our modules that it can import.

Run by the bootstrap, in one namespace with script.py, which uses it.  Most of
it is in the package mcp, which is imported only when the code uses it.
"""
import builtins
import os
import sys
from _frozen_importlib import BuiltinImporter
from _frozen_importlib_external import (
    PathFinder, SourceFileLoader, spec_from_file_location)

CHILD = "caisson_child"  # what this file is called where it only offers
COROUTINE = 0x80  # inspect.CO_COROUTINE
MEMORY = (
    "save_tool", "save_memory", "load_memory", "update_memory",
    "delete_memory", "list_memories", "memory_exists", "get_memory_info")
STOOD = "socket", "mmap", "multiprocessing.spawn"  # as in stand_ins.py
TOLD = set()  # libraries that were told something before there was a box
PROGRESS = []  # something, where the code may tell how far it is
MODULES = {}  # the path and the code of each, in the boxes of a template
SPAWN_HINT = """\
code with 'await' at top level cannot be re-imported, as the start methods \
'spawn' and 'forkserver' of multiprocessing do: use \
multiprocessing.get_context('fork'), or put the awaits into an async function \
main and end with: if __name__ == '__main__': asyncio.run(main())"""


class AwaitingModule(type(sys)):
    """The user's module when it has top-level await.

    multiprocessing asks the module for its file in order to import it again
    in a new interpreter, which would fail there with a bare SyntaxError, for
    ever and again in a pool.  So that question is answered here.
    """

    @property
    def __file__(self):
        """Return the path, except to multiprocessing.spawn."""
        asking = sys._getframe(1).f_globals.get("__name__")
        if asking == "multiprocessing.spawn":
            raise RuntimeError(SPAWN_HINT)
        try:
            return self.__dict__["__file__"]
        except KeyError:
            raise AttributeError("__file__") from None


class Finder:
    """In sys.meta_path: mcp is ours, whatever is installed."""

    def __init__(self, box):
        self.box = box

    def find_spec(self, name, path=None, target=None):
        """Return where one of ours is; mcp knows what is in mcp."""
        if name in STOOD:
            return found(name, path, stand_in)
        if name in SET:
            return found(name, path, SET[name])
        if name == PLOTS:
            return spec_from_file_location(name, OURS + "program/plots.py")
        if name == "user_tools" and self.box.memory:
            from mcp import _user_tools
            return _user_tools.find_spec()
        if name == "mcp":
            sys.modules["mcp._box"] = self.box
            return Loaded.find_spec(name) or PathFinder.find_spec(name, [OURS])
        if name.startswith("mcp._"):
            return Loaded.find_spec(name) or PathFinder.find_spec(name, path)
        if name.startswith("mcp."):
            from mcp import _modules
            return _modules.find_spec(name, path)
        if name == "runtime" or name.startswith("mcp_"):
            from mcp import _modules
            return _modules.find_global(name)
        return None


def found(name, path, act):
    """Return where a module is, which is given to act once it was executed."""
    spec = BuiltinImporter.find_spec(name) or PathFinder.find_spec(name, path)
    if spec is not None and spec.loader is not None:
        spec.loader = Acting(spec.loader, act)
    return spec


class Acting:
    """Loads a module as its own loader does, and acts then."""

    def __init__(self, loader, act):
        self.loader, self.act = loader, act

    def create_module(self, spec):
        """Return the module."""
        return self.loader.create_module(spec)

    def exec_module(self, module):
        """Execute it with its own loader, which it keeps."""
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        self.act(module)


class Loaded(SourceFileLoader):
    """Loads a module of the package mcp of which a template has the code."""

    def get_code(self, fullname):
        return MODULES[fullname][1]

    @classmethod
    def find_spec(cls, name):
        """Return where the module is, or None where its code is not there."""
        if name not in MODULES:
            return None
        path = MODULES[name][0]
        return spec_from_file_location(
            name, path, loader=cls(name, path), submodule_search_locations=[
                OURS + "mcp"] if name == "mcp" else None)


def keep_modules():
    """Load the code of the package mcp.

    A template does: it is read and made once then, and not by every box.
    """
    rooms = [OURS + "mcp"] + [entry.path for entry in os.scandir(OURS + "mcp")
                              if entry.is_dir()]
    for room in rooms:
        for file in os.listdir(room):
            if file.endswith(".py"):
                name = "mcp" if file == "__init__.py" else "mcp." + file[:-3]
                path = "%s/%s" % (room, file)
                MODULES[name] = path, SourceFileLoader(
                    name, path).get_code(name)
    # And what the rooms have, for what is imported from there.
    PathFinder.find_spec("mcp._", rooms)


def stand_in(module):
    """Put in place what stands for system calls that a box refuses."""
    names = {"__name__": "caisson_stand_ins"}
    exec(load("program/stand_ins"), names)
    names["put"](module)


def stand_in_early():
    """Do so in modules that were imported before there is a box, or a child.
    """
    for name in STOOD[:2]:
        if name in sys.modules:
            stand_in(sys.modules[name])


def set_backend(matplotlib):
    """Have matplotlib show figures, unless its variable says otherwise."""
    if os.environ.get("MPLBACKEND", "Agg") == "Agg":
        matplotlib.rcParams["backend"] = "module://" + PLOTS
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot:
            pyplot.switch_backend("module://" + PLOTS)


def set_viewer(images):
    """Have Pillow show images."""
    class Viewer(images.Viewer):
        """What shows them."""

        def show(self, image, **options):
            """Show one."""
            from mcp import _show
            _show.show(image, options.get("title"))
            return True

    images.register(Viewer, -1)


# What is told to libraries when they are imported, by their own means.
SET = {"matplotlib": set_backend, "PIL.ImageShow": set_viewer}


def set_early():
    """Tell those that were imported before there is a box, once."""
    for name in SET.keys() & sys.modules.keys() - TOLD:
        TOLD.add(name)
        SET[name](sys.modules[name])


class Runtime(type(sys)):
    """The global 'runtime' until it is used; then it is mcp.runtime."""

    def __getattr__(self, name):
        """Become the module; to do so, Python asks for names of its own."""
        if name in ("__file__", "__cached__", "__path__"):
            raise AttributeError(name)
        import mcp.runtime
        return type(sys).__getattribute__(mcp.runtime, name)

    def __dir__(self):
        """Become the module."""
        import mcp.runtime
        return dir(mcp.runtime)


class Late:
    """A global that is a function of mcp.runtime, imported when it is used.

    It looks like that function.
    """

    __slots__ = ("_name",)
    __module__ = "mcp.runtime"
    __doc__ = property(lambda self: self._real().__doc__)
    __class__ = property(lambda self: type(self._real()))

    def __init__(self, name):
        self._name = name

    def _real(self):
        import mcp.runtime
        return getattr(mcp.runtime, self._name)

    def __call__(self, *args, **kwargs):
        return self._real()(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self._real(), name)

    def __repr__(self):
        return repr(self._real())


LATE = {name: Late(name) for name in MEMORY}


def whole(name):
    """Return the method of a dict, of all servers that there are."""
    def method(self, *more):
        """Take in the servers that are not loaded, and answer."""
        from mcp import _servers
        _servers.take_in()
        return getattr(dict, name)(self, *more)
    return method


class Servers(dict):
    """The global 'mcp_servers': servers by name; aliases work, too.

    Those that are not loaded are when they are first used.
    """

    (__eq__, __iter__, __len__, __ne__, __or__, __repr__, __reversed__,
     __ror__, copy, items, keys, values) = map(whole, (
         "__eq__", "__iter__", "__len__", "__ne__", "__or__", "__repr__",
         "__reversed__", "__ror__", "copy", "items", "keys", "values"))

    def __contains__(self, name):
        """Whether there is a server of this name, or alias."""
        return dict.__contains__(self, name) or self.get(name) is not None

    def get(self, name, default=None):
        """Return a server by its name or alias, or the default."""
        if dict.__contains__(self, name):
            return self[name]
        from mcp import _servers
        found = _servers.find(name)
        return default if found is None else found

    def __missing__(self, name):
        """Return a server that is not loaded."""
        from mcp import _servers
        return _servers.missing(name)

    def __getattr__(self, name):
        """Tell how to write it."""
        if name.startswith("__"):
            raise AttributeError(name)
        from mcp import _servers
        raise _servers.attribute_error(_servers.no_attribute(name))


def define(names):
    """Put what every call has into place: finders, and names.

    Return what will be mcp._box, for define_servers().
    """
    box = type(sys)("mcp._box")
    box.control, box.pid, box.told, box.memory = (-1, -1), 0, (), False
    box.namespace = __file__, CHILD
    box.child, box.progress = names is vars(builtins), False
    box.servers, box.runtime = Servers(), Runtime("mcp.runtime")
    sys.meta_path.insert(0, Finder(box))
    set_early()
    names.update(LATE, mcp_servers=box.servers, LOADED_MCP_SERVERS=(),
                 runtime=box.runtime)
    return box


def define_servers(box, names, control, pid, told, memory):
    """Give the code what it calls servers with, and keeps things with.

    Only the process pid can use them.  Unless there are servers, nothing is
    imported before the code uses it.
    """
    box.control, box.pid, box.told, box.memory = control, pid, told, memory
    if not memory:
        for name in LATE:
            del names[name]
    if PROGRESS:
        box.progress = True
    if told:
        import mcp._servers  # noqa: F401


def define_named(code, names):
    """Give the code the servers that it names, and that are not loaded."""
    known = names.keys() | vars(builtins).keys()
    parts, wanted = [code], set()
    while parts:
        part = parts.pop()
        for const in part.co_consts:
            if type(const) is type(code):
                parts.append(const)
            elif type(const) is str and const.startswith("mcp_"):
                wanted.add(const)
        wanted.update(part.co_names)
    wanted = {name for name in wanted - known if name[:4].lower() == "mcp_"}
    if wanted:
        import mcp._names
        mcp._names.define(names, wanted)


def display(*values, **_):
    """Show values, as the function of this name does in a notebook."""
    from mcp import _show
    _show.display(values)
