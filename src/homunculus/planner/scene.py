"""Scene: one picture with a belief about it, and what any plan of it is worth.

The value of a plan is its expected legibility: over all cells, the probability that the answer
stands there times the probability that it can be read at the best scale it is shown at. In a window
that shows neither the start of its row nor the question's words, which tell what it is, an answer
counts for less.
"""

from collections.abc import Sequence
from math import floor, log2

import numpy as np

from homunculus.box import Box
from homunculus.planner.acuity import Acuity
from homunculus.planner.belief import Belief
from homunculus.planner.config import DEFAULT_CONFIG, SearchConfig
from homunculus.planner.counting import Size, TokenRule
from homunculus.planner.plan import NO_FEES, Fees, Plan, Window
from homunculus.shapes import Float

Map = Float[np.ndarray, "rows cols"]
Cells = tuple[slice, slice]
"""Rows and columns of a lattice."""


class Scene:
    """What is known of one picture, its reader and its prices, on the lattice of the belief."""

    def __init__(
        self,
        belief: Belief,
        size: Size,
        rule: TokenRule,
        acuity: Acuity,
        fees: Fees = NO_FEES,
        config: SearchConfig = DEFAULT_CONFIG,
    ) -> None:
        self.belief, self.size, self.rule, self.acuity = belief, size, rule, acuity
        self.fees, self.config = fees, config
        self.max_side = rule.edge // rule.side if rule.edge else 1 << 16
        """Tokens along a side of a picture at most."""
        self.words = np.zeros_like(belief.place) if belief.words is None else belief.words
        self._wholes: dict[Size | None, Map] = {}
        self._parts: dict[Window, tuple[Cells, Map]] = {}

    def legibility(
        self, belief: Belief, scales: Sequence[float]
    ) -> Float[np.ndarray, "n rows cols"]:
        """P(answer here, and legible) if all were shown at one of these scales."""
        zooms = np.array([log2(scale) for scale in scales], belief.octaves.dtype)
        legible = self.acuity.read(belief.octaves + zooms[:, None, None], belief.blur)
        legible *= belief.place
        return legible

    def of_whole(self, belief: Belief, whole: Size | None) -> Map:
        """What the whole picture shows at some size, on the lattice of a belief."""
        if whole is None:
            return np.zeros_like(belief.place)
        scale = min(whole[0] / self.size[0], whole[1] / self.size[1])
        return self.legibility(belief, [scale])[0]

    def plan(self, whole: Size | None, windows: Sequence[Window]) -> Plan:
        """A plan with its expected legibility."""
        return Plan(whole, tuple(windows), float(self.shown(whole, windows).sum()))

    def shown(self, whole: Size | None, windows: Sequence[Window]) -> Map:
        """P(answer here, and legible) in each cell, in the picture that shows it best."""
        if whole not in self._wholes:  # many plans have the same one
            self._wholes[whole] = self.of_whole(self.belief, whole)
        shown = self._wholes[whole].copy()
        for window in windows:
            self.add(shown, window)
        return shown

    def add(self, shown: Map, window: Window) -> None:
        """Show a window, too: what it shows better is written into the map."""
        if window not in self._parts:  # many plans share windows
            here = self.cells(window.box)
            legible = self.legibility(self.belief[here], [window.scale(self.rule.side)])[0]
            self._parts[window] = here, legible * self.told(here, window.box)
        here, legible = self._parts[window]
        part = shown[here]
        np.maximum(part, legible, out=part)

    def labelled(self, here: Cells) -> Float[np.ndarray, "rows 1"] | float:
        """What answers in the rows of a window keep of their worth: all of it with the label of
        the row, else as much as the window shows of the question's words."""
        if self.belief.row_start is None:
            return 1.0
        bare = self.config.unlabelled_worth
        without = bare + (1 - bare) * float(self.words[here].sum())
        starts = self.belief.row_start[here[0]]
        shown = np.where(starts >= here[1].start, 1.0, without)
        return shown.astype(np.float32)[:, None]

    def told(self, here: Cells, box: Box) -> Float[np.ndarray, "rows _cols"] | float:
        """What answers in a window keep of their worth: as `labelled` says, but where lines are
        known, by the labels of the likely words."""
        layout, worth = self.belief.layout, self.labelled(here)
        if layout is None or not len(layout.keys):
            return worth
        bare, key = self.config.unlabelled_worth, layout.key_of_cell[here]
        told = layout.told(np.array([box], np.float32))[0]
        told = np.maximum(told, float(self.words[here].sum()))
        of_key = np.append(bare + (1 - bare) * told, 0).astype(np.float32)  # -1: the last
        return np.where(key >= 0, of_key[key], worth)

    def cells(self, box: Box) -> Cells:
        """The cells of the lattice that a box covers."""
        (rows, cols), (height, width) = self.belief.place.shape, self.size
        return (
            slice(nearest(box.y0 * rows / height), nearest(box.y1 * rows / height)),
            slice(nearest(box.x0 * cols / width), nearest(box.x1 * cols / width)),
        )

    def rest(self, tokens: int, plan: Plan, more_windows: int = 0) -> int:
        """What a plan leaves of a budget, with the fees of some windows more."""
        windows = len(plan.windows) + more_windows
        return tokens - plan.count(self.rule) - self.fees.total(plan.whole is not None, windows)

    def whole_beside(self, windows: Sequence[Window], tokens: int) -> Size:
        """The whole picture as large as windows let it be."""
        spent = sum(window.count for window in windows) + self.fees.total(True, len(windows))
        return self.rule.largest(self.size, tokens - spent)


def nearest(cells: float) -> int:
    """Halves up, so that a window has as many cells wherever it begins."""
    return floor(cells + 0.5)
