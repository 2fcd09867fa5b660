# pyright: basic
"""Paper and letters: what every panel is drawn on and written with."""

import unicodedata
from functools import lru_cache
from typing import Any

from homunculus.extra import need

TEXT = 18
"""Height of plain text in pixels."""
PAPER, INK, FAINT = (255, 255, 255), (28, 30, 36), (110, 114, 122)

Colour = tuple[int, int, int]


def pil() -> Any:
    """Pillow, loaded when something is drawn."""
    return need("PIL.Image", extra="view", who="homunculus.view")


def draw(image: Any) -> Any:
    """A pen over the image."""
    return need("PIL.ImageDraw", extra="view", who="homunculus.view").Draw(image)


@lru_cache(maxsize=16)
def typeface(size: int) -> Any:
    """DejaVu where it is installed (it knows most scripts), else the one that comes with Pillow."""
    fonts = need("PIL.ImageFont", extra="view", who="homunculus.view")
    try:
        return fonts.truetype("DejaVuSans.ttf", round(size * 0.88))
    except OSError:
        return fonts.load_default(size)


def wrapped(text: str, width: int, size: int, most: int) -> list[str]:
    """Lines of at most that width; what is too long or too much is cut off."""
    clean = "".join(" " if unicodedata.category(one)[0] in "CZ" else one for one in text[:2000])
    font, lines = typeface(size), [""]
    for word in clean.split():
        longer = f"{lines[-1]} {word}".strip()
        fits = not lines[-1] or font.getlength(longer) <= width
        lines = [*lines[:-1], longer] if fits else [*lines, word]
    return [
        _cut(line, width, font, number == most - 1 < len(lines) - 1)
        for number, line in enumerate(lines[:most])
    ]


def _cut(line: str, width: int, font: Any, more: bool) -> str:
    if not more and font.getlength(line) <= width:
        return line
    while line and font.getlength(line + "...") > width:
        line = line[:-1]
    return line + "..."


def written(text: str, width: int, size: int = TEXT, colour: Colour = FAINT, most: int = 3) -> Any:
    """A block of text on paper."""
    lines, step = wrapped(text, width, size, most), round(size * 1.3)
    block = pil().new("RGB", (width, step * len(lines)), PAPER)
    for number, line in enumerate(lines):
        draw(block).text((0, number * step), line, colour, typeface(size))
    return block
