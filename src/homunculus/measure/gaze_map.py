# pyright: basic
"""Maps to hold against gaze: of relevance, of kept tokens, of fixations; all densities of cells."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.measure.gaze_read import Point
from homunculus.measure.spend import Sheet
from homunculus.pack import footprint
from homunculus.types import Allocation, Field

Grid = tuple[int, int]
Map = Float[Tensor, "rows cols"]
CENTRE = 0.25
"""Standard deviation of the centre baseline, in sides of the image."""


def counted(points: Iterable[Point], sheet: Sheet) -> Map:
    """How often each cell of a page was looked into."""
    rows, cols = sheet.page.grid
    high, wide = (int(side) / sheet.page.patch for side in sheet.page.pixels.shape[1:])
    place = torch.tensor(list(points), dtype=torch.float64).view(-1, 2)
    cell = (place[:, 1] * high).long() * cols + (place[:, 0] * wide).long()
    return torch.bincount(cell, minlength=rows * cols).double().view(rows, cols)


def of_logit(logit: Map) -> Map:
    """Relevance is a log-probability: as a density."""
    return logit.double().flatten().softmax(0).view_as(logit)


def of_tokens(field: Field, plan: Allocation) -> Map:
    """Tokens per area: each kept cell spreads one over its own square.

    A square that the page's border cuts is as coarse as a whole one.
    """
    box, valid = footprint(field, plan)[0].double(), plan.valid[0]
    area = (box[:, 2:] - box[:, :2]).clamp(min=1e-6).prod(1)
    if field.regular and plan.index.shape[2] == 1:
        area = 4.0 ** field.level[0, plan.index[0, :, 0]].double()
    down, across = (
        _overlap(box[:, side], box[:, side + 2], field.grids[0][side]) for side in (0, 1)
    )
    return torch.einsum("kr,kc,k->rc", down, across, valid / area)


def _overlap(low: Tensor, high: Tensor, cells: int) -> Float[Tensor, "k side"]:
    """How much of each cell of a side lies between low and high."""
    cell = torch.arange(cells, dtype=torch.float64)
    return (high[:, None].minimum(cell + 1) - low[:, None].maximum(cell)).clamp(min=0)


def centre(grid: Grid) -> Map:
    """The baseline that never looks: people look at the middle."""
    down, across = ((torch.arange(side).double() + 0.5) / side - 0.5 for side in grid)
    return (-(down[:, None].square() + across.square()) / (2 * CENTRE**2)).exp()


def blurred(one: Float[Tensor, "*v rows cols"], sigma: float) -> Float[Tensor, "*v rows cols"]:
    """With the blur of an eye, in cells: nothing leaves the page, and what is flat stays flat."""
    down, across = (_kernel(int(side), sigma) for side in one.shape[-2:])
    return down @ one @ across


@lru_cache(maxsize=64)
def _kernel(side: int, sigma: float) -> Float[Tensor, "n n"]:
    """A Gaussian from every place to every other, mirrored at both ends."""
    place = torch.arange(side, dtype=torch.float64)
    gap = place[:, None] - place
    mirror = place[:, None] + place + 1
    turns = [2 * side * turn for turn in range(-2, 3)]
    bell = sum(
        (-(way + by).square() / (2 * sigma**2)).exp() for way in (gap, mirror) for by in turns
    )
    assert isinstance(bell, Tensor)
    return bell / bell.sum(1, keepdim=True)


def shown(one: Map, sigma: float, floor: float) -> Float[Tensor, "n"]:
    """A map as it is scored: a blurred density, a share of it laid evenly; 1 on average.

    Rounded, so that what is equal stays equal: ranks would make a pattern of the last bits.
    """
    flat = blurred(one, sigma).flatten()
    return ((1 - floor) * flat / flat.mean() + floor).round(decimals=9)


def pooled(paths: Sequence[Sequence[Point]], sheet: Sheet) -> Float[Tensor, "v rows cols"]:
    """Counts of each viewer."""
    return torch.stack([counted(path, sheet) for path in paths])
