"""The backend of matplotlib in a box: its figures become pictures of the
answer, where others open windows.

matplotlib.pyplot imports it, because namespace.py sets it.  mcp/_show.py, which
sends pictures, is imported when there is one.
"""
import sys

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

# What is noted of a figure, in the figure: that it was saved, or shown.
SAVED, SHOWN = "_saved_here", "_shown_here"
FAILED = "note: an open figure is not shown, as it cannot be drawn: %s: %s\n"


class FigureCanvas(FigureCanvasAgg):
    """What a figure is drawn on."""

    def print_figure(self, *args, **more):
        """Save the figure, and note that."""
        result = super().print_figure(*args, **more)
        vars(self.figure)[SAVED] = True
        return result


class FigureManager(FigureManagerBase):
    """What stands for the window of a figure."""

    def show(self):
        """Show the figure."""
        send(self.canvas.figure)


def new_figure_manager(num, *args, FigureClass=Figure, **more):
    """Return the window of a new figure."""
    return new_figure_manager_given_figure(num, FigureClass(*args, **more))


def new_figure_manager_given_figure(num, figure):
    """Return the window of a figure."""
    return FigureManager(FigureCanvas(figure), num)


def show(*args, block=None, **more):
    """Show all figures, and close them, as if their windows were closed."""
    if sys._getframe(2).f_code.co_name == "pause":
        return  # more is drawn: the end of the code shows it
    for figure in opened():
        if SHOWN not in vars(figure):
            send(figure)
        if block is False:
            vars(figure).pop(SHOWN)  # it may be drawn on, and shown again
    if block is not False:
        Gcf.destroy_all()


def opened():
    """Return the figures that are open and have something in them."""
    figures = [manager.canvas.figure for manager in Gcf.get_all_fig_managers()
               if isinstance(manager, FigureManager)]
    return [figure for figure in figures if len(figure.get_children()) > 1]


def send(figure, asked=True):
    """Show a figure; asked: because the code asks for it."""
    from mcp import _show
    _show.show_figure(figure, asked)


def finish(notes):
    """At the end of code that showed nothing, show what it has left open.

    What the code has saved is not meant. notes: what is told gets there.
    """
    ours = sys.modules.get("mcp._show")
    if ours and ours.was_asked():
        return
    for figure in opened():
        if not {SAVED, SHOWN}.intersection(vars(figure)):
            try:
                send(figure, False)
            except Exception as error:
                notes.append(FAILED % (type(error).__name__, error))
