# pyright: basic
"""Rows of a batch of prompts after some were dropped: states, rotations and masks, all alike.

Prompts may keep different numbers of rows. The shorter ones are filled with rows of zeros, on the
side on which the processor pads, that nothing attends to.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Int
from torch import Tensor

EMPTY = -1
"""In place of a column: a row of zeros."""


@dataclass(frozen=True, eq=False)
class Rows:
    """The columns of the whole prompt that each row of a batch comes from."""

    column: Int[Tensor, "b n"]
    left: bool
    """Whether the filling stands at the left."""

    @property
    def valid(self) -> Bool[Tensor, "b n"]:
        """Which rows are not filling."""
        return self.column != EMPTY

    def select(self, keep: Sequence[Int[Tensor, "_k"]]) -> tuple["Rows", Int[Tensor, "b k"]]:
        """These rows alone; also as places among the present ones."""
        place = fill(keep, self.left)
        column = self.column.gather(1, place.clamp(min=0)).masked_fill(place == EMPTY, EMPTY)
        return replace(self, column=column), place


def fill(keep: Sequence[Int[Tensor, "_k"]], left: bool) -> Int[Tensor, "b k"]:
    """Lists of places as one tensor."""
    longest = max(map(len, keep))
    filled = keep[0].new_full((len(keep), longest), EMPTY)
    for row, places in zip(filled, keep, strict=True):
        row[longest - len(places) if left else 0 :][: len(places)] = places
    return filled


def take(value: Tensor, place: Int[Tensor, "b k"]) -> Tensor:
    """Rows (b n d, or 1 n d for all alike) at these places; zeros where there is none."""
    value = value.expand(len(place), -1, -1)
    rows = value.gather(1, place.clamp(min=0)[..., None].expand(-1, -1, value.shape[-1]))
    return rows.masked_fill((place == EMPTY)[..., None], 0)


# ---- masks ---------------------------------------------------------------------------------------


def prompt_mask(mask: Tensor | None, rows: Rows, flash: bool) -> Tensor | None:
    """The mask of a whole prompt, for what is left of it."""
    if mask is None:
        if bool(rows.valid.all()):
            return None
        return rows.valid.long() if flash else causal(rows)
    if mask.dim() == 2:
        return mask.gather(1, rows.column.clamp(min=0)) * rows.valid
    column = rows.column.clamp(min=0)
    mask = mask.expand(len(column), -1, -1, -1)
    mask = mask.gather(2, column[:, None, :, None].expand(-1, mask.shape[1], -1, mask.shape[3]))
    mask = mask.gather(3, column[:, None, None].expand(-1, mask.shape[1], mask.shape[2], -1))
    mask = mask.masked_fill(~rows.valid[:, None, None], hidden(mask))
    return mask.masked_fill(_alone(rows), True if mask.dtype == torch.bool else 0)


def causal(rows: Rows) -> Bool[Tensor, "b 1 n n"]:
    """Each row sees itself and those before it, but for the filling."""
    count = rows.column.shape[1]
    before = torch.ones(count, count, dtype=torch.bool, device=rows.column.device).tril()
    return (before & rows.valid[:, None, None]) | _alone(rows)


def _alone(rows: Rows) -> Bool[Tensor, "b 1 n n"]:
    """Filling sees itself: a row that sees nothing would be no number."""
    itself = torch.eye(rows.column.shape[1], dtype=torch.bool, device=rows.column.device)
    return itself & ~rows.valid[:, None, :, None]


def step_mask(mask: Tensor | None, rows: Rows, length: int, new: int, flash: bool) -> Tensor | None:
    """The mask of tokens that follow a prompt of ``length`` columns, of which ``rows`` are left."""
    if mask is None:
        if bool(rows.valid.all()):
            return None
        mask = torch.ones(
            len(rows.column), length + new, dtype=torch.bool, device=rows.column.device
        )
        mask = mask.long() if flash else mask[:, None, None]
    column, valid = rows.column.clamp(min=0), rows.valid
    while column.dim() < mask.dim():
        column, valid = column[:, None], valid[:, None]
    mask = mask.expand(len(column), *mask.shape[1:])
    past = mask[..., :length].gather(-1, column.expand(*mask.shape[:-1], -1))
    return torch.cat((past.masked_fill(~valid, hidden(mask)), mask[..., length:]), -1)


def hidden(mask: Tensor) -> float | bool | int:
    """What says in such a mask that something is not seen."""
    if mask.dtype == torch.bool or not mask.dtype.is_floating_point:
        return 0
    return torch.finfo(mask.dtype).min
