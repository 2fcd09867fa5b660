"""The search for the views that show the most: which windows, how large, at which scale.

The value of a plan is its expected legibility: over all places, the probability that the answer
stands there times the probability that it can be read at the best scale it is shown at. In a window
that shows neither the start of its row nor the question's words, which tell what it is, an answer
counts for less. The whole picture at one scale is among the plans, so a plan is never worth less
than resizing. Windows are laid one after the other where they add most; their sums come from tables
of running sums, so that all scales, shapes and places are compared in a few operations.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from math import ceil, floor, hypot, log2, sqrt
from typing import NamedTuple

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.planner.acuity import Acuity
from homunculus.planner.counting import Size, TokenRule, inside

Map = Float[Tensor, "rows cols"]

STEPS = 2
"""Scales to an octave."""
RUNGS = 4
"""Where a ladder of scales may begin, to an octave: pictures of all sizes share a few ladders."""
PHASES = RUNGS // STEPS
"""Ladders that differ by less than a step."""
LOWEST, HIGHEST = -24, 24
"""Steps from a token far smaller than a cell of the coarse lattice to one larger than it all."""
COARSE, FINE = 32, 256
"""Cells along the longer side: of the lattice that is searched, and of the one settled on."""
TALL = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
"""Heights of windows, in tokens."""
STRIDE = 4
"""Places of a window along its own height or width."""
SLIM, BROAD = 1 / 8, 24.0
"""The least and the most columns to a row of a window."""
WORD = 4.0
"""The least width of a window, in heights of the smallest legible print: less would cut words."""
CONTEXTS = (1, 2, 4)
"""How large the small whole picture may be, in the least it must have."""
LARGER = 0.05
"""How much more than the smallest it must show by itself to be tried."""
ZOOMS = tuple(2 ** (eighth / 8) for eighth in (0, -2, -1, 1, 2))
"""What a window is enlarged by when it is settled: up to half a step of scale; the most is last."""
SHARES = ((1,), (2, 1, 1, 1))
"""In which shares windows get what the whole picture leaves."""
FINALISTS = 3
"""Plans of the coarse lattice that are settled on the fine one."""
WINDOWS = 0.005
"""What each window must add to the others, and all to the whole picture resized: where windows
hardly help, their tokens show more of the whole."""
RISK = 0.1
"""How much more windows on a page of print must be worth than the whole page, as a share of its
worth: the scout may be wrong about places, and the whole page leaves none out."""
EDGE = 0.35
"""Heights of a line at the edges of a window that do not count when it is settled: print there
would be cut in two."""
MERGE = 0.02
"""What a plan may lose when one window takes the place of two."""
NEARLY = 0.7
"""The scale of that window against theirs, at least."""
ADDS, DROPPED = 0.03, 0.01
"""What a plan may lose without a window for that to be tried, and what it may have lost once the
other windows have its tokens: few long windows are easier to read than many short ones."""
BARE = 0.4
"""What an answer is worth in a window that shows nothing that tells what it is."""
OVERLAP = 0.5
"""The share of a window that another one may show as well: with more, both show one place."""
GAIN = 1e-6
"""What a window must add that spends what is left."""
SIGNS = torch.tensor([1.0, -1.0, -1.0, 1.0])
"""Of the four corners of a box in an integral image."""
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
    words: Float[Tensor, "rows cols"] | None = None
    """Where the question's own words stand, as shares of 1: they tell as much as a label. None if
    there are none."""
    first: Int[Tensor, "rows"] | None = None
    """The first column with print in each row, where its label stands; 0 where there is none. None
    if answers need no label."""

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

    @property
    def area(self) -> int:
        """Pixels of the picture that it shows."""
        left, top, right, bottom = self.box
        return (right - left) * (bottom - top)

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


class Fees(NamedTuple):
    """What pictures cost besides their own tokens, in tokens: the lines of text before them."""

    alone: int = 0
    """Of a single picture."""
    whole: int = 0
    """Of the whole picture beside windows."""
    window: int = 0

    def total(self, whole: bool, windows: int) -> int:
        """Of all pictures of a plan.

        >>> Fees(0, 3, 4).total(True, 0), Fees(0, 3, 4).total(True, 2)
        (0, 11)
        """
        if whole + windows <= 1:
            return self.alone
        return whole * self.whole + windows * self.window

    def of(self, plan: Plan) -> int:
        """The same of a plan."""
        return self.total(plan.whole is not None, len(plan.windows))

    def each(self, times: float) -> "Fees":
        """The same in tokens that are billed several times."""
        return Fees(*(ceil(fee / times) for fee in self))


FREE = Fees()
"""Pictures without lines."""


def find_views(
    belief: Belief,
    size: Size,
    tokens: int,
    rule: TokenRule,
    acuity: Acuity,
    *,
    context: float | int = 1 / 8,
    most: int = 4,
    spare: int = 1,
    exact: bool = False,
    fixed: bool = False,
    fees: Fees = FREE,
) -> Plan:
    """The most valuable views that cost at most ``tokens`` with their ``fees``, or exactly so many.

    ``context`` is the least share of them that a small picture of the whole gets; 0 lets a plan
    leave it out. If it is ``fixed``, the picture of the whole beside windows gets no more, and is
    the same for all questions. ``most`` windows stand beside it, and ``spare`` more that spend what
    is left.
    """
    search = _Search(belief, size, rule, acuity, fees)
    whole = rule.largest(size, tokens - fees.alone)
    best = search.plan(whole, ())
    if whole == size:
        return best
    contexts = _contexts(size, tokens, rule, context)[: 1 if fixed else None]
    if contexts and most and float(belief.place.sum()) > 0:
        found = search.best(contexts, tokens, most, spare, fixed)
        if found and merit(found, belief) > merit(best, belief) + WINDOWS:
            best = found
    return search.fill(best, tokens) if exact else best


def merit(plan: Plan, belief: Belief) -> float:
    """What plans are chosen by: their value, and more if it is a page of print, shown whole."""
    safe = belief.first is not None and not plan.windows
    return plan.value * (1 + RISK) if safe else plan.value


def grow_views(
    plan: Plan,
    belief: Belief,
    size: Size,
    tokens: int,
    rule: TokenRule,
    acuity: Acuity,
    fees: Fees = FREE,
) -> Plan:
    """The same views with more tokens: longer windows, and a larger picture of the whole."""
    return _Search(belief, size, rule, acuity, fees).grow(plan, tokens)


def find_whole(belief: Belief, size: Size, whole: Size, rule: TokenRule, acuity: Acuity) -> Plan:
    """The whole picture at one size."""
    return _Search(belief, size, rule, acuity).plan(whole, ())


def find_pictures(
    belief: Belief, size: Size, pictures: int, rule: TokenRule, acuity: Acuity
) -> Plan:
    """The whole picture and the windows that show most beside it, at most so many in all.

    Each is as large as the rule lets a picture be, because a smaller one would cost the same.
    """
    search = _Search(belief, size, rule, acuity)
    whole = inside(size, rule.edge or max(size))
    best = search.plan(whole, ())
    if whole == size or pictures < 2 or not float(belief.place.sum()) > 0:
        return best
    found = search.beside(whole, pictures - 1)
    return found if found.value > best.value + WINDOWS else best


def _contexts(
    size: Size, tokens: int, rule: TokenRule, context: float | int
) -> list[tuple[Size | None, int]]:
    """Sizes of the small whole picture that a plan may have, and what each leaves to windows."""
    least = max(1, floor(context * tokens))
    found = {rule.largest(size, n * least): n * least for n in CONTEXTS if n * least < tokens}
    sizes = [(whole, tokens - spent) for whole, spent in found.items()]
    return [*([] if context else [(None, tokens)]), *sizes]


class _Search:
    """What is known of one picture, on its two lattices."""

    def __init__(
        self, belief: Belief, size: Size, rule: TokenRule, acuity: Acuity, fees: Fees = FREE
    ) -> None:
        self.size, self.rule, self.acuity, self.fine = size, rule, acuity, belief
        self.fees = fees
        self.longest = rule.edge // rule.side if rule.edge else 1 << 16
        self.least = ceil(WORD * acuity.middle / rule.side)
        self.cell = max(1.0, max(size) / COARSE)
        self.coarse = Belief(*_pooled(belief, size, self.cell), belief.blur)
        self.rung, self.steps = self._ladder()
        self.worth = self._worth(self.coarse, [self._step(at) for at in range(self.steps)])
        self._wholes: dict[Size | None, Map] = {}
        self._parts: dict[Window, tuple[tuple[slice, slice], Map]] = {}
        self.words = torch.zeros_like(belief.place) if belief.words is None else belief.words
        self.coarse_words = _sums(self.words, size, self.cell)
        self._word_shares: dict[_Windows, Float[Tensor, "windows"]] = {}
        self.labelled = None if belief.first is None else self._labelled(belief.first)

    def _ladder(self) -> tuple[int, int]:
        """The finest scale worth trying, and how many.

        Print that is surely legible gains nothing from more pixels, and nothing is enlarged.
        """
        place, octaves = self.coarse.place, self.coarse.octaves
        likely = octaves[place >= 1e-3 * place.max()] - self.acuity.log_middle
        low, high = (float(end) for end in likely.aminmax())
        finest = log2(self.rule.side / self.cell)  # a token in cells, where nothing is resized
        least = ceil(2 * (log2(COARSE) - finest))  # there all of the picture is one token
        spread = hypot(self.acuity.width, self.acuity.spread, self.fine.blur)
        first = min(max(0, floor(2 * low - 4 * spread)), least)
        last = min(max(first, ceil(2 * high + spread)), least)
        return ceil(RUNGS * (finest + first / 2) - 1e-9), STEPS * (last - first) // 2 + 1

    def _labelled(self, first: Int[Tensor, "rows"]) -> Float[Tensor, "coarse starts"]:
        """The share of each row of the coarse lattice whose label a window shows, by the column
        that it begins with: rows of the fine one weigh as likely as an answer stands there."""
        (rows, cols), (high, wide) = self.fine.place.shape, self.size
        start = torch.arange(COARSE) * self.cell * cols / wide
        weight = self.fine.place.sum(1, keepdim=True) + 1e-12
        down = _overlap(rows, self.cell * rows / high)
        return down @ ((start <= first[:, None]) * weight) / (down @ weight).clamp(min=1e-20)

    def _step(self, at: int) -> float:
        """The scale of a step."""
        return self.rule.side / self.cell / _length(self.rung, at)

    def _worth(self, belief: Belief, scales: Sequence[float]) -> Float[Tensor, "n rows cols"]:
        """P(answer here, and legible) if all were shown at one of these scales."""
        octaves = torch.stack([belief.octaves + log2(scale) for scale in scales])
        return self.acuity.read(octaves, belief.blur).mul_(belief.place)

    def _shown(self, belief: Belief, whole: Size | None) -> Map:
        if whole is None:
            return torch.zeros_like(belief.place)
        scale = min(whole[0] / self.size[0], whole[1] / self.size[1])
        return self._worth(belief, [scale])[0]

    def plan(self, whole: Size | None, windows: Sequence[Window]) -> Plan:
        """With its expected legibility, on the fine lattice."""
        return Plan(whole, tuple(windows), float(self._all_shown(whole, windows).sum()))

    def _rest(self, tokens: int, plan: Plan, more: int = 0) -> int:
        """What a plan leaves of a budget, with the fees of so many windows more."""
        windows = len(plan.windows) + more
        return tokens - plan.count(self.rule) - self.fees.total(plan.whole is not None, windows)

    def _all_shown(self, whole: Size | None, windows: Sequence[Window]) -> Map:
        if whole not in self._wholes:  # many plans have the same one
            self._wholes[whole] = self._shown(self.fine, whole)
        shown = self._wholes[whole].clone()
        for window in windows:
            self._show(shown, window)
        return shown

    def _show(self, shown: Map, window: Window) -> None:
        """Cells of the fine lattice in a window are legible as it shows them."""
        if window not in self._parts:  # many plans share windows
            here = self._cells(window)
            worth = self._worth(self.fine[here], [window.scale(self.rule.side)])[0]
            self._parts[window] = here, worth * self._kept(here)
        here, worth = self._parts[window]
        part = shown[here]
        torch.maximum(part, worth, out=part)

    def _kept(self, here: tuple[slice, slice]) -> Float[Tensor, "rows 1"] | float:
        """What answers in the rows of a window keep of their worth: all of it with the label of
        the row, else as much as the window shows of the question's words."""
        if self.fine.first is None:
            return 1.0
        without = BARE + (1 - BARE) * float(self.words[here].sum())
        return torch.where(self.fine.first[here[0]] >= here[1].start, 1.0, without)[:, None]

    def _cells(self, window: Window) -> tuple[slice, slice]:
        (rows, cols), (high, wide) = self.fine.place.shape, self.size
        left, top, right, bottom = window.box
        return (
            slice(_nearest(top * rows / high), _nearest(bottom * rows / high)),
            slice(_nearest(left * cols / wide), _nearest(right * cols / wide)),
        )

    def _whole_beside(self, windows: Sequence[Window], tokens: int) -> Size:
        """The whole picture as large as windows let it be."""
        spent = sum(window.count for window in windows) + self.fees.total(True, len(windows))
        return self.rule.largest(self.size, tokens - spent)

    # ---- windows on the coarse lattice

    def best(
        self,
        contexts: Sequence[tuple[Size | None, int]],
        tokens: int,
        most: int,
        spare: int,
        fixed: bool,
    ) -> Plan | None:
        """The best plan with windows, each context with windows of what it leaves; None if it is
        too little for one."""
        base = [self._shown(self.coarse, whole) for whole, _ in contexts]
        alone = torch.stack(base).sum((1, 2)).tolist()
        tries = list[_Try]()
        for (whole, left), shown, value in zip(contexts, base, alone, strict=True):
            if value < alone[0] + LARGER and tries:
                continue  # a larger picture of the whole that shows hardly more is no use
            left -= self.fees.whole if whole else 0
            affordable = min(most, left // (1 + self.fees.window))
            shares = dict.fromkeys(share[:affordable] for share in SHARES) if affordable > 0 else ()
            for share in shares:
                prices = _prices(left - len(share) * self.fees.window, share)
                tries.append(_Try(whole, shown, prices))
        if not tries:
            return None
        tries = self._lay(sorted(tries, key=lambda one: len(one.prices)))
        tries = sorted(tries, key=lambda one: -one.value)[:FINALISTS]
        tries = self._lay(sorted(tries, key=lambda one: len(one.prices)))
        best = max(tries, key=lambda one: one.value)
        windows, whole = self._merge(best.whole, self._settle(best)), best.whole
        if whole is not None and not fixed:  # what windows left
            whole = self._whole_beside(windows, tokens)
        plan = self._spend_rest(self.plan(whole, windows), tokens, most + spare)
        return plan if fixed else self._apart(self._drop(plan, tokens), tokens)

    def beside(self, whole: Size, many: int) -> Plan:
        """Up to so many windows as large as can be, beside the whole picture."""
        shown = self._shown(self.coarse, whole)
        (one,) = self._lay([_Try(whole, shown, (self.longest**2,) * many)])
        return self._apart(self.plan(whole, self._settle(one)))

    def _lay(self, tries: list["_Try"]) -> list["_Try"]:
        """Windows one after the other, each where it adds most to the others; all tries together.

        Those of more windows stand last. Windows that were laid before are laid once more.
        """
        many, again = len(tries[-1].prices), any(one.spots for one in tries)
        base = torch.stack([one.base for one in tries])
        worth = base.new_zeros((len(tries), many, *base.shape[1:]))  # of each window
        for at, one in enumerate(tries):
            for nth, spot in one.spots.items():
                worth[at, nth][spot.here] = self._worth_of(spot)
        for nth in range(many):
            some = [at for at, one in enumerate(tries) if len(one.prices) > max(nth, again)]
            if not some:
                break
            worth[some[0] :, nth] = 0
            shown = torch.maximum(base[some[0] :], worth[some[0] :].amax(1))
            prices = [tries[at].prices[nth] for at in some]
            for at, spot in zip(some, self._add(shown, prices, WINDOWS), strict=True):
                tries[at].spots.pop(nth, None)
                if spot:
                    tries[at].spots[nth] = spot
                    worth[at, nth][spot.here] = self._worth_of(spot)
        value = torch.maximum(base, worth.amax(1)).sum((1, 2)).tolist()
        return [replace(one, value=much) for one, much in zip(tries, value, strict=True)]

    def _worth_of(self, spot: "_Spot") -> Float[Tensor, "high wide"]:
        """What a window of the coarse lattice shows of its cells."""
        worth = self.worth[spot.step][spot.here]
        if self.labelled is None:
            return worth
        words = float(self.coarse_words[spot.here].sum())
        label = self.labelled[spot.y : spot.y + spot.high, spot.x, None]
        return worth * (BARE + (1 - BARE) * (words + (1 - words) * label))

    def _add(
        self, shown: Float[Tensor, "n rows cols"], prices: Sequence[int], least: float
    ) -> list["_Spot | None"]:
        """For each map: the window of at most its price that adds most, if it is enough."""
        found = list[_Spot | None]()
        for one, price in zip(shown, prices, strict=True):
            columns = min(self.least, ceil(sqrt(price)))
            windows = _affordable(self.rung % PHASES, price, self.longest, columns)
            much, spot = self._best(windows, one)
            found.append(spot if much > least else None)
        return found

    def _best(self, windows: "_Windows", shown: Map) -> tuple[float, "_Spot"]:
        """The window that adds most to what is shown, and how much."""
        first = self.rung // PHASES - LOWEST
        some = slice(windows.starts[first], windows.starts[first + self.steps])
        much = self._gains(windows, some, first, shown)
        number = int(much.argmax())
        return float(much[number]), windows.spot(some.start + number, first)

    def _gains(
        self, windows: "_Windows", some: slice, first: int, shown: Map
    ) -> Float[Tensor, "windows"]:
        """What some windows add to what is shown; their steps are counted from the first."""
        corner = windows.corner[:, some] - first * (COARSE + 1) ** 2
        if self.labelled is None:
            return _boxes((self.worth - shown).clamp_(min=0), corner)
        gain = torch.stack((self.worth - shown, BARE * self.worth - shown)).clamp_(min=0)
        gain[0] -= gain[1]
        more, bare = _boxes(gain, corner)
        label = self._by_label(gain[0])
        start = windows.start[some].clamp(max=len(label) - 1) * label[0].numel()
        bottom, top = label.flatten().index_select(0, (corner[:2] + start).flatten()).view(2, -1)
        if windows not in self._word_shares:  # the same for all that is shown
            flat = windows.corner[:, some] % (COARSE + 1) ** 2
            self._word_shares[windows] = _boxes(self.coarse_words[None], flat)
        return torch.lerp(bottom - top, more, self._word_shares[windows]).add_(bare)

    def _by_label(
        self, gain: Float[Tensor, "steps rows cols"]
    ) -> Float[Tensor, "starts steps rows1 cols1"]:
        """What rows gain by their labels, for windows by first column and scale, summed down to
        each row and up to each column; zeros for the columns from where on no label is shown."""
        assert self.labelled is not None
        starts = COARSE - int(self.labelled.any(0).flip(0).int().argmax())
        up_to = F.pad(gain.cumsum(2), (1, 0))
        within = up_to - rearrange(up_to[..., :starts], "s r x -> x s r 1")
        within *= rearrange(self.labelled[:, :starts], "r x -> x 1 r 1")
        return F.pad(within.cumsum_(2), (0, 0, 1, 0, 0, 0, 0, 1))

    def _window(self, spot: "_Spot") -> Window:
        """A spot of the lattice in pixels, as large as its tokens can show."""
        token = _length(self.rung, spot.step) * self.cell
        a = min(spot.a, ceil(self.size[0] / token))
        b = min(spot.b, ceil(self.size[1] / token))
        top, bottom = _around((spot.y + spot.high / 2) * self.cell, a * token, self.size[0])
        left, right = _around((spot.x + spot.wide / 2) * self.cell, b * token, self.size[1])
        return Window((left, top, right, bottom), (a, b))

    # ---- windows on the fine lattice

    def _settle(self, one: "_Try") -> list[Window]:
        """Windows moved to where they add most on the fine lattice."""
        windows = [self._window(spot) for spot in one.spots.values()]
        base = self._all_shown(one.whole, ())
        worth = base.new_zeros((max(1, len(windows)), *base.shape))
        for at, window in enumerate(windows):
            self._show(worth[at], window)
        for at, window in enumerate(windows):
            worth[at] = 0
            shown = torch.maximum(base, worth.amax(0))
            windows[at], here, part = self._moved(shown, window)
            worth[at][here] = part
        return windows

    def _merge(self, whole: Size | None, windows: list[Window]) -> list[Window]:
        """One window in place of two for as many tokens, while that shows hardly less.

        Pieces of one line become a line.
        """
        least = self.plan(whole, windows).value - MERGE
        while len(windows) > 1:
            plans = [
                self.plan(whole, [*windows[:a], one, *windows[a + 1 : b], *windows[b + 1 :]])
                for a, b in combinations(range(len(windows)), 2)
                if (one := self._union(windows[a], windows[b]))
            ]
            best = max(plans, key=lambda plan: plan.value, default=None)
            if best is None or best.value < least:
                break
            windows = list(best.windows)
        return windows

    def _union(self, one: Window, other: Window) -> Window | None:
        """A window on the parts of two, as large as their tokens let it be."""
        low = [min(sides) for sides in zip(one.box[:2], other.box[:2], strict=True)]
        high = [max(sides) for sides in zip(one.box[2:], other.box[2:], strict=True)]
        wide, tall = high[0] - low[0], high[1] - low[1]
        side, tokens = self.rule.side, one.count + other.count + self.fees.window
        fits = ((rows, tokens // rows) for rows in range(1, min(tokens, self.longest) + 1))
        scale, rows, cols = max(
            (min(1.0, rows * side / tall, cols * side / wide), rows, cols)
            for rows, cols in ((rows, min(cols, self.longest)) for rows, cols in fits)
        )
        if scale < NEARLY * min(one.scale(side), other.scale(side)):
            return None
        rows, cols = ceil(tall * scale / side - 1e-6), ceil(wide * scale / side - 1e-6)
        top, bottom = _around((low[1] + high[1]) / 2, rows * side / scale, self.size[0])
        left, right = _around((low[0] + high[0]) / 2, cols * side / scale, self.size[1])
        return Window((left, top, right, bottom), (rows, cols))

    def _moved(
        self, shown: Map, window: Window
    ) -> tuple[Window, tuple[slice, slice], Float[Tensor, "high wide"]]:
        """A window at the best scale and place nearby, its cells, and what it shows of them."""
        zooms = [self._zoomed(window, zoom) for zoom in ZOOMS]
        part = self._nearby(zooms[-1])
        worth = self._worth(self.fine[part], [one.scale(self.rule.side) for one in zooms])
        edge = self._edge(part)
        found = list[tuple[float, int, int, int, int, int]]()
        (rows, cols), (high, wide) = self.fine.place.shape, self.size
        for nth, one in enumerate(zooms):
            left, top, right, bottom = one.box
            h = min(max(1, _nearest((bottom - top) * rows / high)), worth.shape[1])
            w = min(max(1, _nearest((right - left) * cols / wide)), worth.shape[2])
            held = self._held(worth[nth], shown[part], part, (h, w), edge)
            y, x = divmod(int(held.argmax()), held.shape[1])
            found.append((float(held[y, x]), -nth, y, x, h, w))
        _, nth, y, x, h, w = max(found)
        top, left = y + part[0].start, x + part[1].start
        here = slice(top, top + h), slice(left, left + w)
        seen = worth[-nth, y : y + h, x : x + w] * self._kept(here)
        return self._put(zooms[-nth], top, left), here, seen

    def _held(
        self, worth: Map, shown: Map, part: tuple[slice, slice], size: Grid, edge: int
    ) -> Float[Tensor, "down across"]:
        """What windows of one size add by place, among some cells of the fine lattice."""
        full = (worth - shown).clamp_(min=0)
        if self.fine.first is None:
            return _inner(_integral(full), size, edge)
        bare = (BARE * worth - shown).clamp_(min=0)
        more, words = _integral(full - bare), _integral(self.words[part])
        by_row = _inner(more, (1, size[1]), edge)  # of windows one row high, by their first column
        start = torch.arange(by_row.shape[1]) + part[1].start
        by_row *= start <= self.fine.first[part[0], None]
        label = _spans(F.pad(by_row.cumsum(0), (0, 0, 1, 0)), size[0], edge)
        gain = torch.lerp(label, _inner(more, size, edge), _inner(words, size, 0))
        return gain.add_(_inner(_integral(bare), size, edge))

    def _edge(self, part: tuple[slice, slice]) -> int:
        """What is cut of a line that stands at the edge of a window, in cells."""
        belief = self.fine[part]
        likely = belief.octaves.flatten()[belief.place.argmax()]
        cell = max(self.size) / max(self.fine.place.shape)
        return round(EDGE * 2 ** float(likely) / cell)

    def _nearby(self, window: Window) -> tuple[slice, slice]:
        """Cells of the fine lattice where a window may be moved to: those between two places."""
        near = list[slice]()
        for span, cells, pixels in zip(
            self._cells(window), self.fine.place.shape, self.size, strict=True
        ):
            reach = max(ceil(self.cell * cells / pixels), (span.stop - span.start) // (2 * STRIDE))
            near.append(slice(max(0, span.start - reach), min(cells, span.stop + reach)))
        return near[0], near[1]

    def _put(self, window: Window, row: int, col: int) -> Window:
        """A window moved so that it begins at a cell of the fine lattice."""
        (rows, cols), (high, wide) = self.fine.place.shape, self.size
        left, top, right, bottom = window.box
        y = min(round(row * high / rows), high - (bottom - top))
        x = min(round(col * wide / cols), wide - (right - left))
        return replace(window, box=(x, y, x + right - left, y + bottom - top))

    def _zoomed(self, window: Window, zoom: float) -> Window:
        """The same tokens on a larger or smaller part of the picture, with the same middle."""
        left, top, right, bottom = window.box
        high, wide = (float(side * self.rule.side) for side in window.tokens)  # never enlarged
        y0, y1 = _around((top + bottom) / 2, max(high, (bottom - top) * zoom), self.size[0])
        x0, x1 = _around((left + right) / 2, max(wide, (right - left) * zoom), self.size[1])
        return replace(window, box=(x0, y0, x1, y1))

    # ---- what is left of the budget

    def _spend_rest(self, plan: Plan, tokens: int, most: int) -> Plan:
        """What is left goes to more windows, if it is much."""
        while len(plan.windows) < most:
            rest = self._rest(tokens, plan, more=1)
            if rest <= (1 - USED) * tokens:
                break
            more = self._filled(plan, rest, exact=False)
            if more is plan:
                break
            plan = more
        return plan

    def _apart(self, plan: Plan, tokens: int = 0) -> Plan:
        """Without windows that show the same place as others, which get their tokens."""
        while pair := _same_place(plan.windows):
            fewer = [self.plan(plan.whole, _without(plan.windows, index)) for index in pair]
            fewer = [self.grow(one, tokens) for one in fewer] if tokens else fewer
            plan = max(fewer, key=lambda one: one.value)
        return plan

    def _drop(self, plan: Plan, tokens: int) -> Plan:
        """Without windows that add little to the others, which get their tokens."""
        first = plan.value
        while len(plan.windows) > 1:
            fewer = [
                self.plan(plan.whole, _without(plan.windows, at)) for at in range(len(plan.windows))
            ]
            best = max(fewer, key=lambda one: one.value)
            if best.value < first - ADDS:
                break
            grown = self.grow(best, tokens)
            if grown.value < first - DROPPED:
                break
            plan = grown
        return plan

    def grow(self, plan: Plan, tokens: int) -> Plan:
        """What is left makes windows longer, where that shows most, then the whole larger."""
        while (rest := self._rest(tokens, plan)) > (1 - USED) * tokens:
            found = [self._longer(plan, at, rest) for at in range(len(plan.windows))]
            best = max(filter(None, found), key=lambda one: one[0], default=None)
            if best is None or best[0] <= plan.value + GAIN:
                break
            _, at, window = best
            plan = self.plan(plan.whole, [*plan.windows[:at], window, *plan.windows[at + 1 :]])
        if plan.whole is None:
            return plan
        return self.plan(self._whole_beside(plan.windows, tokens), plan.windows)

    def _longer(self, plan: Plan, at: int, rest: int) -> tuple[float, int, Window] | None:
        """What the plan is worth if one of its windows is as long as is best, and the window."""
        window, beside = plan.windows[at], _without(plan.windows, at)
        others = self._all_shown(plan.whole, beside)
        worth = self._worth(self.fine, [window.scale(self.rule.side)])[0]
        base = float(others.sum())
        found = list[tuple[float, int, Window]]()
        for one in self._extensions(window, rest):
            if any(_overlap_share(one, other) > OVERLAP for other in beside):
                continue
            here = self._cells(one)
            gain = (worth[here] * self._kept(here) - others[here]).clamp_(min=0)
            found.append((base + float(gain.sum()), at, one))
        return max(found, key=lambda one: one[0], default=None)

    def _extensions(self, window: Window, rest: int) -> Iterator[Window]:
        """A window with more columns or rows, at its scale, to one side or both."""
        for axis in (1, 0):
            most = rest // window.tokens[1 - axis]
            for many in sorted({1, (most + 1) // 2, most}) if most else ():
                for before in sorted({many, many // 2, 0}):
                    one = self._extended(window, axis, many, before)
                    if one:
                        yield one

    def _extended(self, window: Window, axis: int, many: int, before: int) -> Window | None:
        """A window with so many rows or columns more, of which some come before it."""
        token = self.rule.side / window.scale(self.rule.side)
        grid, box, pixels = list(window.tokens), list(window.box), self.size[axis]
        grid[axis] += many
        long = round(box[3 - axis] - box[1 - axis] + many * token)
        if long > pixels or grid[axis] > self.longest or not SLIM <= grid[1] / grid[0] <= BROAD:
            return None
        low = min(max(0, round(box[1 - axis] - before * token)), pixels - long)
        box[1 - axis], box[3 - axis] = low, low + long
        return Window((box[0], box[1], box[2], box[3]), (grid[0], grid[1]))

    def fill(self, plan: Plan, tokens: int) -> Plan:
        """Windows more until exactly so many tokens are spent."""
        while rest := tokens - plan.count(self.rule):
            plan = self._filled(plan, self._product(rest), exact=True)
        return plan

    def _filled(self, plan: Plan, tokens: int, exact: bool) -> Plan:
        """One more window, where it adds most."""
        shown = _sums(self._all_shown(plan.whole, plan.windows), self.size, self.cell)
        if exact:
            spot = self._best(_windows(tuple(self._exact(tokens))), shown)[1]
        else:
            (spot,) = self._add(shown[None], [tokens], GAIN)
        return plan if spot is None else self.plan(plan.whole, [*plan.windows, self._window(spot)])

    def _exact(self, tokens: int) -> Iterator["_Shape"]:
        """Windows of exactly so many tokens, none longer than the picture."""
        for step in range(self.steps):
            for a, b in _pairs(tokens, self._most(step)):
                yield _shape(self.rung % PHASES, self.rung // PHASES + step, a, b)

    def _product(self, tokens: int) -> int:
        """The most tokens up to ``tokens`` that some rectangle within the picture has."""
        most = self._most(0)
        return next(many for many in range(tokens, 0, -1) if _pairs(many, most))

    def _most(self, step: int) -> Grid:
        """Rows and columns of the whole picture."""
        token = _length(self.rung, step) * self.cell
        return ceil(self.size[0] / token), ceil(self.size[1] / token)


@dataclass(frozen=True, eq=False)
class _Try:
    """Windows on the coarse lattice beside a picture of the whole."""

    whole: Size | None
    base: Map
    """What that alone shows."""
    prices: tuple[int, ...]
    """What each window may cost."""
    spots: dict[int, "_Spot"] = field(default_factory=dict)
    """The windows so far."""
    value: float = 0.0


def _prices(tokens: int, shares: Sequence[int]) -> tuple[int, ...]:
    """Whole tokens in these shares, at least one each.

    >>> _prices(14, (1, 1)), _prices(14, (2, 1)), _prices(3, (1, 1, 1))
    ((7, 7), (9, 5), (1, 1, 1))
    """
    found = list[int]()
    for at, share in enumerate(shares):
        found.append(max(1, (tokens - sum(found)) * share // sum(shares[at:])))
    return tuple(found)


def _nearest(cells: float) -> int:
    """Halves up, so that a window has as many cells wherever it begins."""
    return floor(cells + 0.5)


def _around(middle: float, length: float, pixels: int) -> tuple[int, int]:
    """A span of pixels around a middle, moved onto the picture."""
    long = min(pixels, max(1, round(length)))
    low = min(max(0, round(middle - long / 2)), pixels - long)
    return low, low + long


def _without(windows: Sequence[Window], at: int) -> list[Window]:
    return [*windows[:at], *windows[at + 1 :]]


def _overlap_share(one: Window, other: Window) -> float:
    """The share of the smaller of two windows that the other shows as well.

    >>> line, word = Window((0, 0, 100, 10), (1, 10)), Window((80, 0, 120, 10), (1, 4))
    >>> _overlap_share(line, word)
    0.5
    """
    low = (max(sides) for sides in zip(one.box[:2], other.box[:2], strict=True))
    high = (min(sides) for sides in zip(one.box[2:], other.box[2:], strict=True))
    wide, tall = (max(0, end - start) for start, end in zip(low, high, strict=True))
    return wide * tall / min(one.area, other.area)


def _same_place(windows: Sequence[Window]) -> tuple[int, int] | None:
    """The first two windows that show the same place."""
    pairs = combinations(range(len(windows)), 2)
    return next((p for p in pairs if _overlap_share(*(windows[i] for i in p)) > OVERLAP), None)


def _inner(sums: Float[Tensor, "rows1 cols1"], size: Grid, edge: int) -> Float[Tensor, "rows cols"]:
    """What windows of one size hold by place, without their edges where they are larger."""
    return _spans(_spans(sums, size[0], edge).T, size[1], edge).T


def _spans(sums: Float[Tensor, "long any"], length: int, edge: int) -> Float[Tensor, "places any"]:
    """What spans of one length hold along the first axis of running sums, without their ends."""
    cut = edge if length > 2 * edge else 0
    return sums[length - cut : len(sums) - cut] - sums[cut : len(sums) - length + cut]


# ---- lattices ------------------------------------------------------------------------------------


def _integral(value: Float[Tensor, "*n rows cols"]) -> Float[Tensor, "*n rows1 cols1"]:
    """Sums of all that lies above and left of each corner of the cells."""
    return F.pad(value.cumsum(-2).cumsum_(-1), (1, 0, 1, 0))


def _boxes(
    value: Float[Tensor, "*n steps rows cols"], corner: Int[Tensor, "4 boxes"]
) -> Float[Tensor, "*n boxes"]:
    """What boxes hold of maps, by their corners in the integral images of all steps."""
    sums = _integral(value).flatten(-3)
    return SIGNS @ sums.index_select(-1, corner.flatten()).unflatten(-1, (4, -1))


def _pooled(belief: Belief, size: Size, cell: float) -> tuple[Map, Map]:
    """Place and height on the coarse lattice; the probability stays the same in sum."""
    place = belief.place + 1e-12  # heights count where nobody expects an answer, too
    both = _sums(torch.stack((place, place * belief.octaves)), size, cell)
    return both[0], both[1] / both[0].clamp(min=1e-20)


def _sums(
    value: Float[Tensor, "*n rows cols"], size: Size, cell: float
) -> Float[Tensor, "*n rows2 cols2"]:
    """Shares of each cell added up on the coarse lattice, which is square for every picture."""
    rows, cols = value.shape[-2:]
    down, across = _overlap(rows, cell * rows / size[0]), _overlap(cols, cell * cols / size[1])
    return down @ value @ across.T


@lru_cache(maxsize=64)
def _overlap(have: int, length: float) -> Float[Tensor, "want have"]:
    """Which share of each old cell lies in each new one of some length."""
    edge = torch.arange(COARSE + 1, dtype=torch.float64) * length
    cell = torch.arange(have, dtype=torch.float64)
    low = torch.maximum(edge[:-1, None], cell)
    high = torch.minimum(edge[1:, None], cell + 1)
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

    @property
    def here(self) -> tuple[slice, slice]:
        """Its cells."""
        return slice(self.y, self.y + self.high), slice(self.x, self.x + self.wide)


class _Shape(NamedTuple):
    """Windows of one scale and size."""

    step: int
    high: int
    wide: int
    down: int
    across: int
    """Cells from one to the next."""
    a: int
    b: int


@dataclass(frozen=True, eq=False)
class _Windows:
    """All places of some shapes on the coarse lattice."""

    shapes: tuple[_Shape, ...]
    ends: tuple[int, ...]
    """One past the last window of each shape."""
    starts: tuple[int, ...]
    """The first window of each step, and one past the last."""
    corner: Int[Tensor, "4 windows"]
    """Where their four corners stand in the integral images of all scales."""
    start: Int[Tensor, "windows"]
    """Their first columns."""

    def spot(self, number: int, first: int) -> _Spot:
        """The window of that number, its scale counted from the first step."""
        which = bisect_right(self.ends, number)
        step, high, wide, down, across, a, b = self.shapes[which]
        nth = number - (self.ends[which - 1] if which else 0)
        y, x = divmod(nth, -(-(COARSE - wide) // across) + 1)
        y, x = min(y * down, COARSE - high), min(x * across, COARSE - wide)
        return _Spot(step - first, y, x, high, wide, a, b)


def _length(rung: int, step: int) -> float:
    """A token in cells of the coarse lattice."""
    return 2 ** (rung / RUNGS + step / STEPS)


@lru_cache(maxsize=128)  # up to half a megabyte each
def _affordable(phase: int, price: int, longest: int, least: int) -> _Windows:
    """Windows of at most one price, at every step that the scales of a picture may begin with.

    None has more than ``longest`` tokens along a side, or fewer than ``least`` columns if the
    picture has them.
    """
    found: dict[tuple[int, int, int], _Shape] = {}
    for step in range(LOWEST, HIGHEST):
        most = min(longest, ceil(COARSE / _length(phase, step)))
        for tall in TALL:
            if tall > price:
                break
            a = min(tall, most)
            b = min(price // a, most)
            if b < min(least, most):
                break
            if SLIM <= b / a <= BROAD or most in (a, b):
                shape = _shape(phase, step, a, b)
                found.setdefault(shape[:3], shape)
    return _windows(tuple(found.values()))


def _shape(phase: int, step: int, a: int, b: int) -> _Shape:
    length = _length(phase, step)
    high, wide = (min(COARSE, max(1, floor(side * length + 1e-6))) for side in (a, b))
    down, across = max(1, high // STRIDE), max(1, wide // STRIDE)
    return _Shape(step - LOWEST, high, wide, down, across, a, b)


def _windows(shapes: tuple[_Shape, ...]) -> _Windows:
    step, high, wide, down, across, _, _ = torch.tensor(shapes).unbind(1)
    rows, cols = -(-(COARSE - high) // down) + 1, -(-(COARSE - wide) // across) + 1
    ends = (rows * cols).cumsum(0)
    shape = torch.repeat_interleave(torch.arange(len(shapes)), rows * cols)
    nth = torch.arange(int(ends[-1])) - (ends - rows * cols)[shape]
    y = (nth // cols[shape] * down[shape]).minimum((COARSE - high)[shape])
    x = (nth % cols[shape] * across[shape]).minimum((COARSE - wide)[shape])
    line = COARSE + 1
    top = step[shape] * line * line + y * line + x
    drop, right = high[shape] * line, wide[shape]
    corner = torch.stack((top + drop + right, top + right, top + drop, top))
    many = torch.zeros(HIGHEST - LOWEST, dtype=torch.long).index_add_(0, step, rows * cols)
    starts = (0, *many.cumsum(0).tolist())
    return _Windows(shapes, tuple(ends.tolist()), starts, corner.int(), x.int())


def _pairs(tokens: int, most: Grid) -> list[Grid]:
    """Rows and columns of exactly so many tokens."""
    sides = [a for a in range(1, min(tokens, most[0]) + 1) if tokens % a == 0]
    return [(a, tokens // a) for a in sides if tokens // a <= most[1]]
