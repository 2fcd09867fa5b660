# pyright: basic
"""Regions without weights: a graph-based segmenter, so that the `atlas` method runs anywhere.

A model such as SAM cuts along objects; this cuts along colour (Felzenszwalb and Huttenlocher,
2004). It stands in for one, and whoever has masks passes their own labels.
"""

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Int, UInt8
from torch import Tensor

from homunculus.extra import need

SIDE = 512
"""Pixels along the longer side of the picture that is segmented, about."""
SCALE = 300
"""How unlike two regions must be to stay apart: here a sign, a tie and a line of print do."""


def segment(
    pixels: UInt8[Tensor, "3 h w"], patch: int = 16, most: int = 64
) -> tuple[Int[Tensor, "n"], int]:
    """The region of each level-0 cell by majority of its pixels, and how many regions there are.

    Regions are numbered by size, largest first; those beyond ``most`` and those of fewer than two
    cells are background, -1.
    """
    rows, cols = (-(-side // patch) for side in pixels.shape[1:])
    inside = max(1, min(patch, 8, SIDE // max(rows, cols)))
    small = _reduced(pixels, rows, cols, patch, inside)
    skimage = need("skimage.segmentation", extra="atlas", who="homunculus.atlas")
    least = max(2 * inside**2, small.shape[0] * small.shape[1] // (4 * most))
    piece = torch.from_numpy(
        skimage.felzenszwalb(small.numpy(), scale=SCALE, sigma=0.8, min_size=least)
    )
    label = _majority(rearrange(piece, "(r i) (c j) -> (r c) (i j)", i=inside, j=inside))
    return _numbered(label, most)


def _reduced(
    pixels: UInt8[Tensor, "3 h w"], rows: int, cols: int, patch: int, inside: int
) -> UInt8[Tensor, "y x 3"]:
    """``inside`` x ``inside`` pixels a cell; border cells continue their last pixel."""
    spare = (0, cols * patch - pixels.shape[2], 0, rows * patch - pixels.shape[1])
    whole = F.pad(pixels[None].float(), spare, mode="replicate")
    small = F.adaptive_avg_pool2d(whole, (rows * inside, cols * inside))
    return rearrange(small[0], "c h w -> h w c").round().to(torch.uint8)


def _majority(vote: Int[Tensor, "n v"]) -> Int[Tensor, "n"]:
    """The most frequent label of each row; the smaller label wins a tie."""
    labels = int(vote.max()) + 1
    cell = torch.arange(vote.shape[0])[:, None]
    pair, count = (cell * labels + vote).unique(return_counts=True)
    key = count * labels + labels - 1 - pair % labels
    best = torch.zeros_like(cell[:, 0]).scatter_reduce(0, pair // labels, key, "amax")
    return labels - 1 - best % labels


def _numbered(label: Int[Tensor, "n"], most: int) -> tuple[Int[Tensor, "n"], int]:
    """Labels 0.. by falling size (ties by first label); what is small or too many is -1."""
    _, dense, size = label.unique(return_inverse=True, return_counts=True)
    order = size.argsort(descending=True, stable=True)
    count = min(most, int((size >= 2).sum()))
    name = torch.full_like(size, -1)
    name[order[:count]] = torch.arange(count)
    return name[dense], count
