"""Passages: what is printed in windows, sent as text where that is cheaper, or where there is room.

Only words that are known as text (`Lines`) are sent. A picture makes room for its passage if that
costs less and the window shows nothing but these words; the others ride beside their pictures.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from homunculus.box import Box
from homunculus.pages import Picture
from homunculus.pages.lines import Lines
from homunculus.pages.trust import CONTRAST
from homunculus.planner.bill import Bill
from homunculus.planner.counting import CountingRule
from homunculus.planner.labels import passage_tokens
from homunculus.shapes import Bool, UInt8

INSIDE = 0.5
"""The share of a word's box from which it is a window's own."""
SAME_ROW = 0.5
"""Heights of a line, by which the middles of lines in one row may differ."""
OTHER_INK = 0.1
"""The share of a window's ink that may stand outside its words if they are all that it shows."""
AROUND = 0.2
"""Heights of a word by which its ink may stick out of its box."""
UNFIT = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\ud800-\\udfff]")
"""Letters that no API takes."""


@dataclass(frozen=True, eq=False)
class Told:
    """The plan of one page, with a passage for each window, which may be empty."""

    bill: Bill
    rule: CountingRule
    lines: Lines
    draw: Callable[[], Picture]
    """The page with its pixels, which are looked at only where a passage is cheaper."""
    passages: tuple[str, ...] = ()

    @property
    def cost(self) -> int:
        """Of pictures, lines and passages."""
        return self.bill.total + sum(passage_tokens(text) for text in self.passages if text)

    def alone(self) -> "Told":
        """With passages in place of pictures that cost more and show nothing else."""
        told = replace(self, passages=("",) * len(self.bill.plan.windows))
        for number, text in enumerate(self._own):
            if not text or passage_tokens(text) >= self.bill.prices[self._place(number)]:
                continue
            bill = told._without(number)
            if bill is not None and self._shows_words_alone(number):
                told = replace(told, bill=bill, passages=_put(told.passages, number, text))
        return told

    def beside(self, tokens: int) -> "Told":
        """With passages beside pictures, as far as so many tokens go; the first windows first."""
        told = self
        for number, text in enumerate(self._own):
            if text and not told.passages[number] and passage_tokens(text) <= tokens:
                tokens -= passage_tokens(text)
                told = replace(told, passages=_put(told.passages, number, text))
        return told

    @property
    def _own(self) -> list[str]:
        return [passage(self.lines, window.box) for window in self.bill.plan.windows]

    def _place(self, window: int) -> int:
        """Where a window's price stands among those of the pictures."""
        return window + (self.bill.plan.whole is not None)

    def _without(self, window: int) -> Bill | None:
        """A bill without a window's picture; None if that changes what the others cost."""
        prices = list(self.bill.prices)
        prices[self._place(window)] = 0
        plan, side = self.bill.plan, self.rule.lattice.side
        sizes = [plan.whole] if plan.whole else []
        sizes += [each.size(side) for each in plan.windows]
        kept = [(size, price) for size, price in zip(sizes, prices, strict=True) if price]
        alike = self.rule.prices([size for size, _ in kept]) == tuple(price for _, price in kept)
        return replace(self.bill, prices=tuple(prices)) if self.bill.setting or alike else None

    def _shows_words_alone(self, window: int) -> bool:
        box = self.bill.plan.windows[window].box
        boxes = self.lines.boxes[within(self.lines, box)]
        marks = _ink(self.draw().pixels, box)
        count = np.count_nonzero(marks)
        for x0, y0, x1, y1 in boxes.tolist():
            air = AROUND * (y1 - y0)
            left, top = max(0, int(x0 - air - box.x0)), max(0, int(y0 - air - box.y0))
            marks[top : int(y1 + air - box.y0) + 1, left : int(x1 + air - box.x0) + 1] = False
        return bool(np.count_nonzero(marks) <= OTHER_INK * count)


def tell(pages: Sequence[Told], tokens: int) -> list[Told]:
    """Pages, the likeliest first, with passages; all of it costs at most so many tokens."""
    told = [page.alone() for page in pages]
    rest = tokens - sum(page.cost for page in told)
    for number, page in enumerate(told):
        told[number] = page.beside(rest)
        rest -= told[number].cost - page.cost
    return told


def passage(lines: Lines, box: Box) -> str:
    """The words that stand within a box: rows from the top down, with a tab between lines that
    stand side by side, such as cells of a table.

    >>> words = [("Total due", (10, 10, 90, 20)), ("4.1", (180, 10, 200, 20))]
    >>> passage(Lines.of(words, "given"), Box(0, 0, 300, 25))
    'Total due\\t4.1'
    """
    text, before, middle = "", -1, 0.0
    for place in np.flatnonzero(within(lines, box)).tolist():
        if not (word := UNFIT.sub("", lines.words[place])):
            continue
        line = int(lines.line[place])
        _, top, _, low = lines.level_lines[line].tolist()
        same_row = abs((top + low) / 2 - middle) <= SAME_ROW * (low - top)
        gap = " " if line == before else "\t" if same_row else "\n"
        text += gap * bool(text) + word
        before, middle = line, (top + low) / 2
    return text


def within(lines: Lines, box: Sequence[float | int]) -> Bool[np.ndarray, "words"]:
    """Which words a box (x0 y0 x1 y1) shows."""
    first, last = lines.boxes[:, :2], lines.boxes[:, 2:]
    shown = np.minimum(last, box[2:]) - np.maximum(first, box[:2])
    return shown.clip(0).prod(1) >= INSIDE * (last - first).prod(1)


def _ink(pixels: UInt8[np.ndarray, "3 h w"], box: Box) -> Bool[np.ndarray, "high wide"]:
    """Which pixels of a box differ from its ground, its most common brightness in each colour."""
    part = pixels[:, int(box.y0) : int(box.y1), int(box.x0) : int(box.x1)].astype(np.int16)
    ground = [int(np.bincount(plane.ravel(), minlength=1).argmax()) for plane in part]
    return np.any(abs(part - np.array(ground)[:, None, None]) >= CONTRAST, axis=0)


def _put(passages: tuple[str, ...], number: int, text: str) -> tuple[str, ...]:
    return (*passages[:number], text, *passages[number + 1 :])
