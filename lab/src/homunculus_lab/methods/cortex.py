"""Cortical magnification: how much of the visual cortex a patch of the image takes.

M(e) = 17.3 / (e + 0.75) mm per degree at eccentricity e (Horton & Hoyt 1991).
"""

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.cache import cached

FOVEA = 0.75


def eccentricity(
    middle: Float[Tensor, "b n 2"], half: Float[Tensor, "b n 2"], gaze: Float[Tensor, "b f 2"]
) -> Float[Tensor, "b n"]:
    """Cells from the nearest fixation to a box's nearest point: a part is no nearer than its whole.

    Squares by multiplication and one root: operations that round the same way everywhere.
    """
    if gaze.shape[1] == 1:
        away = (middle - gaze.to(middle)).abs_().sub_(half).clamp_(min=0)
        return away.mul_(away).sum(-1).sqrt_()
    away = (middle[:, None] - gaze.to(middle)[:, :, None]).abs_().sub_(half[:, None]).clamp_(min=0)
    return away.mul_(away).sum(-1).amin(1).sqrt_()


@cached
def cells_per_degree(
    grids: tuple[Grid, ...], field_of_view: float, device: torch.device
) -> Float[Tensor, "b 1"]:
    """Level-0 cells in one degree of the visual field."""
    rate = [[max(size) / field_of_view] for size in grids]
    return torch.tensor(rate, device=device, dtype=torch.float32)
