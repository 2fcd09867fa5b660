"""Candidates: windows on the coarse lattice, laid one after the other where each adds most.

All scales, shapes and places of a price are compared at once, by sums from running sums.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor, hypot, log2, sqrt

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, Int

from homunculus.box import Box
from homunculus.checks import Grid
from homunculus.planner.counting import Size
from homunculus.planner.lattice import (
    COARSE_CELLS,
    box_sums,
    cell_shares,
    coarse_cell,
    coarse_sums,
    pooled,
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
        self._word_shares: dict[WindowTable, Float[torch.Tensor, "windows"]] = {}
        start = scene.belief.row_start
        self.labelled = None if start is None else self._labelled(start)
        self.min_cols = ceil(self.config.min_word_width * scene.acuity.middle / scene.rule.side)

    # ---- the scales and the labels of this picture

    def _ladder(self) -> tuple[int, int]:
        """The finest scale worth trying, and how many.

        Print that is surely legible gains nothing from more pixels, and nothing is enlarged.
        """
        place, octaves, acuity = self.belief.place, self.belief.octaves, self.scene.acuity
        likely = octaves[place >= self.config.min_likely * place.max()] - acuity.log_middle
        low, high = (float(end) for end in likely.aminmax())
        finest = log2(self.scene.rule.side / self.cell)  # a token in cells, at the picture's scale
        coarsest = ceil(2 * (log2(COARSE_CELLS) - finest))  # there one token shows all of it
        spread = hypot(acuity.width, acuity.spread, self.scene.belief.blur)
        first = min(max(0, floor(2 * low - 4 * spread)), coarsest)
        last = min(max(first, ceil(2 * high + spread)), coarsest)
        rung = ceil(RUNGS_PER_OCTAVE * (finest + first / 2) - 1e-9)
        return rung, STEPS_PER_OCTAVE * (last - first) // 2 + 1

    def _scale(self, step: int) -> float:
        return self.scene.rule.side / self.cell / token_cells(self.rung, step)

    def _labelled(self, row_start: Int[torch.Tensor, "rows"]) -> Float[torch.Tensor, "coarse cols"]:
        """The share of each row of the coarse lattice whose label a window shows, by the column
        that it begins with: rows of the fine one weigh as likely as an answer stands there."""
        place, (height, width) = self.scene.belief.place, self.scene.size
        rows, cols = place.shape
        start = torch.arange(COARSE_CELLS) * self.cell * cols / width
        weight = place.sum(1, keepdim=True) + 1e-12
        down = cell_shares(rows, self.cell * rows / height)
        return down @ ((start <= row_start[:, None]) * weight) / (down @ weight).clamp(min=1e-20)

    # ---- drafts

    def drafts(self, contexts: Sequence[tuple[Size | None, int]], max_windows: int) -> list[Draft]:
        """Each size of the whole picture with windows of what it leaves, none laid yet."""
        fees, drafts = self.scene.fees, list[Draft]()
        bases = [self.scene.of_whole(self.belief, whole) for whole, _ in contexts]
        values = torch.stack(bases).sum((1, 2)).tolist()
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
        base = torch.stack([draft.base for draft in drafts])
        legible = base.new_zeros((len(drafts), max_windows, *base.shape[1:]))  # in each window
        for index, draft in enumerate(drafts):
            for number, spot in draft.spots.items():
                legible[index, number][spot.here] = self.shown_in(spot)
        for number in range(max_windows):
            fewest = max(number, 1) if again else number
            todo = [index for index, draft in enumerate(drafts) if len(draft.prices) > fewest]
            if not todo:
                break
            legible[todo[0] :, number] = 0
            shown = torch.maximum(base[todo[0] :], legible[todo[0] :].amax(1))
            for index, before in zip(todo, shown, strict=True):
                draft = drafts[index]
                draft.spots.pop(number, None)
                spot = self.best(before, draft.prices[number], self.config.min_window_gain)
                if spot:
                    draft.spots[number] = spot
                    legible[index, number][spot.here] = self.shown_in(spot)
        values = torch.maximum(base, legible.amax(1)).sum((1, 2)).tolist()
        return [replace(draft, value=value) for draft, value in zip(drafts, values, strict=True)]

    def shown_in(self, spot: Spot) -> Float[torch.Tensor, "height width"]:
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
    ) -> Float[torch.Tensor, "windows"]:
        """What some windows add to what is shown; their steps are counted from the first."""
        corner = table.corner[:, some] - first_step * (COARSE_CELLS + 1) ** 2
        if self.labelled is None:
            return box_sums((self.legible - shown).clamp_(min=0), corner)
        bare_legible = self.config.unlabelled_worth * self.legible
        gain = torch.stack((self.legible - shown, bare_legible - shown)).clamp_(min=0)
        gain[0] -= gain[1]
        more, bare = box_sums(gain, corner)
        label = self._by_label(gain[0])
        left = table.left[some].clamp(max=len(label) - 1) * label[0].numel()
        bottom, top = label.flatten().index_select(0, (corner[:2] + left).flatten()).view(2, -1)
        if table not in self._word_shares:  # the same for all that is shown
            flat = table.corner[:, some] % (COARSE_CELLS + 1) ** 2
            self._word_shares[table] = box_sums(self.words[None], flat)
        return torch.lerp(bottom - top, more, self._word_shares[table]).add_(bare)

    def _by_label(
        self, gain: Float[torch.Tensor, "steps rows cols"]
    ) -> Float[torch.Tensor, "starts steps rows1 cols1"]:
        """What rows gain by their labels, for windows by first column and scale, summed down to
        each row and up to each column; zeros for the columns from where on no label is shown."""
        assert self.labelled is not None
        starts = COARSE_CELLS - int(self.labelled.any(0).flip(0).int().argmax())
        up_to = F.pad(gain.cumsum(2), (1, 0))
        within = up_to - rearrange(up_to[..., :starts], "s r x -> x s r 1")
        within *= rearrange(self.labelled[:, :starts], "r x -> x 1 r 1")
        return F.pad(within.cumsum_(2), (0, 0, 1, 0, 0, 0, 0, 1))

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
