# pyright: basic
"""The first screen of the report: does it work, for what, by how much, and what was not seen.

Everything is made from the numbers of the rules. A set and a budget count as better or worse if the
difference is significant after correction: by the stricter rule P2 where it asks, else by P1.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from homunculus.lab.decide import names
from homunculus.lab.decide.blocks import (
    Answer,
    Bullets,
    Panels,
    ReportBlock,
    RuleLine,
    Table,
    join_code,
    join_words,
    plural,
)
from homunculus.lab.decide.plot import Point, panel_plot
from homunculus.lab.decide.product import ALL, BUDGETS, JUDGES, SIDE
from homunculus.lab.decide.stats import MIN_IMAGES

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
WAYS = (
    "`views`: a small whole picture and windows where the question looks; `resize`: the whole "
    "picture, smaller"
)
MARKS = {"above": "▲", "below": "▼", "open": "○"}
DETECTOR = ("coco_open", "vqa2_search")
"""Photos of the collection that the shipped detector was trained on."""


def first_screen(decision: Saved) -> list[ReportBlock]:
    """Verdict, chart, table, and what could not be seen."""
    blocks: list[ReportBlock] = [first_answer(decision)]
    if decision["P1"]["by_set"]:
        blocks += [_chart(decision), _table(decision)]
    elif decision["rows"]:
        blocks.append(_own_numbers(decision))
    return [*blocks, Bullets(tuple(_not_seen(decision)), title="What could not be seen")]


def plain_words(decision: Saved) -> list[tuple[str, str]]:
    """What is shown and what is not: pairs of a heading and a sentence."""
    cells = _cells(decision)
    if not cells:
        return []
    every = _ordered(decision)
    better = _by_budgets(cells, every, "above", _gain_range)
    undecided = _by_budgets(cells, every, "open", _largest_loss)
    worse = _by_budgets(cells, every, "below", _gain_range)
    pairs = [
        ("Surely better", better or "nowhere"),
        ("No difference shown", undecided or "nowhere"),
        ("Surely worse", worse or "nowhere"),
    ]
    fewer = _fewer(decision)
    return pairs + ([("With fewer tokens", fewer)] if fewer else [])


def first_answer(decision: Saved) -> Answer:
    """The verdict, in plain words and by rule."""
    outcome = decision["product"]
    pairs = plain_words(decision)
    short = ANSWERS[outcome]
    if outcome == "NO-GO" and pairs and pairs[0][1] == "nowhere":
        short = "No"
    if outcome == "GO" and not _above_at_most(_cells(decision)):
        short = "Yes, with few tokens"
    if is_own(decision):
        short, more = _own_words(decision)
        pairs += more
    elif missing := missing_parts(decision):
        pairs.append(("Missing", f"{'; '.join(missing)}"))
    if decision["without"]:
        pairs.append(("Left out on request", f"{join_code(decision['without'])}, an older run"))
    rules = tuple(RuleLine(_name(one), ASKS[one], decision[one]["state"]) for one in JUDGES)
    question = "Does the default, `views`, show more of the answer than resizing the picture?"
    text = "NOT MEASURED" if outcome == "not measured" else outcome
    words = _terms(decision) if decision["P1"]["by_set"] else f"{WAYS}."
    rules = () if is_own(decision) else rules
    return Answer(question, short, words, tuple(pairs), text, "GO is P1 and P2", rules)


def _above_at_most(cells: dict[tuple[str, int], Saved]) -> bool:
    """Whether some set is better with the most tokens, too."""
    most = max(budget for _, budget in cells)
    return any(one["side"] == "above" for (_, budget), one in cells.items() if budget == most)


def _name(rule: str) -> str:
    return "Question" if rule == "question" else rule


# ---- a suite of one's own ------------------------------------------------------------------------


def is_own(decision: Saved) -> bool:
    """Whether these runs are somebody's own, and too little of what the rules ask for."""
    there = {one["group"] for one in decision["P1"]["sets"]}
    ours = [task["measure"] in ("legibility", "evidence") for task in decision["tasks"]]
    known = any(task["suite"] in names.LABELS for task in decision["tasks"])
    own = bool(decision["rows"]) and all(ours) and not known  # official tasks are nobody's own
    return decision["product"] != "GO" and own and len(there & set(ALL)) < len(ALL) / 2


def _own_words(decision: Saved) -> tuple[str, list[tuple[str, str]]]:
    """A short answer from the runs that are there, and why the rules are not judged by them."""
    sides = {one["side"] for one in decision["P1"]["by_set"]}
    questions = sum(task["n"] for task in decision["tasks"])
    images = sum(task["images"] for task in decision["tasks"])
    many = f"{plural(questions, 'question')} on {plural(images, 'image')}"
    if not sides:
        few = all(task["images"] < MIN_IMAGES for task in decision["tasks"])
        short = f"{'Too few images to be sure' if few else 'See the numbers below'} ({many})"
    elif "below" in sides:
        short = (
            "In part, on your own questions" if "above" in sides else "No, on your own questions"
        )
    else:
        short = "Not shown on your own questions"
        if "above" in sides:
            short = f"Yes, with {_where_above(decision)} tokens, on your own questions"
    gains = [text for task in decision["tasks"] if (text := _own_gain(decision, task))]
    pairs = [("In the mean", "; ".join(gains))] if gains and not sides else []
    why = (
        f"the rules, which are for the whole test bench: {join_words(list(ALL))}, with "
        f"{join_words(list(map(str, BUDGETS)))} {names.token(SIDE)}. The report lists what your "
        "runs lack of that"
    )
    return short, [*pairs, ("Not judged", why)]


def _where_above(decision: Saved) -> str:
    """The budgets with which a set is surely better."""
    cells = _cells(decision)
    better = sorted({budget for (_, budget), one in cells.items() if one["side"] == "above"})
    return _budgets(tuple(better), sorted({budget for _, budget in cells}))


def _own_gain(decision: Saved, task: Saved) -> str:
    """`views` and `resize` on one suite, by budget."""
    rows = [
        row
        for row in decision["rows"]
        if row["task"] == task["task"] and row.get("vs_resize") and _is_views(row["method"])
    ]
    if not rows:
        return ""
    budgets = " / ".join(str(row["budget"]) for row in rows)
    ours = " / ".join(_score(row["mean"]) for row in rows)
    theirs = " / ".join(_score(row["mean"] - row["vs_resize"]["estimate"]) for row in rows)
    return f"with {budgets} tokens `views` scores {ours}, `resize` {theirs} on {task['task']}"


def _own_numbers(decision: Saved) -> Table:
    """Every row of every suite by its tokens, where no set can be judged by the rules."""
    budgets = sorted({row["budget"] for row in decision["rows"]})
    cells = {(row["task"], row["method"], row["budget"]): row for row in decision["rows"]}
    body = []
    for task in decision["tasks"]:
        methods = dict.fromkeys(one for name, one, _ in cells if name == task["task"])
        for method in methods:
            own = [cells.get((task["task"], method, budget)) for budget in budgets]
            figures = (_with_interval(one) if one else "–" for one in own)
            body.append((task["task"], f"{task['n']} ({task['images']})", f"`{method}`", *figures))
    readers = dict.fromkeys(
        f"{names.token(task['token'])}, {task['measured_by']}" for task in decision["tasks"]
    )
    caption = (
        f"Your own numbers: the mean score, 0 to 1, with 95 % intervals ({'; '.join(readers)}). "
        f"Fewer than {MIN_IMAGES} images can make no difference sure."
    )
    heads = (f"{one} tokens" for one in budgets)
    head = ("suite", "questions (images)", "row", *heads)
    return Table(head, tuple(body), caption, compact=True)


def _with_interval(row: Saved) -> str:
    return f"{_score(row['mean'])} [{_score(row['low'])}, {_score(row['high'])}]"


def _score(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def _is_views(row: str) -> bool:
    return names.parse(row) == names.RowName("views", "", names.SCOUT)


def missing_parts(decision: Saved) -> list[str]:
    """What the rules ask for and no run has."""
    reasons = [one for name in JUDGES for one in decision[name]["missing"]]
    return list(dict.fromkeys(reasons))


# ---- sets and budgets in words -------------------------------------------------------------------


def _ordered(decision: Saved) -> list[Saved]:
    """The sets as the rules name what they show: pages first, photos last."""
    place = {name: at for at, name in enumerate(ALL)}
    return sorted(decision["P1"]["sets"], key=lambda one: place.get(one["group"], len(place)))


def _cells(decision: Saved) -> dict[tuple[str, int], Saved]:
    """`views` less `resize` with as many tokens, by set and budget."""
    rules = (decision["P1"], decision["P2"])
    return {(one["set"], one["budget"]): one for rule in rules for one in rule["by_set"]}


def _by_budgets(
    cells: dict[tuple[str, int], Saved],
    every: Sequence[Saved],
    side: str,
    add: Callable[[Sequence[Saved]], str],
) -> str:
    """Sets that lie on that side with the same budgets, together."""
    groups: dict[tuple[int, ...], list[Saved]] = {}
    budgets = sorted({budget for _, budget in cells})
    for one in every:
        own = [cells.get((one["set"], budget)) for budget in budgets]
        on_side = tuple(cell["budget"] for cell in own if cell and cell["side"] == side)
        if on_side:
            groups.setdefault(on_side, []).append(one)
    texts = []
    for some, sets in sorted(groups.items(), key=lambda pair: (-len(pair[0]), pair[0])):
        trials = [cells[one["set"], budget] for one in sets for budget in some]
        tokens, points = ("", "") if texts else (" tokens", " points")  # said once
        gain = f" ({text}{points})" if (text := add(trials)) else ""
        texts.append(f"{_sets(sets, every)} with {_budgets(some, budgets)}{tokens}{gain}")
    return "; ".join(texts)


def _sets(sets: Sequence[Saved], every: Sequence[Saved]) -> str:
    """Sets in plain words; all sets, or all photos, are not told one by one."""
    if len(sets) == len(every) > 1:
        return f"all {len(sets)} sets"
    photos = [one["set"] for one in every if one["group"] == "photos"]
    together = len(photos) > 1 and set(photos) <= {one["set"] for one in sets}
    labels = [one["label"] for one in sets if not (together and one["set"] in photos)]
    return join_words(labels + ([f"photos ({len(photos)} sets)"] if together else []))


def _budgets(some: Sequence[int], every: Sequence[int]) -> str:
    """16 to 64, if nothing between them is missing."""
    between = [one for one in every if some[0] <= one <= some[-1]]
    if len(some) > 2 and list(some) == between:
        return f"{some[0]} to {some[-1]}"
    return join_words([str(one) for one in some])


def _gain_range(trials: Iterable[Saved]) -> str:
    means = sorted(one["estimate"] for one in trials)
    low, high = whole_points(means[0]), whole_points(means[-1])
    return low if low == high else f"{low} to {high}"


def _largest_loss(trials: Iterable[Saved]) -> str:
    """The largest loss in the mean, if it is a point or more."""
    worst = min(trials, key=lambda one: one["estimate"])
    if worst["estimate"] > -0.01:
        return ""
    return f"with {worst['budget']} {_whole(worst)}"


def _fewer(decision: Saved) -> str:
    """P3 and P4 in words: so few tokens against so many of `resize`."""
    texts = []
    for rule in (decision["P3"], decision["P4"]):
        pooled = [one for one in rule["pooled"] if one["complete"]]
        if not pooled:
            continue
        labels = {one["set"]: one["label"] for one in rule["sets"]}
        losses = [one for one in rule["by_set"] if one["side"] == "below"]
        lost = "".join(f"; {labels[one['set']]} surely {_whole(one)}" for one in losses)
        verb = "are" if rule["state"] == "met" else "are not" if lost else "are not shown to be"
        rival = "" if texts else f" {pooled[0]['against_budget']} of `resize` on text"
        good = f"{verb} as good as{rival}" if rival else verb
        points = "" if texts else " points"
        texts.append(f"{pooled[0]['budget']} {good} ({_whole(pooled[0])}{points}{lost})")
    return "; ".join(texts)


def whole_points(value: float) -> str:
    """A difference in whole points of a hundred.

    >>> whole_points(0.214), whole_points(-0.078), whole_points(-0.004)
    ('+21', '−8', '0')
    """
    points = round(100 * value)
    return f"{points:+d}".replace("-", "−") if points else "0"


def _whole(one: Saved) -> str:
    mean, low, high = (whole_points(one[key]) for key in ("estimate", "low", "high"))
    return f"{mean} [{low}, {high}]"


# ---- terms, chart and table ----------------------------------------------------------------------


def _terms(decision: Saved) -> str:
    """Every word that the chart and the table use."""
    sets = _ordered(decision)
    read = [one["measured_by"] for one in sets if not one["measured_by"].startswith("evidence")]
    readers = list(dict.fromkeys(one.split(",")[0] for one in read))
    text = (
        f"{WAYS}. A **token** is a square of {SIDE} × {SIDE} pixels ({names.TOKEN_MODELS[SIDE]}). "
    )
    if readers:
        text += f"**Score** (0 to 1): how much of the answer an OCR network reads ({readers[0]})"
    if len(read) < len(sets):
        photos = "the share of the named thing that is shown at 32 pixels or more"
        text += f"; on photos, {photos}" if readers else f"**Score** (0 to 1): {photos}"
    return (
        f"{text}. A **point** is a hundredth of it. **Surely**: significant at 5 %, corrected for "
        "the number of comparisons."
    )


def _chart(decision: Saved) -> Panels:
    """A panel for each set: scores against tokens, with intervals."""
    cells = _cells(decision)
    full = {task["task"]: task["full"] for task in decision["tasks"]}
    rows: dict[tuple[str, str], list[Saved]] = {}
    for row in decision["rows"]:
        rows.setdefault((row["task"], row["method"]), []).append(row)
    panels, body = [], []
    for one in _ordered(decision):
        trials = [cell for (name, _), cell in cells.items() if name == one["set"]]
        trials.sort(key=lambda cell: cell["budget"])
        theirs = _points(rows.get((one["set"], trials[0]["against"]), []), set())
        sure = {cell["budget"] for cell in trials if cell["side"] != "open"}
        ours = _points(_own(rows, one["set"]), sure)
        panels.append(panel_plot(one["label"], ours, theirs, full[one["set"]]))
        body.append((one["label"], *(_scores(cell) for cell in trials)))
    caption = (
        "Score against tokens, with 95 % intervals. Blue: `views`; black: `resize`; dotted: "
        "all pixels. A filled blue dot differs surely from `resize`, a hollow one does not."
    )
    budgets = sorted({budget for _, budget in cells})
    head = ("score, `views` / `resize`", *(f"{one} tokens" for one in budgets))
    fallback = Table(head, tuple(body), f"Counted in {names.token(SIDE)}.")
    return Panels(tuple(panels), caption, fallback)


def _own(rows: dict[tuple[str, str], list[Saved]], task: str) -> list[Saved]:
    """The rows of `views`, whatever spelling the file uses."""
    return next((own for (name, row), own in rows.items() if name == task and _is_views(row)), [])


def _points(rows: Sequence[Saved], sure: set[int]) -> list[Point]:
    return [
        Point(row["budget"], row["mean"], row["low"], row["high"], row["budget"] in sure)
        for row in sorted(rows, key=lambda row: row["budget"])
    ]


def _scores(cell: Saved) -> str:
    return f"{_score(cell['mean'])} / {_score(cell['other_mean'])}"


def _table(decision: Saved) -> Table:
    """`views` less `resize` by set and budget, and over all sets."""
    cells = _cells(decision)
    budgets = sorted({budget for _, budget in cells})
    body = []
    for one in _ordered(decision):
        own = [cells.get((one["set"], budget)) for budget in budgets]
        figures = (f"{MARKS[cell['side']]} {_whole(cell)}" if cell else "–" for cell in own)
        body.append((one["label"], f"{one['n']} ({one['images']})", *figures))
    pooled = {one["budget"]: one for one in decision["P1"]["pooled"] if one["complete"]}
    figures = (_whole(pooled[one]) if one in pooled else "–" for one in budgets)
    if pooled:
        body.append(("**all sets, equal weight**", plural(len(body), "set"), *figures))
    caption = (
        "`views` less `resize` with as many tokens, in points, with 95 % intervals. ▲ surely "
        f"better, ▼ surely worse, ○ no difference shown. Counted in {names.token(SIDE)}."
    )
    heads = (f"{one} tokens" for one in budgets)
    return Table(("set", "questions (images)", *heads), tuple(body), caption, compact=True)


# ---- what could not be seen ----------------------------------------------------------------------


def _not_seen(decision: Saved) -> list[str]:
    items = [
        "**Answers of a vision-language model.** None was asked: this is what its tokens still "
        "show to a reader of print."
    ]
    if missed := _undetected(decision):
        items.append(missed)
    if controls := _controls(decision):
        items.append(controls)
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
    worst: dict[str, float] = {}
    for row in decision["rows"]:
        pair = row.get("vs_resize") if row["task"] in labels else None
        if _is_views(row["method"]) and pair and "detectable" in pair:
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
