"""Archives of folders elsewhere than in /workspace/out whose paths the code
printed, and of those there that have too much to come back as they are; and the
contents of its own archives.

Such a folder becomes NAME.zip, if there is room for both.
"""
import os

from . import _buffers
from ._files import NAME_MAX, names_of, place

PACKED = "note: /workspace/out/%s came back as %s.zip\n"
FILES_MAX = 100  # that come back
DEPTH_MAX = 8  # names in their paths
FAST = 1  # of the levels of zlib: pictures are compressed already


def pack():
    """Pack each folder that has too much, and remove it; yield notes."""
    with os.scandir(place()) as entries:
        there = list(entries)
    folders = sorted(entry.name for entry in there
                     if entry.is_dir(follow_symlinks=False))
    room = FILES_MAX - len(there)  # one file of each folder is counted
    _buffers.finish()
    for name in folders:
        folder = "%s/%s" % (place(), name)
        try:
            files, within = contents(folder)
        except OSError:
            continue  # it has a folder that cannot be read
        if len(files) <= room + 1 and all(map(fits, files)):
            room -= max(len(files) - 1, 0)
            continue
        archive = name + ".zip"
        if files and len(archived(files, [archive])) == len(files):
            remove(files, within)  # the code has packed it
        elif files and pack_folder(folder, files, archive):
            remove(files, within)
            yield PACKED % (ascii(name)[1:-1], ascii(name)[1:-1])


def fits(path):
    """Whether a file below that folder can come back by its path."""
    name = path[len(place()) + 1:]
    return (name.count("/") < DEPTH_MAX and len(os.fsencode(name)) <= NAME_MAX)


def remove(files, folders):
    """Remove files and folders; a folder that has something else is left, and
    named in the answer.
    """
    for path in files:
        os.unlink(path)
    for folder in folders:
        try:
            os.rmdir(folder)
        except OSError:
            pass


def contents(folder):
    """Return the regular files below a folder, and the folders, last first."""
    files, folders = [], [folder]
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_file(follow_symlinks=False):
                    files.append(entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return files, folders[::-1]


def keep_folder(folder):
    """Pack a folder, and return the name of the archive; or None."""
    try:
        files, _ = contents(folder)
    except OSError:
        return None
    for name in names_of(folder + ".zip"):
        if not os.path.lexists("%s/%s" % (place(), name)):
            return name if pack_folder(folder, files, name) else None
    return None


def archived(paths, names=None):
    """Return those of some files that are in a zip archive which comes back, or
    in one of these names, as far as their names, sizes and sums tell.
    """
    from zipfile import ZipFile
    packed = set()
    for name in (names or os.listdir(place())) if paths else ():
        try:
            if name.endswith(".zip"):
                with ZipFile("%s/%s" % (place(), name)) as archive:
                    packed.update((os.path.basename(info.filename),
                                   info.file_size, info.CRC)
                                  for info in archive.infolist())
        except Exception:
            pass  # it is broken, or no archive
    return {path for path in paths if packed and os.path.exists(path) and (
        os.path.basename(path), os.path.getsize(path), sum_of(path)) in packed}


def sum_of(path):
    """Return the checksum that an archive has of a file."""
    from zlib import crc32
    value = 0
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            value = crc32(block, value)
    return value


def pack_folder(folder, files, name):
    """Make an archive of the files of a folder; return whether there is one
    now.

    Until it is whole it cannot be read, and so does not come back.
    """
    from zipfile import ZIP_DEFLATED, ZipFile
    target = "%s/%s" % (place(), name)
    start = len(os.path.dirname(folder)) + 1
    try:
        fd = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0)
    except OSError:
        return False
    try:
        with open(fd, "w+b") as file:
            with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=FAST,
                         strict_timestamps=False) as archive:
                for path in files:
                    archive.write(path, path[start:])
            file.flush()
            os.fchmod(fd, 0o644)
    except BaseException as error:
        os.unlink(target)
        if isinstance(error, Exception):
            return False
        raise
    return True
