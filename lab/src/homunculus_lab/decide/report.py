# pyright: basic
"""The report of a decision as a list of blocks, from the verdict to the sources of every number."""

from collections.abc import Sequence
from typing import Any

from homunculus_lab.decide import names
from homunculus_lab.decide.blocks import (
    Bullets,
    Heading,
    Plots,
    ReportBlock,
    Table,
    Text,
    Verdict,
    format_difference,
    format_interval,
    format_p,
    format_points,
    format_score,
    join_code,
    join_words,
    plural,
)
from homunculus_lab.decide.calibration import calibration_blocks
from homunculus_lab.decide.decision import KEPT_TOKENS, NEW_TOKENS, shown_rows
from homunculus_lab.decide.headline import product_blocks
from homunculus_lab.decide.names import BASELINES, token
from homunculus_lab.decide.own import is_own, tries_first_claim
from homunculus_lab.decide.plot import ForestRow, Line, band_plot, forest_plot, pareto_plot
from homunculus_lab.decide.screen import first_screen

Saved = dict[str, Any]
"""The decision as `decision.decide` returns it, or a part of it."""
BOUND = 0.03
"""What the lowest tier requires; the dashed line of every forest plot."""
FIRST_CLAIM = (
    "Before there were views, the claim was about choosing cells of one picture: does a method "
    "that spends tokens unevenly (a pyramid, a fovea) beat `grid`, the K cells that are most "
    "relevant to the question? It is judged on the smallest tokens that were measured."
)
FOREST_SIZE = 8
"""Methods in one forest plot."""


def report_blocks(decision: Saved) -> list[ReportBlock]:
    """The whole report, in order; of what was not measured, nothing but a word."""
    rules = [] if is_own(decision) and not _known(decision) else product_blocks(decision)
    return [
        *first_screen(decision),
        *rules,
        *calibration_blocks(decision),
        *_claim_and_numbers(decision),
        *_sections(decision),
        Heading("Statistics and sources"),
        *_statistics(decision),
        *_sources(decision),
    ]


def _known(decision: Saved) -> bool:
    """Whether a suite of the test bench is among them."""
    return any(task["suite"] in names.LABELS for task in decision["tasks"])


def _claim_and_numbers(decision: Saved) -> list[ReportBlock]:
    """The first claim, where it was tried, and every number by set."""
    claim = tries_first_claim(decision)
    head: list[ReportBlock] = [Heading("All numbers")]
    if claim:
        head = [
            Heading(f"The first claim, all methods against the grid: {decision['decision']}"),
            Text(FIRST_CLAIM),
            Verdict(decision["decision"], decision["rule"]),
        ]
    if not decision["tasks"]:
        return [*head, *_tiers(decision)]
    if claim:
        head += [*_missing_controls(decision), *_summary(decision), *_tiers(decision)]
        head += _who_beats_whom(decision)
    return [
        *head,
        *_power(decision),
        *_tasks(decision),
        *(_quality_per_token(decision) if claim else []),
        *_heights(decision),
        *_changes(decision),
        *_ablations(decision),
    ]


def _rows_of(decision: Saved, task: Saved) -> list[Saved]:
    return [row for row in decision["rows"] if row["task"] == task["task"]]


def _competes(row: Saved) -> bool:
    return row["verdict"] not in ("control", "baseline", "variant")


def _leader(task: Saved, rows: Sequence[Saved]) -> Saved | None:
    """The method with the best mean at the budget that the report details."""
    methods = [row for row in rows if row["budget"] == task["focus"] and _competes(row)]
    return max(methods, key=lambda row: row["mean"], default=None)


def _by_side(parts: Sequence[Saved], key: str = "token") -> list[tuple[str, list[Saved]]]:
    """Tasks, or parts of a section, by whose tokens they count: the smallest first.

    Budgets of different tokens do not belong in one table.
    """
    sides = sorted({part[key] for part in parts}, key=lambda side: side or 0)
    return [(token(side), [part for part in parts if part[key] == side]) for side in sides]


def _all_budgets(tasks: Sequence[Saved]) -> list[int]:
    return sorted({budget for task in tasks for budget in task["budgets"]})


def _counted(text: str) -> str:
    """Whose tokens a table counts, as the last sentence of its caption."""
    return f" Counted in {text}." if text != token(None) else ""


def _budget_heads(budgets: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"{budget} tokens" for budget in budgets)


# ---- verdict, warnings, summary ------------------------------------------------------------------


def _missing_controls(decision: Saved) -> list[ReportBlock]:
    """Controls that were left out or are missing."""
    blocks: list[ReportBlock] = []
    for task in decision["tasks"]:
        if task["left_out"]:
            text = f"LEFT OUT on {task['task']}: {join_code(task['left_out'])}."
            blocks.append(Text(text, warning=True))
    by_missing: dict[tuple[str, ...], list[str]] = {}
    for task in decision["tasks"]:
        by_missing.setdefault(tuple(task["missing"]), []).append(task["task"])
    for missing, sets in by_missing.items():
        if missing:
            text = f"Controls not measured on {join_words(sets)}: {join_code(missing)}."
            blocks.append(Text(text, warning=True))
    return blocks


def _summary(decision: Saved) -> list[ReportBlock]:
    """One sentence for each task: its best method against the baselines."""
    sentences = []
    for task in decision["tasks"]:
        rows = _rows_of(decision, task)
        best = _leader(task, rows)
        if best is None:
            sentences.append(f"{task['task']}: only controls were measured.")
            continue
        ceiling = f"; the whole image gives {format_score(task['full'])}" if task["full"] else ""
        mean = format_interval(best["mean"], best["low"], best["high"])
        sentences.append(
            f"{task['task']}, {task['focus']} {token(task['token'])} "
            f"({plural(task['n'], 'question')}, {plural(task['images'], 'image')}): "
            f"{_rank(best, rows)}, {mean}{ceiling}. "
            f"{_against_baselines(best)} Verdict: {best['verdict']}."
        )
    note = (
        "Differences in points with 95 % intervals; significance is after Holm's correction over "
        "methods. Detectable: the smallest true difference that is found with 80 % power."
    )
    return [Heading("Summary", 3), Text(note), Bullets(tuple(sentences))]


def _rank(best: Saved, rows: Sequence[Saved]) -> str:
    methods = {row["method"] for row in rows if _competes(row)}
    if len(methods) == 1:
        return f"`{best['method']}` is the only method"
    return f"`{best['method']}` has the best mean of {len(methods)} methods"


def _against_baselines(row: Saved) -> str:
    """How a row compares with its four baselines."""
    groups: dict[str, list[str]] = {
        "Above": [], "Below": [], "Not significantly different from": [], "Not compared with": [],
    }  # fmt: skip
    for name in BASELINES:
        comparison = row[f"vs_{name}"]
        if comparison is None:
            groups["Not compared with"].append(f"`{name}`")
        elif "detectable" in comparison:
            detectable = f"detectable {100 * comparison['detectable']:.1f}"
            item = f"`{name}` ({format_difference(comparison)}, {detectable})"
            groups["Not significantly different from"].append(item)
        else:
            side = "Above" if comparison["estimate"] > 0 else "Below"
            groups[side].append(f"`{name}` by {format_difference(comparison)}")
    return " ".join(f"{side} {join_words(items)}." for side, items in groups.items() if items)


# ---- tiers ---------------------------------------------------------------------------------------

STATES = {
    "met": "**met**",
    "not supported": "shown, **not supported**",
    "open": "open: the interval reaches the bound",
    "refuted": "refuted: no interval reaches the bound",
}


def _tiers(decision: Saved) -> list[ReportBlock]:
    rows = []
    for claim in decision["tiers"]:
        state = STATES.get(claim["state"], f"not measured: {claim['missing']}")
        rows.append((str(claim["tier"]), claim["claim"], state, *_closest_trial(claim)))
    main = join_words([task["task"] for task in decision["tasks"] if task["main"]]) or "none"
    caption = (
        "The rules were fixed before measuring. A claim is met only if the interval, corrected for "
        "all trials of the claim, lies above its bound on every set, and the method beats "
        "`resize` and itself with another image's question (`shuffled`) there. "
        f"Sets that count: {main}."
    )
    head = ("tier", "claim", "state", "closest trial", "difference to grid", "corrected p")
    return [Heading("Tiers", 3), Table(head, tuple(rows), caption)]


def _closest_trial(claim: Saved) -> tuple[str, str, str]:
    best = claim["best"]
    if best is None:
        return ("–", "–", "–")
    sets = len(best["sets"])
    where = best["sets"][0]["task"] if sets == 1 else plural(sets, "set")
    trial = f"`{best['method']}` at {best['budget']}, {where}"
    if best["against_budget"] != best["budget"]:
        trial += f", against `{best['against']}` at {best['against_budget']}"
    if best["faults"]:
        trial += f" ({best['faults'][0]})"
    worst = min(best["sets"], key=lambda one: one["low"] - one["bound"])
    difference = f"{format_difference(worst)}, required {format_points(worst['bound'])}"
    return trial, difference, f"{format_p(best['p_holm'])} ({plural(claim['trials'], 'trial')})"


# ---- who beats whom, and with what power ---------------------------------------------------------

BASELINE_NOTES = {
    "resize": "The whole image, resized to K tokens.",
    "shuffled": "The same method with another image's question: a gain over it is due to the "
    "question.",
    "blind": "The same method with a scorer that does not get the question.",
    "grid": "The K most relevant cells: what a pyramid or a fovea must improve on.",
}


def _who_beats_whom(decision: Saved) -> list[ReportBlock]:
    """By baseline, set and budget."""
    caption = (
        "Number of methods that are significantly better (after correction), and the best "
        "difference in points with its interval. Where no method is: the smallest detectable "
        "difference (80 % power) in round brackets."
    )
    blocks: list[ReportBlock] = [Heading("Who beats whom", 3), Text(caption)]
    for name, note in BASELINE_NOTES.items():
        blocks.append(Heading(f"Who beats `{name}`", 4))
        for side, tasks in _by_side(decision["tasks"]):
            budgets = _all_budgets(tasks)
            rows = [
                (task["task"], *(_winners(decision, task, budget, name) for budget in budgets))
                for task in tasks
            ]
            head = ("set", *_budget_heads(budgets))
            blocks.append(Table(head, tuple(rows), note + _counted(side)))
    return blocks


def _winners(decision: Saved, task: Saved, budget: int, baseline: str) -> str:
    comparisons = [
        (row[f"vs_{baseline}"], row["method"])
        for row in _rows_of(decision, task)
        if row["budget"] == budget and _competes(row) and row[f"vs_{baseline}"]
    ]
    if not comparisons:
        return "–"
    significant = [one for one in comparisons if one[0]["p_holm"] <= 0.05]
    better = [one for one in significant if one[0]["estimate"] > 0]
    best, method = max(better or comparisons, key=lambda one: one[0]["estimate"])
    difference = f"`{method}` {format_difference(best)}"
    if better:
        return f"{len(better)} of {len(comparisons)}: {difference}"
    worse = f" ({len(significant)} lose)" if significant else ""
    detectable = f" ({100 * best['detectable']:.1f})" if "detectable" in best else ""
    return f"**0 of {len(comparisons)}**{worse}: {difference}{detectable}"


def _power(decision: Saved) -> list[ReportBlock]:
    rows: Sequence[tuple[str, ...]] = tuple(
        (
            one["task"],
            str(one["images"]),
            f"{100 * one['power']:.0f} %",
            f"{100 * one['detectable']:.1f}",
            f"{100 * (one['true'] + one['detectable']):.1f}",
            f"`{one['against']}`, {plural(one['pairs'], 'pair')}",
        )
        for one in decision["power"]
    )
    if not rows:
        return []
    true = f"{100 * decision['power'][0]['true']:g}"
    caption = (
        f"For the median comparison of each set: the power to find a true difference of {true} "
        "points, the smallest difference that is found with 80 % power, and the true difference at "
        f"which an interval lies above {true} points as often. A single test, before correction."
    )
    head = ("set", "images", f"power at +{true}", "detectable", f"to show +{true}", "against")
    return [Heading("Statistical power", 3), Table(head, tuple(rows), caption)]


# ---- set by set ----------------------------------------------------------------------------------

PLOT_NOTE = (
    "In plots of quality, up and to the left is better. A ring marks a row that no other row beats "
    "in both (Pareto-optimal); vertical bars are intervals."
)
FOREST_NOTE = (
    " The last plot shows the difference of each method to its baselines, with intervals; the "
    "dashed line is the difference to `grid` that tier 1 requires."
)


def _tasks(decision: Saved) -> list[ReportBlock]:
    note = PLOT_NOTE + (FOREST_NOTE if tries_first_claim(decision) else "")
    return [Heading("Set by set", 3), Text(note)] + [
        block for task in decision["tasks"] for block in _task(task, _rows_of(decision, task))
    ]


def _task(task: Saved, rows: list[Saved]) -> list[ReportBlock]:
    rows = [row for row in rows if row["verdict"] != "variant"]
    about = (
        f"{task['kind'].capitalize() if task['kind'] != 'unknown' else 'Unknown kind of images'}"
        f"; {task['measure']}, column `{task['column']}` ({task['measured_by']}); "
        f"{plural(task['n'], 'question')} on {plural(task['images'], 'image')}; "
        f"{token(task['token'])}."
        f"{'' if task['main'] else ' A further measurement: it counts for no tier.'}"
    )
    best = _leader(task, rows)
    shuffled = best["vs_shuffled"]["against"] if best and best["vs_shuffled"] else None
    order = _order(task, rows)
    pale = [name for name in order if _role(name, shuffled) == "control"]
    caption = f"Pale lines: {join_code(pale)}." if pale else ""
    return [
        Heading(f"{task['task']}, {token(task['token'])}" if task["token"] else task["task"], 4),
        Text(about),
        Plots(tuple(_plots(task, rows, order, shuffled)), caption),
        _means_table(task, rows, order),
        *_differences_table(task, rows, order),
    ]


def _order(task: Saved, rows: list[Saved]) -> list[str]:
    """Methods by their mean at the budget in focus, then controls as they come."""
    every = list(dict.fromkeys(row["method"] for row in rows))
    mean = {row["method"]: row["mean"] for row in rows if row["budget"] == task["focus"]}
    methods = list(dict.fromkeys(row["method"] for row in rows if _competes(row)))
    methods.sort(key=lambda name: -mean.get(name, 0.0))
    return methods + [name for name in every if name not in methods]


def _role(name: str, shuffled: str | None) -> str:
    """How a row is drawn; of the shuffled rows, the best method's stands out."""
    parsed = names.parse(name)
    if names.competes(name):
        return "method"
    if name == shuffled:
        return "shuffled"
    if parsed.method in ("resize", "oracle"):
        return parsed.method
    return "grid" if parsed == names.RowName("grid", "", names.SCOUT) else "control"


def _plots(task: Saved, rows: list[Saved], order: list[str], shuffled: str | None) -> list[str]:
    roles = {name: _role(name, shuffled) for name in order}
    plots = [
        _pareto(task, rows, roles, "budget", token(task["token"])),
        _pareto(task, rows, roles, "cost", "cost of a request, ratio"),
        _forest(task, rows, order),
    ]
    return [svg for svg in plots if svg]


def _pareto(task: Saved, rows: list[Saved], roles: dict[str, str], key: str, across: str) -> str:
    lines = []
    for name, role in roles.items():
        own = [row for row in rows if row["method"] == name and row[key]]
        own.sort(key=lambda row: row[key])
        points = tuple((float(r[key]), r["mean"], r["low"], r["high"]) for r in own)
        optimal = tuple(bool(r["front_tokens" if key == "budget" else "front_cost"]) for r in own)
        if points:
            lines.append(Line(name, points, optimal, role))
    if not lines:
        return ""
    costs = [x for line in lines for x, *_ in line.points]
    ticks = task["budgets"] if key == "budget" else _ticks(costs)
    title = f"Quality against {'tokens' if key == 'budget' else 'cost'}"
    return pareto_plot(lines, title, across, ticks, task["full"])


def _ticks(values: list[float]) -> list[float]:
    """A few round numbers over a logarithmic range."""
    low, high = min(values), max(values)
    middle = (low * high) ** 0.5
    return list(dict.fromkeys(float(f"{value:.2g}") for value in (low, middle, high)))


def _forest(task: Saved, rows: list[Saved], order: list[str]) -> str:
    by_method = {row["method"]: row for row in rows if row["budget"] == task["focus"]}
    methods = [name for name in order if names.competes(name) and name in by_method]
    forest = []
    for name in methods[:FOREST_SIZE]:
        pairs = [(at, by_method[name][f"vs_{base}"]) for at, base in enumerate(BASELINES)]
        marks = [(at, p["estimate"], p["low"], p["high"]) for at, p in pairs if p]
        if marks:
            forest.append(ForestRow(name, tuple(marks)))
    against_grid = any(at == BASELINES.index("grid") for row in forest for at, *_ in row.marks)
    title = f"Difference with {task['focus']} {token(task['token'])}"
    return forest_plot(forest, title, BASELINES, BOUND) if against_grid else ""


def _means_table(task: Saved, rows: list[Saved], order: list[str]) -> Table:
    by_cell = {(row["method"], row["budget"]): row for row in rows}
    body = []
    for name in order:
        cells = []
        for budget in task["budgets"]:
            row = by_cell.get((name, budget))
            mean = format_interval(row["mean"], row["low"], row["high"]) if row else "–"
            cells.append(f"**{mean}**" if row and row["front_tokens"] else mean)
        body.append((f"`{name}`", *cells))
    caption = "Mean and 95 % interval; bold: Pareto-optimal in quality against tokens."
    caption += _counted(token(task["token"]))
    return Table(("row", *_budget_heads(task["budgets"])), tuple(body), caption)


def _differences_table(task: Saved, rows: list[Saved], order: list[str]) -> list[Table]:
    """The methods at the budget in focus, and at which budgets they are supported."""
    supported: dict[str, list[str]] = {}
    for row in rows:
        if row["verdict"] == "supported":
            supported.setdefault(row["method"], []).append(str(row["budget"]))
    by_method = {r["method"]: r for r in rows if r["budget"] == task["focus"] and _competes(r)}
    bases = [one for one in BASELINES if any(row[f"vs_{one}"] for row in by_method.values())]
    judged = "grid" in bases
    body = []
    for name in [one for one in order if one in by_method]:
        row = by_method[name]
        verdict = (
            row["verdict"].removeprefix("not supported: "),
            ", ".join(supported.get(name, [])) or "–",
        )
        figures = (_significance(row[f"vs_{base}"]) for base in bases)
        body.append((f"`{name}`", *figures, *(verdict if judged else ())))
    if not bases:
        return []
    caption = (
        f"Differences in points with {task['focus']} {token(task['token'])}, paired by question. "
        "* significant after Holm's correction over methods; otherwise the smallest detectable "
        "difference (80 % power) in round brackets. – not measured."
    )
    head = ("method", *(f"vs {name}" for name in bases))
    head += ("verdict", "supported at") if judged else ()
    return [Table(head, tuple(body), caption)]


def _significance(comparison: Saved | None) -> str:
    """A difference, and a star or the smallest detectable difference."""
    if comparison is None:
        return "–"
    detectable = comparison.get("detectable")
    mark = "*" if detectable is None else f"({100 * detectable:.1f})"
    return f"{format_difference(comparison)} {mark}"


# ---- other views of the scores -------------------------------------------------------------------


def _quality_per_token(decision: Saved) -> list[ReportBlock]:
    """Score per hundred tokens of the best method and of `resize`."""
    caption = (
        "Score per hundred tokens: the best method, and `grid` / `resize` in round brackets. It "
        "falls with the budget wherever the first tokens are the best ones."
    )
    blocks: list[ReportBlock] = [Heading("Quality per token", 3)]
    for side, tasks in _by_side(decision["tasks"]):
        budgets = _all_budgets(tasks)
        body = tuple(
            (task["task"], *(_score_per_hundred(decision, task, budget) for budget in budgets))
            for task in tasks
        )
        head = ("set", *_budget_heads(budgets))
        blocks.append(Table(head, body, caption + _counted(side)))
    return blocks


def _score_per_hundred(decision: Saved, task: Saved, budget: int) -> str:
    rows = [row for row in _rows_of(decision, task) if row["budget"] == budget]
    methods = [row for row in rows if _competes(row)]
    if not methods:
        return "–"
    best = max(methods, key=lambda row: row["mean"])
    by_method = {row["method"]: row["per_100_tokens"] for row in rows}
    baselines = " / ".join(format_score(by_method.get(name)) for name in ("grid", "resize"))
    return f"`{best['method']}` {format_score(best['per_100_tokens'])} ({baselines})"


def _heights(decision: Saved) -> list[ReportBlock]:
    """By the text height of the answer."""
    rows = decision["heights"]
    if not rows:
        return []
    tokens = {task["task"]: token(task["token"]) for task in decision["tasks"]}
    plots = []
    for task in dict.fromkeys(row["task"] for row in rows):
        own = [row for row in rows if row["task"] == task]
        bands = [f"{row['band']} px ({row['n']})" for row in own]
        pairs = [(row["mean"], row["resize"]) for row in own]
        title = f"{task}, {own[0]['budget']} {tokens[task]}"
        plots.append(band_plot(bands, pairs, title, (own[0]["method"], "resize")))
    body = tuple(
        (
            row["task"], f"{row['budget']} {tokens[row['task']]}", f"`{row['method']}`",
            row["band"], str(row["n"]), str(row["images"]),
            format_score(row["mean"]), format_score(row["resize"]), format_difference(row),
        )
        for row in rows
    )  # fmt: skip
    head = ("set", "tokens", "method", "height, px", "questions", "images", "score", "resize")
    head = (*head, "difference")
    caption = (
        "The best method of each set against `resize`, by the height of the answer on the page "
        "as it was measured (`measure --side`: reduced to 1,024 pixels unless told otherwise); "
        "intervals are not corrected, and wide where a band has few images."
    )
    return [Heading("By text height", 3), Plots(tuple(plots)), Table(head, body, caption)]


def _changes(decision: Saved) -> list[ReportBlock]:
    """Single questions with the largest gains and losses."""
    if not decision["changes"]:
        return []
    blocks: list[ReportBlock] = [Heading("Wins and losses", 3)]
    tokens = {task["task"]: token(task["token"]) for task in decision["tasks"]}
    for one in decision["changes"]:
        text = (
            f"{one['task']}, {one['budget']} {tokens[one['task']]}: "
            f"`{one['method']}` scores higher than "
            f"`{one['against']}` on {plural(one['wins'], 'question')}, lower on {one['losses']} "
            f"and the same on {one['ties']}."
        )
        body = [("win", *_question(row)) for row in one["largest_gains"]]
        body += [("**loss**", *_question(row)) for row in one["largest_losses"]]
        head = ("", "question", "image", "height, px", f"{one['method']}", one["against"])
        caption = "The largest differences, by row of the suite; heights on the page as measured."
        blocks += [Text(text), Table(head, tuple(body), caption)]
    return blocks


def _question(row: Saved) -> tuple[str, ...]:
    height = f"{row['height']:g}" if row["height"] else "–"
    scores = format_score(row["score"]), format_score(row["other"])
    text = f"{row['row']}: {row['question']}" if row.get("question") else row["row"]
    return (text, row["image"], height, *scores)


def _ablations(decision: Saved) -> list[ReportBlock]:
    """Variants against the methods they vary."""
    rows = decision["ablations"]
    if not rows:
        return []
    significant = [row for row in rows if "detectable" not in row]
    better = sum(row["estimate"] > 0 for row in significant)
    total = plural(len(rows), "comparison")
    summary = (
        f"Significantly better in {better} of {total}, significantly worse in "
        f"{len(significant) - better}."
    )
    blocks: list[ReportBlock] = [Heading("Ablations", 3), Text(summary)]
    for side, tasks in _by_side(decision["tasks"]):
        sets = {task["task"] for task in tasks}
        own = [row for row in rows if row["task"] in sets]
        blocks += [_ablation_table(own, side)] if own else []
    return blocks


def _ablation_table(rows: list[Saved], side: str) -> Table:
    sets = list(dict.fromkeys(row["task"] for row in rows))
    cells = {
        (row["method"], row["against"], row["budget"], row["task"]): _significance(row)
        for row in rows
    }
    body = tuple(
        (f"`{one}`", f"`{base}`", str(budget), *(cells.get((*key, task), "–") for task in sets))
        for key in dict.fromkeys(key[:3] for key in cells)
        for one, base, budget in [key]
    )
    caption = (
        "Variant minus base, in points; * significant after correction over the variants of the "
        "set, otherwise the smallest detectable difference (80 % power) in round brackets."
    )
    return Table(("variant", "base", side, *sets), body, caption)


# ---- other sections of the runs ------------------------------------------------------------------

SECTION_TITLES = {
    "regions": "Target, secondary, periphery",
    "turns": "The second question",
    "gaze": "Human gaze",
    "coverage": "Coverage",
    "cost": "Cost",
}
NOT_MEASURED = {
    "regions": "whether keeping the most relevant cells starves the periphery",
    "turns": "what a second question loses on tokens chosen for the first",
    "gaze": "agreement with human gaze",
    "coverage": "the share of each image that is covered",
    "cost": "the cost of a request, without which no claim about speed can be met",
}
TURNS_CAPTION = (
    "Score of the second question on tokens chosen for the first → on tokens chosen for itself; in "
    "round brackets the difference, with its interval. The head of a column has the number of "
    "questions."
)
COVERAGE_CAPTION = (
    "Share of the image that the kept tokens cover, with its interval. The head of a column has "
    "the number of questions."
)


def _sections(decision: Saved) -> list[ReportBlock]:
    """What else the runs measured, and what they did not; nothing of a suite of one's own."""
    blocks: list[ReportBlock] = []
    absent = [name for name in SECTION_TITLES if not decision["sections"].get(name)]
    for name, title in SECTION_TITLES.items():
        if name in absent:
            continue
        parts = decision["sections"][name]
        blocks.append(Heading(title, 3))
        if name in ("turns", "coverage"):
            for side, own in _by_side(parts, "patch"):
                blocks += _table_over_sets(name, own, side)
        else:
            blocks += [block for part in parts for block in _section(name, part)]
    if absent and not is_own(decision):
        lacks = "; ".join(NOT_MEASURED[name] for name in absent)
        blocks.insert(0, Text(f"Not measured in these runs: {lacks}."))
    return [Heading("What else was measured"), *blocks] if blocks else []


def _section(name: str, part: Saved) -> list[ReportBlock]:
    """One table a set at one budget, without variants; the files of results have them all."""
    columns = [column for column in part["columns"] if column != "n"]
    rows = part["rows"]
    body = []
    for row in rows:
        gaps = row["gaps"] or {}
        cells = [_value(row["values"].get(column), gaps.get(column), column) for column in columns]
        body.append((f"`{row['method']}`", row["budget"], *cells))
    unit = f" Unit: {part['unit']}." if part.get("unit") else ""
    rivals = _rivals(rows)
    gap = f" In round brackets: the difference to {rivals}, with its interval." if rivals else ""
    questions = f", {plural(part['n'], 'question')}" if part.get("n") else ""
    caption = f"{_place(part)}{questions}.{unit}{gap}"
    table = Table(("row", token(part["patch"]), *columns), tuple(body), caption)
    sentence = _region_counts(part) if name == "regions" else ""
    return [Text(f"{_place(part)}: {sentence}"), table] if sentence else [table]


def _place(part: Saved) -> str:
    return "/".join(str(part[key]) for key in ("suite", "part") if part.get(key)) or part["file"]


def _rivals(rows: list[Saved]) -> str:
    return join_code(list(dict.fromkeys(row["against"] for row in rows if row["gaps"])))


def _value(value: Any, gap: Any, column: str) -> str:
    """A mean with its interval, or with its difference and the interval of that."""
    if value is None:
        return "–"
    if not isinstance(value, list):
        return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
    if "density" in column:
        return f"{value[0]:.2f}"
    if isinstance(gap, list):
        return f"{value[0]:.2f} ({_gap(gap)})".replace("-", "−")
    return f"{value[0]:.2f} [{value[1]:.2f}, {value[2]:.2f}]".replace("-", "−")


def _gap(gap: Sequence[float]) -> str:
    return f"{gap[0]:+.2f} [{gap[1]:+.2f}, {gap[2]:+.2f}]".replace("-", "−")


def _sides(intervals: Sequence[Sequence[float]]) -> tuple[int, int, int]:
    """How many intervals lie above 0, below 0, and across it."""
    above, below = sum(one[1] > 0 for one in intervals), sum(one[2] < 0 for one in intervals)
    return above, below, len(intervals) - above - below


def _region_counts(part: Saved) -> str:
    """How many rows gain or lose in each region, by interval."""
    rows = [row for row in part["rows"] if row["gaps"]]
    if not rows:
        return ""
    counts = []
    for column in [column for column in rows[0]["gaps"] if "density" not in column]:
        above, below, undecided = _sides([r["gaps"][column] for r in rows if column in r["gaps"]])
        counts.append(f"`{column}`: {above} above, {below} below, {undecided} open")
    total = plural(len(rows), "row")
    return f"by interval, of {total} against {_rivals(rows)}: {join_words(counts)}."


def _table_over_sets(name: str, parts: list[Saved], side: str) -> list[ReportBlock]:
    """One table over all sets: short sections are easier to compare than to read one by one."""
    turns = name == "turns"
    methods: dict[tuple[str, str], None] = {}
    columns = []
    for part in parts:
        rows = shown_rows(part) if turns else part["rows"]
        cells = {(r["method"], r["budget"]): _turns(r) if turns else _coverage(r) for r in rows}
        methods |= dict.fromkeys(cells)
        unit = f" {part['unit']}" if part.get("unit") else ""
        questions = f" ({part['n']})" if part.get("n") else ""
        columns.append((f"{_place(part)}{unit}{questions}", cells))
    head = ("row", side, *(title for title, _ in columns))
    body = tuple(
        (f"`{row}`", budget, *(cells.get((row, budget), "–") for _, cells in columns))
        for row, budget in methods
    )
    table = Table(head, body, TURNS_CAPTION if turns else COVERAGE_CAPTION)
    return [Text(_turn_counts(parts)), table] if turns else [table]


def _turns(row: Saved) -> str:
    values, gap = row["values"], (row["gaps"] or {}).get(KEPT_TOKENS)
    if KEPT_TOKENS not in values or NEW_TOKENS not in values:
        return "–"
    scores = f"{values[KEPT_TOKENS][0]:.2f} → {values[NEW_TOKENS][0]:.2f}"
    return f"{scores} ({_gap(gap)})" if gap else scores


def _turn_counts(parts: list[Saved]) -> str:
    rows = [row for part in parts for row in part["rows"] if row["gaps"]]
    gaps = [gap for row in rows if (gap := row["gaps"].get(KEPT_TOKENS))]
    better, worse, undecided = _sides(gaps)
    return (
        f"By interval, keeping the first question's tokens is worse in {worse} of "
        f"{plural(len(gaps), 'comparison')}, better in {better} and open in {undecided}."
    )


def _coverage(row: Saved) -> str:
    first = next(iter(row["values"].values()), None)
    return _value(first, None, "")


# ---- statistics and sources ----------------------------------------------------------------------


def _statistics(decision: Saved) -> list[ReportBlock]:
    level = f"{100 * (1 - decision['level']):g} %"
    claim, own = tries_first_claim(decision), is_own(decision)
    items = [
        "Differences are paired by question, then averaged.",
        f"Intervals ({level}) come from {decision['draws']:,} bootstrap resamples of whole "
        "images, each divided by its own standard error (studentised bootstrap clustered "
        f"by image, seed {decision['seed']}). Where fewer than six images differ, images "
        "are counted instead (Clopper and Pearson; sign test), and everywhere that count "
        "bounds the interval. `homunculus measure` prints the same ones.",
        "p-values come from the same resamples, two-sided, with Holm's correction over the "
        "methods of a set and budget" + (CLAIM_STATISTICS if claim else "."),
    ]
    items += [SAVED_STATISTICS] if any(map(decision["sections"].get, TABLES)) else []
    items += [] if own else [PRODUCT_STATISTICS]
    items += [
        "`resize` shrinks the whole image to K tokens, `blind` is the same method with a scorer "
        "that does not get the question, `shuffled` the same method with another image's question"
        + (", `grid` keeps the K most relevant cells." if claim else "."),
    ]
    bound = f"A bound of {format_points(BOUND)} is met when the low end of the interval lies above "
    items += [f"{bound}it. The mean alone decides nothing."] if claim else []
    return [Heading("Statistics", 3), Bullets(tuple(items))]


TABLES = ("regions", "coverage", "gaze")
"""Sections that a run saves with their intervals."""
CLAIM_STATISTICS = (
    "; the claims of a tier are corrected over all their trials: methods, budgets and sets."
)
SAVED_STATISTICS = (
    "Regions, coverage and gaze have the intervals that their runs saved. Older runs "
    "saved percentiles of the same resampling, which are narrower on few images."
)
PRODUCT_STATISTICS = (
    "The rules for the product: a loss is looked for with Holm's correction over the sets at one "
    "budget, a gain is claimed with the correction over all sets and budgets of the rule. Pooled "
    "differences give every set the same weight and resample each set by itself; where images are "
    "counted, every set counts as many as the smallest has."
)


def _sources(decision: Saved) -> list[ReportBlock]:
    """The file, commit, hardware and command behind every set."""
    body = tuple(
        (
            task["task"],
            task["origin"]["file"],
            str(task["origin"]["commit"] or "–"),
            str(task["origin"]["hardware"] or "–"),
            f"`{task['origin']['command']}`" if task["origin"]["command"] else "–",
        )
        for task in decision["tasks"]
    )
    blocks: list[ReportBlock] = [
        Heading("Sources", 3),
        Table(("set", "file", "commit", "hardware", "command"), body),
    ]
    if decision["skipped"]:
        reasons = "; ".join(f"{suite}: {reason}" for suite, reason in decision["skipped"].items())
        blocks.append(Text(f"Suites that could not be measured: {reasons}."))
    if decision["without"]:
        text = f"Left out on request, replaced by a later file: {join_code(decision['without'])}."
        blocks.append(Text(text))
    if decision["aside"]:
        blocks.append(Text(f"Skipped, not results of `measure`: {join_words(decision['aside'])}."))
    return blocks
