# pyright: basic
"""What a run measures besides the score (regions, turns, gaze, coverage, cost), as it is saved."""

from typing import Any

import numpy as np

from homunculus_lab import row_names as names
from homunculus_lab.decide.compare import rounded_interval
from homunculus_lab.decide.read import Scores, read_scores
from homunculus_lab.decide.slices import default_budget
from homunculus_lab.stats import Bootstrap, bounds

RIVAL = {"regions": "grid", "gaze": "centre"}
"""The row that the rows of a section are compared with."""
LARGE = ("regions", "coverage", "cost")
"""Sections of which only the rows that the report shows are saved; the results have all of them."""
KEPT_TOKENS, NEW_TOKENS = "second", "again"
"""Columns of `turns`: the second question on tokens chosen for the first, and for itself."""


def section(name: str, part: dict[str, Any], draws: int, seed: int) -> dict[str, Any]:
    """Rows with mean and interval by column; computed here where single questions are at hand."""
    head = {key: part.get(key) for key in ("suite", "part", "file", "patch", "unit", "n", "images")}
    if part.get("table"):
        rows = _rows_of_table(name, part)
    elif part.get("rows") and part.get("columns"):
        rows = _rows_of_questions(name, part, draws, seed)
    else:
        raise ValueError(f"{part['file']}: section {name} has neither `rows` nor `table`.")
    columns = list(dict.fromkeys(column for row in rows for column in row["values"]))
    shown = shown_rows(rows, part.get("patch")) if name in LARGE else rows
    return head | {"columns": columns, "rows": shown}


def shown_rows(rows: list[dict[str, Any]], patch: int | None) -> list[dict[str, Any]]:
    """Methods and plain controls at one budget: a report has no room for every row of a file."""
    default = str(default_budget(patch))
    measured = default in {row["budget"] for row in rows}
    shown = []
    for row in rows:
        name = names.parse(row["method"])
        control = name.scorer in names.CONTROL_SCORERS and name.method not in names.SIMPLE
        in_focus = row["budget"] in (default, "all") or not measured
        if in_focus and not name.variant and not control and "mix" not in name.scorer:
            shown.append(row)
    return shown


def _rows_of_table(name: str, part: dict[str, Any]) -> list[dict[str, Any]]:
    rival = RIVAL.get(name)
    rows = []
    for method, by_budget in part["table"].items():
        paired = (part.get("paired") or {}).get(f"{method} - {rival}", {})
        for budget, cell in by_budget.items():
            values = {str(k): v for k, v in cell.items() if isinstance(v, list | int | float)}
            row = {"method": method, "budget": str(budget), "values": values}
            rows.append(row | _gaps(rival, paired.get(budget)))
    return rows


def _gaps(against: str | None, gaps: dict[str, Any] | None) -> dict[str, Any]:
    """The rival and the differences to it, or neither."""
    return {"against": against if gaps else None, "gaps": gaps}


def _rows_of_questions(
    name: str, part: dict[str, Any], draws: int, seed: int
) -> list[dict[str, Any]]:
    scores = read_scores(part, f"{part['file']}, {name}")
    bootstrap = Bootstrap(scores.image, draws, seed)
    rows = []
    for (method, budget), value in scores.values.items():
        means = _intervals(bootstrap, value)
        row: dict[str, Any] = {"method": method, "budget": str(budget or "all")}
        row["values"] = dict(zip(scores.columns, means, strict=True))
        rows.append(row | _paired_gaps(name, scores, bootstrap, method, budget))
    return rows


def _paired_gaps(
    name: str, scores: Scores, bootstrap: Bootstrap, method: str, budget: int
) -> dict[str, Any]:
    """The differences that a section is about, paired by question."""
    value = scores.values[method, budget]
    if name == "turns" and {KEPT_TOKENS, NEW_TOKENS} <= set(scores.columns):
        columns = (KEPT_TOKENS, NEW_TOKENS)
        kept, new = (value[:, scores.columns.index(column)] for column in columns)
        (drop,) = _intervals(bootstrap, (kept - new)[:, None], signed=True)
        return _gaps(NEW_TOKENS, {KEPT_TOKENS: drop})
    grid = names.baseline_row(method, "grid", scores.methods)
    if RIVAL.get(name) != "grid" or grid is None or (grid, budget) not in scores.values:
        return _gaps(None, None)
    gaps = _intervals(bootstrap, value - scores.values[grid, budget], signed=True)
    return _gaps(grid, dict(zip(scores.columns, gaps, strict=True)))


def _intervals(bootstrap: Bootstrap, value: Any, signed: bool = False) -> list[list[float]]:
    """Mean and interval of every column; each question must have a score."""
    if not np.isfinite(value).all():
        raise ValueError("a section has questions without a score. Measure it again.")
    return [rounded_interval(mean) for mean in bootstrap.estimates(value, *bounds(value, signed))]
