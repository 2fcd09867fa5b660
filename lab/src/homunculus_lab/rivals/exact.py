"""What the rivals stand on: cosines that do not depend on batch or threads, and ties by index.

Products are taken in double precision and rounded to 2^-30, so that what is equal on paper is equal
here, in a batch as alone; of equals the lower index is first.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus.engines.cells.allocate.order import check_slots, finish
from homunculus.engines.cells.cache import ramp
from homunculus.engines.cells.types import MAX_CELLS, Allocation, Field

BITS = 30
ROWS = 32
"""Rows of a matrix of cells by cells that are held at a time."""


def units(
    value: Float[Tensor, "b n d"], valid: Bool[Tensor, "b n"] | None = None
) -> Float[Tensor, "b n d"]:
    """Vectors of length one in double precision; padding and what is not finite are zero."""
    value = value.double().nan_to_num(nan=0.0, posinf=0.0, neginf=0.0)
    if valid is not None:
        value = value.masked_fill(~valid[..., None], 0)
    return value / value.norm(dim=-1, keepdim=True).clamp(min=1e-30)


def whole(value: Float[Tensor, "*shape"]) -> Int[Tensor, "*shape"]:
    """Numbers as whole 2^-30."""
    return (value * 2**BITS).round().long()


def ranked(value: Int[Tensor, "*b n"]) -> Int[Tensor, "*b n"]:
    """Keys that sort as the values do, larger first, and of equals the lower index first.

    Values are below 2^38 in size.
    """
    return value * MAX_CELLS + (MAX_CELLS - 1 - ramp(value.shape[-1], value.device))


def largest(value: Int[Tensor, "b n"], valid: Bool[Tensor, "b n"]) -> Int[Tensor, "b 1"]:
    """Where the largest allowed value stands; of equals the first, of none index 0."""
    return value.masked_fill(~valid, torch.iinfo(torch.int64).min).argmax(1, keepdim=True)


def top_cells(
    value: Float[Tensor, "b n"], valid: Bool[Tensor, "b n"], slots: int
) -> Int[Tensor, "b k"]:
    """The cells of the largest values, as float32 tells them apart; not finite ones come last."""
    low = torch.finfo(torch.float32).min
    value = value.float().nan_to_num(nan=low, posinf=low, neginf=low)
    value = value.masked_fill(~valid, -torch.inf)
    return value.argsort(dim=1, descending=True, stable=True)[:, :slots]


def rows_of(value: Float[Tensor, "b n d"], index: Int[Tensor, "b k"]) -> Float[Tensor, "b k d"]:
    """The vectors of the chosen cells."""
    return value.gather(1, index[..., None].expand(-1, -1, value.shape[2]))


def keep_all(field: Field, slots: int) -> Allocation | None:
    """All cells, where every image has room for its own; else None."""
    if field.max_cells > check_slots(slots):
        return None
    return finish(field, field.parent[:, : field.max_cells, None], slots)
