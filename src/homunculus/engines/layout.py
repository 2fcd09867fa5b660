# pyright: basic
"""Where each row of a model's image features looks, as integers known before any pixel is encoded.

A tower shows the language model rows of features: cells of a lattice over the image, and with some
families also a thumbnail or the ends of lines. The lattice is what tokens are chosen from.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.types import Grid

Window = tuple[float, float, float, float]
"""y0 x0 y1 x1 in fractions of the image; outside 0 to 1 where the family pads."""
WHOLE: Window = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Layout:
    """One image's rows of features."""

    grid: Grid
    """Rows and columns of the lattice."""
    row: Int[Tensor, "cells"]
    """For each cell of the lattice, in reading order, its row of features."""
    rest: Int[Tensor, "others"]
    """Rows that are no cell: of a thumbnail, of ends of lines."""
    window: Window = WHOLE
    """The part of the image that the lattice covers."""

    @property
    def total(self) -> int:
        """Rows of features, and so placeholders in the untouched prompt."""
        return len(self.row) + len(self.rest)


def plain(rows: int, cols: int, window: Window = WHOLE) -> Layout:
    """A lattice, row by row, and nothing else."""
    return Layout((rows, cols), torch.arange(rows * cols), torch.arange(0), window)


def merged(grids: Sequence[Sequence[int]], merge: int) -> list[Layout]:
    """Of images given as frames, rows and columns of patches that are merged to cells."""
    return [plain(high // merge, wide // merge) for _, high, wide in grids]


def tiled(rows: int, cols: int, side: int, thumbnail: bool) -> Layout:
    """Tiles of side x side cells, one after the other; then perhaps the whole image as one more."""
    cell = torch.arange(rows * cols * side * side).view(rows, cols, side, side)
    row = cell.permute(0, 2, 1, 3).flatten()  # reading order runs through tiles side by side
    rest = torch.arange(len(row), len(row) + side * side * thumbnail)
    return Layout((rows * side, cols * side), row, rest)


def lined(rows: int, cols: int, first: int, window: Window = WHOLE) -> Layout:
    """So many rows of a thumbnail first, then a lattice whose lines end in a row of their own."""
    row = first + torch.arange(rows * (cols + 1)).view(rows, cols + 1)
    rest = torch.cat((torch.arange(first), row[:, -1]))
    return Layout((rows, cols), row[:, :-1].flatten(), rest, window)


def onto(value: Float[Tensor, "h w"], layout: Layout) -> Float[Tensor, "rows cols"]:
    """A map over the whole image brought to the lattice: a cell takes the largest it covers.

    What the family pads around the image is as relevant as the least of the map.
    """
    shown = _window(value, layout.window, float(value.detach().amin()))
    return F.adaptive_max_pool2d(shown[None], layout.grid)[0]


def averaged(value: Float[Tensor, "c h w"], layout: Layout) -> Float[Tensor, "c rows cols"]:
    """Channels over the whole image brought to the lattice: a cell takes the mean it covers.

    What the family pads around the image is zero.
    """
    return F.adaptive_avg_pool2d(_window(value, layout.window, 0.0), layout.grid)


def majority(label: Int[Tensor, "h w"], layout: Layout) -> Int[Tensor, "rows cols"]:
    """Labels over the whole image brought to the lattice: a cell takes the one it covers most of.

    What the family pads around the image is -1; the smaller label wins a tie, -1 loses it.
    """
    shown = _window(label, layout.window, -1)
    count = max(0, int(shown.max()) + 1)
    vote = F.one_hot(torch.where(shown < 0, count, shown), count + 1).movedim(-1, 0)
    most = F.adaptive_avg_pool2d(vote.float(), layout.grid).argmax(0)
    return torch.where(most == count, -1, most)


def _window(value: Tensor, window: Window, around: float | int) -> Tensor:
    """The part of a map that a window shows, in whole cells of the map; ``around`` beyond it."""
    if window == WHOLE:
        return value
    (high, wide), (y0, x0, y1, x1) = value.shape[-2:], window
    top, left = round(y0 * high), round(x0 * wide)
    low, right = max(top + 1, round(y1 * high)), max(left + 1, round(x1 * wide))
    sides = (max(0, -left), max(0, right - wide), max(0, -top), max(0, low - high))
    padded = F.pad(value, sides, value=around)
    top, left = max(0, top), max(0, left)
    return padded[..., top : top + low - round(y0 * high), left : left + right - round(x0 * wide)]


def split(rows: Float[Tensor, "n d"], layouts: Sequence[Layout]) -> list[Float[Tensor, "_ d"]]:
    """Rows of all images, image by image."""
    expected = sum(layout.total for layout in layouts)
    if len(rows) != expected:
        raise ValueError(
            f"engine: expected {expected} rows of image features from the prompt's layout, got "
            f"{len(rows)}. This model lays out its images in a way that is not known here."
        )
    return list(rows.split([layout.total for layout in layouts]))
