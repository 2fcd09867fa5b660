"""Where the answer is, from its boxes: what the control `oracle` looks at."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite

import numpy as np

from homunculus.checks import Grid
from homunculus.scouts.sight import Map, Pixels, Sight, cell_side
from homunculus.shapes import Float, Int


@dataclass(frozen=True)
class AnswerScout:
    """Told the answer's boxes, x0 y0 x1 y1 in pixels of the image."""

    boxes: Sequence[Sequence[float | int]]

    def __call__(self, image: Pixels, question: str, grid: Grid) -> Sight:
        return Sight(
            answer(grid, self.boxes, cell_side(image.shape[1:], grid)),
            sure=1.0,
            origin="the answer's box",
            explanation="The choice follows the answer's box, not the question.",
            question_used=False,
        )


FARTHEST = 30.0
"""Cells beyond which far away is far away."""


def answer(grid: Grid, boxes: Sequence[Sequence[float | int]], patch: int) -> Map:
    """A logit that is 0 in every cell an answer box touches and falls by 1 a cell around it.

    Boxes are ``x0 y0 x1 y1`` in pixels. An empty box still touches the cell it stands in.

    >>> answer((2, 4), [(20, 2, 30, 9)], patch=16).round(2).tolist()[0]
    [-1.0, 0.0, -1.0, -2.0]
    """
    if not boxes:
        raise ValueError("answer: expected at least one box x0 y0 x1 y1 in pixels, got none")
    rows, cols = np.arange(grid[0]), np.arange(grid[1])
    logit = np.full(grid, -FARTHEST, np.float32)
    for box in boxes:
        left, top, right, bottom = _checked(box, grid, patch)
        down = _beyond(rows, top / patch, bottom / patch)
        side = _beyond(cols, left / patch, right / patch)
        logit = np.maximum(logit, 0.0 - np.sqrt(np.square(down[:, None]) + np.square(side)))
    return logit


def _checked(
    box: Sequence[float | int], grid: Grid, patch: int
) -> tuple[float, float, float, float]:
    """Four finite numbers in order, of which at least one pixel lies in the picture."""
    if len(box) != 4 or not all(isfinite(side) for side in box):
        raise ValueError(f"answer: a box is x0 y0 x1 y1 in pixels, got {tuple(box)}")
    left, top, right, bottom = (float(side) for side in box)
    if left > right or top > bottom:
        raise ValueError(
            f"answer: a box runs from x0 y0 to x1 y1, got {tuple(box)}. Sort its sides."
        )
    if right < 0 or bottom < 0 or left >= grid[1] * patch or top >= grid[0] * patch:
        raise ValueError(
            f"answer: box {tuple(box)} lies outside the picture of "
            f"{grid[1] * patch} x {grid[0] * patch} pixels"
        )
    return left, top, right, bottom


def _beyond(cell: Int[np.ndarray, "n"], low: float, high: float) -> Float[np.ndarray, "n"]:
    """Cells between each cell and the stretch of cells that low..high touches; 0 inside."""
    first = floor(low)
    last = max(first, ceil(high) - 1)
    return ((first - cell).clip(0) + (cell - last).clip(0)).astype(np.float32)
