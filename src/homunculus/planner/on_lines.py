"""On lines: windows that begin and end between lines of print, hold whole words, and show what
tells an answer beside it.

Windows are made around the likely answers and around the windows of the lattice; those that would
cut a line are left out, so that none does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import log2

import numpy as np

from homunculus.box import Box
from homunculus.checks import Grid
from homunculus.planner.counting import Size
from homunculus.planner.lattice import integral
from homunculus.planner.layout import Boxes, Edges, Layout, holds, splits
from homunculus.planner.plan import Plan, Window
from homunculus.planner.scene import Map, Scene
from homunculus.planner.tables import grids_of
from homunculus.shapes import Float, Int

ANSWERS = 6
"""Likely words around which windows are made."""
TOGETHER = 4
"""Of these, windows are made around each two and their labels, too."""
MARGIN = 0.35
"""Heights of a line that a window shows around what it is made for, if there is room."""
SCALES = tuple(2 ** (-step / 6) for step in range(4))
"""Scales that are tried, as shares of the largest that shows what a window is made for."""
ACROSS, DOWN = (0.0, 0.5, 1.0), tuple(step / 4 for step in range(5))
"""Places that are tried, as shares of how far a window may move."""
LEAST_SCALE = 0.6
"""Shapes that show a target at less than this share of the largest scale are not tried."""
SHORTLIST = 12
"""Sizes of windows whose places are compared."""
ASIDE = (0.0, *(sign * step / 6 for step in range(1, 10) for sign in (-1, 1)))
"""How far a window may move to a side to stand between words, in heights of a line: nearest
first."""
OPENED = 2
"""Times that a window is made higher, as a wider one may meet other columns' lines."""
EXACT = 4
"""Windows that are compared by what a plan with them is worth."""
EXACT_SCALES, EXACT_PLACES = 6, 4
"""Scales and places that are tried where engines need an exact number of tokens."""
MIN_GAIN = 1e-4
"""What a window must add to be worth its tokens."""


class Ways:
    """Sizes and places of windows, to choose from."""

    def __init__(self, box: Boxes, tokens: Int[np.ndarray, "ways 2"]) -> None:
        self.box, self.tokens = box, tokens

    def __getitem__(self, some: Int[np.ndarray, "_"]) -> "Ways":
        return Ways(self.box[some], self.tokens[some])

    def __len__(self) -> int:
        return len(self.box)

    def window(self, number: int) -> Window:
        """One of them."""
        x0, y0, x1, y1 = (int(side) for side in self.box[number])
        rows, cols = (int(count) for count in self.tokens[number])
        return Window(Box(x0, y0, x1, y1), (rows, cols))


@dataclass(frozen=True, eq=False)
class OnLines:
    """Windows that stand on the lines of one page."""

    scene: Scene
    layout: Layout

    # ---- plans

    def plan(
        self,
        drafts: Sequence[tuple[Size | None, Sequence[Window | int]]],
        tokens: int = 0,
        max_windows: int = 0,
    ) -> Plan | None:
        """The best plan that stands on lines; None if no window does. With ``tokens`` it gets what
        is left of them.

        A draft is a size of the whole picture with windows, or with what each may cost.
        """
        plans = [self._laid(whole, windows) for whole, windows in drafts]
        best = max(plans, key=lambda plan: plan.value, default=None)
        if best is None or not best.windows:
            return None
        return self.respent(best, tokens, max_windows) if tokens else best

    def _laid(self, whole: Size | None, wanted: Sequence[Window | int]) -> Plan:
        scene, laid, rest = self.scene, list[Window](), 0
        for want in wanted:
            price, near = (want, None) if isinstance(want, int) else (want.count, want)
            window = self.best(scene.plan(whole, laid), price + rest, near)
            if window is None:
                rest += price
            else:
                rest += price - window.count
                laid.append(window)
        return scene.plan(whole, laid)

    def _little(self, tokens: int) -> float:
        return (1 - self.scene.config.spent_share) * tokens

    def respent(self, plan: Plan, tokens: int, max_windows: int = 0) -> Plan:
        """Windows laid once more with what is left of the tokens, more of them, and the whole
        larger."""
        scene = self.scene
        while len(plan.windows) < max_windows:
            rest = scene.rest(tokens, plan, more_windows=1)
            window = None if rest <= self._little(tokens) else self.best(plan, rest)
            if window is None:
                break
            plan = scene.plan(plan.whole, [*plan.windows, window])
        for index in range(len(plan.windows)):
            others = scene.plan(plan.whole, plan.without(index))
            price = plan.windows[index].count + scene.rest(tokens, plan)
            window = self.best(others, price, plan.windows[index])
            if window:
                windows = [*plan.windows[:index], window, *plan.windows[index + 1 :]]
                better = scene.plan(plan.whole, windows)
                plan = better if better.value > plan.value else plan
        if plan.whole is None:
            return plan
        return scene.plan(scene.whole_beside(plan.windows, tokens), plan.windows)

    def filled(self, plan: Plan, tokens: int) -> Plan:
        """More windows until exactly that many tokens are spent; none of them cuts a line, but for
        single tokens where nothing else is possible."""
        scene = self.scene
        while rest := tokens - plan.count(scene.rule):
            window = None
            while rest and window is None:
                window = self._exactly(plan, rest)
                rest //= 2
            if window is None:
                (height, width), side = scene.size, scene.rule.side
                window = Window(Box(0, 0, min(width, side), min(height, side)), (1, 1))
            plan = scene.plan(plan.whole, [*plan.windows, window])
        return plan

    def _exactly(self, plan: Plan, tokens: int) -> Window | None:
        """The window of exactly that many tokens that adds most and cuts no line."""
        scene, (height, width) = self.scene, self.scene.size
        side = scene.rule.side
        largest = (-(-height // side), -(-width // side))
        boxes, grids = list[tuple[float, ...]](), list[Grid]()
        for rows, cols in grids_of(tokens, largest):
            coarsest = min(height / rows, width / cols)
            for step in range(EXACT_SCALES):
                token = min(side, coarsest) * (
                    max(1.0, coarsest / side) ** (step / (EXACT_SCALES - 1))
                )
                long, tall = round(cols * token), round(rows * token)
                x, y = np.meshgrid(
                    np.linspace(0, width - long, EXACT_PLACES).round(),
                    np.linspace(0, height - tall, 3 * EXACT_PLACES).round(),
                )
                boxes += [(a, b, a + long, b + tall) for a, b in zip(x.flat, y.flat, strict=True)]
                grids += [(rows, cols)] * x.size
        if not boxes:
            return None
        ways = Ways(np.array(boxes, np.float32), np.array(grids))
        ways = ways[np.flatnonzero(~self.layout.cut(ways.box))]
        if not len(ways):
            return None
        shown = scene.shown(plan.whole, plan.windows)
        return ways.window(int(self._gains(plan, shown, ways).argmax()))

    # ---- the best window

    def best(self, plan: Plan, price: int, near: Window | None = None) -> Window | None:
        """The window of at most that price that adds most to a plan; None if none adds anything.

        ``near`` is a window whose part of the picture is among what windows are made for.
        """
        targets = self.targets
        if near is not None:
            targets = np.concatenate((self._near(near), targets))
        if price < 1 or not len(targets):
            return None
        sizes, target = self._sizes(targets, price)
        if not len(sizes):
            return None
        shown = self.scene.shown(plan.whole, plan.windows)
        order = np.argsort(-self._gains(plan, shown, sizes), kind="stable")[:SHORTLIST]
        ways = self._placed(sizes[order], targets[target[order]])
        if not len(ways):
            return None
        gains = self._gains(plan, shown, ways)
        order = np.argsort(-gains, kind="stable")[:EXACT]
        ways = self._between_words(ways[order])
        windows = [ways.window(number) for number in range(len(ways))]
        most = self.scene.config.max_overlap
        plans = [
            self.scene.plan(plan.whole, [*plan.windows, window])
            for window in windows
            if all(window.overlap(other) <= most for other in plan.windows)
        ]
        best = max(plans, key=lambda plan: plan.value, default=plan)
        return best.windows[-1] if best.value > plan.value + MIN_GAIN else None

    @cached_property
    def targets(self) -> Boxes:
        """What windows are made for: likely answers alone, and with what tells them."""
        boxes = np.array(list(self._targets()), np.float32).reshape(-1, 4)
        return np.unique(boxes, axis=0)

    def _targets(self) -> Iterator[Edges]:
        layout = self.layout
        told = list[Edges]()
        for key in range(min(ANSWERS, len(layout.keys))):
            word, line = layout.keys[key], layout.key_lines[key]
            row, header = layout.row_label[key], layout.header[key]
            labels = [label for label in (row, header) if label[2] > label[0]]
            with_row = _union([word, row]) if row[2] > row[0] else word
            told.append(_union([word, *labels]))
            yield word
            yield line
            yield with_row
            yield told[-1]
            yield _union([line, *labels])
        for first, second in combinations(told[:TOGETHER], 2):
            yield _union([first, second])
        for count in range(3, len(told) + 1):
            yield _union(told[:count])

    def _near(self, window: Window) -> Boxes:
        """The lines of a window, with and without those that it cuts."""
        x0, y0, x1, y1 = window.box
        left, top, right, low = self.layout.solid.T
        beside = (left < x1) & (right > x0)
        middle, inside = (top + low) / 2, list[Edges]()
        for some in (
            beside & (middle > y0) & (middle < y1),
            beside & (top >= y0) & (low <= y1),
            beside & (low > y0) & (top < y1),
        ):
            if some.any():
                inside.append(np.array([x0, top[some].min(), x1, low[some].max()], np.float32))
        return np.array(inside, np.float32).reshape(-1, 4)

    def _sizes(self, targets: Boxes, price: int) -> tuple[Ways, Int[np.ndarray, "_"]]:
        """Windows around the middle of targets, at the largest scales that show them, and the
        number of the target of each."""
        scene, (height, width) = self.scene, self.scene.size
        side, config = scene.rule.side, scene.config
        margin = MARGIN * self.layout.height
        rows = np.array([r for r in config.window_heights if r <= min(price, scene.max_side)])
        cols = np.minimum(price // rows, scene.max_side)
        wide = np.minimum(targets[:, 2] - targets[:, 0] + 2 * margin, width)
        high = np.minimum(targets[:, 3] - targets[:, 1] + 2 * margin, height)
        scales = np.minimum(
            1.0, np.minimum(rows * side / high[:, None], cols * side / wide[:, None])
        )
        useful = scales >= LEAST_SCALE * scales.max(1, keepdims=True)
        number, row = np.nonzero(useful)
        steps = len(SCALES)
        scale = (scales[useful][:, None] * np.array(SCALES)).ravel()
        number, row = np.repeat(number, steps), np.repeat(row, steps)
        rows, cols, box, wide, high = (
            rows[row],
            cols[row],
            targets[number],
            wide[number],
            high[number],
        )
        rows = np.minimum(rows, np.floor(height * scale / side + 1e-6)).astype(int)
        cols = np.minimum(cols, np.floor(width * scale / side + 1e-6)).astype(int)
        some = (rows > 0) & (cols > 0)
        number, rows, cols, scale = number[some], rows[some], cols[some], scale[some]
        wide, high, box = wide[some], high[some], box[some]
        # fewer rows or columns than the price buys, as they would stick out of the picture
        scale = np.minimum(scale, np.minimum(rows * side / high, cols * side / wide))
        long, tall = np.round(cols * side / scale), np.round(rows * side / scale)
        some = (long <= width) & (tall <= height)
        number, rows, cols, box = number[some], rows[some], cols[some], box[some]
        long, tall = long[some], tall[some]
        x = np.round((box[:, 0] + box[:, 2] - long) / 2).clip(0, width - long)
        y = np.round((box[:, 1] + box[:, 3] - tall) / 2).clip(0, height - tall)
        ways = Ways(np.stack((x, y, x + long, y + tall), 1), np.stack((rows, cols), 1))
        return ways, number

    def _placed(self, sizes: Ways, targets: Boxes) -> Ways:
        """Windows moved so that they still show their targets and cut no line."""
        height, width = self.scene.size
        margin = MARGIN * self.layout.height
        long, tall = (sizes.box[:, 2:] - sizes.box[:, :2]).T
        spans = list[Float[np.ndarray, "sizes places"]]()
        for low, high, length, pixels, shares in (
            (targets[:, 0], targets[:, 2], long, width, ACROSS),
            (targets[:, 1], targets[:, 3], tall, height, DOWN),
        ):
            first = (high + margin - length).clip(0, pixels - length)
            last = np.maximum(first, (low - margin).clip(0, pixels - length))
            spans.append(np.round(first[:, None] + (last - first)[:, None] * np.array(shares)))
        x, y = spans[0][:, :, None], spans[1][:, None, :]
        x, y = np.broadcast_arrays(x, y)
        number = np.broadcast_to(np.arange(len(sizes))[:, None, None], x.shape).ravel()
        x, y = x.ravel(), y.ravel()
        box = self._opened(np.stack((x, y, x + long[number], y + tall[number]), 1))
        shows = holds(box, targets[number], each=True) & (box[:, :2] >= 0).all(1)
        shows &= (box[:, 2] <= width) & (box[:, 3] <= height)
        box, number = box[shows], number[shows]
        some = np.flatnonzero(~self.layout.cut(box))
        some = some[~self.layout.cut_words(box[some])]
        return Ways(box[some], sizes.tokens[number[some]])

    def _between_words(self, ways: Ways) -> Ways:
        """Windows moved a little to one side where that cuts fewer words."""
        layout, width = self.layout, self.scene.size[1]
        moves = np.round(np.array(ASIDE) * layout.height)
        box = ways.box[:, None] + moves[:, None] * np.array([1, 0, 1, 0])
        box = box.reshape(-1, 4).astype(np.float32)
        held = np.repeat(holds(ways.box, layout.keys), len(moves), axis=0)
        wrong = (box[:, 0] < 0) | (box[:, 2] > width) | layout.cut(box) | layout.cut_words(box)
        wrong |= (held & ~holds(box, layout.keys)).any(1)
        middle = (layout.words[:, 1] + layout.words[:, 3]) / 2
        beside = (middle > box[:, 1].min()) & (middle < box[:, 3].max())
        words = splits(box, layout.words[beside]).sum(1) + wrong * (len(layout.words) + 1)
        best = words.reshape(-1, len(moves)).argmin(1) + np.arange(len(ways)) * len(moves)
        return Ways(box[best], ways.tokens)

    def _opened(self, box: Boxes) -> Boxes:
        """Windows made higher where they would cut a line, and as much wider."""
        start, width, moved = box, self.scene.size[1], np.arange(len(box))
        for _ in range(OPENED):
            before, first = box[moved], start[moved]
            top, low = self.layout.opened(before)
            long = (first[:, 2] - first[:, 0]) * (low - top) / (first[:, 3] - first[:, 1])
            long = np.round(long)
            left = np.round((first[:, 0] + first[:, 2] - long) / 2)
            left = left.clip(0, (width - long).clip(0))
            after = np.stack((left, top, left + long, low), 1)
            box = box.astype(after.dtype)
            box[moved] = after
            moved = moved[(after != before).any(1)]  # the others would stay
        return box

    def _gains(self, plan: Plan, shown: Map, ways: Ways) -> Float[np.ndarray, "_"]:
        """About what each window adds to what is shown: by the likely words, and by all the rest
        of the picture."""
        scene, layout = self.scene, self.layout
        side, bare = scene.rule.side, scene.config.unlabelled_worth
        zoom = np.log2(ways.tokens[:, 0] * side / (ways.box[:, 3] - ways.box[:, 1]))
        cells, key = self._key_cells
        before = np.bincount(key, shown.ravel()[cells], len(layout.keys))
        legible = scene.acuity.read(layout.octaves[:, None] + zoom, scene.belief.blur).T
        told = bare + (1 - bare) * layout.told(ways.box)
        gain = (layout.mass * legible * told * holds(ways.box, layout.keys) - before).clip(0)
        sums, octaves = self._rest
        (height, width), (rows, cols) = scene.size, scene.belief.place.shape
        cells = np.array([cols / width, rows / height] * 2)
        x0, y0, x1, y1 = np.round(ways.box * cells).astype(int).T
        rest = sums[y1, x1] - sums[y0, x1] - sums[y1, x0] + sums[y0, x0]
        whole = plan.whole[0] / height if plan.whole else 1e-9
        zoom = np.append(zoom, log2(whole))
        *_, seen = legible = scene.acuity.read(octaves + zoom, scene.belief.blur)
        return np.ascontiguousarray(gain).sum(1) + rest * (
            (1 + bare) / 2 * legible[:-1] - seen
        ).clip(0)

    @cached_property
    def _rest(self) -> tuple[Float[np.ndarray, "rows1 cols1"], float]:
        """Sums of how likely the answer stands in cells without a likely word, and the height of
        print there."""
        belief = self.scene.belief
        rest = np.where(self.layout.key_of_cell < 0, belief.place, 0)
        octaves = float((rest * belief.octaves).sum() / max(1e-9, float(rest.sum())))
        return integral(rest), octaves

    @cached_property
    def _key_cells(self) -> tuple[Int[np.ndarray, "cells"], Int[np.ndarray, "cells"]]:
        """Which cells of the lattice hold likely words, and which."""
        key = self.layout.key_of_cell.ravel()
        cells = np.flatnonzero(key >= 0)
        return cells, key[cells].astype(int)


def on_lines(scene: Scene) -> OnLines | None:
    """Windows on the lines of a page; None where nobody read any."""
    layout = scene.belief.layout
    return None if layout is None else OnLines(scene, layout)


def _union(boxes: Sequence[Edges]) -> Edges:
    parts = np.array(boxes)
    return np.concatenate((parts[:, :2].min(0), parts[:, 2:].max(0)))
