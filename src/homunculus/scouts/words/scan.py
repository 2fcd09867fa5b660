"""Reading pages for the word scout: coarse first, and fine only where there may be small print.

A page is shown to the net at up to three sizes, the smallest as a whole. Of a larger one only boxes
are shown, around what has ink and may be text by what the smaller one showed: blank paper costs
nothing. Boxes are cut along blank rows and columns, so that no line of print is cut, and laid side
by side on one sheet.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import log2

import numpy as np
import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Bool, Float, Int, UInt8
from numpy.typing import NDArray
from torch import Tensor

from homunculus.scouts.words.height import HeightHead, merge_sizes
from homunculus.scouts.words.int8 import Int8Net
from homunculus.scouts.words.net import KINDS, STRIDE, Features, WordNet

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
BATCH_PIXELS = 2**23
"""Pixels of sheets that are shown in one call, on devices where that is faster."""
FLAT = 0.08 * 255
"""Added to the spread of greys: an empty page stays flat (`net.standard`)."""

CellBox = tuple[int, int, int, int]
"""Rows and columns of cells: y0 x0 y1 x1."""


def sizes_of(image: UInt8[Tensor, "3 h w"]) -> tuple[int, ...]:
    """The sizes at which an image is read; the smallest at least.

    >>> sizes_of(torch.zeros(3, 1024, 768, dtype=torch.uint8))
    (1664, 832, 416)
    >>> sizes_of(torch.zeros(3, 160, 96, dtype=torch.uint8))
    (416,)
    """
    limit = MAGNIFIED * max(image.shape[1:])
    return tuple(size for size in SIZES if size <= limit) or SIZES[-1:]


@dataclass(frozen=True, eq=False)
class Scanner:
    """Reads pages: the net, in whole numbers or not, and the head of heights."""

    net: WordNet
    height: HeightHead | None = None
    int8: Int8Net | None = None
    """The same net in whole numbers, for the processor; None to read in floats."""

    @property
    def name(self) -> str:
        """What a page's features depend on besides weights: part of every cache key."""
        return "int8" if self.int8 else "float"

    @torch.inference_mode()
    def read(self, images: Sequence[UInt8[Tensor, "3 _ _"]]) -> list[dict[str, Tensor]]:
        """What questions need of each page, in its frame; on the device of the net."""
        pages = [_Page(image.to(self.net.bias.device)) for image in images]
        for size in sorted(SIZES):
            levels = [page.add_level(size) for page in pages if size in page.sizes]
            for level, boxes in zip(levels, self.boxes(levels), strict=True):
                level.lay_out(boxes)
            levels = [level for level in levels if level.boxes]
            for level, features in zip(levels, self._look(levels), strict=True):
                level.keep_text(features, *self._steps())
            for level in levels:
                level.describe(self.net, self.height)
        return [page.features() for page in pages]

    def boxes(self, levels: Sequence["_Level"]) -> list[list[CellBox]]:
        """Where to look; masks of all pages go to the host at once."""
        masks = [level.likely() for level in levels]
        flat = torch.cat([mask.flatten() for mask in masks]).cpu() if masks else torch.empty(0)
        rows = flat.split([mask.numel() for mask in masks])
        return [cut(row.view(level.grid)) for row, level in zip(rows, levels, strict=True)]

    def _look(self, levels: Sequence["_Level"]) -> Iterator[Features]:
        if self.int8 is not None:
            for level in levels:
                yield self.int8.features(level.sheet, float(level.mean), float(level.spread))
            return
        together = 0 if self.net.bias.device.type == "cpu" else BATCH_PIXELS
        sheets = [(level.sheet.float() - level.mean) / level.spread for level in levels]
        yield from mixed(self.net, sheets, together)

    def _steps(self) -> tuple[float, float]:
        """What letters and words are counted in."""
        return (self.int8.letter, self.int8.word) if self.int8 is not None else (1.0, 1.0)


def mixed(
    net: WordNet, crops: Sequence[Float[Tensor, "1 1 _ _"]], together: int = BATCH_PIXELS
) -> list[Features]:
    """Features of pictures of any sizes (multiples of 8), each as if it were alone.

    Pictures of like sizes share a batch of up to ``together`` pixels; 0 shows them one by one.
    Nothing here waits for the device.
    """
    features: dict[int, Features] = {}
    for group in _groups([(crop.shape[2], crop.shape[3]) for crop in crops], together):
        high, wide = (max(crops[index].shape[axis] for index in group) for axis in (2, 3))
        filled = [_filled(crops[index], high, wide) for index in group]
        alike = all(crops[index].shape == crops[group[0]].shape for index in group)
        valid = [_filled(torch.ones_like(crops[index]), high, wide) for index in group]
        batch = net.features(torch.cat(filled), None if alike else torch.cat(valid))
        for row, index in enumerate(group):
            rows, cols = (side // STRIDE for side in crops[index].shape[2:])
            parts = (part[row : row + 1, :rows, :cols] for part in vars(batch).values())
            features[index] = Features(*parts)
    return [features[index] for index in range(len(crops))]


def _groups(sizes: Sequence[tuple[int, int]], together: int) -> Iterator[list[int]]:
    """Indices of pictures that share a batch, the smallest first."""
    group: list[int] = []
    for index in sorted(range(len(sizes)), key=lambda index: sizes[index]):
        wider = [*group, index]
        high, wide = (max(sizes[other][axis] for other in wider) for axis in (0, 1))
        if group and len(wider) * high * wide > together:
            yield group
            wider = [index]
        group = wider
    if group:
        yield group


def _filled(crop: Float[Tensor, "1 1 h w"], high: int, wide: int) -> Float[Tensor, "1 1 h2 w2"]:
    return F.pad(crop, (0, wide - crop.shape[3], 0, high - crop.shape[2]))


# ---- a page --------------------------------------------------------------------------------------


class _Page:
    """A page and what its levels have shown of it, on the cells of its frame."""

    def __init__(self, image: UInt8[Tensor, "3 h w"]) -> None:
        self.sizes = sizes_of(image)
        self.grey = image.float().mean(0).round().to(torch.uint8)[None, None]
        scale = FRAME / max(image.shape[1:]) / STRIDE
        rows, cols = (max(1, -int(-side * scale // 1)) for side in image.shape[1:])
        self.frame = (rows, cols)
        cells = self.frame[0] * self.frame[1]
        self.text = torch.zeros(cells, device=image.device)
        self.kind = torch.zeros(cells, len(KINDS), device=image.device)
        self.heights: list[Tensor] = []
        self.levels: list[_Level] = []

    def add_level(self, size: int) -> "_Level":
        """The page at one size; sizes come in order, the smallest first."""
        self.levels.append(_Level(self, size))
        return self.levels[-1]

    def add_text(self, cells: Int[Tensor, "m"], text_and_kinds: Float[Tensor, "m kinds1"]) -> None:
        """Text and its kinds at some cells, by one level; each counts where it sees text."""
        self.text[cells] = torch.maximum(self.text[cells], text_and_kinds[:, 0])
        self.kind[cells] += text_and_kinds[:, 1:]

    def features(self) -> dict[str, Tensor]:
        """The features: maps on the frame, and the cells of all sizes that may hold text.

        `touch` has a row for each of the frame's `cells`: which rows of `embed` lie on it, and the
        number of them all where there are no more.
        """
        text, read = self.text.view(self.frame), [level for level in self.levels if level.boxes]
        out = {f"text-{level.size}": level.text.half() for level in self.levels}
        out["embed"] = torch.cat([level.embed for level in read]).half()
        out["weight"] = torch.cat([level.weight for level in read]).half()
        out["cells"], out["touch"] = _all_touch(read, len(self.text))
        out["text"] = text.half()
        kind = self.kind / self.kind.sum(1, keepdim=True).clamp(min=1e-6)
        out["kind"] = rearrange(kind.half(), "(r c) k -> k r c", r=self.frame[0]).contiguous()
        if self.heights:
            out["octaves"] = merge_sizes(self.heights, text).half()
        return out


class _Level:
    """A page at one size, and the cells of it that may hold text."""

    sheet: UInt8[Tensor, "1 1 h w"]
    """Its boxes side by side, on paper."""
    index: Int[Tensor, "n"]
    """Its cells that may hold text: what follows is about them."""
    embed: Float[Tensor, "n e"]
    weight: Float[Tensor, "n"]
    touch: "Touch"

    def __init__(self, page: _Page, size: int) -> None:
        self.page, self.size = page, size
        self.coarser = page.levels[-1] if page.levels else None
        self.grey = _sized(page.grey, size)
        values = self.grey.float().flatten()
        self.mean = values.mean()
        square = torch.dot(values, values) / len(values)
        self.spread = (square - self.mean.square()).clamp(min=0).sqrt() + FLAT
        rows, cols = (side // STRIDE for side in self.grey.shape[2:])
        self.grid = (rows, cols)
        self.text = torch.zeros(self.grid, device=values.device)
        self.boxes: Sequence[CellBox] = ()

    def likely(self) -> Bool[Tensor, "r c"]:
        """Cells that are worth a look, and their neighbours: ink, and text by the coarser level."""
        if self.coarser is None:
            return torch.ones(self.grid, dtype=torch.bool, device=self.text.device)
        darkest = self.grey.view(self.grid[0], STRIDE, -1).amin(1)
        darkest = darkest.view(*self.grid, STRIDE).amin(-1).float()
        ink = self._lightest() - darkest > INK * self.spread
        near = F.max_pool2d(self.coarser.text[None], 3, 1, 1)
        text = F.interpolate(near[None], self.grid, mode="nearest-exact")[0, 0] > LIKELY
        return F.max_pool2d((ink & text)[None].float(), 3, 1, 1)[0] > 0

    def _lightest(self) -> Float[Tensor, "r c"]:
        """The lightest grey of each cell."""
        lines = self.grey.view(self.grid[0], STRIDE, -1).amax(1)
        return lines.view(*self.grid, STRIDE).amax(-1).float()

    def lay_out(self, boxes: Sequence[CellBox]) -> None:
        """Lay boxes on a sheet; the page itself if they would need as much room."""
        self.boxes, (high, wide), corners = pack(boxes, self.grid, self.size)
        paper = self._lightest().median().to(torch.uint8)
        self.sheet = paper.expand(1, 1, STRIDE * high, STRIDE * wide).clone()
        self._place = torch.full((high, wide), -1, device=paper.device)
        cells = torch.arange(self.text.numel(), device=paper.device).view(self.grid)
        for (y0, x0, y1, x1), (y, x) in zip(self.boxes, corners, strict=True):
            self._place[y : y + y1 - y0, x : x + x1 - x0] = cells[y0:y1, x0:x1]
            part = self.grey[..., STRIDE * y0 : STRIDE * y1, STRIDE * x0 : STRIDE * x1]
            top, left = STRIDE * y, STRIDE * x
            self.sheet[..., top : top + part.shape[2], left : left + part.shape[3]] = part

    def keep_text(self, features: Features, letter: float, word: float) -> None:
        """Keep the cells of the sheet that may hold text; features are counted in these steps."""
        text, place = features.text[0].sigmoid(), self._place
        page = place >= 0
        self.text.view(-1)[place[page]] = text[page]
        row, col = (page & (text > FAINT_TEXT)).nonzero(as_tuple=True)
        self.index = place[row, col]
        self._letter = features.letter[0, row, col].float() * letter
        self._word = features.word[0, row, col].float() * word

    def describe(self, net: WordNet, height: HeightHead | None) -> None:
        """What the heads say of the cells that were kept, also to the frame."""
        hidden = net.hide(self._word)
        self.embed, self.weight = net.embed(hidden), self.text.flatten()[self.index]
        self.touch = _touch(self.index, self.grid, self.page.frame)
        kind = net.kind_head(hidden).float().softmax(-1) * self.weight[:, None]
        cells, touch = self.touch
        self.page.add_text(cells, largest(torch.cat((self.weight[:, None], kind), 1), touch))
        if height is not None:
            cell = torch.cat((self._letter, self._word), -1)
            weighed = height.weigh(cell[None], self.weight[None], log2(self.size / FRAME))
            heights = weighed.new_zeros(2, self.grid[0] * self.grid[1])
            heights[:, self.index] = weighed[:, 0]
            self.page.heights.append(heights.view(2, *self.grid))


def _sized(grey: UInt8[Tensor, "1 1 h w"], longer: int) -> UInt8[Tensor, "1 1 h2 w2"]:
    """The page at a size, in whole cells."""
    scale = longer / max(grey.shape) / STRIDE
    size = [STRIDE * max(1, round(side * scale)) for side in grey.shape[2:]]
    if grey.device.type == "cpu":  # faster, and the same but for rounding
        return F.interpolate(grey, size, mode="bicubic", antialias=True)
    exact = F.interpolate(grey.float(), size, mode="bicubic", antialias=True)
    return exact.round().clamp(0, 255).to(torch.uint8)


def onto(
    value: Float[Tensor, "n r c"], frame: tuple[int, int] | torch.Size
) -> Float[Tensor, "n r2 c2"]:
    """Maps of another size on the frame: the largest where they are finer, repeated if coarser."""
    rows, cols = (min(have, want) for have, want in zip(value.shape[1:], frame, strict=True))
    shrunk = F.adaptive_max_pool2d(value, (rows, cols))
    return F.interpolate(shrunk[None], tuple(frame), mode="nearest-exact")[0]


Touch = tuple[Int[Tensor, "m"], Int[Tensor, "m most"]]
"""Cells of the frame, and which cells lie on each; the number of all stands for none."""


def _touch(index: Int[Tensor, "n"], grid: tuple[int, int], frame: tuple[int, int]) -> Touch:
    """`onto` as a table, for some of a grid's cells."""
    place = torch.full((grid[0] * grid[1],), len(index), device=index.device)
    place[index] = torch.arange(len(index), device=index.device)
    row, col = (_span(have, want, index.device) for have, want in zip(grid, frame, strict=True))
    near = place.view(grid)  # then of each frame cell the first that is on it
    for axis, span in ((0, row), (1, col)):
        near = reduce(torch.minimum, (near.index_select(axis, line) for line in span.unbind(1)))
    cells = (near < len(index)).flatten().nonzero()[:, 0]
    y, x = row[cells // frame[1]], col[cells % frame[1]]
    return cells, place.view(grid)[y[:, :, None], x[:, None, :]].flatten(1)


def largest(value: Float[Tensor, "n d"], touch: Int[Tensor, "m most"]) -> Float[Tensor, "m d"]:
    """For each row of a table, the largest of the values that it names; 0 if it names none."""
    padded = F.pad(value, (0, 0, 0, 1))  # a last row for none
    return reduce(torch.maximum, (padded[column] for column in touch.unbind(1)))


def _all_touch(levels: Sequence[_Level], cells: int) -> Touch:
    """The tables of all levels side by side, as short as can be."""
    none = sum(len(level.index) for level in levels)
    parts, first = list[Tensor](), 0
    for level in levels:
        own, touch = level.touch
        part = torch.full((cells, touch.shape[1]), none, device=own.device)
        part[own] = torch.where(touch < len(level.index), touch + first, none)
        first += len(level.index)
        parts.append(part)
    table = torch.cat(parts, 1)
    touched = (table.amin(1) < none).nonzero()[:, 0]
    table = table[touched].sort(1).values
    table = table.masked_fill(F.pad(table[:, 1:] == table[:, :-1], (1, 0)), none).sort(1).values
    width = max(1, int((table < none).sum(1).amax())) if len(table) else 1
    return touched.int(), table[:, :width].int()


def _span(have: int, want: int, device: torch.device) -> Int[Tensor, "want most"]:
    """For each of some places, the finer ones on it, or the coarser one that it is on."""
    place = torch.arange(want, device=device)
    if have <= want:
        return ((2 * place + 1) * have // (2 * want))[:, None]
    start, stop = place * have // want, -(-(place + 1) * have // want)
    steps = torch.arange(-(-have // want) + 1, device=device)
    return torch.minimum(start[:, None] + steps, stop[:, None] - 1)


# ---- boxes ---------------------------------------------------------------------------------------


def pack(
    boxes: Sequence[CellBox], grid: tuple[int, int], size: int
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


def cut(mask: Bool[Tensor, "r c"]) -> list[CellBox]:
    """Boxes that hold all marked cells, cut along blank rows and columns where it is worth it.

    >>> mask = torch.zeros(40, 60, dtype=torch.bool)
    >>> mask[2:5, 3:50], mask[30:38, 40:50] = True, True
    >>> cut(mask)
    [(2, 3, 5, 50), (30, 40, 38, 50)]
    """
    marks, boxes = mask.numpy(), list[CellBox]()
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
