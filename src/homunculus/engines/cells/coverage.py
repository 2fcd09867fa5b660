"""The coverage certificate: what an allocation can be held to, whatever chose it."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus.engines.cells.check import check_plan
from homunculus.engines.cells.types import Allocation, Field


@dataclass(frozen=True, eq=False)
class Certificate:
    """Per image: how much is seen, how far the worst blind spot is, how even the parts are.

    >>> import homunculus
    >>> plan = homunculus.get_method("grid").plan([(8, 8)], torch.zeros(1, 64), 16)
    >>> certificate = homunculus.certify(*plan)
    >>> certificate.covered.item(), certificate.fewest.item()
    (0.25, 0)
    """

    covered: Float[Tensor, "b"]
    """Share of the image's area that some slot reads, itself or through a coarser cell."""
    gap: Float[Tensor, "b"]
    """Largest distance (in cells, centre to centre) from any cell to the nearest covered one."""
    fewest: Int[Tensor, "b"]
    """Fewest slots whose main cell touches any one of the 4 x 4 parts of the image."""


def certify(field: Field, allocation: Allocation) -> Certificate:
    """Certify an allocation. Diagnosis, not a hot path: the gap costs cells x columns.

    >>> import homunculus
    >>> plan = homunculus.get_method("cut").plan([(8, 8)], torch.zeros(1, 64), 16)
    >>> homunculus.certify(*plan).covered.tolist()
    [1.0]
    """
    check_plan(field, allocation, "certify")
    seen, real = _raster(field, covered_cells(field, allocation))
    return Certificate(
        covered=seen.flatten(1).sum(1) / field.cells()[:, 0].float(),
        gap=_gap(seen, real),
        fewest=_fewest(field, allocation),
    )


def covered_cells(field: Field, allocation: Allocation) -> Bool[Tensor, "b n"]:
    """Cells that a slot reads, and everything below them."""
    read = (allocation.weight > 0) & allocation.valid[..., None]
    count = torch.zeros_like(field.level).scatter_add_(
        1, allocation.index.flatten(1), read.flatten(1).long()
    )
    seen = count > 0
    for _ in range(field.levels - 1):
        seen = seen | seen.gather(1, field.parent)
    return seen


def _raster(
    field: Field, seen: Bool[Tensor, "b n"]
) -> tuple[Bool[Tensor, "b h w"], Bool[Tensor, "b h w"]]:
    high, wide = (max(length) for length in zip(*field.grids, strict=True))
    leaf = field.valid & (field.level == 0)
    row, col = field.box[..., :2].long().unbind(-1)
    place = torch.where(leaf, row * wide + col, 0)
    empty = torch.zeros(leaf.shape[0], high * wide, dtype=torch.long, device=leaf.device)
    picture = empty.scatter_reduce(1, place, (seen & leaf).long(), "amax")
    real = empty.scatter_reduce(1, place, leaf.long(), "amax")
    return picture.view(-1, high, wide).bool(), real.view(-1, high, wide).bool()


def _gap(seen: Bool[Tensor, "b h w"], real: Bool[Tensor, "b h w"]) -> Float[Tensor, "b"]:
    """Exact Euclidean distance transform: nearest down each column, then along each row."""
    high, wide = seen.shape[1:]
    row = torch.arange(high, device=seen.device)[:, None]
    far = 4 * (high + wide)
    above = torch.where(seen, row, -far).cummax(1).values
    below = torch.where(seen, row, far).flip(1).cummin(1).values.flip(1)
    down = torch.minimum(row - above, below - row)  # b h w: rows to the nearest seen cell
    across = torch.arange(wide, device=seen.device)
    side = (across[:, None] - across).square()
    worst = torch.zeros(seen.shape[0], dtype=torch.long, device=seen.device)
    for line in range(high):  # one row at a time: h x w x w would not fit for a poster
        nearest = (side + down[:, line, None].square()).amin(2)
        worst = worst.maximum((nearest * real[:, line]).amax(1))
    return worst.float().sqrt()


def _fewest(field: Field, allocation: Allocation) -> Int[Tensor, "b"]:
    """Slots per part: a slot counts for every part that its main cell touches."""
    main = allocation.index.gather(2, allocation.weight.argmax(2, keepdim=True))[..., 0]
    box = field.box.gather(1, main[..., None].expand(-1, -1, 4)).long()
    size = field.size
    part = torch.arange(4, device=box.device)
    low = (part * size[..., None] // 4)[:, None]  # b 1 2 4
    high = ((part + 1) * size[..., None] // 4)[:, None]
    touch = (box[..., :2, None] < high) & (box[..., 2:, None] > low)
    down, right = touch[:, :, 0] & allocation.valid[..., None], touch[:, :, 1]
    count = torch.einsum("bki,bkj->bij", down.float(), right.float())
    empty = ((high - low) == 0)[:, 0]
    count = count.masked_fill(empty[:, 0, :, None] | empty[:, 1, None], torch.inf)
    return count.flatten(1).amin(1).long()
