"""Relevance from pixels alone: what is there, what stands out, and which way it runs.

The maps look at a reduced picture in which a level-0 cell has at most 8 x 8 pixels, and fewer when
the whole would pass two million, so the cost grows with the cells and not with the megapixels.
A map is scaled to its own peak and rounded to 1/1024: what is smaller is arithmetic noise, which
ranking would otherwise blow up on a flat picture. Only order within one image means anything.

Every filter is a sum of slices, one axis after the other.
"""

from collections.abc import Callable
from functools import lru_cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homunculus.shapes import Float, Int, Num

CELL = 8
"""Pixels along a cell in the reduced picture, at most."""
MAX_PIXELS = 2**21
"""Pixels of the reduced picture, at most, as long as every cell keeps one."""
STEPS = 1024
"""A map has this many steps between 0 and its peak."""
BINS = 16
"""Grey bins per unit of brightness around a cell's mean; 1/32 is the noise a cell may have free."""

Measured = Num[np.ndarray, "3 _h _w"]
"""Pixels: bytes, or floats from 0 to 1."""
Planes = NDArray[Any]
"""Channels of a picture or of its cells, one over the other, of 32 bits; rows and columns come
last."""


def information(pixels: Measured, patch: int = 16) -> Float[np.ndarray, "rows cols"]:
    """How much there is to know in each cell, in nats up to a scale per image.

    The entropy of the cell's greys around their mean (a flat cell has none, whatever its grey),
    plus the surprise of its mean colour and spread under a heavy-tailed guess from the cells
    around it (self-information as in Bruce and Tsotsos, 2009).
    """
    return _measure(_information, pixels, patch)


def contrast(pixels: Measured, patch: int = 16) -> Float[np.ndarray, "rows cols"]:
    """How much each cell stands out from what is around it (after Itti, Koch and Niebur, 1998).

    Centre minus surround over a Gaussian pyramid, inside the cells and between them, for brightness
    and two colour opponents, plus oriented energy; a feature that is everywhere counts less. A
    constant added to all pixels changes nothing but rounding.
    """
    return _measure(_contrast, pixels, patch)


def orientations(pixels: Measured, patch: int = 16) -> Float[np.ndarray, "4 rows cols"]:
    """Oriented energy of each cell at 0, 45, 90 and 135 degrees, on one scale for all four.

    The angle is the way the structure runs, counted against the clock as on paper: 0 is horizontal
    like ruled lines and lines of text, 45 rises to the right like a slash, 90 is upright, 135 falls
    to the right.
    Second derivatives at up to three pyramid levels, steered (Freeman and Adelson, 1991).
    """
    return _measure(lambda small, side: _oriented(_pyramid(small[:1], side), side), pixels, patch)


def _measure(measure: Callable[[Planes, int], Planes], pixels: Measured, patch: int) -> Planes:
    """A map of the reduced picture's opponents, scaled to its peak and rounded."""
    if patch < 1 or 0 in pixels.shape:
        raise ValueError(
            f"pixels: expected at least one pixel and a patch of 1 or more, "
            f"got pixels {pixels.shape} and patch {patch}."
        )
    small, side = _reduced(pixels, patch)
    feature = measure(_opponents(small), side)
    peak = max(float(feature.max()), 1 / 64)  # below it there is none to speak of
    return (feature / peak * STEPS).round() / STEPS


def _reduced(pixels: Measured, patch: int) -> tuple[Float[np.ndarray, "3 y x"], int]:
    """The picture with ``side`` pixels along each cell; partial cells repeat their last pixel."""
    height, width = pixels.shape[-2:]
    rows, cols = -(-height // patch), -(-width // patch)
    side = min(patch, CELL)
    while side > 1 and rows * cols * side**2 > MAX_PIXELS:
        side //= 2
    spare = ((0, 0), (0, rows * patch - height), (0, cols * patch - width))
    whole = np.pad(pixels, spare, "edge").astype(np.float32)
    small = _pool(whole, (rows * side, cols * side))
    if pixels.dtype == np.uint8:
        return small / 255, side
    low, high = float(small.min()), float(small.max())
    if not (low >= -0.5 and high <= 1.5):  # said this way round, NaN fails too
        raise ValueError(
            f"pixels: floats run from 0 to 1, got {low:.3g} to {high:.3g}. "
            "Divide by 255, and pass pixels before the model's own normalisation."
        )
    return small, side


def _opponents(small: Float[np.ndarray, "3 y x"]) -> Float[np.ndarray, "3 y x"]:
    """Brightness, red against green, blue against yellow."""
    red, green, blue = small
    return np.stack(((red + green + blue) / 3, red - green, blue - (red + green) / 2))


# ---- along an axis -------------------------------------------------------------------------------


def _cut(value: Planes, axis: int, start: int, stop: int | None, step: int = 1) -> Planes:
    """A slice of the rows (-2) or the columns (-1)."""
    part = slice(start, stop, step)
    return value[..., part] if axis == -1 else value[..., part, :]


def _taps(value: Planes, axis: int, radius: int) -> list[Planes]:
    """A picture shifted from ``-radius`` to ``radius``; what lies outside repeats the border."""
    border = [(0, 0)] * value.ndim
    border[axis] = (radius, radius)
    padded = np.pad(value, border, "edge")
    have = value.shape[axis]
    return [_cut(padded, axis, shift, shift + have) for shift in range(2 * radius + 1)]


def _smooth(value: Planes, axis: int) -> Planes:
    """A binomial filter, (1 4 6 4 1) / 16: before a level is halved, and along a derivative."""
    a, b, c, d, e = _taps(value, axis, 2)
    return (a + e) * (1 / 16) + (b + d) * (4 / 16) + c * (6 / 16)


def _first(value: Planes, axis: int) -> Planes:
    """First derivative, (-1 -2 0 2 1) / 8; in differences, so that a flat picture has none."""
    a, b, _, d, e = _taps(value, axis, 2)
    return (e - a) * (1 / 8) + (d - b) * (2 / 8)


def _second(value: Planes, axis: int) -> Planes:
    """Second derivative, (1 0 -2 0 1) / 4."""
    a, _, c, _, e = _taps(value, axis, 2)
    return ((a - c) + (e - c)) * (1 / 4)


def _blur(cell: Planes, sigma: float) -> Planes:
    """Gaussian mean over neighbouring cells; ``sigma`` in cells."""
    radius = round(3 * sigma)
    weight = np.exp(-(np.arange(radius + 1) ** 2) / (2 * sigma**2))
    shares = (weight / (2 * weight.sum() - 1)).tolist()
    for axis in (-1, -2):
        taps = _taps(cell, axis, radius)
        cell = taps[radius] * shares[0]
        for off in range(1, radius + 1):
            cell += (taps[radius - off] + taps[radius + off]) * shares[off]
    return cell


def _pool(fine: Planes, grid: tuple[int, int]) -> Planes:
    """Means over as many cells; those that do not come out even share what is between them."""
    return _pooled(_pooled(fine, -2, grid[0]), -1, grid[1])


def _pooled(fine: Planes, axis: int, want: int) -> Planes:
    have = fine.shape[axis]
    if have % want == 0:
        step = have // want
        return reduce(np.add, (_cut(fine, axis, first, None, step) for first in range(step))) / step
    cell = np.arange(want)
    ends = np.stack((cell * have // want, -(-(cell + 1) * have // want)), 1)
    sums = np.add.reduceat(fine, ends.ravel()[:-1], axis)
    count = (ends[:, 1] - ends[:, 0]).astype(np.float32)
    return _cut(sums, axis, 0, None, 2) / (count if axis == -1 else count[:, None])


def _resized(value: Planes, size: tuple[int, int]) -> Planes:
    """Another number of rows and columns, linear between the two pixels next to each new one."""
    for axis, want in ((-2, size[0]), (-1, size[1])):
        if value.shape[axis] == 2 * want:  # halved: as below, but much faster
            value = (_cut(value, axis, 0, None, 2) + _cut(value, axis, 1, None, 2)) * 0.5
            continue
        before, after, share = _between_pixels(value.shape[axis], want)
        share = share if axis == -1 else share[:, None]
        value = value.take(before, axis) * (1 - share) + value.take(after, axis) * share
    return value


@lru_cache(maxsize=64)
def _between_pixels(
    have: int, want: int
) -> tuple[Int[np.ndarray, " want"], Int[np.ndarray, " want"], Float[np.ndarray, " want"]]:
    """The pixels before and after each of ``want``, and the share of the second."""
    at = ((np.arange(want, dtype=np.float32) + 0.5) * np.float32(have / want) - 0.5).clip(0)
    before = at.astype(int)
    return before, np.minimum(before + 1, have - 1), at - before.astype(np.float32)


# ---- what there is to know -----------------------------------------------------------------------


def _information(colour: Planes, side: int) -> Planes:
    grid = _grid(colour, side)
    mean = _pool(colour, grid)
    spread = np.sqrt((_pool(colour[:1] ** 2, grid) - mean[:1] ** 2).clip(0))
    return _entropy(colour[0], mean[0], side) + _surprise(np.concatenate((mean, spread)))


def _grid(fine: Planes, side: int) -> tuple[int, int]:
    return fine.shape[-2] // side, fine.shape[-1] // side


def _entropy(
    grey: Float[np.ndarray, "y x"], mean: Float[np.ndarray, "rows cols"], side: int
) -> Float[np.ndarray, "rows cols"]:
    """Entropy of a cell's grey histogram, its middle bin centred on the cell's mean."""
    rows, cols = mean.shape
    cell = grey.reshape(rows, side, cols, side)
    step = ((cell - mean[:, None, :, None]) * BINS).round().clip(-BINS, BINS).astype(int)
    bins = 2 * BINS + 1
    own = np.arange(rows * cols).reshape(rows, 1, cols, 1) * bins + BINS  # one count for all cells
    count = np.bincount((step + own).ravel(), minlength=rows * cols * bins)
    share = np.arange(1, side**2 + 1, dtype=np.float32) / side**2
    nats = np.concatenate((np.zeros(1, np.float32), -share * np.log(share)))  # of a count
    return nats[count].reshape(rows, cols, bins).sum(-1)


def _surprise(statistic: Planes) -> Planes:
    """Mean of log(1 + z^2) / 2 against the surround: half a Cauchy's -log p."""
    usual = _blur(statistic, 2.0)
    variance = (_blur(statistic**2, 2.0) - usual**2).clip(0)
    oddness = (statistic - usual) ** 2 / (variance + 1 / 32**2)
    return np.log1p(oddness).mean(0) / 2


# ---- what stands out -----------------------------------------------------------------------------


def _pyramid(fine: Planes, side: int) -> list[Planes]:
    """Gaussian levels from the reduced picture to about one pixel a cell."""
    levels = [fine]
    for _ in range(side.bit_length() - 1):
        rows, cols = levels[-1].shape[-2:]
        levels.append(_resized(_smooth(_smooth(levels[-1], -2), -1), (rows // 2, cols // 2)))
    return levels


def _oriented(levels: list[Planes], side: int) -> Float[np.ndarray, "4 rows cols"]:
    """Root of the mean squared second derivative across each orientation, of the first channel."""
    grid = _grid(levels[0], side)
    energy = np.zeros((4, *grid), np.float32)
    for level in levels[:3]:
        xx, xy, yy = _derivatives(level[0])
        half = (xx + yy) / 2
        for number, steered in enumerate((yy, half + xy, xx, half - xy)):  # y points down: "/" +xy
            energy[number] += _pool(steered**2, grid)
    return np.sqrt(energy)


def _derivatives(grey: Float[np.ndarray, "y x"]) -> tuple[Planes, Planes, Planes]:
    """Second ones, across, along a diagonal and down."""
    across, down = _smooth(_second(grey, -1), -2), _second(_smooth(grey, -1), -2)
    return across, _first(_first(grey, -1), -2), down


def _contrast(colour: Planes, side: int) -> Planes:
    """Three equal voices: within cells, between cells, and oriented energy."""
    levels = _pyramid(colour, side)
    within, between = _within(levels, side), _between(_pool(colour, _grid(colour, side)))
    voices = [np.mean(voice, 0).sum(0) for voice in (within, between) if voice]
    return reduce(np.add, [*voices, _rare(_oriented(levels, side)).mean(0)])


def _within(levels: list[Planes], side: int) -> list[Planes]:
    """Centre minus surround within cells: each level against the one two steps coarser."""
    grid = _grid(levels[0], side)
    return [
        _rare(_pool(np.abs(centre - _resized(surround, centre.shape[-2:])), grid))
        for centre, surround in zip(levels, levels[2:], strict=False)
    ]


def _between(cell: Planes) -> list[Planes]:
    """Centre minus surround among cells: a neighbourhood against one four times as wide."""
    blurred = {sigma: _blur(cell, sigma) for sigma in (0.5, 1.0, 2.0, 4.0, 8.0)}
    return [_rare(np.abs(blurred[sigma] - blurred[4 * sigma])) for sigma in (0.5, 1.0, 2.0)]


def _rare(feature: Planes) -> Planes:
    """Weighted down as it fills the picture: a lone peak keeps its height, a carpet loses it."""
    mean = feature.mean((-2, -1), keepdims=True)
    peak = feature.max((-2, -1), keepdims=True).clip(1 / 64)
    return feature * (1 - mean / peak) ** 2
