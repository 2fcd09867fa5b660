"""The tables of docs/scale.md, from results/bench-batch.json and the assumptions below: `python docs/scale.py`."""

import json
from pathlib import Path

RESULT = json.loads((Path(__file__).parents[1] / "results" / "bench-batch.json").read_text("utf-8"))
COST = RESULT["cost"]
NEW = sum(COST[f"new_{name}_seconds"] for name in ("open", "scout", "plan"))
"""CPU seconds of a new page on one of our cores."""
PAGES = (1_000_000, 100_000_000, 1_000_000_000)
PLACES = {"1 node, 64 cores": 64, "1 node, 8 GPUs, 96 cores": 96, "100 nodes, 6,400 cores": 6_400}
KV = 147_456
"""Bytes of keys and values of a token of Qwen3-VL-8B in bf16."""
ROW = 600
"""Bytes of a plan's row on disk, rounded up from a small run."""


def lasting(seconds: float) -> str:
    """Hours or days."""
    hours = seconds / 3600
    return f"{hours:.1f} h" if hours < 48 else f"{hours / 24:,.0f} days"


def size(count: float) -> str:
    """Bytes for people."""
    for unit in ("kB", "MB", "GB", "TB"):
        count /= 1000
        if count < 1000:
            return f"{count:.3g} {unit}"
    return f"{count / 1000:.3g} PB"


def time_table() -> list[str]:
    """How long scouting and planning take, by cores."""
    lines = ["| new pages | " + " | ".join(PLACES) + " |", "|---" * (1 + len(PLACES)) + "|"]
    for pages in PAGES:
        cells = [lasting(pages * NEW / cores) for cores in PLACES.values()]
        lines.append(f"| {pages:,} | " + " | ".join(cells) + " |")
    speeds = [f"{cores / NEW:,.0f} pages/s" for cores in PLACES.values()]
    return [*lines, "| speed | " + " | ".join(speeds) + " |"]


def byte_table() -> list[str]:
    """What is read and written, and how many tokens it is about."""
    lines = ["| pages | read | plans on disk | requests on disk | tokens before | after |"]
    lines.append("|---" * 6 + "|")
    for pages in PAGES:
        read, rows = size(pages * COST["file_bytes"]), size(pages * ROW)
        requests = size(pages * COST["request_bytes"])
        before, after = (pages * COST[name] / 1e9 for name in ("untouched", "tokens"))
        lines.append(
            f"| {pages:,} | {read} | {rows} | {requests} | {before:,.3g} G | {after:,.3g} G |"
        )
    return lines


if __name__ == "__main__":
    print(f"a new page: {NEW:.2f} CPU s; 8 GPUs at 20 pages/s each: {8 * 20 * NEW:.0f} cores")
    print("\n".join([*time_table(), "", *byte_table()]))
    before, after = (COST[name] * KV for name in ("untouched", "tokens"))
    print(f"keys and values of a page: {size(before)} before, {size(after)} after")
