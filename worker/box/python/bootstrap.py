"""What caisson-box has the interpreter start: runs script.py in its place.

That file was compiled when Caisson was built, for the usual interpreter. What
an interpreter needs to compile the file that it is told to run, it keeps until
it ends, and a forked box would copy all of it then: so this one is short. For
the same reason the code of the other one is kept, rather than freed.
"""
NAMES = dict(globals())  # what this interpreter gives to every script

from _frozen_importlib_external import SourceFileLoader  # noqa: E402

CODE = SourceFileLoader(
    "script", __file__.rpartition("/")[0] + "/script.py").get_code("script")
exec(CODE)
