"""Simulated runs with known true differences between rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from homunculus_lab.decide.claims import ClaimResult, judge
from homunculus_lab.decide.compare import compare
from homunculus_lab.decide.read import Results, Scores, Task

ROWS = (
    "grid", "resize", "random", "foveated+scout", "foveated+blind", "foveated+shuffled",
    "cut+scout", "cut+blind", "cut+shuffled",
)  # fmt: skip
OURS = ("foveated+scout", "cut+scout")
LOW_ROWS = {row: -0.45 for row in ROWS if row not in OURS}
"""Every control far below both methods."""


def simulate(
    seed: int,
    gain: Mapping[str, float],
    rows: Sequence[str] = ROWS,
    budgets: Sequence[int] = (128, 273),
    images: int = 40,
    each: int = 2,
) -> tuple[list[str], dict[tuple[str, int], Any]]:
    """Images and scores: questions of one image are correlated, and rows differ by their gain.

    A gain is a share of questions that turn from 0 to 1 (or, below 0, back), so the true
    difference of two rows is exactly the difference of their gains.
    """
    generator = np.random.default_rng(seed)
    image = np.repeat(np.arange(images), each)
    values = {}
    for budget in budgets:
        hard = generator.beta(0.5, 0.5, images)[image]  # as hard for every row
        for row in rows:
            own = generator.beta(0.2, 0.2, images)[image]  # what it makes of an image
            chance = 0.5 + 0.2 * (hard - 0.5) + 0.6 * (own - 0.5) + gain.get(row, 0.0)
            score = generator.random(len(image)) < chance
            values[row, budget] = score.astype(float)[:, None]
    return [f"{at}.png" for at in image], values


def task(
    seed: int,
    gain: Mapping[str, float],
    suite: str = "docvqa",
    kind: str = "documents",
    **more: Any,
) -> Task:
    """A task as `read` makes it."""
    image, values = simulate(seed, gain, **more)
    row, height = (tuple(made(at) for at in range(len(image))) for made in (str, float))
    scores = Scores(tuple(image), row, height, ("score",), values)
    origin = {"file": f"{suite}.json", "command": "", "commit": "", "hardware": ""}
    return Task(suite, suite, "all", kind, "score", "score", scores, (), origin)


def results(*tasks: Task, cost: Mapping[str, Any] | None = None) -> Results:
    """Results as `read` returns them."""
    costs = [{"table": cost, "suite": ""}] if cost else []
    return Results(tuple(tasks), costs, ())


def judge_claims(runs: Results, draws: int = 999) -> list[ClaimResult]:
    """Every claim with its state."""
    return judge(compare(runs.tasks, draws, 0), runs, draws, 0)


def to_json(task: Task) -> dict[str, Any]:
    """The task as a file of `homunculus measure` holds it."""
    rows = [
        {
            "row": at,
            "image": task.scores.image[at],
            "height": task.scores.height[at],
            "scores": {},
        }
        for at in range(len(task.scores.image))
    ]
    for (method, budget), value in task.scores.values.items():
        for at, row in enumerate(rows):
            row["scores"].setdefault(method, {})[str(budget)] = value[at].tolist()
    return {
        "command": "homunculus measure", "commit": "abc", "hardware": "x86_64",
        "task": "legibility", "suite": task.suite, "part": "all",
        "columns": list(task.scores.columns), "rows": rows,
    }  # fmt: skip
