"""The parts of IPython.display that code for notebooks uses, if IPython is not
installed: pictures are shown, everything else is printed.

Only the code itself can import it: libraries that look for a notebook find
none.
"""
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import PathFinder

from ._caller import caller

NAME = "IPython"
LOADS = "<frozen importlib"  # what imports


def find_spec(name):
    """Return how to import a module of IPython, or None."""
    frame = caller()
    while frame.f_back and frame.f_code.co_filename.startswith(LOADS):
        frame = frame.f_back
    if frame.f_globals.get("__name__") != "__main__" or \
            PathFinder.find_spec(NAME):
        return None
    return ModuleSpec(name, Loader(), origin="caisson",
                      is_package=name == NAME)


class Loader:
    """Fills a module with what it is to have."""

    @staticmethod
    def create_module(spec):
        """Have the import system make it."""

    @staticmethod
    def exec_module(module):
        """Give it its names."""
        if module.__name__ == NAME:
            module.get_ipython = get_ipython
        else:
            vars(module).update({each.__name__: each for each in (
                display, clear_output, Image, HTML, Markdown)})


def get_ipython():
    """Return the shell of IPython, which there is not."""


def display(*values, **_):
    """Show values: pictures as such, all else as text."""
    from . import _show
    _show.display(values)


def clear_output(wait=False):
    """Do nothing: what was printed stays."""


class Text:
    """A text of some kind, which is shown as it is."""

    def __init__(self, data="", *_, **more):
        self.data = str(data)

    def __repr__(self):
        """Return the text."""
        return self.data


class HTML(Text):
    """HTML, of which the source is shown."""


class Markdown(Text):
    """Markdown, of which the source is shown."""


class Image:
    """A picture: its bytes, or the path of a file."""

    def __init__(self, data=None, url=None, filename=None, *_, **more):
        if data is None and filename is None:
            raise ValueError("an image is given by data or filename: there "
                             "is no network here")
        if isinstance(data, str):
            data, filename = None, data
        if data is None:
            with open(filename, "rb") as file:
                data = file.read()
        self.data = bytes(data)

    def _repr_png_(self):
        return self.data
