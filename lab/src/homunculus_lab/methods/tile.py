"""Rules that tile the image: a stride, block means, a thumbnail with one sharp window."""

from dataclasses import dataclass
from math import inf, isqrt, log

import torch
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.allocate.order import check_slots, finish, lags
from homunculus.engines.cells.allocate.select import flat
from homunculus.engines.cells.allocate.tile import blocks
from homunculus.engines.cells.cache import cached, constant, ramp, sizes
from homunculus.engines.cells.types import Allocation, Field, Relevance, Rule
from homunculus_lab.methods.shares import mass


@constant
def tile_rows(grid: Grid, slots: int) -> int:
    """How many bands of tiles: as square as can be, no more bands than rows, none overfull."""
    rows, cols = grid
    slots = min(slots, rows * cols)
    square = isqrt(4 * slots * rows // cols + 1) // 2
    return min(max(square, -(-slots // cols), 1), rows, slots)


@cached
def tiles(
    grids: tuple[Grid, ...], slots: int, device: torch.device
) -> tuple[Int[Tensor, "b k 2"], Int[Tensor, "b k 2"]]:
    """Cut each image into exactly ``slots`` rectangles: first cell, and one past the last."""
    size = sizes(grids, device)
    high, wide = size[:, :1], size[:, 1:]
    bands = torch.tensor([tile_rows(grid, slots) for grid in grids], device=device)[:, None]
    count = size.prod(1, keepdim=True).clamp(max=slots)
    slot = ramp(slots, device).minimum(count - 1)
    band = ((slot + 1) * bands - 1) // count
    first = band * count // bands
    across = (band + 1) * count // bands - first
    col = slot - first
    low = torch.stack((band * high // bands, col * wide // across), -1)
    return low, torch.stack(((band + 1) * high // bands, (col + 1) * wide // across), -1)


@dataclass(frozen=True)
class Uniform(Rule):
    """The middle cell of each tile: a stride over the image. A control: it never looks."""

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        flat(field, "uniform")
        low, high = tiles(field.grids, min(check_slots(slots), field.max_cells), field.level.device)
        middle = (low + high - 1) // 2
        wide = field.size[:, None, 1]
        return finish(field, (middle[..., 0] * wide + middle[..., 1])[..., None], slots)


@dataclass(frozen=True)
class Pool(Rule):
    """The mean of each tile: everything seen, nothing sharp. A control: it never looks."""

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        flat(field, "pool")
        rows = min(check_slots(slots), field.max_cells)
        low, high = tiles(field.grids, rows, field.level.device)
        index, weight = blocks(
            field, low, high, [_largest_tile(grid, rows) for grid in field.grids]
        )
        return finish(field, index, slots, weight)


@constant
def _largest_tile(grid: Grid, slots: int) -> Grid:
    rows, cols = grid
    bands = tile_rows(grid, slots)
    return -(-rows // bands), -(-cols // (min(slots, rows * cols) // bands))


@dataclass(frozen=True)
class Windows(Rule):
    """A thumbnail of the whole image and one window at full resolution: two ordinary images.

    Their sizes a x b + c x d make exactly K; ``share`` of it goes to the thumbnail. The window
    stands where it holds the most relevance.
    """

    share: float = 0.35

    def views(self, grid: Grid, slots: int) -> tuple[Grid, ...]:
        """The thumbnail and the window; a budget of one has no window."""
        rows, cols, high, wide = window_plan(grid, slots, self.share)
        return ((rows, cols), (high, wide)) if high else ((rows, cols),)

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        flat(field, "windows")
        lag = lags(field, relevance)
        rows = min(check_slots(slots), field.max_cells)
        plan = [window_plan(grid, rows, self.share) for grid in field.grids]
        sides = torch.tensor(plan, device=lag.device)
        small, window = sides[:, None, :2], sides[:, None, 2:]
        slot = ramp(rows, lag.device)[:, None]
        cell = torch.cat((slot // small[..., 1:], slot % small[..., 1:]), -1)
        size = field.size[:, None]
        # b k 2: the thumbnail's tiles, then the window's cells
        low, high = cell * size // small, (cell + 1) * size // small
        behind = slot - small.prod(-1, keepdim=True)
        across = window[..., 1:].clamp(min=1)
        corner = fullest(field, lag, sides[:, 2:])[:, None]
        sharp = corner + torch.cat((behind // across, behind % across), -1)
        low, high = torch.where(behind < 0, low, sharp), torch.where(behind < 0, high, sharp + 1)
        largest = [
            (-(-grid[0] // part[0]), -(-grid[1] // part[1]))
            for grid, part in zip(field.grids, plan, strict=True)
        ]
        index, weight = blocks(field, low, high, largest)
        return finish(field, index, slots, weight)


@constant
def window_plan(grid: Grid, slots: int, share: float) -> tuple[int, int, int, int]:
    """Thumbnail a x b and window c x d with ab + cd = slots, both shaped like the image if can be.

    >>> window_plan((64, 64), 273, 0.35)
    (9, 9, 12, 16)
    """
    rows, cols = grid
    slots = min(slots, rows * cols)
    if slots == 1:
        return 1, 1, 0, 0
    near = _window_plans(grid, slots, share, slack=log(2))
    return min(near or _window_plans(grid, slots, share, slack=inf))[1:]


def _window_plans(
    grid: Grid, slots: int, share: float, slack: float
) -> list[tuple[float, int, int, int, int]]:
    """Every (cost, a, b, c, d) whose thumbnail has the image's shape and its share within slack."""
    rows, cols = grid
    shape = log(rows / cols)
    plans: list[tuple[float, int, int, int, int]] = []
    for a in range(1, min(rows, slots - 1) + 1):
        for b in range(1, min(cols, (slots - 1) // a) + 1):
            bent, off = abs(log(a / b) - shape), abs(log(a * b / (share * slots)))
            if max(bent, off) > slack:
                continue
            rest = slots - a * b
            plans += [
                (bent + 2 * off + abs(log(c * c / rest) - shape), a, b, c, rest // c)
                for c in range(1, min(rows, rest) + 1)
                if rest % c == 0 and rest // c <= cols
            ]
    return plans


def fullest(
    field: Field, lag: Float[Tensor, "b n"], window: Int[Tensor, "b 2"]
) -> Int[Tensor, "b 2"]:
    """The first cell of the window position that holds the most relevance, by an integral image."""
    high, wide = (max(length) for length in zip(*field.grids, strict=True))
    row, col = field.box[..., :2].long().unbind(-1)
    leaf = field.valid
    raster = torch.zeros(lag.shape[0], (high + 1) * (wide + 1), dtype=torch.long, device=lag.device)
    corner_of = torch.where(leaf, (row + 1) * (wide + 1) + col + 1, 0)
    raster = raster.scatter_add(1, corner_of, mass(lag) * leaf)
    total = raster.view(-1, high + 1, wide + 1).cumsum(1).cumsum(2).flatten(1)
    place = ramp(high * wide, lag.device)
    top, left = place // wide, place % wide
    size = field.size
    bottom, right = top + window[:, :1], left + window[:, 1:]
    fits = (bottom <= size[:, :1]) & (right <= size[:, 1:])

    def corner(y: Int[Tensor, "*_b n"], x: Int[Tensor, "*_c n"]) -> Int[Tensor, "b n"]:
        where = y.clamp(max=high) * (wide + 1) + x.clamp(max=wide)
        return total.gather(1, where.expand(total.shape[0], -1))

    held = corner(bottom, right) - corner(top, right) - corner(bottom, left) + corner(top, left)
    where = held.masked_fill(~fits, -1).argmax(1)
    return torch.stack((where // wide, where % wide), -1)
