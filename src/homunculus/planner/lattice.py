"""The coarse lattice that is searched, and sums of boxes of cells from running sums.

All pictures have the same lattice, so that tables of windows are shared between them.
"""

from functools import lru_cache

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.planner.belief import Belief
from homunculus.planner.counting import Size

COARSE_CELLS = 32
"""Cells along each side of the lattice; the longer side of a picture fills it."""
CORNER_SIGNS = torch.tensor([1.0, -1.0, -1.0, 1.0])
"""Of the four corners of a box in an integral image."""


def coarse_cell(size: Size) -> float:
    """Pixels along a cell of the coarse lattice."""
    return max(1.0, max(size) / COARSE_CELLS)


def pooled(belief: Belief, size: Size) -> Belief:
    """Place and height on the coarse lattice; the probability stays the same in sum."""
    place = belief.place + 1e-12  # heights count where nothing says that an answer is, too
    both = coarse_sums(torch.stack((place, place * belief.octaves)), size)
    return Belief(both[0], both[1] / both[0].clamp(min=1e-20), belief.blur)


def coarse_sums(
    value: Float[Tensor, "*n rows cols"], size: Size
) -> Float[Tensor, "*n rows2 cols2"]:
    """Shares of each cell of a picture's own lattice, added up on the coarse one."""
    (rows, cols), cell = value.shape[-2:], coarse_cell(size)
    down, across = (
        cell_shares(cells, cell * cells / pixels)
        for cells, pixels in zip((rows, cols), size, strict=True)
    )
    return down @ value @ across.T


@lru_cache(maxsize=64)
def cell_shares(cells: int, length: float) -> Float[Tensor, "coarse cells"]:
    """Which share of each cell along a side lies in each coarse cell, which is ``length`` long."""
    edge = torch.arange(COARSE_CELLS + 1, dtype=torch.float64) * length
    cell = torch.arange(cells, dtype=torch.float64)
    low = torch.maximum(edge[:-1, None], cell)
    high = torch.minimum(edge[1:, None], cell + 1)
    return (high - low).clamp(min=0).float()


def integral(value: Float[Tensor, "*n rows cols"]) -> Float[Tensor, "*n rows1 cols1"]:
    """Sums of all that lies above and left of each corner of the cells."""
    return F.pad(value.cumsum(-2).cumsum_(-1), (1, 0, 1, 0))


def box_sums(
    value: Float[Tensor, "*n steps rows cols"], corner: Int[Tensor, "4 boxes"]
) -> Float[Tensor, "*n boxes"]:
    """What boxes hold of maps, by their corners in the integral images of all steps."""
    sums = integral(value).flatten(-3)
    return CORNER_SIGNS @ sums.index_select(-1, corner.flatten()).unflatten(-1, (4, -1))


def inner_sums(
    sums: Float[Tensor, "rows1 cols1"], size: Grid, edge: int
) -> Float[Tensor, "rows cols"]:
    """What windows of one size hold by place, without their edges where they are larger."""
    return span_sums(span_sums(sums, size[0], edge).T, size[1], edge).T


def span_sums(
    sums: Float[Tensor, "long any"], length: int, edge: int
) -> Float[Tensor, "places any"]:
    """What spans of one length hold along the first axis of running sums, without their ends."""
    cut = edge if length > 2 * edge else 0
    return sums[length - cut : len(sums) - cut] - sums[cut : len(sums) - length + cut]
