"""ToMe: pairs of similar tokens become one, round by round, until K are left.

Tokens are dealt in turn to A and B; each of A finds its most similar token of B (cosine), and the r
best pairs merge, where r = min(half of them, what is too much). A token is the mean of its cells.

Bolya et al., "Token Merging: Your ViT But Faster", ICLR 2023, arXiv 2210.09461. There r tokens
merge in every block of the encoder; here all of it happens once, after the encoder.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.allocate.order import check_slots, finish
from homunculus.engines.cells.lift import Lift, Material
from homunculus.engines.cells.method import Method
from homunculus.engines.cells.types import Allocation, Field, Relevance, Rule
from homunculus_lab.methods.lifts import regions
from homunculus_lab.rivals.exact import ROWS, units, whole
from homunculus_lab.rivals.observe import ModelObserver


@dataclass(frozen=True)
class Merged(Rule):
    """Every group of cells that the lift has made; a group of one is the cell itself."""

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        rows = min(check_slots(slots), field.max_cells)
        own = torch.arange(field.parent.shape[1], device=field.parent.device)
        leaf = field.valid & (field.level == 0)
        far = torch.where(leaf, own, own.shape[0])
        first = far.new_full(far.shape, own.shape[0]).scatter_reduce(1, field.parent, far, "amin")
        index = torch.where(field.children == 1, first, own).clamp(max=own.shape[0] - 1)
        return finish(field, index[:, :rows, None], slots)


def _merged(grids: Sequence[Grid], slots: int, material: Material) -> Field:
    """Groups of cells, exactly as many as slots."""
    if material.feature is None:
        raise ValueError("tome: its lift needs features, got none. Declare them in Method.needs.")
    label = torch.zeros(material.feature.shape[:2], dtype=torch.long)
    for image, (high, wide) in enumerate(grids):
        cells = high * wide
        label[image, :cells] = groups(material.feature[image, :cells], min(slots, cells)).cpu()
    return regions(grids, label, slots, material.feature)


def groups(feature: Float[Tensor, "n d"], count: int) -> Int[Tensor, "n"]:
    """The group of each cell, 0 to count - 1, numbered by their first cells."""
    total = feature.double().nan_to_num(0.0, 0.0, 0.0)
    group = torch.arange(len(total), device=total.device)
    size = torch.ones_like(total[:, :1])
    while len(total) > count:
        merges = min(len(total) // 2, len(total) - count)
        place, left = _match(total / size, merges), len(total) - merges
        group = place[group]
        total, size = (
            part.new_zeros(left, part.shape[1]).index_add_(0, place, part) for part in (total, size)
        )
    cell = torch.arange(len(group), device=group.device)
    first = group.new_full((count,), len(group)).scatter_reduce(0, group, cell, "amin")
    return first.argsort().argsort()[group]


def _match(mean: Float[Tensor, "n d"], merges: int) -> Int[Tensor, "n"]:
    """Where each token goes after a round: first what is left of A, best matched first; then B."""
    unit = units(mean[None])[0]
    first, second = unit[::2], unit[1::2]
    blocks = [whole(block @ second.T).max(1) for block in first.split(ROWS)]  # the first of equals
    value, partner = (torch.cat(part) for part in zip(*blocks, strict=True))
    order = value.argsort(descending=True, stable=True)
    rest = len(first) - merges
    place = torch.empty(len(unit), dtype=torch.long, device=unit.device)
    target = torch.arange(len(second), device=unit.device) + rest
    place[1::2] = target
    moved = torch.empty_like(order)
    moved[order[merges:]] = torch.arange(rest, device=unit.device)
    moved[order[:merges]] = target[partner[order[:merges]]]
    place[::2] = moved
    return place


METHOD = Method(
    "tome",
    "similar cells merged in pairs until K are left",
    Merged(),
    Lift("merged pairs", _merged),
    "model",
    needs=frozenset({"features"}),
    observe=ModelObserver(),
)
