"""Exact shares: a budget divided among groups of cells by whole numbers, never by luck."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus.engines.cells.cache import ramp

_MASS_BITS = 14
"""A cell's share of relevance is counted in 2^-14 of the most relevant cell's."""


def mass(lag: Float[Tensor, "*shape"]) -> Int[Tensor, "*shape"]:
    """Relevance made positive: exp(-lag), 1 for the image's best, in whole 2^-14; never zero."""
    return lag.neg().exp_().mul_(2**_MASS_BITS).long().add_(1)


def apportion(
    share: Int[Tensor, "b g"],
    room: Int[Tensor, "b g"],
    seats: Int[Tensor, "b 1"],
    least: int = 1,
    tight: bool = True,
) -> Int[Tensor, "b g"]:
    """Divide seats among groups: ``least`` (1 or 0) for each, the rest by largest remainder.

    No group gets more than its room; what a full group cannot take goes to the others in
    proportion. With fewer seats than groups (``tight`` False promises there are enough), the
    largest shares get one each. Sums to min(seats, room) exactly, given a share of 1 or more
    wherever there is room.
    """
    real = (room > 0).long()
    share, base = share * real, real * least
    if tight:
        base = base * (_places(share) < seats)
    left = seats - base.sum(1, keepdim=True)
    space = room - base
    brim, left, total = _saturate(share, space, left)
    part = share * left
    lower = part // total
    free = ~brim
    spare = left - (lower * free).sum(1, keepdim=True)
    # a full group has no remainder: it stands behind every other
    lucky = _places((part % total).masked_fill_(brim, -1)) < spare
    return base + torch.where(brim, space, lower + (lucky & free))


def _places(value: Int[Tensor, "b g"]) -> Int[Tensor, "b g"]:
    """Each entry's place when sorted: 0 is the largest, ties by lower index."""
    order = value.argsort(dim=1, descending=True, stable=True)
    place = ramp(value.shape[1], value.device).expand_as(order)
    return torch.empty_like(order).scatter_(1, order, place)


def _saturate(
    share: Int[Tensor, "b g"], space: Int[Tensor, "b g"], left: Int[Tensor, "b 1"]
) -> tuple[Bool[Tensor, "b g"], Int[Tensor, "b 1"], Int[Tensor, "b 1"]]:
    """Which groups a proportional division fills to the brim, what remains to give, among what.

    Groups fill in the order of space per share; each is tested against what those before it left.
    A group without room is full from the start.
    """
    order = (space / share.double()).nan_to_num_(nan=0.0).argsort(dim=1, stable=True)
    room, part = space.gather(1, order), share.gather(1, order)
    after, given = left - room.cumsum(1), part.cumsum(1)
    among = given[:, -1:] - given + part
    brim = (room * among <= part * (after + room)).long().cumprod(1)
    count = brim.sum(1, keepdim=True)
    last = (count - 1).clamp(min=0)
    any_full = count > 0
    left = torch.where(any_full, after.gather(1, last), left)
    total = given[:, -1:] - given.gather(1, last) * any_full
    full = torch.empty_like(order).scatter_(1, order, brim)
    return full.bool(), left, total.clamp_(min=1)


def deal(
    order: Int[Tensor, "b n"],
    start: Int[Tensor, "b g"],
    quota: Int[Tensor, "b g"],
    slots: int,
    stride: int = 0,
) -> Int[Tensor, "b k"]:
    """Take the first ``quota`` entries of each group's stretch of ``order``, group by group.

    With a stride, entries count from their group's beginning, one group every stride places.
    """
    end = quota.cumsum(1)
    seat = ramp(slots, order.device).expand(order.shape[0], -1).contiguous()
    group = torch.searchsorted(end, seat, right=True).clamp_(max=quota.shape[1] - 1)
    place = (start - end + quota).gather(1, group).add_(seat)
    taken = order.gather(1, place.clamp_(0, order.shape[1] - 1))
    return taken.add_(group, alpha=stride)
