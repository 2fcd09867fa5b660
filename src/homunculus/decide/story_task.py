# pyright: basic
"""The report, set by set: drawings, all rows, and the methods against their baselines."""

from typing import Any

from homunculus.decide import names
from homunculus.decide.blocks import (
    Block,
    Heading,
    Plots,
    Table,
    Text,
    count,
    less,
    listed,
    within,
)
from homunculus.decide.names import BASELINES
from homunculus.decide.plot import Bar, Line, forest, front

Told = dict[str, Any]
BOUND = 0.03
"""Drawn into every forest: what the lowest tier asks for."""
KEY = (
    "In drawings of quality, up and to the left is better; a ring marks what no other row beats "
    "at that price, and upright bars are intervals. The last drawing shows each method less its "
    "baselines, with intervals; the dashed line is what Tier 1 asks of the difference to "
    "`grid`."
)
CROWD = 8
"""As many methods as fit into one forest."""


def rows_of(told: Told, task: Told) -> list[Told]:
    """The rows of a task."""
    return [row for row in told["rows"] if row["task"] == task["task"]]


def _competing(row: Told) -> bool:
    return row["verdict"] not in ("control", "baseline", "variant")


def leader(told: Told, task: Told) -> Told | None:
    """The best mean among the methods at the budget that is looked at closely."""
    here = [r for r in rows_of(told, task) if r["budget"] == task["focus"] and _competing(r)]
    return max(here, key=lambda row: row["mean"], default=None)


def tasks(told: Told) -> list[Block]:
    """All sets."""
    return [Heading("Set by set"), Text(KEY)] + [
        block for task in told["tasks"] for block in _task(told, task)
    ]


def _task(told: Told, task: Told) -> list[Block]:
    every = rows_of(told, task)
    rows = [row for row in every if row["verdict"] != "variant"]
    about = (
        f"{task['kind'].capitalize() if task['kind'] != 'unknown' else 'Pictures of no known kind'}"
        f"; {task['measure']}, column `{task['column']}`; {count(task['n'], 'question')} on "
        f"{count(task['images'], 'image')}."
        f"{'' if task['main'] else ' A second reading of this set: it counts for no tier.'}"
    )
    return [
        Heading(task["task"], 3),
        Text(about),
        Plots(tuple(_drawings(task, rows)), _pale(_order(task, rows), _asked(task, rows))),
        _means(task, rows),
        *_pairs(task, rows),
    ]


def _order(task: Told, rows: list[Told]) -> list[str]:
    """Methods by their mean at the budget looked at, then controls as they come."""
    every = list(dict.fromkeys(row["method"] for row in rows))
    mean = {row["method"]: row["mean"] for row in rows if row["budget"] == task["focus"]}
    ours = list(dict.fromkeys(row["method"] for row in rows if _competing(row)))
    ours.sort(key=lambda name: -mean.get(name, 0.0))
    return ours + [name for name in every if name not in ours]


def _asked(task: Told, rows: list[Told]) -> str | None:
    """The shuffled twin of the best method."""
    here = [row for row in rows if row["budget"] == task["focus"] and _competing(row)]
    twin = max(here, key=lambda row: row["mean"])["vs_shuffled"] if here else None
    return twin["against"] if twin else None


def _role(name: str, asked: str | None = None) -> str:
    parsed = names.parse(name)
    if names.competes(name):
        return "method"
    if name == asked:
        return "shuffled"
    if parsed.method in ("resize", "oracle"):
        return parsed.method
    return "grid" if parsed == names.Name("grid", "", names.ASKED) else "control"


def _drawings(task: Told, rows: list[Told]) -> list[str]:
    order = _order(task, rows)
    found = [
        _front(task, rows, order, "budget", "tokens"),
        _front(task, rows, order, "cost", "cost of a request, ratio"),
        _forest(task, rows, order),
    ]
    return [svg for svg in found if svg]


def _front(task: Told, rows: list[Told], order: list[str], key: str, across: str) -> str:
    lines = []
    for name in order:
        mine = [row for row in rows if row["method"] == name and row[key]]
        mine.sort(key=lambda row: row[key])
        at = tuple((float(r[key]), r["mean"], r["low"], r["high"]) for r in mine)
        rings = tuple(bool(r["front_tokens" if key == "budget" else "front_cost"]) for r in mine)
        if at:
            lines.append(Line(name, at, rings, _role(name, _asked(task, rows))))
    if not lines:
        return ""
    ticks = task["budgets"] if key == "budget" else _ticks([x for one in lines for x, *_ in one.at])
    title = f"Quality against {'tokens' if key == 'budget' else 'cost'}"
    return front(lines, title, across, ticks, task["full"])


def _ticks(places: list[float]) -> list[float]:
    """A few round numbers over a logarithmic range."""
    least, most = min(places), max(places)
    middle = (least * most) ** 0.5
    return list(dict.fromkeys(float(f"{value:.2g}") for value in (least, middle, most)))


def _forest(task: Told, rows: list[Told], order: list[str]) -> str:
    here = {row["method"]: row for row in rows if row["budget"] == task["focus"]}
    bars = []
    for name in [name for name in order if names.competes(name) and name in here][:CROWD]:
        pairs = [(at, here[name][f"vs_{base}"]) for at, base in enumerate(BASELINES)]
        marks = [(at, p["estimate"], p["low"], p["high"]) for at, p in pairs if p]
        if marks:
            bars.append(Bar(name, tuple(marks)))
    title = f"Difference with {task['focus']} tokens"
    return forest(bars, title, BASELINES, BOUND) if bars else ""


def _pale(order: list[str], asked: str | None) -> str:
    """Which rows are drawn without a name."""
    named = [f"`{name}`" for name in order if _role(name, asked) == "control"]
    return f"Pale lines: {listed(named)}." if named else ""


def _means(task: Told, rows: list[Told]) -> Table:
    cell = {(row["method"], row["budget"]): row for row in rows}
    body = []
    for name in _order(task, rows):
        told = []
        for budget in task["budgets"]:
            row = cell.get((name, budget))
            said = within((row["mean"], row["low"], row["high"])) if row else "–"
            told.append(f"**{said}**" if row and row["front_tokens"] else said)
        body.append((f"`{name}`", *told))
    caption = "Mean and 95 % interval; bold: on the front of quality against tokens."
    head = ("row", *(f"{budget} tokens" for budget in task["budgets"]))
    return Table(head, tuple(body), caption)


def _pairs(task: Told, rows: list[Told]) -> list[Table]:
    """The methods at the budget that is looked at closely, and where else they are supported."""
    good: dict[str, list[str]] = {}
    for row in rows:
        if row["verdict"] == "supported":
            good.setdefault(row["method"], []).append(str(row["budget"]))
    here = {r["method"]: r for r in rows if r["budget"] == task["focus"] and _competing(r)}
    body = [
        (
            f"`{name}`",
            *(_pair(here[name][f"vs_{base}"]) for base in BASELINES),
            here[name]["verdict"].removeprefix("not supported: "),
            ", ".join(good.get(name, [])) or "–",
        )
        for name in _order(task, rows)
        if name in here
    ]
    if not body:
        return []
    caption = (
        f"Differences in points with {task['focus']} tokens, question by question. * sure after "
        "Holm's correction over methods; otherwise, in round brackets, the smallest difference "
        "that would have been seen four times in five. – not measured."
    )
    head = ("method", *(f"less {name}" for name in BASELINES), "verdict", "supported with")
    return [Table(head, tuple(body), caption)]


def _pair(pair: Told | None) -> str:
    if pair is None:
        return "–"
    if "detectable" not in pair:
        return f"{less(pair)} *"
    return f"{less(pair)} ({100 * pair['detectable']:.1f})"
