"""Notes after code that has succeeded on files that are removed with the box.

Run by report.py, only if there may be such files.
"""
import os

NAMES_MAX = 3  # files that are named
FOLDERS_MAX = 64  # folders that are looked at
HIDDEN = ".", "__pycache__"  # how names begin that are not told
NAME_MAX = 60  # characters of a name
GONE = ("note: %s gone with the sandbox: to keep %s, write %s to "
        "/workspace/out%s\n")
DATA = "/data"  # writable in calls of a conversation
GONE_WEAK = ("note: %s gone with the sandbox: print what is needed of %s, or "
             "pass %s to a tool of a server\n")
UNITS = (1000000, "MB"), (1000, "kB")


def about_files(places):
    """Yield notes on the files that the code left in its folder, once those
    are kept that were printed, there or in /tmp.

    What is left in /tmp and was not printed is scratch.
    """
    home, _, given = places
    folders = [folder for folder in dict.fromkeys((home, working()))
               if (folder + "/").startswith(home + "/")]
    keeps, named = os.path.ismount(home + "/out"), set()
    if keeps:
        finish_files()
    found = files_below(folders, home, given)
    if keeps:
        named = yield from keep(found, places)
    names = [name for name, entry in found.items() if entry.path in named or
             not entry.name.startswith(HIDDEN) and not name.startswith("/")]
    if not names:
        return
    names.sort(key=lambda name: (found[name].path not in named, name))
    texts = [shown(name) + size_of(found[name].stat().st_size)
             for name in names[:NAMES_MAX]]
    more = len(names) - NAMES_MAX
    if more > 0:
        texts.append("more files" if len(folders) == FOLDERS_MAX
                     else "%d more file%s" % (more, "s" * (more > 1)))
    text = " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))
    many = len(names) > 1
    which = "them" if many else "it"
    words = text + (" are" if many else " is"), which, which
    yield GONE_WEAK % words if not keeps else GONE % (*words, \
        ", or to /data for later calls" if os.access(DATA, os.W_OK) else "")


def working():
    """Return the working directory; /, where the code has removed it."""
    try:
        return os.getcwd()
    except OSError:
        return "/"


def finish_files():
    """Flush the files that the code has open."""
    from mcp import _buffers
    _buffers.finish()


def keep(found, places):
    """Keep files whose names were printed, temporary ones too, and remove them
    from those that were found; yield notes.

    Returns the paths of files that may have been printed.
    """
    from mcp._printed import keep_printed
    _, folder, given = places
    names = {entry.path: name for name, entry in found.items()}
    others = {entry.path: entry
              for entry in files_below([folder], folder, given).values()
              if entry.path not in names}
    kept, named, texts = keep_printed(
        sorted(names, key=by_depth) + sorted(others, key=by_depth))
    yield from texts
    found.update((path, others[path]) for path in named if path in others)
    names.update((path, path) for path in others)
    for path in kept:
        found.pop(names[path], None)
    return named


def by_depth(path):
    """Return a key that sorts paths with few folders first."""
    return path.count("/"), path


def keep_files(places):
    """Call keep() at the end of code that has failed; yield notes."""
    home, _, given = places
    if os.path.ismount(home + "/out"):
        finish_files()
        yield from keep(files_below([home], home, given), places)


def files_below(folders, home, given):
    """Return the entries of the regular files in some folders, by name.

    Folders below them, except hidden ones, are added to the list and read,
    too, up to FOLDERS_MAX.
    """
    found = {}
    for folder in folders:
        try:
            entries = os.scandir(folder)
        except OSError:
            continue
        with entries:
            for entry in entries:
                if is_given(entry, given) or (
                        entry.path == home + "/out"
                        and os.path.ismount(entry.path)):
                    continue
                if entry.is_file(follow_symlinks=False):
                    found[entry.path[len(home) + 1:]] = entry
                elif len(folders) < FOLDERS_MAX and entry.path not in folders \
                        and not entry.name.startswith(HIDDEN) \
                        and entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return found


def is_given(entry, given):
    """Whether the code has neither created nor changed a file."""
    if entry.path not in given:
        return False
    status = entry.stat(follow_symlinks=False)
    return given[entry.path] in (None, (status.st_mtime_ns, status.st_size))


def shown(name):
    """Return a name, cut, and escaped if it is not printable."""
    more = "..." if len(name) > NAME_MAX else ""
    name = name[:NAME_MAX] + more
    return name if name.isprintable() else ascii(name)


def size_of(count):
    """Return a rounded number of bytes in brackets: (16 kB).

    Nothing for 0: the content is then still in a buffer.
    """
    for size, unit in UNITS:
        if count >= size:
            return " (%.*f %s)" % (count < 10 * size, count / size, unit)
    return " (%d byte%s)" % (count, "" if count == 1 else "s") if count else ""
