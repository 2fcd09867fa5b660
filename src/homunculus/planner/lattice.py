"""The coarse lattice that is searched, and sums of boxes of cells from running sums.

All pictures have the same lattice, so that tables of windows are shared between them.
"""

from functools import lru_cache
from math import ceil

import numpy as np

from homunculus.checks import Grid
from homunculus.planner.belief import Belief
from homunculus.planner.counting import Size
from homunculus.scouts.sight import weighted_sums
from homunculus.shapes import Float, Int

COARSE_CELLS = 32
"""Cells along each side of the lattice; the longer side of a picture fills it."""


def coarse_cell(size: Size) -> float:
    """Pixels along a cell of the coarse lattice."""
    return max(1.0, max(size) / COARSE_CELLS)


def pooled(belief: Belief, size: Size) -> Belief:
    """Place and height on the coarse lattice; the probability stays the same in sum."""
    place = belief.place + 1e-12  # heights count where nothing says that an answer is, too
    both = coarse_sums(np.stack((place, place * belief.octaves)), size)
    return Belief(both[0], both[1] / both[0].clip(1e-20), belief.blur)


def coarse_sums(
    value: Float[np.ndarray, "*n rows cols"], size: Size
) -> Float[np.ndarray, "*n rows2 cols2"]:
    """Shares of each cell of a picture's own lattice, added up on the coarse one."""
    (rows, cols), cell = value.shape[-2:], coarse_cell(size)
    down = coarse_along(value, -2, cell * rows / size[0])
    return coarse_along(down, -1, cell * cols / size[1])


def coarse_along(
    value: Float[np.ndarray, "*n rows cols"], axis: int, length: float
) -> Float[np.ndarray, "*n rows2 cols2"]:
    """Shares of cells along one of the last two axes, added up in coarse ones of that length."""
    return weighted_sums(value, axis, *cell_shares(value.shape[axis], length))


@lru_cache(maxsize=64)
def cell_shares(
    cells: int, length: float
) -> tuple[Int[np.ndarray, "most coarse"], Float[np.ndarray, "most coarse"]]:
    """Which cells along a side lie in each coarse cell, which is ``length`` long, and with which
    share."""
    edge = np.arange(COARSE_CELLS + 1) * length
    cell = np.floor(edge[:-1]) + np.arange(ceil(length) + 1)[:, None]
    share = np.minimum(edge[1:], cell + 1) - np.maximum(edge[:-1], cell)
    share[cell >= cells] = 0
    some = share.max(1) > 0
    cell, share = cell.clip(max=cells - 1).astype(int), share.clip(0).astype(np.float32)
    return cell[some], share[some]


def integral(value: Float[np.ndarray, "*n rows cols"]) -> Float[np.ndarray, "*n rows1 cols1"]:
    """Sums of all that lies above and left of each corner of the cells."""
    *some, rows, cols = value.shape
    sums = np.zeros((*some, rows + 1, cols + 1), value.dtype)
    sums[..., 1:, 1:] = running(running(value, -2), -1)
    return sums


def running(value: Float[np.ndarray, "*any"], axis: int) -> Float[np.ndarray, "*any"]:
    """Running sums along an axis, added up in 64 bits: boxes are differences of large ones."""
    return value.cumsum(axis, np.float64).astype(value.dtype)


def box_sums(
    value: Float[np.ndarray, "steps rows cols"], corner: Int[np.ndarray, "4 boxes"]
) -> Float[np.ndarray, "boxes"]:
    """What boxes hold of maps, by their corners in the integral images of all steps."""
    end, right, low, start = integral(value).ravel().take(corner)
    end -= right
    end -= low
    end += start
    return end


def mixed(
    start: Float[np.ndarray, "*any"],
    end: Float[np.ndarray, "*any"],
    share: Float[np.ndarray, "*any"],
) -> Float[np.ndarray, "*any"]:
    """From ``start`` at a share of 0 to ``end`` at 1, both exactly."""
    late = share >= 0.5
    return np.where(late, end, start) + (share - late) * (end - start)


def inner_sums(
    sums: Float[np.ndarray, "rows1 cols1"], size: Grid, edge: int
) -> Float[np.ndarray, "rows cols"]:
    """What windows of one size hold by place, without their edges where they are larger."""
    return span_sums(span_sums(sums, size[0], edge).T, size[1], edge).T


def span_sums(
    sums: Float[np.ndarray, "long any"], length: int, edge: int
) -> Float[np.ndarray, "places any"]:
    """What spans of one length hold along the first axis of running sums, without their ends."""
    cut = edge if length > 2 * edge else 0
    return sums[length - cut : len(sums) - cut] - sums[cut : len(sums) - length + cut]
