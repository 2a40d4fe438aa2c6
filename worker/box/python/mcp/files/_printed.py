"""Which file names the code has printed: the relay has the output."""
import os

from ._files import is_below, is_same, keep, place

ASKED_MAX = 2000  # files that are asked about, in some 0.3 s
RENAMED = "note: %s came back as %s\n"
TOGETHER = 32  # questions that are under way


def find(paths, others):
    """Return those of some files that were printed, and those that may be.

    others: names of files that are not among them.  A file is meant where its
    path was printed, or its name, and no other file has that.  A name without
    a dot may be any word, and is none.
    """
    names = {}
    for path in paths[:ASKED_MAX]:
        names.setdefault(os.path.basename(path), []).append(path)
    printed = asked({name: (name, "/" + name) for name in names})
    sure, doubtful = set(), []
    for name in printed:
        if "." in name and len(names[name]) == 1 and name not in others:
            sure.update(names[name])
        else:
            doubtful += names[name]
    sure |= asked({path: spellings(path) for path in doubtful})
    return [path for path in paths if path in sure], sure.union(
        path for path in doubtful if "." in os.path.basename(path))


def spellings(path):
    """Return how the code may have written the path of a file."""
    texts = [path]
    home = os.environ.get("HOME", "/workspace")
    try:
        here = os.getcwd()
    except OSError:
        here = home  # the code has removed it
    for folder in {home, here}:
        if path.startswith(folder + "/"):
            below = path[len(folder) + 1:]
            texts += [below, "./" + below]
            texts += ["~/" + below] if folder == home else []
    return [text for text in texts if "." in text or "/" in text]


def folders(paths):
    """Return the folders of some files that were printed, but none that is in
    another one.
    """
    found = {}
    for path in paths[:ASKED_MAX]:
        for folder in folders_of(path):
            texts = spellings(folder + "/")
            found[folder] = texts + [text[:-1] for text in texts
                                     if "/" in text[:-1]]
    printed = asked(found)
    return sorted(folder for folder in printed
                  if not printed.intersection(folders_of(folder)))


def folders_of(path):
    """Yield the folders that a path leads through, in those of the code."""
    home = os.environ.get("HOME", "/workspace")
    tops = home, os.environ.get("TMPDIR", "/tmp")
    folder = os.path.dirname(path)
    while folder not in tops and folder.startswith(tops) and \
            folder != home + "/in":
        yield folder
        folder = os.path.dirname(folder)


def asked(texts):
    """Return the keys of a dict that have a text which was printed."""
    from . import _state
    pairs = [(key, form) for key in texts for text in texts[key]
             for form in forms(text)]
    found = set()
    for first in range(0, len(pairs), TOGETHER):
        some = pairs[first:first + TOGETHER]
        answers = _state.run("printed", asking([text for _, text in some]))
        found.update(key for (key, _), answer in zip(some, answers) if answer)
    return found


def forms(text):
    """Return a text as it is, and as JSON and links have it; none, where it is
    too long, or no text at all.
    """
    from ._echo import MOST
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return []
    found = [text, text.replace(" ", "%20")]
    if not text.isascii():
        from json import dumps
        found.append(dumps(text)[1:-1])
    link = "".join("%%%02X" % byte if byte <= 32 or byte > 126 else chr(byte)
                   for byte in data)
    found.append(link)
    return [form for form in dict.fromkeys(found)
            if len(form.encode()) <= MOST]


def asking(texts):
    """Ask the relay whether texts were printed, and return its answers."""
    from . import _values
    from ._ask import answer_of
    from ._call import Together
    from ._request import Request
    requests = tuple(Request(_values.write(
        {"type": "printed", "text": text}, "payload")) for text in texts)
    yield Together(requests)
    return [answer_of(request) for request in requests]


def keep_printed(paths):
    """Keep those of some files that were printed.

    Returns the paths of those that are kept, and of those that may have been
    printed, and notes.
    """
    if not paths:
        return set(), set(), []
    there = set(os.listdir(place()))
    kept = {path for path in paths if os.path.basename(path) in there and
            is_same(path, "%s/%s" % (place(), os.path.basename(path)))}
    sure, named = find([path for path in paths if path not in kept], there)
    notes = []
    for path in sure:
        try:
            name = keep(path)
        except (OSError, ValueError):
            continue  # there is no room: a note tells that it is gone
        kept.add(path)
        if name != os.path.basename(path):
            notes.append(RENAMED % (ascii(path)[1:-1], name))
    return kept, named, notes + keep_folders(paths, kept)


def keep_folders(paths, kept):
    """Keep the folders of files that were printed; return notes.

    What comes back as a part of an archive is added to what is kept.
    """
    from . import _pack
    rest = [path for path in paths if path not in kept]
    kept |= _pack.archived(rest)
    rest = [path for path in rest if path not in kept]
    notes = []
    for folder in folders(rest):
        name = _pack.keep_folder(folder)
        if name is not None:
            kept.update(path for path in rest if is_below(path, folder))
            notes.append(RENAMED % (ascii(folder)[1:-1], name))
    return notes
