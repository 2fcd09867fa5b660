"""What a vision encoder tells of an image's cells besides their features: attention and keys."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Tower:
    """What a vision encoder tells of its level-0 cells besides their features."""

    attention: Float[Tensor, "b n"]
    """The share of attention each cell gets, in a layer near the end."""
    key: Float[Tensor, "b n c"] | None = None
    """What that layer compares cells by; None for their features."""
    glance: Float[Tensor, "b n"] | None = None
    """The attention of the first layer, to a small view of the whole where there is one."""
    tile: Int[Tensor, "b n"] | None = None
    """The tile that each cell was encoded in; None if there is one for all."""

    def to(self, device: torch.device) -> "Tower":
        """The same on another device."""
        rest = (self.key, self.glance, self.tile)
        moved = [None if one is None else one.to(device) for one in rest]
        return Tower(self.attention.to(device), *moved)
