"""Lines: the words of a page and where they stand, whoever read them.

A text layer, an OCR and a caller's own words all become the same: words with boxes, in lines. A
line is a run of words that stand side by side without a wide gap, so each cell of a table is a line
of its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from homunculus.checks import check_text
from homunculus.shapes import Float, Int

WIDE_GAP = 1.4
"""Heights of a line from which a gap between two words parts two lines."""
FIGURE_GAP = 0.7
"""The same between two figures: columns of numbers stand close together."""
MAX_WORDS = 20_000
"""Words of a page that are kept: the first ones. Pages come from strangers."""
LONGEST_WORD = 200
"""Characters of a word that are kept."""
LONGEST_TEXT = 10_000
"""Characters of a text of several words that are kept."""
RECENT = 12
"""Rows that a word may still join, from the lowest up."""
OVERLAP, TALLER = 0.5, 2.2
"""A word joins a row that it overlaps by this share of the lower of the two, unless one is so many
times as high as the other."""

LEAST_WORDS = 12
"""Words from which it can be told that a page is askew."""
MOST_TURNED = 1500
"""Words that are looked at for that, at most."""
ROW = 0.35
"""Height of the rows in which words are counted for that, in heights of a word."""
FLAT = 0.01
"""Height of a word in pixels, at least: far from a page's corner a flat box loses its own."""
MOST_ROWS = 4096
"""Rows that are told apart; on higher pages some share a number, which tells no slope."""
COARSE, FINE = np.arange(-5, 5.01, 0.25), np.arange(-0.2, 0.21, 0.05)
"""Degrees that are tried, and around the best of them."""
LEAST_SLOPE, CLEARER = 0.004, 1.1
"""The least slope, and how much more words have to lie together along it."""
LEAST_HEIGHT = 0.45
"""What is left of the height of a slanted word's box, at least."""

WordBox = tuple[str, Sequence[float | int]]
"""A text and its box, x0 y0 x1 y1. A text of several words is split where its spaces are."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Words of a page in reading order, line by line.

    >>> lines = Lines.of([("due", (60, 11, 90, 20)), ("Total", (10, 10, 55, 20))], "given")
    >>> lines.words, lines.line.tolist()
    (('Total', 'due'), [0, 0])
    """

    words: tuple[str, ...]
    boxes: Float[np.ndarray, "words 4"]
    """x0 y0 x1 y1 of each word, in pixels of the picture."""
    line: Int[np.ndarray, "words"]
    """The number of the line of each word; words of a line stand together, left to right."""
    source: str
    """Who read them: `text layer`, the name of an OCR, or `given`."""
    slope: float = 0.0
    """How far lines fall along their length, where a page was scanned askew."""

    @staticmethod
    def of(items: Iterable[WordBox], source: str) -> "Lines":
        """Words in any order, laid into lines by where they stand."""
        kept = list(islice(_split(items), MAX_WORDS))
        boxes = np.array([box for _, box in kept], np.float32).reshape(-1, 4)
        slope = slope_of(boxes)
        level = levelled(boxes, slope).tolist()
        words = [(kept[place][0], level[place], place) for place in range(len(kept))]
        words.sort(key=lambda word: word[1][1] + word[1][3])
        order, line, count = list[int](), list[int](), 0
        for row in _rows(words):
            before: _Word | None = None
            for word in sorted(row, key=lambda word: (word[1][0], word[1][2])):
                count += before is not None and _parted(before, word)
                order.append(word[2])
                line.append(count)
                before = word
            count += 1
        texts = tuple(kept[place][0] for place in order)
        return Lines(texts, boxes[np.array(order, int)], np.array(line, int), source, slope)

    def __len__(self) -> int:
        """How many words."""
        return len(self.words)

    def __repr__(self) -> str:
        return f"<Lines: {len(self)} words in {self.count} lines, {self.source}>"

    @property
    def count(self) -> int:
        """How many lines."""
        return int(self.line[-1]) + 1 if len(self) else 0

    @cached_property
    def line_boxes(self) -> Float[np.ndarray, "lines 4"]:
        """The box of each line."""
        return self._around_lines(self.boxes)

    @cached_property
    def level_lines(self) -> Float[np.ndarray, "lines 4"]:
        """The boxes of the lines if the page were straight."""
        return self._around_lines(self.level_boxes)

    def _around_lines(self, boxes: Float[np.ndarray, "words 4"]) -> Float[np.ndarray, "lines 4"]:
        if not len(self):
            return np.zeros((0, 4), np.float32)
        first = np.searchsorted(self.line, np.arange(self.count))
        low = np.minimum.reduceat(boxes[:, :2], first)
        return np.concatenate((low, np.maximum.reduceat(boxes[:, 2:], first)), 1)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each line."""
        lines: list[list[str]] = [[] for _ in range(self.count)]
        for word, line in zip(self.words, self.line.tolist(), strict=True):
            lines[line].append(word)
        return tuple(map(" ".join, lines))

    @cached_property
    def level_boxes(self) -> Float[np.ndarray, "words 4"]:
        """The boxes of the words if the page were straight."""
        return levelled(self.boxes, self.slope)

    def scaled(self, across: float, down: float) -> "Lines":
        """The same lines of a picture of another size."""
        sides = np.array([across, down, across, down], np.float32)
        return replace(self, boxes=self.boxes * sides, slope=self.slope * down / across)


# ---- pages that are askew ------------------------------------------------------------------------


def slope_of(boxes: Float[np.ndarray, "words 4"]) -> float:
    """How far the lines of a page fall along their length: the slope along which words lie in the
    fewest rows. 0 for pages that are straight, as far as can be told."""
    if len(boxes) < LEAST_WORDS:
        return 0.0
    some = boxes[:: -(-len(boxes) // MOST_TURNED)]
    across, down = (some[:, 0] + some[:, 2]) / 2, (some[:, 1] + some[:, 3]) / 2
    row = ROW * max(FLAT, float(np.median(some[:, 3] - some[:, 1])))

    def together(slope: float) -> int:
        rows = np.floor((down - slope * across) / row).astype(np.int64) % MOST_ROWS
        counts = np.bincount(rows)
        return int((counts * counts).sum())

    best = max(np.tan(np.deg2rad(COARSE)), key=together)
    best = max(best + np.tan(np.deg2rad(FINE)), key=together)
    askew = abs(best) >= LEAST_SLOPE and together(best) >= CLEARER * together(0.0)
    return float(best) if askew else 0.0


def levelled(boxes: Float[np.ndarray, "words 4"], slope: float) -> Float[np.ndarray, "words 4"]:
    """The boxes of a page that is turned back, so that its lines run level."""
    if not slope:
        return boxes
    across, down = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    # a box around a slanted word is higher than the word
    high = np.maximum(LEAST_HEIGHT * high, high - abs(slope) * wide)
    x, y = across + slope * down, down - slope * across
    sides = (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
    return np.stack(sides, 1).astype(np.float32)


# ---- rows and lines ------------------------------------------------------------------------------


_Word = tuple[str, Sequence[float], int]
"""A word, its box on a straight page, and its number."""


def _parted(first: _Word, second: _Word) -> bool:
    """Whether two words of a row belong to two lines."""
    (_, top, end, low), (start, top2, _, low2) = first[1], second[1]
    figures = _is_figure(first[0]) and _is_figure(second[0])
    gap = FIGURE_GAP if figures else WIDE_GAP
    return start - end > gap * max(low - top, low2 - top2)


def _is_figure(word: str) -> bool:
    """Whether a word has digits and no letters."""
    return not word.isalpha() and any(map(str.isdigit, word)) and not any(map(str.isalpha, word))


def _split(items: Iterable[WordBox]) -> Iterable[WordBox]:
    """Single words, each with its part of the box; what has no size is left out."""
    for text, box in items:
        text = check_text(text, "words: a text", "Give (text, (x0, y0, x1, y1)).")[:LONGEST_TEXT]
        x0, y0, x1, y1 = map(float, box)
        if not (x0 < x1 and y0 < y1 and max(map(abs, (x0, y0, x1, y1))) < 1e7):
            continue  # said this way round, NaN is left out, too
        place, each = 0, (x1 - x0) / max(1, len(text))
        for word in text.split():
            start = text.index(word, place)
            place = start + len(word)
            yield word[:LONGEST_WORD], (x0 + start * each, y0, x0 + place * each, y1)


def _rows(words: Sequence[_Word]) -> Iterable[list[_Word]]:
    """Words that stand at one height, from the top down."""
    rows = list[tuple[float, float, list[_Word]]]()
    for word in words:
        _, (_, y0, _, y1), _ = word
        middle = (y0 + y1) / 2
        for number in range(len(rows) - 1, max(-1, len(rows) - 1 - RECENT), -1):
            top, low, row = rows[number]
            short, tall = sorted((y1 - y0, low - top))
            shared = min(y1, low) - max(y0, top)
            if top <= middle <= low and shared >= OVERLAP * short and tall < TALLER * short:
                row.append(word)
                share = 1 / len(row)  # a row is where its words are in the mean
                rows[number] = top + (y0 - top) * share, low + (y1 - low) * share, row
                break
        else:
            rows.append((y0, y1, [word]))
    return (row for _, _, row in rows)
