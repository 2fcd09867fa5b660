"""Rules whose tokens are ordinary images: the whole image shrunk, or views of the planner."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.allocate.order import check_slots
from homunculus.engines.cells.allocate.select import flat
from homunculus.engines.cells.cache import constant, ramp, sizes
from homunculus.engines.cells.types import Allocation, Field, Relevance, Rule


def blocks(
    field: Field, low: Int[Tensor, "b k 2"], high: Int[Tensor, "b k 2"], largest: Sequence[Grid]
) -> tuple[Int[Tensor, "b k m"], Float[Tensor, "b k m"]]:
    """The cells of each rectangle in equal parts; ``largest`` bounds the rectangles per image."""
    tall, broad = (max(length) for length in zip(*largest, strict=True))
    side = high - low
    place = ramp(tall * broad, low.device)
    down, right = place // broad, place % broad
    inside = (down < side[..., :1]) & (right < side[..., 1:])
    wide = field.size[:, 1, None, None]
    # what pads a block repeats its first cell: a weight of zero does not cure another cell's NaN
    index = (low[..., :1] + down * inside) * wide + low[..., 1:] + right * inside
    return index, inside / side.prod(-1, keepdim=True)


@dataclass(frozen=True)
class Resize(Rule):
    """The whole image shrunk to a grid of its own shape. A control: it never looks.

    A token is one cell of the smaller image: the mean of the cells of a tile. The smaller grid
    need not have exactly K cells; `count` says how many it has.
    """

    def count(self, grid: Grid, slots: int) -> int:
        """Cells of the smaller image."""
        rows, cols = resize_plan(grid, slots)
        return rows * cols

    def views(self, grid: Grid, slots: int) -> tuple[Grid, ...]:
        """One: the whole image, smaller."""
        return (resize_plan(grid, slots),)

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        flat(field, "resize")
        check_slots(slots)
        plan = tuple(resize_plan(grid, slots) for grid in field.grids)
        small = sizes(plan, field.level.device)[:, None]
        count = small.prod(-1, keepdim=True)
        slot = ramp(max(rows * cols for rows, cols in plan), small.device)[:, None]
        valid = slot < count
        place = slot.minimum(count - 1)
        cell = torch.cat((place // small[..., 1:], place % small[..., 1:]), -1)
        size = field.size[:, None]
        largest = [
            (-(-grid[0] // shrunk[0]), -(-grid[1] // shrunk[1]))
            for grid, shrunk in zip(field.grids, plan, strict=True)
        ]
        index, weight = blocks(field, cell * size // small, (cell + 1) * size // small, largest)
        return Allocation(index * valid, weight * valid, valid[..., 0])


@constant
def resize_plan(grid: Grid, slots: int) -> Grid:
    """Rows and columns of the largest image of this shape with at most ``slots`` cells.

    Of this shape: at some scale, each side is within half a cell of the exact one (or a single
    cell, where the exact one is less). Equally large ones: the least bent, then the widest.

    >>> resize_plan((64, 64), 273), resize_plan((30, 20), 100), resize_plan((3, 5), 99)
    ((16, 17), (12, 8), (3, 5))
    """
    rows, cols = grid
    shapes: list[tuple[int, int, int, int]] = []
    for a in range(1, min(rows, slots) + 1):
        # scales of a side, in halves of a cell over its length: 2a - 1 to 2a + 1, a single cell's
        # from 0; the widest b whose scales begin before those of a end
        widest = ((2 * a + 1) * cols // rows + 1) // 2
        b = min(max(1, widest), cols, slots // a)
        if a == 1 or (2 * b + 1) * rows >= (2 * a - 1) * cols:
            shapes.append((-a * b, abs(a * cols - b * rows), a, b))
    return min(shapes)[2:]


@dataclass(frozen=True)
class ViewsRule(Rule):
    """Views of the picture, any parts at any scale: the planner finds them, an engine shows them.

    They are no cells, and how large print is stands in no logit: called, this rule refuses.
    """

    planned = True

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        raise ValueError(
            "views: the planner finds these tokens in the picture, not among its cells. Use "
            'attach(..., method="views"), `homunculus serve --method views`, or another method '
            "here."
        )
