# pyright: basic
"""Other cuts through the same scores: fronts, bands of text height, single questions, variants."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from homunculus.lab.decide import names
from homunculus.lab.decide.compare import Cell, Pair, correct, digits, gap
from homunculus.lab.decide.read import Task
from homunculus.lab.decide.rule import Costs
from homunculus.lab.decide.stats import Draws
from homunculus.lazy import need

np: Any = need("numpy", extra="decide", who="homunculus decide")

HEIGHTS = (10, 14, 20, 30)
"""Borders between bands of text height in pixels of the page, as `measure` draws them."""
DEFAULT = 273
"""The budget to look at closely."""
SHOWN = 5
"""Wins and losses that are listed, of each."""


def focus(task: Task) -> int:
    """The budget whose details are told: the default if it was measured, else one in the middle."""
    budgets = task.scores.budgets
    return DEFAULT if DEFAULT in budgets else budgets[len(budgets) // 2]


def leader(task: Task, cells: Sequence[Cell]) -> Cell | None:
    """The best mean among the methods at that budget: whose details are told, not who has won."""
    here = [c for c in cells if c.task is task and c.competes and c.budget == focus(task)]
    return max(here, key=lambda cell: cell.mean.mean, default=None)


def _unbeaten(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Whether no other point is as cheap and as good, and better in one of the two."""
    return [
        not any(x <= cost and y >= mean and (x, y) != (cost, mean) for x, y in points)
        for cost, mean in points
    ]


def fronts(cells: Sequence[Cell], costs: Costs) -> dict[int, dict[str, Any]]:
    """For each cell, by its place in the list: its cost, and whether it is on either front.

    Who was told the answer runs beside the race.
    """
    found: dict[int, dict[str, Any]] = {}
    for task in dict.fromkeys(cell.task for cell in cells):
        here = [at for at, cell in enumerate(cells) if cell.task is task]
        cost = {at: costs.get(cells[at].method, cells[at].budget, task.suite) for at in here}
        fair = [at for at in here if names.parse(cells[at].method).scorer != "answer"]
        tokens = {at: float(cells[at].budget) for at in fair}
        known = {at: price for at in fair if (price := cost[at]) is not None}
        by_tokens, by_cost = (_front(cells, price) for price in (tokens, known))
        for at in here:
            found[at] = {
                "cost": cost[at],
                "per_100_tokens": digits(100 * cells[at].mean.mean / cells[at].budget)
                if cells[at].budget
                else None,
                "front_tokens": at in by_tokens,
                "front_cost": at in by_cost if cost[at] is not None else None,
            }
    return found


def _front(cells: Sequence[Cell], price: Mapping[int, float]) -> set[int]:
    points = [(price[at], cells[at].mean.mean) for at in price]
    return {at for at, best in zip(price, _unbeaten(points), strict=True) if best}


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


def heights(cells: Sequence[Cell], draws: int, seed: int) -> list[dict[str, Any]]:
    """The leader of each task against `resize`, by how large the answer is printed."""
    found = []
    for task in dict.fromkeys(cell.task for cell in cells):
        cell = leader(task, cells)
        resize = cell.pairs["resize"] if cell else None
        if cell is None or resize is None or not any(task.scores.height):
            continue
        bands = np.array([band(height) for height in task.scores.height])
        one, other = (task.value(row, cell.budget) for row in (cell.method, resize.against))
        for name in BANDS:
            mine = bands == name
            if mine.any():
                image = [task.scores.image[at] for at in np.flatnonzero(mine)]
                told = _band(one[mine], other[mine], image, draws, seed)
                who = {"task": task.name, "method": cell.method, "budget": cell.budget}
                found.append(who | {"band": name, "n": int(mine.sum())} | told)
    return found


def _band(one: Any, other: Any, image: list[str], draws: int, seed: int) -> dict[str, Any]:
    estimate = Draws(image, draws, seed).estimates((one - other)[:, None], -1.0, 1.0)[0]
    low, high = estimate.interval()
    return {
        "images": len(set(image)), "mean": digits(one.mean()), "resize": digits(other.mean()),
        "estimate": digits(estimate.mean), "low": digits(low), "high": digits(high),
    }  # fmt: skip


def changes(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """How many questions each leader wins and loses against `resize`, and the most extreme."""
    found = []
    for task in dict.fromkeys(cell.task for cell in cells):
        cell = leader(task, cells)
        resize = cell.pairs["resize"] if cell else None
        if cell is None or resize is None:
            continue
        one, other = (task.value(row, cell.budget) for row in (cell.method, resize.against))
        less = one - other
        counts = Counter(np.sign(less).astype(int).tolist())
        found.append(
            {
                "task": task.name, "method": cell.method, "budget": cell.budget,
                "against": resize.against, "wins": counts[1], "ties": counts[0],
                "losses": counts[-1],
                "largest_gains": _extreme(task, one, other, -less),
                "largest_losses": _extreme(task, one, other, less),
            }
        )  # fmt: skip
    return found


def _extreme(task: Task, one: Any, other: Any, by: Any) -> list[dict[str, Any]]:
    """The first in the order of ``by``, below 0 only; ties in the order of the file."""
    order = [int(at) for at in np.argsort(by, kind="stable")[:SHOWN] if by[at] < 0]
    return [
        {
            "row": task.scores.row[at], "image": task.scores.image[at],
            "height": task.scores.height[at] or None, "score": digits(one[at]),
            "other": digits(other[at]),
        }
        for at in order
    ]  # fmt: skip


def ablations(tasks: Sequence[Task], draws: int, seed: int) -> list[dict[str, Any]]:
    """Variants against what they vary: `cut@1+scout` less `cut+scout`, and pairs a run names."""
    found = []
    for task in tasks:
        drawn, made = Draws(task.scores.image, draws, seed), []
        for row, other in task.varied.items():
            for budget in task.scores.budgets:
                if {(row, budget), (other, budget)} <= task.scores.values.keys():
                    estimate = gap(task, (row, budget), (other, budget), drawn)
                    made.append((row, budget, Pair(other, estimate, estimate.p())))
        correct([pair for _, _, pair in made])
        who = {"task": task.name}
        found += [who | {"method": m, "budget": b} | pair.told() for m, b, pair in made]
    return found
