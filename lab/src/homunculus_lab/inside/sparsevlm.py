# pyright: basic
"""SparseVLM (Zhang et al., ICML 2025): words of the question rate, some of the rest is merged."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus_lab.inside.prompt import Prompt, attention
from homunculus_lab.inside.rule import InsideRule, Keep, best, spread

SHARES = (3 / 32, 7 / 32, 16 / 32)
"""Shares of the depth: after layers 2, 6 and 15 of 32."""
MERGED, PER_CLUSTER = 0.3, 10
"""The share of dropped tokens that is merged, and how many become one."""


@dataclass(frozen=True)
class SparseVLM(InsideRule):
    """Rated by the words that are most like the image; the best of the rest become a few means."""

    name: ClassVar[str] = "sparsevlm"
    before: ClassVar[int] = 1

    def layers(self, depth: int) -> Sequence[int]:
        """After layers 2, 6 and 15 of 32."""
        return spread(depth, SHARES)

    def choose(self, layer: Any, prompt: Prompt, image: int, tokens: int) -> Keep:
        """The tokens that the raters attend to, and means of others."""
        rows = prompt.rows(image)
        words = raters(prompt.embed, prompt.first, image)
        later = (prompt.image == -1).nonzero()[:, 0][-len(words) :]  # text is never dropped
        mask = torch.zeros_like(prompt.image, dtype=torch.bool)
        mask[later[words]] = True
        weight = attention(layer, prompt, mask).mean((0, 1))[rows]
        return Keep(*self.recycle(prompt, rows, weight, tokens))

    @staticmethod
    def recycle(
        prompt: Prompt, rows: Int[Tensor, "n"], weight: Float[Tensor, "n"], tokens: int
    ) -> tuple[Tensor, Tensor | None]:
        """The best rows, and means of the best of the others, ``tokens`` in all."""
        if tokens >= len(rows):
            return rows, None
        whole = split(len(rows), tokens)
        if whole == tokens:
            return rows[best(weight, tokens)], None
        chosen = best(weight, whole)
        rest = torch.ones_like(weight, dtype=torch.bool).index_fill_(0, chosen, False)
        rest = rest.nonzero()[:, 0]
        again = rest[best(weight[rest], merged(len(rest)))]
        centre, cluster = clusters(prompt.state[rows[again]].float(), tokens - whole)
        mean = means(prompt.state[rows[again]], cluster, tokens - whole)
        keep = torch.cat((rows[chosen], rows[again[centre]]))
        order = keep.argsort()
        return keep[order], torch.cat((prompt.state[rows[chosen]], mean))[order]


# ---- who rates -----------------------------------------------------------------------------------


def raters(
    embed: Float[Tensor, "n d"], image_of: Int[Tensor, "n"], image: int
) -> Bool[Tensor, "_w"]:
    """The words after an image that its tokens resemble more than they resemble words on average.

    Measured on the embeddings, before the first layer.
    """
    own = image_of == image
    after = torch.arange(len(own), device=own.device) > own.nonzero()[-1, 0]
    text = embed[after & (image_of == -1)]  # some, as a prompt ends with text
    share = (embed[own] @ text.T).softmax(-1).mean(0)
    chosen = share > share.mean()
    return chosen if chosen.any() else ~chosen


# ---- what becomes of the rest --------------------------------------------------------------------


def merged(dropped: int) -> int:
    """How many of the dropped tokens are merged."""
    return int(dropped * MERGED) + 1


def split(native: int, tokens: int) -> int:
    """How many tokens stay as they are, so that with the merged ones there are ``tokens``.

    >>> split(576, 110)
    95
    """
    for whole in range(tokens, 0, -1):
        if whole + int(merged(native - whole) / PER_CLUSTER) + 1 <= tokens:
            return whole
    return tokens  # so few that none can be spared for means


def clusters(state: Float[Tensor, "m d"], count: int) -> tuple[Int[Tensor, "c"], Int[Tensor, "m"]]:
    """Centres by density peaks, and the centre of each token."""
    apart = torch.cdist(state, state) / state.shape[1] ** 0.5
    density = (-(apart.topk(count, largest=False).values ** 2).mean(-1)).exp()
    # of equal densities the first counts as the higher one, where the authors add noise
    first = torch.arange(len(state), device=state.device)
    higher = (density > density[:, None]) | (
        (density == density[:, None]) & (first < first[:, None])
    )
    distance = torch.where(higher, apart, apart.max()).amin(-1)
    centre = (distance * density).sort(descending=True, stable=True).indices[:count]
    cluster = apart[centre].argmin(0)
    cluster[centre] = torch.arange(count, device=state.device)
    return centre, cluster


def means(state: Float[Tensor, "m d"], cluster: Int[Tensor, "m"], count: int) -> Tensor:
    """The mean of each cluster."""
    total = torch.zeros(count, state.shape[1], dtype=torch.float32, device=state.device)
    total.index_add_(0, cluster, state.float())
    return (total / cluster.bincount(minlength=count)[:, None]).to(state.dtype)
