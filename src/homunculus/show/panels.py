"""Parts of drawings, with Pillow alone: text, outlines, heat maps, tokens, blocks on paper."""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from math import log2
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFont

from homunculus.box import Box
from homunculus.pages import to_image
from homunculus.planner.counting import Size
from homunculus.scouts.sight import FractionBox, Map
from homunculus.shapes import Float, UInt8, as_array

TEXT = 26
"""Height of plain text in pixels: a sheet is often shown at less than half of its size."""
PAPER, INK, FAINT, FRAME = (255, 255, 255), (28, 30, 36), (110, 114, 122), (205, 207, 212)

Colour = tuple[int, int, int]


@lru_cache(maxsize=16)
def typeface(size: int) -> Any:
    """DejaVu where it is installed (it knows most scripts), else the one that comes with Pillow."""
    try:
        return ImageFont.truetype("DejaVuSans.ttf", round(size * 0.88))
    except OSError:
        return ImageFont.load_default(size)


def printable(text: str) -> str:
    """A text with a space for each character that is not printed, such as those of a terminal."""
    return "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in text)


def wrapped(text: str, width: int, size: int, max_lines: int) -> list[str]:
    """Lines of at most ``width`` pixels; what is too long or too much is cut off."""
    font, lines = typeface(size), [""]
    for word in printable(text[:2000]).split():
        longer = f"{lines[-1]} {word}".strip()
        fits = not lines[-1] or font.getlength(longer) <= width
        lines = [*lines[:-1], longer] if fits else [*lines, word]
    return [
        _cut(line, width, font, number == max_lines - 1 < len(lines) - 1)
        for number, line in enumerate(lines[:max_lines])
    ]


def _cut(line: str, width: int, font: Any, more: bool) -> str:
    if not more and font.getlength(line) <= width:
        return line
    while line and font.getlength(line + "...") > width:
        line = line[:-1]
    return line + "..."


def written(
    text: str, width: int, size: int = TEXT, colour: Colour = FAINT, max_lines: int = 3
) -> Any:
    """A block of text on paper."""
    lines, step = wrapped(text, width, size, max_lines), round(size * 1.3)
    block = Image.new("RGB", (width, step * len(lines)), PAPER)
    for number, line in enumerate(lines):
        ImageDraw.Draw(block).text((0, number * step), line, colour, typeface(size))
    return block


FOUND = (0, 122, 150)
"""The colour of found words; no level and no heat wears it."""
LABEL = 18
"""Height of a found word's label in pixels."""
AIR = 2
"""Pixels between a word and its outline."""


def cross(panel: Any, fixation: tuple[float, float] | None, cell: float) -> None:
    """Mark where the eye rests: y x in cells of ``cell`` pixels."""
    if fixation is None:
        return
    y, x = (round(side * cell) for side in fixation)
    arm = max(9, min(panel.size) // 40)
    for colour, wide in ((PAPER, 7), (INK, 3)):
        reach = arm + wide // 3
        ImageDraw.Draw(panel).line((x - reach, y, x + reach, y), colour, wide)
        ImageDraw.Draw(panel).line((x, y - reach, x, y + reach), colour, wide)


class Mark(NamedTuple):
    """Something to outline and to name."""

    text: str
    box: FractionBox
    colour: Colour = FOUND


def outlined(picture: Any, words: Sequence[tuple[str, FractionBox]]) -> Any:
    """A copy with a thin line around each word, and the word beside it where that hides none."""
    return marked(picture, [Mark(text, box) for text, box in words])


def marked(
    picture: Any, marks: Sequence[Mark], taken: Sequence[Box] = (), spared: Sequence[Box] = ()
) -> Any:
    """A copy with a thin line around each mark, and its text beside it where that hides none.

    Earlier marks get the better places. ``taken`` are boxes that no text may hide; those that are
    ``spared`` are hidden where there is no other place.
    """
    panel = picture.copy()
    boxes = [_corner(mark.box, picture.size) for mark in marks]
    for mark, box in zip(marks, boxes, strict=True):
        ImageDraw.Draw(panel).rectangle(box, outline=mark.colour, width=2)
    hidden = [*taken, *boxes]
    for mark, box in zip(marks, boxes, strict=True):
        label = (round(typeface(LABEL).getlength(mark.text)) + 6, LABEL + 2)
        corners = _beside(box, label) if spared else _beside(box, label)[:2]
        spot = free_place(corners, label, [*hidden, *spared], picture.size)
        if spot := spot or free_place(corners, label, hidden, picture.size):
            hidden.append(spot)
            ImageDraw.Draw(panel).rectangle(spot, fill=mark.colour)
            ImageDraw.Draw(panel).text((spot[0] + 3, spot[1]), mark.text, PAPER, typeface(LABEL))
    return panel


def _beside(box: Box, label: Size) -> list[tuple[int, int]]:
    """Corners of a label above and below a box, and at its sides."""
    (x0, y0, x1, y1), (wide, high) = box, label
    up, down, middle = y0 - high - 1, y1 + 1, (y0 + y1 - high) // 2
    sides = [(x1 + 1, middle), (x0 - wide - 1, middle)]
    return [(x0, up), (x0, down), *sides, (x1 - wide, up), (x1 - wide, down)]


def _corner(box: FractionBox, size: Size) -> Box:
    """A box in fractions as pixels, with some air around it."""
    (wide, high), (x0, y0, x1, y1) = size, box
    return Box(
        max(0, round(x0 * wide) - AIR),
        max(0, round(y0 * high) - AIR),
        min(wide - 1, round(x1 * wide) + AIR),
        min(high - 1, round(y1 * high) + AIR),
    )


def free_place(
    corners: Sequence[tuple[int, int]], mark: Size, taken: Sequence[Box], picture: Size
) -> Box | None:
    """The first of these corners where a mark lies in the picture and covers nothing taken."""
    for x, y in corners:
        spot = Box(x, y, x + mark[0], y + mark[1])
        inside = x >= 0 and y >= 0 and spot[2] < picture[0] and spot[3] < picture[1]
        if inside and not any(_meet(spot, other) for other in taken):
            return spot
    return None


def _meet(box: Box, other: Box) -> bool:
    across = box[0] <= other[2] and other[0] <= box[2]
    return across and box[1] <= other[3] and other[1] <= box[3]


WIDE, HIGH = 1900, 1480
"""Pixels that the panels of a drawing may take together, without their texts."""
NARROWEST = 330
"""A panel is at least this wide, so that its title fits."""
MARGIN, GAP, TITLE, HEADING = 32, 28, 30, 44

LEVELS: tuple[Colour, ...] = (
    (205, 52, 71), (232, 146, 20), (34, 139, 94), (30, 108, 190), (118, 66, 160), (60, 60, 60),
)  # fmt: skip
"""One colour a level, finest first; the last serves all that are coarser."""
HEAT = ((255, 255, 255), (255, 236, 160), (255, 212, 104), (253, 186, 76), (246, 156, 60))
"""Low to high, growing steadily darker, so that it reads the same in grey; print stays legible on
all of them."""


def draw_panels(
    mips: Sequence[Any],
    size: Size,
    relevance: Map,
    tokens: Any,
    *,
    patch: int,
    plain: bool,
    question: str,
    caption: str,
    origin: str,
    fixation: tuple[float, float] | None = None,
    words: Sequence[tuple[str, FractionBox]] = (),
) -> Any:
    """The relevance of a picture, its tokens, and what a reader could still see, on one sheet.

    ``mips`` is the picture (``size`` is its height and width) and its halvings, each a batch of one
    with channels first, from 0 to 1; ``tokens`` are those of engines. ``plain`` says that a token's
    level tells its size; otherwise its box does. ``fixation`` is y x in level-0 cells.
    ``words`` are outlined; their boxes are x0 y0 x1 y1 in fractions of the picture.
    """
    high, wide = size
    columns = 1 if wide > 1.5 * high else 3  # broad pictures stand above each other
    scale = min(WIDE / wide / columns, HIGH / high * columns / 3)
    scale = min(scale, max(2.0, 480 / max(size)))  # small ones grow, but not to posters
    cells = draw_cells(mips, size, tokens, patch=patch, plain=plain, scale=scale, fixation=fixation)
    heat = outlined(heated(cells.picture, relevance, patch * scale), words)
    drawings = {f"relevance: {origin}": heat, "kept cells": cells.kept}
    drawings["what is left to read"] = cells.seen
    width = max(heat.width, NARROWEST)
    panels = [
        stacked([written(title, width, TITLE, INK, 1), framed(drawing)])
        for title, drawing in drawings.items()
    ]
    body = beside(panels, GAP) if columns == 3 else stacked(panels, GAP)
    heading = written(question or "(no question)", body.width, HEADING, INK)
    facts = written(caption, body.width, TEXT, INK, 4)
    return framed(stacked([heading, body, facts], GAP), PAPER, 0, MARGIN)


class TokenDrawings(NamedTuple):
    """A picture and its tokens, drawn at one scale."""

    picture: Any
    kept: Any
    """The outlines of the tokens."""
    seen: Any
    """Each token as a reader would see it, at its own resolution."""


def draw_cells(
    mips: Sequence[Any],
    size: Size,
    tokens: Any,
    *,
    patch: int,
    plain: bool,
    scale: float | int,
    fixation: tuple[float, float] | None = None,
) -> TokenDrawings:
    """The picture, where its tokens are, and what they show; arguments as for `draw_panels`."""
    shown = (max(1, round(size[1] * scale)), max(1, round(size[0] * scale)))  # width, height
    levels = [
        to_image((as_array(mip)[0] * 255).round().clip(0, 255).astype(np.uint8)) for mip in mips
    ]
    picture = levels[0].crop((0, 0, size[1], size[0])).resize(shown, Image.Resampling.LANCZOS)
    box, kind = _drawn(tokens, size, patch, plain)
    cell = patch * scale
    seen = _seen(levels, box, kind if plain else [None] * len(kind), patch, scale, shown)
    kept = _kept(picture, box * cell, kind)
    cross(kept, fixation, cell)  # not on what is left to read: it would hide the very spot
    return TokenDrawings(picture, kept, seen)


def washed(picture: Any, white: float) -> Any:
    """Grey and pale, so that colours laid on it can be told apart."""
    grey = picture.convert("L").convert("RGB")
    return Image.blend(grey, Image.new("RGB", picture.size, PAPER), white)


def heated(picture: Any, relevance: Map, cell: float) -> Any:
    """Relevance as probability against the peak, as if marked with a pen: print stays legible."""
    logit = np.nan_to_num(relevance, nan=-1e9, posinf=1e9, neginf=-1e9)
    chance = np.exp(logit - logit.max())
    low, high = chance.min(), chance.max()
    value = (chance - low) / (high - low) if high > low else np.full_like(chance, 0.5)
    rows, cols = relevance.shape
    reach = (0, 0, min(picture.width / cell, cols), min(picture.height / cell, rows))
    resampling = Image.Resampling.NEAREST if cell >= 3 else Image.Resampling.BOX
    heat = Image.fromarray(_palette(value))
    heat = heat.resize(picture.size, resampling, reach)  # border cells may stick out
    return ImageChops.multiply(washed(picture, 0.4), heat)


def _palette(value: Float[np.ndarray, "h w"]) -> UInt8[np.ndarray, "h w 3"]:
    """Values from 0 to 1 as colours."""
    stop = np.array(HEAT, np.float32)
    position = value.clip(0, 1) * (len(HEAT) - 1)
    low = position.astype(int).clip(max=len(HEAT) - 2)
    part = (position - low.astype(position.dtype))[..., None]
    return (stop[low] * (1 - part) + stop[low + 1] * part).round().astype(np.uint8)


def _drawn(
    tokens: Any, size: Size, patch: int, plain: bool
) -> tuple[Float[np.ndarray, "k 4"], list[int]]:
    """Boxes inside the picture, coarse first, and their levels, or those of about their size."""
    valid = as_array(tokens.valid)[0]
    box, level = as_array(tokens.box)[0][valid], as_array(tokens.level)[0][valid]
    # 1/64 of a cell: neighbours whose edges differ by rounding must not show a crack
    box = (box * 64).round() / 64
    area = (box[:, 2:] - box[:, :2]).prod(-1)
    kind = level if plain else (np.log2(area.clip(1)) / 2).round().astype(int)
    order = np.argsort(-area, kind="stable")
    box = np.minimum(box.clip(0), np.array(size * 2, np.float32) / patch)
    return box[order], kind[order].tolist()


def _kept(picture: Any, box: Float[np.ndarray, "k 4"], kind: list[int]) -> Any:
    """Outlines in the colour of the level, tinted inside; cells too small for a line are filled."""
    cover = Image.new("RGBA", picture.size)
    pen = ImageDraw.Draw(cover)
    last = [cover.height - 1, cover.width - 1] * 2
    corner = np.minimum(box.round().astype(int), last).tolist()
    for (top, left, bottom, right), level in zip(corner, kind, strict=True):
        colour = LEVELS[min(level, len(LEVELS) - 1)]
        side = min(bottom - top, right - left)
        if side < 5:
            pen.rectangle((left, top, right, bottom), fill=(*colour, 150))
        else:
            line = 2 if side >= 40 else 1
            pen.rectangle((left, top, right, bottom), (*colour, 44), (*colour, 235), line)
    return Image.alpha_composite(washed(picture, 0.45).convert("RGBA"), cover).convert("RGB")


def _seen(
    levels: list[Any],
    box: Float[np.ndarray, "k 4"],
    level: list[int] | list[None],
    patch: int,
    scale: float,
    shown: Size,
) -> Any:
    """Each token magnified into its box, fine over coarse."""
    canvas = _hatched(shown)
    corner = (box * patch * scale).round().astype(int).tolist()
    tokens = zip(corner, box.tolist(), level, strict=True)
    for (top, left, bottom, right), cells, token_level in tokens:
        if bottom <= top or right <= left:  # thinner than a pixel of this display
            continue
        piece = _token(levels, cells, token_level, patch)
        piece = piece.resize((right - left, bottom - top), Image.Resampling.BICUBIC)
        canvas.paste(piece, (left, top))
    return canvas


def _token(levels: list[Any], box: list[float], level: int | None, patch: int) -> Any:
    """The pixels one token could have been made of.

    A cell of level l has the l-times halved picture's; without levels, any box has patch x patch.
    """
    top, left, bottom, right = box
    sides = (right - left, bottom - top)
    halvings = int(log2(max(1.0, min(sides)))) if level is None else level
    halvings = min(halvings, len(levels) - 1)
    fine = patch / 2**halvings
    size = [patch if level is None else max(1, round(side * fine)) for side in sides]
    place = (left * fine, top * fine, right * fine, bottom * fine)
    return levels[halvings].resize(size, Image.Resampling.BICUBIC, box=place)


def _hatched(shown: Size) -> Any:
    """Grey with slanting lines, unlike any part of a picture."""
    x, y = np.arange(shown[0]), np.arange(shown[1])[:, None]
    line = (x + y) % 14 < 2
    return Image.fromarray(np.where(line, 158, 196).astype(np.uint8)).convert("RGB")


def bar(width: int) -> Any:
    """The colours of relevance between their names."""
    font, edge = typeface(TEXT), 12
    block = Image.new("RGB", (width, round(TEXT * 1.3)), PAPER)
    left = round(font.getlength("unlikely")) + edge
    length = max(20, min(260, width - left - round(font.getlength("likely")) - edge))
    strip = Image.fromarray(_palette(np.tile(np.linspace(0, 1, length), (TEXT - 4, 1))))
    block.paste(strip, (left, 5))
    ImageDraw.Draw(block).rectangle((left, 5, left + length, TEXT), outline=FRAME)
    ImageDraw.Draw(block).text((0, 0), "unlikely", FAINT, font)
    ImageDraw.Draw(block).text((left + length + edge, 0), "likely", FAINT, font)
    return block


def stacked(blocks: Sequence[Any], gap: int = 8) -> Any:
    """Blocks below each other, on paper."""
    height = sum(block.height for block in blocks) + gap * (len(blocks) - 1)
    paper = Image.new("RGB", (max(block.width for block in blocks), height), PAPER)
    y = 0
    for block in blocks:
        paper.paste(block, (0, y))
        y += block.height + gap
    return paper


def beside(blocks: Sequence[Any], gap: int = 8) -> Any:
    """Blocks next to each other, on paper."""
    width = sum(block.width for block in blocks) + gap * (len(blocks) - 1)
    paper = Image.new("RGB", (width, max(block.height for block in blocks)), PAPER)
    x = 0
    for block in blocks:
        paper.paste(block, (x, 0))
        x += block.width + gap
    return paper


def framed(block: Any, colour: Colour = FRAME, line: int = 1, air: int = 0) -> Any:
    """A block within a line, and ``air`` between them."""
    edge = line + air
    size = (block.width + 2 * edge, block.height + 2 * edge)
    whole = Image.new("RGB", size, PAPER)
    whole.paste(block, (edge, edge))
    ImageDraw.Draw(whole).rectangle((0, 0, size[0] - 1, size[1] - 1), outline=colour, width=line)
    return whole


def badge(image: Any, place: tuple[int, int], name: str, colour: Colour, side: int) -> None:
    """A filled square with a name in it, its corner at x y."""
    x, y = place
    ImageDraw.Draw(image).rectangle((x, y, x + side - 1, y + side - 1), fill=colour)
    middle = (x + side / 2, y + side / 2)
    ImageDraw.Draw(image).text(middle, name, PAPER, typeface(round(side * 0.85)), anchor="mm")
