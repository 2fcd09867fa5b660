# pyright: basic
"""Every row compared with its baselines on the same questions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from homunculus_lab import row_names as names
from homunculus_lab.decide.read import Task
from homunculus_lab.row_names import BASELINES, Baseline
from homunculus_lab.stats import LEVEL, Bootstrap, Estimate, holm

EFFECT = 0.03
"""The true difference that power is reported for: three points."""


@dataclass(eq=False)
class Comparison:
    """One row minus another, paired by question."""

    against: str
    estimate: Estimate
    p: float
    p_holm: float = 1.0

    @property
    def better(self) -> bool:
        """Significantly better after correction."""
        return self.estimate.mean > 0 and self.p_holm <= LEVEL

    @property
    def worse(self) -> bool:
        """Significantly worse after correction."""
        return self.estimate.mean < 0 and self.p_holm <= LEVEL

    def to_dict(self) -> dict[str, Any]:
        """The dictionary that is saved; the detectable difference if nothing is significant."""
        mean, low, high = rounded_interval(self.estimate)
        saved = {
            "against": self.against, "estimate": mean, "low": low, "high": high,
            "p": round_number(self.p), "p_holm": round_number(self.p_holm),
        }  # fmt: skip
        if not (self.better or self.worse):
            saved["detectable"] = round_number(self.estimate.detectable())
            saved["images_needed"] = self.estimate.images_needed()
        return saved


@dataclass(eq=False)
class Cell:
    """One method on one task with one budget."""

    method: str
    task: Task
    budget: int
    mean: Estimate
    comparisons: dict[Baseline, Comparison | None] = field(default_factory=dict)

    @property
    def competes(self) -> bool:
        """Whether it is a method under test."""
        return names.competes(self.method) and self.method not in self.task.variants

    @property
    def verdict(self) -> str:
        """Whether its gain counts: it beats plain resizing, and the question is the reason."""
        if self.method in self.task.variants:
            return "variant"
        if not self.competes:
            return "baseline" if names.parse(self.method).method == "grid" else "control"
        missing = [name for name in BASELINES if self.comparisons.get(name) is None]
        resize, shuffled = self.comparisons.get("resize"), self.comparisons.get("shuffled")
        if resize and not resize.better:
            return f"not supported: {'loses to' if resize.worse else 'not shown to beat'} resize"
        if shuffled and not shuffled.better:
            return "not supported: not shown to beat shuffled"
        if missing:
            return f"undecided: {', '.join(missing)} not measured"
        return "supported"

    def _saved_comparisons(self) -> dict[str, Any]:
        """The comparisons of methods and of the grid; none for controls and variants."""
        if self.verdict in ("control", "variant"):
            return {}
        pairs = self.comparisons.items()
        return {f"vs_{name}": pair.to_dict() if pair else None for name, pair in pairs}

    def to_dict(self) -> dict[str, Any]:
        """The row as it is saved."""
        mean, low, high = rounded_interval(self.mean)
        return {
            "method": self.method, "task": self.task.name, "budget": self.budget,
            "mean": mean, "low": low, "high": high,
            **self._saved_comparisons(), "verdict": self.verdict,
        }  # fmt: skip


def round_number(value: float | int) -> float:
    """Enough digits of a number to be worth saving."""
    return float(f"{value:.4g}") if abs(value) < 1e-3 else round(float(value), 4)


def rounded_interval(estimate: Estimate) -> list[float]:
    """Mean, low and high, as they are saved."""
    return [round_number(estimate.mean), *map(round_number, estimate.interval())]


def compare(tasks: Iterable[Task], draws: int, seed: int) -> list[Cell]:
    """All rows of all tasks, compared; corrected over the methods of each task and budget."""
    cells: list[Cell] = []
    for task in tasks:
        bootstrap = Bootstrap(task.scores.image, draws, seed)
        for budget in task.scores.budgets:
            cells += _compare_at(task, budget, bootstrap)
    return cells


def _compare_at(task: Task, budget: int, bootstrap: Bootstrap) -> list[Cell]:
    rows = [method for method, tokens in task.scores.values if tokens == budget]
    value = np.stack([task.value(row, budget) for row in rows], 1)
    means = bootstrap.estimates(value, 0.0, 1.0)
    cells = [
        Cell(row, task, budget, mean, dict.fromkeys(BASELINES))
        for row, mean in zip(rows, means, strict=True)
    ]
    pairs: list[tuple[Cell, Baseline, str]] = [
        (cell, name, other)
        for cell in cells
        for name in BASELINES
        if (other := names.baseline_row(cell.method, name, rows))
    ]
    if pairs:
        gaps = [value[:, rows.index(c.method)] - value[:, rows.index(o)] for c, _, o in pairs]
        estimates = bootstrap.estimates(np.stack(gaps, 1), -1.0, 1.0)
        for (cell, name, other), estimate in zip(pairs, estimates, strict=True):
            cell.comparisons[name] = Comparison(other, estimate, estimate.p())
    for name in BASELINES:
        for side in (True, False):  # controls are no trials: methods are not corrected for them
            pairs_of_side = (c.comparisons[name] for c in cells if c.competes is side)
            correct([pair for pair in pairs_of_side if pair])
    return cells


def correct(comparisons: Sequence[Comparison]) -> None:
    """Holm's correction over comparisons that answer the same question."""
    adjusted = holm([comparison.p for comparison in comparisons])
    for comparison, p in zip(comparisons, adjusted, strict=True):
        comparison.p_holm = p


def difference(
    task: Task, row: tuple[str, int], other: tuple[str, int], bootstrap: Bootstrap
) -> Estimate:
    """Mean difference of any two rows, each at its budget."""
    value = task.value(*row) - task.value(*other)
    return bootstrap.estimates(value[:, None], -1.0, 1.0)[0]
