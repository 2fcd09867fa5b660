# pyright: basic
"""From results to a decision: one plain dictionary, which is saved, and from which all is told."""

from collections.abc import Sequence
from typing import Any

from homunculus.lab.decide import names
from homunculus.lab.decide.compare import TRUE, Cell, cells, digits
from homunculus.lab.decide.read import Results, Scores, Task, scored
from homunculus.lab.decide.rule import Costs, Judged, Trial, decision, judge, most_images, tier
from homunculus.lab.decide.slices import ablations, changes, focus, fronts, heights
from homunculus.lab.decide.stats import FEW, LEVEL, Draws, Estimate
from homunculus.lazy import need

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


DRAWS = 9999


def decided(results: Results, draws: int = DRAWS, seed: int = 0) -> dict[str, Any]:
    """The decision, the rule that fired, and every number behind it."""
    found = cells(results.tasks, draws, seed)
    judged = judge(found, results, draws, seed)
    reached = tier(judged)
    place = fronts(found, Costs(results.sections["cost"]))
    return {
        "decision": decision(judged),
        "tier": reached,
        "rule": rule(judged),
        "tiers": [_judged(one) for one in judged],
        "power": _power(found),
        "level": LEVEL,
        "draws": draws,
        "seed": seed,
        "tasks": [_task(task) for task in results.tasks],
        "aside": list(results.aside),
        "skipped": results.skipped,
        "rows": [cell.told() | place[at] for at, cell in enumerate(found)],
        "heights": heights(found, draws, seed),
        "changes": changes(found),
        "ablations": ablations(results.tasks, draws, seed),
        "sections": sections(results, draws, seed),
    }


def rule(judged: Sequence[Judged]) -> str:
    """What decided: the highest claim that is met, or why the lowest tier is not.

    Where nothing could be decided: why, and what to measure.
    """
    reached = tier(judged)
    for one in judged:
        if reached and one.state == "met" and one.claim.tier == reached:
            return f"Tier {reached}: {one.claim.told}. {_shown(one)}"
    first = [one for one in judged if one.claim.tier == 1]
    if decision(judged) == "UNDECIDED":
        return _undecided(first)
    told = "; ".join(f'"{one.claim.told}" is {_state(one)}' for one in first)
    return f"Tier 1 is not reached: {told}."


def _undecided(first: Sequence[Judged]) -> str:
    """Why the results decide nothing, and what to measure."""
    if few := [one.missing for one in first if one.few_draws]:
        return f"Nothing could be decided: {few[0]}."
    if images := most_images(first):
        return (
            f"Too few images to decide: {images}, and fewer than {FEW} can show no difference. "
            "Measure more questions: `homunculus measure` without --quick, with a larger --limit."
        )
    return (
        f"Nothing could be decided: {first[0].missing}. "
        "Measure every method with all its controls: `homunculus measure SUITES --methods all`."
    )


def _shown(one: Judged) -> str:
    """By whom a claim is met, and how often it is not."""
    trial = one.best
    if trial is None:
        return ""
    good = sum(other.shown and not other.faults for other in one.trials)
    part = min(trial.parts, key=lambda each: each.estimate.interval()[0] - each.bound)
    low, high = (100 * end for end in part.estimate.interval())
    return (
        f"`{part.cell.method}` with {part.cell.budget} tokens on {part.cell.task.name}: "
        f"{100 * part.estimate.mean:+.1f} points, 95 % interval {low:+.1f} to {high:+.1f}, "
        f"p {trial.p_holm:.2g} after correction; met in {good} of {len(one.trials)} trials."
    )


def _state(one: Judged) -> str:
    return f"not measured ({one.missing})" if one.missing else one.state


def _judged(one: Judged) -> dict[str, Any]:
    best = one.best
    return {
        "tier": one.claim.tier,
        "claim": one.claim.told,
        "state": one.state,
        "missing": one.missing or None,
        "trials": len(one.trials),
        "shown": sum(trial.shown for trial in one.trials),
        "shown_and_supported": sum(trial.shown and not trial.faults for trial in one.trials),
        "possible": sum(trial.possible for trial in one.trials),
        "best": _trial(best) if best else None,
    }


def _trial(trial: Trial) -> dict[str, Any]:
    first = trial.parts[0]
    sets = []
    for part in trial.parts:
        low, high = part.estimate.interval()
        sets.append(
            {
                "task": part.cell.task.name, "bound": part.bound,
                "estimate": digits(part.estimate.mean), "low": digits(low), "high": digits(high),
            }
        )  # fmt: skip
    return {
        "method": first.cell.method, "budget": first.cell.budget, "against": first.against[0],
        "against_budget": first.against[1], "p": digits(trial.p), "p_holm": digits(trial.p_holm),
        "faults": trial.faults, "sets": sets,
    }  # fmt: skip


def _power(found: Sequence[Cell]) -> list[dict[str, Any]]:
    """What each task could see, for the middle one of its methods, compared with its grid.

    Where there is no grid, `resize` stands in, and is named.
    """
    told = []
    for task in dict.fromkeys(cell.task for cell in found):
        here = [cell for cell in found if cell.task is task and cell.competes]
        pairs = [pair for cell in here if (pair := cell.pairs["grid"] or cell.pairs["resize"])]
        if not pairs:
            continue
        hard = [(pair.estimate.power(TRUE), pair.estimate.detectable(), pair) for pair in pairs]
        middle = sorted(hard, key=lambda one: one[1])[len(hard) // 2]
        told.append(
            {
                "task": task.name, "true": TRUE, "power": digits(middle[0]),
                "detectable": digits(middle[1]), "against": middle[2].against,
                "pairs": len(hard), "images": task.images,
            }
        )  # fmt: skip
    return told


def _task(task: Task) -> dict[str, Any]:
    full = task.scores.values.get((names.FULL, 0))
    at = task.scores.columns.index(task.column)
    return {
        "task": task.name, "suite": task.suite, "part": task.part, "kind": task.kind,
        "main": task.main, "measure": task.measure, "column": task.column,
        "n": len(task.scores.image), "images": task.images,
        "budgets": task.scores.budgets, "focus": focus(task),
        "full": None if full is None else digits(float(full[:, at].mean())),
        "left_out": list(task.left_out),
        "missing": [one for one in names.absent(task.scores.methods) if one not in task.left_out],
        "origin": task.origin,
    }  # fmt: skip
