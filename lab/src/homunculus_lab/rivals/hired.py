"""HiRED: a budget for each tile by the attention that the whole image pays it.

The cells of most attention in the first layer, (1 - a) of all, are counted by tile; a tile gets
its share of K, and keeps its cells of most attention in a late layer.

Arif et al., "HiRED: Attention-Guided Token Dropping for Efficient Inference of High-Resolution
Vision-Language Models", AAAI 2025, arXiv 2408.10945.
"""

from dataclasses import dataclass

import torch

from homunculus.engines.cells.allocate.order import check_slots, finish
from homunculus.engines.cells.cache import ramp
from homunculus.engines.cells.method import Method
from homunculus.engines.cells.types import Allocation, Field, Relevance, Rule
from homunculus_lab.methods.shares import apportion, deal
from homunculus_lab.rivals.encoder import attention_of, on_encoder
from homunculus_lab.rivals.exact import top_cells
from homunculus_lab.rivals.observe import ModelObserver


@dataclass(frozen=True)
class HiRED(Rule):
    """Budgets by tile, then top-K by attention in each; what rounding leaves goes by remainder."""

    whole: float = 0.2
    """The share that the paper gives to its small view of the whole image."""

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        attention, valid = attention_of(field), field.valid
        tile = torch.zeros_like(field.parent) if attention.tile is None else attention.tile
        tiles = field.max_cells  # a tile has one cell at least
        tile = torch.where(valid, tile.clamp(0, tiles - 1), tiles)
        early = attention.late if attention.first is None else attention.first
        order = top_cells(early, valid, field.max_cells)
        place = ramp(field.max_cells, order.device).expand_as(order)
        rank = torch.empty_like(order).scatter_(1, order, place)
        top = (rank < (field.cells() * (1 - self.whole)).long().clamp(min=1)) & valid
        empty = torch.zeros(len(field.grids), tiles + 1, dtype=torch.long, device=order.device)
        room = empty.scatter_add(1, tile, valid.long())[:, :tiles]
        # next to nothing for a tile without any, so that what full tiles leave has somewhere to go
        share = empty.scatter_add(1, tile, top.long() * 2**12)[:, :tiles] + (room > 0).long()
        quota = apportion(share, room, field.cells(check_slots(slots)), least=0)
        best = top_cells(attention.late, valid, field.max_cells)
        order = best.gather(1, tile.gather(1, best).argsort(dim=1, stable=True))
        index = deal(order, room.cumsum(1) - room, quota, min(slots, field.max_cells))
        return finish(field, index[..., None], slots)


METHOD = Method(
    "hired",
    "most attended cells, a budget for each tile",
    HiRED(),
    on_encoder,
    "model",
    needs=frozenset({"attention"}),
    observe=ModelObserver(attention=True),
)
