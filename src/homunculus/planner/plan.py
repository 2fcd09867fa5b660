"""What the search returns: a plan of the whole picture and windows, and what its lines cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from typing import NamedTuple

from homunculus.box import Box
from homunculus.checks import Grid
from homunculus.planner.counting import Size, TokenRule


@dataclass(frozen=True)
class Window:
    """A part of the picture, and the tokens it is shown with."""

    box: Box
    tokens: Grid
    """Rows and columns."""

    @property
    def count(self) -> int:
        """Tokens it costs."""
        return self.tokens[0] * self.tokens[1]

    def scale(self, side: int) -> float:
        """Pixels shown to a pixel of the picture, along its height; a token has ``side``."""
        return self.tokens[0] * side / self.box.height

    def size(self, side: int) -> Size:
        """Height and width in pixels; nothing is enlarged to fill a token."""
        rows, cols = self.tokens
        return min(rows * side, self.box.height), min(cols * side, self.box.width)

    def overlap(self, other: "Window") -> float:
        """The share of the smaller of two windows that the other shows as well.

        >>> line, word = Window(Box(0, 0, 100, 10), (1, 10)), Window(Box(80, 0, 120, 10), (1, 4))
        >>> line.overlap(word)
        0.5
        """
        width = min(self.box.x1, other.box.x1) - max(self.box.x0, other.box.x0)
        height = min(self.box.y1, other.box.y1) - max(self.box.y0, other.box.y0)
        return max(0, width) * max(0, height) / min(self.box.area, other.box.area)


@dataclass(frozen=True)
class Plan:
    """The whole picture at some size, windows, and what they are worth together."""

    whole: Size | None
    """Height and width in pixels; None if it is left out."""
    windows: tuple[Window, ...]
    value: float
    """Expected legibility: the probability that the answer is there and can be read."""

    def count(self, rule: TokenRule) -> int:
        """Tokens that it costs."""
        whole = rule.count(self.whole) if self.whole else 0
        return whole + sum(window.count for window in self.windows)

    def without(self, index: int) -> tuple[Window, ...]:
        """All windows but one."""
        return self.windows[:index] + self.windows[index + 1 :]

    def same_place(self, max_overlap: float) -> tuple[int, int] | None:
        """The first two windows of which one shows more than that share of the other."""
        for first, second in combinations(range(len(self.windows)), 2):
            if self.windows[first].overlap(self.windows[second]) > max_overlap:
                return first, second
        return None


class Fees(NamedTuple):
    """What pictures cost besides their own tokens, in tokens: the lines of text before them."""

    alone: int = 0
    """Of a single picture."""
    whole: int = 0
    """Of the whole picture beside windows."""
    window: int = 0

    def total(self, whole: bool, windows: int) -> int:
        """Of the whole picture, if there is one, and some windows.

        >>> Fees(0, 3, 4).total(True, 0), Fees(0, 3, 4).total(True, 2)
        (0, 11)
        """
        if whole + windows <= 1:
            return self.alone
        return whole * self.whole + windows * self.window

    def of(self, plan: Plan) -> int:
        """Of all pictures of a plan."""
        return self.total(plan.whole is not None, len(plan.windows))

    def each(self, times: float) -> "Fees":
        """In tokens that are billed several times, rounded up."""
        return Fees(*(ceil(fee / times) for fee in self))


NO_FEES = Fees()
"""Pictures without lines."""


def span_around(middle: float, length: float, pixels: int) -> tuple[int, int]:
    """A span of pixels around a middle, moved onto the picture."""
    long = min(pixels, max(1, round(length)))
    low = min(max(0, round(middle - long / 2)), pixels - long)
    return low, low + long


def split_tokens(tokens: int, shares: Sequence[int]) -> tuple[int, ...]:
    """Whole tokens in these shares, at least one each.

    >>> split_tokens(14, (1, 1)), split_tokens(14, (2, 1)), split_tokens(3, (1, 1, 1))
    ((7, 7), (9, 5), (1, 1, 1))
    """
    parts = list[int]()
    for index, share in enumerate(shares):
        parts.append(max(1, (tokens - sum(parts)) * share // sum(shares[index:])))
    return tuple(parts)
