"""The head of heights, as it is trained: how large print is, by the word net's features."""

from pathlib import Path
from typing import Any

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from homunculus_lab.train.net import WIDTH
from homunculus_lab.train.storage import load_weights

NAME = "height"
FILE = "height.safetensors"
NARROWEST, WIDEST = -4.0, 3.0
"""Bounds of the log-variance, in octaves squared."""
OCTAVES = 4
"""What it starts at: common print of 16 pixels."""


class HeightHead(nn.Module):
    """Log2 of the height of print in pixels, and log of its variance, from a cell's features."""

    def __init__(self, inner: int = 64) -> None:
        super().__init__()
        self.first = nn.Linear(2 * WIDTH, inner)
        self.second = nn.Linear(inner, 2)

    def forward(
        self, cell: Float[Tensor, "*cells d"]
    ) -> tuple[Float[Tensor, "*cells"], Float[Tensor, "*cells"]]:
        """Mean and log-variance in octaves; pixels are those that the net was shown."""
        mean, spread = self.second(F.relu(self.first(cell))).float().unbind(-1)
        return mean + OCTAVES, spread.clamp(NARROWEST, WIDEST)


def load(path: Path) -> tuple[HeightHead, dict[str, Any]]:
    """The head of a file and what the file says about it: `on` is the word net's hash."""
    head = HeightHead()
    about = load_weights(head, path, NAME)
    return head.requires_grad_(False), about
