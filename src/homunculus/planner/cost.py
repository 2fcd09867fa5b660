"""What a picture costs with each model, as it is and as views."""

import re
from collections.abc import Sequence
from typing import Any

from homunculus.checks import check_count
from homunculus.pages import open_picture
from homunculus.pages.document import Pages, several_pages
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
HEAD = f"{'model':<20}{'untouched':>11}{'views':>8}{'saved':>7}  known by"
_SIZE = re.compile(r"(\d{1,6})x(\d{1,6})")


def costs(source: Any, model: str = "all", tokens: int = DEFAULT_TOKENS) -> list[dict[str, Any]]:
    """A row for each model: what the picture costs untouched, and at most as views.

    ``source`` is a picture or its width and height in pixels, as in "4032x3024". Of a document (a
    PDF or a TIFF of several pages, a folder, a list of pictures) all pages are counted.

    >>> costs("1920x1080", "qwen3-vl", tokens=64)[0]["untouched"]
    2040
    """
    tokens = check_count(tokens, "costs: tokens")
    sizes = _sizes_of(source)
    rules = MODELS.values() if model == "all" else [token_rule(model)]
    return [_row(rule, sizes, tokens) for rule in rules]


def _sizes_of(source: Any) -> list[Size]:
    text = _SIZE.fullmatch(source) if isinstance(source, str) else None
    if not text:
        source, several = several_pages(source)
        return Pages(source).sizes if several else [open_picture(source).original]
    wide, high = (int(side) for side in text.groups())
    if not (wide and high):
        raise ValueError(f"cost: expected width x height from 1 pixel on, got {source}.")
    return [(high, wide)]


def _row(rule: CountingRule, sizes: Sequence[Size], tokens: int) -> dict[str, Any]:
    facts, size = rule.facts, sizes[0]
    untouched = sum(map(rule.count, sizes))
    views = most_spent(rule, size, tokens)
    if len(sizes) > 1 and views is not None:
        views = min(tokens, untouched)
    return {
        "model": rule.name,
        "whose": facts.whose,
        "pages": len(sizes),
        "width": size[1],
        "height": size[0],
        "untouched": untouched,
        "views": views,
        "least": least(rule),
        "least_edge": facts.least_edge,
        "sure": facts.sure,
        "source": facts.source,
        "date": facts.date,
        "note": facts.note,
    }


def table(rows: list[dict[str, Any]]) -> str:
    """The rows for people."""
    wide, high, pages = (rows[0][name] for name in ("width", "height", "pages"))
    several = f"{pages} pages as pictures, the first of " if pages > 1 else ""
    lines = [f"{several}{wide}x{high} pixels", HEAD]
    for row in rows:
        known = f"{KNOWN.get(row['sure'], row['sure'])}, {row['date']}"
        views = f"{row['views']:,}" if row["views"] else "-"
        less = f"{1 - row['views'] / row['untouched']:.0%}" if row["views"] else "-"
        lines.append(f"{row['model']:<20}{row['untouched']:>11,}{views:>8}{less:>7}  {known}")
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
