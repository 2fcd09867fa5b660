"""Which scout a method of cells asks where the question looks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.methods import Method
from homunculus.scouts.places import answer
from homunculus.scouts.registry import (
    GivenMap,
    PixelScout,
    ScoutLike,
    WordsAndThings,
    WordsOrPixels,
    get_scout,
)
from homunculus.scouts.sight import Pixels, Scout, Sight, cell_side, check_sight


def ask(method: Method, scout: Scout, image: Pixels, question: str, grid: Grid) -> Sight:
    """Where the question looks; a method that never looks does not ask the scout."""
    if method.source == "model":
        raise ValueError(
            f"{method.name} chooses by a model's own features, and here is no model. Use "
            "homunculus.attach, or `homunculus measure --encoder`, or another method."
        )
    if method.source == "nothing":
        return Sight(
            torch.zeros(grid),
            sure=0.0,
            origin="none (this method does not look)",
            explanation="This method looks at neither the picture nor the question.",
            question_used=False,
        )
    return check_sight(scout(image, question, grid), scout)


def scout_for(
    method: Method,
    scout: ScoutLike = "auto",
    boxes: Sequence[Sequence[float | int]] | None = None,
    side: int | None = None,
) -> Scout:
    """The scout that a method asks, or what a control looks at instead of the question.

    A map that is given replaces both. ``boxes`` are the answer's, in pixels of the image; ``side``
    is that of a cell in pixels, where the caller knows it.
    """
    chosen = _choose_scout(method, scout, boxes)
    if side is None:
        return chosen
    if isinstance(chosen, WordsAndThings):
        return replace(chosen, words=replace(chosen.words, side=side))
    ours = isinstance(chosen, WordsOrPixels | PixelScout | AnswerScout)
    return replace(chosen, side=side) if ours else chosen


def _choose_scout(
    method: Method, scout: ScoutLike, boxes: Sequence[Sequence[float | int]] | None
) -> Scout:
    if isinstance(scout, Tensor | GivenMap | AnswerScout):
        return get_scout(scout)
    if method.source == "answer":
        if not boxes:
            raise ValueError(
                f"{method.name} is given the answer's box, and no box came. "
                "Pass boxes x0 y0 x1 y1 in pixels, or use another method."
            )
        return AnswerScout(boxes)
    if method.source == "pixels":
        return PixelScout("", "This method does not use the question", flat=True, reads=False)
    if method.source == "another question":
        why = "One picture has no other question"
        return PixelScout(f" ({why[0].lower()}{why[1:]})", why, reads=False)
    return get_scout(scout)


@dataclass(frozen=True)
class AnswerScout:
    """Given the answer's boxes, x0 y0 x1 y1 in pixels of the image: the oracle of the bench."""

    boxes: Sequence[Sequence[float | int]]
    side: int | None = None
    """Pixels along a cell; None to tell it from the image and the grid."""

    def __call__(self, image: Pixels, question: str, grid: Grid) -> Sight:
        return Sight(
            answer(grid, self.boxes, self.side or cell_side(image.shape[1:], grid)),
            sure=1.0,
            origin="the answer's box",
            explanation="The choice follows the answer's box, not the question.",
            question_used=False,
        )
