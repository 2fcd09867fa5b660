"""Reading pages for the word scout: coarse first, and fine only where there may be small print.

A page is shown to the net at up to three sizes, the smallest as a whole. Of a larger one only boxes
are shown, around what has ink and may be text by what the smaller one showed: blank paper costs
nothing. Boxes are cut along blank rows and columns, so that no line of print is cut, and laid side
by side on one sheet.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import log2, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from homunculus.checks import Grid
from homunculus.nets import Net
from homunculus.scouts.words.height import merge_sizes, weigh
from homunculus.scouts.words.net import KINDS, STRIDE
from homunculus.shapes import Bool, Float, Int, UInt8

FRAME = 1024
"""Longer side of the frame, in pixels."""
SIZES = (1664, 832, 416)
"""Longer sides at which a page is read: print of 5 to 26 pixels in the frame, 10 to 52, 20 to 105.
An octave apart, since the net reads letters of 8 to 42 pixels."""
MAGNIFIED = 4
"""A size that magnifies an image more is left out: it is for letters of less than two pixels."""
FAINT_TEXT = 0.02
"""Cells that hold text with less probability are not kept: no word is found there."""
LIKELY = 0.05
"""Print is looked for at a finer size from this probability of text on."""
INK = 0.18
"""Difference of greys in a cell, on the page's own scale, from which on there is ink."""
WORTH = 32
"""Cells that a cut must save."""
GRAINS = 13
"""Sheets grow in this many steps up to a whole page: a size that was met before is faster."""
FLAT = 0.08 * 255
"""Added to the spread of greys: an empty page stays flat."""

CellBox = tuple[int, int, int, int]
"""Rows and columns of cells: y0 x0 y1 x1."""


def sizes_of(image: UInt8[np.ndarray, "3 h w"]) -> tuple[int, ...]:
    """The sizes at which an image is read; the smallest at least.

    >>> sizes_of(np.zeros((3, 1024, 768), np.uint8))
    (1664, 832, 416)
    >>> sizes_of(np.zeros((3, 160, 96), np.uint8))
    (416,)
    """
    limit = MAGNIFIED * max(image.shape[1:])
    return tuple(size for size in SIZES if size <= limit) or SIZES[-1:]


@dataclass(frozen=True, eq=False)
class Scanner:
    """Reads pages: the net, and the head of heights."""

    net: Net
    height: Net | None = None

    def read(self, image: UInt8[np.ndarray, "3 _ _"]) -> dict[str, NDArray[Any]]:
        """What questions need of a page, in its frame."""
        page = _Page(image)
        for size in sorted(page.sizes):
            level = page.add_level(size)
            if level.lay_out(cut(level.likely())):
                level.keep(self.net(grey=level.sheet, mean=level.mean, spread=level.spread))
                level.describe(self.height)
        return page.features()


# ---- a page --------------------------------------------------------------------------------------


class _Page:
    """A page and what its levels have shown of it, on the cells of its frame."""

    def __init__(self, image: UInt8[np.ndarray, "3 h w"]) -> None:
        self.sizes = sizes_of(image)
        mean = (image.sum(0, dtype=np.uint16) + 1) // 3  # rounded
        self.grey = Image.fromarray(mean.astype(np.uint8))
        scale = FRAME / max(image.shape[1:]) / STRIDE
        rows, cols = (max(1, -int(-side * scale // 1)) for side in image.shape[1:])
        self.frame = (rows, cols)
        self.text = np.zeros(rows * cols, np.float32)
        self.kind = np.zeros((rows * cols, len(KINDS)), np.float32)
        self.heights: list[Float[np.ndarray, "2 _ _"]] = []
        self.levels: list[_Level] = []

    def add_level(self, size: int) -> "_Level":
        """The page at one size; sizes come in order, the smallest first."""
        self.levels.append(_Level(self, size))
        return self.levels[-1]

    def add_text(
        self, cells: Int[np.ndarray, "m"], text_and_kinds: Float[np.ndarray, "m kinds1"]
    ) -> None:
        """Text and its kinds at some cells, by one level; each counts where it sees text."""
        self.text[cells] = np.maximum(self.text[cells], text_and_kinds[:, 0])
        self.kind[cells] += text_and_kinds[:, 1:]

    def features(self) -> dict[str, NDArray[Any]]:
        """The features: maps on the frame, and the cells of all sizes that may hold text.

        `touch` has a row for each of the frame's `cells`: which rows of `embed` lie on it, and the
        number of them all where there are no more.
        """
        text, read = self.text.reshape(self.frame), [level for level in self.levels if level.boxes]
        out = {"text": text, "weight": np.concatenate([level.weight for level in read])}
        out["embed"] = np.concatenate([level.embed for level in read])
        kind = self.kind / self.kind.sum(1, keepdims=True).clip(1e-6)
        out["kind"] = np.ascontiguousarray(kind.reshape(*self.frame, -1).transpose(2, 0, 1))
        if self.heights:
            out["octaves"] = merge_sizes(self.heights, text)
        halves = {name: value.astype(np.float16) for name, value in out.items()}
        cells, touch = _all_touch(read, len(self.text))
        return {**halves, "cells": cells, "touch": touch}


class _Level:
    """A page at one size, and the cells of it that may hold text."""

    sheet: UInt8[np.ndarray, "h w"]
    """Its boxes side by side, on paper."""
    index: Int[np.ndarray, "n"]
    """Its cells that may hold text: what follows is about them."""
    embed: Float[np.ndarray, "n e"]
    weight: Float[np.ndarray, "n"]
    touch: "Touch"

    def __init__(self, page: _Page, size: int) -> None:
        self.page, self.size = page, size
        self.coarser = page.levels[-1] if page.levels else None
        self.grey = _sized(page.grey, size)
        self.mean, self.spread = _mean_and_spread(self.grey)
        rows, cols = (side // STRIDE for side in self.grey.shape)
        self.grid = (rows, cols)
        self.text = np.zeros(self.grid, np.float32)
        self.boxes: Sequence[CellBox] = ()
        self._lightest = _of_cells(self.grey, np.maximum)

    def likely(self) -> Bool[np.ndarray, "r c"]:
        """Cells that are worth a look, and their neighbours: ink, and text by the coarser level."""
        if self.coarser is None:
            return np.ones(self.grid, bool)
        ink = self._lightest - _of_cells(self.grey, np.minimum) > INK * self.spread
        text = repeated(_around(self.coarser.text > LIKELY), self.grid)
        return _around(ink & text)

    def lay_out(self, boxes: Sequence[CellBox]) -> bool:
        """Lay boxes on a sheet, or the page itself if they would need as much room; false if there
        is nothing to look at."""
        self.boxes, (high, wide), corners = pack(boxes, self.grid, self.size)
        paper = _median(self._lightest)
        self.sheet = np.full((STRIDE * high, STRIDE * wide), paper, np.uint8)
        self._place = np.full((high, wide), -1)
        cells = np.arange(self.text.size).reshape(self.grid)
        for (y0, x0, y1, x1), (y, x) in zip(self.boxes, corners, strict=True):
            self._place[y : y + y1 - y0, x : x + x1 - x0] = cells[y0:y1, x0:x1]
            part = self.grey[STRIDE * y0 : STRIDE * y1, STRIDE * x0 : STRIDE * x1]
            top, left = STRIDE * y, STRIDE * x
            self.sheet[top : top + part.shape[0], left : left + part.shape[1]] = part
        return bool(self.boxes)

    def keep(self, seen: dict[str, NDArray[Any]]) -> None:
        """Keep what the net says of the cells that may hold text; paper between boxes is none."""
        place = self._place.reshape(-1)
        on_page = place >= 0
        self.text.reshape(-1)[place[on_page]] = seen["text"].reshape(-1)[on_page]
        index = place[seen["cells"]]
        on_page = index >= 0
        self.index = index[on_page]
        self.embed, self._kind, self._letter, self._word = (
            seen[name][on_page] for name in ("embed", "kind", "letter", "word")
        )

    def describe(self, height: Net | None) -> None:
        """What the heads say of the cells that were kept, also to the frame."""
        self.weight = self.text.reshape(-1)[self.index]
        cells, touch = self.touch = _touch(self.index, self.grid, self.page.frame)
        weight = self.weight[:, None]
        self.page.add_text(cells, largest(np.hstack((weight, self._kind * weight)), touch))
        if height is not None:
            heights = np.zeros((2, self.text.size), np.float32)
            said = height(letter=self._letter, word=self._word)
            enlarged = log2(self.size / FRAME)
            heights[:, self.index] = weigh(said, self.weight, enlarged)
            self.page.heights.append(heights.reshape(2, *self.grid))


def _sized(grey: Image.Image, longer: int) -> UInt8[np.ndarray, "h w"]:
    """The page at a size, in whole cells."""
    scale = longer / max(grey.size) / STRIDE
    wide, high = (STRIDE * max(1, round(side * scale)) for side in grey.size)
    return np.asarray(grey.resize((wide, high), Image.Resampling.BICUBIC))


def _mean_and_spread(grey: UInt8[np.ndarray, "h w"]) -> tuple[np.float32, np.float32]:
    """Of the greys of a page, by exact sums."""
    mean = int(grey.sum(dtype=np.int64)) / grey.size
    square = int(np.square(grey, dtype=np.uint16).sum(dtype=np.int64)) / grey.size
    return np.float32(mean), np.float32(sqrt(max(0.0, square - mean * mean)) + FLAT)


def _of_cells(grey: UInt8[np.ndarray, "h w"], most: np.ufunc) -> Int[np.ndarray, "r c"]:
    """The lightest or the darkest grey of each cell."""
    lines = most.reduce(grey.reshape(-1, STRIDE, grey.shape[1]), axis=1)
    columns = (lines[:, first::STRIDE] for first in range(STRIDE))
    return reduce(most, columns).astype(np.int16)


def _median(value: Int[np.ndarray, "r c"]) -> int:
    """The middle one of all values, the lower one of two."""
    middle = (value.size - 1) // 2
    return int(np.partition(value, middle, axis=None)[middle])


def _around(mask: Bool[np.ndarray, "r c"]) -> Bool[np.ndarray, "r c"]:
    """What is marked, and all cells beside it."""
    out = mask.copy()
    out[1:] |= mask[:-1]
    out[:-1] |= mask[1:]
    rows = out.copy()
    out[:, 1:] |= rows[:, :-1]
    out[:, :-1] |= rows[:, 1:]
    return out


def repeated(value: Bool[np.ndarray, "r c"], grid: Grid) -> Bool[np.ndarray, "r2 c2"]:
    """A map on a finer grid, each cell as the one that its middle is on."""
    row, col = (_span(have, want)[:, 0] for have, want in zip(value.shape[-2:], grid, strict=True))
    return value[row[:, None], col]


def onto(value: Float[np.ndarray, "n r c"], frame: Grid) -> Float[np.ndarray, "n r2 c2"]:
    """Maps of another size on the frame: the largest where they are finer, repeated if coarser."""
    for axis, want in ((1, frame[0]), (2, frame[1])):
        span = _span(value.shape[axis], want)
        value = reduce(np.maximum, (value.take(line, axis) for line in span.T))
    return value


Touch = tuple[Int[np.ndarray, "m"], Int[np.ndarray, "m most"]]
"""Cells of the frame, and which cells lie on each; the number of all stands for none."""


def _touch(index: Int[np.ndarray, "n"], grid: Grid, frame: Grid) -> Touch:
    """`onto` as a table, for some of a grid's cells."""
    place = np.full(grid[0] * grid[1], len(index))
    place[index] = np.arange(len(index))
    row, col = (_span(have, want) for have, want in zip(grid, frame, strict=True))
    near = place.reshape(grid)  # then of each frame cell the first that is on it
    for axis, span in ((0, row), (1, col)):
        near = reduce(np.minimum, (near.take(line, axis) for line in span.T))
    cells = np.flatnonzero(near < len(index))
    y, x = row[cells // frame[1]], col[cells % frame[1]]
    touch = place.reshape(grid)[y[:, :, None], x[:, None, :]]
    return cells, touch.reshape(len(cells), row.shape[1] * col.shape[1])


def largest(
    value: Float[np.ndarray, "n d"], touch: Int[np.ndarray, "m most"]
) -> Float[np.ndarray, "m d"]:
    """For each row of a table, the largest of the values that it names; 0 if it names none."""
    padded = np.vstack((value, np.zeros((1, value.shape[1]), value.dtype)))  # a last row for none
    return reduce(np.maximum, (padded[column] for column in touch.T))


def _all_touch(levels: Sequence[_Level], cells: int) -> Touch:
    """The tables of all levels side by side, as short as can be."""
    none = sum(len(level.index) for level in levels)
    parts, first = list[Int[np.ndarray, "m most"]](), 0
    for level in levels:
        own, touch = level.touch
        part = np.full((cells, touch.shape[1]), none, np.int32)
        part[own] = np.where(touch < len(level.index), touch + first, none)
        first += len(level.index)
        parts.append(part)
    table = np.concatenate(parts, 1)
    touched = np.flatnonzero(table.min(1) < none)
    table = np.sort(table[touched], 1)
    table[:, 1:][table[:, 1:] == table[:, :-1]] = none
    table.sort(1)
    width = max(1, int((table < none).sum(1).max(initial=0)))
    return touched.astype(np.int32), np.ascontiguousarray(table[:, :width])


def _span(have: int, want: int) -> Int[np.ndarray, "want most"]:
    """For each of some places, the finer ones on it, or the coarser one that it is on."""
    place = np.arange(want)
    if have <= want:
        return ((2 * place + 1) * have // (2 * want))[:, None]
    start, stop = place * have // want, -(-(place + 1) * have // want)
    steps = np.arange(-(-have // want) + 1)
    return np.minimum(start[:, None] + steps, stop[:, None] - 1)


# ---- boxes ---------------------------------------------------------------------------------------


def pack(
    boxes: Sequence[CellBox], grid: Grid, size: int
) -> tuple[Sequence[CellBox], tuple[int, int], list[tuple[int, int]]]:
    """Boxes, rows and columns of the sheet for them, and where on it the corner of each lies.

    They stand on shelves, the highest first, a cell apart. If they need as much room as all of the
    page, it is one box.
    """
    if not boxes:
        return (), (0, 0), []
    grain = max(1, size // STRIDE // GRAINS)
    whole: CellBox = (0, 0, *grid)
    order = sorted(boxes, key=lambda box: (box[0] - box[2], box[1] - box[3], box))
    narrowest = _grown(max(x1 - x0 for _, x0, _, x1 in boxes), grain)
    widths = range(narrowest, max(narrowest, _grown(grid[1], grain)) + 1, grain)
    sheets = [_shelves(order, wide, grain) for wide in widths]
    (high, wide), corners = min(sheets, key=lambda sheet: sheet[0][0] * sheet[0][1])
    page, corner = _shelves([whole], _grown(grid[1], grain), grain)
    if high * wide >= page[0] * page[1]:
        return [whole], page, corner
    return order, (high, wide), corners


def _grown(cells: int, grain: int) -> int:
    return -(-cells // grain) * grain


def _shelves(
    boxes: Sequence[CellBox], wide: int, grain: int
) -> tuple[tuple[int, int], list[tuple[int, int]]]:
    """Height and width of a sheet with boxes on shelves, and their corners."""
    shelves, corners, high = list[list[int]](), list[tuple[int, int]](), 0
    for y0, x0, y1, x1 in boxes:
        shelf = next((shelf for shelf in shelves if shelf[1] + x1 - x0 <= wide), None)
        if shelf is None:
            shelf = [high, 0]
            shelves.append(shelf)
            high += y1 - y0 + 1
        corners.append((shelf[0], shelf[1]))
        shelf[1] += x1 - x0 + 1
    return (_grown(high - 1, grain), wide), corners


def cut(marks: Bool[np.ndarray, "r c"]) -> list[CellBox]:
    """Boxes that hold all marked cells, cut along blank rows and columns where it is worth it.

    >>> marks = np.zeros((40, 60), bool)
    >>> marks[2:5, 3:50] = marks[30:38, 40:50] = True
    >>> cut(marks)
    [(2, 3, 5, 50), (30, 40, 38, 50)]
    """
    boxes = list[CellBox]()
    rest: list[CellBox] = [(0, 0, *marks.shape)] if marks.any() else []
    while rest:
        box = _shrunk(rest.pop(), marks)
        parts = _best_cut(box, marks)
        if parts is None:
            boxes.append(box)
        else:
            rest += reversed(parts)
    return boxes


def _shrunk(box: CellBox, marks: NDArray[np.bool_]) -> CellBox:
    """The least box around what is marked in a box."""
    y0, x0, y1, x1 = box
    rows, cols = (np.flatnonzero(marks[y0:y1, x0:x1].any(axis)) for axis in (1, 0))
    return y0 + int(rows[0]), x0 + int(cols[0]), y0 + int(rows[-1]) + 1, x0 + int(cols[-1]) + 1


def _best_cut(box: CellBox, marks: NDArray[np.bool_]) -> tuple[CellBox, CellBox] | None:
    """The two parts of a box that save most, if they save enough."""
    y0, x0, y1, x1 = box
    saved, start, stop = _gap(marks[y0:y1, x0:x1])
    other, first, last = _gap(marks[y0:y1, x0:x1].T)
    if max(saved, other) <= WORTH:
        return None
    if saved >= other:
        return (y0, x0, y0 + start, x1), (y0 + stop, x0, y1, x1)
    return (y0, x0, y1, x0 + first), (y0, x0 + last, y1, x1)


def _gap(marks: NDArray[np.bool_]) -> tuple[int, int, int]:
    """Cells that the best cut along blank rows saves, and which rows are blank there."""
    high, wide = marks.shape
    inked = np.flatnonzero(marks.any(1))
    starts, stops = inked[:-1] + 1, inked[1:]  # what lies between two inked rows
    if not (starts < stops).any():
        return 0, 0, 0
    left, right = marks[inked].argmax(1), wide - marks[inked, ::-1].argmax(1)
    above, below = _widths(left, right), _widths(left[::-1], right[::-1])[::-1]
    saved = high * wide - starts * above[:-1] - (high - stops) * below[1:]
    best = int(np.where(starts < stops, saved, 0).argmax())
    return int(saved[best]), int(starts[best]), int(stops[best])


def _widths(left: NDArray[np.int_], right: NDArray[np.int_]) -> NDArray[np.int_]:
    """How wide the rows up to each one are together."""
    return np.maximum.accumulate(right) - np.minimum.accumulate(left)
