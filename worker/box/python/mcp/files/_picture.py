"""Recognizes pictures and makes their bytes: figures, images, arrays, files.

No library is imported for that: code that has a figure has imported matplotlib.
A picture that is too large is drawn again, or scaled, by its own library.
"""
import sys
from functools import partial
from io import BytesIO
from math import sqrt

SIDE = int("@PICTURE_SIDE_MAX@")  # pixels, as common/limits.h has it
TRIES = 8  # times that a picture is made smaller
LESS = 0.95  # of what would fit, if bytes were as many as pixels
SMALL = 0.9  # at most, as figures have text
QUALITY = 85  # of a JPEG that stands for a PNG
ARRAY_MIN = 16  # pixels of a side; less is a table of numbers
DEPTH = 3  # of lists in lists
TWICE = 2  # the size of a figure with all that sticks out of it
SLACK = 2  # pixels that may stick out
BEGINNINGS = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"),
              (b"GIF87a", "gif"), (b"GIF89a", "gif"))
NAMES = ".png", ".jpg", ".jpeg", ".gif", ".webp"
MODES = "1", "L", "LA", "I", "P", "RGB", "RGBA", "I;16"  # that a PNG has
ALPHA = "LA", "PA", "RGBA"
SCALED = "scaled from %d x %d to %d x %d pixels"
TO_JPEG = "made a JPEG"
TOO_LARGE = ("a picture has at most %d kB here, and this one %d kB: make it "
             "smaller")
UNKNOWN = "%s not a PNG, JPEG, WebP or GIF: save the picture as one of these"


class TooLarge(ValueError):
    """A picture does not fit, and cannot be made smaller."""


class Picture:
    """The bytes of a picture, their kind, and what was done to fit them."""

    __slots__ = ("kind", "data", "change")

    def __init__(self, kind, data, change=None):
        self.kind, self.data, self.change = kind, data, change


def source_of(value):
    """Return what makes a Picture of a value, given the bytes there may be.

    None: it is no picture.  Raises ValueError for bytes of none.
    """
    figure = figure_of(value)
    if figure is not None:
        return partial(draw, figure)
    image = image_of(value)
    if image is not None:
        return partial(encode, image)
    data, what = bytes_of(value)
    if data is None:
        return None
    if kind_of(data) is None:
        raise ValueError(UNKNOWN % what)
    return partial(take, data)


def is_of(value, module, name):
    """Whether a value is of a class of a module that is imported."""
    module = sys.modules.get(module)
    kind = getattr(module, name, None)
    return kind is not None and isinstance(value, kind)


# Figures of matplotlib


def figure_of(value, depth=DEPTH):
    """Return the figure that a value is, or is drawn in, or None.

    Functions that draw return lists of what they have drawn, in lists.
    """
    if "matplotlib.figure" not in sys.modules:
        return None
    if value is sys.modules.get("matplotlib.pyplot"):
        return value.gcf() if value.get_fignums() else None
    if is_of(value, "numpy", "ndarray") and value.dtype == object:
        value = value.ravel().tolist()
    if isinstance(value, (list, tuple)):
        is_drawn = depth and value and all(
            figure_of(each, depth - 1) for each in value)
        return figure_of(value[0], depth - 1) if is_drawn else None
    if not is_of(value, "matplotlib.artist", "Artist"):
        # A grid of seaborn, which is drawn in a figure.
        value = getattr(value, "figure", None) if callable(
            getattr(value, "savefig", None)) else None
    while value is not None and not is_of(
            value, "matplotlib.figure", "Figure"):
        value = getattr(value, "figure", None)
    return value


def title_of(figure):
    """Return the title of a figure, or of the only part of it, or None."""
    titles = [getattr(figure, "_suptitle", None)]
    if len(figure.axes) == 1:
        titles.append(figure.axes[0].title)
    texts = [title.get_text() for title in titles if title is not None]
    return next(filter(None, texts), None)


def draw(figure, room):
    """Return the picture of a figure, drawn with fewer pixels if it must be.
    """
    first = dpi = figure.dpi
    was = [round(side * dpi) for side in figure.get_size_inches()]
    if max(was) > SIDE:
        dpi *= SIDE / max(was)
    for _ in range(TRIES):
        data = drawn(figure, dpi)
        if len(data) <= room:
            now = [round(side * dpi / first) for side in was]
            return Picture("png", data, SCALED % (*was, *now)
                           if dpi < first else None)
        dpi *= min(SMALL, sqrt(room / len(data)) * LESS)
    raise TooLarge(TOO_LARGE % (room // 1000, len(data) // 1000))


def drawn(figure, dpi):
    """Return the PNG of a figure; what sticks out of it is in it, too."""
    save = partial(figure.savefig, format="png", dpi=dpi)
    file = BytesIO()
    save(file)
    if sticks_out(figure):
        file = BytesIO()
        save(file, bbox_inches="tight")
    return file.getvalue()


def sticks_out(figure):
    """Whether parts of a figure, which was drawn, are outside of it, but near.
    """
    try:
        box = figure.get_tightbbox(figure.canvas.get_renderer())
    except AttributeError:
        return False  # of another back end
    wide, high = figure.get_size_inches()
    slack = SLACK / figure.dpi
    return -wide < box.x0 and box.x1 < wide * TWICE and -high < box.y0 \
        and box.y1 < high * TWICE and (
            min(box.x0, box.y0) < -slack or box.x1 > wide + slack
            or box.y1 > high + slack)


# Images of Pillow


def image_of(value):
    """Return a value as an image, where it is certain that it is one."""
    if is_of(value, "PIL.Image", "Image"):
        return value
    if not (is_of(value, "numpy", "ndarray") and value.dtype == "uint8"
            and value.ndim == 3 and value.shape[2] in (3, 4)
            and min(value.shape[:2]) >= ARRAY_MIN):
        return None
    try:
        from PIL import Image
    except ImportError:
        return None
    return Image.fromarray(value)


def encode(image, room):
    """Return the picture of an image, made smaller if it must be."""
    was, first = image.size, image
    kind = "jpeg" if image.format in ("JPEG", "MPO") else "png"
    change = None
    if max(was) > SIDE:
        image = scaled(first, SIDE / max(was))
    data = saved(image, kind)
    if len(data) > room and kind == "png" and not has_alpha(first):
        smaller = saved(image, "jpeg")
        if len(smaller) < len(data):
            kind, data, change = "jpeg", smaller, TO_JPEG
    for _ in range(TRIES):
        if len(data) <= room:
            break
        image = scaled(first, image.size[0] / was[0] * min(
            SMALL, sqrt(room / len(data)) * LESS))
        data = saved(image, kind)
    else:
        raise TooLarge(TOO_LARGE % (room // 1000, len(data) // 1000))
    if image.size != was:
        change = SCALED % (*was, *image.size)
    return Picture(kind, data, change)


def has_alpha(image):
    """Whether an image has transparent parts."""
    return image.mode in ALPHA or "transparency" in image.info


def scaled(image, factor):
    """Return an image with fewer pixels."""
    if image.mode in ("1", "P"):
        image = image.convert("RGBA" if has_alpha(image) else "RGB")
    return image.resize([max(round(side * factor), 1) for side in image.size])


def saved(image, kind):
    """Return the bytes of an image."""
    if kind == "jpeg":
        image = image if image.mode == "L" else image.convert("RGB")
    elif image.mode not in MODES:
        image = image.convert("RGB")
    file = BytesIO()
    image.save(file, kind, **({"quality": QUALITY} if kind == "jpeg" else {}))
    return file.getvalue()


# Bytes


def bytes_of(value):
    """Return the bytes of a file that a value is, or names, and what they
    are called behind a verb; None: it is no such value.
    """
    if isinstance(value, str) and value.lower().endswith(NAMES):
        from os.path import isfile
        return (read(value) if "\n" not in value and isfile(value)
                else None), None
    if is_block(value):
        from base64 import b64decode
        return b64decode(dict.get(value, "data")), "these bytes are"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value), "these bytes are"
    if hasattr(value, "__fspath__"):
        return read(value), "%s is" % value
    if callable(getattr(value, "getbuffer", None)):
        return bytes(value.getbuffer()), "these bytes are"
    for name in "_repr_png_", "_repr_jpeg_":
        make = getattr(type(value), name, None)
        data = make(value) if callable(make) else None
        data = data[0] if isinstance(data, tuple) and data else data
        if isinstance(data, bytes):
            return data, "these bytes are"
    return None, None


def is_block(value):
    """Whether a value is a picture as tools return it."""
    return (isinstance(value, dict) and dict.get(value, "type") == "image"
            and isinstance(dict.get(value, "data"), str))


def read(path):
    """Return what is in a file."""
    with open(path, "rb") as file:
        return file.read()


def kind_of(data):
    """Return what bytes begin as, or None."""
    for beginning, kind in BEGINNINGS:
        if data.startswith(beginning):
            return kind
    return "webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def take(data, room):
    """Return the picture of these bytes, which stay as they are if they fit.
    """
    image = opened(data)
    fits = len(data) <= room
    if image is None and not fits:
        raise TooLarge(TOO_LARGE % (room // 1000, len(data) // 1000))
    if fits and (image is None or max(image.size) <= SIDE):
        return Picture(kind_of(data), data)
    return encode(image, room)


def opened(data):
    """Return the image in bytes, or None where it cannot be opened."""
    try:
        from PIL import Image
        return Image.open(BytesIO(data))
    except Exception:
        return None  # no such library, or it cannot read this one
