# pyright: basic
"""GO, NO-GO or UNDECIDED: three tiers fixed before anything was measured, judged by intervals.

A claim is tried for every method and budget it allows, and corrected for the number of trials; a
claim about several sets holds if it holds on each. Whatever is claimed, a method must also beat
plain resizing, and lose its gain when it gets another image's question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from homunculus_lab import row_names as names
from homunculus_lab.decide.compare import Cell, difference, round_number, rounded_interval
from homunculus_lab.decide.read import Results, Task
from homunculus_lab.row_names import RowName
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

    @property
    def margin(self) -> float:
        """How far the interval's low end lies above the bound."""
        return self.estimate.interval()[0] - self.bound

    def to_dict(self) -> dict[str, Any]:
        """The dictionary that is saved as JSON."""
        mean, low, high = rounded_interval(self.estimate)
        return {
            "task": self.cell.task.name, "bound": self.bound,
            "estimate": mean, "low": low, "high": high,
        }  # fmt: skip


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
        cells = [part.cell for part in self.sets if part.cell.verdict != "supported"]
        return [f"{cell.verdict} ({cell.task.name})" for cell in cells]

    @property
    def margin(self) -> float:
        """How far the interval's low end lies above the bound, on the worst set."""
        return min(part.margin for part in self.sets)

    @property
    def images(self) -> int:
        """Images of the smallest set."""
        return min(part.estimate.images for part in self.sets)

    @property
    def possible(self) -> bool:
        """Whether no set rules the claim out."""
        return all(part.estimate.interval()[1] >= part.bound for part in self.sets)

    def to_dict(self) -> dict[str, Any]:
        """The dictionary that is saved as JSON."""
        first = self.sets[0]
        return {
            "method": first.cell.method, "budget": first.cell.budget, "against": first.against[0],
            "against_budget": first.against[1], "p": round_number(self.p),
            "p_holm": round_number(self.p_holm), "faults": self.faults,
            "sets": [part.to_dict() for part in self.sets],
        }  # fmt: skip


@dataclass(eq=False)
class ClaimResult:
    """A claim, its state and its trials."""

    claim: Claim
    state: State
    trials: list[Trial] = field(default_factory=list)
    missing: str = ""
    few_draws: bool = False
    """The bootstrap has too few resamples to correct for the number of trials."""

    @property
    def best(self) -> Trial | None:
        """The trial to quote: one that counts if there is one, then the nearest to its bound."""
        shown = [trial for trial in self.trials if trial.shown]
        supported = [trial for trial in shown if not trial.faults]
        candidates = supported or shown or self.trials
        return max(candidates, key=lambda trial: trial.margin, default=None)

    def to_dict(self) -> dict[str, Any]:
        """The dictionary that is saved as JSON."""
        return {
            "tier": self.claim.tier,
            "claim": self.claim.text,
            "state": self.state,
            "missing": self.missing or None,
            "trials": len(self.trials),
            "shown": sum(trial.shown for trial in self.trials),
            "shown_and_supported": sum(trial.shown and not trial.faults for trial in self.trials),
            "possible": sum(trial.possible for trial in self.trials),
            "best": self.best.to_dict() if self.best else None,
        }


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
    """What to do if there are too few resamples to correct for the trials; or nothing."""
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
        self.costs = Costs(results.costs)
        self.bootstrap = {
            task.name: Bootstrap(task.scores.image, draws, seed) for task in self.tasks
        }

    def judge(self, claim: Claim) -> ClaimResult:
        """Try a claim with every method and budget it allows."""
        kinds = {EVERY, *(task.kind for task in self.tasks)}
        absent = [kind for kind in claim.bounds if kind not in kinds]
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
            cell = self.cells[method, task.name, budget]
            grid = cell.comparisons["grid"]
            if grid is None or None in cell.comparisons.values():
                return None  # without its controls it cannot count, so it is not tried
            estimate = grid.estimate
            if rival[1] != budget:
                estimate = difference(task, (method, budget), rival, self.bootstrap[task.name])
            bound = claim.bounds.get(task.kind, claim.bounds.get(EVERY, 0.0))
            sets.append(TrialSet(cell, rival, bound, estimate))
        return Trial(sets, max(part.estimate.p_above(part.bound) for part in sets))

    def _rival(
        self, claim: Claim, method: str, budget: int, tasks: list[Task]
    ) -> tuple[str, int] | None:
        """The grid to compare with on every set: of the same budget, or that much more costly."""
        if any((method, task.name, budget) not in self.cells for task in tasks):
            return None
        grids = {names.baseline_row(method, "grid", task.scores.methods) for task in tasks}
        grid = grids.pop()
        if grid is None or grids:
            return None
        if claim.speed == 1:
            measured = all((grid, budget) in task.scores.values for task in tasks)
            return (grid, budget) if measured else None
        for tokens in sorted(set.intersection(*(set(task.scores.budgets) for task in tasks))):
            speeds = [self._speed(method, budget, grid, tokens, task) for task in tasks]
            if all(speed is not None and speed >= claim.speed for speed in speeds):
                return grid, tokens
        return None

    def _speed(self, method: str, budget: int, grid: str, tokens: int, task: Task) -> float | None:
        ours = self.costs.get(method, budget, task.suite, task.patch)
        theirs = self.costs.get(grid, tokens, task.suite, task.patch)
        return theirs / ours if ours and theirs else None

    def _missing(self, claim: Claim) -> str:
        """Why a claim could not be tried."""
        if not self.tasks:
            return "no question was scored"
        if not self.cells:
            return "only controls were measured, no method"
        rows = {row for task in self.tasks for row in task.scores.methods}
        if not any(names.parse(row).method == "grid" for row in rows):
            return "no row `grid`"
        competing = [names.parse(row) for row in rows if names.competes(row)]
        if claim.method and (claim.method, "") not in [name[:2] for name in competing]:
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
    return max((result.claim.tier for result in results if result.state == "met"), default=0)


def outcome(results: Sequence[ClaimResult]) -> Outcome:
    """GO if a claim is met; NO-GO if the lowest tier was tried on enough images and failed.

    On fewer than `MIN_IMAGES` images no claim can be met, so a failure says nothing.
    """
    if tier(results):
        return "GO"
    few_draws = any(result.few_draws for result in lowest_tier(results))
    return "NO-GO" if most_images(results) >= MIN_IMAGES and not few_draws else "UNDECIDED"


def lowest_tier(results: Sequence[ClaimResult]) -> list[ClaimResult]:
    """The claims of tier 1."""
    return [result for result in results if result.claim.tier == 1]


def most_images(results: Sequence[ClaimResult]) -> int:
    """Images of the largest trial of the lowest tier; 0 if there was no trial."""
    trials = [trial for result in lowest_tier(results) for trial in result.trials]
    return max((trial.images for trial in trials), default=0)


# ---- the decision in words -----------------------------------------------------------------------


def explain(results: Sequence[ClaimResult]) -> str:
    """The highest claim that is met, or why the lowest tier is not reached.

    Where nothing could be decided: why, and what to measure.
    """
    highest, lowest = tier(results), lowest_tier(results)
    for result in results:
        if highest and result.state == "met" and result.claim.tier == highest:
            return f"Tier {highest}: {result.claim.text}. {_best_trial(result)}"
    if outcome(results) != "UNDECIDED":
        states = "; ".join(f'"{result.claim.text}" is {_state_text(result)}' for result in lowest)
        return f"Tier 1 is not reached: {states}."
    if few := [result.missing for result in lowest if result.few_draws]:
        return f"Nothing could be decided: {few[0]}."
    if images := most_images(results):
        return (
            f"Too few images to decide: {images}, and fewer than {MIN_IMAGES} can show no "
            "difference. Measure more questions: `homunculus measure` without --quick, with a "
            "larger --limit."
        )
    return (
        f"Nothing could be decided: {lowest[0].missing}. "
        "Measure every method with all its controls: `homunculus measure SUITES --methods all`."
    )


def _state_text(result: ClaimResult) -> str:
    return f"not measured ({result.missing})" if result.missing else result.state


def _best_trial(result: ClaimResult) -> str:
    """The trial that meets a claim best, and how many trials do."""
    trial = result.best
    if trial is None:
        return ""
    met = sum(other.shown and not other.faults for other in result.trials)
    worst = min(trial.sets, key=lambda part: part.margin)
    low, high = (100 * end for end in worst.estimate.interval())
    return (
        f"`{worst.cell.method}` with {worst.cell.budget} tokens on {worst.cell.task.name}: "
        f"{100 * worst.estimate.mean:+.1f} points, 95 % interval {low:+.1f} to {high:+.1f}, "
        f"p {trial.p_holm:.2g} after correction; met in {met} of {len(result.trials)} trials."
    )
