"""The material of a picture: what some methods need to know of it besides relevance.

`look`, the engines and the bench all use it. Only what is needed is computed.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, Int, UInt8
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.border import tensor
from homunculus.engines.cells.methods import Material, Need
from homunculus.scouts import things
from homunculus.scouts.pixels import orientations
from homunculus.scouts.sight import Pixels
from homunculus_lab.methods.segments import smallest

SIDE = 512
"""Pixels along the longer side of the picture that is segmented, about."""
SCALE = 300
"""How unlike two regions must be to stay apart: here a sign, a tie and a line of print do."""


Finds = Callable[[Any, Sequence[str]], Sequence[Any]]
"""A `homunculus.scouts.things.Detector`, which comes with another extra than regions do."""
THING = 0.3
"""Score from which what a detector sees is a region."""


def segment(
    pixels: Pixels,
    patch: int = 16,
    max_regions: int = 64,
    detector: Finds | None = None,
) -> tuple[Int[Tensor, "n"], int]:
    """The region of each level-0 cell, and how many regions there are.

    A thing that ``detector`` sees is a region, a part of it another one; elsewhere regions are
    alike in colour, by majority of a cell's pixels. They are numbered by size, largest first; those
    beyond ``max_regions`` and those of fewer than two cells are background, -1.
    """
    rows, cols = (-(-side // patch) for side in pixels.shape[1:])
    inside = max(1, min(patch, 8, SIDE // max(rows, cols)))
    small = _reduced(pixels, rows, cols, patch, inside)
    from skimage.segmentation import felzenszwalb  # slow to import, and few methods need it

    least = max(2 * inside**2, small.shape[0] * small.shape[1] // (4 * max_regions))
    piece = torch.from_numpy(felzenszwalb(small.numpy(), scale=SCALE, sigma=0.8, min_size=least))
    label = _majority(rearrange(piece, "(r i) (c j) -> (r c) (i j)", i=inside, j=inside))
    if detector is not None:
        label = _with_things(label, pixels, (rows, cols), patch, detector)
    return _numbered(label, max_regions)


def _with_things(
    label: Int[Tensor, "n"],
    pixels: Pixels,
    grid: Grid,
    patch: int,
    detector: Finds,
) -> Int[Tensor, "n"]:
    """The label of a thing on the cells whose middle it holds, else the one given."""
    boxes = [thing.box for thing in detector(pixels, ()) if thing.score >= THING]
    if not boxes:
        return label
    x0, y0, x1, y1 = torch.tensor(boxes).T[..., None]
    y, x = (
        (torch.arange(cells) + 0.5) * patch / side
        for cells, side in zip(grid, pixels.shape[1:], strict=True)
    )
    down, across = (y0 <= y) & (y < y1), (x0 <= x) & (x < x1)
    masks = rearrange(down[:, :, None] & across[:, None, :], "t r c -> 1 t (r c)")
    thing = smallest(masks)[0]
    return torch.where(thing >= 0, thing, label + len(boxes))


def _reduced(
    pixels: Pixels, rows: int, cols: int, patch: int, inside: int
) -> UInt8[Tensor, "y x 3"]:
    """``inside`` x ``inside`` pixels a cell; border cells continue their last pixel."""
    spare = (0, cols * patch - pixels.shape[2], 0, rows * patch - pixels.shape[1])
    whole = F.pad(tensor(pixels)[None].float(), spare, mode="replicate")
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


def _numbered(label: Int[Tensor, "n"], max_regions: int) -> tuple[Int[Tensor, "n"], int]:
    """Labels 0.. by falling size (ties by first label); what is small or too many is -1."""
    _, dense, size = label.unique(return_inverse=True, return_counts=True)
    order = size.argsort(descending=True, stable=True)
    count = min(max_regions, int((size >= 2).sum()))
    name = torch.full_like(size, -1)
    name[order[:count]] = torch.arange(count)
    return name[dense], count


def material(pixels: Pixels, patch: int, needs: Collection[Need]) -> Material:
    """Features, regions and band energies of a picture's level-0 cells, those that are needed."""
    label, count = None, 0
    if "regions" in needs:
        detector = things.shipped() if things.available() else None
        label, count = segment(pixels, patch, detector=detector)
    return Material(
        feature=colours(pixels, patch) if "features" in needs else None,
        label=None if label is None else label[None],
        labels=count,
        energy=energies(pixels, patch) if "bands" in needs else None,
    )


def colours(pixels: Pixels, patch: int = 16) -> Float[Tensor, "1 n 5"]:
    """Mean colour of each cell around grey, how much it varies, and a constant.

    The constant channel lets brightness turn the vector, for those who compare by angle.
    """
    unit = tensor(pixels)[None].float() / 255
    spare = (0, -unit.shape[3] % patch, 0, -unit.shape[2] % patch)
    cell = rearrange(
        F.pad(unit, spare, mode="replicate"),
        "b c (r i) (w j) -> b (r w) c (i j)", i=patch, j=patch,
    )  # fmt: skip
    spread = cell.mean(2).std(2, correction=0, keepdim=True)
    return torch.cat((cell.mean(3) - 0.5, spread, torch.full_like(spread, 0.5)), 2)


def energies(pixels: Pixels, patch: int = 16) -> Float[Tensor, "1 n 4"]:
    """How much of each cell's detail runs each way."""
    return rearrange(tensor(orientations(pixels, patch)), "o rows cols -> 1 (rows cols) o")
