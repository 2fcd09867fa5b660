"""The search for the views that show the most: which windows, how large, at which scale.

The whole picture at one scale is among the plans, so a plan is never worth less than resizing.
Windows are laid on a coarse lattice (`candidates`), settled on a fine one (`refine`), and get what
is left of the budget (`fill`). What a plan is worth stands in `scene`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor

from homunculus.planner.acuity import Acuity
from homunculus.planner.belief import Belief
from homunculus.planner.candidates import Candidates, Draft
from homunculus.planner.config import DEFAULT_CONFIG, SearchConfig
from homunculus.planner.counting import MAX_WINDOWS, Size, TokenRule, inside
from homunculus.planner.fill import drop, fill_exactly, grow, separate, spend_rest
from homunculus.planner.on_lines import OnLines, on_lines
from homunculus.planner.plan import NO_FEES, Fees, Plan
from homunculus.planner.refine import merge, settle
from homunculus.planner.scene import Scene


def find_views(
    belief: Belief,
    size: Size,
    tokens: int,
    rule: TokenRule,
    acuity: Acuity,
    *,
    context: float | int = 1 / 8,
    max_windows: int = MAX_WINDOWS,
    spare_windows: int = 1,
    exact: bool = False,
    fees: Fees = NO_FEES,
    config: SearchConfig = DEFAULT_CONFIG,
) -> Plan:
    """The most valuable views that cost at most ``tokens`` with their ``fees``; if it is to be
    ``exact``, just as many.

    ``context`` is the least share of them that a small picture of the whole gets; 0 lets a plan
    leave it out. ``max_windows`` stand beside it, and ``spare_windows`` more that
    spend what is left.
    """
    search = Search(Scene(belief, size, rule, acuity, fees, config))
    return search.plan(
        tokens, context=context, max_windows=max_windows, spare_windows=spare_windows, exact=exact
    )


@dataclass(frozen=True, eq=False)
class Search:
    """The search in one scene: what does not depend on the tokens is worked out once."""

    scene: Scene

    @cached_property
    def candidates(self) -> Candidates:
        """Windows on the coarse lattice."""
        return Candidates(self.scene)

    @cached_property
    def lines(self) -> OnLines | None:
        """Windows on lines; None where nobody read any."""
        return on_lines(self.scene)

    def plan(
        self, tokens: int, *, context: float | int, max_windows: int, spare_windows: int,
        exact: bool = False,
    ) -> Plan:  # fmt: skip
        """What `find_views` finds."""
        scene = self.scene
        whole = scene.rule.largest(scene.size, tokens - scene.fees.alone)
        best = scene.plan(whole, ())
        if whole == scene.size:
            return best
        contexts = _contexts(scene, tokens, context)
        search = bool(contexts and max_windows) and float(scene.belief.place.sum()) > 0
        if search:
            plan = self._with_windows(contexts, tokens, max_windows, spare_windows)
            min_merit = self._merit(best) + scene.config.min_window_gain
            if plan and self._merit(plan) > min_merit:
                best = plan
        if not exact:
            return best
        lines = self.lines
        if lines is None or not float(scene.belief.place.sum()) > 0:
            return fill_exactly(self.candidates, best, tokens)
        return lines.filled(best, tokens)

    def _with_windows(
        self,
        contexts: Sequence[tuple[Size | None, int]],
        tokens: int,
        max_windows: int,
        spare_windows: int,
    ) -> Plan | None:
        """The best plan with windows; None if the budget is too small for any."""
        candidates, scene = self.candidates, self.scene
        drafts = candidates.drafts(contexts, max_windows)
        if not drafts:
            return None
        if self.lines is not None:
            draft = max(candidates.lay(drafts), key=lambda draft: draft.value)
            spots = [candidates.window(spot) for spot in draft.spots.values()]
            same = [other for other in drafts if other.whole == drafts[0].whole]
            others = [(other.whole, other.prices) for other in same]
            settled = settle(scene, draft.whole, spots)
            return self.lines.plan(
                [(draft.whole, settled), *others], tokens, max_windows + spare_windows
            )
        draft = candidates.best_draft(drafts)
        spots = [candidates.window(spot) for spot in draft.spots.values()]
        settled = merge(scene, draft.whole, settle(scene, draft.whole, spots))
        whole = draft.whole
        if whole is not None:  # what windows left
            whole = scene.whole_beside(settled, tokens)
        plan = scene.plan(whole, settled)
        plan = spend_rest(candidates, plan, tokens, max_windows + spare_windows)
        return separate(scene, drop(scene, plan, tokens), tokens)

    def _merit(self, plan: Plan) -> float:
        return merit(plan, self.scene.belief, self.scene.config)


def merit(plan: Plan, belief: Belief, config: SearchConfig = DEFAULT_CONFIG) -> float:
    """What plans are chosen by: their value, and more if it is a page of print, shown whole."""
    whole_page = belief.row_start is not None and not plan.windows
    return plan.value * (1 + config.page_risk) if whole_page else plan.value


def grown_plan(scene: Scene, plan: Plan, tokens: int) -> Plan:
    """A plan with what is left of the tokens, on lines where they are known."""
    lines = on_lines(scene)
    return lines.respent(plan, tokens) if lines else grow(scene, plan, tokens)


def find_pictures(scene: Scene, pictures: int) -> Plan:
    """The whole picture and the windows that show most beside it, at most that many in all.

    Each is as large as the rule lets a picture be, because a smaller one would cost the same.
    """
    size, edge = scene.size, scene.rule.edge
    whole = inside(size, edge or max(size))
    best = scene.plan(whole, ())
    if whole == size or pictures < 2 or not float(scene.belief.place.sum()) > 0:
        return best
    candidates = Candidates(scene)
    base = scene.of_whole(candidates.belief, whole)
    (draft,) = candidates.lay([Draft(whole, base, (scene.max_side**2,) * (pictures - 1))])
    windows = settle(scene, whole, [candidates.window(spot) for spot in draft.spots.values()])
    lines = on_lines(scene)
    if lines:
        plan = lines.plan([(whole, windows), (whole, draft.prices)]) or best
    else:
        plan = separate(scene, scene.plan(whole, windows))
    return plan if plan.value > best.value + scene.config.min_window_gain else best


def _contexts(scene: Scene, tokens: int, context: float | int) -> list[tuple[Size | None, int]]:
    """Sizes of the small whole picture that a plan may have, and what each leaves to windows."""
    least = max(1, floor(context * tokens))
    budgets = [multiple * least for multiple in scene.config.context_multiples]
    spent = {scene.rule.largest(scene.size, cost): cost for cost in budgets if cost < tokens}
    without = list[tuple[Size | None, int]]([] if context else [(None, tokens)])
    return [*without, *((whole, tokens - cost) for whole, cost in spent.items())]
