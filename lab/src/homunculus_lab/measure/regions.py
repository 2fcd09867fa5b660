# pyright: basic
"""Blind spots: how legible is the answer, what is near it, and what is far from it.

Keeping the K most relevant cells may starve the rest of a page. Here the rest is the answers of
the page's other questions: near the target they are secondary, far from it
peripheral. Density is the share of the pixels of such a place that is kept.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from homunculus_lab.measure.metric import difference, evidence, interval, overlap
from homunculus_lab.measure.report import Measured
from homunculus_lab.measure.row import Map
from homunculus_lab.measure.spend import Selection, Sheet
from homunculus_lab.measure.suite import Box, Question

NEAR = 0.25
"""Of the page's longer side: what is no farther from the target is secondary."""
PLACES = ("target", "secondary", "periphery")
COLUMNS = (*PLACES, *(f"{place} density" for place in PLACES))


def regions(
    questions: Sequence[Question], least: float, things: bool = False
) -> Callable[[Selection, Sheet, Question, Box], list[float | None]]:
    """A probe: evidence of the three places, then their density; None where there is no such."""
    by_image: dict[str, list[Question]] = {}
    for one in questions:
        by_image.setdefault(one.image, []).append(one)

    def probe(
        selection: Selection, sheet: Sheet, question: Question, best: Box
    ) -> list[float | None]:
        patch = selection.patch or sheet.page.patch
        limit = NEAR * max(sheet.page.pixels.shape[1:])
        shares: dict[str, list[float]] = {place: [] for place in PLACES}
        shares["target"].append(evidence(selection.level, [best], patch, least, things))
        for boxes in _others(question, by_image.get(question.image, ()), sheet, best):
            away = min(_apart(box, best) for box in boxes)
            place = "secondary" if away <= limit else "periphery"
            shares[place].append(evidence(selection.level, boxes, patch, least, things))
        means = [sum(one) / len(one) if one else None for one in shares.values()]
        return means + _density(selection.level, best, patch, limit)

    return probe


def _others(
    question: Question, questions: Sequence[Question], sheet: Sheet, best: Box
) -> list[list[Box]]:
    """Boxes of the page's other answers, each once, without any that touches the target."""
    others: dict[tuple[Box, ...], None] = {}
    for one in questions:
        if one.row != question.row and one.boxes:
            others[tuple(sheet.box(box) for box in one.boxes)] = None
    return [list(boxes) for boxes in others if not any(_meet(box, best) for box in boxes)]


def _meet(one: Box, other: Box) -> bool:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    return wide > 0 and min(one[3], other[3]) - max(one[1], other[1]) > 0


def _apart(one: Box, other: Box) -> float:
    """Pixels between two centres."""
    x, y = (one[0] + one[2] - other[0] - other[2]) / 2, (one[1] + one[3] - other[1] - other[3]) / 2
    return (x * x + y * y) ** 0.5


def _density(level: Map, best: Box, patch: int, limit: float) -> list[float | None]:
    """Kept pixels to a pixel: in the target, around it, elsewhere."""
    grid = (int(level.shape[0]), int(level.shape[1]))
    share = torch.where(level.isfinite(), 0.25 ** level.clamp(max=64), 0.0)
    target = overlap(best, grid, patch) > 0
    y = (torch.arange(grid[0]) + 0.5) * patch - (best[1] + best[3]) / 2
    x = (torch.arange(grid[1]) + 0.5) * patch - (best[0] + best[2]) / 2
    near = (y[:, None].square() + x.square()).sqrt() <= limit
    places = (target, near & ~target, ~near & ~target)
    return [float(share[place].mean()) if place.any() else None for place in places]


def summary(
    measured: Sequence[Measured], name: str, columns: Sequence[str], seed: int
) -> dict[str, Any]:
    """Means and intervals of a probe by row, budget and column, where there is a value."""
    rows: dict[str, Any] = {}
    for row, slots in _cells(measured, name):
        cell = {}
        for at, column in enumerate(columns):
            values = [(one.more[name][row][slots][at], one.question.image) for one in measured]
            values = [(value, image) for value, image in values if value is not None]
            if values:
                cell[column] = interval(*map(list, zip(*values, strict=True)), seed=seed)
        rows.setdefault(row, {})[slots] = cell
    return rows


def against(
    measured: Sequence[Measured], name: str, columns: Sequence[str], rival: str, seed: int
) -> dict[str, Any]:
    """Paired differences to one row."""
    cells = _cells(measured, name)
    rows: dict[str, Any] = {}
    for row, slots in cells:
        if row == rival or (rival, slots) not in cells:
            continue
        cell = {}
        for at, column in enumerate(columns):
            values = [
                (one.more[name][row][slots][at], one.more[name][rival][slots][at], one)
                for one in measured
            ]
            values = [(a, b, one.question.image) for a, b, one in values if None not in (a, b)]
            if values:
                cell[column] = difference(*map(list, zip(*values, strict=True)), seed=seed)
        rows.setdefault(f"{row} - {rival}", {})[slots] = cell
    return rows


def _cells(measured: Sequence[Measured], name: str) -> list[tuple[str, str]]:
    first: Mapping[str, Any] = measured[0].more.get(name, {}) if measured else {}
    return [(row, slots) for row, by_slots in first.items() for slots in by_slots]


def section(measured: Sequence[Measured], seed: int) -> dict[str, Any]:
    """As it stands in a result."""
    row, slots = _cells(measured, "regions")[0]
    first = [one.more["regions"][row][slots] for one in measured]
    return {
        "n": len(measured),
        "images": len({one.question.image for one in measured}),
        "unit": "share of the boxes there that is legible; density: kept pixels to a pixel",
        "told": {
            place: sum(one[at] is not None for one in first) for at, place in enumerate(PLACES)
        },
        "near": NEAR,
        "table": summary(measured, "regions", COLUMNS, seed),
        "paired": against(measured, "regions", COLUMNS, "grid", seed),
    }


COVERAGE = ("covered", "whole", "gap", "fewest")


def coverage(
    selection: Selection, sheet: Sheet, question: Question, best: Box
) -> list[float | None]:
    """A probe: share of the image that is covered, whether it is all, the worst gap in cells, the
    fewest slots in a sixteenth of the image. `resize` covers all by making all smaller.
    """
    if selection.certify is None:
        return [1.0, 1.0, 0.0, None]
    certificate = selection.certify()
    share = float(certificate.covered[0])
    return [share, float(share == 1), float(certificate.gap[0]), float(certificate.fewest[0])]
