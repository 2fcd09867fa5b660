# pyright: basic
"""What else was measured: regions, second questions, gaze, coverage, cost; as one kind of table."""

from collections.abc import Sequence
from typing import Any

from homunculus.decide import names
from homunculus.decide.compare import digits
from homunculus.decide.read import Results, Scores, scored
from homunculus.decide.stats import Draws, Estimate
from homunculus.extra import need

np: Any = need("numpy", extra="decide", who="homunculus decide")

RIVAL = {"regions": "grid", "gaze": "centre"}
"""Whom the rows of a section are compared with."""
LATER, ANEW = "second", "again"
"""Columns of `turns`: the second question on tokens chosen for the first, and on its own."""


def sections(results: Results, draws: int, seed: int) -> dict[str, list[dict[str, Any]]]:
    """Every section that a run holds, by name."""
    return {
        name: [_section(name, part, draws, seed) for part in parts]
        for name, parts in results.sections.items()
        if parts
    }


def _section(name: str, told: dict[str, Any], draws: int, seed: int) -> dict[str, Any]:
    """Rows with mean and interval by column; made anew where single questions are at hand."""
    head = {key: told.get(key) for key in ("suite", "part", "file", "unit", "n", "images")}
    if told.get("table"):
        rows = _from_table(name, told)
    elif told.get("rows") and told.get("columns"):
        rows = _from_rows(name, told, draws, seed)
    else:
        raise ValueError(f"{told['file']}: section {name} has neither `rows` nor `table`.")
    columns = list(dict.fromkeys(column for row in rows for column in row["values"]))
    return head | {"columns": columns, "rows": rows}


def _from_table(name: str, told: dict[str, Any]) -> list[dict[str, Any]]:
    rival = RIVAL.get(name)
    rows = []
    for method, by_budget in told["table"].items():
        for budget, cell in by_budget.items():
            values = {str(k): v for k, v in cell.items() if isinstance(v, list | int | float)}
            gaps = (told.get("paired") or {}).get(f"{method} - {rival}", {}).get(budget)
            rows.append(
                {
                    "method": method, "budget": str(budget), "values": values,
                    "against": rival if gaps else None, "gaps": gaps,
                }
            )  # fmt: skip
    return rows


def _from_rows(name: str, told: dict[str, Any], draws: int, seed: int) -> list[dict[str, Any]]:
    scores = scored(told, f"{told['file']}, {name}")
    drawn = Draws(scores.image, draws, seed)
    rows = []
    for method, budget in scores.values:
        value = scores.values[method, budget]
        means = [_told(one) for one in _estimates(drawn, value)]
        row: dict[str, Any] = {"method": method, "budget": str(budget or "all")}
        row["values"] = dict(zip(scores.columns, means, strict=True))
        row |= _gaps(name, scores, drawn, method, budget)
        rows.append(row)
    return rows


def _gaps(name: str, scores: Scores, drawn: Draws, method: str, budget: int) -> dict[str, Any]:
    """Differences that the section is about, question by question."""
    value = scores.values[method, budget]
    if name == "turns" and {LATER, ANEW} <= set(scores.columns):
        one, other = (value[:, scores.columns.index(column)] for column in (LATER, ANEW))
        drop = _estimates(drawn, (one - other)[:, None], signed=True)[0]
        return {"against": ANEW, "gaps": {LATER: _told(drop)}}
    rival = names.twin(method, "grid", scores.methods) if RIVAL.get(name) == "grid" else None
    if rival is None or (rival, budget) not in scores.values:
        return {"against": None, "gaps": None}
    less = _estimates(drawn, value - scores.values[rival, budget], signed=True)
    gaps = [_told(one) for one in less]
    return {"against": rival, "gaps": dict(zip(scores.columns, gaps, strict=True))}


def _estimates(drawn: Draws, value: Any, signed: bool = False) -> Sequence[Estimate]:
    """Within the bounds that the numbers themselves show: not every measure ends at 1."""
    if not np.isfinite(value).all():
        raise ValueError("a section has questions without a score. Measure it again.")
    most = max(1.0, float(np.abs(value).max()))
    return drawn.estimates(value, -most if signed or value.min() < 0 else 0.0, most)


def _told(estimate: Estimate) -> list[float]:
    return [digits(estimate.mean), *map(digits, estimate.interval())]
