# pyright: basic
"""The answer in plain words: does it work, for what, by how much, and what was not seen.

A set and a budget count as better or worse if the difference is significant after correction: by
the stricter rule P2 where it asks, else by P1. A suite of one's own is answered from its own rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from homunculus_lab import row_names as names
from homunculus_lab.decide.compare import EFFECT
from homunculus_lab.decide.numbers import (
    format_budgets,
    format_difference,
    format_points,
    join_code,
    join_words,
    plural,
)
from homunculus_lab.decide.product import ALL, BUDGETS, RULES, SIDE

Saved = dict[str, Any]
"""The decision as `decision.decide` returns it, or a part of it."""
Cells = dict[tuple[str, int], Saved]
"""A row less its rival with as many tokens, by set and budget."""
MEASURED = ("legibility", "evidence", "things")
"""What `measure` does with a suite; official tasks are no suite of one's own."""
CONTROLS = {"blind": "without the question", "shuffled": "with another image's question"}
"""What a method is compared with to see whether the question is why."""
DETECTOR = ("coco_open", "vqa2_search")
"""Photos of the collection that the shipped detector was trained on."""
MAX_IMAGES = 2000
"""More images than this are not worth a number."""


@dataclass(frozen=True)
class Scope:
    """The differences that an answer is about: those of the rules, or of a suite of one's own."""

    own: bool
    row: str
    sets: tuple[Saved, ...]
    cells: Cells

    @property
    def budgets(self) -> list[int]:
        """From small to large."""
        return sorted({budget for _, budget in self.cells})


@dataclass(frozen=True)
class Answer:
    """The verdict in plain words."""

    question: str
    short: str
    terms: str
    sentences: tuple[tuple[str, str], ...]
    """Headings and what is said under each."""
    unseen: tuple[tuple[str, str], ...]
    """What these runs could not show."""


# ---- what it is about ----------------------------------------------------------------------------


def scope(decision: Saved) -> Scope:
    """The rules' differences; of runs that hold less than half of what these ask for, all."""
    row = _own_row(decision)
    if row is None:
        rules = (decision["P1"], decision["P2"])
        order = {name: place for place, name in enumerate(ALL)}  # pages first, photos last
        sets = sorted(decision["P1"]["sets"], key=lambda s: order.get(s["group"], len(order)))
        cells = {(cell["set"], cell["budget"]): cell for rule in rules for cell in rule["by_set"]}
        return Scope(False, "views", tuple(sets), cells)
    cells = differences(decision, row, "resize")
    sets = [
        task | {"set": task["task"], "label": task["task"], "group": ""}
        for task in decision["tasks"]
        if task["task"] in {name for name, _ in cells}
    ]
    return Scope(True, row, tuple(sets), cells)


def _own_row(decision: Saved) -> str | None:
    """The row of one's own suite: `views`, or the only method measured beside `resize`."""
    tasks = decision["tasks"]
    groups = {names.group(task["suite"], task["kind"]) for task in tasks} & set(ALL)
    if decision["product"] == "GO" or len(groups) >= len(ALL) / 2:
        return None
    if not all(task["measure"] in MEASURED for task in tasks):
        return None
    rows = dict.fromkeys(row["method"] for row in decision["rows"] if row.get("vs_resize"))
    methods = [row for row in rows if names.competes(row)]
    views = [row for row in methods if names.is_views(row)]
    return views[0] if views else methods[0] if len(methods) == 1 else None


def differences(decision: Saved, method: str, rival: str) -> Cells:
    """A row less one of its baselines; sure as it is among methods with as many tokens."""
    cells = {}
    for row in decision["rows"]:
        pair = row.get(f"vs_{rival}") if row["method"] == method else None
        if pair:
            side = "above" if pair["estimate"] > 0 else "below"
            cells[row["task"], row["budget"]] = pair | {
                "set": row["task"], "budget": row["budget"], "mean": row["mean"],
                "other_mean": row["mean"] - pair["estimate"],
                "side": "open" if pair["p_holm"] > decision["level"] else side,
            }  # fmt: skip
    return cells


def tries_first_claim(decision: Saved) -> bool:
    """Whether methods were measured against `grid`, or nothing else can be answered."""
    grid = any(names.parse(row["method"]).method == "grid" for row in decision["rows"])
    return grid or not scope(decision).own


# ---- the answer ----------------------------------------------------------------------------------


def answer(decision: Saved, about: Scope) -> Answer:
    """The verdict, what is shown, and what is not."""
    ours = f"the default, `{about.row}`," if about.row == "views" else f"`{about.row}`"
    question = f"Does {ours} show more of the answer than resizing the picture?"
    sentences = _own_sentences(about) if about.own else _sentences(decision, about)
    if decision["without"]:
        sentences.append(("Left out on request", f"{join_code(decision['without'])}, an older run"))
    short = _own_short(about) if about.own else _short(decision, about)
    unseen = tuple(_unseen(decision, about))
    return Answer(question, short, _terms(about), tuple(sentences), unseen)


def _short(decision: Saved, about: Scope) -> str:
    cells = about.cells.values()
    if decision["product"] == "GO":
        last = [cell["side"] for cell in cells if cell["budget"] == about.budgets[-1]]
        return "Yes" if "above" in last else "Yes, with few tokens"
    if decision["product"] == "NO-GO":
        return "In part" if any(cell["side"] == "above" for cell in cells) else "No"
    return "Not measured"


def _sentences(decision: Saved, about: Scope) -> list[tuple[str, str]]:
    missing = [reason for rule in RULES for reason in decision[rule.name]["missing"]]
    pairs = [("Missing", "; ".join(dict.fromkeys(missing)))] if missing else []
    if not about.cells:
        return pairs
    return [
        ("Surely better", _places(about, _on("above"), _range) or "nowhere"),
        ("No difference shown", _places(about, _on("open"), _largest_loss) or "nowhere"),
        ("Surely worse", _places(about, _on("below"), _range) or "nowhere"),
        *pairs,
    ]


def _own_sentences(about: Scope) -> list[tuple[str, str]]:
    """Only what there is; how many images would tell where these do not."""
    pairs = [
        ("Surely better", _places(about, _on("above"), _range)),
        ("Too few images to tell", _places(about, _too_few, _range)),
        ("Images that would tell", _images_to_tell(about)),
        ("No difference", _places(about, _alike, _largest_loss)),
        ("Surely worse", _places(about, _on("below"), _range)),
    ]
    rules = (
        f"the rules, which are for the whole test bench: {join_words(ALL)}, with "
        f"{join_words(list(map(str, BUDGETS)))} {names.token(SIDE)}"
    )
    return [*filter(lambda pair: pair[1], pairs), ("Not judged", rules)]


def _own_short(about: Scope) -> str:
    cells = list(about.cells.values())
    sides = {cell["side"] for cell in cells}
    if "below" in sides:
        return "In part, on these questions" if "above" in sides else "No, on these questions"
    if "above" in sides:
        better = sorted({cell["budget"] for cell in cells if cell["side"] == "above"})
        return f"Yes, with {format_budgets(better, about.budgets)} tokens, on these questions"
    if any(map(_too_few, cells)):
        questions = plural(sum(entry["n"] for entry in about.sets), "question")
        images = plural(sum(entry["images"] for entry in about.sets), "image")
        return f"Too few images to tell ({questions} on {images})"
    return f"No difference of {100 * EFFECT:g} points or more, on these questions"


def _too_few(cell: Saved) -> bool:
    """Whether neither a difference nor its absence is shown: the interval leaves room for both."""
    return cell["side"] == "open" and not -EFFECT < cell["low"] <= cell["high"] < EFFECT


def _alike(cell: Saved) -> bool:
    return cell["side"] == "open" and not _too_few(cell)


def _on(side: str) -> Callable[[Saved], bool]:
    return lambda cell: cell["side"] == side


def _images_to_tell(about: Scope) -> str:
    """How many images would show the differences that these do not."""
    texts = []
    for (name, budget), cell in about.cells.items():
        needed = cell["images_needed"] if _too_few(cell) else None
        if needed:
            where = f" on {name}" if len(about.sets) > 1 else ""
            count = f"more than {MAX_IMAGES:,}" if needed > MAX_IMAGES else f"about {needed:,}"
            texts.append(f"{count} with {budget} tokens{where}")
    true = "if the true difference is as large as the one measured (found four times in five)"
    return f"{join_words(texts)}, {true}" if texts else ""


# ---- sets and budgets in words -------------------------------------------------------------------


def _places(
    about: Scope, holds: Callable[[Saved], bool], describe: Callable[[Sequence[Saved]], str]
) -> str:
    """Sets of which it holds with the same budgets, together."""
    groups: dict[tuple[int, ...], list[Saved]] = {}
    for entry in about.sets:
        cells = [about.cells.get((entry["set"], budget)) for budget in about.budgets]
        if budgets := tuple(cell["budget"] for cell in cells if cell and holds(cell)):
            groups.setdefault(budgets, []).append(entry)
    texts = []
    for budgets, sets in sorted(groups.items(), key=lambda pair: (-len(pair[0]), pair[0])):
        cells = [about.cells[entry["set"], budget] for entry in sets for budget in budgets]
        tokens = f"{format_budgets(budgets, about.budgets)} tokens"
        detail = f" ({text})" if (text := describe(cells)) else ""
        texts.append(f"{_labels(sets, about.sets)} with {tokens}{detail}")
    return "; ".join(texts)


def _labels(sets: Sequence[Saved], measured: Sequence[Saved]) -> str:
    """Sets in plain words; all sets, or all photos, are not named singly."""
    if len(sets) == len(measured) > 1:
        return f"all {len(sets)} sets"
    photos = [entry["set"] for entry in measured if entry["group"] == "photos"]
    together = len(photos) > 1 and set(photos) <= {entry["set"] for entry in sets}
    labels = [entry["label"] for entry in sets if not (together and entry["set"] in photos)]
    return join_words(labels + ([f"photos ({len(photos)} sets)"] if together else []))


def _range(cells: Sequence[Saved]) -> str:
    means = [cell["estimate"] for cell in cells]
    low, high = format_points(min(means), 0), format_points(max(means), 0)
    return f"{low} points" if low == high else f"{low} to {high} points"


def _largest_loss(cells: Sequence[Saved]) -> str:
    """The largest loss in the mean, if it is a point or more."""
    worst = min(cells, key=lambda cell: cell["estimate"])
    if worst["estimate"] > -0.01:
        return ""
    return f"with {worst['budget']} {format_difference(worst, 0)} points"


def _terms(about: Scope) -> str:
    """Every word that the chart and the table use: whose eyes, whose tokens."""
    words = names.ROW_WORDS
    readers: dict[str, list[str]] = {}
    for entry in about.sets:
        readers.setdefault(entry["measured_by"], []).append(entry["label"])
    eyes = "; ".join(f"{reader} ({join_words(labels)})" for reader, labels in readers.items())
    sides = join_words(list(dict.fromkeys(names.token(entry["token"]) for entry in about.sets)))
    text = (
        f"`{about.row}`: {words.get(about.row, 'the method that was measured')}; `resize`: "
        f"{words['resize']}."
    )
    if not eyes:
        return text
    return (
        f"{text} Counted in {sides}. **Score** (0 to 1), by whose eyes: {eyes}. With `crop` the "
        "reader is pointed at the answer's box, with `anywhere` it is not; evidence is the share "
        "of the named thing that is shown so large. A **point** is a hundredth. **Surely**: "
        "significant at 5 % after Holm's correction."
    )


# ---- what could not be seen ----------------------------------------------------------------------


def _unseen(decision: Saved, about: Scope) -> list[tuple[str, str]]:
    pairs = [
        ("Answers of a vision-language model", "none was asked: this is what its tokens still show")
    ]
    pairs += _small_differences(decision, about)
    pairs += _own_controls(decision, about) if about.own else _missing_controls(decision)
    if alike := _same_question(decision, about):
        text = "another image's question scores as well there: it is no control"
        pairs.append((f"What the question does on {join_words(alike)}", text))
    suites = {entry["suite"] for entry in about.sets}
    if photos := [names.LABELS[suite] for suite in DETECTOR if suite in suites]:
        text = f"the shipped detector was trained on photos such as {join_words(photos)}"
        pairs.append(("Photos of another kind", text))
    tasks = [task for task in decision["tasks"] if about.own]
    columns = dict.fromkeys(column for task in tasks for column in task["columns"])
    if others := [name for name in columns if name not in {task["column"] for task in tasks}]:
        pairs.append(("Other scores of these runs", f"{join_code(others)} (`decide --column`)"))
    return pairs


def _small_differences(decision: Saved, about: Scope) -> list[tuple[str, str]]:
    """The smallest difference that would have been found, where none was."""
    labels = {entry["set"]: entry["label"] for entry in about.sets}
    worst: dict[str, float] = {}
    for row in decision["rows"]:
        pair = row.get("vs_resize") if row["task"] in labels else None
        if row["method"] == about.row and pair and "detectable" in pair:
            worst[row["task"]] = max(worst.get(row["task"], 0.0), pair["detectable"])
    order = sorted(worst.items(), key=lambda pair: -pair[1])
    sizes = ", ".join(f"{labels[name]} {100 * size:.0f}" for name, size in order)
    lead = "where none is shown, the smallest that is found four times in five, in points: "
    return [("Small differences", lead + sizes)] if sizes else []


def _missing_controls(decision: Saved) -> list[tuple[str, str]]:
    """Controls that were left out or not measured, by set."""
    by_missing: dict[tuple[str, ...], list[str]] = {}
    for task in decision["tasks"]:
        missing = (*task["left_out"], *task["missing"])
        by_missing.setdefault(tuple(sorted(missing)), []).append(task["task"])
    pairs = [(", ".join(missing), join_words(sets)) for missing, sets in by_missing.items()]
    texts = [f"{missing} on {sets}" for missing, sets in pairs if missing]
    return [("Controls that were not measured", "; ".join(texts))] if texts else []


def _own_controls(decision: Saved, about: Scope) -> list[tuple[str, str]]:
    """Which rows would tell whether the question is why, and how to measure them."""
    name = names.parse(about.row)
    base = f"{name.method}@{name.variant}" if name.variant else name.method
    twins = {scorer: f"{base}+{scorer}" for scorer in CONTROLS}
    missing = [twin for key, twin in twins.items() if not differences(decision, about.row, key)]
    if not missing:
        return []
    rows = ",".join([about.row, "resize", *missing])
    size = " --token-size qwen3-vl" if {entry["token"] for entry in about.sets} == {32} else ""
    command = f"`homunculus measure SUITE{size} --methods {rows}`"
    text = f"measure {join_code(missing)}, too, with the other flags of this run: {command}"
    return [("What the question does", text)]


def _same_question(decision: Saved, about: Scope) -> list[str]:
    """Sets on which another image's question makes no difference, with any number of tokens."""
    gaps: dict[str, list[float]] = {}
    for (name, _), cell in differences(decision, about.row, "shuffled").items():
        gaps.setdefault(name, []).append(abs(cell["estimate"]))
    return [entry["label"] for entry in about.sets if max(gaps.get(entry["set"], [1.0])) < EFFECT]
