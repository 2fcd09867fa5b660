"""How large print is: a small head on the word net's features, and a map of it for a page.

Heights are logarithms of base 2 (octaves): an error of 1 is a factor of two at any size. A page is
read at several sizes, and each is sure of print that it can read. They are averaged by that.
"""

from collections.abc import Sequence
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from homunculus.scouts.words.net import WIDTH, load_weights

NAME = "height"
FILE = "height.safetensors"
SIZE_ERROR = 0.37
"""One standard deviation in octaves, on real pages, receipts and street words in equal shares."""
OFFSET = 0.1
"""Octaves by which print is higher than the head says, on 192 questions of rendered pages. Boxes
that people drew on receipts are .28 higher still: they leave room around the print."""
NARROWEST, WIDEST = -4.0, 3.0
"""Bounds of the log-variance, in octaves squared."""
AROUND = ((4, 0.05), (16, 1e-3))
"""Where a cell has no text: side of the neighbourhood in cells, and how much it weighs."""
NOWHERE = 1e-6
"""Weight of the page's median height, which is left where there is no text around."""

Octaves = Float[Tensor, "r c"]
"""A map of log2 of heights in pixels."""


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
        return mean + 4, spread.clamp(NARROWEST, WIDEST)  # 2**4 pixels: it starts at common print

    def weigh(
        self, cell: Float[Tensor, "r c d"], text: Octaves, enlarged: float
    ) -> Float[Tensor, "2 r c"]:
        """Weight of each cell, and weight times octaves, for `merge_sizes`.

        ``enlarged`` is by how many octaves the page was shown larger than the map has it. Cells
        weigh by how sure the head is, and by how surely they hold text.
        """
        mean, spread = self(cell.float())
        weight = text.square() * (-spread).exp()
        return torch.stack((weight, weight * (mean - enlarged)))


def merge_sizes(parts: Sequence[Float[Tensor, "2 _ _"]], text: Octaves) -> Octaves:
    """One map from those of all sizes, on the cells of ``text``; filled where there is no text."""
    grid = (text.shape[0], text.shape[1])
    weighed = torch.stack([_onto(part, grid) for part in parts]).sum(0)
    weight, octaves = weighed
    printed = (octaves / weight.clamp(min=1e-12))[text > 0.5]
    usual = printed.median() if len(printed) else octaves.sum() / weight.sum().clamp(min=1e-12)
    full = weighed + NOWHERE * torch.stack((torch.ones_like(text), usual.expand(grid)))
    for side, share in AROUND:
        coarse = (-(-grid[0] // side), -(-grid[1] // side))
        full = full + share * _onto(F.adaptive_avg_pool2d(weighed, coarse), grid)
    return full[1] / full[0]


def on_grid(octaves: Octaves, text: Octaves, grid: tuple[int, int]) -> Float[Tensor, "r2 c2"]:
    """The map on another grid: a mean of octaves in which text counts most."""
    weight = text + 1e-3
    weight, weighed = _onto(torch.stack((weight, weight * octaves)), grid)
    return weighed / weight


def _onto(value: Float[Tensor, "n r c"], grid: tuple[int, int]) -> Float[Tensor, "n r2 c2"]:
    """Means, not the largest: sums of weights and of weighted values stay in step."""
    return F.interpolate(value[None], grid, mode="bilinear", antialias=True)[0]


def load(path: Path, net: str) -> HeightHead:
    """The head of a file; it must have been trained on the net with this hash."""
    head = HeightHead()
    about = load_weights(head, path, NAME)
    if about.get("on") != net:
        raise ValueError(
            f"height: {path} was trained on another word net than the one beside it. "
            f"Train it again with `homunculus train height --out {path.parent}`."
        )
    return head.requires_grad_(False)
