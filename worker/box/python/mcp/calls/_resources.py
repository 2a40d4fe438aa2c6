"""What servers have besides tools: resources, prompts and completions."""
from ._ask import Answer, asked, linked, reading, written
from ._result import MCPError
from ._state import call


def text(name, what):
    """Return a name; refuse what is none."""
    if not isinstance(name, str):
        raise TypeError("%s is a text, not an object of type %s" % (
            what, type(name).__name__))
    return name


def listed(server, what, key):
    """Return what a server lists; a note says that it is not all."""
    name, answer = yield from asked(server, what)
    if "cut" in answer:
        from ._notes import send
        send("only the first %d %s of the server %s came: %s" % (
            len(answer[key]), what.replace("_", " "), name, answer["cut"]))
    return linked(answer[key], name, None)


def resources(server):
    """Return a call of a list: the resources of a server, each a dict."""
    return call("resources", listed(server, "resources", "resources"))


def resource_templates(server):
    """Return a call of a list: what URIs of further resources look like."""
    return call("resource_templates", listed(
        server, "resource_templates", "resourceTemplates"))


def prompts(server):
    """Return a call of a list: the prompts of a server, each a dict."""
    return call("prompts", listed(server, "prompts", "prompts"))


def read_resource(server, uri):
    """Return a call of a resource: {"contents": [...]}, also .text, .data."""
    text(uri, "the URI of a resource")
    return call("read_resource", reading(server, uri))


def get_prompt(server, name, arguments=None, /, **named):
    """Return a call of a prompt: {"messages": [...]}, also .text.

    Its arguments, which are texts, are a dict, or named.
    """
    def steps():
        known, answer = yield from asked(server, "get_prompt", name, given)
        for message in dict.get(answer, "messages") or ():
            if isinstance(message, dict) and "content" in message:
                message["content"], = linked([message["content"]], known)
        return Answer(answer)
    text(name, "the name of a prompt")
    given = written({**(arguments or {}), **named})
    return call("get_prompt", steps())


def complete(server, argument, value="", *, prompt=None, template=None,
             arguments=None):
    """Return a call of a list: how the value of an argument may go on.

    It is an argument of a prompt, given by its name, or of the template of
    URIs; arguments: those that are known already.
    """
    def steps():
        name, answer = yield from asked(server, what, known, given)
        found = dict.get(answer, "completion")
        found = dict.get(found, "values") if isinstance(found, dict) else None
        if not isinstance(found, list):
            raise MCPError("its answer has no list of values", name)
        return found
    if (prompt is None) == (template is None):
        raise TypeError("complete() needs either prompt or template: the name "
                        "of a prompt, or the template of a resource")
    what = "complete_resource" if prompt is None else "complete_prompt"
    known = text(template if prompt is None else prompt, "what is completed")
    context = {"context": {"arguments": arguments}} if arguments else {}
    given = written({"argument": {"name": argument, "value": value},
                     **context})
    return call("complete", steps())
