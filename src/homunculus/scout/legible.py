"""How finely text must be seen to be read: relevance that knows when enough is enough.

A line of large print is legible at half or a quarter of the resolution; splitting its cells
further buys nothing. So what a split is worth is the chance that the answer stands there, times
how much more of it could be read afterwards.
"""

import torch
from jaxtyping import Float
from torch import Tensor

ENOUGH = 7.0
"""Pixels of text height, as kept, at which half of it can be read."""
SOFT = 0.8
"""How fast that grows: from a quarter to three quarters within about two of these."""
LEAST = 0.02
"""What detail is worth beyond legibility: not nothing, heights are estimates."""


def legibility(height: Float[Tensor, "*cells"]) -> Float[Tensor, "*cells"]:
    """The share of text of this height, in kept pixels, that can be read.

    >>> legibility(torch.tensor([3.0, 7.0, 14.0])).round(decimals=2)
    tensor([0.0100, 0.5000, 1.0000])
    """
    return torch.sigmoid((height - ENOUGH) / SOFT)


def staged(
    logit: Float[Tensor, "rows cols"], height: Float[Tensor, "rows cols"], levels: int
) -> Float[Tensor, "levels rows cols"]:
    """Relevance for each level that a cell may be left at: the value of not leaving it there."""
    coarse = height / 2 ** torch.arange(levels, device=height.device)[:, None, None]
    gain = (legibility(height) - legibility(coarse)).clamp(min=0)
    gain = torch.where(height > 0, gain, 1.0)  # without text nobody knows what detail shows
    return logit + (LEAST + (1 - LEAST) * gain).log()
