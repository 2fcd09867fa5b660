"""Layout: the lines of a page as windows need them: where no edge may run, and what tells which
answer is which."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from homunculus.pages.lines import Lines
from homunculus.planner.counting import Size
from homunculus.scouts.sight import Map
from homunculus.shapes import Bool, Float, Int

Boxes = Float[np.ndarray, "_ 4"]
"""x0 y0 x1 y1 of each, in pixels of the picture."""
Edges = Float[np.ndarray, "4"]
"""The same of one."""

MAX_KEYS = 32
"""Words that are followed as places of the answer, the likeliest first."""
MIN_KEY = 0.04
"""Words at least this likely, as a share of the likeliest, are followed."""
MAX_MATCHED = 24
"""Words of the question that are followed as labels, those with the largest shares first."""
MIN_MATCHED = 0.04
"""Share of the question's words that a word has to hold to be one of them."""
EDGE = 1 / 8
"""Height of a line's box, from its top and from its bottom, that a window need not show: boxes
surround print loosely."""
CORE = 0.4
"""Height of a line's box around its middle that no edge may run through, whatever overlaps it."""
NEAR = 1.0
"""Pixels of a line that a window may touch and not count as showing it."""
SLANTED = 1.6
"""A line so many times as high as its words is slanted: its words stand for it."""
SAME_ROW = 0.4
"""Lines that share this much of the lower one's height stand in one row."""
REACH = 14.0
"""Heights of a line up to which a label is followed from the side that is nearest to the answer."""
ROW, COLUMN = 0.5, 0.5
"""How much of what tells an answer is its row's label, and how much is its column's header."""


@dataclass(frozen=True, eq=False)
class Layout:
    """What the planner knows from the lines of a page."""

    solid: Boxes
    """What no top or bottom edge of a window may run through: lines, but for a pixel."""
    words: Boxes
    """All words."""
    keys: Boxes
    """The words that are likeliest to be the answer."""
    mass: Float[np.ndarray, "keys"]
    """How likely each of them is."""
    octaves: Float[np.ndarray, "keys"]
    """log2 of the height of its print."""
    key_lines: Boxes
    """The line of each."""
    row_label: Boxes
    """What tells its row; of no width if nothing does."""
    header: Boxes
    """What tells its column; of no width if nothing does."""
    matched: Boxes
    """Where the question's own words stand."""
    key_of_cell: Int[np.ndarray, "rows cols"]
    """Which of the likely words each cell of the lattice holds; -1 for none."""
    height: float
    """The usual height of a line."""

    @cached_property
    def whole_words(self) -> Boxes:
        """Words that the sides of windows must not cut."""
        return np.concatenate((self.keys, self.matched))

    @cached_property
    def _weights(self) -> Float[np.ndarray, "2 keys"]:
        """What the row's label and the column's header count for of each likely word."""
        has = np.stack((self.row_label, self.header))
        weight = (has[..., 2] > has[..., 0]) * np.array([[ROW], [COLUMN]], np.float32)
        return weight / weight.sum(0).clip(1e-9)

    @cached_property
    def _untold(self) -> Bool[np.ndarray, "keys"]:
        """Words that nothing is known to tell."""
        return np.asarray(self._weights.sum(0) == 0)

    def told(self, boxes: Boxes) -> Float[np.ndarray, "_ _keys"]:
        """How far each of some windows shows what tells each likely word, from 0 to 1."""
        row, column = self._weights
        return (
            self._untold + row * holds(boxes, self.row_label) + column * holds(boxes, self.header)
        )

    def cut(self, boxes: Boxes) -> Bool[np.ndarray, "_"]:
        """Whether the top or the bottom edge of each window runs through a line of print."""
        return runs_through(boxes, self.solid)

    def opened(self, boxes: Boxes) -> tuple[Float[np.ndarray, "_"], Float[np.ndarray, "_"]]:
        """The top and the bottom of windows, moved outwards to where they cut no line that they
        cut now: a whole pixel within the gap."""
        x0, y0, x1, y1 = boxes.T
        left, top, right, low = _sides(self.solid, boxes)
        beside = (left < x1 - NEAR) & (right > x0 + NEAR)
        above = np.where(beside & (top < y0) & (y0 < low), top, y0).min(0, initial=np.inf)
        below = np.where(beside & (top < y1) & (y1 < low), low, y1).max(0, initial=-np.inf)
        return np.floor(np.minimum(above, y0)), np.ceil(np.maximum(below, y1))

    def cut_words(self, boxes: Boxes) -> Bool[np.ndarray, "_"]:
        """Whether a side of each window runs through a word that may be the answer or tells it."""
        return np.asarray(splits(boxes, self.whole_words).any(1))


def _sides(parts: Boxes, boxes: Boxes) -> Float[np.ndarray, "4 _parts 1"]:
    """The sides of parts, to be compared with those of boxes: each part with all boxes in a row,
    which are many more, and in the same floats, or numpy takes several times as long."""
    return parts.T[..., None].astype(boxes.dtype)


def runs_through(boxes: Boxes, solid: Boxes) -> Bool[np.ndarray, "_"]:
    """Whether the top or the bottom edge of each box runs through something that it shows."""
    x0, y0, x1, y1 = boxes.T
    left, top, right, low = _sides(solid, boxes)
    through = ((top < y0) & (y0 < low)) | ((top < y1) & (y1 < low))
    through &= (left < x1 - NEAR) & (right > x0 + NEAR)
    return np.asarray(through.any(0))


def splits(boxes: Boxes, words: Boxes) -> Bool[np.ndarray, "_ _words"]:
    """Whether the left or the right edge of each box runs through each word."""
    x0, y0, x1, y1 = boxes.T
    left, _, right, _ = _sides(words, boxes)
    through = (left < x0 - NEAR) & (right > x0 + NEAR)
    through |= (left < x1 - NEAR) & (right > x1 + NEAR)
    middle = ((words[:, 1] + words[:, 3]) / 2)[:, None].astype(boxes.dtype)
    return (through & (y0 < middle) & (middle < y1)).T


def holds(boxes: Boxes, parts: Boxes, each: bool = False) -> Bool[np.ndarray, "*_boxes"]:
    """Whether each box holds each part, or its own one, but for the thin margin of a line."""
    left, top, right, low = parts.T
    edge = EDGE * (low - top) + NEAR
    inner = np.stack((left + NEAR, top + edge, right - NEAR, low - edge), 1)
    x0, y0, x1, y1 = boxes.T
    left, top, right, low = inner.T if each else _sides(inner, boxes)
    return ((x0 <= left) & (y0 <= top) & (right <= x1) & (low <= y1)).T


def parted(boxes: Boxes) -> Boxes:
    """Boxes of lines that end where the next one begins: neighbours that overlap meet halfway.

    What reads print draws its boxes generously, so those of lines that stand close overlap.
    """
    middle = (boxes[:, 1] + boxes[:, 3]) / 2
    order = np.argsort(middle, kind="stable")
    left, top, right, low = boxes[order].T
    high, middle = low - top, middle[order]
    above, below = low.copy(), top.copy()
    tallest = float(high.max(initial=0))
    for step in range(1, len(boxes)):
        if not (middle[step:] - middle[:-step] < tallest).any():
            break
        first, second = slice(None, -step), slice(step, None)
        apart = middle[second] - middle[first] > SAME_ROW * np.minimum(high[first], high[second])
        beside = (left[first] < right[second] - NEAR) & (left[second] < right[first] - NEAR)
        both = apart & beside & (low[first] > top[second])
        meet = (low[first] + top[second]) / 2
        above[first] = np.where(both, np.minimum(above[first], meet), above[first])
        below[second] = np.where(both, np.maximum(below[second], meet), below[second])
    core = (1 - CORE) / 2 * high  # what stays of a line, whatever it overlaps
    result = np.empty_like(boxes)
    result[order] = np.stack(
        (left, np.minimum(below, top + core), right, np.maximum(above, low - core)), 1
    )
    return result


# ---- from lines ----------------------------------------------------------------------------------


def lay_out(lines: Lines, size: Size, place: Map, octaves: Map, told: Map | None) -> Layout | None:
    """The layout of a page; None if nobody read a word on it, or the answer may be anywhere.

    ``told`` has the question's own words, as shares of 1.
    """
    if not len(lines):
        return None
    edges = np.array([size[1], size[0]] * 2, np.float32)
    words = lines.boxes.clip(0, edges)
    heights = words[:, 3] - words[:, 1]
    mass = _held(words, place, size)
    keys = _largest(mass, MIN_KEY * float(mass.max()), MAX_KEYS)
    shares = np.zeros_like(mass) if told is None else _held(words, told, size)
    matched = _largest(shares, MIN_MATCHED, MAX_MATCHED)
    page = _Page(lines, words, lines.line_boxes.clip(0, edges))
    row_label, header = page.labels(keys, matched)
    cells = np.full(place.shape, -1, np.int16)
    rows = [_cells(box, place.shape, size) for box in words[keys]]
    for number in range(len(keys) - 1, -1, -1):
        cells[rows[number]] = number
    return Layout(
        page.solid(), words, words[keys], _mass_of(cells, place, len(keys)),
        _heights(rows, octaves, place), page.lines[lines.line[keys]], row_label, header,
        words[matched], cells, float(np.median(heights)),
    )  # fmt: skip


def _held(words: Boxes, value: Map, size: Size) -> Float[np.ndarray, "words"]:
    """What each word holds of a map; where words are smaller than cells, they share them."""
    (rows, cols), (height, width) = value.shape, size
    sums = np.zeros((rows + 1, cols + 1))
    sums[1:, 1:] = value.cumsum(0, np.float64).cumsum(1)
    x = np.array([cols / width], np.float32)
    y = np.array([rows / height], np.float32)
    left, right = np.floor(words[:, 0] * x).astype(int), np.ceil(words[:, 2] * x).astype(int)
    top, low = np.floor(words[:, 1] * y).astype(int), np.ceil(words[:, 3] * y).astype(int)
    left, right = left.clip(0, cols), right.clip(0, cols)
    top, low = top.clip(0, rows), low.clip(0, rows)
    held = sums[low, right] - sums[top, right] - sums[low, left] + sums[top, left]
    return held.clip(0).astype(np.float32)


def _largest(value: Float[np.ndarray, "words"], least: float, most: int) -> Int[np.ndarray, "some"]:
    """The largest of some values, the first of them first where they are alike."""
    order = np.argsort(-value, kind="stable")[:most]
    return order[value[order] > max(least, 1e-9)]


def _cells(box: Float[np.ndarray, "4"], grid: tuple[int, int], size: Size) -> tuple[slice, slice]:
    """The cells that a word touches."""
    spans = list[slice]()
    for low, high, cells, pixels in zip(box[1::-1], box[:1:-1], grid, size, strict=True):
        first = min(cells - 1, int(low * cells / pixels))
        spans.append(slice(first, max(first + 1, int(np.ceil(high * cells / pixels)))))
    return spans[0], spans[1]


def _mass_of(
    cells: Int[np.ndarray, "rows cols"], place: Map, keys: int
) -> Float[np.ndarray, "_keys"]:
    """How likely each word is, every cell counted once."""
    return np.bincount(cells.ravel() + 1, place.ravel(), keys + 1)[1:].astype(np.float32)


def _heights(
    rows: list[tuple[slice, slice]], octaves: Map, place: Map
) -> Float[np.ndarray, "_keys"]:
    """log2 of the height of words, as the map says it where they are likeliest."""
    middle = [octaves[here].flat[int(place[here].argmax())] for here in rows]
    return np.array(middle, np.float32)


@dataclass(frozen=True, eq=False)
class _Page:
    """Words and lines in pixels, within the picture."""

    read: Lines
    words: Boxes
    lines: Boxes

    @property
    def level(self) -> Boxes:
        """Words on a page that is turned back, where rows and columns can be told."""
        return self.read.level_boxes

    @property
    def level_lines(self) -> Boxes:
        """Lines on such a page."""
        return self.read.level_lines

    def solid(self) -> Boxes:
        """Lines but for a pixel above and below; words for those that are slanted."""
        number, heights = self.read.line, self.words[:, 3] - self.words[:, 1]
        usual = np.zeros(len(self.lines), np.float32)
        np.maximum.at(usual, number, heights)
        slanted = self.lines[:, 3] - self.lines[:, 1] > SLANTED * usual
        parts = np.concatenate((self.lines[~slanted], self.words[slanted[number]]))
        parts = parted(parts)
        parts[:, 1] += NEAR
        parts[:, 3] -= NEAR
        return parts[parts[:, 1] < parts[:, 3]]

    @cached_property
    def letters(self) -> Bool[np.ndarray, "words"]:
        """Which words are more than numbers: labels have some of them."""
        words = self.read.words
        return np.array([sum(map(str.isalpha, word)) >= max(2, len(word) / 2) for word in words])

    @cached_property
    def named(self) -> Bool[np.ndarray, "lines"]:
        """Which lines hold such words."""
        named = np.zeros(len(self.lines), bool)
        named[self.read.line[self.letters]] = True
        return named

    def labels(
        self, keys: Int[np.ndarray, "keys"], matched: Int[np.ndarray, "matched"]
    ) -> tuple[Boxes, Boxes]:
        """What tells the row and the column of each likely word; boxes of no width for nothing."""
        row = np.zeros((len(keys), 4), np.float32)
        column = np.zeros((len(keys), 4), np.float32)
        for number, key in enumerate(keys.tolist()):
            row_label = self._row_label(key, matched)
            if row_label is not None:
                row[number] = row_label
            header = self._header(key, matched, row_label is not None)
            if header is not None:
                column[number] = header
        return row, column

    def _row_label(self, key: int, matched: Int[np.ndarray, "matched"]) -> Edges | None:
        number = int(self.read.line[key])
        word, line = self.level[key], self.level_lines[number]
        height = float(line[3] - line[1])
        asked = matched[matched != key]
        asked = asked[_same_row(line, self.level[asked])]
        if len(asked):
            return self._nearest(asked, word, height)
        own = np.flatnonzero(self.read.line == number)
        before = own[(own < key) & (self.level[own, 0] >= word[0] - REACH * height)]
        if self.letters[before].any():
            return _around(self.words[before])
        lines = self.level_lines
        left = np.flatnonzero(self.named & _same_row(line, lines) & (lines[:, 2] <= line[0] + NEAR))
        if not len(left):
            return None
        label = int(left[lines[left, 2].argmax()])
        return self._part(label, float(lines[label, 2]) - REACH * height, np.inf)

    def _header(self, key: int, matched: Int[np.ndarray, "matched"], in_row: bool) -> Edges | None:
        word, line = self.level[key], self.level_lines[int(self.read.line[key])]
        height = float(line[3] - line[1])
        asked = matched[matched != key]
        words = self.level[asked]
        asked = asked[_same_column(line, words, height) & ~_same_row(line, words)]
        if len(asked):
            return self._nearest(asked, word, height)
        if self.letters[key] and in_row:
            return None
        lines = self.level_lines
        above = self.named & _same_column(line, lines, 0.0) & (lines[:, 3] <= word[1] + 2)
        if not in_row:  # a label that stands above, not a column's header far away
            above &= lines[:, 3] >= word[1] - 3 * height
        some = np.flatnonzero(above)
        if not len(some):
            return None
        reach = REACH / 3 * height
        header = int(some[lines[some, 3].argmax()])
        return self._part(header, float(word[0]) - reach, float(word[2]) + reach)

    def _nearest(self, some: Int[np.ndarray, "some"], word: Edges, height: float) -> Edges:
        """The nearest of some words, and those that stand within reach of it."""
        words = self.level[some]
        across = np.maximum(words[:, 0] - word[2], word[0] - words[:, 2]).clip(0)
        down = np.maximum(words[:, 1] - word[3], word[1] - words[:, 3]).clip(0)
        away = across + down
        return _around(self.words[some[away <= away.min() + REACH / 2 * height]])

    def _part(self, line: int, low: float, high: float) -> Edges:
        """The words of a line whose middles lie between two sides, or all of them."""
        own = np.flatnonzero(self.read.line == line)
        middle = (self.level[own, 0] + self.level[own, 2]) / 2
        inside = own[(low <= middle) & (middle <= high)]
        return _around(self.words[inside if len(inside) else own])


def _same_row(line: Edges, others: Boxes) -> Bool[np.ndarray, "_"]:
    shared = np.minimum(line[3], others[:, 3]) - np.maximum(line[1], others[:, 1])
    return shared > SAME_ROW * np.minimum(line[3] - line[1], others[:, 3] - others[:, 1])


def _same_column(line: Edges, others: Boxes, slack: float) -> Bool[np.ndarray, "_"]:
    return (others[:, 0] < line[2] + slack) & (others[:, 2] > line[0] - slack)


def _around(boxes: Boxes) -> Edges:
    return np.concatenate((boxes[:, :2].min(0), boxes[:, 2:].max(0)))
