"""MMTok: cells that together cover the question's words and the image.

f(S) = 1/w sum over words t of max over j in S of P_tj + a/n sum over cells i of max over j in S of
Q_ij, greedily; P and Q are softmaxes over cells j of cosines, at two temperatures. Q is a matrix of
cells by cells, so time and memory grow with their square.

Dong et al., "MMTok: Multimodal Coverage Maximization for Efficient Inference of VLMs", ICLR 2026,
arXiv 2508.18264.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus.engines.cells.allocate.order import finish
from homunculus.engines.cells.method import Method
from homunculus.engines.cells.types import Allocation, Field, Relevance, Rule
from homunculus_lab.rivals.encoder import on_encoder, question_of
from homunculus_lab.rivals.exact import keep_all, largest, units
from homunculus_lab.rivals.observe import ModelObserver

BITS = 34
"""Coverage is counted in 2^-34 of what one row can give; its sums are exact."""


@dataclass(frozen=True)
class MMTok(Rule):
    """Greedy coverage of words and cells."""

    share: float = 0.5
    """What covering all cells is worth, where covering all words is worth 1."""
    words: float = 0.02
    """Temperature of words against cells."""
    cells: float = 0.2
    """Temperature of cells against cells."""

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        assert field.feature is not None
        if (every := keep_all(field, slots)) is not None:
            return every
        cover = self._cover(field.feature, question_of(field), field.valid)
        best, free = torch.zeros_like(cover[:, :, :1]), field.valid
        kept = torch.zeros_like(field.parent[:, :slots])
        gain = torch.empty_like(cover)  # shared by all steps: fresh ones would pile up on the heap
        for step in range(slots):
            torch.sub(cover, best, out=gain)
            pick = largest(gain.clamp_(min=0).sum(1), free)
            kept[:, step : step + 1] = pick
            free = free.scatter(1, pick, False)
            taken = pick[:, None].expand(-1, cover.shape[1], -1)
            best = best.maximum(cover.gather(2, taken))
        return finish(field, kept[..., None], slots)

    def _cover(
        self,
        feature: Float[Tensor, "b n d"],
        question: Float[Tensor, "b n w"],
        valid: Bool[Tensor, "b n"],
    ) -> Int[Tensor, "b w+n n"]:
        """How far each cell covers each word and each cell, all times the number of cells."""
        unit = units(feature, valid)
        count = valid.sum(1)[:, None, None]
        word = (question.isfinite() & valid[..., None]).any(1)
        share = _softmax(question.double().mT, valid, self.words) * word[..., None]
        share = share * count / word.sum(1).clamp(min=1)[:, None, None]
        alike = _softmax(unit @ unit.mT, valid, self.cells) * valid[..., None] * self.share
        return (torch.cat((share, alike), 1) * 2**BITS).round_().long()


def _softmax(
    value: Float[Tensor, "b r n"], valid: Bool[Tensor, "b n"], temperature: float
) -> Float[Tensor, "b r n"]:
    """Over the valid cells; a row without any finite value becomes even, and counts for nothing."""
    value = (value / temperature).nan_to_num(nan=-1e9, posinf=-1e9, neginf=-1e9)
    return value.masked_fill(~valid[:, None], -torch.inf).softmax(2)


METHOD = Method(
    "mmtok",
    "cells that cover the question's words and the image",
    MMTok(),
    on_encoder,
    "model",
    needs=frozenset({"features", "question"}),
    observe=ModelObserver(words=True),
)
