# pyright: basic
"""Is the scout as sure as it should be? Where answers stand against where it expects them.

Cells are sorted by their probability. If it is calibrated, a tenth of all answers stand in the
likeliest cells that hold a tenth of the probability, two tenths in those that hold two tenths, and
so on. Beside it, how likely the answers' places are for other values of `Sight.sure`; and of those
answers that it says to know, how sure it is and how often it is right: the answer's middle stands
in the likeliest cells that hold nine tenths of its map. Every picture is asked the question of
another one, too: a scout that says to know that is wrong; one that does not has it resized. How
often nothing that a question names is found, on its own picture and on another, tells how far to
trust an estimate then (`homunculus.planner.belief.NOT_FOUND`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import numpy as np

from homunculus.eyes.provenance import provenance
from homunculus.planner.acuity import VLM
from homunculus.planner.belief import believe, scout_cells
from homunculus.scouts.sight import Scout, probabilities
from homunculus_lab.measure.parts import part
from homunculus_lab.measure.spend import open_sheet
from homunculus_lab.measure.suite import Question, draw, read

PARTS = ("pilot", "dev", "train")
"""Parts that are measured if none is named; those that a suite does not have are left out."""
LEVELS = tuple(tenth / 10 for tenth in range(1, 11))
RIGHT = 0.9
"""Share of a map within which an answer counts as found."""
SURES = (0.5, 0.8, 0.9, 0.95, 0.97, 0.99, 1.0)


@dataclass(frozen=True)
class PlacedAnswer:
    """One answer."""

    question: Question
    sure: float
    """How sure the scout is of its map."""
    before: float
    """Probability of the cells that are likelier than the answer's, that cell included."""
    mapped: float
    """Probability of the answer's cell by the map alone, in shares of an even map's."""
    right: bool = False
    """Whether the answer stands where the map says."""
    other: float | None = None
    """How sure the scout is of a question that belongs to another picture."""
    found: bool = True
    """Whether anything that the question names was found."""
    other_found: bool | None = None
    """Whether anything was found for the other question."""


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
    questions: dict[str, list[Question]] = {}
    for name, question in each_question(folders, only, limit, seed, None):
        questions.setdefault(name, []).append(question)
    by_part: dict[str, list[PlacedAnswer]] = {}
    for name, question in each_question(folders, only, limit, seed, progress):
        other = another(question, questions[name], seed)
        by_part.setdefault(name, []).append(find(question, scout, side, other))
    every = [answer for answers in by_part.values() for answer in answers]
    table = {name: summary(answers) for name, answers in (by_part | {"all": every}).items()}
    rows = {name: [_row(answer) for answer in answers] for name, answers in by_part.items()}
    settings = {"task": "place", "suites": [folder.name for folder in folders], "side": side}
    return origin | settings | {"seed": seed, "limit": limit, "table": table, "rows": rows}


def each_question(
    folders: Sequence[Path],
    only: str | None,
    limit: int | None,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> Iterator[tuple[str, Question]]:
    """Suite and part, and a question with boxes; nothing that is kept fresh if no part is named."""
    drawn = [
        (f"{folder.name} {name}", draw(some, limit, seed))
        for folder in folders
        for name, some in _parts(folder, only)
    ]
    total, done = sum(len(some) for _, some in drawn), 0
    for name, some in drawn:
        in_order = sorted(some, key=lambda entry: entry.image)  # a page's features stay in memory
        for question in in_order:
            if progress:
                progress(done, total)
            yield name, question
            done += 1


def _parts(folder: Path, only: str | None) -> list[tuple[str, list[Question]]]:
    questions = [question for question in read(folder) if question.boxes]
    if not questions:
        raise ValueError(f"{folder.name} has no boxes: they are what is measured.")
    if only:
        return [(only, part(questions, only))]
    if questions[0].config.split is None:
        return [("all", part(questions))]
    by_vendor = questions[0].config.split == "vendor"
    return [(name, part(questions, name)) for name in (PARTS if by_vendor else PARTS[:1])]


def another(question: Question, every: Sequence[Question], seed: int) -> Question | None:
    """The question of another picture that this one is never asked."""
    here = {other.text for other in every if other.image == question.image}
    some = [other for other in every if other.image != question.image and other.text not in here]
    return Random(f"{seed} {question.image} {question.row}").choice(some) if some else None


def find(
    question: Question, scout: Scout, side: int, other: Question | None = None
) -> PlacedAnswer:
    """Where the middle of an answer stands among all cells; of several boxes the likeliest."""
    sheet = open_sheet(question.path, side, 32, not question.config.things, question.page)
    high, wide = (int(length) for length in sheet.page.pixels.shape[1:])
    grid, cell = scout_cells((high, wide))
    sight = scout(sheet.page.pixels, question.text, grid)
    place = believe(sight, (high, wide), VLM).place
    if not sight.sure:
        place = np.full(grid, 1 / place.size)
    share = probabilities(sight.logit) if sight.sure else place
    middles = [_cell(sheet.box(box), cell, grid) for box in question.boxes]
    middle = max(middles, key=lambda where: float(place[where]))
    before = float(place[place >= place[middle]].sum())
    mapped = float(share[middle]) * share.size
    right = bool(sight.sure) and float(share[share > share[middle]].sum()) <= RIGHT
    known = PlacedAnswer(
        question, sight.sure, min(1.0, before), mapped, right, found=bool(sight.likely)
    )
    if other is None:
        return known
    strange = scout(sheet.page.pixels, other.text, grid)
    return replace(known, other=strange.sure, other_found=bool(strange.likely))


def _cell(box: Sequence[float], cell: int, grid: tuple[int, int]) -> tuple[int, int]:
    """Row and column of the cell in the middle of a box."""
    left, top, right, bottom = box
    row, col = int((top + bottom) / 2 / cell), int((left + right) / 2 / cell)
    return min(grid[0] - 1, row), min(grid[1] - 1, col)


def summary(answers: Sequence[PlacedAnswer]) -> dict[str, Any]:
    """How many answers stand where each share of the probability is, and the mean gap (ECE)."""
    held = [fmean(answer.before <= level for answer in answers) for level in LEVELS]
    gap = fmean(abs(have - level) for have, level in zip(held, LEVELS, strict=True))
    likely = {
        str(sure): round(fmean(log(max(1e-9, sure * f.mapped + 1 - sure)) for f in answers), 3)
        for sure in SURES
    }
    knows = [answer for answer in answers if answer.sure]
    strange = [answer.other for answer in answers if answer.other is not None]
    lost = [not answer.other_found for answer in answers if answer.other_found is not None]
    return {
        "n": len(answers),
        "knows": len(knows),
        "sure_if_known": round(fmean(answer.sure for answer in knows), 3) if knows else None,
        "silent": round(1 - len(knows) / len(answers), 3),
        "silent_on_another": round(fmean(not sure for sure in strange), 3) if strange else None,
        "none_found": round(fmean(not answer.found for answer in answers), 3),
        "none_found_on_another": round(fmean(lost), 3) if lost else None,
        "right_if_known": round(fmean(answer.right for answer in knows), 3) if knows else None,
        "images": len({answer.question.image for answer in answers}),
        "sure": round(fmean(answer.sure for answer in answers), 3),
        "levels": list(LEVELS),
        "held": [round(share, 3) for share in held],
        "error": round(gap, 3),
        "log_likelihood": likely,
    }


def _row(answer: PlacedAnswer) -> dict[str, Any]:
    return {
        "row": answer.question.row,
        "sure": answer.sure,
        "before": round(answer.before, 4),
        "mapped": round(answer.mapped, 4),
        "right": answer.right,
        "other": answer.other,
        "found": answer.found,
        "other_found": answer.other_found,
    }
