# pyright: basic
"""Rebuilds pixels from an allocation, using only what it keeps.

A cell of level l is worth patch x patch pixels of the page averaged over 2^l x 2^l; a slot that
reads several cells is worth their weighted mean, as its embedding is. Neighbours share borders.
An oriented band counts as its whole cell, which flatters `frequency`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log2

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Bool, Float
from PIL import Image
from torch import Tensor

from homunculus.engines.border import tensor
from homunculus.engines.cells.pack import footprint
from homunculus.engines.cells.types import Allocation, Field
from homunculus.pages import to_array, to_image
from homunculus.scouts.sight import Pixels
from homunculus_lab.measure.means import enlarge, mix_tokens


@dataclass(frozen=True, eq=False)
class Page:
    """Pixels of a page and its averages, made once for all that is rebuilt from it."""

    pixels: Pixels
    patch: int = 16

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of level-0 cells."""
        return -(-self.pixels.shape[1] // self.patch), -(-self.pixels.shape[2] // self.patch)

    @cached_property
    def _chains(self) -> dict[int, list[Tensor]]:
        return {}

    def chain(self, levels: int) -> list[Float[Tensor, "3 _h _w"]]:
        """The page and its box averages, padded by its border to whole cells of the coarsest."""
        if levels not in self._chains:
            side = self.patch << (levels - 1)
            high, wide = self.pixels.shape[1:]
            spare = (0, -wide % side, 0, -high % side)
            padded = F.pad(tensor(self.pixels)[None].float(), spare, mode="replicate")
            averages = [padded[0]]
            for _ in range(levels - 1):
                averages.append(F.avg_pool2d(averages[-1][None], 2)[0])
            self._chains[levels] = averages
        return self._chains[levels]


def rebuild(page: Page, field: Field, allocation: Allocation) -> Pixels:
    """The page as its kept tokens show it; where nothing was kept, the mean colour of the rest.

    Slots that mix cells, and cells that are no squares, have no neighbours on their level: each is
    enlarged by itself.
    """
    if len(field.grids) != 1 or field.grids[0] != page.grid:
        raise ValueError(f"rebuild: one page of grid {page.grid}, got fields of {field.grids}")
    plain = field.regular and allocation.index.shape[2] == 1
    if plain:
        canvas, covered = _smooth(page, field, allocation)
    else:
        chain = page.chain(field.levels if field.regular else 1)
        canvas, covered = mix_tokens(chain, field, allocation, page.patch)
    high, wide = page.pixels.shape[1:]
    canvas, covered = canvas[:, :high, :wide], covered[:high, :wide]
    if not covered.all():
        colour = (canvas * covered).sum((1, 2)) / covered.sum().clamp(min=1)
        canvas = torch.where(covered, canvas, colour[:, None, None])
    return canvas.clamp(0, 255).round().to(torch.uint8).numpy()


def _level_mask(field: Field, allocation: Allocation, level: int, high: int, wide: int) -> Tensor:
    """Which cells of one level are kept, as a raster."""
    index = allocation.index[0, :, 0][allocation.valid[0]]
    index = index[field.level[0, index] == level]
    row, col = (field.box[0, index, :2].long() >> level).unbind(-1)
    mask = torch.zeros(high, wide, dtype=torch.bool)
    mask[row, col] = True
    return mask


def _smooth(page: Page, field: Field, allocation: Allocation) -> tuple[Tensor, Tensor]:
    """Coarse to fine: true pixels where a level is known, else the level above enlarged.

    A pixel is known where a kept cell of its level covers it, or where its four parts are.
    """
    patch, chain = page.patch, page.chain(field.levels)
    known: list[Tensor] = []
    covered = torch.zeros(chain[0].shape[1:], dtype=torch.bool)
    for level, true in enumerate(chain):
        high, wide = true.shape[1:]
        mask = _level_mask(field, allocation, level, high // patch, wide // patch)
        mask = enlarge(mask, patch)
        covered |= enlarge(mask, 2**level)
        known.append(mask | _all_four(known[-1]) if known else mask)
    shown = chain[-1]
    if not known[-1].all():
        shown = torch.where(known[-1], shown, _colour(chain, known)[:, None, None])
    for true, sure in zip(chain[-2::-1], known[-2::-1], strict=True):
        larger = F.interpolate(shown[None], scale_factor=2, mode="bicubic")[0].clamp(0, 255)
        shown = torch.where(sure, true, larger)
    return shown, covered


def _all_four(mask: Bool[Tensor, "h w"]) -> Bool[Tensor, "_h _w"]:
    return rearrange(mask, "(r i) (c j) -> r c (i j)", i=2, j=2).all(2)


def _colour(chain: Sequence[Tensor], known: Sequence[Tensor]) -> Float[Tensor, "3"]:
    """Mean of what is known, each place at its finest."""
    total, area = torch.zeros(3), torch.zeros(())
    finer = torch.zeros_like(known[0])
    for level, (true, sure) in enumerate(zip(chain, known, strict=True)):
        if level:
            finer = _all_four(finer)
        new = sure & ~finer
        total = total + (true * new).sum((1, 2)) * 4**level
        area = area + new.sum() * 4**level
        finer = finer | sure
    return total / area.clamp(min=1)


def finest(field: Field, allocation: Allocation) -> Float[Tensor, "rows cols"]:
    """The finest level kept over each level-0 cell, inf where nothing is.

    A slot that mixes cells counts as the square of its footprint's area: at most that fine.
    """
    level = torch.full(field.grids[0], torch.inf)
    box = footprint(field, allocation)[0]
    plain = allocation.index.shape[2] == 1
    for slot, side in enumerate(box.tolist()):
        if not allocation.valid[0, slot]:
            continue
        top, left, bottom, right = (round(edge) for edge in side)
        area = max(1.0, (side[2] - side[0]) * (side[3] - side[1]))
        cell = int(allocation.index[0, slot, 0])
        fine = float(field.level[0, cell]) if plain and field.regular else log2(area) / 2
        here = level[max(0, top) : max(0, bottom), max(0, left) : max(0, right)]
        here.clamp_(max=fine)
    return level


def shrink_size(size: tuple[int, int], slots: int, patch: int = 16) -> tuple[int, int]:
    """The largest height and width of the same shape whose cells fit the slots.

    >>> shrink_size((1024, 1024), 64), shrink_size((100, 60), 1000)
    ((128, 128), (100, 60))
    """

    def sized(scale: float) -> tuple[int, int]:
        return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))

    def fits(scale: float) -> bool:
        high, wide = sized(scale)
        return ceil(high / patch) * ceil(wide / patch) <= slots

    if fits(1.0):
        return size
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return sized(low)


def resize_to(pixels: Pixels, size: tuple[int, int], shape: tuple[int, int]) -> Pixels:
    """Pixels at a smaller size (Lanczos), shown at the size of the page (bicubic)."""
    small = to_image(pixels).resize((size[1], size[0]), Image.Resampling.LANCZOS)
    shown = small.resize((shape[1], shape[0]), Image.Resampling.BICUBIC)
    return to_array(shown)
