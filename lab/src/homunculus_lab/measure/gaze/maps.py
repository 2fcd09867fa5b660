# pyright: basic
"""How well a map agrees with where people looked: six metrics of the saliency field.

The metrics are those of `pysaliency`, computed on the cells of a page: a ``value`` is a density, 0
or more in every cell, ``count`` is how often a viewer looked into it.
"""

import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.engines.cells.pack import footprint
from homunculus.engines.cells.types import Allocation, Field
from homunculus.lazy import need
from homunculus_lab.measure.gaze.people import Point
from homunculus_lab.measure.spend import Sheet

Grid = tuple[int, int]
Map = Float[Tensor, "rows cols"]
CENTRE = 0.25
"""Standard deviation of the centre baseline, in sides of the image."""


def count_fixations(points: Iterable[Point], sheet: Sheet) -> Map:
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


def blur(density: Float[Tensor, "*v rows cols"], sigma: float) -> Float[Tensor, "*v rows cols"]:
    """Blur maps, with sigma in cells; borders are mirrored, so a flat map stays flat."""
    down, across = (_kernel(int(side), sigma) for side in density.shape[-2:])
    return down @ density @ across


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


def normalise(density: Map, sigma: float, floor: float) -> Float[Tensor, "n"]:
    """A map as it is scored: a blurred density, a share of it laid evenly; 1 on average.

    Rounded, so that what is equal stays equal: ranks would make a pattern of the last bits.
    """
    flat = blur(density, sigma).flatten()
    return ((1 - floor) * flat / flat.mean() + floor).round(decimals=9)


def count_by_viewer(paths: Sequence[Sequence[Point]], sheet: Sheet) -> Float[Tensor, "v rows cols"]:
    """Counts of each viewer."""
    return torch.stack([count_fixations(path, sheet) for path in paths])


COLUMNS = ("nss", "auc", "sauc", "cc", "sim", "kl")
"""Higher is better, but for `kl`."""
PRINTED = "wauc"
"""One more where printed words are known: AUC against the page's own words. People look at print
anyhow; this asks whether a map tells the words that they look at from those that they do not."""
Value = Float[Tensor, "n"]
Count = Float[Tensor, "v n"]


def package() -> Any:
    """pysaliency, or an error that says how to install it."""
    with warnings.catch_warnings():  # it asks setuptools for files, which setuptools deplores
        warnings.simplefilter("ignore")
        return need("pysaliency", "gaze", "homunculus measure --task gaze", "lab")


def scores(
    value: Value,
    count: Count,
    density: Count,
    elsewhere: Value,
    words: Value | None = None,
    *,
    grid: Sequence[int],
) -> Float[Tensor, "v c"]:
    """COLUMNS of each viewer, from their fixations, the density of these, and other fixations.

    ``elsewhere`` counts fixations on other images; with ``words``, which counts printed words in
    each cell, PRINTED is added.
    """
    library = package()
    metric, page = library.metrics, value.view(*grid).numpy()
    lots = [torch.ones_like(value), elsewhere] + ([] if words is None else [words])
    against = [page.ravel()[_cells(lot)] for lot in lots]
    rows = []
    for fixations, one_density in zip(count, density.numpy(), strict=True):
        down, across = np.unravel_index(_cells(fixations), page.shape)
        here, one_density = page[down, across], one_density.reshape(page.shape)
        with np.errstate(divide="ignore"):  # it takes the log of 0, and back
            loss = metric.MIT_KLDiv(page, one_density)
        every, shuffled, *print_ = (
            library.roc.general_rocs_per_positive(here, lot).mean() for lot in against
        )
        values = [
            metric.NSS(page, across, down).mean(), every, shuffled,
            metric.CC(page, one_density), metric.SIM(page, one_density), loss, *print_,
        ]  # fmt: skip
        rows.append([float(score) for score in values])
    return torch.tensor(rows, dtype=value.dtype)


def _cells(count: Value) -> Any:
    """Every cell as often as it is counted."""
    return torch.arange(len(count)).repeat_interleave(count.long()).numpy()
