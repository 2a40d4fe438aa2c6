"""Draws curves as one SVG: a panel each, both axes logarithmic."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 420, 300  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 60, 44
COLUMNS = 2
COLOURS = ("#1f5fa8", "#c8551b", "#2d8a4e", "#7a4fa3")
STYLE = ("text{font:11px sans-serif;fill:#333}.t{font-size:13px;"
         "font-weight:bold}.g{stroke:#ddd}.a{stroke:#888;fill:none}")


class Axis:
    """Where values lie between two ends of the picture."""

    def __init__(self, values, begin, end):
        self.low, self.high = math.log10(min(values)), math.log10(max(values))
        self.begin, self.end = begin, end

    def at(self, value):
        """The place of a value."""
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return round(self.begin + share * (self.end - self.begin), 1)


def round_values(values):
    """Round numbers around values: powers of ten, or 1, 2, 5 of few ones."""
    low, high = min(values), max(values)
    steps = (1,) if high / low > 50 else (1, 2, 5)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [step * 10.0 ** power for power in powers for step in steps]
    least = max((value for value in found if value <= low), default=found[0])
    most = min((value for value in found if value >= high and value > least),
               default=found[-1])
    return [value for value in found if least <= value <= most]


def seconds_text(value):
    """Seconds in a readable form."""
    for unit, size in (("s", 1), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e6:.3g} \u00b5s"


def size_text(value, unit):
    """What was counted, or so many bytes."""
    if unit == "B":
        for name, size in (("M", 1 << 20), ("K", 1 << 10)):
            if value >= size:
                return f"{value / size:.3g} {name}iB"
        return f"{value:g} B"
    return f"{value:g}"


def text(x, y, words, more=""):
    """Some words."""
    return f'<text x="{x}" y="{y}" {more}>{escape(words)}</text>'


def line(x1, y1, x2, y2, sort):
    """A straight line."""
    return f'<line class="{sort}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def frame(curve, across, up, round_ones):
    """What stands around the lines: axes, their numbers, what they say."""
    yield text(LEFT, 18, f"latency against {curve['title']}", 'class="t"')
    for value in round_ones:
        y = up.at(value)
        yield line(LEFT, y, WIDTH - RIGHT, y, "g")
        yield text(LEFT - 6, y + 4, seconds_text(value), 'text-anchor="end"')
    sizes = sorted({x for points in curve["lines"].values()
                    for x, _ in points})
    for size in sizes[::max(1, (len(sizes) + 3) // 4)]:
        yield text(across.at(size), HEIGHT - BOTTOM + 16,
                   size_text(size, curve["unit"]), 'text-anchor="middle"')
    yield text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, curve["x"],
               'text-anchor="middle"')
    yield line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "a")
    yield line(LEFT, TOP, LEFT, HEIGHT - BOTTOM, "a")


def panel(curve):
    """One curve: its lines, each with its name in its colour."""
    points = [point for each in curve["lines"].values() for point in each]
    across = Axis([x for x, _ in points], LEFT, WIDTH - RIGHT)
    round_ones = round_values([y for _, y in points])
    up = Axis(round_ones, HEIGHT - BOTTOM, TOP)
    yield from frame(curve, across, up, round_ones)
    x = LEFT
    for colour, (name, each) in zip(COLOURS, curve["lines"].items()):
        path = " ".join(f"{across.at(a)},{up.at(b)}" for a, b in each)
        yield (f'<polyline fill="none" stroke="{colour}" stroke-width="2" '
               f'points="{path}"/>')
        yield text(x, 38, name, f'style="fill:{colour}"')
        x += 7 * len(name) + 8


def svg(curves):
    """The whole picture, as text."""
    rows = -(-len(curves) // COLUMNS)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" '
             f'viewBox="0 0 {COLUMNS * WIDTH} {rows * HEIGHT}">',
             f"<style>{STYLE}</style>",
             '<rect width="100%" height="100%" fill="#fff"/>']
    for number, curve in enumerate(curves):
        x, y = number % COLUMNS * WIDTH, number // COLUMNS * HEIGHT
        parts += [f'<g transform="translate({x},{y})">', *panel(curve), "</g>"]
    return "\n".join([*parts, "</svg>", ""])
