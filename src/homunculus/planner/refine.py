"""Refine: windows of the coarse lattice moved, enlarged and joined on the fine one."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import ceil

import numpy as np

from homunculus.box import Box
from homunculus.checks import Grid
from homunculus.planner.counting import Size
from homunculus.planner.lattice import (
    coarse_cell,
    inner_sums,
    integral,
    mixed,
    running,
    span_sums,
)
from homunculus.planner.plan import Window, span_around
from homunculus.planner.scene import Cells, Map, Scene, nearest
from homunculus.shapes import Float


def settle(scene: Scene, whole: Size | None, windows: Sequence[Window]) -> list[Window]:
    """Windows moved to where they add most, one after the other."""
    settled = list(windows)
    base = scene.shown(whole, ())
    legible = np.zeros((max(1, len(settled)), *base.shape), base.dtype)
    for index, window in enumerate(settled):
        scene.add(legible[index], window)
    for index, window in enumerate(settled):
        legible[index] = 0
        shown = np.maximum(base, legible.max(0))
        settled[index], here, part = _moved(scene, shown, window)
        legible[index][here] = part
    return settled


def merge(scene: Scene, whole: Size | None, windows: list[Window]) -> list[Window]:
    """One window in place of two for as many tokens, while that shows hardly less.

    Pieces of one line become a line.
    """
    least = scene.plan(whole, windows).value - scene.config.max_merge_loss
    while len(windows) > 1:
        plans = [
            scene.plan(whole, [*windows[:i], union, *windows[i + 1 : j], *windows[j + 1 :]])
            for i, j in combinations(range(len(windows)), 2)
            if (union := _union(scene, windows[i], windows[j]))
        ]
        best = max(plans, key=lambda plan: plan.value, default=None)
        if best is None or best.value < least:
            break
        windows = list(best.windows)
    return windows


def _union(scene: Scene, first: Window, second: Window) -> Window | None:
    """A window on the parts of two, as large as their tokens let it be; None if that is small."""
    x0, y0 = min(first.box.x0, second.box.x0), min(first.box.y0, second.box.y0)
    x1, y1 = max(first.box.x1, second.box.x1), max(first.box.y1, second.box.y1)
    width, height = x1 - x0, y1 - y0
    side, tokens = scene.rule.side, first.count + second.count + scene.fees.window
    grids = (
        (rows, min(tokens // rows, scene.max_side))
        for rows in range(1, min(tokens, scene.max_side) + 1)
    )
    scale, rows, cols = max(
        (min(1.0, rows * side / height, cols * side / width), rows, cols) for rows, cols in grids
    )
    if scale < scene.config.min_merge_scale * min(first.scale(side), second.scale(side)):
        return None
    rows, cols = ceil(height * scale / side - 1e-6), ceil(width * scale / side - 1e-6)
    top, bottom = span_around((y0 + y1) / 2, rows * side / scale, scene.size[0])
    left, right = span_around((x0 + x1) / 2, cols * side / scale, scene.size[1])
    return Window(Box(left, top, right, bottom), (rows, cols))


def _moved(
    scene: Scene, shown: Map, window: Window
) -> tuple[Window, Cells, Float[np.ndarray, "height width"]]:
    """A window at the best scale and place nearby, its cells, and what it shows of them."""
    zooms = [_zoomed(scene, window, zoom) for zoom in scene.config.zooms]
    near = _nearby(scene, zooms[-1])
    scales = [zoomed.scale(scene.rule.side) for zoomed in zooms]
    legible = scene.legibility(scene.belief[near], scales)
    edge = _edge(scene, near)
    (rows, cols), (height, width) = scene.belief.place.shape, scene.size
    found = list[tuple[float, int, int, int, int, int]]()
    for index, zoomed in enumerate(zooms):
        high = min(max(1, nearest(zoomed.box.height * rows / height)), legible.shape[1])
        wide = min(max(1, nearest(zoomed.box.width * cols / width)), legible.shape[2])
        gains = gains_by_place(scene, legible[index], shown[near], near, (high, wide), edge)
        y, x = divmod(int(gains.argmax()), gains.shape[1])
        found.append((float(gains[y, x]), -index, y, x, high, wide))
    _, index, y, x, high, wide = max(found)  # of gains alike that of the first zoom
    top, left = y + near[0].start, x + near[1].start
    here = slice(top, top + high), slice(left, left + wide)
    part = legible[-index, y : y + high, x : x + wide] * scene.labelled(here)
    return _put(scene, zooms[-index], top, left), here, part


def gains_by_place(
    scene: Scene, legible: Map, shown: Map, here: Cells, size: Grid, edge: int
) -> Float[np.ndarray, "down across"]:
    """What windows of one size add, by their place among some cells of the fine lattice."""
    full = (legible - shown).clip(0)
    if scene.belief.row_start is None:
        return inner_sums(integral(full), size, edge)
    bare = (scene.config.unlabelled_worth * legible - shown).clip(0)
    more = integral(full - bare)
    by_row = inner_sums(more, (1, size[1]), edge)  # of windows one row high, by first column
    start = np.arange(by_row.shape[1]) + here[1].start
    by_row *= start <= scene.belief.row_start[here[0], None]
    gain = span_sums(np.pad(running(by_row, 0), ((1, 0), (0, 0))), size[0], edge)
    if scene.belief.words is not None:
        words = inner_sums(integral(scene.words[here]), size, 0)
        gain = mixed(gain, inner_sums(more, size, edge), words)
    return gain + inner_sums(integral(bare), size, edge)


def _edge(scene: Scene, here: Cells) -> int:
    """What is cut of a line that stands at the edge of a window, in cells."""
    belief = scene.belief[here]
    octaves = belief.octaves.flat[belief.place.argmax()]
    cell = max(scene.size) / max(scene.belief.place.shape)
    return round(scene.config.edge_lines * 2 ** float(octaves) / cell)


def _nearby(scene: Scene, window: Window) -> Cells:
    """Cells where a window may be moved to: those between two places of the coarse lattice."""
    cell, places, near = coarse_cell(scene.size), scene.config.places_per_window, list[slice]()
    for span, cells, pixels in zip(
        scene.cells(window.box), scene.belief.place.shape, scene.size, strict=True
    ):
        reach = max(ceil(cell * cells / pixels), (span.stop - span.start) // (2 * places))
        near.append(slice(max(0, span.start - reach), min(cells, span.stop + reach)))
    return near[0], near[1]


def _put(scene: Scene, window: Window, row: int, col: int) -> Window:
    """A window moved so that it begins at a cell of the fine lattice."""
    (rows, cols), (height, width), box = scene.belief.place.shape, scene.size, window.box
    y = min(round(row * height / rows), height - box.height)
    x = min(round(col * width / cols), width - box.width)
    return replace(window, box=Box(x, y, x + box.width, y + box.height))


def _zoomed(scene: Scene, window: Window, zoom: float) -> Window:
    """A window whose tokens show a larger or smaller part of the picture, around its middle."""
    box = window.box
    height, width = (float(side * scene.rule.side) for side in window.tokens)  # never enlarged
    y0, y1 = span_around((box.y0 + box.y1) / 2, max(height, box.height * zoom), scene.size[0])
    x0, x1 = span_around((box.x0 + box.x1) / 2, max(width, box.width * zoom), scene.size[1])
    return replace(window, box=Box(x0, y0, x1, y1))
