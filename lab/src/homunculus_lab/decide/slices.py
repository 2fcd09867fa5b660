# pyright: basic
"""Other views of the same scores: Pareto fronts, text heights, single questions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from homunculus_lab import row_names as names
from homunculus_lab.decide.claims import Costs
from homunculus_lab.decide.compare import (
    Cell,
    Comparison,
    round_number,
    rounded_interval,
)
from homunculus_lab.decide.read import Task
from homunculus_lab.stats import Bootstrap

HEIGHTS = (10, 14, 20, 30)
"""Borders between bands of text height in pixels of the page, the same as in `measure`."""
DEFAULT = 273
"""The budget that the report details, if it was measured, in cells of 16 px."""
LARGE_DEFAULT = 64
"""The default budget for tokens of 28 or 32 px: about as many pixels."""
SHOWN = 5
"""How many wins and how many losses are listed."""


def focus_budget(task: Task) -> int:
    """The budget that the report details: the default if it was measured, else a middle one."""
    budgets, default = task.scores.budgets, default_budget(task.patch)
    return default if default in budgets else budgets[len(budgets) // 2]


def default_budget(patch: int | None) -> int:
    """The budget to detail, by the side of a token."""
    return LARGE_DEFAULT if (patch or 0) > 16 else DEFAULT


def leaders(cells: Sequence[Cell]) -> Iterator[tuple[Cell, Comparison]]:
    """The method with the best mean of each task at that budget, and its difference to `resize`."""
    for task in dict.fromkeys(cell.task for cell in cells):
        focus = focus_budget(task)
        methods = [c for c in cells if c.task is task and c.competes and c.budget == focus]
        cell = max(methods, key=lambda cell: cell.mean.mean, default=None)
        if cell and (resize := cell.comparisons["resize"]):
            yield cell, resize


# ---- Pareto fronts -------------------------------------------------------------------------------


def pareto_fronts(cells: Sequence[Cell], costs: Costs) -> dict[int, dict[str, Any]]:
    """For each cell, by its place in the list: its cost, and whether it is on either front.

    The oracle, which is given the answer's box, is on neither.
    """
    places: dict[int, dict[str, Any]] = {}
    for task in dict.fromkeys(cell.task for cell in cells):
        own = {index: cell for index, cell in enumerate(cells) if cell.task is task}
        fair = [i for i, cell in own.items() if names.parse(cell.method).scorer != "answer"]
        cost = {
            index: costs.get(cell.method, cell.budget, task.suite, task.patch)
            for index, cell in own.items()
        }
        by_tokens = _front({i: (float(own[i].budget), own[i].mean.mean) for i in fair})
        known = {i: (price, own[i].mean.mean) for i in fair if (price := cost[i]) is not None}
        by_cost = _front(known)
        for index, cell in own.items():
            share = round_number(100 * cell.mean.mean / cell.budget) if cell.budget else None
            places[index] = {
                "cost": cost[index],
                "per_100_tokens": share,
                "front_tokens": index in by_tokens,
                "front_cost": index in by_cost if cost[index] is not None else None,
            }
    return places


def _front(points: Mapping[int, tuple[float, float]]) -> set[int]:
    """Points that no other point beats in price and mean, by their keys."""
    return {
        index
        for index, (price, mean) in points.items()
        if not any(x <= price and y >= mean and (x, y) != (price, mean) for x, y in points.values())
    }


# ---- text height ---------------------------------------------------------------------------------


def band(height: float | int) -> str:
    """The band of text heights that one height falls into.

    >>> band(9.5), band(10.0), band(31.0)
    ('<10', '10-14', '>30')
    """
    if height < HEIGHTS[0]:
        return f"<{HEIGHTS[0]}"
    inner = [f"{low}-{high}" for low, high in pairwise(HEIGHTS) if low <= height < high]
    return inner[0] if inner else f">{HEIGHTS[-1]}"


BANDS = tuple(band(height) for height in (0, *HEIGHTS))


def by_height(cells: Sequence[Cell], draws: int, seed: int) -> list[dict[str, Any]]:
    """The leader of each task against `resize`, by the text height of the answer."""
    rows = []
    for cell, resize in leaders(cells):
        scores = cell.task.scores
        if not any(scores.height):
            continue
        bands = np.array([band(height) for height in scores.height])
        own, other = (cell.task.value(row, cell.budget) for row in (cell.method, resize.against))
        head = {"task": cell.task.name, "method": cell.method, "budget": cell.budget}
        for name in [name for name in BANDS if (bands == name).any()]:
            mine = bands == name
            image = [scores.image[index] for index in np.flatnonzero(mine)]
            gap = (own - other)[mine, None]
            (estimate,) = Bootstrap(image, draws, seed).estimates(gap, -1.0, 1.0)
            mean, low, high = rounded_interval(estimate)
            rows.append(
                head | {
                    "band": name, "n": int(mine.sum()), "images": len(set(image)),
                    "mean": round_number(own[mine].mean()),
                    "resize": round_number(other[mine].mean()),
                    "estimate": mean, "low": low, "high": high,
                }
            )  # fmt: skip
    return rows


# ---- single questions ----------------------------------------------------------------------------


def wins_and_losses(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """How many questions each leader wins and loses against `resize`, and the most extreme."""
    rows = []
    for cell, resize in leaders(cells):
        task = cell.task
        own, other = (task.value(row, cell.budget) for row in (cell.method, resize.against))
        gain = own - other
        counts = Counter(np.sign(gain).astype(int).tolist())
        rows.append(
            {
                "task": task.name, "method": cell.method, "budget": cell.budget,
                "against": resize.against, "wins": counts[1], "ties": counts[0],
                "losses": counts[-1],
                "largest_gains": _extremes(task, own, other, -gain),
                "largest_losses": _extremes(task, own, other, gain),
            }
        )  # fmt: skip
    return rows


def _extremes(task: Task, own: Any, other: Any, order: Any) -> list[dict[str, Any]]:
    """The first in this order, below 0 only; ties in the order of the file."""
    scores = task.scores
    first = [int(index) for index in np.argsort(order, kind="stable")[:SHOWN] if order[index] < 0]
    return [
        {
            "row": scores.row[index], "image": scores.image[index],
            "height": scores.height[index] or None, "score": round_number(own[index]),
            "other": round_number(other[index]),
            **({"question": scores.text[index]} if any(scores.text) else {}),
        }
        for index in first
    ]  # fmt: skip
