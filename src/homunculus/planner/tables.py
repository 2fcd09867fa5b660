"""Every window of one price: its scales, shapes and places on the coarse lattice.

Pictures of all sizes share a few ladders of scales, so these tables are made once.
"""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from homunculus.checks import Grid
from homunculus.planner.config import SearchConfig
from homunculus.planner.lattice import COARSE_CELLS
from homunculus.shapes import Int

STEPS_PER_OCTAVE = 2
"""Scales that are compared."""
RUNGS_PER_OCTAVE = 4
"""Where a ladder of scales may begin."""
PHASES = RUNGS_PER_OCTAVE // STEPS_PER_OCTAVE
"""Ladders that differ by less than a step."""
LOWEST_STEP, HIGHEST_STEP = -24, 24
"""From a token far smaller than a cell of the coarse lattice to one larger than it all."""


def token_cells(rung: int, step: int) -> float:
    """A token in cells of the coarse lattice, some steps above the first of a ladder."""
    return 2 ** (rung / RUNGS_PER_OCTAVE + step / STEPS_PER_OCTAVE)


class Spot(NamedTuple):
    """A window on the coarse lattice."""

    step: int
    """Its scale."""
    y: int
    x: int
    height: int
    width: int
    """In cells."""
    rows: int
    cols: int
    """In tokens."""

    @property
    def here(self) -> tuple[slice, slice]:
        """Its cells."""
        return slice(self.y, self.y + self.height), slice(self.x, self.x + self.width)


class Shape(NamedTuple):
    """Windows of one scale and size."""

    step: int
    height: int
    width: int
    down: int
    across: int
    """Cells from one to the next."""
    rows: int
    cols: int
    """In tokens."""

    @staticmethod
    def of(phase: int, step: int, grid: Grid, places: int) -> "Shape":
        """Windows of some tokens at a scale, that many places apart along their own sides."""
        length = token_cells(phase, step)
        height, width = (
            min(COARSE_CELLS, max(1, floor(tokens * length + 1e-6))) for tokens in grid
        )
        down, across = max(1, height // places), max(1, width // places)
        return Shape(step - LOWEST_STEP, height, width, down, across, *grid)


@dataclass(frozen=True, eq=False)
class WindowTable:
    """All places of some shapes on the coarse lattice."""

    shapes: tuple[Shape, ...]
    ends: tuple[int, ...]
    """One past the last window of each shape."""
    starts: tuple[int, ...]
    """The first window of each step, and one past the last."""
    corner: Int[np.ndarray, "4 windows"]
    """Where their four corners stand in the integral images of all scales."""
    left: Int[np.ndarray, "windows"]
    """Their first columns."""
    row_ends: Int[np.ndarray, "2 windows"]
    """One past their last rows, and their first ones."""
    step_col: Int[np.ndarray, "windows"]
    """One past their last columns, in lines that stand step after step."""

    @staticmethod
    def of(shapes: Iterable[Shape]) -> "WindowTable":
        """Lay shapes at all their places."""
        shapes = tuple(shapes)
        step, height, width, down, across, _, _ = np.array(shapes).T
        rows = -(-(COARSE_CELLS - height) // down) + 1
        cols = -(-(COARSE_CELLS - width) // across) + 1
        ends = (rows * cols).cumsum(0)
        shape = np.repeat(np.arange(len(shapes)), rows * cols)
        place = np.arange(ends[-1]) - (ends - rows * cols)[shape]
        y = np.minimum(place // cols[shape] * down[shape], (COARSE_CELLS - height)[shape])
        x = np.minimum(place % cols[shape] * across[shape], (COARSE_CELLS - width)[shape])
        line = COARSE_CELLS + 1
        top = step[shape] * line * line + y * line + x
        drop, right = height[shape] * line, width[shape]
        corner = np.stack((top + drop + right, top + right, top + drop, top), dtype=np.int32)
        row_ends = np.stack((y + height[shape], y), dtype=np.int8, casting="unsafe")
        step_col = (step[shape] * line + x + right).astype(np.int16)
        counts = np.bincount(step[shape], minlength=HIGHEST_STEP - LOWEST_STEP)
        starts = (0, *counts.cumsum().tolist())
        left, ends = x.astype(np.int8), tuple(ends.tolist())
        return WindowTable(shapes, ends, starts, corner, left, row_ends, step_col)

    def spot(self, number: int, first_step: int) -> Spot:
        """The window of that number, its scale counted from the first step."""
        index = bisect_right(self.ends, number)
        step, height, width, down, across, rows, cols = self.shapes[index]
        place = number - (self.ends[index - 1] if index else 0)
        y, x = divmod(place, -(-(COARSE_CELLS - width) // across) + 1)
        y, x = min(y * down, COARSE_CELLS - height), min(x * across, COARSE_CELLS - width)
        return Spot(step - first_step, y, x, height, width, rows, cols)


@lru_cache(maxsize=128)  # up to half a megabyte each
def affordable_windows(
    phase: int, price: int, max_side: int, min_cols: int, config: SearchConfig
) -> WindowTable:
    """Windows of at most one price, at every step that the scales of a picture may begin with.

    None has more than ``max_side`` tokens along a side, or fewer than ``min_cols`` columns if the
    picture has them.
    """
    shapes: dict[tuple[int, int, int], Shape] = {}
    for step in range(LOWEST_STEP, HIGHEST_STEP):
        spans = min(max_side, ceil(COARSE_CELLS / token_cells(phase, step)))
        for height in config.window_heights:
            if height > price:
                break
            rows = min(height, spans)
            cols = min(price // rows, spans)
            if cols < min(min_cols, spans):
                break
            if config.min_aspect <= cols / rows <= config.max_aspect or spans in (rows, cols):
                shape = Shape.of(phase, step, (rows, cols), config.places_per_window)
                shapes.setdefault(shape[:3], shape)
    return WindowTable.of(shapes.values())


def grids_of(tokens: int, largest: Grid) -> list[Grid]:
    """Rows and columns of exactly that many tokens, up to a largest grid."""
    rows = (count for count in range(1, min(tokens, largest[0]) + 1) if tokens % count == 0)
    return [(count, tokens // count) for count in rows if tokens // count <= largest[1]]
