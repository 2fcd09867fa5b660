# pyright: basic
"""GO, NO-GO or UNDECIDED: three tiers set before anything was measured, judged by intervals.

A claim is tried for every method and budget it allows, and corrected for the number of trials; a
claim about several sets holds if it holds on each. Whatever is claimed, a method must also beat
plain resizing, and lose its gain when it is asked somebody else's question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from homunculus.lab.decide import names
from homunculus.lab.decide.compare import Cell, gap
from homunculus.lab.decide.names import Name
from homunculus.lab.decide.read import Results, Task
from homunculus.lab.decide.stats import FEW, LEVEL, Draws, Estimate, holm

State = Literal["met", "not supported", "open", "refuted", "not measured"]
Decision = Literal["GO", "NO-GO", "UNDECIDED"]
EVERY = "every"


@dataclass(frozen=True)
class Claim:
    """What a tier asks for: differences to `grid` by kind of set, at a speed."""

    tier: int
    told: str
    bounds: Mapping[str, float]
    """Least difference by kind of pictures; `every` stands for whatever was measured."""
    alone: bool = False
    """One set is enough."""
    speed: float = 1.0
    """So many times cheaper than the grid it is compared with, which then has a larger budget."""
    method: str | None = None


CLAIMS = (
    Claim(1, "some method beats grid by at least 3 points on a set", {EVERY: 0.03}, alone=True),
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
class Part:
    """A trial on one set: the difference, and what it had to reach."""

    cell: Cell
    against: tuple[str, int]
    bound: float
    estimate: Estimate


@dataclass(eq=False)
class Trial:
    """One method and budget tried for a claim."""

    parts: list[Part]
    p: float
    p_holm: float = 1.0

    @property
    def shown(self) -> bool:
        """The corrected interval lies above the bound on every set."""
        return self.p_holm <= LEVEL

    @property
    def faults(self) -> list[str]:
        """Why the gain does not count, by set."""
        verdicts = [(part.cell.task.name, part.cell.verdict) for part in self.parts]
        return [f"{v} ({task})" for task, v in verdicts if v != "supported"]

    @property
    def margin(self) -> float:
        """How far the interval's low end is from the bound, on the worst set."""
        return min(part.estimate.interval()[0] - part.bound for part in self.parts)

    @property
    def images(self) -> int:
        """Images of the smallest set."""
        return min(part.estimate.images for part in self.parts)

    @property
    def possible(self) -> bool:
        """Whether no set rules the claim out."""
        return all(part.estimate.interval()[1] >= part.bound for part in self.parts)


@dataclass(eq=False)
class Judged:
    """A claim, and what became of it."""

    claim: Claim
    state: State
    trials: list[Trial] = field(default_factory=list)
    missing: str = ""
    few_draws: bool = False
    """The bootstrap has too few draws to correct for so many trials."""

    @property
    def best(self) -> Trial | None:
        """The trial to quote: one that counts if there is one, then the nearest to its bound."""
        good = [trial for trial in self.trials if trial.shown and not trial.faults]
        good = good or [trial for trial in self.trials if trial.shown]
        return max(good or self.trials, key=lambda trial: trial.margin, default=None)


class Costs:
    """What a request costs, by row and budget, for one suite or for all."""

    def __init__(self, sections: Sequence[dict[str, Any]]) -> None:
        self.found: dict[tuple[str, Name, int], float] = {}
        for section in sections:
            for row, by_budget in (section.get("table") or {}).items():
                for budget, cost in by_budget.items():
                    ratio = cost.get("ratio") if isinstance(cost, dict) else None
                    if str(budget).isdigit() and isinstance(ratio, int | float) and ratio > 0:
                        key = (str(section.get("suite") or ""), names.parse(row), int(budget))
                        self.found[key] = float(ratio)

    def get(self, row: str, budget: int, suite: str) -> float | None:
        """Of that suite if it was measured there, else of no suite in particular."""
        name = names.parse(row)
        return self.found.get((suite, name, budget), self.found.get(("", name, budget)))


def judge(cells: Sequence[Cell], results: Results, draws: int, seed: int) -> list[Judged]:
    """Every claim of every tier."""
    court = _Court(cells, results, draws, seed)
    return [court.judged(claim) for claim in CLAIMS]


class _Court:
    def __init__(self, cells: Sequence[Cell], results: Results, draws: int, seed: int) -> None:
        self.cells = {(c.method, c.task.name, c.budget): c for c in cells if c.competes}
        self.tasks = [task for task in results.tasks if task.main]
        self.draws = draws
        self.costs = Costs(results.sections["cost"])
        self.drawn = {task.name: Draws(task.scores.image, draws, seed) for task in self.tasks}

    def judged(self, claim: Claim) -> Judged:
        """Try it wherever it can be tried."""
        kinds = {task.kind for task in self.tasks}
        gone = [kind for kind in claim.bounds if kind != EVERY and kind not in kinds]
        if gone:
            return Judged(claim, "not measured", missing=f"no set of {' or of '.join(gone)}")
        scope = [task for task in self.tasks if EVERY in claim.bounds or task.kind in claim.bounds]
        scopes = [[task] for task in scope] if claim.alone else [scope]
        pairs = {(method, budget): None for method, _, budget in self.cells}
        tried = [self._trial(claim, *pair, tasks) for tasks in scopes for pair in pairs]
        trials = [trial for trial in tried if trial]
        if not trials:
            return Judged(claim, "not measured", missing=self._missing(claim))
        if 2 * len(trials) > LEVEL * (self.draws + 1):
            enough = round(10 * len(trials) / LEVEL)
            told = f"{len(trials)} trials are too many for {self.draws} draws: use --draws {enough}"
            return Judged(claim, "not measured", missing=told, few_draws=True)
        for trial, p in zip(trials, holm([trial.p for trial in trials]), strict=True):
            trial.p_holm = p
        return Judged(claim, _state(trials), trials)

    def _trial(self, claim: Claim, method: str, budget: int, tasks: list[Task]) -> Trial | None:
        name = names.parse(method)
        if claim.method and (name.method != claim.method or name.variant):
            return None
        rival = self._rival(claim, method, budget, tasks)
        if rival is None:
            return None
        parts = []
        for task in tasks:
            cell, pair = self.cells[method, task.name, budget], None
            if None in cell.pairs.values():
                return None  # without its controls it cannot count, so it is not tried
            if rival[1] == budget:
                pair = cell.pairs["grid"]
            estimate = pair.estimate if pair else self._gap(task, (method, budget), rival)
            bound = claim.bounds.get(task.kind, claim.bounds.get(EVERY, 0.0))
            parts.append(Part(cell, rival, bound, estimate))
        return Trial(parts, max(part.estimate.p_above(part.bound) for part in parts))

    def _gap(self, task: Task, one: tuple[str, int], other: tuple[str, int]) -> Estimate:
        return gap(task, one, other, self.drawn[task.name])

    def _rival(
        self, claim: Claim, method: str, budget: int, tasks: list[Task]
    ) -> tuple[str, int] | None:
        """The grid to compare with, measured on every set: as large, or so much dearer."""
        if any((method, task.name, budget) not in self.cells for task in tasks):
            return None
        grids = [names.twin(method, "grid", task.scores.methods) for task in tasks]
        grid = grids[0]
        if grid is None or any(other != grid for other in grids):
            return None
        shared = set.intersection(*(set(task.scores.budgets) for task in tasks))
        if claim.speed == 1:
            there = all((grid, budget) in task.scores.values for task in tasks)
            return (grid, budget) if there else None
        for slots in sorted(shared):
            dear = [self._times(method, budget, grid, slots, task.suite) for task in tasks]
            if all(times is not None and times >= claim.speed for times in dear):
                return grid, slots
        return None

    def _times(self, method: str, budget: int, grid: str, slots: int, suite: str) -> float | None:
        ours, theirs = self.costs.get(method, budget, suite), self.costs.get(grid, slots, suite)
        return theirs / ours if ours and theirs else None

    def _missing(self, claim: Claim) -> str:
        """Why nothing could be tried."""
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
        if all(None in cell.pairs.values() for cell in self.cells.values()):
            return "no method was measured with all of grid, resize, blind and shuffled"
        if claim.speed > 1 and not self.costs.found:
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


def tier(judged: Sequence[Judged]) -> int:
    """The highest tier with a claim that is met; 0 if there is none."""
    return max((one.claim.tier for one in judged if one.state == "met"), default=0)


def decision(judged: Sequence[Judged]) -> Decision:
    """GO if a claim is met; NO-GO if the lowest tier was tried on enough images and failed.

    On fewer than `FEW` images no result can meet a claim, so its failure says nothing.
    """
    if tier(judged):
        return "GO"
    few_draws = any(one.few_draws for one in judged if one.claim.tier == 1)
    return "NO-GO" if most_images(judged) >= FEW and not few_draws else "UNDECIDED"


def most_images(judged: Sequence[Judged]) -> int:
    """Images behind the largest trial of the lowest tier; 0 if there was no trial."""
    lowest = [one for one in judged if one.claim.tier == 1]
    return max((trial.images for one in lowest for trial in one.trials), default=0)
