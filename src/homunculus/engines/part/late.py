# pyright: basic
"""Pixels late: the processor resizes an image, and only chosen cells are made into patches.

A processor normalises every pixel of an image and copies it into patches, eight bytes for each one,
before anyone knows which cells are kept. Here it stops after resizing. What is made of a cell is
what it would have made, bit for bit; a coarse cell differs by rounding.
"""

import copy
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, UInt8
from torch import Tensor

from homunculus.engines.part.views import Part, framed, halved

KNOWN = "Qwen2VLImageProcessor"
"""The one whose steps are known here; any other does all of its work."""


@dataclass(frozen=True, eq=False)
class Late:
    """Resized images, and the processor that goes on with their cells."""

    images: list[UInt8[Tensor, "c _h _w"]]
    processor: Any

    def rows(self, part: Part, cell: int) -> Float[Tensor, "patches d"]:
        """Patches of a part's cells, which have so many pixels a side."""
        steps = self.processor
        pixels = steps.rescale_and_normalize(
            _cells(self.images[part.image], part, cell), steps.do_rescale, steps.rescale_factor,
            steps.do_normalize, steps.image_mean, steps.image_std,
        )  # fmt: skip
        names = ("patch_size", "merge_size", "temporal_patch_size")
        sizes = {name: getattr(steps, name) for name in names}
        return steps.patchify(pixels, **sizes)[0].flatten(0, 1)


def resizing(processor: Any) -> Any:
    """A copy of a processor whose images are only resized; None if it is no known one."""
    eyes = unfinished(getattr(processor, "image_processor", None))
    if eyes is None:
        return None
    late = copy.copy(processor)
    late.image_processor = eyes
    return late


def unfinished(images: Any) -> Any:
    """The same of an image processor alone."""
    if type(images).__name__ != KNOWN:
        return None
    eyes = copy.copy(images)
    eyes.rescale_and_normalize = lambda image, *_: image
    eyes.patchify = _unpatched
    return eyes


def _unpatched(image: Tensor, patch_size: int, **_: Any) -> tuple[Tensor, int, int]:
    """Pixels in a row, so that images of all sizes can stand one after the other."""
    return image.flatten(1), image.shape[2] // patch_size, image.shape[3] // patch_size


def unfolded(inputs: Any, images: Any) -> Late:
    """The images that an unfinished image processor left in its inputs; ``images`` finishes."""
    sizes = (inputs["image_grid_thw"][:, 1:] * images.patch_size).tolist()
    parts = inputs["pixel_values"].split([3 * high * wide for high, wide in sizes])
    shaped = [part.view(3, *size) for part, size in zip(parts, sizes, strict=True)]
    return Late(shaped, images)


def _cells(image: UInt8[Tensor, "c h w"], part: Part, cell: int) -> Tensor:
    """Pixels of a part's cells: k c side side."""
    if part.frame is not None:
        return _framed(image, part, cell)
    side = cell << part.level
    top, left = (at * side for at in (part.cell // part.grid[1], part.cell % part.grid[1]))
    high, wide = (image.shape[1] - top).clamp(max=side), (image.shape[2] - left).clamp(max=side)
    kind = torch.float32 if part.level else image.dtype
    out = image.new_empty((len(part.cell), len(image), cell, cell), dtype=kind)
    # cells that the border cuts are smaller, and filled up as the whole image would be
    for h, w in set(zip(high.tolist(), wide.tolist(), strict=True)):
        mine = ((high == h) & (wide == w)).nonzero()[:, 0]
        corners = zip(top[mine].tolist(), left[mine].tolist(), strict=True)
        block = torch.stack([image[:, y : y + h, x : x + w] for y, x in corners]).flatten(0, 1)
        if (h, w) == (side, side):
            block = _shrunk(block, part.level)
        else:
            for _ in range(part.level):
                block = halved(block.float(), cell)
        out[mine.to(out.device)] = block.view(len(mine), -1, cell, cell)
    return out


def _shrunk(block: UInt8[Tensor, "n h w"], level: int) -> Tensor:
    """Means of squares; lines are added as integers first, which touches memory least."""
    if not level:
        return block
    many = 1 << level
    lines = block.unflatten(1, (-1, many))
    total = lines[:, :, 0].int() if level > 7 else lines[:, :, 0].short()
    for line in range(1, many):
        total += lines[:, :, line]
    return F.avg_pool2d(total.float()[None], (1, many))[0] / many


def _framed(image: UInt8[Tensor, "c h w"], part: Part, cell: int) -> Float[Tensor, "k c s s"]:
    """All cells of a frame brought to its grid."""
    assert part.frame is not None
    y0, x0, y1, x1 = (cell * edge for edge in part.frame)
    rows, cols = part.grid
    whole = (0, 0, part.frame[2] - part.frame[0], part.frame[3] - part.frame[1])
    view = framed(image[:, y0:y1, x0:x1].float(), whole, part.grid, cell)
    cells = view.view(len(view), rows, cell, cols, cell).permute(1, 3, 0, 2, 4).flatten(0, 1)
    return cells[part.cell.to(cells.device)]
