"""The search for the views that show the most: which windows, how large, at which scale.

The value of a plan is its expected legibility: over all places, the probability that the answer
stands there times the probability that it can be read at the best scale it is shown at. The whole
picture at one scale is among the plans, so a plan is never worth less than resizing. Windows are
laid one after the other where they add most; box sums come from integral images, so that all
scales, shapes and places are compared in a few operations.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, floor, log2
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.core.types import Grid
from homunculus.planner.acuity import Acuity
from homunculus.planner.counting import Size, TokenRule

STEPS = 4
"""Scales to an octave."""
COARSE, FINE = 32, 128
"""Cells along the longer side: of the lattice that is searched, and of the one settled on."""
TALL = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
"""Heights of windows, in tokens."""
SLIM, BROAD = 1 / 8, 24.0
"""The least and the most columns to a row of a window."""
CONTEXTS = (1, 2, 4)
"""How large the small whole picture may be, in the least it must have."""
LARGER = 0.05
"""How much more of the best value it must show by itself to be tried."""
ZOOMS = (1.0, 2**0.125, 2**-0.125)
"""What a window is enlarged by when it is settled: half a step of scale."""
SPLITS = ((1,), (1, 1), (2, 1), (1, 1, 1), (1, 1, 1, 1))
"""In which shares windows get what the whole picture leaves."""
FINALISTS = 3
"""Plans of the coarse lattice that are settled on the fine one."""
WORSE = 0.97
"""If one window more is worth less than this share, no more are tried."""
WINDOWS = 0.005
"""What windows must add to the whole picture resized: where they hardly help, nothing is cut."""
GAIN = 1e-6
"""A window must add at least this much to be worth a picture of its own."""
USED = 0.95
"""The share of the budget that is spent where the picture has that much to show."""


@dataclass(frozen=True, eq=False)
class Belief:
    """Where the answer may stand, and how high its letters are there."""

    place: Float[Tensor, "rows cols"]
    """Probabilities over a lattice of the picture. All zero: nobody knows."""
    octaves: Float[Tensor, "rows cols"]
    """log2 of the height of a line, in pixels of the picture."""
    blur: float
    """How well the height is known: standard deviation in octaves."""

    def __getitem__(self, here: tuple[slice, slice]) -> "Belief":
        return Belief(self.place[here], self.octaves[here], self.blur)


@dataclass(frozen=True)
class Window:
    """A part of the picture, and the tokens it is shown with."""

    box: tuple[int, int, int, int]
    """x0 y0 x1 y1 in pixels of the picture."""
    tokens: Grid
    """Rows and columns."""

    @property
    def count(self) -> int:
        """Tokens it costs."""
        return self.tokens[0] * self.tokens[1]

    def scale(self, side: int) -> float:
        """Pixels shown to a pixel of the picture, along its height; a token has ``side``."""
        return self.tokens[0] * side / (self.box[3] - self.box[1])

    def size(self, side: int) -> Size:
        """Height and width in pixels; nothing is enlarged to fill a token."""
        left, top, right, bottom = self.box
        rows, cols = self.tokens
        return min(rows * side, bottom - top), min(cols * side, right - left)


@dataclass(frozen=True)
class Plan:
    """The whole picture at some size, windows, and what they are worth together."""

    whole: Size | None
    """Height and width in pixels; None if it is left out."""
    windows: tuple[Window, ...]
    value: float
    """Expected legibility: the probability that the answer is there and can be read."""

    def count(self, rule: TokenRule) -> int:
        """Tokens that it costs."""
        whole = rule.count(self.whole) if self.whole else 0
        return whole + sum(window.count for window in self.windows)


def find_views(
    belief: Belief,
    size: Size,
    tokens: int,
    rule: TokenRule,
    acuity: Acuity,
    *,
    context: float | int = 1 / 8,
    most: int = 4,
    exact: bool = False,
) -> Plan:
    """The most valuable views that cost at most ``tokens``, or exactly so many.

    ``context`` is the least share of them that a small picture of the whole gets; 0 lets a plan
    leave it out. ``most`` windows stand beside it.
    """
    search = _Search(belief, size, rule, acuity)
    whole = rule.largest(size, tokens)
    best = search.plan(whole, ())
    if whole == size:
        return best
    contexts = _contexts(size, tokens, rule, context)
    if contexts and most and float(belief.place.sum()) > 0:
        found = search.best(contexts, tokens, most)
        if found.value > best.value + WINDOWS:
            best = search.spend_rest(found, tokens)
    return search.fill(best, tokens) if exact else best


def _contexts(size: Size, tokens: int, rule: TokenRule, context: float | int) -> list[Size | None]:
    """Sizes of the small whole picture that a plan with windows may have."""
    least = max(1, floor(context * tokens))
    sizes = [rule.largest(size, many * least) for many in CONTEXTS if many * least < tokens]
    return [*([] if context else [None]), *dict.fromkeys(sizes)]


class _Search:
    """What is known of one picture, on its two lattices."""

    def __init__(self, belief: Belief, size: Size, rule: TokenRule, acuity: Acuity) -> None:
        self.size, self.rule, self.acuity = size, rule, acuity
        self.fine = _resampled(belief, _lattice(size, FINE))
        self.coarse = _resampled(belief, _lattice(size, COARSE))
        self.steps = self._steps()
        self.worth = torch.stack([self._worth(self.coarse, 2 ** (-j / STEPS)) for j in self.steps])

    def _steps(self) -> range:
        """Scales worth trying: print that is surely legible gains nothing from more pixels."""
        place, octaves = self.coarse.place, self.coarse.octaves
        likely = octaves[place >= 1e-3 * place.max()] - self.acuity.log_middle
        first = floor(STEPS * (float(likely.min()) - 3 * self.acuity.width))
        last = ceil(STEPS * (float(likely.max()) + 1.5 * self.acuity.width))
        return range(max(0, first), max(0, first, last) + 1)

    def _worth(self, belief: Belief, scale: float) -> Float[Tensor, "rows cols"]:
        """P(answer here, and legible) if all were shown at this scale."""
        return belief.place * self.acuity.read(belief.octaves + log2(scale), belief.blur)

    def _shown(self, belief: Belief, whole: Size | None) -> Float[Tensor, "rows cols"]:
        if whole is None:
            return torch.zeros_like(belief.place)
        return self._worth(belief, self._scale(whole))

    def _scale(self, whole: Size) -> float:
        return min(whole[0] / self.size[0], whole[1] / self.size[1])

    def plan(self, whole: Size | None, windows: Sequence[Window]) -> Plan:
        """With its expected legibility, on the fine lattice."""
        return Plan(whole, tuple(windows), float(self._all_shown(whole, windows).sum()))

    def _all_shown(
        self, whole: Size | None, windows: Sequence[Window]
    ) -> Float[Tensor, "rows cols"]:
        shown = self._shown(self.fine, whole)
        for window in windows:
            self._show(shown, window)
        return shown

    def _show(self, shown: Float[Tensor, "rows cols"], window: Window) -> None:
        """Cells of the fine lattice in a window are legible as it shows them."""
        (rows, cols), (high, wide) = shown.shape, self.size
        left, top, right, bottom = window.box
        down = slice(round(top * rows / high), round(bottom * rows / high))
        across = slice(round(left * cols / wide), round(right * cols / wide))
        part = shown[down, across]
        worth = self._worth(self.fine[down, across], window.scale(self.rule.side))
        part.copy_(torch.maximum(part, worth))

    # ---- windows on the coarse lattice

    def best(self, contexts: Sequence[Size | None], tokens: int, most: int) -> Plan:
        """The best plan with windows: so many of one price each, beside one of the contexts."""
        tries: list[tuple[float, Size | None, list[_Spot]]] = []
        first = 0.0
        for whole in contexts:
            base = float(self._shown(self.coarse, whole).sum())
            if tries and base < first + LARGER * max(one[0] for one in tries):
                continue  # a larger picture of the whole that shows hardly more is no use
            first = first or base
            tries += self._tries(whole, tokens, most)
        tries.sort(key=lambda one: -one[0])
        plans = [self._finish(whole, spots) for _, whole, spots in tries[:FINALISTS]]
        return max(plans, key=lambda plan: plan.value)

    def _finish(self, whole: Size | None, spots: Sequence["_Spot"]) -> Plan:
        windows = [self._window(spot) for spot in self._lay_again(whole, spots)]
        return self.plan(whole, self._settle(whole, windows))

    def _tries(
        self, whole: Size | None, tokens: int, most: int
    ) -> Iterator[tuple[float, Size | None, list["_Spot"]]]:
        """One window, two, and more of them as long as more are not much worse."""
        left, last = tokens - (self.rule.count(whole) if whole else 0), 0.0
        for split in SPLITS:
            if len(split) > min(most, left):
                return
            spots, value = self._lay(whole, left, split)
            yield value, whole, spots
            if value < WORSE * last:
                return
            last = max(last, value)

    def _lay(
        self, whole: Size | None, tokens: int, split: Sequence[int]
    ) -> tuple[list["_Spot"], float]:
        """Windows one after the other, each where it adds most; and the value with them."""
        shown, spots = self._shown(self.coarse, whole), list[_Spot]()
        for at, share in enumerate(split):
            spot = self._add(shown, max(1, tokens * share // sum(split[at:])))
            if spot is None:
                break
            self._mark(shown, spot)
            tokens -= spot.a * spot.b
            spots.append(spot)
        return spots, float(shown.sum())

    def _lay_again(self, whole: Size | None, spots: Sequence["_Spot"]) -> list["_Spot"]:
        """Each window laid once more, now that the others are known."""
        spots, base = list(spots), self._shown(self.coarse, whole)
        for at, old in enumerate(spots if len(spots) > 1 else ()):
            shown = base.clone()
            for other in (*spots[:at], *spots[at + 1 :]):
                self._mark(shown, other)
            spots[at] = self._add(shown, old.a * old.b) or old
        return spots

    def _mark(self, shown: Float[Tensor, "rows cols"], spot: "_Spot") -> None:
        here = slice(spot.y, spot.y + spot.high), slice(spot.x, spot.x + spot.wide)
        shown[here] = torch.maximum(shown[here], self.worth[spot.step][here])

    def _add(
        self, shown: Float[Tensor, "rows cols"], tokens: int, exact: bool = False
    ) -> "_Spot | None":
        """The window of at most (or exactly) so many tokens that adds most."""
        grid = (int(shown.shape[0]), int(shown.shape[1]))
        spots = _spots(self.size, grid, self.rule.side, self.steps, tokens, exact)
        if spots is None:
            return None
        gain = (self.worth - shown).clamp_(min=0)
        total = F.pad(gain.cumsum(1).cumsum_(2), (1, 0, 1, 0)).flatten()
        corner = total.index_select(0, spots.corner).view(4, -1)
        held = corner[0].sub_(corner[1]).sub_(corner[2]).add_(corner[3])
        best = int(held.argmax())
        return spots.spot(best) if exact or float(held[best]) > GAIN else None

    def _window(self, spot: "_Spot") -> Window:
        """A spot of the lattice in pixels, as large as its tokens can show."""
        side = self.rule.side * 2 ** (self.steps[spot.step] / STEPS)
        rows, cols = self.coarse.place.shape
        top, bottom = _span(spot.y, spot.high, rows, self.size[0], spot.a * side)
        left, right = _span(spot.x, spot.wide, cols, self.size[1], spot.b * side)
        return Window((left, top, right, bottom), (spot.a, spot.b))

    # ---- windows on the fine lattice

    def _settle(self, whole: Size | None, windows: Sequence[Window]) -> list[Window]:
        """Windows moved by up to a coarse cell to where they add most on the fine lattice."""
        done = list(windows)
        base = self._shown(self.fine, whole)
        for at, window in enumerate(done):
            shown = base.clone()
            for other in (*done[:at], *done[at + 1 :]):
                self._show(shown, other)
            moved = [self._moved(shown, self._zoomed(window, zoom)) for zoom in ZOOMS]
            done[at] = max(moved, key=lambda one: one[0])[1]
        return done

    def _zoomed(self, window: Window, zoom: float) -> Window:
        """The same tokens on a larger or smaller part of the picture, with the same middle."""
        left, top, right, bottom = window.box
        high, wide = (float(side * self.rule.side) for side in window.tokens)  # never enlarged
        y0, y1 = _around((top + bottom) / 2, max(high, (bottom - top) * zoom), self.size[0])
        x0, x1 = _around((left + right) / 2, max(wide, (right - left) * zoom), self.size[1])
        return replace(window, box=(x0, y0, x1, y1))

    def _moved(self, shown: Float[Tensor, "rows cols"], window: Window) -> tuple[float, Window]:
        """A window at the best place nearby, and what it adds there."""
        gain = (self._worth(self.fine, window.scale(self.rule.side)) - shown).clamp_(min=0)
        (rows, cols), (high, wide) = gain.shape, self.size
        left, top, right, bottom = window.box
        y0, y1, tops = _near(top, bottom, rows, high)
        x0, x1, lefts = _near(left, right, cols, wide)
        total = F.pad(gain.cumsum(0).cumsum(1), (1, 0, 1, 0))
        low, up = total[y1], total[y0]
        held = low[:, x1] - up[:, x1] - low[:, x0] + up[:, x0]
        y, x = divmod(int(held.argmax()), held.shape[1])
        down, across = int(tops[y]), int(lefts[x])
        box = (across, down, across + right - left, down + bottom - top)
        return float(held[y, x]), replace(window, box=box)

    # ---- what is left of the budget

    def spend_rest(self, plan: Plan, tokens: int) -> Plan:
        """What windows left goes to the whole picture; then to one more window, if it is much."""
        rest = tokens - sum(window.count for window in plan.windows)
        if plan.whole is not None:
            plan = self.plan(self.rule.largest(self.size, rest), plan.windows)
        rest = tokens - plan.count(self.rule)
        return self._filled(plan, rest, exact=False) if rest > (1 - USED) * tokens else plan

    def fill(self, plan: Plan, tokens: int) -> Plan:
        """Windows more until exactly so many tokens are spent."""
        while rest := tokens - plan.count(self.rule):
            side = self.rule.side * 2 ** (self.steps[0] / STEPS)
            plan = self._filled(plan, _product(self.size, side, rest), exact=True)
        return plan

    def _filled(self, plan: Plan, tokens: int, exact: bool) -> Plan:
        """One more window, where it adds most."""
        rows, cols = self.coarse.place.shape
        shown = _pooled(self._all_shown(plan.whole, plan.windows), (rows, cols))
        spot = self._add(shown, tokens, exact)
        return plan if spot is None else self.plan(plan.whole, [*plan.windows, self._window(spot)])


# ---- lattices ------------------------------------------------------------------------------------


def _near(
    low: int, high: int, cells: int, pixels: int
) -> tuple[Int[Tensor, "n"], Int[Tensor, "n"], Int[Tensor, "n"]]:
    """First and last fine cell of a span that is moved by up to a coarse cell, and its pixels."""
    reach = FINE // COARSE
    start = low + torch.arange(-reach, reach + 1) * (pixels / cells)
    start = start.round().clamp(0, pixels - (high - low)).long()
    first = (start * cells / pixels).round().long()
    last = ((start + high - low) * cells / pixels).round().long()
    return first, last, start


def _span(cell: int, cells: int, grid: int, pixels: int, length: float) -> tuple[int, int]:
    """Pixels of a span of cells, widened around its middle to what its tokens can show."""
    return _around((cell + cells / 2) * pixels / grid, length, pixels)


def _around(middle: float, length: float, pixels: int) -> tuple[int, int]:
    """A span of pixels around a middle, moved onto the picture."""
    long = min(pixels, max(1, round(length)))
    low = min(max(0, round(middle - long / 2)), pixels - long)
    return low, low + long


def _lattice(size: Size, longer: int) -> Grid:
    """Square cells, so many along the longer side, none smaller than a pixel."""
    cell = max(1.0, max(size) / longer)
    return max(1, round(size[0] / cell)), max(1, round(size[1] / cell))


def _resampled(belief: Belief, grid: Grid) -> Belief:
    """The same belief on another lattice; the probability stays the same in sum."""
    if tuple(belief.place.shape) == grid:
        return belief
    place = _pooled(belief.place, grid)
    mean = _pooled(belief.place * belief.octaves, grid) / place.clamp(min=1e-12)
    even = F.interpolate(belief.octaves[None, None], grid, mode="area")[0, 0]
    return Belief(place, torch.where(place > 1e-9, mean, even), belief.blur)


def _pooled(value: Float[Tensor, "rows cols"], grid: Grid) -> Float[Tensor, "rows2 cols2"]:
    """Shares of each cell added up on another lattice."""
    return _overlap(value.shape[0], grid[0]) @ value @ _overlap(value.shape[1], grid[1]).T


@lru_cache(maxsize=64)
def _overlap(have: int, want: int) -> Float[Tensor, "want have"]:
    """Which share of each old cell lies in each new one."""
    edge = torch.arange(want + 1, dtype=torch.float64) * have / want
    cell = torch.arange(have, dtype=torch.float64)
    low = torch.maximum(edge[:-1, None], cell[None])
    high = torch.minimum(edge[1:, None], cell[None] + 1)
    return (high - low).clamp(min=0).float()


# ---- every window of one price -------------------------------------------------------------------


class _Spot(NamedTuple):
    """A window on the coarse lattice."""

    step: int
    """Its scale."""
    y: int
    x: int
    high: int
    wide: int
    a: int
    b: int
    """Rows and columns in tokens."""


@dataclass(frozen=True, eq=False)
class _Spots:
    """Scales, shapes and places of all windows that cost the same."""

    corner: Int[Tensor, "corners"]
    """Where their four corners stand in the integral images of all scales."""
    shapes: tuple[tuple[int, ...], ...]
    """Of each shape: scale, height and width in cells, stride, rows and columns in tokens."""
    ends: Int[Tensor, "shapes"]
    """One past the last window of each shape."""
    grid: Grid

    def spot(self, at: int) -> _Spot:
        """The window of that number."""
        which = int(torch.searchsorted(self.ends, at, right=True))
        step, high, wide, jump, a, b = self.shapes[which]
        rows, cols = self.grid
        nth = at - (int(self.ends[which - 1]) if which else 0)
        y, x = divmod(nth, -(-(cols - wide) // jump) + 1)
        return _Spot(step, min(y * jump, rows - high), min(x * jump, cols - wide), high, wide, a, b)


@lru_cache(maxsize=64)  # up to a megabyte each
def _spots(
    size: Size, grid: Grid, side: int, steps: range, tokens: int, exact: bool
) -> _Spots | None:
    """Windows of at most (or exactly) so many tokens."""
    shapes = tuple(_shapes(size, grid, side, steps, tokens, exact))
    if not shapes:
        return None
    step, high, wide, jump, _, _ = torch.tensor(shapes).unbind(1)
    rows, cols = grid
    down, across = -(-(rows - high) // jump) + 1, -(-(cols - wide) // jump) + 1
    ends = (down * across).cumsum(0)
    shape = torch.repeat_interleave(torch.arange(len(shapes)), down * across)
    nth = torch.arange(int(ends[-1])) - (ends - down * across)[shape]
    y = (nth // across[shape] * jump[shape]).minimum((rows - high)[shape])
    x = (nth % across[shape] * jump[shape]).minimum((cols - wide)[shape])
    line = cols + 1
    top = step[shape] * (rows + 1) * line + y * line + x
    drop, right = high[shape] * line, wide[shape]
    corner = torch.cat((top + drop + right, top + right, top + drop, top))
    return _Spots(corner.int(), shapes, ends, grid)


def _shapes(
    size: Size, grid: Grid, side: int, steps: range, tokens: int, exact: bool
) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Scale, height and width in cells, stride in cells, rows and columns in tokens."""
    cell = size[0] / grid[0], size[1] / grid[1]
    for at, step in enumerate(steps):
        length = side * 2 ** (step / STEPS)  # of a token, in pixels of the picture
        most = ceil(size[0] / length), ceil(size[1] / length)
        pairs = _pairs(tokens, most) if exact else _within(tokens, most)
        for a, b in pairs:
            high = min(grid[0], max(1, floor(a * length / cell[0])))
            wide = min(grid[1], max(1, floor(b * length / cell[1])))
            yield at, high, wide, max(1, floor(length / cell[0] / 2)), a, b


def _within(tokens: int, most: Grid) -> list[Grid]:
    """Rows and columns of about so many tokens, none longer than the picture."""
    found: dict[Grid, None] = {}
    for tall in TALL:
        if tall > tokens:
            break
        a = min(tall, most[0])
        b = min(tokens // a, most[1])
        if SLIM <= b / a <= BROAD or a == most[0] or b == most[1]:
            found[a, b] = None
    return [*found]


def _pairs(tokens: int, most: Grid) -> list[Grid]:
    """Rows and columns of exactly so many tokens."""
    sides = [a for a in range(1, min(tokens, most[0]) + 1) if tokens % a == 0]
    return [(a, tokens // a) for a in sides if tokens // a <= most[1]]


def _product(size: Size, side: float, tokens: int) -> int:
    """The most tokens up to ``tokens`` that some rectangle within the picture has."""
    most = ceil(size[0] / side), ceil(size[1] / side)
    return next(many for many in range(tokens, 0, -1) if _pairs(many, most))
