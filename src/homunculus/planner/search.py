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
from homunculus.planner.fill import drop, fill_exactly, separate, spend_rest
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
            plan = _with_windows(self.candidates, contexts, tokens, max_windows, spare_windows)
            min_merit = self._merit(best) + scene.config.min_window_gain
            if plan and self._merit(plan) > min_merit:
                best = plan
        return fill_exactly(self.candidates, best, tokens) if exact else best

    def _merit(self, plan: Plan) -> float:
        return merit(plan, self.scene.belief, self.scene.config)


def merit(plan: Plan, belief: Belief, config: SearchConfig = DEFAULT_CONFIG) -> float:
    """What plans are chosen by: their value, and more if it is a page of print, shown whole."""
    whole_page = belief.row_start is not None and not plan.windows
    return plan.value * (1 + config.page_risk) if whole_page else plan.value


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
    windows = [candidates.window(spot) for spot in draft.spots.values()]
    plan = separate(scene, scene.plan(whole, settle(scene, whole, windows)))
    return plan if plan.value > best.value + scene.config.min_window_gain else best


def _contexts(scene: Scene, tokens: int, context: float | int) -> list[tuple[Size | None, int]]:
    """Sizes of the small whole picture that a plan may have, and what each leaves to windows."""
    least = max(1, floor(context * tokens))
    budgets = [multiple * least for multiple in scene.config.context_multiples]
    spent = {scene.rule.largest(scene.size, cost): cost for cost in budgets if cost < tokens}
    without = list[tuple[Size | None, int]]([] if context else [(None, tokens)])
    return [*without, *((whole, tokens - cost) for whole, cost in spent.items())]


def _with_windows(
    candidates: Candidates,
    contexts: Sequence[tuple[Size | None, int]],
    tokens: int,
    max_windows: int,
    spare_windows: int,
) -> Plan | None:
    """The best plan with windows; None if the budget is too small for any."""
    scene = candidates.scene
    drafts = candidates.drafts(contexts, max_windows)
    if not drafts:
        return None
    draft = candidates.best_draft(drafts)
    spots = [candidates.window(spot) for spot in draft.spots.values()]
    settled = merge(scene, draft.whole, settle(scene, draft.whole, spots))
    whole = draft.whole
    if whole is not None:  # what windows left
        whole = scene.whole_beside(settled, tokens)
    plan = scene.plan(whole, settled)
    plan = spend_rest(candidates, plan, tokens, max_windows + spare_windows)
    return separate(scene, drop(scene, plan, tokens), tokens)
