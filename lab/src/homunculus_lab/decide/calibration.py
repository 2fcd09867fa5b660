# pyright: basic
"""What the planner expects to be read, against what was read.

The value of a plan is a probability, so over many questions it should equal the share that is read.
Only rows that saved it count, and only columns that a reader made.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from homunculus_lab.decide import names
from homunculus_lab.decide.blocks import Heading, Plots, ReportBlock, Table, Text, format_points
from homunculus_lab.decide.compare import round_number
from homunculus_lab.decide.plot import reliability_plot
from homunculus_lab.decide.read import Task
from homunculus_lab.stats import Bootstrap

np: Any = import_module("numpy")

ROW = "views"
BINS = 10


def calibration(tasks: Sequence[Task], draws: int, seed: int) -> dict[str, Any]:
    """By suite and budget, and over everything in bins of what was expected."""
    rows, pairs = [], []
    for task in tasks:
        if ROW not in task.expected or not task.column.startswith(("crop", "anywhere", "page")):
            continue
        bootstrap = Bootstrap(task.scores.image, draws, seed)
        for budget, expected in task.expected[ROW].items():
            read = task.value(ROW, budget)
            pairs.append((expected, read))
            (gap,) = bootstrap.estimates((read - expected)[:, None], -1.0, 1.0)
            low, high = map(round_number, gap.interval())
            rows.append({
                "set": task.name, "token": task.patch, "budget": budget, "n": len(read),
                "expected": round_number(expected.mean()), "read": round_number(read.mean()),
                "difference": round_number(gap.mean), "low": low, "high": high,
            })  # fmt: skip
    return {"row": ROW, "sets": rows, **_bins(pairs)}


def _bins(pairs: Sequence[tuple[Any, Any]]) -> dict[str, Any]:
    """Equal steps of the expected, and the mean gap over all questions (ECE)."""
    if not pairs:
        return {"bins": [], "error": None}
    expected, read = (np.concatenate(side) for side in zip(*pairs, strict=True))
    number = np.minimum((expected * BINS).astype(int), BINS - 1)
    bins = []
    for one in np.unique(number):
        here = number == one
        means = round_number(expected[here].mean()), round_number(read[here].mean())
        bins.append({"n": int(here.sum()), "expected": means[0], "read": means[1]})
    error = sum(one["n"] * abs(one["expected"] - one["read"]) for one in bins) / len(read)
    return {"bins": bins, "error": round_number(error)}


def calibration_blocks(decision: dict[str, Any]) -> list[ReportBlock]:
    """A table by suite and a reliability diagram."""
    found = decision.get("calibration") or {"sets": []}
    if not found["sets"]:
        return []
    body = tuple(
        (
            one["set"], f"{one['budget']} {names.token(one['token'])}", str(one["n"]),
            f"{one['expected']:.2f}", f"{one['read']:.2f}",
            f"{format_points(one['difference'])} "
            f"[{format_points(one['low'])}, {format_points(one['high'])}]",
        )
        for one in found["sets"]
    )  # fmt: skip
    head = ("suite", "tokens", "questions", "expected", "read", "read − expected, points")
    caption = (
        f"Each dot is a tenth of the scale of what was expected, over all questions and budgets; "
        f"expected calibration error {found['error']:.3f}. On the diagonal an estimate is right."
    )
    return [
        Heading("What the planner expects, and what is read"),
        Text("The planner's estimate for `views` is the probability that the answer is read."),
        Table(head, body),
        Plots((reliability_plot(found["bins"], "Expected against read"),), caption),
    ]
