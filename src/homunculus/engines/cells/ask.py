"""Which scout a method of cells asks where the question looks."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from homunculus.checks import Grid
from homunculus.engines.cells.methods import Method
from homunculus.scouts.registry import (
    GivenMap,
    PixelScout,
    ScoutLike,
    WordsAndThings,
    WordsOrPixels,
    get_scout,
)
from homunculus.scouts.sight import Pixels, Scout, Sight, check_sight, is_map


def ask(method: Method, scout: Scout, image: Pixels, question: str, grid: Grid) -> Sight:
    """Where the question looks; a method that never looks does not ask the scout."""
    if method.source == "model":
        raise ValueError(
            f"{method.name} chooses by a model's own features, and here is no model. Use "
            "homunculus.attach, or `homunculus measure --encoder`, or another method."
        )
    if method.source == "nothing":
        return Sight(
            np.zeros(grid, np.float32),
            sure=0.0,
            origin="none (this method does not look)",
            explanation="This method looks at neither the picture nor the question.",
            question_used=False,
        )
    return check_sight(scout(image, question, grid), scout)


def scout_for(method: Method, scout: ScoutLike = "auto", side: int | None = None) -> Scout:
    """The scout that a method asks, or what a control looks at instead of the question.

    A map that is given replaces both. ``side`` is that of a cell in pixels, where the caller knows
    it.
    """
    chosen = _choose_scout(method, scout)
    if side is None:
        return chosen
    if isinstance(chosen, WordsAndThings):
        return replace(chosen, words=replace(chosen.words, side=side))
    return replace(chosen, side=side) if isinstance(chosen, WordsOrPixels | PixelScout) else chosen


def _choose_scout(method: Method, scout: ScoutLike) -> Scout:
    if isinstance(scout, GivenMap) or is_map(scout):
        return get_scout(scout)
    if method.source == "answer" and isinstance(scout, str | Path):
        raise ValueError(
            f"{method.name} is told where the answer is, and no scout of a name knows that. "
            "Pass a map as scout, or use another method."
        )
    if method.source == "pixels":
        return PixelScout("", "This method does not use the question", flat=True, reads=False)
    if method.source == "another question":
        why = "One picture has no other question"
        return PixelScout(f" ({why[0].lower()}{why[1:]})", why, reads=False)
    return get_scout(scout)
