"""The output of earlier executions that was cut in their answers.

The host keeps it for a day, for later code of the same owner.
"""
from . import _notes, _values
from ._caller import for_await
from ._memory import ask

STREAMS = "stdout", "stderr"
# The last line of what is kept of a stream that has more: see
# relay/output/output.c.
MORE = r"\[\.\.\. (\d+ further bytes were not kept).* \.\.\.\]\n\Z"


def output(execution, stream="stdout"):
    """Return the whole text of an output that was cut; see runtime.output."""
    if not isinstance(execution, str):
        raise TypeError("an execution is given by the id in its answer, not "
                        "by an object of type %s" % type(execution).__name__)
    if stream not in STREAMS:
        raise ValueError('stream is "stdout" or "stderr", not %r' % (stream,))
    fields, parts, start = {}, [], 0
    if stream == "stderr":
        fields["errors"] = True
    while start is not None:
        part = ask("load_output", {"from": start, **fields},
                   execution=_values.write(execution, "execution"))
        parts.append(part["text"])
        start = part["next"]
    text = "".join(parts)
    tell_missing(execution, text[text.rfind("\n", 0, -1) + 1:])
    return for_await(text)


def tell_missing(execution, line):
    """Note where an output is only a start, as its last line says."""
    from re import match
    more = match(MORE, line)
    if more:
        _notes.send("the output of %s is only a start: %s, as its last line "
                    "says" % (execution, more[1]))
