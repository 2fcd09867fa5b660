"""PruMerge: the cells of most attention, each merged with those whose keys are most like its own.

y_i = (x_i + sum over j in N(i) of a_j x_j) / (1 + sum of a_j), N(i) the 32 nearest by cosine of
their keys.

Shang, Cai, Xu, Lee and Yan, "LLaVA-PruMerge: Adaptive Token Reduction for Efficient Large
Multimodal Models", ICCV 2025, arXiv 2403.15388.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus.engines.cells.allocate.order import finish
from homunculus.engines.cells.method import Method
from homunculus.engines.cells.types import Allocation, Field, Relevance, Rule
from homunculus_lab.rivals.encoder import attention_of, on_encoder
from homunculus_lab.rivals.exact import ROWS, keep_all, ranked, rows_of, top_cells, units, whole
from homunculus_lab.rivals.observe import ModelObserver


@dataclass(frozen=True)
class PruMerge(Rule):
    """Top-K by attention, and a weighted mean with neighbours."""

    near: int = 32
    """Neighbours that a kept cell is merged with."""

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        if (every := keep_all(field, slots)) is not None:
            return every
        late = attention_of(field).late
        centre, unit = top_cells(late, field.valid, slots), units(_keys(field), field.valid)
        near = [self._around(unit, field.valid, block) for block in centre.split(ROWS, 1)]
        near = torch.cat(near, 1)
        attention = late.double().nan_to_num(0.0, 0.0, 0.0).clamp(min=0)
        share = attention.gather(1, near.clamp(min=0).flatten(1)).view(near.shape) * (near >= 0)
        share = torch.cat((torch.ones_like(centre)[..., None], share), 2)
        weight = (share / share.sum(2, keepdim=True)).float()
        index = torch.cat((centre[..., None], torch.where(near < 0, centre[..., None], near)), 2)
        return finish(field, index, slots, weight)

    def _around(
        self, unit: Float[Tensor, "b n d"], valid: Bool[Tensor, "b n"], centre: Int[Tensor, "b c"]
    ) -> Int[Tensor, "b c near"]:
        """The nearest others of each centre, -1 where there are fewer."""
        alike = ranked(whole(rows_of(unit, centre) @ unit.mT))
        least = torch.iinfo(torch.int64).min
        alike = alike.masked_fill(~valid[:, None], least).scatter(2, centre[..., None], least)
        best = alike.topk(min(self.near, valid.shape[1]), dim=2)
        return best.indices.masked_fill(best.values == least, -1)


def _keys(field: Field) -> Float[Tensor, "b n d"]:
    assert field.feature is not None
    key = attention_of(field).key
    return field.feature if key is None else key


METHOD = Method(
    "prumerge",
    "most attended cells, merged with those like them",
    PruMerge(),
    on_encoder,
    "model",
    needs=frozenset({"features", "attention"}),
    observe=ModelObserver(attention=True),
)
