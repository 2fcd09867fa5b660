"""Fill: what a plan leaves of a budget goes to more and longer windows; idle ones are dropped."""

from collections.abc import Iterator
from operator import itemgetter

from homunculus.box import Box
from homunculus.planner.candidates import Candidates
from homunculus.planner.lattice import coarse_sums
from homunculus.planner.plan import Plan, Window
from homunculus.planner.scene import Map, Scene

ROUNDING = 1e-6
"""By which sums of the same cells may differ: no gain."""


def spend_rest(candidates: Candidates, plan: Plan, tokens: int, max_windows: int) -> Plan:
    """More windows for what is left, if it is much."""
    scene = candidates.scene
    while len(plan.windows) < max_windows:
        rest = scene.rest(tokens, plan, more_windows=1)
        if rest <= (1 - scene.config.spent_share) * tokens:
            break
        shown = coarse_sums(scene.shown(plan.whole, plan.windows), scene.size)
        spot = candidates.best(shown, rest, ROUNDING)
        if spot is None:
            break
        plan = scene.plan(plan.whole, [*plan.windows, candidates.window(spot)])
    return plan


def fill_exactly(candidates: Candidates, plan: Plan, tokens: int) -> Plan:
    """More windows until exactly that many tokens are spent."""
    scene = candidates.scene
    while rest := tokens - plan.count(scene.rule):
        shown = coarse_sums(scene.shown(plan.whole, plan.windows), scene.size)
        spot = candidates.best_exact(shown, candidates.largest_grid_tokens(rest))
        plan = scene.plan(plan.whole, [*plan.windows, candidates.window(spot)])
    return plan


def separate(scene: Scene, plan: Plan, tokens: int = 0) -> Plan:
    """Drops overlapping windows; with ``tokens``, gives what they cost to the rest."""
    while pair := plan.same_place(scene.config.max_overlap):
        fewer = [scene.plan(plan.whole, plan.without(index)) for index in pair]
        if tokens:
            fewer = [grow(scene, smaller, tokens) for smaller in fewer]
        plan = max(fewer, key=lambda smaller: smaller.value)
    return plan


def drop(scene: Scene, plan: Plan, tokens: int) -> Plan:
    """Drops windows that add little, and gives their tokens to the rest."""
    value, config = plan.value, scene.config
    while len(plan.windows) > 1:
        indices = range(len(plan.windows))
        fewer = (scene.plan(plan.whole, plan.without(index)) for index in indices)
        best = max(fewer, key=lambda smaller: smaller.value)
        if best.value < value - config.max_drop_loss:
            break
        grown = grow(scene, best, tokens)
        if grown.value < value - config.max_dropped_loss:
            break
        plan = grown
    return plan


def grow(scene: Scene, plan: Plan, tokens: int) -> Plan:
    """Spends what is left: windows become longer where that shows most, then the whole larger."""
    config = scene.config
    while (rest := scene.rest(tokens, plan)) > (1 - config.spent_share) * tokens:
        longer = [
            (*found, index)
            for index in range(len(plan.windows))
            if (found := _longer(scene, plan, index, rest))
        ]
        value, window, index = max(longer, key=lambda found: found[0], default=(0.0, None, 0))
        if window is None or value <= plan.value + ROUNDING:
            break
        windows = [*plan.windows[:index], window, *plan.windows[index + 1 :]]
        plan = scene.plan(plan.whole, windows)
    if plan.whole is None:
        return plan
    return scene.plan(scene.whole_beside(plan.windows, tokens), plan.windows)


def _longer(scene: Scene, plan: Plan, index: int, rest: int) -> tuple[float, Window] | None:
    """What the plan is worth if one of its windows is as long as is best, and that window."""
    window, others = plan.windows[index], plan.without(index)
    extensions = [
        longer
        for longer in _extensions(scene, window, rest)
        if all(longer.overlap(other) <= scene.config.max_overlap for other in others)
    ]
    if not extensions:
        return None
    shown = scene.shown(plan.whole, others)
    base, gains = float(shown.sum()), _gains(scene, shown, window, extensions)
    return max(zip((base + gain for gain in gains), extensions, strict=True), key=itemgetter(0))


def _gains(scene: Scene, shown: Map, window: Window, extensions: list[Window]) -> Iterator[float]:
    """What each extension of a window adds to what is shown."""
    boxes = [longer.box for longer in extensions]
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    near = scene.cells(Box(min(x0), min(y0), max(x1), max(y1)))
    legible = scene.legibility(scene.belief[near], [window.scale(scene.rule.side)])[0]
    for box in boxes:
        here = scene.cells(box)
        rows, cols = (
            slice(span.start - first.start, span.stop - first.start)
            for span, first in zip(here, near, strict=True)
        )
        gain = legible[rows, cols] * scene.told(here, box) - shown[here]
        yield float(gain.clip(0, out=gain).sum())


def _extensions(scene: Scene, window: Window, rest: int) -> Iterator[Window]:
    """A window with more columns or rows, at its scale, to one side or both."""
    for axis in (1, 0):
        affordable = rest // window.tokens[1 - axis]
        if not affordable:
            continue
        for count in sorted({1, (affordable + 1) // 2, affordable}):
            for before in sorted({count, count // 2, 0}):
                longer = _extended(scene, window, axis, count, before)
                if longer:
                    yield longer


def _extended(scene: Scene, window: Window, axis: int, count: int, before: int) -> Window | None:
    """A window with some rows (axis 0) or columns (1) more, a part of them before it; None if the
    picture, the model or the shapes of windows have no room for that."""
    config, side, pixels = scene.config, scene.rule.side, scene.size[axis]
    token = side / window.scale(side)
    grid = [*window.tokens]
    grid[axis] += count
    x0, y0, x1, y1 = window.box
    start, end = ((y0, y1), (x0, x1))[axis]
    length = round(end - start + count * token)
    in_shape = config.min_aspect <= grid[1] / grid[0] <= config.max_aspect
    if length > pixels or grid[axis] > scene.max_side or not in_shape:
        return None
    low = min(max(0, round(start - before * token)), pixels - length)
    high = low + length
    box = Box(low, y0, high, y1) if axis else Box(x0, low, x1, high)
    return Window(box, (grid[0], grid[1]))
