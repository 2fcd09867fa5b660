"""What every rule stands on: exact order and exact counts. Integers decide, not luck.

Ties go to the lower index, always. Integer keys and sums do not depend on the order of summing, on
batch padding or on the device, so an image in a batch gets what it gets alone.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus.checks import check_count
from homunculus.engines.cells.cache import cached, ramp
from homunculus.engines.cells.types import Allocation, Field, Relevance

NEVER = torch.iinfo(torch.int64).max
"""The key of what cannot be chosen."""

_LEAST = torch.finfo(torch.float32).min


def lags(field: Field, relevance: Relevance) -> Float[Tensor, "b n"]:
    """How far each cell lags behind the image's most relevant: 0 or more, float32.

    What is not finite lags furthest. What was added to all logits is gone; what differs by less
    than 2^-24 of its lag is a tie. Padding may hold anything.
    """
    logit = relevance.logit
    if logit.shape != field.level.shape:
        raise ValueError(
            f"allocate: relevance needs one logit per cell, expected {tuple(field.level.shape)}, "
            f"got {tuple(logit.shape)}. lift.spread carries level-0 maps onto a field."
        )
    logit = logit.float().nan_to_num(nan=_LEAST, posinf=_LEAST, neginf=_LEAST)
    if not field.full:
        logit = logit.masked_fill(~field.valid, -torch.inf)
    return logit.amax(1, keepdim=True) - logit


def keys(lag: Float[Tensor, "b n"], valid: Bool[Tensor, "b n"] | None = None) -> Int[Tensor, "b n"]:
    """Unique integers, smaller is better; equal lags go by lower index.

    The bits of a float that is not negative sort as the float does.
    """
    key = torch.add(ramp(lag.shape[1], lag.device), lag.view(torch.int32), alpha=2**32)
    return key if valid is None else key.masked_fill_(~valid, NEVER)


def best(key: Int[Tensor, "b n"], slots: int) -> Int[Tensor, "b k"]:
    """Where the smallest keys stand, best first."""
    return key.topk(min(slots, key.shape[1]), dim=1, largest=False).indices


def finish(
    field: Field,
    index: Int[Tensor, "b k m"],
    slots: int,
    weight: Float[Tensor, "b k m"] | None = None,
) -> Allocation:
    """Exactly min(slots, cells) valid rows; an image that fits keeps every level-0 cell."""
    rows = min(slots, field.max_cells)
    if weight is None:
        weight = _rows(index.shape[0], rows, index.device)[0]
    if min(high * wide for high, wide in field.grids) > slots:
        valid = _rows(index.shape[0], rows, index.device)[1].clone()  # a rule may write on it
        return Allocation(index, weight, valid)
    valid = ramp(rows, index.device) < field.cells()
    index, weight = _whole(field, index, weight, slots)
    return Allocation(index * valid[..., None], weight * valid[..., None], valid)


@cached
def _rows(
    images: int, rows: int, device: torch.device
) -> tuple[Float[Tensor, "b k 1"], Bool[Tensor, "b k"]]:
    """Weights and validity where every slot is one cell."""
    weight = torch.ones(1, device=device, dtype=torch.float32).expand(images, rows, 1)
    return weight, weight[..., 0] > 0


def _whole(
    field: Field, index: Int[Tensor, "b k m"], weight: Float[Tensor, "b k m"], slots: int
) -> tuple[Int[Tensor, "b k m"], Float[Tensor, "b k m"]]:
    """Replace the plan of images that fit by their level-0 cells, each alone."""
    cells = field.cells()[..., None]
    first = field.valid.sum(1)[:, None, None] - cells * field.copies
    cell = first + ramp(index.shape[1], index.device)[:, None] * field.copies
    alone = (ramp(index.shape[2], index.device) == 0).to(weight)
    fits = cells <= slots
    return torch.where(fits, cell, index), torch.where(fits, alone, weight)


def check_slots(slots: int) -> int:
    """A budget below one slot is a mistake, not an empty image."""
    return check_count(slots, "allocate: slots")
