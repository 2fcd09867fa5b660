# pyright: basic
"""One prompt at one layer, without padding, and the attention that some of its rows pay."""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Prompt:
    """The rows of one prompt where tokens are dropped."""

    hidden: Float[Tensor, "n d"]
    """The input of the layer that rates."""
    cos: Float[Tensor, "n h"]
    sin: Float[Tensor, "n h"]
    image: Int[Tensor, "n"]
    """Which image a row belongs to; -1 for text."""
    state: Float[Tensor, "n d"]
    """The input of the layer before which tokens are dropped."""
    embed: Float[Tensor, "n0 d"]
    """The prompt at the input of the first layer."""
    first: Int[Tensor, "n0"]
    """Which image a row of ``embed`` belongs to."""

    def rows(self, image: int) -> Int[Tensor, "_m"]:
        """The rows of an image."""
        return (self.image == image).nonzero()[:, 0]


@torch.no_grad()
def attention(layer: Any, prompt: Prompt, raters: Bool[Tensor, "n"]) -> Float[Tensor, "h r n"]:
    """The attention of some rows to all, by heads, as the layer itself pays it.

    Computed from the layer's own weights for these rows alone, so it does not matter whether the
    model runs with eager, SDPA or flash attention.
    """
    own = layer.self_attn
    state = layer.input_layernorm(prompt.hidden)
    query, key = own.q_proj(state[raters]), own.k_proj(state)
    query, key = (value.unflatten(-1, (-1, own.head_dim)) for value in (query, key))
    if hasattr(own, "q_norm"):
        query, key = own.q_norm(query), own.k_norm(key)
    query = rotate(query, prompt.cos[raters], prompt.sin[raters]).transpose(0, 1)
    key = rotate(key, prompt.cos, prompt.sin).transpose(0, 1)
    key = key.repeat_interleave(query.shape[0] // key.shape[0], 0)
    logit = (query @ key.mT * own.scaling).float()
    row = torch.arange(len(raters), device=logit.device)
    return logit.masked_fill(row > row[raters][:, None], -torch.inf).softmax(-1)


def rotate(
    value: Float[Tensor, "n heads h"], cos: Float[Tensor, "n h"], sin: Float[Tensor, "n h"]
) -> Float[Tensor, "n heads h"]:
    """Rotary positions."""
    first, second = value.chunk(2, -1)
    return value * cos[:, None] + torch.cat((-second, first), -1) * sin[:, None]
