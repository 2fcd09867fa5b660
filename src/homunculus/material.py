# pyright: basic
"""The material of a picture: what some methods need to know of it besides relevance.

The same for `look`, the engines and the bench. Only what is asked for is computed.
"""

from collections.abc import Collection

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, UInt8
from torch import Tensor

from homunculus import score
from homunculus.atlas import segment
from homunculus.method import Material, Need

FEATURES: frozenset[Need] = frozenset({"features"})
"""What is made even where nothing needs it: `random` draws by the content."""


def material(pixels: UInt8[Tensor, "3 h w"], needs: Collection[Need], patch: int = 16) -> Material:
    """Features, regions and band energies of a picture's level-0 cells, those that are needed."""
    label, count = segment(pixels, patch) if "regions" in needs else (None, 0)
    return Material(
        feature=colours(pixels, patch) if "features" in needs else None,
        label=None if label is None else label[None],
        labels=count,
        energy=energies(pixels, patch) if "bands" in needs else None,
    )


def colours(pixels: UInt8[Tensor, "3 h w"], patch: int = 16) -> Float[Tensor, "1 n 5"]:
    """Mean colour of each cell around grey, how much it varies, and a constant.

    The constant channel lets brightness turn the vector, for those who compare by angle.
    """
    unit = pixels[None].float() / 255
    spare = (0, -unit.shape[3] % patch, 0, -unit.shape[2] % patch)
    cell = rearrange(
        F.pad(unit, spare, mode="replicate"),
        "b c (r i) (w j) -> b (r w) c (i j)", i=patch, j=patch,
    )  # fmt: skip
    spread = cell.mean(2).std(2, correction=0, keepdim=True)
    return torch.cat((cell.mean(3) - 0.5, spread, torch.full_like(spread, 0.5)), 2)


def energies(pixels: UInt8[Tensor, "3 h w"], patch: int = 16) -> Float[Tensor, "1 n 4"]:
    """How much of each cell's detail runs each way."""
    energy = score.orientations(pixels[None].float() / 255, patch)
    return rearrange(energy, "b o rows cols -> b (rows cols) o")
