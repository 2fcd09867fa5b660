"""Cuts of a tree: start with the roots, split where it gains most, stop when the budget is spent.

Best-first refinement needs no queue. Once relevance is passed up the tree as a maximum, no child
gains more than its parent, so the splits are a prefix of one sorted order, and the longest
affordable prefix is the cut. A handful of slots may be left; they show the best children of the
next cell as overlays, and that cell stays.
"""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.allocate.order import best, check_slots, finish, keys, lags
from homunculus.engines.cells.cache import constant, ramp
from homunculus.engines.cells.types import Allocation, Field, Relevance, Rule


@dataclass(frozen=True)
class BestFirst(Rule):
    """Split the cell with the largest expected unresolved area: P(relevant) x extent ^ hedge.

    ``hedge`` 2 weighs by area, 0 dives straight under the highest peak.
    """

    hedge: float = 2.0

    def __post_init__(self) -> None:
        check_hedge(self.hedge)

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        lag, bonus = lags(field, relevance), self.hedge * field.log_extent
        return cut(field, lag, bonus, check_slots(slots))


def check_hedge(hedge: Any) -> None:
    """Refuse an exponent that is none."""
    if not (isinstance(hedge, int | float) and hedge >= 0):
        raise ValueError(f"cut: hedge must be 0 (dive) or more (2 weighs by area), got {hedge!r}")


def cut(
    field: Field, lag: Float[Tensor, "b n"], bonus: Float[Tensor, "b inner"], slots: int
) -> Allocation:
    """The cut that splits by relevance below plus bonus; bonus must not grow down the tree."""
    rows, inner = min(slots, field.max_cells), field.inner
    if inner == 0:
        return finish(field, best(keys(lag, field.valid), rows)[..., None], slots)
    top = highest(field, lag)
    parts = field.children[:, :inner]
    late = top[:, :inner] + (bonus.amax(1, keepdim=True) - bonus)
    order = best(keys(late, None if field.full else parts > 0), _splits(field, slots))
    cost = parts.gather(1, order) - 1
    if not field.full:
        cost = cost.masked_fill_(cost < 0, slots + 1)  # not splittable: beyond any budget
    chosen = cost.cumsum(1) <= field.cells(slots) - field.roots
    split = torch.zeros_like(field.root).scatter_(1, order, chosen)
    kept = (split.gather(1, field.parent) | field.root) > split
    kept = kept if field.full else kept & field.valid

    number = kept.cumsum(1)
    seat = ramp(rows + 1, lag.device)[1:].expand(lag.shape[0], -1)
    index = torch.searchsorted(number, seat.contiguous())
    after = order.gather(1, chosen.sum(1, keepdim=True).clamp_(max=order.shape[1] - 1))
    overlay = _overlays(field, top, after, slots)
    behind = seat - 1 - number[:, -1:]
    shown = overlay.gather(1, behind.clamp(0, overlay.shape[1] - 1))
    return finish(field, torch.where(behind < 0, index, shown)[..., None], slots)


def _splits(field: Field, slots: int) -> int:
    """A bound on the splits that slots can buy, and one more to see what comes next.

    A split costs three slots, at a ragged border one, at a ragged corner none.
    """
    if not field.regular:
        return slots + field.levels
    return (slots - 1) // 3 + 2 + max(_cheap(grid, field.levels) for grid in set(field.grids))


@constant
def _cheap(grid: Grid, levels: int) -> int:
    """Cells that border clipping leaves with one or two children."""
    cheap, (rows, cols) = 0, grid
    for _ in range(levels - 1):
        above = -(-rows // 2), -(-cols // 2)
        cheap += rows % 2 * above[1] + cols % 2 * above[0]
        rows, cols = above
    return cheap


def highest(field: Field, lag: Float[Tensor, "b n"]) -> Float[Tensor, "b n"]:
    """Each cell's least lag over itself and all below: no hot leaf hides under a dull parent."""
    top = lag.clone()
    if not field.regular:
        for first, end in field.spans[:-1]:
            top = top.scatter_reduce(1, field.parent[:, first:end], top[:, first:end], "amin")
        return top
    for first, end in field.spans[1:]:
        below = top.gather(1, field.child[:, first:end].flatten(1)).unflatten(1, (-1, 4)).amin(2)
        top[:, first:end] = torch.minimum(top[:, first:end], below)
    return top


def _overlays(
    field: Field, lag: Float[Tensor, "b n"], above: Int[Tensor, "b 1"], slots: int
) -> Int[Tensor, "b k"]:
    """The best children of one cell, best first: two are enough where cells have four children."""
    if not field.regular:
        child = (field.parent == above).scatter_(1, above, False)  # a root is its own parent
        return best(keys(lag, child & field.valid), min(slots, lag.shape[1]))
    child = field.child.gather(1, above[..., None].expand(-1, -1, 4))[:, 0]
    order = best(keys(lag.gather(1, child), child != above), 2)
    return child.gather(1, order)
