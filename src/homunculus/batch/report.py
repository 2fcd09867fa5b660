"""What a batch says as it runs and at its end: rows a second, the bill, and doubtful plans."""

import json
from collections import Counter
from dataclasses import dataclass, field
from heapq import nsmallest
from pathlib import Path
from time import monotonic
from typing import Any

from homunculus.batch.faults import LOST
from homunculus.batch.job import SCHEMA, Job
from homunculus.batch.write import LEAST_SURE, NAMES

SHOWN = 5
"""Plans of least value that a terminal names; `summary.json` has more."""


@dataclass
class Tally:
    """Sums over finished shards."""

    total: int
    """Rows that the input promises."""
    rows: int = 0
    sums: Counter[str] = field(default_factory=Counter[str])
    errors: Counter[str] = field(default_factory=Counter[str])
    least: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    """Value and row of the plans of least value."""
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
        names = ("tokens", "untouched", "original")
        self.sums.update({name: totals[name] for name in names})
        self.sums.update(
            {f"{name}_ms": int(1000 * time) for name, time in totals["seconds"].items()}
        )
        least = [(value, row) for value, row in totals["least"]]
        self.least = nsmallest(LEAST_SURE, self.least + least)
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
        bill = {
            "model": rule.name, "token_px": rule.token_px,
            "before": self.sums["untouched"], "after": self.sums["tokens"],
        }  # fmt: skip
        names = ("open", "scout", "plan")
        return {
            "schema": SCHEMA, "job": job.facts(), "rows": self.rows, "shards": shards,
            "done": self.rows - sum(self.errors.values()), "errors": dict(self.errors),
            "lost": sum(self.errors[kind] for kind in LOST),
            "resized": {**self.resized, "names": self.names}, "original": self.sums["original"],
            "least_sure": [{"id": row, "value": value} for value, row in self.least],
            "bill": bill, "stopped": stopped,
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
    if plans := summary["least_sure"][:SHOWN]:
        names = ", ".join(f"{plan['id']} ({plan['value']:.2f})" for plan in plans)
        lines.append(f"least likely to show their answer: {names}")
    if bill["before"]:
        share = bill["after"] / bill["before"]
        lines.append(
            f"image tokens as {bill['model']} counts them: {bill['before']:,} before, "
            f"{bill['after']:,} after ({share:.1%})"
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
    ellipsis = ", ..." if unsure + no_question > len(resized["names"]) else ""
    return [
        f"only resized, without a window: {unsure + no_question:,} ({'; '.join(reasons)})",
        f"  {', '.join(resized['names'])}{ellipsis}",
    ]


def event(kind: str, **facts: Any) -> str:
    """One line for machines."""
    return json.dumps({"event": kind, **facts})
