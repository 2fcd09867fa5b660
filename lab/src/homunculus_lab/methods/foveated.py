"""The cut, magnified at the fixation as in the visual cortex."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.engines.cells.allocate.order import check_slots, lags
from homunculus.engines.cells.allocate.refine import check_hedge, cut
from homunculus.engines.cells.types import Allocation, Field, Relevance, Rule
from homunculus_lab.methods.cortex import FOVEA, cells_per_degree, eccentricity


@dataclass(frozen=True, eq=False)
class Foveated(Rule):
    """`cut`, with cells weighted by their share of the visual cortex: extent x M(e).

    Eccentricity is measured to the cell's nearest point from the fixation: the peak of smoothed
    relevance, or ``fixation`` (y x in level-0 cells, one row of points per image).
    """

    hedge: float = 2.0
    field_of_view: float = 40.0
    fixation: Float[Tensor, "b f 2"] | None = None

    def __post_init__(self) -> None:
        check_hedge(self.hedge)

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        lag = lags(field, relevance)
        point = self.fixation if self.fixation is not None else peak(field, lag)[:, None]
        # log of extent x M(e), but for what is the same all over the image
        away = eccentricity(field.middle, field.half, point)
        away += FOVEA * cells_per_degree(field.grids, self.field_of_view, away.device)
        return cut(field, lag, self.hedge * (field.log_extent - away.log_()), check_slots(slots))

    def gaze(self, field: Field, relevance: Relevance) -> Float[Tensor, "b f 2"]:
        """Where it looks."""
        return gaze(field, relevance, self.fixation)


def gaze(
    field: Field, relevance: Relevance, fixation: Float[Tensor, "b f 2"] | None
) -> Float[Tensor, "b f 2"]:
    """The given fixation, or the peak of smoothed relevance."""
    return peak(field, lags(field, relevance))[:, None] if fixation is None else fixation


def peak(field: Field, lag: Float[Tensor, "b n"]) -> Float[Tensor, "b 2"]:
    """Centre of the most relevant level-0 cell, counting the two cells around it as well."""
    first, end = field.spans[0]
    smooth = lag[:, first:end]
    if field.levels > 1:
        # on a full field all parents stand in the inner columns
        parents = field.inner if field.full else end
        above = lag[:, :parents] + lag.gather(1, field.parent[:, :parents])
        smooth = smooth + above.gather(1, field.parent[:, first:end])
    if not field.full:
        leaf = (field.level[:, first:end] == 0) & field.valid[:, first:end]
        smooth = smooth.masked_fill(~leaf, torch.inf)
    peak = smooth.argmin(1) + first
    box = field.box.gather(1, peak[:, None, None].expand(-1, 1, 4))[:, 0]
    return (box[:, :2] + box[:, 2:]) / 2
