"""The module mmap of the box: memory that is shared is that of a file.

The kernel does not report how much shared memory without a file exists, so a
box has none.  mmap.mmap(-1, length) would create some; here it maps an unnamed
file in /dev/shm instead, which is counted like every file there.
"""
import os as _os
import sys as _sys
from _frozen_importlib import BuiltinImporter as _Builtin
from _frozen_importlib import module_from_spec as _module_from_spec
from _frozen_importlib_external import PathFinder as _PathFinder

_ours = _sys.modules[__name__]
_spec = _Builtin.find_spec("mmap") or _PathFinder.find_spec("mmap")
_real = _module_from_spec(_spec)
_spec.loader.exec_module(_real)
_sys.modules[__name__] = _ours  # older interpreters put the other one there
globals().update(
    (name, value) for name, value in vars(_real).items() if name[0] != "_")
# With reduced isolation there is no /dev/shm.
_PLACE = "/dev/shm" if _os.path.isdir("/workspace") else _os.environ["TMPDIR"]
_ORDER = "fileno", "length", "flags", "prot", "access", "offset"


class mmap(_real.mmap):
    __doc__ = _real.mmap.__doc__

    def __new__(cls, *args, **named):
        """Make a map; one that is shared and has no file gets a file."""
        given = dict(zip(_ORDER, args), **named)
        length, flags = given.get("length"), given.get("flags", 1)
        if (given.get("fileno") != -1 or not isinstance(length, int)
                or length <= 0 or not flags & _real.MAP_SHARED
                or given.get("access") == _real.ACCESS_COPY):
            return super().__new__(cls, *args, **named)
        if given.get("prot", 0) & _real.PROT_EXEC:
            # No file can be executed; private memory can.
            given["flags"] = _real.MAP_PRIVATE | _real.MAP_ANONYMOUS
            return super().__new__(cls, **given)
        fd = _os.open(_PLACE, _os.O_TMPFILE | _os.O_RDWR, 0o600)
        try:
            _os.posix_fallocate(fd, given.get("offset", 0), length)
            given["fileno"] = fd
            if "flags" in given:
                given["flags"] &= ~_real.MAP_ANONYMOUS
            return super().__new__(cls, **given)
        finally:
            _os.close(fd)
