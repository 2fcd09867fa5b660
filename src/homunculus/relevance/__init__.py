"""Where a question looks: scouts, and the maps of pixels and places that they are made from."""

from homunculus.relevance.combine import WAYS, WEIGHTS, Dials, mix, rank
from homunculus.relevance.pixels import contrast, information, orientations
from homunculus.relevance.places import answer, hint

__all__ = [
    "WAYS",
    "WEIGHTS",
    "Dials",
    "answer",
    "contrast",
    "hint",
    "information",
    "mix",
    "orientations",
    "rank",
]
