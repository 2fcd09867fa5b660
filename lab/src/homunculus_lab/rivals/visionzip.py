"""VisionZip: the cells of most attention, and a few means of what is like each other in the rest.

K - C dominant cells have the most attention. Every n-th of the others is a target, C in all; each
cell that is left joins the target whose key is most like its own, and a contextual token is
(target + mean of those that joined) / 2.

Yang et al., "VisionZip: Longer is Better but Not Necessary in Vision Language Models", CVPR 2025,
arXiv 2412.04467.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.allocate.order import check_slots, finish
from homunculus.engines.cells.lift import Lift, Material
from homunculus.engines.cells.method import Method
from homunculus.engines.cells.types import Allocation, Field, Relevance, Rule
from homunculus_lab.methods.lifts import regions
from homunculus_lab.rivals.encoder import EncoderMaterial, attention_of, with_attention
from homunculus_lab.rivals.exact import ROWS, top_cells, units, whole
from homunculus_lab.rivals.observe import ModelObserver

SHARE = 5 / 32
"""Contextual tokens of all, as in the paper: 10 of 64, 20 of 128, 30 of 192."""


@dataclass(frozen=True)
class VisionZip(Rule):
    """Dominant and contextual tokens, from the groups that its lift has made."""

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        late = attention_of(field).late
        check_slots(slots)
        cells, rows = field.cells(), min(slots, field.max_cells)
        first = field.valid.sum(1, keepdim=True) - cells  # level 0 stands last
        chosen = torch.zeros(len(field.grids), rows, dtype=torch.long, device=cells.device)
        for image, (high, wide) in enumerate(field.grids):
            both = torch.cat(parts(late[image, : high * wide], min(slots, high * wide)))
            chosen[image, : len(both)] = both
        leaf = first + chosen
        group = field.parent.gather(1, leaf)
        joined = field.children.gather(1, group).double() - 1
        # dominant cells stand in the background of the lift, whose blocks are not theirs
        contextual = torch.arange(rows, device=cells.device) >= rows - context(rows)
        merged = contextual & (joined > 0)
        mean = torch.where(merged, (joined + 1) / (2 * joined.clamp(min=1)), 0.0).float()
        index = torch.stack((leaf, torch.where(merged, group, leaf)), 2)
        return finish(field, index, slots, torch.stack((1 - mean, mean), 2))


def context(slots: int) -> int:
    """How many tokens are contextual."""
    return int(slots * SHARE)


def parts(
    attention: Tensor, slots: int
) -> tuple[Int[Tensor, "dominant"], Int[Tensor, "contextual"]]:
    """The dominant cells, and the targets among the others."""
    real = torch.ones_like(attention[None], dtype=torch.bool)
    contextual = context(slots)
    dominant = top_cells(attention[None], real, slots - contextual)[0]
    others = real[0].scatter(0, dominant, False)
    order = (~others).long().argsort(stable=True)[: len(attention) - len(dominant)]
    step = max(1, len(order) // max(1, contextual))
    return dominant, order[::step][:contextual]


def _zipped(grids: Sequence[Grid], slots: int, material: Material) -> Field:
    """What joins each target, with the target, as a group; all else is background."""
    attention = material.attention if isinstance(material, EncoderMaterial) else None
    feature = material.feature
    if attention is None or feature is None:
        raise ValueError(
            "visionzip: its lift needs features and attention, got none. Declare them in needs."
        )
    key = feature if attention.key is None else attention.key
    label = torch.full(feature.shape[:2], -1, dtype=torch.long)
    for image, (high, wide) in enumerate(grids):
        cells = high * wide
        if cells > slots and context(slots):
            pair = parts(attention.late[image, :cells], slots)
            label[image, :cells] = _join(key[image, :cells], *pair).cpu()
    field = regions(grids, label, max(1, context(slots)), feature)
    return with_attention(field, attention.to(field.level.device))


def _join(key: Tensor, dominant: Int[Tensor, "k"], target: Int[Tensor, "c"]) -> Int[Tensor, "n"]:
    """The number of the target that each cell joins; -1 for dominant cells."""
    unit = units(key[None])[0]
    label = torch.cat([whole(block @ unit[target].T).argmax(1) for block in unit.split(ROWS)])
    label[target] = torch.arange(len(target), device=label.device)
    label[dominant] = -1
    return label


METHOD = Method(
    "visionzip",
    "most attended cells, and means of the rest",
    VisionZip(),
    Lift("dominant and contextual", _zipped),
    "model",
    needs=frozenset({"features", "attention"}),
    observe=ModelObserver(attention=True),
)
