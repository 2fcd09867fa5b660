"""What a picture costs with each model, as it is and as views."""

import re
from typing import Any

from homunculus.checks import check_count
from homunculus.pages import open_picture
from homunculus.planner.bill import least, most_spent
from homunculus.planner.counting import DEFAULT_TOKENS, CountingRule, Size
from homunculus.planner.models import MODELS, token_rule

KNOWN = {
    "code": "the model's code",
    "documents": "the provider's documents",
    "measured": "measurements of others",
    "reported": "one report",
}
"""How a count is known, for people."""
HEAD = f"{'model':<20}{'untouched':>10}{'views':>8}{'saved':>7}  known by"
_SIZE = re.compile(r"(\d{1,6})x(\d{1,6})")


def costs(source: Any, model: str = "all", tokens: int = DEFAULT_TOKENS) -> list[dict[str, Any]]:
    """A row for each model: what the picture costs untouched, and at most as views.

    ``source`` is a picture or its width and height in pixels, as in "4032x3024".

    >>> costs("1920x1080", "qwen3-vl", tokens=64)[0]["untouched"]
    2040
    """
    tokens = check_count(tokens, "costs: tokens")
    size = _size_of(source)
    rules = MODELS.values() if model == "all" else [token_rule(model)]
    return [_row(rule, size, tokens) for rule in rules]


def _size_of(source: Any) -> Size:
    text = _SIZE.fullmatch(source) if isinstance(source, str) else None
    if not text:
        return open_picture(source).original
    wide, high = (int(side) for side in text.groups())
    if not (wide and high):
        raise ValueError(f"cost: expected width x height from 1 pixel on, got {source}.")
    return high, wide


def _row(rule: CountingRule, size: Size, tokens: int) -> dict[str, Any]:
    facts = rule.facts
    return {
        "model": rule.name,
        "whose": facts.whose,
        "width": size[1],
        "height": size[0],
        "untouched": rule.count(size),
        "views": most_spent(rule, size, tokens),
        "least": least(rule),
        "least_edge": facts.least_edge,
        "sure": facts.sure,
        "source": facts.source,
        "date": facts.date,
        "note": facts.note,
    }


def table(rows: list[dict[str, Any]]) -> str:
    """The rows for people."""
    wide, high = rows[0]["width"], rows[0]["height"]
    lines = [f"{wide}x{high} pixels", HEAD]
    for row in rows:
        known = f"{KNOWN.get(row['sure'], row['sure'])}, {row['date']}"
        views = f"{row['views']:,}" if row["views"] else "-"
        less = f"{1 - row['views'] / row['untouched']:.0%}" if row["views"] else "-"
        lines.append(f"{row['model']:<20}{row['untouched']:>10,}{views:>8}{less:>7}  {known}")
    lines += [
        f"-: a picture costs {row['least']:,} or more with {row['model']}"
        for row in rows
        if not row["views"]
    ]
    if len(rows) > 1:
        notes = ["`--model NAME` shows one model, with notes on how it counts."]
    else:
        notes = [f"{row['model']}: {row['note']}" for row in rows if row["note"]]
    return "\n".join([*lines, "", *notes]).rstrip()
