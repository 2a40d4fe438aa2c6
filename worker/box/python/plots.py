"""Makes figures of matplotlib.pyplot and images of Pillow, which elsewhere open
windows, pictures of the answer.

Run by offer.py when the code imports such a library, or where it is preloaded.
mcp/_show.py, which sends pictures, is imported when there is one.
"""
import sys

NAME = "matplotlib.pyplot"
# What is noted of a figure, in the figure: that it was saved, or shown.
SAVED, SHOWN = "_saved_here", "_shown_here"
LAST = []  # the figure that was shown last
FAILED = "note: an open figure is not shown, as it cannot be drawn: %s: %s\n"


def teach_images(module):
    """Have images show themselves."""
    from functools import wraps
    plain = module.Image.show

    @wraps(plain)
    def show(self, title=None, **more):
        from mcp import _show
        _show.show(self, title)

    module.Image.show = show


def teach_plots(plt):
    """Have its figures show themselves, and know that they were saved."""
    from functools import wraps
    kind, plain = plt.Figure, plt.savefig
    save = kind.savefig

    @wraps(plt.show)
    def show(*args, block=None, **more):
        if sys._getframe(1).f_code.co_name == "pause":
            return  # more is drawn: the end of the code shows it
        figures = opened(plt)
        for figure in figures:
            if SHOWN not in vars(figure):
                send(figure)
            if block is False:
                vars(figure).pop(SHOWN)  # it may be drawn on, and shown again
        if figures and block is not False:
            LAST[:] = figures[-1:]
            plt.close("all")

    @wraps(kind.show)
    def show_one(self, *args, **more):
        send(self)

    @wraps(save)
    def savefig(self, *args, **more):
        result = save(self, *args, **more)
        vars(self)[SAVED] = True
        return result

    @wraps(plain)
    def save_current(*args, **more):
        # Behind plt.show() there is no figure: the one that was shown is meant.
        if LAST and not plt.get_fignums():
            return LAST[0].savefig(*args, **more)
        return plain(*args, **more)

    plt.show, plt.savefig = show, save_current
    kind.show, kind.savefig = show_one, savefig


def teach_metrics(afm):
    """Have the list of fonts made without the sizes of their letters.

    No box finds a list that another one has made.  Of 60 fonts that come with
    matplotlib, and that only some PDF files use, making it reads every letter,
    and uses the names: that is a sixth of the time of the first import.
    """
    for name in {"_parse_char_metrics", "_parse_optional"} & vars(afm).keys():
        setattr(afm, name, unless_listing(getattr(afm, name)))


def unless_listing(parse):
    """Return a function that reads nothing while the list is made."""
    def reading(file):
        fonts = sys.modules.get("matplotlib.font_manager")
        if fonts and "fontManager" not in vars(fonts):
            return {}, {}
        return parse(file)
    return reading


def send(figure, asked=True):
    """Show a figure; asked: because the code asks for it."""
    from mcp import _show
    _show.show_figure(figure, asked)


TEACH = {NAME: teach_plots, "PIL.Image": teach_images,
         "matplotlib._afm": teach_metrics}


def teach():
    """Teach those that are there."""
    for name in TEACH.keys() & sys.modules.keys():
        TEACH[name](sys.modules[name])


def opened(plt):
    """Return the figures that are open and have something in them."""
    from matplotlib._pylab_helpers import Gcf
    figures = [Gcf.figs[number].canvas.figure for number in plt.get_fignums()]
    return [figure for figure in figures if len(figure.get_children()) > 1]


def finish(notes):
    """At the end of code that showed nothing, show what it has left open.

    What the code has saved is not meant. notes: what is told gets there.
    """
    plt = sys.modules.get(NAME)
    ours = sys.modules.get("mcp._show")
    if plt is None or (ours and ours.was_asked()):
        return
    for figure in opened(plt):
        if not {SAVED, SHOWN}.intersection(vars(figure)):
            try:
                send(figure, False)
            except Exception as error:
                notes.append(FAILED % (type(error).__name__, error))
