"""Notes after code that has succeeded, on what it could not notice itself:
files that are removed with the box, and programs that failed.

Run by report.py, only if there may be such files or programs.
"""
import os
import sys

NAMES_MAX = 3  # files that are named, programs that are told of
FOLDERS_MAX = 64  # folders that are looked at
HIDDEN = ".", "__pycache__"  # how names begin that are not told
NAME_MAX = 60  # characters of a name
FAILED_MAX = 64  # programs that are remembered
SAID_MAX = 1000  # bytes of what each wrote
WORDS_MAX = 160  # characters of what a program wrote
NAMED = r"""["'](/tmp/[^"'\\{}%*?\n]{1,200})["']"""
CLOCK = 1  # seconds by which the times of files may differ from the clock's
GONE = ("note: %s gone with the sandbox: to keep %s, write %s to "
        "/workspace/out\n")
GONE_WEAK = ("note: %s gone with the sandbox: print what is needed of %s, or "
             "pass %s to a tool of a server\n")
FAILED = []  # programs whose failure the code has not seen
OF = {}  # the program of a result, by the number of that object
ERRORS = "error", "fatal"
UNITS = (1000000, "MB"), (1000, "kB")


def notes(places, named, is_silent, advice):
    """Yield the notes.

    places: the folder for files, the one for temporary files, and what was
    there before the code, by paths: see is_given(); named: what paths_in()
    returned, and when; is_silent() tells whether nothing was printed; advice:
    names of advice.py.
    """
    yield from dict.fromkeys(
        about_programs(is_silent, advice["about_install"]))
    yield from about_files(places, *named)


# Files


def paths_in(source):
    """Return the paths of files in /tmp that code has as strings."""
    from re import findall
    return set(findall(NAMED, source.decode("utf-8", "replace")))


def about_files(places, paths, since):
    """Yield notes on the files that the code left in its folder, or at some
    paths, once those are kept that were printed.

    since: the time before which a file at one of the paths is not the code's.
    """
    home, _, given = places
    folders = [folder for folder in dict.fromkeys((home, working()))
               if (folder + "/").startswith(home + "/")]
    keeps, named = os.path.ismount(home + "/out"), set()
    if keeps:
        finish_files()
    found = {**files_at(paths, given, since),
             **files_below(folders, home, given)}
    if keeps:
        named = yield from keep(found, places)
    names = [name for name, entry in found.items()
             if entry.path in named or not entry.name.startswith(HIDDEN)]
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
    yield (GONE if keeps else GONE_WEAK) % (
        text + (" are" if many else " is"), which, which)


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
    from mcp._files import keep_printed
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


def files_at(paths, given, since):
    """Return the entries of the regular files at some paths, by path."""
    found = {}
    for folder in {path.rpartition("/")[0] for path in paths}:
        try:
            entries = os.scandir(folder)
        except OSError:
            continue
        with entries:
            found.update({
                entry.path: entry for entry in entries
                if entry.path in paths and entry.path not in given
                and entry.is_file(follow_symlinks=False)
                and entry.stat().st_ctime > since - CLOCK})
    return found


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
    return " (%d byte%s)" % (count, "" if count == 1 else "s") \
        if count else ""


# Programs


class Program:
    """A program that failed, until the code reads its exit status."""

    __slots__ = ("command", "status", "said")

    def __init__(self, command, status, said=None):
        self.command, self.status = command, status
        self.said = said[-SAID_MAX:] if said else None
        if len(FAILED) < FAILED_MAX:
            FAILED.append(self)

    def seen(self):
        """Forget the failure: the code has noticed it."""
        if self in FAILED:
            FAILED.remove(self)


def teach_subprocess(subprocess):
    """Make results of subprocess.run() record whether they were read."""
    plain = subprocess.CompletedProcess

    class CompletedProcess(plain):
        """The same class, which records whether the failure was read."""

        def __init__(self, args, returncode, stdout=None, stderr=None):
            super().__init__(args, returncode, stdout, stderr)
            OF.pop(id(self), None)  # that of another, which has gone
            if returncode:
                OF[id(self)] = Program(args, returncode, stderr)

        def __getattribute__(self, name):
            if name in LOOKS or (name == "stdout" and get(
                    self, "stderr") is None):
                program = OF.pop(id(self), None)
                if program is not None:
                    program.seen()
            return get(self, name)

    get = plain.__getattribute__
    for name in "__doc__", "__module__", "__qualname__":
        setattr(CompletedProcess, name, getattr(plain, name))
    subprocess.CompletedProcess = CompletedProcess


# Members that show how a program has ended.
LOOKS = ("returncode", "check_returncode", "stderr", "__dict__",
         "__reduce_ex__")


def teach_os():
    """Make os.system() record a failure whose status the code drops."""
    plain = os.system

    def system(command):
        status = plain(command)
        if status:
            from mcp._caller import follows
            if follows(sys._getframe(1), "POP_TOP") or "pip" in str(command):
                Program(command, status >> 8 or -(status & 127))
        return status

    system.__doc__, system.__module__ = plain.__doc__, plain.__module__
    os.system = system


def about_programs(is_silent, about_install):
    """Yield notes on programs that failed, where that is certain.

    The code has neither looked at the status of any, nor seen what it wrote:
    that was kept from standard error and is not used, or there is no output
    at all, which is_silent() finds out.  about_install(command) is the
    sentence on one that installs something, or None.
    """
    for program in FAILED[:NAMES_MAX]:
        text = words_of(program.said)
        sentence = about_install(program.command)
        if sentence:
            yield "note: %s\n" % sentence
        elif text or is_silent():
            yield "note: the program %r %s%s\n" % (
                name_of(program.command), end_of(program.status),
                ": " + text if text else "")


def name_of(command):
    """Return the first word of a command, or the whole command line."""
    if isinstance(command, (list, tuple)) and command:
        command = command[0]
    if isinstance(command, bytes):
        command = os.fsdecode(command)
    return str(command)[:NAME_MAX]


def end_of(status):
    """Return how a program ended, by its status."""
    return "was killed by signal %d" % -status if status < 0 \
        else "ended with exit status %d" % status


def words_of(data):
    """Return a line that a program wrote, cut: the first that mentions an
    error, else the last.
    """
    if isinstance(data, bytes):
        data = data.decode("utf-8", "replace")
    lines = data.strip().splitlines() if isinstance(data, str) else ()
    told = [line for line in lines if any(
        word in line.lower() for word in ERRORS)] or lines[-1:]
    text = told[0][:WORDS_MAX] if told else ""
    return text if text.isprintable() else ascii(text)
