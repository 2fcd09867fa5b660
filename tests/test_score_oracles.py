"""The maps of `scouts.pixels` once more, slowly, with numpy and scipy."""

import numpy as np
import pytest
from scipy.ndimage import correlate, gaussian_filter, map_coordinates

from homunculus.scouts import contrast, information, orientations
from homunculus.scouts.pixels import STEPS

SMOOTH = np.array([1, 4, 6, 4, 1]) / 16
SECOND = np.array([1, 0, -2, 0, 1]) / 4
FIRST = np.array([-1, -2, 0, 2, 1]) / 8


@pytest.fixture(scope="module")
def picture():
    """Coloured noise that grows to the right, with a red square: 7 x 10 cells of 16 pixels."""
    made = np.random.default_rng(0).random((3, 112, 160)) * np.linspace(0, 1, 160)
    made[0, 32:48, 32:48] = 0.9
    return made


def opponents(picture):
    """Three planes with eight pixels a cell."""
    red, green, blue = picture
    planes = np.stack(((red + green + blue) / 3, red - green, blue - (red + green) / 2))
    return pooled(planes, 2)


def pooled(planes, side):
    count, height, width = planes.shape
    return planes.reshape(count, height // side, side, width // side, side).mean((2, 4))


def blurred(plane, sigma):
    return gaussian_filter(plane, sigma, radius=round(3 * sigma), mode="nearest")


def pyramid(plane, levels):
    out = [plane]
    for _ in range(levels - 1):
        soft = correlate(out[-1], np.outer(SMOOTH, SMOOTH), mode="nearest")
        out.append(pooled(soft[None], 2)[0])
    return out


def enlarged(plane, times):
    height, width = plane.shape
    at = [(np.arange(edge * times) + 0.5) / times - 0.5 for edge in (height, width)]
    return map_coordinates(plane, np.meshgrid(*at, indexing="ij"), order=1, mode="nearest")


def rare(cells):
    return cells * (1 - cells.mean() / max(cells.max(), 1 / 64)) ** 2


def slow_orientations(planes):
    """Root of the mean energy of second derivatives; the angle is the way the structure runs."""
    energy = np.zeros((4, planes.shape[1] // 8, planes.shape[2] // 8))
    for level, grey in enumerate(pyramid(planes[0], 3)):
        xx = correlate(grey, np.outer(SMOOTH, SECOND), mode="nearest")
        yy = correlate(grey, np.outer(SECOND, SMOOTH), mode="nearest")
        xy = correlate(grey, np.outer(FIRST, FIRST), mode="nearest")
        for index, angle in enumerate(np.radians([0, 45, 90, 135])):
            x, y = np.sin(angle), np.cos(angle)  # across the structure, y pointing down
            across = x * x * xx + 2 * x * y * xy + y * y * yy
            energy[index] += pooled(across[None] ** 2, 8 >> level)[0]
    return np.sqrt(energy)


def slow_contrast(planes):
    total = np.mean([rare(band) for band in slow_orientations(planes)], 0)
    for plane in planes:
        levels, cell = pyramid(plane, 4), pooled(plane[None], 8)[0]
        for fine in (0, 1):
            apart = np.abs(levels[fine] - enlarged(levels[fine + 2], 4))
            total += rare(pooled(apart[None], 8 >> fine)[0]) / 2
        for sigma in (0.5, 1, 2):
            total += rare(np.abs(blurred(cell, sigma) - blurred(cell, 4 * sigma))) / 3
    return total


def slow_information(planes):
    """Cell by cell: histogram around the mean, and the surprise of four statistics."""
    rows, cols = planes.shape[1] // 8, planes.shape[2] // 8
    entropy, statistic = np.zeros((rows, cols)), np.zeros((4, rows, cols))
    for y in range(rows):
        for x in range(cols):
            cell = planes[:, y * 8 : y * 8 + 8, x * 8 : x * 8 + 8]
            statistic[:3, y, x], statistic[3, y, x] = cell.mean((1, 2)), cell[0].std()
            _, count = np.unique(np.round((cell[0] - cell[0].mean()) * 16), return_counts=True)
            entropy[y, x] = -(count / 64 * np.log(count / 64)).sum()
    for plane in statistic:
        usual = blurred(plane, 2)
        variance = blurred(plane**2, 2) - usual**2
        entropy += np.log1p((plane - usual) ** 2 / (variance + 1 / 1024)) / 8
    return entropy


@pytest.mark.parametrize(
    ("measure", "slow"),
    [
        (orientations, slow_orientations),
        (contrast, slow_contrast),
        (information, slow_information),
    ],
)
def test_a_map_is_what_the_slow_way_finds(measure, slow, picture):
    expected = slow(opponents(picture))
    off = np.abs(measure(picture) - expected / expected.max())
    assert np.median(off) < 1 / STEPS
    assert off.max() < (0.03 if measure is information else 1.01 / STEPS)  # a pixel may tip its bin
