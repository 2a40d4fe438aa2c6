"""Tasks of asyncio that are cancelled when the code ends: a note reports them.

A program that creates a task without waiting for it ends as if the work were
done.  Tasks are not awaited here: some run beside the code, without end.
"""
import sys

TOLD_MAX = 3  # functions whose tasks are told of
NOTE = ("note: %d task%s of %s had not ended when the code did, and %s "
        "cancelled: keep each, as t = asyncio.create_task(...), and write "
        "'await t'\n")


def about(tasks):
    """Return the note on tasks that the code did not cancel, in a list."""
    file = vars(sys.modules["__main__"]).get("__file__")
    works = [task.get_coro() for task in tasks if not (
        task.cancelling() if hasattr(task, "cancelling")
        else getattr(task, "_must_cancel", False))]
    names = ["%s()" % work.__name__ for work in works if getattr(
        getattr(work, "cr_code", None), "co_filename", None) == file]
    many = len(names) > 1
    return [NOTE % (len(names), "s" * many, ", ".join(
        sorted(set(names))[:TOLD_MAX]), "were" if many else "was")] \
        if names else []
