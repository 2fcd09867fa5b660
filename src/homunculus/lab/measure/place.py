# pyright: basic
"""Is the scout as sure as it should be? Where answers stand against where it expects them.

Cells are sorted by their probability. If it is calibrated, a tenth of all answers stand in the
likeliest cells that hold a tenth of the probability, two tenths in those that hold two tenths, and
so on. Beside it, how likely the answers' places are for other values of `Sight.sure`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from statistics import fmean
from typing import Any

import torch

from homunculus.core.pipeline import Scout
from homunculus.lab.measure.height import each_question
from homunculus.lab.measure.report import provenance
from homunculus.lab.measure.spend import open_sheet
from homunculus.lab.measure.suite import Question
from homunculus.planner import believe, scout_cells

LEVELS = tuple(tenth / 10 for tenth in range(1, 11))
SURES = (0.5, 0.8, 0.9, 0.95, 0.97, 0.99, 1.0)


@dataclass(frozen=True)
class Found:
    """One answer."""

    question: Question
    sure: float
    """How sure the scout is of its map."""
    before: float
    """Probability of the cells that are likelier than the answer's, that cell included."""
    mapped: float
    """Probability of the answer's cell by the map alone, in shares of an even map's."""


def measure_places(
    folders: Sequence[Path],
    scout: Scout,
    only: str | None = None,
    side: int = 1024,
    limit: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Reliability by suite and part, and over all; the result for `results/`."""
    origin = provenance()
    by_part: dict[str, list[Found]] = {}
    for name, one in each_question(folders, only, limit, seed, progress):
        by_part.setdefault(name, []).append(find(one, scout, side))
    every = [one for found in by_part.values() for one in found]
    table = {name: summary(found) for name, found in (by_part | {"all": every}).items()}
    rows = {name: [_row(one) for one in found] for name, found in by_part.items()}
    settings = {"task": "place", "suites": [folder.name for folder in folders], "side": side}
    return origin | settings | {"seed": seed, "limit": limit, "table": table, "rows": rows}


def find(one: Question, scout: Scout, side: int) -> Found:
    """Where the middle of an answer stands among all cells."""
    sheet = open_sheet(one.path, side, 32)
    high, wide = (int(length) for length in sheet.page.pixels.shape[1:])
    grid, cell = scout_cells((high, wide))
    sight = scout(sheet.page.pixels, one.text, grid)
    place = believe(sight, (high, wide)).place
    if not sight.sure:
        place = torch.full(grid, 1 / place.numel())
    left, top, right, bottom = sheet.box(one.boxes[0])
    row = min(grid[0] - 1, int((top + bottom) / 2 / cell))
    col = min(grid[1] - 1, int((left + right) / 2 / cell))
    share = torch.softmax(sight.logit.flatten(), 0).view(grid) if sight.sure else place
    before = float(place[place >= place[row, col]].sum())
    return Found(one, sight.sure, min(1.0, before), float(share[row, col]) * share.numel())


def summary(found: Sequence[Found]) -> dict[str, Any]:
    """How many answers stand where each share of the probability is, and the mean gap (ECE)."""
    held = [fmean(one.before <= level for one in found) for level in LEVELS]
    gap = fmean(abs(have - level) for have, level in zip(held, LEVELS, strict=True))
    likely = {
        str(sure): round(fmean(log(max(1e-9, sure * f.mapped + 1 - sure)) for f in found), 3)
        for sure in SURES
    }
    return {
        "n": len(found),
        "images": len({one.question.image for one in found}),
        "sure": round(fmean(one.sure for one in found), 3),
        "levels": list(LEVELS),
        "held": [round(one, 3) for one in held],
        "error": round(gap, 3),
        "log_likelihood": likely,
    }


def _row(one: Found) -> dict[str, Any]:
    return {
        "row": one.question.row,
        "sure": one.sure,
        "before": round(one.before, 4),
        "mapped": round(one.mapped, 4),
    }


def text(result: dict[str, Any]) -> str:
    """The table for people."""
    head = "".join(f"{level:>6.1f}" for level in LEVELS)
    lines = [
        "share of answers in the likeliest cells that hold so much of the probability",
        f"{'':<24}{'n':>5}{head}   ECE",
    ]
    for name, found in result["table"].items():
        held = "".join(f"{one:>6.2f}" for one in found["held"])
        lines.append(f"{name:<24}{found['n']:>5}{held}{found['error']:>6.2f}")
    return "\n".join(lines)
