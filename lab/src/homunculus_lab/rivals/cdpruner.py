"""CDPruner: the most likely set of a determinantal point process, conditioned on the question.

S = argmax over |S| = K of det L_S with L_ij = r_i cos(i, j) r_j, greedily. r is how well a cell
fits the question, scaled to 0..1 in its image. Each step takes the cell whose vector r_i v_i is
longest across all vectors kept so far (Gram-Schmidt), which is the greedy step for det L.

Zhang et al., "Beyond Attention or Similarity: Maximizing Conditional Diversity for Token Pruning in
MLLMs", NeurIPS 2025, arXiv 2506.10967.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from homunculus.engines.cells.allocate.order import finish
from homunculus.engines.cells.method import Method
from homunculus.engines.cells.types import Allocation, Field, Relevance, Rule
from homunculus_lab.rivals.encoder import on_encoder, question_of
from homunculus_lab.rivals.exact import keep_all, largest, rows_of, units, whole
from homunculus_lab.rivals.observe import ModelObserver

LEAST = 1e-6
"""Added to relevance, so that no cell has none."""


@dataclass(frozen=True)
class CDPruner(Rule):
    """Greedy conditional DPP over features and the question.

    With ``inverted``, as in the paper's code, a cell counts the more the less it is like the words:
    patches of CLIP are. Set it False for other spaces. Once the kept cells span all features,
    what is left is taken in the order of relevance.
    """

    inverted: bool = True

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        assert field.feature is not None
        if (every := keep_all(field, slots)) is not None:
            return every
        fit = _fit(question_of(field), field.valid, -1.0 if self.inverted else 1.0)
        vector = units(field.feature, field.valid) * fit[..., None]
        gain, free = fit.square(), field.valid
        kept = torch.zeros_like(field.parent[:, :slots])
        basis = torch.zeros_like(vector[:, :slots])
        spare = (fit * 2**8).long()  # far below any gain that is real
        for step in range(slots):
            left = whole(gain.clamp(min=0))
            pick = largest(left * 2**10 + torch.where(left > 0, 0, spare), free)
            kept[:, step : step + 1] = pick
            free = free.scatter(1, pick, False)
            new = rows_of(vector, pick)
            for _ in range(2):  # twice, or rounding leaves a little of what is spanned already
                new = new - (new @ basis.mT) @ basis
            new = units(new) * (left.gather(1, pick) > 0)[..., None]
            basis[:, step : step + 1] = new
            gain = gain - (vector @ new.mT)[..., 0].square()
        return finish(field, kept[..., None], slots)


def _fit(
    question: Float[Tensor, "b n w"], valid: Bool[Tensor, "b n"], sign: float
) -> Float[Tensor, "b n"]:
    """The mean over the words, scaled to 0..1 over the cells of each image."""
    word = question.isfinite() & valid[..., None]
    total = question.double().masked_fill(~word, 0).sum(2)
    value = sign * total / word.sum(2).clamp(min=1)
    low = value.masked_fill(~valid, torch.inf).amin(1, keepdim=True)
    high = value.masked_fill(~valid, -torch.inf).amax(1, keepdim=True)
    return ((value - low + LEAST) / (high - low).clamp(min=LEAST)).masked_fill(~valid, 0)


METHOD = Method(
    "cdpruner",
    "cells that fit the question and differ, by a conditional DPP",
    CDPruner(),
    on_encoder,
    "model",
    needs=frozenset({"features", "question"}),
    observe=ModelObserver(words=True),
)
