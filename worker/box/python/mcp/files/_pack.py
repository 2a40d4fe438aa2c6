"""Archives of folders that the code leaves in /workspace/out, or elsewhere if
it printed their paths; and the contents of its own archives.

Only files come back: a folder becomes NAME.zip, if there is room for both.
"""
import os

from . import _buffers
from ._files import CHUNK, names_of, place

PACKED = "note: /workspace/out/%s came back as %s.zip\n"
READ_MAX = 32 << 20  # bytes of an archive that are read
FAST = 1  # of the levels of zlib: pictures are compressed already


def pack():
    """Pack each folder, and remove it; yield notes."""
    with os.scandir(place()) as entries:
        folders = sorted(entry.name for entry in entries
                         if entry.is_dir(follow_symlinks=False))
    _buffers.finish()
    for name in folders:
        folder = "%s/%s" % (place(), name)
        try:
            files, within = contents(folder)
        except OSError:
            continue  # it has a folder that cannot be read
        archive = name + ".zip"
        if files and len(archived(files, [archive])) == len(files):
            remove(files, within)  # the code has packed it
        elif files and pack_folder(folder, files, archive):
            remove(files, within)
            yield PACKED % (ascii(name)[1:-1], ascii(name)[1:-1])


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
    """Return those of some files that are in an archive which comes back.

    names: of archives, where not any is meant.
    """
    packed = set()
    for name in os.listdir(place()) if names is None else names:
        for end in LISTED if paths else ():
            if name.endswith(end):
                packed |= listed("%s/%s" % (place(), name), LISTED[end])
    known = {entry[:2] for entry in packed}
    return {path for path in paths if entry_of(path) in known and
            (*entry_of(path), sum_of(path)) in packed}


def listed(path, entries):
    """Return the names, sizes and sums of what is in an archive."""
    try:
        return {(os.path.basename(name), size, found)
                for name, size, found in entries(path)}
    except Exception:
        return set()  # it is broken, too large, or no archive


def in_zip(path):
    """Yield the names, sizes and sums of what is in an archive of zip."""
    from zipfile import ZipFile
    with ZipFile(path) as archive:
        for info in archive.infolist():
            yield info.filename, info.file_size, info.CRC


def in_tar(path):
    """Yield those of what is in one of tar, whose files have to be read."""
    import tarfile
    left = READ_MAX
    with tarfile.open(path) as archive:
        for info in archive:
            left -= info.size
            if left < 0:
                raise ValueError(path)
            if info.isreg():
                yield info.name, info.size, sum_in(archive.extractfile(info))


# The ends of names of archives, and what tells their entries.
LISTED = {".zip": in_zip, ".tar": in_tar, ".tar.gz": in_tar, ".tgz": in_tar,
          ".tar.bz2": in_tar, ".tar.xz": in_tar}


def entry_of(path):
    """Return the name and the size of a file; None where that is gone."""
    try:
        return os.path.basename(path), os.stat(path).st_size
    except OSError:
        return None


def sum_of(path):
    """Return the sum of the bytes of a file, as archives have it; or None."""
    try:
        with open(path, "rb") as file:
            return sum_in(file)
    except OSError:
        return None


def sum_in(file):
    """Return the sum of the bytes of an open file."""
    from zlib import crc32
    found = 0
    for data in iter(lambda: file.read(CHUNK), b""):
        found = crc32(data, found)
    return found


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
