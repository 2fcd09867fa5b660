"""How much each level-0 cell matters: from pixels, from the question, and the mix of both."""

from homunculus.score.hint import hint
from homunculus.score.mix import WAYS, WEIGHTS, Dials, mix, rank
from homunculus.score.pixels import contrast, information, orientations
from homunculus.score.question import derange

__all__ = [
    "WAYS",
    "WEIGHTS",
    "Dials",
    "contrast",
    "derange",
    "hint",
    "information",
    "mix",
    "orientations",
    "rank",
]
