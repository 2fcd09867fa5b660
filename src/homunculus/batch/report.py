"""What a batch says as it runs and at its end: rows a second, the bill, and doubtful plans."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from html import escape
from importlib import import_module
from io import BytesIO
from itertools import cycle
from pathlib import Path
from time import monotonic
from typing import Any

from homunculus.batch.faults import LOST
from homunculus.batch.job import SCHEMA, WHO, Job
from homunculus.batch.read import Row, Shard, rows_of
from homunculus.batch.work import open_page
from homunculus.batch.write import LEAST_SURE, NAMES, Output
from homunculus.lazy import need
from homunculus.pages import to_data_uri

SIDE = 640
"""Pixels along the longer side of a picture on the page of doubtful plans."""


@dataclass
class Tally:
    """Sums over finished shards."""

    total: int
    """Rows that the input promises."""
    price: float | None = None
    """Money for a million input tokens."""
    rows: int = 0
    sums: Counter[str] = field(default_factory=Counter[str])
    errors: Counter[str] = field(default_factory=Counter[str])
    least: list[tuple[float, str, str]] = field(default_factory=list[tuple[float, str, str]])
    """Value, row and shard of the plans of least value."""
    resized: Counter[str] = field(default_factory=Counter[str])
    """Rows that were only resized, by reason."""
    names: list[str] = field(default_factory=list[str])
    """Some of them."""
    keys: set[str] = field(default_factory=set[str])
    """Shards that are counted."""
    start: float = field(default_factory=monotonic)
    fresh: int = 0
    """Rows of this run, finished or not."""

    def add(self, key: str, totals: dict[str, Any]) -> None:
        """One more shard is finished."""
        self.keys.add(key)
        self.rows += totals["rows"]
        self.errors.update(totals["errors"])
        names = ("tokens", "untouched", "prompt_tokens", "answer_tokens", "original")
        self.sums.update({name: totals[name] for name in names})
        self.sums.update(
            {f"{name}_ms": int(1000 * time) for name, time in totals["seconds"].items()}
        )
        least = [*self.least, *((value, row, key) for value, row in totals["least"])]
        self.least = nsmallest(LEAST_SURE, least)
        resized = totals["resized"]
        self.resized.update({name: resized[name] for name in ("unsure", "no_question")})
        self.names = sorted([*self.names, *resized["names"]])[:NAMES]

    @property
    def speed(self) -> float:
        """Rows a second in this run."""
        return self.fresh / max(monotonic() - self.start, 1e-9)

    def words(self) -> str:
        """For a line of progress."""
        spent, untouched = self.sums["tokens"], self.sums["untouched"]
        parts = [f"{self.speed:.2f} rows/s"]
        if untouched:
            parts.append(f"{spent:,} tokens spent, {untouched - spent:,} saved")
        if errors := self.errors.total():
            parts.append(f"{errors} errors")
        return ", ".join(parts)

    def facts(self) -> dict[str, Any]:
        """For machines, at any time."""
        left = max(0, self.total - self.rows) / self.speed if self.fresh else None
        return {
            "rows": self.rows, "total": self.total, "rows_per_second": round(self.speed, 3),
            "tokens": self.sums["tokens"], "untouched": self.sums["untouched"],
            "saved": self.sums["untouched"] - self.sums["tokens"],
            "errors": dict(self.errors), "seconds_left": None if left is None else round(left),
        }  # fmt: skip

    def summary(self, job: Job, shards: int, stopped: bool) -> dict[str, Any]:
        """All of it, with the bill."""
        rule, facts = job.rule, self.facts()
        seconds = round(monotonic() - self.start, 2)
        bill: dict[str, Any] = {
            "model": rule.name, "token_px": rule.token_px,
            "before": self.sums["untouched"], "after": self.sums["tokens"],
        }  # fmt: skip
        if self.price is not None:
            bill |= {
                "price_per_million": self.price,
                "money_before": round(self.sums["untouched"] * self.price / 1e6, 4),
                "money_after": round(self.sums["tokens"] * self.price / 1e6, 4),
            }
        names = ("open", "scout", "plan", "answer")
        return {
            "schema": SCHEMA, "job": job.facts(), "rows": self.rows, "shards": shards,
            "done": self.rows - sum(self.errors.values()), "errors": dict(self.errors),
            "lost": sum(self.errors[kind] for kind in LOST),
            "resized": {**self.resized, "names": self.names}, "original": self.sums["original"],
            "bill": bill, "prompt_tokens": self.sums["prompt_tokens"],
            "answer_tokens": self.sums["answer_tokens"], "stopped": stopped,
            "run": {"rows": self.fresh, "seconds": seconds,
                    "rows_per_second": facts["rows_per_second"]},
            "worker_seconds": {name: self.sums[f"{name}_ms"] / 1000 for name in names},
        }  # fmt: skip


def text(summary: dict[str, Any], folder: Path) -> str:
    """The summary for people."""
    bill, errors = summary["bill"], sum(summary["errors"].values())
    rows, run = summary["rows"], summary["run"]
    lines = [f"{rows:,} rows in {folder}: {summary['done']:,} done, {errors:,} errors"]
    lines += [f"  {kind}: {number:,}" for kind, number in sorted(summary["errors"].items())]
    if summary["lost"]:
        lines.append(
            f"{summary['lost']:,} of the errors have no reason in the input. Run the same command "
            "with --retry-lost to make these rows again."
        )
    lines += _resized(summary["resized"])
    if summary["original"]:
        lines.append(f"left as they are: {summary['original']:,}")
    if bill["before"]:
        share = bill["after"] / bill["before"]
        lines.append(
            f"image tokens as {bill['model']} counts them: {bill['before']:,} before, "
            f"{bill['after']:,} after ({share:.1%})"
        )
    if "money_before" in bill:
        price = f"at {bill['price_per_million']:g} a million tokens"
        lines.append(
            f"money {price}: {bill['money_before']:,.2f} before, {bill['money_after']:,.2f} after"
        )
    lines.append(
        f"this run: {run['rows']:,} rows in {run['seconds']:,.0f} s, "
        f"{run['rows_per_second']:.2f} a second"
    )
    if summary["stopped"]:
        lines.append("Stopped before the end. Run the same command again to go on.")
    return "\n".join(lines)


def _resized(resized: dict[str, Any]) -> list[str]:
    """How many rows have no window, why, and which."""
    unsure, no_question = resized["unsure"], resized["no_question"]
    if not unsure + no_question:
        return []
    reasons = [f"the scout does not know where to look in {unsure:,}"] if unsure else []
    reasons += [f"{no_question:,} have no question"] if no_question else []
    more = ", ..." if unsure + no_question > len(resized["names"]) else ""
    return [
        f"only resized, without a window: {unsure + no_question:,} ({'; '.join(reasons)})",
        f"  {', '.join(resized['names'])}{more}",
    ]


# ---- the page of doubtful plans ------------------------------------------------------------------


def least_sure_page(job: Job, out: Output, tally: Tally, shards: Sequence[Shard]) -> Path | None:
    """A page with the plans of least value, drawn on their pictures; None if there is no plan."""
    if not tally.least:
        return None
    by_key, cards = {shard.key: shard for shard in shards}, list[str]()
    for value, name, key in tally.least:
        result = _result(out.path(key), name)
        row = next((row for row in rows_of(job, by_key[key]) if _owns(row, name)), None)
        cards.append(_card(result, value, row))
    path = out.folder / "least-sure.html"
    page = _PAGE.format(cards="\n".join(cards), tokens=job.tokens, model=job.rule.name)
    out.put(path, page.encode())
    return path


def _owns(row: Row, name: str) -> bool:
    """Whether a result comes from this row, as a page of it or as a whole."""
    return name == row.id or (name.startswith(row.id) and name[len(row.id) + 1 :][:5] == "page=")


def _result(path: Path, name: str) -> dict[str, Any]:
    parquet = need("pyarrow.parquet", extra="batch", who=WHO)
    return parquet.read_table(path, filters=[("id", "==", name)]).to_pylist()[0]


def _card(result: dict[str, Any], value: float, row: Row | None) -> str:
    drawing = _drawing(result, row) if row is not None else ""
    windows = sum(view["name"] != "whole" for view in result["views"])
    shown = f"{windows} windows" if windows else "the whole picture"
    estimate = "it is not known where to look"
    if result["value"] is not None:
        estimate = f"legible with probability {value:.2f}"
    return (
        f"<figure>{drawing}<figcaption><b>{escape(result['question'] or '(no question)')}</b><br>"
        f"{estimate}; {shown}, {result['tokens']} of {result['untouched']} tokens; "
        f"{escape(result['relevance'] or '')}<br>"
        f"<small>{escape(result['id'])}</small></figcaption></figure>"
    )


def _drawing(result: dict[str, Any], row: Row) -> str:
    """The picture with its windows, inside the page."""
    from homunculus.show.views import COLOURS, to_pillow

    draw: Any = import_module("PIL.ImageDraw")
    picture = open_page(row, (result["page"] or 1) - 1)
    image = to_pillow(picture)
    image.thumbnail((SIDE, SIDE))
    across, down = image.width / result["width"], image.height / result["height"]
    pen = draw.Draw(image)
    windows = [view for view in result["views"] if view["name"] != "whole"]
    for view, colour in zip(windows, cycle(COLOURS), strict=False):
        near = (view["x0"] * across, view["y0"] * down)
        far = (view["x1"] * across - 1, view["y1"] * down - 1)
        pen.rectangle((near, far), outline=colour, width=3)
    file = BytesIO()
    image.save(file, "jpeg", quality=80)
    return f'<img alt="" src="{to_data_uri(file.getvalue(), "jpeg")}">'


_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Plans to look at</title>
<style>
body {{ font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 84rem;
  padding: 0 1rem; }}
main {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: 1.5rem; }}
figure {{ margin: 0; }}
img {{ width: 100%; max-height: 24rem; object-fit: contain; background: #8882; }}
figcaption {{ padding-top: .4rem; }} small {{ color: #777; overflow-wrap: anywhere; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #16181b; color: #ddd; }} }}
</style>
<h1>Plans to look at</h1>
<p>The plans of this batch that are least likely to show their answer large enough to read, with
{tokens} tokens as {model} counts them. A plan without windows shows the whole picture, reduced.</p>
<main>
{cards}
</main></html>
"""


def event(kind: str, **facts: Any) -> str:
    """One line for machines."""
    return json.dumps({"event": kind, **facts})
