# pyright: basic
"""From results to a decision: the dictionary that is saved as JSON and the report is made of."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from homunculus_lab.decide import names
from homunculus_lab.decide.calibration import calibration
from homunculus_lab.decide.compare import EFFECT, Cell, compare, round_number
from homunculus_lab.decide.product import (
    judge_product,
    measured_by,
    product_outcome,
    question_controls,
)
from homunculus_lab.decide.read import Results, Scores, Task, read_scores
from homunculus_lab.decide.rule import ClaimResult, Costs, Trial, judge, most_images, outcome, tier
from homunculus_lab.decide.slices import (
    ablations,
    by_height,
    default_budget,
    focus_budget,
    pareto_fronts,
    wins_and_losses,
)
from homunculus_lab.stats import DRAWS, LEVEL, MIN_IMAGES, Bootstrap, Estimate, bounds

np: Any = import_module("numpy")

RIVAL = {"regions": "grid", "gaze": "centre"}
"""The row that the rows of a section are compared with."""
LARGE = ("regions", "coverage", "cost")
"""Sections of which only the rows that the report shows are saved; the results have all of them."""
KEPT_TOKENS, NEW_TOKENS = "second", "again"
"""Columns of `turns`: the second question on tokens chosen for the first, and for itself."""


def decide(results: Results, draws: int = DRAWS, seed: int = 0) -> dict[str, Any]:
    """The decision, the rule that led to it, and every number behind it."""
    cells = compare(results.tasks, draws, seed)
    claims = judge(cells, results, draws, seed)
    fronts = pareto_fronts(cells, Costs(results.sections["cost"]))
    rules = judge_product(results.tasks, draws, seed)
    return {
        "product": product_outcome(rules),
        **{name: rule.to_dict() for name, rule in rules.items()},
        "controls": question_controls(results.tasks, draws, seed),
        "decision": outcome(claims),
        "tier": tier(claims),
        "rule": explain(claims),
        "tiers": [_claim(one) for one in claims],
        "power": _power(cells),
        "level": LEVEL,
        "draws": draws,
        "seed": seed,
        "files": list(results.files),
        "without": list(results.without),
        "tasks": [_task(task) for task in results.tasks],
        "aside": list(results.ignored),
        "skipped": results.skipped,
        "rows": [cell.to_dict() | fronts[at] for at, cell in enumerate(cells)],
        "heights": by_height(cells, draws, seed),
        "changes": wins_and_losses(cells),
        "ablations": ablations(results.tasks, draws, seed),
        "calibration": calibration(results.tasks, draws, seed),
        "sections": _sections(results, draws, seed),
    }


# ---- the rule in words ---------------------------------------------------------------------------


def explain(claims: Sequence[ClaimResult]) -> str:
    """The highest claim that is met, or why the lowest tier is not reached.

    Where nothing could be decided: why, and what to measure.
    """
    highest = tier(claims)
    for one in claims:
        if highest and one.state == "met" and one.claim.tier == highest:
            return f"Tier {highest}: {one.claim.text}. {_best_trial(one)}"
    lowest = [one for one in claims if one.claim.tier == 1]
    if outcome(claims) == "UNDECIDED":
        return _undecided(lowest)
    states = "; ".join(f'"{one.claim.text}" is {_state(one)}' for one in lowest)
    return f"Tier 1 is not reached: {states}."


def _undecided(lowest: Sequence[ClaimResult]) -> str:
    """Why the results decide nothing, and what to measure."""
    if few := [one.missing for one in lowest if one.few_draws]:
        return f"Nothing could be decided: {few[0]}."
    if images := most_images(lowest):
        return (
            f"Too few images to decide: {images}, and fewer than {MIN_IMAGES} can show no "
            "difference. Measure more questions: `homunculus measure` without --quick, with a "
            "larger --limit."
        )
    return (
        f"Nothing could be decided: {lowest[0].missing}. "
        "Measure every method with all its controls: `homunculus measure SUITES --methods all`."
    )


def _best_trial(claim: ClaimResult) -> str:
    """The trial that meets a claim best, and how many trials do."""
    trial = claim.best
    if trial is None:
        return ""
    met = sum(other.shown and not other.faults for other in claim.trials)
    worst = min(trial.sets, key=lambda one: one.estimate.interval()[0] - one.bound)
    low, high = (100 * end for end in worst.estimate.interval())
    return (
        f"`{worst.cell.method}` with {worst.cell.budget} tokens on {worst.cell.task.name}: "
        f"{100 * worst.estimate.mean:+.1f} points, 95 % interval {low:+.1f} to {high:+.1f}, "
        f"p {trial.p_holm:.2g} after correction; met in {met} of {len(claim.trials)} trials."
    )


def _state(claim: ClaimResult) -> str:
    return f"not measured ({claim.missing})" if claim.missing else claim.state


# ---- claims, tasks and power as they are saved ---------------------------------------------------


def _claim(one: ClaimResult) -> dict[str, Any]:
    return {
        "tier": one.claim.tier,
        "claim": one.claim.text,
        "state": one.state,
        "missing": one.missing or None,
        "trials": len(one.trials),
        "shown": sum(trial.shown for trial in one.trials),
        "shown_and_supported": sum(trial.shown and not trial.faults for trial in one.trials),
        "possible": sum(trial.possible for trial in one.trials),
        "best": _trial(one.best) if one.best else None,
    }


def _trial(trial: Trial) -> dict[str, Any]:
    first = trial.sets[0]
    sets = []
    for one in trial.sets:
        mean, low, high = _rounded_interval(one.estimate)
        sets.append(
            {
                "task": one.cell.task.name, "bound": one.bound,
                "estimate": mean, "low": low, "high": high,
            }
        )  # fmt: skip
    return {
        "method": first.cell.method, "budget": first.cell.budget, "against": first.against[0],
        "against_budget": first.against[1], "p": round_number(trial.p),
        "p_holm": round_number(trial.p_holm), "faults": trial.faults, "sets": sets,
    }  # fmt: skip


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
        "missing": [one for one in missing if one not in task.left_out],
        "origin": task.origin,
    }  # fmt: skip


def _power(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """The power of each task, for the median comparison of its methods with the grid.

    Where there is no grid, `resize` stands in, and is named.
    """
    rows = []
    for task in dict.fromkeys(cell.task for cell in cells):
        comparisons = [
            one
            for cell in cells
            if cell.task is task and cell.competes
            if (one := cell.comparisons["grid"] or cell.comparisons["resize"])
        ]
        if not comparisons:
            continue
        comparisons.sort(key=lambda one: one.estimate.detectable())
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


# ---- other sections of a run ---------------------------------------------------------------------


def _sections(results: Results, draws: int, seed: int) -> dict[str, list[dict[str, Any]]]:
    """Every section that a run has, by name."""
    return {
        name: [_section(name, part, draws, seed) for part in parts]
        for name, parts in results.sections.items()
        if parts
    }


def _section(name: str, part: dict[str, Any], draws: int, seed: int) -> dict[str, Any]:
    """Rows with mean and interval by column; computed here where single questions are at hand."""
    head = {key: part.get(key) for key in ("suite", "part", "file", "patch", "unit", "n", "images")}
    if part.get("table"):
        rows = _rows_of_table(name, part)
    elif part.get("rows") and part.get("columns"):
        rows = _rows_of_questions(name, part, draws, seed)
    else:
        raise ValueError(f"{part['file']}: section {name} has neither `rows` nor `table`.")
    columns = list(dict.fromkeys(column for row in rows for column in row["values"]))
    whole = head | {"columns": columns, "rows": rows}
    return whole | {"rows": shown_rows(whole)} if name in LARGE else whole


def shown_rows(part: dict[str, Any]) -> list[dict[str, Any]]:
    """Methods and plain controls at one budget: a report has no room for every row of a file."""
    rows, default = part["rows"], str(default_budget(part["patch"]))
    budgets = {row["budget"] for row in rows}
    shown = []
    for row in rows:
        parsed = names.parse(row["method"])
        control = parsed.scorer in names.CONTROL_SCORERS and parsed.method not in names.SIMPLE
        in_focus = row["budget"] in (default, "all") or default not in budgets
        if in_focus and not parsed.variant and not control and "mix" not in parsed.scorer:
            shown.append(row)
    return shown


def _rows_of_table(name: str, part: dict[str, Any]) -> list[dict[str, Any]]:
    rival = RIVAL.get(name)
    rows = []
    for method, by_budget in part["table"].items():
        for budget, cell in by_budget.items():
            values = {str(k): v for k, v in cell.items() if isinstance(v, list | int | float)}
            gaps = (part.get("paired") or {}).get(f"{method} - {rival}", {}).get(budget)
            rows.append(
                {
                    "method": method, "budget": str(budget), "values": values,
                    "against": rival if gaps else None, "gaps": gaps,
                }
            )  # fmt: skip
    return rows


def _rows_of_questions(
    name: str, part: dict[str, Any], draws: int, seed: int
) -> list[dict[str, Any]]:
    scores = read_scores(part, f"{part['file']}, {name}")
    bootstrap = Bootstrap(scores.image, draws, seed)
    rows = []
    for (method, budget), value in scores.values.items():
        means = [_rounded_interval(one) for one in _estimates(bootstrap, value)]
        row: dict[str, Any] = {"method": method, "budget": str(budget or "all")}
        row["values"] = dict(zip(scores.columns, means, strict=True))
        rows.append(row | _gaps(name, scores, bootstrap, method, budget))
    return rows


def _gaps(
    name: str, scores: Scores, bootstrap: Bootstrap, method: str, budget: int
) -> dict[str, Any]:
    """The differences that a section is about, paired by question."""
    value = scores.values[method, budget]
    if name == "turns" and {KEPT_TOKENS, NEW_TOKENS} <= set(scores.columns):
        columns = (KEPT_TOKENS, NEW_TOKENS)
        kept, new = (value[:, scores.columns.index(column)] for column in columns)
        drop = _estimates(bootstrap, (kept - new)[:, None], signed=True)[0]
        return {"against": NEW_TOKENS, "gaps": {KEPT_TOKENS: _rounded_interval(drop)}}
    rival = (
        names.baseline_row(method, "grid", scores.methods) if RIVAL.get(name) == "grid" else None
    )
    if rival is None or (rival, budget) not in scores.values:
        return {"against": None, "gaps": None}
    estimates = _estimates(bootstrap, value - scores.values[rival, budget], signed=True)
    gaps = [_rounded_interval(one) for one in estimates]
    return {"against": rival, "gaps": dict(zip(scores.columns, gaps, strict=True))}


def _estimates(bootstrap: Bootstrap, value: Any, signed: bool = False) -> Sequence[Estimate]:
    """Of every column; each question must have a score."""
    if not np.isfinite(value).all():
        raise ValueError("a section has questions without a score. Measure it again.")
    return bootstrap.estimates(value, *bounds(value, signed))


def _rounded_interval(estimate: Estimate) -> list[float]:
    """Mean, low and high."""
    return [round_number(estimate.mean), *map(round_number, estimate.interval())]
