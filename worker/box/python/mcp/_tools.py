"""A tool of a server, as a function: its name, its documentation, its call.

Everything here is made from what the server says, which may be any JSON.
"""
from . import _values

TEXT_MAX = 60  # characters of a default or a list of values that are shown


class Absent:
    """The default of a parameter that is not sent when it is not given."""

    def __repr__(self):
        return "..."


ABSENT = Absent()


class Tool:
    """A tool.  Called with named arguments it returns a call to await."""

    def __init__(self, entry, module, call):
        self.__name__ = self.__qualname__ = entry["toolAlias"]
        self.__module__ = module
        self._entry, self._call = entry, call

    def __call__(self, /, *args, **arguments):
        """Return the call, which is sent when it is awaited."""
        if args:
            raise TypeError(positional(self._entry))
        entry = self._entry
        return self._call(entry["server"], entry["tool"], arguments)

    def __repr__(self):
        """Return the tool as it would be called."""
        entry = self._entry
        return "<tool %s.%s(%s)>" % (
            entry["serverAlias"], self.__name__, outline(entry))

    @property
    def __doc__(self):
        """The description, and the parameters."""
        return documentation(self._entry)

    @property
    def __signature__(self):
        """The parameters, as inspect.signature() shows them."""
        return signature(self._entry)


def parameters(entry):
    """Return (name, schema, required) of each parameter, required first."""
    schema = entry.get("inputSchema")
    schema = schema if isinstance(schema, dict) else {}
    names, required = schema.get("properties"), schema.get("required")
    names = names if isinstance(names, dict) else {}
    required = required if isinstance(required, list) else []
    extra = [name for name in required
             if isinstance(name, str) and name not in names]
    found = [(name, part if isinstance(part, dict) else {}, name in required)
             for name, part in names.items()]
    found += [(name, {}, True) for name in dict.fromkeys(extra)]
    return sorted(found, key=lambda parameter: not parameter[2])


def outline(entry):
    """Return the parameters in short: 'path, head=...'."""
    return ", ".join(name if required else name + "=..."
                     for name, _, required in parameters(entry))


def positional(entry):
    """Return why a positional argument is refused, and what is right."""
    names = ", ".join(name + " (required)" if required else name
                      for name, _, required in parameters(entry))
    if not names:
        return "%s() takes no positional arguments; its schema names no " \
            "parameters" % entry["toolAlias"]
    return "%s() takes only named arguments: %s; write mcp_%s.%s(%s), or " \
        "**arguments for a dict" % (
            entry["toolAlias"], names, entry["serverAlias"],
            entry["toolAlias"],
            ", ".join(name + "=..." for name, _, required
                      in parameters(entry) if required) or "name=value")


def documentation(entry):
    """Return the text for help()."""
    described = entry.get("description")
    parts = [described.strip()] if isinstance(described, str) else []
    lines = [parameter_line(*each) for each in parameters(entry)]
    if lines:
        parts.append("\n".join(["Parameters:"] + lines))
    return "\n\n".join(part for part in parts if part)


def parameter_line(name, schema, required):
    """Return one line about a parameter."""
    about = type_text(schema) + (", required" if required else "")
    if "default" in schema:
        about += ", default " + short(schema["default"])
    text = schema.get("description")
    text = " ".join(text.split()) if isinstance(text, str) else ""
    return "    %s (%s)%s" % (name, about, ": " + text if text else "")


def type_text(schema):
    """Return the type that a schema allows, as far as it is simple."""
    if isinstance(schema.get("enum"), list):
        return "one of " + short(schema["enum"])
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    return " or ".join(k for k in kinds if isinstance(k, str)) or "any"


def short(value):
    """Return a value as JSON, cut."""
    try:
        text = _values.write(value, "value").decode()
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= TEXT_MAX else text[:TEXT_MAX] + "..."


def signature(entry):
    """Return an inspect.Signature; what Python cannot name is **others."""
    from inspect import Parameter, Signature
    found, others = [], False
    for name, schema, required in parameters(entry):
        default = schema.get("default", ABSENT)
        try:
            found.append(Parameter(
                name, Parameter.KEYWORD_ONLY,
                default=Parameter.empty if required else default))
        except (IndexError, ValueError):
            others = True
    if others or not found:
        names = {parameter.name for parameter in found}
        name = "others" if found else "arguments"
        while name in names:
            name += "_"
        found.append(Parameter(name, Parameter.VAR_KEYWORD))
    return Signature(found)
