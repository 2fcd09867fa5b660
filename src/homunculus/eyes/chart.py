# pyright: basic
# Pillow, OpenCV and the readers have no types of their own.
"""Eye charts: words, numbers and codes at known heights, from 40 to 3 pixels; and their drawing.

The height of a line is that of its font's letters, from the top of `d` to the bottom of `p`, which
is what boxes of OCR lines hold. Text is rendered large and resized down, as a page that is shrunk.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

from PIL import Image, ImageDraw

from homunculus.eyes import fonts
from homunculus.eyes.readers import LineBox, Pixels, crop
from homunculus.eyes.words import COMMON
from homunculus.pages import to_array
from homunculus.show.panels import typeface, wrapped

TALLEST, SMALLEST, ROWS = 40.0, 3.0, 14
KINDS = ("word", "number", "code")
"""Words can be guessed from a few letters, numbers and codes cannot."""
DRAWN_SIZE = 160
"""Font size of the text before it is resized down."""
SHOWN = 24
"""OCR readers get a line enlarged to this many pixels: a shrunk page, shown at its own size."""
CARD = 448
"""Side of the white card that models get: above the size up to which processors of any size enlarge
pictures (those of one size resize every picture). Whole in tokens of 14, 16, 28 and 32 pixels."""
MAX_FONTS = 12
"""Most fonts on one chart."""
LETTERS, DIGITS = "ABCDEFGHJKLMNPRTUVWXY", "2346789"
"""In codes; without those that look alike in some fonts, however large they are."""
INK, GREY, PAPER = (28, 30, 36), (110, 114, 122), (255, 255, 255)
GOOD, HALF, PALE = (0, 128, 96), (204, 102, 0), (228, 231, 236)


def heights(rows: int = ROWS) -> tuple[float, ...]:
    """Heights of the rows, from large to small in even ratios.

    >>> [round(height, 1) for height in heights(4)]
    [40.0, 16.9, 7.1, 3.0]
    """
    ratio = (SMALLEST / TALLEST) ** (1 / (rows - 1))
    return tuple(TALLEST * ratio**row for row in range(rows))


@dataclass(frozen=True)
class Item:
    """One text at one height, in one font."""

    text: str
    kind: str
    height: float
    """The height of the line, in pixels."""
    font: str
    """File of the font; empty for the one that comes with Pillow."""
    phase: tuple[float, float]
    """Where the text stands between pixels, x y: shrunk pages do not align to them."""

    @cached_property
    def _full(self) -> tuple[float, float, float, float]:
        """Left end of the text, top of the line, and width and height of both, at full size."""
        font = fonts.load(self.font, DRAWN_SIZE)
        top, drop = font.getbbox("Hd")[1], font.getbbox("gp")[3]
        left, _, right, _ = font.getbbox(self.text)
        return float(left), float(top), float(right - left), float(drop - top)

    @property
    def box(self) -> LineBox:
        """The line in `picture`, x0 y0 x1 y1."""
        _, _, wide, line = self._full
        x0, y0 = self.height + self.phase[0], self.height + self.phase[1]
        return x0, y0, x0 + wide * self.height / line, y0 + self.height

    @cached_property
    def picture(self) -> Image.Image:
        """The text at its height, with a line of white around it, in RGB."""
        left, top, width, line = self._full
        image = Image.new("L", (ceil(width + 4 * line), ceil(5 * line)), 255)
        corner, font = (2 * line - left, 2 * line - top), fonts.load(self.font, DRAWN_SIZE)
        ImageDraw.Draw(image).text(corner, self.text, 0, font)
        times = line / self.height
        x, y = line - self.phase[0] * times, line - self.phase[1] * times
        wide, high = ceil(self.box[2] + self.height), ceil(self.box[3] + self.height)
        area = (x, y, x + wide * times, y + high * times)
        return image.resize((wide, high), Image.Resampling.LANCZOS, box=area).convert("RGB")

    @property
    def enlarged(self) -> Pixels:
        """What OCR readers get: the line, enlarged to `SHOWN` pixels and cropped."""
        times = max(1.0, SHOWN / self.height)
        size = (round(self.picture.width * times), round(self.picture.height * times))
        shown = to_array(self.picture.resize(size, Image.Resampling.BICUBIC))
        across, down = size[0] / self.picture.width, size[1] / self.picture.height
        x0, y0, x1, y1 = self.box
        return crop(shown, (x0 * across, y0 * down, x1 * across, y1 * down))

    @property
    def card(self) -> Image.Image:
        """What models get: the text at its height, in the middle of a white card, in RGB."""
        wide = max(CARD, -(-self.picture.width // 224) * 224)
        card = Image.new("RGB", (wide, CARD), PAPER)
        corner = ((wide - self.picture.width) // 2, (CARD - self.picture.height) // 2)
        card.paste(self.picture, corner)
        return card


# ---- the chart -----------------------------------------------------------------------------------


def make_chart(seed: int = 0, items: int = 8) -> list[Item]:
    """This many items of each kind at each height; the same for the same seed and fonts."""
    rng = Random(f"eyetest {seed}")
    faces = choose_faces(rng)
    return [
        Item(_text(kind, rng), kind, height, rng.choice(faces), (rng.random(), rng.random()))
        for height in heights()
        for kind in KINDS
        for _ in range(items)
    ]


def choose_faces(rng: Random) -> list[str]:
    """Upright fonts that documents are printed in, and always the one that comes with Pillow."""
    unusual = ("italic", "oblique", "light", "thin")
    names = {Path(path).name: path for path in fonts.plain()}
    upright = [
        path
        for name, path in sorted(names.items())
        if not any(word in name.lower() for word in unusual)
    ]
    return ["", *rng.sample(upright, min(len(upright), MAX_FONTS - 1))]


@lru_cache(maxsize=1)
def _words() -> tuple[str, ...]:
    return tuple(sorted({word for word in COMMON if word.isalpha() and 4 <= len(word) <= 9}))


def _text(kind: str, rng: Random) -> str:
    if kind == "word":
        word = rng.choice(_words())
        return rng.choice((word, word, word.capitalize(), word.upper()))
    if kind == "number":
        value = rng.randrange(1000, 100_000)
        return rng.choice((f"{value}", f"{value:,}", f"{value / 100:.2f}"))
    signs = [rng.choice(LETTERS) for _ in range(3)] + [rng.choice(DIGITS) for _ in range(3)]
    rng.shuffle(signs)
    return "".join(signs)


# ---- the drawing ---------------------------------------------------------------------------------

WIDE, EDGE = 1240, 56
INSET = (34, 170)
"""Height and width of a row's pixels as drawn, at most."""
COLUMNS = {"height": 136, "pixels": 172, "text": 680, "bar": 1000, "share": 1184}
"""Right end of the heights, left end of the pixels, middle of the texts, and both ends of the bars
with their shares."""
FIRST_SIZE, LAST_SIZE = 60, 15
"""Sizes of the first and the last row as drawn."""
MARKS = ((0.9, GOOD), (0.5, HALF))


def draw_chart(result: Mapping[str, Any], items: Sequence[Item]) -> Image.Image:
    """The result as an eye chart: shrinking rows, and beside each what was read of it."""
    table = result["table"]
    ratio = (LAST_SIZE / FIRST_SIZE) ** (1 / max(1, len(table) - 1))
    sizes = [round(FIRST_SIZE * ratio**row) for row in range(len(table))]
    steps = [max(round(1.5 * size), INSET[0] + 12) for size in sizes]
    top = 176
    sheet = Image.new("RGB", (WIDE, top + sum(steps) + 84), PAPER)
    _head(sheet, result)
    for row, size, step in zip(table, sizes, steps, strict=True):
        same = [item for item in items if round(item.height, 2) == row["height"]]
        _row(sheet, row, same, size, top + step // 2)
        top += step
        _mark(sheet, result["smallest"], row["height"], top)
    _foot(sheet, result, top + 44)
    return sheet


def _write(sheet: Image.Image, place: tuple[int, int], text: str, size: int, **more: Any) -> None:
    style = {"fill": INK, "anchor": "ls"} | more
    ImageDraw.Draw(sheet).text(place, text, font=typeface(size), **style)


def _head(sheet: Image.Image, result: Mapping[str, Any]) -> None:
    _write(sheet, (EDGE, 70), f"Eye test of {result['name']}", 40)
    (line,) = wrapped(result["message"], WIDE - 2 * EDGE, 20, 1)
    _write(sheet, (EDGE, 106), line, 20, fill=GREY)
    titles = (("height", "line height", "rs"), ("pixels", "its pixels", "ls"))
    titles += (("text", "the text", "ms"), ("share", "read", "rs"))
    for column, text, anchor in titles:
        _write(sheet, (COLUMNS[column], 152), text, 15, fill=GREY, anchor=anchor)
    ImageDraw.Draw(sheet).line((EDGE, 164, WIDE - EDGE, 164), PALE, 2)


def _row(
    sheet: Image.Image, row: Mapping[str, Any], items: Sequence[Item], size: int, y: int
) -> None:
    """One height: its pixels enlarged, its text as an eye chart has it, and the share read."""
    _write(sheet, (COLUMNS["height"], y), f"{row['height']:.1f} px", 20, anchor="rm")
    first = items[0]
    x0, y0, x1, y1 = first.box
    around = first.height / 6
    area = (x0 - around, y0 - around, x1 + around, y1 + around)
    times = min(INSET[0] / (area[3] - area[1]), INSET[1] / (area[2] - area[0]))
    inset = (round((area[2] - area[0]) * times), round((area[3] - area[1]) * times))
    pixels = first.picture.resize(inset, Image.Resampling.BICUBIC, box=area)
    sheet.paste(pixels, (COLUMNS["pixels"], y - inset[1] // 2))
    room, font, text = COLUMNS["bar"] - COLUMNS["text"] - 40, typeface(size), first.text
    third = max(1, len(items) // len(KINDS))
    for item in dict.fromkeys((*items[third::third], *items[1:])):  # each kind, then what has room
        longer = f"{text}   {item.text}"
        if font.getlength(longer) > 2 * room:
            break
        text = longer
    _write(sheet, (COLUMNS["text"], y), text, size, anchor="mm")
    _bar(sheet, row["read"], y)


def _bar(sheet: Image.Image, share: float, y: int) -> None:
    colour = next((colour for least, colour in MARKS if share >= least), GREY)
    left, right = COLUMNS["bar"], COLUMNS["share"] - 76
    pen = ImageDraw.Draw(sheet)
    pen.rounded_rectangle((left, y - 6, right, y + 6), 6, PALE)
    if share > 0:
        end = max(left + 12, left + share * (right - left))
        pen.rounded_rectangle((left, y - 6, end, y + 6), 6, colour)
    _write(sheet, (COLUMNS["share"], y), f"{100 * share:.0f} %", 20, fill=colour, anchor="rm")


def _mark(sheet: Image.Image, smallest: Mapping[str, Any], height: float, y: int) -> None:
    """A line under the smallest row that is still read as often as a mark says."""
    colours = [colour for share, colour in MARKS if smallest[f"{share:.0%}"] == height]
    for index, colour in enumerate(colours):
        line = y + 3 * index
        ImageDraw.Draw(sheet).line((EDGE, line, WIDE - EDGE, line), colour, 3)


def _foot(sheet: Image.Image, result: Mapping[str, Any], y: int) -> None:
    x = EDGE
    for share, colour in MARKS:
        height, what = result["smallest"][f"{share:.0%}"], f"{100 * share:.0f} %"
        text = f"{what} read down to {height:.1f} px" if height else f"no row is read at {what}"
        ImageDraw.Draw(sheet).line((x, y - 6, x + 36, y - 6), colour, 3)
        _write(sheet, (x + 48, y), text, 18, fill=INK)
        x += 48 + round(typeface(18).getlength(text)) + 48
    source = f"{result['n']} words, numbers and codes, seed {result['seed']}"
    _write(sheet, (WIDE - EDGE, y), source, 18, fill=GREY, anchor="rs")
