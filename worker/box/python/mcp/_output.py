"""The output of earlier executions that was cut in their answers.

The host keeps it for a day, for later code of the same owner.
"""
from . import _values
from ._caller import for_await
from ._memory import ask

STREAMS = "stdout", "stderr"


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
    return for_await("".join(parts))
