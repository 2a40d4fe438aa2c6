"""Folders that the code leaves in /workspace/out, as one archive each.

Only files come back: a folder becomes NAME.zip, where there is room for both.
"""
import os

from . import _buffers
from ._files import place

PACKED = "note: /workspace/out/%s came back as %s.zip\n"
FAST = 1  # of the levels of zlib: pictures are compressed already


def pack():
    """Pack each folder, and remove it; yield notes."""
    with os.scandir(place()) as entries:
        folders = sorted(entry.name for entry in entries
                         if entry.is_dir(follow_symlinks=False))
    _buffers.finish()
    for name in folders:
        files, within = contents(name)
        if files and pack_folder(name, files):
            for path in files:
                os.unlink(path)
            for folder in within:
                try:
                    os.rmdir(folder)
                except OSError:
                    pass  # what is no file is left, and named in the answer
            yield PACKED % (ascii(name)[1:-1], ascii(name)[1:-1])


def contents(name):
    """Return the regular files below a folder, and the folders, last first."""
    files, folders = [], ["%s/%s" % (place(), name)]
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_file(follow_symlinks=False):
                    files.append(entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return files, folders[::-1]


def pack_folder(name, files):
    """Make an archive of files; return whether there is one now.

    Until it is whole it cannot be read, and so does not come back.
    """
    from zipfile import ZIP_DEFLATED, ZipFile
    target = "%s/%s.zip" % (place(), name)
    try:
        fd = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0)
    except OSError:
        return False
    try:
        with open(fd, "w+b") as file:
            with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=FAST,
                         strict_timestamps=False) as archive:
                for path in files:
                    archive.write(path, path[len(place()) + 1:])
            file.flush()
            os.fchmod(fd, 0o644)
    except BaseException as error:
        os.unlink(target)
        if isinstance(error, Exception):
            return False
        raise
    return True
