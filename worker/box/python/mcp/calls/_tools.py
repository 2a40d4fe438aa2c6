"""A tool of a server, as a function: its name, its documentation, its call.

All of it is made, on use, from the list of the server, which may be any JSON.
"""
from . import _ask, _schema
from ._data import WRAPPER, is_wrapper
from ._result import refused
from ._positions import fill
from ._state import call, run
from ._values import clean

PARAMETERS_MAX = 100  # that documentation and signatures show
DESCRIPTION_MAX = 20000  # characters of a description in documentation
ABOUT_MAX = 500  # characters of the description of a parameter
UNTOLD = "The tool %s of the MCP server %s, which does not describe it."


class Shown(str):
    """A text that stands in a signature as it is."""

    __slots__ = ()
    __repr__ = str.__str__


CALLS = "invoke", "ainvoke", "run", "arun", "call", "acall", "execute"
ABSENT = Shown("...")  # the default of what is not sent when it is not given
TYPES = {"str": str, "int": int, "float": float, "bool": bool, "list": list,
         "dict": dict}


class Tool:
    """A tool.  Called with named arguments it returns a call to await."""

    def __init__(self, state, name, entry=None):
        self.__name__ = self.__qualname__ = name
        self.__module__ = "mcp.servers." + state.alias
        self._state, self._entry = state, entry

    def _known(self):
        """Return what the server says of it; raises AttributeError."""
        if self._entry is None:
            self._entry = run(self.__name__, _ask.find_attribute(
                self._state, self.__name__))
        return self._entry

    def __call__(self, /, *args, **arguments):
        """Return the call, which is sent when it is awaited."""
        state, entry, name = self._state, self._entry, self.__name__
        tool = entry["tool"] if entry else name
        given = _ask.given(state.name, tool, arguments, args)
        if args and entry and fill(entry, args, arguments)[1]:
            entry = self._renewed(args, arguments)
        return call("%s.%s" % (state.name, tool), _ask.call_attribute(
            state, name, given) if entry is None else _ask.call_entry(
                state, entry, given))

    def __getattr__(self, name):
        """Return what tools of other libraries are called by: themselves."""
        if name in CALLS:
            return self.__call__
        raise AttributeError("%r object has no attribute %r" % (
            type(self).__name__, name))

    def _renewed(self, args, arguments):
        """Ask for the tool again, and refuse the arguments it does not take.
        """
        state, tool = self._state, self._entry["tool"]
        run(self.__name__, _ask.list_tools(state))
        self._entry = state.find(tool) or self._entry
        wrong = fill(self._entry, args, arguments)[1]
        if wrong:
            raise refused(wrong, state.name, tool)
        return self._entry

    def __repr__(self):
        """Return the tool as it would be called; sends no request."""
        entry, state = self._entry, self._state
        return clean("<tool %s.%s(%s)>" % (state.alias, self.__name__, (
            _schema.outline(entry) if entry else "...")))

    @property
    def __doc__(self):
        """The description, the parameters, and the result."""
        return documentation(self._known())

    @property
    def __signature__(self):
        """The parameters, as inspect.signature() shows them."""
        return signature(self._known())


def documentation(entry):
    """Return the text for help()."""
    described = entry.get("description")
    parts = [described.strip()[:DESCRIPTION_MAX]] \
        if isinstance(described, str) else []
    found = _schema.parameters(entry)
    lines = [parameter_line(entry.get("inputSchema"), *each)
             for each in found[:PARAMETERS_MAX]]
    if len(found) > PARAMETERS_MAX:
        lines.append("    ... and %d more" % (len(found) - PARAMETERS_MAX))
    if lines:
        parts.append("\n".join(["Parameters:"] + lines))
    if isinstance(entry.get("outputSchema"), dict):
        schema = inner = entry["outputSchema"]
        if is_wrapper(schema):
            inner = schema["properties"][WRAPPER]
        parts.append("Returns:\n    .data: " + _schema.type_text(
            inner, schema))
    elif "seen" in entry:
        parts.append("Returns, as seen:\n    .data: " + entry["seen"])
    return clean("\n\n".join(part for part in parts if part)) or UNTOLD % (
        clean(entry["tool"]), clean(entry["server"]))


def parameter_line(root, name, schema, required):
    """Return one line about a parameter."""
    about = _schema.type_text(schema, root) + (
        ", required" if required else "")
    whole = _schema.flat(schema, root)[0]
    if "default" in whole:
        about += ", default " + _schema.short(whole["default"])
    text = whole.get("description")
    text = " ".join(text.split()) if isinstance(text, str) else ""
    return "    %s (%s)%s" % (
        _schema.cut(name), about,
        ": " + _schema.cut(text, ABOUT_MAX) if text else "")


def signature(entry):
    """Return an inspect.Signature; what Python cannot name is **others."""
    from inspect import Parameter, Signature
    found, root = [], entry.get("inputSchema")
    all_of_them = _schema.parameters(entry)
    for name, schema, required in all_of_them[:PARAMETERS_MAX]:
        kind = _schema.type_text(schema, root)
        if len(name) > _schema.TEXT_MAX:
            continue
        try:
            found.append(Parameter(
                name, Parameter.KEYWORD_ONLY,
                annotation=TYPES.get(kind, Shown(kind)),
                default=Parameter.empty if required else default(
                    schema, root)))
        except (IndexError, ValueError):
            continue
    if len(found) < len(all_of_them) or not found:
        names = {parameter.name for parameter in found}
        name = "others" if found else "arguments"
        while name in names:
            name += "_"
        found.append(Parameter(name, Parameter.VAR_KEYWORD))
    return Signature(found)


def default(schema, root):
    """Return the default of a parameter as a signature shows it."""
    whole = _schema.flat(schema, root)[0]
    if "default" not in whole:
        return ABSENT
    text = _schema.short(whole["default"])
    return Shown(text) if text.endswith("...") else whole["default"]
