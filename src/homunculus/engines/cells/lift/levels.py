"""Regular lifts: the grid, the pyramid over it, its oriented bands; relevance and pixels on them.

Grids may be ragged: border cells are clipped to the image, and a clipped cell has fewer children.
"""

from collections.abc import Sequence
from dataclasses import replace

import torch
import torch.nn.functional as F
from einops import rearrange, repeat
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.cache import cached, ramp
from homunculus.engines.cells.check import check_cells, check_grids
from homunculus.engines.cells.types import MAX_CELLS, Field, Relevance

DEEPEST = MAX_CELLS.bit_length()
"""No image needs more levels: that many halvings turn any side into one cell."""


def sides(grids: Sequence[Grid], levels: int) -> tuple[Int[Tensor, "b l"], Int[Tensor, "b l"]]:
    """Rows and columns of every level of every image, finest first."""
    size = torch.tensor(grids, device="cpu")[:, :, None]
    step = 2 ** torch.arange(levels, device="cpu")
    rows, cols = ((size + step - 1) // step).unbind(1)
    return rows, cols


def levels_for(grids: Sequence[Grid], slots: int) -> Int[Tensor, "b"]:
    """How many levels leave at most a quarter of the slots to the roots (one root at least).

    >>> levels_for([(64, 64), (3, 5)], 273).tolist()
    [4, 1]
    """
    rows, cols = sides(check_grids(grids), DEEPEST)
    return 1 + (rows * cols > max(1, slots // 4)).sum(1).clamp(max=DEEPEST - 1)


def grid(grids: Sequence[Grid], feature: Float[Tensor, "b n d"] | None = None) -> Field:
    """Every level-0 cell, in reading order."""
    return pyramid(grids, 1, feature)


def pyramid(
    grids: Sequence[Grid],
    levels: int | Int[Tensor, "b"],
    feature: Float[Tensor, "b n d"] | None = None,
) -> Field:
    """The grid and its halvings. ``feature`` is given for level 0; coarser cells get the mean.

    >>> field = pyramid([(3, 3)], 2)
    >>> field.box[0, 3].tolist(), field.children[0].tolist()
    ([2.0, 2.0, 3.0, 3.0], [4, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    """
    grids = check_grids(grids)
    depth = levels if isinstance(levels, Tensor) else torch.full((len(grids),), levels)
    if len(set(grids)) == 1 and bool((depth == depth[0]).all()):
        field = _alike(grids[0], len(grids), int(depth[0]))
    else:
        field = _geometry(grids, depth.cpu())
    return field if feature is None else with_feature(field, feature)


@cached
def _alike(size: Grid, images: int, levels: int) -> Field:
    """Images of one size share their geometry, and it is the same the next time."""
    field = _geometry((size,), torch.tensor([levels]))
    several = (images, -1)
    return replace(
        field,
        grids=(size,) * images,
        full=True,
        box=field.box.expand(*several, -1),
        level=field.level.expand(several),
        parent=field.parent.expand(several),
        children=field.children.expand(several),
        valid=field.valid.expand(several),
    )


def _geometry(grids: tuple[Grid, ...], depth: Int[Tensor, "b"]) -> Field:
    levels = int(depth.max())
    rows, cols = sides(grids, levels)
    count = rows * cols * (torch.arange(levels) < depth[:, None])
    end = count.flip(1).cumsum(1).flip(1)  # one past a level's last cell: coarse levels come first
    start = end - count
    place = torch.arange(int(end[:, 0].max())).expand(len(grids), -1)
    level = (place[..., None] < end[:, None, 1:]).sum(-1)
    valid = place < end[:, :1]

    def here(table: Int[Tensor, "b l"], shift: int = 0) -> Int[Tensor, "b n"]:
        return table.gather(1, (level + shift).clamp(0, levels - 1))

    local = place - here(start)
    row, col = local // here(cols), local % here(cols)
    rooted = (level == depth[:, None] - 1) | ~valid
    above = here(start, 1) + (row // 2) * here(cols, 1) + col // 2
    below = (here(rows, -1) - 2 * row).clamp(max=2) * (here(cols, -1) - 2 * col).clamp(max=2)
    low = torch.stack((row, col), -1) << level[..., None]
    high = torch.minimum(low + (1 << level)[..., None], torch.tensor(grids)[:, None])
    return Field(
        grids=grids,
        box=torch.cat((low, high), -1) * valid[..., None].float(),
        level=level,
        parent=torch.where(rooted, place, above),
        children=below * ((level > 0) & valid),
        valid=valid,
        spans=tuple(zip(start.amin(0).tolist(), end.amax(0).tolist(), strict=True)),
    )


def with_feature(field: Field, feature: Float[Tensor, "b n d"]) -> Field:
    """A copy of the field with level-0 features, and their means on coarser levels."""
    field = field.to(feature.device)
    if field.copies > 1:
        return replace(field, feature=feature.repeat_interleave(field.copies, 1))
    means = _means(field, feature) if field.regular else _tree_means(field, feature)
    return replace(field, feature=means)


def dense(grids: tuple[Grid, ...], flat: Float[Tensor, "b n d"]) -> Float[Tensor, "b d h w"]:
    """Cells in reading order onto a raster as large as the largest image; zero outside."""
    cells = max(rows * cols for rows, cols in grids)
    if flat.shape[:2] != (len(grids), cells):
        raise ValueError(
            f"lift: level-0 values need shape {len(grids)} x {cells} (images x most cells), "
            f"got {flat.shape[0]} x {flat.shape[1]}"
        )
    high, wide = max(rows for rows, _ in grids), max(cols for _, cols in grids)
    if len(set(grids)) == 1:
        return rearrange(flat, "b (h w) d -> b d h w", h=high)
    size = torch.tensor(grids, device=flat.device)
    row, col = torch.arange(high, device=flat.device), torch.arange(wide, device=flat.device)
    inside = (row < size[:, :1])[:, :, None] & (col < size[:, 1:])[:, None]
    place = (row[:, None] * size[:, 1, None, None] + col) * inside
    picked = flat.gather(1, repeat(place, "b h w -> b (h w) d", d=flat.shape[2]))
    return rearrange(picked, "b (h w) d -> b d h w", h=high).masked_fill(~inside[:, None], 0)


def _means(field: Field, flat: Float[Tensor, "b n0 d"]) -> Float[Tensor, "b n d"]:
    """Mean over each cell's level-0 cells. Sums never see batch padding but as exact zeros."""
    device = flat.device
    raster = dense(field.grids, flat.to(torch.promote_types(flat.dtype, torch.float32)))
    total = raster
    sums, start, width = [total.flatten(2)], [0], [total.shape[3]]
    for _ in range(field.levels - 1):
        start.append(start[-1] + total.shape[2] * total.shape[3])
        # to even sides only: a strip must not grow into a square of its length
        total = F.pad(total, (0, total.shape[3] % 2, 0, total.shape[2] % 2))
        total = F.avg_pool2d(total, 2, divisor_override=1)
        sums.append(total.flatten(2))
        width.append(total.shape[3])
    level = field.level.to(device)
    row, col = (field.box[..., :2].to(device).long() >> level[..., None]).unbind(-1)
    start, width = (torch.tensor(number, device=device)[level] for number in (start, width))
    place = repeat(start + row * width + col, "b n -> b n d", d=flat.shape[2])
    picked = rearrange(torch.cat(sums, 2), "b d n -> b n d").gather(1, place)
    side = (field.box[..., 2:] - field.box[..., :2]).to(device)
    return (picked / side.prod(-1, keepdim=True).clamp(min=1)).to(flat.dtype)


def _tree_means(field: Field, flat: Float[Tensor, "b n0 d"]) -> Float[Tensor, "b n d"]:
    """Means on regions and clusters, where level 0 stands last, in reading order."""
    first = ((field.level > 0) & field.valid).sum(1, keepdim=True)
    cell = ramp(field.level.shape[1], flat.device) - first
    leaf = (cell >= 0) & field.valid
    cell = cell.clamp(0, flat.shape[1] - 1)[..., None].expand(-1, -1, flat.shape[2])
    # double: sums of a few thousand float32 values then do not depend on their order
    total = flat.double().gather(1, cell).masked_fill(~leaf[..., None], 0)
    size = leaf.long()
    for step in range(field.levels - 1):
        rising = (field.level == step) & field.valid & ~field.root
        total = total.scatter_add(
            1, field.parent[..., None].expand_as(total), total * rising[..., None]
        )
        size = size.scatter_add(1, field.parent, size * rising)
    return (total / size[..., None].clamp(min=1)).to(flat.dtype)


def spread(field: Field, logit: Float[Tensor, "b n0"]) -> Relevance:
    """Relevance of level-0 cells (in reading order) onto every cell of the field.

    Coarser cells get the mean on a pyramid, the maximum on regions and clusters; bands repeat it.
    A field's own prior is added.
    """
    check_cells(logit, field.grids, "relevance")
    logit = _finite(field, logit)
    if field.copies > 1:
        logit = logit.repeat_interleave(field.copies, 1)
    elif field.levels > 1 and field.regular:
        logit = _means(field, logit[..., None])[..., 0]
    elif field.levels > 1:
        logit = _maxima(field, logit)
    return Relevance(logit if field.prior is None else logit + field.prior.to(logit.device))


def _finite(field: Field, logit: Float[Tensor, "b n0"]) -> Float[Tensor, "b n0"]:
    """NaN and -inf just below the image's least relevance, +inf just above: means stay sane.

    The image's largest is taken off first, so that what is added to all logits cannot change how a
    mean is rounded.
    """
    cell = torch.arange(logit.shape[1], device=logit.device)
    real = logit.isfinite() & (cell < field.cells().to(logit.device))
    largest = logit.float().masked_fill(~real, -torch.inf).amax(1, keepdim=True)
    below = logit.float() - largest.nan_to_num(neginf=0.0)
    low = below.masked_fill(~real, torch.inf).amin(1, keepdim=True).nan_to_num(posinf=0.0) - 1
    return torch.where(real, below, torch.where(logit == torch.inf, 1.0, low))


def _maxima(field: Field, logit: Float[Tensor, "b n0"]) -> Float[Tensor, "b n"]:
    """Each cell's most relevant level-0 cell; level 0 stands last, in reading order."""
    device = logit.device
    first = ((field.level > 0) & field.valid).sum(1, keepdim=True).to(device)
    cell = torch.arange(field.level.shape[1], device=device) - first
    value = logit.gather(1, cell.clamp(0, logit.shape[1] - 1)).masked_fill(cell < 0, -torch.inf)
    parent, level = field.parent.to(device), field.level.to(device)
    for step in range(field.levels - 1):
        rising = value.masked_fill(level != step, -torch.inf)
        value = value.scatter_reduce(1, parent, rising, "amax")
    return value


def mips(pixels: Float[Tensor, "b c h w"], levels: int) -> list[Float[Tensor, "b c _h _w"]]:
    """The image and its halvings, blurred before each halving so that nothing aliases.

    Odd sides are made even by repeating the border before each halving: pixel (y, x) of level l
    covers exactly 2^l x 2^l pixels of level 0.
    """
    chain = [pixels]
    for _ in range(levels - 1):
        high, wide = chain[-1].shape[2:]
        even = F.pad(chain[-1], (0, wide % 2, 0, high % 2), mode="replicate")
        half = (even.shape[2] // 2, even.shape[3] // 2)
        chain.append(F.interpolate(even, half, mode="bicubic", antialias=True))
    return chain
