"""Irregular lifts from given regions: each region a coarse cell, the background cut into blocks."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.check import check_grids
from homunculus.engines.cells.lift.levels import grid
from homunculus.engines.cells.types import Field


def smallest(masks: Bool[Tensor, "b r n"]) -> Int[Tensor, "b n"]:
    """For each cell the smallest mask that holds it (a part wins over its whole), -1 for none."""
    area = masks.sum(2, keepdim=True).float().masked_fill(~masks, torch.inf)
    label = area.argmin(1)
    return label.masked_fill(~masks.any(1), -1)


def regions(
    grids: Sequence[Grid],
    label: Int[Tensor, "b n"],
    count: int,
    feature: Float[Tensor, "b n d"] | None = None,
    block: int = 8,
) -> Field:
    """A tree of two levels: regions over level-0 cells.

    ``label`` names each cell's region, 0 <= label < count; anything else is background, which is
    cut into squares of ``block`` cells so that none of it can be forgotten. Made on the CPU.
    """
    grids, home = check_grids(grids), label.device if feature is None else feature.device
    flat, label = grid(grids), label.cpu()
    feature = None if feature is None else feature.cpu()
    row, col = flat.box[..., :2].long().unbind(-1)
    wide = torch.tensor([-(-cols // block) for _, cols in grids])[:, None]
    blocks = max(-(-rows // block) * -(-cols // block) for rows, cols in grids)
    square = count + (row // block) * wide + col // block
    group = torch.where((label >= 0) & (label < count), label, square)
    groups = count + blocks
    leaf = flat.valid
    box = bounds(flat.box, group, leaf, groups)
    size = torch.zeros(len(grids), groups, dtype=torch.long).scatter_add_(1, group, leaf.long())
    means = None if feature is None else _means(feature, group, leaf, size)
    return settle(
        grids,
        box=torch.cat((box, flat.box), 1),
        level=torch.cat((torch.ones_like(size), flat.level), 1),
        parent=torch.cat((torch.arange(groups).expand_as(size), group), 1),
        valid=torch.cat((size > 0, leaf), 1),
        feature=None if feature is None or means is None else torch.cat((means, feature), 1),
        levels=2,
        inner=groups,
    ).to(home)


def bounds(
    box: Float[Tensor, "b n 4"], group: Int[Tensor, "b n"], leaf: Bool[Tensor, "b n"], groups: int
) -> Float[Tensor, "b g 4"]:
    """The bounding box of each group of cells; zeros for an empty group."""
    index = group[..., None].expand(-1, -1, 2)
    low = box[..., :2].masked_fill(~leaf[..., None], torch.inf)
    high = box[..., 2:].masked_fill(~leaf[..., None], -torch.inf)
    empty = box.new_full((box.shape[0], groups, 2), torch.inf)
    lowest = empty.scatter_reduce(1, index, low, "amin")
    highest = (-empty).scatter_reduce(1, index, high, "amax")
    return torch.cat((lowest, highest), -1).nan_to_num(posinf=0.0, neginf=0.0)


def _means(
    feature: Float[Tensor, "b n d"],
    group: Int[Tensor, "b n"],
    leaf: Bool[Tensor, "b n"],
    size: Int[Tensor, "b g"],
) -> Float[Tensor, "b g d"]:
    # double: sums of a few thousand float32 values then do not depend on their order
    index = group[..., None].expand(-1, -1, feature.shape[2])
    value = feature.double().masked_fill(~leaf[..., None], 0)
    total = value.new_zeros(*size.shape, feature.shape[2]).scatter_add_(1, index, value)
    return (total / size[..., None].clamp(min=1)).to(feature.dtype)


def settle(
    grids: tuple[Grid, ...],
    box: Float[Tensor, "b n 4"],
    level: Int[Tensor, "b n"],
    parent: Int[Tensor, "b n"],
    valid: Bool[Tensor, "b n"],
    feature: Float[Tensor, "b n d"] | None,
    levels: int,
    inner: int,
) -> Field:
    """Bring cells into field order: coarse first, holes last, parents renumbered to match."""
    last = torch.full_like(level, levels)
    order = torch.where(valid, levels - 1 - level, last).argsort(dim=1, stable=True)
    place = order.argsort(dim=1)
    own = torch.arange(level.shape[1]).expand_as(level)
    valid = valid.gather(1, order)
    above = place.gather(1, parent.gather(1, order))
    parent = torch.where(valid, above, own)
    child = (valid & (parent != own)).long()
    rows = order[..., None]
    if feature is not None:
        feature = feature.gather(1, rows.expand(-1, -1, feature.shape[2]))
    return Field(
        grids=grids,
        box=box.gather(1, rows.expand(-1, -1, 4)) * valid[..., None],
        level=level.gather(1, order) * valid,
        parent=parent,
        children=torch.zeros_like(parent).scatter_add_(1, parent, child),
        valid=valid,
        spans=((0, level.shape[1]), *(((0, inner),) * (levels - 1))),
        regular=False,
        feature=feature,
    )
