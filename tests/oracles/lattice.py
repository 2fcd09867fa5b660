"""Reading a pyramid between its cells by scipy; windows and smaller grids by trying them all."""

from fractions import Fraction

import numpy as np
from scipy.ndimage import map_coordinates

from homunculus import Field


def level_images(field: Field, image: int) -> list[np.ndarray]:
    """The features of an image, level by level, finest first: rows x columns x channels."""
    assert field.feature is not None
    valid = field.valid[image].numpy()
    level = field.level[image].numpy()
    found = []
    for number in range(int(level[valid].max()) + 1):
        rows, cols = (-(-side // 2**number) for side in field.grids[image])
        cells = field.feature[image].numpy()[valid & (level == number)]
        found.append(cells.reshape(rows, cols, -1))
    return found


def fitting_level(spacing: float, levels: int) -> int:
    """The coarsest level whose cells are at most 4/3 of the spacing; 0 if none is."""
    return max([number for number in range(1, levels) if 0.75 * 2**number <= spacing], default=0)


def sampled(field: Field, image: int, point: np.ndarray, spacing: np.ndarray) -> np.ndarray:
    """Bilinear reading at y x points (in level-0 cells), each on the level that fits it."""
    levels = level_images(field, image)
    read = []
    for (y, x), gap in zip(point, spacing, strict=True):
        number = fitting_level(float(gap), len(levels))
        at = [[y / 2**number - 0.5], [x / 2**number - 0.5]]
        picture = levels[number].astype(np.float64)
        channels = range(picture.shape[2])
        read.append(
            [map_coordinates(picture[..., c], at, order=1, mode="nearest")[0] for c in channels]
        )
    return np.array(read)


def best_window(weight: np.ndarray, size: tuple[int, int]) -> tuple[int, tuple[int, int]]:
    """(mass, corner) of the window that holds most; the first in reading order among equals."""
    rows, cols = weight.shape
    best, corner = -1, (0, 0)
    for y in range(rows - size[0] + 1):
        for x in range(cols - size[1] + 1):
            held = int(weight[y : y + size[0], x : x + size[1]].sum())
            if held > best:
                best, corner = held, (y, x)
    return best, corner


def smaller_grid(grid: tuple[int, int], slots: int) -> tuple[int, int]:
    """The most cells, at most ``slots``, of any shape within half a cell of the image's own."""
    found = []
    for a in range(1, grid[0] + 1):
        for b in range(1, min(grid[1], slots // a) + 1):
            down, across = scales(a, grid[0]), scales(b, grid[1])
            if down[0] <= across[1] and across[0] <= down[1]:
                bent = abs(Fraction(a, grid[0]) - Fraction(b, grid[1]))
                found.append((-a * b, bent, a, b))
    return min(found)[2:]


def scales(side: int, length: int) -> tuple[Fraction, Fraction]:
    """At which scales a length is this many cells, give or take half a one; at least a single."""
    half = Fraction(1, 2)
    return Fraction(0) if side == 1 else (side - half) / length, (side + half) / length
