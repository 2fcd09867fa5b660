# pyright: basic
"""Every row against its baselines, on the same questions: the numbers all else is said from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from homunculus.lab.decide import names
from homunculus.lab.decide.names import BASELINES, Baseline
from homunculus.lab.decide.read import Task
from homunculus.lab.decide.stats import LEVEL, Draws, Estimate, holm
from homunculus.lazy import need

np: Any = need("numpy", extra="decide", who="homunculus decide")

TRUE = 0.03
"""Three points: the difference whose power is told."""


@dataclass(eq=False)
class Pair:
    """One row minus another, question by question."""

    against: str
    estimate: Estimate
    p: float
    p_holm: float = 1.0

    @property
    def beats(self) -> bool:
        """Better, and surely so after correction."""
        return self.estimate.mean > 0 and self.p_holm <= LEVEL

    @property
    def loses(self) -> bool:
        """Worse, and surely so after correction."""
        return self.estimate.mean < 0 and self.p_holm <= LEVEL

    def told(self) -> dict[str, Any]:
        """As it is saved; with what could have been seen where nothing was."""
        low, high = self.estimate.interval()
        found = {
            "against": self.against, "estimate": digits(self.estimate.mean), "low": digits(low),
            "high": digits(high), "p": digits(self.p), "p_holm": digits(self.p_holm),
        }  # fmt: skip
        if not (self.beats or self.loses):
            found["detectable"] = digits(self.estimate.detectable())
        return found


@dataclass(eq=False)
class Cell:
    """One method on one task with one budget."""

    method: str
    task: Task
    budget: int
    mean: Estimate
    pairs: dict[Baseline, Pair | None] = field(default_factory=dict)

    @property
    def competes(self) -> bool:
        """Whether it claims anything."""
        return names.competes(self.method) and self.method not in self.task.varied

    @property
    def verdict(self) -> str:
        """Whether its gain is one: over plain resizing, and because of the question."""
        if self.method in self.task.varied:
            return "variant"
        if not self.competes:
            return "baseline" if names.parse(self.method).method == "grid" else "control"
        gone = [name for name in BASELINES if self.pairs.get(name) is None]
        resize, shuffled = self.pairs.get("resize"), self.pairs.get("shuffled")
        if resize and not resize.beats:
            return f"not supported: {'loses to' if resize.loses else 'not shown to beat'} resize"
        if shuffled and not shuffled.beats:
            return "not supported: not shown to beat its shuffled twin"
        if gone:
            return f"undecided: {', '.join(gone)} not measured"
        return "supported"

    def told(self) -> dict[str, Any]:
        """The row as it is saved."""
        low, high = self.mean.interval()
        task = self.task
        return {
            "method": self.method, "task": task.name, "budget": self.budget, "kind": task.kind,
            "column": task.column, "n": len(task.scores.image), "images": task.images,
            "mean": digits(self.mean.mean), "low": digits(low), "high": digits(high),
            **{f"vs_{name}": pair.told() if pair else None for name, pair in self.pairs.items()},
            "verdict": self.verdict,
        }  # fmt: skip


def digits(value: float | int) -> float:
    """Enough of a number to be worth saving."""
    return float(f"{value:.4g}") if abs(value) < 1e-3 else round(float(value), 4)


def cells(tasks: Iterable[Task], draws: int, seed: int) -> list[Cell]:
    """All rows of all tasks, compared; corrected over the methods of each task and budget."""
    found: list[Cell] = []
    for task in tasks:
        drawn = Draws(task.scores.image, draws, seed)
        for budget in task.scores.budgets:
            found += _budget(task, budget, drawn)
    return found


def _budget(task: Task, budget: int, drawn: Draws) -> list[Cell]:
    rows = [method for method, slots in task.scores.values if slots == budget]
    value = np.stack([task.value(row, budget) for row in rows], 1)
    means = drawn.estimates(value, 0.0, 1.0)
    made = [
        Cell(row, task, budget, mean, dict.fromkeys(BASELINES))
        for row, mean in zip(rows, means, strict=True)
    ]
    wanted: list[tuple[Cell, Baseline, str]] = [
        (cell, name, other)
        for cell in made
        for name in BASELINES
        if (other := names.twin(cell.method, name, rows))
    ]
    if wanted:
        gap = [value[:, rows.index(c.method)] - value[:, rows.index(o)] for c, _, o in wanted]
        estimates = drawn.estimates(np.stack(gap, 1), -1.0, 1.0)
        for (cell, name, other), estimate in zip(wanted, estimates, strict=True):
            cell.pairs[name] = Pair(other, estimate, estimate.p())
    for name in BASELINES:
        for side in (True, False):  # controls claim nothing, so they cost the methods nothing
            correct([pair for c in made if c.competes is side and (pair := c.pairs[name])])
    return made


def correct(pairs: Sequence[Pair]) -> None:
    """Holm's correction over pairs that answer the same question."""
    for pair, p in zip(pairs, holm([pair.p for pair in pairs]), strict=True):
        pair.p_holm = p


def gap(task: Task, one: tuple[str, int], other: tuple[str, int], drawn: Draws) -> Estimate:
    """Difference of any two rows, budgets and all."""
    value = task.value(*one) - task.value(*other)
    return drawn.estimates(value[:, None], -1.0, 1.0)[0]
