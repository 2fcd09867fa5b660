# pyright: basic
"""Pixels of slots that mix cells, and of cells that are not square."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Bool, Float
from torch import Tensor

from homunculus.engines.cells.pack import footprint
from homunculus.engines.cells.types import Allocation, Field


def enlarge(mask: Tensor, times: int) -> Tensor:
    """Every cell as a square of pixels."""
    return mask.repeat_interleave(times, 0).repeat_interleave(times, 1)


def mix_tokens(
    chain: Sequence[Tensor], field: Field, allocation: Allocation, patch: int
) -> tuple[Tensor, Tensor]:
    """Weighted means of cells over the footprint of each slot, large ones first; where there are
    any. ``chain`` is the page and its averages, alone if cells are no squares.
    """
    canvas, covered = torch.zeros_like(chain[0]), torch.zeros(chain[0].shape[1:], dtype=torch.bool)
    box = footprint(field, allocation)[0]
    area = (box[:, 2:] - box[:, :2]).prod(1)
    order = area.argsort(descending=True, stable=True)
    order = order[allocation.valid[0, order]]
    edges = (box[order] * patch).round().long().tolist()
    shapes: Sequence[Tensor | None] = [None] * len(edges)
    if field.regular:
        token = _tokens(chain, field, allocation, order, patch)
    else:
        token, shapes = _shaped(chain[0], field, allocation, order, patch)
    sizes = [(max(1, bottom - top), max(1, right - left)) for top, left, bottom, right in edges]
    tokens = _sized(token, sizes, patch)
    for large, inside, (top, left, bottom, right) in zip(tokens, shapes, edges, strict=True):
        y, x = max(0, -top), max(0, -left)
        part = large[:, y:, x:]
        here = canvas[:, top + y : bottom, left + x : right]
        part = part[:, : here.shape[1], : here.shape[2]]
        own = torch.tensor(True)
        if inside is not None:
            cells = inside[top // patch : -(-bottom // patch), left // patch : -(-right // patch)]
            own = enlarge(cells, patch)[: here.shape[1], : here.shape[2]]
        here.copy_(torch.where(own, part, here))
        covered[top + y : bottom, left + x : right] |= own
    return canvas, covered


def _sized(
    token: Float[Tensor, "k 3 p p"], sizes: Sequence[tuple[int, int]], patch: int
) -> list[Tensor]:
    """Each token enlarged to its size; those of one size together."""
    sized: list[Tensor] = list(token)
    for size in set(sizes) - {(patch, patch)}:
        slots = [slot for slot, other in enumerate(sizes) if other == size]
        for slot, large in zip(
            slots, F.interpolate(token[slots], size, mode="bicubic"), strict=True
        ):
            sized[slot] = large
    return sized


def _cells(average: Tensor, patch: int) -> Float[Tensor, "r w 3 p p"]:
    return rearrange(average, "c (r i) (w j) -> r w c i j", i=patch, j=patch)


def _tokens(
    chain: Sequence[Tensor], field: Field, allocation: Allocation, order: Tensor, patch: int
) -> Float[Tensor, "k 3 p p"]:
    """The pixels of slots of a pyramid."""
    cells = torch.cat([_cells(average, patch).flatten(0, 1) for average in chain])
    level = field.level[0]
    wide = torch.tensor([average.shape[2] // patch for average in chain])
    counts = torch.tensor([average.shape[1] * average.shape[2] // patch**2 for average in chain])
    row, col = (field.box[0, :, :2].long() >> level[:, None]).unbind(-1)
    place = (counts.cumsum(0) - counts)[level] + row * wide[level] + col
    index, weight = allocation.index[0, order], allocation.weight[0, order].detach()
    token = torch.zeros(len(order), *cells.shape[1:])
    for part in range(index.shape[1]):  # in order, as a slot adds them up
        token += weight[:, part, None, None, None] * cells[place[index[:, part]]]
    return token


def _shaped(
    whole: Tensor, field: Field, allocation: Allocation, order: Tensor, patch: int
) -> tuple[Float[Tensor, "k 3 p p"], list[Bool[Tensor, "rows cols"]]]:
    """The pixels of slots whose cells are not square, and the level-0 cells that each covers."""
    cells, token, shapes = _cells(whole, patch), [], []
    for slot in order.tolist():
        weight = allocation.weight[0, slot].detach()
        mean = torch.zeros(3, patch, patch)
        shape = torch.zeros(cells.shape[:2], dtype=torch.bool)
        read = allocation.index[0, slot][weight > 0]
        for cell, share in zip(read.tolist(), weight[weight > 0], strict=True):
            row, col = field.box[0, leaves(field, cell), :2].long().unbind(-1)
            mean += share * cells[row, col].mean(0)
            shape[row, col] = True
        token.append(mean)
        shapes.append(shape)
    return torch.stack(token), shapes


def leaves(field: Field, cell: int) -> Bool[Tensor, "n"]:
    """The level-0 cells below one cell, itself if it is one."""
    here = torch.arange(field.level.shape[1])
    below = here == cell
    for _ in range(field.levels):
        here = field.parent[0, here]
        below |= here == cell
    return below & (field.level[0] == 0) & field.valid[0]
