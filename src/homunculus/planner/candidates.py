"""Candidates: windows on the coarse lattice, laid one after the other where each adds most.

All scales, shapes and places of a price are compared at once, by sums from running sums.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor, hypot, log2, sqrt
from typing import NamedTuple

import numpy as np

from homunculus.box import Box
from homunculus.checks import Grid
from homunculus.planner.counting import Size
from homunculus.planner.lattice import (
    COARSE_CELLS,
    box_sums,
    coarse_along,
    coarse_cell,
    coarse_sums,
    mixed,
    pooled,
    running,
)
from homunculus.planner.plan import Window, span_around, split_tokens
from homunculus.planner.scene import Map, Scene
from homunculus.planner.tables import (
    LOWEST_STEP,
    PHASES,
    RUNGS_PER_OCTAVE,
    STEPS_PER_OCTAVE,
    Shape,
    Spot,
    WindowTable,
    affordable_windows,
    grids_of,
    token_cells,
)
from homunculus.shapes import Float, Int


@dataclass(frozen=True, eq=False)
class Draft:
    """Windows on the coarse lattice beside a picture of the whole."""

    whole: Size | None
    base: Map
    """What that alone shows."""
    prices: tuple[int, ...]
    """What each window may cost."""
    spots: dict[int, Spot] = field(default_factory=dict[int, Spot])
    """The windows so far, by the index of their price."""
    value: float = 0.0


class Lookup(NamedTuple):
    """Where the sums of windows stand, for the scales and labels of one picture."""

    corner: Int[np.ndarray, "4 windows"]
    row_ends: Int[np.ndarray, "2 windows"] | None
    """The last and the first of their rows, in the sums by labels."""
    words: Float[np.ndarray, "windows"] | None
    """What they show of the question's words."""


class Candidates:
    """Windows of one picture on the coarse lattice."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.config = scene, scene.config
        self.cell = coarse_cell(scene.size)
        self.belief = pooled(scene.belief, scene.size)
        self.rung, self.steps = self._ladder()
        scales = [self._scale(step) for step in range(self.steps)]
        self.legible = scene.legibility(self.belief, scales)
        self.words = coarse_sums(scene.words, scene.size)
        start = scene.belief.row_start
        self.labelled = None if start is None else self._labelled(start)
        self._lookups: dict[WindowTable, Lookup] = {}
        self.min_cols = ceil(self.config.min_word_width * scene.acuity.middle / scene.rule.side)

    # ---- the scales and the labels of this picture

    def _ladder(self) -> tuple[int, int]:
        """The finest scale worth trying, and how many.

        Print that is surely legible gains nothing from more pixels, and nothing is enlarged.
        """
        place, octaves, acuity = self.belief.place, self.belief.octaves, self.scene.acuity
        likely = octaves[place >= self.config.min_likely * place.max()] - acuity.log_middle
        low, high = float(likely.min()), float(likely.max())
        finest = log2(self.scene.rule.side / self.cell)  # a token in cells, at the picture's scale
        coarsest = ceil(2 * (log2(COARSE_CELLS) - finest))  # there one token shows all of it
        spread = hypot(acuity.width, acuity.spread, self.scene.belief.blur)
        first = min(max(0, floor(2 * low - 4 * spread)), coarsest)
        last = min(max(first, ceil(2 * high + spread)), coarsest)
        rung = ceil(RUNGS_PER_OCTAVE * (finest + first / 2) - 1e-9)
        return rung, STEPS_PER_OCTAVE * (last - first) // 2 + 1

    def _scale(self, step: int) -> float:
        return self.scene.rule.side / self.cell / token_cells(self.rung, step)

    def _labelled(self, row_start: Int[np.ndarray, "rows"]) -> Float[np.ndarray, "coarse cols"]:
        """The share of each row of the coarse lattice whose label a window shows, by the column
        that it begins with: rows of the fine one weigh as likely as an answer stands there."""
        place, (height, width) = self.scene.belief.place, self.scene.size
        rows, cols = place.shape
        start = np.arange(COARSE_CELLS) * self.cell * cols / width
        weight = place.sum(1, keepdims=True) + 1e-12
        length = self.cell * rows / height
        of_all = coarse_along(weight, -2, length).clip(1e-20)
        return coarse_along((start <= row_start[:, None]) * weight, -2, length) / of_all

    # ---- drafts

    def drafts(self, contexts: Sequence[tuple[Size | None, int]], max_windows: int) -> list[Draft]:
        """Each size of the whole picture with windows of what it leaves, none laid yet."""
        fees, drafts = self.scene.fees, list[Draft]()
        bases = [self.scene.of_whole(self.belief, whole) for whole, _ in contexts]
        values = np.stack(bases).sum((1, 2)).tolist()
        for (whole, left), base, value in zip(contexts, bases, values, strict=True):
            if drafts and value < values[0] + self.config.min_context_gain:
                continue  # a larger picture of the whole that shows hardly more is no use
            left -= fees.whole if whole else 0
            windows = min(max_windows, left // (1 + fees.window))
            if windows < 1:
                continue
            for shares in dict.fromkeys(share[:windows] for share in self.config.window_shares):
                prices = split_tokens(left - len(shares) * fees.window, shares)
                drafts.append(Draft(whole, base, prices))
        return drafts

    def best_draft(self, drafts: Sequence[Draft]) -> Draft:
        """The draft whose windows show most; the best few are laid a second time."""
        laid = self.lay(drafts)
        finalists = sorted(laid, key=lambda draft: -draft.value)[: self.config.finalists]
        return max(self.lay(finalists), key=lambda draft: draft.value)

    def lay(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Windows one after the other, each where it adds most to the others; all drafts together.

        Windows that were laid before are laid once more, but for single ones, which would stay. A
        draft of more windows stands behind one of fewer.
        """
        drafts = sorted(drafts, key=lambda draft: len(draft.prices))
        max_windows, again = len(drafts[-1].prices), any(draft.spots for draft in drafts)
        base = np.stack([draft.base for draft in drafts])
        legible = np.zeros(
            (len(drafts), max_windows, *base.shape[1:]), base.dtype
        )  # in each window
        for index, draft in enumerate(drafts):
            for number, spot in draft.spots.items():
                legible[index, number][spot.here] = self.shown_in(spot)
        for number in range(max_windows):
            fewest = max(number, 1) if again else number
            todo = [index for index, draft in enumerate(drafts) if len(draft.prices) > fewest]
            if not todo:
                break
            legible[todo[0] :, number] = 0
            shown = np.maximum(base[todo[0] :], legible[todo[0] :].max(1))
            for index, before in zip(todo, shown, strict=True):
                draft = drafts[index]
                draft.spots.pop(number, None)
                spot = self.best(before, draft.prices[number], self.config.min_window_gain)
                if spot:
                    draft.spots[number] = spot
                    legible[index, number][spot.here] = self.shown_in(spot)
        values = np.maximum(base, legible.max(1)).sum((1, 2)).tolist()
        return [replace(draft, value=value) for draft, value in zip(drafts, values, strict=True)]

    def shown_in(self, spot: Spot) -> Float[np.ndarray, "height width"]:
        """What a window shows of its cells."""
        legible, bare = self.legible[spot.step][spot.here], self.config.unlabelled_worth
        if self.labelled is None:
            return legible
        words = float(self.words[spot.here].sum())
        label = self.labelled[spot.y : spot.y + spot.height, spot.x, None]
        return legible * (bare + (1 - bare) * (words + (1 - words) * label))

    # ---- the best window

    def best(self, shown: Map, price: int, min_gain: float) -> Spot | None:
        """The window of at most that price that adds most to what is shown, if it is enough."""
        min_cols = min(self.min_cols, ceil(sqrt(price)))
        phase, max_side = self.rung % PHASES, self.scene.max_side
        table = affordable_windows(phase, price, max_side, min_cols, self.config)
        gain, spot = self._best_of(table, shown)
        return spot if gain > min_gain else None

    def best_exact(self, shown: Map, tokens: int) -> Spot:
        """The window of exactly that many tokens that adds most."""
        return self._best_of(WindowTable.of(self._exact(tokens)), shown)[1]

    def _best_of(self, table: WindowTable, shown: Map) -> tuple[float, Spot]:
        first_step = self.rung // PHASES - LOWEST_STEP
        some = slice(table.starts[first_step], table.starts[first_step + self.steps])
        gains = self._gains(table, some, first_step, shown)
        number = int(gains.argmax())
        return float(gains[number]), table.spot(some.start + number, first_step)

    def _gains(
        self, table: WindowTable, some: slice, first_step: int, shown: Map
    ) -> Float[np.ndarray, "windows"]:
        """What some windows add to what is shown; their steps are counted from the first."""
        if table not in self._lookups:
            self._lookups[table] = self._lookup(table, some, first_step)
        corner, row_ends, words = self._lookups[table]
        more = (self.legible - shown).clip(0)
        if row_ends is None:
            return box_sums(more, corner)
        bare = (self.config.unlabelled_worth * self.legible - shown).clip(0)
        more -= bare
        bottom, top = self._by_label(more).ravel().take(row_ends)
        bottom -= top
        gain = bottom if words is None else mixed(bottom, box_sums(more, corner), words)
        gain += box_sums(bare, corner)
        return gain

    def _lookup(self, table: WindowTable, some: slice, first_step: int) -> Lookup:
        """Where to look up some windows of a table."""
        line = COARSE_CELLS + 1
        corner = table.corner[:, some].astype(np.intp) - first_step * line**2
        if self.labelled is None:
            return Lookup(corner, None, None)
        starts, scales = self._starts(), self.steps * line
        place = table.step_col[some].astype(np.intp) - first_step * line
        place += scales * np.minimum(table.left[some], starts, dtype=np.intp)
        row_ends = np.multiply(table.row_ends[:, some], (starts + 1) * scales, dtype=np.intp)
        row_ends += place
        if self.scene.belief.words is None:
            return Lookup(corner, row_ends, None)
        words = np.broadcast_to(self.words, self.legible.shape)  # the same at all scales
        return Lookup(corner, row_ends, box_sums(words, corner))

    def _starts(self) -> int:
        """Columns of which a window may begin with one and show a label."""
        assert self.labelled is not None
        return COARSE_CELLS - int(np.flip(self.labelled.any(0)).argmax())

    def _by_label(
        self, gain: Float[np.ndarray, "steps rows cols"]
    ) -> Float[np.ndarray, "rows1 starts steps cols1"]:
        """What rows gain by their labels, for windows by first column and scale, summed down to
        each row and up to each column; zeros for the columns from where on no label is shown."""
        assert self.labelled is not None
        starts, line = self._starts(), COARSE_CELLS + 1
        up_to = np.zeros((COARSE_CELLS, self.steps, line), gain.dtype)
        up_to[..., 1:] = running(gain, 2).swapaxes(0, 1)
        before = up_to[..., :starts].transpose(0, 2, 1)
        sums = np.empty((line, starts + 1, self.steps, line), gain.dtype)
        sums[0] = sums[:, -1] = 0
        total, within = np.zeros(sums.shape[1:])[:-1], np.empty_like(sums[0, :-1])
        for row in range(COARSE_CELLS):  # one at a time stays in the processor's cache
            np.subtract(up_to[row], before[row, ..., None], out=within)
            within *= self.labelled[row, :starts, None, None]
            total += within
            sums[row + 1, :-1] = total
        return sums

    # ---- windows in pixels, and of exact prices

    def window(self, spot: Spot) -> Window:
        """A spot of the lattice in pixels, as large as its tokens can show."""
        (height, width), token = self.scene.size, token_cells(self.rung, spot.step) * self.cell
        rows, cols = min(spot.rows, ceil(height / token)), min(spot.cols, ceil(width / token))
        middle_y = (spot.y + spot.height / 2) * self.cell
        middle_x = (spot.x + spot.width / 2) * self.cell
        y0, y1 = span_around(middle_y, rows * token, height)
        x0, x1 = span_around(middle_x, cols * token, width)
        return Window(Box(x0, y0, x1, y1), (rows, cols))

    def largest_grid_tokens(self, tokens: int) -> int:
        """The most tokens up to ``tokens`` that some rectangle within the picture has."""
        whole = self._whole_grid(0)
        return next(count for count in range(tokens, 0, -1) if grids_of(count, whole))

    def _exact(self, tokens: int) -> Iterator[Shape]:
        phase, places = self.rung % PHASES, self.config.places_per_window
        for step in range(self.steps):
            for grid in grids_of(tokens, self._whole_grid(step)):
                yield Shape.of(phase, self.rung // PHASES + step, grid, places)

    def _whole_grid(self, step: int) -> Grid:
        token = token_cells(self.rung, step) * self.cell
        return ceil(self.scene.size[0] / token), ceil(self.scene.size[1] / token)
