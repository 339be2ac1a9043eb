"""Pictures drawn by program: flat scenes with a sky, a subject and some grain, the same for the same seed.

Each scene paints on a canvas in its own colours; the seed moves hills, stars, books and flowers about. No fonts are used, since
they differ from machine to machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

Colour = tuple[int, int, int]
Painter = Callable[["Canvas"], None]


class Canvas:
    """A picture in the making. Points are given as fractions of width and height, so that a scene fits any size."""

    def __init__(self, width: int, height: int, seed: int, top: Colour, bottom: Colour) -> None:
        from PIL import Image, ImageDraw

        self.width, self.height, self.random = width, height, Random(seed)
        column = Image.new("RGB", (1, height))
        for y in range(height):
            share = y / max(height - 1, 1)
            column.putpixel((0, y), blend(top, bottom, share))
        self.image: Image.Image = column.resize((width, height))
        self.draw: ImageDraw.ImageDraw = ImageDraw.Draw(self.image)

    def at(self, x: float, y: float) -> tuple[float, float]:
        return x * self.width, y * self.height

    def polygon(self, points: list[tuple[float, float]], colour: Colour) -> None:
        self.draw.polygon([self.at(*point) for point in points], fill=colour)

    def line(self, points: list[tuple[float, float]], colour: Colour, thickness: float = 0.008) -> None:
        self.draw.line(
            [self.at(*point) for point in points], fill=colour, width=max(1, round(thickness * self.width)), joint="curve"
        )

    def box(self, left: float, top: float, right: float, bottom: float, colour: Colour) -> None:
        self.draw.rectangle([*self.at(left, top), *self.at(right, bottom)], fill=colour)

    def disc(self, x: float, y: float, radius: float, colour: Colour, flat: float = 1.0) -> None:
        """A filled circle, or an ellipse `flat` times as high as wide; the radius is a fraction of the width."""
        (cx, cy), across, up = self.at(x, y), radius * self.width, radius * self.width * flat
        self.draw.ellipse([cx - across, cy - up, cx + across, cy + up], fill=colour)

    def ring(self, x: float, y: float, radius: float, colour: Colour, thickness: float = 0.01) -> None:
        (cx, cy), reach = self.at(x, y), radius * self.width
        pen = max(1, round(thickness * self.width))
        self.draw.ellipse([cx - reach, cy - reach, cx + reach, cy + reach], outline=colour, width=pen)

    def hills(self, level: float, roughness: float, colour: Colour, steps: int = 24) -> None:
        """A ridge across the picture, filled down to the lower edge."""
        phase, second = self.random.uniform(0, 6), self.random.uniform(0, 6)
        ridge = [
            (i / steps, level - roughness * (math.sin(phase + i * 0.55) + 0.5 * math.sin(second + i * 1.7)) / 1.5)
            for i in range(steps + 1)
        ]
        self.polygon([(0, 1), *ridge, (1, 1)], colour)

    def waves(self, top: float, colour: Colour, rows: int = 7) -> None:
        for row in range(rows):
            y, phase = top + (1 - top) * (row + 0.5) / rows, self.random.uniform(0, 6)
            self.line([(i / 40, y + 0.008 * math.sin(phase + i * 0.8)) for i in range(41)], colour, 0.004)


def blend(one: Colour, other: Colour, share: float) -> Colour:
    """A colour between two; share 0 is the first, 1 the second."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def hill_country(c: Canvas) -> None:
    c.disc(c.random.uniform(0.2, 0.8), 0.22, 0.06, (255, 244, 200))
    for level, colour in ((0.5, (136, 160, 176)), (0.62, (104, 138, 120)), (0.76, (78, 112, 70)), (0.9, (58, 86, 48))):
        c.hills(level, 0.07, colour)
    for _ in range(14):
        x, y = c.random.random(), c.random.uniform(0.74, 0.92)
        c.box(x - 0.004, y, x + 0.004, y + 0.06, (78, 58, 40))
        c.disc(x, y, 0.025, (44, 82 + c.random.randrange(30), 44))


def sea_coast(c: Canvas) -> None:
    c.box(0, 0.55, 1, 1, (52, 104, 140))
    c.waves(0.56, (190, 214, 226))
    c.polygon([(0, 0.5), (0.16, 0.46), (0.3, 0.6), (0.36, 0.78), (0.2, 1), (0, 1)], (150, 126, 92))
    x = c.random.uniform(0.5, 0.8)
    c.polygon([(x - 0.08, 0.6), (x + 0.08, 0.6), (x + 0.05, 0.66), (x - 0.05, 0.66)], (120, 50, 40))
    c.polygon([(x, 0.3), (x, 0.58), (x + 0.09, 0.58)], (245, 240, 228))
    c.line([(x, 0.28), (x, 0.6)], (70, 50, 40), 0.005)


def harbour(c: Canvas) -> None:
    c.hills(0.52, 0.03, (120, 140, 150))
    c.box(0, 0.6, 1, 1, (60, 96, 116))
    c.waves(0.62, (150, 180, 196))
    for i in range(7):
        x, roof = 0.04 + i * 0.14, c.random.uniform(0.34, 0.46)
        colour = c.random.choice([(196, 92, 70), (226, 190, 130), (128, 150, 170), (214, 212, 200)])
        c.box(x, roof, x + 0.11, 0.6, colour)
        c.polygon([(x - 0.01, roof), (x + 0.055, roof - 0.09), (x + 0.12, roof)], (92, 58, 50))
        for row in range(2):
            c.box(x + 0.02, roof + 0.04 + row * 0.08, x + 0.045, roof + 0.08 + row * 0.08, (60, 60, 72))
            c.box(x + 0.065, roof + 0.04 + row * 0.08, x + 0.09, roof + 0.08 + row * 0.08, (60, 60, 72))


def lighthouse(c: Canvas) -> None:
    c.box(0, 0.7, 1, 1, (44, 84, 112))
    c.waves(0.72, (150, 190, 210))
    x = c.random.uniform(0.35, 0.65)
    c.disc(x, 0.86, 0.26, (84, 76, 66), flat=0.5)
    for band in range(5):
        top, bottom = 0.25 + band * 0.1, 0.35 + band * 0.1
        spread = 0.035 + band * 0.007
        colour = (200, 44, 40) if band % 2 else (244, 240, 232)
        c.polygon([(x - spread, top), (x + spread, top), (x + spread + 0.007, bottom), (x - spread - 0.007, bottom)], colour)
    c.box(x - 0.03, 0.18, x + 0.03, 0.25, (250, 224, 120))
    c.polygon([(x - 0.05, 0.18), (x, 0.1), (x + 0.05, 0.18)], (60, 50, 54))


def bridge(c: Canvas) -> None:
    c.hills(0.62, 0.05, (112, 132, 112))
    c.box(0, 0.72, 1, 1, (70, 112, 134))
    c.waves(0.74, (160, 190, 204))
    steel: Colour = (150, 60, 48) if c.random.random() < 0.5 else (84, 88, 96)
    for x in (0.28, 0.72):
        c.box(x - 0.018, 0.2, x + 0.018, 0.82, steel)
    c.box(0, 0.6, 1, 0.635, steel)
    spans = ((-0.16, 0.28), (0.28, 0.72), (0.72, 1.16))
    for left, right in spans:
        curve = [(left + (right - left) * i / 20, 0.22 + 0.36 * (1 - (2 * i / 20 - 1) ** 2)) for i in range(21)]
        c.line(curve, steel, 0.006)
        for x, y in curve[1:-1]:
            c.line([(x, y), (x, 0.6)], steel, 0.002)


def arch_bridge(c: Canvas) -> None:
    c.hills(0.55, 0.06, (126, 148, 104))
    c.box(0, 0.74, 1, 1, (84, 124, 128))
    c.box(0, 0.44, 1, 0.78, (168, 156, 136))
    for i in range(4):
        x = 0.14 + i * 0.24
        c.disc(x, 0.76, 0.095, (84, 124, 128), flat=1.5)
    c.box(0, 0.76, 1, 1, (84, 124, 128))
    c.waves(0.78, (170, 198, 196))
    for _ in range(60):
        x, y = c.random.random(), c.random.uniform(0.45, 0.53)
        c.box(x, y, x + 0.03, y + 0.014, blend((150, 138, 118), (186, 174, 152), c.random.random()))


def night_sky(c: Canvas) -> None:
    for _ in range(260):
        x, y, glow = c.random.random(), c.random.random() * 0.8, c.random.randrange(120, 256)
        c.disc(x, y, c.random.choice([0.0012, 0.0018, 0.003]), (glow, glow, min(255, glow + 20)))
    band = c.random.uniform(0.2, 0.5)
    for _ in range(420):
        x = c.random.random()
        c.disc(x, band + x * 0.3 + c.random.gauss(0, 0.05), 0.0012, (150, 150, 186))
    c.disc(c.random.uniform(0.15, 0.85), 0.18, 0.05, (240, 236, 214))
    c.hills(0.86, 0.04, (14, 18, 24))


def teapot(c: Canvas) -> None:
    c.box(0, 0.72, 1, 1, (126, 88, 58))
    x, clay = c.random.uniform(0.4, 0.55), c.random.choice([(150, 70, 52), (70, 110, 120), (88, 120, 84)])
    c.ring(x + 0.2, 0.55, 0.09, clay, 0.025)
    c.polygon([(x - 0.15, 0.58), (x - 0.32, 0.4), (x - 0.28, 0.38), (x - 0.12, 0.5)], clay)
    c.disc(x, 0.56, 0.19, clay, flat=0.95)
    c.disc(x, 0.36, 0.08, blend(clay, (255, 255, 255), 0.2), flat=0.4)
    c.disc(x, 0.31, 0.02, clay)
    for cup in (0.14, 0.84):
        c.disc(cup, 0.76, 0.07, (240, 236, 226), flat=0.8)
        c.disc(cup, 0.72, 0.058, (176, 112, 40), flat=0.35)
    for puff in range(3):
        c.line([(x - 0.3 + 0.012 * math.sin(i + puff), 0.36 - i * 0.028 - puff * 0.02) for i in range(8)], (236, 232, 226), 0.005)


def bookshelf(c: Canvas) -> None:
    for shelf in range(4):
        base = 0.24 + shelf * 0.24
        x = 0.03
        while x < 0.95:
            wide, tall = c.random.uniform(0.018, 0.045), c.random.uniform(0.12, 0.19)
            colour = (c.random.randrange(60, 210), c.random.randrange(50, 170), c.random.randrange(50, 170))
            c.box(x, base - tall, x + wide, base, colour)
            c.box(x + wide * 0.2, base - tall * 0.8, x + wide * 0.8, base - tall * 0.7, (230, 220, 190))
            x += wide + 0.003
        c.box(0, base, 1, base + 0.025, (98, 66, 42))


def garden(c: Canvas) -> None:
    c.hills(0.45, 0.03, (120, 152, 96))
    for row in range(6):
        y = 0.5 + row * 0.085
        c.box(0, y, 1, y + 0.045, (104, 74, 50))
        for i in range(18):
            x = 0.03 + i * 0.055 + c.random.uniform(-0.01, 0.01)
            c.disc(x, y, 0.014 + row * 0.002, (56, 108 + c.random.randrange(50), 52))
            if c.random.random() < 0.35:
                c.disc(x, y - 0.02, 0.008, c.random.choice([(226, 70, 70), (240, 190, 60), (230, 120, 190), (245, 245, 240)]))


def bread(c: Canvas) -> None:
    c.box(0, 0.66, 1, 1, (142, 106, 74))
    for i, x in enumerate((0.3, 0.68)):
        crust = blend((176, 106, 48), (206, 148, 84), c.random.random())
        c.disc(x, 0.6, 0.21, (90, 58, 34), flat=0.72)
        c.disc(x, 0.585, 0.205, crust, flat=0.7)
        for cut in range(3):
            offset = -0.09 + cut * 0.08
            c.line([(x + offset, 0.52), (x + offset + 0.05, 0.44 + 0.01 * i)], (244, 224, 186), 0.012)
    for _ in range(180):
        c.disc(c.random.random(), c.random.uniform(0.74, 0.98), 0.002, (240, 232, 216))


def bicycle(c: Canvas) -> None:
    c.box(0, 0.8, 1, 1, (120, 120, 112))
    frame = c.random.choice([(190, 50, 44), (40, 100, 150), (44, 120, 80)])
    for x in (0.28, 0.72):
        c.ring(x, 0.62, 0.15, (30, 30, 34), 0.016)
        for spoke in range(12):
            angle = spoke * math.pi / 6 + c.random.uniform(0, 0.1)
            end = (x + 0.145 * math.cos(angle), 0.62 + 0.145 * math.sin(angle) * c.width / c.height)
            c.line([(x, 0.62), end], (150, 150, 154), 0.002)
    saddle, crank, head = (0.42, 0.34), (0.48, 0.64), (0.66, 0.36)
    c.line([(0.28, 0.62), saddle, head, crank, (0.28, 0.62)], frame, 0.014)
    c.line([saddle, crank], frame, 0.014)
    c.line([(0.72, 0.62), head, (0.65, 0.28), (0.72, 0.27)], frame, 0.012)
    c.line([(0.37, 0.31), (0.47, 0.31)], (40, 30, 28), 0.022)


def market(c: Canvas) -> None:
    c.box(0, 0.72, 1, 1, (150, 140, 128))
    for stall in range(3):
        x = 0.04 + stall * 0.32
        for stripe in range(6):
            colour = (214, 60, 52) if stripe % 2 else (246, 242, 232)
            left = x + stripe * 0.047
            c.polygon([(left, 0.3), (left + 0.047, 0.3), (left + 0.052, 0.44), (left - 0.005, 0.44)], colour)
        c.box(x, 0.62, x + 0.28, 0.78, (128, 88, 56))
        for _ in range(40):
            fruit = c.random.choice([(226, 120, 40), (206, 50, 44), (110, 150, 60), (240, 206, 80)])
            c.disc(x + c.random.uniform(0.02, 0.26), c.random.uniform(0.57, 0.63), 0.014, fruit)


def lanterns(c: Canvas) -> None:
    c.hills(0.8, 0.03, (30, 26, 40))
    for _ in range(16):
        x, y, size = c.random.random(), c.random.uniform(0.1, 0.75), c.random.uniform(0.018, 0.045)
        c.line([(x, y - size * 2), (x, y)], (90, 70, 50), 0.003)
        c.disc(x, y, size, (222, 74, 44), flat=1.2)
        c.disc(x, y, size * 0.5, (252, 190, 96), flat=1.2)


def tide_table(c: Canvas) -> None:
    c.box(0.08, 0.08, 0.95, 0.9, (250, 248, 240))
    for i in range(9):
        c.line([(0.08 + i * 0.10875, 0.08), (0.08 + i * 0.10875, 0.9)], (214, 214, 206), 0.002)
        c.line([(0.08, 0.08 + i * 0.1025), (0.95, 0.08 + i * 0.1025)], (214, 214, 206), 0.002)
    phase = c.random.uniform(0, 3)
    curve = [(0.08 + i * 0.00725, 0.5 - (0.28 + 0.08 * math.sin(i / 38)) * math.sin(phase + i / 9.5)) for i in range(121)]
    c.line(curve, (36, 92, 150), 0.008)


# scene: (painter, colour at the top, colour at the bottom)
SCENES: dict[str, tuple[Painter, Colour, Colour]] = {
    "hill_country": (hill_country, (150, 192, 226), (250, 232, 206)),
    "sea_coast": (sea_coast, (128, 178, 214), (238, 226, 202)),
    "harbour": (harbour, (176, 200, 216), (244, 224, 196)),
    "lighthouse": (lighthouse, (96, 130, 172), (246, 196, 150)),
    "bridge": (bridge, (166, 190, 206), (236, 226, 210)),
    "arch_bridge": (arch_bridge, (140, 184, 218), (228, 234, 226)),
    "night_sky": (night_sky, (8, 12, 34), (38, 44, 82)),
    "teapot": (teapot, (214, 206, 190), (178, 160, 136)),
    "bookshelf": (bookshelf, (62, 44, 32), (48, 34, 26)),
    "garden": (garden, (164, 206, 234), (214, 226, 190)),
    "bread": (bread, (226, 214, 196), (196, 176, 148)),
    "bicycle": (bicycle, (206, 216, 222), (232, 230, 222)),
    "market": (market, (180, 206, 228), (228, 222, 208)),
    "lanterns": (lanterns, (22, 20, 52), (88, 52, 78)),
    "tide_table": (tide_table, (228, 226, 218), (208, 206, 198)),
}


def paint(scene: str, seed: int, width: int, height: int) -> Image:
    """The scene as an RGB picture; the same arguments give the same pixels."""
    painter, top, bottom = SCENES[scene]
    canvas = Canvas(width, height, seed, top, bottom)
    painter(canvas)
    return canvas.image
