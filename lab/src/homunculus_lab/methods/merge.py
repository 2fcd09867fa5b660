"""A tree of token clusters: similar neighbours merge pairwise from the bottom up, as Nanite's do.

Each round every cluster finds its most similar neighbour; pairs that chose each other merge. All
shapes are fixed beforehand, so nothing waits for the data. Merging stays inside the squares of the
pyramid's root level, and what is left of a square after the last round hangs under one root: the
roots are therefore as few as the pyramid's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.check import check_grids
from homunculus.engines.cells.lift.levels import grid
from homunculus.engines.cells.types import Field
from homunculus_lab.methods.segments import bounds, settle


@dataclass(eq=False)
class _Forest:
    """What is known while merging: nodes are leaves first, then merges in order of birth."""

    owner: Int[Tensor, "b n"]
    """The cluster each leaf is in now."""
    total: Float[Tensor, "b v d"]
    size: Int[Tensor, "b v"]
    parent: Int[Tensor, "b v"]
    level: Int[Tensor, "b v"]
    born: Int[Tensor, "b 1"]
    """The next free node."""


def clusters(
    grids: Sequence[Grid], feature: Float[Tensor, "b n d"], levels: Int[Tensor, "b"]
) -> Field:
    """Level-0 cells under merged clusters under one root per square of 2^(levels-1) cells.

    Cost: four rounds a level, each over every pair of neighbours' features, on the CPU.
    """
    grids, home, feature = check_grids(grids), feature.device, feature.cpu()
    flat = grid(grids)
    row, col = flat.box[..., :2].long().unbind(-1)
    shift = (levels - 1)[:, None]
    wide = torch.tensor([cols for _, cols in grids])[:, None]
    square = (row >> shift) * (((wide - 1) >> shift) + 1) + (col >> shift)
    pair, near = _neighbours(flat, square, wide)
    rounds = 4 * shift  # per image: what a batch mate needs must not change this one
    forest = _seed(flat, feature.float())
    for number in range(int(rounds.max())):
        _merge(forest, pair, near & (number < rounds), number)
    return _crown(grids, flat, forest, square, feature, rounds).to(home)


def _neighbours(
    flat: Field, square: Int[Tensor, "b n"], wide: Int[Tensor, "b 1"]
) -> tuple[Int[Tensor, "2 b e"], Bool[Tensor, "b e"]]:
    """Pairs (right, then below) of neighbours, and which of them lie in one square."""
    cell = torch.arange(square.shape[1]).expand_as(square)
    last = square.shape[1] - 1
    right, below = (cell + 1).clamp(max=last), (cell + wide).clamp(max=last)
    first, second = cell.repeat(1, 2), torch.cat((right, below), 1)
    step = flat.box[..., :2].gather(1, second[..., None].expand(-1, -1, 2))
    step = (step - flat.box[..., :2].repeat(1, 2, 1)).sum(-1)
    same = square.gather(1, first) == square.gather(1, second)
    real = flat.valid.gather(1, first) & flat.valid.gather(1, second)
    return torch.stack((first, second)), same & real & (step == 1) & (first != second)


def _seed(flat: Field, feature: Float[Tensor, "b n d"]) -> _Forest:
    images, cells = flat.valid.shape
    nodes = 2 * cells + 1  # every merge uses up one node: fewer merges than leaves
    own = torch.arange(nodes).expand(images, -1)
    total = feature.new_zeros(images, nodes, feature.shape[2])
    total[:, :cells] = feature.masked_fill(~flat.valid[..., None], 0)
    size = torch.zeros(images, nodes, dtype=torch.long)
    size[:, :cells] = flat.valid
    born = torch.full((images, 1), cells)
    return _Forest(own[:, :cells].clone(), total, size, own.clone(), torch.zeros_like(size), born)


def _merge(
    forest: _Forest, pair: Int[Tensor, "2 b e"], near: Bool[Tensor, "b e"], number: int
) -> None:
    """One round: clusters that are each other's most similar neighbour become one."""
    first, second = (forest.owner.gather(1, side) for side in pair)
    key = _likeness(forest, first, second)
    nodes = forest.size.shape[1]
    key = key.masked_fill(~near | (first == second), -1)
    best = torch.full_like(forest.size, -1)
    best = best.scatter_reduce(1, first, key, "amax").scatter_reduce(1, second, key, "amax")
    match = (key >= 0) & (best.gather(1, first) == key) & (best.gather(1, second) == key)
    # pairs of clusters touch along several edges; the best edge is one, so a match is counted once
    new = torch.where(match, forest.born + match.long().cumsum(1) - 1, nodes - 1)
    for side in (first, second):
        gone = torch.where(match, side, nodes - 1)
        forest.parent.scatter_(1, gone, new)
        forest.size.scatter_add_(1, new, forest.size.gather(1, side) * match)
        channels = side[..., None].expand(-1, -1, forest.total.shape[2])
        moved = forest.total.gather(1, channels) * match[..., None]
        forest.total = forest.total.scatter_add(1, new[..., None].expand_as(channels), moved)
    forest.level.scatter_(1, new, number + 1)
    forest.born += match.sum(1, keepdim=True)
    forest.owner = forest.parent.gather(1, forest.owner)


def _likeness(
    forest: _Forest, first: Int[Tensor, "b e"], second: Int[Tensor, "b e"]
) -> Int[Tensor, "b e"]:
    """Cosine of the clusters' mean features as a unique integer: the earlier edge wins a tie."""
    channels = forest.total.shape[2]
    unit = torch.nn.functional.normalize(forest.total, dim=-1)
    vectors = [unit.gather(1, node[..., None].expand(-1, -1, channels)) for node in (first, second)]
    likeness = ((vectors[0] * vectors[1]).sum(-1) + 1).clamp(0, 2)
    order = torch.arange(first.shape[1], 0, -1)
    return (likeness * 2**20).round().long() * 2**26 + order


def _crown(
    grids: tuple[Grid, ...],
    flat: Field,
    forest: _Forest,
    square: Int[Tensor, "b n"],
    feature: Float[Tensor, "b n d"],
    rounds: Int[Tensor, "b 1"],
) -> Field:
    """Hang what is left of each square under one root; a square that became one is its own."""
    images, cells = square.shape
    nodes = forest.size.shape[1]
    used = (forest.size > 0) & (torch.arange(nodes) < nodes - 1)
    home = torch.zeros_like(forest.size).scatter_(1, forest.owner, square)
    top = torch.zeros_like(used).scatter_(1, forest.owner, flat.valid) & used
    squares = cells  # a square holds at least one cell
    left = torch.zeros(images, squares, dtype=torch.long).scatter_add_(1, home, top.long())
    above = torch.arange(nodes, nodes + squares)
    hung = top & (left.gather(1, home) > 1)
    parent = torch.where(hung, nodes + home, forest.parent)
    boxes, totals, sizes = _rise(flat, forest, square)
    mean = (totals / sizes.clamp(min=1)[..., None].to(totals)).to(feature.dtype)
    mean[:, :cells] = feature
    return _trim(
        settle(
            grids,
            box=boxes,
            level=torch.cat((forest.level, (rounds + 1).expand_as(left)), 1),
            parent=torch.cat((parent, above.expand_as(left)), 1),
            valid=torch.cat((used, left > 1), 1),
            feature=mean,
            levels=int(rounds.max()) + 2,
            inner=cells,
        ),
        2 * cells,
    )


def _rise(
    flat: Field, forest: _Forest, square: Int[Tensor, "b n"]
) -> tuple[Float[Tensor, "b v 4"], Float[Tensor, "b v d"], Int[Tensor, "b v"]]:
    """Boxes, feature sums and sizes of merged clusters and of the squares behind them."""
    images, cells = square.shape
    nodes = forest.size.shape[1]
    own = torch.arange(cells).expand(images, -1)
    box = bounds(flat.box, own, flat.valid, nodes)
    rows = forest.parent[..., None].expand(-1, -1, 2)
    low = box[..., :2].masked_fill((forest.size == 0)[..., None], torch.inf)
    high = box[..., 2:].masked_fill((forest.size == 0)[..., None], -torch.inf)
    low[:, cells:], high[:, cells:] = torch.inf, -torch.inf
    for step in range(int(forest.level.max())):
        low = _lift(low, rows, forest.level == step, "amin")
        high = _lift(high, rows, forest.level == step, "amax")
    grown = torch.cat((low, high), -1).nan_to_num(posinf=0.0, neginf=0.0)
    whole = bounds(flat.box, square, flat.valid, cells)
    index = square[..., None].expand(-1, -1, forest.total.shape[2])
    leaves = forest.total[:, :cells]
    totals = leaves.new_zeros(images, cells, leaves.shape[2]).scatter_add_(1, index, leaves)
    sizes = torch.zeros_like(square).scatter_add_(1, square, flat.valid.long())
    return (
        torch.cat((grown, whole), 1),
        torch.cat((forest.total, totals), 1),
        torch.cat((forest.size, sizes), 1),
    )


def _lift(
    value: Float[Tensor, "b v c"],
    parent: Int[Tensor, "b v c"],
    here: Bool[Tensor, "b v"],
    how: str,
) -> Float[Tensor, "b v c"]:
    """Pass the values of one level on to its parents."""
    idle = torch.inf if how == "amin" else -torch.inf
    return value.scatter_reduce(1, parent, value.masked_fill(~here[..., None], idle), how)


def _trim(field: Field, cells: int) -> Field:
    """Drop the columns no image can use: leaves and merges together are fewer than two a leaf."""
    assert field.feature is not None
    return replace(
        field,
        box=field.box[:, :cells],
        level=field.level[:, :cells],
        parent=field.parent[:, :cells],
        children=field.children[:, :cells],
        valid=field.valid[:, :cells],
        spans=((0, cells), *field.spans[1:]),
        feature=field.feature[:, :cells],
    )
