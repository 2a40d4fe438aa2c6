"""Tasks of asyncio that are cancelled when the code ends: a note reports them.

A program that creates a task without waiting for it ends as if the work were
done.  Tasks are not awaited here: some run beside the code, without end.
"""
import sys

TOLD_MAX = 3  # functions whose tasks are told of
MAKES = "create_task(", "ensure_future(", "gather("
ONE = ("note: the task of %s had not ended when the code did, and was "
       "cancelled: keep it, as t = asyncio.create_task(...), and write 'await "
       "t'\n")
SEVERAL = ("note: %d tasks of %s had not ended when the code did, and were "
           "cancelled: keep them in a list, and write 'await asyncio.gather("
           "*tasks)'\n")


def about(tasks):
    """Return notes on tasks, in the order of their lines."""
    found = {}
    for task in tasks:
        work = task.get_coro()
        if is_asked_to_end(task) or not is_own(work):
            continue
        key = place(work)
        found[key] = found.get(key, 0) + 1
    told = sorted(found, key=lambda each: (each[1] or 0, each[0]))
    return [told_of(key, found[key]) for key in told[:TOLD_MAX]]


def told_of(key, count):
    """Return the note on some tasks of one function, made in one line."""
    name, line = key
    name += "()" + (" (line %d)" % line if line else "")
    return ONE % name if count == 1 else SEVERAL % (count, name)


def is_asked_to_end(task):
    """Whether the code has cancelled a task itself."""
    return bool(task.cancelling() if hasattr(task, "cancelling")
                else getattr(task, "_must_cancel", False))


def is_own(work):
    """Whether a coroutine is one of the code; a call tells of itself."""
    return getattr(
        getattr(work, "cr_code", None), "co_filename", None) == \
        sys.modules["__main__"].__dict__.get("__file__")


def place(work):
    """Return the name of a coroutine, and the line of its task, or None."""
    from linecache import getlines
    name = work.__name__
    lines = [number for number, line in enumerate(
        getlines(work.cr_code.co_filename), 1)
             if name + "(" in line and any(each in line for each in MAKES)]
    return name, lines[0] if len(lines) == 1 else None
