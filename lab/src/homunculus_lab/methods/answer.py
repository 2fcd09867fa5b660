"""Where the answer is, from its boxes: what the control `oracle` looks at."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.checks import Grid
from homunculus.scouts.sight import Pixels, Sight, cell_side


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


def answer(
    grid: tuple[int, int], boxes: Sequence[Sequence[float | int]], patch: int
) -> Float[Tensor, "rows cols"]:
    """A logit that is 0 in every cell an answer box touches and falls by 1 a cell around it.

    Boxes are ``x0 y0 x1 y1`` in pixels. An empty box still touches the cell it stands in.

    >>> answer((2, 4), [(20, 2, 30, 9)], patch=16)
    tensor([[-1.0000,  0.0000, -1.0000, -2.0000],
            [-1.4142, -1.0000, -1.4142, -2.2361]])
    """
    if not boxes:
        raise ValueError("answer: expected at least one box x0 y0 x1 y1 in pixels, got none")
    rows, cols = torch.arange(grid[0]), torch.arange(grid[1])
    logit = torch.full(grid, -FARTHEST)
    for box in boxes:
        left, top, right, bottom = _checked(box, grid, patch)
        down = _beyond(rows, top / patch, bottom / patch)
        side = _beyond(cols, left / patch, right / patch)
        logit = logit.maximum(0.0 - (down[:, None].square() + side.square()).sqrt())
    return logit


def _checked(
    box: Sequence[float | int], grid: tuple[int, int], patch: int
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


def _beyond(cell: Tensor, low: float, high: float) -> Float[Tensor, "n"]:
    """Cells between each cell and the stretch of cells that low..high touches; 0 inside."""
    first = floor(low)
    last = max(first, ceil(high) - 1)
    return ((first - cell).clamp(min=0) + (cell - last).clamp(min=0)).float()
