"""Makes libraries accept results of tools.

json.loads() returns a result that is already parsed, re searches its text, yaml
reads its text and writes plain data, a frame of pandas is made of its data,
io.StringIO and csv read its text, and ast.literal_eval() reads JSON.  A library
is changed before the code runs, if the code names servers; when the first
result arrives; or later, when it is imported.
"""
import sys
from _frozen_importlib_external import PathFinder

TAUGHT = set()  # libraries


def learn():
    """Teach libraries what results are, now or when they are imported."""
    if TAUGHT:
        return
    for name, teach in TEACH.items():
        TAUGHT.add(name)
        if name in sys.modules:
            attempt(teach, sys.modules[name])
    sys.meta_path.insert(0, Imports)


def attempt(teach, module):
    """Teach a module, if it is the library of that name."""
    try:
        teach(module)
    except Exception:
        pass


class Imports:
    """In sys.meta_path: teaches libraries that are imported later."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Return where a library is, and have it taught."""
        if name not in TEACH:
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            from ._modules import after
            after(spec.loader, lambda module: attempt(TEACH[name], module))
        return spec


def teach_json(json):
    """Have json.loads() return what was parsed already."""
    plain = json.loads

    def loads(s, *args, **more):
        if isinstance(s, (dict, list)) and not (args or more):
            from ._data import Content, parsed, text_of
            from ._result import Result
            if isinstance(s, Content):  # its text was meant
                return parsed(text_of(s))
            return s.data if isinstance(s, Result) else s
        try:
            return plain(s, *args, **more)
        except ValueError:
            from ._seen import structured
            found = None if args or more else structured(s)
            if found is None:
                raise
            return found

    loads.__module__, loads.__doc__ = plain.__module__, plain.__doc__
    json.loads = loads


def teach_yaml(yaml):
    """Have yaml write parts of results as what they are, and read the text of
    a result.
    """
    from ._data import Content, Dict, List, Part, Text
    for dumper in yaml.SafeDumper, yaml.Dumper:
        for kind in Part, Dict:
            dumper.add_representer(kind, dumper.represent_dict)
        for kind in Content, List:
            dumper.add_representer(kind, dumper.represent_list)
        dumper.add_representer(
            Text, lambda self, text: self.represent_str(str(text)))
    for name in "load", "safe_load", "full_load":
        setattr(yaml, name, with_text(getattr(yaml, name), 0, "stream"))


def teach_pandas(pandas):
    """Have a frame made of a result be one of its data."""
    from ._caller import caller
    from ._counted import rows_of as listed
    from ._result import data_of

    def rows_of(value):
        return listed(data_of(value), caller()) if isinstance(
            value, dict) else data_of(value)

    for kind in pandas.DataFrame, pandas.Series:
        kind.__init__ = with_data(kind.__init__, rows_of)
    plain = pandas.json_normalize
    pandas.json_normalize = lambda data, *args, **more: plain(
        data_of(data), *args, **more)


def teach_csv(csv):
    """Have csv read the lines of a result that is a text."""
    from ._result import Result
    plain = csv.reader

    def reader(lines, *args, **more):
        if isinstance(lines, Result):
            lines = lines.text.splitlines(True)
        return plain(lines, *args, **more)

    csv.reader = reader


def with_data(plain, data_of):
    """Return a function that takes the data of a result for the result."""
    from functools import wraps

    @wraps(plain)
    def init(self, data=None, *args, **more):
        plain(self, data_of(data), *args, **more)

    return init


def teach_re(re):
    """Have functions of re look at the text of a result."""
    for name in ("search", "match", "fullmatch", "split", "findall",
                 "finditer"):
        setattr(re, name, with_text(getattr(re, name), 1))
    for name in "sub", "subn":
        setattr(re, name, with_text(getattr(re, name), 2))


def with_text(plain, place, name="string"):
    """Return a function that takes the text of a result for the result."""
    from functools import wraps

    from ._result import Result

    @wraps(plain)
    def look(*args, **more):
        if len(args) > place and isinstance(args[place], Result):
            args = (*args[:place], args[place].text, *args[place + 1:])
        elif isinstance(more.get(name), Result):
            more[name] = more[name].text
        return plain(*args, **more)

    return look


def teach_io(io):
    """Have io.StringIO() take the text of a result."""
    plain = io.StringIO

    class Kind(type(plain)):
        """A StringIO is one, also where libraries have made it."""

        def __instancecheck__(cls, thing):
            return isinstance(thing, plain)

    class StringIO(plain, metaclass=Kind):
        """A text as a file."""

        def __init__(self, initial_value="", newline="\n"):
            if isinstance(initial_value, dict):
                from ._result import Result
                if isinstance(initial_value, Result):
                    initial_value = initial_value.text
            super().__init__(initial_value, newline)

    StringIO.__module__, StringIO.__doc__ = "io", plain.__doc__
    StringIO.__qualname__ = "StringIO"
    io.StringIO = StringIO


def teach_ast(ast):
    """Have ast.literal_eval() read JSON, which differs in three words."""
    plain = ast.literal_eval

    def literal_eval(node_or_string):
        from ._result import Result
        if isinstance(node_or_string, Result):
            return node_or_string.data
        try:
            return plain(node_or_string)
        except ValueError:
            from json import loads
            try:
                return loads(node_or_string)
            except (TypeError, ValueError):
                pass
            raise

    literal_eval.__module__, literal_eval.__doc__ = "ast", plain.__doc__
    ast.literal_eval = literal_eval


TEACH = {"ast": teach_ast, "io": teach_io, "csv": teach_csv, "re": teach_re,
         "json": teach_json, "yaml": teach_yaml, "pandas": teach_pandas}
