# pyright: basic
"""GO, NO-GO or UNDECIDED: three tiers fixed before anything was measured, judged by intervals.

A claim is tried for every method and budget it allows, and corrected for the number of trials; a
claim about several sets holds if it holds on each. Whatever is claimed, a method must also beat
plain resizing, and lose its gain when it gets another image's question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from homunculus_lab.decide import names
from homunculus_lab.decide.compare import Cell, difference
from homunculus_lab.decide.names import RowName
from homunculus_lab.decide.read import Results, Task
from homunculus_lab.stats import LEVEL, MIN_IMAGES, Bootstrap, Estimate, holm

State = Literal["met", "not supported", "open", "refuted", "not measured"]
Outcome = Literal["GO", "NO-GO", "UNDECIDED"]
EVERY = "every"
"""Stands for every kind of images that was measured."""


# ---- claims --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claim:
    """What a tier requires: differences to `grid` by kind of images, at a speed."""

    tier: int
    text: str
    bounds: Mapping[str, float]
    """Least difference by kind of images."""
    any_set: bool = False
    """One set is enough."""
    speed: float = 1.0
    """How many times cheaper than the grid, which then has a larger budget."""
    method: str | None = None


CLAIMS = (
    Claim(1, "some method beats grid by at least 3 points on a set", {EVERY: 0.03}, any_set=True),
    Claim(
        1, "some method is 2 times cheaper than grid and loses less than 2 points on every set",
        {EVERY: -0.02}, speed=2.0,
    ),
    Claim(
        2, "foveated beats grid by at least 5 points on documents and 3 on photos",
        {"documents": 0.05, "photos": 0.03}, method="foveated",
    ),
    Claim(
        2, "foveated is 3 times cheaper than grid and loses less than 1 point on every set",
        {EVERY: -0.01}, speed=3.0, method="foveated",
    ),
    Claim(
        3, "foveated beats a grid twice its cost by at least 7 points on documents, 5 on photos "
        "and 5 on text in scenes", {"documents": 0.07, "photos": 0.05, "scenes": 0.05}, speed=2.0,
        method="foveated",
    ),
)  # fmt: skip


@dataclass(eq=False)
class TrialSet:
    """A trial on one set: the difference, and the bound it must reach."""

    cell: Cell
    against: tuple[str, int]
    bound: float
    estimate: Estimate


@dataclass(eq=False)
class Trial:
    """One method and budget tried for a claim."""

    sets: list[TrialSet]
    p: float
    p_holm: float = 1.0

    @property
    def shown(self) -> bool:
        """The corrected interval lies above the bound on every set."""
        return self.p_holm <= LEVEL

    @property
    def faults(self) -> list[str]:
        """Why the gain does not count, by set."""
        verdicts = [(one.cell.task.name, one.cell.verdict) for one in self.sets]
        return [f"{v} ({task})" for task, v in verdicts if v != "supported"]

    @property
    def margin(self) -> float:
        """How far the interval's low end lies above the bound, on the worst set."""
        return min(one.estimate.interval()[0] - one.bound for one in self.sets)

    @property
    def images(self) -> int:
        """Images of the smallest set."""
        return min(one.estimate.images for one in self.sets)

    @property
    def possible(self) -> bool:
        """Whether no set rules the claim out."""
        return all(one.estimate.interval()[1] >= one.bound for one in self.sets)


@dataclass(eq=False)
class ClaimResult:
    """A claim, its state and its trials."""

    claim: Claim
    state: State
    trials: list[Trial] = field(default_factory=list)
    missing: str = ""
    few_draws: bool = False
    """The bootstrap has too few resamples to correct for so many trials."""

    @property
    def best(self) -> Trial | None:
        """The trial to quote: one that counts if there is one, then the nearest to its bound."""
        good = [trial for trial in self.trials if trial.shown and not trial.faults]
        good = good or [trial for trial in self.trials if trial.shown]
        return max(good or self.trials, key=lambda trial: trial.margin, default=None)


class Costs:
    """Cost of a request by row and budget, for one suite or for all."""

    def __init__(self, sections: Sequence[dict[str, Any]]) -> None:
        self.ratios: dict[tuple[str, int | None, RowName, int], float] = {}
        for section in sections:
            place = str(section.get("suite") or ""), section.get("patch")
            for row, by_budget in (section.get("table") or {}).items():
                for budget, cost in by_budget.items():
                    ratio = cost.get("ratio") if isinstance(cost, dict) else None
                    if str(budget).isdigit() and isinstance(ratio, int | float) and ratio > 0:
                        self.ratios[*place, names.parse(row), int(budget)] = float(ratio)

    def get(self, row: str, budget: int, suite: str, patch: int | None = None) -> float | None:
        """The cost on that suite if it was measured there, else the one for all suites.

        A cost of tokens of another side does not count.
        """
        places = [(suite, patch), ("", patch), (suite, None), ("", None)]
        keys = [(*place, names.parse(row), budget) for place in places]
        return next((self.ratios[key] for key in keys if key in self.ratios), None)


def few_draws(trials: int, draws: int) -> str:
    """What to do if so many trials cannot be corrected for with so few resamples; or nothing."""
    if 2 * trials <= LEVEL * (draws + 1):
        return ""
    return (
        f"{trials} trials are too many for {draws} bootstrap resamples: "
        f"use --draws {round(10 * trials / LEVEL)}"
    )


# ---- trials --------------------------------------------------------------------------------------


def judge(cells: Sequence[Cell], results: Results, draws: int, seed: int) -> list[ClaimResult]:
    """Try every claim of every tier."""
    trials = _Trials(cells, results, draws, seed)
    return [trials.judge(claim) for claim in CLAIMS]


class _Trials:
    def __init__(self, cells: Sequence[Cell], results: Results, draws: int, seed: int) -> None:
        self.cells = {(c.method, c.task.name, c.budget): c for c in cells if c.competes}
        self.tasks = [task for task in results.tasks if task.main]
        self.draws = draws
        self.costs = Costs(results.sections["cost"])
        self.bootstrap = {
            task.name: Bootstrap(task.scores.image, draws, seed) for task in self.tasks
        }

    def judge(self, claim: Claim) -> ClaimResult:
        """Try a claim with every method and budget it allows."""
        kinds = {task.kind for task in self.tasks}
        absent = [kind for kind in claim.bounds if kind != EVERY and kind not in kinds]
        if absent:
            missing = f"no set of {' or of '.join(absent)}"
            return ClaimResult(claim, "not measured", missing=missing)
        scope = [task for task in self.tasks if EVERY in claim.bounds or task.kind in claim.bounds]
        scopes = [[task] for task in scope] if claim.any_set else [scope]
        pairs = {(method, budget): None for method, _, budget in self.cells}
        trials = [
            trial
            for tasks in scopes
            for pair in pairs
            if (trial := self._trial(claim, *pair, tasks))
        ]
        if not trials:
            return ClaimResult(claim, "not measured", missing=self._missing(claim))
        if missing := few_draws(len(trials), self.draws):
            return ClaimResult(claim, "not measured", missing=missing, few_draws=True)
        for trial, p in zip(trials, holm([trial.p for trial in trials]), strict=True):
            trial.p_holm = p
        return ClaimResult(claim, _state(trials), trials)

    def _trial(self, claim: Claim, method: str, budget: int, tasks: list[Task]) -> Trial | None:
        name = names.parse(method)
        if claim.method and (name.method != claim.method or name.variant):
            return None
        rival = self._rival(claim, method, budget, tasks)
        if rival is None:
            return None
        sets = []
        for task in tasks:
            cell, same_budget = self.cells[method, task.name, budget], None
            if None in cell.comparisons.values():
                return None  # without its controls it cannot count, so it is not tried
            if rival[1] == budget:
                same_budget = cell.comparisons["grid"]
            estimate = (
                same_budget.estimate
                if same_budget
                else difference(task, (method, budget), rival, self.bootstrap[task.name])
            )
            bound = claim.bounds.get(task.kind, claim.bounds.get(EVERY, 0.0))
            sets.append(TrialSet(cell, rival, bound, estimate))
        return Trial(sets, max(one.estimate.p_above(one.bound) for one in sets))

    def _rival(
        self, claim: Claim, method: str, budget: int, tasks: list[Task]
    ) -> tuple[str, int] | None:
        """The grid to compare with on every set: of the same budget, or so many times as costly."""
        if any((method, task.name, budget) not in self.cells for task in tasks):
            return None
        grids = [names.baseline_row(method, "grid", task.scores.methods) for task in tasks]
        grid = grids[0]
        if grid is None or any(other != grid for other in grids):
            return None
        shared = set.intersection(*(set(task.scores.budgets) for task in tasks))
        if claim.speed == 1:
            there = all((grid, budget) in task.scores.values for task in tasks)
            return (grid, budget) if there else None
        for slots in sorted(shared):
            speeds = [self._speed(method, budget, grid, slots, task) for task in tasks]
            if all(speed is not None and speed >= claim.speed for speed in speeds):
                return grid, slots
        return None

    def _speed(self, method: str, budget: int, grid: str, slots: int, task: Task) -> float | None:
        ours = self.costs.get(method, budget, task.suite, task.patch)
        theirs = self.costs.get(grid, slots, task.suite, task.patch)
        return theirs / ours if ours and theirs else None

    def _missing(self, claim: Claim) -> str:
        """Why a claim could not be tried."""
        rows = {row for task in self.tasks for row in task.scores.methods}
        parsed = {names.parse(row) for row in rows}
        if not self.tasks:
            return "no question was scored"
        if not self.cells:
            return "only controls were measured, no method"
        if not any(name.method == "grid" for name in parsed):
            return "no row `grid`"
        if claim.method and not any(
            name.method == claim.method and not name.variant and names.competes(row)
            for row in rows
            for name in [names.parse(row)]
        ):
            return f"no row `{claim.method}`"
        if all(None in cell.comparisons.values() for cell in self.cells.values()):
            return "no method was measured with all of grid, resize, blind and shuffled"
        if claim.speed > 1 and not self.costs.ratios:
            return "no cost"
        if claim.speed > 1:
            return f"no grid that costs {claim.speed:g} times as much on every set"
        return "no budget at which method and grid were measured on every set"


def _state(trials: Sequence[Trial]) -> State:
    shown = [trial for trial in trials if trial.shown]
    if any(not trial.faults for trial in shown):
        return "met"
    if shown:
        return "not supported"
    return "open" if any(trial.possible for trial in trials) else "refuted"


# ---- the decision --------------------------------------------------------------------------------


def tier(results: Sequence[ClaimResult]) -> int:
    """The highest tier with a claim that is met; 0 if there is none."""
    return max((one.claim.tier for one in results if one.state == "met"), default=0)


def outcome(results: Sequence[ClaimResult]) -> Outcome:
    """GO if a claim is met; NO-GO if the lowest tier was tried on enough images and failed.

    On fewer than `MIN_IMAGES` images no claim can be met, so a failure says nothing.
    """
    if tier(results):
        return "GO"
    few_draws = any(one.few_draws for one in results if one.claim.tier == 1)
    return "NO-GO" if most_images(results) >= MIN_IMAGES and not few_draws else "UNDECIDED"


def most_images(results: Sequence[ClaimResult]) -> int:
    """Images of the largest trial of the lowest tier; 0 if there was no trial."""
    lowest = [one for one in results if one.claim.tier == 1]
    return max((trial.images for one in lowest for trial in one.trials), default=0)
