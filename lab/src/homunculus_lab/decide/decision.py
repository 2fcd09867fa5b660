# pyright: basic
"""Turns results into a decision: the dictionary that is saved as JSON and rendered as a report."""

from collections.abc import Sequence
from typing import Any

from homunculus_lab import row_names as names
from homunculus_lab.decide.calibration import calibration
from homunculus_lab.decide.claims import Costs, explain, judge, outcome, tier
from homunculus_lab.decide.compare import EFFECT, Cell, compare, round_number
from homunculus_lab.decide.product import (
    judge_product,
    measured_by,
    product_outcome,
    question_controls,
)
from homunculus_lab.decide.read import Results, Task
from homunculus_lab.decide.slices import (
    by_height,
    focus_budget,
    pareto_fronts,
    wins_and_losses,
)
from homunculus_lab.stats import DRAWS, LEVEL


def decide(results: Results, draws: int = DRAWS, seed: int = 0) -> dict[str, Any]:
    """The decision, the rule that led to it, and every number behind it."""
    cells = compare(results.tasks, draws, seed)
    claims = judge(cells, results, draws, seed)
    fronts = pareto_fronts(cells, Costs(results.costs))
    rules = judge_product(results.tasks, draws, seed)
    return {
        "product": product_outcome(rules),
        **{name: rule.to_dict() for name, rule in rules.items()},
        "controls": question_controls(results.tasks, draws, seed),
        "decision": outcome(claims),
        "tier": tier(claims),
        "rule": explain(claims),
        "tiers": [claim.to_dict() for claim in claims],
        "power": _power(cells),
        "level": LEVEL,
        "draws": draws,
        "seed": seed,
        "files": list(results.files),
        "without": list(results.without),
        "tasks": [_task(task) for task in results.tasks],
        "aside": list(results.ignored),
        "skipped": results.skipped,
        "rows": [cell.to_dict() | fronts[index] for index, cell in enumerate(cells)],
        "heights": by_height(cells, draws, seed),
        "changes": wins_and_losses(cells),
        "calibration": calibration(results.tasks, draws, seed),
    }


def _task(task: Task) -> dict[str, Any]:
    full = task.scores.values.get((names.FULL, 0))
    column = task.scores.columns.index(task.column)
    missing = names.missing_controls(task.scores.methods)
    return {
        "task": task.name, "suite": task.suite, "part": task.part, "kind": task.kind,
        "token": task.patch, "measured_by": measured_by(task), "main": task.main,
        "measure": task.measure, "column": task.column, "columns": list(task.scores.columns),
        "n": len(task.scores.image), "images": task.images,
        "budgets": task.scores.budgets, "focus": focus_budget(task),
        "full": None if full is None else round_number(float(full[:, column].mean())),
        "left_out": list(task.left_out),
        "missing": [control for control in missing if control not in task.left_out],
        "origin": task.origin,
    }  # fmt: skip


def _power(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """The power of each task, for the median comparison of its methods with the grid.

    Where there is no grid, `resize` stands in, and is named.
    """
    rows = []
    for task in dict.fromkeys(cell.task for cell in cells):
        own = [cell.comparisons for cell in cells if cell.task is task and cell.competes]
        comparisons = [pair for pairs in own if (pair := pairs["grid"] or pairs["resize"])]
        if not comparisons:
            continue
        comparisons.sort(key=lambda pair: pair.estimate.detectable())
        median = comparisons[len(comparisons) // 2]
        rows.append(
            {
                "task": task.name, "true": EFFECT,
                "power": round_number(median.estimate.power(EFFECT)),
                "detectable": round_number(median.estimate.detectable()),
                "against": median.against, "pairs": len(comparisons), "images": task.images,
            }
        )  # fmt: skip
    return rows
