"""What every rule stands on: exact order, exact counts, exact shares. Integers decide, not luck.

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

_MASS_BITS = 14
"""A cell's share of relevance is counted in 2^-14 of the most relevant cell's."""


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
    rows = min(slots, field.most)
    if weight is None:
        weight = _rows(index.shape[0], rows, index.device)[0]
    if min(high * wide for high, wide in field.grids) > slots:
        valid = _rows(index.shape[0], rows, index.device)[1].clone()  # theirs to write on
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
    at = ramp(index.shape[1], index.device)[:, None] * field.copies
    alone = (ramp(index.shape[2], index.device) == 0).to(weight)
    fits = cells <= slots
    return torch.where(fits, first + at, index), torch.where(fits, alone, weight)


def check_slots(slots: int) -> int:
    """A budget below one slot is a mistake, not an empty image."""
    return check_count(slots, "allocate: slots")


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
    at = ramp(value.shape[1], value.device).expand_as(order)
    return torch.empty_like(order).scatter_(1, order, at)


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
    some = count > 0
    left = torch.where(some, after.gather(1, last), left)
    total = given[:, -1:] - given.gather(1, last) * some
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
    at = (start - end + quota).gather(1, group).add_(seat)
    taken = order.gather(1, at.clamp_(0, order.shape[1] - 1))
    return taken.add_(group, alpha=stride)
