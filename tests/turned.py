"""Words of pages that were scanned askew."""

from collections.abc import Sequence
from math import cos, radians, sin

from homunculus.pages.lines import WordBox


def turned(words: Sequence[WordBox], degrees: float) -> list[WordBox]:
    """Words of a page that is turned about its corner, with upright boxes around them."""
    across, down = cos(radians(degrees)), sin(radians(degrees))
    boxes = list[WordBox]()
    for text, (x0, y0, x1, y1) in words:
        x, y, wide, high = (x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) / 2, (y1 - y0) / 2
        wide, high = wide * across + high * abs(down), high * across + wide * abs(down)
        x, y = x * across - y * down, x * down + y * across
        boxes.append((text, (x - wide, y - high, x + wide, y + high)))
    return boxes
