# pyright: basic
"""Ways to find an answer, and whether one shows its box, by budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from homunculus.checks import Grid
from homunculus.pages import Picture
from homunculus.planner.belief import scout_cells
from homunculus.planner.bill import resize
from homunculus.planner.models import token_rule
from homunculus.scouts.registry import get_scout
from homunculus.scouts.sight import Scout, Sight
from homunculus.views import Planner
from homunculus_lab.measure.natural import COVERED, Part, covered, parts_of
from homunculus_lab.measure.suite import Box
from homunculus_lab.measure.views import answer_sight

MODEL, CONTEXT = "qwen3-vl", 1 / 8
"""Whose tokens are counted (32 px), and the share that is kept for the whole picture."""
WAYS = ("resize", "words", "reading", "both", "told")
SCOUTS = {"words": "auto", "reading": "reading", "both": "auto"}
"""The scout of a way, by its name in the registry."""
READS = ("reading", "both")
"""Ways that are given the picture's lines."""


@dataclass(frozen=True)
class Setting:
    """A size of pages and a reader."""

    name: str
    side: int
    """Pixels along the longer side of a page."""
    grow: bool
    """Whether smaller pages are enlarged."""
    acuity: str
    """Whose eyes views are planned for."""
    height: float
    """Pixels that the answer's box needs."""
    tokens: tuple[int, ...]


SETTINGS = (
    Setting("5 px", 1024, True, "rapidocr", 5.0, (16, 32, 64, 128)),
    Setting("12 px", 2048, False, "vlm", 12.0, (64, 128, 273)),
)


@dataclass(frozen=True, eq=False)
class Told:
    """A scout that is given the answer's boxes, in pixels of the picture."""

    boxes: Sequence[Box]

    def __call__(self, image: Any, question: str, grid: Grid) -> Sight:
        return answer_sight(self.boxes, grid, max(1, scout_cells(image.shape[1:])[1]))


def ask_way(
    way: str,
    question: str,
    other: str | None,
    picture: Picture,
    boxes: Sequence[Box],
    setting: Setting,
) -> dict[str, Any]:
    """What one way makes of a picture and a question; ``other`` is another picture's."""
    if way == "resize":
        return {"budgets": _resized(picture, boxes, setting)}
    scout = Told(boxes) if way == "told" else get_scout(SCOUTS[way])
    result = _planned(_planner(picture, question, scout, setting), boxes, setting)
    if other is None or way == "told":
        return result
    strange = _planner(picture, other, scout, setting).sight
    return result | {"sure_of_other": round(strange.sure, 4)}


def _planner(picture: Picture, question: str, scout: Scout, setting: Setting) -> Planner:
    return Planner(
        picture, question, model=MODEL, acuity=setting.acuity, scout=scout, context=CONTEXT,
        label=False,
    )  # fmt: skip


def _planned(planner: Planner, boxes: Sequence[Box], setting: Setting) -> dict[str, Any]:
    budgets = dict[str, list[float | int]]()
    for tokens in setting.tokens:
        seen = planner.views(tokens)
        shown = box_shown(boxes, parts_of(seen), setting.height)
        budgets[str(tokens)] = [int(shown), round(seen.value or 0.0, 4)]
    return {
        "budgets": budgets, "sure": round(planner.sight.sure, 4),
        "log_share": round(log_share(planner, boxes), 4), "found": found(planner.sight),
    }  # fmt: skip


def _resized(
    picture: Picture, boxes: Sequence[Box], setting: Setting
) -> dict[str, list[int | None]]:
    (height, width), rule = picture.size, token_rule(MODEL)
    budgets = dict[str, list[int | None]]()
    for tokens in setting.tokens:
        whole = resize(picture.size, rule, tokens).plan.whole
        view = Part((0, 0, width, height), whole[0] / height if whole else 0.0)
        budgets[str(tokens)] = [int(box_shown(boxes, [view], setting.height)), None]
    return budgets


def box_shown(boxes: Sequence[Box], parts: Sequence[Part], height: float | int) -> bool:
    """Whether a view holds one of the boxes, high enough.

    >>> box, line = (10.0, 10.0, 30.0, 20.0), Part((0, 5, 90, 25), 0.5)
    >>> box_shown([box], [line], 5), box_shown([box], [line], 6)
    (True, False)
    """
    return any(
        covered(box, part.box) >= COVERED
        and (box[3] - box[1]) * part.scale >= min(height, box[3] - box[1])
        for box in boxes
        for part in parts
    )


def log_share(planner: Planner, boxes: Sequence[Box]) -> float:
    """How much likelier than an even map's the answer's cell is, by its logarithm; of several boxes
    the likeliest."""
    place = planner.buyer.belief.place
    (rows, cols), (height, width) = place.shape, planner.picture.size
    cells = [
        place[
            min(rows - 1, int((y0 + y1) / 2 * rows / height)),
            min(cols - 1, int((x0 + x1) / 2 * cols / width)),
        ]
        for x0, y0, x1, y1 in boxes
    ]
    return log(max(1e-9, float(np.max(cells)) * place.size))


def found(sight: Sight) -> str:
    """What was found of the question's words: `rarest`, `some` without it, `none`, or `unsaid`.

    The rarest word is the longest: scouts weigh words so.
    """
    likely = dict[str, bool]()
    for match in sight.matches:
        if match.kind == "word":
            word = match.stands_for or match.text
            likely[word] = likely.get(word, False) or match.state != "missing"
    if not likely:
        return "unsaid"
    if likely[max(likely, key=len)]:
        return "rarest"
    return "some" if any(likely.values()) else "none"
