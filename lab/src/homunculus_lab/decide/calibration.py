# pyright: basic
"""What the planner expects to be read, against what was read.

The value of a plan is a probability, so over many questions it should equal the share that is read.
Only rows that saved it count, and only columns that a reader made.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from homunculus_lab.decide.compare import round_number, rounded_interval
from homunculus_lab.decide.read import Task
from homunculus_lab.stats import Bootstrap

ROW = "views"
BINS = 10


def calibration(tasks: Sequence[Task], draws: int, seed: int) -> dict[str, Any]:
    """Expected and read shares by suite and budget, and over all questions in bins."""
    rows, pairs = [], []
    for task in tasks:
        if ROW not in task.expected or not task.column.startswith(("crop", "anywhere", "page")):
            continue
        bootstrap = Bootstrap(task.scores.image, draws, seed)
        for budget, expected in task.expected[ROW].items():
            read = task.value(ROW, budget)
            pairs.append((expected, read))
            (gap,) = bootstrap.estimates((read - expected)[:, None], -1.0, 1.0)
            mean, low, high = rounded_interval(gap)
            rows.append({
                "set": task.name, "token": task.patch, "budget": budget, "n": len(read),
                "expected": round_number(expected.mean()), "read": round_number(read.mean()),
                "difference": mean, "low": low, "high": high,
            })  # fmt: skip
    return {"row": ROW, "sets": rows, **_bins(pairs)}


def _bins(pairs: Sequence[tuple[Any, Any]]) -> dict[str, Any]:
    """Equal steps of the expected, and the mean gap over all questions (ECE)."""
    if not pairs:
        return {"bins": [], "error": None}
    expected, read = (np.concatenate(side) for side in zip(*pairs, strict=True))
    number = np.minimum((expected * BINS).astype(int), BINS - 1)
    bins = []
    for step in np.unique(number):
        inside = number == step
        means = round_number(expected[inside].mean()), round_number(read[inside].mean())
        bins.append({"n": int(inside.sum()), "expected": means[0], "read": means[1]})
    gaps = [step["n"] * abs(step["expected"] - step["read"]) for step in bins]
    error = sum(gaps) / len(read)
    return {"bins": bins, "error": round_number(error)}
