# pyright: basic
"""Marks on a picture: where the eye rests, and which of the question's words were found."""

from collections.abc import Sequence
from typing import Any

from homunculus.view.paper import INK, PAPER, draw, typeface

FOUND = (0, 122, 150)
"""The colour of found words; no level and no heat wears it."""
LABEL = 13
"""Height of a found word's label in pixels."""
AIR = 2
"""Pixels between a word and its outline."""

Box = tuple[float, float, float, float]
Corner = tuple[int, int, int, int]


def cross(panel: Any, fixation: tuple[float, float] | None, cell: float) -> None:
    """Where the eye rests, y x in cells of so many pixels."""
    if fixation is None:
        return
    y, x = (round(side * cell) for side in fixation)
    arm = max(9, min(panel.size) // 40)
    for colour, wide in ((PAPER, 7), (INK, 3)):
        reach = arm + wide // 3
        draw(panel).line((x - reach, y, x + reach, y), colour, wide)
        draw(panel).line((x, y - reach, x, y + reach), colour, wide)


def outlined(picture: Any, words: Sequence[tuple[str, Box]]) -> Any:
    """A copy with a thin line around each word, and the word beside it where that hides none."""
    panel = picture.copy()
    corner = [_corner(box, picture.size) for _, box in words]
    for place in corner:
        draw(panel).rectangle(place, outline=FOUND, width=2)
    taken = list(corner)
    for (text, _), place in zip(words, corner, strict=True):
        if (spot := _room(text, place, taken, picture.size)) is not None:
            taken.append(spot)
            draw(panel).rectangle(spot, fill=FOUND)
            draw(panel).text((spot[0] + 3, spot[1]), text, PAPER, typeface(LABEL))
    return panel


def _corner(box: Box, size: tuple[int, int]) -> Corner:
    """A box in fractions as pixels, with some air around it."""
    (wide, high), (x0, y0, x1, y1) = size, box
    return (
        max(0, round(x0 * wide) - AIR),
        max(0, round(y0 * high) - AIR),
        min(wide - 1, round(x1 * wide) + AIR),
        min(high - 1, round(y1 * high) + AIR),
    )


def _room(text: str, place: Corner, taken: list[Corner], size: tuple[int, int]) -> Corner | None:
    """Above a word, else below it: the first spot in the picture that covers nothing marked."""
    wide, high = round(typeface(LABEL).getlength(text)) + 6, LABEL + 2
    for top in (place[1] - high - 1, place[3] + 1):
        spot = (place[0], top, place[0] + wide, top + high)
        inside = top >= 0 and spot[2] < size[0] and spot[3] < size[1]
        if inside and not any(_meet(spot, other) for other in taken):
            return spot
    return None


def _meet(one: Corner, other: Corner) -> bool:
    across = one[0] <= other[2] and other[0] <= one[2]
    return across and one[1] <= other[3] and other[1] <= one[3]
