# pyright: basic
"""Other views of the same scores: Pareto fronts, text heights, single questions, ablations."""

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any

from homunculus_lab.decide import names
from homunculus_lab.decide.compare import Cell, Comparison, correct, difference, round_number
from homunculus_lab.decide.read import Task
from homunculus_lab.decide.rule import Costs
from homunculus_lab.stats import Bootstrap

np: Any = import_module("numpy")

HEIGHTS = (10, 14, 20, 30)
"""Borders between bands of text height in pixels of the page, the same as in `measure`."""
DEFAULT = 273
"""The budget that the report details, if it was measured, in cells of 16 px."""
LARGE_DEFAULT = 64
"""The same number of pixels in tokens of 28 or 32 px; more of them show all that is on a page."""
SHOWN = 5
"""How many wins and how many losses are listed."""


def focus_budget(task: Task) -> int:
    """The budget that the report details: the default if it was measured, else a middle one."""
    budgets, default = task.scores.budgets, default_budget(task.patch)
    return default if default in budgets else budgets[len(budgets) // 2]


def default_budget(patch: int | None) -> int:
    """The budget to detail, by the side of a token."""
    return LARGE_DEFAULT if (patch or 0) > 16 else DEFAULT


def leader(task: Task, cells: Sequence[Cell]) -> Cell | None:
    """The method with the best mean at that budget: the one to detail, not a winner."""
    here = [c for c in cells if c.task is task and c.competes and c.budget == focus_budget(task)]
    return max(here, key=lambda cell: cell.mean.mean, default=None)


# ---- Pareto fronts -------------------------------------------------------------------------------


def _pareto_optimal(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Whether no other point is as cheap and as good, and better in one of the two."""
    return [
        not any(x <= cost and y >= mean and (x, y) != (cost, mean) for x, y in points)
        for cost, mean in points
    ]


def pareto_fronts(cells: Sequence[Cell], costs: Costs) -> dict[int, dict[str, Any]]:
    """For each cell, by its place in the list: its cost, and whether it is on either front.

    The oracle, which is given the answer's box, is on neither.
    """
    places: dict[int, dict[str, Any]] = {}
    for task in dict.fromkeys(cell.task for cell in cells):
        here = [at for at, cell in enumerate(cells) if cell.task is task]
        cost = {
            at: costs.get(cells[at].method, cells[at].budget, task.suite, task.patch) for at in here
        }
        fair = [at for at in here if names.parse(cells[at].method).scorer != "answer"]
        tokens = {at: float(cells[at].budget) for at in fair}
        known = {at: price for at in fair if (price := cost[at]) is not None}
        by_tokens, by_cost = (_front(cells, price) for price in (tokens, known))
        for at in here:
            places[at] = {
                "cost": cost[at],
                "per_100_tokens": round_number(100 * cells[at].mean.mean / cells[at].budget)
                if cells[at].budget
                else None,
                "front_tokens": at in by_tokens,
                "front_cost": at in by_cost if cost[at] is not None else None,
            }
    return places


def _front(cells: Sequence[Cell], price: Mapping[int, float]) -> set[int]:
    points = [(price[at], cells[at].mean.mean) for at in price]
    return {at for at, best in zip(price, _pareto_optimal(points), strict=True) if best}


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
    for task in dict.fromkeys(cell.task for cell in cells):
        cell = leader(task, cells)
        resize = cell.comparisons["resize"] if cell else None
        if cell is None or resize is None or not any(task.scores.height):
            continue
        bands = np.array([band(height) for height in task.scores.height])
        one, other = (task.value(row, cell.budget) for row in (cell.method, resize.against))
        for name in BANDS:
            mine = bands == name
            if mine.any():
                image = [task.scores.image[at] for at in np.flatnonzero(mine)]
                head = {"task": task.name, "method": cell.method, "budget": cell.budget}
                head |= {"band": name, "n": int(mine.sum())}
                rows.append(head | _band_row(one[mine], other[mine], image, draws, seed))
    return rows


def _band_row(one: Any, other: Any, image: list[str], draws: int, seed: int) -> dict[str, Any]:
    estimate = Bootstrap(image, draws, seed).estimates((one - other)[:, None], -1.0, 1.0)[0]
    low, high = estimate.interval()
    return {
        "images": len(set(image)), "mean": round_number(one.mean()),
        "resize": round_number(other.mean()), "estimate": round_number(estimate.mean),
        "low": round_number(low), "high": round_number(high),
    }  # fmt: skip


# ---- single questions ----------------------------------------------------------------------------


def wins_and_losses(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """How many questions each leader wins and loses against `resize`, and the most extreme."""
    rows = []
    for task in dict.fromkeys(cell.task for cell in cells):
        cell = leader(task, cells)
        resize = cell.comparisons["resize"] if cell else None
        if cell is None or resize is None:
            continue
        one, other = (task.value(row, cell.budget) for row in (cell.method, resize.against))
        gain = one - other
        counts = Counter(np.sign(gain).astype(int).tolist())
        rows.append(
            {
                "task": task.name, "method": cell.method, "budget": cell.budget,
                "against": resize.against, "wins": counts[1], "ties": counts[0],
                "losses": counts[-1],
                "largest_gains": _extremes(task, one, other, -gain),
                "largest_losses": _extremes(task, one, other, gain),
            }
        )  # fmt: skip
    return rows


def _extremes(task: Task, one: Any, other: Any, by: Any) -> list[dict[str, Any]]:
    """The first in the order of ``by``, below 0 only; ties in the order of the file."""
    order = [int(at) for at in np.argsort(by, kind="stable")[:SHOWN] if by[at] < 0]
    return [
        {
            "row": task.scores.row[at], "image": task.scores.image[at],
            "height": task.scores.height[at] or None, "score": round_number(one[at]),
            "other": round_number(other[at]),
            **({"question": task.scores.text[at]} if any(task.scores.text) else {}),
        }
        for at in order
    ]  # fmt: skip


# ---- ablations -----------------------------------------------------------------------------------


def ablations(tasks: Sequence[Task], draws: int, seed: int) -> list[dict[str, Any]]:
    """Variants against their base: `cut@1+scout` less `cut+scout`, and pairs that a run names."""
    rows = []
    for task in tasks:
        bootstrap, pairs = Bootstrap(task.scores.image, draws, seed), []
        for row, base in task.variants.items():
            for budget in task.scores.budgets:
                if {(row, budget), (base, budget)} <= task.scores.values.keys():
                    estimate = difference(task, (row, budget), (base, budget), bootstrap)
                    pairs.append((row, budget, Comparison(base, estimate, estimate.p())))
        correct([pair for _, _, pair in pairs])
        head = {"task": task.name}
        rows += [head | {"method": m, "budget": b} | pair.to_dict() for m, b, pair in pairs]
    return rows
