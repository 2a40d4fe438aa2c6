"""What the code shows: pictures go to the relay, all else is printed.

    /usr/bin/python3 tests/box/test_show.py [-v] [-k PATTERN]
"""
import base64
import functools
import importlib.util
import io
import re
import struct
import tempfile
import unittest
import zlib

from bootstrap import Box
from forked import ForkedBox, Forker
from mcp_relay import Base, run

DRAWN = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\n"
PIL = "from PIL import Image\n"
MORE = r"note: %s not shown: an answer has at most 8 pictures and 4 MB of " \
    r"them; show fewer, or several in one figure \(plt\.subplots\)\n"
CHILD = "only the first process of the code can show pictures, not a child " \
    "of it: save the picture to a file, and show that there"
UNKNOWN = "%s not a PNG, JPEG, WebP or GIF: save the picture as one of these"


def png(wide=16, high=16):
    """Return a PNG of so many pixels, all black."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(
            ">I", zlib.crc32(name + data))
    return b"\x89PNG\r\n\x1a\n" + chunk(
        b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)) + chunk(
            b"IDAT", zlib.compress((b"\0" + bytes(3 * wide)) * high)) + chunk(
                b"IEND", b"")


def needs(*names):
    """Skip a test where a library is not installed."""
    missing = [name for name in names if not importlib.util.find_spec(name)]
    return unittest.skipIf(missing, "%s: not installed" % missing)


def opened(picture):
    """Return the image that the relay was sent."""
    from PIL import Image
    image = Image.open(io.BytesIO(base64.b64decode(
        picture["data"], validate=True)))
    image.load()
    assert image.format.lower() == picture["kind"]
    return image


class Shows(Base):
    """Code, what it sends, and what it prints."""

    before = ""

    def prints(self, code, *args, **more):
        """Run code, and compare all that it does."""
        return super().prints(self.before + code, *args, **more)

    def shows(self, code, *titles, out="", err="", status=0, **more):
        """Run code and compare the titles of its pictures; return these."""
        got = self.prints(code, out, err, status, **more)
        self.assertEqual([picture.get("title") for picture
                          in got.relay.pictures], list(titles), got.err)
        return got.relay.pictures


class Values(Shows):
    """What needs no library."""

    def test_bytes(self):
        for kind, data in (
                ("png", png()), ("jpeg", b"\xff\xd8\xff\xe0" + bytes(40)),
                ("gif", b"GIF89a" + bytes(40)), ("gif", b"GIF87a" + bytes(40)),
                ("webp", b"RIFF\0\0\0\0WEBPVP8 " + bytes(40))):
            with self.subTest(kind):
                for form in ("%r", "memoryview(%r)",
                             "__import__('io').BytesIO(%r)")[
                                 :3 if kind == "png" else 1]:
                    one, two = self.shows(
                        "data = %s\nruntime.show(data, 'A b')\ndisplay(data)"
                        % (form % data), "A b", None)
                    self.assertEqual(one["kind"], kind)
                    self.assertEqual(one["data"], two["data"])
                    self.assertEqual(base64.b64decode(one["data"]), data)

    def test_files(self):
        write = "open('a.PNG', 'wb').write(%r)\n" % png()
        for code in ("runtime.show('a.PNG')", "display('a.PNG')",
                     "import pathlib\nruntime.show(pathlib.Path('a.PNG'))"):
            with self.subTest(code):
                one, = self.shows(write + code, "a.PNG")
                self.assertEqual(base64.b64decode(one["data"]), png())
        self.shows("runtime.show('b.png')\nimport pathlib\n"
                   "display(pathlib.Path('b.png'), 'a.png\\n')",
                   out="b.png\nb.png\na.png\n\n")
        self.shows("import pathlib\nruntime.show(pathlib.Path('b.png'))",
                   err=".*FileNotFoundError: .*", status=1)

    def test_what_is_no_picture(self):
        for value, what in (("b'<svg></svg>'", "these bytes are"),
                            ("' <svg></svg>'", "an SVG is"),
                            ("b''", "these bytes are"),
                            ("__import__('io').BytesIO(b'BM')",
                             "these bytes are"),
                            ("__import__('pathlib').Path(__file__)",
                             "MAIN is")):
            with self.subTest(value):
                self.shows(
                    "try:\n    runtime.show(%s)\nexcept ValueError as error:\n"
                    "    print(error)" % value, out=UNKNOWN % what + "\n")
        self.shows("display(b'BM', 1)", out="b'BM'\n1\n")

    def test_text(self):
        self.shows("runtime.show({'a': 1})\nruntime.show('b', 'Title')\n"
                   "display(1, 'c', None, display_id='x')\ndisplay()",
                   out="{'a': 1}\nTitle:\nb\n1\nc\nNone\n")

    def test_that_it_can_be_awaited(self):
        self.shows("print(await runtime.show(1), runtime.show(%r))" % png(),
                   None, out="1\nNone None\n")
        self.shows("runtime.show(%r)" % png(), None, echo=True)
        self.shows("def main():\n    runtime.show(%r, title='A')\nmain()"
                   % png(), "A")

    def test_too_many_bytes(self):
        self.shows("for n in range(8): runtime.show(b'GIF89a' + bytes(600000))"
                   "\nruntime.show(%r)" % png(), *[None] * 6,
                   err=MORE % "3 more pictures were")

    def test_children(self):
        self.shows(
            "import os, sys\nif os.fork():\n    os.wait()\nelse:\n    try:\n"
            "        runtime.show(%r)\n    except RuntimeError as error:\n"
            "        print(error)" % png(), out=CHILD + "\n")

    def test_objects_that_draw_themselves(self):
        self.shows("class A:\n    def _repr_png_(self): return %r\n"
                   "class B(A):\n    def _repr_png_(self): return None\n"
                   "    def _repr_jpeg_(self):\n"
                   "        return (b'\\xff\\xd8\\xff', {})\n"
                   "class C(A):\n    def _repr_png_(self): return 'x'\n"
                   "    def __str__(self): return 'C'\n"
                   "display(A(), B(), C(), A)" % png(), None, None,
                   out="C\n<class '__main__.A'>\n")


@needs("PIL")
class Images(Shows):
    """Images of Pillow, and what it scales."""

    def test_images(self):
        for mode in "RGB", "RGBA", "P", "F":
            with self.subTest(mode):
                one, = self.shows(
                    PIL + "display(Image.new(%r, (40, 30)))" % mode, None)
                self.assertEqual(opened(one).size, (40, 30))
        one, = self.shows(PIL + "image = Image.new('RGB', (40, 30), 'red')\n"
                          "image.save('a.jpg')\ndisplay(Image.open('a.jpg'))",
                          None)
        self.assertEqual(one["kind"], "jpeg")

    def test_the_last_expression(self):
        one, = self.shows(
            PIL + "Image.new('RGB', (40, 30), (1, 2, 3))", None, echo=True)
        self.assertEqual(opened(one).getpixel((5, 5)), (1, 2, 3))
        self.shows(PIL + "print(1)\nImage.new('L', (40, 30))", None,
                   out="1\n", echo=True, silent=False)

    def test_show(self):
        one, two = self.shows(
            PIL + "image = Image.new('RGB', (40, 30), 'red')\nimage.show()\n"
            "image.show(title='A')", None, "A")
        self.assertEqual(opened(two).size, (40, 30))

    def test_large_images(self):
        noise = "import os\nimage = Image.frombytes(%r, (%d, %d), " \
            "os.urandom(%d))\n"
        for mode, size, bytes_of, kind, change in (
                ("RGB", (600, 600), 3, "jpeg", "made a JPEG"),
                ("RGBA", (600, 600), 4, "png", "scaled from 600 x 600 to"),
                ("RGB", (3000, 300), 3, None, "scaled from 3000 x 300 to")):
            with self.subTest(change):
                code = PIL + noise % (mode, *size,
                                      size[0] * size[1] * bytes_of)
                one, = self.shows(
                    code + "display(image)", None, err="note: picture 1 was "
                    "%s.*, as it was too large\n" % change)
                self.assertLessEqual(len(one["data"]), 1 << 20)
                if kind:
                    self.assertEqual(one["kind"], kind)
                self.assertLessEqual(max(opened(one).size), 2000)
                if "JPEG" in change:
                    self.assertEqual(opened(one).size, size)

    def test_large_bytes(self):
        one, = self.shows("runtime.show(%r)" % png(2500, 100), None,
                          err="note: picture 1 was scaled from 2500 x 100 to "
                          "2000 x 80 pixels, as it was too large\n")
        self.assertEqual(opened(one).size, (2000, 80))
        code = PIL + "import io, os\nfile = io.BytesIO()\nImage.frombytes(" \
            "'L', (1100, 1100), os.urandom(1210000)).save(file, 'PNG')\n"
        one, = self.shows(code + "runtime.show(file)", None,
                          err="note: picture 1 was .*, as it was too large\n")
        self.assertLessEqual(len(one["data"]), 1 << 20)
        opened(one)
        self.shows("try:\n    runtime.show(%r + bytes(1000000))\n"
                   "except ValueError as error:\n    print(error)"
                   % b"GIF89a", out="a picture has at most 786 kB here, and "
                   "this one 1000 kB: make it smaller\n")

    @needs("numpy")
    def test_arrays(self):
        code = "import numpy as np\na = np.zeros((30, 40, 3), 'uint8')\n" \
            "a[:, :, 1] = 7\n"
        one, = self.shows(code + "display(a)", None)
        self.assertEqual(opened(one).size, (40, 30))
        self.assertEqual(opened(one).getpixel((39, 29)), (0, 7, 0))
        code += "for b in a[:, :, 0], a.astype(int), a[:9], a[:, :, :2]:\n"
        want = run(code + "    print(b.shape)\n    print(b)")
        self.shows(code + "    display(b.shape)\n    runtime.show(b)",
                   out=want.out)


@needs("matplotlib")
class Plots(Shows):
    """Figures of matplotlib, which is imported once for most of them."""

    @classmethod
    def setUpClass(cls):
        """Let matplotlib look for fonts once."""
        cache = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cache.cleanup)
        cls.before = "import os\nos.environ['MPLCONFIGDIR'] = %r\n" \
            % cache.name
        forker = Forker("matplotlib.pyplot", MPLCONFIGDIR=cache.name)
        cls.addClassCleanup(forker.end)
        cls.forked = functools.partial(ForkedBox, forker=forker)

    def prints(self, code, *args, **more):
        """As others do, where the modules are there before the code."""
        more.setdefault("box_in", self.forked)
        return super().prints(code, *args, **more)

    def test_imported_by_the_code(self):
        """And drawn, saved, left open, or the last expression."""
        one, two = self.shows(
            DRAWN + "plt.title('A')\nplt.show()\n" + DRAWN[32:] +
            "display(plt.gcf())\nplt.close('all')\n" + DRAWN[32:] +
            "plt.savefig('a.png')\nplt.figure()", "A", None, box_in=Box)
        self.assertEqual([opened(one).size, opened(two).size],
                         [(640, 480)] * 2)

    def test_show(self):
        codes = ("plt.show()", "plt.gcf().show()", "display(plt.gca())",
                 "plt.savefig('a.svg')\nplt.show()", "plt.show()\nplt.show()",
                 "plt.gcf().show()\nplt.show()",
                 "display(plt.gcf())\nplt.show()",
                 "runtime.show(plt.plot([2, 1]))")
        for some in codes[:4], codes[4:]:
            sent = self.shows("".join(
                "%s%s\nplt.close('all')\nruntime.show(%r)\n"
                % (DRAWN, code, png()) for code in some),
                *[None] * 2 * len(some))
            self.assertEqual([opened(one).size for one in sent],
                             [(640, 480), (16, 16)] * len(some))

    def test_left_open(self):
        for code, *titles in (
                ("plt.title('A')\nplt.figure()\nplt.plot([1])", "A", None),
                ("import sys\nsys.exit()", None), ("plt.close()",),
                ("plt.savefig('a.png')\nplt.figure()\nplt.plot([1])", None)):
            with self.subTest(code):
                self.shows(DRAWN + code, *titles)
        self.shows(DRAWN + "1 / 0", err=".*ZeroDivisionError.*", status=1)

    def test_the_last_expression(self):
        for code in ("plt.plot([3])", "print(1)\nplt.gcf()"):
            with self.subTest(code):
                got = self.prints(
                    DRAWN + code, "1\n" if "print" in code else "", echo=True)
                self.assertEqual(len(got.relay.pictures), 1)
                self.assertEqual(got.relay.echoed, [])
        got = self.prints(DRAWN + "[plt.gcf(), 5][1:]", "", echo=True)
        self.assertEqual(got.relay.echoed, ["[5]"])

    def test_one_that_cannot_be_drawn(self):
        self.shows(DRAWN + "plt.title('$\\\\x$')", err="note: an open figure "
                   "is not shown, as it cannot be drawn: ValueError: .*")
        self.shows(DRAWN + "plt.title('$\\\\x$')\nplt.show()",
                   err="Traceback .*ValueError: .*", status=1)

    def test_large_figures(self):
        one, = self.shows(DRAWN + "plt.gcf().set(dpi=500)\nplt.show()", None,
                          err="note: picture 1 was scaled from 3200 x 2400 to "
                          "2000 x 1500 pixels, as it was too large\n")
        self.assertEqual(opened(one).size, (2000, 1500))

    def test_what_sticks_out(self):
        one, = self.shows(
            DRAWN + "plt.text(1.1, 0.5, 'outside', transform="
            "plt.gca().transAxes)\nplt.show()", None)
        self.assertGreater(opened(one).size[0], 640)

    @needs("pandas")
    def test_pandas(self):
        self.shows("import pandas as pd\npd.Series([1, 2]).plot(title='A')",
                   "A", echo=True)
        self.shows("import pandas as pd\npd.DataFrame({'a': [1]}).hist()",
                   "a", echo=True)


@needs("pandas")
class Tables(Shows):
    """Tables of pandas, which are text."""

    def test_all_columns(self):
        got = run(
            "import pandas as pd\ndisplay(pd.DataFrame("
            "{'column_%d' % n: [n] * 100 for n in range(15)}))")
        for n in range(15):
            self.assertIn(" column_%d" % n, got.out)
        lines = got.out.splitlines()
        self.assertLess(len(lines), 70)
        self.assertTrue(any(re.match(r"\.\. ", line) for line in lines))
        self.assertEqual(got.relay.pictures, [])


if __name__ == "__main__":
    unittest.main()
