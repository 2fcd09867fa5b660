"""The search for the views that show the most: which windows, how large, at which scale.

The value of a plan is its expected legibility: over all places, the probability that the answer
stands there times the probability that it can be read at the best scale it is shown at. The whole
picture at one scale is always among the plans, so a plan is never worth less than resizing. Windows
are laid one after the other where they add most; box sums come from integral images, so that all
scales, shapes and places are compared in a few operations.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, log2

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
"""Cells along the longer side of the lattice that is searched, and of the one that is settled on."""
TALL = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
"""Heights of windows, in tokens."""
SPLITS = ((1.0,), (0.5, 0.5), (0.65, 0.35), (0.34, 0.33, 0.33), (0.25, 0.25, 0.25, 0.25))
"""How windows share what the whole picture leaves."""
CONTEXTS = (1.0, 2.0, 3.0)
"""How large the small whole picture may be, in the least it must have."""
GAIN = 1e-6
"""A window must add at least this much to be worth a picture of its own."""


@dataclass(frozen=True, eq=False)
class Belief:
    """Where the answer may stand, and how high its letters are there."""

    place: Float[Tensor, "rows cols"]
    """Probabilities over a lattice of the picture; their sum is how sure the scout is."""
    octaves: Float[Tensor, "rows cols"]
    """log2 of the height of a line, in pixels of the picture."""
    blur: float
    """How well the height is known: standard deviation in octaves."""


@dataclass(frozen=True)
class Window:
    """A part of the picture, and the tokens it is shown with."""

    box: tuple[int, int, int, int]
    """x0 y0 x1 y1 in pixels of the picture."""
    tokens: Grid
    """Rows and columns."""

    @property
    def scale(self) -> float:
        """Pixels shown to a pixel of the picture, over the side of a token."""
        return self.tokens[0] / (self.box[3] - self.box[1])


@dataclass(frozen=True)
class Plan:
    """The whole picture at some size, windows, and what they are worth together."""

    whole: Size | None
    """Height and width in pixels; None if it is left out."""
    windows: tuple[Window, ...]
    value: float


def find_views(
    belief: Belief,
    size: Size,
    tokens: int,
    rule: TokenRule,
    acuity: Acuity,
    *,
    context: float = 1 / 8,
    most: int = 4,
) -> Plan:
    """The most valuable views that cost at most ``tokens``."""
    search = _Search(belief, size, rule, acuity)
    whole = rule.largest(size, tokens)
    best = Plan(whole, (), search.value(whole, ()))
    if whole == size or not most or float(belief.place.sum()) <= 0:
        return best
    least = max(1, floor(context * tokens)) if context else 0
    for share in CONTEXTS if context else (0.0, *CONTEXTS):
        kept = int(share * max(1, least))
        if kept >= tokens:
            break
        small = rule.largest(size, kept) if kept else None
        for split in SPLITS:
            if len(split) > most:
                continue
            windows = search.lay(small, tokens - (rule.count(small) if small else 0), split)
            value = search.value(small, windows)
            if windows and value > best.value + GAIN:
                best = Plan(small, windows, value)
    return best


class _Search:
    """What is known of one picture, on its two lattices."""

    def __init__(self, belief: Belief, size: Size, rule: TokenRule, acuity: Acuity) -> None:
        self.size, self.rule, self.acuity = size, rule, acuity
        self.fine = _resampled(belief, _lattice(size, FINE))
        self.coarse = _resampled(belief, _lattice(size, COARSE))
        sure = belief.place > belief.place.max() * 1e-3
        low, high = belief.octaves[sure].min().item(), belief.octaves[sure].max().item()
        # print that is legible for sure gains nothing from more pixels, nor does what never will be
        first = max(0, floor(STEPS * (low - acuity.log_middle - 3 * acuity.width)))
        last = max(first + 1, ceil(STEPS * (high - acuity.log_middle + 1.5 * acuity.width)))
        self.steps = tuple(range(first, last + 1))
        self.worth = torch.stack([self._worth(self.coarse, 2 ** (-j / STEPS)) for j in self.steps])

    def _worth(self, belief: Belief, scale: float) -> Float[Tensor, "rows cols"]:
        """P(answer here, and legible) if all were shown at this scale."""
        return belief.place * self.acuity.read(belief.octaves + log2(scale), belief.blur)

    def _shown(self, belief: Belief, whole: Size | None) -> Float[Tensor, "rows cols"]:
        if whole is None:
            return torch.zeros_like(belief.place)
        return self._worth(belief, min(whole[0] / self.size[0], whole[1] / self.size[1]))

    def value(self, whole: Size | None, windows: Sequence[Window]) -> float:
        """Expected legibility of a plan, on the fine lattice."""
        shown = self._shown(self.fine, whole)
        for window in windows:
            self._show(shown, window)
        return float(shown.sum())

    def _show(self, shown: Float[Tensor, "rows cols"], window: Window) -> None:
        """Cells whose middle lies in a window are legible as it shows them."""
        (rows, cols), (high, wide) = shown.shape, self.size
        left, top, right, bottom = window.box
        y0, y1 = round(top * rows / high), round(bottom * rows / high)
        x0, x1 = round(left * cols / wide), round(right * cols / wide)
        belief = Belief(
            self.fine.place[y0:y1, x0:x1], self.fine.octaves[y0:y1, x0:x1], self.fine.blur
        )
        part = shown[y0:y1, x0:x1]
        part.copy_(torch.maximum(part, self._worth(belief, window.scale * self.rule.side)))

    def lay(self, whole: Size | None, tokens: int, split: Sequence[float]) -> tuple[Window, ...]:
        """Windows one after the other, each where it adds most."""
        shown, laid = self._shown(self.coarse, whole), []
        least = max(whole[0] / self.size[0], whole[1] / self.size[1]) if whole else 0.0
        for at, share in enumerate(split):
            each = int(tokens * share / sum(split[at:]))
            if each < 1:
                break
            found = self._best(shown, each, least)
            if found is None:
                break
            window, (y, x, high, wide), step = found
            part = shown[y : y + high, x : x + wide]
            part.copy_(torch.maximum(part, self.worth[step, y : y + high, x : x + wide]))
            tokens -= window.tokens[0] * window.tokens[1]
            laid.append(window)
        return self._settled(whole, laid)

    def _best(
        self, shown: Float[Tensor, "rows cols"], tokens: int, least: float
    ) -> tuple[Window, tuple[int, int, int, int], int] | None:
        rows, cols = shown.shape
        spots = _spots(self.size, (rows, cols), self.rule.side, self.steps, tokens, least)
        if spots is None:
            return None
        gain = (self.worth - shown).clamp(min=0)
        total = F.pad(gain.cumsum(1).cumsum(2), (1, 0, 1, 0)).flatten()
        corner = total[spots.corner]
        held = corner[0] - corner[1] - corner[2] + corner[3]
        best = int(held.argmax())
        if float(held[best]) <= GAIN:
            return None
        step, y, x, high, wide, a, b = spots.facts[:, best].tolist()
        scale = 2 ** (-self.steps[step] / STEPS)
        window = self._window((y, x, high, wide), (rows, cols), (a, b), scale)
        return window, (y, x, high, wide), step

    def _window(
        self, spot: tuple[int, int, int, int], grid: Grid, tokens: Grid, scale: float
    ) -> Window:
        """A spot of the lattice as pixels, as large as its tokens can show."""
        y, x, high, wide = spot
        side = self.rule.side / scale
        top, bottom = _span(y, high, grid[0], self.size[0], tokens[0] * side)
        left, right = _span(x, wide, grid[1], self.size[1], tokens[1] * side)
        return Window((left, top, right, bottom), tokens)

    def _settled(self, whole: Size | None, windows: Sequence[Window]) -> tuple[Window, ...]:
        """Windows moved by less than a coarse cell to where they add most on the fine lattice."""
        done = list(windows)
        for at, window in enumerate(done):
            shown = self._shown(self.fine, whole)
            for other in (*done[:at], *done[at + 1 :]):
                self._show(shown, other)
            gain = (self._worth(self.fine, window.scale * self.rule.side) - shown).clamp(min=0)
            done[at] = self._moved(gain, window)
        return tuple(done)

    def _moved(self, gain: Float[Tensor, "rows cols"], window: Window) -> Window:
        (rows, cols), (high, wide) = gain.shape, self.size
        left, top, right, bottom = window.box
        down = _near(top, bottom, rows, high)
        across = _near(left, right, cols, wide)
        total = F.pad(gain.cumsum(0).cumsum(1), (1, 0, 1, 0))
        y0, y1, ys = down
        x0, x1, xs = across
        held = total[y1][:, x1] - total[y0][:, x1] - total[y1][:, x0] + total[y0][:, x0]
        y, x = divmod(int(held.argmax()), held.shape[1])
        new_top, new_left = int(ys[y]), int(xs[x])
        return Window(
            (new_left, new_top, new_left + right - left, new_top + bottom - top), window.tokens
        )


def _near(
    low: int, high: int, cells: int, pixels: int
) -> tuple[Int[Tensor, "n"], Int[Tensor, "n"], Int[Tensor, "n"]]:
    """First and last fine cell of a span that is moved by up to a coarse cell, and its pixels."""
    reach = FINE // COARSE
    step = pixels / cells
    start = low + torch.arange(-reach, reach + 1) * step
    start = start.round().clamp(0, pixels - (high - low)).long().unique()
    first = (start * cells / pixels).round().long()
    last = ((start + high - low) * cells / pixels).round().long()
    return first, last, start


def _span(cell: int, cells: int, grid: int, pixels: int, length: float) -> tuple[int, int]:
    """Pixels of a span of cells, widened around its middle to what its tokens can show."""
    long = min(pixels, max(1, round(length)))
    middle = (cell + cells / 2) * pixels / grid
    low = min(max(0, round(middle - long / 2)), pixels - long)
    return low, low + long


def _lattice(size: Size, longer: int) -> Grid:
    """Square cells, so many along the longer side, none smaller than a pixel."""
    cell = max(1.0, max(size) / longer)
    return max(1, round(size[0] / cell)), max(1, round(size[1] / cell))


def _resampled(belief: Belief, grid: Grid) -> Belief:
    """The same belief on another lattice; the probability stays the same in sum."""
    have = (int(belief.place.shape[0]), int(belief.place.shape[1]))
    if have == grid:
        return belief
    down, across = _overlap(have[0], grid[0]), _overlap(have[1], grid[1])
    place = down @ belief.place @ across.T
    mean = down @ (belief.place * belief.octaves) @ across.T / place.clamp(min=1e-12)
    even = F.interpolate(belief.octaves[None, None], grid, mode="area")[0, 0]
    return Belief(place, torch.where(place > 1e-9, mean, even), belief.blur)


@lru_cache(maxsize=256)
def _overlap(have: int, want: int) -> Float[Tensor, "want have"]:
    """Which share of each old cell lies in each new one."""
    edge = torch.arange(want + 1, dtype=torch.float64) * have / want
    cell = torch.arange(have, dtype=torch.float64)
    low = torch.maximum(edge[:-1, None], cell[None])
    high = torch.minimum(edge[1:, None], cell[None] + 1)
    return (high - low).clamp(min=0).float()


@dataclass(frozen=True, eq=False)
class _Spots:
    """Every window of one price: scales, shapes and places."""

    corner: Int[Tensor, "4 n"]
    """Where its four corners stand in the integral images of all scales."""
    facts: Int[Tensor, "7 n"]
    """Scale, y x height width in cells, rows and columns in tokens."""


@lru_cache(maxsize=512)
def _spots(
    size: Size, grid: Grid, side: int, steps: tuple[int, ...], tokens: int, least: float
) -> _Spots | None:
    """Windows of at most so many tokens, at scales above ``least``."""
    shapes = list(_shapes(size, grid, side, steps, tokens, least))
    if not shapes:
        return None
    table = torch.tensor(shapes)
    step, high, wide, jump, a, b = table.unbind(1)
    rows, cols = grid
    ys, xs = -(-(rows - high) // jump) + 1, -(-(cols - wide) // jump) + 1
    many = ys * xs
    shape = torch.repeat_interleave(torch.arange(len(shapes)), many)
    nth = torch.arange(int(many.sum())) - (many.cumsum(0) - many)[shape]
    y = ((nth // xs[shape]) * jump[shape]).minimum((rows - high)[shape])
    x = ((nth % xs[shape]) * jump[shape]).minimum((cols - wide)[shape])
    line = cols + 1
    top = step[shape] * (rows + 1) * line + y * line + x
    drop, right = high[shape] * line, wide[shape]
    corner = torch.stack((top + drop + right, top + right, top + drop, top))
    return _Spots(
        corner, torch.stack((step[shape], y, x, high[shape], wide[shape], a[shape], b[shape]))
    )


def _shapes(
    size: Size, grid: Grid, side: int, steps: tuple[int, ...], tokens: int, least: float
) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Scale, height and width in cells, stride in cells, rows and columns in tokens."""
    cell = size[0] / grid[0], size[1] / grid[1]
    for at, step in enumerate(steps):
        scale = 2 ** (-step / STEPS)
        if scale <= least * 1.05:
            continue
        most = ceil(size[0] * scale / side), ceil(size[1] * scale / side)
        jump = max(1, floor(side / scale / cell[0] / 2))
        seen: set[Grid] = set()
        for tall in TALL:
            if tall > tokens:
                break
            a = min(tall, most[0])
            b = min(tokens // a, most[1])
            if (a, b) in seen or (not 1 / 8 <= b / a <= 24 and b < most[1] and a < most[0]):
                continue
            seen.add((a, b))
            high = min(grid[0], max(1, floor(a * side / scale / cell[0])))
            wide = min(grid[1], max(1, floor(b * side / scale / cell[1])))
            yield at, high, wide, jump, a, b
