"""How large print is: what the head of heights says of cells, as a map of a page.

Heights are logarithms of base 2 (octaves): an error of 1 is a factor of two at any size. A page is
read at several sizes, and each is sure of print that it can read. They are averaged by that.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from homunculus.checks import Grid
from homunculus.scouts.sight import resize_map
from homunculus.shapes import Float

SIZE_ERROR = 0.37
"""One standard deviation in octaves, on real pages, receipts and street words in equal shares."""
OFFSET = 0.1
"""Octaves by which print is higher than the head says, on 192 questions of rendered pages. Boxes
that people drew on receipts are .28 higher still: they leave room around the print."""
AROUND = ((4, 0.05), (16, 1e-3))
"""Where a cell has no text: side of the neighbourhood in cells, and how much it weighs."""
NOWHERE = 1e-6
"""Weight of the page's median height, which is left where there is no text around."""

Octaves = Float[np.ndarray, "r c"]
"""A map of log2 of heights in pixels."""


def weigh(
    said: Mapping[str, Any], text: Float[np.ndarray, "n"], enlarged: float
) -> Float[np.ndarray, "2 n"]:
    """Weight of each cell, and weight times octaves, for `merge_sizes`.

    ``said`` is what the head says of cells: `octaves`, and the log of their `variance`.
    ``enlarged`` is by how many octaves the page was shown larger than the map has it. Cells weigh
    by how sure the head is, and by how surely they hold text.
    """
    weight = np.square(text) * np.exp(-said["variance"])
    return np.stack((weight, weight * (said["octaves"] - np.float32(enlarged))))


def merge_sizes(parts: Sequence[Float[np.ndarray, "2 _ _"]], text: Octaves) -> Octaves:
    """One map from those of all sizes, on the cells of ``text``; filled where there is no text."""
    grid = (text.shape[0], text.shape[1])
    weighed = np.stack([resize_map(part, grid) for part in parts]).sum(0)
    weight, octaves = weighed
    printed = (octaves / weight.clip(1e-12))[text > 0.5]
    usual = _lower_median(printed) if len(printed) else octaves.sum() / max(1e-12, weight.sum())
    full = weighed + NOWHERE * np.array([1.0, usual], np.float32)[:, None, None]
    for side, share in AROUND:
        coarse = (-(-grid[0] // side), -(-grid[1] // side))
        full += np.float32(share) * resize_map(_mean_of(weighed, coarse), grid)
    return full[1] / full[0]


def on_grid(octaves: Octaves, text: Octaves, grid: Grid) -> Float[np.ndarray, "r2 c2"]:
    """The map on another grid: a mean of octaves in which text counts most."""
    weight = text + np.float32(1e-3)
    weight, weighed = resize_map(np.stack((weight, weight * octaves)), grid)
    return weighed / weight


def _mean_of(value: Float[np.ndarray, "n r c"], grid: Grid) -> Float[np.ndarray, "n r2 c2"]:
    """The mean of the cells that each cell of a coarser grid lies on."""
    for axis, want in ((1, grid[0]), (2, grid[1])):
        have, place = value.shape[axis], np.arange(want)
        start, stop = place * have // want, -(-(place + 1) * have // want)
        ahead = np.insert(value.cumsum(axis, np.float64), 0, 0, axis)
        count = np.expand_dims(stop - start, 1) if axis == 1 else stop - start
        value = (ahead.take(stop, axis) - ahead.take(start, axis)) / count
    return value.astype(np.float32)


def _lower_median(value: Float[np.ndarray, "n"]) -> np.float32:
    middle = (len(value) - 1) // 2
    return np.partition(value, middle)[middle]
