"""Rules that choose among equals: with a guarantee for every part, or by lot."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.allocate.order import (
    NEVER,
    best,
    check_slots,
    finish,
    keys,
    lags,
)
from homunculus.engines.cells.allocate.select import flat
from homunculus.engines.cells.cache import cached, ramp, sizes
from homunculus.engines.cells.types import MAX_CELLS, Allocation, Field, Relevance, Rule
from homunculus_lab.methods.shares import apportion, deal, mass


@dataclass(frozen=True)
class Stratified(Rule):
    """At least one cell in each of side x side equal parts, the rest by the part's relevance."""

    side: int = 4

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        flat(field, "stratified")
        lag = lags(field, relevance)
        cell, inside, room = strata(field.grids, self.side, lag.device)
        images, groups, stride = cell.shape
        value = lag.gather(1, cell.view(images, -1)).view(cell.shape)
        share = mass(value)
        share = (share if inside is None else share * inside).sum(2)
        tight = slots < groups  # an image never has more filled parts than cells
        quota = apportion(share, room, field.cells(check_slots(slots)), tight=tight)
        # within a part, cells stand in reading order, so the lower place is the lower index
        key = keys(value.flatten(0, 1), None if inside is None else inside.flatten(0, 1))
        order = key.argsort(dim=1).view(images, -1)
        start = ramp(groups, lag.device) * stride
        rows = min(slots, field.max_cells)
        place = deal(order, start.expand(images, -1), quota, rows, stride)
        return finish(field, cell.view(images, -1).gather(1, place)[..., None], slots)


@cached
def strata(
    grids: tuple[Grid, ...], side: int, device: torch.device
) -> tuple[Int[Tensor, "b g room"], Bool[Tensor, "b g room"] | None, Int[Tensor, "b g"]]:
    """The cells of each part padded to the largest part, which of them are real, and how many.

    None in place of the mask says that all are. A grid smaller than ``side`` leaves parts empty.
    """
    size = sizes(grids, device)
    high, wide = (-(-max(length) // side) for length in zip(*grids, strict=True))
    part = ramp(side + 1, device)
    edge = part * size[..., None] // side  # b 2 side+1: the first row (column) of each part
    row = edge[:, 0, :-1, None] + ramp(high, device)
    col = edge[:, 1, :-1, None] + ramp(wide, device)
    inside = (row < edge[:, 0, 1:, None])[:, :, None, :, None]
    inside = inside & (col < edge[:, 1, 1:, None])[:, None, :, None, :]
    cell = (row * size[:, 1, None, None])[:, :, None, :, None] + col[:, None, :, None, :]
    shape = (len(grids), side * side, high * wide)
    cell, inside = (cell * inside).view(shape), inside.reshape(shape)
    even = len(set(grids)) == 1 and not any(length % side for length in grids[0])
    return cell, None if even else inside, inside.sum(2)


@dataclass(frozen=True)
class AdaptiveStrata(Rule):
    """Stratified over a grid of parts that the relevance chooses, rows and columns apart.

    Relevance spread over the whole page asks for ``high`` parts a side, relevance in one place
    for ``low``.
    """

    low: int = 2
    high: int = 8

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        flat(field, "adaptive-strata")
        lag = lags(field, relevance)
        side = self.sides(field, lag)
        size = field.size
        row, col = field.box[..., :2].long().unbind(-1)
        # the part whose first row is at or above this one: the inverse of strata()
        down = ((row + 1) * side[:, :1] - 1) // size[:, :1]
        right = ((col + 1) * side[:, 1:] - 1) // size[:, 1:]
        part = down * self.high + right
        index = by_group(field, lag, field.valid, part, self.high**2, slots)
        return finish(field, index[..., None], slots)

    def sides(self, field: Field, lag: Float[Tensor, "b n"]) -> Int[Tensor, "b 2"]:
        """Parts down and across: the more rows (columns) share the relevance, the more parts."""
        weight = mass(lag) * field.valid
        total = weight.sum(1, keepdim=True)
        parts: list[Tensor] = []
        for axis, longest in enumerate(map(max, zip(*field.grids, strict=True))):
            place = field.box[..., axis].long()
            profile = weight.new_zeros(weight.shape[0], longest).scatter_add_(1, place, weight)
            share = profile * 2**14 // total
            length = field.size[:, axis]
            evenness = 2.0**28 / (share.square().sum(1) * length).clamp(min=1)
            span = (self.high - self.low + 1) * evenness.clamp(max=1)
            parts.append((self.low + span.long()).clamp(max=self.high).minimum(length))
        return torch.stack(parts, 1)


@dataclass(frozen=True)
class Shares(Rule):
    """A fixed share of the slots for each level, finest first; best cells within a level."""

    shares: tuple[int, ...] = (64, 128, 64, 17)

    def __post_init__(self) -> None:
        if min(self.shares, default=0) < 1:
            raise ValueError(f"pyramid-shares: every share must be 1 or more, got {self.shares}")

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        lag = lags(field, relevance)
        if field.levels > len(self.shares):
            raise ValueError(
                f"pyramid-shares: {len(self.shares)} shares, {field.levels} levels; give one each"
            )
        share = torch.tensor(self.shares, device=lag.device).expand(len(field.grids), -1)
        index = by_group(field, lag, field.valid, field.level, share.shape[1], slots, share)
        return finish(field, index[..., None], slots)


@dataclass(frozen=True)
class Bands(Rule):
    """Each cell belongs to its strongest orientation; every orientation gets its share."""

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        lag = lags(field, relevance)
        shape = (lag.shape[0], -1, field.copies)
        strongest, band = lag.view(shape).min(2)
        first = ramp(strongest.shape[1], lag.device) * field.copies
        valid = field.valid.view(shape)[..., 0]
        index = by_group(field, strongest, valid, band, field.copies, slots)
        return finish(field, (first[index] + band.gather(1, index))[..., None], slots)


@dataclass(frozen=True)
class Regions(Rule):
    """Every region is seen: one cell at least, the rest by the region's relevance."""

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        if field.levels != 2 or field.regular:
            raise ValueError("atlas: needs regions over cells; regions() makes them from labels")
        lag = lags(field, relevance)
        leaf = field.valid & (field.level == 0)
        index = by_group(field, lag, leaf, field.parent, field.inner, slots)
        return finish(field, index[..., None], slots)


def by_group(
    field: Field,
    lag: Float[Tensor, "b n"],
    valid: Bool[Tensor, "b n"],
    group: Int[Tensor, "b n"],
    groups: int,
    slots: int,
    share: Int[Tensor, "b g"] | None = None,
) -> Int[Tensor, "b k"]:
    """The best cells of each group, as many as its share buys: its relevance, and never none.

    A share that is given is kept to the letter, even where it buys nothing.
    """
    least = int(share is None)
    group = torch.where(valid, group, groups)
    empty = torch.zeros(lag.shape[0], groups + 1, dtype=torch.long, device=lag.device)
    room = empty.scatter_add(1, group, valid.long())[:, :groups]
    if share is None:
        share = empty.scatter_add(1, group, mass(lag) * valid)[:, :groups]
    quota = apportion(share, room, field.cells(check_slots(slots)), least)
    # one stable sort by (group, best first): equal lags stay in index order
    order = torch.add(lag.view(torch.int32), group, alpha=2**32).argsort(dim=1, stable=True)
    return deal(order, room.cumsum(1) - room, quota, min(slots, field.max_cells))


@dataclass(frozen=True)
class Centre(Rule):
    """The cells nearest the middle of the image. A control: it never looks."""

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        flat(field, "centre")
        size = field.size[:, None]
        away = (field.box[..., :2].long() * 2 + 1 - size).square().sum(-1)
        order = away.masked_fill(~field.valid, NEVER).argsort(dim=1, stable=True)
        return finish(field, order[:, : check_slots(slots), None], slots)


@dataclass(frozen=True)
class Random(Rule):
    """Cells drawn by lot. The seed is the image's own content, so neighbours do not matter.

    Without features the seed is the grid's size alone.
    """

    seed: int = 0

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        flat(field, "random")
        cell = ramp(field.level.shape[1], field.level.device)
        lot = scramble(self._content(field) + scramble(cell + 1))
        key = ((lot & ~(MAX_CELLS - 1)) + cell).masked_fill(~field.valid, NEVER)
        return finish(field, best(key, min(check_slots(slots), field.max_cells))[..., None], slots)

    def _content(self, field: Field) -> Int[Tensor, "b 1"]:
        size = field.size
        seed = (
            size[:, :1] * 2**25
            + size[:, 1:]
            + scramble(torch.full_like(size[:, :1], self.seed + 1))
        )
        if field.feature is None:
            return scramble(seed)
        bits = field.feature.float().view(torch.int32).long() * field.valid[..., None]
        place = ramp(bits[0].numel(), bits.device).view(bits.shape[1:])
        return scramble(seed + (bits * (2 * scramble(place) + 1)).sum((1, 2))[:, None])


def scramble(value: Int[Tensor, "*shape"]) -> Int[Tensor, "*shape"]:
    """Integers that look random, from integers that do not (multiply and xor-shift, 64 bits)."""
    for multiplier, shift in ((-0x61C8864680B583EB, 31), (-0x40A7B892E31B1A47, 29)):
        value = value * multiplier
        value = value ^ (value >> shift)
    return value
