# pyright: basic
"""The report: tables and plots of a decision, filled into the templates beside this file."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import jinja2
from markupsafe import Markup

from homunculus_lab import row_names as names
from homunculus_lab.decide import numbers
from homunculus_lab.decide.answer import (
    CONTROLS,
    Answer,
    Saved,
    Scope,
    answer,
    differences,
    scope,
    tries_first_claim,
)
from homunculus_lab.decide.numbers import format_difference, format_interval, format_score, plural
from homunculus_lab.decide.product import BOUND, RULES
from homunculus_lab.plot import BLUE, INK, ORANGE, PINK, Line, score_plot
from homunculus_lab.row_names import BASELINES
from homunculus_lab.stats import INTERVALS

TITLE = "Homunculus: the decision"
MARKS = {"above": "▲", "below": "▼", "open": "○"}
CONTROL_COLOURS = {"blind": (PINK, "5 2"), "shuffled": (ORANGE, "2 2")}


@dataclass(frozen=True)
class Table:
    """Rows of text under a head; the caption stands above it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""


@dataclass(frozen=True)
class SetDetails:
    """All numbers of one set."""

    task: Saved
    means: Table
    differences: Table | None


@dataclass(frozen=True)
class Report:
    """What the templates show; plain lists of numbers they take from the decision itself."""

    title: str
    decision: Saved
    own: bool
    """Whether it answers for a suite of one's own, not by the rules."""
    first_claim: bool
    answer: Answer
    panels: tuple[str, ...]
    """Plots, as SVG."""
    gains: Table
    scores: Table
    rules: tuple[tuple[str, Saved, Table], ...]
    """Name, numbers and table of each rule; none for a suite of one's own."""
    calibration: Table
    sets: tuple[SetDetails, ...]


def html(decision: Saved) -> str:
    """One HTML file: style and plots inside, nothing to download."""
    return _render("report.html.j2", decision)


def markdown(decision: Saved) -> str:
    """One screen: the verdict, two tables, the rules and what was not seen."""
    return _render("report.md.j2", decision)


def summary(decision: Saved, outputs: Iterable[Any]) -> str:
    """What the terminal shows."""
    return _render("summary.txt.j2", decision, outputs=[str(path) for path in outputs]).rstrip()


def _render(template: str, decision: Saved, **more: Any) -> str:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__ or ""),
        autoescape=jinja2.select_autoescape(["html.j2"]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {
        "inline": lambda text: Markup(_inline(str(text))),
        "cell": lambda text: " ".join(str(text).split()).replace("|", "\\|"),
        "score": format_score, "points": numbers.format_points, "gap": format_difference,
        "p": numbers.format_p, "words": numbers.join_words, "code": numbers.join_code,
        "plural": plural, "token": names.token,
    }  # fmt: skip
    environment.filters.update(filters)
    return environment.get_template(template).render(report=report(decision), **more)


def _inline(text: str) -> str:
    """Backticks and double stars as tags, after everything else is escaped."""
    safe = re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", safe)


def report(decision: Saved) -> Report:
    """Everything that the templates need."""
    about = scope(decision)
    return Report(
        title=TITLE,
        decision=decision,
        own=about.own,
        first_claim=tries_first_claim(decision),
        answer=answer(decision, about),
        panels=tuple(_panel(decision, about, entry) for entry in about.sets),
        gains=_gains(decision, about),
        scores=_scores(decision, about),
        rules=() if about.own else tuple(_rule(rule.name, decision) for rule in RULES),
        calibration=_calibration(decision["calibration"]["sets"]),
        sets=tuple(_set_details(decision, task) for task in decision["tasks"]),
    )


def _heads(budgets: Iterable[int]) -> tuple[str, ...]:
    return tuple(f"{budget} tokens" for budget in budgets)


# ---- the first screen ----------------------------------------------------------------------------


def _rows(decision: Saved, task: str, row: str) -> list[Saved]:
    """A row at every budget, whatever spelling the file uses."""
    name = names.parse(row)
    own = (cell for cell in decision["rows"] if cell["task"] == task and cell["budget"])
    return [cell for cell in own if names.parse(cell["method"]) == name]


def _control(row: str, scorer: str) -> str:
    name = names.parse(row)
    return f"{name.method}{name.variant and '@'}{name.variant}+{scorer}"


def _panel(decision: Saved, about: Scope, entry: Saved) -> str:
    """Scores of the method, its controls and `resize` against tokens."""
    cells = [cell for (name, _), cell in about.cells.items() if name == entry["set"]]
    sure = frozenset(cell["budget"] for cell in cells if cell["side"] != "open")
    task = entry["set"]
    lines = [Line("resize", _rows(decision, task, "resize"), INK)]
    for scorer, (colour, dashes) in CONTROL_COLOURS.items():
        rows = _rows(decision, task, _control(about.row, scorer))
        lines.append(Line(scorer, rows, colour, dashes))
    lines.append(Line(about.row, _rows(decision, task, about.row), BLUE, sure=sure))
    (full,) = (own["full"] for own in decision["tasks"] if own["task"] == task)
    return score_plot(entry["label"], lines, full)


def _scores(decision: Saved, about: Scope) -> Table:
    """The scores of the plots as a table, for Markdown."""
    sets = [entry["set"] for entry in about.sets]
    rows = ["resize", about.row, *(_control(about.row, scorer) for scorer in CONTROLS)]
    rows = [row for row in rows if any(_rows(decision, name, row) for name in sets)]
    body = []
    for entry in about.sets:
        own = [_rows(decision, entry["set"], row) for row in rows]
        by_row = [{cell["budget"]: cell["mean"] for cell in cells} for cells in own]
        cells = (
            " / ".join(format_score(means.get(budget)) for means in by_row)
            for budget in about.budgets
        )
        body.append((entry["label"], *cells))
    caption = f"Scores of {' / '.join(f'`{row}`' for row in rows)}."
    return Table(("set", *_heads(about.budgets)), tuple(body), caption)


def _gains(decision: Saved, about: Scope) -> Table:
    """The method less `resize` and less its own controls, by set and budget."""

    def cells(pairs: dict[int, Saved]) -> tuple[str, ...]:
        return tuple(_marked(pairs[budget]) if budget in pairs else "–" for budget in about.budgets)

    body = []
    for entry in about.sets:
        own = {budget: cell for (name, budget), cell in about.cells.items() if name == entry["set"]}
        body.append((entry["label"], f"{entry['n']} ({entry['images']})", *cells(own)))
    if not about.own and about.sets:
        pooled = {pair["budget"]: pair for pair in decision["P1"]["pooled"] if pair["complete"]}
        body.append(("**all sets, equal weight**", plural(len(body), "set"), *cells(pooled)))
    for scorer, words in CONTROLS.items():
        label = f"minus `{about.row}` {words}"
        if about.own:
            pairs = differences(decision, about.row, scorer)
            for task in dict.fromkeys(name for name, _ in pairs):
                own = {budget: cell for (name, budget), cell in pairs.items() if name == task}
                body.append((f"{task}: {label}", "", *cells(own)))
        else:
            pooled = {p["budget"]: p for p in decision["controls"] if p["against"] == scorer}
            body += [(f"**{label}**", "", *cells(pooled))] if pooled else []
    caption = (
        f"`{about.row}` minus `resize` with as many tokens, in points, with {INTERVALS}. ▲ surely "
        "better, ▼ surely worse, ○ no difference shown."
    )
    return Table(("set", "questions (images)", *_heads(about.budgets)), tuple(body), caption)


def _marked(pair: Saved) -> str:
    mark = f"{MARKS[pair['side']]} " if "side" in pair else ""
    return mark + format_difference(pair, 0)


# ---- the rules -----------------------------------------------------------------------------------


def _rule(name: str, decision: Saved) -> tuple[str, Saved, Table]:
    """Sets by budgets; the pooled difference first, losses bold."""
    rule = decision[name]
    trials = rule["by_set"]
    budgets = dict.fromkeys((pair["budget"], pair["against_budget"]) for pair in trials)
    body = []

    def add(label: str, readers: str, count: str, pairs: dict[int, str]) -> None:
        body.append((label, readers, count, *(pairs.get(budget, "–") for budget, _ in budgets)))

    if rule["pooled"]:
        label = f"pooled, required above {numbers.format_points(BOUND)}"
        pooled = {pair["budget"]: _pooled(pair) for pair in rule["pooled"]}
        add(label, "as each set", plural(len(rule["sets"]), "set"), pooled)
    for entry in rule["sets"]:
        pairs = {pair["budget"]: _sure(pair) for pair in trials if pair["set"] == entry["set"]}
        count = f"{entry['n']:,}, {entry['images']:,}"
        add(f"{entry['label']}: {entry['set']}", entry["measured_by"], count, pairs)
    if beside := rule["with_charts"]:
        pair = {beside["budget"]: format_difference(beside)}
        add("with charts (does not count)", "as each set", plural(len(beside["sets"]), "set"), pair)
    heads = tuple(str(own) if own == other else f"{own} against {other}" for own, other in budgets)
    rival = trials[0]["against"] if trials else "resize"
    caption = (
        f"`views` minus `{rival}`, in points, by {names.token(rule['token'])}. * surely different "
        "from 0, after Holm's correction; losses are bold."
    )
    head = ("set", "measured by", "questions, images", *heads)
    return name, rule, Table(head, tuple(body), caption)


def _pooled(pair: Saved) -> str:
    text = format_difference(pair)
    if not pair["complete"]:
        return f"{text} ({plural(len(pair['sets']), 'set')}, incomplete)"
    return text if pair["met"] else f"**{text} fails**"


def _sure(pair: Saved) -> str:
    text = format_difference(pair)
    text = f"**{text}**" if pair["estimate"] < 0 else text
    return text if pair["side"] == "open" else f"{text} *"


def _calibration(rows: Sequence[Saved]) -> Table:
    """Expected and read, by set and budget."""
    budgets = sorted({row["budget"] for row in rows})
    body = []
    for name in dict.fromkeys(row["set"] for row in rows):
        own = {row["budget"]: row for row in rows if row["set"] == name}
        cells = (_expected(own[budget]) if budget in own else "–" for budget in budgets)
        body.append((name, *cells))
    caption = "Expected by the planner → read, and the difference in points with its interval."
    return Table(("set", *_heads(budgets)), tuple(body), caption)


def _expected(row: Saved) -> str:
    gap = format_difference(row | {"estimate": row["difference"]}, 0)
    return f"{format_score(row['expected'])} → {format_score(row['read'])} ({gap})"


# ---- set by set ----------------------------------------------------------------------------------


def _set_details(decision: Saved, task: Saved) -> SetDetails:
    rows = [row for row in decision["rows"] if row["task"] == task["task"]]
    focus = {row["method"]: row for row in rows if row["budget"] == task["focus"]}
    means = {name: row["mean"] for name, row in focus.items()}
    order = sorted(  # methods from the best on, then controls as they come
        dict.fromkeys(row["method"] for row in rows),
        key=lambda name: -means.get(name, 0.0) if names.competes(name) else 1.0,
    )
    cells = {(row["method"], row["budget"]): _mean(row) for row in rows}
    budgets = task["budgets"]
    body = tuple((f"`{name}`", *(cells.get((name, b), "–") for b in budgets)) for name in order)
    caption = (
        f"Mean and 95 % interval, by {names.token(task['token'])}; bold: no other row is as good "
        "with as few."
    )
    table = Table(("row", *_heads(budgets)), body, caption)
    competing = [focus[name] for name in order if name in focus and names.competes(name)]
    methods = [row for row in competing if row["verdict"] != "variant"]
    return SetDetails(task, table, _baselines(task, methods))


def _mean(row: Saved) -> str:
    text = format_interval(row)
    return f"**{text}**" if row["front_tokens"] else text


def _baselines(task: Saved, methods: Sequence[Saved]) -> Table | None:
    """The methods at the budget in focus against every baseline that was measured."""
    bases = [name for name in BASELINES if any(row[f"vs_{name}"] for row in methods)]
    if not bases:
        return None
    body = tuple(
        (f"`{row['method']}`", *(_significance(row[f"vs_{b}"]) for b in bases), row["verdict"])
        for row in methods
    )
    caption = (
        f"Differences in points with {task['focus']} {names.token(task['token'])}. * significant "
        "after Holm's correction over methods; otherwise the smallest detectable difference (80 % "
        "power) in round brackets."
    )
    return Table(("method", *(f"vs {name}" for name in bases), "verdict"), body, caption)


def _significance(pair: Saved | None) -> str:
    if pair is None:
        return "–"
    mark = f"({100 * pair['detectable']:.1f})" if "detectable" in pair else "*"
    return f"{format_difference(pair)} {mark}"
