"""Cortical magnification: how much of the visual cortex a patch of the image takes.

M(e) = 17.3 / (e + 0.75) mm per degree at eccentricity e (Horton & Hoyt 1991).
"""

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.kept import kept
from homunculus.types import Grid

CORTEX, FOVEA = 17.3, 0.75


def cortical(
    box: Float[Tensor, "b n 4"],
    extent: Float[Tensor, "b n"],
    grids: tuple[Grid, ...],
    gaze: Float[Tensor, "b f 2"],
    field_of_view: float,
) -> Float[Tensor, "b n"]:
    """Millimetres of cortex a cell takes: its extent in degrees times the magnification there.

    Eccentricity runs from the nearest fixation to the cell's nearest point, so a cell never takes
    less than a cell inside it. The image's longer side spans ``field_of_view`` degrees.
    """
    degrees = _degrees(grids, field_of_view, box.device)
    low, left, high, right = box[:, None].unbind(-1)  # b 1 n
    y, x = gaze.to(box)[..., None].unbind(2)  # b f 1
    down = torch.maximum(low - y, y - high).clamp_(min=0)
    across = torch.maximum(left - x, x - right).clamp_(min=0)
    # squares by multiplication, one root: operations that round the same way everywhere
    away = (down * down).add_(across * across).amin(1).sqrt_()
    return extent * (degrees * CORTEX) / (away * degrees).add_(FOVEA)


@kept(256)
def _degrees(
    grids: tuple[Grid, ...], field_of_view: float, device: torch.device
) -> Float[Tensor, "b 1"]:
    """Degrees a level-0 cell spans."""
    return torch.tensor([[field_of_view / max(size)] for size in grids], device=device)
