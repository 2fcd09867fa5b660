"""Reading pages for the word scout: coarse first, and fine only where there may be small print.

A page is shown to the net at up to three sizes, the smallest as a whole. Of a larger one only boxes
are shown, around what has ink and may be text by what the size before told: blank paper costs
nothing. Boxes are cut along blank rows and columns, so that no line of print is cut, and laid side
by side on one sheet.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import log2

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Bool, Float, Int, UInt8
from torch import Tensor

from homunculus.scouts.words.height import HeightHead, combine
from homunculus.scouts.words.int8 import Int8Net
from homunculus.scouts.words.net import KINDS, STRIDE, Features, WordNet

FRAME = 1024
"""Longer side of the frame, in pixels."""
SIZES = (1664, 832, 416)
"""Longer sides at which a page is read: print of 5 to 26 pixels in the frame, 10 to 52, 20 to 105.
An octave apart, since the net reads letters of 8 to 42 pixels."""
MAGNIFIED = 4
"""A size that magnifies an image more is left out: it is for letters of less than two pixels."""
FAINT = 0.02
"""Cells that hold text with less probability are not kept: no word is found there."""
LIKELY = 0.05
"""Print is looked for at a finer size from this probability of text on."""
INK = 0.18
"""Difference of greys in a cell, on the page's own scale, from which on there is ink."""
WORTH = 32
"""Cells that a cut must save."""
GRAINS = 13
"""Sheets grow in so many steps up to a whole page: a size that was met before is faster."""
TOGETHER = 2**23
"""Pixels of sheets that are shown in one call, on devices where that is faster."""
FLAT = 0.08 * 255
"""Added to the spread of greys: an empty page stays flat (`net.standard`)."""

Box = tuple[int, int, int, int]
"""Rows and columns of cells: y0 x0 y1 x1."""


def sizes_of(image: UInt8[Tensor, "3 h w"]) -> tuple[int, ...]:
    """The sizes at which an image is read; the smallest at least.

    >>> sizes_of(torch.zeros(3, 1024, 768, dtype=torch.uint8))
    (1664, 832, 416)
    >>> sizes_of(torch.zeros(3, 160, 96, dtype=torch.uint8))
    (416,)
    """
    most = MAGNIFIED * max(image.shape[1:])
    return tuple(one for one in SIZES if one <= most) or SIZES[-1:]


@dataclass(frozen=True, eq=False)
class Reader:
    """Whoever reads pages: the net, in whole numbers or not, and the head of heights."""

    net: WordNet
    height: HeightHead | None = None
    int8: Int8Net | None = None
    """The same net in whole numbers, for the processor; None to read in floats."""
    whole: bool = False
    """Whether every size is read whole, blank paper and all: a control."""

    @property
    def name(self) -> str:
        """What a page's features depend on besides weights: part of every cache key."""
        return f"{'int8' if self.int8 else 'float'}{'-whole' if self.whole else ''}"

    @torch.inference_mode()
    def read(self, images: Sequence[UInt8[Tensor, "3 _ _"]]) -> list[dict[str, Tensor]]:
        """What questions need of each page, in its frame; on the device of the net."""
        pages = [_Page(image.to(self.net.bias.device)) for image in images]
        for size in sorted(SIZES):
            shown = [page.show(size) for page in pages if size in page.sizes]
            for one, boxes in zip(shown, self._boxes(shown), strict=True):
                one.lay(boxes)
            shown = [one for one in shown if one.boxes]
            for one, seen in zip(shown, self._see(shown), strict=True):
                one.take(seen, *self._scales())
            for one in shown:
                one.finish(self.net, self.height)
        return [page.told() for page in pages]

    def _boxes(self, shown: Sequence["_Shown"]) -> list[list[Box]]:
        """Where to look; masks of all pages go to the host at once."""
        if self.whole:
            return [[(0, 0, *one.grid)] for one in shown]
        masks = [one.likely() for one in shown]
        flat = torch.cat([mask.flatten() for mask in masks]).cpu() if masks else torch.empty(0)
        rows = flat.split([mask.numel() for mask in masks])
        return [cut(row.view(one.grid)) for row, one in zip(rows, shown, strict=True)]

    def _see(self, shown: Sequence["_Shown"]) -> Iterator[Features]:
        if self.int8 is not None:
            for one in shown:
                yield self.int8.features(one.sheet, float(one.mean), float(one.spread))
            return
        together = 0 if self.net.bias.device.type == "cpu" else TOGETHER
        sheets = [(one.sheet.float() - one.mean) / one.spread for one in shown]
        yield from mixed(self.net, sheets, together)

    def _scales(self) -> tuple[float, float]:
        return (self.int8.letter, self.int8.word) if self.int8 is not None else (1.0, 1.0)


def mixed(
    net: WordNet, crops: Sequence[Float[Tensor, "1 1 _ _"]], together: int = TOGETHER
) -> list[Features]:
    """Features of pictures of any sizes (multiples of 8), each as if it were alone.

    Pictures of like sizes share a batch of up to ``together`` pixels; 0 shows them one by one.
    Nothing here waits for the device.
    """
    found: dict[int, Features] = {}
    for group in _groups([(one.shape[2], one.shape[3]) for one in crops], together):
        high, wide = (max(crops[at].shape[axis] for at in group) for axis in (2, 3))
        filled = [_filled(crops[at], high, wide) for at in group]
        alike = all(crops[at].shape == crops[group[0]].shape for at in group)
        valid = [_filled(torch.ones_like(crops[at]), high, wide) for at in group]
        seen = net.features(torch.cat(filled), None if alike else torch.cat(valid))
        for row, at in enumerate(group):
            rows, cols = (size // STRIDE for size in crops[at].shape[2:])
            found[at] = Features(
                *(part[row : row + 1, :rows, :cols] for part in vars(seen).values())
            )
    return [found[at] for at in range(len(crops))]


def _groups(sizes: Sequence[tuple[int, int]], together: int) -> Iterator[list[int]]:
    """Places of pictures that share a batch, the smallest first."""
    group: list[int] = []
    for at in sorted(range(len(sizes)), key=lambda at: sizes[at]):
        both = [*group, at]
        high, wide = (max(sizes[one][axis] for one in both) for axis in (0, 1))
        if group and len(both) * high * wide > together:
            yield group
            both = [at]
        group = both
    if group:
        yield group


def _filled(crop: Float[Tensor, "1 1 h w"], high: int, wide: int) -> Float[Tensor, "1 1 h2 w2"]:
    return F.pad(crop, (0, wide - crop.shape[3], 0, high - crop.shape[2]))


# ---- a page --------------------------------------------------------------------------------------


class _Page:
    """A page and what the sizes have told of it, on the cells of its frame."""

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
        self.shown: list[_Shown] = []

    def show(self, size: int) -> "_Shown":
        """The page at one size; sizes come in order, the smallest first."""
        self.shown.append(_Shown(self, size))
        return self.shown[-1]

    def learn(self, cells: Int[Tensor, "m"], seen: Float[Tensor, "m kinds1"]) -> None:
        """Text and its kinds at some cells, by one size; each speaks where it sees text."""
        self.text[cells] = torch.maximum(self.text[cells], seen[:, 0])
        self.kind[cells] += seen[:, 1:]

    def told(self) -> dict[str, Tensor]:
        """The features: maps on the frame, and the cells of all sizes that may hold text.

        `touch` has a row for each of the frame's `cells`: which rows of `embed` lie on it, and the
        number of them all where there are no more.
        """
        text, read = self.text.view(self.frame), [one for one in self.shown if one.boxes]
        out = {f"text-{one.size}": one.text.half() for one in self.shown}
        out["embed"] = torch.cat([one.embed for one in read]).half()
        out["weight"] = torch.cat([one.weight for one in read]).half()
        out["cells"], out["touch"] = _all_touch(read, len(self.text))
        out["text"] = text.half()
        kind = self.kind / self.kind.sum(1, keepdim=True).clamp(min=1e-6)
        out["kind"] = rearrange(kind.half(), "(r c) k -> k r c", r=self.frame[0]).contiguous()
        if self.heights:
            out["octaves"] = combine(self.heights, text).half()
        return out


class _Shown:
    """A page at one size, and the cells of it that may hold text."""

    sheet: UInt8[Tensor, "1 1 h w"]
    """Its boxes side by side, on paper."""
    index: Int[Tensor, "n"]
    """Its cells that may hold text; the rest of what is told is about them."""
    embed: Float[Tensor, "n e"]
    weight: Float[Tensor, "n"]
    touch: "Touch"

    def __init__(self, page: _Page, size: int) -> None:
        self.page, self.size = page, size
        self.coarser = page.shown[-1] if page.shown else None
        self.grey = _sized(page.grey, size)
        values = self.grey.float().flatten()
        self.mean = values.mean()
        square = torch.dot(values, values) / len(values)
        self.spread = (square - self.mean.square()).clamp(min=0).sqrt() + FLAT
        rows, cols = (side // STRIDE for side in self.grey.shape[2:])
        self.grid = (rows, cols)
        self.text = torch.zeros(self.grid, device=values.device)
        self.boxes: Sequence[Box] = ()

    def likely(self) -> Bool[Tensor, "r c"]:
        """Cells that are worth a look, and their neighbours: ink, and text by the size before."""
        if self.coarser is None:
            return torch.ones(self.grid, dtype=torch.bool, device=self.text.device)
        ink = self._light() - self._dark() > INK * self.spread
        told = F.max_pool2d(self.coarser.text[None], 3, 1, 1)
        may = F.interpolate(told[None], self.grid, mode="nearest-exact")[0, 0] > LIKELY
        return F.max_pool2d((ink & may)[None].float(), 3, 1, 1)[0] > 0

    def _light(self) -> Float[Tensor, "r c"]:
        """The lightest grey of each cell."""
        lines = self.grey.view(self.grid[0], STRIDE, -1).amax(1)
        return lines.view(*self.grid, STRIDE).amax(-1).float()

    def _dark(self) -> Float[Tensor, "r c"]:
        lines = self.grey.view(self.grid[0], STRIDE, -1).amin(1)
        return lines.view(*self.grid, STRIDE).amin(-1).float()

    def lay(self, boxes: Sequence[Box]) -> None:
        """Lay boxes on a sheet; the page itself if they would need as much room."""
        self.boxes, (high, wide), corners = pack(boxes, self.grid, self.size)
        paper = self._light().median().to(torch.uint8)
        self.sheet = paper.expand(1, 1, STRIDE * high, STRIDE * wide).clone()
        self._place = torch.full((high, wide), -1, device=paper.device)
        cells = torch.arange(self.text.numel(), device=paper.device).view(self.grid)
        for (y0, x0, y1, x1), (y, x) in zip(self.boxes, corners, strict=True):
            self._place[y : y + y1 - y0, x : x + x1 - x0] = cells[y0:y1, x0:x1]
            part = self.grey[..., STRIDE * y0 : STRIDE * y1, STRIDE * x0 : STRIDE * x1]
            top, left = STRIDE * y, STRIDE * x
            self.sheet[..., top : top + part.shape[2], left : left + part.shape[3]] = part

    def take(self, seen: Features, letter: float, word: float) -> None:
        """Keep the cells of the sheet that may hold text; features are given in such steps."""
        text, place = seen.text[0].sigmoid(), self._place
        there = place >= 0
        self.text.view(-1)[place[there]] = text[there]
        row, col = (there & (text > FAINT)).nonzero(as_tuple=True)
        self.index = place[row, col]
        self._letter = seen.letter[0, row, col].float() * letter
        self._word = seen.word[0, row, col].float() * word

    def finish(self, net: WordNet, height: HeightHead | None) -> None:
        """What the heads say of the cells that were kept; the frame learns of it."""
        hidden = net.hide(self._word)
        self.embed, self.weight = net.embed(hidden), self.text.flatten()[self.index]
        self.touch = _touch(self.index, self.grid, self.page.frame)
        kind = net.kind_head(hidden).float().softmax(-1) * self.weight[:, None]
        cells, touch = self.touch
        self.page.learn(cells, largest(torch.cat((self.weight[:, None], kind), 1), touch))
        if height is not None:
            cell = torch.cat((self._letter, self._word), -1)
            weighed = height.weigh(cell[None], self.weight[None], log2(self.size / FRAME))
            out = weighed.new_zeros(2, self.grid[0] * self.grid[1])
            out[:, self.index] = weighed[:, 0]
            self.page.heights.append(out.view(2, *self.grid))


def _sized(grey: UInt8[Tensor, "1 1 h w"], longer: int) -> UInt8[Tensor, "1 1 h2 w2"]:
    """The page at a size, in whole cells."""
    scale = longer / max(grey.shape) / STRIDE
    size = [STRIDE * max(1, round(side * scale)) for side in grey.shape[2:]]
    if grey.device.type == "cpu":  # faster, and the same but for rounding
        return F.interpolate(grey, size, mode="bicubic", antialias=True)
    shown = F.interpolate(grey.float(), size, mode="bicubic", antialias=True)
    return shown.round().clamp(0, 255).to(torch.uint8)


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
        near = reduce(torch.minimum, (near.index_select(axis, at) for at in span.unbind(1)))
    cells = (near < len(index)).flatten().nonzero()[:, 0]
    y, x = row[cells // frame[1]], col[cells % frame[1]]
    return cells, place.view(grid)[y[:, :, None], x[:, None, :]].flatten(1)


def largest(value: Float[Tensor, "n d"], touch: Int[Tensor, "m most"]) -> Float[Tensor, "m d"]:
    """For each row of a table, the largest of the values that it names; 0 if it names none."""
    more = F.pad(value, (0, 0, 0, 1))  # a last row for none
    best = more[touch[:, 0]]
    for column in touch.unbind(1)[1:]:
        best = torch.maximum(best, more[column])
    return best


def _all_touch(shown: Sequence[_Shown], cells: int) -> Touch:
    """The tables of all sizes side by side, as short as can be."""
    none = sum(len(one.index) for one in shown)
    parts, first = list[Tensor](), 0
    for one in shown:
        own, touch = one.touch
        part = torch.full((cells, touch.shape[1]), none, device=own.device)
        part[own] = torch.where(touch < len(one.index), touch + first, none)
        first += len(one.index)
        parts.append(part)
    table = torch.cat(parts, 1)
    found = (table.amin(1) < none).nonzero()[:, 0]
    table = table[found].sort(1).values
    table = table.masked_fill(F.pad(table[:, 1:] == table[:, :-1], (1, 0)), none).sort(1).values
    most = max(1, int((table < none).sum(1).amax())) if len(table) else 1
    return found.int(), table[:, :most].int()


def _span(have: int, want: int, device: torch.device) -> Int[Tensor, "want most"]:
    """For each of some places, the finer ones on it, or the coarser one that it is on."""
    at = torch.arange(want, device=device)
    if have <= want:
        return ((2 * at + 1) * have // (2 * want))[:, None]
    start, stop = at * have // want, -(-(at + 1) * have // want)
    steps = torch.arange(-(-have // want) + 1, device=device)
    return torch.minimum(start[:, None] + steps, stop[:, None] - 1)


# ---- boxes ---------------------------------------------------------------------------------------


def pack(
    boxes: Sequence[Box], grid: tuple[int, int], size: int
) -> tuple[Sequence[Box], tuple[int, int], list[tuple[int, int]]]:
    """Boxes, rows and columns of the sheet for them, and where on it the corner of each lies.

    They stand on shelves, the highest first, a cell apart. If they need as much room as all of the
    page, it is one box.
    """
    if not boxes:
        return (), (0, 0), []
    grain = max(1, size // STRIDE // GRAINS)
    whole: Box = (0, 0, *grid)
    order = sorted(boxes, key=lambda box: (box[0] - box[2], box[1] - box[3], box))
    least = _grown(max(x1 - x0 for _, x0, _, x1 in boxes), grain)
    widths = range(least, max(least, _grown(grid[1], grain)) + 1, grain)
    sheets = [_shelves(order, wide, grain) for wide in widths]
    size_of, corners = min(sheets, key=lambda one: one[0][0] * one[0][1])
    alone, corner = _shelves([whole], _grown(grid[1], grain), grain)
    if size_of[0] * size_of[1] >= alone[0] * alone[1]:
        return [whole], alone, corner
    return order, size_of, corners


def _grown(cells: int, grain: int) -> int:
    return -(-cells // grain) * grain


def _shelves(
    boxes: Sequence[Box], wide: int, grain: int
) -> tuple[tuple[int, int], list[tuple[int, int]]]:
    """Height and width of a sheet with boxes on shelves, and their corners."""
    shelves, corners, high = list[list[int]](), list[tuple[int, int]](), 0
    for y0, x0, y1, x1 in boxes:
        shelf = next((one for one in shelves if one[1] + x1 - x0 <= wide), None)
        if shelf is None:
            shelf = [high, 0]
            shelves.append(shelf)
            high += y1 - y0 + 1
        corners.append((shelf[0], shelf[1]))
        shelf[1] += x1 - x0 + 1
    return (_grown(high - 1, grain), wide), corners


def cut(mask: Bool[Tensor, "r c"]) -> list[Box]:
    """Boxes that hold all marked cells, cut along blank rows and columns where it is worth it.

    >>> mask = torch.zeros(40, 60, dtype=torch.bool)
    >>> mask[2:5, 3:50], mask[30:38, 40:50] = True, True
    >>> cut(mask)
    [(2, 3, 5, 50), (30, 40, 38, 50)]
    """
    rows, cols = _bits(mask), _bits(mask.T)
    found: list[Box] = []
    rest = [_shrunk((0, 0, len(rows), len(cols)), rows, cols)]
    while rest:
        box = rest.pop()
        if box is None:
            continue
        parts = _best_cut(box, rows, cols)
        if parts is None:
            found.append(box)
        else:
            rest += [_shrunk(part, rows, cols) for part in reversed(parts)]
    return found


def _bits(mask: Bool[Tensor, "r c"]) -> list[int]:
    """Each row as one number; bit n is the cell of column n."""
    digits = bytes(48 + one for one in mask.flatten().byte().tolist())
    wide = mask.shape[1]
    return [int(digits[at : at + wide][::-1], 2) for at in range(0, len(digits), wide)]


def _span_of(bits: int) -> tuple[int, int]:
    """The first set bit, and one past the last."""
    return (bits & -bits).bit_length() - 1, bits.bit_length()


def _inside(lines: list[int], start: int, stop: int, low: int, high: int) -> list[int]:
    """Lines from start to stop, only their bits from low to high."""
    mask = (1 << high) - (1 << low)
    return [line & mask for line in lines[start:stop]]


def _shrunk(box: Box, rows: list[int], cols: list[int]) -> Box | None:
    """The least box around what is marked in a box; None if nothing is."""
    y0, x0, y1, x1 = box
    down, across = 0, 0
    for line in _inside(rows, y0, y1, x0, x1):
        across |= line
    for line in _inside(cols, x0, x1, y0, y1):
        down |= line
    if not across:
        return None
    (left, right), (top, bottom) = _span_of(across), _span_of(down)
    return top, left, bottom, right


def _best_cut(box: Box, rows: list[int], cols: list[int]) -> tuple[Box, Box] | None:
    """The two parts of a box that save most, if they save enough."""
    y0, x0, y1, x1 = box
    saved, start, stop = _gap(_inside(rows, y0, y1, x0, x1), x1 - x0)
    other, first, last = _gap(_inside(cols, x0, x1, y0, y1), y1 - y0)
    if max(saved, other) <= WORTH:
        return None
    if saved >= other:
        return (y0, x0, y0 + start, x1), (y0 + stop, x0, y1, x1)
    return (y0, x0, y1, x0 + first), (y0, x0 + last, y1, x1)


def _gap(lines: list[int], wide: int) -> tuple[int, int, int]:
    """Cells that the best cut along blank lines saves, and which lines are blank there."""
    before, after = _widths(lines), _widths(lines[::-1])[::-1]
    best, high, start = (0, 0, 0), len(lines), 0
    for at, line in enumerate(lines):
        if not line:
            continue
        if at > start:  # blank from start to at
            parts = start * before[start - 1] + (high - at) * after[at]
            best = max(best, (high * wide - parts, start, at), key=lambda one: one[0])
        start = at + 1
    return best


def _widths(lines: list[int]) -> list[int]:
    """How wide the lines up to each one are together."""
    out, seen = list[int](), 0
    for line in lines:
        seen |= line
        low, high = _span_of(seen)
        out.append(high - low if seen else 0)
    return out
