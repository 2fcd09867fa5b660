# pyright: basic
"""The answer for a suite of one's own: from its rows, not by the rules of the whole test bench."""

from typing import Any

from homunculus_lab.decide import names
from homunculus_lab.decide.blocks import format_budgets, join_words, plural
from homunculus_lab.decide.compare import EFFECT
from homunculus_lab.decide.product import ALL, BUDGETS, SIDE

Saved = dict[str, Any]
"""The decision as `decision.decide` returns it, or a part of it."""
Cells = dict[tuple[str, int], Saved]
"""A row less its rival with as many tokens, by set and budget."""
OURS = ("legibility", "evidence", "things")
"""What `measure` does with a suite; official tasks are nobody's own."""
TOO_FEW = "Too few images to tell"
MOST = 2000
"""More images than this are not worth a number."""


def is_partial(decision: Saved) -> bool:
    """Whether the runs hold less than half of what the rules ask for, as one's own suite does."""
    tasks = decision["tasks"]
    groups = {names.group(task["suite"], task["kind"]) for task in tasks}
    measured = bool(decision["rows"]) and all(task["measure"] in OURS for task in tasks)
    return decision["product"] != "GO" and measured and len(groups & set(ALL)) < len(ALL) / 2


def subject(decision: Saved) -> str | None:
    """The row to answer for: `views`, or the only method that was measured beside `resize`."""
    rows = dict.fromkeys(row["method"] for row in decision["rows"] if row.get("vs_resize"))
    methods = [row for row in rows if names.competes(row)]
    ours = [row for row in methods if names.is_views(row)]
    return ours[0] if ours else methods[0] if len(methods) == 1 else None


def is_own(decision: Saved) -> bool:
    """Whether the report answers for these runs alone."""
    return is_partial(decision) and subject(decision) is not None


def tries_first_claim(decision: Saved) -> bool:
    """Whether methods were measured against `grid`, or nothing else can be answered."""
    grid = any(names.parse(row["method"]).method == "grid" for row in decision["rows"])
    return grid or not is_own(decision)


def own_cells(decision: Saved, rival: str = "resize") -> Cells:
    """The subject less one of its baselines; sure as it is among methods with as many tokens."""
    method = subject(decision)
    cells = {}
    for row in decision["rows"]:
        pair = row.get(f"vs_{rival}") if row["method"] == method else None
        if pair:
            other = row["mean"] - pair["estimate"]
            about = {"set": row["task"], "budget": row["budget"], "other_mean": other}
            cells[row["task"], row["budget"]] = pair | about | {
                "mean": row["mean"], "side": _side(pair, decision["level"]),
            }  # fmt: skip
    return cells


def _side(pair: Saved, level: float) -> str:
    if pair["p_holm"] > level:
        return "open"
    return "above" if pair["estimate"] > 0 else "below"


def own_sets(decision: Saved) -> list[Saved]:
    """The suites of these runs that have the subject and `resize`."""
    there = {name for name, _ in own_cells(decision)}
    return [
        {
            "set": task["task"], "label": task["task"], "suite": task["suite"],
            "group": names.group(task["suite"], task["kind"]), "n": task["n"],
            "images": task["images"], "measured_by": task["measured_by"], "token": task["token"],
        }
        for task in decision["tasks"]
        if task["task"] in there
    ]  # fmt: skip


def too_few(cell: Saved) -> bool:
    """Whether neither a difference nor its absence is shown: the interval leaves room for both."""
    return cell["side"] == "open" and not -EFFECT < cell["low"] <= cell["high"] < EFFECT


def own_short(decision: Saved) -> str:
    """The short answer."""
    cells = own_cells(decision)
    sides = {one["side"] for one in cells.values()}
    if "below" in sides:
        return "In part, on these questions" if "above" in sides else "No, on these questions"
    if "above" in sides:
        better = sorted({budget for (_, budget), one in cells.items() if one["side"] == "above"})
        every = sorted({budget for _, budget in cells})
        return f"Yes, with {format_budgets(better, every)} tokens, on these questions"
    if any(map(too_few, cells.values())):
        questions = sum(one["n"] for one in own_sets(decision))
        images = sum(one["images"] for one in own_sets(decision))
        many = f"{plural(questions, 'question')} on {plural(images, 'image')}"
        return f"{TOO_FEW} ({many})"
    return f"No difference of {100 * EFFECT:g} points or more, on these questions"


def images_to_tell(decision: Saved) -> str:
    """How many images would show the differences that these do not."""
    cells, sets = own_cells(decision), own_sets(decision)
    texts = []
    for one in sets:
        own = [cell for (name, _), cell in cells.items() if name == one["set"] and too_few(cell)]
        counts = [(cell["budget"], needed) for cell in own if (needed := cell["images_needed"])]
        where = f" on {one['label']}" if len(sets) > 1 else ""
        if counts:
            texts.append(f"{join_words([_count(*pair) for pair in counts])}{where}")
    if not texts:
        return ""
    return (
        f"{'; '.join(texts)}, if the true difference is as large as the one measured (then it is "
        "found four times in five)"
    )


def _count(budget: int, images: int) -> str:
    many = f"more than {MOST:,}" if images > MOST else f"about {images:,}"
    return f"{many} with {budget} tokens"


def not_judged() -> str:
    """Why there is no verdict by rule."""
    return (
        f"the rules, which are for the whole test bench: {join_words(list(ALL))}, with "
        f"{join_words(list(map(str, BUDGETS)))} {names.token(SIDE)}"
    )
