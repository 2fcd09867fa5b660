# pyright: basic
"""The first screen of the report: does it work, for what, by how much, and what was not seen.

Everything is made from the numbers of the rules. A set and a budget count as better or worse if the
difference is significant after correction: by the stricter rule P2 where it asks, else by P1. A
suite of one's own is answered from its own rows (`own`).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from homunculus_lab.decide import names
from homunculus_lab.decide.blocks import (
    Answer,
    Bullets,
    Panels,
    ReportBlock,
    RuleLine,
    Table,
    format_budgets,
    join_code,
    join_words,
    plural,
    whole_difference,
    whole_points,
)
from homunculus_lab.decide.compare import EFFECT
from homunculus_lab.decide.own import (
    TOO_FEW,
    Cells,
    images_to_tell,
    is_partial,
    not_judged,
    own_cells,
    own_sets,
    own_short,
    subject,
    too_few,
)
from homunculus_lab.decide.plot import PanelLine, Point, panel_plot
from homunculus_lab.decide.product import ALL, JUDGES
from homunculus_lab.stats import INTERVALS

Saved = dict[str, Any]
"""The decision as `decision.decide` returns it, or a part of it."""
ANSWERS = {"GO": "Yes", "NO-GO": "In part", "not measured": "Not measured"}
ASKS = {
    "P1": "never worse: with any number of tokens, all sets pooled lose less than 3 points, and no "
    "set surely loses",
    "P2": "surely better with 16, 32 and 64 tokens on pages, receipts, street words and photos",
    "P3": "32 tokens as good as 128 of `resize` on text",
    "P4": "16 tokens as good as 128 of `resize` on text",
    "question": "better than with another image's question",
}
"""What each rule asks for, in a few words."""
CONTROLS = {
    "blind": "without the question",
    "shuffled": "with another image's question",
}
"""What a method is compared with to see whether the question is why."""
MARKS = {"above": "▲", "below": "▼", "open": "○"}
DETECTOR = ("coco_open", "vqa2_search")
"""Photos of the collection that the shipped detector was trained on."""


def first_screen(decision: Saved) -> list[ReportBlock]:
    """Verdict, chart, table, and what could not be seen."""
    blocks: list[ReportBlock] = [first_answer(decision)]
    if _cells(decision):
        blocks += [_chart(decision), _table(decision)]
    if is_partial(decision):
        blocks.append(_own_numbers(decision))
    return [*blocks, Bullets(tuple(_not_seen(decision)), title="What could not be seen")]


def plain_words(decision: Saved) -> list[tuple[str, str]]:
    """What is shown and what is not: pairs of a heading and a sentence."""
    cells = _cells(decision)
    if not cells:
        return []
    if is_partial(decision):
        return _own_words(decision, cells)
    every = _ordered(decision)
    better = _by_budgets(cells, every, _on("above"), _gain_range)
    undecided = _by_budgets(cells, every, _on("open"), _largest_loss)
    worse = _by_budgets(cells, every, _on("below"), _gain_range)
    pairs = [
        ("Surely better", better or "nowhere"),
        ("No difference shown", undecided or "nowhere"),
        ("Surely worse", worse or "nowhere"),
    ]
    fewer = _fewer(decision)
    return pairs + ([("With fewer tokens", fewer)] if fewer else [])


def first_answer(decision: Saved) -> Answer:
    """The verdict, in plain words and by rule."""
    if is_partial(decision):
        return _own_answer(decision)
    outcome = decision["product"]
    pairs = plain_words(decision)
    short = ANSWERS[outcome]
    if outcome == "NO-GO" and pairs and pairs[0][1] == "nowhere":
        short = "No"
    if outcome == "GO" and not _above_at_most(_cells(decision)):
        short = "Yes, with few tokens"
    if missing := missing_parts(decision):
        pairs.append(("Missing", f"{'; '.join(missing)}"))
    pairs += _left_out(decision)
    rules = tuple(RuleLine(_name(one), ASKS[one], decision[one]["state"]) for one in JUDGES)
    text = "NOT MEASURED" if outcome == "not measured" else outcome
    words = _terms(decision) if decision["P1"]["by_set"] else _ways("views")
    return Answer(_question("views"), short, words, tuple(pairs), text, "GO is P1 and P2", rules)


def _question(row: str) -> str:
    ours = f"the default, `{row}`," if row == "views" else f"`{row}`"
    return f"Does {ours} show more of the answer than resizing the picture?"


def _left_out(decision: Saved) -> list[tuple[str, str]]:
    runs = join_code(decision["without"])
    return [("Left out on request", f"{runs}, an older run")] if runs else []


def _above_at_most(cells: Cells) -> bool:
    """Whether some set is better with the most tokens, too."""
    most = max(budget for _, budget in cells)
    return any(one["side"] == "above" for (_, budget), one in cells.items() if budget == most)


def _name(rule: str) -> str:
    return "Question" if rule == "question" else rule


# ---- a suite of one's own ------------------------------------------------------------------------


def _own_answer(decision: Saved) -> Answer:
    """From the rows that are there: neither GO nor NO-GO."""
    row = subject(decision)
    pairs = [*plain_words(decision), ("Not judged", not_judged()), *_left_out(decision)]
    if row is None:
        short, words = "Not measured: no row `views` beside `resize`", _ways("views")
        return Answer(_question("views"), short, words, tuple(pairs), "", "", ())
    return Answer(
        _question(row), own_short(decision), _terms(decision), tuple(pairs), "", "", ()
    )  # fmt: skip


def _own_words(decision: Saved, cells: Cells) -> list[tuple[str, str]]:
    """Only what there is; how many images would tell where these do not."""
    every = own_sets(decision)
    few = "Difference so far" if own_short(decision).startswith(TOO_FEW) else TOO_FEW
    pairs = [
        ("Surely better", _by_budgets(cells, every, _on("above"), _gain_range)),
        (few, _by_budgets(cells, every, too_few, _gain_range)),
        ("Images that would tell", images_to_tell(decision)),
        ("No difference", _by_budgets(cells, every, _alike, _largest_loss)),
        ("Surely worse", _by_budgets(cells, every, _on("below"), _gain_range)),
    ]
    return [pair for pair in pairs if pair[1]]


def _on(side: str) -> Callable[[Saved], bool]:
    return lambda cell: cell["side"] == side


def _alike(cell: Saved) -> bool:
    return cell["side"] == "open" and not too_few(cell)


def _own_numbers(decision: Saved) -> Table:
    """The mean of every row by its tokens."""
    budgets = sorted({row["budget"] for row in decision["rows"] if row["budget"]})
    cells = {(row["task"], row["method"], row["budget"]): row for row in decision["rows"]}
    body = []
    for task in decision["tasks"]:
        methods = dict.fromkeys(one for name, one, _ in cells if name == task["task"])
        for method in methods:
            own = [cells.get((task["task"], method, budget)) for budget in budgets]
            figures = (_with_interval(one) if one else "–" for one in own)
            about = names.ROW_WORDS.get(method, "")
            body.append((task["task"], f"`{method}`{about and ': '}{about}", *figures))
    readers = dict.fromkeys(
        f"{names.token(task['token'])}, {task['measured_by']}" for task in decision["tasks"]
    )
    caption = (
        f"The mean score of every row, 0 to 1, with 95 % intervals. {_capital('; '.join(readers))}."
    )
    heads = (f"{one} tokens" for one in budgets)
    caption += _other_columns(decision)
    return Table(("suite", "row", *heads), tuple(body), caption, compact=True)


def _other_columns(decision: Saved) -> str:
    """What was measured as well, and how to decide by it."""
    used = {task["column"] for task in decision["tasks"]}
    every = dict.fromkeys(one for task in decision["tasks"] for one in task["columns"])
    more = [one for one in every if one not in used]
    if not more:
        return ""
    return (
        f" Decided by {join_code(sorted(used))}; the runs also hold {join_code(more)} "
        f"(`homunculus decide RUN.json --column {more[0]}`)."
    )


def _with_interval(row: Saved) -> str:
    return f"{_score(row['mean'])} [{_score(row['low'])}, {_score(row['high'])}]"


def _score(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def missing_parts(decision: Saved) -> list[str]:
    """What the rules ask for and no run has."""
    reasons = [one for name in JUDGES for one in decision[name]["missing"]]
    return list(dict.fromkeys(reasons))


# ---- sets and budgets in words -------------------------------------------------------------------


def _ordered(decision: Saved) -> list[Saved]:
    """The sets as the rules name what they show: pages first, photos last."""
    if is_partial(decision):
        return own_sets(decision)
    place = {name: at for at, name in enumerate(ALL)}
    return sorted(decision["P1"]["sets"], key=lambda one: place.get(one["group"], len(place)))


def _cells(decision: Saved) -> Cells:
    """`views` less `resize` with as many tokens, by set and budget."""
    if is_partial(decision):
        return own_cells(decision)
    rules = (decision["P1"], decision["P2"])
    return {(one["set"], one["budget"]): one for rule in rules for one in rule["by_set"]}


def _by_budgets(
    cells: Cells,
    every: Sequence[Saved],
    holds: Callable[[Saved], bool],
    add: Callable[[Sequence[Saved]], str],
) -> str:
    """Sets of which it holds with the same budgets, together."""
    groups: dict[tuple[int, ...], list[Saved]] = {}
    budgets = sorted({budget for _, budget in cells})
    for one in every:
        own = [cells.get((one["set"], budget)) for budget in budgets]
        some = tuple(cell["budget"] for cell in own if cell and holds(cell))
        if some:
            groups.setdefault(some, []).append(one)
    texts = []
    for some, sets in sorted(groups.items(), key=lambda pair: (-len(pair[0]), pair[0])):
        trials = [cells[one["set"], budget] for one in sets for budget in some]
        tokens, points = ("", "") if texts else (" tokens", " points")  # said once
        gain = f" ({text}{points})" if (text := add(trials)) else ""
        gain = gain.replace("1 points)", "1 point)") if text in ("+1", "−1") else gain
        texts.append(f"{_sets(sets, every)} with {format_budgets(some, budgets)}{tokens}{gain}")
    return "; ".join(texts)


def _sets(sets: Sequence[Saved], every: Sequence[Saved]) -> str:
    """Sets in plain words; all sets, or all photos, are not told one by one."""
    if len(sets) == len(every) > 1:
        return f"all {len(sets)} sets"
    photos = [one["set"] for one in every if one["group"] == "photos"]
    together = len(photos) > 1 and set(photos) <= {one["set"] for one in sets}
    labels = [one["label"] for one in sets if not (together and one["set"] in photos)]
    return join_words(labels + ([f"photos ({len(photos)} sets)"] if together else []))


def _gain_range(trials: Iterable[Saved]) -> str:
    means = sorted(one["estimate"] for one in trials)
    low, high = whole_points(means[0]), whole_points(means[-1])
    return low if low == high else f"{low} to {high}"


def _largest_loss(trials: Iterable[Saved]) -> str:
    """The largest loss in the mean, if it is a point or more."""
    worst = min(trials, key=lambda one: one["estimate"])
    if worst["estimate"] > -0.01:
        return ""
    return f"with {worst['budget']} {whole_difference(worst)}"


def _fewer(decision: Saved) -> str:
    """P3 and P4 in words: so few tokens against so many of `resize`."""
    texts = []
    for rule in (decision["P3"], decision["P4"]):
        pooled = [one for one in rule["pooled"] if one["complete"]]
        if not pooled:
            continue
        labels = {one["set"]: one["label"] for one in rule["sets"]}
        losses = [one for one in rule["by_set"] if one["side"] == "below"]
        lost = "".join(f"; {labels[one['set']]} surely {whole_difference(one)}" for one in losses)
        verb = "are" if rule["state"] == "met" else "are not" if lost else "are not shown to be"
        rival = "" if texts else f" {pooled[0]['against_budget']} of `resize` on text"
        good = f"{verb} as good as{rival}" if rival else verb
        points = "" if texts else " points"
        texts.append(f"{pooled[0]['budget']} {good} ({whole_difference(pooled[0])}{points}{lost})")
    return "; ".join(texts)


# ---- terms, chart and table ----------------------------------------------------------------------


def _ways(row: str) -> str:
    words = names.ROW_WORDS
    ours = words.get(row, "the method that was measured")
    return f"`{row}`: {ours}; `resize`: {words['resize']}."


def _row_name(decision: Saved) -> str:
    """The row that the report is about."""
    return (subject(decision) if is_partial(decision) else None) or "views"


def _terms(decision: Saved) -> str:
    """Every word that the chart and the table use."""
    sets = _ordered(decision)
    read = [one["measured_by"] for one in sets if not one["measured_by"].startswith("evidence")]
    readers = list(dict.fromkeys(one.split(",")[0] for one in read))
    text = f"{_ways(_row_name(decision))} {_token_words(decision)} "
    if readers:
        text += f"**Score** (0 to 1): how much of the answer an OCR network reads ({readers[0]})"
        text += _pointed([one for one in sets if one["measured_by"] in read])
    if len(read) < len(sets):
        shown = "the share of the named thing that is shown at 32 pixels or more"
        text += f"; on photos, {shown}" if readers else f"**Score** (0 to 1): {shown}"
    trials = "methods" if is_partial(decision) else "comparisons"
    return (
        f"{text}. A **point** is a hundredth of it. **Surely**: significant at 5 %, corrected for "
        f"the number of {trials}."
    )


def _pointed(sets: Sequence[Saved]) -> str:
    """Whether the reader is shown where the answer stands."""
    free = [one["label"] for one in sets if not one["measured_by"].endswith(", crop")]
    if len(free) == len(sets):
        return ""
    return f", pointed at the answer's box{f', except on {join_words(free)}' if free else ''}"


def _token_words(decision: Saved) -> str:
    sides = dict.fromkeys(one["token"] for one in _ordered(decision))
    if len(sides) > 1 or None in sides:
        return "**Tokens** are squares of pixels."
    (side,) = sides
    model = f" ({names.TOKEN_MODELS[side]})" if side in names.TOKEN_MODELS else ""
    return f"A **token** is a square of {side} × {side} pixels{model}."


def _counted(decision: Saved) -> str:
    sides = dict.fromkeys(names.token(one["token"]) for one in _ordered(decision))
    return f"Counted in {join_words(list(sides))}."


Rows = dict[tuple[str, str], list[Saved]]
"""Rows of the decision by set and name."""


def _chart(decision: Saved) -> Panels:
    """A panel for each set: scores against tokens, with intervals."""
    cells, name, rows = _cells(decision), _row_name(decision), Rows()
    full = {task["task"]: task["full"] for task in decision["tasks"]}
    for row in decision["rows"]:
        rows.setdefault((row["task"], row["method"]), []).append(row)
    panels, by_set = [], {}
    for one in _ordered(decision):
        trials = [cell for (where, _), cell in cells.items() if where == one["set"]]
        controls = by_set[one["set"]] = _control_rows(rows, one["set"], name)
        sure = {cell["budget"] for cell in trials if cell["side"] != "open"}
        lines = [
            PanelLine(
                "resize",
                "resize",
                _points(rows.get((one["set"], trials[0]["against"]), []), set()),
            ),
            *(PanelLine(role, role, _points(own, set())) for role, own in controls.items()),
            PanelLine("ours", name, _points(_own(rows, one["set"], name), sure)),
        ]
        panels.append(panel_plot(one["label"], lines, full[one["set"]]))
    there = [one for one in CONTROLS if any(one in controls for controls in by_set.values())]
    caption = _chart_caption(name, there, full.values())
    return Panels(tuple(panels), caption, _score_table(decision, by_set, there))


def _score_table(
    decision: Saved, by_set: dict[str, dict[str, list[Saved]]], there: Sequence[str]
) -> Table:
    """The scores of the chart, where there are no plots."""
    cells, name = _cells(decision), _row_name(decision)
    budgets = sorted({budget for _, budget in cells})
    body = []
    for one in _ordered(decision):
        controls = [by_set[one["set"]].get(role, []) for role in there]
        own = (cells.get((one["set"], budget)) for budget in budgets)
        body.append((one["label"], *(_scores(cell, controls) if cell else "–" for cell in own)))
    rows = [f"score, `{name}`", "`resize`", *(f"`{name}` {CONTROLS[one]}" for one in there)]
    head = (" / ".join(rows), *(f"{one} tokens" for one in budgets))
    return Table(head, tuple(body), _counted(decision))


def _chart_caption(name: str, controls: Iterable[str], full: Iterable[float | None]) -> str:
    colours = {"blind": "pink, dashed", "shuffled": "orange, dashed"}
    lines = [f"Blue: `{name}`", "black: `resize`"]
    lines += [f"{colours[one]}: `{name}` {CONTROLS[one]}" for one in controls]
    lines += ["dotted: all pixels"] if any(one is not None for one in full) else []
    return (
        f"Score against tokens, with 95 % intervals. {'; '.join(lines)}. A filled blue dot differs "
        "surely from `resize`, a hollow one does not."
    )


def _control_rows(rows: Rows, task: str, name: str) -> dict[str, list[Saved]]:
    """The method without the question and with another image's, where they were measured."""
    wanted = {names.parse(name)._replace(scorer=one): one for one in CONTROLS}
    own = {
        wanted[names.parse(row)]: each
        for (where, row), each in rows.items()
        if where == task and names.parse(row) in wanted
    }
    return {one: own[one] for one in CONTROLS if one in own}


def _own(rows: Rows, task: str, name: str) -> list[Saved]:
    """The rows of that name, whatever spelling the file uses."""
    ours = names.parse(name)
    own = (
        each for (where, row), each in rows.items() if where == task and names.parse(row) == ours
    )
    return next(own, [])


def _points(rows: Sequence[Saved], sure: set[int]) -> tuple[Point, ...]:
    return tuple(
        Point(row["budget"], row["mean"], row["low"], row["high"], row["budget"] in sure)
        for row in sorted(rows, key=lambda row: row["budget"])
        if row["budget"]
    )


def _scores(cell: Saved, controls: Sequence[list[Saved]]) -> str:
    """The method, `resize` and its controls with as many tokens."""
    means = [{row["budget"]: row["mean"] for row in own} for own in controls]
    numbers = [cell["mean"], cell["other_mean"], *(one.get(cell["budget"]) for one in means)]
    return " / ".join("–" if one is None else _score(one) for one in numbers)


def _table(decision: Saved) -> Table:
    """`views` less `resize` by set and budget, over all sets, and less itself otherwise asked."""
    cells = _cells(decision)
    budgets = sorted({budget for _, budget in cells})
    body = []
    for one in _ordered(decision):
        many = f"{one['n']} ({one['images']})"
        body.append((one["label"], many, *_figures(cells, one["set"], budgets)))
    pooled = {one["budget"]: one for one in decision["P1"]["pooled"] if one["complete"]}
    if pooled and not is_partial(decision):
        figures = (whole_difference(pooled[one]) if one in pooled else "–" for one in budgets)
        body.append(("**all sets, equal weight**", plural(len(body), "set"), *figures))
    name = _row_name(decision)
    controls = _own_controls(decision, budgets) or _pooled_controls(decision, budgets)
    why = (
        f" Last rows: `{name}` minus the same plan without the question, or with another image's; "
        "what is above zero there comes from the question."
    )
    caption = (
        f"`{name}` minus `resize` with as many tokens, in points, with {INTERVALS}. ▲ surely "
        f"better, ▼ surely worse, ○ no difference shown. {_counted(decision)}"
    )
    heads = (f"{one} tokens" for one in budgets)
    head = ("set", "questions (images)", *heads)
    return Table(head, (*body, *controls), caption + (why if controls else ""), compact=True)


def _figures(cells: Cells, where: str, budgets: Sequence[int]) -> list[str]:
    own = [cells.get((where, budget)) for budget in budgets]
    return [f"{MARKS[cell['side']]} {whole_difference(cell)}" if cell else "–" for cell in own]


def _own_controls(decision: Saved, budgets: Sequence[int]) -> list[tuple[str, ...]]:
    if not is_partial(decision):
        return []
    body, name = [], subject(decision)
    for control, words in CONTROLS.items():
        cells = own_cells(decision, control)
        for one in own_sets(decision):
            if any(name == one["set"] for name, _ in cells):
                many = f"{one['n']} ({one['images']})"
                figures = _figures(cells, one["set"], budgets)
                body.append((f"{one['label']}: minus `{name}` {words}", many, *figures))
    return body


def _pooled_controls(decision: Saved, budgets: Sequence[int]) -> list[tuple[str, ...]]:
    """Over the sets that have both controls, with equal weight."""
    body = []
    for control, words in CONTROLS.items():
        own = {one["budget"]: one for one in decision["controls"] if one["against"] == control}
        if own:
            sets = plural(max(len(one["sets"]) for one in own.values()), "set")
            figures = (whole_difference(own[one]) if one in own else "–" for one in budgets)
            body.append((f"**minus `views` {words}**", sets, *figures))
    return body


# ---- what could not be seen ----------------------------------------------------------------------


def _not_seen(decision: Saved) -> list[str]:
    items = [
        "**Answers of a vision-language model.** None was asked: this is what its tokens still "
        "show to a reader of print."
    ]
    if missed := _undetected(decision):
        items.append(missed)
    if controls := _own_missing(decision) if is_partial(decision) else _controls(decision):
        items.append(controls)
    if alike := _same_question(decision):
        items.append(
            f"**What the question does** on {join_words(alike)}. Another image's question scores "
            "as well there: where all questions are alike, it is no control."
        )
    suites = {one["suite"] for one in _ordered(decision)}
    if own := [names.LABELS[one] for one in DETECTOR if one in suites]:
        items.append(
            f"**Photos of another kind.** The shipped detector was trained on photos of COCO, and "
            f"{join_words(own)} are such photos."
        )
    return items


def _undetected(decision: Saved) -> str:
    """The smallest difference that would have been found, where none was."""
    labels = {one["set"]: one for one in _ordered(decision)}
    ours = _row_name(decision)
    worst: dict[str, float] = {}
    for row in decision["rows"]:
        pair = row.get("vs_resize") if row["task"] in labels else None
        if row["method"] == ours and pair and "detectable" in pair:
            worst[row["task"]] = max(worst.get(row["task"], 0.0), pair["detectable"])
    if not worst:
        return ""
    order = sorted(worst.items(), key=lambda pair: -pair[1])
    texts = [f"{labels[name]['label']} {100 * size:.0f}" for name, size in order]
    return (
        "**Small differences.** Where none is shown, the smallest one that would have been found "
        f"(four times in five), in points: {', '.join(texts)}."
    )


def _controls(decision: Saved) -> str:
    """Sets of the rules on which controls were not measured."""
    labels = {one["set"]: one["label"] for one in _ordered(decision)}
    texts = []
    for task in decision["tasks"]:
        missing = task["left_out"] + task["missing"]
        if task["task"] in labels and missing:
            texts.append(f"{labels[task['task']]} ({join_code(missing)})")
    if not texts:
        return ""
    return f"**Controls** that were not measured: on {join_words(texts)}."


def _own_missing(decision: Saved) -> str:
    """Which rows would tell whether the question is why, and how to measure them."""
    name = subject(decision)
    if name is None:
        return ""
    base = names.parse(name)
    twin = f"{base.method}@{base.variant}" if base.variant else base.method
    missing = [f"{twin}+{one}" for one in CONTROLS if not own_cells(decision, one)]
    if not missing:
        return ""
    rows = ",".join([name, "resize", *missing])
    which = "it" if len(missing) == 1 else "them"
    sides = {one["token"] for one in _ordered(decision)}
    token = " --token-size qwen3-vl" if sides == {32} else ""
    return (
        f"**What the question does.** Not measured: {join_code(missing)}. Add {which}, with the "
        f"other flags of this run: `homunculus measure SUITE{token} --methods {rows}`."
    )


def _same_question(decision: Saved) -> list[str]:
    """Sets on which another image's question makes no difference, with any number of tokens."""
    gaps: dict[str, list[float]] = {}
    for row in decision["rows"]:
        if row["method"] == _row_name(decision) and row.get("vs_shuffled"):
            gaps.setdefault(row["task"], []).append(abs(row["vs_shuffled"]["estimate"]))
    return [one["label"] for one in _ordered(decision) if max(gaps.get(one["set"], [1.0])) < EFFECT]
