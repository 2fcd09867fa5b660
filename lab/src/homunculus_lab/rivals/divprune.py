"""DivPrune: tokens that are as unlike each other as can be.

S = argmax over |S| = K of min over i, j in S of d(i, j), d = 1 - cosine, greedily: first the cell
whose nearest neighbour is furthest, then always the cell that is furthest from those kept.

Alvar, Singh, Akbari and Zhang, "DivPrune: Diversity-based Visual Token Pruning for Large Multimodal
Models", CVPR 2025, arXiv 2503.02175.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus.engines.cells.allocate.order import finish
from homunculus.engines.cells.method import Method
from homunculus.engines.cells.types import Allocation, Field, Relevance, Rule
from homunculus_lab.rivals.encoder import on_encoder
from homunculus_lab.rivals.exact import ROWS, keep_all, largest, rows_of, units, whole
from homunculus_lab.rivals.observe import ModelObserver


@dataclass(frozen=True)
class DivPrune(Rule):
    """Greedy max-min distance of features."""

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        assert field.feature is not None
        if (every := keep_all(field, slots)) is not None:
            return every
        unit, free = units(field.feature, field.valid), field.valid.clone()
        pick = largest(_loneliness(unit, field.valid), free)
        kept, least = [pick], torch.full_like(field.parent, 2**62)
        for _ in range(slots - 1):
            free = free.scatter(1, pick, False)
            away = whole(1 - (unit @ rows_of(unit, pick).mT)[..., 0])
            least = least.minimum(away)
            pick = largest(least, free)
            kept.append(pick)
        return finish(field, torch.cat(kept, 1)[..., None], slots)


def _loneliness(unit: Float[Tensor, "b n d"], valid: Bool[Tensor, "b n"]) -> Int[Tensor, "b n"]:
    """The distance of each cell from its nearest neighbour."""
    cells = unit.shape[1]
    near = torch.full_like(valid, 2**62, dtype=torch.long)
    for first in range(0, cells, ROWS):
        block = unit[:, first : first + ROWS]
        away = whole(1 - block @ unit.mT)
        away = away.masked_fill(~valid[:, first : first + ROWS, None], 2**62)
        own = torch.arange(block.shape[1], device=unit.device)
        away[:, own, own + first] = 2**62
        near = near.minimum(away.amin(1))
    return near


METHOD = Method(
    "divprune",
    "cells as unlike each other as can be",
    DivPrune(),
    on_encoder,
    "model",
    needs=frozenset({"features"}),
    observe=ModelObserver(),
)
