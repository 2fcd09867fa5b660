"""How the lines of a page stand to each other: rows, columns, labels and headers.

All of it depends on the page alone, so it is worked out once for all questions.
"""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from homunculus.pages.lines import Lines
from homunculus.scouts.reading.kinds import NUMERIC, kinds_of, value_of
from homunculus.scouts.reading.match import Vocabulary
from homunculus.shapes import Bool, Float, Int

SAME_ROW, SAME_COLUMN = 0.45, 0.3
"""Two lines are in one row, or in one column, if they share this much of the smaller one's height,
or of the narrower one's width."""
NONE = -1
"""No such line."""
MAX_LINES = 2_500
"""Lines that are looked at: tables of pairs grow with their square."""
MAX_WORDS = 8_000
"""Words that are looked at; a dense page has 1,500. Pages come from strangers."""
PITCH, MOST_ROWS = 2.5, 60
"""Usual heights between the rows of a table at most, and its rows."""
LEAST_COMPARED = 2
"""Other numbers that the largest of a row or column is larger than."""
_TOTAL = re.compile(
    r"(?:sub|grand |in )?(?:totals?|sum|summe|gesamt|insgesamt|somme)\b", re.IGNORECASE
)
FIGURES = 0.5
"""A line is one of figures if this share of its words are numbers."""


@dataclass(frozen=True, eq=False)
class Layout:
    """The words and lines of a page, and the neighbours of each line."""

    lines: Lines
    size: tuple[int, int]
    """Height and width of the picture."""

    @cached_property
    def line(self) -> Int[np.ndarray, "words"]:
        """The line of each word, of those that are looked at."""
        line = self.lines.line[:MAX_WORDS]
        return line[line < MAX_LINES]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words that are looked at."""
        return self.lines.words[: len(self.line)]

    @cached_property
    def word_boxes(self) -> Float[np.ndarray, "words 4"]:
        """Where they would stand if the page were straight."""
        return self.lines.level_boxes[: len(self.line)]

    @cached_property
    def printed_boxes(self) -> Float[np.ndarray, "words 4"]:
        """Where they are printed."""
        return self.lines.boxes[: len(self.line)]

    @cached_property
    def boxes(self) -> Float[np.ndarray, "lines 4"]:
        """The box of each line."""
        return self.lines.level_lines[: int(self.line[-1]) + 1 if len(self.line) else 0]

    @cached_property
    def first(self) -> Int[np.ndarray, "lines"]:
        """The number of the first word of each line."""
        return np.searchsorted(self.line, np.arange(int(self.line.max(initial=-1)) + 1))

    @cached_property
    def heights(self) -> Float[np.ndarray, "lines"]:
        """Heights of the lines."""
        return (self.boxes[:, 3] - self.boxes[:, 1]).clip(1)

    @cached_property
    def usual_height(self) -> float:
        """The height of most lines."""
        return float(np.median(self.heights))

    # ---- neighbours

    @cached_property
    def row(self) -> Bool[np.ndarray, "lines lines"]:
        """Whether two lines stand in one row."""
        low, high = self.boxes[:, 1], self.boxes[:, 3]
        shared = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
        return shared >= SAME_ROW * np.minimum(self.heights[:, None], self.heights)

    @cached_property
    def column(self) -> Bool[np.ndarray, "lines lines"]:
        """Whether two lines stand in one column, and not in one row."""
        low, high = self.boxes[:, 0], self.boxes[:, 2]
        widths = (high - low).clip(1)
        shared = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
        return (shared >= SAME_COLUMN * np.minimum(widths[:, None], widths)) & ~self.row

    @cached_property
    def left(self) -> Bool[np.ndarray, "lines lines"]:
        """Whether the second line stands to the left of the first, in its row."""
        start, end = self.boxes[:, 0], self.boxes[:, 2]
        middle = start + end
        before = end <= start[:, None] + 0.5 * self.heights[:, None]
        return self.row & before & (middle < middle[:, None])

    @cached_property
    def above(self) -> Bool[np.ndarray, "lines lines"]:
        """Whether the second line stands above the first, in its column."""
        middle = self.boxes[:, 1] + self.boxes[:, 3]
        return self.column & (middle < middle[:, None])

    @cached_property
    def left_distance(self) -> Float[np.ndarray, "lines"]:
        """How far the line to the left ends before this one begins, in usual heights."""
        distance = self.boxes[:, 0] - self.boxes[self.left_neighbour, 2]
        return _where(self.left_neighbour, distance / self.usual_height)

    @cached_property
    def above_distance(self) -> Float[np.ndarray, "lines"]:
        """How far the line above ends before this one begins, in usual heights."""
        distance = self.boxes[:, 1] - self.boxes[self.above_neighbour, 3]
        return _where(self.above_neighbour, distance / self.usual_height).clip(0)

    @cached_property
    def left_neighbour(self) -> Int[np.ndarray, "lines"]:
        """The nearest line to the left in the same row."""
        return _largest(self.left, self.boxes[:, 2])

    @cached_property
    def above_neighbour(self) -> Int[np.ndarray, "lines"]:
        """The nearest line above in the same column."""
        return _largest(self.above, self.boxes[:, 3])

    @cached_property
    def below_neighbour(self) -> Int[np.ndarray, "lines"]:
        """The nearest line below in the same column."""
        return _largest(self.above.T, -self.boxes[:, 1])

    @cached_property
    def row_label(self) -> Int[np.ndarray, "lines"]:
        """The first line of the same row."""
        return _largest(self.left, -self.boxes[:, 0])

    @cached_property
    def header(self) -> Int[np.ndarray, "lines"]:
        """The nearest line above in the same column that is no line of figures."""
        return _largest(self.above & ~self.figures, self.boxes[:, 3])

    @cached_property
    def column_top(self) -> Int[np.ndarray, "lines"]:
        """The line above in the same column from which the pitch of rows is kept: a table's own
        header, not what stands over the table."""
        top, above = np.arange(len(self.boxes)), self.above_neighbour
        near = self.above_distance < PITCH
        for _ in range(MOST_ROWS):
            up = above[top]
            step = (up != NONE) & near[top]
            if not step.any():
                break
            top = np.where(step, up, top)
        return np.where(top == np.arange(len(top)), NONE, top)

    # ---- words

    @cached_property
    def kinds(self) -> Float[np.ndarray, "words kinds"]:
        """What each word looks like: a date, a number, a name, ..."""
        return kinds_of(self.words, self.first)

    @cached_property
    def figures(self) -> Bool[np.ndarray, "lines"]:
        """Whether a line is one of figures."""
        if not len(self.words):
            return np.zeros(0, bool)
        numeric = self.kinds[:, NUMERIC].max(1)
        count = np.diff(np.append(self.first, len(self.words)))
        return np.add.reduceat(numeric, self.first) >= FIGURES * count

    @cached_property
    def values(self) -> Float[np.ndarray, "lines"]:
        """The number that a line is, or NaN."""
        texts = self.lines.texts[: len(self.boxes)]
        return np.array([value_of(text) for text in texts], np.float32)

    @cached_property
    def totals(self) -> Bool[np.ndarray, "lines"]:
        """Whether a line stands in a row of totals, which is compared with no other row."""
        of_total = [_TOTAL.match(text) is not None for text in self.lines.texts[: len(self.boxes)]]
        total = np.array(of_total, bool)
        return total | ((self.row_label != NONE) & total[self.row_label])

    def extremes(
        self, beside: Bool[np.ndarray, "lines lines"]
    ) -> tuple[Bool[np.ndarray, "lines"], Bool[np.ndarray, "lines"]]:
        """Whether a line is the largest number of those beside it, and whether the smallest."""
        number = ~np.isnan(self.values) & ~self.totals
        beside = beside & number & number[:, None]
        np.fill_diagonal(beside, False)
        values = np.where(number, self.values, 0)
        enough = number & (beside.sum(1) >= LEAST_COMPARED)
        largest = np.where(beside, values, -np.inf).max(1, initial=-np.inf)
        smallest = np.where(beside, values, np.inf).min(1, initial=np.inf)
        return enough & (values > largest), enough & (values < smallest)

    @cached_property
    def column_extremes(self) -> tuple[Bool[np.ndarray, "lines"], Bool[np.ndarray, "lines"]]:
        """The largest numbers of columns, and the smallest; numbers at the ends of bars are a
        column, too, whose names stand at the left."""
        label = np.where(
            self.figures & (self.left_neighbour == self.row_label), self.row_label, NONE
        )
        return self.extremes(self.column | _alike(label, self.column))

    @cached_property
    def row_extremes(self) -> tuple[Bool[np.ndarray, "lines"], Bool[np.ndarray, "lines"]]:
        """The largest numbers of rows, and the smallest; numbers over bars are a row, too, whose
        names stand below."""
        return self.extremes(self.row | _alike(np.where(self.figures, self.base, NONE), self.row))

    @cached_property
    def base(self) -> Int[np.ndarray, "lines"]:
        """The nearest line below in the same column that is no line of figures."""
        return _largest(self.above.T & ~self.figures, -self.boxes[:, 1])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The spellings of its words."""
        return Vocabulary.of(self.words)

    @cached_property
    def often(self) -> Float[np.ndarray, "words"]:
        """How often each word is on the page, as a logarithm."""
        main = np.array([own[0] if own else NONE for own in self.vocabulary.words], int)
        _, inverse, counts = np.unique(main, return_inverse=True, return_counts=True)
        return np.log(counts[inverse.reshape(-1)]).astype(np.float32)


def _alike(
    name: Int[np.ndarray, "lines"], beside: Bool[np.ndarray, "lines lines"]
) -> Bool[np.ndarray, "lines lines"]:
    """Whether two lines have names that stand beside each other."""
    named = name != NONE
    return beside[name[:, None], name] & named & named[:, None]


def _largest(
    some: Bool[np.ndarray, "lines lines"], key: Float[np.ndarray, "lines"]
) -> Int[np.ndarray, "lines"]:
    """For each line the one of some lines with the largest key, or NONE."""
    if not len(key):
        return np.zeros(0, int)
    best = np.where(some, key, -np.inf).argmax(1)
    return np.where(some.any(1), best, NONE)


def _where(
    neighbour: Int[np.ndarray, "lines"], distance: Float[np.ndarray, "lines"]
) -> Float[np.ndarray, "lines"]:
    return np.where(neighbour == NONE, np.float32(99), distance).astype(np.float32)
